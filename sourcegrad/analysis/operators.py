"""Operators of the syntax tree and the functions that they are."""
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
