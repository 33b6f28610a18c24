"""scalar_replacement: the sparse adjoint of an object, which is built entry by entry, becomes one dict, or none."""
import numpy as np

from sourcegrad.runtime import entry_add, entry_drop, entry_of
from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("scalar_replacement")


@CASES.becomes("""
    model_bar = {'w': x, 'b': v}
    return model_bar
""", x=X, v=2.0)
def built_entry_by_entry(x, v):
    model_bar = {"w": x}
    model_bar = entry_add(model_bar, "b", v)
    return model_bar


@CASES.becomes("""
    w_bar = x
    b_bar = v
    return w_bar * b_bar
""", x=X, v=2.0)
def only_taken_apart(x, v):
    model_bar = {"w": x, "b": v}
    w_bar = entry_of(model_bar, "w", x)
    b_bar = entry_of(model_bar, "b", v)
    return w_bar * b_bar


@CASES.becomes("""
    w_bar = x
    b_bar = zeros_like(v)
    return w_bar, b_bar
""", x=X, v=2.0)
def an_entry_that_nobody_has_put_there(x, v):
    model_bar = {"w": x}
    w_bar = entry_of(model_bar, "w", x)
    b_bar = entry_of(model_bar, "b", v)
    return w_bar, b_bar


@CASES.becomes("""
    model_bar = {'w': x, 'b': v}
    left = entry_drop(model_bar, 'b')
    w_bar = entry_of(model_bar, 'w', x)
    return w_bar, model_bar
""", x=X, v=2.0)
def past_other_entries_that_were_dropped(x, v):
    model_bar = {"w": x, "b": v}
    left = entry_drop(model_bar, "b")
    w_bar = entry_of(left, "w", x)
    return w_bar, model_bar


@CASES.stays(x=X, v=2.0)
def the_same_entry_again_is_a_sum(x, v):
    model_bar = {"w": x}
    model_bar = entry_add(model_bar, "w", v)
    return model_bar


@CASES.stays(x=X, v=2.0)
def the_value_has_changed_by_then(x, v):
    model_bar = {"w": x, "b": v}
    x = x + 1.0
    w_bar = entry_of(model_bar, "w", x)
    return w_bar


@CASES.stays(x=X, v=2.0)
def returned_as_it_is(x, v):
    model_bar = {"w": x, "b": v}
    w_bar = entry_of(model_bar, "w", x)
    return w_bar, model_bar


@CASES.stays(x=X, v=2.0, n=2, others=({"n": 0},))
def read_in_a_loop(x, v, n):
    model_bar = {"w": x, "b": v}
    for _ in range(n):
        x = x + entry_of(model_bar, "w", x)
    return x


test_scalar_replacement = CASES.check()
