"""A recurrent network as an object that is given from outside: its cells keep their state in an attribute."""
import numpy as np


class Cell:
    def __init__(self, w, u, b):
        self.w = w
        self.u = u
        self.b = b
        self.h = None

    def step(self, x):
        self.h = np.tanh(x @ self.w + self.h @ self.u + self.b)
        return self.h


class Network:
    def __init__(self, cells, readout):
        self.cells = cells
        self.readout = readout

    def reset(self):
        for cell in self.cells:
            cell.h = np.zeros(cell.b.shape)

    def step(self, x):
        for cell in self.cells:
            x = cell.step(x)
        return x @ self.readout


def primal(network, xs, targets):
    network.reset()
    loss = 0.0
    for x, target in zip(xs, targets):
        loss += (network.step(x) - target) ** 2
    return loss / len(xs)


def fresh(network, xs, targets):
    return Network([Cell(cell.w, cell.u, cell.b) for cell in network.cells], network.readout), xs, targets


def adjoint(network, xs, targets):
    cells = network.cells
    states = [np.zeros(cell.b.shape) for cell in cells]
    loss = 0.0
    tape = []
    for x, target in zip(xs, targets):
        inputs, before = [], list(states)
        for k, cell in enumerate(cells):
            inputs.append(x)
            x = states[k] = np.tanh(x @ cell.w + states[k] @ cell.u + cell.b)
        error = x @ network.readout - target
        loss += error ** 2
        tape.append((inputs, before, list(states), error))

    cell_bars = [{"w": np.zeros(cell.w.shape), "u": np.zeros(cell.u.shape), "b": np.zeros(cell.b.shape)} for cell in cells]
    readout_bar = np.zeros(network.readout.shape)
    xs_bar = np.zeros(xs.shape)
    state_bars = [np.zeros(cell.b.shape) for cell in cells]
    for t in reversed(range(len(xs))):
        inputs, before, after, error = tape[t]
        # loss += (network.step(x) - target) ** 2
        error_bar = 2.0 / len(xs) * error
        # return x @ self.readout
        readout_bar += error_bar * after[-1]
        x_bar = error_bar * network.readout
        for k in reversed(range(len(cells))):
            # self.h = np.tanh(x @ self.w + self.h @ self.u + self.b)
            cell, cell_bar = cells[k], cell_bars[k]
            z_bar = (x_bar + state_bars[k]) * (1.0 - after[k] ** 2)
            cell_bar["w"] += np.outer(inputs[k], z_bar)
            cell_bar["u"] += np.outer(before[k], z_bar)
            cell_bar["b"] += z_bar
            x_bar = cell.w @ z_bar
            state_bars[k] = cell.u @ z_bar
        xs_bar[t] = x_bar
    return loss / len(xs), ({"cells": cell_bars, "readout": readout_bar}, xs_bar)


INPUTS = ("network", "xs")
COUNTED = "turns"


def make(size, rng):
    width, n = {"tiny": (2, 3), "full": (4, 40)}.get(size) or (4, size)
    cells = [Cell(*(0.5 * rng.standard_normal(shape) for shape in ((width, width), (width, width), width))) for _ in range(2)]
    return Network(cells, rng.standard_normal(width)), rng.standard_normal((n, width)), rng.standard_normal(n)
