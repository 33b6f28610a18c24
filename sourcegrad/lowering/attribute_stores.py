"""Attribute stores: what a class makes of `obj.a = v` and `obj.a op= v`, or a located refusal.

`for name, value in options.items(): setattr(self, name, value)`, where the names are known, is a store for each of them.
Attributes that are read many times get one name; objects that are stored into get a name for what they are from then on.
"""
from __future__ import annotations

import dataclasses
import types
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import objects
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import hashable, is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.parse.classes import is_descriptor
from sourcegrad.syntax.desugar import INPLACE
from sourcegrad.syntax.split_webs import split_webs


def says_stores(cls: Any) -> bool:
    """Whether a class says what storing any of its attributes does."""
    return isinstance(cls.__setattr__, types.FunctionType) and not dataclasses.is_dataclass(cls)


def check_stored(spec: Any, node: gast.Attribute, owner: Any, s: Any) -> None:
    """An attribute that may not be there yet, so that `__getattr__` answers: which of the two shows only when it runs."""
    cls: Any = objects.class_of(owner)
    if isinstance(owner, k.Obj) and node.attr in owner.maybe and not says_stores(cls) and (
            objects.static_member(cls, node.attr) is MISSING) and isinstance(
            objects.static_member(cls, "__getattr__"), types.FunctionType):
        raise UnsupportedError(f"the attribute '{node.attr}', which is stored or is what {cls.__name__}.__getattr__ gives",
                               source.locate(node, t.origin_of(s)), "Give it its value in __init__, or another name.")


def check_frozen(cls: Any, owner: Any, name: str, place: Any) -> None:
    """A store into an object that does not change: Python raises an error there."""
    if isinstance(owner, k.Named) or getattr(getattr(cls, "__dataclass_params__", None), "frozen", False):
        raise UnsupportedError(f"a store into '{name}' of a {cls.__name__}, which cannot be changed", place,
                               "Make another one: x._replace(...)." if isinstance(owner, k.Named) else
                               "Make another one: dataclasses.replace(x, ...).")


def check_class(owner: Any, where: Any, value: Any, place: Any) -> None:
    """A store into a class, by whatever name, that is more than counting: all its objects see that, and it stays."""
    if isinstance(owner, k.Fn) and isinstance(owner.value, type) and value is not None and not k.is_discrete(value):
        what = f"{owner.value.__name__}.{where.attr}" if isinstance(where, gast.Attribute) else f"an item of {owner.value.__name__}"
        raise UnsupportedError(f"a store into the class: {what}", place,
                               "Keep it in the object (self), or pass it as an argument and return the new one.")


# --- `obj.a op= v` where the class says what storing does: the operator works on what is read, in place if that is an array, and
# what it gives is stored.
#
#     c.v *= 1.5              v = c.v             (a property: what its getter gives, perhaps an array that others hold, too)
#                             v *= 1.5
#                             c.v = v

def is_updating(spec: Any, s: gast.Assign) -> bool:
    """Whether a statement is the first of the two that `x.a op= v` stands for: the second one stores the result."""
    name = t.writes(s)[0]
    return any(isinstance(x, gast.Assign) and isinstance(x.value, gast.Call) and spec.unit.lookup(x.value.func) is (
        runtime.index_update) and t.is_name(x.value.args[-1], name) for x in spec.following[:1])


def updated(spec: Any, s: gast.Assign) -> list | None:
    """The operator on what was read, in the place of the first statement; the second stores it."""
    if not isinstance(s.value, gast.BinOp) or not isinstance(s.value.left, gast.Name) or not is_updating(spec, s):
        return None
    store = spec.following[0].value
    if not _says(spec, store):
        return None
    operation, name = INPLACE[type(s.value.op)], s.value.left.id
    store.func, store.args[-1] = t.load(spec.unit.use(runtime.index_store, "index_store")), t.load(name)
    s.targets = [t.store(name)]
    s.value = gast.copy_location(t.call(spec.unit.use(operation, operation.__name__), s.value.left, s.value.right), s.value)
    return spec.statement(s)


def _says(spec: Any, store: gast.Call) -> bool:
    """Whether a class says what a store is, or what is read there."""
    base, where, _ = store.args
    owner = spec.facts.of(base)
    cls = objects.class_of(owner)
    if cls is None or isinstance(owner, k.Named):
        return False
    if not isinstance(where, gast.Attribute):
        return objects.special(owner, "setitem", spec.unit) is not None
    if where.attr.startswith(objects.DIRECT):
        return False
    found = objects.static_member(cls, where.attr)
    return (isinstance(found, property) or is_descriptor(found, "__set__")
            or says_stores(cls)
            or found is MISSING and objects.find(owner, where.attr, spec.unit).sort == "fallback")


MOST = 40                                # names
BY_NAME = (runtime.attribute_store, getattr)


def unroll(unit: Unit, facts: Infer) -> bool:
    """Write out the loops over known names by which attributes are read or stored; whether there were any."""
    named = [s for s in t.statements(unit.tree.body) if isinstance(s, gast.For) and any(
        _computed(unit, facts, x) for x in t.statements(s.body)) and not any(map(is_stop, t.statements(s.body)))]
    loops = {id(s): found for s in named if (found := _names_of(unit, facts, s)) is not None}
    if loops:
        liveness = Liveness()
        liveness.block(unit.tree.body, frozenset())
        unit.tree.body = _block(unit, unit.tree.body, loops, liveness)
    return bool(loops)


def _computed(unit: Unit, facts: Infer, s: Any) -> bool:
    """Whether a statement reads or stores an attribute whose name is not known."""
    value = getattr(s, "value", None)
    if not isinstance(value, gast.Call) or len(value.args) < 2:
        return False
    function = unit.lookup(value.func)
    return hashable(function) and function in BY_NAME and not isinstance(facts.of(value.args[1]), k.Const)


def _names_of(unit: Unit, facts: Infer, loop: gast.For) -> tuple[gast.Assign, list] | None:
    """The statement of a loop that takes a name from a sequence of known names, or an item of a dict with known keys, and these."""
    for s in loop.body:
        value = getattr(s, "value", None)
        if isinstance(s, gast.Assign) and isinstance(value, gast.Subscript) and t.is_name(value.slice, loop.target.id) and (
                isinstance(value.value, gast.Name)):
            names = _known(unit, facts, value.value.id)
            return (s, names) if names is not None and len(names) <= MOST else None
    return None


def _known(unit: Unit, facts: Infer, name: str) -> list | None:
    """What a sequence of known names holds, or where the items of a dict with known keys are."""
    kind = facts.kinds.get(name)
    if isinstance(kind, k.Tup):
        found: list = [t.const(item.value) for item in kind.items if isinstance(item, k.Const) and isinstance(item.value, str)]
        return found if len(found) == len(kind.items) else None
    made = [s.value for s in t.statements(unit.tree.body) if name in t.writes(s)]
    changed = any((t.list_method(s) or ("",))[0] == name for s in t.statements(unit.tree.body))
    if len(made) != 1 or changed or not isinstance(made[0], (gast.Call, gast.Name, gast.List)):
        return None
    if isinstance(made[0], gast.Name):
        return _known(unit, facts, made[0].id)
    if isinstance(made[0], gast.List):
        return _written_out(made[0])
    function = unit.lookup(made[0].func)
    if function is runtime.sequence and isinstance(made[0].args[0], gast.Name):
        return _known(unit, facts, made[0].args[0].id)
    if function is runtime.sequence and isinstance(made[0].args[0], gast.List):
        return _written_out(made[0].args[0])
    given = made[0].args[0] if function in (runtime.dict_keys, runtime.dict_items) else None
    keys = facts.of(given) if given is not None else None
    if not isinstance(keys, k.Dct) or keys.partial or not all(isinstance(key, str) for key, _ in keys.items):
        return None
    if function is runtime.dict_keys:
        return [t.const(key) for key, _ in keys.items]
    if not isinstance(given, gast.Name):
        return None
    if sum(given.id in t.writes(s) for s in t.statements(unit.tree.body)) > (given.id not in unit.parameters):
        return None                                         # it may hold something else by then
    return [t.subscript(t.clone(given), t.const(key)) for key, _ in keys.items]


def _written_out(node: gast.List) -> list | None:
    names = [item for item in node.elts if isinstance(item, gast.Constant) and isinstance(item.value, str)]
    return names if len(names) == len(node.elts) else None


def _block(unit: Unit, block: list, loops: dict[int, Any], liveness: Liveness) -> list:
    result: list = []
    for s in block:
        if id(s) not in loops:
            t.map_blocks(s, lambda inner: _block(unit, inner, loops, liveness))
            result.append(s)
            continue
        taken, names = loops[id(s)]
        written = {n for x in t.statements(s.body) for n in t.writes(x)}
        own = sorted(written - liveness.after[id(s)] - liveness.head[id(s)])
        for position, name in enumerate(names):
            new = {n: unit.names.fresh(n) for n in (*own, s.target.id)}
            result.append(t.assign(new[s.target.id], t.const(position), t.origin_of(s)))
            for x in s.body:
                for copy in _taken(unit, taken, name) if x is taken else [t.clone(x)]:
                    for inner in t.statements([copy]):
                        t.rename(inner, new)
                    result.append(copy)
    return result


def _taken(unit: Unit, s: gast.Assign, value: Any) -> list:
    """A name, or an item of a dict with its key, in the place of what a statement takes."""
    name, origin = s.targets[0].id, t.origin_of(s)
    if isinstance(value, gast.Constant):
        return [t.assign(name, t.clone(value), origin)]
    entry = unit.names.fresh("entry")
    return [t.assign(entry, t.clone(value), origin), t.assign(name, t.pack([t.clone(value.slice), t.load(entry)]), origin)]


def hoist_loads(unit: Any, facts: Any) -> bool:
    """Attributes of objects and items of dicts that stay as they are get one name, at the start: one adjoint each, wherever they
    are read. Whether there are any."""
    body = unit.tree.body
    stores: dict[str, int] = {}
    for s in t.statements(body):
        for name in t.writes(s):
            stores[name] = stores.get(name, 0) + 1
    fixed = [n for n in unit.parameters if n not in stores]
    kinds = {n: facts.kinds.get(n) for n in fixed}
    first: list = []
    while fixed:
        root = fixed.pop(0)
        kind = kinds[root]
        if not isinstance(kind, (k.Obj, k.Dct)):
            continue
        groups: dict[Any, list] = {}
        for s in t.statements(body):
            if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and part_of(s.value, root, kind) is not None:
                groups.setdefault(part_of(s.value, root, kind), []).append(s)
        for part, same in groups.items():
            item = part_kind(kind, part, unit)
            if item is None or isinstance(item, k.Optional) and any(not any(s is x for x in body) for s in same):
                continue                                    # where it is asked for, it is not None
            name = same[0].targets[0].id
            named = f"{root}_{part if part.isidentifier() else 'item'}"
            if stores[name] > 1 or name in unit.parameters or isinstance(kind, k.Dct) and not (
                    name in unit.function.local or name.startswith(named)):
                name = unit.names.fresh(named)
            first.append(t.assign(name, t.clone(same[0].value), t.origin_of(same[0])))
            renamed = {s.targets[0].id for s in same if stores[s.targets[0].id] == 1} - {name, *unit.parameters}
            for s in same:
                s.value = t.load(name)
            body = without(body, {id(s) for s in same if s.targets[0].id in renamed or s.targets[0].id == name})
            for s in body:
                t.rename(s, {n: name for n in renamed})
            fixed.append(name)
            kinds[name] = kind.get(part)
    unit.tree.body = [*first, *body]
    return bool(first)


def part_of(value: Any, root: str, kind: k.Kind) -> Any:
    """The attribute, or the key, of what is read of an object or dict; or None."""
    if isinstance(kind, k.Obj):
        return value.attr if isinstance(value, gast.Attribute) and t.is_name(value.value, root) else None
    item = isinstance(value, gast.Subscript) and t.is_name(value.value, root) and isinstance(value.slice, gast.Constant)
    return value.slice.value if item and type(value.slice.value) is str else None


def part_kind(kind: Any, part: str, unit: Unit) -> k.Kind | None:
    """What an object or dict holds there, if it is always there and has an adjoint."""
    item = None if isinstance(kind, k.Obj) and kind.optional else kind.get(part)
    if item is None or k.is_discrete(item):
        return None
    if isinstance(kind, k.Dct):
        return None if kind.partial else item
    return dict(kind.items or ())[part] if part not in kind.maybe and objects.find(kind, part, unit).sort == "value" else None


def split(unit: Any, facts: Any) -> bool:
    """An object is another one after a store: each gets its own name, and so its own kind. Whether there are any."""
    assigned: dict[str, int] = dict.fromkeys(unit.parameters, 1)
    for s in t.statements(unit.tree.body):
        for name in t.writes(s):
            assigned[name] = assigned.get(name, 0) + 1
    found = frozenset(n for n, count in assigned.items() if count > 1 and isinstance(facts.kinds.get(n), k.Obj))
    if found:
        split_webs(unit, found)
        hoist_loads(unit, facts)
    return bool(found)


def without(block: list, gone: set[int]) -> list:
    """A block without some statements; empty branches stay branches."""
    result = []
    for s in block:
        if id(s) in gone:
            continue
        t.map_blocks(s, without, gone)
        if isinstance(s, (gast.For, gast.While)) and not s.body:
            s.body = [t.assign("nothing", t.const(None), t.origin_of(s))]
        if isinstance(s, gast.If) and not s.body and s.orelse:
            s.body = [t.assign("nothing", t.const(None), t.origin_of(s))]
        if isinstance(s, gast.If) and not s.body and not s.orelse:
            continue
        result.append(s)
    return result
