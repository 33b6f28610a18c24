"""Wake losses in a wind farm: turbines as dataclasses, wake models as interchangeable classes."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from tests.programs.real.record import Real


@dataclass
class Turbine:
    rotor_diameter: float = 0.8
    hub_height: float = 0.9
    power_exponent: float = 3.0
    ct_speeds: tuple = (3.0, 6.0, 9.0, 12.0, 25.0)
    ct_values: tuple = (0.88, 0.84, 0.79, 0.55, 0.1)

    def thrust(self, speed):
        return np.interp(speed, self.ct_speeds, self.ct_values)

    def power(self, speed):
        return (speed / 10.0) ** self.power_exponent / (1 + (speed / 11.0) ** 12)


class WakeModel:
    model_string = "none"

    def __init__(self, **parameters):
        for key, value in parameters.items():
            setattr(self, key, value)

    def deficit(self, dx, dy, ct, turbine):
        raise NotImplementedError(self.model_string)


class Jensen(WakeModel):
    model_string = "jensen"
    we = 0.05

    def deficit(self, dx, dy, ct, turbine):
        r = 0.5 * turbine.rotor_diameter
        c = (r / (self.we * dx + r)) ** 2
        smooth_edge = 1 / (1 + np.exp((dy ** 2 - (r + self.we * dx) ** 2) * 4))
        return (1 - np.sqrt(1 - ct)) * c * smooth_edge


class Gauss(WakeModel):
    model_string = "gauss"
    ka = 0.04
    kb = 0.01

    def deficit(self, dx, dy, ct, turbine):
        sigma = (self.ka * dx + self.kb) + turbine.rotor_diameter / np.sqrt(8.0)
        C = 1 - np.sqrt(1 - 0.4 * ct / (sigma / turbine.rotor_diameter) ** 2 / 8)
        return C * np.exp(-0.5 * (dy / sigma) ** 2)


MODEL_MAP = {cls.model_string: cls for cls in (Jensen, Gauss)}
COMBINATIONS = {
    "sos": lambda deficits: np.sqrt(np.sum(np.square(deficits), axis=0)),
    "fls": lambda deficits: np.sum(deficits, axis=0),
}


class Farm:
    def __init__(self, x, y, turbine, wake="gauss", combination="sos", wake_parameters=None):
        self.x = np.asarray(x)
        self.y = np.asarray(y)
        self.turbine = turbine
        self.wake = MODEL_MAP[wake](**(wake_parameters or {}))
        self.combine = COMBINATIONS[combination]

    def rotated(self, direction):
        """Coordinates along and across the wind."""
        angle = np.deg2rad(direction - 270.0)
        c, s = np.cos(angle), np.sin(angle)
        return c * self.x - s * self.y, s * self.x + c * self.y

    def wind_speeds(self, speed, direction):
        along, across = self.rotated(direction)
        order = np.argsort(along)
        n = len(order)
        effective = np.full(n, speed)
        for position, i in enumerate(order):
            upstream = order[:position]
            if len(upstream) == 0:
                continue
            deficits = []
            for j in upstream:
                dx, dy = along[i] - along[j], across[i] - across[j]
                ct = self.turbine.thrust(effective[j])
                deficits.append(self.wake.deficit(dx, dy, ct, self.turbine))
            effective[i] = speed * (1 - self.combine(np.array(deficits)))
        return effective

    def power(self, speed, direction):
        return np.sum(self.turbine.power(self.wind_speeds(speed, direction)))


def annual_energy(x, y, rose, wake="gauss", combination="sos", diameter=0.8, **wake_parameters):
    """Mean power over a wind rose, minus a penalty for turbines too close to each other."""
    turbine = dataclasses.replace(Turbine(), rotor_diameter=diameter)
    farm = Farm(x, y, turbine, wake=wake, combination=combination, wake_parameters=wake_parameters)
    energy = 0.0
    for speed, direction, frequency in rose:
        energy += frequency * farm.power(speed, direction)
    separation = np.sqrt((x[:, None] - x) ** 2 + (y[:, None] - y) ** 2 + np.eye(len(x)))
    too_close = np.triu(np.exp(-separation), k=1).sum()
    return energy - 0.01 * too_close


ROSE = [(8.0, 270.0, 0.5), (10.5, 245.0, 0.3), (6.5, 300.0, 0.2)]
X, Y = np.array([0.0, 3.0, 6.5, 4.0]), np.array([0.0, 0.3, -0.2, 1.4])

PROGRAM = [
    Real(annual_energy, (X, Y, ROSE), inputs=("x", "y")),
    Real(annual_energy, (X, Y, ROSE, "jensen", "fls", 0.8), inputs=("x", "y", "diameter"), options={"we": 0.06}),
]
