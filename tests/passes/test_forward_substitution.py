"""forward_substitution: temporaries that are read once stand in the expressions that read them."""
import numpy as np

from tests.passes.becomes import Alone, Cases

X = np.array([0.5, -1.5])
Y = np.array([0.5, -1.5, 0.25, 2.0])
NEST, ALONE, ACCUMULATE = Cases("forward_substitution"), Alone("forward_substitution"), Cases("accumulate")


@ALONE.becomes("""
    return np.exp(np.sin(x) * 2.0)
""", x=2.0)
def read_once(x):
    sin = np.sin(x)
    product = sin * 2.0
    exp = np.exp(product)
    return exp


@ALONE.becomes("""
    for _ in range(n):
        x = np.sin(x) * 2.0
    return x
""", x=2.0, n=2, others=({"n": 0},))
def in_a_loop(x, n):
    for _ in range(n):
        sin = np.sin(x)
        x = sin * 2.0
    return x


@ALONE.stays(x=2.0)
def read_twice(x):
    sin = np.sin(x)
    y = sin * x
    return sin, y * sin, y


@ALONE.stays(x=2.0, own="sine y")
def the_users_names(x):
    sine = np.sin(x)
    y = sine * 2.0
    return y


@ALONE.stays(x=2.0)
def an_operand_changes_first(x):
    sin = np.sin(x)
    x = x * 2.0
    return x, sin


@ALONE.stays(x=2.0, n=2, others=({"n": 0},))
def it_would_be_computed_in_every_turn(x, n):
    sin = np.sin(x)
    for _ in range(n):
        x = x * sin
    return x


@ALONE.stays(x=X)
def results_keep_their_names(x):
    y = np.sin(x)
    return y


@ALONE.stays(x=2.0)
def the_forward_sweep_computes_it(x):
    cos = np.cos(x)
    "# --- reverse sweep"
    x_bar = 3.0 * cos
    return x_bar, x_bar


@ALONE.stays(values=[1.0, 2.0])
def what_changes_a_list(values):
    last = values.pop()
    return len(values) * last


@ALONE.stays(x=2.0)
def a_line_that_would_get_long(x):
    first = np.sin(x) * np.cos(x) + np.exp(x) * np.tanh(x)
    second = np.sin(x + 1.0) * np.cos(x + 1.0) + np.exp(x + 1.0)
    product = first * np.arctan(x + 3.0) * np.sinh(x) * second
    return product + x, product


@NEST.becomes("""
    value = np.exp(np.sin(x) * 2.0)
    # --- reverse sweep
    return 2.0 * value * np.cos(x)
""", x=2.0)
def folds_what_is_used_once(x):
    return np.exp(np.sin(x) * 2.0)


@NEST.becomes("""
    inner = np.sin(x)
    outer = np.exp(inner)
    # --- reverse sweep
    return 3.0 * outer * np.cos(x)
""", x=2.0)
def keeps_the_users_names(x):
    inner = np.sin(x)
    outer = np.exp(inner)
    return outer * 3.0


@NEST.becomes("""
    y = x * x
    y_tape = []
    for _ in range(2):
        y_tape.append(y)
        y = np.sin(y)
    # --- reverse sweep
    y_bar = 1.0
    for _ in reversed(range(2)):
        y = y_tape.pop()
        y_bar = y_bar * np.cos(y)
    return 2.0 * y_bar * x
""", x=2.0)
def names_what_is_read_after_it_changed(x):
    y = x * x
    for _ in range(2):
        y = np.sin(y)
    return y


# --- What one line of the user adds to one part of an adjoint is added in one store.

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
    x_bar = np.ones(y.shape)
    for _ in reversed(range(steps)):
        sum_3 = sum_3_tape.pop()
        product_2 = product_2_tape.pop()
        sum_2_bar = np.copy(x_bar[1:-1])
        sum_3_bar = sum_2_bar * product_2
        x_bar[:-2] += sum_3_bar
        x_bar[1:-1] += 0.1 * (sum_2_bar * sum_3) - 2.0 * sum_3_bar
        x_bar[2:] += sum_3_bar
    return x_bar
""", x=Y, steps=2)
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
""", x=Y, steps=2)
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
""", x=Y)
def each_line_for_itself(x):
    y = x * x
    a = y[1:] * y[:-1]
    b = np.sin(y[1:])
    return np.sum(a * b) + np.sum(y)


@ACCUMULATE.becomes("""
    y = x * x
    sum_2 = np.sum(y[k])
    sum_3 = np.sum(y[j])
    product = sum_2 * sum_3
    y_i_3 = y[k]
    prod = np.prod(y_i_3)
    # --- reverse sweep
    y_bar = np.zeros(y.shape)
    np.add.at(y_bar, k, product * product_of_others(y_i_3) + prod * sum_3)
    np.add.at(y_bar, j, prod * sum_2)
    x_bar = 2.0 * y_bar * x
    return x_bar
""", x=Y, k=np.array([0, 2, 0]), j=np.array([1, 1]))
def repeated_indices(x, k, j):
    y = x * x
    return np.sum(y[k]) * np.sum(y[j]) * np.prod(y[k])


test_alone = ALONE.check()
test_forward_substitution = NEST.check()
test_same_part = ACCUMULATE.check()
