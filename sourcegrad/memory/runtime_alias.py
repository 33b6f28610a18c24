"""Run-time alias resolution: changes of objects, and questions whether two names are one array, when the code runs.

Changes of an object of which it is not known beforehand where else it is held.

    for edge in edges:                       # which of the nodes an edge holds, the data tell
        edge.start.force += 1.0

The new object is put wherever the old one is found when the code runs (`places_of`, `put_all`), in all values that may hold
it and that somebody still looks at. Objects that are one keep being one, so this may be done again and again.
"""
from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.locations import ELSEWHERE, Loc, Step, Tags, kind_at, overlap, tags_of
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import PROPERTIES
from sourcegrad.ir.unit import Function
from sourcegrad.memory.emission import Emitter
from sourcegrad.memory.heap import Effects, Locs, State, When, same_objects
from sourcegrad.memory.points_to import PointsTo, apart, can_be_at, kind_there, tags_at
from sourcegrad.memory.write_through import Changes
from sourcegrad.primitives.core import primitive_of


@dataclass
class Held:
    """What may hold an object: places, and the names whose values they are in."""

    places: set[Loc]
    names: list[str]
    roots: set[str]


def owner_of(heap: PointsTo, locs: Locs) -> tuple[Loc, tuple[Step, ...]] | None:
    """The place of the object that holds an array, of which a name may be a view, and the way to what the name is."""
    loc = next(iter(locs)) if len(locs) == 1 else ELSEWHERE
    for depth in range(len(loc.path) + 1 if loc.exact else 0):
        if isinstance(kind_there(Loc(loc.root, loc.path[:depth]), heap.facts), k.Num):
            return (Loc(loc.root, loc.path[:depth - 1]), loc.path[depth - 1:]) if depth else None
    return None


def holders_of(heap: PointsTo, s: Any, name: str, locs: Iterable[Loc], state: State, tags: Tags) -> Held:
    """Everything that may hold an object that lives at one of some places."""
    after = heap.after(s)
    places = same_objects(locs, state)
    while True:                                          # a name may be one of several: what is true of one may be of all
        more = {x for n, found in state.locs.items() if n not in heap.ghosts and len(found) > 1 and any(
            overlap(x, z) for x in found for z in places) for x in found} - places
        if not more:
            break
        places = same_objects(places | more, state)
    places = {x for x in places if can_be_at(x, tags, heap.facts)}
    names = set()
    for root in {x.root for x in places}:
        here = [x for x in places if x.root == root]
        looked = root in after or any(n in after and n not in heap.ghosts and any(x.root == root for x in found)
                                      for n, found in state.locs.items())
        given = not heap.top and any(overlap(x, y) for ghost in heap.ghosts for x in state.locs.get(ghost, ()) for y in here)
        seen = any(x.root == root for ghost in heap.seen for x in state.locs.get(ghost, ()))
        if (looked or given or seen) and root in heap.facts.local and heap.sees(root, tags):
            names.add(root)
    for n, found in state.locs.items():                  # a name that may be one of several has a value of its own
        several = len(found) != 1 or not next(iter(found)).exact
        if several and n not in heap.ghosts and n in after and heap.sees(n, tags) and any(
                overlap(x, y) for x in found for y in places):
            names.add(n)
    return Held(places, sorted(names), {x.root for x in places} | names)


def survive(heap: PointsTo, held: Held, state: State) -> None:
    """What lay in parameters may lie somewhere else now."""
    heap.survivors.update(n for place in held.places for n, _ in heap.given_places(place, state))


class Identity:
    """Changes that are put at all places that hold an object, by its identity."""

    def __init__(self, changes: Changes) -> None:
        self.heap, self.out, self.changes = changes.heap, changes.out, changes
        self.renewing = ""                               # the name by which what changes is known in the statement at hand

    def write(self, s: Any, base: gast.Name, taken: tuple[Step, ...], value: Any, state: State,
              rebinding: bool = False) -> tuple[list, State]:
        try:
            return self.changes.write(s, base, taken, value, state, rebinding)
        except UnsupportedError as problem:
            return self.write_everywhere(s, base, taken, value, state, taken[-1] if rebinding else None, problem)

    def write_everywhere(self, s: Any, base: gast.Name, taken: tuple[Step, ...], value: Any, state: State,
                         slot: Step | None, problem: UnsupportedError) -> tuple[list, State]:
        """An object changes, wherever it is held. slot: the part of it that is another object now (None: a part changes)."""
        if not problem.shared:
            raise problem
        self.changes.held, self.renewing = False, base.id            # a number is not found in other places
        state = state.copy()
        locs = self.heap.locs_of(base, state)
        kind = self.heap.kind(base)
        if ELSEWHERE in locs or base.id not in self.heap.facts.local and not locs:
            raise problem
        owner = None
        if isinstance(kind, k.Num):                          # arrays are not told apart by identity: the object that holds it
            owner = owner_of(self.heap, locs)
            if owner is None:
                raise problem
        if owner is not None or slot is None and any(isinstance(kind_at(kind, taken[:j], self.heap.facts.of), k.Num)
                                                     for j in range(len(taken) + 1)):
            self.heap.seek(state, problem)
        tags = tags_of(kind) if slot is not None else None if kind is k.ANY or owner is None else frozenset(["array"])
        held = holders_of(self.heap, s, base.id, locs if owner is None else [owner[0], *locs], state,
                          tags if slot is not None else None)
        if held.roots & state.split:                         # what is one object there is not found by its identity here
            raise problem
        now, before = self.out.refreshed(base, state)
        if slot is not None:
            before += self.let_go(s, held, slot, tags, state, problem)
        new: list = []
        if self.out.emitting:
            reads, new = self.put_everywhere(now, owner, taken, value, locs, held, slot is None)
            before += reads
        self.is_changed(held, state, tags, slot is not None)
        if slot is not None:
            survive(self.heap, held, state)
        return [*before, *new], state

    def put_everywhere(self, now: Any, owner: tuple[Loc, tuple[Step, ...]] | None, taken: tuple[Step, ...], value: Any,
                       locs: Locs, held: Held, inside: bool) -> tuple[list, list]:
        """Emit the reading of the object to change, and the change of it, put wherever the object is held.

        owner: the object that is changed instead of an array in it. inside: whether only a part of the object changes."""
        reads: list = []
        new: list = []
        if owner is not None:
            name, steps = self.out.temporary("owner", k.ANY), (*owner[1], *taken)
            reads = self.out.read(owner[0], name)
            now = t.load(name)
            self.heap.facts.kinds[name] = kind_there(owner[0], self.heap.facts) or k.ANY
        else:
            steps = taken
        old = self.out.temporary("old", self.heap.kind(now))
        changed = self.out.temporary("changed", self.heap.kind(now))
        place = next(iter(locs)) if len(locs) == 1 else ELSEWHERE
        own = place.exact and not place.path and place.root in held.names
        what = k.as_num(self.heap.kind(now))
        number = not steps and not (isinstance(what, k.Num) and what.boxed is True)                 # perhaps
        kept = t.call(self.heap.unit.use(runtime.changeable, "changeable"), t.clone(now)) if number and not own else t.clone(now)
        new.append(t.assign(old, kept, self.heap.origin))
        part = None
        if inside and steps:
            path = owner[1] if owner is not None else taken
            part = self.out.temporary("part", k.ANY)
            new += self.out.read(Loc(old, tuple(path)), part)
            self.heap.facts.kinds[part] = self.heap.facts.of(new[-1].value) or k.ANY
        if steps:
            new.append(t.assign(changed, t.load(old), self.heap.origin))
            new.append(self.out.put(Loc(changed, tuple(steps)), value))
        else:
            new.append(t.assign(changed, t.clone(value), self.heap.origin))
        new += self.replaced(held.names, old, changed, part)
        if number and own:                               # a number is not found anywhere: its name gets another one
            new.append(t.assign(place.root, t.load(changed), self.heap.origin))
        return reads, new

    def let_go(self, s: Any, held: Held, slot: Step, tags: Tags, state: State, problem: UnsupportedError) -> list:
        """What lies in an object of some sorts may be another object from here on: names of what lay there keep it."""
        after = self.heap.after(s)

        def moved(loc: Loc) -> bool:
            return loc.root in held.roots and any(
                not apart(tags, tags_at(Loc(loc.root, loc.path[:j]), self.heap.facts)) and overlap(
                    Loc(loc.root, (loc.path[j],)), Loc(loc.root, (slot,))) for j in range(len(loc.path)))

        if any(loc.path and moved(loc) for ghost in self.heap.ghosts for loc in state.locs.get(ghost, ())):
            raise problem
        before: list = []
        for name, locs in list(state.locs.items()):
            if name not in self.heap.ghosts and any(map(moved, locs)):
                if name in after:
                    before += self.out.settled(state, [name])
                state.locs[name] = frozenset(x.somewhere() for x in locs) | {Loc(name)}
                if name in after and name not in held.names:
                    held.names = sorted([*held.names, name])
        for pair in [pair for pair in state.links if any(map(moved, pair))]:
            state.links[pair] = False
        state.replaced = frozenset(x for x in state.replaced if not moved(x))
        return before

    def replaced(self, names: list[str], old: str, new: str, part: str | None) -> list:
        """Statements that put a new object wherever the values of names hold an old one. part: what changes in it itself."""
        if not names:
            return []
        result: list = []
        holder = names[0]
        if len(names) > 1:
            holder = self.out.temporary("holders", k.ANY)
            result.append(t.assign(holder, t.pack([t.load(n) for n in names]), self.heap.origin))
        places = self.out.temporary("places", k.ANY)
        given = [t.load(n) for n in (holder, old, new, *([part] if part is not None else []))]
        result.append(t.assign(places, t.call(self.heap.unit.use(runtime.places_of, "places_of"), *given), self.heap.origin))
        put = t.call(self.heap.unit.use(runtime.put_all, "put_all"), t.load(holder), t.load(places), t.load(old), t.load(new))
        if len(names) == 1:
            return [*result, t.assign(holder, put, self.heap.origin)]
        changed = self.out.temporary("holders", k.ANY)
        return [*result, t.assign(changed, put, self.heap.origin), t.unpack(names, t.load(changed), self.heap.origin)]

    def is_changed(self, held: Held, state: State, tags: Tags, rebinding: bool) -> None:
        """The values of names have changed somewhere: what lives in them is read again."""
        own = set(held.names)
        self.heap.passed |= own
        for place in held.places:
            self.heap.note(place.somewhere(), state, rebinding, tags)
        for name, locs in state.locs.items():
            if name not in self.heap.ghosts and name not in own and any(overlap(x, y) for x in locs for y in held.places):
                self.changes.held |= name in self.heap.after(self.heap.at) and name != self.renewing
                state.stale |= {name}
        self.heap.written |= own


# --- Questions whether two names are one array: `p is a`, `np.shares_memory(p, a)`.
#
# Where arrays change, generated code may hold a copy under one of the names. What the analysis knows is written in the place of
# the question; what it cannot know is refused. (Arrays that never change keep their identity: there the question stays.)

MOST = 4                                                # ways in which two names may be one array
ADDRESSES = ("base", "ctypes", "data", "__array_interface__")
ADVICE = "Decide by something else: `is`, a number or flag that is kept beside it; or work on copies."


class Questions:
    """Answers for the pass."""

    def __init__(self, out: Emitter) -> None:
        self.heap, self.out = out.heap, out
        self.truths: dict[str, bool] = {}                # questions that have been answered, by name

    def answered(self, node: Any, state: State) -> Any:
        """A value or test with the answer in the place of such a question."""
        if isinstance(node, gast.BoolOp):
            node.values = [self.answered(x, state) for x in node.values]
        if isinstance(node, gast.UnaryOp):
            node.operand = self.answered(node.operand, state)
        asked = self.asked(node)
        if asked is None:
            for part in t.walk(node):
                self.check_address(part, state)
            return node
        one, other = asked
        self.heap.is_compared(asked, state)
        found = self.answer(one, other, isinstance(node, gast.Call), state)
        if found is None or not self.out.emitting:
            return node
        negated = isinstance(node, gast.Compare) and isinstance(node.ops[0], gast.IsNot)
        if isinstance(found, list):
            answer: Any = _joined(gast.Or(), [_joined(gast.And(), [t.load(name) for name in way]) for way in found])
            answer = gast.UnaryOp(op=gast.Not(), operand=answer) if negated else answer
        else:
            answer = t.const(found != negated)
        return gast.copy_location(answer, node)

    def truth_of(self, test: Any) -> bool | None:
        """The answer of a test that is such a question, if that is always the same."""
        if isinstance(test, gast.Constant) and isinstance(test.value, bool):
            return test.value
        return self.truths.get(test.id) if isinstance(test, gast.Name) else None

    @functools.cached_property
    def bound_once(self) -> set[str]:
        """Names that one statement only gives a value."""
        times = Counter(n for s in t.statements(self.heap.unit.tree.body) for n in t.writes(s))
        return {n for n, count in times.items() if count == 1 and n not in self.heap.unit.parameters}

    def check_address(self, node: Any, state: State) -> None:
        """`id(p)` and `p.base` ask where an array lies: in generated code it may lie somewhere else."""
        owner = None
        if isinstance(node, gast.Attribute) and node.attr in ADDRESSES and isinstance(self.heap.kind(node.value), k.Num):
            owner = node.value
        elif isinstance(node, gast.Call) and any(t.is_name(node.func, name) for name in ("id", "hash")) and len(node.args) == 1:
            owner = node.args[0]
        if not isinstance(owner, gast.Name) or owner.id not in self.heap.facts.local or not self.heap.mutable(owner.id):
            return
        roots = {owner.id} | {loc.root for loc in same_objects(self.heap.locs_of(owner, state), state)}
        handed_out = isinstance(node, gast.Attribute) and node.attr in ("ctypes", "data")        # to code that may write there
        if self.out.emitting and not self.heap.lenient and (handed_out or roots & self.heap.written):
            raise UnsupportedError(f"where '{self.heap.spelling.of(owner.id)}' lies in memory, while something "
                                   f"{'may change' if handed_out else 'changes'} in place",
                                   source.locate(node, self.heap.origin), ADVICE)

    def asked(self, node: Any) -> tuple[str, str] | None:
        """The two names of a question."""
        parts: list = []
        if isinstance(node, gast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (gast.Is, gast.IsNot)):
            parts = [node.left, *node.comparators]
        elif isinstance(node, gast.Call) and primitive_of(self.heap.unit.lookup(node.func)).asks_memory:
            parts = node.args[:2]
        if len(parts) != 2 or not all(t.is_name(x) and x.id in self.heap.facts.local and self.perhaps_array(x) for x in parts):
            return None
        return parts[0].id, parts[1].id

    def perhaps_array(self, node: Any) -> bool:
        kind = self.heap.kind(node)
        return kind is k.ANY or isinstance(kind, k.Num) and kind.boxed is not False

    def check_compared(self, effects: Effects, bound: dict[str, Any], state: State) -> None:
        """A callee asks which of its arguments are one array."""
        names = [n for parameter in sorted(effects.compared & set(bound)) for n in t.reads(bound[parameter])
                 if n in self.heap.facts.local and self.heap.mutable(n)]
        for one, other in itertools.combinations(dict.fromkeys(names), 2):
            if self.answer(one, other, True, state) is not None:
                self.refuse_question(one, other)

    def check_cached(self, function: Function, effects: Effects, bound: dict[str, Any], state: State) -> None:
        """What functools.cached_property keeps is found again each time it is read: the object must stay as it is."""
        if function.object in PROPERTIES and effects.changed:
            raise UnsupportedError(f"the cached property '{function.name}', which changes its object", self.heap.origin,
                                   "Let it return a value only.")
        read = {(function.parameters[0], ())} if function.object in PROPERTIES else effects.cached
        for parameter, path in sorted(read, key=repr):
            for name in t.reads(bound[parameter]) if parameter in bound else ():
                locs = {loc.then(*path) if not any(x.names for x in path) else loc.somewhere()
                        for loc in self.heap.locs_of(t.load(name), state)}
                self.heap.cached.update(place for loc in locs for place in self.heap.given_places(loc, state))
                places = same_objects(locs, state) | ({Loc(name)} if not path else set())
                if self.out.emitting and not self.heap.lenient and any(overlap(x, y) for x in places for y in self.heap.touched):
                    raise UnsupportedError(f"a cached property of '{self.heap.spelling.of(name)}', which changes in this function",
                                           self.heap.origin, "Make it a property, or keep its value in a variable.")

    def refuse_question(self, one: str, other: str) -> None:
        if not self.heap.lenient:
            raise UnsupportedError(f"whether '{self.heap.spelling.of(one)}' and '{self.heap.spelling.of(other)}' are one array, "
                                   "where arrays change in place", self.heap.origin, ADVICE)

    def answer(self, one: str, other: str, sharing: bool, state: State) -> bool | list[list[str]] | None:
        """What is known: whether two names are one array, or the ways in which they are. None: the generated code knows."""
        places = [self.heap.locs_of(t.load(name), state) for name in (one, other)]
        if one == other or not all(places):
            return None
        related = [same_objects(locs, state) for locs in places]
        roots = {loc.root for found in related for loc in found} | {one, other}
        if not roots & self.heap.written:
            return None
        here, there = (next(iter(locs)) if len(locs) == 1 else ELSEWHERE for locs in places)
        if here.exact and there.exact:
            if here == there and (sharing or not here.path):
                return True
            if not sharing and here.root == there.root and here.path != there.path and self.of_array(here.root) and not any(
                    map(perhaps_itself, (here, there))):
                return False                                 # an array and a view of it, or two views
            if not any(overlap(x, there) for x in related[0]):
                return None
            ways = self.ways_between(here, there, sharing, state)
            if ways is not None:
                return ways if all(ways) else True
        elif not any(overlap(x, y) for x in related[0] for y in related[1]):
            return None
        if self.out.emitting:
            self.refuse_question(one, other)
        return None

    def ways_between(self, here: Loc, there: Loc, sharing: bool, state: State) -> list[list[str]] | None:
        """The conditions, as ways each of which is enough, under which two whole arrays are one; None: it cannot be told.

        A view of an array is another object: for `is` it does not count."""
        if here.path or there.path or not all(map(self.of_array, (here.root, there.root))):
            return None
        edges: dict[str, list[tuple[str, Any]]] = {}
        for (one, other), sure in state.links.items():
            whole = not one.path and not other.path and one.exact and other.exact
            other_object = all(self.of_array(x.root) for x in (one, other)) and not any(map(perhaps_itself, (one, other)))
            if whole or sharing or not other_object:
                for x, y in ((one, other), (other, one)):
                    edges.setdefault(x.root, []).append((y.root, sure if whole else False))
        found: list[list[str]] = []
        work: list[tuple[str, list[str], list]] = [(here.root, [here.root], [])]
        while work:
            root, taken, conditions = work.pop()
            if root == there.root:
                if False in conditions or len(found) == MOST:
                    return None
                found.append(list(dict.fromkeys(x.condition for x in conditions if isinstance(x, When))))
                continue
            work += [(other, [*taken, other], [*conditions, sure]) for other, sure in edges.get(root, ()) if other not in taken]
        return found or None

    def of_array(self, root: str) -> bool:
        return isinstance(k.as_num(self.heap.facts.kinds.get(root, k.ANY)), k.Num)


def perhaps_itself(place: Loc) -> bool:
    """Whether a view may be the array itself: NumPy gives that back where there is nothing to do."""
    return any(item.sort == "view" and (".squeeze(" in item.text or item.text.endswith(".real")) for item in place.path)


def _joined(operator: Any, values: list) -> Any:
    return values[0] if len(values) == 1 else gast.BoolOp(op=operator, values=values)
