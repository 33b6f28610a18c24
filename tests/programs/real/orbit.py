"""Orbit propagation: a dataclass state with operators, forces as callables, Kepler's equation by Newton's method."""

import math
from dataclasses import dataclass

import numpy as np

from tests.programs.real.record import Real

MU = 1.0


@dataclass
class State:
    r: np.ndarray
    v: np.ndarray
    t: float = 0.0

    def __add__(self, other):
        return State(self.r + other.r, self.v + other.v, self.t + other.t)

    def __mul__(self, factor):
        return State(factor * self.r, factor * self.v, factor * self.t)

    __rmul__ = __mul__

    @property
    def energy(self):
        return 0.5 * self.v @ self.v - MU / np.linalg.norm(self.r)

    @property
    def angular_momentum(self):
        return np.cross(self.r, self.v)


@dataclass(frozen=True)
class Elements:
    a: float
    e: float
    inclination: float = 0.0
    raan: float = 0.0
    argp: float = 0.0
    mean_anomaly: float = 0.0

    def eccentric_anomaly(self, tolerance=1e-13):
        E = self.mean_anomaly if self.e < 0.8 else math.pi
        while True:
            delta = (E - self.e * math.sin(E) - self.mean_anomaly) / (1 - self.e * math.cos(E))
            E -= delta
            if abs(delta) < tolerance:
                return E

    def to_state(self):
        E = self.eccentric_anomaly()
        cE, sE = math.cos(E), math.sin(E)
        root = math.sqrt(1 - self.e ** 2)
        n = math.sqrt(MU / self.a ** 3)
        rate = n * self.a / (1 - self.e * cE)
        perifocal = np.array([[self.a * (cE - self.e), self.a * root * sE, 0.0], [-rate * sE, rate * root * cE, 0.0]])
        R = rotation(self.raan, 2) @ rotation(self.inclination, 0) @ rotation(self.argp, 2)
        position, velocity = perifocal @ R.T
        return State(position, velocity)


def rotation(angle, axis):
    c, s = math.cos(angle), math.sin(angle)
    if axis == 2:
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    elif axis == 0:
        return np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])
    raise IndexError(f"axis {axis} is not supported")


class J2:
    def __init__(self, j2=1e-2, radius=0.8):
        self.factor = 1.5 * j2 * MU * radius ** 2

    def __call__(self, state):
        x, y, z = state.r
        r2 = state.r @ state.r
        q = 5 * z ** 2 / r2
        return -self.factor / r2 ** 2.5 * np.array([x * (1 - q), y * (1 - q), z * (3 - q)])


class Drag:
    def __init__(self, coefficient, scale_height=0.2):
        self.coefficient, self.scale_height = coefficient, scale_height

    def __call__(self, state):
        height = np.linalg.norm(state.r) - 0.8
        return -self.coefficient * np.exp(-height / self.scale_height) * np.linalg.norm(state.v) * state.v


class Propagator:
    def __init__(self, *perturbations):
        self.perturbations = perturbations
        self.burns = []

    def add_burn(self, step, dv):
        self.burns.append((step, dv))

    def derivative(self, state):
        a = -MU * state.r / np.linalg.norm(state.r) ** 3
        for p in self.perturbations:
            a = a + p(state)
        return State(state.v, a, 1.0)

    def propagate(self, state, dt, steps):
        for k in range(steps):
            for at, dv in self.burns:
                if at == k:
                    state = State(state.r, state.v + dv, state.t)
            k1 = self.derivative(state)
            k2 = self.derivative(state + 0.5 * dt * k1)
            k3 = self.derivative(state + 0.5 * dt * k2)
            k4 = self.derivative(state + k3 * dt)
            state = state + (dt / 6) * (k1 + 2 * k2 + 2 * k3 + k4)
            yield state


def transfer_cost(elements, dv, j2, drag):
    """Distance to a target after two burns."""
    propagator = Propagator(J2(j2), Drag(drag))
    propagator.add_burn(0, dv[0])
    propagator.add_burn(4, dv[1])
    states = list(propagator.propagate(elements.to_state(), 0.15, 8))
    final = states[-1]
    assert abs(final.t - 1.2) < 1e-12
    target = np.array([-0.2, 1.0, 0.5])
    return np.sum((final.r - target) ** 2) + 0.1 * np.sum(dv ** 2) + 0.1 * sum(s.energy for s in states) + (
        0.2 * np.linalg.norm(final.angular_momentum))


def state_cost(state, dt):
    """By a dataclass of position and velocity; the last of a user generator's states counts."""
    propagator = Propagator(J2())
    for current in propagator.propagate(state, dt, 5):
        pass
    return current.energy + current.r[0] ** 2


ELEMENTS = Elements(1.1, 0.12, 0.4, 0.3, -0.2, 0.6)

PROGRAM = [
    Real(transfer_cost, (ELEMENTS, np.array([[0.1, 0.02, 0.0], [0.0, -0.05, 0.1]]), 0.01, 0.02),
         inputs=("elements", "dv", "j2", "drag"), lines=4.1),
    Real(state_cost, (ELEMENTS.to_state(), 0.1), inputs=("state", "dt")),
]
