"""Terms of a sum that are multiples of one another: a + a is 2.0 * a, c * (0.5 * r) + 0.5 * (c * r) is c * r."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import tree as t


def merged_terms(node: Any, is_float: Callable, values: dict[str, Any]) -> Any:
    """A sum with the last of its terms added to one before it that is a multiple of it; None if there is none.

    Their factors are signs and powers of two, so that each product is exact. values: what lasting names stand for."""
    terms = split(node)
    last = Term(terms[-1], values)
    if not last.factors or not pure_names(node) or not all(map(is_float, last.factors)):
        return None
    for position in range(len(terms) - 2, -1, -1):
        other = Term(terms[position], values)
        total = other.number + last.number
        if other.key == last.key and total and all(map(is_float, other.factors)):
            one = min(other, last, key=lambda term: len(term.factors))
            merged = scaled(abs(total), t.clone(one.factors[0]))
            for factor in one.factors[1:]:
                merged = t.binop(merged, gast.Mult(), t.clone(factor))
            terms[position] = (total < 0, merged)
            return joined(terms[:-1])
    return None


def scaled(number: float, value: Any) -> Any:
    return value if number == 1.0 else t.binop(t.const(number), gast.Mult(), value)


class Term:
    """A number times factors. `key` is equal for two terms with the same factors, in whatever order they are multiplied."""

    def __init__(self, term: tuple[bool, Any], values: dict[str, Any]) -> None:
        self.number = -1.0 if term[0] else 1.0
        self.factors: list = []
        self.values = values
        self.collect(term[1])
        self.key = sorted(key for factor in self.factors for key in self.keys(factor))

    def collect(self, node: Any) -> None:
        value: Any = self.values.get(node.id) if isinstance(node, gast.Name) else None
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
            self.collect(node.left)
            self.collect(node.right)
        elif number(node) is not None and power_of_two(number(node)):
            self.number *= number(node)
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
            self.number = -self.number
            self.collect(node.operand)
        elif self.product_of_names(value) and any(number(x) is not None and power_of_two(number(x)) for x in (
                value.left, value.right)):                         # p where p = -0.5 * x
            self.collect(value.left)
            self.collect(value.right)
        else:
            self.factors.append(node)

    def keys(self, node: Any) -> list[str]:
        """A name that stands for a product of names is those names."""
        value: Any = self.values.get(node.id) if isinstance(node, gast.Name) else None
        if self.product_of_names(value) and all(isinstance(x, gast.Name) for x in (value.left, value.right)):
            return self.keys(value.left) + self.keys(value.right)
        return [node.id if isinstance(node, gast.Name) else gast.dump(node)]

    def product_of_names(self, value: Any) -> bool:
        return isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult) and set(t.reads(value)) <= set(self.values)


def split(node: Any) -> list[tuple[bool, Any]]:
    """((x + a) - b) as [(False, x), (False, a), (True, b)]: whether a term is subtracted, and the term."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
        return [*split(node.left), (isinstance(node.op, gast.Sub), node.right)]
    return [(False, node)]


def joined(terms: list[tuple[bool, Any]]) -> Any:
    (minus, result), *rest = terms
    result = t_neg(result) if minus else result
    for minus, term in rest:
        result = t.binop(result, gast.Sub() if minus else gast.Add(), term)
    return result


def number(node: Any) -> Any:
    """The value of a float constant (with sign), else None."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, gast.Constant) and type(node.value) is float:
        return node.value
    return None


def negated(node: Any) -> Any:
    """x for -x."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return node.operand
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
        inner = negated(node.left)
        if inner is not None and not isinstance(inner, gast.Constant):
            return t.binop(inner, node.op, node.right)
    return None


def power_of_two(value: float) -> bool:
    return value != 0.0 and math.isfinite(value) and abs(math.frexp(value)[0]) == 0.5


def t_neg(node: Any) -> gast.UnaryOp:
    return gast.UnaryOp(op=gast.USub(), operand=node)


def pure_names(node: Any) -> bool:
    return not any(isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute) and n.func.attr == "pop"
                   for n in t.walk(node))
