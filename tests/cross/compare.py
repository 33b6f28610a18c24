"""Gradients of a form by sourcegrad and by another library: the same text, of which the names mean the functions of either.

A form is as in `tests.coverage.values`: statements, and at the end an expression. Its result is summed with weights that are all
different, so that the gradient of the sum knows every element of the result.
"""
from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sourcegrad as sg
from tests.coverage.values import HEADER, SCIPY, arguments, given, lines, module_of

WEIGHTS = "np.cos(1.3 * np.arange(np.size(result)) + 0.4)"
RTOL, ATOL = 1e-7, 1e-9


def loss_text(form: str, name: str = "f", names: list[str] | None = None) -> str:
    """The source of a function of the values of a form, which sums its result with weights."""
    *before, result = lines(form)
    body = "".join(f"    {line}\n" for line in (*before, f"result = {result}"))
    given_names = ", ".join(arguments(form) if names is None else names)
    return f"def {name}({given_names}):\n{body}    return np.sum(np.ravel(result) * {WEIGHTS})\n"


def loss(form: str, path: Path, names: list[str] | None = None) -> Callable:
    """That function, in a module of its own: sourcegrad reads its source."""
    return module_of([HEADER, SCIPY, "from scipy.spatial import distance\n", loss_text(form, names=names)], path).f


def loss_of(form: str, namespace: dict[str, Any], names: list[str] | None = None) -> Callable:
    """That function with the names of another library."""
    held = dict(namespace)
    exec(loss_text(form, names=names), held)
    return held["f"]


def directions(values: list[Any]) -> list[Any]:
    """Directions of a second derivative, one for each value."""
    return [np.cos(np.arange(np.size(v)) + 1.0).reshape(np.shape(v)) if np.ndim(v) else 0.7 for v in values]


def of_sourcegrad(function: Callable, values: list[Any], order: int) -> list[np.ndarray]:
    """The gradients by all values; of order 2 the products of the Hessian with the directions."""
    inputs = tuple(range(len(values)))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if order == 1:
            return [np.asarray(g) for g in sg.grad(function, inputs)(*values)]
        first, *rest = values
        along = tuple(directions(values))
        if not rest:
            return [np.asarray(sg.hvp(function)(first, along[0]))]
        return [np.asarray(g) for g in sg.hvp(function, inputs)(first, along, *rest)]


def unlike(found: list[np.ndarray], wanted: list[np.ndarray], rtol: float = RTOL, atol: float = ATOL) -> str:
    """What differs, or nothing."""
    for k, (a, b) in enumerate(zip(found, wanted, strict=True)):
        if np.shape(a) != np.shape(b) or not np.allclose(a, b, rtol, atol, equal_nan=False):
            return f"by the {k + 1}th value {a} is not {b}"
    return ""


__all__ = ["arguments", "given", "loss", "loss_of", "of_sourcegrad", "unlike"]
