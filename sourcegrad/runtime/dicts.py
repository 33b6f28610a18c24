"""Changes of dicts as functions that give the changed dict; adjoints of dicts are sparse: what is missing is zero."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime import core
from sourcegrad.runtime.structure import carries

__all__ = ["dict_cleared", "dict_copy", "dict_delete", "dict_discard", "dict_from_items", "dict_get", "dict_items",
           "dict_keys", "dict_merge", "dict_union", "dict_values", "entries_in", "entries_without", "entry_if",
           "entry_of", "items_back", "items_of", "keyed", "pairs_back", "pairs_forth", "passed_if", "plain_key",
           "values_back", "values_of"]


def entry_of(bar: Any, key: Any, like: Any) -> Any:
    """One entry of a sparse adjoint; zero, like the value that it belongs to, where it is missing.

    A range stands for a list of as many numbers."""
    if isinstance(bar, dict):
        return bar[key] if key in bar else [0.0] * len(like) if type(like) is range else core.zeros_like(like)
    if isinstance(bar, np.ndarray) and bar.ndim and not isinstance(key, str):
        return bar[key]                                      # of an array
    core.check_nothing(bar)
    return [0.0] * len(like) if type(like) is range else core.zeros_like(like)


def entry_if(bar: Any, key: Any, wanted: bool, like: Any) -> Any:
    """`entry_of` where it is wanted, otherwise zero."""
    return entry_of(bar, key, like) if wanted else core.zeros_like(like)


def entries_in(bar: Any, d: dict) -> dict:
    """The entries of a sparse adjoint at the keys of a dict."""
    return {key: item for key, item in bar.items() if key in d} if isinstance(bar, dict) else {}


def entries_without(bar: Any, d: dict) -> dict:
    """The entries of a sparse adjoint at other keys than those of a dict."""
    return {key: item for key, item in bar.items() if key not in d} if isinstance(bar, dict) else {}


def keyed(key: Any, value: Any, wanted: bool = True) -> dict:
    """A dict of one entry, if it is wanted."""
    return {key: value} if wanted else {}


def plain_key(key: Any) -> Any:
    """A key of which it was not known what it is. What is found under a float or complex number has no derivative for it.

    >>> plain_key(("layer", 3))
    ('layer', 3)
    """
    if carries(key):
        raise UnsupportedError("a key that may depend on the inputs", remedy="Use keys that are constants, such as text.")
    return key


def dict_copy(d: dict) -> dict:
    """`d.copy()`"""
    return dict(d)


def dict_merge(d: dict, other: dict) -> dict:
    """`{**d, **other}`"""
    return {**d, **other}


def dict_union(d: dict, other: dict) -> dict:
    """`d | other`, a new dict for whoever holds `d`."""
    return {**d, **other}


def dict_delete(d: dict, key: Any) -> dict:
    """`del d[key]`"""
    result = dict(d)
    del result[key]
    return result


def dict_discard(d: dict, key: Any) -> dict:
    """The dict without a key that may be missing."""
    return {name: item for name, item in d.items() if name != key}


def dict_cleared(d: dict) -> dict:
    """The dict after `d.clear()`."""
    return {}


def dict_get(d: dict, key: Any, default: Any) -> Any:
    """`d.get(key, default)`"""
    return d.get(key, default)


def dict_keys(d: Any) -> list:
    """`list(d)`"""
    return list(d)


def dict_values(d: dict) -> list:
    """`list(d.values())`"""
    return list(d.values())


def dict_items(d: dict) -> list:
    """`list(d.items())`"""
    return list(d.items())


def dict_from_items(items: Any) -> dict:
    """`dict(items)` of pairs"""
    return dict(items)


def values_back(ct: Any, d: dict) -> dict:
    """The adjoint of `d` where `ct` is that of `dict_values(d)`."""
    return dict(zip(d, ct)) if isinstance(ct, (list, tuple)) else {}


def items_back(ct: Any, d: dict) -> dict:
    """The adjoint of `d` where `ct` is that of `dict_items(d)`."""
    if not isinstance(ct, (list, tuple)):
        return {}
    return {key: pair[1] for key, pair in zip(d, ct) if isinstance(pair, (list, tuple))}


def values_of(ct: Any, d: dict) -> list:
    """The entries of a sparse adjoint of `d`, in the order of `d`."""
    return [entry_of(ct, key, item) for key, item in d.items()]


def items_of(ct: Any, d: dict) -> list:
    """The adjoint of `dict_items(d)` that belongs to a sparse adjoint of `d`."""
    return [(0.0, entry_of(ct, key, item)) for key, item in d.items()]


def pairs_back(ct: Any, items: Any) -> list:
    """The adjoint of pairs where `ct` is that of `dict_from_items(items)`: only the last of a key counts."""
    last = {key: position for position, (key, _) in enumerate(items)}
    return [(0.0, entry_of(ct, key, item) if last[key] == position else core.zeros_like(item))
            for position, (key, item) in enumerate(items)]


def pairs_forth(ct: Any, items: Any) -> dict:
    """A sparse adjoint of the dict of the items, from one of the pairs."""
    if not isinstance(ct, (list, tuple)):
        return {}
    return {key: part[1] for (key, _), part in zip(items, ct) if isinstance(part, (list, tuple))}


def passed_if(ct: Any, wanted: bool, like: Any) -> Any:
    """A cotangent where it is wanted, otherwise zero."""
    return ct if wanted else core.zeros_like(like)
