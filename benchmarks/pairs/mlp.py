"""Two hidden ReLU layers, softmax cross-entropy against one-hot targets."""
import numpy as np


def primal(x, target, w1, b1, w2, b2, w3, b3):
    h1 = np.maximum(x @ w1 + b1, 0.0)
    h2 = np.maximum(h1 @ w2 + b2, 0.0)
    z = h2 @ w3 + b3
    z = z - np.max(z, axis=1, keepdims=True)
    logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.sum(target * logp) / x.shape[0]


def adjoint(x, target, w1, b1, w2, b2, w3, b3):
    """Gradient with respect to (w1, b1, w2, b2, w3, b3)."""
    n = x.shape[0]
    h1 = x @ w1
    h1 += b1
    np.maximum(h1, 0.0, out=h1)
    h2 = h1 @ w2
    h2 += b2
    np.maximum(h2, 0.0, out=h2)
    z = h2 @ w3
    z += b3
    z -= np.max(z, axis=1, keepdims=True)
    exp_z = np.exp(z)
    sum_exp = np.sum(exp_z, axis=1, keepdims=True)
    logp = z - np.log(sum_exp)
    value = -np.sum(target * logp) / n

    # value = -sum(target * logp) / n
    logp_bar = target * (-1.0 / n)
    # logp = z - log(sum(exp(z)));  the row maximum cancels
    z_bar = logp_bar - exp_z * (np.sum(logp_bar, axis=1, keepdims=True) / sum_exp)
    # z = h2 @ w3 + b3
    b3_bar = np.sum(z_bar, axis=0)
    w3_bar = h2.T @ z_bar
    h2_bar = z_bar @ w3.T
    # h2 = maximum(h1 @ w2 + b2, 0)
    h2_bar *= h2 > 0.0
    b2_bar = np.sum(h2_bar, axis=0)
    w2_bar = h1.T @ h2_bar
    h1_bar = h2_bar @ w2.T
    # h1 = maximum(x @ w1 + b1, 0)
    h1_bar *= h1 > 0.0
    b1_bar = np.sum(h1_bar, axis=0)
    w1_bar = x.T @ h1_bar
    return value, (w1_bar, b1_bar, w2_bar, b2_bar, w3_bar, b3_bar)


INPUTS = ("w1", "b1", "w2", "b2", "w3", "b3")


def make(size, rng):
    batch, *widths = {"tiny": (3, 5, 4, 4, 3), "full": (64, 784, 256, 256, 10)}[size]
    parameters = []
    for fan_in, fan_out in zip(widths, widths[1:]):
        parameters.append(rng.standard_normal((fan_in, fan_out)) / np.sqrt(fan_in))
        parameters.append(0.1 * rng.standard_normal(fan_out))
    target = np.eye(widths[-1])[rng.integers(widths[-1], size=batch)]
    return rng.standard_normal((batch, widths[0])), target, *parameters
