"""shape_tapes: a tape of arrays that are only asked for their shape is a tape of shapes."""
import numpy as np

from sourcegrad.runtime import broadcast_like
from tests.passes.becomes import Alone, emitted

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("shape_tapes")


@CASES.becomes("""
    y_shape_tape = []
    y = 2.0 * x
    for _ in range(n):
        y_shape_tape.append(y.shape)
        y = y[1:] * 2.0
    # --- reverse sweep
    total = 0.0
    for _ in reversed(range(n)):
        y_shape = y_shape_tape.pop()
        total = total + np.sum(np.broadcast_to(1.0, y_shape)) + np.zeros(y_shape).size
    return total
""", x=X, n=2, others=({"n": 0},))
def rows_that_get_shorter(x, n):
    y_tape = []
    y = 2.0 * x
    for _ in range(n):
        y_tape.append(y)
        y = y[1:] * 2.0
    "# --- reverse sweep"
    total = 0.0
    for _ in reversed(range(n)):
        y = y_tape.pop()
        total = total + np.sum(broadcast_like(1.0, y)) + np.zeros(y.shape).size
    return total


@CASES.stays(x=X, n=2, others=({"n": 0},))
def their_values_are_read(x, n):
    y_tape = []
    y = 2.0 * x
    for _ in range(n):
        y_tape.append(y)
        y = y[1:] * 2.0
    "# --- reverse sweep"
    total = 0.0
    for _ in reversed(range(n)):
        y = y_tape.pop()
        total = total + np.sum(broadcast_like(1.0, y)) + np.sum(y)
    return total


@CASES.stays(x=X, n=2, others=({"n": 0},))
def what_is_taken_back_is_returned(x, n):
    y_tape = []
    y = 2.0 * x
    for _ in range(n):
        y_tape.append(y)
        y = y[1:] * 2.0
    "# --- reverse sweep"
    total = 0.0
    for _ in reversed(range(n)):
        y = y_tape.pop()
        total = total + np.sum(broadcast_like(1.0, y))
    return total, y


@CASES.stays(x=X.astype(np.float32), n=2)
def single_precision_is_part_of_what_is_asked(x, n):
    y_tape = []
    y = x * x
    for _ in range(n):
        y_tape.append(y)
        y = y[1:] * y[:-1]
    "# --- reverse sweep"
    total = 0.0
    for _ in reversed(range(n)):
        y = y_tape.pop()
        total = total + np.sum(broadcast_like(1.0, y))
    return total


class Rows:
    def __init__(self):
        self.items = []

    def extend(self, items):
        for item in items:
            self.items = [*self.items, item]


def halves_of_a_callee(x):
    rows = Rows()
    rows.extend(x * 2.0)
    return rows.items[0] * rows.items[1] ** 2


def test_what_one_half_saves_for_the_other() -> None:
    """Lists that are only there for the zeros of their adjoints are saved as lengths."""
    text = emitted(halves_of_a_callee, X)
    saved = text[text.index("def extend_forward"):text.index("def extend_reverse")]
    assert "len(" in saved and "range(" in text[text.index("def extend_reverse"):], text


test_shape_tapes = CASES.check()
