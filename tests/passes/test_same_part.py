"""nest: what is added to one part of an adjoint by one line of the user is added in one store."""
import numpy as np

from tests.passes.becomes import Cases

X = np.array([0.5, -1.5, 0.25, 2.0])
ACCUMULATE = Cases("accumulate")


@ACCUMULATE.becomes("""
    y = x * 1.0
    product_2_tape = []
    sum_3_tape = []
    for _ in range(steps):
        product_2 = 0.1 * y[1:-1]
        sum_3 = y[2:] - 2.0 * y[1:-1] + y[:-2]
        y[1:-1] += product_2 * sum_3
        product_2_tape.append(product_2)
        sum_3_tape.append(sum_3)
    # --- reverse sweep
    x_bar = y
    x_bar[...] = 1.0
    for _ in reversed(range(steps)):
        sum_3 = sum_3_tape.pop()
        product_2 = product_2_tape.pop()
        sum_2_bar = np.copy(x_bar[1:-1])
        sum_3_bar = sum_2_bar * product_2
        x_bar[:-2] += sum_3_bar
        x_bar[1:-1] += 0.1 * (sum_2_bar * sum_3) - 2.0 * sum_3_bar
        x_bar[2:] += sum_3_bar
    return x_bar
""", x=X, steps=2)
def other_parts_in_between(x, steps):
    y = x * 1.0
    for _ in range(steps):
        y[1:-1] += 0.1 * y[1:-1] * (y[2:] - 2.0 * y[1:-1] + y[:-2])
    return np.sum(y)


@ACCUMULATE.becomes("""
    y = x * 1.0
    y_old_tape = []
    for _ in range(steps):
        y_old_tape.append(np.copy(y[1:]))
        y[1:] -= y[:-1] * y[1:]
    # --- reverse sweep
    x_bar = 2.0 * y
    for _ in reversed(range(steps)):
        y_old = y_old_tape.pop()
        y[1:] = y_old
        product_bar = -x_bar[1:]
        x_bar[1:] += product_bar * y[:-1]
        x_bar[:-1] += product_bar * y[1:]
    return x_bar
""", x=X, steps=2)
def after_what_was_put_there(x, steps):
    y = x * 1.0
    for _ in range(steps):
        y[1:] -= y[:-1] * y[1:]
    return np.sum(y * y)


@ACCUMULATE.becomes("""
    y = x * x
    y_i = y[1:]
    y_i_2 = y[:-1]
    a = y_i * y_i_2
    y_i_3 = y[1:]
    b = np.sin(y_i_3)
    # --- reverse sweep
    y_bar = np.ones(y.shape)
    y_bar[1:] += a * np.cos(y_i_3)
    y_bar[:-1] += b * y_i
    y_bar[1:] += b * y_i_2
    x_bar = 2.0 * y_bar * x
    return x_bar
""", x=X)
def each_line_for_itself(x):
    y = x * x
    a = y[1:] * y[:-1]
    b = np.sin(y[1:])
    return np.sum(a * b) + np.sum(y)


@ACCUMULATE.becomes("""
    y = x * x
    y_i = y[k]
    sum_2 = np.sum(y_i)
    y_i_2 = y[j]
    sum_3 = np.sum(y_i_2)
    product = sum_2 * sum_3
    y_i_3 = y[k]
    prod = np.prod(y_i_3)
    # --- reverse sweep
    y_bar = np.zeros(y.shape)
    np.add.at(y_bar, k, product * product_of_others(y_i_3) + prod * sum_3)
    np.add.at(y_bar, j, broadcast_like(prod * sum_2, y_i_2))
    x_bar = 2.0 * y_bar * x
    return x_bar
""", x=X, k=np.array([0, 2, 0]), j=np.array([1, 1]))
def repeated_indices(x, k, j):
    y = x * x
    return np.sum(y[k]) * np.sum(y[j]) * np.prod(y[k])


test_accumulate = ACCUMULATE.check()
