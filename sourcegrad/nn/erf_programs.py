"""What needs SciPy: the exact GELU, and the rule for `erf` in the table of derivatives that all functions share."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erf

from sourcegrad.rules.core import rule


@rule(erf, elementwise=True)
def erf_rule(ct, out, x):
    """d erf(x) = 2 / sqrt(pi) e^(-x^2)"""
    return 2.0 / math.sqrt(math.pi) * ct * np.exp(-x * x)


def gelu(x):
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))
