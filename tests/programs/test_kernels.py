"""Kernels that work in place: are they themselves right, and are their derivatives?"""
from __future__ import annotations

import numpy as np
import pytest

from tests.programs.kernels import BY_NAME, KERNELS
from tests.programs.kernels.checks import (
    check_kernel,
    draw_weights,
    first_differences,
    is_single,
    mixed_difference,
    numbers,
    unchanged,
    width,
)
from tests.programs.kernels.kernel import Kernel


def kernels(order: int):
    return pytest.mark.parametrize(
        "kernel", [pytest.param(kernel, id=kernel.name) for kernel in KERNELS if kernel.order >= order])


@kernels(1)
def test_gradient(kernel: Kernel) -> None:
    check_kernel(kernel, 1)


@kernels(2)
def test_second_derivative(kernel: Kernel) -> None:
    check_kernel(kernel, 2)


@kernels(3)
def test_third_derivative(kernel: Kernel) -> None:
    check_kernel(kernel, 3)


@kernels(1)
def test_kernel_itself(kernel: Kernel) -> None:
    """It runs alike on every fresh copy, gives finite numbers, and each input has an influence."""
    args = kernel.fresh()
    results = numbers(kernel.results(args))
    assert np.all(np.isfinite(results)) and len(results)
    assert np.array_equal(numbers(kernel.results(kernel.fresh())), results)
    unchanged(kernel.fresh(), kernel.args)
    slopes = first_differences(kernel, draw_weights(kernel, 1))
    assert np.all(np.isfinite(slopes))
    used = 0
    overwritten = {"nonlinear_swap": "B", "trisolv": "x", "durbin": "y", "bicg": "q"}       # before it is read
    for name, value in zip(kernel.inputs, kernel.select(kernel.args)):
        size = len(numbers(value))
        assert np.any(np.abs(slopes[used:used + size]) > 1e-8) != (name == overwritten.get(kernel.name)), (
            f"{name} does or does not matter")
        used += size
    smaller = first_differences(kernel, draw_weights(kernel, 1), step=2e-3 if is_single(kernel) else 2e-6)
    noise = (1e-3 if is_single(kernel) else 1e-5) * max(1.0, np.abs(slopes).max())
    assert np.allclose(smaller, slopes, rtol=1e-4, atol=noise), "not smooth here"


@kernels(1)
def test_linear_kernels_are_marked(kernel: Kernel) -> None:
    """A kernel marked as linear has no second derivative; others have one, or a reason."""
    rng = np.random.default_rng(3)
    u, v = rng.standard_normal((2, width(kernel)))
    [weight] = draw_weights(kernel, 1)
    curvature = mixed_difference(kernel, weight, u / np.linalg.norm(u), v / np.linalg.norm(v))
    if kernel.linear:
        assert abs(curvature) < 1e-7
    elif abs(curvature) < 1e-9:
        assert kernel.name in {"adi", "floyd_warshall", "floyd_warshall_elements", "nussinov", "maxpool2d",
                               # linear, but masks, loop counts or twiddle factors may have to be remembered
                               "azimuthal_average", "haar_wavelet", "cooley_tukey", "walsh_hadamard", "butterflies_real",
                               "stockham_fft"}


def test_number_of_kernels() -> None:
    assert len(KERNELS) == len(BY_NAME) >= 100
    assert sum("return" not in kernel.outputs for kernel in KERNELS) >= 40
    assert sum(kernel.linear for kernel in KERNELS) >= 15


def lower(A: np.ndarray) -> np.ndarray:
    return np.tril(A)


def result(name: str) -> tuple:
    """The original arguments by name, and the results by name."""
    import inspect

    kernel = BY_NAME[name]
    names = list(inspect.signature(kernel.function).parameters)
    return dict(zip(names, kernel.fresh())), dict(zip(kernel.outputs, kernel.results(kernel.fresh())))


@pytest.mark.parametrize("name", ["cholesky", "cholesky_elements"])
def test_cholesky_is_cholesky(name: str) -> None:
    args, out = result(name)
    assert np.allclose(lower(next(iter(out.values()))), np.linalg.cholesky(args["A"]))


def test_solutions_solve() -> None:
    args, out = result("trisolv")
    assert np.allclose(lower(args["L"]) @ out["x"], args["b"])
    args, out = result("back_substitution")
    assert np.allclose(np.triu(args["U"]) @ out["return"], args["b"])
    args, out = result("many_right_sides")
    assert np.allclose(lower(args["L"]) @ out["B"], args["B"])
    args, out = result("thomas")
    matrix = np.diag(args["b"]) + np.diag(args["a"][1:], -1) + np.diag(args["c"][:-1], 1)
    assert np.allclose(matrix @ out["d"], args["d"])
    args, out = result("gauss_jordan")
    assert np.allclose(args["A"] @ out["b"], args["b"])
    args, out = result("ludcmp")
    assert np.allclose(args["A"] @ out["return"][0], args["b"])
    args, out = result("levinson")
    offsets = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert np.allclose(args["r"][offsets] @ out["return"], args["b"])
    for name in ("durbin", "durbin_elements"):
        args, out = result(name)
        r = args["r"]
        n = len(r)
        offsets = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        assert np.allclose(np.append(1.0, r)[offsets] @ next(iter(out.values())), -r)


def test_factors_multiply_to_the_matrix() -> None:
    args, out = result("lu")
    A = out["A"]
    assert np.allclose((np.tril(A, -1) + np.eye(len(A))) @ np.triu(A), args["A"])
    args, out = result("gauss_jordan_inverse")
    assert np.allclose(out["return"] @ args["A"], np.eye(3))
    args, out = result("ldl")
    assert np.allclose(out["A"] @ np.diag(out["return"]) @ out["A"].T, args["A"])
    args, out = result("gramschmidt")
    assert np.allclose(out["Q"] @ out["R"], args["A"])
    args, out = result("householder")
    assert np.allclose(np.abs(out["return"][:3]), np.abs(np.linalg.qr(args["A"])[1]))
    args, out = result("rank_one_update")
    L = lower(out["L"])
    assert np.allclose(L @ L.T, args["L"] @ args["L"].T + np.outer(args["x"], args["x"]))


def test_transforms_transform() -> None:
    args, out = result("stockham_fft")
    assert np.allclose(out["y"], np.fft.fft(args["x"]))
    args, out = result("cooley_tukey")
    assert np.allclose(out["x"], np.fft.fft(args["x"]))
    args, out = result("power_spectrum")
    assert np.allclose(out["return"], np.abs(np.fft.fft(args["re"] + 1j * args["im"])) ** 2)


def test_a_wrong_gradient_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.programs.kernels import checks

    kernel = BY_NAME["logistic_map"]
    right = first_differences(kernel, draw_weights(kernel, 1))

    def fake(error: float):
        values = right * (1 + error)
        return lambda *args, **options: (values[:-1].copy(), float(values[-1]))

    monkeypatch.setattr(checks, "gradient_function", lambda kernel, weights: fake(0.0))
    check_kernel(kernel, 1)
    monkeypatch.setattr(checks, "gradient_function", lambda kernel, weights: fake(1e-3))
    with pytest.raises(AssertionError, match="central differences"):
        check_kernel(kernel, 1)

    def spoils(*args, **options):
        args[0][0] = 5.0
        return fake(0.0)()

    monkeypatch.setattr(checks, "gradient_function", lambda kernel, weights: spoils)
    with pytest.raises(AssertionError, match="argument was changed"):
        check_kernel(kernel, 1)
