"""Rules for products and solutions with sparse matrices, by the values that are stored; where these stand is a constant pattern.

The adjoint of the stored values is an array of as many: what an outer product is where values are stored. No matrix of the full
shape is ever made (I. S. Duff, A. M. Erisman and J. K. Reid 2017).
"""
from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import COMPLEX, REAL, conj, jvp, nondifferentiable, rule, sample


class Pattern:
    """Where the values of a sparse matrix stand: row by row, each place once."""

    def __init__(self, indices: Any, indptr: Any, shape: tuple) -> None:
        self.indices, self.indptr, self.shape = indices, indptr, tuple(map(int, shape))

    @property
    def size(self) -> int:
        return len(self.indices)

    @functools.cached_property
    def rows(self) -> Any:
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    @functools.cached_property
    def by_rows(self) -> tuple:
        """The order of the values row by row, and the pattern in that order"""
        found = self.matrix(np.arange(1, self.size + 1)).tocsr()
        found.sort_indices()
        return found.data - 1, Pattern(found.indices, found.indptr, found.shape)

    @functools.cached_property
    def turned(self) -> Pattern:
        """The pattern of the transposed matrix"""
        return Turned(self)

    def matrix(self, values: Any) -> Any:
        """The matrix of SciPy with these values"""
        return sparse.csr_array((values, self.indices, self.indptr), shape=self.shape)

    def times(self, values: Any, x: Any) -> Any:
        """The product of the matrix with an array"""
        return self.matrix(values) @ x

    def __eq__(self, other: object) -> bool:
        return self is other or type(self) is type(other) is Pattern and self.shape == other.shape and np.array_equal(
            self.indptr, other.indptr) and np.array_equal(self.indices, other.indices)

    __hash__ = object.__hash__

    def __deepcopy__(self, memo: dict) -> Pattern:
        return self


class Turned(Pattern):
    """Where the values of a transposed matrix stand: in the order of the matrix, which is column by column."""

    def __init__(self, plain: Pattern) -> None:
        self.turned, self.shape = plain, plain.shape[::-1]

    @property
    def size(self) -> int:
        return self.turned.size

    @functools.cached_property
    def rows(self) -> Any:
        return self.turned.indices.astype(np.intp)

    @property
    def indices(self) -> Any:                                                       # type: ignore[override]
        return self.turned.rows

    def matrix(self, values: Any) -> Any:
        return self.turned.matrix(values).T


SHORT = 256                                     # values of a diagonal from which it pays to multiply it by itself


class Banded(Pattern):
    """Where the values of diagonals stand: one after the other; lines: row and column of the first value of each, and how many."""

    def __init__(self, lines: list, shape: tuple) -> None:
        self.lines, self.shape = lines, tuple(map(int, shape))
        self.parts, start = [], 0
        for row, column, count in lines:
            self.parts.append((slice(start, start + count), slice(row, row + count), slice(column, column + count)))
            start += count
        self.count = start

    @property
    def size(self) -> int:
        return self.count

    @functools.cached_property
    def turned(self) -> Pattern:
        found = Banded([(column, row, count) for row, column, count in self.lines], self.shape[::-1])
        found.turned = self
        return found

    @functools.cached_property
    def rows(self) -> Any:
        return np.concatenate([np.arange(row, row + count) for row, _, count in self.lines])

    @functools.cached_property
    def indices(self) -> Any:                                                       # type: ignore[override]
        return np.concatenate([np.arange(column, column + count) for _, column, count in self.lines])

    def matrix(self, values: Any) -> Any:
        data = np.zeros((len(self.lines), self.shape[1]), values.dtype)
        for line, (own, _, columns) in zip(data, self.parts):
            line[columns] = values[own]
        return sparse.dia_array((data, [column - row for row, column, _ in self.lines]), shape=self.shape)

    def times(self, values: Any, x: Any) -> Any:
        if self.size < SHORT * len(self.lines):
            return super().times(values, x)
        found = np.zeros(self.shape[:1] + x.shape[1:], np.result_type(values, x))
        for own, rows, columns in self.parts:
            found[rows] += values[own].reshape((-1,) + (1,) * (x.ndim - 1)) * x[columns]
        return found


def in_rows(pattern: Pattern) -> bool:
    """Whether values stand row by row"""
    return type(pattern) is Pattern


def flipped(pattern: Pattern) -> Pattern:
    """The pattern of the transposed matrix: values keep their order"""
    return pattern.turned


def order_by_rows(pattern: Pattern) -> Any:
    """The order of the values row by row"""
    return pattern.by_rows[0]


def ordered_by_rows(pattern: Pattern) -> Pattern:
    """The pattern with the values row by row"""
    return pattern.by_rows[1]


def pattern_size(pattern: Pattern) -> int:
    return pattern.size


nondifferentiable(order_by_rows, kind=lambda pattern: Num(None, (None,), True))
nondifferentiable(in_rows, flipped, ordered_by_rows, pattern_size, kind=lambda pattern: DISCRETE)


def known(*kinds: Kind) -> str | None:
    """The dtype of numbers in double precision."""
    found = [leaf(kind).dtype for kind in kinds]
    if not all(dtype in ("float64", "complex128") for dtype in found):
        return None
    return "complex128" if "complex128" in found else "float64"


def product_kind(values: Kind, pattern: Kind, x: Kind) -> Kind:
    model = leaf(x)
    return Num(known(values, x), model.dims and (None, *model.dims[1:]), True)


def stored_kind(*kinds: Kind) -> Kind:
    return Num(None, (None,), True)


def outer_kind(u: Kind, v: Kind, pattern: Kind) -> Kind:
    return Num(known(u, v), (None,), True)


def merged_kind(data: Kind, position: Kind, count: Kind) -> Kind:
    return Num(known(data), (None,), True)


HERE = Pattern(np.array([0, 2, 1, 0, 1]), np.array([0, 2, 3, 3, 5]), (4, 3))
TURNED_HERE, BANDED = HERE.turned, Banded([(0, 1, 2), (1, 0, 3)], (4, 3))
SQUARE = Pattern(np.array([0, 1, 1, 0, 2]), np.array([0, 2, 3, 5]), (3, 3))


# --- products with arrays -----------------------------------------------------------------------------------

def times(values: Any, pattern: Pattern, x: Any) -> Any:
    """A x"""
    return pattern.times(values, x)


def back_times(values: Any, pattern: Pattern, x: Any) -> Any:
    """A^H x"""
    return flipped(pattern).times(np.conj(values) if np.iscomplexobj(values) else values, x)


AT_ONCE = 1 << 14                               # values in a part of the work, which bounds its memory


def outer_part(u: Any, v: Any, pattern: Pattern) -> Any:
    """What u v^H is where values are stored"""
    if isinstance(pattern, Turned):
        found = outer_part(v, u, pattern.turned)
        return np.conj(found) if np.iscomplexobj(found) else found
    if isinstance(pattern, Banded):
        found = np.empty(pattern.size, np.result_type(u, v))
        for own, rows, columns in pattern.parts:
            found[own] = u[rows] * np.conj(v[columns]) if u.ndim == 1 else np.einsum("ij,ij->i", u[rows], np.conj(v[columns]))
        return found
    if u.ndim == 1:
        found = np.repeat(np.asarray(u, np.result_type(u, v)), np.diff(pattern.indptr))
        for start in range(0, pattern.size, AT_ONCE):
            part = slice(start, start + AT_ONCE)
            found[part] *= np.conj(v.take(pattern.indices[part], mode="clip"))
        return found
    found = np.empty(pattern.size, np.result_type(u, v))
    for start in range(0, pattern.size, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        left, right = u.take(pattern.rows[part], 0, mode="clip"), v.take(pattern.indices[part], 0, mode="clip")
        np.einsum("ij,ij->i", left, np.conj(right), out=found[part])
    return found


@rule(times, tangent="multilinear", order="other", kind=product_kind, samples=[
    sample(REAL(5), HERE, REAL(3)), sample(REAL(5), HERE, REAL(3, 2)), sample(COMPLEX(5), HERE, COMPLEX(3)),
    sample(COMPLEX(5), TURNED_HERE, COMPLEX(4)), sample(COMPLEX(5), BANDED, COMPLEX(3))])
def times_rule(ct, out, values, pattern, x):
    """out_i = sum of a_ij x_j"""
    return outer_part(ct, x, pattern), None, back_times(values, pattern, ct)


@rule(back_times, order="other", kind=product_kind, samples=[
    sample(REAL(5), HERE, REAL(4)), sample(REAL(5), HERE, REAL(4, 2)), sample(COMPLEX(5), HERE, COMPLEX(4)),
    sample(COMPLEX(5), TURNED_HERE, COMPLEX(3)), sample(COMPLEX(5), BANDED, COMPLEX(4))])
def back_times_rule(ct, out, values, pattern, x):
    """out_j = sum of conj(a_ij) x_i"""
    return outer_part(x, ct, pattern), None, times(values, pattern, ct)


@jvp(back_times)
def back_times_tangent(dot, out, values, pattern, x):
    return back_times(dot, pattern, x), None, back_times(values, pattern, dot)


@rule(outer_part, kind=outer_kind, samples=[
    sample(REAL(4), REAL(3), HERE), sample(REAL(4, 2), REAL(3, 2), HERE), sample(COMPLEX(4), COMPLEX(3), HERE),
    sample(COMPLEX(3), COMPLEX(4), TURNED_HERE), sample(COMPLEX(3, 2), COMPLEX(4, 2), TURNED_HERE),
    sample(COMPLEX(4), COMPLEX(3), BANDED), sample(COMPLEX(4, 2), COMPLEX(3, 2), BANDED)])
def outer_part_rule(ct, out, u, v, pattern):
    """out_ij = u_i conj(v_j)"""
    return times(ct, pattern, v), back_times(ct, pattern, u)


@jvp(outer_part)
def outer_part_tangent(dot, out, u, v, pattern):
    return outer_part(dot, v, pattern), outer_part(u, dot, pattern)


def merged(data: Any, position: Any, count: int) -> Any:
    """The sums of what has the same position"""
    if np.iscomplexobj(data):
        return np.bincount(position, data.real, count) + 1j * np.bincount(position, data.imag, count)
    return np.bincount(position, data, count)[:count]


@rule(merged, tangent="linear", kind=merged_kind, samples=[
    sample(REAL(4), np.array([0, 2, 0, 1]), 3), sample(COMPLEX(3), np.array([1, 1, 0]), 2)])
def merged_rule(ct, out, data, position, count):
    """out_k = the sum of what has position k"""
    return ct[position]


def placed(values: Any, taken: Any, position: Any, count: int) -> Any:
    """Values in the order in which they are taken; position: where each of these is added (None: they stay beside each other)"""
    found = values.take(taken, mode="clip")
    return found if position is None else merged(found, position, count)


def put_back(values: Any, taken: Any, position: Any, count: int) -> Any:
    """The adjoint of `placed`; count: of what is taken from"""
    return merged(values if position is None else values.take(position, mode="clip"), taken, count)


ORDER, SUMS = np.array([2, 0, 3, 0]), np.array([0, 2, 0, 1])


@rule(placed, tangent="linear", kind=lambda values, *_: Num(known(values), (None,), True), samples=[
    sample(REAL(4), ORDER, SUMS, 3), sample(COMPLEX(4), ORDER, None, 4)])
def placed_rule(ct, out, values, taken, position, count):
    """out_k = the sum of values_taken over what has position k"""
    return put_back(ct, taken, position, np.size(values))


@rule(put_back, tangent="linear", kind=lambda values, *_: Num(known(values), (None,), True), samples=[
    sample(REAL(3), ORDER, SUMS, 4), sample(COMPLEX(4), ORDER, None, 4)])
def put_back_rule(ct, out, values, taken, position, count):
    """out_j = the sum of values_position over what is taken from j"""
    return placed(ct, taken, position, np.size(values))


def trimmed(data: Any, pattern: Banded) -> Any:
    """What dia_array stores of diagonals, of which each value stands below or above its column, inside of the matrix"""
    return np.concatenate([line[columns] for line, (_, _, columns) in zip(data, pattern.parts)])


def padded(values: Any, pattern: Banded, width: int) -> Any:
    """The adjoint of `trimmed`"""
    found = np.zeros((len(pattern.parts), width), values.dtype)
    for line, (own, _, columns) in zip(found, pattern.parts):
        line[columns] = values[own]
    return found


@rule(trimmed, tangent="linear", kind=lambda data, pattern: Num(known(data), (None,), True), samples=[
    sample(REAL(2, 4), BANDED), sample(COMPLEX(2, 3), BANDED)])
def trimmed_rule(ct, out, data, pattern):
    """out = the values of each diagonal that are inside"""
    return padded(ct, pattern, np.shape(data)[1])


@rule(padded, tangent="linear", kind=lambda values, pattern, width: Num(known(values), (None, None), True), samples=[
    sample(REAL(5), BANDED, 4), sample(COMPLEX(5), BANDED, 3)])
def padded_rule(ct, out, values, pattern, width):
    """out = the values of each diagonal below or above their columns"""
    return trimmed(ct, pattern)


# --- products of sparse matrices ----------------------------------------------------------------------------

LONG = 128                                      # values in a row from which it pays to put them in order


def product_part(a: Any, left: Pattern, b: Any, right: Pattern, there: Pattern) -> Any:
    """What A B is where values are stored"""
    if isinstance(there, Turned):
        return product_part(b, flipped(right), a, flipped(left), flipped(there))
    found = left.matrix(a).tocsr() @ right.matrix(b).tocsr()
    if found.nnz == there.size:
        found.sort_indices()
        if Pattern(found.indices, found.indptr, found.shape) == there:
            return found.data
    elif found.nnz > LONG * found.shape[0]:
        found.sort_indices()                                 # a search in its rows halves them
    return np.asarray(found[there.rows, there.indices]).ravel()


def product_pattern(left: Pattern, right: Pattern) -> Pattern:
    """Where a product stores values"""
    found = left.matrix(np.ones(left.size)).tocsr() @ right.matrix(np.ones(right.size)).tocsr()
    found.sort_indices()
    return Pattern(found.indices, found.indptr, found.shape)


nondifferentiable(product_pattern, kind=lambda left, right: DISCRETE)
SQUARE_OF_4 = product_pattern(HERE, TURNED_HERE)
ACROSS = Pattern(np.array([0, 1, 1]), np.array([0, 1, 2, 3]), (3, 2))


@rule(product_part, kind=stored_kind, tangent="multilinear", samples=[
    sample(REAL(5), HERE, REAL(3), ACROSS, product_pattern(HERE, ACROSS)),
    sample(COMPLEX(5), SQUARE, COMPLEX(5), SQUARE, product_pattern(SQUARE, SQUARE)), sample(REAL(5), SQUARE, REAL(5), SQUARE,
        SQUARE), sample(COMPLEX(5), TURNED_HERE, COMPLEX(5), HERE, product_pattern(TURNED_HERE, HERE)),
    sample(COMPLEX(5), HERE, COMPLEX(5), TURNED_HERE, SQUARE_OF_4.turned),
    sample(COMPLEX(5), BANDED, COMPLEX(5), SQUARE, product_pattern(BANDED, SQUARE))])
def product_part_rule(ct, out, a, left, b, right, there):
    """out_ik = sum of a_ij b_jk, for i and k where values are stored"""
    return (product_part(ct, there, conj(b), flipped(right), left), None,
            product_part(conj(a), flipped(left), ct, there, right))


# --- systems --------------------------------------------------------------------------------------------------

class Factors:
    """L and U of a matrix, made once for all its solutions."""

    def __init__(self, values: Any, pattern: Pattern) -> None:
        self.values = values
        self.lu = linalg.splu(pattern.matrix(np.asarray(values, np.result_type(values, np.float64))).tocsc())

    def __deepcopy__(self, memo: dict) -> Factors:
        return self


def factors(values: Any, pattern: Pattern) -> Factors:
    """The factors of a matrix, for `solved`, which knows how they depend on it"""
    return Factors(values, pattern)


def solved(made: Factors, values: Any, pattern: Pattern, b: Any, trans: str) -> Any:
    """x with A x = b, or A^H x = b"""
    if values is not made.values and not np.array_equal(values, made.values):
        made = Factors(values, pattern)
    narrow = np.result_type(values, b)                      # SuperLU works in double precision here
    if np.iscomplexobj(b) and not np.iscomplexobj(values):
        found = made.lu.solve(np.ascontiguousarray(b.real, float), trans) + 1j * made.lu.solve(
            np.ascontiguousarray(b.imag, float), trans)
    else:
        found = made.lu.solve(np.asarray(b, np.result_type(values, np.float64)), trans)
    return found.astype(narrow, copy=False) if narrow.kind in "fc" else found


def solved_kind(made: Kind, values: Kind, pattern: Kind, b: Kind, trans: Kind) -> Kind:
    return Num(known(values, b), leaf(b).dims, True)


nondifferentiable(factors, kind=lambda values, pattern: DISCRETE)
DIAGONAL = np.array([3.0, 0.4, 2.0, -0.5, 4.0])
REAL_FACTORS, COMPLEX_FACTORS = Factors(DIAGONAL, SQUARE), Factors(DIAGONAL + 0.5j, SQUARE)


@rule(solved, order="other", kind=solved_kind, samples=[
    sample(REAL_FACTORS, DIAGONAL, SQUARE, REAL(3), "N"), sample(REAL_FACTORS, DIAGONAL, SQUARE, REAL(3, 2), "H"),
    sample(COMPLEX_FACTORS, DIAGONAL + 0.5j, SQUARE, COMPLEX(3), "N")])
def solved_rule(ct, out, made, values, pattern, b, trans):
    """A out = b: A^H b_bar = ct, and A_bar = -b_bar out^H where values are stored"""
    if trans == "H":
        across = solved(made, values, pattern, ct, "N")
        return None, -outer_part(out, across, pattern), None, across
    back = solved(made, values, pattern, ct, "H")
    return None, -outer_part(back, out, pattern), None, back
