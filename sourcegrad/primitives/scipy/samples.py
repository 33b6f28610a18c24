"""Statistics of samples of scipy.stats in plain Python: moments, means, scores, kernel densities."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.families import Distribution
from sourcegrad.runtime import no_formula

POLICY = "a statistic with nan_policy other than 'propagate'"


def check_policy(a: Any, nan_policy: str) -> None:
    if nan_policy != "propagate":
        no_formula(a, POLICY)


def count_along(a: Any, axis: Any) -> Any:
    """How many values there are along an axis, or several"""
    if axis is None:
        return a.size
    if isinstance(axis, tuple):
        return math.prod([a.shape[k] for k in axis])
    return a.shape[axis]


def moment(a: Any, order: int, axis: Any, keepdims: bool) -> Any:
    """The mean of (a - mean(a))^order"""
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis, keepdims=keepdims)


def skew(a: Any, axis: Any = 0, bias: bool = True, nan_policy: str = "propagate", *, keepdims: bool = False) -> Any:
    """m3 / m2^(3/2)"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    found = moment(a, 3, axis, keepdims) / moment(a, 2, axis, keepdims) ** 1.5
    if bias:
        return found
    count = count_along(a, axis)
    return found * np.sqrt(count * (count - 1.0)) / (count - 2.0) if count > 2 else found


def kurtosis(a: Any, axis: Any = 0, fisher: bool = True, bias: bool = True, nan_policy: str = "propagate", *,
             keepdims: bool = False) -> Any:
    """m4 / m2^2 - 3"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    found = moment(a, 4, axis, keepdims) / moment(a, 2, axis, keepdims) ** 2
    count = count_along(a, axis)
    if not bias and count > 3:
        found = ((count * count - 1.0) * found - 3.0 * (count - 1.0) ** 2) / ((count - 2.0) * (count - 3.0)) + 3.0
    return found - 3.0 if fisher else found


def sem(a: Any, axis: Any = 0, ddof: int = 1, nan_policy: str = "propagate", *, keepdims: bool = False) -> Any:
    """std(a) / sqrt(n)"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    count = count_along(a, axis)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(count)


def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """(a - mean(a)) / std(a)"""
    check_policy(a, nan_policy)
    a = np.asarray(a) + 0.0
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def gmean(a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, *, nan_policy: str = "propagate",
          keepdims: bool = False) -> Any:
    """exp(mean(log a))"""
    check_policy(a, nan_policy)
    if dtype is not None:
        no_formula(a, "scipy.stats.gmean with dtype")
    logs = np.log(np.asarray(a) + 0.0)
    if weights is None:
        return np.exp(np.mean(logs, axis=axis, keepdims=keepdims))
    return np.exp(np.average(logs, axis=axis, weights=weights, keepdims=keepdims))     # type: ignore[call-overload]


def hmean(a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None, nan_policy: str = "propagate",
          keepdims: bool = False) -> Any:
    """1 / mean(1 / a)"""
    check_policy(a, nan_policy)
    if dtype is not None:
        no_formula(a, "scipy.stats.hmean with dtype")
    inverse = 1.0 / (np.asarray(a) + 0.0)
    if weights is None:
        return 1.0 / np.mean(inverse, axis=axis, keepdims=keepdims)
    return 1.0 / np.average(inverse, axis=axis, weights=weights, keepdims=keepdims)     # type: ignore[call-overload]


class GaussianKde(Distribution):
    """sum of w_k exp(-(x - x_k)^T S^-1 (x - x_k) / 2) / sqrt(det(2 pi S)), with S the covariance of the data times factor^2"""

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        self.dataset = np.atleast_2d(np.asarray(dataset) + 0.0)
        self.d, self.n = self.dataset.shape
        self.shares = np.full(self.n, 1.0 / self.n) if weights is None else np.asarray(weights) / np.sum(weights)
        self.neff = 1.0 / np.sum(self.shares * self.shares)
        if bw_method is None or bw_method == "scott":
            self.factor = self.neff ** (-1.0 / (self.d + 4.0))
        elif bw_method == "silverman":
            self.factor = (self.neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4.0))
        else:
            self.factor = bw_method
        deviation = self.dataset - np.sum(self.shares * self.dataset, axis=1, keepdims=True)
        covariance = np.dot(self.shares * deviation, deviation.T) / (1.0 - np.sum(self.shares * self.shares))
        self.root = np.linalg.cholesky(covariance) * self.factor

    def energies(self, points: Any) -> Any:
        """-(x - x_k)^T S^-1 (x - x_k) / 2 for every x (last) and x_k"""
        at = np.linalg.solve(self.root, np.atleast_2d(np.asarray(points) + 0.0))
        data = np.linalg.solve(self.root, self.dataset)
        return -0.5 * np.sum(np.square(at[:, np.newaxis, :] - data[:, :, np.newaxis]), axis=0)

    def norm(self) -> Any:
        return np.prod(np.diagonal(self.root)) * (2.0 * np.pi) ** (0.5 * self.d)

    def evaluate(self, points: Any) -> Any:
        return np.dot(self.shares, np.exp(self.energies(points))) / self.norm()

    def __call__(self, points: Any) -> Any:
        return self.evaluate(points)

    def pdf(self, x: Any) -> Any:
        return self.evaluate(x)

    def logpdf(self, x: Any) -> Any:
        return special.logsumexp(self.energies(x), axis=0, b=self.shares[:, np.newaxis]) - np.log(self.norm())


declare("instead", {stats.skew: skew, stats.kurtosis: kurtosis, stats.sem: sem, stats.zscore: zscore, stats.gmean: gmean,
                    stats.hmean: hmean, stats.gaussian_kde: GaussianKde})
