"""Fit of a generalised Lotka-Volterra system by classical Runge-Kutta steps over a small state vector."""
import numpy as np


def field(s, growth, interaction):
    return s * (growth + interaction @ s)


def primal(start, growth, interaction, observed, dt):
    s = start
    loss = 0.0
    for t in range(observed.shape[0]):
        k1 = field(s, growth, interaction)
        k2 = field(s + 0.5 * dt * k1, growth, interaction)
        k3 = field(s + 0.5 * dt * k2, growth, interaction)
        k4 = field(s + dt * k3, growth, interaction)
        s = s + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        err = s - observed[t]
        loss += np.dot(err, err)
    return loss


def adjoint(start, growth, interaction, observed, dt):
    """Gradient with respect to (start, growth, interaction)."""
    steps, d = observed.shape
    half, sixth = 0.5 * dt, dt / 6.0
    stages = np.empty((steps, 4, d))           # states at which the field is taken, and its bracket there
    rates = np.empty((steps, 4, d))
    errs = np.empty((steps, d))
    s = start
    loss = 0.0
    for t in range(steps):
        stage, rate = stages[t], rates[t]
        stage[0] = s
        rate[0] = growth + interaction @ s
        k1 = s * rate[0]
        stage[1] = p = s + half * k1
        rate[1] = growth + interaction @ p
        k2 = p * rate[1]
        stage[2] = p = s + half * k2
        rate[2] = growth + interaction @ p
        k3 = p * rate[2]
        stage[3] = p = s + dt * k3
        rate[3] = growth + interaction @ p
        k4 = p * rate[3]
        s = s + sixth * (k1 + 2.0 * (k2 + k3) + k4)
        errs[t] = err = s - observed[t]
        loss += np.dot(err, err)
    value = loss

    rate_bars = np.empty_like(rates)
    s_bar = np.zeros(d)
    for t in range(steps - 1, -1, -1):
        stage, rate, rate_bar = stages[t], rates[t], rate_bars[t]
        # err = s - observed[t];  loss += dot(err, err)
        s_bar += 2.0 * errs[t]
        # s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);  k = p * (growth + interaction @ p)
        k1_bar = sixth * s_bar
        k23_bar = 2.0 * k1_bar
        rate_bar[3] = k1_bar * stage[3]
        p_bar = k1_bar * rate[3] + rate_bar[3] @ interaction
        s_bar += p_bar
        k_bar = k23_bar + dt * p_bar
        rate_bar[2] = k_bar * stage[2]
        p_bar = k_bar * rate[2] + rate_bar[2] @ interaction
        s_bar += p_bar
        k_bar = k23_bar + half * p_bar
        rate_bar[1] = k_bar * stage[1]
        p_bar = k_bar * rate[1] + rate_bar[1] @ interaction
        s_bar += p_bar
        k_bar = k1_bar + half * p_bar
        rate_bar[0] = k_bar * stage[0]
        s_bar += k_bar * rate[0] + rate_bar[0] @ interaction
    # all stages at once: growth and interaction are the same in each
    rate_bars = rate_bars.reshape(-1, d)
    growth_bar = np.sum(rate_bars, axis=0)
    interaction_bar = rate_bars.T @ stages.reshape(-1, d)
    return value, (s_bar, growth_bar, interaction_bar)


INPUTS = ("start", "growth", "interaction")


def make(size, rng):
    d, steps = {"tiny": (2, 3), "full": (6, 200)}[size]
    interaction = -np.eye(d) + 0.2 * rng.standard_normal((d, d))
    observed = rng.uniform(0.5, 1.0, (steps, d))
    return rng.uniform(0.5, 1.5, d), rng.uniform(0.5, 1.0, d), interaction, observed, 0.05


def jax_primal(jax, start, growth, interaction, observed, dt):
    def step(s, seen):
        k1 = field(s, growth, interaction)
        k2 = field(s + 0.5 * dt * k1, growth, interaction)
        k3 = field(s + 0.5 * dt * k2, growth, interaction)
        k4 = field(s + dt * k3, growth, interaction)
        s = s + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return s, jax.numpy.sum((s - seen) ** 2)

    return jax.numpy.sum(jax.lax.scan(step, start, observed)[1])
