"""entries: adjoints of dicts of numbers, written as Python writes them."""
import copy

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.ir.source import to_text
from tests.kinds.outcomes import differences


def by_name(constants, names):
    d = dict(constants)
    total = 0.0
    for name in names:
        d[name] = d[name] * d["a"] + total
        total = total + d[name] ** 2
    return total


def ways(weights, target):
    reached = {0: 1.0}
    for k, weight in enumerate(weights):
        new = dict(reached)
        for total, value in reached.items():
            if total + k % 3 + 1 <= target:
                new[total + k % 3 + 1] = new.get(total + k % 3 + 1, 0.0) + value * weight
        reached = new
    return reached[target]


def counted(x, keys):
    found = {}
    for k, key in enumerate(keys):
        found[key] = found.get(key, 0.0) + x[k] ** 2
    return sum(v * v for v in found.values())


def put_again(x, keys):
    d = {"a": x[0], "b": x[1]}
    for key in keys:
        old = d[key]
        d[key] = 0.0
        d["a"] = d["a"] + old * x[2]
    return d["a"] * d["b"]


X = np.array([0.7, -0.3, 1.1, 0.4])
PROGRAMS = {"by_name": (by_name, ({"a": 0.7, "b": -0.4, "c": 1.1}, ["b", "a", "b", "c", "b"])),
            "no_names": (by_name, ({"a": 0.7, "b": -0.4}, [])), "ways": (ways, (X, 4)),
            "counted": (counted, (X, ["u", "v", "u", "w"])), "numbers": (counted, (X, [3, 1, 3, 2])),
            "put_again": (put_again, (X, ["a", "b", "a"]))}


def along(f, args):
    """The derivatives by the first argument, an array or a dict of numbers, by differences."""
    if not isinstance(args[0], dict):
        return differences(f, args)
    found = {}
    for key in args[0]:
        moved = [copy.deepcopy(args) for _ in range(2)]
        for step, other in zip((1e-6, -1e-6), moved):
            other[0][key] += step
        found[key] = (f(*moved[0]) - f(*moved[1])) / 2e-6
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_orders(name):
    f, args = PROGRAMS[name]
    g = sg.grad(f)

    def h(first, *rest):
        found = g(first, *rest)
        return sum(v * v for v in found.values()) if isinstance(found, dict) else np.sum(found ** 2)

    for function in (f, h):
        found, wanted = sg.grad(function)(*args), along(function, args)
        pairs = [(found[key], wanted[key]) for key in wanted] if isinstance(wanted, dict) else [(found, wanted)]
        assert all(np.allclose(a, b, rtol=1e-5, atol=1e-7) for a, b in pairs)


@pytest.mark.parametrize("name", ["by_name", "ways", "counted"])
def test_text_has_no_helpers(name):
    f, args = PROGRAMS[name]
    g = sg.grad(f)
    g(*args)
    assert not any(f"{helper}(" in g.source for helper in ("entry_of", "dict_copy", "dict_keys", "index_set"))


def test_keys_have_no_brackets():
    import gast
    assert to_text(gast.parse("d = {0: x, 1.5: y, -1: z}")).strip() == "d = {0: x, 1.5: y, -1: z}"
