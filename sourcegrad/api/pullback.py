"""`vjp`: a value, and its pullback: the reverse half of a function with what its forward half saved."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

import numpy as np

from sourcegrad.api.gradient import VALUES, Gradient, _make, _tried, bound_arguments
from sourcegrad.api.inputs import located, refuse
from sourcegrad.api.shadow_run import unchanged
from sourcegrad.errors import InputError, Refusal, SourcegradError, public
from sourcegrad.ir.paths import base_of, bases, part_of
from sourcegrad.ir.source import IN_TURN
from sourcegrad.runtime.core import as_gradient, check_cotangent
from sourcegrad.runtime.objects import by_identity, leaves, lists_in, refilled, unspent

V = TypeVar("V")                # what the function returns, or its value where it returns (value, aux)
A = TypeVar("A")                # what it returns beside the value


@overload
def vjp(function: Callable[..., tuple[V, A]], *args: Any, inputs: Any = None,
        has_aux: Literal[True]) -> tuple[V, Callable[[Any], Any], A]: ...
@overload
def vjp(function: Callable[..., V], *args: Any, inputs: Any = None,
        has_aux: Literal[False] = False) -> tuple[V, Callable[[Any], Any]]: ...


@public
def vjp(function: Callable, *args: Any, inputs: Any = None, has_aux: bool = False) -> Any:
    """`(value, pullback)`: the pullback takes a cotangent of the value and gives the gradients.

    Without `inputs` the pullback returns a tuple with one gradient for every positional argument given.
    has_aux: the function returns (value, aux), and this (value, pullback, aux).

    >>> import sourcegrad as sg
    >>> value, pullback = sg.vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> value, pullback(1.0)
    (6.0, (3.0, 2.0))
    >>> value, pullback, aux = sg.vjp(lambda x: (x * x, "squared"), 3.0, has_aux=True)
    >>> value, pullback(1.0), aux
    (9.0, (6.0,), 'squared')
    """
    if VALUES and (found := VALUES["vjp"](function, args, inputs)) is not None:
        if has_aux:
            raise InputError("has_aux=True means nothing for Tensors", remedy="It is for functions that return (value, aux).")
        return found
    gradient = _make(function, tuple(range(len(args))) if inputs is None else inputs, None, True, has_aux)
    value, pullback = Pullback.of(gradient, args)
    return (value[0], pullback, value[1]) if has_aux else (value, pullback)


class Pullback:
    """The reverse half of a function with what its forward half saved: call it with a cotangent of the value."""

    def __init__(self, gradient: Gradient, reverse: Callable, saved: Any, value: Any, inputs: tuple) -> None:
        self._gradient, self._reverse, self._saved, self._value, self._inputs = gradient, reverse, saved, value, inputs

    @classmethod
    def of(cls, gradient: Gradient, args: tuple, options: dict | None = None) -> tuple[Any, Pullback]:
        bound, kinds = bound_arguments(gradient, *gradient._whole(args, options or {}))
        watched, trusted = _tried(gradient, bound, kinds, False, halves=True)
        halves = watched.derived
        before, halves.before = halves.before, None
        bound.apply_defaults()
        values = bound.arguments
        try:
            value, saved = halves.function(*values.values())
        except (SourcegradError, Refusal) as error:
            raise located(error, gradient._user) from None
        unchanged(before)
        if isinstance(trusted, Exception):
            raise trusted
        inputs = tuple(values[name] for name in bases(gradient._active()[0]))
        held = [x for x in leaves((value, *values.values())) if isinstance(x, np.ndarray)]
        saved = unspent(saved, held, by_identity(halves.reverse), None, frozenset(map(id, lists_in(tuple(values.values())))))
        pullback = cls(gradient, halves.reverse, saved, value, inputs)
        pullback.generated = halves
        return value, pullback

    generated: Any = None                       # both halves, as generated

    def __call__(self, ct: Any) -> Any:
        gradient, spent, ordered = self._gradient, list[Any](), by_identity(self._reverse)
        if ordered:
            IN_TURN.acquire()
        try:
            ct = (check_cotangent(ct, self._value[0]), 0.0) if gradient._has_aux else check_cotangent(ct, self._value)
            found = self._reverse(unspent(self._saved, (), ordered, spent), ct)
        except (SourcegradError, Refusal, TypeError) as error:
            refuse(error, gradient._user)
            raise
        finally:
            refilled(spent)
            if ordered:
                IN_TURN.release()
        parts = (found,) if len(self._inputs) == 1 else found
        paths, single = gradient._active()
        names = bases(paths)
        held = dict(zip(names, zip(parts, self._inputs)))
        gradients = tuple(as_gradient(*part_of(path, *held[base_of(path)])) for path in paths)
        return gradients[0] if single else gradients

    def __repr__(self) -> str:
        return f"<sourcegrad.vjp({self._gradient._user.__qualname__}) pullback>"
