"""Rules of the helpers in `runtime.core`, which sum, place and guard adjoints."""
from __future__ import annotations

import dataclasses
import functools

import numpy as np

from sourcegrad import kinds, runtime
from sourcegrad.kinds import ANY, Dct, Kind, Lst, Map, Num, Tup, as_num, join
from sourcegrad.primitives.adjoint_kinds import (
    AS_ARRAY,
    added_kind,
    adjoint_kind,
    cotangent_kind,
    gradient_kind,
    guarded_kind,
    in_container,
    sum_kind,
    tangent_kind,
    zeros_kind,
)
from sourcegrad.primitives.core import (
    COMPLEX,
    REAL,
    declare,
    describe,
    hold_alike,
    is_complex,
    is_narrow,
    is_sequence,
    jvp,
    ndim,
    nondifferentiable,
    rule,
    sample,
)
from sourcegrad.runtime.core import (
    add,
    as_gradient,
    broadcast_like,
    check_cotangent,
    check_places,
    guard,
    guard_steep,
    guarded_inside,
    index_add,
    index_set,
    is_basic,
    item_at,
    items_part,
    laid_out_as,
    last_writes,
    ones_like_output,
    operand_part,
    own,
    read_once,
    renewed,
    sequence,
    spread_at,
    unbroadcast,
    unbroadcast_to,
    zero_of_item,
    zeros_if_given,
    zeros_like,
)
from sourcegrad.runtime.shapes import cast_back
from sourcegrad.runtime.sharing import (
    check_apart,
    check_array,
    check_dense,
    check_overlap,
    check_some,
    check_store,
    evaluated,
    same_memory,
    trap,
)
from sourcegrad.runtime.tangents import zero_tangent

REAL_PART: dict[str | None, str] = {"complex64": "float32", "complex128": "float64", "pycomplex": "float64"}
SINGLE: dict[str | None, str] = {"float16": "float16", "float32": "float32", "complex64": "float32"}
MASK = np.array([True, False, True, True])


# --- kinds of results -------------------------------------------------------------------------------

def shaped_like_second(value: Kind, x: Kind) -> Kind:
    """The dtype of `value` in the shape of `x`."""
    value, x = as_num(value), as_num(x)
    if not isinstance(value, Num) or not isinstance(x, Num):
        return ANY
    if x.dims:
        python = value.dtype == "pyfloat" and x.is_discrete is False and x.dtype
        return Num(x.dtype if python else AS_ARRAY.get(value.dtype, value.dtype), x.dims, True)
    scalar = x.dims == () and value.is_scalar
    return Num(value.dtype if scalar or value.dtype not in AS_ARRAY else None, x.dims, False if scalar else None)


def broadcast_like_kind(value: Kind, x: Kind) -> Kind:
    """As above, but a Python float adopts the precision of `x`."""
    result = shaped_like_second(value, x)
    given, number = as_num(value), as_num(x)
    if isinstance(result, Num) and isinstance(given, Num) and given.dtype == "pyfloat" and isinstance(number, Num) and number.dims:
        return Num(SINGLE.get(number.dtype, "float64") if number.dtype else None, result.dims, True)
    return result


def unbroadcast_kind(value: Kind, x: Kind) -> Kind:
    if isinstance(value, Dct):
        return value
    if isinstance(x, (Lst, Tup)) and isinstance(value, Num):
        return in_container(functools.partial(unbroadcast_kind, ANY), x)
    result = shaped_like_second(value, x)
    number = as_num(x)
    if not isinstance(result, Num) and isinstance(number, Num) and number.is_complex is False:      # it gets the shape of x
        return Num(None, number.dims, True if number.dims else None, real=True)
    if not isinstance(result, Num) or not isinstance(number, Num) or number.is_complex:
        return result
    known = result.is_complex is False or number.is_complex is False
    return Num(REAL_PART.get(result.dtype, result.dtype) if known else None, result.dims, result.boxed)


def same_array(base: Kind, index: Kind, value: Kind) -> Kind:
    if isinstance(base, Num) and base.boxed:
        return Num(base.dtype, base.dims, True)
    if isinstance(base, (Dct, Map)):
        return added_kind(base, index, as_num(value))
    if isinstance(base, Tup) and isinstance(index, kinds.Const) and isinstance(index.value, int) and index.value < len(base.items):
        items = list(base.items)
        items[index.value] = sum_kind(items[index.value], as_num(value))
        return Tup(tuple(items))
    if isinstance(base, Lst):
        value = as_num(value)
        if base.item is None or kinds.is_numeric(base.item):
            return base
        place = as_num(index)
        if isinstance(place, Num) and place.is_scalar:
            return Lst(join(base.item, sum_kind(base.item, value)))
        return base if isinstance(value, Num) and value.is_complex is False else Lst(ANY)        # a path leads anywhere
    return ANY


def sequence_kind(iterable: Kind) -> Kind:
    indexable = isinstance(iterable, (Tup, Lst)) or isinstance(iterable, Num) and iterable.boxed
    return iterable if indexable else ANY


# --- rules ------------------------------------------------------------------------------------------

@rule(unbroadcast, tangent="linear", shaped=1, real="kept", kind=unbroadcast_kind,
      samples=[sample(REAL(2, 3), np.ones(3)), sample(REAL(2, 3), 1.0), sample(REAL(2, 3), np.ones((2, 1))),
               sample(REAL(4, 2, 3), np.ones((1, 3))), sample(REAL(3), np.ones(3)), sample(REAL(),
               np.ones(3)),
               sample(REAL(3), np.ones((2, 3))), sample(REAL(2, 1), np.ones((2, 3))), sample(REAL(0, 3),
               np.ones(3)),
               sample(COMPLEX(2, 3), np.ones(3)), sample(COMPLEX(2, 3), 1.0j), sample(REAL(), 1.0)])
def unbroadcast_rule(ct, out, value, x):
    """Sums are broadcast back, and broadcasts summed: the same function the other way; out is real if x is."""
    if is_complex(x) is None and is_complex(value) is not False:
        return unbroadcast(unbroadcast(ct, out), value)
    return unbroadcast(ct, value)


@rule(unbroadcast_to, tangent="linear", shaped=1, real="kept",
      kind=lambda value, shape: Num(value.dtype) if isinstance(value, Num) else ANY,
      samples=[sample(REAL(2, 3), (3,)), sample(REAL(2, 3), (2, 1)), sample(REAL(3), (3,)), sample(REAL(4, 2, 3), (1, 3))])
def unbroadcast_to_rule(ct, out, value, shape):
    """As above."""
    return unbroadcast(ct, value)


@rule(operand_part, tangent="linear", shaped=1, kind=unbroadcast_kind,
      samples=[sample(REAL(2, 3), np.ones(3)), sample(REAL(2, 3), 1.0)])
def operand_part_rule(ct, out, value, x):
    if is_complex(x) is None and is_complex(value) is not False:
        return unbroadcast(unbroadcast(ct, out), value)
    return unbroadcast(ct, value)


@rule(broadcast_like, tangent="linear", selects=(0,), read_only=True, shaped=1, real="kept", kind=broadcast_like_kind,
      samples=[sample(REAL(3), np.ones((2, 3))), sample(REAL(), np.ones(3)), sample(REAL(2, 1), np.ones((2,
               3))),
               sample(COMPLEX(3), np.ones((2, 3))), sample(REAL(3), np.ones(3)), sample(REAL(), 1.0)])
def broadcast_like_rule(ct, out, value, x):
    """out = value in the shape of x"""
    return unbroadcast(ct, value)


nondifferentiable(trap, check_places, same_memory, check_overlap, check_apart, check_dense, check_array, check_some, check_store,
                  evaluated, runtime.made_for, effect="checks", kind=lambda *args: kinds.Const(None))
describe(runtime.index_store, runtime.index_update, mutates="place")
describe(sequence, iterates=True)
declare("with_shape", {unbroadcast: unbroadcast_to, broadcast_like: np.broadcast_to})
declare("in_place", {index_set: runtime.store_at, index_add: runtime.add_to, add: runtime.sum_into})
nondifferentiable(zero_tangent, shaped=0, result="new", real="kept", kind=tangent_kind)
nondifferentiable(zeros_like, shaped=0, result="new", real="kept", kind=zeros_kind)
nondifferentiable(zero_of_item, result="new", real="kept",
                  kind=lambda base, index: zeros_kind(part_kind(base, base, index)) if isinstance(base, Lst) else ANY)
nondifferentiable(zeros_if_given, result="new", kind=lambda x: kinds.Num(x.dtype) if isinstance(x, kinds.Num) else kinds.ANY)
nondifferentiable(is_basic, kind=lambda index: kinds.BOOL)


@rule(add, tangent="linear", writes="items", puts=(1,), real="kept", kind=sum_kind,
      samples=[sample(REAL(2, 3), REAL(2, 3)), sample(REAL(), REAL()), sample([REAL(3), REAL()], [REAL(3),
               REAL()]),
               sample((REAL(3), [REAL(), REAL(2)]), (REAL(3), [REAL(), REAL(2)]))])
def add_rule(ct, out, a, b):
    """out = a + b, adjoints of one value and so of one shape"""
    return ct, ct


DOUBLE = {"pyfloat", "float64"}


def with_added(base: Kind, index: Kind, value: Kind) -> Kind:
    """The kind of an array or list to which something is added, perhaps complex numbers, or of another dtype (to a list)."""
    kind, part = same_array(base, index, value), as_num(value)
    if isinstance(kind, Lst) and isinstance(kind.item, Num) and isinstance(part, Num) and {kind.item.dtype, part.dtype} <= DOUBLE:
        kind = Lst(dataclasses.replace(kind.item, dtype="float64" if part.dtype == "float64" else kind.item.dtype))
    elif isinstance(kind, Lst) and not (isinstance(part, Num) and isinstance(kind.item, Num) and part.dtype == kind.item.dtype):
        kind = adjoint_kind(kind)
    item = as_num(kind.item or ANY) if isinstance(kind, Lst) else kind
    if isinstance(item, Num) and not item.is_complex and (not isinstance(part, Num) or part.is_complex is not False):
        item = Num(None, item.dims, item.boxed)
        return Lst(item) if isinstance(kind, Lst) else item
    return kind


@rule(index_add, tangent="linear", linear=True, result="new", writes="values", puts=(2,), real="kept", kind=with_added,
      samples=[sample(REAL(4), 1, REAL()), sample(REAL(3, 4), (slice(None), 1), REAL(3)), sample(REAL(3, 4),
               0, REAL()),
               sample(REAL(4), np.array([0, 0, 2]), REAL(3)), sample(REAL(4), MASK, REAL(3)), sample(REAL(3,
               4), (0, 1), REAL()),
               sample(REAL(4), slice(0, 0), REAL(0)), sample([REAL(3), REAL(3)], 1, REAL(3)),
               sample(COMPLEX(3), 1, REAL())])
def index_add_rule(ct, out, base, index, value):
    """out = base, with value added at the index"""
    return ct, None, unbroadcast(item_at(ct, index), value)


@rule(item_at, tangent="linear", takes=True, real="kept",
      kind=lambda x, index: part_kind(x, x, index) if isinstance(x, Lst) else ANY,
      samples=[sample(REAL(4), -1), sample(REAL(3, 4), (slice(None, None, -1), 1)), sample(REAL(4),
               np.array([0, 0, 2])),
               sample(REAL(4), MASK), sample(REAL(3, 4), (Ellipsis, None, slice(1, 3))), sample([REAL(3),
               REAL()], 0),
               sample((REAL(), REAL()), 1), sample([REAL(), REAL(), REAL()], slice(0, 2)), sample(COMPLEX(3),
               1)])
def item_at_rule(ct, out, x, index):
    """out = x[index]"""
    return (index_add(zeros_like(x), index, ct),)        # in a tuple, as the contribution may be one


@rule(sequence, tangent="linear", kind=sequence_kind,
      samples=[sample([REAL(), REAL()]), sample((REAL(3), REAL())), sample(REAL(3))])
def sequence_rule(ct, out, iterable):
    """out = the same items"""
    return (ct if is_sequence(iterable) else items_part(ct, iterable),)


@rule(read_once, tangent="linear", kind=lambda items, early=None: items)
def read_once_rule(ct, out, items, early=False):
    """out = items"""
    return (ct,)


@rule(items_part, tangent="linear", samples=[sample([REAL(), REAL()], [REAL(), REAL()])],
      kind=lambda ct, iterable: ct if isinstance(iterable, (kinds.Lst, kinds.Tup, kinds.Num)) else kinds.ANY)
def items_part_rule(ct, out, cotangent, iterable):
    """out = cotangent, or zero of a dict"""
    return (ct if is_sequence(iterable) else items_part(ct, iterable),)


# --- the ends of a gradient ---------------------------------------------------------------------------

@rule(check_cotangent, tangent="linear", read_only=True, kind=cotangent_kind)
def checked(ct, out, grad_outputs, value):
    """out = grad_outputs"""
    return ct


@rule(guard, tangent="linear", drops="chosen", real="kept", kind=guarded_kind,
      samples=[sample(REAL(3), REAL(3)), sample(REAL(3), COMPLEX(3))])
def guarded(ct, out, cotangent, value):
    """out = value, which is a multiple of the cotangent; but zero where a cotangent of zero has made it NaN

    What is zero only because the cotangent is zero changes with the cotangent."""
    return None, guarded_inside(cotangent, value, ct)


@rule(guard_steep, tangent="linear", drops="chosen", real="kept", kind=guarded_kind,
      samples=[sample(REAL(3), REAL(3)), sample(REAL(3), COMPLEX(3))])
def guarded_steep(ct, out, cotangent, value):
    """out = value, which is a multiple of the cotangent; but zero where a cotangent of zero or infinity has made it NaN"""
    return None, guarded_inside(cotangent, value, ct)


@rule(guarded_inside, tangent="linear", drops="chosen", result="new", real="kept",
      kind=lambda cotangent, value, inner: guarded_kind(cotangent, inner),
      samples=[sample(REAL(3), COMPLEX(3), COMPLEX(3)), sample(REAL(3), REAL(3), REAL(3)),
               sample(np.array([0.0, 1.0]), REAL(2), REAL(2))])
def guarded_twice(ct, out, cotangent, value, inner):
    """out = inner where guard_steep(cotangent, value) keeps the value"""
    return None, None, guarded_inside(cotangent, value, ct)


@rule(as_gradient, tangent="linear", result="new", kind=gradient_kind, samples=[
    sample(REAL(3), np.zeros(3)), sample(REAL(), np.zeros(3)), sample(REAL(), 1.0), sample(COMPLEX(3), np.zeros(3)),
    sample([REAL(3), REAL()], [np.zeros(3), 1.0])])
def finished(ct, out, gradient, x):
    """out = gradient, with the shape, dtype and structure of x"""
    if is_narrow(x):
        return cast_back(unbroadcast(ct, gradient), gradient, float)
    return (unbroadcast(ct, gradient),)              # in a tuple, as the contribution may be one


@rule(index_set, tangent="linear", selects=(0, 2), linear=True, result="new", writes="values", puts=(2,), real="kept",
      kind=lambda base, index, value: stored_kind(base, value),
      samples=[sample(REAL(4), slice(1, 3), REAL(2)), sample(REAL(4), slice(1, 3), REAL()), sample(REAL(3, 2), (0, 1), REAL()),
               sample(REAL(4), [0, 0, 2], REAL(3)), sample(REAL(4), MASK, REAL(3)), sample(REAL(4), MASK, REAL())])
def stored(ct, out, base, index, value):
    """out = base, but value at index"""
    if ndim(base) is None and ndim(value) and not hold_alike(base, value):       # what lay there has another shape
        return index_set(ct, index, zero_of_item(base, index)), None, unbroadcast(last_writes(ct, base, index), value)
    if ndim(base) is None and ndim(value):               # an array in a container: its zero is an array, too
        return index_set(ct, index, zeros_like(value)), None, unbroadcast(last_writes(ct, base, index), value)
    return index_set(ct, index, 0.0), None, unbroadcast(last_writes(ct, base, index), value)


def stored_kind(base: Kind, value: Kind) -> Kind:
    if isinstance(base, Lst):
        return Lst(kinds.join(base.item, value) if base.item else value)
    return base if isinstance(base, Num) else ANY


def part_kind(ct: Kind, base: Kind, index: Kind) -> Kind:
    if isinstance(ct, Lst):
        if isinstance(index, kinds.Obj):
            return ct
        place = as_num(index)
        return ct.item or ANY if isinstance(place, Num) and place.is_scalar else ANY           # a path leads anywhere
    return Num(ct.dtype) if isinstance(ct, Num) else ANY


@rule(last_writes, tangent="linear", shaped=1, kind=part_kind,
      samples=[sample(REAL(4), np.zeros(4), [0, 0, 2]), sample(REAL(4), np.zeros(4), slice(1, 3))])
def written(ct, out, cotangent, base, index):
    """out = cotangent[index], without what later writes replace"""
    if ndim(base) is None:
        return spread_at(base, index, ct)
    return index_set(np.zeros_like(base), index, ct)


@rule(spread_at, tangent="linear", kind=lambda like, index, value: zeros_kind(like) if kinds.is_numeric(like) else ANY,
      samples=[sample(np.zeros(4), slice(1, 3), REAL(2))])
def spread(ct, out, like, index, value):
    """out = value at a place, zero elsewhere"""
    return None, None, unbroadcast(item_at(ct, index), value)


def renewed_kind(old: Kind, new: Kind) -> Kind:
    """An array keeps its kind; a number takes the new one; of the rest nothing is known."""
    old = as_num(old)
    if not isinstance(old, Num) or old.boxed is None:
        return ANY
    return old if old.boxed else as_num(new)


@rule(renewed, tangent="linear", kind=renewed_kind, samples=[
    sample(np.zeros((2, 3)), REAL(3)), sample(1.0, REAL())])
def renewal(ct, out, old, new):
    """out = new, in the shape and dtype of old if that is an array"""
    return None, unbroadcast(ct, new)


@rule(laid_out_as, result="new", elementwise=True, kind=lambda old, new: as_num(old), samples=[
    sample(np.zeros((2, 3)), REAL(3)), sample(np.zeros((3, 2)).T, REAL(2, 3))])
def laid_out(ct, out, old, new):
    """out = new, in the shape, dtype and layout of old"""
    return None, ct


@rule(own, tangent="linear", selects=(0,), result="new", kind=lambda x, *others: as_num(x),
      samples=[sample(REAL(3)), sample(REAL(2, 2))])
def owned(ct, out, x, *others):
    """out = x"""
    return ct, []


nondifferentiable(ones_like_output, read_only=True, real="kept", kind=lambda value: as_num(value))


@jvp(own)
def own_tangent(dot, out, x, *others):
    """A copy, which nothing else shares"""
    return own(dot), []
