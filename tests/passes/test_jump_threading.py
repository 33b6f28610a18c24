"""jump_threading and tuple_items: a path that is known goes into the branches that know it."""
from __future__ import annotations

import ast
import itertools
import textwrap

import gast
import pytest

from sourcegrad.ir.source import to_text
from sourcegrad.optimize.jump_threading import jump_threading

CASES = {
    "both ways are known": ("""
        def f(a, b):
            if a:
                p = 1
            else:
                y = b
                p = 0
            q = p != 0
            if q:
                y = 2
            return y
    """, """
        def f(a, b):
            if a:
                p = 1
                q = p != 0
                y = 2
            else:
                y = b
                p = 0
                q = p != 0
            return y
    """),
    "branches of branches": ("""
        def f(a, b):
            if a:
                p = 1
            else:
                if b:
                    p = 2
                else:
                    p = 0
            q = p == 0
            if q:
                y = 5
            else:
                y = 7
            return y, p
    """, None),
    "a large branch stands once": ("""
        def f(a, b):
            y = 0
            if a:
                p = 1
            else:
                if b:
                    p = 2
                else:
                    p = 0
            q = p != 0
            if q:
                y = y + 1
                y = y + 2
                y = y + 3
                y = y + 4
            return y
    """, "same"),
    "it is not known": ("""
        def f(a, b):
            p = b
            if a:
                p = 1
            q = p != 0
            if q:
                y = 2
            else:
                y = 3
            return y
    """, "same"),
    "all ways are one": ("""
        def f(a, b):
            if a:
                p = 1
            else:
                p = 2
            q = p > 2
            if q:
                y = 1
            else:
                y = b
            return y
    """, None),
    "a flag that is set before": ("""
        def f(a, b):
            r = False
            p = 0
            if a:
                p = 1
                if r:
                    y = 4
                else:
                    y = 6
            else:
                y = b
            return y, p
    """, None),
}


@pytest.mark.parametrize("name", CASES)
def test_jump_threading(name: str) -> None:
    before, after = (text and textwrap.dedent(text).strip() for text in CASES[name])
    tree = gast.parse(before).body[0]
    jump_threading(tree, {"p"})
    found = to_text(tree).strip()
    if after == "same":
        assert found == to_text(gast.parse(before).body[0]).strip()
    elif after is not None:
        assert found == after
    else:
        assert found != before
    for given in itertools.product((0, 1), (0, 1)):
        results = []
        for text in (before, found):
            space: dict = {}
            exec(compile(ast.parse(text), "f", "exec"), space)
            results.append(space["f"](*given))
        assert results[0] == results[1]
