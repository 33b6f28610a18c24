"""Kinds of differences, order statistics and of the helpers of reductions; conventions as in `result_kinds`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import INT, Const, Kind, Num, as_num, less, times
from sourcegrad.kinds.results import Unknown, constant
from sourcegrad.rules.array_kinds import leaf
from sourcegrad.rules.result_kinds import array, dtype_of, normalized, numeric, reduced_dims, together


def _lengthened(dims: tuple | None, axis: Kind, amount: int | None) -> tuple | None:
    """Dimensions of which one has become longer by an amount (None: by some)."""
    if dims is None:
        return None
    (place,) = normalized(constant(axis), len(dims))
    return dims[:place] + (None if amount is None else less(dims[place], -amount),) + dims[place + 1:]


def _times(n: Kind) -> int | None:
    return n.value if isinstance(n, Const) and type(n.value) is int else None


# --- differences and neighbours --------------------------------------------------------------------------

def diff(a: Kind, n: Kind = Const(1), axis: Kind = Const(-1), prepend: Kind = Const(None), append: Kind = Const(None)) -> Kind:
    values = numeric(a)
    count = _times(n)
    added = [leaf(other) for other in (prepend, append) if other != Const(None)]
    dtype = dtype_of(np.diff, Num(values.dtype, (1,), True)) if not added else None if values.dims is None else together(
        *(Num(num.dtype, (1,), True) for num in (values, *added)))
    dims = _lengthened(values.dims, axis, None if count is None or added else -count)
    if count == 0:
        return array(values.dtype, values.dims)
    return Num(dtype, dims, True)


def diff_adjoint(ct: Kind, n: Kind, axis: Kind, size: Kind) -> Kind:
    values = numeric(ct)
    return array(values.dtype, _lengthened(values.dims, axis, None))                    # (of no elements, less longer)


def pair_sums(y: Kind, axis: Kind) -> Kind:
    values = leaf(y)
    return Num(values.dtype, _lengthened(values.dims, axis, -1), True)


def pair_sums_adjoint(ct: Kind, axis: Kind, size: Kind) -> Kind:
    values = leaf(ct)
    return Num(values.dtype, _lengthened(values.dims, axis, None), True)                # (of no elements, no longer)


def slice_along(x: Kind, start: Kind, stop: Kind, axis: Kind) -> Kind:
    values = numeric(x)
    if values.dims is None:
        return values
    (place,) = normalized(constant(axis), len(values.dims))
    bounds = [bound.value if isinstance(bound, Const) else None for bound in (start, stop)]
    size = values.dims[place]
    known = isinstance(size, int) and None not in bounds
    part = len(range(size)[slice(*bounds)]) if known else None
    return array(values.dtype, values.dims[:place] + (part,) + values.dims[place + 1:])


def trapezoid(y: Kind, x: Kind = Const(None), dx: Kind = Const(1.0), axis: Kind = Const(-1)) -> Kind:
    values = leaf(y)
    if x != Const(None):
        points = leaf(x)
        steps = Num(points.dtype, points.dims and (1,) * len(points.dims), True)
    else:
        steps = numeric(dx)
    dims = reduced_dims(values.dims, axis, None)
    return array(dtype_of(_areas, Num(values.dtype, values.dims and (1,) * len(values.dims), True), steps), dims)


def _areas(y: Any, steps: Any) -> Any:
    return (steps * (y + y) / 2.0).sum()


# --- order statistics ------------------------------------------------------------------------------------

def quantile(function: Callable) -> Callable:
    """Kind function of `np.quantile(a, q, axis, keepdims=False)` and its like: one q, or an axis of them in front."""

    def along(a: Any, q: Any) -> Any:
        return function(a, q, axis=0)

    def kind(a: Kind, q: Kind, axis: Kind | None = None, *more: Kind, keepdims: Kind | None = None, **others: Kind) -> Kind:
        values, places = leaf(a), numeric(q)
        if more or others or places.dims is None:
            raise Unknown
        dims = reduced_dims(values.dims, axis, keepdims)
        if dims is None:
            return Num(None, None)
        size = 2 if dims else 1                              # whether numbers or arrays come out matters to the dtype
        return array(dtype_of(along, Num(values.dtype, (1,) * size, True), places), (*places.dims, *dims))

    return kind


def value_at_quantile(x: Kind, a: Kind, q: Kind, axis: Kind | None = None) -> Kind:
    """An array, also where it has no axes."""
    values, places = leaf(x), numeric(q)
    dims = reduced_dims(numeric(a).dims, axis, None)
    return Num(dtype_of(_halved, Num(values.dtype, (1,), True)),
               None if places.dims is None or dims is None else (*places.dims, *dims), True)


def _halved(x: Any) -> Any:
    return 0.5 * x


def slope_at_quantile(x: Kind, a: Kind, q: Kind, axis: Kind | None = None) -> Kind:
    values, places = leaf(x), numeric(q)
    dims = reduced_dims(numeric(a).dims, axis, None)
    return Num(values.dtype, None if places.dims is None or dims is None else (*places.dims, *dims), True)


def sum_to_places(products: Kind, q: Kind) -> Kind:
    if numeric(q).dims != ():
        raise Unknown
    return array(leaf(products).dtype, ())


def product_of_others(a: Kind, axis: Kind | None = None) -> Kind:
    """That of integers is a fraction, or integer where there are zeros."""
    values = numeric(a)
    return array(None if values.is_discrete else values.dtype, values.dims)


# --- rows ------------------------------------------------------------------------------------------------

def as_rows(x: Kind, axis: Kind) -> Kind:
    values = leaf(x)
    if values.dims is None:
        raise Unknown
    axes = normalized(constant(axis), len(values.dims))
    kept = tuple(dim for k, dim in enumerate(values.dims) if k not in axes)
    return Num(values.dtype, (*kept, times(*(values.dims[k] for k in axes))), True)


def along_axis(values: Kind, a: Kind, axis: Kind) -> Kind:
    own, model = numeric(values), numeric(a)
    if own.dims is None or model.dims is None:
        return Num(own.dtype)
    if len(own.dims) == len(model.dims):
        return own
    axes = normalized(constant(axis), len(model.dims))
    return Num(own.dtype, tuple(dim if k in axes else 1 for k, dim in enumerate(model.dims)), True)


def axis_size(a: Kind, axis: Kind) -> Kind:
    """How many elements a reduction combines: a size, if it is one that is known."""
    values = as_num(a)
    try:
        if not isinstance(values, Num) or values.dims is None:
            return INT
        size = times(*(values.dims[k] for k in normalized(constant(axis), len(values.dims))))
    except Unknown:
        return INT
    return Const(size) if isinstance(size, int) else Num("pyint", (), False, size)
