"""What only tells the analyses something is left out of the final text.

`as_class(x, C)` is x, and the maker of a closure value is a tuple of what is captured.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import runtime, tree as t
from sourcegrad.frontend.closures import Maker
from sourcegrad.frontend.resolve import Unit


def unmarked(tree: Any, unit: Unit) -> None:
    """Leave out the marks."""
    names = {name for name, value in unit.env.items() if value is runtime.as_class}
    makers = {name for name, value in unit.env.items() if isinstance(value, Maker)}
    if names or makers:
        _Unmark(names, makers).visit(tree)


class _Unmark(gast.NodeTransformer):
    def __init__(self, names: set[str], makers: set[str]) -> None:
        self.names, self.makers = names, makers

    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        if not isinstance(node.func, gast.Name):
            return node
        if node.func.id in self.makers:
            return t.pack(node.args)
        return node.args[0] if node.func.id in self.names else node
