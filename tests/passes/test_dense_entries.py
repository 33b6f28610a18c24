"""dense_entries: gradients of dicts that are reached by computed keys have all their entries from the start."""
from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from tests.shared import text_for


def weights_only(params, x, y, lam):
    out = np.tanh(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]
    loss = np.mean((out - y) ** 2)
    for name, p in params.items():
        if name.startswith("w"):
            loss = loss + lam * np.sum(p ** 2)
    return loss


def all_values(params, x, y, lam):
    loss = np.mean((x @ params["w1"]) ** 2)
    for p in params.values():
        loss += lam * np.sum(p ** 2)
    return loss


def by_keys(params, x, y, lam):
    return lam * sum(np.sum(np.exp(params[key]) * params[key]) for key in params)


def not_the_biases(params, x, y, lam):
    loss = 0.0
    for name in params:
        if name in ("b1", "b2"):
            loss += lam * np.sum(params[name]) ** 2
        elif "2" in name:
            loss -= np.sum(params[name] ** 3)
        else:
            loss += np.sum(params[name] ** 2 * lam) * np.sum(params[name])
    return loss


def one_entry_twice(params, x, y, lam):
    loss = 0.0
    for name in ("w1", "b1", "w1"):
        loss += np.sum(params[name] ** 2) * np.sum(params[name])
    return loss + np.sum(params["b1"])


RNG = np.random.default_rng(3)
FLAT = {"w1": RNG.standard_normal((3, 4)), "b1": RNG.standard_normal(4), "w2": RNG.standard_normal((4, 2)),
        "b2": RNG.standard_normal(2)}
X, Y = RNG.standard_normal((5, 3)), RNG.standard_normal((5, 2))


def blocks(params, x, y, lam):
    h, loss = x, 0.0
    for k in range(2):
        block = params[f"block{k}"]
        h = h + params["scale"] * np.tanh(h @ block["w"] + block["b"])
    for name, block in params.items():
        if name.startswith("block"):
            loss += lam * np.sum(block["w"] ** 2)
    return np.sum(h ** 2) + loss


def all_but_one(params, x, y, lam):
    loss = params["scale"] * lam
    for name, block in params.items():
        if name != "scale":
            loss += np.sum(block["w"] @ block["b"]) * params["scale"]
    return loss


def two_names(params, x, y, lam):
    loss = 0.0
    for name in params:
        for other in params:
            if name.endswith("0") and other.endswith("1"):
                loss += np.sum(params[name]["b"] * params[other]["b"])
    return loss * params["scale"]


def another_name_between(params, x, y, lam):
    loss, name = 0.0, "scale"
    for other in params:
        block = params[name]
        name = other
        if name.startswith("block"):
            loss += np.sum(block * params[name]["b"])
        name = "scale"
    return loss


NESTED = {**{f"block{k}": {"w": RNG.standard_normal((3, 3)), "b": RNG.standard_normal(3)} for k in range(2)}, "scale": 0.7}
PROGRAMS = [(f, FLAT) for f in (weights_only, all_values, by_keys, not_the_biases, one_entry_twice)] + [
    (f, NESTED) for f in (blocks, all_but_one, two_names, another_name_between)]


def leaves(tree: Any) -> list:
    return [leaf for key in tree for leaf in (leaves(tree[key]) if isinstance(tree[key], dict) else [np.ravel(tree[key])])]


def moved(tree: Any, by: Any) -> Any:
    """The tree where a vector is added to its numbers, in order; by: an iterator over it."""
    if isinstance(tree, dict):
        return {key: moved(item, by) for key, item in tree.items()}
    step = [next(by) for _ in range(np.size(tree))]
    return tree + step[0] if np.ndim(tree) == 0 else tree + np.reshape(step, np.shape(tree))


def by_differences(f: Any, tree: Any) -> np.ndarray:
    n = sum(map(np.size, leaves(tree)))
    return np.array([(f(moved(tree, iter(1e-6 * e))) - f(moved(tree, iter(-1e-6 * e)))) / 2e-6 for e in np.eye(n)])


@pytest.mark.parametrize("f, params", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_gradients_are_right_and_stand_where_they_belong(f: Any, params: dict) -> None:
    g = sg.grad(f)
    for _ in range(2):                                        # nothing stays from one call to the next
        given = copy.deepcopy(params)
        found = g(given, X, Y, 0.3)
        assert list(found) == list(params)
        assert np.allclose(np.concatenate(leaves(found)), by_differences(lambda p: f(p, X, Y, 0.3), params), rtol=1e-6, atol=1e-7)
        assert all(np.array_equal(a, b) for a, b in zip(leaves(given), leaves(params)))
        for mine, theirs in zip(leaves(found), leaves(params)):
            assert not np.shares_memory(mine, theirs)
    if "scale" in params:
        assert type(found["scale"]) is float
    second = sg.grad(lambda p: sum(np.sum(v) for v in leaves_of(sg.grad(f)(p, X, Y, 0.3))))(copy.deepcopy(params))

    def projected(p: dict) -> Any:
        return sum(np.sum(v) for v in leaves(g(p, X, Y, 0.3)))

    assert np.allclose(np.concatenate(leaves(second)), by_differences(projected, params), rtol=1e-5, atol=1e-5)


def leaves_of(tree):
    found = []
    for name in tree:
        item = tree[name]
        if isinstance(item, dict):
            found = found + [item["w"], item["b"]]
        else:
            found = found + [item]
    return found


@pytest.mark.parametrize("f, params", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_no_helper_joins_entries(f: Any, params: dict) -> None:
    text = text_for(sg.grad(f), copy.deepcopy(params), X, Y, 0.3)
    assert "zero_gradient(params)" in text
    assert not re.search(r"\b(add_to|add_entry|as_gradient|unbroadcast|operand_part|items_back|dict_items)\(", text), text


def test_the_text_of_a_net_with_a_penalty() -> None:
    text = text_for(sg.grad(weights_only), copy.deepcopy(FLAT), X, Y, 0.3)
    body = [line.strip() for line in text.split("# --- reverse sweep")[1].splitlines() if line.strip() and line.strip()[0] != "#"]
    assert body[:4] == ["params_bar = zero_gradient(params)", "for name in reversed(params_keys):", "if name.startswith('w'):",
                        "params_bar[name] += 2.0 * lam * params[name]"]
    assert body[-1] == "return params_bar"


def test_what_is_no_table_of_floats_keeps_its_conversion() -> None:
    def f(params, lam):
        loss = 0.0
        for name in params:
            if name != "label":
                loss += lam * np.sum(params[name] ** 2)
        return loss

    found = sg.grad(lambda p, lam: np.real(f(p, lam)))({"w": np.arange(3.0), "z": np.arange(3.0) + 1j}, 0.5)
    assert np.allclose(found["w"], np.arange(3.0)) and np.allclose(found["z"], np.arange(3.0) - 1j)


def test_single_precision_stays() -> None:
    params = {key: item.astype(np.float32) for key, item in FLAT.items()}
    found = sg.grad(all_values)(params, X.astype(np.float32), Y, 0.5)
    assert {item.dtype for item in found.values()} == {np.dtype(np.float32)}


# --- lists of tables

LAYERS = {"layers": [{"W": RNG.standard_normal((3, 3)), "b": RNG.standard_normal(3), "scale": 0.5 + j} for j in range(3)],
          "out": 0.3}


def a_net(params, x, y, lam):
    h = x
    for layer in params["layers"]:
        h = np.tanh(h @ layer["W"] + layer["b"]) * layer["scale"]
    loss = np.sum(h ** 2) * params["out"]
    for layer in params["layers"]:
        loss = loss + lam * np.sum(layer["W"] ** 2)
    return loss


def neighbours(params, x, y, lam):
    layers = params["layers"]
    loss = 0.0
    for k in range(len(layers) - 1):
        loss = loss + np.sum(layers[k]["W"] @ layers[k + 1]["b"]) * layers[-1]["scale"]
    return loss + lam * layers[0]["scale"]


def the_last_alone(params, x, y, lam):
    last = params["layers"][-1]
    for layer in reversed(params["layers"]):
        if layer["scale"] > 1.0:
            last = layer
    return np.sum(last["W"]) * lam * params["out"]


def lists_to_dict(tree: Any) -> Any:
    """The tree with dicts for lists: what the tests above compare."""
    if isinstance(tree, list):
        return {str(j): lists_to_dict(item) for j, item in enumerate(tree)}
    return {key: lists_to_dict(item) for key, item in tree.items()} if isinstance(tree, dict) else tree


def dicts_to_list(tree: Any) -> Any:
    return {**tree, "layers": [*tree["layers"].values()]}


@pytest.mark.parametrize("f", [a_net, neighbours, the_last_alone])
@pytest.mark.parametrize("same", [False, True])
def test_lists_of_tables(f: Any, same: bool) -> None:
    params = copy.deepcopy(LAYERS)
    if same:
        params["layers"][2] = params["layers"][0]             # one dict twice: its gradient is in both places, or it is refused
    g = sg.grad(f)
    for _ in range(2):
        try:
            found = g(params, X, Y, 0.3)
        except sg.SourcegradError:
            assert same
            return
        assert isinstance(found["layers"], list) and len(found["layers"]) == 3
        if not same:
            wanted = by_differences(lambda p: f(dicts_to_list(p), X, Y, 0.3), lists_to_dict(params))
            assert np.allclose(np.concatenate(leaves(lists_to_dict(found))), wanted, rtol=1e-6, atol=1e-7)
            assert all(type(layer["scale"]) is float for layer in found["layers"])
        mine = [leaf for leaf in leaves(lists_to_dict(found)) if leaf.size > 1]
        assert not any(np.shares_memory(a, b) for j, a in enumerate(mine) for b in mine[:j])


def test_the_text_of_a_list_of_layers() -> None:
    text = text_for(sg.grad(a_net), copy.deepcopy(LAYERS), X, Y, 0.3)
    assert "params_layers_bar = zero_gradient(params_layers)" in text and "layer_bar['W'] += " in text
    assert " add(" not in text and "add_entry" not in text
