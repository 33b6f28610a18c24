"""A gradient has the dtype (or the Python type) of its input, in any program, at orders 1 and 2."""

from __future__ import annotations

import collections
import math

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.programs import attempt, finite
from tests.oracle.rules import numeric_vjp, same

W = np.arange(1.0, 4.0)  # float64, whatever x is
M = np.arange(9.0).reshape(3, 3) / 5.0
pytestmark = pytest.mark.filterwarnings("ignore")


def of_parts(x):
    parts = [x * 1, x * x]
    return np.sum(parts[1] * W)


def of_all_parts(x):
    parts = [x, x * x, 2.0 * x]
    total = 0.0
    for k, part in enumerate(parts):
        total = total + np.sum(part * W) * k
    return total


def of_tuple(x):
    a, b = (x * W, x * x)
    return np.sum(a) + np.sum(b * x)


def of_nested(x):
    tree = {"a": [x * x, x], "b": (x * 2.0,)}
    return np.sum(tree["a"][0] * W) + np.sum(tree["b"][0] * tree["a"][1])


def in_callee(x):
    def inner(y):
        return np.split(y, [1])[-1]

    return np.sum(inner(x * x) * W[:2])


def callee_of_list(x):
    def pair(y):
        return [y * W, y * y]

    return np.sum(pair(x)[0] * pair(x)[1])


def with_einsum(x):
    return np.einsum("i,ij,j->", x, M, x)


def with_matmul(x):
    return np.sum((M @ x) ** 2)


def with_constant(x):
    return np.sum(x * 2.5 + W)


def with_number(x):
    return np.sum(np.float64(2.0) * x * np.float32(3.0))


def with_buffer(x):
    out = np.zeros(3)
    out[:] = x * W
    out[1] += x[0]
    return np.sum(out * out)


def with_like(x):
    out = np.zeros_like(x)
    out[0] = x[1] * 2.0
    out[1:] = x[:2] * x[1:]
    return np.sum(out * W)


def in_loop(x):
    total = 0.0
    for k in range(3):
        total = total + x[k] * W[k] * x[0]
    return total


def appended(x):
    rows = []
    for k in range(3):
        rows.append(x * W[k])
    return np.sum(np.stack(rows) * M)


def while_loop(x):
    y, k = x, 0
    while k < 3:
        y = y * W / 2.0
        k += 1
    return np.sum(y)


def branch(x):
    y = x * W if np.real(x[0]) > 0 else x
    return np.sum(y * y)


def where(x):
    return np.sum(np.where(W > 1.5, x * W, x))


def joined(x):
    return np.sum(np.concatenate([x, W * x, [1.0]]) ** 2)


def stacked(x):
    return np.sum(np.array([x, x * W]) * 2.0)


def numbers(x):
    return np.array([x[0] * 2.0, x[1] * W[0], x[2]]).sum()


def scalar_item(x):
    return x[0] * x[1] + x.sum() * W[2]


def padded(x):
    return np.sum(np.pad(x, 1) * np.arange(5.0))


def gathered(x):
    return np.sum(x[[0, 0, 2]] * W)


def masked(x):
    y = x.copy()
    y[W > 1.5] = x[W > 1.5] * 2.0
    return np.sum(y * W)


def reduced(x):
    return np.mean(x * W) + np.sum(x, dtype=np.complex128 if np.iscomplexobj(x) else np.float64)


def converted(x):
    return np.sum(x.astype(np.complex128 if np.iscomplexobj(x) else np.float64) * W)


def fourier(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2 * W)


def solved(x):
    return np.sum(np.linalg.solve(M + 3.0 * np.eye(3), x) * W)


def normed(x):
    return np.linalg.norm(x * W) + np.sum(np.abs(x) ** 2)


def complex_parts(x):
    return np.sum(np.real(x * (1.0 + 2.0j)) * W)


def absolute(x):
    return np.sum(np.abs(x * (2.0 - 1.0j)))


def unpacked(x):
    a, b, c = x
    return a * b + c * W[0]


def comprehension(x):
    return sum([v * w for v, w in zip(x, W)])


def interpolated(x):
    return np.sum(np.polyval(x, W))


def rolled(x):
    return np.sum(np.roll(x, 1) * x * W)


def diffs(x):
    return np.sum(np.diff(x) * W[:2]) + np.cumsum(x)[-1]


PROGRAMS = [
    of_parts,
    of_all_parts,
    of_tuple,
    of_nested,
    in_callee,
    callee_of_list,
    with_einsum,
    with_matmul,
    with_constant,
    with_number,
    with_buffer,
    with_like,
    in_loop,
    appended,
    while_loop,
    branch,
    where,
    joined,
    stacked,
    numbers,
    scalar_item,
    padded,
    gathered,
    masked,
    reduced,
    converted,
    fourier,
    solved,
    normed,
    complex_parts,
    absolute,
    unpacked,
    comprehension,
    interpolated,
    rolled,
    diffs,
]
DTYPES = ["float16", "float32", "float64", "longdouble", "complex64", "complex128"]
DIGITS = {"float16": 5e-2, "float32": 2e-3, "complex64": 2e-3}
COUNTS: collections.Counter = collections.Counter()


def at(dtype):
    x = np.array([0.5, 1.25, -0.75])
    return (x + 1j * x[::-1] if dtype.startswith("complex") else x).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(program, dtype):
    x = at(dtype)
    value, problem = attempt(program, x)
    if problem is not None:  # NumPy has no such function for this dtype
        assert attempt(sg.grad(program), x)[1] is not None
        return
    ct = np.conj(np.asarray(value).dtype.type(0.5)) if np.iscomplexobj(value) else 0.5
    gradient = sg.grad(program, grad_outputs=ct)
    found, error = attempt(gradient, x)
    if isinstance(error, SourcegradError):
        assert dtype in ("float16", "longdouble") and error.origin is not None, error
        return
    assert error is None, f"{type(error).__name__}: {error}"
    assert found.dtype == x.dtype and found.shape == x.shape
    expected = numeric_vjp(program, (x.astype(np.result_type(x.dtype, np.float64)),), 0, ct, 1e-6)
    assert same(found, expected, DIGITS.get(dtype, 1e-5), DIGITS.get(dtype, 1e-5))
    COUNTS["order 1"] += 1
    second, error = attempt(sg.grad(gradient, grad_outputs=np.ones_like(x)), x)
    if not isinstance(error, SourcegradError):
        assert error is None, f"{type(error).__name__}: {error}"
        assert second.dtype == x.dtype and second.shape == x.shape
        COUNTS["order 2"] += 1
    weighted = sg.vjp(program, x)[1](ct)[0]
    assert weighted.dtype == x.dtype and np.array_equal(weighted, found)


SCALARS = {
    "product": lambda x: np.float32(2) * x * x,
    "constant": lambda x: 2 * x,
    "real": lambda x: np.real(x) * 1.0,
    "array": lambda x: np.array([x, 2.0])[0] * x,
    "sum": lambda x: np.sum(W * x),
    "exp": lambda x: np.exp(x) * W[0],
    "list": lambda x: [x, x * x][1] * np.float64(3.0),
    "abs": lambda x: abs(x) ** 2,
    "power": lambda x: x**2,
    "float32 array": lambda x: np.sum(np.ones(3, np.float32) * x),
    "loop": lambda x: sum([x * w for w in W]),
    "unused": lambda x: 1.0,
    "item": lambda x: (x * W)[1],
    "branch": lambda x: x * W[0] if np.real(x) > 0 else 0.0,
    "division": lambda x: 1.0 / (x + 2),
    "complex": lambda x: np.real(x * 1j) + np.imag(x * 1j),
    "dict": lambda x: {"a": x * W[1]}["a"],
    "int": lambda x: x * 3 + 1,
}
VALUES = {
    "float": 0.7,
    "complex": 0.7 - 0.4j,
    "int": 2,
    "float32": np.float32(0.7),
    "float64": np.float64(0.7),
    "complex64": np.complex64(0.7 - 0.4j),
    "complex128": np.complex128(0.7 - 0.4j),
    "0-d float32": np.array(0.7, np.float32),
    "0-d complex": np.array(0.7 - 0.4j),
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("name", SCALARS)
def test_numbers(name, kind):
    function, x = SCALARS[name], VALUES[kind]
    wanted = float if type(x) is int else type(x)
    gradient, problem = sg.grad(function, grad_outputs=1.0), None
    for order in (1, 2):
        found, problem = attempt(gradient, x)
        assert problem is None, f"order {order}: {type(problem).__name__}: {problem}"
        assert isinstance(found, wanted) and (wanted in (float, complex) or found.dtype == x.dtype), f"order {order}: {type(found)}"
        if order == 1 and finite(found):
            start = float(x) if type(x) is int else np.asarray(x).astype(np.result_type(np.asarray(x).dtype, np.float64))[()]
            single = getattr(function(start), "dtype", None) in (np.float32, np.complex64)   # NumPy 1: number * float32 array
            assert same(found, numeric_vjp(function, (start,), 0, 1.0, 1e-2 if single else 1e-6), 2e-3, 2e-3)
        gradient = sg.grad(gradient, grad_outputs=1.0)


@pytest.mark.parametrize("ct", [1j, np.complex64(1j), 1j * np.ones(3), np.array(1j)])
def test_complex_weights_of_real_outputs_are_refused(ct):
    def f(x):
        return x * x

    x = np.ones(3) if np.ndim(ct) else 1.0
    for call in (lambda: sg.grad(f)(x, grad_outputs=ct), lambda: sg.grad(f, grad_outputs=ct)(x), lambda: sg.vjp(f, x)[1](ct)):
        with pytest.raises(SourcegradError, match="grad_outputs is complex, and the output is real"):
            call()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weight", ["float32", "float64", "complex64", "int64"])
def test_weights_of_any_dtype(dtype, weight):
    x = at(dtype)
    ct = np.ones(3).astype(weight)
    if weight == "complex64" and not dtype.startswith("complex"):
        return
    for found in (sg.grad(lambda x: x * x)(x, grad_outputs=ct), sg.vjp(lambda x: x * x, x)[1](ct)[0]):
        assert found.dtype == x.dtype and np.allclose(found, 2 * np.conj(x))
        assert math.isfinite(float(np.abs(found).sum()))
