"""Chemical kinetics from a mechanism in text: species and rates in dicts, implicit Euler with Newton's method."""
import re
from collections import Counter

import numpy as np

from tests.programs.real.record import Real

R_GAS = 8.314e-3


class MechanismError(ValueError):
    pass


class Reaction:
    def __init__(self, reactants, products, A, Ea=0.0, n=0.0):
        self.reactants = reactants
        self.products = products
        self.A, self.Ea, self.n = A, Ea, n

    @classmethod
    def parse(cls, text, **rate):
        """`2 A + B -> C`"""
        try:
            left, right = text.split("->")
        except ValueError as error:
            raise MechanismError("a reaction needs one arrow: %r" % text) from error
        return cls(cls._side(left), cls._side(right), **rate)

    @staticmethod
    def _side(text):
        counts = Counter()
        for term in text.split("+"):
            number, name = re.match(r"\s*(\d*)\s*(\w+)\s*$", term).groups()
            counts[name] += int(number or 1)
        return counts

    def rate_constant(self, T):
        return self.A * (T / 300.0) ** self.n * np.exp(-self.Ea / (R_GAS * T))

    def rate(self, c, T):
        r = self.rate_constant(T)
        for name, order in self.reactants.items():
            r = r * c[name] ** order
        return r

    @property
    def net(self):
        species = dict.fromkeys([*self.reactants, *self.products])
        return {name: self.products.get(name, 0) - self.reactants.get(name, 0) for name in species}


class Reactor:
    def __init__(self, reactions, T=300.0):
        self.reactions = reactions
        self.T = T
        self.species = sorted({name for r in reactions for name in r.net})
        self.heat_release = 0.0

    def as_dict(self, y):
        return dict(zip(self.species, y))

    def production(self, y):
        c = self.as_dict(y)
        wdot = {name: 0.0 for name in self.species}
        for reaction in self.reactions:
            r = reaction.rate(c, self.T)
            for name, nu in reaction.net.items():
                wdot[name] += nu * r
        return np.array([wdot[name] for name in self.species])

    def jacobian(self, y):
        J = np.zeros((len(y), len(y)))
        c = self.as_dict(y)
        for reaction in self.reactions:
            k = reaction.rate_constant(self.T)
            for wrt, order in reaction.reactants.items():
                derivative = k * order * c[wrt] ** (order - 1)
                for other, power in reaction.reactants.items():
                    if other != wrt:
                        derivative = derivative * c[other] ** power
                j = self.species.index(wrt)
                for name, nu in reaction.net.items():
                    J[self.species.index(name), j] += nu * derivative
        return J

    def advance(self, y, dt, tol=1e-12, max_newton=12):
        new = y
        for _ in range(max_newton):
            residual = new - y - dt * self.production(new)
            delta = np.linalg.solve(np.eye(len(y)) - dt * self.jacobian(new), -residual)
            new = new + delta
            if np.linalg.norm(delta) < tol:
                return new
        raise RuntimeError(f"Newton's method failed after {max_newton} iterations")


MECHANISM = [("A + B -> C", "fast"), ("C -> A + B", "slow"), ("2 C -> D", "side")]


def yield_of(rates, initial, T, wanted="D", n_steps=6):
    """Amount of the wanted product at the end, and how exhausted the feed is."""
    reactions = [Reaction.parse(text, **rates[key]) for text, key in MECHANISM]
    reactor = Reactor(reactions, T=T)
    y = np.array([initial.get(name, 0.0) for name in reactor.species])
    trajectory = [y]
    for _ in range(n_steps):
        y = reactor.advance(y, 0.2)
        trajectory.append(y)
    final = reactor.as_dict(y)
    return final[wanted] + 0.1 * np.sum(np.array(trajectory)[:, 0]) ** 2


RATES = {"fast": {"A": 3.0, "Ea": 1.0}, "slow": {"A": 0.6, "Ea": 0.5, "n": 0.4}, "side": {"A": 1.5}}

PROGRAM = [
    Real(yield_of, (RATES, {"A": 1.0, "B": 0.8}, 320.0), inputs=("rates", "initial", "T"), lines=4.3),
]
