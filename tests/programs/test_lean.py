"""What the emitted text must not have: guards, copies, tapes and helpers that nothing needs."""
import tracemalloc

import numpy as np
import pytest

import sourcegrad as sg
from tests.programs.corpus import BY_NAME


def text(name: str) -> str:
    program = BY_NAME[name]
    gradient = sg.grad(program.function, inputs=program.inputs)
    gradient(*program.fresh())
    return gradient.source


@pytest.mark.parametrize(("name", "absent"), [
    ("softened_pull", "guard"), ("bounded_roots", "guard_steep"), ("few_reads", "_old"), ("few_parts_read", "_old"),
    ("few_reads_in_a_branch", "_old"), ("shapes_only", "response_tape"),
    ("multiples", "0.5 * (c"), ("determinants", "linalg.inv(a_")])
def test_absent(name: str, absent: str) -> None:
    assert absent not in text(name).split("def ", 1)[1]


@pytest.mark.parametrize(("name", "present"), [
    ("few_reads", "_tape.append(ghost[it % n])"), ("few_reads_and_all", "_old"),
    ("few_parts_read", "tape.append((np.copy(part)"), ("polynomial_by_numbers", "r, cond = tape.pop()")])
def test_present(name: str, present: str) -> None:
    assert present in text(name)


def test_roots_without_bounds_are_guarded_in_the_twin() -> None:
    program = BY_NAME["unbounded_roots"]
    gradient = sg.grad(program.function).guarded
    gradient(*program.fresh())
    assert "guard" in gradient.source


def test_calls_of_other_kinds_go_the_general_way() -> None:
    """The entry made for one kind of arguments, for others."""
    def f(x, y=2.0, *more):
        return np.sum(x * x) * y + sum(more)

    gradient = sg.grad(f)
    for _ in range(4):
        assert gradient(3.0, 2.0) == 12.0
    assert gradient.__call__.__name__ == "entry"
    np.testing.assert_array_equal(gradient(np.ones(2), 2.0), [4.0, 4.0])
    assert gradient(3.0) == gradient(x=3.0) == gradient(3.0, y=2.0) == gradient(3.0, 2.0, 5.0) == 12.0
    assert gradient(3.0, 2.0, grad_outputs=2.0) == 24.0
    with pytest.raises(sg.errors.SourcegradError, match="missing"):
        gradient()
    with pytest.raises(sg.errors.SourcegradError, match="unexpected"):
        gradient(3.0, z=1.0)


FACTOR = 2.0


def test_entries_notice_changes() -> None:
    global FACTOR
    gradient = sg.grad(lambda x: FACTOR * np.sum(x))
    for value in (2.0, 3.0, np.float64(4.0), 5):
        FACTOR = value
        for _ in range(4):
            np.testing.assert_array_equal(gradient(np.ones(2)), [value, value])
    for x in (np.ones((2, 3)), np.ones((3, 2)).T, np.ones(2, np.float32), np.ones(0)):
        assert gradient(x).shape == x.shape and gradient(x).dtype == x.dtype


def test_entries_and_lists() -> None:
    gradient = sg.grad(lambda a, xs: sum(a * x * x for x in xs))
    for xs in ([1.0, 2.0], [1.0, 2.0, 3.0], [1, 2.0], [], [2]):
        for _ in range(4):
            assert gradient(2.0, xs) == sum(x * x for x in xs)


class Recorder:
    def __init__(self, x):
        self.x = x
        self.history = []

    def step(self, rate):
        self.x = self.x + rate * np.sin(self.x)
        self.history.append(self.x)


def recorded(x, rate, steps):
    """A method that is called, and its body written out."""
    one, other = Recorder(x), Recorder(2.0 * x)
    for _ in range(steps):
        one.step(rate)
        other.x = other.x * np.cos(rate * other.x)
        other.history.append(other.x)
    return np.sum(np.array(one.history) ** 2) + np.sum(np.array(other.history))


@pytest.mark.parametrize("x", [0.3, np.array([0.3, -0.4])], ids=["numbers", "arrays"])
def test_a_list_in_an_object_is_not_kept_at_every_length(x) -> None:
    gradient = sg.grad(recorded, inputs=("x", "rate"))
    peaks = []
    for steps in (4, 1000, 500, 4000):       # the first two generate the code, and warm Python's caches
        tracemalloc.start()
        found = gradient(x, 0.1, steps)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # eight times the steps: eight times the memory where it is linear, sixty-four where it is square
    assert peaks[3] < 20 * peaks[2], "memory grows with the square of the number of steps"
    h = 1e-6
    along = np.ones_like(x)
    x_slope = (recorded(x + h * along, 0.1, steps) - recorded(x - h * along, 0.1, steps)) / (2 * h)
    slope = (recorded(x, 0.1 + h, steps) - recorded(x, 0.1 - h, steps)) / (2 * h)
    np.testing.assert_allclose([np.sum(found[0]), found[1]], [x_slope, slope], rtol=1e-5)
