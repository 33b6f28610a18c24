"""Every program of the corpus: derivatives up to its order, and what a gradient must leave alone."""
from __future__ import annotations

import copy
import inspect
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from sourcegrad.ir.printing import WIDTH
from sourcegrad.ir.source import register
from tests.oracle import central_gradient, leaves, random_like, vector
from tests.programs.checks import (
    agree,
    check_derivative,
    draw_weights,
    gradient_function,
    is_single,
    refusal_allowed,
    seeded,
    source_text,
)
from tests.programs.corpus import BY_NAME
from tests.programs.program import Program
from tests.programs.texts import emitted, emitted_again
from tests.shared import text_for

ROOT = Path(__file__).parents[2]
SAMPLE = [name for name in sorted(BY_NAME) if not BY_NAME[name].may_refuse][::8]


def programs(order: int, step: int = 1):
    """The programs that have derivatives of an order; one in `step` of them."""
    found = [pytest.param(program, id=name) for name, program in BY_NAME.items() if program.order >= order]
    return pytest.mark.parametrize("program", found[::step])


def identical(a, b) -> bool:
    """Bitwise equality of nested values."""
    first, second = leaves(a), leaves(b)
    return len(first) == len(second) and all(
        type(x) is type(y) and np.array_equal(x, y) and getattr(x, "dtype", None) == getattr(y, "dtype", None)
        for x, y in zip(first, second))


@programs(1)
def test_gradient(program: Program) -> None:
    with refusal_allowed(program):
        check_derivative(program, 1)
        assert not program.may_refuse, "no longer refused: take `may_refuse` out"


@programs(2)
def test_second_derivative(program: Program) -> None:
    with refusal_allowed(program):
        check_derivative(program, 2)


@programs(3, step=2)
def test_third_derivative(program: Program) -> None:
    with refusal_allowed(program):
        check_derivative(program, 3)


NOT_SCALED = {"three_ways_out-3", "three_ways_out-4", "tuple_output", "list_output"}        # no factor times a tuple or list
REFUSED_AS_CALLEES = {"turned_on_one_path", "linked_through_what_leaves-4", "never_reshaped_and_returned",
                      "recursive_fft_power"}               # (the last one for its depth, in the second derivative)
MIXED = [pytest.param(program, id=name) for name, program in BY_NAME.items()
         if program.order >= 2 and zlib.crc32(name.encode()) % 3 == 0 and name not in NOT_SCALED]


def scaled(program: Program) -> Callable:
    """`its_factor ** 2 * program(...)`, with source text of its own."""
    names = ", ".join(list(inspect.signature(program.function).parameters)[:len(program.args)])
    options = "".join(f", {name}=option_{name}" for name in program.options)
    text = f"def scaled(its_factor, {names}):\n    return its_factor ** 2 * function({names}{options})\n"
    filename = f"<{program.name} with a factor>"
    register(filename, text)
    module: dict = {"function": program.function, **{f"option_{name}": value for name, value in program.options.items()}}
    exec(compile(text, filename, "exec"), module)
    return module["scaled"]


@pytest.mark.parametrize("program", MIXED)
def test_mixed_derivative(program: Program, request: pytest.FixtureRequest) -> None:
    """The derivative by inputs, and then by a factor of the function: one half of every callee runs as it is, and the other
    half is differentiated."""
    [weight] = draw_weights(program, 1)
    parameters = list(inspect.signature(program.function).parameters)
    given = program.inputs if isinstance(program.inputs, tuple) else (program.inputs or 0,)
    names = tuple(parameters[x] if isinstance(x, int) else x for x in given)
    chosen: dict = {"inputs": names if isinstance(program.inputs, tuple) else names[0]}
    if weight is not None:
        chosen["grad_outputs"] = weight
    inner = sg.grad(scaled(program), **chosen)
    if request.node.callspec.id in REFUSED_AS_CALLEES:
        with pytest.raises(SourcegradError) as caught:
            sg.grad(inner, inputs="its_factor")(1.5, *program.fresh(), grad_outputs=program.select(program.fresh()))
        assert caught.value.origin is not None and not isinstance(caught.value, InternalError)
        return
    with refusal_allowed(program):
        expected = gradient_function(program, [weight])(*program.fresh(), **program.options)
        direction = random_like(expected, seeded(program.name))
        mixed = sg.grad(inner, inputs="its_factor")(1.5, *program.fresh(), grad_outputs=direction)
    agree(np.asarray(mixed), np.asarray(3.0 * np.dot(vector(expected), vector(direction))),
          1e-3 if is_single(program) else 1e-9, "by a factor")


def test_what_has_no_mixed_derivative_is_no_array() -> None:
    for name in NOT_SCALED:
        assert isinstance(BY_NAME[name].run(*BY_NAME[name].fresh()), (tuple, list)), name


def rows_by_turns(v, n):
    out = []
    for k in range(n):
        w = v * k
        if k % 2:
            w = w[:2]
        out.append(w * 2)
    return out


def weighted_rows(x, y):
    s = 0.0
    for k in range(3):
        s = s + np.sum(rows_by_turns(x * k, 4)[k]) * y[k] ** 2
    return s


def test_derivative_by_one_argument_and_then_by_another() -> None:
    """Its tapes of shapes are for the reverse half that runs, not for the one that is differentiated."""
    x, y, direction = np.array([0.7, 0.5, 0.9]), np.array([1.0, 2.0, 0.5]), np.array([1.0, -0.5, 2.0])
    inner = sg.grad(weighted_rows, inputs="x")
    mixed = sg.grad(inner, inputs="y")(x, y, grad_outputs=direction)
    expected = central_gradient(lambda y: np.sum(direction * inner(x, y)), (y,), (0,), 1.0, 1e-6)
    agree(mixed, expected, 1e-8, "by y")


@programs(1)
def test_value_and_unchanged_arguments(program: Program) -> None:
    [weight] = draw_weights(program, 1)
    chosen = {} if program.inputs is None else {"inputs": program.inputs}
    if weight is not None:
        chosen["grad_outputs"] = weight
    function = sg.value_and_grad(program.function, **chosen)
    args, options, weight_before = program.fresh(), copy.deepcopy(program.options), copy.deepcopy(weight)
    with refusal_allowed(program):
        value, gradient = function(*args, **options)
    assert identical(args, program.args), "an argument was changed"
    assert identical(options, program.options), "a keyword argument was changed"
    assert identical(weight, weight_before), "grad_outputs was changed"

    expected = program.run(*program.fresh())
    assert [np.shape(leaf) for leaf in leaves(value)] == [np.shape(leaf) for leaf in leaves(expected)]
    agree(vector(value), vector(expected), 1e-14, "the value")

    plain = gradient_function(program, [weight])
    first = plain(*args, **options)          # other code than with the value: rounding may differ
    agree(vector(first), vector(gradient), 1e-6 if is_single(program) else 1e-13, "grad and value_and_grad")
    assert identical(plain(*args, **options), first), "a second call differs"
    assert identical(function(*args, **options), (value, gradient)), "a second call differs"
    assert identical(args, program.args), "an argument was changed by the second call"
    assert not [line for line in text_for(plain, *args, **options).splitlines() if len(line) > WIDTH]


@pytest.mark.parametrize("name", sorted(BY_NAME)[::9])
def test_same_text_for_a_fresh_copy(name: str) -> None:
    with refusal_allowed(BY_NAME[name]):
        text = emitted(BY_NAME[name])
        assert emitted_again([name])[name] == text and max(map(len, text.splitlines())) <= WIDTH


@pytest.mark.parametrize("hash_seed", ["4321"])
def test_same_text_in_another_process(hash_seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    run = subprocess.run([sys.executable, "-m", "tests.programs.texts", *SAMPLE], cwd=ROOT, env=environment,
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {name: emitted(BY_NAME[name]) for name in SAMPLE}


@pytest.mark.parametrize("name", SAMPLE[::3])
def test_text_of_second_order_is_stable(name: str) -> None:
    program = BY_NAME[name]
    assert emitted_again([name], 2)[name] == emitted(program, min(program.order, 2))


def test_live_globals_and_closures_are_left_alone() -> None:
    from tests.programs import corpus_closures as corpus

    before = copy.deepcopy((corpus.SETTINGS, corpus.WEIGHTS, corpus.GAIN, vars(corpus.SPRING)))
    for program in corpus.PROGRAMS:
        if program.may_refuse:
            continue
        gradient_function(program, draw_weights(program, 1))(*program.fresh(), **program.options)
    assert identical((corpus.SETTINGS, corpus.WEIGHTS, corpus.GAIN, vars(corpus.SPRING)), before)


def test_size_of_the_corpus() -> None:
    assert len(BY_NAME) >= 200
    assert sum(program.order >= 3 for program in BY_NAME.values()) >= 60


def test_a_small_error_is_noticed() -> None:
    expected = np.array([0.5, -2.0, 3.0])
    agree(expected, expected, 1e-9, "equal")
    for wrong in (expected * 1.001, expected + [0, 0, np.nan], expected[:2], -expected):
        with pytest.raises((AssertionError, ValueError)):
            agree(np.asarray(wrong), expected, 2e-6, "wrong")


def test_gradient_function_has_text() -> None:
    program = BY_NAME["repeated_map"]
    gradient = gradient_function(program, [None])
    gradient(*program.args)
    assert "def " in source_text(gradient) and "for " in source_text(gradient)
