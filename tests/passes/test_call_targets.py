"""call_targets: what a call calls: primitives, methods seen as functions, functions and classes of the user, closures."""
import functools
import math

import gast
import numpy as np
import pytest

from sourcegrad.analysis.call_targets import bind, target_of
from sourcegrad.ir import tree as t
from tests.passes.facts import types_of, written

stats = pytest.importorskip("scipy.stats")
X = np.array([0.5, -1.5])


class Model:
    def __init__(self, w):
        self.w = w

    def scaled(self, x, factor=2.0):
        return factor * self.w * x

    @staticmethod
    def plain(x):
        return x

    def __call__(self, x):
        return self.w * x


def scaled(x, *rest, factor=2.0, **options):
    return x * factor


def unknown(f, x):
    return f(x)


def program(model, x, other):
    exp = np.exp(x)
    total = x.sum(axis=0)
    reshaped = x.reshape(1, 2)
    whole = np.floor(x)
    root = math.sqrt(other)
    own = scaled(x, 1.0, factor=3.0, scale=4.0)
    method = model.scaled(x, factor=other)
    static = model.plain(x)
    called = model(x)
    made = Model(x)
    partial = functools.partial(scaled, x)
    size = len(x)
    return total


FACTS = types_of(program, model=Model(2.0), x=X, other=2.0)


def target(name: str):
    (found,) = [s.value for s in FACTS.unit.tree.body if name in t.writes(s)]
    return target_of(found, FACTS.unit, FACTS.of)


@pytest.mark.parametrize("name, function, arguments", [
    ("exp", np.exp, "x"), ("total", np.sum, "x"), ("reshaped", np.reshape, "x 1, 2"), ("whole", np.floor, "x"),
    ("root", math.sqrt, "other"), ("size", len, "x")])
def test_primitives_and_methods_that_are_one(name, function, arguments) -> None:
    found = target(name)
    assert found.object is function and found.function is None and found.known
    assert " ".join(map(written, found.args)) == arguments


def test_keywords_stay() -> None:
    assert written(target("total").keywords["axis"]) == "0"


@pytest.mark.parametrize("name, function, first", [
    ("own", "scaled", "x"), ("method", "scaled", "model"), ("static", "plain", "x"), ("called", "__call__", "model")])
def test_functions_of_the_user(name, function, first) -> None:
    found = target(name)
    assert found.function.name == function and written(found.args[0]) == first and not found.inert


def test_a_class_and_what_has_no_derivative() -> None:
    assert target("made").object is Model and not target("own").inert and not target("exp").inert


def test_parameters_get_their_arguments() -> None:
    found = target("own")
    bound = bind(found.function, found, FACTS.unit)
    assert {name: written(value) for name, value in bound.items()} == {
        "x": "x", "rest": "1.0,", "factor": "3.0", "options": "{'scale': 4.0}"}
    method = target("method")
    assert written(bind(method.function, method, FACTS.unit)["factor"]) == "other"


@pytest.mark.parametrize("call, message", [
    ("scaled()", "missing required argument 'x'"), ("scaled(x, x=x)", "multiple values for argument 'x'"),
    ("model.scaled(x, x, x)", "takes 3 positional arguments but 4 were given"),
    ("model.scaled(x, power=2)", "unexpected keyword argument 'power'")])
def test_calls_that_python_refuses(call, message) -> None:
    found = target_of(gast.parse(call, mode="eval").body, FACTS.unit, FACTS.of)
    with pytest.raises(TypeError, match=message):
        bind(found.function, found, FACTS.unit)


def test_a_callee_that_is_not_known() -> None:
    facts = types_of(unknown, f=object(), x=X)
    found = target_of(gast.parse("f(x)", mode="eval").body, facts.unit, facts.of)
    assert found.function is None and not found.known


def ranks(x):
    found = stats.spearmanr(x, x)
    kept = stats.zscore(x)
    return kept, found


def test_what_is_refused_by_its_name_is_not_followed() -> None:
    facts = types_of(ranks, x=X)
    found, kept = (target_of(s.value, facts.unit, facts.of) for s in facts.unit.tree.body[:2])
    assert found.object is stats.spearmanr and found.function is None and kept.function is not None
