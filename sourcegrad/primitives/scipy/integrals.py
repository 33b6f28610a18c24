"""Rules of scipy.special: hypergeometric functions, elliptic and exponential integrals, orthogonal polynomials.

Where a formula would be 0 / 0, or lose its digits near there, the derivative is a hypergeometric function: so is its derivative.
"""
from __future__ import annotations

import math

import numpy as np
from scipy import special

from sourcegrad.primitives.core import COMPLEX, NONZERO, POSITIVE, REAL, UNIT, conj, is_complex, rule, sample
from sourcegrad.primitives.elementwise import pair_kind
from sourcegrad.primitives.scipy.special import FIXED, NO_FORMULA
from sourcegrad.runtime import refuse

DEGREES = np.array([0, 1, 4])
BY_MODULUS = "the derivative of an incomplete elliptic integral or function by m has no rule"
AT_EQUAL = "the derivative of a Carlson integral has no rule"
ELLIPTIC = [lambda u, m, k=k: special.ellipj(u, m)[k] for k in range(4)]
SICI = [lambda x, k=k: special.sici(x)[k] for k in range(2)]
SHICHI = [lambda x, k=k: special.shichi(x)[k] for k in range(2)]

# --- hypergeometric functions


@rule(special.hyp0f1, elementwise=True,
      samples=[sample(1.5, REAL(3)), sample(np.array([0.5, 2.0]), NONZERO(2)), sample(1.5, COMPLEX(3))])
def hyp0f1(ct, out, v, z):
    """d 0F1(v; z) = 0F1(v + 1; z) / v (DLMF 16.3.1)"""
    return refuse(NO_FORMULA, FIXED), ct * conj(special.hyp0f1(v + 1.0, z) / v)


@rule(special.hyp1f1, elementwise=True, samples=[sample(1.5, 2.5, REAL(3)), sample(np.array([0.5, -2.0]), 1.5, NONZERO(2)),
                                                 sample(0.5, 1.5, COMPLEX(3))])
def hyp1f1(ct, out, a, b, x):
    """d M(a, b, x) = a / b M(a + 1, b + 1, x) (DLMF 13.3.15)"""
    return refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED), ct * conj((a / b) * special.hyp1f1(a + 1.0, b + 1.0, x))


@rule(special.hyperu, elementwise=True, singular=True, samples=[sample(1.5, 2.5, POSITIVE(3)), sample(0.5, 1.0, POSITIVE(2))])
def hyperu(ct, out, a, b, x):
    """d U(a, b, x) = -a U(a + 1, b + 1, x) (DLMF 13.3.22)"""
    return refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED), -ct * a * special.hyperu(a + 1.0, b + 1.0, x)


@rule(special.hyp2f1, elementwise=True, singular=True, samples=[sample(0.5, 1.5, 2.5, UNIT(3)), sample(-2.0, 1.5, 2.5, REAL(3)),
                                                                  sample(0.5, 1.0, 1.5, 0.3 + 0.2j)])
def hyp2f1(ct, out, a, b, c, z):
    """d F(a, b; c; z) = a b / c F(a + 1, b + 1; c + 1; z) (DLMF 15.5.1)"""
    return (refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED),
            ct * conj((a * b / c) * special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)))


# --- elliptic integrals; m is the square of the modulus


@rule(special.ellipk, elementwise=True, singular="pole", samples=[(UNIT,), sample(np.array([-30.0, 1e-9, 0.999]))])
def ellipk(ct, out, m):
    """out = pi / 2 F(1/2, 1/2; 1; m) (DLMF 19.5.1)"""
    return ct * (0.125 * math.pi) * special.hyp2f1(1.5, 1.5, 2.0, m)


@rule(special.ellipkm1, elementwise=True, singular="pole", samples=[(POSITIVE,), sample(np.array([1e-3, 1.0, 30.0]))])
def ellipkm1(ct, out, p):
    """out = ellipk(1 - p); F(3/2, 3/2; 2; 1 - p) = F(1/2, 1/2; 2; 1 - p) / p (DLMF 15.8.1)"""
    return -ct * (0.125 * math.pi) / p * special.hyp2f1(0.5, 0.5, 2.0, 1.0 - p)


@rule(special.ellipe, elementwise=True, singular=True, samples=[(UNIT,), sample(np.array([-30.0, 1e-9, 0.999]))])
def ellipe(ct, out, m):
    """out = pi / 2 F(-1/2, 1/2; 1; m) (DLMF 19.5.2)"""
    return -ct * (0.125 * math.pi) * special.hyp2f1(0.5, 1.5, 2.0, m)


@rule(special.ellipkinc, elementwise=True, singular=True, samples=[sample(REAL(3), 0.4), sample(UNIT(2), np.array([-3.0, 0.9]))])
def ellipkinc(ct, out, phi, m):
    """out = integral of 1 / sqrt(1 - m sin(t)^2) from 0 to phi (DLMF 19.2.4)"""
    return ct / np.sqrt(1.0 - m * np.square(np.sin(phi))), refuse(BY_MODULUS, FIXED)


@rule(special.ellipeinc, elementwise=True, singular=True, samples=[sample(REAL(3), 0.4), sample(UNIT(2), np.array([-3.0, 0.9]))])
def ellipeinc(ct, out, phi, m):
    """out = integral of sqrt(1 - m sin(t)^2) from 0 to phi (DLMF 19.2.5)"""
    return ct * np.sqrt(1.0 - m * np.square(np.sin(phi))), refuse(BY_MODULUS, FIXED)


@rule(special.ellipj, elementwise=True, kind=pair_kind(*ELLIPTIC),
      samples=[sample(REAL(3), 0.4), sample(UNIT(2), np.array([0.1, 0.9]))])
def ellipj(ct, out, u, m):
    """out = sn, cn, dn and the amplitude of u (DLMF 22.13)"""
    by_sn = ct[0] * out[1] * out[2]
    by_others = ct[3] * out[2] - ct[1] * out[0] * out[2] - ct[2] * m * out[0] * out[1]
    return by_sn + by_others, refuse(BY_MODULUS, FIXED)


@rule(special.elliprd, elementwise=True, samples=[sample(1.0, 2.0, 3.0)])
def elliprd(ct, out, x, y, z):
    """out = the integral of 3/2 (t + x)^(-1/2) (t + y)^(-1/2) (t + z)^(-3/2) over t > 0 (DLMF 19.16.5)"""
    return refuse(AT_EQUAL, FIXED), refuse(AT_EQUAL, FIXED), refuse(AT_EQUAL, FIXED)


@rule(special.elliprf, elementwise=True, singular=True, samples=[(POSITIVE, POSITIVE, POSITIVE)])
def elliprf(ct, out, x, y, z):
    """d RF(x, y, z) by z = -RD(x, y, z) / 6 (DLMF 19.18.1)"""
    scaled = ct / -6.0
    return (scaled * conj(special.elliprd(y, z, x)), scaled * conj(special.elliprd(z, x, y)),
            scaled * conj(special.elliprd(x, y, z)))


@rule(special.agm, elementwise=True, singular=True,
      samples=[(POSITIVE, POSITIVE), sample(np.array([1.0, 2.0]), np.array([1.0, 1e-3]))])
def agm(ct, out, a, b):
    """1 / out = 2 / pi RF(0, a^2, b^2), the arithmetic-geometric mean (DLMF 19.8.5, 19.18.1)"""
    scaled = ct * out * out * (2.0 / (3.0 * math.pi))
    return scaled * a * special.elliprd(0.0, b * b, a * a), scaled * b * special.elliprd(0.0, a * a, b * b)


# --- exponential, sine and cosine integrals


@rule(special.exp1, elementwise=True, singular="pole", samples=[(POSITIVE,), (COMPLEX,)])
def exp1(ct, out, z):
    """out = integral of e^-t / t from z to infinity (DLMF 6.2.1)"""
    return -ct * conj(np.exp(-z) / z)


@rule(special.expi, elementwise=True, singular="pole", samples=[(NONZERO,), (COMPLEX,)])
def expi(ct, out, x):
    """out = integral of e^t / t from -infinity to x (DLMF 6.2.5)"""
    return ct * conj(np.exp(x) / x)


@rule(special.expn, elementwise=True, singular=True,
      samples=[sample(np.array([0, 1, 2, 5]), POSITIVE(4)), sample(3, POSITIVE(2, 3)),
                                                                sample(2, np.array([1e-2, 60.0]))])
def expn(ct, out, n, x):
    """d E_n(x) = -E_{n-1}(x) (DLMF 8.19.13), of E_0 by the recurrence x E_{-1} = e^-x + E_0 (8.19.12)"""
    return None, -ct * np.where(np.equal(n, 0), (np.exp(-x) + out) / x, special.expn(np.maximum(n - 1, 0), x))


@rule(special.sici, elementwise=True, singular=True, kind=pair_kind(*SICI), samples=[(POSITIVE,)])
def sici(ct, out, x):
    """out = integrals of sin(t) / t from 0 to x and, but for log x and Euler's constant, (cos(t) - 1) / t (DLMF 6.2.9, 6.2.13)"""
    if is_complex(x):
        return ct[0] * conj(np.sin(x) / x) + ct[1] * conj(np.cos(x) / x)
    return ct[0] * np.sinc(x / math.pi) + ct[1] * np.cos(x) / x


@rule(special.shichi, elementwise=True, singular=True, kind=pair_kind(*SHICHI), samples=[(POSITIVE,)])
def shichi(ct, out, x):
    """out = the integrals of sinh(t) / t and (cosh(t) - 1) / t likewise; sinh(x) / x = 0F1(3/2; x^2 / 4) (DLMF 6.2.15, 6.2.16)"""
    return ct[0] * conj(special.hyp0f1(1.5, 0.25 * x * x)) + ct[1] * conj(np.cosh(x) / x)


@rule(special.spence, elementwise=True, singular=True, samples=[(POSITIVE,), (COMPLEX,), sample(np.array([1e-3, 1.0, 1.0 + 1e-9]))])
def spence(ct, out, z):
    """out = integral of log(t) / (1 - t) from 1 to z; around 1 the derivative is -F(1, 1; 2; 1 - z) (DLMF 25.12.2, 15.4.1)"""
    if is_complex(z):
        return ct * conj(np.log(z) / (1.0 - z))
    near = z > 0.5
    return ct * np.where(near, -special.hyp2f1(1.0, 1.0, 2.0, 1.0 - np.where(near, z, 1.0)),
                         np.log(np.where(near, 0.5, z)) / (1.0 - np.where(near, 0.5, z)))


# --- orthogonal polynomials: derivatives are polynomials of the next family (DLMF 18.9.15, 18.9.19, 18.9.21, 18.9.23, 18.9.25)


@rule(special.eval_jacobi, elementwise=True,
      samples=[sample(DEGREES, 0.5, 1.5, REAL(3)), sample(3, -0.5, 0.0, UNIT(2, 3)), sample(1.7, 0.5, 1.0, UNIT(3))])
def eval_jacobi(ct, out, n, alpha, beta, x):
    """d P_n(x; a, b) = (n + a + b + 1) / 2 P_{n-1}(x; a + 1, b + 1)"""
    slope = 0.5 * (n + alpha + beta + 1.0) * special.eval_jacobi(n - 1 + np.equal(n, 0), alpha + 1.0, beta + 1.0, x)
    by_x = ct * conj(np.where(np.equal(n, 0), 0.0, slope))
    return refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED), by_x


@rule(special.eval_gegenbauer, elementwise=True,
      samples=[sample(DEGREES, 1.5, REAL(3)), sample(3, 0.5, UNIT(2, 3)), sample(1.7, 0.5, UNIT(3))])
def eval_gegenbauer(ct, out, n, alpha, x):
    """d C_n(x; a) = 2 a C_{n-1}(x; a + 1)"""
    slope = 2.0 * alpha * special.eval_gegenbauer(n - 1 + np.equal(n, 0), alpha + 1.0, x)
    return refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED), ct * conj(np.where(np.equal(n, 0), 0.0, slope))


@rule(special.eval_legendre, elementwise=True,
      samples=[sample(DEGREES, REAL(3)), sample(3, np.array([-1.0, 1.0])), sample(1.7, UNIT(3))])
def eval_legendre(ct, out, n, x):
    """d P_n(x) = C_{n-1}(x; 3/2)"""
    slope = special.eval_gegenbauer(n - 1 + np.equal(n, 0), 1.5, x)
    return refuse(NO_FORMULA, FIXED), ct * conj(np.where(np.equal(n, 0), 0.0, slope))


@rule(special.eval_sh_legendre, elementwise=True, samples=[sample(DEGREES, REAL(3)), sample(3, UNIT(2, 3))])
def eval_sh_legendre(ct, out, n, x):
    """out = P_n(2 x - 1)"""
    slope = special.eval_gegenbauer(n - 1 + np.equal(n, 0), 1.5, 2.0 * x - 1.0)
    return refuse(NO_FORMULA, FIXED), 2.0 * ct * conj(np.where(np.equal(n, 0), 0.0, slope))


@rule(special.eval_chebyt, elementwise=True, samples=[sample(DEGREES, REAL(3)), sample(3, UNIT(2, 3)), sample(1.7, UNIT(3))])
def eval_chebyt(ct, out, n, x):
    """d T_n(x) = n U_{n-1}(x)"""
    return refuse(NO_FORMULA, FIXED), ct * conj(np.where(np.equal(n, 0), 0.0, n * special.eval_chebyu(n - 1 + np.equal(n, 0), x)))


@rule(special.eval_chebyu, elementwise=True, samples=[sample(DEGREES, REAL(3)), sample(3, UNIT(2, 3)), sample(1.7, UNIT(3))])
def eval_chebyu(ct, out, n, x):
    """U_n(x) = C_n(x; 1)"""
    slope = special.eval_gegenbauer(n - 1 + np.equal(n, 0), 2.0, x)
    return refuse(NO_FORMULA, FIXED), 2.0 * ct * conj(np.where(np.equal(n, 0), 0.0, slope))


@rule(special.eval_sh_chebyt, elementwise=True, samples=[sample(DEGREES, REAL(3))])
def eval_sh_chebyt(ct, out, n, x):
    """out = T_n(2 x - 1)"""
    slope = n * special.eval_chebyu(n - 1 + np.equal(n, 0), 2.0 * x - 1.0)
    return refuse(NO_FORMULA, FIXED), 2.0 * ct * conj(np.where(np.equal(n, 0), 0.0, slope))


@rule(special.eval_hermite, elementwise=True, samples=[sample(DEGREES, REAL(3)), sample(3, UNIT(2, 3))])
def eval_hermite(ct, out, n, x):
    """d H_n(x) = 2 n H_{n-1}(x)"""
    return None, 2.0 * ct * n * special.eval_hermite(np.maximum(n - 1 + np.equal(n, 0), 0), x)


@rule(special.eval_hermitenorm, elementwise=True, samples=[sample(DEGREES, REAL(3)), sample(3, UNIT(2, 3))])
def eval_hermitenorm(ct, out, n, x):
    """d He_n(x) = n He_{n-1}(x)"""
    return None, ct * n * special.eval_hermitenorm(np.maximum(n - 1 + np.equal(n, 0), 0), x)


@rule(special.eval_genlaguerre, elementwise=True,
      samples=[sample(DEGREES, 0.5, REAL(3)), sample(3, 0.0, UNIT(2, 3)), sample(1.7, 0.5, POSITIVE(3))])
def eval_genlaguerre(ct, out, n, alpha, x):
    """d L_n(x; a) = -L_{n-1}(x; a + 1)"""
    slope = special.eval_genlaguerre(n - 1 + np.equal(n, 0), alpha + 1.0, x)
    return refuse(NO_FORMULA, FIXED), refuse(NO_FORMULA, FIXED), -ct * conj(np.where(np.equal(n, 0), 0.0, slope))


@rule(special.eval_laguerre, elementwise=True, samples=[sample(DEGREES, REAL(3)), sample(3, UNIT(2, 3)), sample(1.7, POSITIVE(3))])
def eval_laguerre(ct, out, n, x):
    """d L_n(x) = -L_{n-1}(x; 1)"""
    slope = special.eval_genlaguerre(n - 1 + np.equal(n, 0), 1.0, x)
    return refuse(NO_FORMULA, FIXED), -ct * conj(np.where(np.equal(n, 0), 0.0, slope))
