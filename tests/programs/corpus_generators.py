"""Loops over generators take turns with them: endless ones, those that are left early, those that share memory with the loop."""

import itertools

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

WEIGHTS = np.array([1.0, -2.0, 3.0])
VECTOR = np.array([0.3, -0.8, 1.1])


def newton(a):
    x = a
    while True:
        yield x
        x = 0.5 * (x + a / x)


def steps(t, dt, n):
    for k in range(n):
        yield t + k * dt, dt


def twice(a):
    yield a
    for k in range(3):
        if a * k > 5.0:
            return
        yield a * k
    yield a ** 2


def converged(a):
    last = 0.0
    for x in newton(a):
        if abs(x - last) < 1e-12:
            break
        last = x
    return last


def midpoints(y):
    for t, dt in steps(0.0, 0.1, 10):
        y = y + dt * np.sin(t * y)
    return y


def returned_and_continued(a):
    s = 0.0
    for x in twice(a):
        if x == 0.0:
            continue
        s += np.sin(x)
    else:
        s = s * a
    return s


def numbered(a):
    s = a
    for i, x in enumerate(newton(a), 1):
        s += x / i
        if i > 4:
            return s * a
    return s


def beside_weights(a, w):
    s = 0.0
    for x, c in zip(newton(a), w):
        if c < 0:
            continue
        s += c * x
    return s


def weights_first(a, w):
    s = 0.0
    for c, x in zip(w, newton(a)):
        s += c * x
    return s


def first_four(a):
    s = 0.0
    for x in itertools.islice(newton(a), 4):
        if s > 100:
            break
        s += x
    else:
        s *= a
    return s


def nonlocal_count(a):
    n = 0
    def halves(x):
        nonlocal n
        while x > 0.1:
            n += 1
            yield x
            x = x / 2
    s = 0.0
    for h in halves(a):
        s += h * n
    return s


def nested_generators(a):
    s = 0.0
    for i in range(3):
        for x in newton(a + i):
            if x < 1.0 + i:
                break
            for y in twice(x):
                if y > 4:
                    break
                s += y * x
            if s > 30:
                return s
    return s * a


def chain(a):
    yield from twice(a)
    yield from steps(a, 1.0, 3)


def inner(xs):
    for x in xs:
        yield x * x


def both(xs):
    for v in inner(xs):
        if v < 4:
            continue
        yield v + 1


def filter_of_a_filter(xs):
    s = 0.0
    for v in both(xs):
        s += v * xs[0]
    return s


def smooth(buf, n):
    for k in range(n):
        buf[1:-1] = 0.5 * (buf[:-2] + buf[2:])
        yield buf


def one_buffer(x):
    b = x * 2
    s = 0.0
    for v in smooth(b, 4):
        s += np.sum(v ** 2)
        b[0] = b[0] * 1.1
    return s


def raising_body(a):
    r = 0.0
    try:
        for x in newton(a):
            if x < 0.3:
                raise ValueError("no")
            r += x
            if r > 10:
                break
    except ValueError:
        r = a * 3
    return r


for point in (2.0, 0.7):
    case(converged, point, oracle=False)
    case(midpoints, point, oracle=False)
    case(numbered, point, oracle=False)
    case(first_four, point, oracle=False)
    case(nonlocal_count, point, oracle=False)
for point in (1.3, 4.0):
    case(returned_and_continued, point, oracle=False)
for point in (2.3, 0.2):
    case(nested_generators, point, oracle=False)
for point in (2.0, 0.1):
    case(raising_body, point, oracle=False)
case(beside_weights, 2.0, WEIGHTS, oracle=False)
case(weights_first, 2.0, WEIGHTS, oracle=False)
case(filter_of_a_filter, np.array([1.0, 2.5, 3.0]), oracle=False)
case(one_buffer, np.array([1.0, 2.0, 3.0, 5.0, 1.0]), oracle=False)


def no_turns(x):
    total = x[0]
    for v in inner(x[:0]):
        total += v
    else:
        total = total * 2.0
    return total


def default_and_keyword(a, n=3):
    def powers(x, count=2, *, start=1.0):
        value = start
        for _ in range(count):
            yield value
            value = value * x
    total = 0.0
    for p in powers(start=a, x=a + 1.0, count=n):
        total += p
    for q in powers(a):
        total += 0.5 * q
    return total


def tree_sums(x):
    def walk(depth, scale):
        yield scale
        if depth > 0:
            yield from walk(depth - 1, scale * 0.5)
            yield from walk(depth - 1, scale * x[1])
    total = 0.0
    for s in walk(3, x[0]):
        total += s * s
    return total


def kept_rows(x):
    def rows(a):
        for k in range(2):
            a[k] *= 2.0
            yield a[k:]
    kept = []
    b = x * 1.0
    for r in rows(b):
        kept.append(r)
        b[2] += 1.0
    return sum(np.sum(r ** 2) for r in kept)


case(no_turns, VECTOR, oracle=False)
case(default_and_keyword, 0.7, oracle=False)
case(tree_sums, VECTOR, oracle=False)
case(kept_rows, VECTOR, oracle=False, may_refuse=True)


def numbered_expression(x):
    y = x * 1.0
    for k, z in enumerate(2.0 * v for v in y):
        y[2] = z + k
    return np.sum(y ** 2)


def numbered_and_filtered(x):
    y = x * 1.0
    for k, z in enumerate(2.0 * v for v in y if v > 0.2):
        y[2] = z + k
    return np.sum(y ** 2)


def beside_an_expression(x):
    y = x * 1.0
    for a, z in zip(x, (2.0 * v for v in y)):
        y[2] += z * a
    return np.sum(y ** 2)


def numbered_map(x):
    y = x * 1.0
    for k, z in enumerate(map(np.sin, y), 1):
        y[2] += z * k
    return np.sum(y ** 2)


def two_maps(x):
    y = x * 1.0
    for a, b in zip(map(np.sin, y), map(np.cos, y)):
        y[2] += a * b
        if y[2] > 3:
            break
    return np.sum(y ** 2)


for program in (numbered_expression, numbered_and_filtered, beside_an_expression, numbered_map, two_maps):
    case(program, VECTOR, oracle=False)


def captured_by_match(x):
    def products():
        match (x * 3, 2.0):
            case (a, b):
                yield a * b
    a = x
    s = 0.0
    for v in products():
        s += v
    return s * a


class Level:
    def __init__(self):
        self.level = 1.0

    def step(self, u):
        self.level = self.level * (1.0 + u)
        return self.level


def longer_than_the_others(x):
    tank, s = Level(), 0.0
    for y, k in zip(map(tank.step, [x, x, x, x]), [1.0, 2.0]):
        s += y * k
    return s * tank.level


def longer_expression(x):
    tank, s = Level(), 0.0
    for y, k in zip((tank.step(u) for u in [x, x, x, x]), [1.0, 2.0]):
        s += y * k
    return s * tank.level


def last_of_several(x):
    tank, s = Level(), 0.0
    for k, y in zip([1.0, 2.0], map(tank.step, [x, x, x, x])):
        s += y * k
    return s * tank.level


def several_of_several_lengths(x):
    tank, other, s = Level(), Level(), 0.0
    for w, y, z, k in zip([1.0, 2.0, 4.0], map(tank.step, [x, x, x, x]), map(other.step, [x, x]), [1.0, 2.0, 3.0]):
        if k == 1.0:
            continue
        s += y * k * z * w
        if s > 50.0:
            break
    return s * tank.level * other.level


for program in (captured_by_match, longer_than_the_others, longer_expression, last_of_several, several_of_several_lengths):
    case(program, 1.3, oracle=False)
