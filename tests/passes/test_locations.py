"""locations: places in memory as a root and a path, and whether two of them may share memory."""
import gast
import numpy as np
import pytest

from sourcegrad.analysis.locations import HERE, Loc, attribute_step, equally_spaced, in_order, index_step, overlap, step
from sourcegrad.ir import tree as t
from sourcegrad.ir.source import expression_text


def place(text: str) -> Loc:
    """The place that an expression reads: `x.a[0]`."""
    def visit(node) -> Loc:
        if isinstance(node, gast.Name):
            return Loc(node.id)
        if isinstance(node, gast.Attribute):
            return visit(node.value).then(attribute_step(node.attr, "view" if node.attr == "T" else "attribute"))
        if isinstance(node, gast.Call):
            return visit(node.func.value).then(step(t.method(HERE, node.func.attr, *node.args), "view"))
        return visit(node.value).then(index_step(node.slice))

    return visit(gast.parse(text, mode="eval").body)


SHARED = ["x x", "x[0] x", "x[i] x[0]", "x[i] x[j]", "x.a[0] x.a", "x[:2] x[0]", "x[-1] x[0]", "x.T[0] x[0]"]
APART = ["x y", "x[0] x[1]", "x.a x.b", "x.a[0] x.b[0]", "x[0].a x[1].a", "x['a'] x['b']", "x[1:] x[0]", "x[0,1] x[0,2]"]


@pytest.mark.parametrize("places, shared", [*((p, True) for p in SHARED), *((p, False) for p in APART)])
def test_may_share(places, shared) -> None:
    one, other = places.split()
    assert overlap(place(one), place(other)) is overlap(place(other), place(one)) is shared


def test_a_place_that_is_not_known_exactly_is_anywhere_below() -> None:
    inside = place("x[0]").somewhere()
    assert not inside.exact and overlap(inside, place("x[0].a")) and inside.then(attribute_step("a")) == inside


def test_reading_and_renaming() -> None:
    found = place("x.a[i]")
    assert expression_text(found.read()) == "x.a[i]" and found.names == {"i"}
    assert found.renamed("i", "j") == place("x.a[j]") and found.renamed("x", "y") == place("y.a[i]")
    assert found.renamed("z", "y") is found


def test_steps_are_one_object() -> None:
    assert index_step(t.load("i")) is index_step(t.load("i")) and attribute_step("a") is not attribute_step("b")


def test_views_and_copies() -> None:
    assert place("x.reshape(-1)").path[0].may_copy and not place("x.T").path[0].may_copy and place("x[:]").path[0].is_all


def test_in_order() -> None:
    nothing = lambda node: None  # noqa: E731 (of all that is asked, no kind is known)
    assert in_order(place("x[1:]").path[0], nothing) and in_order(place("x[0]").path[0], nothing)
    assert not in_order(place("x[:, 0]").path[0], nothing) and not in_order(place("x[::2]").path[0], nothing)


def test_rows_at_one_distance() -> None:
    import sourcegrad as sg
    known = {"x": sg.kinds.kind_of(np.ones((3, 3)), "x", {}), "i": sg.kinds.kind_of(1, "i", {})}
    of = lambda node: known.get(node.id) if isinstance(node, gast.Name) else sg.kinds.Const(node.value)  # noqa: E731
    assert equally_spaced(place("x[1:]"), place("x[:-1]"), of) and not equally_spaced(place("x[::2]"), place("x[1:]"), of)
