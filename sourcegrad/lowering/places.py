"""Places: objects that a function makes are told apart by their identity; their state has a name, which calls hand on.

    body.v = body.v + h             v = place_load(memory_, body, "v")
                                    memory_ = place_store(memory_, body, "v", v + h)
    y = push(body, h)               pair = push(body, h, memory_=memory_)
                                    y, memory_ = pair

So a store through one reference is seen through all others, and nobody asks which of them may be the same object: the adjoint of
the memory has what belongs to each, by its identity. What is not written so is refused: then the function is looked at
without places."""
from __future__ import annotations

import abc
import builtins
import collections
import copy
import dataclasses
import functools
import re
import types
import typing
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import alias, call_targets, objects
from sourcegrad.errors import UnsupportedError, called_at, losing
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import MEMORY, Function, Maker, Unit
from sourcegrad.lowering import array_views, held_arrays, held_dicts, held_lists
from sourcegrad.lowering.branches import asked
from sourcegrad.lowering.copies import copied
from sourcegrad.lowering.place_kinds import ArraysChange, DictsChange, ListsChange, attributes, is_array, number
from sourcegrad.parse.statements import Attempt
from sourcegrad.primitives.core import primitive_of
from sourcegrad.syntax import caught
from sourcegrad.syntax.lambda_lifting import keeps


def check_changes(unit: Unit, facts: Any, effects: Any) -> None:
    """Refuse changes in place of what objects may hold; all begins again where that can become a place."""
    groups = alias.groups(unit.tree.body, unit.parameters, unit, facts.kinds)
    held, own, changes = groups.get(MEMORY, frozenset()), held_lists.alone(unit), {
        id(s): changed(s, unit, facts, effects) for s in t.statements(unit.tree.body)}
    free = held_lists.summed(unit, facts) | alias.built(unit, facts.kinds, changes)
    free |= {name for name in groups if groups[name].isdisjoint(held)}
    for s in t.statements(unit.tree.body):
        for name in changes[id(s)]:
            kind = facts.kinds.get(name)
            if name in free or name not in groups or name in own and of_items(s, unit) or not heap_mutable(kind):
                continue
            if not unit.lists and holds_list(kind):
                raise ListsChange
            if not unit.dicts and isinstance(kind, (k.Dct, k.Map)):
                raise DictsChange
            held_arrays.changed(unit, facts, [n for names in changes.values() for n in names if n in groups and n not in free])
            if kind is k.ANY:
                begin_again(unit)
            if held_arrays.is_given(unit, facts, name):             # who calls is asked for a place, or is refused
                continue
            if is_array(kind):
                begin_again(unit)
            raise refused(f"the change of `{name}`, which may be held by one", getattr(s, "value", None) or s, s)


def check(unit: Unit, facts: Any, effects: Any) -> None:
    """Refuse what the state of objects does not tell: arrays, lists and dicts that objects hold (or may hold) and that change in
    place, copies of objects, objects that are returned."""
    if not all(k.is_empty(facts.kinds.get(MEMORY), k.Place(cls)) for cls in unit.empty):
        raise refused("a loop over a list or dict that seemed to have no items", unit.tree.body[-1], unit.tree.body[-1])
    if k.tells(facts.kinds.get(MEMORY)):
        raise losing(refused("the text of numbers", unit.tree.body[-1], unit.tree.body[-1]))
    check_changes(unit, facts, effects)
    for s in t.statements(unit.tree.body):
        call = getattr(s, "value", None)
        if isinstance(call, gast.Call):
            function = unit.lookup(call.func)
            if held_lists.puts_into_places(function):
                check_lists(call, s, facts)
                held_arrays.check_stores(call, s, unit, facts)
            check_place(function, call, s, unit, facts)
            if function in (runtime.key_load, runtime.key_store, runtime.key_put, runtime.key_in, runtime.key_delete):
                check_key(call, s, facts)
            check_update(function, call, s, unit, facts)
            check_handed_on(call, s, unit, facts)
            function = getattr(builtins, call.func.id, MISSING) if function is MISSING and t.is_name(call.func) else function
            given = [facts.of(a) for a in (*call.args, *(w.value for w in call.keywords))]
            if function is MISSING and t.list_method(s) is None and any(map(holds_place, given)):
                target = call_targets.target_of(call, unit, facts.of)
                if target.function is None and target.plain is None:
                    if not isinstance(call.func, gast.Name):
                        begin_again(unit)
                    raise refused(f"`{source.expression_text(call)}`, of which it is not known what it calls,", call, s)
            length = function is len and bool(given) and k.is_held_array(given[0] or k.ANY)          # (it never changes)
            if not length and (any(map(holds_place, given)) and not moves(function) or any(map(k.is_place, given)) and (
                    primitive_of(function).objects == "looks")):
                raise refused(f"`{source.expression_text(call)}`", call, s)
        for node in (x for name in HEADERS for x in t.walk(getattr(s, name, None) or t.const(None))):
            if any(k.is_place(facts.of(operand)) for operand in operands(node)):
                raise refused(f"`{source.expression_text(node)}`", node, s)
            if isinstance(node, gast.Compare) and any(
                    isinstance(op, (gast.In, gast.NotIn)) and k.is_place(facts.of(x)) for op, x in zip(node.ops, node.comparators)):
                raise refused(f"`{source.expression_text(node)}`", node, s)
        read = s.iter if isinstance(s, gast.For) else call if isinstance(s, gast.Assign) and not t.is_name(s.targets[0]) else None
        if read is not None and k.is_place(facts.of(read)):
            raise refused(f"what `{source.expression_text(read)}` has in it", read, s)
        unasked(s, unit, facts)
    if unit.arrays:
        array_views.check_views(unit, facts, effects)
    caught.check(unit, facts)
    result: Any = facts.result.items[0] if unit.function.memory == "given" and isinstance(facts.result, k.Tup) else None
    if holds_place(result) and keeps(unit.function):
        raise refused("what a cache gives again", unit.tree.body[-1], unit.tree.body[-1])
    if unit.function.memory != "given" and holds_place(facts.result):
        raise refused("the result", unit.tree.body[-1], unit.tree.body[-1])


def check_handed_on(call: Any, s: Any, unit: Unit, facts: Any) -> None:
    """Refuse calls with stars that were not written out: they do not hand on the state of objects."""
    if any(isinstance(a, gast.Starred) for a in call.args) or any(w.arg is None for w in call.keywords):
        target = call_targets.target_of(call, unit, facts.of)
        if target.plain is not None or target.function is not None and call_targets.threads(target.function, target):
            raise refused("this call", call, s)


def check_update(function: Any, call: Any, s: Any, unit: Unit, facts: Any) -> None:
    """Refuse changes of attributes that are not written with the state of objects."""
    if function not in (runtime.index_store, runtime.index_update) or not k.is_place(facts.of(call.args[0])):
        return
    part = call.args[1]
    if function is runtime.index_update and isinstance(part, gast.Attribute) and t.is_name(part.value) and number(
            part.attr) not in unit.arrays:
        raise ArraysChange({number(part.attr)})
    raise refused("a change in place", call, s)


def is_container(kind: Any) -> bool:
    """Whether a value certainly keeps what is stored in it as it is: no array, of which the elements are numbers."""
    return isinstance(kind, (k.Lst, k.Dct, k.Map, k.Obj, k.OneOf, k.Tup))


def check_written(unit: Unit, facts: Any) -> None:
    """Refuse reads of what may be an object, and was not known to be one: their derivative would be lost."""
    for s in t.statements(unit.tree.body):
        call = getattr(s, "value", None)
        if isinstance(call, gast.Call) and unit.lookup(call.func) is runtime.index_set and holds_place(
                facts.of(call.args[2])) and not is_container(facts.of(call.args[0])):
            what = "which is put into what is not known to hold references"
            raise refused(f"`{source.expression_text(call.args[2])}`, {what}", call, s)
        for node in (x for name in HEADERS for x in t.walk(getattr(s, name, None) or t.const(None))):
            if unseen(node, unit, facts):
                if not unit.lists and facts.of(node.value) is not k.ANY:          # it is known once lists are places
                    raise ListsChange
                what = "of which it is not known whose attribute it is, beside attributes"
                raise refused(f"`{source.expression_text(node)}`, {what}", node, s)


def unseen(node: Any, unit: Unit, facts: Any) -> bool:
    """Whether it may be an attribute of an object that is told apart by its identity, and is not written with the state."""
    if not isinstance(node, gast.Attribute) or unit.lookup(node) is not MISSING or unit.lookup(node.value) is not MISSING:
        return False
    kind = facts.of(node.value)
    return is_load(unit, facts, node) or kind in (None, k.ANY, k.DISCRETE) and node.attr not in ARRAYS


ARRAYS = frozenset(dir(np.ndarray)) | {"__class__"}


def check_lists(call: Any, s: Any, facts: Any) -> None:
    """Refuse lists that are values where others are places, and what is not known to be one where it becomes the items of one."""
    name, value = objects.held_name(facts.of(call.args[1]), call.args[2]), facts.of(call.args[-1])
    if name == k.WHOLE:
        if not isinstance(value, (k.Dct, k.Map) if k.is_held_dict(facts.of(call.args[1])) else k.Lst):
            raise refused("what becomes the items of a list", call, s)
    elif isinstance(value, (k.Dct, k.Map)) and k.is_held_dict(k.held(facts.kinds.get(MEMORY), facts.of(call.args[1]), name)):
        raise refused("a dict that was not made here, among dicts", call, s)
    elif isinstance(value, k.Lst) and k.is_held_list(k.held(facts.kinds.get(MEMORY), facts.of(call.args[1]), name)):
        raise refused("a list that was not made here, among lists", call, s)


def check_place(function: Any, call: Any, s: Any, unit: Unit, facts: Any) -> None:
    """Refuse what was written for a place of one kind, when less was known, and is of another."""
    made = function in (runtime.enter_places, runtime.copies_of, runtime.copies_made, runtime.new_place, runtime.new_array,
                        runtime.place_view, runtime.new_deque)
    if made or primitive_of(function).state is None or len(call.args) < 2 or not isinstance(
            facts.of(call.args[0]), k.State):
        return
    kind: Any = facts.of(call.args[1]) or k.ANY
    part = call.args[2] if len(call.args) > 2 else None
    array = part is not None and (isinstance(part, gast.Subscript) or t.same(part, t.const(k.ALL)))
    sort = next((test for start, test in SORTS.items() if function.__name__.startswith(start)), k.is_place)
    several = [next((base for base in BASES if issubclass(item.cls, base)), object)
               for item in (kind.items if isinstance(kind, k.OneOf) else [kind])] if k.is_place(kind) else []
    if (k.is_held_array if array else sort)(kind) and len(set(several)) == 1:
        return
    if array and t.is_name(call.args[1]):
        held_arrays.changed(unit, facts, [call.args[1].id])
    raise refused(f"`{source.expression_text(call)}`, which is not known to be about one", call, s)


BASES = (k.HeldList, k.HeldDeque, k.HeldDict, k.HeldArray)
SORTS: dict[str, Any] = {"key_": k.is_held_dict, "dict_": k.is_held_dict, "deque_": k.is_held_deque}


def check_key(call: Any, s: Any, facts: Any) -> None:
    """Refuse keys of which it is not known what they are, and objects that say which keys are equal."""
    kind: Any = facts.of(call.args[2]) or k.ANY
    several = kind.items if isinstance(kind, k.OneOf) else [kind]
    own = any(k.is_place(one) and isinstance(objects.static_member(one.cls, name), types.FunctionType)
              for one in several for name in ("__eq__", "__hash__"))
    empty = k.held(facts.kinds.get(MEMORY), facts.of(call.args[1]), k.KEYS) is None          # nothing is ever stored there
    if own or (kind is k.ANY or is_array(kind)) and not empty:
        raise refused(f"the key `{source.expression_text(call.args[2])}`", call, s)


def unasked(s: Any, unit: Unit, facts: Any) -> None:
    """Refuse what makes Python call a method of an object by itself: what that reads would not be seen."""
    tests = [s.test] if isinstance(s, (gast.If, gast.While, gast.Assert)) else []
    pairs = [pair for name in HEADERS for node in t.walk(getattr(s, name, None) or t.const(None))
             if not isinstance(node, gast.Call) or primitive_of(unit.called(node)).objects == "asks"
             for pair in asked(node)]
    for owner, names in [*((test, ["__bool__", "__len__"]) for test in tests), *pairs]:
        kind = facts.of(owner)
        for one in (kind.items if isinstance(kind, k.OneOf) else [kind]) if k.is_place(kind) else []:
            for name in names:
                member = objects.static_member(one.cls, name)
                if isinstance(member, types.FunctionType) or one.cls is types.SimpleNamespace and name == "__eq__":
                    raise refused(f"`{source.expression_text(owner)}`, of which `{name}` is called,", owner, s)


def of_items(s: Any, unit: Unit) -> bool:
    """Whether a statement changes which items a list has, not what they hold."""
    call: Any = getattr(s, "value", None)
    if t.list_method(s) is not None:
        return True
    function = unit.lookup(call.func)
    if function in (runtime.index_store, runtime.index_update):
        return isinstance(call.args[1], gast.Subscript) and not isinstance(call.args[1].value, (gast.Subscript, gast.Call))
    return hashable(function) and "items" in (primitive_of(function).writes, primitive_of(function).mutates)


def operands(node: Any) -> list:
    """Parts of an expression that Python asks what it means for them: an attribute, an item, an operator."""
    if isinstance(node, gast.Attribute):
        return [] if node.attr == "__class__" else [node.value]
    if isinstance(node, (gast.Subscript, gast.Starred)):
        return [node.value]
    if isinstance(node, gast.BinOp):
        return [node.left, node.right]
    return [node.operand] if isinstance(node, gast.UnaryOp) and not isinstance(node.op, gast.Not) else []


def moves(function: Any) -> bool:
    """Whether a function that is given objects hands them on, asks about them, or is written with their state."""
    if isinstance(function, (Function, Maker)) or function is MISSING:
        return True
    primitive = primitive_of(function)
    ours = (getattr(function, "__module__", None) or "").startswith("sourcegrad.runtime")
    return primitive.objects in ("moves", "asks", "looks") or (
        primitive.objects is None and ours and not primitive.applies and primitive.effect != "calls")


def heap_mutable(kind: Any) -> bool:
    kind = k.as_num(kind or k.ANY)
    return not (isinstance(kind, k.Num) and kind.boxed is False or isinstance(kind, (k.Const, k.State)) or k.is_place(kind))


def changed(s: Any, unit: Unit, facts: Any, effects: Any) -> list[str]:
    """Names of what a statement changes in place."""
    found = t.list_method(s)
    if found is not None:
        return [found[0]]
    call = getattr(s, "value", None)
    if not isinstance(call, gast.Call):
        return []
    function = unit.lookup(call.func)
    if not hashable(function):
        return []
    names = [n for w in call.keywords if w.arg == "out" for n in t.reads(w.value)]
    if function in INPLACE_OF or function in (runtime.index_store, runtime.index_update) or primitive_of(function).mutates:
        return names + t.reads(call.args[0])
    target = call_targets.target_of(call, unit, facts.of)
    if target.function is None or target.function.pure:
        return names
    bound = call_targets.bind(target.function, target, unit)
    kinds = {name: facts.of(node) for name, node in bound.items()}
    if None in kinds.values() or not any(heap_mutable(kind) for kind in kinds.values()):
        return names
    with called_at(source.locate(call, t.origin_of(s))):
        return names + [n for name in effects(target.function, kinds).changed for n in t.reads(bound[name])]


def check_name(unit: Unit) -> None:
    """Refuse a name of the user's, or a keyword, that is called as the state of objects is."""
    given = unit.tree.args.kwonlyargs[-1] if unit.function.memory == "given" else None
    for s in (unit.tree.args, *t.statements(unit.tree.body)):
        for node in t.walk(s):
            if isinstance(node, gast.Name) and node.id == MEMORY and node is not given or (
                    isinstance(node, gast.keyword) and node.arg == MEMORY):
                raise same_name(node, unit.tree if s is unit.tree.args else s)


def same_name(node: Any, s: Any) -> UnsupportedError:
    return UnsupportedError(f"the name '{MEMORY}' beside objects that are told apart by their identity",
                            source.locate(node, t.origin_of(s)), "Call it something else.")


def thread(unit: Unit) -> None:
    """Give the state of objects a name in a function: made at its start, or a parameter that it returns."""
    check_name(unit)
    body, origin = unit.tree.body, t.origin_of(unit.tree)
    unit.names.taken.add(MEMORY)
    unit.tree.body = body = t.rewritten(body, lambda s: made(unit, s))
    if unit.function.memory != "given":
        body.insert(0, t.assign(MEMORY, t.call(unit.use(runtime.new_memory, "new_memory")), origin))
        return
    last = body[-1]
    pair = unit.names.fresh("pair")
    origin = t.origin_of(last)
    body[-1:] = [t.assign(pair, t.pack([last.value, t.load(MEMORY)]), origin), t.return_(t.load(pair), origin)]


def made(unit: Unit, s: Any) -> list:
    """The statements for one that makes an object, and stores what it holds at first."""
    value: Any = getattr(s, "value", None)
    function = unit.lookup(value.func) if isinstance(s, gast.Assign) and isinstance(value, gast.Call) else None
    if function is not runtime.new_object and function is not runtime.make_object:
        return [s]
    place = t.call(unit.use(runtime.new_place, "new_place"), t.load(MEMORY), value.args[0])
    s.value, words, origin = gast.copy_location(place, value), value.keywords, t.origin_of(s)
    cls = unit.lookup(value.args[0])
    return [s, *(first_stored(unit, s.targets[0].id, cls, word.arg, word.value, origin) for word in words)]


def first_stored(unit: Unit, name: str, cls: type, attr: str, value: Any, origin: Any) -> gast.Assign:
    """What a new object holds in an attribute, though its class may refuse stores."""
    function = runtime.place_init if is_frozen(cls) and cls is not types.SimpleNamespace else runtime.place_store
    store = t.call(unit.use(function, function.__name__), t.load(MEMORY), t.load(name), t.const(attr), value)
    return t.assign(MEMORY, store, origin)


STATE = [(r"place_load\(memory_, ([^,()]+), '(\w+)'\)", r"\1.\2"), (r"key_load\(memory_, ([^,()]+), ([^,()]+)\)", r"\1[\2]"),
         (r"place_store\(memory_, ([^,()]+), '(\w+)', (.+)\)", r"\1.\2 = \3"),
         (r"key_(?:store|put)\(memory_, ([^,()]+), ([^,()]+), (.+)\)", r"\1[\2] = \3")]


def refused(what: str, node: Any, s: Any) -> UnsupportedError:
    for passed, written in STATE:                           # (what is told is told as Python writes it)
        what = re.sub(passed, written, what)
    return UnsupportedError(f"{what} of objects that are told apart by their identity", source.locate(node, t.origin_of(s)),
                            "Make new objects.")


def holds_place(kind: Any) -> bool:
    """Whether a value is, or holds, a reference to a place."""
    return k.is_place(kind) or any(map(holds_place, k.parts(kind)))


def holds_list(kind: Any) -> bool:
    """Whether a value is a list, or a dict that holds lists."""
    return isinstance(kind, k.Lst) or isinstance(kind, (k.Dct, k.Map)) and any(map(holds_list, k.parts(kind)))


def begin(unit: Unit) -> None:
    """Make the lists and deques places that a function makes, before its kinds are known."""
    if unit.dicts:
        held_dicts.make_places(unit, None)
    if unit.lists:
        held_lists.make_places(unit, None)
    elif unit.function.memory and collections.deque in map(held_lists.class_of, unit.env.values()):
        raise ListsChange


def make_more(unit: Unit, facts: Any) -> bool:
    """Make more lists and dicts places, now that more is known. Whether there are any."""
    lists = unit.lists and held_lists.make_places(unit, facts)
    return (unit.dicts and held_dicts.make_places(unit, facts)) | lists


def unreached(unit: Unit, facts: Any) -> bool:
    """Drop the loops over lists and dicts of which nobody stores an item; their size is 0. Whether there are any."""
    if not (unit.lists or unit.dicts):
        return False
    made: dict[str, list] = {}
    for s in t.statements(unit.tree.body):
        for name in t.writes(s):
            made.setdefault(name, []).append(getattr(s, "value", None) if isinstance(s, gast.Assign) else None)

    def new(s: Any) -> list:
        value = getattr(s, "value", None)
        if isinstance(s, gast.Assign) and isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.place_size and (
                has_no_items(value, made, unit, facts)):
            s.value = t.const(0)
        return [] if isinstance(s, gast.For) and has_no_items(s.iter, made, unit, facts) else [s]

    before = t.mark(unit.tree)
    unit.tree.body = t.rewritten(unit.tree.body, new)
    return before != t.mark(unit.tree)


def has_no_items(node: Any, made: dict[str, list], unit: Unit, facts: Any) -> bool:
    """Whether what is looped over are items, keys or positions of a list or dict without items. made: what names are assigned."""
    while t.is_name(node) and len(made.get(node.id, ())) == 1:
        node = made[node.id][0]
    function = unit.called(node) if isinstance(node, gast.Call) else None
    if function in (runtime.place_keys, runtime.place_size):
        kind = facts.of(node.args[1])
        if not k.is_empty(facts.kinds.get(MEMORY), kind):
            return False
        unit.empty |= frozenset(item.cls for item in (kind.items if isinstance(kind, k.OneOf) else [kind]))
        return True
    return function in (range, len, runtime.sequence) and len(node.args) == 1 and has_no_items(node.args[0], made, unit, facts)


def begin_again(unit: Unit) -> None:
    """Something changes of which it is not known what it is: a dict or list, perhaps, that has to be a place."""
    if not unit.dicts:
        raise DictsChange
    if not unit.lists:
        raise ListsChange


def give_up(unit: Unit) -> None:
    """Lists or dicts change, round after round: they may have to be places."""
    begin_again(unit)
    raise UnsupportedError("a list or dict that an object holds changes in place", unit.function.origin,
                           "Make a new one: self.xs = self.xs + [x].")


class Loads(t.Transformer):
    """`place.name` and `hasattr(place, "name")`, wherever they stand in a statement."""

    def __init__(self, unit: Unit, facts: Any, s: Any) -> None:
        self.unit, self.facts, self.s, self.found = unit, facts, s, False

    def visit_Attribute(self, node: Any) -> Any:
        if not is_load(self.unit, self.facts, node):
            return self.generic_visit(node)
        self.found = True
        if node.attr.startswith((objects.SUPER, "__")):
            raise refused(f"`.{node.attr}`", node, self.s)
        owner = self.facts.of(node.value)
        for item in owner.items if isinstance(owner, k.OneOf) else [owner]:
            check_class(item.cls, node, self.s, False)
            check_member(item.cls, node.attr, node, self.s, runs=("__get__",))
        name = self.unit.use(runtime.place_load, "place_load")
        return gast.copy_location(t.call(name, t.load(MEMORY), self.visit(node.value), t.const(node.attr)), node)

    def visit_Call(self, node: Any) -> Any:
        if not is_question(self.unit, self.facts, node):
            return self.generic_visit(node)
        self.found = True
        owner, attr = self.facts.of(node.args[0]), t.constant_of(node.args[1])
        members = []
        for item in owner.items if isinstance(owner, k.OneOf) else [owner]:
            check_class(item.cls, node, self.s, False)
            members.append(objects.static_member(item.cls, attr))
            if not isinstance(members[-1], types.FunctionType):
                check_member(item.cls, attr, node, self.s, runs=("__get__", "__set__"))
        if not any(member is MISSING or isinstance(member, types.MemberDescriptorType) for member in members):
            return gast.copy_location(t.const(True), node)
        name = self.unit.use(runtime.place_has, "place_has")
        return gast.copy_location(t.call(name, t.load(MEMORY), self.visit(node.args[0]), node.args[1]), node)


def is_load(unit: Unit, facts: Any, node: Any) -> bool:
    """Whether an attribute is one that a place holds."""
    owner = facts.of(node.value) if unit.lookup(node) is MISSING else None
    return k.is_place(owner) and not k.may_be_held(owner) and objects.find(owner, node.attr, unit).sort in ("value", "unknown")


def is_question(unit: Unit, facts: Any, node: Any) -> bool:
    """Whether a call asks if an object that is told apart by its identity has an attribute."""
    if not isinstance(node, gast.Call) or len(node.args) != 2 or unit.called(node) is not hasattr:
        return False
    owner = facts.of(node.args[0])
    return k.is_place(owner) and not k.may_be_held(owner) and not getattr(owner, "optional", False) and isinstance(
        t.constant_of(node.args[1]) if isinstance(node.args[1], gast.Constant) else None, str)


METACLASSES = (type, abc.ABCMeta, type(typing.Protocol))         # those that say nothing about attributes


def check_class(cls: type, node: Any, s: Any, stores: bool) -> None:
    """Refuse classes that say what reading (or storing) an attribute does, or keep something out of sight."""
    if cls is types.SimpleNamespace:
        return
    own = cls.__getattribute__ is not object.__getattribute__ or hasattr(cls, "__getattr__") or stores and is_frozen(cls)
    cached = any(isinstance(held, functools.cached_property) for base in cls.__mro__ for held in vars(base).values())
    if own or cached or type(cls) not in METACLASSES or cls.__new__ is not object.__new__:
        raise refused(f"the class {cls.__name__}, which says what happens to attributes,", node, s)


def is_frozen(cls: type) -> bool:
    """Whether a class says what storing an attribute does, as a frozen dataclass, which refuses it."""
    return cls.__setattr__ is not object.__setattr__ or cls.__delattr__ is not object.__delattr__


def check_member(cls: type, attr: str, node: Any, s: Any, runs: tuple[str, ...]) -> None:
    """Refuse attributes for which a class has a method, a property or a descriptor: slots only hold a value."""
    found = objects.static_member(cls, attr)
    said = {name for base in type(found).__mro__ for name in vars(base)}
    if not isinstance(found, types.MemberDescriptorType) and not said.isdisjoint(runs):
        raise refused(f"the attribute '{attr}', for which the class {cls.__name__} has a {type(found).__name__},", node, s)


HEADERS = ("value", "test", "iter", "exc", "msg")


def loaded(spec: Any, s: Any) -> None:
    """Write the loads in a statement."""
    for name in HEADERS:
        node = getattr(s, name, None)
        if isinstance(node, gast.AST) and not (isinstance(node, gast.Call) and spec.unit.lookup(node.func) in (
                runtime.index_store, runtime.index_update)):
            called = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
            if called:
                node.func.value = Loads(spec.unit, spec.facts, s).visit(node.func.value)
                node.args = [Loads(spec.unit, spec.facts, s).visit(a) for a in node.args]
                continue
            setattr(s, name, Loads(spec.unit, spec.facts, s).visit(node))


def stored(spec: Any, s: gast.Assign, node: gast.Call) -> list | None:
    """`place.name = v`, and stores into what an attribute holds."""
    base, where, value = node.args
    owner = spec.facts.of(base)
    if not k.is_place(owner) or k.may_be_held(owner):       # (what a list or dict holds may be known when more is written out)
        return None
    unit, origin = spec.unit, t.origin_of(s)
    steps: list = []
    while isinstance(where, (gast.Attribute, gast.Subscript)):
        steps.insert(0, where)
        where = where.value
    first = steps[0] if steps else None
    if not isinstance(first, gast.Attribute) or not t.is_name(where) or unit.lookup(where) is not runtime.at:
        raise refused("this store into parts", node, s)
    for item in owner.items if isinstance(owner, k.OneOf) else [owner]:
        check_class(item.cls, node, s, True)
        check_member(item.cls, first.attr, node, s, runs=("__set__", "__delete__", "__call__"))
    name = t.const(first.attr)
    store = unit.use(runtime.place_store, "place_store")
    checks: list = []
    if len(steps) == 1:
        if unit.lookup(node.func) is runtime.index_update:
            before: Any = k.held(spec.facts.kinds.get(MEMORY), owner, first.attr)
            unknown = before is None or before is k.ANY or isinstance(before, k.Num) and before.boxed is None
            if unknown and number(first.attr) not in unit.arrays:           # perhaps it is known when more is written out
                return None
            if unknown:
                held = t.call(unit.use(runtime.place_load, "place_load"), t.load(MEMORY), t.clone(base), t.clone(name))
                before = k.FLOAT
                checks = [t.effect(t.call(unit.use(runtime.same_number, "same_number"), held, t.clone(name)), origin)]
            if k.is_place(before) and k.may_be_held(before):       # it has changed when that is written out
                if not k.may_be_held(spec.facts.of(value)):
                    return None
                if not k.is_held_list(before):
                    return [] if t.is_name(s.targets[0], getattr(base, "id", "")) else [t.assign(s.targets[0].id, base, origin)]
                before = k.FLOAT
            if not isinstance(k.as_num(before), k.Num) or k.as_num(before).boxed is not False:         # type: ignore[attr-defined]
                if isinstance(before, k.Lst) and not unit.lists:
                    raise ListsChange
                if isinstance(before, (k.Dct, k.Map)) and not unit.dicts:
                    raise DictsChange
                more = attributes(first.attr) - unit.arrays if is_array(before) else set()
                if more:
                    raise ArraysChange(more)
                raise refused(f"an operator that changes '{first.attr}' in place", node, s)
        new = t.assign(MEMORY, t.call(store, t.load(MEMORY), base, name, value), origin)
        again = [] if t.is_name(s.targets[0], getattr(base, "id", "")) else [t.assign(s.targets[0].id, t.clone(base), origin)]
        return [*checks, new, *again]
    begin_again(unit)
    raise refused("this store into parts", node, s)


def pending(unit: Unit, facts: Any) -> bool:
    """Whether something is left that has to be written with the state of objects."""
    for s in t.statements(unit.tree.body):
        value = getattr(s, "value", None)
        for node in (x for name in HEADERS for x in t.walk(getattr(s, name, None) or t.const(None))):
            if isinstance(node, gast.Attribute) and is_load(unit, facts, node) or is_question(unit, facts, node):
                return True
        if not isinstance(s, gast.Assign):
            continue
        if isinstance(value, gast.Call):
            if unit.lookup(value.func) in (runtime.index_store, runtime.index_update):
                if k.is_place(facts.of(value.args[0])):
                    return True
                continue
            target = call_targets.target_of(value, unit, facts.of)
            if target.function is not None and call_targets.threads(target.function, target):
                return True
    return False


def handed_on(spec: Any, s: gast.Assign) -> list | None:
    """A call of a function of the user, which takes the memory and returns it."""
    call = s.value
    target = call_targets.target_of(call, spec.unit, spec.facts.of)
    unit, origin = spec.unit, t.origin_of(s)
    if target.plain is not None and not isinstance(spec.facts.of(call), k.Named):
        return constructed(spec, s, target)
    if target.function is None or not call_targets.threads(target.function, target):
        return None
    if isinstance(target.object, Attempt) and not caught.enumerable(target.object.exceptions):
        kinds = [spec.facts.of(a) for a in target.args]
        if None in kinds:
            return None
        if not any(map(holds_place, kinds)):
            tried = dataclasses.replace(target.object, alone=True)
            s.value.func = t.load(unit.use(tried, unit.names.fresh("attempt")))
            return [s]
    attempt = target.object if isinstance(target.object, Attempt) and not target.object.depth else None
    if attempt is not None and isinstance(attempt.function, Function):
        target.function = attempt.function.catching(attempt.exceptions)
    elif unit.function.caught and not target.function.caught and caught.may_raise(target.function, unit.function.caught):
        raise refused("what may raise an exception that is caught", call, s)
    if any(isinstance(a, gast.Starred) and not call_targets.is_rest(a, k, target, unit) for k, a in enumerate(target.args)) or any(
            not call_targets.is_rest_of_names(star, target, unit) for star in target.stars):
        return None                                         # its arguments are written out first: see `check_handed_on`
    if isinstance(target.object, Attempt) and attempt is None or target.checkpoint or target.custom is not None or (
            hasattr(target.object, "generated_for")):
        raise refused("this call", call, s)
    if MEMORY in target.keywords:
        raise same_name(call, s)
    function = target.function.with_memory("given")
    pair = unit.names.fresh(f"{s.targets[0].id}_pair")
    new = t.call(unit.use(function, function.name), *target.args, **target.keywords, **{MEMORY: t.load(MEMORY)})
    new.keywords += [gast.keyword(arg=None, value=star) for star in target.stars]
    return [t.assign(pair, gast.copy_location(new, call), origin), t.unpack([s.targets[0].id, MEMORY], t.load(pair), origin)]


def constructed(spec: Any, s: gast.Assign, target: Any) -> list:
    """An object that holds its arguments as they are."""
    unit, origin, name = spec.unit, t.origin_of(s), s.targets[0].id
    cls = target.plain.cls
    made = t.call(unit.use(runtime.new_place, "new_place"), t.load(MEMORY), t.load(unit.use(cls, cls.__name__)))
    new: list = [t.assign(name, gast.copy_location(made, s.value), origin)]
    bound = target.plain.bind(target.args, target.keywords)
    for field in dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ():
        if field.name not in bound and field.default_factory is not dataclasses.MISSING:
            bound[field.name] = t.load(unit.names.fresh(field.name))
            made = t.call(unit.use(field.default_factory, f"{field.name}_factory"))
            new.append(t.assign(bound[field.name].id, gast.copy_location(made, s.value), origin))
    for attr, value in bound.items():
        new.append(first_stored(unit, name, cls, attr, value, origin))
    return new


def method_of(spec: Any, owner: Any, *names: str) -> str | None:
    """The first of some methods that Python calls by itself which an object has that is told apart by its identity."""
    kind = spec.facts.of(owner)
    if kind is None or not k.is_place(kind) or k.may_be_held(kind) or getattr(kind, "optional", False):
        return None
    classes = [one.cls for one in (kind.items if isinstance(kind, k.OneOf) else [kind])]
    return next((name for name in names if all(
        isinstance(objects.static_member(cls, name), types.FunctionType) for cls in classes)), None)


def rewritten(spec: Any, s: Any) -> list | None:
    """The statements for an assignment in a function with memory; None: as it is."""
    value = getattr(s, "value", None)
    if isinstance(s, gast.If) and t.is_name(s.test) and (name := method_of(spec, s.test, "__bool__", "__len__")) is not None:
        truth, origin = spec.unit.names.fresh("truth"), t.origin_of(s)
        call = gast.copy_location(t.call(t.attribute(s.test, name)), s.test)
        s.test = t.load(truth)
        return [*spec.block([t.assign(truth, call, origin)]), s]
    if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
        return None
    if isinstance(value, gast.Compare) and len(value.ops) == 1 and isinstance(value.ops[0], gast.In) and method_of(
            spec, value.comparators[0], "__contains__"):
        item, found, origin = spec.unit.names.fresh("item"), spec.unit.names.fresh("found"), t.origin_of(s)
        call = gast.copy_location(t.call(t.attribute(value.comparators[0], "__contains__"), t.load(item)), value)
        s.value = t.call(spec.unit.use(bool, "bool"), t.load(found))
        return [t.assign(item, value.left, origin), *spec.block([t.assign(found, call, origin)]), s]
    if not isinstance(value, gast.Call):
        return None
    if t.is_name(value.func, "len") and len(value.args) == 1 and method_of(spec, value.args[0], "__len__"):
        call = gast.copy_location(t.call(t.attribute(value.args[0], "__len__")), value)
        return list(spec.block([t.assign(s.targets[0].id, call, t.origin_of(s))]))
    static = spec.unit.lookup(value.func)
    if static in (copy.copy, copy.deepcopy):
        return copied(spec, s, holds_place)
    return handed_on(spec, s) if static not in (runtime.index_store, runtime.index_update) else None
