"""`nn.utils`: gradients with a limited norm or value, parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sourcegrad.errors import refuse, refuse_type
from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.shapes import cat


def _graded(parameters: Any) -> list[Tensor]:
    found = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p for p in found if p.grad is not None]


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Tensor:
    """Scale all gradients so that their norm together is at most max_norm; returns the norm before."""
    found = _graded(parameters)
    norms = [np.linalg.norm(p.grad._data.reshape(-1), float(norm_type)) for p in found]  # type: ignore[union-attr]
    total = float(np.linalg.norm(norms, float(norm_type))) if norms else 0.0
    if error_if_nonfinite and not math.isfinite(total):
        refuse(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped.")
    factor = min(float(max_norm) / (total + 1e-6), 1.0) if not math.isnan(total) else math.nan
    for p in found:
        p.grad._data *= factor  # type: ignore[union-attr]
        p.grad._counter[0] += 1  # type: ignore[union-attr]
    return constant(np.asarray(total))


def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Gradients outside +-clip_value become the bound."""
    for p in _graded(parameters):
        np.clip(p.grad._data, -clip_value, clip_value, out=p.grad._data)  # type: ignore[union-attr]


def get_total_norm(tensors: Iterable[Tensor], norm_type: float = 2.0) -> Tensor:
    return constant(np.asarray(np.linalg.norm([np.linalg.norm(t._data.reshape(-1), norm_type) for t in tensors], norm_type)))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    return cat([p.reshape(-1) for p in parameters])  # type: ignore[attr-defined]


def vector_to_parameters(vector: Tensor, parameters: Iterable[Tensor]) -> None:
    if not isinstance(vector, Tensor):
        refuse_type(f"expected a Tensor, but got: {type(vector).__name__}")
    start = 0
    for p in parameters:
        p._data[...] = vector._data[start : start + p._data.size].reshape(p._data.shape)
        p._counter[0] += 1
        start += p._data.size
