"""Soft assignment of points to centres, and the distances that it costs."""
import numpy as np


def primal(centres, points, stiffness):
    d2 = np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
    w = np.exp(-stiffness * (d2 - d2.min(axis=1, keepdims=True)))
    w = w / w.sum(axis=1, keepdims=True)
    return np.mean(np.sum(w * d2, axis=1))


def adjoint(centres, points, stiffness):
    """Gradient with respect to centres."""
    n = len(points)
    diff = points[:, None, :] - centres[None, :, :]
    d2 = np.sum(diff ** 2, axis=2)
    w = d2 - d2.min(axis=1, keepdims=True)
    w *= -stiffness
    np.exp(w, out=w)
    w /= w.sum(axis=1, keepdims=True)
    cost = np.sum(w * d2, axis=1)
    value = np.mean(cost)

    # d2 counts itself, and through the softmax
    d2_bar = cost[:, None] - d2
    d2_bar *= stiffness
    d2_bar += 1.0
    d2_bar *= w
    d2_bar /= n
    centres_bar = -2.0 * np.einsum("nk,nkd->kd", d2_bar, diff)
    return value, centres_bar


INPUTS = ("centres",)


def make(size, rng):
    n, k, d = {"tiny": (8, 3, 2), "full": (2000, 10, 8)}[size]
    return rng.standard_normal((k, d)), rng.standard_normal((n, d)), 0.8
