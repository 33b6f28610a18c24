"""Two-dimensional convolution of a batch of images, written with windows, and a squared error."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def primal(images, kernels, target):
    windows = sliding_window_view(images, kernels.shape[2:], axis=(2, 3))
    response = np.einsum("nchwij,fcij->nfhw", windows, kernels)
    return np.sum((response - target) ** 2)


def adjoint(images, kernels, target):
    """Gradient with respect to (images, kernels)."""
    n, c, height, width = images.shape
    f, _, kh, kw = kernels.shape
    h, w = height - kh + 1, width - kw + 1
    windows = sliding_window_view(images, (kh, kw), axis=(2, 3))
    err = np.einsum("nchwij,fcij->nfhw", windows, kernels)
    err -= target
    value = np.vdot(err, err)

    # one product of matrices: a row for each window
    rows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * w, c * kh * kw)
    weights = kernels.reshape(f, c * kh * kw)
    response_bar = err.transpose(0, 2, 3, 1).reshape(n * h * w, f)
    response_bar *= 2.0
    kernels_bar = (response_bar.T @ rows).reshape(kernels.shape)
    # an image receives its share through each offset of the kernel
    rows_bar = (response_bar @ weights).reshape(n, h, w, c, kh, kw)
    images_bar = np.zeros_like(images)
    for i in range(kh):
        for j in range(kw):
            images_bar[:, :, i:i + h, j:j + w] += rows_bar[:, :, :, :, i, j].transpose(0, 3, 1, 2)
    return value, (images_bar, kernels_bar)


INPUTS = ("images", "kernels")


def make(size, rng):
    n, c, f, side, taps = {"tiny": (2, 2, 2, 5, 3), "full": (4, 3, 8, 32, 5)}[size]
    out = side - taps + 1
    return (rng.standard_normal((n, c, side, side)), rng.standard_normal((f, c, taps, taps)) / taps,
            rng.standard_normal((n, f, out, out)))
