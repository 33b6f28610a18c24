"""Random programs in which objects hold deques and heaps: shared, replaced, passed on, looped over, full, empty.

`python -m tests.programs.deque_generator --count N --seed S [--order 2] [--show]`, as `place_generator`."""
from __future__ import annotations

from tests.programs.place_generator import Writer, main

HEAD = '''
import heapq
from collections import deque

import numpy as np


class Base:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.line = deque([a, b, a * b])
        self.past = deque([b] * 2, maxlen=3)
        self.heap = []
        heapq.heappush(self.heap, (a, 0))
        heapq.heappush(self.heap, (b * 1.13 + 0.017, 1))

    def step(self, k):
        self.a = self.a * k + self.line[0] * 0.5
        self.past.append(self.a)
        self.line.appendleft(self.past[-1] * 0.3)

    def take(self):
        return self.line.popleft() if len(self.line) > 1 else self.a

    def next(self):
        if not self.heap:
            return self.a
        when, number = heapq.heappop(self.heap)
        if number < 3:
            heapq.heappush(self.heap, (when * 1.53 + 0.317, number + 1))
        return when

    def read(self):
        return np.sin(self.a) + self.b + sum(v * w for v, w in zip(self.past, (0.3, 0.7, 1.1))) + weighted(self.line)


class Other(Base):
    def __init__(self, a, b, other):
        Base.__init__(self, a, b)
        self.line = other.line if other is not None else self.line
        self.heap = other.heap if other is not None else self.heap

    def step(self, k):
        self.line.append(self.b * k)
        while len(self.line) > 4:
            self.a = self.a + self.line.pop() * 0.2


def pick(p, q, flag):
    return p if flag else q


def weighted(q):
    total, w = 0.0, 1.0
    for v in q:
        total = total + w * v * v
        w = w * 0.8
    return total


def moved(q, r):
    for _ in range(len(q) - 2):
        r.append(q.popleft() * 0.9)
    return r


'''


class DequeWriter(Writer):
    """Writes programs whose objects hold deques and heaps."""

    def text(self) -> str:
        for j in range(self.r.randint(2, 3)):
            self.make(f"o{j}")
        self.line("objs = [" + ", ".join(self.r.choices(self.names, k=self.r.randint(2, 4))) + "]")
        self.line(f"d = {{'u': {self.name()}, 'v': {self.name()}}}")
        self.line(f"q = {self.deque()}")
        self.line("total = x[0] * 0.0")
        for _ in range(self.r.randint(4, 10)):
            self.statement()
        self.line("return total + weighted(q) + sum(len(o.line) + len(o.heap) for o in objs) * x[0] + "
                  + "sum(o.next() for o in objs) + " + " + ".join(f"{n}.read() + {n}.a * {n}.past[0]" for n in self.names))
        return HEAD + "def f(x):\n" + "\n".join(self.lines) + "\n"

    def deque(self) -> str:
        """An expression that is a deque of numbers."""
        return self.r.choice(["q"] * ("q =" in "".join(self.lines)) + [f"{self.place()}.line"] * 3 + [f"{self.place()}.past"])

    def new(self) -> str:
        """An expression that is a new deque."""
        return self.r.choice([f"deque({self.deque()})", f"deque(v * 0.5 for v in {self.deque()})",
                              f"deque([{self.number()}, {self.number()}], maxlen={self.r.randint(1, 4)})",
                              f"deque([{self.number()}])", f"deque([{self.number()}] * 5, 3)"])

    def number(self) -> str:
        return self.r.choice([f"x[{self.r.randint(0, 3)}]", f"{self.place()}.a", f"{self.place()}.line[{self.r.choice([0, -1])}]",
                              f"{self.place()}.past[-1]", f"x[{self.r.randint(0, 3)}] * {self.place()}.b", "0.7",
                              f"sum({self.deque()})", f"{self.place()}.read()"])

    def statement(self) -> None:
        choice, r = self.r.randint(0, 20), self.r
        if choice < 3:
            self.line(f"{self.deque()}.{r.choice(['append', 'append', 'appendleft'])}({self.number()})")
        elif choice < 5:
            self.line(f"{self.deque()}[{r.choice([0, -1])}] {r.choice(['=', '=', '+=', '*='])} {self.number()} * 0.5")
        elif choice < 7:
            self.line(f"{self.place()}.step(0.8)")
        elif choice == 7:
            self.line(f"total = total + {self.place()}.take()")
        elif choice < 10:
            self.line(f"total = total + {self.place()}.next() * {self.number()}")
        elif choice == 10:
            self.line(f"heapq.heappush({self.place()}.heap, ({self.number()} * 0.91 + 0.0031, {r.randint(0, 4)}))")
        elif choice == 11:
            self.line(f"{self.place()}.{r.choice(['line', 'past'])} = {r.choice([self.deque(), self.new()])}")
        elif choice == 12:
            self.line(f"q = {r.choice([self.deque(), self.new()])}")
        elif choice == 13:
            self.line(r.choice([f"{self.deque()}.extend([{self.number()}, {self.number()}])",
                                f"{self.deque()}.rotate({r.randint(-2, 2)})",
                                f"{self.deque()}.extendleft({self.deque()})", f"{self.deque()}.reverse()",
                                f"{self.deque()} += [{self.number()}]", f"moved({self.place()}.line, {self.place()}.past)"]))
        elif choice == 14 and self.inside < 2:
            self.line(f"if len({self.deque()}) > {r.randint(1, 3)}:")
            self.line(r.choice([f"    {self.deque()}[0] = {self.number()}", f"    total = total + {self.place()}.take() * x[0]",
                                f"    {self.place()}.line.append({self.number()})"]))
        elif choice == 15 and self.inside < 2:
            self.line(f"if {self.place()}.line is {self.place()}.line:")
            self.block()
        elif choice == 16 and self.inside < 2:
            self.line(f"for v in {r.choice([self.deque(), f'list({self.deque()})', f'reversed({self.deque()})'])}:")
            self.line(r.choice(["    total = total + v * x[2]", f"    {self.place()}.a = {self.place()}.a * 0.9 + v * 0.1"]))
        elif choice == 17 and self.inside < 2:
            self.line(f"for o in {r.choice(['objs', 'd.values()', 'objs[:2]'])}:")
            self.line(r.choice([f"    o.past.append(o.a * {self.number()})", "    o.line[0] = o.line[-1] * 0.5", "    o.step(0.5)",
                                f"    o.line = {self.place()}.line", f"    o.heap = {self.place()}.heap"]))
        elif choice == 18 and self.inside < 2:
            self.line(f"for k in range({r.randint(0, 3)}):")
            self.block()
        elif choice == 19:
            self.line(r.choice([f"objs[{r.randint(0, 1)}] = {self.place()}", f"d['{r.choice('uv')}'] = {self.place()}",
                                f"objs.append({self.place()})", f"{self.name()} = {self.place()}"]))
        else:
            self.make(self.name())


if __name__ == "__main__":
    main(DequeWriter)
