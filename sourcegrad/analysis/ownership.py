"""Which names of generated code own their array: nobody else can hold it, so it may change in place."""
from __future__ import annotations

import types
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.aliasing import may_share
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.value_kinds import of_shape
from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import METHODS

# Functions that give what their first argument is after a change, and which arguments a container then holds beside its items.
STORES: dict[Any, tuple[int, ...]] = {runtime.index_set: (2,), runtime.index_add: (2,)}
ENTRIES: dict[Any, tuple[int, ...]] = {runtime.entry_add: (2,), runtime.entry_drop: (), runtime.list_append: (1,),
                                       runtime.list_delete: (), runtime.list_insert: (2,), runtime.list_put_back: (2,),
                                       runtime.list_extend: (1,), runtime.dict_merge: (1,), runtime.dict_delete: (),
                                       runtime.dict_discard: (), runtime.set_add: (1,), runtime.set_discard: (),
                                       runtime.set_update: (1,), runtime.add: (1,)}
PATHS: dict[Any, tuple[int, ...]] = {runtime.path_drop: (), runtime.entry_add_at: (3,)}     # of what it holds, not of itself
UPDATES = {**STORES, **ENTRIES, **PATHS}


def updates(function: Any) -> bool:
    """Whether a function is one of these. (What is called may be an object that cannot be looked up.)"""
    return isinstance(function, types.FunctionType) and function in UPDATES


READ_ONLY = (runtime.broadcast_like, np.broadcast_to, np.lib.stride_tricks.sliding_window_view, np.diagonal,
             runtime.ones_like_output, runtime.check_cotangent)                  # memory that must not be written into
SHAPED_LIKE = (runtime.broadcast_like, runtime.unbroadcast, runtime.unbroadcast_to, runtime.operand_part)      # the second argument
READS = (runtime.dict_items, runtime.dict_values, runtime.dict_keys, runtime.dict_copy, runtime.dict_merge,
         runtime.dict_union, runtime.dict_get, runtime.entry_of, runtime.item_at)


class Ownership:
    """`owned`: names all of whose values are new arrays that no other name, list or callee has seen."""

    def __init__(self, unit: Unit, kinds: dict[str, k.Kind]) -> None:
        self.unit, self.kinds = unit, kinds
        self.owned: set[str] = set()

    def run(self, body: list, parameters: list[str]) -> Ownership:
        self.defined: dict[str, bool] = {n: False for n in parameters}
        self.captured: set[str] = set()
        self.liveness = Liveness()
        self.liveness.block(body, frozenset())
        self.block(body)
        self.owned = {n for n, fresh in self.defined.items() if fresh} - self.captured
        return self

    def block(self, block: list) -> None:
        for position, s in enumerate(block):
            self.statement(s, block, position)
            for field in t.BLOCKS:
                self.block(getattr(s, field, None) or [])

    def statement(self, s: Any, block: list, position: int) -> None:
        found = t.list_method(s)
        if found is not None and found[1] == "append":
            self.captured |= self.held(s.value.args[0])
        if isinstance(s, gast.Assign):
            target = s.targets[0]
            fresh = isinstance(target, gast.Name) and self.fresh(s.value)
            if isinstance(s.value, gast.Call) and self.unit.lookup(s.value.func) is runtime.own:
                self.defined.pop(t.writes(s)[0], None)        # from here on a copy, no longer the caller's
            for name in t.writes(s):
                self.defined[name] = self.defined.get(name, True) and (fresh or self.is_self_update(s, name))
            itself = isinstance(target, gast.Name) and t.is_name(s.value, target.id)
            if not itself and not all(self.is_scalar(n) for n in t.writes(s) or ["?"]) and not self.passing(
                    s, block, position):
                self.captured |= self.held(s.value) - self.only_read(s.value)
        elif isinstance(s, gast.Expr) and found is None:
            self.captured |= self.held(s.value)
        elif isinstance(s, gast.For):
            for name in t.writes(s):
                self.defined[name] = False

    def only_read(self, value: Any) -> set[str]:
        """Dicts that an expression takes items of: it does not hold the dict itself."""
        reading = isinstance(value, gast.Subscript) or isinstance(value, gast.Call) and self.function(value) in READS
        return {n for n in t.reads(value) if isinstance(self.kinds.get(n), (k.Dct, k.Map))} if reading else set()

    def is_scalar(self, name: str) -> bool:
        kind = k.as_num(self.kinds.get(name, k.ANY))
        return isinstance(kind, k.Const) or (isinstance(kind, k.Num) and kind.is_scalar)

    def is_array(self, node: Any, any_rank: bool = False) -> bool:
        """Whether a name is certainly an array, and not one of rank 0."""
        kind = k.as_num(self.kinds.get(node.id, k.ANY)) if isinstance(node, gast.Name) else k.ANY
        return isinstance(kind, k.Num) and bool(kind.boxed) and (any_rank or bool(kind.dims))

    def is_numeric(self, node: Any) -> bool:
        """Whether an expression certainly gives a number or an array: no container."""
        if isinstance(node, gast.Call):
            function = self.function(node)
            if function in (*STORES, runtime.zeros_like, runtime.zero_of_item, runtime.own):
                return self.is_numeric(node.args[0])
            return getattr(function, "__module__", None) == "numpy"
        return isinstance(node, (gast.BinOp, gast.Constant)) or isinstance(node, gast.Name) and isinstance(
            k.as_num(self.kinds.get(node.id, k.ANY)), k.Num)

    def gathers(self, value: gast.Subscript) -> bool:
        """Whether a subscript takes elements of an array by a mask or by other arrays: then the result is new."""
        parts = value.slice.elts if isinstance(value.slice, gast.Tuple) else [value.slice]
        base = value.value
        while isinstance(base, gast.Subscript):
            base = base.value
        return self.is_array(base) and any(
            self.is_array(p) or isinstance(p, gast.Name) and isinstance(self.kinds.get(p.id), k.Lst) for p in parts)

    def passing(self, s: gast.Assign, block: list, position: int) -> bool:
        """A view that is only computed with, and not beyond the next change of its base."""
        if not isinstance(s.targets[0], gast.Name) or not isinstance(s.value, (gast.Subscript, gast.Attribute)):
            return False
        name, bases = s.targets[0].id, self.held(s.value)
        if name in self.liveness.after.get(id(block[-1]), ()) or not block:
            return False
        pending: set[str] = set()                     # bases that have changed since
        for later in block[position + 1:]:
            inner = [later, *t.statements([x for f in t.BLOCKS for x in getattr(later, f, None) or []])]
            reads = any(name in t.header_reads(x) for x in inner)
            changes = any(bases & set(t.writes(x)) for x in inner)
            if reads and (pending or (changes and len(inner) > 1)):
                return False
            if reads and any(name in self.held(x.value) for x in inner if isinstance(x, (gast.Assign, gast.Expr, gast.Return))
                             and x.value is not None):
                return False
            if not self.liveness.after.has(id(later), name):
                return True                           # nobody looks at it any more
            if changes:
                pending |= bases
        return True

    def is_self_update(self, s: gast.Assign, name: str) -> bool:
        return name in self.unit.unset and isinstance(s.value, gast.Constant)

    def function(self, node: gast.Call) -> Any:
        found = self.unit.lookup(node.func)
        if found is MISSING and isinstance(node.func, gast.Attribute) and node.func.attr in METHODS:
            return METHODS[node.func.attr].function
        if found is MISSING and isinstance(node.func, gast.Name):
            import builtins
            return getattr(builtins, node.func.id, MISSING)
        return found

    def known(self, function: Any) -> bool:
        try:
            return function in RULES or function in ZERO_DERIVATIVE
        except TypeError:
            return False

    def fresh(self, value: Any) -> bool:
        """Whether an expression gives an array that nothing else holds."""
        if isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Constant, gast.List, gast.Dict)):
            return True
        if isinstance(value, gast.Call):
            function = self.function(value)
            if not self.known(function) or function in READ_ONLY:
                return False
            return not may_share(function, value) and function not in UPDATES or not self.held(value)
        if isinstance(value, (gast.Attribute, gast.Subscript)):
            return not self.held(value)
        return False

    def held(self, value: Any) -> set[str]:
        """Names whose array the value of an expression may hold or be part of."""
        if isinstance(value, gast.Name):
            return set() if self.is_scalar(value.id) else {value.id}
        if isinstance(value, gast.Attribute):
            owner = self.kinds.get(value.value.id) if isinstance(value.value, gast.Name) else None
            return set() if of_shape(value, owner) else self.held(value.value)
        if isinstance(value, gast.Subscript):
            return set() if self.gathers(value) else self.held(value.value)
        if isinstance(value, (gast.Tuple, gast.List)):
            return set().union(*map(self.held, value.elts)) if value.elts else set()
        if isinstance(value, gast.Dict):
            return set().union(*map(self.held, value.values)) if value.values else set()
        if isinstance(value, gast.Starred):
            return self.held(value.value)
        if isinstance(value, gast.IfExp):
            return self.held(value.body) | self.held(value.orelse)
        if isinstance(value, gast.Call):
            function = self.function(value)
            if updates(function) and not self.is_numeric(value.args[0]):
                return set().union(*(self.held(value.args[position]) for position in (0, *UPDATES[function])))
            if self.known(function) and not may_share(function, value):
                return set()
            if function is runtime.last_writes and self.is_array(value.args[0], any_rank=True):
                return set()
            parts = [*value.args[:1 if function in SHAPED_LIKE else None], *(kw.value for kw in value.keywords)]
            if isinstance(value.func, gast.Attribute) and self.unit.lookup(value.func) is MISSING:
                parts.append(value.func.value)
            return set().union(*map(self.held, parts)) if parts else set()
        return set()
