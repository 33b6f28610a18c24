"""Tree invariants: a proper tree, origins, no use before definition. Checked after every pass when `OPTIONS.verify` is set,
as the tests do, and always after the last pass of each part."""
from __future__ import annotations

from typing import Any, Protocol

import gast

from sourcegrad.errors import InternalError, UnsupportedError
from sourcegrad.ir import source, tree as t


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
    if stage == "split_webs":
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


LEAVING = (gast.Raise, gast.Return, gast.Break, gast.Continue)


def executed(tree: Any, made_from: Any) -> None:
    """The text that runs is sound, too."""
    definitions(tree, [p.id for p in t.walk(tree.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param)],
                "the last pass", made_from)


def definitions(tree: Any, parameters: list[str], stage: str, made_from: Any = None) -> None:
    """No local name is read before it has a value: on every path, in the first iteration of a loop, too.

    What is assigned under a condition may be read under one; loops run at least once, as what reads of a loop has its count. The
    names of the user (of the tree made_from; None: all) may have no value on some path: then Python says so."""
    local = {n for s in t.as_printed(tree.body) for n in t.writes(s)} - set(parameters)
    users = local if made_from is None else {n.id for n in t.walk(made_from) if isinstance(n, gast.Name)}
    own = {name for name in local if name in users or name.rstrip("0123456789").rstrip("_") in users}

    def read(s: Any, node: Any, sure: set[str], perhaps: set[str]) -> None:
        unknown = [n for n in t.header_reads(node) if n in local and n not in (perhaps if n in own else sure)]
        if unknown:
            inner = {n.id for x in t.walk(node) if isinstance(x, (gast.comprehension, gast.Lambda))
                     for n in t.walk(x.target if isinstance(x, gast.comprehension) else x.args) if isinstance(n, gast.Name)}
            unknown = [n for n in unknown if n not in inner]
        for name in unknown:
            if stage == "split_webs":
                raise UnsupportedError(f"'{name}' is used before it is assigned", t.origin_of(s), f"Give '{name}' a value first.")
            raise InternalError(f"after {stage}: '{name}' is used before it is defined", t.origin_of(s), source.to_text(s))

    def block(items: list, sure: set[str], perhaps: set[str], branch: bool) -> tuple[set[str], set[str]]:
        """The names that have a value after a block on every path, and on some. branch: whether it is one of a branch."""
        for s in items:
            known = perhaps if branch else sure
            if isinstance(s, gast.If):
                read(s, s.test, known, perhaps)
                ways = [block(part, set(sure), set(perhaps), True) for part in (s.body, s.orelse)]
                left = [way for way, part in zip(ways, (s.body, s.orelse)) if not (part and isinstance(part[-1], LEAVING))]
                sure = set.intersection(*(way[0] for way in left)) if left else sure
                perhaps = ways[0][1] | ways[1][1]
            elif isinstance(s, (gast.For, gast.While)):
                read(s, s.iter if isinstance(s, gast.For) else s.test, known, perhaps)
                again = {n for x in t.as_printed(s.body) for n in t.writes(x)}          # an earlier iteration may have, in a branch
                first = known.union(t.writes(s))
                sure = sure | block(s.body, set(first), perhaps.union(first, again), False)[0] - first | set(t.writes(s))
                perhaps = perhaps | again | first
            elif isinstance(s, gast.Try):
                sure_before, (sure, perhaps) = sure, block(s.body, set(sure), set(perhaps), branch)
                for handler in s.handlers:
                    names = {handler.name.id if isinstance(handler.name, gast.Name) else handler.name} - {None}
                    ends = block(handler.body, sure_before | names, perhaps | names, branch)
                    if not isinstance(handler.body[-1], LEAVING):
                        sure = sure & ends[0]
                    perhaps = perhaps | ends[1]
                for part in (s.orelse, s.finalbody):
                    sure, perhaps = block(part, sure, perhaps, branch)
            elif isinstance(s, gast.With):
                for item in s.items:
                    read(s, item.context_expr, known, perhaps)
                entered = {n for item in s.items if item.optional_vars is not None for n in t.target_names(item.optional_vars)}
                sure, perhaps = block(s.body, sure | entered, perhaps | entered, branch)
            elif not t.is_comment(s):
                read(s, s, perhaps if any(isinstance(n, (gast.IfExp, gast.BoolOp)) for n in t.walk(s)) else known, perhaps)
                sure, perhaps = sure.union(t.writes(s)), perhaps.union(t.writes(s))
        return sure, perhaps

    block(tree.body, set(parameters), set(parameters), False)
