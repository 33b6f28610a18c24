"""An attack is a program that may be refused, but whose gradient must never be silently wrong."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.oracle import central_gradient, leaves, vector
from tests.programs.program import Corpus, Program

__all__ = ["Corpus", "survive"]


def survive(program: Program) -> str:
    """The gradient equals central differences, or the refusal has a place ("right" or "refused").

    Where the program itself raises, the gradient must raise the same (or be refused). The value must be the
    program's, and the arguments must stay as they were.
    """
    try:
        expected = program.run(*program.fresh())
    except Exception as error:
        return _raises_too(program, type(error))
    args = program.fresh()
    try:
        value, gradient = sg.value_and_grad(program.function, program.inputs)(*args, **program.options)
    except InternalError:
        raise
    except SourcegradError as error:
        assert error.origin is not None, f"not located: {error}"
        assert not error.origin.file.startswith("<sourcegrad"), f"located in generated code: {error}"
        return "refused"
    _same(args, program.args, "arguments changed")
    assert isinstance(expected, (int, float, complex, np.ndarray, np.generic)) and np.size(expected) == 1, (
        f"the output {expected!r} is no scalar, the gradient should be refused")
    _same(value, expected, "value")
    numbers = central_gradient(lambda *args: program.run(*copy.deepcopy(args)), program.fresh(), program.positions, 1.0,
                               program.step)
    actual = vector(gradient)
    assert actual.shape == numbers.shape, f"sourcegrad {gradient!r}, differences {numbers}"
    assert np.allclose(actual, numbers, rtol=2e-5, atol=2e-6), f"sourcegrad {actual}, differences {numbers}"
    return "right"


def _raises_too(program: Program, kind: type) -> str:
    try:
        result = sg.value_and_grad(program.function, program.inputs)(*program.fresh(), **program.options)
    except InternalError:
        raise
    except (SourcegradError, kind):
        return "refused"
    raise AssertionError(f"the program raises {kind.__name__}, its gradient gives {result!r}")


def _same(actual: Any, expected: Any, what: str) -> None:
    left, right = leaves(actual), leaves(expected)
    assert len(left) == len(right), f"{what}: {actual!r} instead of {expected!r}"
    for a, b in zip(left, right):
        if not isinstance(b, (int, float, complex, np.ndarray, np.generic)):
            continue
        if isinstance(b, np.ndarray) and b.dtype == object:
            a, b = a.astype(float), b.astype(float)
        assert np.shape(a) == np.shape(b), f"{what}: {actual!r} instead of {expected!r}"
        assert np.allclose(a, b, equal_nan=True), f"{what}: {actual!r} instead of {expected!r}"
