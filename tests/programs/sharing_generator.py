"""Random programs of few statements about one thing: which names are one array, or parts of one, and where that depends.

`python -m tests.programs.sharing_generator --count N --seed S` takes the options of `mutation_generator`, and prints as it.
Names, views and copies of them, branches, loops, swaps and callees; and in-place changes in between.
"""
from __future__ import annotations

import random
import sys

from tests.programs.mutation_generator import main, of_matrices
from tests.programs.mutation_oracle import Case

HEADER = """import numpy as np
w = np.random.default_rng(5).uniform(0.5, 1.5, (8, 3, 3))


def change(x, y):
    x[1] += 0.2 * y[0]
    x *= 0.95


def helper(x):
    for k in range(2):
        if x[0, 0] > 2.0:
            return x
        x[2] *= 0.9
    return x


def either(x, y, first):
    return x if first else y


def prepared(x, copy):
    if copy:
        x = x.copy()
    return x


def turned(x, back):
    if back:
        return x[::-1]
    return x.T


def rows(x, k):
    return x[k:k + 2]


def scaled(x, out=None):
    if out is None:
        out = np.empty_like(x)
    np.multiply(x, 0.9, out=out)
    return out


def program(a, b, c):
"""
VALUES = ("{x}", "{x}", "{x}", "{x}", "{x}.T", "{x}[::-1]", "{x}[:, ::-1]", "{x} * 0.9", "np.sin({x})", "{x}.reshape(3, 3)",
          "{x}[[1, 2, 0]]", "{x}.copy()", "np.asarray({x})", "either({x}, {y}, {c})", "prepared({x}, {c})", "turned({x}, {c})",
          "scaled({x})", "scaled({x}, {y})")
CHANGES = ("{x} *= 0.8", "{x}[0] = {y}[1] * 0.7", "{x}[:, 1] += 0.3", "{x} += 0.1 * {y}", "{x}[1:] *= 1.1", "{x}[...] = {y} * 0.6",
           "change({x}, {y})", "{x} = helper({x})", "{x}[0, 1] = {y}[2, 0] ** 2", "rows({x}, 1)[...] = {y}[:2] * 0.8",
           "part = rows({x}, 0); part[1] += {y}[2] * 0.3", "either({x}, {y}, {c})[1] *= 0.9", "scaled({x}, {y})")
CONDITIONS = ("c > 0", "c < 0", "np.sum(a) > 0", "c > 5")


class Writer:
    """Writes one program of some 4 to 20 statements, with at most two headers around a statement."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.names, self.lines, self.loops = rng, ["a", "b"], [], 0

    def program(self) -> str:
        for _ in range(self.rng.randint(4, 8)):
            self.statement(1)
        total = " + ".join(f"np.sum(w[{j}] * {name} ** 2)" for j, name in enumerate(self.names))
        return HEADER + "\n".join([*self.lines, f"    return {total}", ""])

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statement(self, depth: int) -> None:
        form, x, y = self.rng.random(), self.rng.choice(self.names), self.rng.choice(self.names)
        if form < 0.35:
            value = self.rng.choice(VALUES).format(x=x, y=self.rng.choice(self.names), c=self.rng.choice(CONDITIONS))
            if depth == 1 and len(self.names) < 6 and self.rng.random() < 0.5:
                y = "pqrs"[len(self.names) - 2]
                self.names.append(y)
            self.line(depth, f"{y} = {value}")
        elif form < 0.65 or depth > 2 and form < 0.95:
            self.line(depth, self.rng.choice(CHANGES).format(x=x, y=y, c=self.rng.choice(CONDITIONS)))
        elif form < 0.82:
            self.line(depth, f"if {self.rng.choice(CONDITIONS)}:")
            self.block(depth, 2)
            if self.rng.random() < 0.6:
                self.line(depth, "else:")
                self.block(depth, 2)
        elif form < 0.95:
            self.loops += 1
            self.line(depth, f"for i{self.loops} in range({self.rng.randrange(4)}):")
            self.block(depth, 3)
        else:
            self.line(depth, f"{x}, {y} = {y}, {x}")

    def block(self, depth: int, most: int) -> None:
        for _ in range(self.rng.randint(1, most)):
            self.statement(depth + 1)


def generated(seed: int) -> Case:
    """The program of a number. `a` lies as its transpose in every third."""
    return of_matrices(seed, Writer, "base.T" if seed % 3 == 0 else "base")


if __name__ == "__main__":
    sys.exit(main(generated))
