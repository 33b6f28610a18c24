"""Random programs whose options are known when code is generated: flags, None, texts, counts decide branches, exits and loops.

SOURCEGRAD_SWITCHES sets how many are tried. Those that were wrong once are in tests/kinds/test_exits_by_options.py, made small.
"""
from __future__ import annotations

import os
import random

import pytest

from tests.programs.mutation_oracle import DISCARDED, OK
from tests.programs.object_generator import verdicts

PROGRAMS = int(os.environ.get("SOURCEGRAD_SWITCHES", "16"))
SEED = int(os.environ.get("SOURCEGRAD_SEED", "0"))
SHARES = 4

NUMBERS = ("0.5", "1.5", "-0.3", "2.0", "0.1")
KNOWN = ("flag", "not flag", "opt is None", "opt is not None", "mode == 'a'", "mode != 'b'", "mode in ('a', 'c')", "n > 1",
         "n == 0", "n", "bool(n)", "ON", "not ON", "LIMIT is None", "cfg['k']", "cfg['s'] == 'u'", "isinstance(opt, float)",
         "callable(hook)", "hook")
FORMS = ("({a} + {b})", "({a} * {b})", "({a} - {b})", "np.sin({a})", "np.tanh({a})", "{a} / (1.0 + {b} ** 2)",
         "np.exp(-({a}) ** 2)", "math.cos(0.3) * {a}", "({a} if {c} else {b})")
HEADS = ("for {i} in range(3):", "for {i} in range(n):", "for {i} in range(n + 1):", "for {i} in [0.1, 0.2]:",
         "for {i}, weight in enumerate([0.3, 0.4]):")
OPTIONS = "flag={}, opt={}, mode={}, n={}, hook=None, cfg={{'k': {}, 's': {}}}"


class Writer:
    """Writes a program from a seed; all values stay bounded enough to be compared."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0

    def expression(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.random.choice(("x", "y", "x", "y", self.random.choice(NUMBERS)))
        parts = {"a": self.expression(depth - 1), "b": self.expression(depth - 1), "c": self.condition()}
        return self.random.choice(FORMS).format(**parts)

    def condition(self) -> str:
        known, other = self.random.choice(KNOWN), self.random.choice(KNOWN)
        number = f"{self.random.choice('xy')} > {self.random.choice(NUMBERS)}"
        return self.random.choice((known, known, known, number, f"{known} and {number}", f"{known} or {number}",
                                   f"{known} and ({other} or {number})", f"not ({known} and {number})"))

    def block(self, depth: int, in_loop: bool = False) -> list[str]:
        return [f"    {line}" for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, in_loop)]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        kind, target = self.random.random(), self.random.choice("xy")
        if depth == 0 or kind < 0.35:
            op = self.random.choice(("=", "=", "=", "+=", "*=", "-="))
            return [f"{target} {op} {self.expression()}"]
        if kind < 0.55:
            lines = [f"if {self.condition()}:", *self.block(depth - 1, in_loop)]
            if self.random.random() < 0.4:
                lines += [f"elif {self.condition()}:", *self.block(depth - 1, in_loop)]
            return [*lines, "else:", *self.block(depth - 1, in_loop)] if self.random.random() < 0.5 else lines
        if kind < 0.8:
            self.names += 1
            name = f"k{self.names}"
            if kind < 0.72:
                return [self.random.choice(HEADS).format(i=name), *self.block(depth - 1, True)]
            limit = self.random.choice(("3", "n", f"2 and {self.random.choice(KNOWN)}"))
            return [f"{name} = 0", f"while {name} < {limit}:", f"    {name} += 1", *self.block(depth - 1, True)]
        if kind < 0.88 and in_loop:
            return [f"if {self.condition()}:", f"    {self.random.choice(('break', 'continue', 'break'))}"]
        if kind < 0.95:
            return [f"if {self.condition()}:", f"    return {self.expression()}"]
        return [f"xs = [{self.expression(1)} for _ in range(n + 1)]", f"{target} = sum(xs)"]

    def program(self) -> str:
        choice = self.random.choice
        given = OPTIONS.format(choice(("True", "False")), choice(("None", "0.7")), choice(("'a'", "'b'")), choice("0123"),
                               choice("01"), choice(("'u'", "'v'")))
        handed_on = choice(("", ", flag=flag", ", flag=False, n=0", ", n=n, mode=mode", ", opt=opt, n=2"))
        return "\n".join([
            "import math", "import numpy as np", f"ON = {choice(('True', 'False'))}", f"LIMIT = {choice(('None', '0.5'))}",
            "def inner(x, y, flag=True, opt=None, mode='a', n=1, hook=None, cfg={'k': 1, 's': 'u'}):", *self.block(2),
            f"    return {self.expression()}", f"def program(p, {given}):", "    x, y = p[0] + 0.1 * p[2], p[1]", *self.block(3),
            f"    x = inner(x, y{handed_on})", *self.block(3), f"    return {self.expression()} + 0.1 * x * y * p[2]", ""])


@pytest.mark.parametrize("share", range(SHARES))
def test_random_options(share: int) -> None:
    first = 100_000 * (SEED + 1) + share * PROGRAMS
    counts = verdicts(Writer, range(first, first + PROGRAMS // SHARES), 1)
    assert counts[OK] >= (PROGRAMS // SHARES - counts[DISCARDED]) // 2 - 1       # about one of twelve is refused


def test_second_derivatives() -> None:
    assert verdicts(Writer, range(900_000, 900_000 + PROGRAMS // 4), 2)[OK] >= PROGRAMS // 8
