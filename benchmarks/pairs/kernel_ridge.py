"""Validation error of kernel ridge regression as a function of width and regularisation."""
import numpy as np


def primal(log_width, log_lam, X, y, X_val, y_val):
    def kernel(A, B):
        sq = np.sum(A ** 2, axis=1)[:, None] + np.sum(B ** 2, axis=1)[None, :] - 2.0 * A @ B.T
        return np.exp(-0.5 * sq / np.exp(2.0 * log_width))

    K = kernel(X, X) + np.exp(log_lam) * np.eye(len(X))
    alpha = np.linalg.solve(K, y)
    err = kernel(X_val, X) @ alpha - y_val
    return np.mean(err ** 2)


def adjoint(log_width, log_lam, X, y, X_val, y_val):
    """Gradient with respect to (log_width, log_lam)."""
    n = len(X)
    rate = -0.5 / np.exp(2.0 * log_width)

    def exponent(A, B):
        sq = -2.0 * (A @ B.T)
        sq += np.einsum("ij,ij->i", A, A)[:, None]
        sq += np.einsum("ij,ij->i", B, B)
        sq *= rate
        return sq

    inner, outer = exponent(X, X), exponent(X_val, X)
    K = np.exp(inner)
    K_val = np.exp(outer)
    lam = np.exp(log_lam)
    ridge = K.copy()
    ridge.flat[::n + 1] += lam
    alpha = np.linalg.solve(ridge, y)
    err = K_val @ alpha
    err -= y_val
    value = np.dot(err, err) / len(err)

    err_bar = (2.0 / len(err)) * err
    # alpha = solve(ridge, y): ridge is symmetric
    y_bar = np.linalg.solve(ridge, err_bar @ K_val)
    log_lam_bar = -lam * np.dot(y_bar, alpha)
    # both kernels: d exponent / d log_width = -2 exponent
    inner *= K
    outer *= K_val
    log_width_bar = 2.0 * (y_bar @ inner @ alpha) - 2.0 * (err_bar @ outer @ alpha)
    return value, (log_width_bar, log_lam_bar)


INPUTS = ("log_width", "log_lam")


def make(size, rng):
    n, m, d = {"tiny": (6, 4, 2), "full": (200, 150, 5)}[size]
    X, X_val = rng.standard_normal((n, d)), rng.standard_normal((m, d))
    return 0.3, -1.0, X, np.sin(X[:, 0]), X_val, np.sin(X_val[:, 0])
