"""An American put on a trinomial lattice: arrays that get shorter from step to step, scalars that everything depends on."""
import numpy as np


def primal(spot, strike, rate, sigma, years, n):
    dt = years / n
    root = np.sqrt(0.5 * dt)
    up = np.exp(2.0 * sigma * root)
    half, b = np.exp(0.5 * rate * dt), np.exp(sigma * root)
    p_up = ((half - 1.0 / b) / (b - 1.0 / b)) ** 2
    p_down = ((b - half) / (b - 1.0 / b)) ** 2
    discount = np.exp(-rate * dt)
    price = spot * up ** np.arange(-n, n + 1)
    value = np.maximum(strike - price, 0.0)
    for i in range(n):
        price = price[1:-1]
        held = discount * (p_down * value[:-2] + (1.0 - p_up - p_down) * value[1:-1] + p_up * value[2:])
        value = np.maximum(held, strike - price)
    return value[0]


def adjoint(spot, strike, rate, sigma, years, n):
    dt = years / n
    root = np.sqrt(0.5 * dt)
    up = np.exp(2.0 * sigma * root)
    half, b = np.exp(0.5 * rate * dt), np.exp(sigma * root)
    spread = b - 1.0 / b
    q_up, q_down = (half - 1.0 / b) / spread, (b - half) / spread
    p_up, p_down = q_up ** 2, q_down ** 2
    p_mid = 1.0 - p_up - p_down
    discount = np.exp(-rate * dt)
    j = np.arange(-n, n + 1)
    price = spot * up ** j
    last = strike > price
    value = np.where(last, strike - price, 0.0)
    tape = []
    for i in range(n):
        mean = p_down * value[:-2] + p_mid * value[1:-1] + p_up * value[2:]
        exercised = strike - price[i + 1:2 * n - i]
        keep = discount * mean > exercised
        tape.append((value, mean, keep))
        value = np.where(keep, discount * mean, exercised)
    result = value[0]

    value_bar = np.ones(1)
    price_bar = np.zeros(price.shape)
    strike_bar = discount_bar = p_up_bar = p_mid_bar = p_down_bar = 0.0
    for i in reversed(range(n)):
        value, mean, keep = tape.pop()
        # value = np.maximum(held, strike - price)
        held_bar = np.where(keep, value_bar, 0.0)
        strike_bar += np.sum(value_bar - held_bar)
        price_bar[i + 1:2 * n - i] -= value_bar - held_bar
        # held = discount * (p_down * value[:-2] + (1.0 - p_up - p_down) * value[1:-1] + p_up * value[2:])
        discount_bar += held_bar @ mean
        mean_bar = discount * held_bar
        p_down_bar += mean_bar @ value[:-2]
        p_mid_bar += mean_bar @ value[1:-1]
        p_up_bar += mean_bar @ value[2:]
        value_bar = np.zeros(value.shape)
        value_bar[:-2] = p_down * mean_bar
        value_bar[1:-1] += p_mid * mean_bar
        value_bar[2:] += p_up * mean_bar
    # value = np.maximum(strike - price, 0.0)
    value_bar = np.where(last, value_bar, 0.0)
    strike_bar += np.sum(value_bar)
    price_bar -= value_bar
    # price = spot * up ** np.arange(-n, n + 1)
    power = up ** j
    spot_bar = price_bar @ power
    up_bar = spot * (price_bar @ (j * power)) / up
    # p_up = ..., p_down = ...
    q_up_bar = 2.0 * q_up * (p_up_bar - p_mid_bar)
    q_down_bar = 2.0 * q_down * (p_down_bar - p_mid_bar)
    half_bar = (q_up_bar - q_down_bar) / spread
    spread_bar = -(q_up_bar * q_up + q_down_bar * q_down) / spread
    b_bar = spread_bar * (1.0 + b ** -2) + (q_up_bar * b ** -2 + q_down_bar) / spread
    # discount, half, b, up: exponentials of rate, sigma and dt
    rate_bar = dt * (0.5 * half * half_bar - discount * discount_bar)
    sigma_bar = root * (2.0 * up * up_bar + b * b_bar)
    root_bar = sigma * (2.0 * up * up_bar + b * b_bar)
    dt_bar = rate * (0.5 * half * half_bar - discount * discount_bar) + 0.25 * root_bar / root
    return result, (spot_bar, strike_bar, rate_bar, sigma_bar, dt_bar / n)


INPUTS = ("spot", "strike", "rate", "sigma", "years")


def make(size, rng):
    return 100.0, 104.3, 0.05, 0.25, 0.8, {"tiny": 4, "full": 20}[size]
