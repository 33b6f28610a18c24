"""Diagonals, traces and triangles of matrices: what is picked or kept is put back where it was."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import Const, Kind, results, times
from sourcegrad.kinds.results import Unknown, array, constant, dtype_of, normalized, numeric
from sourcegrad.primitives.core import COMPLEX, REAL, available, ndim, rule, sample
from sourcegrad.primitives.products import known
from sourcegrad.runtime import place_diagonal, unbroadcast

# --- kinds of results ----------------------------------------------------------------------------------

def diagonal_kind(a: Kind, offset: Kind | None = None, axis1: Kind | None = None,
             axis2: Kind | None = None) -> Kind:
    a = numeric(a)
    if a.dims is None:
        raise Unknown
    one, two = normalized((constant(axis1, 0), constant(axis2, 1)), len(a.dims))
    rest = tuple(dim for k, dim in enumerate(a.dims) if k not in (one, two))
    square = a.dims[one] == a.dims[two] and constant(offset, 0) == 0
    return array(a.dtype, rest + (a.dims[one] if square else None,))


def trace_kind(a: Kind, offset: Kind | None = None, axis1: Kind | None = None, axis2: Kind | None = None) -> Kind:
    a = numeric(a)
    if a.dims is None:
        raise Unknown
    one, two = normalized((constant(axis1, 0), constant(axis2, 1)), len(a.dims))
    return array(dtype_of(np.trace, a), tuple(dim for k, dim in enumerate(a.dims) if k not in (one, two)))


def triangle_kind(m: Kind, k: Kind | None = None) -> Kind:
    m = numeric(m)
    if m.dims is None or len(m.dims) < 2:
        raise Unknown
    return array(m.dtype, m.dims)


def diag_kind(v: Kind, k: Kind | None = None) -> Kind:
    v = numeric(v)
    zero = k is None or constant(k) == 0
    if v.dims is not None and len(v.dims) == 1:
        size = v.dims[0] if zero else None
        return array(v.dtype, (size, size))
    if v.ndim == 2:
        return diagonal_kind(v, k)
    raise Unknown


def diagflat_kind(v: Kind, k: Kind = Const(0)) -> Kind:
    values = numeric(v)
    size = times(*known(values.dims))
    away = constant(k)
    size = size + abs(away) if isinstance(size, int) else size if away == 0 else None
    return array(values.dtype, (size, size))


def linalg_trace_kind(x: Kind, offset: Kind | None = None, dtype: Kind | None = None, **_: Kind) -> Kind:
    stack = numeric(x)
    return array(dtype_of(np.trace, stack, option=dtype), known(stack.dims)[:-2])


def linalg_diagonal_kind(x: Kind, offset: Kind = Const(0)) -> Kind:
    stack = numeric(x)
    *batch, rows, columns = known(stack.dims)
    return array(stack.dtype, (*batch, rows if rows == columns and constant(offset) == 0 else None))


# --- diagonals and triangles ----------------------------------------------------------------------------

DIAGONALS = [sample(REAL(3, 3)), sample(REAL(3, 4), 1), sample(REAL(4, 3), -2),
             sample(REAL(2, 3, 4), 0, 1, 2),
             sample(REAL(2, 3, 4), 1, axis1=2, axis2=0), sample(REAL(3, 2, 3), -1, -1, 0),
             sample(COMPLEX(2, 3))]


@rule(np.trace, tangent="linear", drops="part", real="kept", kind=trace_kind, samples=DIAGONALS)
def trace(ct, out, a, offset=0, axis1=0, axis2=1):
    return place_diagonal(np.expand_dims(ct, -1), a, offset, axis1, axis2)


@rule(np.diagonal, tangent="linear", selects=(0,), drops="part", result="view", read_only=True, real="kept", order="other",
      kind=diagonal_kind,
      samples=DIAGONALS)
def diagonal(ct, out, a, offset=0, axis1=0, axis2=1):
    return place_diagonal(ct, a, offset, axis1, axis2)


@rule(*available(np.linalg, "trace"), tangent="linear", kind=linalg_trace_kind, samples=[sample(REAL(2, 3, 3)), sample(REAL(3, 4),
      offset=1)])
def linalg_trace(ct, out, a, offset=0):
    return place_diagonal(np.expand_dims(ct, -1), a, offset, -2, -1)


@rule(*available(np.linalg, "diagonal"), tangent="linear", result="view", order="other", kind=linalg_diagonal_kind,
      samples=[sample(REAL(2, 3, 3)), sample(REAL(3, 4), offset=1)])
def linalg_diagonal(ct, out, a, offset=0):
    return place_diagonal(ct, a, offset, -2, -1)


@rule(place_diagonal, tangent="linear", kind=results.shaped_like(1), samples=[
    sample(REAL(3), REAL(3, 4), 1), sample(REAL(2, 3), REAL(3, 2, 4), 0, 0, -1), sample(REAL(1), REAL(3, 3))])
def place_diagonal_rule(ct, out, values, x, offset=0, axis1=0, axis2=1):
    return unbroadcast(np.diagonal(ct, offset, axis1, axis2), values), None


@rule(np.diag, tangent="linear", drops="part", result="may view", real="kept", kind=diag_kind, samples=[
    sample(REAL(3)), sample(REAL(3), 1), sample(REAL(2), k=-2), sample(REAL(3, 3)), sample(REAL(3, 4), 1),
    sample(REAL(4, 2), k=-1), sample(COMPLEX(3))])
def diag(ct, out, v, k=0):
    if ndim(v) == 1:
        return np.diagonal(ct, k)
    if ndim(v) == 2:
        return place_diagonal(ct, v, k)
    if np.ndim(v) == 1:
        return np.diagonal(ct, k)
    return place_diagonal(ct, v, k)


@rule(np.diagflat, tangent="linear", kind=diagflat_kind, samples=[sample(REAL(3)), sample(REAL(2, 2), 1)])
def diagflat(ct, out, v, k=0):
    return np.reshape(np.diagonal(ct, k), np.shape(v))


TRIANGLES = [sample(REAL(3, 3)), sample(REAL(3, 4), 1), sample(REAL(2, 4, 3), k=-1), sample(REAL(3)),
             sample(COMPLEX(2, 2))]


@rule(np.tril, tangent="linear", drops="part", real="kept", kind=triangle_kind, samples=TRIANGLES)
def tril(ct, out, m, k=0):
    if ndim(m) == 2:
        return np.tril(ct, k)
    return unbroadcast(np.tril(ct, k), m)


@rule(np.triu, tangent="linear", drops="part", real="kept", kind=triangle_kind, samples=TRIANGLES)
def triu(ct, out, m, k=0):
    if ndim(m) == 2:
        return np.triu(ct, k)
    return unbroadcast(np.triu(ct, k), m)
