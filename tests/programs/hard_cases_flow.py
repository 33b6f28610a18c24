"""Hard cases: lists that grow, loops, exits, buffers, recursion, branches beside singular points."""
from __future__ import annotations

import math

import numpy as np

from tests.programs.hard_cases import M23, M34, V3, V4, V5, case

# --- for i in range(n): h.append(f(h[-1])); np.stack(h)

LISTS = "lists"


def appended_states(x, n):
    h = [x]
    for i in range(n):
        h.append(np.tanh(h[-1] * 1.1 + i))
    return np.stack(h)


def appended_then_changed(x, n):
    h = [x * 1.0]
    for i in range(n):
        h.append(h[-1] * 1.0)
        h[-1][0] = h[-2][1] * h[-1][2]
    return np.array(h)


def appended_alias(x, n):
    """The list holds one array several times."""
    y = x * 1.0
    h = []
    for i in range(n):
        y *= y + 0.5
        h.append(y)
    return np.stack(h)


def appended_copies(x, n):
    y = x * 1.0
    h = [y.copy()]
    for i in range(n):
        y *= y + 0.5
        h.append(y.copy())
    return np.concatenate(h)


def popped(x):
    stack = [x, x * 2]
    while len(stack) < 4:
        top = stack.pop()
        stack.append(top * top)
        stack.append(np.sin(top))
    return stack[0] + stack.pop() * stack[-1]


def replaced_in_a_list(x):
    h = [x * i for i in range(1, 4)]
    h[1] = h[0] * h[2]
    h[0] += h[1]
    h[-1][0] = 7.0
    return np.vstack(h)


def list_of_floats(x, n):
    h = [x]
    for i in range(n):
        h.append(math.sin(h[-1]) + h[i] * h[0])
    return np.array(h)


for n in (0, 3):
    case(LISTS, appended_states, V3, n)
    case(LISTS, appended_then_changed, V3, n)
    case(LISTS, appended_copies, V3, n)
    case(LISTS, list_of_floats, 0.7, n)
case(LISTS, appended_alias, V3, 3, may_refuse=True)             # one array at many positions of a list
case(LISTS, popped, V3)
case(LISTS, replaced_in_a_list, V3)

# --- while on data; zero iterations

WHILES = "while loops"


def while_on_content(x):
    y = x * 1.0
    while y[0] < 4.0:
        y[0] += y[1] * y[1] + 1.0
        y[1] *= 1.1
    return y


def while_in_place(x, limit):
    n = 0
    while np.sum(x * x) > limit:
        x *= 0.8
        x[n % x.size] -= 0.05
        n += 1
    return x * n + x


def while_on_elements(x):
    y = x * x
    i = 0
    while i < y.size - 1 and y[i] < 1.0:
        y[i + 1] += y[i]
        i += 1
    return y * i


def while_nested(x):
    y = x * 1.0
    for i in range(y.size):
        while y[i] < 1.0:
            y[i] = y[i] * y[i] + 0.6
    return y


case(WHILES, while_on_content, np.array([0.3, 1.1]))
case(WHILES, while_on_content, np.array([7.3, 1.1]))
case(WHILES, while_in_place, V3, 0.5)
case(WHILES, while_in_place, V3, 50.0)
case(WHILES, while_in_place, V3, 0.5, outputs=("x",))
case(WHILES, while_on_elements, V4)
case(WHILES, while_on_elements, np.array([0.3]))
case(WHILES, while_nested, V3)

# --- return inside nested loops; for ... else; continue

EXITS = "exits"


def return_from_loops(x, limit):
    y = x * x
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] += y[i - 1, j - 1]
            if y[i, j] > limit:
                return y * x
    y *= 2
    return y


def search_with_else(x, limit):
    y = x * 1.0
    for i in range(y.size):
        if y[i] > limit:
            y[i] *= y[0]
            break
        y[i] += 1.0
    else:
        y[:] = y * y
    return y


def continued(x):
    y = x * x
    for i in range(y.size):
        if i % 2:
            continue
        y[i] = y[i - 1] * y[i]
        if y[i] < 0.4:
            y[i] += x[i]
            continue
        y[i] *= 3
    return y


def procedure_with_return(x, limit):
    x *= 2
    if x[0] > limit:
        return
    for i in range(x.size - 1):
        x[i + 1] *= x[i]
        if x[i + 1] > limit:
            return
    x += 1


def try_finally(x):
    y = x * x
    try:
        y[0] = y[1] * y[2]
    finally:
        y *= 2
    return y


for limit in (0.5, 1.5, 50.0):
    case(EXITS, return_from_loops, M23, limit)
    case(EXITS, search_with_else, V4, limit)
    case(EXITS, procedure_with_return, V4, limit, outputs=("x",))
case(EXITS, continued, V5)
case(EXITS, search_with_else, np.zeros(0), 0.5)
case(EXITS, try_finally, V3)

# --- buf = np.empty(n); partial writes

EMPTY = "uninitialised buffers"


def partly_written(x):
    buf = np.empty(6)
    buf[1:4] = x * x
    buf[2] *= buf[1]
    return buf[1:4]


def written_by_elements(x):
    buf = np.empty((2, x.size))
    for i in range(x.size):
        buf[0, i] = x[i] * x[i - 1]
    for i in range(x.size):
        buf[1, i] = buf[0, i] * buf[0, -1]
    return buf


def written_then_used_again(x):
    buf = np.empty_like(x)
    total = 0.0
    for k in range(3):
        buf[:] = x ** (k + 1)
        buf[k] *= total + 1.0
        total += np.sum(np.sin(buf))
    return total


def empty_where(x):
    buf = np.empty_like(x)
    m = x > 0
    buf[m] = np.log(x[m])
    buf[~m] = x[~m] ** 2
    return buf


def half_used(x, n):
    buf = np.empty(n)
    k = 0
    for v in x:
        if v > 0:
            buf[k] = v * v
            k += 1
    return np.sum(buf[:k] * buf[:k][::-1])


for function in (partly_written, written_by_elements, written_then_used_again, empty_where):
    case(EMPTY, function, V3)
case(EMPTY, half_used, V5, 5)
case(EMPTY, half_used, -np.abs(V5), 5)
case(EMPTY, written_by_elements, np.zeros(0))

# --- recursion, mutual recursion, nonlocal

RECURSION = "recursion and nonlocal"


def prefix_products(y):
    if len(y) > 1:
        y[1] *= y[0]
        prefix_products(y[1:])


def recursion_on_views(x):
    prefix_products(x)
    return x * x


def even_step(y, i):
    if i < len(y):
        y[i] = y[i] * y[i - 1]
        odd_step(y, i + 1)


def odd_step(y, i):
    if i < len(y):
        y[i] += y[i - 1] ** 2
        even_step(y, i + 1)


def mutual_recursion(x):
    y = x * 1.0
    even_step(y, 0)
    return y


def halves(y, depth):
    if depth == 0 or len(y) < 2:
        y *= y
        return y.sum()
    middle = len(y) // 2
    left = halves(y[:middle], depth - 1)
    right = halves(y[middle:], depth - 1)
    y += left * right
    return left + right


def recursive_halves(x):
    total = halves(x, 2)
    return total * x


def nonlocal_array(x):
    state = x * 1.0
    calls = 0

    def step(w):
        nonlocal state, calls
        state = state * w
        state[0] += calls
        calls += 1

    for i in range(3):
        step(x[i])
    return state * calls


def nonlocal_swap(x):
    a, b = x * 1.0, x * 2.0

    def advance():
        nonlocal a, b
        b[:] = a * b
        a, b = b, a

    advance()
    advance()
    advance()
    return a - b


def closure_of_a_view(x):
    y = x * x
    v = y[1:]

    def double():
        v[:] = v * y[:-1]

    double()
    y[1] += 1
    double()
    return y


case(RECURSION, recursion_on_views, V4)
case(RECURSION, recursion_on_views, V4, outputs=("x",))
case(RECURSION, recursion_on_views, np.array([0.7]))
case(RECURSION, mutual_recursion, V4)
case(RECURSION, recursive_halves, V5)
for function in (nonlocal_array, nonlocal_swap, closure_of_a_view):
    case(RECURSION, function, V3)

# --- np.where(x > 0, np.sqrt(x), 0); inv_r[inv_r > 0] = 1/inv_r[inv_r > 0]

SINGULAR = "singular branches"


def root_where(x):
    return np.where(x > 0, np.sqrt(x), 0) * 2


def inverse_where_positive(x):
    inv_r = np.sqrt(np.maximum(x, 0) ** 2)
    inv_r[inv_r > 0] = 1 / inv_r[inv_r > 0]
    return inv_r


def distances(x):
    d = x[:, None] - x
    r = np.abs(d)
    inv_r = np.sqrt(r ** 2)
    inv_r[inv_r > 0] = 1 / inv_r[inv_r > 0]
    return np.sum(inv_r)


def where_of_a_log(x):
    y = np.where(x > 0, np.log(x) * x, x ** 2)
    y[x < 0] += 1
    return y


def quotient_masked(x, w):
    y = x / w
    y[w == 0] = 0.0
    return y * 2


def overwritten_singular(x):
    y = np.log(x)
    y[~(x > 0)] = 0.0
    y[x > 1] = np.sqrt(y[x > 1])
    return y


def logarithm(x):
    return np.log(x) * 2


def cleared(y, x):
    y[x <= 0] = 0
    return y


def singular_in_callees(x):
    y = logarithm(x) + cleared(1 / np.maximum(x, 0), x)
    y[~(x > 0)] = 0.0
    return y


def singular_diagonal(x):
    d = x[:, None] - x
    r = np.abs(d) ** -1.5
    for i in range(len(x)):
        r[i, i] = 0.0
    return np.sum(r * x)


def both_sigmoids(x):
    y = 900 * x
    return np.where(y >= 0, 1 / (1 + np.exp(-y)), np.exp(y) / (1 + np.exp(y))) * x


def deviations_selected(x):
    return np.where(np.array([True, False, True]), np.std(x, axis=1), 0.0)


for function in (root_where, inverse_where_positive, where_of_a_log, overwritten_singular):
    case(SINGULAR, function, V5)
case(SINGULAR, distances, V3)
case(SINGULAR, singular_in_callees, V5)
case(SINGULAR, singular_diagonal, V3)
case(SINGULAR, both_sigmoids, V3)
case(SINGULAR, deviations_selected, M34[:, :3])
case(SINGULAR, quotient_masked, V3, np.array([0.5, 0.0, -2.0]))
