"""Rules of scipy.special: the gamma and beta functions, and their incomplete forms.

DLMF: F. W. J. Olver et al., NIST Digital Library of Mathematical Functions (https://dlmf.nist.gov), by number of equation.
By a shape a distribution function F has the derivative -f dx/da, where x moves along the quantile: F(x, a) = const. These
slopes are integrals (`sourcegrad.runtime.random_draws`), relatively exact to some 1e-12, in the tails too; 1e-10 for shapes of
100,000. Other derivatives by parameters that have no closed form in functions of SciPy are refused.
"""
from __future__ import annotations

import math

import numpy as np
from scipy import special

from sourcegrad.kinds import results
from sourcegrad.primitives.core import (
    ABOVE_ONE,
    COMPLEX,
    NONZERO,
    POSITIVE,
    available,
    conj,
    is_complex,
    nondifferentiable,
    rule,
    sample,
)
from sourcegrad.primitives.scipy.special import FIXED, INSIDE, NO_FORMULA
from sourcegrad.runtime import beta_slope, gamma_slope, guard, refuse

BELOW = np.array([-0.4, -1.7, -5.5])
COUNTED = "scipy.special.comb with exact=True or repetition=True has no derivative rule"
SHAPES = np.array([0.6, 1.0, 3.5])

# --- the gamma function and its logarithmic derivatives


@rule(special.gamma, elementwise=True, singular="pole", samples=[(POSITIVE,), (COMPLEX,), sample(BELOW)])
def gamma(ct, out, x):
    """d gamma(x) = gamma(x) psi(x) (DLMF 5.2.2)"""
    return ct * conj(out * special.psi(x))


@rule(special.gammaln, elementwise=True, singular="pole", samples=[(POSITIVE,), sample(BELOW), sample(np.array([1e-2, 50.0]))])
def gammaln(ct, out, x):
    """out = log |gamma(x)|"""
    return ct * special.psi(x)


@rule(special.loggamma, elementwise=True, singular="pole", samples=[(POSITIVE,), (COMPLEX,)])
def loggamma(ct, out, x):
    """out = log(gamma(x)), of numbers in the complex plane"""
    return ct * conj(special.psi(x))


@rule(special.rgamma, elementwise=True, samples=[(POSITIVE,), (COMPLEX,), sample(BELOW), sample(np.array([0.0, -1.0, -4.0]))])
def rgamma(ct, out, x):
    """out = 1 / gamma(x); left of 1/2 by the reflection gamma(1 - x) sin(pi x) / pi, which has no poles (DLMF 5.5.3)"""
    if is_complex(x):
        return -ct * conj(out * special.psi(x))
    left = np.where(x < 0.5, x, 0.0)
    right = np.where(x < 0.5, 1.0, x)
    reflected = special.gamma(1.0 - left) * (np.cos(math.pi * left) - special.psi(1.0 - left) * np.sin(math.pi * left) / math.pi)
    return ct * np.where(x < 0.5, reflected, -special.rgamma(right) * special.psi(right))


@rule(special.psi, elementwise=True, singular="pole", samples=[(POSITIVE,), sample(BELOW)])
def psi(ct, out, x):
    """d psi(x) = psi'(x), the trigamma function (DLMF 5.15.1)"""
    if is_complex(x):
        return refuse("SciPy has no derivative of psi for complex numbers", FIXED)
    return ct * special.polygamma(1, x)


@rule(special.polygamma, singular=True, kind=lambda n, x: results.elementwise(special.xlogy)(n, x), elementwise=True,
      samples=[sample(1, POSITIVE(3)), sample(0, POSITIVE(2, 3)), sample(2, BELOW), sample(np.array([0, 1, 3]), POSITIVE(3))])
def polygamma(ct, out, n, x):
    """out = the n-th derivative of psi(x)"""
    return None, ct * special.polygamma(n + 1, x)


@rule(special.multigammaln, kind=lambda a, d: results.elementwise(special.gammaln)(a, d=d), elementwise=True,
      samples=[sample(ABOVE_ONE(3), 2), sample(ABOVE_ONE(), 1), sample(np.array([3.5, 7.0]), 4)])
def multigammaln(ct, out, a, d):
    """out = d (d - 1) / 4 log(pi) + sum of gammaln(a - j / 2), j = 0, ..., d - 1 (DLMF 35.3.4)"""
    return ct * np.sum(special.psi(np.expand_dims(a, -1) - 0.5 * np.arange(d)), axis=-1), None


@rule(special.poch, elementwise=True, singular=True, samples=[(POSITIVE, POSITIVE), (POSITIVE, NONZERO)])
def poch(ct, out, z, m):
    """out = gamma(z + m) / gamma(z) (DLMF 5.2.5)"""
    scaled = ct * out
    return scaled * (special.psi(z + m) - special.psi(z)), scaled * special.psi(z + m)


@rule(special.factorial, singular=True, kind=lambda n, exact=None, extend=None: results.elementwise(special.gamma)(n, exact=exact),
      elementwise=True,
      samples=[sample(POSITIVE(3)), sample(np.array([-1.5, 0.3, 2.0]))])
def factorial(ct, out, n, exact=False, extend="zero"):
    """out = gamma(n + 1), and 0 for n < 0"""
    if exact:
        return refuse("scipy.special.factorial with exact=True has no derivative: it counts", "Leave exact out.")
    if extend != "zero":
        return refuse("scipy.special.factorial with extend='complex' has no derivative rule", "Use scipy.special.gamma(n + 1).")
    return ct * np.where(n < 0, 0.0, out * special.psi(np.where(n < 0, 0.0, n) + 1.0))


@rule(special.binom, elementwise=True, singular=True,
      samples=[(ABOVE_ONE, INSIDE), sample(np.array([5.0, 7.5]), np.array([2.0, 3.0]))])
def binom(ct, out, n, k):
    """out = gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)) (DLMF 1.2.6)"""
    scaled = ct * out
    rest = special.psi(n - k + 1.0)
    return scaled * (special.psi(n + 1.0) - rest), scaled * (rest - special.psi(k + 1.0))


@rule(special.comb, elementwise=True, singular=True,
      kind=lambda N, k, exact=None, repetition=None: results.elementwise(special.binom)(N, k, exact=exact),
      samples=[sample(np.array([5.0, 7.5, 3.0]), np.array([2.0, 3.0, 1.0])), sample(ABOVE_ONE(3), np.array([1.0, 0.5, 1.1]))])
def comb(ct, out, N, k, exact=False, repetition=False):
    """out = binom(N, k), and 0 outside of 0 <= k <= N"""
    if exact:
        return refuse(COUNTED, "Leave exact out."), refuse(COUNTED, "Leave exact out.")
    if repetition:
        return refuse(COUNTED, "Use scipy.special.binom(N + k - 1, k)."), refuse(COUNTED, "Use scipy.special.binom(N + k - 1, k).")
    rest = special.psi(N - k + 1.0)
    by_n = np.where(np.equal(out, 0), 0.0, out * (special.psi(N + 1.0) - rest))
    by_k = np.where(np.equal(out, 0), 0.0, out * (rest - special.psi(k + 1.0)))
    return ct * by_n, ct * by_k


nondifferentiable(special.gammasgn, kind=results.elementwise(special.gammasgn))

# --- the beta function


@rule(special.beta, elementwise=True, singular=True, samples=[(POSITIVE, POSITIVE)])
def beta(ct, out, a, b):
    """out = gamma(a) gamma(b) / gamma(a + b) (DLMF 5.12.1)"""
    scaled = ct * out
    both = special.psi(a + b)
    return scaled * (special.psi(a) - both), scaled * (special.psi(b) - both)


@rule(special.betaln, elementwise=True, singular=True, samples=[(POSITIVE, POSITIVE)])
def betaln(ct, out, a, b):
    """out = log |beta(a, b)|"""
    both = special.psi(a + b)
    return ct * (special.psi(a) - both), ct * (special.psi(b) - both)


# --- incomplete gamma functions: the derivative by x is the density of the gamma distribution

@rule(special.gammainc, elementwise=True, singular=True, samples=[sample(SHAPES, POSITIVE(3)), sample(2.5, POSITIVE(2, 3)),
                                                                  sample(np.array([1.0, 40.0]), np.array([1e-3, 60.0]))])
def gammainc(ct, out, a, x):
    """out = integral of t^(a - 1) e^-t from 0 to x, divided by gamma(a) (DLMF 8.2.4, 8.8.13)"""
    density = np.exp(np.where(np.isinf(x), -np.inf, special.xlogy(a - 1.0, x) - x - special.gammaln(a)))
    slope = gamma_slope(x, a)
    return -ct * guard(slope, density * slope), ct * density


@rule(special.gammaincc, elementwise=True, singular=True, samples=[sample(SHAPES, POSITIVE(3)), sample(2.5, POSITIVE(2, 3))])
def gammaincc(ct, out, a, x):
    """out = 1 - gammainc(a, x)"""
    density = np.exp(np.where(np.isinf(x), -np.inf, special.xlogy(a - 1.0, x) - x - special.gammaln(a)))
    slope = gamma_slope(x, a)
    return ct * guard(slope, density * slope), -ct * density


@rule(special.gammaincinv, elementwise=True, singular=True, samples=[sample(SHAPES, INSIDE(3)), sample(2.5, INSIDE(2, 3))])
def gammaincinv(ct, out, a, y):
    """gammainc(a, out) = y"""
    return ct * gamma_slope(out, a), ct * np.exp(out + special.gammaln(a) - special.xlogy(a - 1.0, out))


@rule(special.gammainccinv, elementwise=True, singular=True, samples=[sample(SHAPES, INSIDE(3)), sample(2.5, INSIDE(2, 3))])
def gammainccinv(ct, out, a, y):
    """gammaincc(a, out) = y"""
    return ct * gamma_slope(out, a), -ct * np.exp(out + special.gammaln(a) - special.xlogy(a - 1.0, out))


# --- incomplete beta functions: the derivative by x is the density of the beta distribution

@rule(special.betainc, elementwise=True, singular=True, samples=[sample(SHAPES, 2.5, INSIDE(3)), sample(0.5, 1.0, INSIDE(2, 3))])
def betainc(ct, out, a, b, x):
    """out = integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, divided by beta(a, b) (DLMF 8.17.1)"""
    density = np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
    by_a, by_b = beta_slope(x, a, b), beta_slope(1.0 - x, b, a)
    return -ct * guard(by_a, density * by_a), ct * guard(by_b, density * by_b), ct * density


@rule(*available(special, "betaincc"), elementwise=True, singular=True, samples=[sample(SHAPES, 2.5, INSIDE(3))])
def betaincc(ct, out, a, b, x):
    """out = 1 - betainc(a, b, x)"""
    density = np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
    by_a, by_b = beta_slope(x, a, b), beta_slope(1.0 - x, b, a)
    return ct * guard(by_a, density * by_a), -ct * guard(by_b, density * by_b), -ct * density


@rule(special.betaincinv, elementwise=True, singular=True, samples=[sample(SHAPES, 2.5, INSIDE(3)), sample(0.5, 1.0, INSIDE(2, 3))])
def betaincinv(ct, out, a, b, y):
    """betainc(a, b, out) = y"""
    return (ct * beta_slope(out, a, b), -ct * beta_slope(1.0 - out, b, a),
            ct * np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, out) - special.xlog1py(b - 1.0, -out)))


@rule(*available(special, "betainccinv"), elementwise=True, singular=True, samples=[sample(SHAPES, 2.5, INSIDE(3))])
def betainccinv(ct, out, a, b, y):
    """betaincc(a, b, out) = y"""
    return (ct * beta_slope(out, a, b), -ct * beta_slope(1.0 - out, b, a),
            -ct * np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, out) - special.xlog1py(b - 1.0, -out)))


# --- the zeta functions

@rule(special.zeta, singular=True,
      kind=lambda x, q=None, out=None: results.elementwise(special.xlogy)(x, x if q is None else q, q=q),
      elementwise=True, samples=[sample(2.5, POSITIVE(3)), sample(np.array([2.0, 3.5]), POSITIVE(2))])
def zeta(ct, out, x, q=None):
    """out = sum of 1 / (k + q)^x, k = 0, 1, ... (DLMF 25.11.1, 25.11.17)"""
    if q is None:
        return refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED)
    return refuse(NO_FORMULA, FIXED), -ct * x * special.zeta(x + 1.0, q)
