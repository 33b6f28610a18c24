"""Numbers that objects and containers hold while `op=` gives a name another one; what holds many objects; counters."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add


class Controller:
    def __init__(self, gain, target):
        self.gain, self.target = gain, target
        self.sum = 0.0

    def __call__(self, x, dt):
        error = self.target - x
        self.sum += error * dt
        return self.gain * error + self.sum


class Damped(Controller):
    def __init__(self, *args):
        super().__init__(*args)
        self.last = None

    def __call__(self, x, dt):
        change = x - (self.last if self.last is not None else x)
        out = super().__call__(x, dt) - 0.1 * change / dt
        self.last = x
        return out


def controlled(kind, gain, n):
    controller = kind(gain, 1.0)
    x, cost = 0.1, 0.0
    for _ in range(n):
        u = controller(x, 0.1)
        x += 0.1 * u
        cost += x ** 2
    return cost


def last_state_of_a_controller(gain):
    return controlled(Damped, gain, 5)


def state_held_while_it_moves(gain):
    controller = Damped(gain, 1.0)
    x = 0.1
    x += 0.1 * controller(x, 0.1)
    x += 0.1 * controller(x, 0.1)
    return x * controller.last


class Filter:
    def __init__(self, k):
        self.k, self.last = k, None

    def step(self, x):
        change = x - (x if self.last is None else self.last)
        out = self.k * x - change
        self.last = x
        return out


class Holder:
    def __init__(self):
        self.v = 0.0


def held_by_a_name(k):
    f, total = Filter(k), 0.0
    for _ in range(3):
        u = f.step(0.1)
        y = u
        u += 0.3
        total += y * u
    return total


def held_by_a_list(k):
    f, total = Filter(k), 0.0
    for _ in range(3):
        u = f.step(0.1)
        held = [u]
        u += 0.3
        total += held[0] * u
    return total


def held_by_an_object(k):
    f, h, total = Filter(k), Holder(), 0.0
    for _ in range(3):
        u = f.step(0.1)
        total += h.v
        h.v = u
        u *= 0.3
        total += h.v * u
    return total


def attribute_that_a_name_holds(k):
    f, h = Filter(k), Holder()
    f.step(0.3)
    h.v = f.step(0.5)
    u = h.v
    h.v += 2.0
    return h.v * u


def increased(v, w):
    v += w
    return v


def increased_by_a_function(k):
    f = Filter(k)
    a, x = f.step(0.3), f.step(0.5)
    y = increased(x, a)
    return x * y


for function in (last_state_of_a_controller, state_held_while_it_moves, held_by_a_name, held_by_a_list, held_by_an_object,
                 attribute_that_a_name_holds, increased_by_a_function):
    case(function, 0.7)


def arrays_of_unknown_kind_change_for_all(k, x):
    f, h = Filter(k), Holder()
    f.step(x)
    h.v = f.step(2.0 * x)
    u = h.v
    h.v += 2.0
    y = u
    y *= 3.0
    return np.sum(h.v * u * y)


case(arrays_of_unknown_kind_change_for_all, 0.7, np.array([0.3, 0.4]), inputs=("k", "x"))


# --- objects in a list that an object holds

class Particle:
    def __init__(self, x):
        self.x, self.v = x, 0.0


class Gas:
    def __init__(self, xs):
        self.particles = [Particle(x) for x in xs]
        self.history, self.last = [], {}

    def step(self, dt):
        for i, p in enumerate(self.particles):
            p.v = p.v + dt * np.sin(p.x)
            self.last[i] = p.v
            self.history.append(p.v)


def particles_of_a_gas(x, dt):
    gas = Gas(x)
    gas.step(dt)
    gas.step(dt)
    return sum(gas.history) + sum(v ** 2 for v in gas.last.values()) + sum(p.v * p.x for p in gas.particles)


case(particles_of_a_gas, np.array([0.3, -0.8, 1.1]), 0.1, inputs=("x", "dt"))


# --- arrays of whole numbers that count

def powers_by_counts(x):
    count = np.zeros(3, dtype=int)
    total = 0.0
    for v in x:
        b = int(np.floor(v)) % 3
        count[b] += 1
        total += v ** count[b]
    return total


case(powers_by_counts, np.array([0.3, 1.2, 0.7, 0.4, 2.2]))


def weights_by_position(x):
    seen = np.zeros(2, dtype=int)
    total = 0.0
    for i, v in enumerate(x):
        seen[i % 2] += i
        total += v ** 3 * (seen[i % 2] + 1)
    return total


case(weights_by_position, np.array([0.3, 1.2, 0.7, 0.4]))


# --- dicts that are joined

class Box:
    def __init__(self, v):
        self.d = {"a": v, "b": v}


def joined_after_a_store_by_a_second_name(x, k):
    box = Box(x)
    d = box.d
    d["b"] = k * x * x
    return sum((d | {"c": x}).values())


case(joined_after_a_store_by_a_second_name, 0.7, 3.0, inputs=("x", "k"))


def joined_in_a_loop(x):
    d = {"a": x}
    first = d
    for _ in range(3):
        d = d | {"a": d["a"] * x}
    first["a"] *= 2.0
    return d["a"] + 3 * first["a"]


case(joined_in_a_loop, 0.7)


def updated_in_place(x):
    d = {"a": x}
    first = d
    for _ in range(3):
        d |= {"a": d["a"] * x}
    return d["a"] + 3 * first["a"]


case(updated_in_place, 0.7)


# --- what rounds an object

class Scaled:
    def __init__(self, v):
        self.v = v

    def __round__(self, n=None):
        return self.v * 3 if n is None else self.v * n

    def __floor__(self):
        return self.v * 5

    def __ceil__(self):
        return self.v * 7

    def __trunc__(self):
        return self.v * 2


def rounded_objects(x):
    o = Scaled(x)
    return round(o) * math.floor(o) + math.ceil(o) * math.trunc(o) + round(o, 2) * x + round(o, ndigits=4)


case(rounded_objects, 0.7)


# --- buffers that are made when they are asked for first

class Buffered:
    def __init__(self, x):
        self.x, self.buffer = x, None

    def lazy(self, n):
        if self.buffer is None:
            self.buffer = np.zeros(n)
        return self.buffer

    def work(self, v):
        b = self.lazy(len(v))
        b[:] = v
        b += self.x
        return b


def what_a_buffer_takes_stays(x):
    h = Buffered(x)
    a = h.work(x * x)
    return np.sum(x * a)


def buffer_that_is_used_again(x):
    h = Buffered(x * 1.0)
    a = h.work(x).copy()
    return np.sum(a * h.work(2 * x))


for function in (what_a_buffer_takes_stays, buffer_that_is_used_again):
    case(function, np.array([0.7, -0.3, 1.9]))


class Items:
    def __init__(self):
        self.items = None

    def put(self, v):
        if self.items is None:
            self.items = [0.0, [1.0], 2.0]
        items = self.items
        items[1:2] = v
        return items


def items_that_a_list_takes(x):
    inner = [x[0] * 1.0]
    items = Items().put([inner])
    inner[0] = inner[0] * 3.0
    return items[1][0] * x[1] + items[0]


def list_that_gave_its_items(x):
    v = [x[0], x[1]]
    items = Items().put(v)
    v[0] = 5.0 * v[0]
    return items[1] * x[1] + items[2] + v[0]


for function in (items_that_a_list_takes, list_that_gave_its_items):
    case(function, np.array([0.7, -0.3]))
