"""Syntax outside the language: refused at its place, with what to write instead, also at decoration."""
from __future__ import annotations

import ast
import sys

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError
from tests.errors.meaning_cases import MEANING
from tests.errors.modules import marked, refused
from tests.errors.syntax_cases import SYNTAX

HEAD = "import collections\nimport itertools\nimport math\nimport queue\nimport zlib\nimport numpy as np\n\nDATA = [1.0]\n\n"

def program(body: str) -> str:
    import textwrap
    return HEAD + "def f(x):\n" + textwrap.indent(textwrap.dedent(_shift(body)), "    ")


def _shift(body: str) -> str:
    """Bodies are written with eight spaces; markers may stand up to seven columns left of their line."""
    lines = [line for line in body.strip("\n").split("\n")]
    return "\n".join(line[4:] if line[:4].isspace() else line for line in lines).rstrip() + "\n"


def check(error, module, message: str, advice: str) -> None:
    file, line, column, text = marked(module)
    assert error.origin is not None, f"not located: {error}"
    assert (error.origin.file, error.origin.line, error.origin.column) == (file, line, column), str(error)
    assert error.origin.text == text
    assert message in error.message, error.message
    assert advice in error.remedy, error.remedy
    rendered = str(error).split("\n")
    assert rendered[0].startswith(f"{file}:{line}:{column}: ")
    assert rendered[1].strip() == text.strip()
    caret = rendered[2].index("^")
    assert rendered[1][caret:] == text[column - 1:].rstrip()


@pytest.mark.parametrize("name", [*SYNTAX, *MEANING])
def test_refused_at_its_place(tmp_path, name: str) -> None:
    body, message, advice = {**SYNTAX, **MEANING}[name]
    error, module = refused(tmp_path, program(body), lambda m: sg.grad(m.f)(np.array([0.3, -0.8, 1.1])))
    check(error, module, message, advice)


@pytest.mark.parametrize("name", SYNTAX)
def test_refused_at_decoration(tmp_path, name: str) -> None:
    body, message, advice = SYNTAX[name]
    error, module = refused(tmp_path, program(body), lambda m: sg.differentiable(m.f))
    assert isinstance(error, UnsupportedError)
    check(error, module, message, advice)


def test_everything_in_the_fence_is_tested() -> None:
    from sourcegrad.parse.resolve import REFUSED
    nodes = {type(node).__name__ for body, *_ in SYNTAX.values() for node in ast.walk(ast.parse(program(body)))}
    assert set(REFUSED) - nodes <= {"TryStar", "AsyncFor", "AsyncWith", "Await"}   # below, or only inside async


def test_callee_is_named_at_its_own_line(tmp_path) -> None:
    text = HEAD + "def g(x):\n    class A:\n#   ^\n        y = x\n    return x\n\n\ndef f(x):\n    return g(x) * 2.0\n"
    error, module = refused(tmp_path, text, lambda m: sg.grad(m.f)(2.0))
    check(error, module, "a class defined inside", "module level")


def test_async_function(tmp_path) -> None:
    text = HEAD + "async def f(x):\n    return x\n"
    error, _ = refused(tmp_path, text, lambda m: sg.grad(m.f)(2.0))
    assert (error.origin.line, error.origin.column) == (HEAD.count("\n") + 1, 1) and "async function" in error.message


@pytest.mark.skipif(sys.version_info < (3, 11), reason="except* needs Python 3.11")
def test_try_star(tmp_path) -> None:
    text = HEAD + "def f(x):\n    try:\n#   ^\n        return x\n    except* ValueError:\n        pass\n"
    error, module = refused(tmp_path, text, lambda m: sg.grad(m.f)(2.0))
    check(error, module, "`except*`", "with `if`")
