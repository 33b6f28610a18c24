"""Terms of a sum that are multiples of one another: a + a is 2.0 * a, c * (0.5 * r) + 0.5 * (c * r) is c * r, and
2.0 * a + 2.0 * b is 2.0 * (a + b).

Names with one value, and names that are read in one place: what may be written out where the name stands.
"""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t


def kind_of(facts: Infer, node: Any) -> Any:
    """The kind of an expression, perhaps one that was written just now: ANY where it is not known."""
    try:
        return k.as_num(facts.of(node) or k.ANY)
    except (KeyError, AttributeError, TypeError):
        return k.ANY


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


def factored_terms(node: Any, is_float: Callable, values: dict[str, Any], once: set[str]) -> Any:
    """c * a + c * b as c * (a + b): the last term of a sum with one before it that has the same number; None if there is none.

    once: names that are read in one place, so that what they stand for may be written out there."""
    if not pure_names(node):
        return None
    terms = split(node)
    final = leading(terms[-1], values, once, is_float)
    if final is None:
        return None
    (last, value), sign = final, terms[-1][0]
    for position in range(len(terms) - 2, -1, -1):
        found = leading(terms[position], values, once, is_float)
        if found is not None and abs(found[0]) == abs(last):
            number, first = found
            minus = terms[position][0] != (number < 0)
            same = minus == (sign != (last < 0))
            if minus and not same and position == 0:               # b - a, not -(a - b)
                first, value, minus = value, first, False
            inside = t.binop(t.clone(first), gast.Add() if same else gast.Sub(), t.clone(value))
            terms[position] = (minus, t.binop(t.const(abs(last)), gast.Mult(), inside))
            if minus and position == 0:
                terms[0] = (False, t.binop(t.const(-abs(last)), gast.Mult(), inside))
            return joined(terms[:-1])
    return None


def leading(term: tuple[bool, Any], values: dict[str, Any], once: set[str], is_float: Callable) -> tuple[float, Any] | None:
    """(2.0, a * b) for 2.0 * a * b, or for a name that stands for it and is not read again."""
    node = term[1]
    if isinstance(node, gast.Name) and node.id in once and values.get(node.id) is not None:
        value = values[node.id]
        node = value if set(t.reads(value)) <= values.keys() and pure_names(value) else node
    chain = [node]
    while isinstance(chain[-1], gast.BinOp) and isinstance(chain[-1].op, gast.Mult):
        chain.append(chain[-1].left)
    found = number(chain[-1])
    if found is None or len(chain) < 2 or abs(found) == 1.0 or not found:
        return None
    rest = chain[-2].right
    for product in reversed(chain[:-2]):
        rest = t.binop(rest, gast.Mult(), product.right)
    return (found, rest) if is_float(rest) else None


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

    def keys(self, node: Any, deep: int = 40) -> list[str]:
        """A name that stands for a product of names is those names (down to so many levels)."""
        value: Any = self.values.get(node.id) if isinstance(node, gast.Name) else None
        if deep and self.product_of_names(value) and all(isinstance(x, gast.Name) for x in (value.left, value.right)):
            return self.keys(value.left, deep - 1) + self.keys(value.right, deep - 1)
        return [node.id if isinstance(node, gast.Name) else gast.dump(node)]

    def product_of_names(self, value: Any) -> bool:
        return isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult) and set(t.reads(value)) <= self.values.keys()


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


def folded_constants(node: gast.BinOp) -> Any:
    """3 * 1.0 is 3.0, 1.0 / 2 is 0.5, and 1.0 / 3 * 2 is 2.0 / 3: what is exact is computed now. None: nothing is."""
    left, right = _plain(node.left), _plain(node.right)
    if left is not None and right is not None and (type(left) is float or type(right) is float):
        if isinstance(node.op, gast.Mult):
            return t.const(left * right)
        return t.const(left / right) if power_of_two(float(right)) else None
    for one, factor in ((node.left, right), (node.right, left)) if isinstance(node.op, gast.Mult) else ():
        quotient = isinstance(one, gast.BinOp) and isinstance(one.op, gast.Div) and number(one.left) is not None
        if quotient and factor is not None and power_of_two(float(factor)):
            return t.binop(t.const(number(one.left) * factor), gast.Div(), one.right)
    return None


def _plain(node: Any) -> Any:
    """The value of an int or float constant (with sign), else None."""
    if isinstance(node, gast.Constant) and type(node.value) is int and abs(node.value) < 2 ** 53:
        return node.value
    return number(node)


def negated(node: Any) -> Any:
    """x for -x."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return node.operand
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
        inner = negated(node.left)
        if inner is not None and not isinstance(inner, gast.Constant):
            return t.binop(inner, node.op, node.right)
    return None


def subtracted(node: Any) -> Any:
    """x for a term -x, 2.0 * x for -2.0 * x: what is taken away where the term is added."""
    factor = number(node.left) if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult) else None
    if factor is not None and factor < 0.0:
        return t.binop(t.const(-factor), gast.Mult(), node.right)
    return negated(node)


def power_of_two(value: float) -> bool:
    return value != 0.0 and math.isfinite(value) and abs(math.frexp(value)[0]) == 0.5


def t_neg(node: Any) -> gast.UnaryOp:
    return gast.UnaryOp(op=gast.USub(), operand=node)


def pure_names(node: Any) -> bool:
    return not any(isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute) and n.func.attr == "pop"
                   for n in t.walk(node))


def reading(tree: Any) -> tuple[Counter[str], Counter[str]]:
    """How often names are read, and how often as a factor of a number."""
    reads: Counter[str] = Counter()
    multiples: Counter[str] = Counter()
    for node in t.walk(tree):
        if node.__class__ is gast.Name:
            if node.ctx.__class__ is gast.Load:
                reads[node.id] += 1
        elif node.__class__ is gast.BinOp and isinstance(node.op, gast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if number(one) is not None and isinstance(other, gast.Name):
                    multiples[other.id] += 1
    return reads, multiples


def lasting(tree: Any, values: dict[str, Any], facts: Infer) -> dict[str, Any]:
    """Name -> value of the names that are assigned once, outside of loops and branches; None for arguments that never change."""
    written = {n for s in t.statements(tree.body) for n in t.writes(s)}
    inner = {n for s in tree.body if s.__class__ is not gast.Assign for block in t.inner_blocks(s)
             for x in t.statements(block) for n in t.writes(x)}
    parameters = {n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}      # (kinds know names that are gone, too)
    found: dict[str, Any] = {n: None for n in facts.kinds if n in parameters - written}
    found.update({n: v for n, v in values.items() if n not in inner})
    return found
