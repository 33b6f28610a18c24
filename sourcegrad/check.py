"""Tree invariants: a proper tree, origins, no use before definition. Checked after every pass when `OPTIONS.verify` is set,
as the tests do, and always after the last pass of each part."""
from __future__ import annotations

from typing import Any, Protocol

import gast

from sourcegrad import source, tree as t
from sourcegrad.errors import InternalError, UnsupportedError
from sourcegrad.tree import is_stop


class Program(Protocol):
    """What a pass works on: its tree, and the function that it was made from."""

    tree: gast.FunctionDef
    function: Any

    @property
    def parameters(self) -> list[str]: ...


def check(unit: Program, stage: str, parameters: list[str] | None = None) -> None:
    """Raise InternalError if a pass left something that is not a sound program."""
    tree = unit.tree
    proper(tree, unit.function.nodes if tree is not unit.function.tree else frozenset(), stage)
    origins(tree, stage)
    if stage == "rename":
        parameters = unit.parameters
    if parameters is not None:
        definitions(tree, parameters, stage)


def proper(tree: Any, primal: frozenset[int], stage: str) -> None:
    """No node has two parents, and none is shared with the user's tree (whose nodes have these ids)."""
    nodes = list(t.walk(tree))
    ids = {id(node) for node in nodes}
    if len(ids) != len(nodes):
        seen: set[int] = set()
        node = next(node for node in nodes if id(node) in seen or seen.add(id(node)))    # type: ignore[func-returns-value]
        raise InternalError(f"after {stage}: a {type(node).__name__} node stands in two places of the tree",
                            remedy=source.to_text(node) if isinstance(node, gast.expr) else "")
    if not ids.isdisjoint(primal):
        node = next(node for node in nodes if id(node) in primal)
        raise InternalError(f"after {stage}: a {type(node).__name__} node is shared with the original tree")


def origins(tree: Any, stage: str) -> None:
    for s in t.statements(tree.body):
        if getattr(s, "origin", None) is None:
            raise InternalError(f"after {stage}: a statement has no origin: {source.to_text(s)}")


def definitions(tree: Any, parameters: list[str], stage: str) -> None:
    """No local name is read where no path has assigned it."""
    local = {n for s in t.statements(tree.body) for n in t.writes(s)} - set(parameters)

    def block(items: list, before: set[str]) -> set[str]:
        known = set(before)
        for s in items:
            for name in t.header_reads(s):
                if name in local and name not in known and stage == "rename":
                    raise UnsupportedError(f"'{name}' is used before it is assigned", t.origin_of(s),
                                           f"Give '{name}' a value first.")
                if name in local and name not in known:
                    raise InternalError(f"after {stage}: '{name}' is used before it is defined", t.origin_of(s),
                                        source.to_text(s))
            if isinstance(s, gast.If) and not is_stop(s):
                known = block(s.body, known) | block(s.orelse, known)
            elif isinstance(s, (gast.For, gast.While)):
                inside = {n for x in t.statements(s.body) for n in t.writes(x)}      # an earlier iteration may have
                known |= block(s.body, known.union(t.writes(s), inside))
            else:
                known.update(t.writes(s))
        return known

    block(tree.body, set(parameters))
