"""Pairs of halves: calls in both sweeps, those written by hand, computed again, or found at run time; which calls are refused."""
from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.kept_outside import check_kept
from sourcegrad.ad.sweeps import Sweeps, missing_attribute
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import is_text, missing_rule, returned
from sourcegrad.analysis.call_targets import is_holder
from sourcegrad.analysis.objects import class_of
from sourcegrad.analysis.purity import CHANGING, STATES, STREAM
from sourcegrad.analysis.python_types import GENERATORS, hidden
from sourcegrad.errors import Origin, SourcegradError, UnsupportedError, as_python, called_at, losing
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Function, Maker
from sourcegrad.memory.heap import check_seen
from sourcegrad.parse import statements as try_
from sourcegrad.parse.resolve import describe
from sourcegrad.parse.statements import Attempt
from sourcegrad.parse.wrappers import CustomVjp
from sourcegrad.primitives.core import primitive_of
from sourcegrad.runtime.structure import base_of, overridden
from sourcegrad.syntax.library_calls import makes_deques


def unchanging(reverse: Sweeps, custom: CustomVjp, target: call_targets.Target, origin: Any) -> None:
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
        raise as_python(TypeError, str(problem), place) from None
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


def checkpoint_call(adjoint: Any, pair: Any, arguments: dict) -> None:
    """The forward sweep computes the value only; the reverse sweep runs the forward half again, then the reverse half."""
    unit = adjoint.unit
    saved = unit.names.fresh(f"{pair.forward.__name__.removesuffix('_forward')}_saved")
    adjoint.forward += primal_call(adjoint.r, adjoint.s)
    again = t.call(unit.use(pair.forward, pair.forward.__name__), *map(t.clone, arguments.values()))
    adjoint.statements.append(t.assign(saved, t.subscript(again, t.const(1)), adjoint.origin))
    back = t.call(unit.use(pair.reverse, pair.reverse.__name__), t.load(saved), t.load(adjoint.ct))
    spread(adjoint, pair.active, [arguments[name] for name in pair.active], back)


def dynamic_call(adjoint: Any, value: gast.Call, target: call_targets.Target) -> None:
    """A call whose callee is only known at run time."""
    at_run_time(adjoint, value, *_found_then(adjoint.r, value, target), target.keywords)


def _found_then(reverse: Sweeps, value: gast.Call, target: call_targets.Target) -> tuple[Any, list]:
    """The function and arguments of a call whose target is found when the code runs."""
    if not isinstance(value.func, gast.Attribute):
        return value.func, list(target.args)
    return t.call(reverse.helper(runtime.method), t.const(value.func.attr)), [value.func.value, *target.args]


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
    spread(adjoint, [n.id if isinstance(n, gast.Name) else "x" for n in nodes], nodes, back)


def inactive_call(reverse: Sweeps, s: gast.Assign, target: call_targets.Target) -> Any:
    """A call of an unknown callee through which no derivative flows: it must not change what it is given."""
    if not call_targets.by_value(s.value, reverse.facts.of):
        return s
    function, operands = _found_then(reverse, s.value, target)
    call = t.call(reverse.helper(runtime.call_unchanging), t.clone(function), *map(t.clone, operands),
                  **{name: t.clone(node) for name, node in target.keywords.items()})
    return t.assign(s.targets[0], gast.copy_location(call, s.value), t.origin_of(s))


def user_call(adjoint: Any, value: gast.Call, function: Function, target: call_targets.Target) -> None:
    """A call of a user function becomes a call of its forward half; its reverse half gives the contributions."""
    facts = adjoint.r.facts
    try:
        bound = call_targets.bind(function, target, adjoint.unit)
    except TypeError as problem:
        raise UnsupportedError(str(problem), source.locate(value, adjoint.origin)) from None
    arguments = {name: t.clone(node) for name, node in bound.items()}
    kinds = {name: facts.of(node) for name, node in arguments.items()}
    active = tuple(name for name, node in arguments.items()
                   if any(n in adjoint.r.varied for n in t.reads(node)) and not k.is_discrete(kinds[name] or k.ANY))
    if active and not adjoint.unit.function.pure:
        check_kept(adjoint.unit.function, value, function, adjoint.origin)
    with called_at(source.locate(value, adjoint.origin)):
        dropped = adjoint.r.guards is not None and adjoint.r.guards.drops(adjoint.name, target)
        pair = adjoint.r.pair(function, kinds, active, dropped)
    if target.checkpoint:
        effects = adjoint.r.prepare(function, kinds).effects
        if effects.drawn or effects.reaches & {*STATES, STREAM}:
            raise UnsupportedError(f"a checkpoint of {function.name}(), which draws random numbers: others when it is computed "
                                   "again", source.locate(value, adjoint.origin),
                                   "Draw them outside and pass them, or make the generator inside.")
        checkpoint_call(adjoint, pair, arguments)
        return
    if isinstance(target.object, Attempt):
        attempt_call(adjoint, target.object, pair, arguments)
        return
    saved = adjoint.unit.names.fresh(f"{function.label}_saved")
    forward = adjoint.unit.use(pair.forward, pair.forward.__name__)
    adjoint.forward.append(t.unpack([adjoint.name, saved], t.call(forward, *map(t.clone, arguments.values())), adjoint.origin))
    if pair.given is None or not all(isinstance(kinds[name], (k.Num, k.Const)) for name in pair.given):
        adjoint.keep(saved)
    else:                                            # the arguments are there in reverse, too
        adjoint.statements.append(t.assign(saved, t.pack([t.clone(bound[name]) for name in pair.given]), adjoint.origin))
    back = t.call(adjoint.unit.use(pair.reverse, pair.reverse.__name__), t.load(saved), t.load(adjoint.ct))
    spread(adjoint, pair.active, [arguments[name] for name in pair.active], back)


def spread(adjoint: Any, stems: Iterable[str], nodes: list, back: Any) -> None:
    """Add what the reverse half of a callee returns to the adjoints of the arguments. stems: what parts of it are named after."""
    if len(nodes) == 1:
        adjoint.add_nested(nodes[0], back)
        return
    if not nodes:
        adjoint.statements.append(t.effect(back, adjoint.origin))
        return
    names = [adjoint.unit.names.fresh(f"{stem}_part") for stem in stems]
    adjoint.statements.append(t.unpack(names, back, adjoint.origin))
    for node, part in zip(nodes, names):
        adjoint.add_nested(node, t.load(part))


def attempt_call(adjoint: Any, attempt: Attempt, pair: Any, arguments: dict) -> None:
    """Where the body of a `try` came to its end, its reverse half gives the contributions."""
    tried = adjoint.unit.use(attempt.of(pair.forward, 1), adjoint.unit.names.fresh("attempt"))
    whole = adjoint.unit.names.fresh("outcome")
    path = adjoint.unit.names.fresh("path")
    parts = [path, *(adjoint.unit.names.fresh(n) for n in ("error", "given", *["given_saved"] * attempt.depth))]
    saved = adjoint.unit.names.fresh("attempt_saved")
    adjoint.forward += [t.assign(whole, t.call(tried, *map(t.clone, arguments.values())), adjoint.origin),
                        t.unpack([*parts, saved], t.load(whole), adjoint.origin),
                        t.assign(adjoint.name, t.pack([t.load(n) for n in parts]), adjoint.origin)]
    adjoint.unit.unset.update([*parts[2:], saved])
    for name in (path, saved):
        adjoint.keep(name)
    ct: gast.expr = t.subscript(t.load(adjoint.ct), t.const(2))
    for level in range(attempt.depth):
        ct = t.pack([ct, t.subscript(t.load(adjoint.ct), t.const(3 + level))])
    back = t.call(adjoint.unit.use(pair.reverse, pair.reverse.__name__), t.load(saved), ct)
    names = [adjoint.unit.names.fresh(f"{name}_part") for name in pair.active]
    taken = t.unpack(names, back, adjoint.origin) if len(names) > 1 else t.assign(names[0], back, adjoint.origin)
    none = [t.assign(part, adjoint.r.zero(arguments[name].id), adjoint.origin) for name, part in zip(pair.active, names)]
    test = gast.Compare(left=t.load(path), ops=[gast.Eq()], comparators=[t.const(0)])
    adjoint.statements.append(t.if_(test, [taken], none, adjoint.origin))
    for name, part in zip(pair.active, names):
        adjoint.add_nested(arguments[name], t.load(part))


# --- Calls that are refused: of what has neither a rule nor a source, or works out of sight.

class Absent(Exception):
    """A call of an attribute that is not there."""


def check_known(reverse: Sweeps, s: gast.Assign, active: bool) -> None:
    """Refuse a call whose effect on derivatives cannot be known: no rule, no source, or a target found at run time."""
    value = s.value
    origin = t.origin_of(s)
    if isinstance(value, gast.Attribute) and isinstance(
            reverse.facts.of(value.value), (k.Lst, k.Tup, k.Dct)) and class_of(reverse.facts.of(value.value)) is None:
        raise UnsupportedError(f"the method '.{value.attr}' of a container as a value",
                               source.locate(value, origin), "Call the method directly.")
    if not isinstance(value, gast.Call):
        return
    target = call_targets.target_of(value, reverse.unit, reverse.facts.of)
    origin = source.locate(value, origin)
    check_class(reverse, value, target, origin)
    if target.custom is not None:
        unchanging(reverse, target.custom, target, origin)
        return
    if target.known or target.inert or target.plain or isinstance(target.object, Maker) or hasattr(
            target.object, "result_kind"):
        return
    exposed = active or any(mutable(kind) or k.tells(kind) for kind in map(reverse.facts.of, target.operands))
    if target.function is not None:
        if exposed:                                  # what the callee may not do is refused there
            check_callee(reverse, s, target.function, target, origin)
        return
    text = source.expression_text(value.func)
    if try_.is_context(s):
        return
    if target.object is None:
        check_found_at_run_time(reverse, value, text, active, origin)
    else:
        check_without_rule(reverse, s, target, text, active, exposed, origin)


def check_class(reverse: Sweeps, value: gast.Call, target: call_targets.Target, origin: Origin | None) -> None:
    """Refuse objects of classes that have operations of their own or keep values out of sight."""
    other = overridden(target.object) if isinstance(target.object, type) else None
    if other is not None and not reverse.unit.function.pure:
        what = f"{target.object.__name__}, a {base_of(target.object).__name__} with a `{other}` of its own"    # type: ignore
        raise UnsupportedError(f"an object of {what}", origin,
                               "Make it a class that holds such an object: collections.UserDict, collections.UserList.")
    if is_holder(target.object):
        raise UnsupportedError(f"`{source.expression_text(value.func)}`, which keeps values out of sight", origin,
                               "Use a list, a dict or collections.deque, and call functions directly.")


def check_callee(reverse: Sweeps, s: gast.Assign, function: Function, target: call_targets.Target, origin: Origin | None) -> None:
    """Prepare a callee whose source is known, and check what it changes; what it may not do is refused there."""
    try:
        bound = call_targets.bind(function, target, reverse.unit)
    except TypeError as problem:
        raise as_python(TypeError, str(problem), origin) from None
    with called_at(origin):
        found = reverse.prepare(function, {n: reverse.facts.of(v) for n, v in bound.items()})
    check_seen(s, reverse.unit, function, bound, found.effects)


def check_found_at_run_time(reverse: Sweeps, value: gast.Call, text: str, active: bool, origin: Origin | None) -> None:
    """Refuse a call whose target is not known when the code is generated, if a derivative may depend on it."""
    receiver = [n for n in t.reads(value.func) if n in reverse.facts.local]
    owner = value.func.value if isinstance(value.func, gast.Attribute) else None
    held = None if owner is None else reverse.facts.of(owner)
    missing = missing_attribute(value.func, reverse.unit.lookup(owner) if owner is not None else None, held, origin)
    if missing is not None and (reverse.branching or reverse.unit.function.flat):
        raise Absent(missing)                        # Python raises an error, if the code runs
    if missing is not None:
        raise missing
    changes = isinstance(held, (k.Lst, k.Tup, k.Dct)) or isinstance(held, k.Num) and held.boxed is not False
    changes = changes or owner is not None and value.func.attr in CHANGING
    kind = reverse.facts.of(value.func) if owner is None else None
    if isinstance(kind, k.Obj) and (remedy := primitive_of(kind.cls).remedy) is not None and active:
        raise UnsupportedError(f"the class `{kind.cls.__name__}`", origin, remedy)
    if isinstance(held, k.Obj) and held.cls in GENERATORS and active and value.func.attr in COUNTED:
        raise counted(text, origin)
    if isinstance(held, k.Obj) and held.cls in GENERATORS and active:
        raise UnsupportedError(f"`{text}(...)` of what depends on the inputs", origin,
                               "Draw positions, x[rng.permutation(len(x))], or standard numbers, "
                               "mean + scale * rng.standard_normal(n).")
    if changes or not call_targets.by_value(value, reverse.facts.of) and (active or any(n in reverse.varied for n in receiver)):
        raise UnsupportedError(f"`{text}(...)` is a call whose target is not known when the code is generated",
                               origin, "Call a function by its name, or pass the function as an argument.")


COUNTED = ("binomial", "geometric", "hypergeometric", "integers", "logseries", "multinomial", "multivariate_hypergeometric",
           "negative_binomial", "poisson", "randint", "zipf")          # draws of whole numbers


def counted(text: str, origin: Origin | None) -> UnsupportedError:
    """The refusal of a draw of whole numbers that depends on the inputs."""
    return UnsupportedError(
        f"`{text}(...)` of what depends on the inputs: whole numbers do not move with a parameter", origin,
        "Differentiate the expectation: the mean of loss * log-probability of the draws, with the draws and the loss constant (the "
        "score function). What does not depend on them may be drawn in the caller.")


def check_without_rule(reverse: Sweeps, s: gast.Assign, target: call_targets.Target, text: str, active: bool, exposed: bool,
                       origin: Origin | None) -> None:
    """Refuse a call of a function that has neither a rule nor a source, if a derivative flows through it."""
    remedy = primitive_of(target.object).remedy
    if active and remedy is not None:
        raise UnsupportedError(f"the class `{text}`" if isinstance(target.object, type) else f"`{text}`", origin, remedy)
    if active and _module(target.object).startswith("numpy.ma"):
        raise UnsupportedError(f"`{text}`: masked arrays", origin,
                               "Use a boolean mask, x[~mask].sum(), or np.where(mask, 0.0, x).")
    inner = any(isinstance(reverse.facts.of(a), k.Closure) for a in target.args)        # a function that is made here
    if (active or inner) and _module(target.object) in call_targets.OF_API:
        raise UnsupportedError(f"`{text}` inside a function that is differentiated", origin,
                               "Use sg.grad(f, grad_outputs=weights) or sg.value_and_grad(f) there, of a function f that "
                               "stands outside and takes what it needs as arguments: sg.grad(f, \"x\")(x, a).")
    if active and isinstance(getattr(target.object, "__self__", None), GENERATORS) and target.object.__name__ in COUNTED:
        raise counted(text, origin)
    base = base_of(target.object) if isinstance(target.object, type) else None
    if active and base is not None:
        raise UnsupportedError(f"an object of {text}, which inherits from {base.__name__}", origin,
                               f"Make it a {base.__name__}, or a class that holds one.")
    if active and isinstance(target.object, k.Closure):
        raise UnsupportedError("a call of a function that an object holds and that captures arrays", origin,
                               "Call it by its name where it is made, or give it what it captures as arguments.")
    if active:
        parameters = ", ".join(f"x{j}" for j in range(len(target.args))) if len(target.args) > 1 else "x"
        raise missing_rule(text, parameters, origin, target)
    if exposed and not s.targets[0].id.startswith("unused") and any(map(k.tells, map(reverse.facts.of, target.operands))):
        raise losing(UnsupportedError("a number read from text", origin, "Keep the number itself."), True)


def primal_call(reverse: Sweeps, s: gast.Assign) -> list:
    """A call through which no derivative flows: what has no Python object that does the same is generated."""
    target = call_targets.target_of(s.value, reverse.unit, reverse.facts.of)
    if target.object is None and not reverse.unit.function.pure:
        return [inactive_call(reverse, s, target)]
    if target.object is runtime.plain_key and not reverse.varied.intersection(t.reads(s.value)):
        return [t.assign(s.targets[0], t.clone(target.args[0]), t.origin_of(s))]         # no number with a derivative
    if target.function is not None and not reverse.unit.function.pure and reverse.varied.intersection(t.reads(s.value)):
        check_kept(reverse.unit.function, s.value, target.function, t.origin_of(s))
    if target.function is None or (target.function.object is not None and not target.function.generator
                                    and not target.function.memory and not target.function.apart
                                    and not target.function.outputs and not target.function.shares
                                    and not makes_deques(target.function.object)
                                    and not would_keep(reverse, target.function, target)
                                    and not any(hidden(reverse.facts.of(x)) for x in (s.value, *target.operands))):
        return [s]
    bound = call_targets.bind(target.function, target, reverse.unit)
    kinds = {n: reverse.facts.of(v) for n, v in bound.items()}
    with called_at(source.locate(s.value, t.origin_of(s))):
        primal = reverse.pair(target.function, kinds, None)
    if isinstance(target.object, Attempt):
        name = reverse.unit.names.fresh("attempt")
        new = t.call(reverse.unit.use(target.object.of(primal), name), *(t.clone(v) for v in bound.values()))
        return [t.assign(s.targets[0], new, t.origin_of(s))]
    new = t.call(reverse.unit.use(primal, target.function.name), *(t.clone(v) for v in bound.values()))
    return [t.assign(s.targets[0], new, t.origin_of(s))]


def would_keep(reverse: Sweeps, function: Any, target: call_targets.Target) -> bool:
    """Whether a function, called as it is, would leave the value of a cached property in an object of the caller, or may
    change what it is given out of sight: generated code looks whether it does."""
    try:
        bound = call_targets.bind(function, target, reverse.unit)
        effects = reverse.prepare(function, {n: reverse.facts.of(v) for n, v in bound.items()}).effects
    except (SourcegradError, TypeError):
        return False
    return effects.dynamic or bool(effects.cached) and any(k.is_object(reverse.facts.of(v)) for v in bound.values())


def mutable(kind: Any) -> bool:
    """Whether a callee could change a value of this kind in place."""
    kind = k.as_num(kind)
    if isinstance(kind, k.Num):
        return kind.boxed is not False
    if isinstance(kind, k.Tup):
        return any(map(mutable, kind.items))
    return not isinstance(kind, (k.Const, k.Fn))


def _module(function: Any) -> str:
    return getattr(function, "__module__", None) or ""
