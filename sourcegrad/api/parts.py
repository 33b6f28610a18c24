"""The float parts of arguments and results, and matrices of derivatives in their structure."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sourcegrad.errors import InputError
from sourcegrad.runtime.core import like_sequence
from sourcegrad.runtime.structure import another, attributes_of, is_user_object

Part = tuple[tuple, Any]                # a path of attributes and keys, and the number or array there


def is_part(value: Any, kinds: str) -> bool:
    return isinstance(value, (float, complex, int, np.generic, np.ndarray)) and np.asarray(value).dtype.kind in kinds


def parts(value: Any, path: tuple = (), kinds: str = "fc") -> Iterator[Part]:
    """The numbers and arrays in a value, in order, each with its path. kinds: of dtypes; others are left out."""
    if is_part(value, kinds):
        yield path, value
    elif isinstance(value, (list, tuple)) and not isinstance(value, range):
        for j, item in enumerate(value):
            yield from parts(item, (*path, j), kinds)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from parts(item, (*path, key), kinds)
    elif is_user_object(value):
        for name, item in attributes_of(value).items():
            yield from parts(item, (*path, name), kinds)


def mapped(function: Callable[[tuple, Any], Any], value: Any, path: tuple = (), kinds: str = "fc", others: bool = False) -> Any:
    """A value of the same structure, with `function(path, part)` in the place of each part; others: None for anything else."""
    if is_part(value, kinds):
        return function(path, value)
    if isinstance(value, (list, tuple)) and not isinstance(value, range):
        return like_sequence(value, [mapped(function, item, (*path, j), kinds, others) for j, item in enumerate(value)])
    if isinstance(value, dict):
        new = another(value)
        new.update({key: mapped(function, item, (*path, key), kinds, others) for key, item in value.items()})
        return new
    if is_user_object(value):
        new = another(value)
        for name, item in attributes_of(value).items():
            object.__setattr__(new, name, mapped(function, item, (*path, name), kinds, others))
        return new
    return None if others else value


def check_result(value: Any) -> None:
    """Refuse a result whose Jacobian is no matrix of real numbers."""
    found = list(parts(value, kinds="fciub"))
    if any(np.iscomplexobj(part) for _, part in found):
        raise InputError("the Jacobian of a complex result is not one matrix",
                         remedy="Return its real and imaginary parts: np.stack([z.real, z.imag]).")
    if not found and not isinstance(value, (list, tuple, dict)):
        raise InputError(f"the Jacobian is that of arrays, and the result is a {type(value).__name__}",
                         remedy="Return an array, a number, or a tuple, list or dict of these.")


def widths(found: list[Part]) -> list[int]:
    """How many numbers each part has."""
    return [int(np.size(part)) for _, part in found]


def basis(found: list[Part], start: int, stop: int) -> dict[tuple, np.ndarray]:
    """The unit vectors of these numbers in all parts, by the path of the part, with a leading axis: `(stop - start, *shape)`."""
    result, first = {}, 0
    for path, part in found:
        size, own = int(np.size(part)), np.asarray(part).dtype
        dtype = own if own.kind in "fc" else np.dtype(float)
        block = np.zeros((stop - start, size), dtype)
        low, high = max(start, first), min(stop, first + size)
        if low < high:
            rows = np.arange(low, high)
            block[rows - start, rows - first] = 1.0
        result[path] = block.reshape(stop - start, *np.shape(part))
        first += size
    return result


def cut(found: list[Part], vectors: np.ndarray, copy: bool = True) -> dict[tuple, np.ndarray]:
    """Vectors, one a row, as parts with a leading axis, by the paths of the parts. copy: whether they share no memory with them."""
    result, first = {}, 0
    for path, part in found:
        last = first + int(np.size(part))
        dtype = np.asarray(part).dtype
        block = vectors[:, first:last].astype(dtype if dtype.kind in "fc" else float, order="C", copy=copy)
        result[path] = block.reshape(len(vectors), *np.shape(part))
        first = last
    return result


def flat(found: list[Part], count: int) -> np.ndarray:
    """Parts with a leading axis as one matrix: a row for each entry of that axis."""
    return np.concatenate([np.asarray(part).reshape(count, -1) for _, part in found] or [np.zeros((count, 0))], axis=1)


def blocks(matrix: np.ndarray, rows: list[Part], columns: list[Part]) -> dict[tuple, dict[tuple, Any]]:
    """A matrix cut into one block of shape output + input for each part of the result and each of the inputs."""
    found: dict[tuple, dict[tuple, Any]] = {}
    first = 0
    for path, out in rows:
        last, left = first + int(np.size(out)), 0
        for place, x in columns:
            right = left + int(np.size(x))
            block = matrix[first:last, left:right].astype(common(out, x), copy=False).reshape(np.shape(out) + np.shape(x))
            number = not isinstance(out, np.ndarray) and not isinstance(x, np.ndarray)
            found.setdefault(path, {})[place] = block[()] if number else block
            left = right
        first = last
    return found


def common(*items: Any) -> np.dtype:
    """The dtype of a matrix of derivatives: Python numbers do not widen single precision."""
    dtypes = [x.dtype for x in items if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc"]
    return np.result_type(*dtypes) if dtypes else np.dtype(complex if any(isinstance(x, complex) for x in items) else float)
