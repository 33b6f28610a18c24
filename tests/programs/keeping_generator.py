"""Random programs whose objects keep arrays and parts of them, in methods: who holds what, and what changes it afterwards.

`python -m tests.programs.keeping_generator --count N --seed S` takes the options of `mutation_generator`, and prints as it.
A class with two matrices, a row, a list and a dict, any of which may be (parts of) one array or of the caller's; its methods
keep, exchange, replace and change them, and call each other. All matrices are 3x3 and all rows have three elements.
"""
from __future__ import annotations

import random
import sys

from tests.programs.mutation_generator import main, of_matrices
from tests.programs.mutation_oracle import Case

HEADER = """import numpy as np
w = np.random.default_rng(5).uniform(0.5, 1.5, (12, 3, 3))


"""
PARTS = ("{m}", "{m}", "{m}", "{m}.T", "{m}[::-1]", "{m}[:, ::-1]", "{m} * 0.9", "{m}.copy()", "np.asarray({m})", "{m} + {n}")
ROWS = ("{m}[{k}]", "{m}[{k}]", "{m}[:, {k}]", "{r}", "{r}[::-1]", "{r} * 1.1", "{m}[i + {k} - i]", "{m}.sum(0)")
CHANGES = ("{m} *= 0.8", "{m}[{k}] = {r} * 0.7", "{m}[:, 1] += 0.3", "{m} += 0.1 * {n}", "{m}[1:] *= 1.1", "{m}[...] = {n} * 0.6",
           "{m}[0, 1] = {n}[2, 0] ** 2", "{r} *= 0.9", "{r}[{k}] = {m}[0, 0] * 0.4", "{r} += {m}[{k}] * 0.2",
           "{m}[{k}][1] = 0.3 * {r}[0]", "{r}[i + 1 - i] += 0.2")
CONDITIONS = ("c > 0", "c < 0", "i > 0", "np.sum(w[0]) > 0", "c > 5")


class Writer:
    """Writes a class of two to four methods, and a program that uses one or two objects of it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.lines, self.loops = rng, [], 0
        self.methods: list[tuple[str, str]] = []        # name, what it gives

    def program(self) -> str:
        text = HEADER + self.the_class()
        self.lines, self.names, self.objects = [], ["a", "b"], []
        self.line(1, "i = 0")
        self.line(1, f"o = Keeper({self.pick(['a', 'b', 'a * 1.1'])}, {self.pick(['b', 'a', 'b.copy()'])})")
        self.objects = ["o"]
        if self.rng.random() < 0.3:
            self.line(1, f"u = Keeper({self.part()}, {self.part()})")
            self.objects.append("u")
        for _ in range(self.rng.randint(3, 7)):
            self.statement(1)
        shown = [*self.names, *(f"{o}.{x}" for o in self.objects for x in ("v", "w", "row", "kept[0]", "table['k']"))]
        total = " + ".join(f"np.sum(w[{j}] * {x} ** 2)" for j, x in enumerate(shown))
        return text + "\n".join(["def program(a, b, c):", *self.lines, f"    return {total}", ""])

    def the_class(self) -> str:
        self.names, self.objects = ["v", "w"], []
        w, kept = self.pick(["w", "w", "w.copy()", "v", "v[::-1]", "w.T"]), self.pick(["[v]", "[w]", "[]", "[w.T, v]", "[v[::-1]]"])
        if kept == "[]":
            kept = "[]\n        self.kept.append(self.v)"
        lines = ["class Keeper:", "    def __init__(self, v, w):", f"        self.v = {self.pick(['v', 'v', 'v.copy()', 'v.T'])}",
                 f"        self.w = {w}", f"        self.kept = {kept}",
                 f"        self.row = {self.pick(['v[0]', 'w[1]', 'v[:, 2]', 'self.w[0]', 'np.ones(3)'])}",
                 f"        self.table = {{'k': {self.pick(['v', 'w', 'self.w', 'v * 0.5'])}}}"]
        self.objects = ["self"]
        for number in range(self.rng.randint(2, 4)):
            self.names, self.lines = ["d"], []
            for _ in range(self.rng.randint(1, 3)):
                self.statement(2)
            gives = self.pick(["none", "matrix", "matrix", "row", "self"])
            if gives != "none":
                given = {"matrix": self.part, "row": self.row, "self": lambda: "self"}[gives]()
                if self.rng.random() < 0.2 and gives == "matrix":
                    self.line(2, f"if i > 0:\n            return {self.part()}")
                self.line(2, f"return {given}")
            lines += ["", f"    def m{number}(self, d, i=0):", *self.lines]
            self.methods.append((f"m{number}", gives))
        return "\n".join([*lines, "", "", ""]).replace("c > ", "i > ").replace("c < ", "i < ")

    def pick(self, choices) -> str:
        return self.rng.choice(choices)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # --- places and values

    def matrix(self) -> str:
        if self.objects and self.rng.random() < 0.6:
            return self.pick(self.objects) + self.pick([".v", ".v", ".w", ".kept[0]", ".table['k']"])
        return self.pick(self.names)

    def row_place(self) -> str:
        return self.pick(self.objects) + ".row" if self.objects else f"{self.matrix()}[0]"

    def filled(self, form: str) -> str:
        return form.format(m=self.matrix(), n=self.matrix(), r=self.row_place(), k=self.rng.randrange(3))

    def part(self) -> str:
        given = [name for name, gives in self.methods if gives == "matrix"]
        if given and self.objects and self.rng.random() < 0.25:
            return f"{self.pick(self.objects)}.{self.pick(given)}({self.matrix()}{self.pick(['', ', 1', ', i'])})"
        return self.filled(self.pick(PARTS))

    def row(self) -> str:
        given = [name for name, gives in self.methods if gives == "row"]
        if given and self.objects and self.rng.random() < 0.25:
            return f"{self.pick(self.objects)}.{self.pick(given)}({self.matrix()})"
        return self.filled(self.pick(ROWS))

    # --- statements

    def statement(self, depth: int) -> None:
        form, o = self.rng.random(), self.pick(self.objects)
        if form < 0.3:
            self.line(depth, f"{o}.{self.pick(['v', 'v', 'w', 'kept[0]', 'kept[-1]'])} = {self.part()}" if self.rng.random() < 0.6
                      else f"{o}.row = {self.row()}")
        elif form < 0.5:
            self.line(depth, self.filled(self.pick(CHANGES)))
        elif form < 0.68 and self.methods:
            self.call(depth, o)
        elif form < 0.76:
            self.line(depth, self.pick([f"{o}.v, {o}.w = {o}.w, {o}.v", f"{o}.kept.append({self.part()})",
                                        f"{o}.table['k'] = {self.part()}", f"{o}.kept = [{self.part()}]",
                                        f"{o}.v, {self.pick(self.objects)}.w = {self.part()}, {self.part()}"]))
        elif form < 0.84 and depth < 4:
            self.line(depth, f"if {self.pick(CONDITIONS)}:")
            self.block(depth, 2)
            if self.rng.random() < 0.5:
                self.line(depth, "else:")
                self.block(depth, 2)
        elif form < 0.92 and depth < 3:
            self.loops += 1
            self.line(depth, f"for i in range({self.rng.randrange(3)}):")
            self.block(depth, 2)
        else:
            name = self.pick(self.names) if depth > 1 or len(self.names) > 3 else "pqrs"[len(self.names) - 2]
            self.line(depth, f"{name} = {self.part()}")
            if depth == 1 and name not in self.names:
                self.names.append(name)

    def call(self, depth: int, o: str) -> None:
        name, gives = self.pick(self.methods)
        call = f"{o}.{name}({self.part()}{self.pick(['', ', 1', ', i', ', i=2'])})"
        forms = {"none": ["{}"], "self": ["{}", "{}.v *= 0.9", "{}.row[1] = 0.3"],
                 "row": ["{}[0] = 0.4", f"{o}.row = {{}}", "{}[1:] *= 1.2"],
                 "matrix": ["{}[...] *= 0.9", f"{o}.v = {{}}", "{}[0] = 0.3", f"{self.pick(self.objects)}.w = {{}}"]}[gives]
        self.line(depth, self.pick(forms).format(call))

    def block(self, depth: int, most: int) -> None:
        for _ in range(self.rng.randint(1, most)):
            self.statement(depth + 1)


def generated(seed: int) -> Case:
    """The program of a number."""
    return of_matrices(seed, Writer, "base")


if __name__ == "__main__":
    sys.exit(main(generated))
