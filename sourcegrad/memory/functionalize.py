"""Functionalisation: every in-place change becomes a new value of the name that holds the memory.

`v = y[1:]; v[0] = c` changes y. The pass follows where each name lives (a *location*: a root and a path into it) along
the paths of the program. A store through any name becomes `y = index_set(y, at[1:][0], c)` on the root; other names
that share the part are *stale* from then on, and read again from the root where they are used. What cannot be known
(a view of one of two arrays, a list that holds the array somewhere) is refused if anybody still looks at it.
"""
from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Set as AbstractSet, Sized
from dataclasses import replace
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import missing_rule
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.locations import Loc, each_step, index_step
from sourcegrad.analysis.objects import SUPER, class_of
from sourcegrad.analysis.purity import LIBRARIES, WRITING, may_write, root_of
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.effort import WORK
from sourcegrad.ir.tree import INPLACE_OF, hashable, is_stop
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.memory.emission import Bindings, Emitter, Reshapes
from sourcegrad.memory.guarded_alias import Alternatives, Everywhere
from sourcegrad.memory.heap import (
    SOME,
    Effects,
    State,
    When,
    aliased,
    changing,
    check_turns,
    drawn_from,
    join,
    mutable,
    reached,
    sole_place,
)
from sourcegrad.memory.points_to import PointsTo, contents_of, in_array, is_number, locate, part_of_container, refuse_many, watch
from sourcegrad.memory.runtime_alias import Identity, Questions
from sourcegrad.memory.sharing import inner_shares, junctions, release
from sourcegrad.memory.stores import Stores
from sourcegrad.memory.summaries import Callees, summary
from sourcegrad.memory.write_through import Changes
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


class Memory:
    """The whole pass over one function, along the paths of the program: branches that meet, and loops."""

    def __init__(self, heap: PointsTo) -> None:
        self.heap, self.out = heap, (out := Emitter(heap))
        self.reshapes, self.bindings, self.questions = Reshapes(out), Bindings(out), Questions(out)
        self.changes = Changes(out, self.reshapes)
        identity = Identity(self.changes)
        self.stores = Stores(identity, self.bindings)
        self.calls = Everywhere(Callees(self.changes, self.bindings, self.questions), identity)
        self.alternatives = Alternatives(self.bindings, self.reshapes)
        self.heads: dict[int, tuple] = {}                # loop -> (what it was reached with, what holds at its head, statements)
        self.ends_of_loops: dict[int, tuple] = {}        # loop -> (what it was reached with, what holds after it)

    def noted(self) -> tuple:
        """How much the pass has noted of the whole function so far (sets that only grow): from one state, with as much noted, it
        goes the same way."""
        heap, reshapes = self.heap, self.reshapes
        growing: tuple[Sized, ...] = (
            heap.passed, heap.views, heap.touched, heap.written, heap.drawn, heap.changed, heap.changes, heap.survivors, heap.lazy,
            heap.reaches, heap.compared, heap.cached, self.out.kept, self.alternatives.conditions, self.questions.truths,
            reshapes.suspects, reshapes.dense, *heap.outlived.values())
        return *map(len, growing), reshapes.reshaped, heap.seeks, heap.seeks_itself, heap.dynamic

    def run(self) -> tuple[Effects, dict[str, Any]]:
        """Make it functional. Returns what the function does to memory, and where the contents of its arguments end up."""
        heap, tree = self.heap, self.heap.unit.tree
        heap.liveness.block(tree.body, frozenset())
        start = State()
        for name in heap.unit.parameters:
            if heap.mutable(name):
                start.locs[name] = frozenset([Loc(name)])
        for ghost, name in heap.ghosts.items():
            if name in start.locs:
                start.locs[ghost] = frozenset([Loc(name)])
        for one, other, sure in sorted(heap.unit.function.shares, key=repr):
            if one.root in start.locs and other.root in start.locs:
                start.links[one, other] = start.links.get((one, other), True) and sure
        self.block(tree.body, start.copy())
        if heap.iterators and not heap.lenient:
            self.heads, self.ends_of_loops, heap.did = {}, {}, {}
            self.block(tree.body, start.copy())
            check_turns(heap)
        self.out.emitting = True
        body, end = self.block(tree.body, start.copy())
        tree.body = self.alternatives.decided(body)
        define_passed(heap.unit, heap.passed)
        last = tree.body[-1]
        ends: dict[str, Any] = {}
        for ghost, name in heap.ghosts.items():
            if ghost not in heap.seen or name not in start.locs:
                continue
            found = sole_place(end.locs.get(ghost, frozenset()))
            if found is None:
                raise UnsupportedError(f"where the content of the argument '{name}' ends up cannot be known",
                                       t.origin_of(last), "Return the array.")
            ends[name] = found.read()
        return summary(heap, last.value, end, frozenset(self.reshapes.dense)), ends

    def block(self, block: list, state: State) -> tuple[list, State]:
        result: list = []
        for s in block:
            new, state = self.statement(s, state)
            result += new
            if len(state.links) > LINKS:
                self.heap.origin = t.origin_of(s)
                refuse_many(self.heap, min(one.root for one, _ in state.links))
        return result, state

    def statement(self, s: Any, state: State) -> tuple[list, State]:
        self.heap.origin = t.origin_of(s)
        WORK.steps += 2 + len(state.links) // 8             # (what is linked is gone through)
        self.changes.reach, self.heap.at = 0, s
        watch(self.heap, s, state)
        if is_stop(s):
            return [s], state
        if isinstance(s, gast.If):
            before = self.out.refresh(s, "test", state)
            s.test = self.questions.answered(s.test, state)
            truth = self.questions.truth_of(s.test)
            if truth is not None:
                new, state = self.block(s.body if truth else s.orelse, state)
                return [*before, *(new or [t.assign("nothing", t.const(None), self.heap.origin)])], state
            body, one = self.block(s.body, state.copy())
            orelse, other = self.block(s.orelse, state.copy())
            kept = self.heap.liveness.after[id(s)] | set(self.heap.ghosts)
            ends = meet(self.alternatives, s, one, other, self.heap.after(s), kept)
            if self.out.emitting:
                s.body, s.orelse = body + ends[0], orelse + ends[1]
            return [*before, s], join(one, other)
        if isinstance(s, (gast.For, gast.While)):
            return self.loop(s, state)
        if not isinstance(s, (gast.Assign, gast.Expr, gast.Return)):                           # of `assert` and `raise`
            fields = [name for name in s._fields if isinstance(getattr(s, name, None), gast.expr)]
            return [*(x for name in fields for x in self.out.refresh(s, name, state)), s], state
        new, state = self.assign(s, state) if isinstance(s, gast.Assign) else self.effect(s, state)
        watch(self.heap, s, state)                           # (where what it binds lives)
        return new, state

    def loop(self, s: Any, state: State) -> tuple[list, State]:
        self.heap.around.append(iterated(self.heap, s))
        result = self.loop_of(s, state)
        self.heap.around.pop()
        return result

    def loop_of(self, s: Any, state: State) -> tuple[list, State]:
        before = self.out.refresh(s, "iter", state) if isinstance(s, gast.For) else []
        head = at_head(self.heap, s, state)
        begun = head.copy(), set(state.locs), self.noted()
        if not self.out.emitting and id(s) in self.ends_of_loops and self.ends_of_loops[id(s)][0] == begun:
            return [*before, s], self.ends_of_loops[id(s)][1].copy()
        emitting, self.out.emitting = self.out.emitting, False
        alive = set(self.heap.liveness.head.get(id(s), ())) | self.heap.after(s)
        kept = alive | set(self.heap.ghosts)
        tested = set(t.reads(s.test)) if isinstance(s, gast.While) else set()
        met: list = []                                   # statements before the loop
        start, known = (begun[0], len(self.heap.passed)), self.heads.get(id(s))
        if known is not None and known[0] == start:      # a loop in a loop: as it was found when the pass came by before
            head, met = known[1].copy(), [t.clone(x) for x in known[2]]
        deepest = max((len(loc.path) for locs in head.locs.values() for loc in locs), default=0) + DEEPER
        passed: tuple | None = None                      # the last turn: the state it began with, what was noted by then, its end
        for turn in range(20 if known is None or known[0] != start else 0):
            looked_at, noted = head.copy(), self.noted()
            _, after = self.block(s.body, head.copy())
            passed = looked_at, noted, after.copy()
            met += self.out.settled(head, tested)
            self.out.settled(after, tested | of_this_iteration(s, after, alive))
            after = at_head(self.heap, s, after, False)
            met += meet(self.alternatives, s, head, after, alive, kept)[0]
            joined = join(head, after)
            if turn > DEEPER:                            # link = link.child: somewhere in there
                joined.mapped(lambda x: x if len(x.path) <= deepest else Loc(x.root, x.path[:deepest], False, x.of))
            if joined == looked_at:                      # (where paths meet, the head itself has changed)
                self.heads[id(s)] = start, head.copy(), [t.clone(x) for x in met]
                break
            head = joined
            if len(head.links) > LINKS or sum(map(len, head.locs.values())) > LINKS or sum(
                    isinstance(sure, When) for sure in head.links.values()) > GUARDED:
                raise not_followed(s, self.heap.facts)
        else:
            if known is None or known[0] != start:
                raise not_followed(s, self.heap.facts)
        before += met
        self.out.emitting = emitting
        if isinstance(s, gast.While):
            s.test = self.questions.answered(s.test, head)
        if not emitting and passed is not None and passed[:2] == (head, self.noted()):
            body, after = s.body, passed[2]              # (nothing that another turn could find)
        else:
            body, after = self.block(s.body, head.copy())
        new = self.out.settled(after, tested | of_this_iteration(s, after, alive))
        last = {n: after.locs[n] for n in self.heap.after(s) - set(state.locs) - self.heap.liveness.head.get(id(s), frozenset())
                if n in after.locs}                      # what the last iteration has left
        after = at_head(self.heap, s, after, False)
        body = with_before_stop(body, new + meet(self.alternatives, s, head.copy(), after, alive, kept)[1])
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

    def effect(self, s: Any, state: State) -> tuple[list, State]:
        found = t.list_method(s)
        if isinstance(s.value, gast.Call):
            self.heap.reach(reached(self.heap.unit, s.value, self.heap.facts))
        if found is not None and isinstance(s, gast.Expr):
            return self.stores.list_change(s, found, state, self.assign)
        return [*([] if s.value is None else self.out.refresh(s, "value", state)), s], state

    def assign(self, s: gast.Assign, state: State) -> tuple[list, State]:
        value, before = self.out.refreshed_operands(s.value, state)
        if isinstance(value, gast.Call) and self.heap.unit.lookup(value.func) is runtime.read_once:
            self.heap.iterators[id(s)] = value.args[1].value
            value = value.args[0]
        value = self.questions.answered(value, state)
        if self.out.emitting:
            if value is not s.value and isinstance(value, gast.Constant):
                self.questions.truths.update(dict.fromkeys(self.questions.bound_once & set(t.writes(s)), bool(value.value)))
            s.value = value
        else:
            value = s.value
        found = t.list_method(s)
        if found is not None:
            self.heap.reach(reached(self.heap.unit, value, self.heap.facts))
            new, state = self.stores.pop(s, found, state, self.assign)
            return [*before, *new], state
        if isinstance(s.targets[0], gast.Tuple):
            new, state = self.unpack(s, state)
            return [*before, *new], state
        name = s.targets[0].id
        changed = self.changing_value(s, name, value, state) if isinstance(value, gast.Call) else None
        if changed is not None:
            new, state = changed
            return [*before, *new], state
        locs = locate(self.heap, value, name, state)
        if isinstance(value, gast.Call) and name in self.heap.spelling.own and primitive_of(self.heap.unit.lookup(value.func)).live:
            self.heap.views.add(name)
            locs = frozenset(loc.somewhere() for loc in self.heap.locs_of(value.args[0], state))
        if self.alternatives.perhaps_copied(locs, name):
            new, state = self.alternatives.view_or_copy(s, name, value, next(iter(locs)), state)
            return [*before, *new, s], state
        contents = contents_of(self.heap, value, name, state)
        twice = twice_in_copy(self.heap, value, name, state)
        checks = self.reshapes.view_check(name, value, locs, state)
        new, state = self.bindings.bind(s, name, locs, state)
        for a, b in contents:
            if self.bindings.heir is not None:
                b = b.renamed(name, self.bindings.heir)
            if b.root != name or a == b:
                state.links[a, b] = b.exact and a.exact
        state.links.update(twice)
        return [*before, *checks, *new, s], state

    def changing_value(self, s: gast.Assign, name: str, value: gast.Call, state: State) -> tuple[list, State] | None:
        """Carry out what an assigned call changes of what it is given; None if it gives a value and nothing else."""
        target = call_targets.target_of(value, self.heap.unit, self.heap.facts.of)
        if changes_place(target.object):
            return self.stores.store(s, target, state)
        if primitive_of(target.object).mutates == "items" and t.is_name(target.args[0], name):
            return self.stores.container_change(s, value, state)
        if target.object in INPLACE_OF and isinstance(value.func, gast.Name):
            return self.stores.augmented(s, target, state, self.assign)
        if target.function is not None and not isinstance(target.object, Maker) and not getattr(
                target.object, "__sourcegrad_static__", False):
            return self.calls.call(s, target, state)
        looked = looked_into(self.heap, target) if hashable(target.object) and foreign(target.object) and not hasattr(
            target.object, "__sourcegrad_executed__") else None                  # (which changes nothing, and is not followed)
        if looked is not None:
            return self.calls.call(s, looked, state)
        if target.object is None and isinstance(value.func, gast.Attribute) and name.startswith("unused"):
            check_known(self.heap, value.func)
        if target.plain is None and target.custom is None and (target.object is None or may_write(target.object)):
            check_writing(self.heap, value, target)
        stream = drawn_from(value, target, self.heap.facts)
        if stream is not None:
            self.heap.draws(stream, state)
        self.heap.reach(reached(self.heap.unit, value, self.heap.facts))
        return None

    def unpack(self, s: gast.Assign, state: State) -> tuple[list, State]:
        before: list = []
        for position, name in enumerate(t.writes(s)):
            known = self.heap.mutable(name) and isinstance(s.value, gast.Name)
            locs = part_of_container(self.heap, s.value, index_step(t.const(position)), state) if known else frozenset()
            new, state = self.bindings.bind(s, name, locs, state)
            before += new
        return [*before, s], state


def iterated(heap: PointsTo, s: Any) -> list[str]:
    """The sequences that a loop over positions stands for a loop over, which the user did not write as positions."""
    if not isinstance(s, gast.For) or s.target.id in heap.spelling.own:
        return []
    items = [x.value for x in s.body if isinstance(x, gast.Assign) and isinstance(x.value, gast.Subscript)]
    return [v.value.id for v in items if isinstance(v.value, gast.Name) and t.is_name(v.slice, s.target.id)]


def meet(alternatives: Alternatives, s: Any, one: State, other: State, alive: AbstractSet[str],
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
            new[side].extend(alternatives.out.settled(state, different))
        for state in sides:
            drop_dead(alternatives.heap, state, kept)
        groups = [aliased(state, kept) for state in sides]
        for members, root in groups[0].items():
            if groups[1].get(members, root) == root:
                continue
            for side, state in enumerate(sides):
                heir, now = min(members), groups[side][members]
                new[side].extend(alternatives.out.settled(state, [heir]))
                if heir != now:
                    state.renamed(now, heir)
        if isinstance(s, gast.If):
            for name in sorted(alive):
                choice(alternatives.out, s, name, sides, new)
        if before == (len(new[0]), len(new[1]), one, other):
            alternatives.alternatives(s, alive, sides, new)
        if before == (len(new[0]), len(new[1]), one, other):
            return new


def cheap(name: str, state: State, there: State) -> bool:
    """Whether a name is an attribute of one object on both paths: it is read again where it is used."""
    locs = state.locs.get(name, frozenset())
    return locs == there.locs.get(name) and len(locs) == 1 and all(
        x.exact and x.path and all(item.sort == "attribute" for item in x.path) for x in locs)


def choice(out: Emitter, s: gast.If, name: str, sides: tuple[State, State], new: tuple[list, list]) -> None:
    """A name that is one element of an array on one path and another on the other: the index is remembered."""
    found = [state.locs.get(name, frozenset()) for state in sides]
    if found[0] == found[1] or name in out.heap.ghosts or any(len(locs) != 1 for locs in found):
        return
    places = [next(iter(locs)) for locs in found]
    one, other = places
    if one.root != other.root or not one.exact or not other.exact or len(one.path) != len(other.path):
        return
    apart = [j for j, steps in enumerate(zip(one.path, other.path)) if steps[0] != steps[1]]
    if len(apart) != 1 or not all(is_number(place.path[apart[0]], out.heap.facts) for place in places):
        return
    index = out.variable((id(s), f"{name} "), f"{name}_i", k.Num("pyint", (), False))
    for side, place in enumerate(places):
        chosen = index_step(t.load(index))
        new[side].append(t.assign(index, t.clone(place.path[apart[0]].node.slice), out.heap.origin))
        path = (*place.path[:apart[0]], chosen, *place.path[apart[0] + 1:])
        sides[side].locs[name] = frozenset([Loc(place.root, path)])


def at_head(heap: PointsTo, s: Any, state: State, first: bool = True) -> State:
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


def drop_dead(heap: PointsTo, state: State, alive: Iterable[str]) -> None:
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


def looked_into(heap: PointsTo, target: call_targets.Target) -> call_targets.Target | None:
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


def check_known(heap: PointsTo, method: gast.Attribute) -> None:
    """A method that is called for what it does is known, or it would be left out where nobody uses its result: refused
    where the kind of an object of the user was lost, as it changes in every round of looking at it."""
    if not t.is_name(method.value) or heap.facts.of(method.value) is not k.ANY or heap.lenient:
        return
    name = method.value.id
    values = [x.value for x in t.statements(heap.unit.tree.body) if isinstance(x, gast.Assign) and name in t.writes(x)]
    if any(isinstance(kind, (k.Obj, k.OneOf)) for kind in (heap.facts.given.get(name), *map(heap.facts.of, values))):
        raise changing(heap.spelling.of(name), heap.origin)


def check_writing(heap: PointsTo, call: gast.Call, target: call_targets.Target) -> None:
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
        if all(map(k.is_discrete, kinds)) or call_targets.refused_by_name(target.object):
            return
        raise missing_rule(name, ", ".join(f"x{j}" for j in range(len(target.args))) if len(target.args) > 1 else "x",
                           origin, target)
    remedy = None if target.object is None else primitive_of(target.object).remedy
    if remedy is not None:
        raise UnsupportedError(f"`{name}`", origin, remedy)
    raise UnsupportedError(f"`{name}(...)`, which changes what it is given and has no Python source", origin,
                           "Draw a permutation: i = rng.permutation(i)." if name.endswith("shuffle") else
                           "Write the change as a statement, or make a new array or list.")


def twice_in_copy(heap: PointsTo, value: Any, name: str, state: State) -> dict[tuple[Loc, Loc], bool]:
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


def leave(loc: Loc, name: str) -> Loc:
    """Outside the loop over `name`, an item that it has taken is any one."""
    each = each_step(name)
    return Loc(loc.root, tuple(SOME if item == each else item for item in loc.path), loc.exact) if each in loc.path else loc


def with_before_stop(body: list, new: list) -> list:
    """Statements at the end of a loop body, before the break that may stand there."""
    return [*body[:-1], *new, body[-1]] if body and is_stop(body[-1]) else [*body, *new]


def define_passed(unit: Unit, passed: set[str]) -> None:
    """Names whose values are searched for objects that change may not have any, on some path."""
    for name in sorted(Liveness().block(unit.tree.body, frozenset()) & passed - set(unit.parameters)):
        unit.tree.body.insert(0, t.assign(name, t.const(None), t.origin_of(unit.tree.body[0])))
        unit.unset.add(name)


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
    memory = Memory(PointsTo(unit, facts, effects, [name for name in outputs if name != "return"], top, lenient))
    found, ends = memory.run()
    tree = unit.tree
    last = tree.body[-1]
    origin = t.origin_of(last)
    if outputs:
        parts = [last.value if name == "return" else ends.get(name, t.load(name)) for name in outputs]
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
    _drop_unread(tree, set(memory.out.kept.values()))
    if top:
        tree.body[:0] = _own(unit, facts, found, memory.reshapes.dense)
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
