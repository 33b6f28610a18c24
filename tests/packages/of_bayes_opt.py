"""Programs of bayesian-optimization: acquisition functions, target spaces, Gaussian processes, constraints."""
from __future__ import annotations

import numpy as np
from bayes_opt import BayesianOptimization, acquisition
from bayes_opt.target_space import TargetSpace
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern

from tests.packages.program import program

MEAN, STD = np.array([0.3, 0.8, 0.5]), np.array([0.4, 0.2, 0.3])
POINTS, TARGETS = np.array([[0.1], [0.4], [0.9]]), np.array([0.3, 0.7, 0.2])
BOUNDS = {"x": (-2.0, 2.0), "y": (-3.0, 3.0)}


def black_box(x, y):
    return -x ** 2 - (y - 1.0) ** 2 + 1.0


def upper_confidence(mean, std):
    ucb = acquisition.UpperConfidenceBound(kappa=2.5)
    return np.sum(ucb.base_acq(mean, std) ** 2)


def improvement(mean, std):
    ei = acquisition.ExpectedImprovement(xi=0.01)
    ei.y_max = 0.7
    return np.sum(ei.base_acq(mean, std))


def probability(mean, std):
    poi = acquisition.ProbabilityOfImprovement(xi=0.01)
    poi.y_max = 0.7
    return np.sum(poi.base_acq(mean, std))


def by_hand(mean, std):
    a = mean - 0.7
    z = a / std
    return np.sum(a * norm.cdf(z) + std * norm.pdf(z))


def target(x, y):
    return black_box(x=x, y=y) ** 2


def space(x, y):
    held = TargetSpace(black_box, BOUNDS)
    value = held.probe({"x": x, "y": y})
    return value * value


def space_of_array(point):
    held = TargetSpace(black_box, BOUNDS)
    return held.probe(point) * 2.0


def registered(x, y):
    held = TargetSpace(None, BOUNDS)
    held.register(np.array([x, y]), black_box(x, y))
    return np.sum(held.target ** 2) + np.sum(held.params)


def best(x, y):
    optimizer = BayesianOptimization(f=None, pbounds=BOUNDS, verbose=0, allow_duplicate_points=True)
    optimizer.register(params={"x": x, "y": y}, target=black_box(x, y))
    return optimizer.max["target"]


def array_of_parameters(x, y):
    held = TargetSpace(None, BOUNDS)
    return np.sum(held.params_to_array({"x": x, "y": y}) ** 2)


def parameters_of_array(point):
    held = TargetSpace(None, BOUNDS)
    values = held.array_to_params(point)
    return values["x"] * values["y"]


def maximized(start):
    optimizer = BayesianOptimization(f=black_box, pbounds=BOUNDS, random_state=1, verbose=0)
    optimizer.probe(params={"x": start[0], "y": start[1]}, lazy=True)
    optimizer.maximize(init_points=1, n_iter=1)
    return optimizer.max["target"]


def fitted_process():
    process = GaussianProcessRegressor(kernel=Matern(nu=2.5), alpha=1e-6, optimizer=None)
    return process.fit(POINTS, TARGETS)


PROCESS = fitted_process()


def predicted(x):
    mean, std = PROCESS.predict(x, return_std=True)
    return np.sum(mean ** 2) + np.sum(std)


def predicted_mean(x):
    return np.sum(PROCESS.predict(x) ** 2)


def acquired(x):
    mean, std = PROCESS.predict(x, return_std=True)
    return np.sum(acquisition.UpperConfidenceBound(kappa=1.5).base_acq(mean, std))


def covariance(x):
    return np.sum(Matern(nu=2.5)(x, POINTS) ** 2) + np.sum(RBF(length_scale=0.7)(x, POINTS))


def likelihood(theta):
    return PROCESS.log_marginal_likelihood(theta)


def learned(targets):
    process = GaussianProcessRegressor(kernel=RBF(0.5), alpha=1e-3, optimizer=None).fit(POINTS, targets)
    return np.sum(process.predict(np.array([[0.2], [0.6]])) ** 2)


PROGRAMS = [
    program(upper_confidence, MEAN, STD), program(improvement, MEAN, STD), program(probability, MEAN, STD),
    program(by_hand, MEAN, STD), program(target, 0.4, 1.7), program(space, 0.4, 1.7),
    program(space_of_array, np.array([0.4, 1.7])), program(registered, 0.4, 1.7), program(best, 0.4, 1.7),
    program(array_of_parameters, 0.4, 1.7), program(parameters_of_array, np.array([0.4, 1.7])),
    program(maximized, np.array([0.1, 0.8])), program(predicted, np.array([[0.2], [0.7]])),
    program(predicted_mean, np.array([[0.2], [0.7]])), program(acquired, np.array([[0.2], [0.7]])),
    program(covariance, np.array([[0.2], [0.7]])), program(likelihood, np.array([0.1])), program(learned, TARGETS)]
