"""Rules of functions of scipy.special; imported when code that uses them is looked at.

The derivatives keep the digits that the functions keep: expit(-x) is 1 - expit(x) without cancellation.
"""
from __future__ import annotations

import numpy as np
from scipy import special

from sourcegrad.kinds import Const, Kind, Num, results
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import COMPLEX, MEANT, POSITIVE, REAL, UNIT, conj, is_complex, rule, sample
from sourcegrad.primitives.reductions import reduction_kind
from sourcegrad.primitives.shapes import same_kind
from sourcegrad.runtime import unbroadcast

MEANT[special] = dict(vars(special))
TAILS = np.array([-700.0, -40.0, 0.0, 30.0])


@rule(special.erf, elementwise=True, samples=[(REAL,), sample(TAILS)])
def erf(ct, out, x):
    """d erf(x) = 2 / sqrt(pi) e^(-x^2)"""
    return 1.1283791670955126 * ct * conj(np.exp(-x * x))


@rule(special.erfc, elementwise=True, samples=[(REAL,), sample(TAILS)])
def erfc(ct, out, x):
    """out = 1 - erf(x)"""
    return -1.1283791670955126 * ct * conj(np.exp(-x * x))


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
    """out = x * log(x / y)"""
    return ct * (np.log(x / y) + 1.0), -ct * x / (y + ((x == 0) & (y == 0)))


@rule(special.kl_div, elementwise=True, singular=True, samples=[(POSITIVE, POSITIVE)])
def kl_div(ct, out, x, y):
    """out = x * log(x / y) - x + y"""
    return ct * np.log(x / y), ct * (1.0 - x / (y + ((x == 0) & (y == 0))))


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
