"""Derivatives that users supply: functions with rules that return views, rules and adjoints that change what they are given.

Each program is right against differences of the function itself, or refused with a place; what the caller holds never changes.
"""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.golden.test_standalone import printed
from tests.kinds.outcomes import outcome

X, W = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])


# --- custom_vjp ---------------------------------------------------------------------------------------

def double(a: Any) -> None:
    a[...] = a * 2.0


def custom(primal: Any, forward: Any, reverse: Any) -> Any:
    made = sg.custom_vjp(primal)
    made.defvjp(forward, reverse)
    return made


def twice(x):
    return x * 2.0


def twice_forward(x):
    return x * 2.0, None


def scale_ct(saved, ct):
    ct *= 2.0
    return (ct,)


def scale_ct_out(saved, ct):
    np.multiply(ct, 2.0, out=ct)
    return (ct,)


def scale_ct_store(saved, ct):
    ct[:] = 2.0 * ct
    return (ct,)


def scale_ct_parts(saved, ct):
    for i in range(len(ct)):
        ct[i] *= 2.0
    return (ct,)


def scale_ct_helper(saved, ct):
    double(ct)
    return (ct,)


def scale_ct_view(saved, ct):
    part = ct[1:]
    part *= 2.0
    ct[0] *= 2.0
    return (ct,)


def scale_ct_copyto(saved, ct):
    np.copyto(ct, 2.0 * ct)
    return (ct,)


def scale_ct_new(saved, ct):
    ct = ct * 1.0
    ct *= 2.0
    return (ct,)


def square(x):
    return x * x


def square_forward(x):
    return x * x, x


def square_forward_list(x):
    return x * x, [x]


def square_forward_pair(x):
    return x * x, (x, 2.0)


def scale_saved(saved, ct):
    saved *= 2.0
    saved *= ct
    return (saved,)


def scale_saved_item(saved, ct):
    saved[0] *= 2.0
    return (saved[0] * ct,)


def scale_saved_out(saved, ct):
    x, _ = saved
    np.multiply(x, 2.0, out=x)
    return (x * ct,)


def pop_saved(saved, ct):
    return (2.0 * saved.pop() * ct,)


def forward_changes(x):
    value = x * x
    x *= 2.0
    return value, x


def forward_changes_helper(x):
    value = x * x
    double(x)
    return value, x


def times_saved(saved, ct):
    return (ct * saved,)


def same_forward(x):
    return x, None


def same_reverse(saved, ct):
    return (ct,)


def same(x):
    return x


def first_forward(x):
    return x[1:], x.shape


def first_reverse(shape, ct):
    whole = np.zeros(shape)
    whole[1:] = ct
    return (whole,)


def first(x):
    return x[1:]


def pair(x, y):
    return x + y


def pair_forward(x, y):
    return x + y, None


def pair_reverse(saved, ct):
    return ct, ct


TWICE = {reverse.__name__: custom(twice, twice_forward, reverse) for reverse in (
    scale_ct, scale_ct_out, scale_ct_store, scale_ct_parts, scale_ct_helper, scale_ct_view, scale_ct_copyto, scale_ct_new)}
SQUARES = {f"{forward.__name__} {reverse.__name__}": custom(square, forward, reverse) for forward, reverse in (
    (square_forward, scale_saved), (square_forward_list, scale_saved_item), (square_forward_pair, scale_saved_out),
    (square_forward_list, pop_saved), (forward_changes, times_saved), (forward_changes_helper, times_saved))}
VIEWS = {"same": custom(same, same_forward, same_reverse), "first": custom(first, first_forward, first_reverse)}
PAIR = custom(pair, pair_forward, pair_reverse)


def weighted(f):
    return lambda x, w: np.sum(f(x) * w) + np.sum(x * w)


def in_a_loop(f):
    def run(x, w):
        total = 0.0
        for _ in range(2):
            x = f(x) * w
            total = total + np.sum(x)
        return total
    return run


def summed(f):
    return lambda x, w: np.sum(f(x))


def in_a_callee(f):
    def part(x):
        return f(x) + x

    return lambda x, w: np.sum(part(x) * w) + np.sum(part(w * x))


def given_a_part(f):
    return lambda x, w: np.sum(f(x[1:])) + np.sum(f(x[:2]) * w[:2])


def used_after(f):
    def run(x, w):
        y = x * w
        z = f(y)
        return np.sum(z * y)
    return run


AROUND = [weighted, in_a_loop, summed, in_a_callee, given_a_part, used_after]


def stored(f):
    def run(x, w):
        y = x * w
        v = f(y)
        v[0] = 5.0
        return np.sum(y * y) + np.sum(v)
    return run


def scaled_in_place(f):
    def run(x, w):
        y = x * w
        v = f(y)
        v *= 3.0
        return np.sum(y * y)
    return run


def base_stored(f):
    def run(x, w):
        y = x * w
        v = f(y)
        y[1] = 7.0
        return np.sum(v * v)
    return run


def of_the_argument(f):
    def run(x, w):
        v = f(x)
        v[0] = 5.0
        return np.sum(x * x)
    return run


def in_a_list(f):
    def run(x, w):
        y = x * w
        held = [f(y)]
        held[0][0] = 5.0
        return np.sum(y * y)
    return run


def copied(f):
    def run(x, w):
        y = x * w
        v = f(y).copy()
        v[0] = 5.0
        return np.sum(y * y) + np.sum(v * v)
    return run


STORING = [stored, scaled_in_place, base_stored, of_the_argument, in_a_list, copied]


def tried(f: Any, around: Any) -> str:
    """What comes of it, for arrays of a caller that cannot be changed, too."""
    sealed = X.copy(), W.copy()
    for array in sealed:
        array.flags.writeable = False
    found = outcome(around(f), X.copy(), W.copy())
    try:
        sg.grad(around(f))(*sealed)
    except SourcegradError:
        assert found == "refused"
    return found


def every_other(names: Any, arounds: list) -> list:
    return [(name, around) for i, name in enumerate(names) for j, around in enumerate(arounds) if (i + j) % 2 == 0]


@pytest.mark.parametrize(("name", "around"), every_other(TWICE, AROUND))
def test_reverse_changes_its_cotangent(name: str, around: Any) -> None:
    assert tried(TWICE[name], around) == "right"


@pytest.mark.parametrize(("name", "around"), every_other(SQUARES, [weighted, in_a_loop, used_after]))
def test_what_was_saved_or_given_changes(name: str, around: Any) -> None:
    tried(SQUARES[name], around)


@pytest.mark.parametrize(("name", "around"), every_other(VIEWS, STORING))
def test_the_value_is_a_view(name: str, around: Any) -> None:
    tried(VIEWS[name], around)


def test_weights_of_the_caller_stay() -> None:
    for f in TWICE.values():
        weights = W.copy()
        assert np.array_equal(sg.grad(f)(X, grad_outputs=weights), 2.0 * W) and np.array_equal(weights, W)
        _, back = sg.vjp(f, X)
        for _ in range(2):
            assert np.array_equal(back(weights)[0], 2.0 * W) and np.array_equal(weights, W)


def test_one_cotangent_for_two() -> None:
    def f(x, y):
        z = PAIR(x, y)
        return np.sum(z * z) + np.sum(x * x) + np.sum(y)

    x_bar, y_bar = sg.grad(f, inputs=("x", "y"))(X, W)
    assert np.allclose(x_bar, 2.0 * (X + W) + 2.0 * X) and np.allclose(y_bar, 2.0 * (X + W) + 1.0)


def test_second_derivatives() -> None:
    def slope(x):
        return np.sum(gradient(x, W) * W)

    for f in (TWICE["scale_ct"], TWICE["scale_ct_helper"]):
        def value(x, w, f=f):
            return np.sum(f(x) ** 2 * w)

        gradient = sg.grad(value)
        assert np.allclose(sg.grad(slope)(X), 8.0 * W * W)


# --- rules --------------------------------------------------------------------------------------------

def with_rule(function: Any, rule: Any, **options: Any) -> Any:
    sg.rule(function, **options)(rule)
    return function


def tail(x):
    return x[1:]


def tail_rule(ct, out, x):
    return np.concatenate([np.zeros(1), ct])


def flipped(x):
    return x[::-1]


def flipped_rule(ct, out, x):
    return ct[::-1]


def flat(x):
    return x.reshape(-1)


def flat_rule(ct, out, x):
    return ct


def itself(x):
    return x


def itself_rule(ct, out, x):
    return ct


def maybe(x):
    return x if x[0] > 100.0 else x[:]


def maybe_rule(ct, out, x):
    return ct * 1.0


HIDDEN: dict[str, Any] = {}
exec("def hidden(x):\n    return x[1:]", HIDDEN)          # a function without source
VIEWING = {"tail": with_rule(tail, tail_rule), "flipped": with_rule(flipped, flipped_rule), "flat": with_rule(flat, flat_rule),
           "itself": with_rule(itself, itself_rule, elementwise=True), "maybe": with_rule(maybe, maybe_rule),
           "hidden": with_rule(HIDDEN["hidden"], lambda ct, out, x: np.concatenate([np.zeros(1), ct]))}


@pytest.mark.parametrize(("name", "around"), every_other(VIEWING, STORING))
def test_a_function_with_a_rule_returns_a_view(name: str, around: Any) -> None:
    tried(VIEWING[name], around)


def tripled(x):
    return x * 3.0


def tripled_numbers(x):
    return x * 3.0


def rule_of_op(ct, out, x):
    ct *= 3.0
    return ct


def rule_of_out(ct, out, x):
    np.multiply(ct, 3.0, out=ct)
    return ct


def rule_of_helper(ct, out, x):
    double(ct)
    return 1.5 * ct


def rule_of_loop(ct, out, x):
    result = np.zeros_like(x)
    for i in range(len(x)):
        result[i] = 3.0 * ct[i]
    return result


def rule_of_store(ct, out, x):
    result = np.zeros_like(x)
    result[:] = 3.0 * ct
    return result


def rule_of_argument(ct, out, x):
    x *= 0.0
    x += 3.0
    return ct * x


def rule_of_result(ct, out, x):
    out[...] = 3.0
    return ct * out


def rule_of_local(ct, out, x):
    result = 3.0 * ct
    result *= 1.0
    return result


def rule_of_new_name(ct, out, x):
    ct = 3.0 * ct
    return ct


def rule_of_branches(ct, out, x):
    factor = 1.0
    if x[0] > -100.0:
        factor = factor * 3.0
    return factor * ct


CHANGING = {}
for _rule in (rule_of_op, rule_of_out, rule_of_helper, rule_of_loop, rule_of_store, rule_of_argument, rule_of_result,
              rule_of_local, rule_of_new_name, rule_of_branches):
    _names: dict[str, Any] = {"tripled": tripled}
    exec(f"def {_rule.__name__}_of(x):\n    return tripled(x)", _names)
    CHANGING[_rule.__name__] = with_rule(_names[f"{_rule.__name__}_of"], _rule, elementwise=True)


@pytest.mark.parametrize(("name", "around"), every_other(CHANGING, [weighted, in_a_loop, in_a_callee, used_after]))
def test_a_rule_changes_what_it_is_given(name: str, around: Any) -> None:
    assert tried(CHANGING[name], around) == "right"


def grown(x):
    x *= 2.0
    return x


def reset(x):
    x[0] = 0.0
    return x * 1.0


IN_PLACE = {"grown": with_rule(grown, lambda ct, out, x: 2.0 * ct, elementwise=True),
            "reset": with_rule(reset, lambda ct, out, x: ct * np.array([0.0, 1.0, 1.0]), elementwise=True)}


@pytest.mark.parametrize(("name", "around"), every_other(IN_PLACE, [weighted, used_after, of_the_argument]))
def test_a_function_with_a_rule_changes_its_argument(name: str, around: Any) -> None:
    assert tried(IN_PLACE[name], around) == "refused"


def test_second_derivative_of_a_rule_that_is_called() -> None:
    def value(x):
        return np.sum(CHANGING["rule_of_loop"](x) ** 2)

    def slope(x):
        return np.sum(gradient(x) * W)

    gradient = sg.grad(value)
    assert np.allclose(gradient(X), 18.0 * X) and np.allclose(sg.grad(slope)(X), 18.0 * W)


def test_the_text_of_a_plain_rule_stays_in_place() -> None:
    text = sg.source(lambda x: np.sum(tail(x)), at={"x": X})
    assert "np.concatenate" in text and "tail_rule" not in text


def shifted(x, by=1.0, *, times=1):
    return x * times + by


@sg.rule(shifted, elementwise=True)
def shifted_rule(ct, out, x, by=1.0, *, times=1):
    ct *= times
    return ct, ct / times


def test_options_of_a_rule_that_is_called() -> None:
    def f(x, w):
        return np.sum(shifted(x, times=2) * w) + np.sum(shifted(x, w, times=3)) + np.sum(shifted(x))

    assert outcome(f, X.copy(), W.copy()) == "right"


def chosen(x):
    return x * x


@sg.rule(chosen, elementwise=True)
def chosen_rule(ct, out, x):
    ct *= 2.0
    if x[0] > 0.0:
        return ct * x, None
    return ct * x


def test_a_rule_that_cannot_be_called() -> None:
    with pytest.raises(SourcegradError, match="does not return the same number of adjoints"):
        sg.grad(lambda x: np.sum(chosen(x)))(X)


# --- buffers that the user's functions fill again at each call -----------------------------------------

BUFFER, BUFFERS, HELD = np.zeros(3), [np.zeros(3), np.zeros(3)], {"square": np.zeros((2, 3))}


class Workspace:
    def __init__(self):
        self.square, self.slope = np.zeros(3), np.zeros(3)

    def forward(self, x):
        np.multiply(x, x, out=self.square)
        return self.square, x

    def reverse(self, x, ct):
        self.slope[...] = 2.0 * x * ct
        return (self.slope,)


WORKSPACE = Workspace()


def square(x):
    return x * x


def square_forward(x):
    return x * x, x


def square_reverse(x, ct):
    return (2.0 * x * ct,)


def into_a_global(x):
    np.multiply(x, x, out=BUFFER)
    return BUFFER, x


def by_a_store(x):
    BUFFER[:] = x * x
    return BUFFER[:], x


def element_by_element(x):
    for i in range(3):
        BUFFER[i] = x[i] * x[i]
    return BUFFER, x


def of_a_list(x):
    BUFFERS[0][:] = x * x
    BUFFERS[1][:] = x
    return BUFFERS[0], BUFFERS[1]


def of_a_dict(x):
    row = HELD["square"][1]
    row[...] = x
    return x * x, row


def nested(x):
    BUFFER[:] = x
    return x * x, {"x": [BUFFER, (BUFFER,)]}


def nested_reverse(saved, ct):
    return (2.0 * saved["x"][1][0] * ct,)


def in_a_try(x):
    try:
        BUFFER[:] = x
    finally:
        pass
    return x * x, BUFFER


def in_a_closure():
    buffer = np.zeros(3)

    def forward(x):
        np.copyto(buffer, x)
        return x * x, buffer
    return forward


def reverse_into_a_global(x, ct):
    np.multiply(2.0 * x, ct, out=BUFFER)
    return (BUFFER,)


def reverse_that_changes_all(x, ct):
    ct *= 2.0
    ct *= x
    BUFFER[:] = ct
    x[:] = 0.0
    return (BUFFER,)


def rule_into_a_global(ct, out, x):
    np.multiply(2.0 * x, ct, out=BUFFER)
    return BUFFER


def rule_by_a_store(ct, out, x):
    ct *= 2.0
    BUFFER[:] = ct * x
    return BUFFER


REFILLED = {
    **{f.__name__: custom(square, f, square_reverse) for f in (into_a_global, by_a_store, element_by_element, of_a_list, of_a_dict,
                                                               in_a_try)},
    "nested": custom(square, nested, nested_reverse),
    "in_a_closure": custom(square, in_a_closure(), square_reverse),
    "method": custom(square, WORKSPACE.forward, square_reverse),
    "reverse_method": custom(square, square_forward, WORKSPACE.reverse),
    "both_methods": custom(square, WORKSPACE.forward, WORKSPACE.reverse),
    **{f.__name__: custom(square, square_forward, f) for f in (reverse_into_a_global, reverse_that_changes_all)},
    "one_buffer_for_both": custom(square, by_a_store, reverse_into_a_global),
    **{f.__name__: with_rule(lambda x: x * x, f, elementwise=True) for f in (rule_into_a_global, rule_by_a_store)},
}


def twice_in_one_term(f):
    return lambda x, w: np.sum(f(x * w) * f(x + w))


@pytest.mark.parametrize("around", [twice_in_one_term, in_a_loop, used_after], ids=lambda a: a.__name__)
@pytest.mark.parametrize("name", REFILLED)
def test_a_buffer_is_filled_again(name: str, around: Any) -> None:
    assert tried(REFILLED[name], around) == "right"


def test_the_text_calls_methods_of_the_object(tmp_path: Path) -> None:
    text = sg.source(lambda x: np.sum(REFILLED["both_methods"](x)), at={"x": X})
    assert "import WORKSPACE" in text and "= WORKSPACE.forward\n" in text
    module = printed(text, tmp_path)
    derived = next(value for name, value in vars(module).items() if name.endswith("_grad"))
    assert np.allclose(derived(X), 2.0 * X)
    unnamed = custom(square, Workspace().forward, square_reverse)
    assert "# forward: a method of an object without a name" in sg.source(lambda x: np.sum(unnamed(x)), at={"x": X})


def test_a_buffer_is_filled_again_at_order_two() -> None:
    def total(x, w):
        return np.sum(REFILLED["of_a_dict"](x * w) * REFILLED["of_a_dict"](x + w))

    try:
        sg.check_grad(total, X.copy(), W.copy(), order=2)
    except SourcegradError as error:
        assert error.origin is not None


# --- class methods ------------------------------------------------------------------------------------

class Unit:
    """A class whose methods have rules that differ from what their bodies say."""

    @classmethod
    def scaled(cls, x: Any) -> Any:
        return 2.0 * x

    @classmethod
    def level(cls, x: Any) -> Any:
        return 5.0 * x


@sg.rule(Unit.scaled)
def scaled_rule(ct, out, x):
    return 3.0 * ct


sg.nondifferentiable(Unit.level)
BY_CLASS = {
    "the class": (lambda x: Unit.scaled(x) * x, 10.0),
    "an object": (lambda x: Unit().scaled(x) * x, 10.0),
    "a default": (lambda x, f=Unit.scaled: f(x) * x, 10.0),
    "by value": (lambda x: sum(f(x) for f in (Unit.scaled, Unit.level)), 3.0),
    "no derivative": (lambda x: Unit.level(x) * x, 10.0),
}


@pytest.mark.parametrize("name", BY_CLASS)
def test_a_class_method_has_a_rule(name: str) -> None:
    function, expected = BY_CLASS[name]
    assert sg.grad(function)(2.0) == expected
    assert sg.jvp(function, (2.0,), (1.0,))[1] == expected
