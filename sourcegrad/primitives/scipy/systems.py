"""Sparse matrices of SciPy: what makes and joins them, systems of equations, and what those do that were made outside."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from sourcegrad.kinds import Kind, Num, Obj
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import REAL, available, declare, jvp, nondifferentiable, rule, sample
from sourcegrad.primitives.scipy.matrices import Sparse, by_rows, constant, from_outside, from_values, made
from sourcegrad.primitives.scipy.patterns import factors, pattern_size, placed, solved
from sourcegrad.primitives.scipy.piecewise import Interpolator, beside
from sourcegrad.primitives.scipy.places import (
    banded_lines,
    diagonal_places,
    identity_places,
    is_banded,
    joined,
    kron_places,
    one_side,
    pattern_of,
    values_of,
)
from sourcegrad.runtime import no_formula, refuse

MATRIX = "a gradient by a sparse matrix as an argument"
VALUES = "Give its values as an argument, and make the matrix in the function: csr_array((values, indices, indptr), shape=shape)."

# --- construction ---------------------------------------------------------------------------------------------


def diagonals_of(diagonals: Any) -> tuple:
    """Diagonals as arrays of rank 1, one after the other, and their sizes"""
    parts = [np.atleast_1d(np.asarray(part) + 0.0) for part in diagonals]
    return np.concatenate(parts), [len(part) for part in parts]


def with_diagonals(diagonals: Any, offsets: Any, shape: Any, matrix: bool) -> Any:
    """The matrix with these diagonals"""
    several = not isinstance(offsets, int)
    values, sizes = diagonals_of(diagonals if several else [diagonals[0] if np.ndim(diagonals[0]) > 0 else diagonals])
    inside = banded_lines(sizes, offsets, shape)
    if is_banded(inside):
        return Sparse(values, inside, matrix)
    return from_values(values, diagonal_places(sizes, offsets if several else [offsets], shape), matrix, False)


def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    return with_diagonals(diagonals, offsets, shape, True)


def diags_array(diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    return with_diagonals(diagonals, offsets, shape, False)


def ones_on(pattern: Any, matrix: bool) -> Any:
    return Sparse(np.ones(pattern_size(pattern)), pattern, matrix, True)


def eye(m: int, n: Any = None, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    return ones_on(identity_places(m, n, k), True)


def identity(n: int, dtype: Any = "d", format: Any = None) -> Any:
    return ones_on(identity_places(n, n, 0), True)


def eye_array(m: int, n: Any = None, *, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    return ones_on(identity_places(m, n, k), False)


def as_sparse(A: Any) -> Any:
    """A matrix as `Sparse`; a dense one is one of SciPy's matrices"""
    if isinstance(A, Sparse):
        return A
    if from_outside(A):
        return Sparse(beside(values_of(A), A), pattern_of(A), isinstance(A, sparse.spmatrix), True)
    return made("coo", A, None, True)


def kron(A: Any, B: Any, format: Any = None) -> Any:
    """All products of a value of the one and the other"""
    left, right = as_sparse(A), as_sparse(B)
    first, second, pattern = kron_places(left.pattern, right.pattern)
    return Sparse(left.values[first] * right.values[second], pattern, left.matrix and right.matrix)


def as_block(A: Any) -> Any:
    """A matrix as `Sparse`; None: one of no shape, which the others beside and below it make one of zeros"""
    return as_sparse(np.zeros((0, 0))) if A is None else as_sparse(A)


def put_together(rows: Any, how: str) -> Any:
    """Matrices beside and below each other"""
    parts = [as_block(block) for row in rows for block in row]
    patterns = [[as_block(block).pattern for block in row] for row in rows]
    taken, position, pattern = joined(patterns, how)
    values = np.concatenate([part.values for part in parts])
    return Sparse(placed(values, taken, position, pattern_size(pattern)), pattern, all([part.matrix for part in parts]))


def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return put_together([blocks], "blocks")


def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return put_together([[block] for block in blocks], "blocks")


def bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """Rows of matrices beside each other, one below the other"""
    return put_together(blocks, "blocks")


def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    return put_together([mats], "diagonal")


def tril(A: Any, k: int = 0, format: Any = None) -> Any:
    """What stands on and below a diagonal"""
    return triangle(as_sparse(A), k, True)


def triu(A: Any, k: int = 0, format: Any = None) -> Any:
    """What stands on and above a diagonal"""
    return triangle(as_sparse(A), k, False)


def triangle(A: Any, k: int, lower: bool) -> Any:
    ordered = by_rows(A, A.matrix)
    place, pattern = one_side(ordered.pattern, k, lower)
    return Sparse(ordered.values[place], pattern, A.matrix, A.stored)


def issparse(x: Any) -> bool:
    return isinstance(x, (Sparse, sparse.spmatrix, sparse.sparray))


def isspmatrix(x: Any) -> bool:
    return x.matrix if isinstance(x, Sparse) else isinstance(x, sparse.spmatrix)


declare("instead", {
    sparse.diags: diags, sparse.diags_array: diags_array, sparse.eye: eye, sparse.identity: identity, sparse.eye_array: eye_array,
    sparse.kron: kron, sparse.hstack: hstack, sparse.vstack: vstack, sparse.bmat: bmat, sparse.block_array: bmat,
    sparse.block_diag: block_diag, sparse.tril: tril, sparse.triu: triu, sparse.issparse: issparse,
    sparse.isspmatrix: isspmatrix})
declare("remedy", dict.fromkeys(
    (sparse.lil_matrix, sparse.lil_array, sparse.dok_matrix, sparse.dok_array),
    "Collect rows, columns and values in lists, and make sparse.csr_array((values, (rows, columns)), shape=shape)."))

# --- systems of equations -------------------------------------------------------------------------------------


class Factorized(Interpolator):
    """A matrix with its factors L and U"""

    def __init__(self, A: Any) -> None:
        found = as_sparse(A)
        self.values, self.pattern = found.values, found.pattern
        self.made = factors(self.values, self.pattern)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        if trans == "T":
            return np.conj(solved(self.made, self.values, self.pattern, np.conj(np.asarray(rhs)), "H"))
        return solved(self.made, self.values, self.pattern, np.asarray(rhs), trans)

    def __call__(self, rhs: Any) -> Any:
        return self.solve(rhs)


def splu(A: Any, permc_spec: Any = None, diag_pivot_thresh: Any = None, relax: Any = None, panel_size: Any = None,
         options: Any = None) -> Any:
    """The factors of a matrix"""
    return Factorized(A)


def factorized(A: Any) -> Any:
    """A function that solves systems with a matrix"""
    return Factorized(A)


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """x with A x = b"""
    if isinstance(b, (Sparse, sparse.spmatrix, sparse.sparray)):
        no_formula(b, "scipy.sparse.linalg.spsolve with a sparse right side")
    side = np.asarray(b)
    found = Factorized(A).solve(side)
    return found[:, 0] if side.ndim == 2 and side.shape[1] == 1 else found


declare("instead", {linalg.spsolve: spsolve, linalg.splu: splu, linalg.factorized: factorized})


# --- matrices that were made outside

def product(A: Any, x: Any) -> Any:
    """A x"""
    return A @ x


def adjoint_product(A: Any, x: Any) -> Any:
    """A^H x"""
    return A.conj().T @ x if np.iscomplexobj(A.data) else A.T @ x


def outside_kind(A: Kind, x: Kind) -> Kind:
    model = leaf(x)
    return Num(None, model.dims and (None, *model.dims[1:]), True)


FIXED_MATRIX = sparse.csr_array(np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.5]]))


@rule(product, kind=outside_kind, order="other", samples=[sample(FIXED_MATRIX, REAL(3)), sample(FIXED_MATRIX, REAL(3, 2))])
def product_rule(ct, out, A, x):
    """out_i = sum of a_ij x_j"""
    return refuse(MATRIX, VALUES), adjoint_product(A, ct)


@rule(adjoint_product, kind=outside_kind, order="other", samples=[sample(FIXED_MATRIX, REAL(2)), sample(FIXED_MATRIX, REAL(2, 2))])
def adjoint_product_rule(ct, out, A, x):
    """out_j = sum of conj(a_ij) x_i"""
    return refuse(MATRIX, VALUES), product(A, ct)


@jvp(product)
def product_tangent(dot, out, A, x):
    return refuse(MATRIX, VALUES), product(A, dot)


@jvp(adjoint_product)
def adjoint_product_tangent(dot, out, A, x):
    return refuse(MATRIX, VALUES), adjoint_product(A, dot)


def outside_matmul(self: Any, other: Any) -> Any:
    """A x, or A B"""
    if isinstance(other, Sparse):
        return constant(self, other.values) @ other
    return product(self, np.asarray(other))


def outside_rmatmul(self: Any, other: Any) -> Any:
    """x A"""
    if isinstance(other, Sparse):
        return other @ constant(self, other.values)
    return np.conj(adjoint_product(self, np.conj(np.asarray(other)).T)).T


def outside_multiply(self: Any, other: Any) -> Any:
    """The products of values by element"""
    return constant(self, other).multiply(other)


def outside_mul(self: Any, other: Any) -> Any:
    """A x of an spmatrix, or its product with a number"""
    if isinstance(other, Sparse) or np.ndim(other) == 0:
        return constant(self, other) * other
    return product(self, np.asarray(other))


def outside_rmul(self: Any, other: Any) -> Any:
    """x A of an spmatrix, or its product with a number"""
    return constant(self, other) * other if np.ndim(other) == 0 else outside_rmatmul(self, other)


def outside_add(self: Any, other: Any) -> Any:
    """A + B"""
    return constant(self, other) + other


def outside_sub(self: Any, other: Any) -> Any:
    """A - B"""
    return constant(self, other) - other


def outside_rsub(self: Any, other: Any) -> Any:
    """B - A"""
    return -constant(self, other) + other


def outside_truediv(self: Any, other: Any) -> Any:
    """A / number"""
    return constant(self, other) / other


declare("instead", {
    sparse.csr_array.__matmul__: outside_matmul, sparse.csr_array.dot: outside_matmul, sparse.coo_array.dot: outside_matmul,
    sparse.csr_array.__rmatmul__: outside_rmatmul,
    sparse.csr_array.multiply: outside_multiply, sparse.csr_array.__mul__: outside_multiply,
    sparse.csr_array.__rmul__: outside_multiply,
    sparse.csr_matrix.__mul__: outside_mul, sparse.csr_matrix.__rmul__: outside_rmul, sparse.csr_array.__truediv__: outside_truediv,
    sparse.csr_array.__add__: outside_add, sparse.csr_array.__radd__: outside_add, sparse.csr_array.__sub__: outside_sub,
    sparse.csr_array.__rsub__: outside_rsub})

CLASSES = (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.dia_array, sparse.bsr_array)
TURNED = {sparse.csr_matrix: sparse.csc_matrix, sparse.csc_matrix: sparse.csr_matrix, sparse.csr_array: sparse.csc_array,
          sparse.csc_array: sparse.csr_array}


def turned_kind(self: Kind, *_: Kind, **__: Kind) -> Kind:
    cls: Any = getattr(self, "cls", sparse.csr_array)
    return Obj(TURNED.get(cls, cls))


def same_class(self: Kind, *_: Kind, **__: Kind) -> Kind:
    return Obj(getattr(self, "cls", sparse.csr_array))


def row_kind(self: Kind, *_: Kind, **__: Kind) -> Kind:
    return Obj(sparse.csr_matrix if issubclass(getattr(self, "cls", object), sparse.spmatrix) else sparse.csr_array)


def column_kind(self: Kind, *_: Kind, **__: Kind) -> Kind:
    return Obj(sparse.csc_matrix if issubclass(getattr(self, "cls", object), sparse.spmatrix) else sparse.csc_array)


transpositions = {cls.transpose for cls in CLASSES}
nondifferentiable(sparse.csr_array.T.fget, *transpositions, kind=turned_kind, but=("self",))            # type: ignore[attr-defined]
nondifferentiable(*{cls.tocsr for cls in CLASSES}, kind=row_kind, but=("self",))
nondifferentiable(*{cls.tocsc for cls in CLASSES}, kind=column_kind, but=("self",))
nondifferentiable(*{cls.copy for cls in CLASSES}, *{cls.conj for cls in CLASSES}, kind=same_class, but=("self",))
nondifferentiable(*{cls.toarray for cls in CLASSES}, kind=lambda self, *rest, **options: Num(None, (None, None), True),
                  but=("self",))
nondifferentiable(*{cls.diagonal for cls in CLASSES}, kind=lambda self, *rest, **options: Num(None, (None,), True), but=("self",))
nondifferentiable(sparse.csr_array.nnz.fget, *available(linalg, "norm"), but=("self", "x"))                  # type: ignore[attr-defined]
