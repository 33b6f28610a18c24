"""Calls of user functions: arguments of all kinds, recursion, results of all kinds."""
import functools
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])


def square(x):
    return x * x


def affine(x, slope=2.0, offset=0.5):
    return slope * x + offset


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def polar(x, y):
    return math.hypot(x, y), math.atan2(y, x)


def positional_and_keyword(x, y):
    a = affine(x)
    b = affine(y, slope=a)
    c = affine(offset=x, x=b)
    return affine(a, b, c) * square(c)


case(positional_and_keyword, 0.7, -0.4, inputs=("x", "y"), order=3)


def called_in_expression(x):
    return square(square(x) + affine(x)) - affine(square(x), x)


case(called_in_expression, 0.7, order=3)


def called_in_loop(x, n):
    total = 0.0
    for i in range(n):
        x = affine(square(x), 0.3, i * 0.1)
        total = total + sigmoid(x)
    return total


case(called_in_loop, 0.7, 4, order=3)


def called_in_condition(x):
    if square(x) > 0.2 and affine(x) < 10:
        return sigmoid(x) * x
    return affine(x)


case(called_in_condition, 0.7)


def tuple_result(x, y):
    r, angle = polar(x, y)
    again = polar(r, angle)
    return again[0] * angle + again[1]


case(tuple_result, 0.7, 0.4, inputs=("x", "y"), order=3)


def mixed_parameters(a, b, /, c, *, d, e=1.5):
    return a * b + c * d - e * a


def calls_mixed_parameters(x, y):
    return mixed_parameters(x, y, d=y, c=x * y) * mixed_parameters(y, 2.0, 3.0, e=x, d=1.0)


case(calls_mixed_parameters, 0.7, 0.4, inputs=("x", "y"))


def total_of(*values):
    total = 0.0
    for v in values:
        total = total * 0.5 + v * v
    return total


def star_parameters(x, y):
    pair = (x, y, x * y)
    return total_of(x, y) + total_of(*pair) * total_of() + total_of(2.0, *pair)


case(star_parameters, 0.7, 0.4, inputs=("x", "y"))


def combine(x, y=1.0, **options):
    return affine(x, **options) * y


def keyword_dictionary(x, y):
    return combine(x, slope=y) + combine(x, y, offset=x, slope=3.0) + combine(y)


case(keyword_dictionary, 0.7, 0.4, inputs=("x", "y"))


def forward_all(*args, **kwargs):
    return affine(*args, **kwargs)


def passed_through(x, y):
    return forward_all(x, y) * forward_all(y, offset=x) + forward_all(x)


case(passed_through, 0.7, 0.4, inputs=("x", "y"))


def factorial_like(x, n):
    if n == 0:
        return 1.0
    return (x + n) * factorial_like(x, n - 1)


case(factorial_like, 0.7, 4, order=3)


def binary_recursion(x, n):
    if n < 2:
        return x * n + 0.5
    a = binary_recursion(x * 0.9, n - 1)
    return a * binary_recursion(x, n - 2) + x


case(binary_recursion, 0.7, 4, order=3)


def sum_tree(v):
    """Divide and conquer on an array."""
    if len(v) == 1:
        return math.sin(v[0]) * v[0]
    middle = len(v) // 2
    return sum_tree(v[:middle]) * 1.5 + sum_tree(v[middle:])


case(sum_tree, np.array([0.3, -0.8, 1.1, 0.6, -0.2]))


def even_step(x, n):
    if n == 0:
        return x
    return odd_step(x * x + 0.1, n - 1)


def odd_step(x, n):
    if n == 0:
        return -x
    return even_step(math.sin(x), n - 1) * x


def mutual_recursion(x):
    return even_step(x, 5) + odd_step(x, 2)


case(mutual_recursion, 0.7, order=3)


def depth_on_data(x):
    """How deep the recursion goes depends on the data."""
    if abs(x) < 0.2:
        return x * x
    return depth_on_data(0.5 * x) + x


case(depth_on_data, 1.7, order=3)


def apply_twice(f, x):
    return f(f(x))


def function_argument(x):
    return apply_twice(square, x) + apply_twice(affine, x) * apply_twice(math.sin, x)


case(function_argument, 0.7, order=3)


def partials(x):
    steep = functools.partial(affine, slope=x)
    shifted = functools.partial(affine, x, 0.3)
    return steep(x * x) * shifted(offset=x) + apply_twice(functools.partial(affine, offset=1.0), x)


case(partials, 0.7)

halved = functools.partial(affine, slope=0.5)


def global_partial(x):
    return halved(x) * halved(halved(x), offset=x)


case(global_partial, 0.7)


def choose_function(x, flag):
    """The callee is known only by the branch taken."""
    f = square if flag else affine
    return f(x) * 2


case(choose_function, 0.7, True)
PROGRAMS.add(choose_function, 0.7, False)


def function_table(x):
    total = 0.0
    for f in (square, affine, sigmoid):
        total = total * 0.5 + f(x)
    return total


case(function_table, 0.7)


def unused_argument(x, y):
    return x * x


def unused_results(x, y):
    unused_argument(y, x)
    a, _ = polar(x, y)
    return unused_argument(x, y) * a


case(unused_results, 0.7, 0.4, inputs=("x", "y"))


def returns_argument(x, y):
    return y, x


def argument_returned(v, s):
    s, v = returns_argument(v, s)
    v, s = returns_argument(v, s)
    return (v * s).sum() + s * s


case(argument_returned, VECTOR, 0.7, inputs=("v", "s"))


def dense(x, w, b):
    return np.tanh(w @ x + b)


def mlp(x, layers):
    for w, b in layers:
        x = dense(x, w, b)
    return np.sum(x * x)


case(mlp, VECTOR, [(MATRIX, np.array([0.1, -0.2])), (MATRIX.T * 0.5, VECTOR * 0.1)], inputs=("x", "layers"))


def rk4_step(f, y, t, dt, rate):
    k1 = f(y, t, rate)
    k2 = f(y + 0.5 * dt * k1, t + 0.5 * dt, rate)
    k3 = f(y + 0.5 * dt * k2, t + 0.5 * dt, rate)
    k4 = f(y + dt * k3, t + dt, rate)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def logistic(y, t, rate):
    return rate * y * (1 - y) + 0.1 * math.cos(t)


def runge_kutta(y, rate):
    dt = 0.2
    for i in range(4):
        y = rk4_step(logistic, y, i * dt, dt, rate)
    return y


case(runge_kutta, 0.3, 1.7, inputs=("y", "rate"), order=3)


def constant_callee():
    return 3.0


def calls_without_arguments(x):
    return constant_callee() * x * x


case(calls_without_arguments, 0.7)


def keyword_options(x, *, scale=1.0, power=2):
    return scale * x ** power


case(keyword_options, 0.7, scale=3.0, power=3, order=3)


def continued_fraction(x, depth=3, *terms):
    if depth == 0:
        return x
    return x + 1.0 / continued_fraction(x * x, depth - 1, *terms)


case(continued_fraction, 0.7, order=3)


def exits_in_callee(v, limit):
    total = 0.0
    for x in v:
        if x > limit:
            return total + limit
        total = total + x * limit
    return total


def callee_with_exits(v, x):
    total = 0.0
    for limit in (0.2, 1.0, x):
        total = total + exits_in_callee(v, limit) * x
    return total


case(callee_with_exits, VECTOR, 1.6, inputs=("v", "x"), order=3)


def reading(x, low=0.2, high=0.1):
    return x * low + high ** 2


def weighted_squares(a, *rest, scale=2.0):
    return a * scale + sum(r ** 2 * a for r in rest)


def star_of_unknown_length(x, few, many):
    known = sum(reading(x, *few)) + sum(reading(x, *few[:1])) + sum(reading(x, *many[3:]))
    return known * weighted_squares(*many) + weighted_squares(x[0], x[1], *many, scale=known)


case(star_of_unknown_length, VECTOR, [0.3, 0.5], [0.2, 0.6, -0.4], inputs=("x", "few", "many"))


class Line:
    def __init__(self, a, b=1.0, *, c=2.0):
        self.a, self.b, self.c = a, b, c

    def __call__(self, x, y=1.0):
        return self.a * x + self.b * y + self.c


def stars_of_unknown_keys(x, names):
    values = {}
    for name, v in zip(names, x):
        values[name] = v ** 2
    line = Line(x[0], **values)
    forwarded = lambda *args: line(*args)          # noqa: E731    (a closure is what is tested)
    return line(*x[1:]) * forwarded(*x[2:])


case(stars_of_unknown_keys, VECTOR, ["c"])
case(stars_of_unknown_keys, VECTOR, ["c", "b"])


def weighed(a, b, c=2.0, d=1.0):
    return a * b * c + d * d


def all_of(*xs):
    total = 0.0
    for x in xs:
        total = total + x * x * xs[0]
    return total


def two_stars(v, n):
    xs = [v[k] * 2.0 for k in range(n)]
    ys = [np.sin(v[k]) for k in range(3 - n)]
    return weighed(*xs, *ys) + weighed(*xs, v[0], *ys)


case(two_stars, VECTOR, 1)
case(two_stars, VECTOR, 2)


def behind_a_star(v, n):
    xs = [v[k] * 2.0 for k in range(n)]
    return all_of(*xs, 3.0, *(v[1], v[2])) + all_of(*xs, *xs)


case(behind_a_star, VECTOR, 2)
case(behind_a_star, VECTOR, 1)


# --- adjoints that a callee gives and that cannot be written into: of a sum all are one number

def summed(v, w=1.0):
    for k in range(2):
        if v[0] > 0:
            break
    return np.sum(v) * np.cos(k) * np.sum(w)


def sum_of_what_was_stored(v):
    v = v * 1.0
    v[0] = v[1] ** 2
    return summed(v) * 2.0


def two_sums_of_what_was_stored(v, w):
    v, w = v * 1.0, w * 1.0
    v[0] = v[1] ** 2
    w[0] = w[1] ** 2
    return summed(v, w)


case(sum_of_what_was_stored, VECTOR)
case(two_sums_of_what_was_stored, VECTOR, VECTOR[::-1].copy(), inputs=("v", "w"))


def modules_by_other_names(x):
    la, f = np.linalg, np.fft

    def norm_of(y):
        return la.norm(y)

    spectrum = f.irfft(f.rfft(x), 7)
    return norm_of(spectrum) + np.abs(la.eig(np.outer(x, x) + np.diag(x))[0]).max()


case(modules_by_other_names, np.array([0.4, 1.1, 0.7]), oracle=False)


def module_that_is_given_a_name(x):
    la = np.linalg
    return la.eigvalsh(np.outer(x, x) + np.diag(x))[0] + la.norm(x)


case(module_that_is_given_a_name, np.array([0.4, 1.1, 0.7]), oracle=False)
