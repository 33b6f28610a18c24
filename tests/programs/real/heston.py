"""Monte Carlo pricing under Heston's model: random numbers drawn inside from a seeded generator, or passed in."""

import math
from dataclasses import dataclass

import numpy as np

from tests.programs.real.record import Real


@dataclass(frozen=True)
class HestonParameters:
    kappa: float
    theta: float
    xi: float
    rho: float
    v0: float

    @property
    def feller(self):
        return 2 * self.kappa * self.theta - self.xi ** 2


class HestonProcess:
    def __init__(self, s0, r, params, scheme="full_truncation"):
        if not -1 < params.rho < 1:
            raise ValueError(f"rho must lie between -1 and 1, got {params.rho}")
        self.s0 = s0
        self.r = r
        self.params = params
        self.scheme = scheme

    def correlated(self, z):
        """Two standard normals per path and step, made correlated."""
        rho = self.params.rho
        z1 = z[..., 0]
        z2 = rho * z1 + math.sqrt(1 - rho ** 2) * z[..., 1]
        return z1, z2

    def positive(self, v):
        if self.scheme == "full_truncation":
            return np.maximum(v, 0.0)
        elif self.scheme == "reflection":
            return np.abs(v)
        raise ValueError(f"unknown scheme {self.scheme!r}")

    def paths(self, maturity, z):
        n_paths, n_steps = z.shape[:2]
        dt = maturity / n_steps
        kappa, theta, xi = self.params.kappa, self.params.theta, self.params.xi
        z1, z2 = self.correlated(z)
        log_s = np.empty((n_paths, n_steps + 1))
        log_s[:, 0] = np.log(self.s0)
        v = np.full(n_paths, self.params.v0)
        for i in range(n_steps):
            v_plus = self.positive(v)
            log_s[:, i + 1] = log_s[:, i] + (self.r - 0.5 * v_plus) * dt + np.sqrt(v_plus * dt) * z1[:, i]
            v = v + kappa * (theta - v_plus) * dt + xi * np.sqrt(v_plus * dt) * z2[:, i]
        return np.exp(log_s)


def european(strike):
    def payoff(paths):
        return np.maximum(paths[:, -1] - strike, 0.0)
    return payoff


def asian(strike):
    def payoff(paths):
        return np.maximum(paths[:, 1:].mean(axis=1) - strike, 0.0)
    return payoff


PAYOFFS = {"european": european, "asian": asian}


def price(s0, r, kappa, theta, xi, rho, v0, strike=100.0, kind="european", n_paths=64, seed=7):
    """Discounted mean payoff; the same seed gives the same random numbers at each call."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n_paths // 2, 8, 2))
    z = np.concatenate([z, -z])
    process = HestonProcess(s0, r, HestonParameters(kappa, theta, xi, rho, v0))
    payoff = PAYOFFS[kind](strike)
    return math.exp(-r * 0.5) * payoff(process.paths(0.5, z)).mean()


def calibration_error(params, strikes, quotes, z):
    """Sum of squared pricing errors by the parameters as one object."""
    process = HestonProcess(100.0, 0.02, params, scheme="reflection")
    paths = process.paths(0.25, z)
    errors = [european(k)(paths).mean() - q for k, q in zip(strikes, quotes)]
    penalty = 10.0 * min(params.feller, 0.0) ** 2
    return sum(e ** 2 for e in errors) + penalty


NORMALS = np.random.default_rng(3).standard_normal((40, 5, 2))

PROGRAM = [
    Real(price, (100.0, 0.03, 1.5, 0.04, 0.3, -0.6, 0.05), inputs=("s0", "r", "kappa", "theta", "xi", "rho", "v0"),
         step=1e-5, tolerance=1e-5),
    Real(price, (100.0, 0.03, 1.5, 0.04, 0.3, -0.6, 0.05), inputs=("s0", "v0"), options={"kind": "asian", "n_paths": 32},
         step=1e-5, tolerance=1e-5),
    Real(calibration_error, (HestonParameters(1.5, 0.04, 0.37, -0.6, 0.05), [95.0, 101.5], [8.0, 3.5], NORMALS),
         inputs="params", step=1e-5, tolerance=1e-5),
]
