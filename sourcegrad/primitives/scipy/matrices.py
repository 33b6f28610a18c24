"""Sparse matrices of scipy.sparse in plain Python: values that may depend on inputs, at places that do not.

A matrix that is made in the function is an object of `Sparse`; one that was made outside is a constant, and becomes
one where it meets those. Where values stand is found by SciPy itself, which is given their numbers in their place.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from sourcegrad.kinds import BOOL, Const, Kind, Num, Obj
from sourcegrad.primitives.core import STOOD_FOR, declare, nondifferentiable
from sourcegrad.primitives.scipy.patterns import (
    Pattern,
    back_times,
    flipped,
    in_rows,
    merged,
    order_by_rows,
    ordered_by_rows,
    pattern_size,
    placed,
    product_part,
    product_pattern,
    times,
    trimmed,
)
from sourcegrad.primitives.scipy.piecewise import Interpolator, beside
from sourcegrad.primitives.scipy.places import (
    any_place,
    banded_data,
    both_places,
    columns_of,
    empty_pattern,
    is_banded,
    is_in_order,
    made_of,
    on_diagonal,
    pattern_of,
    rows_of,
    shape_in,
    taken_part,
    takes_line,
    values_of,
)
from sourcegrad.runtime import no_formula

OUTSIDE = (sparse.spmatrix, sparse.sparray)


def from_outside(x: Any) -> bool:
    """Whether a value is a matrix of SciPy."""
    return isinstance(x, OUTSIDE)


def outside_kind(x: Kind) -> Kind:
    return Const(isinstance(x, Obj) and issubclass(x.cls, OUTSIDE)) if isinstance(x, (Obj, Num, Const)) else BOOL


nondifferentiable(from_outside, kind=outside_kind)


# --- matrices -------------------------------------------------------------------------------------------------

class Sparse(Interpolator):
    """A matrix by its values; matrix: whether `*` is the product of matrices; stored: whether the values are `data`"""

    __array_ufunc__ = None

    def __init__(self, values: Any, pattern: Pattern, matrix: bool, stored: bool = False) -> None:
        self.values, self.pattern, self.matrix, self.stored = values, pattern, matrix, stored

    @property
    def data(self) -> Any:
        if not self.stored:
            no_formula(self.values, "the data of a sparse matrix that is not in the order of csr_array")
        return self.values

    @property
    def shape(self) -> tuple:
        return shape_in(self.pattern)

    @property
    def T(self) -> Any:
        return self.transpose()

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        return Sparse(self.values, flipped(self.pattern), self.matrix)

    def tocsr(self, copy: bool = False) -> Any:
        return by_rows(self, self.matrix)

    def tocsc(self, copy: bool = False) -> Any:
        return Sparse(self.values, self.pattern, self.matrix)

    def tocoo(self, copy: bool = False) -> Any:
        return self.tocsc()

    def asformat(self, format: Any, copy: bool = False) -> Any:
        return self.tocsr() if format == "csr" else self.tocsc()

    def copy(self) -> Any:
        return Sparse(self.values + 0.0, self.pattern, self.matrix, self.stored)

    def conj(self, copy: bool = True) -> Any:
        return Sparse(np.conj(self.values), self.pattern, self.matrix, self.stored)

    def like(self, values: Any) -> Any:
        return Sparse(values, self.pattern, self.matrix, self.stored)

    def __neg__(self) -> Any:
        return self.like(-self.values)

    def power(self, n: Any) -> Any:
        return self.like(self.values ** n)

    def __pow__(self, n: int) -> Any:
        if not self.matrix:
            return self.power(n)
        found = self
        for _ in range(n - 1):
            found = found @ self
        return found

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Sparse) or np.ndim(other) != 0:
            no_formula(self.values, "the division of a sparse matrix by an array or a matrix")
        return self.like(self.values / other)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            there = product_pattern(self.pattern, other.pattern)
            return Sparse(product_part(self.values, self.pattern, other.values, other.pattern, there), there, self.matrix)
        if from_outside(other):
            return self @ constant(other, self.values)
        return times(self.values, self.pattern, np.asarray(other))

    def __rmatmul__(self, other: Any) -> Any:
        if from_outside(other):
            return constant(other, self.values) @ self
        return back_times(np.conj(self.values), self.pattern, np.asarray(other).T).T

    def dot(self, other: Any) -> Any:
        if isinstance(other, (Sparse, sparse.spmatrix, sparse.sparray)):
            return self @ other
        return self @ other if np.ndim(other) > 0 else self.like(self.values * other)

    def __mul__(self, other: Any) -> Any:
        return self.dot(other) if self.matrix else self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        if from_outside(other):
            return other @ self if self.matrix else self.multiply(other)
        if np.ndim(other) == 0:
            return self.like(self.values * other)
        return other @ self if self.matrix else self.multiply(other)

    def multiply(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            first, second, pattern = both_places(self.pattern, other.pattern)
            return Sparse(self.values[first] * other.values[second], pattern, self.matrix)
        if from_outside(other):
            return self.multiply(constant(other, self.values))
        if np.ndim(other) == 0:
            return self.like(self.values * other)
        factor = np.atleast_2d(np.asarray(other))
        rows, columns = rows_of(self.pattern), columns_of(self.pattern)
        if factor.shape[0] == 1:
            return self.like(self.values * factor[0][columns])
        if factor.shape[1] == 1:
            return self.like(self.values * factor[:, 0][rows])
        return self.like(self.values * factor[rows, columns])

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            taken, position, pattern = any_place(self.pattern, other.pattern)
            both = np.concatenate([self.values, other.values])
            return Sparse(placed(both, taken, position, pattern_size(pattern)), pattern, self.matrix)
        if from_outside(other):
            return self + constant(other, self.values)
        if np.ndim(other) == 0:
            no_formula(self.values, "a number added to a sparse matrix")
        return self.toarray() + other

    def __radd__(self, other: Any) -> Any:
        if from_outside(other) or np.ndim(other) > 0:
            return self + other
        if other != 0:
            no_formula(self.values, "a number added to a sparse matrix")
        return self

    def __sub__(self, other: Any) -> Any:
        return self + -constant(other, self.values) if from_outside(other) else self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + (constant(other, self.values) if from_outside(other) else other)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if axis is None:
            return np.sum(self.values)
        if self.matrix:
            no_formula(self.values,
                       "the sum of a sparse matrix along an axis, which is an np.matrix: use csr_array or A @ np.ones(n)")
        n, m = self.shape
        if axis in (1, -1):
            return times(self.values, self.pattern, np.ones(m))
        return back_times(np.conj(self.values), self.pattern, np.ones(n))

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        n, m = self.shape
        return self.sum(axis) / (n * m if axis is None else m if axis in (1, -1) else n)

    def diagonal(self, k: int = 0) -> Any:
        place, position, size = on_diagonal(self.pattern, k)
        return merged(self.values[place], position, size)

    def trace(self, offset: int = 0) -> Any:
        return np.sum(self.diagonal(offset))

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        n, m = self.shape
        return np.reshape(merged(self.values, rows_of(self.pattern) * m + columns_of(self.pattern), n * m), (n, m))

    def todense(self, order: Any = None, out: Any = None) -> Any:
        if self.matrix:
            no_formula(self.values, "todense() of a sparse matrix, which is an np.matrix: use toarray()")
        return self.toarray()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and isinstance(key[0], (int, np.integer)) and isinstance(key[1], (int, np.integer)):
            number = taken_part(self.pattern, key)
            return self.values[number - 1] if number > 0 else 0.0 * np.sum(self.values)
        if not self.matrix and takes_line(key):
            no_formula(self.values, "a row of a sparse array, which has one axis: take it with a list, A[[i], :]")
        taken, position, pattern = taken_part(self.pattern, key)
        return Sparse(placed(self.values, taken, position, pattern_size(pattern)), pattern, self.matrix)

    def getrow(self, i: int) -> Any:
        return self[[i], :]


def by_rows(A: Sparse, matrix: bool) -> Any:
    """A matrix with its values row by row, as they are `data` of csr_array"""
    if in_rows(A.pattern):
        return Sparse(A.values, A.pattern, matrix, True)
    pattern = ordered_by_rows(A.pattern)
    return Sparse(placed(A.values, order_by_rows(A.pattern), None, pattern_size(pattern)), pattern, matrix, True)


def constant(matrix: Any, values: Any) -> Any:
    """A matrix that was made outside, beside values that are differentiated"""
    return Sparse(beside(values_of(matrix), matrix), pattern_of(matrix), isinstance(matrix, sparse.spmatrix), True)


def from_values(data: Any, found: tuple, matrix: bool, csr: bool) -> Any:
    """The matrix of values that were put in order"""
    taken, position, pattern = found
    flat = np.ravel(data)
    if is_in_order(taken, position):
        return Sparse(flat, pattern, matrix, csr)
    return Sparse(placed(flat, taken, position, pattern_size(pattern)), pattern, matrix)


def with_places(kind: str, data: Any, places: tuple, shape: Any, matrix: bool) -> Any:
    """What a constructor gives of values and their places; of two sizes: zeros"""
    if np.ndim(data) == 0:
        return Sparse(np.zeros(0), empty_pattern(data, places), matrix, True)
    data = np.asarray(data)
    if kind == "dia":
        inside = banded_data(data.shape, places[0], shape)
        if is_banded(inside):
            return Sparse(trimmed(data, inside), inside, matrix)
    how = "coo" if len(places) == 1 and kind != "dia" else kind
    return from_values(data, made_of(how, data.size, data.shape, places, shape), matrix, kind == "csr")


def made(kind: str, arg1: Any, shape: Any, matrix: bool) -> Any:
    """What a constructor gives: of values and their places, of a dense array, or of another matrix"""
    if isinstance(arg1, Sparse):
        return by_rows(arg1, matrix) if kind == "csr" else Sparse(arg1.values, arg1.pattern, matrix)
    if isinstance(arg1, tuple):
        if len(arg1) == 2:
            data, place = arg1
            places: tuple = (place,)
        else:
            data, place, ends = arg1
            places = (place, ends)
        return with_places(kind, data, places, shape, matrix)
    if from_outside(arg1):
        return Sparse(beside(values_of(arg1), arg1), pattern_of(arg1), matrix, kind == "csr")
    dense = np.atleast_2d(np.asarray(arg1))
    rows, columns = np.indices(dense.shape)
    return from_values(dense, made_of("coo", dense.size, (dense.size,), ((rows.ravel(), columns.ravel()),), dense.shape), matrix,
                       False)


def csr_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("csr", arg1, shape, True)


def csr_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("csr", arg1, shape, False)


def csc_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("csc", arg1, shape, True)


def csc_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("csc", arg1, shape, False)


def coo_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("coo", arg1, shape, True)


def coo_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("coo", arg1, shape, False)


def dia_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("dia", arg1, shape, True)


def dia_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None) -> Any:
    return made("dia", arg1, shape, False)


def bsr_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, blocksize: Any = None, *,
               maxprint: Any = None) -> Any:
    return made("bsr", arg1, shape, True)


def bsr_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, blocksize: Any = None, *,
              maxprint: Any = None) -> Any:
    return made("bsr", arg1, shape, False)


declare("instead", {
    sparse.csr_matrix: csr_matrix, sparse.csr_array: csr_array, sparse.csc_matrix: csc_matrix, sparse.csc_array: csc_array,
    sparse.coo_matrix: coo_matrix, sparse.coo_array: coo_array, sparse.dia_matrix: dia_matrix, sparse.dia_array: dia_array,
    sparse.bsr_matrix: bsr_matrix, sparse.bsr_array: bsr_array})
STOOD_FOR[Sparse] = {getattr(sparse, f"{kind}_{name}"): ("matrix", name == "matrix") for name in ("matrix", "array")
                     for kind in ("csr", "csc", "coo", "dia", "bsr", "lil", "dok")}
