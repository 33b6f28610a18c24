"""What is known of numbers whose dtype is not: functions that give real numbers for real numbers.

`total = 0` followed by `total += x * x` is an int or a float: no dtype tells both, but it is not complex, and so its
adjoint needs no conjugate.
"""
from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.kinds import Kind

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


def result(function: Any, parts: Sequence, options: dict[str, Any], kind: Kind) -> Kind:
    """The kind of the result of a primitive, with what its operands tell of it."""
    if not isinstance(kind, k.Num) or kind.dtype is not None or "dtype" in options:
        return kind
    if function in REAL_OF_ANY or function in (runtime.unbroadcast, runtime.operand_part) and is_real(parts[1]):
        return marked(kind, True)                                                         # type: ignore[return-value]
    if function not in REAL_OF_REALS:
        return kind
    return marked(kind, all(map(is_real, (*parts, *options.values()))))                   # type: ignore[return-value]
