"""own_seeds: an adjoint that a loop goes on with starts as an array of its own, not as a number that is spread out."""
import numpy as np

from sourcegrad.runtime import broadcast_like, index_add
from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("own_seeds")


@CASES.becomes("""
    x_bar = np.ones(x.shape)
    for k in range(n):
        x_bar = index_add(x_bar, k, 2.0)
    return x_bar
""", x=X, n=2, others=({"n": 0},))
def ones(x, n):
    x_bar = broadcast_like(1.0, x)
    for k in range(n):
        x_bar = index_add(x_bar, k, 2.0)
    return x_bar


@CASES.becomes("""
    x_bar = np.full(x.shape, c)
    for _ in range(n):
        x_bar = x_bar * 2.0
    return x_bar
""", x=X, c=0.5, n=2, others=({"n": 0},))
def another_number(x, c, n):
    x_bar = broadcast_like(c, x)
    for _ in range(n):
        x_bar = x_bar * 2.0
    return x_bar


@CASES.stays(x=X, n=2, others=({"n": 0},))
def the_loop_only_reads_it(x, n):
    x_bar = broadcast_like(1.0, x)
    for _ in range(n):
        x = x * x_bar
    return x


@CASES.stays(x=X, c=np.array([0.5, 1.0, 2.0]), n=2, others=({"n": 0},))
def no_number(x, c, n):
    x_bar = broadcast_like(c, x)
    for _ in range(n):
        x_bar = x_bar * 2.0
    return x_bar


@CASES.stays(x=X.astype(np.float32), n=2, others=({"n": 0},))
def single_precision(x, n):
    x_bar = broadcast_like(1.0, x)
    for _ in range(n):
        x_bar = x_bar * 2.0
    return x_bar


test_own_seeds = CASES.check()
