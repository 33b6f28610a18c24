"""Lists, tuples, comprehensions, generator expressions; outputs and inputs that are containers."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])


def append_and_stack(v, n):
    rows = []
    for i in range(n):
        v = np.sin(v) + 0.1 * i
        rows.append(v)
    table = np.stack(rows)
    return (table * table[0]).sum()


case(append_and_stack, VECTOR, 4, order=3)


def append_and_array(x, n):
    values = [x]
    for _ in range(n):
        values.append(math.sin(values[-1]) + x)
    path = np.array(values)
    return (path[1:] * path[:-1]).sum()


case(append_and_array, 0.7, 4, order=3)


def append_and_concatenate(m):
    parts = []
    for row in m:
        parts.append(row[:2] * row[2])
        parts.append(row.sum(keepdims=True))
    joined = np.concatenate(parts)
    return np.sum(joined ** 3)


case(append_and_concatenate, MATRIX)


def append_and_sum(x, n):
    terms = []
    for i in range(n):
        terms.append(x ** (i + 1) / math.factorial(i + 1))
    return sum(terms) * len(terms) + sum(terms, 2.0)


case(append_and_sum, 0.7, 4, order=3)


def append_in_branch(v):
    positive, negative = [], []
    for x in v:
        if x > 0:
            positive.append(x * x)
        else:
            negative.append(math.exp(x))
    return sum(positive) * sum(negative) + positive[0]


case(append_in_branch, VECTOR)


def append_through_method(x):
    values = []
    add = values.append
    for i in range(3):
        add(x * i)
    return sum(values) * values[1]


case(append_through_method, 0.7)


def list_display(x, y):
    values = [x, x * y, y]
    pairs = [(x, y), (y, 2.0)]
    total = 0.0
    for a, b in pairs:
        total = total + a * b * values[0]
    return total + values[1] * values[-1]


case(list_display, 0.7, 0.4, inputs=("x", "y"))


def list_of_lists(x):
    table = []
    for i in range(3):
        row = []
        for j in range(2):
            row.append(x ** i * math.cos(j * x))
        table.append(row)
    return table[0][1] * table[2][0] + np.array(table).sum()


case(list_of_lists, 0.7)


def read_back(v):
    """Every step reads two earlier ones."""
    h = [v[0], v[1]]
    for i in range(4):
        h.append(0.5 * h[i] * h[i + 1] + v[2])
    return h[-1] + h[3]


case(read_back, VECTOR, order=3)


def list_comprehension(v, s):
    values = [math.sin(x) * s for x in v]
    squares = [y * y for y in values if y > 0]
    return sum(squares) + values[1] * values[2]


case(list_comprehension, VECTOR, 0.7, inputs=("v", "s"), order=3)


def nested_comprehension(v):
    table = np.array([[a * b + i for i, a in enumerate(v)] for b in v])
    flat = [a * b for a in v for b in v if a > b]
    return table.sum() * sum(flat)


case(nested_comprehension, VECTOR)


def generator_in_sum(v, x):
    a = sum(w * x ** i for i, w in enumerate(v))
    b = sum((y * y for y in v if y > x), 1.0)
    return a * b


case(generator_in_sum, VECTOR, 0.7, inputs=("v", "x"), order=3)


def tuple_from_generator(x):
    a, b, c = tuple(x * i for i in range(1, 4))
    return a * b - math.exp(c)


case(tuple_from_generator, 0.7)


def comprehension_scope(x):
    """The variable of a comprehension does not leak."""
    i = x
    values = [i * x for i in range(3)]
    return i * sum(values)


case(comprehension_scope, 0.7)


def stack_of_comprehension(m, v):
    out = np.stack([np.tanh(row * v) for row in m], axis=1)
    return np.concatenate([out[0], out[1] * 2, v]).sum() + out[2, 1]


case(stack_of_comprehension, MATRIX, VECTOR, inputs=("m", "v"))


def builtins_on_lists(x, y):
    values = [x, y, x * y]
    return max(values) * 2 + min(values) * x + sum(values) + len(values) * y


case(builtins_on_lists, 0.7, 1.4, inputs=("x", "y"))


def all_any(x, y):
    values = [x, y]
    if all(v > 0 for v in values) and any([v > 1 for v in values]):
        return x * y
    return x + y


case(all_any, 0.7, 1.4, inputs=("x", "y"))


def list_operations(x, y):
    values = [x] + [y, x * y]
    again = values * 2
    tail = again[1:4]
    return sum(tail) * again[5] + (x, y)[1] + sum(values[::-1][:2])


case(list_operations, 0.7, 1.4, inputs=("x", "y"))


def list_input(values):
    total = 0.0
    for i, v in enumerate(values):
        total = total * 0.9 + v * v * (i + 1)
    return total * values[0]


case(list_input, [0.7, 0.4, -1.2])


def list_of_arrays_input(layers, x):
    for w in layers:
        x = np.tanh(w * x)
    return x.sum()


case(list_of_arrays_input, [VECTOR, VECTOR * 2, np.array([0.5, 0.6, 0.7])], 0.7, inputs=("layers", "x"))


def tuple_input(pair, s):
    a, (b, c) = pair
    return a * b.sum() + (c * c).sum() * s


case(tuple_input, (0.7, (VECTOR, VECTOR * 0.5)), 2.0, inputs=("pair", "s"))


def dict_input(parameters, x):
    hidden = np.tanh(parameters["w"] @ x + parameters["b"])
    return (hidden * hidden).sum() * parameters["scale"]


case(dict_input, {"w": MATRIX, "b": np.array([0.1, -0.2]), "scale": 1.5}, VECTOR, inputs=("parameters", "x"))


def tuple_output(x, y):
    return x * y, math.sin(x)


case(tuple_output, 0.7, 1.4, inputs=("x", "y"))


def mixed_output(v, s):
    return v * s, (v.sum(), s * s)


case(mixed_output, VECTOR, 0.7, inputs=("v", "s"))


def list_output(x, n):
    values = []
    for i in range(n):
        values.append(x ** i)
    return values


case(list_output, 0.7, 3)


def array_output(m, v):
    return np.tanh(m * v) + m


case(array_output, MATRIX, VECTOR, inputs=("m", "v"), order=3)


def printing(x):
    """Output happens once and does not disturb anything."""
    y = x * x
    print("y =", y, f"{y:.2f}")
    label = f"{x:.3f}:{'positive' if x > 0 else 'negative'}"
    return y * len(label)


case(printing, 0.7)


def tuple_state(x):
    """A tuple carried through a loop."""
    state = (x, 1.0)
    for i in range(4):
        a, b = state
        state = (math.sin(a) * b, b + x * i)
    return state[0] * state[1]


case(tuple_state, 0.7, order=3)


def list_alias(x):
    values = [x]
    same = values
    same.append(x * x)
    return sum(values) * len(same)


case(list_alias, 0.7)


def list_passed_to_callee(x):
    values = []
    extend_with_powers(values, x, 3)
    extend_with_powers(values, x * x, 2)
    return sum(values) * values[0]


def extend_with_powers(values, x, n):
    for i in range(n):
        values.append(x ** i * math.cos(x))


case(list_passed_to_callee, 0.7)


def scale_items(x, y):
    xs = [np.zeros(3), x.copy()]
    xs.append(x)
    for item in xs:
        item[1:] *= 0.6                         # x changes, and nobody here reads it any more
    y[0] /= 1.5


def scale_a_row(rows, factor):
    both = [rows, [factor * 2.0]]
    for k in range(2):
        both[k][0] = both[k][0] * factor


def changes_that_only_the_caller_sees(x, y):
    scale_items(y, x)
    rows = [x * y, y]
    scale_a_row(rows, y[0])
    return rows[0] * rows[1] + y


case(changes_that_only_the_caller_sees, np.array([0.3, -0.8, 1.1]), np.array([0.7, 0.4, -0.2]), inputs=("x", "y"))


def parameter_is_another_list_on_one_path(v):
    def total(items, x):
        if x > 1.0:
            more = [x, x * len(items)]
            items = more
        return sum(items) * x

    return total([1.0, 2.0], v) + total([1.0, v], 0.5 * v)


case(parameter_is_another_list_on_one_path, 1.3)


# --- lists of stages that lie on a tape while the reverse sweep shortens them: what the second order must not do

def stages_of_a_table(v):
    table = [[], [0.5], [0.0, 0.5]]
    nodes = [0.0, 0.5, 0.5]

    def slope(t, y):
        return np.array([y[1], -v[0] * y[0] - v[1] * y[1] ** 3 + v[2] * np.cos(t)])

    y = np.array([v[1], 0.0])
    for step in range(2):
        k = []
        for row, node in zip(table, nodes):
            inner = sum((weight * stage for weight, stage in zip(row, k)), np.zeros(2))
            k.append(slope(0.1 * (step + node), y + 0.1 * inner))
        y = y + 0.1 * sum(stage for _, stage in zip(table, k))
    return y[0] + y[1] ** 2


case(stages_of_a_table, np.array([0.3, 0.8, 1.1]))
