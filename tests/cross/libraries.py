"""The namespaces of the other libraries in which a form is run, and their gradients."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.cross.compare import directions


class Library:
    """The names that a form may use, and the gradients of a function of these."""

    names: dict[str, Any]

    def gradients(self, function: Callable, values: list[Any], order: int, compiled: bool = True) -> list[np.ndarray]:
        raise NotImplementedError


class Jax(Library):
    def __init__(self) -> None:
        self.jax = jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        scipy = importlib.import_module("jax.scipy")
        parts = "special stats linalg signal fft integrate interpolate ndimage".split()
        for part in parts:
            importlib.import_module(f"jax.scipy.{part}")
        self.names = {"np": importlib.import_module("jax.numpy"), **{part: getattr(scipy, part) for part in parts}}

    def gradients(self, function: Callable, values: list[Any], order: int, compiled: bool = True) -> list[np.ndarray]:
        gradient = self.jax.grad(function, tuple(range(len(values))))
        along = tuple(np.asarray(d, float) for d in directions(values))

        def found(*values: Any) -> Any:
            return gradient(*values) if order == 1 else self.jax.jvp(gradient, values, along)[1]

        given = tuple(np.asarray(v, float) for v in values)
        try:
            if not compiled:                    # what XLA makes of comparisons with NaN is not what the operations do one by one
                return [np.asarray(g) for g in found(*given)]
            return [np.asarray(g) for g in self.jax.jit(found)(*given)]         # much faster, where shapes do not depend on values
        except Exception:
            return [np.asarray(g) for g in found(*(values if order == 1 else given))]


class Autograd(Library):
    def __init__(self) -> None:
        self.autograd = pytest.importorskip("autograd")
        scipy = {part: importlib.import_module(f"autograd.scipy.{part}") for part in "special linalg signal integrate".split()}
        families = "beta chi2 dirichlet gamma norm poisson t multivariate_normal".split()
        scipy["stats"] = types.SimpleNamespace(
            **{name: importlib.import_module(f"autograd.scipy.stats.{name}") for name in families}
        )
        self.names = {"np": importlib.import_module("autograd.numpy"), **scipy}

    def gradients(self, function: Callable, values: list[Any], order: int, compiled: bool = True) -> list[np.ndarray]:
        grad, np_ = self.autograd.grad, self.names["np"]
        each = range(len(values))
        if order == 1:
            return [np.asarray(grad(function, k)(*values)) for k in each]
        along = directions(values)

        def slope(*args: Any) -> Any:
            return sum(np_.sum(grad(function, k)(*args) * along[k]) for k in each)

        return [np.asarray(grad(slope, k)(*values)) for k in each]
