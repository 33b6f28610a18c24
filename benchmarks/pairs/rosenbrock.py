"""Rosenbrock function of a vector: gradient, Hessian-vector product, Hessian."""
import numpy as np


def primal(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def adjoint(x):
    head, tail = x[:-1], x[1:]
    u = tail - head * head
    v = 1.0 - head
    value = np.sum(100.0 * u ** 2 + v ** 2)

    x_bar = np.empty_like(x)
    u_bar = 200.0 * u
    x_bar[0] = 0.0
    x_bar[1:] = u_bar
    x_bar[:-1] -= 2.0 * (u_bar * head + v)
    return value, (x_bar,)


def hvp(x, dx):
    """Directional derivative of the gradient (the adjoint above, differentiated forward along dx)."""
    head, tail = x[:-1], x[1:]
    dhead, dtail = dx[:-1], dx[1:]
    u_bar = 200.0 * (tail - head * head)
    dbu = 200.0 * (dtail - 2.0 * head * dhead)
    dbx = np.empty_like(x)
    dbx[0] = 0.0
    dbx[1:] = dbu
    dbx[:-1] -= 2.0 * (dbu * head + u_bar * dhead - dhead)
    return dbx


def hessian(x):
    """One Hessian-vector product per coordinate."""
    n = x.shape[0]
    H = np.empty((n, n))
    e = np.zeros(n)
    for i in range(n):
        e[i] = 1.0
        H[i] = hvp(x, e)
        e[i] = 0.0
    return H


def hessian_batched(x):
    """The same product for all coordinates at once: dx is the identity, one column per direction."""
    n = x.shape[0]
    dx = np.eye(n)
    head, tail = x[:-1, None], x[1:, None]
    dhead, dtail = dx[:-1], dx[1:]
    u_bar = 200.0 * (tail - head * head)
    dbu = 200.0 * (dtail - 2.0 * head * dhead)
    dbx = np.empty((n, n))
    dbx[0] = 0.0
    dbx[1:] = dbu
    dbx[:-1] -= 2.0 * (dbu * head + u_bar * dhead - dhead)
    return dbx


INPUTS = ("x",)


def make(size, rng):
    return rng.standard_normal({"tiny": 5, "full": 100}[size]),
