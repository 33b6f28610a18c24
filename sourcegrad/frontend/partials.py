"""A `functools.partial` as a Python function of the parameters that it leaves open."""
from __future__ import annotations

import functools
import types
from typing import Any

from sourcegrad import source
from sourcegrad.frontend.resolve import Function, describe
from sourcegrad.frontend.transparent import transparent
from sourcegrad.frontend.written import written
from sourcegrad.names import Names


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
