"""Python's order of evaluation: each form with effects in two places gives the value, the gradient and the draws of CPython."""
import random

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds import order_programs as programs
from tests.kinds.outcomes import differences, outcome

# An item of an array by a number that is drawn: whether it is a view is not known.
REFUSED = {"swap, draws of numpy 0", "swap, draws of random 0"}


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_order(name: str) -> None:
    """The value and what is drawn next are those of CPython, the gradient that of the function; or the program is refused."""
    f = programs.function(name)
    run = programs.seeded(f)
    want, slope = run(programs.X), differences(run, (programs.X,))
    run(programs.X)
    drawn = np.random.random(), random.random()
    gradient = programs.seeded(sg.value_and_grad(f))
    try:
        for _ in range(3):
            value, found = gradient(programs.X)
            assert (np.random.random(), random.random()) == drawn
            np.testing.assert_allclose(value, want, rtol=1e-12)
            np.testing.assert_allclose(found, slope, rtol=1e-5, atol=1e-6)
    except SourcegradError as problem:
        assert type(problem).__name__ != "InternalError", str(problem)
        assert name in REFUSED, str(problem)
    else:
        assert name not in REFUSED


def test_few_are_refused() -> None:
    """At most one of twenty."""
    assert programs.PROGRAMS.keys() >= REFUSED and len(REFUSED) <= len(programs.PROGRAMS) / 20


def captured_late(x):
    """What an inner function captures is read when it is called, after its arguments."""
    c = x[0]

    def bump(k, m=1.0):
        nonlocal c
        c = c * 1.5 + k * m
        return c

    return bump(bump(c, m=bump(x[1]))) * c + bump(k=c, m=bump(c))


def appended_to_the_old(x):
    xs = [x[0]]

    def swap():
        nonlocal xs
        xs = [x[1], x[2]]
        return 2.0 * x[2]

    ys = xs
    xs.append(swap())
    return sum(ys) + 3.0 * sum(xs)


def stored_into_the_old(x):
    y = z = x * 1.0

    def swap(i):
        nonlocal y
        y = y * 2.0
        return i

    y[swap(1)] = x[0] * x[1]
    y[swap(0)] += x[2]
    return np.sum(y * z)


def entered_into_the_new(x):
    d = e = {}

    def swap(value):
        nonlocal d
        d = {"z": x[0]}
        return value

    d["a"] = swap(x[1])
    return sum(e.values()) + sum(v * v for v in d.values())


def taken_before_they_are_bound(x):
    a, b = x[0], x[1]

    def turn():
        nonlocal a, b
        a, b = b, a * 2.0
        return a

    a, b = b, turn()
    return a * 3.0 - b + turn()


@pytest.mark.parametrize("f", [captured_late, appended_to_the_old, stored_into_the_old, entered_into_the_new,
                               taken_before_they_are_bound])
def test_names_that_calls_rebind(f):
    assert outcome(f, programs.X) == "right"


def computed_defaults(x):
    """Computed defaults of parameters by position only, by both, and by name only: where `def` stands, and only once."""
    def h(p=x[0], /, q=x[1] * 3.0, *rest, z=x[2], w=1.0):
        return p - 2.0 * q * z + sum(rest) + w

    return h() + h(2.0) * h(1.0, 2.0, z=x[0]) + h(1.0, 2.0, x[1], x[2], w=x[0])


def default_of_what_is_bound_again(x):
    c = x[0]

    def h(p, *, q=c * x[1]):
        return p * q

    c = x[2]
    return h(c) + h(2.0)


def default_of_a_lambda(x):
    h = (lambda p=x[0], /, q=2.0, *, z=x[2]: p - 2.0 * q * z, 1.0)
    return h[0]() + h[0]() * h[1]


@pytest.mark.parametrize("f", [computed_defaults, default_of_what_is_bound_again, default_of_a_lambda])
def test_defaults(f):
    assert outcome(f, programs.X) == "right"
