"""A user's classes whose attributes and methods are called as those of arrays: T, real, shape, flat, sort, fill, sum."""
from collections import namedtuple

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
M = np.arange(1.0, 7.0).reshape(2, 3) / 3
case = PROGRAMS.with_arguments(M)


class Gas:
    """T is the temperature."""

    def __init__(self, x):
        self.T = x * 1.0
        self.real = x[0] * 2
        self.imag = x[1] * 1.0
        self.shape = x.sum()
        self.size = x[0, 0] * 3
        self.flat = x[1] ** 2
        self.ndim = x[1, 1]
        self.dtype = x[0, 1] * 2
        self.base = self.T[0]
        self.data = self.T[1]

    def step(self):
        self.T[0] += self.real
        self.real *= self.size
        self.imag[1] += self.shape
        self.flat[::2] *= self.ndim
        self.shape += 1.0
        self.size *= self.dtype
        self.base *= 2
        self.data[:] += self.imag

    def sort(self):
        self.T = self.T[::-1]

    def fill(self, value):
        self.T[:] = self.T * value

    def copy(self):
        self.T = self.T * 2
        return self

    def items(self):
        return [self.T, self.real]

    def ravel(self):
        return self.flat

    def dot(self, other):
        return np.sum(self.T * other)

    def sum(self):
        return (np.sum(self.T ** 2) + np.sum(self.real ** 3) + np.sum(self.imag ** 2) + self.shape ** 2 + self.size
                + np.sum(self.flat ** 2) + self.ndim * self.dtype)


@case
def attributes_of_arrays(x):
    gas = Gas(x)
    gas.step()
    gas.step()
    return gas.sum()


@case
def methods_of_arrays(x):
    gas = Gas(x)
    gas.step()
    gas.sort()
    gas.fill(0.5)
    return gas.copy().sum()


@case
def what_methods_of_arrays_give(x):
    gas = Gas(x)
    total = 0.0
    for part in gas.items():
        total += np.sum(part ** 2)
    row = gas.ravel()
    row *= 2
    return total + gas.dot(x) + gas.sum()


@case
def parts_of_flat(x):
    gas = Gas(x)
    gas.flat[0] = gas.shape
    part = gas.flat[1:]
    part *= 3
    gas.flat = part * 2
    return gas.sum() * gas.size


@case
def transposed_temperature(x):
    gas = Gas(x)
    T = gas.T
    T[0] *= 2
    gas.T = T.T[:, ::-1].T
    gas.T[1] += 1
    shape = gas.shape
    gas.shape = shape * shape
    return gas.sum()


@case
def temperature_of_one_line(x):
    return np.sum(Gas(x).T.T @ Gas(x).T) if x.shape[0] == x.shape[1] else np.sum(Gas(x).T.T[0] ** 2)


class Cell:
    """Its attributes are called as what tells the shape of an array."""

    def __init__(self, x):
        self.size = x[0] * 1.0
        self.shape = x[0] * 2
        self.ndim = x[0, 0]
        self.dtype = x[1, 1] * 3
        self.nbytes = x[0] * x[1]
        self.flags = x[1, 2]
        self.strides = x[1] + 1

    def step(self):
        self.size = self.size * self.shape
        self.nbytes[0] += self.strides[1]
        self.flags *= self.ndim


def total_of(cell):
    return np.sum(cell.size * cell.nbytes) * cell.flags + cell.dtype


@case
def attributes_called_as_shapes(x):
    cell = Cell(x)
    for _ in range(3):
        cell.step()
    cell.size[0] *= x[1, 0]
    return total_of(cell)


@case
def attributes_called_as_shapes_in_a_list(x):
    cells = [Cell(x), Cell(x * 2)]
    for cell in cells:
        for _ in range(2):
            cell.step()
    return sum(map(total_of, cells))


Observed = namedtuple("Observed", "T b")


@case
def field_called_as_a_transpose(x):
    history = [Observed(x[0, :2], x[0, 0])]
    history.append(history[-1]._replace(b=1.0))
    return sum(np.sum(h.T) for h in history)


class Node:
    def __init__(self, v):
        self.T = v
        self.new = 0.0

    def commit(self):
        self.T = self.new

    def swap(self):
        self.T, self.new = self.new, self.T


@case
def transposes_of_nodes_in_a_grid(x):
    grid = [[Node(v) for v in x[0]]]
    for row in grid:
        for node in row:
            node.new = node.T * node.T
            node.commit()
    return sum(node.T ** 2 for node in grid[0])


@case
def transposes_of_nodes_that_swap(x):
    grid = [[Node(v) for v in x[0]]]
    for _ in range(2):
        for node in grid[0]:
            node.new = node.T * node.T
        for row in grid:
            for node in row:
                node.swap()
    return sum(node.T ** 2 for row in grid for node in row)


Sized = namedtuple("Sized", "size b")
Shaped = namedtuple("Shaped", "shape real")


@case
def size_of_what_is_known_when_it_runs(x):
    items = [Sized(x, x[0])]
    items.append(items[-1]._replace(b=1.0))
    return sum(np.sum(item.size ** 2) for item in items)


@case
def shape_of_what_is_known_when_it_runs(x):
    items = [Shaped(x, x[0])]
    items.append(items[-1]._replace(real=x[1]))
    return sum(np.sum(item.shape ** 2) * np.sum(item.real) for item in items)


@case
def shape_of_an_array_that_is_known_when_it_runs(x):
    items = [Sized(x, x[0])]
    items.append(items[-1]._replace(b=1.0))
    s = 0.0
    for item in items:
        v = item.size
        s = s + np.sum(v) / v.size * v.shape[0] + np.sum(np.zeros(v.shape)) + v.ndim + np.sum(np.ones(v.shape, v.dtype) * v)
    return s
