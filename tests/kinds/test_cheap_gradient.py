"""The cheap gradient: what is in place in a program is in place in its gradient; and where another name holds the value, not."""
import ast
import gc
import tracemalloc

import numpy as np
import pytest

import sourcegrad as sg
from benchmarks import loops
from sourcegrad.errors import InternalError, SourcegradError

from . import shared_values

COPYING = {"index_set", "index_add", "entry_add", "entry_add_at", "entry_drop", "path_drop", "list_append", "list_delete",
           "list_insert", "list_restore", "dict_copy", "dict_merge"}

def argument(function, n):
    x = np.linspace(1.0, 2.0, n)
    return x.tolist() if function.__code__.co_varnames[0] == "xs" else x


def copies_in_loops(text):
    """The calls of functions that copy a whole container inside loops, or inside functions that loops call."""
    tree = ast.parse(text)
    functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
    todo = [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While))]
    found, seen = [], set()
    while todo:
        for call in ast.walk(todo.pop()):
            name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
            if name in COPYING:
                found.append(name)
            elif name in functions and name not in seen:
                seen.add(name)
                todo.append(functions[name])
    return found


@pytest.mark.parametrize("function", loops.LOOPS, ids=lambda f: f.__name__)
def test_loops_are_right_and_copy_nothing(function):
    x = argument(function, 12)
    sg.check_grad(function, x)
    gradient = sg.grad(function)
    gradient(x)
    assert copies_in_loops(gradient.source) == [], gradient.source


def peak(function, x):
    gc.collect()                            # what Python keeps of freed tuples is given back
    tracemalloc.start()
    try:
        function(x)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("function", loops.LOOPS[1::4], ids=lambda f: f.__name__)
def test_memory_grows_as_that_of_the_function(function):
    gradient, ratios = sg.grad(function), []
    gradient(argument(function, 64))
    gradient(argument(function, 64))
    for n in (3000, 9000):                  # (for fewer, what Python keeps of freed tuples counts)
        x = argument(function, n)
        ratios.append(peak(gradient, x) / (peak(function, x) + 8 * n))
    assert ratios[1] < 1.3 * ratios[0], ratios


@pytest.mark.parametrize("function", shared_values.ALL, ids=lambda f: f.__name__)
def test_a_value_that_two_names_hold_is_copied(function):
    """Right at both orders, or refused with its place."""
    x = np.array([1.3, 0.7, 1.9, 0.4])
    given = x.tolist() if function.__code__.co_varnames[0] == "xs" else x
    for order in (1, 2):
        try:
            sg.check_grad(function, given, order=order)
        except SourcegradError as refusal:
            assert refusal.origin is not None and not isinstance(refusal, InternalError)
