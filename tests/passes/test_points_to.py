"""points_to: where the values of names live, who looks at them, and what new containers hold. It emits nothing."""
import ast
from pathlib import Path

import gast
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.ir import tree as t
from sourcegrad.memory.heap import State
from sourcegrad.memory.points_to import apart, array_of, contents_of, meanings, refuse_shared, steps_of, surely_there
from tests.passes.facts import links, memory_of, place, placed, places

Y = np.array([[0.5, -1.5], [2.0, 1.0]])


class Node:
    def __init__(self, w):
        self.w = w


def program(y, n, model):
    v = y[1:]
    turned = v.T
    same = turned
    z = y * 2.0
    copied = y.copy()
    taken = np.asarray(y)
    picked = y[[0, 1]]
    flat = y.reshape(-1)
    xs = [y, z]
    first = xs[0]
    unknown = xs[n]
    pair = (v, copied)
    d = {"a": y}
    found = d["a"]
    w = model.w
    row = w[0]
    return same, taken, picked, flat, first, unknown, pair, found, row


def views(y):
    v = y[1:]
    z = y * 2.0
    return v, z


MEMORY, STATE = memory_of(program, y=Y, n=1, model=Node(Y))
HEAP = MEMORY.heap
VIEWS, SEEN = memory_of(views, y=Y)


@pytest.mark.parametrize("name, where", [
    ("v", "y[1:]"), ("turned", "y[1:].T"), ("same", "y[1:].T"), ("z", "z"), ("copied", "copied"), ("taken", "y"),
    ("picked", "picked"), ("flat", "y.reshape(-1)"), ("xs", "xs"),
    ("first", "y"), ("unknown", "xs[n]"), ("found", "y"), ("w", "model.w"),
    ("row", "model.w[0]"), ("n", "")])
def test_where_a_name_lives(name: str, where: str) -> None:
    assert places(HEAP.locs_of(t.load(name), STATE)) == where


def test_what_containers_hold() -> None:
    assert links(STATE) == "d['a'] = y, pair[0] = y[1:], pair[1] = copied, xs[0] = y, xs[1] = z"


@pytest.mark.parametrize("value, held", [
    ("[z, y]", "new[0] in z, new[1] in y"), ("{'k': z}", "new['k'] in z"), ("xs + xs", "in new[some] in in xs[some], twice"),
    ("xs[1:]", "in new[some] in in xs[some]"), ("xs[0]", ""), ("y + y", "")])
def test_what_a_new_container_holds(value: str, held: str) -> None:
    found = contents_of(HEAP, ast_of(value), "new", State({n: frozenset([place(n)]) for n in ("xs", "y", "z")}))
    texts = ["twice" if one == other else f"{placed(one)} in {placed(other)}" for one, other in found]
    assert ", ".join(dict.fromkeys(texts)).replace("some ", "some") == held


def ast_of(text: str) -> gast.expr:
    return gast.parse(text, mode="eval").body


def test_other_places_of_an_object() -> None:
    assert places(HEAP.aliases("y", STATE)) == "d['a'], pair[0], xs[0], y, y[1:]"
    assert HEAP.sharers("y", STATE) >= {"xs", "pair", "d", "v", "first"} and "copied" not in HEAP.sharers("z", STATE)


@pytest.mark.parametrize("where, alive, looked", [
    ("y[0]", "y", True), ("y[1]", "v", True), ("y[0]", "xs", True), ("copied", "pair", True), ("picked", "pair", False),
    ("model.w", "row", True), ("model.w[1]", "row", False)])
def test_who_still_looks_at_a_place(where: str, alive: str, looked: bool) -> None:
    assert HEAP.looked_at(place(where), STATE, {alive}, None) is looked
    assert VIEWS.heap.looked_at(place("y[1]"), SEEN, {"v"}, None) and not VIEWS.heap.looked_at(place("y[0]"), SEEN, {"v"}, None)


def test_sorts_of_objects_in_the_value_of_a_name() -> None:
    assert HEAP.sees("xs", frozenset(["list"])) and HEAP.sees("xs", frozenset(["array"])) and HEAP.sees("z", None)
    assert not HEAP.sees("z", frozenset(["list"])) and not HEAP.looked_at(place("z"), STATE, {"z"}, frozenset(["list"]))


def test_what_the_caller_has_given() -> None:
    assert [HEAP.given(place(text), STATE) for text in ("y[0]", "z", "model.w")] == [["y"], [], ["model"]]
    assert places(HEAP.as_results(place("y[0]"), STATE)) == "y[0]" and HEAP.given_places(place("model.w"), STATE) == [
        ("model", place("model.w").path)]


def test_what_has_changed_is_noted() -> None:
    memory, state = memory_of(program, y=Y, n=1, model=Node(Y))
    memory.heap.at = memory.heap.unit.tree.body[0]
    memory.heap.note(place("model.w"), state, True, None)
    assert memory.heap.changed == ["model"] and memory.heap.changes == {("model", place("model.w").path, True, True, None)}


def test_parts_of_an_array_that_others_hold() -> None:
    assert VIEWS.heap.parted(place("y[0]"), SEEN, {"v"}) and not VIEWS.heap.parted(place("y[0]"), SEEN, {"z"})
    assert not VIEWS.heap.parted(place("y"), SEEN, {"v"})


def test_places_and_conditions() -> None:
    assert [placed(loc) for loc, _ in meanings(place("y[0]"), STATE)] == ["y[0]"]
    assert placed(array_of(place("model.w[0]"), HEAP.facts)) == "model.w" and array_of(place("model"), HEAP.facts) is None
    assert surely_there(place("y[0]"), place("y[1]"), HEAP.facts) and not surely_there(place("xs[0]"), place("xs[n]"), HEAP.facts)
    assert apart(frozenset(["array"]), frozenset(["list"])) and not apart(None, frozenset(["list"]))
    assert steps_of(ast_of("np.s_[1:]"), HEAP.facts.kinds["y"])[0] == place("y[1:]").path


def test_what_cannot_be_known_is_refused_by_the_names_of_the_user() -> None:
    with pytest.raises(sg.UnsupportedError, match="'y' changes in place, and whether 'xs' changes with it cannot be") as caught:
        refuse_shared(HEAP, "y", "xs")
    assert caught.value.shared and "y = y.copy()" in str(caught.value)


def test_it_emits_nothing_and_no_part_of_memory_inherits_from_another() -> None:
    """The analysis makes no statements and no names; the parts that rewrite hold it, and each other."""
    folder = Path(sg.__file__).parent / "memory"
    trees = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")}
    made = [node.attr for name in ("points_to", "sharing", "heap") for node in ast.walk(trees[name])
            if isinstance(node, ast.Attribute) and node.attr in ("assign", "if_", "unpack", "use", "fresh")]
    classes = {node.name: node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    inherited = [name for name, node in classes.items() for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    assert not made and not inherited
