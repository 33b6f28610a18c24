"""Tests and correlations of scipy.stats in plain Python: statistics with their p-values and confidence intervals."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from sourcegrad.primitives.core import available, declare, nondifferentiable
from sourcegrad.primitives.scipy.samples import check_policy, count_along, kurtosis, skew
from sourcegrad.runtime import no_formula

RANKS = "Ranks do not move with the data, so the derivative is zero or does not exist: use scipy.stats.pearsonr, or soft ranks."
FORMULA = "Write the formula of the statistic in NumPy; the functions of scipy.special have derivatives."


class Interval(NamedTuple):
    """What confidence_interval gives."""

    low: Any
    high: Any


class Found:
    """A statistic with its p-value, and what else a result of SciPy tells; it is unpacked as these two."""

    __sourcegrad_object__ = True
    statistic: Any
    pvalue: Any

    def __iter__(self) -> Any:
        return iter((self.statistic, self.pvalue))

    def __getitem__(self, k: Any) -> Any:
        return (self.statistic, self.pvalue)[k]

    def __len__(self) -> int:
        return 2


class Test(Found):
    """What tests give that tell nothing else."""

    __sourcegrad_object__ = True

    def __init__(self, statistic: Any, pvalue: Any) -> None:
        self.statistic, self.pvalue = statistic, pvalue


def tail(t: Any, freedom: Any, alternative: str) -> Any:
    """The probability of a more extreme value of Student's t"""
    if alternative == "less":
        return special.stdtr(freedom, t)
    if alternative == "greater":
        return special.stdtr(freedom, -t)
    return 2.0 * special.stdtr(freedom, -np.abs(t))


class TTest(Found):
    """What ttest_1samp, ttest_rel and ttest_ind give."""

    __sourcegrad_object__ = True

    def __init__(self, estimate: Any, expected: Any, error: Any, freedom: Any, alternative: str) -> None:
        self.estimate, self.error, self.df, self.alternative = estimate, error, freedom, alternative
        self.statistic = (estimate - expected) / error
        self.pvalue = tail(self.statistic, freedom, alternative)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Where the mean, or the difference of the means, lies"""
        if self.alternative == "two-sided":
            margin = self.error * special.stdtrit(self.df, 0.5 + 0.5 * confidence_level)
            return Interval(self.estimate - margin, self.estimate + margin)
        margin = self.error * special.stdtrit(self.df, confidence_level)
        if self.alternative == "less":
            return Interval(-np.inf, self.estimate + margin)
        return Interval(self.estimate - margin, np.inf)


def ttest_1samp(a: Any, popmean: Any, axis: Any = 0, nan_policy: str = "propagate", alternative: str = "two-sided", *,
                keepdims: bool = False) -> TTest:
    """t = (mean(a) - popmean) / sem(a)"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    count = count_along(a, axis)
    error = np.std(a, axis=axis, ddof=1, keepdims=keepdims) / np.sqrt(count)
    return TTest(np.mean(a, axis=axis, keepdims=keepdims), popmean, error, count - 1.0, alternative)


def ttest_rel(a: Any, b: Any, axis: Any = 0, nan_policy: str = "propagate", alternative: str = "two-sided", *,
              keepdims: bool = False) -> TTest:
    """The test of the differences"""
    return ttest_1samp(np.asarray(a) - np.asarray(b), 0.0, axis, nan_policy, alternative, keepdims=keepdims)


def of_two(mean1: Any, v1: Any, n1: Any, mean2: Any, v2: Any, n2: Any, equal_var: bool, alternative: str) -> TTest:
    """Student's t of two samples with their variances, or that of B. L. Welch (1947)"""
    if equal_var:
        freedom = n1 + n2 - 2.0
        error = np.sqrt(((n1 - 1.0) * v1 + (n2 - 1.0) * v2) / freedom * (1.0 / n1 + 1.0 / n2))
    else:
        first, second = v1 / n1, v2 / n2
        freedom = (first + second) ** 2 / (first ** 2 / (n1 - 1.0) + second ** 2 / (n2 - 1.0))
        error = np.sqrt(first + second)
    return TTest(mean1 - mean2, 0.0, error, freedom, alternative)


def ttest_ind(a: Any, b: Any, axis: Any = 0, equal_var: bool = True, nan_policy: str = "propagate", permutations: Any = None,
              random_state: Any = None, alternative: str = "two-sided", trim: float = 0, *, method: Any = None,
              keepdims: bool = False) -> TTest:
    """t of the difference of two means"""
    check_policy(a, nan_policy)
    if trim != 0 or method is not None or permutations is not None:
        no_formula(a, "scipy.stats.ttest_ind with trim, method or permutations")
    a, b = np.asarray(a) + 0.0, np.asarray(b) + 0.0
    return of_two(np.mean(a, axis=axis, keepdims=keepdims), np.var(a, axis=axis, ddof=1, keepdims=keepdims), count_along(a, axis),
                  np.mean(b, axis=axis, keepdims=keepdims), np.var(b, axis=axis, ddof=1, keepdims=keepdims), count_along(b, axis),
                  equal_var, alternative)


def ttest_ind_from_stats(mean1: Any, std1: Any, nobs1: Any, mean2: Any, std2: Any, nobs2: Any, equal_var: bool = True,
                         alternative: str = "two-sided") -> Test:
    """t of the difference of two means"""
    found = of_two(mean1, std1 ** 2, nobs1, mean2, std2 ** 2, nobs2, equal_var, alternative)
    return Test(found.statistic, found.pvalue)


def f_oneway(*samples: Any, axis: Any = 0, equal_var: bool = True, nan_policy: str = "propagate", keepdims: bool = False) -> Test:
    """The variance between the means of samples relative to that within them"""
    check_policy(samples[0], nan_policy)
    if not equal_var:
        no_formula(samples[0], "scipy.stats.f_oneway with equal_var=False")
    arrays = [np.asarray(sample) + 0.0 for sample in samples]
    middle = np.mean(np.concatenate(arrays, axis=axis), axis=axis, keepdims=True)
    total = sum([count_along(a, axis) for a in arrays])
    between = sum([count_along(a, axis) * np.square(np.mean(a, axis=axis, keepdims=True) - middle) for a in arrays])
    inside = sum([count_along(a, axis) * np.var(a, axis=axis, keepdims=True) for a in arrays])
    found = between / (len(arrays) - 1.0) / (inside / (total - len(arrays)))
    statistic = found if keepdims else np.squeeze(found, axis=axis)
    return Test(statistic, special.fdtrc(len(arrays) - 1.0, total - len(arrays), statistic))


def check_sums(observed: Any, expected: Any, axis: Any) -> None:
    """Raise what scipy.stats.power_divergence raises of sums that are not equal."""
    first, second = np.sum(observed, axis=axis), np.sum(expected, axis=axis)
    if np.any(np.abs(first - second) / np.minimum(first, second) > 1e-8):
        raise ValueError("For each axis slice, the sum of the observed frequencies must agree with the sum of the expected ones.")


nondifferentiable(check_sums, effect="checks")
POWERS = {"pearson": 1.0, "log-likelihood": 0.0, "freeman-tukey": -0.5, "mod-log-likelihood": -1.0, "neyman": -2.0,
          "cressie-read": 2.0 / 3.0}


def power_divergence(f_obs: Any, f_exp: Any = None, ddof: int = 0, axis: Any = 0, lambda_: Any = None, *,
                     nan_policy: str = "propagate", keepdims: bool = False) -> Test:
    """2 / (l (l + 1)) sum of o ((o / e)^l - 1) (N. Cressie and T. R. C. Read 1984)"""
    check_policy(f_obs, nan_policy)
    o = np.asarray(f_obs) + 0.0
    if f_exp is None:
        e = np.mean(o, axis=axis, keepdims=True)
    else:
        e = np.asarray(f_exp) + 0.0
        check_sums(o, e, axis)
    power = 1.0 if lambda_ is None else POWERS[lambda_] if isinstance(lambda_, str) else lambda_
    if power == 1:
        terms = np.square(o - e) / e
    elif power == 0:
        terms = 2.0 * special.xlogy(o, o / e)
    elif power == -1:
        terms = 2.0 * special.xlogy(e, e / o)
    else:
        terms = 2.0 / (power * (power + 1.0)) * o * ((o / e) ** power - 1.0)
    found = np.sum(terms, axis=axis, keepdims=keepdims)
    return Test(found, special.chdtrc(count_along(terms, axis) - 1.0 - ddof, found))


def chisquare(f_obs: Any, f_exp: Any = None, ddof: int = 0, axis: Any = 0, *, sum_check: bool = True,
              nan_policy: str = "propagate", keepdims: bool = False) -> Test:
    """sum of (o - e)^2 / e"""
    if not sum_check:
        no_formula(f_obs, "scipy.stats.chisquare without sum_check")
    return power_divergence(f_obs, f_exp, ddof, axis, 1.0, nan_policy=nan_policy, keepdims=keepdims)


def jarque_bera(x: Any, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> Test:
    """n / 6 (skewness^2 + kurtosis^2 / 4)"""
    a = np.asarray(x) + 0.0
    asymmetry = skew(a, axis, True, nan_policy, keepdims=keepdims)
    excess = kurtosis(a, axis, nan_policy=nan_policy, keepdims=keepdims)
    found = count_along(a, axis) / 6.0 * (asymmetry * asymmetry + 0.25 * excess * excess)
    return Test(found, special.chdtrc(2.0, found))


# --- correlation

class Correlation(Found):
    """What pearsonr gives; (1 - r) / 2 of independent samples has a beta distribution"""

    __sourcegrad_object__ = True

    def __init__(self, r: Any, count: Any, alternative: str) -> None:
        self.statistic = self.correlation = r
        self.count, self.alternative = count, alternative
        half = 0.5 * count - 1.0
        if alternative == "two-sided":
            self.pvalue = 2.0 * special.betainc(half, half, 0.5 - 0.5 * np.abs(r))
        elif alternative == "less":
            self.pvalue = special.betainc(half, half, 0.5 + 0.5 * r)
        else:
            self.pvalue = special.betainc(half, half, 0.5 - 0.5 * r)

    def confidence_interval(self, confidence_level: float = 0.95, method: Any = None) -> Interval:
        """Where the correlation lies, by R. A. Fisher's transform (1921)"""
        if method is not None:
            no_formula(self.statistic, "pearsonr(...).confidence_interval with a method")
        center, error = np.arctanh(self.statistic), 1.0 / np.sqrt(self.count - 3.0)
        if self.alternative == "two-sided":
            margin = error * special.ndtri(0.5 + 0.5 * confidence_level)
            return Interval(np.tanh(center - margin), np.tanh(center + margin))
        margin = error * special.ndtri(confidence_level)
        if self.alternative == "less":
            return Interval(-1.0, np.tanh(center + margin))
        return Interval(np.tanh(center - margin), 1.0)


def pearsonr(x: Any, y: Any, *, alternative: str = "two-sided", method: Any = None, axis: Any = 0) -> Correlation:
    """The correlation of two samples"""
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if method is not None:
        no_formula(x, "scipy.stats.pearsonr with a method")
    u, v = x - np.mean(x, axis=axis, keepdims=True), y - np.mean(y, axis=axis, keepdims=True)
    scale = np.sqrt(np.sum(u * u, axis=axis)) * np.sqrt(np.sum(v * v, axis=axis))
    return Correlation(np.sum(u * v, axis=axis) / scale, count_along(x, axis), alternative)


class Line:
    """What linregress gives; it is unpacked without the error of the intercept."""

    __sourcegrad_object__ = True

    def __init__(self, slope: Any, intercept: Any, rvalue: Any, pvalue: Any, stderr: Any, intercept_stderr: Any) -> None:
        self.slope, self.intercept, self.rvalue, self.pvalue = slope, intercept, rvalue, pvalue
        self.stderr, self.intercept_stderr = stderr, intercept_stderr

    def __iter__(self) -> Any:
        return iter((self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr))

    def __getitem__(self, k: Any) -> Any:
        return (self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr)[k]

    def __len__(self) -> int:
        return 5


def linregress(x: Any, y: Any, alternative: str = "two-sided", *, axis: Any = 0, nan_policy: str = "propagate",
               keepdims: bool = False) -> Line:
    """The line through points by least squares, with the test that it is horizontal"""
    check_policy(x, nan_policy)
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    center, level = np.mean(x, axis=axis, keepdims=keepdims), np.mean(y, axis=axis, keepdims=keepdims)
    u, v = x - np.mean(x, axis=axis, keepdims=True), y - np.mean(y, axis=axis, keepdims=True)
    spread = np.sum(u * u, axis=axis, keepdims=keepdims)
    common = np.sum(u * v, axis=axis, keepdims=keepdims)
    height = np.sum(v * v, axis=axis, keepdims=keepdims)
    count = count_along(x, axis)
    slope, r = common / spread, common / np.sqrt(spread * height)
    stderr = np.sqrt((1.0 - r * r) * height / (spread * (count - 2.0)))
    test = r * np.sqrt((count - 2.0) / ((1.0 - r) * (1.0 + r)))
    return Line(slope, level - slope * center, r, tail(test, count - 2.0, alternative), stderr,
                stderr * np.sqrt(spread / count + center * center))


declare("instead", {
    stats.ttest_1samp: ttest_1samp, stats.ttest_rel: ttest_rel, stats.ttest_ind: ttest_ind, stats.chisquare: chisquare,
    stats.ttest_ind_from_stats: ttest_ind_from_stats, stats.f_oneway: f_oneway, stats.power_divergence: power_divergence,
    stats.jarque_bera: jarque_bera, stats.pearsonr: pearsonr, stats.linregress: linregress})

# --- steps
nondifferentiable(stats.rankdata, result="new")

# --- refused by name
declare("remedy", dict.fromkeys(available(
    stats, "spearmanr", "kendalltau", "weightedtau", "somersd", "mannwhitneyu", "wilcoxon", "kruskal", "friedmanchisquare",
    "ranksums", "brunnermunzel", "mood", "ansari", "page_trend_test", "chatterjeexi"), RANKS))
declare("remedy", dict.fromkeys(available(
    stats, "permutation_test", "bootstrap", "monte_carlo_test", "power", "ks_1samp", "ks_2samp", "kstest", "cramervonmises",
    "cramervonmises_2samp", "anderson", "anderson_ksamp", "shapiro", "fisher_exact", "barnard_exact", "boschloo_exact",
    "epps_singleton_2samp", "mode", "theilslopes", "siegelslopes", "lmoment", "expectile", "yeojohnson", "yeojohnson_llf",
    "boxcox_normmax", "yeojohnson_normmax", "probplot", "ppcc_max", "multiscale_graphcorr", "tukey_hsd", "dunnett"), FORMULA))
