"""Continuous distributions of scipy.stats, by their formulas: gamma, beta, Student's t and their relatives.

N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions, 2nd edition, 1994, 1995.
The distribution functions have derivatives by z; by a shape they have no formula in functions of SciPy, and are refused.
"""
from __future__ import annotations

import numpy as np
from scipy import special, stats

from sourcegrad.primitives.core import declare
from sourcegrad.primitives.scipy.families import Continuous, HalfLine, Interval
from sourcegrad.runtime import where_valid


class Gamma(HalfLine):
    """log f(z) = (a - 1) log z - z - log Gamma(a), z >= 0"""

    def __init__(self, a, loc=0.0, scale=1.0):
        self.a, self.loc = a, loc
        self.scale = where_valid((a > 0) & (scale > 0), scale)

    def log_density(self, z):
        return special.xlogy(self.a - 1.0, z) - z - special.gammaln(self.a)

    def below(self, z):
        return special.gammainc(self.a, z)

    def above(self, z):
        return special.gammaincc(self.a, z)

    def quantile(self, q):
        return special.gammaincinv(self.a, q)

    def upper_quantile(self, q):
        return special.gammainccinv(self.a, q)

    def average(self):
        return self.a

    def variance(self):
        return self.a

    def information(self):
        return self.a + special.gammaln(self.a) + (1.0 - self.a) * special.psi(self.a)


class InvGamma(HalfLine):
    """log f(z) = -(a + 1) log z - 1 / z - log Gamma(a), z > 0"""

    def __init__(self, a, loc=0.0, scale=1.0):
        self.a, self.loc = a, loc
        self.scale = where_valid((a > 0) & (scale > 0), scale)

    def outside(self, z):
        return z <= 0.0

    def log_density(self, z):
        return -(self.a + 1.0) * np.log(z) - 1.0 / z - special.gammaln(self.a)

    def below(self, z):
        return special.gammaincc(self.a, 1.0 / z)

    def above(self, z):
        return special.gammainc(self.a, 1.0 / z)

    def quantile(self, q):
        return 1.0 / special.gammainccinv(self.a, q)

    def upper_quantile(self, q):
        return 1.0 / special.gammaincinv(self.a, q)

    def average(self):
        return np.where(self.a > 1, 1.0 / np.where(self.a > 1, self.a - 1.0, 1.0), np.inf)

    def variance(self):
        over = np.where(self.a > 2, self.a, 3.0)
        return np.where(self.a > 2, 1.0 / (np.square(over - 1.0) * (over - 2.0)), np.inf)

    def information(self):
        return self.a - (self.a + 1.0) * special.psi(self.a) + special.gammaln(self.a)


class Chi2(HalfLine):
    """log f(z) = (df / 2 - 1) log z - z / 2 - df / 2 log 2 - log Gamma(df / 2), z >= 0"""

    def __init__(self, df, loc=0.0, scale=1.0):
        self.df, self.loc = df, loc
        self.scale = where_valid((df > 0) & (scale > 0), scale)

    def log_density(self, z):
        return special.xlogy(0.5 * self.df - 1.0, z) - 0.5 * z - special.gammaln(0.5 * self.df) - 0.5 * self.df * np.log(2.0)

    def below(self, z):
        return special.chdtr(self.df, z)

    def above(self, z):
        return special.chdtrc(self.df, z)

    def quantile(self, q):
        return 2.0 * special.gammaincinv(0.5 * self.df, q)

    def upper_quantile(self, q):
        return special.chdtri(self.df, q)

    def average(self):
        return self.df

    def variance(self):
        return 2.0 * self.df

    def information(self):
        half = 0.5 * self.df
        return half + np.log(2.0) + special.gammaln(half) + (1.0 - half) * special.psi(half)


class Maxwell(HalfLine):
    """log f(z) = log(2 / pi) / 2 + 2 log z - z^2 / 2, z >= 0"""

    def log_density(self, z):
        return 0.5 * np.log(2.0 / np.pi) + 2.0 * np.log(z) - 0.5 * z * z

    def density(self, z):
        return np.sqrt(2.0 / np.pi) * z * z * np.exp(-0.5 * z * z)

    def below(self, z):
        return special.gammainc(1.5, 0.5 * z * z)

    def above(self, z):
        return special.gammaincc(1.5, 0.5 * z * z)

    def quantile(self, q):
        return np.sqrt(2.0 * special.gammaincinv(1.5, q))

    def upper_quantile(self, q):
        return np.sqrt(2.0 * special.gammainccinv(1.5, q))

    def average(self):
        return 2.0 * np.sqrt(2.0 / np.pi)

    def variance(self):
        return 3.0 - 8.0 / np.pi

    def information(self):
        return np.euler_gamma + 0.5 * np.log(2.0 * np.pi) - 0.5


class LogGamma(Continuous):
    """log f(z) = c z - e^z - log Gamma(c)"""

    def __init__(self, c, loc=0.0, scale=1.0):
        self.c, self.loc = c, loc
        self.scale = where_valid((c > 0) & (scale > 0), scale)

    def log_density(self, z):
        return self.c * z - np.exp(z) - special.gammaln(self.c)

    def below(self, z):
        return special.gammainc(self.c, np.exp(z))

    def above(self, z):
        return special.gammaincc(self.c, np.exp(z))

    def quantile(self, q):
        return np.log(special.gammaincinv(self.c, q))

    def upper_quantile(self, q):
        return np.log(special.gammainccinv(self.c, q))

    def average(self):
        return special.psi(self.c)

    def variance(self):
        return special.polygamma(1, self.c)

    def information(self):
        return special.gammaln(self.c) - self.c * special.psi(self.c) + self.c


# --- beta, t, F


class Beta(Interval):
    """log f(z) = (a - 1) log z + (b - 1) log(1 - z) - log B(a, b), 0 <= z <= 1"""

    def __init__(self, a, b, loc=0.0, scale=1.0):
        self.a, self.b, self.loc = a, b, loc
        self.scale = where_valid((a > 0) & (b > 0) & (scale > 0), scale)

    def log_density(self, z):
        return special.xlog1py(self.b - 1.0, -z) + special.xlogy(self.a - 1.0, z) - special.betaln(self.a, self.b)

    def below(self, z):
        return special.betainc(self.a, self.b, z)

    def above(self, z):
        return special.betainc(self.b, self.a, 1.0 - z)

    def quantile(self, q):
        return special.betaincinv(self.a, self.b, q)

    def upper_quantile(self, q):
        return 1.0 - special.betaincinv(self.b, self.a, q)

    def average(self):
        return self.a / (self.a + self.b)

    def variance(self):
        both = self.a + self.b
        return self.a * self.b / (both * both * (both + 1.0))

    def information(self):
        both = self.a + self.b
        own = (self.a - 1.0) * special.psi(self.a) + (self.b - 1.0) * special.psi(self.b)
        return special.betaln(self.a, self.b) - own + (both - 2.0) * special.psi(both)


class PowerLaw(Interval):
    """log f(z) = log a + (a - 1) log z, 0 <= z <= 1"""

    def __init__(self, a, loc=0.0, scale=1.0):
        self.a, self.loc = a, loc
        self.scale = where_valid((a > 0) & (scale > 0), scale)

    def outside(self, z):
        return (z < 0.0) | (z > 1.0) | ((z == 0.0) & (self.a < 1.0))

    def log_density(self, z):
        return np.log(self.a) + special.xlogy(self.a - 1.0, z)

    def below(self, z):
        return z ** self.a

    def above(self, z):
        return -special.powm1(z, self.a)

    def log_below(self, z):
        return self.a * np.log(z)

    def quantile(self, q):
        return q ** (1.0 / self.a)

    def average(self):
        return np.divide(self.a, self.a + 1.0)

    def variance(self):
        return self.a / ((self.a + 2.0) * np.square(self.a + 1.0))

    def information(self):
        return 1.0 - 1.0 / self.a - np.log(self.a)


class Student(Continuous):
    """log f(z) = -(df + 1) / 2 log(1 + z^2 / df) - log(df) / 2 - log B(1/2, df / 2); the normal distribution for df = inf"""

    def __init__(self, df, loc=0.0, scale=1.0):
        self.df, self.loc = df, loc
        self.scale = where_valid((df > 0) & (scale > 0), scale)

    def finite(self):
        return np.where(np.isinf(self.df), 1.0, self.df)

    def of_finite(self, z, df):
        return -0.5 * (df + 1.0) * np.log1p(z * z / df) - 0.5 * np.log(df) - special.betaln(0.5, 0.5 * df)

    def log_density(self, z):
        return np.where(np.isinf(self.df), -0.5 * z * z - 0.5 * np.log(2.0 * np.pi), self.of_finite(z, self.finite()))

    def below(self, z):
        return special.stdtr(self.df, z)

    def above(self, z):
        return special.stdtr(self.df, -z)

    def quantile(self, q):
        return np.where(q == 0, -np.inf, np.where(q == 1, np.inf, special.stdtrit(self.df, q)))

    def upper_quantile(self, q):
        return -self.quantile(q)

    def average(self):
        return np.where(self.df > 1, 0.0, np.inf)

    def variance(self):
        over = np.where((self.df > 2) & np.isfinite(self.df), self.df, 3.0)
        other = np.where(np.isinf(self.df), 1.0, np.where(self.df > 1, np.inf, np.nan))
        return np.where((self.df > 2) & np.isfinite(self.df), over / (over - 2.0), other)

    def information(self):
        half, more = 0.5 * self.finite(), 0.5 * self.finite() + 0.5
        found = more * (special.psi(more) - special.psi(half)) + 0.5 * np.log(self.finite()) + special.betaln(half, 0.5)
        return np.where(np.isinf(self.df), 0.5 + 0.5 * np.log(2.0 * np.pi), found)


class F(HalfLine):
    """log f(z) = n / 2 log n + m / 2 log m + (n / 2 - 1) log z - (n + m) / 2 log(m + n z) - log B(n / 2, m / 2), z >= 0"""

    def __init__(self, dfn, dfd, loc=0.0, scale=1.0):
        self.dfn, self.dfd, self.loc = dfn, dfd, loc
        self.scale = where_valid((dfn > 0) & (dfd > 0) & (scale > 0), scale)

    def log_density(self, z):
        n, m = self.dfn, self.dfd
        powers = 0.5 * m * np.log(m) + 0.5 * n * np.log(n) + special.xlogy(0.5 * n - 1.0, z)
        return powers - 0.5 * (n + m) * np.log(m + n * z) - special.betaln(0.5 * n, 0.5 * m)

    def below(self, z):
        return np.where(z == np.inf, 1.0, special.fdtr(self.dfn, self.dfd, z))

    def above(self, z):
        return special.fdtrc(self.dfn, self.dfd, z)

    def quantile(self, q):
        return np.where(q == 0, 0.0, special.fdtri(self.dfn, self.dfd, q))

    def average(self):
        return np.where(self.dfd > 2, self.dfd / np.where(self.dfd > 2, self.dfd - 2.0, 1.0), np.inf)

    def variance(self):
        m = np.where(self.dfd > 4, self.dfd, 5.0)
        found = 2.0 * m * m * (self.dfn + m - 2.0) / (self.dfn * np.square(m - 2.0) * (m - 4.0))
        return np.where(self.dfd > 4, found, np.inf)

    def information(self):
        n, m = 0.5 * self.dfn, 0.5 * self.dfd
        own = (1.0 - n) * special.psi(n) - (1.0 + m) * special.psi(m)
        return np.log(self.dfd) - np.log(self.dfn) + special.betaln(n, m) + own + (n + m) * special.psi(n + m)


class GenNorm(Continuous):
    """log f(z) = log(beta / 2) - log Gamma(1 / beta) - |z|^beta"""

    def __init__(self, beta, loc=0.0, scale=1.0):
        self.beta, self.loc = beta, loc
        self.scale = where_valid((beta > 0) & (scale > 0), scale)

    def log_density(self, z):
        return np.log(0.5 * self.beta) - special.gammaln(1.0 / self.beta) - np.abs(z) ** self.beta

    def tail(self, z):
        return 0.5 * special.gammaincc(1.0 / self.beta, np.abs(z) ** self.beta)

    def below(self, z):
        return np.where(z < 0.0, self.tail(z), 1.0 - self.tail(z))

    def above(self, z):
        return np.where(z < 0.0, 1.0 - self.tail(z), self.tail(z))

    def quantile(self, q):
        far = special.gammainccinv(1.0 / self.beta, 2.0 * np.where(q < 0.5, q, 1.0 - q)) ** (1.0 / self.beta)
        return np.where(q < 0.5, -far, far)

    def upper_quantile(self, q):
        return -self.quantile(q)

    def average(self):
        return 0.0 * self.beta

    def variance(self):
        return np.exp(special.gammaln(3.0 / self.beta) - special.gammaln(1.0 / self.beta))

    def information(self):
        return 1.0 / self.beta - np.log(0.5 * self.beta) + special.gammaln(1.0 / self.beta)


declare("instead", {
    stats.gennorm: GenNorm,
    stats.gamma: Gamma, stats.invgamma: InvGamma, stats.chi2: Chi2, stats.maxwell: Maxwell, stats.loggamma: LogGamma,
    stats.beta: Beta, stats.powerlaw: PowerLaw, stats.t: Student, stats.f: F})
