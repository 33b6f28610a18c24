"""Population genetics: selection, mutation and migration of allele frequencies; the likelihood of sampled counts."""
# ruff: noqa: B028    (as its users wrote it)
import itertools
import math
import warnings

import numpy as np

from tests.programs.real.record import Real


class Fitness:
    """Genotype fitness from a selection and a dominance coefficient."""

    def __init__(self, s, h=0.5):
        self.s = s
        self.h = h

    def __call__(self, p):
        return {"AA": 1.0 + self.s, "Aa": 1.0 + self.h * self.s, "aa": 1.0}

    def mean(self, p):
        w = self(p)
        frequencies = dict(AA=p * p, Aa=2 * p * (1 - p), aa=(1 - p) ** 2)
        return sum(frequencies[g] * w[g] for g in w)

    def select(self, p):
        w = self(p)
        return (p * p * w["AA"] + p * (1 - p) * w["Aa"]) / self.mean(p)


class FrequencyDependent(Fitness):
    def __init__(self, s, strength, **kwargs):
        super().__init__(s, **kwargs)
        self.strength = strength

    def __call__(self, p):
        w = super().__call__(p)
        w.update(AA=w["AA"] * math.exp(-self.strength * p))
        return w


class Deme:
    def __init__(self, name, p, size, fitness):
        self.name, self.p, self.size, self.fitness = name, p, size, fitness

    def generation(self, forward, backward):
        p = self.fitness.select(self.p)
        self.p = p * (1 - forward) + (1 - p) * backward


class Metapopulation:
    def __init__(self, demes, migration, mutation=(1e-3, 2e-3)):
        names = [d.name for d in demes]
        if len(set(names)) != len(names):
            raise ValueError(f"names are not unique: {', '.join(names)}")
        self.demes = demes
        self.migration = migration
        self.mutation = mutation
        self.generations = 0

    def exchange(self):
        p = np.array([d.p for d in self.demes])
        mixed = self.migration @ p
        for d, new in zip(self.demes, mixed):
            d.p = new

    def advance(self, n=1):
        for _ in itertools.repeat(None, n):
            for deme in self.demes:
                deme.generation(*self.mutation)
            self.exchange()
            self.generations += 1

    def fst(self):
        """Differentiation averaged over all pairs of demes."""
        total, pairs = 0.0, 0
        for a, b in itertools.combinations(self.demes, 2):
            mean = 0.5 * (a.p + b.p)
            total += (a.p - b.p) ** 2 / (4 * mean * (1 - mean))
            pairs += 1
        return total / pairs


def log_binomial(k, n, p):
    if p <= 0.0 or p >= 1.0:
        warnings.warn("an allele is fixed")
        return -np.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)


def likelihood(selection, start, rates, samples, dominance=0.3):
    """Negative log likelihood of allele counts in three demes, sampled at several generations."""
    m, mutation = rates
    n = len(start)
    migration = (1 - m) * np.eye(n) + m / n * np.ones((n, n))
    demes = []
    for i, (s, p) in enumerate(zip(selection, start)):
        fitness = Fitness(s, h=dominance) if i % 2 == 0 else FrequencyDependent(s, strength=0.2, h=dominance)
        demes.append(Deme("deme%d" % i, p, 50 * (i + 1), fitness))
    population = Metapopulation(demes, migration, mutation=(mutation, 2 * mutation))
    total = 0.0
    for generation, counts in sorted(samples.items()):
        population.advance(generation - population.generations)
        for deme, (k, size) in zip(population.demes, counts):
            if size == 0:
                continue
            total -= log_binomial(k, size, deme.p)
    return total + population.fst()


SAMPLES = {6: [(9, 20), (0, 0), (14, 25)], 2: [(5, 20), (12, 20), (11, 20)], 4: [(6, 18), (10, 20), (12, 20)]}

PROGRAM = Real(likelihood, ([0.1, 0.2, 0.05], np.array([0.3, 0.55, 0.6]), (0.1, 0.005), SAMPLES, 0.3),
               inputs=("selection", "start", "rates", "dominance"), lines=5.4)
