"""Helpers for selecting, sorting and scattering; each adjoint accumulates where an element was read twice."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.runtime.core import unbroadcast

__all__ = ["item_position", "scatter_add", "scatter_along", "unsort", "undelete", "new_positions", "insertion_axis",
           "choose_parts", "one_of_equals"]


def scatter_add(ct: Any, x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    """Adjoint of `np.take(x, indices, axis, mode=mode)`: zeros like `x`, plus `ct` at `indices`."""
    shape = np.shape(x)
    flat_shape = (int(np.size(x)),) if axis is None or not shape else shape
    axis = 0 if axis is None or not shape else axis % len(shape)
    length = flat_shape[axis]
    indices = np.asarray(indices)
    if indices.size == 0 or np.size(x) == 0:
        return np.zeros(shape, np.asarray(ct).dtype)
    indices = np.clip(indices, 0, length - 1) if mode == "clip" else indices % length
    return np.reshape(add_rows(ct, indices.ravel(), flat_shape, axis), shape)


def item_position(x: Any, index: tuple) -> int:
    """Where x.item(index) lies in x.ravel()."""
    return int(np.arange(np.size(x)).reshape(np.shape(x)).item(index))


def add_rows(ct: Any, positions: Any, shape: tuple, axis: int) -> Any:
    """Zeros of `shape` with the slices of `ct` along `axis` added at `positions`, which may repeat."""
    before, length, after = int(np.prod(shape[:axis])), shape[axis], int(np.prod(shape[axis + 1:]))
    ct = np.asarray(ct)
    if len(positions) == 1:
        result = np.zeros((before, length, after), ct.dtype)
        result[:, positions[0]] = np.reshape(ct, (before, after))
        return np.reshape(result, shape)
    # One flat index array: np.add.at is fast only for one-dimensional targets.
    flat = positions
    if after > 1:
        flat = flat[:, None] * after + np.arange(after)
    if before > 1:
        flat = np.arange(before).reshape((before,) + (1,) * flat.ndim) * (length * after) + flat
    return _add_flat(ct, flat, shape)


def _add_flat(ct: Any, positions: Any, shape: tuple) -> Any:
    result = np.zeros(int(np.prod(shape)), ct.dtype)
    np.add.at(result, np.ravel(positions), np.ravel(ct))
    return np.reshape(result, shape)


def scatter_along(ct: Any, x: Any, indices: Any, axis: int | None = -1) -> Any:
    """Adjoint of `np.take_along_axis(x, indices, axis)`."""
    if axis is None:
        return scatter_add(ct, x, indices)
    shape = np.shape(x)
    axis %= len(shape)
    positions: Any = 0
    for k, length in enumerate(shape):
        along = np.arange(length).reshape((length,) + (1,) * (len(shape) - k - 1))
        positions = positions * length + (np.where(np.less(indices, 0), np.add(indices, length), indices)
                                          if k == axis else along)
    return _add_flat(np.asarray(ct), np.broadcast_to(positions, np.shape(ct)), shape)


def unsort(ct: Any, order: Any, axis: int | None = -1) -> Any:
    """Adjoint of `np.take_along_axis(x, order, axis)` for a permutation: puts everything back."""
    result = np.empty(np.shape(ct), ct.dtype)
    np.put_along_axis(result, order, ct, axis)
    return result


def undelete(ct: Any, x: Any, obj: Any, axis: int | None = None) -> Any:
    """Adjoint of `np.delete(x, obj, axis)`: zeros where elements were deleted."""
    shape = np.shape(x)
    flat_shape = (int(np.size(x)),) if axis is None or not shape else shape
    axis = 0 if axis is None or not shape else axis % len(shape)
    kept = np.delete(np.arange(flat_shape[axis]), obj)
    result = np.zeros(flat_shape, ct.dtype)
    result[(slice(None),) * axis + (kept,)] = ct
    return np.reshape(result, shape)


def new_positions(x: Any, obj: Any, out: Any, axis: int | None = None) -> Any:
    """Where the values stand in `out = np.insert(x, obj, values, axis)`, in the order of the values."""
    old = np.size(x) if axis is None else np.shape(x)[axis]
    count = np.shape(out)[0 if axis is None else axis] - old
    which = np.insert(np.full(old, -1), obj, np.arange(count))
    positions = np.flatnonzero(which >= 0)
    return positions[np.argsort(which[positions])]


def insertion_axis(obj: Any, axis: int) -> int:
    """The axis along which `np.insert` takes the values: the first for a scalar position, else `axis`."""
    return axis if isinstance(obj, slice) or np.ndim(obj) else 0


def choose_parts(ct: Any, a: Any, choices: Any, mode: str = "raise") -> Any:
    """Adjoints of the choices of `np.choose`: each gets `ct` where `a` names it."""
    count = len(choices)
    a = np.clip(a, 0, count - 1) if mode == "clip" else np.mod(a, count)
    parts = [unbroadcast(np.where(a == k, ct, 0.0), choice) for k, choice in enumerate(choices)]
    return np.stack(parts) if isinstance(choices, np.ndarray) else parts


def one_of_equals(x: Any, index: Any, inverse: Any, counts: Any) -> Any:
    """The different elements of `x` as np.unique finds them; equal elements share the derivative equally."""
    return x[index]
