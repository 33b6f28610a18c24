"""`python -m benchmarks.mutation [--quick]`: what stores into arrays cost.

Time: a gradient over its primal, for arrays of growing length. A store costs what it writes, so every row is flat.
Memory: the peak that the gradient allocates beyond its arguments, over the bytes of the primal's arrays, for
kernels that are linear and save nothing; with the number of steps it must not grow.
"""
import argparse
import time
import tracemalloc
from statistics import median

import numpy as np

import sourcegrad as sg

from . import pairs
from .cases import copies
from .peers import failure

LENGTHS = (1_000, 10_000, 100_000)
STEPS = (5, 20, 80)
TRIPS = 200


def element_stores(x, trips):
    """As many element stores, whatever the length of the array."""
    y = x * 1.0
    for k in range(trips):
        y[k] = y[k + 1] * y[k]
    return y[0] * y[trips]


def element_loop(x):
    """A store for every element."""
    y = x * 1.0
    for i in range(1, len(y)):
        y[i] = 0.5 * y[i - 1] + y[i] * y[i]
    return y[-1]


def slice_steps(x, steps):
    """A stencil on slices."""
    y = x * 1.0
    for _ in range(steps):
        y[1:-1] = y[1:-1] + 0.1 * y[1:-1] * (y[2:] - 2.0 * y[1:-1] + y[:-2])
    return np.sum(y)


def store_in_argument(x, trips):
    """Element stores into the argument itself: one copy of it is allowed."""
    for k in range(trips):
        x[k] *= x[k + 1]
    return x[0] * x[trips]


LOOPS = (("element stores, 200 steps", element_stores, (TRIPS,)),
         ("the same in an argument", store_in_argument, (TRIPS,)),
         ("element loop, n steps", element_loop, ()),
         ("slice stencil, 20 steps", slice_steps, (20,)))


def seconds(function, args, budget):
    """Median time of a call on the same arguments."""
    samples, start = [], time.perf_counter()
    while len(samples) < 3 or time.perf_counter() - start < budget:
        begin = time.perf_counter()
        function(*args)
        samples.append(time.perf_counter() - begin)
    return median(samples)


def time_row(function, extra, budget):
    """Gradient over primal at each length, both with one copy of the argument."""
    gradient = sg.grad(function)
    cells = []
    for n in LENGTHS:
        args = (np.random.default_rng(1).uniform(0.1, 0.9, n), *extra)
        gradient(*args)
        primal = seconds(lambda *given: function(*copies(given)), args, budget)
        cells.append(seconds(gradient, args, budget) / primal)
    return cells


def linear_cases():
    """Name, function and arguments from a number of steps."""
    rng = np.random.default_rng(1)
    matrix, box = rng.standard_normal((2, 40, 40)), rng.standard_normal((2, 12, 12, 12))
    fields = rng.standard_normal((3, 40, 40))
    square = rng.standard_normal((4, 40, 40)) / 8.0
    return (("jacobi_2d", "jacobi_2d", lambda steps: (steps, *matrix)),
            ("heat_3d", "heat_3d", lambda steps: (steps, *box)),
            ("seidel_2d", "seidel_2d", lambda steps: (steps // 4 + 2, 40, matrix[0])),
            ("fdtd_2d", "fdtd_2d", lambda steps: (*fields, np.linspace(0.0, 1.0, steps))),
            ("k2mm", "k2mm", lambda steps: (1.5, 1.2, *square)))


def peak(function, args):
    """Most bytes allocated at one time during a call."""
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def memory_rows():
    """Emitted and golden peaks over the bytes of the arguments, for each number of steps."""
    for name, pair_name, make in linear_cases():
        pair = pairs.load(pair_name)
        for kind in ("golden", "emitted"):
            try:
                function = pair.adjoint if kind == "golden" else sg.value_and_grad(pair.primal, inputs=pair.INPUTS)
                for _ in range(5):                          # the first calls generate code and try it, beside the gradient
                    function(*make(STEPS[0]))
                cells = []
                for steps in STEPS:
                    args = make(steps)
                    cells.append(peak(function, args) / sum(np.asarray(arg).nbytes for arg in args))
            except Exception as error:
                yield f"{name} ({kind})", failure(error)
            else:
                yield f"{name} ({kind})", cells


def print_table(title, heads, rows):
    print(title)
    print(f"{'':28}" + "".join(f"{head:>12}" for head in heads))
    for name, cells in rows:
        print(f"{name:28}" + (f"  {cells}" if isinstance(cells, str) else "".join(f"{cell:12.2f}" for cell in cells)))
    print(flush=True)


def time_rows(budget):
    for name, function, extra in LOOPS:
        try:
            yield name, time_row(function, extra, budget)
        except Exception as error:
            yield name, failure(error)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description="What stores into arrays cost.")
    parser.add_argument("--quick", action="store_true", help="0.05 s for each figure, not 0.5 s")
    options = parser.parse_args(argv)
    print_table("gradient time / primal time, by length of the array (flat is right)", [f"{n:.0e}" for n in LENGTHS],
                time_rows(0.05 if options.quick else 0.5))
    print_table("peak memory of the gradient / bytes of the arguments, by steps (flat is right)", STEPS, memory_rows())


if __name__ == "__main__":
    main()
