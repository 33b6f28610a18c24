"""Quantile regression, and the spread of sorted residuals weighted by rank."""
import numpy as np


def primal(beta, X, y, q, ranks):
    r = y - X @ beta
    pinball = np.mean(np.maximum(q * r, (q - 1.0) * r))
    return pinball + np.dot(ranks, np.sort(r)) / len(r)


def adjoint(beta, X, y, q, ranks):
    """Gradient with respect to beta."""
    n = len(y)
    r = y - X @ beta
    order = np.argsort(r, kind="stable")                   # equal residuals keep their order
    pinball = np.maximum(q * r, (q - 1.0) * r)
    value = np.mean(pinball) + np.dot(ranks, r[order]) / n

    r_bar = np.where(r > 0.0, q / n, (q - 1.0) / n)
    r_bar[order] += ranks / n
    return value, -(r_bar @ X)


INPUTS = ("beta",)


def make(size, rng):
    n, d = {"tiny": (9, 2), "full": (20000, 10)}[size]
    return rng.standard_normal(d), rng.standard_normal((n, d)), rng.standard_normal(n), 0.8, np.linspace(-1.0, 1.0, n)
