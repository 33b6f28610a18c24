"""What a random in-place program is, its exact gradient, and whether sourcegrad agrees with it.

Gradients come from complex steps: with f(x + ih) = f(x) + ih f'(x) + O(h^2) and h = 1e-30 nothing cancels and nothing is
truncated, so f' = Im f / h to the last digits (Squire and Trapp, SIAM Review 40, 1998). The program runs as it is, with
every float array complex. Central differences of the unchanged program check that, and programs where the two differ
(a tie or a jump nearby) are discarded: what sourcegrad says about a program is never used to judge the program.
"""
from __future__ import annotations

import contextlib
import itertools
import linecache
import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.oracle import vector
from tests.oracle.namespaces import Namespace

STEP = 1e-30
LARGEST = 1e4
OK, REFUSED, WRONG, DISCARDED = "ok", "refused", "WRONG", "discarded"
HAS_OUTPUT = hasattr(sg.differentiable(lambda x: x), "output")
_serial = itertools.count()


@dataclass(frozen=True)
class Case:
    """A program with arguments.

    bases: arrays that the caller has. views: the array arguments, each as (number of a base, text of a view of `base`).
    others: the arguments after them. outputs: names of arguments whose final values are the result (none: what is
    returned). with_value: asked for by `value_and_grad`.
    """

    text: str
    bases: tuple[np.ndarray, ...]
    views: tuple[tuple[int, str], ...]
    others: tuple = ()
    inputs: tuple[str, ...] = ("a",)
    outputs: tuple[str, ...] = ()
    order: int = 1
    with_value: bool = False
    seed: int = 0

    @property
    def is_shared(self) -> bool:
        """Whether two arguments are in one base."""
        return len({number for number, _ in self.views}) < len(self.views)

    @property
    def is_single(self) -> bool:
        return any(base.dtype == np.float32 for base in self.bases)

    @property
    def positions(self) -> tuple[int, ...]:
        return tuple("abc".index(name) for name in self.inputs)

    def arrays(self, bases: Any) -> list[np.ndarray]:
        return [eval(view, {"base": bases[number]}) for number, view in self.views]

    def __str__(self) -> str:
        lines = [f"# seed {self.seed}, order {self.order}, inputs {self.inputs}"
                 + (f", outputs {self.outputs}" if self.outputs else "")]
        lines += [f"base{k} = np.array({base.tolist()}, np.{base.dtype})" for k, base in enumerate(self.bases)]
        args = [view.replace("base", f"base{number}") for number, view in self.views] + [repr(x) for x in self.others]
        return "\n".join([self.text.rstrip(), "", "", *lines, f"program({', '.join(args)})"])


@dataclass(frozen=True)
class Verdict:
    outcome: str
    reason: str = ""
    details: str = ""


class Discard(Exception):
    """The program says nothing: it fails by itself, or is not smooth here."""


def loaded(text: str) -> Callable:
    """The function `program` of a module; `inspect.getsource` works for all its functions."""
    filename = f"<random program {next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict = {"__name__": "random_program"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"]


# --- the oracle

def _complex(construct: Callable) -> Callable:
    """An array constructor whose floats have room for an imaginary part; what is not written is NaN."""

    def made(*args: Any, **options: Any) -> np.ndarray:
        result = construct(*args, **options)
        if result.dtype.kind not in "fc":
            return result
        result = result.astype(complex)
        if construct in (np.empty, np.empty_like):
            result.fill(np.nan)
        return result

    return made


COMPLEX_NUMPY = Namespace(np, {
    **{name: _complex(getattr(np, name)) for name in ("zeros", "ones", "full", "empty", "zeros_like", "ones_like",
                                                      "empty_like", "full_like")},
    "float32": np.complex128, "float64": np.complex128})


def final_values(case: Case, function: Callable, bases: Any, others: tuple) -> Any:
    """Run the program on these very arrays; its result as the case defines it."""
    arrays = case.arrays(bases)
    result = function(*arrays, *others)
    if case.outputs:
        chosen = tuple(arrays["abc".index(name)].copy() for name in case.outputs)
        return chosen if len(chosen) > 1 else chosen[0]
    return result


def flat(value: Any) -> np.ndarray:
    """All numbers of a result, perhaps complex."""
    parts = value if isinstance(value, (tuple, list)) else [value]
    return np.concatenate([np.zeros(0), *(np.ravel(np.asarray(part)) for part in parts)])


def weights_like(value: Any, rng: np.random.Generator) -> Any:
    """`grad_outputs` for a result: None where it is one number."""
    if isinstance(value, tuple):
        return tuple(weights_like(part, rng) for part in value)
    if not np.shape(value):
        return None
    return (rng.uniform(0.5, 1.5, value.shape) * rng.choice([-1.0, 1.0], value.shape)).astype(value.dtype)


def spread(case: Case, bases: Any, direction: Any) -> list[np.ndarray]:
    """Tangents of the bases: `direction` has one array per input (only where no two arguments share a base)."""
    tangents = [np.zeros_like(base) for base in bases]
    for array, part in zip([case.arrays(tangents)[k] for k in case.positions], direction):
        array += part
    return tangents


class Exact:
    """Weighted results and base gradients by complex steps, in float64."""

    def __init__(self, case: Case, weights: Any) -> None:
        self.case = case
        self.weights = np.ones(1) if weights is None else flat(weights)
        self.plain = loaded(case.text)
        self.function = loaded(case.text)
        self.function.__globals__["np"] = COMPLEX_NUMPY
        for name, value in list(self.function.__globals__.items()):
            if isinstance(value, np.ndarray):
                self.function.__globals__[name] = value.astype(complex)

    def value(self, bases: Any) -> float:
        result = flat(final_values(self.case, self.plain, [base.copy() for base in bases], self.case.others))
        return float(result @ self.weights)

    def gradient(self, bases: Any) -> np.ndarray:
        """In the numbers of all bases, as one vector."""
        sizes = [base.size for base in bases]
        result = np.zeros(sum(sizes))
        others = tuple(np.complex128(x) if isinstance(x, float) else x for x in self.case.others)
        position = 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for k, size in enumerate(sizes):
                for j in range(size):
                    moved = [base.astype(complex) for base in bases]
                    moved[k].flat[j] += STEP * 1j
                    found = flat(final_values(self.case, self.function, moved, others))
                    result[position] = float(np.imag(found @ self.weights)) / STEP
                    position += 1
        return result

    def differences(self, function: Callable, bases: Any, step: float = 1e-4) -> np.ndarray:
        """Central differences of a function of the bases, extrapolated to step 0 (Richardson): O(step^4)."""

        def slope(k: int, j: int, h: float) -> Any:
            def at(sign: float) -> Any:
                moved = [base.copy() for base in bases]
                moved[k].flat[j] += sign * h
                return function(moved)
            return (at(1.0) - at(-1.0)) / (2.0 * h)

        return np.array([(4.0 * slope(k, j, step / 2) - slope(k, j, step)) / 3.0
                         for k, base in enumerate(bases) for j in range(base.size)])


def _finite(numbers: np.ndarray, what: str) -> np.ndarray:
    if not np.all(np.isfinite(numbers)) or np.max(np.abs(numbers), initial=0.0) > LARGEST:
        raise Discard(f"{what} not finite or too large")
    return numbers


@dataclass(frozen=True)
class Expected:
    """weights: `grad_outputs` of each order. gradient: in all bases. value: of the program."""

    weights: tuple
    gradient: np.ndarray
    value: Any
    tolerance: float


def expected(case: Case) -> Expected:
    """What a right derivative is; raises Discard where the program cannot tell."""
    rng = np.random.default_rng(case.seed)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = final_values(case, loaded(case.text), [base.copy() for base in case.bases], case.others)
        except Exception as error:
            raise Discard(f"the program raises {type(error).__name__}") from error
        if value is None:
            raise Discard("nothing is returned")
        _finite(flat(value), "the value is")
        weights = weights_like(value, rng)
        exact = Exact(case, weights)
        bases = [base.astype(float) for base in case.bases]
        try:
            wide = flat(final_values(case, exact.plain, [base.copy() for base in bases], case.others))
            if wide.shape != flat(value).shape or np.max(np.abs(wide - flat(value)), initial=0.0) > 1e-3:
                raise Discard("single precision decides")
            approximate = _finite(exact.differences(exact.value, bases), "differences are")
        except (ValueError, TypeError) as error:
            raise Discard(f"the program raises {type(error).__name__} nearby") from error
        tolerance = 1e-9
        try:
            gradient = _finite(exact.gradient(bases), "complex steps are")
        except (TypeError, ValueError, Warning):                   # not a program of complex numbers
            gradient, tolerance = approximate, 1e-7
        scale = max(1.0, float(np.max(np.abs(gradient), initial=0.0)))
        if np.max(np.abs(gradient - approximate), initial=0.0) > 1e-7 * scale:
            raise Discard("not smooth")
        if case.order == 1:
            return Expected((weights,), gradient, value, 2e-3 if case.is_single else tolerance)
        arrays = case.arrays(case.bases)
        direction = tuple(weights_like(arrays[k], rng) for k in case.positions)
        along = flat(spread(case, bases, direction))
        second = [exact.differences(lambda moved: float(exact.gradient(moved) @ along), bases, step)
                  for step in (1e-3, 5e-4)]
        if np.max(np.abs(second[0] - second[1])) > 1e-8 * max(1.0, float(np.max(np.abs(_finite(second[1], "second"))))):
            raise Discard("not smooth enough for order 2")
        return Expected((weights, direction), second[1], value, 1e-7)


# --- sourcegrad

def gradient_function(case: Case, function: Callable, weights: tuple) -> Callable:
    """What a user would write."""
    subject = sg.differentiable(function).output(*case.outputs) if case.outputs else function
    for weight in weights:
        options = {} if weight is None else {"grad_outputs": weight}
        make = sg.value_and_grad if case.with_value and case.order == 1 else sg.grad
        subject = make(subject, inputs=case.inputs, **options)
    return subject


def poison() -> None:
    """Leave NaN in the small blocks that `np.empty` is about to get."""
    blocks = [np.full(size, np.nan) for size in range(1, 25) for _ in range(8)]
    del blocks


@contextlib.contextmanager
def limited(seconds: int = 60) -> Iterator[None]:
    """A loop without end becomes an error, where signals can do that."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError(f"no result in {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def agrees(case: Case, found: tuple, wanted: Expected) -> str:
    """What is wrong with gradients, one per input; empty where they are right.

    Where arguments share memory, each gradient may be of its own role (together they are the whole) or of both.
    """
    tangents = case.arrays([np.zeros(base.shape) for base in case.bases])
    for k, part in zip(case.positions, found):
        if np.shape(part) != tangents[k].shape:
            return f"the gradient of {'abc'[k]} has shape {np.shape(part)}"
        if np.asarray(part).dtype != case.bases[case.views[k][0]].dtype:
            return f"the gradient of {'abc'[k]} has dtype {np.asarray(part).dtype}"
    scale = max(1.0, float(np.max(np.abs(wanted.gradient), initial=0.0)))
    whole = [np.zeros(base.shape) for base in case.bases]
    ends = np.cumsum([base.size for base in case.bases])[:-1]
    right = [part.reshape(base.shape) for part, base in zip(np.split(wanted.gradient, ends), case.bases)]
    views = case.arrays(right)
    if case.is_shared:
        for k, part in zip(case.positions, found):
            target = case.arrays(whole)[k]
            target += part
        # a number that no argument holds is not asked for
        pairs = [[(w, r) for w, r in zip(whole, right)], [(part, views[k]) for k, part in zip(case.positions, found)]]
    else:
        pairs = [[(part, views[k]) for k, part in zip(case.positions, found)]]
    for options in pairs:
        if all(np.all(np.abs(x - y) <= wanted.tolerance * scale) for x, y in options):
            return ""
    return "\n".join(f"sourcegrad {np.asarray(x).tolist()}\nexpected   {y.tolist()}" for x, y in pairs[0])


def located(error: Exception) -> bool:
    return (isinstance(error, SourcegradError) and not isinstance(error, InternalError)
            and re.match(r".+:\d+:\d+: ", str(error)) is not None)


def judge(case: Case) -> Verdict:
    """ok, refused, WRONG or discarded."""
    try:
        wanted = expected(case)
    except Discard as error:
        return Verdict(DISCARDED, str(error))
    if case.outputs and not HAS_OUTPUT:
        return Verdict(REFUSED, "mutated arguments as outputs: there is no .output")
    bases = [base.copy() for base in case.bases]
    function = loaded(case.text)
    kept = {name: value.copy() for name, value in function.__globals__.items() if isinstance(value, np.ndarray)}
    args = [*case.arrays(bases), *case.others]
    results = []
    with np.errstate(all="ignore"), warnings.catch_warnings(), limited():
        warnings.simplefilter("ignore")
        try:
            gradient = gradient_function(case, function, wanted.weights)
            for _ in range(2):
                poison()
                results.append(gradient(*args))
        except Exception as error:
            if located(error):
                return Verdict(REFUSED, error.message, str(error))  # type: ignore[attr-defined]
            return Verdict(WRONG, f"raises {type(error).__name__}", f"{type(error).__name__}: {error}")
    if any(base.tobytes() != old.tobytes() for base, old in zip(bases, case.bases)):
        return Verdict(WRONG, "the caller's data changed", "\n".join(map(str, bases)))
    if any(function.__globals__[name].tobytes() != old.tobytes() for name, old in kept.items()):
        return Verdict(WRONG, "a global changed")
    for call, result in enumerate(results):
        problem = compare(case, result, wanted)
        if problem:
            return Verdict(WRONG, "wrong numbers" + (" at the second call" if call else ""), problem)
    return Verdict(OK)


def compare(case: Case, result: Any, wanted: Expected) -> str:
    """What is wrong with one result of the gradient function."""
    if case.with_value and case.order == 1:
        value, result = result
        if not np.allclose(flat(value), flat(wanted.value), rtol=1e-12 if not case.is_single else 1e-4,
                           atol=1e-12 if not case.is_single else 1e-5):
            return f"value {value!r}\nexpected {wanted.value!r}"
    if not isinstance(result, tuple) or len(result) != len(case.inputs):
        return f"not a tuple with a gradient for each of {case.inputs}: {result!r}"
    vector(result)
    return agrees(case, result, wanted)
