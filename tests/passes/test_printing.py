"""What the printer prints means the tree that was printed, and has no parentheses that could be left out."""
import ast
import itertools

import gast
import pytest

from sourcegrad.ir import source
from sourcegrad.ir.printing import STATEMENTS

PARTS = ["a", "2", "2.5", "1e300", "'x'", "None", "-a", "not a", "a + b", "a - b", "a * b", "a / b", "a @ b", "a ** b", "a | b",
         "a << b", "a < b", "a is not b", "a and b", "a or b", "a if b else c", "f(a)", "f(a, *b, k=c, **d)", "x[a]", "x[a, 1:]",
         "x[::2]", "(a, b)", "(a,)", "()", "[a, b]", "{'k': a, **b}", "a.b", "~a",
         "lambda z: z", "lambda: a", "[z for z in a]", "f'{a}'", "f(z for z in a)", "{a, b}", "(z := a)", "2j", "(1+2j)", "b'x'",
         "lambda z, /, y=a, *x, w, v=(a, b), **u: (z, y)", "f'{a!r:>{b}} {{}} \\n'", "1e1000", "-1e1000", "..."]
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
    'of one line'
    return
with f(a) as b, (a, b), c as (x, y):
    try:
        return a
    except ValueError as error:
        raise
    except (KeyError, TypeError):
        raise ValueError(a) from b
    except:
        raise b
    else:
        pass
    finally:
        x = yield a
    try:
        x = yield
    finally:
        yield from a
@f(a)
def g(*, a, b=(1, 2)):
    global x
    nonlocal y
    import a.b as c
del a, b
assert a
assert a, (a, b)
"""


def shorter(text):
    """The text without one pair of its parentheses, for each pair."""
    opened = []
    for j, letter in enumerate(text):
        if letter == "(":
            opened.append(j)
        elif letter == ")" and opened:
            yield text[:opened[-1]] + " " + text[opened.pop() + 1:j] + " " + text[j + 1:]


@pytest.mark.parametrize("around", AROUND)
def test_expressions(around):
    for part in PARTS:
        tree = gast.parse(around.replace("{}", part) if "{{" not in around else around.format(part, part), mode="eval").body
        text, meant = source.expression_text(tree), ast.dump(gast.gast_to_ast(tree))
        assert ast.dump(ast.parse(text, mode="eval").body) == meant
        checked = not part.startswith(("2", "1", "(")) and "*(" not in around and "{{" not in around        # (`(1).real`, `*(-a)`)
        for other in shorter(text) if checked else ():
            try:
                same = ast.dump(ast.parse(other, mode="eval").body) == meant
            except SyntaxError:
                same = False
            assert not same, text


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
    text = source.to_text(block)
    assert text == "".join(map(source.to_text, block))
    assert text == BLOCKS.lstrip().replace("(f)(a)", "f(a)").replace("in a + b", "in (a + b)").replace(
        "x[0] += (a, b)", "x[0] += a, b").replace(
        "'# only said'", "# only said\n    pass")
    assert {type(s) for s in itertools.chain(*map(gast.walk, block)) if isinstance(s, gast.stmt)} >= STATEMENTS.keys()
