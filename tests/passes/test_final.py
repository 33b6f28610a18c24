"""The last touches on the text that runs, shown on small programs."""
import re

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


def orthogonalised(A):
    for k in range(A.shape[1]):
        A[:, k] /= np.sqrt(np.dot(A[:, k], A[:, k]))
        for j in range(k + 1, A.shape[1]):
            A[:, j] -= A[:, k] * np.dot(A[:, k], A[:, j])
    return np.sum(A ** 3)


def rows_after(A, first, n):
    total = 0.0
    for k in range(first, n):
        for j in range(n):
            total += np.dot(A[k, :] * A[j, :], A[k, :])
    return total


def shifted_index(A, n):
    k = 0
    total = 0.0
    for j in range(n):
        total += np.dot(A[:, k], A[:, k] * A[:, j])
        k = k + 1
        total += np.dot(A[:, k] ** 2, A[:, k])
    return total


def left_early(A, n):
    total = 0.0
    for k in range(n):
        for j in range(n - 5):
            total += np.dot(A[:, k] * A[:, j], A[:, k])
        if k > 1:
            break
        total += np.sum(A[:, k] ** 2)
    return total


MATRIX = np.array([[0.6, 1.2, 0.3], [0.8, -0.4, 0.7], [0.2, 0.9, -0.5], [0.1, 0.3, 1.5]])


def test_a_column_that_a_loop_takes_again_and_again_is_taken_before_it():
    found = text(orthogonalised, MATRIX)
    before, loop = found.split("# --- reverse sweep")[1].split("for j in reversed(")
    assert "A_bar_k = A_bar[:, k]" in before and "A_bar[:, k]" not in loop.split("ratio")[0]


def test_an_index_that_may_be_out_of_range_is_used_only_where_it_was():
    result = sg.grad(rows_after)
    result(MATRIX, 0, 3)                                    # k of the last row is not looked at if n == 0
    assert "= A[k, :]" not in str(result.source).split("# --- reverse sweep")[1].split("for j in")[0]
    assert result(MATRIX, 3, 3)[0].tolist() == [0.0, 0.0, 0.0]
    text(left_early, MATRIX, 7)                             # A[:, k] is out of range from k = 3 on
    text(left_early, MATRIX[:, :2], 2)


def test_views_are_taken_again_when_their_index_changes():
    text(shifted_index, MATRIX, 2)


def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def shrinking(x, n):
    total = np.sum(np.sin(x[1:]) * x[:-1] ** 2)
    for _ in range(n):
        total = total + np.sum(np.cos(x[1:]) * x[:-1] ** 3)
        x = 0.9 * x[1:]
        total = total + np.sum(x[:-1] ** 2 * np.exp(x[1:]))
    while np.sum(x[1:] ** 2) > 0.05:
        x = 0.6 * x
    return total + np.sum(x[1:] ** 3 * x[:-1])


def test_a_part_that_has_a_name_is_not_taken_again():
    found = [line for line in text(valley, np.array([0.3, 0.4, 0.9])).splitlines() if "#" not in line and "x_bar" not in line]
    assert sum(line.count("x[:-1]") for line in found) == 1, found


def test_a_part_is_taken_again_where_its_array_is_another_one():
    found = text(shrinking, np.array([0.3, 0.4, 0.9, 0.2, 0.7, 0.5]), 2)
    assert found.count("x[:-1]") > 2


def recorded(x, n):
    total = np.zeros(1)

    def record(row):
        total[0] += row.sum()

    y = x
    for _ in range(n):
        y = np.sin(y) + 0.1 * y * y
        record(y)
    return total[0] ** 2


def test_a_name_is_not_given_to_itself():
    found = text(recorded, np.array([0.3, 0.4]), 3)
    assert "total[0] += y.sum()" in found
    assert re.search(r"^ *(\w+) = \1$", found, re.MULTILINE) is None
