"""Hessian-vector products as a user writes them: the gradient of the dot product of a gradient with a vector.

Imported only when a second-order case is run.
"""
import numpy as np

import sourcegrad as sg

from .pairs import logreg, rosenbrock

logreg_gradient = sg.grad(logreg.primal, inputs="w")
rosenbrock_gradient = sg.grad(rosenbrock.primal, inputs="x")


def logreg_slope(w, direction, X, y, lam):
    return np.dot(logreg_gradient(w, X, y, lam), direction)


def rosenbrock_slope(x, direction):
    return np.dot(rosenbrock_gradient(x), direction)


HVP = {"logreg": sg.grad(logreg_slope, inputs="w"), "rosenbrock": sg.grad(rosenbrock_slope, inputs="x")}


def hessian_from(hvp):
    """Hessian, row by row, as the golden one: one product per coordinate."""
    def hessian(x, *rest):
        n = x.shape[0]
        H = np.empty((n, n))
        e = np.zeros(n)
        for i in range(n):
            e[i] = 1.0
            H[i] = hvp(x, e, *rest)
            e[i] = 0.0
        return H
    return hessian
