"""Programs of DEAP: benchmarks and their transformations, fitness values, operators, genetic programming, strategies."""
from __future__ import annotations

import operator

import numpy as np
from deap import base, benchmarks, cma, creator, gp, tools
from deap.benchmarks.tools import scale, translate

from tests.packages.program import program

creator.create("PackagesFitness", base.Fitness, weights=(-1.0,))
creator.create("PackagesIndividual", list, fitness=creator.PackagesFitness)
creator.create("PackagesArray", np.ndarray, fitness=creator.PackagesFitness)
X = np.array([0.3, 0.7, 1.2])
PRIMITIVES = gp.PrimitiveSet("MAIN", 2)
PRIMITIVES.addPrimitive(operator.add, 2)
PRIMITIVES.addPrimitive(operator.mul, 2)
PRIMITIVES.renameArguments(ARG0="x", ARG1="y")
TREE = gp.PrimitiveTree.from_string("add(mul(x, x), mul(x, y))", PRIMITIVES)


def sphere(x):
    return benchmarks.sphere(x)[0]


def valleys(x):
    return benchmarks.rosenbrock(x)[0] + benchmarks.cigar(x)[0] * 1e-6 + benchmarks.plane(x)[0]


def waves(x):
    return benchmarks.ackley(x)[0] + benchmarks.rastrigin(x)[0] + benchmarks.schwefel(100.0 * x)[0] * 0.01


def products(x):
    return benchmarks.griewank(x)[0] + benchmarks.bohachevsky(x)[0] + benchmarks.schaffer(x)[0]


def scaled(x):
    return benchmarks.rastrigin_scaled(x)[0] + benchmarks.rastrigin_skew(x)[0]


def plane_of_two(x):
    return benchmarks.himmelblau(x)[0] + benchmarks.h1(x)[0]


def foxholes(x):
    return benchmarks.shekel(x, np.array([[0.5, 0.5], [0.25, 0.8]]), np.array([0.1, 0.3]))[0]


def two_objectives(x):
    first, second = benchmarks.kursawe(x)
    third, fourth = benchmarks.fonseca(x)
    return first * 0.1 + second + third * fourth


def fronts(x):
    f1, f2 = benchmarks.zdt1(x)
    g1, g2 = benchmarks.zdt3(x)
    h1, h2 = benchmarks.zdt4(x)
    return f1 * f2 + g2 + h2


def many_objectives(x):
    return sum(benchmarks.dtlz1(x, 3)) + sum(benchmarks.dtlz2(x, 2)) + benchmarks.schaffer_mo(x)[1]


@translate([0.1, 0.2, 0.3])
def moved_sphere(individual):
    return benchmarks.sphere(individual)


def translated(x):
    return moved_sphere(x)[0]


@scale([2.0, 1.0, 0.5])
def stretched_ackley(individual):
    return benchmarks.ackley(individual)


def stretched(x):
    return stretched_ackley(x)[0]


TOOLBOX = base.Toolbox()
TOOLBOX.register("evaluate", benchmarks.rosenbrock)
TOOLBOX.register("mate", tools.cxTwoPoint)


def toolbox(x):
    return TOOLBOX.evaluate(x)[0]


def toolbox_made_inside(x):
    box = base.Toolbox()
    box.register("evaluate", benchmarks.rosenbrock)
    return box.evaluate(x)[0]


def individual(x):
    one = creator.PackagesIndividual([x[0], x[1], x[2]])
    one.fitness.values = benchmarks.sphere(one)
    return one.fitness.values[0]




def crossed(x, y):
    one, two = tools.cxTwoPoint([x[0], x[1], x[2]], [y[0], y[1], y[2]])
    return sum([v * v for v in one]) + sum([v * v for v in two])


def best(x):
    population = [[x[0], x[1]], [x[1], x[2]]]
    return min(population, key=lambda v: benchmarks.sphere(v)[0])[0] ** 2


def compiled(x, y):
    function = gp.compile(expr=TREE, pset=PRIMITIVES)
    return function(x, y) ** 2


def statistics(x):
    stats = tools.Statistics()
    stats.register("mean", np.mean)
    stats.register("largest", np.max)
    record = stats.compile(x)
    return record["mean"] ** 2 + record["largest"]


def strategy(x):
    held = cma.Strategy(centroid=x, sigma=0.5, lambda_=4)
    return np.sum(held.centroid ** 2) + held.mueff




def bounded(x):
    one = [x[0], x[1]]
    return benchmarks.sphere([min(max(v, -1.0), 1.0) for v in one])[0]


def feasible(individual):
    return sum(individual) < 10.0


@tools.DeltaPenalty(feasible, 7.0)
def sphere_or_penalty(individual):
    return benchmarks.sphere(individual)


def penalized(x):
    return sphere_or_penalty(x)[0]


TWO = np.array([0.8, 0.4])
PROGRAMS = [
    program(sphere, X), program(valleys, X), program(waves, X), program(products, X), program(scaled, X),
    program(plane_of_two, TWO), program(foxholes, TWO), program(two_objectives, X), program(fronts, 0.4 * X),
    program(many_objectives, 0.4 * X), program(translated, X), program(stretched, X), program(toolbox, X),
    program(toolbox_made_inside, X), program(individual, X), program(crossed, X, 2.0 * X), program(best, X),
    program(compiled, 0.6, 0.9), program(statistics, X), program(strategy, X), program(bounded, TWO), program(penalized, X)]
