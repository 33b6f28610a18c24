"""Programs of Nashpy: utilities, best responses, equilibria, learning and population dynamics."""
from __future__ import annotations

import nashpy as nash
import numpy as np

from tests.packages.program import program

A, B = np.array([[3.0, 0.5], [1.0, 2.0]]), np.array([[1.0, 2.0], [3.0, 0.5]])


def utilities(a, b):
    game = nash.Game(a, b)
    value = game[np.array([0.3, 0.7]), np.array([0.6, 0.4])]
    return value[0] ** 2 + value[1]


def utilities_of_strategies(row, column):
    game = nash.Game(A, B)
    return np.sum(game[row, column] ** 2)


def zero_sum(a):
    game = nash.Game(a)
    return np.sum(game[np.array([0.3, 0.7]), np.array([0.6, 0.4])] ** 2) + (1.0 if game.zero_sum else 0.0)


def best_response(a):
    game = nash.Game(a, B)
    row, column = game.is_best_response(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    return np.sum(a ** 2) * (2.0 if row else 1.0)


def supports(a, b):
    game = nash.Game(a, b)
    return sum([np.sum(row ** 2) + np.sum(column * np.array([1.0, 2.0])) for row, column in game.support_enumeration()])


def vertices(a, b):
    game = nash.Game(a, b)
    return sum([np.sum(row ** 2) + np.sum(column * np.array([1.0, 2.0])) for row, column in game.vertex_enumeration()])


def lemke_howson(a, b):
    row, column = nash.Game(a, b).lemke_howson(initial_dropped_label=0)
    return np.sum(row ** 2) + np.sum(column ** 2)


def linear_program(a):
    row, column = nash.Game(a).linear_program()
    return np.sum(row ** 2) + np.sum(column ** 2)


def fictitious_play(a):
    game = nash.Game(a, B)
    np.random.seed(0)
    counts = 0.0
    for row, _ in game.fictitious_play(iterations=6):
        counts = counts + row[0]
    return np.sum(a ** 2) * counts


def stochastic_play(a):
    game = nash.Game(a, B)
    np.random.seed(0)
    total = 0.0
    for counts, _ in game.stochastic_fictitious_play(iterations=5):
        total = total + counts[0][0]
    return total + np.sum(a)


def replicator(a):
    game = nash.Game(a)
    populations = game.replicator_dynamics(y0=np.array([0.4, 0.6]), timepoints=np.linspace(0.0, 1.0, 5))
    return np.sum(populations ** 2)


def asymmetric_replicator(a):
    game = nash.Game(a, B)
    rows, columns = game.asymmetric_replicator_dynamics(x0=np.array([0.4, 0.6]), y0=np.array([0.5, 0.5]),
                                                        timepoints=np.linspace(0.0, 1.0, 5))
    return np.sum(rows ** 2) + np.sum(columns)


def replicator_step(a, x):
    from nashpy.learning.replicator_dynamics import get_derivative_of_fitness

    return np.sum(get_derivative_of_fitness(x, 0.0, a, np.eye(2)) ** 2)


def imitation(a):
    game = nash.Game(a, B)
    np.random.seed(0)
    total = 0.0
    for rows, _ in game.imitation_dynamics(population_size=10, iterations=3, random_seed=1):
        total = total + rows[0]
    return total + np.sum(a)


def fitness(a):
    from nashpy.egt.moran_process import score_all_individuals

    return np.sum(score_all_individuals(a, np.array([0, 0, 1, 1])) ** 2)


ROW, COLUMN = np.array([0.3, 0.7]), np.array([0.6, 0.4])
PROGRAMS = [
    program(utilities, A, B), program(utilities_of_strategies, ROW, COLUMN), program(zero_sum, A), program(best_response, A),
    program(supports, A, B), program(vertices, A, B), program(lemke_howson, A, B), program(linear_program, A),
    program(fictitious_play, A), program(stochastic_play, A), program(replicator, A), program(asymmetric_replicator, A),
    program(replicator_step, A, ROW), program(imitation, A), program(fitness, A)]
