"""Jacobians, Hessians and their products: several sweeps of one generated gradient, as functions of a function's arguments."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sourcegrad.api.gradient import Pullback, grad, value_and_grad
from sourcegrad.errors import InputError, public


class Several:
    """A function of the arguments of another one. Pickles by reference to that."""

    def __init__(self, function: Callable, inputs: Any) -> None:
        self._function, self._inputs = function, inputs
        self._gradient = self._differentiated(function, inputs)
        self.__name__ = f"{getattr(function, '__name__', 'function')}_{type(self).__name__.lower()}"

    def _differentiated(self, function: Callable, inputs: Any) -> Any:
        return value_and_grad(function, inputs)

    def __reduce__(self) -> tuple:
        return type(self), (self._function, self._inputs)

    def __repr__(self) -> str:
        return f"<sourcegrad.{type(self).__name__.lower()}({self._gradient!r})>"


class Jacobian(Several):
    """The Jacobian of a function: `jacobian(f)(*args)` has the shape of the result + the shape of the input."""

    @public
    def __call__(self, /, *args: Any, **options: Any) -> Any:
        value, pullback = Pullback.of(self._gradient, args, options)
        found = [joined(self._rows(pullback, weights, part), part) for part, weights in parts(value)]
        return type(value)(found) if type(value) in (tuple, list) else found[0]

    def _rows(self, pullback: Callable, weights: Callable[[Any], Any], part: Any) -> list:
        if np.iscomplexobj(part):
            raise InputError("the Jacobian of a complex result is not one matrix",
                             remedy="Return its real and imaginary parts: np.stack([z.real, z.imag]).")
        if isinstance(part, np.ndarray):
            dtype = part.dtype if np.issubdtype(part.dtype, np.floating) else float
            basis = np.eye(part.size, dtype=dtype).reshape(part.size, *part.shape)
            return [pullback(weights(row)) for row in basis] or [pullback(weights(np.zeros(part.shape, dtype)))]
        return [pullback(weights(1.0))]


class Hessian(Jacobian):
    """The Hessian of a function that gives a number: `hessian(f)(*args)` has the shape of the input twice."""

    def _differentiated(self, function: Callable, inputs: Any) -> Any:
        return value_and_grad(grad(function, inputs), inputs)


class HVP(Hessian):
    """The product of a Hessian with a vector: `hvp(f)(x, v, *rest)`, v like the first argument x."""

    @public
    def __call__(self, x: Any, v: Any, /, *rest: Any, **options: Any) -> Any:
        return Pullback.of(self._gradient, (x, *rest), options)[1](v)          # the Hessian is symmetric


def parts(value: Any) -> Iterator[tuple[Any, Callable[[Any], Any]]]:
    """Each array of a result, and how a weight of it becomes one of the whole result."""
    if type(value) not in (tuple, list):
        if not isinstance(value, (float, int, complex, np.generic, np.ndarray)):
            raise InputError(f"the Jacobian is that of arrays, and the result is a {type(value).__name__}",
                             remedy="Return an array, a number, or a tuple of these.")
        yield value, lambda weight: weight
        return
    nothing = [np.zeros_like(item) if isinstance(item, np.ndarray) else 0.0 for item in value]
    for j, item in enumerate(value):
        (part, _), = parts(item)
        yield part, functools.partial(placed, type(value), nothing, j)


def placed(sort: type, nothing: list, place: int, weight: Any) -> Any:
    """A weight of one part of a tuple or list, zeros for the others."""
    return sort([*nothing[:place], weight, *nothing[place + 1:]])


def joined(rows: list, part: Any) -> Any:
    """Rows of one output as an array of its shape + the input's: one for each input."""
    if type(rows[0]) is tuple:
        return tuple(joined(list(column), part) for column in zip(*rows))
    if not isinstance(rows[0], (float, complex, np.generic, np.ndarray)):
        raise InputError(f"the Jacobian is by arrays, and an input is a {type(rows[0]).__name__}",
                         remedy="Name its arrays: inputs=\"model.w\".")
    if not isinstance(part, np.ndarray):
        return rows[0]
    return np.stack(rows)[:part.size].reshape(part.shape + np.shape(rows[0]))
