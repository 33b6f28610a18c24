"""A cubic Hermite spline fitted to noisy data: knot values and slopes, evaluated by gathering."""
import numpy as np


def primal(values, slopes, knots, x, y):
    k = np.searchsorted(knots, x, side="right") - 1
    h = knots[k + 1] - knots[k]
    t = (x - knots[k]) / h
    h00 = (1.0 + 2.0 * t) * (1.0 - t) ** 2
    h10 = t * (1.0 - t) ** 2
    h01 = t ** 2 * (3.0 - 2.0 * t)
    h11 = t ** 2 * (t - 1.0)
    fit = h00 * values[k] + h10 * h * slopes[k] + h01 * values[k + 1] + h11 * h * slopes[k + 1]
    return np.mean((fit - y) ** 2)


def adjoint(values, slopes, knots, x, y):
    """Gradient with respect to (values, slopes)."""
    n = len(knots)
    k = np.searchsorted(knots, x, side="right") - 1
    h = knots[k + 1] - knots[k]
    t = (x - knots[k]) / h
    rest2 = (1.0 - t) ** 2
    t2 = t * t
    h00 = (1.0 + 2.0 * t) * rest2
    h10 = t * rest2 * h
    h01 = t2 * (3.0 - 2.0 * t)
    h11 = t2 * (t - 1.0) * h
    err = h00 * values[k] + h10 * slopes[k] + h01 * values[k + 1] + h11 * slopes[k + 1]
    err -= y
    value = np.dot(err, err) / err.size

    fit_bar = (2.0 / err.size) * err
    values_bar = np.bincount(k, h00 * fit_bar, n)
    values_bar += np.bincount(k + 1, h01 * fit_bar, n)
    slopes_bar = np.bincount(k, h10 * fit_bar, n)
    slopes_bar += np.bincount(k + 1, h11 * fit_bar, n)
    return value, (values_bar, slopes_bar)


INPUTS = ("values", "slopes")


def make(size, rng):
    knots, points = {"tiny": (5, 12), "full": (50, 20000)}[size]
    x = rng.uniform(0.0, 1.0, points)
    grid = np.linspace(0.0, 1.0, knots)
    return rng.standard_normal(knots), rng.standard_normal(knots), grid, x, np.sin(6.0 * x)
