"""Central differences: f'(x) v = (f(x + h v) - f(x - h v)) / 2h + O(h^2)."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.trees import from_vector, inner, map_leaves, vector


def widen(value: Any) -> Any:
    """float32 numbers as float64, so that differences are not rounding noise."""

    def double(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
            return leaf.astype(float)
        return float(leaf) if isinstance(leaf, np.floating) else leaf

    return map_leaves(double, value)


def central_gradient(function: Callable, args: tuple, positions: tuple[int, ...], weights: Any,
                     step: float = 1e-5) -> np.ndarray:
    """Gradient of `inner(weights, function(*args))` in the arguments at `positions`, as one vector."""
    args = widen(args)
    chosen = tuple(args[position] for position in positions)
    centre = vector(chosen)

    def at(numbers: np.ndarray) -> float:
        moved = list(args)
        for position, value in zip(positions, from_vector(chosen, numbers)):
            moved[position] = value
        return inner(weights, function(*moved))

    gradient = np.zeros(len(centre))
    for k in range(len(centre)):
        direction = np.zeros(len(centre))
        direction[k] = step
        gradient[k] = (at(centre + direction) - at(centre - direction)) / (2.0 * step)
    return gradient
