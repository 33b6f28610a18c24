"""Random smooth and bounded expressions as text.

Of every choice the first option is the simplest, so that shrinking works.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Shape = tuple
CONSTANTS = ("0.5", "1.3", "-0.7", "0.9", "2")
THRESHOLDS = ("0.137", "-0.211", "0.419", "-0.533", "0.873")


@dataclass(frozen=True)
class Number:
    """A float or an array of known shape."""

    shape: Shape


@dataclass(frozen=True)
class Integer:
    """A small int, never negative."""


@dataclass(frozen=True)
class Items:
    """A list of numbers of one shape; `least` is a lower bound of its length."""

    shape: Shape
    least: int


@dataclass(frozen=True)
class Group:
    """A tuple of numbers."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Callee:
    """A function of numbers; `suffix` is what to pass after them (a recursion depth, say)."""

    parameters: tuple[tuple[str, Shape], ...]
    result: Shape
    suffix: tuple[str, ...] = ()
    optional: int = 0


@dataclass
class Scope:
    """What the names mean at one place of the program, and what may be written there."""

    types: dict[str, Any]
    loops: int = 0                     # loops around this place: each may repeat what is written
    blocks: int = 0
    results: tuple[Shape, ...] = ((),)
    fixed: frozenset = field(default_factory=frozenset)     # names that must not be assigned

    def inner(self, **changes: Any) -> Scope:
        return replace(self, types=dict(self.types), blocks=self.blocks + 1, **changes)

    def named(self, wanted: Callable) -> list[str]:
        return [name for name, kind in self.types.items() if wanted(kind)]

    def numbers(self, shape: Shape | None = None) -> list[str]:
        return self.named(lambda kind: isinstance(kind, Number) and (shape is None or kind.shape == shape))

    def arrays(self) -> list[str]:
        return self.named(lambda kind: isinstance(kind, Number) and kind.shape != ())

    def shape(self, name: str) -> Shape:
        return self.types[name].shape


def call_text(name: str, callee: Callee, args: list[str], by_keyword: bool = False) -> str:
    texts = list(args)
    if by_keyword and not callee.suffix:
        texts[-1] = f"{callee.parameters[len(args) - 1][0]}={texts[-1]}"
    return f"{name}({', '.join([*texts, *callee.suffix])})"


class Expressions:
    """choose(n) gives a number below n; all choices are made by it."""

    def __init__(self, choose: Callable[[int], int]) -> None:
        self.choose = choose
        self.counter = 0

    # --- choices

    def pick(self, options: Sequence) -> Any:
        return options[self.choose(len(options))] if len(options) > 1 else options[0]

    def chance(self, percent: int) -> bool:
        return self.choose(100) >= 100 - percent

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    # --- numbers

    def number(self, scope: Scope, shape: Shape, depth: int = 2) -> str:
        """An expression of exactly this shape, smooth where it is evaluated."""
        if depth <= 0:
            return self.leaf(scope, shape)
        forms = [self.leaf, self.unary, self.binary, self.binary, self.unary, self.selection, self.shaped]
        if shape == ():
            forms += [self.reduced, self.summed]
        if scope.named(lambda kind: isinstance(kind, Callee) and kind.result == shape):
            forms += [self.called, self.called]
        form = self.pick(forms)
        return form(scope, shape) if form == self.leaf else form(scope, shape, depth - 1)

    def leaf(self, scope: Scope, shape: Shape) -> str:
        options = scope.numbers(shape)[::-1]
        for name in scope.named(lambda kind: isinstance(kind, Group) and shape in kind.shapes):
            options.append(f"{name}[{scope.types[name].shapes.index(shape)}]")
        for name in scope.named(lambda kind: isinstance(kind, Items) and kind.shape == shape and kind.least > 0):
            options.append(f"{name}[-1]")
            options.append(f"{name}[{scope.types[name].least - 1}]")
        if shape == ():
            options += scope.named(lambda kind: kind == Integer())
            options += [self.element(scope, name) for name in scope.arrays()[:2] if 0 not in scope.shape(name)]
            options = options * 2 + list(CONSTANTS[:2]) if options else list(CONSTANTS)
        elif not options:
            return f"({self.leaf(scope, ())} * np.ones({shape}))"
        return self.pick(options)

    def element(self, scope: Scope, name: str) -> str:
        return f"{name}[{', '.join(self.pick(['0', '-1']) for _ in scope.shape(name))}]"

    def unary(self, scope: Scope, shape: Shape, depth: int) -> str:
        x = self.number(scope, shape, depth)
        forms = ["np.sin({})", "np.tanh({})", "(-{})", "np.cos({})", "np.exp(-({}) ** 2)", "np.sqrt(1.0 + ({}) ** 2)",
                 "np.log(1.5 + np.sin({}))", "np.abs({})", "((({}) * 0.5) ** 3)"]
        if shape == ():
            forms += ["math.sin({})", "math.tanh({})", "abs({})", "float({})"]
        return self.pick(forms).format(x)

    def binary(self, scope: Scope, shape: Shape, depth: int) -> str:
        x = self.number(scope, shape, depth)
        y = self.number(scope, self.broadcastable(scope, shape), depth - 1)
        forms = ["({} + {})", "({} * {})", "({} - {})", "({} / (1.0 + ({}) ** 2))", "(0.4 * {} - 0.6 * {})",
                 "np.maximum({}, {})", "np.minimum({}, {})"]
        if shape == ():
            forms += ["max({}, {})", "math.hypot(1.0 + {}, {})"]
        first, second = (x, y) if self.chance(70) else (y, x)
        return self.pick(forms).format(first, second)

    def broadcastable(self, scope: Scope, shape: Shape) -> Shape:
        """A shape that broadcasts with `shape` to `shape`."""
        options: list[Shape] = [shape]
        if shape != ():
            options += [(), (1,)]
        if len(shape) == 2:
            options += [shape[1:], (shape[0], 1)]
        return self.pick([option for option in options if option == shape or option == () or scope.numbers(option)])

    def selection(self, scope: Scope, shape: Shape, depth: int) -> str:
        x, y = self.number(scope, shape, depth), self.number(scope, shape, depth - 1)
        if shape != () and self.chance(60):
            z = self.number(scope, shape, 0)
            return f"np.where({z} > {self.pick(THRESHOLDS)}, {x}, {y})"
        return f"({x} if {self.condition(scope, depth)} else {y})"

    def shaped(self, scope: Scope, shape: Shape, depth: int) -> str:
        """An array taken from, or made of, arrays of other shapes."""
        if shape == ():
            arrays = [name for name in scope.arrays() if 0 not in scope.shape(name)]
            if not arrays:
                return self.unary(scope, shape, depth)
            return self.element(scope, self.pick(arrays))
        options = [f"{self.number(scope, shape[::-1], depth)}.T" if len(shape) == 2
                   else f"np.concatenate([{self.leaf(scope, shape)}[1:], {self.leaf(scope, shape)}[:1]])"]
        for name in scope.arrays():
            source = scope.shape(name)
            if len(source) == 2 and source[1:] == shape:
                options += [f"{name}[{self.pick(['0', '-1', '1'])}]", f"{name}.sum(axis=0)", f"np.mean({name}, axis=0)"]
            if len(source) == 2 and source[:1] == shape and scope.numbers(source[1:]):
                options.append(f"({name} @ {self.pick(scope.numbers(source[1:]))})")
            if source[:1] == shape[1:] and len(shape) == 2 and len(source) == 1:
                options.append(f"np.stack([{', '.join([name, f'np.sin({name})', f'0.5 * {name}'][:shape[0]])}])")
            if source != shape and source[::-1] == shape:
                options.append(f"{name}.reshape({shape})")
        return self.pick(options)

    def reduced(self, scope: Scope, shape: Shape, depth: int) -> str:
        arrays = scope.arrays()
        if not arrays:
            return self.unary(scope, shape, depth)
        source = scope.shape(self.pick(arrays))
        x = self.number(scope, source, depth)
        forms = ["np.sum({})", "({}).sum()"]
        if 0 not in source:
            forms += ["np.mean({})", "({}).mean()", "np.max({})", "({}).reshape(-1)[0]"]
        if len(source) == 1:
            forms += ["({} @ %s)" % self.leaf(scope, source), "np.dot({}, %s)" % self.leaf(scope, source)]
        return self.pick(forms).format(x)

    def summed(self, scope: Scope, shape: Shape, depth: int) -> str:
        """sum() of a generator or of a list, over an array, a range or a list."""
        name = self.fresh("t")
        vectors = [v for v in scope.arrays() if len(scope.shape(v)) == 1]
        lists = scope.named(lambda kind: isinstance(kind, Items))
        ranges = [f"range({self.pick('234')})"]
        source = self.pick(ranges + vectors + lists)
        inner = scope.inner(loops=scope.loops + 1)
        if source in lists:
            inner.types[name] = Number(scope.types[source].shape)
        else:
            inner.types[name] = Number(()) if source in vectors else Integer()
        body = f"{self.number(inner, (), depth)} * {self.leaf(inner, ())}"
        only = f" if {name} > {self.pick(THRESHOLDS)}" if source in vectors and self.chance(25) else ""
        text = f"{body} for {name} in {source}{only}"
        return f"sum({text})" if self.chance(60) else f"sum([{text}])"

    def called(self, scope: Scope, shape: Shape, depth: int) -> str:
        name = self.pick(scope.named(lambda kind: isinstance(kind, Callee) and kind.result == shape))
        callee = scope.types[name]
        count = len(callee.parameters) - (callee.optional and self.pick(range(callee.optional + 1)))
        args = [self.number(scope, wanted, depth - 1) for _, wanted in callee.parameters[:count]]
        return call_text(name, callee, args, bool(args) and self.chance(30))

    def bounded(self, scope: Scope, shape: Shape) -> str:
        """A number that stays bounded however often it is assigned to one of its own operands."""
        text = self.number(scope, shape, self.pick([1, 2, 3]))
        if scope.loops or self.chance(50):
            text = self.pick(["np.sin({})", "np.tanh({})", "({0}) / (1.0 + ({0}) ** 2)"]
                             if len(text) < 30 else ["np.sin({})", "np.tanh({})"]).format(text)
        return text[1:-1] if text[0] == "(" and _closes_at_end(text) else text

    # --- conditions

    def condition(self, scope: Scope, depth: int = 2) -> str:
        forms = ["above", "below", "between", "compare"]
        integers = scope.named(lambda kind: kind == Integer())
        arrays = scope.arrays()
        forms += ["parity", "small"] if integers else []
        forms += ["array"] if arrays else []
        forms += ["and", "or", "not"] if depth > 0 else []
        form = self.pick(forms)
        if form in ("and", "or"):
            return f"({self.condition(scope, depth - 1)} {form} {self.condition(scope, depth - 1)})"
        if form == "not":
            return f"not ({self.condition(scope, depth - 1)})"
        if form == "parity":
            return f"{self.pick(integers)} % {self.pick('23')} == {self.pick('01')}"
        if form == "small":
            return f"{self.pick(integers)} {self.pick(['>', '<=', '!='])} {self.pick('12')}"
        if form == "array":
            test = self.pick(["np.all({} < {})", "({} > {}).any()", "len({}) < {} + 2"])
            return test.format(self.pick(arrays), self.pick(THRESHOLDS))
        x, threshold = self.number(scope, (), min(depth, 1)), self.pick(THRESHOLDS)
        if form == "compare":
            return f"{x} >= {self.number(scope, (), 0)} + {threshold}"
        if form == "between":
            return f"-0.6213 < {x} <= {threshold}"
        return f"{x} {'>' if form == 'above' else '<'} {threshold}"


def _closes_at_end(text: str) -> bool:
    """Whether the bracket that opens the text is the one that closes it."""
    level = 0
    for k, character in enumerate(text):
        level += {"(": 1, ")": -1}.get(character, 0)
        if level == 0:
            return k == len(text) - 1
    return False
