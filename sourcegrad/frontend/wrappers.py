"""Functions behind decorators: what is differentiated when a wrapper, a cache or a compiled function is named."""
from __future__ import annotations

import types
from typing import Any

from sourcegrad import source, tree as t
from sourcegrad.errors import SourceError
from sourcegrad.frontend.resolve import Function, Scope, describe
from sourcegrad.frontend.transparent import transparent


def outermost(function: Any) -> Function:
    """The function that a gradient is asked for, with the parameters that its signature shows.

    `functools.wraps` gives a wrapper `def wrapper(*args, **options)` the signature of what it wraps: the parameters
    of that become those of a function that calls the wrapper.
    """
    described = describe(function)
    inner = getattr(function, "__wrapped__", None)
    if not callable(inner) or not isinstance(function, types.FunctionType):
        return described
    try:
        wrapped = describe(transparent(source.unwrap(function)))
    except SourceError:
        return described
    if wrapped.parameters == described.parameters:
        return described
    a = wrapped.tree.args
    name = function.__code__.co_name if function.__code__.co_name.isidentifier() else "wrapper"
    while name in wrapped.parameters or name == wrapped.name:
        name = f"{name}_wrapper"
    call = t.call(name, *(t.load(p.id) for p in (*a.posonlyargs, *a.args)),
                  **{p.id: t.load(p.id) for p in a.kwonlyargs})
    if a.vararg is not None:
        call.args.append(t.starred(t.load(a.vararg.id)))
    if a.kwarg is not None:
        call.keywords.append(t.keyword(None, t.load(a.kwarg.id)))
    tree = t.function(wrapped.name, t.clone(a), [t.return_(call, described.origin)], described.origin)
    called = Function(name, described.tree, described.scope)
    return Function(wrapped.name, tree, Scope(wrapped.scope.globals, {}, {name: called}), source.unwrap(function))
