"""The last touches on the text that runs, shown on small programs."""
import numpy as np

import sourcegrad as sg


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


def scaled(point, factor):
    return Point(point.x * factor, point.y * factor)


def along(points, factor):
    ends = [scaled(p, factor) for p in points]
    total = 0.0
    for k in range(len(ends)):
        total = total + np.sin(ends[k].x) * ends[k].y
    return total


def chosen(x, scale=None):
    factor = 2.0 if scale is None or scale["a"] > 1 else scale["a"]
    values = {k: x[k] * factor for k in range(len(x))}
    return sum(values[k] ** 2 for k in values)


def pendulum(state, n):
    for _ in range(n):
        state = step(state, 0.1)
    return state[0] * state[1]


def step(state, dt):
    angle, speed = state
    for _ in range(2):
        speed = speed - dt * np.sin(angle)
        angle = angle + dt * speed
    return angle, speed


def text(function, *args, inputs=None):
    result = sg.grad(function) if inputs is None else sg.grad(function, inputs=inputs)
    sg.check_grad(function, *args, inputs=inputs)
    result(*args)
    return str(result.source)


def test_a_value_that_is_read_once_by_the_next_statement_is_written_there():
    found = text(pendulum, (0.3, 0.4), 2)
    assert "state_bar = step_reverse(step_saved_tape.pop(), state_bar)" in found
    assert "return (angle, speed), (angle_tape, dt)" in found


def test_a_tuple_is_taken_apart_at_once():
    assert "angle_bar, speed_bar = value_bar" in text(pendulum, (0.3, 0.4), 2)


def test_the_comments_of_folded_lines_stay():
    found = text(along, [Point(0.3, 0.4), Point(0.1, 0.9)], 1.3, inputs="factor")
    for line in ("total = total + np.sin(ends[k].x) * ends[k].y", "ends = [scaled(p, factor) for p in points]",
                 "return Point(point.x * factor, point.y * factor)"):
        assert any(x.strip().startswith("#") and x.endswith(line) for x in found.splitlines()), line


def test_choices_and_comprehensions_are_written_as_such():
    found = text(chosen, np.array([0.3, 0.4]), {"a": 0.5}, inputs="x")
    assert "factor_2 = 2.0 if scale is None or scale['a'] > 1 else scale['a']" in found
    assert "for k_2 in range(len(x))}" in found


def test_a_range_of_what_the_reverse_sweep_reads_needs_no_name():
    found = text(chosen, np.array([0.3, 0.4]), {"a": 0.5}, inputs="x")
    assert "for k_2 in reversed(range(len(x))):" in found and "range_" not in found


def grown(x):
    rows = [x, 2.0 * x]
    total = 0.0
    for k in range(len(rows)):
        total = total + np.sum(rows[k] ** 2)
    rows.append(total * x)
    return np.sum(rows[-1])


def test_a_list_that_grows_later_keeps_the_range_of_its_loop():
    text(grown, np.array([0.3, 0.4]))                      # the derivative is what matters


def swept(state, x):
    values = []
    for k in range(3):
        values.append(x * k)
        x = x + values[-1]
    k = 7
    return state * sum(values) * k


def test_a_list_that_is_read_while_it_is_filled_is_no_comprehension():
    found = text(swept, 0.5, 0.3)
    assert " for k in range(3)]" not in found
