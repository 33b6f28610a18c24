"""Short programs with objects, lists and dicts, without adjoints by hand.

PROGRAMS has (function, inputs, make(size, rng) -> args).
"""
from __future__ import annotations

import bisect
import math
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, replace

import numpy as np


class Chain:
    """Matrices and their scales in lists that are attributes."""

    def __init__(self, matrices):
        self.matrices = list(matrices)
        self.scales = [1.0] * len(self.matrices)

    def balance(self):
        for k in range(len(self.matrices)):
            self.scales[k] = np.sqrt(np.sum(self.matrices[k] ** 2))
            self.matrices[k] = self.matrices[k] / self.scales[k]

    def apply(self, x):
        for scale, matrix in zip(self.scales, self.matrices):
            x = scale * np.tanh(matrix @ x)
        return x


def matrix_chain(matrices, x):
    chain = Chain(matrices)
    chain.balance()
    return np.sum(chain.apply(x) ** 2)


class Polynomial:
    """Coefficients in a list, from the constant on, with operators."""

    def __init__(self, coefficients):
        self.coefficients = coefficients

    def __add__(self, other):
        a, b = self.coefficients, other.coefficients
        short, long = (a, b) if len(a) < len(b) else (b, a)
        return Polynomial([p + q for p, q in zip(short, long)] + long[len(short):])

    def __mul__(self, other):
        result = [0.0] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, p in enumerate(self.coefficients):
            for j, q in enumerate(other.coefficients):
                result[i + j] += p * q
        return Polynomial(result)

    def __call__(self, x):
        value = 0.0
        for coefficient in reversed(self.coefficients):
            value = value * x + coefficient
        return value


def polynomials(roots, x):
    product = Polynomial([1.0])
    for root in roots:
        product = product * Polynomial([-root, 1.0])
    return (product + Polynomial([x, x * x]))(x)


class Vector:
    """Three numbers with operators: each makes a new object."""

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __rmul__(self, factor):
        return Vector(factor * self.x, factor * self.y, factor * self.z)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z


def planets(start, speed, mass, dt, steps):
    places = [Vector(*row) for row in start]
    speeds = [Vector(*row) for row in speed]
    for _ in range(steps):
        for i in range(len(places)):
            for j in range(len(places)):
                if i != j:
                    d = places[j] - places[i]
                    speeds[i] = speeds[i] + (dt * mass[j] / (0.1 + d.dot(d)) ** 1.5) * d
        places = [place + dt * v for place, v in zip(places, speeds)]
    return sum(m * v.dot(v) for m, v in zip(mass, speeds))


def shortest_paths(lengths, edges, count):
    """Bellman and Ford on a dict of dicts."""
    graph = defaultdict(dict)
    for (a, b), length in zip(edges, lengths):
        graph[a][b] = length
    distance = {k: math.inf for k in range(count)}
    distance[0] = 0.0
    for _ in range(count - 1):
        for a in graph:
            for b, length in graph[a].items():
                if distance[a] + length < distance[b]:
                    distance[b] = distance[a] + length
    return sum(d * d for d in distance.values())


class Ring:
    """A buffer of fixed length."""

    def __init__(self, length):
        self.items = [0.0] * length
        self.at = 0

    def push(self, value):
        old = self.items[self.at]
        self.items[self.at] = value
        self.at = (self.at + 1) % len(self.items)
        return old


def moving_variance(x, length):
    ring, total, squares, result = Ring(length), 0.0, 0.0, 0.0
    for value in x:
        old = ring.push(value)
        total += value - old
        squares += value * value - old * old
        result += squares / length - (total / length) ** 2
    return result


class Shape:
    def __init__(self, size):
        self.size = size

    def area(self):
        raise NotImplementedError

    def grow(self, rate):
        self.size *= 1.0 + rate


class Square(Shape):
    def area(self):
        return self.size ** 2


class Circle(Shape):
    def area(self):
        return math.pi * self.size ** 2

    def grow(self, rate):
        super().grow(0.5 * rate)


def shapes(sizes, rate, turns):
    """Classes that inherit, in one list."""
    found = [Square(size) if k % 3 else Circle(size) for k, size in enumerate(sizes)]
    for _ in range(turns):
        for shape in found:
            shape.grow(rate)
    return sum(shape.area() for shape in found)


class Place:
    def __init__(self, heat):
        self.heat = heat
        self.around = []


def plate(heat, rate, turns):
    """A grid of objects that know their neighbours."""
    rows, columns = heat.shape
    grid = [[Place(heat[i, j]) for j in range(columns)] for i in range(rows)]
    for i in range(rows):
        for j in range(columns):
            for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                if 0 <= a < rows and 0 <= b < columns:
                    grid[i][j].around.append(grid[a][b])
    for _ in range(turns):
        change = {(i, j): rate * sum(place.heat - grid[i][j].heat for place in grid[i][j].around)
                  for i in range(rows) for j in range(columns)}
        for (i, j), value in change.items():
            grid[i][j].heat += value
    return sum(place.heat ** 2 for row in grid for place in row)


class Ends:
    def __init__(self, value):
        self.value = value
        self.before = self.after = None


def removed_in_turn(x, steps):
    """A ring of links in both directions, from which every third is taken out."""
    links = [Ends(value) for value in x]
    for one, other in zip(links, links[1:] + links[:1]):
        one.after, other.before = other, one
    link = links[0]
    total = 0.0
    for k in range(steps):
        link = link.after.after
        total += link.value * link.before.value / (k + 1.0)
        link.before.after, link.after.before = link.after, link.before
        link.before.value += 0.5 * link.value
        link = link.after
    return total + link.value ** 2


def histogram(x, width):
    """Soft counts in a dict by whole numbers."""
    counts = defaultdict(float)
    for value in x:
        place = math.floor(value / width)
        share = value / width - place
        counts[place] += 1.0 - share
        counts[place + 1] += share
    return sum(count * count for count in counts.values())


@dataclass(frozen=True)
class State:
    level: float
    speed: float
    time: float = 0.0


def bounces(level, damping, dt, steps):
    """A frozen dataclass that is replaced from step to step."""
    state, history = State(level, 0.0), []
    for _ in range(steps):
        speed = state.speed - 9.81 * dt
        lower = state.level + dt * speed
        state = replace(state, level=abs(lower), speed=speed if lower > 0.0 else -damping * speed, time=state.time + dt)
        history.append(state)
    return sum(state.level * state.time for state in history)


Quote = namedtuple("Quote", "price size")


def order_book(prices, sizes, wanted):
    """Quotes as named tuples in a sorted list, and a market order that takes the best."""
    book = []
    for price, size in zip(prices, sizes):
        bisect.insort(book, Quote(price, size))
    paid, left = 0.0, wanted
    while left > 0.0 and book:
        best = book.pop(0)
        taken = min(left, best.size)
        paid += taken * best.price
        left -= taken
    return paid / wanted + left ** 2


class Settings:
    """A context manager that sets an attribute and puts the old value back."""

    def __init__(self, model, gain):
        self.model, self.gain = model, gain

    def __enter__(self):
        self.old, self.model.gain = self.model.gain, self.gain
        return self.model

    def __exit__(self, *error):
        self.model.gain = self.old


class Amplifier:
    def __init__(self, gain):
        self.gain = gain
        self.heat = 0.0

    def play(self, x):
        self.heat = 0.9 * self.heat + 0.1 * (self.gain * x) ** 2
        return math.tanh(self.gain * x) / (1.0 + self.heat)


def amplified(signal, quiet, loud):
    amplifier, total = Amplifier(quiet), 0.0
    for k, x in enumerate(signal):
        if k % 4 == 3:
            with Settings(amplifier, loud) as louder:
                total += louder.play(x) ** 2
        else:
            total += amplifier.play(x)
    return total


class Walk:
    """An iterator with state."""

    def __init__(self, steps, drift):
        self.steps, self.drift = steps, drift
        self.at, self.place = 0, 0.0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at == len(self.steps):
            raise StopIteration
        self.place += self.drift + self.steps[self.at]
        self.at += 1
        return self.place


def walked(steps, drift):
    return sum(place ** 2 for place in Walk(steps, drift))


def ways(weights, target):
    """A table of partial results by key: what is reached with some of the weights."""
    reached = {0: 1.0}
    for k, weight in enumerate(weights):
        new = dict(reached)
        for total, value in reached.items():
            if total + k % 4 + 1 <= target:
                new[total + k % 4 + 1] = new.get(total + k % 4 + 1, 0.0) + value * weight
        reached = new
    return reached[target]


class Cache:
    """The least recently used entry goes when there are too many."""

    def __init__(self, room):
        self.room, self.entries = room, OrderedDict()

    def get(self, key, x):
        if key in self.entries:
            self.entries.move_to_end(key)
        else:
            self.entries[key] = x * x
            if len(self.entries) > self.room:
                self.entries.popitem(last=False)
        return self.entries[key]


def cached(x, asked):
    cache = Cache(4)
    return sum(cache.get(key, x[k]) for k, key in enumerate(asked))


class Thermostat:
    """A property with a setter, and listeners."""

    def __init__(self, goal):
        self._goal = goal
        self.listeners = []

    @property
    def goal(self):
        return self._goal

    @goal.setter
    def goal(self, value):
        for listener in self.listeners:
            listener.notice(value - self._goal)
        self._goal = value


class Room:
    def __init__(self, heat, loss):
        self.heat, self.loss, self.power = heat, loss, 0.0

    def notice(self, change):
        self.power += 0.5 * change

    def pass_time(self, dt):
        self.heat += dt * (self.power - self.loss * self.heat)


def listeners(heat, loss, goals, dt):
    thermostat = Thermostat(goals[0])
    rooms = [Room(h, l) for h, l in zip(heat, loss)]
    thermostat.listeners.extend(rooms)
    discomfort = 0.0
    for goal in goals:
        thermostat.goal = goal
        for room in rooms:
            room.pass_time(dt)
            discomfort += (room.heat - thermostat.goal) ** 2
    return discomfort


class Animal:
    def __init__(self, energy):
        self.energy = energy


def population(energy, food, cost, turns):
    """Who has much splits in two, who has none leaves the list."""
    herd = [Animal(e) for e in energy]
    for _ in range(turns):
        young = []
        for animal in list(herd):
            animal.energy += food / len(herd) - cost * animal.energy ** 2
            if animal.energy > 1.5:
                animal.energy *= 0.5
                young.append(Animal(0.9 * animal.energy))
            elif animal.energy < 0.2:
                herd.remove(animal)
        herd.extend(young)
    return sum(animal.energy ** 2 for animal in herd)


def undone(x, commands):
    """An editor with a history: what was done can be undone."""
    values, history = list(x), []
    for command, k in commands:
        if command == "scale":
            history.append((k, values[k]))
            values[k] *= 1.5
        elif command == "mix":
            history.append((k, values[k]))
            values[k] = 0.5 * (values[k] + values[k - 1] ** 2)
        elif history:
            place, old = history.pop()
            values[place] = old
    return sum(value * value for value in values)


def word_tree(weights, words):
    """Nested dicts by letters: the weight of a word is added on its way."""
    root = {"sum": 0.0}
    for word, weight in zip(words, weights):
        node = root
        for letter in word:
            node = node.setdefault(letter, {"sum": 0.0})
            node["sum"] += weight
    total, waiting = 0.0, deque([root])
    while waiting:
        node = waiting.popleft()
        total += node["sum"] ** 2
        waiting.extend(below for key, below in node.items() if key != "sum")
    return total


def sized(size, tiny, full):
    return {"tiny": tiny, "full": full}[size]


def edges_and_lengths(size, rng):
    count = sized(size, 4, 10)
    edges = [(k, j) for k in range(count) for j in (k + 1, k + 2, k - 3) if 0 <= j < count]
    return 0.2 + rng.random(len(edges)), edges, count


def commands(size, rng):
    count = sized(size, 6, 60)
    return rng.standard_normal(5), [(("scale", "mix", "undo")[rng.integers(3)], int(rng.integers(5))) for _ in range(count)]


def words(size, rng):
    found = ["".join("abc"[letter] for letter in rng.integers(3, size=rng.integers(1, 5))) for _ in range(sized(size, 3, 20))]
    return rng.standard_normal(len(found)), found


PROGRAMS = (
    (matrix_chain, "matrices", lambda size, rng: (list(rng.standard_normal((sized(size, 2, 8), 4, 4))), rng.standard_normal(4))),
    (polynomials, ("roots", "x"), lambda size, rng: (rng.standard_normal(sized(size, 3, 10)), 0.7)),
    (planets, ("start", "speed", "mass"), lambda size, rng: (
        2.0 * rng.standard_normal((3, 3)), rng.standard_normal((3, 3)), rng.random(3), 0.01, sized(size, 2, 10))),
    (shortest_paths, "lengths", edges_and_lengths),
    (moving_variance, "x", lambda size, rng: (rng.standard_normal(sized(size, 6, 200)), 5)),
    (shapes, ("sizes", "rate"), lambda size, rng: (rng.random(sized(size, 4, 20)), 0.05, 10)),
    (plate, ("heat", "rate"), lambda size, rng: (rng.random((sized(size, 2, 5), 4)), 0.1, sized(size, 2, 5))),
    (removed_in_turn, "x", lambda size, rng: (rng.standard_normal(sized(size, 6, 60)), sized(size, 4, 50))),
    (histogram, ("x", "width"), lambda size, rng: (3.0 * rng.standard_normal(sized(size, 5, 100)), 0.7)),
    (bounces, ("level", "damping"), lambda size, rng: (1.0, 0.8, 0.02, sized(size, 5, 80))),
    (order_book, ("prices", "sizes", "wanted"), lambda size, rng: (
        1.0 + rng.random(sized(size, 4, 40)), 0.1 + rng.random(sized(size, 4, 40)), 0.35 * sized(size, 4, 40))),
    (amplified, ("signal", "quiet", "loud"), lambda size, rng: (rng.standard_normal(sized(size, 5, 100)), 0.8, 2.0)),
    (walked, ("steps", "drift"), lambda size, rng: (rng.standard_normal(sized(size, 5, 200)), 0.1)),
    (ways, "weights", lambda size, rng: (rng.random(sized(size, 5, 12)), sized(size, 4, 12))),
    (cached, "x", lambda size, rng: (
        rng.random(sized(size, 8, 100)), [int(k) for k in rng.integers(7, size=sized(size, 8, 100))])),
    (listeners, ("heat", "loss", "goals"), lambda size, rng: (rng.random(3), rng.random(3), rng.random(sized(size, 4, 30)), 0.1)),
    (population, ("energy", "food", "cost"), lambda size, rng: (
        0.3 + rng.random(sized(size, 4, 8)), 4.0, 0.1, sized(size, 2, 8))),
    (undone, "x", commands),
    (word_tree, "weights", words))
