"""Gradient checks by central differences: `check_grad` for users, and the checks of rules."""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sourcegrad.api import gradient as api
from sourcegrad.api.inputs import check_options
from sourcegrad.errors import InputError, public
from sourcegrad.ir.paths import base_of, steps_of
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
    gradient_of: Any = functools.partial(api.grad, has_aux=has_aux)
    first = gradient_of(function, inputs)
    args, options, _ = first._whole(args, options)
    target, inputs = first.unheld._function, first.unheld._inputs
    for level in range(1, order + 1):
        gradient = gradient_of(target, inputs)
        args, options = _floating(gradient, args, options)
        value_of: Any = functools.partial(_first, target) if has_aux else target
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
            target = gradient if scalar and single else gradient_of(target, inputs, None if scalar else ct)


def _first(function: Callable, /, *args: Any, **options: Any) -> Any:
    return function(*args, **options)[0]


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
