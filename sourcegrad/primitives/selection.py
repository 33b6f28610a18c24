"""Rules of functions that select: maximum, clip, where, replacement of NaN, tables, phases, items by indices and masks."""
from __future__ import annotations

import functools

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import ANY, Const, Kind, Lst, Num, Tup, as_num, broadcast, common, results
from sourcegrad.kinds.results import (
    INDEX,
    array_or_scalar,
    axes_of,
    dims_of,
    elements,
    fresh,
    leaf,
    lenient,
    promoted,
    real_like,
    value,
)
from sourcegrad.primitives import shapes
from sourcegrad.primitives.adjoint_kinds import guarded_kind
from sourcegrad.primitives.core import (
    COMPLEX,
    DISTINCT,
    POSITIVE,
    REAL,
    UNIT,
    Domain,
    conj,
    describe,
    is_complex,
    jvp,
    ndim,
    rule,
    sample,
)
from sourcegrad.primitives.shapes import ravel_kind, resize_axis_kind
from sourcegrad.runtime import broadcast_like, choose_parts, one_of_equals, scatter_add, scatter_along, unsort
from sourcegrad.runtime.core import index_add, unbroadcast, zeros_like
from sourcegrad.runtime.elementwise import finite_part, greater_part, interval_of, selected, selected_shares, tie_part, unselected

# --- selection ------------------------------------------------------------------------------------------

@lenient
def take_kind(a: Kind, indices: Kind, axis: Kind = Const(None), **others: Kind) -> Kind:
    model, picked = leaf(a), dims_of(leaf(indices))
    if axis == Const(None):
        return value(model.dtype, picked)
    dims = dims_of(model)
    (place,) = axes_of(axis, len(dims))
    return value(model.dtype, dims[:place] + picked + dims[place + 1:])


def take_along_axis_kind(arr: Kind, indices: Kind, axis: Kind = Const(-1)) -> Kind:
    model, picked = leaf(arr), leaf(indices).dims
    if axis == Const(None) or picked is None:
        return array_or_scalar(model.dtype, picked)
    (place,) = axes_of(axis, len(picked))
    if model.dims is None:                                    # both are broadcast
        return array_or_scalar(model.dtype, tuple(n if k == place else None for k, n in enumerate(picked)))
    wide = broadcast(tuple(1 if k == place else n for k, n in enumerate(model.dims)), picked)
    return array_or_scalar(model.dtype, wide)


def sort_kind(a: Kind, axis: Kind = Const(-1), *args: Kind, **others: Kind) -> Kind:
    return ravel_kind(a) if axis == Const(None) else leaf(a)


def argsort_kind(a: Kind, axis: Kind = Const(-1), *args: Kind, **others: Kind) -> Kind:
    model = sort_kind(a, axis)
    return array_or_scalar(INDEX, ((1,) if model.dims == () else model.dims) if isinstance(model, Num) else None)


def positions_kind(*args: Kind, **options: Kind) -> Kind:
    """One-dimensional integers."""
    return array_or_scalar(INDEX, (None,))


def nonzero_kind(a: Kind) -> Kind:
    dims = dims_of(leaf(a))
    return Tup((array_or_scalar(INDEX, (None,)),) * max(len(dims), 1))


def index_pair_kind(*args: Kind, **options: Kind) -> Kind:
    """The row and the column numbers of entries of a matrix (tril_indices, ...)."""
    return Tup((array_or_scalar(INDEX, (None,)),) * 2)


def searchsorted_kind(a: Kind, v: Kind, *args: Kind, **options: Kind) -> Kind:
    return value(INDEX, leaf(v).dims)


def choose_kind(a: Kind, choices: Kind, *_: Kind, **__: Kind) -> Kind:
    count, items = elements(choices)
    dims = broadcast(leaf(a).dims, *(item.dims for item in items))
    return value(promoted(items), dims)


def choose_parts_kind(ct: Kind, a: Kind, choices: Kind, *_: Kind, **__: Kind) -> Kind:
    """A list of parts shaped as the choices; one array where they are the rows of an array."""
    given = as_num(ct)
    model = as_num(choices)
    if isinstance(model, Num):
        return Num(None, model.dims, True) if model.boxed else ANY
    dtype = given.dtype if isinstance(given, Num) and given.dtype in ("float64", "complex128") else None
    parts = choices.items if isinstance(choices, Tup) else [choices.item] if isinstance(choices, Lst) else []
    shapes = [as_num(part) for part in parts if part is not None]
    return Lst(common(Num(real_like(dtype, part), part.dims, True if part.dims else None) if isinstance(part, Num) else ANY
                      for part in shapes))

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
        return nonzero_kind(condition)
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

@rule(selected, drops="chosen", result="new", real="kept",
      elementwise=True, kind=lambda ct, condition: guarded_kind(condition, ct), samples=[sample(REAL(3), MASK)])
def selected_rule(ct, out, cotangent, condition):
    """out = cotangent where the condition holds, else 0"""
    return selected(ct, condition)


@rule(greater_part, drops="chosen", result="new", real="kept", elementwise=True, samples=[sample(REAL(3), MASK * 1.0, 1.0)],
      kind=lambda ct, x, y: guarded_kind(results.elementwise(np.maximum)(x, y), ct))
def greater_part_rule(ct, out, cotangent, x, y):
    """out = the part of the cotangent that goes to x in max(x, y)"""
    return greater_part(ct, x, y)


@rule(tie_part, drops="chosen", result="new", real="kept", elementwise=True,
      samples=[sample(REAL(3), MASK, ~MASK), sample(REAL(3), MASK, MASK)],
      kind=lambda ct, wins, rival: guarded_kind(results.elementwise(np.logical_and)(wins, rival), ct))
def tie_part_rule(ct, out, cotangent, wins, rival_wins):
    """out = the part of the cotangent where `wins` is true, half of it where both are"""
    return tie_part(ct, wins, rival_wins)


# --- extremes ---------------------------------------------------------------------------------------

@rule(np.maximum, operation="max", drops="chosen", elementwise=True, samples=[(REAL, REAL), (TIES, TIES), sample(REAL(2, 3), 0.0)])
def maximum(ct, out, x, y):
    """out = the greater of x and y; half to each at a tie"""
    return greater_part(ct, x, y), greater_part(ct, y, x)


@rule(np.minimum, operation="min", drops="chosen", elementwise=True, samples=[(REAL, REAL), (TIES, TIES), sample(REAL(2, 3), 0.0)])
def minimum(ct, out, x, y):
    """out = the smaller of x and y; half to each at a tie"""
    return greater_part(ct, y, x), greater_part(ct, x, y)


describe(np.fmax, operation="max")
describe(np.fmin, operation="min")


@rule(np.fmax, np.fmin, drops="chosen", elementwise=True,
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


@rule(np.clip, drops="chosen", real="kept", elementwise=True, kind=clip_kind,
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


@rule(np.where, tangent="linear", selects=(1, 2), drops="chosen", real="kept", elementwise=True, kind=where_kind,
      samples=[sample(MASK, REAL(3), REAL(3)), sample(MASK, REAL(2, 3), REAL()), sample(True, REAL(2),
               REAL(2)),
               sample(MASK, REAL(2, 1), 0.0), sample(MASK, 1.0, REAL(3)), sample(MASK, COMPLEX(3), REAL(3))])
def where(ct, out, condition, x=None, y=None):
    """out = x where the condition holds, else y"""
    if x is None:
        return None
    return None, np.where(condition, ct, 0.0), np.where(condition, 0.0, ct)


def select_kind(condlist, choicelist, default=kinds.Const(0)):
    """The array that has the shape of all conditions and choices."""
    condition, choice = (kinds.common(x.items) if isinstance(x, kinds.Tup) else x.item if isinstance(x, kinds.Lst) else None
                         for x in (condlist, choicelist))
    return kinds.ANY if condition is None or choice is None else where_kind(condition, choice, default)


@rule(np.select, tangent="linear", drops="chosen", kind=select_kind,
      samples=[sample(CONDITIONS, [REAL(3), REAL(3)]), sample(CONDITIONS, [REAL(3), REAL()], REAL(3)),
               sample(CONDITIONS, [REAL(2, 3), REAL(3)], REAL())])
def select(ct, out, condlist, choicelist, default=0):
    """out = the first choice whose condition holds, else the default"""
    return None, selected_shares(ct, condlist, choicelist), unbroadcast(unselected(ct, condlist), default)


@rule(selected_shares, tangent="linear", kind=lambda *args: kinds.ANY,
      samples=[sample(REAL(3), CONDITIONS, [REAL(3), REAL(3)]), sample(REAL(2, 3), CONDITIONS, [REAL(3),
               REAL()])])
def selected_shares_rule(ct, out, value, condlist, choicelist):
    """out = the parts of `value` that each choice took, summed to the shape of the choice"""
    return unbroadcast(np.select(condlist, ct), value)


@rule(unselected, tangent="linear", kind=same_kind, samples=[sample(REAL(3), CONDITIONS), sample(REAL(2, 3), CONDITIONS)])
def unselected_rule(ct, out, value, condlist):
    """out = `value` where no condition holds, else 0"""
    return unselected(ct, condlist)


@rule(np.nan_to_num, drops="weighted", nan_aware=True, unless=("copy", 1), elementwise=True,
      samples=[(REAL,), (COMPLEX,), sample(REAL(3), nan=1.0, posinf=2.0)])
def nan_to_num(ct, out, x, copy=True, nan=0.0, posinf=None, neginf=None):
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

@rule(np.interp, real="kept", kind=interp_kind, singular=True,
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



# --- selection ------------------------------------------------------------------------------------------

@rule(np.take, tangent="linear", selects=(0,), drops="chosen", real="kept", kind=take_kind, samples=[
    sample(REAL(4), 1), sample(REAL(4), [0, 0, -1]), sample(REAL(2, 3), [5, 0]),
    sample(REAL(2, 3), [[0, 1], [1, 1]], axis=0), sample(REAL(2, 3), 2, axis=1),
    sample(REAL(2, 3, 4), [2, 0, 2], axis=-2), sample(REAL(3), [4, -5], mode="wrap"),
    sample(REAL(3), [4, -5], mode="clip"), sample(REAL(3), np.array([], int)), sample(COMPLEX(3), [1, 1])])
def take(ct, out, a, indices, axis=None, mode="raise"):
    if mode == "raise":
        return scatter_add(ct, a, indices, axis)
    return scatter_add(ct, a, indices, axis, mode)


@rule(np.take_along_axis, tangent="linear", kind=take_along_axis_kind, samples=[
    sample(REAL(4), np.array([0, 0, -1]), 0), sample(REAL(2, 3), np.array([[1], [1]]), axis=1),
    sample(REAL(2, 3), np.array([[1, 0, 1], [0, 0, 1]]), axis=0),
    sample(REAL(2, 3), np.array([5, 0, 5]), None), sample(REAL(2, 3), np.array([[2, 0]]), axis=-1),
    sample(REAL(1, 3), np.array([[2, 0], [1, 0]]), axis=1)])
def take_along_axis(ct, out, arr, indices, axis=-1):
    return scatter_along(ct, arr, indices, axis)


@rule(np.compress, tangent="linear", drops="chosen", kind=lambda condition, a, axis=Const(None), **others: resize_axis_kind(a,
      axis=axis), samples=[
    sample(MASK, REAL(3)), sample([0, 1], REAL(2, 3), axis=0), sample(MASK, REAL(2, 3), axis=1),
    sample(MASK, REAL(2, 3))])
def compress(ct, out, condition, a, axis=None):
    return None, scatter_add(ct, a, np.flatnonzero(condition), axis)


@rule(np.extract, tangent="linear", drops="chosen", kind=lambda condition, arr: resize_axis_kind(arr), samples=[
    sample(MASK, REAL(3)), sample(np.array([MASK, ~MASK]), REAL(2, 3))])
def extract(ct, out, condition, arr):
    return None, scatter_add(ct, arr, np.flatnonzero(condition))


@rule(np.choose, tangent="linear", drops="chosen", kind=choose_kind, samples=[
    sample(np.array([0, 1, 1]), [REAL(3), REAL(3)]), sample(np.array([[0], [1]]), [REAL(3), REAL()]),
    sample(1, [REAL(3), REAL(3)]), sample(np.array([2, -1]), [REAL(2), REAL(2)], mode="wrap"),
    sample(np.array([2, -1]), [REAL(2), REAL(2)], mode="clip"), sample(np.array([0, 1]), REAL(2, 2))])
def choose(ct, out, a, choices, mode="raise"):
    return None, choose_parts(ct, a, choices, mode)


def bincount_kind(x, weights=None, minlength=None):
    floats = weights is not None and weights != Const(None)
    return Num("float64" if floats else "int64", (None,), True)


@rule(np.bincount, tangent="linear", kind=bincount_kind, samples=[
    sample(np.array([0, 2, 2, 1]), REAL(4)), sample(np.array([0, 1]), REAL(2), 4), sample([1, 1], REAL(2), minlength=3)])
def bincount(ct, out, x, weights=None, minlength=0):
    """out[k] = the sum of the weights where x is k"""
    if weights is None:
        return None
    return None, np.take(ct, x)


@rule(one_of_equals, kind=lambda x, index, inverse, counts: take_kind(x, index), samples=[
    sample(REAL(3), np.array([2, 0, 1]), np.array([1, 2, 0]), np.array([1, 1, 1]))])
def one_of_equals_rule(ct, out, x, index, inverse, counts):
    """out = x[index]; each of n equal elements has 1/n of it"""
    return np.take(ct / counts, np.ravel(inverse))


# --- sorting --------------------------------------------------------------------------------------------

@rule(np.sort, real="kept", kind=sort_kind, samples=[
    sample(DISTINCT(5)), sample(DISTINCT(2, 3)), sample(DISTINCT(3, 2), axis=0),
    sample(DISTINCT(2, 3), axis=None), sample(DISTINCT(0))])
def sort(ct, out, a, axis=-1, kind=None):
    """Equal elements keep their order, as in PyTorch's stable sort."""
    if axis is None:
        return np.reshape(unsort(ct, np.argsort(a, axis=None, kind="stable"), 0), np.shape(a))
    return unsort(ct, np.argsort(a, axis=axis, kind="stable"), axis)


@jvp(np.sort)
def sort_tangent(dot, out, a, axis=-1, kind=None):
    """The tangents in the order of the elements."""
    if ndim(a) == 1:
        return dot[np.argsort(a, kind="stable")]
    if axis is None:
        return np.ravel(dot)[np.argsort(a, axis=None, kind="stable")]
    return np.take_along_axis(dot, np.argsort(a, axis=axis, kind="stable"), axis)


@rule(np.partition, kind=lambda a, kth, axis=Const(-1), *args, **others: sort_kind(a, axis), samples=[
    sample(DISTINCT(7), 3), sample(DISTINCT(2, 5), 1), sample(DISTINCT(5, 2), (1, 3), axis=0),
    sample(DISTINCT(2, 3), 2, axis=None)])
def partition(ct, out, a, kth, axis=-1, kind="introselect"):
    """Paired through the ranks: NumPy's argpartition need not permute as partition does."""
    if axis is None:
        ranked = np.take(ct, np.argsort(out, kind="stable"))
        return np.reshape(unsort(ranked, np.argsort(a, axis=None, kind="stable"), 0), np.shape(a))
    ranked = np.take_along_axis(ct, np.argsort(out, axis=axis, kind="stable"), axis)
    return unsort(ranked, np.argsort(a, axis=axis, kind="stable"), axis)


@rule(np.setdiff1d, kind=lambda ar1, ar2, assume_unique=Const(False): fresh(leaf(ar1).dtype, (None,)), samples=[
    sample(DISTINCT(5), np.array([7.5, -7.5])), sample(DISTINCT(2, 2), np.array([7.5])),
    sample(DISTINCT(3), np.array([7.5]), assume_unique=True)])
def setdiff1d(ct, out, ar1, ar2, assume_unique=False):
    """Of equal elements the first one counts."""
    order = np.argsort(ar1, axis=None, kind="stable")
    return scatter_add(ct, ar1, np.take(order, np.searchsorted(np.ravel(ar1), out, sorter=order))), None


# --- the helpers themselves -----------------------------------------------------------------------------

@rule(scatter_add, tangent="linear", kind=shapes.shaped_as(1), samples=[
    sample(REAL(3), np.zeros(4), [0, 0, -1]), sample(REAL(2, 2), np.zeros((2, 3)), [1, 1], 1),
    sample(REAL(), np.zeros(3), 1), sample(REAL(2), np.zeros(3), [4, 1], None, "wrap")])
def scatter_add_rule(ct, out, y, x, indices, axis=None, mode="raise"):
    return np.take(ct, indices, axis=axis, mode=mode)


@rule(scatter_along, tangent="linear", kind=shapes.shaped_as(1), samples=[
    sample(REAL(3), np.zeros(4), np.array([0, 0, -1])),
    sample(REAL(2, 1), np.zeros((2, 3)), np.array([[1], [1]]), 1),
    sample(REAL(2), np.zeros((2, 3)), np.array([5, 5]), None)])
def scatter_along_rule(ct, out, y, x, indices, axis=-1):
    return np.take_along_axis(ct, indices, axis)


@rule(unsort, tangent="linear", result="new", kind=shapes.shaped_as(0), samples=[
    sample(REAL(3), np.array([2, 0, 1])), sample(REAL(2, 2), np.array([[1, 0], [0, 1]]), 0)])
def unsort_rule(ct, out, y, order, axis=-1):
    return np.take_along_axis(ct, order, axis)


@rule(choose_parts, tangent="linear", kind=choose_parts_kind, samples=[sample(REAL(3), np.array([0, 1, 1]), [np.zeros(3), 1.0])])
def choose_parts_rule(ct, out, y, a, choices, mode="raise"):
    return broadcast_like(np.choose(a, ct, mode=mode), y)
