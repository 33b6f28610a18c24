"""Translation validation: where generated code does not compute what the function computes, no gradient is given."""
from __future__ import annotations

import random

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.shadow_run import alike, duplicate
from sourcegrad.compiler import linking, pipeline
from sourcegrad.compiler.linking import Trial
from sourcegrad.errors import InternalError
from sourcegrad.memory.emission import Emitter

X = np.array([0.3, 0.7, 0.4])


class Pair:
    def __init__(self, v):
        self.v = v
        self.same = v

    def grow(self):
        self.v *= 2


def pair(x):
    held = Pair(x * 1.0)
    held.v[0] *= 3.0
    return np.sum(held.same ** 2)


def loud_pair(x):
    held = Pair(x * 1.0)
    held.v[0] *= 3.0
    print("once")
    return np.sum(held.same ** 2)


@pytest.fixture
def forgetful(monkeypatch):
    """An analysis that does not put what changes where else it is held (where objects are values)."""
    monkeypatch.setattr(linking.OPTIONS, "places", "off")
    monkeypatch.setattr(Emitter, "copied", lambda self, *args: [])


def fresh(function):
    """The function anew: nothing is kept of what was generated for it."""
    namespace = {"np": np, "Pair": Pair}
    copied = type(function)(function.__code__, function.__globals__ | namespace, function.__name__)
    return sg.grad(copied)


def test_right_without_the_fault():
    assert np.allclose(fresh(pair)(X), 2 * X * [9.0, 1.0, 1.0])


def test_wrong_code_is_refused_at_every_call(forgetful):
    gradient = fresh(pair)
    for _ in range(3):
        with pytest.raises(InternalError, match=r"code generated for pair\(\) computes (.|\n)*defect of sourcegrad") as caught:
            gradient(X)
    assert caught.value.origin.line == pair.__code__.co_firstlineno


def test_second_derivatives(forgetful):
    with pytest.raises(InternalError):
        sg.grad(fresh(pair))(X, grad_outputs=np.ones(3))


def test_value_and_grad(forgetful):
    with pytest.raises(InternalError):
        fresh(pair).value_and_grad(X)


def test_vjp(forgetful):
    with pytest.raises(InternalError):
        sg.vjp(fresh(pair)._function, X)


def test_what_is_done_to_the_world_is_done_once(capsys):
    assert np.allclose(fresh(loud_pair)(X), 2 * X * [9.0, 1.0, 1.0])
    assert capsys.readouterr().out == "once\n"


def test_a_generator_that_is_given_advances_as_in_one_call():
    def noisy(x, rng):
        held = Pair(x * 1.0)
        held.v[0] *= rng.standard_normal()
        return np.sum(held.same ** 2)

    stream = np.random.default_rng(1)
    factor, after = np.random.default_rng(1).standard_normal(2)
    assert np.allclose(sg.grad(noisy)(X, stream), 2 * X * [factor ** 2, 1.0, 1.0])
    assert stream.standard_normal() == after


OWN_GENERATOR = random.Random(3)


def test_generators_of_the_standard_library_are_drawn_from_once():
    def noisy(x):
        held = Pair(x * 1.0)
        held.v[0] *= random.random() * OWN_GENERATOR.random()
        return np.sum(held.same)
    random.seed(5)
    factor, after = random.random(), random.random()
    random.seed(5)
    factor *= random.Random(3).random()
    OWN_GENERATOR.seed(3)
    assert np.allclose(sg.grad(noisy)(X), [factor, 1.0, 1.0])
    assert random.random() == after


def test_the_global_generator_is_drawn_from_as_often_as_the_function_does():
    def noisy(x):
        held = Pair(x * 1.0)
        held.v[0] *= np.random.normal()
        return np.sum(held.same ** 2)

    np.random.seed(3)
    noisy(X)
    expected = np.random.normal()
    np.random.seed(3)
    sg.grad(noisy)(X)
    assert np.random.normal() == expected


def test_the_first_two_calls_only(monkeypatch):
    calls = []
    monkeypatch.setattr("sourcegrad.api.shadow_run.alike", lambda *results: calls.append(results) or True)
    gradient = fresh(pair)
    for _ in range(3):
        gradient(X)
    assert len(calls) == 2


def test_plain_functions_are_not_run(monkeypatch):
    calls = []
    monkeypatch.setattr("sourcegrad.api.shadow_run.alike", lambda *results: calls.append(results) or True)
    sg.grad(lambda x: np.sum(np.tanh(x) * x))(X)
    assert not calls


def test_a_function_that_fails_fails_as_it_is():
    def failing(x):
        held = Pair(x * 1.0)
        held.v[0] *= 3.0
        if held.same[0] > 0:
            raise ValueError("too large")
        return np.sum(held.same)

    with pytest.raises(ValueError, match="too large"):
        sg.grad(failing)(X)


def test_nothing_of_the_callers_is_touched():
    def changed(held, x):
        held.grow()
        held.same = held.v
        held.v += x
        return np.sum(held.same ** 2)

    held = Pair(X.copy())
    held.same = None
    gradient = sg.grad(changed, inputs="x")
    assert np.allclose(gradient(held, X), 2 * (3 * X))
    assert np.array_equal(held.v, X) and held.same is None


def test_copies_share_as_the_originals_do():
    base = np.arange(12.0).reshape(3, 4)
    held = Pair(base[1:])
    held.row = base[2, ::-2]
    copied, other = duplicate((held, base.T))
    assert copied.v is copied.same and np.array_equal(copied.row, held.row)
    copied.v[1, 3] = 100.0
    assert copied.row[0] == 100.0 and other[3, 2] == 100.0 and base[2, 3] == 11.0
    assert not np.shares_memory(other, base)


def test_copies_keep_layout_and_flags():
    column = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    copied, still = duplicate([column, fixed])
    assert copied.flags.f_contiguous and copied.strides == column.strides and not still.flags.writeable


def test_what_cannot_be_copied_alike_is_not_tried():
    with pytest.raises(TypeError):
        duplicate([np.broadcast_to(np.arange(3.0), (2, 3))[0], np.frombuffer(b"12345678", np.float64)])


@pytest.mark.parametrize(("found", "wanted", "same"), [
    (1.0, 1.0 + 1e-9, True), (1.0, 1.001, False), (np.nan, np.nan, True), (np.inf, np.inf, True), (np.inf, -np.inf, False),
    (np.nan, 1.0, False), (np.zeros(3), np.zeros(2), False), ((1.0, 2.0), [1.0, 2.0], True), ((1.0,), (1.0, 2.0), False),
    ({"a": 1.0}, {"a": 1.0}, True), ({"a": 1.0}, {"b": 1.0}, False), (np.float32(1.0), 1.001, True), ("a", 1.0, False),
    (np.zeros(0), np.zeros(0), True), (1e-320, 1e-320, True), (True, True, True), (None, None, True)])
def test_alike(found, wanted, same):
    assert alike(found, wanted) is same


def grown_above_one(x):
    held = Pair(x * 1.0)
    if x[0] > 1:
        held.v[0] *= 3.0
    return np.sum(held.same ** 2)


@pytest.mark.parametrize("start", [np.zeros(3), np.array([0.0, 2.0, 3.0])])
def test_inputs_where_nothing_shows_are_moved(forgetful, start):
    before = start.copy()
    with pytest.raises(InternalError):
        fresh(pair)(start)
    assert np.array_equal(start, before)


class Single:
    def __init__(self, v):
        self.v = v


def test_objects_and_single_numbers_are_moved(forgetful):
    def scaled(held, c):
        both = Pair(held.v * c)
        both.v[0] *= 3.0
        return np.sum(both.same ** 2)
    with pytest.raises(InternalError):
        sg.grad(scaled, inputs="held.v")(Single(np.zeros(3)), 2.0)
    with pytest.raises(InternalError):
        sg.grad(scaled, inputs="c")(Single(X), 0.0)


def test_the_second_arguments_are_tried_too(forgetful):
    gradient = fresh(grown_above_one)
    gradient(X)
    with pytest.raises(InternalError):
        gradient(X + 1)


def test_what_raises_is_not_taken_for_tried(forgetful):
    def strict(x):
        if x[0] > 1:
            raise ValueError("too large")
        held = Pair(x * 1.0)
        held.v[0] *= 3.0
        return np.sum(held.same ** 2)
    gradient = sg.grad(strict)
    for _ in range(3):
        with pytest.raises(ValueError):
            gradient(X + 1)
    with pytest.raises(InternalError):
        gradient(X)


def test_a_long_result_is_told_briefly(forgetful):
    def many(x):
        held = Pair(x * np.ones((500, 3)))
        held.v[0] *= 3.0
        return held.same
    with pytest.raises(InternalError) as caught:
        sg.grad(many)(X, grad_outputs=np.ones((500, 3)))
    assert len(str(caught.value).splitlines()[0]) < 400


def test_objects_are_compared_by_what_they_hold():
    assert alike(Pair(X), Pair(X.copy())) and not alike(Pair(X), Pair(X + 1))
    loop = [1.0]
    loop.append(loop)
    assert alike(loop, loop)


@pytest.mark.parametrize("with_value", [False, True])
def test_where_the_other_form_does_not_run_the_value_is_compared(forgetful, monkeypatch, with_value: bool) -> None:
    def broken(x):
        raise TypeError("not of this kind")

    made = pipeline.Compiler.compared
    monkeypatch.setattr(pipeline.Compiler, "compared", lambda *args: made(*args) and Trial(broken))
    gradient = fresh(pair).value_and_grad if with_value else fresh(pair)
    with pytest.raises(InternalError, match="code generated for pair"):
        gradient(X)
