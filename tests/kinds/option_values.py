"""What calls in `option_grid` are made of: shapes of x, values for them, and combinations of optional parameters."""

from __future__ import annotations

import itertools

import numpy as np

SHAPES = {
    "scalar": (),
    "none": (0,),
    "one": (1,),
    "row": (4,),
    "grid": (3, 4),
    "flat": (1, 3),
    "empty": (0, 3),
    "thin": (3, 1),
    "block": (2, 3, 2),
    "layer": (2, 1, 3),
    "square": (3, 3),
    "stack": (2, 3, 3),
}


def values(shape: str, dtype: str = "float64") -> np.ndarray:
    """Distinct values of either sign, none near to a step."""
    size = int(np.prod(SHAPES[shape]))
    rng = np.random.default_rng(size)
    found = (rng.permutation(size) - 0.5 * size + 0.3 + rng.uniform(0.0, 0.3, size)) / max(size, 1) * 2.5 + 0.05
    return found.reshape(SHAPES[shape]).astype(dtype)


def options(pairs: bool = True, **choices: list) -> list[str]:
    """Texts of keyword arguments: none, each alone, and every two of different parameters."""
    single = [(name, f"{name}={value}") for name, found in choices.items() for value in found]
    both = [(a[1], b[1]) for a, b in itertools.combinations(single, 2) if a[0] != b[0]] if pairs else []
    return ["", *(f", {text}" for _, text in single), *(f", {a}, {b}" for a, b in both)]


def calls(functions: str, argument: str = "x", rest: str = "", **choices: list) -> dict[str, list[str]]:
    """name -> calls with all options"""
    return {
        name: [f"{'' if '.' in name else 'np.'}{name}({argument}{rest}{chosen})" for chosen in options(**choices)]
        for name in functions.split()
    }


def methods(names: str, **choices: list) -> dict[str, list[str]]:
    return {f"x.{name}": [f"x.{name}({chosen.lstrip(', ')})" for chosen in options(**choices)] for name in names.split()}
