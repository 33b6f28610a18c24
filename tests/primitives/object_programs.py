"""Programs that reach the rules of objects, which no sample can."""
import collections
import copy
import dataclasses
import heapq

import numpy as np

from sourcegrad import runtime


class State:
    def __init__(self, position, speed):
        self.position = position
        self.speed = speed


class Damped(State):
    damping = 0.25


class Body:
    def __init__(self, state, mass):
        self.state = state
        self.mass = mass


def built(v):
    state = State(v * v, 2.0 * v[0])
    for _ in range(2):
        state.position = state.position + state.speed * v
        state.speed = state.speed * 0.5 + np.sum(state.position) * 0.1
    return np.sum(state.position ** 2) * state.speed


def copied(v):
    first = State(v * v, v[1])
    second = copy.copy(first)
    second.position = np.sin(second.position) * first.speed
    body = Body(second, v[0])
    third = copy.deepcopy(body)
    third.state.speed = third.state.speed * third.mass
    third.state.position[1] = v[2] * v[0]
    return np.sum(third.state.position * first.position) * third.state.speed + second.speed


def drifting(state, pull):
    state.position[0] += pull * state.speed
    state.speed = state.speed * pull


def changed_by_callee(v):
    body = Body(Damped(v * v, v[1]), v[0])
    for k in range(3):
        drifting(body.state, v[k] * body.mass)
        body.mass = body.mass + body.state.damping * body.state.speed
    return np.sum(body.state.position) * body.mass


def in_a_table(v):
    bodies = {"a": State(v * v, v[0]), "b": State(np.cos(v), v[1])}
    for name in ("a", "b", "a"):
        bodies[name].position[1] = bodies[name].speed * v[2]
        bodies[name].speed += np.sum(bodies["a"].position)
    return np.sum(bodies["a"].position * bodies["b"].position) * bodies["b"].speed


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return np.pi * self.radius ** 2


class Square(Circle):
    def area(self):
        return self.radius * self.radius


def of_several_classes(v):
    total = 0.0
    for shape in [Circle(v[0]), Square(v[1] * v[0]), Circle(v[2])]:
        total = total + shape.area() * v[1]
    return total


def held_by_edges(v):
    """Which of the bodies an edge holds, the loop tells: they are found by identity."""
    bodies = [State(v[0], v[1]), State(v[1], v[2]), State(v[2], v[0])]
    edges = [(bodies[k], bodies[(k + 1) % 3]) for k in range(3)]
    for one, other in edges:
        force = np.sin(one.position - other.position)
        one.speed = one.speed - force * other.speed
        other.speed = other.speed + force * one.speed
    return sum(body.speed * body.position for body in bodies)


class Signal:
    def __init__(self, parts, phase):
        self.parts = parts
        self.phase = phase
        self.gain = 1.0


def held_in_a_list(v):
    """Attributes that hold lists, and real and complex numbers in turn; one is overwritten by what has no derivative."""
    signals = [Signal([v[0], v[1] * v[2]], v[1]), Signal([v[2], v[0]], v[0])]
    for one, other in zip(signals, signals[::-1]):
        one.phase = one.phase * (1.0 + 0.5j * v[2])
        other.parts = [part * np.real(one.phase) for part in one.parts]
        one.gain = v[1] ** 2
        other.gain = 2.0
    return sum(signal.gain * signal.parts[0] * signal.parts[1] + np.abs(signal.phase) ** 2 for signal in signals)


def shared_list(v):
    """A list of two objects gets longer, shorter and another order."""
    one, other = Signal([v[0], v[1]], v[2]), Signal([], v[0])
    other.parts = one.parts
    other.parts.append(v[2] * v[0])
    one.parts[0] = one.parts[0] * one.parts[2]
    one.parts.reverse()
    last = other.parts.pop()
    other.parts.insert(1, last * v[1])
    return sum(one.parts) * one.parts[0] + last * len(other.parts)


def shared_deque(v):
    """A deque of two objects gets and loses items at both ends; a heap is a list whose items move."""
    one, other = Signal(collections.deque([v[0], v[1]]), v[2]), Signal([], v[0])
    third = Signal(one.parts, v[1])
    third.parts.append(v[2] * v[0])
    one.parts.appendleft(v[1] * v[2])
    one.parts[1] = third.parts[0] * third.parts.pop()
    first = one.parts.popleft()
    for item in (first, v[0] * first, v[2]):
        heapq.heappush(other.parts, (item, first))
    smallest, _ = heapq.heappop(other.parts)
    return smallest * v[0] + sum(item * factor for item, factor in other.parts) * one.parts[0] + sum(third.parts)


@dataclasses.dataclass(frozen=True)
class Setting:
    gain: object
    table: dict


def shared_dict(v):
    """A dict of two objects gets, changes and loses items; a frozen object holds another."""
    one, other = Signal({"a": v[0], "b": v[1]}, v[2]), Signal({}, v[0])
    setting = Setting(v[1] * v[2], one.parts)
    setting.table["c"] = v[2] * setting.gain
    one.parts["a"] *= setting.table["c"]
    other.parts.update(one.parts)
    del setting.table["b"]
    other.parts = dict(other.parts)
    other.parts["b"] = other.parts["b"] * one.parts["a"]
    whole = sum(other.parts.values())
    other.parts.clear()
    return whole * one.parts["c"] + len(other.parts) * v[0]


def given(one, v):
    """An object that is given, and changes."""
    one.gain = one.gain * v[0]
    one.parts = one.parts * one.gain
    return np.sum(one.parts * v) * one.gain


def shared_array(v):
    """An array that two objects hold, made of values that are needed again, changes in place."""
    one = Signal(np.exp(v), v[2])
    other = Signal(one.parts, v[0])
    other.parts[0] *= v[1]
    one.parts[1:] += other.parts[:-1] * v[2]
    return np.sum(one.parts ** 2) + other.parts[0] * one.gain


def squares(items):
    total = 0.0
    for item in items:
        total = total + item * item
    return total


def handed_on(v):
    """An iterator that a function is given, and reads once."""
    return squares(np.sin(item) * v[0] for item in v)


class Held:
    def __init__(self, x):
        self.v = x * 1.0
        self.xs = [x[0], x[1]]


def copied_places(x):
    o = Held(x)
    same = o.v
    p, q = copy.deepcopy(o), copy.copy(o)
    p.v[0] *= x[1]
    p.xs[0] = x[2]
    same[1] = x[0] ** 2
    return np.sum(p.v * q.v) * p.xs[0] + sum(q.xs) + np.sum(o.v)


def shared_view(x):
    o = Held(x)
    turned = o.v[::-1]
    flat = o.v.reshape(1, 3)
    turned[0] *= x[1]
    flat[0, 1] += turned[2]
    return np.sum(o.v * turned) * x[0]


VECTOR = np.array([0.3, 0.8, 1.1])

OF_OBJECTS = [(given, (Signal(VECTOR * 2.0, 0.7), VECTOR), [runtime.enter_places, runtime.gathered, runtime.scattered])]
PROGRAMS = [
    (built, (VECTOR,), [runtime.make_object]),
    (copied, (VECTOR,), [copy.copy, copy.deepcopy]),
    (changed_by_callee, (VECTOR,), [runtime.entry_add, runtime.path_of, runtime.path_drop, runtime.path_put]),
    (in_a_table, (VECTOR,), [runtime.entry_drop]),
    (of_several_classes, (VECTOR,), [runtime.as_class]),
    (held_in_a_list, (VECTOR,), [runtime.place_load, runtime.place_store, runtime.place_add, runtime.place_join, runtime.place_part,
                                 runtime.place_take, runtime.place_take_wide, runtime.place_put, runtime.place_drop]),
    (shared_list, (VECTOR,), [runtime.held_items, runtime.place_push, runtime.place_shrink, runtime.place_resize]),
    (shared_array, (VECTOR,), [runtime.array_fill]),
    (shared_view, (VECTOR,), [runtime.view_fill, runtime.view_back, runtime.view_forth]),
    (copied_places, (VECTOR,), [runtime.copies_made, runtime.copies_back, runtime.copies_forth]),
    (shared_dict, (VECTOR,), [runtime.key_load, runtime.key_store, runtime.key_put, runtime.key_delete, runtime.dict_whole,
                              runtime.dict_fill, runtime.place_init]),
    (shared_deque, (VECTOR,), [runtime.deque_load, runtime.deque_store, runtime.deque_fill, runtime.deque_push, runtime.deque_pop,
                               runtime.deque_push_left, runtime.deque_pop_left, runtime.place_move, runtime.bars_move]),
    (handed_on, (VECTOR,), [runtime.read_once]),
    (held_by_edges, (VECTOR,), [runtime.put_all, runtime.drop_all, runtime.take_all, runtime.spread_all]),
]
