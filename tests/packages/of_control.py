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


def gain(num, den):
    return ct.dcgain(ct.tf(num, den))


def frequency(k):
    sys = ct.tf([1.0, k], [1.0, 3.0, 2.0])
    mag, phase, omega = ct.frequency_response(sys, np.array([0.1, 1.0, 10.0]))
    return np.sum(mag) + np.sum(phase)


def loop(k):
    plant = ct.tf([1.0], [1.0, 1.0, 0.0])
    closed = ct.feedback(ct.tf([k], [1.0]) * plant, 1)
    return np.sum(closed.den[0][0] ** 2) + np.sum(closed.num[0][0])


def interconnected(k):
    one, two = ct.tf([k], [1.0, 1.0]), ct.tf([1.0], [1.0, k])
    total = ct.series(one, two) + ct.parallel(one, two)
    return np.sum(total.den[0][0])


def modes(a):
    sys = ct.ss(a, B, C, D)
    return np.sum(np.abs(ct.poles(sys)) ** 2)


def damping(a):
    wn, zeta, poles = ct.damp(ct.ss(a, B, C, D), doprint=False)
    return np.sum(wn) + np.sum(zeta)


def step(a):
    response = ct.step_response(ct.ss(a, B, C, D), T)
    return np.sum(response.outputs ** 2)


def forced(u):
    response = ct.forced_response(ct.ss(A, B, C, D), T, u)
    return np.sum(response.y ** 2)


def initial(x0):
    response = ct.initial_response(ct.ss(A, B, C, D), T, x0)
    return np.sum(response.outputs ** 2)


def impulse(k):
    t, y = ct.impulse_response(ct.tf([k], [1.0, k, 1.0]), T)
    return np.sum(y ** 2)


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


def zeros(k):
    return np.sum(np.abs(ct.zeros(ct.tf([1.0, k, 2.0], [1.0, 3.0, 3.0, 1.0]))) ** 2) * k


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


def margins(k):
    gm, pm, wcg, wcp = ct.margin(ct.tf([k], [1.0, 3.0, 3.0, 1.0]))
    return gm + pm * 0.01


def sums_of_systems(a):
    sys = ct.append(ct.ss(a, B, C, D), ct.ss(A, B, C, D))
    return np.sum(sys.A ** 2)


def converted(a):
    sys = ct.ss2tf(ct.ss(a, B, C, D))
    return np.sum(np.real(sys(0.5j)))


def rate(t, x, u, params):
    return np.array([x[1], -params["k"] * np.sin(x[0]) - 0.2 * x[1] + u[0]])


def nonlinear(x0):
    sys = ct.nlsys(rate, None, inputs=1, states=2, outputs=2, params={"k": 2.0})
    return np.sum(sys.dynamics(0.0, x0, np.array([0.1])) ** 2)


def linearized(x0):
    sys = ct.nlsys(rate, None, inputs=1, states=2, outputs=2, params={"k": 2.0})
    return np.sum(sys.linearize(x0, np.array([0.1])).A ** 2)


def norm(a):
    return ct.norm(ct.ss(a, B, C, D), p=2)


PROGRAMS = [
    program(evaluated, 1.3), program(gain, np.array([2.0, 3.0]), np.array([1.0, 0.5, 2.0])), program(frequency, 1.7),
    program(loop, 2.0), program(interconnected, 1.4), program(modes, A), program(damping, A), program(step, A),
    program(forced, np.sin(T)), program(initial, np.array([1.0, -0.5])), program(impulse, 0.8),
    program(regulator, 1.2, 0.5), program(discrete_regulator, 1.2), program(estimator, 0.7), program(lyapunov, A),
    program(riccati, 1.5), program(reachable, A), program(zeros, 0.9), program(ackermann, np.array([-1.0, -4.0])),
    program(placed, np.array([-1.0, -4.0])), program(sampled, A), program(delay, 0.5), program(margins, 2.0),
    program(sums_of_systems, A), program(converted, A), program(nonlinear, np.array([0.4, 0.1])),
    program(linearized, np.array([0.4, 0.1])), program(norm, A)]
