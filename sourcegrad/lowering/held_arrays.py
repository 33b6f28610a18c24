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
    is_whole,
    keeps,
    loaded,
    moves,
    puts_into_places,
    stored,
    stores_parts,
)
from sourcegrad.lowering.place_kinds import ArraysChange, attributes, is_array
from sourcegrad.lowering.view_expressions import View, is_basic, part, viewed
from sourcegrad.primitives.core import primitive_of


@functools.cache
def site(file: str, line: int, function: str, name: str, view: bool = False) -> type:
    """The class of the arrays, or views, that are made at one place of a program."""
    members = {"__slots__": (), "__module__": file, "__qualname__": f"{function}.{name}_{line}"}
    return type(f"{name}_{'view' if view else 'array'}_{line}", (k.HeldView if view else k.HeldArray,), members)


# --- Which arrays are places

def parameter(function: Function, name: str) -> tuple:
    """What stands in `Unit.arrays` for a parameter."""
    origin = function.origin
    return ("parameter", str(getattr(origin, "file", "")), getattr(origin, "line", 0), function.name, name)


def result(function: Function) -> tuple:
    """What stands in `Unit.arrays` for what a function returns."""
    return parameter(function, "return")


def view(function: Function, name: str) -> tuple:
    """What stands in `Unit.arrays` for a name of a view."""
    return ("view", *parameter(function, name)[1:])


def make_places(unit: Unit, facts: Any) -> bool:
    """Make the arrays places that are stored, or passed on, where a place is asked for. Whether there are any."""
    wanted = Wanted(unit, facts)
    wanted.find()
    if not wanted.names and not wanted.parts:
        return False

    def made(s: Any) -> list:
        call = getattr(s, "value", None)
        name = s.targets[0].id if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
        if name in wanted.names and wanted.values.fresh(call) and not t.is_name(call):
            return new_array(unit, name, call, t.origin_of(s))
        before: list = []
        arguments = call.args if isinstance(call, gast.Call) else []
        for j, argument in enumerate(arguments):
            if id(argument) in wanted.parts and wanted.values.fresh(argument):
                fresh = unit.names.fresh("array")
                before += new_array(unit, fresh, argument, t.origin_of(s))
                arguments[j] = t.load(fresh)
        return [*before, s]

    before = t.mark(unit.tree)
    unit.tree.body = t.rewritten(unit.tree.body, made)
    return before != t.mark(unit.tree)


def new_array(unit: Unit, name: str, value: Any, origin: Any) -> list:
    """The statements that make a place of the values of an array."""
    cls = site(str(getattr(origin, "file", "")), getattr(origin, "line", 0), unit.function.name, name)
    before, values = ([], value) if t.is_name(value) else ([t.assign(unit.names.fresh(f"{name}_values"), value, origin)], value)
    if before:
        values = t.load(before[0].targets[0].id)
    place = t.call(unit.use(runtime.new_array, "new_array"), t.load(MEMORY), t.load(unit.use(cls, cls.__name__)), values)
    fill = t.call(unit.use(runtime.array_fill, "array_fill"), t.load(MEMORY), t.load(name), t.clone(values))
    return [*before, t.assign(name, place, origin), t.assign(MEMORY, fill, origin)]


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
                pair = pairs.get(s.value.id, s.value) if t.is_name(s.value) else None
                for name in t.writes(s):
                    self.made.setdefault(name, []).append(pair if name != MEMORY else None)

        for s in t.statements(unit.tree.body):
            method = t.list_method(s)
            if method is not None and method[1] in ("append", "insert"):
                self.made.setdefault(method[0], []).append(s.value.args[-1])

    def find(self) -> None:
        function = self.unit.function
        if function.memory == "given":
            more = missing(self.unit, {parameter(function, name) for name in given_otherwise(self.unit, self.facts)})
            if more:
                raise ArraysChange(more)
        if function.memory == "given" and result(function) in self.unit.arrays:
            last = self.unit.tree.body[-1].value
            for value in self.made.get(last.id, []) if t.is_name(last) else [last]:
                self.returned(value.elts[0] if isinstance(value, gast.Tuple) else value)
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

    def returned(self, value: Any) -> None:
        """What a function returns, or the parts of that."""
        for one in self.made.get(value.id, []) if t.is_name(value) and not is_array(self.facts.of(value)) else [value]:
            for item in one.elts if isinstance(one, gast.Tuple) else [one]:
                self.add(item)

    def filled(self, call: gast.Call) -> None:
        """The items of a new list, which have to be places where its items are."""
        owner, items = self.facts.of(call.args[1]), call.args[-1]
        if not k.is_place(owner) or not t.is_name(items) or not self.asked(owner, k.ITEM):
            return
        for value in self.made.get(items.id, []):
            for item in value.elts if isinstance(value, gast.List) else []:
                self.add(item)
        for s in t.statements(self.unit.tree.body):
            if t.list_method(s) == (items.id, "append"):
                self.add(s.value.args[0])

    def asked(self, owner: Any, name: str) -> bool:
        """Whether an attribute, a list or a dict holds arrays that are places."""
        held = k.held(self.facts.kinds.get(MEMORY), owner, name)
        return bool(attributes(name) & self.unit.arrays) or isinstance(held, k.Kind) and k.is_held_array(held)

    def loaded(self, value: Any) -> Any:
        """The kind of what an attribute holds, where a value is a load of it."""
        if not isinstance(value, gast.Call) or self.unit.lookup(value.func) is not runtime.place_load:
            return None
        owner, memory = self.facts.of(value.args[1]), self.facts.kinds.get(MEMORY)
        return k.held_unless_none(memory, owner, held_name(owner, value.args[2])) if k.is_place(owner) else None

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
            self.shown(node, None)
        elif node.id not in self.names:
            self.names.add(node.id)
            for value in self.made.get(node.id, []):
                if t.is_name(value):
                    self.add(value)
                self.shown(value, node.id)

    def shown(self, value: Any, name: str | None) -> None:
        """If it is a view, it is made one that is a place, and so is its array. name: its name."""
        found = viewed(value, self.unit, self.facts)
        if found is not None:
            key = unnamed(self.unit, found) if name is None else view(self.unit.function, name)
            if missing(self.unit, {key}):
                raise ArraysChange({key})
            self.add(found.base)

    def called(self, value: Any) -> Function | None:
        """The function of the user that an expression calls."""
        if not isinstance(value, gast.Call) or not keeps(self.unit.lookup(value.func)):
            return None
        return call_targets.target_of(value, self.unit, self.facts.of).function


def missing(unit: Unit, keys: set) -> set:
    return keys - unit.arrays - {PLACE}


PLACE = ("place",)                      # stands for an array that is a place already, where `source_of` tells what one comes from


def unnamed(unit: Unit, shown: View) -> tuple:
    """What stands in `Unit.arrays` for a view without a name, which a container or a function takes."""
    return view(unit.function, " ".join(source.expression_text(x) for x in (shown.base, shown.how, *shown.args)))


def source_of(node: Any, wanted: Wanted, seen: frozenset = frozenset()) -> set:
    """Attributes and parameters that an array comes from, as they stand in `Unit.arrays`."""
    unit, facts = wanted.unit, wanted.facts
    shown = viewed(node, unit, facts)
    if shown is not None:
        below = source_of(shown.base, wanted, seen)
        return {*below, unnamed(unit, shown)} if below else below
    if isinstance(node, (gast.Tuple, gast.List, gast.Dict)):
        return set().union(*(source_of(x, wanted, seen) for x in (node.values if isinstance(node, gast.Dict) else node.elts)))
    if isinstance(node, (gast.Name, gast.Call)) and k.is_held_array(facts.of(node) or k.ANY):
        return {PLACE}
    if isinstance(node, gast.Call) and unit.lookup(node.func) in (runtime.place_load, runtime.key_load, runtime.deque_load):
        owner = facts.of(node.args[1])
        return {PLACE} if k.is_held_array(owner or k.ANY) else attributes(held_name(owner, node.args[2])) if k.is_place(
            owner) else set()
    if isinstance(node, gast.Attribute) and k.is_place(facts.of(node.value)) and not k.may_be_held(facts.of(node.value)):
        return attributes(node.attr)
    if isinstance(node, gast.Subscript) and t.is_name(node.value):
        return source_of(node.value, wanted, seen)
    if not t.is_name(node) or node.id in seen:
        function = wanted.called(node)
        if function is not None:
            return {result(function)}
        if isinstance(node, gast.Call) and updates(unit.lookup(node.func)):
            return source_of(node.args[0], wanted, seen)
        return set()
    found: set = set()
    if node.id in unit.parameters:
        found.add(parameter(unit.function, node.id))
    for value in wanted.made.get(node.id, []):
        comes = source_of(value, wanted, seen | {node.id})
        if comes and viewed(value, unit, facts) is not None:
            comes = {*comes, view(unit.function, node.id)}
        found |= comes
    return found


def is_given(unit: Unit, facts: Any, name: str) -> bool:
    """Whether it is a parameter that has to be a place, and is an array that is none: perhaps it is not known yet what it is."""
    return unit.function.memory == "given" and name in unit.parameters and is_array(facts.kinds.get(name)) and (
        parameter(unit.function, name) in unit.arrays)


def changed(unit: Unit, facts: Any, names: list[str]) -> None:
    """Arrays change in place that objects may hold: all begins again if it is known where they come from."""
    wanted = Wanted(unit, facts)
    more: set = set()
    for name in dict.fromkeys(names):
        kinds = [facts.kinds.get(name), *(wanted.loaded(value) for value in wanted.made.get(name, []))]     # (or None)
        if any(map(is_array, kinds)):
            more |= missing(unit, source_of(t.load(name), wanted) or kept_in(name, wanted))
    if more:
        raise ArraysChange(more)


def kept_in(name: str, wanted: Wanted) -> set:
    """Attributes that an array, or a view of it, is stored into, and parameters that it is given to."""
    unit, facts = wanted.unit, wanted.facts
    found: set = set()
    names, before = {name}, 0

    def is_part(node: Any) -> bool:
        shown = viewed(node, unit, facts)
        base = node if shown is None else shown.base
        return t.is_name(base) and base.id in names

    while before != len(names):                             # its views, and theirs
        before = len(names)
        names |= {other for other, values in wanted.made.items() if any(map(is_part, values))}
    for s in t.statements(unit.tree.body):
        call: Any = getattr(s, "value", None)
        if not isinstance(call, gast.Call):
            continue
        if puts_into_places(unit.lookup(call.func)) and is_part(call.args[-1]):
            owner = facts.of(call.args[1])
            found |= attributes(held_name(owner, call.args[2])) if k.is_place(owner) and not k.is_held_array(owner) else set()
        function = wanted.called(call)
        if function is not None and function.memory:
            target = call_targets.target_of(call, unit, facts.of)
            bound = call_targets.bind(function, target, unit) if not target.stars else {}
            found |= {parameter(function, other) for other, node in bound.items() if is_part(node)}
    return found


# --- What a program does with them

def rewritten(spec: Any, s: Any) -> list | None:
    """The statements for one that reads or changes arrays that are places; None: it does not."""
    found = changing(spec, s)
    if found is not None:
        return found
    contents = ArrayContents(spec.unit, spec.facts, t.origin_of(s), isinstance(s, gast.While))
    value: Any = getattr(s, "value", None)
    if isinstance(value, gast.Call) and spec.unit.called(value) is runtime.sequence and contents.holds(value.args[0]):
        s.value = contents.visit(value.args[0])             # its rows are asked for by their positions
        return [*contents.before, s]
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
        computes = isinstance(value, gast.Call) and not keeps(unit.called(value)) and not moves(unit.called(value)) and (
            not stores_parts(unit.called(value)))
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
        function = self.unit.called(node)
        method = isinstance(node.func, gast.Attribute) and self.unit.lookup(node.func) is MISSING
        if method and not self.holds(node.func.value) and not is_array(self.facts.of(node.func.value)):
            return self.generic_visit(node)                 # of an object or a list, which may keep the array
        if function is len and len(node.args) == 1 and self.holds(node.args[0]):
            node.args = [self.visit(node.args[0])]          # (it never changes)
            return node
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


# --- What is no place among arrays that are

Sites = frozenset[type]                 # the places of the program where arrays are made


def sites(kind: Any) -> Sites:
    """Where an array that is a place may have been made: two arrays of other sites are never one."""
    if kind is None or not k.is_place(kind) or not k.is_held_array(kind):
        return frozenset()
    return frozenset(item.cls for item in (kind.items if isinstance(kind, k.OneOf) else [kind]))


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


def check_stores(call: Any, s: Any, unit: Unit, facts: Any) -> None:
    """Refuse arrays of which it is not known who else holds them, among arrays that are places."""
    owner, value = facts.of(call.args[1]), facts.of(call.args[-1])
    name = held_name(owner, call.args[2])
    if k.is_place(owner) and k.is_held_array(owner) and not isinstance(k.as_num(value or k.ANY), k.Num):
        raise UnsupportedError("what is stored into an array that an object holds, which is not known to be numbers",
                               source.locate(call.args[-1], t.origin_of(s)), "Make an array of it: np.array(...).")
    if not k.is_place(owner) or k.is_held_array(owner):
        return
    several: list = [item for _, item in value.items] if isinstance(value, k.Dct) else [getattr(value, "item", None)]
    under = k.ITEM if name == k.WHOLE else name
    if any(map(sites, several if name == k.WHOLE else [value])) and attributes(under) - unit.arrays:
        raise ArraysChange(attributes(under))               # what others hold under this name are places, too
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
