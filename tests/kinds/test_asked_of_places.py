"""What is found out of places late: stars, `hasattr`, names of one list or sum, callables of many worlds, dicts in dicts."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from tests.kinds.places import by_differences, check_gradient, check_second, programs_of

X = np.array([0.7, 1.3, 0.4, 0.9])


@pytest.fixture(autouse=True)
def by_identity(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing is done by values where that would do, but in the tests of which way is chosen."""
    before = linking.OPTIONS.places
    linking.OPTIONS.places = before if "chosen" in request.node.name else "only"
    yield
    linking.OPTIONS.places = before


class Body:
    def __init__(self, v, *rates, scale=1.0):
        self.v = v
        self.rates = [scale * r for r in rates]
        self.log = []

    def push(self, h):
        self.v = self.v + h * self.v
        self.log.append(self.v)
        return self

    def maybe(self, h):
        """A number, of which that is not known before it runs."""
        return [self.v * h, h][int(h > 100.0)]


class Spring(Body):
    def __init__(self, v, k, damping):
        super().__init__(v)
        self.k, self.damping = k, damping
        if v > 0.0:
            self.slack = 0.5 * k


class Slotted:
    __slots__ = ("first", "second")

    def __init__(self, first):
        self.first = first

    def meet(self, other):
        if not hasattr(self, "second"):
            self.second = other * self.first
        self.first = self.first * other


class World:
    def __init__(self, bodies):
        self.bodies = bodies
        self.F = np.zeros(4)
        self.fixed = []

    def load(self, k, force):
        self.F[k:k + 2] += force
        self.fixed.extend([k])


# --- Stars

def star_of_an_argument(x, given=(0.3, 0.2)):
    s = Spring(x[0], *given)
    w = World([s, Body(x[1])])
    w.bodies[0].push(x[2])
    return w.bodies[0].v * s.k + s.damping * w.bodies[1].v


def star_of_a_list(x):
    given = [x[1] * x[2], 0.2 * x[3]]
    s = Spring(x[0], *given)
    s.push(x[1])
    given[0] = x[0]
    return World([s]).bodies[0].v * s.k + s.damping * given[0]


def star_of_words(x):
    options = {"k": x[1], "damping": x[2] * x[2]}
    s = Spring(x[0], **options)
    holder = World([s])
    holder.bodies[-1].push(s.damping)
    options["k"] = 0.0
    return s.v * s.k


def star_for_the_rest(x):
    b = Body(x[0], *[x[1], x[2] * x[0]], scale=x[3])
    c = World([b])
    c.bodies[0].rates[0] = x[3] * b.rates[1]
    b.push(b.rates[0])
    return b.v * b.rates[1]


def star_of_what_is_handed_on(x):
    def made(*parts):
        return Spring(*parts)

    s = made(x[0], x[1], x[2])
    w = World([s, s])
    w.bodies[1].push(x[3])
    return s.v * s.k + w.bodies[0].log[0]


# --- hasattr

def has_in_one_of_two_classes(x):
    total = 0.0
    for b in [Body(x[0]), Spring(x[1], x[2], x[3]), Body(x[2])]:
        b.push(x[3])
        if hasattr(b, "k"):
            total = total + b.k * b.v
        else:
            total = total + b.v
    return total


def has_where_it_is_set(x):
    s, r = Spring(x[0], x[1], 0.1), Spring(-x[0], x[1], 0.1)
    total = 0.0
    for b in World([s, r]).bodies:
        total += b.slack * x[2] if hasattr(b, "slack") else b.v * b.k
    return total


def has_later(x):
    b = Spring(x[0], x[1], x[2])
    w = World([b])
    found = 0.0
    for k in range(3):
        if hasattr(w.bodies[0], "extra"):
            found = found + b.extra
        b.extra = x[3] * b.push(x[k]).v
    return found * b.v


def has_a_method(x):
    b = World([Body(x[0])]).bodies[0]
    return b.push(x[1]).v if hasattr(b, "push") else x[0]


def has_a_slot(x):
    s = Slotted(x[0])
    w = World([s])
    for k in range(1, 4):
        w.bodies[0].meet(x[k])
    return s.first * s.second


def has_and_more(x):
    b = World([Spring(x[0], x[1], x[2])]).bodies[0]
    if hasattr(b, "slack") and b.slack > 0.0 and not hasattr(b, "missing"):
        b.push(b.slack)
    return b.v


# --- Sums and lists under several names

def sum_under_two_names(x):
    b = Body(x[0])
    w = World([b])
    cost = np.sum(x[:2] ** 2)
    cost += 0.5 * w.bodies[0].maybe(x[1])
    b.push(x[2])
    cost += b.maybe(x[3])
    return cost * b.v


def sum_of_arrays_under_two_names(x):
    b = Body(x)
    w = World([b])
    cost = 0.0
    cost += [w.bodies[0].v, x][int(x[0] > 100.0)]
    w.bodies[0].push(x)
    cost += [b.v, x][int(x[0] > 100.0)]
    return np.sum(cost * cost)


def sum_that_an_object_gets(x):
    b = Body(x)
    total = 0.0
    total += [b.v, x][int(x[0] > 100.0)]
    b.kept = total
    total = total + b.push(x).v
    return np.sum(total * b.kept)


def rows_under_two_names(x):
    b = Body(x[0])
    w = World([b])
    w.fixed.append(1)
    rows = [[2.0 * x[k], b.push(x[k]).v] for k in range(2)]
    m = np.array(rows).ravel()
    w.load(w.fixed[0], m[:2] * m[3])
    return np.sum(w.F ** 2) * b.v


def rows_of_indices(x):
    w = World([Body(x[0])])
    w.load(1, x[:2])
    places = np.array([[2 * n, 2 * n + 1] for n in np.array([0, 1])]).ravel()
    w.load(0, x[2:] * w.F[places][:2])
    return np.sum(w.F[places] * x) + len(w.fixed)


def rows_that_another_name_keeps(x):
    b = Body(x[0])
    rows = [[x[k], x[0]] for k in range(2)]
    same = rows
    b.rows = same
    m = np.array(rows)
    b.rows[0][1] = x[3]
    return np.sum(m * m) * rows[0][1] * b.push(x[2]).v


# --- Callables of many worlds

def closure_in_an_attribute(x):
    gain = x[1]
    b = Body(x[0])
    w = World([b])
    w.rule = lambda v: gain * v * v
    for k in range(2):
        w.fixed.append(k)
        b.push(w.rule(x[k]))
    return b.v * len(w.fixed)


def wrapped_closure(x):
    def law(t, v, a, c):
        return a * v - c * t

    def solver(f, args=None):
        if args is not None:
            inner = f
            f = lambda t, v: inner(t, v, *args)
        w = World([])
        w.f = f
        w.fixed.append(1)
        return w

    w = solver(law, (x[1], x[2]))
    b = Body(x[0])
    w.bodies.append(b)
    for k in range(3):
        b.v = b.v + 0.1 * w.f(0.1 * k, w.bodies[0].v)
    return b.v


def one_closure_for_each(x):
    springs = [Body(x[0]), Body(x[1])]
    for k, b in enumerate(springs):
        b.law = lambda v, k=k: v * x[k + 1]
    springs[0].push(springs[0].law(x[3]))
    springs[1].push(springs[1].law(x[3]))
    return springs[0].v * springs[1].v


# --- Dicts in dicts

def paths(x):
    graph = defaultdict(dict)
    for (a, b), length in zip([(0, 1), (1, 2), (0, 2), (2, 0)], x * np.array([1.0, 0.8, 2.5, 1.2])):
        graph[a][b] = length
    best = {0: 0.0, 1: 10.0, 2: 10.0}
    for _ in range(2):
        for a in graph:
            for b, length in graph[a].items():
                if best[a] + length < best[b]:
                    best[b] = best[a] + length
    return sum(d * d for d in best.values())


def memo_of_memos(x):
    table = {}

    def ways(n, m):
        if n < 0:
            return 0.0
        if m not in table.setdefault(n, {}):
            table[n][m] = 1.0 if n == 0 else ways(n - 1, m) * x[0] + ways(n - 2, m + 1) * x[min(m, 3)]
        return table[n][m]

    return ways(5, 0) * len(table)


def values_of_inner_dicts(x):
    rows = {}
    for k in range(4):
        rows.setdefault(k % 2, {})[k] = x[k]
    total = 0.0
    for row in rows.values():
        for v in row.values():
            total = total + v * v
        row[9] = total
    return total * rows[1][9]


REFUSED = {"rows_that_another_name_keeps": "`np.array(items)`"}       # by identity
PROGRAMS = [f for f in programs_of(globals()) if f.__name__ not in REFUSED]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right(f: Any) -> None:
    check_gradient(f, [X, X[::-1].copy(), 1.5 * X])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second(f: Any) -> None:
    check_second(f, X)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_identity(name: str) -> None:
    with pytest.raises(sg.UnsupportedError) as refused:
        sg.grad(globals()[name])(X)
    assert REFUSED[name] in str(refused.value)


@pytest.mark.parametrize("name", REFUSED)
def test_right_as_chosen(name: str) -> None:
    check_gradient(globals()[name], [X, 1.5 * X])


@pytest.mark.parametrize("f", [paths, values_of_inner_dicts], ids=lambda f: f.__name__)
def test_chosen_without_copies_along_paths(f: Any) -> None:
    g = sg.grad(f)
    assert np.allclose(g(X), by_differences(f, X))
    assert "bars" in g.source and not any(name in g.source for name in ("own_parts", "entry_add", "items_back"))


# --- What attributes hold is asked when code runs

class Total:
    def __init__(self, v):
        self.v = v
        self.total = 0.0

    def add(self, k):
        self.total += [self.v[0], self.v, self.v[1]][k]


def totals():
    def totalled(x, k):
        t = Total(x)
        held = [t]
        for _ in range(3):
            held[0].add(k)
            t.v = 1.1 * t.v
        return np.sum(t.total * t.total)
    totalled.own = True                                     # code that is generated for it is its own
    return totalled


@pytest.mark.parametrize("ks", [(0, 2, 0), (1, 0, 1), (0, 1, 1, 0), (2, 1, 2)])
def test_chosen_by_answers(ks: tuple[int, ...]) -> None:
    """Numbers are taken for numbers; where an array is there at the first calls, other code is generated, once."""
    f = totals()
    g = sg.grad(f, inputs="x")
    for k in ks:
        assert np.allclose(g(X, k), by_differences(lambda x: f(x, k), X)), k
    assert ("same_number" in g.source) is (1 not in ks)


def test_chosen_late() -> None:
    """After the first calls an array is refused, by name; so it is where nothing else can be generated."""
    f = totals()
    g = sg.grad(f, inputs="x")
    for _ in range(3):
        g(X, 0)
    with pytest.raises(sg.UnsupportedError, match="changes 'total' of an object in place") as refused:
        g(X, 1)
    assert refused.value.origin is None or refused.value.origin.file == __file__
    assert np.allclose(g(X, 2), by_differences(lambda x: f(x, 2), X))


def test_what_a_metaclass_has_an_array_has_not() -> None:
    def f(x):
        y = x * np.ones(2)
        return 2.0 * x if hasattr(y, "__call__") or hasattr(x, "__name__") else 3.0 * x * hasattr(y, "shape")

    assert sg.grad(f)(2.0) == 3.0
