"""Rules of functions that select: maximum, clip, where, replacement of NaN, tables, phases."""
from __future__ import annotations

import functools

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import results
from sourcegrad.rules import shape_kinds
from sourcegrad.rules.adjoint_kinds import guarded_kind
from sourcegrad.rules.core import COMPLEX, DISTINCT, POSITIVE, REAL, UNIT, Domain, conj, is_complex, rule, sample
from sourcegrad.runtime.core import index_add, unbroadcast, zeros_like
from sourcegrad.runtime.elementwise import finite_part, greater_part, interval_of, selected, selected_shares, tie_part, unselected

TIES = Domain("TIES", lambda rng, shape: rng.integers(-1, 2, shape).astype(float))
NONFINITE = np.array([1.5, np.nan, np.inf, -np.inf, -0.5])
MASK = np.array([True, False, True])
CONDITIONS = [np.array([True, False, False]), np.array([True, True, False])]
KNOTS = np.array([-1.0, -0.2, 0.5, 1.3])


# --- kinds of results -------------------------------------------------------------------------------

def same_kind(x, *args, **options):
    """The result is like the first argument."""
    return kinds.as_num(x)


def where_kind(condition, x=None, y=None):
    if x is None:
        return shape_kinds.nonzero(condition)
    result = results.elementwise(np.where)(condition, x, y)
    return kinds.Num(result.dtype, result.dims, True) if isinstance(result, kinds.Num) else kinds.ANY


def clip_kind(a, a_min=None, a_max=None, *, min=None, max=None):
    bounds = [b for b in (a_min, a_max, min, max) if b is not None and b != kinds.Const(None)]
    first = kinds.as_num(a)
    if isinstance(first, kinds.Num) and first.dtype in kinds.EXAMPLES:            # becomes an array
        first = kinds.Num(np.asarray(kinds.EXAMPLES[first.dtype]).dtype.name, first.dims, True)
    result = functools.reduce(results.elementwise(np.maximum), bounds, first)
    return kinds.Num(result.dtype, (), False) if isinstance(result, kinds.Num) and result.dims == () else result


def interp_kind(x, xp, fp, *args, **options):
    x = kinds.as_num(x)
    if not isinstance(x, kinds.Num) or not isinstance(fp, kinds.Num) or fp.is_complex is not False:
        return kinds.ANY
    return kinds.Num("float64", x.dims, None if x.dims is None else x.dims != ())


def unwrap_kind(p, *args, **options):
    p = kinds.as_num(p)
    if not isinstance(p, kinds.Num):
        return kinds.ANY
    return kinds.Num(None if p.is_discrete or p.dtype in kinds.EXAMPLES else p.dtype, p.dims, p.boxed)


# --- what selections give back ------------------------------------------------------------------------

@rule(selected, elementwise=True, kind=lambda ct, condition: guarded_kind(condition, ct), samples=[sample(REAL(3), MASK)])
def selected_rule(ct, out, cotangent, condition):
    """out = cotangent where the condition holds, else 0"""
    return selected(ct, condition)


@rule(greater_part, elementwise=True, samples=[sample(REAL(3), MASK * 1.0, 1.0)],
      kind=lambda ct, x, y: guarded_kind(results.elementwise(np.maximum)(x, y), ct))
def greater_part_rule(ct, out, cotangent, x, y):
    """out = the part of the cotangent that goes to x in max(x, y)"""
    return greater_part(ct, x, y)


@rule(tie_part, elementwise=True, samples=[sample(REAL(3), MASK, ~MASK), sample(REAL(3), MASK, MASK)],
      kind=lambda ct, wins, rival: guarded_kind(results.elementwise(np.logical_and)(wins, rival), ct))
def tie_part_rule(ct, out, cotangent, wins, rival_wins):
    """out = the part of the cotangent where `wins` is true, half of it where both are"""
    return tie_part(ct, wins, rival_wins)


# --- extremes ---------------------------------------------------------------------------------------

@rule(np.maximum, elementwise=True, samples=[(REAL, REAL), (TIES, TIES), sample(REAL(2, 3), 0.0)])
def maximum(ct, out, x, y):
    """out = the greater of x and y; half to each at a tie"""
    return greater_part(ct, x, y), greater_part(ct, y, x)


@rule(np.minimum, elementwise=True, samples=[(REAL, REAL), (TIES, TIES), sample(REAL(2, 3), 0.0)])
def minimum(ct, out, x, y):
    """out = the smaller of x and y; half to each at a tie"""
    return greater_part(ct, y, x), greater_part(ct, x, y)


@rule(np.fmax, np.fmin, elementwise=True,
      samples=[(REAL, REAL), (TIES, TIES), sample(np.full(3, np.nan), REAL(3))])
def fmax(ct, out, x, y):
    """out = x or y, whichever is greater (or smaller), or not NaN; half to each at a tie"""
    from_x = x == out
    from_y = y == out
    return tie_part(ct, from_x, from_y), tie_part(ct, from_y, from_x)


KEYWORD_BOUNDS = [sample(REAL(3), min=-0.5, max=0.7), sample(REAL(3), max=0.7)]
CLIPS = [sample(REAL(3, 4), -0.5, 0.7), sample(REAL(3), None, 0.7), sample(REAL(3), -0.5, None),
         sample(REAL(), -1.0, 1.0), sample(REAL(2, 3), UNIT(3), None), sample(REAL(2, 3), None, UNIT()),
         (REAL, UNIT, POSITIVE), (REAL, REAL, REAL)]


@rule(np.clip, elementwise=True, kind=clip_kind,
      samples=CLIPS + (KEYWORD_BOUNDS if np.lib.NumpyVersion(np.__version__) >= "2.1.0" else []))
def clip(ct, out, a, a_min=None, a_max=None, *, min=None, max=None):
    """out = minimum(maximum(a, lower), upper); at a bound the gradient goes to `a`, outside to the bound"""
    lower = a_min if min is None else min
    upper = a_max if max is None else max
    if lower is None and upper is None:
        return ct
    if lower is None:
        by_upper = selected(ct, a > upper)
        return selected(ct, a <= upper), None, by_upper, None, by_upper
    if upper is None:
        by_lower = selected(ct, a < lower)
        return selected(ct, a >= lower), by_lower, None, by_lower
    below = selected(ct, (a < lower) & (lower < upper))
    above = selected(ct, (a > upper) | (lower > upper))
    return selected(ct, (a >= lower) & (a <= upper)), below, above, below, above


@rule(np.where, elementwise=True, kind=where_kind,
      samples=[sample(MASK, REAL(3), REAL(3)), sample(MASK, REAL(2, 3), REAL()), sample(True, REAL(2),
               REAL(2)),
               sample(MASK, REAL(2, 1), 0.0), sample(MASK, 1.0, REAL(3)), sample(MASK, COMPLEX(3), REAL(3))])
def where(ct, out, condition, x=None, y=None):
    """out = x where the condition holds, else y"""
    if x is None:
        return None
    return None, np.where(condition, ct, 0.0), np.where(condition, 0.0, ct)


@rule(np.select, kind=lambda *args, **options: kinds.ANY,
      samples=[sample(CONDITIONS, [REAL(3), REAL(3)]), sample(CONDITIONS, [REAL(3), REAL()], REAL(3)),
               sample(CONDITIONS, [REAL(2, 3), REAL(3)], REAL())])
def select(ct, out, condlist, choicelist, default=0):
    """out = the first choice whose condition holds, else the default"""
    return None, selected_shares(ct, condlist, choicelist), unbroadcast(unselected(ct, condlist), default)


@rule(selected_shares, kind=lambda *args: kinds.ANY,
      samples=[sample(REAL(3), CONDITIONS, [REAL(3), REAL(3)]), sample(REAL(2, 3), CONDITIONS, [REAL(3),
               REAL()])])
def selected_shares_rule(ct, out, value, condlist, choicelist):
    """out = the parts of `value` that each choice took, summed to the shape of the choice"""
    return unbroadcast(np.select(condlist, ct), value)


@rule(unselected, kind=same_kind, samples=[sample(REAL(3), CONDITIONS), sample(REAL(2, 3), CONDITIONS)])
def unselected_rule(ct, out, value, condlist):
    """out = `value` where no condition holds, else 0"""
    return unselected(ct, condlist)


@rule(np.nan_to_num, elementwise=True,
      samples=[(REAL,), (COMPLEX,), sample(REAL(3), nan=1.0, posinf=2.0)])
def nan_to_num(ct, out, x, *, nan=0.0, posinf=None, neginf=None):
    """out = x with constants in place of NaN and infinities"""
    if is_complex(x) is False:
        return np.where(np.isfinite(x), ct, 0.0)
    return finite_part(ct, x)


@rule(finite_part, elementwise=True, kind=same_kind,
      samples=[sample(REAL(5), NONFINITE), sample(COMPLEX(2), np.array([complex(np.inf, 1.0), complex(2.0,
               np.nan)]))])
def finite_part_rule(ct, out, value, x):
    """out = value where x is finite, else 0"""
    return finite_part(ct, x)


# --- tables and phases ------------------------------------------------------------------------------

@rule(np.interp, kind=interp_kind, singular=True,
      samples=[sample(REAL(2, 3), KNOTS, REAL(4)), sample(REAL(), KNOTS, REAL(4)), sample(UNIT(5), KNOTS,
               REAL(4), 0.0, 1.0),
               sample(REAL(8), KNOTS, REAL(4), REAL()), sample(REAL(8), KNOTS, REAL(4), right=0.0),
               sample(REAL(8), KNOTS, REAL(4), REAL(), REAL()), sample(REAL(8), KNOTS, REAL(4), None, REAL()),
               sample(REAL(0), KNOTS, REAL(4))])
def interp(ct, out, x, xp, fp, left=None, right=None):
    """out = the piecewise linear function through the points (xp, fp), constant outside"""
    k = interval_of(x, xp)
    start = np.take(xp, k)
    width = np.take(xp, k + 1) - start
    slope = (np.take(fp, k + 1) - np.take(fp, k)) / width
    after = x > xp[-1]
    before = x < xp[0]
    if left is None and right is None:
        weight = ct
    elif right is None:
        weight = np.where(before, 0.0, ct)
    elif left is None:
        weight = np.where(after, 0.0, ct)
    else:
        weight = np.where(before | after, 0.0, ct)
    upper = np.clip((x - start) / width, 0.0, 1.0)
    by_x = np.where(before | after, 0.0, ct * conj(slope))
    by_xp = index_add(index_add(zeros_like(xp), k, (upper - 1.0) * by_x), k + 1, -upper * by_x)
    by_fp = index_add(index_add(zeros_like(fp), k, (1.0 - upper) * weight), k + 1, upper * weight)
    if left is None and right is None:
        return by_x, by_xp, by_fp
    if right is None:
        return by_x, by_xp, by_fp, np.sum(np.where(before, ct, 0.0))
    if left is None:
        return by_x, by_xp, by_fp, None, np.sum(np.where(after, ct, 0.0))
    return by_x, by_xp, by_fp, np.sum(np.where(before, ct, 0.0)), np.sum(np.where(after, ct, 0.0))


@rule(np.unwrap, kind=unwrap_kind,
      samples=[sample(DISTINCT(6)), sample(DISTINCT(2, 4), axis=0), sample(REAL(4), period=2.5)])
def unwrap(ct, out, p, discont=None, axis=-1, *, period=2 * np.pi):
    """out = p plus whole periods"""
    return ct
