"""Type inference of objects and of functions as values: attributes, operators, instances, closures."""
from __future__ import annotations

import dataclasses
import enum
import functools
import re
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets, objects, result_types
from sourcegrad.analysis.call_targets import Vectorized
from sourcegrad.analysis.objects import class_of, static_member
from sourcegrad.analysis.python_types import isinstance_kind, python_type, python_types
from sourcegrad.analysis.result_types import index_kind
from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING, Members, foreign, live_kind
from sourcegrad.ir.tree import BY_FUNCTION, INPLACE_OF, hashable
from sourcegrad.ir.unit import MEMORY, Unit
from sourcegrad.kinds import Kind, results
from sourcegrad.parse.resolve import describe
from sourcegrad.parse.wrappers import CustomVjp, checkpoint
from sourcegrad.primitives.core import RULES, STOOD_FOR, ZERO_DERIVATIVE, changes_place, primitive_of
from sourcegrad.runtime.structure import is_namedtuple

if TYPE_CHECKING:
    from sourcegrad.analysis.types import Infer

FIELDS: dict[int, tuple] = {2: (("eigenvalues", "eigenvectors"), ("Q", "R"), ("sign", "logabsdet")), 3: (("U", "S", "Vh"),)}


def contents(infer: Infer, kind: Kind | None) -> Any:
    """The kind of what a list or array that is told apart by its identity holds, where that is looked at."""
    found = kind.__class__ in (k.Place, k.OneOf) and (k.is_held_list(kind) or k.is_held_dict(kind) or k.is_held_array(kind))
    return k.held(infer.kinds.get(MEMORY), kind, k.WHOLE) if found else kind


def of_entry(infer: Infer, place: Kind | None, key: Any) -> Kind | None:
    """The kind of an item of a dict that is told apart by its identity."""
    kind = infer.of(key)
    return None if kind is None else k.held(infer.kinds.get(MEMORY), place, k.entry_name(
        place, kind.value if isinstance(kind, k.Const) else None))


def formed_kind(infer: Infer, d: k.Dct, index: Any) -> Kind | None:
    """What a dict has under those of its keys that a text with computed parts can be."""
    kind = infer.of(index)
    if kind is None or not k.is_text(kind) or isinstance(kind, k.Const) or d.partial:
        return None
    infer.passing[0] += 1
    form = infer.forms.of(index)
    keys = [key for key, _ in d.items if isinstance(key, str) and form is not None and re.fullmatch(form, key, re.S)]
    return k.common([d.get(key) or k.ANY for key in keys]) if keys else None


def entry_kind(infer: Infer, d: k.Dct, key: Kind | None) -> Kind | None:
    if key is None:
        return None
    try:
        return d.get(results.constant(key)) or k.ANY
    except (results.Unknown, TypeError):
        return k.as_map(d).item


def of_lists(infer: Infer, function: Any, parts: list) -> Any:
    """Kind of what a function gives that changes a list which is told apart by its identity, or reads an item of one that has none
    yet; DIFFERENT for all others, of which those that look into lists are given, in place, the kinds of what these hold."""
    known = primitive_of(function)
    contents_of = parts and (k.is_held_list(parts[0]) or k.is_held_dict(parts[0]) or k.is_held_array(parts[0]))
    if contents_of and (function in INPLACE_OF or known.mutates is not None):
        return parts[0]
    if function is runtime.place_load and parts[1] == k.Const(None):
        return None
    item = function in (runtime.place_load, runtime.deque_load) and k.is_held_list(parts[1]) and parts[2] != k.Const(k.WHOLE)
    if function is runtime.key_load and k.is_held_dict(parts[1]):
        item, name = True, k.entry_name(parts[1], parts[2].value if isinstance(parts[2], k.Const) else None)
    else:
        name = k.ITEM
    if item and k.held(parts[0], parts[1], name) is None:
        return None
    if known.state is None and known.objects != "moves":
        parts[:] = [contents(infer, part) for part in parts]
    return DIFFERENT


def place_of(kind: k.Tup, name: str) -> int | None:
    """The place of a field of what functions of np.linalg give: `np.linalg.svd(a).S`."""
    return next((names.index(name) for names in FIELDS.get(len(kind.items), ()) if name in names), None)


DIFFERENT: Any = object()                           # a call that has nothing to do with objects


def of_bound(infer: Infer, s: gast.Assign) -> Kind | None:
    """The kind of what an assignment binds: an attribute that is computed with at once is not None there."""
    kind = infer.of(s.value)
    value = as_attribute(s.value, infer.unit)
    if isinstance(value, gast.Attribute) and t.is_name(s.targets[0]) and kind is k.ANY and infer.unit.function.memory:
        stored = just_stored(infer, value)
        if stored is not None and (found := infer.of(stored)) is not None:
            infer.reached.pop(id(s), None)                   # it depends on the kind of a name that it does not read
            return found
    if isinstance(value, gast.Attribute) and t.is_name(s.targets[0]) and kind in (k.ANY, k.Const(None)):
        owner = infer.of(value.value)
        found = k.held(infer.kinds.get(MEMORY), owner, value.attr, True) if k.is_place(owner) else held(owner, value.attr)
        if found is not None or kind == k.Const(None) and isinstance(owner, k.Obj):
            name, (block, place) = s.targets[0].id, infer.place
            infer.reached.pop(id(s), None)                # it depends on kinds of names that it does not read
            infer.foreseeing = True
            number = isinstance(found, k.Num) and found.is_scalar
            following = block[place + 1:place + 10]
            if is_tested(value, block, place, infer.tests.get(id(block)), infer.unit) or is_computed_with(
                    name, following, infer.of, infer.unit.lookup) or (
                    number and is_only_computed_with(name, infer.unit.tree.body, infer.of, infer.unit.lookup)):
                return found
    return kind


def just_stored(infer: Infer, load: gast.Attribute) -> Any:
    """What was stored in an attribute before it is read, in the same block, with nothing in between that may change it."""
    block, place = infer.place
    for s in reversed(block[:place]) if t.is_name(load.value) else ():
        call: Any = getattr(s, "value", None)
        function = infer.unit.lookup(call.func) if isinstance(s, gast.Assign) and isinstance(call, gast.Call) else None
        if function in (runtime.place_store, runtime.place_init) and t.is_name(s.targets[0], MEMORY) and isinstance(
                call.args[2], gast.Constant):
            if call.args[2].value != load.attr:
                continue
            return call.args[3] if t.is_name(call.args[1], load.value.id) else None
        if t.inner_blocks(s) or MEMORY in t.writes(s) or load.value.id in t.writes(s) or not only_computes(infer, call):
            return None
    return None


def only_computes(infer: Infer, value: Any) -> bool:
    """Whether an expression certainly calls nothing that changes objects: one of numbers, or a function that is known."""
    for node in t.walk(value) if isinstance(value, gast.AST) else ():
        if isinstance(node, gast.Call):
            function = infer.unit.lookup(node.func)
            if not hashable(function) or function not in RULES and function not in ZERO_DERIVATIVE or (
                    primitive_of(function).state == "changes"):
                return False
        operands = [node.left, node.right] if isinstance(node, gast.BinOp) else []
        if not all(isinstance(k.as_num(infer.of(x) or k.ANY), k.Num) for x in operands):
            return False
    return True


def of_operand(infer: Infer, node: Any) -> Kind | None:
    """The kind of an operand: an attribute, or a name, that is computed with is not None."""
    kind = infer.of(node)
    if isinstance(kind, k.Optional):
        return kind.item
    value = as_attribute(node, infer.unit) if kind is k.ANY and isinstance(node, gast.Call) else None
    if not isinstance(value, gast.Attribute) or not k.is_place(owner := infer.of(value.value)):
        return kind
    found = k.held(infer.kinds.get(MEMORY), owner, value.attr, True)
    return kind if found is None else found


def branches(infer: Infer, s: gast.If, truth: bool | None) -> None:
    """The branches that may run, and what is not None in one of them."""
    found = asked(s.test, *infer.place, infer.unit)
    if found is not None:
        owner, name, present = found
        infer.tests[id(s.body if present else s.orelse)] = owner, name
    infer.block([] if truth is False else s.body)
    infer.block([] if truth is True else s.orelse)


def check_own_iterator(infer: Infer, call: Any) -> None:
    """`next(ids)` of what the caller holds would move it on, and a gradient is computed with several runs."""
    iterator = call.func.value
    given = call.func.attr == "__next__" and isinstance(iterator, gast.Name) and (
        iterator.id in infer.unit.parameters or iterator.id not in infer.local)
    kind = infer.of(iterator) if given else None
    if isinstance(kind, k.Obj) and isinstance(getattr(kind.cls, "__next__", None), types.WrapperDescriptorType):
        block, place = infer.place
        raise UnsupportedError(f"next() of an iterator that is made elsewhere ({kind.cls.__name__})",
                               source.locate(call, t.origin_of(block[place])),
                               "Make the iterator in the function, or pass what it gives.")


def stand_in_asked(infer: Infer, target: call_targets.Target) -> Any:
    """Whether an object of a library is of a class, where one of a class of ours stands for it; DIFFERENT for all others."""
    value, asked = (infer.of(a) for a in target.args)
    if not isinstance(value, k.Obj) or value.cls not in STOOD_FOR or asked is None:
        return DIFFERENT
    held = [cls for cls, told in STOOD_FOR[value.cls].items() if told is None or value.get(told[0]) != k.Const(not told[1])]
    answers = [isinstance_kind(k.Obj(cls), asked) for cls in (value.cls, *held)]
    if answers[0] != k.Const(False) or len(set(answers[1:])) == 1:
        return answers[0] if answers[0] == k.Const(True) else answers[1]
    place = next((source.locate(node, t.origin_of(s)) for s in t.statements(infer.unit.tree.body) for node in t.walk(s)
                  if isinstance(node, gast.Call) and node.args[:1] == target.args[:1]), infer.unit.function.origin)
    raise UnsupportedError(f"isinstance of an object that may be of the class {held[0].__name__}, or of others beside it", place,
                           "Ask for a class that all of them have in common, or scipy.sparse.issparse.")


def of_objects(infer: Infer, target: call_targets.Target) -> Any:
    """Kind of the result of a call that is about objects; DIFFERENT for all others."""
    if target.plain is not None:
        return instance_kind(infer, target.plain, target)
    if not target.args:
        return DIFFERENT
    if target.object is dataclasses.replace and isinstance(infer.of(target.args[0]), k.Obj):
        kind: Any = infer.of(target.args[0])
        for name, value in target.keywords.items():
            kind = kind.with_item(name, infer.of(value))
        return kind
    special = primitive_of(target.object).special
    if special is not None:
        given = [infer.of(a) for a in (*target.args, *target.keywords.values())]
        function = objects.special(given[0], special, infer.unit)
        return DIFFERENT if function is None else objects.call(function, given, infer.solve)
    if target.object in (getattr, hasattr, type):
        found = reflected(infer, target)
        if found is not None:
            return found
    if target.object is isinstance and len(target.args) == 2:
        return stand_in_asked(infer, target)
    if target.object is runtime.attribute_store:
        parts = [infer.of(a) for a in target.args[:3]]
        if not k.all_of(parts, Kind):
            return None
        text = parts[1].value if isinstance(parts[1], k.Const) else None
        return objects.stored(parts[0], t.attribute(t.load("at"), text), parts[2], infer.of) if isinstance(text, str) else k.ANY
    if (target.object is runtime.index_set or changes_place(target.object)) and len(target.args) == 3:
        base, value = infer.of(target.args[0]), infer.of(target.args[2])
        if k.is_held_list(base) or k.is_held_dict(base) or k.is_held_array(base):
            return base
        if isinstance(base, (k.Obj, k.OneOf, k.Lst, k.Dct, k.Map, k.Tup, k.Closure)):
            update = target.object is runtime.index_update
            return None if value is None else objects.stored(base, target.args[1], value, infer.of, update)
    if target.object is runtime.view_fill:
        return of_view(infer, *target.args)
    if target.object is runtime.place_load and (isinstance(target.args[2], gast.Subscript) or t.same(target.args[2], ALL)):
        return part_of_array(infer, *target.args)
    if target.object in (runtime.item_at, runtime.last_writes) and isinstance(infer.of(target.args[0]), k.Lst):
        of_object = target.object is runtime.item_at or not isinstance(target.args[-1], gast.Attribute)
        found = at_path(infer, target.args[0], target.args[-1]) if of_object else None
        if found is not None:
            return found
    if target.object in INPLACE_OF and len(target.args) == 2 and objects.class_of(infer.of(target.args[0])) is not None:
        try:
            operation = in_place(infer, BY_FUNCTION[INPLACE_OF[target.object]], target.args)
        except objects.Undecided:
            return k.ANY
        return k.ANY if operation is None else operation.result
    return DIFFERENT


ALL = t.const(k.ALL)


def part_of_array(infer: Infer, memory: Any, place: Any, where: Any) -> Kind | None:
    """Kind of a part of an array that is told apart by its identity, or of all that it holds."""
    kind = infer.of(place)
    whole = k.held(infer.of(memory), kind, k.ALL) if kind is not None and k.is_place(kind) else kind    # (it becomes a place yet)
    if not isinstance(where, gast.Subscript) or not isinstance(whole, k.Num):
        return whole
    return indexed(infer, whole, where.slice)


def of_view(infer: Infer, memory: Any, view: Any, place: Any, how: Any, *args: Any) -> Kind | None:
    """Kind of the state of objects with what a view of an array holds."""
    state, whole = infer.of(memory), part_of_array(infer, memory, place, how)
    if isinstance(how, gast.Constant) and how.value == "T" and whole is not None:
        whole = infer.applied(np.transpose, [whole], {}, place)
    elif isinstance(how, gast.Constant) and whole is not None:
        kinds: list[Any] = [infer.of(a) for a in args]
        if how.value in ("reshape", "transpose") and len(kinds) > 1 and None not in kinds:         # methods take them one by one
            kinds = [k.Tup(tuple(kinds))]
        whole = infer.applied(getattr(np, how.value), [whole, *kinds], {}, place) if k.all_of(kinds, Kind) else None
    own = infer.of(view)
    return k.filling(state, own, whole) if isinstance(state, k.State) and whole is not None and own is not None else state


def indexed(infer: Infer, value: k.Num, index: Any) -> Kind | None:
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    kind = infer.of(index) if isinstance(index, gast.Name) else None
    if isinstance(kind, k.Rest):
        return result_types.part(value, [kind, kind], k.Num(value.dtype))
    if isinstance(kind, k.Tup):                              # the parts of a tuple that has a name: their kinds
        parts = kind.items
    kinds = [None if isinstance(p, gast.Slice) else p if isinstance(p, Kind) else infer.of(p) for p in parts]
    known = dict(zip(map(id, parts), kinds))
    found = k.Num(value.dtype) if value.dims is None else index_kind(
        value, list(parts), lambda p: known[id(p)] if id(p) in known else infer.of(p), infer.sizes.owner)
    return None if found is None else result_types.part(value, kinds, found)


def at_path(infer: Infer, base: Any, path: Any) -> Kind | None:
    """Kind of what lies at a path into a list: base[i][j].a for at[i][j].a."""
    part, inner = t.clone(path), path
    while isinstance(inner, (gast.Subscript, gast.Attribute)):
        inner = inner.value
    if inner is path or not t.is_name(inner) or infer.unit.lookup(inner) is not runtime.at or not t.is_name(base):
        return None
    return infer.of(t.rename(part, {inner.id: base.id}))


def member(infer: Infer, owner: Kind, name: str) -> Kind | None:
    """Kind of an attribute of an object."""
    if isinstance(owner, k.Const) and isinstance(owner.value, np.dtype) and name in ("char", "kind", "name", "str", "type"):
        return k.kind_of(getattr(owner.value, name))
    if name in ("name", "value") and isinstance(owner, k.Const) and isinstance(owner.value, enum.Enum):
        return of_member(infer, owner.value, name)
    if name in ("name", "value") and (cls := k.enumeration(owner)) is not None:
        return functools.reduce(k.join, [of_member(infer, one, name) for one in cls])
    if isinstance(owner, k.Fn) and isinstance(owner.value, type) and not foreign(owner.value):
        infer.unit.watch(owner.value, name)
        value = getattr(owner.value, name, MISSING)
        return k.ANY if value is MISSING else k.as_num(k.kind_of(value, name))
    if isinstance(owner, k.Tup) and place_of(owner, name) is not None:
        return owner.items[place_of(owner, name)]                             # type: ignore[index]
    if isinstance(owner, k.Obj) and owner.is_caught and not name.startswith("__"):
        return k.DISCRETE                                   # or it is refused when the code runs: `runtime.carried`
    if isinstance(owner, k.Obj) and owner.items is not None and objects.class_of(owner) is None:         # np.finfo(float).eps
        return owner.get(name) or k.ANY
    member = objects.find(owner, name, infer.unit)
    if k.is_place(owner) and member.sort in ("value", "unknown") and not k.may_be_held(owner):
        return k.held(infer.kinds.get(MEMORY), owner, name)
    if member.sort == "property":
        return objects.call(member.function, [owner], infer.solve)
    if member.sort == "fallback":
        return objects.call(member.function, [owner, k.Const(name)], infer.solve)
    if member.sort == "method":
        return k.Closure(member.function, (owner,))
    if member.sort == "class":
        return k.Closure(member.function, (k.Fn(member.cls),))
    if member.sort == "static":
        return k.Fn(member.function)
    return member.kind or k.ANY


def of_member(infer: Infer, one: enum.Enum, name: str) -> Kind:
    """Kind of the name or value of a member of an enumeration."""
    value = getattr(one, name)
    infer.unit.rely(Members(one), name, live_kind(value, name))
    return k.as_num(k.kind_of(value))


def operation(infer: Infer, node: Any) -> objects.Operation | None:
    """What an operator on objects of a user's class calls. (Of a class with `__iadd__` only, it is that of `x.a += y`.)"""
    def solve(function: Any, parts: dict[str, Kind]) -> Kind | None:
        memory = infer.kinds.get(MEMORY)
        if not infer.unit.function.memory or not any(map(k.is_place, parts.values())):
            return infer.solve(function, parts)
        if not isinstance(memory, k.State):
            return None if memory is None else k.ANY
        result = infer.solve(function.with_memory("given"), {**parts, MEMORY: memory})       # as `lowering.places` writes it
        if not isinstance(result, k.Tup):
            return result
        infer.bind(MEMORY, result.items[1])
        return result.items[0]

    try:
        found = objects.operation(node, lambda x: contents(infer, infer.of(x)), infer.unit, solve)
        if found is None and isinstance(node, gast.BinOp) and objects.class_of(infer.of(node.left)) is not None:
            return in_place(infer, type(node.op), [node.left, node.right])
        return found
    except objects.Undecided:
        return objects.Operation(None, False, k.ANY)


def in_place(infer: Infer, op: Any, args: list) -> objects.Operation | None:
    """What `x op= y` of an object calls: `__iadd__`, or what the operator calls."""
    kinds = [infer.of(x) for x in args]
    function = objects.special(kinds[0], f"i{objects.BINARY[op]}", infer.unit)
    if function is not None:
        result = None if None in kinds else objects.call(function, kinds, infer.solve)
        if result != objects.NOT_IMPLEMENTED:
            return objects.Operation(function, False, result, in_place=True)
    return objects.operation(t.binop(args[0], op(), args[1]), infer.of, infer.unit, infer.solve)


def instance_kind(infer: Infer, plain: Any, target: call_targets.Target) -> Kind | None:
    """An instance of a dataclass or namedtuple, made of its arguments."""
    try:
        bound = {name: infer.of(value) for name, value in plain.bind(target.args, target.keywords).items()}
    except TypeError:
        return k.ANY
    if any(kind is None for kind in bound.values()):
        return None
    memory = infer.kinds.get(MEMORY)
    if isinstance(memory, k.State) and not is_namedtuple(plain.cls):
        infer.passing[0] += 1                                # (what it does to the state is not in its kind)
        place = k.Place(plain.cls)
        infer.bind(MEMORY, functools.reduce(lambda known, item: k.storing(known, place, item[0], item[1] or k.ANY), bound.items(),
                                            memory))
        return place
    return plain.kind(bound)


def reflected(infer: Infer, target: call_targets.Target) -> Kind | None:
    """getattr(x, "name"), hasattr(x, "name") and type(x), where the kind of x decides them."""
    owner: Any = infer.of(target.args[0])
    if target.object is type:
        cls = python_type(owner) if len(target.args) == 1 else None
        return None if cls is None else k.Fn(cls)
    name = infer.of(target.args[1]) if len(target.args) > 1 else None
    if not isinstance(name, k.Const) or not isinstance(name.value, str):
        return None
    known = objects.has(owner, name.value, infer.unit)
    if known is None and isinstance(owner, (k.Num, k.Const, k.Lst, k.Tup, k.Rest, k.Dct, k.Map)):
        answers = {objects.static_member(cls, name.value) is not MISSING for cls in python_types(owner)}       # (not of `type`)
        known = answers.pop() if len(answers) == 1 else None
    if target.object is hasattr:
        return None if known is None else k.Const(known)
    if known is None:
        return None
    return member(infer, owner, name.value) if known or len(target.args) < 3 else infer.of(target.args[2])


# --- Kinds of calls of functions that are values: closures, partials, functions made while the code is generated.


def custom_kind(infer: Infer, custom: CustomVjp, target: call_targets.Target) -> Kind | None:
    """A function with its own adjoint may do anything: nothing is known of its value where its source tells nothing."""
    parts = {name: infer.of(a) for name, a in (*enumerate(target.args), *target.keywords.items())}
    if any(p is None for p in parts.values()):
        return None
    try:
        function = describe(custom.function)
        bound = call_targets.bind(function, target, infer.unit)
        kinds: dict[str, Any] = {name: infer.of(a) for name, a in bound.items()}
        return infer.solve(function, kinds)
    except (SourcegradError, TypeError):
        return k.ANY


def static_kind(infer: Infer, target: call_targets.Target) -> Kind | None:
    """sg.grad(f, "x") inside a function is evaluated now."""
    first = infer.of(target.args[0]) if len(target.args) == 1 else None
    if target.object in (checkpoint, np.vectorize) and isinstance(first, k.Closure) and not target.keywords:
        key = (target.object, first.function)
        if key not in infer.unit.statics:
            infer.unit.statics[key] = checkpoint(first.function) if target.object is checkpoint else Vectorized(
                first.function, len(first.items))
        made = infer.unit.statics[key]
        return k.Closure(made, first.items, first.keywords)
    first = infer.of(target.args[0]) if target.args else None
    if isinstance(first, k.Closure) and hasattr(target.object, "__sourcegrad_inner__"):
        return inner_kind(infer, target, first)
    if isinstance(first, k.Closure):
        return k.ANY                                     # of an inner function: refused with its place
    try:
        args = [_value(infer.of(a)) for a in target.args]
        options = {name: _value(infer.of(a)) for name, a in target.keywords.items()}
    except results.Unknown:
        return k.ANY
    call = (target.object, tuple(map(repr, args)), tuple(map(id, args)), repr(options))
    if call not in infer.unit.statics:
        infer.unit.statics[call] = target.object(*args, **options)
    return k.Fn(infer.unit.statics[call])


def inner_kind(infer: Infer, target: call_targets.Target, closure: k.Closure) -> Kind:
    """sg.grad(fn) of a function that is made inside: a closure over what that captures."""
    try:
        args = [_value(infer.of(a)) for a in target.args[1:]]
        options = {name: _value(infer.of(a)) for name, a in target.keywords.items()}
    except results.Unknown:
        return k.ANY
    key = (target.object, closure.function, repr(args), repr(options))
    if key not in infer.unit.statics:
        captured = len(closure.items) - len(closure.keywords)
        infer.unit.statics[key] = target.object.__sourcegrad_inner__(target.object, closure.function, captured, args, options)
    made = infer.unit.statics[key]
    return k.ANY if made is None or closure.keywords else k.Closure(made, closure.items)


def partial_kind(infer: Infer, target: call_targets.Target) -> Kind | None:
    """functools.partial(f, a, k=b) inside the function is a closure over a and b."""
    parts = [infer.of(a) for a in (*target.args, *target.keywords.values())]
    if not k.all_of(parts, Kind):
        return None
    first = parts[0]
    if isinstance(first, k.Fn):
        return k.Closure(first.value, tuple(parts[1:]), tuple(target.keywords))
    if not isinstance(first, k.Closure):
        return k.ANY
    split, count = len(first.items) - len(first.keywords), len(target.args)
    named = {**dict(zip(first.keywords, first.items[split:])), **dict(zip(target.keywords, parts[count:]))}
    return k.Closure(first.function, (*first.items[:split], *parts[1:count], *named.values()), tuple(named))


def closure_target(target: call_targets.Target, node: gast.Call) -> call_targets.Target:
    """A call of a closure as a call of its function with what it holds."""
    closure = target.object
    split = len(closure.items) - len(closure.keywords)
    args = [t.subscript(t.clone(node.func), t.const(j)) for j in range(split)]
    keywords = {name: t.subscript(t.clone(node.func), t.const(split + j)) for j, name in enumerate(closure.keywords)}
    return call_targets.target_of_object(closure.function, args + target.args, {**keywords, **target.keywords})


def _value(kind: Kind | None) -> Any:
    return kind.value if isinstance(kind, k.Fn) else results.constant(kind)


# --- Attributes that are None at first: what is computed with is not None.
#
# `d = (e - self.last) / dt` raises an error where `self.last` is None. So the name that stands for `self.last` there has the
# kind of what it holds at all other times.

ORDERED = (gast.Lt, gast.LtE, gast.Gt, gast.GtE)


def held(owner: Any, name: str) -> Any:
    """The kind of an attribute that may be None, where it is not; else None."""
    if not isinstance(owner, k.Obj) or owner.items is None or class_of(owner) is None:
        return None
    kind = owner.unless_none(name)
    default = name in owner.maybe and static_member(owner.cls, name) is None                # (a default of the class)
    return k.as_num(kind) if isinstance(kind, (k.Num, k.Const)) and (default or owner.get(name) is k.ANY) else None


def as_attribute(node: Any, unit: Unit) -> Any:
    """`x.name` for a load of an attribute from the state of objects; everything else as it is."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and unit.lookup(node.func) is runtime.place_load and (
            isinstance(node.args[2], gast.Constant) and str(node.args[2].value).isidentifier()):
        return t.attribute(node.args[1], node.args[2].value)
    return node


def asked(test: Any, block: list, place: int, unit: Unit) -> tuple[str, str, bool] | None:
    """What a test asks of the statement at a place: (object, attribute, whether it is not None where the test is true)."""
    for s in reversed(block[max(place - 4, 0):place]) if t.is_name(test) else ():
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0], test.id):
            found = asked(s.value, block, place, unit) if not t.is_name(s.value) else None
            between = block[block.index(s) + 1:place]
            return found if found is not None and _stays(found[0], between, unit) else None
    if isinstance(test, gast.Compare) and isinstance(test.ops[0], (gast.Is, gast.IsNot)) and t.same(
            test.comparators[0], t.const(None)):
        left = as_attribute(test.left, unit)
        if isinstance(left, gast.Attribute) and t.is_name(left.value):
            return left.value.id, left.attr, isinstance(test.ops[0], gast.IsNot)
    return None


def is_tested(value: gast.Attribute, block: list, place: int, test: tuple[str, str] | None, unit: Unit) -> bool:
    """Whether an attribute is read in a branch that runs where it is not None, and the object is the same by then."""
    return test is not None and t.is_name(value.value, test[0]) and value.attr == test[1] and (
        _stays(test[0], block[:place], unit))


def _stays(owner: str, between: list, unit: Unit) -> bool:
    """Whether an object is the same after some statements: no call may have changed it, by whatever name."""
    return not any(owner in t.writes(x) or any(isinstance(as_attribute(n, unit), gast.Call) for n in t.walk(x))
                   for x in t.statements(between))


def is_computed_with(name: str, following: list, of: Callable, lookup: Callable) -> bool:
    """Whether the statements behind that of a name, before anything else can happen, fail if its value is None.

    (An operand of which no kind is known yet may be a number: that is asked again when it is.)"""
    for s in following:
        if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]):
            return False
        if _fails(s.value, name, of, lookup):
            return True
        if name in t.writes(s):
            return False
    return False


def is_only_computed_with(name: str, body: list, of: Callable, lookup: Callable) -> bool:
    """Whether nothing is done with the value of a name but what fails if it is None: wherever it is used, it is not.

    (Elsewhere generated code may still hold None under that name, of which it must not want a shape: this is for numbers.)"""
    for s in t.statements(body):
        if name in t.header_reads(s) and not (isinstance(s, gast.Assign) and _fails(s.value, name, of, lookup)):
            return False
    return True


def _fails(value: Any, name: str, of: Callable, lookup: Callable) -> bool:
    if isinstance(value, gast.BinOp):
        sides = value.left, value.right
        return any(t.is_name(x, name) for x in sides) and all(
            t.is_name(x, name) or (kind := of(x)) is None or isinstance(k.as_num(kind), k.Num) for x in sides)
    if isinstance(value, gast.Compare) and isinstance(value.ops[0], ORDERED):
        return _fails(t.binop(value.left, gast.Add(), value.comparators[0]), name, of, lookup)
    if isinstance(value, gast.UnaryOp):
        return isinstance(value.op, gast.USub) and t.is_name(value.operand, name)
    if isinstance(value, gast.Subscript):
        return t.is_name(value.value, name)
    if isinstance(value, gast.Call):
        function = lookup(value.func)
        return isinstance(function, np.ufunc) and not primitive_of(function).any_object and any(
            t.is_name(a, name) for a in value.args[:function.nin])
    return False
