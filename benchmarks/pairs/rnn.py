"""Tanh recurrent network over time with a squared error at every step."""
import numpy as np


def primal(x, target, wx, wh, b, wo):
    h = np.zeros((x.shape[1], wh.shape[0]))
    loss = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ wx + h @ wh + b)
        err = h @ wo - target[t]
        loss += np.sum(err * err)
    return loss / x.shape[0]


def adjoint(x, target, wx, wh, b, wo):
    """Gradient with respect to (wx, wh, b, wo)."""
    steps = x.shape[0]
    h = np.zeros((x.shape[1], wh.shape[0]))
    loss = 0.0
    h_tape = [h]
    err_tape = []
    for t in range(steps):
        z = x[t] @ wx
        z += h @ wh
        z += b
        h = np.tanh(z, out=z)
        h_tape.append(h)
        err = h @ wo
        err -= target[t]
        err_tape.append(err)
        loss += np.vdot(err, err)
    value = loss / steps

    wx_bar = np.zeros_like(wx)
    wh_bar = np.zeros_like(wh)
    b_bar = np.zeros_like(b)
    wo_bar = np.zeros_like(wo)
    h_bar = np.zeros_like(h)
    for t in range(steps - 1, -1, -1):
        h = h_tape[t + 1]
        # loss += sum(err**2);  err = h @ wo - target[t]
        err_bar = err_tape[t] * (2.0 / steps)
        wo_bar += h.T @ err_bar
        h_bar += err_bar @ wo.T
        # h = tanh(x[t] @ wx + h_previous @ wh + b)
        z_bar = 1.0 - h * h
        z_bar *= h_bar
        wx_bar += x[t].T @ z_bar
        wh_bar += h_tape[t].T @ z_bar
        b_bar += np.sum(z_bar, axis=0)
        h_bar = z_bar @ wh.T
    return value, (wx_bar, wh_bar, b_bar, wo_bar)


INPUTS = ("wx", "wh", "b", "wo")


def make(size, rng):
    steps, batch, n_in, hidden, n_out = {"tiny": (3, 2, 3, 4, 2), "full": (100, 32, 32, 64, 16)}[size]
    return (rng.standard_normal((steps, batch, n_in)), rng.standard_normal((steps, batch, n_out)),
            rng.standard_normal((n_in, hidden)) / np.sqrt(n_in),
            rng.standard_normal((hidden, hidden)) / np.sqrt(hidden),
            0.1 * rng.standard_normal(hidden), rng.standard_normal((hidden, n_out)) / np.sqrt(hidden))


def jax_primal(jax, x, target, wx, wh, b, wo):
    np = jax.numpy

    def step(h, data):
        h = np.tanh(data[0] @ wx + h @ wh + b)
        return h, np.sum((h @ wo - data[1]) ** 2)

    start = np.zeros((x.shape[1], wh.shape[0]))
    return np.sum(jax.lax.scan(step, start, (x, target))[1]) / x.shape[0]
