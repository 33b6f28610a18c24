"""text_forms: what computed texts, and texts that were tested, look like."""
from __future__ import annotations

import re
from typing import Any

import gast
import pytest

from sourcegrad.analysis.text_forms import Forms, other_than, tested as branches_on, text_test, text_tests


class Unit:
    def __init__(self, text: str, parameters: tuple[str, ...] = ("k", "name")) -> None:
        self.tree, self.parameters = gast.parse(text), list(parameters)


def named(tree: Any, name: str, place: int = -1) -> gast.Name:
    return [n for n in gast.walk(tree) if isinstance(n, gast.Name) and n.id == name and isinstance(n.ctx, gast.Load)][place]


@pytest.mark.parametrize("text, right, wrong", [
    ('key = f"layer{k}"', ["layer0", "layer12"], ["scale", "a layer1"]),
    ('key = "w_" + k', ["w_", "w_1"], ["b_1"]),
    ('key = k + "_w"', ["a_w"], ["w_a"]),
    ('key = "scale"', ["scale"], ["scales"]),
    ('key = f"a{k}"\nuse(key)\nkey = f"a{k}"', ["a1"], ["b1"]),
    ('key = "a"\nuse(key)\nkey = f"b{k}"', ["a", "b1"], ["c", "ab"]),
])
def test_computed(text: str, right: list, wrong: list) -> None:
    unit = Unit(text + "\nuse(key)")
    form = Forms(unit).of(named(unit.tree, "key"))
    assert form is not None
    assert all(re.fullmatch(form, key, re.S) for key in right) and not any(re.fullmatch(form, key, re.S) for key in wrong)


@pytest.mark.parametrize("text", ['key = "a"\nwhile k:\n    key = key + "b"', "key = g(k)", 'for key in k:\n    pass',
                                  'key = "a"\nkey = g(k)'])
def test_unknown(text: str) -> None:
    unit = Unit(text + "\nuse(key)")
    form = Forms(unit).of(named(unit.tree, "key"))
    assert form is None or all(re.fullmatch(form, key) for key in ("a", "ab", "abb"))


@pytest.mark.parametrize("test, right, wrong", [
    ('name.startswith("w")', ["w", "w1"], ["b", "aw"]), ('name.endswith("w")', ["w", "1w"], ["wb"]),
    ('name == "w"', ["w"], ["w1"]), ('"w" != name', ["w1", "b", ""], ["w"]), ('"w" in name', ["awb"], ["ab"]),
    ('"w" not in name', ["ab"], ["w"]), ('name in ("a", "b.")', ["a", "b."], ["ab", "bx"]),
])
def test_tests(test: str, right: list, wrong: list) -> None:
    name, form = text_test(gast.parse(test, mode="eval").body)                                      # type: ignore[misc]
    assert name == "name"
    for text in right + wrong:
        assert bool(re.fullmatch(form, text, re.S)) is (text in right)
        assert bool(re.fullmatch(other_than(form), text, re.S)) is (text in wrong)


@pytest.mark.parametrize("test", ["name", "name < 'w'", "name.startswith(k)", "k == 1", "name == 'a' == k", "name in k"])
def test_no_tests_of_texts(test: str) -> None:
    assert text_test(gast.parse(test, mode="eval").body) is None


def test_branches_and_nested_branches() -> None:
    unit = Unit("if name.startswith('a'):\n    if name.endswith('b'):\n        use(name)\nelse:\n    use(name)")
    uses = [n for n in gast.walk(unit.tree) if isinstance(n, gast.Name) and n.id == "name"]
    known = Forms(unit).let_through
    forms = [known[id(node)][1] for node in uses if id(node) in known]
    matched = [{key for key in ("a", "ab", "b") if re.fullmatch(form, key)} for form in forms]
    assert {"ab"} in matched and {"b"} in matched


@pytest.mark.parametrize("text", [
    "cond = name.startswith('a')\nname = g(k)\nif cond:\n    use(name)",
    "if name.startswith('a'):\n    name = g(k)\n    use(name)",
    "for k in k:\n    if k:\n        if cond:\n            use(name)\n    cond = name.startswith('a')",
    "cond = name.startswith('a')\ncond = g(k)\nif cond:\n    use(name)",
])
def test_a_test_of_something_else_says_nothing(text: str) -> None:
    unit = Unit(text)
    assert id(named(unit.tree, "name")) not in Forms(unit).let_through


def test_a_test_that_has_a_name() -> None:
    tree = gast.parse("cond = name.startswith('a')\nif cond:\n    use(name)")
    (block, name, form), = branches_on(tree.body)
    assert block is tree.body[1].body and name == "name" and re.fullmatch(form, "ab")


@pytest.mark.parametrize("test, there, else_", [
    ("not name.startswith('w')", {"b"}, {"w1", "w2"}), ("name.startswith('w') and name.endswith('1')", {"w1"}, {"w1", "w2", "b"}),
    ("name == 'w1' or k == 'x'", {"w1", "w2", "b"}, {"w2", "b"}), ("not (name == 'w1' or name == 'w2')", {"b"}, {"w1", "w2", "b"}),
])
def test_several_tests(test: str, there: set, else_: set) -> None:
    """What is certain of a text on both sides."""
    for found, wanted in zip(text_tests(gast.parse(test, mode="eval").body), (there, else_)):
        forms = [form for name, form in found if name == "name"]
        assert {key for key in ("w1", "w2", "b") if all(re.fullmatch(form, key) for form in forms)} >= wanted
        assert not forms or {key for key in ("w1", "w2", "b") if all(re.fullmatch(form, key) for form in forms)} <= wanted
