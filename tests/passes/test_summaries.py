"""summaries: what a function does to memory: the parameters that it changes, where its result lives, what it keeps."""
import numpy as np
import pytest

from sourcegrad.memory.heap import NO_EFFECTS, Effects
from tests.passes.facts import prepared

X = np.array([[0.5, -1.5], [2.0, 1.0]])


class Model:
    def __init__(self, w):
        self.w = w
        self.kept = []


MODEL = Model(X)


def computes(x, y):
    z = x * y
    z[0] = 1.0
    return z


def changes_an_argument(x, y):
    x[0] = y[0]
    return x


def changes_through_a_view(x, y):
    row = x[1]
    row += 1.0
    return y


def changes_a_part(x, model):
    model.w = x * 2.0
    return np.sum(x)


def in_a_branch(x, y):
    if y[0, 0] > 0.0:
        x[0] = 1.0
    return y * 2.0


def in_a_loop_that_may_have_no_trip(x, n):
    for k in range(n):
        x[k] = 1.0
    return n


def by_a_callee(x, y):
    changes_through_a_view(y, x)
    return 1.0


def gives_a_part(x, y):
    return x[0]


def gives_one_of_two(x, y):
    return x if y[0, 0] > 0.0 else y


def keeps(x, model):
    model.kept.append(x)
    return 1.0


def effects(function) -> Effects:
    second = function.__code__.co_varnames[1]
    return prepared(function, x=X.copy(), **{second: {"y": X + 1.0, "model": MODEL, "n": 2}[second]}).effects


@pytest.mark.parametrize("function, changed", [
    (computes, ""), (changes_an_argument, "x"), (changes_through_a_view, "x"), (changes_a_part, "model"), (in_a_branch, "x"),
    (in_a_loop_that_may_have_no_trip, "x"), (by_a_callee, "y"), (gives_a_part, ""), (keeps, "model")])
def test_what_is_changed(function, changed) -> None:
    assert " ".join(effects(function).changed) == changed


@pytest.mark.parametrize("function, roots", [
    (changes_an_argument, "x"), (gives_a_part, "x"), (gives_one_of_two, "x y"), (computes, ""), (in_a_branch, "")])
def test_where_the_result_lives(function, roots) -> None:
    assert " ".join(sorted({loc.root for loc in effects(function).result if loc.root.strip() != "new"})) == roots


def test_an_attribute_that_gets_another_object_is_told_from_a_change() -> None:
    rebinding = {(name, again) for name, _, again, *_ in effects(changes_a_part).changes}
    assert rebinding == {("model", True)}
    assert {(name, again) for name, _, again, *_ in effects(changes_through_a_view).changes} == {("x", False)}


def test_what_an_argument_keeps_of_another_is_linked() -> None:
    roots = {frozenset(place.root for place in pair) for pair in effects(keeps).links}
    assert frozenset({"x", "model"}) in roots


def test_two_functions_together() -> None:
    both = effects(changes_an_argument) | effects(by_a_callee)
    assert set(both.changed) == {"x", "y"} and both.mutates and (NO_EFFECTS | NO_EFFECTS) == NO_EFFECTS
    assert {path for _, path, *_ in both.coarse().changes} == {()}          # no finer than parameters
