"""The classes of np.polynomial in plain Python, for generated code to look into: series of polynomials, the lowest term first.

The variable is mapped from the domain to the window before the series is evaluated.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.polynomials import basis_matrix


def ends_of(given: Any, first: float) -> Any:
    """A domain or window; the usual one if none is given."""
    return np.array([first, 1.0]) if given is None else np.asarray(given) + 0.0


def mapping(old: Any, new: Any) -> tuple:
    """(off, scl) so that off + scl x leads from one interval to the other."""
    width = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / width, (new[1] - new[0]) / width


def domain_of(x: Any) -> Any:
    """The least and the greatest of the points."""
    ends = np.array([np.min(x), np.max(x)]) + 0.0
    return ends + np.array([-1.0, 1.0]) if np.size(x) and one_point(x) else ends


def one_point(x: Any) -> bool:
    return bool(np.min(x) == np.max(x))


def joined(a: Any, b: Any, sign: float) -> Any:
    """a + sign b of coefficients, of which one may have more."""
    size = max(len(a), len(b))
    return np.concatenate((a, np.zeros(size - len(a)))) + sign * np.concatenate((b, np.zeros(size - len(b))))


def kept_terms(c: Any, tol: float) -> int:
    """How many coefficients are left without small ones at the end, one at least."""
    return int(np.max(np.flatnonzero(np.abs(c) > tol), initial=0)) + 1


class Series:
    """What the classes have in common: arithmetic of coefficients, by functions of the family."""

    __sourcegrad_object__ = True
    coef: Any
    domain: Any
    window: Any
    made: Any
    value: Any
    product: Any
    divided: Any
    derivative: Any
    integral: Any
    zeros: Any
    line: Any

    def __init_subclass__(cls) -> None:
        setattr(cls, "__sourcegrad_object__", True)     # noqa: B010  (it is seen as its attributes)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise UnsupportedError("a series of np.polynomial that is given to a function of NumPy",
                               remedy="Give its coefficients, p.coef.")

    def mapparms(self) -> tuple:
        return mapping(self.domain, self.window)

    def like(self, coef: Any) -> Any:
        return self.made(coef, self.domain, self.window)

    def terms(self, other: Any) -> Any:
        """The coefficients of what the series is combined with."""
        return other.coef if isinstance(other, Series) else np.atleast_1d(other) + 0.0

    def __call__(self, arg: Any) -> Any:
        off, scl = mapping(self.domain, self.window)
        if isinstance(arg, Series):
            powers = self.powers()
            inner = arg * scl + off
            result = arg.like(powers[-1:])
            for k in range(len(powers) - 2, -1, -1):
                result = result * inner + powers[k]
            return result
        return self.value(off + scl * np.asarray(arg), self.coef)

    def powers(self) -> Any:
        """The coefficients of the powers of the variable in the window."""
        return self.coef

    def __len__(self) -> int:
        return len(self.coef)

    def __neg__(self) -> Any:
        return self.like(-self.coef)

    def __add__(self, other: Any) -> Any:
        return self.like(joined(self.coef, self.terms(other), 1.0))

    def __radd__(self, other: Any) -> Any:
        return self.like(joined(self.coef, self.terms(other), 1.0))

    def __sub__(self, other: Any) -> Any:
        return self.like(joined(self.coef, self.terms(other), -1.0))

    def __rsub__(self, other: Any) -> Any:
        return self.like(-joined(self.coef, self.terms(other), -1.0))

    def __mul__(self, other: Any) -> Any:
        return self.like(self.product(self.coef, self.terms(other)))

    def __rmul__(self, other: Any) -> Any:
        return self.like(self.product(self.coef, self.terms(other)))

    def __truediv__(self, other: Any) -> Any:
        return self.like(self.coef / other)

    def __floordiv__(self, other: Any) -> Any:
        quotient, _ = self.divided(self.coef, self.terms(other))
        return self.like(quotient)

    def __mod__(self, other: Any) -> Any:
        _, rest = self.divided(self.coef, self.terms(other))
        return self.like(rest)

    def __divmod__(self, other: Any) -> Any:
        quotient, rest = self.divided(self.coef, self.terms(other))
        return self.like(quotient), self.like(rest)

    def __pow__(self, power: int) -> Any:
        result = np.ones(1)
        for _ in range(power):
            result = self.product(result, self.coef)
        return self.like(result)

    def degree(self) -> int:
        return len(self.coef) - 1

    def cutdeg(self, deg: int) -> Any:
        return self.like(self.coef[:deg + 1])

    def truncate(self, size: int) -> Any:
        return self.like(self.coef[:size])

    def trim(self, tol: float = 0) -> Any:
        return self.like(self.coef[:kept_terms(self.coef, tol)])

    def copy(self) -> Any:
        return self.like(self.coef)

    def deriv(self, m: int = 1) -> Any:
        off, scl = mapping(self.domain, self.window)
        return self.like(self.derivative(self.coef, m, scl))

    def integ(self, m: int = 1, k: Any = (), lbnd: Any = None) -> Any:
        off, scl = mapping(self.domain, self.window)
        return self.like(self.integral(self.coef, m, k, 0.0 if lbnd is None else off + scl * lbnd, 1.0 / scl))

    def roots(self) -> Any:
        off, scl = mapping(self.window, self.domain)
        return off + scl * self.zeros(self.coef)

    def linspace(self, n: int = 100, domain: Any = None) -> Any:
        ends = self.domain if domain is None else np.asarray(domain) + 0.0
        points = np.linspace(ends[0], ends[1], n)
        return points, self(points)

    def convert(self, domain: Any = None, kind: Any = None, window: Any = None) -> Any:
        if kind is np.polynomial.Polynomial:
            return self(Polynomial.identity(domain, window))
        if kind is np.polynomial.Chebyshev:
            return self(Chebyshev.identity(domain, window))
        if kind is np.polynomial.Legendre:
            return self(Legendre.identity(domain, window))
        if kind is not None:
            raise UnsupportedError("the conversion of a series to Hermite or Laguerre polynomials",
                                   remedy="Convert to Polynomial, Chebyshev or Legendre, or fit it.")
        return self(self.made(self.line(domain, window), domain, window))


class Polynomial(Series):
    """np.polynomial.Polynomial"""

    def __init__(self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x") -> None:
        self.coef = np.atleast_1d(coef) + 0.0
        self.domain = ends_of(domain, -1.0)
        self.window = ends_of(window, -1.0)

    def made(self, coef: Any, domain: Any, window: Any) -> Any:
        return Polynomial(coef, domain, window)

    def value(self, x: Any, c: Any) -> Any:
        return polynomial.polyval(x, c)

    def product(self, a: Any, b: Any) -> Any:
        return polynomial.polymul(a, b)

    def divided(self, a: Any, b: Any) -> Any:
        return polynomial.polydiv(a, b)

    def derivative(self, c: Any, m: int, scl: Any) -> Any:
        return polynomial.polyder(c, m, scl)

    def integral(self, c: Any, m: int, k: Any, lbnd: Any, scl: Any) -> Any:
        return polynomial.polyint(c, m, k, lbnd, scl)

    def zeros(self, c: Any) -> Any:
        return polynomial.polyroots(c)

    @staticmethod
    def line(domain: Any, window: Any) -> Any:
        off, scl = mapping(ends_of(window, -1.0), ends_of(domain, -1.0))
        return np.array([off, scl])

    @staticmethod
    def identity(domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Polynomial(Polynomial.line(domain, window), domain, window)

    @staticmethod
    def basis(deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Polynomial(np.concatenate((np.zeros(deg), np.ones(1))), domain, window)

    @staticmethod
    def fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: bool = False, w: Any = None, window: Any = None,
            symbol: str = "x") -> Any:
        if full:
            raise UnsupportedError("the fit of a series with what it finds out", remedy="Leave full out.")
        ends = domain_of(x) if domain is None else ends_of(domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return Polynomial(polynomial.polyfit(off + scl * np.asarray(x), np.asarray(y), deg, rcond=rcond, w=w), ends, inside)

    @staticmethod
    def fromroots(roots: Any, domain: Any = (), window: Any = None, symbol: str = "x") -> Any:
        ends = domain_of(roots) if domain is None else ends_of(None if len(domain) == 0 else domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return Polynomial(polynomial.polyfromroots(off + scl * np.asarray(roots)) / scl ** len(roots), ends, inside)


class Chebyshev(Series):
    """np.polynomial.Chebyshev"""

    def __init__(self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x") -> None:
        self.coef = np.atleast_1d(coef) + 0.0
        self.domain = ends_of(domain, -1.0)
        self.window = ends_of(window, -1.0)

    def made(self, coef: Any, domain: Any, window: Any) -> Any:
        return Chebyshev(coef, domain, window)

    def value(self, x: Any, c: Any) -> Any:
        return chebyshev.chebval(x, c)

    def product(self, a: Any, b: Any) -> Any:
        return chebyshev.chebmul(a, b)

    def divided(self, a: Any, b: Any) -> Any:
        return chebyshev.chebdiv(a, b)

    def derivative(self, c: Any, m: int, scl: Any) -> Any:
        return chebyshev.chebder(c, m, scl)

    def integral(self, c: Any, m: int, k: Any, lbnd: Any, scl: Any) -> Any:
        return chebyshev.chebint(c, m, k, lbnd, scl)

    def zeros(self, c: Any) -> Any:
        return chebyshev.chebroots(c)

    def powers(self) -> Any:
        return basis_matrix("cheb", "2poly", len(self.coef)) @ self.coef

    @staticmethod
    def line(domain: Any, window: Any) -> Any:
        off, scl = mapping(ends_of(window, -1.0), ends_of(domain, -1.0))
        return np.array([off, scl])

    @staticmethod
    def identity(domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Chebyshev(Chebyshev.line(domain, window), domain, window)

    @staticmethod
    def basis(deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Chebyshev(np.concatenate((np.zeros(deg), np.ones(1))), domain, window)

    @staticmethod
    def fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: bool = False, w: Any = None, window: Any = None,
            symbol: str = "x") -> Any:
        if full:
            raise UnsupportedError("the fit of a series with what it finds out", remedy="Leave full out.")
        ends = domain_of(x) if domain is None else ends_of(domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return Chebyshev(chebyshev.chebfit(off + scl * np.asarray(x), np.asarray(y), deg, rcond=rcond, w=w), ends, inside)

    @staticmethod
    def fromroots(roots: Any, domain: Any = (), window: Any = None, symbol: str = "x") -> Any:
        ends = domain_of(roots) if domain is None else ends_of(None if len(domain) == 0 else domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return Chebyshev(chebyshev.chebfromroots(off + scl * np.asarray(roots)) / scl ** len(roots), ends, inside)

    @staticmethod
    def interpolate(func: Any, deg: int, domain: Any = None, args: Any = ()) -> Any:
        ends = ends_of(domain, -1.0)
        off, scl = mapping(np.array([-1.0, 1.0]), ends)
        points = chebyshev.chebpts1(deg + 1)
        weights = chebyshev.chebvander(points, deg) * np.where(np.arange(deg + 1) == 0, 1.0, 2.0) / (deg + 1)
        return Chebyshev(weights.T @ func(off + scl * points, *args), ends)


class Legendre(Series):
    """np.polynomial.Legendre"""

    def __init__(self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x") -> None:
        self.coef = np.atleast_1d(coef) + 0.0
        self.domain = ends_of(domain, -1.0)
        self.window = ends_of(window, -1.0)

    def made(self, coef: Any, domain: Any, window: Any) -> Any:
        return Legendre(coef, domain, window)

    def value(self, x: Any, c: Any) -> Any:
        return legendre.legval(x, c)

    def product(self, a: Any, b: Any) -> Any:
        return legendre.legmul(a, b)

    def divided(self, a: Any, b: Any) -> Any:
        return legendre.legdiv(a, b)

    def derivative(self, c: Any, m: int, scl: Any) -> Any:
        return legendre.legder(c, m, scl)

    def integral(self, c: Any, m: int, k: Any, lbnd: Any, scl: Any) -> Any:
        return legendre.legint(c, m, k, lbnd, scl)

    def zeros(self, c: Any) -> Any:
        return legendre.legroots(c)

    def powers(self) -> Any:
        return basis_matrix("leg", "2poly", len(self.coef)) @ self.coef

    @staticmethod
    def line(domain: Any, window: Any) -> Any:
        off, scl = mapping(ends_of(window, -1.0), ends_of(domain, -1.0))
        return np.array([off, scl])

    @staticmethod
    def identity(domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Legendre(Legendre.line(domain, window), domain, window)

    @staticmethod
    def basis(deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Legendre(np.concatenate((np.zeros(deg), np.ones(1))), domain, window)

    @staticmethod
    def fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: bool = False, w: Any = None, window: Any = None,
            symbol: str = "x") -> Any:
        if full:
            raise UnsupportedError("the fit of a series with what it finds out", remedy="Leave full out.")
        ends = domain_of(x) if domain is None else ends_of(domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return Legendre(legendre.legfit(off + scl * np.asarray(x), np.asarray(y), deg, rcond=rcond, w=w), ends, inside)

    @staticmethod
    def fromroots(roots: Any, domain: Any = (), window: Any = None, symbol: str = "x") -> Any:
        ends = domain_of(roots) if domain is None else ends_of(None if len(domain) == 0 else domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return Legendre(legendre.legfromroots(off + scl * np.asarray(roots)) / scl ** len(roots), ends, inside)


class Hermite(Series):
    """np.polynomial.Hermite"""

    def __init__(self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x") -> None:
        self.coef = np.atleast_1d(coef) + 0.0
        self.domain = ends_of(domain, -1.0)
        self.window = ends_of(window, -1.0)

    def made(self, coef: Any, domain: Any, window: Any) -> Any:
        return Hermite(coef, domain, window)

    def value(self, x: Any, c: Any) -> Any:
        return hermite.hermval(x, c)

    def product(self, a: Any, b: Any) -> Any:
        return hermite.hermmul(a, b)

    def divided(self, a: Any, b: Any) -> Any:
        return hermite.hermdiv(a, b)

    def derivative(self, c: Any, m: int, scl: Any) -> Any:
        return hermite.hermder(c, m, scl)

    def integral(self, c: Any, m: int, k: Any, lbnd: Any, scl: Any) -> Any:
        return hermite.hermint(c, m, k, lbnd, scl)

    def zeros(self, c: Any) -> Any:
        return hermite.hermroots(c)

    def powers(self) -> Any:
        return basis_matrix("herm", "2poly", len(self.coef)) @ self.coef

    @staticmethod
    def line(domain: Any, window: Any) -> Any:
        off, scl = mapping(ends_of(window, -1.0), ends_of(domain, -1.0))
        return np.array([off, 0.5 * scl])

    @staticmethod
    def identity(domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Hermite(Hermite.line(domain, window), domain, window)

    @staticmethod
    def basis(deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Hermite(np.concatenate((np.zeros(deg), np.ones(1))), domain, window)

    @staticmethod
    def fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: bool = False, w: Any = None, window: Any = None,
            symbol: str = "x") -> Any:
        if full:
            raise UnsupportedError("the fit of a series with what it finds out", remedy="Leave full out.")
        ends = domain_of(x) if domain is None else ends_of(domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return Hermite(hermite.hermfit(off + scl * np.asarray(x), np.asarray(y), deg, rcond=rcond, w=w), ends, inside)

    @staticmethod
    def fromroots(roots: Any, domain: Any = (), window: Any = None, symbol: str = "x") -> Any:
        ends = domain_of(roots) if domain is None else ends_of(None if len(domain) == 0 else domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return Hermite(hermite.hermfromroots(off + scl * np.asarray(roots)) / scl ** len(roots), ends, inside)


class HermiteE(Series):
    """np.polynomial.HermiteE"""

    def __init__(self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x") -> None:
        self.coef = np.atleast_1d(coef) + 0.0
        self.domain = ends_of(domain, -1.0)
        self.window = ends_of(window, -1.0)

    def made(self, coef: Any, domain: Any, window: Any) -> Any:
        return HermiteE(coef, domain, window)

    def value(self, x: Any, c: Any) -> Any:
        return hermite_e.hermeval(x, c)

    def product(self, a: Any, b: Any) -> Any:
        return hermite_e.hermemul(a, b)

    def divided(self, a: Any, b: Any) -> Any:
        return hermite_e.hermediv(a, b)

    def derivative(self, c: Any, m: int, scl: Any) -> Any:
        return hermite_e.hermeder(c, m, scl)

    def integral(self, c: Any, m: int, k: Any, lbnd: Any, scl: Any) -> Any:
        return hermite_e.hermeint(c, m, k, lbnd, scl)

    def zeros(self, c: Any) -> Any:
        return hermite_e.hermeroots(c)

    def powers(self) -> Any:
        return basis_matrix("herme", "2poly", len(self.coef)) @ self.coef

    @staticmethod
    def line(domain: Any, window: Any) -> Any:
        off, scl = mapping(ends_of(window, -1.0), ends_of(domain, -1.0))
        return np.array([off, scl])

    @staticmethod
    def identity(domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return HermiteE(HermiteE.line(domain, window), domain, window)

    @staticmethod
    def basis(deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return HermiteE(np.concatenate((np.zeros(deg), np.ones(1))), domain, window)

    @staticmethod
    def fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: bool = False, w: Any = None, window: Any = None,
            symbol: str = "x") -> Any:
        if full:
            raise UnsupportedError("the fit of a series with what it finds out", remedy="Leave full out.")
        ends = domain_of(x) if domain is None else ends_of(domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return HermiteE(hermite_e.hermefit(off + scl * np.asarray(x), np.asarray(y), deg, rcond=rcond, w=w), ends, inside)

    @staticmethod
    def fromroots(roots: Any, domain: Any = (), window: Any = None, symbol: str = "x") -> Any:
        ends = domain_of(roots) if domain is None else ends_of(None if len(domain) == 0 else domain, -1.0)
        inside = ends_of(window, -1.0)
        off, scl = mapping(ends, inside)
        return HermiteE(hermite_e.hermefromroots(off + scl * np.asarray(roots)) / scl ** len(roots), ends, inside)


class Laguerre(Series):
    """np.polynomial.Laguerre"""

    def __init__(self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x") -> None:
        self.coef = np.atleast_1d(coef) + 0.0
        self.domain = ends_of(domain, 0.0)
        self.window = ends_of(window, 0.0)

    def made(self, coef: Any, domain: Any, window: Any) -> Any:
        return Laguerre(coef, domain, window)

    def value(self, x: Any, c: Any) -> Any:
        return laguerre.lagval(x, c)

    def product(self, a: Any, b: Any) -> Any:
        return laguerre.lagmul(a, b)

    def divided(self, a: Any, b: Any) -> Any:
        return laguerre.lagdiv(a, b)

    def derivative(self, c: Any, m: int, scl: Any) -> Any:
        return laguerre.lagder(c, m, scl)

    def integral(self, c: Any, m: int, k: Any, lbnd: Any, scl: Any) -> Any:
        return laguerre.lagint(c, m, k, lbnd, scl)

    def zeros(self, c: Any) -> Any:
        return laguerre.lagroots(c)

    def powers(self) -> Any:
        return basis_matrix("lag", "2poly", len(self.coef)) @ self.coef

    @staticmethod
    def line(domain: Any, window: Any) -> Any:
        off, scl = mapping(ends_of(window, 0.0), ends_of(domain, 0.0))
        return np.array([off + scl, -scl])

    @staticmethod
    def identity(domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Laguerre(Laguerre.line(domain, window), domain, window)

    @staticmethod
    def basis(deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        return Laguerre(np.concatenate((np.zeros(deg), np.ones(1))), domain, window)

    @staticmethod
    def fit(x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: bool = False, w: Any = None, window: Any = None,
            symbol: str = "x") -> Any:
        if full:
            raise UnsupportedError("the fit of a series with what it finds out", remedy="Leave full out.")
        ends = domain_of(x) if domain is None else ends_of(domain, 0.0)
        inside = ends_of(window, 0.0)
        off, scl = mapping(ends, inside)
        return Laguerre(laguerre.lagfit(off + scl * np.asarray(x), np.asarray(y), deg, rcond=rcond, w=w), ends, inside)

    @staticmethod
    def fromroots(roots: Any, domain: Any = (), window: Any = None, symbol: str = "x") -> Any:
        ends = domain_of(roots) if domain is None else ends_of(None if len(domain) == 0 else domain, 0.0)
        inside = ends_of(window, 0.0)
        off, scl = mapping(ends, inside)
        return Laguerre(laguerre.lagfromroots(off + scl * np.asarray(roots)) / scl ** len(roots), ends, inside)


# --- series that the caller holds

def value_of_polynomial(p: Any, x: Any) -> Any:
    """What np.polynomial.Polynomial gives that is called"""
    off, scl = mapping(p.domain, p.window)
    return polynomial.polyval(off + scl * np.asarray(x), p.coef)


def value_of_chebyshev(p: Any, x: Any) -> Any:
    """What np.polynomial.Chebyshev gives that is called"""
    off, scl = mapping(p.domain, p.window)
    return chebyshev.chebval(off + scl * np.asarray(x), p.coef)


def value_of_legendre(p: Any, x: Any) -> Any:
    """What np.polynomial.Legendre gives that is called"""
    off, scl = mapping(p.domain, p.window)
    return legendre.legval(off + scl * np.asarray(x), p.coef)


def value_of_hermite(p: Any, x: Any) -> Any:
    """What np.polynomial.Hermite gives that is called"""
    off, scl = mapping(p.domain, p.window)
    return hermite.hermval(off + scl * np.asarray(x), p.coef)


def value_of_hermite_e(p: Any, x: Any) -> Any:
    """What np.polynomial.HermiteE gives that is called"""
    off, scl = mapping(p.domain, p.window)
    return hermite_e.hermeval(off + scl * np.asarray(x), p.coef)


def value_of_laguerre(p: Any, x: Any) -> Any:
    """What np.polynomial.Laguerre gives that is called"""
    off, scl = mapping(p.domain, p.window)
    return laguerre.lagval(off + scl * np.asarray(x), p.coef)
