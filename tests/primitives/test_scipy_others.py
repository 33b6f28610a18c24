"""Functions of scipy.linalg, scipy.fft and scipy.spatial.distance that are differentiated by formulas."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives
from sourcegrad.errors import SourcegradError
from sourcegrad.primitives.core import primitive_of

linalg = pytest.importorskip("scipy.linalg")
fft = pytest.importorskip("scipy.fft")
distance = pytest.importorskip("scipy.spatial.distance")
primitives.with_scipy()
RNG = np.random.default_rng(6)
A, W = np.array([[2.0, 0.3, 0.1], [-0.2, 1.5, 0.4], [0.1, 0.2, 1.1]]), np.arange(9.0).reshape(3, 3)

CASES = {
    "solve_sylvester": lambda a: np.sum(W * linalg.solve_sylvester(a, a.T + np.eye(3), a * a)),
    "sqrtm": lambda a: np.sum(W * np.real(linalg.sqrtm(a))),           # (SciPy may give it as complex numbers)
    "logm": lambda a: np.sum(W * linalg.logm(a)),
    "cdist, minkowski": lambda a: np.sum(W * distance.cdist(a, a * a + 1, "minkowski", p=3.0, w=np.array([1.0, 2.0, 0.5]))),
    "cdist of itself": lambda a: np.sum(W * distance.cdist(a, a)),
    "pdist": lambda a: np.sum(distance.pdist(a) * np.arange(3)) + np.sum(distance.pdist(a, "cityblock", w=np.array([1.0, 0.2, 3]))),
    "squareform": lambda a: np.sum(W * distance.squareform(distance.pdist(a, "cosine"))),
    "squareform of a matrix": lambda a: np.sum(distance.squareform(distance.cdist(a, a)) ** 3),
    "fft": lambda a: np.sum(W * np.real(fft.fft(a) * np.exp(1j * W))) + np.sum(np.imag(fft.fft2(a)) * W),
    "rfft": lambda a: np.sum(fft.irfft(fft.rfft(a) * np.array([1.0, 2.0]), 3) * W),
    "dct": lambda a: np.sum(W * fft.dct(a, axis=0) + W ** 2 * fft.idct(a, norm="ortho") + W * fft.dct(a, 3, norm="forward")),
}


@pytest.mark.parametrize("name", CASES)
def test_against_differences(name: str) -> None:
    function = CASES[name]
    assert sg.value_and_grad(function)(A)[0] == pytest.approx(function(A), rel=1e-12)
    sg.check_grad(function, A)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "braycurtis",
                                    "canberra"])
def test_metrics(metric: str) -> None:
    def between(a, metric=metric):
        return np.sum(W * distance.cdist(a, a[::-1] * 1.3 + 0.1, metric))

    assert sg.value_and_grad(between)(A)[0] == pytest.approx(between(A), rel=1e-12)
    sg.check_grad(between, A)


@pytest.mark.parametrize("kind", [2, 3])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_cosine_transforms(kind: int, norm: str | None) -> None:
    for function in (fft.dct, fft.idct):
        value, _ = sg.value_and_grad(lambda a, f=function: np.sum(W * f(a, kind, axis=0, norm=norm)))(A)
        assert value == pytest.approx(np.sum(W * function(A, kind, axis=0, norm=norm)), rel=1e-12)


WAVES = RNG.normal(size=(4, 5))


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_all_waves(name: str) -> None:
    function = getattr(fft, name)
    for kind in (1, 2, 3, 4):
        for norm in (None, "ortho", "forward", "backward"):
            for n in (None, 3, 7):
                found = primitive_of(function).instead(WAVES, kind, n, 0, norm)
                assert np.allclose(found, function(WAVES, kind, n, 0, norm), 1e-12, 1e-12)
            found = primitive_of(function).instead(WAVES + 1j * WAVES[::-1], kind, norm=norm)
            assert np.allclose(found, function(WAVES + 1j * WAVES[::-1], kind, norm=norm), 1e-12, 1e-12)
    sg.check_grad(lambda a, f=function: np.sum(W * f(a, 1, axis=0) ** 2) + np.sum(f(a, 4, 5) ** 3), A)


@pytest.mark.parametrize("name", ["dctn", "idctn", "dstn", "idstn"])
def test_waves_along_several_axes(name: str) -> None:
    function = getattr(fft, name)
    for options in [{}, {"type": 1, "s": (3, 6)}, {"axes": (1,), "norm": "ortho"},
                    {"type": 4, "s": (3,), "axes": (0,), "norm": "forward"}]:
        assert np.allclose(primitive_of(function).instead(WAVES, **options), function(WAVES, **options), 1e-12, 1e-12)
    sg.check_grad(lambda a, f=function: np.sum(W * f(a, 2, norm="ortho") ** 2), A)


def test_real_transforms() -> None:
    for function in (fft.rfft2, fft.rfftn, fft.ihfft):
        assert np.allclose(primitive_of(function).instead(WAVES), function(WAVES))
    for function in (fft.irfft2, fft.irfftn, fft.hfft):
        assert np.allclose(primitive_of(function).instead(WAVES * (1 + 1j)), function(WAVES * (1 + 1j)))
    sg.check_grad(lambda a: np.sum(W * fft.irfftn(fft.rfftn(a) ** 2, (3, 3))) + np.sum(np.abs(fft.fftshift(fft.rfft2(a)))), A)


REFUSED = {
    "another metric": lambda a: np.sum(distance.cdist(a, a, "yule")),
    "weights": lambda a: np.sum(distance.cdist(a, a, "seuclidean", w=np.ones(3))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(SourcegradError) as caught:
        sg.grad(REFUSED[name])(A)
    assert "test_scipy_others.py:" in str(caught.value) and type(caught.value).__name__ == "UnsupportedError"
