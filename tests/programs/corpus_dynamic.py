"""Calls whose callee is only known at run time, and functions as values."""
import functools

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([0.3, -0.7, 1.2])
W = np.array([1.1, 0.4, -0.6])
M = np.array([[0.5, 1.5, -0.5], [3.5, 0.2, 1.1]])


def scaled_sine(t, scale=2.0):
    return np.sin(t) * scale


def square(t):
    return t * t


FUNCTIONS = [np.sin, square, scaled_sine, lambda t: t + 0.5]
NAMED = {"sine": np.sin, "square": square, "twice": lambda t: 2.0 * t}


def list_indexed_by_loop(x):
    total = 0.0
    for i in range(4):
        total = total + np.sum(FUNCTIONS[i](x))
    return total


case(list_indexed_by_loop, V, order=3)


def chain_of_functions(x, n):
    for i in range(n):
        x = FUNCTIONS[i % 4](x)
    return np.sum(x * x)


case(chain_of_functions, V, 6)
case(chain_of_functions, 0.4, 5, order=3)


def names_decided_by_data(x):
    total = 0.0
    for t in x:
        name = "sine" if t > 0.0 else "square"
        total = total + NAMED[name](t) * t
    return total


case(names_decided_by_data, V)


def closures_in_a_list(x, a):
    fs = [lambda t: t * a, lambda t: np.sin(t) + a * a]
    s = x
    for i in range(3):
        s = fs[i % 2](s)
    return np.sum(s)


case(closures_in_a_list, V, 1.7, inputs=("x", "a"), order=3)


def closures_in_a_dict(x, a, keys):
    table = {"scale": lambda t: t * a, "shift": lambda t: t + a, "sine": np.sin}
    for key in keys:
        x = table[key](x)
    return np.sum(x * x)


case(closures_in_a_dict, V, 0.7, ["scale", "sine", "shift", "scale"], inputs=("x", "a"))


def function_chosen_by_if(x, n):
    s = x
    for i in range(n):
        f = np.sin if i % 2 else np.cos
        s = f(s) * x
    return np.sum(s)


case(function_chosen_by_if, V, 4)


def functions_returned(x, a):
    def make(j):
        if j > 1:
            return lambda t: t * a
        return lambda t: t + a * j

    s = x
    for j in range(4):
        s = make(j)(s)
    return np.sum(s * s)


case(functions_returned, V, 1.5, inputs=("x", "a"))


def higher_order(x, n):
    def pair(f, t):
        return f(t) * f(2.0 * t)

    total = 0.0
    fs = [np.sin, np.cos]
    for i in range(n):
        total = total + np.sum(pair(fs[i % 2], x))
    return total


case(higher_order, V, 3)


def callback_of_callback(x, n):
    def first(f, t):
        return f(t) + t

    def second(f, t):
        return f(f(t))

    fs = [first, second]
    gs = [np.sin, lambda t: t * x]
    s = x
    for i in range(n):
        s = fs[i % 2](gs[(i + 1) % 2], s)
    return np.sum(s)


case(callback_of_callback, V, 3)


def recursion(x, n):
    def apply(fs, t, k):
        if k == 0:
            return t
        return fs[k % 2](apply(fs, t, k - 1))

    return np.sum(apply([np.sin, square], x, n))


case(recursion, V, 3)


def recursion_through_a_table(x):
    def leaf(t, table, k):
        return np.sin(t)

    def node(t, table, k):
        return t * table[k % 2](t, table, k - 1)

    return np.sum(node(x, [leaf, node], 3))


case(recursion_through_a_table, V)


def partials(w, x, n):
    fs = [functools.partial(np.multiply, w), functools.partial(scaled_sine, scale=w), lambda t: scaled_sine(t, w)]
    for i in range(n):
        x = fs[i % 3](x)
    return np.sum(x * x)


case(partials, V, W, 4, inputs=("w", "x"))


def keywords(x, n):
    fs = [scaled_sine, lambda t, scale: t - scale]
    for i in range(n):
        x = fs[i % 2](x, scale=x * 0.5)
    return np.sum(x * x)


case(keywords, V, 3)


def several_results(x, n):
    def one(t):
        return 2.0 * t, t + 1.0

    def other(t):
        return np.sin(t), t

    fs = [one, other]
    total = 0.0
    for i in range(n):
        p, q = fs[i](x)
        total = total + np.sum(p * q)
    return total


case(several_results, V, 2)


def none_or_number(x, n):
    def nothing(t):
        return None

    def number(t):
        return np.sum(t * t)

    def integer(t):
        return 2

    fs = [nothing, number, integer]
    s = np.sum(x)
    for i in range(n):
        r = fs[i](x)
        if r is not None:
            s = s * r
    return s


case(none_or_number, V, 3)


class Dense:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(self.w * x)

    def forward(self, x):
        return self(x) + 1.0


class Shift:
    def __init__(self, b):
        self.b = b

    def __call__(self, x):
        return x + self.b

    def forward(self, x):
        return self(x) * 2.0


class Net:
    def __init__(self, layers):
        self.layers = layers

    def indexed(self, x):
        for i in range(len(self.layers)):
            x = self.layers[i](x)
        return x

    def iterated(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x


NET = Net([Dense(V), Shift(W), Dense(0.5)])


def layers_of_several_classes(x):
    return np.sum(NET.indexed(x) ** 2) + np.sum(NET.iterated(x))


case(layers_of_several_classes, V)


def layers_made_inside(w, x):
    net = Net([Dense(w), Shift(2.0 * w), Dense(w + 1.0)])
    return np.sum(net.indexed(x) ** 2) + np.sum(net.iterated(x))


case(layers_made_inside, V, W, inputs=("w", "x"))


def bound_methods_in_a_list(w, x):
    dense, shift = Dense(w), Shift(w)
    fs = [dense.forward, shift.forward, np.sin]
    for i in range(3):
        x = fs[i](x)
    return np.sum(x)


case(bound_methods_in_a_list, V, W, inputs=("w", "x"))


def callback_with_a_captured_list(x):
    def apply(t, callback):
        y = t * t
        callback(y)
        return y

    seen = []
    y = apply(x, lambda v: seen.append(v))
    return np.sum(seen[0] * y)


case(callback_with_a_captured_list, V)


# --- functions that call a function for every element

def positive_square(t):
    return t * t if t > 0 else -t


VECTORIZED = np.vectorize(positive_square)


def vectorized(x):
    return np.sum(VECTORIZED(x) * x)


case(vectorized, V)
case(vectorized, M)


def vectorized_closure(x, a):
    f = np.vectorize(lambda t, b: t * t * a + b)
    return np.sum(f(x, a) * f(0.5, x))


case(vectorized_closure, V, 2.0, inputs=("x", "a"))


def vectorized_broadcast(x, y):
    return np.sum(np.vectorize(lambda t, b: t * t * b)(x, y))


case(vectorized_broadcast, M, V, inputs=("x", "y"))


def along_an_axis(x, k):
    rows = np.apply_along_axis(lambda r: np.sum(r * r) * k, 1, x)
    columns = np.apply_along_axis(np.cumsum, 0, x)
    more = np.apply_along_axis(lambda r, s: np.outer(r, r) * s, -1, x, k)
    return np.sum(rows ** 2) + np.sum(columns ** 3) + np.sum(more ** 2)


case(along_an_axis, M, 0.7, inputs=("x", "k"))


def over_axes(x):
    return np.sum(np.apply_over_axes(np.sum, x * x, (0, 1)) * x)


case(over_axes, M)


def from_a_function(x):
    return np.sum(np.fromfunction(lambda i, j: x * i + j * x * x, (2, 3)) ** 2)


case(from_a_function, 0.7)


def reduced(x):
    return functools.reduce(lambda a, b: a * b + np.sin(a), x, 1.0)


case(reduced, V)


def functions_as_constants_of_a_list(x, a):
    fs = [lambda t: t * a, np.sin]
    return np.sum(fs[0](x) * fs[1](x))


case(functions_as_constants_of_a_list, V, 2.0, inputs=("x", "a"))
