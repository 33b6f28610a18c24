"""borrow: a shape comes from where it costs nothing, so that what had it need be neither kept nor computed."""
import numpy as np

from sourcegrad.runtime import broadcast_like
from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("borrow")


@CASES.becomes("""
    # --- reverse sweep
    return broadcast_like(1.0, x) * np.cos(x)
""", x=X)
def what_is_computed_for_its_shape_only(x):
    y = x * x
    z = np.sin(y)
    "# --- reverse sweep"
    return broadcast_like(1.0, z) * np.cos(x)


@CASES.becomes("""
    y = x
    y_tape = []
    for _ in range(n):
        y_tape.append(y)
        y = np.sin(y)
    # --- reverse sweep
    y_bar = 1.0
    for _ in reversed(range(n)):
        y = y_tape.pop()
        y_bar = y_bar * np.ones(x.shape)
    return y_bar
""", x=X, n=2, others=({"n": 0},))
def what_is_kept_on_a_tape(x, n):
    y = x
    y_tape = []
    for _ in range(n):
        y_tape.append(y)
        y = np.sin(y)
    "# --- reverse sweep"
    y_bar = 1.0
    for _ in reversed(range(n)):
        y = y_tape.pop()
        y_bar = y_bar * np.ones(y.shape)
    return y_bar


@CASES.stays(x=X)
def its_values_are_read(x):
    y = x * x
    z = np.sin(y)
    "# --- reverse sweep"
    return broadcast_like(1.0, z) * z


@CASES.stays(x=X)
def another_size(x):
    y = x[1:]
    z = np.sin(y)
    "# --- reverse sweep"
    return np.ones(z.shape)


@CASES.stays(x=X.astype(np.float32))
def another_dtype(x):
    y = np.float64(2.0) * x.astype(np.float64)
    z = np.sin(y)
    "# --- reverse sweep"
    return broadcast_like(1.0, z)


test_borrow = CASES.check()
