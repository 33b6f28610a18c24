"""What the record of a primitive says of calls (`primitives.core.Primitive`), proven by what happens to their arguments."""
from __future__ import annotations

import copy
import itertools
import math
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import integrate

import sourcegrad as sg
from sourcegrad import runtime
from sourcegrad.primitives import containers
from sourcegrad.primitives.core import PRIMITIVES, describe, primitive_of
from sourcegrad.primitives.scipy import (
    boundary,
    constrained,
    hypotheses,
    iterative,
    linalg_refused,
    rotations,
    several,
    spectra_sparse,
)
from sourcegrad.primitives.scipy.patterns import Pattern
from sourcegrad.runtime import (
    containers as containers_of_lists,
    library,
    more_forms,
    numpy_forms,
    numpy_library,
    random_draws,
    rounding,
    solvers,
)
from sourcegrad.runtime.structure import Path
from tests.primitives.test_properties import all_with
from tests.primitives.test_sharing import ARRAYS, results

pytestmark = pytest.mark.filterwarnings("ignore")

DICT, SET = {"a": 1.0, "b": 2.0}, {1, 2}
CALLS: dict[Any, tuple] = {               # of helpers whose rules have no samples
    runtime.entry_add: ({"a": 1.0}, "a", 2.0), runtime.entry_add_at: ({"a": np.ones(3)}, "a", 1, 2.0, np.ones(3)),
    runtime.entry_drop: (DICT, "a"), runtime.path_drop: (DICT, Path((("index", "a"),)), DICT), runtime.add: (DICT, {"b": 1.0}),
    runtime.dict_merge: (DICT, {"c": 3.0}),
    runtime.dict_delete: (DICT, "a"), runtime.dict_discard: (DICT, "c"), runtime.dict_cleared: (DICT,),
    runtime.dict_get: (DICT, "a", 0.0), runtime.set_add: (SET, 3), runtime.set_discard: (SET, 1), runtime.set_update: (SET, [4, 5])}


def calls(function: Any) -> Iterator[tuple[list, dict]]:
    if function in CALLS:
        yield list(CALLS[function]), {}
        return
    yield from ((args, options) for args, options, _ in results(function))


def same(one: Any, other: Any) -> bool:
    """Whether values are equal, of the same classes."""
    if isinstance(one, dict):
        return type(other) is dict and one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and (type(one) is Path or np.array_equal(one, other))


@all_with("in_place")
def test_in_place(function: Any) -> None:
    """The function leaves its arguments alone; the helper gives the same, in the memory of its first argument."""
    kept = 0
    for args, options in calls(function):
        own = copy.deepcopy(args)
        out = function(*args, **options)
        assert same(args, own)
        changed = primitive_of(function).in_place(*own, **options)
        assert same(out, changed) or np.array_equal(out, changed)
        kept += changed is own[0]
    assert kept


@all_with("mutates", "items")
def test_changes_of_items(function: Any) -> None:
    """The result is a container like the first argument."""
    tried = [function(*args, **options) for args, options in calls(function) if type(args[0]) in (list, dict, set)]
    assert tried and all(type(out) in (list, dict, set) for out in tried)
    assert function in containers.CHANGES and primitive_of(function).writes in ("items", None)


@all_with("method")
def test_methods(function: Any) -> None:
    """A method of the first argument does the same in its memory."""
    name, *more = primitive_of(function).method
    tried = 0
    for args, options in [([ARRAYS[9]], {})] if isinstance(function, str) else calls(function):
        base = copy.deepcopy(args[0])
        if not hasattr(base, name):
            continue
        given = getattr(base, name)(*args[1:], *more, **options)
        if primitive_of(function).result is None:
            assert same(base, function(*args, **options))
        else:
            out = given if isinstance(function, str) else function(base, *args[1:], **options)
            assert same(given, out) and (not base.size or np.shares_memory(given, base) == np.shares_memory(out, base))
        tried += 1
    assert tried


@pytest.mark.parametrize("cls, name", [(cls, name) for cls, methods in containers.METHODS.items() for name in methods])
def test_functions_of_methods(cls: type, name: str) -> None:
    """What stands for a method gives what it gives, or what the container is afterwards."""
    function = containers.METHODS[cls][name]
    container: Any = {list: [1.0, 2.0], dict: DICT, set: SET}[cls]
    args = {"insert": (0, 5.0), "extend": ([3.0],), "__delitem__": (0 if cls is list else "a",), "update": ([3],)}.get(
        name, (2.0,) if name in ("append", "index", "count", "add", "discard") else ())
    own = copy.copy(container)
    given = getattr(own, name)(*args)
    wanted = own if primitive_of(function).mutates else given if name in ("index", "count", "copy") else list(given)
    assert function(container, *args) == wanted


@all_with("keyed")
def test_keys(function: Any) -> None:
    """The second argument is what is looked for, removed or added."""
    args = list(CALLS[function])
    keys = [[1], [9]] if function is runtime.set_update else [args[1], "b" if isinstance(args[0], dict) else 2]
    assert not same(*(function(args[0], key, *args[2:]) for key in keys))


@all_with("live")
def test_live(function: Any) -> None:
    """The method that it stands for shows what the dict holds later; the function does not."""
    name = next(name for name, other in containers.METHODS[dict].items() if other is function)
    held = dict(DICT)
    shown, given = getattr(held, name)(), function(held)
    assert list(shown) == list(given)
    del held["a"]
    assert list(shown) == list(function(held)) != list(given)


@all_with("iterates")
def test_all_items_are_read(function: Any) -> None:
    read = []
    for value in (0.0, 1.0):                                              # (any and all stop early)
        items = itertools.repeat(value, 3)
        args: tuple = ([], items) if function is runtime.list_extend else (items, float) if function is np.fromiter else (items,)
        function(*args)
        read.append(next(items, None) is None)
    assert any(read)


@all_with("parses")
def test_numbers_of_text(function: Any) -> None:
    for args in (("2",), ("2", float), (b"2",)):
        try:
            with np.errstate(all="ignore"):
                found = function(*args, **({"sep": " "} if function is np.fromstring else {}))
            found = np.ravel(np.asarray(found))[0].item()
        except (TypeError, ValueError):
            continue
        if not isinstance(found, (str, bytes)) and found in (2, 50):                  # (or the code of the letter)
            return
    raise AssertionError


@all_with("with_shape")
def test_with_shape(function: Any) -> None:
    tried = [given for given in calls(function) if isinstance(given[0][1], np.ndarray) and not np.iscomplexobj(given[0][0])]
    assert tried
    for args, options in tried:
        assert np.array_equal(function(*args, **options), primitive_of(function).with_shape(args[0], args[1].shape))


@all_with("itself")
def test_itself(function: Any) -> None:
    least = primitive_of(function).itself
    for rank in range(4):
        x = np.ones((2,) * rank)
        assert (function(x) is x) == (rank >= least) or function is np.ascontiguousarray and rank == 0
        assert function(x).ndim >= least


@all_with("splits")
def test_splits(function: Any) -> None:
    axis = primitive_of(function).splits
    x = np.arange(64.0).reshape(4, 4, 4)
    for along in (0, 1, 2) if axis == "given" else [axis]:
        parts = function(x, 2, along) if axis == "given" else function(x, 2)
        assert len(parts) == 2 and parts[0].shape[along] == 2 and np.array_equal(np.concatenate(parts, axis=along), x)


@all_with("reduce")
def test_reduce(function: Any) -> None:
    reduce = primitive_of(function).reduce
    if reduce is more_forms.reduced:                        # element after element, as the ufunc says
        x = np.arange(1.0, 7.0).reshape(2, 3)
        assert np.allclose(function.reduce(x), reduce(function, x, axis=0))
        return
    for x in (np.arange(6.0).reshape(2, 3), np.array([[True, False], [True, True]])):
        assert np.array_equal(function.reduce(x), reduce(x, axis=0))


@all_with("accumulate")
def test_accumulate(function: Any) -> None:
    x = np.array([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
    for axis in (0, 1):
        assert np.array_equal(function.accumulate(x, axis), primitive_of(function).accumulate(x, axis))


@all_with("special")
def test_special(function: Any) -> None:
    called = []
    name = f"__{primitive_of(function).special}__"

    def method(self: Any, *args: Any) -> Any:
        called.append(name)
        return function(1)

    function(type("Special", (), {name: method})())
    assert called == [name]


@all_with("any_object")
def test_any_object(function: Any) -> None:
    function(*[None] * function.nin)


def test_roundings_are_noted() -> None:
    """(They count as what may do anything, so that they stay where they stand.)"""
    ledger = rounding.Ledger()
    token = rounding.LEDGER.set(ledger)
    runtime.rounding_calls("a line")
    runtime.rounded("", 2.0, 3.0)
    runtime.rounding_called()
    runtime.rounded_inside("another", 2.0, np.ones(2))
    rounding.LEDGER.reset(token)
    assert ledger.bounds.keys() == {"a line", "another"} and min(ledger.bounds.values()) > 0.0 and not ledger.calls


@all_with("effect", "calls")
def test_calls_what_it_is_given(function: Any) -> None:
    if function.__module__ == rounding.__name__:
        assert function.__name__ in rounding.__all__             # `test_roundings_are_noted`
        return
    before = {runtime.call_forward_for: [(1,)], runtime.call_jvp: [(1,), ()]}.get(function, [])
    out = function(*before, np.sin, 2.0, *([1.0] if function is runtime.call_jvp else []))
    assert math.sin(2.0) in (out if isinstance(out, tuple) else [out])


ROW = np.arange(9.0)
FAILED = types.SimpleNamespace(success=False, message="too steep", status=-1, t=ROW, y=ROW)    # what a solver gives
BAD: dict[Any, tuple] = {
    runtime.check_keywords: ({}, ("a",), None), runtime.check_results: ([],), library.require_finite: (True, [math.nan]),
    numpy_library.check_bins: ([1.0], -1, None), runtime.trap: ("text", "advice"), runtime.same_memory: (np.ones(3), np.ones(3)),
    runtime.check_store: (1.0, 0, 2.0), runtime.check_overlap: (ROW[:8:2], ROW[:4]), runtime.check_apart: (ROW, ROW[1:]),
    runtime.check_dense: (ROW[::2],), runtime.check_array: (1.0,), runtime.check_places: ([ROW, ROW], ((0,),)),
    runtime.same_size: (None, [1.0], 2), runtime.same_number: (ROW, "v"), runtime.carried: (1.0,),
    runtime.entry_key: ({"a": 1}, "k"), runtime.check_item: (defaultdict(list), "k"), runtime.made_for: ("x: float", 2),
    runtime.check_some: ([], "reduce"),
    containers_of_lists.position_of: ([1.0], 2.0), runtime.no_formula: (1.0, "the mean"),
    solvers.unknowns: ("text",), solvers.vector: (np.ones((2, 2)),), solvers.regular_slope: (0.0, 1.0, 1.0, "brentq"),
    solvers.regular_matrix: (np.zeros((2, 2)), ROW[:2], ROW[:2], "root"), solvers.isolated: (ROW, ROW, -ROW, "root"),
    solvers.at_limits: (np.zeros(1), np.zeros(1), np.ones(1), np.zeros(1)), solvers.agreeing: (1.0, 2.0, 0.1, "quad"),
    solvers.dense_values: (FAILED, ROW), solvers.explicit_method: ("Euler",), solvers.mesh: (FAILED, (0.0, 1.0), None),
    numpy_forms.refuse_out: (ROW, "np.prod"), linalg_refused.refused: ("what", "advice"),
    random_draws.check_plain: (np.float32, None), boundary.points_of: (FAILED,),
    constrained.active_set: (np.zeros(1), np.zeros(1), np.ones(1), np.ones((1, 1)), np.zeros(1)),
    constrained.found_point: (types.SimpleNamespace(x=None, message="infeasible"),),
    constrained.vertex: (np.zeros(2), np.eye(2)[:1], np.zeros(1), 0, np.ones(2)),
    hypotheses.check_sums: (ROW[1:3], ROW[3:5], 0), iterative.close: (ROW, ROW + 100.0, "cg"),
    rotations.check_lock: (np.zeros(2), True), rotations.no_turn: (1.0, "mean"), several.regular: (np.ones((2, 2)),),
    several.summing: (np.array([0.5, 0.6]),), several.checked: (np.eye(2), np.ones((2, 2))),
    spectra_sparse.border: (np.ones(2), Pattern(np.arange(2), np.arange(3), (2, 2)), 1.0, np.array([1.0, 0.0]))}


@all_with("effect", "checks")
def test_checks(function: Any) -> None:
    if function is runtime.evaluated:
        return
    given = BAD[function]
    with pytest.raises((sg.errors.Refusal, sg.errors.SourcegradError, TypeError, ValueError, KeyError)):
        function(*given)


def test_what_is_evaluated_may_have_raised() -> None:
    """The call is there for what its arguments raise."""
    assert runtime.evaluated(1.0, None) is None


APPLIED: dict[Any, Callable] = {
    map: lambda f: list(map(f, [1.0])), filter: lambda f: list(filter(f, [1.0])), sorted: lambda f: sorted([1.0, 2.0], key=f),
    max: lambda f: max([1.0, 2.0], key=f), min: lambda f: min([1.0, 2.0], key=f),
    runtime.apply_along_axis: lambda f: runtime.apply_along_axis(f, 0, np.ones(3)),
    runtime.apply_over_axes: lambda f: runtime.apply_over_axes(lambda x, axis: f(x), np.ones((1, 1)), [0]),
    runtime.fromfunction: lambda f: runtime.fromfunction(f, (3,)), solvers.solved: lambda f: solvers.solved(lambda g: g(1.0), f),
    integrate.solve_bvp: lambda f: integrate.solve_bvp(lambda x, y: f(0.0 * y), lambda a, b: a, [0.0, 1.0], np.zeros((1, 2))),
    constrained.of_scipy: lambda f: constrained.of_scipy([constrained.Nonlinear(f, 0.0, 1.0)])[0].fun(1.0)}


@all_with("applies")
def test_applies(function: Any) -> None:
    called: list = []

    def applied(x: Any) -> Any:
        called.append(x)
        return x

    APPLIED[function](applied)
    assert called


@all_with("asks_memory")
def test_asks_memory(function: Any) -> None:
    x = np.ones(3)
    assert function(x, x[1:]) and not function(x, x.copy())


@all_with("seeded")
def test_seeded(function: Any) -> None:
    def first(made: Any) -> Any:
        return made.entropy if hasattr(made, "entropy") else made.random_raw() if hasattr(made, "random_raw") else (
            made.rand() if hasattr(made, "rand") else made.random())
    assert first(function()) != first(function())
    assert first(function(3)) == first(function(3))


@all_with("gives")
def test_gives(function: Any) -> None:
    args = {"sub": ("a", "b", "a"), "compile": ("a",), "default_rng": (1,), "RandomState": (1,)}.get(function.__name__, ("a", "a"))
    assert isinstance(function(*args), primitive_of(function).gives.cls)
    assert function.__module__ != "re" or len(args) != 2 or (function("a", "b") is None) == primitive_of(function).gives.optional


def ints(n):
    for i in range(n):
        yield i % 2


def multiples(x):
    for i in range(3):
        yield x * i


def counted(x):
    return len(set(ints(4))) * x * x


def extended(x):
    xs = [x]
    xs.extend(multiples(x))
    return xs[-1] * xs[0]


@pytest.mark.parametrize("function", [counted, extended])
def test_what_iterates_reads_a_generator(function: Callable) -> None:
    assert sg.grad(function)(1.5) == 6.0


WRONG: list[tuple[Any, dict, Callable]] = [
    (runtime.list_insert, {"in_place": runtime.append_to}, test_in_place),
    (runtime.list_append, {"method": ("extend",)}, test_methods), (runtime.dict_discard, {"method": ("clear",)}, test_methods),
    (np.fliplr, {"method": ("transpose",)}, test_methods), (np.sum, {"mutates": "items"}, test_changes_of_items),
    (runtime.unbroadcast, {"with_shape": np.broadcast_to}, test_with_shape), (np.atleast_2d, {"itself": 1}, test_itself),
    (np.array, {"itself": 0}, test_itself), (np.hsplit, {"splits": 0}, test_splits),
    (np.minimum, {"reduce": np.max}, test_reduce), (np.multiply, {"accumulate": np.cumsum}, test_accumulate),
    (math.floor, {"special": "ceil"}, test_special), (np.array_equal, {"asks_memory": True}, test_asks_memory),
    (len, {"parses": True}, test_numbers_of_text), (enumerate, {"iterates": True}, test_all_items_are_read)]


@pytest.mark.parametrize("function, properties, check", WRONG)
def test_wrong_declarations_are_found(function: Any, properties: dict, check: Callable) -> None:
    declared = PRIMITIVES.get(function)
    try:
        describe(function, **properties)
        with pytest.raises((AssertionError, TypeError, ValueError)):
            check(function)
    finally:
        PRIMITIVES.pop(function)
        PRIMITIVES.update({function: declared} if declared else {})
