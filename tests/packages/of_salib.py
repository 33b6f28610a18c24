"""Programs of SALib: test functions and sensitivity indices."""
from __future__ import annotations

import numpy as np
from SALib.analyze import delta, fast, ff, hdmr, morris, pawn, rbd_fast, sobol
from SALib.sample import fast_sampler, ff as ff_sample, latin, morris as morris_sample, sobol as sobol_sample
from SALib.test_functions import Ishigami, Sobol_G, linear_model_1
from SALib.util import scale_samples

from tests.packages.program import program

PROBLEM = {"num_vars": 3, "names": ["x1", "x2", "x3"], "bounds": [[-np.pi, np.pi]] * 3}
SOBOL = sobol_sample.sample(PROBLEM, 16, calc_second_order=False, seed=1)
SECOND = sobol_sample.sample(PROBLEM, 8, seed=1)
TRAJECTORIES = morris_sample.sample(PROBLEM, N=4, num_levels=4, seed=1)
FAST = fast_sampler.sample(PROBLEM, 65, seed=1)
LATIN, MANY = latin.sample(PROBLEM, 40, seed=1), latin.sample(PROBLEM, 320, seed=2)
FACTORIAL = {**PROBLEM, "names": list(PROBLEM["names"])}
FACTORS = ff_sample.sample(FACTORIAL)


def ishigami(x):
    return np.sum(Ishigami.evaluate(x) ** 2)


def ishigami_constants(a, b):
    return np.sum(Ishigami.evaluate(SOBOL, A=a, B=b))


def sobol_g(x):
    return np.sum(Sobol_G.evaluate(x, a=np.array([0.0, 1.0, 4.5])))


def sobol_g_variance(a):
    return np.sum(Sobol_G.sensitivity_index(a)) + np.sum(Sobol_G.total_sensitivity_index(a))


def linear(x):
    return np.sum(linear_model_1.evaluate(x) ** 2) + np.sum(linear_model_1.evaluate(2.0 * x))


def first_order(a):
    y = Ishigami.evaluate(SOBOL, A=a, B=0.1)
    si = sobol.analyze(PROBLEM, y, calc_second_order=False, seed=1)
    return np.sum(si["S1"] ** 2) + np.sum(si["ST"])


def second_order(a):
    y = Ishigami.evaluate(SECOND, A=a, B=0.1)
    si = sobol.analyze(PROBLEM, y, seed=1)
    return si["S2"][0, 2] + si["S1"][0]


def sobol_parts(y):
    n = y.shape[0] // 3
    return sobol.first_order(y[:n], y[n:2 * n], y[2 * n:]) + sobol.total_order(y[:n], y[n:2 * n], y[2 * n:])


def elementary_effects(a):
    y = Ishigami.evaluate(TRAJECTORIES, A=a, B=0.1)
    si = morris.analyze(PROBLEM, TRAJECTORIES, y, num_levels=4, seed=1)
    return np.sum(si["mu"] ** 2) + np.sum(si["sigma"])


def fourier(a):
    y = Ishigami.evaluate(FAST, A=a, B=0.1)
    si = fast.analyze(PROBLEM, y, M=4, seed=1)
    return sum(si["S1"]) + sum(si["ST"])


def balanced_design(a):
    y = Ishigami.evaluate(LATIN, A=a, B=0.1)
    si = rbd_fast.analyze(PROBLEM, LATIN, y, M=4, seed=1)
    return np.sum(si["S1"])


def moment_independent(a):
    y = Ishigami.evaluate(LATIN, A=a, B=0.1)
    si = delta.analyze(PROBLEM, LATIN, y, num_resamples=2, seed=1)
    return np.sum(si["S1"])




def factorial(weights):
    y = FACTORS @ weights
    si = ff.analyze(FACTORIAL, FACTORS, y)
    return np.sum(np.array(si["ME"]) ** 2)


def cumulative(a):
    y = Ishigami.evaluate(LATIN, A=a, B=0.1)
    si = pawn.analyze(PROBLEM, LATIN, y, S=4, seed=1)
    return np.sum(si["mean"]) + np.mean(y)


def expansion(a):
    y = Ishigami.evaluate(MANY, A=a, B=0.1)
    si = hdmr.analyze(PROBLEM, MANY, y, maxorder=1, K=1, seed=1)
    return np.sum(si["Sa"])


def scaled(x):
    samples = x * 1.0
    return np.sum(scale_samples(samples, {"num_vars": 3, "bounds": [[0.0, 2.0], [1.0, 3.0], [-1.0, 1.0]]}) ** 2)


X = np.array([[0.3, 0.7, 0.2], [0.6, 0.1, 0.9]])
PROGRAMS = [
    program(ishigami, X), program(ishigami_constants, 7.0, 0.1), program(sobol_g, X),
    program(sobol_g_variance, np.array([0.2, 1.0, 4.5])), program(linear, X), program(first_order, 7.0),
    program(second_order, 7.0), program(sobol_parts, np.sin(np.arange(12.0))), program(elementary_effects, 7.0),
    program(fourier, 7.0), program(balanced_design, 7.0), program(moment_independent, 7.0),
    program(factorial, np.array([0.5, 1.5, -0.7, 0.1])), program(cumulative, 7.0), program(expansion, 7.0), program(scaled, X)]
