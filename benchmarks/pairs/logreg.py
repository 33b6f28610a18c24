"""L2-regularised logistic regression: gradient, Hessian-vector product, Hessian."""
import numpy as np


def primal(w, X, y, lam):
    return np.sum(np.logaddexp(0.0, -y * (X @ w))) + 0.5 * lam * np.dot(w, w)


def adjoint(w, X, y, lam):
    margin = -y * (X @ w)
    value = np.sum(np.logaddexp(0.0, margin)) + 0.5 * lam * np.dot(w, w)

    # logaddexp(0, m): derivative is the logistic function of m
    margin_bar = 1.0 / (1.0 + np.exp(-margin))
    w_bar = (margin_bar * -y) @ X + lam * w
    return value, (w_bar,)


def hvp(w, dw, X, y, lam):
    p = 1.0 / (1.0 + np.exp(y * (X @ w)))
    dmargin = -y * (X @ dw)
    dp = p * (1.0 - p) * dmargin
    return (dp * -y) @ X + lam * dw


def hessian(w, X, y, lam):
    """One Hessian-vector product per coordinate."""
    n = w.shape[0]
    H = np.empty((n, n))
    e = np.zeros(n)
    for i in range(n):
        e[i] = 1.0
        H[i] = hvp(w, e, X, y, lam)
        e[i] = 0.0
    return H


def hessian_batched(w, X, y, lam):
    """All directions at once: dw is the identity, so X @ dw is X."""
    p = 1.0 / (1.0 + np.exp(y * (X @ w)))
    dp = (p * (1.0 - p))[:, None] * X
    H = X.T @ dp
    H[np.diag_indices_from(H)] += lam
    return H


INPUTS = ("w",)


def make(size, rng):
    n, d = {"tiny": (6, 3), "full": (1000, 36)}[size]
    return rng.standard_normal(d), rng.standard_normal((n, d)), np.sign(rng.standard_normal(n)), 0.1
