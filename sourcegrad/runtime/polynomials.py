"""Polynomials of NumPy in plain Python, for generated code to look into: functions of coefficients, and classes that hold them."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime import numpy_library as plain
from sourcegrad.runtime.library import polyval
from sourcegrad.runtime.numpy_library import from_first_nonzero

__all__ = ["simple_slopes"]

# --- roots

def simple_slopes(slopes: Any, roots: Any) -> Any:
    """The derivatives at the roots, if no two roots coincide up to rounding: multiple roots have no derivative."""
    gaps = np.abs(roots[:, np.newaxis] - roots) + np.diag(np.full(len(roots), 1e300))
    size = np.maximum(np.abs(roots)[:, np.newaxis], np.abs(roots))
    if np.any(gaps <= 1e-6 * size):
        raise UnsupportedError("the roots of a polynomial that coincide: a multiple root has no derivative",
                               remedy="Use the coefficients, or a polynomial with different roots.")
    return slopes


def poly(seq_of_zeros: Any) -> Any:
    """np.poly: the polynomial with these roots; of a matrix the characteristic one (D. K. Faddeev, U. J. J. Leverrier)"""
    given = np.atleast_1d(seq_of_zeros) + 0.0
    if given.ndim == 2:
        if given.shape[0] != given.shape[1] or given.shape[0] == 0:
            raise ValueError("input must be 1d or non-empty square 2d array.")
        one = np.eye(given.shape[0])
        coefficients, power = [1.0], np.zeros_like(given)
        for k in range(given.shape[0]):
            power = given @ power + coefficients[-1] * one
            coefficients.append(-np.trace(given @ power) / (k + 1))
        return np.array(coefficients)
    result = np.ones(1)
    for k in range(len(given)):
        result = np.convolve(result, np.array([1.0, -given[k]]))
    return np.real(result) if in_pairs(given) else result


def in_pairs(zeros: Any) -> bool:
    """Whether complex roots are pairs of conjugates."""
    return np.iscomplexobj(zeros) and bool(np.all(np.sort(zeros) == np.sort(np.conj(zeros))))


# --- division of polynomials, the highest power first

def polydiv(u: Any, v: Any) -> Any:
    """np.polydiv: the highest powers are taken off one after the other"""
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    terms = max(len(u) - len(v) + 1, 1)
    if len(u) < len(v):
        return np.zeros(1), u[small_ones(u):]
    rest, quotient = u, []
    for k in range(terms):
        factor = rest[k] / v[0]
        quotient.append(factor)
        rest = rest - factor * np.concatenate((np.zeros(k), v, np.zeros(len(u) - len(v) - k)))
    return np.array(quotient), rest[small_ones(rest):]


def small_ones(r: Any) -> int:
    """How many coefficients at the beginning are 0 up to rounding, the last not counted."""
    return next((k for k, c in enumerate(r[:-1]) if not np.allclose(c, 0, rtol=1e-14)), len(r) - 1)


def polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False) -> Any:
    """np.polyfit, with what it finds out of the fit"""
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0          # whole numbers, and lists, are floats here
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1 or x.size == 0 or y.ndim < 1 or y.ndim > 2 or len(x) != len(y) or (w is not None and np.shape(w) != x.shape):
        raise TypeError("expected x (and w) of rank 1 and y of rank 1 or 2, not empty and of one length")
    columns = np.vander(x, int(deg) + 1)
    limit = len(x) * np.finfo(x.dtype).eps if rcond is None else rcond
    if w is not None:
        columns = columns * np.asarray(w)[:, None]
        y = (y.T * w).T
    scale = np.sqrt(np.sum(columns * columns, axis=0))
    found = np.linalg.lstsq(columns / scale, y, rcond=limit)
    fitted = (found[0].T / scale).T
    if full:
        return fitted, found[1], found[2], np.linalg.svd(columns / scale, compute_uv=False), limit
    if not cov:
        return fitted
    scaled = columns / scale
    spread = np.linalg.inv(scaled.T @ scaled) / np.outer(scale, scale)
    if isinstance(cov, str):
        return fitted, spread
    if len(x) <= deg + 1:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    factor = found[1] / (len(x) - (deg + 1))
    return fitted, (spread * factor if y.ndim == 1 else spread[:, :, np.newaxis] * factor)


# --- bases: derivatives and integrals are linear in the coefficients

FAMILIES = {"poly": polynomial, "cheb": chebyshev, "leg": legendre, "herm": hermite, "herme": hermite_e, "lag": laguerre}


def basis_matrix(family: str, what: str, size: int, times: int = 1) -> Any:
    """The matrix that derives or integrates coefficients, or turns them into those of powers."""
    module: Any = FAMILIES[family]
    if what == "2poly":
        columns = [getattr(module, f"{family}2poly")(row) for row in np.eye(size)]
        return np.array([np.concatenate((c, np.zeros(size - len(c)))) for c in columns]).T
    return getattr(module, family + what)(np.eye(size), times)


def along(matrix: Any, c: Any, axis: int) -> Any:
    """The matrix times the coefficients along an axis."""
    return np.moveaxis(np.tensordot(matrix, np.moveaxis(c, axis, 0), axes=1), 0, axis)


def derived(family: str, c: Any, m: int, scl: Any, axis: int) -> Any:
    """The coefficients of the m-th derivative by a variable that is scaled."""
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    c = np.asarray(c) + 0.0
    return c if m == 0 else along(basis_matrix(family, "der", c.shape[axis], m), c, axis) * scl ** m


def integrated(family: str, value: Any, c: Any, m: int, k: Any, lbnd: Any, scl: Any, axis: int) -> Any:
    """The coefficients of the m-th integral, which is k at the lower bound; value: evaluates a series."""
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    constants = [k] if np.ndim(k) == 0 else list(k)
    if len(constants) > m:
        raise ValueError("Too many integration constants")
    c = np.moveaxis(np.asarray(c) + 0.0, axis, 0)
    for j in range(m):
        c = scl * along(basis_matrix(family, "int", c.shape[0]), c, 0)
        constant = constants[j] if j < len(constants) else 0.0
        c = np.concatenate((c[:1] + (constant - value(lbnd, c)), c[1:]), axis=0)
    return np.moveaxis(c, 0, axis)


def polyder(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.polynomial.polyder"""
    return derived("poly", c, m, scl, axis)


def chebder(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.chebyshev.chebder"""
    return derived("cheb", c, m, scl, axis)


def legder(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.legendre.legder"""
    return derived("leg", c, m, scl, axis)


def hermder(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.hermite.hermder"""
    return derived("herm", c, m, scl, axis)


def hermeder(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.hermite_e.hermeder"""
    return derived("herme", c, m, scl, axis)


def lagder(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.laguerre.lagder"""
    return derived("lag", c, m, scl, axis)


def polyint(c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.polynomial.polyint"""
    return integrated("poly", polynomial.polyval, c, m, k, lbnd, scl, axis)


def chebint(c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.chebyshev.chebint"""
    return integrated("cheb", chebyshev.chebval, c, m, k, lbnd, scl, axis)


def legint(c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.legendre.legint"""
    return integrated("leg", legendre.legval, c, m, k, lbnd, scl, axis)


def hermint(c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.hermite.hermint"""
    return integrated("herm", hermite.hermval, c, m, k, lbnd, scl, axis)


def hermeint(c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.hermite_e.hermeint"""
    return integrated("herme", hermite_e.hermeval, c, m, k, lbnd, scl, axis)


def lagint(c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0) -> Any:
    """np.polynomial.laguerre.lagint"""
    return integrated("lag", laguerre.lagval, c, m, k, lbnd, scl, axis)


def sorted_roots(powers: Any) -> Any:
    """The roots in order, of coefficients with the lowest power first."""
    found = np.roots(powers[::-1])
    return found[np.argsort(found)]


def polyroots(c: Any) -> Any:
    """np.polynomial.polynomial.polyroots"""
    return sorted_roots(np.asarray(c) + 0.0)


def chebroots(c: Any) -> Any:
    """np.polynomial.chebyshev.chebroots"""
    return sorted_roots(basis_matrix("cheb", "2poly", len(c)) @ c)


def legroots(c: Any) -> Any:
    """np.polynomial.legendre.legroots"""
    return sorted_roots(basis_matrix("leg", "2poly", len(c)) @ c)


def hermroots(c: Any) -> Any:
    """np.polynomial.hermite.hermroots"""
    return sorted_roots(basis_matrix("herm", "2poly", len(c)) @ c)


def hermeroots(c: Any) -> Any:
    """np.polynomial.hermite_e.hermeroots"""
    return sorted_roots(basis_matrix("herme", "2poly", len(c)) @ c)


def lagroots(c: Any) -> Any:
    """np.polynomial.laguerre.lagroots"""
    return sorted_roots(basis_matrix("lag", "2poly", len(c)) @ c)


# --- the class of polynomials with the highest power first

class Poly1d:
    """np.poly1d"""

    __sourcegrad_object__ = True
    coeffs: Any

    def __init__(self, c_or_r: Any, r: bool = False, variable: Any = None) -> None:
        if isinstance(c_or_r, (Poly1d, np.poly1d)):
            self.coeffs = c_or_r.coeffs
        elif r:
            self.coeffs = np.poly(c_or_r)
        else:
            self.coeffs = from_first_nonzero(c_or_r)

    @property
    def c(self) -> Any:
        return self.coeffs

    @property
    def coef(self) -> Any:
        return self.coeffs

    @property
    def coefficients(self) -> Any:
        return self.coeffs

    @property
    def order(self) -> int:
        return len(self.coeffs) - 1

    @property
    def o(self) -> int:
        return len(self.coeffs) - 1

    @property
    def r(self) -> Any:
        return np.roots(self.coeffs)

    @property
    def roots(self) -> Any:
        return np.roots(self.coeffs)

    def __call__(self, val: Any) -> Any:
        if isinstance(val, Poly1d):
            result = Poly1d(self.coeffs[:1])
            for k in range(1, len(self.coeffs)):
                result = Poly1d(plain.polyadd(plain.polymul(result.coeffs, val.coeffs), self.coeffs[k:k + 1]))
            return result
        return polyval(self.coeffs, val)

    def __getitem__(self, val: int) -> Any:
        return 0 if val < 0 or val >= len(self.coeffs) else self.coeffs[len(self.coeffs) - 1 - val]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise UnsupportedError("an np.poly1d that is given to this function of NumPy",
                               remedy="Give its coefficients, p.coeffs, or ask p.roots.")

    def __len__(self) -> int:
        return len(self.coeffs) - 1

    def __neg__(self) -> Any:
        return Poly1d(-self.coeffs)

    def __add__(self, other: Any) -> Any:
        return Poly1d(plain.polyadd(self.coeffs, highest_first(other)))

    def __radd__(self, other: Any) -> Any:
        return Poly1d(plain.polyadd(self.coeffs, highest_first(other)))

    def __sub__(self, other: Any) -> Any:
        return Poly1d(plain.polysub(self.coeffs, highest_first(other)))

    def __rsub__(self, other: Any) -> Any:
        return Poly1d(plain.polysub(highest_first(other), self.coeffs))

    def __mul__(self, other: Any) -> Any:
        return Poly1d(plain.polymul(self.coeffs, highest_first(other)))

    def __rmul__(self, other: Any) -> Any:
        return Poly1d(plain.polymul(self.coeffs, highest_first(other)))

    def __pow__(self, val: int) -> Any:
        result = np.ones(1)
        for _ in range(val):
            result = plain.polymul(self.coeffs, result)
        return Poly1d(result)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Poly1d):
            quotient, rest = np.polydiv(self.coeffs, other.coeffs)
            return Poly1d(quotient), Poly1d(rest)
        return Poly1d(self.coeffs / other)

    def integ(self, m: int = 1, k: Any = 0) -> Any:
        return Poly1d(plain.polyint(self.coeffs, m=m, k=k))

    def deriv(self, m: int = 1) -> Any:
        return Poly1d(plain.polyder(self.coeffs, m=m))


def highest_first(other: Any) -> Any:
    """The coefficients of what a polynomial is combined with."""
    return other.coeffs if isinstance(other, (Poly1d, np.poly1d)) else np.atleast_1d(other)


def polyval_of(p: Any, x: Any) -> Any:
    """np.polyval"""
    return p(x) if isinstance(p, Poly1d) else polyval(p, x)


def polyder_of(p: Any, m: int = 1) -> Any:
    """np.polyder"""
    return Poly1d(plain.polyder(p.coeffs, m)) if isinstance(p, (Poly1d, np.poly1d)) else plain.polyder(p, m)


def polyint_of(p: Any, m: int = 1, k: Any = None) -> Any:
    """np.polyint"""
    return Poly1d(plain.polyint(p.coeffs, m, k)) if isinstance(p, (Poly1d, np.poly1d)) else plain.polyint(p, m, k)


def polyadd_of(a1: Any, a2: Any) -> Any:
    """np.polyadd"""
    total = plain.polyadd(highest_first(a1), highest_first(a2))
    return Poly1d(total) if isinstance(a1, (Poly1d, np.poly1d)) or isinstance(a2, (Poly1d, np.poly1d)) else total


def polysub_of(a1: Any, a2: Any) -> Any:
    """np.polysub"""
    difference = plain.polysub(highest_first(a1), highest_first(a2))
    return Poly1d(difference) if isinstance(a1, (Poly1d, np.poly1d)) or isinstance(a2, (Poly1d, np.poly1d)) else difference


def polymul_of(a1: Any, a2: Any) -> Any:
    """np.polymul"""
    product = plain.polymul(highest_first(a1), highest_first(a2))
    return Poly1d(product) if isinstance(a1, (Poly1d, np.poly1d)) or isinstance(a2, (Poly1d, np.poly1d)) else product


def value_of_poly1d(p: Any, x: Any) -> Any:
    """What np.poly1d gives that is called"""
    return polyval(p.coeffs, x)


def polyval2d(x: Any, y: Any, c: Any) -> Any:
    """np.polynomial.polynomial.polyval2d"""
    return polynomial.polyval(y, polynomial.polyval(x, c), tensor=False)


def polyval3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    """np.polynomial.polynomial.polyval3d"""
    return polynomial.polyval(z, polyval2d(x, y, c), tensor=False)


def polygrid2d(x: Any, y: Any, c: Any) -> Any:
    """np.polynomial.polynomial.polygrid2d"""
    return polynomial.polyval(y, polynomial.polyval(x, c))
