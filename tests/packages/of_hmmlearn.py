"""Programs of hmmlearn: scores, posteriors and stationary distributions of hidden Markov models."""
from __future__ import annotations

import numpy as np
from hmmlearn import hmm
from hmmlearn.stats import log_multivariate_normal_density
from hmmlearn.utils import log_normalize, normalize

from tests.packages.program import program

X = np.array([[0.2], [0.9], [2.1], [1.8], [0.1], [0.4]])
XY = np.array([[0.2, 1.0], [0.9, 0.3], [2.1, 1.4]])
MEANS = np.array([[0.2], [2.0]])
TRANSITIONS = np.array([[0.7, 0.3], [0.4, 0.6]])


def gaussian(means, transitions=TRANSITIONS, algorithm="viterbi"):
    model = hmm.GaussianHMM(n_components=2, covariance_type="diag", algorithm=algorithm)
    model.n_features = 1
    model.startprob_ = np.array([0.6, 0.4])
    model.transmat_ = transitions
    model.means_ = means
    model.covars_ = np.array([[0.5], [0.3]])
    return model


def score(means):
    return gaussian(means).score(X)


def score_of_data(x):
    return gaussian(MEANS).score(x)


def posteriors(x):
    return np.sum(gaussian(MEANS).predict_proba(x) ** 2)


def decoded(x):
    log_probability, states = gaussian(MEANS).decode(x)
    return log_probability + 0.0 * np.sum(states)



def stationary(rates):
    transitions = np.array([[1.0 - rates[0], rates[0]], [rates[1], 1.0 - rates[1]]])
    return gaussian(MEANS, transitions).get_stationary_distribution()[0]


def emissions(probabilities):
    model = hmm.CategoricalHMM(n_components=2, n_features=3)
    model.startprob_ = np.array([0.6, 0.4])
    model.transmat_ = TRANSITIONS
    model.emissionprob_ = probabilities / np.sum(probabilities, axis=1, keepdims=True)
    return model.score(np.array([[0], [2], [1], [1]]))


def rates(lambdas):
    model = hmm.PoissonHMM(n_components=2)
    model.startprob_ = np.array([0.6, 0.4])
    model.transmat_ = TRANSITIONS
    model.lambdas_ = lambdas
    return model.score(np.array([[1], [4], [2], [0]]))


def mixtures(means):
    model = hmm.GMMHMM(n_components=2, n_mix=2, covariance_type="diag")
    model.startprob_ = np.array([0.6, 0.4])
    model.transmat_ = TRANSITIONS
    model.weights_ = np.array([[0.5, 0.5], [0.3, 0.7]])
    model.means_ = means
    model.covars_ = np.full((2, 2, 1), 0.5)
    return model.score(X)


def fitted(x):
    model = gaussian(MEANS)
    model.init_params, model.n_iter = "", 3
    model.fit(x)
    return np.sum(model.means_)


def densities(x, means):
    covars = np.array([[0.5, 0.4], [0.3, 0.8]])
    return np.sum(log_multivariate_normal_density(x, means, covars, covariance_type="diag"))


def spherical(x, means):
    return np.sum(log_multivariate_normal_density(x, means, np.array([[0.5, 0.5], [0.3, 0.3]]), covariance_type="spherical"))


def full(x, means):
    covars = np.array([[[0.5, 0.1], [0.1, 0.4]], [[0.7, 0.0], [0.0, 0.3]]])
    return np.sum(log_multivariate_normal_density(x, means, covars, covariance_type="full"))


def tied(x, means):
    return np.sum(log_multivariate_normal_density(x, means, np.array([[0.5, 0.1], [0.1, 0.4]]), covariance_type="tied"))


def normalized(a):
    a = a * 1.0
    normalize(a, axis=1)
    return np.sum(a ** 2)


def log_normalized(a):
    a = a * 1.0
    log_normalize(a, axis=1)
    return np.sum(np.exp(a) ** 2)


def information_criterion(x):
    return gaussian(MEANS).aic(x)


TWO = np.array([[0.1, 0.8], [1.9, 1.1]])
PROGRAMS = [
    program(score, MEANS), program(score_of_data, X), program(posteriors, X), program(decoded, X),
    program(stationary, np.array([0.3, 0.4])), program(emissions, np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])),
    program(rates, np.array([[1.2], [3.4]])), program(mixtures, np.array([[[0.1], [0.5]], [[1.8], [2.3]]])), program(fitted, X),
    program(densities, XY, TWO), program(spherical, XY, TWO), program(full, XY, TWO), program(tied, XY, TWO),
    program(normalized, TWO), program(log_normalized, TWO), program(information_criterion, X)]
