"""Distributions of scipy.stats in plain Python: what loc and scale, the support and wrong parameters do to the standard form.

A frozen distribution, stats.gamma(2.0, scale=3.0), is an object of such a class, and stats.gamma.logpdf(x, 2.0) a method of one
that nobody holds. A class says what its standard form is: the logarithm of the density, the distribution function, the quantiles.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.primitives.core import METHODS_OF_DISTRIBUTIONS
from sourcegrad.runtime import in_double, no_formula, where_valid

STEP = "the quantile of a discrete distribution, which is a step"


class Distribution:
    """What continuous and discrete distributions have in common."""

    loc: Any

    def __init_subclass__(cls) -> None:
        setattr(cls, "__sourcegrad_object__", True)     # noqa: B010  (it is seen as its attributes)

    def below(self, z: Any) -> Any:
        """The distribution function of the standard form."""
        return no_formula(z, "the distribution function of this distribution has no formula")

    def above(self, z: Any) -> Any:
        return 1.0 - self.below(z)

    def log_below(self, z: Any) -> Any:
        return np.log(self.below(z))

    def log_above(self, z: Any) -> Any:
        return np.log(self.above(z))

    def average(self) -> Any:
        return no_formula(self.loc, "the mean of this distribution has no formula")

    def variance(self) -> Any:
        return no_formula(self.loc, "the variance of this distribution has no formula")

    def information(self) -> Any:
        """The entropy of the standard form."""
        return no_formula(self.loc, "the entropy of this distribution has no formula")


class Continuous(Distribution):
    """A density on the whole line, with what holds for all: where the parameters are wrong, scale is NaN, and so is everything."""

    scale: Any

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0) -> None:
        self.loc = loc
        self.scale = where_valid(scale > 0, scale)

    def standard(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def log_density(self, z: Any) -> Any:
        return np.log(self.density(z))

    def density(self, z: Any) -> Any:
        return np.exp(self.log_density(z))

    def quantile(self, q: Any) -> Any:
        return no_formula(q, "the quantile of this distribution has no formula")

    def upper_quantile(self, q: Any) -> Any:
        return self.quantile(1.0 - q)

    def pdf(self, x: Any) -> Any:
        return self.density(self.standard(x)) / self.scale

    def logpdf(self, x: Any) -> Any:
        return self.log_density(self.standard(x)) - np.log(self.scale)

    def cdf(self, x: Any) -> Any:
        return self.below(self.standard(x))

    def sf(self, x: Any) -> Any:
        return self.above(self.standard(x))

    def logcdf(self, x: Any) -> Any:
        return self.log_below(self.standard(x))

    def logsf(self, x: Any) -> Any:
        return self.log_above(self.standard(x))

    def ppf(self, q: Any) -> Any:
        return self.quantile(where_valid((0 <= q) & (q <= 1), q)) * self.scale + self.loc

    def isf(self, q: Any) -> Any:
        return self.upper_quantile(where_valid((0 <= q) & (q <= 1), q)) * self.scale + self.loc

    def mean(self) -> Any:
        return self.average() * self.scale + self.loc

    def var(self) -> Any:
        return self.variance() * self.scale * self.scale + 0.0 * self.loc

    def std(self) -> Any:
        return np.sqrt(self.var())

    def entropy(self) -> Any:
        return self.information() + np.log(self.scale) + 0.0 * self.loc

    def median(self) -> Any:
        return self.ppf(0.5)

    def interval(self, confidence: Any) -> Any:
        return self.ppf(0.5 - 0.5 * confidence), self.ppf(0.5 + 0.5 * confidence)


class HalfLine(Continuous):
    """A density for z >= 0. Elsewhere z is moved to 1, so that no formula meets what it is not for, and the result selected."""

    def outside(self, z: Any) -> Any:
        """Where the density is zero."""
        return z < 0.0

    def low(self, z: Any) -> Any:
        """Where the distribution function is 0."""
        return z <= 0.0

    def inside(self, z: Any) -> Any:
        return np.where(self.outside(z), 1.0, z)

    def between(self, z: Any) -> Any:
        return np.where(self.low(z), 1.0, z)

    def density_at(self, z: Any) -> Any:
        return np.where(self.outside(z), 0.0, self.density(self.inside(z)))

    def log_density_at(self, z: Any) -> Any:
        return np.where(self.outside(z), -np.inf, self.log_density(self.inside(z)))

    def below_at(self, z: Any) -> Any:
        return np.where(self.low(z), 0.0, self.below(self.between(z)))

    def above_at(self, z: Any) -> Any:
        return np.where(self.low(z), 1.0, self.above(self.between(z)))

    def log_below_at(self, z: Any) -> Any:
        return np.where(self.low(z), -np.inf, self.log_below(self.between(z)))

    def log_above_at(self, z: Any) -> Any:
        return np.where(self.low(z), 0.0, self.log_above(self.between(z)))

    def pdf(self, x: Any) -> Any:
        return self.density_at(self.standard(x)) / self.scale

    def logpdf(self, x: Any) -> Any:
        return self.log_density_at(self.standard(x)) - np.log(self.scale)

    def cdf(self, x: Any) -> Any:
        return in_double(self.below_at(self.standard(x)))

    def sf(self, x: Any) -> Any:
        return in_double(self.above_at(self.standard(x)))

    def logcdf(self, x: Any) -> Any:
        return in_double(self.log_below_at(self.standard(x)))

    def logsf(self, x: Any) -> Any:
        return in_double(self.log_above_at(self.standard(x)))


class Interval(HalfLine):
    """A density for 0 <= z <= 1."""

    def outside(self, z: Any) -> Any:
        return (z < 0.0) | (z > 1.0)

    def high(self, z: Any) -> Any:
        """Where the distribution function is 1."""
        return z >= 1.0

    def inside(self, z: Any) -> Any:
        return np.where(self.outside(z), 0.5, z)

    def between(self, z: Any) -> Any:
        return np.where(self.low(z) | self.high(z), 0.5, z)

    def below_at(self, z: Any) -> Any:
        return np.where(self.low(z), 0.0, np.where(self.high(z), 1.0, self.below(self.between(z))))

    def above_at(self, z: Any) -> Any:
        return np.where(self.low(z), 1.0, np.where(self.high(z), 0.0, self.above(self.between(z))))

    def log_below_at(self, z: Any) -> Any:
        return np.where(self.low(z), -np.inf, np.where(self.high(z), 0.0, self.log_below(self.between(z))))

    def log_above_at(self, z: Any) -> Any:
        return np.where(self.low(z), 0.0, np.where(self.high(z), -np.inf, self.log_above(self.between(z))))


class Discrete(Distribution):
    """A distribution on whole numbers, by which nothing can be differentiated; where the parameters are wrong, loc is NaN."""

    def whole(self, k: Any) -> Any:
        """The number of steps from loc."""
        return np.floor(k - self.loc)

    def outside(self, k: Any) -> Any:
        """Where the mass is zero."""
        return k < 0

    def full(self, k: Any) -> Any:
        """Where the distribution function is 1, below infinity."""
        return k == np.inf

    def broken(self, k: Any) -> Any:
        """Where a number is not whole."""
        return k - self.loc != self.whole(k)

    def inside(self, k: Any) -> Any:
        return np.where(self.outside(k), 1.0, k)

    def mass(self, k: Any) -> Any:
        return np.exp(self.log_mass(k))

    def log_mass(self, k: Any) -> Any:
        return np.log(self.mass(k))

    def mass_at(self, k: Any, zero: Any) -> Any:
        return np.where(zero, 0.0, self.mass(self.inside(k)))

    def log_mass_at(self, k: Any, zero: Any) -> Any:
        return np.where(zero, -np.inf, self.log_mass(self.inside(k)))

    def zero(self, k: Any) -> Any:
        return self.outside(self.whole(k)) | self.broken(k)

    def known(self, k: Any) -> Any:
        """Where neither k nor the parameters are NaN."""
        return self.whole(k) == self.whole(k)

    def pmf(self, k: Any) -> Any:
        return where_valid(self.known(k), self.mass_at(self.whole(k), self.zero(k)))

    def logpmf(self, k: Any) -> Any:
        return where_valid(self.known(k), self.log_mass_at(self.whole(k), self.zero(k)))

    def low(self, k: Any) -> Any:
        return k < 0

    def between(self, k: Any) -> Any:
        return np.where(self.low(k) | self.full(k), 1.0, k)

    def below_at(self, k: Any) -> Any:
        return np.where(self.low(k), 0.0, np.where(self.full(k), 1.0, self.below(self.between(k))))

    def above_at(self, k: Any) -> Any:
        return np.where(self.low(k), 1.0, np.where(self.full(k), 0.0, self.above(self.between(k))))

    def cdf(self, k: Any) -> Any:
        return where_valid(self.known(k), self.below_at(self.whole(k)))

    def sf(self, k: Any) -> Any:
        return where_valid(self.known(k), self.above_at(self.whole(k)))

    def logcdf(self, k: Any) -> Any:
        return np.log(self.cdf(k))

    def logsf(self, k: Any) -> Any:
        return np.log(self.sf(k))

    def ppf(self, q: Any) -> Any:
        return no_formula(q, STEP)

    def isf(self, q: Any) -> Any:
        return no_formula(q, STEP)

    def interval(self, confidence: Any) -> Any:
        return no_formula(confidence, STEP)

    def median(self) -> Any:
        return no_formula(self.loc, STEP)

    def mean(self) -> Any:
        return self.average() + self.loc

    def var(self) -> Any:
        return self.variance() + 0.0 * self.loc

    def std(self) -> Any:
        return np.sqrt(self.var())

    def entropy(self) -> Any:
        return self.information() + 0.0 * self.loc


# --- methods of distributions that are not frozen: the class comes first, then what is asked, then the parameters


def pdf(family: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).pdf(x)


def logpdf(family: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).logpdf(x)


def pmf(family: Any, k: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).pmf(k)


def logpmf(family: Any, k: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).logpmf(k)


def cdf(family: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).cdf(x)


def sf(family: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).sf(x)


def logcdf(family: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).logcdf(x)


def logsf(family: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).logsf(x)


def ppf(family: Any, q: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).ppf(q)


def isf(family: Any, q: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).isf(q)


def interval(family: Any, confidence: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).interval(confidence)


def mean(family: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).mean()


def var(family: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).var()


def std(family: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).std()


def entropy(family: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).entropy()


def median(family: Any, *args: Any, **kwds: Any) -> Any:
    return family(*args, **kwds).median()


METHODS_OF_DISTRIBUTIONS.update({function.__name__: function for function in (
    pdf, logpdf, pmf, logpmf, cdf, sf, logcdf, logsf, ppf, isf, interval, mean, var, std, entropy, median)})
