"""Functions in tables under text, numbers and members of enumerations: each is a branch, and whoever changes a table is seen."""
from __future__ import annotations

import enum
import functools
import math
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import by_differences


class Sort(enum.Enum):
    PLAIN = "plain"
    STEEP = "steep"
    FLAT = 0.5

    def weight(self) -> float:
        return 2.0 if self is Sort.PLAIN else 3.0

    @property
    def size(self) -> int:
        return len(self.name)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Code(str, enum.Enum):
    A = "a"
    B = "bb"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


def plain(v, c=1.0):
    return v * v * c


def steep(v, c=1.0):
    return np.sin(v) * c


class Tables:
    BY_NAME = {"plain": plain, "steep": lambda v: steep(v, 3.0)}


BY_NAME = {"plain": plain, "steep": lambda v: steep(v, 3.0), "other": functools.partial(steep, c=0.5)}
BY_NUMBER = {0: math.sin, 1: np.cos, 2: plain}
BY_SORT = {Sort.PLAIN: plain, Sort.STEEP: functools.partial(steep, c=2.0), Sort.FLAT: lambda v: 0.5 * v}


class Layer:
    def __init__(self, sort, w):
        self.sort = sort
        self.w = w


LAYERS = [Layer(Sort.PLAIN, 2.0), Layer(Sort.STEEP, 0.5), Layer(Sort.FLAT, 1.5), Layer(Sort.PLAIN, 0.2)]
NAMES = ["plain", "other", "steep", "plain"]
NUMBERS = [2, 0, 1, 1]


def in_a_loop(x):
    y = 0.0
    for name, v in zip(NAMES, x):
        y = y * 0.5 + BY_NAME[name](v)
    return y


def named_first(x):
    y = 0.0
    for k, v in zip(NUMBERS, x):
        f = BY_NUMBER[k]
        y = y + f(v) * f(0.5 * v)
    return y


def by_default(x):
    y = 0.0
    for name, v in zip(["nothing", *NAMES], x):
        y = y + Tables.BY_NAME.get(name, np.cos)(v)
    return y


def in_a_comprehension(x):
    return sum(BY_NAME[name](v) for name, v in zip(NAMES, x)) + max(BY_NUMBER[k % 3](x[k]) for k in range(4))


def in_a_lambda(x):
    def applied(name, v):
        return BY_NAME[name](v)

    g = lambda name, v: Tables.BY_NAME[name](v) * applied("other", v)
    return sum(g(name, v) for name, v in zip(["plain", "steep"], x))


def made_here(x):
    table = {"a": np.sin, "b": plain}
    return sum(table[name](v) for name, v in zip("abba", x))


def by_member(x):
    return sum(BY_SORT[layer.sort](layer.w * v) * layer.sort.weight() + layer.sort.size for layer, v in zip(LAYERS, x))


def of_known_members(x):
    return np.sum(BY_SORT[Sort.STEEP](x) + BY_SORT[Sort.FLAT](x) * BY_SORT[Sort.PLAIN](x))


def in_turn(x):
    """The key is computed once, before the arguments."""
    said = []

    def key():
        said.append(1.0)
        return NAMES[len(said) - 1]

    def argument(v):
        said.append(0.0)
        said.pop()
        return v * (1.0 + len(said))

    return sum(BY_NAME[key()](argument(v)) for v in x)


def members_of_several(x):
    y = 0.0
    for layer, v in zip(LAYERS, x):
        sort = layer.sort
        y = y + (v * v if sort is Sort.PLAIN else v * len(sort.name))
        if sort == Sort.FLAT:
            y = y * sort.value
        if sort in (Sort.STEEP, Sort.FLAT):
            y = y + v
    return y


def chosen_member(x):
    sort = Sort.PLAIN if x[0] > 100.0 else Sort.FLAT
    return x[1] * sort.weight() * len(f"{sort.name} {sort}")


def numbers_that_are_members(x):
    levels = [Level.HIGH, Level.LOW, Level.HIGH]
    return sum(v * level + v ** level.value for level, v in zip(levels, x))


def text_that_is_a_member(x):
    return sum(v * len(code) for code, v in zip([Code.A, Code.B], x))


def flags(x):
    return sum(v * (2.0 if Access.READ in access else 3.0) * access.value for access, v in zip(
        [Access.READ, Access.READ | Access.WRITE, Access.WRITE], x))


def keys_of_a_dict(x):
    found = {}
    for layer, v in zip(LAYERS, x):
        found[layer.sort] = found.get(layer.sort, 0.0) + v * v
    return found[Sort.PLAIN] * found[Sort.FLAT] + sum(found.values())


PROGRAMS = [in_a_loop, named_first, by_default, in_a_comprehension, in_a_lambda, made_here, by_member, of_known_members, in_turn,
            members_of_several, chosen_member, numbers_that_are_members, text_that_is_a_member, flags, keys_of_a_dict]
X = np.array([0.7, 1.3, -0.4, 0.9])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Any) -> None:
    assert np.allclose(sg.grad(f)(X), by_differences(f, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [in_a_loop, by_member, members_of_several], ids=lambda f: f.__name__)
def test_other_orders_and_modes(f: Any) -> None:
    along = np.array([0.3, -1.0, 0.4, 2.0])
    assert np.allclose(sg.jvp(f, (X,), (along,))[1], by_differences(f, X) @ along, atol=1e-6)
    second = by_differences(lambda x: float(sg.grad(f)(x) @ along), X)
    assert np.allclose(sg.hvp(f)(X, along) if not isinstance(sg.hvp(f)(X, along), tuple) else sg.hvp(f)(X, along)[-1], second,
                       atol=1e-5)


@pytest.mark.parametrize("f", [in_a_loop, named_first, made_here, by_member], ids=lambda f: f.__name__)
def test_every_function_has_its_branch(f: Any) -> None:
    text = sg.source(f, at={"x": X})
    assert "call_forward" not in text and "entry_key(" in text


def test_what_is_known_is_called_at_once() -> None:
    text = sg.source(of_known_members, at={"x": X})
    assert "entry_key" not in text and "call_forward" not in text and "keywords" not in text


def test_a_missing_entry() -> None:
    def f(x, name):
        return BY_NAME[name](x)

    g = sg.grad(f, inputs="x")
    for name, error in (("nothing", KeyError), (3, KeyError), (["plain"], TypeError)):
        with pytest.raises(error):
            f(0.5, name)
        with pytest.raises(error):
            g(0.5, name)

    def in_turn(x, names):
        return sum(BY_NAME[name](x) for name in names)

    with pytest.raises(KeyError, match="nothing"):
        sg.grad(in_turn, inputs="x")(0.5, ["plain", "steep", "nothing"])


def test_whoever_changes_a_table_is_seen() -> None:
    table = {"a": np.sin, "b": plain}
    held = functools.partial(steep, c=2.0)

    def f(x, names):
        return sum(table[name](x) for name in names) + held(x)

    def check(names: Any) -> None:
        assert np.allclose(g(0.5, names), by_differences(lambda x: f(x[0], names), np.array([0.5])), atol=1e-8)

    g = sg.grad(f, inputs="x")
    check(["a", "b"])
    table["a"] = np.exp
    check(["a", "b"])
    table["c"] = np.cos
    check(["a", "c", "b"])
    del table["a"]
    check(["c", "b"])
    with pytest.raises(KeyError):
        g(0.5, ["a", "b"])
    table = {"a": plain, "b": np.sin, "c": np.tan}
    check(["a", "b", "c"])
    held.keywords["c"] = 5.0
    check(["a"])
    held = functools.partial(steep, c=math.inf)
    with np.errstate(invalid="ignore"):
        assert g(0.5, ["a"]) == math.inf
    table["a"] = 3.0
    with pytest.raises((sg.SourcegradError, TypeError)):
        g(0.5, ["a"])
