"""What all rewriting of writes needs: the array that is written into, stores into it, checks, new names."""
from __future__ import annotations

from typing import Any, Literal, NoReturn

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, source, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.parts import Parts
from sourcegrad.frontend.resolve import Unit

EVERYTHING = t.const(Ellipsis)
AS_ARRAY: dict[str | None, str] = {"pyfloat": "float64", "pyint": "int64", "pybool": "bool", "pycomplex": "complex128"}
Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


class Later(Exception):
    """Not enough is known yet."""


class Writing:
    """last: what is not known by now never will be, and is refused."""

    def __init__(self, unit: Unit, facts: Infer, last: bool) -> None:
        self.unit, self.facts, self.last = unit, facts, last
        self.changed = False
        self.statements = list(t.statements(unit.tree.body))
        self.read = {n for s in self.statements for n in t.header_reads(s)}
        self.origin: Any = None
        self.node: Any = None
        self.new: list = []
        self.whole: Any = None
        self.parts = Parts(unit, facts, self.statements)

    def use(self, function: Any) -> str:
        return self.unit.use(function, function.__name__)

    def numpy(self, name: str, *args: Any, **options: Any) -> gast.Call:
        return t.call(f"{self.unit.use(np, 'np')}.{name}", *args, **options)

    def refuse(self, what: str, remedy: str) -> NoReturn:
        raise UnsupportedError(what, source.locate(self.node, self.origin), remedy)

    def kind(self, node: Any) -> k.Kind:
        return k.as_num(self.facts.of(node) or k.ANY)

    def rank(self, node: Any) -> int | None:
        kind = self.kind(node)
        return kind.ndim if isinstance(kind, k.Num) else None

    def bind(self, base: str, value: Any) -> gast.Name:
        name = self.unit.names.fresh(base)
        self.new.append(t.assign(name, t.clone(value), self.origin))
        kind = self.facts.of(value)
        if kind is not None:
            self.facts.kinds[name] = kind
        self.facts.local.add(name)
        return t.load(name)

    def atom(self, node: Any, base: str = "part") -> Any:
        return node if isinstance(node, (gast.Name, gast.Constant)) else self.bind(base, node)

    def array(self, node: Any) -> Any:
        """Lists of numbers as an array."""
        return self.bind("values", self.numpy("array", node)) if isinstance(self.kind(node), (k.Lst, k.Tup)) else node

    def is_number(self, node: Any) -> bool:
        kind = self.kind(node)
        return isinstance(kind, k.Num) and (kind.is_scalar or kind.dims == ())

    def value_of(self, node: Any, default: Any = None) -> Any:
        """The value of an option that has to be a constant."""
        kind = k.Const(default) if node is None else self.facts.of(node)
        if isinstance(node, gast.Constant):
            return node.value
        if isinstance(kind, k.Const):
            return kind.value
        return self.refuse("an option that is not a constant", "Write it out.")

    def target(self, node: Any) -> gast.Name:
        """The array that is written into."""
        if not isinstance(node, gast.Name):
            node = self.bind("part", node)
        kind = self.kind(node)
        if node.id not in self.facts.local:
            self.refuse(f"a store into '{node.id}', which is not a local variable",
                        "Pass the array as an argument and return the new one.")
        if node.id in self.parts.read_only:
            self.refuse(f"a write into '{node.id}', which is read-only in NumPy", "Make a copy first, with .copy().")
        if (not isinstance(kind, k.Num) or kind.boxed is None) and not self.last:
            raise Later
        if kind is not k.ANY and (not isinstance(kind, k.Num) or kind.is_scalar):      # NumPy itself wants an array
            self.refuse(f"a write into '{node.id}', which is not known to be an array",
                        "Make the array inside the function, for example with np.zeros, or assign the result.")
        return t.load(node.id)

    def place(self, index: Any) -> gast.expr:
        return t.subscript(t.dotted(f"{self.unit.use(np, 'np')}.s_"), index)

    def flat(self, index: Any) -> gast.expr:
        return t.subscript(t.attribute(t.load(self.unit.use(runtime.at, "at")), "flat"), index)

    def store(self, array: gast.Name, where: gast.expr, value: Any) -> None:
        helper = self.use(runtime.index_store)
        if self.kind(array) is k.ANY and where is not self.whole:            # certainly an array: a store into all of it
            value = self.bind("stored", t.call(self.use(runtime.index_set), t.load(array.id), where, value))
            where = self.place(EVERYTHING)
        self.new.append(t.assign(array.id, t.call(helper, t.load(array.id), t.clone(where), t.clone(value)), self.origin))

    def replace(self, array: gast.Name, value: Any) -> None:
        self.whole = self.place(EVERYTHING)
        self.store(array, self.whole, value)

    def check_cast(self, value: Any, array: gast.Name, casting: Casting = "same_kind") -> None:
        given, wanted = self.kind(value), self.kind(array)
        if not isinstance(given, k.Num) or not isinstance(wanted, k.Num):
            return
        one, other = (AS_ARRAY.get(x.dtype, x.dtype) for x in (given, wanted))
        if one is not None and other is not None and not np.can_cast(one, other, casting) and not (
                given.dtype == "pyint" and wanted.is_discrete):
            self.refuse(f"{one} values written into '{array.id}' of dtype {other}",
                        f"NumPy raises an error here: make the array with dtype={one}.")

    def selected(self, mask: Any, value: Any, array: gast.Name) -> gast.expr:
        """value where the mask holds, the old content elsewhere."""
        return self.numpy("where", mask, value, t.load(array.id))
