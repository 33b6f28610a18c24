"""Products of vectors, matrices and tensors, and the functions that pick or keep diagonals and triangles.

In `A @ B`, A receives `ct @ B.T` and B receives `A.T @ ct` (M. B. Giles, 2008, "An extended collection of
matrix derivative results for forward and reverse mode algorithmic differentiation"); complex ones conjugate.
"""
from __future__ import annotations

import operator

import numpy as np

from sourcegrad.kinds import BOOL, INT
from sourcegrad.rules import product_kinds as of_product, result_kinds as kind_of
from sourcegrad.rules.core import COMPLEX, REAL, available, conj, ndim, nondifferentiable, rule, sample
from sourcegrad.runtime import (
    contract,
    convolve_adjoint,
    cross_adjoint,
    dot_adjoint_left,
    dot_adjoint_right,
    einsum_adjoint,
    einsum_adjoint_operands,
    einsum_adjoints,
    einsum_adjoints_operands,
    einsum_is_plain,
    einsum_of,
    einsum_swapped,
    einsum_variation,
    kron_adjoint_left,
    kron_adjoint_right,
    matmul_adjoint_left,
    matmul_adjoint_right,
    multi_dot_subscripts,
    place_diagonal,
    refuse,
    replace_item,
    tensordot_adjoint_left,
    tensordot_adjoint_right,
    unbroadcast,
    vander_derivative,
    vector_axis,
    zeros_like,
)

nondifferentiable(einsum_is_plain, kind=lambda subscripts: BOOL)
nondifferentiable(einsum_swapped, kind=of_product.einsum_swapped_kind)
nondifferentiable(multi_dot_subscripts, kind=of_product.text_of_chain)
nondifferentiable(refuse)
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

@rule(np.dot, kind=kind_of.dot, samples=DOTS)
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


@rule(np.matmul, operator.matmul, *available(np.linalg, "matmul"), kind=kind_of.matmul, samples=MATMULS)
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


@rule(np.inner, kind=kind_of.inner, samples=pairs(
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


@rule(np.outer, *available(np.linalg, "outer"), kind=kind_of.outer, samples=pairs(((3,), (2,)), ((3,), (1,))))
def outer(ct, out, a, b):
    if ndim(a) == 1 and ndim(b) == 1:
        return ct @ conj(b), conj(a) @ ct
    return np.reshape(ct @ conj(np.ravel(b)), np.shape(a)), np.reshape(conj(np.ravel(a)) @ ct, np.shape(b))


@rule(np.multiply.outer, kind=kind_of.every_pair(np.multiply.outer), samples=pairs(((3,), (2,)), ((2, 3), (2,)), ((), (2, 2))))
def multiply_outer(ct, out, a, b):
    return tensordot_adjoint_left(ct, a, b, 0), tensordot_adjoint_right(ct, a, b, 0)


@rule(np.add.outer, kind=kind_of.every_pair(np.add.outer), samples=pairs(((3,), (2,)), ((2, 3), (2,)), ((), (2, 2))))
def add_outer(ct, out, a, b):
    table = np.reshape(ct, (np.size(a), np.size(b)))
    return np.reshape(np.sum(table, axis=1), np.shape(a)), np.reshape(np.sum(table, axis=0), np.shape(b))


@rule(np.subtract.outer, kind=kind_of.every_pair(np.subtract.outer), samples=pairs(((3,), (2,)), ((2, 3), (2,))))
def subtract_outer(ct, out, a, b):
    table = np.reshape(ct, (np.size(a), np.size(b)))
    return np.reshape(np.sum(table, axis=1), np.shape(a)), -np.reshape(np.sum(table, axis=0), np.shape(b))


@rule(np.vdot, kind=kind_of.vdot, samples=pairs(((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (6,)), ((), ())))
def vdot(ct, out, a, b):
    """out = sum(conj(a) b)"""
    if ndim(a) == 1 and ndim(b) == 1:
        return conj(ct) * b, ct * a
    return np.reshape(conj(ct) * b, np.shape(a)), np.reshape(ct * a, np.shape(b))


@rule(*available(np, "vecdot"), *available(np.linalg, "vecdot"), kind=of_product.vecdot, samples=pairs(
    ((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3))) + [sample(REAL(3, 2), REAL(3, 2), axis=0)])
def vecdot(ct, out, a, b, axis=-1):
    """out = sum(conj(a) b) along one axis"""
    spread = np.expand_dims(ct, axis)
    return unbroadcast(conj(spread) * b, a), unbroadcast(spread * a, b)


@rule(*available(np, "matvec"), kind=of_product.matvec, samples=pairs(((2, 3), (3,)), ((4, 2, 3), (3,)), ((2, 3), (4, 3))))
def matvec(ct, out, a, x):
    return (unbroadcast(np.expand_dims(ct, -1) * np.expand_dims(conj(x), -2), a),
            unbroadcast(np.matvec(np.swapaxes(conj(a), -1, -2), ct), x))


@rule(*available(np, "vecmat"), kind=of_product.vecmat, samples=pairs(((2,), (2, 3)), ((2,), (4, 2, 3)), ((4, 2), (2, 3))))
def vecmat(ct, out, x, a):
    """out = conj(x) @ a"""
    return (unbroadcast(np.matvec(a, conj(ct)), x),
            unbroadcast(np.expand_dims(x, -1) * np.expand_dims(ct, -2), a))


@rule(matmul_adjoint_left, kind=of_product.adjoint_left, samples=[sample(REAL(2, 5), REAL(2, 3), REAL(3, 5)),
                                    sample(REAL(2, 4, 5), REAL(4, 3), REAL(
    2, 3, 5)), sample(COMPLEX(2, 4), COMPLEX(2, 4, 3), COMPLEX(3)), sample(REAL(5), REAL(3), REAL(3, 5))])
def matmul_adjoint_left_rule(ct, out, w, a, b):
    return np.matmul(ct, b), None, matmul_adjoint_right(w, ct, b)


@rule(matmul_adjoint_right, kind=of_product.adjoint_right, samples=[sample(REAL(2, 5), REAL(2, 3), REAL(3, 5)),
                                     sample(REAL(2, 4, 5), REAL(4, 3), REAL(
    2, 3, 5)), sample(COMPLEX(2, 4), COMPLEX(2, 4, 3), COMPLEX(3)), sample(REAL(5), REAL(3), REAL(3, 5))])
def matmul_adjoint_right_rule(ct, out, w, a, b):
    return np.matmul(a, ct), matmul_adjoint_left(w, a, ct), None


@rule(dot_adjoint_left, kind=of_product.dot_adjoint_left, samples=[sample(REAL(2, 3, 2), REAL(2, 4), REAL(3, 4, 2)),
                                 sample(REAL(3), 2.0, REAL(3))])
def dot_adjoint_left_rule(ct, out, w, a, b):
    return np.dot(ct, b), None, dot_adjoint_right(w, ct, b)


@rule(dot_adjoint_right, kind=of_product.dot_adjoint_right, samples=[sample(COMPLEX(2, 3, 2), COMPLEX(2, 4), COMPLEX(3, 4, 2))])
def dot_adjoint_right_rule(ct, out, w, a, b):
    return np.dot(a, ct), dot_adjoint_left(w, a, ct), None


@rule(np.tensordot, *available(np.linalg, "tensordot"), kind=kind_of.tensordot, samples=[
    sample(REAL(2, 3, 4), REAL(3, 4, 2)), sample(REAL(2, 3), REAL(3, 2), axes=1),
    sample(REAL(2), REAL(3), axes=0),
    sample(REAL(2, 3, 4), REAL(4, 2, 5), axes=((0, 2), (1, 0))),
    sample(COMPLEX(2, 3, 4), COMPLEX(5, 3), axes=([1], [1])),
    sample(REAL(2, 3, 4, 5), REAL(5, 3, 2), axes=((3, 0, 1), (0, 2, 1))),
    sample(REAL(2, 3), REAL(4, 3), axes=(-1, -1))])
def tensordot(ct, out, a, b, axes=2):
    return tensordot_adjoint_left(ct, a, b, axes), tensordot_adjoint_right(ct, a, b, axes)


@rule(tensordot_adjoint_left, kind=of_product.shaped_adjoint(1, 2), samples=[
    sample(COMPLEX(3, 5), COMPLEX(2, 3, 4), COMPLEX(4, 2, 5), ((0, 2), (1, 0)))])
def tensordot_adjoint_left_rule(ct, out, w, a, b, axes):
    return np.tensordot(ct, b, axes), None, tensordot_adjoint_right(w, ct, b, axes)


@rule(tensordot_adjoint_right, kind=of_product.shaped_adjoint(2, 1), samples=[
    sample(COMPLEX(3, 5), COMPLEX(2, 3, 4), COMPLEX(4, 2, 5), ((0, 2), (1, 0)))])
def tensordot_adjoint_right_rule(ct, out, w, a, b, axes):
    return np.tensordot(a, ct, axes), tensordot_adjoint_left(w, a, ct, axes), None


# --- einsum, multi_dot ----------------------------------------------------------------------------------

EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("i,i->", (3,), (3,)), ("i,j->ij", (3,), (2,)),
    ("ij,kj->ki", (2, 3), (4, 3)), ("ii->i", (3, 3)), ("ii", (3, 3)), ("ij->ji", (2, 3)), ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("iij->j", (2, 2, 3)), ("bij,bjk->bik", (2, 3, 2), (2, 2, 4)), ("...ij,...jk->...ik", (5, 2, 3), (3, 2)),
    ("...ij,...jk", (2, 2, 3), (1, 3, 2)), ("i...,i->...", (3, 2), (3,)), ("ij,j,k->ik", (2, 3), (3,), (2,)),
    ("ij,ij->ij", (1, 3), (2, 3)), ("ij,k->k", (2, 3), (4,)), ("ii,i->i", (3, 3), (3,)), ("ij,jk,kl,lm->im",
    (2, 3), (3, 2), (2, 4), (4, 2)), (" b i , i -> b ", (2, 3), (3,)), ("ba,b", (2, 3), (2,)),
    (",i->i", (), (3,))]
EINSUM_OF = [sample(spec[0], [domain(*shape) for shape in spec[1:]])
             for spec in EINSUMS for domain in (REAL, COMPLEX)]


@rule(np.einsum, contract, kind=of_product.einsum, samples=[
    sample(spec[0], *(REAL(*shape) for shape in spec[1:])) for spec in EINSUMS])
def einsum(ct, out, subscripts, *operands, optimize=False):
    """The adjoint of an operand is the einsum in which the result has taken its place."""
    if len(operands) == 2 and not optimize and einsum_is_plain(subscripts):
        return None, [
            unbroadcast(contract(einsum_swapped(subscripts, 0), ct, conj(operands[1])), operands[0]),
            unbroadcast(contract(einsum_swapped(subscripts, 1), conj(operands[0]), ct), operands[1])]
    if len(operands) == 1:
        return None, [einsum_adjoint(0, ct, subscripts, operands, optimize)]
    if len(operands) == 2:
        return None, [einsum_adjoint(0, ct, subscripts, operands, optimize),
                      einsum_adjoint(1, ct, subscripts, operands, optimize)]
    if len(operands) == 3:
        return None, [einsum_adjoint(0, ct, subscripts, operands, optimize),
                      einsum_adjoint(1, ct, subscripts, operands, optimize),
                      einsum_adjoint(2, ct, subscripts, operands, optimize)]
    return None, einsum_adjoints(ct, subscripts, operands, optimize)


@rule(einsum_of, kind=of_product.einsum_of, samples=EINSUM_OF)
def einsum_of_rule(ct, out, subscripts, operands, optimize=False):
    return None, einsum_adjoints(ct, subscripts, operands, optimize)


@rule(einsum_adjoint, kind=of_product.einsum_adjoint, samples=[
    sample(0, COMPLEX(2, 4), "ij,jk->ik", [COMPLEX(2, 3), COMPLEX(3, 4)]),
    sample(0, REAL(3), "ii->i", [REAL(3, 3)]),
    sample(1, COMPLEX(2, 4), "ij,jk->ik", (COMPLEX(2, 3), COMPLEX(3, 4))),
    *(sample(k, COMPLEX(2, 2), "ij,j,jk->ik", [COMPLEX(2, 3), COMPLEX(3), COMPLEX(3, 2)]) for k in (0, 1,
                                                                                                    2))])
def einsum_adjoint_rule(ct, out, k, w, subscripts, operands, optimize=False):
    """Linear in `w` and in each of the other operands."""
    value = einsum_of(subscripts, replace_item(operands, k, ct), optimize)
    if len(operands) == 1:
        return None, value, None, [zeros_like(operands[0])]
    if len(operands) == 2 and k == 0:
        return None, value, None, [zeros_like(operands[0]),
                                   einsum_adjoint(1, w, subscripts, [ct, operands[1]], optimize)]
    if len(operands) == 2:
        return None, value, None, [einsum_adjoint(0, w, subscripts, [operands[0], ct], optimize),
                                   zeros_like(operands[1])]
    if len(operands) == 3 and k == 0:
        return None, value, None, [zeros_like(operands[0]),
                                   einsum_adjoint(1, w, subscripts, [ct, operands[1], operands[2]], optimize),
                                   einsum_adjoint(2, w, subscripts, [ct, operands[1], operands[2]], optimize)]
    if len(operands) == 3 and k == 1:
        return None, value, None, [einsum_adjoint(0, w, subscripts, [operands[0], ct, operands[2]], optimize),
                                   zeros_like(operands[1]),
                                   einsum_adjoint(2, w, subscripts, [operands[0], ct, operands[2]], optimize)]
    if len(operands) == 3:
        return None, value, None, [einsum_adjoint(0, w, subscripts, [operands[0], operands[1], ct], optimize),
                                   einsum_adjoint(1, w, subscripts, [operands[0], operands[1], ct], optimize),
                                   zeros_like(operands[2])]
    return None, value, None, einsum_adjoint_operands(k, ct, w, subscripts, operands, optimize)


CHAIN = [REAL(2, 3), REAL(3, 2), REAL(2, 4), REAL(4, 2)]
THIRD = "np.einsum and multi_dot with more than 3 operands have no third derivative"
FEWER = "Multiply two operands at a time."


@rule(einsum_adjoints, kind=of_product.einsum_adjoints, samples=[
    sample(REAL(2, 2), "ij,jk,kl,lm->im", CHAIN), sample(COMPLEX(2, 4), "ij,jk->ik", [COMPLEX(2, 3), COMPLEX(3, 4)])])
def einsum_adjoints_rule(ct, out, w, subscripts, operands, optimize=False):
    """Linear in `w`, and in each operand except for its own adjoint."""
    return (einsum_variation(ct, subscripts, operands, optimize), None,
            einsum_adjoints_operands(ct, w, subscripts, operands, optimize))


@rule(einsum_variation, kind=of_product.einsum_variation)
def einsum_variation_rule(ct, out, cts, subscripts, operands, optimize=False):
    return refuse(THIRD, FEWER), None, refuse(THIRD, FEWER)


@rule(einsum_adjoint_operands, kind=lambda k, ct, w, subscripts, operands, *_: of_product.like_operands(operands))
def einsum_adjoint_operands_rule(ct, out, k, y, w, subscripts, operands, optimize=False):
    return None, refuse(THIRD, FEWER), refuse(THIRD, FEWER), None, refuse(THIRD, FEWER)


@rule(einsum_adjoints_operands, kind=lambda cts, w, subscripts, operands, *_: of_product.like_operands(operands))
def einsum_adjoints_operands_rule(ct, out, cts, w, subscripts, operands, optimize=False):
    return refuse(THIRD, FEWER), refuse(THIRD, FEWER), None, refuse(THIRD, FEWER)


@rule(replace_item, kind=of_product.replace_item, samples=[sample((REAL(2), REAL(3)), 0, REAL(4))])
def replace_item_rule(ct, out, items, k, value):
    return replace_item(ct, k, zeros_like(items[k])), None, ct[k]


@rule(np.linalg.multi_dot, kind=of_product.multi_dot, samples=[
    sample([REAL(2, 3), REAL(3, 4)]), sample([COMPLEX(2, 3), COMPLEX(3, 4), COMPLEX(4, 2)]),
    sample([REAL(3), REAL(3, 4), REAL(4)]), sample([REAL(3), REAL(3, 4), REAL(4, 2), REAL(2, 3)])])
def multi_dot(ct, out, arrays):
    """A chain of matrix products is an einsum."""
    chain = multi_dot_subscripts(arrays)
    if len(arrays) == 2:
        return [einsum_adjoint(0, ct, chain, arrays, True), einsum_adjoint(1, ct, chain, arrays, True)]
    if len(arrays) == 3:
        return [einsum_adjoint(0, ct, chain, arrays, True), einsum_adjoint(1, ct, chain, arrays, True),
                einsum_adjoint(2, ct, chain, arrays, True)]
    return einsum_adjoints(ct, chain, arrays, True)


# --- kron, cross, convolve ------------------------------------------------------------------------------

@rule(np.kron, kind=of_product.kron, samples=pairs(((2,), (3,)), ((2, 3), (3, 2)), ((2,), (3, 2)), ((2, 3), (3,)), ((), (2,))))
def kron(ct, out, a, b):
    return kron_adjoint_left(ct, a, b), kron_adjoint_right(ct, a, b)


@rule(kron_adjoint_left, kind=of_product.shaped_adjoint(1, 2), samples=[sample(COMPLEX(4, 6), COMPLEX(2, 3),
                                                                      COMPLEX(2, 2))])
def kron_adjoint_left_rule(ct, out, w, a, b):
    return np.kron(ct, b), None, kron_adjoint_right(w, ct, b)


@rule(kron_adjoint_right, kind=of_product.shaped_adjoint(2, 1), samples=[sample(COMPLEX(4, 6), COMPLEX(2, 3),
                                                                       COMPLEX(2, 2))])
def kron_adjoint_right_rule(ct, out, w, a, b):
    return np.kron(a, ct), kron_adjoint_left(w, a, ct), None


@rule(np.cross, kind=of_product.cross, samples=[
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


@rule(cross_adjoint, kind=of_product.adjoint_left, samples=[
    sample(COMPLEX(4, 3), COMPLEX(3), COMPLEX(4, 3)), sample(REAL(2, 3), REAL(2, 3), REAL(1, 3))])
def cross_adjoint_rule(ct, out, w, a, b):
    return unbroadcast(np.cross(ct, b), w), None, cross_adjoint(-w, b, ct)


@rule(*available(np.linalg, "cross"), kind=of_product.linalg_cross, samples=[*pairs(((3,), (3,)), ((4, 3), (3,))),
                                               sample(REAL(3, 2), REAL(3, 2), axis=0)])
def linalg_cross(ct, out, a, b, axis=-1):
    first, second, result = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1), np.moveaxis(ct, axis, -1)
    return (np.moveaxis(cross_adjoint(result, first, second), -1, axis),
            np.moveaxis(cross_adjoint(-result, second, first), -1, axis))


CONVOLUTIONS = [sample(domain(n), domain(m), mode) for domain in (REAL, COMPLEX) for mode in ("full", "same",
                                                                                              "valid")
                for n, m in ((5, 3), (3, 5), (4, 4), (5, 2), (2, 5), (1, 3))]


@rule(np.convolve, kind=of_product.convolve, samples=CONVOLUTIONS)
def convolve(ct, out, a, v, mode="full"):
    return convolve_adjoint(ct, a, v, mode), convolve_adjoint(ct, v, a, mode)


@rule(convolve_adjoint, kind=of_product.shaped_adjoint(1, 2), samples=[sample(COMPLEX(6), COMPLEX(4), COMPLEX(3)),
                                                              sample(REAL(4), REAL(3), REAL(4), "same")])
def convolve_adjoint_rule(ct, out, w, a, v, mode="full"):
    return np.convolve(ct, v, mode), None, convolve_adjoint(w, v, ct, mode)


# --- diagonals and triangles ----------------------------------------------------------------------------

DIAGONALS = [sample(REAL(3, 3)), sample(REAL(3, 4), 1), sample(REAL(4, 3), -2),
             sample(REAL(2, 3, 4), 0, 1, 2),
             sample(REAL(2, 3, 4), 1, axis1=2, axis2=0), sample(REAL(3, 2, 3), -1, -1, 0),
             sample(COMPLEX(2, 3))]


@rule(np.trace, kind=kind_of.trace, samples=DIAGONALS)
def trace(ct, out, a, offset=0, axis1=0, axis2=1):
    return place_diagonal(np.expand_dims(ct, -1), a, offset, axis1, axis2)


@rule(np.diagonal, kind=kind_of.diagonal, samples=DIAGONALS)
def diagonal(ct, out, a, offset=0, axis1=0, axis2=1):
    return place_diagonal(ct, a, offset, axis1, axis2)


@rule(*available(np.linalg, "trace"), kind=of_product.linalg_trace, samples=[sample(REAL(2, 3, 3)), sample(REAL(3, 4), offset=1)])
def linalg_trace(ct, out, a, offset=0):
    return place_diagonal(np.expand_dims(ct, -1), a, offset, -2, -1)


@rule(*available(np.linalg, "diagonal"), kind=of_product.linalg_diagonal,
      samples=[sample(REAL(2, 3, 3)), sample(REAL(3, 4), offset=1)])
def linalg_diagonal(ct, out, a, offset=0):
    return place_diagonal(ct, a, offset, -2, -1)


@rule(place_diagonal, kind=kind_of.shaped_like(1), samples=[
    sample(REAL(3), REAL(3, 4), 1), sample(REAL(2, 3), REAL(3, 2, 4), 0, 0, -1), sample(REAL(1), REAL(3, 3))])
def place_diagonal_rule(ct, out, values, x, offset=0, axis1=0, axis2=1):
    return unbroadcast(np.diagonal(ct, offset, axis1, axis2), values), None


@rule(np.diag, kind=kind_of.diag, samples=[
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


@rule(np.diagflat, kind=of_product.diagflat, samples=[sample(REAL(3)), sample(REAL(2, 2), 1)])
def diagflat(ct, out, v, k=0):
    return np.reshape(np.diagonal(ct, k), np.shape(v))


TRIANGLES = [sample(REAL(3, 3)), sample(REAL(3, 4), 1), sample(REAL(2, 4, 3), k=-1), sample(REAL(3)),
             sample(COMPLEX(2, 2))]


@rule(np.tril, kind=kind_of.triangle, samples=TRIANGLES)
def tril(ct, out, m, k=0):
    if ndim(m) == 2:
        return np.tril(ct, k)
    return unbroadcast(np.tril(ct, k), m)


@rule(np.triu, kind=kind_of.triangle, samples=TRIANGLES)
def triu(ct, out, m, k=0):
    if ndim(m) == 2:
        return np.triu(ct, k)
    return unbroadcast(np.triu(ct, k), m)


@rule(np.vander, kind=of_product.vander, samples=[sample(REAL(3)), sample(REAL(3), 4), sample(REAL(4), 3, increasing=True),
                          sample(REAL(3), 1)])
def vander(ct, out, x, N=None, increasing=False):
    return np.sum(ct * conj(vander_derivative(x, ct.shape[1], increasing, 1)), axis=1)


@rule(vander_derivative, kind=of_product.vander_derivative, samples=[sample(REAL(3), 4, True, 1), sample(REAL(3), 4, False, 2)])
def vander_derivative_rule(ct, out, x, n, increasing, order):
    return np.sum(ct * conj(vander_derivative(x, n, increasing, order + 1)), axis=1)


@rule(np.cov, kind=of_product.cov, samples=[sample(REAL(3, 5)), sample(REAL(5)), sample(REAL(5, 3), rowvar=False),
                       sample(COMPLEX(2, 4)),
                       sample(REAL(3, 5), bias=True), sample(REAL(3, 5), ddof=2), sample(REAL(1, 5)),
                       sample(REAL(5, 1), rowvar=False), sample(COMPLEX(1, 3))])
def cov(ct, out, m, y=None, rowvar=True, bias=False, ddof=None):
    """out = X conj(X).T / (n - ddof) with the means subtracted from X; rows with sum 0 stay such."""
    if y is not None:
        return (refuse("np.cov(m, y) has no derivative rule", "Stack m and y first: np.cov(np.vstack([m, y]))."),
                refuse("np.cov(m, y) has no derivative rule", "Stack m and y first: np.cov(np.vstack([m, y]))."))
    if ndim(m) == 0:
        return 0.0 * out * ct                                # a single value has variance 0, or NaN
    if ndim(m) == 1 or rowvar:
        centered = m - np.mean(m, axis=-1, keepdims=True)
        count = np.shape(m)[-1]
    else:
        centered = (m - np.mean(m, axis=0)).T
        count = np.shape(m)[0]
    if ddof is not None:
        scaled = ct / (count - ddof)
    elif bias:
        scaled = ct / count
    else:
        scaled = ct / (count - 1)
    if ndim(m) == 1:
        return 2.0 * np.real(scaled) * centered
    if ndim(out) == 2:
        square = scaled
    else:
        square = np.reshape(scaled, np.shape(centered)[:1] * 2)        # one variable: its variance is a number
    if rowvar:
        return (square + conj(square).T) @ centered
    return ((square + conj(square).T) @ centered).T
