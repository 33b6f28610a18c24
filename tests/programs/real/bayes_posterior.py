"""A log posterior with prior objects, transformed parameters and several likelihoods; a leapfrog step through it."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from tests.programs.real.record import Real


class Prior(ABC):
    """A distribution with a bijection to the real line."""

    bounds = (-math.inf, math.inf)

    @abstractmethod
    def log_density(self, x):
        ...

    def constrain(self, z):
        """Value and log Jacobian of the bijection."""
        low, high = self.bounds
        if math.isinf(low) and math.isinf(high):
            return z, 0.0
        if math.isinf(high):
            return low + math.exp(z), z
        u = 1 / (1 + math.exp(-z))
        return low + (high - low) * u, math.log(high - low) + math.log(u) + math.log1p(-u)


class Normal(Prior):
    def __init__(self, mu=0.0, sigma=1.0):
        self.mu, self.sigma = mu, sigma

    def log_density(self, x):
        return -0.5 * ((x - self.mu) / self.sigma) ** 2 - math.log(self.sigma) - 0.5 * math.log(2 * math.pi)


class HalfCauchy(Prior):
    bounds = (0.0, math.inf)

    def __init__(self, scale=1.0):
        self.scale = scale

    def log_density(self, x):
        return math.log(2 / math.pi / self.scale) - math.log1p((x / self.scale) ** 2)


class Beta(Prior):
    bounds = (0.0, 1.0)

    def __init__(self, a, b):
        self.a, self.b = a, b

    def log_density(self, x):
        log_norm = math.lgamma(self.a) + math.lgamma(self.b) - math.lgamma(self.a + self.b)
        return (self.a - 1) * math.log(x) + (self.b - 1) * math.log(1 - x) - log_norm


class Gamma(Prior):
    bounds = (0.0, math.inf)

    def __init__(self, shape, rate):
        self.shape = shape
        self.rate = rate

    def log_density(self, x):
        return self.shape * math.log(self.rate) - math.lgamma(self.shape) + (self.shape - 1) * math.log(x) - self.rate * x


class Model:
    def __init__(self, priors: dict[str, Prior], likelihood, *, temperature: float = 1.0):
        self.priors = priors
        self.likelihood = likelihood
        self.temperature = temperature
        self._evaluations = 0

    @property
    def names(self):
        return list(self.priors.keys())

    def unpack(self, z: Sequence[float]):
        if len(z) != len(self.priors):
            raise ValueError(f"expected {len(self.priors)} parameters, got {len(z)}")
        values, log_jacobian = {}, 0.0
        for (name, prior), zi in zip(self.priors.items(), z):
            values[name], lj = prior.constrain(zi)
            log_jacobian += lj
        return values, log_jacobian

    def log_prior(self, values):
        return sum(self.priors[name].log_density(values[name]) for name in self.names)

    def log_posterior(self, z, data):
        self._evaluations += 1
        values, log_jacobian = self.unpack(z)
        try:
            loglik = self.likelihood(**values, **data)
        except (ValueError, ZeroDivisionError) as err:
            print("likelihood failed:", err)
            return -math.inf
        return self.temperature * loglik + self.log_prior(values) + log_jacobian


def robust_regression(slope, intercept, sigma, outliers, *, x, y, nu=4.0):
    """A mixture of a normal and a broad distribution of the residuals."""
    r = (y - slope * x - intercept) / sigma
    normal = -0.5 * r ** 2 - np.log(sigma) - 0.5 * np.log(2 * np.pi)
    broad = -0.5 * (nu + 1) * np.log1p(r ** 2 / (25 * nu)) - np.log(5 * sigma) - 0.9
    return np.sum(np.logaddexp(np.log1p(-outliers) + normal, np.log(outliers) + broad))


def make_model(hyper, **options):
    location, scale, concentration = hyper
    priors = {"slope": Normal(location, 1.5), "intercept": Normal(sigma=2.0), "sigma": HalfCauchy(scale),
              "outliers": Beta(1.5, concentration)}
    return Model(priors, robust_regression, **options)


def negative_log_posterior(z, hyper, x, y):
    model = make_model(hyper, temperature=0.9)
    return -model.log_posterior(z, {"x": x, "y": y})


def rate_posterior(model, z, counts):
    """Poisson counts with a gamma prior; the hyperparameters inside the model are differentiated."""
    values, log_jacobian = model.unpack([z])
    rate = values["rate"]
    return model.log_prior(values) + log_jacobian + sum(k * math.log(rate) - rate for k in counts)


DATA_X = np.array([-1.0, -0.3, 0.4, 1.1, 2.0])
DATA_Y = np.array([-0.8, 0.2, 0.5, 3.4, 2.1])

PROGRAM = [
    Real(negative_log_posterior, (np.array([0.8, 0.2, -0.5, -1.2]), [0.5, 1.0, 6.0], DATA_X, DATA_Y),
         inputs=("z", "hyper", "y")),
    Real(rate_posterior, (Model({"rate": Gamma(2.0, 0.7)}, None), 0.6, (3, 1, 2)), inputs="model"),
]
