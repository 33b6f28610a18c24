"""heap: where names live at a point of the program, which places hold one object, and what callees do to memory."""
import numpy as np
import pytest

from sourcegrad import kinds as k
from sourcegrad.ir import tree as t
from sourcegrad.memory.heap import (
    Effects,
    State,
    When,
    aliased,
    both,
    copy_first,
    join,
    lies_in,
    mutable,
    nested,
    part_of,
    repeats,
    same_objects,
    sole_place,
)
from tests.passes.facts import links, memory_of, place, places

X = np.array([0.5, -1.5, 2.0])


def spells(x):
    first = x * 2.0 + 1.0
    return first


def state(names: str = "", **linked: bool) -> State:
    """`a: y[0], b: y` says where names live; y__xs=True: y is what xs holds at 0."""
    parts = (pair.split(": ") for pair in names.split(", ") if pair)
    return State({name: frozenset(map(place, where.split(" or "))) for name, where in parts},
                 {(place(f"{key.split('__')[1]}[0]"), place(key.split("__")[0])): sure for key, sure in linked.items()})


def test_a_root_gets_another_name() -> None:
    s = state("a: y[0], y: y, b: z", y__xs=True)
    s.renamed("y", "kept")
    assert places(s.locs["a"]) == "kept[0]" and places(s.locs["b"]) == "z" and links(s) == "xs[0] = kept"


def test_a_name_is_forgotten_with_its_links() -> None:
    s = state("a: y, y: y", y__xs=True, z__ys=False)
    s.stale = frozenset(["y"])
    s.forget("y")
    assert set(s.locs) == {"a"} and links(s) == "ys[0] ~ z" and not s.stale and not s.linked("y") and s.linked("ys")


def test_places_are_mapped() -> None:
    s = state("a: y[0]", y__xs=True)
    s.mapped(lambda loc: place("there") if loc.root == "y" else loc)
    assert places(s.locs["a"]) == "there" and links(s) == "xs[0] ~ there"            # not certain any more


def test_where_paths_meet() -> None:
    one, other = state("a: y, y: y, xs: xs", y__xs=True), state("a: z, y: y, xs: xs", y__xs=False)
    met = join(one, other)
    assert places(met.locs["a"]) == "y, z" and links(met) == "xs[0] ~ y" and links(join(one, one.copy())) == "xs[0] = y"
    assert join(one, one.copy()) == one != other


def test_what_may_hold_an_object() -> None:
    s = State(links={(place("xs[0]"), place("y")): True, (place("d.a"), place("xs")): False})
    assert places(same_objects([place("y")], s)) == places(same_objects([place("xs[0]"), place("y")], s)) == "d.a, xs, xs[0], y"
    assert places(same_objects([place("xs[1]")], s)) == "d.a, xs, xs[0], xs[1], y"          # (of all that xs holds)
    assert places(same_objects([place("z")], s)) == "z"


def test_one_object_twice() -> None:
    s = State(links={(place("xs[0]"), place("y")): True, (place("xs[1]"), place("y")): True, (place("ys[0]"), place("z")): True})
    assert repeats(s, [frozenset([place("xs")])]) and not repeats(s, [frozenset([place("ys")])])
    assert repeats(s, [frozenset([place("ys")])] * 2)
    assert repeats(State(links={(place("zs[0]"), place("zs[1]")): True}), [frozenset([place("zs")])])


@pytest.mark.parametrize("one, other, expected", [
    ("y[0]", "y", (True, True, True)), ("y", "y", (True, True, False)), ("y[0]", "y[1]", (False, False, False)),
    ("y", "y[1]", (True, False, False)), ("z", "y", (True, False, True))][:4])
def test_places_in_places(one: str, other: str, expected: tuple) -> None:
    assert (nested(place(one), place(other)), lies_in(place(one), place(other)), part_of(place(one), place(other))) == expected


def test_the_one_place_of_a_name() -> None:
    assert sole_place(frozenset([place("y[0]")])) == place("y[0]")
    assert sole_place(frozenset([place("in y")])) is sole_place(frozenset([place("y"), place("z")])) is None
    assert aliased(state("a: y, b: y, c: y[0], d: z"), {"a", "b", "c"}) == {frozenset("ab"): "y"}


def test_how_certain_links_are() -> None:
    when = When("same")
    assert both(True, when) is both(when, True) is both(when, when) is when
    assert both(when, When("other")) is both(False, True) is False
    assert not when


@pytest.mark.parametrize("kind, changes", [
    (k.Num("float64", (3,), True), True), (k.Num("pyfloat", (), False), False), (k.Const(3), False),
    (k.Lst(k.Const(1)), True), (k.Tup((k.Const(1),)), False), (k.Tup((k.Lst(None),)), True), (k.ANY, True)])
def test_what_can_change(kind, changes: bool) -> None:
    assert mutable(kind) is changes


def test_effects_of_either_of_two_functions() -> None:
    changes = frozenset([("x", place("x[0]").path, False, True, None)])
    one = Effects(("x",), changes=changes, replaced=frozenset([("x", ())]), seeks=True)
    both_ = one | Effects(("y", "x"), drawn=frozenset(["y"]), mutates=True)
    assert both_.changed == ("x", "y") and both_.seeks and both_.mutates and both_.drawn == {"y"}
    assert both_.changes == one.changes and not both_.replaced           # certainly only if both do
    assert one.coarse().changes == {("x", (), False, True, None)} and one.coarse().survivors == {"x"}


def test_names_in_messages() -> None:
    heap = memory_of(spells, x=X)[0].heap
    heap.unit.tree.body.insert(0, t.assign("item", t.subscript(t.load("x"), t.const(0)), None))      # by `anf`
    spelling = heap.spelling
    assert spelling.of("first") == spelling.of("first_2") == "first" and spelling.of("item") == "x[0]"
    assert copy_first("x").startswith("Work on a copy: `x = x.copy()`") and "give `x.w.copy()` a name" in copy_first("x.w")
