"""Arguments of Tensor functions: dimensions, shapes, operands; and the tables of public functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.errors import TensorIndexError, origin_at, refuse, refuse_type, user_place

FUNCTIONS: dict[str, Callable] = {}  # by PyTorch's name
METHODS: dict[str, Callable] = {}  # those that are methods too, of their first argument


def public(function: Callable) -> Callable:
    FUNCTIONS[function.__name__.rstrip("_")] = METHODS[function.__name__.rstrip("_")] = function
    return function


def given(x: Any) -> Tensor:
    """A constant that the user gives as an array or number: also part of a recorded program."""
    made = constant(np.asarray(x))
    made._frozen = False
    return made


def a_tensor(x: Any) -> Tensor:
    """An argument as a Tensor: arrays and numbers are constants."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, (np.ndarray, float, int, complex, list, tuple, np.generic)):
        return given(x)
    return refuse_type(f"a Tensor is needed here, not {type(x).__name__}")


def axis(x: Tensor, dim: Any) -> Any:
    """A dimension (or several) counted from the front; None stays."""
    if dim is None:
        return None
    if isinstance(dim, (list, tuple)):
        found = tuple(axis(x, d) for d in dim)
        if len(set(found)) != len(found):
            refuse(f"dim {found} appears multiple times in the list of dims")
        return found
    n = max(x._data.ndim, 1)
    d = int(dim)
    if not -n <= d < n:
        raise TensorIndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})", origin_at(user_place())
        )
    return d % n


def renamed(options: dict) -> dict:
    """NumPy's names of options in PyTorch's spelling."""
    for other, name in (("axis", "dim"), ("keepdims", "keepdim"), ("input", "self")):
        if other in options:
            options[name] = options.pop(other)
    return options


def sizes_of(shape: tuple) -> tuple:
    """A shape that is given as numbers or as one sequence."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    return tuple(int(n) for n in shape)


def operand(x: Any) -> Any:
    """The other operand of a binary operation: a Tensor or a number as it is, anything else as a constant Tensor."""
    if isinstance(x, Tensor):
        return x
    if type(x) in (int, float):
        return x
    if isinstance(x, (np.ndarray, np.generic, complex, bool)):
        return given(x)
    return NotImplemented


def none_left(options: dict, name: str) -> None:
    if options:
        refuse_type(f"{name}() got an unexpected keyword argument '{next(iter(options))}'")
