"""A simulator class for a cart with a pole, a swing-up cost, and a simple double pendulum on the same base."""
import math

import numpy as np

from tests.programs.real.record import Real


class Environment:
    """Keeps its state in `self.state`, as gym environments do."""

    def __init__(self, dt=0.05, integrator="semi-implicit"):
        self.dt = dt
        self.integrator = integrator
        self.state = None
        self.steps = 0
        self.log = {"cost": [], "energy": []}

    def reset(self, state=None):
        self.state = np.zeros(4) if state is None else np.array(state)
        self.steps = 0
        return self.state

    def acceleration(self, q, qdot, u):
        raise NotImplementedError

    def step(self, u):
        q, qdot = self.state[:2], self.state[2:]
        if self.integrator == "euler":
            a = self.acceleration(q, qdot, u)
            self.state = np.concatenate([q + self.dt * qdot, qdot + self.dt * a])
        elif self.integrator == "semi-implicit":
            qdot = qdot + self.dt * self.acceleration(q, qdot, u)
            self.state = np.concatenate([q + self.dt * qdot, qdot])
        elif self.integrator == "midpoint":
            half = self.dt / 2
            a = self.acceleration(q, qdot, u)
            a_mid = self.acceleration(q + half * qdot, qdot + half * a, u)
            self.state = np.concatenate([q + self.dt * (qdot + half * a), qdot + self.dt * a_mid])
        else:
            raise ValueError(f"integrator {self.integrator!r} is not known")
        self.steps += 1
        cost = self.cost(u)
        self.log["cost"].append(cost)
        self.log["energy"].append(self.energy())
        done = bool(abs(self.state[0]) > 5.0)
        return self.state, cost, done, {"step": self.steps}


class CartPole(Environment):
    gravity = 9.8

    def __init__(self, mass_cart=1.0, mass_pole=0.1, length=0.5, force_mag=10.0, **kwargs):
        super().__init__(**kwargs)
        self.mass_cart = mass_cart
        self.mass_pole = mass_pole
        self.length = length
        self.force_mag = force_mag

    @property
    def total_mass(self):
        return self.mass_cart + self.mass_pole

    def acceleration(self, q, qdot, u):
        force = self.force_mag * math.tanh(u)
        sin, cos = math.sin(q[1]), math.cos(q[1])
        temp = (force + self.mass_pole * self.length * qdot[1] ** 2 * sin) / self.total_mass
        theta_acc = (self.gravity * sin - cos * temp) / (
            self.length * (4.0 / 3.0 - self.mass_pole * cos ** 2 / self.total_mass))
        x_acc = temp - self.mass_pole * self.length * theta_acc * cos / self.total_mass
        return np.array([x_acc, theta_acc])

    def cost(self, u):
        x, theta = self.state[:2]
        return x ** 2 + 2 * (1 - math.cos(theta)) + 0.01 * u ** 2

    def energy(self):
        return 0.5 * self.total_mass * self.state[2] ** 2 + self.mass_pole * self.gravity * self.length * math.cos(self.state[1])


class DoublePendulum(Environment):
    def __init__(self, masses, lengths, damping=0.1, **kwargs):
        super().__init__(**kwargs)
        self.m, self.l = masses, lengths
        self.damping = damping

    def acceleration(self, q, qdot, u):
        (m1, m2), (l1, l2) = self.m, self.l
        d = q[0] - q[1]
        M = np.array([[(m1 + m2) * l1, m2 * l2 * np.cos(d)], [l1 * np.cos(d), l2]])
        rhs = np.array([-m2 * l2 * qdot[1] ** 2 * np.sin(d) - (m1 + m2) * 9.8 * np.sin(q[0]) + u,
                        l1 * qdot[0] ** 2 * np.sin(d) - 9.8 * np.sin(q[1])])
        return np.linalg.solve(M, rhs) - self.damping * qdot

    def cost(self, u):
        return np.sum(self.state[:2] ** 2) + 0.1 * u ** 2

    def energy(self):
        return np.sum(self.state[2:] ** 2)


def rollout(env, policy, state, horizon, discount=0.97):
    observation = env.reset(state)
    total, weight = 0.0, 1.0
    while True:
        action = policy(observation)
        observation, cost, done, info = env.step(action)
        total += weight * cost
        weight *= discount
        if done or info["step"] >= horizon:
            break
    return total + 0.01 * max(env.log["energy"])


def linear_policy_cost(gains, mass_pole, length, start):
    env = CartPole(mass_pole=mass_pole, length=length)
    return rollout(env, lambda obs: gains @ obs, start, horizon=12)


def open_loop_cost(controls, masses, lengths, integrator="midpoint"):
    env = DoublePendulum(masses, lengths, dt=0.03, integrator=integrator)
    plan = iter(controls)
    return rollout(env, lambda _: next(plan), [0.6, -0.4, 0.0, 0.3], len(controls))


PROGRAM = [
    Real(linear_policy_cost, (np.array([0.1, 1.5, 0.2, 0.4]), 0.12, 0.6, np.array([0.1, 0.2, 0.0, -0.1])),
         inputs=("gains", "mass_pole", "length", "start")),
    Real(open_loop_cost, (np.array([0.5, 0.2, -0.3, -0.6, 0.1]), (1.0, 0.7), np.array([0.8, 0.6])),
         inputs=("controls", "masses", "lengths")),
]
