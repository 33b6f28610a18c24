"""What has no source: the function that the refusal tells to write around it, and the rule to give it, work as they are printed."""
import functools
import math
import operator
import types
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, special

import sourcegrad as sg
from sourcegrad.primitives import core
from tests.errors.modules import load

BEFORE = "import math, operator\nimport numpy as np\nimport scipy.linalg, scipy.special\nimport sourcegrad as sg\n" \
         "from tests.kinds.test_advice_without_source import Made, several, vectorized\n"


class Made:
    def __init__(self, a, b=2.0):
        self.attribute = a * b


@functools.singledispatch
def several(x):
    return x * x


def vectorized(x):
    return x * x if x > 0 else x


V, M = np.array([0.3, 1.2, 0.7]), np.array([[1.1, 0.2], [0.4, 0.9]])
CASES = {                                       # the object, arguments of the function that is written around it
    "np.sin": (np.sin, 0.5), "np.arctan2": (np.arctan2, 0.5, 1.2), "np.add": (np.add, V, V), "np.power": (np.power, 0.5, 1.2),
    "np.multiply": (np.multiply, V, 2.0), "np.sum": (np.sum, V), "np.dot": (np.dot, V, V), "np.where": (np.where, V, V, V > 0.5),
    "np.clip": (np.clip, V, 0.5, 1.0), "np.linalg.norm": (np.linalg.norm, V), "np.linalg.inv": (np.linalg.inv, M),
    "np.linalg.solve": (np.linalg.solve, M, M[0]), "np.cumsum": (np.cumsum, V), "np.outer": (np.outer, V, V),
    "np.add.reduce": (np.add.reduce, V), "np.multiply.outer": (np.multiply.outer, V, V), "np.fft.fft": (np.fft.fft, V),
    "np.mean": (np.mean, V), "np.reshape": (np.reshape, V, (3, 1)), "np.matmul": (np.matmul, M, M), "np.float64": (np.float64, 0.5),
    "np.prod": (np.prod, V), "np.einsum": (np.einsum, M, M, "ij,jk->ik"), "np.trace": (np.trace, M),
    "np.logaddexp": (np.logaddexp, V, V),
    "abs": (abs, 0.5), "pow": (pow, 0.5, 1.2), "max": (max, 0.5, 1.2), "float": (float, 0.5), "math.sin": (math.sin, 0.5),
    "math.hypot": (math.hypot, 0.5, 1.2), "math.pow": (math.pow, 0.5, 1.2), "operator.mul": (operator.mul, 0.5, 1.2),
    "operator.neg": (operator.neg, V), "special.erf": (special.erf, V), "special.xlogy": (special.xlogy, 0.5, 1.2),
    "special.expit": (special.expit, V), "special.logsumexp": (special.logsumexp, V), "linalg.inv": (linalg.inv, M),
    "linalg.solve": (linalg.solve, M, M[0]), "ndarray.sum": (np.ndarray.sum, V), "array.sum": (V.sum, V),
    "partial": (functools.partial(np.arctan2, 1.0), 0.5), "partial by name": (functools.partial(pow, exp=2), 0.5),
    "partial of a partial": (functools.partial(functools.partial(np.clip, a_min=0.5), a_max=1.0), V), "class": (Made, 0.5),
    "several": (several, 0.5), "vectorize": (np.vectorize(vectorized), V)}
RULES = {                                       # those without a derivative: the rule that is printed, filled in with factors 1.5
    "special.gamma": (special.gamma, V), "special.jv": (special.jv, 0.5, 1.2), "special.betainc": (special.betainc, 0.5, 1.2, 0.3),
    "special.ellipkinc": (special.ellipkinc, 0.5, 0.2), "special.voigt_profile": (special.voigt_profile, 0.5, 1.2, 0.3),
    "special.ellipk": (special.ellipk, 0.5), "special.i0": (special.i0, V), "special.hyp2f1": (special.hyp2f1, 0.1, 0.2, 0.3, 0.4),
    "math.fmod": (math.fmod, 2.5, 1.2), "math.ldexp": (math.ldexp, 0.5, 2), "math.nextafter": (math.nextafter, 0.5, 1.2),
    "np.spacing": (np.spacing, 0.5)}


def printed(function: object) -> tuple[str, str]:
    """What to write around it, and the rule."""
    with pytest.raises(sg.SourceError) as found:
        sg.grad(function)
    plain = function.func if isinstance(function, functools.partial) else function
    said = "is not a Python function" in found.value.message
    assert said == isinstance(plain, (np.ufunc, types.BuiltinFunctionType, types.MethodDescriptorType)) or isinstance(
        plain, functools.partial), found.value.message
    first, _, rest = found.value.remedy.partition("\n")
    assert "lambda " in first
    return "lambda " + first.partition("lambda ")[2], rest.partition("\n")[2]


@pytest.mark.parametrize("name", CASES)
def test_written_around(name: str, tmp_path: Path) -> None:
    function, *args = CASES[name]
    text, rule = printed(function)
    assert not rule
    before = BEFORE + "name = np.vectorize(vectorized)\n" * (name == "vectorize")
    f = load(tmp_path, f"{before}f = {text}\n").f
    value = np.asarray(f(*args))
    weights = {} if value.shape == () else {"grad_outputs": np.ones(value.shape, value.dtype)}
    gradient = sg.grad(f)(*args, **weights)
    assert np.shape(gradient) == np.shape(args[0])
    step = np.zeros(np.shape(args[0])) + 1e-6
    wanted = np.sum(np.real(f(args[0] + step, *args[1:]) - f(args[0] - step, *args[1:]))) / 2e-6
    assert abs(np.sum(gradient) - wanted) < 1e-5


@pytest.mark.parametrize("name", RULES)
def test_given_a_rule(name: str, tmp_path: Path) -> None:
    function, *args = RULES[name]
    if function in core.RULES or function in core.ZERO_DERIVATIVE:
        pytest.skip("it has a derivative by now")
    text, rule = printed(function)
    filled = rule.replace("return ...", "return " + ", ".join(["1.5 * ct", *["None"] * (len(args) - 1)]))
    try:
        module = load(tmp_path, f"{BEFORE}f = {text}\n{filled}\n")
        assert function in core.RULES
        gradient = sg.grad(module.f)(*args, grad_outputs=np.ones(np.shape(args[0])))
        assert np.allclose(gradient, 1.5)
    finally:
        core.RULES.pop(function, None)
        core.PRIMITIVES.pop(function, None)


def test_the_class_of_methods_is_told_by_its_name() -> None:
    def shown(v):
        return v * v

    def f(x):
        return np.sum(types.MethodType(shown, x)())

    with pytest.raises(sg.SourcegradError, match="MethodType has no derivative rule"):
        sg.grad(f)(np.ones(2))
