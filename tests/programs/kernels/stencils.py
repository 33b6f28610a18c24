"""Stencils: buffers in turn, sweeps in place, slices that overlap their targets."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def jacobi_1d(tsteps, A, B):
    for t in range(1, tsteps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


case(jacobi_1d, lambda rng: (4, rng.standard_normal(7), rng.standard_normal(7)), ("A", "B"), ("A", "B"), linear=True)


def jacobi_1d_elements(tsteps, n, A, B):
    for t in range(tsteps):
        for i in range(1, n - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])


case(jacobi_1d_elements, lambda rng: (2, 6, rng.standard_normal(6), rng.standard_normal(6)), ("A", "B"), ("A",),
     linear=True)


def jacobi_2d(tsteps, A, B):
    for t in range(1, tsteps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


case(jacobi_2d, lambda rng: (3, rng.standard_normal((4, 5)), rng.standard_normal((4, 5))), ("A", "B"), ("A",),
     linear=True)


def jacobi_swap(A, steps):
    """One work buffer, exchanged after every step."""
    B = A.copy()
    for _ in range(steps):
        B[1:-1] = 0.25 * A[:-2] + 0.5 * A[1:-1] + 0.25 * A[2:]
        A, B = B, A
    return A


case(jacobi_swap, lambda rng: (rng.standard_normal(6), 3), ("A",), linear=True)


def nonlinear_swap(A, B, steps):
    """The buffers are arguments: which of them holds the result depends on the number of steps."""
    for _ in range(steps):
        B[1:-1] = A[1:-1] + 0.1 * np.sin(A[:-2]) * A[2:]
        B[0], B[-1] = A[0], A[-1]
        A, B = B, A
    return np.sum(A * A)


case(nonlinear_swap, lambda rng: (rng.standard_normal(5), np.zeros(5), 3), ("A", "B"), order=3)


def heat_3d(tsteps, A, B):
    for t in range(1, tsteps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, 0:-2])
            + A[1:-1, 1:-1, 1:-1])
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, 0:-2])
            + B[1:-1, 1:-1, 1:-1])


case(heat_3d, lambda rng: (2, rng.standard_normal((3, 4, 3)), rng.standard_normal((3, 4, 3))), ("A", "B"), ("A", "B"),
     linear=True)


def seidel_2d(tsteps, n, A):
    for t in range(tsteps):
        for i in range(1, n - 1):
            A[i, 1:-1] += (A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:]
                           + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:])
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


case(seidel_2d, lambda rng: (2, 4, rng.standard_normal((4, 4))), ("A",), ("A",), linear=True)


def sor(u, f, omega, sweeps):
    """Successive over-relaxation of the Poisson equation, element by element."""
    n = u.shape[0]
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                residual = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j]) - u[i, j]
                u[i, j] += omega * residual


case(sor, lambda rng: (rng.standard_normal((4, 4)), rng.standard_normal((4, 4)), 1.5, 2), ("u", "f", "omega"), ("u",))


def red_black(u, f, sweeps):
    """Gauss-Seidel in two colours, with strided slices."""
    for _ in range(sweeps):
        u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2] - f[1:-1:2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2] - f[2:-1:2])
    return u


case(red_black, lambda rng: (rng.standard_normal(7), rng.standard_normal(7), 2), ("u", "f"), linear=True)


def fdtd_2d(tmax, ex, ey, hz, fict):
    for t in range(tmax):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


case(fdtd_2d, lambda rng: (3, *rng.standard_normal((3, 3, 4)), rng.standard_normal(3)), ("ex", "ey", "hz", "fict"),
     ("ex", "ey", "hz"), linear=True)


def adi(tsteps, n, u):
    """Alternating directions: a tridiagonal solve along the columns, then along the rows."""
    v = np.empty(u.shape)
    p = np.empty(u.shape)
    q = np.empty(u.shape)
    mul = 2.0 * n * n / tsteps
    a = -mul / 2.0
    b = 1.0 + mul
    c = a
    for t in range(1, tsteps + 1):
        v[0, 1:n - 1] = 1.0
        p[1:n - 1, 0] = 0.0
        q[1:n - 1, 0] = v[0, 1:n - 1]
        for j in range(1, n - 1):
            p[1:n - 1, j] = -c / (a * p[1:n - 1, j - 1] + b)
            q[1:n - 1, j] = (-a * u[j, 0:n - 2] + (1.0 + 2.0 * a) * u[j, 1:n - 1] - c * u[j, 2:n]
                             - a * q[1:n - 1, j - 1]) / (a * p[1:n - 1, j - 1] + b)
        v[n - 1, 1:n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:n - 1] = p[1:n - 1, j] * v[j + 1, 1:n - 1] + q[1:n - 1, j]
        u[1:n - 1, 0] = 1.0
        p[1:n - 1, 0] = 0.0
        q[1:n - 1, 0] = u[1:n - 1, 0]
        for j in range(1, n - 1):
            p[1:n - 1, j] = -c / (a * p[1:n - 1, j - 1] + b)
            q[1:n - 1, j] = (-a * v[0:n - 2, j] + (1.0 + 2.0 * a) * v[1:n - 1, j] - c * v[2:n, j]
                             - a * q[1:n - 1, j - 1]) / (a * p[1:n - 1, j - 1] + b)
        u[1:n - 1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:n - 1, j] = p[1:n - 1, j] * u[1:n - 1, j + 1] + q[1:n - 1, j]


case(adi, lambda rng: (2, 5, rng.standard_normal((5, 5))), ("u",), ("u",))


def burgers(u, nu, dx, dt, steps):
    """Upwind advection and diffusion; the old state is a copy."""
    for _ in range(steps):
        un = u.copy()
        u[1:-1] = (un[1:-1] - un[1:-1] * dt / dx * (un[1:-1] - un[:-2])
                   + nu * dt / dx ** 2 * (un[2:] - 2 * un[1:-1] + un[:-2]))
        u[0] = un[0] - un[0] * dt / dx * (un[0] - un[-2]) + nu * dt / dx ** 2 * (un[1] - 2 * un[0] + un[-2])
        u[-1] = u[0]
    return u


case(burgers, lambda rng: (rng.uniform(1, 2, 6), 0.07, 0.5, 0.1, 3), ("u", "nu"), order=3)


def cavity_pressure(p, b, dx, dy, sweeps):
    """Pressure Poisson sweeps of the lid-driven cavity, with its boundary stores."""
    for q in range(sweeps):
        pn = p.copy()
        p[1:-1, 1:-1] = (((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy ** 2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx ** 2)
                         / (2 * (dx ** 2 + dy ** 2))
                         - dx ** 2 * dy ** 2 / (2 * (dx ** 2 + dy ** 2)) * b[1:-1, 1:-1])
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


case(cavity_pressure, lambda rng: (*rng.standard_normal((2, 4, 4)), 0.3, 0.4, 2), ("p", "b"), ("p",), linear=True)


def upwind_shift(y, c, steps):
    """Source and target of the store overlap."""
    for _ in range(steps):
        y[1:] = (1 - c) * y[1:] + c * y[:-1]
        y[:-1] += 0.1 * y[1:] * y[1:]
    return y


case(upwind_shift, lambda rng: (rng.standard_normal(5), 0.4, 3), ("y", "c"))


def gray_scott(U, V, Du, Dv, F, k, steps):
    """Reaction and diffusion on interiors that are views, bound once before the loop."""
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
    for _ in range(steps):
        Lu = U[0:-2, 1:-1] + U[1:-1, 0:-2] - 4 * U[1:-1, 1:-1] + U[1:-1, 2:] + U[2:, 1:-1]
        Lv = V[0:-2, 1:-1] + V[1:-1, 0:-2] - 4 * V[1:-1, 1:-1] + V[1:-1, 2:] + V[2:, 1:-1]
        uvv = u * v * v
        u += Du * Lu - uvv + F * (1 - u)
        v += Dv * Lv + uvv - (F + k) * v
    return V


case(gray_scott, lambda rng: (rng.uniform(0.5, 1, (4, 4)), rng.uniform(0, 0.5, (4, 4)), 0.16, 0.08, 0.06, 0.062, 3),
     ("U", "V", "F", "k"))


def wave_three_levels(u0, u1, c, steps):
    """Three time levels that change places."""
    old, now, new = u0, u1, np.zeros_like(u0)
    for _ in range(steps):
        new[1:-1] = 2 * now[1:-1] - old[1:-1] + c ** 2 * (now[2:] - 2 * now[1:-1] + now[:-2])
        old, now, new = now, new, old
    return now


case(wave_three_levels, lambda rng: (*rng.standard_normal((2, 6)), 0.6, 4), ("u0", "u1", "c"))


def prefix_sums(x):
    """A running sum in place, element by element."""
    for i in range(1, len(x)):
        x[i] += x[i - 1]


case(prefix_sums, lambda rng: (rng.standard_normal(6),), ("x",), ("x",), linear=True)
