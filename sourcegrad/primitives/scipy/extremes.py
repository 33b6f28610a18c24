"""Continuous distributions of scipy.stats, by their formulas: extreme values, heavy tails, directions, triangles.

N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions, 2nd edition, 1994, 1995.
log(1 + c z) / c is z F(1, 1; 2; -c z) (DLMF 15.4.1), which needs no case for c = 0.
"""
from __future__ import annotations

import numpy as np
from scipy import special, stats

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.families import Continuous, HalfLine, Interval
from sourcegrad.runtime import where_valid

# --- heavy tails


class Cauchy(Continuous):
    """log f(z) = -log(pi) - log(1 + z^2)"""

    def log_density(self, z):
        return -np.log(np.pi) - np.log1p(z * z)

    def below(self, z):
        return np.arctan2(1.0, -z) / np.pi

    def above(self, z):
        return np.arctan2(1.0, z) / np.pi

    def quantile(self, q):
        return np.where(q < 0.5, -1.0 / np.tan(np.pi * q), 1.0 / np.tan(np.pi * (1.0 - q)))

    def upper_quantile(self, q):
        return -self.quantile(q)

    def average(self):
        return np.nan

    def variance(self):
        return np.nan

    def information(self):
        return np.log(4.0 * np.pi)


class HalfCauchy(HalfLine):
    """log f(z) = log(2 / pi) - log(1 + z^2), z >= 0"""

    def log_density(self, z):
        return np.log(2.0 / np.pi) - np.log1p(z * z)

    def below(self, z):
        return 2.0 / np.pi * np.arctan(z)

    def above(self, z):
        return 2.0 / np.pi * np.arctan2(1.0, z)

    def quantile(self, q):
        return 1.0 / np.tan(0.5 * np.pi * (1.0 - q))

    def upper_quantile(self, q):
        return 1.0 / np.tan(0.5 * np.pi * q)

    def average(self):
        return np.inf

    def variance(self):
        return np.inf

    def information(self):
        return np.log(2.0 * np.pi)


class Pareto(HalfLine):
    """log f(z) = log b - (b + 1) log z, z >= 1"""

    def __init__(self, b, loc=0.0, scale=1.0):
        self.b, self.loc = b, loc
        self.scale = where_valid((b > 0) & (scale > 0), scale)

    def outside(self, z):
        return z < 1.0

    def low(self, z):
        return z <= 1.0

    def log_density(self, z):
        return np.log(self.b) - (self.b + 1.0) * np.log(z)

    def below(self, z):
        return 1.0 - z ** -self.b

    def above(self, z):
        return z ** -self.b

    def quantile(self, q):
        return (1.0 - q) ** (-1.0 / self.b)

    def upper_quantile(self, q):
        return q ** (-1.0 / self.b)

    def average(self):
        return np.where(self.b > 1, self.b / np.where(self.b > 1, self.b - 1.0, 1.0), np.inf)

    def variance(self):
        over = np.where(self.b > 2, self.b, 3.0)
        return np.where(self.b > 2, over / ((over - 2.0) * np.square(over - 1.0)), np.inf)

    def information(self):
        return 1.0 + 1.0 / self.b - np.log(self.b)


class GenPareto(Interval):
    """log f(z) = -(1 + 1 / c) log(1 + c z), z >= 0 and, for c < 0, z <= -1 / c (J. Pickands 1975)"""

    def __init__(self, c, loc=0.0, scale=1.0):
        self.c, self.loc = c, loc
        self.scale = where_valid(np.isfinite(c) & (scale > 0), scale)

    def outside(self, z):
        return (z < 0.0) | (self.c * z < -1.0) | (z == np.inf)

    def high(self, z):
        return (z > 0.0) & (self.c * z <= -1.0) | (z == np.inf)

    def inside(self, z):
        return np.where(self.outside(z), 0.5 / (1.0 + np.abs(self.c)), z)

    def between(self, z):
        return np.where(self.low(z) | self.high(z), 0.5 / (1.0 + np.abs(self.c)), z)

    def log_density(self, z):
        found = -(self.c + 1.0) * z * special.hyp2f1(1.0, 1.0, 2.0, -self.c * z)
        return np.where((self.c == -1.0) & (z == 1.0), 0.0, found)

    def below(self, z):
        return -special.inv_boxcox1p(-z, -self.c)

    def above(self, z):
        return special.inv_boxcox(-z, -self.c)

    def log_above(self, z):
        return -z * special.hyp2f1(1.0, 1.0, 2.0, -self.c * z)

    def quantile(self, q):
        return -special.boxcox1p(-q, -self.c)

    def upper_quantile(self, q):
        return -special.boxcox(q, -self.c)

    def average(self):
        return np.where(self.c < 1, 1.0 / (1.0 - np.where(self.c < 1, self.c, 0.0)), np.inf)

    def variance(self):
        c = np.where(self.c < 0.5, self.c, 0.0)
        return np.where(self.c < 0.5, 1.0 / (np.square(1.0 - c) * (1.0 - 2.0 * c)), np.nan)

    def information(self):
        return 1.0 + self.c


# --- extreme values


class GumbelRight(Continuous):
    """log f(z) = -z - e^-z"""

    def log_density(self, z):
        return -z - np.exp(-z)

    def below(self, z):
        return np.exp(-np.exp(-z))

    def above(self, z):
        return -np.expm1(-np.exp(-z))

    def log_below(self, z):
        return -np.exp(-z)

    def quantile(self, q):
        return -np.log(-np.log(q))

    def upper_quantile(self, q):
        return -np.log(-np.log1p(-q))

    def average(self):
        return np.euler_gamma

    def variance(self):
        return np.pi ** 2 / 6.0

    def information(self):
        return np.euler_gamma + 1.0


class GumbelLeft(Continuous):
    """log f(z) = z - e^z"""

    def log_density(self, z):
        return z - np.exp(z)

    def below(self, z):
        return -np.expm1(-np.exp(z))

    def above(self, z):
        return np.exp(-np.exp(z))

    def log_above(self, z):
        return -np.exp(z)

    def quantile(self, q):
        return np.log(-np.log1p(-q))

    def upper_quantile(self, q):
        return np.log(-np.log(q))

    def average(self):
        return -np.euler_gamma

    def variance(self):
        return np.pi ** 2 / 6.0

    def information(self):
        return np.euler_gamma + 1.0


LOG_GAMMA = np.array([                 # log Gamma(1 + c) / c by powers of c (DLMF 5.7.3)
    0.12550966952474304, -0.1440498967688461, 0.16955717699740816, -0.207385551028674, 0.27058080842778454,
    -0.40068563438653143, 0.8224670334241132, -0.5772156649015329])
LOG_GAMMAS = np.array([                 # (log Gamma(1 + 2 c) - 2 log Gamma(1 + c)) / c^2
    102.30164557806302, -56.78047559347799, 31.879456059284735, -18.15028699287461, 10.512544973839306, -6.22156653086022,
    3.7881313179889835, -2.4041138063191885, 1.6449340668482264])


class GenExtreme(Continuous):
    """log f(z) = (1 / c - 1) log(1 - c z) - (1 - c z)^(1 / c), c z < 1 (A. F. Jenkinson 1955); Gumbel's for c = 0"""

    def __init__(self, c, loc=0.0, scale=1.0):
        self.c, self.loc = c, loc
        self.scale = where_valid(np.isfinite(c) & (scale > 0), scale)

    def outside(self, z):
        return (self.c * z >= 1.0) | np.isinf(z)

    def inside(self, z):
        return np.where(self.outside(z), 0.0, z)

    def log_power(self, z):
        """log(1 - c z) / c"""
        return -z * special.hyp2f1(1.0, 1.0, 2.0, self.c * z)

    def log_density(self, z):
        return self.log_power(z) - np.exp(self.log_power(z)) - np.log1p(-self.c * z)

    def log_density_at(self, z):
        at_end = np.where((self.c == 1.0) & (z == 1.0), 0.0, -np.inf)
        return np.where(self.outside(z), at_end, self.log_density(self.inside(z)))

    def logpdf(self, x):
        return self.log_density_at(self.standard(x)) - np.log(self.scale)

    def pdf(self, x):
        return np.exp(self.log_density_at(self.standard(x))) / self.scale

    def log_below(self, z):
        return np.where(self.outside(z), np.where(z > 0, 0.0, -np.inf), -np.exp(self.log_power(self.inside(z))))

    def logcdf(self, x):
        return where_valid(self.scale > 0, self.log_below(self.standard(x)))

    def cdf(self, x):
        return np.exp(self.logcdf(x))

    def sf(self, x):
        return -np.expm1(self.logcdf(x))

    def logsf(self, x):
        return np.log(self.sf(x))

    def raised(self, y):
        """(1 - e^(-c y)) / c"""
        inner = np.where(np.isinf(y), 0.0, y)
        ends = np.where(self.c * y > 0, 1.0 / np.where(self.c == 0, 1.0, self.c), y)
        return np.where(np.isinf(y), ends, inner * special.exprel(-self.c * inner))

    def quantile(self, q):
        return self.raised(-np.log(-np.log(q)))

    def upper_quantile(self, q):
        return self.raised(-np.log(-np.log1p(-q)))

    def information(self):
        return np.euler_gamma * (1.0 - self.c) + 1.0

    def average(self):
        """(1 - Gamma(1 + c)) / c"""
        near = np.abs(self.c) < 0.01
        c = np.where(near, 1.0, self.c)
        slope = np.where(near, np.polyval(LOG_GAMMA, np.where(near, self.c, 0.0)), special.gammaln(1.0 + c) / c)
        return np.where(self.c < -1.0, np.nan, -slope * special.exprel(self.c * slope))

    def variance(self):
        """(Gamma(1 + 2 c) - Gamma(1 + c)^2) / c^2"""
        near = np.abs(self.c) < 0.01
        c = np.where(near, 1.0, self.c)
        far = (special.gammaln(1.0 + 2.0 * c) - 2.0 * special.gammaln(1.0 + c)) / np.square(c)
        slope = np.where(near, np.polyval(LOG_GAMMAS, np.where(near, self.c, 0.0)), far)
        found = np.square(special.gamma(1.0 + self.c)) * slope * special.exprel(self.c * self.c * slope)
        return np.where(self.c < -0.5, np.nan, found)


# --- inverse Gaussian, triangle, circle


class InvGauss(Interval):
    """log f(z) = -log(2 pi) / 2 - 3 / 2 log z - (z / mu - 1)^2 / (2 z), z > 0 (G. Giner, G. K. Smyth 2016)"""

    def __init__(self, mu, loc=0.0, scale=1.0):
        self.mu, self.loc = mu, loc
        self.scale = where_valid((mu > 0) & np.isfinite(mu) & (scale > 0), scale)

    def outside(self, z):
        return (z <= 0.0) | (z == np.inf)

    def high(self, z):
        return z == np.inf

    def log_density(self, z):
        return -0.5 * np.log(2.0 * np.pi) - 1.5 * np.log(z) - np.square(z / self.mu - 1.0) / (2.0 * z)

    def mirrored(self, z):
        return 2.0 / self.mu + special.log_ndtr(-(z / self.mu + 1.0) / np.sqrt(z))

    def log_below(self, z):
        first = special.log_ndtr((z / self.mu - 1.0) / np.sqrt(z))
        return first + np.log1p(np.exp(self.mirrored(z) - first))

    def log_above(self, z):
        first = special.log_ndtr(-(z / self.mu - 1.0) / np.sqrt(z))
        return first + np.log1p(-np.exp(self.mirrored(z) - first))

    def below(self, z):
        return np.exp(self.log_below(z))

    def above(self, z):
        return np.exp(self.log_above(z))

    def average(self):
        return self.mu

    def variance(self):
        return self.mu ** 3


class Triang(Interval):
    """f(z) = 2 z / c up to c, from there 2 (1 - z) / (1 - c), 0 <= z <= 1"""

    def __init__(self, c, loc=0.0, scale=1.0):
        self.c, self.loc = c, loc
        self.scale = where_valid((c >= 0) & (c <= 1) & (scale > 0), scale)

    def rising(self, z):
        return (z < self.c) | (self.c == 1.0)

    def left(self, z):
        return np.where(self.rising(z), self.c, 1.0)

    def right(self, z):
        return np.where(self.rising(z), 1.0, 1.0 - self.c)

    def density(self, z):
        return np.where(self.rising(z), 2.0 * z / self.left(z), 2.0 * (1.0 - z) / self.right(z))

    def below(self, z):
        return np.where(self.rising(z), z * z / self.left(z), (2.0 * z - z * z - self.c) / self.right(z))

    def quantile(self, q):
        low = np.sqrt(np.where(q < self.c, self.c * q, 1.0))
        high = np.sqrt(np.where(q < self.c, 1.0, (1.0 - self.c) * (1.0 - q)))
        return np.where(q < self.c, low, 1.0 - high)

    def average(self):
        return (self.c + 1.0) / 3.0

    def variance(self):
        return (1.0 - self.c + self.c * self.c) / 18.0

    def information(self):
        return 0.5 - np.log(2.0)


class VonMises(Continuous):
    """log f(z) = kappa (cos z - 1) - log(2 pi I0(kappa) e^-kappa)"""

    def __init__(self, kappa, loc=0.0, scale=1.0):
        self.kappa, self.loc = kappa, loc
        self.scale = where_valid((kappa >= 0) & (scale > 0), scale)

    def log_density(self, z):
        return self.kappa * special.cosm1(z) - np.log(2.0 * np.pi) - np.log(special.i0e(self.kappa))

    def information(self):
        ratio = special.i1e(self.kappa) / special.i0e(self.kappa)
        return np.log(2.0 * np.pi * special.i0e(self.kappa)) + self.kappa - self.kappa * ratio


class WrapCauchy(Interval):
    """f(z) = (1 - c^2) / (2 pi (1 + c^2 - 2 c cos z)), 0 <= z <= 2 pi"""

    def __init__(self, c, loc=0.0, scale=1.0):
        self.c, self.loc = c, loc
        self.scale = where_valid((c > 0) & (c < 1) & (scale > 0), scale)

    def outside(self, z):
        return (z < 0.0) | (z > 2.0 * np.pi)

    def high(self, z):
        return z >= 2.0 * np.pi

    def density(self, z):
        return (1.0 - self.c) * (1.0 + self.c) / (2.0 * np.pi * (1.0 + self.c * self.c - 2.0 * self.c * np.cos(z)))

    def half(self, z):
        return np.arctan(np.divide(1.0 + self.c, 1.0 - self.c) * np.tan(0.5 * z)) / np.pi

    def below(self, z):
        return np.where(z < np.pi, self.half(z), 1.0 - self.half(2.0 * np.pi - z))

    def quantile(self, q):
        turned = 2.0 * np.arctan(np.divide(1.0 - self.c, 1.0 + self.c) * np.tan(np.pi * np.where(q < 0.5, q, 1.0 - q)))
        return np.where(q < 0.5, turned, 2.0 * np.pi - turned)

    def information(self):
        return np.log(2.0 * np.pi * (1.0 - self.c) * (1.0 + self.c))


declare("instead", {
    stats.wrapcauchy: WrapCauchy,
    stats.cauchy: Cauchy, stats.halfcauchy: HalfCauchy, stats.pareto: Pareto, stats.genpareto: GenPareto,
    stats.gumbel_r: GumbelRight, stats.gumbel_l: GumbelLeft, stats.genextreme: GenExtreme, stats.invgauss: InvGauss,
    stats.triang: Triang, stats.vonmises: VonMises})
