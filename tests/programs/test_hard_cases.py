"""Every row of the table of hard cases in the design, in several forms, at order 1 and 2.

A row is a list of programs that `check_kernel` compares with central differences of the plain function; it also
calls twice and compares the caller's data before and after. What has no finite difference (kinks, rounding, errors,
redefinition) has a test of its own below.
"""
from __future__ import annotations

import builtins
import copy
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from sourcegrad.ir.scopes import MEANT
from tests.programs import hard_cases_flow, hard_cases_parts, hard_cases_stores  # noqa: F401  (they fill the rows)
from tests.programs.hard_cases import ROWS, V3, V4, V5
from tests.programs.hard_cases_flow import EMPTY
from tests.programs.kernels.checks import check_kernel
from tests.programs.kernels.kernel import Kernel

PARAMETERS = [pytest.param(kernel, id=f"{row}-{kernel.name}-{number}") for row, kernels in ROWS.items()
              for number, kernel in enumerate(kernels)]


def right_or_refused(kernel: Kernel, order: int) -> None:
    try:
        check_kernel(kernel, order)
        assert not kernel.may_refuse, "no longer refused: take `may_refuse` out"
    except SourcegradError as error:
        if not kernel.may_refuse or isinstance(error, InternalError) or error.origin is None:
            raise


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kernel", PARAMETERS)
def test_gradient(kernel: Kernel) -> None:
    right_or_refused(kernel, 1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kernel", PARAMETERS)
def test_second_derivative(kernel: Kernel) -> None:
    right_or_refused(kernel, 2)


# --- two arguments that are one array: the sum of both roles, or an error; never half

def shared_store(x, y):
    x[0] = 2 * y[1] * y[0]
    return np.sum(x * x) + 3 * np.sum(y * y * y)


def shared_helper(x, y):
    def move(target, source):
        target[1:] += source[:-1] * source[1:]

    move(x, y)
    move(y, x)
    return np.sum(np.sin(x)) + np.sum(y)


def shared_augmented(x, y):
    x += y
    x *= y
    return np.sum(x * y)


def shared_swap(x, y):
    for _ in range(3):
        y[1:] = x[:-1] * y[1:]
        x, y = y, x
    return np.sum(x * x)


def overlapping_parts(function: Callable) -> Callable:
    return lambda base: function(base[:-1], base[1:])


def total_derivative(function: Callable, base: np.ndarray, split: Callable) -> np.ndarray:
    step = 1e-6
    return np.array([(function(*split(base + e)) - function(*split(base - e))) / (2 * step)
                     for e in step * np.eye(base.size)])


SHARED = (shared_store, shared_helper, shared_augmented, shared_swap)


@pytest.mark.parametrize("function", SHARED)
@pytest.mark.parametrize("inputs", [("x", "y"), ("x",), ("y",)], ids=repr)
def test_two_arguments_that_are_one_array(function: Callable, inputs: tuple) -> None:
    base = V4.copy()
    expected = total_derivative(function, V4, lambda a: (a, a))
    try:
        gradients = sg.grad(function, inputs=inputs)(base, base)
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
        gradients = None
    assert np.array_equal(base, V4)
    if gradients is not None:
        same = all(np.allclose(g, expected, atol=1e-6) for g in gradients)
        assert same or np.allclose(sum(gradients), expected, atol=1e-6), (gradients, expected)


@pytest.mark.parametrize("function", SHARED)
@pytest.mark.parametrize("inputs", [("x", "y"), ("x",), ("y",)], ids=repr)
def test_two_arguments_that_overlap(function: Callable, inputs: tuple) -> None:
    """Two views of one array: what one of them changes, the other one shows."""
    base = V5.copy()
    expected = total_derivative(function, V5, lambda a: (a[:-1], a[1:]))
    try:
        gradients = sg.grad(function, inputs=inputs)(base[:-1], base[1:])
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
        gradients = None
    assert np.array_equal(base, V5)
    if gradients is not None:
        spread = np.zeros(5)
        for name, gradient in zip(inputs, gradients):
            spread[slice(0, 4) if name == "x" else slice(1, 5)] += gradient
        whole = all(np.allclose(g, expected[:-1] if n == "x" else expected[1:], atol=1e-6)
                    for n, g in zip(inputs, gradients))
        assert whole or np.allclose(spread, expected, atol=1e-6), (gradients, expected)


def test_two_arguments_that_are_one_array_but_stay_as_they_are() -> None:
    def product(x, y):
        return np.sum(x * x * y)

    base = V3.copy()
    x_bar, y_bar = sg.grad(product, inputs=("x", "y"))(base, base)
    assert np.allclose(x_bar, 2 * V3 * V3) and np.allclose(y_bar, V3 * V3)


def test_one_array_in_two_calls() -> None:
    """A gradient made for distinct arrays must notice when it is given one array twice."""
    gradient = sg.grad(shared_store, inputs=("x", "y"))
    try:
        gradient(V4.copy(), V4.copy())
    except SourcegradError as error:
        pytest.fail(f"distinct arrays: {error}")
    base = V4.copy()
    expected = total_derivative(shared_store, V4, lambda a: (a, a))
    try:
        x_bar, y_bar = gradient(base, base)
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
        return
    assert np.allclose(x_bar + y_bar, expected, atol=1e-6) or np.allclose(x_bar, expected, atol=1e-6)


def test_grad_outputs_that_is_an_argument() -> None:
    """The weights are the caller's too."""
    def scaled(x):
        x *= x
        x[0] = x[1]

    base = V3.copy()
    gradient = sg.grad(sg.differentiable(scaled).output("x"), inputs="x")(base, grad_outputs=base)
    assert np.array_equal(base, V3)
    assert np.allclose(gradient, 2 * V3 * np.array([0.0, V3[0] + V3[1], V3[2]]))


# --- float32 buffers that receive float64 values

W = np.array([1 / 3, -2 / 7, 5 / 11])


def narrow_buffer(x):
    y = np.zeros(3, dtype=np.float32)
    y[:] = x * x
    return np.dot(y, W)


def narrow_squares(x):
    y = np.zeros(3, dtype=np.float32)
    for i in range(3):
        y[i] = x[i] * x[i]
    return np.sum(y * y)


def narrow_augmented(x):
    y = np.zeros(3, dtype=np.float32)
    y += x * x
    y *= 2.0
    return np.dot(y, W)


def test_narrow_buffers_keep_wide_cotangents() -> None:
    for function, expected in ((narrow_buffer, 2 * V3 * W), (narrow_augmented, 4 * V3 * W)):
        args = V3.copy()
        result = sg.grad(function)(args)
        assert result.dtype == np.float64
        assert np.max(np.abs(result - expected)) < 1e-14, function.__name__
        assert np.array_equal(args, V3)


def test_rounding_of_narrow_buffers_is_respected() -> None:
    y = (V3 * V3).astype(np.float32)
    assert np.allclose(sg.grad(narrow_squares)(V3), 2 * y.astype(float) * 2 * V3, rtol=1e-14)
    value, _ = sg.value_and_grad(narrow_squares)(V3)
    assert value == np.sum(y * y)


def test_narrow_argument_has_narrow_gradient() -> None:
    def mixed(x, w):
        x *= w
        x[1:] += w[:-1] * x[:-1]
        return np.sum(x * w)

    x, w = V3.astype(np.float32), W.copy()
    x_bar, w_bar = sg.grad(mixed, inputs=("x", "w"))(x, w)
    assert x_bar.dtype == np.float32 and w_bar.dtype == np.float64
    wide, _ = sg.grad(mixed, inputs=("x", "w"))(x.astype(float), w)
    assert np.allclose(x_bar, wide, rtol=1e-6)


def test_integer_buffers_cut_the_derivative_or_are_refused() -> None:
    def counted(x):
        n = np.zeros(3, dtype=int)
        n[:] = x * 10
        return np.sum(n * x)

    try:
        result = sg.grad(counted)(V3)
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
    else:
        assert np.allclose(result, (V3 * 10).astype(int))


# --- no NaN at the very points

@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_nan_where_the_branch_is_not_taken() -> None:
    x = np.array([0.0, 4.0, -1.0])
    assert np.array_equal(sg.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0)))(x), [0.0, 0.25, 0.0])

    def inverse(x):
        inv_r = np.sqrt(x ** 2)
        inv_r[inv_r > 0] = 1 / inv_r[inv_r > 0]
        return np.sum(inv_r)

    assert np.allclose(sg.grad(inverse)(x), [0.0, -1 / 16, 1.0])

    def softened(x):
        inv_r3 = x ** 2
        inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
        return np.sum(x * inv_r3)

    assert np.allclose(sg.grad(softened)(x), [0.0, -2 / 64, -2.0])

    def overwritten(x):
        y = 1 / x
        y[x == 0] = 0.0
        return np.sum(y)

    assert np.allclose(sg.grad(overwritten)(x), [0.0, -1 / 16, -1.0])

    def logs(x):
        y = np.log(x)
        np.copyto(y, 0.0, where=~(x > 0))
        return np.sum(y)

    assert np.allclose(sg.grad(logs)(x), [0.0, 0.25, 0.0])


def test_garbage_in_empty_buffers_never_reaches_a_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """`np.empty` full of NaN stands for the worst garbage."""
    def nan_filled(native: Callable) -> Callable:
        def construct(*args: Any, **options: Any) -> np.ndarray:
            result = native(*args, **options)
            if result.dtype.kind == "f":
                result[...] = np.nan
            return result

        return construct

    for name in ("empty", "empty_like"):
        filled = nan_filled(getattr(np, name))
        monkeypatch.setattr(np, name, filled)
        monkeypatch.setitem(MEANT[np], name, filled)            # (as if NumPy's own were such)
    for kernel in ROWS[EMPTY]:
        check_kernel(kernel, 1)


# --- f redefined in a notebook; a global constant changed between calls

FACTOR = 2.0
TABLE = np.array([1.0, 2.0, 3.0])


def uses_globals(x):
    y = x * x
    y[0] = FACTOR * y[1]
    y *= TABLE
    return np.sum(y)


def callee(y):
    y *= 3.0


def uses_a_callee(x):
    callee(x)
    return np.sum(x * x)


def replaced_callee(y):
    y[:] = y ** 3


def test_globals_are_read_at_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sg.grad(uses_globals)
    assert np.allclose(gradient(V3), [0.0, 2 * V3[1] * (2 + 2), 3 * 2 * V3[2]])
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert np.allclose(gradient(V3), [0.0, 2 * V3[1] * (5 + 2), 3 * 2 * V3[2]])
    before = TABLE.copy()
    monkeypatch.setitem(globals(), "TABLE", np.array([2.0, 2.0, 1.0]))
    assert np.allclose(gradient(V3), [0.0, 2 * V3[1] * (10 + 2), 2 * V3[2]])
    assert np.array_equal(before, [1.0, 2.0, 3.0])


def test_a_global_array_that_is_changed_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for a gradient never changes a global."""
    def spoils(x):
        TABLE[0] = x[0] * x[0]
        return np.sum(TABLE * x)

    before = TABLE.copy()
    try:
        result = sg.grad(spoils)(V3)
    except SourcegradError as error:
        assert not isinstance(error, InternalError)
    else:
        assert np.allclose(result, [3 * V3[0] ** 2, 2.0, 3.0])
    finally:
        changed = not np.array_equal(TABLE, before)
        TABLE[:] = before
    assert not changed, "a global was changed"


def test_a_replaced_callee_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sg.grad(uses_a_callee)
    assert np.allclose(gradient(V3), 18 * V3)
    monkeypatch.setitem(globals(), "callee", replaced_callee)
    assert np.allclose(gradient(V3), 6 * V3 ** 5)
    monkeypatch.setitem(globals(), "callee", lambda y: None)
    assert np.allclose(gradient(V3), 2 * V3)


# --- functions without source, evaluation of strings

def test_functions_without_source_are_refused() -> None:
    namespace: dict = {"np": np}
    exec("def hidden(x):\n    x[0] = 2 * x[1]\n    return np.sum(x)\n", namespace)
    hidden = namespace["hidden"]
    assert isinstance(hidden, types.FunctionType)
    with pytest.raises(SourcegradError) as caught:
        sg.grad(hidden)(V3)
    assert not isinstance(caught.value, InternalError) and caught.value.remedy

    def calls_hidden(x):
        return np.sum(hidden(x))

    before = V3.copy()
    with pytest.raises(SourcegradError) as caught:
        sg.grad(calls_hidden)(before)
    assert caught.value.origin is not None and caught.value.remedy
    assert np.array_equal(before, V3)


def test_string_evaluation_is_refused() -> None:
    def evaluated(x):
        return np.sum(eval("x * x"))

    def executed(x):
        y = x * 1.0
        exec("y[0] = 3.0")
        return np.sum(y)

    for function in (evaluated, executed):
        with pytest.raises(SourcegradError) as caught:
            sg.grad(function)(V3)
        assert caught.value.origin is not None and caught.value.remedy, function.__name__


def test_c_functions_are_refused() -> None:
    for function in (builtins.sum, math.sin):
        with pytest.raises(SourcegradError) as caught:
            sg.grad(function)(0.5)
        assert not isinstance(caught.value, InternalError)


# --- the programs themselves

def test_every_row_has_programs() -> None:
    assert len(ROWS) == 17 and all(len(kernels) >= 6 for kernels in ROWS.values()), {r: len(k) for r, k in ROWS.items()}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kernel", PARAMETERS)
def test_programs_run(kernel: Kernel) -> None:
    args = kernel.fresh()
    results = kernel.results(args)
    again = kernel.results(copy.deepcopy(kernel.args))
    assert np.all(np.isfinite(np.concatenate([np.ravel(np.asarray(r)) for r in results])))
    assert all(np.array_equal(a, b) for a, b in zip(results, again))
