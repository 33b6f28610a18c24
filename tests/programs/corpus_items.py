"""Loops that go over items, whatever happens to what they go over; parts of objects in lists."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.with_arguments(np.array([0.5, 1.5, 2.5]))


@case
def items_of_an_array_that_changes(x):
    y = x * 1.0
    s = 0.0
    for a in y:
        y[0] += a
        s = s + a * y[1]
        y[1] = y[1] * 0.5
    return s + np.sum(y ** 2)


@case
def rows_that_change(x):
    A = np.outer(x, x)
    s = 0.0
    for r in A:
        r *= 2.0
        s = s + np.sum(r * x)
    return s + np.sum(A ** 2)


@case
def shorter_of_two(x):
    a = [x[0], x[1]]
    b = [x[2], x[1], x[0]]
    s = 0.0
    for p, q in zip(a, b):
        s = s + p * q
    return s * p * q


@case
def neighbours(x):
    s = 0.0
    for p, q in zip(x, x[1:]):
        s = s + p * q ** 2
    return s


@case
def one_array_twice(x):
    s = 0.0
    for p, q in zip(x, x):
        s = s + p * q ** 2
    return s


@case
def nested_pairs(x):
    pairs = [(x[0], (x[1], 2.0)), (x[1], (x[2], 3.0))]
    s = 0.0
    for a, (b, c) in pairs:
        s = s + a * b ** c
    return s


@case
def nothing_to_go_through(x):
    s = x[0]
    for p in []:
        s = s * p
    for p in x[3:]:
        s = s * p
    return s ** 2


@case
def last_item_after_the_loop(x):
    for p in x:
        q = p * 2
    return p * q


@case
def numbered_items(x):
    s = 0.0
    for i, p in enumerate(x):
        s = s + i * p ** 2
    return s


@case
def lists_in_a_list(x):
    rows = [[x[0], x[1]], [x[2]]]
    s = 0.0
    for row in rows:
        for v in row:
            s = s + v * len(row) * s + v ** 2
    return s


@case
def list_that_is_made_anew(x):
    xs = [x[0], x[1], x[2]]
    s = 0.0
    for v in xs:
        xs = xs + [v]
        s = s + v * len(xs)
    return s + sum(xs)


@case
def list_that_gets_longer_meanwhile(x):
    xs = [x[0], x[1]]
    for v in list(xs):
        xs.append(v * x[2])
    return sum(a * b for a, b in zip(xs, xs[1:]))


@case
def left_early(x):
    s = 0.0
    for v in x:
        if v > 2:
            break
        s = s + v ** 2
    else:
        s = s * 3
    return s


@case
def items_of_a_dict(x):
    d = {'a': x[0], 'b': x[1]}
    s = 0.0
    for k, v in d.items():
        s = s + v * v * len(k)
    for k in d:
        s = s * d[k]
    return s


class Particle:

    def __init__(self, v):
        self.v = v


@case
def objects_that_change(x):
    ps = [Particle(v) for v in x]
    for p in ps:
        p.v = p.v * 2
    s = 0.0
    for p, q in zip(ps, ps[1:]):
        s = s + p.v * q.v
        q.v = q.v + p.v
    return s + sum(p.v ** 2 for p in ps)


@case
def one_object_twice(x):
    p = Particle(x[0])
    ps = [p, p, Particle(x[1])]
    vals = [q.v * 2 for q in ps]
    return vals[0] * vals[1] + vals[2] ** 2


@case
def parts_of_objects(x):
    ps = [Particle(v) for v in x]
    a = [p.v * x[0] for p in ps]
    b = [p.v + q for p, q in zip(ps, a)]
    return np.prod(np.array(b)) + sum(a)


@case
def items_and_blocks(x):
    y, z = np.zeros(6), np.ones((3, 2))
    for i, v in enumerate(x):
        sl = slice(2 * i, 2 * i + 2)
        y[sl] += v * x[:2]
        z[i] -= y[sl]
        z[:, i % 2] *= v
    return np.sum(y ** 2) + np.sum(z ** 3)


@case
def growing_blocks(x):
    y = np.zeros((3, 3))
    for i in range(3):
        for j in range(i + 1):
            y[i, :j + 1] += x[j:2 * j + 1].sum() * x[:j + 1]
            y[i:, j] -= x[i] * y[i, j]
    return np.sum(y ** 2)


@case
def single_rows_spread(x):
    y = np.zeros((3, 1))
    for i in range(3):
        y[i:i + 1] += x[i:i + 1] ** 2
        y += y[i:i + 1] * x[0]
    return np.sum(y)
