"""Objects that methods put at other places, and that then change: random programs with objects found that gradients were wrong."""
from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add


class Node:
    def __init__(self, value):
        self.value = value


class Part:
    def __init__(self, value):
        self.value = value
        self.child = Node(value * value)
        self.count = 0

    def bump(self):
        self.count += 1


class Whole:
    def __init__(self, a, first):
        self.one = first
        self.two = Part(a + 0.1)
        self.parts = [first, Part(a * 0.3)]
        self.table = {"a": first, "b": self.two}

    def turn(self):
        self.parts = self.parts[::-1]

    def listed_again(self):
        self.parts = [part for part in self.parts]

    def cross(self):
        self.one, self.two = self.two, self.one

    def swap(self):
        table = self.table
        self.table = {"a": table["b"], "b": table["a"]}

    def with_copies(self):
        self.table = dict(self.table)
        self.table["a"] = self.two
        self.table = self.table.copy()
        self.parts = self.parts.copy()

    def put_then_bump(self):
        self.parts[0] = self.two
        self.one.bump()

    def put_then_scale(self):
        self.parts[0] = self.two
        self.one.value *= 2.0

    def child_then_put(self, node):
        self.one.child = node
        self.parts[0] = self.two

    def scale_then_put(self, part):
        part.value = part.value * 3.0
        self.parts[0] = self.two
        part.child.value *= 2.0

    def exchange(self, part):
        self.parts[0], self.parts[1] = self.parts[1], self.parts[0]
        part.value = part.value * 3.0
        self.one = self.parts[0]

    def value(self):
        found = 3.0 * self.one.value + 5.0 * self.one.child.value + 7.0 * self.two.value + 11.0 * self.two.child.value
        for k in range(2):
            found = found + (13.0 + k) * self.parts[k].value + (17.0 + k) * self.parts[k].child.value
        return found + 0.3 * self.table["a"].value


def turned(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.turn()
    for each in whole.parts:
        each.value = x * x - each.value
    return whole.value() + part.value


def listed_again(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.listed_again()
    for each in whole.parts:
        each.value = x * x - each.value
    return whole.value() + part.value


def crossed(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.cross()
    for each in whole.table.values():
        each.value = x ** 3 - each.value
    return whole.value() + part.value


def swapped(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.swap()
    whole.table["b"].value = x ** 3 - whole.table["b"].value
    return whole.value() + part.value


def copied(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.with_copies()
    whole.parts[0] = whole.two
    whole.table["a"].value *= x
    return whole.value() + part.value


def put_then_bumped(x):
    whole = Whole(x * x, Part(x))
    whole.put_then_bump()
    return whole.value()


def put_then_scaled(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.put_then_scale()
    return whole.value() + part.value


def new_child_then_put(x):
    part, node = Part(x), Node(x * 3.0)
    whole = Whole(x * x, part)
    whole.child_then_put(node)
    node.value *= x
    return whole.value() + part.value + part.child.value


def scaled_then_put(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.scale_then_put(part)
    part.value *= x
    return whole.value() + part.value


def scaled_by_place_then_put(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.scale_then_put(whole.parts[0])
    whole.parts[0].value *= x
    return whole.value() + part.value


def exchanged(x):
    part = Part(x)
    whole = Whole(x * x, part)
    whole.exchange(whole.one)
    part.value *= x
    return whole.value() + part.value


for program in (turned, copied, listed_again, crossed, swapped, put_then_bumped, put_then_scaled, new_child_then_put,
                scaled_then_put, scaled_by_place_then_put, exchanged):
    case(program, 0.7)
