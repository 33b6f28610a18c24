"""Random numbers whose distribution has parameters, as functions of standard ones: so they have derivatives."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["normal", "uniform", "exponential", "lognormal", "normal_from", "uniform_from", "exponential_from", "lognormal_from"]


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.normal"""
    if size is None:
        size = np.broadcast_shapes(np.shape(loc), np.shape(scale))
    return loc + scale * np.random.standard_normal(size)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """np.random.uniform"""
    if size is None:
        size = np.broadcast_shapes(np.shape(low), np.shape(high))
    return low + (high - low) * np.random.random_sample(size)


def exponential(scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.exponential"""
    if size is None:
        size = np.shape(scale)
    return scale * np.random.standard_exponential(size)


def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """np.random.lognormal"""
    return np.exp(normal(mean, sigma, size))


# --- methods of a Generator or RandomState

def normal_from(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.normal"""
    if size is None:
        size = np.broadcast_shapes(np.shape(loc), np.shape(scale))
    return loc + scale * rng.standard_normal(size)


def uniform_from(rng: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """rng.uniform"""
    if size is None:
        size = np.broadcast_shapes(np.shape(low), np.shape(high))
    if isinstance(rng, np.random.Generator):
        return low + (high - low) * rng.random(size)
    return low + (high - low) * rng.random_sample(size)


def exponential_from(rng: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.exponential"""
    if size is None:
        size = np.shape(scale)
    return scale * rng.standard_exponential(size)


def lognormal_from(rng: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """rng.lognormal"""
    return np.exp(normal_from(rng, mean, sigma, size))
