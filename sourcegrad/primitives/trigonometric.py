"""Trigonometric and hyperbolic functions (for complex arguments as in `elementwise`)."""
from __future__ import annotations

import math

import numpy as np

from sourcegrad.kinds import results
from sourcegrad.primitives.core import ABOVE_ONE, COMPLEX, NONZERO, REAL, UNIT, conj, is_complex, jvp, rule, sample
from sourcegrad.runtime.elementwise import divide_or_zero, sinc_derivative

# --- trigonometric and hyperbolic -------------------------------------------------------------------

@rule(np.sin, range=(-1.0, 1.0), elementwise=True, samples=[(REAL,), (COMPLEX,)])
def sin(ct, out, x):
    """out = sin(x)"""
    return ct * np.cos(conj(x))


@rule(np.cos, range=(-1.0, 1.0), elementwise=True, samples=[(REAL,), (COMPLEX,)])
def cos(ct, out, x):
    """out = cos(x)"""
    return -ct * np.sin(conj(x))


@rule(np.tan, elementwise=True, samples=[(UNIT,), (COMPLEX,)])
def tan(ct, out, x):
    """out = tan(x)"""
    return ct * (1.0 + conj(out) * conj(out))


@rule(np.arcsin, branch_points=(-1.0, 1.0), elementwise=True, singular=True, samples=[(UNIT,), (COMPLEX,)])
def arcsin(ct, out, x):
    """d arcsin(x) = 1 / sqrt(1 - x^2)"""
    if is_complex(x) is False:
        return ct / np.sqrt(1.0 - x * x)
    return ct / conj(np.sqrt(-(x - 1.0)) * np.sqrt(x + 1.0))          # the side of the branch cut is in the sign of zero


@rule(np.arccos, branch_points=(-1.0, 1.0), elementwise=True, singular=True, samples=[(UNIT,), (COMPLEX,)])
def arccos(ct, out, x):
    """d arccos(x) = -1 / sqrt(1 - x^2)"""
    if is_complex(x) is False:
        return -ct / np.sqrt(1.0 - x * x)
    return -ct / conj(np.sqrt(-(x - 1.0)) * np.sqrt(x + 1.0))


@rule(np.arctan, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def arctan(ct, out, x):
    """d arctan(x) = 1 / (1 + x^2)"""
    return ct / (1.0 + conj(x) * conj(x))


@rule(np.arctan2, branch_points=((0.0, 0.0),), elementwise=True, singular=True, samples=[(NONZERO, NONZERO), (NONZERO, REAL)])
def arctan2(ct, out, y, x):
    """out = the angle of the point (x, y)"""
    scaled = ct / (x * x + y * y)
    return scaled * x, -scaled * y


@jvp(np.arctan2)
def arctan2_tangent(dot, out, y, x):
    """That of the origin stands still"""
    return divide_or_zero(dot * x, x * x + y * y), divide_or_zero(-dot * y, x * x + y * y)


@rule(np.sinh, overflows=True, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def sinh(ct, out, x):
    """out = sinh(x)"""
    return ct * np.cosh(conj(x))


@rule(np.cosh, range=(1.0, math.inf), overflows=True, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def cosh(ct, out, x):
    """out = cosh(x)"""
    return ct * np.sinh(conj(x))


@rule(np.tanh, range=(-1.0, 1.0), elementwise=True, samples=[(REAL,), (COMPLEX,)])
def tanh(ct, out, x):
    """out = tanh(x)"""
    return ct * (1.0 - conj(out) * conj(out))


@rule(np.arcsinh, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def arcsinh(ct, out, x):
    """d arcsinh(x) = 1 / sqrt(x^2 + 1)"""
    return ct / conj(np.sqrt(x * x + 1.0))


@rule(np.arccosh, branch_points=(1.0,), elementwise=True, singular=True, samples=[(ABOVE_ONE,), (COMPLEX,)])
def arccosh(ct, out, x):
    """d arccosh(x) = 1 / sqrt(x^2 - 1), with the branch cut of sqrt(x - 1) * sqrt(x + 1)"""
    if is_complex(x) is False:
        return ct / np.sqrt(x * x - 1.0)
    return ct / conj(np.sqrt(x - 1.0) * np.sqrt(x + 1.0))


@rule(np.arctanh, elementwise=True, singular="pole", samples=[(UNIT,), (COMPLEX,)])
def arctanh(ct, out, x):
    """d arctanh(x) = 1 / (1 - x^2)"""
    return ct / (1.0 - conj(x) * conj(x))


@rule(np.degrees, np.rad2deg, elementwise=True, samples=[(REAL,)])
def degrees(ct, out, x):
    """out = x * 180 / pi"""
    return np.degrees(ct)


@rule(np.radians, np.deg2rad, elementwise=True, samples=[(REAL,)])
def radians(ct, out, x):
    """out = x * pi / 180"""
    return np.radians(ct)


@rule(np.sinc, elementwise=True, samples=[(REAL,), sample(np.zeros(2))])
def sinc(ct, out, x):
    """out = sin(pi x) / (pi x)"""
    return ct * sinc_derivative(conj(x), 1)


@rule(sinc_derivative, elementwise=True, kind=lambda x, n: results.elementwise(np.sinc)(x),
      samples=[sample(REAL(3), 1), sample(REAL(2, 3), 2), sample(NONZERO(), 3), sample(np.array([0.0, 1e-3,
               3.3]), 1)])
def sinc_derivative_rule(ct, out, x, n):
    """out = the n-th derivative of sinc"""
    return ct * sinc_derivative(conj(x), n + 1)
