"""An adaptive Runge-Kutta solver with dense callbacks and events, as a small library would have it."""
from collections import namedtuple

import numpy as np

from tests.programs.real.record import Real

Solution = namedtuple("Solution", ["t", "y", "nfev", "status", "message"])

# Bogacki-Shampine 3(2)
C = [0.0, 1 / 2, 3 / 4]
A = [[], [1 / 2], [0.0, 3 / 4]]
B = [2 / 9, 1 / 3, 4 / 9]
E = [-5 / 72, 1 / 12, 1 / 9, -1 / 8]

MESSAGES = {0: "The solver successfully reached the end of the integration interval.",
            1: "A termination event occurred."}


class TooManySteps(RuntimeError):
    """Raised when max_steps is exceeded."""


class RungeKutta23:
    safety = 0.9
    min_factor = 0.2
    max_factor = 5.0

    def __init__(self, fun, t0, y0, t_bound, rtol=1e-3, atol=1e-6, first_step=0.1):
        self.nfev = 0
        self._fun = fun
        self.t = t0
        self.y = np.asarray(y0)
        self.t_bound = t_bound
        self.rtol, self.atol = rtol, atol
        self.h = first_step
        self.f = self.fun(self.t, self.y)

    def fun(self, t, y):
        self.nfev += 1
        return np.asarray(self._fun(t, y))

    def stages(self, h):
        ks = [self.f]
        for c, row in zip(C[1:], A[1:]):
            dy = sum(a * k for a, k in zip(row, ks)) * h
            ks.append(self.fun(self.t + c * h, self.y + dy))
        y_new = self.y + h * sum(b * k for b, k in zip(B, ks))
        ks.append(self.fun(self.t + h, y_new))
        return y_new, ks

    def step(self):
        """One accepted step; the step size is chosen by the error estimate, and is not differentiated."""
        accepted = False
        while not accepted:
            h = min(self.h, self.t_bound - self.t)
            y_new, ks = self.stages(h)
            error = h * sum(e * k for e, k in zip(E, ks))
            scale = self.atol + self.rtol * np.maximum(np.abs(self.y), np.abs(y_new))
            norm = float(np.sqrt(np.mean((error / scale) ** 2)))
            if norm < 1:
                accepted = True
                self.h = 2.0 * self.h if norm < 0.02 else self.h
            else:
                self.h = 0.5 * h
        self.t = self.t + h
        self.y = y_new
        self.f = ks[-1]


def solve_ivp(fun, t_span, y0, args=None, callback=None, event=None, max_steps=100, **options):
    t0, tf = map(float, t_span)
    if args is not None:
        original = fun
        fun = lambda t, y: original(t, y, *args)  # noqa: E731 (a lambda with a name is what users write)

    solver = RungeKutta23(fun, t0, y0, tf, **options)
    ts, ys = [t0], [solver.y]
    status = None
    steps = 0
    while status is None:
        if steps >= max_steps:
            raise TooManySteps(f"no end after {steps} steps at t = {solver.t:.3g}")
        solver.step()
        steps += 1
        ts.append(solver.t)
        ys.append(solver.y)
        if callback is not None:
            callback(solver.t, solver.y)
        if event is not None and event(solver.t, solver.y) < 0:
            status = 1
        elif solver.t >= tf - 1e-12:
            status = 0
    return Solution(np.array(ts), np.vstack(ys).T, solver.nfev, status, MESSAGES[status])


def lotka_volterra(t, state, alpha, beta, delta, gamma):
    prey, predator = state
    return [alpha * prey - beta * prey * predator, delta * prey * predator - gamma * predator]


def misfit(theta, y0, observed):
    """Distance between the last state and an observation, plus a running penalty gathered by a callback."""
    penalties = []

    def remember(t, y):
        penalties.append(0.01 * t * y[1] ** 2)

    result = solve_ivp(lotka_volterra, (0, 3), y0, args=tuple(theta), callback=remember, rtol=1e-2, first_step=0.25)
    if result.status != 0:
        raise RuntimeError(result.message)
    return np.sum((result.y[:, -1] - observed) ** 2) + sum(penalties)


def time_of_fall(height, drag):
    """The height after the event stops the integration."""
    def fall(t, y):
        return np.array([y[1], -9.81 - drag * y[1] * abs(y[1])])

    result = solve_ivp(fall, (0.0, 10.0), np.array([height, 0.5]), event=lambda t, y: y[0] - 1.0, rtol=0.05)
    return result.y[0, -1] + 0.1 * result.y[1, -1] ** 2 + result.message.startswith("A")


PROGRAM = [
    Real(misfit, (np.array([1.1, 0.4, 0.2, 0.5]), np.array([2.0, 1.0]), np.array([3.0, 1.5])), inputs=("theta", "y0"), lines=4.3),
    Real(time_of_fall, (7.3, 0.03), inputs=("height", "drag")),
]
