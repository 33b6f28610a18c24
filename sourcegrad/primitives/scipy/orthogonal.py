"""Orthogonal polynomials of scipy.special as objects, special.legendre(3): constant coefficients, and values by recurrences.

DLMF: F. W. J. Olver et al., NIST Digital Library of Mathematical Functions (https://dlmf.nist.gov), chapter 18.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from sourcegrad.kinds import Kind, Num
from sourcegrad.primitives.core import declare, nondifferentiable
from sourcegrad.runtime.polynomials import Poly1d


def coefficients(name: str, n: Any, parameters: tuple, monic: bool) -> Any:
    """Of the powers of x, the highest first; a monic polynomial begins with 1."""
    return getattr(special, name)(n, *parameters, monic=monic).coeffs


def leading(name: str, n: Any, parameters: tuple, monic: bool) -> Any:
    """What a monic polynomial is divided by."""
    return getattr(special, name)(n, *parameters).coeffs[0] if monic else 1.0


class Orthogonal(Poly1d):
    """A polynomial of some degree: between others it is one of its coefficients, and its values are more exact."""

    __sourcegrad_object__ = True
    n: Any
    scale: Any

    def __init_subclass__(cls) -> None:
        setattr(cls, "__sourcegrad_object__", True)     # noqa: B010  (it is seen as its attributes)

    def at(self, x: Any) -> Any:
        """The value of the polynomial that is not monic."""
        return np.polyval(self.coeffs, x)

    def __call__(self, val: Any) -> Any:
        if isinstance(val, (Poly1d, np.poly1d)):
            return Poly1d(self.coeffs)(val)
        return self.at(val) / self.scale


class Legendre(Orthogonal):
    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("legendre", n, (), monic), leading("legendre", n, (), monic)

    def at(self, x):
        return special.eval_legendre(self.n, x)


class ShiftedLegendre(Orthogonal):
    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("sh_legendre", n, (), monic), leading("sh_legendre", n, (), monic)

    def at(self, x):
        return special.eval_sh_legendre(self.n, x)


class ChebyshevT(Orthogonal):
    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("chebyt", n, (), monic), leading("chebyt", n, (), monic)

    def at(self, x):
        return special.eval_chebyt(self.n, x)


class ShiftedChebyshevT(Orthogonal):
    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("sh_chebyt", n, (), monic), leading("sh_chebyt", n, (), monic)

    def at(self, x):
        return special.eval_sh_chebyt(self.n, x)


class ChebyshevC(Orthogonal):
    """C(x) = 2 T(x / 2) (DLMF 18.1.3)"""

    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("chebyc", n, (), monic), leading("chebyc", n, (), monic)

    def at(self, x):
        return 2.0 * special.eval_chebyt(self.n, 0.5 * x)


class ChebyshevU(Orthogonal):
    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("chebyu", n, (), monic), leading("chebyu", n, (), monic)

    def at(self, x):
        return special.eval_chebyu(self.n, x)


class ShiftedChebyshevU(Orthogonal):
    """U(2 x - 1) (DLMF 18.7.8)"""

    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("sh_chebyu", n, (), monic), leading("sh_chebyu", n, (), monic)

    def at(self, x):
        return special.eval_chebyu(self.n, 2.0 * x - 1.0)


class ChebyshevS(Orthogonal):
    """S(x) = U(x / 2) (DLMF 18.1.3)"""

    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("chebys", n, (), monic), leading("chebys", n, (), monic)

    def at(self, x):
        return special.eval_chebyu(self.n, 0.5 * x)


class Laguerre(Orthogonal):
    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("laguerre", n, (), monic), leading("laguerre", n, (), monic)

    def at(self, x):
        return special.eval_laguerre(self.n, x)


class GeneralLaguerre(Orthogonal):
    def __init__(self, n, alpha, monic=False):
        self.n, self.alpha = n, alpha
        self.coeffs, self.scale = coefficients("genlaguerre", n, (alpha,), monic), leading("genlaguerre", n, (alpha,), monic)

    def at(self, x):
        return special.eval_genlaguerre(self.n, self.alpha, x)


class Hermite(Orthogonal):
    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("hermite", n, (), monic), leading("hermite", n, (), monic)

    def at(self, x):
        return special.eval_hermite(self.n, x)


class NormalHermite(Orthogonal):
    def __init__(self, n, monic=False):
        self.n, self.coeffs, self.scale = n, coefficients("hermitenorm", n, (), monic), leading("hermitenorm", n, (), monic)

    def at(self, x):
        return special.eval_hermitenorm(self.n, x)


class Gegenbauer(Orthogonal):
    def __init__(self, n, alpha, monic=False):
        self.n, self.alpha = n, alpha
        self.coeffs, self.scale = coefficients("gegenbauer", n, (alpha,), monic), leading("gegenbauer", n, (alpha,), monic)

    def at(self, x):
        return special.eval_gegenbauer(self.n, self.alpha, x)


class Jacobi(Orthogonal):
    def __init__(self, n, alpha, beta, monic=False):
        self.n, self.alpha, self.beta = n, alpha, beta
        self.coeffs, self.scale = coefficients("jacobi", n, (alpha, beta), monic), leading("jacobi", n, (alpha, beta), monic)

    def at(self, x):
        return special.eval_jacobi(self.n, self.alpha, self.beta, x)


class ShiftedJacobi(Orthogonal):
    """G(p, q, x) = P(p - q, q - 1, 2 x - 1) n! Gamma(n + p) / Gamma(2 n + p) (DLMF 18.7.19)"""

    def __init__(self, n, p, q, monic=False):
        self.n, self.p, self.q = n, p, q
        self.coeffs, self.scale = coefficients("sh_jacobi", n, (p, q), monic), leading("sh_jacobi", n, (p, q), monic)

    def at(self, x):
        return special.eval_jacobi(self.n, self.p - self.q, self.q - 1.0, 2.0 * x - 1.0) / special.binom(
            2 * self.n + self.p - 1.0, self.n)


def coefficients_kind(*_: Kind) -> Kind:
    return Num("float64", (None,), True)


def leading_kind(*_: Kind) -> Kind:
    return Num("float64", (), None)


nondifferentiable(coefficients, kind=coefficients_kind, but=("parameters",))
nondifferentiable(leading, kind=leading_kind, but=("parameters",))
declare("instead", {
    special.legendre: Legendre, special.sh_legendre: ShiftedLegendre, special.chebyt: ChebyshevT,
    special.sh_chebyt: ShiftedChebyshevT, special.chebyc: ChebyshevC, special.chebyu: ChebyshevU,
    special.sh_chebyu: ShiftedChebyshevU, special.chebys: ChebyshevS, special.laguerre: Laguerre,
    special.genlaguerre: GeneralLaguerre, special.hermite: Hermite, special.hermitenorm: NormalHermite,
    special.gegenbauer: Gegenbauer, special.jacobi: Jacobi, special.sh_jacobi: ShiftedJacobi})
