"""Wrapped functions: what is behind decorators, partials and mutated arguments as outputs.

Functions that carry their own adjoint (`custom_vjp`), and functions that are computed again in reverse (`checkpoint`).
"""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import InputError, SourcegradError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import Scope, transparent
from sourcegrad.ir.unit import Function, Names
from sourcegrad.parse.classes import written
from sourcegrad.parse.resolve import describe, readable
from sourcegrad.primitives.core import ON_TENSORS, RULES, VERSION, ZERO_DERIVATIVE


def outermost(function: Any) -> Function:
    """The function that a gradient is asked for, with the parameters that its signature shows.

    `functools.wraps` gives a wrapper `def wrapper(*args, **options)` the signature of what it wraps: the parameters
    of that become those of a function that calls the wrapper.
    """
    described = describe(function)
    if isinstance(function, types.FunctionType) and (function in RULES or function in ZERO_DERIVATIVE):
        return _calling(described, function, described)      # its rule stands for what it does
    inner = getattr(function, "__wrapped__", None)
    if not callable(inner) or not isinstance(function, types.FunctionType):
        return described
    wrapped = readable(transparent(source.unwrap(function)))
    if wrapped is None or wrapped.parameters == described.parameters:
        return described
    name = function.__code__.co_name if function.__code__.co_name.isidentifier() else "wrapper"
    return _calling(wrapped, Function(name, described.tree, described.scope), described)


def _calling(shown: Function, called: Any, inner: Function) -> Function:
    """A function with the parameters of one function that calls another with them."""
    a = shown.tree.args
    name = getattr(called, "name", inner.name)
    while name in shown.parameters or name == shown.name:
        name = f"{name}_wrapper"
    call = t.call(name, *(t.load(p.id) for p in (*a.posonlyargs, *a.args)),
                  **{p.id: t.load(p.id) for p in a.kwonlyargs})
    if a.vararg is not None:
        call.args.append(t.starred(t.load(a.vararg.id)))
    if a.kwarg is not None:
        call.keywords.append(t.keyword(None, t.load(a.kwarg.id)))
    tree = t.function(shown.name, t.clone(a), [t.return_(call, inner.origin)], inner.origin)
    if isinstance(called, Function):
        called.name = name
    return Function(shown.name, tree, Scope(shown.scope.globals, {}, {name: called}), shown.object)


# --- A `functools.partial` as a Python function of the parameters that it leaves open.

class _Written(str):
    __repr__ = str.__str__


def without_fixed(partial: functools.partial) -> types.FunctionType:
    """What a gradient of a partial works on: a function that calls it. (SourceError if the function in it has no source.)"""
    inner = transparent(partial.func)
    inner = inner if isinstance(inner, (types.FunctionType, types.MethodType)) else type(inner).__call__
    described = describe(inner)
    parameters = list(source.signature(partial).parameters.values())
    names = Names(p.name for p in parameters)
    name = names.fresh("partial" if described.name.startswith("__") else described.name)
    called = names.fresh(f"{name}_partial")
    arguments = ", ".join(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else str(p.replace(annotation=p.empty, default=p.empty))
                          for p in parameters)

    def text(default: Callable[[source.Parameter], str]) -> str:
        shown = source.Signature([p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else _Written(default(p)))
                                  for p in parameters])
        return f"def {name}{shown}:\n    return {called}({arguments})\n"

    def value(p: source.Parameter) -> str:
        writable = type(p.default) in (int, float, bool, str, type(None)) and repr(p.default) not in ("inf", "-inf", "nan")
        return repr(p.default) if writable else "()"

    given: dict[str, Any] = {called: partial, **{f"{p.name}_default": p.default for p in parameters if p.default is not p.empty}}
    exec(text(lambda p: f"{p.name}_default"), given)
    plain = given[name]
    plain.__module__, plain.__qualname__ = described.object.__module__, name
    function = written(text(value), described.origin, **{called: partial})
    plain.__sourcegrad__ = Function(name, function.tree, function.scope, plain)
    return plain


# --- Mutated arguments as outputs: `f.output("A", "B")` stands for the final content of A and B.

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
        return ON_TENSORS["call"](self, args, options) if ON_TENSORS else self.run(*args, **options)

    __sourcegrad_outputs__ = True

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

    def __call__(self, *args: Any, **options: Any) -> Any:
        return ON_TENSORS["call"](self, args, options) if ON_TENSORS else self.run(*args, **options)

    def run(self, *args: Any, **options: Any) -> Any:
        return self.function(*args, **options)

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
