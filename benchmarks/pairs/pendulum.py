"""Semi-implicit Euler for a damped pendulum: two scalar states, n steps."""
import math


def primal(theta, omega, g, c, n):
    dt = 10.0 / n
    energy = 0.0
    for _ in range(n):
        omega = omega - dt * (g * math.sin(theta) + c * omega)
        theta = theta + dt * omega
        energy = energy + dt * omega * omega
    return energy


def adjoint(theta, omega, g, c, n):
    dt = 10.0 / n
    energy = 0.0
    theta_tape = []
    omega_tape = [omega]
    for _ in range(n):
        theta_tape.append(theta)
        omega = omega - dt * (g * math.sin(theta) + c * omega)
        omega_tape.append(omega)
        theta = theta + dt * omega
        energy = energy + dt * omega * omega
    value = energy

    theta_bar = omega_bar = g_bar = c_bar = 0.0
    for k in range(n - 1, -1, -1):
        theta = theta_tape[k]
        # energy = energy + dt * omega * omega  (energy_bar is 1 throughout)
        omega_bar += 2.0 * dt * omega_tape[k + 1]
        # theta = theta + dt * omega
        omega_bar += dt * theta_bar
        # omega = omega - dt * (g * sin(theta) + c * omega)
        accel_bar = -dt * omega_bar
        g_bar += accel_bar * math.sin(theta)
        c_bar += accel_bar * omega_tape[k]
        theta_bar += accel_bar * g * math.cos(theta)
        omega_bar += accel_bar * c
    return value, (theta_bar, omega_bar, g_bar, c_bar)


INPUTS = ("theta", "omega", "g", "c")


def make(size, rng):
    return 1.2, 0.1, 9.81, 0.15, {"tiny": 20, "full": 10_000}[size]


def jax_primal(jax, theta, omega, g, c, n):
    dt = 10.0 / n

    def step(state, _):
        theta, omega, energy = state
        omega = omega - dt * (g * jax.numpy.sin(theta) + c * omega)
        theta = theta + dt * omega
        return (theta, omega, energy + dt * omega * omega), None

    return jax.lax.scan(step, (theta, omega, 0.0), None, length=n)[0][2]
