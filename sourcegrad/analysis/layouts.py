"""Which arrays may not lie row by row in memory.

`c = b.T * 2.0` lies column by column, and so does what is computed from it element by element: a reshape of it copies.
Callees are told by the kinds of their arguments. An array of one axis always lies in order, whatever its steps.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.kinds import Kind

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


def result(function: Any, parts: Sequence, options: dict[str, Any], kind: Kind) -> Kind:
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
