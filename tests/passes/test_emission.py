"""emission: the statements that read places, put values there, check views, and bind names."""
import numpy as np
import pytest

from sourcegrad.ir import tree as t
from sourcegrad.ir.source import to_text
from sourcegrad.memory.emission import Bindings, Emitter, mentioned_in, only_where
from sourcegrad.memory.heap import FRESH, State
from tests.passes.becomes import Within
from tests.passes.facts import links, memory_of, place, places

X = np.array([0.5, -1.5, 2.0])
Y = np.array([[0.5, -1.5], [2.0, 1.0]])
CASES = Within("functionalize")


def program(x):
    v = x[1:]
    z = x[0]
    w = v * z
    return w


def emitter() -> Emitter:
    out = Emitter(memory_of(program, x=Y)[0].heap)
    out.emitting = True
    return out


def text(statements: list) -> str:
    return "; ".join(to_text(s).strip().replace("\n    ", " ") for s in statements)


@pytest.mark.parametrize("where, put", [
    ("x", "x = value"), ("x[0]", "x = index_set(x, np.s_[0], value)"), ("x[1:][0]", "x = index_set(x, at[1:][0], value)"),
    ("x.T", "x = index_set(x, at.T[...], value)"), ("x.real", "x = index_set(x, at.real, value)"),
    ("x[1:][:]", "x = index_set(x, np.s_[1:], value)")])
def test_a_value_is_put_at_a_place(where: str, put: str) -> None:
    assert text([emitter().put(place(where), t.load("value"))]) == put


def test_a_place_is_read_step_by_step() -> None:
    out = emitter()
    assert text(out.read(place("x[1:].T[0]"), "row")) == "part = x[1:]; part_2 = part.T; row = part_2[0]"
    assert text(out.copied(place("x[0]"), place("y[1]"), State())) == "part_3 = x[0]; y = index_set(y, np.s_[1], part_3)"
    assert text(only_where(out.heap, ["one", "other"], [out.put(place("x"), t.load("y"))])) == "if other: if one:     x = y"


def test_nothing_is_emitted_while_a_loop_settles() -> None:
    out = emitter()
    out.emitting = False
    assert out.read(place("x[0]"), "row") == out.copied(place("x[0]"), place("y"), State()) == []
    assert out.temporary("part", None) == "part"


def test_stale_names_are_read_again() -> None:
    out, state = emitter(), State({"v": frozenset([place("x[1:]")]), "w": frozenset([place("x")])}, stale=frozenset(["v", "w"]))
    node, before = out.refreshed(t.call("f", t.load("v"), t.load("w")), state)
    assert text(before) == "v_2 = x[1:]" and text([t.assign("z", node, None)]) == "z = f(v_2, x)"
    assert text(out.settled(state, ["v"])) == "v = x[1:]" and state.stale == {"w"}


def test_one_variable_for_one_purpose() -> None:
    out = emitter()
    assert out.variable((1, "i"), "index", None) == out.variable((1, "i"), "index", None) != out.variable((2, "i"), "index", None)


def test_what_a_name_leaves() -> None:
    memory, _ = memory_of(program, x=Y)
    out = Emitter(memory.heap)
    bindings, (_, second, third, _) = Bindings(out), memory.heap.unit.tree.body
    state = State({"x": frozenset([place("x")]), "v": frozenset([place("x[1:]")])})
    assert bindings.bind(third, "x", frozenset([FRESH]), state)[0] == [] and bindings.heir is None       # nobody looks at v by then
    before, after = bindings.bind(second, "x", frozenset([FRESH]), state)
    assert text(before) == "x_kept = x" and bindings.heir == "x_kept"
    assert places(after.locs["v"]) == "x_kept[1:]" and places(after.locs["x"]) == "x" and not links(after)
    assert mentioned_in(frozenset([place("y[n]")]), "n") and not mentioned_in(frozenset([place("y[n]")]), "x")


@CASES.becomes("""
    y = x * 2.0
    v = y[1:]
    y_2 = x * 3.0
    y = index_set(y, at[1:][0], 1.0)
    v_2 = y[1:]
    sum_v = np.sum(v_2)
    sum_y = np.sum(y_2)
    value = sum_v * sum_y
    return value
""", x=X)
def the_old_array_is_kept(x):
    y = x * 2.0
    v = y[1:]
    y = x * 3.0
    v[0] = 1.0
    return np.sum(v) * np.sum(y)


@CASES.becomes("""
    y = x * 2.0
    view = y.reshape(-1)
    unused = same_memory(view, y)
    flat = y.reshape(-1)
    y = index_set(y, at.reshape(-1)[0], 1.0)
    product = y * y
    value = np.sum(product)
    return value
""", x=Y)
def a_reshape_must_be_a_view(x):
    y = x * 2.0
    flat = y.reshape(-1)
    flat[0] = 1.0
    return np.sum(y * y)


test_emission = CASES.check()
