"""Views of arrays that change in place and that objects hold.

What is read of such an array is a copy of that time (`held_arrays`). Where Python's view would be something else by then, or
changes itself, or is held by others, it is a place, too: its adjoint is the same view of the adjoint of its array.

    row = self.v[k]                 row = place_view(memory_, v, np.s_[k])
                                    memory_ = view_fill(memory_, row, v, np.s_[k])
    row[0] += h                     memory_ = place_store(memory_, row, np.s_[0], place_load(memory_, row, np.s_[0]) + h)

`Unit.arrays` has the names of these, and where one more is found, all begins again."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.alias import Values
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import MEMORY, Function, Unit
from sourcegrad.lowering.held_arrays import (
    ArrayContents,
    Sites,
    Wanted,
    given_otherwise,
    missing,
    mixed,
    result,
    site,
    sites,
    source_of,
    unnamed,
    view,
)
from sourcegrad.lowering.held_lists import keeps, puts_into_places, stores_parts
from sourcegrad.lowering.place_kinds import ArraysChange
from sourcegrad.lowering.view_expressions import View, viewed

# --- The places that views are

def made(spec: Any, s: Any) -> list | None:
    """The statements for one that makes views that are places."""
    unit, facts, origin = spec.unit, spec.facts, t.origin_of(s)
    if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and view(unit.function, s.targets[0].id) in unit.arrays:
        name = s.targets[0].id
        shown, contents = beneath(viewed(s.value, unit, facts), unit), ArrayContents(unit, facts, origin)
        if shown is not None and contents.holds(shown.base):
            own, new = new_view(name, shown, contents)
            return new if own == name else [*new, t.assign(name, t.load(own), origin)]
    before: list = []
    for parts, k_part in taken(s, unit):
        shown, contents = beneath(viewed(parts[k_part], unit, facts), unit), ArrayContents(unit, facts, origin)
        returned = isinstance(s, gast.Return) and result(unit.function) in unit.arrays
        if shown is not None and contents.holds(shown.base) and (returned or unnamed(unit, shown) in unit.arrays):
            own, new = new_view(unit.names.fresh("view"), shown, contents)
            before += new
            parts[k_part] = t.load(own)
    return [*before, s] if before else None


def beneath(shown: View | None, unit: Unit) -> View | None:
    """A view of a copy of all that an array holds, as one of the array."""
    if shown is None or not t.is_name(shown.base):
        return shown
    made = [s for s in t.statements(unit.tree.body) if shown.base.id in t.writes(s)]
    value: Any = getattr(made[0], "value", None) if len(made) == 1 else None
    whole = isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.place_load and t.same(value.args[2], t.const(k.ALL))
    if not whole or not t.is_name(value.args[1]) or sum(value.args[1].id in t.writes(s) for s in t.statements(unit.tree.body)) > 1:
        return shown
    return View(t.clone(value.args[1]), shown.how, shown.args)


def taken(s: Any, unit: Unit) -> list[tuple[list, int]]:
    """What a statement puts into a container or hands on to a function of the user, as (list of nodes, position)."""
    value: Any = getattr(s, "value", None)
    if isinstance(s, gast.Return):
        pair = isinstance(value, gast.Tuple) and unit.function.memory == "given"
        return [(value.elts, 0)] if pair else []
    found: list = []
    shown = [value] if isinstance(value, (gast.Tuple, gast.List, gast.Dict)) else []
    if isinstance(value, gast.Call):
        function, method = unit.called(value), t.list_method(s)
        if method is not None or keeps(function) or stores_parts(function) or puts_into_places(function):
            found += [(value.args, j) for j in range(len(value.args))]
            shown += [x for x in value.args if isinstance(x, (gast.Tuple, gast.List, gast.Dict))]
    while shown:
        node = shown.pop()
        parts = node.values if isinstance(node, gast.Dict) else node.elts
        found += [(parts, j) for j in range(len(parts))]
        shown += [x for x in parts if isinstance(x, (gast.Tuple, gast.List, gast.Dict))]
    return found


def new_view(name: str, shown: View, contents: ArrayContents) -> tuple[str, list]:
    """The name of a view that is a place (this one, if that is not read there), and the statements that make it."""
    unit, origin = contents.unit, contents.origin
    base = shown.base if t.is_name(shown.base) else contents.bound("array", contents.visit(shown.base))
    args = [contents.whole(a) for a in shown.args]
    if isinstance(shown.how, gast.Subscript):
        contents.index(shown.how.slice)
    own = unit.names.fresh(name) if name in {*t.reads(base), *(n for a in args for n in t.reads(a)), *t.reads(shown.how)} else name
    cls = site(str(getattr(origin, "file", "")), getattr(origin, "line", 0), unit.function.name, name, True)
    made = t.call(unit.use(runtime.place_view, "place_view"), t.load(MEMORY), t.load(unit.use(cls, cls.__name__)), base,
                  shown.how, *args)
    fill = t.call(unit.use(runtime.view_fill, "view_fill"), t.load(MEMORY), t.load(own), *map(t.clone, made.args[2:]))
    return own, [*contents.before, t.assign(own, made, origin), t.assign(MEMORY, fill, origin)]


# --- Views that a copy of that time stands for

def summary(unit: Unit, facts: Any, effects: Any) -> dict[str, frozenset]:
    """What a caller has to know: the arrays that are places and that a function changes, or of which its result may be a view; the
    parameters that objects hold from then on."""
    views = Views(unit, facts, effects)
    kept: frozenset = frozenset().union(*(views.kept(s) for s in t.statements(unit.tree.body)))
    shown = views.shares(unit.tree.body[-1].value) if isinstance(unit.tree.body[-1], gast.Return) else frozenset()
    return {"stores": frozenset().union(*(changes(s, unit, facts, effects) for s in t.statements(unit.tree.body))),
            "shown": frozenset(x for x in shown if isinstance(x, type)),
            "kept": frozenset(x for x in kept if isinstance(x, str))}


def changes(s: Any, unit: Unit, facts: Any, effects: Any) -> Sites:
    """The arrays that are places and that a statement changes."""
    call: Any = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or not isinstance(call, gast.Call):
        return frozenset()
    if unit.lookup(call.func) is runtime.place_store:
        return sites(facts.of(call.args[1]))
    found: Sites = getattr(called_effects(call, unit, facts, effects)[0], "stores", frozenset())
    return found


def called_effects(call: gast.Call, unit: Unit, facts: Any, effects: Any) -> tuple[Any, dict[str, Any]]:
    """What a function of the user does that a call calls with the state of objects, and its arguments; (None, {}): another call."""
    function = unit.lookup(call.func)
    if not isinstance(function, Function) or not function.memory:
        return None, {}
    target = call_targets.target_of(call, unit, facts.of)
    bound: Any = call_targets.bind(function, target, unit)
    kinds = {name: facts.of(node) for name, node in bound.items()}
    return (effects(function, kinds) if None not in kinds.values() else None), bound


def check_views(unit: Unit, facts: Any, effects: Any) -> None:
    """Refuse parts of arrays that are read after these have changed: Python would see the change."""
    what = "an array that others may hold, among arrays that change in place and that objects hold"
    for s in t.statements(unit.tree.body):
        if mixed(s, facts):
            raise UnsupportedError(what, t.origin_of(s), "Make a copy of it.")
    memory = facts.kinds.get(MEMORY)
    for name, kind in facts.kinds.items():
        several = kind.items if isinstance(kind, k.OneOf) and k.is_held_array(kind) else ()
        contents = [k.held(memory, one, k.ALL) for one in several]
        if len({getattr(k.as_num(content or k.ANY), "is_complex", None) for content in contents}) > 1:
            raise UnsupportedError(f"`{name}`, an array that is complex at some times and not at others", unit.function.origin,
                                   "Make all of them complex.")
    if given_otherwise(unit, facts):
        raise UnsupportedError(what, unit.function.origin, "Make a copy of it.")
    Views(unit, facts, effects).block(unit.tree.body, set())


def overlap(a: frozenset, b: frozenset) -> bool:
    """Whether two arrays may be one, or a view of the other. (A view may be one of any array.)"""
    if a and b and any(isinstance(x, type) and issubclass(x, k.HeldView) for x in a | b):
        return any(isinstance(x, type) for x in a) and any(isinstance(x, type) for x in b)
    return not a.isdisjoint(b)


class Views:
    """Names that stand for memory of arrays that are places, and those whose values are out of date."""

    def __init__(self, unit: Unit, facts: Any, effects: Any) -> None:
        self.unit, self.facts, self.effects = unit, facts, effects
        self.values = Values(unit, facts.kinds)
        self.names: dict[str, frozenset] = {n: frozenset([n]) for n in unit.parameters if self.mutable(n)}
        before: dict[str, frozenset] | None = None
        while before != self.names:
            before = dict(self.names)
            for s in t.statements(unit.tree.body):
                self.note(s)

    def note(self, s: Any) -> None:
        method = t.list_method(s)
        if method is not None:
            for value in s.value.args:
                self.add(method[0], self.shares(value))
        value = getattr(s, "iter", None) if isinstance(s, gast.For) else getattr(s, "value", None)
        if isinstance(s, (gast.Assign, gast.For)) and value is not None:
            found = self.shares(value)
            targets = [s.target] if isinstance(s, gast.For) else s.targets
            for name in [name for target in targets for name in t.target_names(target)] if found else ():
                self.add(name, found if self.mutable(name) else frozenset())

    def add(self, name: str, found: frozenset) -> None:
        if found:
            self.names[name] = self.names.get(name, frozenset()) | found

    def mutable(self, name: str) -> bool:
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        return not (isinstance(kind, k.Num) and kind.is_scalar or isinstance(kind, (k.Const, k.State)) or k.is_place(kind))

    def kept(self, s: Any) -> frozenset:
        """The arrays and parameters of whose memory a statement gives some to an object."""
        call: Any = getattr(s, "value", None)
        if not isinstance(call, gast.Call):
            return frozenset()
        function = self.unit.lookup(call.func)
        if puts_into_places(function) and not sites(self.facts.of(call.args[1])):
            return self.shares(call.args[-1])
        does, bound = called_effects(call, self.unit, self.facts, self.effects)
        return frozenset().union(*(self.shares(bound[name]) for name in getattr(does, "kept", ()) if name in bound))

    def shares(self, value: Any) -> frozenset:
        """The arrays (by their sites) and parameters whose memory an expression gives, or something that holds some of it."""
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.place_load:
            return sites(self.facts.of(value.args[1]))
        if isinstance(value, (gast.Subscript, gast.Attribute)):
            return self.shares(value.value)
        parts: list = []
        shown: frozenset = frozenset()
        if isinstance(value, gast.Call):
            shown = getattr(called_effects(value, self.unit, self.facts, self.effects)[0], "shown", frozenset())
        if isinstance(value, (gast.Tuple, gast.List)):
            parts = value.elts
        elif isinstance(value, gast.Call) and not self.values.fresh(value):
            parts = [*value.args, *(word.value for word in value.keywords)]
            if isinstance(value.func, gast.Attribute) and not t.is_name(value.func.value, "np"):
                parts.append(value.func.value)
        elif not isinstance(value, gast.Call):
            return frozenset().union(*(self.names.get(name, frozenset()) for name in self.values.held(value)))
        return shown.union(*map(self.shares, parts))

    def check(self, s: Any, old: set[str]) -> None:
        if any(isinstance(x, type) for x in self.kept(s)):
            self.again([*s.value.args, *(word.value for word in s.value.keywords)])
            raise UnsupportedError("a view of an array that changes in place, which an object would hold", t.origin_of(s),
                                   "Store a copy of it, or index the array where the view is used.")
        does, bound = called_effects(s.value, self.unit, self.facts, self.effects) if isinstance(
            getattr(s, "value", None), gast.Call) else (None, {})
        for node in bound.values():
            if does is not None and overlap(does.stores, self.shares(node)):
                self.again([node])
                raise UnsupportedError(f"`{source.expression_text(node)}`, a part of an array that changes in the call",
                                       t.origin_of(s), "Pass a copy of it, or the array and an index.")
        for name in t.header_reads(s):
            if name in old:
                self.again([t.load(name)])
                raise UnsupportedError(f"`{name}`, a part of an array that an object holds and that has changed since",
                                       t.origin_of(s), f"Read it again, or copy it: {name} = {name}.copy().")

    def again(self, nodes: list) -> None:
        """Begin again with places for what is a view of an array."""
        wanted = Wanted(self.unit, self.facts)
        more = missing(self.unit, set().union(*(source_of(node, wanted) for node in nodes if self.shares(node))))
        if more:
            raise ArraysChange(more)

    def block(self, block: list, old: set[str]) -> set[str]:
        """The names that are out of date behind a block. old: before it."""
        for s in block:
            self.check(s, old)
            if isinstance(s, gast.If):
                old = self.block(s.body, set(old)) | self.block(s.orelse, set(old))
            elif isinstance(s, (gast.For, gast.While)):
                again = self.block(s.body, set(old)) | old
                old = old | self.block(s.body, again)
                if isinstance(s, gast.While):
                    self.check(s, old)
                changed = stores_of(s.body, self)                            # (and left early)
                written = {n for x in t.statements(s.body) for n in t.writes(x)}
                old |= {name for name in written if overlap(changed, self.names.get(name, frozenset()))}
            else:
                changed = changes(s, self.unit, self.facts, self.effects)
                old = old - set(t.writes(s))
                old |= {name for name, found in self.names.items() if overlap(changed, found)} if changed else set()
        return old


def stores_of(block: list, views: Views) -> Sites:
    """The arrays that a block changes."""
    return frozenset().union(*(changes(s, views.unit, views.facts, views.effects) for s in t.statements(block)))
