"""`with` blocks: NumPy settings, locks, files and timers, suppressed exceptions, generator contexts."""
import contextlib
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager, suppress

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, 0.8, 1.1])
LOCK = threading.Lock()


def error_state(v):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(v)
        z = y * y / v
    return np.sum(z * y)


case(error_state, VECTOR)


def exits_inside(x):
    for k in range(5):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if k == 3:
                return x
            if k == 1:
                continue
            x = x * x
    return 3 * x


case(exits_inside, 0.7)


class Timer:
    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, *problem):
        self.seconds = time.perf_counter() - self.start


def lock_and_timer(x):
    with LOCK:
        y = x * x
    with Timer() as timer:
        y = y * x
    assert timer.seconds >= 0.0 and not LOCK.locked()
    return y


case(lock_and_timer, 0.7)


def file(x):
    with tempfile.TemporaryFile("w+") as lines:
        lines.write("text")
        y = x * x
    return y * x


case(file, 0.7)

TIMES = []


@contextmanager
def timed(name):
    start = time.perf_counter()
    try:
        yield start
    finally:
        TIMES.append((name, time.perf_counter() - start))


@contextmanager
def scaled(x, by=2.0):
    s = x * by
    yield s * x
    assert s == x * by


def generator_contexts(x):
    with timed("square"):
        y = x * x
    with scaled(x) as once, scaled(once, by=x) as twice:
        y = y * once + twice
    return y


case(generator_contexts, 0.7)


def suppressed(x):
    y = x
    with suppress(ZeroDivisionError, KeyError):
        y = x * 2
        y = x * (1 / 0)
    with contextlib.suppress(KeyError):
        return y * x
    return 5


case(suppressed, 0.7)


def no_context(x):
    with contextlib.nullcontext(x * x) as y, contextlib.nullcontext():
        return y * x


case(no_context, 0.7)


# --- managers of a class of the user's that change something

class Gain:
    def __init__(self):
        self.value = 1.0
        self.depth = 0

    def __enter__(self):
        self.value = 3.0
        self.depth += 1
        return self

    def __exit__(self, *problem):
        self.value = 1.0
        self.depth -= 1


class Boosted:
    """Another object is changed."""

    def __init__(self, gain, by):
        self.gain, self.by = gain, by

    def __enter__(self):
        self.gain.value = self.gain.value * self.by
        return self.gain.value

    def __exit__(self, kind, problem, where):
        self.gain.value = self.gain.value / self.by
        return False


def gain_inside_only(x):
    gain = Gain()
    with gain:
        y = x * x * gain.value
    return y * gain.value + gain.depth * x


def gain_of_another(x, n):
    gain = Gain()
    y = x
    for k in range(n):
        with Boosted(gain, 1.0 + k) as now:
            y = y * x * gain.value
            if k == 2:
                continue
            with gain as same:
                y = y + same.value * now
        y = y * gain.value
    return y * gain.value


def gain_of_an_input(x):
    gain = Gain()
    with Boosted(gain, x):
        y = x * gain.value
    return y * (gain.value + x)


case(gain_inside_only, 0.7, oracle=False)
case(gain_of_another, 0.7, 4, inputs="x", oracle=False)
case(gain_of_another, 0.7, 0, inputs="x", oracle=False)
case(gain_of_an_input, 0.7, oracle=False)


class Ignoring:
    def __enter__(self):
        pass

    def __exit__(self, kind, *rest):
        return kind is not None


def exception_ended_by_a_manager(x):
    y = x
    with Ignoring():
        y = x ** 2
        if x > 0.5:
            raise ValueError
        y = x ** 3
    return y


case(exception_ended_by_a_manager, 0.7, oracle=False, may_refuse=True)
