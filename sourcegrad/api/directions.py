"""Many directions through the sweeps of one generated function: the columns and the rows of a Jacobian."""
from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.api.gradient import Gradient, _make
from sourcegrad.api.parts import Part, basis, check_result, common, cut, flat, mapped, parts
from sourcegrad.api.pullback import Pullback
from sourcegrad.api.shadow_run import rewind, states_of
from sourcegrad.errors import InputError, UnsupportedError
from sourcegrad.ir.paths import base_of, tangent_names
from sourcegrad.runtime.structure import STREAMS

ROOM = 1 << 22                          # numbers that the tangents of one array may have

Found = tuple[Any, Any, np.ndarray]     # the value, what is returned beside it, the matrix
Other = Callable[[int, tuple, dict, Any, list[Part]], Any]


def backwards(gradient: Gradient) -> bool:
    """Whether only reverse mode takes such inputs: parts of arguments; a parameter `grad_outputs` is one of weights there, too."""
    return any(base_of(path) != path for path in gradient._active()[0]) or "grad_outputs" in gradient._signature().parameters


def arguments(gradient: Gradient, args: tuple, options: dict) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments of a call, by name, with defaults; and those inputs that are defaults."""
    whole, keywords, _ = gradient._whole(args, options)
    try:
        bound = Gradient._signature(gradient).bind(*whole, **keywords)
    except TypeError as error:
        raise InputError(f"{gradient.__name__}(): {error}", gradient._origin()) from None
    given = set(bound.arguments)
    bound.apply_defaults()
    values = bound.arguments
    return values, {name: values[name] for name in gradient._active()[0] if name in values and name not in given}


class Rows:
    """Rows of a Jacobian, by reverse mode."""

    ALONE = 2                           # so many rows are cheaper one by one, with what the first sweep has saved

    def __init__(self, function: Callable, inputs: Any, has_aux: bool) -> None:
        self.gradient: Any = _make(function, inputs, None, True, has_aux)
        self.has_aux = has_aux
        self.seen: dict[tuple, Any] = {}                     # zero weights of the results, by the shapes of the inputs

    @functools.cached_property
    def several(self) -> Any:
        """The value, and many rows in one sweep; None: they go one by one."""
        from sourcegrad.api.pushforward import Transposed, Weighted
        return Transposed(Weighted(self.gradient._function, self.gradient._inputs, None, True, self.has_aux), "grad_outputs")

    def matrix(self, args: tuple, options: dict, given: Any, columns: list[Part], other: Other | None = None) -> Found:
        """other: asked for the matrix by another mode once the number of rows is known; it may give None."""
        key = tuple(np.shape(x) for _, x in columns)
        width = sum(int(np.size(part)) for _, part in columns)
        if key in self.seen and self.several is not None:
            found = self.together(args, options, self.seen[key], width)
            if found is not None:
                return found
        states = states_of(None, [x for x in (*args, *options.values()) if isinstance(x, STREAMS)]) if other is not None else []
        value, pullback = Pullback.of(self.gradient, args, options)
        value, aux = value if self.has_aux else (value, None)
        check_result(value)
        rows = list(parts(value, kinds="fciub"))
        count = sum(int(np.size(part)) for _, part in rows)
        if other is not None and pullback.generated.trial is not None and not drawn(states):
            better = other(count, args, options, given, columns)
            if better is not None:
                return better                                # type: ignore[no-any-return]
        if count > self.ALONE:
            self.seen[key] = zeros_of(value)
        single, units = self.gradient._active()[1], basis(rows, 0, count)
        matrix = np.zeros((count, width), np.result_type(float, *(np.asarray(x).dtype for _, x in columns)))
        for j in range(count):
            row = pullback(mapped(unit_of(units, j), value, kinds="fciub", others=True))
            matrix[j] = flat(list(parts((row,) if single else row)), 1)[0]
        return value, aux, matrix

    def together(self, args: tuple, options: dict, zero: Any, width: int, seeds: np.ndarray | None = None) -> Found | None:
        """All rows (or products of seeds with the Jacobian) in one sweep, if the result has the shapes that it had; None where they
        go one by one."""
        rows = list(parts(zero))
        count = sum(int(np.size(part)) for _, part in rows) if seeds is None else len(seeds)
        if count * max(width, count) > ROOM or count < 2:
            return None
        units = basis(rows, 0, count) if seeds is None else cut(rows, seeds)
        moved = mapped(lambda path, part: units[path], zero)
        try:
            value, gradients = self.several(*args, **options, grad_outputs=zero, grad_outputs_dot=moved)
        except Exception:                                    # of another shape, perhaps: the usual way tells what is wrong
            self.several = None
            return None
        value, aux = value if self.has_aux else (value, None)
        found = [(path, np.shape(part)) for path, part in parts(value, kinds="fciub")]
        if found != [(path, np.shape(part)) for path, part in rows]:
            self.several = None                              # they depend on values
            return None
        return value, aux, flat(list(parts(gradients)), count)

    def products(self, args: tuple, options: dict, columns: list[Part], seeds: np.ndarray) -> Found:
        """The products of vectors with the Jacobian, one a row."""
        key = tuple(np.shape(x) for _, x in columns)
        width = sum(int(np.size(part)) for _, part in columns)
        found = self.together(args, options, self.seen[key], width, seeds) if key in self.seen and self.several else None
        if found is not None:
            return found
        value, pullback = Pullback.of(self.gradient, args, options)
        value, aux = value if self.has_aux else (value, None)
        rows = list(parts(value, kinds="fciub"))
        self.seen[key] = zeros_of(value)
        single, units = self.gradient._active()[1], cut(rows, seeds)
        found_rows = []
        for j in range(len(seeds)):
            row = pullback(mapped(unit_of(units, j), value, kinds="fciub", others=True))
            found_rows.append(flat(list(parts((row,) if single else row)), 1))
        return value, aux, np.concatenate(found_rows)

    def along(self, args: tuple, options: dict, weights: Any) -> tuple[Any, Any]:
        """The product of a vector with the Jacobian."""
        found, pullback = Pullback.of(self.gradient, args, options)
        return pullback(weights), found[1] if self.has_aux else None


class Columns:
    """Columns of a Jacobian, by forward mode."""

    def __init__(self, function: Callable, inputs: Any, has_aux: bool) -> None:
        self.function, self.inputs, self.has_aux = function, inputs, has_aux

    @functools.cached_property
    def made(self) -> Any:
        from sourcegrad.api.pushforward import Pushforward
        return Pushforward(self.function, self.inputs, has_aux=self.has_aux)

    @functools.cached_property
    def several(self) -> Any:
        """Many columns in one sweep; None: where they go one by one."""
        from sourcegrad.api.pushforward import Pushforwards
        return Pushforwards(self.function, self.inputs, has_aux=self.has_aux)

    def matrix(self, args: tuple, options: dict, given: Any, columns: list[Part]) -> Found:
        """The columns by as few sweeps as there can be."""
        count = sum(int(np.size(part)) for _, part in columns)
        value, aux, found = self.products(args, options, given, max(count, 1), lambda start, stop: basis(columns, start, stop))
        return value, aux, found[:count].T

    def products(self, args: tuple, options: dict, given: Any, count: int, seeds: Callable[[int, int], dict]) -> Found:
        """The products of the Jacobian with vectors, one a row. seeds(start, stop): some of the vectors, by parts of the inputs."""
        found = self._together(args, options, given, count, seeds) if count > 1 and self.several is not None else None
        if found is not None:
            return found
        rows, states = [], streams(self.made, args, options) if count > 1 else []
        for j in range(count):
            units = seeds(j, j + 1)
            moved = [mapped(unit_of(units, 0), x, (name,), others=True) for name, x in given]
            value, aux, tangent = self._sweep(args, options, moved)
            check_result(value)
            rows.append(columns_of(value, mapped(lambda _, part: np.asarray(part)[None], tangent, kinds="fciub"), 1))
            if j < 2:                                        # (what draws does so in the first two)
                check_steady(self.made, states)
        return value, aux, np.concatenate(rows)

    def _together(self, args: tuple, options: dict, given: Any, count: int, seeds: Callable[[int, int], dict]) -> Found | None:
        """Many directions in a sweep; None where they go one by one."""
        size = max(sum(int(np.size(part)) for name, x in given for _, part in parts(x)), 1)
        found: list = []
        start, step = 0, max(2, min(count, ROOM // size))
        states = streams(self.made, args, options) if step < count else []       # one sweep is one call
        while start < count:
            stop = count if count - start - step < 2 else start + step           # (a single one is no batch)
            units = seeds(start, stop)
            moved = [mapped(lambda path, part, units=units: units[path], x, (name,)) for name, x in given]  # type: ignore[misc]
            try:
                value, tangent = self.several(*args, **options, **dict(zip(self.several._tangents.values(), moved)))
            except UnsupportedError:                         # (also what is refused by values, and taken by identity)
                self.several = None
                return None
            value, aux = value if self.has_aux else (value, None)
            check_result(value)
            check_steady(self.made, states)
            found.append(columns_of(value, tangent, stop - start))
            start = stop
            if stop < count:                                 # the result may be larger than the inputs
                step = max(2, min(step, ROOM // max(found[0].shape[1], 1)))
        return value, aux, found[0] if len(found) == 1 else np.concatenate(found)

    def along(self, args: tuple, options: dict, vectors: Any) -> tuple[Any, Any]:
        """The product of the Jacobian with a vector."""
        _, aux, tangent = self._sweep(args, options, vectors)
        return tangent, aux

    def _sweep(self, args: tuple, options: dict, moved: Any) -> tuple[Any, Any, Any]:
        dots = dict(zip(self.made._tangents.values(), moved))
        value, tangent = self.made(*args, **options, **dots)
        return (*value, tangent) if self.has_aux else (value, None, tangent)


def zeros_of(value: Any) -> Any:
    """Zero weights of a result."""
    return mapped(lambda path, part: np.zeros_like(part, dtype=common(part))[()], value, kinds="fciub", others=True)


def columns_of(value: Any, tangent: Any, count: int) -> np.ndarray:
    """The tangents of a result as one matrix, a row for each direction; of whole numbers they are zero."""
    pairs = zip(parts(value, kinds="fciub"), parts(tangent, kinds="fciub"), strict=True)
    rows = [np.asarray(dot).reshape(count, -1) if np.asarray(part).dtype.kind in "fc" else np.zeros((count, np.size(part)))
            for (_, part), (_, dot) in pairs]
    return rows[0] if len(rows) == 1 else np.concatenate([np.zeros((count, 0)), *rows], axis=1)


def unit_of(units: dict[tuple, np.ndarray], j: int) -> Callable[[tuple, Any], Any]:
    """The parts of one unit vector, for `mapped`."""
    return lambda path, part: number_like(part, units[path][j])


def number_like(part: Any, unit: Any) -> Any:
    """A unit vector for an array or a number."""
    return unit if isinstance(part, np.ndarray) else unit[()]


def streams(made: Any, args: tuple, options: dict) -> list:
    """The random generators that a call may draw from, each with its state."""
    dots = dict.fromkeys(tangent_names(made._active()[0], Gradient._signature(made).parameters))
    derived = made._prepared(*made._whole(args, {**options, **dots}))[0].derived
    held = [x for x in (*args, *options.values()) if isinstance(x, STREAMS)]
    return states_of(derived, held)


def drawn(states: list) -> bool:
    """Whether a random generator is in another state now."""
    now = states_of(None, [stream for stream, _ in states]) if states else []
    return any(pickle.dumps(one) != pickle.dumps(other) for (_, one), (_, other) in zip(states, now))


def check_steady(made: Any, states: list) -> None:
    """Refuse a function that draws random numbers where it is called several times; the generators are put back."""
    if drawn(states):
        rewind(states)
        raise UnsupportedError(f"{made._user.__name__}() draws random numbers: others in each sweep of forward mode",
                               made._origin(), "Draw them outside and pass them.")
