"""What a kernel is: a program that works in place, with the arrays that hold its results."""
from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.program import Program


def seeded(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))


@dataclass(frozen=True)
class Kernel(Program):
    """A program whose results may be arguments that it overwrites.

    inputs: a tuple of names. outputs: "return" and/or names of mutated arguments. linear: the reverse sweep needs
    nothing from the forward sweep (no value, mask or count), so that nothing may be saved.
    """

    outputs: tuple[str, ...] = ("return",)
    linear: bool = False

    def results(self, args: tuple) -> tuple:
        """The final content of the outputs, after running on these arguments."""
        returned = self.run(*args)
        parameters = list(inspect.signature(self.function).parameters)
        return tuple(returned if name == "return" else args[parameters.index(name)] for name in self.outputs)


class Kernels(list):
    """The kernels of one file."""

    def add(self, function: Callable, make: Callable[[np.random.Generator], tuple], inputs: tuple[str, ...],
            outputs: tuple[str, ...] = ("return",), linear: bool = False, order: int = 2, may_refuse: bool = False,
            **options: Any) -> None:
        """`make` gives the arguments from a random generator that is seeded by the function's name."""
        args = make(seeded(function.__name__))
        self.append(Kernel(function, args, inputs, order, options, may_refuse=may_refuse, outputs=outputs, linear=linear))
