"""tbr: what the forward sweep records so that the reverse sweep finds every variable as it was."""
import numpy as np

from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.tbr import Record
from sourcegrad.ir import tree as t
from tests.passes.facts import types_of

X = np.array([0.5, -1.5, 2.0])


def plan(function, everything: bool = False, **at):
    facts = types_of(function, **at)
    found = Record(facts, {"trips"}, everything, Activity(facts, {"x"}).run().varied).run()
    killed = {t.writes(s)[0] for s in t.statements(facts.unit.tree.body) if id(s) in found.kills}
    retired = {name for names in found.retired.values() for name in names}
    again = {name for block in found.again.values() for s in block for name in t.writes(s)}
    return killed, retired, again


def straight(x, n):
    y = x * x
    z = y * y
    return z


def overwritten(x, n):
    y = x * x
    y = y * y
    return y


def carried(x, n):
    for k in range(n):
        x = x * x
    return x


def of_each_turn(x, n):
    total = x
    for k in range(n):
        j = k + 1
        root = np.sqrt(total)
        total = total * root * j
    return total


def counted(x, n):
    trips = 0
    while x < 100.0:
        trips = trips + 1
        x = x * x
    return x


def read_again(x, n):
    total = 0.0
    for k in range(n):
        v = x[k]
        total = total + v * v
    return total


def test_values_that_nothing_overwrites() -> None:
    assert plan(straight, x=2.0, n=3) == (set(), set(), set())


def test_a_value_is_put_away_before_it_is_overwritten() -> None:
    assert plan(overwritten, x=2.0, n=3) == ({"y"}, set(), set())
    assert plan(carried, x=2.0, n=3) == ({"x"}, set(), set())


def test_values_of_a_turn_are_saved_at_its_end_or_computed_again() -> None:
    killed, retired, again = plan(of_each_turn, x=2.0, n=3)
    assert killed == {"total"} and retired == {"root"} and again == {"j"}


def test_trip_counters_are_not_recorded() -> None:
    assert plan(counted, x=2.0, n=3) == ({"x"}, set(), set())


def test_an_element_is_read_again() -> None:
    assert plan(read_again, x=X, n=3) == ({"total"}, set(), {"v"})


def test_everything_is_saved_where_that_is_asked_for() -> None:
    killed, retired, again = plan(of_each_turn, True, x=2.0, n=3)
    assert killed == {"total"} and retired == {"root", "j"} and again == set()
