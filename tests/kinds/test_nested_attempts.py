"""`try` inside `try`: what was assigned before an exception passes the inner one has its value in the outer handler, and later."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import programs_of


class Low(Exception):
    pass


class High(Exception):
    pass


class Account:
    def __init__(self, value):
        self.value, self.log = value, [value]

    def pay(self, v):
        self.value = self.value - v
        if self.value < 0.0:
            raise High
        self.log.append(v)
        return self.value * v


def one_name(x):
    account, total = Account(x[0]), x[1] * 0.5
    try:
        try:
            total = total + account.value * x[2]
            total = total + account.pay(x[1] + 5.0)
        except Low:
            account.value = account.value * 0.7
    except High:
        account.value = account.value * x[2]
    return total + account.value


def several_names(x):
    account, total, other = Account(x[0]), x[1] * 0.5, x[2]
    try:
        try:
            total = total + account.value * x[2]
            other = other * total
            total = total + account.pay(x[1] + 5.0)
            other = other * 3.0
        except Low:
            other = other * 0.7
    except High:
        total = total * other
    return total * other + account.value


def three_levels(x):
    account, total = Account(x[0]), x[1] * 0.5
    try:
        total = total * 1.5
        try:
            total = total + x[2]
            try:
                total = total * account.value
                total = total + account.pay(x[1] + 5.0)
            except Low:
                total = total * 0.1
        except Low:
            total = total * 0.2
    except High:
        total = total * x[0]
    return total + account.value * x[2]


def with_a_finally(x):
    account, total = Account(x[0]), x[1] * 0.5
    try:
        try:
            total = total + account.value * x[2]
            total = total + account.pay(x[1] + 5.0)
        finally:
            account.value = account.value * 0.5
            total = total * 1.5
    except High:
        total = total * x[2]
    return total + account.value


def raised_by_a_handler(x):
    account, total = Account(x[0]), x[1] * 0.5
    try:
        try:
            total = total + account.value * x[2]
            total = total + account.pay(x[1] + 5.0)
        except High:
            total = total * 1.2
            account.value = account.value * 0.7
            raise Low from None
    except Low:
        total = total * x[0]
    return total + account.value


def nothing_is_raised(x):
    account, total = Account(x[0] + 9.0), x[1] * 0.5
    try:
        try:
            total = total + account.value * x[2]
            total = total + account.pay(x[1])
        except Low:
            total = total * 0.1
    except High:
        total = total * 0.2
    return total + account.value


def in_a_loop(x):
    account, total = Account(x[0] * 4.0), x[1] * 0.5
    for k in range(3):
        try:
            total = total * 1.1
            try:
                total = total + account.value * x[2]
                total = total + account.pay(x[1] + 0.9 * k)
            except Low:
                total = total * 0.1
        except High:
            account.value = account.value + x[0] * total
    return total + account.value


def by_an_inner_loop(x):
    account, total = Account(x[0] * 4.0), x[1] * 0.5
    try:
        for k in range(4):
            try:
                total = total + account.value * x[2]
                total = total + account.pay(x[1] + 0.9 * k)
            except Low:
                total = total * 0.1
    except High:
        account.value = account.value + x[0] * total
    return total + account.value


def in_a_dict(x):
    account, d = Account(x[0]), {"t": x[1] * 0.5}
    try:
        try:
            d["t"] = d["t"] + account.value * x[2]
            d["t"] = d["t"] + account.pay(x[1] + 5.0)
        except Low:
            d["t"] = d["t"] * 0.1
    except High:
        d["t"] = d["t"] * x[2]
    return d["t"] + account.value


@pytest.mark.parametrize("f", programs_of(globals()), ids=lambda f: f.__name__)
def test_all_modes(f) -> None:
    weights = np.array([0.4, -0.7, 0.2])

    def differences(function, x):
        return np.array([(function(x + e) - function(x - e)) / 2e-6 for e in np.eye(3) * 1e-6])

    gradient = sg.grad(f)
    for x in (np.array([0.4, 0.3, 0.8]), np.array([1.4, 0.2, -0.6])):
        np.testing.assert_allclose(gradient(x), differences(f, x), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(sg.hvp(f)(x, weights), differences(lambda z: gradient(z) @ weights, x), rtol=1e-5, atol=1e-7)
        value, tangent = sg.jvp(f, (x,), (weights,))
        np.testing.assert_allclose([value, tangent], [f(x), gradient(x) @ weights], rtol=1e-11)
