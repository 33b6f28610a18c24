"""Programs of QuantEcon: Markov chains, linear-quadratic control, state spaces, matrix equations, quadrature, inequality."""
from __future__ import annotations

import numpy as np
import quantecon as qe

from tests.packages.program import program

A, C, G = np.array([[0.9, 0.1], [0.0, 0.8]]), np.array([[0.2], [0.3]]), np.array([[1.0, 0.5]])


def chain_of(rates):
    a, b = rates[0], rates[1]
    return np.array([[1.0 - a, a], [b, 1.0 - b]])


def stationary(rates):
    mc = qe.MarkovChain(chain_of(rates))
    return np.sum(mc.stationary_distributions[0] * np.array([1.0, 3.0]))


def gth(rates):
    return qe.markov.gth_solve(chain_of(rates))[0]


def tauchen(sigma):
    mc = qe.tauchen(5, 0.6, sigma)
    return np.sum(mc.P ** 2) + np.sum(mc.state_values ** 2)


def rouwenhorst(rho):
    mc = qe.rouwenhorst(3, rho, 0.2)
    return np.sum(mc.P ** 2) + np.sum(mc.state_values ** 2)


def regulator(q, r):
    lq = qe.LQ(q * np.eye(1), r * np.eye(2), A, np.array([[0.0], [1.0]]), beta=0.95)
    p, f, d = lq.stationary_values()
    return np.sum(p) + np.sum(f ** 2) + d


def finite_horizon(q):
    lq = qe.LQ(q * np.eye(1), np.eye(2), A, np.array([[0.0], [1.0]]), C=C, beta=0.95, T=5, Rf=0.5 * np.eye(2))
    for _ in range(5):
        lq.update_values()
    return np.sum(lq.P) + np.sum(lq.F) + lq.d


def robust(theta):
    rb = qe.RBLQ(np.eye(1), np.eye(2), A, np.array([[0.0], [1.0]]), C, 0.95, theta)
    f, k, p = rb.robust_rule()
    return np.sum(f) + np.sum(k) + np.sum(p)


def state_space(a):
    ss = qe.LinearStateSpace(a, C, G, mu_0=np.ones(2), Sigma_0=np.eye(2))
    total = 0.0
    for mu_x, _, _, sigma_y in ss.moment_sequence():
        total = total + np.sum(mu_x) + np.sum(sigma_y)
        if total > 6.0:
            break
    return total


def long_run(a):
    ss = qe.LinearStateSpace(a, C, G)
    mu_x, mu_y, sigma_x, sigma_y, sigma_yx = ss.stationary_distributions()
    return np.sum(sigma_x) + np.sum(sigma_y)


def impulse(a):
    ss = qe.LinearStateSpace(a, C, G)
    x, y = ss.impulse_response(j=4)
    return sum([np.sum(v ** 2) for v in y]) + np.sum(x[3])


def geometric(a):
    ss = qe.LinearStateSpace(a, C, G)
    x, y = ss.geometric_sums(0.9, np.array([1.0, 2.0]))
    return np.sum(x) + np.sum(y)


def filtered(zs):
    ss = qe.LinearStateSpace(A, C, G, H=np.array([[0.5]]))
    kalman = qe.Kalman(ss, x_hat=np.zeros(2), Sigma=np.eye(2))
    for z in zs:
        kalman.update(z)
    return np.sum(kalman.x_hat) + np.trace(kalman.Sigma)


def filter_gain(a):
    kalman = qe.Kalman(qe.LinearStateSpace(a, C, G, H=np.array([[0.5]])), x_hat=np.zeros(2), Sigma=np.eye(2))
    sigma, gain = kalman.stationary_values()
    return np.sum(sigma) + np.sum(gain)


def lyapunov(a, b):
    return np.sum(qe.solve_discrete_lyapunov(a, b) ** 2)


def riccati(q):
    return np.sum(qe.solve_discrete_riccati(A, np.array([[0.0], [1.0]]), q * np.eye(2), np.eye(1)))


def quadratic_sums(a, h):
    return qe.var_quadratic_sum(a, C, h, 0.9, np.array([1.0, 0.5])) + np.sum(qe.m_quadratic_sum(a, h))


def gauss_hermite(mu, sigma):
    nodes, weights = qe.quad.qnwnorm(7, mu, sigma ** 2)
    return np.dot(weights, np.exp(0.3 * nodes))


def gauss_legendre(a, b):
    nodes, weights = qe.quad.qnwlege(9, a, b)
    return np.dot(weights, np.sin(nodes) ** 2)


def arma(phi, theta):
    lp = qe.ARMA([phi], [theta], 0.8)
    return np.sum(lp.impulse_response(10) ** 2)


def spectrum(phi):
    lp = qe.ARMA([phi], [0.3], 0.8)
    w, spect = lp.spectral_density()
    return np.mean(np.real(spect))


def gini(y):
    return qe.gini_coefficient(y) + qe.shorrocks_index(np.array([[0.6, 0.4], [0.3, 0.7]]))


def lorenz(y):
    people, income = qe.lorenz_curve(y)
    return np.sum(income ** 2)


def rank_size(y):
    ranks, sizes = qe.rank_size(y, c=1.0)
    return np.sum(np.log(sizes))


def smoothing(x):
    return np.sum(qe.smooth(x, window_len=5, window="hanning") ** 2)


def periodogram(x):
    w, i = qe.periodogram(x)
    return np.sum(i ** 2)


def hamilton(x):
    cycle, trend = qe.hamilton_filter(x, 2)
    return np.sum(trend[-3:] ** 2)


def dynamic_program(beta):
    r = np.array([[5.0, 10.0], [-1.0, -2.0]])
    q = np.array([[[0.5, 0.5], [0.0, 1.0]], [[0.4, 0.6], [0.1, 0.9]]])
    ddp = qe.markov.DiscreteDP(r, q, beta)
    return np.sum(ddp.evaluate_policy([0, 0]))


def distribution(observations):
    return qe.ECDF(observations)(0.4) + np.sum(observations ** 2)


def kernel(y, x):
    return np.exp(-0.5 * (y - 0.9 * x) ** 2) / np.sqrt(2.0 * np.pi)


def look_ahead(x):
    return np.sum(qe.LAE(kernel, x)(np.linspace(-1.0, 1.0, 5)))




Y = np.array([0.2, 0.9, 1.4, 2.0, 0.6])
SERIES = np.array([0.1, 0.5, 0.3, 0.9, 1.2, 0.8, 1.5, 1.1, 1.7, 1.3, 2.0, 1.6])
PROGRAMS = [
    program(stationary, np.array([0.2, 0.4])), program(gth, np.array([0.2, 0.4])), program(tauchen, 0.2),
    program(rouwenhorst, 0.7), program(regulator, 1.2, 0.7), program(finite_horizon, 1.1), program(robust, 12.0),
    program(state_space, A), program(long_run, A), program(impulse, A), program(geometric, A),
    program(filtered, np.array([0.4, 0.9, 1.3])), program(filter_gain, A),
    program(lyapunov, A, np.array([[1.0, 0.2], [0.2, 0.5]])), program(riccati, 1.3),
    program(quadratic_sums, A, np.array([[1.0, 0.1], [0.1, 0.4]])), program(gauss_hermite, 0.3, 0.5),
    program(gauss_legendre, 0.2, 1.4), program(arma, 0.5, 0.3), program(spectrum, 0.5), program(gini, Y),
    program(lorenz, Y), program(rank_size, Y), program(smoothing, SERIES), program(periodogram, SERIES),
    program(hamilton, SERIES), program(dynamic_program, 0.9), program(distribution, Y), program(look_ahead, Y)]
