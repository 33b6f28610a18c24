"""Rules of NumPy's elementwise functions and of the operators that mean the same.

Formulas hold for complex arguments too where the function takes them: a holomorphic f pulls back
`ct * conj(f'(z))`, and conj(f'(z)) is f'(conj(z)) for these functions.
"""
from __future__ import annotations

import math
import operator

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import results
from sourcegrad.primitives.core import (
    COMPLEX,
    LENGTH,
    NONZERO,
    POSITIVE,
    REAL,
    UNIT,
    conj,
    constant_value,
    describe,
    is_complex,
    jvp,
    primitive_of,
    rule,
    sample,
)
from sourcegrad.runtime.core import broadcast_like, guard, unbroadcast, zeros_like
from sourcegrad.runtime.elementwise import (
    bessel_decay,
    divide_or_zero,
    in_double,
    no_formula,
    power_slope,
    quotient,
    selected,
    where_valid,
)
from sourcegrad.runtime.products import refuse

ANOTHER = "Differentiate another method, or write a formula with scipy.special."
LOWEST = np.array([-np.inf, -np.inf, 1.0])


# --- kinds of results -------------------------------------------------------------------------------

def view_kind(function):
    """Like an elementwise result, but a 0-d array stays an array."""
    def kind(x):
        result = results.elementwise(function)(x)
        boxed = getattr(kinds.as_num(x), "boxed", None)
        return kinds.Num(result.dtype, result.dims, boxed) if isinstance(result, kinds.Num) else result
    return kind


def pair_kind(*functions):
    """Two elementwise results, of the types of the given functions."""
    def kind(*args):
        return kinds.Tup(tuple(results.elementwise(function)(*args) for function in functions))
    return kind


def double(*args):
    """Numbers of double precision, of the shape that the arguments have together."""
    result = results.elementwise(np.logical_or if len(args) > 1 else np.logical_not)(*args)
    return kinds.Num("float64", result.dims, result.boxed) if isinstance(result, kinds.Num) else result


# --- arithmetic -------------------------------------------------------------------------------------

@rule(np.add, operator.add, operation="+", elementwise=True, samples=[(REAL, REAL), (COMPLEX, COMPLEX), (REAL, COMPLEX)])
def add(ct, out, x, y):
    """out = x + y"""
    return ct, ct


@rule(np.subtract, operator.sub, operation="-", elementwise=True, samples=[(REAL, REAL), (COMPLEX, REAL)])
def subtract(ct, out, x, y):
    """out = x - y"""
    return ct, -ct


@rule(np.multiply, operator.mul, operation="*", elementwise=True,
      samples=[(REAL, REAL), (COMPLEX, COMPLEX), (REAL, COMPLEX)])
def multiply(ct, out, x, y):
    """out = x * y"""
    return ct * conj(y), ct * conj(x)


@jvp(np.multiply, operator.mul)
def multiply_tangent(dot, out, x, y):
    """The product rule, in the order in which one writes it"""
    return dot * y, x * dot


@rule(np.divide, operator.truediv, operation="/", elementwise=True, singular="pole",
      samples=[(REAL, NONZERO), (COMPLEX, COMPLEX), (REAL, COMPLEX)])
def divide(ct, out, x, y):
    """out = x / y"""
    if constant_value(x) == 1:
        return None, -ct * conj(out) * conj(out)
    scaled = ct / conj(y)
    return scaled, -scaled * conj(out)


@rule(quotient, drops="weighted", result="new", real="kept", elementwise=True, singular="pole", samples=[(REAL, NONZERO)])
def quotient_rule(ct, out, x, y):
    """out = x / y, without a warning"""
    changing = selected(ct, (x != 0) | (np.abs(y) > 0))
    return quotient(changing, conj(y)), guard(ct, -quotient(ct * conj(out), conj(y)))


@jvp(quotient)
def quotient_tangent(dot, out, x, y):
    """A quotient that is zero, since `x` is, stays so whatever becomes of `y`, which may be no number"""
    return quotient(selected(dot, (x != 0) | (np.abs(y) > 0)), y), guard(x, -quotient(dot * out, y))


@rule(np.remainder, operator.mod, elementwise=True, singular="pole", samples=[(REAL, NONZERO)])
def remainder(ct, out, x, y):
    """out = x - y * floor(x / y)"""
    return ct, -ct * (x // y)


@rule(np.fmod, elementwise=True, singular="pole", samples=[(REAL, NONZERO)])
def fmod(ct, out, x, y):
    """out = x - y * trunc(x / y)"""
    return ct, -ct * np.trunc(x / y)


@rule(np.divmod, elementwise=True, singular="pole", kind=pair_kind(np.floor_divide, np.remainder),
      samples=[(REAL, NONZERO)])
def divmod_(ct, out, x, y):
    """out = floor(x / y), x - y * floor(x / y)"""
    return ct[1], -ct[1] * out[0]


@jvp(np.divmod)
def divmod_tangent(dot, out, x, y):
    """Only the remainder has a tangent"""
    return (zeros_like(out[0]), broadcast_like(dot, out[1])), (zeros_like(out[0]), -dot * out[0])


@rule(np.power, np.float_power, operator.pow, pow, operation="**", branch_points=(0.0,), elementwise=True, singular=True,
      samples=[(POSITIVE, REAL), (COMPLEX, COMPLEX), (POSITIVE, COMPLEX), sample(NONZERO(3), COMPLEX(3)), sample(REAL(3), 2),
               sample(REAL(3), 3),
               sample(REAL(3), 0), sample(REAL(3), 1), sample(NONZERO(3), -1), sample(POSITIVE(3), 0.5),
               sample(NONZERO(2, 3), -2.0), sample(POSITIVE(3), 1.7), sample(COMPLEX(3), 3),
               sample(COMPLEX(3), 2),
               sample(np.zeros(2), 3), sample(np.zeros(2), 2), sample(POSITIVE(3), np.array([0.0, 1.0, 2.0])),
               sample(COMPLEX(2), 0.5), sample(2.0, REAL(3)), sample(2, COMPLEX(3)),
               sample(COMPLEX(2), -1)])
def power(ct, out, x, y):
    """out = x ** y; x ** 0 is constant, and so is 0 ** y for y > 0"""
    if constant_value(y) == 0:
        return None
    if constant_value(y) == 1:
        return ct
    if constant_value(y) == 2:
        return 2.0 * ct * conj(x)
    if constant_value(y) == 0.5:
        return 0.5 * ct / conj(out)
    if constant_value(y) == -1:
        return -ct * conj(out) * conj(out)
    if constant_value(y) is not None and not is_complex(y) and constant_value(y) < 0:
        return y * ct * conj(out / x)                # cheaper than another power, and infinite at 0 like it
    if constant_value(y) is not None and not is_complex(y) and constant_value(y) < 1:
        return y * ct / conj(x) ** (1 - y)
    if constant_value(y) is not None:
        return y * ct * conj(x) ** (y - 1)
    if constant_value(x) is not None and x > 0:
        return None, math.log(x) * ct * conj(out)
    if is_complex(y) and is_complex(x) is False:
        by_y = out * np.log(x + (x == 0) + 0.0j)     # of a negative number, too
    else:
        by_y = out * np.log(x + (x == 0))            # log(1) at 0: out * log(0) would be NaN
    return ct * conj(power_slope(x, y)), ct * conj(by_y)


@rule(power_slope, branch_points=(0.0,), elementwise=True, singular=True, kind=results.elementwise(power_slope),
      samples=[(POSITIVE, NONZERO), sample(COMPLEX(3), COMPLEX(3)), sample(NONZERO(3), COMPLEX(3)), sample(POSITIVE(3), 0.0),
               sample(2.0, 0.0), sample(POSITIVE(3), 2.0),
               sample(POSITIVE(4), np.array([0.0, 1.0, 2.0, 3.0])), sample(np.zeros(2), 3.0)])
def power_slope_rule(ct, out, x, y):
    """out = y * x ** (y - 1)"""
    less = y - ((y != 0) | (x != 0))                 # y - 1, but 0 ** 0 where both are 0
    if is_complex(y) and is_complex(x) is False:
        by_y = x ** less + out * np.log(x + (x == 0) + 0.0j)
    else:
        by_y = x ** less + out * np.log(x + (x == 0))
    return ct * conj(y * power_slope(x, less)), ct * conj(by_y)


@rule(np.negative, operator.neg, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def negative(ct, out, x):
    """out = -x"""
    return -ct


@rule(np.positive, operator.pos, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def positive(ct, out, x):
    """out = +x"""
    return ct


@rule(np.absolute, operator.abs, abs, range=LENGTH, real="always", elementwise=True,
      samples=[(NONZERO,), (COMPLEX,), sample(np.zeros(2))])
def absolute(ct, out, x):
    """out = |x|; the derivative at 0 is 0"""
    if isinstance(x, float):
        return ct * (1.0 * (x > 0.0) - (x < 0.0))       # np.sign of a number takes ten times as long
    if is_complex(x) is False:
        return ct * np.sign(x)
    return ct * x / (out + (out == 0))


@jvp(np.absolute, operator.abs, abs)
def absolute_tangent(dot, out, x):
    """The tangent of |x|, which is real: that of z is Re(conj(z) dz) / |z|"""
    if isinstance(x, float):
        return dot * (1.0 * (x > 0.0) - (x < 0.0))
    if is_complex(x) is False:
        return dot * np.sign(x)
    return np.real(conj(x) * dot) / (out + (out == 0))


@rule(np.fabs, range=LENGTH, real="always", elementwise=True, samples=[(NONZERO,)])
def fabs(ct, out, x):
    """out = |x|"""
    return ct * np.sign(x)


@rule(np.copysign, elementwise=True, samples=[(NONZERO, NONZERO)])
def copysign(ct, out, x, y):
    """out = |x| with the sign of y"""
    return ct * (np.sign(x) * np.sign(out)), None


@rule(np.nextafter, elementwise=True, samples=[(NONZERO, NONZERO)])
def nextafter(ct, out, x, y):
    """out = x, and the smallest step towards y"""
    return ct, None


@rule(np.heaviside, elementwise=True, samples=[(NONZERO, REAL), sample(np.array([0.0, 1.0, -1.0, 0.0]), REAL(4))])
def heaviside(ct, out, x, y):
    """out = 0 below 0, 1 above 0, and y at 0"""
    return None, selected(ct, x == 0)


@rule(np.square, range=LENGTH, power=2.0, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def square(ct, out, x):
    """out = x * x"""
    return 2.0 * ct * conj(x)


@rule(np.reciprocal, elementwise=True, singular="pole", samples=[(NONZERO,), (COMPLEX,)])
def reciprocal(ct, out, x):
    """out = 1 / x"""
    return -ct * conj(out) * conj(out)


@rule(np.sqrt, power=0.5, branch_points=(0.0,), elementwise=True, singular=True, samples=[(POSITIVE,), (COMPLEX,)])
def sqrt(ct, out, x):
    """out = sqrt(x)"""
    return 0.5 * ct / conj(out)


@rule(np.cbrt, power=1.0 / 3.0, branch_points=(0.0,), elementwise=True, singular=True, samples=[(NONZERO,)])
def cbrt(ct, out, x):
    """out = x ** (1 / 3)"""
    return ct / (3.0 * out * out)


@rule(np.hypot, range=LENGTH, elementwise=True, samples=[(NONZERO, REAL), sample(np.zeros(2), np.zeros(2))])
def hypot(ct, out, x, y):
    """out = sqrt(x^2 + y^2); like a norm it has gradient 0 at 0"""
    scaled = ct / (out + (out == 0))
    return scaled * x, scaled * y


@rule(np.ldexp, elementwise=True, samples=[sample(REAL(3), 2), sample(REAL(2, 3), np.array([1, -1, 0]))])
def ldexp(ct, out, x, exponent):
    """out = x * 2 ** exponent"""
    return np.ldexp(ct, exponent)


@rule(np.frexp, elementwise=True, kind=pair_kind(lambda x: np.frexp(x)[0], lambda x: np.frexp(x)[1]),
      samples=[(POSITIVE,)])
def frexp(ct, out, x):
    """out = mantissa, exponent with x = mantissa * 2 ** exponent"""
    return np.ldexp(ct[0], -out[1])


@rule(np.modf, elementwise=True, kind=pair_kind(np.fabs, np.fabs), samples=[(UNIT,), (REAL,)])
def modf(ct, out, x):
    """out = fractional part, integral part"""
    return ct[0]


@jvp(np.frexp)
def frexp_tangent(dot, out, x):
    """Only the mantissa has a tangent"""
    return ((np.ldexp(dot, -out[1]), zeros_like(out[1])),)


@jvp(np.modf)
def modf_tangent(dot, out, x):
    """Only the fractional part has a tangent"""
    return ((dot, zeros_like(out[1])),)


# --- exponentials and logarithms --------------------------------------------------------------------

@rule(np.exp, exponential=math.e, inverse=np.log, overflows=True, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def exp(ct, out, x):
    """out = e ** x"""
    return ct * conj(out)


@rule(np.exp2, exponential=2.0, inverse=np.log2, overflows=True, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def exp2(ct, out, x):
    """out = 2 ** x"""
    return math.log(2.0) * ct * conj(out)


@rule(np.expm1, inverse=np.log1p, overflows=True, elementwise=True, samples=[(REAL,), (COMPLEX,)])
def expm1(ct, out, x):
    """out = e ** x - 1 (out + 1 would lose the digits of small e ** x)"""
    return ct * np.exp(conj(x))


@rule(np.log, slope=-1.0, inverse=np.exp, elementwise=True, singular="pole", samples=[(POSITIVE,), (COMPLEX,)])
def log(ct, out, x):
    """out = ln(x)"""
    return ct / conj(x)


@rule(np.log2, slope=-1.0, inverse=np.exp2, elementwise=True, singular="pole", samples=[(POSITIVE,), (COMPLEX,)])
def log2(ct, out, x):
    """out = ln(x) / ln(2)"""
    return ct / (math.log(2.0) * conj(x))


@rule(np.log10, slope=-1.0, elementwise=True, singular="pole", samples=[(POSITIVE,), (COMPLEX,)])
def log10(ct, out, x):
    """out = ln(x) / ln(10)"""
    return ct / (math.log(10.0) * conj(x))


@rule(np.log1p, slope=0.0, inverse=np.expm1, elementwise=True, singular="pole", samples=[(POSITIVE,), (COMPLEX,)])
def log1p(ct, out, x):
    """out = ln(1 + x)"""
    return ct / (1.0 + conj(x))


@rule(np.logaddexp, elementwise=True, samples=[(REAL, REAL), sample(LOWEST, REAL(3))])
def logaddexp(ct, out, x, y):
    """out = ln(e^x + e^y); the weights are e^(x - out), 0 for both where both are -inf"""
    if constant_value(x) is not None and constant_value(x) > -1e38:                # then out is finite from below
        return ct * np.exp(x - out), ct * np.exp(y - out)
    if constant_value(y) is not None and constant_value(y) > -1e38:
        return ct * np.exp(x - out), ct * np.exp(y - out)
    finite = np.maximum(out, -1e38)
    return ct * np.exp(x - finite), ct * np.exp(y - finite)


@rule(np.logaddexp2, elementwise=True, samples=[(REAL, REAL), sample(LOWEST, REAL(3))])
def logaddexp2(ct, out, x, y):
    """out = log2(2^x + 2^y)"""
    if constant_value(x) is not None and constant_value(x) > -1e38:                # then out is finite from below
        return ct * np.exp2(x - out), ct * np.exp2(y - out)
    if constant_value(y) is not None and constant_value(y) > -1e38:
        return ct * np.exp2(x - out), ct * np.exp2(y - out)
    finite = np.maximum(out, -1e38)
    return ct * np.exp2(x - finite), ct * np.exp2(y - finite)


# --- what formulas of special functions are made of -------------------------------------------------

@rule(in_double, result="may view", real="always", elementwise=True, kind=lambda x: double(x),
      samples=[(REAL,)])
def in_double_rule(ct, out, x):
    """out = x"""
    return ct


@rule(where_valid, real="always", elementwise=True, kind=lambda condition, x: double(condition, x),
      samples=[sample(np.array([True, True, True]), REAL(3)), sample(True, REAL())])
def where_valid_rule(ct, out, condition, x):
    """out = x where the condition holds"""
    return None, selected(ct, condition)


@rule(no_formula, effect="checks", elementwise=True, kind=lambda x, what: double(x))
def no_formula_rule(ct, out, x, what):
    """It raises where it is computed, and has no derivative where that is not asked for"""
    return refuse(what, ANOTHER)


@rule(bessel_decay, elementwise=True, kind=lambda v, x, sign, n: results.elementwise(np.multiply)(v, x),
      samples=[sample(2.0, np.array([30.0, -50.0]), 1, 0), sample(np.array([0.0, 1.0]), np.array([30.0, 80.0]), -1, 1)])
def bessel_decay_rule(ct, out, v, x, sign, n):
    """out = the n-th derivative of what stands for a function that changes with x only"""
    return None, ct * bessel_decay(v, x, sign, n + 1)


# --- complex parts ----------------------------------------------------------------------------------

@rule(np.conjugate, tangent="linear", result="may view", elementwise=True, samples=[(REAL,), (COMPLEX,)])
def conjugate(ct, out, x):
    """out = conj(x)"""
    return conj(ct)


@rule(np.real, tangent="linear", result="may view", real="always", elementwise=True, kind=view_kind(np.real),
      samples=[(REAL,), (COMPLEX,)])
def real(ct, out, val):
    """out = the real part of val"""
    if is_complex(val):
        return ct + 0.0j                              # complex: later contributions are added in place
    return ct


@rule(np.imag, tangent="linear", result="may view", real="always", elementwise=True, kind=view_kind(np.imag),
      samples=[(REAL,), (COMPLEX,)])
def imag(ct, out, val):
    """out = the imaginary part of val"""
    if is_complex(val) is False:
        return None
    return 1.0j * ct


@rule(np.angle, real="always", branch_points=((0.0, 0.0),), elementwise=True, singular=True,
      kind=lambda z, deg=None: results.elementwise(np.angle)(z),
      samples=[(NONZERO,), (COMPLEX,), sample(COMPLEX(3), True), sample(COMPLEX(2), deg=True)])
def angle(ct, out, z, deg=False):
    """out = arctan2(imag, real)"""
    if is_complex(z) is False:
        return None
    if deg:
        return 1.0j * np.degrees(ct) / conj(z)
    return 1.0j * ct / conj(z)


@jvp(np.angle)
def angle_tangent(dot, out, z, deg=False):
    """The tangent of the angle of z is Im(dz / z); that of 0 stands still"""
    if is_complex(z) is False:
        return None
    if deg:
        return np.degrees(np.imag(divide_or_zero(dot, z)))
    return np.imag(divide_or_zero(dot, z))


@rule(np.real_if_close, result="may view", kind=lambda *args, **options: kinds.ANY,
      samples=[sample(REAL(3)), sample(COMPLEX(3))])
def real_if_close(ct, out, a, tol=100):
    """out = a, without its imaginary part if that is all but zero"""
    return unbroadcast(ct, out)

# numbers that are real remain so, whatever their dtype
describe(*(f for f in vars(np).values() if isinstance(f, np.ufunc) and not primitive_of(f).real), operator.add, operator.sub,
         operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.neg, operator.pos, operator.matmul,
         real="kept")
