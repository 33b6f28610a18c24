"""Continuous distributions of scipy.stats, by their formulas: normal, exponential and their relatives.

N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions, 2nd edition, 1994, 1995.

The names of the parameters, and what is said at the ends of the support, are those of SciPy.
"""
from __future__ import annotations

import numpy as np
from scipy import special, stats

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.families import Continuous, HalfLine, Interval
from sourcegrad.runtime import no_formula, where_valid

# --- normal


class Norm(Continuous):
    """log f(z) = -z^2 / 2 - log(2 pi) / 2"""

    def log_density(self, z):
        return -0.5 * z * z - 0.5 * np.log(2.0 * np.pi)

    def below(self, z):
        return special.ndtr(z)

    def above(self, z):
        return special.ndtr(-z)

    def log_below(self, z):
        return special.log_ndtr(z)

    def log_above(self, z):
        return special.log_ndtr(-z)

    def quantile(self, q):
        return special.ndtri(q)

    def upper_quantile(self, q):
        return -special.ndtri(q)

    def average(self):
        return 0.0

    def variance(self):
        return 1.0

    def information(self):
        return 0.5 * (np.log(2.0 * np.pi) + 1.0)


class HalfNorm(HalfLine):
    """log f(z) = -z^2 / 2 - log(pi / 2) / 2, z >= 0"""

    def log_density(self, z):
        return -0.5 * z * z - 0.5 * np.log(0.5 * np.pi)

    def below(self, z):
        return special.erf(z / np.sqrt(2.0))

    def above(self, z):
        return 2.0 * special.ndtr(-z)

    def quantile(self, q):
        return special.ndtri(0.5 + 0.5 * q)

    def upper_quantile(self, q):
        return -special.ndtri(0.5 * q)

    def average(self):
        return np.sqrt(2.0 / np.pi)

    def variance(self):
        return 1.0 - 2.0 / np.pi

    def information(self):
        return 0.5 * np.log(0.5 * np.pi) + 0.5


class LogNorm(HalfLine):
    """log f(z) = -(log z / s)^2 / 2 - log(s z) - log(2 pi) / 2, z > 0"""

    def __init__(self, s, loc=0.0, scale=1.0):
        self.s, self.loc = s, loc
        self.scale = where_valid((s > 0) & (scale > 0), scale)

    def outside(self, z):
        return z <= 0.0

    def log_density(self, z):
        return -0.5 * np.square(np.log(z) / self.s) - np.log(self.s * z) - 0.5 * np.log(2.0 * np.pi)

    def below(self, z):
        return special.ndtr(np.log(z) / self.s)

    def above(self, z):
        return special.ndtr(-np.log(z) / self.s)

    def log_below(self, z):
        return special.log_ndtr(np.log(z) / self.s)

    def log_above(self, z):
        return special.log_ndtr(-np.log(z) / self.s)

    def quantile(self, q):
        return np.exp(self.s * special.ndtri(q))

    def upper_quantile(self, q):
        return np.exp(-self.s * special.ndtri(q))

    def average(self):
        return np.exp(0.5 * self.s * self.s)

    def variance(self):
        return np.exp(self.s * self.s) * np.expm1(self.s * self.s)

    def information(self):
        return 0.5 * (1.0 + np.log(2.0 * np.pi)) + np.log(self.s)


class SkewNorm(Continuous):
    """log f(z) = log 2 - z^2 / 2 - log(2 pi) / 2 + log Phi(a z) (A. Azzalini 1985)"""

    def __init__(self, a, loc=0.0, scale=1.0):
        self.a, self.loc = a, loc
        self.scale = where_valid(np.isfinite(a) & (scale > 0), scale)

    def log_density(self, z):
        return np.log(2.0) - 0.5 * z * z - 0.5 * np.log(2.0 * np.pi) + special.log_ndtr(self.a * np.where(np.isinf(z), 0.0, z))

    def below(self, z):
        return np.clip(special.ndtr(z) - 2.0 * special.owens_t(z, self.a), 0.0, 1.0)

    def above(self, z):
        return np.clip(special.ndtr(-z) + 2.0 * special.owens_t(z, self.a), 0.0, 1.0)

    def log_below(self, z):
        return no_formula(z, "the logarithm of the distribution function of this distribution has no formula")

    def log_above(self, z):
        return no_formula(z, "the logarithm of the survival function of this distribution has no formula")

    def average(self):
        return np.sqrt(2.0 / np.pi) * self.a / np.sqrt(1.0 + self.a * self.a)

    def variance(self):
        return 1.0 - np.square(self.average())


def log_mass(a, b):
    """log(Phi(b) - Phi(a)), on the side where both are small"""
    low = special.log_ndtr(np.where(a > 0, -b, a))
    high = special.log_ndtr(np.where(a > 0, -a, b))
    return high + np.log(-np.expm1(low - high))


class TruncNorm(Interval):
    """log f(z) = -z^2 / 2 - log(2 pi) / 2 - log(Phi(b) - Phi(a)), a <= z <= b"""

    def __init__(self, a, b, loc=0.0, scale=1.0):
        self.a, self.b, self.loc = a, b, loc
        self.scale = where_valid((a < b) & (scale > 0), scale)

    def outside(self, z):
        return (z < self.a) | (z > self.b)

    def low(self, z):
        return z <= self.a

    def high(self, z):
        return z >= self.b

    def middle(self):
        """A number inside."""
        return np.where(np.isinf(self.a), np.where(np.isinf(self.b), 0.0, self.b - 1.0), np.where(
            np.isinf(self.b), self.a + 1.0, 0.5 * self.a + 0.5 * self.b))

    def inside(self, z):
        return np.where(self.outside(z), self.middle(), z)

    def between(self, z):
        return np.where(self.low(z) | self.high(z), self.middle(), z)

    def log_density(self, z):
        return -0.5 * z * z - 0.5 * np.log(2.0 * np.pi) - log_mass(self.a, self.b)

    def log_below(self, z):
        direct = log_mass(self.a, z) - log_mass(self.a, self.b)
        return np.where(direct > -0.1, np.log1p(-np.exp(log_mass(z, self.b) - log_mass(self.a, self.b))), direct)

    def log_above(self, z):
        direct = log_mass(z, self.b) - log_mass(self.a, self.b)
        return np.where(direct > -0.1, np.log1p(-np.exp(log_mass(self.a, z) - log_mass(self.a, self.b))), direct)

    def below(self, z):
        return np.exp(self.log_below(z))

    def above(self, z):
        return np.exp(self.log_above(z))

    def quantile(self, q):
        left = np.logaddexp(special.log_ndtr(self.a), np.log(q) + log_mass(self.a, self.b))
        right = np.logaddexp(special.log_ndtr(-self.b), np.log1p(-q) + log_mass(self.a, self.b))
        return np.where(self.a < 0, special.ndtri_exp(left), -special.ndtri_exp(right))

    def upper_quantile(self, q):
        left = np.logaddexp(special.log_ndtr(self.a), np.log1p(-q) + log_mass(self.a, self.b))
        right = np.logaddexp(special.log_ndtr(-self.b), np.log(q) + log_mass(self.a, self.b))
        return np.where(self.a < 0, special.ndtri_exp(left), -special.ndtri_exp(right))

    def share(self, z):
        """phi(z) / (Phi(b) - Phi(a))"""
        return np.exp(-0.5 * z * z - 0.5 * np.log(2.0 * np.pi) - log_mass(self.a, self.b))

    def moment(self, z):
        """z phi(z) / (Phi(b) - Phi(a)), which is 0 at infinity"""
        return np.where(np.isinf(z), 0.0, z) * self.share(z)

    def average(self):
        return self.share(self.a) - self.share(self.b)

    def variance(self):
        return 1.0 + self.moment(self.a) - self.moment(self.b) - np.square(self.average())

    def information(self):
        return 0.5 * np.log(2.0 * np.pi) + 0.5 + log_mass(self.a, self.b) + 0.5 * (self.moment(self.a) - self.moment(self.b))


# --- exponential and its relatives


class Uniform(Interval):
    """f(z) = 1, 0 <= z <= 1"""

    def log_density(self, z):
        return 0.0 * z

    def below(self, z):
        return z

    def quantile(self, q):
        return q

    def average(self):
        return 0.5

    def variance(self):
        return 1.0 / 12.0

    def information(self):
        return 0.0


class Expon(HalfLine):
    """log f(z) = -z, z >= 0"""

    def log_density(self, z):
        return -z

    def below(self, z):
        return -np.expm1(-z)

    def above(self, z):
        return np.exp(-z)

    def log_above(self, z):
        return -z

    def quantile(self, q):
        return -np.log1p(-q)

    def upper_quantile(self, q):
        return -np.log(q)

    def average(self):
        return 1.0

    def variance(self):
        return 1.0

    def information(self):
        return 1.0


class Laplace(Continuous):
    """log f(z) = -|z| - log 2"""

    def log_density(self, z):
        return -np.abs(z) - np.log(2.0)

    def below(self, z):
        return np.where(z > 0, 1.0 - 0.5 * np.exp(-np.abs(z)), 0.5 * np.exp(-np.abs(z)))

    def above(self, z):
        return self.below(-z)

    def quantile(self, q):
        return np.where(q > 0.5, -np.log(2.0 * (1.0 - q)), np.log(2.0 * q))

    def upper_quantile(self, q):
        return -self.quantile(q)

    def average(self):
        return 0.0

    def variance(self):
        return 2.0

    def information(self):
        return np.log(2.0) + 1.0


class Logistic(Continuous):
    """f(z) = expit(z) expit(-z)"""

    def log_density(self, z):
        return special.log_expit(z) + special.log_expit(-z)

    def below(self, z):
        return special.expit(z)

    def above(self, z):
        return special.expit(-z)

    def log_below(self, z):
        return special.log_expit(z)

    def log_above(self, z):
        return special.log_expit(-z)

    def quantile(self, q):
        return special.logit(q)

    def upper_quantile(self, q):
        return -special.logit(q)

    def average(self):
        return 0.0

    def variance(self):
        return np.pi ** 2 / 3.0

    def information(self):
        return 2.0


class WeibullMin(HalfLine):
    """log f(z) = log c + (c - 1) log z - z^c, z >= 0"""

    def __init__(self, c, loc=0.0, scale=1.0):
        self.c, self.loc = c, loc
        self.scale = where_valid((c > 0) & (scale > 0), scale)

    def log_density(self, z):
        return np.log(self.c) + special.xlogy(self.c - 1.0, z) - z ** self.c

    def below(self, z):
        return -np.expm1(-z ** self.c)

    def above(self, z):
        return np.exp(-z ** self.c)

    def log_above(self, z):
        return -z ** self.c

    def quantile(self, q):
        return (-np.log1p(-q)) ** (1.0 / self.c)

    def upper_quantile(self, q):
        return (-np.log(q)) ** (1.0 / self.c)

    def average(self):
        return special.gamma(1.0 + 1.0 / self.c)

    def variance(self):
        return special.gamma(1.0 + 2.0 / self.c) - np.square(special.gamma(1.0 + 1.0 / self.c))

    def information(self):
        return np.euler_gamma - np.euler_gamma / self.c - np.log(self.c) + 1.0


class Rayleigh(HalfLine):
    """log f(z) = log z - z^2 / 2, z >= 0"""

    def outside(self, z):
        return (z < 0.0) | (z == np.inf)

    def log_density(self, z):
        return np.log(z) - 0.5 * z * z

    def density(self, z):
        return z * np.exp(-0.5 * z * z)

    def below(self, z):
        return -np.expm1(-0.5 * z * z)

    def above(self, z):
        return np.exp(-0.5 * z * z)

    def log_above(self, z):
        return -0.5 * z * z

    def quantile(self, q):
        return np.sqrt(-2.0 * np.log1p(-q))

    def upper_quantile(self, q):
        return np.sqrt(-2.0 * np.log(q))

    def average(self):
        return np.sqrt(0.5 * np.pi)

    def variance(self):
        return 2.0 - 0.5 * np.pi

    def information(self):
        return 0.5 * np.euler_gamma + 1.0 - 0.5 * np.log(2.0)


declare("instead", {
    stats.norm: Norm, stats.halfnorm: HalfNorm, stats.lognorm: LogNorm, stats.skewnorm: SkewNorm, stats.truncnorm: TruncNorm,
    stats.uniform: Uniform, stats.expon: Expon, stats.laplace: Laplace, stats.logistic: Logistic,
    stats.weibull_min: WeibullMin, stats.rayleigh: Rayleigh})
