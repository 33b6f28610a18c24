"""`python -m benchmarks.guards`: what a call of a gradient function costs beside the work, where an argument holds much.

Each row is a function of an object with so many parts. The guards are the call without the generated code that it ends in;
the ratio is call over that code. With `--worth` the kinds of all arguments are asked for, too, which is what a call that is
like none before does.
"""
import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad import kinds
from sourcegrad.runtime.structure import reached

COUNTS = (3, 30, 150)


class Layer:
    def __init__(self, j: int) -> None:
        self.w, self.b, self.name, self.steps = 1.0 + j, 0.5 * j, f"layer {j}", [1.0, 2.0, float(j)]
        self.options = {"rate": 0.1 * j, "mode": "fast", "order": j}


class Model:
    """Objects, dicts and lists in each other."""

    def __init__(self, count: int) -> None:
        self.layers = [Layer(j) for j in range(count)]
        self.tables = {f"table {j}": {"a": float(j), "b": [1.0, 2.0]} for j in range(count)}
        self.scale, self.first = 2.0, Layer(3)


def few(x: Any, model: Model) -> Any:
    return np.sum(x * x) * model.scale + model.first.options["rate"] * x[0]


def numbers(x: Any, model: Model) -> Any:
    total = 0.0
    for layer in model.layers:
        total = total + layer.w * np.sum(x)
    return total


def layers(x: Any, model: Model) -> Any:
    total = 0.0
    for layer in model.layers:
        total = total + layer.w * np.sum(x * x) * layer.options["rate"] + layer.steps[0]
    return total


def tables(x: Any, model: Model) -> Any:
    total = 0.0
    for table in model.tables.values():
        total = total + table["a"] * np.sum(x * x)
    return total


def parts(model: Any) -> int:
    """How many values a model holds."""
    held = reached([model]).values()
    return 1 + sum(len(x) if isinstance(x, (list, dict)) else len(vars(x)) for x in held)


def seconds(call: Callable, turns: int = 7, budget: float = 0.05) -> float:
    """The least time of one call."""
    count, best = 1, float("inf")
    for _ in range(turns):
        start = time.process_time()
        for _ in range(count):
            call()
        spent = time.process_time() - start
        best = min(best, spent / count)
        count = max(1, int(budget / max(best, 1e-9)))
    return best


def row(function: Callable, count: int) -> tuple[str, int, float, float, float]:
    x, model, gradient = np.ones(5), Model(count), sg.grad(function)
    for _ in range(4):
        gradient(x, model)
    emitted = gradient._last[0].function
    return (function.__name__, parts(model), seconds(lambda: gradient(x, model)), seconds(lambda: emitted(x, model)),
            seconds(lambda: kinds.kind_of(model, "model", {})))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guards", description="What guards of large objects cost.")
    parser.add_argument("--worth", action="store_true", help="also what it costs to ask for all kinds")
    worth = parser.parse_args().worth
    print(f"{'reads':8} {'parts':>6} {'call':>10} {'work':>10} {'guards':>10} {'ratio':>6}" + f" {'all kinds':>10}" * worth)
    for function in (few, numbers, layers, tables):
        for count in COUNTS:
            name, held, call, work, asked = row(function, count)
            figures = [f"{1e6 * value:7.1f} us" for value in (call, work, call - work)]
            print(f"{name:8} {held:6} {' '.join(figures)} {call / work:6.2f}" + f" {1e6 * asked:7.0f} us" * worth)


if __name__ == "__main__":
    main()
