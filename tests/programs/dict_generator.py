"""Random programs in which objects hold dicts: shared, replaced, passed on, looped over, of numbers, lists, dicts and objects.

`python -m tests.programs.dict_generator --count N --seed S [--order 2] [--show]`, as `place_generator`."""
from __future__ import annotations

from tests.programs.place_generator import Writer, main

HEAD = '''
from collections import OrderedDict, defaultdict

import numpy as np


class Base:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.w = {"p": a, "q": b, 0: a * b}
        self.sums = defaultdict(float)
        self.lists = {}
        self.rows = defaultdict(dict)
        self.vs = {"v": np.array([a, b, 0.3]), "n": 0}

    def step(self, k):
        self.a = self.a * k + self.w["p"] * 0.5
        self.sums["a"] += self.a
        self.w[k > 0.6] = self.a * 0.3
        self.vs["n"] += 1
        self.vs["v"] = self.vs["v"] * 0.8 + self.a

    def note(self, key, v):
        self.lists.setdefault(key, []).append(v)
        self.rows[key]["last"] = v * self.w.get(key, 0.4)
        self.rows[key]["count"] = self.rows[key].get("count", 0) + 1

    def read(self):
        total = np.sin(self.a) + self.b + weighted(self.w) + weighted(self.sums) + np.sum(self.vs["v"]) * self.vs["n"]
        for key, items in self.lists.items():
            total += sum(items) * (0.3 if key == "p" else 0.7)
        for row in self.rows.values():
            total = total + row.get("last", 0.2) * row.get("count", 3)
        return total


class Other(Base):
    def __init__(self, a, b, other):
        Base.__init__(self, a, b)
        self.w = other.w if other is not None else self.w
        self.rows = other.rows if other is not None else self.rows

    def step(self, k):
        self.sums[len(self.w)] += self.b * k
        for key in list(self.w):
            if key != "p":
                self.w[key] *= 0.9
        self.vs["v"] *= k
        self.vs["v"][1] += self.a


def pick(p, q, flag):
    return p if flag else q


def weighted(d):
    total, w = 0.0, 1.0
    for key, v in d.items():
        total = total + w * v * v * (2.0 if key == "q" else 1.0)
        w = w * 0.8
    return total


def moved(d, e):
    if "q" in d and len(d) > 1:
        e["q"] = d.pop("q") * 0.9
    return e


'''


class DictWriter(Writer):
    """Writes programs whose objects hold dicts."""

    def text(self) -> str:
        for j in range(self.r.randint(2, 3)):
            self.make(f"o{j}")
        self.line("objs = [" + ", ".join(self.r.choices(self.names, k=self.r.randint(2, 4))) + "]")
        self.line(f"d = {{'u': {self.name()}, 'v': {self.name()}}}")
        self.line(f"e = {self.dict()}")
        self.line("total = x[0] * 0.0")
        for _ in range(self.r.randint(4, 10)):
            self.statement()
        self.line("return total + weighted(e) + sum(len(o.w) + len(o.sums) for o in objs) * x[0] + "
                  + " + ".join(f"{n}.read() + {n}.a" for n in self.names))
        return HEAD + "def f(x):\n" + "\n".join(self.lines) + "\n"

    def dict(self) -> str:
        """An expression that is a dict of numbers."""
        return self.r.choice(["e"] * ("e =" in "".join(self.lines)) + [f"{self.place()}.w"] * 3)

    def key(self) -> str:
        return self.r.choice(["'p'", "'p'", "'q'", "0", "1", "'r'", "True", "(0, 'p')", "'p' if x[0] > 0 else 'q'"])

    def gone(self) -> str:
        """A key that may go: all dicts keep their 'p'."""
        return self.r.choice(["'q'", "0", "1", "'r'", "(0, 'p')"])

    def new(self) -> str:
        """An expression that is a new dict."""
        return self.r.choice([f"dict({self.dict()})", f"{self.dict()}.copy()", f"{{**{self.dict()}, 'p': {self.number()}}}",
                              f"{{k: v * 0.5 for k, v in {self.dict()}.items()}}", f"{{'p': {self.number()}, 7: {self.number()}}}",
                              f"OrderedDict(p={self.number()})", f"dict(zip('pq', ({self.number()}, {self.number()})))"])

    def number(self) -> str:
        return self.r.choice([f"x[{self.r.randint(0, 3)}]", f"{self.place()}.a", f"{self.dict()}['p']",
                              f"{self.dict()}.get({self.key()}, {self.r.choice(['0.6', 'x[1]'])})", "0.7",
                              f"x[{self.r.randint(0, 3)}] * {self.place()}.b", f"sum({self.dict()}.values())",
                              f"{self.place()}.sums[{self.key()}]", f"{self.place()}.read()", f"max({self.dict()}.values())"])

    def statement(self) -> None:
        choice, r = self.r.randint(0, 22), self.r
        if choice < 3:
            self.line(f"{self.dict()}[{self.key()}] = {self.number()} * 0.47")
        elif choice == 3:
            self.line(f"{self.dict()}['p'] {r.choice(['+=', '*=', '-='])} {self.number()} * 0.47")
        elif choice == 4:
            self.line(f"{self.place()}.sums[{self.key()}] {r.choice(['=', '+=', '*='])} {self.number()}")
        elif choice < 7:
            self.line(f"{self.place()}.step(0.8)")
        elif choice < 9:
            self.line(f"{self.place()}.note({self.key()}, {self.number()})")
        elif choice == 9:
            self.line(f"total = total + {self.dict()}.pop({self.gone()}, {self.number()})" if r.random() < 0.6
                      else f"{self.dict()}.setdefault({self.key()}, {self.number()})")
        elif choice == 10:
            self.line(f"{self.place()}.w = {r.choice([self.dict(), self.new()])}")
        elif choice == 11:
            self.line(f"e = {r.choice([self.dict(), self.new()])}")
        elif choice == 12:
            self.line(r.choice([f"{self.dict()}.update({self.dict()})", f"{self.dict()}.update(p={self.number()})",
                                f"{self.dict()} |= {{'r': {self.number()}}}", f"moved({self.place()}.w, {self.place()}.sums)",
                                f"{self.dict()}.update([('q', {self.number()})])"]))
        elif choice == 13 and self.inside < 2:
            self.line(f"if {self.key()} {r.choice(['in', 'not in'])} {self.dict()}:")
            self.line(r.choice([f"    {self.dict()}['p'] = {self.number()}", f"    total = total + {self.number()} * x[0]",
                                f"    {self.place()}.w['q'] = {self.number()}"]))
        elif choice == 14 and self.inside < 2:
            self.line(f"if {self.place()}.w is {self.place()}.{r.choice(['w', 'sums'])}:")
            self.block()
        elif choice == 15 and self.inside < 2:
            loop = r.choice(["for key, v in {}.items():", "for v in {}.values():", "for key in {}:",
                             "for key, v in list({}.items()):"])
            self.line(loop.format(self.dict()))
            self.line(r.choice(["    total = total + v * x[2]", f"    {self.place()}.a = {self.place()}.a * 0.9 + v * 0.1",
                                f"    {self.place()}.w['p'] += v * 0.1"]) if " v" in loop else
                      f"    total = total + {self.dict()}.get(key, 0.3)")
        elif choice == 16 and self.inside < 2:
            self.line(f"for o in {r.choice(['objs', 'd.values()', 'objs[:2]'])}:")
            self.line(r.choice([f"    o.w['r'] = o.a * {self.number()}", "    o.step(0.5)", f"    o.note('q', {self.number()})",
                                f"    o.w = {self.place()}.w", f"    o.lists = {self.place()}.lists"]))
        elif choice == 17 and self.inside < 2:
            self.line(f"for k in range({r.randint(0, 3)}):")
            self.block()
        elif choice == 18:
            self.line(r.choice([f"objs[{r.randint(0, 1)}] = {self.place()}", f"d['{r.choice('uv')}'] = {self.place()}",
                                f"objs.append({self.place()})", f"{self.name()} = {self.place()}"]))
        elif choice == 19:
            self.line(r.choice([f"{self.place()}.vs['v'][{r.randint(0, 2)}] = {self.number()}", f"{self.place()}.vs['v'] *= 0.7",
                                f"{self.place()}.vs['v'] = {self.place()}.vs['v'] * {self.number()}",
                                f"{self.place()}.vs = {self.place()}.vs"]))
        elif choice == 20:
            self.line(f"{self.place()}.rows[{self.key()}]['last'] = {self.number()}")
        elif choice == 21:
            same = f"{self.name()}.w"
            self.line(f"if 'r' in {same}:")
            self.line(f"    del {same}['r']")
        else:
            self.make(self.name())


if __name__ == "__main__":
    main(DictWriter)
