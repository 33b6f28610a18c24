"""Views that functions of NumPy give, where somebody writes into them: parts of np.split, rows of list(a), a.flat.

They are written out as slices and stores on the array itself, so that it is known exactly what shares memory.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import as_python
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import closure
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import Unit
from sourcegrad.primitives.core import changes_place, primitive_of

FULL = gast.Slice(lower=None, upper=None, step=None)


class Values:
    """Which values names hold, through changes in place, and who changes, reads or shares them."""

    def __init__(self, unit: Unit, facts: Infer, statements: list) -> None:
        self.unit, self.facts = unit, facts
        self.assigned = [s for s in statements if isinstance(s, gast.Assign)]
        self.loops = [s for s in statements if isinstance(s, gast.For)]
        self.definitions: dict[str, list] = {}
        self.known_origins: dict[str, list] = {}
        for s in self.assigned:
            for name in t.writes(s):
                self.definitions.setdefault(name, []).append(s.value)

    def function(self, value: Any) -> Any:
        found = self.unit.lookup(value.func) if isinstance(value, gast.Call) else MISSING
        return found if hashable(found) else MISSING

    def changes(self, value: Any) -> bool:
        return changes_place(self.function(value)) or self.function(value) in INPLACE_OF

    def origins(self, name: str) -> list:
        """The values of which a name holds one, through changes in place."""
        if name not in self.known_origins:
            found, seen, work = [], {name}, [name]
            while work:
                for value in self.definitions.get(work.pop(), []):
                    if not self.changes(value):
                        found.append(value)
                    elif t.is_name(value.args[0]) and value.args[0].id not in seen:
                        seen.add(value.args[0].id)
                        work.append(value.args[0].id)
            self.known_origins[name] = found
        return self.known_origins[name]

    def renamed(self, name: str) -> set[str]:
        """All names that a value has after changes in place."""
        group = {name}
        return closure(group, self.assigned, lambda s: t.writes(s) if self.changes(s.value) and t.is_name(
            s.value.args[0]) and s.value.args[0].id in group else None)

    def changing(self, name: str) -> bool:
        """Whether anything that may be a part of a value is written into."""
        derived = {name}

        def given(s: Any) -> list[str] | None:
            if isinstance(s, gast.For):
                return [s.target.id] if derived & set(t.reads(s.iter)) else None
            part = isinstance(s.value, (gast.Name, gast.Subscript, gast.Attribute, gast.Tuple, gast.List)) and (
                derived & set(t.reads(s.value)))
            return t.writes(s) if part or self.changes(s.value) and t.reads(s.value.args[0])[:1] == [name] else None

        closure(derived, [*self.assigned, *self.loops], given)
        for s in self.assigned:
            if isinstance(s.value, gast.Call) and derived & set(t.reads(s.value)):
                found = call_targets.target_of(s.value, self.unit, self.facts.of)
                outs = isinstance(found.object, np.ufunc) and len(found.args) > found.object.nin
                if not found.known or outs or "out" in found.keywords or self.changes(s.value):
                    return True
        return False

    def shared_and_changing(self, name: str) -> bool:
        """Whether an array changes in place, by whatever name."""
        from sourcegrad.analysis.alias import groups
        together = groups(self.unit.tree.body, self.unit.parameters, self.unit, self.facts.kinds)
        return any(self.changing(n) for n in together.get(name, ()) if n in self.definitions or n in self.unit.parameters)

    def only_indexed(self, name: str) -> bool:
        """Whether a list is only read by index, unpacked or iterated over."""
        group = self.renamed(name)
        if any(len(self.origins(n)) != 1 for n in group):
            return False
        for s in self.assigned:
            value = s.value
            if not group & set(t.reads(value)):
                continue
            indexed = isinstance(value, gast.Subscript) and t.is_name(value.value) and not isinstance(value.slice, gast.Slice)
            unpacked = isinstance(s.targets[0], gast.Tuple) and t.is_name(value)
            if not indexed and not unpacked and self.function(value) not in (len, runtime.index_update, runtime.sequence):
                return False
        return True

    def is_stored(self, name: str) -> bool:
        """Whether somebody stores into an object by this name."""
        names = self.renamed(name)
        return any(self.changes(s.value) and t.is_name(s.value.args[0]) and s.value.args[0].id in names for s in self.assigned)

    def frozen(self) -> set[str]:
        """Names of arrays that NumPy does not let anybody write into."""
        found: set[str] = set()

        def given(name: str) -> list[str] | None:
            values = [v for v in self.definitions[name] if not self.changes(v)]
            return [name] if values and all(
                primitive_of(self.function(v)).read_only or self.is_diagonal(v) or (isinstance(v, gast.Name) and v.id in found)
                or (isinstance(v, gast.Subscript) and t.is_name(v.value) and v.value.id in found and isinstance(
                    v.slice, gast.Slice)) for v in values) else None

        return closure(found, [n for n in self.definitions if n not in self.unit.parameters], given)

    def is_diagonal(self, value: Any) -> bool:
        """np.diag(m), m.diagonal()"""
        if not isinstance(value, gast.Call) or not (value.args or isinstance(value.func, gast.Attribute)):
            return False
        if self.function(value) is np.diag:
            kind = self.facts.of(value.args[0])
            return isinstance(kind, k.Num) and kind.ndim == 2
        return isinstance(value.func, gast.Attribute) and value.func.attr == "diagonal" and isinstance(
            self.facts.of(value.func.value), k.Num)

    def alone(self, name: str) -> bool:
        """Whether no other name can hold the array."""
        if name in self.unit.parameters:
            return False
        for s in self.assigned:
            value = s.value
            if name in t.writes(s) and not self.changes(value) and not isinstance(value, gast.BinOp) and not self.fresh(value):
                return False
            if self.changes(value) and any(name in t.reads(part) for part in value.args[1:]) and not isinstance(
                    self.facts.of(value.args[0]), k.Num):
                return False                                # an object or a list holds it
            if name in t.reads(value) and not isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Compare)) and not (
                    self.changes(value) or self.fresh(value) or name in t.writes(s)):
                return False
        return not any(name in t.reads(loop.iter) for loop in self.loops)

    def fresh(self, value: Any) -> bool:
        """Whether a value is a number or an array of its own."""
        from sourcegrad.analysis.alias import may_share
        if isinstance(value, gast.Subscript):
            kind = k.as_num(self.facts.of(value) or k.ANY)
            return isinstance(kind, k.Num) and kind.is_scalar
        if not isinstance(value, gast.Call):
            return False
        found = call_targets.target_of(value, self.unit, self.facts.of)
        return found.known and not may_share(found.object, found)


class Parts:
    """What stands for calls that give views, and for stores through them."""

    def __init__(self, unit: Unit, facts: Infer, statements: list) -> None:
        self.unit, self.facts = unit, facts
        self.values = Values(unit, facts, statements)
        self.read_only = self.values.frozen()
        self.steady = set(self.flats(unit.tree.body))

    def written(self, s: gast.Assign, function: Any, target: call_targets.Target, state: Any) -> Any:
        """The value that stands for a call which gives views, or for a store through a.flat; None: as it is."""
        if changes_place(function):
            return self.store(s, target, state)
        if function in INPLACE_OF and t.is_name(target.args[0]) and target.args[0].id in self.read_only:
            state.refuse(f"a write into '{target.args[0].id}', which is read-only in NumPy", "Make a copy first, with .copy().")
        if not isinstance(s.targets[0], gast.Name) or not target.args or not t.is_name(target.args[0]):
            return None
        kind = self.facts.of(target.args[0])
        if not isinstance(kind, k.Num) or not kind.boxed or not kind.dims:
            return None
        if primitive_of(function).splits is not None and (
                self.values.changing(s.targets[0].id) or self.values.shared_and_changing(target.args[0].id)):
            return self.split(function, target, kind, state)
        if function in (list, tuple) and len(kind.dims) > 1 and self.values.only_indexed(s.targets[0].id) and self.values.changing(
                s.targets[0].id):
            return t.subscript(t.clone(target.args[0]), t.clone(FULL))
        return None

    def item(self, value: gast.Subscript) -> gast.Name | None:
        """The slice that an element of the list of parts is."""
        if not t.is_name(value.value) or not isinstance(value.slice, gast.Constant) or type(value.slice.value) is not int:
            return None
        shown = self.values.definitions.get(value.value.id, [])
        if len(shown) != 1 or not isinstance(shown[0], gast.List) or value.slice.value >= len(shown[0].elts):
            return None
        if not all(t.is_name(x) and len(self.values.definitions.get(x.id, [])) == 1 and self.is_slice(
                self.values.definitions[x.id][0]) for x in shown[0].elts) or not self.values.only_indexed(value.value.id):
            return None
        return t.load(shown[0].elts[value.slice.value].id)

    def is_slice(self, value: Any) -> bool:
        kind = self.facts.of(value.value) if isinstance(value, gast.Subscript) else None
        parts = (value.slice.elts if isinstance(value.slice, gast.Tuple) else [value.slice]) if kind is not None else []
        return isinstance(kind, k.Num) and all(isinstance(x, gast.Slice) for x in parts)

    def split(self, function: Any, target: call_targets.Target, kind: k.Num, state: Any) -> Any:
        array, rest = target.args[0], [*target.args[1:], *target.keywords.values()]
        axis: Any = primitive_of(function).splits
        if axis == "given":
            node = target.args[2] if len(target.args) > 2 else target.keywords.get("axis", t.const(0))
            axis = state.value_of(node)
        elif axis == 1 and len(kind.dims or ()) == 1:
            axis = 0
        axis %= len(kind.dims or ())
        bounds = self.bounds(function, array, rest[0], axis, state)
        if bounds is None:
            return None
        parts = []
        for low, high in zip(bounds, bounds[1:]):
            piece: Any = gast.Slice(lower=t.clone(low), upper=t.clone(high), step=None)
            index = t.pack([*(t.clone(FULL) for _ in range(axis)), piece]) if axis else piece
            parts.append(state.bind("part", t.subscript(t.load(array.id), index)))
        return gast.List(elts=parts, ctx=t.LOAD)

    def bounds(self, function: Any, array: gast.Name, sections: Any, axis: int, state: Any) -> list | None:
        kind = self.facts.of(sections)
        shown = sections
        if isinstance(sections, gast.Name) and len(self.values.definitions.get(sections.id, [])) == 1:
            shown = self.values.definitions[sections.id][0]
        if isinstance(shown, (gast.List, gast.Tuple)) and all(isinstance(x, gast.Constant) for x in shown.elts):
            return [t.const(0), *shown.elts, None]
        if not isinstance(kind, k.Const) or type(kind.value) is not int or not 0 < kind.value <= 16:
            return None
        equal = t.const(function is not np.array_split)
        helper = state.use(runtime.split_bounds)
        table = state.bind("bounds", t.call(helper, t.load(array.id), t.const(kind.value), t.const(axis), equal))
        return [state.bind("bound", t.subscript(t.load(table.id), t.const(j))) for j in range(kind.value + 1)]

    def store(self, s: gast.Assign, target: call_targets.Target, state: Any) -> Any:
        base, where, value = target.args
        if not t.is_name(base):
            return None
        kind = self.facts.of(base)
        if base.id in self.read_only:
            state.refuse(f"a write into '{base.id}', which is read-only in NumPy", "Make a copy first, with .copy().")
        if isinstance(where, gast.Attribute) and isinstance(kind, k.Num):
            return self.attribute(base, where.attr, value, state)
        found = self.flat_of(base.id)
        if found is None or not isinstance(where, gast.Subscript):
            return None
        if isinstance(self.facts.of(value), k.Num) and not state.is_number(value) and state.kind(value).ndim != 1:
            value = state.bind("values", state.numpy("ravel", value))
        state.store(t.load(found), state.flat(where.slice), state.array(value))
        return t.load(base.id)

    def attribute(self, base: gast.Name, name: str, value: Any, state: Any) -> Any:
        if name in ("real", "imag"):
            return None
        if name == "flat":
            size = state.bind("size", t.attribute(t.load(base.id), "size"))
            state.store(base, state.flat(t.clone(FULL)), state.repeated(value, size))
            return t.load(base.id)
        if name == "shape" and self.values.alone(base.id):
            state.new.append(t.assign(base.id, state.numpy("reshape", t.load(base.id), value), state.origin))
            return t.load(base.id)
        if not hasattr(np.ndarray, name):
            raise as_python(AttributeError, f"'numpy.ndarray' object has no attribute '{name}'", state.origin)
        remedy = "Make a new array: y = y.reshape(shape)." if name == "shape" else "Make a new array."
        return state.refuse(f"the attribute '{name}' of the array '{base.id}', which others may hold, is set", remedy)

    def is_flat(self, node: Any) -> bool:
        """Whether a name is `a.flat` of an array."""
        origins = self.values.origins(node.id) if t.is_name(node) else []
        return any(isinstance(origin, gast.Attribute) and origin.attr == "flat" and isinstance(
            k.as_num(self.facts.of(origin.value) or k.ANY), k.Num) for origin in origins)

    def is_one(self, index: Any) -> bool:
        """Whether an index is a number."""
        kind = k.as_num(self.facts.of(index) or k.ANY)
        return isinstance(kind, k.Num) and kind.is_scalar

    def flat_of(self, name: str) -> str | None:
        """The array whose `.flat` a name is, if that name still means the array."""
        values = self.values.origins(name)
        if len(values) != 1 or not isinstance(values[0], gast.Attribute) or values[0].attr != "flat" or not t.is_name(
                values[0].value):
            return None
        base = values[0].value.id
        kind = self.facts.kinds.get(base)
        whole = name in self.steady or len(self.values.origins(base)) + (base in self.unit.parameters) <= 1
        return str(base) if isinstance(kind, k.Num) and kind.boxed and whole else None

    def flats(self, block: list) -> Iterator[str]:
        """Names of `a.flat` that are only used where `a` is still the same array."""
        for position, s in enumerate(block):
            for inner in t.inner_blocks(s):
                yield from self.flats(inner)
            value = getattr(s, "value", None)
            if isinstance(s, gast.Assign) and isinstance(value, gast.Attribute) and value.attr == "flat" and t.is_name(value.value):
                names = {n for name in t.writes(s) for n in self.values.renamed(name)}
                uses = [j for j, x in enumerate(block) if names & {n for y in t.statements([x]) for n in t.header_reads(y)}]
                elsewhere = sum(bool(names & set(t.header_reads(y))) for y in t.statements(self.unit.tree.body)) - sum(
                    bool(names & set(t.header_reads(y))) for y in t.statements(block))
                between = list(t.statements(block[position + 1:uses[-1] + 1])) if uses else []
                other = any(value.value.id in t.writes(y) and not self.values.changes(getattr(y, "value", None)) for y in between)
                if not elsewhere and not other and all(j > position for j in uses):
                    yield from names
