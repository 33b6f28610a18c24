"""Burgers' equation by finite volumes on a circle, Rusanov fluxes, squared distance to what was seen at the end."""
import numpy as np


def primal(u, seen, courant, steps):
    for _ in range(steps):
        right = np.roll(u, -1)
        speed = np.maximum(np.abs(u), np.abs(right))
        flux = 0.25 * (u * u + right * right) - 0.5 * speed * (right - u)
        u = u - courant * (flux - np.roll(flux, 1))
    return np.sum((u - seen) ** 2)


def adjoint(u, seen, courant, steps):
    """Gradient with respect to u."""
    u_tape = []
    for _ in range(steps):
        u_tape.append(u)
        right = np.roll(u, -1)
        speed = np.maximum(np.abs(u), np.abs(right))
        flux = 0.25 * (u * u + right * right)
        flux -= 0.5 * speed * (right - u)
        u = u - courant * (flux - np.roll(flux, 1))
    err = u - seen
    value = np.dot(err, err)

    u_bar = 2.0 * err
    for _ in range(steps):
        u = u_tape.pop()
        right = np.roll(u, -1)
        # u = u - courant * (flux - roll(flux, 1))
        flux_bar = courant * (np.roll(u_bar, -1) - u_bar)
        # flux = 0.25 * (u * u + right * right) - 0.5 * speed * (right - u)
        size, size_right = np.abs(u), np.abs(right)
        left_is_greater = size > size_right
        half = 0.5 * flux_bar
        through = half * np.maximum(size, size_right)
        speed_bar = half * (u - right)
        u_bar += half * u
        u_bar += through
        u_bar += np.where(left_is_greater, speed_bar, 0.0) * np.sign(u)
        right_bar = half * right
        right_bar -= through
        right_bar += np.where(left_is_greater, 0.0, speed_bar) * np.sign(right)
        u_bar += np.roll(right_bar, 1)
    return value, u_bar


INPUTS = ("u",)


def make(size, rng):
    n, steps = {"tiny": (12, 3), "full": (4000, 50)}[size]
    return 0.5 + rng.uniform(0.0, 1.0, n), rng.standard_normal(n), 0.2, steps
