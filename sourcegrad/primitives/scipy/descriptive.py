"""Descriptive statistics of scipy.stats in plain Python: trimmed and weighted means, moments, entropies, circular statistics."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from sourcegrad.primitives.core import available, declare
from sourcegrad.primitives.scipy.samples import check_policy, count_along, gmean, kurtosis, moment, skew
from sourcegrad.runtime import no_formula


def unless_missing(found: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    """NaN where a value is NaN, as the policy 'propagate' says"""
    return np.where(np.any(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, found)[()]


# --- trimmed

def within(a: Any, limits: Any, inclusive: Any) -> Any:
    """Which values lie between the limits"""
    lower, upper = limits
    kept = np.ones(a.shape, dtype=bool)
    if lower is not None:
        kept = kept & (a >= lower if inclusive[0] else a > lower)
    if upper is not None:
        kept = kept & (a <= upper if inclusive[1] else a < upper)
    return kept


def tmean(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = None, *, nan_policy: str = "propagate",
          keepdims: bool = False) -> Any:
    """The mean of the values between limits"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    if limits is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    kept = within(a, limits, inclusive)
    found = np.sum(np.where(kept, a, 0.0), axis=axis, keepdims=keepdims) / np.sum(kept, axis=axis, keepdims=keepdims)
    return unless_missing(found, a, axis, keepdims)


def tvar(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: int = 1, *,
         nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The variance of the values between limits"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    if limits is None:
        return np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    kept = within(a, limits, inclusive)
    count = np.sum(kept, axis=axis, keepdims=True)
    deviation = np.where(kept, a - np.sum(np.where(kept, a, 0.0), axis=axis, keepdims=True) / count, 0.0)
    found = np.sum(deviation * deviation / (count - ddof), axis=axis, keepdims=keepdims)
    return unless_missing(found, a, axis, keepdims)


def tstd(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: int = 1, *,
         nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The root of the variance of the values between limits"""
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof, nan_policy=nan_policy, keepdims=keepdims))


def tsem(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: int = 1, *,
         nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The standard error of the mean of the values between limits"""
    deviation = tstd(a, limits, inclusive, axis, ddof, nan_policy=nan_policy, keepdims=keepdims)
    if limits is None:
        return deviation / np.sqrt(count_along(np.asarray(a), axis))
    return deviation / np.sqrt(np.sum(within(np.asarray(a), limits, inclusive), axis=axis, keepdims=keepdims))


def tmin(a: Any, lowerlimit: Any = None, axis: Any = 0, inclusive: bool = True, nan_policy: str = "propagate", *,
         keepdims: bool = False) -> Any:
    """The least value that is not below a limit"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    if lowerlimit is None:
        return np.min(a, axis=axis, keepdims=keepdims)
    kept = within(a, (lowerlimit, None), (inclusive, True))
    found = np.where(np.any(kept, axis=axis, keepdims=keepdims), np.min(np.where(kept, a, np.inf), axis=axis, keepdims=keepdims),
                     np.nan)
    return unless_missing(found, a, axis, keepdims)


def tmax(a: Any, upperlimit: Any = None, axis: Any = 0, inclusive: bool = True, nan_policy: str = "propagate", *,
         keepdims: bool = False) -> Any:
    """The greatest value that is not above a limit"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    if upperlimit is None:
        return np.max(a, axis=axis, keepdims=keepdims)
    kept = within(a, (None, upperlimit), (True, inclusive))
    found = np.where(np.any(kept, axis=axis, keepdims=keepdims), np.max(np.where(kept, a, -np.inf), axis=axis, keepdims=keepdims),
                     np.nan)
    return unless_missing(found, a, axis, keepdims)


CUTS_MISSING = not np.isnan(stats.trim_mean([0.0, 1.0, np.nan], 0.4))            # as the greatest value: before SciPy 1.16


def trim_mean(a: Any, proportiontocut: float, axis: Any = 0, *, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The mean without a share of the least and of the greatest values"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    rank = a.ndim
    if axis is None:
        a, along = a.reshape(-1), 0
    else:
        along = single(a, axis)
    count = a.shape[along]
    cut = int(proportiontocut * count)
    if 2 * cut > count:
        raise ValueError("Proportion too big.")
    ordered = np.moveaxis(np.sort(a, axis=along), along, 0)[cut:count - cut]
    found = np.mean(ordered, axis=0) if CUTS_MISSING else unless_missing(np.mean(ordered, axis=0), a, along, False)
    if keepdims:
        return np.reshape(found, rank * (1,)) if axis is None else np.expand_dims(found, axis)
    return found


def single(a: Any, axis: Any) -> int:
    """The axis, if it is one"""
    if not isinstance(axis, int):
        no_formula(a, "a statistic of sorted values along several axes")
    return axis


# --- moments

def variation(a: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *, keepdims: bool = False) -> Any:
    """std(a) / mean(a)"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.mean(a, axis=axis, keepdims=keepdims)


def moments(a: Any, order: Any = 1, axis: Any = 0, nan_policy: str = "propagate", *, center: Any = None,
            keepdims: bool = False) -> Any:
    """mean((a - mean(a))^order), or about another center; one of several orders after the other"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    if np.ndim(order) > 0:
        return np.stack([about(a, k, axis, center, keepdims) for k in order])
    return about(a, order, axis, center, keepdims)


def about(a: Any, order: Any, axis: Any, center: Any, keepdims: bool) -> Any:
    """The moment of one order"""
    if center is None:
        return moment(a, order, axis, keepdims) if order != 1 else np.mean(0.0 * a, axis=axis, keepdims=keepdims)
    return np.mean((a - center) ** order, axis=axis, keepdims=keepdims)


def kstat(data: Any, n: int = 2, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The unbiased estimate of a cumulant (R. A. Fisher 1928)"""
    check_policy(data, nan_policy)
    a = np.asarray(data) + 0.0
    count = count_along(a, axis)
    if n == 1:
        return np.mean(a, axis=axis, keepdims=keepdims)
    if n == 2:
        return np.var(a, axis=axis, ddof=1, keepdims=keepdims)
    if n == 3:
        return count ** 2 / ((count - 1.0) * (count - 2.0)) * moment(a, 3, axis, keepdims)
    if n == 4:
        fourth, second = moment(a, 4, axis, keepdims), moment(a, 2, axis, keepdims)
        factor = count ** 2 / ((count - 1.0) * (count - 2.0) * (count - 3.0))
        return factor * ((count + 1.0) * fourth - 3.0 * (count - 1.0) * second * second)
    raise ValueError("k-statistics only supported for 1<=n<=4")


def kstatvar(data: Any, n: int = 2, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The unbiased estimate of the variance of an estimate of a cumulant"""
    count = count_along(np.asarray(data), axis)
    second = kstat(data, 2, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
    if n == 1:
        return second / count
    if n == 2:
        fourth = kstat(data, 4, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
        return (2.0 * count * second * second + (count - 1.0) * fourth) / (count * (count + 1.0))
    raise ValueError("Only n=1 or n=2 supported.")


class Description(NamedTuple):
    """What describe gives."""

    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


def describe(a: Any, axis: Any = 0, ddof: int = 1, bias: bool = True, nan_policy: str = "propagate") -> Description:
    """Number, extremes, mean, variance, skewness and kurtosis"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    return Description(count_along(a, axis), (np.min(a, axis=axis), np.max(a, axis=axis)), np.mean(a, axis=axis),
                       np.var(a, axis=axis, ddof=ddof), skew(a, axis, bias), kurtosis(a, axis, bias=bias))


# --- means and scores of another scale

def pmean(a: Any, p: float, *, axis: Any = 0, dtype: Any = None, weights: Any = None, nan_policy: str = "propagate",
          keepdims: bool = False) -> Any:
    """mean(a^p)^(1/p)"""
    if p == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    check_policy(a, nan_policy)
    if dtype is not None:
        no_formula(a, "scipy.stats.pmean with dtype")
    powers = (np.asarray(a) + 0.0) ** p
    if weights is None:
        return np.mean(powers, axis=axis, keepdims=keepdims) ** (1.0 / p)
    return np.average(powers, axis=axis, weights=weights, keepdims=keepdims) ** (1.0 / p)     # type: ignore[call-overload]


def gstd(a: Any, axis: Any = 0, ddof: int = 1, *, keepdims: bool = False, nan_policy: str = "propagate") -> Any:
    """exp(std(log a))"""
    check_policy(a, nan_policy)
    return np.exp(np.std(np.log(np.asarray(a) + 0.0), axis=axis, ddof=ddof, keepdims=keepdims))


def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """(scores - mean(compare)) / std(compare)"""
    check_policy(scores, nan_policy)
    a = np.asarray(compare) + 0.0
    return (np.asarray(scores) - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def gzscore(a: Any, *, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """(log a - mean(log a)) / std(log a)"""
    logs = np.log(np.asarray(a) + 0.0)
    return zmap(logs, logs, axis, ddof, nan_policy)


# --- quantiles

def iqr(x: Any, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0, nan_policy: str = "propagate",
        interpolation: str = "linear", keepdims: bool = False) -> Any:
    """The distance of two percentiles"""
    check_policy(x, nan_policy)
    a = np.asarray(x) + 0.0
    low, high = sorted(rng)
    upper = np.percentile(a, high, axis=axis, method=interpolation, keepdims=keepdims)          # type: ignore[call-overload]
    lower = np.percentile(a, low, axis=axis, method=interpolation, keepdims=keepdims)           # type: ignore[call-overload]
    if scale == "normal":
        return (upper - lower) / (2.0 * math.sqrt(2.0) * 0.4769362762044699)
    return (upper - lower) / scale


def median_abs_deviation(x: Any, axis: Any = 0, center: Callable | None = None, scale: Any = 1.0,
                         nan_policy: str = "propagate", *, keepdims: bool = False) -> Any:
    """median(|x - median(x)|)"""
    check_policy(x, nan_policy)
    a = np.asarray(x) + 0.0
    if center is None or center is np.median:
        middle = np.median(a, axis=axis, keepdims=True)
    elif axis is None:
        middle = center(a, axis=None)
    else:
        middle = np.expand_dims(center(a, axis=axis), axis)
    found = np.median(np.abs(a - middle), axis=axis, keepdims=keepdims)
    if scale == "normal":
        return found / 0.6744897501960817
    return found / scale


# --- entropy

def entropy(pk: Any, qk: Any = None, base: float | None = None, axis: Any = 0, *, nan_policy: str = "propagate",
            keepdims: bool = False) -> Any:
    """-sum(p log p), or sum(p log(p / q)), of shares p and q"""
    check_policy(pk, nan_policy)
    p = np.asarray(pk) + 0.0
    p = p / np.sum(p, axis=axis, keepdims=True)
    if qk is None:
        found = np.sum(special.entr(p), axis=axis, keepdims=keepdims)
    else:
        q = np.asarray(qk) + 0.0
        q = q / np.sum(q, axis=axis, keepdims=True)
        found = np.sum(special.rel_entr(p, q), axis=axis, keepdims=keepdims)
    return found if base is None else found / np.log(base)


def differential_entropy(values: Any, *, window_length: int | None = None, base: float | None = None, axis: Any = 0,
                         method: str = "auto", nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """The entropy of a density, estimated from the spacings of sorted values"""
    check_policy(values, nan_policy)
    if keepdims or axis is None:
        no_formula(values, "scipy.stats.differential_entropy with keepdims or axis=None")
    x = np.moveaxis(np.asarray(values) + 0.0, single(values, axis), -1)
    n = x.shape[-1]
    m = math.floor(math.sqrt(n) + 0.5) if window_length is None else window_length
    if not 2 <= 2 * m < n:
        raise ValueError(f"Window length ({m}) must be positive and less than half the sample size ({n}).")
    ordered = np.sort(x, axis=-1)
    if method == "van es" or method == "auto" and n <= 10:
        found = spacing_entropy(ordered, n, m)
    else:
        found = window_entropy(x, ordered, n, m, method)
    found = unless_missing(found, x, -1, False)
    return found if base is None else found / np.log(base)


def spacing_entropy(x: Any, n: int, m: int) -> Any:
    """By B. van Es (1992)"""
    spacing = np.mean(np.log((n + 1.0) / m * (x[..., m:] - x[..., :-m])), axis=-1)
    return spacing + np.sum(1.0 / np.arange(m, n + 1)) + math.log(m) - math.log(n + 1)


def window_entropy(values: Any, x: Any, n: int, m: int, method: str) -> Any:
    """By O. Vasicek (1976), with the weights at the ends of N. Ebrahimi, K. Pflughoeft and E. Soofi (1994)"""
    if method not in ("vasicek", "ebrahimi", "auto"):
        no_formula(values, "scipy.stats.differential_entropy with this method")
    place = np.arange(n)
    spacing = np.take(x, np.minimum(place + m, n - 1), axis=-1) - np.take(x, np.maximum(place - m, 0), axis=-1)
    if method == "vasicek" or method == "auto" and n > 1000:
        return np.mean(np.log(n / (2.0 * m) * spacing), axis=-1)
    ends = 1.0 + np.minimum(np.minimum(place, n - 1 - place), m) / m
    return np.mean(np.log(n / (ends * m) * spacing), axis=-1)


# --- directions (N. I. Fisher 1993)

def resultant(samples: Any, high: float, low: float, axis: Any, keepdims: bool) -> tuple:
    """The means of cosine and sine of what goes once around between low and high"""
    angle = (np.asarray(samples) - low) * (2.0 * np.pi / (high - low))
    return np.mean(np.cos(angle), axis=axis, keepdims=keepdims), np.mean(np.sin(angle), axis=axis, keepdims=keepdims)


def circmean(samples: Any, high: float = 2.0 * np.pi, low: float = 0.0, axis: Any = None, nan_policy: str = "propagate", *,
             keepdims: bool = False) -> Any:
    """The direction of the mean"""
    check_policy(samples, nan_policy)
    c, s = resultant(samples, high, low, axis, keepdims)
    return np.mod(np.arctan2(s, c), 2.0 * np.pi) * ((high - low) / (2.0 * np.pi)) + low


def circvar(samples: Any, high: float = 2.0 * np.pi, low: float = 0.0, axis: Any = None, nan_policy: str = "propagate", *,
            keepdims: bool = False) -> Any:
    """1 less the length of the mean"""
    check_policy(samples, nan_policy)
    c, s = resultant(samples, high, low, axis, keepdims)
    return 1.0 - np.hypot(s, c)


def circstd(samples: Any, high: float = 2.0 * np.pi, low: float = 0.0, axis: Any = None, nan_policy: str = "propagate", *,
            normalize: bool = False, keepdims: bool = False) -> Any:
    """The standard deviation of a wrapped normal distribution with this mean"""
    check_policy(samples, nan_policy)
    c, s = resultant(samples, high, low, axis, keepdims)
    found = np.sqrt(-2.0 * np.log(np.hypot(s, c)))
    return found if normalize else found * ((high - low) / (2.0 * np.pi))


# --- likelihood of transformations

def boxcox_llf(lmb: Any, data: Any, *, axis: Any = 0, keepdims: bool = False, nan_policy: str = "propagate") -> Any:
    """(lmb - 1) sum(log x) - n log(var(y)) / 2, with y = (x^lmb - 1) / lmb (G. E. P. Box and D. R. Cox 1964)"""
    check_policy(data, nan_policy)
    x = np.asarray(data) + 0.0
    spread = np.log(np.var(special.boxcox(x, lmb), axis=axis, keepdims=keepdims))
    return (lmb - 1.0) * np.sum(np.log(x), axis=axis, keepdims=keepdims) - 0.5 * count_along(x, axis) * spread


declare("instead", {
    stats.tmean: tmean, stats.tvar: tvar, stats.tstd: tstd, stats.tsem: tsem, stats.tmin: tmin, stats.tmax: tmax,
    stats.trim_mean: trim_mean, stats.variation: variation, stats.moment: moments, stats.kstat: kstat, stats.kstatvar: kstatvar,
    stats.describe: describe, stats.gstd: gstd, stats.zmap: zmap, stats.gzscore: gzscore, stats.iqr: iqr,
    stats.median_abs_deviation: median_abs_deviation, stats.entropy: entropy, stats.differential_entropy: differential_entropy,
    stats.circmean: circmean, stats.circvar: circvar, stats.circstd: circstd, stats.boxcox_llf: boxcox_llf})
declare("instead", dict.fromkeys(available(stats, "pmean"), pmean))
