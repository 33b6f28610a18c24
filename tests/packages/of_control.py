"""Programs of python-control: transfer functions and state spaces, their connections, responses, and design."""
from __future__ import annotations

import control as ct
import numpy as np

from tests.packages.program import program

A, B = np.array([[0.0, 1.0], [-2.0, -3.0]]), np.array([[0.0], [1.0]])
C, D = np.array([[1.0, 0.0]]), np.array([[0.0]])
T = np.linspace(0.0, 2.0, 11)


def evaluated(k):
    sys = ct.tf([k], [1.0, 2.0, k])
    return np.abs(ct.evalfr(sys, 1.0j)) ** 2


def frequency(k):
    sys = ct.tf([1.0, k], [1.0, 3.0, 2.0])
    mag, phase, omega = ct.frequency_response(sys, np.array([0.1, 1.0, 10.0]))
    return np.sum(mag) + np.sum(phase)


def modes(a):
    sys = ct.ss(a, B, C, D)
    return np.sum(np.abs(ct.poles(sys)) ** 2)


def step(a):
    response = ct.step_response(ct.ss(a, B, C, D), T)
    return np.sum(response.outputs ** 2)


def regulator(q, r):
    k, s, e = ct.lqr(A, B, q * np.eye(2), r * np.eye(1))
    return np.sum(k ** 2) + np.trace(s)


def discrete_regulator(q):
    k, s, e = ct.dlqr(np.array([[1.0, 0.1], [0.0, 0.9]]), np.array([[0.0], [0.1]]), q * np.eye(2), np.eye(1))
    return np.sum(k ** 2) + np.trace(s)


def estimator(qn):
    l, p, e = ct.lqe(A, np.eye(2), C, qn * np.eye(2), np.eye(1))
    return np.sum(l) + np.trace(p)


def lyapunov(a):
    return np.sum(ct.lyap(a, np.eye(2))) + np.sum(ct.dlyap(0.2 * a, np.eye(2)))


def riccati(q):
    x, l, g = ct.care(A, B, q * np.eye(2))
    return np.sum(x) + np.sum(g)


def reachable(a):
    return np.sum(ct.ctrb(a, B) ** 2) + np.sum(ct.obsv(a, C))


def ackermann(p):
    return np.sum(ct.acker(A, B, [p[0], p[1]]) ** 2)


def placed(p):
    return np.sum(ct.place(A, B, p) ** 2)


def sampled(a):
    discrete = ct.c2d(ct.ss(a, B, C, D), 0.1)
    return np.sum(discrete.A ** 2) + np.sum(discrete.B)


def delay(t):
    num, den = ct.pade(t, 2)
    return sum([c * c for c in num]) + sum([c for c in den])


def rate(t, x, u, params):
    return np.array([x[1], -params["k"] * np.sin(x[0]) - 0.2 * x[1] + u[0]])


def nonlinear(x0):
    sys = ct.nlsys(rate, None, inputs=1, states=2, outputs=2, params={"k": 2.0})
    return np.sum(sys.dynamics(0.0, x0, np.array([0.1])) ** 2)


def linearized(x0):
    sys = ct.nlsys(rate, None, inputs=1, states=2, outputs=2, params={"k": 2.0})
    return np.sum(sys.linearize(x0, np.array([0.1])).A ** 2)


PROGRAMS = [
    program(evaluated, 1.3), program(frequency, 1.7), program(modes, A), program(step, A), program(regulator, 1.2, 0.5),
    program(discrete_regulator, 1.2), program(estimator, 0.7), program(lyapunov, A), program(riccati, 1.5),
    program(reachable, A), program(ackermann, np.array([-1.0, -4.0])), program(placed, np.array([-1.0, -4.0])),
    program(sampled, A), program(delay, 0.5), program(nonlinear, np.array([0.4, 0.1])),
    program(linearized, np.array([0.4, 0.1]))]
