"""The printer agrees with astor, text by text, and what it prints means the tree that was printed."""
import ast
import itertools

import gast
import pytest

from sourcegrad.ir import source
from sourcegrad.ir.printing import STATEMENTS, TIGHTEST

PARTS = ["a", "2", "2.5", "1e300", "'x'", "None", "-a", "not a", "a + b", "a - b", "a * b", "a / b", "a @ b", "a ** b", "a | b",
         "a << b", "a < b", "a is not b", "a and b", "a or b", "a if b else c", "f(a)", "f(a, *b, k=c, **d)", "x[a]", "x[a, 1:]",
         "x[::2]", "(a, b)", "(a,)", "()", "[a, b]", "{'k': a, **b}", "a.b", "~a",
         "lambda z: z", "[z for z in a]", "f'{a}'", "f(z for z in a)"]
COMPREHENSIONS = ["[({}) for z in ({})]", "{{({}) for z in ({})}}", "(({}) for z in ({}))", "{{({}): ({}) for z in b}}",
                  "[z for z, y in ({}) if ({}) if a]", "f(({}) for z in ({}))", "f(({}) for z in a for y in ({}))",
                  "[z async for z in ({})]"]
AROUND = ["{}", "({}).q", "({}) ** a", "a ** ({})", "({}) - ({})", "-({})", "not ({})", "f({})", "f({}, a)", "f(k={})",
          "({})[a]", "x[{}]", "x[({}):({})]", "({}) if ({}) else ({})", "({}) and a", "({}) < a < ({})", "[{}, *({})]",
          "{{({}): ({})}}", "f(*({}))"]
BLOCKS = """
x = y = a, b
x[0] += (a, b)
x @= -a ** 2
(f)(a)
for i in a + b:
    pass
else:
    x = 1
while not a:
    '# only said'
for i, j in zip(a, b):
    if a:
        break
    elif b:
        continue
    else:
        if c:
            x = 1
        x = 2
def g(a, /, b=1, *c, d: int = 2, **e) -> int:
    '''text
    of two lines'''
    return
with f(a) as b:
    try:
        return a
    except ValueError as error:
        raise
del a
assert a, b
"""


@pytest.mark.parametrize("around", AROUND)
def test_expressions(around):
    for part in PARTS:
        tree = gast.parse(around.replace("{}", part) if "{{" not in around else around.format(part, part), mode="eval").body
        text = source.expression_text(tree)
        wrong = ":" in around and isinstance(gast.parse(part).body[0].value, gast.Tuple)        # (astor forgets parentheses there)
        assert text == source._by_astor(tree, TIGHTEST) or wrong
        assert ast.dump(ast.parse(text, mode="eval").body) == ast.dump(gast.gast_to_ast(tree))


@pytest.mark.parametrize("around", COMPREHENSIONS)
def test_comprehensions(around):
    for part in PARTS:
        tree = gast.parse(around.format(part, part), mode="eval").body
        text = source.expression_text(tree)
        assert ast.dump(ast.parse(text, mode="eval").body) == ast.dump(gast.gast_to_ast(tree))


@pytest.mark.parametrize("text", [
    "[x * 2.0 for x in xs]", "{k: -v for k, v in d.items()}", "{a if b else c for a in xs}", "f(x + 1 for x in xs)",
    "f((x + 1 for x in xs), y)", "[(x, y) for x in xs for y in (a, b) if x or y]", "[x for x in (a if b else c)]"])
def test_no_needless_parentheses(text):
    assert source.expression_text(gast.parse(text, mode="eval").body) == text


def test_statements():
    block = gast.parse("def f():\n" + "\n".join("    " + line for line in BLOCKS.split("\n"))).body[0].body
    for s in block:
        assert source.to_text(s) == source._by_astor(s, TIGHTEST) + "\n"
    assert source.to_text(block) == source._by_astor(gast.Module(body=block, type_ignores=[]), TIGHTEST) + "\n"
    assert {type(s) for s in itertools.chain(*map(gast.walk, block)) if isinstance(s, gast.stmt)} >= STATEMENTS.keys()
