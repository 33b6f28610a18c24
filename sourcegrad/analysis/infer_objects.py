"""Kinds of what objects give: attributes, operators, instances, reflection (a part of `Infer`)."""
from __future__ import annotations

import dataclasses
import enum
import types
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, source, tree as t
from sourcegrad.analysis import calls, object_kinds as objects, optional
from sourcegrad.analysis.operators import BY_FUNCTION, INPLACE_OF
from sourcegrad.analysis.python_kinds import python_type, python_types
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.resolve import MISSING, Members, foreign, live_kind
from sourcegrad.kinds import Kind

FIELDS: dict[int, tuple] = {2: (("eigenvalues", "eigenvectors"), ("Q", "R"), ("sign", "logabsdet")), 3: (("U", "S", "Vh"),)}


def place_of(kind: k.Tup, name: str) -> int | None:
    """The place of a field of what functions of np.linalg give: `np.linalg.svd(a).S`."""
    return next((names.index(name) for names in FIELDS.get(len(kind.items), ()) if name in names), None)


DIFFERENT: Any = object()                           # a call that has nothing to do with objects
STORES = (runtime.index_set, runtime.index_store, runtime.index_update)


class ObjectKinds:
    """The part of `Infer` that is about objects of users' classes."""

    unit: Any
    solve: Any
    of: Any
    local: set[str]
    reached: dict[int, tuple[int, list[str]]]
    block: Any
    tests: dict[int, tuple[str, str]]           # id(branch) -> the object and the attribute that is not None there
    place: tuple[list, int]                     # of the statement at hand: its block, and where it stands there

    def of_bound(self, s: gast.Assign) -> Kind | None:
        """The kind of what an assignment binds: an attribute that is computed with at once is not None there."""
        kind = self.of(s.value)
        if isinstance(s.value, gast.Attribute) and t.is_name(s.targets[0]) and kind in (k.ANY, k.Const(None)):
            owner = self.of(s.value.value)
            found = optional.held(owner, s.value.attr)
            if found is not None or kind == k.Const(None) and isinstance(owner, k.Obj):
                name, (block, place) = s.targets[0].id, self.place
                self.reached.pop(id(s), None)                # it depends on kinds of names that it does not read
                number = isinstance(found, k.Num) and found.is_scalar
                following = block[place + 1:place + 10]
                if optional.is_tested(s.value, block, place, self.tests.get(id(block))) or optional.is_computed_with(
                        name, following, self.of, self.unit.lookup) or (
                        number and optional.is_only_computed_with(name, self.unit.tree.body, self.of, self.unit.lookup)):
                    return found
        return kind

    def branches(self, s: gast.If, truth: bool | None) -> None:
        """The branches that may run, and what is not None in one of them."""
        found = optional.asked(s.test, *self.place)
        if found is not None:
            owner, name, present = found
            self.tests[id(s.body if present else s.orelse)] = owner, name
        self.block([] if truth is False else s.body)
        self.block([] if truth is True else s.orelse)

    def check_own_iterator(self, call: Any) -> None:
        """`next(ids)` of what the caller holds would move it on, and a gradient is computed with several runs."""
        iterator = call.func.value
        given = call.func.attr == "__next__" and isinstance(iterator, gast.Name) and (
            iterator.id in self.unit.parameters or iterator.id not in self.local)
        kind = self.of(iterator) if given else None
        if isinstance(kind, k.Obj) and isinstance(getattr(kind.cls, "__next__", None), types.WrapperDescriptorType):
            block, place = self.place
            raise UnsupportedError(f"next() of an iterator that is made elsewhere ({kind.cls.__name__})",
                                   source.locate(call, t.origin_of(block[place])),
                                   "Make the iterator in the function, or pass what it gives.")

    def of_objects(self, target: calls.Target) -> Any:
        """Kind of the result of a call that is about objects; DIFFERENT for all others."""
        if target.plain is not None:
            return self._plain(target.plain, target)
        if not target.args:
            return DIFFERENT
        if target.object is dataclasses.replace and isinstance(self.of(target.args[0]), k.Obj):
            kind = self.of(target.args[0])
            for name, value in target.keywords.items():
                kind = kind.with_item(name, self.of(value))
            return kind
        if target.object in objects.CONVERSIONS:
            given = [self.of(a) for a in (*target.args, *target.keywords.values())]
            function = objects.special(given[0], objects.CONVERSIONS[target.object], self.unit)
            return DIFFERENT if function is None else objects.call(function, given, self.solve)
        if target.object in (getattr, hasattr, type):
            found = self._reflection(target)
            if found is not None:
                return found
        if target.object is runtime.attribute_store:
            base, name, value = map(self.of, target.args[:3])
            if None in (base, name, value):
                return None
            known = isinstance(name, k.Const) and isinstance(name.value, str)
            return objects.stored(base, t.attribute(t.load("at"), name.value), value, self.of) if known else k.ANY
        if target.object in STORES and len(target.args) == 3:
            base, value = self.of(target.args[0]), self.of(target.args[2])
            if isinstance(base, (k.Obj, k.OneOf, k.Lst, k.Dct, k.Map, k.Tup, k.Closure)):
                update = target.object is runtime.index_update
                return None if value is None else objects.stored(base, target.args[1], value, self.of, update)
        if target.object in (runtime.item_at, runtime.last_writes) and isinstance(self.of(target.args[0]), k.Lst):
            of_object = target.object is runtime.item_at or not isinstance(target.args[-1], gast.Attribute)
            found = self.at_path(target.args[0], target.args[-1]) if of_object else None
            if found is not None:
                return found
        if target.object in INPLACE_OF and len(target.args) == 2 and objects.class_of(self.of(target.args[0])) is not None:
            try:
                operation = self.in_place(BY_FUNCTION[INPLACE_OF[target.object]], target.args)
            except objects.Undecided:
                return k.ANY
            return k.ANY if operation is None else operation.result
        return DIFFERENT

    def at_path(self, base: Any, path: Any) -> Kind | None:
        """Kind of what lies at a path into a list: base[i][j].a for at[i][j].a."""
        part, inner = t.clone(path), path
        while isinstance(inner, (gast.Subscript, gast.Attribute)):
            inner = inner.value
        if inner is path or not t.is_name(inner) or self.unit.lookup(inner) is not runtime.at or not t.is_name(base):
            return None
        return self.of(t.rename(part, {inner.id: base.id}))

    def member(self, owner: Kind, name: str) -> Kind | None:
        """Kind of an attribute of an object."""
        if isinstance(owner, k.Const) and (isinstance(owner.value, enum.Enum) and name in ("name", "value") or isinstance(
                owner.value, np.dtype) and name in ("char", "kind", "name", "str", "type")):
            found = k.kind_of(getattr(owner.value, name))
            if isinstance(owner.value, enum.Enum):
                self.unit.rely(Members(owner.value), name, live_kind(getattr(owner.value, name), name))
            return found if isinstance(owner.value, np.dtype) else k.as_num(found)
        if isinstance(owner, k.Fn) and isinstance(owner.value, type) and not foreign(owner.value):
            self.unit.watch(owner.value, name)
            value = getattr(owner.value, name, MISSING)
            return k.ANY if value is MISSING else k.as_num(k.kind_of(value, name))
        if isinstance(owner, k.Tup) and place_of(owner, name) is not None:
            return owner.items[place_of(owner, name)]                             # type: ignore[index]
        member = objects.find(owner, name, self.unit)
        if member.sort == "property":
            return objects.call(member.function, [owner], self.solve)
        if member.sort == "fallback":
            return objects.call(member.function, [owner, k.Const(name)], self.solve)
        if member.sort == "method":
            return k.Closure(member.function, (owner,))
        if member.sort == "class":
            return k.Closure(member.function, (k.Fn(member.cls),))
        if member.sort == "static":
            return k.Fn(member.function)
        return member.kind or k.ANY

    def operation(self, node: Any) -> objects.Operation | None:
        """What an operator on objects of a user's class calls. (Of a class with `__iadd__` only, it is that of `x.a += y`.)"""
        try:
            found = objects.operation(node, self.of, self.unit, self.solve)
            if found is None and isinstance(node, gast.BinOp) and objects.class_of(self.of(node.left)) is not None:
                return self.in_place(type(node.op), [node.left, node.right])
            return found
        except objects.Undecided:
            return objects.Operation(None, False, k.ANY)

    def in_place(self, op: Any, args: list) -> objects.Operation | None:
        """What `x op= y` of an object calls: `__iadd__`, or what the operator calls."""
        kinds = [self.of(x) for x in args]
        function = objects.special(kinds[0], f"i{objects.BINARY[op]}", self.unit)
        if function is not None:
            result = None if None in kinds else objects.call(function, kinds, self.solve)
            if result != objects.NOT_IMPLEMENTED:
                return objects.Operation(function, False, result, in_place=True)
        return objects.operation(t.binop(args[0], op(), args[1]), self.of, self.unit, self.solve)

    def _plain(self, plain: Any, target: calls.Target) -> Kind | None:
        """An instance of a dataclass or namedtuple, made of its arguments."""
        try:
            bound = {name: self.of(value) for name, value in plain.bind(target.args, target.keywords).items()}
        except TypeError:
            return k.ANY
        return None if any(kind is None for kind in bound.values()) else plain.kind(bound)

    def _reflection(self, target: calls.Target) -> Kind | None:
        """getattr(x, "name"), hasattr(x, "name") and type(x), where the kind of x decides them."""
        owner = self.of(target.args[0])
        if target.object is type:
            cls = python_type(owner) if len(target.args) == 1 else None
            return None if cls is None else k.Fn(cls)
        name = self.of(target.args[1]) if len(target.args) > 1 else None
        if not isinstance(name, k.Const) or not isinstance(name.value, str):
            return None
        known = objects.has(owner, name.value, self.unit)
        if known is None and isinstance(owner, (k.Num, k.Const, k.Lst, k.Tup, k.Rest, k.Dct, k.Map)):
            answers = {hasattr(cls, name.value) for cls in python_types(owner)}
            known = answers.pop() if len(answers) == 1 else None
        if target.object is hasattr:
            return None if known is None else k.Const(known)
        if known is None:
            return None
        return self.member(owner, name.value) if known or len(target.args) < 3 else self.of(target.args[2])
