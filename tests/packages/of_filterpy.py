"""Programs of filterpy: Kalman filters and smoothers, g-h filters, discrete Bayes, statistics."""
from __future__ import annotations

import numpy as np
from filterpy.common import Q_discrete_white_noise, runge_kutta4, van_loan_discretization
from filterpy.discrete_bayes import normalize, predict as bayes_predict, update as bayes_update
from filterpy.gh import GHFilter, GHKFilter
from filterpy.kalman import (
    ExtendedKalmanFilter,
    FadingKalmanFilter,
    IMMEstimator,
    InformationFilter,
    KalmanFilter,
    MerweScaledSigmaPoints,
    SquareRootKalmanFilter,
    UnscentedKalmanFilter,
    predict,
    update,
)
from filterpy.leastsq import LeastSquaresFilter
from filterpy.memory import FadingMemoryFilter
from filterpy.stats import gaussian, mul, multivariate_gaussian

from tests.packages.program import program

ZS = np.array([1.1, 1.9, 3.2, 3.9, 5.1])
NOISE = np.array([0.6, 0.02])


def cart(r, q):
    kf = KalmanFilter(dim_x=2, dim_z=1)
    kf.x = np.array([0.0, 1.0])
    kf.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    kf.H = np.array([[1.0, 0.0]])
    kf.P *= 10.0
    kf.R *= r
    kf.Q = Q_discrete_white_noise(dim=2, dt=1.0, var=q)
    return kf


def track(zs):
    kf = cart(0.5, 0.03)
    estimates = []
    for z in zs:
        kf.predict()
        kf.update(z)
        estimates.append(kf.x)
    return np.sum(np.array(estimates) ** 2)


def likelihood_of_noise(noise):
    kf = cart(noise[0], noise[1])
    total = 0.0
    for z in ZS:
        kf.predict()
        kf.update(z)
        total += kf.log_likelihood
    return total


def batch(zs):
    kf = cart(0.5, 0.03)
    mu, cov, _, _ = kf.batch_filter(zs)
    return np.sum(mu ** 2) + np.trace(cov[-1])


def smoothed(zs):
    kf = cart(0.5, 0.03)
    mu, cov, _, _ = kf.batch_filter(zs)
    xs, ps, _, _ = kf.rts_smoother(mu, cov)
    return np.sum(xs ** 2) + np.sum(ps)


def plain_functions(zs):
    x, p = np.array([0.0, 1.0]), np.eye(2) * 4.0
    f, h = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    for z in zs:
        x, p = predict(x, p, F=f, Q=0.1)
        x, p = update(x, p, z, 0.4, H=h)
    return np.sum(x) + np.trace(p)


def h_jacobian(x):
    distance = np.sqrt(x[0] ** 2 + x[2] ** 2)
    return np.array([[x[0] / distance, 0.0, x[2] / distance]])


def slant_range(x):
    return np.array([np.sqrt(x[0] ** 2 + x[2] ** 2)])


def radar(zs):
    ekf = ExtendedKalmanFilter(dim_x=3, dim_z=1)
    ekf.x = np.array([0.5, 1.0, 2.0])
    ekf.F = np.eye(3) + np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]) * 0.1
    ekf.R *= 0.3
    ekf.P *= 5.0
    for z in zs:
        ekf.update(np.array([z]), h_jacobian, slant_range)
        ekf.predict()
    return np.sum(ekf.x ** 2)


def transition(x, dt):
    return np.array([[1.0, dt], [0.0, 1.0]]) @ x


def observed(x):
    return np.array([np.sin(x[0]) + x[0]])


def unscented(zs):
    points = MerweScaledSigmaPoints(n=2, alpha=0.3, beta=2.0, kappa=1.0)
    ukf = UnscentedKalmanFilter(dim_x=2, dim_z=1, dt=0.1, hx=observed, fx=transition, points=points)
    ukf.x = np.array([0.2, 0.5])
    ukf.P *= 0.4
    ukf.R *= 0.2
    ukf.Q = Q_discrete_white_noise(2, dt=0.1, var=0.05)
    for z in zs:
        ukf.predict()
        ukf.update(np.array([z]))
    return np.sum(ukf.x ** 2)


def information(zs):
    inf = InformationFilter(dim_x=2, dim_z=1)
    inf.x = np.array([[0.0], [1.0]])
    inf.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    inf.H = np.array([[1.0, 0.0]])
    inf.R_inv *= 2.0
    inf.Q = np.eye(2) * 0.05
    for z in zs:
        inf.predict()
        inf.update(z)
    return np.sum(inf.x ** 2)


def square_root(zs):
    kf = SquareRootKalmanFilter(dim_x=2, dim_z=1)
    kf.x = np.array([[0.0], [1.0]])
    kf.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    kf.H = np.array([[1.0, 0.0]])
    kf.P = np.eye(2) * 2.0
    kf.R = 0.5
    kf.Q = np.array([[0.2, 0.1], [0.1, 0.3]])
    for z in zs:
        kf.predict()
        kf.update(z)
    return np.sum(kf.x ** 2)


def fading(zs):
    kf = FadingKalmanFilter(alpha=1.02, dim_x=2, dim_z=1)
    kf.x = np.array([[0.0], [1.0]])
    kf.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    kf.H = np.array([[1.0, 0.0]])
    kf.R *= 0.5
    for z in zs:
        kf.predict()
        kf.update(z)
    return np.sum(kf.x ** 2)


def interacting(zs):
    slow, fast = cart(0.5, 0.01), cart(0.5, 0.6)
    imm = IMMEstimator([slow, fast], (0.5, 0.5), np.array([[0.9, 0.1], [0.2, 0.8]]))
    for z in zs:
        imm.predict()
        imm.update(z)
    return np.sum(imm.x ** 2) + imm.mu[0]


def g_h(gains):
    fil = GHFilter(x=0.0, dx=1.0, dt=1.0, g=gains[0], h=gains[1])
    total = 0.0
    for z in ZS:
        x, dx = fil.update(z=z)
        total += (x - z) ** 2 + 0.1 * dx ** 2
    return total


def g_h_k(zs):
    fil = GHKFilter(x=0.0, dx=0.5, ddx=0.1, dt=1.0, g=0.7, h=0.2, k=0.1)
    for z in zs:
        fil.update(z)
    return fil.x ** 2 + fil.dx + fil.ddx


def polynomial(zs):
    fil = LeastSquaresFilter(dt=1.0, order=1)
    total = 0.0
    for z in zs:
        x = fil.update(z)
        total = total + np.sum(x ** 2)
    return total


def fading_memory(zs):
    fil = FadingMemoryFilter(x0=[0.0, 1.0], dt=1.0, order=1, beta=0.7)
    for z in zs:
        fil.update(z)
    return np.sum(fil.x ** 2)


def densities(x):
    first = gaussian(x[0], 1.0, 0.5)
    mean, var = mul(x[0], 0.4, x[1], 0.9)
    return first + mean ** 2 + var + multivariate_gaussian(x, np.array([1.0, 2.0]), np.array([[1.0, 0.2], [0.2, 0.8]]))


def hallway(likelihood):
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    posterior = bayes_update(likelihood, prior)
    moved = bayes_predict(posterior, 1, kernel=np.array([0.1, 0.8, 0.1]))
    return np.sum(normalize(moved * likelihood) ** 2)


def pendulum(y, x, dx):
    return -np.sin(y) * dx


def integrated(start):
    y = start
    for _ in range(5):
        y = runge_kutta4(y, 0.0, 0.1, decay)
    return y ** 2


def decay(y, x):
    return -np.sin(y) + x


def discretized(rates):
    f = np.array([[0.0, 1.0], [-1.0, 0.0]]) * rates[0]
    g = np.array([[0.0], [1.0]]) * rates[1]
    phi, q = van_loan_discretization(f, g, 0.1)
    return np.sum(phi) + np.sum(q ** 2)


PROGRAMS = [
    program(track, ZS), program(likelihood_of_noise, NOISE), program(batch, ZS), program(smoothed, ZS),
    program(plain_functions, ZS), program(radar, ZS), program(unscented, ZS), program(information, ZS),
    program(square_root, ZS), program(fading, ZS), program(interacting, ZS), program(g_h, np.array([0.6, 0.2])),
    program(g_h_k, ZS), program(polynomial, ZS), program(fading_memory, ZS), program(densities, np.array([1.2, 1.7])),
    program(hallway, np.array([0.3, 0.9, 0.4, 0.6])), program(integrated, 0.7), program(discretized, np.array([1.3, 0.6]))]
