"""An error inside a callee names the callee's file and line, and the calls that lead there from the user's function."""
from __future__ import annotations

import pickle

import pytest

import sourcegrad as sg
from sourcegrad.errors import MissingRuleError, Origin, SourcegradError, UnsupportedError
from tests.errors.modules import load

LIBRARY = """import zlib
import numpy as np
def syntax(x):
    try:
        return x
    finally:
        exec("y = x")
def missing(x):
    return zlib.crc32(x) * 2.0
def unused(x):
    y = zlib.crc32(x)
    return 1.0
def deep(x):
    return 2.0 * missing(x)
def again(x, n):
    if n > 0:
        return again(x, n - 1)
    return zlib.crc32(x)
"""
CASES = {       # the call, the line in the library, the calls there around it
    "lib.syntax(x)": (7, []), "lib.missing(x)": (9, []), "lib.deep(x)": (9, [14]),
    "lib.again(x, 2)": (18, [17]), "(lambda v: lib.missing(v))(x)": (9, ["user"]),
    "sum([lib.deep(v) for v in (x, x)])": (9, [14]),
}


@pytest.mark.parametrize("call", CASES)
def test_library(tmp_path, call: str) -> None:
    line, inside = CASES[call]
    lib = load(tmp_path, LIBRARY)
    user = load(tmp_path, f"import numpy as np\nimport {lib.__name__} as lib\ndef f(x):\n    y = x * x\n    return 3.0 * {call}\n")
    for function in (user.f, sg.grad(user.f)):
        with pytest.raises(SourcegradError) as caught:
            sg.grad(function)(2.0)
        error = caught.value
        assert (error.origin.file, error.origin.line) == (lib.__file__, line)
        expected = [(user.__file__, 5) if n == "user" else (lib.__file__, n) for n in inside] + [(user.__file__, 5)]
        found = [(c.file, c.line) for c in error.callers]
        if "again" in call:                                 # a recursion calls from one line: once, or as often as it is seen
            found = list(dict.fromkeys(found))
        assert found == expected
        last = error.callers[-1]
        assert f"\ncalled at {user.__file__}:5:{last.column}: return 3.0 * {call}" in str(error)
        assert last.text[last.column - 1:].startswith(("lib.", "(lambda", "lambda"))


def test_no_chain_in_the_function_itself(tmp_path) -> None:
    user = load(tmp_path, "import zlib\ndef f(x):\n    return zlib.crc32(x)\n")
    with pytest.raises(MissingRuleError) as caught:
        sg.grad(user.f)(2.0)
    assert caught.value.callers == () and "called at" not in str(caught.value)


def test_rendering_and_pickle() -> None:
    error = UnsupportedError("wrong", Origin("a.py", 1, 2, " x"), "Write that.")
    error.locate(Origin("b.py", 1, 1, "no"), (Origin("b.py", 7, 5, "    y = g(x)\n"), Origin("c.py", 2, 1, "f(x)")))
    assert str(error) == "a.py:1:2: wrong\n    x\n    ^\ncalled at b.py:7:5: y = g(x)\ncalled at c.py:2:1: f(x)\nWrite that."
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.callers == error.callers


def test_a_recursion_without_an_end_is_told_with_the_function_that_was_asked_for(monkeypatch):
    from sourcegrad.compiler import specialize
    from tests.programs.corpus_calls import binary_recursion

    def asked_for(x):
        return binary_recursion(x, 3) * 2.0

    monkeypatch.setattr(specialize, "PATIENCE", 0)              # how long the kinds of its calls are followed
    with pytest.raises(UnsupportedError, match="calls itself in a way that cannot be followed") as caught:
        sg.grad(asked_for)(1.5)
    assert caught.value.origin.file.endswith("corpus_calls.py") and caught.value.callers[-1].file == __file__
