"""`python -m benchmarks --scaling`: what a gradient costs must not depend on how long its loops are.

Time: gradient over function for each loop of `loops.py` at two lengths, and how much that grows. A store costs what it writes, so
the growth is 1. Memory: the peak of the gradient over that of the function and its arguments, likewise (beyond what a call with few
items takes); and for kernels that are linear and save nothing, over the bytes of their arguments by the number of steps.
"""
import gc
import time
import tracemalloc

import numpy as np

import sourcegrad as sg

from . import loops, pairs
from .peers import failure
from .timing import without_collector

LENGTHS = (1_000, 64_000)
MEMORY = (4_000, 64_000)      # (Python shares small whole numbers, which tapes of positions are full of)
STEPS = (5, 20, 80)
GROWTH = 1.3                      # above it a row is marked, and the exit code is 1


def argument(function, n):
    x = np.linspace(1.0, 2.0, n)
    return x.tolist() if function in loops.LISTS else x


def seconds(function, args, budget):
    """The shortest of some calls, each on arguments of its own."""
    samples: list[float] = []
    while len(samples) < 3 or sum(samples) < budget:
        given = [arg.copy() for arg in args]
        begin = time.process_time()
        function(*given)
        samples.append(time.process_time() - begin)
    return min(samples)


def peak(function, args):
    """Most bytes allocated at one time during a call."""
    gc.collect()
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def loop_row(function, budget):
    """Gradient over function at both lengths: time, then memory."""
    gradient, times, bytes_, few = sg.grad(function), [], [], argument(function, 16)
    for _ in range(3):                                  # the first calls generate code and try it, beside the gradient
        gradient(few)
    least = [peak(f, (few,)) for f in (gradient, function)]
    for n in LENGTHS:
        x = argument(function, n)
        with without_collector():
            times.append(seconds(gradient, (x,), budget) / seconds(function, (x,), budget))
    for n in MEMORY:
        x = argument(function, n)
        bytes_.append((peak(gradient, (x,)) - least[0]) / (peak(function, (x,)) - least[1] + 8 * n))
    return [*times, times[1] / times[0], *bytes_, bytes_[1] / bytes_[0]]


def loop_rows(budget, only=()):
    for function in loops.LOOPS:
        if not only or any(name in function.__name__ for name in only):
            try:
                yield function.__name__, loop_row(function, budget)
            except Exception as error:
                yield function.__name__, failure(error)


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


def kernel_rows():
    """Emitted and golden peaks over the bytes of the arguments, for each number of steps."""
    for name, pair_name, make in linear_cases():
        pair = pairs.load(pair_name)
        for kind in ("golden", "emitted"):
            try:
                function = pair.adjoint if kind == "golden" else sg.value_and_grad(pair.primal, inputs=pair.INPUTS)
                for _ in range(5):
                    function(*make(STEPS[0]))
                cells = [peak(function, make(steps)) / sum(np.asarray(arg).nbytes for arg in make(steps)) for steps in STEPS]
            except Exception as error:
                yield f"{name} ({kind})", failure(error)
            else:
                yield f"{name} ({kind})", cells


def print_table(title, heads, rows):
    """Print rows as they come; the names of those that are not flat."""
    print(title)
    print(f"{'':28}" + "".join(f"{head:>12}" for head in heads))
    steep = []
    for name, cells in rows:
        grown = isinstance(cells, str) or len(cells) == 6 and max(cells[2], cells[5]) > GROWTH
        steep += [name] if grown else []
        line = f"  {cells}" if isinstance(cells, str) else "".join(f"{cell:12.2f}" for cell in cells)
        print(f"{name:28}{line}{'  <' if grown else ''}", flush=True)
    print(flush=True)
    return steep


def scaling(quick, only=()):
    """Print both tables; the loops whose gradient grows faster than they do."""
    heads = [*(f"time {n}" for n in LENGTHS), "growth", *(f"mem {n}" for n in MEMORY), "growth"]
    steep = print_table("gradient / function (growth 1 is right)", heads, loop_rows(0.02 if quick else 0.3, only))
    if not only:
        print_table("peak memory of the gradient / bytes of the arguments, by steps (flat is right)", STEPS, kernel_rows())
    return steep
