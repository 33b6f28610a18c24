"""Draws from generators: what moves along its quantile, against SciPy's quantiles; the streams as they are."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError

special = pytest.importorskip("scipy.special")
P = np.array([1.3, 0.4, 2.1, 5.6])
Q = np.array([0.7, 1.2, 3.0, 0.5])


def gamma_path(a: np.ndarray, z: np.ndarray, moved: np.ndarray) -> np.ndarray:
    return special.gammaincinv(moved, special.gammainc(a, z))


def beta_path(a, b, x, moved_a, moved_b) -> np.ndarray:
    return special.betaincinv(moved_a, moved_b, special.betainc(a, b, x))


def slope(path, at: np.ndarray, h: float = 1e-5) -> np.ndarray:
    return (path(at + h) - path(at - h)) / (2.0 * h)


GENERATORS = {"Generator": lambda: np.random.default_rng(5), "RandomState": lambda: np.random.RandomState(5)}
BOTH = pytest.mark.parametrize("made", GENERATORS)


@BOTH
def test_gamma_in_shape_and_scale(made) -> None:
    make = GENERATORS[made]
    drawn = make().gamma(P, 2.0)

    def draw(p, scale, rng):
        return rng.gamma(p, scale)

    by_shape, by_scale = sg.grad(draw, inputs=("p", "scale"), grad_outputs=np.ones(4))(P, 2.0, make())
    assert np.allclose(by_shape, 2.0 * slope(lambda a: gamma_path(P, drawn / 2.0, a), P), rtol=1e-6)
    assert np.isclose(by_scale, np.sum(drawn) / 2.0)


@BOTH
def test_beta_in_both_parameters(made) -> None:
    make = GENERATORS[made]
    drawn = make().beta(P, Q)

    def draw(p, q, rng):
        return rng.beta(p, q)

    by_a, by_b = sg.grad(draw, inputs=("p", "q"), grad_outputs=np.ones(4))(P, Q, make())
    assert np.allclose(by_a, slope(lambda a: beta_path(P, Q, drawn, a, Q), P), rtol=1e-5)
    assert np.allclose(by_b, slope(lambda b: beta_path(P, Q, drawn, P, b), Q), rtol=1e-5)


@BOTH
def test_student(made) -> None:
    make = GENERATORS[made]
    drawn = make().standard_t(P + 1.0)

    def draw(p, rng):
        return rng.standard_t(p + 1.0)

    expected = slope(lambda df: special.stdtrit(df, special.stdtr(P + 1.0, drawn)), P + 1.0)
    assert np.allclose(sg.grad(draw, inputs="p", grad_outputs=np.ones(4))(P, make()), expected, rtol=1e-4)


@BOTH
def test_relatives_of_gamma(made) -> None:
    make = GENERATORS[made]

    def chisquare(p, rng):
        return rng.chisquare(p)

    drawn = make().chisquare(P)
    expected = slope(lambda df: 2.0 * gamma_path(0.5 * P, 0.5 * drawn, 0.5 * df), P)
    assert np.allclose(sg.grad(chisquare, inputs="p", grad_outputs=np.ones(4))(P, make()), expected, rtol=1e-6)

    def dirichlet(p, rng):
        return rng.dirichlet(p)

    parts = make().standard_gamma(P)

    def quotients(moved):
        whole = gamma_path(P, parts, moved)
        return whole / np.sum(whole)

    weight = np.array([1.0, -2.0, 0.5, 3.0])
    numeric = [np.sum(weight * (quotients(P + h) - quotients(P - h))) / 2e-5 for h in 1e-5 * np.eye(4)]
    assert np.allclose(make().dirichlet(P), parts / np.sum(parts))
    assert np.allclose(sg.grad(dirichlet, inputs="p", grad_outputs=weight)(P, make()), numeric, rtol=1e-5)


def test_second_derivative_along_the_path() -> None:
    def draw(a, rng):
        return np.sum(rng.gamma(a))

    def value(a):
        return draw(a, np.random.default_rng(5))

    drawn = np.random.default_rng(5).gamma(2.3)
    second = (gamma_path(2.3, drawn, 2.301) - 2.0 * drawn + gamma_path(2.3, drawn, 2.299)) / 1e-6
    assert np.isclose(sg.grad(sg.grad(value))(2.3), second, rtol=1e-4)


def test_forward_mode_is_the_same() -> None:
    def draw(p):
        rng = np.random.default_rng(5)
        return np.sum(rng.gamma(p) * rng.beta(p, 2.0))

    dot = np.array([0.3, -1.0, 0.5, 0.2])
    _, tangent = sg.jvp(draw, (P,), (dot,))
    assert np.isclose(tangent, np.sum(sg.grad(draw)(P) * dot))


@BOTH
def test_the_stream_goes_on_as_in_one_call(made) -> None:
    def draw(p, rng):
        return np.sum(rng.gamma(p) + rng.beta(p, 2.0) + rng.weibull(p) + rng.laplace(p, 1.0) + rng.f(p, 3.0)
                      + rng.triangular(-1.0, p, 9.0) + rng.multivariate_normal(p, np.diag(P)) + rng.choice(p, 4))

    one, other = GENERATORS[made](), GENERATORS[made]()
    value = draw(P, one)
    found, _ = sg.value_and_grad(draw, inputs="p")(P, other)
    assert np.isclose(value, found) and one.standard_normal() == other.standard_normal()


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_normal_vectors_of_equal_variances(method) -> None:
    def draw(s):
        return np.sum(np.random.default_rng(5).multivariate_normal(np.zeros(3), s * np.eye(3), 4, method=method) ** 2)

    sg.check_grad(draw, 2.0)


COUNTED = [lambda p, rng: rng.poisson(p), lambda p, rng: rng.binomial(5, p / 9.0), lambda p, rng: rng.geometric(p / 9.0),
           lambda p, rng: rng.negative_binomial(p, 0.5)]


@pytest.mark.parametrize("k", range(len(COUNTED)))
@BOTH
def test_whole_numbers_are_refused(made, k) -> None:
    with pytest.raises(UnsupportedError, match="score function"):
        sg.grad(COUNTED[k], inputs="p", grad_outputs=np.ones(4))(P, GENERATORS[made]())


# --- shuffles in place

def shuffled_numbers(x):
    np.random.seed(3)
    places = np.arange(5)
    np.random.shuffle(places)
    return np.sum(x[places] * np.arange(5.0))


def shuffled_rows(x):
    np.random.seed(3)
    rows, total = np.outer(x, x), 0.0
    for k in range(3):
        np.random.shuffle(rows)
        total = total + np.sum(rows[0] * np.arange(5.0) ** k)
        rows = rows * rows[1]
    return total


def shuffled_view(x):
    np.random.seed(2)
    y = np.sin(x)
    part, none, one = y[::2], y[:0] * 2.0, y[:1] * 3.0
    for z in (part, none, one):
        np.random.shuffle(z)
    return np.sum(y * np.arange(5.0)) + one[0]


def shuffled_argument(x):
    np.random.seed(2)
    np.random.shuffle(x)
    return np.sum(x * np.arange(5.0))


@pytest.mark.parametrize("f", [shuffled_numbers, shuffled_rows, shuffled_view, shuffled_argument], ids=lambda f: f.__name__)
def test_a_shuffle_in_place(f):
    x = np.array([0.5, 1.0, -0.3, 0.7, 2.0])
    assert sg.value_and_grad(f)(x.copy())[0] == pytest.approx(f(x.copy()))
    for order in (1, 2):
        sg.check_grad(f, x.copy(), order=order)
    assert sg.jvp(f, (x.copy(),), (np.ones(5),))[1] == pytest.approx(np.sum(sg.grad(f)(x.copy())))
