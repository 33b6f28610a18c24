"""Arrays that are laid over memory by strides: every element is one of the base, and one of the base may be many."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError

__all__ = ["strided_take", "strided_sum"]


def strided_take(values: Any, x: Any, shape: Any = None, strides: Any = None) -> Any:
    """Values that belong to the elements of x, laid out as `as_strided(x, shape, strides)` lays out these.

    >>> strided_take(np.array([5.0, 6.0, 7.0]), np.zeros(3), (2, 2), (8, 8)).tolist()
    [[5.0, 6.0], [6.0, 7.0]]
    """
    return np.ravel(values)[_elements(x, shape, strides)]


def strided_sum(ct: Any, x: Any, shape: Any = None, strides: Any = None) -> Any:
    """Adjoint of `as_strided(x, shape, strides)`: each element of x sums what is said of it wherever it is seen.

    >>> strided_sum(np.ones((2, 2)), np.zeros(3), (2, 2), (8, 8)).tolist()
    [1.0, 2.0, 1.0]
    """
    ct = np.asarray(ct)
    result = np.zeros(np.size(x), ct.dtype)
    np.add.at(result, _elements(x, shape, strides), ct)
    return result.reshape(np.shape(x))


def _elements(x: Any, shape: Any, strides: Any) -> Any:
    """Which element of x, counted row by row, is seen at each place."""
    x = np.asarray(x)
    shape = [int(n) for n in np.ravel(np.shape(x) if shape is None else shape)]
    if strides is None:                                     # as the elements of x lie: row by row, where they have no gaps
        strides = [math.prod(shape[j + 1:]) * x.itemsize for j in range(len(shape))] if x.flags.c_contiguous else x.strides
    seen = _offsets(shape, strides)
    own = _offsets(x.shape, x.strides).ravel()
    order = np.argsort(own, kind="stable")
    found = np.minimum(np.searchsorted(own, seen, sorter=order), max(own.size - 1, 0))
    places = order[found] if own.size else np.zeros(seen.shape, int)
    if seen.size and (not own.size or np.any(own[places] != seen)):
        raise UnsupportedError("as_strided that reaches memory beyond the elements of its array",
                               remedy="Give it the array that has this memory, and strides that stay inside.")
    return places


def _offsets(shape: Any, strides: Any) -> Any:
    """How far from the first element each one lies, in bytes."""
    shape, strides = list(shape), [int(n) for n in np.ravel(strides)]
    result = np.zeros(shape, int)
    for axis, (size, stride) in enumerate(zip(shape, strides)):
        result += (np.arange(size) * stride).reshape((-1, *[1] * (len(shape) - axis - 1)))
    return result
