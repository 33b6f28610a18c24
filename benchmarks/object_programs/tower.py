"""A residual network whose layers stand in a dict under computed names.

The adjoint is a dict of the same form, no wider than what is active.
"""
import numpy as np


def primal(params, x, target, depth, decay):
    h = x
    for k in range(depth):
        block = params[f"block{k}"]
        h = h + params["scale"] * np.tanh(h @ block["w"] + block["b"])
    loss = np.mean((h[:, 0] - target) ** 2)
    for name, block in params.items():
        if name.startswith("block"):
            loss += decay * np.sum(block["w"] ** 2)
    return loss


def adjoint(params, x, target, depth, decay):
    h = x
    tape = []
    for k in range(depth):
        block = params[f"block{k}"]
        tanh = np.tanh(h @ block["w"] + block["b"])
        tape.append((h, tanh))
        h = h + params["scale"] * tanh
    error = h[:, 0] - target
    loss = np.mean(error ** 2)
    for name, block in params.items():
        if name.startswith("block"):
            loss += decay * np.sum(block["w"] ** 2)

    params_bar = {"scale": 0.0}
    # for name, block in params.items(): ...
    for name, block in params.items():
        if name.startswith("block"):
            params_bar[name] = {"w": 2.0 * decay * block["w"], "b": np.zeros(block["b"].shape)}
    # loss = np.mean((h[:, 0] - target) ** 2)
    h_bar = np.zeros(h.shape)
    h_bar[:, 0] = 2.0 / len(error) * error
    for k in reversed(range(depth)):
        block, block_bar = params[f"block{k}"], params_bar[f"block{k}"]
        h, tanh = tape.pop()
        # h = h + params["scale"] * np.tanh(h @ block["w"] + block["b"])
        params_bar["scale"] += np.sum(h_bar * tanh)
        z_bar = params["scale"] * h_bar * (1.0 - tanh ** 2)
        block_bar["w"] += h.T @ z_bar
        block_bar["b"] += np.sum(z_bar, axis=0)
        h_bar += z_bar @ block["w"].T
    return loss, (params_bar,)


INPUTS = ("params",)


def make(size, rng):
    depth, width = {"tiny": (2, 2), "full": (4, 3)}[size]
    params = {f"block{k}": {"w": 0.4 * rng.standard_normal((width, width)), "b": rng.standard_normal(width)} for k in range(depth)}
    params["scale"] = 0.7
    return params, rng.standard_normal((5, width)), rng.standard_normal(5), depth, 0.01
