"""Tensors against PyTorch eager, HIPS autograd and MyGrad, in one run: microseconds an operation, milliseconds a training step.

    python -m benchmarks --tensors

Candidates take turns; the best of many turns counts (what the machine can do, not what else it did), PyTorch on one thread. A
chain is 1,000 operations on three numbers, forward and backward; a training step is an MLP of 64-256-256-10 on a batch of 64: loss,
backward and SGD.
"""
from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import sourcegrad as sg

LENGTH = 250                                    # rounds of four operations
SIZES = (64, 256, 256, 10)
BATCH = 64


def best(candidates: dict[str, Callable], turns: int) -> dict[str, float]:
    """The least CPU time of each candidate over interleaved turns, in seconds."""
    found = dict.fromkeys(candidates, float("inf"))
    for _ in range(turns):
        for name, run in candidates.items():
            start = time.thread_time()
            run()
            found[name] = min(found[name], time.thread_time() - start)
    return found


def chain(sin: Callable, x: Any, w: Any) -> Any:
    y = x
    for _ in range(LENGTH):
        y = y * w
        y = y + x
        y = sin(y)
        y = y * 0.5
    return y.sum()


def chains() -> dict[str, Callable]:
    values = np.array([0.1, 0.2, 0.3]), np.array([1.1, 1.2, 1.3])

    def tensors(module: Any) -> Callable:
        x, w = (module.tensor(v, requires_grad=True) for v in values)
        return lambda: chain(module.sin, x, w).backward()

    x, w = (sg.tensor(v, requires_grad=True) for v in values)
    recorded = sg.record(lambda x, w: chain(sg.sin, x, w))
    recorded(x, w)
    found = {"sourcegrad": tensors(sg), "recorded": lambda: recorded(x, w).backward()}
    for name, module in peers().items():
        if name == "torch":
            found["torch"] = tensors(module)
        elif name == "autograd":
            gradient = module.grad(lambda x, w, sin=module.numpy.sin: chain(sin, x, w), (0, 1))
            found["autograd"] = lambda gradient=gradient: gradient(*values)
        elif name == "mygrad":
            mx, mw = (module.tensor(v) for v in values)
            found["mygrad"] = lambda module=module, mx=mx, mw=mw: chain(module.sin, mx, mw).backward()
    return found


def peers() -> dict[str, Any]:
    found: dict[str, Any] = {}
    try:
        import torch
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        found["torch"] = torch
    except ImportError:
        pass
    try:
        import autograd
        import autograd.numpy
        found["autograd"] = autograd
    except ImportError:
        pass
    try:
        import mygrad
        found["mygrad"] = mygrad
    except ImportError:
        pass
    return found


@sg.differentiable
def mlp(x, w1, b1, w2, b2, w3, b3, target):
    h = np.maximum(x @ w1 + b1, 0.0)
    h = np.maximum(h @ w2 + b2, 0.0)
    scores = h @ w3 + b3
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(logs * target, axis=1))


def steps() -> dict[str, Callable]:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(BATCH, SIZES[0]))
    target = np.eye(SIZES[-1])[rng.integers(0, SIZES[-1], BATCH)]
    weights = [v for n, m in zip(SIZES, SIZES[1:]) for v in (rng.normal(size=(n, m)) / np.sqrt(n), np.zeros(m))]

    def by_operations(module: Any) -> Callable:
        params = [module.tensor(v, requires_grad=True) for v in weights]
        x, y = module.tensor(data), module.tensor(target)
        optimizer = module.optim.SGD(params, lr=1e-3)

        def step() -> None:
            optimizer.zero_grad()
            w1, b1, w2, b2, w3, b3 = params
            h = module.relu(x @ w1 + b1)
            h = module.relu(h @ w2 + b2)
            logs = module.log_softmax(h @ w3 + b3, dim=1)
            (-(logs * y).sum(1).mean()).backward()
            optimizer.step()

        return step

    params = [sg.tensor(v, requires_grad=True) for v in weights]
    optimizer = sg.optim.SGD(params, lr=1e-3)

    def one_function() -> None:
        optimizer.zero_grad()
        mlp(data, *params, target).backward()
        optimizer.step()

    found = {"sourcegrad, operations": by_operations(sg), "sourcegrad, one function": one_function}
    if "torch" in peers():
        found["torch"] = by_operations(peers()["torch"])
    return found


def main(turns: int = 200) -> None:
    candidates = chains()
    for run in candidates.values():
        run()
    times = best(candidates, turns)
    operations = 4 * LENGTH
    print(f"chain of {operations} small operations, forward and backward, us an operation")
    for name, seconds in times.items():
        against = f"   {seconds / times['torch']:.2f} of PyTorch" if "torch" in times and name != "torch" else ""
        print(f"  {name:26} {seconds / operations * 1e6:8.2f}{against}")
    candidates = steps()
    for run in candidates.values():
        run()
    times = best(candidates, turns)
    print(f"training step of an MLP {'-'.join(map(str, SIZES))}, batch {BATCH}, ms")
    for name, seconds in times.items():
        against = f"   {seconds / times['torch']:.2f} of PyTorch" if "torch" in times and name != "torch" else ""
        print(f"  {name:26} {seconds * 1e3:8.2f}{against}")


if __name__ == "__main__":
    main()
