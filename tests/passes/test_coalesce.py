"""coalesce: what a change in place leaves under two names has one."""
import sourcegrad as sg
from tests.passes.becomes import Within

CASES = Within("coalesce")


class Model:
    def __init__(self, w):
        self.w = w
        self.steps = 0


@CASES.becomes("""
    self = new_object(Model)
    self.w = x
    self.steps = 0
    model_w = self.w
    self.w = model_w * x
    self.steps = self.steps + 1
    # --- reverse sweep
    model_3_bar = {'w': 1.0 * self.steps}
    product_bar = model_3_bar['w']
    model_3_bar = drop_entry(model_3_bar, 'w')
    model_bar = model_3_bar
    model_bar = add_entry(model_bar, 'w', product_bar * x)
    return product_bar * model_w + entry_of(model_bar, 'w', 0.0)
""", x=2.0)
def versions_of_an_object(x):
    model = Model(x)
    model.w = model.w * x
    model.steps = model.steps + 1
    return model.w * model.steps if isinstance(model, Model) else 0.0


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
