"""Points-to analysis: the locations of values, of their parts, and of what containers hold."""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Set as AbstractSet
from typing import Any, NoReturn

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.alias import may_share
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.locations import (
    ELSEWHERE,
    VIEW_ATTRIBUTES,
    Loc,
    Step,
    Tags,
    attribute_step,
    basic,
    index_step,
    kind_at,
    overlap,
    picks,
    reached,
    same_array,
    tags_of,
    view_call,
)
from sourcegrad.analysis.objects import DIRECT, class_of, of_the_class
from sourcegrad.analysis.purity import STREAM
from sourcegrad.analysis.python_types import of_shape
from sourcegrad.analysis.result_types import is_slice
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError, changing_outside
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.memory.heap import (
    FRESH,
    LOOKS,
    NEW_OBJECT,
    OUTSIDE,
    SLOT,
    SOME,
    Did,
    Locs,
    Spelling,
    State,
    When,
    bound_to,
    copy_first,
    is_stream,
    lies_in,
    mutable,
    named_stream,
    repeats,
    same_objects,
    surely_in,
)
from sourcegrad.memory.sharing import inner_shares, may_hold, narrowed
from sourcegrad.primitives.containers import NEW
from sourcegrad.primitives.core import primitive_of


def numeric(kind: Any) -> bool:
    """Whether a kind is an array, or a list or tuple of numbers and arrays."""
    items = kind.items if isinstance(kind, k.Tup) else (kind.item,) if isinstance(kind, k.Lst) else (kind,)
    return all(isinstance(k.as_num(item), k.Num) for item in items if item is not None)


def member_step(kind: Any, name: str) -> Step:
    """The step to an attribute: the field of a namedtuple is one of its items."""
    if isinstance(kind, k.Named) and name in kind.cls._fields:                               # type: ignore[attr-defined]
        return index_step(t.const(kind.cls._fields.index(name)))                              # type: ignore[attr-defined]
    return attribute_step(name)


class PointsTo:
    """Where values live, which of them may be one object, and what the function has done to memory so far. It emits nothing.

    `effects(function, kinds)` tells what a callee changes. seen: parameters whose storage somebody looks at after the
    return. The ghost of a parameter, "x as given", is where the object lives that the caller passed."""

    def __init__(self, unit: Unit, facts: Infer, effects: Callable, seen: Iterable[str], top: bool, lenient: bool) -> None:
        self.unit, self.facts = unit, facts
        self.effects = effects
        self.ghosts = {f"{name} as given": name for name in unit.parameters}
        self.seen = {ghost for ghost, name in self.ghosts.items() if name in seen}
        self.liveness = Liveness()
        self.top = top                                  # arguments are the caller's, who keeps copies of what changes
        self.lenient = lenient                          # what cannot be known is not refused: only the kinds are wanted
        self.origin: Any = None
        self.at: Any = None                             # the statement at hand
        self.around: list[list[str]] = []               # what the loops around it go over
        self.remembered: dict[tuple, tuple] = {}        # what shares memory inside arguments: see `inside_of`
        self.compared: set[str] = set()                 # parameters of which it is asked whether they are one array
        self.seeks = self.seeks_itself = False          # whether arrays are looked for by their memory, here or in a callee
        self.dynamic = False                            # whether objects are given to what is only known at run time
        self.cached: set[tuple] = set()                 # (parameter, path) of objects of which cached properties are read
        self.views: set[str] = set()                    # names of views of dicts: they show what the dict holds later, too
        self.touched: set[Loc] = set()                  # places that change
        self.written: set[str] = set()                  # roots that change
        self.passed: set[str] = set()                   # names whose values are searched for objects that change
        self.drawn: set[str] = set()                    # parameters with random generators that are drawn from
        self.reaches: set[str] = set()                  # what calls reach besides memory
        self.changed: list[str] = []                    # parameters whose storage changes
        self.changes: set[tuple] = set()                # (parameter, path, another object put there?, path complete?, sorts)
        self.outlived: dict[str, set[str]] = {}         # names of what has been in parameters, where something else is now
        self.survivors: set[str] = set()                # parameters whose old parts may have been put somewhere else
        self.lazy: set[str] = set()                     # what generators give: they look at their arguments later
        self.iterators: dict[int, bool] = {}            # statements that read one to a list: is it perhaps left early?
        self.did: dict[int, Did] | None = None          # what each statement does, where that is asked for,
        self.ever: dict[tuple[Loc, Loc], bool] = {}     # and what may be one object anywhere

    def kind(self, node: Any) -> k.Kind:
        return k.as_num(self.facts.of(node) or k.ANY)

    def mutable(self, name: str) -> bool:
        """Whether the value of a name is an object that can change."""
        return mutable(self.facts.kinds.get(name, k.ANY))

    @functools.cached_property
    def spelling(self) -> Spelling:
        return Spelling(self.unit)

    def written_as(self, place: Loc, others: Iterable[Loc]) -> str:
        """The name of what lies at a place, as the user has written it: perhaps that of another place of the same object."""
        own = self.spelling.own
        return min((x.root for x in others if x.root in own and place.root not in own), default=place.root)

    def after(self, s: Any) -> AbstractSet[str]:
        """Names whose values are needed after a statement."""
        renewed = set(t.writes(s)).difference(t.reads(s)) if isinstance(s, gast.Assign) else set()
        after = self.liveness.after[id(s)]
        same = {x.id for x in self.changed_by(s) if renewed & after}          # q_2 = imul(q, v): q_2 is what q is
        return after - renewed | same | self.seen

    def changed_by(self, s: Any) -> list[gast.Name]:
        """The name whose object a statement changes in place, and gives another name."""
        value = getattr(s, "value", None)
        if not isinstance(s, gast.Assign) or not isinstance(value, gast.Call) or not value.args or not t.is_name(value.args[0]):
            return []
        function = self.unit.lookup(value.func)
        return [value.args[0]] if hashable(function) and function in INPLACE_OF else []

    def sharers(self, name: str, state: State) -> set[str]:
        found = {x.root for pair in state.links if name in (pair[0].root, pair[1].root) for x in pair}
        return found | {n for n, locs in state.locs.items() if any(loc.root in found for loc in locs)}

    def reach(self, found: AbstractSet[str]) -> None:
        """Remember what a call reaches besides memory."""
        self.reaches |= found
        self.doing.reaches.update(found)

    @property
    def doing(self) -> Did:
        """What the statement at hand does."""
        return Did() if self.did is None else self.did.setdefault(id(self.at), Did())

    def draws(self, node: Any, state: State) -> None:
        """Remember the parameters that hold a random generator from which a call draws."""
        named = named_stream(self.unit, node)
        if named is not None:
            self.reach({named})
            return
        for loc in self.locs_of(node, state):
            self.doing.drawn.add(loc)
            taken = any(isinstance(value, (gast.Attribute, gast.Subscript)) and not set(t.reads(value)) & self.facts.local
                        for value in bound_to(t.load(loc.root), self.unit))        # module.streams[0]
            given = {n for ghost, n in self.ghosts.items() if any(
                x.root == loc.root for x in state.locs.get(ghost, frozenset([Loc(n)])))}
            held = not given and not is_stream(self.facts.of(node))                # by an object that is made here
            if loc.root == ELSEWHERE.root or taken or held:
                self.drawn.add(OUTSIDE)
                self.reach({STREAM})
            self.drawn |= given

    def is_compared(self, names: Iterable[str], state: State) -> None:
        """Remember the parameters of which it is asked whether they are one array. names: in the question."""
        self.compared.update(n for name in names for loc in self.locs_of(t.load(name), state) for n in self.given(loc, state))

    def aliases(self, name: str, state: State) -> set[Loc]:
        return {x for loc in self.locs_of(t.load(name), state) for x in same_objects([loc], state)}

    def value_locs(self, node: Any, state: State) -> Locs:
        if not isinstance(node, gast.Name) or not self.mutable(node.id):
            return frozenset()
        found = state.locs.get(node.id, frozenset([ELSEWHERE] if node.id not in self.facts.local else []))
        if len(found) == 1 and all(loc.exact and self.given(loc, state) for loc in found):
            return found                                 # what it holds the caller knows from the links
        inside, work = set(found), list(found)
        while work:                                      # what was made here may be held by what was made here
            root = work.pop().root
            for pair in state.links:
                for one, other in (pair, pair[::-1]):
                    if one.root == root and other.somewhere() not in inside:
                        inside.add(other.somewhere())
                        work += [] if self.given(other, state) else [other]
        return frozenset(inside)

    def as_results(self, loc: Loc, state: State) -> Locs:
        """A place at the end as the caller may know it: inside parameters, new, or elsewhere."""
        if loc == ELSEWHERE:
            return frozenset([loc])
        given = set(self.unit.parameters) - {n for s in t.statements(self.unit.tree.body) for n in t.writes(s)}
        found, certain = set(), False
        for ghost, name in self.ghosts.items():
            places = state.locs.get(ghost, frozenset())
            for place in places:
                if not overlap(place, loc):
                    continue
                inside = len(places) == 1 and surely_in(Loc(loc.root, loc.path), place)
                path = loc.path[len(place.path):] if inside else ()
                known = next((j for j, item in enumerate(path) if not item.names <= given), len(path))
                found.add(Loc(name, path[:known], inside and loc.exact and known == len(path), loc.of))
                certain |= inside
        return frozenset(found) if certain else frozenset(found) | {NEW_OBJECT}

    def sorts_at(self, place: Loc) -> Tags:
        """The sorts of objects that lie at a place, or inside what lies there."""
        kind = kind_there(place, self.facts)
        return narrowed(place.of, None if kind is None else reached(kind))

    def given(self, loc: Loc, state: State) -> list[str]:
        """Parameters in which a place may lie."""
        return [name for ghost, name in self.ghosts.items() if any(overlap(x, loc) for x in state.locs.get(ghost, ()))]

    def is_new(self, place: Loc, state: State) -> bool:
        """Whether what lies at a place is certainly not what the caller has put there."""
        return place.exact and any(x.root == place.root and place.path[:len(x.path)] == x.path for x in state.replaced)

    def given_places(self, place: Loc, state: State) -> list[tuple[str, tuple]]:
        """A place as parameters and paths into them."""
        found = []
        for name in self.unit.parameters:
            ghost = f"{name} as given"
            mine = state.locs[ghost] if ghost in state.locs else frozenset([Loc(name)])
            found += [(name, place.path[len(loc.path):]) for loc in mine if overlap(loc, place)]
        return found

    def locs_of(self, node: Any, state: State) -> Locs:
        if not isinstance(node, gast.Name):
            return frozenset()
        if node.id in state.locs:
            return state.locs[node.id]
        if not self.mutable(node.id) and node.id in self.facts.local:
            return frozenset()
        return frozenset() if node.id in self.facts.local or node.id in self.unit.env else frozenset([ELSEWHERE])

    def parted(self, changed: Loc, state: State, after: AbstractSet[str]) -> bool:
        """Whether other parts of an array that changes are held elsewhere: they are not told, and lie in the array that was."""
        array = array_of(changed, self.facts)
        if array is None or array == changed:
            return False

        def is_other(loc: Loc) -> bool:
            return lies_in(loc, array) and not overlap(loc, changed)

        return any(n in after and any(map(is_other, locs)) for n, locs in state.locs.items()) or any(
            is_other(one) and not lies_in(other, array) for pair in state.links for one, other in (pair, pair[::-1]))

    def sees(self, name: str, tags: Tags) -> bool:
        """Whether an object of these sorts can be found in the value of a name."""
        found = reached(self.facts.kinds.get(name, k.ANY))
        return tags is None or found is None or bool(found & tags) or name in self.lazy

    def looked_at(self, loc: Loc, state: State, after: AbstractSet[str], tags: Tags, known: frozenset = frozenset(),
                  changed: str = "") -> bool:
        """Whether anybody still reads an object of these sorts that lies at a place: a live name, a container that
        holds the container, or the caller, who passed it. known: roots that need not be looked at; changed: the root that
        has changed, of which the caller is told."""
        seen, work = {loc}, [loc]
        while work:
            place = work.pop()
            if not self.top and place.root != changed and place.root not in known and any(
                    overlap(place, x) and self.sees(name, tags) for ghost, name in self.ghosts.items()
                    for x in state.locs.get(ghost, ())):
                return True
            if any(n in after and any(overlap(place, x) for x in found) and self.sees(n, tags)
                   for n, found in state.locs.items()) or (place.root in after and self.sees(place.root, tags)):
                return True
            holders = {one for pair in state.links for one, other in (pair, pair[::-1])
                       if other.root == place.root and one.root not in known}
            work += sorted(holders - seen, key=repr)
            seen |= holders
        return False

    def up_to_date(self, root: str, state: State, tags: Tags) -> frozenset:
        """The root of a place that has changed need not be looked at again, unless it holds one object at several places."""
        kind = self.facts.kinds.get(root)
        if isinstance(kind, k.Num) or not any(root in (a.root, b.root) for a, b in state.links):
            return frozenset([root])                         # (an array holds no objects)

        def relevant(there: Loc, known: Loc) -> bool:
            return may_hold(kind, known, tags, self.facts.of) and can_be_at(there, tags, self.facts)

        return frozenset() if inner_shares(Loc(root), Loc(root), state, self.sorts_at, relevant) else frozenset([root])

    def note(self, place: Loc, state: State, rebinding: bool, tags: Tags) -> None:
        """Remember what this function does to its parameters."""
        self.written.add(place.root)
        self.touched.add(place)
        slot = place.exact and place.path and (rebinding or place.path[-1] is SLOT)
        self.doing.changed.add((Loc(place.root, place.path[:-1]) if slot else place, tags))
        late = self.views | self.lazy                    # what they give depends on what is there by then
        for name in sorted(late & self.after(self.at)) if late else ():
            if any(overlap(loc, place) for loc in state.locs.get(name, ())):
                refuse_view(self, place.root, name)
        new = not rebinding and self.is_new(place, state)
        taken = [(name, ()) for name in sorted(self.outlived.get(place.root, ()))]       # out of a parameter, by a name
        for name, path in taken + self.given_places(place, state):
            if new and name not in self.survivors:
                continue
            if new or taken:                                 # what lies there may be one of the caller's, from anywhere
                path, rebinding = (), False
            if name not in self.changed:
                self.changed.append(name)
            known = next((j for j, item in enumerate(path) if item.names), len(path))
            self.changes.add((name, path[:known], rebinding, known == len(path), tags))

    def seek(self, state: State, problem: UnsupportedError) -> None:
        """Arrays are looked for by their memory from here on: what shares memory in the program must share it here."""
        if state.separated:
            raise problem
        self.seeks = self.seeks_itself = True


def watch(heap: PointsTo, s: Any, state: State) -> None:
    """Remember what a statement looks at, where that is asked for."""
    if heap.did is None:
        return
    header = next((x for x in (getattr(s, field, None) for field in ("iter", "test", "value")) if x is not None), None)
    heap.at = s
    heap.doing.looked.update(places_read(heap, header, state))
    heap.doing.reaches |= looks_outside(heap, [s])
    heap.ever.update({(Loc(n), loc): False for n in (*t.header_reads(s), *t.writes(s)) for loc in state.locs.get(n, ())
                      if loc.root not in (FRESH.root, ELSEWHERE.root)})
    heap.ever.update(dict.fromkeys(state.links, False))


def looks_outside(heap: PointsTo, block: list) -> set[str]:
    """LOOKS, if statements read a list, dict or object that is not the function's own."""
    read = {n for s in t.statements(block) for n in t.header_reads(s)} - heap.facts.local - set(heap.unit.env)
    kinds = [heap.facts.name(n) for n in read - set(heap.unit.parameters)]
    return {LOOKS for kind in kinds if mutable(kind) and not isinstance(kind, k.Num)}


def places_read(heap: PointsTo, node: Any, state: State) -> list[tuple[str, Loc]]:
    """The places that an expression looks at, and by which names."""
    if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name):
        return [(node.value.id, loc.then(attribute_step(node.attr))) for loc in heap.locs_of(node.value, state)]
    if isinstance(node, gast.Name):
        return [(node.id, loc) for loc in heap.locs_of(node, state)]
    parts = list(gast.iter_child_nodes(node)) if node is not None else []
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        parts[0] = node.func.value
    return [x for part in parts for x in places_read(heap, part, state)]


def locate(heap: PointsTo, value: Any, target: str, state: State) -> Locs:
    """Where the value of an expression lives, if it is an object that can change."""
    if not heap.mutable(target):
        return frozenset()
    fresh = frozenset([FRESH])
    if isinstance(value, gast.Name):
        return heap.locs_of(value, state) or fresh
    if isinstance(value, gast.Subscript):
        return locate_part(heap, value, state)
    if isinstance(value, gast.Attribute):
        base = heap.kind(value.value)
        if of_shape(value, base):
            return frozenset()
        if isinstance(base, k.Num) and value.attr in VIEW_ATTRIBUTES:
            if value.attr == "imag" and not base.is_complex:
                return fresh
            return frozenset(loc.then(attribute_step(value.attr, "view")) for loc in heap.locs_of(value.value, state)) or fresh
        return part_of_container(heap, value.value, member_step(base, value.attr), state) or frozenset([ELSEWHERE])
    if isinstance(value, gast.Call):
        return locate_call(heap, value, state)
    if isinstance(value, gast.BoolOp):
        return fresh | frozenset(loc.somewhere() for n in t.reads(value) for loc in heap.locs_of(t.load(n), state))
    return fresh


def locate_part(heap: PointsTo, value: gast.Subscript, state: State) -> Locs:
    fresh = frozenset([FRESH])
    base = heap.kind(value.value)
    if isinstance(base, k.Num):
        view = basic(value.slice, heap.facts.of) if base.boxed is not False else False
        if view is False:
            return fresh
        bases = heap.locs_of(value.value, state)
        if view is None:
            return fresh | frozenset(loc.somewhere() for loc in bases)
        return frozenset(loc.then(index_step(value.slice)) for loc in bases) or fresh
    if is_slice(value.slice, heap.facts.of):                     # of a list: a new list of the same objects
        unknown = heap.locs_of(value.value, state) if base is k.ANY else ()
        return fresh | frozenset(loc.somewhere() for loc in unknown)             # (of an array: a view)
    copied = picks(value.slice, heap.facts.of) if base is k.ANY else False
    if copied:
        return fresh
    parts = part_of_container(heap, value.value, index_step(value.slice), state) or fresh
    return parts if copied is False else fresh | frozenset(loc.somewhere() for loc in parts)


def locate_call(heap: PointsTo, value: gast.Call, state: State) -> Locs:
    fresh = frozenset([FRESH])
    call = call_targets.target_of(value, heap.unit, heap.facts.of)
    arguments = call.operands
    if call.object is None and isinstance(value.func, gast.Attribute):      # what x.get("w") of unknown x gives is in x
        arguments = [value.func.value, *arguments]
    if call.object is runtime.carried:               # it was given to the exception, somewhere
        return frozenset([ELSEWHERE])
    if call.object is runtime.as_class:
        return heap.locs_of(call.args[0], state) or fresh
    if call.args and hashable(call.object) and call.object is not None:
        taken = view_call(call.object, call.args, call.keywords, heap.facts.of)
        if taken is not None:
            return frozenset(loc.then(taken) for loc in heap.locs_of(call.args[0], state)) or fresh
    if primitive_of(call.object).itself is not None and call.args:
        same = same_array(call.object, call.args, call.keywords, heap.facts.of)
        bases = heap.locs_of(call.args[0], state)
        return bases or fresh if same else fresh | frozenset(x.somewhere() for x in bases if same is None)
    if call.known and not may_share(call.object, call):
        return fresh
    if call.object is sum and call.args and numeric(heap.facts.of(call.args[0])):       # what 0 + ... gives is new
        arguments = [*call.args[1:], *call.keywords.values()]
    if call.plain is not None or call.object in (runtime.make_object, copy.copy) or (
            call.object is np.array and len(call.args) < 3 and is_copied(heap, call)):
        return fresh
    if isinstance(call.object, Maker) or hashable(call.object) and call.object in (
            list, tuple, sorted, reversed, *NEW):
        return fresh
    if call.object is runtime.sequence:              # what is iterated over, or a list of it that nobody else has
        return heap.locs_of(call.args[0], state) or fresh
    shared = frozenset(loc.somewhere() for a in arguments for n in t.reads(a) for loc in heap.locs_of(t.load(n), state))
    return fresh | shared


def part_of_container(heap: PointsTo, base: Any, taken: Step, state: State) -> Locs:
    """Where a part of a container lives: with the object that was put there, if that is known."""
    found = set()
    for loc in heap.locs_of(base, state):
        place = loc.then(taken)
        others = {b if a == place else a for (a, b), sure in state.links.items() if place in (a, b) and sure}
        others = {o for o in others if o.exact and not (                     # (not those that have fallen behind)
            o.root in state.stale and not o.path and not isinstance(heap.facts.kinds.get(o.root), k.Num))}
        found.add(min(others, key=lambda o: (len(o.path), o.root, repr(o))) if others and place.exact else place)
    return frozenset(found)


def is_copied(heap: PointsTo, call: call_targets.Target) -> bool:
    """Whether np.array copies what it is given, whatever that is."""
    return "copy" not in call.keywords or heap.facts.of(call.keywords["copy"]) == k.Const(True)


def steps_of(where: Any, kind: k.Kind) -> tuple[tuple[Step, ...], Any]:
    """The steps of `np.s_[i]`, `at.x` and `at.flat[i]`, and the last index."""
    if isinstance(where, gast.Attribute):
        return (attribute_step(where.attr.removeprefix(DIRECT), "view" if isinstance(kind, k.Num) else "attribute"),), None
    if isinstance(where.value, gast.Attribute) and where.value.attr == "flat":
        return (attribute_step("flat", "view"), index_step(where.slice)), where.slice
    return (index_step(where.slice),), where.slice


def check_own(heap: PointsTo, place: Loc) -> None:
    """An array or container that stands in a class is not one of the function's own."""
    for position, item in enumerate(place.path if not heap.lenient else ()):
        if item.sort == "attribute" and isinstance(item.node, gast.Attribute):
            owner = kind_there(Loc(place.root, place.path[:position]), heap.facts)
            for cls in map(class_of, owner.items if isinstance(owner, k.OneOf) else (owner,)):
                if cls is not None and of_the_class(cls, item.node.attr):
                    raise UnsupportedError(
                        f"a change of '{cls.__name__}.{item.node.attr}', which all objects of the class share",
                        heap.origin, "Give every object its own in `__init__`.")


def refuse_outside(heap: PointsTo, name: str) -> None:
    raise changing_outside(UnsupportedError(f"a store into '{name}', which is not a local variable", heap.origin,
                                            "Pass the array as an argument and return the new one."))


def refuse_view(heap: PointsTo, root: str, name: str) -> None:
    """Something changes that a view of a dict, or a generator, reads later."""
    if name in heap.views and not heap.lenient:
        raise UnsupportedError(f"the dict '{heap.spelling.of(root)}' changes, and '{heap.spelling.of(name)}' shows what it holds "
                               "then", heap.origin, "Make a list of it: list(d.values()).")
    refuse_shared(heap, root, name)


def refuse_shared(heap: PointsTo, name: str, other: str | None) -> None:
    if heap.lenient:
        return
    if other is None:
        raise shared(held_outside(heap, name))
    kind, name = heap.facts.kinds.get(name), heap.spelling.of(name)
    other = heap.spelling.of(heap.ghosts.get(other, other))
    raise shared(UnsupportedError(f"'{name}' changes in place, and whether '{other}' changes with it cannot be known",
                                  heap.origin, copy_first(name, kind)))


def held_outside(heap: PointsTo, name: str) -> UnsupportedError:
    kind, name = heap.facts.kinds.get(name), heap.spelling.of(name)
    return UnsupportedError(f"'{name}' changes in place, and others may hold the same array", heap.origin, copy_first(name, kind))


def refuse_held_outside(heap: PointsTo, name: str) -> None:
    """Something changes that a global, a default or a closure holds: no search among the function's own places finds that."""
    if not heap.lenient:
        raise held_outside(heap, name)


def refuse_many(heap: PointsTo, root: str) -> NoReturn:
    name = heap.spelling.of(root)
    raise UnsupportedError(f"'{name}' changes in place, and too many names may be (part of) the same array", heap.origin,
                           copy_first(name))


def shared(problem: UnsupportedError) -> UnsupportedError:
    """A refusal that knowing more of the callees, or objects by their identity, may avoid. (No name where it is raised: it would
    hold the frame, and the frame it.)"""
    problem.shared = True
    return problem


def apart(one: Tags, other: Tags) -> bool:
    """Whether objects of some sorts are certainly not of the others."""
    return one is not None and other is not None and not one & other


def meanings(place: Loc, state: State) -> list[tuple[Loc, tuple[str, ...]]]:
    """A place, and what it is where a condition holds: its root may be (part of) another array."""
    found: list[tuple[Loc, tuple[str, ...]]] = [(place, ())]
    for pair, sure in state.links.items():
        for one, other in (pair, pair[::-1]):
            if isinstance(sure, When) and one == Loc(place.root):
                found.append((other.then(*place.path), (sure.condition,)))
    return found


def kind_there(place: Loc, facts: Infer) -> Any:
    """The kind of what lies at a place; None if that is not known."""
    return kind_at(facts.kinds.get(place.root), place.path, facts.of)


def whole_array(place: Loc, facts: Infer) -> bool:
    """Whether an array lies at a place, not a part of one: it stays one object, as `places_of` expects."""
    return isinstance(kind_there(place, facts), k.Num) and not (
        place.path and isinstance(kind_there(Loc(place.root, place.path[:-1]), facts), k.Num))


def array_of(place: Loc, facts: Infer) -> Loc | None:
    """The place of the array that a place is (in); None where that is not known, or nothing is in an array there."""
    for depth in range(len(place.path) + 1 if place.exact else 0):
        if isinstance(kind_there(above := Loc(place.root, place.path[:depth]), facts), k.Num):
            return above
    return None


def in_array(place: Loc, facts: Infer) -> bool:
    """Whether a place is a part of an array."""
    return array_of(place, facts) not in (None, place)


def alike(one: Loc, other: Loc, facts: Infer) -> bool:
    """Whether what is seen at two places may be one object (an inexact place is also seen as what it lies in)."""
    kinds = [kind_there(x, facts) for x in (one, other)]
    return None not in kinds and tags_of(kinds[0]) == tags_of(kinds[1])


def is_number(taken: Step, facts: Infer) -> bool:
    """Whether a step is an index with one whole number."""
    if taken.sort != "index":
        return False
    kind = k.as_num(facts.of(taken.node.slice) or k.ANY)
    return isinstance(kind, k.Num) and kind.dtype in ("pyint", "int64") and kind.boxed is False


def is_key(index: Any, facts: Infer) -> bool:
    """Whether an index is one number or one key of a dict."""
    kind = k.as_num(facts.of(index) or k.ANY)
    return k.is_text(kind) or (isinstance(kind, k.Num) and kind.is_scalar and kind.dtype in ("pyint", "int64"))


def surely_there(one: Loc, changed: Loc, facts: Infer) -> bool:
    """Whether a change that may reach a place does: it is not a change of another item, by an index that is not known."""
    apart = next((j for j, steps in enumerate(zip(one.path, changed.path)) if steps[0] != steps[1]), None)
    return apart is None or isinstance(kind_there(Loc(one.root, one.path[:apart]), facts), k.Num)


def tags_at(place: Loc, facts: Infer) -> Tags:
    """The sorts of what lies at a place."""
    kind = kind_there(place, facts) if place.exact else None
    return None if kind is None else tags_of(kind)


def can_be_at(place: Loc, tags: Tags, facts: Infer) -> bool:
    """Whether an object of these sorts can be found at a place, or inside what lies there."""
    if tags is not None and place.of is not None and not tags & place.of:
        return False
    kind = kind_there(place, facts)
    found = None if kind is None else reached(kind)
    return tags is None or found is None or bool(found & tags)


# --- A name gets a new list, dict or object: which of its places hold which objects.

def contents_of(heap: PointsTo, value: Any, name: str, state: State) -> list[tuple[Loc, Loc]]:
    """Which places of a new container hold which known objects."""
    found: list[tuple[Loc, Loc]] = []

    def put(place: Loc, item: Any) -> None:
        if isinstance(item, gast.Name) and mutable(heap.facts.of(item) or k.ANY):
            for loc in heap.locs_of(item, state):
                found.append((place, loc))

    here = Loc(name)
    if isinstance(value, (gast.Tuple, gast.List)):
        for position, item in enumerate(value.elts):
            put(here.then(index_step(t.const(position))), item)
    elif isinstance(value, gast.Dict):
        for key, item in zip(value.keys, value.values):
            put(here.then(index_step(t.clone(key))) if key is not None else here.somewhere(), item)
    elif isinstance(value, gast.Call):
        call = call_targets.target_of(value, heap.unit, heap.facts.of)
        if isinstance(call.object, Maker):
            for position, item in enumerate(value.args):
                put(here.then(index_step(t.const(position))), item)
        elif call.plain is not None or call.object is runtime.make_object:
            held = call.keywords if call.plain is None else call.plain.bind(call.args, call.keywords)
            for attr, item in held.items():
                put(here.then(member_step(heap.facts.kinds.get(name), attr)), item)
        elif call.object is copy.copy and isinstance(copied := heap.kind(call.args[0]), k.Obj):
            for attr, part in copied.items or ():
                taken = attribute_step(attr)
                found += [(here.then(taken), loc.then(taken)) for loc in heap.locs_of(call.args[0], state) if mutable(part)]
        elif heap.mutable(name) and not isinstance(heap.facts.kinds.get(name), k.Num) and (
                not call.known or may_share(call.object, call)) and call.function is None:
            for argument in call.operands:
                for n in t.reads(argument):
                    hold_items(heap, here, n, state, found)
            slot = here.then(SOME).somewhere()
            same = call.object in (list, tuple, sorted, reversed) and bool(call.args) and repeats(
                state, [heap.locs_of(call.args[0], state)])
            if found and (same or primitive_of(call.object).contents == "repeated"):
                found.append((slot, slot))
    elif isinstance(value, gast.Subscript) and not is_slice(value.slice, heap.facts.of) and heap.locs_of(value.value, state):
        pass                                          # an item itself: it has a place
    elif (isinstance(value, gast.Subscript) or isinstance(value, gast.BinOp) and isinstance(value.op, (
            gast.Add, gast.Mult, gast.BitOr))) and not isinstance(heap.facts.kinds.get(name, k.ANY), k.Num):
        operands = [value.value] if isinstance(value, gast.Subscript) else [value.left, value.right]
        names = [n for operand in operands for n in t.reads(operand)]
        slot = here.then(SOME).somewhere()
        for n in names if isinstance(value, gast.Subscript) or not of_numbers(heap, value) else ():
            if isinstance(value, gast.Subscript) or not isinstance(heap.kind(t.load(n)), k.Num):
                hold_items(heap, here, n, state, found, True)
        many = isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult)
        if found and (many or repeats(state, [heap.locs_of(t.load(n), state) for n in names])):
            found.append((slot, slot))
    return found


def of_numbers(heap: PointsTo, value: gast.BinOp) -> bool:
    """Whether an operator makes no container: there is none with a number (but `xs * 2`) or an array."""
    kinds = [heap.kind(x) for x in (value.left, value.right)]
    return any(isinstance(kind, k.Num) and (
        isinstance(value.op, gast.Add) or kind.dtype is not None and not kind.is_discrete) for kind in kinds)


def hold(heap: PointsTo, place: Loc, name: str, state: State, found: list) -> None:
    """A new container may hold the elements of an older one."""
    kind = heap.facts.kinds.get(name) or heap.facts.of(t.load(name)) or k.ANY                # (it may be a global, too)
    if isinstance(kind, k.Num) and kind.boxed is False or not mutable(kind):
        return
    if isinstance(kind, k.Lst) and kind.item is not None and not mutable(kind.item):
        return
    for loc in sorted(heap.locs_of(t.load(name), state), key=repr):
        found.append((place, loc.somewhere()))


def hold_items(heap: PointsTo, new: Loc, name: str, state: State, found: list, items: bool = False) -> None:
    """A new container holds items of an older one, or something else that a name holds. items: only the former."""
    items = items or isinstance(heap.facts.of(t.load(name)), (k.Lst, k.Tup, k.Dct, k.Map))
    inside: list = []
    hold(heap, new.somewhere(), name, state, inside)
    for _, loc in inside:
        found.append((Loc(new.root, (SOME,), False), Loc(loc.root, (*loc.path, SOME), False) if items else loc))
