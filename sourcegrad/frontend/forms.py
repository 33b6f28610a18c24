"""What kind of expression a tree is."""
from __future__ import annotations

from typing import Any

import gast


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
