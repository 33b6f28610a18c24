"""NumPy functions that call a function many times, in plain Python: generated code differentiates this text."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import laid_out_as

__all__ = ["apply_along_axis", "apply_over_axes", "fromfunction", "check_results", "in_ufunc_order", "promoted"]


def apply_along_axis(func1d: Callable, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """np.apply_along_axis"""
    arr = np.asarray(arr)
    moved = np.moveaxis(arr, axis, -1)
    axis = axis % arr.ndim
    lead = moved.shape[:-1]
    rows = np.reshape(moved, (math.prod(lead), arr.shape[axis]))
    values = [func1d(rows[j], *args, **kwargs) for j in range(rows.shape[0])]
    check_results(values)
    found = np.array(values)
    result = np.reshape(found, lead + found.shape[1:])
    count = found.ndim - 1
    if count == 0:
        return result
    return np.moveaxis(result, tuple(range(arr.ndim - 1, arr.ndim - 1 + count)), tuple(range(axis, axis + count)))


def apply_over_axes(func: Callable, a: Any, axes: Any) -> Any:
    """np.apply_over_axes"""
    value = np.asarray(a)
    rank = np.ndim(value)
    for axis in np.atleast_1d(axes):
        place = int(axis) + rank if axis < 0 else int(axis)
        part = func(value, place)
        value = part if np.ndim(part) == rank else np.expand_dims(part, place)
        if np.ndim(value) != rank:
            raise ValueError("function is not returning an array of the correct shape")
    return value


def fromfunction(function: Callable, shape: tuple, *, dtype: Any = float, **kwargs: Any) -> Any:
    """np.fromfunction"""
    grid = np.indices(shape, dtype=dtype)
    if len(shape) == 1:
        return function(grid[0], **kwargs)
    if len(shape) == 2:
        return function(grid[0], grid[1], **kwargs)
    if len(shape) == 3:
        return function(grid[0], grid[1], grid[2], **kwargs)
    return function(*tuple(grid), **kwargs)


def check_results(values: list) -> None:
    """What a function gave for every element: numbers or arrays, of the dtype of the first, as NumPy makes them."""
    if not values:
        raise ValueError("cannot call a function on inputs of size 0")
    first = values[0]
    if isinstance(first, (tuple, list)):
        raise UnsupportedError("a function with several results, called for every element",
                               remedy="Call one function for each result.")
    found, wanted = np.result_type(*[np.asarray(v) for v in values]), np.asarray(first).dtype
    if found != wanted and wanted.kind in "biu" and found.kind in "fc":
        raise UnsupportedError(f"the first element gives a value of dtype {wanted}, others of {found}: NumPy rounds them all",
                               remedy="Return a float for every element (0.0, not 0).")


def in_ufunc_order(values: Any, *operands: Any) -> Any:
    """The same values in a new array, laid out in memory as a ufunc lays out what it gives for these operands."""
    if np.ndim(values) < 2 or all(np.asarray(x).flags.c_contiguous for x in operands):
        return np.copy(values)
    like = np.frompyfunc(lambda *items: None, len(operands), 1)(*operands)
    return laid_out_as(np.empty_like(like, dtype=values.dtype), values)


def promoted(*args: Any, broadcast: bool = False, force_floating: bool = False, xp: Any = None) -> Any:
    """SciPy's xp_promote, for up to two NumPy arrays (or None)."""
    if len(args) == 1:
        return as_floats(args[0], force_floating)
    first, second = args
    if second is None:
        return as_floats(first, force_floating), None
    first, second = as_floats(first, force_floating), as_floats(second, force_floating)
    if broadcast:
        shape = np.broadcast_shapes(np.shape(first), np.shape(second))
        return np.broadcast_to(first, shape), np.broadcast_to(second, shape)
    return first, second


def as_floats(x: Any, force: bool) -> Any:
    if force and np.asarray(x).dtype.kind in "iub":
        return np.asarray(x, dtype=float)
    return np.asarray(x)
