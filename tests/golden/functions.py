"""Functions whose emitted gradients are worth reading."""
import heapq
import math
from collections import deque

import numpy as np


def energy(x, k):
    """A helper is called twice."""
    return spring(x[0], k) + 3.0 * spring(x[1], k)


def spring(d, k):
    return 0.5 * k * d ** 2 + np.cos(d)


def horner(x, n):
    """Recursion: 1 + x/n (1 + x/(n-1) (1 + ...)), the exponential series."""
    if n == 0:
        return 1.0
    return 1.0 + x * horner(x, n - 1) / n


def newton_root(a):
    """A `while` that is left by `break`."""
    x = a
    while True:
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if abs(step) < 1e-6:
            break
    return x


def quadrature(scale, nodes):
    """A closure over the input."""
    def integrand(t):
        return np.exp(-scale * t) * t

    total = 0.0
    for t in nodes:
        total = total + integrand(t)
    return total / len(nodes)


def trajectory(x0, rate, steps):
    """Values gathered in a list, then stacked."""
    states = []
    x = x0
    for _ in range(steps):
        x = x + rate * np.sin(x)
        states.append(x)
    path = np.stack(states)
    return np.mean(path ** 2)


def wave(x):
    """Differentiated twice."""
    return np.sin(x) * x ** 3


def polar(x, y):
    """Two outputs, weighted by grad_outputs."""
    r = np.sqrt(x * x + y * y)
    return r, np.arctan2(y, x)


def clipped_mean(x, limit):
    """A branch, and a store into a local copy."""
    y = x.copy()
    y[0] = 2.0 * y[0]
    mean = np.mean(y)
    if mean > limit:
        mean = limit + 0.1 * (mean - limit)
    return mean


def damp(A, n):
    inner = A[1:-1]
    for _ in range(n):
        inner *= 1.0 - 0.5 * inner
    return np.sum(A * A)


class Momentum:
    def __init__(self, rate, decay, like):
        self.rate = rate
        self.decay = decay
        self.velocity = np.zeros_like(like)

    def step(self, w, slope):
        self.velocity = self.decay * self.velocity - self.rate * slope
        return w + self.velocity


def descent(w, scales, steps):
    """An object that lives in the function: its attributes become names."""
    optimizer = Momentum(0.1, 0.9, w)
    for _ in range(steps):
        w = optimizer.step(w, scales * np.sin(w))
    return np.sum(w ** 2)


class Mass:
    def __init__(self, m, x):
        self.m, self.x, self.v = m, x, 0.0 * x

    def push(self, force, dt):
        self.v = self.v + dt * force / self.m


def chain(m, x, stiffness, steps):
    """Objects in a list, which neighbours change."""
    masses = [Mass(m[i], x[i]) for i in range(len(m))]
    for _ in range(steps):
        for left, right in zip(masses[:-1], masses[1:]):
            force = stiffness * (right.x - left.x)
            left.push(force, 0.1)
            right.push(-force, 0.1)
        for mass in masses:
            mass.x = mass.x + 0.1 * mass.v
    return sum(mass.m * mass.v ** 2 for mass in masses)


class Rod:
    def __init__(self, n, k):
        self.T = np.zeros(n)
        self.k = k

    def step(self, heat):
        self.T[0] += heat
        self.T[1:-1] += self.k * (self.T[2:] - 2.0 * self.T[1:-1] + self.T[:-2])


def rod(heat, k, n, steps):
    """An array that an object holds, and that changes in place."""
    body = Rod(n, k)
    for _ in range(steps):
        body.step(heat)
    return np.sum(body.T ** 2)


class Echo:
    def __init__(self, gain, delay):
        self.gain = gain
        self.line = deque([0.0] * delay)

    def push(self, x):
        out = x + self.gain * self.line.popleft()
        self.line.append(out)
        return out


class Field:
    def __init__(self, u):
        self.u = u

    def row(self, k):
        return self.u[k]


def upwind(u0, rate, steps):
    """Transport along the rows of a field, which are views of its array."""
    field = Field(u0 * 1.0)
    for _ in range(steps):
        for k in range(len(field.u)):
            row = field.row(k)
            row[1:] -= rate[k] * (row[1:] - row[:-1])
    return np.sum(field.u ** 2)


class Ledger:
    def __init__(self):
        self.balance = {}

    def pay(self, name, amount):
        self.balance[name] = self.balance.get(name, 0.0) + amount

    def grow(self, rate):
        for name in self.balance:
            self.balance[name] *= 1.0 + rate


def savings(names, amounts, rate):
    """Payments to accounts, by name, which grow with interest."""
    ledger = Ledger()
    for name, amount in zip(names, amounts):
        ledger.pay(name, amount)
        ledger.grow(rate)
    return sum(v * v for v in ledger.balance.values())


def delayed(signal, gain, delay):
    """A deque that an object holds."""
    echo = Echo(gain, delay)
    energy = 0.0
    for x in signal:
        energy += echo.push(x) ** 2
    return energy


def in_turn(starts):
    """Events from a heap, which put new ones into it."""
    events = []
    for k, start in enumerate(starts):
        heapq.heappush(events, (start, k))
    cost, weight = 0.0, 1.0
    while events:
        when, k = heapq.heappop(events)
        cost += weight * when ** 2
        weight *= 0.9
        if k < 3:
            heapq.heappush(events, (1.5 * when + 0.1, k + 2))
    return cost


class Ring:
    def __init__(self, value):
        self.value, self.next = value, self


def around(x):
    """Objects that hold each other."""
    a, b = Ring(x), Ring(2.0 * x)
    a.next, b.next = b, a
    node = a
    for _ in range(3):
        node.next.value = node.next.value * node.value
        node = node.next
    return node.value


class StepRejected(Exception):
    pass


class Integrator:
    def __init__(self, k, h):
        self.k, self.h, self.t = k, h, 0.0
        self.y = 1.0
        self.previous = None

    def step(self, tol):
        slope = -self.k * self.y
        predicted = self.y + self.h * slope
        corrected = self.y + 0.5 * self.h * (slope - self.k * predicted)
        if abs(corrected - predicted) > tol:
            raise StepRejected(f"{self.t}")
        self.previous = self.y
        self.y = corrected
        self.t += self.h


def decay(k, h, tol, end):
    """An object with state whose method raises an exception, an attribute that is None first."""
    solver = Integrator(k, h)
    while solver.t < end:
        try:
            solver.step(tol)
        except StepRejected:
            solver.h *= 0.5
        else:
            solver.h *= 1.2
    return solver.y + 0.1 * (solver.y - solver.previous)


def cheapest(points, weights):
    """A number that is None first."""
    best = None
    for x in points:
        cost = weights[0] * x ** 2 + weights[1] * x
        if best is None or cost < best:
            best = cost
    return best


def heat(u, kappa, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += kappa * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def until_it_rests(x, rate):
    work = 0.0
    while np.sum(x * x) > 1e-3:
        force = np.sin(x)
        work += np.sum(force * force)
        x = x - rate * force
    return work


def kalman_step(x, P, z, R):
    """The update of an estimate and its covariance by a measurement."""
    S = P + R
    K = P @ np.linalg.inv(S)
    return x + K @ (z - x), P - K @ P


def cell(p, h, x):
    return np.tanh(h @ p["inner"] + x @ p["outer"] + p["shift"])


def last_state(params, xs):
    """A dict of parameters that a callee reads in a loop."""
    h = np.zeros(2)
    for x in xs:
        h = cell(params["cell"], h, x)
    return params["scale"] * sum(a * b for a, b in zip(h, h))


def calculator(constants, x, program):
    """A program as text: a stack, variables by name, and what to do by `elif`."""
    stack, variables = [x], dict(constants)
    for operation, name in program:
        if operation == "load":
            stack.append(variables[name])
        elif operation == "store":
            variables[name] = stack.pop()
        elif operation == "multiply":
            right = stack.pop()
            stack.append(stack.pop() * right)
    return stack[-1]


class Cable:
    """A stiff cable with a length at rest; what is known of the material does not change."""
    damping = 0.1

    def __init__(self, rest, stiffness):
        self.rest = rest
        self.stiffness = stiffness

    def tension(self, length, speed):
        return self.stiffness * max(length - self.rest, 0.0) + self.damping * speed


class Load:
    def __init__(self, at, cables):
        self.at, self.speed = at, 0.0
        self.cables = cables
        self.gravity = 9.81

    def move(self, h):
        pull = sum(cable.tension(self.at, self.speed) for cable in self.cables)
        self.speed = self.speed + h * (self.gravity - pull)
        self.at = self.at + h * self.speed


def lowest(at, h, steps):
    """Objects of which most attributes are constant."""
    loads = [Load(at, [Cable(1.0, 20.0), Cable(1.2, 15.0)]), Load(2.0 * at, [Cable(1.5, 40.0)])]
    for _ in range(steps):
        for load in loads:
            load.move(h)
    return loads[0].at + loads[1].at


BLOCKS = {"block0": {"w": np.eye(3), "b": np.ones(3)}, "block1": {"w": 2.0 * np.eye(3), "b": np.ones(3)}, "scale": 0.5}


def penalised(params, x, target, decay):
    """A net whose blocks stand in a dict under computed names, and a penalty of their weights."""
    h = x
    for k in range(2):
        block = params[f"block{k}"]
        h = h + params["scale"] * np.tanh(h @ block["w"] + block["b"])
    loss = np.mean((h[:, 0] - target) ** 2)
    for name, block in params.items():
        if name.startswith("block"):
            loss += decay * np.sum(block["w"] ** 2)
    return loss


def midpoint(field, y, h):
    return y + h * field(y + 0.5 * h * field(y))


def swing(stiffness, damping, y, h, steps):
    """A solver that is given an inner function."""
    def field(y):
        return np.array([y[1], -stiffness * np.sin(y[0]) - damping * y[1]])

    for _ in range(steps):
        y = midpoint(field, y, h)
    return y[0]


def logistic(z):
    return 1.0 / (1.0 + math.exp(-z))


LINKS = {"identity": lambda z: z, "logistic": logistic, "log": math.exp}


def through_links(weights, samples):
    """Functions in a table, under names that stand in the data."""
    loss = 0.0
    for link, x, y in samples:
        loss += (LINKS[link](weights[0] + weights[1] * x) - y) ** 2
    return loss
