"""Helpers for adjoints that rearrange, join, repeat and cast."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import broadcast_like, items_part, unbroadcast, zeros_like
from sourcegrad.runtime.indexing import add_rows

__all__ = ["reshape_like", "reading_order", "inverse_permutation", "rolled_axis", "cast_back",
           "unstack", "restack", "split_like", "join_like", "unbroadcast_each", "broadcast_each",
           "meshgrid_like", "unmeshgrid", "unblock", "untile", "unwindow", "unrepeat", "unresize",
           "crop", "fold_padding", "padding_sum"]


def reshape_like(ct: Any, x: Any) -> Any:
    """`ct` in the shape of `x`: a scalar where `x` has no axes, real where `x` is real."""
    shape = np.shape(x)
    if np.shape(ct) != shape:
        ct = np.reshape(ct, shape)
    if np.iscomplexobj(ct) and not np.iscomplexobj(x):
        ct = np.real(ct)
    return ct[()] if shape == () and isinstance(ct, np.ndarray) else ct


def reading_order(x: Any, order: str) -> str:
    """The order, "C" or "F", in which `x` is read when the order "A" or "K" is asked for."""
    if order in ("C", "F") or np.ndim(x) < 2:
        return order if order in ("C", "F") else "C"
    flags = x.flags
    if flags.c_contiguous or (order == "A" and not flags.f_contiguous):
        return "C"
    steps = [abs(step) for step, length in zip(x.strides, x.shape) if length > 1]
    if steps == sorted(steps, reverse=True):
        return "C"
    if steps == sorted(steps):
        return "F"
    raise UnsupportedError("order='K' of an array whose memory is in neither C nor Fortran order",
                           remedy="Name the order, order='C' or order='F'.")


def inverse_permutation(axes: Any) -> tuple:
    """The axes that undo `np.transpose(x, axes)`."""
    count = len(axes)
    return tuple(sorted(range(count), key=lambda k: axes[k] % count))


def rolled_axis(x: Any, axis: int, start: int = 0) -> int:
    """Where `np.rollaxis(x, axis, start)` puts the axis."""
    count = np.ndim(x)
    start = start + count if start < 0 else start
    return start - 1 if axis % count < start else start


def cast_back(ct: Any, x: Any, dtype: Any) -> Any:
    """Adjoint of converting `x` (array, number, nested lists) to `dtype`; zero for an integer dtype."""
    if np.dtype(dtype).kind not in "fc":
        return zeros_like(x)
    if np.iscomplexobj(ct) and not np.iscomplexobj(x):
        ct = np.real(ct)
    if isinstance(x, (list, tuple)):
        return unstack(ct, x)
    own = getattr(x, "dtype", None)
    if own is None or own.kind not in "fc":
        return ct
    result = np.asarray(ct, own)
    return result if result.ndim else result[()]


# --- nested lists and arrays --------------------------------------------------------------------------

def unstack(ct: Any, like: Any) -> Any:
    """Adjoint of `np.array(like)`: `ct` taken apart into the nested lists of `like`; itself for an array."""
    if isinstance(like, (list, tuple)):
        return [unstack(part, item) for part, item in zip(ct, like)]
    return reshape_like(ct, items_part(like, like))


def restack(parts: Any, like: Any) -> Any:
    """Adjoint of `unstack(like, parts)`: an array of the shape and dtype of `like` from nested lists."""
    if not isinstance(parts, (list, tuple)):
        return parts
    result = np.zeros(np.shape(like), np.asarray(like).dtype)
    for k, part in enumerate(parts):
        result[k] = restack(part, result[k])
    return result


def split_like(ct: Any, arrays: Any, axis: int | None = 0) -> Any:
    """Adjoint of joining `arrays` along `axis` (`np.concatenate`, `np.vstack`, ...): a part for each."""
    rank = np.ndim(ct)
    if axis is None:
        axis, lengths = 0, [int(np.size(item)) for item in arrays]
    else:
        axis %= rank
        lengths = [_joined_length(item, rank, axis) for item in arrays]
    parts, start = [], 0
    for item, length in zip(arrays, lengths):
        piece = ct[(slice(None),) * axis + (slice(start, start + length),)]
        parts.append(unstack(np.reshape(piece, np.shape(item)), item))
        start += length
    return np.stack(parts) if isinstance(arrays, np.ndarray) else parts


def _joined_length(item: Any, rank: int, axis: int) -> int:
    # What has fewer axes than the result (vstack, column_stack ...) was given an axis of length 1 there.
    shape = np.shape(item)
    return shape[axis] if len(shape) == rank else 1


def join_like(parts: Any, like: Any, axis: int | None = 0) -> Any:
    """Adjoint of `split_like(like, ..., axis)`: joins the parts to an array of the shape of `like`."""
    if axis is None:
        return np.concatenate([np.ravel(part) for part in parts])
    shape = np.shape(like)
    axis %= len(shape)
    rows = [np.reshape(part, shape[:axis] + (_joined_length(part, len(shape), axis),) + shape[axis + 1:])
            for part in parts]
    return np.concatenate(rows, axis=axis)


def unbroadcast_each(cts: Any, arrays: Any) -> list:
    """`unbroadcast` for each of several arrays."""
    return [unbroadcast(ct, item) for ct, item in zip(cts, arrays)]


def broadcast_each(arrays: Any, like: Any) -> list:
    """`broadcast_like` for each of several arrays."""
    return [broadcast_like(item, target) for item, target in zip(arrays, like)]


def unmeshgrid(cts: Any, xs: Any, indexing: str = "xy") -> list:
    """Adjoint of `np.meshgrid(*xs)`: each grid is summed over all axes but its own."""
    parts = []
    for k, (ct, x) in enumerate(zip(cts, xs)):
        own = _grid_axis(k, len(xs), indexing)
        parts.append(reshape_like(np.sum(ct, axis=tuple(j for j in range(len(xs)) if j != own)), x))
    return parts


def meshgrid_like(xs: Any, like: Any, indexing: str = "xy") -> list:
    """Adjoint of `unmeshgrid`: the grids of `xs` in the shapes of `like`."""
    grids = []
    for k, (x, target) in enumerate(zip(xs, like)):
        shape = [1] * len(xs)
        shape[_grid_axis(k, len(xs), indexing)] = np.size(x)
        grids.append(broadcast_like(np.reshape(x, shape), target))
    return grids


def _grid_axis(k: int, count: int, indexing: str) -> int:
    return 1 - k if indexing == "xy" and k < 2 <= count else k


def unblock(ct: Any, arrays: Any) -> Any:
    """Adjoint of `np.block(arrays)`: `ct` taken apart into the nested lists of `arrays`."""
    count = 0

    def number(item: Any) -> Any:
        nonlocal count
        if isinstance(item, list):
            return [number(part) for part in item]
        count += np.size(item)
        return np.arange(count - np.size(item), count).reshape(np.shape(item))

    def pick(item: Any, labels: Any) -> Any:
        if isinstance(item, list):
            return [pick(part, label) for part, label in zip(item, labels)]
        return reshape_like(flat[labels], item)

    numbered = number(arrays)
    flat = np.empty(count, ct.dtype)
    flat[np.block(numbered)] = ct
    return pick(arrays, numbered)


# --- repetition and padding ---------------------------------------------------------------------------

def untile(ct: Any, x: Any, reps: Any) -> Any:
    """Adjoint of `np.tile(x, reps)`: the sum of the tiles."""
    shape, counts = np.shape(x), (reps,) if np.ndim(reps) == 0 else tuple(reps)
    rank = max(len(shape), len(counts))
    shape, counts = (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(counts)) + counts
    tiles = np.reshape(ct, [size for pair in zip(counts, shape) for size in pair])
    return reshape_like(np.sum(tiles, axis=tuple(range(0, 2 * rank, 2))), x)


def unwindow(ct: Any, x: Any, window_shape: Any, axis: Any = None) -> Any:
    """Adjoint of `sliding_window_view(x, window_shape, axis)`: every element sums what the windows that see it say."""
    rank = np.ndim(x)
    sizes = (window_shape,) if np.ndim(window_shape) == 0 else tuple(window_shape)
    axes = range(rank) if axis is None else (axis,) if np.ndim(axis) == 0 else tuple(axis)
    result = np.zeros(np.shape(x), np.asarray(ct).dtype)
    for offsets in np.ndindex(*sizes):
        start = [0] * rank
        for a, offset in zip(axes, offsets):               # an axis may be named twice
            start[a] += offset
        seen, place = (..., *offsets), tuple([slice(first, first + size) for first, size in zip(start, np.shape(ct))])
        result[place] += ct[seen]
    return result


def unrepeat(ct: Any, x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Adjoint of `np.repeat(x, repeats, axis)`: the sum of the copies of each element."""
    whole = axis is None or np.ndim(x) == 0
    shape = (int(np.size(x)),) if whole else np.shape(x)
    axis = 0 if whole else axis % len(shape)                             # type: ignore[operator]
    if np.size(repeats) == 1:
        copies = np.reshape(ct, shape[:axis + 1] + (int(np.ravel(repeats)[0]),) + shape[axis + 1:])
        return reshape_like(np.sum(copies, axis=axis + 1), x)
    return reshape_like(add_rows(ct, np.repeat(np.arange(shape[axis]), repeats), shape, axis), x)


def unresize(ct: Any, x: Any) -> Any:
    """Adjoint of `np.resize(x, shape)`, which reads `x` cyclically."""
    size = int(np.size(x))
    if size == 0:
        return zeros_like(x)
    flat = np.ravel(ct)
    return reshape_like(np.sum(np.reshape(np.pad(flat, (0, -len(flat) % size)), (-1, size)), axis=0), x)


def _pad_pairs(pad_width: Any, rank: int) -> list:
    if isinstance(pad_width, dict):
        axes = {axis % rank: pad for axis, pad in pad_width.items()}
        pairs: Any = [np.broadcast_to(axes.get(axis, 0), (2,)) for axis in range(rank)]
    else:
        pairs = np.broadcast_to(pad_width, (rank, 2))
    return [(int(before), int(after)) for before, after in pairs]


def crop(ct: Any, x: Any, pad_width: Any) -> Any:
    """The part of `ct` that `x` fills after `np.pad(x, pad_width)` (a view)."""
    pairs = _pad_pairs(pad_width, np.ndim(x))
    return np.asarray(ct)[tuple(slice(before, before + length) for (before, _), length in zip(pairs, np.shape(x))) + (...,)]


def fold_padding(ct: Any, x: Any, pad_width: Any, mode: str) -> Any:
    """Adjoint of `np.pad(x, pad_width, mode)` with a mode that repeats elements of `x`."""
    shape = np.shape(x)
    for axis, pair in enumerate(_pad_pairs(pad_width, len(shape))):
        if pair != (0, 0):
            sources = np.pad(np.arange(shape[axis]), pair, mode=mode)      # type: ignore[call-overload]
            folded = ct.shape[:axis] + (shape[axis],) + ct.shape[axis + 1:]
            ct = add_rows(ct, sources, folded, axis)
    return ct


def padding_sum(ct: Any, x: Any, pad_width: Any, constant_values: Any) -> Any:
    """Adjoint of the scalar `constant_values` of `np.pad`: the sum of `ct` over the padding."""
    if np.ndim(constant_values) != 0:
        raise UnsupportedError("constant_values of np.pad that depend on an input and are not one number",
                               remedy="Pad one side after the other, with a number each.")
    outside = np.array(ct)
    crop(outside, x, pad_width)[...] = 0.0
    return np.sum(outside)
