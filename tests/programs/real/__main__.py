"""`python -m tests.programs.real`: all programs, ok / refused / WRONG.

With NAME [ORDER]: the text emitted for one, with line counts. With --plain: only whether they run and are smooth.
With --text: the size of all emitted texts: lines over those of the user, the longest line, guards.
"""
from __future__ import annotations

import re
import sys
import time
import warnings
from collections import Counter

import numpy as np

from tests.programs.real import load
from tests.programs.real.checks import (
    code_lines,
    emitted_text,
    expected_gradient,
    kinks,
    reached_lines,
    roughness,
    status,
    user_lines,
)


def one(name: str, order: int) -> None:
    program = load()[name]
    print(f"# user's code: {user_lines(program)} lines, inputs={program.inputs!r}")
    state, what = status(program, order)
    if state in ("ok", "WRONG"):
        text = emitted_text(program, order)
        print(text)
        emitted = code_lines(text)
        print(f"# emitted {emitted} lines ({len(text.splitlines())} with comments), user {user_lines(program)}:"
              f" {emitted / user_lines(program):.1f} times")
    print(f"order {order}: {state} {what}")


def plain() -> None:
    warnings.simplefilter("error")
    for name, program in load().items():
        start = time.perf_counter()
        try:
            value = program.run(program.fresh())
            once = time.perf_counter() - start
            gradient = expected_gradient(program)
        except Exception as error:
            print(f"{name:38} {type(error).__name__}: {error}")
            continue
        print(f"{name:38} {user_lines(program):4} lines  {1e3 * once:7.1f} ms  value {float(value):10.4g}"
              f"  n {gradient.size:3}  zeros {np.sum(np.abs(gradient) < 1e-12):3}"
              f"  largest {np.max(np.abs(gradient)):9.3g}  kink {kinks(program):.1e} {roughness(program):.1e}", flush=True)


GUARDS = r"\b(?:guard|guard_steep|guarded_inside|quotient|divide_or_zero)\("


def texts() -> None:
    ratios, physical, reached, longest, guards = [], [], [], 0, 0
    for name, program in load().items():
        if program.refused is not None:
            continue
        text = emitted_text(program)
        own = user_lines(program)
        lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        found = len(re.findall(GUARDS, "\n".join(lines)))
        widest = max(map(len, text.splitlines()))
        ratios.append(code_lines(text) / own)
        physical.append(len(lines) / own)
        reached.append(code_lines(text) / reached_lines(program))
        longest, guards = max(longest, widest), guards + found
        sizes = " ".join(f"{values[-1]:5.2f}" for values in (ratios, physical, reached))
        print(f"{name:38} {sizes}  longest {widest:4}  guards {found:3}", flush=True)
    means = [float(np.exp(np.mean(np.log(found)))) for found in (ratios, physical, reached)]
    print(f"{len(ratios)} programs, geometric means: {means[0]:.2f} logical lines, {means[1]:.2f} lines for one of the user's, "
          f"{means[2]:.2f} logical lines for one of the functions that run; "
          f"longest line {longest}, {guards} guards")


def table(orders: tuple[int, ...] = (1, 2)) -> None:
    totals: dict[int, Counter] = {order: Counter() for order in orders}
    for name, program in load().items():
        states = []
        for order in orders:
            if order > program.order:
                continue
            state, what = status(program, order)
            totals[order][state] += 1
            states.append(f"{state:8}")
            if state != "ok":
                break
        print(f"{name:38} {' '.join(states):18} {what if state != 'ok' else ''}", flush=True)
    for order in orders:
        print(f"order {order}: " + ", ".join(f"{count} {state}" for state, count in sorted(totals[order].items())))


if __name__ == "__main__":
    if sys.argv[1:] == ["--plain"]:
        plain()
    elif sys.argv[1:] == ["--text"]:
        texts()
    elif len(sys.argv) > 1:
        if sys.argv[1] not in load():
            sys.exit("usage: python -m tests.programs.real [--plain | --text | NAME [ORDER]]\n" + " ".join(load()))
        one(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    else:
        table()
