"""Log-likelihood of correlated normal observations: covariance from factors and noise, through its Cholesky factor."""
import numpy as np


def primal(mean, factors, log_noise, data):
    n, d = data.shape
    cov = factors @ factors.T + np.diag(np.exp(log_noise))
    L = np.linalg.cholesky(cov)
    z = np.linalg.solve(L, (data - mean).T)
    return -0.5 * np.sum(z ** 2) - n * np.sum(np.log(np.diag(L))) - 0.5 * n * d * np.log(2.0 * np.pi)


def adjoint(mean, factors, log_noise, data):
    """Gradient with respect to (mean, factors, log_noise)."""
    n, d = data.shape
    noise = np.exp(log_noise)
    cov = factors @ factors.T
    cov.flat[::d + 1] += noise
    L = np.linalg.cholesky(cov)
    z = np.linalg.solve(L, (data - mean).T)
    value = -0.5 * np.vdot(z, z) - n * np.sum(np.log(np.diag(L))) - 0.5 * n * d * np.log(2.0 * np.pi)

    # value = -(sum of r . cov^-1 r + n log det cov) / 2 + constant
    L_inv = np.linalg.inv(L)
    weighted = L_inv.T @ z
    mean_bar = np.sum(weighted, axis=1)
    cov_bar = weighted @ weighted.T
    cov_bar -= n * (L_inv.T @ L_inv)
    factors_bar = cov_bar @ factors                         # twice a half: cov_bar is symmetric
    log_noise_bar = 0.5 * np.diag(cov_bar) * noise
    return value, (mean_bar, factors_bar, log_noise_bar)


INPUTS = ("mean", "factors", "log_noise")


def make(size, rng):
    n, d, k = {"tiny": (5, 3, 2), "full": (400, 100, 5)}[size]
    return (0.1 * rng.standard_normal(d), rng.standard_normal((d, k)), 0.3 * rng.standard_normal(d),
            rng.standard_normal((n, d)))
