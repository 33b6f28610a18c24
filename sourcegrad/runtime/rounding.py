"""Rounding errors: what the reverse sweep notes of each operation, and how large the error of an operation can be.

In the standard model of floating-point arithmetic, fl(a op b) = (a op b)(1 + d) with |d| <= u, u half the spacing of 1 (Higham,
"Accuracy and Stability of Numerical Algorithms", 2002, section 2.2). To first order a rounding error moves the result by the
adjoint of the value that it is in (Iri, "Simultaneous computation of functions, partial derivatives and estimates of rounding
errors", Japan J. Appl. Math. 1, 1984), so the sum of |adjoint * value| * u over all operations bounds that of the result.
"""
from __future__ import annotations

import math
from contextvars import ContextVar
from typing import Any

import numpy as np

from sourcegrad.runtime.core import unbroadcast

__all__ = ["rounded", "rounded_inside", "rounding_calls", "rounding_called", "sums_rounded", "products_rounded", "powers_rounded",
           "spread_rounded", "narrowed"]

LEDGER: ContextVar[Ledger | None] = ContextVar("rounding errors that are noted", default=None)
COMPLEX = 2.0 * math.sqrt(2.0)              # of a product of complex numbers: Higham, lemma 3.5
BLOCK, LANES = 128, 8                       # NumPy sums blocks of so many numbers in so many partial sums, and the blocks in pairs


class Ledger:
    """Bounds by place of the user's source; calls: the places from which the code that runs is called."""

    def __init__(self) -> None:
        self.bounds: dict[str, float] = {}
        self.calls: list[str] = []

    def clear(self) -> None:
        self.bounds.clear()
        self.calls.clear()

    def add(self, place: str, bound: float) -> None:
        place = place or next((call for call in reversed(self.calls) if call), "")
        self.bounds[place] = self.bounds.get(place, 0.0) + bound


def rounding_calls(place: str) -> None:
    """A reverse half is called from a place: to this belongs what a function of the library does."""
    ledger = LEDGER.get()
    if ledger is not None:
        ledger.calls.append(place)


def rounding_called() -> None:
    """The reverse half has come to its end."""
    ledger = LEDGER.get()
    if ledger is not None:
        ledger.calls.pop()


def unit_of(x: np.ndarray) -> float:
    """The unit roundoff of a dtype, for complex numbers that of their products."""
    return float(np.finfo(x.dtype).eps) / 2.0 * (COMPLEX if x.dtype.kind == "c" else 1.0)


def rounded(place: str, ct: Any, out: Any, roundings: float = 1.0, size: Any = None) -> None:
    """Note the errors of an operation: so many roundings of its result, or of what has a given size. ct: the adjoint of it."""
    ledger = LEDGER.get()
    if ledger is None:
        return
    if isinstance(out, (list, tuple)):
        for position, part in enumerate(out):
            rounded(place, ct[position] if isinstance(ct, (list, tuple)) else ct, part, roundings)
        return
    x = np.asarray(out)
    if x.dtype.kind not in "fc" or not isinstance(ct, (np.ndarray, np.number, float, int, complex)):
        return
    if np.size(ct) == x.size and np.ndim(ct) > x.ndim:       # of what is laid out as one line
        ct = np.reshape(ct, x.shape)
    with np.errstate(all="ignore"):
        errors = np.abs(x if size is None else size).astype(float) * (roundings * unit_of(x))
        bar = np.abs(unbroadcast(ct, x)).astype(float)
        moved = np.where((errors == 0.0) | (bar == 0.0), 0.0, bar * errors)
    ledger.add(place, float(np.sum(moved)))


def rounded_inside(place: str, part: Any, x: Any, normwise: bool = False) -> None:
    """Note the errors of an algorithm that is backward stable: of an argument that is off by as many roundings as it has rows.

    part: the contribution of the algorithm to the adjoint of `x`. normwise: off by a part of the largest number in it."""
    ledger = LEDGER.get()
    if ledger is None:
        return
    if isinstance(x, (list, tuple)):
        for position, item in enumerate(x):
            rounded_inside(place, part[position] if isinstance(part, (list, tuple)) or np.ndim(part) else part, item, normwise)
        return
    x = np.asarray(x)
    if x.dtype.kind not in "fc" or not x.size or not isinstance(part, (np.ndarray, np.number, float, int, complex)):
        return
    with np.errstate(all="ignore"):
        count = 2.0 + (sum(x.shape) if normwise else x.size)
        sizes = np.abs(x).astype(float)
        sizes = np.full(x.shape, sizes.max()) if normwise else sizes
        bar = np.abs(part).astype(float)
        ledger.add(place, float(np.sum(np.where(bar == 0.0, 0.0, bar * sizes))) * count * unit_of(x))


def absolute(x: Any) -> Any:
    """Numbers without their signs, in a list or tuple, too; what is no float or array stays."""
    if isinstance(x, (list, tuple)) and any(isinstance(item, (float, np.ndarray, np.floating, list, tuple)) for item in x):
        return type(x)([absolute(item) for item in x]) if type(x) in (list, tuple) else x
    return np.abs(x).astype(float) if isinstance(x, (np.ndarray, np.floating, np.complexfloating, float, complex)) and (
        np.asarray(x).dtype.kind in "fciu") else x


def ones(x: Any) -> Any:
    """Ones in the places of the numbers that `absolute` changes."""
    if isinstance(x, (list, tuple)) and any(isinstance(item, (float, np.ndarray, np.floating, list, tuple)) for item in x):
        return type(x)([ones(item) for item in x]) if type(x) in (list, tuple) else x
    return np.ones(np.shape(x)) if isinstance(x, (np.ndarray, np.floating, np.complexfloating, float, complex)) else x


def products_rounded(function: Any, *args: Any, **options: Any) -> Any:
    """How large the error of sums of products is, in units of roundoff: the number of terms times the sum of their sizes.

    The bound |fl(x'y) - x'y| <= n u |x|'|y| holds in whatever order the terms are added (Higham, section 3.1)."""
    return np.asarray(function(*map(ones, args), **options)) * function(*map(absolute, args), **options)


def additions(function: Any, x: np.ndarray, axis: Any, count: int) -> float:
    """How many additions lie between a term of a sum and the sum at most, of so many terms along an axis.

    Along contiguous memory NumPy adds in pairs, which takes a logarithm of the number of terms (Higham, section 4.2)."""
    paired = function is not sum and (x.ndim <= 1 or x.flags.c_contiguous and axis in (None, -1, x.ndim - 1)
                                      or axis is None and x.flags.f_contiguous)
    most = float(max(count - 1, 0))
    levels = math.ceil(math.log2(max(count / BLOCK, 1.0))) + 1.0 if count > BLOCK else 0.0
    return min(most, BLOCK / LANES + 3.0 + LANES - 1.0 + levels) if paired and count >= LANES else most


def sums_rounded(function: Any, x: Any, *args: Any, **options: Any) -> Any:
    """How large the error of sums is, in units of roundoff: the number of additions times the sum of the sizes of the terms."""
    options = {name: value for name, value in options.items() if name in ("axis", "keepdims")}
    axis = options.get("axis", args[0] if args and function is not sum else None)
    total = np.asarray(np.sum(absolute(x), axis, keepdims=options.get("keepdims", False)))
    if function is sum:                                     # of items, to a start
        total = np.asarray(sum(map(absolute, x), *map(absolute, args)))
    x = np.asarray(x)
    count = len(x) + len(args) if function is sum else x.size // max(total.size, 1)
    most = additions(function, x, axis, count)
    return total / count * (most + 1.0) if function is np.mean and count else total * most


def spread_rounded(function: Any, out: Any, x: Any, axis: Any = None, *args: Any, **options: Any) -> Any:
    """How large the error of a variance or standard deviation is, in units of roundoff.

    Both take the mean away first, whose error has a part of second order only (Chan, Golub and LeVeque 1983)."""
    x, size = np.asarray(x), np.abs(np.asarray(out)).astype(float)
    count = x.size // max(size.size, 1)
    most = additions(np.sum, x, axis, count)
    unit = unit_of(x) if x.dtype.kind in "fc" else unit_of(size)
    mean = (most + 1.0) * float(np.max(np.abs(x), initial=0.0)) * unit
    if function is np.var:
        return size * (most + 5.0) + mean * mean / unit
    with np.errstate(all="ignore"):
        return size * (0.5 * most + 4.0) + np.fmin(mean * mean / (2.0 * size), mean) / unit


def powers_rounded(out: Any, x: Any, *args: Any, **options: Any) -> Any:
    """How large the error of products of many factors is, in units of roundoff: one for each factor, relative to the product."""
    return np.abs(out) * max(np.size(x) // max(np.size(out), 1) if np.ndim(out) < np.ndim(x) else np.size(x), 1)


def narrowed(out: Any, x: Any) -> Any:
    """What a conversion rounds: the result, if its dtype holds fewer digits than that of `x`."""
    x, new = np.asarray(x), np.asarray(out)
    return 0.0 if np.can_cast(x.dtype, new.dtype, "safe") else new
