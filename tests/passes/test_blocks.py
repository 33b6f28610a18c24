"""blocks: a flag that does nothing but end its loop is `break` in the text that is run."""
import numpy as np
import pytest

import sourcegrad as sg
from tests.passes.becomes import Within
from tests.shared import text_for

CASES = Within("blocks")


@CASES.becomes("""
    trips = 0
    cond_tape = []
    for _ in range(6):
        trips += 1
        cond = x > 3.0
        cond_tape.append(cond)
        if cond:
            break
        x *= 2.0
    # --- reverse sweep
    # test_blocks.py  return x
    x_bar = 1.0
    # test_blocks.py  for _ in range(6):
    for _ in reversed(range(trips)):
        # test_blocks.py  if x > 3.0:
        if not cond_tape.pop():
            # test_blocks.py  x = x * 2.0
            x_bar *= 2.0
    return x_bar
""", x=0.5)
def ended_by_a_flag(x):
    for _ in range(6):
        if x > 3.0:
            break
        x = x * 2.0
    return x


@CASES.becomes("""
    try:
        given, attempt_saved = a_handler_try_forward(n, x)
        path_3, error_3 = 0, None
    except ZeroDivisionError as caught:
        path_3, error_3, given, attempt_saved = 1, caught, None, None
    succeeded = path_3 == 0
    # --- reverse sweep
    # test_blocks.py  try:
    if succeeded:
        # test_blocks.py  y = x * (1 / n)
        given_bar = 1.0
        # test_blocks.py  try:
        x_bar = 0.0
    else:
        # test_blocks.py  y = x
        x_bar = 1.0
        # test_blocks.py  try:
        given_bar = 0.0
    # test_blocks.py  y = x * (1 / n)
    x_part = a_handler_try_reverse(attempt_saved, given_bar) if path_3 == 0 else 0.0
    return x_bar + x_part
""", x=0.5, n=0)
def a_handler(x, n):
    try:
        y = x * (1 / n)
    except ZeroDivisionError:
        y = x
    return y


@CASES.stays(x=0.5, n=3)
def a_loop_that_runs_to_its_end(x, n):
    for _ in range(n):
        x = x * 2.0
    return x


test_text_of_blocks = CASES.check()


def at_the_end(x):
    total = 0.0
    for k in range(6):
        total = total + np.sum(x) ** (k + 1)
        if total > 3.0:
            break
    return total


def with_a_rest(x):
    y = np.sum(x)
    for _ in range(6):
        if y < 0.0:
            break
        y = y * y - 0.5
    return y


def in_a_chain(x):
    y = np.sum(x)
    while True:
        if y > 2.0:
            y = y * 3.0
            break
        elif y < 0.1:
            y = y * y
            break
        y = y * 0.7
    return y


def in_the_inner_loop(x):
    y = 0.0
    for k in range(3):
        for j in range(4):
            y = y + x[j] * (k + 1)
            if y > 3.05:
                break
        y = y * x[k]
    return y


def in_both_loops(x):
    y = 0.0
    for k in range(4):
        for j in range(3):
            y = y + x[k] ** (j + 1)
            if y > 3.05:
                break
        if y > 1.5:
            y = y * y
            break
    return y


def deep(x):
    y = np.sum(x)
    for k in range(5):
        if k > 1:
            if y > 1.0:
                break
            y = y + 0.3
        y = y * y
    return y


def no_turn(x):
    y = np.sum(x ** 2)
    for _ in range(0):
        if y > 1.0:
            break
        y = y * y
    return y


def told_afterwards(x):
    y = np.sum(x)
    for _ in range(4):
        if y > 3.0:
            break
        y = y * 1.5
    else:
        y = y * y
    return y


def its_own_flag(x):
    y = np.sum(x)
    found = False
    for k in range(4):
        y = y * x[k] + 1.0
        if y > 1.6:
            found = True
        if found:
            break
    return y * y if found else y


def returns(x):
    y = np.sum(x)
    for k in range(4):
        y = y * x[k] + 1.0
        if y > 1.6:
            return y * y
    return y


BREAKS = [at_the_end, with_a_rest, in_a_chain, in_the_inner_loop, in_both_loops, no_turn]
FLAGS = {told_afterwards: "broke", its_own_flag: "found", deep: "broke"}
INPUTS = [np.array(v) for v in ([0.3, 0.2, 0.5, 0.1], [1.1, 0.7, 0.9, 0.4], [2.0, 1.5, 0.3, 0.2], [-0.3, -0.2, 0.1, 0.05],
                                [0.01, 0.02, 0.01, 0.03], [-1.0, -2.0, -0.4, 1.3])]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("f", [*BREAKS, *FLAGS, returns], ids=lambda f: f.__name__)
def test_gradient(f, order):
    for x in INPUTS:
        sg.check_grad(f, x, order=order)


@pytest.mark.parametrize("f", BREAKS, ids=lambda f: f.__name__)
def test_break(f):
    text = text_for(sg.grad(f), INPUTS[0])
    assert "broke" not in text
    assert "break" in text


def test_the_rest_needs_no_else():
    lines = [line.strip() for line in text_for(sg.grad(with_a_rest), INPUTS[0]).splitlines()]
    after = lines[lines.index("if cond:") + 1:]
    assert after[0] == "break"
    assert "else:" not in after[:3]


@pytest.mark.parametrize("f", FLAGS, ids=lambda f: f.__name__)
def test_a_flag_that_is_needed_stays(f):
    assert f"if {FLAGS[f]}:" in text_for(sg.grad(f), INPUTS[0])


def halved(x, depth):
    if depth == 0:
        return np.sum(np.sin(x))
    rate = np.sum(x) * 0.5
    for _ in range(2):
        x = x * np.exp(-rate * x)
        rate = np.cos(rate)
    return halved(x, depth - 1) * rate


def test_what_is_taken_stands_above_the_comment_of_what_is_computed():
    """Of a callee, and of a loop in it; the line of `if`, of which the names are, has its comment at the branch alone."""
    lines = [line.strip() for line in text_for(sg.grad(halved), INPUTS[0], 2).splitlines()]
    reverse = lines[next(j for j, line in enumerate(lines) if line.startswith("def halved_reverse")):]
    taken = next(j for j, line in enumerate(reverse) if line.endswith("= saved"))
    assert not any(line.startswith("#") for line in reverse[:taken])
    assert reverse[taken + 1].endswith("  if depth == 0:") and reverse[taken + 2].startswith("if ")
    loop = next(j for j, line in enumerate(reverse) if line.startswith("for "))
    comment = next(j for j, line in enumerate(reverse) if j > loop and line.startswith("#"))
    assert comment > loop + 1 and all(line.endswith(".pop()") for line in reverse[loop + 1:comment])
