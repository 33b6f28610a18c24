"""What a test program is: a function, arguments to call it with, and what to differentiate."""
from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Program:
    """A small ordinary function to be differentiated.

    inputs: as for `sg.grad` (None: the first parameter). order: up to which derivative it is tested.
    options: keyword arguments of the call. oracle: whether the program runs on dual numbers.
    may_refuse: whether it is refused with its place (the language ends here), for now.
    step: of central differences (larger where the program rounds to float32).
    """

    function: Callable
    args: tuple
    inputs: Any = None
    order: int = 2
    options: dict = field(default_factory=dict)
    oracle: bool = True
    may_refuse: bool = False
    step: float = field(default=1e-5, kw_only=True)

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the inputs among the arguments."""
        inputs = self.inputs if isinstance(self.inputs, tuple) else (0 if self.inputs is None else self.inputs,)
        parameters = list(inspect.signature(self.function).parameters)
        return tuple(parameters.index(item) if isinstance(item, str) else item for item in inputs)

    def fresh(self) -> tuple:
        """Arguments that the program may do with as it likes."""
        return copy.deepcopy(self.args)

    def run(self, *args: Any) -> Any:
        return self.function(*args, **self.options)

    def select(self, args: tuple) -> Any:
        """The inputs among arguments: one value, or a tuple where a tuple of inputs was asked for."""
        chosen = tuple(args[position] for position in self.positions)
        return chosen if isinstance(self.inputs, tuple) else chosen[0]


class Corpus(list):
    """The programs of one file."""

    def add(self, function: Callable, *args: Any, inputs: Any = None, order: int = 2, oracle: bool = True,
            may_refuse: bool = False, step: float = 1e-5, **options: Any) -> None:
        self.append(Program(function, args, inputs, order, options, oracle, may_refuse, step=step))

    def with_arguments(self, *args: Any, **options: Any) -> Callable:
        """A decorator, plain or with options of its own, that adds functions with these arguments: not run on dual numbers."""
        def case(function: Callable | None = None, **own: Any) -> Any:
            if function is None:
                return functools.partial(case, **own)
            self.add(function, *args, **{"oracle": False, **options, **own})
            return function
        return case
