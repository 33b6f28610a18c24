"""A filter in the frequency domain, fitted to a wanted signal."""
import numpy as np


def primal(gain, signal, target):
    filtered = np.fft.irfft(np.fft.rfft(signal) * gain, signal.shape[0])
    return np.mean((filtered - target) ** 2)


def adjoint(gain, signal, target):
    """Gradient with respect to (gain, signal); gain is real."""
    n = signal.shape[0]
    spectrum = np.fft.rfft(signal)
    err = np.fft.irfft(spectrum * gain, n)
    err -= target
    value = np.dot(err, err) / n

    err *= 2.0 / n
    # a filter with a real gain is symmetric
    response = np.fft.rfft(err)
    signal_bar = np.fft.irfft(response * gain, n)
    gain_bar = spectrum.real * response.real
    gain_bar += spectrum.imag * response.imag
    gain_bar[1:(n + 1) // 2] *= 2.0
    gain_bar /= n
    return value, (gain_bar, signal_bar)


INPUTS = ("gain", "signal")


def make(size, rng):
    n = {"tiny": 8, "full": 16384}[size]
    return rng.uniform(0.5, 1.0, n // 2 + 1), rng.standard_normal(n), rng.standard_normal(n)
