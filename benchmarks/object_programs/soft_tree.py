"""A soft decision tree: recursion over nested dicts.

The recursive function has a forward and a reverse half; the adjoint of the tree is filled in place.
"""
import numpy as np


def predict(node, x):
    if "value" in node:
        return node["value"]
    p = 1.0 / (1.0 + np.exp(-(x @ node["w"] + node["b"])))
    return p * predict(node["right"], x) + (1.0 - p) * predict(node["left"], x)


def primal(tree, xs, ys):
    return sum((predict(tree, x) - y) ** 2 for x, y in zip(xs, ys)) / len(ys)


def predict_forward(node, x):
    if "value" in node:
        return node["value"], None
    p = 1.0 / (1.0 + np.exp(-(x @ node["w"] + node["b"])))
    right, right_saved = predict_forward(node["right"], x)
    left, left_saved = predict_forward(node["left"], x)
    return p * right + (1.0 - p) * left, (p, right, right_saved, left, left_saved)


def predict_reverse(node, x, saved, value_bar, node_bar):
    if "value" in node:
        node_bar["value"] += value_bar
        return
    p, right, right_saved, left, left_saved = saved
    predict_reverse(node["left"], x, left_saved, value_bar * (1.0 - p), node_bar["left"])
    predict_reverse(node["right"], x, right_saved, value_bar * p, node_bar["right"])
    z_bar = value_bar * (right - left) * p * (1.0 - p)
    node_bar["w"] += z_bar * x
    node_bar["b"] += z_bar


def zeros_like(node):
    if isinstance(node, dict):
        return {key: zeros_like(item) for key, item in node.items()}
    return np.zeros(np.shape(node)) if np.ndim(node) else 0.0


def adjoint(tree, xs, ys):
    loss = 0.0
    tape = []
    for x, y in zip(xs, ys):
        value, saved = predict_forward(tree, x)
        loss += (value - y) ** 2
        tape.append((value, saved))

    tree_bar = zeros_like(tree)
    for x, y in zip(reversed(xs), reversed(ys)):
        value, saved = tape.pop()
        # sum((predict(tree, x) - y) ** 2 ...) / len(ys)
        predict_reverse(tree, x, saved, 2.0 * (value - y) / len(ys), tree_bar)
    return loss / len(ys), (tree_bar,)


INPUTS = ("tree",)


def make(size, rng):
    def node(depth):
        if depth == 0:
            return {"value": float(rng.standard_normal())}
        return {"w": rng.standard_normal(3), "b": 0.1 * float(rng.standard_normal()),
                "left": node(depth - 1), "right": node(depth - 1)}

    depth, count = {"tiny": (2, 2), "full": (3, 6)}[size]
    return node(depth), rng.standard_normal((count, 3)), rng.standard_normal(count)
