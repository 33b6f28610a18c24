"""The text that is differentiated is the text that runs."""
from __future__ import annotations

import contextlib
import functools
import linecache
import sys

import pytest

import sourcegrad as sg
from sourcegrad.errors import SourceError
from tests.errors.modules import load

parse = sys.modules["sourcegrad.ir.source"].parse

EDITS = [("x * x", "x * x * x"), ("x * x", "x + x"), ("x * 2.0", "x * 3.0"), ("x ** 2", "x ** 2.0"), ("x * K", "x * L"),
         ("(lambda y: y * y)(x)", "(lambda y: y + y)(x)"), ("x if x > 0 else -x", "x if x < 0 else -x")]


@pytest.mark.parametrize("before, after", EDITS)
def test_edited_file_is_refused(tmp_path, before: str, after: str) -> None:
    module = load(tmp_path, f"K = L = 2.0\ndef f(x):\n    return {before}\n")
    with open(module.__file__, "w") as file:
        file.write(f"K = L = 2.0\ndef f(x):\n    return {after}\n")
    linecache.checkcache(module.__file__)
    with pytest.raises(SourceError, match="has changed since it was imported"):
        sg.grad(module.f)(2.0)


TEXT = '''
from __future__ import annotations
import functools
import numpy as np

def decorate(f):
    @functools.wraps(f)
    def wrapper(*args, **options):
        return f(*args, **options)
    return wrapper

@decorate
@decorate
def decorated(x, y=[1, 2], *, z={"a": 1}):
    """A docstring.

        indented
    """
    return np.sum(x)

class C:
    """Has private names."""

    def __private(self, __x: "int", *rest, **options) -> "C":
        y: float = 1.0
        self.__y = __x
        return [self.__y + y for _ in rest]

    def inherits(self):
        return super().__repr__() + __class__.__name__

    private = __private

    class Inner:
        def method(self):
            return lambda: (self.__a, lambda q: q in {"a", "b", "c"})

def closure(a, b):
    n = 0
    def inner(x):
        nonlocal n
        n += 1
        def innermost(y):
            return a * y + n
        return innermost(x) + b
    return inner

two = (lambda x: x * x, lambda x: x + x)
def generator(xs):
    assert len(xs) > 0, f"{xs!r:>10}"
    with open("f") as f, np.errstate(all="ignore"):
        yield from (x for x in xs if (t := x) and -0.0 < t < 1e400)
    try:
        del xs
    except (ValueError, KeyError) as error:
        raise RuntimeError from error
    finally:
        pass
    while True:
        return 1j, ..., (1, 2.0, True, None), b"x"
'''


@pytest.mark.parametrize("future", [True, False])
def test_no_false_alarm(tmp_path, future: bool) -> None:
    m = load(tmp_path, TEXT if future else TEXT.replace("from __future__ import annotations", ""))
    inner = m.C.Inner().method()
    functions = [m.decorate, m.decorated, m.decorated.__wrapped__.__wrapped__, m.C.private, m.C.inherits,
                 m.C.Inner.method, inner, inner.__closure__ and m.closure(1, 2), m.closure, *m.two, m.generator]
    for function in functions:
        node, _ = parse(function)
        assert node is not None


def test_library_functions_are_found() -> None:
    import numpy as np
    functions = [f for module in (functools, contextlib, np.linalg.linalg if np.__version__ < "2" else np.lib.scimath)
                 for f in vars(module).values() if hasattr(f, "__code__") and f.__code__.co_filename == module.__file__]
    assert len(functions) > 5
    for function in functions:
        parse(function)


def test_hot_function(tmp_path) -> None:
    """Specialised instructions are the same code."""
    m = load(tmp_path, "def f(x):\n    s = 0.0\n    for i in range(3):\n        s += x * i\n    return s\n")
    for _ in range(5000):
        m.f(1.0)
    assert sg.grad(m.f)(1.0) == 3.0


def test_cell_of_a_notebook() -> None:
    """IPython compiles every statement alone."""
    import ast
    text, name, scope = "import math\ndef f(x):\n    return math.sin(x)\n", "<ipython-input-1-abc>", {"__name__": "cell"}
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), name, "exec"), scope)
    assert sg.grad(scope["f"])(0.0) == 1.0
