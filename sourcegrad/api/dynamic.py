"""The run-time entry of `call_forward`: the pair of generated functions for a callee that is only known at run time.

The pair is that of a small function `def call(f, x): return f(x)`, specialised on the kinds of f and x: what f is decides what
is generated, as it does where the callee is known beforehand. Pairs are kept until something that they rely on changes.
"""
from __future__ import annotations

import types
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.api.gradient import stop_gradient
from sourcegrad.api.inline_cache import Watched, exact, generated_code
from sourcegrad.compiler import emit, pipeline, pushforward
from sourcegrad.errors import Origin, Refusal, SourcegradError, UnsupportedError, generating
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import VERSION, Scope
from sourcegrad.ir.unit import Function
from sourcegrad.parse.resolve import describe
from sourcegrad.primitives.core import nondifferentiable
from sourcegrad.runtime import dynamic
from sourcegrad.runtime.structure import is_user_class

_pairs: dict[Any, Watched] = {}
_templates: dict[Any, Function] = {}
PLACE = "<call>"


def find(wanted: Any, f: Any, args: tuple, keywords: dict) -> tuple:
    """The forward and reverse function of a call `f(*args, **keywords)`. wanted: positions and names, 0 is f."""
    pair = _found(wanted, f, args, keywords, False)
    return pair.forward.function, pair.reverse.function


def find_variant(wanted: Any, f: Any, args: tuple, keywords: dict) -> Any:
    """The function of such a call that takes tangents, too."""
    return _found(wanted, f, args, keywords, True).function


def _found(wanted: Any, f: Any, args: tuple, keywords: dict, tangents: bool) -> Any:
    """What was generated for a call, now or earlier. tangents: in forward mode.

    Whether the last code for calls of this shape is for this one, too, takes less than to ask for the kinds of everything."""
    pairs = generated_code(f) if type(f) is types.FunctionType else _pairs
    shape = (type(f), len(args), tuple(keywords), wanted, tangents)
    last = pairs.get(shape)
    if last is not None and last.takes is not None and last.takes(f, *args, *keywords.values()) and last.fresh():
        return last.derived
    sizes: dict[int, str] = {}
    kinds = (_kind(f, "f", sizes), *(_kind(x, f"x{j}", sizes) for j, x in enumerate(args, start=1)),
             *(_kind(x, name, sizes) for name, x in keywords.items()))
    key = (kinds, len(args), tuple(keywords), wanted, tangents)
    watched = pairs.get(key)
    if watched is None or not watched.fresh():
        with source.LOCK:
            watched = pairs.get(key)
            if watched is None or not watched.fresh():
                if len(pairs) > 1024:
                    pairs.clear()
                watched = pairs[key] = _generate(f, kinds, len(args), tuple(keywords), wanted, tangents)
    elif watched.takes is None:                              # it is not the first call
        active = range(1, len(kinds)) if wanted is None else [
            item if isinstance(item, int) else 1 + len(args) + list(keywords).index(item) for item in wanted]
        watched.takes = exact(kinds, [None if j in active else watched.asked for j in range(len(kinds))])
    pairs[shape] = watched
    return watched.derived


def _kind(value: Any, name: str, sizes: dict) -> k.Kind:
    return k.kind_of(value, name, sizes)


def _generate(f: Any, kinds: tuple, count: int, keywords: tuple, wanted: Any, tangents: bool) -> Watched:
    template = _template(f, count, keywords)
    names = template.parameters
    known = dict(zip(names, kinds))
    if wanted is None:
        active = tuple(names[1:])
    else:
        active = tuple(names[item] if isinstance(item, int) else names[1 + count + keywords.index(item)] for item in wanted)
    version = VERSION[0]
    label = getattr(getattr(f, "function", f), "__name__", type(f).__name__)

    def make(compiler: Any) -> Any:
        changed = compiler.prepare(template, known).effects.changed
        if changed:
            raise UnsupportedError(f"{label}() is only known at run time, and changes its argument in place",
                                   remedy="Let it return a new value, or call it by its name.")
        return compiler.variant(template, known, active) if tangents else compiler.pair(template, known, active)

    with emit.collecting() as below:
        try:
            with generating(label):
                _check_method(f, kinds)
                compiler, made = pipeline.generated(make, None, pushforward.ForwardCompiler if tangents else None)
        except SourcegradError as error:
            if error.origin is not None and error.origin.file == PLACE:      # the place is the call in the user's code
                error.origin = None
            error.callers = tuple(caller for caller in error.callers if caller.file != PLACE)
            error.locate(None)
            raise Refusal(error) from None
    return Watched(made, [*compiler.relies, *(item for d in below for item in d.relies)], kinds, version)


def _check_method(f: Any, kinds: tuple) -> None:
    """Methods are found on the class, written in Python."""
    if isinstance(f, dynamic.Named) and isinstance(kinds[1], k.Obj) and not is_user_class(kinds[1].cls):
        what = "method" if f.called else "attribute"
        raise UnsupportedError(f"the {what} '.{f.name}' of a {kinds[1].cls.__name__}",
                               remedy="Call a function that has a rule, or a method written in Python.")


def _template(f: Any, count: int, keywords: tuple) -> Function:
    """`def call(callee, x1, x2, scale): return callee(x1, x2, scale=scale)`; methods are called by their name."""
    label = str(getattr(getattr(f, "function", f), "__name__", type(f).__name__))
    label = label if label.isidentifier() else "function"
    shape = (label, count, keywords, f if isinstance(f, dynamic.Named) else None)
    if shape not in _templates:
        names = ["callee", *(f"x{j}" for j in range(1, count + 1))]
        names = [n if n not in keywords else f"{n}_" for n in names]
        options = {name: t.load(name) for name in keywords}
        callee: Any = t.load(names[0])
        args = [t.load(n) for n in names[1:]]
        if isinstance(f, dynamic.Named):
            callee, args = t.attribute(args[0], f.name), args[1:]
        value = callee if isinstance(f, dynamic.Named) and not f.called else t.call(callee, *args, **options)
        origin = Origin(PLACE, 1, 1, f"{label}({', '.join(names[1:])})")
        body = [t.return_(value, origin)]
        tree = t.function(f"call_{label}" if not label.startswith("_") else f"call{label}",
                          t.arguments([*names, *keywords]), body, origin)
        _templates[shape] = Function(tree.name, tree, Scope({}))
    return _templates[shape]


nondifferentiable(stop_gradient, kind=lambda x: x)
dynamic.FINDER[:] = [find, find_variant]
_function: Any
for _function in (dynamic.call_forward, dynamic.call_forward_for, dynamic.call_reverse, dynamic.call_jvp):
    _described = describe(_function)
    _function.__sourcegrad__ = Function(
        _described.name, _described.tree, _described.scope, _function, pure=True)
