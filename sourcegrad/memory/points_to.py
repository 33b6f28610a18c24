"""Points-to analysis: the locations of values, of their parts, and of what containers hold."""
from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable, Iterable, Set as AbstractSet, Sized
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets, result_types
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
    in_order,
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
from sourcegrad.analysis.python_types import of_shape
from sourcegrad.analysis.result_types import is_slice
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.memory.heap import (
    FRESH,
    NEW_OBJECT,
    OUTSIDE,
    Effects,
    Locs,
    Spelling,
    State,
    When,
    copy_first,
    lies_in,
    mutable,
    same_object,
    surely_in,
)
from sourcegrad.memory.sharing import narrowed
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


class Places:
    """`effects(function, kinds)` tells what a callee changes. seen: parameters whose storage somebody looks at after the
    return. The ghost of a parameter, "x as given", is where the object lives that the caller passed."""

    def __init__(self, unit: Unit, facts: Infer, effects: Callable, seen: Iterable[str]) -> None:
        self.unit, self.facts = unit, facts
        self.effects = effects
        self.ghosts = {f"{name} as given": name for name in unit.parameters}
        self.seen = {ghost for ghost, name in self.ghosts.items() if name in seen}
        self.liveness = Liveness()
        self.kept: dict[tuple[int, str], str] = {}
        self.conditions: set[str] = set()               # variables that tell whether two places hold one array
        self.stand_ins: list = []
        self.heads: dict[int, tuple] = {}                # loop -> (what it was reached with, what holds at its head, statements)
        self.ends_of_loops: dict[int, tuple] = {}        # loop -> (what it was reached with, what holds after it)
        self.around: list[list[str]] = []                # what the loops around go over
        self.remembered: dict[tuple, tuple] = {}         # what shares memory inside arguments: see `inside_of`
        self.emitting = False
        self.lenient = False                            # what cannot be known is not refused: only the kinds are wanted
        self.top = True                                 # arguments are the caller's, who keeps copies of what changes
        self.reshapes = Reshapes(self)
        self.reach = 0                                  # places that the change at hand has been followed to
        self.compared: set[str] = set()                 # parameters of which it is asked whether they are one array
        self.seeks = self.seeks_itself = False          # whether arrays are looked for by their memory, here or in a callee
        self.dynamic = False                            # whether objects are given to what is only known at run time
        self.cached: set[tuple] = set()                 # (parameter, path) of objects of which cached properties are read
        self.truths: dict[str, bool] = {}               # questions that have been answered, by name
        self.views: set[str] = set()                    # names of views of dicts: they show what the dict holds later, too
        self.touched: set[Loc] = set()                  # places that change
        self.written: set[str] = set()                  # roots that change
        self.passed: set[str] = set()                   # names whose values are searched for objects that change
        self.drawn: set[str] = set()                    # parameters with random generators that are drawn from
        self.changed: list[str] = []                    # parameters whose storage changes
        self.changes: set[tuple] = set()                # (parameter, path, another object put there?, path complete?, sorts)
        self.outlived: dict[str, set[str]] = {}         # names of what has been in parameters, where something else is now
        self.survivors: set[str] = set()                # parameters whose old parts may have been put somewhere else
        self.lazy: set[str] = set()                     # what generators give: they look at their arguments later
        self.origin: Any = None
        self.at: Any = None                             # the statement at hand
        self.held = False                               # whether others hold what the change at hand has changed
        self.renewing = ""                              # the name by which what changes is known in the statement at hand
        self.heir: str | None = None                    # the name that keeps what `bind` has taken from a name

    def noted(self) -> tuple:
        """How much the pass has noted of the whole function so far (sets that only grow): from one state, with as much noted, it
        goes the same way."""
        growing: tuple[Sized, ...] = (
            self.passed, self.views, self.touched, self.written, self.drawn, self.changed, self.changes, self.survivors,
            self.lazy, self.compared, self.cached, self.kept, self.conditions, self.truths, self.reshapes.suspects,
            self.reshapes.dense, *self.outlived.values())
        return *map(len, growing), self.reshapes.reshaped, self.seeks, self.seeks_itself, self.dynamic

    def kind(self, node: Any) -> k.Kind:
        return k.as_num(self.facts.of(node) or k.ANY)

    def mutable(self, name: str) -> bool:
        """Whether the value of a name is an object that can change."""
        return mutable(self.facts.kinds.get(name, k.ANY))

    @functools.cached_property
    def spelling(self) -> Spelling:
        return Spelling(self.unit)

    def spelled(self, name: str) -> str:
        return self.spelling.of(name)

    def written_as(self, place: Loc, others: Iterable[Loc]) -> str:
        """The name of what lies at a place, as the user has written it: perhaps that of another place of the same object."""
        own = self.spelling.own
        return min((x.root for x in others if x.root in own and place.root not in own), default=place.root)

    def temporary(self, base: str, kind: Any) -> str:
        if not self.emitting:
            return base
        name = self.unit.names.fresh(base)
        self.facts.kinds[name] = kind or k.ANY
        self.facts.local.add(name)
        return name

    def variable(self, key: tuple[int, str], base: str, kind: Any) -> str:
        """A variable of this pass, the same whenever it comes by. key: the id of a statement, and what it is for."""
        if key not in self.kept:
            name = self.kept[key] = self.unit.names.fresh(base)
            self.facts.kinds[name] = kind
            self.facts.local.add(name)
        return self.kept[key]

    def tested(self, test: gast.Call) -> gast.Assign:
        """A statement that runs a test."""
        return t.assign(self.temporary("unused", k.Const(None)), test, self.origin)

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

    def draws(self, node: Any, state: State) -> None:
        """Remember the parameters that hold a random generator from which a call draws."""
        for loc in self.locs_of(node, state):
            self.drawn |= {OUTSIDE} if loc.root == ELSEWHERE.root else set()
            self.drawn |= {n for ghost, n in self.ghosts.items() if any(
                x.root == loc.root for x in state.locs.get(ghost, frozenset([Loc(n)])))}

    def aliases(self, name: str, state: State) -> set[Loc]:
        return {x for loc in self.locs_of(t.load(name), state) for x in same_object(loc, state)}

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


class Reshapes:
    """Reshapes of arrays that change must be views: NumPy says so where they run, and what is a copy by then is an error."""

    def __init__(self, heap: Places) -> None:
        self.heap: Places = weakref.proxy(heap)         # (a cycle would be garbage that waits for the collector)
        self.suspects: set[Step] = set()                # reshapes that must give views
        self.dense: set[str] = set()                    # parameters of which they are views
        self.reshaped = False                           # whether a callee has such reshapes

    def view_check(self, name: str, value: Any, locs: Locs, state: State) -> list:
        """The result of a reshape that is written through, or looked at after a write: it must be a view where it runs."""
        if not isinstance(value, gast.Call) or not self.suspicious({loc.path[-1] for loc in locs if loc.path}):
            return []
        self.dense.update(n for loc in locs for n in self.heap.given(loc, state))
        base = value.func.value if isinstance(value.func, gast.Attribute) and self.heap.unit.lookup(
            value.func) is MISSING else value.args[0]
        [loc] = locs if len(locs) == 1 else [None]
        if loc is None or not loc.exact or loc.root not in state.locs:
            return self.same_memory(name, value, base)
        return self.place_check(name, loc, state)

    def result_check(self, name: str, locs: Locs, state: State) -> list:
        """The result of a callee that is written through, or looked at after a write: reshapes in it must be views.

        (What may live at several places does not change while others look at them.)"""
        [loc] = locs if len(locs) == 1 else [FRESH]
        if loc.exact and loc.root in state.locs and self.suspicious({item for item in loc.path if item.may_copy}):
            return self.place_check(name, loc, state)
        return []

    def suspicious(self, steps: set[Step]) -> bool:
        return self.heap.emitting and not steps.isdisjoint(self.suspects)

    def place_check(self, name: str, loc: Loc, state: State) -> list:
        """The test that what is read at a place is a view: from the array itself, as a copy may lie otherwise, and so may a root
        that is part of an array."""
        checks: list = []
        for whole, conditions in meanings(loc, state):
            self.dense.update(self.heap.given(whole, state))
            checks += only_where(self.heap, conditions, self.view_of(name, whole, loc.path))
        return checks

    def view_of(self, name: str, place: Loc, path: tuple[Step, ...]) -> list:
        """The test that what is read at a place is a view of what lies before the first reshape in the end of its path."""
        steps = next(j for j, item in enumerate(path) if item.may_copy) - len(path)
        return self.same_memory(name, place.read(), Loc(place.root, place.path[:steps]).read())

    def dense_checks(self, effects: Effects, bound: dict[str, Any], state: State) -> list:
        """Tests that arguments lie in one piece of which a callee takes reshapes that must be views."""
        checks = []
        self.reshaped |= bool(effects.dense)
        for parameter in sorted(effects.dense & set(bound)) if self.heap.emitting else ():
            for name in t.reads(bound[parameter]):
                for loc in sorted(self.heap.locs_of(t.load(name), state), key=repr):
                    self.dense.update(self.heap.given(loc, state))
                    if loc.exact and loc.path and not (
                            all(in_order(x, self.heap.facts.of) for x in loc.path) and self.rowwise(loc.root)):
                        test = t.call(self.heap.unit.use(runtime.check_dense, "check_dense"), loc.read())
                        checks.append(self.heap.tested(test))
        return checks

    def rowwise(self, root: str) -> bool:
        """Whether an array, and what it may be a part of, certainly lies row by row in memory."""
        return not any(result_types.unordered(self.heap.facts.kinds.get(array)) for array in (root, *self.heap.unit.parameters))

    def same_memory(self, name: str, value: Any, base: Any) -> list:
        """The test that a value that is like that of a name is a view."""
        view = self.heap.temporary("view", self.heap.facts.kinds.get(name))
        helper = self.heap.unit.use(runtime.same_memory, "same_memory")
        test = t.call(helper, t.load(view), t.clone(base))
        return [t.assign(view, t.clone(value), self.heap.origin), self.heap.tested(test)]


def locate(heap: Places, value: Any, target: str, state: State) -> Locs:
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


def locate_part(heap: Places, value: gast.Subscript, state: State) -> Locs:
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


def locate_call(heap: Places, value: gast.Call, state: State) -> Locs:
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


def part_of_container(heap: Places, base: Any, taken: Step, state: State) -> Locs:
    """Where a part of a container lives: with the object that was put there, if that is known."""
    found = set()
    for loc in heap.locs_of(base, state):
        place = loc.then(taken)
        others = {b if a == place else a for (a, b), sure in state.links.items() if place in (a, b) and sure}
        others = {o for o in others if o.exact and not (                     # (not those that have fallen behind)
            o.root in state.stale and not o.path and not isinstance(heap.facts.kinds.get(o.root), k.Num))}
        found.add(min(others, key=lambda o: (len(o.path), o.root, repr(o))) if others and place.exact else place)
    return frozenset(found)


def is_copied(heap: Places, call: call_targets.Target) -> bool:
    """Whether np.array copies what it is given, whatever that is."""
    return "copy" not in call.keywords or heap.facts.of(call.keywords["copy"]) == k.Const(True)


def steps_of(where: Any, kind: k.Kind) -> tuple[tuple[Step, ...], Any]:
    """The steps of `np.s_[i]`, `at.x` and `at.flat[i]`, and the last index."""
    if isinstance(where, gast.Attribute):
        return (attribute_step(where.attr.removeprefix(DIRECT), "view" if isinstance(kind, k.Num) else "attribute"),), None
    if isinstance(where.value, gast.Attribute) and where.value.attr == "flat":
        return (attribute_step("flat", "view"), index_step(where.slice)), where.slice
    return (index_step(where.slice),), where.slice


def check_own(heap: Places, place: Loc) -> None:
    """An array or container that stands in a class is not one of the function's own."""
    for position, item in enumerate(place.path if not heap.lenient else ()):
        if item.sort == "attribute" and isinstance(item.node, gast.Attribute):
            owner = kind_there(Loc(place.root, place.path[:position]), heap.facts)
            for cls in map(class_of, owner.items if isinstance(owner, k.OneOf) else (owner,)):
                if cls is not None and of_the_class(cls, item.node.attr):
                    raise UnsupportedError(
                        f"a change of '{cls.__name__}.{item.node.attr}', which all objects of the class share",
                        heap.origin, "Give every object its own in `__init__`.")


def refuse_outside(heap: Places, name: str) -> None:
    raise UnsupportedError(f"a store into '{name}', which is not a local variable", heap.origin,
                           "Pass the array as an argument and return the new one.")


def refuse_view(heap: Places, root: str, name: str) -> None:
    """Something changes that a view of a dict, or a generator, reads later."""
    if name in heap.views and not heap.lenient:
        raise UnsupportedError(f"the dict '{heap.spelled(root)}' changes, and '{heap.spelled(name)}' shows what it holds then",
                               heap.origin, "Make a list of it: list(d.values()).")
    refuse_shared(heap, root, name)


def refuse_shared(heap: Places, name: str, other: str | None) -> None:
    if heap.lenient:
        return
    name = heap.spelled(name)
    advice = copy_first(name)
    if other is None:
        raise shared(UnsupportedError(f"'{name}' changes in place, and others may hold the same array", heap.origin, advice))
    other = heap.spelled(heap.ghosts.get(other, other))
    raise shared(UnsupportedError(f"'{name}' changes in place, and whether '{other}' changes with it cannot be known",
                                  heap.origin, advice))


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


def only_where(heap: Places, conditions: Iterable[str], block: list) -> list:
    """Statements that run where all conditions hold."""
    for condition in dict.fromkeys(conditions):
        block = [t.if_(t.load(condition), block, [], heap.origin)]
    return block


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
