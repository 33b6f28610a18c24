"""`setattr(o, name, value)` in loops over known names: the value is what stands there, whatever its first operand is."""
from __future__ import annotations

import numpy as np

from tests.kinds.places import programs_of, suite_of

X = np.array([0.7, 1.3, 0.4, 0.9])
V = np.array([0.2, -0.5, 1.0, 0.3])
NAMES = ("gain", "total")


class Part:
    def __init__(self, gain, total=1.0):
        self.gain, self.total = gain, total

    def scale_all(self, by):
        for name in NAMES:
            setattr(self, name, by.gain * getattr(self, name))

    def set_all(self, values):
        for name in ("gain", "total"):
            self.__setattr__(name, values[name] + self.gain)

    def load(self, **values):
        for name, value in values.items():
            setattr(self, name, value)


def element_times_a_number(x):
    part = Part(0.5)
    for name in ("gain", "total"):
        setattr(part, name, x[1] * 1.5)
    return part.gain * part.total * x[0]


def element_times_a_number_of_one_in_a_list(x):
    parts = [Part(0.5), Part(x[0])]
    for name in NAMES:
        setattr(parts[0], name, x[1] * 1.5) if False else setattr(parts[1], name, x[1] * 1.5)
    return parts[0].gain * parts[1].total * x[0] * parts[1].gain


def attribute_of_another(x):
    part, other = Part(0.5), Part(x[0], x[1])
    for name in NAMES:
        setattr(part, name, other.total * x[2])
    return part.gain + part.total * other.gain


def attribute_of_itself(x):
    part = Part(x[3], x[0])
    for name in NAMES:
        setattr(part, name, part.gain * x[1])
    return part.gain + part.total


def in_a_method(x):
    part = Part(x[0], x[1])
    part.scale_all(Part(x[2]))
    return part.gain * part.total


def of_what_a_closure_captures(x):
    part = Part(1.0, x[0])
    others = [part]

    def load(v):
        for name in NAMES:
            setattr(part, name, v * others[0].total)

    load(x[1])
    return others[0].gain * part.total


def of_an_object_in_an_attribute(x):
    outer = Part(Part(x[0]), x[1])
    for name in NAMES:
        setattr(outer.gain, name, outer.total * x[2])
    return outer.gain.gain + outer.gain.total * x[3]


def of_a_dict(x):
    part = Part(x[0], x[1])
    part.set_all({"gain": x[2], "total": x[3]})
    return part.gain * part.total


def keywords(x):
    part = Part(1.0, x[0])
    part.load(gain=x[1], total=x[2], rate=x[3])
    return part.gain * part.total * part.rate


def evaluated_in_turn(x):
    log = []

    def told(value):
        log.append(len(log))
        return value

    part = Part(0.5)
    for name in NAMES:
        setattr(part, told(name), told(x[0]) * len(log))
    return part.gain + 10.0 * part.total


def inside_an_object(x):
    parts = [Part(Part(0.5)), Part(Part(0.7))]
    for part in parts:
        inner = part.gain
        for name in NAMES:
            setattr(inner, name, x[0] * x[1])
        inner.gain = inner.gain * x[2]
    return sum(part.gain.gain * part.gain.total for part in parts)


class Settings:
    def __init__(self, **options):
        defaults = {"gain": 1.0, "rate": 0.5}
        for name, value in {**defaults, **options}.items():
            setattr(self, name, np.asarray(value) * 2.0)

    def scaled(self, by):
        table = {"gain": self.gain * by, "rate": self.rate}
        for name, value in table.items():
            setattr(self, name, value + self.gain)
            by = by + value
        return by * value


def keywords_that_are_scaled(x):
    part = Part(1.0, x[0])

    def load(**values):
        for name, value in values.items():
            setattr(part, name, value * part.total)

    load(gain=x[1], total=x[2], rate=x[3])
    return part.gain * part.total * part.rate


def items_that_are_converted(x):
    settings = [Settings(gain=x[0]), Settings(rate=x[1] * x[2])]
    return sum(s.gain * s.rate for s in settings)


def items_read_after_the_loop(x):
    settings = Settings(rate=x[1])
    others = [settings]
    return settings.scaled(x[0]) * others[0].rate * settings.gain


def dict_that_changes_before_the_loop(x):
    values = {"gain": x[0]}
    values["total"] = x[1] * x[2]
    values["gain"] = values["gain"] * x[3]
    parts = [Part(0.5)]
    for name, value in values.items():
        setattr(parts[0], name, value * value)
    values["gain"] = 5.0
    return parts[0].gain * parts[0].total


def dict_that_changes_in_the_loop(x):
    values = {"gain": x[0], "total": x[1]}
    parts = [Part(0.5)]
    for name, value in values.items():
        setattr(parts[0], name, value * x[2])
        values["total"] = x[3]
    return parts[0].gain * parts[0].total


def no_items(x):
    part = Part(x[0])
    others = [part]
    for name, value in {}.items():
        setattr(part, name, value * 2.0)
    return others[0].gain * x[1]


def in_a_branch(x):
    parts = [Part(0.5), Part(1.5)]
    for name, value in {"gain": x[0], "total": x[1]}.items():
        if name != "gain" or x[2] > 1.0:
            setattr(parts[1], name, value * x[2])
    return parts[1].gain * parts[1].total


PROGRAMS = programs_of(globals())
REFUSED = {"element_times_a_number_of_one_in_a_list": "setattr", "dict_that_changes_before_the_loop": "a name that is computed",
           "dict_that_changes_in_the_loop": "changes while its items are iterated over"}
test_gradient, test_second_order_and_forward_mode, test_pullback, test_refusal = suite_of(PROGRAMS, REFUSED, X, V)
