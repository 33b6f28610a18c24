"""An equivalent-circuit battery model with lookup tables, a pack with a balancing strategy, and a fit to a test."""
import copy
import logging

import numpy as np

from tests.programs.real.record import Real

logger = logging.getLogger(__name__)

DEFAULTS = {
    "capacity": 2.0,
    "soc": 0.9,
    "ocv_table": {"soc": [0.0, 0.1, 0.5, 0.9, 1.0], "volts": [3.0, 3.4, 3.7, 4.05, 4.2]},
    "r0": 0.05,
    "rc": [(0.03, 30.0), (0.02, 400.0)],
}


class LookupTable:
    """Piecewise linear; constant beyond its ends, or an error with `strict`."""

    def __init__(self, x, y, strict=False):
        self.x, self.y = np.asarray(x), np.asarray(y)
        self.strict = strict

    def __call__(self, value):
        if self.strict and not self.x[0] <= value <= self.x[-1]:
            raise ValueError(f"{value:.3f} is outside of [{self.x[0]}, {self.x[-1]}]")
        if value <= self.x[0]:
            return self.y[0]
        if value >= self.x[-1]:
            return self.y[-1]
        i = int(np.searchsorted(self.x, value)) - 1
        fraction = (value - self.x[i]) / (self.x[i + 1] - self.x[i])
        return (1 - fraction) * self.y[i] + fraction * self.y[i + 1]


class Cell:
    def __init__(self, **config):
        settings = copy.deepcopy(DEFAULTS)
        settings.update(config)
        self.capacity = settings["capacity"]
        self.soc = settings["soc"]
        self.r0 = settings["r0"]
        table = settings["ocv_table"]
        self.ocv = LookupTable(table["soc"], table["volts"], strict=True)
        self.rc = settings["rc"]
        self.v_rc = np.zeros(len(self.rc))
        self.temperature = 25.0

    @property
    def resistance(self):
        """Rises when it is cold."""
        return self.r0 * np.exp(0.02 * (25.0 - self.temperature))

    def voltage(self, current):
        return self.ocv(self.soc) - current * self.resistance - self.v_rc.sum()

    def step(self, current, dt):
        self.soc -= current * dt / (3600 * self.capacity)
        for k, (r, c) in enumerate(self.rc):
            decay = np.exp(-dt / (r * c))
            self.v_rc[k] = decay * self.v_rc[k] + r * (1 - decay) * current
        loss = current ** 2 * self.resistance
        self.temperature += dt * (loss - 0.02 * (self.temperature - 25.0)) / 50.0
        return self.voltage(current)


class Pack:
    cutoff = 3.0

    def __init__(self, cells):
        self.cells = list(cells)
        self.log = []

    def balance(self, gain=0.2):
        mean = sum(c.soc for c in self.cells) / len(self.cells)
        return [gain * (c.soc - mean) for c in self.cells]

    def discharge(self, profile, dt=60.0):
        for t, current in enumerate(profile):
            voltages = []
            for cell, extra in zip(self.cells, self.balance()):
                voltages.append(cell.step(current + extra, dt))
            if min(voltages) < self.cutoff:
                logger.warning("cut off after %d steps", t)
                break
            self.log.append({"t": t * dt, "v": sum(voltages), "spread": max(voltages) - min(voltages)})
        return np.array([row["v"] for row in self.log])


def fit_error(r0, rc, capacity, profile, measured, volts=(3.0, 3.4, 3.7, 4.05, 4.2)):
    """Voltage error of a pack of two unequal cells."""
    table = dict(DEFAULTS["ocv_table"], volts=volts)
    strong = Cell(r0=r0, rc=rc, capacity=capacity, ocv_table=table)
    weak = Cell(r0=1.3 * r0, rc=rc, capacity=0.9 * capacity, soc=0.83, ocv_table=table)
    pack = Pack([strong, weak])
    v = pack.discharge(profile)
    if len(v) != len(measured):
        raise RuntimeError("the pack was cut off: %s" % [round(float(x), 2) for x in v])
    spread = sum(row["spread"] for row in pack.log) / len(pack.log)
    hottest = max(pack.cells, key=lambda c: c.temperature)
    return 10 * np.mean((v - measured) ** 2) + 0.1 * spread + 0.001 * hottest.temperature ** 2


def runtime_energy(cell, profile):
    """Energy of one cell; the cell object is the input and is left as it was."""
    cell = copy.deepcopy(cell)
    return sum(cell.step(i, 60.0) * i for i in profile) / len(profile)


PROFILE = [1.0, 2.0, -0.5, 1.5, 3.0, 0.2]
MEASURED = np.array([7.9, 7.7, 8.0, 7.75, 7.5, 7.8])

PROGRAM = [
    Real(fit_error, (0.05, [(0.03, 300.0), (0.02, 4000.0)], 1.8, PROFILE, MEASURED, np.array([3.0, 3.4, 3.7, 4.05, 4.2])),
         inputs=("r0", "rc", "capacity", "volts"), step=1e-4, lines=5.4),
    Real(runtime_energy, (Cell(soc=0.77, rc=[(0.03, 300.0)]), PROFILE), inputs="cell", step=1e-4),
]
