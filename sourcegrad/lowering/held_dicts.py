"""Dicts that others hold and that change: they are places, told apart by their identity, as objects are.

    self.weights = {}               weights = new_place(memory_, weights_dict_4)
                                    memory_ = place_store(memory_, self, "weights", weights)
    d[k] = v                        memory_ = key_store(memory_, d, k, v)
    y = d[k]                        y = key_load(memory_, d, k)
    for k, v in d.items(): ...      keys = place_keys(memory_, d)
                                    for i in range(len(keys)): ... v = key_load(memory_, d, keys[i])

The adjoint of an item is found under its key. What is stored under keys that are text in the program has a kind of its own, as an
attribute has. Everything else that Python reads of a dict it reads of a copy. How dicts are read: `held_lists.Contents`."""
from __future__ import annotations

import collections
import operator
import weakref
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.objects import held_name
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import MEMORY, Function, Unit
from sourcegrad.lowering.dicts import NEW_ITEMS, ORDERED, by_key
from sourcegrad.lowering.held_lists import Contents, at_end, escaping, is_update, keeps, new_list, stores_parts
from sourcegrad.lowering.place_kinds import stores_number
from sourcegrad.primitives.core import primitive_of

MAKERS = (dict, collections.OrderedDict)
VIEWS = ("keys", "values", "items")


_sites: weakref.WeakValueDictionary[tuple, type] = weakref.WeakValueDictionary()


def site(file: str, line: int, function: str, name: str, made: Any = None) -> type:
    """The class of the dicts that are made at one place of a program. made: what makes missing items."""
    key = (source.to_text(made.tree), id(made.scope.globals)) if isinstance(made, Function) else made
    known = _sites.get((file, line, function, name, key))
    if known is None:
        members = {"__slots__": (), "__module__": file, "__qualname__": f"{function}.{name}_{line}", "made": made}
        known = _sites[file, line, function, name, key] = type(f"{name}_dict_{line}", (k.HeldDict,), members)
    return known


# --- Which dicts are places

def copies(function: Any) -> bool:
    """Whether a function gives a new dict."""
    return function in (runtime.dict_whole, runtime.dict_copy, runtime.dict_from_items, runtime.dict_union)


def make_places(unit: Unit, facts: Any) -> bool:
    """Make the dicts places that are stored, passed on or returned where they are made. Whether there are any."""
    unit.tree.body = t.rewritten(unit.tree.body, lambda s: named(s, unit))
    leaving = escaping(unit, joined)
    for s in reversed(list(t.statements(unit.tree.body))):
        call = getattr(s, "value", None)
        if isinstance(s, gast.Assign) and isinstance(call, gast.Call) and (
                is_update(unit.called(call)) or stores_parts(unit.called(call))) and leaving.intersection(t.writes(s)):
            leaving.update(t.reads(call.args[0]))           # the same dict, under the name that it had before
    before = t.mark(unit.tree)

    def made(s: Any) -> list:
        name = s.targets[0].id if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
        return new_dict(unit, name, s.value, t.origin_of(s), facts) or [s] if name in leaving else [s]

    unit.tree.body = t.rewritten(unit.tree.body, made)
    return before != t.mark(unit.tree)


def named(s: Any, unit: Unit) -> list:
    """`new = {}; d = index_store(d, at[key], new)` for a dict that is made where it is stored."""
    call = s.value if isinstance(s, gast.Assign) else None
    if isinstance(call, gast.Call) and call.args and isinstance(call.args[-1], gast.Dict) and (
            stores_parts(unit.called(call)) or unit.called(call) in (runtime.place_store, runtime.key_store, runtime.place_push)):
        new, origin = unit.names.fresh("new"), t.origin_of(s)
        value, call.args[-1] = call.args[-1], t.load(new)
        return [t.assign(new, value, origin), s]
    return [s]


def joined(unit: Unit) -> set[str]:
    """The names that are assigned more than once, and not only dicts that are made there, or changes of these."""
    found: dict[str, list[bool]] = {}
    for s in t.statements(unit.tree.body):
        value = getattr(s, "value", None)
        for name in t.writes(s):
            changed = isinstance(value, gast.Call) and value.args and t.is_name(value.args[0], name)
            if not changed or keeps(unit.called(value)):
                found.setdefault(name, []).append(isinstance(value, gast.Dict) or factory(value, unit) is not MISSING)
    return {name for name, made in found.items() if len(made) > 1 and not all(made)}


def factory(value: Any, unit: Unit, facts: Any = None) -> Any:
    """What makes missing items of the dict that a call makes (None: nothing does); MISSING: it makes no dict, or is not known."""
    function = unit.called(value) if isinstance(value, gast.Call) else MISSING
    if function in MAKERS or copies(function):
        return None
    if function is not collections.defaultdict or not value.args:
        return MISSING
    first = value.args[0]
    if isinstance(first, gast.Constant):
        return None if first.value is None else MISSING
    kind = facts.of(first) if facts is not None else None
    if isinstance(kind, k.Closure) and not kind.items and hashable(kind.function):
        return kind.function                                # a lambda that captures nothing
    if isinstance(kind, k.Fn):
        return kind.value if hashable(kind.value) else MISSING
    found = unit.called(gast.Call(func=first, args=[], keywords=[])) if isinstance(first, (gast.Name, gast.Attribute)) else MISSING
    return found if hashable(found) and found in NEW_ITEMS else MISSING


def new_dict(unit: Unit, name: str, value: Any, origin: Any, facts: Any = None) -> list:
    """The statements that make a place of a dict; none: it is no dict."""
    function = factory(value, unit, facts)
    if not isinstance(value, gast.Dict) and function is MISSING:
        return []
    made = None if isinstance(value, gast.Dict) else function
    cls = site(str(getattr(origin, "file", "")), getattr(origin, "line", 0), unit.function.name, name, made)
    new = t.call(unit.use(runtime.new_place, "new_place"), t.load(MEMORY), t.load(unit.use(cls, cls.__name__)))
    if isinstance(value, gast.Dict) and None not in value.keys:
        before: list = []
        pairs = [(atom(unit, "key", key, before, origin), atom(unit, "value", item, before, origin))
                 for key, item in zip(value.keys, value.values)]
        return [*before, t.assign(name, new, origin), *(stored(unit, t.load(name), *pair, origin) for pair in pairs)]
    if isinstance(value, gast.Call) and not copies(unit.called(value)):
        given = value.args[1:] if unit.called(value) is collections.defaultdict else value.args
        if not given and not value.keywords:
            return [t.assign(name, new, origin)]
        value = gast.copy_location(t.call(unit.use(dict, "dict"), *given), value)
        value.keywords = [*value.keywords]
    own = unit.names.fresh(f"{name}_items")
    return [t.assign(own, value, origin), t.assign(name, new, origin), filled(unit, t.load(name), t.load(own), origin)]


def atom(unit: Unit, base: str, node: Any, before: list, origin: Any) -> Any:
    """A name or constant for an expression."""
    if isinstance(node, (gast.Name, gast.Constant)):
        return node
    name = unit.names.fresh(base)
    before.append(t.assign(name, node, origin))
    return t.load(name)


# --- What a program does with them

def of(unit: Unit, function: Any, place: Any, *args: Any) -> gast.Call:
    """A call that asks or changes a dict."""
    return t.call(unit.use(function, function.__name__), t.load(MEMORY), t.clone(place), *args)


def stored(unit: Unit, place: Any, key: Any, value: Any, origin: Any) -> Any:
    return t.assign(MEMORY, of(unit, runtime.key_store, place, key, value), origin)


def filled(unit: Unit, place: Any, items: Any, origin: Any) -> Any:
    """A dict gets these items, in the place of all others."""
    return t.assign(MEMORY, of(unit, runtime.dict_fill, place, t.const(k.WHOLE), items), origin)


def refused(node: Any, origin: Any) -> UnsupportedError:
    return UnsupportedError(f"`{source.expression_text(node)}` of a dict that others may hold", source.locate(node, origin),
                            "Make a dict of it: dict(...).")


def rewritten(spec: Any, s: Any) -> list | None:
    """The statements for one that changes a dict that is a place, or reads it; None: it does not."""
    call: Any = getattr(s, "value", None)
    if not isinstance(s, (gast.Assign, gast.Expr)):
        return None
    named = with_name(spec, s, call)
    if named is not None:
        return named
    if isinstance(call, gast.BinOp) and t.is_in_place(call) and is_dict(spec, call.left):
        if not isinstance(call.op, gast.BitOr):
            raise refused(call, t.origin_of(s))
        merged = Change(spec, s, call.left).updated([call.right], {})
        same = t.assign(s.targets[0], t.clone(call.left), t.origin_of(s))                                          # type: ignore
        return None if merged is None else [*merged, same]
    if isinstance(call, gast.Subscript) and is_dict(spec, call.value):
        return Change(spec, s, call.value).read(call)
    if isinstance(call, gast.Compare) and len(call.ops) == 1 and isinstance(call.ops[0], (gast.In, gast.NotIn)) and (
            is_dict(spec, call.comparators[0])):
        return Change(spec, s, call.comparators[0]).asked(call)
    if not isinstance(call, gast.Call):
        return None
    if isinstance(call.func, gast.Attribute) and is_dict(spec, call.func.value):
        return Change(spec, s, call.func.value).method(call)
    function = spec.unit.lookup(call.func)
    if not call.args or not is_dict(spec, call.args[0]):
        return None
    if function in (dict, runtime.dict_from_items) or spec.unit.called(call) is dict:
        return Change(spec, s, call.args[0]).copied(call)
    if function is runtime.sequence:
        return Change(spec, s, call.args[0]).looped(call)
    if function in (runtime.dict_keys, runtime.dict_values, runtime.dict_items) and len(call.args) == 1 and t.is_name(
            s.targets[0] if isinstance(s, gast.Assign) else None):                  # (it seemed to be a value before)
        return Change(spec, s, call.args[0]).viewed(call, function.__name__.removeprefix("dict_"))
    if not hashable(function) or function not in INPLACE_OF and not primitive_of(function).mutates:
        return None
    return Change(spec, s, call.args[0]).by_function(function, call)


def with_name(spec: Any, s: Any, node: Any) -> list | None:
    """The statements for one that asks a dict which has no name: it gets one."""
    asks_one = isinstance(node, gast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (gast.In, gast.NotIn))
    owners = {gast.Subscript: "value", gast.Call: "func"}
    part = node.comparators[0] if asks_one else getattr(node, owners.get(type(node), ""), None)
    method = isinstance(node, gast.Call) and isinstance(part, gast.Attribute)
    part = part.value if method else part                                                           # type: ignore[union-attr]
    if not isinstance(part, gast.Call) or spec.unit.lookup(part.func) not in (runtime.place_load, runtime.key_load) or (
            not k.is_held_dict(spec.facts.of(part))):
        return None
    name = spec.unit.names.fresh("entries")
    if asks_one:
        node.comparators[0] = t.load(name)
    elif method:
        node.func.value = t.load(name)
    else:
        node.value = t.load(name)
    first = t.assign(name, part, t.origin_of(s))
    spec.facts.kinds[name] = spec.facts.of(part)
    return [first, *(rewritten(spec, s) or [s])]


def is_dict(spec: Any, node: Any) -> bool:
    return t.is_name(node) and k.is_held_dict(spec.facts.of(node))


class Change:
    """A statement that changes or reads one dict."""

    def __init__(self, spec: Any, s: Any, place: Any) -> None:
        self.spec, self.s, self.place, self.unit, self.origin = spec, s, t.clone(place), spec.unit, t.origin_of(s)
        self.before: list = []

    def to(self, value: Any) -> list:
        """The statement with another value, if anybody gets it."""
        if isinstance(self.s, gast.Expr):
            return []
        self.s.value = value
        return [self.s]

    def again(self, value: Any) -> list:
        """The same targets get a value, in a branch."""
        return [] if isinstance(self.s, gast.Expr) else [t.at(gast.Assign(
            targets=t.clone(self.s.targets), value=value, type_comment=None), self.origin)]

    def of(self, function: Any, *args: Any) -> gast.Call:
        return of(self.unit, function, self.place, *args)

    def bound(self, base: str, value: Any) -> Any:
        name = self.unit.names.fresh(base)
        self.before.append(t.assign(name, value, self.origin))
        return t.load(name)

    def key(self, node: Any) -> Any:
        """A key, by a name or constant."""
        if isinstance(node, gast.Slice) or isinstance(node, gast.Constant) and node.value == k.WHOLE:
            raise refused(node, self.origin)
        node = t.clone(node)
        if isinstance(node, gast.Tuple):
            node.elts = [self.key(part) for part in node.elts]
        return atom(self.unit, "key", node, self.before, self.origin)

    def missing(self, key: Any) -> Any:
        there = self.bound("there", self.of(runtime.key_in, t.clone(key)))
        return self.bound("missing", gast.UnaryOp(op=gast.Not(), operand=there))

    def stored(self, key: Any, value: Any) -> Any:
        return stored(self.unit, self.place, t.clone(key), value, self.origin)

    def read(self, node: gast.Subscript) -> list:
        """`y = d[k]`, which makes a missing item of a defaultdict."""
        kind, key = self.spec.facts.of(self.place), self.key(node.slice)
        made = {item.cls.made for item in (kind.items if isinstance(kind, k.OneOf) else [kind])}
        if len(made) > 1:
            raise refused(node, self.origin)
        function = made.pop()
        if function is not None and not getattr(node, "found", False):
            missing = self.missing(key)
            self.before.append(t.if_(missing, self.new_item(key, function), [], self.origin))
        return [*self.before, *self.to(gast.copy_location(self.of(runtime.key_load, key), node))]

    def new_item(self, key: Any, function: Any) -> list:
        """The statements that make a missing item, and store it."""
        if function in (int, float):
            return [self.stored(key, NEW_ITEMS[function]())]
        new = self.unit.names.fresh("new")
        if function is dict:
            first = new_dict(self.unit, new, NEW_ITEMS[dict](), self.origin)
        elif function is list and self.unit.lists:
            first = new_list(self.unit, new, [], self.origin)
        else:
            value = NEW_ITEMS[function]() if function in NEW_ITEMS else t.call(t.load(self.unit.use(function, "factory")))
            first = [t.assign(new, value, self.origin)]
        return [*first, self.stored(key, t.load(new))]

    def asked(self, node: gast.Compare) -> list:
        """`c = k in d`"""
        found: Any = gast.copy_location(self.of(runtime.key_in, self.key(node.left)), node)
        if isinstance(node.ops[0], gast.NotIn):
            found = gast.UnaryOp(op=gast.Not(), operand=self.bound("there", found))
        return [*self.before, *self.to(found)]

    def looped(self, call: gast.Call) -> list:
        """`for k in d`"""
        self.watched(self.s.targets[0].id)
        call.args[0] = self.bound("keys", self.of(runtime.place_keys))
        return [*self.before, self.s]

    def copied(self, call: gast.Call) -> list:
        """`e = dict(d)`"""
        if len(call.args) > 1 or call.keywords:
            raise refused(call, self.origin)
        return self.to(self.of(runtime.dict_whole, t.const(k.WHOLE)))

    def watched(self, items: str) -> None:
        """At the end of each turn of the loops over a dict: that it has its size."""
        loops = [x for x in t.statements(self.spec.following) if isinstance(x, gast.For) and any(
            items in t.header_reads(y) for y in x.body)]
        size = self.bound("count", self.of(runtime.place_size)) if loops else None
        for loop in loops:
            at_end(loop, t.effect(self.of(runtime.same_size, t.clone(size)), t.origin_of(loop)))

    def method(self, call: gast.Call) -> list | None:
        method, args, words = call.func.attr, call.args, {w.arg: w.value for w in call.keywords}            # type: ignore[attr-defined]
        if any(isinstance(a, gast.Starred) for a in args) or None in words or words and method not in ("update", *ORDERED):
            raise refused(call, self.origin)
        if method in VIEWS and not args:
            return self.viewed(call, method)
        if method == "update" and len(args) < 2:
            found = self.updated(args, words)
            return None if found is None else [*found, *self.to(t.const(None))]
        if method == "clear" and not args:
            return [filled(self.unit, self.place, gast.Dict(keys=[], values=[]), self.origin), *self.to(t.const(None))]
        if method in ("get", "pop", "setdefault", "__delitem__", "__getitem__", "__contains__") and args:
            return self.by_key(method, *args)
        if method == "copy" and not args:
            return self.to(self.of(runtime.dict_whole, t.const(k.WHOLE)))
        last = (args[1:] if method == "move_to_end" else args) or [words.get("last", t.const(True))]
        if method in ORDERED and isinstance(last[0], gast.Constant) and len(args) < 3:
            return self.moved(method, args[0] if method == "move_to_end" else None, bool(last[0].value))
        raise refused(call, self.origin)

    def moved(self, method: str, key: Any, last: bool) -> list:
        """`d.popitem(last)`, `d.move_to_end(key)`"""
        if key is None:
            keys = self.bound("keys", self.of(runtime.place_keys))
            key = self.bound("key", t.call(self.unit.use(runtime.end_of, "end_of"), keys, t.const(last)))
        elif not last:
            raise refused(self.s.value, self.origin)
        key = self.key(key)
        item = self.bound("item", self.of(runtime.key_load, t.clone(key)))
        delete = t.assign(MEMORY, self.of(runtime.key_delete, t.clone(key)), self.origin)
        if method == "popitem":
            return [*self.before, delete, *self.to(t.pack([key, item]))]
        return [*self.before, delete, self.stored(key, item), *self.to(t.const(None))]

    def by_key(self, method: str, key: Any, default: Any = None) -> list:
        key = self.key(key)
        delete = t.assign(MEMORY, self.of(runtime.key_delete, t.clone(key)), self.origin)
        load = self.of(runtime.key_load, t.clone(key))
        if method == "__contains__":
            return [*self.before, *self.to(self.of(runtime.key_in, key))]
        if method == "__delitem__":
            return [*self.before, delete, *self.to(t.const(None))]
        if method == "__getitem__" or method == "pop" and default is None:
            return [*self.before, *self.to(load), *([delete] if method == "pop" else [])]
        default = t.const(None) if default is None else default
        if method == "setdefault":
            self.before.append(t.if_(self.missing(key), [self.stored(key, default)], [], self.origin))
            return [*self.before, *self.to(load)]
        there = self.bound("there", self.of(runtime.key_in, t.clone(key)))
        found, other = self.again(load), self.again(default)
        if method == "pop":
            found.append(delete)
        return [*self.before, *([t.if_(there, found, other, self.origin)] if found else [])]

    def updated(self, others: list, words: dict) -> list | None:
        """`d.update(other, name=value)`; None: it is not known yet what the other is."""
        result: list = []
        for other in others:
            kind = self.spec.facts.of(other)
            if kind is None or kind is k.ANY:
                return None
            if k.is_held_dict(kind):
                other = self.bound("entries", of(self.unit, runtime.dict_whole, other, t.const(k.WHOLE)))
            elif not isinstance(kind, (k.Dct, k.Map)):
                contents = Contents(self.unit, self.spec.facts, self.origin)
                pairs = contents.whole(other)
                self.before += contents.before
                other = self.bound("entries", t.call(self.unit.use(runtime.dict_from_items, "dict_from_items"), pairs))
            result += self.merged(other, kind)
        return [*self.before, *result, *(self.stored(t.const(name), value) for name, value in words.items())]

    def merged(self, other: Any, kind: Any) -> list:
        unit, origin = self.unit, self.origin
        if isinstance(kind, k.Dct) and not kind.partial:
            result: list = []
            for key, _ in kind.items:
                value = unit.names.fresh("value")
                result += [t.assign(value, t.subscript(t.clone(other), t.const(key)), origin),
                           self.stored(t.const(key), t.load(value))]
            return result
        keys, count, span, index, key, value = (unit.names.fresh(n) for n in ("keys", "count", "span", "i", "key", "value"))
        body = [t.assign(key, t.subscript(t.load(keys), t.load(index)), origin),
                t.assign(value, t.subscript(t.clone(other), t.load(key)), origin), self.stored(t.load(key), t.load(value))]
        return [t.assign(keys, t.call(unit.use(runtime.dict_keys, "dict_keys"), t.clone(other)), origin),
                t.assign(count, t.call(unit.use(len, "len"), t.load(keys)), origin),
                t.assign(span, t.call(unit.use(range, "range"), t.load(count)), origin), t.for_(index, t.load(span), body, origin)]

    def viewed(self, call: gast.Call, method: str) -> list:
        """`d.items()`: read key by key where a loop reads it, else what a copy has."""
        if isinstance(self.s, gast.Expr):
            return []
        name, unit = self.s.targets[0].id, self.unit
        readers = self.readers(name)
        if any(not self.at_once(x) for x in readers):
            raise refused(call, self.origin)
        loops = [x for x in readers if isinstance(getattr(x, "value", None), gast.Call) and (
            unit.called(x.value) is runtime.sequence)]
        if loops and method != "keys":
            instead = by_key(unit, self.spec.facts, self.s, self.place.id, method, True)
            if instead is None and all(self.at_once(y) for x in loops for y in self.readers(x.targets[0].id)):
                return self.copied_view(method)
            blocks = [block for x in t.statements(self.spec.following) for block in t.inner_blocks(x)]
            if instead is None or not instead.keys() <= {id(x) for block in blocks for x in block}:
                raise refused(call, self.origin)
            for block in blocks:
                block[:] = [y for x in block for y in instead.get(id(x), [x])]
        elif not loops and method != "keys":
            return self.copied_view(method)
        for x in loops:
            self.watched(x.targets[0].id)
        return [*self.before, *self.to(self.of(runtime.place_keys))]

    def readers(self, name: str) -> list:
        return [x for x in t.statements(self.unit.tree.body) if name in t.header_reads(x)]

    def copied_view(self, method: str) -> list:
        """The values or items of a copy."""
        entries = self.bound("entries", self.of(runtime.dict_whole, t.const(k.WHOLE)))
        listed = runtime.dict_values if method == "values" else runtime.dict_items
        return [*self.before, *self.to(t.call(self.unit.use(listed, listed.__name__), entries))]

    def at_once(self, reader: Any) -> bool:
        """Whether a view is read before anything can change."""
        for x in self.spec.following:
            if x is reader:
                return True
            inside = list(t.statements([x]))
            if any(y is reader for y in inside):
                return isinstance(x, gast.If) and all(map(self.harmless, inside[1:]))
            if not self.harmless(x):
                return False
        return False

    def harmless(self, s: Any) -> bool:
        """Whether a statement certainly changes nothing."""
        value = getattr(s, "value", None)
        view = isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) and value.func.attr in VIEWS
        return isinstance(s, gast.Assign) and MEMORY not in t.writes(s) and (
            view or not isinstance(value, gast.Call) or not keeps(self.unit.called(value)))

    def by_function(self, function: Any, call: gast.Call) -> list | None:
        """`d[k] = v`, `d[k] += v` and what else is a function that changes a dict in place."""
        again = [] if t.is_name(self.s.targets[0], self.place.id) else [t.assign(self.s.targets[0].id, self.place, self.origin)]
        if INPLACE_OF.get(function) is operator.or_ or function is runtime.dict_merge:
            found = self.updated([call.args[1]], {})
            return None if found is None else [*found, *again]
        if function is runtime.dict_cleared:
            return [filled(self.unit, self.place, gast.Dict(keys=[], values=[]), self.origin), *again]
        if function in (runtime.dict_delete, runtime.dict_discard):
            key = self.key(call.args[1])
            delete: Any = t.assign(MEMORY, self.of(runtime.key_delete, t.clone(key)), self.origin)
            if function is runtime.dict_discard:
                there = self.bound("there", self.of(runtime.key_in, t.clone(key)))
                delete = t.if_(there, [delete], [], self.origin)
            return [*self.before, delete, *again]
        where = call.args[1].slice if stores_parts(function) and isinstance(call.args[1], gast.Subscript) else None
        if where is None or not t.is_name(call.args[1].value) and not isinstance(call.args[1].value, gast.Attribute):
            raise refused(call, self.origin)
        if function is runtime.index_update:
            facts, place = self.spec.facts, self.spec.facts.of(self.place)
            name = held_name(place, where)
            stores = stores_number(k.held(facts.kinds.get(MEMORY), place, name), name, self.unit.arrays)
            if not stores:
                return again if stores is False else None
            key = self.key(where)
            put = t.assign(MEMORY, self.of(runtime.key_put, key, call.args[2]), self.origin)
            return [*self.before, put, *again]
        key = self.key(where)
        return [*self.before, self.stored(key, call.args[2]), *again]
