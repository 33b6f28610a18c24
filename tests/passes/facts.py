"""An analysis is tested by what it says of small programs."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

import sourcegrad as sg
from sourcegrad import kinds as k
from sourcegrad.analysis.locations import VIEW_ATTRIBUTES, Loc, attribute_step, index_step
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler.specialize import Preparation, Prepared
from sourcegrad.ir import tree as t
from sourcegrad.ir.source import to_text
from sourcegrad.memory.functionalize import Memory
from sourcegrad.memory.heap import NO_EFFECTS, State
from sourcegrad.memory.points_to import PointsTo
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


def memory_of(function: Callable, **at: Any) -> tuple[Memory, State]:
    """The pass over memory of a program as it stands, gone through once, and what holds at its end; callees change nothing."""
    facts = types_of(function, **at)
    memory = Memory(PointsTo(facts.unit, facts, lambda *_: NO_EFFECTS, [], True, False))
    body = facts.unit.tree.body
    memory.heap.liveness.block(body, frozenset())
    start = State({name: frozenset([Loc(name)]) for name in facts.unit.parameters if memory.heap.mutable(name)})
    start.locs.update({ghost: start.locs[name] for ghost, name in memory.heap.ghosts.items() if name in start.locs})
    return memory, memory.block(body, start)[1]


def place(text: str) -> Loc:
    """`y[1:].T` as a location; `in y[1:]` is somewhere in there."""
    node, steps = gast.parse(text.removeprefix("in "), mode="eval").body, []
    while not isinstance(node, gast.Name):
        steps.append(index_step(node.slice) if isinstance(node, gast.Subscript) else attribute_step(
            node.attr, "view" if node.attr in VIEW_ATTRIBUTES else "attribute"))
        node = node.value
    return Loc(node.id, tuple(steps[::-1]), not text.startswith("in "))


def placed(loc: Loc) -> str:
    """The text of a location, as `place` reads it."""
    return "in " * (not loc.exact) + written(loc.read())


def places(locs: Any) -> str:
    return ", ".join(sorted(map(placed, locs)))


def links(state: State) -> str:
    """The places that hold one object: `a = b` certainly, `a ~ b` perhaps."""
    return ", ".join(sorted(f"{placed(one)} {'=' if sure is True else '~'} {placed(other)}"
                            for (one, other), sure in state.links.items()))
