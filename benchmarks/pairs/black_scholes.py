"""Prices of calls on many strikes, fitted to a market: normal distribution by the hyperbolic tangent (Page, 1977)."""
import math

import numpy as np


def cdf(x):
    return 0.5 * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x ** 3)))


def primal(vol, rate, spot, strikes, times, prices):
    root = vol * np.sqrt(times)
    d1 = (np.log(spot / strikes) + (rate + 0.5 * vol ** 2) * times) / root
    d2 = d1 - root
    call = spot * cdf(d1) - strikes * np.exp(-rate * times) * cdf(d2)
    return np.mean((call - prices) ** 2)


def adjoint(vol, rate, spot, strikes, times, prices):
    """Gradient with respect to (vol, rate, spot); vol is an array."""
    n = times.size
    c = math.sqrt(2.0 / math.pi)
    sqrt_t = np.sqrt(times)
    root = vol * sqrt_t
    d1 = np.log(spot / strikes)
    d1 += (rate + 0.5 * vol * vol) * times
    d1 /= root
    d2 = d1 - root
    square1, square2 = d1 * d1, d2 * d2
    tanh1 = np.tanh(c * (d1 + 0.044715 * d1 ** 3))
    tanh2 = np.tanh(c * (d2 + 0.044715 * d2 ** 3))
    inside = 0.5 + 0.5 * tanh1
    discounted = strikes * np.exp(-rate * times)
    paid = discounted * (0.5 + 0.5 * tanh2)
    err = spot * inside
    err -= paid
    err -= prices
    value = np.dot(err, err) / n

    call_bar = (2.0 / n) * err
    spot_bar = np.dot(call_bar, inside)
    rate_bar = np.dot(call_bar, paid * times)
    # cdf' = c / 2 * (1 - tanh^2) * (1 + 3 * 0.044715 * x^2)
    d1_bar = (0.5 * c * spot) * call_bar * (1.0 - tanh1 * tanh1) * (1.0 + 0.134145 * square1)
    d2_bar = (-0.5 * c) * call_bar * discounted * (1.0 - tanh2 * tanh2) * (1.0 + 0.134145 * square2)
    # d2 = d1 - root;  d1 = (log(spot / strikes) + (rate + vol^2 / 2) * times) / root
    d1_bar += d2_bar
    above_bar = d1_bar / root
    root_bar = -d2_bar
    root_bar -= above_bar * d1
    spot_bar += np.sum(above_bar) / spot
    above_bar *= times
    rate_bar += np.sum(above_bar)
    vol_bar = above_bar * vol
    root_bar *= sqrt_t
    vol_bar += root_bar
    return value, (vol_bar, rate_bar, spot_bar)


INPUTS = ("vol", "rate", "spot")


def make(size, rng):
    n = {"tiny": 6, "full": 20000}[size]
    return (rng.uniform(0.1, 0.4, n), 0.03, 100.0, rng.uniform(80.0, 120.0, n), rng.uniform(0.2, 2.0, n),
            rng.uniform(5.0, 15.0, n))
