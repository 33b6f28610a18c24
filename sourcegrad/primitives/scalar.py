"""Rules of the math and cmath modules and of the built-in functions on numbers.

They compute with `math` on Python numbers only, so that generated scalar loops stay fast.
"""
from __future__ import annotations

import cmath
import functools
import math
import operator
import types

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import results
from sourcegrad.primitives import elementwise, trigonometric
from sourcegrad.primitives.core import (
    ABOVE_ONE,
    COMPLEX,
    DISTINCT,
    LENGTH,
    NONZERO,
    POSITIVE,
    REAL,
    WRITTEN,
    Domain,
    available,
    conj,
    describe,
    jvp,
    ndim,
    primitive_of,
    rule,
    sample,
)
from sourcegrad.runtime.core import item_at, unbroadcast
from sourcegrad.runtime.elementwise import (
    at_position,
    dot_items,
    first_position,
    gather_items,
    item_differences,
    polygamma,
    power_slope,
    scaled_items,
    selected,
    sequence_like,
    spread_over,
)
from sourcegrad.runtime.shapes import cast_back


def returns(kind):
    """A kind function for primitives whose result is always of one kind."""
    return lambda *args, **options: kind


def unknown(*args, **options):
    return kinds.ANY


def at(*domains):
    """Samples: numbers of the given domains."""
    return [sample(*(domain() for domain in domains))]


on_numbers = functools.partial(rule, elementwise=True, kind=returns(kinds.FLOAT))

BELOW_ZERO = Domain(          # between the poles of gamma
    "BELOW_ZERO", lambda rng, shape: rng.uniform(0.1, 0.9, shape) - rng.integers(1, 6, shape))


IN_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
            "atanh": "arctanh"}
OF_NUMPY = vars(elementwise) | vars(trigonometric)


def as_of_numpy(register, module, names, samples=None, **given):
    """Functions of `math` or `cmath` with the rules of NumPy's: in their text `np` stands for that module.

    Those of `math` have the properties of NumPy's functions, too, and the samples of their rules unless some are given."""
    for name in names.split():
        in_numpy, primitives = IN_NUMPY.get(name, name), available(module, name)
        like, known = WRITTEN[OF_NUMPY[in_numpy]], primitive_of(getattr(np, in_numpy))
        names_of_module = {**like.function.__globals__, "np": module, "__name__": __name__}
        function = types.FunctionType(like.function.__code__, names_of_module, name)
        numbers = [at(*domains)[0] for domains in like.samples if isinstance(domains, tuple) and COMPLEX not in domains]
        properties = {} if module is cmath else {
            "inverse": getattr(module, getattr(known.inverse, "__name__", ""), None),
            **{name: getattr(known, name) for name in ("range", "power", "slope", "branch_points", "exponential")}}
        register(*primitives, singular=like.singular, samples=samples or numbers, **properties, **given)(function)


# --- math: exponentials, logarithms, powers, trigonometric and hyperbolic functions ------------------

as_of_numpy(on_numbers, math, "exp exp2 expm1 log2 log10 log1p sqrt cbrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh "
            "acosh atanh degrees radians")
as_of_numpy(on_numbers, math, "ldexp", [sample(REAL(), 3), sample(REAL(), -2)])
as_of_numpy(on_numbers, math, "frexp", kind=returns(kinds.Tup((kinds.FLOAT, kinds.INT))))
as_of_numpy(on_numbers, math, "modf", kind=returns(kinds.Tup((kinds.FLOAT, kinds.FLOAT))))


@on_numbers(math.log, slope=-1.0, inverse=math.exp, singular="pole",
            samples=at(POSITIVE) + at(POSITIVE, ABOVE_ONE) + [sample(POSITIVE(), 10.0)])
def log(ct, out, x, base=None):
    """out = ln(x) / ln(base)"""
    if base is None:
        return ct / x
    scaled = ct / math.log(base)
    return scaled / x, -scaled * out / base


@on_numbers(math.pow, operation="**", branch_points=(0.0,), singular=True, samples=at(POSITIVE, REAL))
def pow_(ct, out, x, y):
    """out = x ** y; x ** 0 is constant, and so is 0 ** y for y > 0"""
    return ct * power_slope(x, y), ct * out * math.log(x + (x == 0))


# --- math: absolute value, remainders, special functions --------------------------------------------

@on_numbers(math.fabs, range=LENGTH, samples=at(NONZERO))
def fabs(ct, out, x):
    """out = |x|; the derivative at 0 is 0"""
    return ct * (1.0 * (x > 0.0) - (x < 0.0))


@on_numbers(math.copysign, samples=at(NONZERO, NONZERO))
def copysign(ct, out, x, y):
    """out = |x| with the sign of y"""
    return ct * (1.0 * (x == out) - (x == -out)), None


@on_numbers(math.fmod, singular="pole", samples=at(REAL, NONZERO))
def fmod(ct, out, x, y):
    """out = x - y * trunc(x / y)"""
    return ct, -ct * int(x / y)


@on_numbers(math.remainder, singular="pole", samples=at(REAL, NONZERO))
def remainder(ct, out, x, y):
    """out = x - y * n with the integer n nearest to x / y"""
    return ct, -ct * round((x - out) / y)


@on_numbers(math.erf, samples=at(REAL))
def erf(ct, out, x):
    """d erf(x) = 2 / sqrt(pi) e^(-x^2)"""
    return 2.0 / math.sqrt(math.pi) * ct * math.exp(-x * x)


@on_numbers(math.erfc, samples=at(REAL))
def erfc(ct, out, x):
    """out = 1 - erf(x)"""
    return -2.0 / math.sqrt(math.pi) * ct * math.exp(-x * x)


@on_numbers(math.gamma, samples=at(POSITIVE) + at(BELOW_ZERO))
def gamma(ct, out, x):
    """gamma' = gamma * digamma"""
    return ct * out * polygamma(0, x)


@on_numbers(math.lgamma, samples=at(POSITIVE) + at(BELOW_ZERO))
def lgamma(ct, out, x):
    """out = ln |gamma(x)|"""
    return ct * polygamma(0, x)


@on_numbers(polygamma,
            samples=[sample(n, domain()) for n in (0, 1, 2, 3) for domain in (POSITIVE, BELOW_ZERO,
                     ABOVE_ONE)])
def polygamma_rule(ct, out, n, x):
    """out = the n-th derivative of digamma"""
    return None, ct * polygamma(n + 1, x)


# --- math: functions of many numbers ----------------------------------------------------------------

PYFLOAT = returns(kinds.FLOAT)


@rule(math.hypot, range=LENGTH, kind=PYFLOAT,
      samples=at(NONZERO, REAL) + at(NONZERO, REAL, REAL) + at(NONZERO) + [sample(0.0, 0.0)])
def hypot(ct, out, *coordinates):
    """out = sqrt(sum of squares); like a norm it has gradient 0 at 0"""
    return scaled_items(ct / (out + (out == 0.0)), coordinates)


@rule(math.dist, range=LENGTH, kind=PYFLOAT,
      samples=[sample([REAL(), REAL()], [REAL(), REAL()]), sample(REAL(3), REAL(3)), sample(REAL(2), [REAL(),
               REAL()])])
def dist(ct, out, p, q):
    """out = sqrt(sum((p - q) ** 2))"""
    step = scaled_items(ct / (out + (out == 0.0)), item_differences(p, q))
    return step, sequence_like(scaled_items(-1.0, step), q)


@rule(math.fsum, tangent="linear", folds="+", kind=PYFLOAT, samples=[sample([REAL(), REAL()]), sample(REAL(3)), sample([])])
def fsum(ct, out, seq):
    """out = the sum of the numbers"""
    return spread_over(ct, seq)


@rule(math.prod, folds="*", kind=unknown,
      samples=[sample([REAL(), REAL(), REAL()]), sample(REAL(3)), sample([REAL(), REAL()], start=2.0),
               sample([]),
               sample([0.0, REAL(), REAL()]), sample([0.0, REAL(), 0.0]), sample([REAL()])])
def prod(ct, out, iterable, *, start=1):
    """The derivative by one factor is the product of those before it and those after it."""
    factors = np.multiply(1.0, iterable)
    before = np.cumprod(np.concatenate([[1.0], factors]))[:-1]
    after = np.cumprod(np.concatenate([[1.0], factors[::-1]]))[-2::-1]
    return sequence_like(ct * conj(start) * conj(before * after), iterable), ct * conj(math.prod(iterable))


@rule(dot_items, *available(math, "sumprod"), kind=unknown,
      samples=[sample([REAL(), REAL()], [REAL(), REAL()]), sample(REAL(3), REAL(3)), sample(REAL(2), [REAL(),
               REAL()])])
def dot_items_rule(ct, out, p, q):
    """out = sum(p * q)"""
    return sequence_like(scaled_items(ct, conj(q)), p), sequence_like(scaled_items(ct, conj(p)), q)


@rule(scaled_items, kind=unknown,
      samples=[sample(REAL(), [REAL(), REAL()]), sample(REAL(), REAL(3)), sample(REAL(), (REAL(), REAL()))])
def scaled_items_rule(ct, out, factor, items):
    """out = factor * items"""
    return dot_items(ct, conj(items)), scaled_items(conj(factor), ct)


@rule(item_differences, tangent="linear", kind=unknown,
      samples=[sample([REAL(), REAL()], [REAL(), REAL()]), sample(REAL(3), REAL(3)), sample(REAL(2), [REAL(),
               REAL()])])
def item_differences_rule(ct, out, p, q):
    """out = p - q"""
    return ct, sequence_like(scaled_items(-1.0, ct), q)


@rule(sequence_like, tangent="linear", kind=unknown,
      samples=[sample([REAL(), REAL()], np.ones(2)), sample(REAL(3), [1.0, 2.0, 3.0])])
def sequence_like_rule(ct, out, values, items):
    """out = the values as an array or list"""
    return sequence_like(ct, values)


# --- built-in functions -----------------------------------------------------------------------------

@on_numbers(float, tangent="linear", selects=(0,), real="always", samples=at(REAL))
def float_(ct, out, x):
    """out = x"""
    return ct


@on_numbers(complex, tangent="linear", kind=returns(kinds.Num("pycomplex", (), False)), samples=at(REAL, REAL) + at(COMPLEX))
def complex_(ct, out, real, imag=0.0):
    """out = real + i imag"""
    return ct, -1.0j * ct


describe(np.float64, selects=(0,))


@rule(np.float64, np.float32, np.longdouble, np.complex128, np.complex64, tangent="linear", elementwise=True,
      samples=[sample(np.zeros(2)), sample(0.0), sample([0.0,
               0.0])])       # 0: float32 can show the difference there
def cast(ct, out, x):
    """out = x, in some precision"""
    if ndim(x) is not None:
        return ct
    return cast_back(ct, x, np.float64)


rule(divmod, elementwise=True, singular="pole", kind=elementwise.pair_kind(operator.floordiv, operator.mod),
     samples=at(REAL, NONZERO) + [(REAL, NONZERO)])(elementwise.divmod_)


def sum_kind(iterable, start=None):
    """That of nothing is the integer 0, with which every sum begins."""
    add = results.elementwise(operator.add)
    if isinstance(iterable, kinds.Tup) and iterable.items and start is None:
        return functools.reduce(add, iterable.items, kinds.INT)
    if isinstance(iterable, kinds.Num) and iterable.dims and start is None:
        return add(kinds.INT, kinds.Num(iterable.dtype, iterable.dims[1:], len(iterable.dims) > 1))
    item = kinds.as_num(iterable.item or kinds.INT) if isinstance(iterable, kinds.Lst) else None     # (of nothing: 0)
    if isinstance(item, kinds.Num) and item.is_scalar:
        return add(kinds.INT, item) if start is None else kinds.ANY
    return kinds.NUMERIC if isinstance(item, kinds.Num) and (start is None or kinds.is_numeric(start)) else kinds.ANY


@rule(sum, tangent="linear", folds="+", result="may view", real="kept", kind=sum_kind,
      samples=[sample([REAL(), REAL(), REAL()]), sample([REAL(3), REAL(3)]), sample([REAL(2, 3), REAL(3),
               REAL()]),
               sample((REAL(), REAL())), sample(REAL(4)), sample(REAL(2, 3)), sample([REAL(), REAL()],
               REAL()),
               sample([REAL(), REAL()], REAL(3)), sample([COMPLEX(2), REAL(2)]), sample([]), sample(REAL(2,
               3), REAL(4, 3))])
def sum_(ct, out, iterable, start=0):
    """out = start + the items one by one; they may broadcast"""
    return spread_over(ct, iterable), unbroadcast(ct, start)


def spread_kind(value, items, position=None):
    """Of numbers, a number each; what else there may be is not known."""
    value, item = kinds.as_num(value), kinds.as_num(items.item or kinds.ANY) if isinstance(items, kinds.Lst) else kinds.ANY
    known = all(isinstance(x, kinds.Num) and x.is_scalar and x.is_complex is False for x in (value, item))
    if not known:
        return kinds.ANY
    number = kinds.Num(value.dtype, (), False)
    return kinds.Lst(number if position is None else kinds.join(number, kinds.FLOAT))


@rule(spread_over, tangent="linear", order="other", kind=spread_kind,
      samples=[sample(REAL(), [1.0, 2.0]), sample(REAL(2, 3), [np.ones(3), 1.0]), sample(REAL(3), np.ones((2,
               3))),
               sample(REAL(4, 3), np.ones((2, 3))), sample(REAL(), [])])
def spread_over_rule(ct, out, value, items):
    """out = value for each item"""
    return gather_items(ct, value)


@rule(gather_items, tangent="linear", kind=unknown,
      samples=[sample([REAL(), REAL()], 1.0), sample([REAL(3), REAL()], np.ones((2, 3))), sample(REAL(2, 3),
               np.ones(3))])
def gather_items_rule(ct, out, items, value):
    """out = the sum of the items in the shape of value"""
    return spread_over(ct, items)


def extreme_kind(*args):
    if len(args) == 1:
        items = args[0]
        if isinstance(items, kinds.Num) and items.ndim == 1:
            return kinds.Num(items.dtype, (), False)
        return items.item if isinstance(items, kinds.Lst) and items.item else kinds.ANY
    return functools.reduce(kinds.join, args)


@rule(max, operation="max", drops="chosen", result="may view", real="kept", kind=extreme_kind,
      samples=at(REAL, REAL) + at(REAL, REAL, REAL) + [sample(DISTINCT(4)), sample([REAL(), REAL(), REAL()]),
                                                      sample((REAL(), REAL())), sample(REAL(), 0.0)])
def max_(ct, out, *args):
    """out = the first of the greatest numbers"""
    if len(args) == 1:
        return [at_position(ct, args[0], first_position(args[0], out))]
    if len(args) == 2:
        return [selected(ct, args[0] >= args[1]), selected(ct, args[0] < args[1])]
    return at_position(ct, args, first_position(args, out))


@rule(min, operation="min", drops="chosen", result="may view", real="kept", kind=extreme_kind,
      samples=at(REAL, REAL) + at(REAL, REAL, REAL) + [sample(DISTINCT(4)), sample([REAL(), REAL(), REAL()]),
                                                      sample((REAL(), REAL())), sample(REAL(), 0.0)])
def min_(ct, out, *args):
    """out = the first of the smallest numbers"""
    if len(args) == 1:
        return [at_position(ct, args[0], first_position(args[0], out))]
    if len(args) == 2:
        return [selected(ct, args[0] <= args[1]), selected(ct, args[0] > args[1])]
    return at_position(ct, args, first_position(args, out))


@jvp(max)
def max_tangent(dot, out, *args):
    """The tangent of the first of the greatest numbers"""
    if len(args) == 1:
        return [item_at(dot, first_position(args[0], out))]
    if len(args) == 2:
        return [selected(dot, args[0] >= args[1]), selected(dot, args[0] < args[1])]
    return NotImplemented


@jvp(min)
def min_tangent(dot, out, *args):
    """The tangent of the first of the smallest numbers"""
    if len(args) == 1:
        return [item_at(dot, first_position(args[0], out))]
    if len(args) == 2:
        return [selected(dot, args[0] <= args[1]), selected(dot, args[0] > args[1])]
    return NotImplemented


@rule(at_position, tangent="linear", kind=spread_kind, samples=[sample(REAL(), [1.0, 2.0], 1), sample(REAL(), np.ones(3), 2)])
def at_position_rule(ct, out, value, items, position):
    """out = zeros with the value at one position"""
    return item_at(ct, position)

AT_ONE = [sample(COMPLEX())]
on_complex = functools.partial(rule, elementwise=True, samples=AT_ONE,
                               kind=lambda *args: kinds.Num("pycomplex", (), False))


as_of_numpy(on_complex, cmath, "exp log10 sqrt sin cos tan sinh cosh tanh", AT_ONE)


@on_complex(cmath.log, singular="pole", samples=[*AT_ONE, sample(COMPLEX(), COMPLEX())])
def complex_log(ct, out, z, base=None):
    """out = ln(z) / ln(base)"""
    if base is None:
        return ct / conj(z)
    scaled = ct / cmath.log(conj(base))
    return scaled / conj(z), -scaled * conj(out) / conj(base)


@on_complex(cmath.phase, singular=True, kind=lambda z: kinds.FLOAT)
def phase(ct, out, z):
    """out = arctan2(imag, real)"""
    return 1.0j * ct / conj(z)


@jvp(cmath.phase)
def phase_tangent(dot, out, z):
    """The tangent of the angle of z is Im(dz / z)"""
    return (dot / z).imag


jvp(divmod)(elementwise.divmod_tangent)
jvp(math.atan2)(trigonometric.arctan2_tangent)
jvp(math.frexp)(elementwise.frexp_tangent)
jvp(math.modf)(elementwise.modf_tangent)
