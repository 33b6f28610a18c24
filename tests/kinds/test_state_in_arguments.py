"""What a call uses up advances in the caller's object as in one call of the function; data of the caller stays as it is."""
from __future__ import annotations

import io
import itertools
import random
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.errors.modules import load

X = np.array([0.3, 0.7, 0.4])
FOUND: Counter = Counter()


class Holder:
    def __init__(self, rng):
        self.rng, self.w = rng, 2.0

    def noise(self):
        return self.rng.normal()

    def draw(self, x):
        return self.rng.standard_normal(3) * x


class Below(Holder):
    pass


@dataclass
class Data:
    rng: object
    k: float = 1.0


def walk(x, s):
    y = x.copy()
    for _ in range(3):
        y[0] *= s.normal()
    return np.sum(y)


def minibatch(x, s):
    i = s.integers(0, 3, 2)
    return np.sum(x[i] ** 2)


def until(x, s):
    total, n = 0.0, 0
    while s.random() > 0.3 and n < 10:
        total, n = total + np.sum(x * x), n + 1
    return total


def branches(x, s):
    total = 0.0
    for _ in range(4):
        if s.random() > 0.5:
            total = total + x[0] ** 2
        else:
            total = total + x[1] ** 3
    return total


def each(x, s):
    total = 0.0
    for rng in s:
        total = total + x[0] * rng.normal()
    return total


def values(x, s):
    total = 0.0
    for _, rng in s.items():
        total = total + x[0] * rng.normal()
    return total


def loop(x, s):
    total = 0.0
    for v in s:
        total = total + v * x[0]
    return total


def loop_to(x, s):
    total = 0.0
    for v in s:
        total = total + v * x[0]
        if v > 2:
            break
    return total


def first(x, s):
    for v in s:
        if v > 1:
            return v * x[0]
    return x[1]


def helper(x, s):
    return scaled(x, s)


def scaled(x, rng):
    return np.sum(x) * rng.uniform(0.5, 1.5)


def default(x, s=None):
    if s is None:
        s = np.random.default_rng(0)
    return np.sum(x) * s.normal()


def filled(x, s):
    b = np.empty(3)
    total = 0.0
    for _ in range(3):
        s.random(out=b)
        total = total + np.sum(b * x)
    return total


def told(x, s):
    s.write("told\n")
    return np.sum(x)


def rng(seed=1):
    return np.random.default_rng(seed)


def numbers():
    value = 1.0
    while value < 9.0:
        yield value
        value += 1.0


PROGRAMS = {
    "walk": (walk, rng), "normal": (lambda x, s: np.sum(x * x) * s.normal(), rng), "minibatch": (minibatch, rng),
    "in a dict": (lambda x, s: np.sum(x * x) * s["rng"].normal(), lambda: {"rng": rng()}),
    "in a list": (lambda x, s: np.sum(x * x) * s[0].normal(), lambda: [rng()]),
    "in a tuple": (lambda x, s: np.sum(x * x) * s[1].normal(), lambda: (1.0, rng())),
    "in all of these": (lambda x, s: np.sum(x * x) * s["a"]["b"][0].rng.normal(), lambda: {"a": {"b": [Holder(rng())]}}),
    "attribute": (lambda x, s: np.sum(x * x) * s.rng.normal(), lambda: Holder(rng())),
    "dataclass": (lambda x, s: np.sum(x * x) * s.rng.normal(), lambda: Data(rng())),
    "method": (lambda x, s: np.sum(x * x) * s.noise(), lambda: Holder(rng())),
    "inherited": (lambda x, s: np.sum(s.draw(x) ** 2), lambda: Below(rng())),
    "standard": (lambda x, s: np.sum(x * x) * s.random(), lambda: random.Random(1)),
    "gauss": (lambda x, s: np.sum(x * x) * s.gauss(0.0, 1.0), lambda: random.Random(1)),
    "uniform": (lambda x, s: np.sum(x * x) * s.uniform(0.0, 2.0), lambda: random.Random(1)),
    "older": (lambda x, s: np.sum(x * x) * s.randn(), lambda: np.random.RandomState(1)),
    "permutation": (lambda x, s: np.sum(x[s.permutation(3)] * np.arange(3.0)), rng),
    "choice": (lambda x, s: x[s.choice(3)] ** 2, rng),
    "loc": (lambda x, s: s.normal(x[0], 1.0) ** 2, rng), "scale": (lambda x, s: s.normal(0.0, x[1] ** 2), rng),
    "until": (until, rng),
    "branches": (branches, rng), "each": (each, lambda: [rng(), rng(2)]), "values": (values, lambda: {"a": rng(), "b": rng(2)}),
    "helper": (helper, rng), "default": (default, rng), "spawn": (lambda x, s: np.sum(x) * s.spawn(1)[0].normal(), rng),
    "bound method": (lambda x, s: np.sum(x) * s(), lambda: rng().normal), "filled": (filled, rng),
    "bits": (lambda x, s: np.sum(x) * np.random.Generator(s).normal(), lambda: np.random.PCG64(1)),
    "next": (lambda x, s: np.sum(x * x) * next(s), lambda: iter([1.0, 2.0, 3.0, 4.0, 5.0])),
    "next in a dict": (lambda x, s: np.sum(x * x) * next(s["it"]), lambda: {"it": iter([1.0, 2.0, 3.0, 4.0, 5.0])}),
    "generator": (lambda x, s: np.sum(x * x) * next(s), numbers), "count": (lambda x, s: np.sum(x) * next(s), itertools.count),
    "loop": (loop, lambda: iter([1.0, 2.0, 3.0])), "loop of a generator": (loop, numbers), "loop_to": (loop_to, numbers),
    "loop_to of a list": (loop_to, lambda: iter([1.0, 2.0, 3.0, 4.0, 5.0])), "first": (first, lambda: iter([1.0, 2.0, 3.0])),
    "zip": (lambda x, s: sum(a * b for a, b in zip(x, s)), numbers),
    "zip, first": (lambda x, s: sum(a * b for a, b in zip(s, x)), numbers),
    "enumerate": (lambda x, s: sum(v * x[0] * k for k, v in enumerate(s)), numbers), "sum": (lambda x, s: sum(s) * x[0], numbers),
    "list": (lambda x, s: len(list(s)) * x[0], numbers), "islice": (lambda x, s: sum(itertools.islice(s, 2)) * x[0], numbers),
    "any": (lambda x, s: x[0] * any(v > 2 for v in s), numbers), "in": (lambda x, s: x[0] * (2.0 in s), numbers),
    "takewhile": (lambda x, s: x[0] * sum(itertools.takewhile(lambda v: v < 3, s)), numbers),
    "line": (lambda x, s: np.sum(x) * len(s.readline()), lambda: io.StringIO("a\nbbb\ncccc\ndd\ne\n")),
    "lines": (lambda x, s: np.sum(x) * sum(len(line) for line in s), lambda: io.StringIO("a\nbbb\ncccc\n")),
    "told": (told, io.StringIO),
}


def state(v) -> str:
    """What is left of something that is used up."""
    if isinstance(v, (list, tuple)):
        return repr([state(x) for x in v])
    if isinstance(v, dict):
        return repr([state(x) for x in v.values()])
    if isinstance(v, np.random.Generator):
        return repr(v.bit_generator.state)
    if isinstance(v, np.random.RandomState):
        return repr(v.get_state())
    if isinstance(v, random.Random):
        return repr(v.getstate())
    if isinstance(v, io.StringIO):
        return repr((v.getvalue(), v.tell()))
    if hasattr(v, "__next__"):
        return repr([next(v, None) for _ in range(2)])
    return state(v.__self__) if hasattr(v, "__self__") else state(getattr(v, "__dict__", {})) if hasattr(v, "__dict__") else repr(
        getattr(v, "state", v))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_advances_as_in_one_call(name) -> None:
    f, make = PROGRAMS[name]
    gradient = sg.value_and_grad(f, inputs="x")
    try:
        for ask in (lambda s: gradient(X.copy(), s)[0], lambda s: sg.vjp(f, X.copy(), s, inputs="x")[0]):
            mine, theirs = make(), make()
            for _ in range(2 if "lines" in name or name == "loop" else 3):
                wanted = f(X.copy(), theirs)
                assert np.allclose(ask(mine), wanted)
            assert state(mine) == state(theirs)
        slopes = [(f(X + 1e-6 * e, make()) - f(X - 1e-6 * e, make())) / 2e-6 for e in np.eye(3)]
        assert np.allclose(sg.grad(f, inputs="x")(X.copy(), make()), slopes, 1e-5, 1e-6)
        FOUND["right"] += 1
    except SourcegradError as problem:
        assert problem.origin is not None and not isinstance(problem, InternalError), str(problem)
        FOUND["refused"] += 1


@pytest.mark.parametrize("name", ["walk", "normal", "in a dict", "attribute", "method", "standard", "until", "each"])
def test_of_the_second_derivative_and_of_the_hundredth_call(name) -> None:
    f, make = PROGRAMS[name]
    mine, theirs = make(), make()
    gradient = sg.grad(f, inputs="x")
    for _ in range(100):
        gradient(X.copy(), mine)
        f(X.copy(), theirs)
    sg.grad(gradient, inputs="x")(X.copy(), mine, grad_outputs=np.ones(3))
    f(X.copy(), theirs)
    assert state(mine) == state(theirs)


def test_a_descent_draws_other_samples_at_every_step() -> None:
    def loss(w, data, y, s, batch=8):
        i = s.integers(0, len(y), batch)
        return np.mean((data[i] @ w - y[i]) ** 2)

    r = np.random.default_rng(0)
    data = r.standard_normal((200, 5))
    y = data @ np.arange(5.0) + r.standard_normal(200)
    gradient, one, other, mine, theirs = sg.grad(loss), np.zeros(5), np.zeros(5), rng(), rng()
    for _ in range(200):
        one -= 0.05 * gradient(one, data, y, mine)
        i = theirs.integers(0, len(y), 8)
        other -= 0.05 * 2.0 / 8.0 * data[i].T @ (data[i] @ other - y[i])
    assert np.allclose(one, other)


# --- data

class Model:
    def __init__(self):
        self.n, self.log, self.w, self.parts, self.table = 0, [], np.ones(3), {"a": 1.0}, [[1.0], [2.0]]


CHANGES = ["m.n += 1", "m.log.append(x[0])", "m.w *= x", "m.w[0] = x[1]", "m.parts['a'] = x[0]", "m.parts['b'] = x[0]",
           "m.table[0][0] = x[2]", "m.table[1].append(x[0])", "m.table.pop()", "m.log = [x[0], x[1]]", "m.w = x * 2.0",
           "m.parts.update(a=x[0])", "m.table.insert(0, [x[0]])", "m.table[0], m.table[1] = m.table[1], m.table[0]",
           "m.table[0].extend([x[0], x[1]])", "m.parts.pop('a')", "m.new = x[0]", "m.log += [x[0]]", "m.table.reverse()",
           "m.n = -m.n", "m.w -= m.w * x", "m.parts = {'a': x[0]}", "m.table[1][0] += x[0]"]


@pytest.mark.parametrize("change", CHANGES)
def test_data_of_the_caller_stays_as_it_is(tmp_path, change) -> None:
    f = load(tmp_path, f"import numpy as np\ndef f(x, m):\n    {change}\n    return np.sum(x * x) + np.sum(m.w) * (1 + m.n) + "
                       "sum(m.log) + sum(m.parts.values()) + sum([part[0] for part in m.table])\n").f
    model, kept = Model(), Model()
    held = (model.log, model.w, model.parts, model.table, *model.table)
    slopes = [(f(X + 1e-6 * e, Model()) - f(X - 1e-6 * e, Model())) / 2e-6 for e in np.eye(3)]
    try:
        for _ in range(3):
            assert np.allclose(sg.grad(f)(X.copy(), model), slopes, 1e-5, 1e-6)
        FOUND["data, right"] += 1
    except SourcegradError as problem:
        assert problem.origin is not None and not isinstance(problem, InternalError), str(problem)
        FOUND["data, refused"] += 1
    assert repr(vars(model)) == repr(vars(kept))
    assert all(a is b for a, b in zip(held, (model.log, model.w, model.parts, model.table, *model.table)))


def test_most_are_right() -> None:
    if sum(FOUND.values()) == len(PROGRAMS) + len(CHANGES):
        assert FOUND["right"] >= 30 and FOUND["data, right"] >= 15
