"""Object model: what attributes, operators and special methods of a class mean, and what they change."""
from __future__ import annotations

import builtins
import functools
import sys
import types
import weakref
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING, PROPERTIES
from sourcegrad.ir.unit import Unit, local_names
from sourcegrad.kinds import Kind
from sourcegrad.parse.classes import comparison, getter, is_descriptor
from sourcegrad.parse.resolve import describe, readable
from sourcegrad.primitives.core import declared, primitive_of
from sourcegrad.primitives.dicts import found_kind, stored_kind
from sourcegrad.runtime.structure import is_user_class

SUPER = "super."                     # the attribute "super.C.run" is what super(C, self).run means
CAUGHT = "caught."                   # the method "caught.run" gives what it raises as a result: `syntax.caught`
DIRECT = "direct."                   # a store into "direct.x" is object.__setattr__(self, "x", v): past a __setattr__ of the class


@dataclass
class Member:
    """What an attribute is.

    sort: "value" (of the instance, or a constant of the class), "property", "method" (the receiver comes first),
    "class" (the class comes first), "static", "fallback" (__getattr__ gives it), or "unknown". function: of all but values.
    """

    sort: str
    kind: Kind | None = None
    function: Any = None
    cls: Any = None


UNKNOWN = Member("unknown")


def static_member(cls: type, name: str, after: type | None = None) -> Any:
    """What a class has under a name, as it stands in the class (after: in the classes behind this one)."""
    order = cls.__mro__
    if after is not None:
        order = order[order.index(after) + 1:] if after in order else ()
    for base in order:
        if name in vars(base):
            return vars(base)[name]
    return MISSING


def behind(owner: str, unit: Unit) -> type | None:
    """The class that `super(owner, self)` means (the one that a method stands in, where it is not named)."""
    found = unit.env[owner] if owner in unit.env else unit.function.scope.lookup(owner or "__class__")
    return found if isinstance(found, type) else None


def does_nothing(cls: type, name: str, unit: Unit) -> bool:
    """Whether "super.C.__init__" of an object is that of `object` (or of an exception, whose arguments nobody computes with)."""
    owner = name.split(".")[1] if name.startswith(SUPER) else None
    after = behind(owner, unit) if owner is not None else None
    found = static_member(cls, "__init__", after) if after is not None else MISSING
    return found is object.__init__ or issubclass(cls, BaseException) and isinstance(found, types.WrapperDescriptorType)


def class_of(kind: Kind | None) -> type[Any] | None:
    """The class whose attributes an object of this kind has, where they are known."""
    if isinstance(kind, k.Named):
        return kind.cls
    if isinstance(kind, k.Obj) and is_user_class(kind.cls):
        return kind.cls
    return None


def held_name(place: Kind | None, node: Any) -> str:
    """The name in a state of what is read or stored: an attribute, all items of a list, or one of them."""
    return k.entry_name(place, node.value if isinstance(node, gast.Constant) else None)


def find(kind: Kind | None, name: str, unit: Unit) -> Member:
    """What `x.name` is for an object of some kind."""
    if name.startswith(CAUGHT):
        plain = find(kind, name.removeprefix(CAUGHT), unit)
        if not isinstance(plain.function, types.FunctionType):
            return UNKNOWN
        return replace(plain, function=describe(plain.function).catching(unit.function.caught))
    if isinstance(kind, k.OneOf):
        found = [find(item, name, unit) for item in kind.items]
        values = [item.kind for item in found if item.sort == "value"]
        return Member("value", k.common(values)) if len(values) == len(found) else UNKNOWN
    cls = class_of(kind)
    if kind is not None and k.may_be_held(kind):            # an array or list: what it says is in no class of the user's
        return UNKNOWN
    if cls is None:
        return UNKNOWN
    if name == "__class__":
        return Member("value", k.Fn(cls))
    after = None
    if name.startswith(SUPER):
        _, owner, name = name.split(".")
        after = behind(owner, unit)
        if after is None:
            return UNKNOWN
    found = static_member(cls, name, after)
    unit.watch(cls, name)
    if isinstance(kind, k.Named) and after is None and name in cls._fields and not isinstance(found, property):
        return Member("value", kind.items[cls._fields.index(name)])
    if isinstance(found, property):
        return Member("property", function=found.fget)
    if is_descriptor(found) and (hasattr(type(found), "__set__") or not isinstance(kind, k.Obj) or kind.get(name) is None):
        return Member("property", function=getter(found, cls))
    if isinstance(kind, k.Obj) and after is None:
        own = kind.get(name)
        if isinstance(own, k.Own):
            return Member("method", function=own.value)
        if own is not None and not isinstance(own, k.Num) and unit.doubting and name in stored_unasked(cls):
            unit.doubted, own = True, k.ANY                  # it may have been changed since its kind was seen
        if own is not None:
            default = found is not MISSING and not hasattr(found, "__get__") and name in kind.maybe
            return Member("value", k.join(own, k.as_num(k.kind_of(found, name))) if default else own)
        if kind.items is None and (found is MISSING or not callable(found)):
            return UNKNOWN
    if isinstance(found, functools.cached_property):
        PROPERTIES.add(found.func)
        return Member("property", function=found.func)
    if isinstance(found, staticmethod):
        return Member("static", function=found.__func__)
    if isinstance(found, classmethod) and callable(found.__func__) and declared(types.MethodType(found.__func__, cls)):
        return Member("static", function=types.MethodType(found.__func__, cls))
    if isinstance(found, classmethod):
        return Member("class", function=found.__func__, cls=cls)
    if isinstance(found, types.FunctionType) or getattr(type(found), "__sourcegrad_effects__", False) or (
            declared(found) and hasattr(found, "__get__")):
        return Member("method", function=found)
    if found is MISSING and after is None and not name.startswith("__"):
        fallback = static_member(cls, "__getattr__")
        if isinstance(fallback, types.FunctionType):
            return Member("fallback", function=fallback)
    if found is MISSING or hasattr(found, "__get__") or name.startswith("__"):
        return UNKNOWN
    return Member("value", k.as_num(k.kind_of(found, name)))


def has(kind: Kind, name: str, unit: Unit) -> bool | None:
    """Whether an object has an attribute; None if that is not known."""
    if isinstance(kind, k.Fn) and isinstance(kind.value, types.ModuleType):
        return hasattr(kind.value, name)
    cls = class_of(kind)
    if cls is None:
        return None
    unit.watch(cls, name)
    if isinstance(kind, k.Obj):
        if kind.items is None or kind.optional:
            return None
        if name in kind.maybe:
            return None
        if kind.get(name) is not None:
            return True
        if hasattr(cls, "__getattr__"):
            return None
    found = static_member(cls, name)
    if isinstance(found, (property, functools.cached_property, types.MemberDescriptorType)) or is_descriptor(found):
        return None
    return found is not MISSING                               # (what only the metaclass has, an instance has not)


def kept_by_owner(unit: Unit, s: gast.Assign) -> bool:
    """Whether `m = x.method` is only there for `x.name = m`: then x.name(...) is a call of the method on x."""
    owner = s.value.value
    return isinstance(owner, gast.Name) and _kept(unit, s.targets[0].id, owner.id)


def _kept(unit: Unit, name: str, owner: str) -> bool:
    """Whether all that happens to a value is that it becomes an attribute: `x.attribute = name`, after `other = name`."""
    users = [u for u in t.statements(unit.tree.body) if name in t.header_reads(u)]
    for s in users:
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return False
        if t.is_name(s.value, name) and s.targets[0].id != name:
            if not _kept(unit, s.targets[0].id, owner):
                return False
            continue
        call = s.value
        if not isinstance(call, gast.Call) or unit.lookup(call.func) is not runtime.index_store:
            return False
        base, where, value = call.args
        if not (t.is_name(base, owner) and t.is_name(s.targets[0], owner) and t.is_name(value, name) and isinstance(
                where, gast.Attribute) and isinstance(where.value, gast.Name) and where.attr != "s_"):
            return False
    return bool(users)


def stored(kind: Kind | None, path: Any, value: Kind, of: Callable, update: bool = False) -> Kind | None:
    """The kind of a value after something was stored at a path into it (an expression on the recorder `at`).

    update: an array that is there changes in place, and stays of its kind."""
    steps: list = []
    while isinstance(path, (gast.Attribute, gast.Subscript)) and not (
            isinstance(path, gast.Attribute) and path.attr == "s_"):
        if isinstance(path, gast.Subscript) and of(path.slice) is None:
            return kind                                  # not known yet
        steps.insert(0, path.attr.removeprefix(DIRECT) if isinstance(path, gast.Attribute) else of(path.slice))
        path = path.value
    if isinstance(path, gast.Call):                          # into a view of an array, which keeps its kind
        return kind
    return _put(kind, steps, lambda old: old if update and isinstance(old, k.Num) and old.boxed else k.as_num(value))


def _put(kind: Kind | None, steps: list, value: Callable[[Kind | None], Kind]) -> Kind:
    if not steps or kind is None:
        return value(None if steps else kind)
    step, rest = steps[0], steps[1:]
    if isinstance(kind, k.Obj) and isinstance(step, str):
        return kind.with_item(step, _put(kind.get(step), rest, value))
    if isinstance(kind, k.OneOf) and isinstance(step, str):
        return replace(kind, items=tuple(item.with_item(step, _put(item.get(step), rest, value)) for item in kind.items))
    if isinstance(kind, k.Obj) and is_user_class(kind.cls):
        return kind                                          # what its __setitem__ changes is seen once it is called
    if isinstance(kind, k.Lst):
        return k.Lst(k.join(kind.item, _put(kind.item, rest, value)))
    if isinstance(kind, (k.Dct, k.Map)):
        step = step if isinstance(step, k.Kind) else k.Const(step)          # (an attribute: of the adjoint of an object)
        return stored_kind(kind, step, _put(found_kind(kind, step), rest, value))
    if isinstance(kind, k.Tup) and isinstance(step, k.Const) and isinstance(step.value, int):
        items = list(kind.items)
        items[step.value] = _put(items[step.value], rest, value)
        return k.Named(tuple(items), kind.cls) if isinstance(kind, k.Named) else k.Tup(tuple(items))
    if isinstance(kind, k.Tup) and isinstance(step, k.Num):   # `for a in (b, c): a.x = ...`: into any of them
        found = tuple(k.join(item, _put(item, rest, value)) for item in kind.items)
        return k.Named(found, kind.cls) if isinstance(kind, k.Named) else k.Tup(found)
    if isinstance(kind, k.Closure) and isinstance(step, k.Const) and isinstance(step.value, int):
        items = list(kind.items)                            # a captured object that changed
        items[step.value] = _put(items[step.value], rest, value)
        return k.Closure(kind.function, tuple(items), kind.keywords)
    return kind if isinstance(kind, k.Num) else k.ANY


# --- operators

BINARY = {gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul", gast.Div: "truediv", gast.FloorDiv: "floordiv",
          gast.Mod: "mod", gast.Pow: "pow", gast.MatMult: "matmul", gast.LShift: "lshift", gast.RShift: "rshift",
          gast.BitAnd: "and", gast.BitOr: "or", gast.BitXor: "xor"}
COMPARE = {gast.Eq: ("eq", "eq"), gast.NotEq: ("ne", "ne"), gast.Lt: ("lt", "gt"), gast.LtE: ("le", "ge"),
           gast.Gt: ("gt", "lt"), gast.GtE: ("ge", "le")}
UNARY = {gast.USub: "neg", gast.UAdd: "pos", gast.Invert: "invert"}


NOT_IMPLEMENTED = k.Obj(type(NotImplemented))


@dataclass
class Operation:
    """A call that an operator stands for: the function, whether the operands are exchanged, the kind of the result.

    in_place: whether it is that of `x op= y`."""

    function: Any
    swapped: bool
    result: Kind | None
    in_place: bool = False


class Undecided(Exception):
    """An operator of a class of which it is not known what it does."""


def special(kind: Kind | None, name: str, unit: Unit) -> Any:
    """The function that implements a special method for objects of a kind, or None."""
    if kind is not None and k.may_be_held(kind):            # an array or list
        return None
    cls = class_of(kind)
    if cls is None:
        return None
    found = static_member(cls, f"__{name}__")
    unit.watch(cls, f"__{name}__")
    made = comparison(cls, f"__{name}__")
    if made is not None:
        return made
    return found if isinstance(found, types.FunctionType) else primitive_of(found).instead         # (of a compiled class)


def operands(node: Any) -> tuple[str, str, list] | None:
    """(method, reflected method, operands) of an operator."""
    if isinstance(node, gast.BinOp):
        name = BINARY[type(node.op)]
        return name, f"r{name}", [node.left, node.right]
    if isinstance(node, gast.UnaryOp) and type(node.op) in UNARY:
        return UNARY[type(node.op)], "", [node.operand]
    if isinstance(node, gast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARE:
        return (*COMPARE[type(node.ops[0])], [node.left, node.comparators[0]])
    return None


def operation(node: Any, of: Callable, unit: Unit, solve: Callable) -> Operation | None:
    """The call that an operator stands for where an operand is an object of a user's class; else None."""
    found = operands(node)
    if found is None:
        return None
    name, reflected, nodes = found
    kinds = [of(n) for n in nodes]
    if all(kind.__class__ in (k.Num, k.Const) for kind in kinds):          # nearly always
        return None
    classes = [class_of(kind) for kind in kinds]
    if all(cls is None for cls in classes) or any(kind is None for kind in kinds):
        return None
    attempts = [(special(kinds[0], name, unit), False)]
    if len(kinds) == 2:
        if classes[0] is None and not defers(kinds[0], classes[1]):
            if special(kinds[1], reflected, unit) is None:
                return None
            raise Undecided
        second = (special(kinds[1], reflected, unit), True)
        first = classes[0] is not None and classes[1] is not None and classes[1] is not classes[0] and (
            issubclass(classes[1], classes[0]))
        attempts = [second, *attempts] if first else [*attempts, second]
    for function, swapped in attempts:
        if function is None:
            continue
        arguments = kinds[::-1] if swapped else kinds
        result = call(function, arguments, solve)
        if result == NOT_IMPLEMENTED:
            continue
        return Operation(function, swapped, result)
    return None


def defers(kind: Kind | None, cls: type | None) -> bool:
    """Whether an operand that is no object of a user's class leaves the operator to the other one."""
    kind = k.as_num(kind or k.ANY)
    if isinstance(kind, k.Num) and kind.boxed is not False:
        if getattr(cls, "__array_ufunc__", MISSING) is None:
            return True
        return not hasattr(cls, "__array_ufunc__") and getattr(cls, "__array_priority__", -1.0) > 0.0
    return kind is not k.ANY


def call(function: Any, kinds: list, solve: Callable) -> Kind | None:
    """Kind of the result of a call of a Python function with positional arguments."""
    try:
        described = describe(function)
        names = described.parameters
        if len(names) != len(kinds):
            return k.ANY
        return solve(described, dict(zip(names, kinds)))
    except SourcegradError:
        return k.ANY


def of_the_class(cls: type, name: str) -> bool:
    """Whether an attribute is a container or array that stands in the class, where no object gets one of its own at first."""
    if not isinstance(static_member(cls, name), (np.ndarray, list, dict, set)):
        return False
    for method in (getattr(cls, start, None) for start in ("__init__", "__post_init__", "__new__")):
        if isinstance(method, types.FunctionType) and any(
                isinstance(node, gast.Attribute) and node.attr == name and isinstance(node.ctx, gast.Store)
                for node in t.walk(describe(method).tree)):
            return False
    return True


# --- Special methods that Python calls without being asked: of a truth test, of text, of an order in a sort.
#
# Generated code leaves those calls to Python, on the objects that it has by then. So they may look at objects, and not change any.

IMPLICIT = ("__bool__", "__len__", "__str__", "__repr__", "__format__", "__index__", "__hash__", "__contains__", "__lt__", "__le__",
            "__gt__", "__ge__")
_changing: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()         # class -> what is refused of it, or None


def check_implicit(kinds: dict[str, k.Kind]) -> None:
    """Refuse objects with such a method that changes something."""
    for kind in kinds.values():
        for part in kind.items if isinstance(kind, k.OneOf) else (kind,):
            cls = class_of(part)
            if cls is None:
                continue
            if cls not in _changing:
                _changing[cls] = _found(cls)
            if _changing[cls] is not None:
                name, origin = _changing[cls]
                raise UnsupportedError(f"a '{name}' that changes something: Python calls it without being asked", origin,
                                       "Change it in a method that is called by its name.")


def _found(cls: type) -> tuple[str, Any] | None:
    for name in IMPLICIT:
        method = getattr(cls, name, None)
        if changes_something(method, cls):
            return f"{cls.__name__}.{name}", t.origin_of(describe(method).tree)
    return None


def changes_something(method: Any, cls: type, seen: tuple = ()) -> bool:
    """Whether a method of a class, or what it calls of the class or of its module, changes anything but what it has made itself."""
    if not isinstance(method, types.FunctionType) or _root_module(method) in sys.stdlib_module_names | {"scipy"} or method in seen:
        return False
    described = readable(method)
    if described is None:
        return False
    tree = described.tree
    own = _own(tree, method.__globals__)
    for node in t.walk(tree):
        if any(root not in own for root in _changed(node)):
            return True
        called = node.func if isinstance(node, gast.Call) else None
        inner = static_member(cls, called.attr) if isinstance(called, gast.Attribute) and t.is_name(called.value) else (
            method.__globals__.get(called.id) if isinstance(called, gast.Name) else None)
        if changes_something(inner, cls, (*seen, method)):
            return True
    return False


def _own(tree: Any, names: dict[str, Any]) -> set[str]:
    """The local names of a function that only stand for what it has made itself: nobody else holds that."""
    made: dict[str, bool] = {}
    for node in t.walk(tree):
        if isinstance(node, (gast.Assign, gast.AnnAssign, gast.NamedExpr)):
            for target in node.targets if isinstance(node, gast.Assign) else [node.target]:
                made.update({n.id: made.get(n.id, True) and t.is_name(target) and _makes(node.value, names)
                             for n in t.walk(target) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)})
        elif isinstance(node, (gast.For, gast.comprehension)):
            made.update(dict.fromkeys(t.target_names(node.target), False))
    return {name for name, new in made.items() if new and name in local_names(tree)} - {
        n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}


def _makes(value: Any, names: dict[str, Any]) -> bool:
    """Whether an expression gives what nobody else holds: numbers, text, a display, an instance, an array."""
    if not isinstance(value, gast.Call):
        return not isinstance(value, (gast.Name, gast.Attribute, gast.Subscript, gast.IfExp, gast.BoolOp, gast.NamedExpr))
    function = value.func
    if isinstance(function, gast.Call):
        return t.is_name(function.func, "type")                        # type(self)(...)
    if not isinstance(function, gast.Attribute):
        found = names.get(function.id, getattr(builtins, function.id, None)) if isinstance(function, gast.Name) else None
        return isinstance(found, type) or found is sorted
    module = names.get(function.value.id) if t.is_name(function.value) else None
    found = getattr(module, function.attr, None) if isinstance(module, types.ModuleType) else None
    shared = (getattr(module, "__name__", "") or "").split(".")[0] not in ("numpy", "math") or primitive_of(found).result not in (
        None, "new")
    return isinstance(found, type) or found is not None and not shared or function.attr in MAKING


MAKING = {"copy", "deepcopy", "replace", "_replace", "__class__", "__new__", "split", "tolist"}     # what these give is new
GIVING = {"pop", "popitem", "popleft", "setdefault", "__next__"}       # methods that change their object and give something
BY_NAME = {"setattr", "delattr", "next"}


def _changed(node: Any) -> list[str | None]:
    """The names of the objects that a statement or call changes, or of which a method is called for what that does. None: of an
    object that another one holds."""
    places: list = []
    if isinstance(node, (gast.Assign, gast.Delete)):
        places = [part for target in node.targets for part in t.walk(target)]
    elif isinstance(node, (gast.AugAssign, gast.AnnAssign)):
        places = list(t.walk(node.target))
    elif isinstance(node, (gast.Global, gast.Nonlocal)):
        return [None]
    call = node.value if isinstance(node, gast.Expr) else node
    if isinstance(call, gast.Call):
        if isinstance(call.func, gast.Attribute) and (node is not call or call.func.attr in GIVING):
            return [_root(call.func.value)]
        return [_root(call.args[0])] if isinstance(call.func, gast.Name) and call.func.id in BY_NAME and call.args else []
    return [_root(part.value) for part in places if isinstance(part, (gast.Attribute, gast.Subscript)) and not isinstance(
        part.ctx, gast.Load)]


def _root_module(method: types.FunctionType) -> str:
    """The module whose code a method is: that of `dataclasses`, for example, whatever class it was made for."""
    return str(method.__globals__.get("__name__", "")).split(".")[0]


def _root(node: Any) -> str | None:
    return node.id if isinstance(node, gast.Name) else None


# --- Attributes that change where nobody has written a call: by operators, properties, setters and iteration.
#
# Until these are calls as all others, it is not known of such an attribute what it is: in `o.x = 1.0; return o.last is None` the
# setter of `x` may have stored into `last`.

ASKED = {"__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__call__", "__set_name__"}
OF_OTHERS = {"__get__", "__set__", "__delete__"}          # what they store by a name is an attribute of the object that has them
SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
ANY_NAME = {"setattr", "__setattr__", "__dict__", "delattr", "vars"}
_stored: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()


class _All:
    def __contains__(self, name: object) -> bool:
        return True


def stored_unasked(cls: type) -> Container[str]:
    """The names of the attributes that such methods of a class store into."""
    found = _stored.get(cls)
    if found is None:
        names = {name for method in _methods(cls) for name in _names(method, cls, ()) if (
            name not in ANY_NAME or method not in [vars(base).get(other) for base in cls.__mro__ for other in OF_OTHERS])}
        found = _stored[cls] = _All() if names & ANY_NAME else frozenset(names)
    return found


def _methods(cls: type) -> Iterator[Any]:
    for base in cls.__mro__[:-1]:
        for name, value in vars(base).items():
            if isinstance(value, property):
                yield from (value.fget, value.fset, value.fdel)
            elif isinstance(value, types.FunctionType):
                if name[:2] == "__" and name not in ASKED:
                    yield value
            elif hasattr(type(value), "__set__") and not isinstance(value, SLOTS):
                yield from (getattr(type(value), "__set__", None), getattr(type(value), "__get__", None))


def _names(method: Any, cls: type, seen: tuple) -> set[str]:
    """What a function stores into, and the methods of the class that it calls; names of what may be any attribute."""
    if not isinstance(method, types.FunctionType) or method in seen:
        return set()
    described = readable(method)
    found: set[str] = set()
    for node in t.walk(described.tree) if described is not None else ():
        if isinstance(node, gast.Attribute):
            inner = getattr(cls, node.attr, None) if isinstance(node.ctx, gast.Load) else None
            found |= _names(inner, cls, (*seen, method))
            if not isinstance(node.ctx, gast.Load) or node.attr in ANY_NAME:
                found.add(node.attr)
        elif isinstance(node, gast.Name) and node.id in ANY_NAME:
            found.add(node.id)
    return found
