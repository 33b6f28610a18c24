"""Gradient checks by central differences: `check_grad` for users, and the checks of rules."""
from __future__ import annotations

import copy
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sourcegrad.api import gradient as api
from sourcegrad.api.inputs import check_options
from sourcegrad.errors import InputError, public
from sourcegrad.ir.paths import base_of, steps_of
from sourcegrad.ir.source import signature
from sourcegrad.primitives.core import ArraySpec, Rule, Sample
from sourcegrad.runtime import unbroadcast
from sourcegrad.runtime.structure import attributes_of, is_namedtuple, is_user_class

STEP = 1e-6
SINGLE = 2e-3           # the tolerance where any input is of single precision


@public
def check_grad(function: Callable, /, *args: Any, inputs: Any = None, order: int = 1, rtol: float = 1e-5,
               atol: float = 1e-7, has_aux: bool = False, **options: Any) -> None:
    """Compare the generated gradient with central differences; AssertionError with both if they differ.

    function, inputs, has_aux: as in `grad` (bound methods, parts of arguments such as "self.w", lists, dicts and objects of
    arrays too).
    args, options: the arguments of a call (a parameter that is called like an option of this function goes by position).
    order: 2 compares the gradient of the gradient with differences of the gradient, too.
    Inputs of single precision are compared to 0.2 %, with differences taken in double precision.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.check_grad(lambda x: np.sum(np.sin(x)), np.array([0.1, 0.2]), order=2)
    >>> sg.check_grad(lambda x: (x ** 3, "cubed"), 2.0, has_aux=True)
    >>> sg.check_grad(lambda p, n: p["a"] ** n * p["b"], {"a": 2.0, "b": 3.0}, 2, inputs="p['a']")
    """
    check_options("check_grad", function, args, inputs=inputs is not None, order=order != 1, rtol=rtol != 1e-5, atol=atol != 1e-7,
                  has_aux=has_aux)
    if type(order) is not int or order < 1:
        raise InputError(f"check_grad: order is {order!r}", remedy="Give 1 for the gradient, 2 for that of the gradient, too.")
    rng = np.random.default_rng(7)
    first = api._make(function, inputs, None, False, has_aux)
    args, options, _ = first._whole(args, options)
    target, inputs = first.unheld._function, first.unheld._inputs
    for level in range(1, order + 1):
        gradient = api._make(target, inputs, None, False, has_aux)
        args, options = _floating(gradient, args, options)
        value_of: Any = _Value(target) if has_aux else target
        value = _run(value_of, args, options)
        scalar = not isinstance(value, (list, tuple, dict)) and np.ndim(value) == 0
        ct = 1.0 if scalar else weights(value, rng)
        found = gradient(*copy.deepcopy(args), **copy.deepcopy(options), **({} if scalar else {"grad_outputs": ct}))
        found = found[0] if has_aux else found
        paths, single = gradient._active()
        gradients = (found,) if single else found
        if len(gradients) != len(paths):
            raise AssertionError(f"order {level}: {len(gradients)} gradients for {len(paths)} inputs")
        for path, actual in zip(paths, gradients):
            _compare(gradient, value_of, args, options, path, actual, ct, level, rtol, atol)
        if level < order:
            inputs = inputs if single else paths[0]
            target = gradient if scalar and single else api._make(target, inputs, None if scalar else ct, False, has_aux)


class _Value:
    """A function that gives (value, aux) as one that gives the value."""

    def __init__(self, function: Callable) -> None:
        self.function = function

    def __call__(self, /, *args: Any, **options: Any) -> Any:
        return self.function(*args, **options)[0]


def _bound(gradient: Any, args: tuple, options: dict) -> Any:
    bound = gradient._signature().bind(*args, **options)
    bound.apply_defaults()
    return bound


def _floating(gradient: Any, args: tuple, options: dict) -> tuple[tuple, dict]:
    """The arguments with whole numbers that are inputs as floats, as `grad` takes them."""
    try:
        bound = _bound(gradient, args, options)
    except TypeError as error:
        raise InputError(f"check_grad: {error}", gradient._origin()) from None
    inputs = {id(v) for name, v in bound.arguments.items() if name in gradient._active()[0] and type(v) is int}
    return (tuple(float(a) if type(a) is int and id(a) in inputs else a for a in args),
            {name: float(v) if type(v) is int and name in gradient._active()[0] else v for name, v in options.items()})


def _run(function: Callable, args: tuple, options: dict) -> Any:
    return function(*copy.deepcopy(args), **copy.deepcopy(options))         # it may work in place


def _compare(gradient: Any, target: Any, args: tuple, options: dict, path: str, actual: Any, ct: Any, level: int,
             rtol: float, atol: float) -> None:
    """Compare the gradient of one input, leaf by leaf."""
    bound = _bound(gradient, args, options)
    whole = bound.arguments[base_of(path)]
    start = list(steps_of(path) or [])
    part = _at(whole, start)
    leaves = [(steps, np.asarray(leaf)) for steps, leaf in _leaves(part) if np.asarray(leaf).dtype.kind in "fc"]
    wide = any(leaf.dtype.itemsize < (16 if leaf.dtype.kind == "c" else 8) for _, leaf in leaves)
    rtol = max(rtol, SINGLE) if wide else rtol

    def value_with(steps: list, leaf: Any) -> float:
        given = copy.deepcopy(bound)
        if wide:
            given.arguments.update({name: _doubled(v) for name, v in given.arguments.items()})
        given.arguments[base_of(path)] = _replaced(given.arguments[base_of(path)], [*start, *steps], leaf)
        return _inner(ct, target(*given.args, **given.kwargs))

    for steps, leaf in leaves:
        double = leaf.astype(np.result_type(leaf.dtype, np.float64))
        expected = np.zeros_like(double)
        for index in np.ndindex(*leaf.shape):
            for direction in (1.0, 1.0j) if leaf.dtype.kind == "c" else (1.0,):
                sides = []
                for sign in (1.0, -1.0):
                    moved = double.copy(order="K")                          # ravel() of it may depend on its layout
                    moved[index] += sign * STEP * direction
                    sides.append(value_with(steps, moved if leaf.shape else moved[()]))
                expected[index] += direction * (sides[0] - sides[1]) / (2.0 * STEP)
        given = _at(actual, steps, missing=np.zeros_like(leaf) if steps else None)      # (an object has gradients of some parts)
        if given is None or np.shape(given) != leaf.shape or not np.allclose(given, expected, rtol, max(atol, rtol)):
            name = path + "".join(f".{key}" if attribute else f"[{key!r}]" for attribute, key in steps)
            raise AssertionError(f"order {level}, input {name}: the gradient is {given}, central differences give {expected}")


def _leaves(value: Any) -> Iterator[tuple[list, Any]]:
    """The (steps, leaf) pairs of a structure; a step is (whether it is an attribute, name or index)."""
    if isinstance(value, dict):
        items = [((False, key), item) for key, item in value.items()]
    elif is_namedtuple(type(value)):
        items = [((True, key), item) for key, item in zip(value._fields, value)]
    elif isinstance(value, (list, tuple)):
        items = [((False, key), item) for key, item in enumerate(value)]
    elif is_user_class(type(value)):
        items = [((True, key), item) for key, item in attributes_of(value).items()]
    else:
        if isinstance(value, (float, complex, np.ndarray, np.generic)):
            yield [], value
        return
    for step, item in items:
        for steps, leaf in _leaves(item):
            yield [step, *steps], leaf


def _at(value: Any, steps: list, **missing: Any) -> Any:
    """A part of a structure. missing: what stands for parts that a gradient does not have."""
    for attribute, key in steps:
        try:
            value = getattr(value, key) if attribute else value[key]
        except (AttributeError, LookupError, TypeError):
            if not missing:
                raise
            return missing["missing"]
    return missing["missing"] if value is None and missing else value


def _replaced(value: Any, steps: list, leaf: Any) -> Any:
    """A structure (which is ours to change) with another leaf."""
    if not steps:
        return leaf
    (attribute, key), *rest = steps
    if is_namedtuple(type(value)):
        name = key if attribute else value._fields[key]
        return value._replace(**{name: _replaced(getattr(value, name), rest, leaf)})
    if isinstance(value, tuple):
        return tuple(_replaced(item, rest, leaf) if k == key % len(value) else item for k, item in enumerate(value))
    if attribute:
        object.__setattr__(value, key, _replaced(getattr(value, key), rest, leaf))
    else:
        value[key] = _replaced(value[key], rest, leaf)
    return value


def _doubled(value: Any) -> Any:
    """A structure with arrays and numbers of double precision instead of single."""
    for steps, leaf in list(_leaves(value)):
        if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "fc":
            value = _replaced(value, steps, leaf.astype(np.result_type(leaf.dtype, np.float64)))
    return value


def weights(value: Any, rng: np.random.Generator) -> Any:
    """Random weights of an output, in its structure."""
    if isinstance(value, dict):
        return {key: weights(item, rng) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [weights(item, rng) for item in value]
        return items if isinstance(value, list) else tuple(items)
    noise = np.asarray(rng.uniform(0.5, 1.5, np.shape(value)) * rng.choice([-1.0, 1.0], np.shape(value)))
    if np.iscomplexobj(value):
        noise = noise + 1j * rng.uniform(-1.0, 1.0, np.shape(value))
    if np.asarray(value).dtype.kind in "fc":
        noise = noise.astype(np.asarray(value).dtype)
    return noise if np.shape(value) else noise[()]


def _inner(ct: Any, value: Any) -> float:
    """Re<ct, value> over a structure."""
    if isinstance(value, dict):
        return sum(_inner(ct[key], item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return sum(_inner(c, item) for c, item in zip(ct, value))
    return float(np.real(np.sum(np.conj(ct) * value)))


# --- Finite-difference checks of gradients and of rules.

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


def random_like(value: Any, rng: np.random.Generator) -> Any:
    """A random cotangent of the structure of `value`."""
    if isinstance(value, (list, tuple)):
        items = [random_like(item, rng) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    noise = rng.uniform(0.5, 1.5, np.shape(value)) * rng.choice([-1.0, 1.0], np.shape(value))
    if np.iscomplexobj(value):
        noise = noise + 1j * rng.uniform(-1.0, 1.0, np.shape(value))
    noise = np.asarray(noise)
    if np.asarray(value).dtype.kind in "fc":
        noise = noise.astype(np.asarray(value).dtype)
    return noise if np.shape(value) else noise[()]


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
        assert same(actual, expected, tolerance, tolerance), (
            f"rule {rule.name} of {primitive}, argument {position}: {actual} is not {expected}")
