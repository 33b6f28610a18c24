"""Compartment models with interventions: SIR, SEIR and an age-structured variant share one simulator."""
# ruff: noqa: B028    (as its users wrote it)
import warnings
from dataclasses import dataclass, field

import numpy as np

from tests.programs.real.record import Real


@dataclass
class Intervention:
    start: float
    end: float
    effect: float
    name: str = "lockdown"

    def active(self, t):
        return self.start <= t < self.end


@dataclass
class Parameters:
    beta: float
    gamma: float
    sigma: float = 0.2
    contact: np.ndarray = field(default_factory=lambda: np.eye(1))
    interventions: list = field(default_factory=list)


class CompartmentModel:
    compartments = ()

    def __init__(self, params):
        self.params = params
        self.results = {name: [] for name in self.compartments}
        self.results["t"] = []

    def transmission(self, t):
        beta = self.params.beta
        for intervention in self.params.interventions:
            if intervention.active(t):
                beta *= 1 - intervention.effect
        return beta

    def derivatives(self, t, state):
        raise NotImplementedError(type(self).__name__)

    def record(self, t, state):
        self.results["t"].append(t)
        for name in self.compartments:
            self.results[name].append(state[name])

    def run(self, state, t_end, dt=0.5):
        """Heun's method on a dict of compartments."""
        t = 0.0
        population = sum(map(np.sum, state.values()))
        self.record(t, state)
        while t < t_end - 1e-9:
            k1 = self.derivatives(t, state)
            predicted = {name: state[name] + dt * k1[name] for name in state}
            k2 = self.derivatives(t + dt, predicted)
            state = {name: value + 0.5 * dt * (k1[name] + k2[name]) for name, value in state.items()}
            t += dt
            self.record(t, state)
        total = sum(np.sum(state[name]) for name in self.compartments)
        if abs(total - population) > 1e-6:
            warnings.warn(f"population is not conserved: {total:.6f}")
        return self

    def series(self, name):
        try:
            return np.array(self.results[name])
        except KeyError:
            raise ValueError(f"{type(self).__name__} has no compartment {name!r}") from None


class SIR(CompartmentModel):
    compartments = ("S", "I", "R")

    def derivatives(self, t, state):
        p = self.params
        infection = self.transmission(t) * state["S"] * (p.contact @ state["I"])
        recovery = p.gamma * state["I"]
        return dict(S=-infection, I=infection - recovery, R=recovery)


class SEIR(SIR):
    compartments = ("S", "E", "I", "R")

    def derivatives(self, t, state):
        rates = super().derivatives(t, state)
        onset = self.params.sigma * state["E"]
        rates["E"] = -rates["S"] - onset
        rates["I"] = onset - rates["R"]
        return rates


MODELS = {"sir": SIR, "seir": SEIR}


def peak_cost(beta, gamma, effect, shares, model="sir"):
    """Size of the epidemic plus the cost of a lockdown, for two age groups."""
    contact = np.array([[1.2, 0.3], [0.3, 0.8]])
    params = Parameters(beta, gamma, contact=contact,
                        interventions=[Intervention(3.0, 8.0, effect), Intervention(5.0, 7.0, 0.1, name="masks")])
    initial = {"S": shares - 0.01, "I": np.full(2, 0.01), "R": np.zeros(2)}
    if model == "seir":
        initial["E"] = np.zeros(2)
    simulation = MODELS[model](params).run(initial, t_end=10.0)
    infected = simulation.series("I").sum(axis=1)
    smooth_peak = np.log(np.sum(np.exp(40 * infected))) / 40
    return smooth_peak + 0.2 * simulation.series("R")[-1].sum() + 0.05 * effect ** 2


def fit(params, cases, shares):
    """Least squares with respect to a dataclass of parameters."""
    model = SIR(params)
    model.run({"S": shares - 0.01, "I": np.full(2, 0.01), "R": np.zeros(2)}, t_end=4.0)
    return 100 * np.mean((model.series("I")[::2] - cases) ** 2)


SHARES = np.array([0.6, 0.4])
CASES = np.array([[0.01, 0.01], [0.013, 0.012], [0.02, 0.013], [0.024, 0.016], [0.03, 0.02]])

PROGRAM = [
    Real(peak_cost, (1.4, 0.3, 0.4, SHARES), inputs=("beta", "gamma", "effect", "shares")),
    Real(peak_cost, (1.4, 0.3, 0.4, SHARES), inputs=("beta", "effect"), options={"model": "seir"}, lines=4.2),
    Real(fit, (Parameters(1.1, 0.3, contact=np.array([[1.2, 0.3], [0.3, 0.8]]),
                          interventions=[Intervention(1.1, 2.4, 0.3)]), CASES, SHARES), inputs="params"),
]
