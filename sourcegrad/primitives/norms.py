"""Norms of vectors and matrices, and condition numbers."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import Const, Kind, results
from sourcegrad.kinds.results import array, constant, dtype_of, numeric, reduced_dims
from sourcegrad.primitives.core import (
    COMPLEX,
    DISTINCT,
    LENGTH,
    NONZERO,
    POSITIVE,
    WELL_CONDITIONED,
    available,
    conj,
    is_complex,
    jvp,
    ndim,
    part,
    rule,
    sample,
)
from sourcegrad.primitives.linalg import COMPLEX_MATRIX, matrices
from sourcegrad.runtime import divide_or_zero, power_or_zero, refuse, route_to_extremum, signed_power, zeros_like

# --- kinds of results ------------------------------------------------------------------------------------

def norm_kind(x: Kind, ord: Kind = Const(None), axis: Kind | None = None, keepdims: Kind | None = None) -> Kind:
    value = numeric(x)
    return array(dtype_of(np.linalg.norm, value), reduced_dims(value.dims, axis, keepdims))


def matrix_norm_kind(x: Kind, keepdims: Kind | None = None, ord: Kind = Const("fro")) -> Kind:
    stack, batch, *_ = matrices(x)
    return array(dtype_of(np.linalg.norm, stack), (*batch, 1, 1) if constant(keepdims, False) else batch)


def cond_kind(x: Kind, p: Kind = Const(None)) -> Kind:
    stack, batch, *_ = matrices(x)
    return array(dtype_of(np.linalg.cond, stack), batch)


# --- norms ----------------------------------------------------------------------------------------------

VECTOR_ORDERS = (None, 1, 2, 3, 2.5, 0.5, -1.5, np.inf, -np.inf, 0)
MATRIX_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


@part
def vector_shares(spread, size, x, ord):
    """d size / dx of size = sum(|x|^ord)^(1/ord), times spread"""
    if ord == 1:
        return spread * signed_power(x, 0.0)
    if ord == 2:
        return divide_or_zero(spread, size) * x
    if ord == np.inf or ord == -np.inf:
        return route_to_extremum(spread, size, np.abs(x)) * signed_power(x, 0.0)
    if ord == 0:
        return zeros_like(x)
    return spread * power_or_zero(size, 1.0 - ord) * signed_power(x, ord - 1.0)


@rule(np.linalg.norm, range=LENGTH, real="always", kind=norm_kind, singular=True, samples=[
    *(sample(DISTINCT(4), p) for p in VECTOR_ORDERS), *(sample(DISTINCT(2, 3), p,
                                                               axis=-1) for p in VECTOR_ORDERS),
    *(sample(DISTINCT(2, 3), p, 0, keepdims=True) for p in VECTOR_ORDERS), sample(DISTINCT(2, 3, 2)),
    *(sample(WELL_CONDITIONED(3, 2), p) for p in MATRIX_ORDERS), sample(DISTINCT(3, 2), "nuc", keepdims=True),
    *(sample(WELL_CONDITIONED(2, 3, 4), p, (2, 0)) for p in MATRIX_ORDERS), sample(COMPLEX(3)),
    *(sample(WELL_CONDITIONED(2, 3, 4), p, (-2, -1), keepdims=True) for p in MATRIX_ORDERS),
    *(sample(COMPLEX(4), p) for p in (1, 3, np.inf, -np.inf)),
    *(sample(COMPLEX_MATRIX(3, 2), p) for p in MATRIX_ORDERS)])
def norm(ct, out, x, ord=None, axis=None, keepdims=False):
    """Gradient 0 where the norm is 0; equal maxima share."""
    if axis is None and (ord is None or ord == "fro"):
        return divide_or_zero(ct, out) * x
    if (ord is None or ord == "fro") and keepdims:
        return divide_or_zero(ct, out) * x
    if ord is None or ord == "fro":
        return np.expand_dims(divide_or_zero(ct, out), axis) * x
    if axis is None or keepdims:
        spread = ct
        size = out
    else:
        spread = np.expand_dims(ct, axis)
        size = np.expand_dims(out, axis)
    rank = np.ndim(x) if ndim(x) is None else ndim(x)
    if isinstance(axis, tuple) and len(axis) == 2 or axis is None and rank == 2:
        axes = (0, 1) if axis is None else axis
        if ord == 1 or ord == -1:
            sums = np.sum(np.abs(x), axis=axes[0], keepdims=True)
            return route_to_extremum(spread, size, sums) * signed_power(x, 0.0)
        if ord == np.inf or ord == -np.inf:
            row_sums = np.sum(np.abs(x), axis=axes[1], keepdims=True)
            return route_to_extremum(spread, size, row_sums) * signed_power(x, 0.0)
        factors = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
        values = factors[1]
        weight = np.reshape(ct, values.shape[:-1] + (1,))
        if ord == "nuc":
            shares = weight
        elif ord == 2:
            shares = route_to_extremum(weight, np.max(values, axis=-1, keepdims=True), values)
        else:
            shares = route_to_extremum(weight, np.min(values, axis=-1, keepdims=True), values)
        return np.moveaxis((factors[0] * np.expand_dims(shares * np.sign(values), -2)) @ factors[2], (-2, -1),
                           axes)
    return vector_shares(spread, size, x, ord)


@jvp(np.linalg.norm)
def norm_tangent(dot, out, x, ord=None, axis=None, keepdims=False):
    """d|x| = <x, dx> / |x|, 0 where the norm is 0"""
    if (ord is None or ord == "fro") and is_complex(x) is False:
        return divide_or_zero(np.sum(x * dot, axis=axis, keepdims=keepdims), out)
    return NotImplemented


@rule(*available(np.linalg, "vector_norm"),
      kind=lambda x, axis=None, keepdims=None, ord=Const(2): norm_kind(x, ord, axis, keepdims), singular=True, samples=[
    *(sample(DISTINCT(4), ord=p) for p in VECTOR_ORDERS[1:]), sample(DISTINCT(2, 3)),
    sample(DISTINCT(2, 3), axis=0),
    sample(DISTINCT(2, 3), axis=(0, 1), keepdims=True, ord=3),
    sample(DISTINCT(2, 3, 2), axis=(0, 2), ord=np.inf)])
def vector_norm(ct, out, x, axis=None, keepdims=False, ord=2):
    """Over all elements where axis is None."""
    if axis is None or keepdims:
        spread = ct
        size = out
    else:
        spread = np.expand_dims(ct, axis)
        size = np.expand_dims(out, axis)
    return vector_shares(spread, size, x, ord)


@rule(*available(np.linalg, "matrix_norm"), kind=matrix_norm_kind, singular=True, samples=[
    sample(DISTINCT(2, 3)), sample(DISTINCT(2, 3, 2), keepdims=True),
    sample(WELL_CONDITIONED(2, 3, 4), ord="nuc")])
def matrix_norm(ct, out, x, keepdims=False, ord="fro"):
    if ord == "fro" and keepdims:
        return divide_or_zero(ct, out) * x
    if ord == "fro":
        return np.expand_dims(divide_or_zero(ct, out), (-2, -1)) * x
    if ord == "nuc":
        factors = np.linalg.svd(x, full_matrices=False)
        shares = np.reshape(ct, np.shape(x)[:-2] + (1, 1)) * np.expand_dims(np.sign(factors[1]), -2)
        return (factors[0] * shares) @ factors[2]
    return refuse("np.linalg.matrix_norm has a derivative rule for ord 'fro' and 'nuc' only", "Use np.linalg.norm.")


@rule(power_or_zero, kind=results.same_as_first, samples=[sample(POSITIVE(3), 2.5), sample(POSITIVE(), -1.0)])
def power_or_zero_rule(ct, out, x, p):
    """x ** p for x >= 0; the exponent is a constant."""
    return ct * p * power_or_zero(x, p - 1.0)


@rule(signed_power, kind=results.same_as_first, samples=[
    *(sample(NONZERO(4), p) for p in (0.0, 1.0, 2.5, -0.5)), *(sample(COMPLEX(3), p) for p in (0.0, 1.5))])
def signed_power_rule(ct, out, x, p):
    """out = x |x|^(p-1), a function of x and its conjugate"""
    along = np.real(conj(x) * ct)
    magnitude = np.abs(x)
    return power_or_zero(magnitude, p - 1.0) * ct + (p - 1.0) * power_or_zero(magnitude, p - 3.0) * along * x


@rule(np.linalg.cond, real="always", kind=cond_kind, samples=[sample(WELL_CONDITIONED(3, 3)), sample(WELL_CONDITIONED(2, 3, 2), 2)])
def cond(ct, out, x, p=None):
    """out = max(s) / min(s) of the singular values"""
    if not (p is None or p == 2):
        return refuse("np.linalg.cond has a derivative rule for p=None and p=2 only",
                      "Write np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p).")
    factors = np.linalg.svd(x, full_matrices=False)
    values = factors[1]
    high = np.max(values, axis=-1, keepdims=True)
    low = np.min(values, axis=-1, keepdims=True)
    scaled = np.expand_dims(ct, -1) / low
    shares = route_to_extremum(scaled, high, values) - route_to_extremum(scaled * high / low, low, values)
    return (factors[0] * np.expand_dims(shares, -2)) @ factors[2]
