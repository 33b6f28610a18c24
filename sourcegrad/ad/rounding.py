"""Rounding errors: reverse mode that notes, beside the adjoint of each operation, how large the error of the operation can be.

Every floating-point value counts, also of what does not depend on the inputs: all that is computed is active. What only copies,
selects, moves or negates numbers is exact.
"""
from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.adjoint import Adjoint
from sourcegrad.ad.reverse import Reverse
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import Activity
from sourcegrad.errors import HERE, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.tree import OPERATORS
from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, primitive_of
from sourcegrad.primitives.dependence import MOVING
from sourcegrad.primitives.rounding import (
    CASTS,
    CORRECT,
    EXACT,
    PRODUCTS,
    REPEATED,
    RUNNING,
    SPREADS,
    SUMS,
    is_normwise,
    roundings_of,
)


class Computed(Activity):
    """Activity in which all that an operation computes with floats is active, whatever it depends on."""

    def run(self) -> Activity:
        for s in t.statements(self.unit.tree.body):
            if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and rounds(self, s):
                self.varied.add(s.targets[0].id)
                self.varied |= inside(self, s.value)
        return super().run()


def inside(activity: Activity, value: Any) -> set[str]:
    """The arguments whose adjoints say how large the error of an algorithm is, also where they are constant."""
    target = call_targets.target_of(value, activity.unit, activity.facts.of) if isinstance(value, gast.Call) else None
    if target is None or target.object not in RULES or sort_of(target.object) != "inside":
        return set()
    kinds = {x.id: k.as_num(activity.facts.of(x) or k.ANY) for x in target.operands if isinstance(x, gast.Name)}
    return {name for name, kind in kinds.items() if isinstance(kind, k.Num) and not kind.is_discrete}


def sort_of(function: Any) -> str:
    """How the errors of a function that has a rule are counted."""
    if function in CASTS:
        return "cast"
    if function in ZERO_DERIVATIVE or is_exact(function):
        return "exact"
    tables = {"sum": SUMS, "product": PRODUCTS, "spread": SPREADS, "running": RUNNING, "repeated": REPEATED}
    found = next((name for name, table in tables.items() if function in table), None)
    return found or ("once" if RULES[function].elementwise or function in CORRECT else "inside")


def rounds(activity: Activity, s: gast.Assign) -> bool:
    """Whether the value of a statement is computed with floats."""
    kind = activity.facts.kinds.get(t.writes(s)[0], k.ANY)
    if k.is_discrete(kind) or isinstance(k.as_num(kind), k.Const):
        return False
    if isinstance(s.value, gast.BinOp):
        return OPERATORS[type(s.value.op)] not in ZERO_DERIVATIVE and isinstance(k.as_num(kind), k.Num)
    if not isinstance(s.value, gast.Call):
        return False
    target = call_targets.target_of(s.value, activity.unit, activity.facts.of)
    if target.object is not None and target.object in RULES:
        return isinstance(k.as_num(kind), k.Num) and not is_exact(target.object)
    return target.function is not None and target.plain is None and numeric(kind)


def numeric(kind: k.Kind) -> bool:
    """Whether a value is certainly a number or an array, or a tuple or list of such."""
    found = k.as_num(kind)
    if isinstance(found, (k.Tup, k.Lst)):
        return all(numeric(item or k.ANY) for item in (found.items if isinstance(found, k.Tup) else [found.item]))
    return isinstance(found, k.Num)


def is_exact(function: Any) -> bool:
    """Whether a function only copies, selects, moves or negates numbers."""
    found = primitive_of(function)
    helper = not isinstance(function, (str, np.ufunc)) and (getattr(function, "__module__", None) or "").startswith("sourcegrad.")
    view = found.result in ("view", "may view") and function not in PRODUCTS and function not in SUMS and not is_normwise(function)
    return function in EXACT or function in MOVING or view or bool(found.selects) or found.joins or (
        helper and function not in CORRECT)


class Rounding(Reverse):
    """Reverse mode that notes rounding errors."""

    def counts(self, s: gast.Assign) -> bool:
        return rounds(self.activity, s)

    def pulled_back(self, s: gast.Assign, name: str) -> Adjoint:
        adjoint = super().pulled_back(s, name)
        if isinstance(s.value, gast.BinOp):
            note_operation(adjoint, OPERATORS[type(s.value.op)], [s.value.left, s.value.right], {})
        elif isinstance(s.value, gast.Call):
            note_call(adjoint, s.value)
        return adjoint


def place_of(adjoint: Adjoint) -> gast.expr:
    """The line of the user that an operation comes from; "" in a function of the library."""
    origin = adjoint.origin
    chain = () if origin is None else (origin, *origin.callers)
    place = next((x for x in chain if not x.file.startswith(HERE)), None)
    return t.const(f"{place.file}:{place.line}" if place else "")


def note_call(adjoint: Adjoint, value: gast.Call) -> None:
    target = call_targets.target_of(value, adjoint.unit, adjoint.r.facts.of)
    if target.plain is not None or target.object is runtime.make_object:
        return
    if target.custom is not None:
        note(adjoint, 1.0)
    elif target.object in RULES:
        note_operation(adjoint, target.object, target.args, target.keywords)
    elif target.function is not None:
        parts_of(adjoint)
        adjoint.statements.insert(0, effect(adjoint, runtime.rounding_calls, place_of(adjoint)))
        adjoint.statements.append(effect(adjoint, runtime.rounding_called))
    elif target.object is None or target.object is runtime.call_unchanging:
        called = source.expression_text(value.func)
        raise UnsupportedError(f"the rounding errors of `{called}(...)`, whose target is not known when the code is generated",
                               source.locate(value, adjoint.origin),
                               "Call a function by its name, or pass the function as an argument.")


def effect(adjoint: Adjoint, helper: Any, *args: Any, **options: Any) -> gast.Expr:
    return t.effect(t.call(adjoint.r.helper(helper), *args, **options), adjoint.origin)


def note(adjoint: Adjoint, roundings: float, size: Any = None) -> None:
    """Note so many roundings of the result, or of what has a size."""
    counted = [] if roundings == 1.0 and size is None else [t.const(roundings)]
    noted = effect(adjoint, runtime.rounded, place_of(adjoint), t.load(adjoint.ct), t.load(adjoint._OUT), *counted,
                   *([] if size is None else [size]))
    adjoint.statements.insert(0, noted)


def note_operation(adjoint: Adjoint, function: Any, args: list, keywords: dict) -> None:
    """Note the errors of a call of a function that has a rule."""
    kind = k.as_num(adjoint.kind or k.ANY)
    sort = sort_of(function) if function in RULES and not k.is_discrete(kind) else "exact"
    operands = [t.clone(x) for x in args]
    options = {name: t.clone(x) for name, x in keywords.items()}
    out, helper = t.load(adjoint._OUT), adjoint.r.helper
    if sort == "cast":
        note(adjoint, 1.0, t.call(helper(runtime.narrowed), out, operands[0]))
    elif sort in ("sum", "product"):
        size = runtime.sums_rounded if sort == "sum" else runtime.products_rounded
        note(adjoint, 1.0, t.call(helper(size), named(adjoint, function), *operands, **options))
    elif sort == "spread":
        note(adjoint, 1.0, t.call(helper(runtime.spread_rounded), named(adjoint, function), out, *operands, **options))
    elif sort == "running":                                 # each result is rounded once, and goes into all that follow
        for _, part in parts_of(adjoint):
            adjoint.statements.append(effect(adjoint, runtime.rounded, place_of(adjoint), part, out))
    elif sort == "repeated":
        note(adjoint, 1.0, t.call(helper(runtime.powers_rounded), out, *operands, **options))
    elif sort == "inside":
        note_inside(adjoint, function)
    elif sort == "once" and not by_power_of_two(function, args) and not unchanged(function, args):
        note(adjoint, roundings_of(function, getattr(kind, "dtype", None)) + literals(adjoint, kind, args))


def named(adjoint: Adjoint, function: Any) -> gast.expr:
    """A name for a function in the text."""
    function = np.matmul if function is operator.matmul else function
    return t.load(adjoint.unit.use(function, getattr(function, "__name__", "function")))


def parts_of(adjoint: Adjoint) -> list[tuple[str, gast.expr]]:
    """The arguments of an operation that have an adjoint, with the contributions to it, which get names."""
    found = []
    for position, (name, part, index) in enumerate(adjoint.contributions):
        if index is not None:
            continue
        if not isinstance(part, gast.Name):
            own = adjoint.unit.names.fresh(f"{name}_part")
            adjoint.statements.append(t.assign(own, part, adjoint.origin))
            part = t.load(own)
            adjoint.contributions[position] = name, part, index
        found.append((name, t.clone(part)))
    return found


def note_inside(adjoint: Adjoint, function: Any) -> None:
    """Note the errors of an algorithm by those of its arguments, and of its result."""
    for name, part in parts_of(adjoint):
        normwise = [t.const(True)] if is_normwise(function) else []
        adjoint.statements.append(effect(adjoint, runtime.rounded_inside, place_of(adjoint), part, t.load(name), *normwise))
    note(adjoint, 2.0)


def literals(adjoint: Adjoint, kind: Any, args: list) -> float:
    """How many numbers of Python a narrower dtype rounds."""
    if getattr(kind, "dtype", None) not in ("float32", "float16", "complex64"):
        return 0.0
    found = 0.0
    for x in args:
        own = k.as_num(adjoint.r.facts.of(x) or k.ANY)
        if isinstance(x, gast.Constant) and isinstance(x.value, (int, float)):
            found += float(getattr(np, kind.dtype.replace("complex64", "float32"))(x.value)) != x.value
        elif isinstance(own, k.Num) and own.dtype == "pyfloat":
            found += 1.0
    return found


def number(node: Any) -> float | None:
    """The value of a literal, which may have a sign."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        node = node.operand
    value = node.value if isinstance(node, gast.Constant) else None
    return abs(float(value)) if isinstance(value, (int, float)) else None


def by_power_of_two(function: Any, args: list) -> bool:
    """Whether numbers are multiplied or divided by a literal that is a power of two, which is exact (but for underflow)."""
    if function in (operator.mul, np.multiply):
        given = args
    elif function in (operator.truediv, np.divide):
        given = args[1:]
    else:
        return False
    return any(x is not None and x > 0.0 and math.frexp(x)[0] == 0.5 for x in map(number, given))


def unchanged(function: Any, args: list) -> bool:
    """Whether a literal leaves numbers what they are: x + 0, x - 0, x ** 1."""
    last = number(args[-1]) if args else None
    if function in (operator.add, np.add):
        return 0.0 in map(number, args)
    if function in (operator.sub, np.subtract):
        return last == 0.0 or number(args[0]) == 0.0
    return function in (operator.pow, np.power, builtins.pow) and last in (0.0, 1.0)
