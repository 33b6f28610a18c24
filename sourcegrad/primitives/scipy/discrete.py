"""Discrete distributions of scipy.stats, by their formulas (N. L. Johnson, A. W. Kemp, S. Kotz 2005)."""
from __future__ import annotations

import numpy as np
from scipy import special, stats

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.families import Discrete
from sourcegrad.runtime import where_valid


class Poisson(Discrete):
    """log f(k) = k log mu - mu - log k!"""

    def __init__(self, mu, loc=0):
        self.mu = mu
        self.loc = where_valid(mu >= 0, loc)

    def log_mass(self, k):
        return special.xlogy(k, self.mu) - special.gammaln(k + 1.0) - self.mu

    def below(self, k):
        return special.pdtr(k, self.mu)

    def above(self, k):
        return special.pdtrc(k, self.mu)

    def average(self):
        return self.mu

    def variance(self):
        return self.mu


class Binom(Discrete):
    """log f(k) = log(n! / (k! (n - k)!)) + k log p + (n - k) log(1 - p), k = 0, ..., n"""

    def __init__(self, n, p, loc=0):
        self.n, self.p = np.floor(n), p
        self.loc = where_valid((n >= 0) & (n == np.floor(n)) & (p >= 0) & (p <= 1), loc)

    def outside(self, k):
        return (k < 0) | (k > self.n)

    def inside(self, k):
        return np.where(self.outside(k), 0.0, k)

    def full(self, k):
        return k >= self.n

    def between(self, k):
        return np.where(self.low(k) | self.full(k), 0.0, k)

    def ways(self, k):
        return special.gammaln(self.n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(self.n - k + 1.0)

    def log_mass(self, k):
        return self.ways(k) + special.xlogy(k, self.p) + special.xlog1py(self.n - k, -self.p)

    def below(self, k):
        return special.bdtr(k, self.n, self.p)

    def above(self, k):
        return special.bdtrc(k, self.n, self.p)

    def average(self):
        return self.n * self.p

    def variance(self):
        return self.n * self.p * (1.0 - self.p)


class Bernoulli(Binom):
    """f(0) = 1 - p, f(1) = p"""

    def __init__(self, p, loc=0):
        self.n, self.p = 1.0, p
        self.loc = where_valid((p >= 0) & (p <= 1), loc)

    def log_mass(self, k):
        return special.xlogy(k, self.p) + special.xlog1py(1.0 - k, -self.p)

    def information(self):
        return special.entr(self.p) + special.entr(1.0 - self.p)


class BetaBinom(Binom):
    """log f(k) = log(n! / (k! (n - k)!)) + log B(k + a, n - k + b) - log B(a, b), k = 0, ..., n"""

    def __init__(self, n, a, b, loc=0):
        self.n, self.a, self.b = np.floor(n), a, b
        self.loc = where_valid((n >= 0) & (n == np.floor(n)) & (a > 0) & (b > 0), loc)

    def log_mass(self, k):
        return self.ways(k) + special.betaln(k + self.a, self.n - k + self.b) - special.betaln(self.a, self.b)

    def below(self, k):
        return Discrete.below(self, k)

    def above(self, k):
        return Discrete.below(self, k)

    def average(self):
        return self.n * self.a / (self.a + self.b)

    def variance(self):
        total = self.a + self.b
        return self.n * self.a * self.b * (total + self.n) / (total * total * (total + 1.0))


class Geom(Discrete):
    """log f(k) = (k - 1) log(1 - p) + log p, k = 1, 2, ..."""

    def __init__(self, p, loc=0):
        self.p = p
        self.loc = where_valid((p > 0) & (p <= 1), loc)

    def outside(self, k):
        return k < 1

    def low(self, k):
        return k < 1

    def log_mass(self, k):
        return special.xlog1py(k - 1.0, -self.p) + np.log(self.p)

    def mass(self, k):
        return (1.0 - self.p) ** (k - 1.0) * self.p

    def below(self, k):
        return -np.expm1(k * np.log1p(-self.p))

    def above(self, k):
        return np.exp(k * np.log1p(-self.p))

    def average(self):
        return np.divide(1.0, self.p)

    def variance(self):
        return np.divide(1.0 - self.p, np.square(self.p))


class NBinom(Discrete):
    """log f(k) = log(Gamma(n + k) / (k! Gamma(n))) + n log p + k log(1 - p)"""

    def __init__(self, n, p, loc=0):
        self.n, self.p = n, p
        self.loc = where_valid((n > 0) & (p > 0) & (p <= 1), loc)

    def ways(self, k):
        return special.gammaln(self.n + k) - special.gammaln(k + 1.0) - special.gammaln(self.n)

    def log_mass(self, k):
        return self.ways(k) + self.n * np.log(self.p) + special.xlog1py(k, -self.p)

    def below(self, k):
        return special.betainc(self.n, k + 1.0, self.p)

    def above(self, k):
        return special.betainc(k + 1.0, self.n, 1.0 - self.p)

    def average(self):
        return self.n * (1.0 - self.p) / self.p

    def variance(self):
        return self.n * (1.0 - self.p) / np.square(self.p)


class RandInt(Discrete):
    """f(k) = 1 / (high - low), k = low, ..., high - 1"""

    def __init__(self, low, high, loc=0):
        self.start, self.stop = np.floor(low), np.floor(high)
        self.loc = where_valid((high > low) & (low == np.floor(low)) & (high == np.floor(high)), loc)

    def outside(self, k):
        return (k < self.start) | (k >= self.stop)

    def low(self, k):
        return k < self.start

    def full(self, k):
        return k >= self.stop - 1.0

    def log_mass(self, k):
        return 0.0 * k - np.log(self.stop - self.start)

    def below(self, k):
        return (k - self.start + 1.0) / (self.stop - self.start)

    def average(self):
        return 0.5 * (self.start + self.stop - 1.0)

    def variance(self):
        return (np.square(self.stop - self.start) - 1.0) / 12.0


class Hypergeom(Discrete):
    """log f(k) = log(C(n, k) C(M - n, N - k) / C(M, N)): all parameters are whole numbers"""

    def __init__(self, M, n, N, loc=0):
        self.M, self.n, self.N = np.floor(M), np.floor(n), np.floor(N)
        self.loc = where_valid((M > 0) & (n >= 0) & (N >= 0) & (n <= M) & (N <= M), loc)

    def outside(self, k):
        return (k < np.maximum(0.0, self.N - self.M + self.n)) | (k > np.minimum(self.n, self.N))

    def inside(self, k):
        return np.where(self.outside(k), np.minimum(self.n, self.N), k)

    def chosen(self, n, k):
        return -np.log1p(n) - special.betaln(n - k + 1.0, k + 1.0)

    def log_mass(self, k):
        return self.chosen(self.n, k) + self.chosen(self.M - self.n, self.N - k) - self.chosen(self.M, self.N)

    def average(self):
        return self.n * self.N / self.M


class Zipf(Discrete):
    """f(k) = 1 / (zeta(a) k^a), k = 1, 2, ...; the derivative of zeta by a has no formula"""

    def __init__(self, a, loc=0):
        self.a = a
        self.loc = where_valid(a > 1, loc)

    def outside(self, k):
        return k < 1

    def log_mass(self, k):
        return -self.a * np.log(k) - np.log(special.zeta(self.a, 1.0))


declare("instead", {
    stats.poisson: Poisson, stats.binom: Binom, stats.bernoulli: Bernoulli, stats.betabinom: BetaBinom, stats.geom: Geom,
    stats.nbinom: NBinom, stats.randint: RandInt, stats.hypergeom: Hypergeom, stats.zipf: Zipf})
