"""Programs that need SciPy."""

from __future__ import annotations

import math

from scipy.special import erf


def gelu(x):
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))
