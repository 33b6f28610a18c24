"""Generator functions return the list of what they yield, for callers that read all of it at once."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from sourcegrad import source, tree as t
from sourcegrad.errors import UnsupportedError
from sourcegrad.names import Names


def own_yields(node: Any) -> Iterator[Any]:
    """The `yield` expressions of a function itself, inner functions excluded."""
    for s in node.body:
        stack = [s]
        while stack:
            item = stack.pop()
            if isinstance(item, (gast.Yield, gast.YieldFrom)):
                yield item
            if not isinstance(item, (gast.FunctionDef, gast.Lambda)):
                stack += gast.iter_child_nodes(item)


def is_generator(node: Any) -> bool:
    return isinstance(node, gast.FunctionDef) and (getattr(node, "generator", False) or any(True for _ in own_yields(node)))


def generators(node: Any, names: Names) -> None:
    """Rewrite a function and those inside it, in place: `yield v` is `items.append(v)`."""
    for inner in t.walk(node):
        if isinstance(inner, gast.FunctionDef) and any(True for _ in own_yields(inner)):
            _collect(inner, names.fresh("items"), names)


def _collect(node: Any, items: str, names: Names) -> None:
    origin = t.origin_of(node)
    plain = set()

    def block(statements: list) -> list:
        result: list = []
        for s in statements:
            place = t.origin_of(s)
            value = getattr(s, "value", None)
            if isinstance(s, gast.Expr) and isinstance(value, gast.Yield):
                plain.add(id(value))
                result.append(t.effect(t.method(items, "append", value.value or t.const(None)), place))
                continue
            if isinstance(s, gast.Expr) and isinstance(value, gast.YieldFrom):
                plain.add(id(value))
                name = names.fresh("item")
                append = t.effect(t.method(items, "append", t.load(name)), place)
                result.append(t.for_(name, value.value, [append], place))
                continue
            if isinstance(s, gast.Return):
                if s.value is not None:
                    raise UnsupportedError("a generator that returns a value", place, "Append the values to a list and return it.")
                s.value = t.load(items)
            if isinstance(s, gast.While) and _endless(s):
                raise UnsupportedError("a generator that does not end", place, "Give it a number of values to make.")
            if not isinstance(s, gast.FunctionDef):
                t.map_raw_blocks(s, block)
            result.append(s)
        return result

    yields = list(own_yields(node))
    node.body = [t.assign(items, gast.List(elts=[], ctx=t.LOAD), origin), *block(node.body), t.return_(t.load(items), origin)]
    for item in yields:
        if id(item) not in plain:
            raise UnsupportedError("a generator that receives values (`x = yield`)", source.locate(item, origin),
                                   "Append the values to a list and return it.")
    node.generator = True


def _endless(s: Any) -> bool:
    constant = isinstance(s.test, gast.Constant) and bool(s.test.value)
    return constant and not any(isinstance(n, (gast.Return, gast.Break, gast.Raise)) for n in t.walk(s))
