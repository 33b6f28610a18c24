"""Products of vectors, matrices and tensors.

In `A @ B`, A receives `ct @ B.T` and B receives `A.T @ ct` (M. B. Giles, 2008, "An extended collection of
matrix derivative results for forward and reverse mode algorithmic differentiation"); complex ones conjugate.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import INT, Const, Kind, Num, broadcast, times
from sourcegrad.kinds.results import Unknown, array, constant, dtype_of, normalized, numeric, real_like, together
from sourcegrad.primitives.core import COMPLEX, REAL, available, conj, ndim, nondifferentiable, rule, sample
from sourcegrad.runtime import (
    convolve_adjoint,
    cross_adjoint,
    dot_adjoint_left,
    dot_adjoint_right,
    kron_adjoint_left,
    kron_adjoint_right,
    matmul_adjoint_left,
    matmul_adjoint_right,
    tensordot_adjoint_left,
    tensordot_adjoint_right,
    unbroadcast,
    vector_axis,
)

# --- products ------------------------------------------------------------------------------------------

def product_dtype(a: Num, b: Num) -> str | None:
    return together(a, b)


def matmul_kind(a: Kind, b: Kind, **_: Kind) -> Kind:
    a, b = numeric(a), numeric(b)
    if a.dims is None or b.dims is None:
        return Num(product_dtype(a, b))
    if not a.dims or not b.dims:
        raise Unknown
    rows, columns = a.dims[-2:-1], b.dims[-1:] if len(b.dims) > 1 else ()
    batch = kinds.broadcast(a.dims[:-2], b.dims[:-2]) or ()
    return array(product_dtype(a, b), batch + rows + columns)


def dot_kind(a: Kind, b: Kind) -> Kind:
    a, b = numeric(a), numeric(b)
    if a.dims is None or b.dims is None:
        matrix = any(x.dims is not None and len(x.dims) > 1 and y.boxed for x, y in ((a, b), (b, a)))
        return Num(product_dtype(a, b), None, matrix or None)       # (of a matrix and an array: no number)
    if not a.dims or not b.dims:
        return array(dtype_of(np.dot, a, b), a.dims or b.dims)
    return array(product_dtype(a, b), a.dims[:-1] + (b.dims[:-2] + b.dims[-1:] if len(b.dims) > 1 else ()))


def inner_kind(a: Kind, b: Kind) -> Kind:
    a, b = numeric(a), numeric(b)
    if not a.dims or not b.dims:
        raise Unknown
    return array(product_dtype(a, b), a.dims[:-1] + b.dims[:-1])


def outer_kind(a: Kind, b: Kind) -> Kind:
    a, b = numeric(a), numeric(b)
    sizes = tuple(dims[0] if dims and len(dims) == 1 else 1 if dims == () else None for dims in (a.dims,
                                                                                                 b.dims))
    return array(product_dtype(a, b), sizes)


def every_pair(function: Callable) -> Callable:
    """Kind function of `ufunc.outer`."""
    def kind(a: Kind, b: Kind) -> Kind:
        a, b = numeric(a), numeric(b)
        if a.dims is None or b.dims is None:
            return Num()
        return array(dtype_of(function, a, b), a.dims + b.dims)
    return kind


def tensordot_kind(a: Kind, b: Kind, axes: Kind = Const(2)) -> Kind:
    a, b = numeric(a), numeric(b)
    if a.dims is None or b.dims is None:
        return Num(product_dtype(a, b))
    value = constant(axes)
    if isinstance(value, int):
        left, right = tuple(range(len(a.dims) - value, len(a.dims))), tuple(range(value))
    else:
        left, right = normalized(value[0], len(a.dims)), normalized(value[1], len(b.dims))
    return array(product_dtype(a, b), tuple(d for k, d in enumerate(a.dims) if k not in left)
                 + tuple(d for k, d in enumerate(b.dims) if k not in right))


def known(dims: tuple | None) -> tuple:
    if dims is None:
        raise Unknown
    return dims


def dtype_only(function: Callable) -> Callable:
    """Of a kind function that fails at the shape, at least the dtype."""
    def kind(a: Kind, b: Kind, *args: Kind, **options: Kind) -> Kind:
        try:
            return function(a, b, *args, **options)
        except (Unknown, IndexError):
            return Num(together(numeric(a), numeric(b)))
    return kind


# --- adjoints of products --------------------------------------------------------------------------------

def adjoint_left_kind(ct: Kind, a: Kind, b: Kind) -> Kind:
    """Shaped as `a`, and real where it is."""
    return _adjoint(ct, b, numeric(a))


def _adjoint(ct: Kind, other: Kind, model: Num) -> Num:
    return array(real_like(together(numeric(ct), numeric(other)), model), model.dims)


def _dot_adjoint(ct: Kind, other: Kind, model: Num) -> Num:
    """Only that of a number times an array is made real where it is."""
    dtype = together(numeric(ct), numeric(other))
    if model.dims == () or numeric(other).dims == ():
        return array(real_like(dtype, model), model.dims)
    certain = model.dims is not None and numeric(other).dims is not None
    return array(dtype if certain or real_like(dtype, model) == dtype else None, model.dims)


def shaped_adjoint(position: int, *others: int) -> Callable:
    """Shaped as the argument at a position, of the dtype of the first and of the others; perhaps an array without axes."""
    def kind(*args: Kind, **_: Kind) -> Kind:
        dims = numeric(args[position]).dims
        result = array(together(*(numeric(args[k]) for k in (0, *others))), dims)
        return result if dims else Num(result.dtype, dims)
    return kind


@dtype_only
def vecdot_kind(a: Kind, b: Kind, axis: Kind = Const(-1), **_: Kind) -> Kind:
    one, other = numeric(a), numeric(b)
    (i,), (j,) = (normalized(constant(axis), len(known(num.dims))) for num in (one, other))
    rest = broadcast(_without(one.dims, i), _without(other.dims, j))
    return array(together(one, other), rest)


def _without(dims: Any, axis: int) -> tuple:
    return dims[:axis] + dims[axis + 1:]


@dtype_only
def matvec_kind(a: Kind, x: Kind, **_: Kind) -> Kind:
    matrix, vector = known(numeric(a).dims), known(numeric(x).dims)
    return array(together(numeric(a), numeric(x)), (broadcast(matrix[:-2], vector[:-1]) or ()) + (matrix[-2],))


@dtype_only
def vecmat_kind(x: Kind, a: Kind, **_: Kind) -> Kind:
    matrix, vector = known(numeric(a).dims), known(numeric(x).dims)
    return array(together(numeric(x), numeric(a)), (broadcast(vector[:-1], matrix[:-2]) or ()) + (matrix[-1],))


@dtype_only
def kron_kind(a: Kind, b: Kind) -> Kind:
    one, other = known(numeric(a).dims), known(numeric(b).dims)
    rank = max(len(one), len(other))
    sizes = zip((1,) * (rank - len(one)) + one, (1,) * (rank - len(other)) + other)
    result = array(dtype_of(np.kron, numeric(a), numeric(b)), tuple(times(*pair) for pair in sizes))
    return result if result.dims else Num(result.dtype, ())


@dtype_only
def cross_kind(a: Kind, b: Kind, axisa: Kind = Const(-1), axisb: Kind = Const(-1), axisc: Kind = Const(-1),
          axis: Kind = Const(None)) -> Kind:
    """Vectors of two components each have a number as their product, so that a size has to be known."""
    if axis != Const(None):
        axisa = axisb = axisc = axis
    one, other = known(numeric(a).dims), known(numeric(b).dims)
    (i,), (j,) = normalized(constant(axisa), len(one)), normalized(constant(axisb), len(other))
    if 3 not in (one[i], other[j]):
        raise Unknown
    return _crossed(a, b, i, j, axisc)


@dtype_only
def linalg_cross_kind(a: Kind, b: Kind, axis: Kind = Const(-1)) -> Kind:
    one, other = known(numeric(a).dims), known(numeric(b).dims)
    (i,), (j,) = normalized(constant(axis), len(one)), normalized(constant(axis), len(other))
    return _crossed(a, b, i, j, axis)


def _crossed(a: Kind, b: Kind, i: int, j: int, axis: Kind) -> Num:
    rest = list(broadcast(_without(numeric(a).dims, i), _without(numeric(b).dims, j)) or ())
    (place,) = normalized(constant(axis), len(rest) + 1)
    rest.insert(place, 3)
    return array(together(numeric(a), numeric(b)), tuple(rest))


def convolve_kind(a: Kind, v: Kind, mode: Kind = Const("full")) -> Kind:
    one, other = numeric(a), numeric(v)
    n, m = (1 if num.dims == () else num.dims[0] if num.dims else None for num in (one, other))
    return array(together(*(Num(num.dtype, num.dims and num.dims[:1], True if num.dims else num.boxed) for num in (one, other))),
                 (_length(n, m, constant(mode)),))


def _length(n: Any, m: Any, mode: Any) -> Any:
    if isinstance(n, int) and isinstance(m, int):
        return {"full": n + m - 1, "same": max(n, m), "valid": abs(n - m) + 1}.get(mode)
    if mode == "valid" and n == m and n is not None:
        return 1
    if mode != "valid" and 1 in (n, m):
        return m if n == 1 else n                            # empty arrays cannot be convolved
    return n if mode == "same" and n == m else None


# --- samples -----------------------------------------------------------------------------------------------

nondifferentiable(vector_axis, kind=lambda a, b, axis: INT)


def pairs(*shapes):
    """Samples of a binary product: real ones of each pair of shapes, and one that is complex."""
    return [*(sample(REAL(*a), REAL(*b)) for a, b in shapes),
            *(sample(COMPLEX(*a), COMPLEX(*b)) for a, b in shapes)]


SMALL = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((1, 3), (3, 1))]
DOTS = pairs(*SMALL, ((), ()), ((), (2, 3)), ((2,), ()), ((2, 3, 4), (4,)), ((2, 3, 4), (4, 2)),
             ((2, 4), (3, 4, 2)),
             ((4,), (3, 4, 2)), ((2, 3, 4), (2, 4, 2)))
MATMULS = pairs(*SMALL, ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((2, 3, 4), (4, 2)), ((3, 4), (2, 4, 2)),
                ((2, 3, 4), (2, 4, 1)), ((2, 1, 3, 4), (5, 4, 2)), ((1, 3, 4), (2, 4, 2)), ((0, 3), (3, 2)),
                ((2, 3, 2, 2), (2, 3, 2, 2)), ((2, 2, 3, 4), (4, 2)))


# --- dot, matmul, inner, outer --------------------------------------------------------------------------

@rule(np.dot, tangent="multilinear", parameters=("a", "b", "out"), operation="@", real="kept", order="rows", kind=dot_kind,
      samples=DOTS)
def dot(ct, out, a, b):
    if ndim(a) == 1 and ndim(b) == 1:
        return ct * conj(b), ct * conj(a)
    if ndim(a) == 2 and ndim(b) == 2:
        return ct @ conj(b).T, conj(a).T @ ct
    if ndim(a) == 2 and ndim(b) == 1:
        return np.outer(ct, conj(b)), conj(a).T @ ct
    if ndim(a) == 1 and ndim(b) == 2:
        return conj(b) @ ct, np.outer(conj(a), ct)
    if ndim(a) == 3 and ndim(b) == 2:
        return ct @ conj(b).T, np.tensordot(conj(a), ct, ((0, 1), (0, 1)))
    return dot_adjoint_left(ct, a, b), dot_adjoint_right(ct, a, b)


@rule(np.matmul, operator.matmul, *available(np.linalg, "matmul"), tangent="multilinear", operation="@", kind=matmul_kind,
      samples=MATMULS)
def matmul(ct, out, a, b):
    if ndim(a) == 2 and ndim(b) == 2:
        return ct @ conj(b).T, conj(a).T @ ct
    if ndim(a) == 2 and ndim(b) == 1:
        return np.outer(ct, conj(b)), conj(a).T @ ct
    if ndim(a) == 1 and ndim(b) == 2:
        return conj(b) @ ct, np.outer(conj(a), ct)
    if ndim(a) == 1 and ndim(b) == 1:
        return ct * conj(b), ct * conj(a)
    if ndim(a) == 3 and ndim(b) == 2:
        return ct @ conj(b).T, np.tensordot(conj(a), ct, ((0, 1), (0, 1)))
    if ndim(a) == 2 and ndim(b) == 3:
        return matmul_adjoint_left(ct, a, b), conj(a).T @ ct
    if ndim(a) == 3 and ndim(b) == 3:
        return (unbroadcast(ct @ np.swapaxes(conj(b), 1, 2), a),
                unbroadcast(np.swapaxes(conj(a), 1, 2) @ ct, b))
    if ndim(a) == 4 and ndim(b) == 4:
        return (unbroadcast(ct @ np.swapaxes(conj(b), 2, 3), a),
                unbroadcast(np.swapaxes(conj(a), 2, 3) @ ct, b))
    return matmul_adjoint_left(ct, a, b), matmul_adjoint_right(ct, a, b)


@rule(np.inner, tangent="multilinear", operation="@", real="kept", kind=inner_kind, samples=pairs(
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (4, 3)), ((2, 2, 3), (4, 3)), ((), ()),
    ((2,), ())))
def inner(ct, out, a, b):
    """Sums over the last axes, without conjugation."""
    if ndim(a) == 1 and ndim(b) == 1:
        return ct * conj(b), ct * conj(a)
    if ndim(a) == 2 and ndim(b) == 2:
        return ct @ conj(b), ct.T @ conj(a)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(ct * conj(b), a), unbroadcast(ct * conj(a), b)
    return tensordot_adjoint_left(ct, a, b, (-1, -1)), tensordot_adjoint_right(ct, a, b, (-1, -1))


@rule(np.outer, *available(np.linalg, "outer"), tangent="multilinear", multiplies=True, real="kept", order="rows", kind=outer_kind,
      samples=pairs(((3,), (2,)), ((3,), (1,))))
def outer(ct, out, a, b):
    if ndim(a) == 1 and ndim(b) == 1:
        return ct @ conj(b), conj(a) @ ct
    return np.reshape(ct @ conj(np.ravel(b)), np.shape(a)), np.reshape(conj(np.ravel(a)) @ ct, np.shape(b))


@rule(np.multiply.outer, tangent="multilinear", kind=every_pair(np.multiply.outer),
      samples=pairs(((3,), (2,)), ((2, 3), (2,)), ((), (2, 2))))
def multiply_outer(ct, out, a, b):
    return tensordot_adjoint_left(ct, a, b, 0), tensordot_adjoint_right(ct, a, b, 0)


@rule(np.add.outer, tangent="linear", kind=every_pair(np.add.outer), samples=pairs(((3,), (2,)), ((2, 3), (2,)), ((), (2, 2))))
def add_outer(ct, out, a, b):
    table = np.reshape(ct, (np.size(a), np.size(b)))
    return np.reshape(np.sum(table, axis=1), np.shape(a)), np.reshape(np.sum(table, axis=0), np.shape(b))


@rule(np.subtract.outer, tangent="linear", kind=every_pair(np.subtract.outer), samples=pairs(((3,), (2,)), ((2, 3), (2,))))
def subtract_outer(ct, out, a, b):
    table = np.reshape(ct, (np.size(a), np.size(b)))
    return np.reshape(np.sum(table, axis=1), np.shape(a)), -np.reshape(np.sum(table, axis=0), np.shape(b))


@rule(np.vdot, tangent="multilinear", operation="@", real="kept",
      kind=lambda a, b: array(product_dtype(numeric(a), numeric(b)), ()),
      samples=pairs(((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (6,)), ((), ())))
def vdot(ct, out, a, b):
    """out = sum(conj(a) b)"""
    if ndim(a) == 1 and ndim(b) == 1:
        return conj(ct) * b, ct * a
    return np.reshape(conj(ct) * b, np.shape(a)), np.reshape(ct * a, np.shape(b))


@rule(*available(np, "vecdot"), *available(np.linalg, "vecdot"), tangent="multilinear", kind=vecdot_kind, samples=pairs(
    ((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3))) + [sample(REAL(3, 2), REAL(3, 2), axis=0)])
def vecdot(ct, out, a, b, axis=-1):
    """out = sum(conj(a) b) along one axis"""
    spread = np.expand_dims(ct, axis)
    return unbroadcast(conj(spread) * b, a), unbroadcast(spread * a, b)


@rule(*available(np, "matvec"), tangent="multilinear", kind=matvec_kind,
      samples=pairs(((2, 3), (3,)), ((4, 2, 3), (3,)), ((2, 3), (4, 3))))
def matvec(ct, out, a, x):
    return (unbroadcast(np.expand_dims(ct, -1) * np.expand_dims(conj(x), -2), a),
            unbroadcast(np.matvec(np.swapaxes(conj(a), -1, -2), ct), x))


@rule(*available(np, "vecmat"), tangent="multilinear", kind=vecmat_kind,
      samples=pairs(((2,), (2, 3)), ((2,), (4, 2, 3)), ((4, 2), (2, 3))))
def vecmat(ct, out, x, a):
    """out = conj(x) @ a"""
    return (unbroadcast(np.matvec(a, conj(ct)), x),
            unbroadcast(np.expand_dims(x, -1) * np.expand_dims(ct, -2), a))


@rule(matmul_adjoint_left, tangent="multilinear", kind=adjoint_left_kind, samples=[sample(REAL(2, 5), REAL(2, 3), REAL(3, 5)),
                                    sample(REAL(2, 4, 5), REAL(4, 3), REAL(
    2, 3, 5)), sample(COMPLEX(2, 4), COMPLEX(2, 4, 3), COMPLEX(3)), sample(REAL(5), REAL(3), REAL(3, 5))])
def matmul_adjoint_left_rule(ct, out, w, a, b):
    return np.matmul(ct, b), None, matmul_adjoint_right(w, ct, b)


@rule(matmul_adjoint_right, tangent="multilinear", kind=lambda ct, a, b: _adjoint(ct, a, numeric(b)),
      samples=[sample(REAL(2, 5), REAL(2, 3), REAL(3, 5)),
                                     sample(REAL(2, 4, 5), REAL(4, 3), REAL(
    2, 3, 5)), sample(COMPLEX(2, 4), COMPLEX(2, 4, 3), COMPLEX(3)), sample(REAL(5), REAL(3), REAL(3, 5))])
def matmul_adjoint_right_rule(ct, out, w, a, b):
    return np.matmul(a, ct), matmul_adjoint_left(w, a, ct), None


@rule(dot_adjoint_left,
      tangent="multilinear", kind=lambda ct, a, b: _dot_adjoint(ct, b, numeric(a)),
      samples=[sample(REAL(2, 3, 2), REAL(2, 4), REAL(3, 4, 2)),
                                 sample(REAL(3), 2.0, REAL(3))])
def dot_adjoint_left_rule(ct, out, w, a, b):
    return np.dot(ct, b), None, dot_adjoint_right(w, ct, b)


@rule(dot_adjoint_right, tangent="multilinear", order="other",
      kind=lambda ct, a, b: _dot_adjoint(ct, a, numeric(b)), samples=[sample(COMPLEX(2, 3, 2), COMPLEX(2, 4), COMPLEX(3, 4, 2))])
def dot_adjoint_right_rule(ct, out, w, a, b):
    return np.dot(a, ct), dot_adjoint_left(w, a, ct), None


@rule(np.tensordot, *available(np.linalg, "tensordot"), tangent="multilinear", multiplies=True, real="kept", kind=tensordot_kind,
      samples=[
    sample(REAL(2, 3, 4), REAL(3, 4, 2)), sample(REAL(2, 3), REAL(3, 2), axes=1),
    sample(REAL(2), REAL(3), axes=0),
    sample(REAL(2, 3, 4), REAL(4, 2, 5), axes=((0, 2), (1, 0))),
    sample(COMPLEX(2, 3, 4), COMPLEX(5, 3), axes=([1], [1])),
    sample(REAL(2, 3, 4, 5), REAL(5, 3, 2), axes=((3, 0, 1), (0, 2, 1))),
    sample(REAL(2, 3), REAL(4, 3), axes=(-1, -1))])
def tensordot(ct, out, a, b, axes=2):
    return tensordot_adjoint_left(ct, a, b, axes), tensordot_adjoint_right(ct, a, b, axes)


@rule(tensordot_adjoint_left, tangent="multilinear", order="other", kind=shaped_adjoint(1, 2), samples=[
    sample(COMPLEX(3, 5), COMPLEX(2, 3, 4), COMPLEX(4, 2, 5), ((0, 2), (1, 0)))])
def tensordot_adjoint_left_rule(ct, out, w, a, b, axes):
    return np.tensordot(ct, b, axes), None, tensordot_adjoint_right(w, ct, b, axes)


@rule(tensordot_adjoint_right, tangent="multilinear", order="other", kind=shaped_adjoint(2, 1), samples=[
    sample(COMPLEX(3, 5), COMPLEX(2, 3, 4), COMPLEX(4, 2, 5), ((0, 2), (1, 0)))])
def tensordot_adjoint_right_rule(ct, out, w, a, b, axes):
    return np.tensordot(a, ct, axes), tensordot_adjoint_left(w, a, ct, axes), None


# --- kron, cross, convolve ------------------------------------------------------------------------------

@rule(np.kron, tangent="multilinear", multiplies=True, real="kept", order="other",
      kind=kron_kind, samples=pairs(((2,), (3,)), ((2, 3), (3, 2)), ((2,), (3, 2)), ((2, 3), (3,)), ((), (2,))))
def kron(ct, out, a, b):
    return kron_adjoint_left(ct, a, b), kron_adjoint_right(ct, a, b)


@rule(kron_adjoint_left, tangent="multilinear", kind=shaped_adjoint(1, 2), samples=[sample(COMPLEX(4, 6), COMPLEX(2, 3),
                                                                      COMPLEX(2, 2))])
def kron_adjoint_left_rule(ct, out, w, a, b):
    return np.kron(ct, b), None, kron_adjoint_right(w, ct, b)


@rule(kron_adjoint_right, tangent="multilinear", kind=shaped_adjoint(2, 1), samples=[sample(COMPLEX(4, 6), COMPLEX(2, 3),
                                                                       COMPLEX(2, 2))])
def kron_adjoint_right_rule(ct, out, w, a, b):
    return np.kron(a, ct), kron_adjoint_left(w, a, ct), None


@rule(np.cross, tangent="multilinear", order="other", kind=cross_kind, samples=[
    *pairs(((3,), (3,)), ((4, 3), (4, 3)), ((4, 3), (3,)), ((1, 3), (2, 3))),
    sample(REAL(3, 4), REAL(3, 4), axis=0),
    sample(REAL(3, 4), REAL(4, 3), 0, 1, 0), sample(REAL(2, 3, 4), REAL(3,), 1, -1, 0),
    sample(REAL(3, 5), REAL(3, 5), 0, 0),
    *([sample(REAL(2, 1, 3), REAL(2, 1, 3), axis=0)] if np.lib.NumpyVersion(np.__version__) < "2.5.0" else [])])     # in a plane
def cross(ct, out, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """a receives b x ct, b receives ct x a."""
    if axis is not None:
        first, second = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
        result = np.moveaxis(ct, vector_axis(first, second, axis), -1)
        return (np.moveaxis(cross_adjoint(result, first, second), -1, axis),
                np.moveaxis(cross_adjoint(-result, second, first), -1, axis))
    if axisa == -1 and axisb == -1 and axisc == -1:
        return cross_adjoint(ct, a, b), cross_adjoint(-ct, b, a)
    moved_a, moved_b = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    moved_ct = np.moveaxis(ct, vector_axis(moved_a, moved_b, axisc), -1)
    return (np.moveaxis(cross_adjoint(moved_ct, moved_a, moved_b), -1, axisa),
            np.moveaxis(cross_adjoint(-moved_ct, moved_b, moved_a), -1, axisb))


@rule(cross_adjoint, tangent="multilinear", kind=adjoint_left_kind, samples=[
    sample(COMPLEX(4, 3), COMPLEX(3), COMPLEX(4, 3)), sample(REAL(2, 3), REAL(2, 3), REAL(1, 3))])
def cross_adjoint_rule(ct, out, w, a, b):
    return unbroadcast(np.cross(ct, b), w), None, cross_adjoint(-w, b, ct)


@rule(*available(np.linalg, "cross"), tangent="multilinear", order="other", kind=linalg_cross_kind,
      samples=[*pairs(((3,), (3,)), ((4, 3), (3,))),
                                               sample(REAL(3, 2), REAL(3, 2), axis=0)])
def linalg_cross(ct, out, a, b, axis=-1):
    first, second, result = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1), np.moveaxis(ct, axis, -1)
    return (np.moveaxis(cross_adjoint(result, first, second), -1, axis),
            np.moveaxis(cross_adjoint(-result, second, first), -1, axis))


CONVOLUTIONS = [sample(domain(n), domain(m), mode) for domain in (REAL, COMPLEX) for mode in ("full", "same",
                                                                                              "valid")
                for n, m in ((5, 3), (3, 5), (4, 4), (5, 2), (2, 5), (1, 3))]


@rule(np.convolve, tangent="multilinear", multiplies=True, kind=convolve_kind, samples=CONVOLUTIONS)
def convolve(ct, out, a, v, mode="full"):
    return convolve_adjoint(ct, a, v, mode), convolve_adjoint(ct, v, a, mode)


@rule(convolve_adjoint, tangent="multilinear", kind=shaped_adjoint(1, 2), samples=[sample(COMPLEX(6), COMPLEX(4), COMPLEX(3)),
                                                              sample(REAL(4), REAL(3), REAL(4), "same")])
def convolve_adjoint_rule(ct, out, w, a, v, mode="full"):
    return np.convolve(ct, v, mode), None, convolve_adjoint(w, v, ct, mode)
