"""Rules of functions that make arrays: from numbers, from lists, from other arrays."""
from __future__ import annotations

import math

import numpy as np

from sourcegrad.rules import array_kinds as kinds, shape_kinds
from sourcegrad.rules.core import COMPLEX, POSITIVE, REAL, available, conj, ndim, rule, sample
from sourcegrad.runtime import cast_back, restack, unbroadcast, unstack


@rule(np.full, kind=kinds.full, samples=[
    sample(3, REAL()), sample((2, 3), REAL()), sample((2, 3), REAL(3)), sample((), REAL()),
    sample((0,), REAL())])
def full(ct, out, shape, fill_value, dtype=None):
    if ndim(fill_value) == 0:
        return None, np.sum(ct)
    return None, unbroadcast(ct, fill_value)


@rule(np.full_like, kind=kinds.full_like, samples=[
    sample(np.ones(3), REAL()), sample(np.ones((2, 3)), REAL(3)), sample(1.0, REAL())])
def full_like(ct, out, a, fill_value, dtype=None):
    if ndim(fill_value) == 0:
        return None, np.sum(ct)
    return None, unbroadcast(ct, fill_value)


# --- sequences ------------------------------------------------------------------------------------------

@rule(np.arange, kind=kinds.arange, samples=[
    sample(REAL()), sample(REAL(), 5.3), sample(REAL(), 5.3, POSITIVE()), sample(0.0, 4.7, POSITIVE())])
def arange(ct, out, start, stop=None, step=1):
    """out[k] = start + k step; the length is constant, so `stop` has no influence."""
    if stop is None:
        return None
    return np.sum(ct), None, np.dot(ct, np.arange(len(ct), dtype=ct.dtype))


@rule(np.linspace, kind=kinds.linspace, samples=[
    sample(REAL(), REAL()), sample(REAL(), REAL(), 5), sample(REAL(), REAL(), 5, endpoint=False),
    sample(REAL(), REAL(), 1), sample(REAL(3), REAL(3), 4), sample(REAL(3), REAL(), 4, axis=1),
    sample(REAL(2, 1), REAL(3), 4, axis=-1), sample(REAL(), REAL(), 0)])
def linspace(ct, out, start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """out[k] = (1 - w[k]) start + w[k] stop, with weights w from 0 to 1"""
    weights = np.linspace(0.0, 1.0, num, endpoint=endpoint, dtype=ct.dtype)
    along = np.moveaxis(ct, axis, -1)
    return unbroadcast(along @ (1.0 - weights), start), unbroadcast(along @ weights, stop)


@rule(np.logspace, kind=kinds.logspace, samples=[
    sample(REAL(), REAL(), 4), sample(REAL(), REAL(), 4, endpoint=False, base=2.0),
    sample(REAL(2), REAL(2), 3, axis=1)])
def logspace(ct, out, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """out[k] = base ** ((1 - w[k]) start + w[k] stop)"""
    weights = np.linspace(0.0, 1.0, num, endpoint=endpoint, dtype=ct.dtype)
    along = math.log(base) * np.moveaxis(ct * conj(out), axis, -1)
    return unbroadcast(along @ (1.0 - weights), start), unbroadcast(along @ weights, stop)


@rule(np.geomspace, kind=kinds.spaced, singular=True, samples=[
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


@rule(np.array, kind=kinds.converted, samples=[
    *CONVERSIONS, sample(REAL(3), ndmin=2), sample([REAL()], ndmin=2)])
def array(ct, out, object, dtype=None, copy=True, order="K", subok=False, ndmin=0):
    if ndmin != 0:
        return cast_back(np.reshape(ct, np.shape(object)), object, ct.dtype)
    if dtype is not None:
        return cast_back(ct, object, dtype)
    if ndim(object) is not None:
        return ct
    return unstack(ct, object)


@rule(np.asarray, np.asanyarray, kind=kinds.converted, samples=CONVERSIONS)
def asarray(ct, out, a, dtype=None, order=None, copy=None):
    if dtype is not None:
        return cast_back(ct, a, dtype)
    if ndim(a) is not None:
        return ct
    return unstack(ct, a)


@rule(np.asarray_chkfinite, kind=kinds.converted, samples=CONVERSIONS)
def asarray_chkfinite(ct, out, a, dtype=None, order=None):
    if dtype is not None:
        return cast_back(ct, a, dtype)
    if ndim(a) is not None:
        return ct
    return unstack(ct, a)


@rule(np.ascontiguousarray, np.asfortranarray, kind=kinds.contiguous, samples=[
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


@rule(np.copy, kind=kinds.copied, samples=[
    sample(REAL()), sample(REAL(3)), sample(REAL(2, 3), order="F"), *FROM_LISTS])
def copy(ct, out, a, order="K", subok=False):
    if ndim(a) is not None:
        return ct
    return unstack(ct, a)


@rule(*available(np, "astype"), kind=kinds.converted, samples=[
    sample(REAL(3), float), sample(REAL(2, 3), np.complex128)])
def astype(ct, out, x, dtype, copy=True):
    return cast_back(ct, x, dtype)


@rule(np.fromiter, kind=kinds.from_iterable, samples=[
    sample([REAL(), REAL()], float), sample(REAL(3), dtype=float)])
def fromiter(ct, out, iter, dtype):
    return cast_back(ct, iter, dtype)


@rule(cast_back, kind=shape_kinds.cast_back, samples=[
    sample(REAL(3), np.zeros(3), float), sample(REAL(2), [1.0, 1.0], float), sample(REAL(), 1.0, float),
    sample(COMPLEX(2), np.zeros(2), complex), sample(REAL(2), np.zeros(2), int)])
def cast_back_rule(ct, out, y, x, dtype):
    return cast_back(restack(ct, y), y, dtype)
