"""Decompositions: finite differences of losses that do not depend on signs, phases or the unused triangle."""
import numpy as np
import pytest

from sourcegrad.errors import UnsupportedError
from sourcegrad.primitives import decompositions, linalg, norms

rng = np.random.default_rng(3)


def matrix(*shape, complex=False):
    values = rng.uniform(-1.0, 1.0, shape)
    return values + 1.0j * rng.uniform(-1.0, 1.0, shape) if complex else values


def hermitian(*shape, complex=False):
    a = matrix(*shape, complex=complex)
    return 0.5 * (a + np.conj(np.swapaxes(a, -1, -2)))


def positive(*shape, complex=False):
    a = matrix(*shape, complex=complex)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + 2.0 * np.eye(shape[-1])


def assert_directional(loss, a, gradient, direction, step=1e-6):
    """Re<gradient, direction> against a central difference."""
    numeric = (loss(a + step * direction) - loss(a - step * direction)) / (2.0 * step)
    assert gradient.shape == a.shape
    assert np.real(np.sum(np.conj(gradient) * direction)) == pytest.approx(numeric, rel=1e-6, abs=1e-7)


def numeric_adjoint(loss, x, step=1e-6):
    """dL/dRe + i dL/dIm of a real loss, element by element."""
    result = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        for unit in (1.0, 1.0j) if np.iscomplexobj(x) else (1.0,):
            high, low = x.copy(), x.copy()
            high[index] += step * unit
            low[index] -= step * unit
            result[index] += unit * (loss(high) - loss(low)) / (2.0 * step)
    return result


BOTH = pytest.mark.parametrize("complex", [False, True])
SQUARE_SHAPES = pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (1, 1)])


@BOTH
@SQUARE_SHAPES
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(shape, complex, upper):
    a, weight = positive(*shape, complex=complex), matrix(*shape, complex=complex)

    def factor(a):
        other = np.conj(np.swapaxes(a, -1, -2))
        return np.conj(np.swapaxes(np.linalg.cholesky(other), -1, -2)) if upper else np.linalg.cholesky(a)

    gradient = decompositions.cholesky(weight, factor(a), a, upper)
    assert np.array_equal(gradient, np.triu(gradient) if upper else np.tril(gradient))
    for direction in (hermitian, matrix, matrix):            # what lies in the other triangle is not looked at
        assert_directional(lambda a: np.sum(np.real(np.conj(weight) * factor(a))), a, gradient,
                           direction(*shape, complex=complex))


@BOTH
@SQUARE_SHAPES
@pytest.mark.parametrize("UPLO", ["L", "U"])
def test_eigh(shape, complex, UPLO):
    a, weights, linear = hermitian(*shape,
                                   complex=complex), rng.uniform(size=shape), rng.uniform(size=shape[:-1])
    projector = hermitian(*shape, complex=complex)

    def loss_of(w, v):
        spectral = (v * np.expand_dims(w * w, -2) * linear[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2))
        return (np.sum(linear * w) + np.sum(weights * np.abs(v) ** 2)
                + np.sum(np.real(np.conj(projector) * spectral)))

    out = np.linalg.eigh(a, UPLO)
    ct = (numeric_adjoint(lambda w: loss_of(w, out[1]), out[0]),
          numeric_adjoint(lambda v: loss_of(out[0], v), out[1]))
    gradient = decompositions.eigh(ct, out, a, UPLO)
    assert np.array_equal(gradient, np.tril(gradient) if UPLO == "L" else np.triu(gradient))
    values_only = decompositions.eigvalsh(linear, out[0], a, UPLO)
    for direction in (hermitian, matrix, matrix):            # what lies in the other triangle is not looked at
        assert_directional(lambda a: loss_of(*np.linalg.eigh(a, UPLO)), a, gradient, direction(*shape, complex=complex))
        assert_directional(lambda a: np.sum(linear * np.linalg.eigvalsh(a, UPLO)), a, values_only,
                           direction(*shape, complex=complex))


def test_eigh_with_equal_eigenvalues():
    """Right as far as ct tells, an error where it cannot: for the pair 0, 1 the limit depends on the loss."""
    a = np.diag([1.0, 1.0, 3.0])
    out = np.linalg.eigh(a)
    none = np.zeros((3, 3))
    gradient = decompositions.eigh((2.0 * out[0], none), out, a)                      # of sum(w ** 2)
    assert np.allclose(gradient, 2.0 * a)
    weight = hermitian(3, 3)
    isolated = none.copy()
    isolated[:, 2] = 2.0 * weight @ out[1][:, 2]                             # of v2 @ weight @ v2
    gradient = decompositions.eigh((np.zeros(3), isolated), out, a)
    for _ in range(3):
        assert_directional(lambda a: np.linalg.eigh(a)[1][:, 2] @ weight @ np.linalg.eigh(a)[1][:, 2], a,
                           gradient,
                           hermitian(3, 3))
    every = 2.0 * weight @ (out[1] * out[0] ** 2)                            # of tr(weight @ a @ a)
    with pytest.raises(UnsupportedError, match="eigenvectors of equal eigenvalues"):
        decompositions.eigh((np.zeros(3), every), out, a)


def test_singular_values_of_a_singular_matrix():
    a = np.outer([1.0, 2.0, 3.0], [1.0, -1.0])
    out = np.linalg.svd(a, full_matrices=False)
    gradient = decompositions.svd((np.zeros((3, 2)), np.array([1.0, 0.0]), np.zeros((2, 2))), out, a, False)
    assert np.allclose(gradient, np.outer(out[0][:, 0], out[2][0]))


@BOTH
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 3)])
@pytest.mark.parametrize("full_matrices", [False, True])
def test_svd(shape, complex, full_matrices):
    a = matrix(*shape, complex=complex)
    out = np.linalg.svd(a, full_matrices=full_matrices)
    k = out[1].shape[-1]
    linear = rng.uniform(size=out[1].shape)
    left, right = rng.uniform(size=out[0][..., :k].shape), rng.uniform(size=out[2][..., :k, :].shape)
    mixed = matrix(*shape, complex=complex)

    def loss_of(u, s, vh):
        u, vh = u[..., :k], vh[..., :k, :]
        product = (u * np.expand_dims(linear * s, -2)) @ vh
        return (np.sum(linear * s) + np.sum(left * np.abs(u) ** 2) + np.sum(right * np.abs(vh) ** 2)
                + np.sum(np.real(np.conj(mixed) * product)))

    parts = list(out)
    ct = tuple(numeric_adjoint(lambda part, j=j: loss_of(*parts[:j], part, *parts[j + 1:]),
                               parts[j]) for j in range(3))
    gradient = decompositions.svd(ct, out, a, full_matrices)
    for _ in range(3):
        assert_directional(lambda a: loss_of(*np.linalg.svd(a, full_matrices=full_matrices)), a, gradient,
                           matrix(*shape, complex=complex))
    values_only = decompositions.svd(linear, out[1], a, compute_uv=False)
    assert_directional(lambda a: np.sum(linear * np.linalg.svd(a, compute_uv=False)), a, values_only,
                       matrix(*shape, complex=complex))


def test_svd_refuses_null_space_vectors():
    a = matrix(4, 2)
    out = np.linalg.svd(a)
    with pytest.raises(UnsupportedError, match="full_matrices=False"):
        decompositions.svd((np.ones((4, 4)), np.zeros(2), np.zeros((2, 2))), out, a)


@pytest.mark.parametrize("a", [np.array([[2.0, 1.0, 0.3], [0.2, 1.0, -0.5], [0.1, 0.4, 3.0]]), matrix(3, 3),
                               matrix(2, 3, 3),
                               matrix(3, 3, complex=True), matrix(2, 2, 2, complex=True)])
def test_eig(a):
    out = np.linalg.eig(a)
    linear = rng.uniform(size=out[0].shape)
    weights = rng.uniform(size=out[1].shape)

    def loss_of(w, v):
        return (np.sum(linear * np.real(w)) + np.sum(linear ** 2 * np.imag(w) ** 2)
                + np.sum(weights * np.abs(v) ** 2))

    ct = (numeric_adjoint(lambda w: loss_of(w, out[1]), out[0]),
          numeric_adjoint(lambda v: loss_of(out[0], v), out[1]))
    gradient = decompositions.eig(ct, out, a)
    values_only = decompositions.eigvals(ct[0], out[0], a)
    assert np.iscomplexobj(gradient) == np.iscomplexobj(a)
    for _ in range(3):
        direction = matrix(*a.shape, complex=np.iscomplexobj(a))
        assert_directional(lambda a: loss_of(*np.linalg.eig(a)), a, gradient, direction)
        assert_directional(lambda a: loss_of(np.linalg.eigvals(a), out[1]), a, values_only, direction)


@BOTH
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
def test_qr(shape, complex):
    """LAPACK keeps the diagonal of R real, so here every loss will do."""
    a = matrix(*shape, complex=complex)
    out = np.linalg.qr(a)
    ct = tuple(matrix(*part.shape, complex=complex) for part in out)

    def loss(a):
        return sum(np.sum(np.real(np.conj(c) * part)) for c, part in zip(ct, np.linalg.qr(a)))

    gradient = decompositions.qr(ct, out, a)
    for _ in range(3):
        assert_directional(loss, a, gradient, matrix(*shape, complex=complex))


@BOTH
@pytest.mark.parametrize("a_shape, b_shape", [((5, 3), (5,)), ((5, 3), (5, 2)), ((3, 3), (3,)),
                                              ((2, 4), (2,)), ((2, 4), (2, 3))])
def test_lstsq(a_shape, b_shape, complex):
    a, b = matrix(*a_shape, complex=complex), matrix(*b_shape, complex=complex)
    out = np.linalg.lstsq(a, b, rcond=None)
    ct = (matrix(*out[0].shape, complex=complex), rng.uniform(size=out[1].shape), 0.0, np.zeros(out[3].shape))

    def loss(a, b):
        x, residual, *_ = np.linalg.lstsq(a, b, rcond=None)
        return np.sum(np.real(np.conj(ct[0]) * x)) + np.sum(ct[1] * np.real(residual))

    a_bar, b_bar = linalg.lstsq(ct, out, a, b)
    for _ in range(3):
        assert_directional(lambda a: loss(a, b), a, a_bar, matrix(*a_shape, complex=complex))
        assert_directional(lambda b: loss(a, b), b, b_bar, matrix(*b_shape, complex=complex))
    with pytest.raises(UnsupportedError, match="singular values"):
        linalg.lstsq((ct[0], ct[1], 0.0, np.ones(out[3].shape)), out, a, b)


@pytest.mark.parametrize("ord", [None, 1, 2, 3, 0.5, np.inf, "fro", "nuc", -2])
def test_norm_of_zero_has_gradient_zero(ord):
    x = np.zeros((2, 3)) if ord in ("fro", "nuc", -2) else np.zeros(3)
    assert not np.any(norms.norm(1.0, np.float64(0.0), x, ord))
