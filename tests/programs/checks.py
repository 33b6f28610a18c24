"""Compare what sourcegrad gives for a program with dual numbers and with central differences, at any order."""
from __future__ import annotations

import contextlib
import copy
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.oracle import central_gradient, dual_gradient, leaves, random_like, same_structure, vector
from tests.oracle.trees import is_object
from tests.programs.program import Program
from tests.shared import shared


def seeded(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))


def draw_weights(program: Program, order: int) -> list:
    """`grad_outputs` for each of `order` nested gradients: None for a scalar, else random numbers.

    With these, order 2 is the gradient of a random projection of the gradient, and so on.
    """
    rng = seeded(program.name)
    results = [program.run(*program.fresh())] + [program.select(program.args)] * (order - 1)
    return [random_like(result, rng) if isinstance(result, (tuple, list, dict)) or is_object(result) or np.shape(result) else None
            for result in results]


def gradient_function(program: Program, weights: list) -> Any:
    """grad(grad(...)) of the program, as many times as there are weights; the inner ones are those of lower orders."""
    if not weights:
        return program.function

    def make() -> Any:
        chosen = {} if program.inputs is None else {"inputs": program.inputs}
        if weights[-1] is not None:
            chosen["grad_outputs"] = weights[-1]
        return sg.grad(gradient_function(program, weights[:-1]), **chosen)

    return shared(make, program.function, values=(program.inputs, weights))


def exact(program: Program, weights: list) -> np.ndarray:
    """The same from dual numbers."""
    ct, *directions = [1.0 if weight is None else weight for weight in weights]
    along = tuple(v if isinstance(program.inputs, tuple) else (v,) for v in directions)
    return dual_gradient(program.function, program.fresh(), program.positions, ct, along, program.options)


def approximate(program: Program, weights: list, step: float = 1e-5) -> np.ndarray:
    """The same from central differences of the derivative one order lower."""
    *lower, last = weights
    function = gradient_function(program, lower)
    return central_gradient(lambda *args: function(*copy.deepcopy(args), **program.options), program.fresh(), program.positions,
                            1.0 if last is None else last, step)


def is_single(program: Program) -> bool:
    """Whether some argument is float32, so that results have only that precision."""
    return any(getattr(leaf, "dtype", None) == np.float32 for leaf in leaves(program.args))


def source_text(gradient: Any) -> str:
    return gradient.source() if callable(gradient.source) else gradient.source


def agree(actual: np.ndarray, expected: np.ndarray, tolerance: float, what: str) -> None:
    """Raise AssertionError unless equal within `tolerance`, relative to the largest number (or to 1)."""
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    difference = np.abs(actual - expected)
    assert actual.shape == expected.shape and np.all(difference <= tolerance * scale), (
        f"{what}:\n  sourcegrad {actual}\n  expected   {expected}\n  tolerance  {tolerance * scale:.1e}")


@contextlib.contextmanager
def refusal_allowed(program: Program) -> Iterator[None]:
    """Skip the test if a program at the border of the language is refused, with its place."""
    try:
        yield
    except SourcegradError as error:
        if not program.may_refuse or isinstance(error, InternalError) or error.origin is None:
            raise
        pytest.skip(f"refused: {error.message}")


def check_derivative(program: Program, order: int) -> None:
    """The derivative of some order has the right structure and agrees with both oracles."""
    weights = draw_weights(program, order)
    result = gradient_function(program, weights)(*program.fresh(), **program.options)
    expected_like = program.select(program.args)
    assert same_structure(result, expected_like), f"a gradient {result!r} for inputs {expected_like!r}"
    single = is_single(program)
    if program.oracle:
        agree(vector(result), exact(program, weights), 1e-3 if single else 1e-9, f"order {order}, dual numbers")
    agree(vector(result), approximate(program, weights), 2e-3 if single else 2e-6,
          f"order {order}, central differences")
