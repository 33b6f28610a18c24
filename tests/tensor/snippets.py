"""Snippets that run in PyTorch and here with the same results: what they show, what they raise.

`T` is the module. `show` notes a value: Tensors with their numbers, flags and dtype, nodes with their name.
`python -m tests.tensor.record` runs all of them in PyTorch and writes `expected.json`; the tests run them here and compare.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "snippets"
ERRORS = (
    IndexError,
    ValueError,
    TypeError,
    NotImplementedError,
    AttributeError,
    RuntimeError,
    KeyError,
    AssertionError,
    StopIteration,
)


def by_file() -> dict[str, dict[str, str]]:
    """Snippets by name, by the file that has their results: in the texts, each after a line `### name`; and those that the grids
    write."""
    from tests.tensor import complex_grid, grids, layer_grids, refusal_grids, schedule_grids, value_grids

    found = {}
    for path in sorted(FOLDER.glob("*.txt")):
        for part in re.split(r"^### ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name, _, code = part.partition("\n")
            assert f"{path.stem}: {name.strip()}" not in found, name
            found[f"{path.stem}: {name.strip()}"] = code.strip() + "\n"
    return {"expected": {**found, **grids.generated(), **layer_grids.generated(), **complex_grid.generated()},
            "schedules": schedule_grids.generated(),
            "refusals": refusal_grids.generated(), "values": value_grids.generated()}


def all_snippets() -> dict[str, str]:
    return {name: code for snippets in by_file().values() for name, code in snippets.items()}


def expected() -> dict[str, list]:
    """What the snippets show in PyTorch."""
    return {
        name: shown
        for path in FOLDER.glob("*.json")
        for name, shown in json.loads(path.read_text(encoding="utf-8")).items()
    }


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if hasattr(value, "requires_grad") and hasattr(value, "tolist"):
        return {
            "tensor": nested(value.detach().clone().tolist()),
            "grad": bool(value.requires_grad),
            "leaf": bool(value.is_leaf),
            "kind": re.sub(r"\d+$", "", str(value.dtype).rsplit(".", 1)[-1]),
        }
    if hasattr(value, "next_functions"):
        return {"node": node_name(value)}
    if hasattr(value, "_asdict"):
        return [plain(part) for part in value]
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if hasattr(value, "tolist"):
        return nested(value.tolist())
    return type(value).__name__


def nested(value: Any) -> Any:
    return [nested(part) for part in value] if isinstance(value, list) else plain(value)


def node_name(node: Any) -> str:
    """`SumBackward1` is `SumBackward`: overloads of PyTorch have numbers."""
    return re.sub(r"\d+$", "", node.name().rsplit(":", 1)[-1])


def run(code: str, module: Any) -> list:
    """What a snippet shows, or the error that it ends with."""
    shown: list = []
    names: dict[str, Any] = {
        "T": module,
        "math": math,
        "show": lambda *values: shown.extend(map(plain, values)),
        "__name__": "snippet",
    }
    try:
        import numpy as np

        names["np"] = np
        exec(compile(code, "<snippet>", "exec"), names)
    except ERRORS as error:
        family = next(cls for cls in ERRORS if isinstance(error, cls))
        shown.append({"error": family.__name__})
    return shown


def same(a: Any, b: Any, tolerance: float = 1e-6) -> bool:
    """Whether two results are equal, numbers up to rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], tolerance) for key in a)
    return type(a) is type(b) and a == b
