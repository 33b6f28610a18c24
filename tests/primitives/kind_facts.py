"""Whether a value is what its kind says: every known part of a kind against the real value.

`probing()` makes generated code compare each of its expressions with the kind that was inferred for it.
"""
from __future__ import annotations

import contextlib
import enum
import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.compiler import passes
from sourcegrad.ir import tree as t
from sourcegrad.ir.source import to_text
from sourcegrad.kinds.lattice import many
from sourcegrad.parse.statements import Attempt
from sourcegrad.primitives.core import primitive_of

STRICT = [False]                      # whether Python's and NumPy's numbers of one precision are told apart
NUMBERS = (np.ndarray, np.generic, bool, int, float, complex)
range_iterator = type(reversed(range(1)))
LESS, MORE = re.compile(r"(.+)-(\d+)"), re.compile(r"(.+)\+(\d+)")
STEPPED = re.compile(r"\((.+)/(\d+)\)")


def misfit(kind: k.Kind | None, value: Any, sizes: dict[str, int]) -> str | None:
    """What a kind says wrongly about a value, or None. sizes: what symbols stand for; new ones are entered."""
    if kind is None or kind is k.ANY:
        return None
    if not STRICT[-1] and (value is None or type(value) is float and value == 0.0 and not isinstance(kind, k.Num)):
        return None                                            # saved before it was assigned; the zero of anything
    if isinstance(kind, k.Num):
        return _misfit_of_number(kind, value, sizes)
    if isinstance(kind, k.Const):
        if isinstance(kind.value, (slice, tuple, enum.Enum)) or type(kind.value) is type(value) and (
                repr(kind.value) == repr(value)):
            return None
        return f"{value!r} is not the constant {kind.value!r}"
    if isinstance(kind, k.Tup):
        cls = kind.cls if isinstance(kind, k.Named) else tuple
        if not isinstance(value, cls):
            return f"a {type(value).__name__}, not a {cls.__name__}"
        if len(value) != len(kind.items):
            return f"a tuple of {len(value)}, not of {len(kind.items)}"
        return _first(zip(kind.items, value), sizes)
    if isinstance(kind, k.Lst):
        if value is None and kind.optional:
            return None
        if not isinstance(value, list):
            return f"a {type(value).__name__}, not a list"
        if kind.item is None and value:
            return "a list that is not empty"
        return _first(((kind.item, item) for item in value), sizes)
    if isinstance(kind, (k.Dct, k.Map)):
        if not isinstance(value, dict):
            return f"a {type(value).__name__}, not a dict"
        if isinstance(kind, k.Map):
            return _first([*((kind.key, key) for key in value), *((kind.item, item) for item in value.values())], sizes)
        known = dict(kind.items)
        if not kind.partial and value.keys() != known.keys():
            return f"a dict with the keys {list(value)}, not {list(known)}"
        if not known and value:
            return f"a dict with the keys {list(value)}, where none is known"
        return _first(((known.get(key), item) for key, item in value.items()), sizes)
    if isinstance(kind, k.SetOf):
        return _first(((kind.item, item) for item in value), sizes)
    if isinstance(kind, k.Rest):
        if not isinstance(value, tuple):
            return f"a {type(value).__name__}, not a tuple"
        return _first(((kind.item, item) for item in value), sizes)
    if isinstance(kind, k.Obj):
        cls = {range: (range, range_iterator), slice: (slice, tuple)}.get(kind.cls, kind.cls)          # np.s_[1:, 2:]
        held = k.is_held_list(kind), k.is_held_dict(kind), k.is_held_array(kind)                      # (classes for kinds only)
        cls = next((cls for cls, known in zip((list, dict, np.ndarray), held) if known), cls)
        if isinstance(value, cls) or value is None and (kind.optional or kind.cls is BaseException):     # nothing was caught
            return None
        return f"a {type(value).__name__}, not a {kind.cls.__name__}"
    return None


def _first(pairs: Any, sizes: dict[str, int]) -> str | None:
    return next((f"in it: {found}" for found in (misfit(kind, value, sizes) for kind, value in pairs) if found), None)


def _misfit_of_number(kind: k.Num, value: Any, sizes: dict[str, int]) -> str | None:
    if not isinstance(value, NUMBERS):
        return f"a {type(value).__name__}, not a number or array"
    if not STRICT[-1] and type(value) in (int, float) and value == 0:
        return None                                            # the zero of an array; the sum of no floats
    boxed = isinstance(value, np.ndarray)
    if kind.boxed is not None and kind.boxed != boxed:
        return f"boxed is {boxed}"
    dtype = k.PYTHON_SCALARS.get(type(value)) or value.dtype.name
    if kind.dtype is not None and kind.dtype != dtype and not (
            not boxed and dtype in (JOINED if STRICT[-1] else ALIKE).get(kind.dtype, ())):
        return f"the dtype is {dtype}"
    if isinstance(kind.size, str) and kind.size != k.UNORDERED and value >= 0 and not _equal(kind.size, int(value), sizes):
        return f"the size {kind.size} is {value}, with {sizes}"
    if boxed and kind.boxed and kind.size != k.UNORDERED and 0 not in value.strides and not (
            np.copy(value, order="K").flags.c_contiguous):
        return "it does not lie row by row"
    if kind.dims is None:
        return None
    if len(kind.dims) != np.ndim(value):
        return f"the shape is {np.shape(value)}"
    for axis, (dim, size) in enumerate(zip(kind.dims, np.shape(value))):
        if isinstance(dim, int) and dim != size:
            return f"the shape is {np.shape(value)}"
        if isinstance(dim, str) and not _equal(dim, size, sizes):
            return f"size {axis} of the shape {np.shape(value)} is not {dim}, with {sizes}"
    return None


# numbers of one precision are one kind where different ones come together (see kinds.join) ...
JOINED = {"float64": ("pyfloat",), "complex128": ("pyfloat", "float64", "pycomplex", "complex64", "float32"),
          "int64": ("pyint", "bool", "pybool")}
# ... and in adjoints, which nobody tells apart in generated code
ALIKE = {**JOINED, "pyfloat": ("float64",), "pybool": ("bool",), "bool": ("pybool",), "pyint": ("int64",),
         "pycomplex": ("complex128",)}


def _equal(symbol: str, size: int, sizes: dict[str, int]) -> bool:
    known = _value(symbol, sizes)
    if known is None:
        sizes[symbol] = known = size
    return known == size and (size != 1 or not many(symbol))


def _value(symbol: str, sizes: dict[str, int]) -> int | None:
    if symbol in sizes:
        return sizes[symbol]
    found = LESS.fullmatch(symbol)
    if found and found[1].count("(") == found[1].count(")"):
        base = _value(found[1], sizes)
        return None if base is None else max(base - int(found[2]), 0)
    found = MORE.fullmatch(symbol)
    if found and found[1].count("(") == found[1].count(")"):
        base = _value(found[1], sizes)
        return None if base is None else base + int(found[2])
    found = STEPPED.fullmatch(symbol)
    if found and found[1].count("(") == found[1].count(")"):
        base = _value(found[1], sizes)
        return None if base is None else -(-base // int(found[2]))
    return None


def forget_turn(sizes: dict[str, int], names: tuple[str, ...]) -> None:
    """Forget the sizes that are called after names of one turn of a loop."""
    for symbol in [s for s in sizes if not set(names).isdisjoint(re.findall(r"\?~(\w+)", s))]:
        del sizes[symbol]


# --- generated code that checks itself --------------------------------------------------------------

class Probe:
    """What the expressions of generated code really give. `wrong`: text of an expression -> what is wrong; `seen` counts."""

    __name__ = "kind_probe"
    __module__ = __name__

    def __init__(self) -> None:
        self.wrong: dict[str, str] = {}
        self.seen = 0
        self.known = 0

    def __call__(self, sizes: dict[str, int], place: Any, value: Any) -> Any:
        kind, text = place
        self.seen += 1
        self.known += isinstance(kind, k.Num) and None not in (kind.dtype, kind.dims)
        found = misfit(kind, value, sizes)
        if found:
            self.wrong.setdefault(text, f"{text}: {repr(kind)[:400]}, but {found}")
        return value


class Place(tuple):
    """(kind, text) of an expression, as a constant of generated code."""


def has_state(kind: Any) -> bool:
    return isinstance(kind, k.State) or any(map(has_state, k.parts(kind)))


@contextlib.contextmanager
def probing() -> Iterator[Probe]:
    """Code generated within checks the kinds of its expressions (and is left as it is before it is made to work in place)."""
    probe = Probe()

    def probe_all(work: passes.Work) -> None:
        _Insert(probe, work.unit, work.facts).function(work.tree)

    each = passes.Each((passes.PASSES["refused"], passes.PASSES["unmarked"], passes.Pass("probe", probe_all, "")))
    text = tuple(step for step in passes.PHASES["text"] if getattr(step, "name", "") != "tapes")
    with mock.patch.dict(passes.PHASES, {"in place": (passes.PASSES["shape_tapes"], each), "text": text}):
        yield probe


class _Insert(gast.NodeTransformer):
    """Put a probe around each expression that is evaluated."""

    def __init__(self, probe: Probe, unit: Any, facts: Any) -> None:
        self.probe, self.unit, self.facts = probe, unit, facts
        self.unset = set(unit.unset)
        unit.env["kind_probe"] = probe
        unit.env["new_sizes"] = dict
        unit.env["new_turn"] = forget_turn

    def function(self, tree: Any) -> None:
        facts, origin = self.facts, t.origin_of(tree.body[-1])
        names = [p.id for p in t.walk(tree.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param)]
        first = [gast.Expr(value=self.around(t.load(name), t.load(name))) for name in names if name in facts.kinds]
        tree.body[:] = [t.at(t.assign("sizes_probed", t.call("new_sizes"), origin), origin), *(t.at(s, origin) for s in first),
                        *map(self.visit, tree.body)]

    def loop(self, node: Any) -> Any:
        """Sizes of one turn are forgotten when the next one starts."""
        names = [name for name, home in self.facts.sizes.homes.items() if id(node) in home]
        node = self.generic_visit(node)
        start = t.call("new_turn", t.load("sizes_probed"), t.pack([*map(t.const, names)]))
        node.body.insert(0, t.at(gast.Expr(value=start), t.origin_of(node)))
        return node

    def around(self, node: Any, new: Any) -> Any:
        kind = self.facts.of(node)
        if kind is None or kind is k.ANY or isinstance(kind, (k.Fn, k.Const, k.Closure)) or has_state(kind):
            return new                                           # (the state of objects is not there when the code runs)
        place = f"place_{len(self.unit.env)}"
        self.unit.env[place] = Place((kind, to_text(node).strip()))
        return t.call("kind_probe", t.load("sizes_probed"), t.load(place), new)

    def visit_Name(self, node: Any) -> Any:
        if not isinstance(node.ctx, gast.Load) or node.id in self.unset or node.id not in self.facts.local:
            return node
        return self.around(node, node)

    def visit_Call(self, node: Any) -> Any:
        plain = t.clone(node)
        if isinstance(node.func, gast.Attribute) and node.func.attr not in ("append", "pop"):
            node.func.value = self.visit(node.func.value)
        state = primitive_of(self.unit.lookup(node.func)).state is not None      # which part of an array that is: as it is written
        node.args = [a if state and isinstance(a, gast.Subscript) else self.visit(a) for a in node.args]
        for option in node.keywords:
            option.value = self.visit(option.value)
        target = self.unit.env.get(getattr(node.func, "id", None))
        unset = any(isinstance(a, gast.Name) and a.id in self.unset for a in plain.args)
        return node if unset or isinstance(target, Attempt) else self.around(plain, node)

    def visit_Attribute(self, node: Any) -> Any:
        plain = t.clone(node)
        node.value = self.visit(node.value)
        return self.around(plain, node)

    def visit_Starred(self, node: Any) -> Any:
        node.value = self.visit(node.value)
        return node

    def visit_JoinedStr(self, node: Any) -> Any:
        return node

    def visit_Lambda(self, node: Any) -> Any:
        return node

    def visit_Subscript(self, node: Any) -> Any:
        plain = t.clone(node)
        self.generic_visit(node)
        return self.around(plain, node) if isinstance(node.ctx, gast.Load) else node

    def operation(self, node: Any) -> Any:
        plain = t.clone(node)
        self.generic_visit(node)
        return self.around(plain, node)

    visit_For = visit_While = loop
    visit_BinOp = visit_UnaryOp = visit_Compare = visit_BoolOp = operation
    visit_ListComp = visit_GeneratorExp = visit_DictComp = visit_SetComp = visit_Lambda
