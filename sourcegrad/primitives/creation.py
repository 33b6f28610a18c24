"""Rules of functions that make arrays: from numbers, from lists, from other arrays."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from sourcegrad.kinds import Const, Kind, Num, as_num, broadcast, less
from sourcegrad.kinds.results import NUMPY_NAMES, Unknown, _shape_or_none, _size, asked_dtype, constant, fresh, leaf
from sourcegrad.primitives import shapes
from sourcegrad.primitives.core import COMPLEX, POSITIVE, REAL, available, conj, describe, ndim, rule, sample
from sourcegrad.runtime import cast_back, restack, unbroadcast, unstack

# --- creation -------------------------------------------------------------------------------------------

def filled_kind(shape: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    return fresh(asked_dtype(dtype, "float64"), _shape_or_none(shape))


def full_kind(shape: Kind, fill_value: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    fill = as_num(fill_value)
    own = NUMPY_NAMES.get(fill.dtype or "", fill.dtype) if isinstance(fill, Num) else None
    return fresh(asked_dtype(dtype, own), _shape_or_none(shape))


def filled_like_kind(a: Kind, dtype: Kind | None = None, order: Kind | None = None, subok: Kind | None = None,
                shape: Kind | None = None, **others: Kind) -> Kind:
    model = leaf(a)
    dims = model.dims if shape is None or shape == Const(None) else _shape_or_none(shape)
    return fresh(asked_dtype(dtype, model.dtype), dims)


def eye_kind(N: Kind, M: Kind | None = None, k: Kind | None = None, dtype: Kind | None = None,
        **others: Kind) -> Kind:
    rows = _shape_or_none(N) or (None,)
    columns = rows if M is None or M == Const(None) else _shape_or_none(M) or (None,)
    return fresh(asked_dtype(dtype, "float64"), rows[:1] + columns[:1])


def arange_kind(*limits: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    if len(limits) > 3:
        limits, dtype = limits[:3], limits[3]
    nums = [as_num(limit) for limit in (*limits, *others.values())]
    dtypes = {num.dtype if isinstance(num, Num) else None for num in nums}
    if dtypes <= {"pyint"}:
        own: str | None = NUMPY_NAMES["pyint"]
    elif dtypes & {"pyfloat", "float64"} and dtypes <= {"pyint", "int64", "pyfloat", "float64"}:
        own = "float64"
    else:
        own = None
    counted = not others and own == NUMPY_NAMES["pyint"]
    return fresh(asked_dtype(dtype, own), (_count(limits) if counted else None,))


def _count(limits: tuple[Kind, ...]) -> Any:
    """How long np.arange(n), np.arange(1, n) or np.arange(n, -1, -1) is; None where that is not known."""
    ends = [limit.value if isinstance(limit, Const) and type(limit.value) is int else None for limit in limits]
    if len(limits) == 1:
        return _size(limits[0])
    if ends[1:] == [-1, -1]:
        return less(_size(limits[0]), -1)
    if ends[0] is not None and ends[0] >= 0 and (len(limits) == 2 or ends[2] == 1):
        return less(_size(limits[1]), ends[0])
    return None


def spaced_kind(start: Kind, stop: Kind, num: Kind | None = None, endpoint: Kind | None = None,
           dtype: Kind | None = None, axis: Kind | None = None, **others: Kind) -> Kind:
    """linspace, logspace, geomspace."""
    if others.get("retstep", Const(False)) != Const(False):
        raise Unknown
    first, last = leaf(start), leaf(stop)
    shape = broadcast(first.dims, last.dims)
    count = 50 if num is None else _size(num)
    if shape:
        place = 0 if axis is None else constant(axis) % (len(shape) + 1)
        dims: tuple | None = shape[:place] + (count,) + shape[place:]
    else:
        dims = None if shape is None else (count,)
    plain = {first.dtype, last.dtype} <= {"float64", NUMPY_NAMES["pyint"]}
    return fresh(asked_dtype(dtype, "float64" if plain else None), dims)


def linspace_kind(start: Kind, stop: Kind, num: Kind | None = None, endpoint: Kind | None = None,
             retstep: Kind = Const(False), dtype: Kind | None = None, axis: Kind | None = None,
             **others: Kind) -> Kind:
    return spaced_kind(start, stop, num, endpoint, dtype, axis, retstep=retstep, **others)


def logspace_kind(start: Kind, stop: Kind, num: Kind | None = None, endpoint: Kind | None = None,
             base: Kind | None = None, dtype: Kind | None = None, axis: Kind | None = None,
             **others: Kind) -> Kind:
    return spaced_kind(start, stop, num, endpoint, dtype, axis, **others)


def converted_kind(a: Kind | None = None, dtype: Kind | None = None, **others: Kind) -> Num:
    """array, asarray, copy, astype."""
    if "ndmin" in others:
        raise Unknown
    try:
        model = leaf(others.get("object", others.get("x", a)))
    except Unknown:
        model = Num()
    return fresh(asked_dtype(dtype, model.dtype), model.dims)


def contiguous_kind(a: Kind, dtype: Kind | None = None, **others: Kind) -> Kind:
    """ascontiguousarray, asfortranarray: never without axes."""
    model = converted_kind(a, dtype)
    return fresh(model.dtype, (1,) if model.dims == () else model.dims)


@rule(np.full, tangent="linear", kind=full_kind, samples=[
    sample(3, REAL()), sample((2, 3), REAL()), sample((2, 3), REAL(3)), sample((), REAL()),
    sample((0,), REAL())])
def full(ct, out, shape, fill_value, dtype=None):
    if ndim(fill_value) == 0:
        return None, np.sum(ct)
    return None, unbroadcast(ct, fill_value)


@rule(np.full_like, tangent="linear", real="kept",
      kind=lambda a, fill_value, dtype=None, *options, **others: filled_like_kind(a, dtype, *options, **others), samples=[
    sample(np.ones(3), REAL()), sample(np.ones((2, 3)), REAL(3)), sample(1.0, REAL())])
def full_like(ct, out, a, fill_value, dtype=None):
    if ndim(fill_value) == 0:
        return None, np.sum(ct)
    return None, unbroadcast(ct, fill_value)


# --- sequences ------------------------------------------------------------------------------------------

@rule(np.arange, kind=arange_kind, samples=[
    sample(REAL()), sample(REAL(), 5.3), sample(REAL(), 5.3, POSITIVE()), sample(0.0, 4.7, POSITIVE())])
def arange(ct, out, start, stop=None, step=1):
    """out[k] = start + k step; the length is constant, so `stop` has no influence."""
    if stop is None:
        return None
    return np.sum(ct), None, np.dot(ct, np.arange(len(ct), dtype=ct.dtype))


@rule(np.linspace, tangent="linear", order="other", kind=linspace_kind, samples=[
    sample(REAL(), REAL()), sample(REAL(), REAL(), 5), sample(REAL(), REAL(), 5, endpoint=False),
    sample(REAL(), REAL(), 1), sample(REAL(3), REAL(3), 4), sample(REAL(3), REAL(), 4, axis=1),
    sample(REAL(2, 1), REAL(3), 4, axis=-1), sample(REAL(), REAL(), 0)])
def linspace(ct, out, start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """out[k] = (1 - w[k]) start + w[k] stop, with weights w from 0 to 1"""
    weights = np.linspace(0.0, 1.0, num, endpoint=endpoint, dtype=ct.dtype)
    along = np.moveaxis(ct, axis, -1)
    return unbroadcast(along @ (1.0 - weights), start), unbroadcast(along @ weights, stop)


@rule(np.logspace, order="other", kind=logspace_kind, samples=[
    sample(REAL(), REAL(), 4), sample(REAL(), REAL(), 4, endpoint=False, base=2.0),
    sample(REAL(2), REAL(2), 3, axis=1)])
def logspace(ct, out, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """out[k] = base ** ((1 - w[k]) start + w[k] stop)"""
    weights = np.linspace(0.0, 1.0, num, endpoint=endpoint, dtype=ct.dtype)
    along = math.log(base) * np.moveaxis(ct * conj(out), axis, -1)
    return unbroadcast(along @ (1.0 - weights), start), unbroadcast(along @ weights, stop)


@rule(np.geomspace, order="other", kind=spaced_kind, singular=True, samples=[
    sample(POSITIVE(), POSITIVE(), 4), sample(POSITIVE(), POSITIVE(), 4, endpoint=False),
    sample(POSITIVE(2), POSITIVE(2), 3, axis=-1)])
def geomspace(ct, out, start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """out[k] = start ** (1 - w[k]) * stop ** w[k]"""
    weights = np.linspace(0.0, 1.0, num, endpoint=endpoint, dtype=ct.dtype)
    along = np.moveaxis(ct * conj(out), axis, -1)
    return (unbroadcast(along @ (1.0 - weights) / conj(start), start),
            unbroadcast(along @ weights / conj(stop), stop))


# --- conversion -----------------------------------------------------------------------------------------

FROM_LISTS = [
    sample([REAL(), REAL()]), sample((REAL(3), REAL(3))), sample([[REAL(), REAL()], [REAL(), REAL()]]),
    sample([[REAL(2)], [REAL(2)]]), sample([(REAL(), REAL()), REAL(2)])]
CONVERSIONS = [
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 0)), sample(REAL(3), dtype=np.float64),
    sample(REAL(3), dtype="complex128"), sample(COMPLEX(3)), *FROM_LISTS,
    sample([REAL(), REAL()], dtype=float)]


@rule(np.array, tangent="linear", selects=(0,), joins=True, unless=("copy", 99), real="kept", kind=converted_kind, samples=[
    *CONVERSIONS, sample(REAL(3), ndmin=2), sample([REAL()], ndmin=2)])
def array(ct, out, object, dtype=None, copy=True, order="K", subok=False, ndmin=0):
    if ndmin != 0:
        return cast_back(np.reshape(ct, np.shape(object)), object, ct.dtype)
    if dtype is not None:
        return cast_back(ct, object, dtype)
    if ndim(object) is not None:
        return ct
    return unstack(ct, object)


describe(np.ascontiguousarray, order="rows", itself=0)
describe(np.asarray, selects=(0,), joins=True)
describe(np.asfortranarray, order="other")


@rule(np.asarray, np.asanyarray, tangent="linear", itself=0, result="may view", real="kept", kind=converted_kind,
      samples=CONVERSIONS)
def asarray(ct, out, a, dtype=None, order=None, copy=None):
    if dtype is not None:
        return cast_back(ct, a, dtype)
    if ndim(a) is not None:
        return ct
    return unstack(ct, a)


@rule(np.asarray_chkfinite, tangent="linear", result="may view", kind=converted_kind, samples=CONVERSIONS)
def asarray_chkfinite(ct, out, a, dtype=None, order=None):
    if dtype is not None:
        return cast_back(ct, a, dtype)
    if ndim(a) is not None:
        return ct
    return unstack(ct, a)


@rule(np.ascontiguousarray, np.asfortranarray, tangent="linear", result="may view", real="kept", kind=contiguous_kind, samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3)), sample(REAL(2, 3), dtype=float),
    sample([REAL(), REAL()])])
def ascontiguousarray(ct, out, a, dtype=None):
    if ndim(a) == 0:
        return np.sum(ct)
    if dtype is not None:
        return cast_back(ct, a, dtype)
    if ndim(a) is not None:
        return ct
    return unstack(ct, a)


@rule(np.copy, tangent="linear", selects=(0,), linear=True, real="kept", kind=lambda a, order=None, **others: converted_kind(a),
      samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3), order="F"), *FROM_LISTS])
def copy(ct, out, a, order="K", subok=False):
    if ndim(a) is not None:
        return ct
    return unstack(ct, a)


@rule(*available(np, "astype"), tangent="linear", unless=("copy", 99), kind=converted_kind, samples=[
    sample(REAL(3), float), sample(REAL(2, 3), np.complex128)])
def astype(ct, out, x, dtype, copy=True):
    return cast_back(ct, x, dtype)


@rule(np.fromiter, tangent="linear", iterates=True, kind=lambda iter, dtype, **others: fresh(asked_dtype(dtype, None), (None,)),
      samples=[
    sample([REAL(), REAL()], float), sample(REAL(3), dtype=float)])
def fromiter(ct, out, iter, dtype):
    return cast_back(ct, iter, dtype)


@rule(cast_back, tangent="linear", kind=shapes.cast_back_kind, samples=[
    sample(REAL(3), np.zeros(3), float), sample(REAL(2), [1.0, 1.0], float), sample(REAL(), 1.0, float),
    sample(COMPLEX(2), np.zeros(2), complex), sample(REAL(2), np.zeros(2), int)])
def cast_back_rule(ct, out, y, x, dtype):
    return cast_back(restack(ct, y), y, dtype)
