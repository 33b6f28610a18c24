"""sharing: which parts of one value are one object, and what stays linked when a name goes."""
import pytest

from sourcegrad.memory.heap import State, When
from sourcegrad.memory.sharing import (
    by_one_name,
    carry,
    certain_places,
    cut,
    follows,
    inner_shares,
    junctions,
    leave_root,
    meant,
    narrowed,
    reaching,
    release,
    told,
    told_by,
    widen,
)
from tests.passes.facts import links, place, placed, places

ANY = frozenset(["list", "dict"])


def linked(*pairs: str) -> State:
    """`a = b` and `a ~ b`: two places certainly, or perhaps, hold one object."""
    found = {}
    for pair in pairs:
        one, sign, other = pair.partition(" = ") if " = " in pair else pair.partition(" ~ ")
        found[place(one), place(other)] = sign == " = "
    return State(links=found)


@pytest.mark.parametrize("pairs, shares", [
    (["t.a = node", "t.b = node"], "p.a = p.b"), (["t.a = node", "t.b ~ node"], "p.a ~ p.b"), (["t.a = node", "s.b = node"], ""),
    (["t.a = node", "t.b = node.child"], "p.a.child = p.b"), (["in t = in t"], "in p ~ in p"),
    (["t.a = node", "t.b = other", "node.x = w", "other.x = w"], "p.a.x = p.b.x")])
def test_what_a_value_holds_twice(pairs: list[str], shares: str) -> None:
    found = inner_shares(place("t"), place("p"), linked(*pairs), lambda loc: None)
    assert links(State(links={(one, other): sure for one, other, sure in found})) == shares


def test_sorts_tell_apart() -> None:
    state = linked("t.a = node", "t.b ~ node")
    assert not inner_shares(place("t"), place("p"), state, lambda loc: frozenset(["list" if placed(loc) == "t.a" else "dict"]))
    assert narrowed(None, ANY) == narrowed(ANY, None) == ANY and narrowed(ANY, frozenset(["list"])) == {"list"}
    assert meant(place("in xs"), ANY).of == ANY and meant(place("xs"), ANY).of is None


def test_what_a_change_reaches() -> None:
    shares = {(place("p.a"), place("p.b"), True), (place("p.c"), place("p.d"), True)}
    assert {placed(one) for one, *_ in reaching(shares, [(place("p.b.x"), None)], None, None)} == {"p.a"}


def test_parts_of_places_that_are_one_object() -> None:
    certain = {(place("p.a"), place("p.b"))}
    assert follows((place("p.a.x"), place("p.b.x"), True), certain) and not follows((place("p.a.x"), place("p.b.y"), True), certain)


def test_places_as_a_callee_knows_them() -> None:
    assert placed(told(place("p.a[0]"))) == "p.a[0]" and placed(told(place("p.a[n]"))) == "in p.a[some ]"
    assert placed(cut(place("p.a.b.c"), 2)) == "in p.a.b"


def test_a_name_goes_and_what_was_linked_through_it_stays_linked() -> None:
    for forget in (release, leave_root):
        state = linked("xs[0] = node", "ys[0] = node")
        forget(state, "node")
        assert "xs[0] = ys[0]" in links(state) or "ys[0] = xs[0]" in links(state)
    release(state, "node")
    assert not state.linked("node")


@pytest.mark.parametrize("pairs, new", [
    (["a = n", "b = n"], "a = b"), (["a = n", "b ~ n"], "a ~ b"), (["a = n.x", "b = n"], "a = b.x"), (["a = n.x", "b = n.y"], "")])
def test_links_directly(pairs: list[str], new: str) -> None:
    state = linked(*pairs)
    before = set(state.links)
    carry(state, lambda loc: loc.root == "n", place("in n"))
    assert links(State(links={pair: sure for pair, sure in state.links.items() if pair not in before})) == new


def test_too_many_links_are_widened() -> None:
    state = linked(*(f"xs[{j}] ~ ys[{j}]" for j in range(300)))
    widen(state)
    assert links(state) == "in xs ~ in ys"


def test_by_other_names() -> None:
    state = linked("g.nodes = xs", "xs[0] = n")
    state.locs["v"] = frozenset([place("g.nodes[0]")])
    assert places(certain_places(place("xs[0]"), state)) == "g.nodes[0], n, xs[0]"
    assert places(certain_places(place("xs[0]"), state, above=1)) == "g.nodes[0], xs[0]"
    told_by(place("xs"), [place("g.nodes")], state)
    assert places(state.locs["v"]) == "xs[0]" and links(state) == "xs[0] = n"
    state = linked("g.nodes = xs")
    state.locs["v"] = frozenset([place("g.nodes[0]")])
    by_one_name(place("xs[0]"), state)
    assert places(state.locs["v"]) == "xs[0]"


def test_arrays_through_which_others_change_with_each_other() -> None:
    state = State(links={(place("a"), place("y[0:2]")): When("one"), (place("b"), place("y[1:3]")): When("other")})
    assert junctions(state) == {"y"}
    state.links[place("b"), place("y[1:3]")] = True
    assert not junctions(state)
