"""Helpers for functions that write into an array: where they write, and repeated writes one after another."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["diagonal_index", "divide_at", "index_along", "multiply_at", "separate_writes", "split_bounds"]


def index_along(array: Any, indices: Any, axis: int) -> tuple:
    """The index with which `np.put_along_axis(array, indices, values, axis)` stores."""
    axis %= array.ndim
    shape = [1] * array.ndim
    index = []
    for position, length in enumerate(array.shape):
        if position == axis:
            index.append(indices)
        else:
            index.append(np.arange(length).reshape([length if j == position else 1 for j in range(len(shape))]))
    return tuple(index)


def diagonal_index(array: Any) -> tuple:
    """The index of the diagonal that `np.fill_diagonal` stores into."""
    if array.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if array.ndim > 2 and len(set(array.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return (np.arange(min(array.shape)),) * array.ndim


def separate_writes(array: Any, index: Any) -> list:
    """Rounds of (index, positions in the index): no round has an element of the array twice."""
    elements = np.ravel(np.arange(array.size).reshape(array.shape)[index])
    rounds = []
    waiting = np.arange(elements.size)
    while waiting.size:
        _, first = np.unique(elements[waiting], return_index=True)
        chosen = waiting[first]
        rounds.append((np.unravel_index(elements[chosen], array.shape), chosen))
        waiting = np.delete(waiting, first)
    return rounds


def multiply_at(array: Any, index: Any, factor: Any) -> Any:
    """The array after `np.multiply.at(array, index, factor)`."""
    result = array.copy()
    factors = np.ravel(np.broadcast_to(factor, np.shape(array[index])))
    for where, which in separate_writes(array, index):
        result[where] = result[where] * factors[which]
    return result


def divide_at(array: Any, index: Any, divisor: Any) -> Any:
    """The array after `np.divide.at(array, index, divisor)`."""
    result = array.copy()
    divisors = np.ravel(np.broadcast_to(divisor, np.shape(array[index])))
    for where, which in separate_writes(array, index):
        result[where] = result[where] / divisors[which]
    return result


def split_bounds(array: Any, count: int, axis: int, equal: bool) -> tuple:
    """Where the parts of `np.split(array, count, axis)` begin, and the end of the last one."""
    size = array.shape[axis]
    if equal and size % count:
        raise ValueError("array split does not result in an equal division")
    return tuple(j * (size // count) + min(j, size % count) for j in range(count + 1))
