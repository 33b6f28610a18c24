"""adjoint: one assignment becomes contributions to the adjoints of what its right-hand side reads."""
import numpy as np
import pytest

import sourcegrad as sg
from tests.passes.becomes import Cases

X = np.array([0.5, -1.5])
M = np.array([[0.5, -1.5], [2.0, 1.0]])
CASES = Cases("dce")


class Model:
    def __init__(self, w, b):
        self.w, self.b = w, b


@CASES.becomes("""
    y_start = y
    x_start = x
    # --- reverse sweep
    value_bar = 1.0
    x_bar = value_bar * y
    y_bar = value_bar * x
    return as_gradient(x_bar, x_start), as_gradient(y_bar, y_start)
""", inputs=("x", "y"), x=2.0, y=3.0)
def both_operands(x, y):
    return x * y


@CASES.becomes("""
    x_start = x
    # --- reverse sweep
    value_bar = 1.0
    x_bar = 2.0 * value_bar * x
    return as_gradient(x_bar, x_start)
""", x=2.0)
def an_operand_twice(x):
    return x * x


@CASES.becomes("""
    b_start = b
    product = x * b
    sin = np.sin(product)
    # --- reverse sweep
    value_bar = 1.0
    sin_bar = broadcast_like(value_bar, sin)
    product_bar = sin_bar * np.cos(product)
    b_bar = np.sum(product_bar * x, axis=0)
    return as_gradient(b_bar, b_start)
""", inputs="b", x=M, b=X)
def what_was_broadcast_is_summed(x, b):
    return np.sum(np.sin(x * b))


@CASES.becomes("""
    x_start = x
    y = x[0]
    z = x[1:]
    sum_z = np.sum(z)
    # --- reverse sweep
    value_bar = 1.0
    y_bar = value_bar * sum_z
    sum_z_bar = value_bar * y
    z_bar = broadcast_like(sum_z_bar, z)
    x_bar = index_add(np.zeros(x.shape), np.s_[1:], z_bar)
    x_bar = index_add(x_bar, 0, y_bar)
    return as_gradient(x_bar, x_start)
""", x=X)
def an_item_and_a_part(x):
    y = x[0]
    z = x[1:]
    return y * np.sum(z)


@CASES.becomes("""
    x_start = x
    pair = x, 3.0
    a, b = pair
    # --- reverse sweep
    value_bar = 1.0
    a_bar = value_bar * b
    b_bar = value_bar * a
    pair_bar = a_bar, b_bar
    x_bar = pair_bar[0]
    return as_gradient(x_bar, x_start)
""", x=2.0)
def displays_are_taken_apart(x):
    pair = x, 3.0
    a, b = pair
    return a * b


@CASES.becomes("""
    model_start = model
    model_w = model.w
    model_b = model.b
    # --- reverse sweep
    value_bar = 1.0
    model_w_bar = value_bar * model_b
    model_b_bar = value_bar * model_w
    model_bar = {'b': model_b_bar}
    model_bar = entry_add(model_bar, 'w', model_w_bar)
    return as_gradient(model_bar, model_start)
""", model=Model(3.0, 2.0))
def attributes_of_an_object(model):
    return model.w * model.b


@CASES.becomes("""
    x_start = x
    size = n * 2
    positive = x > 0.0
    # --- reverse sweep
    value_bar = 1.0
    product_bar = value_bar * positive
    x_bar = product_bar * size
    return as_gradient(x_bar, x_start)
""", x=2.0, n=3)
def whole_numbers_and_tests_have_none(x, n):
    size = n * 2
    positive = x > 0.0
    return x * size * positive


@CASES.becomes("""
    x_start = x
    product = x * w
    abs_2 = np.abs(product)
    # --- reverse sweep
    value_bar = 1.0
    abs_2_bar = broadcast_like(value_bar, abs_2)
    product_bar = abs_2_bar * product / (abs_2 + (abs_2 == 0))
    x_bar = np.real(product_bar * np.conj(w))
    return as_gradient(x_bar, x_start)
""", x=X, w=X * 1j)
def a_real_input_has_a_real_adjoint(x, w):
    return np.sum(np.abs(x * w))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_they_are_right(case) -> None:
    sg.check_grad(case.function, *case.at.values(), inputs=case.inputs)


def without_rule(x):
    return np.sum(np.union1d(x, x))


def test_a_function_without_a_rule_is_told_with_its_place() -> None:
    with pytest.raises(sg.MissingRuleError, match="union1d has no derivative rule"):
        sg.grad(without_rule)(X)


test_adjoint = CASES.check()
