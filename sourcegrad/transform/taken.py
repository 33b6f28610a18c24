"""A part of an array that has a name already is not taken again.

    x_i = x[:-1]                            x_i = x[:-1]
    diff = x[1:] - x_i ** 2                 diff = x[1:] - x_i ** 2
    diff_2 = 1.0 - x[:-1]                   diff_2 = 1.0 - x_i

On the final text. Only where the name is one that was made up: what users take twice themselves, they see twice. A view shows
what is stored later, too, so it is the part for as long as the array, the index and the name itself stay what they are.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k, source, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.frontend.resolve import Unit
from sourcegrad.transform.simplify import basic_index

Known = dict[str, tuple[str, frozenset[str]]]           # the text of a part -> its name, and the names that the text reads
LATER = (gast.Lambda, gast.FunctionDef, gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.SetComp)


def taken(tree: Any, unit: Unit, facts: Infer) -> None:
    """Write the names, in place."""
    def is_view(node: Any) -> bool:
        kind = facts.kinds.get(node.value.id) if isinstance(node, gast.Subscript) and t.is_name(node.value) else None
        return isinstance(kind, k.Num) and kind.boxed is True and basic_index(node, facts) and any(
            isinstance(part, gast.Slice) for part in (node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]))

    named = {s.targets[0].id for s in t.statements(tree.body)
             if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and is_view(s.value)}
    if named - unit.function.local:
        _block(tree.body, {}, is_view, named - unit.function.local)


def _block(block: list, known: Known, is_view: Callable, named: set[str]) -> None:
    for s in block:
        inner = t.inner_blocks(s)
        if inner:                                            # a test is read after the body, too
            _forget(known, s)
        replace = _Replace(known, is_view)
        for field, value in gast.iter_fields(s):
            if isinstance(value, gast.AST) and not is_view(value):
                setattr(s, field, replace.visit(value))
        _forget(known, s)
        for body in inner:
            _block(body, dict(known), is_view, named)
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and s.targets[0].id in named and is_view(s.value):
            name, reads = s.targets[0].id, frozenset(t.reads(s.value))
            if name not in reads:
                known.setdefault(source.expression_text(s.value), (name, reads))


def _forget(known: Known, s: Any) -> None:
    """What a statement changes the name, the array or the index of."""
    changed = {n for x in t.statements([s]) for n in t.writes(x)}
    for text in [text for text, (name, reads) in known.items() if name in changed or reads & changed]:
        del known[text]


class _Replace(t.Transformer):
    def __init__(self, known: Known, is_view: Callable) -> None:
        self.known, self.is_view = known, is_view

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        if isinstance(node.ctx, gast.Load) and self.known and self.is_view(node):
            found = self.known.get(source.expression_text(node))
            if found is not None:
                return t.load(found[0])
        return self.generic_visit(node)

    def generic_visit(self, node: Any) -> Any:
        return node if isinstance(node, LATER) else super().generic_visit(node)
