"""Every program of the corpus: derivatives up to its order, and what a gradient must leave alone."""
from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sourcegrad as sg
from tests.oracle import leaves, vector
from tests.programs.checks import (
    agree,
    check_derivative,
    draw_weights,
    gradient_function,
    is_single,
    refusal_allowed,
    source_text,
)
from tests.programs.corpus import BY_NAME
from tests.programs.program import Program
from tests.programs.texts import emitted, emitted_again

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


@pytest.mark.parametrize("name", sorted(BY_NAME)[::9])
def test_same_text_for_a_fresh_copy(name: str) -> None:
    with refusal_allowed(BY_NAME[name]):
        assert emitted_again([name])[name] == emitted(BY_NAME[name])


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
