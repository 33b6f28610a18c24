"""The testers are tested: what is wrong by a little, or in one place only, must be caught."""
import gast
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api import gradient as api
from sourcegrad.compiler.pipeline import Compiler
from sourcegrad.errors import InternalError
from sourcegrad.ir import tree as t, verify
from sourcegrad.parse.resolve import describe
from sourcegrad.primitives.core import REAL, RULES, ZERO_DERIVATIVE, rule, sample
from tests.oracle.rules import check_rule, expand, same

POINT = np.array([0.3, 0.7, 1.1])
TINY = 1.001                        # wrong by 0.1 %


def sine(x):
    return np.sin(x)


def product(x, y):
    return x * y


def total(x):
    return np.sum(x)


def loss(x):
    return np.sum(sine(x) ** 2)


@pytest.fixture
def registered():
    """Register rules for the duration of one test."""
    primitives = []

    def register(primitive, function, **options):
        primitives.append(primitive)
        rule(primitive, **options)(function)
        return RULES[primitive]

    yield register
    for primitive in primitives:
        RULES.pop(primitive, None)
        ZERO_DERIVATIVE.pop(primitive, None)


def check_all(found, primitive, dtype="float64"):
    for spec in found.samples:
        for concrete in expand(found, spec):
            check_rule(found, primitive, concrete, dtype)


# --- check_rule -------------------------------------------------------------------------------------

def sine_rule(ct, out, x):
    return ct * np.cos(x)


def slightly_wrong(ct, out, x):
    return TINY * ct * np.cos(x)


def wrong_where_broadcast(ct, out, x, y):
    return ct * y, 0.5 * ct * x if np.shape(x) != np.shape(y) else ct * x


def forgets_y(ct, out, x, y):
    return ct * y


def says_y_is_constant(ct, out, x, y):
    return ct * y, None


def of_another_shape(ct, out, x):
    return np.full((1, *x.shape), ct)


def full_of_nan(ct, out, x):
    return np.full(x.shape, np.nan)


def test_right_rules_pass(registered):
    check_all(registered(sine, sine_rule, elementwise=True, samples=[(REAL,)]), sine)
    check_all(registered(total, lambda ct, out, x: np.full(x.shape, ct), samples=[sample(REAL(3))]), total)


@pytest.mark.parametrize("primitive, function, options", [
    (sine, slightly_wrong, {"elementwise": True, "samples": [(REAL,)]}),
    (product, wrong_where_broadcast, {"elementwise": True, "samples": [(REAL, REAL)]}),
    (product, forgets_y, {"elementwise": True, "samples": [(REAL, REAL)]}),
    (product, says_y_is_constant, {"elementwise": True, "samples": [(REAL, REAL)]}),
    (total, of_another_shape, {"samples": [sample(REAL(3))]}),
    (total, full_of_nan, {"samples": [sample(REAL(3))]}),
], ids=lambda value: getattr(value, "__name__", ""))
def test_wrong_rules_are_caught(registered, primitive, function, options):
    found = registered(primitive, function, **options)
    with pytest.raises(AssertionError):
        check_all(found, primitive)


def test_a_rule_that_is_wrong_by_one_percent_is_caught_in_float32(registered):
    found = registered(sine, lambda ct, out, x: 1.01 * ct * np.cos(x), elementwise=True, samples=[(REAL,)])
    with pytest.raises(AssertionError):
        check_all(found, sine, "float32")


# --- check_grad -------------------------------------------------------------------------------------

def test_right_gradients_pass(registered):
    registered(sine, sine_rule, elementwise=True)
    sg.check_grad(loss, POINT, order=2)


def test_a_slightly_wrong_rule_is_caught(registered):
    registered(sine, slightly_wrong, elementwise=True)
    with pytest.raises(AssertionError, match="order 1"):
        sg.check_grad(loss, POINT)


def test_a_wrong_second_derivative_is_caught(registered):
    def cosine(x):
        return np.cos(x)

    def right(ct, out, x):
        return ct * cosine(x)

    def wrong(ct, out, x):
        return -TINY * ct * np.sin(x)

    registered(sine, right, elementwise=True)
    registered(cosine, wrong, elementwise=True)
    sg.check_grad(loss, POINT)
    with pytest.raises(AssertionError, match="order 2"):
        sg.check_grad(loss, POINT, order=2)


def twice(x, y):
    return np.sum(x * y + x * x)


BROKEN = {
    "a lost accumulation": lambda x, y: (y + x, x),
    "a contribution counted twice": lambda x, y: (y + 4.0 * x, x),
    "gradients in the wrong order": lambda x, y: (x, y + 2.0 * x),
    "a wrong shape": lambda x, y: ((y + 2.0 * x)[None], x),
    "a sum that should not be": lambda x, y: (np.sum(y + 2.0 * x), x),
    "NaN": lambda x, y: (y + 2.0 * x, np.full(3, np.nan)),
    "one NaN": lambda x, y: (y + 2.0 * x, np.where(x > 1.0, np.nan, x)),
    "infinity": lambda x, y: (y + 2.0 * x, np.full(3, np.inf)),
    "a missing gradient": lambda x, y: (y + 2.0 * x,),
    "one element": lambda x, y: (y + 2.0 * x + np.array([0.0, 0.001, 0.0]), x),
}


def replaced(gradient):
    """An `api.grad` whose gradients are this one, whatever it is asked for."""
    honest = api.grad

    def grad(function, inputs=None, grad_outputs=None, has_aux=False):
        made = honest(function, inputs, grad_outputs, has_aux=has_aux)
        made.__call__ = gradient
        return made

    return grad


def test_the_unbroken_gradient_passes(monkeypatch):
    monkeypatch.setattr(api, "grad", replaced(lambda x, y: (y + 2.0 * x, x)))
    sg.check_grad(twice, POINT, 2.0 * POINT, inputs=("x", "y"))


@pytest.mark.parametrize("what", BROKEN)
def test_broken_gradients_are_caught(monkeypatch, what):
    monkeypatch.setattr(api, "grad", replaced(BROKEN[what]))
    with pytest.raises((AssertionError, ValueError)):
        sg.check_grad(twice, POINT, 2.0 * POINT, inputs=("x", "y"))


# --- comparisons ------------------------------------------------------------------------------------

@pytest.mark.parametrize("actual, expected", [
    (np.nan, np.nan), (np.nan, 0.0), (1.0, np.nan), ([1.0, np.nan], [1.0, np.nan]), ((np.nan,), (np.nan,)),
    (np.ones(3), np.ones((3, 1))), (np.ones(()), np.ones(1)), (np.ones((1, 3)), np.ones(3)), ([1.0], [1.0, 2.0]),
    (np.inf, 1.0), (None, 1.0)])
def test_unequal(actual, expected):
    assert not same(actual, expected, 1e-6, 1e-6)


def test_equal():
    assert same([1.0, (np.ones(2),)], [1.0, (np.ones(2),)], 0.0, 0.0)


# --- tree invariants --------------------------------------------------------------------------------

def program(x):
    y = x * 2.0
    if y > 1.0:
        y = y + x
    return y


@pytest.fixture
def unit():
    return Compiler().normalize(describe(program)).copy()


def test_a_sound_tree_passes(unit):
    verify.check(unit, "a pass", ["x"])


def test_a_shared_node_is_caught(unit):
    unit.tree.body.insert(0, unit.tree.body[0])
    with pytest.raises(InternalError, match="two places"):
        verify.check(unit, "a pass")


def test_a_shared_expression_is_caught(unit):
    first = unit.tree.body[0]
    unit.tree.body.insert(1, t.assign("other", first.value, t.origin_of(first)))
    with pytest.raises(InternalError, match="two places"):
        verify.check(unit, "a pass")


def test_a_node_of_the_original_tree_is_caught(unit):
    unit.tree.body.insert(0, unit.function.tree.body[0])
    with pytest.raises(InternalError, match="original"):
        verify.check(unit, "a pass")


def test_a_missing_origin_is_caught(unit):
    del unit.tree.body[0].origin
    with pytest.raises(InternalError, match="origin"):
        verify.check(unit, "a pass")


def test_a_missing_origin_in_a_branch_is_caught(unit):
    branch = next(s for s in unit.tree.body if isinstance(s, gast.If))
    branch.body[0].origin = None
    with pytest.raises(InternalError, match="origin"):
        verify.check(unit, "a pass")


def test_a_use_before_definition_is_caught(unit):
    unit.tree.body.append(unit.tree.body.pop(0))
    with pytest.raises(InternalError, match="before it is defined"):
        verify.check(unit, "a pass", ["x"])


def test_the_checks_of_definitions_are_about_some_path(unit):
    """Documents the limit: as users may define a name in one branch only, one path that defines it is enough."""
    branch = next(s for s in unit.tree.body if isinstance(s, gast.If))
    origin = t.origin_of(branch)
    branch.body.append(t.assign("sometimes", t.const(1.0), origin))
    unit.tree.body.insert(-1, t.assign("always", t.load("sometimes"), origin))
    verify.check(unit, "a pass", ["x"])


def test_a_use_in_the_loop_that_defines_it_is_not_caught(unit):
    """Documents the limit: a loop counts as run at least once."""
    origin = t.origin_of(unit.tree.body[0])
    loop = gast.parse("for k in range(3):\n    found = k").body[0]
    for s in [loop, *loop.body]:
        s.origin = origin
    unit.tree.body[-1:-1] = [loop, t.assign("after", t.load("found"), origin)]
    verify.check(unit, "a pass", ["x"])
