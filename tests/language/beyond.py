"""What the survey did not count: itertools, higher-order NumPy, pure Python of libraries, and effects."""
import bisect
import copy
import heapq
import itertools
import random
import statistics

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])
M = np.array([[0.5, -0.2, 0.8], [1.1, 0.7, -0.6]])


def products(v):
    total = 0.0
    for a, b in itertools.product(v, repeat=2):
        total += a * b ** 2
    for i, j in itertools.product(range(2), range(3)):
        total *= 1.0 + 0.1 * v[j] * i
    return total


case("itertools.product", products, V)


def pairs(v):
    total = 0.0
    for a, b in itertools.combinations(v, 2):
        total += np.sin(a * b)
    for a, b, c in itertools.permutations(v):
        total += a * b ** 2 * c ** 3
    return total


case("itertools.combinations", pairs, V)


def chained(x, v):
    total = 0.0
    for value in itertools.chain([x], v, (x ** 2,)):
        total = total * 0.5 + value ** 2
    return total + sum(itertools.chain.from_iterable([[x, 2.0], v]))


case("itertools.chain", chained, 0.7, V, inputs=("x", "v"))


def accumulated(v):
    sums = list(itertools.accumulate(v))
    products = list(itertools.accumulate(v, lambda a, b: a * b, initial=2.0))
    return sums[-1] * products[2] + sum(products)


case("itertools.accumulate", accumulated, V)


def counted(v):
    total = 0.0
    for k, x in zip(itertools.count(1), v):
        total += x ** k
    for k in itertools.count(start=0, step=2):
        if k > 4:
            break
        total *= v[2]
    return total


case("itertools.count", counted, V)


def cycled(v):
    total = 0.0
    for x, sign in zip(v, itertools.cycle([1.0, -0.5])):
        total += sign * x ** 2
    return total


case("itertools.cycle", cycled, V)


def repeated(x):
    total = 1.0
    for y in itertools.repeat(x, 3):
        total = total * y + 1.0
    return total * sum(map(pow, [x, 2.0], itertools.repeat(2)))


case("itertools.repeat", repeated, 0.7)


def sliced(v):
    return sum(x ** 2 for x in itertools.islice(v, 1, None)) * sum(itertools.islice(itertools.count(), 4))


case("itertools.islice", sliced, V)


def others(v):
    total = sum(itertools.starmap(lambda a, b: a * b, [(v[0], 2.0), (v[1], v[2])]))
    total += sum(a ** 2 * b for a, b in itertools.zip_longest(v, [1.0], fillvalue=0.5))
    for positive, group in itertools.groupby(v, key=lambda x: x > 0):
        total += sum(group) ** 2 * (2.0 if positive else 1.0)
    total += sum(itertools.takewhile(lambda x: x > 0, v)) ** 3
    return total + sum(b - a for a, b in itertools.pairwise(x ** 2 for x in v))


case("itertools, the others", others, V)


def halving(x):
    while True:
        yield x
        x = x / 2


def endless(x):
    total = sum(itertools.islice(halving(x), 3)) + sum(y * y for y in itertools.takewhile(lambda y: y > 0.1, halving(x)))
    for a, b in itertools.pairwise(itertools.accumulate(itertools.repeat(x), lambda y, _: 0.5 * y * y)):
        total += a * b
        if a < 0.01:
            break
    return total


case("itertools, without an end", endless, 0.7)


def scalar_law(x, k):
    if x > 0:
        return k * x ** 2
    return np.sin(x)


def vectorized(v, k):
    law = np.vectorize(scalar_law)
    return np.sum(law(v, k) * v)


case("np.vectorize", vectorized, V, 1.5, inputs=("v", "k"))


def along_axis(A):
    return np.sum(np.apply_along_axis(lambda row: row * row.sum(), 1, A) ** 2) + np.sum(
        np.apply_along_axis(np.max, 0, A))


case("np.apply_along_axis", along_axis, M)


def from_function(x):
    A = np.fromfunction(lambda i, j: np.exp(-x * (i - j) ** 2), (3, 3))
    return np.sum(A @ A)


case("np.fromfunction", from_function, 0.7)


def from_iterator(v):
    return np.sum(np.fromiter((x ** 2 for x in v), dtype=float) * v) + np.array([x * 2 for x in v])[1]


case("np.fromiter", from_iterator, V)


def piecewise(v):
    return np.sum(np.piecewise(v, [v < 0, v >= 0], [lambda t: t ** 2, lambda t: np.exp(t)]))


case("np.piecewise", piecewise, V)


def iterated(A):
    total = 0.0
    for (i, j), a in np.ndenumerate(A):
        total += (i + 2 * j) * a ** 2
    for index in np.ndindex(*A.shape):
        total *= 1.0 + 0.1 * A[index]
    for a in A.flat:
        total += a ** 3
    return total


case("np.ndenumerate, np.ndindex, .flat", iterated, M)


def searched(x, knots, values):
    k = bisect.bisect_right(knots, x) - 1
    t = (x - knots[k]) / (knots[k + 1] - knots[k])
    return values[k] * (1 - t) + values[k + 1] * t ** 2


case("bisect", searched, 0.7, [0.0, 0.5, 1.0], [0.3, 1.2, -0.4], inputs=("x", "knots", "values"))


def heaps(v):
    queue = []
    for k, x in enumerate(v):
        heapq.heappush(queue, (x ** 2, k))
    total = 0.0
    while queue:
        cost, k = heapq.heappop(queue)
        total = total * 0.5 + cost * k
    return total


case("heapq", heaps, V)


def library_in_python(v):
    return statistics.mean(v) * statistics.fmean(v ** 2)


case("library functions in Python", library_in_python, V)


def numpy_in_python(v):
    return np.sum(np.polynomial.polynomial.polyval(0.5 * v, [1.0, 2.0, 3.0])) + np.polyval([1.0, 2.0], v[0])


case("library functions in Python", numpy_in_python, V)


def polynomial_object(v):
    p = np.poly1d([1.0, 2.0])
    return np.sum(v) * p(0.5) + p(v[0])


case("library classes in Python", polynomial_object, V)


def seeded_noise(x, seed):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=3)
    order = rng.permutation(3)
    return np.sum((x * noise[order]) ** 2) + rng.uniform() * x


case("random numbers", seeded_noise, 0.7, 3)


def given_generator(x, rng):
    total = 0.0
    for _ in range(2):
        total += (x + rng.standard_normal()) ** 2
    return total


case("random numbers", given_generator, 0.7, np.random.default_rng(3))


class Noisy:
    def __init__(self, scale):
        self.scale, self.rng = scale, np.random.default_rng(7)

    def noise(self):
        return self.scale * self.rng.normal()


def generator_of_an_object(model, x):
    return (x + model.noise()) ** 2 * model.noise()


case("random numbers", generator_of_an_object, Noisy(0.3), 0.7, inputs=("model.scale", "x"))


def legacy_random(x):
    np.random.seed(4)
    random.seed(4)
    return x * np.random.randn() + (x * random.random()) ** 2


case("random numbers", legacy_random, 0.7)


def bounded_retries(x):
    attempts = []
    for attempt in range(5):
        try:
            if attempt < 2:
                raise RuntimeError(f"attempt {attempt}")
            result = x ** attempt
        except RuntimeError as error:
            attempts.append(str(error))
        else:
            break
        finally:
            x = x * 1.1
    return result * len(attempts) * x


case("try in loop with else and finally", bounded_retries, 0.7)


def copied_list(x):
    a = [x, [x ** 2]]
    b = copy.copy(a)
    c = a[:]
    d = a.copy()
    b[0] = 2.0 * x
    d[0] = 3.0
    return a[1][0] * c[0] * d[0] + a[0] * b[0] * b[1][0]


case("shallow copies", copied_list, 0.7)


def part_of_a_copied_list(x):
    a = [x, [x ** 2]]
    b = a[:]
    b[1][0] = 2.0 * x
    return a[1][0] * b[0]


case("shallow copies", part_of_a_copied_list, 0.7)


def called_until(x):
    values = [0.1, 0.5, 0.9, 1.0]
    total = x
    for value in iter(lambda: values.pop() * x, 0.0):
        total += value ** 2
        if not values:
            break
    return total * sum(x for x in itertools.dropwhile(lambda x: x < 0.5, [0.1 * x, x, 0.2 * x]))


case("builtin iter()", called_until, 0.7)


def float_subclass(v):
    total = np.float64(0.5)
    for x in v.tolist():
        total += x * v.item(1)
    return float(total) ** 2


case("NumPy scalars", float_subclass, V)


def early_dict_return(parameters, x):
    def step(state):
        if state["k"] >= 3:
            return state
        return step({**state, "x": state["x"] ** 2 + parameters["c"], "k": state["k"] + 1})
    return step({"x": x, "k": 0})["x"]


case("recursion of dicts", early_dict_return, {"c": 0.2}, 0.7, inputs=("parameters", "x"))


def ellipsis_default(x, axis=..., sentinel=None, flag=NotImplemented):
    if axis is Ellipsis and sentinel is None and flag is NotImplemented:
        return x ** 2
    return x


case("singletons", ellipsis_default, 0.7)


def dead_code(x):
    if __debug__:
        y = x ** 2
    else:
        y = undefined_name  # noqa: F821
    if False:
        y = other_undefined  # noqa: F821
    return y


case("names that are never read", dead_code, 0.7)


def deep_alias(x):
    state = {"list": [x, 1.0]}
    view = state["list"]
    tuple_of = (view, state)
    view[1] = x ** 2
    tuple_of[1]["list"][0] *= 3.0
    return view[0] * state["list"][1]


case("one list by two names", deep_alias, 0.7)
