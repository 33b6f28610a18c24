"""Functions that carry their own adjoint (`custom_vjp`), and functions that are computed again in reverse (`checkpoint`)."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from sourcegrad.errors import InputError, SourcegradError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Function, Scope
from sourcegrad.parse.resolve import describe
from sourcegrad.rules.core import VERSION


class Wrapped:
    """A function with something said about its derivative. It is called as the function itself."""

    __sourcegrad_callable__ = True
    __sourcegrad_effects__ = True            # a call may do more than compute its value

    def __init__(self, function: Callable) -> None:
        self.function = function
        functools.update_wrapper(self, function)
        self._plain: Callable | None = None
        name = getattr(function, "__name__", getattr(function, "name", type(function).__name__))
        self.__name__ = name if name.isidentifier() else "function"
        self.__qualname__ = getattr(function, "__qualname__", self.__name__)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.function(*args, **options)

    def __get__(self, owner: Any, cls: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __repr__(self) -> str:
        return f"<sourcegrad.{type(self).__name__}({getattr(self.function, '__qualname__', self.function)})>"

    def __reduce__(self) -> str:
        return self.__qualname__

    @property
    def plain(self) -> Callable:
        """A Python function that calls this object: what `grad` works on when it is given the object itself."""
        with source.LOCK:
            if self._plain is None:
                self._plain = self._caller()
            return self._plain

    def _caller(self) -> Callable:
        def plain(*args: Any, **options: Any) -> Any:
            return self(*args, **options)

        functools.update_wrapper(plain, self.function)
        from sourcegrad.parse.wrappers import outermost
        described = outermost(self.function)
        tree = t.clone(described.tree)
        a = tree.args
        origin = t.origin_of(tree)
        name = self.__name__ if self.__name__ not in described.parameters else f"{self.__name__}_"
        call = t.call(name, *(t.load(p.id) for p in (*a.posonlyargs, *a.args)),
                      **{p.id: t.load(p.id) for p in a.kwonlyargs})
        tree.body = [t.return_(call, origin)]
        scope = Scope(described.scope.globals, described.scope.cells, {name: self})
        plain.__sourcegrad__ = Function(described.name, tree, scope, plain)      # type: ignore[attr-defined]
        return plain


class CustomVjp(Wrapped):
    """A function with its hand-written adjoint, in the manner of `jax.custom_vjp`.

    `forward(*args) -> (value, saved)` and `reverse(saved, ct) -> adjoints`, a tuple with one adjoint for each parameter
    (None: zero), are given by `defvjp`. Generated code calls them by name; a second derivative differentiates them.

    >>> import numpy as np, sourcegrad as sg
    >>> @sg.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> def forward(x):
    ...     return x, None
    >>> def reverse(saved, ct):
    ...     return (np.clip(ct, -1.0, 1.0),)
    >>> clipped.defvjp(forward, reverse)
    >>> float(sg.grad(lambda x: clipped(x) ** 2)(3.0))
    1.0
    """

    forward: Callable | None = None
    reverse: Callable | None = None

    def __init__(self, function: Callable) -> None:
        if not callable(function):
            raise InputError(f"custom_vjp needs a function, not a {type(function).__name__}")
        super().__init__(function)
        parameters = source.signature(function).parameters.values()
        starred = [p.name for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if starred:
            raise InputError(f"custom_vjp: {self.__name__}() takes *{starred[0]}: the adjoints could not be told apart",
                             _origin(function), "Give it a fixed number of parameters.")
        self.parameters = tuple(p.name for p in parameters)
        self.keyword_only = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)

    def defvjp(self, forward: Callable, reverse: Callable) -> None:
        """Give the function its derivative."""
        like_this, two = "forward, with the parameters of the function", "reverse(saved, ct)"
        positional = len(self.parameters) - len(self.keyword_only)
        for function, count, named, what in ((forward, positional, self.keyword_only, like_this), (reverse, 2, (), two)):
            if not callable(function):
                raise InputError(f"defvjp: {function!r} is not a function, but it takes {what}", _origin(self.function))
            try:
                source.signature(function).bind(*[None] * count, **dict.fromkeys(named))
            except TypeError as error:
                raise InputError(f"defvjp: {getattr(function, '__name__', function)} must be {what}: {error}",
                                 _origin(function)) from None
            except ValueError:
                pass
        self.forward, self.reverse = forward, reverse
        VERSION[0] += 1


class Checkpoint(Wrapped):
    """A function whose call saves its arguments only: the reverse sweep computes it again."""


def custom_vjp(function: Callable) -> CustomVjp:
    """A function whose adjoint is given by hand: see `CustomVjp`. Use as a decorator, then call `defvjp`.

    function: takes a fixed number of parameters. Returns a callable with `defvjp(forward, reverse)`.

    >>> import numpy as np, sourcegrad as sg
    >>> @sg.custom_vjp
    ... def log1pexp(x):
    ...     return np.log1p(np.exp(x))
    >>> log1pexp.defvjp(lambda x: (log1pexp(x), x), lambda x, ct: (ct / (1.0 + np.exp(-x)),))
    >>> float(sg.grad(lambda x: log1pexp(x))(0.0))
    0.5
    """
    return CustomVjp(function)


def checkpoint(function: Any) -> Checkpoint:
    """The function, but its calls are computed again in the reverse sweep instead of saving what they compute.

    function: any function that can be differentiated (may be used as a decorator, or inside the differentiated
    function). Memory falls to the arguments of the calls, the time of the calls is spent twice.

    >>> import numpy as np, sourcegrad as sg
    >>> @sg.checkpoint
    ... def layer(w, x):
    ...     return np.tanh(w * np.tanh(w * x))
    >>> bool(sg.grad(lambda w: layer(w, 0.5))(2.0) == sg.grad(lambda w: layer.function(w, 0.5))(2.0))
    True
    """
    if isinstance(function, Checkpoint):
        return function
    if not callable(function) and not isinstance(function, Function):
        raise InputError(f"checkpoint needs a function, not a {type(function).__name__}")
    return Checkpoint(function)


checkpoint.__sourcegrad_static__ = True              # type: ignore[attr-defined]
checkpoint.__sourcegrad_callable__ = True            # type: ignore[attr-defined]


def _origin(function: Any) -> Any:
    try:
        return describe(function).origin
    except (SourcegradError, TypeError, AttributeError):
        return None
