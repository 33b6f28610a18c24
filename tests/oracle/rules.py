"""Checks of rules by central differences: a rule, called directly, beside its primitive."""
from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np

from sourcegrad.api.check_grad import weights as random_like
from sourcegrad.ir.source import signature
from sourcegrad.primitives.core import ArraySpec, Rule, Sample
from sourcegrad.runtime import unbroadcast


def draw(spec: Any, rng: np.random.Generator, dtype: str = "float64") -> Any:
    """A value for one sample argument: arrays for `ArraySpec`s (floats for shape ()), others unchanged."""
    if isinstance(spec, ArraySpec):
        value = np.asarray(spec.domain.draw(rng, spec.shape))
        value = value.astype(np.result_type(dtype, np.complex64) if np.iscomplexobj(value) else dtype)
        return value if spec.shape else value[()]
    if type(spec) in (list, tuple):
        return type(spec)(draw(item, rng, dtype) for item in spec)
    return spec


def leaves(value: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """The (path, leaf) pairs of nested lists and tuples."""
    if isinstance(value, (list, tuple)):
        for k, item in enumerate(value):
            yield from leaves(item, path + (k,))
    else:
        yield path, value


def inner(ct: Any, out: Any) -> float:
    """Re<ct, out> over nested lists and tuples."""
    cts = dict(leaves(ct))
    return sum(float(np.real(np.sum(np.conj(cts[path]) * leaf))) for path, leaf in leaves(out))


def numeric_vjp(function: Callable, args: tuple, position: int, ct: Any, step: float) -> Any:
    """Central differences of Re<ct, function(*args)> with respect to one argument (nested lists allowed)."""

    def perturbed(path: tuple, leaf: Any) -> float:
        def rebuild(value: Any, rest: tuple) -> Any:
            if not rest:
                return leaf
            return type(value)(rebuild(v, rest[1:]) if k == rest[0] else v for k, v in enumerate(value))
        new = list(args)
        new[position] = rebuild(args[position], path)
        return inner(ct, function(*new))

    def leaf_gradient(path: tuple, leaf: Any) -> Any:
        leaf = np.asarray(leaf)
        result = np.zeros(leaf.shape, dtype=np.result_type(leaf.dtype, np.float64))
        directions = (1.0, 1.0j) if np.iscomplexobj(leaf) else (1.0,)
        for index in np.ndindex(*leaf.shape):
            for direction in directions:
                plus, minus = leaf.copy(order="K"), leaf.copy(order="K")     # ravel() of it may depend on its layout
                plus[index] += step * direction
                minus[index] -= step * direction
                high, low = (perturbed(path, v if leaf.shape else v[()]) for v in (plus, minus))
                result[index] += direction * (high - low) / (2.0 * step)
        return result

    def walk(value: Any, path: tuple) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(walk(item, path + (k,)) for k, item in enumerate(value))
        return leaf_gradient(path, value)

    return walk(args[position], ())


def same(actual: Any, expected: Any, rtol: float, atol: float) -> bool:
    """Equal structure, shapes and values; NaN equals nothing."""
    if isinstance(expected, (list, tuple)):
        alike = isinstance(actual, (list, tuple, np.ndarray)) and len(actual) == len(expected)
        return alike and all(same(a, e, rtol, atol) for a, e in zip(actual, expected))
    if actual is None or np.shape(actual) != np.shape(expected):
        return False
    return bool(np.allclose(actual, expected, rtol, atol))


def expand(rule: Rule, spec: Any) -> list[Sample]:
    """Concrete samples: a tuple of domains of an elementwise rule becomes calls at several shapes."""
    if isinstance(spec, Sample):
        return [spec]
    count = len(spec)
    shapes: list[tuple] = [((),) * count, ((3,),) * count, ((2, 3),) * count, ((0,),) * count, ((2, 1),) * count]
    if count == 2:
        shapes += [((), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((1,), ()), ((3, 1), (2, 3, 4))]
    if count == 3:
        shapes += [((3,), (), (2, 3)), ((2, 1), (1, 3), ()), ((), (2, 3), (3,))]
    return [Sample(tuple(d(*s) for d, s in zip(spec, combination))) for combination in shapes]


def seeded(rule: Rule, spec: Sample) -> np.random.Generator:
    """Random numbers that are the same on every run for one sample of one rule."""
    return np.random.default_rng(zlib.crc32(f"{rule.name}{spec}".encode()))


def contributions(rule: Rule, ct: Any, out: Any, args: tuple, options: dict) -> tuple:
    """What a rule returns when it is called directly: one contribution per leading argument."""
    names = rule.function.__globals__
    with patch.dict(names, {"refuse": lambda message, remedy: None} if "refuse" in names else {}):     # of others than are drawn
        result = rule.function(ct, out, *args, **options)
    if not isinstance(result, tuple):
        result = (result,)
    if any(p.kind is p.VAR_POSITIONAL for p in signature(rule.function).parameters.values()):
        result = (*result[:-1], *result[-1])            # *operands: one list at the end
    return result


def check_rule(rule: Rule, primitive: Any, spec: Sample, dtype: str = "float64") -> None:
    """Compare a rule, called directly, with central differences of its primitive; AssertionError if wrong."""
    rng = seeded(rule, spec)
    args = draw(spec.args, rng, dtype)
    options = dict(spec.options)

    def function(*values: Any) -> Any:
        return primitive(*values, **options)

    out = function(*args)
    ct = random_like(out, rng)
    result = contributions(rule, ct, out, args, options)
    wide = draw(spec.args, seeded(rule, spec), "float64")
    tolerance = 1e-6 if dtype == "float64" else 2e-3
    for position, argument in enumerate(args):
        actual = result[position] if position < len(result) else None
        drawn = any(isinstance(leaf, ArraySpec) for _, leaf in leaves(spec.args[position]))
        if actual is None and not drawn:
            continue
        expected = numeric_vjp(function, wide, position, ct, 1e-6)
        if actual is None:
            assert not any(np.any(np.abs(leaf) > 1e-7) for _, leaf in leaves(expected)), (
                f"rule {rule.name} of {primitive} has no contribution for argument {position}, but {expected}")
            continue
        if rule.elementwise:
            actual = unbroadcast(actual, argument)
        if isinstance(argument, np.ndarray) and not np.iscomplexobj(argument):         # as the engine does
            actual = np.real(actual)
        assert same(actual, expected, tolerance, tolerance), (
            f"rule {rule.name} of {primitive}, argument {position}: {actual} is not {expected}")
