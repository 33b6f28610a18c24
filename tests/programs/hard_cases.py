"""The table of hard cases in the design: rows of programs, and the arrays that they work on."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs.kernels.kernel import Kernel

ROWS: dict[str, list[Kernel]] = {}

V3 = np.array([0.3, -0.8, 1.1])
V4 = np.array([0.7, -0.4, 1.3, 0.9])
V5 = np.array([0.7, -0.4, 1.3, 0.9, -1.2])
M23 = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])
M34 = np.array([[0.2, -0.5, 0.9, 1.1], [1.3, 0.4, -0.7, 0.6], [-0.3, 0.8, 0.5, -1.4]])
POSITIVE = np.array([[0.5, 1.5, 0.7], [1.1, 0.4, 2.0]])


def case(row: str, function: Callable, *args: Any, inputs: tuple = ("x",), outputs: tuple = ("return",),
         order: int = 2, may_refuse: bool = False) -> None:
    kernel = Kernel(function, args, inputs, order, may_refuse=may_refuse, outputs=outputs)
    ROWS.setdefault(row, []).append(kernel)
