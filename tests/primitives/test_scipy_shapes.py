"""Distribution functions by their shapes: against 50 digits, at the ends, and to second order."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.primitives.scipy_checks import check

special = pytest.importorskip("scipy.special")
from scipy import stats  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
# (shapes, point, derivatives by the shapes), by central differences of mpmath's functions with 50 digits; tails on both sides
GAMMA = [
    (0.01, 0.001, -5.957905603446865),
    (0.5, 1e-06, -0.01563030411424056),
    (0.5, 30.0, -5.118991143389857e-14),
    (2.5, 0.001, -7.61728094459622e-8),
    (2.5, 2.2, -0.2724245301353509),
    (2.5, 60.0, -1.069623459051046e-23),
    (100.0, 60.0, -7.841202331593656e-7),
    (100.0, 100.0, -0.03992749785778605),
    (100.0, 170.0, -1.334247135556749e-9),
    (10000.0, 10100.0, -0.002415688003176367),
]
BETA = [
    (0.5, 0.5, 1e-06, -0.009185925720194629, 0.0008825423354943545),
    (0.5, 0.5, 0.999, -0.02790638008655638, 0.1514404525998915),
    (2.0, 3.2, 0.01, -0.002636161353090668, 0.0003601747113523988),
    (2.0, 3.2, 0.4, -0.2383864631696933, 0.1491300310804475),
    (2.0, 3.2, 0.98, -1.681544841273971e-5, 5.560875948671108e-5),
    (40.0, 0.3, 0.9, -0.0001984375816230881, 0.008336386228072763),
    (150.0, 220.0, 0.35, -0.002350448238357674, 0.001424554870481061),
]
STUDENT = [
    (1.0, 0.3, 0.01917681633236094),
    (3.5, -12.0, -0.0004316575334326152),
    (3.5, 1.1, 0.009143632817551144),
    (30.0, -2.0, -0.0001539308875150269),
    (300.0, 1.5, 1.75154779130475e-6),
]


@pytest.mark.parametrize(("a", "x", "wanted"), GAMMA)
def test_gamma(a: float, x: float, wanted: float) -> None:
    """Relatively exact in both tails, and so is the complement."""
    assert sg.grad(lambda a: special.gammainc(a, x))(a) == pytest.approx(wanted, rel=3e-11)
    assert sg.grad(lambda a: special.gammaincc(a, x))(a) == pytest.approx(-wanted, rel=3e-11)
    assert sg.grad(lambda v: special.chdtr(v, 2.0 * x))(2.0 * a) == pytest.approx(0.5 * wanted, rel=3e-11)
    assert sg.grad(lambda b: special.gdtr(0.5, b, 2.0 * x))(a) == pytest.approx(wanted, rel=3e-11)


@pytest.mark.parametrize(("a", "b", "x", "by_a", "by_b"), BETA)
def test_beta(a: float, b: float, x: float, by_a: float, by_b: float) -> None:
    found = sg.grad(lambda a, b: special.betainc(a, b, x), ("a", "b"))(a, b)
    assert found == pytest.approx((by_a, by_b), rel=3e-11)
    slopes = sg.grad(lambda n, m: special.fdtr(n, m, m * x / (n * (1.0 - x))), ("n", "m"))(2.0 * a, 2.0 * b)
    density = stats.beta.pdf(x, a, b) * x * (1.0 - x)                       # the point moves along
    assert np.allclose(slopes, (0.5 * by_a, 0.5 * by_b), rtol=1e-9, atol=1e-13 * density)


@pytest.mark.parametrize(("df", "t", "wanted"), STUDENT)
def test_student(df: float, t: float, wanted: float) -> None:
    """Of many degrees of freedom the beta distribution's derivative and that of its point cancel, and digits are lost."""
    assert sg.grad(lambda n: special.stdtr(n, t))(df) == pytest.approx(wanted, rel=1e-12 * max(df, 10.0) ** 1.5)


def test_inverses() -> None:
    """A quantile moves as its distribution function stays as it is."""
    check(lambda a, y: np.sum(special.gammaincinv(a, y) ** 2), np.array([0.6, 2.5]), np.array([0.2, 0.9]))
    check(lambda a, y: np.sum(special.gammainccinv(a, y) ** 2), np.array([0.6, 2.5]), np.array([0.2, 0.9]))
    check(lambda a, b, y: np.sum(special.betaincinv(a, b, y) ** 2), np.array([0.6, 2.5]),
          np.array([1.2, 3.0]), np.array([0.2, 0.9]))
    check(lambda n, y: np.sum(special.stdtrit(n, y) ** 3), np.array([3.0, 7.5]), np.array([0.2, 0.9]))
    check(lambda v, p: np.sum(special.chdtri(v, p) ** 2), np.array([3.0, 7.5]), np.array([0.2, 0.9]))
    check(lambda n, m, p: np.sum(special.fdtri(n, m, p) ** 2), np.array([3.0, 7.5]), np.array([4.0, 9.0]), np.array([0.2, 0.9]))


def test_at_the_ends() -> None:
    """Where the distribution function is 0 or 1 it stays so."""
    for function in (lambda a: special.gammainc(a, 0.0), lambda a: special.gammainc(a, np.inf),
                     lambda a: special.chdtrc(a, np.inf),
                     lambda a: special.stdtr(a, 0.0),
                     lambda a: stats.gamma.cdf(np.inf, a), lambda a: stats.gamma.sf(-1.0, a),
                     lambda a: stats.beta.cdf(1.0, a, 0.5), lambda a: stats.beta.cdf(0.0, 0.5, a),
                     lambda a: stats.t.cdf(np.inf, a)):
        for a in (0.5, 1.0, 2.5):
            assert sg.grad(function)(a) == 0.0


def test_in_an_interval() -> None:
    """A likelihood of data in intervals, of which the last goes to infinity."""
    edges, counts = np.array([0.0, 1.0, 2.5, np.inf]), np.array([3.0, 5.0, 2.0])

    def likelihood(a, scale):
        return np.sum(counts * np.log(np.diff(stats.gamma.cdf(edges, a, scale=scale))))

    sg.check_grad(likelihood, 1.7, 0.9, inputs=("a", "scale"))
