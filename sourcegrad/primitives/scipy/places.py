"""Where the values of sparse matrices stand: found by SciPy itself, which is given their numbers in their place."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from sourcegrad.kinds import DISCRETE, Num
from sourcegrad.primitives.core import nondifferentiable
from sourcegrad.primitives.scipy.patterns import Banded, Pattern, flipped


def numbered(pattern: Pattern, first: int = 1) -> Any:
    """The matrix whose values are their own numbers"""
    return pattern.matrix(np.arange(first, first + pattern.size)).tocsr()


def arranged(found: Any) -> tuple:
    """Which value stands where in a matrix of numbers of values, of which some may stand together: the number of each that is
    taken, where it is added (None: each has a place of its own), the pattern of that"""
    found = found.tocoo()
    ordered = row_by_row(found.row, found.col, found.shape)
    taken = np.asarray(found.data, np.intp).take(ordered.data) - 1
    rows = np.repeat(np.arange(found.shape[0], dtype=ordered.indices.dtype), np.diff(ordered.indptr))
    first = np.ones(len(rows), bool)
    first[1:] = (np.diff(ordered.indices) != 0) | (np.diff(rows) != 0)
    if first.all():
        return taken, None, Pattern(ordered.indices, ordered.indptr, found.shape)
    counts = np.bincount(rows[first], minlength=found.shape[0])
    indptr = np.concatenate([np.zeros(1, int), np.cumsum(counts)])
    return taken, np.cumsum(first) - 1, Pattern(ordered.indices[first], indptr.astype(ordered.indptr.dtype), found.shape)


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
    return arranged(sparse.coo_array((np.concatenate([one.data, other.data]), (rows, columns)), shape=left.shape))


def kron_places(left: Pattern, right: Pattern) -> tuple:
    """Numbers of the factors of each value of a Kronecker product, and its pattern"""
    rows = (left.rows[:, np.newaxis] * right.shape[0] + right.rows).ravel()
    columns = (left.indices[:, np.newaxis].astype(np.int64) * right.shape[1] + right.indices).ravel()
    shape = left.shape[0] * right.shape[0], left.shape[1] * right.shape[1]
    place, _, pattern = arranged(sparse.coo_array((np.arange(1, len(rows) + 1), (rows, columns)), shape=shape))
    return place // max(right.size, 1), place % max(right.size, 1), pattern


def diagonals_inside(width: int, offsets: Any, shape: tuple) -> Banded | None:
    """The pattern of diagonals of which dia_array stores so many columns; None: they are not whole, or one is given twice"""
    numbers = [int(k) for k in np.atleast_1d(offsets)]
    if len(set(numbers)) < len(numbers) or not all(-shape[0] < k < min(shape[1], width) for k in numbers):
        return None
    lines = [(max(-k, 0), max(k, 0), min(shape[0] + min(k, 0), min(shape[1], width) - max(k, 0))) for k in numbers]
    return Banded(lines, shape)


def banded_data(shape_of_data: tuple, offsets: Any, shape: Any) -> Any:
    """The pattern of what is given to dia_array; None: it is not plain, or wrong"""
    if shape is None or len(shape) != 2 or len(shape_of_data) != 2 or np.size(offsets) != shape_of_data[0]:
        return None
    return diagonals_inside(shape_of_data[1], offsets, tuple(map(int, shape)))


def banded_lines(sizes: Any, offsets: Any, shape: Any) -> Any:
    """The pattern of whole diagonals; None: some are longer or shorter, or repeat their only value"""
    offsets = np.atleast_1d(offsets)
    if len(sizes) != len(offsets) or not len(sizes):
        return None
    if shape is None:
        shape = (sizes[0] + abs(int(offsets[0])),) * 2
    found = diagonals_inside(int(shape[1]), offsets, tuple(map(int, shape)))
    return found if found is not None and [count for _, _, count in found.lines] == list(sizes) else None


def is_banded(pattern: Any) -> bool:
    return pattern is not None


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
    return taken is None or position is None and np.array_equal(taken, np.arange(len(taken)))


nondifferentiable(pattern_of, empty_pattern, shape_in, kind=lambda *args: DISCRETE)
nondifferentiable(made_of, taken_part, takes_line, joined, both_places, any_place, kron_places, diagonal_places, identity_places,
                  banded_data, banded_lines, is_banded, on_diagonal, one_side, is_in_order, kind=lambda *args: DISCRETE)
nondifferentiable(values_of, kind=lambda matrix: Num(None, (None,), True))
nondifferentiable(rows_of, columns_of, kind=lambda pattern: Num(None, (None,), True))
