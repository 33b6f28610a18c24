"""Stores: statements that change arrays, objects and containers."""
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets, result_types
from sourcegrad.analysis.locations import POSITION, Loc, Step, equally_spaced, index_kinds, index_step, kind_at, overlap
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.tree import INPLACE_OF
from sourcegrad.memory.emission import Bindings, Emitter, only_where
from sourcegrad.memory.heap import FRESH, LAST, SLOT, SOME, Locs, State, mutable, repeats, same_objects, sole_place, surely_in
from sourcegrad.memory.points_to import PointsTo, kind_there, locate, meanings, refuse_outside, steps_of, tags_at
from sourcegrad.memory.runtime_alias import Identity
from sourcegrad.memory.sharing import certain_places, meant
from sourcegrad.memory.write_through import Changes
from sourcegrad.syntax.desugar import BINARY

Assigning = Callable[[gast.Assign, State], tuple[list, State]]


class Stores:
    """Statements that change arrays, objects and containers. assign: carries out an assignment that a change is made of."""

    def __init__(self, identity: Identity, bindings: Bindings) -> None:
        self.heap, self.out, self.changes = identity.heap, identity.out, identity.changes
        self.identity, self.bindings = identity, bindings

    def store(self, s: gast.Assign, target: call_targets.Target, state: State) -> tuple[list, State]:
        """x[i] = v or x.a = v"""
        base, where, value = target.args
        kind = self.heap.kind(base)
        taken, suffix = steps_of(where, kind)
        if kind is k.ANY and isinstance(suffix, gast.Constant) and suffix.value is Ellipsis:
            kind = k.Num(None, None, True)                       # only arrays have this index
        if isinstance(kind, k.Num) and kind.is_scalar and getattr(s, "tried", False):
            return [], state                                         # it has raised before
        if isinstance(kind, k.Num) and (kind.is_scalar or (kind.dims == () and suffix is None)):
            raise UnsupportedError(f"a store into '{base.id}', which is not known to be an array or a list", self.heap.origin,
                                   "Make the array inside the function, for example with np.zeros.")
        if kind is k.ANY and base.id not in self.heap.facts.local:
            refuse_outside(self.heap, base.id)
        container = not isinstance(kind, k.Num)
        place = [loc.then(*taken) for loc in self.heap.locs_of(base, state)]
        old = kind_at(kind, taken, self.heap.facts.of) if container and target.object is runtime.index_update else None
        if old is None and len(place) == 1:
            old = kind_there(place[0], self.heap.facts)
        array = isinstance(old, k.Num) and old.boxed is True                  # (without axes, its sum with a number is a number)
        number = isinstance(old, k.Num) and old.is_scalar                     # another number takes its place
        content = container and target.object is runtime.index_update and not number and (
            array or mutable(self.heap.facts.of(value) or k.ANY))
        before: list = []
        slot = Loc(base.id).then(*taken).read()
        if content:
            taken, value, before = renewed_content(self.changes, base, kind, taken, value)
        if isinstance(kind, k.Num) and (isinstance(suffix, gast.Constant) and suffix.value is Ellipsis
                                        or kind.dims == () and isinstance(suffix, gast.Tuple) and not suffix.elts):
            taken, value, before = everything(self.out, base, kind, taken, value, place)
        if isinstance(kind, k.Num) and len(place) == 1 and isinstance(value, gast.Name):
            before += overlap_checks(self.out, place[0], value, state)
        if container and not content and isinstance(value, gast.Name):
            inside = state.locs.get(value.id, frozenset())
            if len(place) == 1 and inside == frozenset(place):
                return [], state                               # the object that is there already
        self.changes.held = False
        if container and not content:
            self._check_captured(base, taken, value, state)
        new, state = self.identity.write(s, base, taken, value, state, rebinding=container and not content)
        before += array_check(self.changes, old or k.ANY, slot) if content else []
        if isinstance(suffix, gast.Slice) and kind is k.ANY:   # an array takes the numbers, a list the items
            item = self.heap.kind(value)
            if not isinstance(item, k.Num) or item.dims is None or len(item.dims) > 1:
                may_take(self.heap, base, value, state)
        elif container and not content and isinstance(value, gast.Name) and mutable(self.heap.facts.of(value) or k.ANY):
            for loc in self.heap.locs_of(base, state):
                for other in self.heap.locs_of(value, state):
                    if loc.then(*taken) != other:
                        check_circle(self.heap, loc.then(*taken), other, state)
                        state.links[loc.then(*taken), other] = loc.exact and other.exact
        return [*before, *new], state

    def _check_captured(self, base: Any, taken: Any, value: Any, state: State) -> None:
        """Refuse a closure that is stored in what it captures, before the store: afterwards only the object is looked at."""
        if not isinstance(value, gast.Name) or not _holds_closure(self.heap.facts.of(value) or k.ANY):
            return
        remedy = "Make it a method (def) of the class, or let it take what it uses as an argument."
        for loc in self.heap.locs_of(base, state):
            for other in self.heap.locs_of(value, state):
                if loc.then(*taken) != other:
                    holder = self.heap.spelling.of(loc.root)
                    what = f"a function that is kept in '{holder}' and captures it, where several are, or not all is known of it"
                    check_circle(self.heap, loc.then(*taken), other, state, (what, remedy))

    def augmented(self, s: gast.Assign, target: call_targets.Target, state: State, assign: Assigning) -> tuple[list, State]:
        """`x op= v` rebinds numbers, tuples and text, and changes arrays and lists in place."""
        left, right = target.args
        kind = self.heap.kind(left)
        name = s.targets[0].id
        now, before = self.out.refreshed(left, state)
        value = gast.copy_location(t.binop(t.clone(now), BINARY[target.object](), right, in_place=True), s.value)
        rebinding = (isinstance(kind, k.Num) and kind.is_scalar) or isinstance(kind, (k.Tup, k.Const)) or (
            isinstance(kind, k.Obj) and kind.cls in (str, range, bytes)) or (
            isinstance(kind, k.Lst) and target.object is operator.iadd and isinstance(self.heap.kind(right), k.Num))    # NumPy adds
        if rebinding or not isinstance(left, gast.Name):
            if self.out.emitting:
                s.value = value
            more, state = self.bindings.bind(s, name, locate(self.heap, value, name, state), state)
            return [*before, *more, s], state
        if not isinstance(kind, (k.Num, k.Lst)) and kind is not k.ANY:
            raise UnsupportedError(f"{augmentation(self.heap, name, target)} on something that is not known to be a number, an "
                                   "array or a list", self.heap.origin, "Write the assignment out: x = x + y.")
        locs = self.heap.locs_of(left, state)
        result = self.heap.facts.primitive(INPLACE_OF[target.object], [left, right], {})
        whole = len(locs) == 1 and not next(iter(locs)).path
        if not isinstance(kind, k.Lst) and not (fits(kind, result) and whole):
            part, more = named(self.out, value, result)
            before += more
            if isinstance(kind, k.Num) and kind.boxed and kind.dims is not None:
                check_cast(self.heap, kind, result, augmentation(self.heap, name, target))
            inside, part, more = renewal(self.changes, kind, result, now, part)
            before += more
            self.changes.held = any(loc.path for loc in locs)
            new, state = self.identity.write(s, left, inside, t.load(part), state)
            before += array_check(self.changes, kind, now)
        elif isinstance(kind, k.Lst):
            more, new, state = self.augmented_list(s, target, kind, value, any(loc.path for loc in locs), state)
            before += more
        else:
            if layout_matters(self.changes, kind, result):
                part = self.out.temporary("updated", result)
                before.append(t.assign(part, value, self.heap.origin))
                value = t.call(self.heap.unit.use(runtime.laid_out_as, "laid_out_as"), t.clone(now), t.load(part))
            self.changes.held = any(loc.path for loc in locs)
            new, state = self.identity.write(s, left, (), value, state)
            before += array_check(self.changes, kind, now)
        if name != left.id and locs == frozenset([Loc(name)]):          # x_2 op= v where x is the root: x again
            state.stale -= {name}
        elif any(loc.root == name for loc in self.heap.locs_of(left, state)):     # x_2 was a part of x, and x is that part now
            rest, state = assign(self.out.stand_in(s, t.assign(name, t.clone(left), self.heap.origin)), state)
            return [*before, *new, *rest], state
        elif name != left.id:
            rest, state = self.bindings.bind(s, name, self.heap.locs_of(left, state) or frozenset([Loc(left.id)]), state)
            # the new name is the same object: it is read through the root from here on
            state.stale |= {name}
            return [*before, *new, *rest], state
        return [*before, *new], state

    def augmented_list(self, s: gast.Assign, target: call_targets.Target, kind: k.Lst, value: Any, stored: bool,
                       state: State) -> tuple[list, list, State]:
        """Emit `xs += ys` or `xs *= n` of a list: what comes before the change, and the change. stored: the list is a part."""
        left, right = target.args
        before: list = []
        if stored:                                           # what is stored has a name
            part = self.out.temporary("longer", kind)
            before.append(t.assign(part, value, self.heap.origin))
            value = t.load(part)
        slot = SLOT if target.object is operator.iadd else SOME
        moved, new, state = self.restructured(s, left, value, slot, state)
        may_take(self.heap, left, right, state)
        if slot == SOME:                                 # xs *= 2
            for loc in self.heap.locs_of(left, state):
                state.links[loc.then(SOME).somewhere(), loc.then(SOME).somewhere()] = False
        return [*before, *moved], new, state

    def container_change(self, s: gast.Assign, value: gast.Call, state: State) -> tuple[list, State]:
        """xs = list_insert(xs, i, v): a list or dict changes in place, and its parts get other places."""
        base = t.load(s.targets[0].id)
        now, before = self.out.refreshed(base, state)
        value = t.clone(value)
        value.args[0] = now
        if isinstance(self.heap.kind(base), k.Lst) and self.heap.unit.lookup(s.value.func) is not runtime.list_splice:
            check_iterated(self.heap, base.id, self.heap.locs_of(base, state), state)
        if any(loc.path for loc in self.heap.locs_of(base, state)):
            part = self.heap.unit.names.fresh(base.id)
            self.heap.facts.kinds[part] = self.heap.facts.of(value) or k.ANY
            self.heap.facts.local.add(part)
            before.append(t.assign(part, value, self.heap.origin))
            value = t.load(part)
        function = self.heap.unit.lookup(s.value.func)
        slot = SLOT if function in (runtime.list_append, runtime.list_extend) else SOME
        for argument in s.value.args[1:]:
            self._check_captured(base, (), argument, state)
        moved, new, state = self.restructured(s, base, value, slot, state)
        for argument in s.value.args[1:]:
            if function is runtime.list_append and isinstance(argument, gast.Name):
                for loc in self.heap.locs_of(base, state):
                    appended(self.heap, loc, argument, state)
            else:
                may_take(self.heap, base, argument, state)
        return [*before, *moved, *new], state

    def restructured(self, s: gast.Assign, base: gast.Name, value: Any, slot: Step, state: State) -> tuple[list, list, State]:
        """A list or dict is the same object with other parts: statements before and after its change.

        slot: where the other parts are (`SOME`: anywhere; `SLOT`: at the end)."""
        given = state
        try:
            state = state.copy()
            place = self.changes.place_of(s, base, state)
            before = numbered(self.out, s, place, state) if slot is SLOT else []
            new = [self.out.put(place, value)]
            return [*before, *self.changes.rebound(s, place.then(slot), state, new)], new, state
        except UnsupportedError as problem:
            new, state = self.identity.write_everywhere(s, base, (), value, given, slot, problem)
            return [], new, state

    def list_change(self, s: gast.Expr, found: tuple[str, str], state: State, assign: Assigning) -> tuple[list, State]:
        name, method = found
        check_iterated(self.heap, name, self.heap.locs_of(t.load(name), state), state)
        if method == "append" and is_shared(self.heap, s, name, state):
            helper = self.heap.unit.use(runtime.list_append, "list_append")
            return assign(self.out.stand_in(s, t.assign(
                name, t.call(helper, t.load(name), t.clone(s.value.args[0])), self.heap.origin)), state)
        value = s.value.args[0] if method == "append" else None
        before: list = []
        if value is not None:
            value, before = self.out.refreshed(value, state)
            if self.out.emitting:
                s.value.args = [value]
        loc = sole_place(state.locs.get(name, frozenset()))
        if loc is not None and loc.path:
            raise UnsupportedError(f"the list '{name}' is part of '{loc.root}' and changes", self.heap.origin,
                                   "Build a list of its own, and store it when it is complete.")
        root = name if loc is None else loc.root
        self._check_captured(t.load(name), (), value, state)
        if self.out.emitting and root != name:
            s.value.func.value = t.load(root)
        state = state.copy()
        if method == "append":
            before += numbered(self.out, s, Loc(root), state)
        self.changes.rebound(s, Loc(root, (SLOT,)), state, [])
        if isinstance(value, gast.Name):
            appended(self.heap, Loc(root), value, state)
        return [*before, s], state

    def pop(self, s: gast.Assign, found: tuple[str, str], state: State, assign: Assigning) -> tuple[list, State]:
        name, target = found[0], t.writes(s)[0]
        if is_shared(self.heap, s, name, state):
            helper = self.heap.unit.use(runtime.list_delete, "list_delete")
            last = self.out.stand_in(s, t.assign(target, t.subscript(t.load(name), t.const(-1)), self.heap.origin))
            taken, state = assign(last, state)
            rest, state = assign(self.out.stand_in(s, t.assign(
                name, t.call(helper, t.load(name), t.const(-1)), self.heap.origin)), state)
            return [*taken, *rest], state
        locs = state.locs.get(name, frozenset())
        root = next(iter(locs)).root if len(locs) == 1 else name
        if len(locs) == 1 and next(iter(locs)).path:
            raise UnsupportedError(f"the list '{name}' is part of '{root}' and changes", self.heap.origin,
                                   "Build a list of its own, and store it when it is complete.")
        if self.out.emitting and root != name:
            s.value.func.value = t.load(root)
        state = state.copy()
        held = {b.somewhere() if a.root == root else a.somewhere() for a, b in state.links if root in (a.root, b.root)}
        self.changes.rebound(s, Loc(root, (SOME,)), state, [])
        locs = frozenset([FRESH]) | held if self.heap.mutable(target) else frozenset()
        before, state = self.bindings.bind(s, target, locs, state)
        return [*before, s], state


def overlap_checks(out: Emitter, place: Loc, value: gast.Name, state: State) -> list:
    """Tests that NumPy copies what is stored where it overlaps with what it replaces."""
    kind = out.heap.kind(value)
    if not out.emitting or not place.exact or not isinstance(kind, k.Num) or kind.is_scalar:
        return []
    numbered = by_numbers(place, out.heap.facts)
    if runtime.COPIES_BY_NUMBERS if numbered else len(kind.dims or (1,)) > 1:
        return []
    checks: list = []
    check = runtime.check_apart if numbered else runtime.check_overlap
    helper = out.heap.unit.use(check, check.__name__)
    sources = [meant for found in sorted(out.heap.locs_of(value, state), key=repr) for meant in meanings(found, state)]
    for (target, conditions), (read, more) in itertools.product(meanings(place, state), sources):
        same_array = read.exact and read.root == target.root and overlap(target, read)
        if same_array and (numbered or not equally_spaced(target, read, out.heap.facts.of)):
            changed = Loc(target.root, target.path[:-1]) if numbered else target
            test = t.call(helper, changed.read(), read.read())
            checks += only_where(out.heap, (*conditions, *more), [out.tested(test)])
    return checks


def check_iterated(heap: PointsTo, name: str, locs: Locs, state: State) -> None:
    """A list that gets longer or shorter is not the one that a loop around goes over."""
    for other in (n for names in heap.around for n in names):
        if any(overlap(a, b) and (not a.exact or len(a.path) >= len(b.path)) and (not b.exact or len(b.path) >= len(a.path))
               for a in locs for b in heap.locs_of(t.load(other), state)):
            raise UnsupportedError(f"the list '{heap.spelling.of(name)}' changes while it is iterated over", heap.origin,
                                   f"Iterate over a copy: `for ... in list({heap.spelling.of(name)})`.")


def by_numbers(place: Loc, facts: Infer) -> bool:
    """Whether a place in an array is given by the numbers of elements: `a[[2, 0, 1]]`."""
    if not place.path or place.path[-1].sort != "index":
        return False
    index = place.path[-1].node.slice
    kinds = [k.as_num(kind or k.ANY) for kind in index_kinds(index, facts.of)]
    return any(isinstance(kind, k.Lst) or isinstance(kind, k.Num) and bool(kind.boxed) for kind in kinds)


def everything(out: Emitter, base: gast.Name, kind: k.Num, taken: tuple, value: Any,
               places: list[Loc]) -> tuple[tuple, Any, list]:
    """`w[...] = v` replaces w by v if that leaves the same shape, dtype and layout."""
    same = isinstance(value, gast.Call)                     # np.sort(w) and the like, written by `out_arguments`
    if len(places) != 1 or not places[0].exact:
        return taken, value, []
    path = places[0].path[:-1]
    if same and not path:
        return (), t.rename(t.clone(value), {base.id: places[0].root}), []
    if kind.dims == () and not path:
        part, before, like = out.temporary("content", kind), [], {}
        if kind.dtype != getattr(k.as_num(out.heap.facts.of(value) or k.ANY), "dtype", None):
            like["dtype"] = t.load(out.temporary("dtype", k.ANY))
            before = [t.assign(like["dtype"].id, t.attribute(t.load(base.id), "dtype"), out.heap.origin)]
        new = t.call(f"{out.heap.unit.use(np, 'np')}.array", t.clone(value), **like)
        return (), t.load(part), [*before, t.assign(part, new, out.heap.origin)]
    if same or fits(kind, out.heap.facts.of(value)) and (len(kind.dims or ()) == 1 or path and path[-1].sort == "index"
                                                     and isinstance(out.heap.facts.kinds.get(places[0].root), k.Num)):
        before = []
        if same:
            part = out.temporary("updated", kind)
            before.append(t.assign(part, value, out.heap.origin))
            value = t.load(part)
        return (), value, before
    return taken, value, []


def renewed_content(changes: Changes, base: gast.Name, kind: k.Kind, taken: tuple, value: Any) -> tuple[tuple, Any, list]:
    """`x.a op= v` changes an array in place: it keeps its dtype and layout."""
    content, result = kind_at(kind, taken, changes.heap.facts.of) or k.ANY, k.as_num(changes.heap.facts.of(value) or k.ANY)
    if not isinstance(content, k.Num) and content is not k.ANY or not isinstance(result, k.Num):
        return taken, value, []
    part, before = named(changes.out, value, result)
    if isinstance(content, k.Num) and content.boxed:
        check_cast(changes.heap, content, result, "an in-place operation")
    inside, part, more = renewal(changes, content, result, Loc(base.id).then(*taken).read(), part)
    return (*taken, *inside), t.load(part), [*before, *more]


def array_check(changes: Changes, kind: k.Kind, now: Any) -> list:
    """A test that what `op=` has changed for others, too, is an array: a number would have been another one for one name."""
    if not changes.out.emitting or not changes.held or isinstance(kind, k.Num) and (kind.boxed or kind.is_scalar):
        return []
    check = changes.heap.unit.use(runtime.check_array, "check_array")
    return [changes.out.tested(t.call(check, t.clone(now)))]


def named(out: Emitter, value: Any, kind: k.Kind | None) -> tuple[str, list]:
    """A name of a value, and the statement that gives it."""
    if isinstance(value, gast.Name):
        return value.id, []
    name = out.temporary("updated", kind)
    return name, [t.assign(name, value, out.heap.origin)]


def renewal(changes: Changes, kind: k.Kind, result: Any, now: Any, part: str) -> tuple[tuple[Step, ...], str, list]:
    """How what `op=` gives gets to where the old value is: as the new content of an array, or in place of a number."""
    dims = kind.dims if isinstance(kind, k.Num) and kind.boxed else None
    array = dims is not None
    if fits(kind, result) and not (array and layout_matters(changes, kind, result)):
        return (), part, []
    new = runtime.laid_out_as if array else runtime.renewed            # (a number or an array: known when it runs)
    name = changes.out.temporary("renewed", kind)
    helper = changes.heap.unit.use(new, new.__name__)
    return (), name, [t.assign(name, t.call(helper, t.clone(now), t.load(part)), changes.heap.origin)]


def layout_matters(changes: Changes, kind: k.Kind, result: Any) -> bool:
    """Whether an array may not lie row by row, or is reshaped: what `op=` gives must lie as it did."""
    if not changes.out.emitting or not isinstance(kind, k.Num) or not kind.boxed or len(kind.dims or (1, 1)) < 2:
        return False
    return bool(changes.reshapes.suspects) or changes.reshapes.reshaped or any(map(result_types.unordered, (kind, result)))


def augmentation(heap: PointsTo, name: str, target: call_targets.Target) -> str:
    text = source.expression_text(t.binop(t.load("a"), BINARY[target.object](), t.load("b")))
    return f"`{heap.spelling.of(name)} {text.split()[1]}= ...`"


def check_cast(heap: PointsTo, kind: k.Num, result: Any, statement: str) -> None:
    if kind.is_discrete and isinstance(result, k.Num) and result.is_discrete is False:
        raise UnsupportedError(f"{statement} of an integer array with floats", heap.origin,
                               "NumPy raises an error here: make the array with dtype=float.")


def may_take(heap: PointsTo, base: gast.Name, argument: Any, state: State) -> None:
    """A list or dict may hold what was given to it, or the items of that."""
    for place in heap.locs_of(base, state):
        names = [n for n in t.reads(argument) if mutable(heap.facts.kinds.get(n, k.ANY))]
        for n in names:
            locs = heap.locs_of(t.load(n), state)
            if repeats(state, [frozenset([place]), locs]):
                take(heap, place.then(SOME), place.then(SOME).somewhere(), state)
            for other in locs:
                take(heap, place.then(SOME), other, state)


def take(heap: PointsTo, slot: Loc, other: Loc, state: State) -> None:
    """An unknown part of a container holds an object."""
    slot = meant(slot.somewhere(), heap.sorts_at(other))
    if any(overlap(x, slot) for x in same_objects([other], state)):
        state.links[slot, slot] = False
    state.links[slot, other.somewhere() if other.path else other] = False


def is_shared(heap: PointsTo, s: Any, name: str, state: State) -> bool:
    """Whether a list may be the caller's, or a container that somebody still reads holds it, or it is among the values in which
    objects are replaced: these are kept as they were."""
    after = heap.after(s)
    mine = heap.locs_of(t.load(name), state)
    held = any(overlap(one, loc) and one.path[len(loc.path):] != (SOME,) and not (
        one.exact and len(one.path) > len(loc.path)) and heap.looked_at(
        other, state, after, frozenset(["list"]), frozenset([loc.root]))
        for pair in state.links for one, other in (pair, pair[::-1]) for loc in mine)
    given = not heap.unit.function.pure and any(heap.given(loc, state) for loc in mine)
    return held or given or not heap.passed.isdisjoint({name, *(loc.root for loc in mine)})


def numbered(out: Emitter, s: Any, place: Loc, state: State) -> list:
    """What is the last item of a list gets its number, before it is not the last one any more."""
    holders = certain_places(place, state)           # the list by all its names
    after = out.heap.after(s)
    pairs = [pair for pair, sure in state.links.items() if sure and any(at_end(x, holders) for x in pair)]
    names = [n for n, locs in state.locs.items() if n in after and any(at_end(x, holders) for x in locs)]
    tags, known = tags_at(place.then(LAST), out.heap.facts), frozenset([place.root])
    if not place.exact or not names and not any(out.heap.looked_at(x, state, after, tags, known) for pair in pairs for x in pair):
        shifted(holders, state)
        return []
    key = (-1, f"{out.heap.origin} {place}") if any(s is x for x in out.stand_ins) else (id(s), f"{place} ")
    number = out.variable(key, f"{place.root}_last", k.INT)
    outdated(number, state)
    by_name = index_step(t.load(number))
    taken = Step(by_name.text, frozenset([number, POSITION]), by_name.sort, by_name.node)

    def moved(x: Loc) -> Loc:
        holder = at_end(x, holders)
        return Loc(place.root, (*place.path, taken, *x.path[len(holder.path) + 1:]), x.exact) if holder else x

    state.links = {(moved(a), moved(b)): sure for (a, b), sure in state.links.items()}
    for name, locs in state.locs.items():
        state.locs[name] = frozenset(map(moved, locs))
    shifted(holders, state)
    holder, size = out.temporary("holder", k.ANY), out.temporary("size", k.INT)
    return [*out.read(place, holder), t.assign(size, t.call("len", t.load(holder)), out.heap.origin),
            t.assign(number, t.binop(t.load(size), gast.Sub(), t.const(1)), out.heap.origin)]


def outdated(number: str, state: State) -> None:
    """A number is about to change (in a loop): where it told a place, the place is not known any more."""
    def unknown(x: Loc) -> Loc:
        if number not in x.names:
            return x
        return Loc(x.root, tuple(SOME if number in item.names else item for item in x.path), False)

    for name, locs in state.locs.items():
        state.locs[name] = frozenset(x.somewhere() if number in x.names else x for x in locs)
    for pair in [p for p in state.links if any(number in x.names for x in p)]:
        del state.links[pair]
        state.links[unknown(pair[0]), unknown(pair[1])] = False


def _holds_closure(kind: k.Kind) -> bool:
    return isinstance(kind, k.Closure) or any(map(_holds_closure, k.parts(kind)))


def check_circle(heap: PointsTo, place: Loc, value: Loc, state: State, message: tuple[str, str] | None = None) -> None:
    """An object that holds what holds it is never at one place only. message: what is told, and what to write."""
    held, work = {value.root}, [value.root]
    while work and not value.path:
        root = work.pop()
        for pair in state.links:
            for one, other in (pair, pair[::-1]):
                if one.root == root and (one.path or not one.exact) and not other.path and other.exact and (
                        other.root not in held):
                    held.add(other.root)
                    work.append(other.root)
    inside = value.root == place.root and value.path == place.path[:len(value.path)] and value.exact
    if place.root in held and (inside or value.root != place.root):
        holder, held_one = heap.spelling.of(place.root), heap.spelling.of(value.root)
        what = f"'{holder}' and '{held_one}' hold each other" if holder != held_one else f"'{holder}' holds itself"
        raise UnsupportedError(*(message or (what,))[:1], heap.origin, message[1] if message else (
            "Keep the objects in a list, and let them hold positions in it."))


def at_end(loc: Loc, holders: list[Loc]) -> Loc | None:
    """The one of some lists whose last item a place is, or lies in."""
    return next((holder for holder in holders if surely_in(loc, holder.then(LAST))), None)


def shifted(holders: list[Loc], state: State) -> None:
    """What may have been the last item of a list is one of its items, when it has got longer. holders: all its names."""
    some = Loc(holders[0].root, (*holders[0].path, SOME), False)

    def moved(x: Loc) -> Loc:
        return some if at_end(x, holders) else x

    for pair in [p for p in state.links if any(at_end(x, holders) for x in p)]:
        del state.links[pair]
        new = moved(pair[0]), moved(pair[1])
        known = new in state.links or new[::-1] in state.links
        if known and not any(item.each for x in pair for item in x.path):        # the list holds it twice
            state.links[some, some] = False
        state.links[new] = False
    for name, locs in state.locs.items():
        state.locs[name] = frozenset(map(moved, locs))


def appended(heap: PointsTo, place: Loc, value: gast.Name, state: State) -> None:
    """The list at a place holds an object at its end: until it gets longer, it is known where."""
    if not mutable(heap.facts.of(value) or k.ANY):
        return
    locs = heap.locs_of(value, state)
    slot = place.then(SOME).somewhere()
    for other in locs:
        check_circle(heap, place, other, state)
        if any(overlap(x, slot) for x in same_objects([other], state)):             # it is there already
            again = meant(slot, heap.sorts_at(other))
            state.links[again, again] = False
        if place.exact and other.exact and len(locs) == 1:
            state.links[place.then(LAST), other] = True
        else:
            take(heap, place.then(SOME), other, state)


def fits(kind: Any, result: Any) -> bool:
    """Whether `x = x op v` is what `x op= v` leaves in x: same shape and dtype."""
    if not isinstance(kind, k.Num) or not isinstance(result, k.Num) or kind.dims is None or result.dims is None:
        return False
    if len(kind.dims) != len(result.dims):
        return False
    if any(a != b and not (k.many(a) and k.many(b)) for a, b in zip(kind.dims, result.dims)):
        return False
    return kind.dtype is not None and kind.dtype == result.dtype and len(kind.dims) > 0
