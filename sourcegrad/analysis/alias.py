"""May-alias and uniqueness analysis: which names may hold one array, which arrays nobody else can hold, and which are borrowed."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.call_targets import target_of
from sourcegrad.analysis.liveness import Liveness, Numbering, positions
from sourcegrad.analysis.python_types import of_shape
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import Dataflow, closure
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, is_stop
from sourcegrad.ir.unit import MEMORY, Unit
from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, foreign, primitive_of
from sourcegrad.primitives.methods import METHODS


def may_share(function: Any, call: Any = None) -> bool:
    """Whether the result of a known function may share memory with its arguments (helpers: unless listed).

    call: the call, where it is known (a node, or its target)."""
    known = primitive_of(function)
    if known.alone is not None and call is not None and len(call.args) > known.alone:
        return False
    if known.unless is not None:
        name, position = known.unless
        names = [kw if isinstance(kw, str) else kw.arg for kw in call.keywords] if call is not None else [None]
        return None in names or name in names or len(call.args) > position
    if getattr(function, "__name__", "") == "stop_gradient" or isinstance(function, type) and issubclass(function, np.generic):
        return True                                          # np.float64(x) of an array
    if known.result is not None:
        return known.result != "new"
    return foreign(function) or (getattr(function, "__module__", None) or "").startswith("sourcegrad.runtime")


ELSEWHERE = "elsewhere"            # stands for memory that the caller or someone else holds


def shares(value: Any, unit: Unit, kinds: dict[str, k.Kind]) -> list[str]:
    """Names whose memory the value of an expression may share; ELSEWHERE when it may belong to others."""
    if isinstance(value, gast.Name):
        return [value.id]
    if isinstance(value, (gast.Subscript, gast.Attribute)):
        if isinstance(value, gast.Attribute) and of_shape(value, kinds.get(t.reads(value)[0]) if t.is_name(value.value) else None):
            return []
        return t.reads(value.value) or [ELSEWHERE]
    if isinstance(value, (gast.Tuple, gast.List, gast.Dict, gast.IfExp)):
        return [name for name in t.reads(value) if name != MEMORY or isinstance(value, gast.IfExp)]     # (beside a result)
    if isinstance(value, gast.BinOp):                   # of lists: the elements are the same objects
        numbers = [kind for n in t.reads(value) if isinstance(kind := k.as_num(kinds.get(n, k.ANY)), k.Num)]
        new = not isinstance(value.op, (gast.Add, gast.Mult, gast.BitOr, gast.BitAnd, gast.BitXor)) or any(
            kind.boxed or isinstance(value.op, gast.Add) for kind in numbers)
        return [] if new else [n for n in t.reads(value) if not isinstance(k.as_num(kinds.get(n, k.ANY)), k.Num)]
    if isinstance(value, gast.Call):
        found = t.list_method(gast.Expr(value=value))
        if found and found[1] == "pop":
            return [found[0]]
        target = target_of(value, unit, lambda node: kinds.get(node.id, k.ANY) if isinstance(node, gast.Name) else k.ANY)
        if target.object in INPLACE_OF or target.object in (runtime.index_set, runtime.index_store, runtime.index_update):
            holds = isinstance(kinds.get(t.reads(target.args[0])[0] if t.reads(target.args[0]) else "", k.ANY), k.Num)
            return t.reads(target.args[0]) + ([] if holds else t.reads(target.args[-1]))   # the same object as before
        of_array = len(target.args) > 1 and t.is_name(target.args[1]) and k.is_held_array(kinds.get(target.args[1].id, k.ANY))
        if target.object in (runtime.array_fill, runtime.view_fill) or target.object is runtime.place_store and of_array:
            return t.reads(target.args[0])                  # its elements are copies
        if target.object in RULES or target.object in ZERO_DERIVATIVE:
            return [n for a in target.args for n in t.reads(a)] if may_share(target.object, target) else []
        return [ELSEWHERE, *(n for a in target.args for n in t.reads(a))]
    return []


@k.once
def never_changes(kind: k.Kind) -> bool:
    """Whether it is a number, text, a reference to an object or list that is a place (what that holds, the state of objects holds)
    or a tuple of these: nobody sees who else holds it."""
    kind = k.as_num(kind)
    reference = k.is_place(kind) and not any(map(k.is_held_array, kind.items if isinstance(kind, k.OneOf) else [kind]))
    return reference or isinstance(kind, k.Const) or isinstance(kind, k.Num) and kind.is_scalar or k.is_text(kind) or (
        isinstance(kind, k.Tup) and all(map(never_changes, kind.items)))


def groups(body: list, parameters: list[str], unit: Unit, kinds: dict[str, k.Kind]) -> dict[str, frozenset[str]]:
    """Name -> all names that may share memory with it (itself included); scalars share with nobody."""
    parent: dict[str, str] = {}

    def find(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    def immutable(name: str) -> bool:
        kind = kinds.get(name, k.ANY)
        return never_changes(kind) or k.is_place(kind)

    def link(a: str, b: str) -> None:
        if not immutable(a) and not immutable(b):
            parent[find(b)] = find(a)

    local = set(parameters) | {n for s in t.statements(body) for n in t.writes(s)}
    copied = {s.targets[0].id for s in body if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
              and unit.lookup(s.value.func) is runtime.own}          # parameters that are copied first of all
    for name in parameters:
        if name not in copied:
            link(ELSEWHERE, name)
    for s in t.statements(body):
        found = t.list_method(s)
        if found and found[1] == "append":
            for name in t.reads(s.value.args[0]):
                link(found[0] if found[0] in local else ELSEWHERE, name)
        if isinstance(s, gast.Assign):
            for other in shares(s.value, unit, kinds):
                for name in t.writes(s):
                    link(other if other in local else ELSEWHERE, name)
    result: dict[str, set[str]] = {}
    for name in [*local, ELSEWHERE]:
        result.setdefault(find(name), set()).add(name)
    return {name: frozenset(result[find(name)]) for name in [*local, ELSEWHERE]}


def built(unit: Unit, kinds: dict[str, k.Kind], changes: dict[int, list[str]]) -> set[str]:
    """The names of what is made here and changes only before anybody else may hold it. changes: of each statement, by its id."""
    values = Values(unit, kinds)
    binds = collections.Counter(n for s in t.statements(unit.tree.body) for n in t.writes(s) if n not in changes.get(id(s), ()))
    changing = collections.Counter(n for names in changes.values() for n in set(names))

    def look(block: list) -> Iterator[str]:
        for number, s in enumerate(block):
            for inner in t.inner_blocks(s):
                yield from look(inner)
            name = s.targets[0].id if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else ""
            if name not in changing or binds[name] != 1 or name in changes.get(id(s), ()) or not values.fresh(s.value):
                continue
            about = [sum(name in changes.get(id(x), ()) for x in t.statements([y])) for y in block[number:]]
            if sum(about) == changing[name]:
                last = max(j for j, count in enumerate(about) if count)
                if groups(block[number:number + last + 1], [], unit, kinds)[name].isdisjoint((MEMORY, ELSEWHERE)):
                    yield name

    return set(look(unit.tree.body))


# --- Which names of generated code own their array: nobody else can hold it, so it may change in place.

def updates(function: Any) -> bool:
    """Whether a function gives what its first argument is after a change."""
    return primitive_of(function).writes is not None


class Values:
    """What expressions give: a new array that nothing else holds, or what names hold."""

    def __init__(self, unit: Unit, kinds: dict[str, k.Kind]) -> None:
        self.unit, self.kinds = unit, kinds

    def only_read(self, value: Any) -> set[str]:
        """Dicts that an expression takes items of: it does not hold the dict itself."""
        reading = isinstance(value, gast.Subscript) or isinstance(value, gast.Call) and primitive_of(self.function(value)).takes
        return {n for n in t.reads(value) if isinstance(self.kinds.get(n), (k.Dct, k.Map))} if reading else set()

    def is_scalar(self, name: str) -> bool:
        return never_changes(self.kinds.get(name, k.ANY))

    def is_array(self, node: Any, any_rank: bool = False) -> bool:
        """Whether a name is certainly an array, and not one of rank 0."""
        kind = k.as_num(self.kinds.get(node.id, k.ANY)) if isinstance(node, gast.Name) else k.ANY
        return isinstance(kind, k.Num) and bool(kind.boxed) and (any_rank or bool(kind.dims))

    def is_numeric(self, node: Any) -> bool:
        """Whether an expression certainly gives a number or an array: no container."""
        if isinstance(node, gast.Call):
            function = self.function(node)
            if primitive_of(function).writes == "values" or function in (runtime.zeros_like, runtime.zero_of_item, runtime.own):
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
            if not self.known(function) or primitive_of(function).read_only:
                return False
            return not may_share(function, value) and not updates(function) or not self.held(value)
        if isinstance(value, (gast.Attribute, gast.Subscript)):
            return not self.held(value)
        return False

    def held(self, value: Any) -> set[str]:
        """Names whose array the value of an expression may hold or be part of."""
        if isinstance(value, gast.Name):
            return set() if self.is_scalar(value.id) else {value.id}
        if isinstance(value, (gast.Attribute, gast.Subscript)) and t.is_name(value.value) and k.is_place(
                self.kinds.get(value.value.id)):
            return {value.value.id}                              # what a place holds, not written with the state yet
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
                return set().union(*(self.held(value.args[position]) for position in (0, *primitive_of(function).puts)))
            if self.known(function) and not may_share(function, value):
                return set()
            if function is runtime.last_writes and self.is_array(value.args[0], any_rank=True):
                return set()
            shaped = primitive_of(function).shaped
            parts = [*(a for j, a in enumerate(value.args) if j != shaped), *(kw.value for kw in value.keywords)]
            if isinstance(value.func, gast.Attribute) and self.unit.lookup(value.func) is MISSING:
                parts.append(value.func.value)
            return set().union(*map(self.held, parts)) if parts else set()
        return set()


class Ownership:
    """`owned`: names all of whose values are new arrays that no other name, list or callee has seen."""

    def __init__(self, unit: Unit, kinds: dict[str, k.Kind]) -> None:
        self.unit, self.values = unit, Values(unit, kinds)
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
            self.captured |= self.values.held(s.value.args[0])
        if isinstance(s, gast.Assign):
            target = s.targets[0]
            fresh = isinstance(target, gast.Name) and self.values.fresh(s.value)
            if isinstance(s.value, gast.Call) and self.unit.lookup(s.value.func) is runtime.own:
                self.defined.pop(t.writes(s)[0], None)        # from here on a copy, no longer the caller's
            for name in t.writes(s):
                self.defined[name] = self.defined.get(name, True) and (
                    fresh or name in self.unit.unset and isinstance(s.value, gast.Constant))
            itself = isinstance(target, gast.Name) and t.is_name(s.value, target.id)
            if not itself and not all(self.values.is_scalar(n) for n in t.writes(s) or ["?"]) and not self.passing(
                    s, block, position):
                self.captured |= self.values.held(s.value) - self.values.only_read(s.value)
        elif isinstance(s, gast.Expr) and found is None:
            self.captured |= self.values.held(s.value)
        elif isinstance(s, gast.For):
            for name in t.writes(s):
                self.defined[name] = False

    def passing(self, s: gast.Assign, block: list, position: int) -> bool:
        """A view that is only computed with, and not beyond the next change of its base."""
        if not isinstance(s.targets[0], gast.Name) or not isinstance(s.value, (gast.Subscript, gast.Attribute)):
            return False
        name, bases = s.targets[0].id, self.values.held(s.value)
        if name in self.liveness.after.get(id(block[-1]), ()) or not block:
            return False
        pending: set[str] = set()                     # bases that have changed since
        for later in block[position + 1:]:
            inner = [later, *t.statements([x for f in t.BLOCKS for x in getattr(later, f, None) or []])]
            reads = any(name in t.header_reads(x) for x in inner)
            changes = any(bases & set(t.writes(x)) for x in inner)
            if reads and (pending or (changes and len(inner) > 1)):
                return False
            if reads and any(name in self.values.held(x.value) for x in inner
                             if isinstance(x, (gast.Assign, gast.Expr, gast.Return)) and x.value is not None):
                return False
            if not self.liveness.after.has(id(later), name):
                return True                           # nobody looks at it any more
            if changes:
                pending |= bases
        return True


# --- Which arrays of generated code may change in place: at each statement, who else may hold the same memory.
#
# The facts are pairs of names that may share memory, followed along the paths of the program, so that buffers that
# swap their names in a loop are known to stay apart. Memory that the caller or a global holds is shared with OUTSIDE.

OUTSIDE = "outside "
WITHIN = "outside within "                # held by a container that is itself nobody else's
TWICE = "twice "                          # held by a container at two places
ALWAYS, ALL = 7, ~0                       # as bits: these three, which are never done with; every name
Shares = dict[int, int]                   # number of a name -> numbers of those it may share memory with, as bits


class Holdings:
    """What the expressions of generated code may hold, and what its updates change."""

    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts, self.kinds = unit, facts, facts.kinds
        self.values = Values(unit, facts.kinds)

    def held(self, value: Any) -> set[str]:
        """Names whose memory an expression may hold; OUTSIDE also for what cannot be written into."""
        if isinstance(value, (gast.Subscript, gast.Attribute, gast.Call)):
            kind = k.as_num(self.facts.of(value) or k.ANY)
            if never_changes(kind) or self.contains(value, kind) and flat(kind):
                return set()
        if isinstance(value, (gast.Tuple, gast.List)):
            return set().union(*map(self.held, value.elts))
        if isinstance(value, gast.BinOp):                            # of lists: the elements are the same objects
            whole = self.facts.of(value)
            numbers = whole is None or whole is k.ANY or isinstance(k.as_num(whole), k.Num)
            return set() if numbers else self.held(value.left) | self.held(value.right)
        held = self.values.held(value)
        return held | {OUTSIDE} if self.read_only(value) else held

    def contains(self, value: Any, kind: k.Kind) -> bool:
        """Whether an expression gives a new container of what its arguments are or hold."""
        function = self.values.function(value) if isinstance(value, gast.Call) else None
        return primitive_of(function).contents in (True, "once", "repeated") or isinstance(kind, k.Lst) and (
            function in (runtime.spread_over, runtime.unstack, runtime.regroup))

    def read_only(self, value: Any) -> bool:
        """Whether what an expression gives may be, or be a view of, what cannot be written into."""
        if isinstance(value, (gast.Attribute, gast.Subscript)):
            return self.read_only(value.value)
        if isinstance(value, gast.IfExp):
            return self.read_only(value.body) or self.read_only(value.orelse)
        if isinstance(value, (gast.Tuple, gast.List)):
            return any(map(self.read_only, value.elts))
        if isinstance(value, gast.Dict):
            return any(map(self.read_only, value.values))
        if not isinstance(value, gast.Call):
            return False
        function = self.values.function(value)
        if _is_lent(function):
            return True
        if self.values.known(function) and not may_share(function, value):
            return False
        return any(map(self.read_only, value.args)) or (
            isinstance(value.func, gast.Attribute) and self.read_only(value.func.value))

    def unknown(self, value: Any) -> bool:
        """Whether a call may return what others hold. Generated halves return what they made or were given (but for those that
        lend)."""
        return isinstance(value, gast.Call) and not self.values.known(self.values.function(value)) and not getattr(
            self.unit.lookup(value.func), "__sourcegrad_pure__", False)

    def updated(self, s: gast.Assign) -> str | None:
        """The name whose array `y = update(x, ...)` would change in place: index_set, index_add, and arithmetic on itself."""
        value = s.value
        if isinstance(value, gast.Call) and updates(self.unit.lookup(value.func)) and isinstance(value.args[0], gast.Name):
            return str(value.args[0].id)
        name = s.targets[0].id
        number = isinstance(k.as_num(self.kinds.get(name, k.ANY)), k.Num) or self.kinds.get(name) is k.ANY
        if isinstance(value, gast.BinOp) and name in t.reads(value) and number or self.renews(s):
            return str(name)
        return None

    def renews(self, s: gast.Assign) -> bool:
        """x = laid_out_as(x, v)"""
        value = s.value
        return isinstance(value, gast.Call) and self.unit.lookup(value.func) is runtime.laid_out_as and t.is_name(
            value.args[0], s.targets[0].id)

    def deep(self, s: gast.Assign) -> bool:
        """Whether an update may change what a container holds: at a path of several steps."""
        function = self.unit.lookup(s.value.func) if isinstance(s.value, gast.Call) else None
        if primitive_of(function).writes != "values":
            return primitive_of(function).writes == "inside"
        inner = getattr(s.value.args[1], "value", s.value.args[1])
        return not t.is_name(inner) and any(
            isinstance(n, gast.Name) and self.unit.lookup(n) is runtime.at for n in t.walk(inner))

    def shallow(self, s: gast.Assign, base: str) -> bool:
        """Whether a store puts another object into a container, rather than changing one that it holds."""
        if isinstance(s.value, gast.BinOp) or self.renews(s) or isinstance(k.as_num(self.kinds.get(base, k.ANY)), k.Num) or (
                self.kinds.get(base, k.ANY) is k.ANY):
            return False
        function, where = self.unit.lookup(s.value.func), s.value.args[1]
        if primitive_of(function).writes in ("items", "inside"):
            return primitive_of(function).writes == "items"
        if not isinstance(where, (gast.Subscript, gast.Attribute)):
            return not isinstance(where, gast.Name) or isinstance(k.as_num(self.kinds.get(where.id, k.ANY)), k.Num)
        inner = where.value
        return isinstance(inner, gast.Name) or (isinstance(inner, gast.Attribute) and inner.attr == "s_")

    def of_arrays(self, kind: k.Kind) -> bool:
        item = k.as_num(kind.item or k.ANY) if isinstance(kind, k.Lst) else None
        return isinstance(item, k.Num) and bool(item.boxed and item.dims)

    def may_hold(self, name: str, base: k.Kind) -> bool:
        """Whether a name may be a container of the kind of `base`, or hold it. (A tape is no list of the program.)"""
        kind = k.as_num(self.kinds.get(name, k.ANY))
        if name in self.unit.tapes and isinstance(kind, k.Lst):
            kind = k.as_num(kind.item or k.ANY)
        return may_be_or_hold(kind, base)


class Storage(Dataflow):
    """`conflicts[id(s)]`: for `x = update(x, ...)`, names that may hold the memory of x and are still needed after s;
    empty: x may change in place there. `depth[id(s)]`: how many loops a statement is in."""

    def __init__(self, unit: Unit, facts: Infer, before: Storage | None = None) -> None:
        self.numbering = Numbering(OUTSIDE, WITHIN, TWICE)        # as bits: 1, 2 and 4
        self.unit, self.kinds = unit, facts.kinds
        self.holdings = Holdings(unit, facts)
        self.values = self.holdings.values
        self.conflicts: dict[int, set[str]] = {}
        self.depth: dict[int, int] = {}
        self.loops = 0
        self.live: int | None = None
        self.parts: dict[int, tuple[Any, int]] = {}        # id(expression) -> the expression, what it holds
        if before is not None:                             # the same names, kinds and (but for a few) expressions
            self.numbering, self.parts = before.numbering, before.parts
        self.liveness = Liveness(numbering=self.numbering)

    def run(self, body: list, parameters: list[str]) -> Storage:
        self.statements = list(t.statements(body))         # (none goes while its id says what is known of it)
        self.liveness.block(body, frozenset())
        self.local = {*parameters, OUTSIDE, *(n for s in t.statements(body) for n in t.writes(s))}
        self.known = self.numbering.bits(self.local)
        state: Shares = {}
        for name in parameters:
            self.link(state, name, 1)
        self.moved = dict(moved_parts(body, self.holdings))
        self.block(body, state)
        return self

    def run_for_updates(self, body: list, parameters: list[str]) -> Storage:
        """The conflicts of updates, where there are any: nothing else may change in place."""
        updating = any(isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and self.holdings.updated(s) is not None
                       for s in t.statements(body))
        return self.run(body, parameters) if updating else self

    def free(self, s: Any) -> bool:
        """Whether the array that a statement updates may change in place."""
        return not self.conflicts.get(id(s), {OUTSIDE})

    def holds(self, value: Any) -> int:
        """`held` as bits, while the facts are made: loops are walked again and again. Globals are held by others."""
        found = self.parts.get(id(value))
        if found is None:
            found = self.parts[id(value)] = value, self.numbering.bits(self.holdings.held(value))
        return found[1] | 1 if found[1] & ~self.known else found[1]

    # --- the relation

    def link(self, state: Shares, name: str, others: int, complete: bool = False) -> None:
        """A name may share memory with others, and with those that they share memory with (complete: they are all given)."""
        if self.values.is_scalar(name):
            return
        number = self.numbering.number(name)
        everyone = (others if complete else closed(state, others)) & ~(1 << number)
        if self.live is not None:                            # who is not needed any more is not looked for
            everyone &= self.live
        join(state, number, everyone)
        spread(state, number, everyone)

    def hold(self, state: Shares, name: str, parts: int) -> None:
        """A container holds objects: what others hold of them, they hold within it."""
        number = self.numbering.number(name)
        everyone = closed(state, parts)
        if everyone >> number & 1:                          # what it holds already, or may
            everyone = everyone & ~(1 << number) | 4
        if everyone & 3:
            everyone = everyone & ~3 | 2
        join(state, number, everyone)
        spread(state, number, everyone & ~2)

    def unlink(self, state: Shares, name: str) -> None:
        number = self.numbering.number(name)
        mask = ~(1 << number)
        for other in positions(state.pop(number, 0) & ~4):
            state[other] = state.get(other, 0) & mask

    # --- statements

    def copy(self, state: Shares) -> Shares:
        return dict(state)

    def statement(self, s: Any, state: Shares) -> Shares:
        self.depth[id(s)] = self.loops
        after = self.liveness.after.masks.get(id(s))
        self.live = None if after is None or isinstance(s, (gast.For, gast.While)) else after | ALWAYS
        return super().statement(s, state)

    def transfer(self, s: Any, state: Shares) -> Shares:
        found = t.list_method(s)
        if found is not None and found[1] == "append":
            self.hold(state, found[0], self.holds(s.value.args[0]))
        elif isinstance(s, gast.Assign):
            self.assign(s, state)
        return state

    def join(self, s: Any, one: Shares, other: Shares) -> Shares:
        return only(merge(one, other), self.needed(s)) if isinstance(s, gast.If) else merge(one, only(other, self.needed(s)))

    def loop(self, s: Any, state: Shares) -> Shares:
        self.loops += 1
        for name in t.writes(s):
            self.unlink(state, name)
            self.link(state, name, self.holds(s.iter))
        state = super().loop(s, state)
        self.loops -= 1
        return state

    def needed(self, s: Any) -> int:
        """The names that the next iteration of a loop, or what follows a statement, may read: all where that is not known."""
        after = self.liveness.after.masks.get(id(s))
        return ALL if after is None else self.liveness.head.masks.get(id(s), 0) | after | ALWAYS

    def assign(self, s: gast.Assign, state: Shares) -> None:
        target, value = s.targets[0], s.value
        if isinstance(target, gast.Name):
            base = self.holdings.updated(s)
            if base is not None:
                self.update(s, target.id, base, state)
                return
            found = t.list_method(s)
            held = self.numbering.bit(found[0]) if found is not None else self.holds(value)
            if self.values.is_scalar(target.id):
                held = 0
            container = isinstance(value, (gast.List, gast.Dict, gast.BinOp)) and bool(held)     # new, of the same objects
            if isinstance(value, gast.Call) and found is None:
                function = self.values.function(value)
                held |= 4 if held and primitive_of(function).contents not in ("once", "same") else 0
                container = container or self.holdings.contains(value, self.kinds.get(target.id, k.ANY))
            base = self.moved.get(id(s))
            if base is not None and not state.get(self.numbering.number(base), 0) & 4:
                everyone = state.get(self.numbering.number(base), 0) & ~self.numbering.bit(target.id)
                self.unlink(state, target.id)
                self.link(state, target.id, everyone | (everyone & 2) >> 1, True)
                return
            fresh = found is None and not held & 1 and not container and self.values.fresh(value)
            held = 0 if fresh else held | self.holdings.unknown(value)
            parts = getattr(value, "values" if isinstance(value, gast.Dict) else "elts", None)
            if container and parts is None:
                self.unlink(state, target.id)
                self.hold(state, target.id, held)
                return
            if parts is not None:
                apart = [closed(state, self.holds(part)) & ~ALWAYS for part in parts]
                if sum(map(int.bit_count, apart)) > functools.reduce(operator.or_, apart, 0).bit_count():
                    held |= 4
                self.unlink(state, target.id)
                self.hold(state, target.id, held)
                return
            self.bind(state, target.id, held, isinstance(value, gast.Name))
            return
        held = self.holds(value)
        names = t.target_names(target)
        for name in names:
            self.bind(state, name, held)
        if isinstance(value, gast.Call):                    # what a callee returns and what it saved may be one array
            for name in names[1:]:
                self.link(state, name, self.numbering.bit(names[0]))

    def bind(self, state: Shares, name: str, held: int, whole: bool = False) -> None:
        number = self.numbering.number(name)
        own = 1 << number
        if held & own:
            held = (held | state.get(number, 0)) & ~own
        everyone = closed(state, held) & ~own
        if everyone & 2 and not whole:                      # a part of a container
            everyone |= 1
        self.unlink(state, name)
        self.link(state, name, everyone, whole)             # another name of the same object shares with just those

    def update(self, s: gast.Assign, name: str, base: str, state: Shares) -> None:
        live = self.liveness.after.masks.get(id(s), 0)
        shared = state.get(self.numbering.number(base), 0) & (live | self.numbering.bit(OUTSIDE))
        others = set(map(self.numbering.names.__getitem__, positions(shared))) - {base}
        kind = k.as_num(self.kinds.get(base, k.ANY))
        if self.holdings.shallow(s, base):                           # what the container holds does not hold the container
            others = {n for n in others if n == OUTSIDE or self.holdings.may_hold(n, kind)}
        elif self.holdings.deep(s) and not isinstance(kind, k.Num):
            others |= {n for n in (WITHIN, TWICE) if self.numbering.bit(n) & state.get(self.numbering.number(base), 0)}
        if base != name and live & self.numbering.bit(base):
            others.add(base)
        if base not in self.local:                          # a global's own array
            others.add(OUTSIDE)
        self.conflicts[id(s)] = others - {name}
        if isinstance(s.value, gast.BinOp) or self.holdings.renews(s):
            if others:
                self.bind(state, name, 0)
            return
        if self.conflicts[id(s)]:                           # a copy is what changes: new, but for what a container holds
            held = 0 if isinstance(kind, k.Num) else state.get(self.numbering.number(base), 0) | self.numbering.bit(base)
            self.unlink(state, name)
            self.hold(state, name, held & ~self.numbering.bit(name))
        elif base != name:
            self.bind(state, name, self.numbering.bit(base), True)
        if not isinstance(kind, k.Num):                     # a container holds the new element
            function = self.unit.lookup(s.value.func)
            numbers = flat(kind) or function is runtime.index_add and self.holdings.of_arrays(kind)      # sums are new
            for position in () if numbers else primitive_of(function).puts:
                self.hold(state, name, self.holds(s.value.args[position]))


def moved_parts(block: list, holdings: Holdings) -> Iterator[tuple[int, str]]:
    """Statements (by id) that take a part of a container for which another one comes, and the container."""
    for position, s in enumerate(block):
        for inner in t.inner_blocks(s) if not is_stop(s) else ():
            yield from moved_parts(inner, holdings)
        value: Any = s.value if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
        base = taken_place(value, holdings) if value is not None else None
        if base is None or s.targets[0].id in (base[0], *base[2]):
            continue
        for later in block[position + 1:]:
            written = {n for x in t.statements([later]) for n in t.writes(x)}
            if base[0] in written or any(base[0] in t.header_reads(x) for x in t.statements([later])):
                update = later.value if isinstance(later, gast.Assign) else None
                if isinstance(update, gast.Call) and t.reads(update).count(base[0]) == 1 and (
                        base[1] == replaced_place(update, holdings)):
                    yield id(s), base[0]
                break
            if written & set(base[2]):
                break


def taken_place(value: Any, holdings: Holdings) -> tuple[str, str, list[str]] | None:
    """(container, place, names in it) of an expression that takes a part of a container."""
    if isinstance(value, gast.Call) and holdings.unit.lookup(value.func) in (runtime.entry_of, runtime.item_at):
        base, key = value.args[:2]
    elif isinstance(value, gast.Subscript):
        base, key = value.value, value.slice
    elif isinstance(value, gast.Attribute):
        base, key = value.value, t.const(value.attr)
    else:
        return None
    if not t.is_name(base) or isinstance(k.as_num(holdings.kinds.get(base.id, k.ANY)), k.Num):
        return None
    return base.id, dump(key), t.reads(key)


def replaced_place(update: gast.Call, holdings: Holdings) -> str | None:
    """The place of a container at which an update puts something else."""
    function = holdings.unit.lookup(update.func)
    if function not in (runtime.entry_drop, runtime.index_set) or not t.is_name(update.args[0]):
        return None
    where = update.args[1]
    if isinstance(where, gast.Subscript) and (isinstance(where.value, gast.Attribute) and where.value.attr == "s_" or t.is_name(
            where.value)):
        where = where.slice
    elif isinstance(where, gast.Attribute) and t.is_name(where.value):
        where = t.const(where.attr)
    return dump(where)


def may_be_or_hold(kind: k.Kind | None, base: k.Kind) -> bool:
    """Whether a value may be an object of the kind of `base`, or have one somewhere in it."""
    kind = k.as_num(kind or k.ANY)
    if isinstance(kind, (k.Num, k.Const, k.Fn)) or kind is k.DISCRETE:
        return False
    if isinstance(kind, (k.Lst, k.Map, k.Rest)):
        return type(kind) is type(base) or isinstance(kind, k.Map) and isinstance(base, k.Dct) or (
            kind.item is not None and may_be_or_hold(kind.item, base))
    if isinstance(kind, k.Tup):
        return any(may_be_or_hold(item, base) for item in kind.items)
    if isinstance(kind, k.Dct):
        return isinstance(base, (k.Dct, k.Map)) or any(may_be_or_hold(item, base) for _, item in kind.items)
    if isinstance(kind, k.Obj) and kind.items is not None and isinstance(base, k.Obj):
        related = issubclass(kind.cls, base.cls) or issubclass(base.cls, kind.cls)
        return related or any(may_be_or_hold(item, base) for _, item in kind.items)
    return True


def dump(node: Any) -> str:
    """The text of a place."""
    return str(gast.dump(node))


def flat(kind: k.Kind) -> bool:
    """Whether a container holds only numbers and text, or tuples of some, which are nobody's memory."""
    if isinstance(kind, k.Dct):
        return not kind.partial and all(never_changes(part) for _, part in kind.items)
    item = kind.item if isinstance(kind, (k.Lst, k.Map)) else None
    parts = item.items if isinstance(item, k.Tup) else (item or k.ANY,)
    return all(isinstance(x, k.Const) or isinstance(x, k.Num) and x.is_scalar or k.is_text(x) for x in map(k.as_num, parts))


def closed(state: Shares, mask: int) -> int:
    """Names, and all that share memory with one of them."""
    result = mask
    for number in positions(mask):
        result |= state.get(number, 0)
    return result


def join(state: Shares, number: int, mask: int) -> None:
    state[number] = state.get(number, 0) | mask


def spread(state: Shares, number: int, mask: int) -> None:
    """The other direction."""
    own = 1 << number
    for other in positions(mask & ~4):
        state[other] = state.get(other, 0) | own


def only(state: Shares, names: int) -> Shares:
    return {n: others & names for n, others in state.items() if names >> n & 1}


def merge(a: Shares, b: Shares) -> Shares:
    result = dict(a)
    for number, mask in b.items():
        result[number] = result.get(number, 0) | mask
    return result


def _is_lent(function: Any) -> bool:
    """Whether what a function gives cannot be written into, or belongs to others."""
    return bool(primitive_of(function).read_only or getattr(function, "__sourcegrad_lends__", False))


def _comes_from_outside(node: Any, values: Values, local: set[str]) -> bool:
    """Whether a node gives memory of others: without such ones, nothing does."""
    if node.__class__ is gast.Name:
        return node.id not in local and isinstance(values.unit.lookup(node), np.ndarray)
    return node.__class__ is gast.Call and _is_lent(values.function(node))


def lends(tree: Any, unit: Unit, facts: Infer) -> bool:
    """Whether what a function returns may be memory that is not its own, nor its arguments'."""
    holdings = Holdings(unit, facts)
    statements = list(t.statements(tree.body))
    local = {p.id for p in t.walk(tree.args) if isinstance(p, gast.Name)} | {n for s in statements for n in t.writes(s)}
    lent: set[str] = set()
    if not any(_comes_from_outside(node, holdings.values, local) for node in t.walk(tree)):
        return False

    def foreign(value: Any) -> bool:
        held = holdings.held(value)
        return OUTSIDE in held or any(
            n in lent or n not in local and isinstance(unit.lookup(t.load(n)), np.ndarray) for n in held)

    def given(s: Any) -> list[str] | None:
        found = t.list_method(s)
        if found is not None and found[1] == "append":
            names, value = [found[0]], s.value.args[0]
        elif isinstance(s, gast.Assign):
            names, value = t.writes(s), t.load(found[0]) if found is not None else s.value
        elif isinstance(s, gast.For):
            names, value = t.writes(s), s.iter
        else:
            return []
        names = [n for n in names if not holdings.values.is_scalar(n)]
        return names if not names or foreign(value) else None

    closure(lent, statements, given)
    return any(foreign(s.value) for s in statements if isinstance(s, gast.Return) and s.value is not None)
