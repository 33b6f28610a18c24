"""Differentiating through pure Python of libraries."""
import colorsys
import math
import statistics

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, 0.9, 1.3])


def colours(rgb):
    h, s, v = colorsys.rgb_to_hsv(*rgb)
    r, g, b = colorsys.hsv_to_rgb(h * 0.9, s * s, v)
    return r * g + b ** 2


case("library functions in Python", colours, (0.2, 0.5, 0.8))


def regression(x, y):
    slope, intercept = statistics.linear_regression(x, y)
    return slope ** 2 + intercept


case("library functions in Python", regression, [0.0, 1.0, 2.5], [0.3, 1.2, 2.0], inputs=("x", "y"))


def polynomial_class(c, x):
    p = np.polynomial.Polynomial(c)
    q = p * p + 1.0
    return q(x) + p.deriv()(x) + np.sum(p.coef)


case("library classes in Python", polynomial_class, V, 0.7, inputs=("c", "x"))


def several_of_numpy(v):
    A = np.outer(v, v) + np.eye(3)
    return np.linalg.multi_dot([A, A.T, v]).sum() + np.cov(A)[0, 1] + np.corrcoef(A)[0, 2] + np.kron(v, v)[3]


case("library functions in Python", several_of_numpy, V)


def stdlib_math(x, y):
    return math.dist((x, y), (0.0, 1.0)) * math.prod([x, y, 2.0]) + math.fsum([x, y ** 2]) * math.hypot(x, y, 1.0)


case("library functions in Python", stdlib_math, 0.7, 1.3, inputs=("x", "y"))

try:
    import scipy
    import scipy.optimize
    import scipy.spatial.distance
except ImportError:
    pass
else:
    def rosenbrock(v):
        return scipy.optimize.rosen(v) + np.sum(scipy.optimize.rosen_der(v) ** 2) * 1e-3

    if np.lib.NumpyVersion(scipy.__version__) >= "1.16.0":   # before, it finds out at run time whose arrays it gets
        case("parts of SciPy", rosenbrock, V)

    def distances(v, w):
        return scipy.spatial.distance.euclidean(v, w) * scipy.spatial.distance.cosine(v, w)

    case("parts of SciPy", distances, V, np.array([1.0, -0.5, 0.3]), inputs=("v", "w"))

    def fixed_steps(x):
        return scipy.optimize.newton(lambda t: t ** 2 - x, 1.0, fprime=lambda t: 2 * t)

    case("parts of SciPy", fixed_steps, 2.0)
