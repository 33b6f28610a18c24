"""Functions behind decorators: what is differentiated when a wrapper, a cache or a compiled function is named."""
from __future__ import annotations

import types
from typing import Any

from sourcegrad import source, tree as t
from sourcegrad.errors import SourceError
from sourcegrad.frontend.resolve import Function, Scope, describe
from sourcegrad.frontend.transparent import transparent
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
