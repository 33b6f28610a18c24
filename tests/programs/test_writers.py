"""Functions of NumPy that write into arrays: gradients of order 1 and 2 against differences, and refusals."""
from __future__ import annotations

import inspect
import types

import numpy as np
import pytest

from sourcegrad.primitives.core import RULES, primitive_of
from tests.programs.corpus_writers import WRITERS
from tests.programs.kernels.checks import check_kernel
from tests.programs.kernels.kernel import Kernel

CASES = [pytest.param(kernel, order, id=f"{kernel.name}-{number}-order{order}") for number, kernel in enumerate(WRITERS)
         for order in range(1, kernel.order + 1)]


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero", "ignore:Setting the shape")
@pytest.mark.parametrize("kernel, order", CASES)
def test_gradient(kernel: Kernel, order: int) -> None:
    with np.errstate(all="ignore"):
        check_kernel(kernel, order)


def test_where_compiled_functions_write_is_known() -> None:
    """Older NumPy does not tell the parameters of compiled functions: what newer NumPy tells is written down."""
    for function in RULES:
        if isinstance(function, types.BuiltinFunctionType) and (function.__module__ or "").startswith("numpy"):
            try:
                told = [p.name for p in inspect.signature(function).parameters.values() if p.kind != p.KEYWORD_ONLY]
            except ValueError:
                continue
            assert primitive_of(function).parameters == (tuple(told) if "out" in told else ()), function
