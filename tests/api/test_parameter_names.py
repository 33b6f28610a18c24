"""Functions whose parameters are called as the options of the tools are: right, or refused with what to write."""
import functools
from pathlib import Path

import numpy as np
import pytest

import sourcegrad as sg
from tests.errors.modules import load

NAMES = ("inputs", "order", "rtol", "atol", "has_aux", "grad_outputs", "function", "args", "options", "self", "cls", "f",
         "gradient", "ct", "out", "saved", "kinds", "path", "eps", "func", "v")
TEXT = "def f(x, {0}):\n    return x * x * {0}\ndef g(x, *, {0}=3.0):\n    return x * x * {0}\n"
USES = {
    "grad": lambda f, g, n: sg.grad(f)(2.0, 3.0) == 12.0,
    "grad by name": lambda f, g, n: sg.grad(f)(2.0, **{n: 3.0}) == 12.0,
    "grad of keyword-only": lambda f, g, n: sg.grad(g)(2.0, **{n: 3.0}) == 12.0,
    "grad by it": lambda f, g, n: sg.grad(f, n)(2.0, 3.0) == 4.0,
    "vjp": lambda f, g, n: sg.vjp(f, 2.0, 3.0)[1](1.0) == (12.0, 4.0),
    "weights": lambda f, g, n: np.allclose(sg.grad(f)(np.ones(2), 3.0, grad_outputs=np.ones(2)), 6.0),
    "check": lambda f, g, n: sg.check_grad(f, 2.0, 3.0, order=2) is None,
    "check by name": lambda f, g, n: sg.check_grad(f, 2.0, **{n: 3.0}) is None,
    "check of keyword-only": lambda f, g, n: sg.check_grad(g, 2.0, **{n: 3.0}) is None,
    "check of a default": lambda f, g, n: sg.check_grad(g, 2.0) is None,
    "check of a partial": lambda f, g, n: sg.check_grad(functools.partial(f, **{n: 3.0}), 2.0) is None,
    "check of an array": lambda f, g, n: sg.check_grad(f, np.ones(2), 3.0) is None,
    "explain_nan": lambda f, g, n: sg.explain_nan(f, 2.0, 3.0).finite,
    "explain_nan by name": lambda f, g, n: sg.explain_nan(f, 2.0, **{n: 3.0}).finite,
    "jacobian": lambda f, g, n: np.allclose(sg.jacobian(f)(np.ones(2), **{n: 3.0}), 6.0 * np.eye(2)),
    "hessian": lambda f, g, n: np.allclose(sg.hessian(f)(2.0, **{n: 3.0}), 6.0),
    "hvp": lambda f, g, n: np.allclose(sg.hvp(f)(2.0, 1.0, 3.0), 6.0),
    "order 2": lambda f, g, n: sg.grad(sg.grad(f))(2.0, 3.0) == 6.0,
    "source": lambda f, g, n: "def" in sg.source(f, at={"x": 2.0, n: 3.0}),
}
REFUSED = {(n, use) for n in ("inputs", "order", "rtol", "atol", "has_aux") for use in (
    "check by name", "check of keyword-only")} | {
    (n, "explain_nan by name") for n in ("inputs", "has_aux", "grad_outputs")} | {("grad_outputs", use) for use in (
        "grad by name", "grad of keyword-only", "check by name", "check of keyword-only", "check of a partial", "check of an array",
        "weights")}


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_of_that_name(name: str, tmp_path: Path) -> None:
    module = load(tmp_path, TEXT.format(name))
    for use, right in USES.items():
        if (name, use) in REFUSED:
            with pytest.raises((sg.InputError, TypeError)) as found:
                right(module.f, module.g, name)
            assert isinstance(found.value, sg.InputError) and name in found.value.message and found.value.remedy, use
        else:
            assert right(module.f, module.g, name), use


def test_the_remedy_is_right() -> None:
    def f(x, order, rtol=2.0):
        return x ** order * rtol

    with pytest.raises(sg.InputError, match="functools.partial"):
        sg.check_grad(f, 2.0, order=3)
    sg.check_grad(functools.partial(f, order=3), 2.0, order=2)
    sg.check_grad(f, 2.0, 3, order=2)
    assert sg.explain_nan(functools.partial(f, order=3), 2.0).finite


@pytest.mark.parametrize("order", [1, 2])
def test_has_aux(order: int) -> None:
    def f(x, y):
        return np.sum(x ** 3 * y), {"x": x, "text": "aux"}

    def wrong(x):
        return np.sum(sg.stop_gradient(x) * x), "aux"

    sg.check_grad(f, np.array([1.0, 2.0]), 3.0, has_aux=True, order=order)
    sg.check_grad(f, np.array([1.0, 2.0]), 3.0, inputs="y", has_aux=True, order=order)
    sg.check_grad(lambda x: (x * x, 1.0), np.array([1.0, 2.0]), has_aux=True, order=order)
    with pytest.raises(AssertionError, match="order 1"):
        sg.check_grad(wrong, np.array([1.0, 2.0]), has_aux=True, order=order)


def test_what_a_gradient_function_is() -> None:
    assert isinstance(sg.grad(lambda x: x), sg.Gradient) and "Gradient" in sg.__all__
    assert not isinstance(sg.vjp, sg.Gradient)
