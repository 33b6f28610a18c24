"""Random programs at points where something is singular: `python -m tests.programs.singular_generator --count 300 --seed 1`.

Roots, logarithms, quotients, powers and angles before and after selections, at arguments with zeros, negative, large and
equal numbers, infinity and NaN. The plain text with its twin (see `sourcegrad.api.twin`) must give what the guarded text gives.
"""
from __future__ import annotations

import argparse
import collections
import linecache
import random
from collections.abc import Callable

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

UNARY = ["np.sqrt({a})", "np.log({a})", "1.0 / {a}", "{a} ** 0.5", "{a} ** -1.0", "{a} ** 1.5", "np.exp({a})", "np.arccos({a})",
         "np.abs({a})", "np.cbrt({a})", "np.log1p({a})", "np.arctanh({a})", "np.sign({a}) * {a}", "{a} * {a}", "np.sin({a})",
         "np.cumsum({a})", "{a}[::-1]"]
BINARY = ["{a} / {b}", "{a} * {b}", "{a} ** {b}", "np.arctan2({a}, {b})", "np.hypot({a}, {b})", "np.maximum({a}, {b})",
          "np.minimum({a}, {b})", "np.where({c}, {a}, {b})", "np.where({c}, {a}, 0.0)", "np.where({c}, 1.0, {b})", "{a} - {b}",
          "{a} + {b}", "root({a}) * {b}", "np.clip({a}, 0.0, 1.0) * {b}"]
TESTS = ["{a} > 0.0", "{a} != 0.0", "{a} < {b}", "np.isfinite({a})", "~np.isnan({a})", "np.abs({a}) > 1e-12"]
STATEMENTS = ["{a}[{c}] = 0.0", "{a}[{c}] *= 2.0", "{a}[0] = 1.0", "{a}[{c}] = {b}[{c}]", "{a} /= {b}", "{a} *= {b}"]
RESULTS = ["np.sum({a})", "np.sqrt(np.sum({a} * {a}))", "np.max({a})", "np.sum({a}[{c}])", "np.nansum({a})", "np.linalg.norm({a})",
           "np.mean({a}) / np.std({a})", "np.log(np.sum(np.exp({a})))"]
POINTS = [np.array(x) for x in ([0.0, 1.0, -2.0, 4.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [3.0, -1.0, 0.5, 0.25],
                                [800.0, -800.0, 1e-300, 0.0], [np.inf, 1.0, 0.0, -1.0], [np.nan, 1.0, 0.0, 2.0])]
HEAD = """\
import numpy as np


def root(v):
    return np.where(v > 0.0, np.sqrt(v), 0.0)


def f(x):
"""


def text_of(seed: int) -> str:
    """A random program."""
    r = random.Random(seed)
    names, lines = ["x"], []

    def filled(form: str) -> str:
        test = r.choice(TESTS).format(a=r.choice(names), b=r.choice(names))
        return form.format(a=r.choice(names), b=r.choice(names), c=test)

    for k in range(r.randint(2, 6)):
        lines.append(f"y{k} = {filled(r.choice(UNARY if r.random() < 0.5 else BINARY))}")
        names.append(f"y{k}")
        if r.random() < 0.3:
            name = f"z{k}"
            lines.append(f"{name} = {r.choice(names)} * 1.0")
            form = r.choice(STATEMENTS).replace("{a}", name)
            lines.append(filled(form))
            names.append(name)
    names[:-1] = names[-3:-1]
    lines.append(f"return {filled(r.choice(RESULTS))}")
    return HEAD + "".join(f"    {line}\n" for line in lines)


def function_of(seed: int) -> Callable:
    text, file = text_of(seed), f"<singular {seed}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space: dict = {}
    exec(compile(text, file, "exec"), space)
    return space["f"]                                                  # type: ignore[no-any-return]


def verdict(seed: int, order: int = 1) -> tuple[str, str]:
    """ "right", "refused" or "WRONG", and what is wrong."""
    gradient = sg.grad(function_of(seed))
    gradient = gradient if order == 1 else sg.grad(gradient, grad_outputs=np.array([1.0, -0.5, 2.0, 0.7]))
    with np.errstate(all="ignore"):
        for point in POINTS:
            try:
                found, wanted = gradient(point.copy()), gradient.guarded(point.copy())
            except SourcegradError as error:
                return ("refused" if error.origin is not None and type(error).__name__ != "InternalError" else "WRONG"), str(error)
            if not np.allclose(found, wanted, rtol=1e-9, atol=1e-12, equal_nan=True):
                return "WRONG", f"at {point}: {found} is not {wanted}"
    return "right", ""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--order", type=int, default=1)
    given = options.parse_args()
    counted: collections.Counter = collections.Counter()
    for seed in range(given.seed, given.seed + given.count):
        found, problem = verdict(seed, given.order)
        counted[found] += 1
        if found == "WRONG":
            print(seed, problem, text_of(seed), sep="\n", flush=True)
    print(dict(counted))


if __name__ == "__main__":
    main()
