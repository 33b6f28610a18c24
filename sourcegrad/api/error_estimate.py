"""Rounding errors of a result, by line of the user's source: a bound of first order from one reverse sweep.

Each operation with floats is off by at most half a unit in the last place of its result (more for sums and library functions), and
the adjoint of that result says by how much it moves the result of the whole: M. Iri, "Simultaneous computation of functions,
partial derivatives and estimates of rounding errors" (1984); B. Christianson, "Reverse accumulation and accurate rounding error
estimates" (Optimization Methods and Software 1, 1992); N. J. Higham, "Accuracy and Stability of Numerical Algorithms" (2002).
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sourcegrad.api.cost import near
from sourcegrad.api.gradient import Gradient, check_function
from sourcegrad.api.inputs import check_options, input_value
from sourcegrad.api.parts import parts
from sourcegrad.compiler.linking import Derived
from sourcegrad.errors import InputError, public
from sourcegrad.ir import source
from sourcegrad.ir.paths import base_of, part_at
from sourcegrad.runtime.rounding import LEDGER, Ledger, unit_of
from sourcegrad.runtime.structure import carries


@dataclass(frozen=True)
class ErrorEstimate:
    """What `error_estimate` found.

    value: of the function. bound: of its rounding error, absolute and to first order. lines: (line number, source text,
    contribution to the bound), the largest first; they add up to the bound. places: the same with the file before the number.
    """

    value: Any
    bound: float
    lines: list[tuple[int, str, float]]
    places: list[tuple[str, int, str, float]] = field(repr=False)

    @property
    def relative(self) -> float:
        """The bound relative to the value."""
        size = float(abs(self.value))
        return self.bound / size if size else math.inf if self.bound else 0.0

    @property
    def digits(self) -> float:
        """How many decimal digits of the value are right at least."""
        return max(0.0, -math.log10(self.relative)) if self.relative else math.inf

    def __str__(self) -> str:
        digits = f", {self.digits:.1f} digits" if self.relative and math.isfinite(self.relative) else ""
        lines = [f"{self.value} +- {self.bound:.2g} (relative {self.relative:.2g}{digits})"]
        files = dict.fromkeys(file for file, *_ in self.places)
        for file in files:
            own = [found for found in self.places if found[0] == file]
            lines += [near(file)] if len(files) > 1 and file else []
            lines += [f"{number or '':>6}  {bound:>8.2g}  {100.0 * bound / (self.bound or 1.0):>3.0f} %  {text}"
                      for _, number, text, bound in own]
        return "\n".join(lines)


class Rounding(Gradient):
    """The value and gradients of a function, by code that notes rounding errors. inputs: a tuple of names, which may be empty."""

    kept_on_disk = False                                    # type: ignore[assignment]

    def __init__(self, function: Callable, inputs: tuple[str, ...]) -> None:
        super().__init__(function, inputs, None, True)

    @property
    def _spec(self) -> tuple:
        return ("rounding", *super()._spec)

    def _described(self) -> Any:
        if self._inputs:
            return super()._described()
        return (), self._plain._signature() if isinstance(self._plain, Gradient) else source.signature(self._user), ((), False)

    def _derive(self, function: Any, kinds: dict, given: bool, trace: Any, halves: bool) -> Derived:
        from sourcegrad.compiler.rounding import derive_rounding
        derived = derive_rounding(function, kinds, self._active()[0], trace)
        derived.function = anew(derived.function)
        return derived

    def _with(self, function: Any, inputs: Any) -> Rounding:
        return Rounding(function, inputs)


def anew(function: Callable) -> Callable:
    """Generated code that starts with nothing noted, as it may run several times."""
    def run(*args: Any, **options: Any) -> Any:
        ledger = LEDGER.get()
        if ledger is not None:
            ledger.clear()
        return function(*args, **options)

    return run


@public
def error_estimate(function: Callable, /, *args: Any, inputs: Any = None, **options: Any) -> ErrorEstimate:
    """A first-order bound of the rounding error of a result that is a number, by line of the user's source.

    args, options: the arguments of a call; numbers and arrays in them count as exact. inputs: names or positions, as in `grad`, of
    parameters that are rounded themselves, such as measured or converted numbers: theirs is the line of the `def`. Every operation
    with floats counts, in loops every turn, with half a unit in the last place of its dtype; sums and products of arrays with their
    terms, library functions with what is known of them. What copies, selects or negates numbers, or multiplies them by a literal
    that is a power of two, is exact. The bound is that of the worst case, and to first order: most errors are smaller, and products
    of errors are left out. Raises what `grad` raises.

    >>> import sourcegrad as sg
    >>> def root(b, c):
    ...     d = b * b - 4.0 * c
    ...     return d ** 0.5 - b
    >>> found = sg.error_estimate(root, 1e4, 1.0)
    >>> print(found)
    -0.00020000000222353265 +- 3.3e-12 (relative 1.7e-08, 7.8 digits)
         3   2.2e-12   67 %  return d ** 0.5 - b
         2   1.1e-12   33 %  d = b * b - 4.0 * c
    >>> abs(found.value - -0.00020000000200000004) < found.bound
    True
    """
    check_function(function, "error_estimate")
    check_options("error_estimate", function, args, inputs=inputs is not None)
    plain: Gradient = Rounding(function, ()) if inputs is None else Gradient(function, inputs, None, False)
    values, keywords, _ = plain._whole(args, options)
    try:
        bound = plain._signature().bind(*values, **keywords)
    except TypeError as error:
        raise InputError(f"{getattr(function, '__name__', 'the function')}(): {error}", plain._origin()) from None
    bound.apply_defaults()
    rounded = plain._active()[0]
    names = [name for name, x in bound.arguments.items() if moves(name, x) and all(base_of(path) != name for path in rounded)]
    made = Rounding(function, (*names, *rounded))
    ledger = Ledger()
    token = LEDGER.set(ledger)
    try:
        value, gradients = made(*args, **options)
    finally:
        LEDGER.reset(token)
    for path, bar in zip(rounded, gradients[len(names):]):
        origin = made._origin()
        for (_, x), (_, part) in zip(parts(part_at(path, bound.arguments[base_of(path)])), parts(bar)):
            moved = float(np.sum(np.abs(np.asarray(x) * np.asarray(part)))) * unit_of(np.asarray(x))
            ledger.add(f"{origin.file}:{origin.line}" if origin else "", moved)
    return estimate(value, ledger.bounds.items())


def moves(name: str, x: Any) -> bool:
    """Whether an argument can be an input: it holds floats, and nothing that no input holds."""
    try:
        return carries(x) and input_value(name, x, lambda: None) is not None
    except InputError:
        return False


def estimate(value: Any, bounds: Iterable[tuple[str, float]]) -> ErrorEstimate:
    """What is noted, by lines, the largest first."""
    places = []
    for place, error in sorted(bounds, key=lambda item: -item[1]):
        file, _, line = place.rpartition(":")
        number = int(line or 0)
        places.append((file, number, source.text_at(file, number).strip(), error))
    places = [found for found in places if found[3] > 0.0 or math.isnan(found[3])]
    return ErrorEstimate(value, math.fsum(error for *_, error in places), [found[1:] for found in places], places)
