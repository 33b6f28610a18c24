"""What a real program is: a function that returns a scalar, its arguments, and what to differentiate."""
from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Real:
    """A program to be differentiated.

    inputs: as for `sg.grad`: a parameter, a path like "self.w", or a tuple of them (None: the first parameter).
    order: up to which derivative it is tested. options: keyword arguments of the call.
    step: of the central differences, relative to the size of the number. tolerance: relative to the largest derivative.
    refused: a fragment of the advice, if the program is outside the language and stays there.
    lines: how many times the user's lines may be emitted.
    """

    function: Callable
    args: tuple
    inputs: Any = None
    order: int = 2
    options: dict = field(default_factory=dict)
    step: float = 3e-4
    tolerance: float = 1e-6
    refused: str | None = None
    lines: float = 4.0

    @property
    def paths(self) -> list[tuple[int, list[str]]]:
        """Each input as the position of an argument and the attributes to follow from there."""
        parameters = list(inspect.signature(self.function).parameters)
        inputs = self.inputs if isinstance(self.inputs, tuple) else (parameters[0] if self.inputs is None else self.inputs,)
        found = []
        for item in inputs:
            name, *attributes = [parameters[item]] if isinstance(item, int) else item.split(".")
            found.append((parameters.index(name), attributes))
        return found

    def fresh(self) -> tuple:
        """Arguments that the program may do with as it likes."""
        return copy.deepcopy(self.args)

    def run(self, args: tuple) -> Any:
        return self.function(*args, **copy.deepcopy(self.options))

    def select(self, args: tuple) -> tuple:
        """The inputs among arguments, always as a tuple."""
        chosen = []
        for position, attributes in self.paths:
            value = args[position]
            for attribute in attributes:
                value = getattr(value, attribute)
            chosen.append(value)
        return tuple(chosen)

    def with_inputs(self, values: tuple) -> tuple:
        """Fresh arguments in which the inputs have other values."""
        args = list(self.fresh())
        for (position, attributes), value in zip(self.paths, values):
            if not attributes:
                args[position] = value
                continue
            owner = args[position]
            for attribute in attributes[:-1]:
                owner = getattr(owner, attribute)
            object.__setattr__(owner, attributes[-1], value)
        return tuple(args)
