"""A small convolutional network: kernel offsets in loops, ReLU, pooling by two, a dense layer, cross-entropy."""
import numpy as np


def convolved(images, kernels, bias):
    f, c, kh, kw = kernels.shape
    h, w = images.shape[2] - kh + 1, images.shape[3] - kw + 1
    out = np.zeros((images.shape[0], f, h, w))
    for i in range(kh):
        for j in range(kw):
            out += np.einsum("nchw,fc->nfhw", images[:, :, i:i + h, j:j + w], kernels[:, :, i, j])
    return out + bias[None, :, None, None]


def primal(images, labels, kernels, bias, weights, offset):
    h = np.maximum(convolved(images, kernels, bias), 0.0)
    n, f, height, width = h.shape
    pooled = h.reshape(n, f, height // 2, 2, width // 2, 2).max(axis=(3, 5))
    logits = pooled.reshape(n, -1) @ weights + offset
    logits = logits - logits.max(axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(logp[np.arange(n), labels])


def adjoint(images, labels, kernels, bias, weights, offset):
    """Gradient with respect to (kernels, bias, weights, offset)."""
    n, c = images.shape[:2]
    f, _, kh, kw = kernels.shape
    height, width = images.shape[2] - kh + 1, images.shape[3] - kw + 1
    h = convolved(images, kernels, bias)
    np.maximum(h, 0.0, out=h)
    blocks = h.reshape(n, f, height // 2, 2, width // 2, 2)
    top = blocks.max(axis=(3, 5), keepdims=True)
    features = top.reshape(n, -1)
    logits = features @ weights + offset
    logits -= logits.max(axis=1, keepdims=True)
    share = np.exp(logits)
    total = np.sum(share, axis=1, keepdims=True)
    value = np.mean(np.log(total[:, 0]) - logits[np.arange(n), labels])

    # logits: softmax minus one-hot
    logits_bar = share / total
    logits_bar[np.arange(n), labels] -= 1.0
    logits_bar /= n
    offset_bar = np.sum(logits_bar, axis=0)
    weights_bar = features.T @ logits_bar
    top_bar = (logits_bar @ weights.T).reshape(top.shape)
    # the greatest of four receives it all (equal ones share); relu passes on what is positive
    first = blocks == top
    top_bar /= np.sum(first, axis=(3, 5), keepdims=True)
    top_bar *= top > 0.0
    z_bar = (first * top_bar).reshape(h.shape)
    bias_bar = np.sum(z_bar, axis=(0, 2, 3))
    # channels last, so that each offset is one product of matrices
    z_bar = z_bar.transpose(1, 0, 2, 3).reshape(f, -1)
    pixels = np.ascontiguousarray(images.transpose(0, 2, 3, 1))
    kernels_bar = np.empty_like(kernels)
    for i in range(kh):
        for j in range(kw):
            kernels_bar[:, :, i, j] = z_bar @ pixels[:, i:i + height, j:j + width].reshape(-1, c)
    return value, (kernels_bar, bias_bar, weights_bar, offset_bar)


INPUTS = ("kernels", "bias", "weights", "offset")


def make(size, rng):
    n, c, f, side, taps, classes = {"tiny": (2, 2, 2, 6, 3, 3), "full": (16, 3, 8, 30, 3, 10)}[size]
    out = (side - taps + 1) // 2
    return (rng.standard_normal((n, c, side, side)), rng.integers(classes, size=n),
            rng.standard_normal((f, c, taps, taps)) / taps, 0.1 * rng.standard_normal(f),
            rng.standard_normal((f * out * out, classes)) / out, 0.1 * rng.standard_normal(classes))
