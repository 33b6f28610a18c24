"""Comments: above each adjoint block the user's line that it belongs to."""
from __future__ import annotations

import os
from typing import Any

import gast

from sourcegrad.ir import tree as t


def annotate(tree: Any) -> Any:
    """A copy of a generated function with comments in its reverse sweep."""
    new = t.clone(tree)
    new.body = tidy(new.body)
    position = next((i for i, s in enumerate(new.body) if t.is_comment(s)), None)
    if position is None:
        if new.name.endswith("_reverse") or "_reverse_" in new.name:
            new.body = _block(new.body, [None])
        return new
    new.body = new.body[: position + 1] + _block(new.body[position + 1:], [None])
    return new


def _block(block: list, last: list) -> list:
    result: list = []
    for s in block:
        origin = t.origin_of(s)
        computes = getattr(s, "computes", False)                            # an adjoint, not only names
        silent = isinstance(s, gast.Break) or (isinstance(s, gast.Return) and last[0] is not None and not computes)
        if origin is not None and not silent and origin[:2] != last[0]:
            text = f"{os.path.basename(origin.file)}:{origin.line}  {origin.text.strip()}"
            result.append(t.comment(text, origin))
            last[0] = origin[:2]
        t.map_blocks(s, _block, last)
        if isinstance(s, gast.If) and len(s.orelse) == 2 and t.is_comment(s.orelse[0]) and isinstance(s.orelse[1], gast.If):
            above, inner = s.orelse                         # an `elif`, whose comment stands inside
            inner.body.insert(0, above)
            s.orelse = [inner]
        result.append(s)
    return result


def tidy(block: list) -> list:
    """No empty blocks: `if c: (nothing) else: e` is `if not c: e`."""
    for s in block:
        t.map_blocks(s, tidy)
        if isinstance(s, gast.If) and not s.body:
            s.body, s.orelse = s.orelse or [t.at(gast.Pass(), t.origin_of(s))], []
            s.test = s.test.operand if isinstance(s.test, gast.UnaryOp) and isinstance(s.test.op, gast.Not) else (
                gast.UnaryOp(op=gast.Not(), operand=s.test))
        elif isinstance(s, (gast.For, gast.While)) and not s.body:
            s.body = [t.at(gast.Pass(), t.origin_of(s))]
    return block
