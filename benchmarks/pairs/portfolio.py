"""Weights of assets over time: cumulative growth of wealth, its drawdown and variance."""
import numpy as np


def primal(weights, returns, aversion):
    growth = np.log1p(returns @ weights)
    wealth = np.cumsum(growth)
    drawdown = np.maximum.accumulate(wealth) - wealth
    return wealth[-1] - aversion * np.var(growth) - 0.1 * np.mean(drawdown)


def adjoint(weights, returns, aversion):
    """Gradient with respect to weights."""
    n = returns.shape[0]
    simple = returns @ weights
    growth = np.log1p(simple)
    wealth = np.cumsum(growth)
    top = np.maximum.accumulate(wealth)
    centred = growth - np.mean(growth)
    value = wealth[-1] - aversion * np.dot(centred, centred) / n - 0.1 * np.mean(top - wealth)

    # a peak receives what all the times below it, and itself, take of it
    wealth_bar = np.full(n, 0.1 / n)
    wealth_bar[-1] += 1.0
    peaks = np.flatnonzero(np.append(True, wealth[1:] > top[:-1]))
    wealth_bar[peaks] -= (0.1 / n) * np.diff(np.append(peaks, n))
    growth_bar = np.cumsum(wealth_bar[::-1])[::-1]
    growth_bar -= (2.0 * aversion / n) * centred
    growth_bar /= 1.0 + simple
    return value, growth_bar @ returns


INPUTS = ("weights",)


def make(size, rng):
    n, assets = {"tiny": (8, 3), "full": (20000, 8)}[size]
    return np.full(assets, 1.0 / assets), 0.02 * rng.standard_normal((n, assets)), 3.0
