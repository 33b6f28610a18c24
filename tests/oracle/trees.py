"""Nested tuples, lists and dicts of numbers and arrays, seen as one flat vector of float64."""
from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

import numpy as np


def leaves(value: Any) -> list:
    """The numbers and arrays in a nested value, depth first."""
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if is_object(value):
        return [leaf for item in vars(value).values() if holds_floats(item) for leaf in leaves(item)]
    return [value]


def is_object(value: Any) -> bool:
    """Whether a value is seen as its attributes."""
    return hasattr(value, "__dict__") and not isinstance(value, (type, types.FunctionType, types.ModuleType, np.ndarray)) and (
        type(value).__module__ != "numpy")


def holds_floats(value: Any) -> bool:
    """Whether an attribute can be differentiated with respect to."""
    return any(isinstance(leaf, float) or getattr(getattr(leaf, "dtype", None), "kind", "") == "f" for leaf in leaves(value))


def map_leaves(function: Callable, value: Any) -> Any:
    """The same nested structure with `function` applied to every leaf, depth first."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[map_leaves(function, item) for item in value])
    if isinstance(value, (tuple, list)):
        return type(value)([map_leaves(function, item) for item in value])
    if isinstance(value, dict):
        return {key: map_leaves(function, item) for key, item in value.items()}
    if is_object(value):
        result = copy.copy(value)
        vars(result).update({name: map_leaves(function, item) for name, item in vars(value).items() if holds_floats(item)})
        return result
    return function(value)


def vector(value: Any) -> np.ndarray:
    """All numbers of a nested value in one vector."""
    return np.concatenate([np.zeros(0), *(np.ravel(np.asarray(leaf, dtype=float)) for leaf in leaves(value))])


def from_vector(template: Any, numbers: np.ndarray) -> Any:
    """The structure and shapes of `template` with other numbers; Python numbers become floats."""
    position = 0

    def take(leaf: Any) -> Any:
        nonlocal position
        size = np.size(leaf)
        part = numbers[position:position + size]
        position += size
        if not isinstance(leaf, np.ndarray):
            return part[0]
        array = np.empty_like(leaf, dtype=float)                     # in the same layout
        array[...] = part.reshape(leaf.shape)
        return array

    result = map_leaves(take, template)
    if position != len(numbers):
        raise ValueError(f"{len(numbers)} numbers for a structure that holds {position}")
    return result


def inner(weights: Any, value: Any) -> float:
    """Inner product of two values of one structure."""
    return float(np.dot(vector(weights), vector(value)))


def random_like(value: Any, rng: np.random.Generator) -> Any:
    """Random numbers, none near 0, in the structure and the float types of `value`."""

    def draw(leaf: Any) -> Any:
        noise = rng.uniform(0.5, 1.5, np.shape(leaf)) * rng.choice([-1.0, 1.0], np.shape(leaf))
        if isinstance(leaf, (np.ndarray, np.floating)) and leaf.dtype.kind == "f":
            noise = np.asarray(noise).astype(leaf.dtype)
        return noise if isinstance(leaf, np.ndarray) else float(noise)

    return map_leaves(draw, value)


def same_structure(gradient: Any, value: Any) -> bool:
    """Whether a gradient has the nesting, the shapes and the float types of the value it belongs to."""
    if isinstance(value, (tuple, list)):
        return (type(gradient) is type(value) and len(gradient) == len(value)
                and all(map(same_structure, gradient, value)))
    if isinstance(value, dict):
        return (isinstance(gradient, dict) and list(gradient) == list(value)
                and all(same_structure(gradient[key], value[key]) for key in value))
    if is_object(value):
        return all(same_structure(vars(gradient)[name], item) for name, item in vars(value).items() if holds_floats(item))
    if np.shape(gradient) != np.shape(value):
        return False
    dtype = np.asarray(value).dtype
    return np.asarray(gradient).dtype == (dtype if dtype.kind == "f" else np.dtype(float))
