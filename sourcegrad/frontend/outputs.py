"""Mutated arguments as outputs: `f.output("A", "B")` stands for the final content of A and B."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad import source
from sourcegrad.errors import InputError
from sourcegrad.frontend.resolve import describe


class Output:
    """A function whose result is the final content of arguments that it changes (and "return": its return value).

    Made by `f.output(...)` of a differentiable function; takes the arguments of f. One name gives one array, several
    give a tuple. Called, it works on copies, so the caller's arrays stay as they are.

    >>> import numpy as np, sourcegrad as sg
    >>> @sg.differentiable
    ... def scale(A, s):
    ...     A *= s
    >>> A = np.array([1.0, 2.0])
    >>> scale.output("A")(A, 3.0), A
    (array([3., 6.]), array([1., 2.]))
    >>> float(sg.grad(scale.output("A"), "s")(A, 3.0, grad_outputs=np.ones(2)))
    3.0
    """

    def __init__(self, function: Callable, names: tuple[str, ...]) -> None:
        self._function, self._names = function, names
        functools.update_wrapper(self, function, updated=())
        del vars(self)["__wrapped__"]

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self.values:
            return self.values[0](self, args, options)
        return self.run(*args, **options)

    values: list[Callable] = []                 # what calls it on Tensors, once the define-by-run front end is imported

    def run(self, *args: Any, **options: Any) -> Any:
        bound = source.signature(self._function).bind(*args, **options)
        bound.apply_defaults()
        bound.arguments.update({name: np.array(value) for name, value in bound.arguments.items()
                                if isinstance(value, np.ndarray)})
        contents = {**bound.arguments}
        contents["return"] = self._function(*bound.args, **bound.kwargs)
        found = tuple(contents[name] for name in self._names)
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        return f"<{self._function.__qualname__}.output({', '.join(map(repr, self._names))})>"

    def __reduce__(self) -> tuple:
        return output, (self._function, *self._names)


def output(function: Callable, *names: str) -> Output:
    """The handle for some outputs of a function; InputError for a name that is no parameter."""
    origin = describe(function).origin
    parameters = list(source.signature(function).parameters)
    if not names:
        raise InputError("output() needs the name of an argument, or \"return\"", origin,
                         f"The parameters are {', '.join(parameters)}.")
    for name in names:
        if name != "return" and name not in parameters:
            raise InputError(f"output: there is no parameter {name!r}", origin,
                             f"The parameters are {', '.join(parameters)}; \"return\" is the return value.")
    if len(set(names)) < len(names):
        raise InputError("output: a name is given twice", origin)
    return Output(function, names)
