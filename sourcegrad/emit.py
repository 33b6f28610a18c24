"""Generated functions and their module text: imports, callees, the function itself."""
from __future__ import annotations

import builtins
import types
from dataclasses import dataclass, field
from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.frontend.resolve import Function, Unit


@dataclass(eq=False)
class Half:
    """One generated function: what other generated code calls, and what is printed."""

    __name__: str
    result_kind: k.Kind = k.ANY
    function: types.FunctionType | None = None
    text: str = ""
    tree: Any = None                       # as printed
    unit: Unit | None = None
    callees: list[Half] = field(default_factory=list)
    cells: list[types.CellType] = field(default_factory=list)
    __sourcegrad__: Function | None = None
    __sourcegrad_callable__ = True
    __sourcegrad_pure__ = True

    def finish(self, function: types.FunctionType) -> None:
        self.function = function
        for cell in self.cells:
            cell.cell_contents = function


def cell_for(value: Any) -> types.CellType:
    if isinstance(value, Half):
        if value.function is not None:
            return types.CellType(value.function)
        cell = types.CellType()
        value.cells.append(cell)
        return cell
    return types.CellType(value)


def used_environment(tree: Any, unit: Unit) -> dict[str, Any]:
    """The known objects that a tree really names, in order of first use."""
    found: dict[str, Any] = {}
    for node in t.walk(tree):
        if isinstance(node, gast.Name) and node.id in unit.env:
            value = unit.env[node.id]
            if getattr(builtins, node.id, None) is not value:
                found[node.id] = value
    return found


def imports(env: dict[str, Any]) -> str:
    """Import lines for the names that a generated text uses."""
    lines: list[str] = []
    helpers: list[str] = []
    for name, value in env.items():
        if isinstance(value, types.ModuleType):
            module = value.__name__
            lines.append(f"import {module}" if module == name else f"import {module} as {name}")
        elif isinstance(value, Half):
            continue
        elif (getattr(value, "__module__", None) or "").startswith("sourcegrad.runtime"):
            helpers.append(value.__name__ if value.__name__ == name else f"{value.__name__} as {name}")
        elif getattr(value, "__module__", None) and getattr(value, "__qualname__", "<").isidentifier():
            alias = "" if value.__qualname__ == name else f" as {name}"
            lines.append(f"from {value.__module__} import {value.__qualname__}{alias}")
    if helpers:
        lines.append(f"from sourcegrad.runtime import {', '.join(sorted(helpers))}")
    ordered = sorted(lines, key=lambda line: (line.startswith("from"), line))
    return "\n".join(ordered) + ("\n\n\n" if ordered else "")


def module_text(half: Half) -> str:
    """The complete text of a generated function: imports, generated callees, the function."""
    seen: list[Half] = []

    def visit(item: Half) -> None:
        if item in seen:
            return
        seen.append(item)
        for callee in item.callees:
            visit(callee)

    visit(half)
    env: dict[str, Any] = {}
    for item in seen:
        assert item.unit is not None
        env.update(used_environment(item.tree, item.unit))
    bodies = [item.text for item in [*seen[1:], half]]
    return imports(env) + "\n\n".join(bodies)
