"""Queues in loops: what a deque does at both ends takes as long as for the function itself, whatever the queue holds."""
import math
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sourcegrad as sg
from tests.errors.modules import load

STARTS = {"empty": ("q = deque()", "q.append({item})"), "one": ("q = deque([{item}])", "pass"),
          "list": ("q = [{item}]", "pass"), "many": ("q = deque([{item} for i in range(5)])", "pass")}
ITEMS = {"number": ("x", "v", "v * 0.9"), "pair": ("(0, x)", "v[1]", "(v[0] + 1, v[1] * 0.9)"),
         "two": ("(x, x * 0.5)", "v[0] * v[1]", "(v[1], v[0] * 0.8)")}
LOOPS = {"while": "while q:", "length": "while len(q) > 0:", "counted": "while q and k < 40:"}
TEXT = '''from collections import deque
def f(x, n):
    {start}
    {first}
    s, k = 0.0, 0
    {loop}
        v = q.{take}
        s = s + {read} ** 2
        k = k + 1
        if k < n:
            q.append({again})
            if k % 3 == 0:
                q.append({again})
        if k > 3 * n:
            break
    return s
'''


def program(folder: Path, start: str, item: str, loop: str) -> Callable:
    first, read, again = ITEMS[item]
    made, then = (text.format(item=first) for text in STARTS[start])
    take = "pop(0)" if start == "list" else "popleft()"
    return load(folder, TEXT.format(start=made, first=then, loop=LOOPS[loop], take=take, read=read, again=again)).f


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("start", STARTS)
def test_a_queue_is_a_deque(tmp_path: Path, start: str, item: str, loop: str) -> None:
    f = program(tmp_path, start, item, loop)
    gradient = sg.grad(f)
    for n in (1, 7, 30):
        assert gradient(0.73, n) == pytest.approx((f(0.73 + 1e-6, n) - f(0.73 - 1e-6, n)) / 2e-6, rel=1e-6)
    text = "\n".join(line for line in gradient.source.splitlines() if not line.lstrip().startswith("#"))
    if start != "many":
        assert "popleft()" in text and "appendleft(" in text and "pop(0)" not in text and "insert(0" not in text, text
    assert "list_delete" not in text and "q_tape.append(q)" not in text, text          # no copy of the queue for each item


OTHERS = '''from collections import deque
def middle(x, n):
    q = deque([x, x * 2.0, x * 3.0])
    s = 0.0
    for k in range(n):
        s = s + q[1] * q.popleft()
        q.append(s * 0.1)
    return s
def walked(x, n):
    q = deque([x, x * 2.0, x * 3.0])
    s = 0.0
    for k in range(n):
        q.popleft()
        q.append(x * k)
        for v in q:
            s = s + v * v
    return s
def sliced(x, n):
    q = [x, x * 2.0, x * 3.0]
    s = 0.0
    for k in range(n):
        s = s + q.pop(0) + sum(q[1:])
        q.append(x * k)
    return s
def aliased(x, n):
    q = deque([x, x * 2.0, x * 3.0])
    r = q
    s = 0.0
    for k in range(n):
        s = s + q.popleft() * r[0]
        r.append(x * k)
    return s
def returned(x, n):
    q = deque([x])
    for k in range(n):
        q.append(q.popleft() * 0.9 + x)
    return sum(q)
def handed(x, n):
    q = deque([x])
    for k in range(n):
        turned(q, x)
    return sum(q)
def turned(q, x):
    q.append(q.popleft() * 0.9 + x)
    q.append(x)
class Line:
    def __init__(self, x):
        self.q = deque([x])
        self.s = 0.0
    def step(self, x):
        v = self.q.popleft()
        self.s = self.s + v * v
        self.q.append(v * 0.5 + x)
def held(x, n):
    line = Line(x)
    for k in range(n):
        line.step(x)
    return line.s + sum(line.q)
def left(x, n):
    q = deque()
    for k in range(n):
        q.appendleft(x * k)
    s = 0.0
    while q:
        s = s * 0.9 + q.pop()
    return s
def both_ends(x, n):
    q = deque([x])
    s = 0.0
    for k in range(n):
        q.appendleft(x * k)
        q.append(x)
        s = s + q[0] * q[-1] * q.pop()
    return s + len(q)
def two(x, n):
    q, r = deque([x]), deque([2.0 * x])
    s = 0.0
    for k in range(n):
        v, w = q.popleft(), r.popleft()
        s = s + v * w
        q.append(w * 0.5)
        r.append(v + x)
    return s
def stored(x, n):
    q = deque([x, x])
    for k in range(n):
        q.append(q.popleft())
        q[0] = q[0] * 1.1
        q[-1] += x
    return q[0] * q[1]
def renewed(x, n):
    s = 0.0
    for k in range(n):
        q = deque([x, x * k])
        while q:
            s = s + q.popleft() ** 2
    return s
def compared(x, n):
    q = deque([x])
    s = 0.0
    for k in range(n):
        s = s + q.popleft()
        q.append(x)
        if q == deque([x]):
            s = s * 1.1
    return s
def empties(x, n):
    q = deque([x])
    s = 0.0
    for k in range(n):
        if q:
            s = s + q.popleft()
        else:
            q.append(s * x)
    return s
'''
NAMES = [line[4:line.index("(")] for line in OTHERS.splitlines() if line.startswith("def ") and "(x, n)" in line]


@pytest.mark.parametrize("name", NAMES)
def test_other_uses_of_a_queue(tmp_path: Path, name: str) -> None:
    f = getattr(load(tmp_path, OTHERS), name)
    gradient = sg.grad(f)
    for n in (0, 1, 6):
        assert gradient(0.73, n) == pytest.approx((f(0.73 + 1e-6, n) - f(0.73 - 1e-6, n)) / 2e-6, rel=1e-6, abs=1e-9)
    second = sg.grad(lambda x, n: gradient(x, n))(0.73, 4)
    step = 1e-5
    assert second == pytest.approx((gradient(0.73 + step, 4) - gradient(0.73 - step, 4)) / 2 / step, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", ["left", "both_ends", "renewed", "returned"])
def test_what_a_queue_costs(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No helper that copies the queue runs once an item."""
    from sourcegrad.runtime import containers

    calls = [0]
    for helper in ("list_delete", "list_restore", "list_insert"):
        old = getattr(containers, helper)

        def counted(*args: Any, old: Callable = old) -> Any:
            calls[0] += 1
            return old(*args)

        monkeypatch.setattr(containers, helper, counted)
    f = getattr(load(tmp_path, OTHERS), name)
    assert math.isfinite(sg.grad(f)(0.73, 60))
    assert calls[0] < 5


def test_a_deque_of_the_user_stays_as_it_was() -> None:
    given = deque([1.0, 2.0])

    def f(x: float, q: deque) -> float:
        s = 0.0
        while q:
            s = s + q.popleft() * x
        return s

    try:
        assert sg.grad(f)(0.5, given) == 3.0
    except sg.errors.SourcegradError:
        pass
    assert given == deque([1.0, 2.0])
