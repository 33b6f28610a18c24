"""Programs of the corpus with a statement that is refused, put under a condition that does not hold at a random place.

SOURCEGRAD_TRAPS sets how many are tried, SOURCEGRAD_SEED which.
"""
from __future__ import annotations

import ast
import inspect
import linecache
import os
import random
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from tests.programs.corpus import PROGRAMS

COUNT = int(os.environ.get("SOURCEGRAD_TRAPS", "24"))
SEED = int(os.environ.get("SOURCEGRAD_SEED", "0"))
REFUSED = ("zz = eval('1.0')", "zz = undefined_thing(3)", "import zlib; zz = zlib.crc32(b'a')", "zz = [1, 2]; zz.nothing = 3",
           "raise ValueError('x')", "global zz; zz = 3")


def with_a_trap(function: Any, choice: random.Random) -> tuple[Any, str] | None:
    """The function with such a statement, and its text; None where it cannot be written anew."""
    if not inspect.isfunction(function):                    # a bound method, say
        return None
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or definition.decorator_list or function.__closure__:
        return None
    blocks = [block for node in ast.walk(definition) for block in (getattr(node, "body", None), getattr(node, "orelse", None))
              if isinstance(block, list) and block and isinstance(block[0], ast.stmt)]
    block = choice.choice(blocks)
    block.insert(choice.randrange(len(block)), ast.parse(f"if NEVER:\n    {choice.choice(REFUSED)}").body[0])
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    file = f"<a trap in {function.__name__} {choice.random()}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    found = {**function.__globals__, "NEVER": False}
    try:
        exec(compile(text, file, "exec"), found)
    except SyntaxError:                                     # (a global that is read before)
        return None
    return found[function.__name__], text


def leaves(x: Any) -> Iterator[Any]:
    """The numbers and arrays in a gradient."""
    if isinstance(x, (tuple, list, dict)):
        for part in x.values() if isinstance(x, dict) else x:
            yield from leaves(part)
    elif isinstance(x, (np.ndarray, np.generic, float, complex)):
        yield np.asarray(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(COUNT))
def test_what_is_not_reached_changes_nothing(number: int) -> None:
    choice = random.Random(1000 * SEED + number)
    for program in choice.sample(PROGRAMS, 20):             # the first that can be written anew, and has a gradient
        try:
            found = with_a_trap(program.function, choice)
            inputs = {} if program.inputs is None else {"inputs": program.inputs}
            wanted = sg.grad(program.function, **inputs)(*program.fresh(), **program.options)
        except (OSError, sg.SourcegradError):
            continue
        if found is None:
            continue
        gradient = sg.grad(found[0], **inputs)(*program.fresh(), **program.options)
        parts, others = list(leaves(wanted)), list(leaves(gradient))
        assert len(parts) == len(others), found[1]
        for part, other in zip(parts, others):
            assert np.allclose(part, other, rtol=1e-9, atol=1e-12, equal_nan=True), found[1]
        return
    pytest.skip("none of these can be written anew")
