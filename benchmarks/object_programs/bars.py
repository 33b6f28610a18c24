"""A frame of bars that share their nodes swings under its weight: each bar holds references to two nodes, and pushes them."""
import math

import numpy as np


class Node:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.vx = 0.0
        self.vy = 0.0


class Bar:
    def __init__(self, left, right, stiffness):
        self.left = left
        self.right = right
        self.stiffness = stiffness
        self.rest = self.length()

    def length(self):
        return math.hypot(self.right.x - self.left.x, self.right.y - self.left.y)

    def act(self, dt):
        length = self.length()
        pull = dt * self.stiffness * (length - self.rest) / length
        dx, dy = self.right.x - self.left.x, self.right.y - self.left.y
        self.left.vx += pull * dx
        self.left.vy += pull * dy
        self.right.vx -= pull * dx
        self.right.vy -= pull * dy


def primal(xs, ys, stiffness, weight, dt, steps):
    nodes = [Node(x, y) for x, y in zip(xs, ys)]
    bars = []
    for k in range(len(nodes) - 1):
        for j in (k + 1, k + 2):
            if j < len(nodes):
                bars.append(Bar(nodes[k], nodes[j], stiffness[k]))
    for _ in range(steps):
        for bar in bars:
            bar.act(dt)
        for node in nodes[2:]:
            node.vy -= dt * weight
            node.x += dt * node.vx
            node.y += dt * node.vy
    energy = 0.0
    for bar in bars:
        energy += 0.5 * bar.stiffness * (bar.length() - bar.rest) ** 2
    return energy + nodes[-1].y ** 2


def adjoint(xs, ys, stiffness, weight, dt, steps):
    nodes = [Node(x, y) for x, y in zip(xs, ys)]
    bars, ends = [], []
    for k in range(len(nodes) - 1):
        for j in (k + 1, k + 2):
            if j < len(nodes):
                bars.append(Bar(nodes[k], nodes[j], stiffness[k]))
                ends.append((k, j))
    tape = []
    for _ in range(steps):
        for bar in bars:
            dx, dy = bar.right.x - bar.left.x, bar.right.y - bar.left.y
            length = math.hypot(dx, dy)
            pull = dt * bar.stiffness * (length - bar.rest) / length
            bar.left.vx += pull * dx
            bar.left.vy += pull * dy
            bar.right.vx -= pull * dx
            bar.right.vy -= pull * dy
            tape.append((dx, dy, length, pull))
        for node in nodes[2:]:
            node.vy -= dt * weight
            node.x += dt * node.vx
            node.y += dt * node.vy
    energy = 0.0
    for bar in bars:
        energy += 0.5 * bar.stiffness * (bar.length() - bar.rest) ** 2
    value = energy + nodes[-1].y ** 2

    node_bars = [Node(0.0, 0.0) for _ in nodes]
    stiffness_bar = np.zeros(stiffness.shape)
    rest_bars = [0.0] * len(bars)
    weight_bar = 0.0
    node_bars[-1].y = 2.0 * nodes[-1].y
    for b, (bar, (k, j)) in enumerate(zip(bars, ends)):
        # energy += 0.5 * bar.stiffness * (bar.length() - bar.rest) ** 2
        length = bar.length()
        stiffness_bar[k] += 0.5 * (length - bar.rest) ** 2
        length_bar = bar.stiffness * (length - bar.rest)
        rest_bars[b] = -length_bar
        length_reverse(bar.right.x - bar.left.x, bar.right.y - bar.left.y, length, length_bar, node_bars[k], node_bars[j])
    for _ in range(steps):
        for node_bar in node_bars[2:]:
            # node.y += dt * node.vy;  node.x += dt * node.vx;  node.vy -= dt * weight
            node_bar.vy += dt * node_bar.y
            node_bar.vx += dt * node_bar.x
            weight_bar -= dt * node_bar.vy
        for b in reversed(range(len(bars))):
            bar, (k, j) = bars[b], ends[b]
            left_bar, right_bar = node_bars[k], node_bars[j]
            dx, dy, length, pull = tape.pop()
            # self.left.vx += pull * dx ... self.right.vy -= pull * dy
            vx_bar, vy_bar = left_bar.vx - right_bar.vx, left_bar.vy - right_bar.vy
            pull_bar = vx_bar * dx + vy_bar * dy
            left_bar.x -= pull * vx_bar
            left_bar.y -= pull * vy_bar
            right_bar.x += pull * vx_bar
            right_bar.y += pull * vy_bar
            # pull = dt * self.stiffness * (length - self.rest) / length
            stretch_bar = dt * pull_bar / length
            stiffness_bar[k] += stretch_bar * (length - bar.rest)
            rest_bars[b] -= stretch_bar * bar.stiffness
            length_reverse(dx, dy, length, stretch_bar * bar.stiffness * bar.rest / length, left_bar, right_bar)
    for b, (k, j) in enumerate(ends):
        # self.rest = self.length()
        length_reverse(xs[j] - xs[k], ys[j] - ys[k], bars[b].rest, rest_bars[b], node_bars[k], node_bars[j])
    return value, (np.array([bar.x for bar in node_bars]), np.array([bar.y for bar in node_bars]), stiffness_bar, weight_bar)


def length_reverse(dx, dy, length, length_bar, left_bar, right_bar):
    along = length_bar / length
    left_bar.x -= along * dx
    left_bar.y -= along * dy
    right_bar.x += along * dx
    right_bar.y += along * dy


INPUTS = ("xs", "ys", "stiffness", "weight")
COUNTED = "nodes"


def make(size, rng):
    n, steps = {"tiny": (4, 3), "full": (8, 20)}.get(size) or (size, 3)
    xs = np.arange(n) + 0.1 * rng.standard_normal(n)
    ys = np.arange(n) % 2 + 0.1 * rng.standard_normal(n)
    return xs, ys, 5.0 + rng.random(n), 0.8, 0.03, steps
