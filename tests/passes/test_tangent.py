"""tangent: one assignment becomes the tangent of what it assigns, from the tangents of what its right-hand side reads."""
import numpy as np
import pytest

import sourcegrad as sg
from tests.passes.becomes import Forward

X = np.array([0.5, -1.5])
M = np.array([[0.5, -1.5], [2.0, 1.0]])
CASES = Forward("forward")


class Model:
    def __init__(self, w, b):
        self.w, self.b = w, b


@CASES.becomes("""
    value = x * y
    value_dot = x_dot * y + x * y_dot
    return value, value_dot
""", inputs=("x", "y"), x=2.0, y=3.0)
def both_operands(x, y):
    return x * y


@CASES.becomes("""
    value = x * x
    value_dot = 2.0 * x_dot * x
    return value, value_dot
""", x=2.0)
def an_operand_twice(x):
    return x * x


@CASES.becomes("""
    ratio = x / y
    ratio_dot = (x_dot - ratio * y_dot) / y
    value = ratio - y
    value_dot = ratio_dot - y_dot
    return value, value_dot
""", inputs=("x", "y"), x=2.0, y=3.0)
def minus_stays_minus(x, y):
    return x / y - y


@CASES.becomes("""
    value = np.exp(x)
    value_dot = x_dot * value
    return value, value_dot
""", x=X)
def the_value_is_read_where_it_helps(x):
    return np.exp(x)


@CASES.becomes("""
    h_dot = x_dot * 1.0
    h = x * 1.0
    for _ in range(2):
        h = np.tanh(h)
        h_dot = h_dot * (1.0 - h * h)
    return h, h_dot
""", x=X)
def a_value_that_is_read_and_overwritten(x):
    h = x * 1.0
    for _ in range(2):
        h = np.tanh(h)
    return h


@CASES.becomes("""
    value = x + b
    value_dot = broadcast_like(b_dot, value)
    return value, value_dot
""", inputs="b", x=M, b=X)
def what_is_broadcast(x, b):
    return x + b


@CASES.becomes("""
    x_i = x[::-1]
    x_i_dot = x_dot[::-1]
    value = np.cumsum(x_i)
    value_dot = np.cumsum(x_i_dot)
    return value, value_dot
""", x=X)
def what_is_linear_is_applied_to_the_tangent(x):
    return np.cumsum(x[::-1])


@CASES.becomes("""
    value = x @ b
    value_dot = x_dot @ b + x @ b_dot
    return value, value_dot
""", inputs=("x", "b"), x=M, b=X)
def what_is_linear_in_each(x, b):
    return x @ b


@CASES.becomes("""
    value = np.sort(x)
    value_dot = x_dot[np.argsort(x, kind='stable')]
    return value, value_dot
""", x=X)
def what_has_a_rule_for_tangents(x):
    return np.sort(x)


@CASES.becomes("""
    value = np.cumprod(x)
    saved = cumprod_rule_forward(zeros_like(value), value, x)[1]
    value_dot = cumprod_rule_reverse(saved, x_dot)
    return value, value_dot
""", x=X)
def what_has_none_is_transposed_twice(x):
    return np.cumprod(x)


@CASES.becomes("""
    model_w = model.w
    model_w_dot = model_dot.w
    model_b = model.b
    model_b_dot = model_dot.b
    value = model_w * model_b
    value_dot = model_w_dot * model_b + model_w * model_b_dot
    return value, value_dot
""", inputs="model", model=Model(3.0, 2.0))
def attributes_of_an_object(model):
    return model.w * model.b


@CASES.becomes("""
    size = n * 2
    positive = x > 0.0
    product = x * size
    product_dot = x_dot * size
    value = product * positive
    value_dot = product_dot * positive
    return value, value_dot
""", x=2.0, n=3)
def whole_numbers_and_tests_have_none(x, n):
    size = n * 2
    positive = x > 0.0
    return x * size * positive


@CASES.becomes("""
    product = x * w
    product_dot = x_dot * w
    abs_2 = np.abs(product)
    abs_2_dot = np.real(np.conj(product) * product_dot) / (abs_2 + (abs_2 == 0))
    value = np.sum(abs_2)
    value_dot = np.sum(abs_2_dot)
    return value, value_dot
""", x=X, w=X * 1j)
def no_conjugates(x, w):
    return np.sum(np.abs(x * w))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_they_are_the_transposes_of_reverse_mode(case) -> None:
    """<ct, J v> = <J^T ct, v>"""
    if case.at.keys() == {"model"}:
        value, tangent = sg.jvp(case.function, case.at["model"], {"w": 0.3, "b": -1.0})
        assert np.isclose(tangent, 0.3 * 2.0 - 1.0 * 3.0)
        return
    inputs = case.inputs if isinstance(case.inputs, tuple) else (case.inputs or "x",)
    dots = tuple(0.3 + 0.5 * np.asarray(x) if name in inputs else None for name, x in case.at.items())
    value, tangent = sg.jvp(case.function, tuple(case.at.values()), dots)
    ct = np.cos(np.arange(np.size(value))).reshape(np.shape(value))
    bars = sg.grad(case.function, inputs, grad_outputs=ct if np.ndim(value) else float(ct))(*case.at.values())
    assert np.isclose(np.sum(ct * tangent), sum(np.sum(bar * dot) for bar, dot in zip(bars, filter(np.any, dots))))


def without_rule(x):
    return np.sum(np.union1d(x, x))


def test_a_function_without_a_rule_is_told_with_its_place() -> None:
    with pytest.raises(sg.MissingRuleError, match="union1d has no derivative rule"):
        sg.pushforward(without_rule)(X, x_dot=X)


test_tangent = CASES.check()
