"""place_names: an object that nothing else refers to is a few names."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.passes.becomes import Within

CASES = Within("place_names")
X = np.array([0.5, -1.5, 2.0])


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self.last = None
        self.count = 0

    def push(self, v):
        out = v if self.last is None else v + self.gain * self.last
        self.last = out
        self.count += 1
        return out


@CASES.becomes("""
    memory_ = new_memory()
    f_gain = gain
    f_last = None
    f_count = 0
    total = 0.0
    len_x_2 = len(x)
    range_2 = range(len_x_2)
    for k in range_2:
        v = x[k]
        cond = f_last is None
        if cond:
            out_2 = v
        else:
            self_gain = f_gain
            self_last = f_last
            product = self_gain * self_last
            out_2 = v + product
        out = out_2
        f_last = out
        self_count = f_count
        sum_2 = self_count + 1
        f_count = sum_2
        push_f = out
        power = push_f ** 2
        total = total + power
    return total
""", inputs="x", x=X, gain=0.3)
def attributes_are_names(x, gain):
    f = Filter(gain)
    total = 0.0
    for v in x:
        total = total + f.push(v) ** 2
    return total


@CASES.stays(inputs="x", x=X)
def another_one_refers_to_it(x):
    f = Filter(x[0])
    filters = [f, Filter(x[1])]
    total = 0.0
    for k in range(4):
        total = total + filters[k % 2].push(x[2])
    return total + f.push(x[0])


class Late:
    def __init__(self, flag, v):
        if flag:
            self.v = v


@CASES.stays(inputs="x", x=2.0)
def an_attribute_that_is_not_there_from_the_start(x):
    late = Late(x > 0.0, x)
    for _ in range(2):
        late.v = late.v * x
    return late.v


test_place_names = CASES.check()


def in_each_turn(x):
    total = 0.0
    for v in x:
        f = Filter(v)
        f.push(v)
        f.push(2.0 * v)
        total = total + f.last * f.count
    return total


@pytest.mark.parametrize("f", [attributes_are_names, another_one_refers_to_it, in_each_turn], ids=lambda f: f.__name__)
def test_gradient(f) -> None:
    given = (X, 0.3) if f is attributes_are_names else (X,)
    for order in (1, 2):
        sg.check_grad(f, *given, inputs="x", order=order)
