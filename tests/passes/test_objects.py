"""objects: what attributes, operators and special methods of a class mean, and what they change."""
import pytest

import sourcegrad as sg
from sourcegrad.analysis.objects import changes_something, check_implicit, class_of, find, has, operation, special, static_member
from tests.passes.facts import types_of


class Shape:
    unit = 2.0
    seen: list = []

    def __init__(self, size):
        self.size = size

    @property
    def area(self):
        return self.size ** 2

    @classmethod
    def of_one(cls):
        return cls(1.0)

    @staticmethod
    def plain(x):
        return x

    def __add__(self, other):
        return Shape(self.size + other.size)

    def __rmul__(self, factor):
        return Shape(factor * self.size)

    def __bool__(self):
        return self.size > 0


class Square(Shape):
    def __getattr__(self, name):
        return 0.0

    def __repr__(self):
        self.size = self.size + 1.0
        return "told"


def program(shape, square, x):
    total = shape + shape
    scaled = 2.0 * shape
    plain = x + x
    return total


FACTS = types_of(program, shape=Shape(2.0), square=Square(3.0), x=1.0)


@pytest.mark.parametrize("owner, name, sort", [
    ("shape", "size", "value"), ("shape", "unit", "value"), ("shape", "area", "property"), ("shape", "of_one", "class"),
    ("shape", "plain", "static"), ("square", "area", "property"), ("square", "whatever", "fallback"),
    ("shape", "missing", "unknown"), ("x", "size", "unknown")])
def test_attributes(owner, name, sort) -> None:
    assert find(FACTS.kinds[owner], name, FACTS.unit).sort == sort


def test_what_is_there() -> None:
    assert has(FACTS.kinds["shape"], "unit", FACTS.unit) is True and has(FACTS.kinds["shape"], "missing", FACTS.unit) is False
    assert has(FACTS.kinds["shape"], "area", FACTS.unit) is None                # to compute it may fail
    assert class_of(FACTS.kinds["shape"]) is Shape and class_of(FACTS.kinds["x"]) is None
    assert static_member(Square, "unit") == 2.0 and static_member(Square, "__init__", Square) is Shape.__init__


def test_operators() -> None:
    found = {s.targets[0].id: operation(s.value, FACTS.of, FACTS.unit, lambda *_: None) for s in FACTS.unit.tree.body[:3]}
    assert found["total"].function is Shape.__add__ and found["scaled"].function is Shape.__rmul__ and found["plain"] is None
    assert special(FACTS.kinds["shape"], "bool", FACTS.unit) is Shape.__bool__
    assert special(FACTS.kinds["x"], "bool", FACTS.unit) is None


def test_what_methods_change() -> None:
    assert changes_something(Square.__repr__, Square) and not changes_something(Shape.area.fget, Shape)
    assert not changes_something(Shape.__add__, Shape) and not changes_something(Shape.__bool__, Shape)


def test_methods_that_python_calls_by_itself_must_not_change_anything() -> None:
    check_implicit({"shape": FACTS.kinds["shape"]})
    with pytest.raises(sg.UnsupportedError, match="__repr__"):
        check_implicit({"square": FACTS.kinds["square"]})
