"""Random programs in which objects hold arrays that change in place: shared, moved, replaced, passed on, seen through views.

`python -m tests.programs.array_generator --count N --seed S [--order 2] [--show]`, as `place_generator`."""
from __future__ import annotations

from tests.programs.place_generator import Writer, main

HEAD = '''
import numpy as np


class Base:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.v = np.zeros(3) + 0.0 * a                # (complex where the arguments are)
        self.w = np.array([a, b, a * b])
        self.m = np.ones((2, 3)) + 0.0 * a
        self.to = None
        self.count = 0

    def step(self, k):
        self.v[0] += self.a * k
        self.w *= 0.9
        self.v[1:] += 0.3 * self.w[:-1]

    def mix(self, other):
        for j in range(len(self.v)):
            self.v[j] = self.v[j] * 0.9 + other.w[j] * 0.1

    def row(self):
        return self.w

    def read(self):
        return np.sin(self.a) + self.b + np.sum(self.v * self.w) * 0.1 + np.sum(self.m) * 0.05


class Other(Base):
    def __init__(self, a, b, next):
        Base.__init__(self, a, b)
        self.to = next
        if next is not None:
            self.w = next.w

    def step(self, k):
        self.count += 1
        self.w[self.count % 3] = k * self.b
        if self.to is not None:
            self.to.w = self.w


def pick(p, q, flag):
    return p if flag else q


def relax(g, k):
    g[1:-1] += k * (g[2:] - 2.0 * g[1:-1] + g[:-2])
    return g


def keep(o, v):
    o.w = v


def squares(v):
    return np.sum(v * v)


'''


class ArrayWriter(Writer):
    def text(self) -> str:
        for j in range(self.r.randint(2, 3)):
            self.make(f"o{j}")
        self.line("objs = [" + ", ".join(self.r.choices(self.names, k=self.r.randint(2, 4))) + "]")
        self.line(f"d = {{'u': {self.name()}, 'v': {self.name()}}}")
        self.line(f"xs = {self.array()}")
        self.line("total = x[0] * 0.0")
        for _ in range(self.r.randint(4, 10)):
            self.statement()
        self.line("return total + sum(o.a * o.b + squares(o.w) for o in objs) + squares(xs) + "
                  + " + ".join(f"{n}.read() + {n}.m[1] @ {n}.v" for n in self.names))
        return HEAD + "def f(x):\n" + "\n".join(self.lines) + "\n"

    def array(self) -> str:
        """An expression that is an array that others may hold."""
        return self.r.choice(["xs"] * ("xs" in "".join(self.lines)) + [f"{self.place()}.v", f"{self.place()}.w"] * 3 + [
            f"{self.place()}.row()"])

    def new(self) -> str:
        """An expression that is a new array."""
        return self.r.choice([f"{self.array()}.copy()", f"{self.array()} * {self.number()}",
                              "np.zeros(3) + 0.0 * x[0]", "x[:3] * 1.0",
                              f"np.array([{self.number()}, {self.number()}, 0.5])", f"{self.array()} + {self.array()}",
                              f"np.sin({self.array()})", f"{self.place()}.m[0] * 2.0", f"relax({self.array()}.copy(), 0.1)"])

    def number(self) -> str:
        return self.r.choice([f"x[{self.r.randint(0, 3)}]", f"{self.place()}.a", f"{self.array()}[{self.r.choice([0, -1])}]",
                              f"{self.place()}.m[0, 1]", f"x[{self.r.randint(0, 3)}] * {self.place()}.b", "0.7",
                              f"np.sum({self.array()})", f"{self.place()}.read()"])

    def statement(self) -> None:
        choice, r = self.r.randint(0, 23), self.r
        op = r.choice(["=", "+=", "*=", "-="])
        if choice < 3:
            where = r.choice(["0", "1", "-1", "1:", ":2", "::-1"])
            self.line(f"{self.place()}.{r.choice('vw')}[{where}] {op} {self.number()} * 0.5")
        elif choice < 5:
            self.line(f"{self.place()}.{r.choice('vw')} {r.choice(['+=', '*=', '-='])} "
                      f"{r.choice([self.number(), self.array(), self.new()])} * 0.5")
        elif choice < 7:
            self.line(f"{self.place()}.{r.choice(['step(0.8)', f'mix({self.place()})'])}")
        elif choice == 7:
            self.line(f"{self.place()}.{r.choice('vw')}[:] = {r.choice([self.array(), self.new(), self.number()])}")
        elif choice == 8:
            self.line(f"{self.place()}.{r.choice('vw')} = {r.choice([self.array(), self.new(), self.new()])}")
        elif choice == 9:
            self.line(f"xs = {r.choice([self.array(), self.new()])}")
        elif choice == 10:
            self.line(r.choice([f"keep({self.place()}, {self.array()})", f"keep({self.place()}, {self.new()})",
                                f"relax({self.array()}, 0.1)", "xs[0] = x[1]", "xs *= 0.5"]))
        elif choice == 11 and self.inside < 2:
            self.line(f"if {self.place()}.w[0] > {r.choice(['0.47', 'x[2] * 1.01'])}:")
            self.block()
        elif choice == 12 and self.inside < 2:
            self.line(f"if {self.place()}.w is {self.place()}.w:")
            self.block()
        elif choice == 13 and self.inside < 2:
            self.line(f"for o in {r.choice(['objs', 'd.values()', 'objs[:2]'])}:")
            self.line(r.choice([f"    o.v += o.w * {self.number()} * 0.1", "    o.w[0] = o.w[-1] * 0.5", "    o.step(0.5)",
                                f"    o.w = {self.place()}.w", "    o.m[0] += o.v"]))
        elif choice == 14 and self.inside < 2:
            self.line(f"for k in range({r.randint(0, 3)}):")
            self.line(r.choice([f"    {self.place()}.w[k] = {self.number()}", f"    {self.place()}.m[:, k] *= {self.number()}",
                                f"    total = total + {self.array()}[k] * x[0]"]))
        elif choice == 15 and self.inside < 2:
            self.line(f"for k in range({r.randint(0, 3)}):")
            self.block()
        elif choice == 16:
            self.line(f"{self.place()}.m[{r.choice(['0', '1', ':', '0, 1', ':, 1', '..., -1'])}] {op} {self.number()}")
        elif choice == 17:
            self.line(r.choice([f"{self.place()}.m[...] = {self.place()}.m * 0.5", f"{self.place()}.m[0] = {self.array()}",
                                f"np.add.at({self.place()}.w, [0, 0, 2], 0.1)",
                                f"{self.place()}.w[{self.place()}.w > 0.31] = 0.2",
                                f"np.multiply({self.array()}, 0.5, out={self.place()}.w)",
                                f"{self.place()}.v.fill({self.number()})"]))
        elif choice == 18:
            self.line(f"total = total + squares({self.array()}) * 0.3")
        elif choice == 19:
            self.line(r.choice([f"objs[{r.randint(0, 1)}] = {self.place()}", f"d['{r.choice('uv')}'] = {self.place()}",
                                f"objs.append({self.place()})", f"{self.name()} = {self.place()}"]))
        elif choice == 20:
            view = r.choice(["[1:]", ".T", "", "[::-1]"])
            self.line(f"view = {self.place()}.w{view}")
            if r.random() < 0.6:
                self.line(f"total = total + view[0] * {self.number()}")
        elif choice == 21:
            p, q = self.place(), self.place()
            self.line(f"{p}.w, {q}.w = {q}.w, {p}.w")
        elif choice == 22:
            self.line(f"{self.place()}.a = {self.number()} * 0.5")
        else:
            self.make(self.name())


if __name__ == "__main__":
    main(ArrayWriter)
