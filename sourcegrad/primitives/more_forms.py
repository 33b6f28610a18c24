"""Linear algebra, transforms, counts, methods of ufuncs in plain Python (`runtime/more_forms.py`); inverse functions of cmath."""
from __future__ import annotations

import cmath
import math
import operator

import numpy as np
from numpy.polynomial import polynomial

from sourcegrad import kinds
from sourcegrad.kinds import BOOL, FLOAT, INT, Const, Kind, Lst, Num, Tup
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import COMPLEX, REAL, conj, declare, describe, nondifferentiable, rule, sample
from sourcegrad.primitives.scalar import on_complex
from sourcegrad.runtime import more_forms as forms, polynomials, standard_quantile, typed_back, view_as

# --- what takes more options than its rule
describe(np.linalg.cond, otherwise=forms.cond, only={"p": (None, 2)})
if hasattr(np.linalg, "matrix_norm"):
    describe(np.linalg.matrix_norm, otherwise=forms.matrix_norm, only={"ord": ("fro", "nuc")})
declare("otherwise", {np.linalg.pinv: forms.pinv, np.linalg.svd: forms.svd})

# --- what has no rule
declare("instead", {
    np.linalg.tensorsolve: forms.tensorsolve, np.linalg.tensorinv: forms.tensorinv, np.fft.hfft: forms.hfft,
    np.fft.ihfft: forms.ihfft, np.histogram2d: forms.histogram2d, np.histogramdd: forms.histogramdd,
    operator.getitem: forms.getitem})
declare("instead", {
    np.emath.sqrt: forms.emath_sqrt, np.emath.log: forms.emath_log, np.emath.log10: forms.emath_log10,
    np.emath.log2: forms.emath_log2, np.emath.logn: forms.emath_logn, np.emath.power: forms.emath_power,
    np.emath.arccos: forms.emath_arccos, np.emath.arcsin: forms.emath_arcsin, np.emath.arctanh: forms.emath_arctanh})
declare("instead", {
    polynomial.polyval2d: polynomials.polyval2d, polynomial.polyval3d: polynomials.polyval3d,
    polynomial.polygrid2d: polynomials.polygrid2d})
describe(np.subtract, np.divide, np.hypot, np.fmax, np.fmin, np.float_power, np.logaddexp2, reduce=forms.reduced)
declare("remedy", {np.matrix: "Use np.array: a @ b for products, np.linalg.inv(a), and a * b for each element."})
declare("remedy", {np.nditer: "Loop over the elements: for a, b in zip(x.flat, y.flat), or write the formula of the arrays."})


# --- inverse functions of complex numbers (DLMF 4.24, 4.38)

@on_complex(cmath.acos, singular=True)
def acos(ct, out, z):
    return -ct / conj(cmath.sqrt(-(z - 1.0)) * cmath.sqrt(z + 1.0))


@on_complex(cmath.asin, singular=True)
def asin(ct, out, z):
    return ct / conj(cmath.sqrt(-(z - 1.0)) * cmath.sqrt(z + 1.0))


@on_complex(cmath.atan, singular="pole")
def atan(ct, out, z):
    return ct / conj(1.0 + z * z)


@on_complex(cmath.acosh, singular=True)
def acosh(ct, out, z):
    return ct / conj(cmath.sqrt(z - 1.0) * cmath.sqrt(z + 1.0))


@on_complex(cmath.asinh, singular=True)
def asinh(ct, out, z):
    return ct / conj(cmath.sqrt(1.0 + z * z))


@on_complex(cmath.atanh, singular="pole")
def atanh(ct, out, z):
    return ct / conj(1.0 - z * z)


@rule(standard_quantile, elementwise=True, singular="pole", kind=lambda p: FLOAT, samples=[sample(0.3), sample(0.9)])
def standard_quantile_rule(ct, out, p):
    """dz/dp = 1 / f(z)"""
    return ct * math.sqrt(2.0 * math.pi) * math.exp(0.5 * out * out)


# --- views of another dtype: pairs of numbers are complex ones

def view_kind(x: Kind, dtype: Kind) -> Kind:
    """Of a type whose numbers are as long, or twice or half so long."""
    values = leaf(x)
    kind = dtype.value if isinstance(dtype, (Const, kinds.Fn)) else None
    name = "complex128" if kind in (complex, np.complex128) else "float64" if kind in (float, np.float64) else None
    if kind is np.ndarray or values.dtype is not None and values.dtype == name:
        return values
    return Num(name if values.dtype in ("float64", "complex128") else None, None if values.dims is None else (
        *values.dims[:-1], None), True)


@rule(view_as, tangent="linear", result="view", kind=view_kind)
def view_as_rule(ct, out, x, dtype):
    """The real and the imaginary parts stand one after the other"""
    return typed_back(ct, x)


@rule(typed_back, tangent="linear", kind=lambda ct, x: Num(), samples=[
    sample(REAL(6), np.ones(3) + 0j), sample(COMPLEX(2), np.ones(4)), sample(REAL(4), np.ones(4))])
def typed_back_rule(ct, out, w, x):
    return typed_back(ct, w), None


nondifferentiable(forms.any_outside, forms.two_points, kind=lambda *_: BOOL)
nondifferentiable(forms.one_axis, kind=lambda *_: INT)
nondifferentiable(forms.bounds_of_segments, kind=lambda *_: Lst(Tup((INT, INT))))
nondifferentiable(forms.first_places, kind=lambda *_: Lst(INT))
nondifferentiable(forms.bins_of, kind=lambda *_: Tup((Num("int64", (None,), True), INT)))
