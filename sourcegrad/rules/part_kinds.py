"""Kinds of arrays taken apart into lists, and of what is put together from lists; conventions as in `array_kinds`."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sourcegrad.kinds import ANY, Kind, Lst, Named, Num, Tup, as_num, broadcast, common
from sourcegrad.kinds.results import Unknown
from sourcegrad.rules.array_kinds import NUMPY_NAMES, elements, leaf, promoted, value
from sourcegrad.rules.container_kinds import item_kind
from sourcegrad.rules.result_kinds import real_like


def reshaped(ct: Kind, x: Kind) -> Kind:
    """`reshape_like(ct, x)`: real where x is."""
    given, model = as_num(ct), as_num(x)
    if not isinstance(model, Num) or not isinstance(given, Num):
        return ANY
    dtype = real_like(given.dtype, model)
    if model.dims is None or given.dims is None:                              # a number may stay one of Python
        dtype = None if dtype in NUMPY_NAMES else dtype
    if model.dims == () and given.is_scalar:
        return Num(dtype if given.dtype not in NUMPY_NAMES or dtype == given.dtype else None, (), False)
    return value(NUMPY_NAMES.get(dtype or "", dtype), model.dims)


def taken_apart(ct: Kind, like: Kind) -> Kind:
    """`unstack(ct, like)`: lists as those of `like`."""
    if isinstance(like, Lst):
        return Lst(like.item and _one_of_many(taken_apart(_row(ct), like.item)))
    if isinstance(like, Tup):
        return Lst(common(taken_apart(_row(ct), item) for item in like.items))
    return reshaped(ct, like)


def _one_of_many(part: Kind) -> Kind:
    """What is known of each part: among complex numbers may be real ones."""
    return Num(None, (), part.boxed) if isinstance(part, Num) and part.dims == () and part.is_complex else part


def _row(ct: Kind) -> Kind:
    given = as_num(ct)
    return Num(given.dtype, given.dims and given.dims[1:]) if isinstance(given, Num) else ANY


def restacked(parts: Kind, like: Kind) -> Kind:
    """`restack(parts, like)`: parts that are one array already stay as they are."""
    if isinstance(parts, (Lst, Tup)):
        whole = leaf(like)
        return Num(whole.dtype, whole.dims, True)
    given, model = as_num(parts), as_num(like)
    if isinstance(given, Num) and isinstance(model, Num) and model.dims:
        return Num(NUMPY_NAMES.get(given.dtype or "", given.dtype), model.dims, True)
    return given if isinstance(given, Num) else ANY


def sequence_of(item: Kind | None, like: Kind) -> Kind:
    """`regroup(parts, like)` for parts that have this in common."""
    if isinstance(like, Lst):
        return Lst(item)
    if isinstance(like, Tup):
        items = (item or ANY,) * len(like.items)
        return Named(items, like.cls) if isinstance(like, Named) else Tup(items)
    if isinstance(like, Num) and like.boxed:
        return restacked(Lst(item), like)
    return ANY


def regrouped(parts: Kind, like: Kind) -> Kind:
    if isinstance(parts, Tup) and isinstance(like, Tup) and len(parts.items) == len(like.items):
        return Named(parts.items, like.cls) if isinstance(like, Named) else Tup(parts.items)
    return sequence_of(item_kind(parts), like)


def picked(items: Kind, positions: Kind, like: Kind) -> Kind:
    """Items in another order, in the type of `like`."""
    return sequence_of(item_kind(items), like)


def each(function: Callable) -> Callable:
    """`[function(part, other) for part, other in zip(parts, others)]`, from the kind function of the function."""
    def kind(parts: Kind, others: Kind, *more: Kind, **options: Kind) -> Kind:
        if isinstance(parts, Tup) and isinstance(others, Tup) and len(parts.items) == len(others.items):
            pairs = [*zip(parts.items, others.items)]
        else:
            one, other = item_kind(parts), item_kind(others)
            pairs = [(one, other)] if one and other else []
        return Lst(common(function(*pair) for pair in pairs) if pairs else ANY)
    return kind


# --- joining and splitting -------------------------------------------------------------------------------

def split_like(ct: Kind, arrays: Kind, axis: Kind | None = None) -> Kind:
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
    part = taken_apart(piece, item)
    if isinstance(part, Num) and part.dtype is None and piece.is_complex is False:
        return Num(piece.dtype, part.dims, part.boxed)
    return part


def join_like(parts: Kind, like: Kind, axis: Kind | None = None) -> Kind:
    model = as_num(like)
    try:
        dtype = promoted(elements(parts)[1])
    except Unknown:
        dtype = None
    return Num(dtype, model.dims, True) if isinstance(model, Num) else ANY


def block(arrays: Kind) -> Kind:
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


def unblock(ct: Kind, arrays: Kind) -> Kind:
    if isinstance(arrays, Tup):
        raise Unknown                                         # np.block takes lists only
    if isinstance(arrays, Lst):
        return Lst(arrays.item and unblock(ct, arrays.item))
    given = as_num(ct)
    return reshaped(Num(given.dtype) if isinstance(given, Num) else ANY, arrays)


def choose(a: Kind, choices: Kind, *_: Kind, **__: Kind) -> Kind:
    count, items = elements(choices)
    dims = broadcast(leaf(a).dims, *(item.dims for item in items))
    return value(promoted(items), dims)


def choose_parts(ct: Kind, a: Kind, choices: Kind, *_: Kind, **__: Kind) -> Kind:
    """A list of parts shaped as the choices; one array where they are the rows of an array."""
    given = as_num(ct)
    model = as_num(choices)
    if isinstance(model, Num):
        return Num(None, model.dims, True) if model.boxed else ANY
    dtype = given.dtype if isinstance(given, Num) and given.dtype in ("float64", "complex128") else None
    parts = choices.items if isinstance(choices, Tup) else [choices.item] if isinstance(choices, Lst) else []
    shapes = [as_num(part) for part in parts if part is not None]
    return Lst(common(Num(real_like(dtype, part), part.dims, True if part.dims else None) if isinstance(part, Num) else ANY
                      for part in shapes))


def unmeshed(ct: Kind, x: Kind) -> Kind:
    given = as_num(ct)
    return reshaped(Num(given.dtype) if isinstance(given, Num) else ANY, x)


def as_lists(x: Kind) -> Kind:
    """`x.tolist()`: Python's numbers."""
    model = leaf(x)
    names = {"f": "pyfloat", "c": "pycomplex", "i": "pyint", "u": "pyint", "b": "pybool"}
    kind: Kind = Num(names.get(np.dtype(model.dtype).kind) if model.dtype else None, (), False)
    if model.dims is None:
        raise Unknown
    for _ in model.dims:
        kind = Lst(kind)
    return kind
