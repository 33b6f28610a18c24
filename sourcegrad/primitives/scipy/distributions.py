"""Rules of scipy.special: distribution functions and their inverses; derivatives are densities.

By degrees of freedom and shapes they are -f dx/da, where x moves along the quantile (see `gamma`); n of the binomial
distributions counts, and has derivative 0.
"""
from __future__ import annotations

import math

import numpy as np
from scipy import special

from sourcegrad.primitives.core import COMPLEX, NONZERO, POSITIVE, REAL, conj, is_complex, rule, sample
from sourcegrad.primitives.elementwise import pair_kind
from sourcegrad.primitives.scipy.special import INSIDE, TAILS
from sourcegrad.runtime import f_slopes, gamma_slope, guard, student_slope

SQRT_2, SQRT_PI, SQRT_2_PI = math.sqrt(2.0), math.sqrt(math.pi), math.sqrt(2.0 * math.pi)
FREEDOM = np.array([1.0, 2.5, 30.0])
FAR = np.array([-1e3, -30.0, 25.0, 1e5])

# --- the error function


@rule(special.erf, elementwise=True, samples=[(REAL,), sample(TAILS)])
def erf(ct, out, x):
    """d erf(x) = 2 / sqrt(pi) e^(-x^2)"""
    return 1.1283791670955126 * ct * conj(np.exp(-x * x))


@rule(special.erfc, elementwise=True, samples=[(REAL,), sample(TAILS)])
def erfc(ct, out, x):
    """out = 1 - erf(x)"""
    return -1.1283791670955126 * ct * conj(np.exp(-x * x))


@rule(special.erfinv, elementwise=True, singular=True, samples=[sample(np.array([-0.9, 0.1, 0.999])), sample(0.5)])
def erfinv(ct, out, y):
    """erf(out) = y"""
    return ct * (0.5 * SQRT_PI) * np.exp(out * out)


@rule(special.erfcinv, elementwise=True, singular=True, samples=[sample(np.array([0.1, 1.0, 1.9])), sample(0.5)])
def erfcinv(ct, out, y):
    """erfc(out) = y"""
    return -ct * (0.5 * SQRT_PI) * np.exp(out * out)


@rule(special.erfi, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def erfi(ct, out, x):
    """out = -i erf(i x)"""
    return 1.1283791670955126 * ct * conj(np.exp(x * x))


@rule(special.erfcx, elementwise=True, singular=True, samples=[(REAL,), (COMPLEX,), sample(np.array([-3.0, 25.0, 1e5]))])
def erfcx(ct, out, x):
    """out = e^(x^2) erfc(x); far right 2 x out - 2 / sqrt(pi) loses its digits, so by the asymptotic series (DLMF 7.12.1)"""
    if is_complex(x):
        return ct * conj(2.0 * x * out - 1.1283791670955126)
    w = 1.0 / np.square(np.where(x > 20.0, x, 20.0))
    far = -w / SQRT_PI * (1.0 + w * (-1.5 + w * (3.75 + w * (-13.125 + w * (59.0625 - 324.84375 * w)))))
    return ct * np.where(x > 20.0, far, 2.0 * x * out - 1.1283791670955126)


@rule(special.dawsn, elementwise=True, samples=[(REAL,), (COMPLEX,), sample(FAR)])
def dawsn(ct, out, x):
    """d dawsn(x) = 1 - 2 x dawsn(x), far out by the asymptotic series (DLMF 7.5.1, 7.12)"""
    if is_complex(x):
        return ct * conj(1.0 - 2.0 * x * out)
    w = 1.0 / np.square(np.where(np.abs(x) > 20.0, x, 20.0))
    far = -0.5 * w * (1.0 + w * (1.5 + w * (3.75 + w * (13.125 + w * (59.0625 + 324.84375 * w)))))
    return ct * np.where(np.abs(x) > 20.0, far, 1.0 - 2.0 * x * out)


@rule(special.wofz, elementwise=True, samples=[(COMPLEX,), (REAL,)])
def wofz(ct, out, z):
    """d w(z) = -2 z w(z) + 2 i / sqrt(pi) (DLMF 7.10.2)"""
    return ct * conj(1.1283791670955126j - 2.0 * z * out)


@rule(special.fresnel, elementwise=True, kind=pair_kind(lambda x: special.fresnel(x)[0], lambda x: special.fresnel(x)[1]),
      samples=[(REAL,), (COMPLEX,)])
def fresnel(ct, out, x):
    """out = the integrals of sin(pi t^2 / 2) and of cos(pi t^2 / 2) from 0 to x (DLMF 7.2.7)"""
    angle = 0.5 * math.pi * conj(x) * conj(x)
    return ct[0] * np.sin(angle) + ct[1] * np.cos(angle)


# --- the normal distribution

@rule(special.ndtr, elementwise=True, samples=[(REAL,), (COMPLEX,), sample(TAILS)])
def ndtr(ct, out, x):
    """d ndtr(x) = e^(-x^2 / 2) / sqrt(2 pi)"""
    return ct * conj(np.exp(-0.5 * x * x)) / SQRT_2_PI


@rule(special.log_ndtr, elementwise=True, samples=[(REAL,), sample(np.array([-30.0, -5.0, 2.0]))])
def log_ndtr(ct, out, x):
    """d log(ndtr(x)) = e^(-x^2 / 2) / (sqrt(2 pi) ndtr(x)), which is sqrt(2 / pi) / erfcx(-x / sqrt(2))"""
    if is_complex(x):
        return ct * conj(np.exp(-0.5 * x * x - out)) / SQRT_2_PI
    return ct * (SQRT_2 / SQRT_PI) / special.erfcx(-x / SQRT_2)


@rule(special.ndtri, elementwise=True, singular=True, samples=[(INSIDE,), sample(np.array([1e-3, 0.5, 0.999]))])
def ndtri(ct, out, y):
    """ndtr(out) = y"""
    return ct * SQRT_2_PI * np.exp(0.5 * out * out)


@rule(special.ndtri_exp, elementwise=True, singular=True, samples=[sample(np.array([-1e4, -30.0, -2.0, -0.1]))])
def ndtri_exp(ct, out, y):
    """log_ndtr(out) = y"""
    return ct * (SQRT_PI / SQRT_2) * special.erfcx(-out / SQRT_2)


@rule(special.owens_t, elementwise=True, samples=[(REAL, REAL), (NONZERO, POSITIVE)])
def owens_t(ct, out, h, a):
    """out = integral of e^(-h^2 (1 + t^2) / 2) / (2 pi (1 + t^2)) from 0 to a (D. B. Owen 1956)"""
    by_h = -0.5 / SQRT_2_PI * np.exp(-0.5 * h * h) * special.erf(a * h / SQRT_2)
    return ct * by_h, ct * np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a))


# --- Student's t, chi-squared, F

@rule(special.stdtr, elementwise=True, samples=[sample(FREEDOM, REAL(3)), sample(3.0, REAL(2, 3))])
def stdtr(ct, out, df, t):
    """out = the distribution function of Student's t"""
    scale = np.sqrt(df) * special.beta(0.5 * df, 0.5)
    density = np.exp(-0.5 * (df + 1.0) * np.log1p(t * t / df)) / scale
    slope = student_slope(t, df)
    return -ct * guard(slope, density * slope), ct * density


@rule(special.stdtrit, elementwise=True, singular=True, samples=[sample(FREEDOM, INSIDE(3)), sample(3.0, INSIDE(2, 3))])
def stdtrit(ct, out, df, p):
    """stdtr(df, out) = p"""
    scale = np.sqrt(df) * special.beta(0.5 * df, 0.5)
    return ct * student_slope(out, df), ct * scale * np.exp(0.5 * (df + 1.0) * np.log1p(out * out / df))


@rule(special.chdtr, elementwise=True, singular=True, samples=[sample(FREEDOM, POSITIVE(3)), sample(3.0, POSITIVE(2, 3))])
def chdtr(ct, out, v, x):
    """out = gammainc(v / 2, x / 2)"""
    half = 0.5 * np.exp(np.where(np.isinf(x), -np.inf, special.xlogy(0.5 * v - 1.0, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v)))
    slope = gamma_slope(0.5 * x, 0.5 * v)
    return -ct * guard(slope, half * slope), ct * half


@rule(special.chdtrc, elementwise=True, singular=True, samples=[sample(FREEDOM, POSITIVE(3)), sample(3.0, POSITIVE(2, 3))])
def chdtrc(ct, out, v, x):
    """out = gammaincc(v / 2, x / 2)"""
    half = 0.5 * np.exp(np.where(np.isinf(x), -np.inf, special.xlogy(0.5 * v - 1.0, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v)))
    slope = gamma_slope(0.5 * x, 0.5 * v)
    return ct * guard(slope, half * slope), -ct * half


@rule(special.chdtri, elementwise=True, singular=True, samples=[sample(FREEDOM, INSIDE(3)), sample(3.0, INSIDE(2, 3))])
def chdtri(ct, out, v, p):
    """chdtrc(v, out) = p"""
    return (ct * gamma_slope(0.5 * out, 0.5 * v),
            -2.0 * ct * np.exp(0.5 * out + special.gammaln(0.5 * v) - special.xlogy(0.5 * v - 1.0, 0.5 * out)))


@rule(special.fdtr, elementwise=True, singular=True, samples=[sample(FREEDOM, 4.0, POSITIVE(3))])
def fdtr(ct, out, dfn, dfd, x):
    """out = betainc(dfn / 2, dfd / 2, dfn x / (dfd + dfn x))"""
    density = np.exp(special.xlogy(0.5 * dfn - 1.0, dfn * x / dfd) - 0.5 * (dfn + dfd) * np.log1p(dfn * x / dfd)
                     - special.betaln(0.5 * dfn, 0.5 * dfd)) * (dfn / dfd)
    slopes = f_slopes(x, dfn, dfd)
    return -ct * guard(slopes[0], density * slopes[0]), -ct * guard(slopes[1], density * slopes[1]), ct * density


@rule(special.fdtrc, elementwise=True, singular=True, samples=[sample(FREEDOM, 4.0, POSITIVE(3))])
def fdtrc(ct, out, dfn, dfd, x):
    """out = 1 - fdtr(dfn, dfd, x)"""
    density = np.exp(special.xlogy(0.5 * dfn - 1.0, dfn * x / dfd) - 0.5 * (dfn + dfd) * np.log1p(dfn * x / dfd)
                     - special.betaln(0.5 * dfn, 0.5 * dfd)) * (dfn / dfd)
    slopes = f_slopes(x, dfn, dfd)
    return ct * guard(slopes[0], density * slopes[0]), ct * guard(slopes[1], density * slopes[1]), -ct * density


@rule(special.fdtri, elementwise=True, singular=True, samples=[sample(FREEDOM, 4.0, INSIDE(3))])
def fdtri(ct, out, dfn, dfd, p):
    """fdtr(dfn, dfd, out) = p"""
    density = np.exp(special.xlogy(0.5 * dfn - 1.0, dfn * out / dfd) - 0.5 * (dfn + dfd) * np.log1p(dfn * out / dfd)
                     - special.betaln(0.5 * dfn, 0.5 * dfd)) * (dfn / dfd)
    slopes = f_slopes(out, dfn, dfd)
    return ct * slopes[0], ct * slopes[1], ct / density


# --- gamma, Poisson, binomial

@rule(special.gdtr, elementwise=True, singular=True, samples=[sample(POSITIVE(3), FREEDOM, POSITIVE(3))])
def gdtr(ct, out, a, b, x):
    """out = gammainc(b, a x)"""
    density = np.exp(special.xlogy(b - 1.0, a * x) - a * x - special.gammaln(b))
    slope = gamma_slope(a * x, b)
    return ct * x * density, -ct * guard(slope, density * slope), ct * a * density


@rule(special.gdtrc, elementwise=True, singular=True, samples=[sample(POSITIVE(3), FREEDOM, POSITIVE(3))])
def gdtrc(ct, out, a, b, x):
    """out = gammaincc(b, a x)"""
    density = np.exp(special.xlogy(b - 1.0, a * x) - a * x - special.gammaln(b))
    slope = gamma_slope(a * x, b)
    return -ct * x * density, ct * guard(slope, density * slope), -ct * a * density


@rule(special.pdtr, elementwise=True, samples=[sample(np.array([0, 2, 7]), POSITIVE(3)), sample(2.0, POSITIVE(2, 3))])
def pdtr(ct, out, k, m):
    """out = sum of e^-m m^j / j! for j <= k, which is gammaincc(floor(k) + 1, m)"""
    whole = np.floor(k)
    return None, -ct * np.exp(special.xlogy(whole, m) - m - special.gammaln(whole + 1.0))


@rule(special.pdtrc, elementwise=True, samples=[sample(np.array([0, 2, 7]), POSITIVE(3)), sample(2.0, POSITIVE(2, 3))])
def pdtrc(ct, out, k, m):
    """out = 1 - pdtr(k, m)"""
    whole = np.floor(k)
    return None, ct * np.exp(special.xlogy(whole, m) - m - special.gammaln(whole + 1.0))


@rule(special.bdtr, elementwise=True, singular=True, samples=[sample(np.array([0.0, 2.0, 6.0]), 7, INSIDE(3))])
def bdtr(ct, out, k, n, p):
    """out = sum of binom(n, j) p^j (1 - p)^(n - j) for j <= k, which is betainc(n - k, k + 1, 1 - p)"""
    above = np.maximum(n - np.floor(k), 1.0)
    density = np.exp(special.xlogy(np.floor(k), p) + special.xlog1py(above - 1.0, -p) - special.betaln(above, np.floor(k) + 1.0))
    return None, None, -ct * np.where(np.floor(k) < n, density, 0.0)


@rule(special.bdtrc, elementwise=True, singular=True, samples=[sample(np.array([0.0, 2.0, 6.0]), 7, INSIDE(3))])
def bdtrc(ct, out, k, n, p):
    """out = 1 - bdtr(k, n, p)"""
    above = np.maximum(n - np.floor(k), 1.0)
    density = np.exp(special.xlogy(np.floor(k), p) + special.xlog1py(above - 1.0, -p) - special.betaln(above, np.floor(k) + 1.0))
    return None, None, ct * np.where(np.floor(k) < n, density, 0.0)


@rule(special.nbdtr, elementwise=True, singular=True, samples=[sample(np.array([0, 2, 7]), 3, INSIDE(3))])
def nbdtr(ct, out, k, n, p):
    """out = betainc(n, floor(k) + 1, p)"""
    density = np.exp(special.xlogy(n - 1.0, p) + special.xlog1py(np.floor(k), -p) - special.betaln(n, np.floor(k) + 1.0))
    return None, None, ct * density


@rule(special.nbdtrc, elementwise=True, singular=True, samples=[sample(np.array([0, 2, 7]), 3, INSIDE(3))])
def nbdtrc(ct, out, k, n, p):
    """out = 1 - nbdtr(k, n, p)"""
    density = np.exp(special.xlogy(n - 1.0, p) + special.xlog1py(np.floor(k), -p) - special.betaln(n, np.floor(k) + 1.0))
    return None, None, -ct * density
