"""A lumped thermal network of rooms and walls, with a thermostat and weather given by a generator."""
from itertools import chain, count, islice

import numpy as np

from tests.programs.real.record import Real


class Component:

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "<%s %s>" % (type(self).__name__, self.name)


class Mass(Component):
    def __init__(self, name, capacity, temperature=20.0):
        super().__init__(name)
        self.capacity = capacity
        self.temperature = temperature
        self.flow = 0.0
        self.history = [temperature]

    def heat(self, power):
        self.flow += power

    def advance(self, dt):
        self.temperature += dt * self.flow / self.capacity
        self.flow = 0.0
        self.history.append(self.temperature)


class Boundary(Mass):
    """Temperature given from outside."""

    def __init__(self, name, source):
        super().__init__(name, np.inf, next(source))
        self.source = source

    def advance(self, dt):
        self.temperature = next(self.source)
        self.flow = 0.0


class Conductor(Component):
    def __init__(self, a, b, conductance):
        super().__init__(f"{a.name}-{b.name}")
        self.a, self.b = a, b
        self.conductance = conductance

    def exchange(self):
        power = self.conductance * (self.a.temperature - self.b.temperature)
        self.a.heat(-power)
        self.b.heat(power)
        return power


class Radiator(Conductor):
    """Stefan-Boltzmann, in units of 100 K."""

    def exchange(self):
        Ta, Tb = (273.15 + m.temperature for m in (self.a, self.b))
        power = self.conductance * ((Ta / 100) ** 4 - (Tb / 100) ** 4)
        self.a.heat(-power)
        self.b.heat(power)
        return power


class Thermostat:
    def __init__(self, room, setpoint, gain, max_power=None):
        self.room, self.setpoint, self.gain, self.max_power = room, setpoint, gain, max_power
        self.energy = 0.0

    def control(self, dt):
        power = self.gain * np.logaddexp(0.0, self.setpoint - self.room.temperature)
        if self.max_power and power > self.max_power:
            power = self.max_power
        self.energy += power * dt
        self.room.heat(power)


class Network:
    def __init__(self):
        self.masses = {}
        self.links = []
        self.controls = []

    def __getitem__(self, name):
        return self.masses[name]

    def add(self, *components):
        for c in components:
            if isinstance(c, Mass):
                self.masses[c.name] = c
            elif isinstance(c, Conductor):
                self.links.append(c)
            elif hasattr(c, "control"):
                self.controls.append(c)
            else:
                raise TypeError(f"cannot add {c!r}")

    def run(self, steps, dt):
        for _ in range(steps):
            for link in self.links:
                link.exchange()
            for control in self.controls:
                control.control(dt)
            for mass in self.masses.values():
                mass.advance(dt)


def weather(base, swing):
    for hour in count():
        yield base + swing * np.cos(2 * np.pi * hour / 24)


def comfort_cost(insulation, capacities, setpoint, base=5.0, steps=10):
    net = Network()
    net.add(Boundary("outside", weather(base, 4.0)))
    for name, capacity in capacities.items():
        net.add(Mass(name, capacity, temperature=18.0))
    net.add(Conductor(net["room"], net["wall"], insulation["inner"]),
            Conductor(net["wall"], net["outside"], insulation["outer"]),
            Radiator(net["room"], net["outside"], insulation["window"]))
    heater = Thermostat(net["room"], setpoint, gain=0.6, max_power=4.0)
    net.add(heater)
    net.run(steps, dt=0.5)
    inside = list(islice(chain(net["room"].history, net["wall"].history), 2, None))
    discomfort = sum((T - 21.0) ** 2 for T in inside) / len(inside)
    return discomfort + 0.1 * heater.energy


PROGRAM = Real(comfort_cost, ({"inner": 0.5, "outer": 0.2, "window": 0.03}, {"room": 2.0, "wall": 5.0}, 20.5, 5.0),
               inputs=("insulation", "capacities", "setpoint", "base"), order=0, refused="is not read at once")
