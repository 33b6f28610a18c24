"""Rules of the cmath module."""
from __future__ import annotations

import cmath
import functools
import math

from sourcegrad import kinds
from sourcegrad.rules.core import COMPLEX, conj, rule, sample

AT_ONE = [sample(COMPLEX())]
on_complex = functools.partial(rule, elementwise=True, samples=AT_ONE,
                               kind=lambda *args: kinds.Num("pycomplex", (), False))


@on_complex(cmath.exp)
def exp(ct, out, z):
    """out = e ** z"""
    return ct * conj(out)


@on_complex(cmath.log, singular=True, samples=[*AT_ONE, sample(COMPLEX(), COMPLEX())])
def log(ct, out, z, base=None):
    """out = ln(z) / ln(base)"""
    if base is None:
        return ct / conj(z)
    scaled = ct / cmath.log(conj(base))
    return scaled / conj(z), -scaled * conj(out) / conj(base)


@on_complex(cmath.log10, singular=True)
def log10(ct, out, z):
    """out = ln(z) / ln(10)"""
    return ct / (math.log(10.0) * conj(z))


@on_complex(cmath.sqrt, singular=True)
def sqrt(ct, out, z):
    """out = sqrt(z)"""
    return 0.5 * ct / conj(out)


@on_complex(cmath.sin)
def sin(ct, out, z):
    """out = sin(z)"""
    return ct * cmath.cos(conj(z))


@on_complex(cmath.cos)
def cos(ct, out, z):
    """out = cos(z)"""
    return -ct * cmath.sin(conj(z))


@on_complex(cmath.tan)
def tan(ct, out, z):
    """out = tan(z)"""
    return ct * (1.0 + conj(out) * conj(out))


@on_complex(cmath.sinh)
def sinh(ct, out, z):
    """out = sinh(z)"""
    return ct * cmath.cosh(conj(z))


@on_complex(cmath.cosh)
def cosh(ct, out, z):
    """out = cosh(z)"""
    return ct * cmath.sinh(conj(z))


@on_complex(cmath.tanh)
def tanh(ct, out, z):
    """out = tanh(z)"""
    return ct * (1.0 - conj(out) * conj(out))


@on_complex(cmath.phase, singular=True, kind=lambda z: kinds.FLOAT)
def phase(ct, out, z):
    """out = arctan2(imag, real)"""
    return 1.0j * ct / conj(z)
