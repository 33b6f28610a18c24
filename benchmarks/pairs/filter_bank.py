"""Log energies of a bank of one-dimensional filters over a signal of several channels, written tap by tap."""
import numpy as np


def primal(filters, bias, signal, target):
    taps = filters.shape[2]
    m = signal.shape[1] - taps + 1
    response = np.zeros((filters.shape[0], m)) + bias[:, None]
    for k in range(taps):
        response = response + np.einsum("fc,ct->ft", filters[:, :, k], signal[:, k:k + m])
    feature = np.log(np.mean(response * response, axis=1))
    return np.sum((feature - target) ** 2)


def adjoint(filters, bias, signal, target):
    """Gradient with respect to (filters, bias, signal)."""
    taps = filters.shape[2]
    m = signal.shape[1] - taps + 1
    response = np.empty((filters.shape[0], m))
    response[:] = bias[:, None]
    for k in range(taps):
        response += np.einsum("fc,ct->ft", filters[:, :, k], signal[:, k:k + m])
    energy = np.einsum("ft,ft->f", response, response) / m
    err = np.log(energy) - target
    value = np.dot(err, err)

    # feature = log(mean(response**2)) per filter
    energy_bar = 2.0 * err / energy
    response_bar = response
    response_bar *= (energy_bar * (2.0 / m))[:, None]
    # response = bias + sum over taps of filters[:, :, k] @ signal[:, k:k + m]
    bias_bar = np.sum(response_bar, axis=1)
    filters_bar = np.empty_like(filters)
    signal_bar = np.zeros_like(signal)
    for k in range(taps):
        filters_bar[:, :, k] = response_bar @ signal[:, k:k + m].T
        signal_bar[:, k:k + m] += filters[:, :, k].T @ response_bar
    return value, (filters_bar, bias_bar, signal_bar)


INPUTS = ("filters", "bias", "signal")


def make(size, rng):
    f, c, taps, n = {"tiny": (2, 2, 3, 8), "full": (16, 4, 15, 4000)}[size]
    return (rng.standard_normal((f, c, taps)) / taps, 0.1 * rng.standard_normal(f),
            rng.standard_normal((c, n)), rng.standard_normal(f))
