"""Special functions, densities and distribution functions against derivatives of mpmath, which has as many digits as one wants.

A case is a form of SciPy, the same in mpmath, and points: in the middle, at 0 and at bounds, and in the tails.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from tests.coverage.values import HEADER, SCIPY, module_of

pytest.importorskip("mpmath")
pytestmark = pytest.mark.filterwarnings("ignore")
DIGITS = 60
X, P, U, W = (-2.3, -0.4, 0.0, 0.7, 3.1), (0.02, 0.4, 1.7, 6.5, 40.0), (-0.95, -0.3, 0.0, 0.6, 0.99), (1e-6, 0.03, 0.4, 0.97)
OF_ONE = {  # of x: SciPy, mpmath, points
    "erf": ("erf(x)", X),
    "erfc": ("erfc(x)", (*X, 8.0)),
    "erfi": ("erfi(x)", X),
    "erfcx": ("exp(x * x) * erfc(x)", (*X, 8.0)),
    "erfinv": ("erfinv(x)", U),
    "ndtr": ("ncdf(x)", X),
    "log_ndtr": ("log(ncdf(x))", (*X, -12.0, 6.0)),
    "ndtri": ("sqrt(2) * erfinv(2 * x - 1)", W),
    "dawsn": ("sqrt(pi) / 2 * exp(-x * x) * erfi(x)", (*X, 12.0)),
    "gamma": ("gamma(x)", (-2.5, *P)),
    "gammaln": ("log(abs(gamma(x)))", (-2.5, *P)),
    "digamma": ("digamma(x)", (-2.5, *P)),
    "rgamma": ("rgamma(x)", (0.0, -1.0, -2.5, *P)),
    "loggamma": ("loggamma(x)", P),
    "expi": ("ei(x)", P),
    "exp1": ("e1(x)", P),
    "j0": ("besselj(0, x)", (*X, 25.0)),
    "j1": ("besselj(1, x)", (*X, 25.0)),
    "y0": ("bessely(0, x)", P),
    "y1": ("bessely(1, x)", P),
    "i0": ("besseli(0, x)", X),
    "i1": ("besseli(1, x)", X),
    "k0": ("besselk(0, x)", P),
    "k1": ("besselk(1, x)", P),
    "i0e": ("besseli(0, x) * exp(-abs(x))", (-2.3, 0.7, 30.0)),
    "k1e": ("besselk(1, x) * exp(x)", P),
    "ellipk": ("ellipk(x)", (-5.0, -0.3, 1e-7, 0.6, 0.999)),
    "ellipe": ("ellipe(x)", (-5.0, -0.3, 1e-7, 0.6, 0.999)),
    "spence": ("polylog(2, 1 - x)", (0.3, 0.9, 1.4, 1.9)),
    "logit": ("log(x / (1 - x))", W),
    "expit": ("1 / (1 + exp(-x))", (*X, -30.0)),
    "entr": ("-x * log(x)", P),
    "exprel": ("expm1(x) / x", (-2.3, 1e-6, 0.7, 3.1)),
    "zetac": ("zeta(x) - 1", ()),
}
FORMS: dict[str, tuple[str, str, list[tuple]]] = {  # the arguments, the same in mpmath, points
    f"special.{name}(x)": ("x", theirs, [(x,) for x in points]) for name, (theirs, points) in OF_ONE.items() if points
} | {
    "special.polygamma(2, x)": ("x", "psi(2, x)", [(x,) for x in P]),
    "special.zeta(3.0, x)": ("x", "zeta(3, x)", [(x,) for x in P]),
    "special.jv(2.5, x)": ("x", "besselj(2.5, x)", [(x,) for x in P]),
    "special.yv(2.5, x)": ("x", "bessely(2.5, x)", [(x,) for x in P]),
    "special.iv(2.5, x)": ("x", "besseli(2.5, x)", [(x,) for x in P]),
    "special.kv(2.5, x)": ("x", "besselk(2.5, x)", [(x,) for x in P]),
    "special.airy(x)[0]": ("x", "airyai(x)", [(x,) for x in X]),
    "special.sici(x)[0]": ("x", "si(x)", [(x,) for x in P]),
    "special.sici(x)[1]": ("x", "ci(x)", [(x,) for x in P]),
    "special.shichi(x)[0]": ("x", "shi(x)", [(x,) for x in P]),
    "special.fresnel(x)[0]": ("x", "fresnels(x)", [(x,) for x in X]),
    "special.expn(2, x)": ("x", "expint(2, x)", [(x,) for x in P]),
    "np.real(special.lambertw(x))": ("x", "re(lambertw(x))", [(x,) for x in P]),
    "special.hyp1f1(1.3, 2.1, x)": ("x", "hyp1f1(1.3, 2.1, x)", [(x,) for x in X]),
    "special.hyp2f1(0.5, 1.0, 1.5, x)": ("x", "hyp2f1(0.5, 1, 1.5, x)", [(x,) for x in (-3.0, *U)]),
    "special.hyp0f1(1.5, x)": ("x", "hyp0f1(1.5, x)", [(x,) for x in X]),
    "special.eval_legendre(3, x)": ("x", "legendre(3, x)", [(x,) for x in U]),
    "special.eval_hermite(4, x)": ("x", "hermite(4, x)", [(x,) for x in X]),
    "special.eval_chebyt(4, x)": ("x", "chebyt(4, x)", [(x,) for x in U]),
    "special.eval_genlaguerre(3, 0.5, x)": ("x", "laguerre(3, 0.5, x)", [(x,) for x in P]),
    "special.beta(x, a)": ("x a", "beta(x, a)", [(0.3, 2.0), (4.0, 0.6), (30.0, 20.0)]),
    "special.betaln(x, a)": ("x a", "log(beta(x, a))", [(0.3, 2.0), (4.0, 0.6), (300.0, 20.0)]),
    "special.binom(x, a)": ("x a", "binomial(x, a)", [(5.5, 2.3), (3.0, 0.4)]),
    "special.poch(x, a)": ("x a", "rf(x, a)", [(1.5, 2.3), (3.0, 0.4)]),
    "special.gammainc(a, x)": ("x a", "gammainc(a, 0, x, regularized=True)", [(0.7, 0.3), (2.0, 2.5), (30.0, 25.0), (1e-3, 1.5)]),
    "special.gammaincc(a, x)": (
        "x a",
        "gammainc(a, x, inf, regularized=True)",
        [(0.7, 0.3), (2.0, 2.5), (30.0, 25.0), (60.0, 2.0)],
    ),
    "special.betainc(a, b, x)": (
        "x a b",
        "betainc(a, b, 0, x, regularized=True)",
        [(0.3, 2.0, 1.5), (0.9, 0.5, 4.0), (0.01, 3.0, 2.0)],
    ),
    "special.xlogy(x, a)": ("x a", "x * log(a)", [(0.7, 1.3), (2.0, 0.1)]),
    "special.xlog1py(x, a)": ("x a", "x * log1p(a)", [(0.7, 1.3), (2.0, 1e-9)]),
    "special.boxcox(x, a)": ("x a", "(x ** a - 1) / a", [(0.7, 1.3), (2.0, 1e-6), (5.0, -0.5)]),
    "special.kl_div(x, a)": ("x a", "x * log(x / a) - x + a", [(0.7, 1.3), (2.0, 0.1)]),
    "special.agm(x, a)": ("x a", "agm(x, a)", [(0.7, 1.3), (2.0, 0.1)]),
    "special.owens_t(x, a)": (
        "x a",
        "quad(lambda t: exp(-x * x * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * pi)",
        [(0.7, 1.3), (-1.5, 0.4)],
    ),
}
# densities, by name: shapes, the logarithm of the density of z in mpmath, points (z, then the shapes)
Z = "((x - loc) / scale)"
DENSITIES: dict[str, tuple[str, str, list[tuple]]] = {
    "norm": ("", "-z * z / 2 - log(2 * pi) / 2", [(0.3,), (-9.0,), (40.0,)]),
    "cauchy": ("", "-log(pi * (1 + z * z))", [(0.3,), (-90.0,)]),
    "laplace": ("", "-abs(z) - log(2)", [(0.3,), (-9.0,)]),
    "logistic": ("", "-z - 2 * log1p(exp(-z))", [(0.3,), (-30.0,), (30.0,)]),
    "gumbel_r": ("", "-z - exp(-z)", [(0.3,), (-3.0,), (30.0,)]),
    "gumbel_l": ("", "z - exp(z)", [(0.3,), (-30.0,), (3.0,)]),
    "expon": ("", "-z", [(0.3,), (30.0,)]),
    "rayleigh": ("", "log(z) - z * z / 2", [(0.3,), (9.0,)]),
    "maxwell": ("", "log(sqrt(2 / pi) * z * z) - z * z / 2", [(0.3,), (9.0,)]),
    "halfcauchy": ("", "log(2 / pi) - log1p(z * z)", [(0.3,), (90.0,)]),
    "gamma": ("a", "(a - 1) * log(z) - z - loggamma(a)", [(0.3, 0.4), (2.0, 3.5), (90.0, 20.0)]),
    "invgamma": ("a", "-(a + 1) * log(z) - 1 / z - loggamma(a)", [(0.3, 0.4), (2.0, 3.5)]),
    "chi2": ("df", "(df / 2 - 1) * log(z) - z / 2 - loggamma(df / 2) - df / 2 * log(2)", [(0.3, 1.4), (20.0, 3.5)]),
    "beta": ("a b", "(a - 1) * log(z) + (b - 1) * log(1 - z) - log(beta(a, b))", [(0.3, 0.4, 2.0), (0.999, 3.5, 1.2)]),
    "t": (
        "df",
        "loggamma((df + 1) / 2) - loggamma(df / 2) - log(pi * df) / 2 - (df + 1) / 2 * log1p(z * z / df)",
        [(0.3, 1.4), (-50.0, 3.5), (2.0, 1e4)],
    ),
    "f": (
        "dfn dfd",
        "dfn / 2 * log(dfn / dfd) + (dfn / 2 - 1) * log(z) - (dfn + dfd) / 2 * log1p(dfn / dfd * z) - log(beta(dfn / 2, dfd / 2))",
        [(0.3, 1.4, 3.0), (20.0, 3.5, 6.0)],
    ),
    "lognorm": ("s", "-log(z) ** 2 / (2 * s * s) - log(s * z * sqrt(2 * pi))", [(0.3, 0.4), (20.0, 1.5)]),
    "weibull_min": ("c", "log(c) + (c - 1) * log(z) - z ** c", [(0.3, 0.7), (3.0, 2.5)]),
    "pareto": ("b", "log(b) - (b + 1) * log(z)", [(1.3, 0.7), (30.0, 2.5)]),
    "powerlaw": ("a", "log(a) + (a - 1) * log(z)", [(0.3, 0.7), (0.9, 2.5)]),
    "genpareto": ("c", "-(1 + 1 / c) * log1p(c * z)", [(0.3, 0.7), (3.0, -0.2), (3.0, 1e-4)]),
    "genextreme": ("c", "(1 / c - 1) * log1p(-c * z) - exp(log1p(-c * z) / c)", [(0.3, 0.7), (-2.0, 0.2), (1.0, -0.3)]),
    "gennorm": ("b", "log(b / 2) - loggamma(1 / b) - abs(z) ** b", [(0.3, 0.7), (-3.0, 2.5)]),
    "vonmises": ("kappa", "kappa * cos(z) - log(2 * pi * besseli(0, kappa))", [(0.3, 0.7), (-3.0, 30.0)]),
    "wrapcauchy": ("c", "log((1 - c * c) / (2 * pi * (1 + c * c - 2 * c * cos(z))))", [(0.3, 0.7), (6.0, 0.1)]),
    "invgauss": ("mu", "-log(2 * pi * z ** 3) / 2 - (z - mu) ** 2 / (2 * z * mu * mu)", [(0.3, 0.7), (20.0, 2.5)]),
    "skewnorm": ("a", "log(2) - z * z / 2 - log(2 * pi) / 2 + log(ncdf(a * z))", [(0.3, 0.7), (-3.0, 2.5)]),
}
MASSES = {
    "poisson": ("mu", "k * log(mu) - mu - loggamma(k + 1)", [(0, 0.4), (7, 2.5), (100, 90.0)]),
    "binom": ("n p", "log(binomial(n, k)) + k * log(p) + (n - k) * log(1 - p)", [(2, 7, 0.3), (30, 90, 0.5)]),
    "geom": ("p", "(k - 1) * log(1 - p) + log(p)", [(1, 0.4), (30, 0.02)]),
    "nbinom": (
        "n p",
        "loggamma(n + k) - loggamma(k + 1) - loggamma(n) + n * log(p) + k * log(1 - p)",
        [(0, 3.5, 0.4), (30, 2.0, 0.1)],
    ),
    "betabinom": (
        "n a b",
        "log(binomial(n, k)) + log(beta(k + a, n - k + b)) - log(beta(a, b))",
        [(2, 7, 0.4, 2.0), (30, 90, 5.0, 9.0)],
    ),
}
BELOW: dict[str, tuple[str, str, list[tuple]]] = {  # distribution functions
    "norm": ("", "ncdf(z)", [(0.3,), (-9.0,)]),
    "logistic": ("", "1 / (1 + exp(-z))", [(0.3,), (-30.0,)]),
    "gamma": ("a", "gammainc(a, 0, z, regularized=True)", [(0.3, 0.4), (2.0, 3.5)]),
    "chi2": ("df", "gammainc(df / 2, 0, z / 2, regularized=True)", [(0.3, 1.4), (20.0, 3.5)]),
    "beta": ("a b", "betainc(a, b, 0, z, regularized=True)", [(0.3, 0.4, 2.0), (0.9, 3.5, 1.2)]),
    "t": ("df", "betainc(df / 2, 0.5, 0, df / (df + z * z), regularized=True) / 2", [(-0.3, 1.4), (-50.0, 3.5)]),
    "f": (
        "dfn dfd",
        "betainc(dfn / 2, dfd / 2, 0, dfn * z / (dfd + dfn * z), regularized=True)",
        [(0.3, 1.4, 3.0), (20.0, 3.5, 6.0)],
    ),
    "gennorm": ("b", "(1 + sign(z) * gammainc(1 / b, 0, abs(z) ** b, regularized=True)) / 2", [(0.3, 0.7), (-3.0, 2.5)]),
    "weibull_min": ("c", "-expm1(-z ** c)", [(0.3, 0.7), (1e-4, 2.5)]),
    "cauchy": ("", "atan(z) / pi + 0.5", [(0.3,), (90.0,)]),
}


def of_stats() -> dict[str, tuple[str, str, list[tuple]]]:
    found: dict[str, tuple[str, str, list[tuple]]] = {}
    for name, (shapes, theirs, points) in DENSITIES.items():
        given = ", ".join(["x", *shapes.split(), "loc", "scale"])
        moved = [(0.2 + 1.7 * z, *rest, 0.2, 1.7) for z, *rest in points]
        formula = re.sub(r"\bz\b", Z, theirs)
        found[f"stats.{name}.logpdf({given})"] = given.replace(",", ""), f"{formula} - log(scale)", moved
        found[f"stats.{name}.pdf({given})"] = given.replace(",", ""), f"exp({formula}) / scale", moved
    for name, (shapes, theirs, points) in BELOW.items():
        given = ", ".join(["x", *shapes.split(), "loc", "scale"])
        moved = [(0.2 + 1.7 * z, *rest, 0.2, 1.7) for z, *rest in points]
        found[f"stats.{name}.cdf({given})"] = given.replace(",", ""), re.sub(r"\bz\b", Z, theirs), moved
    for name, (shapes, theirs, points) in MASSES.items():
        given = ", ".join(["k", *shapes.split()])
        found[f"stats.{name}.logpmf({given})"] = given.replace(",", ""), theirs, points
    return found


CASES = FORMS | of_stats()
FIRST = {"special.agm(x, a)"}                     # a second derivative is refused
WHOLE = {"k", "n"}  # by these nothing is differentiated


@pytest.mark.parametrize("form", CASES)
def test_derivatives(form: str, tmp_path) -> None:
    """First derivatives by all arguments, and the second by the first that is not a whole number."""
    mp = pytest.importorskip("mpmath")
    pytest.importorskip("scipy")
    named, theirs, points = CASES[form]
    names = named.split()
    f = module_of([HEADER, SCIPY, f"\ndef f({', '.join(names)}):\n    return {form}\n"], tmp_path).f
    exact: Any = eval(f"lambda {', '.join(names)}: {theirs}", {**vars(mp), "abs": mp.fabs})
    counts = WHOLE if "pmf" in form and "nbinom" not in form else {"k"}
    inputs = tuple(name for name in names if name not in counts)
    wrong = []
    for point in points:
        with mp.workdps(DIGITS):
            wanted = [mp.diff(exact, point, tuple(int(n == name) for n in names)) for name in inputs]
            twice = mp.diff(exact, point, tuple(2 * (n == inputs[0]) for n in names))
        with np.errstate(all="ignore"):
            found = sg.grad(f, inputs)(*point)
            second = sg.hvp(f)(point[0], 1.0, *point[1:]) if names[0] == inputs[0] and form not in FIRST else float(twice)
        for name, a, b in [*zip(inputs, found, wanted), (f"{inputs[0]} twice", second, twice)]:
            if not np.isclose(float(a), float(mp.re(b)), 1e-8, 1e-14):
                wrong.append(f"by {name} at {point}: {a} is not {mp.nstr(b, 17)}")
    assert not wrong, "\n".join(wrong)
