"""Objects of classes that belong together: kernels and their sums, linked nodes, filters, stages one after the other."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([0.3, -0.8, 1.1])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])


class Kernel:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, a, b):
        return math.exp(-self.scale * (a - b) ** 2)

    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, other):
        return Product(self, other)


class Sum(Kernel):
    def __init__(self, one, other):
        self.one, self.other = one, other

    def __call__(self, a, b):
        return self.one(a, b) + self.other(a, b)


class Product(Sum):
    def __call__(self, a, b):
        return self.one(a, b) * self.other(a, b)


def kernels(x, y):
    kernel = Kernel(x) + Kernel(2.0) * Kernel(y)
    return kernel(0.3, y) + kernel(x, 1.1)


case(kernels, 0.7, 1.3, inputs=("x", "y"), order=3)


class Node:
    def __init__(self, value, child=None):
        self.value = value
        self.child = child

    def total(self):
        if self.child is None:
            return self.value
        return self.value * self.child.total()


def linked(x):
    return Node(x, Node(x * x, Node(2.0))).total()


case(linked, 0.7)


class Filter:
    def __init__(self, x):
        self.x = x
        self.H = np.eye(2)
        self.last = np.zeros(2)

    def update(self, z, H=None):
        if H is None:
            z = np.reshape(z, (2, 1))
            H = self.H
        self.y = z - np.dot(H, self.x)

    def step(self, old):
        self.last = self.last * 2.0 + old
        return np.sum(old * self.last)


def optional_matrix(x, measurements):
    """A parameter that an attribute takes the place of is looked at before that."""
    kf = Filter(np.ones((2, 1)) * x)
    total = 0.0
    for z in measurements:
        kf.update(z)
        total = total + np.sum(kf.y ** 2)
    return total


case(optional_matrix, 0.7, [np.array([1.0, 2.0]), np.array([3.0, 0.5])], inputs="x")


def own_part(x):
    """A method puts another object where its argument lies."""
    kf = Filter(np.ones((2, 1)))
    kf.last = x * 1.5
    total = kf.step(kf.last)
    return total + kf.step(kf.last)


case(own_part, np.array([0.7, -0.4]))


class Stage:
    weight = 2.0

    def __call__(self, x):
        return self.run(x)

    def cost(self):
        return 0.1


class Scaling(Stage):
    def __init__(self, factor):
        self.factor = factor
        self.calls = 0

    def run(self, x):
        self.calls += 1
        self.last = x
        return self.factor * x

    def cost(self):
        return self.factor ** 2

    @property
    def gain(self):
        return self.factor * self.weight


class Bending(Scaling):
    def run(self, x):
        self.last = np.tanh(x)
        return super().run(self.last)


class Plain(Stage):
    gain = 1.5

    def __init__(self, power=2.0):
        self.power = power

    def run(self, x):
        self.last = x
        return x ** 2 * self.power

    def __mul__(self, other):
        return self.last * other


def passed(stages, x):
    for stage in stages:
        x = stage(x)
    return x


def objects_of_several_classes(x, factor):
    stages = [Scaling(factor), Plain(), Bending(1.5 * factor)]
    y = passed(stages, passed(stages, x))
    total = sum(stage.cost() * stage.gain for stage in stages) + stages[0].calls
    for stage in stages:
        if isinstance(stage, Plain):
            total = total + np.sum(stage * y)
        else:
            total = total + np.sum(stage.last) * stage.factor
    return total + np.sum(y)


case(objects_of_several_classes, V, 0.7, inputs=("x", "factor"))


def given_objects_of_several_classes(stages, x):
    chosen = stages[0] if x[0] > 0.0 else stages[1]
    return np.sum(passed(stages, x)) + np.sum(chosen.run(x)) * chosen.weight


case(given_objects_of_several_classes, [Scaling(0.7), Plain(), Bending(1.2)], V, inputs=("stages", "x"))
