"""Forward mode of programs of many kinds: `python -m benchmarks.forward`.

Each line: statements of the generated text and of the user's functions that run, the time of value and tangent over that of the
function, and peak memory likewise. The goals are 2.0, 2.2 (geometric mean) and 2.0. A tangent that differs from differences, or a
program that is refused, makes the exit code 1. `--texts` prints what was generated.
"""
from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse  # noqa: E402
import ast  # noqa: E402
import copy  # noqa: E402
import inspect  # noqa: E402
import sys  # noqa: E402
import textwrap  # noqa: E402
import time  # noqa: E402
import tracemalloc  # noqa: E402
from collections.abc import Callable  # noqa: E402
from statistics import geometric_mean  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

import sourcegrad as sg  # noqa: E402

from . import forward_programs  # noqa: E402
from .objects import statements  # noqa: E402


def like(x: Any, rng: Any) -> Any:
    """A tangent of what an argument holds."""
    if isinstance(x, dict):
        return {key: like(item, rng) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)(like(item, rng) for item in x)
    if hasattr(x, "__dict__"):
        made = copy.copy(x)
        vars(made).update({name: like(item, rng) for name, item in vars(x).items()})
        return made
    return rng.normal(size=np.shape(x)) if np.ndim(x) else float(rng.normal())


def moved(x: Any, dot: Any, step: float) -> Any:
    """x + step dot"""
    if isinstance(x, dict):
        return {key: moved(item, dot[key], step) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)(moved(item, other, step) for item, other in zip(x, dot))
    if hasattr(x, "__dict__"):
        made = copy.copy(x)
        vars(made).update({name: moved(item, getattr(dot, name), step) for name, item in vars(x).items()})
        return made
    return x + step * dot


def flat(x: Any) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in x]) if isinstance(x, (tuple, list)) else np.ravel(x)


def statements_that_run(function: Callable, args: tuple) -> int:
    """Those of the functions and methods of its module that a call runs."""
    module: Any = sys.modules[function.__module__]
    text, ran = inspect.getsource(module), set()

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename == module.__file__:
            ran.add(frame.f_code.co_firstlineno)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function(*args)
    finally:
        sys.setprofile(before)
    tree, lines = ast.parse(text), text.splitlines()
    definitions = [node for owner in ast.walk(tree) if isinstance(owner, (ast.Module, ast.ClassDef))
                   for node in owner.body if isinstance(node, ast.FunctionDef)]
    return sum(statements(textwrap.dedent("\n".join(lines[node.lineno - 1:node.end_lineno])))
               for node in definitions if node.lineno in ran)


def best(functions: list[Callable]) -> list[float]:
    """The least processor time of each, in turn."""
    counts, least = [], [float("inf")] * len(functions)
    for function in functions:
        start = time.perf_counter()
        function()
        counts.append(max(1, int(0.01 / (time.perf_counter() - start + 1e-9))))
    for _ in range(15):
        for j, (function, count) in enumerate(zip(functions, counts)):
            start = time.process_time()
            for _ in range(count):
                function()
            least[j] = min(least[j], (time.process_time() - start) / count)
    return least


def peak(function: Callable) -> int:
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def row(function: Callable, inputs: Any, args: tuple, text: bool) -> tuple[float, float, float]:
    """Statements, time and memory over those of the function."""
    made, rng = sg.pushforward(function, inputs), np.random.default_rng(1)
    names = list(inspect.signature(function).parameters)
    dots = {made._tangents[name]: like(args[names.index(name)], rng) for name in made._tangents}

    def both() -> Any:
        return made(*args, **dots)

    for _ in range(3):
        value, tangent = both()
    ends = [flat(function(*(moved(x, dots[made._tangents[name]], step) if name in made._tangents else x
                            for name, x in zip(names, args)))) for step in (1e-6, -1e-6)]
    expected, found = (ends[0] - ends[1]) / 2e-6, flat(tangent)
    if not np.allclose(found, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max()):
        raise AssertionError(f"{function.__name__}: the tangent is wrong")
    if text:
        print(made.source)
    count, own = statements(str(made.source)), statements_that_run(function, args)
    alone, whole = best([lambda: function(*args), both])
    memory = peak(both) / max(peak(lambda: function(*args)), 1)
    print(f"{function.__name__:16}{count:>6}{own:>6}{count / own:>8.2f}{alone * 1e6:>10.0f}us{whole / alone:>8.2f}{memory:>8.2f}",
          flush=True)
    return count / own, whole / alone, memory


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forward", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="NAME", default="", help="only programs with this in their name")
    parser.add_argument("--texts", action="store_true", help="also print the generated texts")
    options = parser.parse_args(argv)
    print(f"{'':16}{'text':>6}{'own':>6}{'ratio':>8}{'function':>12}{'time':>8}{'memory':>8}")
    rows, failed = [], False
    for function, inputs, args in forward_programs.programs():
        if options.only not in function.__name__:
            continue
        try:
            rows.append(row(function, inputs, args, options.texts))
        except (sg.SourcegradError, AssertionError) as error:
            failed = True
            print(f"{function.__name__:16}{str(error).splitlines()[0]}", flush=True)
    if rows:
        means = [geometric_mean(column) for column in zip(*rows)]
        print(f"{f'mean of {len(rows)}':28}{means[0]:>8.2f}{'':12}{means[1]:>8.2f}{means[2]:>8.2f}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
