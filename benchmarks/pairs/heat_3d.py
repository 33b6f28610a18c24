"""Heat equation on a box, ping-pong between A and B.  Linear and symmetric: the reverse sweep needs no tape."""
import numpy as np


def primal(steps, A, B):
    for t in range(1, steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1])
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
            + B[1:-1, 1:-1, 1:-1])
    return np.sum(A)


def adjoint(steps, A, B):
    A, B = A.copy(), B.copy()
    value = primal(steps, A, B)

    A_bar = np.ones_like(A)
    B_bar = np.zeros_like(B)
    for t in range(steps - 1, 0, -1):
        # A[1:-1, 1:-1, 1:-1] = 0.25 * B[1:-1, 1:-1, 1:-1] + 0.125 * (six neighbours of B)
        pull(A_bar, B_bar)
        # B[1:-1, 1:-1, 1:-1] = 0.25 * A[1:-1, 1:-1, 1:-1] + 0.125 * (six neighbours of A)
        pull(B_bar, A_bar)
    return value, (A_bar, B_bar)


def pull(target_bar, source_bar):
    """Reverse of one half step: from the interior of the target to the source and its neighbours."""
    w = 0.125 * target_bar[1:-1, 1:-1, 1:-1]
    target_bar[1:-1, 1:-1, 1:-1] = 0.0
    source_bar[2:, 1:-1, 1:-1] += w
    source_bar[:-2, 1:-1, 1:-1] += w
    source_bar[1:-1, 2:, 1:-1] += w
    source_bar[1:-1, :-2, 1:-1] += w
    source_bar[1:-1, 1:-1, 2:] += w
    source_bar[1:-1, 1:-1, :-2] += w
    w *= 2.0
    source_bar[1:-1, 1:-1, 1:-1] += w


INPUTS = ("A", "B")
IN_PLACE = True
jax_primal = None           # no item assignment
autograd_primal = None      # no item assignment


def make(size, rng):
    steps, n = {"tiny": (3, 4), "full": (30, 30)}[size]
    return steps, rng.standard_normal((n, n, n)), rng.standard_normal((n, n, n))
