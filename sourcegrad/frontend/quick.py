"""What of objects and containers selects generated code, found out quickly: a finer key than their kinds."""
from __future__ import annotations

import enum
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.runtime.structure import attributes_of, is_user_class

BY_TYPE = {float, int, np.float64, np.float32, complex}
QUICK = {*BY_TYPE, np.ndarray, str, bool, type(None)}
PLAIN = QUICK - {np.ndarray}
VALUES = frozenset({str, bool, bytes})
OBJECTS = object()                       # in the table of quick calls: look again, with the key of `quick_key`


def exact(value: Any, array: type = np.ndarray) -> Any:
    """What of an argument selects the generated code, cheaply (finer than needed: shapes instead of ranks)."""
    cls = type(value)
    if cls is array:
        return (value.shape, value.dtype) if value.flags.c_contiguous else (value.shape, value.dtype, k.UNORDERED)
    return (cls, value) if cls is str or cls is bool else cls


def default_kind(default: Any, name: str, active: bool) -> k.Kind:
    if active:
        return k.kind_of(float(default) if type(default) is int else default, name)
    if type(default) in (int, bool, str) or default is None:
        return k.Const(default)
    return k.kind_of(default, name)


class Deep(Exception):
    """An object graph that is too deep, or goes in circles."""


def quick_key(args: tuple) -> Any:
    """A hashable key of arguments with objects among them; None where there is none."""
    try:
        key = (OBJECTS, *[_exact(a, 0) for a in args])           # no tuple of types
        hash(key)
    except (Deep, TypeError):
        return None
    return key


def _exact(value: Any, depth: int) -> Any:
    cls = type(value)
    if cls is np.ndarray:
        return value.shape, value.dtype, value.flags.c_contiguous
    if cls in BY_TYPE:
        return cls
    if cls in VALUES:
        return cls, value
    if depth > 12:
        raise Deep
    if cls is list and BY_TYPE.issuperset(map(type, value)):
        return cls, frozenset(map(type, value))                     # of numbers: neither how many nor in which order
    if cls is list or isinstance(value, tuple):
        return cls, tuple([_exact(item, depth + 1) for item in value])
    if cls is dict:
        return cls, tuple([(key, _exact(item, depth + 1)) for key, item in value.items()])
    if is_user_class(cls):
        return cls, tuple([(name, _exact(item, depth + 1)) for name, item in attributes_of(value).items()])
    if callable(value) or isinstance(value, enum.Enum):
        return value
    return cls


def identical(one: tuple, other: tuple) -> bool:
    """Whether two tuples hold the same objects."""
    return len(one) == len(other) and all(x is y for x, y in zip(one, other))
