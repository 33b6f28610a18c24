"""Every statement in docs/limitations.md and docs/mutation.md is what really happens.

A block of Python is run; results stand behind its expressions. A block of text after it is the refusal with which
its last statement ends. `python -m tests.meta.test_limitations` writes both into the pages.
"""
from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "limitations.md"
PAGES = [PAGE, DOCS / "mutation.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
FILE = "example.py"


def ran(code: str) -> tuple[str, str | None]:
    """The code with its results behind its expressions, and the refusal that ends it."""
    module = ModuleType("example")
    vars(module).update(np=np, sg=sg)
    lines = code.splitlines(keepends=True)
    linecache.cache[FILE] = (len(code), None, lines, FILE)
    tree = ast.parse(code, FILE)
    try:
        for statement in tree.body:
            with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
                if not isinstance(statement, ast.Expr):
                    exec(compile(ast.Module([statement], []), FILE, "exec"), vars(module))
                    continue
                result = eval(compile(ast.Expression(statement.value), FILE, "eval"), vars(module))
            row = statement.end_lineno - 1
            if result is not None:
                lines[row] = f"{lines[row].split('  #')[0].rstrip()}  # {result}\n"
    except SourcegradError as error:
        if isinstance(error, InternalError) or statement is not tree.body[-1]:
            raise
        return "".join(lines), f"{error}\n"
    finally:
        del linecache.cache[FILE]
    return "".join(lines), None


NAMED = repr(np.float64(1.0)) != "1.0"           # since NumPy 2 scalars are printed with their type

BLOCKS = [pytest.param(block, id=f"{page.stem}-character{block.start()}")
          for page in PAGES for block in BLOCK.finditer(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("block", BLOCKS)
def test_statement(block: re.Match) -> None:
    shown = block[1] if NAMED else re.sub(r"np\.float64\(([^()]*)\)", r"\1", block[1])
    assert ran(block[1]) == (shown, block[2])


def test_refusals_have_places() -> None:
    refusals = [block[2] for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")) if block[2]]
    assert len(refusals) > 15 and all(f"{FILE}:" in refusal for refusal in refusals)


def test_a_wrong_statement_is_noticed() -> None:
    code = "def f(x):\n    return x * x\n\nsg.grad(f)(3.0)  # 7.0\n"
    assert ran(code) == (code.replace("7.0", "6.0"), None)


def refreshed(match: re.Match) -> str:
    code, refusal = ran(match[1])
    assert (refusal is None) == (match[2] is None), f"refused, or not:\n{match[0]}\n{refusal}"
    return f"```python\n{code}```\n" + (f"\n```text\n{refusal}```\n" if refusal is not None else "")


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(BLOCK.sub(refreshed, page.read_text(encoding="utf-8")), encoding="utf-8")
