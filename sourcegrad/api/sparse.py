"""Sparse Jacobians: the pattern from index sets, its columns or rows coloured, one direction for each colour.

Columns that have no row in common go through one sweep together; of Hessians also others, as each entry is there twice
(`api.colouring`).
Each matrix is compared with one product in a random direction, which goes along with the colours: what does not fit is never given.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sourcegrad.api.colouring import colour, star
from sourcegrad.api.gradient import check_function
from sourcegrad.api.jacobian import Hessian, Jacobian, check_names
from sourcegrad.api.parts import Part, cut, mapped, parts
from sourcegrad.errors import InputError, InternalError, UnsupportedError, public
from sourcegrad.runtime.index_sets import IndexSets, flat_sets, stacked

CLOSE = {np.dtype(np.float32): 1e-3}


@dataclass(frozen=True)
class Plan:
    """How a sparse Jacobian is computed: its pattern, the colours, the sweeps.

    shape, nonzeros: of the pattern. mode: "forward" colours columns, "reverse" rows. colours: how many there are.
    symmetric: whether the colouring is a star colouring, which takes an entry from its row or its column."""

    shape: tuple[int, int]
    nonzeros: int
    mode: str
    colours: int
    symmetric: bool = False

    @property
    def directions(self) -> int:
        """How many directions the sweeps take, with the one that checks them."""
        return self.colours + 1

    @property
    def dense_directions(self) -> int:
        """How many the same matrix takes without its pattern, in the same mode."""
        return self.shape[1 if self.mode == "forward" else 0]

    def __str__(self) -> str:
        rows, columns = self.shape
        share = 100.0 * self.nonzeros / max(rows * columns, 1)
        what = "columns" if self.mode == "forward" else "rows"
        what += ", a star colouring" if self.symmetric else ""
        return (f"{rows} x {columns}, {self.nonzeros} nonzeros ({share:.3g} %), {self.colours} colours of {what}: "
                f"{self.colours} directions of {self.mode} mode and one that checks them")


class Pattern:
    """A sparsity pattern with what follows from it."""

    symmetric = False

    def __init__(self, starts: np.ndarray, indices: np.ndarray, columns: int, mode: str = "auto") -> None:
        self.starts, self.indices, self.shape = starts, indices, (len(starts) - 1, columns)
        self.rows = np.repeat(np.arange(self.shape[0]), np.diff(starts))
        found = {}
        if mode != "reverse":
            found["forward"] = colour(self.rows, indices, self.shape)
        if mode == "reverse" or mode == "auto" and (columns > self.shape[0] or int(found["forward"].max(initial=0)) > 8):
            found["reverse"] = colour(indices, self.rows, self.shape[::-1])
        counts = {mode: int(colours.max(initial=-1)) + 1 for mode, colours in found.items()}
        self.mode = min(counts, key=lambda mode: counts[mode] * (2 if mode == "reverse" else 1))
        self.colours, self.count = found[self.mode], counts[self.mode]

    @property
    def plan(self) -> Plan:
        return Plan(self.shape, int(self.indices.size), self.mode, self.count, self.symmetric)

    @functools.cached_property
    def seeds(self) -> np.ndarray:
        """One vector for each colour, with ones at its columns (or rows), and a random one; they serve for all matrices."""
        size = self.shape[1] if self.mode == "forward" else self.shape[0]
        found = np.zeros((self.count + 1, size))
        found[self.colours, np.arange(size)] = 1.0
        found[-1] = np.random.default_rng(size).uniform(0.5, 1.5, size)
        found.flags.writeable = False
        return found

    @functools.cached_property
    def places(self) -> np.ndarray:
        """Where each entry of the pattern stands in the flattened products."""
        size, at, along = (self.shape[0], self.indices, self.rows) if self.mode == "forward" else (
            self.shape[1], self.rows, self.indices)
        return self.colours[at] * size + along

    def recovered(self, products: np.ndarray) -> np.ndarray:
        """The entries of the pattern, from the products of the matrix with the seeds."""
        return products.ravel().take(self.places)            # type: ignore[no-any-return]

    @functools.cached_property
    def layout(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns and starts of rows, in the integers that SciPy takes for them."""
        of = of_scipy().csr_matrix((np.ones(self.indices.size, bool), self.indices, self.starts), shape=self.shape)
        return of.indices, of.indptr

    @functools.cached_property
    def others(self) -> np.ndarray:
        """Vectors in threes: two random ones and their sum. How far their products are from linear ones is rounding."""
        drawn = np.random.default_rng(self.seeds.shape[1] + 1).uniform(0.5, 1.5, (6, 2, self.seeds.shape[1]))
        return np.concatenate([drawn, drawn.sum(axis=1, keepdims=True)], axis=1).reshape(18, -1)

    def matrix(self, products: np.ndarray, of: Callable[[np.ndarray], np.ndarray]) -> Any:
        """The matrix from its products with the seeds. Misfit where the last of them does not fit.

        What cancels (`g - mean(g)` of equal numbers) leaves its rounding behind, of any size beside the derivatives: where a
        product seems not to fit, `of` gives more of them, and how far they are from linear ones tells what rounding is there.
        """
        layout = [x.copy() for x in self.layout]             # (the matrix may be changed in place)
        found = of_scipy().csr_matrix((self.recovered(products), *layout), shape=self.shape)
        seeds, single = self.seeds[-1], products[-1]
        expected = found @ seeds if self.mode == "forward" else found.T @ seeds
        difference, size = np.abs(expected - single), np.abs(expected)       # (at most the sum of the sizes of its terms)
        close, top = CLOSE.get(products.dtype, 1e-6), float(size.max(initial=0.0))
        if not np.isfinite(top) or not (difference < close * size + 1e-3 * close * top).all():
            size = abs(found) @ seeds if self.mode == "forward" else abs(found).T @ seeds
            bound = close * size + 1e-3 * close * float(size[np.isfinite(size)].max(initial=0.0))
            fits = difference <= bound
            if not (fits | ~np.isfinite(expected) | ~np.isfinite(single)).all():
                one, other, both = np.moveaxis(of(self.others).reshape(6, 3, -1), 1, 0)
                fits |= difference <= 100.0 * np.abs(one + other - both).max(axis=0)
            if not (fits | ~np.isfinite(expected) | ~np.isfinite(single)).all() or not (
                    np.isfinite(expected) | ~np.isfinite(single)).all():
                raise Misfit("a pattern that the derivatives do not fit")
        return found


class SymmetricPattern(Pattern):
    """The pattern of a symmetric matrix, which a star colouring makes of what is given (and of its transpose)."""

    def __init__(self, starts: np.ndarray, indices: np.ndarray, columns: int, mode: str = "auto") -> None:
        given = of_scipy().csr_matrix((np.ones(indices.size, bool), indices, starts), shape=(len(starts) - 1, columns))
        whole = (given + given.T).tocsr() if given.shape[0] == columns else given
        whole.sort_indices()
        self.starts, self.indices, self.shape = whole.indptr, whole.indices, whole.shape
        self.rows = np.repeat(np.arange(self.shape[0]), np.diff(self.starts))
        self.mode = "reverse" if mode == "reverse" else "forward"
        fullest = int(np.diff(self.starts).max(initial=0))                    # columns take at least so many colours
        found = star(self.starts, self.indices) if self.shape[0] == columns else None
        if found is None or int(found.max(initial=-1)) + 1 >= fullest:
            by_columns = colour(self.rows, self.indices, self.shape)
            found = found if found is not None and found.max(initial=-1) < by_columns.max(initial=-1) else by_columns
            self.symmetric = found is not by_columns
        else:
            self.symmetric = True
        self.colours, self.count = found, int(found.max(initial=-1)) + 1

    @functools.cached_property
    def places(self) -> np.ndarray:
        """Two places for each entry: it, or the one across the diagonal, is alone there with the colour of its column."""
        key = self.rows * max(self.count, 1) + self.colours[self.indices]
        _, which, counts = np.unique(key, return_inverse=True, return_counts=True)
        numbers = of_scipy().csr_matrix((np.arange(self.indices.size), self.indices, self.starts), shape=self.shape)
        transposed = numbers.T.tocsr()
        transposed.sort_indices()
        own, across, alone = np.arange(self.indices.size), transposed.data, counts[which.ravel()] == 1
        both = np.stack([np.where(alone, own, across), np.where(alone[across], across, own)])
        return (self.colours[self.indices] * self.shape[0] + self.rows)[both]     # type: ignore[no-any-return]

    def recovered(self, products: np.ndarray) -> np.ndarray:
        """Each entry from its row, from its column, or the mean of both where both tell it: the same across the diagonal."""
        one, other = products.ravel().take(self.places)
        return 0.5 * (one + other)                           # type: ignore[no-any-return]


class Misfit(InputError):
    """A pattern that leaves out derivatives."""


def of_scipy() -> Any:
    """`scipy.sparse`, which is needed here only."""
    try:
        import scipy.sparse
    except ImportError:
        raise InputError("sparse matrices need SciPy", remedy="Install it: pip install scipy.") from None
    return scipy.sparse


class Sparse(Jacobian):
    """A Jacobian as a sparse matrix, by colours. (Differentiated again, it is a dense one.)"""

    def __init__(self, function: Callable, inputs: Any = None, mode: str = "auto", has_aux: bool = False,
                 sparsity: Any = None) -> None:
        super().__init__(function, inputs, mode, has_aux)
        of_scipy()
        self._pattern: type[Pattern] = SymmetricPattern if self.tool == "hessian" else Pattern
        self._sparsity = sparsity
        self._patterns: dict[tuple, Pattern] = {}
        if sparsity is not None:
            given = of_scipy().csr_matrix(sparsity)
            given.sum_duplicates()
            self._fixed: Pattern | None = self._pattern(given.indptr, given.indices, given.shape[1], mode)
        else:
            self._fixed = None

    def __reduce__(self) -> tuple:
        return type(self), (self._function, self._inputs, self._mode, self._has_aux, self._sparsity)

    def _matrix(self, args: tuple, options: dict) -> Any:
        given, options = self._given(args, options)
        columns = [part for path, x in given for part in parts(x, (path,))]
        key = tuple(np.shape(x) for _, x in columns)
        known = self._fixed or self._patterns.get(key)
        pattern = known or self._found(args, options, given)
        try:
            value, aux, matrix = self._by_colours(pattern, args, options, given, columns)
        except Misfit:
            if self._fixed is not None:
                raise InputError(f"{self.__name__}: the sparsity that is given leaves out derivatives", self._origin(),
                                 "Leave it out, or compare it with sg.sparsity(f, *args).") from None
            if known is None:
                raise InternalError(f"the sparsity of {self.__name__} leaves out derivatives", self._origin()) from None
            pattern = self._found(args, options, given)      # other branches, perhaps
            try:
                value, aux, matrix = self._by_colours(pattern, args, options, given, columns)
            except Misfit:
                raise InternalError(f"the sparsity of {self.__name__} leaves out derivatives", self._origin()) from None
        self._patterns[key] = pattern
        matrix.plan = pattern.plan
        return value, aux, matrix, given

    def _origin(self) -> Any:
        return self._reverse.gradient._origin()

    def _by_colours(self, pattern: Pattern, args: tuple, options: dict, given: Any, columns: list[Part]) -> Any:
        seeds = pattern.seeds
        size = sum(int(np.size(x)) for _, x in columns)
        if pattern.mode == "forward":
            if size != pattern.shape[1]:
                raise InputError(f"{self.__name__}: the sparsity has {pattern.shape[1]} columns, and the inputs {size} numbers",
                                 self._origin())

            def of(vectors: np.ndarray) -> tuple:
                return self._forward.products(args, options, given, len(vectors),
                                              lambda start, stop: cut(columns, vectors[start:stop], False))
            value, aux, products = of(seeds)
            rows = products.shape[1]
        else:
            def of(vectors: np.ndarray) -> tuple:
                return self._reverse.products(args, options, columns, vectors)
            value, aux, products = of(seeds)
            rows = sum(int(np.size(x)) for _, x in parts(value, kinds="fciub"))
        if rows != pattern.shape[0]:
            raise Misfit("another number of rows")
        return value, aux, pattern.matrix(products, lambda vectors: of(vectors)[-1])

    def _found(self, args: tuple, options: dict, given: Any) -> Pattern:
        sets, width = self._sets(args, options, given)
        return self._pattern(sets.starts, sets.columns, width, self._mode)

    def _sets(self, args: tuple, options: dict, given: Any) -> tuple[IndexSets, int]:
        """The index sets of all results, and how many numbers the inputs have."""
        from sourcegrad.api.pushforward import Pattern as Traced
        made, first, dots = Traced(self._subject, self._inputs, has_aux=self._has_aux), 0, {}
        for (name, x), dot in zip(given, made._tangents.values()):
            units = {}
            for path, part in parts(x, (name,)):
                units[path] = IndexSets.unit(np.shape(part), first)
                first += int(np.size(part))
            dots[dot] = mapped(lambda path, part, units=units: units[path], x, (name,))               # type: ignore[misc]
        value, found = made(*args, **options, **dots)
        value = value[0] if self._has_aux else value
        sets = flat_sets(found)
        if [x.shape for x in sets] != [np.shape(part) for _, part in parts(value, kinds="fciub")]:
            raise UnsupportedError(f"the sparsity of {self.__name__}, whose result holds more than numbers", self._origin(),
                                   "Return an array.")
        return stacked(sets, (sum(len(x.starts) - 1 for x in sets),)), first

    def _structured(self, value: Any, matrix: Any, given: list[tuple[str, Any]]) -> Any:
        """One sparse matrix for each part of the result and each input."""
        single, plan = self._reverse.gradient._active()[1], matrix.plan
        rows = {path: int(np.size(x)) for path, x in parts(value, kinds="fciub")}
        widths = [sum(int(np.size(part)) for _, part in parts(x)) for _, x in given]
        if len(rows) == 1 and single:
            return mapped(lambda path, part: matrix, value, kinds="fciub")
        tops, lefts = np.cumsum([0, *rows.values()]), np.cumsum([0, *widths])
        top = dict(zip(rows, tops))

        def block(path: tuple, part: Any) -> Any:
            strip = matrix[top[path]:top[path] + rows[path]]
            found = tuple(strip[:, left:right] for left, right in zip(lefts, lefts[1:]))
            for item in found:
                item.plan = plan
            return found[0] if single else found

        return mapped(block, value, kinds="fciub")


class SparseHessian(Sparse, Hessian):
    """A Hessian as a sparse matrix, symmetric to the last bit."""

    tool = "hessian"


@public
def sparsity(function: Callable, *args: Any, inputs: Any = None, **options: Any) -> Any:
    """The sparsity pattern of the Jacobian of a function at some arguments, as a boolean matrix of `scipy.sparse`.

    inputs: as in `grad`; options: keyword arguments of the function. The pattern is that of the operations, for the branches that
    these arguments take: an entry may still be zero, and what is left out is. Arrays count as flattened, several outputs and inputs
    as joined. Raises located errors.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.sparsity(lambda x: x[1:] * x[:-1], np.ones(4)).toarray().astype(int)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    check_function(function, "sparsity")
    check_names("sparsity", inputs)
    made = Sparse(function, inputs)
    given, options = made._given(args, options)
    sets, width = made._sets(args, options, given)
    shape = (len(sets.starts) - 1, width)
    return of_scipy().csr_matrix((np.ones(sets.columns.size, bool), sets.columns, sets.starts), shape=shape)

