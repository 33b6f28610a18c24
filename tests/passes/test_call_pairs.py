"""call_pairs: a call becomes a call of the forward half in one sweep, and of the reverse half in the other."""
import numpy as np
import pytest

import sourcegrad as sg
from tests.passes.becomes import Cases, emitted

X = np.array([0.5, -1.5])
CASES = Cases("dce")


def step(x, w):
    for _ in range(3):
        x = np.sin(x) * w
    return x


@sg.custom_vjp
def root(x):
    return np.sqrt(x)


root.defvjp(lambda x: (np.sqrt(x), x), lambda x, ct: (ct / (2.0 * np.sqrt(x)),))


@CASES.becomes("""
    w_start = w
    x_start = x
    step_x, step_saved = step_forward(x, w)
    # --- reverse sweep
    value_bar = 1.0
    step_x_bar = value_bar * x
    x_bar = value_bar * step_x
    x_part, w_part = step_reverse(step_saved, step_x_bar)
    x_bar = x_bar + x_part
    w_bar = w_part
    return as_gradient(x_bar, x_start), as_gradient(w_bar, w_start)
""", inputs=("x", "w"), x=2.0, w=0.5)
def both_halves(x, w):
    return step(x, w) * x


@CASES.becomes("""
    x_start = x
    step_saved_tape = []
    for _ in range(n):
        x, step_saved = step_forward(x, 0.5)
        step_saved_tape.append(step_saved)
    # --- reverse sweep
    x_bar = 1.0
    for _ in reversed(range(n)):
        step_saved = step_saved_tape.pop()
        x_bar = step_reverse(step_saved, x_bar)
    return as_gradient(x_bar, x_start)
""", x=2.0, n=3)
def what_each_call_saves_is_kept(x, n):
    for _ in range(n):
        x = step(x, 0.5)
    return x


@CASES.becomes("""
    x_start = x
    root_x, root_saved = root_forward(x)
    # --- reverse sweep
    value_bar = 1.0
    root_x_bar = value_bar * x
    x_bar = value_bar * root_x
    x_part = adjoint(root_saved, root_x_bar)[0]
    x_bar = x_bar + x_part
    return as_gradient(x_bar, x_start)
""", x=2.0)
def a_pair_that_is_written_by_hand(x):
    return root(x) * x


@CASES.becomes("""
    x_start = x
    value_x = step_2(x, 0.5)
    # --- reverse sweep
    value_bar = 1.0
    value_x_bar = value_bar * x
    x_bar = value_bar * value_x
    step_saved = step_forward(x, 0.5)[1]
    x_bar = x_bar + step_reverse(step_saved, value_x_bar)
    return as_gradient(x_bar, x_start)
""", x=2.0)
def computed_again_in_the_reverse_sweep(x):
    return sg.checkpoint(step)(x, 0.5) * x


@CASES.becomes("""
    x_start = x
    count = step(n, 1.0)
    # --- reverse sweep
    value_bar = 1.0
    x_bar = value_bar * count
    return as_gradient(x_bar, x_start)
""", x=2.0, n=3)
def no_derivative_goes_through_it(x, n):
    count = step(n, 1.0)
    return x * count


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_they_are_right(case) -> None:
    sg.check_grad(case.function, *case.at.values(), inputs=case.inputs)


def chosen(f, x):
    return f(x) * x


def test_a_callee_that_shows_when_the_code_runs() -> None:
    assert np.isclose(sg.grad(chosen, "x")(np.sin, 0.7), np.sin(0.7) + 0.7 * np.cos(0.7))


@sg.custom_vjp
def doubled(x):
    x *= 2.0
    return x


doubled.defvjp(lambda x: (2.0 * x, None), lambda saved, ct: (2.0 * ct,))


def test_a_function_with_its_own_adjoint_must_not_change_what_it_is_given() -> None:
    with pytest.raises(sg.UnsupportedError, match="chang"):
        sg.grad(lambda x: np.sum(doubled(x)))(X)


def test_one_pair_for_all_calls() -> None:
    text = emitted(lambda x: step(x, 0.5) + step(2.0 * x, 0.5), 0.7)
    assert text.count("def step_forward") == text.count("def step_reverse") == 1


class Model:
    def __init__(self, weights):
        self.weights = weights

    def score(self, x):
        total = 0.0
        for k in range(len(x)):
            total = total + np.log(x[k] / self.weights[k]) * self.weights[k]
        return total

    def fit(self, x):
        for _ in range(2):
            best = self.score(x)
            self.weights = self.weights + 0.1 * np.minimum(best, 3.0) * x
        self.best = best
        return self


def fitted(weights, x):
    model = Model(weights).fit(x)
    return model.score(x) + model.best


def test_one_pair_for_an_object_that_gets_more_attributes() -> None:
    weights, x = np.array([1.5, 0.5]), np.array([0.5, 2.0])
    text = emitted(fitted, weights, x)
    assert text.count("def score_forward") == text.count("def score_reverse") == 1 and "score_2" not in text
    sg.check_grad(fitted, weights, x)
    sg.check_grad(lambda *at: sum(map(np.sum, sg.grad(fitted, ["weights", "x"])(*at))), weights, x)


def told_apart(weights, x):
    model = Model(weights)
    first = scored(model, x)
    model.best = x[0] * weights[1]
    return first * scored(model, x)


def scored(model, x):
    if hasattr(model, "best"):
        return np.sum(np.sin(model.weights * x)) * model.best
    return np.sum(np.cos(model.weights * x))


def test_attributes_that_are_asked_for_tell_pairs_apart() -> None:
    sg.check_grad(told_apart, np.array([1.5, 0.5]), np.array([0.5, 2.0]))


test_call_pairs = CASES.check()
