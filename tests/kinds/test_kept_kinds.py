"""What is kept while code is generated: kinds of expressions (`analysis.types.known`), ends of loops (`memory.functionalize`)."""
import gc
import itertools
import re

import gast
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import kinds as k
from sourcegrad.analysis import types
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import SourcegradError
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit
from sourcegrad.memory.functionalize import Memory
from sourcegrad.parse.resolve import describe, resolve
from tests.passes.facts import kinds_of, spelled
from tests.programs.corpus import BY_NAME
from tests.programs.texts import emitted

X = np.array([0.5, -1.5])
SCALE = 2.0


def computed(x):
    y = x * 2
    z = np.sum(y)
    return z


def called(x):
    y = helper(x)
    z = y * 2.0
    return z


def helper(x):
    return x


def scaled(x):
    y = x * SCALE
    return y


def inferred(unit, at, solve=lambda *_: k.ANY):
    facts = Infer(unit, kinds_of(at), solve).run()
    return {name: spelled(kind) for name, kind in facts.kinds.items()}


def test_kinds_of_expressions_are_found_once(monkeypatch):
    unit = resolve(describe(computed))
    first = inferred(unit, {"x": X})
    monkeypatch.setattr(types, "HANDLERS", dict.fromkeys(types.HANDLERS))
    monkeypatch.setattr(types, "of_bound", lambda infer, s: types.known(infer, s.value, None))
    assert inferred(unit.copy(), {"x": X}) == first == {"x": "float64[x.0]", "y": "float64[x.0]", "z": "float64"}


def test_other_kinds_of_names_are_other_expressions():
    unit = resolve(describe(computed))
    found = [inferred(unit, {"x": x})["z"] for x in (X, X * 1j, np.array([1, 2]), X, 3, 3.0)]
    assert found == ["float64", "complex128", "int64", "float64", "int64", "float64"]


@pytest.mark.parametrize("edit, found", [
    (lambda value: setattr(value, "right", t.const(2.5)), "float64"),
    (lambda value: setattr(value.right, "value", 2j), "complex128"),
    (lambda value: setattr(value, "op", gast.Div()), "float64"),
    (lambda value: setattr(value, "left", t.const(True)), "int64")])
def test_an_expression_that_was_edited_is_another_one(edit, found):
    unit = resolve(describe(computed))
    assert inferred(unit, {"x": np.array([1, 2])})["z"] == "int64"
    edit(unit.tree.body[0].value)
    assert inferred(unit, {"x": np.array([1, 2])})["z"] == found


def test_constants_that_are_equal_are_not_the_same():
    texts = [t.signature(t.const(value))[0] for value in (1, 1.0, True, "1", b"1", None, 1j, 0.0)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("one, other", [
    ("f((a, b))", "f((a), b)"), ("f(a, (b,))", "f((a, b))"), ("x[1:]", "x[:1]"), ("a < b", "a <= b"), ("f(a=b)", "f(b)"),
    ("f(*a)", "f(a)"), ("-a", "+a"), ("a.b", "a.c"), ("f(a)(b)", "f(a, b)")])
def test_signatures_tell_expressions_apart(one, other):
    texts = [t.signature(gast.parse(text).body[0].value)[0] for text in (one, other, one)]
    assert texts[0] == texts[2] != texts[1]


def test_callees_are_asked_again():
    unit = resolve(describe(called))
    kinds = iter([k.kind_of(X, "x"), k.kind_of(X * 1j, "x")])
    assert inferred(unit, {"x": X}, lambda *_: next(kinds))["z"].startswith("float64")
    assert inferred(unit, {"x": X}, lambda *_: next(kinds))["z"].startswith("complex128")


def test_names_of_the_module_are_guarded_each_time(monkeypatch):
    unit = resolve(describe(scaled))
    assert inferred(unit, {"x": X})["y"] == "float64[x.0]"
    monkeypatch.setitem(globals(), "SCALE", 2j)
    unit.relies.clear()
    assert inferred(unit, {"x": X})["y"] == "complex128[x.0]"
    assert any(name == "SCALE" for _, name, _ in unit.relies.values())


def test_generated_code_keeps_no_kinds_of_expressions():
    def loss_of_this_test(x):
        return np.sum(x * x)

    gradient = sg.grad(loss_of_this_test)
    assert np.array_equal(gradient(X), 2 * X)
    gc.collect()
    left = [unit for unit in gc.get_objects() if type(unit) is Unit and unit.function.name == "loss_of_this_test"
            and not unit.function.pure]
    assert left and not any(unit.expressions for unit in left)


LOOPING = [name for name, program in BY_NAME.items() if "loop" in name or "iterations" in name or "nested" in name][::9]


@pytest.mark.parametrize("name", LOOPING)
def test_loops_that_are_not_walked_again_would_give_nothing_new(name, monkeypatch):
    """All but the numbers in names is the same where every loop is walked as often as it is met."""
    def text():
        try:
            return re.sub(r"_\d+\b", "", emitted(BY_NAME[name], 1))
        except SourcegradError as problem:
            return str(problem)

    found, numbers = text(), itertools.count()
    monkeypatch.setattr(Memory, "noted", lambda self: (next(numbers),))
    assert text() == found
