"""An analysis is tested by what it says of small programs."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sourcegrad as sg
from sourcegrad import kinds as k
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler.specialize import Preparation, Prepared
from sourcegrad.ir import tree as t
from sourcegrad.ir.source import to_text
from sourcegrad.parse.resolve import describe, resolve


def kinds_of(at: dict[str, Any]) -> dict[str, Any]:
    sizes: dict[int, str] = {}
    return {name: sg.kinds.kind_of(value, name, sizes) for name, value in at.items()}


def types_of(function: Callable, **at: Any) -> Infer:
    """The types of a program as it stands (in core Python), for arguments like these; of callees nothing is known."""
    return Infer(resolve(describe(function)), kinds_of(at), lambda *_: k.ANY).run()


def prepared(function: Callable, **at: Any) -> Prepared:
    """A function of the user's, without mutation, with its types and effects."""
    return Preparation(()).prepare(describe(function), kinds_of(at), True)


def statement(facts: Infer, name: str) -> Any:
    """The one statement that assigns a name."""
    (found,) = [s for s in t.statements(facts.unit.tree.body) if name in t.writes(s)]
    return found


def written(node: Any) -> str:
    """The text of an expression, without parentheses around it."""
    return to_text(t.assign("it", node, None)).strip().removeprefix("it = ")


def spelled(kind: Any) -> str:
    """float64[n,3] of an array (sizes that are not known are ?), 3 of a constant, (pyfloat, 2) of a tuple, [pyfloat] of a list."""
    if isinstance(kind, k.Const):
        return repr(kind.value)
    if isinstance(kind, k.Num):
        axes = "..." if kind.dims is None else ",".join("?" if dim is None else str(dim) for dim in kind.dims)
        return f"{kind.dtype or 'any'}" + f"[{axes}]" * bool(kind.boxed)
    if isinstance(kind, k.Tup):
        return f"({', '.join(map(spelled, kind.items))})"
    if isinstance(kind, k.Rest):
        return f"({spelled(kind.item)}, ...)"
    if isinstance(kind, k.Lst):
        return f"[{spelled(kind.item)}]"
    if isinstance(kind, k.Dct):
        return f"{{{', '.join(f'{key}: {spelled(item)}' for key, item in kind.items)}}}"
    if isinstance(kind, k.Obj):
        inside = ", ".join(f"{name}: {spelled(item)}" for name, item in kind.items or ())
        return f"{kind.cls.__name__}({inside})"
    if isinstance(kind, k.Optional):
        return f"{spelled(kind.item)} or None"
    return "unknown" if kind is k.ANY else repr(kind)
