"""Arrays that objects hold and that change in place: they are places, told apart by their identity, as objects are.

    self.v = np.zeros(3)            v_values = np.zeros(3)
                                    v = new_array(memory_, v_values)
                                    memory_ = array_fill(memory_, v, v_values)
                                    memory_ = place_store(memory_, self, "v", v)
    self.v[k] += h                  memory_ = place_store(memory_, v, np.s_[k], place_load(memory_, v, np.s_[k]) + h)
    y = np.sum(self.v * x)          y = np.sum(place_load(memory_, v, "[...]") * x)

Only the arrays that are stored into an attribute, or given to a parameter, of which the array changes in place: `Unit.arrays` has
these, and where one more is found, all begins again. What is read is a copy of that time. Python reads a view; where that would be
another value by then, the program is refused."""
from __future__ import annotations

import functools
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.alias import Values, updates
from sourcegrad.analysis.objects import held_name
from sourcegrad.analysis.python_types import element_kind
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import MEMORY, Function, Unit
from sourcegrad.lowering.held_lists import (
    HEADERS,
    Contents,
    called,
    is_whole,
    keeps,
    loaded,
    moves,
    puts_into_places,
    stored,
    stores_parts,
)
from sourcegrad.lowering.place_kinds import ArraysChange, attributes, is_array
from sourcegrad.primitives.core import primitive_of


@functools.cache
def site(file: str, line: int, function: str, name: str) -> type:
    """The class of the arrays that are made at one place of a program."""
    members = {"__slots__": (), "__module__": file, "__qualname__": f"{function}.{name}_{line}"}
    return type(f"{name}_array_{line}", (k.HeldArray,), members)


# --- Which arrays are places

def parameter(function: Function, name: str) -> tuple:
    """What stands in `Unit.arrays` for a parameter."""
    origin = function.origin
    return ("parameter", str(getattr(origin, "file", "")), getattr(origin, "line", 0), function.name, name)


def result(function: Function) -> tuple:
    """What stands in `Unit.arrays` for what a function returns."""
    return parameter(function, "return")


def make_places(unit: Unit, facts: Any) -> bool:
    """Make the arrays places that are stored, or passed on, where a place is asked for. Whether there are any."""
    wanted = Wanted(unit, facts)
    wanted.find()
    if not wanted.names and not wanted.parts:
        return False

    def new(name: str, value: Any, origin: Any) -> list:
        cls = site(str(getattr(origin, "file", "")), getattr(origin, "line", 0), unit.function.name, name)
        values = unit.names.fresh(f"{name}_values")
        place = t.call(unit.use(runtime.new_array, "new_array"), t.load(MEMORY), t.load(unit.use(cls, cls.__name__)),
                       t.load(values))
        fill = t.call(unit.use(runtime.array_fill, "array_fill"), t.load(MEMORY), t.load(name), t.load(values))
        return [t.assign(values, value, origin), t.assign(name, place, origin), t.assign(MEMORY, fill, origin)]

    def made(s: Any) -> list:
        call = getattr(s, "value", None)
        name = s.targets[0].id if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
        if name in wanted.names and wanted.values.fresh(call) and not t.is_name(call):
            return new(name, call, t.origin_of(s))
        before: list = []
        arguments = call.args if isinstance(call, gast.Call) else []
        for j, argument in enumerate(arguments):
            if id(argument) in wanted.parts and wanted.values.fresh(argument):
                fresh = unit.names.fresh("array")
                before += new(fresh, argument, t.origin_of(s))
                arguments[j] = t.load(fresh)
        return [*before, s]

    before = t.mark(unit.tree)
    unit.tree.body = t.rewritten(unit.tree.body, made)
    return before != t.mark(unit.tree)


class Wanted:
    """The names of the arrays that have to be places where they are made."""

    def __init__(self, unit: Unit, facts: Any) -> None:
        self.unit, self.facts, self.values = unit, facts, Values(unit, facts.kinds)
        self.given = {key[-1] for key in unit.arrays if key[0] == "parameter"}
        self.names: set[str] = set()
        self.parts: dict[int, Any] = {}                     # arguments without names, by their ids
        self.made: dict[str, list] = {}
        pairs: dict[str, Any] = {}
        for s in t.statements(unit.tree.body):
            if isinstance(s, gast.Assign) and t.is_name(s.targets[0]):
                pairs[s.targets[0].id] = s.value
                self.made.setdefault(s.targets[0].id, []).append(s.value)
        for s in t.statements(unit.tree.body):
            if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple):
                pair = pairs.get(s.value.id) if t.is_name(s.value) else None
                for name in t.writes(s):
                    self.made.setdefault(name, []).append(pair if name != MEMORY else None)

    def find(self) -> None:
        function = self.unit.function
        if function.memory == "given":
            more = missing(self.unit, {parameter(function, name) for name in given_otherwise(self.unit, self.facts)})
            if more:
                raise ArraysChange(more)
        if function.memory == "given" and result(function) in self.unit.arrays:
            last = self.unit.tree.body[-1].value
            for value in self.made.get(last.id, []) if t.is_name(last) else [last]:
                self.add(value.elts[0] if isinstance(value, gast.Tuple) else value)
        for s in t.statements(self.unit.tree.body):
            call: Any = getattr(s, "value", None)
            for name in mixed(s, self.facts):
                self.add(t.load(name), True)
            if not isinstance(call, gast.Call):
                continue
            function = self.unit.lookup(call.func)
            if puts_into_places(function) and is_whole(call.args[2]):
                self.filled(call)
            elif puts_into_places(function):
                owner = self.facts.of(call.args[1])
                name = held_name(owner, call.args[2])
                if k.is_place(owner) and not k.is_held_array(owner) and self.asked(owner, name):
                    self.add(call.args[-1])
            elif function is runtime.index_store and isinstance(call.args[1], gast.Attribute):
                owner = self.facts.of(call.args[0])
                plain = self.unit.lookup(call.args[1].value) is runtime.at and k.is_place(owner) and not k.may_be_held(owner)
                if plain and self.asked(owner, call.args[1].attr):
                    self.add(call.args[2])
            elif self.given and keeps(function):
                self.passed(call)

    def filled(self, call: gast.Call) -> None:
        """The items of a new list, which have to be places where its items are."""
        owner, items = self.facts.of(call.args[1]), call.args[-1]
        if not k.is_place(owner) or not t.is_name(items) or not self.asked(owner, k.ITEM):
            return
        for value in self.made.get(items.id, []):
            for part in value.elts if isinstance(value, gast.List) else []:
                self.add(part)
        for s in t.statements(self.unit.tree.body):
            if t.list_method(s) == (items.id, "append"):
                self.add(s.value.args[0])

    def asked(self, owner: Any, name: str) -> bool:
        """Whether an attribute, a list or a dict holds arrays that are places."""
        held = k.held(self.facts.kinds.get(MEMORY), owner, name)
        return bool(attributes(name) & self.unit.arrays) or isinstance(held, k.Kind) and k.is_held_array(held)

    def passed(self, call: gast.Call) -> None:
        """The arguments of a call whose parameters have to be places."""
        target = call_targets.target_of(call, self.unit, self.facts.of)
        if target.function is None or target.stars or any(isinstance(a, gast.Starred) for a in target.args):
            return
        names = [name for name in self.given if parameter(target.function, name) in self.unit.arrays]
        if names:
            bound = call_targets.bind(target.function, target, self.unit)
            for name in names:
                if name in bound:
                    self.add(bound[name])

    def add(self, node: Any, mixed: bool = False) -> None:
        """What has to be a place: where it is made, or where it comes from."""
        if not mixed and not is_array(self.facts.of(node)):
            return
        more = missing(self.unit, source_of(node, self))
        if more:
            raise ArraysChange(more)
        if not t.is_name(node):
            self.parts[id(node)] = node
        elif node.id not in self.names:
            self.names.add(node.id)
            for value in self.made.get(node.id, []):
                if t.is_name(value):
                    self.add(value)

    def called(self, value: Any) -> Function | None:
        """The function of the user that an expression calls."""
        if not isinstance(value, gast.Call) or not keeps(self.unit.lookup(value.func)):
            return None
        return call_targets.target_of(value, self.unit, self.facts.of).function


def missing(unit: Unit, keys: set) -> set:
    return keys - unit.arrays


def source_of(node: Any, wanted: Wanted, seen: frozenset = frozenset()) -> set:
    """Attributes and parameters that an array comes from, as they stand in `Unit.arrays`."""
    unit, facts = wanted.unit, wanted.facts
    if isinstance(node, gast.Call) and unit.lookup(node.func) in (runtime.place_load, runtime.key_load, runtime.deque_load):
        owner = facts.of(node.args[1])
        return attributes(held_name(owner, node.args[2])) if k.is_place(owner) and not k.is_held_array(owner) else set()
    if isinstance(node, gast.Attribute) and k.is_place(facts.of(node.value)) and not k.may_be_held(facts.of(node.value)):
        return attributes(node.attr)
    if isinstance(node, gast.Subscript) and t.is_name(node.value) and node.value.id not in seen:
        shown = [x for x in wanted.made.get(node.value.id, []) if isinstance(x, (gast.Tuple, gast.List, gast.Dict))]
        parts = [part for x in shown for part in (x.values if isinstance(x, gast.Dict) else x.elts)]
        return set().union(*(source_of(part, wanted, seen | {node.value.id}) for part in parts))
    if not t.is_name(node) or node.id in seen:
        function = wanted.called(node)
        if function is not None:
            return {result(function)}
        if isinstance(node, gast.Call) and updates(unit.lookup(node.func)):
            return source_of(node.args[0], wanted, seen)
        return set()
    found: set = set()
    if node.id in unit.parameters and unit.function.memory == "given":
        found.add(parameter(unit.function, node.id))
    for value in wanted.made.get(node.id, []):
        found |= source_of(value, wanted, seen | {node.id})
    return found


def changed(unit: Unit, facts: Any, names: list[str]) -> None:
    """Arrays change in place that objects may hold: all begins again if it is known where they come from."""
    wanted = Wanted(unit, facts)
    more: set = set()
    for name in dict.fromkeys(names):
        if is_array(facts.kinds.get(name)):
            more |= missing(unit, source_of(t.load(name), wanted) or kept_in(name, wanted))
    if more:
        raise ArraysChange(more)


def kept_in(name: str, wanted: Wanted) -> set:
    """Attributes that an array is stored into, and parameters that it is given to."""
    unit, facts = wanted.unit, wanted.facts
    found: set = set()
    for s in t.statements(unit.tree.body):
        call: Any = getattr(s, "value", None)
        if not isinstance(call, gast.Call):
            continue
        if puts_into_places(unit.lookup(call.func)) and t.is_name(call.args[-1], name):
            owner = facts.of(call.args[1])
            found |= attributes(held_name(owner, call.args[2])) if k.is_place(owner) and not k.is_held_array(owner) else set()
        function = wanted.called(call)
        if function is not None and function.memory:
            target = call_targets.target_of(call, unit, facts.of)
            bound = call_targets.bind(function, target, unit) if not target.stars else {}
            found |= {parameter(function, other) for other, node in bound.items() if t.is_name(node, name)}
    return found


# --- What a program does with them

def rewritten(spec: Any, s: Any) -> list | None:
    """The statements for one that reads or changes arrays that are places; None: it does not."""
    found = changing(spec, s)
    if found is not None:
        return found
    contents = ArrayContents(spec.unit, spec.facts, t.origin_of(s), isinstance(s, gast.While))
    if isinstance(s, gast.Assign) and isinstance(s.value, (gast.Tuple, gast.List)) and t.is_name(s.targets[0]) and (
            any(map(contents.holds, s.value.elts)) and only_read(s.targets[0].id, spec.unit)):
        s.value.elts = [contents.whole(x) for x in s.value.elts]
    for name in HEADERS:
        node = getattr(s, name, None)
        if not isinstance(node, gast.AST):
            continue
        if not contents.holds(node):
            setattr(s, name, contents.visit(node))
        elif name in ("test", "iter") or isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) or (
                isinstance(s, gast.Return) and spec.unit.function.memory != "given"):
            setattr(s, name, contents.whole(node))
    return [*contents.before, s] if contents.found else None


def only_read(name: str, unit: Unit) -> bool:
    """Whether nobody gets a tuple or list of arrays but functions that compute with it, and who called the outermost function."""
    for s in t.statements(unit.tree.body):
        method = t.list_method(s)
        if method is not None and method[0] == name:
            return False
        value: Any = getattr(s, "value", None)
        if isinstance(s, gast.Return) and t.is_name(value, name):
            if unit.function.memory == "given":
                return False
            continue
        reads = sum(x == name for x in t.header_reads(s))
        computes = isinstance(value, gast.Call) and not keeps(called(value, unit)) and not moves(called(value, unit)) and (
            not stores_parts(called(value, unit)))
        if reads != (sum(t.is_name(a, name) for a in value.args) if computes else 0):
            return False
    return True


class ArrayContents(Contents):
    """Arrays that are places, where Python asks what they hold."""

    def holds(self, node: Any) -> bool:
        """Whether an expression is such an array."""
        if isinstance(node, gast.Name) or isinstance(node, gast.Call) and self.unit.lookup(node.func) is runtime.place_load:
            kind = self.facts.of(node)
            return kind is not None and k.is_held_array(kind)
        return False

    def whole(self, node: Any) -> Any:
        """The values of an array, as they are then."""
        if not self.holds(node):
            return self.visit(node)
        name = node.id if t.is_name(node) else "array"
        return self.bound(f"{name}_values", gast.copy_location(loaded(self.unit, self.visit(node), t.const(k.ALL)), node))

    def lists_arrays(self, node: Any) -> bool:
        """Whether an expression is a list that is a value, of arrays that are places."""
        kind = self.facts.of(node) if t.is_name(node) and not self.lazy else None
        shown = [s for s in t.statements(self.unit.tree.body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.List)
                 and s.value.elts and t.is_name(s.targets[0], getattr(node, "id", ""))]          # (its parts may be values by now)
        return not shown and isinstance(kind, k.Lst) and kind.item is not None and k.is_held_array(kind.item)

    def values_of(self, node: Any) -> Any:
        """`[place_load(memory_, v, "[...]") for v in vs]`"""
        fresh, use, origin = self.unit.names.fresh, self.unit.use, self.origin
        items, count, span, index, item, values = map(fresh, (f"{node.id}_values", "count", "span", "k", "array", "values"))
        append = t.call(t.attribute(t.load(items), "append"), t.load(values))
        self.found = True
        self.before += [
            t.assign(items, gast.List(elts=[], ctx=t.LOAD), origin),
            t.assign(count, t.call(use(len, "len"), t.clone(node)), origin),
            t.assign(span, t.call(use(range, "range"), t.load(count)), origin),
            t.for_(index, t.load(span), [t.assign(item, t.subscript(t.clone(node), t.load(index)), origin),
                                         t.assign(values, loaded(self.unit, t.load(item), t.const(k.ALL)), origin),
                                         t.effect(append, origin)], origin)]
        return t.load(items)

    def size(self, node: Any) -> Any:
        return self.whole(node)

    def visit_Call(self, node: Any) -> Any:
        function = called(node, self.unit)
        method = isinstance(node.func, gast.Attribute) and self.unit.lookup(node.func) is MISSING
        if method and not self.holds(node.func.value) and not is_array(self.facts.of(node.func.value)):
            return self.generic_visit(node)                 # of an object or a list, which may keep the array
        if method:
            node.func.value = self.whole(node.func.value)
        if function is runtime.place_store and k.is_held_array(self.facts.of(node.args[1]) or k.ANY):
            node.args[3] = self.whole(node.args[3])         # (what it is was not known when this was written)
            return node
        if keeps(function) and not method or stores_parts(function) or moves(function):
            return self.generic_visit(node)
        computes = isinstance(function, np.ufunc) or str(getattr(function, "__module__", "")).startswith("numpy")
        node.args = [self.values_of(a) if computes and self.lists_arrays(a) else self.whole(a) for a in node.args]
        for word in node.keywords:
            word.value = self.whole(word.value)
        return node

    def visit_UnaryOp(self, node: Any) -> Any:
        node.operand = self.whole(node.operand)
        return node

    def visit_Attribute(self, node: Any) -> Any:
        if self.unit.lookup(node) is not runtime and self.holds(node.value):
            node.value = self.whole(node.value)
            return node
        return self.generic_visit(node)

    def visit_Subscript(self, node: Any) -> Any:
        node.slice = self.index(node.slice)
        if not self.holds(node.value):
            node.value = self.visit(node.value)
            return node
        if not is_basic(node.slice, self.facts):
            node.value = self.whole(node.value)
            return node
        self.found = True
        return gast.copy_location(loaded(self.unit, self.visit(node.value), part(self.unit, node.slice)), node)


    def index(self, node: Any) -> Any:
        """An index, with the values of arrays in it."""
        if isinstance(node, gast.Tuple):
            node.elts = [self.index(x) for x in node.elts]
            return node
        if isinstance(node, gast.Slice):
            for name in ("lower", "upper", "step"):
                if getattr(node, name) is not None:
                    setattr(node, name, self.whole(getattr(node, name)))
            return node
        return self.whole(node)


def part(unit: Unit, index: Any) -> Any:
    """np.s_[index]"""
    return t.subscript(t.dotted(f"{unit.use(np, 'np')}.s_"), t.clone(index))


def is_basic(index: Any, facts: Any) -> bool:
    """Whether an index certainly selects a view, or one element: numbers, slices, None and the ellipsis."""
    for item in index.elts if isinstance(index, gast.Tuple) else [index]:
        if isinstance(item, gast.Slice) or isinstance(item, gast.Constant) and (item.value is None or item.value is ...):
            continue
        kind = k.as_num(facts.of(item) or k.ANY)
        if not isinstance(kind, k.Num) or not kind.is_scalar or not kind.is_discrete or kind.dtype in (None, "bool"):
            return False
    return True


def changing(spec: Any, s: Any) -> list | None:
    """The statements for one that changes an array in place."""
    unit, facts, origin = spec.unit, spec.facts, t.origin_of(s)
    call: Any = getattr(s, "value", None)
    if not isinstance(s, (gast.Assign, gast.Expr)):
        return None
    contents = ArrayContents(unit, facts, origin)
    if isinstance(call, gast.BinOp) and t.is_in_place(call) and contents.holds(call.left):
        return renewed(spec, s, contents, call, "left")
    if not isinstance(call, gast.Call):
        return None
    function = unit.lookup(call.func)
    if not call.args or not contents.holds(call.args[0]) or not hashable(function):
        return None
    if function not in INPLACE_OF and not primitive_of(function).mutates:
        return None
    where = call.args[1].slice if stores_parts(function) and isinstance(call.args[1], gast.Subscript) else None
    if where is None or not is_basic(where, facts):
        return renewed(spec, s, contents, call, "args")
    place, value = t.clone(call.args[0]), contents.whole(call.args[2])
    if isinstance(facts.of(call.args[2]), (k.Lst, k.Tup)):
        value = t.call(t.dotted(f"{unit.use(np, 'np')}.array"), value)
    if not isinstance(value, (gast.Name, gast.Constant)):
        value = contents.bound("values", value)
    again = [] if t.is_name(s.targets[0], getattr(place, "id", "")) else [t.assign(s.targets[0].id, t.clone(place), origin)]
    return [*contents.before, stored(unit, place, part(unit, where), value, origin), *again]


def renewed(spec: Any, s: Any, contents: ArrayContents, call: Any, operand: str) -> list:
    """A change of a copy of all values, which is then what the array holds."""
    unit, origin = spec.unit, t.origin_of(s)
    place = call.left if operand == "left" else call.args[0]
    values, copied = contents.whole(t.clone(place)), unit.names.fresh("values")
    copy = t.assign(copied, t.call(t.dotted(f"{unit.use(np, 'np')}.copy"), values), origin)
    if operand == "left" and is_plain(call, spec.facts):      # a + v has the dtype of a
        others, result = ArrayContents(unit, spec.facts, origin), unit.names.fresh("values")
        right = others.whole(call.right)
        again = [] if t.is_name(s.targets[0], getattr(place, "id", "")) else [t.assign(s.targets[0].id, t.clone(place), origin)]
        return [*contents.before, *others.before, t.assign(result, t.binop(values, call.op, right), origin),
                stored(unit, t.clone(place), t.const(k.ALL), t.load(result), origin), *again]
    if operand == "left":
        call.left = t.load(copied)
    else:
        call.args[0] = t.load(copied)
    function = unit.lookup(call.func) if isinstance(call, gast.Call) else None
    gives = operand == "left" or (function in INPLACE_OF or stores_parts(function))
    others = ArrayContents(unit, spec.facts, origin)
    if stores_parts(function):
        call.args[-1] = others.whole(call.args[-1])
    s.value = others.visit(call)
    if stores_parts(unit.lookup(call.func) if isinstance(call, gast.Call) else None) and not isinstance(
            call.args[-1], (gast.Name, gast.Constant)):
        call.args[-1] = others.bound("values", call.args[-1])
    again = []
    if gives:
        again = [t.assign(s.targets[0].id, t.clone(place), origin)] if not t.same(s.targets[0], place) and not t.is_name(
            s.targets[0], getattr(place, "id", "")) else []
        s.targets = [t.store(copied)]
    return [*contents.before, copy, *others.before, s, stored(unit, t.clone(place), t.const(k.ALL), t.load(copied), origin),
            *again]


def is_plain(node: gast.BinOp, facts: Any) -> bool:
    """Whether `x op= v` gives what `x op v` does, but for rounding to the dtype of the array."""
    whole = k.held(facts.kinds.get(MEMORY), facts.of(node.left), k.ALL)
    right: Any = facts.of(node.right) or k.ANY
    right = k.as_num(k.held(facts.kinds.get(MEMORY), right, k.ALL) or k.ANY if k.is_held_array(right) else right)
    return isinstance(whole, k.Num) and isinstance(right, k.Num) and (
        whole.dtype == "complex128" or whole.dtype in ("float64", "float32") and right.is_complex is False)


# --- Views, which a copy of that time stands for

Sites = frozenset[type]                 # the places of the program where arrays are made


def sites(kind: Any) -> Sites:
    """Where an array that is a place may have been made: two arrays of other sites are never one."""
    if kind is None or not k.is_place(kind) or not k.is_held_array(kind):
        return frozenset()
    return frozenset(item.cls for item in (kind.items if isinstance(kind, k.OneOf) else [kind]))


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


def mixed(s: Any, facts: Any) -> list[str]:
    """The names that a statement gives something else where others give them arrays that are places."""
    if not isinstance(s, (gast.Assign, gast.For)):
        return []
    target = s.target if isinstance(s, gast.For) else s.targets[0]
    names = t.target_names(target)
    if not any(sites(facts.kinds.get(name)) for name in names):
        return []
    kind = element_kind(facts.of(s.iter)) if isinstance(s, gast.For) else facts.of(s.value)
    kinds = [kind] * len(names)
    if isinstance(target, gast.Tuple):
        kinds = list(kind.items) if isinstance(kind, k.Tup) and len(kind.items) == len(names) else [element_kind(kind)] * len(names)
    return [name for name, found in zip(names, kinds) if sites(facts.kinds.get(name)) and found is not None and (
        not sites(found) and found != k.Const(None))]


def given_otherwise(unit: Unit, facts: Any) -> set[str]:
    """The parameters that are no places, and that are given arrays that are places later."""
    return {name for name in unit.parameters if sites(facts.kinds.get(name)) and is_array(facts.given.get(name))}


def check_views(unit: Unit, facts: Any, effects: Any) -> None:
    """Refuse parts of arrays that are read after these have changed: Python would see the change."""
    what = "an array that others may hold, among arrays that change in place and that objects hold"
    for s in t.statements(unit.tree.body):
        if mixed(s, facts):
            raise UnsupportedError(what, t.origin_of(s), "Make a copy of it.")
    if given_otherwise(unit, facts):
        raise UnsupportedError(what, unit.function.origin, "Make a copy of it.")
    Views(unit, facts, effects).block(unit.tree.body, set())


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
            raise UnsupportedError("a view of an array that changes in place, which an object would hold", t.origin_of(s),
                                   "Store a copy of it, or index the array where the view is used.")
        does, bound = called_effects(s.value, self.unit, self.facts, self.effects) if isinstance(
            getattr(s, "value", None), gast.Call) else (None, {})
        for node in bound.values():
            if does is not None and not does.stores.isdisjoint(self.shares(node)):
                raise UnsupportedError(f"`{source.expression_text(node)}`, a part of an array that changes in the call",
                                       t.origin_of(s), "Pass a copy of it, or the array and an index.")
        for name in t.header_reads(s):
            if name in old:
                raise UnsupportedError(f"`{name}`, a part of an array that an object holds and that has changed since",
                                       t.origin_of(s), f"Read it again, or copy it: {name} = {name}.copy().")

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
                old |= {name for name in written if not changed.isdisjoint(self.names.get(name, ()))}
            else:
                changed = changes(s, self.unit, self.facts, self.effects)
                old = old - set(t.writes(s))
                old |= {name for name, found in self.names.items() if not found.isdisjoint(changed)} if changed else set()
        return old


def stores_of(block: list, views: Views) -> Sites:
    """The arrays that a block changes."""
    return frozenset().union(*(changes(s, views.unit, views.facts, views.effects) for s in t.statements(block)))


def check_stores(call: Any, s: Any, unit: Unit, facts: Any) -> None:
    """Refuse arrays of which it is not known who else holds them, among arrays that are places."""
    owner, value = facts.of(call.args[1]), facts.of(call.args[-1])
    name = held_name(owner, call.args[2])
    if k.is_place(owner) and k.is_held_array(owner) and not isinstance(k.as_num(value or k.ANY), k.Num):
        raise UnsupportedError("what is stored into an array that an object holds, which is not known to be numbers",
                               source.locate(call.args[-1], t.origin_of(s)), "Make an array of it: np.array(...).")
    if not k.is_place(owner) or k.is_held_array(owner):
        return
    names = [name] if is_array(value) else []
    if name == k.WHOLE and isinstance(value, k.Dct):
        names = [k.entry_name(owner, key) for key, item in value.items if is_array(item)]
    elif name == k.WHOLE and isinstance(value, (k.Lst, k.Map)) and is_array(value.item):
        names = [k.ITEM]
    for name in names:
        check_array(name, owner, call, s, unit, facts)


def check_array(name: str, owner: Any, call: Any, s: Any, unit: Unit, facts: Any) -> None:
    """Refuse an array that is no place where what holds it under a name holds places."""
    found = attributes(name)
    if found & unit.arrays or k.is_held_array(k.held(facts.kinds.get(MEMORY), owner, name) or k.ANY):
        more = found - unit.arrays
        if more:
            raise ArraysChange(more)
        raise UnsupportedError("an array that others may hold, where an object holds arrays that change in place",
                               source.locate(call.args[-1], t.origin_of(s)), "Store a copy of it.")
