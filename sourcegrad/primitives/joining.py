"""Rules of functions that join and split arrays.

The contribution for a list of arrays is a list; for lists nested in lists it is nested in the same way.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sourcegrad.kinds import ANY, INT, Const, Kind, Lst, Named, Num, Tup, as_num, common
from sourcegrad.kinds.results import (
    NUMPY_NAMES,
    Unknown,
    asked_dtype,
    axes_of,
    constant,
    dims_of,
    elements,
    equal_size,
    fresh,
    item_kind,
    leaf,
    promoted,
    real_like,
    stacked,
    value,
)
from sourcegrad.primitives import selection, shapes
from sourcegrad.primitives.core import COMPLEX, REAL, available, ndim, nondifferentiable, rule, sample
from sourcegrad.primitives.shapes import reshaped_kind, resize_axis_kind
from sourcegrad.runtime import (
    insertion_axis,
    join_like,
    new_positions,
    restack,
    split_like,
    unblock,
    unbroadcast,
    undelete,
    unstack,
)

# --- joining and splitting ------------------------------------------------------------------------------

def _dtype_or_promoted(dtype: Kind | None, items: list[Num]) -> str | None:
    return asked_dtype(dtype, promoted(items))


def stack_kind(arrays: Kind, axis: Kind = Const(0), dtype: Kind | None = None, **others: Kind) -> Kind:
    count, items = elements(arrays)
    return fresh(_dtype_or_promoted(dtype, items), stacked(items, constant(axis), count))


def concatenate_kind(arrays: Kind, axis: Kind = Const(0), dtype: Kind | None = None, **others: Kind) -> Kind:
    try:
        count, items = elements(arrays)
    except Unknown:
        return fresh(None, None)
    own = _dtype_or_promoted(dtype, items)
    if axis == Const(None):
        return fresh(own, (None,))
    return fresh(own, _joined([item.dims for item in items], constant(axis), count))


def _joined(shapes: list, axis: int, count: int | None) -> tuple | None:
    """The shape after joining along an axis; the sizes elsewhere are equal."""
    known = [dims for dims in shapes if dims is not None]
    if not known or not known[0]:
        return None
    axis %= len(known[0])
    along = [dims[axis] for dims in known]
    complete = len(known) == count and all(isinstance(size, int) for size in along)
    dims = tuple(map(equal_size, zip(*known)))
    return dims[:axis] + (sum(along) if complete else None,) + dims[axis + 1:]


def joined_at(rank: int, promote: Callable[[tuple], tuple], axis: Callable[[int], int]) -> Callable:
    """vstack and its relatives: parts of less than `rank` axes are promoted, then all joined along `axis`."""
    def kind(tup: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
        count, items = elements(tup)
        shapes = [x.dims if x.dims is None or len(x.dims) >= rank else promote(x.dims) for x in items]
        ranks = {len(dims) for dims in shapes if dims is not None}
        own = _dtype_or_promoted(dtype, items)
        return fresh(own, _joined(shapes, axis(ranks.pop()), count) if len(ranks) == 1 else None)
    return kind


def _depth(dims: tuple) -> tuple:
    return dims + (1,) if len(dims) == 2 else (1,) * (2 - len(dims)) + dims + (1,)


vstack_kind = joined_at(2, lambda dims: (1,) * (2 - len(dims)) + dims, lambda ndim: 0)
hstack_kind = joined_at(1, lambda dims: (1,), lambda ndim: min(ndim - 1, 1))
dstack_kind = joined_at(3, _depth, lambda ndim: 2)
column_stack_kind = joined_at(2, lambda dims: dims + (1,) * (2 - len(dims)), lambda ndim: 1)


def split_kind(ary: Kind, indices_or_sections: Kind, axis: Kind = Const(0)) -> Kind:
    return Lst(resize_axis_kind(ary, axis=axis))


def split_at(axis: int) -> Callable:
    def kind(ary: Kind, indices_or_sections: Kind) -> Kind:
        dims = leaf(ary).dims
        return split_kind(ary, indices_or_sections, Const(0 if dims is not None and len(dims) == 1 else axis))
    return kind


def numpy_unstack_kind(x: Kind, axis: Kind = Const(0)) -> Kind:
    model = leaf(x)
    dims = dims_of(model)
    (place,) = axes_of(axis, len(dims))
    if not isinstance(dims[place], int):
        raise Unknown                       # a tuple of unknown length
    return Tup((value(model.dtype, dims[:place] + dims[place + 1:]),) * dims[place])


def taken_apart_kind(ct: Kind, like: Kind) -> Kind:
    """`unstack(ct, like)`: lists as those of `like`."""
    if isinstance(like, Lst):
        return Lst(like.item and _one_of_many(taken_apart_kind(_row(ct), like.item)))
    if isinstance(like, Tup):
        return Lst(common(taken_apart_kind(_row(ct), item) for item in like.items))
    return reshaped_kind(ct, like)


def _one_of_many(part: Kind) -> Kind:
    """What is known of each part: among complex numbers may be real ones."""
    return Num(None, (), part.boxed) if isinstance(part, Num) and part.dims == () and part.is_complex else part


def _row(ct: Kind) -> Kind:
    given = as_num(ct)
    return Num(given.dtype, given.dims and given.dims[1:]) if isinstance(given, Num) else ANY


def restacked_kind(parts: Kind, like: Kind) -> Kind:
    """`restack(parts, like)`: parts that are one array already stay as they are."""
    if isinstance(parts, (Lst, Tup)):
        whole = leaf(like)
        return Num(whole.dtype, whole.dims, True)
    given, model = as_num(parts), as_num(like)
    if isinstance(given, Num) and isinstance(model, Num) and model.dims:
        return Num(NUMPY_NAMES.get(given.dtype or "", given.dtype), model.dims, True)
    return given if isinstance(given, Num) else ANY


def sequence_of_kind(item: Kind | None, like: Kind) -> Kind:
    """`regroup(parts, like)` for parts that have this in common."""
    if isinstance(like, Lst):
        return Lst(item)
    if isinstance(like, Tup):
        items = (item or ANY,) * len(like.items)
        return Named(items, like.cls) if isinstance(like, Named) else Tup(items)
    if isinstance(like, Num) and like.boxed:
        return restacked_kind(Lst(item), like)
    return ANY


def regrouped_kind(parts: Kind, like: Kind) -> Kind:
    if isinstance(parts, Tup) and isinstance(like, Tup) and len(parts.items) == len(like.items):
        return Named(parts.items, like.cls) if isinstance(like, Named) else Tup(parts.items)
    return sequence_of_kind(item_kind(parts), like)


def picked_kind(items: Kind, positions: Kind, like: Kind) -> Kind:
    """Items in another order, in the type of `like`."""
    return sequence_of_kind(item_kind(items), like)


# --- joining and splitting -------------------------------------------------------------------------------

def split_like_kind(ct: Kind, arrays: Kind, axis: Kind | None = None) -> Kind:
    """A part for each array, in its shape; a stack of them where the arrays are stacked."""
    given = as_num(ct)
    if not isinstance(given, Num):
        raise Unknown
    piece = Num(given.dtype)
    if isinstance(arrays, Tup):
        return Lst(common(_piece(piece, item) for item in arrays.items))
    if isinstance(arrays, Lst) and arrays.item is not None:
        return Lst(_piece(piece, arrays.item))
    model = as_num(arrays)
    if isinstance(model, Num) and model.boxed:
        return Num(real_like(given.dtype, model), model.dims, True)
    raise Unknown


def _piece(piece: Num, item: Kind) -> Kind:
    part = taken_apart_kind(piece, item)
    if isinstance(part, Num) and part.dtype is None and piece.is_complex is False:
        return Num(piece.dtype, part.dims, part.boxed)
    return part


def join_like_kind(parts: Kind, like: Kind, axis: Kind | None = None) -> Kind:
    model = as_num(like)
    try:
        dtype = promoted(elements(parts)[1])
    except Unknown:
        dtype = None
    return Num(dtype, model.dims, True) if isinstance(model, Num) else ANY


def block_kind(arrays: Kind) -> Kind:
    """As many axes as the lists are deep, or as any of the arrays has."""
    depth, found = 0, []
    rows = [arrays]
    while any(isinstance(row, (Lst, Tup)) for row in rows):
        depth += 1
        rows = [item for row in rows for item in (row.items if isinstance(row, Tup) else [getattr(row, "item", row)])]
        if None in rows:
            raise Unknown
    found = [leaf(item) for item in rows]
    if any(item.dims is None for item in found):
        return Num(promoted(found), None, True)
    rank = max(depth, *(len(item.dims or ()) for item in found))
    return Num(promoted(found), found[0].dims if depth == 0 else (None,) * rank, True)


def unblock_kind(ct: Kind, arrays: Kind) -> Kind:
    if isinstance(arrays, Tup):
        raise Unknown                                         # np.block takes lists only
    if isinstance(arrays, Lst):
        return Lst(arrays.item and unblock_kind(ct, arrays.item))
    given = as_num(ct)
    return reshaped_kind(Num(given.dtype) if isinstance(given, Num) else ANY, arrays)


def as_lists_kind(x: Kind) -> Kind:
    """`x.tolist()`: Python's numbers."""
    model = leaf(x)
    names = {"f": "pyfloat", "c": "pycomplex", "i": "pyint", "u": "pyint", "b": "pybool"}
    kind: Kind = Num(names.get(np.dtype(model.dtype).kind) if model.dtype else None, (), False)
    if model.dims is None:
        raise Unknown
    for _ in model.dims:
        kind = Lst(kind)
    return kind

# --- joining --------------------------------------------------------------------------------------------

@rule(np.concatenate, tangent="linear", parameters=("arrays", "axis", "out"), selects=(0,), joins=True, real="kept",
      kind=concatenate_kind, samples=[
    sample([REAL(2), REAL(3)]), sample((REAL(2, 3), REAL(1, 3))), sample([REAL(2, 3), REAL(2, 1)], axis=1),
    sample([REAL(2, 3), REAL(2, 1)], -1), sample([REAL(2, 3), REAL(4)], axis=None),
    sample([REAL(0), REAL(2)]), sample(REAL(2, 3, 4)), sample([REAL(3)]),
    sample([[REAL(), REAL()], REAL(3)]), sample([COMPLEX(2), REAL(2)])])
def concatenate(ct, out, arrays, axis=0):
    return split_like(ct, arrays, axis)


@rule(np.stack, tangent="linear", selects=(0,), joins=True, real="kept", kind=stack_kind, samples=[
    sample([REAL(), REAL()]), sample([REAL(3), REAL(3)]), sample((REAL(3), REAL(3)), axis=1),
    sample([REAL(2, 3)] * 2, axis=-1), sample([REAL(2, 3)] * 2, -2), sample(REAL(2, 3), axis=1),
    sample([REAL(0)])])
def stack(ct, out, arrays, axis=0):
    if axis == 0:
        return unstack(ct, arrays)
    return unstack(np.moveaxis(ct, axis, 0), arrays)


@rule(*available(np, "vstack", "row_stack"), tangent="linear", selects=(0,), joins=True, real="kept", kind=vstack_kind, samples=[
    sample([REAL(3), REAL(3)]), sample((REAL(2, 3), REAL(3))), sample([REAL(2, 3, 2)] * 2),
    sample([REAL(), REAL()]), sample(REAL(2, 3))])
def vstack(ct, out, tup):
    return split_like(ct, tup, 0)


@rule(np.hstack, tangent="linear", selects=(0,), joins=True, real="kept", kind=hstack_kind, samples=[
    sample([REAL(3), REAL(2)]), sample((REAL(), REAL(2))), sample([REAL(2, 3), REAL(2, 1)]),
    sample([REAL(2, 3, 2)] * 2), sample(REAL(2, 3))])
def hstack(ct, out, tup):
    if ndim(out) == 1:
        return split_like(ct, tup, 0)
    if ndim(out) == 2:
        return split_like(ct, tup, 1)
    return split_like(ct, tup, min(np.ndim(ct) - 1, 1))


@rule(np.dstack, tangent="linear", joins=True, kind=dstack_kind, samples=[
    sample([REAL(3), REAL(3)]), sample((REAL(2, 3), REAL(2, 3))), sample([REAL(2, 3, 2), REAL(2, 3)]),
    sample([REAL(), REAL()])])
def dstack(ct, out, tup):
    return split_like(ct, tup, 2)


@rule(np.column_stack, tangent="linear", joins=True, real="kept", kind=column_stack_kind, samples=[
    sample([REAL(3), REAL(3)]), sample((REAL(3), REAL(3, 2))), sample([REAL(2, 3), REAL(2, 3)])])
def column_stack(ct, out, tup):
    return split_like(ct, tup, 1)


@rule(np.append, tangent="linear", kind=lambda arr, values, axis=Const(None): concatenate_kind(Tup((arr, values)), axis), samples=[
    sample(REAL(3), REAL()), sample(REAL(3), REAL(2)), sample(REAL(2, 2), REAL(2, 3)),
    sample(REAL(0), REAL()), sample(REAL(2, 3), REAL(1, 3), axis=0), sample(REAL(2, 3), REAL(2, 2), axis=-1),
    sample(REAL(3), [REAL(), REAL()])])
def append(ct, out, arr, values, axis=None):
    parts = split_like(ct, (arr, values), axis)
    return parts[0], parts[1]


@rule(np.block, tangent="linear", kind=block_kind, samples=[
    sample([REAL(3), REAL(2)]), sample([[REAL(2, 2), REAL(2, 3)], [REAL(1, 2), REAL(1, 3)]]),
    sample([[REAL(2), REAL(3)], [REAL(5)]]), sample([[REAL(), REAL()], [REAL(), REAL()]]),
    sample(REAL(2, 3))])
def block(ct, out, arrays):
    return unblock(ct, arrays)


@rule(np.insert, tangent="linear", kind=shapes.axis_resized(3), samples=[
    sample(REAL(3), 1, REAL()), sample(REAL(3), 1, REAL(2)), sample(REAL(3), [0, 2], REAL(2)),
    sample(REAL(3), -1, REAL()), sample(REAL(3), [2, 0], REAL(2)), sample(REAL(3), [0, 3], REAL()),
    sample(REAL(2, 2), 1, REAL()), sample(REAL(2, 3), 0, REAL(3), axis=0),
    sample(REAL(2, 3), 1, REAL(2), axis=1), sample(REAL(2, 3), 1, REAL(), axis=1),
    sample(REAL(2, 3), [0, 2], REAL(2, 2), axis=1), sample(REAL(2, 3), [1], REAL(2, 2), axis=-1),
    sample(REAL(2, 3), slice(0, 2), REAL(2), axis=1), sample(REAL(0), 0, REAL())])
def insert(ct, out, arr, obj, values, axis=None):
    new = new_positions(arr, obj, out, axis)
    if axis is None:
        return np.reshape(np.delete(ct, new), np.shape(arr)), None, unbroadcast(ct[new], values)
    inserted = np.moveaxis(np.take(ct, new, axis=axis), axis, insertion_axis(obj, axis))
    return np.delete(ct, new, axis=axis), None, unbroadcast(inserted, values)


# --- splitting: `ct` is a list ----------------------------------------------------------------------------

@rule(np.split, np.array_split, tangent="linear", splits="given", result="view", kind=split_kind, samples=[
    sample(REAL(4), 2), sample(REAL(5), [2]), sample(REAL(5), [1, 7]), sample(REAL(4, 3), 2),
    sample(REAL(3, 4), 2, axis=1), sample(REAL(3, 4), [1, 3], axis=-1), sample(REAL(4), np.array([1, 1])),
    sample(REAL(4), 1)])
def split(ct, out, ary, indices_or_sections, axis=0):
    return np.concatenate(ct, axis=axis)


@rule(np.hsplit, tangent="linear", splits=1, result="view", kind=split_at(1), samples=[
    sample(REAL(4), 2), sample(REAL(3, 4), 2), sample(REAL(2, 3, 2), [1])])
def hsplit(ct, out, ary, indices_or_sections):
    return np.hstack(ct)


@rule(np.vsplit, tangent="linear", splits=0, result="view", kind=split_at(0),
      samples=[sample(REAL(4, 3), 2), sample(REAL(3, 4, 2), [1])])
def vsplit(ct, out, ary, indices_or_sections):
    return np.concatenate(ct)


@rule(np.dsplit, tangent="linear", splits=2, result="view", kind=split_at(2),
      samples=[sample(REAL(2, 3, 4), 2), sample(REAL(1, 2, 3), [1])])
def dsplit(ct, out, ary, indices_or_sections):
    return np.concatenate(ct, axis=2)


@rule(*available(np, "unstack"), tangent="linear", result="view", kind=numpy_unstack_kind, samples=[
    sample(REAL(2)), sample(REAL(2, 3)), sample(REAL(2, 3), axis=1), sample(REAL(2, 3, 2), axis=-1)])
def numpy_unstack(ct, out, x, axis=0):
    return np.moveaxis(np.reshape(np.array(ct), np.moveaxis(x, axis, 0).shape), 0, axis)


@rule(np.delete, tangent="linear", drops="chosen", kind=shapes.axis_resized(2), samples=[
    sample(REAL(4), 1), sample(REAL(4), [0, -1]), sample(REAL(4), slice(1, 3)), sample(REAL(2, 3), 2),
    sample(REAL(2, 3), 1, axis=1), sample(REAL(4, 2), [1, 1, 3], axis=0), sample(REAL(4), []),
    sample(REAL(3), np.array([True, False, True])), sample(REAL(2, 3, 2), 0, axis=-2)])
def delete(ct, out, arr, obj, axis=None):
    return undelete(ct, arr, obj, axis)


# --- the helpers themselves -----------------------------------------------------------------------------

nondifferentiable(new_positions, kind=selection.positions_kind)
nondifferentiable(insertion_axis, kind=lambda obj, axis: INT)


@rule(unstack, tangent="linear", kind=taken_apart_kind, samples=[
    sample(COMPLEX(2), [1.0 + 1.0j, 1.0]),
    sample(REAL(2), [1.0, 1.0]), sample(REAL(2, 3), [np.zeros(3), np.zeros(3)]),
    sample(REAL(2, 2), [[1.0, 1.0], [1.0, 1.0]]), sample(REAL(2, 3), np.zeros((2, 3)))])
def unstack_rule(ct, out, y, like):
    return restack(ct, y)


@rule(restack, tangent="linear", kind=restacked_kind, samples=[
    sample([REAL(), REAL()], np.zeros(2)), sample([REAL(3), REAL(3)], np.zeros((2, 3))),
    sample(REAL(2), np.zeros(2)), sample([[REAL(), REAL()], REAL(2)], np.zeros((2, 2)))])
def restack_rule(ct, out, parts, like):
    return unstack(ct, parts)


@rule(split_like, tangent="linear", kind=split_like_kind, samples=[
    sample(REAL(5), [np.zeros(2), np.zeros(3)]), sample(REAL(2, 3), (np.zeros(3), np.zeros((1, 3)))),
    sample(REAL(2, 3), [np.zeros((2, 1)), np.zeros((2, 2))], -1),
    sample(REAL(5), [np.zeros((2, 2)), 1.0], None), sample(REAL(2, 4), [np.zeros(2), np.zeros((2, 3))], 1),
    sample(REAL(6, 2), np.zeros((2, 3, 2)))])
def split_like_rule(ct, out, y, arrays, axis=0):
    return join_like(ct, y, axis)


@rule(join_like, tangent="linear", kind=join_like_kind, samples=[
    sample([REAL(2), REAL(3)], np.zeros(5)), sample([REAL(3), REAL(1, 3)], np.zeros((2, 3))),
    sample([REAL(2), REAL(2, 3)], np.zeros((2, 4)), 1), sample([REAL(2, 2), REAL()], np.zeros(5), None)])
def join_like_rule(ct, out, parts, like, axis=0):
    return split_like(ct, parts, axis)


@rule(unblock, tangent="linear", kind=unblock_kind, samples=[
    sample(REAL(3, 2), [[np.zeros((1, 2))], [np.zeros((2, 2))]]),
    sample(REAL(2, 2), [[1.0, 1.0], [1.0, 1.0]])])
def unblock_rule(ct, out, y, arrays):
    return np.block(ct)


@rule(undelete, tangent="linear", kind=shapes.shaped_as(1), samples=[
    sample(REAL(3), np.zeros(4), 1), sample(REAL(2, 2), np.zeros((2, 3)), 1, axis=1),
    sample(REAL(5), np.zeros((2, 3)), 2)])
def undelete_rule(ct, out, y, x, obj, axis=None):
    return np.delete(ct, obj, axis=axis)
