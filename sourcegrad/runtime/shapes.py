"""Shapes: helpers of rearranging, indexing and writing into parts of arrays."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.core import broadcast_like, in_order, unbroadcast, zeros_like

__all__ = ["reshape_like", "reading_order", "inverse_permutation", "rolled_axis", "cast_back", "unstack", "restack", "split_like",
           "join_like", "unbroadcast_each", "broadcast_each", "meshgrid_like", "unmeshgrid", "unblock", "untile",
           "unwindow", "unrepeat", "unresize", "crop", "fold_padding", "padding_sum", "item_position", "scatter_add",
           "scatter_along", "unsort", "undelete", "new_positions", "insertion_axis", "choose_parts", "one_of_equals",
           "diagonal_index", "divide_at", "index_along", "multiply_at", "separate_writes", "split_bounds"]



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
    return reshape_like(ct, in_order(like))


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


def index_along(array: Any, indices: Any, axis: int) -> tuple:
    """The index with which `np.put_along_axis(array, indices, values, axis)` stores."""
    axis %= array.ndim
    shape = [1] * array.ndim
    index = []
    for position, length in enumerate(array.shape):
        if position == axis:
            index.append(indices)
        else:
            index.append(np.arange(length).reshape([length if j == position else 1 for j in range(len(shape))]))
    return tuple(index)


def diagonal_index(array: Any, wrap: bool = False) -> tuple:
    """The index of the diagonal that `np.fill_diagonal` stores into; of a tall matrix it may begin again under the first block."""
    if array.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if array.ndim > 2 and len(set(array.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    if wrap and array.ndim == 2:
        return np.unravel_index(np.arange(0, array.size, array.shape[1] + 1), array.shape)
    return (np.arange(min(array.shape)),) * array.ndim


def separate_writes(array: Any, index: Any) -> list:
    """Rounds of (index, positions in the index): no round has an element of the array twice."""
    elements = np.ravel(np.arange(array.size).reshape(array.shape)[index])
    rounds = []
    waiting = np.arange(elements.size)
    while waiting.size:
        _, first = np.unique(elements[waiting], return_index=True)
        chosen = waiting[first]
        rounds.append((np.unravel_index(elements[chosen], array.shape), chosen))
        waiting = np.delete(waiting, first)
    return rounds


def multiply_at(array: Any, index: Any, factor: Any) -> Any:
    """The array after `np.multiply.at(array, index, factor)`."""
    result = array.copy()
    factors = np.ravel(np.broadcast_to(factor, np.shape(array[index])))
    for where, which in separate_writes(array, index):
        result[where] = result[where] * factors[which]
    return result


def divide_at(array: Any, index: Any, divisor: Any) -> Any:
    """The array after `np.divide.at(array, index, divisor)`."""
    result = array.copy()
    divisors = np.ravel(np.broadcast_to(divisor, np.shape(array[index])))
    for where, which in separate_writes(array, index):
        result[where] = result[where] / divisors[which]
    return result


def split_bounds(array: Any, count: int, axis: int, equal: bool) -> tuple:
    """Where the parts of `np.split(array, count, axis)` begin, and the end of the last one."""
    size = array.shape[axis]
    if equal and size % count:
        raise ValueError("array split does not result in an equal division")
    return tuple(j * (size // count) + min(j, size % count) for j in range(count + 1))
