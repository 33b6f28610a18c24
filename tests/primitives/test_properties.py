"""What the record of a primitive says of values (`primitives.core.Primitive`), proven at random points and on its samples."""
from __future__ import annotations

import cmath
import contextlib
import functools
import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import UnsupportedError
from sourcegrad.cli.commands import primitive_name
from sourcegrad.primitives.core import LENGTH, PRIMITIVES, RULES, describe, primitive_of
from tests.oracle.rules import leaves
from tests.primitives.test_sharing import DECLARED, arrays, results

pytestmark = pytest.mark.filterwarnings("ignore")

POINTS = [*np.random.default_rng(0).uniform(-3.0, 3.0, 40).tolist(), 0.0, 0.5 * math.pi, -0.5 * math.pi, 20.0, -20.0]
OPERATIONS: dict[str, Callable] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y, "**": lambda x, y: x ** y,
    "max": lambda x, y: x if x > y else y, "min": lambda x, y: x if x < y else y, "@": lambda x, y: x * y}


def all_with(name: str, value: Any = None) -> Any:
    """Parametrized by all functions of which something is declared; with that value, if one is given."""
    unknown = type(primitive_of("unknown")).__dataclass_fields__[name].default
    told = {f: getattr(primitive_of(f), name) for f in DECLARED}
    found = [f for f in DECLARED if (told[f] != unknown if value is None else told[f] == value)]
    assert found
    return pytest.mark.parametrize("function", found, ids=primitive_name)


def at(function: Any, *point: float) -> Any:
    """The value at a point; NaN where there is none."""
    try:
        return function(*point)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        return math.nan


def numbers(value: Any) -> np.ndarray:
    """All numbers in a value."""
    parts = [np.ravel(leaf) for _, leaf in leaves(value) if isinstance(leaf, (np.ndarray, np.generic, float, int))]
    return np.concatenate(parts or [[]])


def real_results(function: Any) -> Iterator[tuple[list, dict, Any]]:
    for args, options, out in results(function):
        if not np.iscomplexobj(numbers([args, list(options.values())])):
            yield args, options, out


def contributions(function: Any, ct: Any, out: Any, args: Any, options: Any) -> np.ndarray:
    return numbers(RULES[function].function(ct, out, *args, **options))


@all_with("range")
def test_range(function: Any) -> None:
    """No result lies outside; a bound is reached, and the derivative is zero there."""
    low, high = primitive_of(function).range
    tried = [numbers(out) for _, _, out in real_results(function)]
    alone = len(RULES[function].parameters) == 1 and RULES[function].elementwise
    places: list = [(x,) for x in POINTS] if alone else [(np.zeros(3),), (0.0, 0.0), ([0.0, 0.0], [0.0, 0.0])]
    values = [(place, out) for place in places if not np.any(np.isnan(out := at(function, *place)))]
    reached = 0
    for place, out in values if alone else values[:1]:
        tried.append(numbers(out))                                       # NaN: of no elements
        if np.all(np.isin(out, (low, high))):
            reached += 1
            with np.errstate(all="ignore"):
                assert contributions(function, 1.0, out, place, {}) == pytest.approx(0.0, abs=1e-9), place
    assert reached > 0 and not any(np.any((values < low) | (values > high)) for values in tried)


@all_with("operation")
def test_operation(function: Any) -> None:
    wanted = OPERATIONS[primitive_of(function).operation]
    for x, y in zip(np.abs(POINTS[:20]).tolist(), POINTS[20:]):
        assert function(x if "matmul" not in primitive_name(function) else np.array([x]), y if "matmul" not in primitive_name(
            function) else np.array([y])) == pytest.approx(wanted(x, y))
    if primitive_of(function).operation == "@":
        x, y = np.array(POINTS[:20]), np.array(POINTS[20:40])
        assert function(x, y) == pytest.approx(np.sum(x * y))


@all_with("folds")
def test_folds(function: Any) -> None:
    known = primitive_of(function)
    for count in (1, 2, 7):
        x = np.array(POINTS[:count])
        mean = known.folds == "mean"
        wanted = functools.reduce(OPERATIONS["+" if mean else known.folds], x.tolist()) / (count if mean else 1.0)
        out = function(x)
        assert np.shape(out) == (x.shape if known.running else ())
        assert np.ravel(out)[-1] == pytest.approx(wanted)
    if known.folds == "+" and not known.running:
        assert function(np.zeros(0)) == 0.0


@all_with("power")
def test_power(function: Any) -> None:
    for x in np.abs(POINTS):
        assert function(float(x)) == pytest.approx(float(x) ** primitive_of(function).power)


@all_with("slope")
def test_slope(function: Any) -> None:
    for x in np.logspace(-6.0, 6.0, 25):
        slope = RULES[function].function(1.0, at(function, x), float(x))
        assert 0.0 < abs(slope) <= 2.0 * x ** primitive_of(function).slope


@all_with("branch_points")
def test_branch_points(function: Any) -> None:
    """Finite there, and steeper than anything next to it."""
    for point in primitive_of(function).branch_points:
        place = list(point) if isinstance(point, tuple) else [point]
        further = [0.5] if len(place) < len(RULES[function].parameters) else []
        further = [1.5] if getattr(function, "__name__", "") == "power_slope" else further
        here = at(function, *place, *further)
        steps = [(at(function, place[0] + h, *place[1:], *further) - here) / h for h in (1e-12, -1e-12)]
        assert math.isfinite(here) and max(abs(s) for s in steps if not isinstance(s, complex) and not math.isnan(s)) > 1e4


@pytest.mark.parametrize("function", [f for f in RULES if RULES[f].singular == "pole"], ids=primitive_name)
def test_poles(function: Any) -> None:
    """Where a derivative is infinite or no number, so is the value."""
    met = 0
    places = (0.0, 1.0, -1.0, 2.0, *[1j] * (function is cmath.atan))
    for point in itertools.product(places, repeat=min(len(RULES[function].parameters), 2)):
        args = (np.full((2, 2), point[0]),) if function is np.linalg.slogdet else point
        out = at(function, *args)
        parts = out if isinstance(out, tuple) else (out,)
        ct = tuple(map(np.ones_like, out)) if isinstance(out, tuple) else 1.0
        try:
            steep = not np.all(np.isfinite(contributions(function, ct, out, args, {})))
        except (ZeroDivisionError, ValueError, TypeError):
            steep = True
        met += steep
        assert not steep or not all(np.all(np.isfinite(part)) for part in parts), point
    assert met


@all_with("exponential")
def test_exponential(function: Any) -> None:
    for x in POINTS:
        assert function(x) == pytest.approx(primitive_of(function).exponential ** x)


@all_with("inverse")
def test_inverse(function: Any) -> None:
    for x in np.abs(POINTS[:40]):
        assert primitive_of(function).inverse(function(float(x))) == pytest.approx(float(x))


@all_with("overflows")
def test_overflows(function: Any) -> None:
    assert np.isinf(function(1e4)) and np.isfinite(function(1.0))


@all_with("fills")
def test_fills(function: Any) -> None:
    tried = [function(argument) for argument in (3, (2, 3), np.arange(4.0)) if isinstance(argument, np.ndarray) == (
        primitive_of(function).shaped == 0)]
    assert tried and all(np.all(out == primitive_of(function).fills) for out in tried)


@all_with("selects")
def test_selects(function: Any) -> None:
    """What the result has is in the arguments that are named."""
    tried = 0
    for args, options, out in real_results(function):
        if {"dtype", "initial"} & options.keys() or max(primitive_of(function).selects) >= len(args):
            continue
        parts = numbers([args[j] for j in primitive_of(function).selects])
        tried += 1
        assert np.all(np.isin(numbers(out), parts)), f"{args} {options}"
    assert tried


@all_with("joins")
def test_joins(function: Any) -> None:
    tried = [args for args, options, out in results(function) if isinstance(args[0], list) and not options.get("dtype") and np.all(
        np.isin(numbers(args[0]), numbers(out)))]
    assert tried


def changed(args: Any, put: Callable) -> list:
    """The arguments, where arrays of numbers have become others."""
    return [put(x) if isinstance(x, (float, np.ndarray)) and np.asarray(x).dtype.kind == "f" else [
        *changed(x, put)] if type(x) is list else x for x in args]


def with_first(value: float) -> Callable:
    """Arrays whose first element is such a number."""
    def put(x: Any) -> Any:
        new = np.array(x)
        new[(..., *[slice(0, 1)] * bool(new.ndim))] = value
        return new if isinstance(x, np.ndarray) else float(new)
    return put


@all_with("drops", "chosen")
def test_what_is_chosen(function: Any) -> None:
    """The rule passes on a part of the cotangent, and multiplies with nothing: zero stays zero, whatever the arguments."""
    dropped = 0
    for args, options, out in real_results(function):
        ones = np.ones_like(out) if isinstance(out, np.ndarray) else 1.0
        guarded = [*changed(args[:1], with_first(0.0)), *changed(args[1:], with_first(math.nan))]
        with np.errstate(all="ignore"), contextlib.suppress(TypeError, ValueError, UnsupportedError):       # this form has no rule
            for given in (args, guarded):
                dropped += bool(np.any(contributions(function, ones, function(*given, **options), given, options) == 0.0))
            wild = changed(args, with_first(math.inf))
            assert not np.any(contributions(function, 0.0 * ones, function(*wild, **options), wild, options)), f"{args} {options}"
    assert dropped


@all_with("drops", "weighted")
def test_what_is_weighted(function: Any) -> None:
    """What is missing has no influence."""
    if not primitive_of(function).nan_aware:
        assert not function(np.zeros(2), np.array([0.0, 1.0])).any() and function(0.0, 0.0) == 0.0      # a quotient of nothing
        return
    x = np.array([1.0, math.nan, 3.0])
    found = contributions(function, np.ones_like(function(x)), function(x), (x,), {})
    assert found[1] == 0.0 and np.all(np.isfinite(found))


@all_with("drops", "part")
def test_what_is_a_part(function: Any) -> None:
    patterns = []
    for number in (0, 1):
        x = np.random.default_rng(number).uniform(1.0, 2.0, (3, 3))
        out = function(x)
        patterns.append(contributions(function, np.ones_like(out), out, (x,), {}) == 0.0)
    assert patterns[0].any() and not patterns[0].all() and np.array_equal(*patterns)


@all_with("nan_aware")
def test_nan_aware(function: Any) -> None:
    out = function(math.nan if getattr(math, function.__name__, None) is function else np.array([1.0, math.nan, 3.0]))
    assert not np.any(np.isnan(out)) or np.asarray(out).dtype == bool


@all_with("multiplies")
def test_multiplies(function: Any) -> None:
    """Where elements of one argument are zero, derivatives by elements of others are."""
    tried = 0
    for args, options, _ in real_results(function):
        values = [j for j, x in enumerate(args) if isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.size]
        weights = options.get("weights")
        if len(values) + (weights is not None) < 2:
            continue
        none = np.zeros_like if function is not np.average else with_first(0.0)
        options = options if weights is None else {**options, "weights": none(weights)}
        args = [none(x) if weights is None and j == values[1] else x for j, x in enumerate(args)]
        out = function(*args, **options)
        found = RULES[function].function(np.ones_like(out), out, *args, **options)
        found = found[0] if isinstance(found, tuple) and values[0] == 0 else found
        assert np.any(numbers(found) == 0.0)
        tried += 1
    assert tried


@all_with("linear")
def test_linear(function: Any) -> None:
    """The contributions are the same for other values."""
    tried = 0
    for args, options, out in real_results(function):
        if not all(np.asarray(x).dtype.kind in "fiub" for x in arrays(args)):
            continue
        others = changed(args, lambda x: 1.0 - 3.0 * x)
        ct = np.arange(1.0, np.size(out) + 1.0).reshape(np.shape(out))
        one, other = (contributions(function, ct, y, xs, options) for y, xs in (
            (out, args), (function(*others, **options), others)))
        tried += 1
        assert np.array_equal(one, other)
    assert tried


@all_with("shaped")
def test_shaped(function: Any) -> None:
    """The values of the argument do not matter."""
    position = primitive_of(function).shaped
    tried = 0
    helper = function.__module__.startswith("sourcegrad.") and function not in RULES
    calls = [(args, options) for args, options, _ in results(function)] if not helper else [
        ([x, 0][:len(inspect.signature(function).parameters)], {}) for x in (np.arange(4.0), np.ones((2, 3)))]
    for args, options in calls:
        if len(args) > position and isinstance(args[position], np.ndarray):
            other = [args[position] * 2 + 1 if j == position else x for j, x in enumerate(args)]
            tried += 1
            assert np.array_equal(numbers(function(*other, **options)), numbers(function(*args, **options)))
        tried += len(args) > position and isinstance(args[position], tuple)          # the shape itself
    assert tried


WRONG: list[tuple[Callable, dict, Callable]] = [
    (np.arctan, {"range": (-2.0, 2.0)}, test_range), (np.exp, {"range": LENGTH}, test_range),
    (np.sinh, {"range": LENGTH}, test_range), (np.subtract, {"operation": "+"}, test_operation),
    (np.outer, {"operation": "@"}, test_operation), (np.prod, {"folds": "+"}, test_folds),
    (np.cumsum, {"running": False}, test_folds), (np.ptp, {"folds": "max"}, test_folds), (np.cbrt, {"power": 0.5}, test_power),
    (np.log, {"slope": 0.0}, test_slope), (np.log, {"branch_points": (0.0,)}, test_branch_points),
    (np.arctan, {"branch_points": (1.0,)}, test_branch_points), (np.exp2, {"exponential": math.e}, test_exponential),
    (np.log10, {"inverse": np.exp}, test_inverse), (np.tanh, {"overflows": True}, test_overflows),
    (np.zeros, {"fills": 1.0}, test_fills), (np.triu, {"selects": (0,)}, test_selects),
    (np.mean, {"selects": (0,)}, test_selects), (np.cumsum, {"selects": (0,)}, test_selects),
    (np.nanmean, {"drops": "chosen"}, test_what_is_chosen), (np.sum, {"drops": "chosen"}, test_what_is_chosen),
    (np.flip, {"drops": "part"}, test_what_is_a_part), (np.max, {"drops": "part"}, test_what_is_a_part),
    (np.sum, {"nan_aware": True}, test_nan_aware), (np.hypot, {"multiplies": True}, test_multiplies),
    (np.prod, {"linear": True}, test_linear), (np.sort, {"linear": True}, test_linear), (np.ptp, {"shaped": 0}, test_shaped),
    (np.quantile, {"joins": True}, test_joins)]


@pytest.mark.parametrize("function, properties, check", WRONG)
def test_wrong_declarations_are_found(function: Any, properties: dict, check: Callable) -> None:
    declared = PRIMITIVES.get(function)
    try:
        describe(function, **properties)
        with pytest.raises(AssertionError):
            check(function)
    finally:
        PRIMITIVES.pop(function)
        PRIMITIVES.update({function: declared} if declared else {})


def root_of_running_sums(x):
    return np.sum(np.sqrt(np.cumsum(np.stack([x[0] * x[0], np.minimum(x[1], 0.0)]))))


def test_running_sums_are_no_selection() -> None:
    """What is added stands still where it is zero; a running sum of both signs does not: its root is infinitely steep there."""
    with np.errstate(divide="ignore"):
        assert np.all(np.isinf(sg.grad(root_of_running_sums)(np.array([1.0, -1.0]))))


def filled_with_the_mean(x):
    y = x.copy()
    hole = np.isnan(y)
    y[hole] = np.mean(y[~hole])
    return np.sum((y - np.mean(y)) ** 3)


def test_what_is_read_for_its_size_needs_no_guard() -> None:
    """The share of each element in a mean is a multiple of the cotangent, whatever the elements are: NaN, too."""
    x = np.array([1.0, math.nan, 3.0, 4.5])
    assert "guard" not in sg.source(filled_with_the_mean, at={"x": x})
    found = sg.grad(filled_with_the_mean)(x)
    assert found[1] == 0.0
    for j in (0, 2, 3):
        step = 1e-6 * (np.arange(4) == j)
        slope = (filled_with_the_mean(x + step) - filled_with_the_mean(x - step)) / 2e-6
        assert found[j] == pytest.approx(slope, rel=1e-6)
