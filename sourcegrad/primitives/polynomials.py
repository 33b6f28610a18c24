"""Polynomials: roots by implicit differentiation; np.poly1d and np.polynomial in plain Python (`runtime/polynomials.py`)."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from sourcegrad.kinds import BOOL, INT, Const, Kind, Num, as_num, times
from sourcegrad.kinds.results import array, dtype_of, numeric
from sourcegrad.primitives.core import EVALUATED, REAL, conj, declare, jvp, ndim, nondifferentiable, rule, sample
from sourcegrad.primitives.products import known
from sourcegrad.runtime import polynomials, series, simple_slopes, unbroadcast, vander_derivative


def roots_kind(p: Kind) -> Kind:
    """Real or complex: that depends on the values."""
    return Num(None, (None,), True)


@rule(np.roots, order="other", kind=roots_kind, samples=[
    sample(np.array([1.0, -6.0, 11.0, -6.0])), sample(np.array([2.0, 1.0, 3.0])), sample(np.array([0.5, -1.0, -2.0, 0.0])),
    sample([np.array(1.0), np.array(-3.0), np.array(2.0)])])
def roots(ct, out, p):
    """p(r) = 0: p'(r) dr = -sum of r^k dp_k"""
    turned = np.conj(out)
    if ndim(p) is None:
        listed = np.conj(np.asarray(p))
        steep = simple_slopes(np.vander(turned, len(p) - 1) @ (listed[:-1] * np.arange(len(p) - 1, 0, -1)), out)
        return -(np.vander(turned, len(p)).T @ (ct / steep))
    slopes = simple_slopes(np.vander(turned, p.shape[0] - 1) @ (conj(p)[:-1] * np.arange(p.shape[0] - 1, 0, -1)), out)
    return unbroadcast(-(np.vander(turned, p.shape[0]).T @ (ct / slopes)), p)


@jvp(np.roots)
def roots_tangent(dot, out, p):
    """p'(r) dr = -sum of r^k dp_k"""
    if ndim(p) is None:
        steep = simple_slopes(np.vander(out, len(p) - 1) @ (np.asarray(p)[:-1] * np.arange(len(p) - 1, 0, -1)), out)
        return -(np.vander(out, len(p)) @ np.asarray(dot)) / steep
    slopes = simple_slopes(np.vander(out, p.shape[0] - 1) @ (p[:-1] * np.arange(p.shape[0] - 1, 0, -1)), out)
    return -(np.vander(out, p.shape[0]) @ dot) / slopes


@rule(simple_slopes, kind=lambda slopes, roots: slopes, samples=[sample(np.array([1.0, 2.0]), np.array([0.5, 2.0]))])
def simple_slopes_rule(ct, out, slopes, roots):
    return ct, None


def matrix_kind(*_: Kind) -> Kind:
    return Num("float64", (None, None), True)


nondifferentiable(polynomials.basis_matrix, kind=matrix_kind)
nondifferentiable(polynomials.in_pairs, series.one_point, kind=lambda *_: BOOL)
nondifferentiable(polynomials.small_ones, series.kept_terms, kind=lambda *_: INT)
declare("instead", {
    np.polyder: polynomials.polyder_of, np.polyint: polynomials.polyint_of, np.polyadd: polynomials.polyadd_of,
    np.polysub: polynomials.polysub_of, np.polymul: polynomials.polymul_of, np.polyval: polynomials.polyval_of,
    np.poly: polynomials.poly, np.polydiv: polynomials.polydiv, np.polyfit: polynomials.polyfit, np.poly1d: polynomials.Poly1d,
    np.polynomial.Polynomial: series.Polynomial, np.polynomial.Chebyshev: series.Chebyshev, np.polynomial.Legendre: series.Legendre,
    np.polynomial.Hermite: series.Hermite, np.polynomial.HermiteE: series.HermiteE, np.polynomial.Laguerre: series.Laguerre})
declare("instead", {
    polynomial.polyder: polynomials.polyder, polynomial.polyint: polynomials.polyint, polynomial.polyroots: polynomials.polyroots,
    chebyshev.chebder: polynomials.chebder, chebyshev.chebint: polynomials.chebint, chebyshev.chebroots: polynomials.chebroots,
    legendre.legder: polynomials.legder, legendre.legint: polynomials.legint, legendre.legroots: polynomials.legroots,
    hermite.hermder: polynomials.hermder, hermite.hermint: polynomials.hermint, hermite.hermroots: polynomials.hermroots,
    hermite_e.hermeder: polynomials.hermeder, hermite_e.hermeint: polynomials.hermeint,
    hermite_e.hermeroots: polynomials.hermeroots,
    laguerre.lagder: polynomials.lagder, laguerre.lagint: polynomials.lagint, laguerre.lagroots: polynomials.lagroots})

# --- polynomials that the caller holds: they are constant, and evaluated where they are called
EVALUATED.update({
    np.poly1d: polynomials.value_of_poly1d, np.polynomial.Polynomial: series.value_of_polynomial,
    np.polynomial.Chebyshev: series.value_of_chebyshev, np.polynomial.Legendre: series.value_of_legendre,
    np.polynomial.Hermite: series.value_of_hermite, np.polynomial.HermiteE: series.value_of_hermite_e,
    np.polynomial.Laguerre: series.value_of_laguerre})


# --- Vandermonde matrices -----------------------------------------------------------------------------

def vander_kind(x: Kind, N: Kind = Const(None), increasing: Kind | None = None) -> Kind:
    points = numeric(x)
    (size,) = known(points.dims)
    return array(dtype_of(np.vander, points), (size, size if N == Const(None) else _count(N)))


def vander_derivative_kind(x: Kind, n: Kind, increasing: Kind, order: Kind) -> Kind:
    points = numeric(x)
    dims = known(points.dims)
    return array(dtype_of(_with_half, points), (times(*dims), _count(n)))


def _with_half(x: Any) -> Any:
    return np.empty(1, np.result_type(x, np.float16))


def _count(kind: Kind) -> Any:
    if isinstance(kind, Const):
        return kind.value
    number = as_num(kind)
    return number.size if isinstance(number, Num) and number.is_scalar else None


@rule(np.vander, kind=vander_kind, samples=[sample(REAL(3)), sample(REAL(3), 4), sample(REAL(4), 3, increasing=True),
                          sample(REAL(3), 1)])
def vander(ct, out, x, N=None, increasing=False):
    return np.sum(ct * conj(vander_derivative(x, ct.shape[1], increasing, 1)), axis=1)


@rule(vander_derivative, order="other", kind=vander_derivative_kind,
      samples=[sample(REAL(3), 4, True, 1), sample(REAL(3), 4, False, 2)])
def vander_derivative_rule(ct, out, x, n, increasing, order):
    return np.sum(ct * conj(vander_derivative(x, n, increasing, order + 1)), axis=1)
