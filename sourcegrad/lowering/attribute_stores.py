"""Attribute stores: what a class makes of `obj.a = v` and `obj.a op= v`, or a located refusal."""
from __future__ import annotations

import dataclasses
import types
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import objects
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import MISSING
from sourcegrad.parse.classes import is_descriptor
from sourcegrad.syntax.desugar import INPLACE


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
