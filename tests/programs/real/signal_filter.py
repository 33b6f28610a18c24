"""Digital filters with state: biquad sections, a cascade, an envelope follower, processed block by block."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

import numpy as np

from tests.programs.real.record import Real


class Filter:
    """Processes one sample or a block; state survives between calls."""

    def reset(self) -> None:
        raise NotImplementedError

    def tick(self, x: float) -> float:
        raise NotImplementedError

    def process(self, block: Iterable[float]) -> np.ndarray:
        out = np.zeros(len(block))
        for n, sample in enumerate(block):
            out[n] = self.tick(sample)
        return out


class Biquad(Filter):
    """Transposed direct form II; coefficients from the audio EQ cookbook."""

    def __init__(self, b: list, a: list) -> None:
        a0 = a[0]
        self.b = [coefficient / a0 for coefficient in b]
        self.a = [coefficient / a0 for coefficient in a]
        self.reset()

    def reset(self):
        self.z = [0.0, 0.0]

    @classmethod
    def design(cls, kind: str, frequency: float, Q: float = 0.7071, gain_db: float | None = None) -> Biquad:
        w0 = 2 * math.pi * frequency
        alpha = math.sin(w0) / (2 * Q)
        cos = math.cos(w0)
        if kind == "lowpass":
            b = [(1 - cos) / 2, 1 - cos, (1 - cos) / 2]
            a = [1 + alpha, -2 * cos, 1 - alpha]
        elif kind == "highpass":
            b = [(1 + cos) / 2, -(1 + cos), (1 + cos) / 2]
            a = [1 + alpha, -2 * cos, 1 - alpha]
        elif kind == "peaking" and gain_db is not None:
            A = 10 ** (gain_db / 40)
            b = [1 + alpha * A, -2 * cos, 1 - alpha * A]
            a = [1 + alpha / A, -2 * cos, 1 - alpha / A]
        else:
            raise ValueError(f"cannot design {kind!r} with gain {gain_db}")
        return cls(b, a)

    def tick(self, x):
        y = self.b[0] * x + self.z[0]
        self.z[0] = self.b[1] * x - self.a[1] * y + self.z[1]
        self.z[1] = self.b[2] * x - self.a[2] * y
        return y

    def response(self, frequency):
        z = np.exp(-2j * np.pi * frequency)
        numerator = sum(b * z ** k for k, b in enumerate(self.b))
        denominator = sum(a * z ** k for k, a in enumerate(self.a))
        return abs(numerator / denominator)


class MovingAverage(Filter):
    def __init__(self, length):
        self.window = deque(maxlen=length)

    def reset(self):
        self.window.clear()

    def tick(self, x):
        self.window.append(x)
        return sum(self.window) / len(self.window)


class Envelope(Filter):
    """Follows the level upwards with one time constant and downwards with another."""

    def __init__(self, attack, release):
        self.attack, self.release = attack, release
        self.level = 0.0

    def reset(self):
        self.level = 0.0

    def tick(self, x):
        magnitude = abs(x)
        rate = self.attack if magnitude > self.level else self.release
        self.level += rate * (magnitude - self.level)
        return self.level


class Cascade(Filter):
    def __init__(self, *sections):
        self.sections = [s for s in sections if s is not None]

    def reset(self):
        for section in self.sections:
            section.reset()

    def tick(self, x):
        for section in self.sections:
            x = section.tick(x)
        return x

    def __rshift__(self, other):
        return Cascade(*self.sections, other)


def matching_loss(design, signal, target, block_size=4):
    """Mean squared error of the filtered signal, and of the response at a frequency."""
    peak = Biquad.design("peaking", design["frequency"], gain_db=design["gain"], Q=1.2)
    low = Biquad.design("lowpass", frequency=design["cutoff"])
    chain = Cascade(peak, None) >> low >> MovingAverage(3)
    pieces = []
    for start in range(0, len(signal), block_size):
        pieces.append(chain.process(signal[start:start + block_size]))
    filtered = np.concatenate(pieces)
    chain.reset()
    follower = Envelope(design["attack"], 0.05)
    loudness = follower.process(filtered)[-1]
    impulse = chain.tick(1.0)
    return np.mean((filtered - target) ** 2) + 0.1 * peak.response(0.1) ** 2 + loudness ** 2 + impulse


_n = np.arange(10)
SIGNAL = np.sin(0.9 * _n + 0.2) + 0.3 * np.cos(2.3 * _n)
TARGET = 0.5 * np.sin(0.9 * _n - 0.1)
DESIGN = {"frequency": 0.14, "gain": 3.0, "cutoff": 0.22, "attack": 0.4}

PROGRAM = Real(matching_loss, (DESIGN, SIGNAL, TARGET), inputs=("design", "signal"), lines=6.0)
