"""Abstract heap: where names live at a point of the program, and what a callee does to memory."""
from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable, Container, Iterable, Iterator, Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from typing import Any, NoReturn

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.locations import HERE, Loc, Step, Tags, overlap
from sourcegrad.analysis.purity import ANYTHING, COMPUTING, OUTER, STATES, STREAM, computes, reach, root_of
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError, called_at
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, is_stop
from sourcegrad.ir.unit import MEMORY, Function, Unit, stem
from sourcegrad.parse.statements import is_enter, is_leave
from sourcegrad.primitives.core import changes_place, primitive_of
from sourcegrad.runtime.structure import MODULE_STREAMS, STREAMS
from sourcegrad.syntax.iterators import reads_once

Locs = frozenset[Loc]
FRESH = Loc("fresh ")                            # an object that is made where it gets its name
NEW_OBJECT = Loc("new ")                         # the result of a callee that it has made
GONE = Loc("gone ")                              # where an object is that nobody here looks at any more
SOME = Step("[some]", frozenset(), "index", t.subscript(t.load(HERE), t.load("some ")))      # an unknown part
SLOT = Step("[new]", frozenset(), "index", t.subscript(t.load(HERE), t.load("new ")))        # the end of a list
LAST = Step("here [-1]", frozenset(), "index", t.subscript(t.load(HERE), t.const(-1)))            # what was appended last
IMMUTABLE = (str, bytes, range, np.dtype, slice, type, frozenset)


@dataclass
class Effects:
    """What a callee does to memory: parameters that it changes, and where its result lives."""

    changed: tuple[str, ...] = ()
    result: Locs = frozenset()
    changes: frozenset = frozenset()     # (parameter, path, another object put there?, path complete?, sorts of what changes)
    links: frozenset = frozenset()                 # pairs of places that hold one object after the call
    held: frozenset = frozenset()                  # (path into a new result, place that holds the same object, certainly?)
    drawn: frozenset = frozenset()                 # parameters with random generators that it draws from (OUTSIDE: others)
    replaced: frozenset = frozenset()              # (parameter, path): another object has certainly been put there
    survivors: frozenset = frozenset()             # parameters whose old parts may have been put somewhere else
    shares: frozenset = frozenset()                # pairs of paths into a new result that hold one object, certainly?
    dense: frozenset = frozenset()                 # parameters of which reshapes must be views
    compared: frozenset = frozenset()              # parameters of which it asks whether they are one array
    cached: frozenset = frozenset()                # (parameter, path) of which it reads what functools.cached_property keeps
    separates: bool = False                        # whether arrays lie apart after the call that share memory in the program
    seeks: bool = False                            # whether arrays are looked for by their identity or memory when it runs,
    seeks_itself: bool = False                     # and not only in callees
    mutates: bool = False                          # whether anything changes in it
    dynamic: bool = False                          # whether it hands objects to what is only known when it runs
    reaches: frozenset = frozenset()               # what it reaches besides memory: see `analysis.purity.reach`
    stores: frozenset = frozenset()                # the arrays that change and are told apart by their identity, by their classes,
    shown: frozenset = frozenset()                 # and those of which the result may be a view
    kept: frozenset = frozenset()                  # parameters that objects with an identity hold from then on

    def coarse(self) -> Effects:
        """The same with places no finer than parameters: for recursion, whose paths get longer at every level."""
        changes: set[tuple] = {(n, (), False, True, None) for n in self.changed}
        changes |= {(n, (), True, False, None) for n, _, rebinding, *_ in self.changes if rebinding}
        links = frozenset((_inside(a), _inside(b)) for a, b in self.links)
        held = frozenset(((), _inside(loc), False) for _, loc, _ in self.held)
        return replace(self, result=frozenset(map(_inside, self.result)), changes=frozenset(changes), links=links, held=held,
                       replaced=frozenset(), survivors=frozenset(self.changed), cached=frozenset((n, ()) for n, _ in self.cached),
                       shares=frozenset([((), (), False)] if self.shares else []))

    def __or__(self, other: Effects) -> Effects:
        either = {x.name: getattr(self, x.name) | getattr(other, x.name) for x in fields(self) if x.name != "changed"}
        either["replaced"] = self.replaced & other.replaced
        return Effects(tuple(dict.fromkeys((*self.changed, *other.changed))), **either)


def _inside(loc: Loc) -> Loc:
    return Loc(loc.root, (), loc.exact and not loc.path, loc.of)


NO_EFFECTS = Effects()
OUTSIDE = ""                             # in the place of a parameter: a random generator that is not given to the function


@dataclass(frozen=True)
class When:
    """How certain a link is: it holds where a variable is true. (Not certain: it counts as False.)"""

    condition: str

    def __bool__(self) -> bool:
        return False


Sure = bool | When


def both(a: Sure, b: Sure) -> Sure:
    """How certain it is that two links hold."""
    return b if a is True else a if b is True or a == b else False


@dataclass
class State:
    """Where names live, which places hold the same object, and which names must be read again."""

    locs: dict[str, Locs] = field(default_factory=dict)
    links: dict[tuple[Loc, Loc], Sure] = field(default_factory=dict)     # (a, b): both hold one object; certainly?
    stale: frozenset[str] = frozenset()
    replaced: frozenset[Loc] = frozenset()               # places where another object has certainly been put
    split: frozenset[str] = frozenset()     # roots of objects that are one in the program and several here: a part was copied
    separated: bool = False                 # whether arrays may lie apart here that share memory in the program (see `copied`)

    def copy(self) -> State:
        return State(dict(self.locs), dict(self.links), self.stale, self.replaced, self.split, self.separated)

    def renamed(self, old: str, new: str) -> None:
        for name, locs in self.locs.items():
            if any(loc.root == old or old in loc.names for loc in locs):
                self.locs[name] = frozenset(loc.renamed(old, new) for loc in locs)
        if self.mentions(old):
            self.links = {(a.renamed(old, new), b.renamed(old, new)): sure for (a, b), sure in self.links.items()}
        self.replaced = frozenset(loc.renamed(old, new) for loc in self.replaced)

    def mapped(self, change: Callable[[Loc], Loc]) -> None:
        """All places as another part of the program knows them."""
        self.locs = {name: frozenset(map(change, locs)) for name, locs in self.locs.items()}
        change = functools.cache(change)
        if all(change(a) is a and change(b) is b for a, b in self.links):
            return
        links: dict[tuple[Loc, Loc], Sure] = {}
        known: dict[tuple[Loc, Loc], tuple[Loc, Loc]] = {}
        for pair, sure in self.links.items():
            one, other = map(change, pair)
            if (one, other) != pair:
                sure = False
            before = known.get((one, other)) or known.get((other, one), pair[::-1])[::-1]
            known.setdefault((one, other), pair)
            for here, was, now, there, held in ((one, before[0], pair[0], before[1], pair[1]),
                                                (other, before[1], pair[1], before[0], pair[0])):
                if was != now and (there == held and held.exact or self.doubled(held)):
                    links[here, here] = False                # one object at two places, of which nobody knows the names
            links[one, other] = both(links.get((one, other), True), sure)
        self.links = links

    def doubled(self, place: Loc) -> bool:
        """Whether what lies at a place may lie at another one of the same container, too."""
        return any(a.root == b.root == place.root and overlap(a, place) and overlap(b, place) for a, b in self.links)

    def forget(self, name: str) -> None:
        self.locs.pop(name, None)
        if self.linked(name):
            self.links = {pair: sure for pair, sure in self.links.items() if name not in (pair[0].root, pair[1].root)}
        self.stale -= {name}
        if self.replaced:
            self.replaced = frozenset(loc for loc in self.replaced if loc.root != name)

    def linked(self, name: str) -> bool:
        """Whether an end of a link lies in a root."""
        for one, other in self.links:                        # (asked for every name that is bound: no generator)
            if one[0] == name or other[0] == name:
                return True
        return False

    def mentions(self, name: str) -> bool:
        """Whether the root or the path of an end of a link names it."""
        for one, other in self.links:
            if one[0] == name or other[0] == name or one[1] and name in one.names or other[1] and name in other.names:
                return True
        return False


def join(a: State, b: State) -> State:
    locs = {name: a.locs.get(name, frozenset()) | b.locs.get(name, frozenset()) for name in {**a.locs, **b.locs}}
    links = {}
    there = {pair[::-1] if pair[::-1] in a.links and pair not in a.links else pair: sure for pair, sure in b.links.items()}
    for pair in {**a.links, **there}:
        found = {known.get(pair, not {pair[0].root, pair[1].root} <= set(side.locs)) for known, side in ((a.links, a), (there, b))}
        links[pair] = found.pop() if len(found) == 1 else False
    return State(locs, links, a.stale | b.stale, a.replaced & b.replaced, a.split | b.split, a.separated or b.separated)


def sole_place(locs: Locs) -> Loc | None:
    """The place of what lives at one place only, where that is known."""
    if len(locs) != 1:
        return None
    [loc] = locs
    return loc if loc.exact else None


def aliased(state: State, names: AbstractSet[str]) -> dict[frozenset[str], str]:
    """Groups of names that are one array, and the root of each."""
    found: dict[str, set[str]] = {}
    for name, locs in state.locs.items():
        loc = sole_place(locs)
        if loc is not None and not loc.path and name in names and " " not in name:
            found.setdefault(loc.root, set()).add(name)
    return {frozenset(members): root for root, members in found.items()}


def nested(a: Loc, b: Loc) -> bool:
    """Whether one of two places surely lies in the other."""
    return all(one == other for one, other in zip(a.path, b.path))


def lies_in(loc: Loc, place: Loc) -> bool:
    """Whether a place is another one, or lies in it, or is somewhere in it."""
    return place.exact and loc.root == place.root and loc.path[:len(place.path)] == place.path


def surely_in(loc: Loc, place: Loc) -> bool:
    return loc.exact and lies_in(loc, place)


def part_of(one: Loc, holder: Loc) -> bool:
    """Whether a place is surely a part of what lies at another one, and so not that itself."""
    depth = len(holder.path)
    return holder.exact and SOME not in holder.path and len(one.path) > depth and one.path[:depth] == holder.path


def same_objects(places: Iterable[Loc], state: State) -> set[Loc]:
    """The places that may hold an object that lies at one of some places."""
    return Linked(state).same(places)


class Linked:
    """The links of a state, to be asked often. Sets of ends of links are numbers whose bits say which (it is much faster):
    ends 2j and 2j + 1 are those of link j."""

    def __init__(self, state: State) -> None:
        self.ends = [x for pair in state.links for x in pair]
        self.number = {pair: j for j, pair in enumerate(state.links)}
        self.of_root: dict[str, list[int]] = {}
        for j, x in enumerate(self.ends):
            self.of_root.setdefault(x.root, []).append(j)
        self.known: dict[Loc, int] = {}

    def near(self, place: Loc) -> int:
        """The ends of links that may lie where a place does."""
        found = self.known.get(place)
        if found is None:
            found = self.known[place] = sum(1 << j for j in self.of_root.get(place.root, ()) if overlap(self.ends[j], place))
        return found

    def same(self, places: Iterable[Loc], without: tuple | None = None) -> set[Loc]:
        """The places that may hold an object that lies at one of some places, as far as links (but for one of them) tell."""
        found = set(places)
        left = (1 << len(self.ends)) - 1
        if without is not None:
            left &= ~(3 << 2 * self.number[without])
        work = 0
        for place in found:
            work |= self.near(place) & left
        while work:
            one = work & -work
            left &= ~one
            other = (one.bit_length() - 1) ^ 1
            found.add(self.ends[other])
            work = (work | self.near(self.ends[other])) & left
        return found


def repeats(state: State, containers: list[Locs]) -> bool:
    """Whether containers, taken together, may hold one object twice."""
    ends: list[tuple[Loc, Loc, tuple[Loc, Loc]]] = []
    for number, locs in enumerate(containers):
        roots = {loc.root for loc in locs}
        if any(roots & {loc.root for loc in other} for other in containers[:number]):
            return True
        for pair in state.links:
            inside = [any(overlap(end, loc) for loc in locs) for end in pair]
            if all(inside):
                return True
            ends += [(one, other, pair) for one, other, held in zip(pair, pair[::-1], inside) if held]
    linked = Linked(state)
    found = [linked.same([other], pair) for _, other, pair in ends]
    return any(one != ends[j][0] and any(overlap(x, ends[j][1]) for x in found[i])
               for i, (one, *_) in enumerate(ends) for j in range(i + 1, len(ends)))


def is_stream(kind: Any) -> bool:
    """Whether a value of this kind is a random generator."""
    return isinstance(kind, k.Obj) and issubclass(kind.cls, STREAMS)


@k.once
def mutable(kind: Any) -> bool:
    """Whether a value of this kind is, or holds, an object that can change in place."""
    kind = kind.item if isinstance(kind, k.Optional) else k.as_num(kind)
    if isinstance(kind, k.Num):
        return kind.boxed is not False
    if isinstance(kind, (k.Tup, k.Closure)):
        return any(map(mutable, kind.items))
    if isinstance(kind, k.Obj):
        return kind.cls not in IMMUTABLE and not isinstance(kind, k.Place)
    return not isinstance(kind, (k.Const, k.Fn, k.Discrete, k.State))


@dataclass
class Did:
    """What a statement does by itself: what its calls reach, and the places that it draws from, changes (with the sorts of objects
    there) and looks at (by names)."""

    reaches: set[str] = field(default_factory=set)
    drawn: set[Loc] = field(default_factory=set)
    changed: set[tuple[Loc, Tags]] = field(default_factory=set)
    looked: set[tuple[str, Loc]] = field(default_factory=set)

    def __or__(self, other: Did) -> Did:
        return Did(*(getattr(self, x.name) | getattr(other, x.name) for x in fields(self)))


# --- What calls reach besides memory

NOTHING: frozenset[str] = frozenset()
LOOKS = "looks"                          # reads a list, dict or object that is outside: what it is depends on who has changed it


def followed(target: call_targets.Target) -> bool:
    """Whether it is known what a call does because its function is looked into."""
    return target.function is not None and not (target.object is not None and computes(target.object))


def drawn_from(call: gast.Call, target: call_targets.Target, facts: Infer) -> Any:
    """The expression for the random generator of which a call is a method, or None."""
    functions = [call.func] if target.object is None else []
    if isinstance(call.func, gast.Name) and functions:
        functions = bound_to(call.func, facts.unit)
    method = len(functions) == 1 and isinstance(functions[0], gast.Attribute)
    node = functions[0].value if method else target.args[0] if target.args else None
    kind = facts.of(node) if node is not None else None
    if not isinstance(kind, k.Obj) or not is_stream(kind):
        return None
    return node if method or getattr(kind.cls, getattr(target.object, "__name__", ""), None) is target.object else None


def bound_to(name: Any, unit: Unit) -> list:
    """What a name is assigned."""
    named = name.id if isinstance(name, gast.Name) else None
    return [s.value for s in t.statements(unit.tree.body) if isinstance(s, gast.Assign) and named in t.writes(s)]


def named_stream(unit: Unit, node: Any) -> str | None:
    """The state (one of `STATES`, or STREAM) of a random generator that a global name, or an attribute of a module, stands for."""
    bound = bound_to(node, unit)
    if len(bound) == 1:
        return named_stream(unit, bound[0])
    if isinstance(node, gast.Name):
        value = None if bound or node.id in unit.parameters else unit.function.scope.lookup(node.id)
    else:
        value = getattr(unit.lookup(node.value), node.attr, None) if isinstance(node, gast.Attribute) else None
    return next((name for name, state in MODULE_STREAMS.items() if state is value), STREAM) if isinstance(value, STREAMS) else None


def of_errors(managers: list, unit: Unit) -> bool:
    """Whether contexts, names of them or the calls that make them, only say what becomes of floating-point errors."""
    made = [value for node in managers for value in (bound_to(node, unit) if t.is_name(node) else [node])]
    return bool(made) and all(isinstance(value, gast.Call) and unit.lookup(value.func) is np.errstate for value in made)


def reached(unit: Unit, call: gast.Call, facts: Infer, looked: Container = ()) -> frozenset[str]:
    """What a call of a function that is not looked into may reach: see `analysis.purity.reach`. looked: functions that are."""
    changed = t.list_method(gast.Expr(value=call))
    if changed is not None:
        return NOTHING if changed[0] in facts.local or changed[0] in unit.parameters else frozenset([OUTER])
    if is_enter(call) or is_leave(call):
        return NOTHING if of_errors(call.args, unit) else frozenset([ANYTHING])
    target = call_targets.target_of(call, unit, facts.of)
    function = target.object
    known = None if function is None or isinstance(function, str) else reach(function)
    if known in STATES:
        return frozenset([known])
    if target.custom is not None or isinstance(function, (functools.partial, types.MethodType)) or (
            primitive_of(function).effect == "calls"):
        return frozenset([ANYTHING])
    stream = drawn_from(call, target, facts)
    if stream is not None:
        return frozenset([ANYTHING] if unit.function.pure else [found] if (found := named_stream(unit, stream)) else [])
    if function is None:
        kind = facts.of(call.func.value) if isinstance(call.func, gast.Attribute) else k.ANY
        held = isinstance(kind, k.Obj) and not hasattr(kind.cls, "__next__") and root_of(kind.cls) in COMPUTING
        return NOTHING if held or isinstance(kind, (k.Num, k.Const, k.Lst, k.Tup, k.Dct, k.Map)) else frozenset([ANYTHING])
    if isinstance(function, str) or target.plain is not None:
        return NOTHING
    if known is not None:
        return frozenset([known])
    if primitive_of(function).puts and primitive_of(function).state == "changes":
        return NOTHING                                        # a function that is stored in an object is not called there
    kinds = [facts.of(x) for x in target.operands]
    if primitive_of(function).seeded and not call.args and not call.keywords or function is runtime.sequence and any(
            kind is k.ANY or isinstance(kind, k.Obj) and hasattr(kind.cls, "__next__") for kind in kinds):
        return frozenset([ANYTHING])                          # others every time
    if (function is runtime.index_set or changes_place(function)) and not isinstance(kinds[0], (
            k.Num, k.Lst, k.Tup, k.Dct, k.Map, k.Obj, k.OneOf, k.Closure)):
        return frozenset([OUTER])                             # an attribute of a class or function
    quiet = all(kind.function in looked if isinstance(kind, k.Closure) else not isinstance(kind, k.Fn) or computes(
        kind.value) or isinstance(kind.value, (type, types.ModuleType)) for kind in kinds)
    return NOTHING if quiet else frozenset([ANYTHING])


# --- Iterators that are read to a list where they stand: who reads the list must not be able to tell.

def check_turns(heap: Any) -> None:
    """Refuse an iterator that is read to a list, as generated code does, if it and what comes before its items are used up do
    something that is seen to happen in another order."""
    flat = list(_flat(heap.unit.tree.body, ()))
    for position, (s, _) in enumerate(flat):
        if id(s) in heap.iterators:
            Turns(heap, flat, position).check()


def _flat(block: list, around: tuple) -> Iterator[tuple[Any, tuple]]:
    """The statements of a block, and those inside them, each with the statements around it."""
    for s in block:
        yield s, around
        for inner in t.inner_blocks(s):
            yield from _flat(inner, (*around, s))


def may_change(tree: Any) -> bool:
    """Whether a function of the user may change something that it does not make: it stores, or calls a method or function."""
    made = {n for s in t.statements(tree.body) for n in t.writes(s)} - {n.id for n in t.walk(tree.args) if t.is_name(n)}
    own = {id(s.value) for s in t.statements(tree.body) if (method := t.list_method(s)) is not None and method[0] in made}
    return any(isinstance(node, gast.Call) and id(node) not in own or isinstance(node, (gast.Attribute, gast.Subscript))
               and not isinstance(node.ctx, gast.Load) for node in t.walk(tree))


class Turns:
    """An iterator, by the statement that has all its items, and the statements from there to the last that asks for one.

    made: the statements that compute the items. early: whether some may never be asked for."""

    def __init__(self, heap: Any, flat: list[tuple[Any, tuple]], position: int) -> None:
        self.heap, self.flat, self.position = heap, flat, position
        self.s, self.around = flat[position]
        self.early = heap.iterators[id(self.s)]
        self.marked = heap.unit.lookup(self.s.value.func) is runtime.read_once
        self.made = [self.s, *(self.maker() if self.marked else ())]
        self.written = {n for s in self.made for n in written(s)}
        self.names = {self.s.targets[0].id}              # that stand for the iterator, or hold it
        self.end = position
        self.whole = self.first = self.shorter = False   # how it is read (shorter: with something that may end before)
        self.sizes: set[str] = set()
        for number in range(position + 1, len(flat)):
            self.read(number)
        self.early |= self.first and not self.whole

    def maker(self) -> list:
        """The statements that lead to the mark and compute nothing else."""
        found, needed = [], set(t.reads(self.s.value.args[0]))
        for s, around in reversed(self.flat[:self.position]):
            if around != self.around:
                continue
            inside = list(t.statements([s]))
            if not needed.intersection(n for x in inside for n in written(x)) - self.heap.spelling.own:
                break
            found += inside
            needed.update(n for x in inside for n in t.header_reads(x))
        return found

    def read(self, number: int) -> None:
        """Go on to a statement, which perhaps asks for items."""
        s, around = self.flat[number]
        value, read = getattr(s, "value", None), set(t.header_reads(s))
        function = self.heap.unit.called(value) if isinstance(value, gast.Call) else None
        zipped = function is min and bool(self.sizes & read)
        self.shorter |= zipped
        self.early |= zipped and self.heap.unit.lookup(value.func) is min                      # type: ignore[union-attr]
        if not self.names & read:
            return
        loops = [x for x in around[len(self.around):] if isinstance(x, (gast.For, gast.While))]
        if loops and function is len:
            self.refuse("a loop reads again and again, where Python finds nothing more")
        if loops:
            self.end = max(self.end, number)
            while self.end + 1 < len(self.flat) and loops[0] in self.flat[self.end + 1][1]:
                self.end += 1
            self.early |= any(is_stop(x) for loop in loops for x in loop.body)
            self.whole = True
        elif function in (runtime.read_once, runtime.sequence) or isinstance(value, gast.Name) and isinstance(s, gast.Assign):
            self.names.update(t.writes(s))
        elif function is len:
            self.sizes.update(t.writes(s))
        else:
            self.end = max(self.end, number - 1)
            self.used(s, value, number)

    def used(self, s: Any, value: Any, number: int) -> None:
        """The same for a statement that reads all items, or holds the iterator, or hands it on."""
        target = call_targets.target_of(value, self.heap.unit, self.heap.facts.of) if isinstance(value, gast.Call) else None
        if target is not None and target.function is not None:
            self.end = number
            loops = [x for x in t.walk(target.function.tree) if isinstance(x, (gast.For, gast.While))]
            self.early |= any(isinstance(x, (gast.Break, gast.Return)) for loop in loops for x in t.walk(loop))
            given = dict(zip(target.function.parameters, target.args))
            held = any(isinstance(self.heap.facts.kinds.get(n), k.Obj) for n in t.writes(s)) and not any(
                reads_once(target.function, p) for p, a in given.items() if t.is_name(a) and a.id in self.names)
            self.early |= held
            self.names.update(t.writes(s) if held or target.function.lists else ())
        elif target is not None and changes_place(target.object) or isinstance(value, (gast.Tuple, gast.List, gast.Dict)) or (
                isinstance(s, gast.Expr)):
            self.names.update(written(s))
            self.early = True
        elif isinstance(s, (gast.If, gast.While)):
            self.end, self.early = number, True
        elif target is not None and (primitive_of(target.object).mutates or target.object in INPLACE_OF):
            self.end = number                            # xs.extend(...): each item is put in its turn
        first = isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Constant) and value.slice.value == 0
        if isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Slice):           # itertools.islice
            self.names.update(t.writes(s))
            self.shorter |= value.slice.upper is not None
        self.first |= first
        self.whole |= not first and not (target is not None and target.function is not None and target.function.lists)

    def check(self) -> None:
        heap, rest = self.heap, [s for s, _ in self.flat[self.position + 1:self.end + 1]]
        did = heap.did
        loops = [s for s in self.made if isinstance(s, gast.For)]            # (the rest is done when the iterator is made)
        made = [s for s in self.made if id(s) in heap.iterators or any(s in loop.body for loop in loops)]
        mine, others = (functools.reduce(Did.__or__, (did.get(id(s), Did()) for s in part), Did()) for part in (made, rest))
        states = [{change for s in part if (change := self.of_state(s)) is not None} for part in (self.made, rest)]
        if all(states) and any(map(any, states)):
            self.refuse("looks at, or changes, what objects hold before it has been read to its end")
        mine.changed = {x for x in mine.changed if x[0].root not in self.written | self.names}
        others.changed = {x for x in others.changed if x[0].root not in self.names and x[1] != {runtime.Kept}}
        plain = set() if self.shared() else self.names       # (what they hold does not change)
        looked = {x for x in others.looked if x[0] not in plain}
        links = [ends for pair in heap.ever if not plain & {pair[0].root, pair[1].root} for ends in (pair, pair[::-1])]
        names = self.written - self.names
        bound, read = {n for s in rest for n in written(s)}, {n for s in rest for n in t.header_reads(s)}

        def meet(place: Loc, tags: Tags, others: Iterable[Loc]) -> bool:
            same = [place]
            for x in same:                               # an array that changes may be a view; a container is not what it holds
                for one, other in links:
                    deep = len(one.path) > len(x.path) and tags is not None and "array" not in tags
                    if not deep and overlap(one, x):
                        same += [there] if (there := other.somewhere()) not in same else []
            return any(overlap(x, other) for x in same for other in others)

        def seen(changed: set[tuple[Loc, Tags]], looked: set[tuple[str, Loc]]) -> bool:
            return any(meet(place, tags, [loc for n, loc in looked if heap.sees(n, tags)]) for place, tags in changed)

        reaches, around = mine.reaches - {LOOKS}, others.reaches
        both = reaches & around - {LOOKS} or ANYTHING in reaches and around - {LOOKS} or ANYTHING in around and reaches
        if both or OUTER in reaches and LOOKS in around or OUTER in around and LOOKS in mine.reaches or any(
                meet(loc, None, others.drawn) for loc in mine.drawn):
            self.refuse("does something that what reads it does, too (it draws random numbers, prints, or changes what is outside)")
        if names & (bound | read) or seen(mine.changed, looked) or any(
                meet(*x, [loc for loc, _ in others.changed]) for x in mine.changed):
            self.refuse("changes what is looked at before it has been read to its end")
        if self.captured() & {stem(n) for n in bound if heap.spelling.known(n)} or seen(others.changed, mine.looked):
            self.refuse("looks at what changes before it has been read to its end")
        outside = {n for s, _ in self.flat if not any(s is x for x in self.made) for n in t.header_reads(s)}
        changes = True in states[0] or mine.changed
        if self.shorter and changes or self.early and (changes or reaches or mine.drawn or names & outside):
            self.refuse("draws random numbers or changes something, and may not be read to its end")

    def of_state(self, s: Any) -> bool | None:
        """Whether a statement changes the state of objects that are told apart by their identity; None: it does not look at it."""
        if MEMORY not in t.header_reads(s):
            return None
        call = getattr(s, "value", None)
        if not isinstance(call, gast.Call):
            return False
        target = call_targets.target_of(call, self.heap.unit, self.heap.facts.of)
        if target.function is not None:
            return may_change(target.function.tree)
        return primitive_of(target.object).state == "changes"

    def shared(self) -> bool:
        """Whether the items may be objects that change in place."""
        kind = self.heap.facts.kinds.get(self.s.targets[0].id)
        return not (isinstance(kind, k.Lst) and isinstance(kind.item, k.Num) and kind.item.is_scalar)

    def captured(self) -> set[str]:
        """The names of the user that are read for each item; not what the iterator goes over."""
        inside = [s for s in self.made if self.marked and any(s in loop.body for loop in self.made if isinstance(loop, gast.For))]
        taken = {id(s) for s in inside if isinstance(getattr(s, "value", None), gast.Subscript) and t.is_name(s.value.slice)}
        names = {n for s in inside if id(s) not in taken for n in t.header_reads(s)} - self.written - set(self.heap.unit.env)
        return {stem(n) for n in names if self.heap.spelling.known(n)}

    def refuse(self, does: str) -> NoReturn:
        raise UnsupportedError(f"an iterator that {does}", source.locate(self.s.value, t.origin_of(self.s)),
                               "Read it at once, `list(...)`, or write the loop out with what it does.")


def written(s: Any) -> list[str]:
    """Names that a statement binds, and the list that it changes."""
    found = t.list_method(s)
    return [*t.writes(s), *(found[:1] if found else ())]


# --- Names in messages as the user knows them: a temporary is what stands in the program where its value is computed

LONGEST = 40                                    # a longer expression says less than a name
DEEPEST = 6                                     # so many temporaries are in one expression at most


class Unspelled(Exception):
    """An expression has parts that nobody has written."""


class Spelling:
    """`own`: the names in the text of the user."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.own = {n.id for n in t.walk(unit.function.tree) if isinstance(n, gast.Name)}

    @functools.cached_property
    def values(self) -> dict[str, Any]:
        """Name -> what is assigned to it first: a change of what it names is an assignment, too."""
        found: dict[str, Any] = {}
        for s in t.statements(self.unit.tree.body):
            for name in t.writes(s):
                found.setdefault(name, s.value if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) else None)
        return found

    def known(self, name: str) -> str | None:
        return next((n for n in (name, stem(name)) if n in self.own), None)

    def of(self, name: str) -> str:
        known = self.known(name)
        if known is not None:
            return known
        try:
            text = source.expression_text(_Written(self).visit(t.load(name)))
        except Unspelled:
            return stem(name)
        return text if len(text) <= LONGEST and text != "[]" else stem(name)


def copy_first(name: str, kind: Any = None) -> str:
    """The advice to change a copy of what a message calls so. kind: that of the value, which may be no array."""
    if isinstance(kind, k.Obj):
        return f"Work on a copy: `{name} = copy.deepcopy({name})` first." if name.isidentifier() else (
            f"Work on a copy: give `copy.deepcopy({name})` a name, and change that.")
    return f"Work on a copy: `{name} = {name}.copy()` first." if name.isidentifier() else (
        f"Work on a copy: give `{name}.copy()` a name, and change that.")


class _Written(t.Transformer):
    def __init__(self, spelling: Spelling, depth: int = 0) -> None:
        self.spelling, self.depth = spelling, depth

    def visit_Name(self, node: gast.Name) -> Any:
        known = self.spelling.known(node.id)
        if known is not None:
            return t.load(known)
        value = self.spelling.values.get(node.id)
        if value is None and hasattr(builtins, node.id):
            return node
        if value is None or self.depth == DEEPEST:
            raise Unspelled
        return _Written(self.spelling, self.depth + 1).visit(t.clone(value))

    def visit_Call(self, node: gast.Call) -> Any:
        if self.spelling.unit.lookup(node.func) is runtime.carried:
            return self.visit(node.args[0])
        return self.generic_visit(node)


# --- Methods that mutation passed by

def check_unseen(unit: Unit, facts: Infer, effects: Callable[[Function, dict[str, k.Kind]], Any]) -> None:
    """Refuse code without mutation in which a method that changes something is still called as if it changed nothing."""
    for s in t.statements(unit.tree.body):
        value = getattr(s, "value", None)
        if not isinstance(value, gast.Call) or not isinstance(value.func, gast.Attribute) or not t.is_name(
                value.func.value) or unit.lookup(value.func) is not MISSING:
            continue
        target = call_targets.target_of(value, unit, facts.of)
        if target.function is None or target.function.pure:
            continue
        try:
            bound = call_targets.bind(target.function, target, unit)
        except TypeError:
            continue
        with called_at(source.locate(value, t.origin_of(s))):
            found = effects(target.function, {name: facts.of(x) or k.ANY for name, x in bound.items()})
        check_seen(s, unit, target.function, bound, found)


def check_seen(s: Any, unit: Unit, function: Function, bound: dict[str, Any], effects: Effects) -> None:
    """Refuse a call that was not known to change something when changes were followed, and is now: one that does, returns it."""
    lost = [bound[n].id for n in effects.changed if isinstance(bound.get(n), gast.Name) and unit.lookup(bound[n]) is MISSING]
    if lost and not getattr(s.value, "followed", False) and not function.outputs and not function.pure and not unit.function.pure:
        raise changing(lost[0], source.locate(s.value, t.origin_of(s)))


def changing(name: str, origin: Any) -> UnsupportedError:
    return UnsupportedError(f"what '{name}' holds changes in a way that cannot be followed", origin,
                            "Give every attribute its value in __init__, of the kind that it has later.")
