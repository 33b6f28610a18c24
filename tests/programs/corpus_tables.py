"""Tables of functions, numbers that change where arrays could, lists that are repeated: of people who tried their own code."""

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

RATES = [np.sin, np.cos]
TABLE = {"m": np.sin, "h": lambda v: v ** 3}


def rate_of_a_table(p, k):
    return RATES[k](p[1]) * p[0]


def rates_of_a_table(p):
    s = 0.0
    for _, rate in TABLE.items():
        s += rate(p[1])
    return s * p[0] ** 2


class Gates:
    def __init__(self, g):
        self.g = g

    def start(self, v):
        out = []
        for rate in RATES:
            out.append(1.0 / rate(v))
        return out

    def run(self, v):
        s = self.start(v)
        for _ in range(2):
            v = v + self.g * s[0]
        return v


def gates_of_a_table(p):
    return Gates(p[0]).run(p[1])


case(rate_of_a_table, np.array([0.5, 0.3]), 0, oracle=False)
case(rates_of_a_table, np.array([0.5, 0.3]), oracle=False)
case(gates_of_a_table, np.array([0.5, 0.3]), oracle=False)


def horner(p, x):
    y = np.zeros_like(x)
    for c in p:
        y = y * x + c
    return y


def newton_steps(temperature, x):
    b = temperature * x[0]
    p = [1.0, b]
    z = b * 2.0
    z -= horner(p, z)
    z -= horner(p, z)
    return z * x


def flash(temperature):
    x = np.array([0.6, 0.4])
    for _ in range(1):
        x = x * newton_steps(temperature, x)
    return np.sum(x)


def steps_from_an_item(temperature, x):
    p = [temperature * x[0], temperature]
    z = p[0]
    z -= horner(p, z)
    z -= horner(p, z)
    return z * x + p[0]


def flash_from_an_item(temperature):
    x = np.array([0.6, 0.4])
    for _ in range(1):
        x = x * steps_from_an_item(temperature, x)
    return np.sum(x)


case(flash, 1.3, oracle=False)
case(flash_from_an_item, 1.3, oracle=False)


def repeated_by_an_item(y):
    v, n = [[y[0], 2], [y[1], 3]][1]
    return len([v] * n) * v


def repeated_by_a_count(y, counts):
    return np.sum(np.array(counts[1] * [y[0], y[1]]) ** 2)


def tuple_repeated_by_a_count(y, counts):
    return np.sum(np.array((y[0],) * counts[1]) ** 2)


def zeros_by_the_greatest(y, counts):
    k = counts.max()
    x = [0.0] * k
    for i in range(k):
        x[i] = y[i] * 2
    return sum(x) * len(x)


def expanded(rows):
    out = []
    for v, n in rows:
        out.extend([v] * n)
    return np.array(out)


def pooled(y):
    return np.sum(expanded([[y[0], 2], [y[1], 3]]) ** 2)


VALUES, COUNTS = np.array([3.0, 1.0, 2.0]), np.array([1, 2, 3])
case(repeated_by_an_item, VALUES, oracle=False)
for program in (repeated_by_a_count, tuple_repeated_by_a_count, zeros_by_the_greatest):
    case(program, VALUES, COUNTS, oracle=False)
case(pooled, VALUES, oracle=False)
