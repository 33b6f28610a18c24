"""Gravity in leapfrog steps; accelerations are accumulated body by body in one buffer, pos and vel overwritten.

Only positions are saved: velocities are not read by any adjoint, accelerations are linear in what is kept.
"""
import numpy as np


def primal(pos, vel, mass, dt, steps):
    acc = np.zeros_like(pos)
    for t in range(steps):
        acc[:] = 0.0
        for i in range(len(mass)):
            d = pos - pos[i]
            r2 = np.sum(d * d, axis=1) + 0.01
            acc[i] += (mass * r2 ** -1.5) @ d
        vel += dt * acc
        pos += dt * vel
    return np.sum(pos * pos)


def adjoint(pos, vel, mass, dt, steps):
    pos, vel = pos.copy(), vel.copy()
    acc = np.zeros_like(pos)
    pos_tape = []
    for t in range(steps):
        pos_tape.append(pos.copy())
        for i in range(len(mass)):
            d = pos - pos[i]
            r2 = np.sum(d * d, axis=1) + 0.01
            acc[i] = (mass * r2 ** -1.5) @ d
        vel += dt * acc
        pos += dt * vel
    value = np.sum(pos * pos)

    pos_bar = 2.0 * pos
    vel_bar = np.zeros_like(vel)
    mass_bar = np.zeros_like(mass)
    for t in range(steps):
        # pos += dt * vel;  vel += dt * acc
        vel_bar += dt * pos_bar
        acc_bar = dt * vel_bar
        pos = pos_tape.pop()
        for i in range(len(mass) - 1, -1, -1):
            # acc[i] += (mass * r2 ** -1.5) @ d
            d = pos - pos[i]
            r2 = np.sum(d * d, axis=1) + 0.01
            near = r2 ** -1.5
            weight_bar = d @ acc_bar[i]
            mass_bar += weight_bar * near
            r2_bar = (-1.5 * weight_bar * mass) * (near / r2)
            # r2 = sum(d * d) + 0.01;  d = pos - pos[i]
            d_bar = np.outer(mass * near, acc_bar[i])
            d_bar += (2.0 * r2_bar)[:, None] * d
            pos_bar += d_bar
            pos_bar[i] -= np.sum(d_bar, axis=0)
    return value, (pos_bar, vel_bar, mass_bar)


INPUTS = ("pos", "vel", "mass")
IN_PLACE = True
jax_primal = None           # no item assignment
autograd_primal = None      # no item assignment


def make(size, rng):
    n, steps = {"tiny": (3, 2), "full": (40, 20)}[size]
    return rng.standard_normal((n, 3)), 0.1 * rng.standard_normal((n, 3)), rng.uniform(0.5, 1.0, n) / n, 0.01, steps
