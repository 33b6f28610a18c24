"""Layer normalisation, a linear map and a squared error, gradient in the activations too."""
import numpy as np


def primal(x, gain, shift, w, target):
    mean = np.mean(x, axis=-1, keepdims=True)
    var = np.var(x, axis=-1, keepdims=True)
    y = (x - mean) / np.sqrt(var + 1e-5) * gain + shift
    return np.mean((y @ w - target) ** 2)


def adjoint(x, gain, shift, w, target):
    """Gradient with respect to (x, gain, shift, w)."""
    n = x.shape[-1]
    normal = x - np.mean(x, axis=-1, keepdims=True)
    size = np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-5)
    normal /= size
    y = normal * gain
    y += shift
    err = y @ w
    err -= target
    value = np.vdot(err, err) / err.size

    err *= 2.0 / err.size
    w_bar = y.T @ err
    y_bar = err @ w.T
    shift_bar = np.sum(y_bar, axis=0)
    gain_bar = np.einsum("bi,bi->i", y_bar, normal)
    # normal = (x - mean) / size: what changes mean or size of a row is taken away
    x_bar = y_bar
    x_bar *= gain
    along = np.einsum("bi,bi->b", x_bar, normal)[:, None] / n
    x_bar -= np.mean(x_bar, axis=-1, keepdims=True)
    normal *= along
    x_bar -= normal
    x_bar /= size
    return value, (x_bar, gain_bar, shift_bar, w_bar)


INPUTS = ("x", "gain", "shift", "w")


def make(size, rng):
    batch, n, m = {"tiny": (3, 4, 2), "full": (512, 256, 16)}[size]
    return (rng.standard_normal((batch, n)), rng.uniform(0.5, 1.5, n), 0.1 * rng.standard_normal(n),
            rng.standard_normal((n, m)) / np.sqrt(n), rng.standard_normal((batch, m)))
