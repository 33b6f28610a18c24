"""Random programs with objects: attributes, shared parts, lists that grow, methods that change what they are given.

`python -m tests.programs.object_generator --count N --seed S [--show]` prints how many programs are right, refused and WRONG.
A program is right if its gradient agrees with complex steps (see mutation_oracle), at order 1 or 2; one that Python itself
cannot run is discarded. Everything is a polynomial or a sine, and tests look at counts only, so there are no kinks.
"""
from __future__ import annotations

import argparse
import collections
import itertools
import random
import re
from collections.abc import Callable, Iterable

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.programs.mutation_oracle import DISCARDED, OK, REFUSED, STEP, WRONG, limited, loaded

# names that methods of lists, dicts, sets and arrays have, too
NAMES = {"bump": ["bump", "append", "add", "update", "insert", "fill", "put", "remove", "extend", "sort"],
         "read": ["read", "pop", "sum", "copy", "mean", "item", "get", "dot", "index"],
         "follow": ["follow", "setdefault", "take", "count_of", "partition"],
         "track": ["track", "clip", "step"],
         "m0": ["m0", "append", "pop", "clear"], "m1": ["m1", "update", "extend"], "m2": ["m2", "sort", "reverse"],
         "m3": ["m3", "insert", "popleft"]}

HEAD = '''import copy
from collections import deque

import numpy as np


class Part:
    def __init__(self, v, rate=None):
        self.v = v
        self.rate = 0.5 if rate is None else rate
        self.count = 0
        self.last = None

    def track(self, d):
        if self.last is None:
            self.last = d
        else:
            self.v = self.v + {track}
            self.last = self.last * 0.5 + d
        return self.v

    def bump(self, d):
        self.v = {bump}
        self.count += 1

    def read(self):
        return {read}

    def follow(self, other):
        self.v = self.v * 0.5 + other.v * self.rate
        return other


class Whole:
    def __init__(self, a, w, first, second=None):
        self.a = a
        self.w = w
        self.one = first
        self.two = second
        self.parts = [first, Part(a * 0.3)]
        self.items = [a, 1, w[0]]
        self.table = {{"p": a, "q": 0.25}}
        self.named = {{"x": first, "y": self.parts[1]}}
        self.recent = deque([a], maxlen={maxlen})
        self.count = 0
        if self.two is None:
            self.two = Part(a + 0.1, w[1])
'''


class Writer:
    """Writes the text of one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.methods: list[str] = []
        self.temporaries: list[str] = []
        self.fresh = itertools.count()

    def pick(self, choices: list) -> str:
        return self.rng.choice(choices)

    def chance(self, percent: int) -> bool:
        return self.rng.random() * 100 < percent

    def program(self) -> str:
        bumps = ["self.v * d + self.rate", "self.v + d * self.rate", "np.sin(self.v) * d", "d * d - self.v"]
        text = HEAD.format(bump=self.pick(bumps), track=self.pick(["(d - self.last) * 0.3", "self.last * d", "self.last"]),
                           maxlen=self.pick(["2", "3", "None"]),
                           read=self.pick(["self.v * self.v", "self.v * self.rate + 1.0", "np.sin(self.v) + self.count"]))
        for number in range(self.rng.randint(2, 4)):
            text += "\n" + self.method(f"m{number}", number)
        return self.renamed(text + self.main())

    def renamed(self, text: str) -> str:
        """The same program with other names of methods."""
        for name, choices in NAMES.items():
            new = self.pick(choices)
            text = re.sub(rf"(\bdef |\.){name}\(", rf"\g<1>{new}(", text)
        return text

    def block(self, make: Callable[[], None]) -> list[str]:
        """The lines that `make` writes, indented."""
        before, self.lines = self.lines, []
        known = list(self.temporaries)
        make()
        self.temporaries = known
        inner, self.lines = self.lines or ["pass"], before
        return ["    " + line for line in inner]

    def method(self, name: str, number: int) -> str:
        parameter = self.pick(["d", "part"])
        self.temporaries = ["d"] if parameter == "d" else ["part.v", "part.rate"]
        self.objects = ["self"]
        self.other = "part" if parameter == "part" else None
        body = self.block(lambda: [self.statement(2) for _ in range(self.rng.randint(2, 5))])      # type: ignore[func-returns-value]
        result = self.pick([f"return {self.number()}", f"return {self.number()}", "",
                            f"return {self.part()}" if self.chance(50) else ""])
        lines = [f"def {name}(self, {parameter}):", *body, *([f"    {result}"] if result else [])]
        gives = "part" if "self." in result and self.is_part(result) else "number" if result else "none"
        self.methods.append(f"{name} {parameter} {gives}")
        return "".join(f"    {line}\n" for line in lines)

    def is_part(self, result: str) -> bool:
        return bool(re.fullmatch(r"return \w+(\.one|\.two|\.parts\[\d\])?", result)) and not result.endswith((".v", ".a"))

    def main(self) -> str:
        self.temporaries = ["x[0]", "x[1]", "x[2]"]
        self.objects = ["o"]
        self.other = None
        self.lines = ["p = Part(x[0])", f"o = Whole({self.number()}, x * {self.pick(['1.0', 'x', '0.5'])}, "
                      f"p{self.pick(['', ', p', ', Part(x[2])'])})"]
        if self.chance(40):
            self.lines.append(f"u = Whole(x[1], {self.pick(['o.w', 'x + 0.1'])}, {self.pick(['p', 'o.two', 'Part(x[1])'])})")
            self.objects.append("u")
        for _ in range(self.rng.randint(2, 5)):
            self.statement(3)
        shown = [f"{name}.{part}" for name in self.objects for part in
                 ("a", "one.v", "two.v", "parts[0].v", "parts[-1].v * 0.7", "items[0] * 1.3", "items[-1]", "table['p']",
                  "recent[0]",
                  "np.sum(NAME.w * NAME.w)")]
        shown = [s.split(".", 1)[1].replace("NAME", s.split(".")[0]) if "np.sum" in s else s for s in shown]
        self.lines.append("return " + " + ".join([*shown, "sum(part.v * part.v for part in o.parts)", "sum(o.items)",
                                                  "sum(o.recent) * 0.3"]))
        return "\n\ndef program(x):\n" + "".join(f"    {line}\n" for line in self.lines)

    # --- parts of statements

    def whole(self) -> str:
        return self.pick(self.objects)

    def part(self) -> str:
        own = [f"{self.whole()}.{name}" for name in ("one", "two", "parts[0]", "parts[1]", "named['x']", "named['y']")]
        return self.pick(own + ([self.other] * 2 if self.other else []))

    def number(self, depth: int = 2) -> str:
        if depth and self.chance(60):
            left, right = self.number(depth - 1), self.number(depth - 1)
            return self.pick([f"{left} * {right}", f"({left} + {right})", f"({left} - 0.5 * {right})", f"np.sin({left})"])
        name = self.whole()
        places = [f"{name}.a", f"{name}.w[{self.rng.randrange(3)}]", f"{self.part()}.v", f"{self.part()}.read()",
                  f"{name}.items[{self.rng.randrange(3)}]",
                  f"{name}.table['{self.pick(['p', 'q'])}']", "0.3"] if "o" not in self.objects or self.lines[1:] else []
        return self.pick(places + self.temporaries * 2)

    # --- statements

    def statement(self, depth: int) -> None:
        kinds = [self.store, self.store, self.change, self.call, self.share, self.grow, self.keep, self.arrange]
        if depth > 1:
            kinds += [self.loop, self.branch]
        if self.methods and "self" not in self.objects:
            kinds += [self.method_call] * 4
        self.rng.choice(kinds)()

    def put(self, line: str) -> None:
        self.lines.append(line)

    def store(self) -> None:
        name = self.whole()
        target = self.pick([f"{name}.a", f"{self.part()}.v", f"{self.part()}.rate", f"{name}.w[{self.rng.randrange(3)}]",
                            f"{name}.items[{self.rng.randrange(3)}]", f"{name}.table['{self.pick(['p', 'q'])}']"])
        self.put(f"{target} {self.pick(['=', '=', '+=', '*='])} {self.number()}")

    def change(self) -> None:
        name = self.whole()
        self.put(self.pick([f"{name}.w *= {self.number(1)}", f"{name}.w = {name}.w * {self.number(1)} + 0.1",
                            f"{name}.w += {name}.w[::-1] * 0.3",
                            f"{name}.w[1:] = {name}.w[:-1] * {self.number(0)}", f"{name}.count += 1",
                            f"{name}.w = {name}.w[::-1]", f"{name}.w = {self.whole()}.w[::-1]",
                            f"{self.part()}.track({self.number(1)})"]))

    def call(self) -> None:
        if self.chance(30):
            self.put(f"{self.part()}.follow({self.part()}).bump({self.number(1)})")
        else:
            self.put(f"{self.part()}.bump({self.number(1)})")

    def share(self) -> None:
        name, other = self.whole(), self.whole()
        self.put(self.pick([f"{name}.one = {self.part()}", f"{name}.parts[{self.rng.randrange(2)}] = {self.part()}",
                            f"{name}.two = Part({self.number(1)})", f"{name}.one, {name}.two = {name}.two, {name}.one",
                            f"{name}.w = {other}.w", f"{name}.w = {other}.w.copy()",
                            f"{name}.items = list({other}.items)", f"{name}.items = {other}.items"]))

    def grow(self) -> None:
        name = self.whole()
        self.put(self.pick([f"{name}.items.append({self.number(1)})", f"{name}.parts.append(Part({self.number(1)}))",
                            f"{name}.parts.append({self.part()})", f"{name}.items = {name}.items + [{self.number(1)}]",
                            f"{name}.recent.append({self.number(1)})", f"{name}.recent.extend({name}.items)",
                            f"{name}.recent.appendleft({self.part()}.track({self.number(0)}))",
                            f"{name}.a = {name}.a + {name}.recent[0] * {name}.recent[-1]"]))

    def arrange(self) -> None:
        """Copies, other orders, entries of a dict, functions that hold objects."""
        name, other = self.whole(), self.whole()
        number = next(self.fresh)
        self.lines += self.rng.choice([
            [f"{name}.{self.pick(['one', 'two'])} = copy.{self.pick(['copy', 'deepcopy'])}({self.part()})"],
            [f"{name}.parts = {other}.parts[::-1]"],
            [f"{name}.parts = sorted({other}.parts, key=lambda part: part.count)"],
            [f"if len({name}.parts) > 2:", f"    {name}.one = {name}.parts.pop()"],
            [f"{name}.named['{self.pick(['x', 'y', 'z'])}'] = {self.part()}"],
            [f"for part{number} in ({self.part()}, {self.part()}):", f"    part{number}.bump({self.number(1)})"],
            [f"for key{number} in {name}.named:", f"    {name}.named[key{number}].v *= {self.number(1)}"],
            [f"for part{number} in {name}.named.values():", f"    part{number}.v = part{number}.v + {self.number(1)}"],
            [f"f{number} = lambda d: {self.part()}.bump(d)", f"f{number}({self.number(1)})"],
            [f"{name}.table.update(p={self.number(1)})"],
        ])

    def keep(self) -> None:
        name = f"t{next(self.fresh)}"
        if self.chance(60):
            self.put(f"{name} = {self.number()}")
            self.temporaries.append(name)
        elif self.chance(50):
            self.put(f"{name} = {self.whole()}.w")
            self.put(f"{name}[{self.rng.randrange(3)}] {self.pick(['=', '+='])} {self.number(1)}")
        else:
            self.put(f"{name} = {self.part()}")
            self.put(f"{name}.v = {name}.v * {self.number(1)}")

    def loop(self) -> None:
        name = self.whole()
        number = next(self.fresh)
        head, inner = self.pick([
            (f"for k{number} in range({self.rng.randint(0, 3)}):", None),
            (f"for part{number} in {name}.parts:", f"part{number}.bump({self.number(1)})"),
            (f"for part{number} in {name}.parts:", f"{name}.a += part{number}.v * 0.5"),
            (f"for k{number} in range(len({name}.items)):",
             f"{name}.items[k{number}] = {name}.items[k{number}] * {self.number(1)}"),
        ])                                                                                                  # type: ignore[misc]
        self.put(head)
        if inner is not None:
            self.put(f"    {inner}")
        else:
            self.lines += self.block(lambda: [self.statement(1) for _ in range(self.rng.randint(1, 3))])      # type: ignore[func-returns-value]

    def branch(self) -> None:
        name = self.whole()
        test = self.pick([f"{name}.count > 0", f"len({name}.parts) > 2", f"{name}.one is {name}.two", f"{self.part()}.count == 0",
                          f"isinstance({name}.one, Part)", f"{name}.two is not None"])
        self.put(f"if {test}:")
        self.lines += self.block(lambda: [self.statement(1) for _ in range(self.rng.randint(1, 2))])          # type: ignore[func-returns-value]
        if self.chance(50):
            self.put("else:")
            self.lines += self.block(lambda: self.statement(1))

    def method_call(self) -> None:
        name, parameter, result = self.pick(self.methods).split()
        argument = self.part() if parameter == "part" else self.number(1)
        call = f"{self.whole()}.{name}({argument})"
        if result == "number" and self.chance(70):
            new = f"t{next(self.fresh)}"
            self.put(f"{new} = {call}")
            self.temporaries.append(new)
        elif result == "part" and self.chance(60):
            self.put(f"{call}.bump({self.number(1)})")
        else:
            self.put(call)


def exact(function: Callable, x: np.ndarray) -> np.ndarray:
    """The gradient, by complex steps."""
    found = []
    for position in range(x.size):
        moved = x.astype(complex)
        moved[position] += 1j * STEP
        found.append(np.imag(function(moved)) / STEP)
    return np.array(found)


def judge(text: str, order: int = 1) -> tuple[str, str]:
    """The verdict on a program, and what is to be said about it."""
    x = np.array([0.3, -0.4, 0.6])
    with np.errstate(all="ignore"):
        try:
            function = loaded(text)
            value, wanted = function(x.copy()), exact(function, x)
        except Exception as error:
            return DISCARDED, f"{type(error).__name__}: {error}"
        if not np.all(np.isfinite(wanted)) or np.max(np.abs(wanted)) > 1e6 or not np.isfinite(value):
            return DISCARDED, "not finite"
        try:
            with limited(120):
                gradient = sg.grad(function)
                found = gradient(x)
                if order == 2:
                    return judge_second(function, gradient, x)
        except InternalError as error:
            return WRONG, f"{type(error).__name__}: {error}"
        except SourcegradError as error:
            return (REFUSED if re.search(r"<random program \d+>:\d+:\d+", str(error)) else WRONG), str(error)
        except Exception as error:
            return WRONG, f"{type(error).__name__}: {error}"
    if np.allclose(found, wanted, rtol=1e-9, atol=1e-9 * max(1.0, np.max(np.abs(wanted)))):
        return OK, ""
    return WRONG, f"sourcegrad {found}, expected {wanted}"


def verdicts(writer: Callable, seeds: Iterable[int], order: int) -> collections.Counter[str]:
    """How often each verdict was given on what a writer makes of seeds; AssertionError for a program that is wrong."""
    counts: collections.Counter[str] = collections.Counter()
    for seed in seeds:
        text = writer(seed).program()
        verdict, said = judge(text, order)
        assert verdict != WRONG, f"program {seed}, order {order}: {said}\n{text}"
        counts[verdict] += 1
    return counts


def judge_second(function: Callable, gradient: Callable, x: np.ndarray) -> tuple[str, str]:
    """The second derivative along (1, 2, 3), against differences of exact gradients."""
    along = np.array([1.0, 2.0, 3.0])
    found = sg.grad(gradient, grad_outputs=along)(x)
    h = 1e-6
    wanted = np.array([(exact(function, x + h * e) - exact(function, x - h * e)) @ along / (2 * h) for e in np.eye(3)])
    if np.allclose(found, wanted, rtol=1e-5, atol=1e-5 * max(1.0, np.max(np.abs(wanted)))):
        return OK, ""
    return WRONG, f"order 2: sourcegrad {found}, expected {wanted}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--order", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    verdicts: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    for seed in range(options.seed, options.seed + options.count):
        text = Writer(seed).program()
        if options.show:
            print(text)
        verdict, said = judge(text, options.order)
        verdicts[verdict] += 1
        if verdict in (REFUSED, DISCARDED):
            reasons[f"{verdict}: " + re.sub(r"'\w+'|\d+", "_", said.split("\n")[0].rpartition(": ")[2])] += 1
        if verdict == WRONG:
            print(f"--- {seed} {verdict}: {said}\n{text}", flush=True)
    print(dict(verdicts))
    for reason, count in reasons.most_common(15):
        print(count, reason)


if __name__ == "__main__":
    main()
