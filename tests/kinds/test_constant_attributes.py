"""Attributes of objects that hold nothing that depends on the inputs have no adjoints; all others have."""
from __future__ import annotations

import copy
import dataclasses
import types
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking, pipeline
from tests.kinds.places import by_differences, check_second, programs_of, suite_of

X = np.array([0.7, 1.3, 0.4, 0.9])
V = np.array([0.2, -0.5, 1.0, 0.3])


class Spring:
    """`stiffness` and `rest` are constant, but where a test says otherwise."""
    rest = 0.5

    def __init__(self, length, stiffness=2.0):
        self.length = length
        self.stiffness = stiffness
        self.table = (1.0, 2.0, 4.0)

    def energy(self):
        return 0.5 * self.stiffness * (self.length - self.rest) ** 2

    def pull(self, by):
        self.length = self.length + by * self.stiffness
        return self

    def soften(self, factor):
        self.stiffness = self.stiffness * factor


class Chain:
    def __init__(self, springs):
        self.springs = springs
        self.gain = 3.0
        self.total = 0.0
        self.best = None

    def run(self):
        for spring in self.springs:
            self.total = self.total + self.gain * spring.energy()
        return self.total

    def hardest(self):
        for spring in self.springs:
            if self.best is None or spring.stiffness > self.best.stiffness:
                self.best = spring
        return self.best


@dataclasses.dataclass
class Blade:
    radius: float = 0.8
    exponent: float = 3.0
    speeds: tuple = (0.0, 1.0, 2.0)
    values: tuple = (0.9, 0.5, 0.1)

    def thrust(self, speed):
        return np.interp(speed, self.speeds, self.values) * self.radius ** self.exponent


class Mill:
    def __init__(self, at, blade):
        self.at = np.asarray(at)
        self.blade = blade

    def power(self, k):
        return self.blade.thrust(self.at[k]) * self.at[k]


class Node:
    def __init__(self, weight, left=None, right=None):
        self.weight, self.left, self.right = weight, left, right
        self.scale = 2.0

    def sum(self, v):
        found = self.scale * self.weight * v
        for child in (self.left, self.right):
            if child is not None:
                found = found + child.sum(v * v)
        return found


def constant_in_a_list(x):
    springs = [Spring(v, 1.0 + 0.5 * k) for k, v in enumerate(x)]
    return Chain(springs).run() * springs[0].length


def constant_of_a_copied_class(x):
    blade = dataclasses.replace(Blade(), radius=0.7)
    mill = Mill(x, blade)
    return sum(mill.power(k) for k in range(len(x)))


def becomes_active_later(x):
    springs = [Spring(0.3), Spring(0.8)]
    before = springs[0].energy() * x[1]
    springs[0].soften(x[0])
    return before + springs[0].energy() * springs[1].energy()


def becomes_active_in_the_second_turn(x):
    springs = [Spring(0.3), Spring(1.8)]
    found = 0.0
    for v in x:
        found = found + springs[0].energy() * springs[1].energy()
        springs[1].stiffness = springs[0].stiffness * 1.1
        springs[0].stiffness = springs[1].stiffness + v
    return found


def handed_from_one_to_the_next(x):
    springs = [Spring(0.1), Spring(1.0), Spring(1.5)]
    springs[0].stiffness = x[0] * x[1]
    for before, after in zip(springs, springs[1:]):
        after.stiffness = before.stiffness
    return springs[2].energy() * x[2]


def handed_back_to_the_one_before(x):
    springs = [Spring(0.1), Spring(1.0), Spring(1.5)]
    for v in x:
        found = springs[0].energy() * v
        springs[0].stiffness = springs[1].stiffness
        springs[1].stiffness = springs[2].stiffness
        springs[2].stiffness = found
    return springs[0].energy() + springs[1].energy()


def one_name_in_two_classes(x):
    spring, blade = Spring(0.4), Blade()
    blades = [blade, Blade(radius=0.5)]
    blade.radius = x[0]
    chain = Chain([spring])
    chain.radius = 3.0
    return chain.run() * chain.radius * sum(b.thrust(x[1]) for b in blades)


def stored_by_name(x):
    chain = Chain([Spring(v) for v in x])
    for name in ("gain", "total"):
        setattr(chain, name, x[1] * 1.5)
    return chain.run()


def loaded_by_name(x):
    springs = [Spring(v, 1.0 + v) for v in x]
    return sum(getattr(s, name) for s in springs for name in ("stiffness", "length")) * springs[0].rest


def copied_shallow(x):
    first = Spring(x[0])
    springs = [first, copy.copy(first)]
    springs[1].stiffness = x[1]
    return sum(s.energy() for s in springs) * x[2]


def copied_deep(x):
    chain = Chain([Spring(v) for v in x])
    other = copy.deepcopy(chain)
    other.springs[0].stiffness = x[1] * 2.0
    return chain.run() * other.run()


def first_none(x):
    chain = Chain([Spring(v, 1.0 + k) for k, v in enumerate(x)])
    return chain.hardest().energy() * chain.best.stiffness


def tree(x):
    root = Node(x[0], Node(1.5), Node(x[1], Node(0.5), None))
    return root.sum(x[2])


def tree_of_constants(x):
    root = Node(0.5, Node(1.5), Node(2.5, Node(0.5), None))
    return root.sum(x[2]) * x[0]


def in_a_dict(x):
    springs = {"a": Spring(x[0]), "b": Spring(0.3, x[1])}
    for name in ("b", "a", "b"):
        springs[name].pull(x[2])
    return sum(s.energy() for s in springs.values())


def held_by_a_closure(x):
    spring = Spring(0.3)
    springs = [spring]

    def harden(v):
        springs[0].stiffness = springs[0].stiffness + v

    before = spring.energy()
    harden(x[0])
    return before * x[1] + spring.energy() * x[2]


def array_in_an_attribute(x):
    chain = Chain([Spring(v) for v in x])
    chain.weights = np.ones(3)
    before = np.sum(chain.weights) * x[3]
    chain.weights[1] = x[0] * x[1]
    return np.sum(chain.weights ** 2) * chain.run() + before


def array_that_stays(x):
    chain = Chain([Spring(v) for v in x])
    chain.weights = np.array([0.3, 0.5, 0.9, 1.1])
    return np.sum(chain.weights * x * chain.gain) * chain.run()


def list_in_an_attribute(x):
    chain = Chain([Spring(v) for v in x])
    chain.log = [1.0]
    chain.log.append(x[0] ** 2)
    chain.log[0] = chain.log[0] * x[1]
    return sum(chain.log) * chain.gain


def chosen_object(x):
    springs = [Spring(0.3, 1.0), Spring(x[0], 2.0)]
    chosen = springs[1] if x[1] > 1.0 else springs[0]
    chosen.stiffness = chosen.stiffness * x[2]
    return sum(s.energy() for s in springs)


def kept_by_a_callee(x):
    def note(spring, v):
        spring.table = (v, spring.table[0], spring.table[1])

    springs = [Spring(v) for v in x]
    for spring in springs:
        note(spring, spring.length * x[0])
    return sum(s.table[0] * s.table[1] * s.stiffness for s in springs)


def taken_back(x):
    spring = Spring(0.3)
    springs = [spring]
    old = spring.stiffness
    spring.stiffness = x[0]
    energy = springs[0].energy()
    spring.stiffness = old
    return energy * springs[0].energy() * x[1]


def recursive(x):
    springs = [Spring(0.1 * k, 1.0 + k) for k in range(4)]

    def visit(k, v):
        if k == len(springs):
            return v
        springs[k].stiffness = springs[k].stiffness * v
        return visit(k + 1, v * 0.5) + springs[k].energy()

    return visit(0, x[0]) * x[1]


def counted(x):
    chain = Chain([Spring(v) for v in x])
    chain.steps = 0
    while chain.steps < 3:
        chain.steps += 1
        chain.gain = chain.gain * 0.9
    return chain.run() * chain.steps


def function_in_an_attribute(x):
    spring = Spring(x[0], x[1])
    chains = [Chain([spring])]
    chains[0].act = lambda v: v * spring.stiffness
    return chains[0].act(x[2]) * chains[0].run()


def one_of_two_functions(x):
    springs = [Spring(x[0], x[1]), Spring(x[2], 2.0)]
    chains = [Chain(springs)]
    chains[0].act = springs[0].energy if x[3] > 0.5 else springs[1].energy
    return chains[0].act() * chains[0].run()


def functions_in_a_table(x):
    spring = Spring(x[0], x[1])
    chains = [Chain([spring])]
    chains[0].table = {"a": spring.energy, "b": lambda: spring.stiffness * x[2]}
    return sum(chains[0].table[name]() for name in ("a", "b", "a")) * chains[0].run()


def bound_methods_by_name(x):
    spring = Spring(x[0], x[1])
    chains = [Chain([spring])]
    chains[0].handlers = {"start": spring.energy, "stop": None}
    chains[0].state = "start"
    found = turns = 0
    while (handler := chains[0].handlers[chains[0].state]) is not None:
        found = found + handler()
        spring.stiffness = spring.stiffness * x[2]
        turns += 1
        chains[0].state = "start" if turns < 3 else "stop"
    return found


PROGRAMS = programs_of(globals())
REFUSED = {"bound_methods_by_name": "cannot be known"}
test_gradient, test_second_order_and_forward_mode, test_pullback, test_refusal = suite_of(PROGRAMS, REFUSED, X, V)


@pytest.mark.parametrize("f, held, still", [
    (constant_in_a_list, ["length", "total"], ["stiffness", "gain", "rest"]),
    (constant_of_a_copied_class, [], ["radius", "exponent", "speeds", "values"]),
    (tree, ["weight"], ["scale", "left"]),
    (array_that_stays, [], ["weights", "gain"]),
], ids=lambda x: getattr(x, "__name__", ""))
def test_text(f: Any, held: list[str], still: list[str]) -> None:
    """Adjoints of the attributes that stay constant are not in the text."""
    gradient = sg.grad(f)
    gradient(X)
    after = str(gradient.source)
    assert not [name for name in still if f"['{name}']" in after or f"_{name}_bar" in after], after
    assert not [name for name in held if not any(part in after for part in (f"['{name}']", f"{name}_bar", f", '{name}'"))], after


@pytest.mark.parametrize("f", [constant_in_a_list, becomes_active_in_the_second_turn, tree, recursive], ids=lambda f: f.__name__)
def test_what_was_not_foreseen(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an attribute turns out to depend on the inputs that was said not to, all are taken for such."""
    asked = []

    def none(flows: list) -> frozenset:
        asked.append(len(flows))
        return frozenset()

    monkeypatch.setattr(pipeline, "attributes_reached", none)
    another = types.FunctionType(f.__code__, f.__globals__)             # of which nothing is generated yet
    assert np.allclose(sg.grad(another)(X), by_differences(f, X), rtol=1e-6, atol=1e-8) and asked


class Layer:
    def __init__(self, w, act):
        self.w, self.act, self.last = w, act, None

    def __call__(self, x):
        self.last = self.act(self.w * x)
        return self.last


class Net:
    def __init__(self, layers):
        self.layers, self.calls = layers, 0

    def run(self, x):
        for layer in self.layers:
            x = layer(x)
            self.calls += 1
        return x


def of_layers(x):
    n = Net([Layer(x[0], np.tanh), Layer(x[1], np.tanh)])
    return n.run(0.3) + n.run(x[2]) * n.layers[0].last * n.calls


def test_halves_store_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is generated of a gradient consists of halves that store in objects, without a parameter that says so."""
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_second(of_layers, X)


class Given:
    def __init__(self, rate, log):
        self.rate, self.log = rate, log
        self.spring = Spring(0.4, 1.5)

    def step(self, v):
        self.spring.length = self.spring.length + self.rate * v
        self.log.append(self.spring.energy())
        return self.log[-1] * self.rate


def of_an_argument(given, x):
    return sum([given.step(v) for v in x]) * given.spring.stiffness


def test_objects_that_are_inputs() -> None:
    """All that an argument holds depends on the inputs, also what the function itself does not store."""
    gradient, by_x = sg.grad(of_an_argument, inputs=("given", "x"))(Given(0.3, [1.0]), X)
    assert np.allclose(by_x, by_differences(lambda x: of_an_argument(Given(0.3, [1.0]), x), X), atol=1e-7)

    def at(rate: float, stiffness: float) -> float:
        given = Given(rate, [1.0])
        given.spring.stiffness = stiffness
        return of_an_argument(given, X)

    assert np.isclose(gradient.rate, (at(0.3 + 1e-6, 1.5) - at(0.3 - 1e-6, 1.5)) / 2e-6)
    assert np.isclose(gradient.spring.stiffness, (at(0.3, 1.5 + 1e-6) - at(0.3, 1.5 - 1e-6)) / 2e-6)


def rounded_in_attributes(x):
    springs = [Spring(0.1), Spring(0.2)]
    for spring in springs:
        spring.rest_length = np.sqrt(spring.length) * 3.3 + 1e8         # depends on no input, but is rounded
    return sum(spring.rest_length for spring in springs) - 2e8 + x[0] * springs[0].stiffness


def test_rounding_errors_of_constants() -> None:
    """The rounding error of what depends on no input counts, also if an attribute holds it."""
    found = sg.error_estimate(rounded_in_attributes, X)
    line = {text.strip(): part for _, text, part in found.lines}
    part = next(part for text, part in line.items() if text.startswith("spring.rest_length"))
    assert part >= 2.0 * 0.5 * np.finfo(float).eps * 1e8
