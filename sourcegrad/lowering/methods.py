"""Method resolution: methods, properties, operators and reflection become calls of the functions they mean."""
from __future__ import annotations

import copy
import dataclasses
import enum
import re
import types
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets, objects
from sourcegrad.analysis.call_targets import is_inert, is_opaque
from sourcegrad.analysis.locations import reached
from sourcegrad.analysis.object_types import in_place, operation, place_of
from sourcegrad.analysis.python_types import element_kind
from sourcegrad.analysis.result_types import CONCATENATORS, items_of, ranks
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING, transparent
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import MEMORY, Maker
from sourcegrad.lowering import places
from sourcegrad.lowering.attribute_stores import check_class, check_frozen, check_stored, is_updating, updated
from sourcegrad.lowering.branches import decided_by
from sourcegrad.memory.heap import mutable
from sourcegrad.parse.classes import bound_method, held_list, is_descriptor, iteration, setter, total
from sourcegrad.parse.resolve import readable
from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, primitive_of
from sourcegrad.runtime.containers import PAIRS
from sourcegrad.runtime.numpy_forms import as_columns
from sourcegrad.runtime.structure import is_namedtuple
from sourcegrad.syntax.desugar import BINARY

METHODS_ADVICE = "Methods are found on the class, written in Python: define it there."
SEQUENCES = (k.Lst, k.Rest, k.Tup)
ITERATING = (sum, min, max, list, tuple, sorted, any, all, set, frozenset)


def rewrite(spec: Any, s: gast.Assign) -> list | None:
    """The statements that an assignment stands for where objects of users' classes are involved; None: as it is."""
    if isinstance(s.targets[0], gast.Tuple) and isinstance(s.value, gast.Name):
        return _unpacked(spec, s)
    handler = _HANDLERS.get(type(s.value))
    return handler(spec, s) if handler else None


def _operator(spec: Any, s: gast.Assign) -> list | None:
    facts = spec.facts
    if (new := updated(spec, s)) is not None:
        return new
    updating = isinstance(s.value, gast.BinOp) and objects.class_of(facts.of(s.value.left)) is not None and is_updating(spec, s)
    try:
        found = in_place(facts, type(s.value.op), [s.value.left, s.value.right]) if updating else objects.operation(
            s.value, facts.of, spec.unit, facts.solve)
    except objects.Undecided:
        raise UnsupportedError("an operator between an array and an object of a class that does not say which of the "
                               "two decides", source.locate(s.value, t.origin_of(s)),
                               "Set __array_ufunc__ = None in the class, or call the method.") from None
    if found is None:
        return None
    if updating:                                                         # what the operator gives is put there
        spec.following[0].value.func = t.load(spec.unit.use(runtime.index_store, "index_store"))
    nodes = objects.operands(s.value)[2]                                 # type: ignore[index]
    return _as_call(spec, s, found.function, nodes[::-1] if found.swapped else nodes)


def _as_call(spec: Any, s: gast.Assign, function: Any, args: list) -> list:
    """s with a call of a known function for its value."""
    name = spec.unit.use(function, getattr(function, "__name__", "function").strip("_"))
    call = t.call(name, *args)
    call.keywords = getattr(s.value, "keywords", [])
    s.value = gast.copy_location(call, s.value)
    return [s]


def _bind(spec: Any, value: Any, base: str, s: gast.Assign, before: list) -> Any:
    """A name for an expression, with its kind."""
    kind = spec.facts.of(value)
    name = spec.unit.names.fresh(base)
    before.append(t.assign(name, value, t.origin_of(s)))
    spec.facts.local.add(name)
    if kind is not None:
        spec.facts.kinds[name] = kind
    return t.load(name)


def _attribute(spec: Any, s: gast.Assign) -> list | None:
    node = s.value
    if spec.unit.lookup(node) is not MISSING:
        return None
    owner = spec.facts.of(node.value)
    if isinstance(owner, k.Tup) and place_of(owner, node.attr) is not None:
        s.value = gast.copy_location(t.subscript(node.value, t.const(place_of(owner, node.attr))), node)
        return [s]
    cls = objects.class_of(owner)
    made = bound_method(owner, node.attr)
    if made is not None:
        s.value = t.call(spec.unit.use(Maker(made, []), f"{node.attr}_method"), node.value)
        return [s]
    if cls is None:
        return None
    if node.attr in ("__dict__", "__getattribute__"):
        raise UnsupportedError(f"`.{node.attr}` of an object", source.locate(node, t.origin_of(s)),
                               "Write the attributes out.")
    check_stored(spec, node, owner, s)
    member = objects.find(owner, node.attr, spec.unit)
    if member.sort == "property":
        if member.function is None:
            return None
        return spec.statement(_as_call(spec, s, member.function, [node.value])[0])
    if member.sort == "method" and objects.kept_by_owner(spec.unit, s):
        function = spec.unit.use(member.function, member.function.__name__)
        s.value = t.call(spec.unit.use(runtime.own_method, "own_method"), t.load(function))
        return [s]
    if member.sort == "fallback":
        return spec.statement(_as_call(spec, s, member.function, [node.value, t.const(node.attr)])[0])
    if member.sort in ("method", "class"):
        first = node.value if member.sort == "method" else t.load(spec.unit.use(member.cls, member.cls.__name__))
        maker = spec.unit.use(Maker(member.function, []), f"{member.function.__name__}_method")
        s.value = t.call(maker, first)
        return [s]
    if member.sort == "static":
        s.value = t.load(spec.unit.use(member.function, member.function.__name__))
        return [s]
    if node.attr.startswith(objects.SUPER):
        raise UnsupportedError("this attribute of super()", source.locate(node, t.origin_of(s)), "Use self.")
    return None


def _subscript(spec: Any, s: gast.Assign) -> list | None:
    node = s.value
    before: list = []
    if isinstance(node.value, gast.Attribute) and node.value.attr == "s_" and spec.unit.lookup(node.value) is np.s_:
        s.value = _recorded(spec, node, s, before)
        return [*before, s] if before else None
    function = objects.special(spec.facts.of(node.value), "getitem", spec.unit)
    if function is None:
        return concatenated(spec, s)
    index = node.slice
    if isinstance(index, gast.Slice) or (isinstance(index, gast.Tuple) and any(
            isinstance(part, gast.Slice) for part in index.elts)):
        where = t.subscript(t.dotted(f"{spec.unit.use(np, 'np')}.s_"), index)
        index = _bind(spec, _recorded(spec, where, s, before), "index", s, before)
    elif isinstance(index, gast.Tuple):
        index = _bind(spec, index, "index", s, before)
    return [*before, *spec.statement(_as_call(spec, s, function, [node.value, index])[0])]


def _recorded(spec: Any, where: gast.Subscript, s: gast.Assign, before: list) -> Any:
    """np.s_[i, a:b], or the tuple that it is, where it has numbers in it that may have derivatives."""
    index = where.slice
    if not isinstance(index, gast.Tuple) or all(isinstance(p, (gast.Slice, gast.Constant)) or k.is_discrete(
            spec.facts.of(p) or k.ANY) for p in index.elts):
        return where
    slices = [isinstance(p, gast.Slice) and t.call(spec.unit.use(slice, "slice"), *(
        bound or t.const(None) for bound in (p.lower, p.upper, p.step))) for p in index.elts]
    return t.pack([_bind(spec, made, "part", s, before) if made else p for made, p in zip(slices, index.elts)])


def _call(spec: Any, s: gast.Assign) -> list | None:
    node = s.value
    static = spec.unit.lookup(node.func)
    if static is MISSING and isinstance(node.func, gast.Attribute):
        return _method(spec, s, node)
    if static is MISSING and isinstance(node.func, gast.Name):
        static = spec.unit.outer(node.func.id) if node.func.id not in spec.facts.local else MISSING
    if not hashable(static):
        return None
    first = spec.facts.of(node.args[0]) if node.args and not isinstance(node.args[0], gast.Starred) else None
    if first is None:
        return None
    if static in (runtime.index_store, runtime.index_update):
        return _store(spec, s, node, first)
    if static is runtime.attribute_store:
        return _named_store(spec, s, node)
    if static is getattr:
        return _getattr(spec, s, node, first)
    if static in INPLACE_OF and objects.class_of(first) is not None and isinstance(node.func, gast.Name):
        return _augmented(spec, s, node, static, first)
    name = primitive_of(static).special
    if name is not None:
        function = objects.special(first, name, spec.unit)
        if function is None and isinstance(first, k.OneOf) and static is not float:
            raise UnsupportedError(f"`{static.__name__}` of an object whose class is not known beforehand",
                                   source.locate(node, t.origin_of(s)),
                                   "Give every branch an object of the same class, or call a method.")
        if function is None:
            return None
        given, node.keywords = [*node.args, *(w.value for w in node.keywords)], []          # round(x, ndigits=2)
        return spec.statement(_as_call(spec, s, function, given)[0])
    if static in ITERATING and len(node.args) == 1 and objects.class_of(first) is not None and not isinstance(first, k.Named):
        items = t.call(spec.unit.use(runtime.sequence, "sequence"), node.args[0])
        node.args[0] = t.load(spec.unit.names.fresh("items"))
        return [*spec.statement(t.assign(node.args[0].id, gast.copy_location(items, node), t.origin_of(s))), s]
    place = _sequence_argument(spec, static, node)
    if place is not None:
        items = t.call(spec.unit.use(runtime.sequence, "sequence"), node.args[place])
        before = spec.statement(t.assign(spec.unit.names.fresh("items"), gast.copy_location(items, node), t.origin_of(s)))
        node.args[place] = _bind(spec, before[-1].value, "items", s, before)
        return [*before[:-2], before[-1], *spec.statement(s)]
    add = objects.special(element_kind(first), "add", spec.unit) if static is sum and isinstance(first, SEQUENCES) else None
    if add is not None and all(w.arg == "start" for w in node.keywords):
        given, node.keywords = [*node.args, *(w.value for w in node.keywords)], []
        return _as_call(spec, s, total(add, len(given) > 1), given)
    if static in (min, max) and not node.keywords and _is_ordered(spec, first, alone=len(node.args) == 1):
        return _extreme(spec, s, node, static)
    if static is runtime.sequence:
        return _iteration(spec, s, node, first)
    if static is dataclasses.replace and isinstance(first, k.Obj) and dataclasses.is_dataclass(first.cls):
        return _replace(spec, s, node, first, [f.name for f in dataclasses.fields(first.cls)])
    if static in (dataclasses.asdict, dataclasses.astuple) and isinstance(first, k.Obj) and len(node.args) == 1 and (
            not node.keywords and dataclasses.is_dataclass(first.cls)):
        return _as_container(spec, s, node, first)
    if static in (copy.copy, copy.deepcopy):
        return copied(spec, s, node, static, first)
    if static is vars and objects.class_of(first) is not None:
        raise UnsupportedError("`vars` of an object", source.locate(node, t.origin_of(s)), "Write the attributes out.")
    return None


def _sequence_argument(spec: Any, function: Any, node: gast.Call) -> int | None:
    """Which argument NumPy reads item by item: an object with `__len__` and `__getitem__`."""
    if not (getattr(function, "__module__", None) or "").startswith("numpy") and not isinstance(function, np.ufunc):
        return None
    for place, argument in enumerate(node.args):
        cls = None if isinstance(argument, gast.Starred) else objects.class_of(spec.facts.of(argument))
        if cls is not None and not is_namedtuple(cls) and hasattr(cls, "__len__") and hasattr(cls, "__getitem__") and not any(
                hasattr(cls, f"__array{what}__") for what in ("", "_ufunc", "_function", "_interface", "_struct")):
            return place
    return None


def _is_ordered(spec: Any, first: k.Kind, alone: bool) -> bool:
    """Whether the arguments of min and max (of one: its items) are tuples or lists, or objects that say which is less."""
    if alone and not isinstance(first, SEQUENCES):
        return False
    kind = element_kind(first) if alone else first
    return isinstance(kind, SEQUENCES) or objects.special(kind, "lt", spec.unit) is not None


def _extreme(spec: Any, s: gast.Assign, node: gast.Call, function: Any) -> list:
    """min and max of what is compared as a whole: `xs[extreme_position(xs, False)]`."""
    before: list = []
    items = node.args[0] if len(node.args) == 1 else _bind(spec, t.pack(node.args), "items", s, before)
    helper = spec.unit.use(runtime.extreme_position, "extreme_position")
    position = _bind(spec, t.call(helper, t.clone(items), t.const(function is max)), "position", s, before)
    s.value = gast.copy_location(t.subscript(items, position), node)
    return [*before, s]


def _store(spec: Any, s: gast.Assign, node: gast.Call, owner: k.Kind) -> list | None:
    """x.name = v where name is a property, x[i] = v where the class says what that does."""
    cls, origin = objects.class_of(owner), t.origin_of(s)
    base, where, value = node.args
    if cls is None and isinstance(owner, k.OneOf):
        for one in map(objects.class_of, owner.items):
            if isinstance(where, gast.Attribute) and one is not None and one.__setattr__ is not object.__setattr__:
                raise UnsupportedError(f"a store into an attribute of a {one.__name__}, whose class is not known beforehand and "
                                       "says what a store does", source.locate(node, origin),
                                       "Give every branch an object of the same class, or store in a method of the class.")
        return places.stored(spec, s, node)
    check_class(owner, where, spec.facts.of(value), source.locate(node, origin))
    if isinstance(owner, k.Obj) and owner.is_caught and getattr(where, "attr", "") != "args":       # (that changes a message)
        raise UnsupportedError("a store into an exception that was caught", source.locate(node, origin),
                               "Raise a new exception with what it is to carry.")
    if cls is None:
        return None
    if isinstance(where, gast.Attribute):
        name, direct = where.attr.removeprefix(objects.DIRECT), where.attr.startswith(objects.DIRECT)
        where.attr = name
        if not direct:
            check_frozen(cls, owner, name, source.locate(node, origin))
        if isinstance(cls.__setattr__, types.FunctionType) and not dataclasses.is_dataclass(cls) and not direct:
            spec.unit.watch(cls, "__setattr__")
            return _stored_by(spec, s, cls.__setattr__, [base, t.const(name), value], base)
        found = objects.static_member(cls, name)
        if is_descriptor(found, "__set__"):
            spec.unit.watch(cls, name)
            return _stored_by(spec, s, setter(found), [base, value], base)
        if not isinstance(found, property):
            return places.stored(spec, s, node)
        if found.fset is None:
            raise UnsupportedError(f"a store into the property '{where.attr}', which has no setter",
                                   source.locate(node, origin), "Python raises an error here.")
        spec.unit.watch(cls, where.attr)
        function, args = found.fset, [base, value]
    else:
        function = objects.special(owner, "setitem", spec.unit)
        if function is None:
            return None
        before: list = []
        index = where.slice
        if isinstance(index, gast.Tuple) and not any(isinstance(part, gast.Slice) for part in index.elts):
            index = _bind(spec, index, "index", s, before)
        elif not isinstance(index, (gast.Name, gast.Constant)):
            index = _bind(spec, _recorded(spec, where, s, before), "index", s, before)
        function, args = function, [base, index, value]
        if before:
            return [*before, *_stored_by(spec, s, function, args, base)]
    return _stored_by(spec, s, function, args, base)


def _named_store(spec: Any, s: gast.Assign, node: gast.Call) -> list | None:
    """setattr(x, name, v) where the kinds tell the name."""
    base, name, value, *direct = node.args
    known = spec.facts.of(name)
    if known is None:
        return None
    if not isinstance(known, k.Const) or not isinstance(known.value, str):
        raise UnsupportedError("`setattr` with a name that is computed", source.locate(node, t.origin_of(s)),
                               "Use a constant name, or keep the values in a dict.")
    place = t.attribute(t.load(spec.unit.use(runtime.at, "at")), (objects.DIRECT if direct else "") + known.value)
    store = t.load(spec.unit.use(runtime.index_store, "index_store"))
    s.value = gast.copy_location(t.call(store, base, place, value), node)
    return spec.statement(s)


def _stored_by(spec: Any, s: gast.Assign, function: Any, args: list, base: Any) -> list:
    name = s.targets[0].id
    call = t.assign(spec.unit.names.fresh("unused"), s.value, t.origin_of(s))
    new = spec.statement(_as_call(spec, call, function, args)[0])
    return new if name == base.id else [*new, t.assign(name, t.clone(base), t.origin_of(s))]


def _method(spec: Any, s: gast.Assign, node: gast.Call) -> list | None:
    """x.name(...) where the name is no method: what is called is bound first."""
    owner = spec.facts.of(node.func.value)
    cls = objects.class_of(owner)
    if isinstance(owner, k.Const) and isinstance(owner.value, enum.Enum):
        function = objects.static_member(type(owner.value), node.func.attr)
        return _as_call(spec, s, function, [node.func.value, *node.args]) if isinstance(function, types.FunctionType) else None
    if cls is None:
        return None
    if isinstance(owner, k.Named) and node.func.attr == "_replace" and not node.args:
        return _replace(spec, s, t.call("replace", node.func.value), owner, list(owner.cls._fields), node.keywords)
    if isinstance(owner, k.Named) and node.func.attr == "_asdict" and not node.args:
        found: list = []
        items = [_bind(spec, t.attribute(t.clone(node.func.value), name), name, s, found) for name in owner.cls._fields]
        s.value = gast.Dict(keys=[t.const(name) for name in owner.cls._fields], values=items)
        return [x for b in found for x in spec.statement(b)] + spec.statement(s)
    member = objects.find(owner, node.func.attr, spec.unit)
    held = k.held(spec.facts.kinds.get(MEMORY), owner, node.func.attr) if member.sort == "unknown" and k.is_place(owner) and (
        not k.may_be_held(owner)) else None                 # a function that it holds
    if member.sort in ("value", "property", "fallback") or held is not None and may_be_called(held):
        before: list = []
        node.func = _bind(spec, node.func, node.func.attr, s, before)
        return [x for b in before for x in spec.statement(b)] + spec.statement(s)
    if member.sort == "method" and not has_source(member.function):
        raise UnsupportedError(f"the method '.{node.func.attr.split('.')[-1]}' of a {cls.__name__}",
                               source.locate(node, t.origin_of(s)), METHODS_ADVICE)
    if member.sort == "unknown":
        what = node.func.attr.split(".")[-1]
        if isinstance(owner, k.Named) and what in ("_asdict", "count", "index"):
            return None
        if what == "__init__" and objects.does_nothing(cls, node.func.attr, spec.unit):
            s.value = t.const(None)
            return [s]
        raise UnsupportedError(f"the method '.{what}' of a {cls.__name__}",
                               source.locate(node, t.origin_of(s)), METHODS_ADVICE)
    return None


def may_be_called(held: k.Kind) -> bool:
    """Whether what an attribute holds is certainly a function, or an object that is called as one."""
    several: Any = held.items if isinstance(held, k.OneOf) else [held]
    own = k.is_place(held) and all(isinstance(objects.static_member(one.cls, "__call__"), types.FunctionType) for one in several)
    return own or isinstance(held, k.Closure) or isinstance(held, k.Fn) and stands_alone(held.value)


def stands_alone(function: Any) -> bool:
    """Whether it is certainly no method that an object keeps, without the object."""
    known = isinstance(function, (np.ufunc, types.BuiltinFunctionType)) or not isinstance(function, type) and (
        function in RULES or function in ZERO_DERIVATIVE)
    return known or isinstance(function, types.FunctionType) and function.__qualname__ == function.__name__


def has_source(function: Any) -> bool:
    """Whether a method of a class can be looked into (or has nothing to do with derivatives)."""
    if not isinstance(function, types.FunctionType) or is_inert(function) or call_targets.target_of_object(function, [], {}).known:
        return True
    return not is_opaque(function) and readable(transparent(function)) is not None


def _getattr(spec: Any, s: gast.Assign, node: gast.Call, owner: k.Kind) -> list | None:
    name = spec.facts.of(node.args[1]) if len(node.args) > 1 else None
    if not isinstance(name, k.Const) or not isinstance(name.value, str):
        if objects.class_of(owner) is None and not isinstance(owner, k.Num):
            return None
        raise UnsupportedError("`getattr` with a name that is computed", source.locate(node, t.origin_of(s)),
                               "Use a constant name, or keep the values in a dict.")
    known = objects.has(owner, name.value, spec.unit)
    if known is None and len(node.args) > 2:
        cond = spec.unit.names.fresh("has")
        origin, target = t.origin_of(s), s.targets[0].id
        there = t.assign(target, gast.copy_location(t.attribute(node.args[0], name.value), node), origin)
        return [t.assign(cond, t.call("hasattr", t.clone(node.args[0]), t.const(name.value)), origin),
                t.if_(t.load(cond), spec.statement(there), [t.assign(target, node.args[2], origin)], origin)]
    if known is False and len(node.args) > 2:
        s.value = node.args[2]
        return [s]
    s.value = gast.copy_location(t.attribute(node.args[0], name.value), node)
    return spec.statement(s)


def _augmented(spec: Any, s: gast.Assign, node: gast.Call, operation: Any, owner: k.Kind) -> list | None:
    """x += y of objects is what __iadd__ gives, or a new object that __add__ makes."""
    op = BINARY[operation]
    found = in_place(spec.facts, op, node.args)
    if found is not None and found.in_place:
        return spec.statement(_as_call(spec, s, found.function, node.args)[0])
    s.value = gast.copy_location(t.binop(node.args[0], op(), node.args[1]), node)
    return spec.statement(s)


def _iteration(spec: Any, s: gast.Assign, node: gast.Call, owner: k.Kind) -> list | None:
    """`for x in obj` runs over what `__iter__` hands to `iter`."""
    cls = objects.class_of(owner)
    if cls is None or is_namedtuple(cls):
        return None
    advice = "Loop over the list that the object holds."
    function = iteration(cls)
    spec.unit.watch(cls, "__iter__")
    if function is None or hasattr(cls, "__next__") and not spec.unit.function.memory:      # (it changes what it is)
        if cls is runtime.Kept:
            raise UnsupportedError("a loop over an iterator that something else reads as well",
                                   source.locate(node, t.origin_of(s)), PAIRS)
        raise UnsupportedError(f"iteration over a {cls.__name__}", source.locate(node, t.origin_of(s)), advice)
    if function.generator:
        check_left(spec.unit, s, function)
    held = held_list(function)
    before: list = []
    if held:
        items = node.args[0]
        for name in held:
            items = _bind(spec, t.attribute(items, name), name, s, before)
    else:
        call = t.assign(spec.unit.names.fresh("items"), node, t.origin_of(s))
        before = _as_call(spec, call, function, [node.args[0]])
        items = t.load(call.targets[0].id)
    s.value = gast.copy_location(t.call(node.func, items), node)
    return [x for b in before for x in spec.statement(b)] + spec.statement(s) if held else [*before, s]


def check_left(unit: Any, s: gast.Assign, generator: Any) -> None:
    """A loop with an early exit over the items of a generator that may have no end."""
    if not any(isinstance(n, gast.While) for n in t.walk(generator.tree)):
        return
    name = s.targets[0].id
    items = {name} | {x.targets[0].id for x in t.statements(unit.tree.body) if isinstance(x, gast.Assign)
                      and isinstance(x.value, gast.Call) and any(t.is_name(a, name) for a in x.value.args)
                      and unit.lookup(x.value.func) is runtime.sequence and isinstance(x.targets[0], gast.Name)}
    if any(isinstance(x, gast.For) and t.is_stop(x.body[-1]) and items & {
            n for part in (x, *x.body[:2]) for n in t.header_reads(part)} for x in t.statements(unit.tree.body)):
        raise UnsupportedError(f"a loop that may leave the generator {generator.name}() early, which is read to its end first",
                               source.locate(s.value, t.origin_of(s)),
                               "Make it a function outside the class (a loop over it takes turns with it), or stop inside it.")


def _unpacked(spec: Any, s: gast.Assign) -> list | None:
    """`a, b = obj` unpacks what a loop over the object goes over."""
    kind = spec.facts.of(s.value)
    if objects.class_of(kind) is None or isinstance(kind, k.Named):
        return None
    items = spec.unit.names.fresh("items")
    call = t.call(spec.unit.use(runtime.sequence, "sequence"), s.value)
    before = spec.statement(t.assign(items, gast.copy_location(call, s.value), t.origin_of(s)))
    s.value = t.load(items)
    return [*before, s]


def _as_container(spec: Any, s: gast.Assign, node: gast.Call, owner: k.Obj) -> list:
    """asdict(x) and astuple(x) are a dict and a tuple of copies of the fields; dataclasses in fields become such, too."""
    before: list = []
    values: list = []
    fields = [field.name for field in dataclasses.fields(owner.cls)]
    for name in fields:
        part = _bind(spec, t.attribute(t.clone(node.args[0]), name), name, s, before)
        kind = spec.facts.of(part)
        if isinstance(kind, k.Obj) and dataclasses.is_dataclass(kind.cls):
            part = _bind(spec, gast.copy_location(t.call(t.clone(node.func), part), node), name, s, before)
        elif mutable(kind or k.ANY):
            part = _bind(spec, t.call(spec.unit.use(copy.deepcopy, "deepcopy"), part), name, s, before)
        values.append(part)
    if spec.unit.lookup(node.func) is dataclasses.astuple:
        s.value = t.pack(values)
    else:
        s.value = gast.Dict(keys=[t.const(name) for name in fields], values=values)
    return [*(x for b in before for x in spec.statement(b)), s]


def _replace(spec: Any, s: gast.Assign, node: gast.Call, owner: Any, fields: list[str], given: Any = None) -> list:
    """replace(x, a=v) makes an instance of the class with the other fields of x."""
    before: list = []
    changed = {keyword.arg: keyword.value for keyword in (node.keywords if given is None else given)}
    values = {name: changed.get(name) or _bind(spec, t.attribute(t.clone(node.args[0]), name), name, s, before)
              for name in fields}
    s.value = gast.copy_location(t.call(spec.unit.use(owner.cls, owner.cls.__name__), **values), node)
    return before + spec.statement(s)


_HANDLERS: dict[type, Any] = {gast.BinOp: _operator, gast.UnaryOp: _operator, gast.Compare: _operator,
                              gast.Attribute: _attribute, gast.Subscript: _subscript, gast.Call: _call}


def pending(unit: Any, facts: Any) -> bool:
    """Whether kinds that have become known decide more: properties and methods of what calls have made."""
    for s in t.statements(unit.tree.body):
        value = getattr(s, "value", None)
        if not isinstance(s, gast.Assign):
            continue
        node = value.func if isinstance(value, gast.Call) else value
        if decided_by(value, unit, facts) is not None:
            return True
        if isinstance(node, gast.Attribute) and unit.lookup(node) is MISSING:
            owner = facts.of(node.value)
            if objects.class_of(owner) is not None and objects.find(owner, node.attr, unit).sort in (
                    "property", "method", "class", "static", "fallback"):
                return True
        if isinstance(value, gast.Call) and isinstance(node, gast.Name) and (
                objects.class_of(facts.of(node)) is not None or isinstance(facts.kinds.get(node.id), k.Closure)):
            return True
        if isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Compare)) and operation(facts, value) is not None:
            return True
        if isinstance(value, gast.Subscript) and objects.special(facts.of(value.value), "getitem", unit) is not None:
            return True
    return False


# --- copy.copy and copy.deepcopy of containers and objects, as far as their classes leave that to Python.

OWN = ("copy", "deepcopy", "reduce", "reduce_ex", "getstate", "setstate", "getnewargs", "getnewargs_ex")


def copied(spec: Any, s: gast.Assign, node: gast.Call, function: Any, first: k.Kind) -> list | None:
    """The statements that a copy stands for; None: it is one of all attributes as they are, or of all parts."""
    place = t.origin_of(s)
    own = _own_way(function, first, spec.unit)
    if function is copy.copy and isinstance(first, k.Obj) and own == "copy":
        name = spec.unit.use(objects.special(first, own, spec.unit), "copy")
        s.value = gast.copy_location(t.call(name, *node.args), node)
        return list(spec.statement(s))
    if own is not None:
        raise UnsupportedError("a copy of an object whose class says how it is copied", source.locate(node, place),
                               f"(`__{own}__`.) Call a method or function that makes the copy.")
    if function is copy.deepcopy or k.is_place(first):      # (of a place: `lowering.copies`)
        return None
    if isinstance(first, (k.Lst, k.Tup, k.Dct, k.Map)):
        s.value = node.args[0]
        if not isinstance(first, k.Tup):
            make = list if isinstance(first, k.Lst) else runtime.dict_copy
            s.value = gast.copy_location(t.call(spec.unit.use(make, make.__name__), node.args[0]), node)
        return [s]
    if not isinstance(first, (k.Obj, k.Num, k.Const)):
        raise UnsupportedError("`copy.copy` of a container", source.locate(node, place),
                               "Write list(x) or dict(x), or copy.deepcopy(x).")
    if isinstance(first, k.Obj) and any(isinstance(item, k.Own) for _, item in first.items or ()):
        raise UnsupportedError("`copy.copy` of an object that keeps one of its methods in an attribute", source.locate(node, place),
                               "The copy would call the method of the original: use copy.deepcopy(x).")
    return None


def _own_way(function: Any, kind: k.Kind, unit: Any) -> str | None:
    """The method by which a class says how its instances are copied: that of the object, or of any that a deep copy finds."""
    tags = reached(kind) if function is copy.deepcopy else {objects.class_of(kind)}
    for cls in sorted((c for c in tags or () if isinstance(c, type)), key=lambda c: c.__qualname__):
        for name in OWN:
            unit.watch(cls, f"__{name}__")
            relevant = name not in ("copy", "deepcopy") or name == function.__name__
            if relevant and isinstance(objects.static_member(cls, f"__{name}__"), types.FunctionType):
                return name
    return None


# --- `np.r_[a, 1.0, b]` and `np.c_[x, y]` as the calls that they stand for.

def concatenated(spec: Any, s: gast.Assign) -> list | None:
    """The statements for an index of np.r_ or np.c_; None for that of anything else, and where kinds are still to come."""
    owner = spec.facts.of(s.value.value)
    if not isinstance(owner, k.Obj) or owner.cls not in CONCATENATORS:
        return None
    name, items = CONCATENATORS[owner.cls], items_of(s.value.slice)
    rows = name == "np.r_"
    known = ranks(items, spec.facts.of)
    if known is None:
        return None
    origin, remedy = source.locate(s.value, t.origin_of(s)), f"Write np.{'concatenate' if rows else 'column_stack'} of the parts."
    axis, rank = directive(spec.facts.of(items[0])) if rows and not isinstance(items[0], gast.Slice) else (None, 1)
    if axis is not None:
        items, known = items[1:], known[1:]
    if any(k.is_text(spec.facts.of(item)) for item in items if not isinstance(item, gast.Slice)):
        raise UnsupportedError(f"{name} with a text that says how to join", origin, remedy)
    if not rows and any(rank is not None and rank > 2 for rank in known):
        raise UnsupportedError("np.c_ of arrays of rank 3 or more", origin, "Write np.concatenate(parts, axis=-1).")
    before: list = []

    def bind(value: Any, base: str) -> Any:
        fresh = spec.unit.names.fresh(base)
        made = spec.statement(t.assign(fresh, value, t.origin_of(s)))
        before.extend(made)
        kind = spec.facts.of(made[-1].value)
        spec.facts.local.add(fresh)
        if kind is not None:
            spec.facts.kinds[fresh] = kind
        return t.load(fresh)

    module = spec.unit.use(np, "np")
    parts = [bind(_points(item, module), "points") if isinstance(item, gast.Slice) else item for item in items]
    if rows:
        low = [own is None or own < rank for own in known]
        parts = [bind(t.call(f"{module}.atleast_{rank}d", part), "part") if less else part for part, less in zip(parts, low)]
    elif None in known:                                     # column_stack would join arrays of three axes otherwise
        columns = spec.unit.use(as_columns, "as_columns")
        parts, axis = [bind(t.call(columns, part), "part") for part in parts], -1
    options = {} if axis in (None, 0) else {"axis": t.const(axis)}
    name = "concatenate" if rows or None in known else "column_stack"
    joined = t.call(f"{module}.{name}", bind(t.pack(parts), "parts"), **options)
    s.value = gast.copy_location(joined, s.value)
    return [*before, *spec.statement(s)]


def directive(kind: Any) -> tuple[int | None, int]:
    """The axis along which np.r_ joins, and the rank that the parts have at least, of a text such as "1" or "0,2"."""
    found = re.fullmatch(r"(-?\d+)(?:,([12]))?", kind.value) if isinstance(kind, k.Const) and isinstance(kind.value, str) else None
    return (None, 1) if found is None else (int(found[1]), int(found[2] or 1))


def _points(item: gast.Slice, module: str) -> gast.expr:
    """The numbers that a slice stands for: as arange gives them, or as linspace where the step is imaginary."""
    start, step = item.lower or t.const(0), item.step or t.const(1)
    if isinstance(step, gast.Constant) and isinstance(step.value, complex):
        return t.call(f"{module}.linspace", start, item.upper, t.const(int(abs(step.value))))
    return t.call(f"{module}.arange", start, item.upper, step)
