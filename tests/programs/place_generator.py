"""Random programs that move references to objects about: shared, rebound, replaced in lists and dicts, linked, compared with `is`.

`python -m tests.programs.place_generator --count N --seed S [--order 2] [--show]` prints how many are right, refused and WRONG.
Everything is a polynomial or a sine, so a complex step gives the exact gradient; each gradient function is called twice, with
other values.
"""
from __future__ import annotations

import argparse
import collections
import linecache
import random
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

OK, REFUSED, WRONG, RAISES = "right", "refused", "WRONG", "raises"
HEAD = '''
import numpy as np


class Base:
    scale = 0.5

    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.c = np.array([a, b, a * b])
        self.to = None

    def step(self, k):
        self.a = self.a * k + self.b * self.scale
        self.c = self.c * k + self.a

    def give(self, other):
        other.c = other.c * 0.5 + self.c * self.b
        return np.sum(other.c * self.c)

    def mix(self, other):
        self.b = self.b + 0.3 * other.a
        other.a = other.a - 0.1 * self.a

    def read(self):
        return np.sin(self.a) + self.b


class Other(Base):
    scale = 0.25

    def __init__(self, a, b, next):
        Base.__init__(self, a, b)
        self.to = next
        self.count = 0

    def step(self, k):
        self.count += 1
        self.a = self.a + k * self.b
        if self.to is not None:
            self.to.b = self.to.b * 0.9 + self.a * 0.1


def pick(p, q, flag):
    return p if flag else q


def push(p, v):
    p.a = p.a + v
    return p


def chain(p, depth):
    if depth == 0 or p.to is None:
        return p.a
    p.b = p.b + 0.2 * p.a
    return p.a * 0.5 + chain(p.to, depth - 1)


'''


class Writer:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.names: list[str] = []
        self.inside = 0

    def text(self) -> str:
        for j in range(self.r.randint(2, 3)):
            self.make(f"o{j}")
        self.line("objs = [" + ", ".join(self.r.choices(self.names, k=self.r.randint(2, 4))) + "]")
        self.line(f"d = {{'u': {self.name()}, 'v': {self.name()}}}")
        self.line("total = x[0] * 0.0")
        for _ in range(self.r.randint(4, 10)):
            self.statement()
        self.line("return total + sum(o.a * o.b for o in objs) + " + " + ".join(f"{n}.read()" for n in self.names)
                  + " + d['u'].a * d['v'].b + sum(np.sum(o.c) for o in objs)")
        return HEAD + "def f(x):\n" + "\n".join(self.lines) + "\n"

    def line(self, text: str) -> None:
        self.lines.append("    " * (self.inside + 1) + text)

    def name(self) -> str:
        return self.r.choice(self.names)

    def place(self) -> str:
        """An expression that is an object."""
        return self.r.choice([self.name(), self.name(), f"objs[{self.r.randint(0, 1)}]", "objs[-1]", "d['u']", "d['v']",
                              f"pick({self.name()}, {self.name()}, {self.r.choice(['True', 'x[0] > 0', 'len(objs) > 3'])})"])

    def number(self) -> str:
        return self.r.choice([f"x[{self.r.randint(0, 3)}]", f"{self.place()}.a", f"{self.place()}.b", "0.7",
                              f"{self.place()}.read()", f"x[{self.r.randint(0, 3)}] * {self.place()}.b"])

    def make(self, name: str) -> None:
        cls = self.r.choice(["Base", "Other"]) if self.names else "Base"
        link = f", {self.r.choice([self.name(), 'None'])}" if cls == "Other" else ""
        value = f"x[{self.r.randint(0, 3)}]"
        self.line(f"{name} = {cls}({value}, {value} * 0.5 + {self.r.choice(['0.2', 'x[1]'])}{link})")
        if name not in self.names:
            self.names.append(name)

    def block(self) -> None:
        self.inside += 1
        for _ in range(self.r.randint(1, 2)):
            self.statement()
        self.inside -= 1

    def statement(self) -> None:
        choice = self.r.randint(0, 22)
        if choice < 3:
            self.line(f"{self.place()}.{self.r.choice('ab')} = {self.number()} * 0.5 + {self.number()}")
        elif choice < 5:
            self.line(f"{self.place()}.{self.r.choice('ab')} {self.r.choice(['+=', '-=', '*='])} {self.number()} * 0.3")
        elif choice < 7:
            self.line(f"{self.place()}.{self.r.choice(['step(0.8)', f'mix({self.place()})'])}")
        elif choice == 7:
            self.line(f"{self.name()} = {self.place()}")
        elif choice == 8:
            self.line(f"objs[{self.r.randint(0, 1)}] = {self.place()}")
        elif choice == 9:
            self.line(self.r.choice([f"objs.append({self.place()})", "objs = objs[::-1]", "objs = list(objs)",
                                     "objs = objs[1:] + objs[:1]"]))
        elif choice == 10:
            self.line(f"d['{self.r.choice('uv')}'] = {self.place()}")
        elif choice == 11:
            self.line(f"{self.place()}.to = {self.place()}")
        elif choice == 12 and self.inside < 2:
            self.line(f"if {self.place()} is {self.place()}:")
            self.block()
            if self.r.random() < 0.5:
                self.line("else:")
                self.block()
        elif choice == 13 and self.inside < 2:
            p = self.name()
            self.line(f"if {p}.to is not None:")
            self.line(f"    {p}.to.{self.r.choice('ab')} = {p}.to.a * 0.6 + {p}.b")
        elif choice == 14 and self.inside < 2:
            self.line(f"for o in {self.r.choice(['objs', 'd.values()', 'objs[:2]'])}:")
            self.line(f"    o.{self.r.choice('ab')} = o.a * 0.9 + {self.number()} * 0.1")
        elif choice == 15 and self.inside < 2:
            self.line(f"for k in range({self.r.randint(0, 3)}):")
            self.block()
        elif choice == 16:
            self.line(f"total = total + push({self.place()}, {self.number()}).b")
        elif choice == 17:
            self.line(f"total = total + chain({self.place()}, {self.r.randint(1, 3)})")
        elif choice == 18 and self.inside < 2:
            self.line(f"for p, q in zip(objs, {self.r.choice(['objs[1:]', 'objs[::-1]', 'list(d.values())'])}):")
            self.line(self.r.choice(["    p.mix(q)", "    q.a = q.a + 0.1 * p.b", "    p.to = q", "    p.a = p.a * q.b + 0.1"]))
        elif choice == 19:
            self.line(f"total = total + {self.place()}.give({self.place()})")
        elif choice == 20:
            self.line(self.r.choice([f"{self.place()}.c = {self.place()}.c * {self.number()}",
                                     f"{self.place()}.c = {self.place()}.c", f"{self.place()}.c = np.sin({self.place()}.c)[::-1]",
                                     f"{self.place()}.c = 0.5 * x[:3]"]))
        elif choice == 21:
            self.line(f"total = total + np.sum({self.place()}.c ** 2) * 0.1 + {self.place()}.c[{self.r.randint(0, 2)}]")
        else:
            self.make(self.name())


def loaded(text: str, number: int) -> Any:
    name = f"<places {number}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    space: dict[str, Any] = {"__name__": f"places_{number}"}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def by_steps(f: Any, x: np.ndarray) -> np.ndarray:
    return np.array([f(x + 1e-30j * e).imag / 1e-30 for e in np.eye(len(x))])


def by_differences(f: Any, x: np.ndarray) -> np.ndarray | None:
    """The derivative of the gradient along W; None at a kink (`max` of equal numbers), where there is none."""
    at = by_steps(f, x)
    sides = [np.array([np.sum((by_steps(f, x + h) - at) * W) for h in step * np.eye(4)]) / step for step in (1e-6, -1e-6)]
    return (sides[0] + sides[1]) / 2.0 if np.allclose(*sides, rtol=1e-2, atol=1e-2 * (1 + np.abs(sides[0]).max())) else None


def verdict(number: int, order: int = 1, writer: type[Writer] = Writer) -> tuple[str, str]:
    """Whether the gradient of a random program is right, and what was wrong."""
    f = loaded(writer(number).text(), number)
    try:
        f(X), f(X * 0.7 + 0.2)
    except Exception as error:                              # a program that fails by itself
        return RAISES, f"{type(error).__name__}: {error}"
    g = sg.grad(f)
    second = sg.grad(lambda x: np.sum(sg.grad(f)(x) * W)) if order == 2 else None
    try:
        for x in (X, X * 0.7 + 0.2):
            got, want = g(x), by_steps(f, x)
            if not np.allclose(got, want, rtol=1e-8, atol=1e-9):
                return WRONG, f"{got} instead of {want}"
            if second is not None and (want := by_differences(f, x)) is not None:
                got = second(x)
                if not np.allclose(got, want, rtol=1e-5, atol=1e-6 * (1 + np.abs(want).max())):
                    return WRONG, f"order 2: {got} instead of {want}"
    except SourcegradError as error:
        kind = type(error).__name__
        return (WRONG if kind == "InternalError" else REFUSED), f"{kind}: {error}"
    except Exception as error:
        return WRONG, f"{type(error).__name__}: {error}"
    return OK, ""


def forward_verdict(number: int, writer: type[Writer] = Writer) -> tuple[str, str]:
    """Whether the tangent of a random program is right, and the gradient of that."""
    f = loaded(writer(number).text(), number)
    try:
        f(X), f(X * 0.7 + 0.2)
    except Exception as error:
        return RAISES, f"{type(error).__name__}: {error}"
    try:
        push = sg.pushforward(f, with_value=False)
        for x in (X, X * 0.7 + 0.2):
            got, want = push(x, x_dot=W), by_steps(f, x) @ W
            if not np.isclose(got, want, rtol=1e-8, atol=1e-9):
                return WRONG, f"forward: {got} instead of {want}"
        got, second = sg.grad(push)(X, x_dot=W), by_differences(f, X)
        if second is not None and not np.allclose(got, second, rtol=1e-5, atol=1e-6 * (1 + np.abs(second).max())):
            return WRONG, f"gradient of the tangent: {got} instead of {second}"
    except SourcegradError as error:
        kind = type(error).__name__
        return (WRONG if kind == "InternalError" else REFUSED), f"{kind}: {error}"
    except Exception as error:
        return WRONG, f"{type(error).__name__}: {error}"
    return OK, ""


X = np.array([0.4, -0.3, 0.8, 0.5])
W = np.array([0.3, -0.7, 1.1, 0.6])


def main(writer: type[Writer] = Writer) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--order", type=int, default=1)
    parser.add_argument("--forward", action="store_true", help="tangents, and gradients of these")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    for number in range(options.seed, options.seed + options.count):
        with np.errstate(all="ignore"):
            found, what = forward_verdict(number, writer) if options.forward else verdict(number, options.order, writer)
        counts[found] += 1
        if found != OK and (options.show or found == WRONG):
            print(number, found, what[:400])
    print(dict(counts))


if __name__ == "__main__":
    main()
