"""Charged particles that know their neighbours: references in both directions, found with a grid in a dict."""
import math
from collections import defaultdict

import numpy as np


class Particle:
    def __init__(self, number, x, v, charge):
        self.number = number
        self.x = x
        self.v = v
        self.charge = charge
        self.neighbours = []


def find_neighbours(particles, reach):
    grid = defaultdict(list)
    for p in particles:
        grid[math.floor(p.x[0] / reach), math.floor(p.x[1] / reach)].append(p)
    for p in particles:
        row, column = math.floor(p.x[0] / reach), math.floor(p.x[1] / reach)
        for i in (row - 1, row, row + 1):
            for j in (column - 1, column, column + 1):
                for q in grid.get((i, j), ()):
                    if q is not p and np.sum((q.x - p.x) ** 2) < reach ** 2:
                        p.neighbours.append(q)


def primal(x, v, charge, soft, dt, steps):
    particles = [Particle(k, x[k], v[k], charge[k]) for k in range(len(x))]
    find_neighbours(particles, 1.5)
    for _ in range(steps):
        for p in particles:
            for q in p.neighbours:
                if p.number < q.number:
                    d = q.x - p.x
                    push = dt * p.charge * q.charge / (soft + d @ d) * d
                    p.v = p.v - push
                    q.v = q.v + push
        for p in particles:
            p.x = p.x + dt * p.v
    return sum(p.v @ p.v + 0.1 * len(p.neighbours) * (p.x @ p.x) for p in particles)


def adjoint(x, v, charge, soft, dt, steps):
    particles = [Particle(k, x[k], v[k].copy(), charge[k]) for k in range(len(x))]
    find_neighbours(particles, 1.5)
    tape = []
    for _ in range(steps):
        for p in particles:
            for q in p.neighbours:
                if p.number < q.number:
                    d = q.x - p.x
                    distance = soft + d @ d
                    push = dt * p.charge * q.charge / distance * d
                    p.v -= push
                    q.v += push
                    tape.append((p.number, q.number, d, distance))
        tape.append(None)
        for p in particles:
            p.x = p.x + dt * p.v
    value = sum(p.v @ p.v + 0.1 * len(p.neighbours) * (p.x @ p.x) for p in particles)

    x_bar = np.array([0.2 * len(p.neighbours) * p.x for p in particles])
    v_bar = np.array([2.0 * p.v for p in particles])
    charge_bar = np.zeros(charge.shape)
    soft_bar = 0.0
    while tape:
        entry = tape.pop()
        if entry is None:
            # p.x = p.x + dt * p.v, of all
            v_bar += dt * x_bar
            continue
        p, q, d, distance = entry
        # p.v = p.v - push;  q.v = q.v + push
        push_bar = v_bar[q] - v_bar[p]
        # push = dt * p.charge * q.charge / (soft + d @ d) * d
        along = dt * (push_bar @ d) / distance
        charge_bar[p] += along * charge[q]
        charge_bar[q] += along * charge[p]
        strength = charge[p] * charge[q]
        distance_bar = -along * strength / distance
        soft_bar += distance_bar
        d_bar = dt * strength / distance * push_bar + 2.0 * distance_bar * d
        # d = q.x - p.x
        x_bar[q] += d_bar
        x_bar[p] -= d_bar
    return value, (x_bar, v_bar, charge_bar, soft_bar)


INPUTS = ("x", "v", "charge", "soft")
COUNTED = "particles"


def make(size, rng):
    n, steps = {"tiny": (4, 2), "full": (9, 10)}.get(size) or (size, 2)
    side = math.ceil(math.sqrt(n))
    x = np.array([(k // side, k % side) for k in range(n)]) + 0.1 * rng.standard_normal((n, 2))
    return x, rng.standard_normal((n, 2)), 0.5 + rng.random(n), 0.3, 0.05, steps
