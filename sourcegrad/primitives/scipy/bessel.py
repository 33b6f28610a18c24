"""Rules of scipy.special: Bessel functions, spherical ones, Airy's, Struve's and Kelvin's.

Derivatives by the argument are differences or sums of neighbouring orders (DLMF 10.6.1, 10.29.1, 10.51.1). Derivatives by the
order have no formula in functions of SciPy, and are refused.
"""
from __future__ import annotations

import numpy as np
from scipy import special

from sourcegrad.kinds import results
from sourcegrad.primitives import core
from sourcegrad.primitives.core import COMPLEX, NONZERO, POSITIVE, REAL, conj, is_complex, rule, sample
from sourcegrad.primitives.elementwise import pair_kind
from sourcegrad.primitives.scipy.special import FIXED
from sourcegrad.runtime import refuse
from sourcegrad.runtime.elementwise import bessel_decay

ORDER = "the derivative of a Bessel function by its order has no formula in functions of SciPy"
SCALED = "a scaled Bessel function of complex numbers is not holomorphic: it has no derivative rule"
ORDERS, HALVES = np.array([0, 1, 4]), np.array([0.5, 2.5, -0.3])
AIRY = [lambda x, k=k: special.airy(x)[k] for k in range(4)]

# --- of the first and second kind


@rule(special.j0, elementwise=True, samples=[(REAL,)])
def j0(ct, out, x):
    """d J0(x) = -J1(x) (DLMF 10.6.3)"""
    return -ct * special.j1(x)


@rule(special.j1, elementwise=True, samples=[(REAL,), sample(np.zeros(2))])
def j1(ct, out, x):
    """d J1(x) = (J0(x) - J2(x)) / 2"""
    return 0.5 * ct * (special.j0(x) - special.jv(2, x))


@rule(special.y0, elementwise=True, singular="pole", samples=[(POSITIVE,)])
def y0(ct, out, x):
    """d Y0(x) = -Y1(x) (DLMF 10.6.3)"""
    return -ct * special.y1(x)


@rule(special.y1, elementwise=True, singular="pole", samples=[(POSITIVE,)])
def y1(ct, out, x):
    """d Y1(x) = (Y0(x) - Y2(x)) / 2"""
    return 0.5 * ct * (special.y0(x) - special.yv(2, x))


@rule(special.jv, elementwise=True, singular=True,
      samples=[sample(ORDERS, REAL(3)), sample(HALVES, POSITIVE(3)), sample(2, COMPLEX(3)), sample(0, REAL(2, 3)),
               sample(-2, REAL(3))])
def jv(ct, out, v, z):
    """d J_v(z) = (J_{v-1}(z) - J_{v+1}(z)) / 2"""
    return refuse(ORDER, FIXED), 0.5 * ct * conj(special.jv(v - 1, z) - special.jv(v + 1, z))


@rule(special.yv, elementwise=True, singular=True,
      samples=[sample(ORDERS, POSITIVE(3)), sample(HALVES, POSITIVE(3)), sample(2, COMPLEX(3)), sample(0, POSITIVE(2, 3))])
def yv(ct, out, v, z):
    """d Y_v(z) = (Y_{v-1}(z) - Y_{v+1}(z)) / 2"""
    return refuse(ORDER, FIXED), 0.5 * ct * conj(special.yv(v - 1, z) - special.yv(v + 1, z))


@rule(special.yn, elementwise=True, singular=True, samples=[sample(ORDERS, POSITIVE(3)), sample(0, POSITIVE(2, 3))])
def yn(ct, out, n, x):
    """d Y_n(x) = (Y_{n-1}(x) - Y_{n+1}(x)) / 2"""
    return None, 0.5 * ct * (special.yv(n - 1, x) - special.yv(n + 1, x))


@rule(special.hankel1, elementwise=True, singular=True, samples=[sample(ORDERS, COMPLEX(3)), sample(1, POSITIVE(3))])
def hankel1(ct, out, v, z):
    """out = J_v(z) + i Y_v(z)"""
    return refuse(ORDER, FIXED), 0.5 * ct * np.conj(special.hankel1(v - 1, z) - special.hankel1(v + 1, z))


@core.jvp(special.hankel1)
def hankel1_tangent(dot, out, v, z):
    """2 d H_v(z) = H_{v-1}(z) - H_{v+1}(z) (DLMF 10.6.1), also complex where z is real"""
    return refuse(ORDER, FIXED), 0.5 * dot * (special.hankel1(v - 1, z) - special.hankel1(v + 1, z))


@rule(special.hankel2, elementwise=True, singular=True, samples=[sample(ORDERS, COMPLEX(3)), sample(1, POSITIVE(3))])
def hankel2(ct, out, v, z):
    """out = J_v(z) - i Y_v(z)"""
    return refuse(ORDER, FIXED), 0.5 * ct * np.conj(special.hankel2(v - 1, z) - special.hankel2(v + 1, z))


@core.jvp(special.hankel2)
def hankel2_tangent(dot, out, v, z):
    """2 d H_v(z) = H_{v-1}(z) - H_{v+1}(z) (DLMF 10.6.1), also complex where z is real"""
    return refuse(ORDER, FIXED), 0.5 * dot * (special.hankel2(v - 1, z) - special.hankel2(v + 1, z))


@rule(special.jve, elementwise=True, singular=True, samples=[sample(ORDERS, REAL(3)), sample(HALVES, POSITIVE(3))])
def jve(ct, out, v, z):
    """out = J_v(z) e^-|Im z|"""
    if is_complex(z):
        return refuse(SCALED, FIXED), refuse(SCALED, "Use scipy.special.jv.")
    return refuse(ORDER, FIXED), 0.5 * ct * (special.jve(v - 1, z) - special.jve(v + 1, z))


@rule(special.yve, elementwise=True, singular=True, samples=[sample(ORDERS, POSITIVE(3)), sample(HALVES, POSITIVE(3))])
def yve(ct, out, v, z):
    """out = Y_v(z) e^-|Im z|"""
    if is_complex(z):
        return refuse(SCALED, FIXED), refuse(SCALED, "Use scipy.special.yv.")
    return refuse(ORDER, FIXED), 0.5 * ct * (special.yve(v - 1, z) - special.yve(v + 1, z))


# --- modified


@rule(special.i0, overflows=True, elementwise=True, samples=[(REAL,)])
def i0(ct, out, x):
    """d I0(x) = I1(x) (DLMF 10.29.3)"""
    return ct * special.i1(x)


@rule(special.i1, overflows=True, elementwise=True, samples=[(REAL,), sample(np.zeros(2))])
def i1(ct, out, x):
    """d I1(x) = (I0(x) + I2(x)) / 2"""
    return 0.5 * ct * (special.i0(x) + special.iv(2, x))


@rule(special.k0, elementwise=True, singular="pole", samples=[(POSITIVE,)])
def k0(ct, out, x):
    """d K0(x) = -K1(x) (DLMF 10.29.3)"""
    return -ct * special.k1(x)


@rule(special.k1, elementwise=True, singular="pole", samples=[(POSITIVE,)])
def k1(ct, out, x):
    """d K1(x) = -(K0(x) + K2(x)) / 2"""
    return -0.5 * ct * (special.k0(x) + special.kv(2, x))


@rule(special.iv, elementwise=True, singular=True,
      samples=[sample(ORDERS, REAL(3)), sample(HALVES, POSITIVE(3)), sample(2, COMPLEX(3)), sample(0, REAL(2, 3))])
def iv(ct, out, v, z):
    """d I_v(z) = (I_{v-1}(z) + I_{v+1}(z)) / 2"""
    return refuse(ORDER, FIXED), 0.5 * ct * conj(special.iv(v - 1, z) + special.iv(v + 1, z))


@rule(special.kv, elementwise=True, singular=True,
      samples=[sample(ORDERS, POSITIVE(3)), sample(HALVES, POSITIVE(3)), sample(2, COMPLEX(3)), sample(0, POSITIVE(2, 3))])
def kv(ct, out, v, z):
    """d K_v(z) = -(K_{v-1}(z) + K_{v+1}(z)) / 2"""
    return refuse(ORDER, FIXED), -0.5 * ct * conj(special.kv(v - 1, z) + special.kv(v + 1, z))


@rule(special.kn, elementwise=True, singular=True, samples=[sample(ORDERS, POSITIVE(3)), sample(0, POSITIVE(2, 3))])
def kn(ct, out, n, x):
    """d K_n(x) = -(K_{n-1}(x) + K_{n+1}(x)) / 2"""
    return None, -0.5 * ct * (special.kv(n - 1, x) + special.kv(n + 1, x))


# --- modified and scaled: far out the differences would lose their digits, so by the asymptotic series (DLMF 10.40.1, 10.40.2)


@rule(special.i0e, elementwise=True, samples=[(NONZERO,), sample(np.array([-30.0, 150.0, 1e6]))])
def i0e(ct, out, x):
    """out = I0(x) e^-|x|"""
    far = np.abs(x) > 200.0
    return ct * np.where(far, out * bessel_decay(0.0, np.where(far, x, 1e3), 1, 0), special.i1e(x) - np.sign(x) * out)


@rule(special.i1e, elementwise=True, samples=[(NONZERO,), sample(np.array([-30.0, 150.0, 1e6]))])
def i1e(ct, out, x):
    """out = I1(x) e^-|x|"""
    far = np.abs(x) > 400.0
    near = 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * out
    return ct * np.where(far, out * bessel_decay(1.0, np.where(far, x, 1e3), 1, 0), near)


@rule(special.k0e, elementwise=True, singular="pole", samples=[(POSITIVE,), sample(np.array([30.0, 150.0, 1e6]))])
def k0e(ct, out, x):
    """out = K0(x) e^x"""
    far = x > 200.0
    return ct * np.where(far, out * bessel_decay(0.0, np.where(far, x, 1e3), -1, 0), out - special.k1e(x))


@rule(special.k1e, elementwise=True, singular="pole", samples=[(POSITIVE,), sample(np.array([30.0, 150.0, 1e6]))])
def k1e(ct, out, x):
    """out = K1(x) e^x"""
    far = x > 400.0
    near = out - 0.5 * (special.k0e(x) + special.kve(2, x))
    return ct * np.where(far, out * bessel_decay(1.0, np.where(far, x, 1e3), -1, 0), near)


@rule(special.ive, elementwise=True, singular=True,
      samples=[sample(ORDERS, NONZERO(3)), sample(HALVES, POSITIVE(3)), sample(2, np.array([-30.0, 500.0, 1e6]))])
def ive(ct, out, v, z):
    """out = I_v(z) e^-|Re z|"""
    if is_complex(z):
        return refuse(SCALED, FIXED), refuse(SCALED, "Use scipy.special.iv.")
    far = np.abs(z) > 200.0 * (v * v + 1.0)
    near = 0.5 * (special.ive(v - 1, z) + special.ive(v + 1, z)) - np.sign(z) * out
    slope = np.where(far, out * bessel_decay(v, np.where(far, z, 1e3 * (v * v + 1.0)), 1, 0), near)
    return refuse(ORDER, FIXED), ct * slope


@rule(special.kve, elementwise=True, singular=True,
      samples=[sample(ORDERS, POSITIVE(3)), sample(HALVES, POSITIVE(3)), sample(2, COMPLEX(3)),
               sample(2, np.array([30.0, 500.0, 1e6]))])
def kve(ct, out, v, z):
    """out = K_v(z) e^z"""
    near = out - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z))
    if is_complex(z):
        return refuse(ORDER, FIXED), ct * conj(near)
    far = z > 200.0 * (v * v + 1.0)
    slope = np.where(far, out * bessel_decay(v, np.where(far, z, 1e3 * (v * v + 1.0)), -1, 0), near)
    return refuse(ORDER, FIXED), ct * slope


# --- derivatives of Bessel functions


def by_argument(v, z, n=None):
    """The kind of an n-th derivative: SciPy does not say its dtype."""
    return results.elementwise(special.jv)(v, z, n=n)


@rule(special.jvp, elementwise=True, singular=True, kind=by_argument,
      samples=[sample(ORDERS, REAL(3)), sample(0.5, POSITIVE(3), 2)])
def jvp(ct, out, v, z, n=1):
    """out = the n-th derivative of J_v(z)"""
    return refuse(ORDER, FIXED), ct * conj(special.jvp(v, z, n + 1))


@rule(special.yvp, elementwise=True, singular=True, kind=by_argument,
      samples=[sample(ORDERS, POSITIVE(3)), sample(0.5, POSITIVE(3), 2)])
def yvp(ct, out, v, z, n=1):
    """out = the n-th derivative of Y_v(z)"""
    return refuse(ORDER, FIXED), ct * conj(special.yvp(v, z, n + 1))


@rule(special.ivp, elementwise=True, singular=True, kind=by_argument,
      samples=[sample(ORDERS, REAL(3)), sample(0.5, POSITIVE(3), 2)])
def ivp(ct, out, v, z, n=1):
    """out = the n-th derivative of I_v(z)"""
    return refuse(ORDER, FIXED), ct * conj(special.ivp(v, z, n + 1))


@rule(special.kvp, elementwise=True, singular=True, kind=by_argument,
      samples=[sample(ORDERS, POSITIVE(3)), sample(0.5, POSITIVE(3), 2)])
def kvp(ct, out, v, z, n=1):
    """out = the n-th derivative of K_v(z)"""
    return refuse(ORDER, FIXED), ct * conj(special.kvp(v, z, n + 1))


# --- spherical (DLMF 10.51.1, 10.51.4): the factor n takes away the order below 0


def spherical_kind(n, z, derivative=None):
    """The kind of a spherical Bessel function."""
    return results.elementwise(special.jv)(n, z, derivative=derivative)


@rule(special.spherical_jn, elementwise=True, kind=spherical_kind,
      samples=[sample(ORDERS, REAL(3)), sample(2, REAL(2, 3), True), sample(1, COMPLEX(3)), sample(0, REAL(3), derivative=True)])
def spherical_jn(ct, out, n, z, derivative=False):
    """d j_n(z) = (n j_{n-1}(z) - (n + 1) j_{n+1}(z)) / (2 n + 1)"""
    below = special.spherical_jn(np.maximum(n - 1, 0), z, derivative)
    return None, ct * conj((n * below - (n + 1.0) * special.spherical_jn(n + 1, z, derivative)) / (2.0 * n + 1.0))


@rule(special.spherical_yn, elementwise=True, singular=True, kind=spherical_kind,
      samples=[sample(ORDERS, POSITIVE(3)), sample(2, POSITIVE(2, 3), True), sample(1, COMPLEX(3))])
def spherical_yn(ct, out, n, z, derivative=False):
    """d y_n(z) = (n y_{n-1}(z) - (n + 1) y_{n+1}(z)) / (2 n + 1)"""
    below = special.spherical_yn(np.maximum(n - 1, 0), z, derivative)
    return None, ct * conj((n * below - (n + 1.0) * special.spherical_yn(n + 1, z, derivative)) / (2.0 * n + 1.0))


@rule(special.spherical_in, elementwise=True, kind=spherical_kind,
      samples=[sample(ORDERS, REAL(3)), sample(2, POSITIVE(2, 3), True), sample(1, COMPLEX(3))])
def spherical_in(ct, out, n, z, derivative=False):
    """d i_n(z) = (n i_{n-1}(z) + (n + 1) i_{n+1}(z)) / (2 n + 1)"""
    below = special.spherical_in(np.maximum(n - 1, 0), z, derivative)
    return None, ct * conj((n * below + (n + 1.0) * special.spherical_in(n + 1, z, derivative)) / (2.0 * n + 1.0))


@rule(special.spherical_kn, elementwise=True, singular=True, kind=spherical_kind,
      samples=[sample(ORDERS, POSITIVE(3)), sample(2, POSITIVE(2, 3), True), sample(1, COMPLEX(3))])
def spherical_kn(ct, out, n, z, derivative=False):
    """d k_n(z) = -(n k_{n-1}(z) + (n + 1) k_{n+1}(z)) / (2 n + 1)"""
    below = special.spherical_kn(np.maximum(n - 1, 0), z, derivative)
    return None, -ct * conj((n * below + (n + 1.0) * special.spherical_kn(n + 1, z, derivative)) / (2.0 * n + 1.0))


# --- Airy, Struve, Kelvin


@rule(special.airy, elementwise=True, kind=pair_kind(*AIRY), samples=[(REAL,), (COMPLEX,)])
def airy(ct, out, z):
    """out = Ai(z), Ai'(z), Bi(z), Bi'(z), where Ai'' = z Ai (DLMF 9.2.1)"""
    by_slopes = ct[1] * conj(z * out[0]) + ct[3] * conj(z * out[2])
    return ct[0] * conj(out[1]) + ct[2] * conj(out[3]) + by_slopes


@rule(special.struve, elementwise=True, singular=True, samples=[sample(HALVES, POSITIVE(3)), sample(1, NONZERO(2, 3))])
def struve(ct, out, v, x):
    """d H_v(x) = H_{v-1}(x) - v / x H_v(x) (DLMF 11.4.27)"""
    return refuse(ORDER, FIXED), ct * (special.struve(v - 1, x) - v * out / x)


@rule(special.modstruve, elementwise=True, singular=True, samples=[sample(HALVES, POSITIVE(3)), sample(1, NONZERO(2, 3))])
def modstruve(ct, out, v, x):
    """d L_v(x) = L_{v-1}(x) - v / x L_v(x) (DLMF 11.4.31)"""
    return refuse(ORDER, FIXED), ct * (special.modstruve(v - 1, x) - v * out / x)
