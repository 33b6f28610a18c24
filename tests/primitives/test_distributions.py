"""Distributions of scipy.stats: the plain Python that stands for them equals SciPy; its derivatives are those by differences."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives
from sourcegrad.errors import SourcegradError
from sourcegrad.ir.source import register
from sourcegrad.primitives.core import METHODS_OF_DISTRIBUTIONS as METHODS, primitive_of
from tests.oracle.rules import numeric_vjp

stats = pytest.importorskip("scipy.stats")
primitives.with_scipy()
pytestmark = pytest.mark.filterwarnings("ignore")

INF, NAN = np.inf, np.nan
SHAPES: dict[str, list[tuple]] = {                    # the first is one at which everything is smooth; the last of some is wrong
    "norm": [()], "uniform": [()], "expon": [()], "laplace": [()], "logistic": [()], "cauchy": [()], "gumbel_r": [()],
    "gumbel_l": [()], "rayleigh": [()], "maxwell": [()], "halfnorm": [()], "halfcauchy": [()],
    "gamma": [(2.5,), (1.0,), (0.5,), (-1.0,)], "invgamma": [(2.5,), (1.0,), (0.5,), (-1.0,)],
    "chi2": [(3.2,), (2,), (1,), (-1,)], "loggamma": [(1.5,), (0.3,), (-1,)],
    "beta": [(2.0, 3.2), (1, 1), (0.5, 0.5), (-1, 2)], "powerlaw": [(2.3,), (1,), (0.5,), (-1,)],
    "t": [(3.5,), (1,), (2,), (INF,), (-1,)], "f": [(3.2, 5.5), (2, 2), (1, 4.5), (-1, 2)], "lognorm": [(0.5,), (2,), (-1,)],
    "skewnorm": [(1.2,), (0,), (-3,), (INF,)], "truncnorm": [(-1.0, 2.0), (1, 3), (-3, -1), (2, 1), (-INF, 1.0), (0.5, INF)],
    "weibull_min": [(1.5,), (1,), (0.5,), (-1,)], "pareto": [(2.5,), (1,), (0.5,), (-1,)],
    "genpareto": [(0.3,), (0,), (-0.5,), (-1,), (-2.0,), (1.0,)],
    "genextreme": [(0.3,), (0,), (-0.4,), (1,), (2,), (0.004,), (-0.02,)],
    "invgauss": [(1.5,), (0.3,), (-1,)], "triang": [(0.3,), (0,), (1,), (2,)], "vonmises": [(2.0,), (0,), (-1,)],
    "gennorm": [(1.5,), (1,), (2,), (3.0,), (-1,)], "wrapcauchy": [(0.4,), (0.9,), (-0.5,), (1.0,)],
    "betabinom": [(5, 2.0, 1.5), (0, 1, 1), (2.5, 1, 1), (4, -1, 2)],
    "poisson": [(2.5,), (0,), (-1,)], "binom": [(5, 0.3), (5, 0), (5, 1), (2.5, 0.3), (5, 2.0)],
    "bernoulli": [(0.3,), (0,), (1,), (2,)], "geom": [(0.3,), (1,), (0,)], "nbinom": [(3.5, 0.3), (2, 1), (-1, 0.3)],
    "randint": [(-1, 4), (2, 2)], "hypergeom": [(20, 7, 12), (10, 3, 4)], "zipf": [(2.5,), (1,)]}
DISCRETE = {"betabinom", "poisson", "binom", "bernoulli", "geom", "nbinom", "randint", "hypergeom", "zipf"}
X = np.array([-INF, -3, -1, -0.5, -1e-9, 0, 1e-9, 0.25, 0.3, 0.5, 0.7, 1, 1 - 1e-9, 2, 2.5, 3, 4, 5, 40, INF, NAN])
Q = np.array([-0.1, 0, 1e-9, 0.01, 0.3, 0.5, 0.9, 1 - 1e-6, 1, 1.1, NAN])
OF_X, OF_Q = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"), ("ppf", "isf")
OF_NOTHING = ("mean", "var", "std", "entropy", "median")
WITHOUT = {                                             # what has no formula: refused
    "skewnorm": {"ppf", "isf", "interval", "entropy", "median", "logcdf", "logsf"},
    "vonmises": {"cdf", "sf", "logcdf", "logsf", "ppf", "isf", "interval", "mean", "var", "std", "median"},
    "invgauss": {"ppf", "isf", "interval", "entropy", "median"},
    "wrapcauchy": {"mean", "var", "std"}, "betabinom": {"cdf", "sf", "logcdf", "logsf", "entropy"},
    "hypergeom": {"cdf", "sf", "logcdf", "logsf", "var", "std", "entropy"},
    "zipf": {"cdf", "sf", "logcdf", "logsf", "mean", "var", "std", "entropy"},
    **{name: {"entropy"} for name in ("poisson", "binom", "geom", "nbinom", "randint")}}
FINITE_HERE = {("truncnorm", "entropy")}                # SciPy gives NaN where a bound is infinite


def methods(name: str) -> list[str]:
    left_out = {"ppf", "isf", "interval", "median"} if name in DISCRETE else set()
    return [m for m in METHODS if hasattr(getattr(stats, name), m) and m not in WITHOUT.get(name, set()) | left_out]


def given(method: str) -> tuple:
    return (X,) if method in OF_X else (Q,) if method in OF_Q else (0.9,) if method == "interval" else ()


@pytest.mark.parametrize("name", SHAPES)
def test_values(name: str) -> None:
    """Everywhere: in and outside of the support, at its ends, in the tails, at infinity, of wrong parameters, of NaN."""
    distribution = getattr(stats, name)
    family, wrong = primitive_of(distribution).instead, []
    for shapes in SHAPES[name]:
        for rest in [(0,), (1,)] if name in DISCRETE else [(), (1.5, 2.0), (0, -1.0)]:
            for method in methods(name):
                wanted = getattr(distribution, method)(*given(method), *shapes, *rest)
                found = METHODS[method](family, *given(method), *shapes, *rest)
                if method != "interval" and type(found) is not type(wanted):
                    wrong.append(f"{method}{shapes}{rest} is a {type(found)}, not {type(wanted)}")
                a, b = np.broadcast_arrays(np.asarray(found, float), np.asarray(wanted, float))
                equal = np.isclose(a, b, 1e-7, 1e-13, equal_nan=True)
                equal |= (method == "logcdf") & np.isnan(a) & (b == 0.0)              # of wrong parameters SciPy gives 0 far right
                equal |= ((name, method) in FINITE_HERE) & np.isnan(b)
                if not equal.all():
                    wrong.append(f"{method}{shapes}{rest} at {given(method)}: {a[~equal]} is not {b[~equal]}")
    assert not wrong, "\n".join(wrong)


def program(text: str) -> object:
    """A function with a source text of its own."""
    name = f"<distributions {program.count}>"                   # type: ignore[attr-defined]
    program.count += 1                                          # type: ignore[attr-defined]
    register(name, text)
    module = {"np": np, "stats": stats, "__name__": __name__}
    exec(compile(text, name, "exec"), module)
    return module["f"]


program.count = 0                                               # type: ignore[attr-defined]
INSIDE = {"uniform": [0.1, 0.45, 0.8], "beta": [0.1, 0.45, 0.8], "powerlaw": [0.1, 0.45, 0.8], "triang": [0.1, 0.45, 0.8],
          "pareto": [1.1, 1.7, 4.0], "truncnorm": [-0.8, 0.3, 1.5], "geom": [1.0, 2.0, 5.0], "zipf": [1.0, 2.0, 5.0],
          "bernoulli": [0.0, 1.0, 1.0], "binom": [0.0, 2.0, 5.0], "hypergeom": [0.0, 2.0, 5.0], "poisson": [0.0, 2.0, 5.0],
          "nbinom": [0.0, 2.0, 5.0], "betabinom": [0.0, 2.0, 5.0], "wrapcauchy": [0.5, 3.0, 6.0], "randint": [0.0, 2.0, 3.0]}
WEIGHTS = "np.array([0.3, -1.2, 0.7, 0.4, 1.1])"


def arguments(name: str) -> tuple[np.ndarray, dict[str, float]]:
    """Points (one on each side of the support at the end), and the parameters."""
    shapes = (getattr(stats, name).shapes or "").replace(" ", "").split(",") if SHAPES[name][0] else []
    parameters = dict(zip(shapes, map(float, SHAPES[name][0]))) | ({"loc": 0.0} if name in DISCRETE else {"loc": 0.4, "scale": 1.7})
    inside = np.array(INSIDE.get(name, [0.3, 0.9, 2.2]))
    z = np.array([*inside, -50.0, 60.0]) if name in DISCRETE or name in INSIDE else np.array([*inside, 1.4, 3.1])
    return parameters["loc"] + parameters.get("scale", 1.0) * z, parameters


def compared(function: object, args: tuple, inputs: list[int], tolerance: float = 2e-6) -> None:
    names = tuple(list(function.__code__.co_varnames)[k] for k in inputs)        # type: ignore[attr-defined]
    found = sg.grad(function, names)(*args)
    for k, gradient in zip(inputs, found):
        wanted = numeric_vjp(function, args, k, 1.0, 1e-6)
        assert np.allclose(gradient, wanted, tolerance, tolerance), f"{names[inputs.index(k)]}: {gradient} is not {wanted}"


@pytest.mark.parametrize("name", [name for name in SHAPES if name not in ("zipf", "hypergeom", "randint")])
def test_density(name: str) -> None:
    """Frozen: the density and the moments by the points and all parameters."""
    x, parameters = arguments(name)
    log_density, density = ("logpmf", "pmf") if name in DISCRETE else ("logpdf", "pdf")
    inner = f"{WEIGHTS} * np.maximum(d.{log_density}(x), -30.0) + d.{density}(x)"
    wanted = [m for m in ("mean", "var", "std", "entropy") if m in methods(name) and "cauchy" not in name]
    moments = " + ".join(["0.0", *(f"d.{m}()" for m in wanted)])
    names = list(parameters)
    function = program(f"def f(x, {', '.join(names)}):\n    d = stats.{name}({', '.join(names)})\n"
                       f"    return np.sum({inner}) + {moments}\n")
    fixed = {"loc", "x", *(["n"] if "binom" in name and name != "nbinom" else [])} if name in DISCRETE else set()
    compared(function, (x, *parameters.values()), [k for k, n in enumerate(["x", *names]) if n not in fixed])


@pytest.mark.parametrize("name", [
    name for name in SHAPES if name not in ("betabinom", "vonmises", "zipf", "hypergeom", "randint")])
def test_distribution_function(name: str) -> None:
    """Not frozen: the distribution function and the quantiles by the points and all parameters, of discrete ones by p or mu."""
    x, parameters = arguments(name)
    shapes = [value for key, value in parameters.items() if key not in ("loc", "scale")]
    of_x = [m for m in ("cdf", "sf", "logcdf", "logsf") if m in methods(name)]
    of_q = [m for m in ("ppf", "isf") if m in methods(name)]
    if name in DISCRETE:
        rest = {"n": "5, ", "nbinom": "3.5, "}.get(name if name == "nbinom" else "n" if name == "binom" else "", "") + "a"
        calls = [f"np.maximum(stats.{name}.{m}(x, {rest}), -30.0)" for m in of_x]
        function = program(f"def f(x, a):\n    return np.sum({' + 0.7 * '.join(calls)})\n")
        compared(function, (x, shapes[-1]), [1])
        return
    named = list(parameters)[:len(shapes)]
    rest = "".join(f"{key}, " for key in named)
    calls = [f"np.maximum(stats.{name}.{m}(x, {rest}loc, scale), -30.0)" for m in of_x] + [
        f"stats.{name}.{m}(q, {rest}loc=loc, scale=scale)" for m in of_q]
    function = program(f"def f(x, q, {rest}loc, scale):\n    return np.sum({' + 0.7 * '.join(calls)})\n")
    inputs = [0, *range(2, 4 + len(named))] + [1] * bool(of_q)
    compared(function, (x, np.array([0.1, 0.3, 0.6, 0.7, 0.9]), *shapes, 0.4, 1.7), inputs)


# --- the mechanism

norm, gamma = stats.norm, stats.gamma
FROZEN = stats.gamma(2.5, scale=2.0)
BY_NAME = stats.norm(loc=1.0, scale=np.array([1.0, 2.0, 3.0]))
POINTS = np.array([0.5, 1.5, 2.5])

SPELLINGS = {
    "module": lambda x, a: np.sum(stats.gamma.logpdf(x, a)),
    "name": lambda x, a: np.sum(gamma.logpdf(x, a, 0.0, 2.0)),
    "keywords": lambda x, a: np.sum(gamma.logpdf(x, scale=a, a=2.0)),
    "frozen at once": lambda x, a: np.sum(gamma(a).logpdf(x)),
    "frozen by keyword": lambda x, a: np.sum(gamma(a=a, scale=2.0 + a).pdf(x)),
    "frozen outside": lambda x, a: np.sum(FROZEN.logpdf(a * x)) + FROZEN.mean() * a,
    "frozen outside with an array": lambda x, a: np.sum(BY_NAME.logpdf(a * x) * BY_NAME.cdf(x)),
    "arrays as parameters": lambda x, a: np.sum(norm.logpdf(a, x, x * x)),
    "of a number": lambda x, a: norm.cdf(a, x[0], x[1]) * a,
    "constant": lambda x, a: a * norm.ppf(0.975) + np.sum(x),
    "interval": lambda x, a: norm.interval(0.9, a, x[0])[1] * a,
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings(name: str) -> None:
    sg.check_grad(SPELLINGS[name], POINTS, 1.3, inputs=("x", "a"))


class Model:
    def __init__(self):
        self.prior, self.noise = stats.norm(0.0, 2.0), stats.laplace

    def loss(self, x):
        return np.sum(self.prior.logpdf(x)) + np.sum(self.noise.logcdf(x))


MODEL = Model()
PDF, TABLE = stats.norm.pdf, {"normal": stats.norm, "laplace": stats.laplace}


def by_default(x, d=stats.norm):
    return np.sum(d.logpdf(x))


def of_argument(d, x):
    return np.sum(d.logpdf(x))


def under_other_names(x):
    density, d = stats.norm(0.5, 2.0).logpdf, stats.laplace
    return np.sum(PDF(x)) + np.sum(density(x)) * d.sf(x[0])


def in_a_loop(x):
    total = 0.0
    for d in (stats.norm, stats.laplace):
        total += np.sum(d.logpdf(x))
    return total


def chosen(x):
    d = stats.norm if x[0] > 0 else stats.laplace
    return np.sum(d.logpdf(x)) + np.sum(TABLE["laplace"].cdf(x))


def handed_on(x):
    return of_argument(stats.norm, x) + of_argument(stats.norm(x[0], 1.0), x * x)


def of_model(x):
    return MODEL.loss(x)


AS_VALUES = [by_default, under_other_names, in_a_loop, chosen, handed_on, of_model]


@pytest.mark.parametrize("function", AS_VALUES)
def test_as_values(function) -> None:
    sg.check_grad(function, POINTS)


def test_what_a_distribution_keeps_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no change of the user's memory: a table that the first call fills."""
    keeping = stats.norm.cdf

    def cdf(*args, **options):
        stats.norm.__dict__.setdefault("kept", []).append(1)
        return keeping(*args, **options)

    monkeypatch.setattr(stats.norm, "kept", None, raising=False)
    del stats.norm.kept
    monkeypatch.setattr(type(stats.norm), "cdf", lambda self, *args, **options: cdf(*args, **options))
    sg.check_grad(lambda x: np.sum(norm.cdf(x)), POINTS)
    assert stats.norm.kept


def test_another_argument() -> None:
    """What a name, an attribute or an argument stands for is asked at each call."""
    gradient = sg.grad(of_argument, "x")
    for d in (stats.norm, stats.norm(1.0, 2.0), stats.norm(2.0, 2.0), stats.gumbel_r):
        wanted = numeric_vjp(of_argument, (d, POINTS), 1, 1.0, 1e-6)
        np.testing.assert_allclose(gradient(d, POINTS), wanted, rtol=1e-6)
    gradient, before = sg.grad(of_model), MODEL.prior
    first = gradient(POINTS)
    try:
        MODEL.prior = stats.norm(1.0, 1.0)
        np.testing.assert_allclose(gradient(POINTS), numeric_vjp(of_model, (POINTS,), 0, 1.0, 1e-6), rtol=1e-6)
    finally:
        MODEL.prior = before
    np.testing.assert_array_equal(gradient(POINTS), first)


def kept(x, d_mean):
    d = stats.norm(d_mean, 2.0)
    distributions = [d, stats.norm(0.5 * d_mean, 1.0)]
    total = 0.0
    for distribution in distributions:
        total += np.sum(distribution.logpdf(x))
    return total


def test_kept_in_a_list() -> None:
    sg.check_grad(kept, POINTS, 0.3, inputs=("x", "d_mean"))


def likelihood(parameters, data):
    return -np.sum(stats.weibull_min.logpdf(data, parameters[0], scale=parameters[1]))


def test_second_order() -> None:
    sg.check_grad(likelihood, np.array([1.5, 2.0]), POINTS, inputs=("parameters",), order=2)
    sg.check_grad(lambda x, a: np.sum(norm.logcdf(x, a, 1.0 + a * a)), POINTS, 0.3, inputs=("x", "a"), order=2)


def spelled(x, mu, s):
    return np.sum(stats.norm(mu, s).logpdf(x))


def test_text() -> None:
    """The formula of the density stands in the text: no object, no call of SciPy."""
    gradient = sg.grad(spelled, ("mu", "s"))
    gradient(POINTS, 0.3, 1.2)
    assert "(x - mu) / " in gradient.source and "stats" not in gradient.source and "new_object" not in gradient.source


def test_single_precision() -> None:
    x = POINTS.astype(np.float32)
    value, gradient = sg.value_and_grad(lambda x: np.sum(stats.gamma.logpdf(x, np.float32(2.5))))(x)
    assert gradient.dtype == np.float32
    assert np.allclose(gradient, sg.grad(lambda x: np.sum(stats.gamma.logpdf(x, 2.5)))(POINTS), 1e-5)


def test_frozen_again() -> None:
    """The name of a frozen distribution means another one later: the next call sees it."""
    global FROZEN
    before = FROZEN
    gradient = sg.grad(again)
    first = gradient(1.5)
    try:
        FROZEN = stats.gamma(4.5, scale=2.0)
        assert not np.isclose(gradient(1.5), first)
        assert np.isclose(gradient(1.5), FROZEN.pdf(1.5))
    finally:
        FROZEN = before
    assert gradient(1.5) == first


def again(x):
    return FROZEN.cdf(x)


REFUSED = {
    "a method without formula": (lambda x: np.sum(stats.skewnorm.ppf(x / 4.0, 2.0)),
                                 "the quantile of this distribution has no formula"),
    "a moment without formula": (lambda x: np.sum(stats.skewnorm.entropy(x)), "the entropy of this distribution has no formula"),
    "a moment of a frozen one": (lambda x: stats.vonmises(x[0]).var() + x[0], "the variance of this distribution has no formula"),
    "a distribution without formula": (lambda x: np.sum(stats.moyal.pdf(x)), "`sourcegrad rules` lists the distributions"),
    "random numbers by their parameters": (lambda x: np.sum(stats.norm.rvs(x)), "`sourcegrad rules` lists the distributions"),
    "a quantile of whole numbers": (lambda x: np.sum(stats.poisson.ppf(0.3, x)), "which is a step"),
    "an upper quantile of a frozen one": (lambda x: stats.binom(5, x[0]).isf(0.2) * x[0], "which is a step"),
    "the median of one": (lambda x: stats.geom(x[0]).median() + x[0], "which is a step"),
    "an interval of one": (lambda x: stats.nbinom(3.0, x[0]).interval(0.9)[0] + x[0], "which is a step"),
    "of a beta-binomial one": (lambda x: np.sum(stats.betabinom.cdf(2, 5, x, 1.0)), "has no formula"),
    "of Zipf's by its parameter": (lambda x: np.sum(stats.zipf.logpmf(3, x)), "has no formula in other functions of SciPy"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    function, message = REFUSED[name]
    with pytest.raises(SourcegradError) as caught:
        sg.grad(function)(POINTS)
    assert message in str(caught.value) and "test_distributions.py:" in str(caught.value)
