"""What generated code makes sure of, where it is only known when it runs: what shares memory, and what can be stored."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import InputError, Refusal, UnsupportedError
from sourcegrad.runtime.core import index_set
from sourcegrad.runtime.locations import Path

__all__ = ["same_memory", "check_store", "check_overlap", "check_apart", "check_dense", "check_array", "trap", "COPIES_BY_NUMBERS"]


def trap(message: str, remedy: str) -> None:
    """Stands where the function itself calls what has no derivative rule, in a branch that may never run."""
    raise Refusal(UnsupportedError(message, remedy=remedy))


def same_memory(view: Any, base: Any) -> None:
    """Refuse where NumPy made a copy of what has to be a view."""
    if isinstance(view, np.ndarray) and view.size and not np.may_share_memory(view, base):
        raise UnsupportedError("a reshape that NumPy can only do by copying, of an array that changes in place",
                               remedy="Use a copy of the array: x.reshape(...).copy(), or store into the array itself.")


def check_store(base: Any, index: Any, value: Any) -> None:
    """Raise what `base[index] = value` would raise; nothing is stored, and no more copied than that part."""
    if isinstance(base, (int, float, complex, np.generic, tuple, str, bytes, range)):
        raise TypeError(f"'{type(base).__name__}' object does not support item assignment")
    number = isinstance(value, (int, float, np.floating, np.integer))
    if type(base) is np.ndarray and (isinstance(index, slice) or number and isinstance(index, (int, np.integer))):
        np.empty(np.shape(base[index]), base.dtype)[...] = value
    elif type(base) is list and isinstance(index, (int, np.integer)):
        base[index]
    elif type(base) is dict and type(index) is not Path:
        hash(index)
    else:
        index_set(base, index, value)


def check_overlap(target: Any, value: Any) -> None:
    """Refuse `target[...] = value` where NumPy reads what it has just written.

    It copies a source that overlaps, but for rows of numbers that lie in one direction (numpy.ndarray.__setitem__ trusts its
    inner loop with these, which is right for equal strides only)."""
    if not isinstance(target, np.ndarray) or not isinstance(value, np.ndarray) or not target.ndim == 1 <= value.ndim:
        return
    value = np.broadcast_to(value[(0,) * (value.ndim - 1)], target.shape)
    if target.strides[0] * value.strides[0] <= 0 or target.strides == value.strides or not np.shares_memory(target, value):
        return
    if target.strides[0] < 0:
        target, value = target[::-1], value[::-1]
    written, read = (x.__array_interface__["data"][0] + x.strides[0] * np.arange(x.size) for x in (target, value))
    later = np.minimum(np.searchsorted(written, read), target.size - 1)             # where an element that is read is written
    before = later - np.arange(target.size)
    backwards = read[0] < written[0] < read[-1] + value.strides[0]
    if np.any((written[later] == read) & (before > 0 if backwards else before < 0)):
        raise UnsupportedError("a store of elements that overlap with those that they replace, at another distance",
                               remedy="NumPy does not copy them first, and stores numbers that it has already replaced: "
                                      "write a[...] = a[...].copy().")


_NUMBERS = np.arange(3)
_NUMBERS[[2, 0, 1]] = _NUMBERS
COPIES_BY_NUMBERS = _NUMBERS.tolist() == [1, 2, 0]               # NumPy 1 reads what it has just written


def check_apart(target: Any, value: Any) -> None:
    """Refuse `target[[2, 0, 1]] = value` where NumPy does not copy a value that overlaps (`COPIES_BY_NUMBERS`)."""
    if isinstance(value, np.ndarray) and np.shares_memory(target, value):
        raise UnsupportedError("a store by the numbers of elements of what overlaps with them",
                               remedy="NumPy 1 does not copy it first, and stores elements that it has already replaced: "
                                      "write a[i] = a[j].copy().")


def check_dense(x: Any, any_order: bool = False) -> None:
    """Refuse an array whose layout a copy would not keep, where a reshape of it must be a view. any_order: of the axes."""
    if any_order and isinstance(x, np.ndarray):
        x = x.transpose(np.argsort([-step for step in x.strides], kind="stable"))
    if isinstance(x, np.ndarray) and not (x.flags.c_contiguous or x.flags.f_contiguous):
        raise InputError("an array that the function changes through a reshape is not contiguous",
                         remedy="Use np.ascontiguousarray(...) of it.")


def check_array(x: Any) -> None:
    """Refuse a number that `op=` has changed under one name, where arrays that several names hold were thought of."""
    if isinstance(x, (int, float, complex, np.generic, tuple, str)):
        raise UnsupportedError("`op=` of what is only known to be a number when it runs, and held by others",
                               remedy="Write the assignment out, `x = x + y`: then the others certainly keep the old number.")
