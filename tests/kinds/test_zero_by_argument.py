"""Derivative zero is declared per argument: what depends on one of its arguments has a rule, or is refused by that argument."""
from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.primitives.core import DEPENDS, RULES, ZERO_DERIVATIVE
from tests.kinds.outcomes import outcome

A = np.array([0.3, 1.7, -0.4])
X = 0.7137
FOUND: Counter = Counter()

PROGRAMS = {
    "fftfreq": lambda d: np.sum(np.fft.fftfreq(4, d) ** 2),
    "fftfreq by name": lambda d: np.sum(np.fft.fftfreq(5, d=d) ** 2),
    "rfftfreq": lambda d: np.sum(np.fft.rfftfreq(4, d) ** 2),
    "fftfreq of a product": lambda d: np.sum(np.exp(-np.fft.fftfreq(6, 2.0 * d) * d)),
    "ndarray": lambda d: np.sum(np.ndarray((1,), buffer=np.array([d])) ** 2),
    "ndarray by position": lambda d: np.sum(np.ndarray((1,), float, np.array([d])) ** 2),
    "ix_": lambda d: np.sum(np.ix_(np.array([d, 2.0 * d]))[0] ** 2),
    "ix_ of one of two": lambda d: np.sum(np.ix_(np.array([1.0, 2.0]), np.array([d, 3.0]))[1] ** 2),
    "hanning": lambda d: np.sum(np.hanning(4 + d)), "hamming": lambda d: np.sum(np.hamming(4 + d) ** 2),
    "blackman": lambda d: np.sum(np.blackman(4 + d)), "bartlett": lambda d: np.sum(np.bartlett(M=4 + d) ** 2),
    "kaiser": lambda d: np.sum(np.kaiser(4, d)), "slice": lambda d: slice(d, 2.0 * d).start ** 2,
    "slice of a step": lambda d: slice(0, 1, d).step ** 2,
    "arange": lambda d: np.sum(np.arange(d, 4.0, 0.5) ** 2), "step of arange": lambda d: np.sum(np.arange(0.0, 4.0, d) ** 2),
    "linspace": lambda d: np.sum(np.linspace(d, 4.0, 5) ** 2), "logspace": lambda d: np.sum(np.logspace(d, 2.0, 5) ** 2),
    "base of logspace": lambda d: np.sum(np.logspace(0.5, 2.0, 5, base=d + 1.0) ** 2),
    "geomspace": lambda d: np.sum(np.geomspace(d, 2.0, 5) ** 2),
    "full": lambda d: np.sum(np.full(4, d) ** 2), "full_like": lambda d: np.sum(np.full_like(A, fill_value=d) ** 2),
    "copysign": lambda d: np.copysign(d, -1.0) ** 3, "math.copysign": lambda d: math.copysign(d, -1.0) ** 3,
    "heaviside": lambda d: np.sum(np.heaviside(np.array([0.0, 1.0]), d) ** 2), "nextafter": lambda d: np.nextafter(d, 2.0) ** 2,
    "math.nextafter": lambda d: math.nextafter(d, 2.0) ** 2, "ldexp": lambda d: np.ldexp(d, 2) ** 2,
    "math.ldexp": lambda d: math.ldexp(d, 2) ** 2, "frexp": lambda d: np.frexp(d)[0] ** 2,
    "math.frexp": lambda d: math.frexp(d)[0] ** 2,
    "modf": lambda d: np.modf(d)[0] ** 2, "math.modf": lambda d: math.modf(d)[0] ** 2,
    "fmod": lambda d: np.fmod(2.3, d) ** 2, "remainder": lambda d: np.remainder(2.3, d) ** 2,
    "divmod": lambda d: divmod(2.3, d)[1] ** 2, "math.remainder": lambda d: math.remainder(2.3, d) ** 2,
    "floor_divide and rest": lambda d: np.floor_divide(2.3, d) * d, "round": lambda d: np.round(d * d, 1) + d,
    "spacing": lambda d: np.spacing(d) + d, "period of unwrap": lambda d: np.sum(np.unwrap(10 * A, period=2.0 * d) ** 2),
    "unwrap": lambda d: np.sum(np.unwrap(np.array([0.0, 4.0, 8.0]) * d) ** 2),
    "range of histogram": lambda d: np.sum(np.histogram(A, bins=3, range=(-1.0, 2.0 + d))[1] ** 2),
    "weights of histogram": lambda d: np.sum(np.histogram(A, bins=3, range=(-1.0, 2.0), weights=np.array([d, 1.0, 2.0]))[0] ** 2),
    "density of histogram": lambda d: np.sum(np.histogram(A, bins=3, range=(-1.0, 2.0 + d), density=True)[0] ** 2),
    "histogram_bin_edges": lambda d: np.sum(np.histogram_bin_edges(A * d, bins=3) ** 2),
    "bincount": lambda d: np.sum(np.bincount(np.array([0, 1, 1]), weights=np.array([d, d * d, 1.0])) ** 2),
    "loc of normal": lambda d: np.random.RandomState(0).normal(d, 1.0) ** 2,
    "scale of normal": lambda d: np.random.default_rng(0).normal(0.0, d) ** 2,
    "uniform": lambda d: np.random.default_rng(0).uniform(0.0, d) ** 2,
    "gamma": lambda d: np.random.default_rng(0).gamma(2.0, d) ** 2,
    "exponential": lambda d: np.random.default_rng(0).exponential(d) ** 2,
    "choice": lambda d: np.random.default_rng(0).choice(np.array([d, 2.0 * d, 3.0 * d])) ** 2,
    "nan_to_num": lambda d: np.sum(np.nan_to_num(np.array([np.nan, 1.0]), nan=d) ** 2),
    "pad": lambda d: np.sum(np.pad(A, 1, constant_values=d) ** 2),
    "left of interp": lambda d: np.interp(-1.0, np.array([0.0, 1.0, 2.0]), A, left=d) ** 2,
    "period of interp": lambda d: np.interp(2.5, np.array([0.0, 0.5, 0.7]), A, period=d) ** 2,
    "prepend of diff": lambda d: np.sum(np.diff(A, prepend=d) ** 2),
    "spacing of gradient": lambda d: np.sum(np.gradient(A, d) ** 2),
    "q of quantile": lambda d: np.quantile(A, d) ** 2, "initial of sum": lambda d: np.sum(A, initial=d) ** 2,
    "initial of prod": lambda d: np.prod(A, initial=d) ** 2, "ddof of var": lambda d: np.var(A, ddof=d) ** 2,
    "weights of average": lambda d: np.average(A, weights=np.array([d, 1.0, 2.0])) ** 2,
    "default of select": lambda d: np.sum(np.select([A > 0], [A], default=d) ** 2),
    "start of sum": lambda d: sum([1.0, 2.0], d) ** 2, "default of get": lambda d: {}.get("a", d) ** 2,
    "default of max": lambda d: max([], default=d) ** 2, "dicts": lambda d: ({"a": d} | {"b": 2.0 * d})["a"] ** 2,
    "mgrid": lambda d: np.sum(np.mgrid[0:d:4j] ** 2), "complex": lambda d: complex(d, 2.0 * d).imag ** 2,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_right_or_refused(name) -> None:
    FOUND[outcome(PROGRAMS[name], X)] += 1


def test_the_second_derivative_of_frequencies() -> None:
    sg.check_grad(PROGRAMS["fftfreq"], X, order=2)
    sg.check_grad(PROGRAMS["rfftfreq"], X, order=2)


def test_what_does_not_depend_on_the_inputs_is_no_matter() -> None:
    """Windows and meshes of constants, slices with constant ends."""
    def f(x, n):
        return np.sum(np.hanning(n) * x[slice(0, n)]) + np.sum(np.ones((3, 3))[np.ix_([0, 2], [1])]) * x[0]
    assert outcome(f, np.array([1.0, 2.0, 3.0, 4.0]), 4) == "right"


DECLARED = tuple(ZERO_DERIVATIVE)           # (other tests declare functions of their own)


def test_every_function_that_is_said_to_have_derivative_zero_has() -> None:
    """By differences at a point where nothing jumps: functions of one or two numbers, and of an array."""
    tried = 0
    for function in [f for f in DECLARED if not (getattr(f, "__module__", None) or "").startswith(("sourcegrad", "tests"))]:
        if function in (print, id, hash, np.set_printoptions, np.seterr, np.empty, np.empty_like, np.ndarray) or function in RULES:
            continue
        for args, at in ((X,), 0), ((X, 1.234), 0), ((X, 1.234), 1), ((4, X), 1), ((A * X,), 0):
            if DEPENDS.get(function, ())[at:at + 1] not in ((), ("",)) or DEPENDS.get(function) == ("*",):
                continue
            moved = (*args[:at], args[at] * (1.0 + 1e-7), *args[at + 1:])
            try:
                found = function(*args)                     # (text is not read again)
                one, other = np.asarray({} if isinstance(found, str) else found, float), np.asarray(function(*moved), float)
            except Exception:                               # not a function of such arguments, or of numbers
                continue
            tried += 1
            assert one.shape == other.shape and np.allclose(one, other, 1e-12, 1e-12, equal_nan=True), (function, args, at)
    assert tried > 100


def test_most_are_right() -> None:
    if sum(FOUND.values()) == len(PROGRAMS):
        assert FOUND["right"] >= 40
