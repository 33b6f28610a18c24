"""Values that objects, lists and arrays hold by their identity (a frozen record, a dict, a tuple of arrays): what is read of their
adjoints has any of the parts that such a value has, at order 2 as well."""
from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcegrad as sg

Z = np.array([0.3, -0.8, 1.1])


@dataclasses.dataclass(frozen=True)
class Rates:
    a: float
    b: float

    @property
    def product(self):
        return self.a * self.b


@dataclasses.dataclass(frozen=True)
class Model:
    rates: Rates
    c: float


class Pair(NamedTuple):
    a: float
    b: Any


class Process:
    def __init__(self, held, scale=1.0):
        self.held = held
        self.scale = scale

    def step(self, v, a, b):
        return v * a + np.sin(v) * b * self.scale


def of_a_record(p, z):
    process = Process(p)
    v = z
    for _ in range(3):
        v = process.step(v, process.held.a, process.held.product)
    return np.sum(v ** 2)


def of_nested_records(p, z):
    process = Process(Model(p, p.a * 2.0))
    return np.sum(process.step(z, process.held.rates.b, process.held.c) ** 2)


def of_a_tuple_of_records(p, z):
    process = Process((p, Rates(p.b, p.a * p.a)))
    first, second = process.held
    process.scale = first.a
    return np.sum(process.step(z, second.a, second.b) ** 2)


def of_a_dict(p, z):
    process = Process({"a": p.a * p.b, "b": p.b ** 2})
    return np.sum(process.step(z, process.held["a"], process.held["b"]) ** 2)


def of_a_named_tuple(p, z):
    process = Process(Pair(p.a, z * p.b))
    return np.sum(process.step(process.held.b, process.held.a, p.a) ** 2)


def of_a_list_of_records(p, z):
    records = []
    process = Process(records)
    for k in range(3):
        process.held.append(Rates(p.a * (k + 1), p.b ** 2))
    total = 0.0
    for record in records:
        total = total + np.sum(process.step(z, record.a, record.b)) ** 2
    return total


def overwritten(p, z):
    process = Process(p)
    before = process.step(z, process.held.a, process.held.b)
    process.held = Rates(p.b * process.held.a, process.held.b ** 2)
    return np.sum(before * process.step(z, process.held.a, process.held.b))


def one_of_two(p, z):
    process = Process(p if p.a > 0.5 else Rates(p.b, p.a))
    process.scale = process.held.a
    return np.sum(process.step(z, process.held.b, process.held.a) ** 2)


def in_a_loop(p, z):
    processes = [Process(p), Process(Rates(p.b, p.a), p.a)]
    v = z
    for process in processes:
        v = process.step(v, process.held.a, process.held.b)
        process.held = Rates(process.held.a * 2.0, process.scale * process.held.b)
    for process in processes:
        v = process.step(v, process.held.a, process.held.b)
    return np.sum(v * z)


PROGRAMS = (of_a_record, of_nested_records, of_a_tuple_of_records, of_a_dict, of_a_named_tuple, of_a_list_of_records, overwritten,
            one_of_two, in_a_loop)


def at(function, a, b):
    return function(Rates(a, b), Z)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("where", [(0.7, 0.4), (0.3, -1.2)])
def test_both_derivatives(program, where):
    first = sg.grad(program, inputs="p")
    second = sg.grad(first, inputs="p", grad_outputs=Rates(1.0, 0.5))
    h, (a, b) = 1e-6, where
    found, along = at(first, a, b), at(second, a, b)
    wanted = [(at(program, a + h, b) - at(program, a - h, b)) / (2 * h), (at(program, a, b + h) - at(program, a, b - h)) / (2 * h)]
    assert np.allclose([found.a, found.b], wanted, rtol=1e-7, atol=1e-7)

    def projected(a, b):
        gradient = at(first, a, b)
        return gradient.a + 0.5 * gradient.b

    wanted = [(projected(a + h, b) - projected(a - h, b)) / (2 * h), (projected(a, b + h) - projected(a, b - h)) / (2 * h)]
    assert np.allclose([along.a, along.b], wanted, rtol=1e-7, atol=1e-6)
