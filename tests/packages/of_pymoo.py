"""Programs of pymoo: test problems, problems of one's own, indicators, scalarizations."""
from __future__ import annotations

import numpy as np
from pymoo.core.problem import ElementwiseProblem, Problem
from pymoo.decomposition.asf import ASF
from pymoo.decomposition.pbi import PBI
from pymoo.decomposition.tchebicheff import Tchebicheff
from pymoo.decomposition.weighted_sum import WeightedSum
from pymoo.indicators.gd import GD
from pymoo.indicators.hv import HV
from pymoo.indicators.igd import IGD
from pymoo.problems import get_problem
from pymoo.util.normalization import normalize

from tests.packages.program import program

X = np.array([[0.2, 0.7, 0.4], [0.6, 0.3, 0.9]])
F = np.array([[0.3, 0.8], [0.6, 0.4], [0.9, 0.2]])


class Own(ElementwiseProblem):
    def __init__(self):
        super().__init__(n_var=2, n_obj=2, n_ieq_constr=2, xl=np.array([-2.0, -2.0]), xu=np.array([2.0, 2.0]))

    def _evaluate(self, x, out, *args, **kwargs):
        f1 = 100 * (x[0] ** 2 + x[1] ** 2)
        f2 = (x[0] - 1) ** 2 + x[1] ** 2
        g1 = 2 * (x[0] - 0.1) * (x[0] - 0.9) / 0.18
        g2 = -20 * (x[0] - 0.4) * (x[0] - 0.6) / 4.8
        out["F"] = [f1, f2]
        out["G"] = [g1, g2]


class Vectorized(Problem):
    def __init__(self):
        super().__init__(n_var=3, n_obj=1, n_ieq_constr=1, xl=-1.0, xu=1.0)

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = np.sum((x - 0.5) ** 2, axis=1)
        out["G"] = 0.1 - out["F"]




def zdt1(x):
    return np.sum(get_problem("zdt1", n_var=3).evaluate(x) ** 2)


def zdt_made_outside(x):
    return np.sum(ZDT.evaluate(x, return_values_of=["F"]) ** 2)


def rosenbrock(x):
    return np.sum(get_problem("rosenbrock", n_var=3).evaluate(x))


def ackley(x):
    return np.sum(ACKLEY.evaluate(x))


def rastrigin(x):
    return np.sum(RASTRIGIN.evaluate(x))


def griewank(x):
    return np.sum(get_problem("griewank", n_var=3).evaluate(x))


def himmelblau(x):
    return np.sum(get_problem("himmelblau").evaluate(x))


def many_objectives(x):
    return np.sum(get_problem("dtlz2", n_var=3, n_obj=3).evaluate(x) ** 3)


def constrained(x):
    f, g = get_problem("bnh").evaluate(x)
    return np.sum(f) + np.sum(np.maximum(g, 0.0) ** 2) + np.sum(g)


def tanaka(x):
    f, g = get_problem("tnk").evaluate(x)
    return np.sum(f) + np.sum(g ** 2)


def beam(x):
    out = get_problem("welded_beam").evaluate(x, return_as_dictionary=True)
    return np.sum(out["F"] ** 2)


def own(x):
    f, g = Own().evaluate(x)
    return np.sum(f) + np.sum(g ** 2)


def own_outside(x):
    out = OWN.evaluate(x, return_as_dictionary=True)
    return np.sum(out["F"]) + np.sum(out["G"] ** 2)


def vectorized(x):
    f, g = VECTORIZED.evaluate(x)
    return np.sum(f ** 2) + np.sum(g)




def weighted(f):
    return np.sum(WeightedSum().do(f, np.array([0.3, 0.7])) ** 2)


def tchebicheff(f):
    return np.sum(Tchebicheff().do(f, np.array([0.3, 0.7]), utopian_point=np.zeros(2)) ** 2)


def boundary_intersection(f):
    return np.sum(PBI().do(f, np.array([0.3, 0.7]), ideal_point=np.zeros(2)) ** 2)


def achievement(f):
    return np.sum(ASF().do(f, np.array([0.3, 0.7]), utopian_point=np.zeros(2)) ** 2)


def distance(f):
    return GD(np.array([[0.2, 0.7], [0.5, 0.3]]))(f) + IGD(np.array([[0.2, 0.7], [0.5, 0.3]]))(f)


def volume(f):
    return HV(ref_point=np.array([1.2, 1.2]))(f)


def normalized(f):
    return np.sum(normalize(f, xl=np.array([0.0, 0.1]), xu=np.array([2.0, 1.5])) ** 2)


ZDT, ACKLEY, RASTRIGIN = get_problem("zdt2", n_var=3), get_problem("ackley", n_var=3), get_problem("rastrigin", n_var=3)
OWN, VECTORIZED = Own(), Vectorized()
BEAM = np.array([[0.4, 5.0, 6.0, 0.5]])
PROGRAMS = [
    program(zdt1, X), program(zdt_made_outside, X), program(rosenbrock, X), program(ackley, X), program(rastrigin, X),
    program(griewank, X), program(himmelblau, X[:, :2]), program(many_objectives, X), program(constrained, X[:, :2]),
    program(tanaka, X[:, :2]), program(beam, BEAM), program(own, X[0, :2]), program(own_outside, X[0, :2]), program(vectorized, X),
    program(weighted, F), program(tchebicheff, F), program(boundary_intersection, F),
    program(achievement, F), program(distance, F), program(volume, F), program(normalized, F)]
