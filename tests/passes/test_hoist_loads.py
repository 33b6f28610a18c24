"""hoist_loads: attributes of objects that stay as they are have one name, at the start: one adjoint each."""
import numpy as np

from tests.passes.becomes import Within

X = np.array([0.5, -1.5])
CASES = Within("hoist_loads")


class Model:
    def __init__(self, w, b, steps):
        self.w, self.b, self.steps = w, b, steps

    @property
    def double(self):
        return 2.0 * self.w


@CASES.becomes("""
    model_w = model.w
    model_b = model.b
    product = model_w * x
    y = product + model_b
    product_2 = model_w * y
    value = np.sum(product_2)
    return value
""", inputs="model", model=Model(X, 0.5, 2), x=X)
def read_twice(model, x):
    y = model.w * x + model.b
    return np.sum(model.w * y)


@CASES.becomes("""
    model_w = model.w
    model_steps = model.steps
    range_2 = range(model_steps)
    for _ in range_2:
        x = x * model_w
    value = np.sum(x)
    return value
""", inputs="model", model=Model(X, 0.5, 2), x=X)
def read_in_a_loop(model, x):
    for _ in range(model.steps):
        x = x * model.w
    return np.sum(x)


@CASES.stays(inputs="model", model=Model(X, 0.5, 2), x=X)
def it_is_stored_into(model, x):
    model.w = model.w * x
    return np.sum(model.w)


@CASES.stays(x=2.0, model=Model(X, 0.5, 2))
def whole_numbers_have_no_adjoint(x, model):
    return x * model.steps + model.steps


test_hoist_loads = CASES.check()
