"""objects: what attributes, operators and special methods of a class mean, and what they change."""
import numpy as np
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


class Counted:
    """Each method changes the object, or only looks at it."""

    def __init__(self, w):
        self.w, self.parts, self.stack = w, [self], []

    def by_another_name(self):
        me = self
        me.w = me.w * 2.0
        return True

    def by_a_part(self):
        parts = self.parts
        parts[0] = 1.0
        return True

    def in_a_loop(self):
        for part in self.parts:
            part.w = 0.0
        return True

    def by_what_a_display_holds(self):
        held = [self]
        held[0].w = 0.0
        return True

    def by_a_function(self):
        double(self)
        return True

    def by_its_name(self):
        setattr(self, "w", 0.0)  # noqa: B010 (it is what is tested)
        return True

    def taken_from_a_list(self):
        return self.stack.pop() if self.stack else 0.0

    def own_list(self):
        found = []
        for part in self.parts:
            found.append(str(part))
        found[0] = "first"
        return ", ".join(found)

    def own_copy(self):
        weights = self.parts.copy()
        weights.pop()
        order = sorted(self.parts)
        order[0] = 1.0
        array = np.zeros(3)
        array[0] = self.w
        return len(weights)

    def own_instance(self):
        same = type(self)(self.w)
        same.w = 2.0
        other = self.__class__(self.w)
        other.w = 3.0
        return bool(other.w)

    def of_a_function(self):
        return looked_at(self)


def double(counted):
    counted.w = counted.w * 2.0


def looked_at(counted):
    return counted.w > 0.0


@pytest.mark.parametrize("name", ["by_another_name", "by_a_part", "in_a_loop", "by_what_a_display_holds", "by_a_function",
                                  "by_its_name", "taken_from_a_list"])
def test_changes_by_whatever_name(name) -> None:
    """Once the gradient was that without the change."""
    assert changes_something(getattr(Counted, name), Counted)


@pytest.mark.parametrize("name", ["own_list", "own_copy", "own_instance", "of_a_function"])
def test_what_a_method_has_made_itself_may_change(name) -> None:
    assert not changes_something(getattr(Counted, name), Counted)


class Halving(Counted):
    def __bool__(self):
        return self.by_another_name()


def asked(x):
    halving = Halving(x)
    y = halving.w
    if halving:
        y = y + halving.w
    return y * halving.w


def test_a_truth_test_that_changes_its_object_is_refused() -> None:
    with pytest.raises(sg.UnsupportedError, match="Halving.__bool__' that changes something"):
        sg.grad(asked)(1.5)
