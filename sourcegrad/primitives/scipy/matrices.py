"""Sparse matrices of scipy.sparse in plain Python: values that may depend on inputs, at places that do not.

A matrix that is made in the function is an object of `Sparse`; one that was made outside is a constant, and becomes
one where it meets those. Where values stand is found by SciPy itself, which is given their numbers in their place.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from sourcegrad.kinds import BOOL, DISCRETE, Const, Kind, Num, Obj
from sourcegrad.primitives.core import STOOD_FOR, declare, nondifferentiable
from sourcegrad.primitives.scipy.patterns import (
    Pattern,
    Turned,
    back_times,
    flipped,
    is_turned,
    merged,
    ordered_by_rows,
    product_part,
    product_pattern,
    times,
    turned_values,
)
from sourcegrad.primitives.scipy.piecewise import Interpolator, beside
from sourcegrad.runtime import no_formula

OUTSIDE = (sparse.spmatrix, sparse.sparray)


def from_outside(x: Any) -> bool:
    """Whether a value is a matrix of SciPy."""
    return isinstance(x, OUTSIDE)


def outside_kind(x: Kind) -> Kind:
    return Const(isinstance(x, Obj) and issubclass(x.cls, OUTSIDE)) if isinstance(x, (Obj, Num, Const)) else BOOL


nondifferentiable(from_outside, kind=outside_kind)


# --- where values stand ---------------------------------------------------------------------------------------

def numbered(pattern: Pattern, first: int = 1) -> Any:
    """The matrix whose values are their own numbers"""
    return pattern.matrix(np.arange(first, first + pattern.size))


def arranged(found: Any) -> tuple:
    """Which value stands where in a matrix of numbers of values, of which some may stand together: the number of each that is
    taken, the position of each in the result, the pattern of that"""
    found = found.tocoo()
    taken, ordered = np.asarray(found.data, np.intp) - 1, row_by_row(found.row, found.col, found.shape)
    rows = np.repeat(np.arange(found.shape[0]), np.diff(ordered.indptr))
    first = np.ones(len(rows), bool)
    first[1:] = (np.diff(ordered.indices) != 0) | (np.diff(rows) != 0)
    position = np.empty(len(rows), np.intp)
    position[ordered.data] = np.cumsum(first) - 1
    if first.all():
        return taken, position, Pattern(ordered.indices, ordered.indptr, found.shape)
    counts = np.bincount(rows[first], minlength=found.shape[0])
    indptr = np.concatenate([np.zeros(1, int), np.cumsum(counts)])
    return taken, position, Pattern(ordered.indices[first], indptr.astype(ordered.indptr.dtype), found.shape)


def row_by_row(rows: Any, columns: Any, shape: tuple) -> Any:
    """The matrix of the positions of places in a list, in order; those of the same place beside each other"""
    listed = sparse.coo_array((np.arange(len(rows)), (rows, columns)), shape=shape)
    listed.has_canonical_format = True                       # as if each place were there once: they are not added
    found = listed.tocsr()
    found.sort_indices()
    return found


def made_of(kind: str, size: int, shape_of_data: tuple, rest: Any, shape: Any) -> tuple:
    """What a constructor of SciPy makes of so many values"""
    if kind == "csr":
        found = sparse.csr_array((np.broadcast_to(np.int8(1), size), *rest), shape=shape)
        if found.has_canonical_format:
            return None, None, Pattern(found.indices, found.indptr, found.shape)
    if kind == "csc":
        found = sparse.csc_array((np.broadcast_to(np.int8(1), size), *rest), shape=shape)
        if found.has_canonical_format:
            return None, None, flipped(Pattern(found.indices, found.indptr, found.shape[::-1]))
    numbers = np.arange(1, size + 1).reshape(shape_of_data)
    maker = {"csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array, "dia": sparse.dia_array,
             "bsr": sparse.bsr_array}[kind]
    return arranged(maker((numbers, *rest), shape=shape))


def taken_part(pattern: Pattern, key: Any) -> Any:
    """What an index takes: the matrix of numbers, or the number of an element (0: it is none)"""
    found = sparse.csr_matrix(numbered(pattern))[key]
    return arranged(found) if sparse.issparse(found) else int(found)


def takes_line(key: Any) -> bool:
    """Whether an index has a whole number"""
    return any(np.ndim(part) == 0 and not isinstance(part, slice) for part in (key if isinstance(key, tuple) else (key,)))


def joined(blocks: Any, how: str) -> tuple:
    """What joins matrices; blocks: their patterns; one of no shape: zeros"""
    first = 1
    numbers: list[list] = []
    for row in blocks:
        numbers.append([])
        for pattern in row:
            numbers[-1].append(sparse.coo_array(numbered(pattern, first)) if any(pattern.shape) else None)
            first += pattern.size
    if how == "diagonal":
        return arranged(sparse.block_diag([b for row in numbers for b in row]))
    return arranged(sparse.bmat(numbers))


def both_places(left: Pattern, right: Pattern) -> tuple:
    """Numbers of values that stand at one place in two matrices, and its pattern"""
    one, other = numbered(left), numbered(right)
    first, second = one.multiply(other != 0).tocsr(), other.multiply(one != 0).tocsr()
    first.sort_indices()
    second.sort_indices()
    return first.data - 1, second.data - 1, Pattern(first.indices, first.indptr, left.shape)


def any_place(left: Pattern, right: Pattern) -> tuple:
    """Where values of one or of both of two matrices stand"""
    one, other = numbered(left).tocoo(), numbered(right, left.size + 1).tocoo()
    rows, columns = np.concatenate([one.row, other.row]), np.concatenate([one.col, other.col])
    return arranged(sparse.coo_array((np.concatenate([one.data, other.data]), (rows, columns)), shape=left.shape))[1:]


def kron_places(left: Pattern, right: Pattern) -> tuple:
    """Numbers of the factors of each value of a Kronecker product, and its pattern"""
    rows = (left.rows[:, np.newaxis] * right.shape[0] + right.rows).ravel()
    columns = (left.indices[:, np.newaxis].astype(np.int64) * right.shape[1] + right.indices).ravel()
    shape = left.shape[0] * right.shape[0], left.shape[1] * right.shape[1]
    order, _, pattern = arranged(sparse.coo_array((np.arange(1, len(rows) + 1), (rows, columns)), shape=shape))
    place = np.lexsort((columns, rows))
    return place // max(right.size, 1), place % max(right.size, 1), pattern


def diagonal_places(sizes: Any, offsets: Any, shape: Any) -> tuple:
    """What scipy.sparse.diags makes of diagonals, of which those of size 1 are repeated"""
    first, numbers = 1, []
    for size in sizes:
        numbers.append(np.arange(first, first + size))
        first += size
    return arranged(sparse.diags_array(numbers, offsets=offsets, shape=shape, dtype=np.int64))


def identity_places(rows: int, columns: Any, k: int) -> Pattern:
    found = sparse.eye_array(rows, columns, k=k, format="csr")
    return Pattern(found.indices, found.indptr, found.shape)


def rows_of(pattern: Pattern) -> Any:
    return pattern.rows


def columns_of(pattern: Pattern) -> Any:
    return pattern.indices


def on_diagonal(pattern: Pattern, k: int) -> tuple:
    """Which values stand on a diagonal, where there, and how long it is"""
    place = np.nonzero(pattern.indices - pattern.rows == k)[0]
    long = max(min(pattern.shape[0] + min(k, 0), pattern.shape[1] - max(k, 0)), 0)
    return place, pattern.rows[place] + min(k, 0), long


def one_side(pattern: Pattern, k: int, lower: bool) -> tuple:
    """Which values stand on a diagonal and below (or above) it, and their pattern"""
    if isinstance(pattern, Turned):
        place, found = one_side(flipped(pattern), -k, not lower)
        return place, flipped(found)
    above = pattern.indices.astype(np.int64) - pattern.rows - k
    place = np.nonzero(above <= 0 if lower else above >= 0)[0]
    counts = np.bincount(pattern.rows[place], minlength=pattern.shape[0])
    return place, Pattern(pattern.indices[place], np.concatenate([np.zeros(1, int), np.cumsum(counts)]), pattern.shape)


def pattern_of(matrix: Any) -> Pattern:
    """Of a matrix that was made outside"""
    found = sparse.csr_array(matrix)
    found.sum_duplicates()
    return Pattern(found.indices, found.indptr, found.shape)


def values_of(matrix: Any) -> Any:
    found = sparse.csr_array(matrix)
    found.sum_duplicates()
    return found.data


def empty_pattern(rows: int, places: tuple) -> Pattern:
    """Of a matrix of zeros, of two sizes"""
    return pattern_of(sparse.csr_array((rows, *places)))


def shape_in(pattern: Pattern) -> tuple:
    return pattern.shape


def is_in_order(taken: Any, position: Any) -> bool:
    """Whether each value keeps its number"""
    return taken is None or bool(np.array_equal(taken, np.arange(len(taken))) and np.array_equal(position, taken))


nondifferentiable(pattern_of, empty_pattern, shape_in, kind=lambda *args: DISCRETE)
nondifferentiable(made_of, taken_part, takes_line, joined, both_places, any_place, kron_places, diagonal_places, identity_places,
                  on_diagonal, one_side, is_in_order, kind=lambda *args: DISCRETE)
nondifferentiable(values_of, kind=lambda matrix: Num(None, (None,), True))
nondifferentiable(rows_of, columns_of, kind=lambda pattern: Num(None, (None,), True))


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
            position, pattern = any_place(self.pattern, other.pattern)
            return Sparse(merged(np.concatenate([self.values, other.values]), position, pattern_size(pattern)), pattern,
                          self.matrix)
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
        return Sparse(merged(self.values[taken], position, pattern_size(pattern)), pattern, self.matrix)

    def getrow(self, i: int) -> Any:
        return self[[i], :]


def by_rows(A: Sparse, matrix: bool) -> Any:
    """A matrix with its values row by row, as they are `data` of csr_array"""
    if is_turned(A.pattern):
        plain = flipped(A.pattern)
        return Sparse(turned_values(A.values, plain), ordered_by_rows(plain), matrix, True)
    return Sparse(A.values, A.pattern, matrix, True)


def pattern_size(pattern: Pattern) -> int:
    return pattern.size


nondifferentiable(pattern_size, kind=lambda pattern: DISCRETE)


def constant(matrix: Any, values: Any) -> Any:
    """A matrix that was made outside, beside values that are differentiated"""
    return Sparse(beside(values_of(matrix), matrix), pattern_of(matrix), isinstance(matrix, sparse.spmatrix), True)


def from_values(data: Any, found: tuple, matrix: bool, csr: bool) -> Any:
    """The matrix of values that were put in order"""
    taken, position, pattern = found
    flat = np.ravel(data)
    if is_in_order(taken, position):
        return Sparse(flat, pattern, matrix, csr)
    return Sparse(merged(flat[taken], position, pattern_size(pattern)), pattern, matrix)


def with_places(kind: str, data: Any, places: tuple, shape: Any, matrix: bool) -> Any:
    """What a constructor gives of values and their places; of two sizes: zeros"""
    if np.ndim(data) == 0:
        return Sparse(np.zeros(0), empty_pattern(data, places), matrix, True)
    data = np.asarray(data)
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
