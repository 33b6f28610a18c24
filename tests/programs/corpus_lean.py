"""Programs whose adjoint saves, guards or computes less than the plain one: what it leaves out must not be missed."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1, 0.6])
MATRIX = np.array([[1.2, -0.5, 0.3], [0.4, 0.9, -0.7], [-0.2, 0.6, 1.5]])


def softened_pull(pos, steps):
    acc = np.zeros_like(pos)
    for _ in range(steps):
        acc[:] = 0.0
        for i in range(len(pos)):
            d = pos - pos[i]
            acc[i] += np.sum((np.sum(d * d, axis=1) + 0.01) ** -1.5 * d[:, 0])
        pos = pos + 0.01 * acc
    return np.sum(pos * pos)


case(softened_pull, MATRIX, 2)


def unsafe_pull(pos):
    """No lower bound: the place where the distance is zero is dropped, and must be guarded."""
    total = np.zeros(len(pos))
    for i in range(len(pos)):
        r2 = (pos - pos[i]) ** 2
        weight = np.where(r2 > 0.0, (r2 + (r2 == 0.0)) ** -1.5, 0.0)
        near = np.where(r2 > 0.0, np.sqrt(r2), 0.0)
        total[i] = np.sum(weight) + np.sum(near)
    return np.sum(total * total)


case(unsafe_pull, VECTOR)


def bounded_roots(x, keep):
    a = np.where(keep, np.sqrt(x * x + 0.5), 1.0)
    b = np.where(keep, np.log(np.abs(x) + 0.1), x)
    c = np.where(keep, 1.0 / (np.exp(x) + 1.0), 0.0)
    d = np.where(keep, np.log1p(x ** 2), x)
    e = np.where(keep, np.sqrt(np.mean(x * x) + 2.0), 0.0)
    return np.sum(a * b + c * d + e)


case(bounded_roots, VECTOR, np.array([True, False, True, False]))


def unbounded_roots(x, keep):
    a = np.where(keep, np.sqrt(x * x), 1.0)
    b = np.where(keep, np.log(np.exp(-1e4 * x * x) + 0.0 * x), 2.0 * x)
    return np.sum(a + b)


case(unbounded_roots, np.array([0.01, 0.0, -0.02, 0.0]), np.array([True, False, True, False]), order=1)


def changing_bound(x, n):
    r = x * x + 1.0
    for _ in range(n):
        r = r - 1.0
        x = np.where(r > 0.5, np.sqrt(np.where(r > 0.5, r, 1.0)), x)
    return np.sum(x)


case(changing_bound, np.array([1.2, 0.4, -1.4]), 1)


def negative_powers(x):
    return np.sum(x ** -1.5 + x ** -2 + x ** -0.5) + x[0] ** -3


case(negative_powers, np.array([0.7, 1.9]), order=3)


def few_reads(u, k, steps):
    n = len(u)
    ghost = np.empty(n + 2)
    total = 0.0
    for it in range(steps):
        ghost[1:-1] = u
        ghost[0], ghost[-1] = ghost[-2], ghost[1]
        u[:] = u + k * (ghost[2:] - 2 * ghost[1:-1] + ghost[:-2])
        ghost[:] *= 0.5
        total += ghost[it % n] ** 2
    return total + np.sum(u ** 2)


case(few_reads, VECTOR, 0.1, 3, oracle=False)
case(few_reads, VECTOR, 0.1, 3, inputs=("u", "k"), oracle=False)


def few_parts_read(u, steps):
    x = np.zeros(6)
    total = 0.0
    for it in range(steps):
        x[:] = u * (it + 1.0)
        x[1:5] *= 0.5
        x[0:3] = x[2:5]
        x[:] *= 0.25
        part = x[it:it + 2]
        total += np.sum(part * part * part)
    x[:] *= 3.0
    return total + np.sum(x)


case(few_parts_read, np.linspace(-0.5, 0.8, 6), 3)


def few_reads_and_all(u, steps):
    """The array itself is needed, too."""
    x = np.zeros(len(u))
    total = 0.0
    for it in range(steps):
        x[:] = u * (it + 1.0)
        x[1:] *= 0.5
        x[:-1] += x[1:]
        total += x[it] ** 2 + np.sum(np.sin(x))
    return total


case(few_reads_and_all, VECTOR, 3)


def few_reads_in_a_branch(u, steps):
    x = np.zeros(len(u))
    total = 0.0
    for it in range(steps):
        x[:] = u * (it + 1.0)
        x[1:] *= 0.5
        x[:-1] += x[1:]
        if it % 2:
            total += x[it] ** 3
        else:
            total += math.sin(x[0])
    return total


case(few_reads_in_a_branch, VECTOR, 4)


def shapes_only(filters, signal):
    taps = filters.shape[1]
    m = signal.shape[0] - taps + 1
    response = np.zeros((filters.shape[0], m))
    for k in range(taps):
        response = response + filters[:, k, None] * signal[k:k + m]
    return np.sum(np.log(np.mean(response * response, axis=1)))


case(shapes_only, MATRIX, np.linspace(-1.0, 2.0, 7) ** 2, inputs=("filters", "signal"))


def growing_shapes(x, n):
    """What is added is broadcast in one iteration and not in another."""
    y = x[:1]
    for k in range(n):
        y = y + x[:1 + 3 * k] * 0.5
    return np.sum(y * y)


case(growing_shapes, VECTOR, 2)


def polynomial_by_numbers(a, b, xs):
    loss = 0.0
    for x in xs:
        r = ((a * x + b) * x + a) * x - b
        if abs(r) < 1.0:
            loss += 0.5 * r * r
        else:
            loss += abs(r) - 0.5
    return loss


case(polynomial_by_numbers, 0.4, -0.3, [0.5, 1.5, -2.0, 0.1], inputs=("a", "b"))


def multiples(x, c):
    p = -0.5 * x
    q = x * x
    return np.sum(np.exp(p * x) * c + 0.5 * c * x * x + q * x - 0.25 * q * c - c * (2.0 * x) + p * q)


case(multiples, VECTOR, 0.7, inputs=("x", "c"), order=3)


def cancelling_terms(x):
    y = 0.5 * x
    return np.sum(y * x - 0.5 * (x * x) + np.sin(x) * x - x * np.sin(x) + x)


case(cancelling_terms, VECTOR)


def absolute_numbers(x, y):
    return abs(x) * y + abs(x * y) ** 2 + abs(y - 3.0)


case(absolute_numbers, -0.7, 0.4, inputs=("x", "y"))


def taken_elements(a, b):
    r = np.zeros((3, 3))
    for k in range(3):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]) + 1.0)
        for j in range(k, 3):
            r[k, j] = r[k, k] * b[j] + r[k, j] * a[j, k]
            a[:, j] -= a[:, k] * r[k, j] * 0.1
        r[k, k] += r[k, k] * b[k]
    return np.sum(r * r) + np.sum(a)


case(taken_elements, MATRIX, VECTOR, inputs=("a", "b"))


def transposed_products(a, b):
    c = (a.T @ b).T @ a + (a @ b.T).T
    return np.sum((b.T @ c).T * a)


case(transposed_products, MATRIX, MATRIX[:, ::-1] + 0.1, inputs=("a", "b"))


def determinants(a):
    small = np.linalg.det(a[:2, :2]) * np.linalg.det(a[:1, :1])
    return np.log(np.linalg.det(a @ a.T + np.eye(3))) + small + np.sum(np.linalg.det(np.stack([a[:2, 1:], a[1:, :2]])))


case(determinants, MATRIX, oracle=False)


def evidence(log_scale, x, y):
    z = x / np.exp(log_scale)
    square = np.sum(z * z, axis=1)
    k = np.exp(z @ z.T - 0.5 * square[:, None] - 0.5 * square) + 0.3 * np.eye(len(y))
    factor = np.linalg.cholesky(k)
    w = np.linalg.solve(factor, y)
    return 0.5 * np.dot(w, w) + np.sum(np.log(np.diag(factor)))


case(evidence, np.array([0.1, -0.2, 0.3]), MATRIX, VECTOR[:3], inputs="log_scale", oracle=False)


def overwritten_whole(a, b, d):
    d[:] = a @ b + 2.0 * d * d
    d[:] = d * d + 1.0
    return np.sum(d @ a) + np.sum(d[0])


case(overwritten_whole, MATRIX, MATRIX.T + 0.3, MATRIX - 0.2, inputs=("a", "b", "d"))


def overwritten_whole_in_a_loop(u, steps):
    v = u[1:]
    w = np.zeros(len(u) + 1)
    for _ in range(steps):
        w[:] = w * 0.5 + 1.0
        w[1:] += u * w[:-1]
        u[:] = u * u + 0.1
        v *= 0.5
        w[:] = np.sin(w)
    return np.sum(w * w) + np.sum(u * v[0])


case(overwritten_whole_in_a_loop, VECTOR, 3)


def sums_of_products(a, b, c):
    return c * np.sum(a @ b) + np.sum(a @ b[:, 0]) + np.sum((a + c) @ (a @ b))


case(sums_of_products, MATRIX, MATRIX + 0.5, 0.4, inputs=("a", "b", "c"))


def sums_only(x, y, c):
    return c * np.sum(x) + np.sum(y)


case(sums_only, MATRIX, VECTOR, 0.4, inputs=("x", "y", "c"))


def sizes_and_more(u, m):
    n = len(u)
    a, b, c = np.zeros(n + 1), np.zeros(n + 3), np.ones((n + 2, m + 1))
    a[1:] = np.cumsum(u)
    b[1:-2] = u
    b[:-3] += a[1:] * a[:-1]
    b[1:-1] += a * 0.5
    c[1:-1] *= u[:, None]
    c[2:, 1:] += u[:, None] * c[:-2, :-1]
    return np.sum(b * b) + np.sum(c * c) + np.sum(a[:, None] * c[:-1, :1])


case(sizes_and_more, VECTOR, 2)
case(sizes_and_more, VECTOR[:2], 0)
case(sizes_and_more, VECTOR[:1], 1)
