"""Programs of the corpus to orders 2 and 3 in every mix of the two modes: `python -m tests.programs.mixes --count 200`.

A directional derivative is taken by a tangent, or as the product of a gradient with the direction; each of these programs is
derived three times in each of the eight ways. All must agree, and each order with differences of the one below. A way that is
refused counts for itself.
"""
from __future__ import annotations

import argparse
import collections
import copy
import inspect
import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.oracle import random_like
from tests.programs.checks import is_single, seeded
from tests.programs.corpus import BY_NAME
from tests.programs.program import Program
from tests.programs.test_forward_programs import as_floats

ORDER = 3
REASONS = {name: "the third derivative of a determinant is written with the inverse, and here the matrix has none" for name in (
    "determinants-2", "determinants-3")}       # program -> why some mixes of it raise an error of NumPy


def is_plain(x: Any) -> bool:
    return type(x) is float or isinstance(x, (np.ndarray, np.float64)) and x.dtype == np.float64


def takes_part(program: Program) -> bool:
    """Whether a program is one of numbers and arrays, by position, smooth enough to be derived three times."""
    parameters = inspect.signature(program.function).parameters.values()
    plain = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters) and not program.options
    if not plain or program.order < 2 or program.may_refuse or is_single(program) or len(parameters) < len(program.args):
        return False
    if not all(is_plain(as_floats(program.args[j])) for j in program.positions):
        return False
    with np.errstate(all="ignore"):
        return is_plain(program.run(*program.fresh()))


def weighted(function: Callable, count: int, weight: Any) -> Callable:
    """The function as one of a number."""
    names = ", ".join(f"a{j}" for j in range(count))
    text = f"def weighted({names}):\n    return np.sum(weight * function({names}))\n"
    return made(text, {"function": function, "weight": weight})


def along(function: Callable, count: int, moving: tuple[int, ...], mode: str, directions: dict[int, Any]) -> Callable:
    """The derivative of a function in a direction, in one of the modes."""
    names, inputs = ", ".join(f"a{j}" for j in range(count)), tuple(f"a{j}" for j in moving)
    space: dict[str, Any] = {f"v{j}": v for j, v in directions.items()}
    if mode == "F":
        space["push"] = sg.pushforward(function, inputs, with_value=False)
        dots = ", ".join(f"a{j}_dot=v{j}" for j in moving)
        return made(f"def along({names}):\n    return push({names}, {dots})\n", space)
    space["gradient"] = sg.grad(function, inputs)
    found, sums = "".join(f"g{j}, " for j in moving), " + ".join(f"np.sum(g{j} * v{j})" for j in moving)
    return made(f"def along({names}):\n    {found}= gradient({names})\n    return {sums}\n", space)


NUMBER = itertools.count()


def made(text: str, space: dict[str, Any]) -> Callable:
    """A function of a text, which can be found again."""
    import linecache
    file = f"<mix {next(NUMBER)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = {"np": np, **space}
    exec(compile(text, file, "exec"), space)
    return next(x for name, x in space.items() if getattr(getattr(x, "__code__", None), "co_filename", "") == file)


def derivatives(program: Program, orders: int = ORDER) -> dict[str, Any]:
    """The number that each mix of modes gives, of all orders; what is refused is there as its message."""
    rng, count = seeded(program.name), len(program.args)
    result = program.run(*program.fresh())
    weight = random_like(result, rng) if np.shape(result) else 1.0
    inputs = {j: as_floats(program.args[j]) for j in program.positions}
    directions = [{j: random_like(x, rng) for j, x in inputs.items()} for _ in range(orders)]
    args = [inputs.get(j, x) for j, x in enumerate(program.args)]
    functions: dict[str, Callable] = {"": weighted(program.function, count, weight)}
    found: dict[str, Any] = {}
    for order in range(orders):
        for mix in itertools.product("FR", repeat=order + 1):
            name, below = "".join(mix), "".join(mix[1:])
            if below not in functions:
                continue
            try:
                functions[name] = along(functions[below], count, program.positions, mix[0], directions[order])
                found[name] = float(np.sum(functions[name](*copy.deepcopy(args))))
            except SourcegradError as error:
                functions.pop(name, None)
                if isinstance(error, InternalError):
                    raise
                found[name] = str(error).splitlines()[0]
        usable = [functions[name] for name in functions if len(name) == order]
        if not usable:
            continue
        step, base = program.step, usable[-1]

        def at(factor: float, base: Callable = base, moving: dict = directions[order], step: float = step) -> float:
            moved = [x + factor * step * moving[j] if j in moving else x for j, x in enumerate(copy.deepcopy(args))]
            return float(np.sum(base(*moved)))

        found["D" * (order + 1)] = (at(1.0) - at(-1.0)) / (2.0 * step)
    return found


def verdict(program: Program) -> tuple[collections.Counter, list[str]]:
    """How many mixes of each order are right or refused, and what is wrong."""
    counted: collections.Counter = collections.Counter()
    problems: list[str] = []
    found = derivatives(program)
    for order in range(1, ORDER + 1):
        mixes = {name: x for name, x in found.items() if len(name) == order and "D" not in name}
        numbers = {name: x for name, x in mixes.items() if not isinstance(x, str)}
        counted[f"refused {order}"] += len(mixes) - len(numbers)
        if not numbers:
            continue
        scale = max(1.0, *map(abs, numbers.values()))
        middle, difference = float(np.median(list(numbers.values()))), found["D" * order]
        for name, x in numbers.items():
            same = abs(x - middle) <= 1e-8 * scale and abs(x - difference) <= 1e-4 * scale
            counted[f"{'right' if same else 'WRONG'} {order}"] += 1
            if not same:
                problems.append(f"{name}: {x}, others {middle}, differences {difference}")
    problems += [f"{name} is refused: {x}" for name, x in found.items() if isinstance(x, str)]
    return counted, problems


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    names = given.names or random.Random(given.seed).sample(list(BY_NAME), len(BY_NAME))
    total: collections.Counter = collections.Counter()
    for name in names:
        if not given.names and not takes_part(BY_NAME[name]):
            continue
        start = time.process_time()
        try:
            with np.errstate(all="ignore"):
                counted, problems = verdict(BY_NAME[name])
        except Exception as error:
            known = name in REASONS and isinstance(error, np.linalg.LinAlgError)
            counted = collections.Counter({"for a reason" if known else "FAILED": 1})
            problems = [f"{type(error).__name__}: {error}", *([REASONS[name]] if known else [])]
        total.update({**counted, "programs": 1})
        print(f"{total['programs']} {name} {time.process_time() - start:.1f} s", *problems, sep="\n    ", flush=True)
        if total["programs"] == given.count:
            break
    print({key: n for key, n in sorted(total.items()) if n})


if __name__ == "__main__":
    main()
