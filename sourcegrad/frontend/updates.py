"""`obj.a op= v` where the class says what storing does: the operator works on what is read, in place if that is an array, and
what it gives is stored.

    c.v *= 1.5              v = c.v             (a property: what its getter gives, perhaps an array that others hold, too)
                            v *= 1.5
                            c.v = v
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis import object_kinds as objects
from sourcegrad.frontend.desugar import INPLACE
from sourcegrad.frontend.resolve import MISSING
from sourcegrad.frontend.stored import says_stores
from sourcegrad.frontend.written import is_descriptor


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
