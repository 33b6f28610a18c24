"""Distances of scipy.spatial: values as SciPy gives them, derivatives of orders 1 and 2 in points and parameters, equal points."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.primitives.scipy_checks import check, weighted

distance = pytest.importorskip("scipy.spatial.distance")
pytestmark = pytest.mark.filterwarnings("ignore")
U, V = np.array([0.9, 0.3, 1.7, 0.25]), np.array([0.4, 1.1, 0.6, 0.7])
W = np.array([1.0, 0.5, 2.0, 0.3])
A = np.array([[0.9, 0.3, 1.7], [0.4, 1.13, 0.61], [1.3, 0.22, 0.85]])
B = np.array([[0.5, 0.87, 0.1], [1.66, 0.35, 0.98]])
MATRIX = np.array([[2.0, 0.3, 0.1, 0.2], [0.3, 1.5, 0.4, -0.1], [0.1, 0.4, 1.1, 0.3], [0.2, -0.1, 0.3, 1.7]])
WEIGHTED = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "braycurtis", "canberra"]


@pytest.mark.parametrize("name", WEIGHTED)
def test_of_two_vectors(name: str) -> None:
    metric = getattr(distance, name)
    check(lambda u, v: metric(u, v), U, V)
    check(lambda u, v, w: metric(u, v, w), U, V, W)
    check(lambda u, v: metric(list(u), v, w=[1.0, 0.5, 2.0, 0.0]), U, V)


@pytest.mark.parametrize("name", [*WEIGHTED, "jensenshannon"])
def test_of_rows(name: str) -> None:
    check(lambda a, b: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, name)), A, B)
    check(lambda a: np.sum(weighted(A[0]) * distance.pdist(a, name)), A)
    if name in WEIGHTED:
        check(lambda a, b, w: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, name, w=w)), A, B, W[:3], order=1)
        check(lambda a, w: np.sum(weighted(A[0]) * distance.pdist(a, name, w=w)), A, W[:3], order=1)


def test_minkowski() -> None:
    check(lambda u, v, p: distance.minkowski(u, v, p), U, V, 2.6)
    check(lambda u, v, p, w: distance.minkowski(u, v, p, w), U, V, 1.3, W)
    check(lambda u, v, p: distance.minkowski(u, v, p), U, V, 2.0)                # by p there, too, and not as the root of squares
    check(lambda u, v: distance.minkowski(u, v, np.inf), U, V)
    check(lambda u, v: distance.minkowski(u, v, np.inf, np.array([1.0, 0.0, 0.0, 2.0])), U, V)
    check(lambda u, v: distance.minkowski(u, v, 1), U, V)
    check(lambda a, b, p: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, "minkowski", p=p)), A, B, 3.2)
    check(lambda a, p, w: np.sum(weighted(A[0]) * distance.pdist(a, "minkowski", p=p, w=w)), A, 1.5, W[:3])


def test_variances_and_covariances() -> None:
    check(lambda u, v, s: distance.seuclidean(u, v, s), U, V, W)
    check(lambda u, v, m: distance.mahalanobis(u, v, m), U, V, MATRIX)
    check(lambda a, b, s: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, "seuclidean", V=s)), A, B, W[:3])
    check(lambda a, b, m: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, "mahalanobis", VI=m)), A, B, MATRIX[:3, :3])
    check(lambda a, m: np.sum(distance.pdist(a, "mahalanobis", VI=m) ** 3), A, MATRIX[:3, :3])


def test_variances_of_the_points_themselves() -> None:
    check(lambda a, b: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, "seuclidean")), A, B)
    check(lambda a: np.sum(weighted(A[0]) * distance.pdist(a, "seuclidean")), A)
    check(lambda a, b: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, "mahalanobis")), A[:, :2], B[:, :2])
    check(lambda a: np.sum(weighted(A[0]) * distance.pdist(a[:, :1], "mahalanobis")), A)


def test_entropies() -> None:
    check(lambda p, q: distance.jensenshannon(p, q), U, V)
    check(lambda p, q: distance.jensenshannon(p, q, 2.0), U, V)
    check(lambda a: np.sum(weighted(A[0]) * distance.jensenshannon(a, a[::-1] ** 2 + 0.1, axis=0)), A)
    check(lambda a: np.sum(distance.jensenshannon(a, a[:, ::-1] ** 2 + 0.1, axis=1, keepdims=True) ** 3), A)


def test_a_function_as_the_metric() -> None:
    check(lambda a, b: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, lambda u, v: np.sum((u - v) ** 3))), A, B)
    check(lambda a: np.sum(weighted(A[0]) * distance.pdist(a, lambda u, v: np.sum(u * v))), A)
    check(lambda a, b: np.sum(weighted(A[:, :2]) * distance.cdist(a, b, distance.cosine)), A, B)


def test_share_of_what_differs() -> None:
    share = sg.value_and_grad(lambda w, u: distance.hamming(np.round(u), np.round(V), w), ("w", "u"))(W, U)
    assert share[0] == pytest.approx(distance.hamming(np.round(U), np.round(V), W))
    sg.check_grad(lambda w: distance.hamming(np.round(U), np.round(V), w), W)
    assert np.all(share[1][1] == 0.0)


@pytest.mark.parametrize("name", ["e", "sqe", "cb", "mi", "ch", "cos", "co", "js", "se", "h"])
def test_other_names_of_metrics(name: str) -> None:
    value, _ = sg.value_and_grad(lambda a: np.sum(distance.cdist(a, B, name) * np.arange(6.0).reshape(3, 2)))(A)
    assert value == pytest.approx(np.sum(distance.cdist(A, B, name) * np.arange(6.0).reshape(3, 2)))


# --- singular points: `docs/conventions.md`

@pytest.mark.parametrize("name", ["euclidean", "minkowski", "cityblock", "chebyshev", "canberra", "jensenshannon", "mahalanobis",
                                  "seuclidean", "sqeuclidean"])
def test_equal_points(name: str) -> None:
    """A distance of 0 does not move: its gradient is 0, and others are as if it was not there."""
    options = {"V": W[:3]} if name == "seuclidean" else {"VI": MATRIX[:3, :3]} if name == "mahalanobis" else {}
    found = sg.grad(lambda a: np.sum(distance.cdist(a, a, name, **options)))(A[:2])
    wanted = sg.grad(lambda a: 2.0 * distance.cdist(a, a, name, **options)[0, 1])(A[:2])
    assert np.all(np.isfinite(found)) and np.allclose(found, wanted)


@pytest.mark.parametrize("weights", [None, W])
def test_equal_vectors(weights: object) -> None:
    for name in ("euclidean", "cityblock", "chebyshev", "canberra", "minkowski", "cosine", "correlation"):
        metric = getattr(distance, name)
        by_u, by_v = sg.grad(lambda u, v: metric(u, v, w=weights), ("u", "v"))(U, U.copy())
        assert np.allclose(by_u, 0.0, atol=1e-14) and np.allclose(by_v, 0.0, atol=1e-14), name
    assert np.all(sg.grad(lambda w: distance.euclidean(U, U, w))(W) == 0.0)
    assert sg.grad(lambda p: distance.minkowski(U, U, p))(3.0) == 0.0


def test_equal_greatest_differences() -> None:
    """They share, as the greatest elements of an array do; what has no weight has no part."""
    u = np.array([1.0, -1.0, 0.5])
    assert np.allclose(sg.grad(lambda x: distance.chebyshev(x, np.zeros(3)))(u), [0.5, -0.5, 0.0])
    assert np.allclose(sg.grad(lambda x: distance.chebyshev(x, np.zeros(3), np.array([0.0, 2.0, 1.0])))(u), [0.0, -1.0, 0.0])
    assert np.allclose(sg.grad(lambda x: distance.cdist(x[None], np.zeros((1, 3)), "chebyshev")[0, 0])(u), [0.5, -0.5, 0.0])


def test_zero_over_zero() -> None:
    """Where both are 0 nothing is counted by Canberra's distance, and nothing moves."""
    u, v = np.array([0.0, 1.0]), np.array([0.0, 3.0])
    assert np.allclose(sg.grad(lambda x: distance.canberra(x, v))(u), [0.0, -2.0 * 3.0 / 16.0])
