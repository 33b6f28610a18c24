"""Gradients of long loops in a tenth and a hundredth of the memory: `python -m benchmarks.memory`.

Each line: time and peak of the gradient with everything on the tape, then with `memory=`: its peak, how many turns are computed
again for each, its time over that with the tape, and over the theoretical optimum: the time with the tape and that of the turns
that the binomial schedule computes again, at the speed of the function itself. That is to be at most 1.15. Times are those of the
processor, the least of several runs.
"""
from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import tracemalloc  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

import sourcegrad as sg  # noqa: E402
from sourcegrad.runtime import checkpoints  # noqa: E402

RNG = np.random.default_rng(0)
BOUND, RUNS = 1.15, 5


def heat(u: Any, kappa: Any, n: int) -> Any:
    u = u.copy()
    for _ in range(n):
        v = u[1:-1, 1:-1]
        u[1:-1, 1:-1] = v + kappa * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * v) - 1e-4 * v ** 3
    return np.sum(u ** 2)


def lstm(W: Any, b: Any, xs: Any, h: Any, c: Any) -> Any:
    for x in xs:
        i, f, o, g = np.split(W @ np.concatenate([x, h]) + b, 4)
        c = c / (1.0 + np.exp(-f)) + np.tanh(g) / (1.0 + np.exp(-i))
        h = np.tanh(c) / (1.0 + np.exp(-o))
    return np.sum(h * h)


def rnn(W: Any, U: Any, b: Any, xs: Any, h: Any) -> Any:
    loss = 0.0
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)
        loss += np.sum(h ** 2)
    return loss


def cases(quick: bool) -> list[tuple[Callable, Any, tuple]]:
    steps, turns = (2_000, 2_000) if quick else (100_000, 10_000)
    size, xs, u = 32, RNG.normal(size=(turns, 16)), RNG.random((24, 24))
    W, b, zero = 0.3 * RNG.normal(size=(4 * size, size + 16)), np.zeros(4 * size), np.zeros(size)
    V, U, c = 0.1 * RNG.normal(size=(64, 64)), RNG.normal(size=(64, 16)), np.zeros(64)
    return [(lstm, ("W", "b"), (W, b, xs, zero, zero)), (rnn, ("W", "U", "b"), (V, U, c, xs, c)),
            (heat, ("u", "kappa"), (u, 0.1, steps // 10)), (heat, ("u", "kappa"), (u, 0.1, steps))]


def seconds(functions: list[Callable], args: tuple) -> list[float]:
    """The least time of each, in turn."""
    best = [float("inf")] * len(functions)
    for _ in range(RUNS):
        for j, function in enumerate(functions):
            start = time.process_time()
            function(*args)
            best[j] = min(best[j], time.process_time() - start)
    return best


def peak(function: Callable, args: tuple) -> int:
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def planned(function: Callable, args: tuple) -> tuple[int, int]:
    """Parts and snapshots of the loop of a gradient."""
    found: list[tuple[int, int]] = []
    choose = checkpoints.chosen

    def noted(*given: Any) -> tuple[int, int]:
        found.append(choose(*given))
        return found[-1]

    checkpoints.chosen = noted
    try:
        function(*args)
    finally:
        checkpoints.chosen = choose
    return found[-1]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="NAME", default="", help="only cases with this in their name")
    parser.add_argument("--quick", action="store_true", help="2,000 turns instead of 1e4 to 1e5")
    options = parser.parse_args(argv)
    print(f"{'':<14} {'memory':>8} {'peak MB':>9} {'parts':>6} {'held':>5} {'again':>6} {'s':>8} {'of tape':>8} {'of optimum':>10}")
    slow = False
    for function, inputs, args in (case for case in cases(options.quick) if options.only in case[0].__name__):
        turns = len(args[2]) if function is lstm else len(args[3]) if function is rnn else args[2]
        plain = sg.grad(function, inputs)
        plain(*args)
        whole = peak(plain, args)
        less = [sg.grad(function, inputs, memory=whole // part) for part in (10, 100)]
        plans = [planned(gradient, args) for gradient in less]
        own, taped, *times = seconds([function, plain, *less], args)
        print(f"{function.__name__:<6} {turns:>7} {'all':>8} {whole / 1e6:>9.2f} {1:>6} {'':>5} {0:>6.2f} {taped:>8.3f} {1:>8.2f}")
        for part, gradient, (parts, snapshots), spent in zip((10, 100), less, plans, times):
            again = checkpoints.advances(parts, snapshots) / parts
            over = spent / (taped + again * own)
            slow |= over > BOUND
            most = peak(gradient, args) / 1e6
            print(f"{'':<14} {f'1/{part}':>8} {most:>9.2f} {parts:>6} {snapshots:>5} {again:>6.2f} {spent:>8.3f}"
                  f" {spent / taped:>8.2f} {over:>10.2f}", flush=True)
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
