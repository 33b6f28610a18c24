"""Arrays of a known size, written out, and lists of the rows of an array.

    p_bar = np.zeros(p.shape)
    p_bar[0] = a_bar                                        p_bar = np.array([a_bar, b_bar])
    p_bar[1] += b_bar
    q_bar = np.zeros(q.shape)                               q_bar = np.zeros(3)
    xs_bar = unstack(out_bar, xs)                           xs_bar = list(out_bar)
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit

MOST = 8                        # elements that stand on a line


def small_arrays(tree: Any, unit: Unit, facts: Infer) -> None:
    """Rewrite in place."""
    writer = _Sizes(unit, facts)
    tree.body = block([writer.visit(s) for s in tree.body], unit, facts)


class _Sizes(t.Transformer):
    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts


    def visit_Call(self, node: gast.Call) -> Any:
        node = self.generic_visit(node)
        function = self.unit.lookup(node.func)
        if function is np.zeros and len(node.args) == 1:
            shape = node.args[0]
            like = self.facts.of(shape.value) if isinstance(shape, gast.Attribute) and shape.attr == "shape" else None
            if isinstance(like, k.Num) and like.dims and all(isinstance(d, int) for d in like.dims):
                node.args[0] = t.const(like.dims[0]) if len(like.dims) == 1 else t.pack([t.const(d) for d in like.dims])
        elif function is runtime.unstack and len(node.args) == 2 and rows(self.facts.of(node.args[0]), self.facts.of(node.args[1])):
            return t.call(self.unit.use(list, "list"), node.args[0])
        return node


def rows(array: Any, like: Any) -> bool:
    """Whether the rows of an array are what the items of a list of arrays are, in double precision."""
    item = like.item if isinstance(like, k.Lst) else None
    return all(isinstance(x, k.Num) and x.boxed and x.dtype == "float64" and x.dims is not None for x in (array, item)) and (
        len(array.dims) == len(item.dims) + 1)                                                       # type: ignore[union-attr]


def block(body: list, unit: Unit, facts: Infer) -> list:
    result: list = []
    position = 0
    while position < len(body):
        s = body[position]
        if not is_stop(s):
            t.map_blocks(s, block, unit, facts)
        count = size(s, unit)
        position += 1
        if count is None:
            result.append(s)
            continue
        parts: dict[int, Any] = {}
        end = position
        while end < len(body) and (t.is_comment(body[end]) or put(s.targets[0].id, count, body[end], parts, facts)):
            end += 1
        while t.is_comment(body[end - 1]) and end > position:
            end -= 1
        if len(parts) == count:
            s.value = t.call(f"{unit.use(np, 'np')}.array", gast.List(elts=[parts[j] for j in range(count)], ctx=t.LOAD))
            result += [*(x for x in body[position:end] if t.is_comment(x)), s]
            position = end
        else:
            result.append(s)
    return result


def size(s: Any, unit: Unit) -> int | None:
    """The size of a short vector of zeros that a statement makes."""
    value = s.value if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and len(s.targets) == 1 else None
    if not isinstance(value, gast.Call) or unit.lookup(value.func) is not np.zeros or len(value.args) != 1 or value.keywords:
        return None
    count = t.constant_of(value.args[0]) if isinstance(value.args[0], gast.Constant) else None
    return count if type(count) is int and 0 < count <= MOST else None


def put(name: str, count: int, s: Any, parts: dict[int, Any], facts: Infer) -> bool:
    """Note what a statement puts at one element of an array; whether it does no more."""
    target = s.targets[0] if isinstance(s, gast.Assign) else s.target if isinstance(s, gast.AugAssign) else None
    if not isinstance(target, gast.Subscript) or not t.is_name(target.value, name) or not isinstance(target.slice, gast.Constant):
        return False
    index, kind = target.slice.value, facts.of(s.value)
    if type(index) is not int or not 0 <= index < count or name in t.reads(s.value):
        return False
    if not isinstance(kind, k.Num) or not kind.is_scalar or kind.dtype not in ("float64", "pyfloat"):
        return False
    if isinstance(s, gast.AugAssign) and index in parts:
        if not isinstance(s.op, (gast.Add, gast.Sub)):
            return False
        parts[index] = t.binop(parts[index], s.op, s.value)
    elif isinstance(s, gast.Assign) or isinstance(s.op, gast.Add):
        parts[index] = s.value
    elif isinstance(s.op, gast.Sub):
        parts[index] = gast.UnaryOp(op=gast.USub(), operand=s.value)
    else:
        return False
    return True
