"""lengths: the reverse sweep counts again what it has, so that ranges need no name."""
import re

import numpy as np

import sourcegrad as sg
from tests.passes.becomes import Alone, emitted
from tests.passes.test_tidy import chosen

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("lengths")


@CASES.becomes("""
    total = 0.0
    for k in range(len(x)):
        total = total + x[k]
    # --- reverse sweep
    x_bar = np.zeros(x.shape)
    for k in reversed(range(len(x))):
        x_bar[k] = total
    return x_bar
""", x=X, others=({"x": np.zeros(0)},))
def the_length_of_an_argument(x):
    indices = range(len(x))
    total = 0.0
    for k in indices:
        total = total + x[k]
    "# --- reverse sweep"
    x_bar = np.zeros(x.shape)
    for k in reversed(indices):
        x_bar[k] = total
    return x_bar


@CASES.becomes("""
    y = x * x
    # --- reverse sweep
    total = 0.0
    for k in reversed(range(y.shape[0])):
        total = total * y[k] + 1.0
    return total
""", x=X)
def the_size_of_an_axis(x):
    y = x * x
    indices = range(y.shape[0])
    "# --- reverse sweep"
    total = 0.0
    for k in reversed(indices):
        total = total * y[k] + 1.0
    return total


@CASES.stays(values=[1.0, 2.0])
def a_list_that_gets_longer(values):
    indices = range(len(values))
    values.append(3.0)
    "# --- reverse sweep"
    total = 0.0
    for k in reversed(indices):
        total = total * values[k] + 1.0
    return total


@CASES.stays(table={0: 1.0, 1: 2.0})
def a_dict_that_gets_another_entry(table):
    indices = range(len(table))
    table[2] = 3.0
    "# --- reverse sweep"
    total = 0.0
    for k in reversed(indices):
        total = total * table[k] + 1.0
    return total


@CASES.stays(x=X)
def an_array_that_the_reverse_sweep_does_not_read(x):
    indices = range(len(x))
    "# --- reverse sweep"
    total = 0.0
    for k in reversed(indices):
        total = total * k + 1.0
    return total


@CASES.stays(x=X, own="indices")
def a_name_of_the_users(x):
    indices = range(len(x))
    "# --- reverse sweep"
    total = 0.0
    for k in reversed(indices):
        total = total * x[k] + 1.0
    return total


@CASES.stays(x=X)
def another_array_under_its_name(x):
    y = x * x
    indices = range(len(y))
    y = y[1:]
    "# --- reverse sweep"
    total = 0.0
    for k in reversed(indices):
        total = total * k + np.sum(y)
    return total


@CASES.stays(x=X)
def it_is_read_elsewhere(x):
    indices = range(len(x))
    "# --- reverse sweep"
    total = 0.0
    for k in reversed(indices):
        total = total * x[k] + 1.0
    return total, list(indices)


def test_a_range_of_what_the_reverse_sweep_reads_needs_no_name():
    found = emitted(chosen, np.array([0.3, 0.4]), {"a": 0.5}, inputs="x")
    assert re.search(r"for (k|k_2) in reversed\(range\(len\(x\)\)\):", found) and "turns" not in found


def grown_dict(x, n):
    table = {}
    for k in range(n):
        table[k] = x * (k + 1)
    total = 0.0
    for k in range(len(table)):
        total = total + table[k] * x
    table[n] = total * x
    return table[n] * table[0]


def test_a_dict_that_gets_another_entry_keeps_the_range_of_its_loop():
    """The reverse sweep had a turn more, for the new entry."""
    for n in (1, 3):
        sg.check_grad(grown_dict, 1.3, n)


def grown(x):
    rows = [x, 2.0 * x]
    total = 0.0
    for k in range(len(rows)):
        total = total + np.sum(rows[k] ** 2)
    rows.append(total * x)
    return np.sum(rows[-1])


def test_a_list_that_grows_later_keeps_the_range_of_its_loop():
    emitted(grown, np.array([0.3, 0.4]))                      # the derivative is what matters


@CASES.becomes("""
    y = x * n
    for k in range(1, n - 1):
        y = y + x[k]
    # --- reverse sweep
    x_bar = np.zeros(x.shape)
    for k in reversed(range(1, n - 1)):
        x_bar[k] += 1.0
    return x_bar * y
""", x=X, n=3, others=({"n": 0},))
def numbers_of_numbers(x, n):
    turns = range(1, n - 1)
    y = x * n
    for k in turns:
        y = y + x[k]
    "# --- reverse sweep"
    x_bar = np.zeros(x.shape)
    for k in reversed(turns):
        x_bar[k] += 1.0
    return x_bar * y


@CASES.stays(x=X, n=3, others=({"n": 0},))
def a_number_that_changes_before_the_reverse_sweep(x, n):
    turns = range(n - 1)
    y = x * n
    for k in turns:
        y = y + x[k]
    n = n - 1
    "# --- reverse sweep"
    x_bar = np.zeros(x.shape)
    for k in reversed(turns):
        x_bar[k] += 1.0
    return x_bar * y * n


@CASES.stays(x=X, a=np.array(3), others=({"a": np.array(1)},))
def an_array_that_may_change(x, a):
    turns = range(a)
    y = x * 2.0
    for k in turns:
        y = y + x[k]
    "# --- reverse sweep"
    x_bar = np.zeros(x.shape)
    for k in reversed(turns):
        x_bar[k] += 1.0
    return x_bar * y


test_lengths = CASES.check()
