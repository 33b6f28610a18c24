"""What texts look like that are computed, or were tested: regular expressions, by which the entries of dicts are found.

    f"layer{k}"                        is "layer" and something
    if name.startswith("layer"):       there `name` is "layer" and something, and else anything but that
"""
from __future__ import annotations

import functools
import re
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop


class Forms:
    """What texts with computed parts look like: f"layer{k}" of a name that is assigned once is "layer" and something."""

    def __init__(self, unit: Any, tree: Any = None) -> None:
        """tree: that of the unit, or a later form of it."""
        self.unit, self.tree = unit, tree

    @property
    def body(self) -> list:
        return (self.tree or self.unit.tree).body                                                  # type: ignore[no-any-return]

    @functools.cached_property
    def assigned(self) -> dict[str, list]:
        """The values that names are assigned, where all of them are known."""
        found: dict[str, list] = {}
        for s in t.statements(self.body):
            for name in t.writes(s):
                values = found.setdefault(name, [])
                if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]):
                    values.append(None)
                elif not any(value is not None and t.same(value, s.value) for value in values):
                    values.append(s.value)
        return found

    def of(self, node: Any, asked: frozenset[str] = frozenset()) -> str | None:
        """A regular expression that a text matches; None if nothing is known of it. asked: names it is asked for."""
        if isinstance(node, gast.Name) and id(node) in self.let_through and self.let_through[id(node)][0] is node:
            return self.let_through[id(node)][1]
        if isinstance(node, gast.Name):
            if node.id in asked or node.id in self.unit.parameters:
                return None
            forms = [self.of(value, asked | {node.id}) for value in self.assigned.get(node.id, ())]
            return "|".join(f"(?:{form})" for form in forms) if forms and None not in forms else None
        if isinstance(node, gast.Constant):
            return re.escape(node.value) if isinstance(node.value, str) else None
        if isinstance(node, gast.JoinedStr):
            return "".join(re.escape(part.value) if isinstance(part, gast.Constant) else ".*" for part in node.values)
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add):
            parts = self.of(node.left, asked), self.of(node.right, asked)
            return "".join(f"(?:{part})" if part else ".*" for part in parts) if any(parts) else None
        return None

    @functools.cached_property
    def let_through(self) -> dict[int, tuple[gast.Name, str]]:
        """What a text looks like where it is read under a test of it: by the ids of its names there, with these."""
        found: dict[int, tuple[gast.Name, str]] = {}
        for block, name, form in tested(self.body):
            if any(name in t.writes(x) for x in t.statements(block)):
                continue
            for node in (n for x in block for n in t.walk(x) if t.is_name(n, name) and isinstance(n.ctx, gast.Load)):
                before = found.get(id(node))
                found[id(node)] = node, form if before is None else f"(?=(?:{before[1]})\\Z)(?:{form})"
        return found


def tested(block: list) -> list[tuple[list, str, str]]:
    """The blocks of branches on texts that were tested just before, while they are what they were: with the name of a text, and
    what it looks like there."""
    found: list[tuple[list, str, str]] = []
    asked: dict[str, tuple[list, list]] = {}
    for s in block:
        if isinstance(s, gast.If) and not is_stop(s):
            there, else_ = asked.get(s.test.id, ([], [])) if t.is_name(s.test) else text_tests(s.test)
            found += [(part, *test) for part, tests in ((s.body, there), (s.orelse, else_)) if part for test in tests]
        for inner in (getattr(s, field, None) for field in t.BLOCKS):
            found += tested(inner or [])
        written = {n for x in t.statements([s]) for n in t.writes(x)}
        asked = {test: of for test, of in asked.items() if test not in written and not any(n in written for n, _ in of[0] + of[1])}
        of = text_tests(s.value) if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else ([], [])
        if (of[0] or of[1]) and not any(n == s.targets[0].id for n, _ in of[0] + of[1]):
            asked[s.targets[0].id] = of
    return found


def text_tests(test: Any) -> tuple[list, list]:
    """What names of texts look like where a test holds, and where it does not."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return text_tests(test.operand)[::-1]
    if isinstance(test, gast.BoolOp):
        parts = [text_tests(value) for value in test.values]
        if isinstance(test.op, gast.And):
            return [found for there, _ in parts for found in there], []
        return [], [found for _, else_ in parts for found in else_]
    found = text_test(test)
    return ([], []) if found is None else ([found], [(found[0], other_than(found[1]))])


def other_than(form: str) -> str:
    """What texts look like that do not match a regular expression."""
    return f"(?!(?:{form})\\Z).*"


def text_test(test: Any) -> tuple[str, str] | None:
    """The name, and what a text of that name looks like, of `x.startswith("a")`, `x == "a"`, `"a" in x`, `x in ("a", "b")`."""
    def text(node: Any) -> bool:
        return isinstance(node, gast.Constant) and isinstance(node.value, str)

    if isinstance(test, gast.Call) and isinstance(test.func, gast.Attribute) and t.is_name(test.func.value) and len(
            test.args) == 1 and text(test.args[0]) and test.func.attr in ("startswith", "endswith"):
        part = re.escape(test.args[0].value)
        return test.func.value.id, f"{part}.*" if test.func.attr == "startswith" else f".*{part}"
    if not isinstance(test, gast.Compare) or len(test.ops) != 1:
        return None
    left, op, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(op, (gast.Eq, gast.NotEq)) and (t.is_name(left) and text(right) or t.is_name(right) and text(left)):
        name, value = (left, right) if t.is_name(left) else (right, left)
        form = re.escape(value.value)
    elif isinstance(op, (gast.In, gast.NotIn)) and text(left) and t.is_name(right):
        name, form = right, f".*{re.escape(left.value)}.*"
    elif isinstance(op, (gast.In, gast.NotIn)) and t.is_name(left) and isinstance(right, (gast.Tuple, gast.List, gast.Set)) and all(
            map(text, right.elts)):
        name, form = left, "|".join(re.escape(x.value) for x in right.elts)
    else:
        return None
    return name.id, other_than(form) if isinstance(op, (gast.NotEq, gast.NotIn)) else form
