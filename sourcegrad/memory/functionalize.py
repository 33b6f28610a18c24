"""Functionalisation: every in-place change becomes a new value of the name that holds the memory.

`v = y[1:]; v[0] = c` changes y. The pass follows where each name lives (a *location*: a root and a path into it) along
the paths of the program. A store through any name becomes `y = index_set(y, at[1:][0], c)` on the root; other names
that share the part are *stale* from then on, and read again from the root where they are used. What cannot be known
(a view of one of two arrays, a list that holds the array somewhere) is refused if anybody still looks at it.
"""
from __future__ import annotations

import copy
import functools
import random
from collections.abc import Callable, Iterable, Set as AbstractSet
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import missing_rule
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.locations import ELSEWHERE, Loc, each_step, index_step
from sourcegrad.analysis.objects import SUPER, class_of
from sourcegrad.analysis.purity import LIBRARIES, WRITING, may_write, root_of
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.tree import INPLACE_OF, hashable, is_stop
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.memory.guarded_alias import Alternatives
from sourcegrad.memory.heap import (
    NEW_OBJECT,
    OUTSIDE,
    SOME,
    Effects,
    Locs,
    State,
    When,
    aliased,
    changing,
    is_stream,
    join,
    mutable,
    sole_place,
)
from sourcegrad.memory.points_to import in_array, is_number, locate, part_of_container
from sourcegrad.memory.sharing import certain_places, inner_shares, junctions, release
from sourcegrad.memory.write_through import refuse_many
from sourcegrad.parse.resolve import describe
from sourcegrad.primitives.core import changes_place, foreign, primitive_of

# --- The pass along the paths of the program: branches that meet, and loops.

DEEPER = 4                                       # so many steps further into a place does a loop go before they are not told apart
LINKS = 300                                      # so much sharing is followed,
GUARDED = 40                                     # and so much of it under conditions: it would double in every iteration


COPIES = {k.Num: "{}.copy()", k.Lst: "list({})", k.Dct: "dict({})", k.Map: "dict({})"}


def not_followed(loop: Any, facts: Infer) -> UnsupportedError:
    inside = [s for block in t.inner_blocks(loop) for s in t.statements(block)]
    passed = {n for s in inside for n in t.writes(s)} & {n for s in inside for n in t.header_reads(s)} & facts.local
    copies = [COPIES[type(facts.kinds[n])].format(n) for n in sorted(passed) if n in facts.kinds and mutable(facts.kinds[n])
              and type(facts.kinds[n]) in COPIES]
    return UnsupportedError("what this loop shares between iterations cannot be followed", t.origin_of(loop),
                            f"Pass copies on from one iteration to the next: {', '.join(copies)}." if copies else
                            "Make new objects in each iteration, and pass on the values that they hold.")


class Flow(Alternatives):
    """The pass along the paths of the program: branches that meet, and loops."""

    def block(self, block: list, state: State) -> tuple[list, State]:
        result: list = []
        for s in block:
            new, state = self.statement(s, state)
            result += new
            if len(state.links) > LINKS:
                self.origin = t.origin_of(s)
                refuse_many(self, min(one.root for one, _ in state.links))
        return result, state

    def statement(self, s: Any, state: State) -> tuple[list, State]:
        self.origin = t.origin_of(s)
        self.reach, self.at = 0, s
        if is_stop(s):
            return [s], state
        if isinstance(s, gast.If):
            before = self.refresh_header(s, "test", state)
            s.test = self.answered(s.test, state)
            truth = self.truth_of(s.test)
            if truth is not None:
                new, state = self.block(s.body if truth else s.orelse, state)
                return [*before, *(new or [t.assign("nothing", t.const(None), self.origin)])], state
            body, one = self.block(s.body, state.copy())
            orelse, other = self.block(s.orelse, state.copy())
            ends = meet(self, s, one, other, self.after(s), self.liveness.after[id(s)] | set(self.ghosts))
            if self.emitting:
                s.body, s.orelse = body + ends[0], orelse + ends[1]
            return [*before, s], join(one, other)
        if isinstance(s, (gast.For, gast.While)):
            return self.loop(s, state)
        if isinstance(s, gast.Assign):
            return self.assign(s, state)
        if isinstance(s, (gast.Expr, gast.Return)):
            return self.effect(s, state)
        return [s], state

    @functools.cached_property
    def spelled_names(self) -> set[str]:
        """The names that the user has written."""
        return {n.id for n in t.walk(self.unit.function.tree) if isinstance(n, gast.Name)}

    def iterated(self, s: Any) -> list[str]:
        """The sequences that a loop over positions stands for a loop over, which the user did not write as positions."""
        if not isinstance(s, gast.For) or s.target.id in self.spelled_names:
            return []
        items = [x.value for x in s.body if isinstance(x, gast.Assign) and isinstance(x.value, gast.Subscript)]
        return [v.value.id for v in items if isinstance(v.value, gast.Name) and t.is_name(v.slice, s.target.id)]

    def loop(self, s: Any, state: State) -> tuple[list, State]:
        self.around.append(self.iterated(s))
        result = self.loop_of(s, state)
        self.around.pop()
        return result

    def loop_of(self, s: Any, state: State) -> tuple[list, State]:
        before = self.refresh_header(s, "iter", state) if isinstance(s, gast.For) else []
        head = at_head(self, s, state)
        begun = head.copy(), set(state.locs), self.noted()
        if not self.emitting and id(s) in self.ends_of_loops and self.ends_of_loops[id(s)][0] == begun:
            return [*before, s], self.ends_of_loops[id(s)][1].copy()
        emitting, self.emitting = self.emitting, False
        alive = set(self.liveness.head.get(id(s), ())) | self.after(s)
        kept = alive | set(self.ghosts)
        tested = set(t.reads(s.test)) if isinstance(s, gast.While) else set()
        met: list = []                                   # statements before the loop
        start, known = (begun[0], len(self.passed)), self.heads.get(id(s))
        if known is not None and known[0] == start:      # a loop in a loop: as it was found when the pass came by before
            head, met = known[1].copy(), [t.clone(x) for x in known[2]]
        deepest = max((len(loc.path) for locs in head.locs.values() for loc in locs), default=0) + DEEPER
        passed: tuple | None = None                      # the last turn: the state it began with, what was noted by then, its end
        for turn in range(20 if known is None or known[0] != start else 0):
            looked_at, noted = head.copy(), self.noted()
            _, after = self.block(s.body, head.copy())
            passed = looked_at, noted, after.copy()
            met += self.settled(head, tested)
            self.settled(after, tested | of_this_iteration(s, after, alive))
            after = at_head(self, s, after, False)
            met += meet(self, s, head, after, alive, kept)[0]
            joined = join(head, after)
            if turn > DEEPER:                            # link = link.child: somewhere in there
                joined.mapped(lambda x: x if len(x.path) <= deepest else Loc(x.root, x.path[:deepest], False, x.of))
            if joined == looked_at:                      # (where paths meet, the head itself has changed)
                self.heads[id(s)] = start, head.copy(), [t.clone(x) for x in met]
                break
            head = joined
            if len(head.links) > LINKS or sum(map(len, head.locs.values())) > LINKS or guarded_links(head) > GUARDED:
                raise not_followed(s, self.facts)
        else:
            if known is None or known[0] != start:
                raise not_followed(s, self.facts)
        before += met
        self.emitting = emitting
        if isinstance(s, gast.While):
            s.test = self.answered(s.test, head)
        if not emitting and passed is not None and passed[:2] == (head, self.noted()):
            body, after = s.body, passed[2]              # (nothing that another turn could find)
        else:
            body, after = self.block(s.body, head.copy())
        new = self.settled(after, tested | of_this_iteration(s, after, alive))
        last = {n: after.locs[n] for n in self.after(s) - set(state.locs) - self.liveness.head.get(id(s), frozenset())
                if n in after.locs}                      # what the last iteration has left
        after = at_head(self, s, after, False)
        body = with_before_stop(body, new + meet(self, s, head.copy(), after, alive, kept)[1])
        if emitting:
            s.body = body
        end = join(head, after)
        if isinstance(s, gast.For):
            end.mapped(lambda loc: leave(loc, s.target.id))
        for name, locs in last.items():
            if len(locs) == 1 and all(x.exact and x.path and end.locs.get(x.root) == frozenset([Loc(x.root)]) for x in locs):
                end.locs[name] = locs
        if not emitting and self.noted() == begun[2]:
            self.ends_of_loops[id(s)] = begun, end.copy()
        return [*before, s], end

    def refresh_header(self, s: Any, name: str, state: State) -> list:
        node, before = self.refreshed(getattr(s, name), state)
        if self.emitting:
            setattr(s, name, node)
        return before

    def effect(self, s: Any, state: State) -> tuple[list, State]:
        before: list = []
        found = t.list_method(s)
        if found is not None and isinstance(s, gast.Expr):
            return self.list_change(s, found, state)
        if s.value is not None:
            node, before = self.refreshed(s.value, state)
            if self.emitting:
                s.value = node
        return [*before, s], state

    def assign(self, s: gast.Assign, state: State) -> tuple[list, State]:
        value, before = self.refreshed_operands(s.value, state)
        value = self.answered(value, state)
        if self.emitting:
            if value is not s.value and isinstance(value, gast.Constant):
                self.truths.update(dict.fromkeys(self.bound_once & set(t.writes(s)), bool(value.value)))
            s.value = value
        else:
            value = s.value
        found = t.list_method(s)
        if found is not None:
            new, state = self.pop(s, found, state)
            return [*before, *new], state
        if isinstance(s.targets[0], gast.Tuple):
            new, state = self.unpack(s, state)
            return [*before, *new], state
        name = s.targets[0].id
        changed = self.changing_value(s, name, value, state) if isinstance(value, gast.Call) else None
        if changed is not None:
            new, state = changed
            return [*before, *new], state
        locs = locate(self, value, name, state)
        if isinstance(value, gast.Call) and name in self.spelled_names and primitive_of(self.unit.lookup(value.func)).live:
            self.views.add(name)
            locs = frozenset(loc.somewhere() for loc in self.locs_of(value.args[0], state))
        if self.perhaps_copied(locs, name):
            new, state = self.view_or_copy(s, name, value, next(iter(locs)), state)
            return [*before, *new, s], state
        contents = self.contents(value, name, state)
        twice = twice_in_copy(self, value, name, state)
        checks = self.reshapes.view_check(name, value, locs, state)
        new, state = self.bind(s, name, locs, state)
        for a, b in contents:
            if self.heir is not None:
                b = b.renamed(name, self.heir)
            if b.root != name or a == b:
                state.links[a, b] = b.exact and a.exact
        state.links.update(twice)
        return [*before, *checks, *new, s], state

    def changing_value(self, s: gast.Assign, name: str, value: gast.Call, state: State) -> tuple[list, State] | None:
        """Carry out what an assigned call changes of what it is given; None if it gives a value and nothing else."""
        target = call_targets.target_of(value, self.unit, self.facts.of)
        if changes_place(target.object):
            return self.store(s, target, state)
        if primitive_of(target.object).mutates == "items" and t.is_name(target.args[0], name):
            return self.container_change(s, value, state)
        if target.object in INPLACE_OF and isinstance(value.func, gast.Name):
            return self.augmented(s, target, state)
        if target.function is not None and not isinstance(target.object, Maker) and not getattr(
                target.object, "__sourcegrad_static__", False):
            return self.call(s, target, state)
        looked = looked_into(self, target) if hashable(target.object) and foreign(target.object) else None
        if looked is not None:
            return self.call(s, looked, state)
        if target.object is None and isinstance(value.func, gast.Attribute) and name.startswith("unused"):
            check_known(self, value.func)
        if target.plain is None and target.custom is None and (target.object is None or may_write(target.object)):
            check_writing(self, value, target)
        if isinstance(value.func, gast.Attribute) and is_stream(self.facts.of(value.func.value)):
            self.draws(value.func.value, state)
        if isinstance(getattr(target.object, "__self__", None), (np.random.RandomState, random.Random)):
            self.drawn.add(OUTSIDE)
        return None

    def unpack(self, s: gast.Assign, state: State) -> tuple[list, State]:
        before: list = []
        for position, name in enumerate(t.writes(s)):
            locs: Locs = frozenset()
            if self.mutable(name) and isinstance(s.value, gast.Name):
                locs = part_of_container(self, s.value, index_step(t.const(position)), state)
            new, state = self.bind(s, name, locs, state)
            before += new
        return [*before, s], state


def meet(heap: Alternatives, s: Any, one: State, other: State, alive: AbstractSet[str],
         kept: AbstractSet[str]) -> tuple[list, list]:
    """Where paths meet: names that only one of them has to read again are read at its end, and names that are one
    array on both have the same root."""
    new: tuple[list, list] = ([], [])
    sides = (one, other)
    while True:
        before = len(new[0]), len(new[1]), one.copy(), other.copy()
        for side, state in enumerate(sides):
            there = sides[1 - side]
            different = {n for n in state.stale & alive
                         if n not in there.stale or state.locs.get(n) != there.locs.get(n)}
            if not isinstance(s, gast.If):
                lazily = {n for n in different if n not in there.stale and cheap(n, state, there)}
                there.stale |= lazily
                different -= lazily
            new[side].extend(heap.settled(state, different))
        for state in sides:
            drop_dead(heap, state, kept)
        groups = [aliased(state, kept) for state in sides]
        for members, root in groups[0].items():
            if groups[1].get(members, root) == root:
                continue
            for side, state in enumerate(sides):
                heir, now = min(members), groups[side][members]
                new[side].extend(heap.settled(state, [heir]))
                if heir != now:
                    state.renamed(now, heir)
        if isinstance(s, gast.If):
            for name in sorted(alive):
                choice(heap, s, name, sides, new)
        if before == (len(new[0]), len(new[1]), one, other):
            heap.alternatives(s, alive, sides, new)
        if before == (len(new[0]), len(new[1]), one, other):
            return new


def cheap(name: str, state: State, there: State) -> bool:
    """Whether a name is an attribute of one object on both paths: it is read again where it is used."""
    locs = state.locs.get(name, frozenset())
    return locs == there.locs.get(name) and len(locs) == 1 and all(
        x.exact and x.path and all(item.sort == "attribute" for item in x.path) for x in locs)


def choice(heap: Alternatives, s: gast.If, name: str, sides: tuple[State, State], new: tuple[list, list]) -> None:
    """A name that is one element of an array on one path and another on the other: the index is remembered."""
    found = [state.locs.get(name, frozenset()) for state in sides]
    if found[0] == found[1] or name in heap.ghosts or any(len(locs) != 1 for locs in found):
        return
    places = [next(iter(locs)) for locs in found]
    one, other = places
    if one.root != other.root or not one.exact or not other.exact or len(one.path) != len(other.path):
        return
    apart = [j for j, steps in enumerate(zip(one.path, other.path)) if steps[0] != steps[1]]
    if len(apart) != 1 or not all(is_number(place.path[apart[0]], heap.facts) for place in places):
        return
    index = heap.variable((id(s), f"{name} "), f"{name}_i", k.Num("pyint", (), False))
    for side, place in enumerate(places):
        chosen = index_step(t.load(index))
        new[side].append(t.assign(index, t.clone(place.path[apart[0]].node.slice), heap.origin))
        path = (*place.path[:apart[0]], chosen, *place.path[apart[0] + 1:])
        sides[side].locs[name] = frozenset([Loc(place.root, path)])


def at_head(heap: Alternatives, s: Any, state: State, first: bool = True) -> State:
    """The state where an iteration starts: names that nobody reads any more are dropped, the target is new."""
    state = state.copy()
    if isinstance(s, gast.For):
        state.mapped((lambda loc: leave(loc, s.target.id)) if first else lambda loc: earlier(loc, s))
    if first:
        drop_dead(heap, state, heap.liveness.head.get(id(s), frozenset()) | heap.after(s) | set(heap.ghosts))
    return state


def earlier(loc: Loc, s: gast.For) -> Loc:
    """What is now the place of an earlier iteration."""
    name = s.target.id
    if name not in loc.names:
        return loc
    own = index_step(t.load(name))
    first = next(j for j, item in enumerate(loc.path) if name in item.names)
    if any(item != own for item in loc.path if name in item.names) or any(name in t.writes(x) for x in t.statements(s.body)):
        return Loc(loc.root, loc.path[:first], False)
    return Loc(loc.root, tuple(each_step(name) if item == own else item for item in loc.path), False)


def drop_dead(heap: Alternatives, state: State, alive: Iterable[str]) -> None:
    alive = set(alive)

    def drop() -> None:
        roots = {loc.root for name in alive for loc in state.locs.get(name, ())} | junctions(state)
        for name in list(state.locs):
            if name not in alive and name not in roots:
                release(state, name)

    drop()
    for name in sorted(alive):                       # among names that are one array, a live one is the root
        loc = sole_place(state.locs.get(name, frozenset()))
        if loc is not None and not loc.path and loc.root not in alive and name not in heap.ghosts and name not in state.stale:
            state.renamed(loc.root, name)
    drop()


def of_this_iteration(s: Any, state: State, names: set[str]) -> set[str]:
    """Names that live at a place which the target of a loop tells."""
    targets = set(t.writes(s)) if isinstance(s, gast.For) else set()
    return {n for n in names & state.stale if any(targets & loc.names for loc in state.locs.get(n, ()))}


def looked_into(heap: Alternatives, target: call_targets.Target) -> call_targets.Target | None:
    """A call of a function of the user that has a rule, as a call of its source: so far as that can be followed."""
    try:
        function = describe(target.object)
        looked = replace(target, function=function)
        bound = call_targets.bind(function, looked, heap.unit)
        effects = heap.effects(function, {n: heap.facts.of(v) or k.ANY for n, v in bound.items()})
    except (SourcegradError, TypeError):
        return None
    if effects.changed:
        raise UnsupportedError(f"{function.name}() has a derivative rule, or none, and changes its argument "
                               f"'{effects.changed[0]}' in place", heap.origin, "Let it return a new array.")
    return looked


def check_known(heap: Alternatives, method: gast.Attribute) -> None:
    """A method that is called for what it does is known, or it would be left out where nobody uses its result: refused
    where the kind of an object of the user was lost, as it changes in every round of looking at it."""
    if not t.is_name(method.value) or heap.facts.of(method.value) is not k.ANY or heap.lenient:
        return
    name = method.value.id
    values = [x.value for x in t.statements(heap.unit.tree.body) if isinstance(x, gast.Assign) and name in t.writes(x)]
    if any(isinstance(kind, (k.Obj, k.OneOf)) for kind in (heap.facts.given.get(name), *map(heap.facts.of, values))):
        raise changing(heap.spelled(name), heap.origin)


def check_writing(heap: Alternatives, call: gast.Call, target: call_targets.Target) -> None:
    """A call that is not looked into may change the objects that it is given: refused, or checked when it runs."""
    given = [n for x in (*target.operands, *([call.func] if target.object is None else [])) for n in t.reads(x)]
    kinds = [heap.facts.kinds.get(n, k.ANY) for n in given if n in heap.facts.local and heap.mutable(n)]
    kinds = [kind for kind in kinds if not isinstance(kind, k.Obj) or class_of(kind) is not None]
    if heap.lenient or not kinds:
        return
    name = source.expression_text(call.func)
    origin = source.locate(call, heap.origin)
    if target.object is None:
        heap.dynamic |= not (isinstance(call.func, gast.Attribute) and call.func.attr.startswith(SUPER))
        method = call.func.attr if isinstance(call.func, gast.Attribute) and heap.facts.of(call.func.value) is not k.ANY else ""
        if not (method in WRITING or method == "byteswap" and call.args or {"out", "inplace"} & target.keywords.keys()):
            return
    elif root_of(target.object) not in LIBRARIES:
        if all(map(k.is_discrete, kinds)):
            return
        raise missing_rule(name, ", ".join(f"x{j}" for j in range(len(target.args))) if len(target.args) > 1 else "x",
                           origin, target)
    raise UnsupportedError(f"`{name}(...)`, which changes what it is given and has no Python source", origin,
                           "Draw a permutation: i = rng.permutation(i)." if name.endswith("shuffle") else
                           "Write the change as a statement, or make a new array or list.")


def twice_in_copy(heap: Alternatives, value: Any, name: str, state: State) -> dict[tuple[Loc, Loc], bool]:
    """A deep copy holds twice what its original holds twice. (Not parts of arrays: every array is copied for itself, and so
    two views may be of equal parts.)"""
    if not isinstance(value, gast.Call) or heap.unit.lookup(value.func) is not copy.deepcopy or not value.args:
        return {}
    locs = heap.locs_of(value.args[0], state)
    found = {(a, b): sure and len(locs) == 1 for loc in locs for a, b, sure in inner_shares(
        loc, Loc(name), state, heap.sorts_at)}
    views = {a for pair in state.links for a, b in (pair, pair[::-1]) if in_array(b, heap.facts)}
    return {pair: sure and not any(Loc(loc.root, (*loc.path, *place.path)) in views for loc in locs for place in pair)
            for pair, sure in found.items() if not any(in_array(x, heap.facts) for x in pair)}


def guarded_links(state: State) -> int:
    return sum(isinstance(sure, When) for sure in state.links.values())


def leave(loc: Loc, name: str) -> Loc:
    """Outside the loop over `name`, an item that it has taken is any one."""
    each = each_step(name)
    return Loc(loc.root, tuple(SOME if item == each else item for item in loc.path), loc.exact) if each in loc.path else loc


def with_before_stop(body: list, new: list) -> list:
    """Statements at the end of a loop body, before the break that may stand there."""
    return [*body[:-1], *new, body[-1]] if body and is_stop(body[-1]) else [*body, *new]


class Memory(Flow):
    """The whole pass over one function."""

    def run(self) -> Effects:
        tree = self.unit.tree
        self.liveness.block(tree.body, frozenset())
        start = State()
        for name in self.unit.parameters:
            if self.mutable(name):
                start.locs[name] = frozenset([Loc(name)])
        for ghost, name in self.ghosts.items():
            if name in start.locs:
                start.locs[ghost] = frozenset([Loc(name)])
        for one, other, sure in sorted(self.unit.function.shares, key=repr):
            if one.root in start.locs and other.root in start.locs:
                start.links[one, other] = start.links.get((one, other), True) and sure
        self.emitting = False
        self.block(tree.body, start.copy())
        self.emitting = True
        body, end = self.block(tree.body, start.copy())
        tree.body = self.decided(body)
        self.define_passed(tree)
        last = tree.body[-1]
        self.ends: dict[str, Any] = {}
        for ghost, name in self.ghosts.items():
            if ghost not in self.seen or name not in start.locs:
                continue
            found = sole_place(end.locs.get(ghost, frozenset()))
            if found is None:
                raise UnsupportedError(f"where the content of the argument '{name}' ends up cannot be known",
                                       t.origin_of(last), "Return the array.")
            self.ends[name] = found.read()
        own = self.new_result(last.value, end)
        shares = frozenset((a.path, b.path, sure and own is not None) for loc in self.locs_of(last.value, end)
                           if own is not None or NEW_OBJECT in self.as_results(loc, end)
                           for a, b, sure in inner_shares(loc, Loc("result "), end, self.sorts_at))
        result = frozenset([NEW_OBJECT]) if own else frozenset(
            place for loc in self.known_as(last.value, end) for place in self.as_results(loc, end))
        held = frozenset(self.holding(own, end)) if own else frozenset()
        known = {own, *self.unit.parameters} | {loc.root for ghost in self.ghosts for loc in end.locs.get(ghost, ())}
        for pair in [pair for pair, sure in end.links.items() if isinstance(sure, When)]:
            end.links[pair] = False
        for name in sorted({x.root for pair in end.links for x in pair} - known):
            release(end, name)                           # what is linked through what nobody knows any more
        parts = [[[x if sure else x.somewhere() for x in self.as_results(loc, end) if x not in (NEW_OBJECT, ELSEWHERE)]
                  for loc in pair] for pair, sure in end.links.items()]
        links = frozenset((a, b) for one, other in parts for a in one for b in other)
        return Effects(tuple(n for n in self.unit.parameters if n in self.changed), result, frozenset(self.changes), links,
                       held, frozenset(self.drawn), frozenset(x for loc in end.replaced for x in self.given_places(loc, end)),
                       frozenset(self.survivors), shares, frozenset(self.reshapes.dense), frozenset(self.compared),
                       frozenset(self.cached), end.separated, self.seeks, self.seeks_itself, bool(self.written), self.dynamic)

    def define_passed(self, tree: Any) -> None:
        """Names whose values are searched for objects that change may not have any, on some path."""
        for name in sorted(Liveness().block(tree.body, frozenset()) & self.passed - set(self.unit.parameters)):
            tree.body.insert(0, t.assign(name, t.const(None), t.origin_of(tree.body[0])))
            self.unit.unset.add(name)

    def new_result(self, node: Any, state: State) -> str | None:
        """The root of a result that is a container made here."""
        if not isinstance(node, gast.Name) or not self.mutable(node.id):
            return None
        loc = sole_place(state.locs.get(node.id, frozenset()))
        return loc.root if loc is not None and not loc.path and not self.given(loc, state) else None

    def known_as(self, node: Any, state: State) -> Locs:
        """Where a result lives: with what the caller has given, if it is certainly (a part of) that by then."""
        mine = [self.as_given(loc, state) for loc in self.locs_of(node, state)]
        given = len(mine) == 1 and mine[0].exact and self.given(mine[0], state)
        return frozenset(mine) if given else self.value_locs(node, state)

    def as_given(self, loc: Loc, state: State, without: str = "") -> Loc:
        """A place by a name that the caller knows, where there certainly is one. without: a root that is not asked."""
        places = [x for x in certain_places(loc, state, without=without) if self.given(x, state)]
        return loc if loc in places else min(places, key=lambda x: (len(x.path), repr(x)), default=loc)

    def holding(self, root: str, state: State, path: tuple = (), sure: bool = True,
                seen: frozenset[str] = frozenset()) -> list[tuple[tuple, Loc, bool]]:
        """What a container made here holds of what the caller knows."""
        found: list[tuple[tuple, Loc, bool]] = []
        for pair, certain in state.links.items():
            for one, other in (pair, pair[::-1]):
                if one.root != root or other.root == root or other.root in seen:
                    continue
                known = sure and certain is True and one.exact and not any(item.names for item in one.path)
                where = path + one.path if known else ()
                other = self.as_given(other, state, root)
                places = self.as_results(other, state)
                found += [(where if place.exact else (), place, known and place.exact) for place in places - {NEW_OBJECT}]
                if NEW_OBJECT in places:
                    whole = known and other.exact and not other.path
                    found += self.holding(other.root, state, where if whole else (), whole, seen | {root})
        return found


def _may_change(s: Any) -> bool:
    return isinstance(s, (gast.Assign, gast.Expr)) and isinstance(s.value, gast.Call)


def _own(unit: Unit, facts: Infer, found: Effects, dense: set[str]) -> list:
    """The caller's objects stay as they are: parameters that change are copied first."""
    changed = found.changed
    if not changed:
        return []
    own = unit.use(runtime.own, "own")
    read = {n for x in t.statements(unit.tree.body) for n in t.header_reads(x)} - facts.local
    outside = [n for n in sorted(read) if n not in unit.env and isinstance(facts.name(n), k.Num) and mutable(facts.name(n))]
    others = [n for n in unit.parameters if mutable(facts.kinds.get(n, k.ANY))]
    checks = [t.assign(unit.names.fresh("unused"), t.call(unit.use(runtime.check_dense, "check_dense"), t.load(name)),
                       t.origin_of(unit.tree)) for name in sorted(dense & set(changed))]
    copies: list = []
    for name in changed:
        near = [t.load(n) for n in (*others, *outside) if n != name]
        if not isinstance(facts.kinds.get(name), k.Num):
            check = t.call(unit.use(runtime.check_places, "check_places"), t.load(name), _places(name, found), *near)
            checks.append(t.assign(unit.names.fresh("unused"), check, t.origin_of(unit.tree)))
            near = []
        copies.append(t.assign(name, t.call(own, t.load(name), *near), t.origin_of(unit.tree)))
    return checks + copies


def _places(name: str, found: Effects) -> gast.Tuple:
    """What changes in a parameter, as `check_places` takes it."""
    places: set[tuple] = set()
    for parameter, path, rebinding, whole, _ in found.changes:
        if parameter == name:
            steps = [x.node.attr if x.sort == "attribute" else t.constant_of(x.node.slice) if x.sort == "index" and isinstance(
                x.node.slice, gast.Constant) else ... for x in path]
            known = steps.index(...) if ... in steps else len(steps)
            alone = rebinding and whole and known == len(steps) > 0
            places.add(tuple(steps[:-1]) if alone else (*steps[:known], ...))
    if not places or name in found.compared:
        places = {(...,)}
    whole = [q for q in places if q[-1:] == (...,)]
    least = [p for p in sorted(places, key=repr) if not any(p != q and p[:len(q) - 1] == q[:-1] for q in whole)]
    return t.pack([t.pack([t.const(x) for x in path]) for path in least])


def _drop_unread(tree: Any, kept: set[str]) -> None:
    """Old values that were kept for places that nobody has looked at since then."""
    unread: set[str] = set()

    def read(s: Any) -> list:
        return [] if isinstance(s, gast.Assign) and t.is_name(s.value) and t.writes(s)[0] in unread else [s]

    while kept:
        unread = kept - {n for s in t.statements(tree.body) for n in t.header_reads(s)}
        tree.body = t.rewritten(tree.body, read)
        kept = kept - unread if unread else set()


def functionalize(unit: Unit, facts: Infer, effects: Callable, outputs: tuple[str, ...], top: bool,
                  lenient: bool = False) -> Effects:
    """Make all mutation functional. outputs: what is returned, as in `Function.outputs`; top: arguments are the caller's;
    lenient: what cannot be known is left as it is (for the kinds that come of it)."""
    if not outputs and not any(_may_change(s) for s in t.statements(unit.tree.body)):
        seen: tuple[str, ...] = ()
    else:
        seen = tuple(name for name in outputs if name != "return")
    state = Memory(unit, facts, effects, seen)
    state.lenient, state.top = lenient, top
    found = state.run()
    tree = unit.tree
    last = tree.body[-1]
    origin = t.origin_of(last)
    if outputs:
        parts = [last.value if name == "return" else state.ends.get(name, t.load(name)) for name in outputs]
        value = parts[0] if len(parts) == 1 else t.pack(parts)
        name = unit.names.fresh("outputs")
        before = [t.assign(name, value, origin)]
        if isinstance(value, gast.Tuple):
            for position, part in enumerate(value.elts):
                if not isinstance(part, (gast.Name, gast.Constant)):
                    item = unit.names.fresh("content")
                    before.insert(0, t.assign(item, part, origin))
                    value.elts[position] = t.load(item)
        tree.body[-1:] = [*before, t.return_(t.load(name), origin)]
    _drop_unread(tree, set(state.kept.values()))
    if top:
        tree.body[:0] = _own(unit, facts, found, state.reshapes.dense)
    return found


# --- The truth of what a branch changes gets a name: the reverse sweep branches as the forward sweep did.

def materialize_conditions(unit: Unit) -> None:
    """`if xs: xs = list_delete(xs, 0)` is `cond = bool(xs)` and a branch on that."""
    unit.tree.body = t.rewritten(unit.tree.body, lambda s: _statement(unit, s))


def _statement(unit: Unit, s: Any) -> list:
    if not isinstance(s, gast.If) or is_stop(s) or not isinstance(s.test, gast.Name):
        return [s]
    if not any(s.test.id in (*t.writes(x), *(t.list_method(x) or ())[:1]) for x in t.statements(s.body + s.orelse)):
        return [s]
    name = unit.names.fresh("cond")
    made = t.assign(name, t.call("bool", s.test), t.origin_of(s))
    s.test = t.load(name)
    return [made, s]
