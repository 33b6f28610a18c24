"""sweeps: what both sweeps are written with; contributions in the shape of what they belong to."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import kinds as k
from sourcegrad.ad.sweeps import fit, real_part, reduction
from sourcegrad.ir import tree as t
from tests.passes.becomes import Cases
from tests.passes.facts import types_of, written

CASES = Cases("reverse")


def num(*dims, dtype: str = "float64") -> k.Num:
    return k.Num(dtype, dims, bool(dims))


@pytest.mark.parametrize("argument, result, expected", [
    (num("n"), num("n"), ((), False)),
    (num(), num("m", "n"), ("all", False)),
    (num("n"), num("m", "n"), ((0,), False)),
    (num("m", 1), num("m", 2), ((1,), True)),
    (num(1, 3), num(2, 3), ((0,), True)),
    (num(1), num("m"), ((0,), True)),                       # right if m is 1, too
    (num(None), num("n"), None),
    (num("m", "n"), num("n"), None),
    (num(1, 3), num(4, 2, 3), None),                        # new axes, and one that is kept
    (k.ANY, num("n"), None),
])
def test_axes_that_were_broadcast(argument, result, expected) -> None:
    assert reduction(argument, result) == expected


UNIT = types_of(lambda x: x, x=1.0).unit


@pytest.mark.parametrize("argument, result, text", [
    (num("n"), num("n"), "ct"), (num(), num("n"), "np.sum(ct)"), (num("n"), num("m", "n"), "np.sum(ct, axis=0)"),
    (num("m", 1), num("m", 2), "np.sum(ct, axis=1, keepdims=True)"), (num(None), num("n"), "unbroadcast(ct, x)"),
    (k.ANY, num("n"), "operand_part(ct, x)"), (num("n"), num("n", dtype="complex128"), "np.real(ct)"),
])
def test_a_contribution_has_the_shape_of_its_operand(argument, result, text) -> None:
    assert written(fit(t.load("ct"), t.load("x"), argument, result, True, UNIT)) == text


def test_real_parts() -> None:
    plain, complex_ = num("n"), num("n", dtype="complex128")
    assert written(real_part(t.load("ct"), complex_, plain, UNIT)) == "np.real(ct)"
    assert written(real_part(t.load("ct"), plain, plain, UNIT)) == "ct"
    assert written(real_part(t.load("ct"), complex_, complex_, UNIT)) == "ct"
    pair = real_part(t.load("ct"), k.Tup((complex_, plain)), k.Tup((plain, plain)), UNIT)
    assert written(pair) == "real_parts(ct, (0,))"


@CASES.becomes("""
    x_start = x
    x_tape = []
    for _ in range(n):
        x_tape.append(x)
        x = x * x
    value = x
    # --- reverse sweep
    x_bar = 1.0
    for _ in reversed(range(n)):
        x = x_tape.pop()
        x_bar = 2.0 * x_bar * x
    return as_gradient(x_bar, x_start)
""", x=2.0, n=3)
def a_tape_for_what_a_loop_overwrites(x, n):
    for _ in range(n):
        x = x * x
    return x


@CASES.becomes("""
    x_start = x
    x_2 = x * x
    x_3 = x_2 * x_2
    value = x_3
    # --- reverse sweep
    x_3_bar = 1.0
    x_2_bar = 2.0 * x_3_bar * x_2
    x_bar = 2.0 * x_2_bar * x
    return as_gradient(x_bar, x_start)
""", x=2.0)
def one_name_for_what_is_overwritten_once(x):
    x = x * x
    x = x * x
    return x


@CASES.becomes("""
    x_start = x
    y = x * x
    y_old = y[0]
    y = index_set(y, np.s_[0], 3.0)
    product = y * y
    value = np.sum(product)
    value_2 = value
    # --- reverse sweep
    value_bar = 1.0
    product_bar = broadcast_like(value_bar, product)
    y_bar = 2.0 * product_bar * y
    y = index_set(y, np.s_[0], y_old)
    y_bar = index_set(y_bar, np.s_[0], 0.0)
    x_bar = 2.0 * y_bar * x
    return as_gradient(x_bar, x_start)
""", x=np.array([0.5, -1.5]))
def only_the_part_that_a_store_changes(x):
    y = x * x
    y[0] = 3.0
    return np.sum(y * y)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_they_are_right(n) -> None:
    sg.check_grad(a_tape_for_what_a_loop_overwrites, 1.1, n)


test_sweeps = CASES.check()
