"""Functions of data in scipy.stats: equal to SciPy's along every axis, with derivatives in both modes."""
from __future__ import annotations

import inspect

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives
from sourcegrad.errors import SourcegradError
from sourcegrad.primitives.core import primitive_of
from tests.primitives.scipy_checks import check, weighted

stats = pytest.importorskip("scipy.stats")
primitives.with_scipy()
pytestmark = pytest.mark.filterwarnings("ignore")

X = np.array([1.0, 2.0, 4.0, 3.37, 0.7, 2.63])
A = np.array([[2.0, 0.5, 1.3, 0.8, 2.9], [0.45, 1.0, 3.0, 1.7, 0.9], [1.05, 3.1, 4.0, 0.2, 2.4], [2.2, 0.1, 1.1, 3.6, 1.6]])
B = np.array([[1.0, 0.7, 2.3, 0.4, 1.9], [1.5, 1.1, 0.2, 2.6, 0.3], [0.9, 2.1, 1.2, 0.5, 1.4], [1.2, 0.6, 3.1, 2.2, 0.1]])


def total(found):
    return np.sum(weighted(found) * found)


PROGRAMS = {
    "tmean": lambda x: stats.tmean(x) * stats.tmean(x, (0.9, 3.5)) + total(stats.tmean(x, (None, 3.4), (True, False), axis=0)),
    "tvar": lambda x: stats.tvar(x) * stats.tvar(x, (0.9, 3.5)) + stats.tstd(x, (0.8, 9.0), (False, True), ddof=0),
    "tsem": lambda x: stats.tsem(x) * stats.tsem(x, (0.9, 3.5)),
    "tmin and tmax": lambda x: stats.tmin(x, 0.8, inclusive=False) * stats.tmax(x, 3.4) + stats.tmin(x) * stats.tmax(x),
    "trim_mean": lambda x: stats.trim_mean(x, 0.2) ** 2 + stats.trim_mean(x, 0.0),
    "variation": lambda x: stats.variation(x) * stats.variation(x, ddof=1),
    "moment": lambda x: stats.moment(x, 3) + stats.moment(x, 2, center=0.5) + total(stats.moment(x, [1, 2, 4])),
    "kstat": lambda x: stats.kstat(x, 1) * stats.kstat(x, 2) + stats.kstat(x, 3) * stats.kstat(x, 4),
    "kstatvar": lambda x: stats.kstatvar(x, 1) * stats.kstatvar(x, 2),
    "describe": lambda x: stats.describe(x).variance * stats.describe(x).skewness + stats.describe(x, bias=False).kurtosis
    + stats.describe(x).minmax[1],
    "pmean": lambda x: stats.pmean(x, 3.0) * stats.pmean(x, -1.5) + stats.pmean(x, 2.0, weights=np.arange(1.0, 7.0)),
    "gstd": lambda x: stats.gstd(x) ** 2 * stats.gstd(x, ddof=0),
    "zmap": lambda x: total(stats.zmap(x[:3], x * x)) + total(stats.gzscore(x, ddof=1)),
    "iqr": lambda x: stats.iqr(x) * stats.iqr(x, rng=(10, 80), scale="normal") + stats.iqr(x, scale=2.0, interpolation="hazen"),
    "median_abs_deviation": lambda x: stats.median_abs_deviation(x[:5]) ** 2 + stats.median_abs_deviation(x, scale="normal")
    + stats.median_abs_deviation(x, center=np.mean),
    "entropy": lambda x: stats.entropy(x) * stats.entropy(x, base=2) + stats.entropy(x, x * x + 1.0),
    "differential_entropy": lambda x: stats.differential_entropy(x)
    + stats.differential_entropy(x, window_length=2, method="vasicek")
    * stats.differential_entropy(x, method="ebrahimi", base=2.0) + stats.differential_entropy(x, method="van es"),
    "circular": lambda x: stats.circmean(x) * stats.circvar(x, high=7.0) + stats.circstd(x, 9.0, -1.0)
    + stats.circstd(x, normalize=True),
    "boxcox_llf": lambda x: stats.boxcox_llf(x[0], x) + stats.boxcox_llf(0.0, x),
    "ttest_1samp": lambda x: stats.ttest_1samp(x, x[0]).statistic + stats.ttest_1samp(x, 1.0, alternative="greater").pvalue,
    "ttest_ind": lambda x: stats.ttest_ind(x, x[:4] ** 2)[0] + stats.ttest_ind(x, x ** 2, equal_var=False).statistic,
    "ttest_rel": lambda x: sum(stats.ttest_rel(x, np.sin(x), alternative="less")),
    "ttest_ind_from_stats": lambda x: stats.ttest_ind_from_stats(x[0], x[1], 5, x[2], x[3], 7, equal_var=False)[0],
    "confidence": lambda x: sum(stats.ttest_1samp(x, 1.0).confidence_interval(0.9))
    + stats.ttest_rel(x, np.sin(x), alternative="less").confidence_interval().high
    + stats.pearsonr(x, np.sin(x)).confidence_interval()[1],
    "f_oneway": lambda x: stats.f_oneway(x, x * x, np.cos(x)).pvalue + stats.f_oneway(x, x[1:] ** 2).statistic,
    "chisquare": lambda x: stats.chisquare(x).statistic + stats.chisquare(x, x[::-1], 1).pvalue,
    "power_divergence": lambda x: stats.power_divergence(x, lambda_="log-likelihood")[0] + stats.power_divergence(
        x, lambda_="cressie-read")[0] + stats.power_divergence(x, x[::-1], lambda_="mod-log-likelihood").pvalue,
    "jarque_bera": lambda x: stats.jarque_bera(x).statistic * stats.jarque_bera(x).pvalue,
    "pearsonr": lambda x: stats.pearsonr(x, np.sin(x), alternative="less").pvalue + stats.pearsonr(x, np.sin(x)).correlation,
    "linregress": lambda x: stats.linregress(x, np.sin(x)).intercept_stderr + stats.linregress(x, np.sin(x), "less").pvalue,
    "a line, unpacked": lambda x: unpacked(x),
}


def unpacked(x):
    slope, intercept, r, p, error = stats.linregress(x, np.sin(x))
    return slope * intercept + r * error + p


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    check(PROGRAMS[name], X, order=2 if name in ("tvar", "zmap", "kstat", "linregress") else 1, tolerance=1e-8)


ALONG = {
    "tmean": [{}, {"limits": (0.3, 3.0)}, {"limits": (0.5, None), "inclusive": (False, True)}],
    "tvar": [{}, {"limits": (0.3, 3.0)}],
    "tstd": [{"ddof": 0}], "tsem": [{}, {"limits": (0.3, 3.0)}], "tmin": [{}, {"lowerlimit": 0.5}],
    "tmax": [{}, {"upperlimit": 3.0, "inclusive": False}], "variation": [{}, {"ddof": 1}],
    "moment": [{}, {"order": 3}, {"order": [2, 3], "center": 0.5}],
    "kstat": [{}, {"n": 3}], "kstatvar": [{}, {"n": 1}], "pmean": [{"p": 2}, {"p": 0}, {"p": -1.5}], "gstd": [{}, {"ddof": 0}],
    "iqr": [{}, {"rng": (10, 60)}], "median_abs_deviation": [{}, {"scale": "normal"}], "entropy": [{}, {"base": 2}],
    "circmean": [{}, {"low": -1.0}], "circvar": [{}], "circstd": [{}, {"normalize": True}], "jarque_bera": [{}], "skew": [{}],
    "kurtosis": [{}, {"bias": False}], "sem": [{}], "gmean": [{}], "hmean": [{}], "trim_mean": [{"proportiontocut": 0.3}],
    "differential_entropy": [{"window_length": 1}], "boxcox_llf": [{"lmb": 0.4}],
    "ttest_1samp": [{"popmean": 1.0}], "chisquare": [{}],
}


@pytest.mark.parametrize("name", ALONG)
def test_values(name):
    """Along each axis, with and without the axis, also where a value is missing."""
    original, missing = getattr(stats, name), A.copy()
    standin = primitive_of(original).instead
    missing[1, 2] = np.nan
    for options in ALONG[name]:
        for axis in (0, 1, -1, None):
            if axis is None and name == "differential_entropy":
                continue
            for keepdims in (False,) if name == "differential_entropy" else (False, True):
                for value in (A, missing, A.astype(np.float32)):
                    chosen = known(original, {**options, "axis": axis, "keepdims": keepdims})
                    data = {"data": value} if "lmb" in options else {}
                    args = () if data else (value,)
                    expected, found = original(*args, **data, **chosen), standin(*args, **data, **chosen)
                    digits = 3e-3 if value.dtype == np.float32 else 1e-9
                    assert np.shape(parts(expected)[0]) == np.shape(parts(found)[0])
                    np.testing.assert_allclose(parts(found), parts(expected), rtol=digits, atol=1e-12)


def known(original, options):
    """Those of the options that the function has in this version of SciPy."""
    return {name: value for name, value in options.items() if name in inspect.signature(original).parameters}


def parts(found):
    return list(found) if hasattr(found, "pvalue") else [found]


PAIRS = ["ttest_ind", "ttest_rel", "pearsonr", "linregress", "zmap", "f_oneway"]


@pytest.mark.parametrize("name", PAIRS)
def test_values_of_two_samples(name):
    original = getattr(stats, name)
    standin = primitive_of(original).instead
    for axis in (0, 1) if known(original, {"axis": 0}) else ():
        np.testing.assert_allclose(list(standin(A, B, axis=axis)), list(original(A, B, axis=axis)), rtol=1e-10)
    for alternative in ("less", "greater") if name not in ("zmap", "f_oneway") else ():
        found, expected = (f(X, np.cos(X), alternative=alternative) for f in (standin, original))
        np.testing.assert_allclose(list(found), list(expected))


def test_several_axes():
    def function(a):
        return total(stats.variation(a.reshape(2, 2, 5), axis=(0, 2))) + stats.skew(a, axis=(0, 1)) + total(
            stats.iqr(a, axis=(0, 1)))

    assert sg.value_and_grad(function)(A)[0] == pytest.approx(function(A))
    sg.check_grad(function, A)


REFUSED = {
    "a policy": lambda a: stats.tmean(a, nan_policy="omit"),
    "ranks": lambda a: stats.spearmanr(a[:, 0], a[:, 1])[0],
    "Kendall's tau": lambda a: stats.kendalltau(a[:, 0], a[:, 1]).statistic,
    "a permutation test": lambda a: stats.pearsonr(a[:, 0], a[:, 1], method=stats.PermutationMethod()).pvalue,
    "trimmed": lambda a: stats.ttest_ind(a[:, 0], a[:, 1], trim=0.1).statistic,
    "several axes, sorted": lambda a: stats.trim_mean(a, 0.1, axis=(0, 1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(SourcegradError) as caught:
        sg.grad(REFUSED[name])(A)
    assert "test_scipy_data.py:" in str(caught.value) and type(caught.value).__name__ == "UnsupportedError"


BY_NAME = {         # what is refused by its name is not followed into SciPy: the advice is that of the name
    "ranks": (lambda a: stats.spearmanr(a[:, 0], a[:, 1])[0], "scipy.stats.pearsonr, or soft ranks"),
    "weighted": (lambda a: stats.weightedtau(a[:, 0], a[:, 1]).statistic, "scipy.stats.pearsonr, or soft ranks"),
    "a choice": (lambda a: np.sum(stats.mode(a).mode), "Write the formula of the statistic"),
    "medians of slopes": (lambda a: stats.theilslopes(a[:, 0], a[:, 1])[0], "Write the formula of the statistic"),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_refused_by_name(name):
    function, advice = BY_NAME[name]
    with pytest.raises(SourcegradError) as caught:
        sg.grad(function)(A)
    assert advice in str(caught.value) and "of a library" not in str(caught.value) and "test_scipy_data.py:" in str(caught.value)


def of_constants(a):
    order = stats.spearmanr(B[:, 0], B[:, 1])[0] + stats.spearmanr(sg.stop_gradient(a)[:, 0], B[:, 1])[0]
    return np.sum(a) * order + np.sum(a * stats.rankdata(a, axis=1)) + np.sum(a[:, 0] * stats.rankdata(a[:, 0]))


def test_of_constants_it_runs():
    order = stats.spearmanr(B[:, 0], B[:, 1])[0] + stats.spearmanr(A[:, 0], B[:, 1])[0]
    wanted = order + stats.rankdata(A, axis=1)
    wanted[:, 0] += stats.rankdata(A[:, 0])
    np.testing.assert_allclose(sg.grad(of_constants)(A), wanted)
