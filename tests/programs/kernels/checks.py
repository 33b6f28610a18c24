"""Compare gradients of kernels with central differences of the plain function, run on fresh copies."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np

import sourcegrad as sg
from tests.oracle import leaves
from tests.programs.checks import agree, seeded, source_text
from tests.programs.kernels.kernel import Kernel
from tests.shared import shared


def numbers(value: Any) -> np.ndarray:
    """All numbers of a nested value in one real vector; complex ones as real and imaginary parts."""
    parts = [np.zeros(0)]
    for leaf in leaves(value):
        array = np.ravel(np.asarray(leaf))
        parts += [array.real, array.imag] if array.dtype.kind == "c" else [array.astype(float)]
    return np.concatenate(parts)


def random_like(value: Any, rng: np.random.Generator) -> Any:
    """Random weights for one output: an array of its dtype, or a number."""
    if isinstance(value, (tuple, list)):
        return type(value)([random_like(item, rng) for item in value])
    noise = rng.uniform(0.5, 1.5, np.shape(value)) * rng.choice([-1.0, 1.0], np.shape(value))
    if np.asarray(value).dtype.kind == "c":
        noise = noise + 1j * rng.uniform(-1.5, 1.5, np.shape(value))
    if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind in "fc":
        return np.asarray(noise).astype(value.dtype)
    return noise if np.shape(value) else float(noise)


def is_plain(kernel: Kernel) -> bool:
    """Whether the only output is the return value, a number: then it needs no weight."""
    return kernel.outputs == ("return",)


def draw_weights(kernel: Kernel, order: int) -> list:
    """`grad_outputs` of each of `order` nested gradients: of the outputs first, then of the gradients."""
    rng = seeded(kernel.name)
    results = kernel.results(kernel.fresh())
    first = tuple(random_like(result, rng) for result in results)
    if len(results) == 1:
        first = first[0]
    if is_plain(kernel) and not isinstance(results[0], (tuple, list)) and not np.shape(results[0]):
        first = None
    weights: list = [first]
    for _ in range(1, order):
        weights.append(tuple(random_like(part, rng) for part in kernel.select(kernel.args)))
    return weights


def gradient_function(kernel: Kernel, weights: list) -> Any:
    """grad(grad(...)) of the kernel, as many times as there are weights; the inner ones are those of lower orders."""
    if not weights:
        return kernel.function if is_plain(kernel) else sg.differentiable(kernel.function).output(*kernel.outputs)

    def make() -> Any:
        chosen = {} if weights[-1] is None else {"grad_outputs": weights[-1]}
        return sg.grad(gradient_function(kernel, weights[:-1]), inputs=kernel.inputs, **chosen)

    return shared(make, kernel.function, values=(kernel.inputs, kernel.outputs, weights))


def evaluate(kernel: Kernel, weights: list, args: tuple, function: Any = None) -> Any:
    """The gradient; the last weights are given at the call."""
    last = {} if weights[-1] is None else {"grad_outputs": weights[-1]}
    return (function or gradient_function(kernel, weights))(*args, **last, **kernel.options)


def is_single(kernel: Kernel) -> bool:
    """Whether some argument is float32, so that differences need long steps."""
    return any(getattr(leaf, "dtype", None) == np.float32 for leaf in leaves(kernel.args))


def moved(kernel: Kernel, change: np.ndarray) -> tuple:
    """Fresh arguments, with the inputs moved by a vector (as `numbers` lays them out) in double precision."""
    args, used = list(kernel.fresh()), 0
    for position in kernel.positions:
        leaf = args[position]
        size, shape = np.size(leaf), np.shape(leaf)
        delta = change[used:used + size]
        used += size
        if np.asarray(leaf).dtype.kind == "c":
            delta = delta + 1j * change[used:used + size]
            used += size
        if isinstance(leaf, np.ndarray):                           # in the same layout
            args[position] = np.empty_like(leaf, dtype=np.result_type(leaf, delta))
            np.add(leaf, delta.reshape(shape), out=args[position])
        else:
            args[position] = leaf + float(delta[0])
    assert used == len(change)
    return tuple(args)


def loss(kernel: Kernel, weight: Any, change: np.ndarray) -> float:
    """Weighted sum of the final content of the outputs, at moved inputs."""
    results = kernel.results(moved(kernel, change))
    value = numbers(results)
    return float(value.sum() if weight is None else np.dot(numbers(weight), value))


def width(kernel: Kernel) -> int:
    return len(numbers(kernel.select(kernel.args)))


def first_differences(kernel: Kernel, weights: list, step: float | None = None) -> np.ndarray:
    """Gradient by central differences: only the plain function is used."""
    [weight] = weights
    step = step or (5e-3 if is_single(kernel) else 1e-5)
    eye = step * np.eye(width(kernel))
    return np.array([(loss(kernel, weight, e) - loss(kernel, weight, -e)) / (2.0 * step) for e in eye])


def next_differences(kernel: Kernel, weights: list, step: float | None = None) -> np.ndarray:
    """The derivative of some order by central differences of the derivative one order lower."""
    *lower, last = weights
    step = step or (5e-3 if is_single(kernel) else 1e-5)
    function, direction = gradient_function(kernel, lower), numbers(last)

    def at(change: np.ndarray) -> float:
        return float(np.dot(direction, numbers(evaluate(kernel, lower, moved(kernel, change), function))))

    eye = step * np.eye(width(kernel))
    return np.array([(at(e) - at(-e)) / (2.0 * step) for e in eye])


def mixed_difference(kernel: Kernel, weight: Any, u: np.ndarray, v: np.ndarray) -> float:
    """u'Hv by differences of the plain function, with one Richardson step: the error is O(step**4)."""
    step = 3e-2 if is_single(kernel) else 2e-3

    def estimate(h: float) -> float:
        corners = [s * t * loss(kernel, weight, h * (s * u + t * v)) for s in (1, -1) for t in (1, -1)]
        return sum(corners) / (4.0 * h * h)

    return (4.0 * estimate(step) - estimate(2.0 * step)) / 3.0


def unchanged(args: tuple, before: tuple) -> None:
    """Raise AssertionError if some argument is not bit by bit what it was."""
    for now, then in zip(leaves(args), leaves(before), strict=True):
        if isinstance(now, (np.random.Generator, np.random.RandomState)):      # it advances as the function advances it
            continue
        assert type(now) is type(then) and getattr(now, "dtype", None) == getattr(then, "dtype", None)
        same = np.array_equal(now, then) if isinstance(now, np.ndarray) else now == then or now is then
        assert same or np.asarray(now).tobytes() == np.asarray(then).tobytes(), "an argument was changed"


def shaped_like(result: Any, expected: Any) -> None:
    assert isinstance(result, tuple) and len(result) == len(expected), f"{type(result)} of gradients"
    for actual, like in zip(result, expected):
        dtype = np.asarray(like).dtype
        dtype = dtype if dtype.kind in "fc" else np.dtype(float)
        assert np.shape(actual) == np.shape(like), f"gradient of shape {np.shape(actual)} for {np.shape(like)}"
        assert np.asarray(actual).dtype == dtype, f"gradient of {np.asarray(actual).dtype} for {dtype}"


def check_kernel(kernel: Kernel, order: int) -> None:
    """The derivative of some order is right, twice, and leaves the caller's data alone."""
    weights = draw_weights(kernel, order)
    function = gradient_function(kernel, weights)
    args, kept = kernel.fresh(), copy.deepcopy(weights)
    result = evaluate(kernel, weights, args, function)
    unchanged(args, kernel.args)
    unchanged(tuple(weights), tuple(kept))
    shaped_like(result, kernel.select(kernel.args))
    single = is_single(kernel)

    flat = numbers(result)
    approximate = (first_differences if order == 1 else next_differences)(kernel, weights)
    agree(flat, approximate, 2e-3 if single else 2e-6, f"order {order}, central differences")
    if order == 2 and len(flat):
        u = seeded(kernel.name + " direction").standard_normal(len(flat))
        v = numbers(weights[1])
        u, length = u / np.linalg.norm(u), np.linalg.norm(v)
        expected = length * mixed_difference(kernel, weights[0], u, v / length)
        agree(np.array([np.dot(u, flat)]), np.array([expected]), 1e-3 if single else 2e-4 * max(1.0, length),
              "order 2, mixed differences of the plain function")
    again = evaluate(kernel, weights, args, function)
    assert np.array_equal(numbers(again), flat), "a second call differs"
    if kernel.linear and order == 1:
        assert "_tape" not in source_text(function), f"a linear kernel saves:\n{source_text(function)}"
