"""annotate: above each block of the reverse sweep stands the line of the user's that it belongs to."""
import gast
import numpy as np

import sourcegrad as sg
from sourcegrad.ir.source import to_text
from sourcegrad.pretty.blocks import no_empty_blocks
from tests.passes.becomes import Within, emitted

X = np.array([0.5, -1.5])
CASES = Within("annotate")


@CASES.becomes("""
    y = x * x
    # --- reverse sweep
    # test_annotate.py  y = x * x
    x_bar = 2.0 * np.cos(y) * x
    return x_bar
""", x=X)
def one_line_after_the_other(x):
    y = x * x
    z = np.sin(y)
    return np.sum(z)


@CASES.becomes("""
    x_tape = []
    for _ in range(n):
        x_tape.append(x)
        x = np.sin(x)
    # --- reverse sweep
    # test_annotate.py  return x
    x_bar = 1.0
    # test_annotate.py  for _ in range(n):
    for _ in reversed(range(n)):
        x = x_tape.pop()
        # test_annotate.py  x = np.sin(x)
        x_bar *= np.cos(x)
    return x_bar
""", x=2.0, n=2)
def a_loop_and_what_is_taken_back_in_it(x, n):
    for _ in range(n):
        x = np.sin(x)
    return x


@CASES.becomes("""
    cond = x > 1.0
    if not cond:
        cond_2 = x > 0.0
    # --- reverse sweep
    # test_annotate.py  if x > 1.0:
    if cond:
        # test_annotate.py  y = x * x
        x_bar = 2.0 * x
    elif cond_2:
        # test_annotate.py  elif x > 0.0:
        # test_annotate.py  y = np.sin(x)
        x_bar = np.cos(x)
    else:
        # test_annotate.py  y = x
        x_bar = 1.0
    return x_bar
""", x=2.0)
def both_branches(x):
    if x > 1.0:
        y = x * x
    elif x > 0.0:
        y = np.sin(x)
    else:
        y = x
    return y


def test_annotate_copies() -> None:
    """The text that is differentiated again has no comments."""
    first = sg.grad(one_line_after_the_other)
    assert emitted(one_line_after_the_other, X).count("# test_annotate.py") == 1
    assert np.allclose(sg.grad(lambda x: np.sum(first(x)))(X), 2.0 * np.cos(X * X) - 4.0 * X * X * np.sin(X * X))


@CASES.becomes("""
    total = 0.0
    tape = []
    for v in x:
        sin_total = np.sin(total)
        tape.append((total, sin_total))
        total = sin_total * v
    # --- reverse sweep
    # test_annotate.py  return total
    total_bar = 1.0
    # test_annotate.py  for v in x:
    x_bar = np.zeros(x.shape)
    for k in reversed(range(len(x))):
        total, sin_total = tape.pop()
        v = x[k]
        # test_annotate.py  total = np.sin(total) * v
        v_bar = total_bar * sin_total
        total_bar = total_bar * v * np.cos(total)
        # test_annotate.py  for v in x:
        x_bar[k] += v_bar
    return x_bar
""", x=np.array([0.5, 1.5]))
def what_the_loop_takes_stands_first(x):
    total = 0.0
    for v in x:
        total = np.sin(total) * v
    return total


@CASES.becomes("""
    cond = x > 1.0
    # --- reverse sweep
    # test_annotate.py  if x > 1.0:
    if cond:
        # test_annotate.py  y = x * x
        x_bar = 2.0 * x
    else:
        x_bar = 0.0
    return x_bar
""", x=2.0)
def nothing_in_a_branch_is_told_by_its_condition(x):
    y = 0.0
    if x > 1.0:
        y = x * x
    return y


def shifted(x, n):
    out = np.zeros(n + 1)
    for k in range(n):
        out[k + 1] = np.sin(x[k]) * out[k] + x[k]
    return out


def shifted_twice(x, n):
    once = shifted(x, n)
    for k in range(2):
        once = shifted(once * once, n)
    return np.sum(once)


def test_a_line_that_only_returns_a_name_computes_nothing():
    text = emitted(shifted_twice, np.array([0.3, 0.7]), 2)
    assert "def shifted_reverse" in text and "return out\n    #" not in text, text


def test_a_branch_that_does_nothing_is_the_opposite_condition():
    for condition, opposite in (("a == b", "a != b"), ("a not in b", "a in b"), ("a < b", "not a < b"), ("not a", "a")):
        tree = gast.parse(f"if {condition}:\n    pass\nelse:\n    c = 1")
        plain = no_empty_blocks(tree.body)
        assert to_text(gast.Module(body=plain, type_ignores=[])).split() == f"if {opposite}:\n    c = 1".split()
    alone = gast.parse("if a:\n    pass")
    assert to_text(gast.Module(body=no_empty_blocks(alone.body), type_ignores=[])).split() == ["if", "a:", "pass"]


test_annotate = CASES.check()
