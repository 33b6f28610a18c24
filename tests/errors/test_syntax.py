"""Syntax outside the language: refused at its place, with what to write instead, also at decoration."""
from __future__ import annotations

import ast
import sys

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError
from tests.errors.modules import load, marked, refused

HEAD = "import math\nimport zlib\nimport numpy as np\n\n"

# name: (body of f(x), what the message names, what the remedy says); `# ^` marks the refused place in the line above
SYNTAX = {
    "with": ("""
        with np.errstate(all="ignore"):
      # ^
            return np.sum(x)
    """, "`with`", "to the caller"),
    "with inside a loop": ("""
        for i in range(3):
            with open("f"):
          # ^
                x = x * i
        return x
    """, "`with`", "to the caller"),
    "try": ("""
        try:
      # ^
            return np.sum(x)
        except ValueError:
            return 0.0
    """, "`try`", "with `if`"),
    "try finally": ("""
        y = x
        try:
      # ^
            y = y * x
        finally:
            pass
        return y
    """, "`try`", "with `if`"),
    "class": ("""
        class Inner:
      # ^
            pass
        return x
    """, "a class defined inside", "at module level"),
    "async def": ("""
        async def inner():
      # ^
            return x
        return x
    """, "async function", "ordinary function"),
    "yield": ("""
        y = x * 2.0
        yield y * x
      # ^
    """, "generator", "list"),
    "yield value": ("""
        y = yield x
          # ^
        return y
    """, "generator", "list"),
    "yield from": ("""
        yield from [x, x]
      # ^
    """, "generator", "list"),
    "global": ("""
        global np
      # ^
        return x
    """, "`global`", "argument"),
    "nonlocal": ("""
        y = x

        def step():
            nonlocal y
          # ^
            y = y * x
        step()
        return y
    """, "`nonlocal`", "Return the new value"),
    "import": ("""
        import math
      # ^
        return math.sin(x)
    """, "import", "module level"),
    "from import": ("""
        if True:
            from math import sin
          # ^
        return sin(x)
    """, "import", "module level"),
    "match": ("""
        match x:
      # ^
            case 1.0:
                return x
        return x * x
    """, "`match`", "if/elif"),
    "set display": ("""
        return sum({x, 2.0 * x})
                 # ^
    """, "set", "list"),
    "set comprehension": ("""
        return sum({v for v in x})
                 # ^
    """, "set comprehension", "list comprehension"),
    "dict comprehension": ("""
        table = {k: x for k in "ab"}
              # ^
        return table["a"]
    """, "dict comprehension", "dict display"),
    "computed key": ("""
        key = "a"
        table = {"b": x, key: x}
                       # ^
        return table["a"]
    """, "computed keys", "constant keys"),
    "star in a list": ("""
        rest = [x, x]
        return sum([1.0, *rest])
                       # ^
    """, "`*`", "append"),
    "star in a tuple": ("""
        rest = [x, x]
        return sum((*rest, x))
                  # ^
    """, "`*`", "append"),
    "eval": ("""
        return eval("x * x")
             # ^
    """, "`eval`", "visible in the source"),
    "exec": ("""
        exec("y = x")
      # ^
        return x
    """, "`exec`", "visible in the source"),
    "locals": ("""
        return x * locals()["x"]
                 # ^
    """, "`locals`", "visible in the source"),
    "globals": ("""
        return x * globals()["W"]
                 # ^
    """, "`globals`", "visible in the source"),
    "vars": ("""
        return x * vars()["x"]
                 # ^
    """, "`vars`", "visible in the source"),
    "setattr": ("""
        setattr(np, "w", x)
      # ^
        return x
    """, "`setattr`", "visible in the source"),
    "store into an array": ("""
        y = np.zeros(3)
        y[0] = np.sum(x)
      # ^
        return np.sum(y)
    """, "a store into an array", "np.where"),
    "store into a slice": ("""
        y = np.zeros(3)
        y[1:] = x[1:]
      # ^
        return np.sum(y)
    """, "a store into an array", "np.concatenate"),
    "augmented store": ("""
        y = np.zeros(3)
        for i in range(3):
            y[i] += x[i]
          # ^
        return np.sum(y)
    """, "a store into an array", "np.stack"),
    "store into a dict": ("""
        table = {}
        table["a"] = x
      # ^
        return table["a"]
    """, "a store into an array or container", "Build the value"),
    "store by unpacking": ("""
        y = np.zeros(3)
        z, y[0] = x, 2.0
         # ^
        return np.sum(y)
    """, "a store into an array", "Build the value"),
    "store by a loop": ("""
        y = np.zeros(3)
        for y[0] in range(3):
          # ^
            pass
        return np.sum(x)
    """, "a store into an array", "Build the value"),
    "attribute store": ("""
        np.w = x
      # ^
        return x
    """, "a store into an attribute", "local variable"),
    "augmented attribute": ("""
        np.w += x
      # ^
        return x
    """, "a store into an attribute", "local variable"),
    "delete an item": ("""
        xs = [x, x]
        del xs[0]
          # ^
        return xs[0]
    """, "deleting an item", "Build a new list"),
    "delete an attribute": ("""
        del np.w
          # ^
        return x
    """, "deleting an attribute", "local variable"),
    "delete a name that is read": ("""
        y = x
        del y
          # ^
        return x * y
    """, "`del y` of a name that is read further down", "Leave it out"),
    "decorator inside": ("""
        @np.vectorize
       # ^
        def g(y):
            return y
        return g(x)
    """, "a decorator on a nested function", "at module level"),
    "store in a comprehension": ("""
        y = [0.0]
        return x * sum(1.0 for y[0] in range(3))
                             # ^
    """, "a store into an array", "Build the value"),
    "computed key spread": ("""
        table = {"a": x}
        return {**table, "b": x}["a"]
                # ^
    """, "a dict display with `**`", "constant keys"),
}
LATER = {           # refused only when the kinds of the arguments are known
    "list changed while iterated": ("""
        xs = [x]
        for y in xs:
            xs.append(y * x)
          # ^
        return sum(xs)
    """, "changes while it is iterated over", "Iterate over a copy"),
    "extend": ("""
        xs = [x]
        xs.extend([x, x])
      # ^
        return sum(xs)
    """, "xs.extend", ""),
    "insert": ("""
        xs = [x]
        xs.insert(0, x)
      # ^
        return sum(xs)
    """, "xs.insert", ""),
    "sort": ("""
        xs = [x]
        xs.sort()
      # ^
        return sum(xs)
    """, "xs.sort", ""),
    "reverse of constants": ("""
        xs = [1.0, 2.0]
        xs.reverse()
      # ^
        return xs[0] * x
    """, "xs.reverse", ""),
    "list += list": ("""
        xs = [x]
        xs += [x]
      # ^
        return sum(xs)
    """, "the list 'xs' is extended in place", "Append the elements"),
    "pop without use": ("""
        xs = [x, x]
        xs.pop()
      # ^
        return sum(xs)
    """, "without using its value", "unused = xs.pop()"),
    "undefined name": ("""
        y = x * x
        return y * undefined
                 # ^
    """, "name 'undefined' is not defined", "Define it"),
    "function out of a dict": ("""
        table = {"s": np.sin, "c": np.cos}
        return table["s" if x[0] > 0 else "c"](x)
             # ^
    """, "target is not known", "by its name"),
    "function out of a list": ("""
        fs = [np.sin, np.cos]
        return fs[0](x)
             # ^
    """, "target is not known", "by its name"),
    "method of unknown object": ("""
        rng = np.random.default_rng(0)
        return np.sum(rng.normal(x))
                    # ^
    """, "rng.normal(...)", "by its name"),
    "method of unknown object of a varied value": ("""
        return np.sum(x.byteswap())
                    # ^
    """, "x.byteswap(...)", "by its name"),
    "attribute of an array": ("""
        return np.sum(x.flat)
                    # ^
    """, "'.flat'", "array itself"),
    "where": ("""
        return np.sum(x, where=x > 0)
             # ^
    """, "this form of np.sum has no derivative rule", "The rule takes (a, axis"),
    "ufunc where": ("""
        return np.sum(np.exp(x, where=True))
                    # ^
    """, "this form of np.exp has no derivative rule", "The rule takes (x"),
    "out": ("""
        return np.sum(np.exp(x, out=np.empty(3)))
                    # ^
    """, "np.exp", ""),
    "positional out": ("""
        y = np.zeros(3)
        return np.sum(np.exp(x, y))
                    # ^
    """, "np.exp", ""),
    "unknown keyword": ("""
        return np.sum(x, axes=0)
             # ^
    """, "this form of np.sum has no derivative rule", "The rule takes (a, axis"),
    "star of unknown length": ("""
        xs = [v for v in x]
        return math.hypot(*xs)
      # ^
    """, "`*` of something whose length is not known", "one by one"),
    "missing argument": ("""
        def g(a, b):
            return a * b
        return np.sum(g(x))
                    # ^
    """, "missing required argument 'b'", ""),
    "unexpected keyword": ("""
        def g(a):
            return a
        return np.sum(g(x, b=2.0))
                    # ^
    """, "unexpected keyword argument 'b'", ""),
    "too many arguments": ("""
        def g(a):
            return a
        return np.sum(g(x, x))
                    # ^
    """, "takes 1 positional argument", ""),
    "in place on an argument": ("""
        x += 1.0
      # ^
        return np.sum(x)
    """, "changes an array in place that others may hold", "x = x + ..."),
    "in place on a view of an argument": ("""
        y = x.reshape(-1)
        y *= 2.0
      # ^
        return np.sum(y)
    """, "in place", "y = y * ..."),
    "in place on a shared array": ("""
        y = x * 2.0
        z = y
        y -= x
      # ^
        return np.sum(z)
    """, "that 'z' may share", "y = y - ..."),
    "in place on a list element": ("""
        y = x * 2.0
        seen = [y]
        y /= 3.0
      # ^
        return np.sum(seen[0])
    """, "that 'seen' may share", "y = y / ..."),
    "in place power": ("""
        y = x * 2.0
        z = y
        y **= 2
      # ^
        return np.sum(z)
    """, "`y **= ...`", "y = y ** ..."),
    "rounding in place": ("""
        y = np.ones(3, dtype=np.float32)
        y *= x
      # ^
        return np.sum(y)
    """, "may round to the dtype", "y = y * ..."),
    "rounding to integers in place": ("""
        y = np.arange(3)
        y += x
      # ^
        return np.sum(y)
    """, "may round to the dtype", "y = y + ..."),
    "inner function with rebinding": ("""
        a = x

        def g(y):
      # ^
            return a * y
        fs = [g]
        a = a * 2.0
        return np.sum(a) + len(fs)
    """, "captures 'a', which is assigned more than once", "Give 'a' a new name"),
    "iter": ("""
        total = 0.0
        for v in iter(x):
               # ^
            total = total + v
        return total
    """, "iter(...)", "Iterate over the sequence"),
    "caller's list": ("""
        def push(ys):
            ys.append(x)
          # ^
            return sum(ys)
        return push([x])
    """, "the list 'ys' of the caller changes", "list(ys)"),
    "in a nested expression over lines": ("""
        return (
            np.sum(x)
            + np.sum(x,
            # ^
                     where=x > 0)
        )
    """, "this form of np.sum", "The rule takes"),
    "after wide characters": ("""
        größe = np.sum(x) * np.sum(x, where=x > 0)
                          # ^
        return größe
    """, "this form of np.sum", "The rule takes"),
    "nothing returned": ("""
        y = x * x
      # ^
    """, "returns nothing", "Return the value"),
    "tuple returned": ("""
        return x, x
      # ^
    """, "returns a tuple", "grad_outputs"),
    "list returned": ("""
        return [x, x]
      # ^
    """, "returns a list", "grad_outputs"),
    "dict returned": ("""
        return {"a": x}
      # ^
    """, "returns a dict", "grad_outputs"),
    "array returned": ("""
        y = x * 2.0
        return np.stack([y, y])
      # ^
    """, "has shape (2, 3)", "grad_outputs"),
    "missing rule": ("""
        return np.sum(x) * zlib.crc32(x)
                         # ^
    """, "zlib.crc32 has no derivative rule and no Python source", "@sg.rule(zlib.crc32)\ndef crc32_rule(ct, out, x)"),
}


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


@pytest.mark.parametrize("name", [*SYNTAX, *LATER])
def test_refused_at_its_place(tmp_path, name: str) -> None:
    body, message, advice = {**SYNTAX, **LATER}[name]
    error, module = refused(tmp_path, program(body), lambda m: sg.grad(m.f)(np.array([0.3, -0.8, 1.1])))
    check(error, module, message, advice)


@pytest.mark.parametrize("name", SYNTAX)
def test_refused_at_decoration(tmp_path, name: str) -> None:
    body, message, advice = SYNTAX[name]
    error, module = refused(tmp_path, program(body), lambda m: sg.differentiable(m.f))
    assert isinstance(error, UnsupportedError)
    check(error, module, message, advice)


def test_everything_in_the_fence_is_tested() -> None:
    from sourcegrad.frontend.fence import REFUSED
    nodes = {type(node).__name__ for body, *_ in SYNTAX.values() for node in ast.walk(ast.parse(program(body)))}
    assert set(REFUSED) - nodes <= {"TryStar", "AsyncFor", "AsyncWith", "Await"}      # tested below, or inside async only


def test_callee_is_named_at_its_own_line(tmp_path) -> None:
    text = HEAD + "def g(x):\n    with open('f'):\n#   ^\n        return x\n\n\ndef f(x):\n    return g(x) * 2.0\n"
    error, module = refused(tmp_path, text, lambda m: sg.grad(m.f)(2.0))
    check(error, module, "`with`", "to the caller")


def test_async_function(tmp_path) -> None:
    text = HEAD + "async def f(x):\n    return x\n"
    error, _ = refused(tmp_path, text, lambda m: sg.grad(m.f)(2.0))
    assert (error.origin.line, error.origin.column) == (5, 1) and "async function" in error.message


@pytest.mark.skipif(sys.version_info < (3, 11), reason="except* needs Python 3.11")
def test_try_star(tmp_path) -> None:
    text = HEAD + "def f(x):\n    try:\n#   ^\n        return x\n    except* ValueError:\n        pass\n"
    error, module = refused(tmp_path, text, lambda m: sg.grad(m.f)(2.0))
    check(error, module, "`try`", "with `if`")
