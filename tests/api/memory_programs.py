"""Programs with long loops, for `memory=`: (function, inputs, arguments of several calls, bytes)."""
import math

import numpy as np

import sourcegrad as sg

RNG = np.random.default_rng(7)


def decay(x, rate, n):
    for _ in range(n):
        x = x - 0.01 * rate * x ** 3
    return x * x


def decay_of_array(x, rate, n):
    for _ in range(n):
        x = x - 0.01 * rate * np.sin(x)
    return np.sum(x ** 2)


def heat(u0, kappa, n, dt):
    u = u0.copy()
    for _ in range(n):
        u[1:-1] += dt * kappa * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def heat_2d(u, kappa, n):
    u = u + 0.0
    for _ in range(n):
        change = kappa[1:-1, 1:-1] * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.02 * np.sin(change)
    return np.sum(u ** 2)


def pendulum(state, length, n):
    angle, speed = state
    energy = 0.0
    for _ in range(n):
        speed = speed - 0.01 * 9.81 / length * np.sin(angle)
        angle = angle + 0.01 * speed
        energy += speed ** 2
    return energy + angle


def pair_carried(x, n):
    state = (x, 1.0)
    for i in range(n):
        a, b = state
        state = (a + 0.01 * b * i, b - 0.01 * np.sin(a))
    return state[0] * state[1]


def rnn(W, U, b, xs, h):
    loss = 0.0
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)
        loss += np.sum(h ** 2)
    return loss


def outputs_of_rnn(W, xs, h):
    out = []
    for x in xs:
        h = np.tanh(W @ h + x)
        out.append(h)
    return np.sum(np.stack(out) ** 2)


def some_outputs(x, n):
    seen = []
    for i in range(n):
        x = np.sin(x) * 1.01
        if i % 3 == 0:
            seen.append(x)
    total = 0.0
    for value in seen:
        total = total + np.sum(value)
    return total


def newton(x, a):
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def relaxation(x, target, rate):
    count = 0
    while np.sum((x - target) ** 2) > 1e-6:
        x = x + rate * np.tanh(target - x)
        count += 1
    return np.sum(x * target) + 0.0 * count


def until_small(x, rate):
    while True:
        x = x * (1.0 - rate) + 0.001 * np.sin(x)
        if np.sum(x) < 0.5:
            return np.sum(x * rate)


def for_with_break(x, rate, n):
    for _ in range(n):
        x = x * (1.0 - rate)
        if x < 0.3:
            break
    return x * x


def while_with_break(x, rate):
    turns = 0
    while x > 0.1:
        x = x * (1.0 - rate)
        turns += 1
        if turns == 37:
            break
    return x * x


def branches(x, n):
    for i in range(n):
        if x > 0.5:
            x = x * 0.9
        else:
            x = np.sin(x) + 0.3 * (i % 2)
    return x


def read_after(x, n):
    y = 0.0
    for i in range(n):
        y = np.sin(x) * i
        x = x + 0.01 * y
    return y + x


def steps_of_two(x, n):
    for i in range(1, n, 2):
        x = np.sin(x) + 0.01 * i
    return x


def backwards(x, n):
    for i in reversed(range(n)):
        x = np.sin(x) + 0.01 * i
    return x


def enumerated(x, weights):
    for i, w in enumerate(weights):
        x = x + 0.01 * i * np.tanh(w * x)
    return x


def zipped(x, v, w):
    for a, b in zip(v, w):
        x = np.sin(a * x) + b
    return x


def nested(x, n, m):
    for _ in range(n):
        y = x
        for j in range(m):
            y = np.sin(y) + 0.1 * j
        x = 0.9 * x + 0.1 * y
    return np.sum(x)


def step(u, kappa):
    v = u.copy()
    for j in range(1, len(u) - 1):
        v[j] = u[j] + kappa * (u[j + 1] - 2.0 * u[j] + u[j - 1])
    return v


def calls(u, kappa, n):
    for _ in range(n):
        u = step(u, kappa)
    return np.sum(u ** 2)


def simulate(u, kappa, n):
    for _ in range(n):
        u = u + kappa * np.sin(u)
    return u


def in_callee(u, kappa, n):
    return np.sum(simulate(u, kappa, n) ** 2)


def twice_in_callee(u, kappa, n):
    return np.sum(simulate(simulate(u, kappa, n), 0.5 * kappa, n) ** 2)


def two_loops(x, n):
    for _ in range(n):
        x = np.sin(x)
    y = x * x
    for _ in range(n):
        y = np.cos(y) * x
    return np.sum(y)


def in_branch(x, n):
    if n > 5:
        for _ in range(n):
            x = np.sin(x)
    return np.sum(x)


def history(x, n):
    us = np.zeros((n + 1, 3))
    us[0] = x
    for i in range(n):
        us[i + 1] = us[i] + 0.01 * np.sin(us[i])
    return np.sum(us ** 2)


def list_of_states(x, y, n):
    state = [x, y]
    for _ in range(n):
        state = [state[0] + 0.01 * state[1], state[1] - 0.01 * np.sin(state[0])]
    return np.sum(state[0] * state[1])


def dict_of_states(x, y, n):
    state = {"x": x, "v": y}
    for _ in range(n):
        state = {"x": state["x"] + 0.01 * state["v"], "v": state["v"] - 0.01 * np.sin(state["x"])}
    return np.sum(state["x"] * state["v"])


SCALE = 1.3
TABLE = np.linspace(0.5, 1.5, 4)


def of_globals(x, n):
    for i in range(n):
        x = np.sin(SCALE * x) * TABLE[i % 4]
    return np.sum(x)


def counted_up(x, n):
    i = 0
    while i < n:
        x = np.sin(x) + 0.01 * i
        i += 1
    return x


def closures(x, n):
    def advance(y):
        return np.sin(y) * scale

    scale = 0.5 + x
    for _ in range(n):
        x = advance(x) + 0.1
    return x


def singular(x, n):
    for i in range(n):
        root = np.sqrt(x)
        x = np.where(i < n, 0.5 * x + 0.1, root)
    return np.sum(x)


def complex_carried(x, n):
    z = 0.3 + 0.1j * x
    for _ in range(n):
        z = z * z + 0.2 * x
    return abs(z) ** 2


def int_first(x, n):
    total = 0
    for i in range(n):
        total += np.sin(x * i)
        x = x * 0.99
    return total * x


def last_of_all(x, n):
    for i in range(n):
        y = np.sin(x) * i
        x = x + 0.1 * y
    return np.sum(y) * i


def lstm(W, xs, h, c):
    for x in xs:
        i, f, o, g = np.split(W @ np.concatenate([x, h]), 4)
        c = c / (1.0 + np.exp(-f)) + np.tanh(g) / (1.0 + np.exp(-i))
        h = np.tanh(c) / (1.0 + np.exp(-o))
    return np.sum(h)


def exchanged(u, n):
    u, v = u.copy(), np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = 0.3 * (u[:-2] + u[1:-1] + u[2:]) + 0.1 * np.sin(u[1:-1])
        u, v = v, u
    return np.sum(u * u)


def restored(u, kappa, n):
    u = u * 1.0
    for _ in range(n):
        v = u[1:-1] * kappa
        u[1:-1] = v * u[2:] + 0.1
    return np.sum(u ** 2)


def lotka_volterra(y, k):
    return np.array([k * y[0] - y[0] * y[1], y[0] * y[1] - y[1]])


def runge_kutta(y, k, n):
    h = 0.01
    for _ in range(n):
        k1 = lotka_volterra(y, k)
        k2 = lotka_volterra(y + 0.5 * h * k1, k)
        k3 = lotka_volterra(y + 0.5 * h * k2, k)
        k4 = lotka_volterra(y + h * k3, k)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y)


def tried(x, n):
    for i in range(n):
        try:
            x = math.sin(x) / (0 if i % 5 == 3 else 2)
        except ZeroDivisionError:
            x = 0.5 * x + 0.3
    return x


def parameters(model, x, n):
    for _ in range(n):
        x = np.sin(model["w"] * x) + model["b"]
    return np.sum(x)


def through_text(x, n):
    mode = "sine"
    for _ in range(n):
        x = np.sin(x) if mode == "sine" else np.cos(x)
        mode = "cosine" if mode == "sine" else "sine"
    return x


def potential(y, a):
    return np.sum(np.sin(y) * a)


def inner_gradient(x, a, n):
    for _ in range(n):
        x = x - 0.1 * sg.grad(potential)(x, a)
    return np.sum(x)


@sg.custom_vjp
def square(x):
    return x * x


square.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * x * ct,))


def own_derivative(x, n):
    for _ in range(n):
        x = 0.5 * square(x) + 0.1
    return x


def vector(n=6):
    return RNG.normal(size=n)


def matrix(n, m):
    return 0.4 * RNG.normal(size=(n, m))


CASES = [
    (decay, ("x", "rate"), [(1.5, 0.7, n) for n in (100, 0, 1, 2, 3, 37)], 2000),
    (decay_of_array, ("x", "rate"), [(vector(), 0.7, n) for n in (100, 0, 1, 7, 250)]
     + [(vector(0), 0.7, 9), (vector(1), 0.7, 9)], 4000),
    (heat, ("u0", "kappa"), [(vector(20), 0.3, n, 0.1) for n in (100, 0, 1, 2, 60)], 6000),
    (heat_2d, ("u", "kappa"), [(RNG.normal(size=(7, 6)), RNG.random((7, 6)), n) for n in (60, 0, 1)], 9000),
    (pendulum, ("state", "length"), [((0.5, 0.1), 1.2, n) for n in (200, 0, 1)], 4000),
    (pair_carried, "x", [(0.7, n) for n in (90, 0, 1)], 4000),
    (rnn, ("W", "U", "b", "xs", "h"), [(matrix(3, 3), matrix(3, 2), vector(3), matrix(n, 2), vector(3)) for n in (50, 1, 0, 9)],
     6000),
    (outputs_of_rnn, ("W", "xs", "h"), [(matrix(3, 3), matrix(n, 3), vector(3)) for n in (50, 1)], 3000),
    (some_outputs, "x", [(vector(4), n) for n in (50, 1)], 2500),
    (newton, ("x", "a"), [(2.0, 3.0), (1.0, 1.0), (1e12, 3.0)], 1500),
    (relaxation, ("x", "target", "rate"), [(vector(), vector(), 0.05), (np.ones(3), np.ones(3), 0.1)], 6000),
    (until_small, ("x", "rate"), [(np.abs(vector()) + 3.0, 0.01), (np.full(2, 0.1), 0.2)], 6000),
    (for_with_break, ("x", "rate"), [(2.0, 0.01, 1000), (2.0, 0.01, 50), (0.2, 0.1, 5), (0.2, 0.1, 0), (2.0, 0.01, 1)], 1500),
    (while_with_break, ("x", "rate"), [(2.0, 0.01), (0.2, 0.1), (0.05, 0.1)], 1500),
    (branches, "x", [(1.7, n) for n in (60, 0, 1)], 2000),
    (read_after, "x", [(0.7, n) for n in (60, 0, 1)], 2000),
    (steps_of_two, "x", [(0.7, n) for n in (200, 201, 0, 1, 2)], 1500),
    (backwards, "x", [(0.7, n) for n in (60, 0, 1)], 2000),
    (enumerated, ("x", "weights"), [(0.7, vector(n)) for n in (60, 0, 1)], 6000),
    (zipped, ("x", "v", "w"), [(0.7, vector(n), vector(n + 1)) for n in (60, 0, 1)], 6000),
    (nested, "x", [(vector(3), n, m) for n, m in ((40, 5), (1, 3), (3, 0), (0, 3))], 6000),
    (calls, ("u", "kappa"), [(vector(8), 0.1, n) for n in (40, 1, 0)], 6000),
    (in_callee, ("u", "kappa"), [(vector(8), 0.1, n) for n in (60, 1, 0)], 4000),
    (twice_in_callee, ("u", "kappa"), [(vector(8), 0.1, n) for n in (60, 1, 0)], 8000),
    (two_loops, "x", [(vector(8), n) for n in (60, 1, 0)], 8000),
    (in_branch, "x", [(vector(8), n) for n in (60, 1, 0)], 4000),
    (history, "x", [(vector(3), n) for n in (40, 1)], 6000),
    (list_of_states, ("x", "y"), [(vector(3), vector(3), n) for n in (60, 0, 1)], 6000),
    (dict_of_states, ("x", "y"), [(vector(3), vector(3), n) for n in (60, 0, 1)], 8000),
    (of_globals, "x", [(vector(3), n) for n in (60, 0, 1)], 4000),
    (counted_up, "x", [(0.7, n) for n in (60, 0, 1)], 2000),
    (closures, "x", [(0.7, n) for n in (60, 0, 1)], 2000),
    (singular, "x", [(np.array([0.0, 0.5, 1.0]), n) for n in (60, 1)], 4000),
    (last_of_all, "x", [(vector(3), n) for n in (60, 1)], 4000),
    (lstm, ("W", "xs", "h", "c"), [(matrix(8, 5), matrix(n, 3), vector(2), vector(2)) for n in (50, 1)], 20000),
    (exchanged, "u", [(vector(9), n) for n in (60, 0, 1)], 4000),
    (restored, ("u", "kappa"), [(vector(9), 0.3, n) for n in (60, 0, 1)], 6000),
    (runge_kutta, ("y", "k"), [(np.array([1.0, 0.5]), 0.7, n) for n in (60, 0, 1)], 12000),
    (tried, "x", [(0.7, n) for n in (60, 0, 1)], 3000),
    (parameters, "model", [({"w": vector(3), "b": 0.3}, vector(3), n) for n in (60, 0, 1)], 4000),
    (through_text, "x", [(0.7, n) for n in (60, 0, 1)], 2000),
    (inner_gradient, ("x", "a"), [(vector(3), 0.5, n) for n in (60, 0, 1)], 4000),
    (own_derivative, "x", [(0.7, n) for n in (60, 0, 1)], 2000),
    (complex_carried, "x", [(0.2, n) for n in (30, 0, 1)], 1400),
    (int_first, "x", [(0.7, n) for n in (60, 0, 1)], 2000),
]
