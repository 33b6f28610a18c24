"""Calls whose reverse half is not the ordinary one: written by hand, computed again, or found at run time."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime, source, tree as t
from sourcegrad.analysis import calls
from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.frontend.custom import CustomVjp


def unchanging(reverse: Any, custom: CustomVjp, target: calls.Target, origin: Any) -> None:
    """A function with its own adjoint may not change its arguments (where its source tells whether it does)."""
    try:
        function = calls.describe(custom.function)
        bound = calls.bind(function, target, reverse.unit)
        changed = reverse.prepare(function, {n: reverse.facts.of(v) for n, v in bound.items()}).effects.changed
    except (SourcegradError, TypeError):
        return
    if changed:
        raise UnsupportedError(f"{custom.__name__}() has its own adjoint and changes its argument '{changed[0]}' in place",
                               origin, "Return a new array.")


def custom_call(adjoint: Any, value: gast.Call, custom: CustomVjp, target: calls.Target) -> None:
    """A call of the user's forward function, and of the user's reverse function for the contributions."""
    unit, facts = adjoint.unit, adjoint.r.facts
    place = source.locate(value, adjoint.origin)
    name = custom.__name__
    if custom.forward is None:
        raise UnsupportedError(f"{name}() is a custom_vjp without its adjoint", place, f"Call {name}.defvjp(forward, reverse).")
    try:
        bound = {name: t.clone(v) for name, v in calls.bind(calls.describe(custom.plain), target, unit).items()}
    except TypeError as problem:
        raise UnsupportedError(str(problem), place, "Python would raise this, too.") from None
    arguments = list(bound.values())
    named = {name: t.clone(v) for name, v in bound.items() if name in custom.keyword_only}
    given = [t.clone(v) for name, v in bound.items() if name not in custom.keyword_only]
    forward = unit.use(custom.forward, _name(custom.forward, f"{name}_forward"))
    back = unit.use(custom.reverse, _name(custom.reverse, f"{name}_reverse"))
    saved = unit.names.fresh(f"{name}_saved")
    adjoint.forward.append(t.unpack([adjoint.name, saved], t.call(forward, *given, **named), adjoint.origin))
    adjoint.keep(saved)
    call = t.call(back, t.load(saved), t.load(adjoint.ct))
    adjoint.forward[0].value = gast.copy_location(adjoint.forward[0].value, value)
    kinds = [facts.of(a) or k.ANY for a in arguments]
    found = _kind_of_adjoints(custom, kinds, facts, len(arguments), place)
    if not (isinstance(found, k.Tup) and all(map(_fits, found.items, kinds))):
        call = t.call(adjoint.r.helper(runtime.own_adjoints), t.const(name), call, *map(t.clone, arguments))
    names = [unit.names.fresh(f"{parameter}_part") for parameter in custom.parameters]
    adjoint.statements.append(t.unpack(names, call, adjoint.origin) if len(names) > 1 else t.assign(
        names[0], t.subscript(call, t.const(0)), adjoint.origin))
    for node, part in zip(arguments, names):
        adjoint.add_nested(node, t.load(part))


def _name(function: Any, otherwise: str) -> str:
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else otherwise


def _kind_of_adjoints(custom: Any, kinds: list, facts: Any, count: int, place: Any) -> k.Kind:
    """What is known of the adjoints that the user's reverse function returns."""
    try:
        forward, back = calls.describe(custom.forward), calls.describe(custom.reverse)
        value = facts.solve(forward, dict(zip(forward.parameters, kinds)))
    except SourcegradError:
        return k.ANY
    if isinstance(value, k.Num) or isinstance(value, k.Tup) and len(value.items) != 2:
        what = f"{len(value.items)} values" if isinstance(value, k.Tup) else "a number or an array"
        raise UnsupportedError(f"the forward function of {custom.__name__}() returns {what}, not the pair (value, saved)",
                               forward.origin, "Return what the reverse function needs, too: `return value, None` if nothing.",
                               (place,))
    if not isinstance(value, k.Tup):
        return k.ANY
    try:
        found = facts.solve(back, dict(zip(back.parameters, [value.items[1], k.as_num(value.items[0])])))
    except SourcegradError:
        return k.ANY
    if isinstance(found, k.Num) and found.boxed is False or isinstance(found, k.Tup) and len(found.items) != count:
        what = f"{len(found.items)}" if isinstance(found, k.Tup) else "a number, not a tuple"
        raise UnsupportedError(f"the reverse function of {custom.__name__}() returns {what} instead of {count} adjoint"
                               + "s" * (count != 1), calls.describe(custom.reverse).origin,
                               "Return a tuple with one adjoint for each parameter, None for those without derivative.",
                               (place,))
    return found or k.ANY


def _fits(adjoint: k.Kind, argument: k.Kind) -> bool:
    """Whether an adjoint certainly has the shape of its argument."""
    a, x = k.as_num(adjoint), k.as_num(argument)
    if not isinstance(a, k.Num) or not isinstance(x, k.Num) or a.dims is None or x.dims is None:
        return False
    return len(a.dims) == len(x.dims) and all(m == n and n is not None for m, n in zip(a.dims, x.dims)) and (
        a.is_complex is False or x.is_complex is True)


def checkpoint_call(adjoint: Any, value: gast.Call, pair: Any, bound: dict, arguments: list) -> None:
    """The forward sweep computes the value only; the reverse sweep runs the forward half again, then the reverse half."""
    unit = adjoint.unit
    saved = unit.names.fresh(f"{pair.forward.__name__.removesuffix('_forward')}_saved")
    adjoint.forward += adjoint.r.primal_call(adjoint.s)
    again = t.call(unit.use(pair.forward, pair.forward.__name__), *map(t.clone, arguments))
    adjoint.statements.append(t.assign(saved, t.subscript(again, t.const(1)), adjoint.origin))
    back = t.call(unit.use(pair.reverse, pair.reverse.__name__), t.load(saved), t.load(adjoint.ct))
    adjoint.spread(pair, bound, arguments, back)


def dynamic_call(adjoint: Any, value: gast.Call, target: calls.Target) -> None:
    """A call whose callee is only known at run time."""
    function: Any = value.func
    arguments = list(target.args)
    if isinstance(function, gast.Attribute):
        arguments.insert(0, function.value)
        function = t.call(adjoint.r.helper(runtime.method), t.const(function.attr))
    at_run_time(adjoint, value, function, arguments, target.keywords)


def attribute_call(adjoint: Any, value: gast.Attribute) -> None:
    """An attribute of an object of unknown class: what it is, a value or a property, shows at run time."""
    function = t.call(adjoint.r.helper(runtime.attribute), t.const(value.attr))
    at_run_time(adjoint, value, function, [value.value], {})


def at_run_time(adjoint: Any, value: Any, function: Any, arguments: list, keywords: dict[str, Any]) -> None:
    """A call of what is only known then: forward and reverse half are found, or made, when the code runs."""
    unit, facts, varied = adjoint.unit, adjoint.r.facts, adjoint.r.varied
    wanted: list = []
    nodes: list = []
    every = [(0, function), *enumerate(arguments, start=1), *keywords.items()]
    for where, node in every:
        if any(n in varied for n in t.reads(node)) and not k.is_discrete(facts.of(node) or k.ANY):
            wanted.append(where)
            nodes.append(node)
    options = {name: t.clone(node) for name, node in keywords.items()}
    operands = [t.clone(function), *map(t.clone, arguments)]
    if wanted == [where for where, _ in every[1:]]:
        call = t.call(adjoint.r.helper(runtime.call_forward), *operands, **options)
    else:
        call = t.call(adjoint.r.helper(runtime.call_forward_for), t.pack([t.const(x) for x in wanted]), *operands, **options)
    pull = unit.names.fresh(f"{adjoint.name}_pull")
    adjoint.forward.append(t.unpack([adjoint.name, pull], gast.copy_location(call, value), adjoint.origin))
    adjoint.keep(pull)
    back = t.call(adjoint.r.helper(runtime.call_reverse), t.load(pull), t.load(adjoint.ct))
    if len(wanted) == 1:
        adjoint.add_nested(nodes[0], back)
        return
    stems = [n.id if isinstance(n, gast.Name) else "x" for n in nodes]
    names = [unit.names.fresh(f"{stem}_part") for stem in stems]
    adjoint.statements.append(t.unpack(names, back, adjoint.origin))
    for node, part in zip(nodes, names):
        adjoint.add_nested(node, t.load(part))


def inactive_call(reverse: Any, s: gast.Assign, target: calls.Target) -> Any:
    """A call of an unknown callee through which no derivative flows: it must not change what it is given."""
    function: Any = s.value.func
    if not calls.by_value(s.value, reverse.facts.of):
        return s
    operands = list(target.args)
    if isinstance(function, gast.Attribute):
        operands.insert(0, function.value)
        function = t.call(reverse.helper(runtime.method), t.const(function.attr))
    call = t.call(reverse.helper(runtime.call_unchanging), t.clone(function), *map(t.clone, operands),
                  **{name: t.clone(node) for name, node in target.keywords.items()})
    return t.assign(s.targets[0], gast.copy_location(call, s.value), t.origin_of(s))
