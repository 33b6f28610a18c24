"""vjp: the forward half runs once, the pullback is the reverse half and may be called several times."""
from __future__ import annotations

import types

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError, OutputError

V = np.array([0.3, -0.8, 1.1])
CALLS: list = []


@sg.nondifferentiable
def count(x):
    CALLS.append(x)
    return 1.0


def loop(x, y, n=3):
    for _ in range(n):
        x = np.sin(x) * y
    return x * count(x)


def store(x):
    x[0] = x[1] * x[2]
    return x * x


def power(x, n):
    return x if n == 0 else power(x, n - 1) * x


def test_pullback_several_times_and_forward_once() -> None:
    CALLS.clear()
    value, pullback = sg.vjp(loop, V, 2.0)
    assert len(CALLS) == 1 and np.array_equal(value, loop(V, 2.0))
    CALLS.clear()
    for ct in (np.ones(3), V, np.ones(3)):
        assert all(map(np.allclose, pullback(ct), sg.grad(loop, (0, 1), ct)(V, 2.0)))
        CALLS.clear()
        pullback(ct)
        assert not CALLS


@pytest.mark.parametrize("inputs, kind", [(None, tuple), ("y", float), (1, float), (("y",), tuple), (("y", "x"), tuple)])
def test_structure(inputs, kind) -> None:
    _, pullback = sg.vjp(lambda x, y: np.sum(x) * y, V, 2.0, inputs=inputs)
    found = pullback(1.0)
    assert type(found) is kind
    if inputs == ("y", "x"):
        assert found[0] == np.sum(V) and np.array_equal(found[1], [2.0, 2.0, 2.0])


def test_changed_arguments_stay() -> None:
    x = V.copy()
    value, pullback = sg.vjp(store, x)
    assert np.array_equal(x, V)
    first, = pullback(np.ones(3))
    assert np.allclose(first, sg.grad(store, None, np.ones(3))(V)) and np.array_equal(pullback(np.ones(3))[0], first)


def test_saved_values_belong_to_the_pullback() -> None:
    x = V.copy()
    value, pullback = sg.vjp(lambda x: np.exp(x) * x, x)
    expected = pullback(np.ones(3))[0]
    value *= 0.0
    x *= 0.0
    assert np.array_equal(pullback(np.ones(3))[0], expected)
    value, pullback = sg.vjp(np_exp, V)
    value *= 0.0
    assert np.allclose(pullback(np.ones(3))[0], np.exp(V))


def np_exp(x):
    return np.exp(x)


def test_recursion_containers_methods_gradients() -> None:
    assert sg.vjp(power, 2.0, 2, inputs=0)[1](1.0) == 12.0
    value, pullback = sg.vjp(lambda p: {"a": p["w"] * 2.0, "b": (p["w"] ** 2,)}, {"w": 3.0}, inputs="p")
    assert value == {"a": 6.0, "b": (9.0,)} and pullback({"a": 1.0, "b": (10.0,)}) == {"w": 62.0}

    class Model:
        __hash__ = None

        def loss(self, w, x):
            return w * x

    assert sg.vjp(Model().loss, 2.0, 3.0)[1](1.0) == (3.0, 2.0)
    assert sg.vjp(sg.grad(lambda x: x ** 3), 2.0)[1](1.0) == (12.0,)


def test_generated_once() -> None:
    from sourcegrad.compiler import linking
    sg.vjp(np_exp, V)
    before = linking.next_number()
    sg.vjp(np_exp, V + 1.0)
    assert linking.next_number() == before + 1


def test_errors() -> None:
    _, pullback = sg.vjp(np_exp, V)
    for wrong in (1.0, np.ones(2), "abc", (V, V)):
        with pytest.raises(OutputError) as caught:
            pullback(wrong)
        assert caught.value.origin is not None
    with pytest.raises(InputError):
        sg.vjp(np_exp, np.arange(3))
    with pytest.raises(InputError):
        sg.vjp(np_exp, V, inputs="z")


def test_dtype_and_int() -> None:
    value, pullback = sg.vjp(np_exp, V.astype(np.float32))
    assert pullback(np.ones(3, np.float32))[0].dtype == np.float32
    assert sg.vjp(lambda x: x * x, 3)[1](1.0) == (6.0,)


# --- what changes between the value and the pullback

SCALE, WEIGHTS = 2.0, np.array([1.0, 2.0])


def of_an_item(x, d):
    return np.sum(np.sin(x * d["k"]) * d["k"])


def of_a_nested_attribute(x, o):
    return np.sum(np.sin(x) * o.sub.w)


def of_globals(x, o):
    total = 0.0
    for v in x:
        if v > 10.0:
            break
        total = total + np.sin(v * SCALE) * SCALE
    return total * np.sum(np.sin(x * WEIGHTS) * WEIGHTS)


@pytest.mark.parametrize("f, held, change", [
    (of_an_item, {"k": 2.0}, lambda d: d.update(k=50.0)),
    (of_a_nested_attribute, types.SimpleNamespace(sub=types.SimpleNamespace(w=np.array([1.0, 2.0]))),
     lambda o: setattr(o.sub, "w", np.array([7.0, 7.0]))),
    (of_globals, None, lambda _: globals().update(SCALE=50.0, WEIGHTS=np.array([7.0, 7.0])))],
    ids=["item", "nested attribute", "globals"])
def test_the_pullback_is_that_of_the_value(f, held, change, monkeypatch):
    """The halves are two functions: what the forward one has read counts, whatever objects and variables hold later."""
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([1.0, 2.0]))
    x = np.array([0.3, 0.8])
    expected = sg.grad(f)(x, held)
    _, pullback = sg.vjp(f, x, held, inputs="x")
    change(held)
    assert np.allclose(pullback(1.0), expected) and np.allclose(pullback(1.0), expected)


def test_the_pullback_of_a_closure_is_that_of_the_value():
    c = 2.0

    def f(x):
        return np.sum(np.sin(x * c) * c)

    x = np.array([0.3, 0.8])
    expected = sg.grad(f)(x)
    _, pullback = sg.vjp(f, x)
    c = 50.0
    assert np.allclose(pullback(1.0), expected)


GAIN_1 = 2.5
LEVELS_2 = [1.0, 2.0]
TABLE_10 = {"a": 3.0}


def with_numbered_globals(x):
    return x * x * GAIN_1 + np.exp(x) * LEVELS_2[1] * TABLE_10["a"]


def with_a_numbered_cell(x):
    rate_3 = 0.5

    def inner(v):
        return v * v * rate_3 * GAIN_1

    return inner(x) + rate_3 * np.sin(x)


def numbered_closure():
    rate_4, sum_2, level_7_bar = 1.5, 0.3, 0.2

    def f(x):
        return np.sin(x * rate_4) * sum_2 + x * x * level_7_bar

    return f


@pytest.mark.parametrize("f", [with_numbered_globals, with_a_numbered_cell, numbered_closure()], ids=lambda f: f.__name__)
def test_numbered_names_outside(f) -> None:
    """Both halves name what is outside as the user does, whose numbers are no numbers of values: one of them saves it."""
    value, pullback = sg.vjp(f, 0.7)
    slope = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    assert np.isclose(value, f(0.7)) and np.isclose(pullback(1.0)[0], slope) and np.isclose(pullback(-2.0)[0], -2.0 * slope)
    assert np.isclose(sg.grad(f)(0.7), slope) and np.isclose(sg.jvp(f, (0.7,), (1.0,))[1], slope)
