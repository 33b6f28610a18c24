"""A bank of filters that remember the signal in deques: an echo in front, one filter for each row of coefficients behind it."""
import math
from collections import deque

import numpy as np


class Echo:
    def __init__(self, gain, delay):
        self.gain = gain
        self.line = deque([0.0] * delay)

    def push(self, x):
        out = x + self.gain * self.line.popleft()
        self.line.append(out)
        return out


class Filter:
    def __init__(self, taps):
        self.taps = taps
        self.past = deque([0.0] * len(taps), maxlen=len(taps))

    def push(self, x):
        self.past.appendleft(x)
        return sum(tap * value for tap, value in zip(self.taps, self.past))


def primal(taps, gain, signal, target, delay):
    echo = Echo(gain, delay)
    bank = [Filter(row) for row in taps]
    loss = 0.0
    for x, wanted in zip(signal, target):
        y = echo.push(x)
        out = 0.0
        for f in bank:
            out = out + math.tanh(f.push(y))
        loss += (out - wanted) ** 2
    return loss


def adjoint(taps, gain, signal, target, delay):
    echo = Echo(gain, delay)
    bank = [Filter(row) for row in taps]
    loss = 0.0
    echoed, tape = [], []
    for x, wanted in zip(signal, target):
        y = echo.push(x)
        outs = [math.tanh(f.push(y)) for f in bank]
        error = sum(outs) - wanted
        loss += error ** 2
        echoed.append(y)
        tape.append((outs, error))

    taps_bar, signal_bar = np.zeros(taps.shape), np.zeros(signal.shape)
    gain_bar = 0.0
    echoed_bar = [0.0] * len(signal)
    for t in reversed(range(len(signal))):
        outs, error = tape[t]
        for k in range(len(bank)):
            # out = out + math.tanh(f.push(y));  loss += (out - wanted) ** 2
            inner_bar = 2.0 * error * (1.0 - outs[k] ** 2)
            # sum(tap * value for tap, value in zip(self.taps, self.past))
            for j in range(min(t + 1, taps.shape[1])):
                taps_bar[k, j] += inner_bar * echoed[t - j]
                echoed_bar[t - j] += inner_bar * taps[k, j]
        # out = x + self.gain * self.line.popleft()
        signal_bar[t] = echoed_bar[t]
        if t >= delay:
            gain_bar += echoed_bar[t] * echoed[t - delay]
            echoed_bar[t - delay] += echoed_bar[t] * gain
    return loss, (taps_bar, gain_bar, signal_bar)


INPUTS = ("taps", "gain", "signal")
COUNTED = "samples"


def make(size, rng):
    rows, n = {"tiny": (2, 6), "full": (3, 60)}.get(size) or (3, size)
    return rng.standard_normal((rows, 4)) / 4.0, 0.5, rng.standard_normal(n), rng.standard_normal(n), 3
