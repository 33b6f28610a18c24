"""Places inside values: `at[1:].T[0]` is a path of indices, attributes and views; reading and replacing what lies there."""
from __future__ import annotations

import types
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.structure import another, is_user_class

__all__ = ["at"]                     # get_at and set_at are how item_at and index_set, which have rules, work inside


class Path:
    """A recorded path: every attribute, subscript and call makes a longer one."""

    __slots__ = ("_steps",)
    __sourcegrad_callable__ = True                       # a known object of generated code
    __name__ = "at"                                      # generated code imports the one empty path by this name

    def __init__(self, steps: tuple = ()) -> None:
        self._steps = steps

    def __getitem__(self, index: Any) -> Path:
        return Path((*self._steps, ("index", index)))

    def __getattr__(self, name: str) -> Path:
        if name.startswith("__"):
            raise AttributeError(name)
        return Path((*self._steps, ("attribute", name)))

    def __call__(self, *args: Any, **options: Any) -> Path:
        return Path((*self._steps[:-1], ("method", self._steps[-1][1], args, options)))

    def __repr__(self) -> str:
        return "at" + "".join(f"[{s[1]!r}]" if s[0] == "index" else f".{s[1]}" for s in self._steps)


at = Path()


class ObjectZero(dict):
    """The zero adjoint of an object: it has attributes, and what its class calls its items is not known here."""


def steps_of(index: Any) -> tuple:
    """The steps of a path, or of a plain index."""
    return index._steps if type(index) is Path else (("index", index),)


def is_zero(value: Any) -> bool:
    """Whether a value is the zero adjoint of something of any structure."""
    return type(value) is float and value == 0.0


def _take(value: Any, step: tuple) -> Any:
    if is_zero(value):
        return value
    if step[0] == "index":
        return value[step[1]]
    if isinstance(value, dict):                          # the adjoint of an object
        return value.get(step[1], 0.0)
    if step[0] == "attribute":
        return getattr(value, step[1])
    return getattr(value, step[1])(*step[2], **step[3])


def get_at(value: Any, index: Any) -> Any:
    """What lies at a place of a value."""
    for step in steps_of(index):
        value = _take(value, step)
    return value


def adjoint_at(ct: Any, steps: Any) -> Any:
    """What lies at a place of an adjoint: what is missing in a sparse one is zero."""
    for step in steps:
        if isinstance(ct, (float, int)):
            return 0.0
        ct = ct.get(step[1], 0.0) if isinstance(ct, dict) else _take(ct, step)
    return ct


def set_at(value: Any, index: Any, new: Any) -> Any:
    """A copy of a value with something else at a place; what the place is not part of is shared."""
    return put_at(value, steps_of(index), new)


def put_at(value: Any, steps: tuple, new: Any, owned: bool = False) -> Any:
    """`set_at`; owned: in place, as nobody else holds any of it."""
    if isinstance(value, np.ndarray):
        return _put_array(value if owned else np.array(value), steps, new)
    if is_zero(value) and is_zero(new):
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(value, (float, int, np.generic)) and step[0] == "index":
        if step[1] is Ellipsis or isinstance(step[1], tuple) and not step[1]:
            return put_at(value, rest, new, owned) if rest else new                # an array without axes
        if isinstance(step[1], (bool, np.bool_, np.ndarray)) and np.asarray(step[1]).dtype.kind == "b":
            return np.where(step[1], np.sum(new), value)[()] if not rest else put_at(value, rest, new, owned) if step[1] else value
        if isinstance(value, np.generic) or value:                        # (a zero may be the adjoint of a container)
            raise TypeError(f"'{type(value).__name__}' object does not support item assignment")
    if rest and isinstance(value, dict) and step[1] not in value:
        if is_zero(new) or isinstance(new, np.ndarray) and not np.any(new):      # zeros in what is missing: zero
            return value
        new = put_at(0.0, rest, new)
    elif rest:
        new = put_at(_take(value, step), rest, new, owned)
    if isinstance(value, tuple):
        items = list(value)
        items[step[1]] = new
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, (float, int)):                  # the zero adjoint of a container
        if not isinstance(step[1], str):
            raise UnsupportedError("a higher derivative through an array inside a dict or object that changes in place",
                                   remedy="Store the array in a variable, and put it back when it is complete.")
        return {step[1]: new}
    if step[0] == "index" and is_user_class(type(value)):
        raise UnsupportedError(f"a store into an item of a {type(value).__name__}, whose class is not known beforehand",
                               remedy="Call a method of one class that stores the value.")
    result = value if owned else another(value)
    if step[0] == "index":
        result[step[1]] = new
    elif isinstance(result, dict):                       # the adjoint of an object
        result[step[1]] = new
    else:
        check_stored_as_is(type(value), step[1])
        object.__setattr__(result, step[1], new)
    return result


def check_stored_as_is(cls: type, name: str) -> None:
    """Refuse a store that a property (or another data descriptor) of a class takes: its code has not been looked into."""
    found = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
    if found is not None and hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
        raise UnsupportedError(f"a store into '{name}' of a {cls.__name__}, whose class is not known beforehand: a setter runs",
                               remedy="Give every branch an object of the same class, or store in a method of the class.")


def _put_array(result: np.ndarray, steps: tuple, new: Any) -> np.ndarray:
    part: Any = result
    for step in steps[:-1]:
        part = _take(part, step)
    last = steps[-1]
    if last[0] == "index":
        store(part, last[1], new)
    else:
        part = _take(part, last)
        store(part, Ellipsis, new)
    if isinstance(part, np.ndarray) and part.size and not np.may_share_memory(part, result):
        # a reshape has made a copy: an adjoint may lie in another order than its array, which is known to give a view
        positions = np.arange(result.size).reshape(result.shape)
        for step in steps if last[0] != "index" else steps[:-1]:
            positions = _take(positions, step)
        positions = positions[last[1]] if last[0] == "index" else positions
        result.flat[np.ravel(positions)] = np.ravel(np.broadcast_to(new, np.shape(positions)))
    return result


def store(part: Any, index: Any, new: Any) -> None:
    if isinstance(part, np.flatiter) and index is Ellipsis:
        part[:] = new
    else:
        part[index] = new
