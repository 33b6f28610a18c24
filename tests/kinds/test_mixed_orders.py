"""Derivatives of second and third order in mixes of the two modes: all ways agree with each other, and with differences."""
from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.mixes import along, weighted

X = np.array([0.4, 1.1, 0.7])
DIRECTIONS = np.array([[0.3, -0.8, 0.5], [1.1, 0.2, -0.4], [-0.6, 0.9, 0.7]])


# --- functions whose tangent is smaller than that of their argument, with a derivative that may be infinite

def norm_times_itself(a0):
    return np.sum(np.sin(np.linalg.norm(a0) * a0))


def norms_along_axes(a0):
    m = np.outer(a0, np.arange(1.0, 4.0)) + a0 ** 2
    return np.sum(np.sin(np.linalg.norm(m, axis=1)) * np.linalg.norm(m, axis=0, keepdims=True))


def scaled_by_its_spread(a0):
    return np.std(a0) * np.sum(np.sin(a0 / np.std(a0)))


def spread_of_rows(a0):
    m = np.outer(a0, np.arange(1.0, 4.0)) + a0 ** 2
    return np.sum(np.cos(m / np.std(m, axis=1)[:, None]) * np.std(m, axis=0))


def with_a_determinant(a0):
    m = np.outer(a0, np.arange(1.0, 4.0)) + np.diag(a0 ** 2) + np.eye(3)
    return np.sum(np.sin(a0 * np.linalg.slogdet(m)[1]))


# --- the state of objects, of which a table of adjoints is saved and taken up again

class Node:
    def __init__(self, x: Any, next: Any = None) -> None:
        self.x, self.next = x, next


def descended(node: Any, depth: int) -> Any:
    if depth == 0:
        return node.x
    node.x = node.x * node.next.x
    return descended(node.next, depth - 1) * node.x


def by_a_function_that_calls_itself(a0):
    return descended(Node(a0[0], Node(a0[1], Node(a0[2]))), 2)


def around_a_ring(a0):
    last = Node(a0[2])
    last.next = Node(a0[1], last)
    return descended(Node(a0[0], last), 2)


def place_of_the_last_one(a0):
    for i, x in enumerate(a0):
        if x > 5.0:
            return x
    else:
        y = a0[i] * a0[0]
    for x in a0:
        if x > 1.0:
            return y * x ** 3
    return y


def square_of_the_first_large_one(a0):
    y = a0[0]
    for k, x in enumerate(a0 * 2.0):
        if x * a0[k] > 9.0:
            return x ** 3
    else:
        y = y * a0[k] ** 2
    for k, x in enumerate(a0):
        if x > 1.0:
            return y * x ** 2 * a0[k]
    return y


# --- what is only known at run time: functions of a list, with options or with what is bound to them

def scaled(x, rate=2.0, power=2):
    return rate * x ** power + np.sin(x)


def grown(x, rate=2.0):
    return np.exp(x * rate)


class Spring:
    def __init__(self, w: Any) -> None:
        self.w = w

    def pull(self, x: Any) -> Any:
        return self.w * x ** 2


class Swing(Spring):
    def pull(self, x: Any) -> Any:
        return np.cos(self.w * x)


def with_an_option(a0):
    fs = [scaled if x > 0.5 else grown for x in a0]
    total = 0.0
    for f, x in zip(fs, a0):
        total = total + f(x, rate=x * 0.5) * x
    return total


def with_their_objects(a0):
    fs = [Spring(x).pull if x > 0.5 else Swing(x).pull for x in a0]
    total = 0.0
    for f in fs:
        total += f(a0[0]) * a0[2]
    return total


def with_two_results(a0):
    fs = [divmod if x > 50.0 else (lambda a, b: (a * b, a + b)) for x in a0]
    total = 0.0
    for f in fs:
        u, w = f(a0[0], a0[1])
        total += u * w
    return total


# --- a number and a list under each key, of which one sweep meets the zero of both

def pairs_in_a_dict(a0):
    pairs: dict = {}
    for i in range(3):
        pairs.setdefault(i % 2, [0.0, []])
        pairs[i % 2][0] += a0[i]
        pairs[i % 2][1].append(a0[i] ** 2)
    return pairs[0][0] * sum(pairs[0][1]) + pairs[1][0] ** 2 * sum(pairs[1][1])


def pairs_by_default(a0):
    pairs: dict = collections.defaultdict(lambda: [[], 1.0])
    for i in range(3):
        pairs[i % 2][1] *= a0[i]
        pairs[i % 2][0].append(a0[i] ** 2)
    return pairs[0][1] * sum(pairs[0][0]) + pairs[1][1] ** 2 * sum(pairs[1][0])


# --- what was tried, and gave nothing

def tried_in_vain(a0):
    with np.errstate(all="raise"):
        try:
            y = np.log(a0 - 0.5) * a0
        except FloatingPointError:
            y = a0 * a0
    return np.sum(y * y * y)


def tried_in_turn(a0):
    total = 0.0
    for x in a0:
        try:
            y = np.exp(a0) * a0
            if x > 1.0:
                raise ValueError
        except ValueError:
            y = a0 * a0
        total = total + np.sum(y * x) * y
    return np.sum(total)


# --- what is no number where another branch is selected

def roots_and_logarithms(a0):
    with np.errstate(all="ignore"):
        r = np.where(a0 > 0.5, np.log(a0 - 0.5) * a0, np.sqrt(0.6 - a0))
    return (r[0] * r[1]) ** 2 + np.sum(r * r)


def broken_powers(a0):
    with np.errstate(all="ignore"):
        r = np.where(a0 > 0.5, (a0 - 0.5) ** 0.7, (0.6 - a0) ** 1.5)
    return np.sum(r * r * a0) * r[0]


def angles(a0):
    with np.errstate(all="ignore"):
        r = np.where(a0 > 0.5, np.arccosh(a0 * 2.0), np.arcsin(a0 * 2.0))
    return np.sum(np.sin(r) * a0) * r[2]


def a_root_in_a_root(a0):
    with np.errstate(all="ignore"):
        s = np.sqrt(a0 - 0.5)
        r = np.where(a0 > 0.5, np.sqrt(s + a0), a0 ** 2) + np.where(a0 > 0.5, s * a0, 0.0)
    return np.sum(r ** 3 * a0)


class Account:
    """What is set remembers what was there."""

    def __init__(self, v: Any) -> None:
        self.v, self.last = v, None

    @property
    def value(self) -> Any:
        return self.v

    @value.setter
    def value(self, new: Any) -> None:
        self.last = self.v
        self.v = new


def set_by_a_setter(a0):
    total = 0.0
    for k in range(3):
        account = Account(a0[k])
        if k > 1:
            account.value = 2.0 * a0[0] * a0[1]
        total += a0[k] ** 3 if account.last is None else a0[0] * account.last ** 2
    return total


SMALLER = [norm_times_itself, norms_along_axes, scaled_by_its_spread, spread_of_rows, with_a_determinant]


class Mixes:
    """The derivatives of a function along the directions, by the modes from the outermost inwards."""

    def __init__(self, function: Callable) -> None:
        self.made: dict[str, Callable] = {"": weighted(function, 1, 1.0)}        # (so it is a callee)

    def at(self, mix: str, x: np.ndarray = X) -> float:
        for order in range(len(mix)):
            name = mix[len(mix) - 1 - order:]
            if name not in self.made:
                self.made[name] = along(self.made[name[1:]], 1, (0,), name[0], {0: DIRECTIONS[order]})
        return float(np.sum(self.made[mix](x.copy())))

    def difference(self, below: str, step: float = 1e-5) -> float:
        """The derivative of the next order from differences."""
        v = step * DIRECTIONS[len(below)]
        return (self.at(below, X + v) - self.at(below, X - v)) / (2.0 * step)


@pytest.mark.parametrize("function", SMALLER)
def test_second_order_of_what_sums_up(function: Callable) -> None:
    mixes = Mixes(function)
    found = [mixes.at(mix) for mix in ("RF", "FF", "FR")]
    np.testing.assert_allclose(found, mixes.difference("R"), rtol=1e-6)
    np.testing.assert_allclose(found, found[-1], rtol=1e-10)


@pytest.mark.parametrize("function", SMALLER)
@pytest.mark.parametrize("mix", ["RFF", "RFR", "FRF"])
def test_third_order_of_what_sums_up(function: Callable, mix: str) -> None:
    mixes = Mixes(function)
    np.testing.assert_allclose(mixes.at(mix), mixes.difference(mix[1:]), rtol=1e-6)


@pytest.mark.parametrize("mix", ["RRR", "RFF"])
def test_third_order_of_objects(mix: str) -> None:
    mixes = Mixes(by_a_function_that_calls_itself)
    np.testing.assert_allclose(mixes.at(mix), mixes.difference(mix[1:]), rtol=1e-6)


@pytest.mark.parametrize("mix", ["RRR", "RFR", "RFF"])
def test_third_order_of_objects_that_are_names_at_last(mix: str) -> None:
    mixes = Mixes(set_by_a_setter)
    np.testing.assert_allclose(mixes.at(mix), mixes.difference(mix[1:]), rtol=1e-6)


@pytest.mark.parametrize("function", [place_of_the_last_one, square_of_the_first_large_one])
def test_third_order_of_loops_that_are_left(function: Callable) -> None:
    mixes = Mixes(function)
    np.testing.assert_allclose(mixes.at("RRR"), mixes.difference("RR"), rtol=1e-6)


def test_an_object_that_holds_itself_has_a_zero_tangent() -> None:
    mixes = Mixes(around_a_ring)
    np.testing.assert_allclose([mixes.at(mix) for mix in ("FR", "RR", "RF")], mixes.difference("R"), rtol=1e-6)


@pytest.mark.parametrize("mix", ["FF", "RF", "RFR", "FRF", "RRR"])
@pytest.mark.parametrize("function", [with_an_option, with_their_objects, with_two_results])
def test_functions_that_are_known_at_run_time(function: Callable, mix: str) -> None:
    mixes = Mixes(function)
    np.testing.assert_allclose(mixes.at(mix), mixes.difference(mix[1:]), rtol=1e-6)


@pytest.mark.parametrize("function", [pairs_in_a_dict, pairs_by_default])
def test_third_order_of_lists_with_lists(function: Callable) -> None:
    mixes = Mixes(function)
    np.testing.assert_allclose(mixes.at("RRR"), mixes.difference("RR"), rtol=1e-6)


@pytest.mark.parametrize("function", [tried_in_vain, tried_in_turn])
def test_third_order_of_what_was_tried(function: Callable) -> None:
    mixes = Mixes(function)
    np.testing.assert_allclose(mixes.at("RFR"), mixes.difference("FR"), rtol=1e-6)


@pytest.mark.parametrize("mix", ["FR", "RFR", "RRR"])
@pytest.mark.parametrize("function", [roots_and_logarithms, broken_powers, angles, a_root_in_a_root])
def test_what_is_no_number_is_not_selected(function: Callable, mix: str) -> None:
    mixes = Mixes(function)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(mixes.at(mix), mixes.difference("F" * len(mix[1:])), rtol=1e-5)
