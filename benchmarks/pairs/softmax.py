"""Softmax over the last axis of a 4-D array; loss = sum(weight * softmax(x))."""
import numpy as np


def primal(x, weight):
    top = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - top)
    total = np.sum(e, axis=-1, keepdims=True)
    return np.sum(weight * (e / total))


def adjoint(x, weight):
    """Gradient with respect to x (weight is data)."""
    top = np.max(x, axis=-1, keepdims=True)
    out = x - top
    np.exp(out, out=out)
    out /= np.sum(out, axis=-1, keepdims=True)

    # out = softmax(x), out_bar = weight
    x_bar = weight * out
    row = np.sum(x_bar, axis=-1, keepdims=True)
    value = np.sum(row)
    out *= row
    x_bar -= out
    return value, (x_bar,)


INPUTS = ("x",)


def make(size, rng):
    shape = {"tiny": (2, 1, 3, 4), "full": (16, 16, 128, 128)}[size]
    return rng.standard_normal(shape), rng.standard_normal(shape)
