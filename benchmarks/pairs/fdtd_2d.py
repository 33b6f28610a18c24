"""Maxwell's equations on a staggered grid, updated in place; a source drives one edge.  Linear: no tape."""
import numpy as np


def primal(ex, ey, hz, fict):
    for t in range(fict.shape[0]):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz)


def adjoint(ex, ey, hz, fict):
    value = primal(ex.copy(), ey.copy(), hz.copy(), fict)

    ex_bar = np.zeros_like(ex)
    ey_bar = np.zeros_like(ey)
    hz_bar = np.ones_like(hz)
    fict_bar = np.zeros_like(fict)
    for t in range(fict.shape[0] - 1, -1, -1):
        # hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        w = 0.7 * hz_bar[:-1, :-1]
        ex_bar[:-1, 1:] -= w
        ex_bar[:-1, :-1] += w
        ey_bar[1:, :-1] -= w
        ey_bar[:-1, :-1] += w
        # ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        w = 0.5 * ex_bar[:, 1:]
        hz_bar[:, 1:] -= w
        hz_bar[:, :-1] += w
        # ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        w = 0.5 * ey_bar[1:, :]
        hz_bar[1:, :] -= w
        hz_bar[:-1, :] += w
        # ey[0, :] = fict[t]
        fict_bar[t] = np.sum(ey_bar[0])
        ey_bar[0] = 0.0
    return value, (ex_bar, ey_bar, hz_bar, fict_bar)


INPUTS = ("ex", "ey", "hz", "fict")
IN_PLACE = True
jax_primal = None           # no item assignment
autograd_primal = None      # no item assignment


def make(size, rng):
    steps, n, m = {"tiny": (3, 4, 5), "full": (60, 120, 140)}[size]
    return *rng.standard_normal((3, n, m)), rng.standard_normal(steps)
