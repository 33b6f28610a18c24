"""Triangular, tridiagonal and Toeplitz solves, and iterations with work arrays."""
import numpy as np

from tests.programs.kernels.factorizations import dominant, positive
from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def trisolv(L, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


case(trisolv, lambda rng: (dominant(rng, 4), np.zeros(4), rng.standard_normal(4)), ("L", "b", "x"), ("x",))


def back_substitution(U, b):
    """The solution replaces the right-hand side."""
    for i in range(len(b) - 1, -1, -1):
        for j in range(i + 1, len(b)):
            b[i] -= U[i, j] * b[j]
        b[i] /= U[i, i]
    return b


case(back_substitution, lambda rng: (dominant(rng, 4), rng.standard_normal(4)), ("U", "b"), order=3)


def many_right_sides(L, B):
    """Column-oriented forward substitution for a matrix of right-hand sides."""
    n = L.shape[0]
    for k in range(n):
        B[k] /= L[k, k]
        B[k + 1:] -= L[k + 1:, k, None] * B[k]


case(many_right_sides, lambda rng: (dominant(rng, 4), rng.standard_normal((4, 2))), ("L", "B"), ("B",))


def durbin(r, y):
    """Yule-Walker equations; the reflected part of y is read while y is updated."""
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha


case(durbin, lambda rng: (rng.uniform(-0.3, 0.3, 5), np.zeros(5)), ("r", "y"), ("y",))


def durbin_elements(r):
    n = len(r)
    y = np.empty(n)
    z = np.empty(n)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, n):
        beta = (1 - alpha * alpha) * beta
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return y


case(durbin_elements, lambda rng: (rng.uniform(-0.3, 0.3, 4),), ("r",))


def levinson(r, b):
    """Toeplitz system: order-recursive, with a reversed view added to its own base."""
    n = len(b)
    f = np.zeros(n)
    x = np.zeros(n)
    f[0] = 1.0 / r[0]
    x[0] = b[0] / r[0]
    for k in range(1, n):
        ef = np.dot(r[k:0:-1], f[:k])
        ex = np.dot(r[k:0:-1], x[:k])
        d = 1.0 / (1.0 - ef * ef)
        forward = f[:k + 1].copy()
        f[:k + 1] = d * (forward - ef * forward[::-1])
        x[:k + 1] += (b[k] - ex) * f[k::-1]
    return x


case(levinson, lambda rng: (np.array([2.0, 0.5, -0.3, 0.2]), rng.standard_normal(4)), ("r", "b"))


def thomas(a, b, c, d):
    """Tridiagonal solve: c and d are overwritten; the solution is in d."""
    n = len(d)
    c[0] /= b[0]
    d[0] /= b[0]
    for i in range(1, n):
        m = b[i] - a[i] * c[i - 1]
        c[i] /= m
        d[i] = (d[i] - a[i] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]


case(thomas, lambda rng: (rng.uniform(-1, 1, 5), rng.uniform(3, 4, 5), rng.uniform(-1, 1, 5), rng.standard_normal(5)),
     ("a", "b", "c", "d"), ("c", "d"))


def crank_nicolson(u, kappa, dt, dx, steps):
    """Heat equation: the right-hand side and the Thomas sweeps work in buffers that are used again."""
    n = u.shape[0]
    r = 0.5 * kappa * dt / dx ** 2
    cp = np.empty(n - 2)
    rhs = np.empty(n - 2)
    for step in range(steps):
        rhs[:] = r * u[:-2] + (1 - 2 * r) * u[1:-1] + r * u[2:]
        rhs[0] += r * u[0]
        rhs[-1] += r * u[-1]
        cp[0] = -r / (1 + 2 * r)
        rhs[0] /= 1 + 2 * r
        for i in range(1, n - 2):
            m = 1 + 2 * r + r * cp[i - 1]
            cp[i] = -r / m
            rhs[i] = (rhs[i] + r * rhs[i - 1]) / m
        u[n - 2] = rhs[n - 3]
        for i in range(n - 3, 0, -1):
            u[i] = rhs[i - 1] - cp[i - 1] * u[i + 1]
    return u


case(crank_nicolson, lambda rng: (rng.standard_normal(6), 0.8, 0.1, 0.5, 2), ("u", "kappa"))


def conjugate_gradient(A, b, iterations):
    """x, r and p are updated in place."""
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for _ in range(iterations):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p *= new / rs
        p += r
        rs = new
    return x


case(conjugate_gradient, lambda rng: (positive(rng, 4) + np.eye(4), rng.standard_normal(4), 2), ("A", "b"))


def power_iteration(A, v, iterations):
    """`out=` into a work vector, which is then normalised into the state."""
    w = np.empty_like(v)
    for _ in range(iterations):
        np.dot(A, v, out=w)
        np.divide(w, np.sqrt(np.dot(w, w)), out=v)
    return v @ A @ v


case(power_iteration, lambda rng: (positive(rng, 3), rng.uniform(0.5, 1, 3), 3), ("A", "v"))


def gauss_seidel(A, b, x, tol):
    """Until the largest change is small."""
    n = len(b)
    while True:
        change = 0.0
        for i in range(n):
            old = x[i]
            x[i] = (b[i] - A[i, :i] @ x[:i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
            change = max(change, abs(x[i] - old))
        if change < tol:
            break
    return x


case(gauss_seidel, lambda rng: (dominant(rng, 3) + 3 * np.eye(3), rng.standard_normal(3), np.zeros(3), 0.05),
     ("A", "b", "x"))


def multigrid_two_level(u, f, sweeps):
    """Smoothing by a helper that works in place, restriction to strided views, correction by slices."""
    h2 = 1.0

    def smooth(v, g, count):
        for _ in range(count):
            v[1:-1] += 0.6 * (0.5 * (v[:-2] + v[2:] - h2 * g[1:-1]) - v[1:-1])

    smooth(u, f, sweeps)
    r = np.zeros_like(u)
    r[1:-1] = f[1:-1] - (u[:-2] - 2 * u[1:-1] + u[2:]) / h2
    coarse_r = r[::2].copy()
    e = np.zeros_like(coarse_r)
    smooth(e, 4.0 * coarse_r, 3 * sweeps)
    u[::2] += e
    u[1::2] += 0.5 * (e[:-1] + e[1:])
    smooth(u, f, sweeps)


case(multigrid_two_level, lambda rng: (rng.standard_normal(9), rng.standard_normal(9), 2), ("u", "f"), ("u",),
     linear=True)


def kalman_update(x, P, z, H, R):
    """Measurements are taken in one after another; state and covariance are overwritten."""
    for i in range(z.shape[0]):
        h = H[i]
        Ph = P @ h
        s = h @ Ph + R[i]
        K = Ph / s
        x += K * (z[i] - h @ x)
        P -= np.outer(K, Ph)
    P[:] = 0.5 * (P + P.T)


case(kalman_update, lambda rng: (rng.standard_normal(3), positive(rng, 3), rng.standard_normal(2),
                                 rng.standard_normal((2, 3)), np.array([0.5, 0.8])), ("x", "P", "z", "H", "R"),
     ("x", "P"))
