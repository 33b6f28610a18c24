"""Time stepping: integrators, oscillators, lattice Boltzmann, recurrences."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def leapfrog(q, p, k, dt, steps):
    """A chain of nonlinear springs; the trajectory is stored row by row."""
    path = np.empty((steps + 1, q.size))
    path[0] = q
    for t in range(steps):
        stretch = np.diff(q)
        tension = k * stretch + 0.3 * stretch ** 3
        p[:-1] += 0.5 * dt * tension
        p[1:] -= 0.5 * dt * tension
        q += dt * p
        stretch = np.diff(q)
        tension = k * stretch + 0.3 * stretch ** 3
        p[:-1] += 0.5 * dt * tension
        p[1:] -= 0.5 * dt * tension
        path[t + 1] = q
    return path


case(leapfrog, lambda rng: (*rng.standard_normal((2, 4)), 1.3, 0.1, 3), ("q", "p", "k"))


def logistic_map(x, r):
    """The element-by-element recurrence of a textbook."""
    for i in range(len(x) - 1):
        x[i + 1] = r * x[i] * (1 - x[i])
    return x


case(logistic_map, lambda rng: (np.full(6, 0.3), 3.2), ("x", "r"), order=3)


def van_der_pol(y, mu, dt):
    """Runge-Kutta of order two on rows of a preallocated table."""
    for n in range(y.shape[0] - 1):
        k1 = np.empty(2)
        k1[0] = y[n, 1]
        k1[1] = mu * (1 - y[n, 0] ** 2) * y[n, 1] - y[n, 0]
        mid = y[n] + 0.5 * dt * k1
        y[n + 1, 0] = y[n, 0] + dt * mid[1]
        y[n + 1, 1] = y[n, 1] + dt * (mu * (1 - mid[0] ** 2) * mid[1] - mid[0])


case(van_der_pol, lambda rng: (rng.standard_normal((5, 2)), 1.1, 0.2), ("y", "mu"), ("y",))

C = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


def lattice_boltzmann(f, omega, steps):
    """D2Q9: streaming by rolls, collision by stores direction by direction."""
    feq = np.empty_like(f)
    for _ in range(steps):
        for i, (cx, cy) in enumerate(C):
            f[i] = np.roll(f[i], (cx, cy), axis=(0, 1))
        rho = f.sum(axis=0)
        ux = np.sum(C[:, 0, None, None] * f, axis=0) / rho
        uy = np.sum(C[:, 1, None, None] * f, axis=0) / rho
        usq = 1.5 * (ux ** 2 + uy ** 2)
        for i in range(9):
            cu = 3 * (C[i, 0] * ux + C[i, 1] * uy)
            feq[i] = W[i] * rho * (1 + cu + 0.5 * cu ** 2 - usq)
        f += omega * (feq - f)


case(lattice_boltzmann, lambda rng: (W[:, None, None] * rng.uniform(0.8, 1.2, (9, 2, 2)), 1.2, 2), ("f", "omega"), ("f",))


def bounce_back(f, solid, steps):
    """One-dimensional lattice gas with walls: populations at solid sites are exchanged through a mask."""
    right, left = f[0], f[1]
    for _ in range(steps):
        right[1:] = right[:-1].copy()
        left[:-1] = left[1:].copy()
        right[solid], left[solid] = left[solid], right[solid]
    return f


case(bounce_back, lambda rng: (rng.standard_normal((2, 6)), np.array([True, False, False, False, True, True]), 3), ("f",),
     linear=True)


def hodgkin_huxley_like(V, n, I, dt):
    """Traces filled by index, with a gate and a voltage that read each other's last value."""
    for t in range(1, len(I)):
        alpha = 0.1 * np.exp(-V[t - 1] / 8)
        n[t] = n[t - 1] + dt * (alpha * (1 - n[t - 1]) - 0.2 * n[t - 1])
        V[t] = V[t - 1] + dt * (I[t - 1] - 3.6 * n[t] ** 4 * (V[t - 1] + 1.2) - 0.3 * V[t - 1])
    return V[-1]


case(hodgkin_huxley_like, lambda rng: (np.full(5, 0.2), np.full(5, 0.3), rng.standard_normal(5), 0.1), ("V", "n", "I"),
     order=3)


def adams_bashforth(u, A, dt, steps):
    """A multistep method whose history is shifted in place."""
    history = np.zeros((3, u.size))
    for step in range(steps):
        history[1:] = history[:-1]
        history[0] = np.sin(A @ u)
        if step < 2:
            u += dt * history[0]
        else:
            u += dt / 12 * (23 * history[0] - 16 * history[1] + 5 * history[2])


case(adams_bashforth, lambda rng: (rng.standard_normal(3), rng.standard_normal((3, 3)), 0.2, 5), ("u", "A"), ("u",))


def echo_state(W_res, W_in, inputs, leak):
    """A reservoir: the state is leaked in place and its history written into columns."""
    n, T = W_res.shape[0], inputs.shape[0]
    x = np.zeros(n)
    X = np.empty((n, T))
    for t in range(T):
        x *= 1 - leak
        x += leak * np.tanh(W_res @ x / (1 - leak) + W_in * inputs[t])
        X[:, t] = x
    return X


case(echo_state, lambda rng: (rng.standard_normal((3, 3)), rng.standard_normal(3), rng.standard_normal(4), 0.3),
     ("W_res", "W_in", "inputs", "leak"))


def population_model(N, fertility, survival, years):
    """Leslie model: ages move up by a shifted store, newborns are stored last."""
    for _ in range(years):
        born = fertility @ N
        N[1:] = survival * N[:-1]
        N[0] = born / (1 + 0.1 * N.sum())


case(population_model, lambda rng: (rng.uniform(1, 2, 4), rng.uniform(0, 1, 4), rng.uniform(0.5, 0.9, 3), 3),
     ("N", "fertility", "survival"), ("N",))


def adam(w, g, lr, b1, b2, steps):
    """Moments and parameters updated in place, as optimisers are written."""
    m = np.zeros_like(w)
    v = np.zeros_like(w)
    for t in range(1, steps + 1):
        grad = g * w + np.sin(w)
        m *= b1
        m += (1 - b1) * grad
        v *= b2
        v += (1 - b2) * grad * grad
        w -= lr * (m / (1 - b1 ** t)) / (np.sqrt(v / (1 - b2 ** t)) + 1e-3)


case(adam, lambda rng: (rng.uniform(0.5, 1, 3), rng.uniform(0.5, 1, 3), 0.1, 0.9, 0.99, 3), ("w", "g", "lr"), ("w",))
