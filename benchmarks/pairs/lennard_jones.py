"""Energy of argon-like atoms, all pairs at once."""
import numpy as np


def primal(pos, sigma, epsilon):
    d = pos[:, None, :] - pos[None, :, :]
    r2 = np.sum(d ** 2, axis=-1)
    np.fill_diagonal(r2, np.inf)
    s6 = (sigma ** 2 / r2) ** 3
    return 2.0 * epsilon * np.sum(s6 ** 2 - s6)


def adjoint(pos, sigma, epsilon):
    """Gradient with respect to (pos, sigma, epsilon)."""
    d = pos[:, None, :] - pos[None, :, :]
    r2 = np.sum(d ** 2, axis=-1)
    np.fill_diagonal(r2, np.inf)
    s6 = (sigma ** 2 / r2) ** 3
    both = np.sum(s6 * s6 - s6)
    value = 2.0 * epsilon * both

    # d(s^12 - s^6) = (2 s^6 - 1) ds^6;  ds^6 = 6 s^6 dsigma / sigma - 3 s^6 dr2 / r2
    weight = 2.0 * s6
    weight -= 1.0
    weight *= s6
    sigma_bar = 12.0 * epsilon / sigma * np.sum(weight)
    r2_bar = weight
    r2_bar /= r2
    r2_bar *= -6.0 * epsilon
    # each pair counts twice, with opposite d
    pos_bar = 4.0 * np.einsum("ij,ijk->ik", r2_bar, d)
    return value, (pos_bar, sigma_bar, 2.0 * both)


INPUTS = ("pos", "sigma", "epsilon")


def make(size, rng):
    side = {"tiny": 2, "full": 5}[size]
    grid = np.stack(np.meshgrid(*[np.arange(float(side))] * 3), axis=-1).reshape(-1, 3)
    return 1.2 * grid + 0.1 * rng.standard_normal(grid.shape), 1.0, 0.7
