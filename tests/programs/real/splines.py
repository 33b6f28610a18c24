"""Cubic splines: a class with search and evaluation, a parametric path, and its curvature."""
import bisect
import math

import numpy as np

from tests.programs.real.record import Real


class CubicSpline1D:
    """Natural cubic spline through (x, y); x is in ascending order."""

    def __init__(self, x, y):
        h = np.diff(x)
        if np.any(h < 0):
            raise ValueError("x coordinates must be sorted in ascending order")

        self.a, self.b, self.c, self.d = [], [], [], []
        self.x = x
        self.y = y
        self.nx = len(x)

        self.a = [iy for iy in y]
        A = self.__calc_A(h)
        B = self.__calc_B(h, self.a)
        self.c = np.linalg.solve(A, B)

        for i in range(self.nx - 1):
            d = (self.c[i + 1] - self.c[i]) / (3.0 * h[i])
            b = 1.0 / h[i] * (self.a[i + 1] - self.a[i]) - h[i] / 3.0 * (2.0 * self.c[i] + self.c[i + 1])
            self.d.append(d)
            self.b.append(b)

    def calc_position(self, x):
        if x < self.x[0]:
            return None
        elif x > self.x[-1]:
            return None
        i = self.__search_index(x)
        dx = x - self.x[i]
        return self.a[i] + self.b[i] * dx + self.c[i] * dx ** 2.0 + self.d[i] * dx ** 3.0

    def calc_derivative(self, x, order=1):
        i = self.__search_index(x)
        dx = x - self.x[i]
        if order == 1:
            return self.b[i] + 2.0 * self.c[i] * dx + 3.0 * self.d[i] * dx ** 2.0
        return 2.0 * self.c[i] + 6.0 * self.d[i] * dx

    def __search_index(self, x):
        return bisect.bisect(self.x, x) - 1

    def __calc_A(self, h):
        A = np.zeros((self.nx, self.nx))
        A[0, 0] = 1.0
        for i in range(self.nx - 1):
            if i != (self.nx - 2):
                A[i + 1, i + 1] = 2.0 * (h[i] + h[i + 1])
            A[i + 1, i] = h[i]
            A[i, i + 1] = h[i]
        A[0, 1] = 0.0
        A[self.nx - 1, self.nx - 2] = 0.0
        A[self.nx - 1, self.nx - 1] = 1.0
        return A

    def __calc_B(self, h, a):
        B = np.zeros(self.nx)
        for i in range(self.nx - 2):
            B[i + 1] = 3.0 * (a[i + 2] - a[i + 1]) / h[i + 1] - 3.0 * (a[i + 1] - a[i]) / h[i]
        return B


class CubicSpline2D:
    """A path through points, parametrised by chord length."""

    def __init__(self, x, y):
        self.s = self.__calc_s(x, y)
        self.sx = CubicSpline1D(self.s, x)
        self.sy = CubicSpline1D(self.s, y)

    def __calc_s(self, x, y):
        dx = np.diff(x)
        dy = np.diff(y)
        self.ds = np.hypot(dx, dy)
        s = [0]
        s.extend(np.cumsum(self.ds))
        return s

    def calc_position(self, s):
        return self.sx.calc_position(s), self.sy.calc_position(s)

    def calc_curvature(self, s):
        dx, ddx = self.sx.calc_derivative(s), self.sx.calc_derivative(s, order=2)
        dy, ddy = self.sy.calc_derivative(s), self.sy.calc_derivative(s, order=2)
        return (ddy * dx - ddx * dy) / ((dx ** 2 + dy ** 2) ** (3 / 2))

    def calc_yaw(self, s):
        return math.atan2(self.sy.calc_derivative(s), self.sx.calc_derivative(s))


def path_cost(x, y, obstacle, n_samples=9):
    """Bending energy, distance to an obstacle, heading at the end."""
    sp = CubicSpline2D(x, y)
    bending, clearance = 0.0, []
    for s in [sp.s[-1] * (k + 0.5) / n_samples for k in range(n_samples)]:
        bending += sp.calc_curvature(s) ** 2
        ix, iy = sp.calc_position(s)
        clearance.append((ix - obstacle[0]) ** 2 + (iy - obstacle[1]) ** 2)
    if sp.sx.calc_position(-1.0) is not None:
        raise AssertionError("outside of the path")
    closest = min(clearance)
    return bending / n_samples + 0.3 / closest + 0.1 * sp.calc_yaw(0.999 * sp.s[-1]) ** 2


def interpolation_error(knots, values):
    spline = CubicSpline1D(knots, values)
    samples = [0.35, 0.9, 1.65, 2.8]
    return sum((spline.calc_position(t) - math.sin(t)) ** 2 for t in samples) + 1e-2 * sum(c ** 2 for c in spline.c)


PROGRAM = [
    Real(path_cost, (np.array([0.0, 1.0, 2.2, 3.0, 4.1]), np.array([0.0, 0.8, 0.5, -0.6, 0.2]), (1.5, 0.1)),
         inputs=("x", "y", "obstacle"), step=1e-4, lines=4.6),
    Real(interpolation_error, ([0.0, 0.6, 1.2, 2.0, 3.0], [0.1, 0.5, 0.9, 1.0, 0.2]), inputs=("knots", "values")),
]
