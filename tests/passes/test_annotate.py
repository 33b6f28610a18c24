"""annotate: above each block of the reverse sweep stands the line of the user's that it belongs to."""
import numpy as np

import sourcegrad as sg
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


test_annotate = CASES.check()
