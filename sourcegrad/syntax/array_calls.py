"""Calls of NumPy in other spellings: `np.einsum(a, [0, 1], b, [1])` with a text, `np.vectorize(f, otypes=[float])` of numbers."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad.ir import tree as t
from sourcegrad.syntax.library_calls import Expressions

LETTERS: Any = "abcdefghijklmnopqrstuvwxyz"


def with_subscripts(node: gast.Call) -> gast.Call:
    """np.einsum with its subscripts as a text, of displays of whole numbers; any other call as it is."""
    def letters(part: Any) -> str | None:
        if not isinstance(part, (gast.List, gast.Tuple)):
            return None
        values = [... if t.is_name(item, "Ellipsis") else getattr(item, "value", None) for item in part.elts]
        if not all(value is ... or type(value) is int and 0 <= value < 26 for value in values):
            return None
        return "".join("..." if value is ... else LETTERS[value] for value in values)

    parts = [letters(part) for part in node.args[1::2]]
    result = letters(node.args[-1]) if len(node.args) % 2 else ""
    if len(node.args) < 2 or None in parts or result is None:
        return node
    text = ",".join(str(part) for part in parts) + ("->" + result if len(node.args) % 2 else "")
    operands = node.args[:2 * len(parts):2]
    return gast.copy_location(gast.Call(func=node.func, args=[t.const(text), *operands], keywords=node.keywords), node)


def with_axes(node: gast.Call) -> gast.Call:
    """np.tensordot with its axes as tuples, of lists of whole numbers that are written out; any other call as it is."""
    def whole(part: Any) -> bool:
        negative = isinstance(part, gast.UnaryOp) and isinstance(part.op, gast.USub)
        return type(getattr(part.operand if negative else part, "value", None)) is int

    def numbers(part: Any) -> bool:
        return isinstance(part, (gast.List, gast.Tuple)) and all(map(whole, part.elts))

    given = next((word for word in node.keywords if word.arg == "axes"), None)
    axes = given.value if given is not None else node.args[2] if len(node.args) == 3 else None
    if not isinstance(axes, (gast.List, gast.Tuple)) or not axes.elts or not all(
            numbers(part) or whole(part) for part in axes.elts):
        return node
    new = t.pack([t.pack(part.elts) if isinstance(part, (gast.List, gast.Tuple)) else part for part in axes.elts])
    if given is not None:
        given.value = new
    else:
        node.args[2] = new
    return node


def of_floats(make: Expressions, node: gast.Call) -> gast.Call:
    """np.vectorize of a lambda whose results are floats, without otypes; any other call as it is."""
    given = node.keywords[0].value if len(node.keywords) == 1 and node.keywords[0].arg == "otypes" else None
    listed = given.elts[0] if isinstance(given, (gast.List, gast.Tuple)) and len(given.elts) == 1 else None
    function = node.args[0] if len(node.args) == 1 else None
    if listed is None or not isinstance(function, gast.Lambda) or make.lookup(listed) not in (float, np.float64):
        return node
    function.body = gast.copy_location(t.call(make.use(float), function.body), function.body)
    return gast.copy_location(gast.Call(func=node.func, args=[function], keywords=[]), node)
