"""Log-likelihood of a hidden Markov model by the forward recursion in log space."""
import numpy as np


def logsumexp(x, axis):
    top = np.max(x, axis=axis, keepdims=True)
    return np.log(np.sum(np.exp(x - top), axis=axis)) + np.squeeze(top, axis=axis)


def primal(log_start, log_move, log_emit, seen):
    alpha = log_start + log_emit[:, seen[0]]
    for t in range(1, len(seen)):
        alpha = logsumexp(alpha[:, None] + log_move, 0) + log_emit[:, seen[t]]
    return logsumexp(alpha, 0)


def adjoint(log_start, log_move, log_emit, seen):
    """Gradient with respect to (log_start, log_move, log_emit)."""
    n = len(seen)
    shares = []
    alpha = log_start + log_emit[:, seen[0]]
    for t in range(1, n):
        e = alpha[:, None] + log_move
        top = np.max(e, axis=0)
        e -= top
        np.exp(e, out=e)
        total = np.sum(e, axis=0)
        e /= total
        shares.append(e)
        alpha = np.log(total)
        alpha += top
        alpha += log_emit[:, seen[t]]
    top = np.max(alpha)
    e = np.exp(alpha - top)
    total = np.sum(e)
    value = np.log(total) + top

    alpha_bar = e / total
    log_move_bar = np.zeros_like(log_move)
    log_emit_bar = np.zeros_like(log_emit)
    for t in range(n - 1, 0, -1):
        log_emit_bar[:, seen[t]] += alpha_bar
        share = shares.pop()
        share *= alpha_bar
        log_move_bar += share
        alpha_bar = np.sum(share, axis=1)
    log_emit_bar[:, seen[0]] += alpha_bar
    return value, (alpha_bar, log_move_bar, log_emit_bar)


INPUTS = ("log_start", "log_move", "log_emit")


def make(size, rng):
    states, symbols, n = {"tiny": (3, 4, 5), "full": (20, 12, 200)}[size]
    return (np.log(rng.dirichlet(np.ones(states))), np.log(rng.dirichlet(np.ones(states), states)),
            np.log(rng.dirichlet(np.ones(symbols), states)), rng.integers(symbols, size=n))
