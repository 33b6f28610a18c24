"""A stand-in for `sg.grad` that works by differences: it tests the checks, whether or not a program is accepted."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs.real.checks import differences
from tests.programs.real.record import Real
from tests.programs.real.structure import from_vector, vector


class NumericGradient:
    """The gradient of a function, or of the projection of a gradient on `grad_outputs`; times `factor`."""

    source = ""

    def __init__(self, function: Callable, inputs: Any = None, grad_outputs: Any = None, factor: float = 1.0) -> None:
        self.function, self.inputs, self.grad_outputs, self.factor = function, inputs, grad_outputs, factor
        self.__name__ = function.__name__
        self.__signature__ = inspect.signature(function)

    def __call__(self, *args: Any, **options: Any) -> Any:
        program = Real(self.function, args, self.inputs, options=options)
        template = program.select(args)

        def value(numbers: np.ndarray) -> float:
            result = program.run(program.with_inputs(from_vector(template, numbers)))
            if self.grad_outputs is None:
                return float(result)
            return float(vector(result, self.grad_outputs) @ vector(result, result))

        gradient = from_vector(template, self.factor * differences(value, vector(template, template), 3e-4))
        return gradient if isinstance(self.inputs, tuple) else gradient[0]
