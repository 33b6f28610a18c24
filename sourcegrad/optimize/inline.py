"""Inlining: calls of small functions become their statements, where a derivative flows through them.

`y = f(x)` of `def f(u): return np.exp(-u) * u` is `minus = -x; exp = np.exp(minus); y = exp * x`. A person who writes an adjoint
by hand does so, too: two halves and what one saves for the other take more lines than a few operations. Where functions that
are called several times call others several times, the text would grow with each level: then one pair stands for all calls.
Larger functions that change their arguments stand in the place of calls in loops, too: what is in place in them is in place here
(halves get and give whole values).

Before memory: callees in place of their calls, where what they do to memory cannot be told by their arguments alone.

    def window(a, i): return a[i:i + 2]
    w = window(a, 1)
    w[0] = 5.0                              # changes a: seen when the line above is `hi = 1 + 2; w = a[1:hi]`

Only a function that was refused because of such calls, or would look for arrays by their identity when it runs, is looked at
once more like this: longer code, but an answer. Closures that are called where only their value is known carry the function
that they belong to.
"""
from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.objects import SUPER, behind
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import Origin, SourcegradError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import MEMORY, Function, Maker, Unit
from sourcegrad.memory.heap import NEW_OBJECT, Effects, check_seen, mutable
from sourcegrad.optimize.tuple_items import part, parted
from sourcegrad.parse.statements import Attempt
from sourcegrad.syntax.lambda_lifting import keeps

SMALL = 5                                # operations of a function that is put in the place of its calls,
EXPRESSION = 8                           # of one that is a single statement of the user,
ALONE = 20                               # of one that is called in one place only,
GENERATED = 60                           # and of a gradient, of whose operations the derivative may not need all
STORING = 40                             # statements of one that changes its arguments, in a loop
ROOM = 40                                # statements of functions that are put in the place of a second call, and so on


class Room:
    """How many statements may still be put in a function that stand there already, for another call."""

    def __init__(self, unit: Unit, alone: dict[Any, Any], several: bool = True) -> None:
        """alone: the function that took the place of the one call of another, of all that are generated together. several: whether
        functions that are called in several places stand in all of these; else those of one operation only."""
        self.alone, self.several = alone, several
        self.left = ROOM + EXPRESSION * sum(1 for _ in t.statements(unit.tree.body))
        self.placed: set[Any] = set()


def inline(unit: Unit, facts: Infer, varied: set[str], prepare: Callable[[Function, dict], Any], room: Room) -> bool:
    """Put small callees in the place of their calls, as long as there is room; whether there was one. prepare: gives their core
    Python."""
    work = Inline(unit, facts, varied, prepare)
    work.looped = {id(s) for loop in t.statements(unit.tree.body) if isinstance(loop, (gast.For, gast.While))
                   for s in t.statements(loop.body)}
    for s in t.statements(unit.tree.body):
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call):
            work.found[id(s)] = work.callee(s)
    left, placed = room.left, set(room.placed)
    calls = Counter((found[0].name, found[0].origin) for found in filter(None, work.found.values()))
    for place, (function, callee, _) in [(place, found) for place, found in work.found.items() if found]:
        key = function.name, function.origin
        here = unit.function.name, unit.function.origin
        single = place in work.alone or not room.several and len(callee.tree.body) > 2
        if single and (calls[key] > 1 or key in room.placed or room.alone.setdefault(key, here) != here):
            work.found[place] = None
            continue
        left -= sum(1 for _ in t.statements(callee.tree.body)) if key in placed and not formula(function) else 0
        placed.add(key)
    if left < 0 or not work.block(unit.tree):
        return False
    room.left, room.placed = left, placed
    part(unit)
    parted(unit)
    return True


class Inline:
    def __init__(self, unit: Unit, facts: Infer, varied: set[str], prepare: Callable[[Function, dict], Any]) -> None:
        self.unit, self.facts, self.varied, self.prepare = unit, facts, varied, prepare
        self.found: dict[int, Any] = {}
        self.looped: set[int] = set()            # statements in loops
        self.alone: set[int] = set()             # calls of functions that are only small enough if there is no other call

    def block(self, owner: Any) -> bool:
        changed = False
        for field in t.BLOCKS:
            block = getattr(owner, field, None)
            if not block:
                continue
            new: list = []
            for s in block:
                inside = self.call(s) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) else None
                changed |= inside is not None or self.block(s)
                new += [s] if inside is None else inside
            setattr(owner, field, new)
        return changed

    def call(self, s: Any) -> list | None:
        """What stands for `y = f(x)`."""
        found = self.found.get(id(s))
        return None if found is None else self.inside(s, *found)

    def callee(self, s: Any) -> tuple[Function, Unit, dict[str, Any]] | None:
        """The small function that `y = f(x)` calls, its core Python and its arguments."""
        function, bound, kinds = self.called(s) or (None, {}, {})
        if function is None:
            return None
        try:
            if not formula(function) and not getattr(s.value, "stands", False) and not any(
                    n in self.varied and not k.is_discrete(kinds[name]) for name, node in bound.items() for n in t.reads(node)):
                return None
            callee = self.prepare(function, kinds)
        except SourcegradError:
            return None                                     # refused where its halves are made, with its place
        if recurs(function, callee.unit):
            return None
        check_seen(s, self.unit, function, bound, callee.effects)
        body = callee.unit.tree.body
        changes = bool(callee.effects.changed) or any(MEMORY in t.writes(x) for x in t.statements(body))
        storing = id(s) in self.looped and changes
        block = bool(function.caught) and (function.flat or small(callee.unit, body, True))         # what is tried
        if not block and not small(callee.unit, body, storing, LONGEST if formula(function) else 0):
            if not small(callee.unit, body, storing, ALONE) or any(map(k.is_object, callee.facts.kinds.values())):
                return None                                 # (what is known of nested objects is known at the call)
            self.alone.add(id(s))
        if not self.same_names(callee.unit):
            return None
        return function, callee.unit, bound

    def called(self, s: Any) -> tuple[Function, dict[str, Any], dict[str, k.Kind]] | None:
        """The function that is called, its arguments and their kinds, where its body could stand for the call."""
        target = call_targets.target_of(s.value, self.unit, self.facts.of)
        function = target.function
        if function is None or target.checkpoint or isinstance(target.object, Attempt) or target.custom is not None:
            return None
        if any(isinstance(a, gast.Starred) for a in target.args) or target.stars or within(function, s, self.unit.function):
            return None
        try:
            bound = call_targets.bind(function, target, self.unit)
        except (SourcegradError, TypeError):
            return None                                     # refused where its halves are made, with its place
        return function, bound, {name: self.facts.of(node) or k.ANY for name, node in bound.items()}

    def same_names(self, callee: Unit) -> bool:
        """Whether what the callee does not define itself means the same here, or can be given a name."""
        inside = list(t.statements(callee.tree.body))
        local = {*callee.parameters, *(n for s in inside for n in t.writes(s))}
        here, there = self.unit.function.scope, callee.function.scope
        for name in {n for s in inside for n in t.header_reads(s)} - local:
            if name in callee.env:
                if isinstance(callee.env[name], Maker):
                    return False
            elif name in self.facts.local or name in self.unit.env:
                return False
            elif there.lookup(name) is MISSING:
                if not hasattr(builtins, name) or here.lookup(name) is not MISSING:
                    return False
            elif there.globals is not here.globals or there.lookup(name) is not here.lookup(name) or (
                    name in there.cells or name in there.bound):
                return False
        return True

    def inside(self, s: gast.Assign, function: Function, callee: Unit, bound: dict[str, Any]) -> list:
        names: dict[str, Any] = {}
        new: list = []
        *body, last = (t.clone(x) for x in callee.tree.body)
        inside = list(t.statements(body))
        written = [n for x in inside for n in t.writes(x)]
        for name, node in bound.items():
            memory = isinstance(node, gast.Name) and isinstance(self.facts.kinds.get(node.id), k.State)       # has one name
            if not memory and (name in written or not isinstance(node, (gast.Name, gast.Constant))):
                names[name] = t.load(self.unit.names.fresh(name))
                new.append(t.assign(names[name].id, t.clone(node), t.origin_of(s)))
            else:
                names[name] = node
        result = last.value.id if isinstance(last.value, gast.Name) else None
        target = s.targets[0]
        end = body[-1] if body and isinstance(body[-1], gast.Assign) else None
        own = isinstance(target, gast.Name) and result is not None and result not in bound and written.count(result) == 1
        direct = own and (end is not None and t.is_name(end.targets[0], result) or sum(
            target.id in t.writes(x) for x in t.statements(self.unit.tree.body)) == 1)
        for name in dict.fromkeys(written):
            if name not in names:
                names[name] = t.load(target.id if direct and name == result else self.unit.names.fresh(name))
        for name in {n for x in (*inside, last) for n in t.header_reads(x)} - names.keys():
            if name in callee.env:
                names[name] = t.load(self.unit.use(callee.env[name], name))
        for node in (x for item in (*body, last) for x in t.walk(item) if isinstance(x, gast.Attribute)):
            if node.attr.startswith(SUPER):                  # of the class that the callee stands in
                _, owner, attribute = node.attr.split(".")
                cls = behind(owner, callee)
                node.attr = f"{SUPER}{self.unit.use(cls, cls.__name__) if cls else owner}.{attribute}"
        self.unit.unset.update(names[n].id for n in callee.unset if n in names)
        self.unit.counters.update(names[n].id for n in callee.counters if n in names)
        new += [Put(names).visit(x) for x in body]
        if not direct:
            new.append(t.assign(target, Put(names).visit(last.value), t.origin_of(last)))
        for x in t.statements(new):
            if not function.flat:                            # (or it is a block of the function itself)
                x.origin = called_from(x.origin, source.locate(s.value, t.origin_of(s)))
            if function.pure and isinstance(x, gast.Assign) and isinstance(x.value, gast.Call):
                x.value.followed = True                      # generated code changes only what it has copied
        return new


def recurs(function: Function, unit: Unit) -> bool:
    """Whether a function calls itself several times: each level that is put in the place of a call doubles the text."""
    calls = (unit.lookup(n.func) for n in t.walk(unit.tree) if isinstance(n, gast.Call) and t.is_name(n.func))
    return sum(found is function.object if not isinstance(found, Function) else (found.name, found.origin) == (
        function.name, function.origin) for found in calls if found is not MISSING and found is not None) > 1


def formula(function: Function) -> bool:
    """Whether it is of a distribution of SciPy: its object becomes names, of which only those are active that depend on inputs."""
    return (getattr(function.object, "__module__", None) or "").startswith("sourcegrad.primitives.scipy.")


def small(callee: Unit, body: list, storing: bool, most: int = 0) -> bool:
    """Whether a function only computes, in a few steps, or in `most`; storing: or in some more."""
    if callee.statics or callee.undefined or callee.tapes or not isinstance(body[-1], gast.Return):
        return False
    if storing:
        inside = list(t.statements(body))
        return len(inside) <= STORING and all(isinstance(s, (gast.Assign, gast.For, gast.While, gast.If, gast.Break)) or (
            t.list_method(s) is not None) for s in inside[:-1])
    if any(not isinstance(s, gast.Assign) or t.list_method(s) is not None for s in body[:-1]):
        return False
    origins = {(origin.file, origin.line) for origin in map(t.origin_of, body) if origin is not None}
    few = GENERATED if callee.function.pure else EXPRESSION if len(origins) == 1 else SMALL
    return len(body) - isinstance(body[-1].value, gast.Name) <= max(few, most)


def within(function: Function, s: Any, outer: Function) -> bool:
    """Whether a call stands in the function itself, or in what was put in the place of the same call."""
    here = source.locate(s.value, t.origin_of(s)) if not function.flat else None
    return (function.name, function.origin) == (outer.name, outer.origin) or here is not None and any(
        caller[:3] == here[:3] for caller in here.callers)


def called_from(origin: Origin | None, call: Origin | None) -> Origin | None:
    """Where a statement of a callee comes from."""
    if origin is None or call is None:
        return origin
    return origin._replace(callers=(*origin.callers, call._replace(callers=()), *call.callers))


class Put(t.Transformer):
    """Arguments and new names in the place of names."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def visit_Name(self, node: gast.Name) -> Any:
        found = self.names.get(node.id)
        if found is None:
            return node
        if isinstance(node.ctx, gast.Load):
            return t.clone(found)
        return t.store(found.id)


LONGEST = 200                               # statements that are put in the place of calls at a time


def unfold(unit: Unit, facts: Infer, normalize: Callable[[Function], Unit], effects: Callable[[Function, dict], Effects]) -> bool:
    """Put callees that change their arguments, or return parts of them, in the place of their calls; whether there was one.

    normalize: gives the core Python of a function; effects: what it does to memory."""
    return Unfold(unit, facts, normalize, effects).block(unit.tree)


class Unfold(Inline):
    def __init__(self, unit: Unit, facts: Infer, normalize: Callable[[Function], Unit],
                 effects: Callable[[Function, dict], Effects]) -> None:
        super().__init__(unit, facts, set(), lambda function, kinds: None)
        self.normalize, self.effects = normalize, effects
        self.left = LONGEST

    def call(self, s: Any) -> list | None:
        function, bound, kinds = self.called(s) or (None, {}, {})
        if function is None or function.pure or function.generator or function.outputs or keeps(function) or (
                isinstance(self.unit.lookup(s.value.func), Maker)):
            return None
        try:
            if not any(map(mutable, kinds.values())) or not self.shares(function, kinds):
                return None
            callee = self.normalize(function)
        except SourcegradError:
            return None                                     # refused for itself, with its place
        body = callee.tree.body
        self.left -= sum(1 for _ in t.statements(body))
        if self.left < 0 or callee.statics or callee.undefined or not self.same_names(callee):
            return None
        return self.inside(s, function, callee, bound)

    def shares(self, function: Function, kinds: dict[str, k.Kind]) -> bool:
        """Whether a call may change its arguments, or give back some of what they hold."""
        found = self.effects(function, kinds)
        return bool(found.changed or found.held or found.result - {NEW_OBJECT})


def escape(unit: Unit, lost: set, standing: Callable) -> None:
    """`c = maker(a)` of a lost function becomes `c = closed(function, (a,))`."""
    if not lost:
        return
    for s in t.statements(unit.tree.body):
        maker = unit.lookup(s.value.func) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) else None
        if not isinstance(maker, Maker) or maker.function not in lost:
            continue
        function = standing(maker.function) if isinstance(maker.function, Function) else maker.function
        name = unit.use(function, getattr(function, "__name__", "function"))
        names = [t.pack([t.const(key) for key in maker.keywords])] if maker.keywords else []
        s.value = t.call(unit.use(runtime.closed, "closed"), t.load(name), t.pack(s.value.args), *names)
