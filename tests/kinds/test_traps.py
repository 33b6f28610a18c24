"""What cannot be differentiated, under a condition: right where it is not reached, and refused at its place where it is."""
from __future__ import annotations

import contextlib
import linecache
import sys  # noqa: F401  (a local variable has that name, too)
import textwrap
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg

# What is refused, in a function of x and y = x * np.ones(3), and a part of the message (None: Python's own exception)
REFUSED = {
    "class_defined": ("class Inner:\n    v = 2.0\ny = y * Inner.v", "a class defined inside the function"),
    "eval": ("y = y * eval('y')", "`eval`"),
    "global_store": ("global COUNT\nCOUNT = 3\ny = y * COUNT", "a store into the global"),
    "no_source": ("y = y * zlib.crc32(y)", "zlib.crc32"),
    "wrong_arity": ("y = two(y)", None),
    "unknown_word": ("y = two(y, c=2.0)", None),
    "no_attribute": ("y.name = 'column'", None),
    "array_flags": ("y.dtype = np.float32", "the attribute 'dtype'"),
    "outside_store": ("HELD[0] = y[0]", "which is not a local variable"),
    "outside_object": ("BOX.v = y[0]", "BOX"),
    "missing_method": ("y = y * BOX.missing(y)", "missing"),
    "del_attribute": ("del BOX.v", "deleting an attribute"),
    "starred_store": ("for HELD[0] in range(2):\n    pass", "a loop that stores into an array element"),
    "callee": ("y = inside(y)", "`eval`"),
    "generator_of_generators": ("y = y * next(endless(y))", "a generator that does not end"),
}
# Programs in which it stands; `left` is true where it is not reached
CONDITIONS = {
    "branch": "if not left:\n    {}\n",
    "other_branch": "if left:\n    y = 2.0 * y\nelse:\n    {}\n",
    "early_return": "if left:\n    return np.sum(y)\n{}\n",
    "loop": "for k in range(0 if left else 2):\n    {}\n",
    "while_loop": "k = 0 if left else 1\nwhile k > 0:\n    k = k - 1\n    {}\n",
    "after_break": "for k in range(2):\n    if left:\n        break\n    {}\n",
    "handler": "try:\n    y = y * (ROWS[0] if left else ROWS[9])\nexcept IndexError:\n    {}\n",
    "deep": "for k in range(2):\n    if k == 1:\n        if not left:\n            {}\n",
    "case": "match left:\n    case True:\n        y = 3.0 * y\n    case False:\n        {}\n",
    "for_else": "for k in range(2):\n    if left:\n        break\nelse:\n    {}\n",
    "data": "if np.sum(y) < (-1e9 if left else 1e9):\n    {}\n",
    "called_from_branch": None,
    "inner_function": None,
    "method": None,
}
HEAD = """
import zlib
import numpy as np

COUNT = 1.0
HELD = [1.0]
ROWS = [2.0]


class Box:
    v = 1.0


BOX = Box()


def two(a, b):
    return a * b


def inside(y):
    return y * eval("y")


def endless(y):
    while True:
        yield y
        yield from endless(y)


"""
PLAIN = "def f(x, left):\n    y = x * np.ones(3)\n{}    return np.sum(y * y)\n"
OTHERS = {
    "called_from_branch": ("def called(y):\n{0}    return y\n\n\ndef f(x, left):\n    y = x * np.ones(3)\n    if not left:\n"
                           "        y = called(y)\n    return np.sum(y * y)\n", "    "),
    "inner_function": ("def f(x, left):\n    y = x * np.ones(3)\n    def inner(y):\n        if not left:\n{0}        return y\n"
                       "    return np.sum(inner(y) ** 2)\n", "            "),
    "method": ("class Model:\n    def __init__(self, left):\n        self.left = left\n\n    def run(self, y):\n"
               "        if self.left:\n            return y\n{0}        return y\n\n\ndef f(x, left):\n"
               "    return np.sum(Model(left).run(x * np.ones(3)) ** 2)\n", "        "),
}


def text_of(condition: str, what: str) -> str:
    """A module with a program in which something stands under a condition."""
    if CONDITIONS[condition] is None:
        program, indent = OTHERS[condition]
        return HEAD + program.format(textwrap.indent(what + "\n", indent))
    lines = []
    for line in CONDITIONS[condition].splitlines():
        indent = line[:len(line) - len(line.lstrip())]
        lines += [indent + inner for inner in what.splitlines()] if line.strip() == "{}" else [line]
    return HEAD + PLAIN.format(textwrap.indent("\n".join(lines) + "\n", "    "))


def made(name: str, text: str) -> Any:
    file = f"<traps {name}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    found: dict[str, Any] = {"__name__": "traps"}
    exec(compile(text, file, "exec"), found)
    return found["f"]


PAIRS = [(condition, what) for condition in CONDITIONS for what in REFUSED]


@pytest.mark.parametrize("condition,what", PAIRS)
def test_refused_where_it_is_reached(condition: str, what: str) -> None:
    text, message = REFUSED[what]
    f = made(f"{condition} {what}", text_of(condition, text))
    want = (f(2.0 + 1e-6, True) - f(2.0 - 1e-6, True)) / 2e-6
    g = sg.grad(f, inputs="x")
    for _ in range(2):
        assert np.isclose(g(2.0, True), want)
    if message is None:
        with pytest.raises((TypeError, AttributeError)) as reached:
            g(2.0, False)
        with pytest.raises(reached.type):
            f(2.0, False)
    else:
        with pytest.raises(sg.SourcegradError) as refused:
            g(2.0, False)
        assert not isinstance(refused.value, sg.InternalError)
        assert message in str(refused.value) and refused.value.origin is not None and refused.value.remedy
        assert refused.value.origin.file.startswith("<traps")
    assert np.isclose(g(2.0, True), want)


@pytest.mark.parametrize("what", REFUSED)
def test_refused_at_once_where_it_is_certain(what: str) -> None:
    """What is reached in any case is refused when code is generated."""
    text, message = REFUSED[what]
    f = made(f"certain {what}", HEAD + PLAIN.format(textwrap.indent(text + "\n", "    ")))
    with pytest.raises((sg.SourcegradError, TypeError, AttributeError)) as refused:
        sg.source(f, inputs="x", at={"x": 2.0, "left": True})
    assert not isinstance(refused.value, sg.InternalError)
    assert message is None or message in str(refused.value)


def named_as_a_module(x, left):
    if left:
        sys = np.array([x, eval("x")])
    else:
        raise ValueError("never")
    return np.sum(sys * 2.0)


def test_a_local_name_stays_local() -> None:
    """Where all that assigns it waits, it is not the module of that name."""
    with pytest.raises(sg.UnsupportedError, match="eval"):
        sg.grad(named_as_a_module, "x")(2.0, True)
    with pytest.raises(ValueError, match="never"):
        sg.grad(named_as_a_module, "x")(2.0, False)


# --- What Python raises reaches the user's handlers

def two(a, b):
    return a * b


def fallen_back(x):
    try:
        return two(x)
    except TypeError:
        return x * x


def fallen_back_to_a_word(x):
    try:
        y = two(x, c=x)
    except TypeError as error:
        y = x ** 3 if "unexpected" in str(error) else x
    return y


def named(x):
    y = x * np.ones(3)
    try:
        y.name = "column"
    except AttributeError:
        y = y * 2.0
    return np.sum(y)


def finally_runs(x):
    y = x * x
    try:
        z = two(y)
    except TypeError:
        z = y * 3.0
    finally:
        y = y * 2.0
    return y * z


def handler_with_an_unknown_class(x):
    try:
        return np.sum(np.linalg.inv(x * np.eye(2)))
    except np.linalg.no_such_module.LinAlgError:
        return 1.0


@pytest.mark.parametrize("f", [fallen_back, fallen_back_to_a_word, named, finally_runs, handler_with_an_unknown_class],
                         ids=lambda f: f.__name__)
def test_handlers_get_what_python_raises(f: Any) -> None:
    assert np.isclose(sg.grad(f)(2.0), (f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6)


def swallowed(x, k):
    try:
        if k > 1:
            return x * eval("2.0")
        return x * x
    except Exception:
        return 0.0


def swallowed_by_all(x, k):
    try:
        if k > 1:
            return x * eval("2.0")
        return x * x
    except:  # noqa: E722 (what is tested)
        return 0.0


def swallowed_by_suppress(x, k):
    with contextlib.suppress(BaseException):
        if k > 1:
            x = x * eval("2.0")
    return x * x


def swallowed_by_a_tuple(x, k):
    try:
        if k > 1:
            return x * eval("2.0")
        return x * x
    except (ValueError, EVERYTHING):
        return 0.0


def swallowed_outside(x, k):
    try:
        return shown(x, k)
    except EVERYTHING:
        return 0.0


EVERYTHING = BaseException


@contextlib.contextmanager
def quiet():
    try:
        yield
    except (KeyError, EVERYTHING):
        pass


def swallowed_by_a_context(x, k):
    with quiet():
        if k > 1:
            x = x * eval("2.0")
    return x * x


@pytest.mark.parametrize("f", [swallowed_by_suppress, swallowed_by_a_tuple, swallowed_outside, swallowed_by_a_context],
                         ids=lambda f: f.__name__)
def test_what_takes_everything_takes_no_refusal(f: Any) -> None:
    with pytest.raises(sg.UnsupportedError, match="`eval`"):
        sg.grad(f, inputs="x")(3.0, 0)


def test_no_handler_gets_a_refusal() -> None:
    g = sg.grad(swallowed, inputs="x")
    assert g(3.0, 0) == 6.0
    with pytest.raises(sg.UnsupportedError, match="`eval`"):
        g(3.0, 2)
    with pytest.raises(sg.UnsupportedError, match="`eval`"):            # a bare `except` would get it: nothing is generated
        sg.grad(swallowed_by_all, inputs="x")(3.0, 0)


# --- Imports of one name with several meanings

def imported_by_branch(x, k):
    if k > 0:
        from math import sin
    else:
        from numpy import cos as sin
    return sin(x) * x


def imported_over_a_function(x, k):
    def erf(v):
        return v * v
    if k > 0:
        from math import erf
    return erf(x)


def imported_modules(x, k):
    if k:
        import numpy as lib
    else:
        import math as lib
    return lib.sin(x) * lib.pi


def imported_number(x, k):
    if k:
        from math import pi as v
    else:
        v = 2.0
    return x * v


def imported_and_rebound(x, k):
    from math import exp
    y = exp(x)
    exp = np.sin if k else np.cos
    return y * exp(x)


def imported_or_none(x, k):
    try:
        from math import erf
    except ImportError:
        erf = None
    return x * k if erf is None else 3.0 * x


def imported_or_something_else(x, k):
    try:
        from no_such_module import fast_sin as sin
    except ImportError:
        from math import sin
    return sin(x) * (1 + k)


@pytest.mark.parametrize("f", [imported_by_branch, imported_over_a_function, imported_modules, imported_number,
                               imported_and_rebound, imported_or_none, imported_or_something_else], ids=lambda f: f.__name__)
def test_imports(f: Any) -> None:
    g = sg.grad(f, inputs="x")
    for k in (1, 0, 1):
        assert np.isclose(g(0.7, k), (f(0.7 + 1e-6, k) - f(0.7 - 1e-6, k)) / 2e-6)


SHOW = False


def shown(x, k):
    if k > 1:
        x = x * eval("2.0")
    return x ** 2


def test_text_names_what_is_refused() -> None:
    text = str(sg.source(shown, inputs="x", at={"x": 2.0, "k": 0}))
    assert "raise refused(" in text and "`eval` cannot be differentiated" in text


def test_second_order_and_callees() -> None:
    second = sg.grad(sg.grad(shown, inputs="x"), inputs="x")
    assert second(3.0, 0) == 2.0
    with pytest.raises(sg.UnsupportedError, match="`eval`") as refused:
        second(3.0, 2)
    assert refused.value.origin is not None and 'eval("2.0")' in refused.value.origin.text


def test_export_refuses_too(tmp_path: Any) -> None:
    gradient = sg.grad(shown, inputs="x")
    gradient(2.0, 0)
    gradient.export(tmp_path / "exported.py")
    text = (tmp_path / "exported.py").read_text()
    found: dict[str, Any] = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec"), found)
    g = next(value for name, value in found.items() if name == "shown_grad")
    assert g(2.0, 0) == 4.0
    with pytest.raises(BaseException, match="eval"):
        g(2.0, 2)


def library(x, k):
    if k > 1:
        import textwrap
        return x * len(textwrap.wrap(str(x), width=10))
    return x * x


def test_a_library_under_a_branch() -> None:
    assert sg.grad(library, inputs="x")(3.0, 0) == 6.0
