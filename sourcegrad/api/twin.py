"""Plain text first, its guarded twin where that gives no finite gradient.

The text that is generated, printed and run has no guards: a root, a quotient, a logarithm is differentiated as in a textbook.
Where a branch that was not taken is singular, zero meets infinity there, and the gradient is NaN. Then the twin of the function
runs, in which a cotangent of zero stays zero. A guard changes a result only where zero meets what is infinite or no number, and
NaN stays NaN up to the result, so a finite result of the plain text is that of the twin. What has effects that would happen
twice is generated with guards at once.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.runtime.structure import attributes_of, is_user_object

ENOUGH = 2              # a gradient that has needed its twin so often in a row starts with it


def plain_first(plain: Callable, gradient: Any, twin: Callable) -> Callable:
    """Generated code, and where its gradient is not finite, that of its twin. twin: makes it for the arguments of a call."""
    place = 1 if gradient._with_value else 0 if gradient._has_aux else None
    needed = [0]

    def run(*args: Any, **options: Any) -> Any:
        if needed[0] < ENOUGH:
            try:
                with np.errstate(divide="ignore", invalid="ignore"):
                    found = plain(*args, **options)
                    if finite(found if place is None else found[place]):
                        needed[0] = 0
                        return found
            except ArithmeticError:                         # of Python's numbers; the function may raise it, too
                pass
            needed[0] += 1
        given = {name: value for name, value in options.items() if name in gradient._signature().parameters}
        bound = gradient._signature().bind(*args, **given)
        return twin(bound=bound).derived.function(*args, **options)

    return run


def finite(gradient: Any) -> bool:
    """Whether all numbers in a gradient, or a tangent, are."""
    cls = type(gradient)
    if cls is float:
        return math.isfinite(gradient)
    if cls is np.ndarray:
        if gradient.dtype.kind == "O":
            return all(map(finite, gradient.ravel().tolist()))
        return gradient.dtype.kind not in "fc" or bool(np.logical_and.reduce(np.isfinite(gradient), axis=None))
    if isinstance(gradient, (list, tuple)):
        return all(map(finite, gradient))
    if isinstance(gradient, dict):
        return all(map(finite, gradient.values()))
    if isinstance(gradient, (float, complex, np.inexact)):
        return bool(np.isfinite(gradient))
    return all(map(finite, attributes_of(gradient).values())) if is_user_object(gradient) else True
