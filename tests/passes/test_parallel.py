"""parallel: a name and its tangent start in one statement, and values that change places do so at once."""
import numpy as np

import sourcegrad as sg
from tests.passes.becomes import Alone

CASES = Alone("parallel")
X = np.array([0.5, -1.5, 2.0])


@CASES.becomes("""
    total = total_dot = 0.0
    for k in range(n):
        total_dot += 2.0 * x[k]
        total += x[k] * x[k]
    return total, total_dot
""", x=X, n=3, own="total")
def starts(x, n):
    total = 0.0
    total_dot = 0.0
    for k in range(n):
        total_dot += 2.0 * x[k]
        total += x[k] * x[k]
    return total, total_dot


@CASES.becomes("""
    a = a_dot = 1.0
    b = 1.0
    b_dot = 0.0
    c = c_dot = 0.0
    return x * a + b + c + a_dot + b_dot + c_dot
""", x=2.0, own="a b c")
def each_name_with_its_tangent_only(x):
    a = 1.0
    a_dot = 1.0
    b = 1.0
    b_dot = 0.0
    c = 0.0
    c_dot = 0.0
    return x * a + b + c + a_dot + b_dot + c_dot


@CASES.becomes("""
    a, b, c, c_dot = x[0], x[1], x[2], x[0]
    a_dot, b_dot = c, a
    for _ in range(n):
        a, b, c = b, c, a
        a_dot, b_dot, c_dot = b_dot, c_dot, a_dot
    return a, b, c, a_dot, b_dot, c_dot
""", x=X, n=4, own="a b c")
def three_change_places(x, n):
    a, b, c, c_dot = x[0], x[1], x[2], x[0]
    a_dot, b_dot = c, a
    for _ in range(n):
        a_old = a
        a_old_dot = a_dot
        a = b
        a_dot = b_dot
        b = c
        b_dot = c_dot
        c = a_old
        c_dot = a_old_dot
    return a, b, c, a_dot, b_dot, c_dot


@CASES.becomes("""
    a, b = x, 2.0 * x
    a_dot = 1.0
    a, b = b, a
    b_dot = a_dot
    return a, b, b_dot
""", x=3.0, own="a b")
def only_one_has_a_tangent(x):
    a, b = x, 2.0 * x
    a_dot = 1.0
    kept = a
    a = b
    b = kept
    b_dot = a_dot
    return a, b, b_dot


@CASES.stays(x=3.0, own="a b kept")
def what_is_kept_is_read_later(x):
    a, b = x, 2.0 * x
    a_dot = 1.0
    kept = a
    a = b
    b = kept
    return a, b, kept, a_dot


@CASES.stays(x=3.0, own="a b")
def copies_that_change_no_places(x):
    a_dot = x * 2.0
    a = x
    b = a
    c = b
    return a, b, c, a_dot


@CASES.stays(x=X, own="a b")
def a_tangent_that_reads_a_value_that_moves(x):
    a, b = x[0], x[1]
    a_old = a
    a = b
    b = a_old
    a_dot = a
    return a, b, a_dot


test_parallel = CASES.check()


def leapfrog(u, n):
    old, now = u, np.sin(u)
    count = level = 0.0
    for _ in range(n):
        old, now = now, 2.0 * now - old
        count += 1.0
        level += now[0] * count
    return now * level


def test_as_the_user_wrote_it() -> None:
    made = sg.pushforward(leapfrog)
    value, dot = made(X, 5, u_dot=np.ones(3))
    assert np.allclose(dot, (leapfrog(X + 1e-6, 5) - leapfrog(X - 1e-6, 5)) / 2e-6) and np.array_equal(value, leapfrog(X, 5))
    assert "count = level = level_dot = 0.0" in made.source
