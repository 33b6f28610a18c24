"""Programs of emcee: posterior densities, chains of an ensemble, autocorrelations."""
from __future__ import annotations

import emcee
import numpy as np
from emcee import autocorr
from scipy import stats

from tests.packages.program import program

X = np.linspace(0.0, 3.0, 7)
Y, ERROR = 0.8 * X + 0.5 + 0.1 * np.sin(9.0 * X), 0.2 + 0.05 * np.cos(X)
START = np.array([[0.1, 0.2], [0.5, -0.3], [-0.4, 0.6], [0.3, 0.9], [-0.2, -0.5], [0.7, 0.1]])
STATE = np.random.RandomState(5).get_state()


def log_likelihood(theta, x, y, yerr):
    m, b, log_f = theta
    model = m * x + b
    sigma2 = yerr ** 2 + model ** 2 * np.exp(2 * log_f)
    return -0.5 * np.sum((y - model) ** 2 / sigma2 + np.log(sigma2))


def log_prior(theta):
    m, b, log_f = theta
    if -5.0 < m < 5.0 and 0.0 < b < 10.0 and -10.0 < log_f < 1.0:
        return 0.0
    return -np.inf


def log_probability(theta, x, y, yerr):
    lp = log_prior(theta)
    if not np.isfinite(lp):
        return -np.inf
    return lp + log_likelihood(theta, x, y, yerr)


def posterior(theta):
    return log_probability(theta, X, Y, ERROR)


def posterior_of_data(y):
    return log_probability(np.array([0.7, 0.6, -1.5]), X, y, ERROR)


def normal(x, ivar):
    return -0.5 * np.sum(ivar * x ** 2)


def densities(theta):
    return stats.norm.logpdf(theta[0], 0.5, 0.3) + stats.uniform.logpdf(theta[1], 0.0, 2.0) + stats.halfnorm.logpdf(theta[1])


def computed(p0, ivar):
    sampler = emcee.EnsembleSampler(6, 2, normal, args=[ivar])
    log_prob, blobs = sampler.compute_log_prob(p0)
    return np.sum(log_prob ** 2)


def chain(p0):
    sampler = emcee.EnsembleSampler(6, 2, normal, args=[np.array([1.0, 0.5])])
    sampler.random_state = STATE
    sampler.run_mcmc(p0, 3)
    return np.sum(sampler.get_chain() ** 2)


def last_of_chain(ivar):
    sampler = emcee.EnsembleSampler(6, 2, normal, args=[ivar])
    sampler.random_state = STATE
    state = sampler.run_mcmc(START, 2)
    return np.sum(state.log_prob)


def flat_chain(p0):
    sampler = emcee.EnsembleSampler(6, 2, normal, args=[np.array([1.0, 0.5])], moves=emcee.moves.GaussianMove(0.1))
    sampler.random_state = STATE
    for _ in sampler.sample(p0, iterations=2):
        pass
    return np.sum(sampler.get_chain(flat=True) ** 2)


def state(p0):
    held = emcee.State(p0, log_prob=np.sum(p0, axis=1))
    return np.sum(held.coords ** 2) + np.sum(held.log_prob)


def unpacked_state(p0):
    coords, log_prob, random = emcee.State(p0, log_prob=np.sum(p0, axis=1))
    return np.sum(coords ** 2) + np.sum(log_prob)


def autocorrelation(x):
    return np.sum(autocorr.function_1d(x)[:4] ** 2)


def integrated_time(x):
    return np.sum(autocorr.integrated_time(x, quiet=True))


def independent(p0):
    return np.sum(p0 ** 2) * (2.0 if emcee.ensemble.walkers_independent(p0) else 1.0)




SERIES = np.sin(np.arange(40.0)) + 0.1 * np.arange(40.0) % 3
PROGRAMS = [
    program(posterior, np.array([0.7, 0.6, -1.5])), program(posterior_of_data, Y), program(densities, np.array([0.4, 0.8])),
    program(computed, START, np.array([1.0, 0.5])), program(chain, START), program(last_of_chain, np.array([1.0, 0.5])),
    program(flat_chain, START), program(state, START), program(unpacked_state, START), program(autocorrelation, SERIES),
    program(integrated_time, SERIES), program(independent, START)]
