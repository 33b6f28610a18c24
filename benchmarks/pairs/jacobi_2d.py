"""In-place five-point smoothing, ping-pong between A and B.  Linear: the reverse sweep needs no tape."""
import numpy as np


def primal(steps, A, B):
    for t in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (A[:-2, 1:-1] + A[1:-1, :-2] + A[1:-1, 1:-1]
                               + A[1:-1, 2:] + A[2:, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[:-2, 1:-1] + B[1:-1, :-2] + B[1:-1, 1:-1]
                               + B[1:-1, 2:] + B[2:, 1:-1])
    return np.sum(A)


def adjoint(steps, A, B):
    A = A.copy()
    B = B.copy()
    for t in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (A[:-2, 1:-1] + A[1:-1, :-2] + A[1:-1, 1:-1]
                               + A[1:-1, 2:] + A[2:, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[:-2, 1:-1] + B[1:-1, :-2] + B[1:-1, 1:-1]
                               + B[1:-1, 2:] + B[2:, 1:-1])
    value = np.sum(A)

    A_bar = np.ones_like(A)
    B_bar = np.zeros_like(B)
    for t in range(steps - 1, 0, -1):
        # A[1:-1, 1:-1] = 0.2 * (five-point sum of B)
        w = 0.2 * A_bar[1:-1, 1:-1]
        A_bar[1:-1, 1:-1] = 0.0
        B_bar[:-2, 1:-1] += w
        B_bar[1:-1, :-2] += w
        B_bar[1:-1, 1:-1] += w
        B_bar[1:-1, 2:] += w
        B_bar[2:, 1:-1] += w
        # B[1:-1, 1:-1] = 0.2 * (five-point sum of A)
        w = 0.2 * B_bar[1:-1, 1:-1]
        B_bar[1:-1, 1:-1] = 0.0
        A_bar[:-2, 1:-1] += w
        A_bar[1:-1, :-2] += w
        A_bar[1:-1, 1:-1] += w
        A_bar[1:-1, 2:] += w
        A_bar[2:, 1:-1] += w
    return value, (A_bar, B_bar)


INPUTS = ("A", "B")
IN_PLACE = True


def make(size, rng):
    steps, n = {"tiny": (3, 5), "full": (50, 150)}[size]
    return steps, rng.standard_normal((n, n)), rng.standard_normal((n, n))


def smoothed(xp, source, target):
    """target, with its interior replaced by the five-point mean of source."""
    interior = 0.2 * (source[:-2, 1:-1] + source[1:-1, :-2] + source[1:-1, 1:-1]
                      + source[1:-1, 2:] + source[2:, 1:-1])
    rows = xp.concatenate([target[1:-1, :1], interior, target[1:-1, -1:]], axis=1)
    return xp.concatenate([target[:1], rows, target[-1:]], axis=0)


def primal_in(xp, steps, A, B):
    for _ in range(1, steps):
        B = smoothed(xp, A, B)
        A = smoothed(xp, B, A)
    return xp.sum(A)


def jax_primal(jax, steps, A, B):
    def step(_, state):
        B = smoothed(jax.numpy, state[0], state[1])
        return smoothed(jax.numpy, B, state[0]), B

    return jax.numpy.sum(jax.lax.fori_loop(1, steps, step, (A, B))[0])
