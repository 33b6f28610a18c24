"""A chain of masses and springs: objects in a list, methods that change attributes.

The adjoint of an object is one dict, updated in place.
"""
import numpy as np


class Mass:
    def __init__(self, m, x, v):
        self.m = m
        self.x = x
        self.v = v

    def push(self, force, dt):
        self.v = self.v + dt * force / self.m

    def move(self, dt):
        self.x = self.x + dt * self.v


def primal(m, x, v, stiffness, rest, dt, steps):
    chain = [Mass(m[i], x[i], v[i]) for i in range(len(m))]
    for _ in range(steps):
        for left, right in zip(chain[:-1], chain[1:]):
            d = right.x - left.x
            length = np.sqrt(d @ d)
            force = stiffness * (length - rest) * d / length
            left.push(force, dt)
            right.push(-force, dt)
        for body in chain:
            body.move(dt)
    return sum(0.5 * body.m * (body.v @ body.v) for body in chain)


def adjoint(m, x, v, stiffness, rest, dt, steps):
    chain = [Mass(m[i], x[i], v[i]) for i in range(len(m))]
    tape = []
    for _ in range(steps):
        for left, right in zip(chain[:-1], chain[1:]):
            d = right.x - left.x
            length = np.sqrt(d @ d)
            force = stiffness * (length - rest) * d / length
            left.push(force, dt)
            right.push(-force, dt)
            tape.append((d, length, force))
        for body in chain:
            body.move(dt)
    value = sum(0.5 * body.m * (body.v @ body.v) for body in chain)

    chain_bar = [{"m": 0.5 * (body.v @ body.v), "x": np.zeros(body.x.shape), "v": body.m * body.v} for body in chain]
    stiffness_bar = rest_bar = 0.0
    for _ in range(steps):
        for body_bar in chain_bar:
            # self.x = self.x + dt * self.v
            body_bar["v"] += dt * body_bar["x"]
        for k in reversed(range(len(chain) - 1)):
            left, right, left_bar, right_bar = chain[k], chain[k + 1], chain_bar[k], chain_bar[k + 1]
            d, length, force = tape.pop()
            # right.push(-force, dt)
            right_bar["m"] += dt * (right_bar["v"] @ force) / right.m ** 2
            # left.push(force, dt)
            left_bar["m"] -= dt * (left_bar["v"] @ force) / left.m ** 2
            force_bar = dt * (left_bar["v"] / left.m - right_bar["v"] / right.m)
            # force = stiffness * (length - rest) * d / length
            along = (force_bar @ d) / length
            stiffness_bar += (length - rest) * along
            rest_bar -= stiffness * along
            d_bar = stiffness * ((length - rest) * force_bar + rest * along / length * d) / length
            # d = right.x - left.x
            right_bar["x"] += d_bar
            left_bar["x"] -= d_bar
    m_bar, x_bar, v_bar = (np.array([body_bar[key] for body_bar in chain_bar]) for key in ("m", "x", "v"))
    return value, (m_bar, x_bar, v_bar, stiffness_bar, rest_bar)


INPUTS = ("m", "x", "v", "stiffness", "rest")
COUNTED = "masses"


def make(size, rng):
    n, steps = {"tiny": (3, 4), "full": (4, 30)}.get(size) or (size, 4)
    x = np.cumsum(1.0 + rng.random((n, 2)), axis=0)
    return 1.0 + rng.random(n), x, rng.standard_normal((n, 2)), 3.0, 1.2, 0.02, steps
