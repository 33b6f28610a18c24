"""view_cse: a part of an array that has a name already is not taken again."""
import numpy as np

from tests.passes.becomes import Alone, emitted

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("view_cse")


@CASES.becomes("""
    x_i = x[:-1]
    diff = x[1:] - x_i ** 2
    return diff, 1.0 - x_i
""", x=X)
def one_part_of_one_array(x):
    x_i = x[:-1]
    diff = x[1:] - x_i ** 2
    return diff, 1.0 - x[:-1]


@CASES.becomes("""
    y = 2.0 * x
    y_i = y[1:]
    y[2] = 7.0
    return np.sum(y_i), np.sum(y_i)
""", x=X)
def it_shows_what_is_stored_later(x):
    y = 2.0 * x
    y_i = y[1:]
    y[2] = 7.0
    return np.sum(y_i), np.sum(y[1:])


@CASES.stays(x=X)
def another_array_under_its_name(x):
    x_i = x[:-1]
    y = np.sum(x_i)
    x = 2.0 * x
    return y * np.sum(x[:-1])


@CASES.stays(x=X, k=1)
def another_index(x, k):
    x_i = x[k:]
    y = np.sum(x_i)
    k = k + 1
    return y * np.sum(x[k:])


@CASES.stays(x=X)
def the_name_is_something_else_by_then(x):
    x_i = x[:-1]
    x_i = 2.0 * x_i
    return x_i * x[:-1]


@CASES.stays(x=X, n=2, others=({"n": 0},))
def changed_in_a_later_turn(x, n):
    x_i = x[1:]
    total = np.sum(x_i)
    for _ in range(n):
        total = total + np.sum(x[1:])
        x = 2.0 * x
    return total


@CASES.stays(x=X, own="first")
def what_users_take_twice_they_see_twice(x):
    first = x[1:]
    return first * x[1:]


@CASES.stays(x=X, k=np.array([0, 1]))
def an_index_that_copies(x, k):
    x_i = x[k]
    return x_i * x[k]


def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def shrinking(x, n):
    total = np.sum(np.sin(x[1:]) * x[:-1] ** 2)
    for _ in range(n):
        total = total + np.sum(np.cos(x[1:]) * x[:-1] ** 3)
        x = 0.9 * x[1:]
        total = total + np.sum(x[:-1] ** 2 * np.exp(x[1:]))
    while np.sum(x[1:] ** 2) > 0.05:
        x = 0.6 * x
    return total + np.sum(x[1:] ** 3 * x[:-1])


def test_a_part_that_has_a_name_is_not_taken_again():
    found = [line for line in emitted(valley, np.array([0.3, 0.4, 0.9])).splitlines() if "#" not in line and "x_bar" not in line]
    assert sum(line.count("x[:-1]") for line in found) == 1, found


def test_a_part_is_taken_again_where_its_array_is_another_one():
    found = emitted(shrinking, np.array([0.3, 0.4, 0.9, 0.2, 0.7, 0.5]), 2)
    assert found.count("x[:-1]") > 2


test_view_cse = CASES.check()
