"""Make a failing program smaller: leave out statements for as long as it fails in the same way."""
from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from dataclasses import replace

from tests.programs.mutation_oracle import WRONG, Case, Verdict, judge

BLOCKS = ("body", "orelse", "finalbody")


def _blocks(tree: ast.Module) -> list[tuple[ast.AST, str, list]]:
    """All statement lists, the innermost first."""
    found = [(node, field, getattr(node, field)) for node in ast.walk(tree) for field in BLOCKS
             if isinstance(getattr(node, field, None), list) and getattr(node, field)]
    return found[::-1]


def _expressions(statement: ast.stmt) -> Iterator[tuple[ast.AST, str, int | None, ast.expr]]:
    """Places of expressions that may give way to one of their parts."""
    for node in ast.walk(statement):
        for field, value in ast.iter_fields(node):
            if isinstance(value, (ast.BinOp, ast.Call, ast.UnaryOp)):
                yield node, field, None, value
            if isinstance(value, list):
                for k, item in enumerate(value):
                    if isinstance(item, (ast.BinOp, ast.Call, ast.UnaryOp)):
                        yield node, field, k, item


def _parts(expression: ast.expr) -> list[ast.expr]:
    if isinstance(expression, ast.BinOp):
        return [expression.left, expression.right]
    if isinstance(expression, ast.UnaryOp):
        return [expression.operand]
    assert isinstance(expression, ast.Call)
    return list(expression.args[:2])


def _counts(statement: ast.stmt) -> bool:
    """Whether a statement is what ends a `while` loop: `k1 += 1`."""
    return (isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name)
            and statement.target.id.startswith("k"))


def smaller(text: str) -> Iterator[str]:
    """Texts of one change each: a statement less, a block without its header, an expression by a part of it."""
    tree = ast.parse(text)
    for number, (_, field, block) in enumerate(_blocks(tree)):
        for k in range(len(block) - 1, -1, -1):
            for unwrap in (False, True):
                copy = ast.parse(text)
                same = _blocks(copy)[number][2]
                old = same[k]
                if isinstance(old, (ast.Import, ast.Pass)) or _counts(old):
                    continue
                inside = getattr(old, "body", None)
                if unwrap and (not inside or isinstance(old, ast.FunctionDef)):
                    continue
                same[k:k + 1] = inside if unwrap else []
                if not same and field == "body":
                    same.append(ast.Pass())
                yield ast.unparse(ast.fix_missing_locations(copy))
    for number, (_, _, _, expression) in enumerate(_expressions(tree)):
        for part in range(len(_parts(expression))):
            copy = ast.parse(text)
            node, field, k, old = list(_expressions(copy))[number]
            if k is None:
                setattr(node, field, _parts(old)[part])
            else:
                getattr(node, field)[k] = _parts(old)[part]
            yield ast.unparse(ast.fix_missing_locations(copy))


def shrunk(case: Case, verdict: Verdict, seconds: float = 20.0) -> tuple[Case, Verdict]:
    """The smallest case found in the time, and its verdict."""
    deadline = time.monotonic() + seconds
    again = True
    while again:
        again = False
        for text in smaller(case.text):
            if time.monotonic() > deadline:
                return case, verdict
            if len(text) >= len(case.text) or text == case.text:
                continue
            try:
                smaller_case = replace(case, text=text)
                found = judge(smaller_case)
            except Exception:               # the text is no program any more
                continue
            if found.outcome == WRONG and found.reason == verdict.reason:
                case, verdict, again = smaller_case, found, True
                break
    return case, verdict
