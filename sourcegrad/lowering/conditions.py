"""Tests stay whole: generated code leaves them to Python. What Python calls in them may look at objects, and not change any."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.analysis.objects import BINARY, COMPARE, UNARY, changes_something, class_of, static_member
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import MISSING

WHOLE = (gast.Compare, gast.BoolOp, gast.UnaryOp, gast.JoinedStr)
PARTS = {gast.Assign: "value", gast.Assert: "test", gast.While: "test", gast.Expr: "value", gast.Raise: "exc"}
ASKING = {"isinstance", "issubclass", "hasattr", "callable", "type", "id", "print"}       # what is given to them is not called
CALLED = {"len": ["len"], "float": ["float", "index"], "int": ["int", "trunc", "index"], "abs": ["abs"], "bool": ["bool", "len"],
          "str": ["str", "repr"], "repr": ["repr"], "round": ["round"]}
OF_CALLS = ("float", "int", "complex", "index", "abs", "round", "floor", "ceil", "trunc", "iter", "next", "getitem", "add", "radd",
            "array", "array_ufunc", "array_function", "reversed", "bool", "len", "str", "repr", "format", "contains", "lt", "gt")


def check_whole(spec: Any, s: Any) -> None:
    """Refuse a statement in which an operator, a property or the like changes its object, and which is not taken apart."""
    node = getattr(s, PARTS.get(type(s), ""), None)
    if node is None or isinstance(node, (gast.Name, gast.Constant)) or spec.unit.function.pure:
        return
    taken_apart = isinstance(s, (gast.Assign, gast.Expr)) and not isinstance(node, WHOLE)
    if taken_apart and all(isinstance(part, (gast.Name, gast.Constant)) for part in t.children(node)):
        return
    for part in t.walk(node):
        if taken_apart and (part is node or part is getattr(node, "func", None)):
            continue
        for owner, names in _asked(part):
            kind = spec.facts.of(owner)
            for one in kind.items if isinstance(kind, k.OneOf) else (kind,):
                cls = class_of(one)
                if cls is not None and any(changes_something(_called(cls, name, part), cls) for name in names):
                    shown = source.expression_text(part.value if isinstance(part, gast.FormattedValue) else part)
                    raise UnsupportedError(f"`{shown}`, which changes its object, inside a test",
                                           source.locate(part, t.origin_of(s)), "Assign it to a variable first.")


def _called(cls: type, name: str, node: Any) -> Any:
    """The function that is called to get an attribute, or that is a method."""
    found = static_member(cls, name)
    if not isinstance(node, gast.Attribute):
        return found
    return found.fget if isinstance(found, property) else static_member(cls, "__getattr__") if found is MISSING else found


def _asked(node: Any) -> list[tuple[Any, list[str]]]:
    """The operands of an expression, and the methods of theirs that Python may call."""
    pairs: list[tuple[Any, list[str]]] = []
    if isinstance(node, gast.BinOp):
        name = BINARY[type(node.op)]
        pairs = [(node.left, [name]), (node.right, [f"r{name}"])]
    elif isinstance(node, gast.UnaryOp):
        pairs = [(node.operand, [UNARY[type(node.op)]] if type(node.op) in UNARY else ["bool", "len"])]
    elif isinstance(node, gast.BoolOp):
        pairs = [(x, ["bool", "len"]) for x in node.values]
    elif isinstance(node, gast.IfExp):
        pairs = [(node.test, ["bool", "len"])]
    elif isinstance(node, gast.Compare):
        sides = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, sides, sides[1:]):
            if isinstance(op, (gast.In, gast.NotIn)):
                pairs.append((right, ["contains", "iter", "getitem"]))
            elif type(op) in COMPARE:
                pairs += [(left, [COMPARE[type(op)][0]]), (right, [COMPARE[type(op)][1]])]
    elif isinstance(node, gast.Subscript):
        pairs = [(node.value, ["getitem"])]
    elif isinstance(node, gast.Call) and getattr(node.func, "id", "") not in ASKING:
        pairs = [(x, CALLED.get(getattr(node.func, "id", ""), [*OF_CALLS])) for x in node.args]
    elif isinstance(node, gast.FormattedValue):
        pairs = [(node.value, ["format", "str", "repr"])]
    elif isinstance(node, gast.Attribute):
        return [(node.value, [node.attr])]
    return [(owner, [f"__{name}__" for name in names]) for owner, names in pairs]
