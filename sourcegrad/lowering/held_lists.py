"""Lists that others hold and that change: they are places, told apart by their identity, as objects are.

    self.items = []                 items = new_place(memory_, list_3)
                                    memory_ = place_store(memory_, self, "items", items)
    xs.append(v)                    count = place_size(memory_, xs)
                                    memory_ = place_push(memory_, xs, count, v)
    y = xs[k] * sum(xs)             y = place_load(memory_, xs, k) * sum(place_load(memory_, xs, "[:]"))

A list becomes one where it is made, if it is stored, passed on or returned there; the others stay values. Indices count from the
start, so that the adjoint of an item is found under its index whatever becomes of the list. Everything else that Python does to a
list is done to a copy of its items, which is then what the list holds."""
from __future__ import annotations

import collections
import copy
import functools
import operator
import types
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.counters import Counters
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import MEMORY, Function, Maker, Unit
from sourcegrad.lowering.containers import filled_at_once
from sourcegrad.lowering.place_kinds import stores_number
from sourcegrad.parse.statements import Attempt
from sourcegrad.primitives.core import primitive_of
from sourcegrad.runtime import library

HEADERS = ("value", "test", "iter", "exc", "msg")
@functools.cache
def site(file: str, line: int, function: str, name: str, deque: bool = False) -> type:
    """The class of the lists, or deques, that are made at one place of a program."""
    members = {"__slots__": (), "__module__": file, "__qualname__": f"{function}.{name}_{line}"}
    return type(f"{name}_{'deque' if deque else 'list'}_{line}", (k.HeldDeque if deque else k.HeldList,), members)


# --- Which lists are places

def make_places(unit: Unit, facts: Any) -> bool:
    """Make the lists places that are stored, passed on or returned where they are made. Whether there are any."""
    unit.tree.body = t.rewritten(unit.tree.body, lambda s: named_lists(s, unit, facts))
    filled, leaving = filled_at_once(unit.tree.body), escaping(unit)
    found: list[str] = []
    renamed: dict[str, str] = {}

    def made(s: Any) -> list:
        name = s.targets[0].id if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
        if name is not None and makes_deque(s.value, unit):
            found.append(name)
            return new_deque(unit, name, s.value, t.origin_of(s))
        if name not in leaving or not makes_list(s.value, unit, facts):
            return [s]
        found.append(name)
        if name in filled:
            renamed[name] = unit.names.fresh(f"{name}_items")
            s.targets = [t.store(renamed[name])]
            return [s]
        items = [] if isinstance(s.value, gast.List) and not s.value.elts else [s.value]
        return new_list(unit, name, items, t.origin_of(s))

    unit.tree.body = t.rewritten(unit.tree.body, lambda s: made(s))
    if renamed:
        unit.tree.body = completed(unit, unit.tree.body, renamed)
    return bool(found)


def named_lists(s: Any, unit: Unit, facts: Any) -> list:
    """`new = []; d = index_store(d, at[key], new)` for a list that is made where it is stored, and a list for the `()` of
    `d.get(key, ())` of a dict of lists that are places."""
    call = s.value if isinstance(s, gast.Assign) else None
    if not isinstance(call, gast.Call) or not call.args:
        return [s]
    last, function = call.args[-1], unit.called(call)
    put = stores_parts(function) or puts_into_places(function) and not is_whole(call.args[2])
    asked = function is runtime.dict_get and facts is not None and of_lists(facts.of(call.args[0]))
    if put and isinstance(last, gast.List) or asked and isinstance(last, (gast.Tuple, gast.List)) and not last.elts:
        new, origin = unit.names.fresh("new"), t.origin_of(s)
        call.args[-1] = t.load(new)
        return [*new_list(unit, new, [], origin), s] if asked else [t.assign(new, last, origin), s]
    return [s]


def of_lists(kind: Any) -> bool:
    """Whether a dict holds lists that are places."""
    items = [kind.item] if isinstance(kind, k.Map) else [item for _, item in kind.items] if isinstance(kind, k.Dct) else []
    return bool(items) and all(k.is_place(item) and k.is_held_list(item) for item in items)


def completed(unit: Unit, block: list, renamed: dict[str, str]) -> list:
    """Behind the loop that fills a list, the place that holds its items from then on."""
    result: list = []
    waiting: dict[str, str] = {}
    for s in block:
        for body in t.inner_blocks(s):
            body[:] = completed(unit, body, renamed)
        result.append(s)
        for name, items in renamed.items():
            if items in t.writes(s) and isinstance(s, gast.Assign):
                waiting[name] = items
        if isinstance(s, gast.For):
            for name in [name for name in waiting if any(t.list_method(x) == (name, "append") for x in t.statements([s]))]:
                for x in t.statements([s]):
                    if t.list_method(x) == (name, "append"):
                        x.value.func.value.id = waiting[name]
                result += new_list(unit, name, [t.load(waiting.pop(name))], t.origin_of(s))
    return result


def new_list(unit: Unit, name: str, items: list, origin: Any) -> list:
    """The statements that make a place of a list."""
    cls = site(str(getattr(origin, "file", "")), getattr(origin, "line", 0), unit.function.name, name)
    made = t.call(unit.use(runtime.new_place, "new_place"), t.load(MEMORY), t.load(unit.use(cls, cls.__name__)))
    before: list = []
    for value in items:
        if not t.is_name(value):
            items = [t.load(unit.names.fresh(f"{name}_items"))]
            before = [t.assign(items[0].id, value, origin)]
    return [*before, t.assign(name, made, origin),
            *[stored(unit, t.load(name), t.const(k.WHOLE), value, origin) for value in items]]


def new_deque(unit: Unit, name: str, call: gast.Call, origin: Any) -> list:
    """The statements that make a place of a deque."""
    items, size = [*call.args, t.const(None), t.const(None)][:2]
    cls = site(str(getattr(origin, "file", "")), getattr(origin, "line", 0), unit.function.name, name, True)
    made = t.call(unit.use(runtime.new_deque, "new_deque"), t.load(MEMORY), t.load(unit.use(cls, cls.__name__)), size)
    if isinstance(items, gast.Constant):
        return [t.assign(name, made, origin)]
    own = unit.names.fresh(f"{name}_items")
    return [t.assign(own, t.call(unit.use(list, "list"), items), origin), t.assign(name, made, origin),
            filled(unit, t.load(name), t.load(own), origin)]


def filled(unit: Unit, place: Any, items: Any, origin: Any) -> Any:
    """A deque gets these items, in the place of all others."""
    fill = t.call(unit.use(runtime.deque_fill, "deque_fill"), t.load(MEMORY), place, t.const(k.WHOLE), items)
    return t.assign(MEMORY, fill, origin)


def makes_deque(value: Any, unit: Unit) -> bool:
    """Whether an expression makes a new deque."""
    return isinstance(value, gast.Call) and not value.keywords and unit.lookup(value.func) is collections.deque


def class_of(value: Any) -> Any:
    """A class or `collections` itself, which may make deques; None for all else."""
    return collections.deque if value is collections or value is collections.deque else None


def makes_list(value: Any, unit: Unit, facts: Any) -> bool:
    """Whether an expression makes a new list."""
    if isinstance(value, gast.List):
        return True
    if isinstance(value, gast.Call):
        return isinstance(value.func, gast.Name) and makes_lists(unit.called(value))
    sliced = isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Slice)
    joined = isinstance(value, gast.BinOp) and not t.is_in_place(value)
    kind = facts.of(value) if facts is not None and (sliced or joined) else None
    return isinstance(kind, k.Lst) and not kind.optional


def escaping(unit: Unit, joined: Any = None, returned: bool = True) -> set[str]:
    """The names of what a function stores, passes on, puts into something else or returns (returned: that, too)."""
    found: set[str] = set()
    second: list[tuple[str, str]] = []
    literals = only_in_arrays(unit)
    for s in t.statements(unit.tree.body):
        method = t.list_method(s)
        if method is not None and method[0] in literals:
            continue
        if method is not None:
            found.update(n for a in s.value.args for n in t.reads(a))
        value: Any = getattr(s, "value", None)
        if isinstance(s, gast.Return) and t.is_name(value) and returned:
            found.add(value.id)
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(value):
            second.append((s.targets[0].id, value.id))
        for node in t.walk(value) if isinstance(value, gast.AST) else ():
            cls, parts = node.__class__, list[Any]()
            if cls is gast.Tuple or cls is gast.List or cls is gast.Set:
                parts = [] if node is value and not literals.isdisjoint(t.writes(s)) else node.elts
                parts = parts if returned or not any(t.is_name(x, MEMORY) for x in parts) else []
            elif cls is gast.Dict:
                parts = node.values
            elif cls is gast.Call:
                parts = passed_on(node, unit)
            else:
                continue
            found.update(x.id for x in parts if t.is_name(x))
    found.update((joined or joined_lists)(unit))
    return spread(found, second)


def spread(found: set[str], pairs: list[tuple[str, str]]) -> set[str]:
    """The names that are found, and all that pairs lead to from these."""
    following: dict[str, list[str]] = {}
    for name, other in pairs:
        following.setdefault(name, []).append(other)
    work = list(found)
    while work:
        new = [other for other in following.get(work.pop(), ()) if other not in found]
        found.update(new)
        work += new
    return found


def only_in_arrays(unit: Unit) -> set[str]:
    """The names of literals, and of lists that only grow, that only NumPy or another one reads: what they hold goes into arrays."""
    made: set[str] = set()
    others: set[str] = set()
    within: list[tuple[str, str]] = []
    for s in t.statements(unit.tree.body):
        value: Any = getattr(s, "value", None)
        read = t.header_reads(s)
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(value, (gast.List, gast.Tuple)):
            made.add(s.targets[0].id)
            within += [(s.targets[0].id, name) for name in read]
            continue
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(value) and value.id != s.targets[0].id:
            made.add(s.targets[0].id)                       # one list under two names
            within += [(s.targets[0].id, value.id), (value.id, s.targets[0].id)]
            continue
        method = t.list_method(s)
        if method is not None and method[1] == "append":
            within += [(method[0], name) for name in t.reads(value.args[0])]
            continue
        others.update(t.writes(s))
        if isinstance(value, gast.Call) and getattr(unit.lookup(value.func), "__module__", None) == "numpy":
            read = [name for a in (*value.args, *(w.value for w in value.keywords)) if not t.is_name(a) for name in t.reads(a)]
        others.update([*read, *(method or ())[:1]])
    others.update(name for holder, name in within if holder not in made)
    return made - spread(others, within)


def joined_lists(unit: Unit) -> set[str]:
    """The names that are assigned more than once, and not only lists that are made there: those may be places."""
    made: dict[str, list[bool]] = {}
    for s in t.statements(unit.tree.body):
        for name in t.writes(s):
            made.setdefault(name, []).append(is_new(s, unit))
    return {name for name, found in made.items() if len(found) > 1 and not all(found)}


def is_new(s: Any, unit: Unit) -> bool:
    """Whether a statement gives a name a list or dict that it makes, or one that it has updated."""
    value = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]):
        return False
    if isinstance(value, gast.Call):
        function = unit.called(value)
        whole = function in (runtime.place_load, runtime.held_items) and is_whole(value.args[2])
        return whole or makes_lists(function) or is_update(function) or function in (dict, copy.copy, copy.deepcopy)
    return isinstance(value, (gast.List, gast.Dict, gast.BinOp)) and not t.is_in_place(value)


def is_update(function: Any) -> bool:
    return hashable(function) and "items" in (primitive_of(function).writes, primitive_of(function).mutates)


def alone(unit: Unit) -> set[str]:
    """The names of lists that are made where they are assigned, and that nobody else gets: copies have the same items."""
    made: dict[str, bool] = {}
    second: list[tuple[str, str]] = []
    for s in t.statements(unit.tree.body):
        for name in t.writes(s):
            made[name] = made.get(name, True) and is_new(s, unit)
            call = getattr(s, "value", None)
            if isinstance(call, gast.Call) and is_update(unit.called(call)):
                second += [(name, n) for n in t.reads(call.args[0])]
    for _ in second:
        for name, other in second:
            made[name] = made[other] = made.get(name, False) and made.get(other, False)
    return {name for name, new in made.items() if new} - escaping(unit)


def summed(unit: Unit, facts: Any) -> set[str]:
    """The names that are numbers first, and then what operators make of these (under another name, perhaps): if that is an array
    that changes in place, it was made here, and nobody else gets it before the function returns."""
    first: dict[str, bool] = {}                             # whether all that a name gets is a number, or made of one
    of: dict[str, set[str]] = {}                            # the names that operators change into a name, and back
    for s in t.statements(unit.tree.body):
        value = getattr(s, "value", None)
        for name in t.writes(s):
            before = t.reads(value.args[0]) if isinstance(value, gast.Call) and unit.called(value) in INPLACE_OF else []
            kind = k.as_num(facts.of(value) or k.ANY) if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else k.ANY
            number = isinstance(kind, k.Num) and kind.is_scalar and kind.boxed is False
            first[name] = first.get(name, name not in unit.parameters) and (bool(before) or number)
            if not number:
                for other in before:
                    of.setdefault(name, set()).add(other)
                    of.setdefault(other, set()).add(name)
    lost = escaping(unit, lambda _: set(), returned=False) | {name for name, only in first.items() if not only}
    lost |= of.keys() - first.keys()
    reached = list(lost)
    while reached:                                          # what is one array under several names is lost with each of them
        for other in of.get(reached.pop(), set()) - lost:
            lost.add(other)
            reached.append(other)
    return first.keys() - lost


def passed_on(call: gast.Call, unit: Unit) -> list:
    """The arguments that a call may keep, or hand to somebody who does."""
    function = unit.called(call)
    if puts_into_places(function) and is_whole(call.args[2]):
        return []
    if stores_parts(function) or puts_into_places(function) or function is runtime.list_append:
        return call.args[-1:]
    return [*call.args, *(w.value for w in call.keywords if w.arg)] if keeps(function) else []


def makes_lists(function: Any) -> bool:
    return function is list or function is sorted


def stores_parts(function: Any) -> bool:
    """Whether a function is what `x[i] = v` and `x.f = v` are written as."""
    return hashable(function) and primitive_of(function).mutates == "place"


def puts_into_places(function: Any) -> bool:
    """Whether a function puts a value, its last argument, into an object, a list, a deque or an array that is a place."""
    return hashable(function) and primitive_of(function).state == "changes" and bool(primitive_of(function).puts)


def moves(function: Any) -> bool:
    """Whether a function that is given a list asks nothing of what it holds, or is written with its state."""
    return hashable(function) and (primitive_of(function).state is not None or primitive_of(function).objects == "moves")


def is_whole(name: Any) -> bool:
    return isinstance(name, gast.Constant) and name.value == k.WHOLE


def keeps(function: Any) -> bool:
    """Whether a function is the user's, or not known: it may do with a list whatever it wants."""
    if function is collections.deque:                       # it has items of its own
        return False
    if function is MISSING or isinstance(function, (Function, Maker, Attempt)):
        return True
    module = str(getattr(function, "__module__", None)).partition(".")[0]
    return isinstance(function, (type, types.FunctionType)) and module not in ("builtins", "sourcegrad", "numpy")


# --- What a program does with them

def stored(unit: Unit, place: Any, name: Any, value: Any, origin: Any) -> Any:
    """`place[name] = value`"""
    store = t.call(unit.use(runtime.place_store, "place_store"), t.load(MEMORY), place, name, value)
    return t.assign(MEMORY, store, origin)


def resized(unit: Unit, place: Any, origin: Any) -> Any:
    """The list may have another length from then on."""
    return t.assign(MEMORY, t.call(unit.use(runtime.place_resize, "place_resize"), t.load(MEMORY), t.clone(place)), origin)


def loaded(unit: Unit, place: Any, name: Any, deque: bool = False) -> gast.Call:
    load = runtime.deque_load if deque else runtime.place_load
    return t.call(unit.use(load, load.__name__), t.load(MEMORY), place, name)


def of_deque(unit: Unit, function: Any, place: Any, *args: Any) -> gast.Call:
    """A call that asks or changes a deque."""
    return t.call(unit.use(function, function.__name__), t.load(MEMORY), t.clone(place), *args)


def rewritten(spec: Any, s: Any) -> list | None:
    """The statements for one that reads or changes lists that are places; None: it does not."""
    changed = changing(spec, s)
    if changed is not None:
        return changed
    after = watched(spec, s)
    contents = Contents(spec.unit, spec.facts, t.origin_of(s), isinstance(s, gast.While))
    for name in HEADERS:
        node = getattr(s, name, None)
        if not isinstance(node, gast.AST):
            continue
        if contents.holds(node):
            if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple):
                s.value = contents.whole(node)
            if name == "test":
                s.test = contents.size(node)
            elif name == "iter":
                s.iter = contents.whole(node)
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not) and contents.holds(node.operand):
            node.operand = contents.size(node.operand)
        else:
            setattr(s, name, contents.visit(node))
    return [*contents.before, s, *after] if contents.found else None


def watched(spec: Any, s: Any) -> list:
    """Behind each turn of the loops over a list that is a place: that it has its length. Gives the statement that asks for it."""
    call = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]) or not isinstance(call, gast.Call) or (
            spec.unit.lookup(call.func) is not runtime.sequence) or not k.is_held_list(spec.facts.of(call.args[0])):
        return []
    items, unit = s.targets[0].id, spec.unit
    loops = [x for x in t.statements(spec.following) if isinstance(x, (gast.For, gast.While)) and any(
        items in t.header_reads(y) for y in x.body)]
    if not loops:
        return []
    count = unit.names.fresh("count")
    for loop in loops:
        check = t.call(unit.use(runtime.same_size, "same_size"), t.load(MEMORY), t.load(items), t.load(count))
        at_end(loop, t.effect(check, t.origin_of(loop)))
    size = t.call(unit.use(runtime.place_size, "place_size"), t.load(MEMORY), t.load(items))
    return [t.assign(count, size, t.origin_of(s))]


def at_end(loop: Any, check: Any) -> None:
    """Put a check at the end of each turn of a loop, but the one that ends it."""
    last = loop.body[-1]
    if t.is_stop(last):
        loop.body[-1:] = [t.if_(t.clone(last.test), [], [check], t.origin_of(loop)), last]
    else:
        loop.body.append(check)


def settle(unit: Unit, facts: Any) -> None:
    """Drop the checks of lists that nobody makes longer or shorter, or not while the loop runs; copies of items that nobody can
    change share nothing."""
    memory = facts.kinds.get(MEMORY)

    def new(s: Any) -> list:
        if isinstance(s, (gast.For, gast.While)):
            changes = any(MEMORY in t.writes(x) and not keeps_sizes(x, unit) for x in t.statements(s.body))
            s.body = [x for x in s.body if (check := the_check(x, unit)) is None or changes and k.held(
                memory, facts.of(check.args[1]), k.RESIZED) is not None]
        call = getattr(s, "value", None)
        if isinstance(s, gast.Assign) and isinstance(call, gast.Call) and unit.lookup(call.func) is runtime.place_load and is_whole(
                call.args[2]) and shares_nothing(k.held(memory, facts.of(call.args[1]), k.ITEM)):
            call.func = t.load(unit.use(runtime.held_items, "held_items"))
        return [s]

    unit.tree.body = t.rewritten(unit.tree.body, new)


def keeps_sizes(s: Any, unit: Unit) -> bool:
    """Whether what changes the state of objects leaves the sizes of lists and dicts as they are."""
    call = getattr(s, "value", None)
    function = unit.lookup(call.func) if isinstance(call, gast.Call) else None
    return function in (runtime.key_put, runtime.place_init, runtime.deque_store) or function is runtime.place_store and not (
        is_whole(call.args[2]))                                                                     # type: ignore[union-attr]


def shares_nothing(kind: Any) -> bool:
    """Whether an item is a number, a reference or None: nothing that changes in place as a value does."""
    kind = k.as_num(kind or k.ANY)
    return k.is_place(kind) or isinstance(kind, k.Const) or isinstance(kind, k.Num) and kind.is_scalar


def the_check(s: Any, unit: Unit) -> Any:
    """The call that asks whether a list still has its length, of a statement that does nothing else."""
    s = s.orelse[0] if isinstance(s, gast.If) and not s.body and len(s.orelse) == 1 else s
    checks = isinstance(s, gast.Expr) and isinstance(s.value, gast.Call) and unit.lookup(s.value.func) is runtime.same_size
    return s.value if checks else None


class Contents(t.Transformer):
    """Lists that are places, where Python asks what they hold."""

    def __init__(self, unit: Unit, facts: Any, origin: Any, lazy: bool = False) -> None:
        self.unit, self.facts, self.origin, self.lazy, self.found = unit, facts, origin, lazy, False
        self.before: list = []

    def bound(self, base: str, value: Any) -> Any:
        """A name for a value, from before the statement (but for what Python may not come to, or comes to again)."""
        self.found = True
        if self.lazy:
            return value
        if isinstance(value, gast.Call):
            value.args = [self.atom(a) for a in value.args]
        name = self.unit.names.fresh(base)
        self.before.append(t.assign(name, value, self.origin))
        return t.load(name)

    def atom(self, node: Any) -> Any:
        """A name or constant for an operand."""
        if not isinstance(node, (gast.Call, gast.Subscript, gast.Attribute)) or self.unit.lookup(node) is not MISSING:
            return node
        if not isinstance(node, gast.Call):
            node.value = self.atom(node.value)
        return self.bound("held", node)

    def holds(self, node: Any) -> bool:
        """Whether an expression is such a list."""
        if isinstance(node, gast.Name) or isinstance(node, gast.Call) and self.unit.lookup(node.func) is runtime.place_load:
            kind = self.facts.of(node)
            return k.is_held_list(kind) or k.is_held_dict(kind)
        return False

    def whole(self, node: Any) -> Any:
        """The items of a list, which a copy has."""
        if not self.holds(node):
            return self.visit(node)
        if k.is_held_deque(self.facts.of(node)):
            return self.items_of(node)
        if k.is_held_dict(self.facts.of(node)):
            whole = of_deque(self.unit, runtime.dict_whole, self.visit(node), t.const(k.WHOLE))
            return self.bound("entries", gast.copy_location(whole, node))
        return self.bound("items", gast.copy_location(loaded(self.unit, self.visit(node), t.const(k.WHOLE)), node))

    def size(self, node: Any) -> Any:
        size = t.call(self.unit.use(runtime.place_size, "place_size"), t.load(MEMORY), self.visit(node))
        return self.bound("count", gast.copy_location(size, node))

    def visit_Call(self, node: Any) -> Any:
        function = self.unit.called(node)
        if function is runtime.sequence and len(node.args) == 1 and self.holds(node.args[0]):
            self.found = True                               # loops read the items as they are then
            return node.args[0]
        if function is len and len(node.args) == 1 and self.holds(node.args[0]):
            return self.size(node.args[0])
        if isinstance(node.func, gast.Attribute) and self.holds(node.func.value) and node.func.attr in READING:
            node.func.value = self.whole(node.func.value)
        if stores_parts(function) and isinstance(k.as_num(self.facts.of(node.args[0]) or k.ANY), k.Num):
            node.args[-1] = self.whole(node.args[-1])           # an array takes the items
        if function in (str, repr, ascii, format, print):
            self.no_deques(node, node.args)                     # it is no list
        if keeps(function) or stores_parts(function) or moves(function):
            return self.generic_visit(node)
        node.args = [self.whole(a) for a in node.args]
        for word in node.keywords:
            word.value = self.whole(word.value)
        return node

    def visit_Subscript(self, node: Any) -> Any:
        if not self.holds(node.value):
            return self.generic_visit(node)
        deque = k.is_held_deque(self.facts.of(node.value))
        if k.is_held_dict(self.facts.of(node.value)):
            if not isinstance(node.slice, (gast.Name, gast.Constant)):
                raise refused_deque(node, self.origin)      # (where it is a statement of its own, it was written out)
            self.found = True
            return gast.copy_location(of_deque(self.unit, runtime.key_load, self.visit(node.value), t.clone(node.slice)), node)
        if isinstance(node.slice, gast.Slice) and not self.lazy and not deque:
            return self.sliced(node)
        where = position(self.unit, self.facts, node.value, node.slice)
        if where is None and deque:
            raise refused_deque(node, self.origin)
        if where is None:
            node.value = self.whole(node.value)
            return node
        self.found = True
        if isinstance(where, gast.Call):
            where = self.bound("index", where)
        return gast.copy_location(loaded(self.unit, self.visit(node.value), where, deque), node)

    def sliced(self, node: gast.Subscript) -> Any:
        """`[xs[k] for k in range(len(xs))[1:]]` for `xs[1:]`: the other items are not looked at."""
        place, fresh = self.atom(self.visit(node.value)), self.unit.names.fresh
        span, index, item, items = fresh("span"), fresh("k"), fresh("item"), fresh("items")
        count = self.size(place)
        every = t.call(self.unit.use(range, "range"), count)
        append = t.call(t.attribute(t.load(items), "append"), t.load(item))
        whole = fresh("every")
        self.before += [
            t.assign(items, gast.List(elts=[], ctx=t.LOAD), self.origin), t.assign(whole, every, self.origin),
            t.assign(span, t.subscript(t.load(whole), node.slice), self.origin),
            t.for_(index, t.load(span), [t.assign(item, loaded(self.unit, t.clone(place), t.load(index)), self.origin),
                                         t.effect(append, self.origin)], self.origin)]
        return t.load(items)

    def no_deques(self, node: Any, asked: list) -> None:
        """Refuse a question about deques that a list of the items answers in another way."""
        if any(self.holds(x) and k.is_held_deque(self.facts.of(x)) for x in asked):
            raise refused_deque(node, self.origin)

    def items_of(self, node: Any) -> Any:
        """`[q[k] for k in range(len(q))]` for a deque."""
        if self.lazy:
            raise refused_deque(node, self.origin)
        place, fresh = self.atom(self.visit(node)), self.unit.names.fresh
        index, number, item, items, span = fresh("k"), fresh("number"), fresh("item"), fresh("items"), fresh("span")
        append = t.call(t.attribute(t.load(items), "append"), t.load(item))
        self.before += [
            t.assign(items, gast.List(elts=[], ctx=t.LOAD), self.origin),
            t.assign(span, t.call(self.unit.use(range, "range"), self.size(place)), self.origin),
            t.for_(index, t.load(span), [
                t.assign(number, of_deque(self.unit, runtime.deque_number, place, t.load(index)), self.origin),
                t.assign(item, loaded(self.unit, t.clone(place), t.load(number), True), self.origin),
                t.effect(append, self.origin)], self.origin)]
        return t.load(items)

    def visit_BoolOp(self, node: Any) -> Any:
        first, self.lazy = self.lazy, True
        later = [self.size(x) if self.holds(x) else self.visit(x) for x in node.values[1:]]
        self.lazy = first
        node.values = [self.size(x) if self.holds(x) else self.visit(x) for x in node.values[:1]] + later
        return node

    def visit_IfExp(self, node: Any) -> Any:
        first, self.lazy = self.lazy, True
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        self.lazy = first
        node.test = self.size(node.test) if self.holds(node.test) else self.visit(node.test)
        return node

    def visit_Compare(self, node: Any) -> Any:
        same = [isinstance(op, (gast.Is, gast.IsNot)) for op in node.ops]
        lazy, sides = self.lazy, []
        ordered = [op for op in node.ops if not isinstance(op, (gast.Is, gast.IsNot, gast.In, gast.NotIn))]
        if ordered and not all(k.is_place(kind := self.facts.of(x) or k.ANY) and k.is_held_deque(kind)
                               for x in (node.left, *node.comparators)):
            self.no_deques(node, [node.left, *node.comparators])
        for j, side in enumerate([node.left, *node.comparators]):
            self.lazy = lazy or j > 1                       # a < b < c: Python may not come to c
            moved = all(same[max(j - 1, 0):j + 1])
            sides.append(self.visit(side) if moved else self.whole(side))
        self.lazy = lazy
        node.left, node.comparators = sides[0], sides[1:]
        return node

    def visit_BinOp(self, node: Any) -> Any:
        self.no_deques(node, [node.left, node.right])           # (a sum of deques is one)
        node.left, node.right = self.whole(node.left), self.whole(node.right)
        return node

    def visit_UnaryOp(self, node: Any) -> Any:
        if isinstance(node.op, gast.Not) and self.holds(node.operand):
            node.operand = self.size(node.operand)
            return node
        return self.generic_visit(node)

    def visit_Starred(self, node: Any) -> Any:
        node.value = self.whole(node.value)
        return node

    def visit_FormattedValue(self, node: Any) -> Any:
        self.no_deques(node, [node.value])
        node.value = self.whole(node.value)
        return node


def position(unit: Unit, facts: Any, place: Any, index: Any) -> Any:
    """The index of an item, counted from the start; None where an index may be something else."""
    deque = k.is_held_deque(facts.of(place))
    if isinstance(index, gast.Constant) and type(index.value) is int and index.value >= 0 and not deque:
        return t.clone(index)
    kind = k.as_num(facts.of(index) or k.ANY) if not isinstance(index, (gast.Slice, gast.Tuple)) else None
    if not isinstance(kind, k.Num) or not kind.is_scalar or kind.dtype is None or not kind.is_discrete:
        return None
    if deque:
        return of_deque(unit, runtime.deque_number, place, t.clone(index))
    if Counters(unit.tree).never_negative(index):
        return t.clone(index)
    return t.call(unit.use(runtime.place_index, "place_index"), t.load(MEMORY), t.clone(place), t.clone(index))


def changing(spec: Any, s: Any) -> list | None:
    """The statements for one that changes a list in place."""
    unit, facts, origin = spec.unit, spec.facts, t.origin_of(s)
    added: Any = getattr(s, "value", None)
    longer = isinstance(s, gast.Assign) and isinstance(added, gast.BinOp) and t.is_in_place(added)
    if longer and isinstance(added.op, gast.Add) and (t.is_name(added.left) and k.is_held_list(facts.of(added.left))):
        return extended(spec, s, added, origin)
    method = t.list_method(s)
    if method is not None and k.is_held_list(facts.of(s.value.func.value)):
        place = s.value.func.value
        if method[1] == "append":
            return pushed(unit, place, s.value.args[0], origin)
        return popped(unit, place, s.targets[0].id if isinstance(s, gast.Assign) else None, origin)
    call = getattr(s, "value", None)
    if isinstance(s, (gast.Assign, gast.Expr)) and isinstance(call, gast.Call) and isinstance(call.func, gast.Attribute) and (
            t.is_name(call.func.value) and k.is_held_list(facts.of(call.func.value)) and call.func.attr not in READING):
        place = t.clone(call.func.value)
        if call.func.attr == "append" and len(call.args) == 1 and isinstance(s, gast.Assign):
            read = any(name in t.header_reads(x) for name in t.writes(s) for x in t.statements(unit.tree.body))
            result = [t.assign(s.targets[0], t.const(None), origin)] if read else []
            return [*pushed(unit, place, call.args[0], origin), *result]
        items = unit.names.fresh("items")
        call.func.value = t.load(items)
        return [t.assign(items, loaded(unit, place, t.const(k.WHOLE)), origin), s, resized(unit, place, origin),
                stored(unit, t.clone(place), t.const(k.WHOLE), t.load(items), origin)]
    if not isinstance(s, gast.Assign) or not isinstance(call, gast.Call) or not call.args or not t.is_name(call.args[0]) or not (
            k.is_held_list(facts.of(call.args[0]))):
        return None
    function = unit.lookup(call.func)
    if function is library.move_items:
        move = t.call(unit.use(runtime.place_move, "place_move"), t.load(MEMORY), *call.args)
        return [t.assign(MEMORY, move, origin), t.assign(s.targets[0], t.const(None), origin)]
    if function in (runtime.rising, runtime.leaving):
        call.func, name = t.load(unit.use(runtime.place_path, "place_path")), call.func
        call.args = [t.load(MEMORY), *call.args, name]
        return [s]
    if not hashable(function) or function not in INPLACE_OF and not primitive_of(function).mutates:
        return None
    if INPLACE_OF.get(function) is operator.add:
        return extended(spec, s, t.binop(call.args[0], gast.Add(), call.args[1]), origin)
    place = t.clone(call.args[0])
    again = [] if t.is_name(s.targets[0], place.id) else [t.assign(s.targets[0].id, t.clone(place), origin)]
    if function is runtime.list_append:
        return [*pushed(unit, place, call.args[1], origin), *again]
    if function is runtime.list_delete and source.expression_text(call.args[1]) == "-1":
        return [*popped(unit, place, None, origin), *again]
    if function is runtime.index_update and not (
            stores := stores_number(k.held(facts.kinds.get(MEMORY), facts.of(place), k.ITEM), k.ITEM, unit.arrays)):
        return again if stores is False else None
    if stores_parts(function):
        where = call.args[1].slice if isinstance(call.args[1], gast.Subscript) else None
        index = position(unit, facts, place, where) if where is not None else None
        if index is not None:
            name = unit.names.fresh("index")
            plain = isinstance(index, (gast.Constant, gast.Name))
            first = [] if plain else [t.assign(name, index, origin)]
            return [*first, stored(unit, place, index if plain else t.load(name), call.args[2], origin), *again]
    items, new = unit.names.fresh("items"), unit.names.fresh("items")
    call.args[0] = t.load(items)
    before: list = []
    if function is runtime.index_store and isinstance(call.args[1], gast.Subscript) and isinstance(call.args[1].slice, gast.Slice):
        contents = Contents(unit, facts, origin)            # xs[1:] = values
        values = t.call(unit.use(list, "list"), contents.whole(call.args[2]))
        call.func, call.args[2] = t.load(unit.use(runtime.list_splice, "list_splice")), contents.bound("values", values)
        before = contents.before
    return [*before, t.assign(items, loaded(unit, place, t.const(k.WHOLE)), origin),
            t.assign(new, call, origin), resized(unit, place, origin),
            stored(unit, t.clone(place), t.const(k.WHOLE), t.load(new), origin), *again]


def extended(spec: Any, s: gast.Assign, added: gast.BinOp, origin: Any) -> list:
    """`xs += ys`: the list that it is gets longer."""
    unit, place = spec.unit, t.clone(added.left)
    contents = Contents(unit, spec.facts, origin)
    items, new, more = (unit.names.fresh("items") for _ in range(3))
    right = contents.whole(added.right)
    return [*contents.before, t.assign(items, loaded(unit, place, t.const(k.WHOLE)), origin),
            t.assign(more, t.call(unit.use(list, "list"), right), origin),
            t.assign(new, t.binop(t.load(items), gast.Add(), t.load(more)), origin), resized(unit, place, origin),
            stored(unit, t.clone(place), t.const(k.WHOLE), t.load(new), origin), t.assign(s.targets[0], t.clone(place), origin)]


def refused_deque(node: Any, origin: Any) -> UnsupportedError:
    return UnsupportedError(f"`{source.expression_text(node)}` of a deque that others may hold", source.locate(node, origin),
                            "Make a list of it: list(...).")


READING = ("index", "count", "copy", "__len__", "__contains__", "__getitem__", "__iter__")       # methods; all others may change it


def pushed(unit: Unit, place: Any, value: Any, origin: Any) -> list:
    count = unit.names.fresh("count")
    size = t.call(unit.use(runtime.place_size, "place_size"), t.load(MEMORY), t.clone(place))
    push = t.call(unit.use(runtime.place_push, "place_push"), t.load(MEMORY), t.clone(place), t.load(count), value)
    return [t.assign(count, size, origin), t.assign(MEMORY, push, origin)]


def popped(unit: Unit, place: Any, target: str | None, origin: Any) -> list:
    last = unit.names.fresh("last")
    index = t.call(unit.use(runtime.place_index, "place_index"), t.load(MEMORY), t.clone(place), t.const(-1))
    shrink = t.assign(MEMORY, t.call(unit.use(runtime.place_shrink, "place_shrink"), t.load(MEMORY), t.clone(place)), origin)
    if target is None:
        return [shrink]
    return [t.assign(last, index, origin), t.assign(target, loaded(unit, t.clone(place), t.load(last)), origin), shrink]
