"""intervals: what values are never below, and whether places that differ by known numbers can be one."""
import gast
import numpy as np
import pytest

from sourcegrad.analysis.intervals import Bounds, Constraints, has_place
from sourcegrad.ir import tree as t
from tests.passes.facts import statement, types_of

X = np.array([[0.5, -1.5], [2.0, 1.0]])


def bounded(x, n):
    square = x * x
    sums = np.sum(square, axis=1)
    above = sums + 0.01
    exponential = np.exp(x)
    absolute = np.abs(x) + 2.0
    scaled = absolute * 3.0
    least = np.maximum(x, 0.5)
    root = np.sqrt(above)
    inner = np.minimum(scaled, 4.0)
    ones = np.ones(3)
    return root


def unbounded(x, n):
    plain = x
    difference = np.abs(x) - 1.0
    cube = x ** 3
    product = x * np.sin(x)
    minus = -x * x
    other = np.minimum(x, 1.0)
    complex_square = (x + 1j) * (x + 1j)
    return plain


def carried(x, n):
    total = 0.5
    for k in range(n):
        total = total + np.sum(x * x)
    falling = 0.5
    for k in range(n):
        falling = falling - 1.0
    return total, falling


@pytest.mark.parametrize("name, low", {
    "square": 0.0, "sums": 0.0, "above": 0.01, "exponential": 0.0, "absolute": 2.0, "scaled": 6.0, "least": 0.5, "inner": 4.0,
    "ones": 1.0}.items())
def test_never_below(name, low) -> None:
    assert Bounds(types_of(bounded, x=X, n=2)).low(t.load(name)) == low


@pytest.mark.parametrize("name", ["plain", "difference", "cube", "product", "minus", "other", "complex_square"])
def test_nothing_is_known(name) -> None:
    assert Bounds(types_of(unbounded, x=X, n=2)).low(t.load(name)) is None


def test_loops() -> None:
    """A bound holds for no trip, too, and in every trip."""
    bounds = Bounds(types_of(carried, x=X, n=2))
    assert bounds.low(t.load("total")) == 0.0 and bounds.low(t.load("falling")) is None


def test_few_digits_may_lose_what_is_added() -> None:
    assert Bounds(types_of(bounded, x=X.astype(np.float16), n=2)).low(t.load("above")) is None


def test_differences() -> None:
    rows = Constraints()
    rows.at_most(("i", 0), ("j", 0), -1)                            # i < j
    assert rows.possible()
    assert not rows.overlap([(("i", 0), ("i", 1))], [(("j", 0), ("j", 1))])
    assert rows.overlap([(("i", 0), ("i", 1))], [(("j", -1), ("j", 0))])            # i and j - 1
    assert rows.overlap([(("i", 0), ("i", 2))], [(("j", 0), ("j", 1))])             # i and i + 1
    assert rows.overlap([(None, None)], [(("j", 0), ("j", 1))])                     # no bound
    rows.at_most(("j", 0), ("i", 0))                                # and j <= i: that cannot be
    assert not rows.possible()


def test_indices_that_count_from_the_back() -> None:
    rows = Constraints()
    assert rows.negative(("i", 0)) and not rows.negative(("", 0)) and rows.negative(("", -1))
    rows.at_most(("", 1), ("i", 0))                                 # 1 <= i
    assert not rows.negative(("i", -1)) and rows.negative(("i", -2))


def places(x, n):
    table = {"a": x}
    values = [x, x]
    return table


def test_an_entry_of_a_dict_may_be_new() -> None:
    facts = types_of(places, x=X, n=2)
    assert has_place(facts, t.load("table"), t.const("a")) and not has_place(facts, t.load("table"), t.const("b"))
    assert has_place(facts, t.load("values"), t.const(0)) and has_place(facts, t.load("x"), t.const(0))
    assert isinstance(statement(facts, "table"), gast.Assign)
