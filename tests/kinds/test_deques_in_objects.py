"""Deques and heaps that objects hold are told apart by their identity: an item keeps its number, or moves along a path."""
from __future__ import annotations

import heapq
from collections import deque
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime import NumberedDeque, move_adjoints, move_along
from tests.kinds.places import by_differences, check_gradient, check_second, programs_of
from tests.programs.deque_generator import DequeWriter
from tests.programs.place_generator import REFUSED, WRONG, verdict

X = np.array([0.4, 0.9, -0.3, 0.7])


class Line:
    def __init__(self, items, size=None):
        self.items = deque(items, size)
        self.total = 0.0

    def turn(self, v):
        out = self.items.popleft()
        self.items.append(out * 0.5 + v)
        self.total = self.total + out
        return out

    def energy(self):
        total, w = 0.0, 1.0
        for v in self.items:
            total += w * v * v
            w *= 0.7
        return total


class Window:
    def __init__(self, size):
        self.past = deque(maxlen=size)

    def add(self, v):
        self.past.append(v)
        return sum(self.past) / len(self.past)


class Events:
    def __init__(self):
        self.heap = []
        self.count = 0

    def at(self, when, what):
        heapq.heappush(self.heap, (when, self.count, what))
        self.count += 1

    def next(self):
        when, _, what = heapq.heappop(self.heap)
        return when, what


def echo(x):
    line = Line([x[0], x[1], 0.0])
    return sum(line.turn(v) for v in x) + line.energy()


def moving_mean(x):
    window = Window(2)
    return sum(window.add(v * v) * (k + 1) for k, v in enumerate(x))


def window_of_nothing(x):
    kept = Line(x, 0)
    kept.items.append(x[0])
    kept.items.appendleft(x[1])
    return x[2] * len(kept.items) + x[3]


def both_ends(x):
    line = Line([])
    for k, v in enumerate(x):
        if k % 2:
            line.items.append(v * v)
        else:
            line.items.appendleft(v * x[0])
    return line.energy() + line.items.pop() * line.items.popleft()


def full_at_the_left(x):
    line = Line(x, 3)
    line.items.appendleft(x[1] * x[2])
    line.items.append(x[0] ** 2)
    line.items.appendleft(x[3])
    return line.energy()


def one_deque_of_two_objects(x):
    a, b = Line(x), Line([x[0]])
    b.items = a.items
    b.items.append(x[0] * x[1])
    a.items[0] = a.items[-1] * 2.0
    a.items[1] += x[3]
    return a.energy() + b.energy() * b.items[2]


def replaced(x):
    line = Line(x)
    old = line.items
    line.items = deque(old, 2)
    old.append(x[0])
    line.items.append(old[0] * x[1])
    return line.energy() + sum(old)


def emptied(x):
    line = Line(x)
    total = 0.0
    while line.items:
        total = total * 0.5 + line.items.popleft() ** 2
    line.items.append(total)
    line.items.clear()
    line.items.extend([total, x[0]])
    return line.energy() + len(line.items)


def turned(x):
    line = Line(x)
    for k in range(-3, 3):
        line.items.rotate(k)
        line.turn(x[0])
    line.items.rotate(1)
    first = line.items[0]
    line.items.rotate(-2)
    line.items.rotate(0)
    empty = Line([])
    empty.items.rotate(3)
    return first * line.energy() + line.items[3] + len(empty.items)


def put_before(x):
    line = Line(x[:2])
    line.items.extendleft([x[2], x[3] * x[0]])
    line.items += [x[1] ** 2]
    line.items.reverse()
    return line.energy()


def taken_out(x):
    line = Line([1.0, x[0], 2.0, x[1]])
    line.items.remove(2.0)
    return line.energy() + line.items.index(1.0) + line.items.count(1.0) + (2.0 in line.items)


def backwards(x):
    line = Line(x)
    total = x[0]
    for v in reversed(line.items):
        total = total * v + v
    return total + sum(v * w for v, w in zip(line.items, line.items))


def empty_is_noticed(x):
    line = Line([x[0]])
    total = 0.0
    for v in x:
        try:
            total = total + line.items.pop() * v
        except IndexError:
            total = total + v * v
    return total


def arrays_in_a_deque(x):
    line = Line([x, x * 2.0])
    line.items.append(line.items[0] * line.items[1])
    first = line.items.popleft()
    return np.sum(first * line.items[-1]) + sum(np.sum(a) for a in line.items)


class Job:
    def __init__(self, size):
        self.size = size
        self.started = None


def objects_in_a_deque(x):
    waiting = deque(Job(v) for v in x)
    done, now = [], 0.0
    while waiting:
        job = waiting.popleft()
        job.started = now
        now = now + job.size ** 2
        if job.size > 0.5 and len(waiting) < 3:
            waiting.append(Job(job.size * 0.4))
        done.append(job)
    return sum(job.started * job.size for job in done)


def grouped(x):
    lines = {"a": Line(x[:2]), "b": Line(x[2:])}
    for name in ("a", "b", "a"):
        lines[name].turn(x[1])
    return lines["a"].energy() * lines["b"].total + lines["a"].total


def events(x):
    queue = Events()
    for k, v in enumerate(x):
        queue.at(v + 1.0, k)
    total, weight = 0.0, 1.0
    while queue.heap:
        when, what = queue.next()
        total = total + weight * when ** 2
        weight = weight * 0.8
        if what < 2 and when < 3.0:
            queue.at(when * 1.7, what + 1)
    return total


def two_who_share_a_heap(x):
    a, b = Events(), Events()
    b.heap = a.heap
    for v in x:
        a.at(v * v, 1)
        b.at(v + 2.0, 2)
    first, _ = a.next()
    second, _ = b.next()
    return first * second + sum(when for when, _, _ in a.heap) + a.heap[0][0] * x[0]


def heap_of_numbers(x):
    heap = list(x)
    heapq.heapify(heap)
    lowest = heapq.heappushpop(heap, x[0] * 2.0)
    replaced = heapq.heapreplace(heap, x[1] ** 2)
    return lowest * replaced + heapq.heappop(heap) + sum(v * (k + 1) for k, v in enumerate(sorted(heap)))


def heap_that_gets_empty(x):
    queue = Events()
    queue.at(x[0], 0)
    queue.next()
    try:
        queue.next()
    except IndexError:
        queue.at(x[1] * x[0], 1)
    return queue.next()[0] ** 2


PROGRAMS = [pytest.param(f, id=f.__name__)
            for f in programs_of(globals())]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("places", ["only", ""])
def test_gradient(f: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    check_gradient(f, [X, X * 0.5 + 0.2, X])


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_second(f, X)


def changed_while_a_loop_goes_over_it(x):
    line = Line(x)
    for v in line.items:
        line.items.append(v * 0.5)
    return line.energy()


def test_a_deque_that_changes_while_a_loop_goes_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    with pytest.raises(UnsupportedError, match="while a loop goes over it") as caught:
        sg.grad(changed_while_a_loop_goes_over_it)(X)
    assert caught.value.origin is not None and caught.value.origin.file == __file__


def inserted(x):
    line = Line(x)
    line.items.insert(1, x[0])
    return line.energy()


def test_what_is_refused_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    with pytest.raises(UnsupportedError, match="of a deque that others may hold") as caught:
        sg.grad(inserted)(X)
    assert caught.value.origin is not None and caught.value.origin.line == inserted.__code__.co_firstlineno + 2


def test_the_text() -> None:
    text = sg.source(echo, at={"x": X})
    assert "= deque_items.popleft()" in text and "deque_items.append(" in text
    assert not any(name in text for name in ("places_of", "put_all", "(memory_", "deque_load", "list_append"))
    text = sg.source(events, at={"x": X})
    assert "rising(" in text and "leaving(" in text and "move_adjoints(" in text and "reorder" not in text


def test_numbers_of_a_deque() -> None:
    """An item keeps its number: after each change, numbers count from that of the first."""
    rng = np.random.default_rng(4)
    for size in (None, 0, 1, 3):
        mine, plain, number_of = NumberedDeque([], size), deque([], size), {}
        for turn in range(60):
            side = rng.integers(4)
            if side < 2:
                left = side == 1
                number_of[turn] = mine.start - 1 if left else mine.end
                for q in (mine, plain):
                    (q.appendleft if left else q.append)(turn)
            elif plain:
                assert (mine.popleft() if side == 2 else mine.pop()) == (plain.popleft() if side == 2 else plain.pop())
            assert list(mine) == list(plain) and mine.end - mine.start == len(plain)
            assert all(mine.item(mine.number(j)) == item and mine.number(j) == number_of[item] for j, item in enumerate(plain))
        with pytest.raises(IndexError):
            mine.number(len(plain))


def test_items_and_adjoints_move_alike() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        path = [int(k) for k in rng.permutation(6)[:rng.integers(0, 6)]]
        own = {k: 10 * k for k in range(6) if k != 2}
        moved = move_along([None if k == 2 else 10 * k for k in range(6)], path)
        move_adjoints(own, path)
        assert own == {k: v for k, v in enumerate(moved) if v is not None}
        move_adjoints(own, path[::-1])
        assert own == {k: 10 * k for k in range(6) if k != 2}


@pytest.mark.parametrize("number", range(600, 612))
def test_random_programs(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    found, what = verdict(number, 1 + (number % 4 == 0), DequeWriter)
    assert found != WRONG, what


def test_few_random_programs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    assert sum(verdict(number, 1, DequeWriter)[0] == REFUSED for number in range(700, 702)) == 0


def said_of_a_deque(x):
    line = Line([1.0, 2.0])
    return x[0] * len(f"{line.items}") + x[1] * len(str(line.items))


def compared_with_a_list(x):
    line, other = Line([1.0, 2.0]), Line([1.0, 2.0])
    return x[0] * (2.0 if line.items == [1.0, 2.0] else 3.0) + x[1] * (5.0 if line.items == other.items else 7.0)


def joined_deques(x):
    line = Line(x)
    both = line.items + line.items
    return both[-1] * len(both)


@pytest.mark.parametrize("f", [said_of_a_deque, compared_with_a_list, joined_deques])
def test_what_a_list_would_answer_in_another_way(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text, comparison and sums of deques are refused with places; the other way knows that it is no list."""
    assert np.allclose(sg.grad(f)(X), by_differences(f, X), rtol=1e-6, atol=1e-8)
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    with pytest.raises(UnsupportedError, match="of a deque that others may hold"):
        sg.grad(f)(X)
