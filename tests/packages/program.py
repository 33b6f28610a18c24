"""Programs that call packages: functions of numbers and arrays, at two points, and what becomes of their gradients.

A gradient is right if it agrees with central differences at both points. A refusal stands in `refused.py` with the words that
matter and the reason; it is told at a line of the program.
"""
from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import sourcegrad as sg
from tests.oracle import central_gradient, vector

# packages, by what they are called as modules
PACKAGES = {"filterpy": "filterpy", "quantecon": "quantecon", "fluids": "fluids", "chemicals": "chemicals", "control": "control",
            "lmfit": "lmfit", "nashpy": "nashpy", "hmmlearn": "hmmlearn", "bayesian-optimization": "bayes_opt", "deap": "deap",
            "SALib": "SALib", "pymoo": "pymoo", "emcee": "emcee"}


class Program(NamedTuple):
    """A function of numbers and arrays, and two points. step: of the differences, relative to the size of an argument."""

    function: Callable[..., Any]
    points: tuple[tuple, tuple]
    step: float

    @property
    def name(self) -> str:
        return self.function.__name__


class Outcome(NamedTuple):
    """What became of a program: "right", "refused", "wrong" or "broken", what was told, and the CPU seconds of its gradients."""

    what: str
    told: str
    seconds: float
    error: BaseException | None = None


def program(function: Callable[..., Any], *arguments: Any, other: tuple | None = None, step: float = 1e-5) -> Program:
    """A program at its arguments, and at others (by default a little beside these)."""
    beside = tuple(1.02 * x + 0.003 * np.cos(x) * np.minimum(abs(x), 1.0) for x in arguments)
    return Program(function, (arguments, other or beside), step)


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(PACKAGES[package]) is not None


def programs_of(package: str) -> list[Program]:
    """The programs of a package that is installed."""
    with quiet():
        return importlib.import_module(f"tests.packages.of_{PACKAGES[package].lower()}").PROGRAMS


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without warnings, which packages give as they like, and without what they print."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        logging.disable()
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


def differences(tested: Program, point: tuple) -> np.ndarray:
    """The gradient by central differences, with steps in proportion to each argument."""
    scales = [np.where(np.abs(x) > 0.0, np.abs(x), 1.0) for x in point]

    def scaled(*factors: Any) -> Any:
        values = [factor * scale for factor, scale in zip(factors, scales)]
        return tested.function(*(value if np.ndim(value) else float(value) for value in values))

    factors = tuple(x / scale if np.ndim(x) else float(x / scale) for x, scale in zip(point, scales))
    return central_gradient(scaled, factors, tuple(range(len(point))), 1.0, tested.step) / vector(tuple(scales))


def outcome(tested: Program) -> Outcome:
    """What becomes of the gradients of a program at its points."""
    start = time.process_time()
    seconds = 0.0
    with quiet():
        gradient = sg.grad(tested.function, inputs=tuple(range(len(tested.points[0]))))
        for point in tested.points:
            start = time.process_time()
            try:
                found = vector(gradient(*point))
            except sg.InternalError as error:
                return Outcome("broken", str(error), time.process_time() - start, error)
            except sg.SourcegradError as error:
                return Outcome("refused", str(error), time.process_time() - start, error)
            except Exception as error:
                return Outcome("broken", f"{type(error).__name__}: {error}", time.process_time() - start, error)
            seconds += time.process_time() - start
            wanted = differences(tested, point)
            scale = np.max(np.abs(wanted), initial=0.0)
            if not (scale > 0.0 and np.allclose(found, wanted, rtol=2e-5, atol=2e-6 * scale)):
                return Outcome("wrong", f"{found} and by differences {wanted}", seconds)
    return Outcome("right", "", seconds)
