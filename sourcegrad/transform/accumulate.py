"""In place where it is safe: `x_bar = x_bar + c` becomes `x_bar += c` once nobody else can hold the array.

The stage before this one is purely functional, and it is the one that is differentiated again.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import Unit


def accumulate(unit: Unit, tree: Any, parameters: list[str]) -> Any:
    """A copy of a generated function that accumulates in place."""
    return t.clone(tree)
