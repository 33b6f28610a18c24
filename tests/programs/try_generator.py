"""Random programs in which `try` changes objects, lists and dicts before an exception comes: of the user's, or of Python.

`python -m tests.programs.try_generator --count N --seed S [--order 2] [--show]`, as `place_generator`."""
from __future__ import annotations

from tests.programs.place_generator import Writer, main

HEAD = '''
import numpy as np


class Refused(Exception):
    pass


class TooLow(Refused):
    pass


class Broken(Exception):
    def __init__(self, text, code=3):
        super().__init__(text)
        self.code = code


class Base:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.log = [a]
        self.w = {"p": a, "q": b}
        self.to = None

    def take(self, v, limit):
        self.b = self.b * 0.9 + 0.1 * v
        if np.real(self.a) < limit:
            raise TooLow("too low")
        self.a = self.a - v * 0.5
        self.log.append(self.a)

    def pay(self, other, v):
        self.w["p"] = self.w["p"] * 0.8
        self.take(v, 0.1)
        try:
            other.give(v)
        except Broken as error:
            self.a = self.a + v * 0.1 * error.code
            if np.real(v) > 0.6:
                raise Refused
        finally:
            self.b = self.b + 0.05

    def give(self, v):
        self.a = self.a + v * self.b
        if len(self.log) > 2:
            raise Broken("full")
        self.log.append(v)
        return self.a * v

    def many(self, vs, limit):
        total = 0.0
        for v in vs:
            self.w["q"] = self.w["q"] * v + 0.1
            total = total + self.give(v)
            if np.real(total) > limit:
                raise TooLow
        return total

    def read(self):
        return np.sin(self.a) + self.b * self.w["p"] + 0.3 * self.w["q"] + sum(self.log) * 0.2


def pick(p, q, flag):
    return p if flag else q


def withdraw(d, key, v, limit):
    d[key] = d[key] * 0.9
    if np.real(d[key]) < limit:
        raise TooLow
    d[key] -= v
    return d[key] * v


def moved(xs, v):
    xs.append(v)
    if len(xs) > 4:
        raise Refused("full")
    return xs[0] * v


'''


class TryWriter(Writer):
    """Writes programs whose `try` blocks change what others hold."""

    def text(self) -> str:
        for j in range(self.r.randint(2, 3)):
            self.make(f"o{j}")
        self.line("objs = [" + ", ".join(self.r.choices(self.names, k=self.r.randint(2, 4))) + "]")
        self.line(f"d = {{'u': {self.name()}, 'v': {self.name()}}}")
        self.line("xs = [x[0], x[1] * x[2]]")
        self.line("e = {'p': x[1], 'q': x[2] * 0.5}")
        self.line("total = x[0] * 0.0")
        for _ in range(self.r.randint(3, 6)):
            self.statement()
        self.line("return total + sum(o.a * o.b for o in objs) + " + " + ".join(f"{n}.read()" for n in self.names)
                  + " + sum(xs) * 0.4 + e['p'] * e['q']")
        return HEAD + "def f(x):\n" + "\n".join(self.lines) + "\n"

    def make(self, name: str) -> None:
        value = f"x[{self.r.randint(0, 3)}]"
        self.line(f"{name} = Base({value}, {value} * 0.5 + {self.r.choice(['0.2', 'x[1]'])})")
        if name not in self.names:
            self.names.append(name)

    def limit(self) -> str:
        return self.r.choice(["-0.5", "0.1", "0.3", "0.5", "0.9"])

    def number(self) -> str:
        return self.r.choice([f"x[{self.r.randint(0, 3)}]", f"{self.place()}.a", f"{self.place()}.b", "0.7", "e['p']", "xs[0]",
                              f"{self.place()}.read()", f"x[{self.r.randint(0, 3)}] * {self.place()}.b"])

    def risky(self) -> None:
        """A statement of the body of a `try`."""
        r = self.r
        choice = r.randint(0, 14)
        if choice < 2:
            self.line(f"{self.place()}.take({self.number()}, {self.limit()})")
        elif choice < 4:
            self.line(f"{self.place()}.pay({self.place()}, {self.number()})")
        elif choice == 4:
            self.line(f"total = total + {self.place()}.give({self.number()})")
        elif choice == 5:
            self.line(f"total = total + {self.place()}.many([{self.number()}, {self.number()}, 0.4], {self.limit()})")
        elif choice == 6:
            self.line(f"total = total + withdraw(e, {r.choice(self.keys)}, {self.number()}, {self.limit()}) * 0.5")
        elif choice == 7:
            self.line(f"total = total + moved({r.choice(['xs', self.name() + '.log'])}, {self.number()})")
        elif choice == 8:
            self.line(f"if np.real({self.number()}) > {self.limit()}:")
            self.line(r.choice(["    raise Refused", "    raise TooLow('low')", "    raise Broken('broken', 2)",
                                f"    {self.name()}.a = {self.number()}"]))
        elif choice == 9 and self.inside < 3:
            self.line(f"for o in {r.choice(['objs', 'd.values()', 'objs[:2]'])}:")
            self.inside += 1
            self.risky()
            self.inside -= 1
        elif choice == 10:
            self.line(r.choice([f"xs.append({self.number()})", f"total = total + xs[{r.choice(['0', '2', '3', '-1'])}]",
                                f"e['r'] = {self.number()}", "total = total + e['r'] * 0.3"]) if self.guarded else
                      f"xs.append({self.number()})")
        elif choice == 11:
            self.line(f"{self.place()}.{r.choice('ab')} {r.choice(['+=', '-=', '*='])} {self.number()} * 0.3")
        elif choice == 12 and self.inside < 2 and r.random() < 0.6:
            self.attempt()
        elif choice == 13 and self.guarded:
            self.line(r.choice(["total = total + xs.pop() * 0.6", f"total = total + e.pop('r') * {self.number()}"]))
        else:
            self.line(f"total = total + {self.number()} * {self.number()} * 0.2")

    keys = ("'p'", "'q'")
    guarded = False                     # whether the `try` at hand catches what is missing

    def attempt(self) -> None:
        r, before = self.r, self.guarded
        kinds = r.sample(["TooLow", "Refused", "Broken", "(Refused, Broken)", "KeyError", "(KeyError, IndexError)", "LookupError"],
                         r.randint(1, 2))
        lookups = [kind for kind in kinds if "Key" in kind or "Lookup" in kind]
        self.guarded = before or any("Lookup" in kind or "Index" in kind for kind in lookups)
        if not {"Refused", "(Refused, Broken)"} & set(kinds):
            kinds.append("(Refused, Broken)" if r.random() < 0.8 or self.inside == 0 else "Refused")
        if "(Refused, Broken)" not in kinds and "Broken" not in kinds and self.inside == 0:
            kinds.append("Broken")
        self.line("try:")
        self.inside += 1
        for _ in range(r.randint(1, 3)):
            self.risky()
        self.inside -= 1
        self.guarded = before
        for kind in kinds:
            self.line(f"except {kind}:")
            self.block()
        if r.random() < 0.3:
            self.line("else:")
            self.block()
        if r.random() < 0.3:
            self.line("finally:")
            self.block()

    def statement(self) -> None:
        r = self.r
        choice = r.randint(0, 9)
        if choice < 4 and self.inside < 1 or choice == 0 and self.inside == 1:
            self.attempt()
        elif choice == 4:
            self.line(f"{self.place()}.{r.choice('ab')} = {self.number()} * 0.5 + {self.number()}")
        elif choice == 5:
            self.line(r.choice([f"{self.name()} = {self.place()}", f"objs[{r.randint(0, 1)}] = {self.place()}",
                                f"d['{r.choice('uv')}'] = {self.place()}", f"{self.place()}.log = {self.place()}.log",
                                f"{self.place()}.w = {self.place()}.w"]))
        elif choice == 6 and self.inside < 2:
            self.line(f"for k in range({r.randint(0, 3)}):")
            self.block()
        elif choice == 7:
            self.line(f"total = total + {self.place()}.read() * {self.number()}")
        elif choice == 8:
            self.line(f"e['{r.choice('pqr')}'] = {self.number()}")
        else:
            self.line(f"{self.place()}.b *= 0.7")


if __name__ == "__main__":
    main(TryWriter)
