"""Random programs, as source text, from the language that sourcegrad accepts.

Types and shapes of all variables are tracked while the text is written, so every program runs. All values stay
bounded and smooth away from ties, so that its derivatives can be checked.
"""
from __future__ import annotations

import itertools
import linecache
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.oracle import vector
from tests.programs.expressions import (
    CONSTANTS,
    THRESHOLDS,
    Callee,
    Expressions,
    Group,
    Integer,
    Items,
    Number,
    Scope,
    Shape,
)
from tests.programs.lines import Lines
from tests.programs.program import Program

SHAPES: tuple[Shape, ...] = ((), (3,), (2, 3), (1,), (0,), (2,))
HEADER = '"""Generated."""\nimport math\n\nimport numpy as np\n'
COUNTS_FROM_ZERO = ("enumerate(", "range(len(", "range(n)", "range(0, ", "range(1)", "range(2)", "range(3)", "range(4)")
_serial = itertools.count()


class Writer(Lines, Expressions):
    """Writes one module: helper functions, then `program`."""

    def __init__(self, choose: Callable[[int], int]) -> None:
        super().__init__(choose)
        self.lines: list[str] = []
        self.helpers: dict[str, Callee] = {}
        self.budget = 10

    # --- functions

    def module(self) -> tuple[dict, tuple]:
        for _ in range(self.pick([0, 0, 1, 2])):
            self.pick([self.helper, self.recursive, self.mutually_recursive])()
        parameters = {f"p{k}": self.pick(SHAPES[:4] if k else SHAPES[:5]) for k in range(self.pick([1, 2, 3]))}
        if self.chance(5):
            parameters["p9"] = (0,)
        results = self.pick([((),), ((),), ((),), ((3,),), ((), (3,))])
        scope = Scope({name: Number(shape) for name, shape in parameters.items()} | self.helpers, results=results)
        names = list(parameters)
        if self.chance(30):
            scope.types["n"] = Integer()
            names.append("n")
        self.function("program", names, scope, self.pick([2, 3, 4, 5, 6, 7]))
        return parameters, tuple(names)

    def helper(self) -> None:
        """A function with 1-2 parameters, the last perhaps optional, keyword-only, or collected by `*`."""
        name, result = self.fresh("helper"), self.pick([(), (), (3,)])
        parameters = [(p, self.pick([(), (3,), (2, 3)])) for p in ("a", "b")[:self.pick([1, 2])]]
        scope = Scope({p: Number(shape) for p, shape in parameters} | self.helpers, results=(result,))
        texts, optional = [p for p, _ in parameters], 0
        if len(texts) == 2 and parameters[1][1] == () and self.chance(50):
            texts[1], optional = f"b={self.pick(THRESHOLDS)}", 1
        elif self.chance(15):
            texts.append("*rest")
        self.function(name, texts, scope, self.pick([0, 1, 2, 3]))
        self.helpers[name] = Callee(tuple(parameters), result, optional=optional)

    def recursive(self) -> None:
        name, shape = self.fresh("walk"), self.pick([(), (), (3,)])
        self._recursion(name, name, shape)
        self.helpers[name] = Callee((("x", shape),), shape, (self.pick("2130"),))

    def mutually_recursive(self) -> None:
        first, second = self.fresh("even"), self.fresh("odd")
        self._recursion(first, second, ())
        self._recursion(second, first, ())
        self.helpers[first] = Callee((("x", ()),), (), (self.pick("321"),))

    def _recursion(self, name: str, callee: str, shape: Shape) -> None:
        """The depth `m` bounds the recursion; the data may end it earlier."""
        scope = Scope({"x": Number(shape), "m": Integer()}, results=(shape,), loops=1, fixed=frozenset({"m"}))
        self.lines += ["", ""]
        with self.indented(f"def {name}(x, m):"):
            with self.indented("if m <= 0:" if self.chance(70) else f"if m <= 0 or {self.condition(scope, 1)}:"):
                self.return_(scope.inner())
            self.statements(scope, self.pick([0, 0, 1]))
            deeper = self.fresh("r")
            self.line(f"{deeper} = {callee}({self.bounded(scope, shape)}, m - 1)")
            scope.types[deeper] = Number(shape)
            self.statements(scope, self.pick([0, 1, 2]))
            self.return_(scope, thorough=True)

    # --- statements

    def statement(self, scope: Scope) -> None:
        forms = [self.assign, self.rebind, self.assign, self.augment, self.unpack, self.collect, self.swap]
        if scope.blocks < 3:
            forms += [self.branch, self.branch]
            if scope.loops < 2:
                forms += [self.for_, self.for_, self.for_, self.while_, self.append_loop]
        if scope.blocks == 0:
            forms += [self.inner_function]
        if scope.blocks > 0 or scope.loops:
            forms += [self.early_return]
        self.pick(forms)(scope)

    def assign(self, scope: Scope) -> None:
        shape = self.pick(self.shapes_in(scope))
        text = self.bounded(scope, shape)
        name = self.fresh("v")
        if shape and self.chance(25):           # in place, on an array that nobody else can hold
            self.line(f"{name} = {self.pick(CONSTANTS)} * ({text})")
            self.line(f"{name} {self.pick(['+=', '*=', '-='])} {self.number(scope, self.pick([shape, ()]), 1)}")
        else:
            self.line(f"{name} = {text}")
        scope.types[name] = Number(shape)

    def shapes_in(self, scope: Scope) -> list[Shape]:
        return list(dict.fromkeys([(), *(scope.shape(name) for name in scope.numbers())]))

    def assignable(self, scope: Scope) -> list[str]:
        return [name for name in scope.numbers() if name not in scope.fixed]

    def rebind(self, scope: Scope) -> None:
        """Assign to a variable that exists; outside of loops and branches its shape may change."""
        options = self.assignable(scope)
        if not options:
            return self.assign(scope)
        name = self.pick(options)
        shape = scope.shape(name)
        captured = scope.named(lambda kind: isinstance(kind, Callee))
        if scope.blocks == 0 and set(captured) <= set(self.helpers) and self.chance(25):
            shape = self.pick(self.shapes_in(scope))
        self.line(f"{name} = {self.bounded(scope, shape)}")
        scope.types[name] = Number(shape)

    def augment(self, scope: Scope) -> None:
        options = [name for name in self.assignable(scope) if scope.shape(name) == ()]
        if not options:
            return self.assign(scope)
        name, value = self.pick(options), self.bounded(scope, ())
        self.line(self.pick([f"{name} += {value}", f"{name} -= {value}", f"{name} *= np.sin({value})",
                             f"{name} /= 1.5 + np.cos({value})" if not scope.loops else f"{name} += 0.5 * ({value})"]))

    def unpack(self, scope: Scope) -> None:
        shapes = [self.pick(self.shapes_in(scope)) for _ in range(3)]
        a, b, c = (self.fresh("v") for _ in shapes)
        x, y, z = (self.bounded(scope, shape) for shape in shapes)
        target, value = self.pick([(f"{a}, {b}, {c}", f"{x}, {y}, {z}"), (f"({a}, {b}), {c}", f"({x}, {y}), {z}"),
                                   (f"{a}, *{b}, {c}", f"{x}, {y}, {z}")])
        self.line(f"{target} = {value}")
        scope.types |= {a: Number(shapes[0]), c: Number(shapes[2])}
        if "*" in target.split("=")[0]:
            scope.types[b] = Items(shapes[1], 1)
        else:
            scope.types[b] = Number(shapes[1])

    def swap(self, scope: Scope) -> None:
        names = self.assignable(scope)
        a = self.pick(names) if names else None
        partners = [name for name in names if name != a and scope.shape(name) == scope.shape(a)] if a else []
        if not partners:
            return self.rebind(scope)
        b = self.pick(partners)
        value = b if self.chance(50) else self.bounded(scope, scope.shape(a))
        self.line(f"{a}, {b} = {value}, {a}")

    def collect(self, scope: Scope) -> None:
        """A tuple, a list or a list comprehension."""
        shape, name = self.pick(self.shapes_in(scope)), self.fresh("c")
        if self.chance(40):
            shapes = (shape, self.pick(self.shapes_in(scope)))
            self.line(f"{name} = ({self.bounded(scope, shapes[0])}, {self.bounded(scope, shapes[1])})")
            scope.types[name] = Group(shapes)
        elif self.chance(50):
            count = self.pick([1, 2, 3])
            self.line(f"{name} = [{', '.join(self.number(scope, shape, 1) for _ in range(count))}]")
            scope.types[name] = Items(shape, count)
        else:
            item, count = self.fresh("t"), self.pick([2, 3])
            inner = scope.inner(loops=scope.loops + 1)
            inner.types[item] = Integer()
            self.line(f"{name} = [{self.bounded(inner, shape)} for {item} in range({count})]")
            scope.types[name] = Items(shape, count)

    def inner_function(self, scope: Scope) -> None:
        """A closure or a lambda: it reads the variables around it when it is called."""
        name, shape, result = self.fresh("f"), self.pick([(), (3,)]), self.pick([(), (3,)])
        inner = scope.inner(loops=0, results=(result,), fixed=frozenset(scope.types))
        inner.types["u"] = Number(shape)
        if self.chance(40):
            self.line(f"{name} = lambda u: {self.bounded(inner, result)}")
        else:
            with self.indented(f"def {name}(u):"):
                self.statements(inner, self.pick([0, 1, 2]))
                self.return_(inner)
        scope.types[name] = Callee((("u", shape),), result)

    def branch(self, scope: Scope) -> None:
        """if / elif / else; a variable that all branches define lives on."""
        header = f"if {self.condition(scope)}:"
        if self.chance(15):
            name = self.fresh("w")
            header = f"if ({name} := {self.number(scope, (), 1)}) > {self.pick(THRESHOLDS)}:"
            scope.types[name] = Number(())
        common = self.fresh("v") if self.chance(50) else None
        shape = self.pick(self.shapes_in(scope))
        arms = [header]
        if self.chance(30):
            arms.append(f"elif {self.condition(scope, 1)}:")
        if common or self.chance(50):
            arms.append("else:")
        for arm in arms:
            inner = scope.inner()
            with self.indented(arm):
                self.statements(inner, self.pick([1, 1, 2]))
                if common:
                    self.line(f"{common} = {self.bounded(inner, shape)}")
        if common:
            scope.types[common] = Number(shape)

    def early_return(self, scope: Scope) -> None:
        if not scope.loops and scope.blocks > 1 or not self.chance(60):
            return self.assign(scope)
        with self.indented(f"if {self.condition(scope)}:"):
            self.return_(scope)

    def return_(self, scope: Scope, thorough: bool = False) -> None:
        """thorough: let more of the variables matter to the result."""
        self.line("return " + ", ".join(
            self.number(scope, shape, 2) + (self.remnants(scope, shape) if thorough else "")
            for shape in scope.results))

    def remnants(self, scope: Scope, shape: Shape) -> str:
        text = ""
        for name in scope.numbers()[::-1][:self.pick([2, 3, 4])]:
            fits = scope.shape(name) in (shape, ())
            text += f" + {self.pick(CONSTANTS)} * {name if fits else f'np.sum({name})'}"
        return text

    # --- loops

    def loop_body(self, scope: Scope, count: int) -> None:
        """Statements, with a break or continue between them now and then."""
        self.statements(scope, count)
        if self.chance(35):
            with self.indented(f"if {self.condition(scope)}:"):
                if self.chance(40):
                    self.rebind(scope.inner())
                self.line(self.pick(["break", "continue"]))
            self.statements(scope, self.pick([1, 0, 2]))

    def loop_else(self, scope: Scope) -> None:
        if self.chance(12):
            with self.indented("else:"):
                self.statements(scope.inner(), 1)

    def for_(self, scope: Scope) -> None:
        inner = scope.inner(loops=scope.loops + 1)
        accumulator = self.fresh("acc") if self.chance(50) else None
        if accumulator:
            self.line(f"{accumulator} = {self.pick(['0.0', '0', '1.0'])}")
            scope.types[accumulator] = inner.types[accumulator] = Number(())
        targets, iterable = self.iteration(scope, inner)
        with self.indented(f"for {', '.join(targets)} in {iterable}:"):
            if iterable.startswith(COUNTS_FROM_ZERO) and self.chance(30):
                self.carry(inner, targets[0])
            self.loop_body(inner, self.pick([1, 2, 1, 3]))
            if accumulator:
                self.line(f"{accumulator} {self.pick(['+=', '-='])} {self.bounded(inner, ())}")
        self.loop_else(scope)

    def carry(self, scope: Scope, index: str) -> None:
        """A variable that an iteration reads before it assigns it: it holds what the last iteration left."""
        name = self.fresh("prev")
        options = [v for v in self.assignable(scope) if scope.shape(v) == ()]
        with self.indented(f"if {index} > 0:"):
            if options:
                target = self.pick(options)
                self.line(f"{target} = np.sin({target} + {name})")
        self.line(f"{name} = {self.bounded(scope, ())}")
        scope.types[name] = Number(())

    def iteration(self, scope: Scope, inner: Scope) -> tuple[list[str], str]:
        """What a loop runs over; the loop variables are added to `inner`."""
        index, item = self.fresh("i"), self.fresh("x")
        forms = ["range", "range", "down", "tuple", "choice", "pairs"]
        if "n" in scope.types:
            forms.append("given")
        arrays = scope.arrays()
        if arrays:
            forms += ["array", "array", "enumerate", "zip", "reversed", "len"]
        lists = scope.named(lambda kind: isinstance(kind, Items))
        if lists:
            forms += ["list", "list"]
        form = self.pick(forms)
        if form in ("range", "down", "choice", "given", "len"):
            inner.types[index] = Integer()
            low, high = self.pick("012"), self.pick("3214")
            texts = {"range": self.pick([f"range({high})", f"range({low}, {high})", f"range(0, {high}, 2)"]),
                     "down": f"range({high}, 0, -{self.pick('12')})",
                     "choice": f"range({high} if {self.condition(scope, 1)} else {low})", "given": "range(n)"}
            return [index], texts.get(form) or f"range(len({self.pick(arrays)}))"
        if form in ("array", "reversed", "enumerate", "zip"):
            first, second = self.pick(arrays), self.pick(arrays)
            inner.types[item] = Number(scope.shape(first)[1:])
            if form == "enumerate":
                inner.types[index] = Integer()
                return [index, item], f"enumerate({first})"
            if form == "zip":
                other = self.fresh("x")
                inner.types[other] = Number(scope.shape(second)[1:])
                return [item, other], f"zip({first}, {second})"
            return [item], f"reversed({first})" if form == "reversed" else first
        if form == "list":
            name = self.pick(lists)
            inner.types[item] = Number(scope.types[name].shape)
            return [item], name
        inner.types[item] = Number(())
        if form == "tuple":
            return [item], f"({', '.join(self.number(scope, (), 1) for _ in range(self.pick([2, 3])))},)"
        other = self.fresh("x")
        inner.types[other] = Number(())
        pairs = [f"({self.number(scope, (), 1)}, {self.number(scope, (), 0)})" for _ in range(2)]
        return [item, other], f"[{', '.join(pairs)}]"

    def while_(self, scope: Scope) -> None:
        count = self.fresh("k")
        inner = scope.inner(loops=scope.loops + 1, fixed=scope.fixed | {count})
        scope.types[count] = inner.types[count] = Integer()
        self.line(f"{count} = 0")
        bound = f"{count} < {self.pick('2314')}"
        header = f"while {bound}:" if self.chance(40) else f"while {bound} and {self.condition(scope, 1)}:"
        endless = self.chance(20)
        with self.indented("while True:" if endless else header):
            if endless:
                with self.indented(f"if not ({bound}):"):
                    self.line("break")
            self.line(f"{count} += 1")
            self.loop_body(inner, self.pick([1, 2, 1]))
            options = [v for v in self.assignable(inner) if inner.shape(v) == ()]
            if options:
                name = self.pick(options)
                self.line(f"{name} = {self.bounded(inner, ())}")
        self.loop_else(scope)

    def append_loop(self, scope: Scope) -> None:
        """Append in a loop, then join the list."""
        name, index, shape = self.fresh("xs"), self.fresh("i"), self.pick([(), *self.shapes_in(scope)])
        trips = self.pick([2, 3, 1])
        started = self.chance(60)
        self.line(f"{name} = [{self.bounded(scope, shape) if started else ''}]")
        inner = scope.inner(loops=scope.loops + 1)
        inner.types[index] = Integer()
        inner.types[name] = Items(shape, 1 if started else 0)
        with self.indented(f"for {index} in range({trips}):"):
            if started:
                self.loop_body(inner, self.pick([0, 1]))
            else:                               # no exits: the list must not stay empty
                self.statements(inner, self.pick([0, 1]))
            self.line(f"{name}.append({self.bounded(inner, shape)})")
        scope.types[name] = Items(shape, 1)
        result = self.fresh("v")
        forms = ["np.stack({}).sum(axis=0)", "np.array({}).mean(axis=0)", "sum({})", "{}[-1] * {}[0]"]
        if shape == ():
            forms += ["np.max(np.array({}))", "np.sum({})"]
        elif len(shape) == 1:
            forms += ["np.concatenate({})[:%d]" % shape[0]]
        self.line(f"{result} = {self.pick(forms).format(name, name)}")
        scope.types[result] = Number(shape)


@dataclass(frozen=True, repr=False)
class RandomProgram(Program):
    text: str = ""

    def __repr__(self) -> str:
        return f"# order={self.order} inputs={self.inputs} args={self.args}\n{self.text}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


def compiled(text: str) -> dict:
    """Run the text of a module; `inspect.getsource` works for its functions."""
    filename = f"<random program {next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict = {"__name__": "random_program"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace


CHOICES = 600


@st.composite
def random_programs(draw: Callable) -> RandomProgram:
    """Programs written by choices that come from one string of bytes; when it is used up, from zeros.

    One long draw, because Hypothesis makes new examples by copying parts of an example that has many: most programs
    would be near copies. Its length varies only now and then, which lets the shrinker delete choices.
    """
    any_length = draw(st.integers(0, 63)) == 0
    choices = iter(draw(st.binary(min_size=0 if any_length else CHOICES, max_size=CHOICES)))
    writer = Writer(lambda n: next(choices, 0) % n)
    rng = np.random.default_rng(next(choices, 0))
    parameters, names = writer.module()
    text = HEADER + "\n".join(writer.lines) + "\n"
    args = tuple(writer.pick([3, 2, 1, 0]) if name == "n" else
                 rng.uniform(-1.5, 1.5, parameters[name]) if parameters[name] else float(rng.uniform(-1.5, 1.5))
                 for name in names)
    inputs = tuple(parameters)[:1] if writer.chance(25) else tuple(parameters)
    order = 2 if len(text) < 1000 and writer.chance(20) else 1
    return RandomProgram(compiled(text)["program"], args, inputs, order, text=text)


def usable(program: RandomProgram) -> bool:
    """Whether the result is a moderate number."""
    numbers = vector(program.run(*program.fresh()))
    return bool(np.all(np.isfinite(numbers))) and float(np.max(np.abs(numbers), initial=0.0)) < math.exp(10)
