"""Wrapped functions: what is behind decorators, partials and mutated arguments as outputs."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import InputError, SourceError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.names import Names
from sourcegrad.ir.transparent import transparent
from sourcegrad.ir.unit import Function, Scope
from sourcegrad.parse.classes import written
from sourcegrad.parse.resolve import describe
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE


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
    try:
        wrapped = describe(transparent(source.unwrap(function)))
    except SourceError:
        return described
    if wrapped.parameters == described.parameters:
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

def without_fixed(partial: functools.partial) -> types.FunctionType:
    """What a gradient of a partial works on: a function that calls it. (SourceError if the function in it has no source.)"""
    inner = transparent(partial.func)
    inner = inner if isinstance(inner, (types.FunctionType, types.MethodType)) else type(inner).__call__
    described = describe(inner)
    parameters = list(source.signature(partial).parameters.values())
    names = Names(p.name for p in parameters)
    name = names.fresh("partial" if described.name.startswith("__") else described.name)
    called = names.fresh(f"{name}_partial")
    given: dict[str, Any] = {called: partial}
    shown, real, arguments = [], [], []
    for position, p in enumerate(parameters):
        star = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        before = [q.kind for q in parameters[:position]]
        if p.kind is p.KEYWORD_ONLY and not {p.KEYWORD_ONLY, p.VAR_POSITIONAL} & set(before):
            shown.append("*")
            real.append("*")
        if p.kind is not p.POSITIONAL_ONLY and before and before[-1] is p.POSITIONAL_ONLY:
            shown.append("/")
            real.append("/")
        default = ""
        if p.default is not p.empty:
            writable = type(p.default) in (int, float, bool, str, type(None)) and repr(p.default) not in ("inf", "-inf", "nan")
            default = f"={p.default!r}" if writable else "=()"
            given[f"{p.name}_default"] = p.default
        shown.append(f"{star}{p.name}{default}")
        real.append(f"{star}{p.name}" + (f"={p.name}_default" if default else ""))
        arguments.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else f"{star}{p.name}")
    if parameters and parameters[-1].kind is parameters[-1].POSITIONAL_ONLY:
        shown.append("/")
        real.append("/")
    body = f"    return {called}({', '.join(arguments)})\n"
    exec(f"def {name}({', '.join(real)}):\n{body}", given)
    plain = given[name]
    plain.__module__, plain.__qualname__ = described.object.__module__, name
    function = written(f"def {name}({', '.join(shown)}):\n{body}", described.origin, **{called: partial})
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
