"""Sparse Jacobians and Hessians: beside dense ones, patterns, colours, what is refused."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError

pytest.importorskip("scipy")
import scipy.sparse
from scipy.optimize._numdiff import group_columns

from sourcegrad.api.sparse import Pattern, colour


def bratu(u, n, k=0.1):
    U = u.reshape(n, n)
    V = np.zeros((n + 2, n + 2))
    V[1:-1, 1:-1] = U
    return (4.0 * U - V[:-2, 1:-1] - V[2:, 1:-1] - V[1:-1, :-2] - V[1:-1, 2:] - k * np.exp(U)).ravel()


def reaction_diffusion(y, rate):
    u, v = y[::2], y[1::2]
    wide = np.pad(u, 1, mode="edge")
    out = np.zeros(y.size)
    out[::2] = rate * (wide[2:] - 2.0 * u + wide[:-2]) + u * u * v - u
    out[1::2] = 1.0 - u * u * v
    return out


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def observations(poses, points, pose_of, point_of):
    """Bundle adjustment in the plane: each row sees one pose and one point."""
    p, q = poses[pose_of], points[point_of]
    angle = p[:, 2]
    moved = q - p[:, :2]
    turned = np.stack([np.cos(angle) * moved[:, 0] + np.sin(angle) * moved[:, 1],
                       np.cos(angle) * moved[:, 1] - np.sin(angle) * moved[:, 0]], axis=1)
    return turned / (1.0 + np.sum(turned ** 2, axis=1, keepdims=True))


def collocation(z, steps):
    """A transcription of a pendulum: states, controls and defects of the trapezoidal rule."""
    x, v, u = z[:steps], z[steps:2 * steps], z[2 * steps:]
    a = u - np.sin(x)
    return np.concatenate([x[1:] - x[:-1] - 0.05 * (v[1:] + v[:-1]), v[1:] - v[:-1] - 0.05 * (a[1:] + a[:-1])])


RNG = np.random.default_rng(4)
OBSERVED = (RNG.integers(0, 4, 15), RNG.integers(0, 9, 15))
CASES = {
    "bratu": (bratu, None, lambda: (RNG.normal(size=36), 6), 5),
    "reaction and diffusion": (reaction_diffusion, None, lambda: (RNG.normal(size=24), 0.5), 4),
    "collocation": (collocation, None, lambda: (RNG.normal(size=30), 10), 6),
    "bundle adjustment": (observations, ("poses", "points"),
                          lambda: (RNG.normal(size=(4, 3)), RNG.normal(size=(9, 2)), *OBSERVED), 9),
}


@pytest.mark.parametrize("name", CASES)
def test_beside_dense_ones(name) -> None:
    f, inputs, make, colours = CASES[name]
    made = sg.jacobian(f, inputs, sparse=True)
    for _ in range(3):                                       # the pattern is that of the first call
        args = make()
        found, dense = made(*args), sg.jacobian(f, inputs)(*args)
        for one, other in zip(found, dense) if inputs else [(found, dense)]:
            assert scipy.sparse.issparse(one) and one.format == "csr"
            np.testing.assert_allclose(one.toarray(), other.reshape(one.shape), atol=1e-10)
            assert one.plan.colours <= colours


def test_hessian_is_symmetric_to_the_last_bit() -> None:
    x = RNG.normal(size=40)
    found = sg.hessian(rosenbrock, sparse=True)(x)
    assert (found != found.T).nnz == 0 and found.plan.colours == 3
    np.testing.assert_allclose(found.toarray(), sg.hessian(rosenbrock)(x), atol=1e-9)


def test_sparsity() -> None:
    found = sg.sparsity(lambda x, k=2.0: x[1:] * x[:-1] * k, np.ones(4), k=1.0)
    assert found.dtype == bool and found.toarray().astype(int).tolist() == [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    by_both = sg.sparsity(lambda x, y: x * y, np.ones(2), np.ones(2), inputs=("x", "y"))
    assert by_both.toarray().astype(int).tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]


def operations(x, A):
    y = np.concatenate([x[:2] * x[2:4], np.array([x[0] * x[5], 1.0])])
    z = np.stack([x[:2], x[2:4]]).T @ x[4:6]
    parts = []
    for i in range(3):
        parts.append(x[i] * x[i + 1])
    w = np.zeros((2, 3))
    w[0] = x[:3]
    w[:, 1] += x[4] * x[3:5]
    both = np.einsum("ij,j->i", w, x[:3]) + np.max(w, axis=1)
    return np.concatenate([y, z, np.array(parts), np.cumsum(x[:3]), np.roll(x, 1), np.diff(x), w.ravel(), both, A @ x,
                           np.sort(x[:3]), np.outer(x[:2], x[1:3]).ravel(), np.array([np.linalg.norm(x[:2]), sum(parts)])])


def test_nothing_is_missing() -> None:
    A = RNG.normal(size=(2, 6))
    x = RNG.normal(size=6)
    pattern, dense = sg.sparsity(operations, x, A).toarray(), sg.jacobian(operations)(x, A)
    assert not (dense[~pattern] != 0.0).any() and pattern.sum() <= (dense != 0.0).sum() + 12


def turned(x):
    return np.cross(x, x[::-1] * 2.0 + 1.0)


def crossed_along_other_axes(x):
    return np.cross(x, x.T ** 2, 0, 1, 0)


def crossed_in_the_plane(x):
    return np.cross(x[:, :2], x) * np.cross(x[:, 1:], x[:1])


def solved(x):
    A = x[:, None, :2] * np.ones((2, 1)) + 4.0 * np.eye(2)
    return np.linalg.solve(A, x[:, 1:, None])[..., 0] * np.linalg.det(A)[:, None] + np.linalg.inv(A)[:, 0]


def transformed(x):
    return np.abs(np.fft.rfft(x)) + np.fft.fft(x, axis=0).real[:, :2]


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional:DeprecationWarning")
@pytest.mark.parametrize("f, count", [(turned, 48), (crossed_along_other_axes, 18), (crossed_in_the_plane, None), (solved, 24),
                                      (transformed, 48)], ids=lambda x: getattr(x, "__name__", ""))
def test_each_vector_and_each_matrix_by_itself(f, count) -> None:
    """Cross products, functions of stacked matrices and transforms along an axis mix what stands there alone."""
    x = RNG.normal(size=(3 if f is crossed_along_other_axes else 4, 3))
    pattern, dense = sg.sparsity(f, x).toarray(), sg.jacobian(f)(x)
    dense = dense.reshape(pattern.shape)
    assert not (dense[~pattern] != 0.0).any() and (count is None or pattern.sum() == count)
    assert np.allclose(sg.jacobian(f, sparse=True)(x).toarray(), dense, rtol=1e-10, atol=1e-12)


def in_place(x):
    x *= 2.0
    x[1:] += x[:-1] ** 2
    return x


def test_matrices_may_be_changed() -> None:
    """What a caller does to a matrix, or the function to its argument, is not seen by the next one."""
    made, x = sg.jacobian(in_place, sparse=True), np.arange(1.0, 5.0)
    expected = sg.jacobian(in_place)(x)
    for _ in range(3):
        found = made(x)
        assert np.array_equal(found.toarray(), expected)
        found.data[:] = 0.0
        found.eliminate_zeros()
        found.indptr[:] = 0


def test_infinite_entries_are_compared_like_others() -> None:
    made = sg.jacobian(lambda x: np.sqrt(x) * x[::-1], sparse=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        assert np.isinf(made(np.array([0.0, 4.0, 1.0, 2.0])).toarray()[0, 0])
    given = sg.jacobian(lambda x: np.sqrt(x) * x[::-1], sparse=True, sparsity=np.eye(4))
    with pytest.raises(sg.errors.InputError, match="leaves out derivatives"):
        given(np.array([1.0, 4.0, 1.0, 2.0]))


def test_a_zero_derivative_belongs_to_the_pattern() -> None:
    made = sg.jacobian(lambda x: x[::-1] ** 2 + np.where(x > 0.0, x, 0.0), sparse=True)
    for x in (np.zeros(4), np.array([1.0, -2.0, 3.0, 0.5])):
        np.testing.assert_allclose(made(x).toarray(), sg.jacobian(lambda x: x[::-1] ** 2 + np.where(x > 0.0, x, 0.0))(x))


def branches(x):
    return x * x[::-1] if x[0] > 0.0 else x ** 2


def chosen(x):
    order = np.argsort(x)
    return x[order][:2] * x[2]


@pytest.mark.parametrize("f", [branches, chosen])
def test_other_branches_have_other_patterns(f) -> None:
    made = sg.jacobian(f, sparse=True)
    for x in ([1.0, 2.0, 3.0, 4.0], [-1.0, -2.0, -3.0, 4.0], [4.0, 3.0, 2.5, 1.0], [1.0, 2.0, 3.0, 4.0]):
        np.testing.assert_allclose(made(np.array(x)).toarray(), sg.jacobian(f)(np.array(x)))


def test_rows_are_coloured_where_they_are_fewer() -> None:
    x = RNG.normal(size=50)
    found = sg.jacobian(lambda x: np.array([np.sum(x ** 2), x[0] * x[1]]), sparse=True)(x)
    assert found.plan.mode == "reverse" and found.plan.colours == 2 and "2 x 50, 52 nonzeros" in str(found.plan)
    np.testing.assert_allclose(found.toarray()[0], 2.0 * x)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_modes(mode) -> None:
    u = RNG.normal(size=25)
    found = sg.jacobian(bratu, mode=mode, sparse=True)(u, 5)
    assert found.plan.mode == mode
    np.testing.assert_allclose(found.toarray(), sg.jacobian(bratu)(u, 5), atol=1e-12)


def test_a_pattern_that_is_given() -> None:
    u = RNG.normal(size=25)
    pattern = sg.sparsity(bratu, u, 5)
    np.testing.assert_allclose(sg.jacobian(bratu, sparsity=pattern)(u, 5).toarray(), sg.jacobian(bratu)(u, 5), atol=1e-12)
    with pytest.raises(InputError, match="the sparsity that is given leaves out derivatives"):
        sg.jacobian(bratu, sparsity=np.eye(25))(u, 5)
    with pytest.raises(InputError, match="has 24 columns, and the inputs 25 numbers"):
        sg.jacobian(bratu, sparsity=np.ones((25, 24)))(u, 5)


def test_single_precision_and_aux() -> None:
    u = RNG.normal(size=25).astype(np.float32)
    found, aux = sg.jacobian(lambda u: (u[1:] * u[:-1], "aux"), sparse=True, has_aux=True)(u)
    assert found.dtype == np.float32 and aux == "aux"
    np.testing.assert_allclose(found.toarray(), sg.jacobian(lambda u: u[1:] * u[:-1])(u), rtol=1e-5)


def test_empty_and_constant() -> None:
    assert sg.jacobian(lambda x: x * 2.0, sparse=True)(np.zeros(0)).shape == (0, 0)
    assert sg.jacobian(lambda x: np.zeros(3) + 0.0 * np.sum(x), sparse=True)(np.ones(2)).shape == (3, 2)


@pytest.mark.parametrize("seed", range(20))
def test_colours_are_those_of_a_proper_colouring(seed) -> None:
    """Beside the groups that SciPy makes of the same pattern."""
    rng = np.random.default_rng(seed)
    pattern = scipy.sparse.random(30, 40, 0.06, random_state=rng, format="csr") + scipy.sparse.eye(30, 40)
    pattern = pattern.tocsr()
    rows = np.repeat(np.arange(30), np.diff(pattern.indptr))
    found = colour(rows, pattern.indices, pattern.shape)
    for i in range(30):
        inside = found[pattern.indices[pattern.indptr[i]:pattern.indptr[i + 1]]]
        assert len(set(inside)) == len(inside)
    assert found.max() <= max(group_columns(pattern, order=range(40))) + 1
    assert Pattern(pattern.indptr, pattern.indices, 40).count <= found.max() + 1


def without_mean(x):
    g = np.outer(x[:3], np.ones(6))
    return g - np.mean(g, axis=1, keepdims=True)


@pytest.mark.parametrize("f", [
    without_mean, lambda x: 1000.0 * without_mean(x), lambda x: x - np.mean(x[[0, 0, 0]]) - (x - x[0]),
    lambda x: np.array([np.sum(np.exp(x) / np.sum(np.exp(x)))]), lambda x: np.mean(x[[1, 1, 1, 1, 1, 1, 1]] / 3.0) * 3.0 - x[1:2],
    lambda x: np.concatenate([without_mean(x).ravel(), 1e-12 * x])], ids=range(6))
@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_cancels_leaves_its_rounding(f, mode, dtype) -> None:
    x = RNG.normal(size=6).astype(dtype)
    found = sg.jacobian(f, mode=mode, sparse=True)(x).toarray()
    np.testing.assert_allclose(found, sg.jacobian(f)(x).reshape(-1, 6), atol=1e-3 if dtype == "float32" else 1e-11)


def test_small_derivatives_that_are_missing_are_seen_beside_what_cancels() -> None:
    def f(x):
        return np.concatenate([without_mean(x).ravel(), 1e-12 * x])

    pattern = np.zeros((24, 6))
    pattern[:18] = sg.sparsity(f, np.ones(6)).toarray()[:18]
    with pytest.raises(InputError, match="leaves out derivatives"):
        sg.jacobian(f, sparsity=pattern)(RNG.normal(size=6))
