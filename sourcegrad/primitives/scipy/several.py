"""Distributions of scipy.stats of several variables: normal, Student's t, Dirichlet, Wishart, multinomial: by all they take.

K. V. Mardia, J. T. Kent, J. M. Bibby, Multivariate Analysis, 1979. Matrices are positive definite: their Cholesky factor is taken,
and the derivative by one is by its lower triangle. A singular matrix of a normal distribution is a constant.
"""
from __future__ import annotations

import numpy as np
from scipy import special, stats

from sourcegrad.kinds import BOOL, FLOAT, Const, Num
from sourcegrad.primitives.core import declare, jvp, nondifferentiable, rule
from sourcegrad.primitives.scipy.families import Distribution
from sourcegrad.primitives.scipy.linalg import matrix_kind
from sourcegrad.runtime import no_formula
from sourcegrad.runtime.core import UnsupportedError

SINGULAR = "a distribution of several variables whose matrix is singular"
CONSTANT = "Leave out the variables that follow from others. Of a constant matrix S: " \
    "multivariate_normal(np.zeros(n), S, allow_singular=True).logpdf(x - mean)."
OF_ONE = "several points in a row of a distribution of several variables that has one"
NEGLIGIBLE = {"f": 1e3, "d": 1e6}         # eigenvalues that SciPy takes for zero, in rounding errors of the largest


def null_vectors(matrix):
    """The eigenvectors, in columns, of the eigenvalues that SciPy takes for zero, and what it takes for zero."""
    values, vectors = np.linalg.eigh(matrix)
    precision = "f" if values.dtype.char == "f" else "d"
    zero = NEGLIGIBLE[precision] * np.finfo(precision).eps * np.max(np.abs(values))
    return vectors[:, values <= zero], zero


def regular(matrix):
    """Refuse a matrix that SciPy takes for singular: its density is one on a subspace, which changes with the matrix."""
    if null_vectors(matrix)[0].size:
        raise UnsupportedError(SINGULAR, remedy=CONSTANT)


def rank_of(matrix):
    """The dimension of the subspace that has the density."""
    return float(len(matrix) - null_vectors(matrix)[0].shape[1])


def across(matrix):
    """The projector on the directions in which a matrix is singular."""
    null = null_vectors(matrix)[0]
    return null @ null.T


def beside(matrix, deviation):
    """Whether points lie beside the subspace that has the density, as exactly as SciPy asks."""
    null, zero = null_vectors(matrix)
    return np.linalg.norm(deviation @ null, axis=-1) >= 1e3 * zero if null.size else np.zeros(np.shape(deviation)[:-1], bool)


def in_its_place(x, matrix):
    """x, which stands for a derivative by a matrix that has to be regular, or for this matrix."""
    return x


def checked(x, matrix):
    """x, a derivative by a matrix that has to be regular."""
    regular(matrix)
    return x


@rule(checked, tangent="linear", kind=lambda x, matrix: matrix_kind(x), effect="checks", result="may view")
def checked_rule(ct, out, x, matrix):
    """out = x"""
    return checked(ct, matrix), None


@rule(in_its_place, kind=lambda x, matrix: matrix_kind(x), result="may view")
def in_its_place_rule(ct, out, x, matrix):
    """out = x"""
    return checked(ct, matrix), None


@jvp(in_its_place)
def in_its_place_tangent(dot, out, x, matrix):
    """out = x"""
    return checked(dot, matrix), None


nondifferentiable(regular, effect="checks", kind=lambda matrix: Const(None))
nondifferentiable(rank_of, kind=lambda matrix: FLOAT)
nondifferentiable(across, kind=matrix_kind, result="new")
nondifferentiable(beside, kind=lambda matrix, deviation: BOOL if getattr(deviation, "ndim", 0) == 1 else Num(
    "bool", (None,) * (deviation.ndim - 1), True))


class Centred(Distribution):
    """What normal and Student's t distributions of several variables have in common: (x - m)^T S^-1 (x - m) and log det S."""

    def matrix(self):
        if np.ndim(self.spread) == 0:
            return self.spread * np.eye(np.size(self.centre))
        if np.ndim(self.spread) == 1:
            return np.diag(self.spread)
        return np.asarray(self.spread) + 0.0

    def prepare(self, allow_singular):
        matrix = self.matrix()
        if allow_singular:
            regular(matrix)
        self.factor = np.linalg.cholesky(matrix)
        self.dim = self.factor.shape[0]

    def logdet(self):
        return 2.0 * np.sum(np.log(np.diagonal(self.factor)))

    def squares(self, x):
        if self.dim == 1 and np.ndim(x) == 1 and np.size(x) > 1:
            no_formula(x, OF_ONE)
        found = self.sums(np.atleast_1d(np.asarray(x) - self.centre))
        return found if np.ndim(x) < 2 else np.squeeze(found)[()]

    def sums(self, deviation):
        return self.lengths(deviation)

    def lengths(self, deviation):
        return np.sum(np.square(np.linalg.solve(self.factor, np.atleast_2d(deviation).T)), axis=0).reshape(deviation.shape[:-1])

    def pdf(self, x):
        return np.exp(self.logpdf(x))


class MultivariateNormal(Centred):
    """log f(x) = -(d log(2 pi) + log det S + (x - m)^T S^-1 (x - m)) / 2; of a singular S on its range, with its rank for d"""

    def __init__(self, mean=None, cov=1.0, allow_singular=False):
        self.spread = cov
        self.centre = np.zeros(np.shape(cov)[:1]) if mean is None else mean
        matrix = self.matrix()
        if allow_singular:
            self.rank, self.away = rank_of(matrix), across(matrix)
            self.factor = np.linalg.cholesky(in_its_place(matrix, matrix) + across(matrix))      # 1 where the matrix is 0
        else:
            self.rank, self.away = matrix.shape[0], None
            self.factor = np.linalg.cholesky(matrix)
        self.dim = self.factor.shape[0]

    def sums(self, deviation):
        if self.away is None:
            return self.lengths(deviation)
        return np.where(beside(self.matrix(), deviation), np.inf, self.lengths(deviation - deviation @ self.away))

    def logpdf(self, x):
        return -0.5 * (self.rank * np.log(2.0 * np.pi) + self.logdet() + self.squares(x))

    def entropy(self):
        return 0.5 * (self.rank * (np.log(2.0 * np.pi) + 1.0) + self.logdet())


class MultivariateT(Centred):
    """f(x) is proportional to (1 + (x - m)^T S^-1 (x - m) / df)^(-(df + d) / 2)"""

    def __init__(self, loc=None, shape=1.0, df=1, allow_singular=False):
        self.spread, self.df = shape, df
        self.centre = np.zeros(np.shape(shape)[:1]) if loc is None else loc
        self.prepare(allow_singular)

    def logpdf(self, x):
        power = 0.5 * (self.df + self.dim)
        constant = special.gammaln(power) - special.gammaln(0.5 * self.df) - 0.5 * self.dim * np.log(np.pi * self.df)
        return constant - 0.5 * self.logdet() - power * np.log1p(self.squares(x) / self.df)


class Dirichlet(Distribution):
    """log f(x) = log Gamma(sum a) - sum log Gamma(a) + sum (a - 1) log x; a last x that is left out is 1 minus the others"""

    def __init__(self, alpha):
        self.alpha = np.asarray(alpha) + 0.0

    def whole(self, x):
        if np.shape(x)[0] == np.size(self.alpha):
            return np.asarray(x)
        return np.concatenate([np.asarray(x), 1.0 - np.sum(x, axis=0, keepdims=True)])

    def logpdf(self, x):
        constant = special.gammaln(np.sum(self.alpha)) - np.sum(special.gammaln(self.alpha))
        powers = self.alpha - 1.0 if np.ndim(x) == 1 else (self.alpha - 1.0)[:, np.newaxis]
        return constant + np.sum(special.xlogy(powers, self.whole(x)), axis=0)

    def pdf(self, x):
        return np.exp(self.logpdf(x))

    def mean(self):
        return self.alpha / np.sum(self.alpha)

    def var(self):
        total = np.sum(self.alpha)
        return self.alpha * (total - self.alpha) / (total * total * (total + 1.0))


class Wishart(Distribution):
    """log f(x) = (df - d - 1) / 2 log det x - tr(S^-1 x) / 2 - df d / 2 log 2 - df / 2 log det S - log Gamma_d(df / 2)"""

    def __init__(self, df, scale):
        self.df = df
        self.factor = np.linalg.cholesky(scale)

    def logpdf(self, x):
        dim = self.factor.shape[0]
        logdet_x = 2.0 * np.sum(np.log(np.diagonal(np.linalg.cholesky(x))))
        logdet = 2.0 * np.sum(np.log(np.diagonal(self.factor)))
        trace = np.sum(np.linalg.solve(self.factor, np.linalg.solve(self.factor, x).T) * np.eye(dim))
        return (0.5 * (self.df - dim - 1.0) * logdet_x - 0.5 * trace - 0.5 * self.df * dim * np.log(2.0)
                - 0.5 * self.df * logdet - special.multigammaln(0.5 * self.df, dim))

    def pdf(self, x):
        return np.exp(self.logpdf(x))


def summing(p):
    """Refuse probabilities that do not sum to 1: versions of SciPy differ in what it makes of them."""
    if np.any(np.abs(np.sum(p, axis=-1) - 1.0) > 1e-6):
        raise UnsupportedError("a multinomial distribution whose probabilities do not sum to 1", remedy="Divide them by their sum.")


nondifferentiable(summing, effect="checks", kind=lambda p: Const(None))


class Multinomial(Distribution):
    """log f(x) = log n! + sum (x log p - log x!); by each probability, as if the others stood still"""

    def __init__(self, n, p):
        self.n, self.p = n, np.asarray(p) + 0.0
        summing(self.p)

    def impossible(self, x):
        return (np.sum(x, axis=-1) != self.n) | np.any((x < 0) | (x != np.floor(x)), axis=-1)

    def logpmf(self, x):
        x = np.asarray(x) + 0.0
        masses = special.xlogy(x, self.p) - special.gammaln(x + 1.0)
        found = special.gammaln(self.n + 1.0) + np.sum(masses, axis=-1)
        return np.where(self.impossible(x), -np.inf, found)[()]

    def pmf(self, x):
        return np.exp(self.logpmf(x))

    def mean(self):
        return self.n * self.p


declare("instead", {stats.multivariate_normal: MultivariateNormal, stats.multivariate_t: MultivariateT, stats.dirichlet: Dirichlet,
                    stats.wishart: Wishart, stats.multinomial: Multinomial})
