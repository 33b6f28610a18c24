"""Random programs in which objects hold lists that change: shared, moved, replaced, passed on, looped over, nested.

`python -m tests.programs.list_generator --count N --seed S [--order 2] [--show]`, as `place_generator`."""
from __future__ import annotations

from tests.programs.place_generator import Writer, main

HEAD = '''
import numpy as np


class Base:
    scale = 0.5

    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.log = [a, b, a * b]
        self.rows = [[a], [b, b * 0.5]]
        self.to = None

    def step(self, k):
        self.a = self.a * k + self.b * self.scale
        self.log.append(self.a * 0.5)

    def mix(self, other):
        for k in range(len(self.log)):
            self.log[k] = self.log[k] * 0.9 + other.a * 0.1

    def take(self):
        return self.log.pop() if len(self.log) > 1 else self.a

    def read(self):
        return np.sin(self.a) + self.b + sum(self.log) * 0.1


class Other(Base):
    def __init__(self, a, b, next):
        Base.__init__(self, a, b)
        self.to = next
        self.log = next.log if next is not None else self.log
        self.count = 0

    def step(self, k):
        self.count += 1
        self.log[0] = self.log[0] + k * self.b
        if self.to is not None:
            self.to.log = self.log


def pick(p, q, flag):
    return p if flag else q


def push(xs, v):
    xs.append(v * 0.7)
    return xs


def made(a, b):
    new = [a, b]
    new.append(a * 0.5)
    return new


def squares(xs):
    total = 0.0
    for v in xs:
        total = total + v * v
    return total


'''


class ListWriter(Writer):
    """Writes programs whose objects hold lists of numbers and lists of lists."""

    def text(self) -> str:
        for j in range(self.r.randint(2, 3)):
            self.make(f"o{j}")
        self.line("objs = [" + ", ".join(self.r.choices(self.names, k=self.r.randint(2, 4))) + "]")
        self.line(f"d = {{'u': {self.name()}, 'v': {self.name()}}}")
        self.line(f"xs = {self.items()}")
        self.line("total = x[0] * 0.0")
        for _ in range(self.r.randint(4, 10)):
            self.statement()
        self.line("return total + sum(o.a * o.b + squares(o.log) for o in objs) + squares(xs)"
                  + " + sum(len(o.log) for o in objs) * x[0] + "
                  + " + ".join(f"{n}.read() + {n}.rows[0][0] * {n}.rows[-1][-1]" for n in self.names))
        return HEAD + "def f(x):\n" + "\n".join(self.lines) + "\n"

    def items(self) -> str:
        """An expression that is a list of numbers."""
        return self.r.choice(["xs"] * ("xs" in "".join(self.lines)) + [f"{self.place()}.log"] * 3 + [
            f"{self.place()}.rows[{self.r.randint(-2, 1)}]", f"push({self.place()}.log, {self.number()})"])

    def new(self) -> str:
        """An expression that is a new list."""
        return self.r.choice([f"list({self.items()})", f"[v * 0.5 for v in {self.items()}]",
                              f"made({self.number()}, {self.number()})", f"[{self.number()}, {self.number()}]",
                              f"{self.place()}.log[:2]", f"{self.place()}.log[::-1]",
                              f"{self.place()}.log + [{self.number()}]", "[x[1]] * 2"])

    def number(self) -> str:
        return self.r.choice([f"x[{self.r.randint(0, 3)}]", f"{self.place()}.a", f"{self.place()}.log[{self.r.choice([0, -1])}]",
                              f"{self.place()}.rows[0][0]", f"x[{self.r.randint(0, 3)}] * {self.place()}.b", "0.7",
                              f"sum({self.place()}.log)", f"{self.place()}.read()"])

    def statement(self) -> None:
        choice, r = self.r.randint(0, 21), self.r
        if choice < 3:
            self.line(f"{self.items()}.append({self.number()})")
        elif choice < 5:
            self.line(f"{self.place()}.log[{r.choice([0, -1])}] {r.choice(['=', '=', '+=', '*='])} {self.number()} * 0.5")
        elif choice < 7:
            self.line(f"{self.place()}.{r.choice(['step(0.8)', f'mix({self.place()})'])}")
        elif choice == 7:
            self.line(f"total = total + {self.place()}.take()")
        elif choice == 8:
            self.line(f"{self.place()}.log = {r.choice([self.items(), self.new(), self.new()])}")
        elif choice == 9:
            self.line(f"xs = {r.choice([self.items(), self.new()])}")
        elif choice == 10:
            self.line(r.choice([f"{self.place()}.log.extend({self.new()})", f"{self.place()}.log.insert(1, {self.number()})",
                                f"{self.place()}.log.reverse()", f"{self.place()}.log += {self.new()}",
                                f"{self.place()}.log[1:] = {self.new()}"]))
        elif choice == 11 and self.inside < 2:
            self.line(f"if len({self.place()}.log) > {r.randint(1, 3)}:")
            self.line(r.choice([f"    {self.place()}.log[0] = {self.number()}", f"    total = total + {self.place()}.take() * x[0]",
                                f"    {self.place()}.to = {self.place()}"]))
        elif choice == 12 and self.inside < 2:
            self.line(f"if {self.place()}.log is {self.place()}.log:")
            self.block()
        elif choice == 13 and self.inside < 2:
            self.line(f"for v in {r.choice([self.items(), self.new(), f'reversed({self.place()}.log)'])}:")
            self.line(r.choice(["    total = total + v * x[2]", f"    {self.place()}.a = {self.place()}.a * 0.9 + v * 0.1",
                                f"    {self.place()}.log[0] = v * 0.3 + {self.number()}"]))
        elif choice == 14 and self.inside < 2:
            self.line(f"for o in {r.choice(['objs', 'd.values()', 'objs[:2]'])}:")
            self.line(r.choice([f"    o.log.append(o.a * {self.number()})", "    o.log[0] = o.log[-1] * 0.5", "    o.step(0.5)",
                                f"    o.log = {self.place()}.log"]))
        elif choice == 15 and self.inside < 2:
            self.line(f"for k in range({r.randint(0, 3)}):")
            self.block()
        elif choice == 16:
            self.line(f"{self.place()}.rows[{r.randint(0, 1)}] = {r.choice([self.items(), self.new()])}")
        elif choice == 17:
            self.line(r.choice([f"{self.place()}.rows.append({self.new()})", f"{self.place()}.rows[0][0] = {self.number()}",
                                f"{self.place()}.rows = {self.place()}.rows", f"{self.place()}.rows[-1].append({self.number()})"]))
        elif choice == 18:
            self.line(f"total = total + squares({self.items()}) * 0.3")
        elif choice == 19:
            self.line(r.choice([f"objs[{r.randint(0, 1)}] = {self.place()}", f"d['{r.choice('uv')}'] = {self.place()}",
                                f"objs.append({self.place()})", f"{self.name()} = {self.place()}"]))
        elif choice == 20:
            self.line(f"del {self.place()}.log[1:]")
        else:
            self.make(self.name())


if __name__ == "__main__":
    main(ListWriter)
