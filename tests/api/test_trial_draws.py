"""The trial of programs that draw: it compares equal draws, and each generator is advanced once, as by one call of the function."""
from __future__ import annotations

import functools
import random
import types

import numpy as np
import pytest
from numpy.random import normal

import sourcegrad as sg
from sourcegrad.api import shadow_run
from sourcegrad.errors import InternalError, SourcegradError
from tests.kinds.outcomes import differences

X = np.array([0.5, 0.9, 1.3])
GEN, OLD, STD = np.random.default_rng(5), np.random.mtrand._rand, random.Random(3)
OWN = np.random.RandomState(4)
BOX = types.SimpleNamespace(rng=np.random.default_rng(6))
HELD = [np.random.default_rng(7)]


def reset() -> None:
    np.random.seed(1)
    random.seed(2)
    GEN.bit_generator.state = np.random.default_rng(3).bit_generator.state
    BOX.rng.bit_generator.state = np.random.default_rng(8).bit_generator.state
    HELD[0].bit_generator.state = np.random.default_rng(9).bit_generator.state
    STD.seed(4)
    OWN.seed(5)


def seen() -> str:
    return repr((np.random.get_state(), random.getstate(), GEN.bit_generator.state, BOX.rng.bit_generator.state,
                 HELD[0].bit_generator.state, STD.getstate(), OWN.get_state()))


def mutated(x):
    y = x.copy()
    y[0] *= 2.0
    return y


def noise():
    return np.random.normal()


def of(rng):
    return rng.normal() + rng.uniform()


class Model:
    def __init__(self):
        self.level = 2.0

    def noise(self, v):
        return v * random.gauss(0.0, self.level)


def in_a_loop(x):
    y = mutated(x)
    for k in range(len(y)):
        y[k] = y[k] * np.random.normal() + random.random()
    return np.sum(y)


def by_a_method(x):
    return Model().noise(np.sum(mutated(x)))


def by_a_closure(x):
    def shaken(v):
        return v + np.random.uniform(0.0, 0.1)
    return sum(map(shaken, mutated(x)))


def seeded_inside(x):
    np.random.seed(3)
    return np.sum(mutated(x)) * np.random.normal()


def state_kept(x):
    state = np.random.get_state()
    first = np.random.normal()
    np.random.set_state(state)
    return np.sum(mutated(x)) * first * np.random.normal()


def of_the_inputs(x):
    return np.sum(mutated(x) * np.random.normal(x, 1.0)) + random.uniform(0.0, x[0]) * np.random.uniform(x[1], 2.0)


def in_a_branch(x):
    y = mutated(x)
    return np.sum(y) if np.random.normal() > 0 else y[0] * random.random()


def three_of_a_list(x):
    return np.sum(mutated(x)) * sum(random.sample([1.0, 2.0, 3.0, 4.0], 3)) * random.randint(1, 9)


COMPARED = {
    "np.random": lambda x: np.sum(mutated(x)) * np.random.normal(), "imported": lambda x: np.sum(mutated(x)) * normal(),
    "sizes": lambda x: np.sum(mutated(x) * np.random.randn(3)),
    "permutation": lambda x: np.sum(mutated(x) * np.random.permutation(3)),
    "choice": lambda x: np.sum(mutated(x)) * np.random.choice([1.0, 2.0]), "ranf": lambda x: np.sum(mutated(x)) * np.random.ranf(),
    "random": lambda x: np.sum(mutated(x)) * random.random(), "uniform": lambda x: np.sum(mutated(x)) * random.uniform(0.0, 1.0),
    "gauss": lambda x: np.sum(mutated(x)) * random.gauss(0.0, 1.0),
    "both": lambda x: np.sum(mutated(x)) * random.random() * normal(), "callee": lambda x: np.sum(mutated(x)) * noise(),
    "choice of a list": lambda x: np.sum(mutated(x)) * random.choice([1.0, 2.0, 3.0]),
    "state of NumPy": lambda x: np.sum(mutated(x)) * np.random.mtrand._rand.normal(),
    "state of NumPy by a name": lambda x: np.sum(mutated(x)) * OLD.normal(),
    "Generator": lambda x: np.sum(mutated(x)) * GEN.normal(),
    "Generator given on": lambda x: np.sum(mutated(x)) * of(GEN), "Random": lambda x: np.sum(mutated(x)) * STD.random(),
    "RandomState": lambda x: np.sum(mutated(x)) * OWN.normal(),
    "state given on": lambda x: np.sum(mutated(x)) * of(OLD),
    "partial": lambda x: np.sum(mutated(x)) * functools.partial(noise)(),
    "of arrays": lambda x: np.sum(mutated(x) * GEN.normal(x, 1.0)), **{f.__name__: f for f in (
        in_a_loop, by_a_method, by_a_closure, seeded_inside, state_kept, of_the_inputs, in_a_branch, three_of_a_list)}}
LEFT = {                                                # who holds the generator is not known: not compared, and advanced once
    "of an object": lambda x: np.sum(mutated(x)) * BOX.rng.normal(), "of a list": lambda x: np.sum(mutated(x)) * HELD[0].normal()}


def counted(monkeypatch) -> list:
    """Calls of the function that compares two results."""
    calls: list = []
    before = shadow_run.alike
    monkeypatch.setattr(shadow_run, "alike", lambda *args: calls.append(args) or before(*args))
    return calls


@pytest.mark.parametrize("name", [*COMPARED, *LEFT])
def test_advanced_once(name, monkeypatch) -> None:
    f = {**COMPARED, **LEFT}[name]
    calls = counted(monkeypatch)
    reset()
    wanted = [f(X.copy()) for _ in range(4)]
    state = seen()
    reset()
    gradient = sg.value_and_grad(f)
    found = [gradient(X.copy())[0] for _ in range(4)]
    assert seen() == state
    np.testing.assert_allclose(found, wanted)
    assert bool(calls) == (name in COMPARED)

    def fresh(x):
        reset()
        return f(x)
    reset()
    np.testing.assert_allclose(sg.grad(f)(X.copy()), differences(fresh, (X,)), 1e-5, 1e-6)


@pytest.mark.parametrize("name", COMPARED)
def test_what_is_wrong_is_noticed(name, monkeypatch) -> None:
    """The generated form computes something else: as if a pass were wrong."""
    before = shadow_run._by_name
    monkeypatch.setattr(shadow_run, "_by_name", lambda *args, **options: before(*args, **options) * 1.001)
    reset()
    state = seen()
    with pytest.raises(InternalError, match="and the function itself computes"):
        sg.grad(COMPARED[name])(X.copy())
    assert seen() == state                               # nothing has been drawn


@pytest.mark.parametrize("name", [n for n in COMPARED if n not in ("seeded_inside", "three_of_a_list") and "choice" not in n])
def test_one_draw_more_is_noticed(name, monkeypatch) -> None:
    """The generated form draws once before: another order of draws."""
    before = shadow_run._by_name

    def late(*args, **options):
        for stream in (GEN, OLD, OWN, STD, random):
            stream.random()
        return before(*args, **options)
    monkeypatch.setattr(shadow_run, "_by_name", late)
    reset()
    with pytest.raises(InternalError, match="and the function itself computes"):
        sg.grad(COMPARED[name])(X.copy())


def test_of_second_derivatives() -> None:
    def f(x):
        return np.sum(mutated(x) ** 3) * np.random.normal()
    reset()
    f(X)
    state = seen()
    reset()
    sg.grad(sg.grad(f))(X.copy(), grad_outputs=np.ones(3))
    assert seen() == state


@pytest.mark.parametrize("error", [ValueError, ZeroDivisionError, IndexError])
def test_what_raises_leaves_what_the_function_leaves(error) -> None:
    def f(x):
        y = mutated(x) * np.random.normal() * random.random()
        if y[0] ** 2 >= 0.0:
            raise error("after two draws")
        return np.sum(y)
    reset()
    with pytest.raises(error):
        f(X.copy())
    state = seen()
    reset()
    with pytest.raises(error):
        sg.grad(f)(X.copy())
    assert seen() == state


def test_a_generator_without_a_state_is_not_tried(monkeypatch) -> None:
    system = random.SystemRandom()
    calls = counted(monkeypatch)

    def f(x):
        return np.sum(mutated(x)) * system.random()
    try:
        assert np.all(sg.grad(f)(X.copy()) >= 0.0)
    except SourcegradError as problem:
        assert problem.origin is not None
    assert not calls


def test_a_generator_that_is_bound_anew(monkeypatch) -> None:
    calls = counted(monkeypatch)
    scope = {"np": np, "mutated": mutated, "RNG": np.random.default_rng(1)}
    f = types.FunctionType(COMPARED["Generator"].__code__, {**scope, "GEN": scope["RNG"]}, "f")
    gradient = sg.value_and_grad(f)
    gradient(X.copy())
    f.__globals__["GEN"] = other = np.random.default_rng(2)
    value, _ = gradient(X.copy())
    assert calls and other.bit_generator.state["state"] != np.random.default_rng(2).bit_generator.state["state"]
    np.testing.assert_allclose(value, np.sum(mutated(X)) * np.random.default_rng(2).normal())


CHECKED = {"np.random": lambda: np.random.normal(), "random": lambda: random.random(), "Generator": lambda: GEN.normal(),
           "state of NumPy": lambda: OLD.normal(), "gauss": lambda: random.gauss(0.0, 1.0), "deeper": lambda: of(GEN)}


@pytest.mark.parametrize("name", CHECKED)
def test_a_checkpoint_does_not_draw(name) -> None:
    draw = CHECKED[name]

    @sg.checkpoint
    def noisy(x):
        return np.sum(draw() * x * x)
    with pytest.raises(sg.UnsupportedError, match="which draws random numbers"):
        sg.grad(lambda x: noisy(x))(X)
