"""Every rule x primitive x sample: directly, through the engine at order 1 and 2, in float64 and float32.

Each test covers all samples of one rule and reports every one that is wrong.
"""
import contextlib
import importlib

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives, runtime
from sourcegrad.primitives.core import RULES
from tests.oracle.rules import check_rule, expand, leaves, numeric_vjp, random_like, same
from tests.primitives import object_programs
from tests.primitives.cases import case_of, gradient_of
from tests.primitives.programs import PROGRAMS, REFUSED_AT_ORDER_2, REFUSED_OF_COMPLEX

with contextlib.suppress(ImportError):               # without SciPy there is nothing to test
    for part in list(primitives.OF_SCIPY):
        importlib.import_module(part)
primitives.with_scipy()

PROGRAMS = [*PROGRAMS, *object_programs.PROGRAMS]
OF_OBJECTS = object_programs.OF_OBJECTS
SAMPLED = {}
for primitive, rule in RULES.items():
    if rule.samples and not isinstance(primitive, str):
        SAMPLED.setdefault(f"{rule.function.__module__.rpartition('.')[2]}.{rule.name}", []).append((rule, primitive))

BY_RULE = pytest.mark.parametrize("name", SAMPLED)
BOTH_DTYPES = pytest.mark.parametrize("dtype", ["float64", "float32"])
STEP = 1e-6

pytestmark = pytest.mark.filterwarnings("ignore")


def samples_of(name, one_shape=False):
    """(rule, primitive, sample) of a rule; one_shape: of the shapes of an elementwise sample only a small one."""
    for rule, primitive in SAMPLED[name]:
        for spec in rule.samples:
            concrete = expand(rule, spec)
            yield from ((rule, primitive, item) for item in (concrete[-1:] if one_shape else concrete))


def report(check, samples):
    """Run a check on all samples and fail with all that is wrong."""
    failures = []
    for rule, primitive, spec in samples:
        try:
            with np.errstate(all="ignore"):
                check(rule, primitive, spec)
        except Exception as error:
            failures.append(f"{primitive} {spec}: {type(error).__name__}: {str(error)[:600]}")
    if failures:
        pytest.fail(f"{len(failures)} samples are wrong\n" + "\n".join(failures[:5]), pytrace=False)


def assert_gradients(function, case, ct, gradients, tolerance):
    for name, actual in zip(case.inputs, gradients, strict=True):
        expected = numeric_vjp(function, case.args, int(name[1:]), ct, STEP)
        assert same(actual, expected, tolerance, tolerance), f"input {name}: {actual} is not {expected}"


@BOTH_DTYPES
@BY_RULE
def test_rule_called_directly(name, dtype):
    report(lambda *sample: check_rule(*sample, dtype), samples_of(name))


@BY_RULE
def test_gradient(name):
    def check(rule, primitive, spec):
        case = case_of(rule, primitive, spec)
        if case is not None:
            gradients = gradient_of(case)(*case.args, grad_outputs=case.ct)
            assert_gradients(case.call, case, case.ct, gradients, 1e-6)

    report(check, samples_of(name))


@BY_RULE
def test_gradient_in_float32(name):
    """The values of the float64 gradient, in single precision where the primitive itself computes in it."""
    def check(rule, primitive, spec):
        case = case_of(rule, primitive, spec, "float32")
        if case is None:
            return
        gradients = sg.grad(case.weigh, case.inputs)(*case.args)
        single = all(np.asarray(leaf).dtype in (np.float32, np.complex64) for _, leaf in leaves(case.ct))
        exact = case_of(rule, primitive, spec)
        expected = gradient_of(exact)(*exact.args, grad_outputs=case.ct)
        for name, actual, value in zip(case.inputs, gradients, expected, strict=True):
            assert same(actual, value, 2e-3, 2e-3), f"input {name}: {actual} is not {value}"
            argument = case.args[int(name[1:])]
            if single and np.ndim(argument) and argument.dtype in (np.float32, np.complex64):
                assert actual.dtype == argument.dtype, f"input {name}: the gradient is {actual.dtype}"

    report(check, samples_of(name, one_shape=True))


@BY_RULE
def test_second_gradient(name):
    def check(rule, primitive, spec):
        case = case_of(rule, primitive, spec)
        if case is None or not case.smooth or name in REFUSED_AT_ORDER_2:
            return
        if name in REFUSED_OF_COMPLEX and any(np.iscomplexobj(value) for value in case.args):
            return
        gradient = sg.grad(case.weigh, case.inputs)
        weights = random_like(gradient(*case.args), np.random.default_rng(5))
        second = sg.grad(gradient, case.inputs)(*case.args, grad_outputs=weights)
        assert_gradients(gradient, case, weights, second, 1e-5)

    report(check, samples_of(name, one_shape=True))


# --- rules that samples do not reach ----------------------------------------------------------------

@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0].__name__)
def test_programs(program, order):
    function, args, _ = program
    sg.check_grad(function, *args, inputs=tuple(range(len(args))), order=order)


@pytest.mark.parametrize("program", OF_OBJECTS, ids=lambda program: program[0].__name__)
def test_programs_of_objects(program):
    function, args, _ = program
    sg.check_grad(function, *args, inputs=tuple(range(len(args))))
    sg.check_grad(function, *args, inputs=(len(args) - 1,), order=2)


OF_PROGRAMS = {"limits_given_rule", "no_turn_rule", "border_step_rule", "border_last_rule",
               "checked_rule", "in_its_place_rule"}             # tested by programs, the last two in test_distributions.py
DRAWN = {runtime.gamma_drawn, runtime.beta_drawn, runtime.student_drawn}        # move along quantiles: see test_draws.py
SOLVING = {runtime.limits, runtime.mesh, runtime.refused_form, runtime.value_of, runtime.newton_step, runtime.chord_step,
           runtime.last_step}                               # not the derivative of what they compute: see test_solvers.py
OF_TANGENTS = {runtime.place_dot, runtime.place_begin, runtime.view_begin}       # of forward mode: objects/test_tangents.py


def test_every_rule_is_tested():
    covered = {key for _, _, keys in (*PROGRAMS, *OF_OBJECTS) for key in keys}
    for primitive, rule in RULES.items():
        of_a_doctest = getattr(primitive, "__module__", None) == "sourcegrad.primitives.core"
        if rule.function.__module__.startswith("sourcegrad.primitives") and not of_a_doctest:
            sampled = rule.samples and not isinstance(primitive, str)
            raises = primitive is runtime.no_formula or primitive in SOLVING | DRAWN or rule.function.__module__.endswith(
                ("searches", "linalg_refused")) or rule.name in OF_PROGRAMS or primitive in OF_TANGENTS
            assert sampled or primitive in covered or raises, f"the rule of {primitive} has neither samples nor a program"
    assert covered <= set(RULES)
