"""sizes: what is not known of an array is at least its own, under a name that means something in one function only."""
import numpy as np
import pytest

from sourcegrad import kinds
from sourcegrad.analysis.result_types import fixed_names, own_size, turns, without_own_sizes
from sourcegrad.ir import tree as t
from tests.passes.facts import spelled, types_of

X = np.array([0.5, -1.5, 2.0])


def parts(x, y, n):
    one = x[n:]
    other = x[n:]
    total = one + other
    made = np.zeros(n)
    again = np.ones(n)
    both = made * again
    mask = x > 0.0
    chosen = x[mask]
    squared = chosen * chosen
    return total


def changing(x, y, n):
    one = x[n:]
    n = n + 1
    other = x[n:]
    return one


def in_turns(x, y, n):
    total = 0.0
    last = x
    for k in range(n):
        part = x[k:]
        double = part + part
        total = total + np.sum(double)
        last = part
    return last


def size(function, name: str):
    return types_of(function, x=X, y=X, n=2).kinds[name].dims


@pytest.mark.parametrize("one, other", [
    ("one", "other"), ("one", "total"), ("made", "again"), ("made", "both"), ("chosen", "squared")])
def test_one_size(one, other) -> None:
    assert size(parts, one) == size(parts, other) != (None,)


@pytest.mark.parametrize("one, other", [("one", "made"), ("one", "chosen")])
def test_sizes_of_their_own(one, other) -> None:
    assert size(parts, one) != size(parts, other)


def test_a_name_that_changes_names_no_size() -> None:
    assert size(changing, "one") != size(changing, "other") or size(changing, "one") == (None,)


def test_sizes_of_a_turn_do_not_outlive_it() -> None:
    assert size(in_turns, "part") == size(in_turns, "double") != (None,)
    assert size(in_turns, "last") == (None,)


def test_fixed_names_and_turns() -> None:
    body = types_of(in_turns, x=X, y=X, n=2).unit.tree.body
    mentions = t.Mentions(body)
    assert fixed_names(body, ["x", "y", "n"], mentions) == {"x", "y", "n"}
    once, homes = turns(body, mentions)
    assert once == {"k", "part", "double"} and set(homes) == once


def test_they_are_dropped_where_others_read_the_kind() -> None:
    array = kinds.Num("float64", (None, "x.1"), True)
    named = own_size("a", array)
    assert spelled(named) == "float64[?a.0,x.1]" and without_own_sizes(named) == array
    assert without_own_sizes(kinds.Tup((named, kinds.FLOAT))) == kinds.Tup((array, kinds.FLOAT))
