"""Derivatives of SciPy's functions where a weight is zero or a value infinite: what the limit is, not NaN."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

sp = pytest.importorskip("scipy.special")
INF = np.inf
E = np.exp
W = np.array([0.0, 2.0])


def soft(*values: float) -> np.ndarray:
    found = E(np.array(values) - max(values))
    return found / np.sum(found)


CASES = {  # function, where, its gradient
    "xlogy, weight 0": (lambda x: np.sum(sp.xlogy([0.0, 2.0], x)), [0.0, 3.0], [0.0, 2 / 3]),
    "xlogy, weight an array": (lambda x: np.sum(sp.xlogy(W, x)), [0.0, 4.0], [0.0, 0.5]),
    "xlogy, weight a number": (lambda x: np.sum(sp.xlogy(0.0, x)), [0.0, 4.0], [0.0, 0.0]),
    "xlogy, weight 0 of a number": (lambda x: sp.xlogy(0.0, x), 0.0, 0.0),
    "xlogy, weight an int": (lambda x: sp.xlogy(0, x) + x, 0.0, 1.0),
    "xlogy, weight 0, value large": (lambda x: np.sum(sp.xlogy(W, x)), [INF, 4.0], [0.0, 0.5]),
    "xlogy, weight broadcasts": (lambda x: np.sum(sp.xlogy(W[:, None], x)), [0.0, 4.0], [INF, 0.5]),
    "xlogy, by the weight": (lambda x: np.sum(sp.xlogy(x, [2.0, 3.0])), [0.0, 1.0], np.log([2.0, 3.0])),
    "xlogy, by the weight of 1": (lambda x: np.sum(sp.xlogy(x, 1.0)), [0.0, 5.0], [0.0, 0.0]),
    "xlogy, both, weight 0": (lambda x: sp.xlogy(x[0], x[1]), [0.0, 3.0], [np.log(3.0), 0.0]),
    "xlogy, times": (lambda x: np.sum(sp.xlogy(W, x) * x), [0.0, 1.0], [0.0, 2.0]),
    "xlogy, of a square": (lambda x: np.sum(sp.xlogy(W, x * x)), [0.0, 2.0], [0.0, 2.0]),
    "xlogy, likelihood": (lambda p: -np.sum(sp.xlogy([1.0, 0.0], p) + sp.xlogy([0.0, 1.0], 1 - p)), [1.0, 0.0], [-1.0, 1.0]),
    "xlogy, out of softmax": (lambda x: np.sum(sp.xlogy([0.0, 1.0], sp.softmax(x))), [-900.0, 900.0], [0.0, 0.0]),
    "xlog1py, weight 0": (lambda x: np.sum(sp.xlog1py([0.0, 2.0], x)), [-1.0, 3.0], [0.0, 0.5]),
    "xlog1py, weight a number": (lambda x: sp.xlog1py(0.0, x), -1.0, 0.0),
    "xlog1py, by the weight": (lambda x: np.sum(sp.xlog1py(x, [1.0, 2.0])), [0.0, 1.0], np.log([2.0, 3.0])),
    "xlog1py, likelihood": (lambda p: np.sum(sp.xlogy(W, p) + sp.xlog1py([1.0, 0.0], -p)), [0.0, 1.0], [-1.0, 2.0]),
    "xlog1py, both": (lambda x: sp.xlog1py(x[0], x[1]), [0.0, 2.0], [np.log(3.0), 0.0]),
    "rel_entr, first 0": (lambda y: np.sum(sp.rel_entr([0.0, 2.0], y)), [3.0, 4.0], [0.0, -0.5]),
    "rel_entr, both 0": (lambda y: np.sum(sp.rel_entr([0.0, 2.0], y)), [0.0, 4.0], [0.0, -0.5]),
    "rel_entr, by the first": (lambda x: np.sum(sp.rel_entr(x, 1.0)), [0.0, 1.0], [-INF, 1.0]),
    "rel_entr, first 0, times": (lambda y: np.sum(sp.rel_entr([0.0, 1.0], y) * y), [5.0, 1.0], [0.0, -1.0]),
    "kl_div, first 0": (lambda y: np.sum(sp.kl_div([0.0, 2.0], y)), [3.0, 4.0], [1.0, 0.5]),
    "kl_div, both 0": (lambda y: np.sum(sp.kl_div([0.0, 2.0], y)), [0.0, 4.0], [1.0, 0.5]),
    "kl_div, by the first": (lambda x: np.sum(sp.kl_div(x, 2.0)), [0.0, 2.0], [-INF, 0.0]),
    "entr at 0": (lambda x: np.sum(sp.entr(x)), [0.0, 1.0], [INF, -1.0]),
    "entr of what is constant": (lambda x: np.sum(sp.entr([0.0, 0.5]) * x), [1.0, 1.0], [0.0, 0.5 * np.log(2.0)]),
    "logsumexp, weight 0": (lambda x: sp.logsumexp(x, b=np.array([2.0, 0.0, 4.0])), [1.0, 800.0, 2.0],
                            [2 / (2 + 4 * np.e), 0.0, 4 * np.e / (2 + 4 * np.e)]),
    "logsumexp, weights in a list": (lambda x: sp.logsumexp(x, b=[2.0, 0.0, 4.0]), [1.0, 800.0, 2.0],
                                     [2 / (2 + 4 * np.e), 0.0, 4 * np.e / (2 + 4 * np.e)]),
    "logsumexp, weight 0 of the infinite": (lambda x: sp.logsumexp(x, b=[1.0, 0.0]), [2.0, INF], [1.0, 0.0]),
    "logsumexp, large": (lambda x: sp.logsumexp(x), [1000.0, 1000.0], [0.5, 0.5]),
    "logsumexp, small": (lambda x: sp.logsumexp(x), [-1000.0, -1000.0], [0.5, 0.5]),
    "logsumexp, of -inf": (lambda x: sp.logsumexp(x), [-INF, 1.0], [0.0, 1.0]),
    "logsumexp, of -inf with weights": (lambda x: sp.logsumexp(x, b=[3.0, 2.0]), [-INF, 1.0], [0.0, 1.0]),
    "logsumexp, large weight": (lambda x: sp.logsumexp(x, b=[1e300, 1.0]), [0.0, 0.0], [1.0, 1e-300]),
    "logsumexp, by rows": (lambda x: np.sum(sp.logsumexp(x, axis=1)), [[900.0, 900.0], [-INF, 0.0]], [[0.5, 0.5], [0.0, 1.0]]),
    "logsumexp, by rows with weights": (lambda x: np.sum(sp.logsumexp(x, axis=1, b=[[1.0, 0.0], [0.0, 1.0]])),
                                        [[1.0, 900.0], [900.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]),
    "logsumexp, keepdims": (lambda x: np.sum(x - sp.logsumexp(x, axis=0, keepdims=True)), [800.0, 800.0], [0.0, 0.0]),
    "logsumexp, negative weight": (lambda x: sp.logsumexp(x, b=[3.0, -1.0]), [700.0, 700.0], [1.5, -0.5]),
    "softmax, large": (lambda x: sp.softmax(x)[0], [900.0, 900.0], [0.25, -0.25]),
    "softmax, far apart": (lambda x: sp.softmax(x)[0], [900.0, -900.0], [0.0, 0.0]),
    "softmax, of -inf": (lambda x: sp.softmax(x)[1], [-INF, 0.0], [0.0, 0.0]),
    "log_softmax, far apart": (lambda x: sp.log_softmax(x)[1], [900.0, -900.0], [-1.0, 1.0]),
    "log_softmax, of -inf": (lambda x: sp.log_softmax(x)[1], [-INF, 0.0, 0.0], [0.0, 0.5, -0.5]),
    "expit, far": (lambda x: np.sum(sp.expit(x)), [-900.0, 900.0], [0.0, 0.0]),
    "log_expit, far": (lambda x: np.sum(sp.log_expit(x)), [-900.0, 900.0], [1.0, 0.0]),
    "logit near 0": (lambda x: sp.logit(x), 1e-300, 1e300),
    "logaddexp, of -inf": (lambda x: np.logaddexp(x[0], x[1]), [-INF, 0.0], [0.0, 1.0]),
    "logaddexp, large": (lambda x: np.logaddexp(x[0], x[1]), [900.0, 900.0], [0.5, 0.5]),
    "logaddexp, far apart": (lambda x: np.logaddexp(x[0], x[1]), [900.0, -900.0], [1.0, 0.0]),
    "logaddexp2, of -inf": (lambda x: np.logaddexp2(x[0], x[1]), [-INF, 0.0], [0.0, 1.0]),
    "sinc at 0": (lambda x: np.sum(np.sinc(x)), [0.0, 1.0], [0.0, -1.0]),
    "exprel at 0": (lambda x: sp.exprel(x), 0.0, 0.5),
    "boxcox with 0": (lambda x: sp.boxcox(x, 0.0), 2.0, 0.5),
    "boxcox1p with 0": (lambda x: sp.boxcox1p(x, 0.0), 1.0, 0.5),
    "huber at its bound": (lambda x: sp.huber(1.0, x), 1.0, 1.0),
    "pseudo_huber at 0": (lambda x: sp.pseudo_huber(1.0, x), 0.0, 0.0),
    "log1p near 0": (lambda x: sp.log1p(x), 0.0, 1.0),
    "expm1, far": (lambda x: sp.expm1(x), -900.0, 0.0),
    "erf, far": (lambda x: np.sum(sp.erf(x)), [-90.0, INF], [0.0, 0.0]),
    "erfc, far": (lambda x: sp.erfc(x), 90.0, 0.0),
    "erfcx, large": (lambda x: sp.erfcx(x), 1e8, -1 / (np.sqrt(np.pi) * 1e16)),
    "log_ndtr, far": (lambda x: sp.log_ndtr(x), -40.0, 40.0249687974),
    "ndtr, far": (lambda x: np.sum(sp.ndtr(x)), [-90.0, 90.0], [0.0, 0.0]),
    "i0e, large": (lambda x: sp.i0e(x), 0.0, -0.0),
    "power with exponent 0": (lambda x: np.sum(x ** 0), [0.0, 1.0], [0.0, 0.0]),
    "power of 0": (lambda x: np.sum(x ** 2.0), [0.0, 1.0], [0.0, 2.0]),
    "hypot, one is 0": (lambda x: np.hypot(x[0], x[1]), [0.0, 2.0], [0.0, 1.0]),
}


@pytest.mark.parametrize("name", CASES)
def test_at_the_edge(name: str) -> None:
    f, at, want = CASES[name]
    x = np.array(at) if isinstance(at, list) else at
    with np.errstate(all="ignore"):
        try:
            value, got = sg.value_and_grad(f)(x)
        except SourcegradError as problem:
            assert problem.origin is not None and type(problem).__name__ != "InternalError", str(problem)
            return
        np.testing.assert_allclose(value, f(x), rtol=1e-12)
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-12)


POINTS = np.array([0.0, 1e-300, 0.5, 1.0, 2.0, INF])
FORMS = {  # the derivative by the second argument
    "xlogy": (sp.xlogy, lambda w, y: w / y), "xlog1py": (sp.xlog1py, lambda w, y: w / (1.0 + y)),
    "rel_entr": (sp.rel_entr, lambda w, y: -w / y), "kl_div": (sp.kl_div, lambda w, y: 1.0 - w / y)}


@pytest.mark.parametrize("weight", [0.0, 1e-300, 0.5, 3.0])
@pytest.mark.parametrize("form", FORMS)
def test_by_the_second(form: str, weight: float) -> None:
    """At all points, weights in arrays and as numbers."""
    function, slope = FORMS[form]
    for f in (lambda y: np.sum(function(weight, y)), lambda y: np.sum(function(np.full(6, weight), y))):
        with np.errstate(all="ignore"):
            got = sg.grad(f)(POINTS)
            want = slope(weight, POINTS) if weight else np.full(6, slope(0.0, 1.0))
        np.testing.assert_allclose(got, want, rtol=1e-10)
