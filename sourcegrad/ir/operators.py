"""Operators of the syntax tree, and what sorts of expressions there are."""
from __future__ import annotations

import operator
from typing import Any

import gast

OPERATORS: dict[type, Any] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.MatMult: operator.matmul,
    gast.LShift: operator.lshift, gast.RShift: operator.rshift, gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.USub: operator.neg, gast.UAdd: operator.pos,
    gast.Invert: operator.invert}
COMPARE: dict[type, Any] = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
    gast.Gt: operator.gt, gast.GtE: operator.ge}
INPLACE_OF = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
              operator.itruediv: operator.truediv, operator.ipow: operator.pow, operator.imatmul: operator.matmul,
              operator.ifloordiv: operator.floordiv, operator.imod: operator.mod, operator.iand: operator.and_,
              operator.ior: operator.or_, operator.ixor: operator.xor, operator.ilshift: operator.lshift,
              operator.irshift: operator.rshift}
BY_FUNCTION = {function: kind for kind, function in OPERATORS.items()}


# --- What kind of expression a tree is.

def hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def boolean(node: Any) -> bool:
    """Whether an expression certainly gives a bool (of plain numbers)."""
    return isinstance(node, gast.Compare) or (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)) or (
        isinstance(node, gast.BoolOp) and all(map(boolean, node.values)))


def negative(node: Any) -> bool:
    """A negative number, as it is written."""
    return (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and isinstance(node.operand, gast.Constant)
            and isinstance(node.operand.value, (int, float)))


def constant_key(node: Any) -> bool:
    """A key of a dict that is known."""
    return isinstance(node, gast.Constant) or node is not None and (negative(node) or constant_tuple(node))


def constant_tuple(node: Any) -> bool:
    """A tuple of constants, such as axis=(0, 1)."""
    return isinstance(node, gast.Tuple) and all(
        isinstance(item, gast.Constant) or negative(item) or constant_tuple(item) for item in node.elts)
