"""Rules of the helpers in `runtime.core`, so that derivatives of generated code are generated too."""
from __future__ import annotations

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import ANY, FLOAT, Kind, Lst, Num, Tup, as_num
from sourcegrad.rules.core import COMPLEX, REAL, conj, nondifferentiable, rule, sample
from sourcegrad.runtime.core import (
    add,
    as_gradient,
    broadcast_like,
    check_cotangent,
    guard,
    index_add,
    index_set,
    is_basic,
    item_at,
    last_writes,
    ones_like_output,
    own,
    row_dot,
    sequence,
    unbroadcast,
    zeros_like,
)

AS_ARRAY = {"pyfloat": "float64", "pycomplex": "complex128", "pyint": "int64", "pybool": "bool"}
REAL_PART = {"complex64": "float32", "complex128": "float64", "pycomplex": "float64"}
SINGLE = {"float16": "float16", "float32": "float32", "complex64": "float32"}
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
    return Num(value.dtype, x.dims, False if x.dims == () and value.is_scalar else None)


def broadcast_like_kind(value: Kind, x: Kind) -> Kind:
    """As above, but a Python float adopts the precision of `x`."""
    result = shaped_like_second(value, x)
    number = as_num(x)
    if isinstance(result, Num) and as_num(value).dtype == "pyfloat" and number.dims:
        return Num(SINGLE.get(number.dtype, "float64") if number.dtype else None, result.dims, True)
    return result


def unbroadcast_kind(value: Kind, x: Kind) -> Kind:
    result = shaped_like_second(value, x)
    if not isinstance(result, Num) or as_num(x).is_complex:
        return result
    known = result.is_complex is False or as_num(x).is_complex is False
    return Num(REAL_PART.get(result.dtype, result.dtype) if known else None, result.dims, result.boxed)


def zeros_kind(x: Kind) -> Kind:
    x = as_num(x)
    if isinstance(x, Tup):
        return Tup(tuple(map(zeros_kind, x.items)))
    if isinstance(x, Lst):
        return Lst(x.item and zeros_kind(x.item))
    if not isinstance(x, Num):
        return ANY
    if x.is_scalar:
        return FLOAT
    if x.boxed is None and not x.dims:
        return Num(None, x.dims)
    return Num("float64" if x.is_discrete else x.dtype, x.dims, True)


def sum_kind(a: Kind, b: Kind) -> Kind:
    a, b = as_num(a), as_num(b)
    if isinstance(a, Num) and isinstance(b, Num):
        return kinds.elementwise(np.add)(a, b)
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        return Tup(tuple(map(sum_kind, a.items, b.items)))
    return ANY


def same_array(base: Kind, index: Kind, value: Kind) -> Kind:
    if isinstance(base, Num) and base.boxed:
        return Num(base.dtype, base.dims, True)
    return base if isinstance(base, Lst) else ANY


def sequence_kind(iterable: Kind) -> Kind:
    indexable = isinstance(iterable, (Tup, Lst)) or isinstance(iterable, Num) and iterable.boxed
    return iterable if indexable else ANY


# --- rules ------------------------------------------------------------------------------------------

@rule(unbroadcast, kind=unbroadcast_kind,
      samples=[sample(REAL(2, 3), np.ones(3)), sample(REAL(2, 3), 1.0), sample(REAL(2, 3), np.ones((2, 1))),
               sample(REAL(4, 2, 3), np.ones((1, 3))), sample(REAL(3), np.ones(3)), sample(REAL(),
               np.ones(3)),
               sample(REAL(3), np.ones((2, 3))), sample(REAL(2, 1), np.ones((2, 3))), sample(REAL(0, 3),
               np.ones(3)),
               sample(COMPLEX(2, 3), np.ones(3)), sample(COMPLEX(2, 3), 1.0j), sample(REAL(), 1.0)])
def unbroadcast_rule(ct, out, value, x):
    """Sums are broadcast back, and broadcasts summed: the same function the other way."""
    return unbroadcast(ct, value)


@rule(broadcast_like, kind=broadcast_like_kind,
      samples=[sample(REAL(3), np.ones((2, 3))), sample(REAL(), np.ones(3)), sample(REAL(2, 1), np.ones((2,
               3))),
               sample(COMPLEX(3), np.ones((2, 3))), sample(REAL(3), np.ones(3)), sample(REAL(), 1.0)])
def broadcast_like_rule(ct, out, value, x):
    """out = value in the shape of x"""
    return unbroadcast(ct, value)


nondifferentiable(zeros_like, kind=zeros_kind)
nondifferentiable(is_basic, kind=lambda index: kinds.BOOL)


@rule(add, kind=sum_kind,
      samples=[sample(REAL(2, 3), REAL(2, 3)), sample(REAL(), REAL()), sample([REAL(3), REAL()], [REAL(3),
               REAL()]),
               sample((REAL(3), [REAL(), REAL(2)]), (REAL(3), [REAL(), REAL(2)]))])
def add_rule(ct, out, a, b):
    """out = a + b, adjoints of one value and so of one shape"""
    return ct, ct


@rule(index_add, kind=same_array,
      samples=[sample(REAL(4), 1, REAL()), sample(REAL(3, 4), (slice(None), 1), REAL(3)), sample(REAL(3, 4),
               0, REAL()),
               sample(REAL(4), np.array([0, 0, 2]), REAL(3)), sample(REAL(4), MASK, REAL(3)), sample(REAL(3,
               4), (0, 1), REAL()),
               sample(REAL(4), slice(0, 0), REAL(0)), sample([REAL(3), REAL(3)], 1, REAL(3)),
               sample(COMPLEX(3), 1, REAL())])
def index_add_rule(ct, out, base, index, value):
    """out = base, with value added at the index"""
    return ct, None, unbroadcast(item_at(ct, index), value)


@rule(item_at, kind=lambda *args: ANY,
      samples=[sample(REAL(4), -1), sample(REAL(3, 4), (slice(None, None, -1), 1)), sample(REAL(4),
               np.array([0, 0, 2])),
               sample(REAL(4), MASK), sample(REAL(3, 4), (Ellipsis, None, slice(1, 3))), sample([REAL(3),
               REAL()], 0),
               sample((REAL(), REAL()), 1), sample([REAL(), REAL(), REAL()], slice(0, 2)), sample(COMPLEX(3),
               1)])
def item_at_rule(ct, out, x, index):
    """out = x[index]"""
    return (index_add(zeros_like(x), index, ct),)        # in a tuple, as the contribution may be one


@rule(sequence, kind=sequence_kind,
      samples=[sample([REAL(), REAL()]), sample((REAL(3), REAL())), sample(REAL(3))])
def sequence_rule(ct, out, iterable):
    """out = the same items"""
    return (ct,)


# --- the ends of a gradient ---------------------------------------------------------------------------

@rule(check_cotangent, kind=lambda ct, value: ct)
def checked(ct, out, grad_outputs, value):
    """out = grad_outputs"""
    return ct


@rule(guard, kind=shaped_like_second, samples=[sample(REAL(3), REAL(3)), sample(np.array([0.0, 1.0]), REAL(2))])
def guarded(ct, out, cotangent, value):
    """out = value where the cotangent is not zero"""
    return None, guard(cotangent, ct)


@rule(as_gradient, kind=lambda gradient, x: as_num(x), samples=[
    sample(REAL(3), np.zeros(3)), sample(REAL(), np.zeros(3)), sample(REAL(), 1.0), sample(COMPLEX(3), np.zeros(3)),
    sample([REAL(3), REAL()], [np.zeros(3), 1.0])])
def finished(ct, out, gradient, x):
    """out = gradient, with the shape, dtype and structure of x"""
    return (unbroadcast(ct, gradient),)              # in a tuple, as the contribution may be one


def row_kind(a: Kind, b: Kind, keepdims: Kind = kinds.Const(False)) -> Kind:
    product = kinds.elementwise(np.multiply)(a, b)
    if not isinstance(product, Num) or not product.dims:
        return ANY
    dims = product.dims[:-1] + ((1,) if kinds.constant(keepdims) else ())
    return Num(product.dtype, dims, bool(dims))


@rule(row_dot, kind=row_kind, samples=[sample(REAL(2, 3), REAL(2, 3)), sample(REAL(2, 4, 3), REAL(2, 4, 3), keepdims=True)])
def rows(ct, out, a, b, keepdims=False):
    """out = sum(a * b, axis=-1)"""
    if keepdims:
        return ct * conj(b), ct * conj(a)
    spread = np.expand_dims(ct, -1)
    return spread * conj(b), spread * conj(a)


@rule(index_set, kind=lambda base, index, value: stored_kind(base, value),
      samples=[sample(REAL(4), slice(1, 3), REAL(2)), sample(REAL(4), slice(1, 3), REAL()), sample(REAL(3, 2), (0, 1), REAL()),
               sample(REAL(4), [0, 0, 2], REAL(3)), sample(REAL(4), MASK, REAL(3)), sample(REAL(4), MASK, REAL())])
def stored(ct, out, base, index, value):
    """out = base, but value at index"""
    return index_set(ct, index, 0.0), None, unbroadcast(last_writes(ct, base, index), value)


def stored_kind(base: Kind, value: Kind) -> Kind:
    if isinstance(base, Lst):
        return Lst(kinds.join(base.item, value) if base.item else value)
    return base if isinstance(base, Num) else ANY


def part_kind(ct: Kind, base: Kind, index: Kind) -> Kind:
    return Num(ct.dtype) if isinstance(ct, Num) else ANY


@rule(last_writes, kind=part_kind, samples=[sample(REAL(4), np.zeros(4), [0, 0, 2]), sample(REAL(4), np.zeros(4), slice(1, 3))])
def written(ct, out, cotangent, base, index):
    """out = cotangent[index], without what later writes replace"""
    return index_set(np.zeros_like(base), index, ct)


@rule(own, kind=lambda x, *others: as_num(x), samples=[sample(REAL(3)), sample(REAL(2, 2))])
def owned(ct, out, x, *others):
    """out = x"""
    return ct, []


nondifferentiable(ones_like_output, kind=lambda value: as_num(value))
