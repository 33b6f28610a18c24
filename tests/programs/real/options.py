"""Option pricing: Black-Scholes, a binomial tree, implied volatility by Newton's method, a portfolio of instruments."""
import enum
import functools
import math

import numpy as np

from tests.programs.real.record import Real


class OptionType(enum.Enum):
    CALL = 1
    PUT = -1


class Exercise(enum.Enum):
    EUROPEAN = "european"
    AMERICAN = "american"


def norm_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def norm_pdf(x):
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def check_positive(function):
    """Decorator that validates the market data."""
    @functools.wraps(function)
    def wrapper(option, spot, vol, *args, **kwargs):
        if spot <= 0 or vol <= 0:
            raise ValueError("spot and volatility must be positive")
        return function(option, spot, vol, *args, **kwargs)
    return wrapper


class Option:
    def __init__(self, strike, maturity, kind=OptionType.CALL, exercise=Exercise.EUROPEAN):
        self.strike = strike
        self.maturity = maturity
        self.kind = kind
        self.exercise = exercise

    @property
    def sign(self):
        return self.kind.value

    def payoff(self, spot):
        return np.maximum(self.sign * (spot - self.strike), 0.0)


@check_positive
def black_scholes(option, spot, vol, rate, dividend=0.0):
    if option.exercise is not Exercise.EUROPEAN:
        raise NotImplementedError("only European options have a closed form")
    T, K, sign = option.maturity, option.strike, option.sign
    sd = vol * math.sqrt(T)
    d1 = (math.log(spot / K) + (rate - dividend + 0.5 * vol ** 2) * T) / sd
    d2 = d1 - sd
    return sign * (spot * math.exp(-dividend * T) * norm_cdf(sign * d1) - K * math.exp(-rate * T) * norm_cdf(sign * d2))


@check_positive
def binomial_tree(option, spot, vol, rate, dividend=0.0, *, steps=24):
    dt = option.maturity / steps
    u = math.exp(vol * math.sqrt(dt))
    d = 1 / u
    p = (math.exp((rate - dividend) * dt) - d) / (u - d)
    discount = math.exp(-rate * dt)
    nodes = spot * u ** (steps - 2.0 * np.arange(steps + 1))
    values = option.payoff(nodes)
    for _ in range(steps):
        values = discount * (p * values[:-1] + (1 - p) * values[1:])
        if option.exercise is Exercise.AMERICAN:
            nodes = nodes[:-1] / u
            values = np.maximum(values, option.payoff(nodes))
    return values[0]


def implied_volatility(price, option, spot, rate, guess=0.3, tol=1e-12):
    vol = guess
    for _ in range(50):
        sd = vol * math.sqrt(option.maturity)
        d1 = (math.log(spot / option.strike) + (rate + 0.5 * vol ** 2) * option.maturity) / sd
        vega = spot * norm_pdf(d1) * math.sqrt(option.maturity)
        change = (black_scholes(option, spot, vol, rate) - price) / vega
        vol -= change
        if abs(change) < tol:
            return vol
    raise ArithmeticError("no convergence")


ENGINES = {Exercise.EUROPEAN: black_scholes, Exercise.AMERICAN: functools.partial(binomial_tree, steps=12)}


def portfolio_value(spot, vols, rate, positions):
    total = 0
    for (quantity, option), vol in zip(positions, vols):
        total += quantity * ENGINES[option.exercise](option, spot, vol, rate, dividend=0.01)
    return total


def smile_slope(prices, strikes, spot, rate):
    vols = [implied_volatility(p, Option(k, 0.75), spot, rate) for p, k in zip(prices, strikes)]
    slope = (vols[-1] - vols[0]) / (strikes[-1] - strikes[0])
    return 100 * slope + sum(v ** 2 for v in vols)


POSITIONS = [
    (1.0, Option(1.0, 0.5)),
    (-0.5, Option(1.1, 1.0, OptionType.PUT)),
    (0.7, Option(1.05, 1.0, kind=OptionType.PUT, exercise=Exercise.AMERICAN)),
]

PROGRAM = [
    Real(portfolio_value, (1.02, np.array([0.2, 0.25, 0.3]), 0.03, POSITIONS), inputs=("spot", "vols", "rate"), step=2e-5,
         tolerance=1e-5),
    Real(smile_slope, ([0.17, 0.11, 0.07], [0.9, 1.0, 1.1], 1.01, 0.03), inputs=("prices", "spot", "rate")),
]
