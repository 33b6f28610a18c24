"""Type inference of primitives: kinds of results by their rules, realness, layout in memory."""
from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.python_types import SPECIAL
from sourcegrad.kinds import Kind, results
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE


def result_kind(function: Any, parts: list[Kind], options: dict[str, Kind]) -> Kind:
    """Kind of the result, from the kinds of the arguments and options."""
    rule = RULES.get(function)
    kind = rule.kind if rule is not None else ZERO_DERIVATIVE.get(function)
    of_numbers = all(part.__class__ is k.Num or part.__class__ is k.Const for part in (*parts, *options.values()))
    find = _remembered if of_numbers else _found       # the other kinds may hold objects, which nobody shall keep alive
    return find(function, kind, rule is not None, tuple(parts), tuple(options.items()))


def _found(function: Any, kind: Callable | None, has_rule: bool, parts: tuple, options: tuple) -> Kind:
    named = dict(options)
    return with_layout(function, parts, named, _by_rule(function, kind, has_rule, parts, named))


_remembered = functools.lru_cache(maxsize=4096)(_found)        # the same few are asked for by the ten thousand


def _by_rule(function: Any, kind: Callable | None, has_rule: bool, parts: tuple, options: dict[str, Any]) -> Kind:
    special = SPECIAL.get(function)
    if special is not None:
        found = special(*parts, **options)
        if found is not None:
            return found
    if kind is None:
        return with_realness(function, parts, options, k.NUMERIC) if has_rule and all(map(k.is_numeric, parts)) else k.ANY
    try:
        return with_realness(function, parts, options, kind(*parts, **options) or k.ANY)
    except (results.Unknown, TypeError, ValueError, AttributeError, IndexError):
        return k.ANY


# --- What is known of numbers whose dtype is not: functions that give real numbers for real numbers.
#
# `total = 0` followed by `total += x * x` is an int or a float: no dtype tells both, but it is not complex, and so its
# adjoint needs no conjugate.

# Without those that can make complex numbers of real ones: `fft`, `eig`, `roots`, `emath`.
NAMES = """sum prod mean cumsum cumprod min max amin amax ptp std var median average dot vdot inner outer matmul tensordot kron
trace array asarray ascontiguousarray asfortranarray stack vstack hstack column_stack concatenate reshape ravel transpose swapaxes
moveaxis expand_dims squeeze broadcast_to repeat tile roll flip where clip diff gradient interp copy atleast_1d atleast_2d diag
diagonal triu tril take sort abs zeros_like ones_like empty_like full_like""".split()
OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
             operator.neg, operator.pos, operator.abs, operator.matmul, abs, sum, min, max, float)
ADJOINTS = (runtime.unbroadcast, runtime.unbroadcast_to, runtime.broadcast_like, runtime.zeros_like, runtime.zero_of_item,
            runtime.add, runtime.guard, runtime.guard_steep, runtime.guarded_inside, runtime.selected, runtime.greater_part,
            runtime.tie_part, runtime.quotient, runtime.divide_or_zero,
            runtime.index_add, runtime.index_set, runtime.item_at, runtime.ones_like_output)
REAL_OF_REALS = {*OPERATORS, *ADJOINTS, *(getattr(np, name) for name in NAMES),
                 *(f for f in vars(np).values() if isinstance(f, np.ufunc))}


# Of anything: what they give is real, and what flows back into it, too.
REAL_OF_ANY = {abs, np.abs, np.absolute, np.fabs, np.real, np.imag, np.angle, np.var, np.std, np.nanvar, np.nanstd, np.linalg.norm,
               np.linalg.cond, np.linalg.eigvalsh, np.linalg.svdvals if hasattr(np.linalg, "svdvals") else abs, np.fft.irfft,
               np.fft.irfft2, np.fft.irfftn, np.fft.hfft, float}


@k.once
def is_real(kind: Kind | None) -> bool:
    """Whether a value is certainly not complex, and no dtype."""
    if isinstance(kind, k.Num):
        return kind.is_complex is False
    if isinstance(kind, k.Const):
        return not isinstance(kind.value, (complex, str))
    if isinstance(kind, k.Tup):
        return all(map(is_real, kind.items))
    if isinstance(kind, (k.Lst, k.Rest)):
        return kind.item is None or is_real(kind.item)
    return isinstance(kind, k.Obj) and kind.cls in (slice, range)


@k.once
def may_be_complex(kind: Kind | None) -> bool:
    """Whether a value is, or holds, something that may be a complex number."""
    if isinstance(kind, k.Optional):
        kind = kind.item
    if isinstance(kind, k.Num):
        return kind.is_complex is not False
    if isinstance(kind, k.Const):
        return isinstance(kind.value, complex)
    if isinstance(kind, (k.Tup, k.Closure, k.OneOf)):
        return any(map(may_be_complex, kind.items))
    if isinstance(kind, (k.Lst, k.Map, k.Rest)):
        return kind.item is not None and may_be_complex(kind.item)
    if isinstance(kind, k.Dct) or isinstance(kind, k.Obj) and kind.items is not None:
        return any(may_be_complex(item) for _, item in kind.items or ())
    return not isinstance(kind, (k.Obj, k.Fn))


def marked(kind: Kind | None, real: bool) -> Kind | None:
    """A kind of numbers, known to be real."""
    if real and isinstance(kind, k.Num) and kind.dtype is None and not kind.real:
        return dataclasses.replace(kind, real=True)
    return kind


def with_realness(function: Any, parts: Sequence, options: dict[str, Any], kind: Kind) -> Kind:
    """The kind of the result of a primitive, with what its operands tell of it."""
    if not isinstance(kind, k.Num) or kind.dtype is not None or "dtype" in options:
        return kind
    if function in REAL_OF_ANY or function in (runtime.unbroadcast, runtime.operand_part) and is_real(parts[1]):
        return marked(kind, True)                                                         # type: ignore[return-value]
    if function not in REAL_OF_REALS:
        return kind
    return marked(kind, all(map(is_real, (*parts, *options.values()))))                   # type: ignore[return-value]


# --- Which arrays may not lie row by row in memory.
#
# `c = b.T * 2.0` lies column by column, and so does what is computed from it element by element: a reshape of it copies.
# Callees are told by the kinds of their arguments. An array of one axis always lies in order, whatever its steps.

OF_NUMPY = """transpose swapaxes moveaxis rollaxis rot90 matrix_transpose permute_dims diagonal einsum asfortranarray cross kron
broadcast_to broadcast_arrays meshgrid linspace logspace geomspace argwhere""".split()
OF_ADJOINTS = """conj_transpose cofactor_matrix cofactor_slope dot_adjoint_right tensordot_adjoint_left tensordot_adjoint_right
contract as_rows from_rows fft_adjoint rfft_adjoint fft_like""".split()
REORDERING = frozenset({                         # what they give may lie otherwise than their operands
    *(getattr(module, name) for module in (np, np.linalg) for name in OF_NUMPY if hasattr(module, name)),
    *(value for value in vars(np.fft).values() if callable(value)),
    *(getattr(runtime, name) for name in OF_ADJOINTS), np.lib.stride_tricks.sliding_window_view, "attribute T", "attribute mT"})
IN_ORDER = frozenset({np.ascontiguousarray, np.dot, np.outer})                      # whatever their operands are


@k.once
def unordered(kind: Kind | None) -> bool:
    """Whether an array, or one in a container, may not lie row by row."""
    if isinstance(kind, k.Num):
        return kind.size == k.UNORDERED
    if isinstance(kind, (k.Tup, k.Dct, k.Obj)) and not isinstance(kind, k.SetOf):
        items: Any = kind.items or ()
        return any(unordered(item if isinstance(kind, k.Tup) else item[1]) for item in items)
    return kind is k.ANY or isinstance(kind, (k.Lst, k.Map, k.Rest)) and unordered(kind.item)


def with_layout(function: Any, parts: Sequence, options: dict[str, Any], kind: Kind) -> Kind:
    """The kind of the result of a primitive, with the layout that its operands tell."""
    named = any(isinstance(option, k.Const) and option.value in ("F", "A") for option in (*parts, *options.values()))
    loosely = named or function in REORDERING or function not in IN_ORDER and any(map(unordered, (*parts, *options.values())))
    found: dict[Kind, Kind] = {}

    def placed(kind: Kind) -> Kind:
        if not isinstance(kind, (k.Tup, k.Lst)):
            return laid_out(kind, loosely)
        if kind not in found:
            found[kind] = k.mapped(placed, kind)
        return found[kind]

    return placed(kind)


def part(array: k.Num, indices: list[Kind | None], kind: Kind) -> Kind:
    """The kind of array[indices] (None for a slice): NumPy puts the elements of `x[:, [1, 2]]` column by column."""
    gathered = len(indices) > 1 and any(isinstance(index, (k.Lst, k.Tup)) or isinstance(index, k.Num) and not index.is_scalar
                                        for index in indices)
    return laid_out(kind, gathered or unordered(array))


def laid_out(kind: Kind, loosely: bool) -> Kind:
    """The kind of an array that may not lie row by row, or that does."""
    if not isinstance(kind, k.Num) or kind.is_scalar:
        return kind
    loosely &= kind.dims is None or len(kind.dims) > 1
    if loosely == (kind.size == k.UNORDERED):
        return kind
    return dataclasses.replace(kind, size=k.UNORDERED if loosely else None)


# --- `np.r_[a, 1.0, b]` and `np.c_[x, y]`: what they join.

CONCATENATORS = {type(np.r_): "np.r_", type(np.c_): "np.c_"}


def items_of(index: Any) -> list:
    """The parts that an index of np.r_ or np.c_ names."""
    return index.elts if isinstance(index, gast.Tuple) else [index]


def ranks(items: list, of: Callable[[Any], Kind | None]) -> list[int | None] | None:
    """The rank of every part, None where it is not known; None altogether as long as some kind is still to come."""
    found: list[int | None] = []
    for item in items:
        kind = k.Num("float64", (None,), True) if isinstance(item, gast.Slice) else of(item)
        if kind is None:
            return None
        kind = k.as_num(kind)
        found.append(kind.ndim if isinstance(kind, k.Num) else None)
    return found


def concatenation(cls: type, index: Any, of: Callable[[Any], Kind | None]) -> Kind | None:
    """The kind of an array that np.r_ (1 axis or more) or np.c_ (2 or more) makes."""
    known = ranks(items_of(index), of)
    if known is None:
        return None
    if None in known:
        return k.ANY
    least = 2 if cls is type(np.c_) else 1
    return k.Num(None, (None,) * max(least, *(rank for rank in known if rank is not None), 0), True)
