"""Programs made to break sourcegrad: each gradient is right or refused with a place, never wrong, never a raw error."""
from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.errors import (
    attacks_callees,
    attacks_closures,
    attacks_containers,
    attacks_flow,
    attacks_functions,
    attacks_identity,
    attacks_iterables,
    attacks_memory,
    attacks_names,
    attacks_objects,
    attacks_operations,
    attacks_parts,
    attacks_run_time,
    attacks_stored,
    attacks_stores,
    attacks_unpacking,
    attacks_writes,
)
from tests.errors.attack import survive
from tests.errors.modules import load
from tests.errors.stale_cases import STALE
from tests.programs.mutation_oracle import limited
from tests.programs.program import Program

MODULES = (attacks_memory, attacks_identity, attacks_writes, attacks_containers, attacks_iterables, attacks_stored, attacks_stores,
           attacks_unpacking, attacks_operations, attacks_parts, attacks_callees, attacks_flow,
           attacks_closures, attacks_names, attacks_functions, attacks_objects, attacks_run_time)
PROGRAMS = [(module.__name__.rpartition("_")[2], position, program)
            for module in MODULES for position, program in enumerate(module.ATTACKS)]
V = np.array([0.3, -0.8, 1.1])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", [p for *_, p in PROGRAMS], ids=[f"{m}-{p.name}-{n}" for m, n, p in PROGRAMS])
def test_right_or_refused(program: Program) -> None:
    with limited(10):
        survive(program)


@pytest.mark.parametrize("name", attacks_closures.TEXTS)
def test_large_programs(tmp_path, name: str) -> None:
    text, *args = attacks_closures.TEXTS[name]
    function = getattr(load(tmp_path, text), name)
    survive(Program(function, tuple(args)))


# --- nothing goes stale

def stale(tmp_path, text: str, change: str, x: float = 0.7) -> tuple[float, float]:
    """The gradient of f after `change` ran in the module of f (f' was asked for before), and what it should be."""
    module = load(tmp_path, text)
    gradient = sg.grad(module.f)
    for _ in range(2):
        try:
            gradient(x)
        except SourcegradError:
            pass
    exec(change, vars(module))
    try:
        value = float(gradient(x))
    except SourcegradError:
        return 0.0, 0.0
    h = 1e-6
    return value, (module.f(x + h) - module.f(x - h)) / (2 * h)


@pytest.mark.parametrize("name", STALE)
def test_nothing_goes_stale(tmp_path, name: str) -> None:
    actual, expected = stale(tmp_path, *STALE[name])
    assert actual == pytest.approx(expected, rel=1e-5)


def test_second_derivative_is_not_stale(tmp_path) -> None:
    module = load(tmp_path, "def g(x):\n    return x * x\ndef f(x):\n    return g(x)\n")
    second = sg.grad(sg.grad(module.f))
    assert second(2.0) == 2.0
    module.g = lambda x: x * x * x
    assert second(2.0) == 12.0


def test_rule_registered_later_is_used(tmp_path) -> None:
    module = load(tmp_path, "def g(x):\n    return x * x\ndef f(x):\n    return g(x) * x\n")
    gradient = sg.grad(module.f)
    gradient(2.0)
    sg.nondifferentiable(module.g)
    assert gradient(2.0) == 4.0


# --- the caller's data

GIVEN = np.array([1.0, 2.0, 3.0])


def result_aliases(name: str):
    """(function, arguments, options) whose naive gradient is an array that somebody else holds."""
    return {
        "argument": (lambda x, y: np.sum(x * y), (V.copy(), V.copy()), {}),
        "global": (lambda x: np.sum(GIVEN * x), (V.copy(),), {}),
        "grad_outputs": (lambda x: x, (V.copy(),), {"grad_outputs": GIVEN}),
        "grad_outputs of a sum": (lambda x: x + 1.0, (V.copy(),), {"grad_outputs": GIVEN}),
        "broadcast": (lambda x: np.sum(x), (V.copy(),), {}),
        "mean": (lambda x: np.mean(x), (V.copy(),), {}),
        "transpose": (lambda x: x.T, (np.ones((2, 2)),), {"grad_outputs": np.ones((2, 2))}),
    }[name]


@pytest.mark.parametrize("name", ["argument", "global", "grad_outputs", "grad_outputs of a sum", "broadcast", "mean",
                                  "transpose"])
def test_gradient_belongs_to_the_caller(name: str) -> None:
    """`g *= -rate` on a gradient works and changes nothing else."""
    function, args, options = result_aliases(name)
    before = copy.deepcopy((args, options, GIVEN))
    gradient = sg.grad(function)(*args, **options)
    gradient *= -0.1
    for a, b in zip((*args, *options.values(), GIVEN), (*before[0], *before[1].values(), before[2])):
        assert np.array_equal(a, b)


def test_gradients_of_two_inputs_are_two_arrays() -> None:
    first, second = sg.grad(lambda x, y: np.sum((x + y) ** 2), (0, 1))(V, V)
    expected = second.copy()
    first *= 0.0
    assert np.array_equal(second, expected)


def test_value_is_not_the_argument() -> None:
    x = np.array([2.0])
    value, _ = sg.value_and_grad(lambda x: x)(x)
    value += 1.0
    assert x[0] in (2.0, 3.0) and (x[0] == 2.0 or value is x)


def test_globals_and_defaults_stay(tmp_path) -> None:
    module = load(tmp_path, "import numpy as np\nW = np.ones(3)\nH = []\ndef f(x, seen=[]):\n    seen.append(1.0)\n"
                            "    H.append(2.0)\n    return np.sum(W * x)\n")
    try:
        sg.grad(module.f)(V)
    except SourcegradError:
        assert module.H == [] and module.f.__defaults__ == ([],)


# --- results of the right type

LOW_PRECISION = [np.float32(0.5), np.array([0.5, 2.0], np.float32), np.array(0.5, np.float32), np.float16(0.5),
                 np.array([[0.5]], np.float32), np.longdouble(0.5)]
LOSSES = [lambda x: np.sum(x * x * 2.0), lambda x: np.sum(np.sin(x) / 3), lambda x: np.sum(x),
          lambda x: np.sum(x ** 2 * np.float32(2.0)), lambda x: np.sum(np.where(x > 1, x, 0.0)),
          lambda x: np.mean(x * np.pi) * 1.5]


@pytest.mark.parametrize("x", LOW_PRECISION, ids=repr)
@pytest.mark.parametrize("function", LOSSES)
def test_native_dtype(function, x) -> None:
    gradient = sg.grad(function)(x)
    assert np.asarray(gradient).dtype == x.dtype and np.shape(gradient) == np.shape(x)


def test_complex_output_needs_grad_outputs() -> None:
    """A complex number has no gradient without a weight (as in PyTorch and JAX)."""
    with pytest.raises(SourcegradError):
        sg.grad(lambda x: x * (1.0 + 2.0j))(2.0)


@pytest.mark.parametrize("function", [lambda x: 3, lambda x: x > 0, lambda x: "text", lambda x: int(x), lambda x: None,
                                      lambda x: len([x])], ids=["int", "bool", "str", "int(x)", "None", "len"])
def test_discrete_output_gives_zero_or_error(function) -> None:
    try:
        assert sg.grad(function)(2.0) == 0.0
    except SourcegradError as error:
        assert error.origin is not None


def test_deep_recursion_of_the_program() -> None:
    """As deep as Python itself allows the program, or RecursionError at run time, never in generation."""
    def power(x, n):
        return x if n == 0 else power(x * 0.99, n - 1) * 1.01

    assert sg.grad(power)(1.0, 100) == pytest.approx(1.01 ** 100 * 0.99 ** 100)
    try:
        sg.grad(power)(1.0, sys.getrecursionlimit())
    except RecursionError:
        pass


def test_threads_share_one_gradient() -> None:
    from concurrent.futures import ThreadPoolExecutor
    gradient = sg.grad(lambda x: np.sum(x * x))
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: gradient(np.ones(n % 4 + 1)), range(16)))
    assert all(np.array_equal(r, 2.0 * np.ones(n % 4 + 1)) for n, r in enumerate(results))


def test_pickled_gradient_of_a_gradient() -> None:
    second = pickle.loads(pickle.dumps(sg.grad(sg.grad(attacks_functions.same_name))))
    assert second(2.0) == 12.0


def test_gradient_called_with_grad_outputs_of_other_shape() -> None:
    """One cached function serves outputs of several shapes."""
    gradient = sg.grad(lambda x: x * x)
    for n in (1, 2, 3):
        assert np.array_equal(gradient(np.ones(n), grad_outputs=np.ones(n)), 2.0 * np.ones(n))
    with pytest.raises(SourcegradError):
        gradient(np.ones(3), grad_outputs=np.ones(2))
