"""Facts that are not finished decide nothing: what changes after a call whose `*` or `**` is not known yet, in a loop or not."""
import linecache
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tests.kinds.outcomes import outcome

# What the call is, with what it needs.
CALLS = {
    "options by default": ("func(x, **options)", "def search(func, x, options={}):", "search(square, x)"),
    "options from a dict": ("func(x, **options)", "def search(func, x, options):", "search(scaled, x, dict(by=1.5))"),
    "options handed on": ("func(x, **options)", "def search(func, x, **options):", "search(scaled, x, by=1.5)"),
    "arguments by default": ("func(x, *rest)", "def search(func, x, rest=()):", "search(scaled, x)"),
    "arguments handed on": ("func(x, *rest)", "def search(func, x, *rest):", "search(scaled, x, 1.5)"),
    "a list of arguments": ("func(x, *rest)", "def search(func, x, rest):", "search(scaled, x, [1.5])"),
}

# What is known of a name before the loop, and is not true behind it.
FLAGS = {
    "flag": """
    found = False
    for _ in range(3):
        p = CALL
        if p > 1.0:
            found = True
    return p * 2.0 if found else p * 3.0
""",
    "counter": """
    count = 0
    for _ in range(3):
        p = CALL
        count = count + 1
    return p * 2.0 if count == 0 else p * 3.0
""",
    "none": """
    best = None
    for _ in range(3):
        p = CALL
        if best is None:
            best = p
        else:
            best = best * 1.5 + p
    return best
""",
    "exit": """
    for k in range(5):
        p = CALL
        x = x * 1.1
        if p > 12.0:
            return p * 2.0
    return x
""",
    "break": """
    done = False
    k = 0
    while not done:
        p = CALL
        x = x * 1.3
        k += 1
        done = p > 14.0
    return p if k == 1 else p * 0.5 + k
""",
    "continue": """
    skip = True
    total = 0.0
    for k in range(4):
        p = CALL
        if skip:
            skip = False
            continue
        total = total + p * k
    return total
""",
    "empty list": """
    kept = []
    for _ in range(3):
        for q in kept:
            x = x + 0.1 * q
        p = CALL
        kept.append(p)
    return x
""",
    "length of a list": """
    kept = []
    for _ in range(3):
        p = CALL
        kept.append(p)
    return sum(kept) if kept else 3.0 * p
""",
    "mode": """
    mode = "first"
    for _ in range(3):
        p = CALL
        x = x + 0.2 * p if mode == "first" else x - 0.1 * p
        mode = "later"
    return x if mode == "later" else 7.0 * x
""",
    "attribute": """
    state = State()
    for _ in range(3):
        p = CALL
        if state.last is not None:
            x = x + 0.01 * state.last * p
        state.last = p
        state.ready = True
    return x * 2.0 if state.ready else x * 3.0
""",
    "another name": """
    found = False
    seen = found
    for _ in range(3):
        p = CALL
        seen = found
        found = True
    return p * 2.0 if seen else p * 3.0
""",
    "entry of a dict": """
    known = {"ready": False}
    for _ in range(3):
        p = CALL
        if known["ready"]:
            x = x * 1.1 + p * 0.1
        known["ready"] = True
    return x
""",
    "behind the call": """
    found = False
    p = CALL
    if p > 1.0:
        found = True
    return p * 2.0 if found else p * 3.0
""",
}
TEXT = """
class State:
    def __init__(self):
        self.last = None
        self.ready = False

def square(x):
    return x * x

def scaled(x, by=1.25):
    return by * x * x

{header}{body}
def f(x):
    return {call}
"""


def programs() -> Iterator[tuple[str, str]]:
    for way, (call, header, start) in CALLS.items():
        for flag, body in FLAGS.items():
            yield f"{flag}, {way}", TEXT.format(header=header, body=body.replace("CALL", call), call=start)


PROGRAMS = dict(programs())


def function(name: str) -> Callable:
    file, text = f"<unfinished: {name}>", PROGRAMS[name]
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    namespace: dict = {"__name__": "unfinished"}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_changes_behind_the_call(name: str) -> None:
    """Values at which the flags are set, and at which they are not."""
    f = function(name)
    for x in (3.0, 0.4):
        assert outcome(f, x) == "right"


def test_root() -> None:
    """A search that is left early, of a lambda that captures the input."""
    def root(func, x, options={}):
        for _ in range(30):
            step = func(x, **options)
            x = x - step
            if abs(step) < 1e-12:
                return x
        raise ValueError("no root")

    def g(a):
        return root(lambda x: (x * x - a) / (2.0 * x), 1.5)

    assert outcome(g, 2.0, want=0.5 / np.sqrt(2.0)) == "right"
