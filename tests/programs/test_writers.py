"""Functions of NumPy that write into arrays: gradients of order 1 and 2 against differences, and refusals."""
from __future__ import annotations

import numpy as np
import pytest

from tests.programs.corpus_writers import WRITERS
from tests.programs.kernels.checks import check_kernel
from tests.programs.kernels.kernel import Kernel

CASES = [pytest.param(kernel, order, id=f"{kernel.name}-{number}-order{order}") for number, kernel in enumerate(WRITERS)
         for order in range(1, kernel.order + 1)]


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero")
@pytest.mark.parametrize("kernel, order", CASES)
def test_gradient(kernel: Kernel, order: int) -> None:
    with np.errstate(all="ignore"):
        check_kernel(kernel, order)
