"""for loops over everything that can be iterated over, and while loops."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])


def accumulate(x, n):
    total = 0.0
    for i in range(n):
        total = total + x ** i
    return total


case(accumulate, 0.7, 5, order=3)
PROGRAMS.add(accumulate, 0.7, 0)


def repeated_map(x, n):
    for _ in range(n):
        x = math.sin(x) + 0.5 * x * x
    return x


case(repeated_map, 0.7, 6, order=3)


def range_with_steps(x):
    y = x
    for i in range(7, 1, -2):
        y = y * 0.5 + i * x
    for j in range(2, 9, 3):
        y = math.cos(y) * j
    return y


case(range_with_steps, 0.7)


def data_dependent_bounds(x, v):
    stop = int(np.floor(abs(x) * 4)) + 1
    for i in range(len(v) - 1, -1, -1):
        x = x + v[i] * i
    for i in range(stop):
        x = x * 0.9 + i
    for i in range(v.shape[0]):
        x = math.sin(x * v[i])
    return x


case(data_dependent_bounds, 0.7, VECTOR, inputs=("x", "v"))


def zero_trips(x):
    y = x * x
    for i in range(0):
        y = y * i
    for i in range(3, 3):
        y = 0.0
    for item in ():
        y = item
    while y > 100:
        y = y / 2
    return y + x


case(zero_trips, 0.7)


def nested_loops(x, n):
    total = 0.0
    for i in range(n):
        row = 1.0
        for j in range(i + 1):
            row = row * x + j * 0.1
        total = total + row * math.sin(i * x)
    return total


case(nested_loops, 0.7, 4, order=3)


def triple_loop(a, b):
    """Matrix product by hand, read element by element."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            total += s * s
    return total


case(triple_loop, MATRIX, MATRIX.T * 0.5, inputs=("a", "b"))


def over_rows(m):
    total = 0.0
    for row in m:
        total = total + np.exp(row).sum() * row[0]
    return total


case(over_rows, MATRIX, order=3)


def over_elements(v):
    product = 1.0
    for x in v:
        product = product * (1 + x * x)
    return product


case(over_elements, VECTOR, order=3)


def over_zip(v, w):
    total = 0.0
    for a, b in zip(v, w):
        total += a * math.tanh(b) * total + a
    return total


case(over_zip, VECTOR, VECTOR[::-1] * 0.4, inputs=("v", "w"))


def over_zip_unequal(v, w):
    total = 0.0
    for a, b, i in zip(v, w, range(10)):
        total = total + a * b * i + a
    return total


case(over_zip_unequal, VECTOR, np.array([0.5, 0.25]), inputs=("v", "w"))


def over_enumerate(v):
    total = 0.0
    for i, x in enumerate(v):
        total = total + x ** (i + 1)
    for i, x in enumerate(v, start=2):
        total = total * 0.5 + i * x * x
    return total


case(over_enumerate, VECTOR, order=3)


def over_reversed(v):
    y = 0.0
    for x in reversed(v):
        y = y * 0.8 + x
    for i in reversed(range(3)):
        y = y * v[i] + i
    return y * y


case(over_reversed, VECTOR)


def over_enumerate_zip(m, w):
    total = 0.0
    for i, (row, x) in enumerate(zip(m, w)):
        for j, y in enumerate(row):
            total = total + (i + 1) * x * y ** (j + 1)
    return total


case(over_enumerate_zip, MATRIX, np.array([0.5, 0.25]), inputs=("m", "w"))


def over_tuples(x, y):
    total = 0.0
    for a in (x, y, x * y):
        total = total + a * a
    for a, b in ((x, y), (y, 2.0), (3, x)):
        total = total * 0.5 + a * b
    return total


case(over_tuples, 0.7, -0.4, inputs=("x", "y"))


def over_list(x):
    coefficients = [0.5, -1.5, 2.0, 0.25]
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


case(over_list, 0.7, order=3)


def while_counter(x, n):
    i = 0
    y = x
    while i < n:
        y = y * x + math.cos(y)
        i += 1
    return y


case(while_counter, 0.7, 4, order=3)


def while_on_data(x):
    """Halve until small: the trip count depends on the data."""
    steps = 0
    y = x
    while abs(y) > 0.3:
        y = y * 0.5 + 0.01 * x
        steps = steps + 1
    return y * steps + x


case(while_on_data, 3.7, order=3)
PROGRAMS.add(while_on_data, 0.2)


def newton(a):
    """Square root by Newton's method."""
    x = a
    while abs(x * x - a) > 1e-3:
        x = 0.5 * (x + a / x)
    return x


case(newton, 2.7)


def while_in_for(v):
    total = 0.0
    for x in v:
        y = x * x + 1
        while y > 0.5:
            y = y * 0.6
            total = total + y * x
        total = total * 1.1
    return total


case(while_in_for, VECTOR)


def defined_in_loop(v):
    """A variable first bound in the loop, read in the next iteration and afterwards."""
    total = 0.0
    for i, x in enumerate(v):
        if i > 0:
            total = total + previous * x
        previous = x * x
    return total + previous * 2 + i


case(defined_in_loop, VECTOR, order=3)


def loop_variable_afterwards(v):
    for x in v:
        x = x * 2
    for i in range(3):
        pass
    return x * x + i


case(loop_variable_afterwards, VECTOR)


def loop_variable_rebound(x):
    total = 0.0
    for i in range(4):
        i = i * x
        total = total + i * i
    return total


case(loop_variable_rebound, 0.7)


def fibonacci_like(x, y, n):
    for _ in range(n):
        x, y = y, 0.5 * x + math.sin(y)
    return x * y


case(fibonacci_like, 0.7, 0.2, 5, inputs=("x", "y"), order=3)


def branch_in_loop(x, n):
    total = 0.0
    for i in range(n):
        if i % 2 == 0:
            x = x * 1.1 + 0.1
        elif x > 0.8:
            x = math.sin(x)
        else:
            total = total - x
        total = total + x * x
    return total


case(branch_in_loop, 0.7, 6, order=3)


def overwritten_in_branch(v):
    """A value overwritten in only some iterations."""
    best = v[0]
    gap = 1.0
    for x in v[1:]:
        if x > best:
            gap = x - best
            best = x
        gap = gap * 0.9
    return best * best + gap


case(overwritten_in_branch, VECTOR)


def array_state(m, v):
    """A small recurrent network."""
    h = np.zeros(3)
    for t in range(4):
        h = np.tanh(m.T @ (m @ h) * 0.3 + v * t)
    return h.sum()


case(array_state, MATRIX, VECTOR, inputs=("m", "v"), order=3)


def shape_changes_in_loop(x):
    v = np.array([0.5, 1.5])
    for k in range(3):
        v = np.concatenate([v * x, v + k])
    return (v * v).sum()


case(shape_changes_in_loop, 0.7)


def type_changes_in_loop(x):
    """An int at first, then floats, then an array."""
    s = 0
    for w in (1, 0.5, np.array([1.0, 2.0])):
        s = s + w * x
    return np.sum(s * s)


case(type_changes_in_loop, 0.7)


def integer_state(x, n):
    """A loop in which integers drive the indices and floats carry the derivative."""
    table = (0.1, 0.2, 0.3, 0.4, 0.5)
    k, y = 1, x
    for _ in range(n):
        k = (k * 3 + 1) % 5
        y = y + table[k] * math.sin(y) * k
    return y


case(integer_state, 0.7, 6)


def leapfrog(position, velocity, stiffness):
    dt = 0.1
    energy = 0.0
    for _ in range(10):
        velocity = velocity - 0.5 * dt * stiffness * position
        position = position + dt * velocity
        velocity = velocity - 0.5 * dt * stiffness * position
        energy += 0.5 * np.sum(velocity ** 2) + 0.5 * stiffness * np.sum(position ** 2)
    return energy


case(leapfrog, np.array([1.0, 0.5]), np.array([0.0, -0.3]), 1.7,
     inputs=("position", "velocity", "stiffness"), order=3)


def scaled_by_the_last(x):
    """At second order a number is computed again from one that is read again: that one has to come first."""
    a = x.copy()
    for _ in range(2):
        a[1] *= np.cos(a[-1])
    return np.sum(a * a)


case(scaled_by_the_last, VECTOR)
