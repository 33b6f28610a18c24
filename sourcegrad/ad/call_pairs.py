"""Calls whose reverse half is not the ordinary one: written by hand, computed again, or found at run time."""
from __future__ import annotations

import types
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import is_text, returned
from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.parse.custom import CustomVjp
from sourcegrad.parse.resolve import describe


def unchanging(reverse: Any, custom: CustomVjp, target: call_targets.Target, origin: Any) -> None:
    """A function with its own adjoint may not change its arguments (where its source tells whether it does)."""
    for function in filter(None, (custom.function, custom.forward)):
        try:
            bound = call_targets.bind(describe(function), target, reverse.unit)
        except (SourcegradError, TypeError):
            continue
        changed = changed_by(function, {name: reverse.facts.of(v) or k.ANY for name, v in bound.items()}, reverse.prepare)
        if changed:
            raise UnsupportedError(f"{custom.__name__}() has its own adjoint and changes its argument '{changed[0]}' in place",
                                   origin, "Return a new array.")


def changed_by(function: Any, kinds: dict[str, Any], prepare: Any) -> list[str] | None:
    """Arguments that a function of the user changes in place; None where its source does not tell (then it may also keep what it
    is given and returns, and overwrite it later). kinds: by their names or in order."""
    try:
        described = describe(function)
        names = dict(zip(_parameters(function), kinds), **{name: name for name in described.parameters if name in kinds})
        known = {name: kinds[names[name]] if name in names else k.ANY for name in described.parameters}
        changed = prepare(described, known).effects.changed
        return [names[name] for name in changed] if names.keys() >= set(changed) else None       # (what a method is bound to)
    except (SourcegradError, TypeError):
        return None


def _parameters(function: Any) -> list[str]:
    """What a call of a function or bound method gives."""
    return describe(function).parameters[isinstance(function, types.MethodType):]


def own_copies(adjoint: Any, function: Any, given: dict[str, tuple], what: str, place: Any) -> Any:
    """A call of a derivative that the user wrote: it gets copies of the arrays that it changes in place. given: parameter ->
    argument, kind."""
    first, rest = list(given)[:2], list(given)[2:]
    changed = changed_by(function, {name: kind for name, (_, kind) in given.items()}, adjoint.r.prepare)
    if changed is None:
        own = adjoint.r.helper(runtime.own_copy)
        call = t.call(adjoint.unit.use(function, _name(function, "adjoint")), *(t.call(own, given[name][0]) for name in first),
                      **{name: t.call(own, given[name][0]) for name in rest})
        return t.call(own, call)
    for name in changed:
        node, kind = given[name]
        if not isinstance(k.as_num(kind), k.Num):
            raise UnsupportedError(f"{what} changes '{name}' in place", describe(function).origin,
                                   "Make a new array, such as `saved = 2.0 * saved`.", (place,))
        given[name] = t.call(adjoint.r.numpy("copy"), node), kind
    return t.call(adjoint.unit.use(function, _name(function, "adjoint")), *(given[name][0] for name in first),
                  **{name: given[name][0] for name in rest})


def rule_call(adjoint: Any, rule: Any, bound: dict, place: Any) -> list | None:
    """The contributions of a rule that is called, as its text cannot be put in its place: it has loops or stores, or changes
    what it is given. None for another one."""
    if any(isinstance(node, tuple) for node in bound.values()):          # *operands
        if is_text(rule):
            return None
        raise UnsupportedError(f"the rule {rule.name}() has statements other than assignments of new names, `if` and `return`",
                               describe(rule.function).origin, "Put them into a function that the rule calls.", (place,))
    kind = adjoint.kind or k.ANY
    given = {"ct": (t.load(adjoint.ct), kind), "out": (t.load(adjoint._OUT), kind),
             **{name: (t.clone(node), adjoint.r.facts.of(node) or k.ANY) for name, node in bound.items()}}
    if is_text(rule) and not changed_by(rule.function, {name: kind for name, (_, kind) in given.items()}, adjoint.r.prepare):
        return None
    call = own_copies(adjoint, rule.function, given, f"the rule {rule.name}()", place)
    counts = {len(parts) for parts in returned(rule)}
    if counts == {1}:
        return [call]
    if len(counts) != 1:
        raise UnsupportedError(f"the rule {rule.name}() does not return the same number of adjoints everywhere",
                               describe(rule.function).origin, "Return None for what has no derivative.", (place,))
    names = [adjoint.unit.names.fresh(f"{name}_part") for name in rule.parameters[:counts.pop()]]
    adjoint.statements.append(t.unpack(names, call, adjoint.origin))
    given_up = set.intersection(*({n for n, part in zip(names, parts) if t.same(part, t.const(None))} for parts in returned(rule)))
    return [None if name in given_up else t.load(name) for name in names]


def custom_call(adjoint: Any, value: gast.Call, custom: CustomVjp, target: call_targets.Target) -> None:
    """A call of the user's forward function, and of the user's reverse function for the contributions."""
    unit, facts = adjoint.unit, adjoint.r.facts
    place = source.locate(value, adjoint.origin)
    name = custom.__name__
    if custom.forward is None:
        raise UnsupportedError(f"{name}() is a custom_vjp without its adjoint", place, f"Call {name}.defvjp(forward, reverse).")
    try:
        bound = {name: t.clone(v) for name, v in call_targets.bind(describe(custom.plain), target, unit).items()}
    except TypeError as problem:
        raise UnsupportedError(str(problem), place, "Python would raise this, too.") from None
    arguments = list(bound.values())
    named = {name: t.clone(v) for name, v in bound.items() if name in custom.keyword_only}
    given = [t.clone(v) for name, v in bound.items() if name not in custom.keyword_only]
    forward = t.call(unit.use(custom.forward, _name(custom.forward, f"{name}_forward")), *given, **named)
    saved = unit.names.fresh(f"{name}_saved")
    kinds = [facts.of(a) or k.ANY for a in arguments]
    if changed_by(custom.forward, dict(zip(bound, kinds)), adjoint.r.prepare) is None:
        forward = t.call(adjoint.r.helper(runtime.own_copy), forward)
    adjoint.forward.append(t.unpack([adjoint.name, saved], forward, adjoint.origin))
    adjoint.keep(saved)
    value_kind = _kind_of_forward(custom, kinds, facts)
    saved_kind = value_kind.items[1] if isinstance(value_kind, k.Tup) and len(value_kind.items) == 2 else k.ANY
    held = {"saved": (t.load(saved), saved_kind), "ct": (t.load(adjoint.ct), adjoint.kind or k.ANY)}
    call = own_copies(adjoint, custom.reverse, held, f"the reverse function of {name}()", place)
    adjoint.forward[0].value = gast.copy_location(adjoint.forward[0].value, value)
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
        forward, back = describe(custom.forward), describe(custom.reverse)
    except SourcegradError:
        return k.ANY
    value = _kind_of_forward(custom, kinds, facts)
    if isinstance(value, k.Num) or isinstance(value, k.Tup) and len(value.items) != 2:
        what = f"{len(value.items)} values" if isinstance(value, k.Tup) else "a number or an array"
        raise UnsupportedError(f"the forward function of {custom.__name__}() returns {what}, not the pair (value, saved)",
                               forward.origin, "Return what the reverse function needs, too: `return value, None` if nothing.",
                               (place,))
    if not isinstance(value, k.Tup):
        return k.ANY
    try:
        found = facts.solve(back, dict(zip(_parameters(custom.reverse), [value.items[1], k.as_num(value.items[0])])))
    except SourcegradError:
        return k.ANY
    if isinstance(found, k.Num) and found.boxed is False or isinstance(found, k.Tup) and len(found.items) != count:
        what = f"{len(found.items)}" if isinstance(found, k.Tup) else "a number, not a tuple"
        raise UnsupportedError(f"the reverse function of {custom.__name__}() returns {what} instead of {count} adjoint"
                               + "s" * (count != 1), describe(custom.reverse).origin,
                               "Return a tuple with one adjoint for each parameter, None for those without derivative.",
                               (place,))
    return found or k.ANY


def _kind_of_forward(custom: Any, kinds: list, facts: Any) -> k.Kind:
    try:
        forward = describe(custom.forward)
        return facts.solve(forward, dict(zip(_parameters(custom.forward), kinds))) or k.ANY
    except SourcegradError:
        return k.ANY


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


def dynamic_call(adjoint: Any, value: gast.Call, target: call_targets.Target) -> None:
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


def inactive_call(reverse: Any, s: gast.Assign, target: call_targets.Target) -> Any:
    """A call of an unknown callee through which no derivative flows: it must not change what it is given."""
    function: Any = s.value.func
    if not call_targets.by_value(s.value, reverse.facts.of):
        return s
    operands = list(target.args)
    if isinstance(function, gast.Attribute):
        operands.insert(0, function.value)
        function = t.call(reverse.helper(runtime.method), t.const(function.attr))
    call = t.call(reverse.helper(runtime.call_unchanging), t.clone(function), *map(t.clone, operands),
                  **{name: t.clone(node) for name, node in target.keywords.items()})
    return t.assign(s.targets[0], gast.copy_location(call, s.value), t.origin_of(s))
