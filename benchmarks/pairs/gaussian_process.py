"""Negative log marginal likelihood of a Gaussian process, squared exponential kernel, a scale per dimension.

Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), eq. 2.30; gradient eq. 5.9.
"""
import math

import numpy as np


def primal(log_scale, log_amplitude, log_noise, X, y):
    n = X.shape[0]
    Z = X / np.exp(log_scale)
    sq = np.sum(Z * Z, axis=1)
    distance = sq[:, None] + sq - 2.0 * (Z @ Z.T)
    K = np.exp(2.0 * log_amplitude - 0.5 * distance) + np.exp(2.0 * log_noise) * np.eye(n)
    L = np.linalg.cholesky(K)
    w = np.linalg.solve(L, y)
    return 0.5 * np.dot(w, w) + np.sum(np.log(np.diag(L))) + 0.5 * n * math.log(2.0 * math.pi)


def adjoint(log_scale, log_amplitude, log_noise, X, y):
    """Gradient with respect to (log_scale, log_amplitude, log_noise)."""
    n = X.shape[0]
    scale = np.exp(log_scale)
    Z = X / scale
    sq = np.sum(Z * Z, axis=1)
    signal = Z @ Z.T
    signal -= 0.5 * sq[:, None]
    signal -= 0.5 * sq
    signal += 2.0 * log_amplitude
    np.exp(signal, out=signal)
    noise = math.exp(2.0 * log_noise)
    K = signal.copy()
    K.flat[::n + 1] += noise
    L = np.linalg.cholesky(K)
    w = np.linalg.solve(L, y)
    value = 0.5 * np.dot(w, w) + np.sum(np.log(np.diag(L))) + 0.5 * n * math.log(2.0 * math.pi)

    # value = (y . K^-1 y + log det K) / 2 + constant
    L_inv = np.linalg.inv(L)
    alpha = L_inv.T @ w
    K_bar = L_inv.T @ L_inv
    K_bar -= np.outer(alpha, alpha)
    K_bar *= 0.5
    # K = signal + noise * eye
    log_noise_bar = 2.0 * noise * np.trace(K_bar)
    # signal = exp(2 * log_amplitude - distance / 2)
    K_bar *= signal
    row = np.sum(K_bar, axis=1)
    log_amplitude_bar = 2.0 * np.sum(row)
    # distance between rows of Z;  Z = X / exp(log_scale)
    Z_bar = K_bar @ Z
    Z_bar -= row[:, None] * Z
    Z_bar *= 2.0
    log_scale_bar = -np.einsum("nd,nd->d", Z_bar, Z)
    return value, (log_scale_bar, log_amplitude_bar, log_noise_bar)


INPUTS = ("log_scale", "log_amplitude", "log_noise")


def make(size, rng):
    n, d = {"tiny": (5, 2), "full": (300, 8)}[size]
    X = rng.standard_normal((n, d))
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)
    return 0.2 * rng.standard_normal(d) + 0.5, 0.1, -1.5, X, y
