"""Messages along the edges of a graph: gather, transform, scatter, twice."""
import numpy as np


def primal(w1, w2, nodes, source, target, labels):
    h = nodes
    for w in (w1, w2):
        message = np.tanh(h[source] @ w)
        total = np.zeros((nodes.shape[0], w.shape[1]))
        np.add.at(total, target, message)
        h = total
    return np.mean((h - labels) ** 2)


def adjoint(w1, w2, nodes, source, target, labels):
    """Gradient with respect to (w1, w2)."""
    n = nodes.shape[0]
    taken = nodes[source]
    m1 = taken @ w1
    np.tanh(m1, out=m1)
    h1 = np.zeros((n, w1.shape[1]))
    np.add.at(h1, target, m1)
    taken1 = h1[source]
    m2 = taken1 @ w2
    np.tanh(m2, out=m2)
    err = np.zeros((n, w2.shape[1]))
    np.add.at(err, target, m2)
    err -= labels
    value = np.vdot(err, err) / err.size

    err *= 2.0 / err.size
    m2 *= m2
    z_bar = err[target]
    z_bar -= z_bar * m2
    w2_bar = taken1.T @ z_bar
    h1_bar = np.zeros_like(h1)
    np.add.at(h1_bar, source, z_bar @ w2.T)
    m1 *= m1
    z_bar = h1_bar[target]
    z_bar -= z_bar * m1
    w1_bar = taken.T @ z_bar
    return value, (w1_bar, w2_bar)


INPUTS = ("w1", "w2")


def make(size, rng):
    n, edges, a, b, c = {"tiny": (5, 9, 2, 3, 2), "full": (500, 3000, 16, 16, 8)}[size]
    return (rng.standard_normal((a, b)) / np.sqrt(a), rng.standard_normal((b, c)) / np.sqrt(b), rng.standard_normal((n, a)),
            rng.integers(n, size=edges), rng.integers(n, size=edges), rng.standard_normal((n, c)))
