"""vjp: the forward half runs once, the pullback is the reverse half and may be called several times."""
from __future__ import annotations

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
