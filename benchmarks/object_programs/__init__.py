"""Programs with objects, lists and dicts, and the adjoint that a good engineer would write by hand.

Each module has `primal`, `adjoint(...) -> (value, gradients)` with a tuple of gradients, `INPUTS` (the differentiated parameters)
and `make(size, rng) -> args` for the sizes "tiny" and "full". The gradient of an object, list or dict has its form; an object's may
be a dict of its attributes that are floats or arrays. An adjoint leaves its arguments alone; where the primal changes them,
`fresh(*args)` makes the copies that both need.

Where `make` takes a number as well, `COUNTED` says what it is the number of, and `python -m benchmarks --objects` measures how
time and memory grow with it. `plain.py` has programs without an adjoint by hand.
"""
from importlib import import_module

NAMES = ("masses", "tower", "lattice", "controller", "soft_tree",
         "bars", "linked_list", "accounts", "cells", "service", "inventory", "particles", "river", "filters", "stack_machine")


def load(name):
    return import_module(f"{__name__}.{name}")
