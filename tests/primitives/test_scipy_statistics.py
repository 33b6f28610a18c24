"""Distributions of several variables and statistics of samples of scipy.stats: equal to SciPy's, with their derivatives."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives
from sourcegrad.errors import SourcegradError
from sourcegrad.primitives.core import primitive_of

stats = pytest.importorskip("scipy.stats")
primitives.with_scipy()
pytestmark = pytest.mark.filterwarnings("ignore")

A = np.array([[2.0, 0.5, 1.3], [0.5, 1.0, 3.0], [1.0, 3.0, 4.0], [2.2, 0.1, 1.0]])
S, M, X = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([0.1, 0.2]), np.array([[0.3, 0.2], [1.0, -1.0], [0.5, 2.0]])

SEVERAL = {
    "normal": lambda x, m, s: np.sum(stats.multivariate_normal.logpdf(x, m, s @ s.T)),
    "normal, frozen": lambda x, m, s: (
        stats.multivariate_normal(m, cov=s @ s.T).logpdf(x[0]) * stats.multivariate_normal(m, s).entropy()),
    "normal, variances": lambda x, m, s: np.sum(
        stats.multivariate_normal.pdf(x, m, np.diag(s)) + x[:, 0] * stats.multivariate_normal(m, s[0, 0]).pdf(x)),
    "normal around zero": lambda x, m, s: np.sum(stats.multivariate_normal.logpdf(x, cov=s @ s.T)) + m[0],
    "Student's t": lambda x, m, s: np.sum(stats.multivariate_t.logpdf(x, m, s @ s.T, df=4.5 + m[0])),
    "Student's t, frozen": lambda x, m, s: np.sum(stats.multivariate_t(m, s @ s.T, 3.0).pdf(x)),
    "perhaps singular": lambda x, m, s: np.sum(stats.multivariate_normal.logpdf(x, m, s @ s.T, allow_singular=True)),
    "one row": lambda x, m, s: (
        stats.multivariate_normal.logpdf(x[:1], m, s @ s.T) * stats.multivariate_t.logpdf(x[1:2], m, s @ s.T)),
    "one variable": lambda x, m, s: (
        stats.multivariate_normal.logpdf(x[0, :1], m[:1], s[:1, :1], True) * stats.multivariate_normal.pdf(x[0, 1], m[0], s[0, 0])
        + stats.multivariate_t.logpdf(x[0, 0], m[0], s[0, 0], df=3.0)
        * np.sum(stats.multivariate_normal.pdf(x[:, :1], cov=s[1, 1]))),
    "Wishart": lambda x, m, s: stats.wishart.logpdf(s @ s.T + np.eye(2), 4.0 + m[0], s @ s.T) + x[0, 0],
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_variables(name: str) -> None:
    function = SEVERAL[name]
    assert sg.value_and_grad(function)(X, M, S)[0] == pytest.approx(function(X, M, S), rel=1e-12)
    sg.check_grad(function, X, M, S, inputs=("x", "m", "s"))


FLAT = np.array([[1.0, 0.5], [0.2, 1.0], [1.2, 1.5]])
ON_A_PLANE = {      # a matrix of rank 2, and points that stay on the plane
    "logpdf": lambda x, m: np.sum(stats.multivariate_normal(np.zeros(3), FLAT @ FLAT.T, True).logpdf((x - m) @ FLAT.T)
                                  * np.array([1.0, 2.0, 0.5])),
    "pdf of one": lambda x, m: stats.multivariate_normal.pdf(FLAT @ (x[0] - m), cov=FLAT @ FLAT.T, allow_singular=True),
    "variances": lambda x, m: np.sum(stats.multivariate_normal(np.zeros(3), np.array([1.0, 0.0, 2.0]), allow_singular=True).logpdf(
        np.stack([x[:, 0] - m[0], 0.0 * x[:, 0], x[:, 1]], 1))),
}


@pytest.mark.parametrize("name", ON_A_PLANE)
def test_singular_matrices(name: str) -> None:
    """Of a constant matrix, to second order and in both modes."""
    function = ON_A_PLANE[name]
    assert sg.value_and_grad(function)(X, M)[0] == pytest.approx(function(X, M), rel=1e-9)
    sg.check_grad(function, X, M, inputs=("x", "m"), order=2)
    _, dot = sg.jvp(function, (X, M), (X[::-1].copy(), M))
    by_x, by_m = sg.grad(function, (0, 1))(X, M)
    assert dot == pytest.approx(np.sum(by_x * X[::-1]) + np.sum(by_m * M))


def beside_the_plane(x):
    return stats.multivariate_normal.logpdf(x, cov=np.diag([1.0, 0.0]), allow_singular=True)


def test_beside_the_plane() -> None:
    with np.errstate(all="ignore"):
        value, gradient = sg.value_and_grad(beside_the_plane)(np.array([0.3, 0.1]))
    assert value == beside_the_plane(np.array([0.3, 0.1])) == -np.inf and not gradient.any()


COUNTS = np.array([[2, 1, 0], [1, 1, 1], [4, 0, 0], [-1, 2, 2]])
MULTINOMIAL = {
    "of one": lambda a: stats.multinomial.logpmf(COUNTS[0], 3, a[0] / np.sum(a[0])),
    "of rows": lambda a: np.sum(stats.multinomial.pmf(COUNTS, 3, a / np.sum(a, axis=1, keepdims=True)) * np.arange(1.0, 5.0)),
    "frozen": lambda a: (
        stats.multinomial(3, a[1] / np.sum(a[1])).pmf(COUNTS[1]) + stats.multinomial(3, a[1] / np.sum(a[1])).mean()[0]),
}


@pytest.mark.parametrize("name", MULTINOMIAL)
def test_multinomial(name: str) -> None:
    """Inside and outside of its support."""
    function = MULTINOMIAL[name]
    assert sg.value_and_grad(function)(A)[0] == pytest.approx(function(A), rel=1e-12)
    sg.check_grad(function, A, order=2)


SAMPLES = {
    "skew": lambda a: np.sum(stats.skew(a) ** 2) + stats.skew(a, axis=None, bias=False),
    "kurtosis": lambda a: np.sum(stats.kurtosis(a, 1, fisher=False)) + stats.kurtosis(a, axis=None, bias=False),
    "sem": lambda a: np.sum(stats.sem(a, axis=1)) + stats.sem(a, None, 0),
    "zscore": lambda a: np.sum(stats.zscore(a) ** 3) + np.sum(stats.zscore(a, axis=1, ddof=1) ** 3),
    "gmean": lambda a: np.sum(stats.gmean(a, axis=1)) + stats.gmean(a[:, 0], weights=np.array([1.0, 2.0, 0.5, 1.0])),
    "hmean": lambda a: np.sum(stats.hmean(a, axis=1)) + stats.hmean(a[:, 0], weights=np.array([1.0, 2.0, 0.5, 1.0])),
    "pearsonr": lambda a: stats.pearsonr(a[:, 0], a[:, 1])[0] + stats.pearsonr(a[:, 0], a[:, 2]).pvalue,
    "linregress": lambda a: sum(stats.linregress(a[:, 0], a[:, 1])) + stats.linregress(a[:, 1], a[:, 2]).slope,
    "gaussian_kde": lambda a: np.sum(stats.gaussian_kde(a[:, 0])(np.array([1.0, 2.0]))),
    "gaussian_kde, bandwidth": lambda a: np.sum(stats.gaussian_kde(a[:, :2].T, bw_method=0.7).logpdf(a[:, 1:].T)),
    "gaussian_kde, weights": lambda a: np.sum(stats.gaussian_kde(a[:, 0], "silverman", a[:, 1]).evaluate(np.array([1.0, 2.0]))),
    "dirichlet": lambda a: (
        stats.dirichlet.logpdf(a[:, 0] / np.sum(a[:, 0]), a[:, 1]) + np.sum(stats.dirichlet(a[:, 2]).mean() ** 2)),
    "dirichlet, one left out": lambda a: (
        stats.dirichlet.pdf(a[1:, 0] / np.sum(a[:, 0]), a[:, 1]) + stats.dirichlet(a[:, 2]).var()[0]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name: str) -> None:
    function = SAMPLES[name]
    assert sg.value_and_grad(function)(A)[0] == pytest.approx(function(A), rel=1e-12)
    sg.check_grad(function, A)


VALUES = [np.array([1.0, 2.0, 4.0]), A, np.array([1, 2, 4]), np.ones((2, 3, 4)) + np.arange(4.0), [1.0, 3.0], A.astype(np.float32)]


@pytest.mark.parametrize("name", ["skew", "kurtosis", "sem", "zscore", "gmean", "hmean"])
def test_values(name: str) -> None:
    """Of all ranks and dtypes, along each axis."""
    original = getattr(stats, name)
    standin = primitive_of(original).instead
    for value in VALUES:
        for options in ({}, {"axis": -1}, {"axis": None}):
            digits = 2e-6 if value is VALUES[-1] else 1e-12
            np.testing.assert_allclose(standin(value, **options), original(value, **options), rtol=digits)


REFUSED = {
    "probabilities that do not sum to 1": lambda a: stats.multinomial.logpmf(COUNTS[0], 3, a[0]),
    "by a singular matrix, too": lambda a: stats.multivariate_normal.pdf(a[0], a[1], np.ones((3, 3)), allow_singular=True),
    "a policy": lambda a: np.sum(stats.skew(a, nan_policy="omit")),
    "a permutation test": lambda a: stats.pearsonr(a[:, 0], a[:, 1], method=stats.PermutationMethod())[0],
    "a singular matrix": lambda a: stats.multivariate_normal.logpdf(a[0, :2], cov=np.ones((2, 2)) * a[0, 0], allow_singular=True),
    "several points of one variable": lambda a: np.sum(stats.multivariate_normal.logpdf(a[0], cov=2.0)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(SourcegradError) as caught:
        sg.grad(REFUSED[name])(A)
    assert "test_scipy_statistics.py:" in str(caught.value)
