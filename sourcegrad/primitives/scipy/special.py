"""Rules of scipy.special: exponentials and logarithms, entropies, losses, and what is made of them.

The derivatives keep the digits that the functions keep: expit(-x) is 1 - expit(x) without cancellation.
"""
from __future__ import annotations

import math

import numpy as np
from scipy import special

from sourcegrad.kinds import Const, Kind, Num, results
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import (
    ABOVE_ONE,
    COMPLEX,
    MEANT,
    NONZERO,
    POSITIVE,
    REAL,
    UNIT,
    Domain,
    available,
    conj,
    describe,
    is_complex,
    nondifferentiable,
    rule,
    sample,
)
from sourcegrad.primitives.reductions import reduction_kind
from sourcegrad.primitives.shapes import same_kind
from sourcegrad.runtime import unbroadcast
from sourcegrad.runtime.elementwise import power_slope

MEANT[special] = dict(vars(special))
TAILS = np.array([-700.0, -40.0, 0.0, 30.0])
INSIDE = Domain("INSIDE", lambda rng, shape: rng.uniform(0.1, 0.9, shape))
NO_FORMULA = "this derivative by a parameter of a function of SciPy has no formula in other functions of SciPy"
FIXED = "Differentiate by the other arguments and keep this one fixed, or give the function a rule of your own (sg.rule)."

OF_COMPLEX = (special.hankel1, special.hankel1e, special.hankel2, special.hankel2e, special.wofz, special.kelvin,
              special.modfresnelm, special.modfresnelp)                          # results are complex, whatever the argument
describe(*(f for f in vars(special).values() if isinstance(f, np.ufunc) and f not in OF_COMPLEX), real="kept")

# --- exponentials, logarithms, roots: what NumPy has under the same name, SciPy has once more


@rule(special.exp2, overflows=True, elementwise=True, samples=[(REAL,)])
def exp2(ct, out, x):
    """out = 2 ** x"""
    return math.log(2.0) * ct * out


@rule(special.exp10, overflows=True, elementwise=True, samples=[(REAL,)])
def exp10(ct, out, x):
    """out = 10 ** x"""
    return math.log(10.0) * ct * out


@rule(special.expm1, overflows=True, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def expm1(ct, out, x):
    """out = e^x - 1 (out + 1 would lose the digits of small e^x)"""
    return ct * np.exp(conj(x))


@rule(special.log1p, elementwise=True, singular="pole", samples=[(POSITIVE,), (COMPLEX,)])
def log1p(ct, out, x):
    """out = log(1 + x)"""
    return ct / (1.0 + conj(x))


@rule(special.cbrt, elementwise=True, singular=True, samples=[(NONZERO,)])
def cbrt(ct, out, x):
    """out = x^(1 / 3)"""
    return ct / (3.0 * out * out)


@rule(special.exprel, elementwise=True, samples=[(REAL,), sample(np.array([-30.0, -1e-9, 0.0, 3.0]))])
def exprel(ct, out, x):
    """out = (e^x - 1) / x, which is Kummer's M(1, 2, x), with the derivative M(2, 3, x) / 2 (DLMF 13.3.15)"""
    return 0.5 * ct * special.hyp1f1(2.0, 3.0, x)


@rule(special.cosm1, elementwise=True, samples=[(REAL,)])
def cosm1(ct, out, x):
    """out = cos(x) - 1"""
    return -ct * np.sin(x)


@rule(special.powm1, elementwise=True, singular=True, samples=[(POSITIVE, REAL), sample(ABOVE_ONE(3), 1e-9)])
def powm1(ct, out, x, y):
    """out = x^y - 1"""
    return ct * power_slope(x, y), ct * x ** y * np.log(x)


@rule(special.sindg, elementwise=True, samples=[(REAL,), sample(np.array([90.0, 200.0]))])
def sindg(ct, out, x):
    """out = sin(x pi / 180)"""
    return np.radians(ct) * special.cosdg(x)


@rule(special.cosdg, elementwise=True, samples=[(REAL,), sample(np.array([90.0, 200.0]))])
def cosdg(ct, out, x):
    """out = cos(x pi / 180)"""
    return -np.radians(ct) * special.sindg(x)


@rule(special.tandg, elementwise=True, samples=[(REAL,), sample(np.array([60.0, 200.0]))])
def tandg(ct, out, x):
    """out = tan(x pi / 180)"""
    return np.radians(ct) * (1.0 + out * out)


@rule(special.cotdg, elementwise=True, singular="pole", samples=[sample(np.array([60.0, 200.0]))])
def cotdg(ct, out, x):
    """out = 1 / tan(x pi / 180)"""
    return -np.radians(ct) * (1.0 + out * out)


@rule(special.radian, elementwise=True, samples=[(REAL, REAL, REAL)])
def radian(ct, out, d, m, s):
    """out = (d + m / 60 + s / 3600) pi / 180"""
    by_degrees = np.radians(ct)
    return by_degrees, by_degrees / 60.0, by_degrees / 3600.0


nondifferentiable(special.round, kind=results.elementwise(special.round))

# --- the logistic function, entropies


@rule(special.expit, elementwise=True, samples=[(REAL,), sample(TAILS)])
def expit(ct, out, x):
    """out = 1 / (1 + exp(-x))"""
    return ct * out * special.expit(-x)


@rule(special.log_expit, elementwise=True, samples=[(REAL,), sample(TAILS)])
def log_expit(ct, out, x):
    """out = log(expit(x))"""
    return ct * special.expit(-x)


@rule(special.logit, elementwise=True, singular="pole", samples=[sample(np.array([1e-3, 0.4, 0.9]))])
def logit(ct, out, x):
    """out = log(x / (1 - x))"""
    return ct / (x * (1.0 - x))


@rule(special.xlogy, elementwise=True, singular=True,
      samples=[(REAL, POSITIVE), (COMPLEX, COMPLEX), sample(np.zeros(3), POSITIVE(3))])
def xlogy(ct, out, x, y):
    """out = x * log(y), and 0 where x is; constant at x = y = 0"""
    y_or_one = y + ((x == 0) & (y == 0))
    return ct * conj(np.log(y_or_one)), ct * conj(x / y_or_one)


@rule(special.xlog1py, elementwise=True, singular=True,
      samples=[(REAL, POSITIVE), (COMPLEX, COMPLEX), (REAL, UNIT), sample(np.zeros(3), UNIT(3))])
def xlog1py(ct, out, x, y):
    """out = x * log(1 + y), and 0 where x is; constant at x = 0, y = -1"""
    y_or_zero = y + ((x == 0) & (y == -1))
    return ct * conj(np.log1p(y_or_zero)), ct * conj(x / (1.0 + y_or_zero))


@rule(special.entr, elementwise=True, singular=True, samples=[(POSITIVE,)])
def entr(ct, out, x):
    """out = -x * log(x)"""
    return -ct * (np.log(x) + 1.0)


@rule(special.rel_entr, elementwise=True, singular=True, samples=[(POSITIVE, POSITIVE)])
def rel_entr(ct, out, x, y):
    """out = x * log(x / y), 0 of two zeros, which stands still"""
    nothing = (x == 0) & (y == 0)
    return ct * np.where(nothing, 0.0, np.log((x + nothing) / (y + nothing)) + 1.0), -ct * x / (y + nothing)


@rule(special.kl_div, elementwise=True, singular=True, samples=[(POSITIVE, POSITIVE)])
def kl_div(ct, out, x, y):
    """out = x * log(x / y) - x + y, with 0 log(0 / 0) = 0"""
    nothing = (x == 0) & (y == 0)
    return ct * np.log((x + nothing) / (y + nothing)), ct * (1.0 - x / (y + nothing))


def _reduced(a: Kind, axis: Kind = Const(None), b: Kind = Const(None), keepdims: Kind = Const(False)) -> Kind:
    values = leaf(a) if b == Const(None) else results.elementwise(np.multiply)(leaf(a), leaf(b))
    return reduction_kind(np.mean)(values, axis=axis, keepdims=keepdims)


@rule(special.logsumexp, kind=_reduced, samples=[
    sample(REAL(3)), sample(REAL(3, 4), axis=1), sample(REAL(3, 4), (0, 1), keepdims=True), sample(REAL(3, 4), 0, POSITIVE(3, 4)),
    sample(REAL(4), None, POSITIVE(3, 1)), sample(REAL(3, 4), -1, keepdims=True),
    sample(np.array([0.0, -50.0, -700.0])), sample(COMPLEX(3))])
def logsumexp(ct, out, a, axis=None, b=None, keepdims=False):
    """out = log(sum(b exp(a))); 0 for all where out is -inf, and where b is 0"""
    whole = axis is None or keepdims
    outer = ct if whole else np.expand_dims(ct, axis)
    total = out if whole else np.expand_dims(out, axis)
    finite = total if is_complex(a) else np.maximum(total, -1e38)
    share = outer * np.exp(conj(a - finite))
    if b is None:
        return share
    weighed = outer * np.exp(conj(np.where(np.equal(b, 0), -np.inf, a) - finite))
    return unbroadcast(weighed * conj(b), a), None, unbroadcast(share, b)


def floating(x: Kind, *args: Kind, **options: Kind) -> Kind:
    """As x, but never of integers."""
    model = leaf(x)
    return Num(None, model.dims, True, real=True) if model.is_discrete else same_kind(x)


@rule(special.log_softmax, kind=floating, samples=[
    sample(REAL(3)), sample(REAL(3, 4), axis=0), sample(REAL(2, 3), axis=(0, 1)), sample(REAL(1))])
def log_softmax(ct, out, x, axis=None):
    """out = x - log(sum(exp(x)))"""
    return ct - conj(np.exp(out)) * np.sum(ct, axis=axis, keepdims=True)


@rule(special.softmax, kind=floating, samples=[
    sample(REAL(3)), sample(REAL(3, 4), axis=0), sample(REAL(2, 3), axis=(0, 1)), sample(REAL(1)),
    sample(np.array([900.0, -900.0]))])
def softmax(ct, out, x, axis=None):
    """out = e^x / sum(e^x)"""
    return conj(out) * (ct - np.sum(ct * conj(out), axis=axis, keepdims=True))


@rule(*available(special, "softplus"), elementwise=True,
      kind=lambda x, **options: results.elementwise(special.xlogy)(x, x, **options),
      samples=[(REAL,), sample(TAILS)])
def softplus(ct, out, x):
    """out = log(1 + e^x)"""
    return ct * special.expit(x)


# --- losses


@rule(special.huber, elementwise=True, samples=[(POSITIVE, REAL), sample(np.array([1.0, 1.0, 2.0]), np.array([-3.0, 0.5, 5.0]))])
def huber(ct, out, delta, r):
    """out = r^2 / 2 for |r| <= delta, else delta (|r| - delta / 2) (P. J. Huber 1964)"""
    over = np.abs(r) - delta
    return ct * np.where((over > 0) & (delta >= 0), over, 0.0), ct * np.where(delta >= 0, np.clip(r, -delta, delta), 0.0)


@rule(special.pseudo_huber, elementwise=True, singular=True,
      samples=[(POSITIVE, REAL), sample(np.array([1.0, 1.0, 0.5]), np.array([0.0, 1e-5, 400.0]))])
def pseudo_huber(ct, out, delta, r):
    """out = delta^2 (root - 1), root = sqrt(1 + (r / delta)^2)"""
    ratio = r / delta
    root = np.sqrt(1.0 + ratio * ratio)
    over = ratio * ratio / (1.0 + root)
    return ct * delta * over * over / root, ct * r / root


# --- powers (G. E. P. Box, D. R. Cox 1964)


@rule(special.boxcox, elementwise=True, singular=True, samples=[(POSITIVE, REAL), sample(POSITIVE(3), np.array([0.0, 1e-9, -2.5]))])
def boxcox(ct, out, x, lmbda):
    """out = (x^lmbda - 1) / lmbda, which is log(x) exprel(lmbda log(x))"""
    log_x = np.log(x)
    return ct * np.exp((lmbda - 1.0) * log_x), 0.5 * ct * log_x * log_x * special.hyp1f1(2.0, 3.0, lmbda * log_x)


@rule(special.boxcox1p, elementwise=True, singular=True,
      samples=[(POSITIVE, REAL), sample(POSITIVE(3), np.array([0.0, 1e-9, -2.5]))])
def boxcox1p(ct, out, x, lmbda):
    """out = ((1 + x)^lmbda - 1) / lmbda"""
    log_x = np.log1p(x)
    return ct * np.exp((lmbda - 1.0) * log_x), 0.5 * ct * log_x * log_x * special.hyp1f1(2.0, 3.0, lmbda * log_x)


@rule(special.inv_boxcox, elementwise=True, singular=True,
      samples=[(POSITIVE, POSITIVE), sample(UNIT(3), np.array([0.0, 1e-9, -0.5]))])
def inv_boxcox(ct, out, y, lmbda):
    """out = (1 + lmbda y)^(1 / lmbda); d log(1 + w) / w is -F(2, 2; 3; -w) / 2 (DLMF 15.4.1, 15.5.1)"""
    w = lmbda * y
    return ct * out / (1.0 + w), -0.5 * ct * out * y * y * special.hyp2f1(2.0, 2.0, 3.0, -w)


@rule(special.inv_boxcox1p, elementwise=True, singular=True,
      samples=[(POSITIVE, POSITIVE), sample(UNIT(3), np.array([0.0, 1e-9, -0.5]))])
def inv_boxcox1p(ct, out, y, lmbda):
    """out = (1 + lmbda y)^(1 / lmbda) - 1"""
    w = lmbda * y
    power = out + 1.0
    return ct * power / (1.0 + w), -0.5 * ct * power * y * y * special.hyp2f1(2.0, 2.0, 3.0, -w)


# --- Lambert's function


@rule(special.lambertw, elementwise=True, singular=True,
      kind=lambda z, k=None, tol=None: results.elementwise(lambda z: special.lambertw(z))(z),
      samples=[sample(POSITIVE(3)), sample(COMPLEX(3)), sample(COMPLEX(2), 1), sample(np.array([-0.2, -0.1]), -1)])
def lambertw(ct, out, z, k=0, tol=1e-8):
    """out e^out = z, with the derivative 1 / (e^out (1 + out)) (DLMF 4.13.4)"""
    return ct * conj(np.exp(-out) / (1.0 + out))


@rule(special.wrightomega, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def wrightomega(ct, out, z):
    """out + log(out) = z (R. M. Corless, D. J. Jeffrey 2002)"""
    return ct * conj(out / (1.0 + out))
