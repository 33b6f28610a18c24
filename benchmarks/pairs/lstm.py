"""LSTM over time: the gates are slices of one matrix of weights, squared error at the end."""
import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def primal(x, target, w, u, b):
    n = u.shape[0]
    h = np.zeros((x.shape[1], n))
    c = np.zeros((x.shape[1], n))
    for t in range(x.shape[0]):
        i = sigmoid(x[t] @ w[:, :n] + h @ u[:, :n] + b[:n])
        f = sigmoid(x[t] @ w[:, n:2 * n] + h @ u[:, n:2 * n] + b[n:2 * n])
        o = sigmoid(x[t] @ w[:, 2 * n:3 * n] + h @ u[:, 2 * n:3 * n] + b[2 * n:3 * n])
        g = np.tanh(x[t] @ w[:, 3 * n:] + h @ u[:, 3 * n:] + b[3 * n:])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum((h - target) ** 2)


def adjoint(x, target, w, u, b):
    """Gradient with respect to (w, u, b)."""
    steps, batch = x.shape[:2]
    n = u.shape[0]
    h = np.zeros((batch, n))
    c = np.zeros((batch, n))
    tape = []
    for t in range(steps):
        z = x[t] @ w
        z += h @ u
        z += b
        gates = sigmoid(z[:, :3 * n])
        i, f, o = gates[:, :n], gates[:, n:2 * n], gates[:, 2 * n:]
        g = np.tanh(z[:, 3 * n:])
        tape.append((h, c, gates, g))
        c = f * c
        c += i * g
        tanh_c = np.tanh(c)
        h = o * tanh_c
        tape[-1] += (tanh_c,)
    err = h - target
    value = np.vdot(err, err)

    w_bar, u_bar, b_bar = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
    h_bar = 2.0 * err
    c_bar = np.zeros((batch, n))
    z_bar = np.empty((batch, 4 * n))
    for t in range(steps - 1, -1, -1):
        h, c, gates, g, tanh_c = tape.pop()
        i, f, o = gates[:, :n], gates[:, n:2 * n], gates[:, 2 * n:]
        c_bar += h_bar * o * (1.0 - tanh_c * tanh_c)
        # of the gates, then of what goes into them
        z_bar[:, :n] = c_bar * g
        z_bar[:, n:2 * n] = c_bar * c
        z_bar[:, 2 * n:3 * n] = h_bar * tanh_c
        z_bar[:, :3 * n] *= gates * (1.0 - gates)
        z_bar[:, 3 * n:] = c_bar * i * (1.0 - g * g)
        c_bar *= f
        w_bar += x[t].T @ z_bar
        u_bar += h.T @ z_bar
        b_bar += np.sum(z_bar, axis=0)
        h_bar = z_bar @ u.T
    return value, (w_bar, u_bar, b_bar)


INPUTS = ("w", "u", "b")


def make(size, rng):
    steps, batch, n_in, n = {"tiny": (3, 2, 2, 3), "full": (50, 32, 32, 64)}[size]
    return (rng.standard_normal((steps, batch, n_in)), rng.standard_normal((batch, n)),
            rng.standard_normal((n_in, 4 * n)) / np.sqrt(n_in), rng.standard_normal((n, 4 * n)) / np.sqrt(n),
            0.1 * rng.standard_normal(4 * n))
