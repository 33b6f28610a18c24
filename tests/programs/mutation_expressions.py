"""Text of views, store targets and smooth bounded expressions for random in-place programs.

The shape of every name is known while the text is written. Who shares memory with whom is not tracked: NumPy decides
that when the program runs, and the oracle runs the same program.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

Shape = tuple
FACTORS = ("0.7", "0.4", "-0.6", "0.9", "-0.3")
THRESHOLDS = ("0.137", "-0.211", "0.419", "-0.533", "0.0871")      # no other constant equals one: no ties


@dataclass(frozen=True)
class Helper:
    """A function that may change its arrays. result: a shape, or None where it returns nothing."""

    parameters: tuple[Shape, ...]
    result: Shape | None


@dataclass
class Place:
    """What the names mean at one place of the program."""

    arrays: dict[str, Shape] = field(default_factory=dict)
    scalars: dict[str, None] = field(default_factory=dict)
    ints: dict[str, int] = field(default_factory=dict)              # name: smallest number it stays below
    masks: dict[str, Shape] = field(default_factory=dict)
    items: dict[str, tuple[str, list[str], Shape]] = field(default_factory=dict)   # name: (kind, texts of keys, shape)
    helpers: dict[str, Helper] = field(default_factory=dict)
    foreign: frozenset = frozenset()                                # names of an enclosing function: not to be bound
    depth: int = 0
    loops: int = 0
    result: Any = None                                              # () or a shape, or None: nothing is returned

    def inner(self, **changes: Any) -> Place:
        copies = {name: dict(getattr(self, name)) for name in ("arrays", "scalars", "ints", "masks", "items", "helpers")}
        return replace(self, **{**copies, "depth": self.depth + 1, **changes})

    def bindable(self) -> list[str]:
        return [name for name in self.arrays if name not in self.foreign]


def weights_name(shape: Shape) -> str:
    return "W" + "x".join(map(str, shape))


class Expressions:
    """All choices come from one `Random`."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.count = 0
        self.weights: dict[Shape, str] = {}
        self.without: frozenset[str] = frozenset()      # names of features that this program does not use

    def pick(self, options: Sequence) -> Any:
        return self.rng.choice(options)

    def chance(self, percent: int) -> bool:
        return self.rng.random() * 100 < percent

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # --- places in arrays

    def base(self, place: Place) -> tuple[str, Shape]:
        """An array by name, or one in a list, tuple or dict."""
        if place.items and self.chance(25):
            name, (_, keys, shape) = self.pick(list(place.items.items()))
            bounded = [i for i, bound in place.ints.items() if bound <= len(keys)] if not keys[0].startswith('"') else []
            key = self.pick(bounded) if bounded and self.chance(40) else self.pick(keys)
            return f"{name}[{key}]", shape
        return self.pick(list(place.arrays.items()))

    def index(self, place: Place, size: int) -> str:
        """An index into an axis, perhaps a loop variable."""
        bounded = [name for name, bound in place.ints.items() if bound <= size]
        if bounded and self.chance(60):
            name = self.pick(bounded)
            return self.pick([name, name, f"-1 - {name}", f"{size - 1} - {name}"])
        return str(self.rng.randrange(-size, size))

    def span(self, size: int) -> tuple[str, int]:
        """A slice of an axis that is not empty, and its length."""
        options = [":", "::-1", "...", "::2", f"{size - 1}:", ":1"]
        if size > 1:
            options += ["1:", ":-1", "1:", ":-1", "-2:", "1::-1", "::-2"]
        if size > 2:
            options += ["1:-1", "1:3", "-2::-1"]
        text = self.pick(options)
        parts = slice(None) if text == "..." else slice(*(int(p) if p else None for p in text.split(":")))
        return text, len(range(size)[parts])

    def target(self, place: Place) -> tuple[str, Shape]:
        """A subscript that is stored to: element, slice, view of a view, integer array."""
        chained = "chain" not in self.without
        text, shape = self.view(place) if chained and self.chance(20) else self.base(place)
        if len(shape) == 1:
            size = shape[0]
            form = self.pick([form for form in ("item", "item", "span", "span", "fancy", "chain") if form not in self.without])
            if form == "item":
                return f"{text}[{self.index(place, size)}]", ()
            if form == "fancy":
                chosen = [self.rng.randrange(size) for _ in range(self.pick([2, 3]))]
                return f"{text}[{self.pick([chosen, f'np.array({chosen})'])}]", (len(chosen),)
            span, length = self.span(size)
            if form == "chain":
                second, final = self.span(length)
                return f"{text}[{span}][{second}]", (final,)
            return f"{text}[{span}]", (length,)
        rows, columns = shape
        i, j = self.index(place, rows), self.index(place, columns)
        (down, height), (across, width) = self.span(rows), self.span(columns)
        if "..." in (down, across):
            return self.pick([(f"{text}[...]", shape), (f"{text}[..., {j}]", (rows,)), (f"{text}[{i}, ...]", (columns,))])
        p, q = ([self.rng.randrange(size) for _ in range(2)] for size in shape)
        options = [
            (f"{text}[{i}, {j}]", ()), (f"{text}[{i}]", (columns,)), (f"{text}[:, {j}]", (rows,)),
            (f"{text}[{down}]", (height, columns)), (f"{text}[:, {across}]", (rows, width)),
            (f"{text}[{down}, {across}]", (height, width)), (f"{text}[{i}, {across}]", (width,))]
        if "fancy" not in self.without:
            options += [(f"{text}[{p}, {q}]", (2,)), (f"{text}[{p}]", (2, columns)), (f"{text}[:, {q}]", (rows, 2))]
        if chained:
            options += [(f"{text}[{i}][{j}]", ()), (f"{text}.T[{j}]", (rows,)), (f"{text}.T[{j}, {i}]", ()),
                        (f"{text}.reshape(-1)[{i}]", ()), (f"{text}.ravel()[:{columns}]", (columns,))]
        return self.pick(options)

    def view(self, place: Place) -> tuple[str, Shape]:
        """An array that shares memory with another one (or, by reshape, may do so)."""
        text, shape = self.base(place)
        if "views" in self.without:
            return text, shape
        if len(shape) == 1:
            size = shape[0]
            span, length = self.span(size)
            options = [(f"{text}[{span}]", (length,)), (f"{text}[{span}]", (length,)), (f"np.asarray({text})", shape),
                       (f"{text}.T", shape), (f"{text}.reshape(1, {size})", (1, size)), (f"{text}[::-1]", shape),
                       (f"{text}.reshape({size}, 1)", (size, 1)), (f"np.flip({text})", shape), (f"{text}.ravel()", shape)]
            if size % 2 == 0:
                options += [(f"{text}.reshape(2, {size // 2})", (2, size // 2)),
                            (f"np.split({text}, 2)[{self.pick('01')}]", (size // 2,))]
            return self.pick(options)
        rows, columns = shape
        (down, height), (across, width) = self.span(rows), self.span(columns)
        i, j = self.index(place, rows), self.index(place, columns)
        flat = (rows * columns,)
        options = [(f"{text}.T", (columns, rows)), (f"{text}.reshape(-1)", flat), (f"{text}.ravel()", flat),
                   (f"{text}[{i}]", (columns,)), (f"{text}[:, {j}]", (rows,)), (f"{text}[{down}]", (height, columns)),
                   (f"{text}.T[{j}]", (rows,)), (f"np.reshape({text}, {flat})", flat), (f"np.ravel({text})", flat),
                   (f"{text}.T.reshape(-1)", flat), (f"{text}.reshape({columns}, {rows})", (columns, rows)),
                   (f"{text}.swapaxes(0, 1)", (columns, rows)), (f"np.transpose({text})", (columns, rows)),
                   (f"np.asarray({text})", shape)]
        if across != "...":
            options += [(f"{text}[:, {across}]", (rows, width)), (f"{text}[{i}, {across}]", (width,))]
        return self.pick(options)

    def fitting(self, place: Place, shape: Shape, views_only: bool = False) -> str | None:
        """Something of the wanted shape in memory; None where luck has it that none is found."""
        exact = [name for name, known in place.arrays.items() if known == shape]
        if exact and self.chance(40):
            return self.pick(exact)
        for _ in range(12):
            text, found = self.view(place) if views_only or self.chance(60) else self.target(place)
            if found == shape:
                return text
        return self.pick(exact) if exact else None

    # --- numbers

    def scalar(self, place: Place) -> str:
        for _ in range(3):
            text, shape = self.target(place)
            if shape == ():
                return text
        name = self.pick(list(place.arrays))
        options = [f"np.sum({name})", f"{name}.mean()", *place.scalars]
        return self.pick(options)

    def number(self, place: Place, shape: Shape, depth: int = 2) -> str:
        """A smooth expression of this shape, or one that broadcasts to it."""
        if depth <= 0 or self.chance(20):
            return self.leaf(place, shape)
        x, c = self.number(place, shape, depth - 1), self.pick(FACTORS)
        form = self.rng.randrange(12)
        if form < 4:
            return self.pick([f"np.sin({x})", f"np.tanh({x})", f"np.cos({x})", f"{c} * np.sin({x})"])
        if form < 5:
            return f"{c} * ({x})"
        y = self.number(place, shape, depth - 1)
        if form < 9:
            return self.pick([f"({x} + {y})", f"({x} - {y})", f"({c} * {x} + {y})", f"np.sin({x}) * ({y})"])
        if form == 9:
            return f"({x}) / (1.5 + np.cos({y}))"
        if form == 10 and shape != ():
            return f"np.where({self.mask(place, shape)}, {x}, {y})"
        return self.pick([f"np.maximum({x}, {self.pick(THRESHOLDS)})", f"np.exp(-np.square({x}))",
                          f"np.sqrt(1.3 + np.sin({x}))"])

    def leaf(self, place: Place, shape: Shape) -> str:
        if shape == ():
            return self.scalar(place)
        text = None
        if self.chance(85):
            text = self.fitting(place, shape)
        if text is None and len(shape) == 2 and self.chance(60):
            text = self.fitting(place, shape[1:])
        return self.scalar(place) if text is None else text

    def bounded(self, place: Place, shape: Shape) -> str:
        """A value to be stored: its size stays moderate, however often the store is repeated."""
        if self.chance(25):
            text = self.fitting(place, shape) if shape else self.scalar(place)
            if text is not None:
                return text
        x = self.number(place, shape, 1)
        return self.pick([f"np.sin({x})", f"np.tanh({x})", f"{self.pick(FACTORS)} * np.cos({x})", x,
                          f"({x}) / (1.4 + np.sin({self.number(place, shape, 1)}))", self.pick(FACTORS)])

    def mask(self, place: Place, shape: Shape) -> str:
        saved = [name for name, known in place.masks.items() if known == shape]
        if saved and self.chance(50):
            return self.pick(saved)
        text = self.fitting(place, shape) or f"{weights_name(self.weighted(shape))}"
        return f"{text} {self.pick('<>')} {self.pick(THRESHOLDS)}"

    def weighted(self, shape: Shape) -> Shape:
        """The shape; numbers of that shape are defined at the top of the module."""
        self.weights.setdefault(shape, weights_name(shape))
        return shape

    def condition(self, place: Place) -> str:
        options = []
        for name, bound in place.ints.items():
            options += [f"{name} % 2 == 0", f"{name} > 0", f"{name} == {self.rng.randrange(max(bound, 1))}"]
        if options and self.chance(50):
            return self.pick(options)
        c = self.pick(THRESHOLDS)
        name = self.pick(list(place.arrays))
        return self.pick([f"{self.scalar(place)} > {c}", f"{self.scalar(place)} < {c}", f"np.sum({name}) > {c}",
                          f"np.any({name} > {c})"])
