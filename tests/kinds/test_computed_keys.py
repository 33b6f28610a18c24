"""Keys with computed parts match the keys of a dict that they can form, and what these hold has a kind."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcegrad as sg

W = {"layer0": np.array([[0.3, 0.1], [0.2, -0.4]]), "layer1": np.array([[0.5, -0.2], [0.1, 0.6]]), "bias0": np.array([0.1, 0.2]),
     "bias1": np.array([-0.3, 0.4]), "scale": 0.7}
X = np.array([0.4, -0.9])


def f_string(params, x, depth):
    h = x
    for k in range(depth):
        h = params["scale"] * np.tanh(params[f"layer{k}"] @ h + params[f"bias{k}"])
    return np.sum(h * h)


def added(params, x, depth):
    h = x
    for k in range(depth):
        h = np.sin(params["layer" + str(k)] @ h) + params["bias" + str(k)]
    return np.sum(h * h)


def added_in_front(params, x, depth):
    which = "layer"
    h = x
    for k in range(depth):
        key = which + f"{k}"
        h = params[key] @ h
    return np.sum(h * h) * params["scale"]


def with_an_end(params, x, depth):
    parts = {"w_0_in": params["layer0"], "w_1_in": params["layer1"], "w_0_out": params["scale"]}
    h = x
    for k in range(depth):
        h = np.cos(parts[f"w_{k}_in"] @ h)
    return np.sum(h) * parts[f"w_{depth - depth}_out"]


def all_of_them(params, x, depth):
    total = 0.0
    for k in range(depth):
        for what in ("layer", "bias"):
            total = total + np.sum(params[f"{what}{k}"] ** 2)
    return total * np.sum(x)


def nested(params, x, depth):
    blocks = {f"b{k}": {"w": params[f"layer{k}"], "b": params[f"bias{k}"]} for k in range(2)}
    h = x
    for k in range(depth):
        block = blocks[f"b{k}"]
        h = np.tanh(block["w"] @ h + block["b"])
    return np.sum(h * h)


def assigned_twice(params, x, depth):
    key = "scale"
    total = params[key] * np.sum(x)
    for k in range(depth):
        key = f"bias{k}"
        total = total + np.sum(params[key] * x)
    return total


def moved(params, changes, t):
    return {name: value + t * changes[name] if name in changes else value for name, value in params.items()}


PROGRAMS = [f_string, added, added_in_front, with_an_end, all_of_them, nested, assigned_twice]


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right(f: Any, depth: int) -> None:
    rng = np.random.default_rng(3)
    value, gradient = sg.value_and_grad(f)(W, X, depth)
    assert np.isclose(value, f(W, X, depth))
    changes = {name: rng.normal(size=np.shape(part)) for name, part in W.items()}
    slope = (f(moved(W, changes, 1e-6), X, depth) - f(moved(W, changes, -1e-6), X, depth)) / 2e-6
    assert np.isclose(sum(np.sum(gradient[name] * change) for name, change in changes.items()), slope, rtol=1e-6, atol=1e-8)
    assert all(np.shape(gradient[name]) == np.shape(part) for name, part in W.items())


@pytest.mark.parametrize("f", [f_string, added], ids=lambda f: f.__name__)
def test_second(f: Any) -> None:
    def slope(x: Any) -> Any:
        return np.sum(sg.grad(f, inputs="x")(W, x, 2) * np.array([0.3, -1.1]))

    found = sg.grad(slope)(X)
    assert np.allclose(found, [(slope(X + 1e-6 * e) - slope(X - 1e-6 * e)) / 2e-6 for e in np.eye(2)], rtol=1e-5)


def test_the_text_knows_what_is_there() -> None:
    gradient = sg.grad(f_string)
    gradient(W, X, 2)
    assert not any(helper in gradient.source for helper in ("operand_part", "unbroadcast", "matmul_adjoint"))


def test_a_key_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="layer2"):
        sg.grad(f_string)(W, X, 3)
