"""Tangents of forward mode: zeros, parts of objects, and what a caller gives, in the structure of its argument."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import InputError
from sourcegrad.runtime.core import Bars, like_sequence
from sourcegrad.runtime.structure import another, attributes_of, is_user_class

__all__ = ["zero_tangent", "attribute_tangent", "dict_of_tangents", "count_directions"]


def zero_tangent(x: Any) -> Any:
    """A zero tangent of any value, of its structure: 0.0 for a number; what has no derivative, such as text, is itself."""
    return _zero(x, {})


def _zero(x: Any, around: dict[int, Any]) -> Any:
    """around: the zero tangents of the objects that hold the value, by their identity; one of them may be the value itself."""
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype if x.dtype.kind in "fc" else float) if x.dtype.kind in "fciub" else x
    if isinstance(x, (int, float, complex, np.number)):
        return 0.0
    if isinstance(x, (list, tuple)) and type(x) is not range:
        return like_sequence(x, [_zero(item, around) for item in x])
    if isinstance(x, Bars):
        return Bars()                                        # what is missing is zero
    if isinstance(x, dict):
        zero = another(x)
        for key, item in x.items():
            zero[key] = _zero(item, around)
        return zero
    if is_user_class(type(x)) and not isinstance(x, BaseException):
        if id(x) in around:
            return around[id(x)]
        zero = around[id(x)] = another(x)
        for name, part in attributes_of(x).items():
            object.__setattr__(zero, name, _zero(part, around))
        del around[id(x)]
        return zero
    return x


STRUCTURE = "A tangent has the structure of its argument."


def as_tangent(dot: Any, x: Any, name: str) -> Any:
    """A tangent in the structure, shapes and dtypes of an argument, which has this name; None: zero, also in its parts."""
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "fc":
            return x
        given = np.zeros(x.shape, x.dtype) if dot is None else _numbers_of(dot, name)
        if given.shape != x.shape:
            raise InputError(f"the tangent of '{name}' has shape {given.shape}, and '{name}' has shape {x.shape}",
                             remedy="A tangent has the shape of its argument.")
        _check_real(given, x, name)
        like = np.empty_like(x)                              # in the same order in memory
        like[...] = given
        return like
    if isinstance(x, (float, complex, np.inexact)):
        given = _numbers_of(0.0 if dot is None else dot, name)
        if given.shape != ():
            raise InputError(f"the tangent of '{name}' has shape {given.shape}, and '{name}' is a number",
                             remedy="A tangent has the shape of its argument.")
        _check_real(given, x, name)
        return type(x)(given[()])
    if isinstance(x, (list, tuple)) and not isinstance(x, range):
        if dot is not None and (not isinstance(dot, (list, tuple, np.ndarray)) or len(dot) != len(x)):
            raise InputError(f"the tangent of '{name}' is not one of {len(x)} parts", remedy=STRUCTURE)
        parts = [None] * len(x) if dot is None else dot
        return like_sequence(x, [as_tangent(part, x[j], f"{name}[{j}]") for j, part in enumerate(parts)])
    if isinstance(x, dict):
        if dot is not None and (not isinstance(dot, dict) or not dot.keys() <= x.keys()):
            raise InputError(f"the tangent of '{name}' is not a dict with its keys", remedy=STRUCTURE)
        tangent = another(x)
        for key, item in x.items():
            tangent[key] = as_tangent((dot or {}).get(key), item, f"{name}[{key!r}]")
        return tangent
    if is_user_class(type(x)) and not isinstance(x, BaseException):
        tangent, held = another(x), dot if isinstance(dot, dict) else {} if dot is None else attributes_of(dot)
        for attribute, part in attributes_of(x).items():
            object.__setattr__(tangent, attribute, as_tangent(held.get(attribute), part, f"{name}.{attribute}"))
        return tangent
    return x


def _numbers_of(dot: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(dot)
    except ValueError:                                       # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "fciub":
        raise InputError(f"the tangent of '{name}' is a {type(dot).__name__}, not a number or an array of numbers",
                         remedy=STRUCTURE)
    return array


def _check_real(given: np.ndarray, x: Any, name: str) -> None:
    if given.dtype.kind == "c" and not np.iscomplexobj(x):
        raise InputError(f"the tangent of '{name}' is complex, and '{name}' is real", remedy="Give its real part.")


def attribute_tangent(dot: Any, name: str, value: Any) -> Any:
    """An attribute of the tangent of an object; zero where the object has it from its class."""
    own = attributes_of(dot)
    return own[name] if name in own else zero_tangent(value)


def dict_of_tangents(dots: Any, items: Any) -> dict:
    """The tangent of a dict that is made of pairs."""
    return {key: dot for (key, _), (_, dot) in zip(items, dots)}


# --- many tangents at once: arrays with a leading axis, in the structure of one

def _mapped(function: Any, x: Any, *others: Any) -> Any:
    """The structure of a value with what a function makes of its numbers and arrays, and of those of others like it."""
    if isinstance(x, (np.ndarray, float, complex, np.inexact)):
        return function(x, *others)
    if isinstance(x, (list, tuple)) and not isinstance(x, range):
        return like_sequence(x, [_mapped(function, *items) for items in zip(x, *others)])
    if isinstance(x, dict):
        new = another(x)
        new.update({key: _mapped(function, x[key], *(other[key] for other in others)) for key in x})
        return new
    if is_user_class(type(x)) and not isinstance(x, BaseException):
        new = another(x)
        for name, part in attributes_of(x).items():
            object.__setattr__(new, name, _mapped(function, part, *(attributes_of(other)[name] for other in others)))
        return new
    return x


def count_directions(dots: Any) -> int:
    """How many tangents there are."""
    found: list = []
    _mapped(lambda x: found.append(len(x)), dots)
    return found[0]                                          # type: ignore[no-any-return]


def direction(dots: Any, j: int) -> Any:
    """One of many tangents."""
    return _mapped(lambda x: x[j], dots)


def stacked_directions(rows: list) -> Any:
    """Tangents of one structure as many at once."""
    return _mapped(lambda *parts: np.stack(parts), *rows)


def as_tangents(dots: Any, x: Any, name: str) -> Any:
    """Many tangents of an argument at once: in its structure, with a leading axis and in its dtypes."""

    def given(part: Any, dot: Any) -> np.ndarray:
        own = part.dtype if isinstance(part, (np.ndarray, np.inexact)) else None
        dtype = own or np.dtype(complex if isinstance(part, complex) else float)
        found = np.ascontiguousarray(dot, dtype)
        if found.shape[1:] != np.shape(part):
            raise InputError(f"the tangents of '{name}' have shape {found.shape}, and '{name}' has shape {np.shape(part)}",
                             remedy="Tangents have a leading axis, and then the shape of their argument.")
        return found

    if isinstance(x, np.ndarray) and x.dtype.kind not in "fc":
        return x
    return _mapped(given, x, dots)
