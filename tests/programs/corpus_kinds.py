"""Names that are of several kinds, one after the other; what is read twice, with a change in between; results and changes."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[0.5, -0.3, 0.9], [0.2, 0.8, -0.6]])


# --- parameters that are tested, then assigned ---------------------------------------------------------

def default_where_none(x, scale=None, shift=None):
    if scale is None:
        scale = np.array([1.0, 2.0, x[0]])
    if np.isscalar(scale):
        scale = scale * np.ones(3)
    if shift is None:
        shift = x[1] * x[2]
    return np.sum(x * scale * scale) + shift


case(default_where_none, VECTOR)
case(default_where_none, VECTOR, 0.7)
case(default_where_none, VECTOR, np.array([0.2, 0.4, -0.3]), 0.1, inputs=("x", "scale", "shift"))


def state_made_in_the_first_round(x, state=None):
    total = 0
    for k in range(4):
        if state is None:
            state = np.tanh(x)
        else:
            state = state * x + k
        total += np.sum(state ** 2)
    return total


case(state_made_in_the_first_round, VECTOR)
case(state_made_in_the_first_round, VECTOR, np.array([0.1, 0.5, 0.2]), inputs=("x", "state"))


def tested_again_after_a_branch(x, y=None, flag=True):
    if flag and x[0] > 0:
        y = x * 2
    if y is None:
        y = x * x
    if y is None:
        raise ValueError("never")
    return np.sum(np.sin(y) * x)


case(tested_again_after_a_branch, VECTOR)
case(tested_again_after_a_branch, -VECTOR)
case(tested_again_after_a_branch, -VECTOR, VECTOR * 0.5, inputs=("x", "y"))


def as_columns(a, b):
    b = np.asarray(b)
    if b.ndim == 1:
        b = b[:, np.newaxis]
    if b.shape[0] != a.shape[1]:
        b = b.T
    return np.sum((a @ b) ** 2)


case(as_columns, MATRIX, VECTOR, inputs=("a", "b"))
case(as_columns, MATRIX, MATRIX, inputs=("a", "b"))
case(as_columns, MATRIX, [0.3, 0.2, -0.5], inputs=("a", "b"))


def scalar_then_array_then_scalar(x):
    y = x
    y = np.full(3, y) * np.arange(1.0, 4.0)
    if np.ndim(y) == 1:
        y = np.sum(y ** 2)
    if np.ndim(y) == 0:
        y = math.sin(y) + y
    return y


case(scalar_then_array_then_scalar, 0.4, oracle=False)


def rank_changes_in_a_loop(x):
    y = x
    for _ in range(3):
        if np.ndim(y) == 1:
            y = np.outer(y, y)
        else:
            y = np.sum(np.sin(y), axis=0)
    return np.sum(y * y)


case(rank_changes_in_a_loop, VECTOR, oracle=False)


def by_type(x, weights=(1.0, 2.0)):
    if isinstance(weights, tuple):
        weights = np.array(weights)
    elif isinstance(weights, float):
        weights = np.array([weights, weights])
    return np.sum(weights * x[:2] ** 3)


case(by_type, VECTOR)
case(by_type, VECTOR, 0.3, inputs=("x", "weights"))
case(by_type, VECTOR, np.array([0.3, 0.1]), inputs=("x", "weights"))


class Affine:
    def __init__(self, matrix=None, scale=None, rotation=None):
        if matrix is None:
            if scale is None:
                scale = (1.0, 1.0)
            if np.isscalar(scale):
                sx = sy = scale
            else:
                sx, sy = scale
            rotation = 0.0 if rotation is None else rotation
            matrix = np.array([[sx * np.cos(rotation), -sy * np.sin(rotation)], [sx * np.sin(rotation), sy * np.cos(rotation)]])
        self.matrix = matrix

    def __matmul__(self, other):
        return Affine(self.matrix @ other.matrix)


def affine_of_many_forms(x):
    a = Affine(scale=(x[0], 2.0), rotation=x[1])
    b = Affine(scale=x[2]) @ a
    c = Affine(rotation=x[0] * x[1]) @ b
    return np.sum(c.matrix ** 2 * np.array([[1.0, 2.0], [3.0, 4.0]])) + np.sum(Affine().matrix)


case(affine_of_many_forms, VECTOR, oracle=False)


def default_in_a_callee(x, n=None):
    def power(v, k=None):
        if k is None:
            k = 2
        k = k + 1
        return v ** k

    return power(x) + power(x, 3) + (power(x, n) if n is not None else 0)


case(default_in_a_callee, 0.7)
case(default_in_a_callee, 0.7, 1)


# --- numbers that are ints first ----------------------------------------------------------------------------

def sum_from_zero(x, rounds):
    total = 0
    product = 1
    for v in x[:rounds]:
        total += v * v
        product *= v
    return math.sin(total) * product + total


case(sum_from_zero, VECTOR, 3, oracle=False)
case(sum_from_zero, VECTOR, 0, oracle=False)


def list_of_ints_and_floats(x):
    s = [0, 1]
    for v in x:
        s.append(s[-1] + abs(v))
    y = np.array(s)
    return np.sum(np.sqrt(y + 1) * np.cumsum(y)) / len(s)


case(list_of_ints_and_floats, VECTOR, oracle=False)


def complex_sum_from_zero(x):
    total = 0
    for k in range(3):
        total += np.exp(1j * k * x[k]) * x[0]
    return np.abs(total) ** 2 + total.real


case(complex_sum_from_zero, VECTOR, oracle=False)


def complex_from_a_branch(x, turn):
    z = 0
    if turn:
        z = x[0] + 1j * x[1]
    w = z * z + x[2]
    return np.real(w) + np.imag(w) * np.abs(w)


case(complex_from_a_branch, VECTOR, True, oracle=False)


def single_precision_sum(x):
    total = 0
    for v in x:
        total = total + v * v
    return total


case(single_precision_sum, VECTOR.astype(np.float32), oracle=False, step=1e-2)


# --- what is read twice -------------------------------------------------------------------------------------

def read_before_and_after_a_store(x):
    y = x.copy()
    before = y[0] * y[0]
    y[0] = np.sin(y[0]) + y[1]
    after = y[0] * y[0]
    for i in range(2):
        y[i] = y[i] * y[i + 1] + y[i]
        y[i + 1] = y[i] + y[i + 1]
    return before * after + np.sum(y * y)


case(read_before_and_after_a_store, VECTOR)


class Counter:
    def __init__(self, rate):
        self.rate = rate
        self.value = 1.0

    def step(self):
        self.value = self.value * self.rate + self.rate

    def grow(self, by):
        self.step()
        self.rate = self.rate + by
        return self.value

    @property
    def shown(self):
        return self.value * self.rate


def attributes_read_around_a_call(x):
    c = Counter(x[0])
    first = c.value + c.value * c.rate
    c.step()
    second = c.value * c.value
    third = c.grow(x[1]) * c.rate
    c.rate = c.rate * c.value
    fourth = c.rate + c.shown + c.shown
    return first * second + third * fourth


case(attributes_read_around_a_call, VECTOR, oracle=False)


def result_of_nothing(x):
    c = Counter(x[0])
    if c.step() is None:
        c.grow(x[2])
    nothing = c.step()
    return c.value if nothing is None else x[1]


case(result_of_nothing, VECTOR, oracle=False)


class Limited:
    def __init__(self, value):
        self.value = value

    def raise_by(self, amount):
        """Nothing, or how much was too much."""
        self.value = self.value + amount
        if self.value > 1.0:
            over = self.value - 1.0
            self.value = 1.0 + 0.1 * over ** 2
            return over

    def reset(self):
        if self.value < 0:
            return
        self.value = self.value ** 2


def sometimes_a_result(x):
    a = Limited(x[0])
    total = 0.0
    for k in range(3):
        over = a.raise_by(x[2] * (k + 1) / 2)
        if over is not None:
            total += over ** 2
        a.reset()
    return total + a.value


case(sometimes_a_result, VECTOR, oracle=False)


# --- several stores in one statement ----------------------------------------------------------------------------

class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def swap(self):
        self.a, self.b = self.b, self.a

    def turn(self, angle):
        self.a, self.b = np.cos(angle) * self.a - np.sin(angle) * self.b, np.sin(angle) * self.a + np.cos(angle) * self.b


def several_attributes_at_once(x):
    p = Pair(x[0], x[1] * x[2])
    p.turn(x[1])
    p.swap()
    a = p.a
    p.a, a = a * a, p.b
    q = Pair(p, x)
    q.swap()
    return p.a * p.b + a * q.b.b + q.a[0]


case(several_attributes_at_once, VECTOR, oracle=False)


def elements_at_once(x):
    y = x * x
    y[0], y[1], y[2] = y[2], y[0] * y[1], y[0]
    i, y[i] = 1, y[0] * 3
    (y[0], z), w = (y[1] * y[2], y[0]), y[2]
    return y[0] * z + w * y[1]


case(elements_at_once, VECTOR)


# --- tapes --------------------------------------------------------------------------------------------------

def saved_around_exits(x):
    total = 0.0
    y = x[0]
    for k in range(6):
        y = y * x[1] + np.sin(y)
        if k == 1:
            continue
        z = y * y
        if z > 2.0:
            break
        total = total * z + y * x[2]
        if total > 50.0:
            return total * y
        y = y + z * total
    else:
        total = total + y
    return total * y


case(saved_around_exits, VECTOR, oracle=False)
case(saved_around_exits, VECTOR * 1.7, oracle=False)


def buffers_of_a_loop(x, n):
    a = x.copy()
    b = np.zeros_like(x)
    total = 0
    for k in range(n):
        b[1:] = a[:-1] * a[1:]
        b[0] = np.sin(a[-1])
        total += np.sum(b ** 2) * a[0]
        a, b = b, a
        a *= 1.5
    return total + np.sum(a * b)


case(buffers_of_a_loop, VECTOR, 4)
case(buffers_of_a_loop, VECTOR, 0)


# --- a list that was empty, changed by another name

class Noted:
    def __init__(self, v, w=None):
        self.v = v
        self.w = w if w is not None else []


def items_of_a_list_that_was_empty(x):
    n, m = Noted(x[0]), Noted(x[1], [x[2]])
    for q in list([n, m]):
        q.w.append(x[0])
    return sum(n.w) * x[0] + sum(m.w)


case(items_of_a_list_that_was_empty, np.array([0.7, 0.5, 0.9]))


# --- second derivatives: what one half saves is less than its text without mutation says

def saved_count_of_a_list(x):
    m = Noted(x[1] * 2.0, [x[2]])
    return x[0] * x[1] + m.v * 1.3


case(saved_count_of_a_list, np.array([0.7, 0.5, 0.9]))
