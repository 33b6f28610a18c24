"""Prepared calls: a Jacobian of arrays like those of an earlier call takes its unit vectors, and asks for their shapes only."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sourcegrad.api.directions import Rows, columns_of, zeros_of
from sourcegrad.api.parts import Part, basis, check_result, common
from sourcegrad.errors import MissingRuleError, UnsupportedError
from sourcegrad.ir import source

if TYPE_CHECKING:
    from sourcegrad.api.jacobian import Jacobian

MOST = 1 << 16                          # numbers of the unit vectors that are kept
POSITIONAL = (source.Parameter.POSITIONAL_ONLY, source.Parameter.POSITIONAL_OR_KEYWORD)


class Prepared:
    """All directions of a Jacobian whose inputs and result are arrays of real numbers.

    A call gives None where the arguments, or what the function made of them, are not like those it was made for."""

    def __init__(self, matrix: Jacobian, forward: bool, count: int, inputs: list[tuple[int, Any]], value: Any) -> None:
        self.matrix, self.forward, self.arguments = matrix, forward, count
        self.described = matrix._reverse.gradient._described()
        self.places = [(place, x.shape, x.dtype) for place, x in inputs]
        self.value = type(value), value.shape, value.dtype
        self.dtypes = [common(value, x) for _, x in inputs]
        rows: list[Part] = [((), value)]
        columns: list[Part] = [((name,), x) for name, (_, x) in zip(self.described[2][0], inputs)]
        self.count = sum(x.size for _, x in inputs) if forward else value.size
        self.units = [*basis(columns if forward else rows, 0, self.count).values()]
        for units in self.units:
            units.flags.writeable = False
        if forward:
            self.shapes = [(self.count, *value.shape)]
            self.options = dict(zip(matrix._forward.several._tangents.values(), self.units))
        else:
            zero = zeros_of(value)
            self.shapes = [(self.count, *x.shape) for _, x in inputs]
            self.options = {"grad_outputs": zero, "grad_outputs_dot": self.units[0]}

    def __call__(self, args: tuple) -> Any:
        matrix = self.matrix
        if len(args) != self.arguments or matrix._reverse.gradient._described() is not self.described:
            return None
        for place, shape, dtype in self.places:
            x = args[place]
            if type(x) is not np.ndarray or x.shape != shape or x.dtype != dtype:
                return None
        side: Any = matrix._forward if self.forward else matrix._reverse
        if side.several is None:
            return None
        return self.by_columns(side, args) if self.forward else self.by_rows(side, args)

    def like(self, value: Any, moved: list) -> bool:
        """Whether a result and its tangents are of the types and shapes that were seen."""
        cls, shape, dtype = self.value
        return type(value) is cls and value.shape == shape and value.dtype == dtype and len(moved) == len(self.shapes) and all(
            type(x) is np.ndarray and x.shape == shape for x, shape in zip(moved, self.shapes))

    def own(self, x: np.ndarray, args: tuple) -> np.ndarray:
        """Tangents as a matrix that shares no memory with anything."""
        alone = x.base is None and x.flags.writeable and all(x is not other for other in (*self.units, *args))
        return (x if alone else x.copy()).reshape(self.count, -1)

    def by_columns(self, side: Any, args: tuple) -> Any:
        matrix = self.matrix
        try:
            value, moved = side.several(*args, **self.options)
        except (UnsupportedError, MissingRuleError):         # the usual way goes through them one by one
            return None
        if not self.like(value, [moved]):                    # what it computes depends on values
            matrix._prepared = None
            check_result(value)
            found = columns_of(value, moved, self.count)
            given = [(name, args[place]) for name, (place, *_) in zip(self.described[2][0], self.places)]
            return matrix._structured(value, matrix._finished(found.T), given)
        found = matrix._finished(self.own(moved, args).T)
        starts = np.cumsum([0, *(int(np.prod(shape)) for _, shape, _ in self.places)]).tolist() if len(self.places) > 1 else [
            0, self.count]
        blocks = [found[:, start:stop] for start, stop in zip(starts, starts[1:])]
        return self.shaped(blocks, value)

    def by_rows(self, side: Any, args: tuple) -> Any:
        try:
            value, gradients = side.several(*args, **self.options)
        except Exception:                                    # of another shape, perhaps: the usual way tells what is wrong
            side.several = None
            return None
        moved = [gradients] if self.described[2][1] else [*gradients]
        if not self.like(value, moved):
            side.several = None                              # they depend on values
            return None
        found = [self.own(x, args) for x in moved]
        return self.shaped([self.matrix._finished(x) for x in found], value)

    def shaped(self, blocks: list[np.ndarray], value: Any) -> Any:
        """The blocks in the shapes of the result and of the inputs."""
        found = tuple(block.astype(dtype, copy=False).reshape(value.shape + shape)
                      for block, dtype, (_, shape, _) in zip(blocks, self.dtypes, self.places))
        return found[0] if self.described[2][1] else found


def prepared(matrix: Jacobian, mode: str, args: tuple, options: dict, given: list[tuple[str, Any]], value: Any) -> Prepared | None:
    """What calls like one are prepared with; None where they go the usual way."""
    gradient: Any = matrix._reverse.gradient
    side: Any = matrix._forward if mode == "forward" else matrix._reverse
    if mode == "first" or options or matrix._has_aux or gradient._layers or side.several is None or not is_real(value):
        return None
    parameters = [p.name for p in gradient._signature().parameters.values() if p.kind in POSITIONAL][:len(args)]
    inputs = [(parameters.index(name), x) for name, x in given if name in parameters]
    if len(parameters) < len(args) or len(inputs) < len(given) or not all(
            type(x) is np.ndarray and is_real(x) and args[place] is x for place, x in inputs):
        return None
    width = sum(x.size for _, x in inputs)
    count = width if mode == "forward" else int(value.size)
    if count <= (1 if mode == "forward" else Rows.ALONE) or count * max(width, int(value.size)) > MOST:
        return None
    return Prepared(matrix, mode == "forward", len(args), inputs, value)


def is_real(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f"
