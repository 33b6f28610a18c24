"""coalesce: what a change in place leaves under two names has one."""
import sourcegrad as sg
from tests.passes.becomes import Within

CASES = Within("coalesce")


class Model:
    def __init__(self, w):
        self.w = w
        self.steps = 0


@CASES.becomes("""
    model = Model(x)
    model_2 = index_set(model, at.w, model.w * x)
    model_2.steps = model_2.steps + 1
    return model_2.w * model_2.steps
""", x=2.0)
def versions_of_an_object(x):
    model = Model(x)
    model.w = model.w * x
    model.steps = model.steps + 1
    return model.w * model.steps


@CASES.stays(x=2.0)
def the_old_one_is_needed(x):
    values = [x, x * x]
    old = list(values)
    values[0] = 3.0 * x
    return values[0] * old[0]


def test_they_are_right() -> None:
    sg.check_grad(versions_of_an_object, 1.3)
    sg.check_grad(the_old_one_is_needed, 1.3)


test_coalesce = CASES.check()
