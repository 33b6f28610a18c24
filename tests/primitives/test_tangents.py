"""Every rule x primitive x sample in forward mode: against differences, and against the rule itself.

The tangent J v and the gradient J^T ct of one sample belong together: <ct, J v> = <J^T ct, v>, whatever v and ct are."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError
from sourcegrad.primitives.contractions import THIRD
from sourcegrad.primitives.core import JVPS, RULES, primitive_of
from tests.oracle.rules import inner, leaves, random_like, same
from tests.primitives.cases import case_of, gradient_of
from tests.primitives.test_registry import BY_RULE, report, samples_of
from tests.shared import shared

pytestmark = pytest.mark.filterwarnings("ignore")
STEP = 1e-6


def tangents_of(case):
    rng = np.random.default_rng(11)
    return {f"{name}_dot": random_like(case.args[int(name[1:])], rng) for name in case.inputs}


def moved(case, tangents, step):
    args = list(case.args)
    for name in case.inputs:
        x = args[int(name[1:])]
        new = np.empty_like(x)                               # in the same order in memory
        new[...] = x + step * tangents[f"{name}_dot"]
        args[int(name[1:])] = new if isinstance(x, np.ndarray) else new[()]
    return args


def pushforward_of(case):
    return shared(lambda: sg.pushforward(case.call, case.inputs), case.call, values="pushforward")


@BY_RULE
def test_tangent(name):
    def check(rule, primitive, spec):
        case = case_of(rule, primitive, spec)
        if case is None:
            return
        tangents = tangents_of(case)
        try:
            value, tangent = pushforward_of(case)(*case.args, **tangents)
        except UnsupportedError as error:
            assert THIRD in error.message                    # of complex operands it takes a third derivative
            return
        out = case.call(*case.args)
        assert same(value, out, 1e-12, 1e-12), f"the value {value} is not {out}"
        assert [np.shape(x) for _, x in leaves(tangent)] == [np.shape(x) for _, x in leaves(out)], f"{tangent} of {out}"
        gradients = gradient_of(case)(*case.args, grad_outputs=case.ct)
        one = inner(case.ct, tangent)
        other = sum(inner(gradient, tangents[f"{name}_dot"]) for name, gradient in zip(case.inputs, gradients, strict=True))
        single = any(np.asarray(x).dtype in (np.float32, np.complex64) for _, x in leaves((out, case.args)))
        assert np.isclose(one, other, *(2 * [1e-6 if single else 1e-9])), f"<ct, J v> = {one} is not <J^T ct, v> = {other}"
        if case.smooth:
            high, low = case.call(*moved(case, tangents, STEP)), case.call(*moved(case, tangents, -STEP))
            for (_, x), (_, a), (_, b) in zip(leaves(tangent), leaves(high), leaves(low), strict=True):
                expected = (np.asarray(a) * 1.0 - b) / (2.0 * STEP)
                assert np.allclose(x, expected, 1e-5, 1e-6), f"the tangent {x} is not {expected}"

    report(check, samples_of(name))


def test_each_function_has_one_way_to_its_tangent() -> None:
    """What is declared linear has no rule for tangents besides, and such rules stand beside a rule."""
    for primitive, rule in RULES.items():
        way = primitive_of(primitive).tangent
        assert way in (None, "linear", "multilinear"), primitive
        assert primitive not in JVPS or way is None or rule.name in ("owned", "from_items"), f"{primitive} has two"
    assert set(JVPS) <= set(RULES)
