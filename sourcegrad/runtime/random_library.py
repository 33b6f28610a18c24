"""Random numbers whose distribution has parameters, as functions of standard ones: so they have derivatives."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["normal", "uniform", "exponential", "lognormal", "normal_from", "uniform_from", "exponential_from", "lognormal_from",
           "drawn_shape", "interval_shape"]


def drawn_shape(size: Any, first: Any, second: Any, scale: str) -> Any:
    """The shape of what is drawn with two parameters, of which the second, with that name, may not be negative."""
    if np.any(np.asarray(second) < 0):
        raise ValueError(f"{scale} < 0")
    shape = np.broadcast_shapes(np.shape(first), np.shape(second))
    if size is None:
        return shape
    if np.broadcast_shapes(shape, wanted := tuple(np.atleast_1d(size))) != wanted and shape:
        raise ValueError(f"Output size {wanted} is not compatible with broadcast dimensions of inputs {shape}.")
    return size


def interval_shape(size: Any, low: Any, high: Any, ordered: bool) -> Any:
    """The shape of what is drawn between two limits."""
    width = np.asarray(high) - np.asarray(low)
    if not np.all(np.isfinite(width)):
        raise OverflowError("Range exceeds valid bounds")
    return drawn_shape(size, low, width if ordered else np.abs(width), "high - low")


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.normal"""
    return loc + scale * np.random.standard_normal(drawn_shape(size, loc, scale, "scale"))


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """np.random.uniform"""
    return low + np.subtract(high, low) * np.random.random_sample(interval_shape(size, low, high, False))


def exponential(scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.exponential"""
    return scale * np.random.standard_exponential(drawn_shape(size, 0.0, scale, "scale"))


def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """np.random.lognormal"""
    return np.exp(mean + sigma * np.random.standard_normal(drawn_shape(size, mean, sigma, "sigma")))


# --- methods of a Generator or RandomState

def normal_from(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.normal"""
    return loc + scale * rng.standard_normal(drawn_shape(size, loc, scale, "scale"))


def uniform_from(rng: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """rng.uniform"""
    if isinstance(rng, np.random.Generator):
        return low + np.subtract(high, low) * rng.random(interval_shape(size, low, high, True))
    return low + np.subtract(high, low) * rng.random_sample(interval_shape(size, low, high, False))


def exponential_from(rng: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.exponential"""
    return scale * rng.standard_exponential(drawn_shape(size, 0.0, scale, "scale"))


def lognormal_from(rng: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """rng.lognormal"""
    return np.exp(mean + sigma * rng.standard_normal(drawn_shape(size, mean, sigma, "sigma")))
