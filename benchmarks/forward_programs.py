"""Programs of many kinds, as their users write them, for `benchmarks.forward`: functions, their arguments and inputs."""
from dataclasses import dataclass

import numpy as np

RNG = np.random.default_rng(38)


def advected(u, speed, dt, steps):
    u = u.copy()
    for _ in range(steps):
        if speed > 0:
            u[1:] -= dt * speed * (u[1:] - u[:-1])
            u[0] = 0.0
        else:
            u[:-1] -= dt * speed * (u[1:] - u[:-1])
            u[-1] = 0.0
    return u


def lorenz(state, sigma, rho, beta, dt, steps):
    def rate(s):
        x, y, z = s
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    for _ in range(steps):
        k1 = rate(state)
        k2 = rate(state + 0.5 * dt * k1)
        k3 = rate(state + 0.5 * dt * k2)
        k4 = rate(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


def mixture(data, means, spreads, weights, rounds):
    for _ in range(rounds):
        scaled = (data[:, None] - means) / spreads
        density = weights * np.exp(-0.5 * scaled ** 2) / spreads
        share = density / density.sum(axis=1, keepdims=True)
        total = share.sum(axis=0)
        means = share.T @ data / total
        spreads = np.sqrt((share * (data[:, None] - means) ** 2).sum(axis=0) / total)
        weights = total / len(data)
    return np.sum(np.log(density.sum(axis=1)))


def american_put(spot, strike, rate, volatility, years, steps):
    dt = years / steps
    up = np.exp(volatility * np.sqrt(dt))
    down = 1.0 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    discount = np.exp(-rate * dt)
    prices = spot * up ** np.arange(steps, -steps - 1, -2)
    values = np.maximum(strike - prices, 0.0)
    for i in reversed(range(steps)):
        prices = prices[:-1] * down
        values = discount * (p * values[:-1] + (1.0 - p) * values[1:])
        values = np.maximum(values, strike - prices)
    return values[0]


def tridiagonal(lower, diagonal, upper, right):
    n = len(diagonal)
    c, d = np.zeros(n), np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / m
        d[i] = (right[i] - lower[i] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def spline(x, y, at):
    h = np.diff(x)
    slope = np.diff(y) / h
    n = len(x)
    right = np.zeros(n)
    right[1:-1] = 6.0 * (slope[1:] - slope[:-1])
    diagonal = np.ones(n)
    diagonal[1:-1] = 2.0 * (h[1:] + h[:-1])
    lower, upper = np.zeros(n), np.zeros(n)
    lower[1:-1], upper[1:-1] = h[:-1], h[1:]
    m = tridiagonal(lower, diagonal, upper, right)
    j = np.clip(np.searchsorted(x, at) - 1, 0, n - 2)
    left, ahead = at - x[j], x[j + 1] - at
    return (m[j] * ahead ** 3 + m[j + 1] * left ** 3) / (6.0 * h[j]) + (
        (y[j] / h[j] - m[j] * h[j] / 6.0) * ahead + (y[j + 1] / h[j] - m[j + 1] * h[j] / 6.0) * left)


def reactor(p, start, dt, steps):
    c = dict(start)
    history = []
    for _ in range(steps):
        k = p["A"] * np.exp(-p["E"] / c["T"])
        burnt = k * c["a"] * c["b"]
        c["a"] += dt * (p["flow"] * (1.0 - c["a"]) - burnt)
        c["b"] += dt * (p["flow"] * (p["feed"] - c["b"]) - burnt)
        c["T"] += dt * (p["heat"] * burnt - p["loss"] * (c["T"] - 1.0))
        history.append(c["T"])
    return np.array(history)


def controlled(kp, ki, kd, steps, dt=0.05):
    level = integral = before = cost = 0.0
    for i in range(steps):
        target = 1.0 if i < steps // 2 else 0.4
        error = target - level
        integral += error * dt
        slope = (error - before) / dt
        before = error
        u = kp * error + ki * integral + kd * slope
        if u > 2.0:
            u = 2.0
            integral -= error * dt
        elif u < 0.0:
            u = 0.0
        level += dt * (u - 0.8 * level - 0.1 * level ** 3)
        cost += error ** 2 * dt
    return cost


def newton(f, slope, x, tolerance=1e-12):
    for _ in range(50):
        step = f(x) / slope(x)
        x = x - step
        if abs(step) < tolerance:
            break
    return x


def anomaly(mean, eccentricity):
    return newton(lambda e: e - eccentricity * np.sin(e) - mean, lambda e: 1.0 - eccentricity * np.cos(e), mean)


def simpson(f, a, b, fa, fm, fb, tolerance):
    m = 0.5 * (a + b)
    left, right = f(0.5 * (a + m)), f(0.5 * (m + b))
    whole = (b - a) / 6.0 * (fa + 4.0 * fm + fb)
    halves = (b - a) / 12.0 * (fa + 4.0 * left + 2.0 * fm + 4.0 * right + fb)
    if abs(halves - whole) < 15.0 * tolerance:
        return halves + (halves - whole) / 15.0
    return simpson(f, a, m, fa, left, fm, tolerance / 2.0) + simpson(f, m, b, fm, right, fb, tolerance / 2.0)


def peak_area(width, end):
    def f(t):
        return np.exp(-t * t / width) * np.cos(3.0 * t)

    return simpson(f, 0.0, end, f(0.0), f(0.5 * end), f(end), 1e-8)


def solved(A, b):
    n = len(b)
    A, x = A.copy(), b.copy()
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        x[k] = (x[k] - A[k, k + 1:] @ x[k + 1:]) / A[k, k]
    return x


class Body:
    def __init__(self, mass, position, velocity):
        self.mass, self.position, self.velocity = mass, position, velocity

    def kick(self, force, dt):
        self.velocity = self.velocity + dt * force / self.mass

    def drift(self, dt):
        self.position = self.position + dt * self.velocity


def orbits(masses, positions, velocities, dt, steps):
    bodies = [Body(m, x, v) for m, x, v in zip(masses, positions, velocities)]
    for _ in range(steps):
        for a in bodies:
            for b in bodies:
                if a is not b:
                    r = b.position - a.position
                    a.kick(a.mass * b.mass * r / (np.sum(r * r) + 0.01) ** 1.5, dt)
        for a in bodies:
            a.drift(dt)
    return np.stack([a.position for a in bodies])


def kalman(F, Q, H, R, observed):
    x, P = np.zeros(len(F)), np.eye(len(F))
    likelihood = 0.0
    for z in observed:
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        y = z - H @ x
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = P - K @ H @ P
        likelihood -= 0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S)))
    return likelihood


class Dense:
    def __init__(self, w, b, activation):
        self.w, self.b, self.activation = w, b, activation

    def __call__(self, x):
        return self.activation(x @ self.w + self.b)


def network(weights, biases, x, y):
    layers = [Dense(w, b, np.tanh) for w, b in zip(weights, biases)]
    for layer in layers:
        x = layer(x)
    return np.mean((x - y) ** 2)


def gauss_newton(p, t, y, rounds):
    for _ in range(rounds):
        decay = np.exp(-p[1] * t)
        residual = p[0] * decay + p[2] - y
        J = np.stack([decay, -p[0] * t * decay, np.ones_like(t)], axis=1)
        p = p - np.linalg.solve(J.T @ J + 1e-6 * np.eye(3), J.T @ residual)
    return p


def hidden_markov(start, move, emit, seen):
    alpha = start + emit[:, seen[0]]
    for symbol in seen[1:]:
        joint = alpha[:, None] + move
        top = joint.max(axis=0)
        alpha = top + np.log(np.exp(joint - top).sum(axis=0)) + emit[:, symbol]
    top = alpha.max()
    return top + np.log(np.sum(np.exp(alpha - top)))


def membrane(u, c, dt, steps):
    old, new = u.copy(), np.zeros_like(u)
    now = u.copy()
    for _ in range(steps):
        laplacian = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4.0 * now[1:-1, 1:-1]
        new[1:-1, 1:-1] = 2.0 * now[1:-1, 1:-1] - old[1:-1, 1:-1] + (c * dt) ** 2 * laplacian
        old, now, new = now, new, old
    return now


class Tank:
    def __init__(self, area, outlet):
        self.area, self.outlet = area, outlet
        self.level = 1.0

    def step(self, inflow, dt):
        out = self.outlet * np.sqrt(2.0 * 9.81 * max(self.level, 1e-6))
        self.level += dt * (inflow - out) / self.area
        return out


def cascade(areas, outlets, inflow, dt, steps):
    tanks = [Tank(a, o) for a, o in zip(areas, outlets)]
    total = 0.0
    for _ in range(steps):
        flow = inflow
        for tank in tanks:
            flow = tank.step(flow, dt)
        total += flow * dt
    return total


def payments(principal, rate, extra):
    balance, due = principal, principal * rate / (1.0 - (1.0 + rate) ** -120)
    for month in range(120):
        interest = balance * rate
        paid = min(due + extra, balance + interest)
        balance += interest - paid
        yield month, interest, paid


def cost_of_loan(principal, rate, extra, discount):
    total = worth = 0.0
    for month, interest, paid in payments(principal, rate, extra):
        total += interest
        worth += paid / (1.0 + discount) ** (month + 1)
    return total, worth


def yields(loads, strength):
    results = []
    for load in loads:
        try:
            if load > 3.0 * strength:
                raise ValueError("broken")
            results.append(np.sqrt(load / strength))
        except ValueError:
            results.append(3.0 - strength / load)
    return np.array(results)


@dataclass
class Attention:
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    scale: float = 0.25


def attended(x, block):
    scores = block.scale * (x @ block.query) @ (x @ block.key).T
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = scores / scores.sum(axis=-1, keepdims=True) @ (x @ block.value)
    centred = mixed - mixed.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(centred.var(axis=-1, keepdims=True) + 1e-5)


def programs():
    """Functions, their inputs and arguments."""
    layer = lambda n, m: 0.3 * RNG.normal(size=(n, m))                                                   # noqa: E731
    start = {"a": 0.5, "b": 0.5, "T": 1.2}
    p = {"A": 5.0, "E": 3.0, "flow": 0.4, "feed": 1.5, "heat": 2.0, "loss": 0.7}
    knots, t = np.linspace(0.0, 5.0, 60), np.linspace(0.0, 4.0, 500)
    return [
        (advected, ("u", "speed"), (RNG.normal(size=2000), 0.7, 0.5, 200)),
        (lorenz, ("state", "sigma", "rho", "beta"), (np.array([1.0, 1.1, 0.9]), 10.0, 28.0, 8.0 / 3.0, 0.01, 200)),
        (mixture, ("means", "spreads"), (RNG.normal(size=3000), np.array([-1.0, 0.2, 1.0]), np.ones(3), np.ones(3) / 3.0, 20)),
        (american_put, ("spot", "volatility", "rate"), (100.0, 105.0, 0.03, 0.2, 1.0, 300)),
        (spline, "y", (knots, np.sin(knots), np.linspace(0.1, 4.9, 1000))),
        (reactor, "p", (p, start, 0.02, 300)),
        (controlled, ("kp", "ki", "kd"), (2.0, 1.0, 0.05, 400)),
        (anomaly, ("mean", "eccentricity"), (0.8, 0.5)),
        (peak_area, ("width", "end"), (1.3, 2.0)),
        (solved, ("A", "b"), (RNG.normal(size=(30, 30)) + 10.0 * np.eye(30), RNG.normal(size=30))),
        (orbits, ("masses", "positions"), (np.array([1.0, 0.5, 0.2, 0.1]), RNG.normal(size=(4, 2)), RNG.normal(size=(4, 2)),
                                           0.01, 30)),
        (kalman, ("Q", "R"), (np.array([[1.0, 0.1], [0.0, 1.0]]), 0.1 * np.eye(2), np.array([[1.0, 0.0]]), np.eye(1),
                              RNG.normal(size=(100, 1)))),
        (network, ("weights", "biases"), ([layer(20, 50), layer(50, 50), layer(50, 3)], [np.zeros(50), np.zeros(50), np.zeros(3)],
                                          RNG.normal(size=(200, 20)), RNG.normal(size=(200, 3)))),
        (gauss_newton, ("p", "y"), (np.array([1.8, 0.9, 0.3]), t, 2.0 * np.exp(-t) + 0.2, 10)),
        (hidden_markov, ("move", "emit"), (np.log(np.ones(20) / 20.0), RNG.normal(size=(20, 20)), RNG.normal(size=(20, 5)),
                                           RNG.integers(0, 5, 200))),
        (membrane, ("u", "c"), (RNG.normal(size=(60, 60)), 0.5, 0.5, 100)),
        (cascade, ("areas", "outlets"), (np.linspace(1.0, 2.0, 10), np.linspace(0.01, 0.03, 10), 0.05, 0.1, 50)),
        (cost_of_loan, ("rate", "extra"), (1000.0, 0.004, 2.0, 0.002)),
        (yields, ("loads", "strength"), (np.linspace(0.5, 5.0, 100), 1.2)),
        (attended, ("x", "block"), (RNG.normal(size=(60, 32)), Attention(layer(32, 16), layer(32, 16), layer(32, 16)))),
    ]
