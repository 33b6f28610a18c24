"""Members that a class has without anybody having written them: comparisons of dataclasses, descriptors as properties."""
from __future__ import annotations

import collections.abc
import dataclasses
import functools
import types
from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.errors import Origin
from sourcegrad.frontend.resolve import Function, Scope, describe
from sourcegrad.rules.methods import METHODS
from sourcegrad.runtime.structure import by_identity, is_user_class

COMPARISONS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def written(text: str, origin: Origin | None, **bound: Any) -> Function:
    """The function that a text defines. bound: what its free names mean."""
    tree = gast.parse(text).body[0]
    for s in t.statements([tree, *tree.body]):
        t.at(s, origin)
    return Function(tree.name, tree, Scope({}, {}, bound))


@by_identity
def total(add: types.FunctionType, started: bool) -> Function:
    """`sum` of objects: a loop with their `+`, which `add` defines. started: whether there is something to start with."""
    origin = describe(add).origin
    if started:
        return written("def total(items, result):\n"
                       "    for item in items:\n"
                       "        result = result + item\n"
                       "    return result\n", origin)
    return written("def total(items):\n"
                   "    if len(items) == 0:\n"
                   "        raise ValueError('the sum of no objects is a number')\n"
                   "    result = 0 + items[0]\n"
                   "    for item in items[1:]:\n"
                   "        result = result + item\n"
                   "    return result\n", origin)


def comparison(cls: type, name: str) -> Function | None:
    """A comparison that the dataclass decorator has made: that of the tuples of the fields."""
    return _comparison(cls, name, next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None))


@by_identity
def _comparison(cls: type, name: str, made: Any) -> Function | None:
    if name not in COMPARISONS or not dataclasses.is_dataclass(cls) or not isinstance(made, types.FunctionType) or (
            made.__code__.co_filename != "<string>"):
        return None
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    sides = [f"({''.join(f'{side}.{n}, ' for n in names)})" for side in ("self", "other")]
    return written(f"def {name}(self, other):\n"
                   "    if type(other) is not type(self):\n"
                   "        return NotImplemented\n"
                   f"    return {sides[0]} {COMPARISONS[name]} {sides[1]}\n", Origin(f"<dataclass {cls.__name__}>", 1, 1, ""))


BOUND: dict[tuple[type, str], str] = {
    (k.Lst, "append"): "xs, value", (k.Lst, "extend"): "xs, values", (k.Lst, "index"): "xs, value",
    (k.Lst, "count"): "xs, value", (k.Dct, "get"): "xs, key", (k.Map, "get"): "xs, key"}


def bound_method(owner: Any, name: str) -> Function | None:
    """The method of a list, dict or array as a function, for where it is used as a value."""
    return _bound_method(owner.__class__, name)


@functools.cache
def _bound_method(sort: type, name: str) -> Function | None:
    parameters = "xs, *args, **options" if sort is k.Num and name in METHODS else BOUND.get((sort, name))
    if parameters is None:
        return None
    called = f"{name}_of" if sort is k.Num else name         # `sum` is somebody else
    return written(f"def {called}({parameters}):\n    return xs.{name}({parameters.partition(', ')[2]})\n",
                   Origin(f"<method {name}>", 1, 1, ""))


def is_descriptor(value: Any, method: str = "__get__") -> bool:
    """Whether a user's class says what reading (or storing) an attribute does."""
    return is_user_class(type(value)) and isinstance(getattr(type(value), method, None), types.FunctionType)


def getter(descriptor: Any, cls: type) -> Function:
    """What reading an attribute means where the class holds a descriptor under its name."""
    return _getter(descriptor, cls, type(descriptor).__get__)


@by_identity
def _getter(descriptor: Any, cls: type, get: Any) -> Function:
    return written("def get(self):\n    return read(descriptor, self, owner)\n", describe(get).origin, descriptor=descriptor,
                   read=get, owner=cls)


def setter(descriptor: Any) -> Function:
    """What storing an attribute means there."""
    return _setter(descriptor, type(descriptor).__set__)


@by_identity
def _setter(descriptor: Any, put: Any) -> Function:
    return written("def put(self, value):\n    store(descriptor, self, value)\n", describe(put).origin, descriptor=descriptor,
                   store=put)


def iteration(cls: type[Any]) -> Function | None:
    """What a loop over an instance goes over, as a list: that of `__iter__`, or the items of a sequence."""
    return _iteration(*(getattr(cls, f"__{name}__", None) for name in ("iter", "reversed", "getitem", "len")))


@by_identity
def _iteration(found: Any, backwards: Any, item: Any, length: Any) -> Function | None:
    if isinstance(backwards, types.FunctionType) and backwards is not collections.abc.Sequence.__reversed__:
        return None                                          # (`reversed` of it is another list)
    sequence = isinstance(item, types.FunctionType) and isinstance(length, types.FunctionType)
    if sequence and (found is None or found is collections.abc.Sequence.__iter__):
        return written("def items(self):\n    return [self[k] for k in range(len(self))]\n", describe(item).origin)
    if not isinstance(found, types.FunctionType):
        return None
    described = describe(found)
    if described.generator:
        return described
    results = [s for s in t.statements(described.tree.body) if isinstance(s, gast.Return)]
    if not results or not all(isinstance(s.value, gast.Call) and t.is_name(s.value.func, "iter") and len(s.value.args) == 1
                              for s in results):
        return None
    tree = t.clone(described.tree)
    for s in t.statements(tree.body):
        if isinstance(s, gast.Return):
            s.value.func.id = "list"
    return Function("items", tree, described.scope, None)


def held_list(function: Function) -> list[str]:
    """The attributes that lead to the list that an `__iter__` hands out whole: of `return iter(self.a.b)`, ["a", "b"]."""
    body = [s for s in function.tree.body if not t.is_comment(s) and not (
        isinstance(s, gast.Expr) and isinstance(s.value, gast.Constant))]
    value = getattr(body[0], "value", None) if len(body) == 1 and isinstance(body[0], gast.Return) else None
    path = value.args[0] if isinstance(value, gast.Call) and len(value.args) == 1 else None
    names: list[str] = []
    while isinstance(path, gast.Attribute):
        names.insert(0, path.attr)
        path = path.value
    return names if t.is_name(path, function.parameters[0]) else []
