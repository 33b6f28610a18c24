"""Colourings of sparse Jacobians and Hessians: proper, beside brute force and known numbers; what is recovered with them."""
import itertools

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.colouring import colour, star

pytest.importorskip("scipy")
import scipy.sparse

from sourcegrad.api.sparse import SymmetricPattern


def is_star(pattern, colours) -> bool:
    """Neighbours differ, and paths of four vertices have three colours."""
    near = [set(np.flatnonzero(row)) - {j} for j, row in enumerate(pattern)]
    edges = [(i, j) for i, others in enumerate(near) for j in others]
    for i, j in edges:
        if colours[i] == colours[j]:
            return False
        for k, m in [(last, after) for last in near[j] - {i} for after in near[last] - {i, j}]:
            if len({colours[i], colours[j], colours[k], colours[m]}) < 3:
                return False
    return True


def symmetric(rng, size, density):
    made = rng.random((size, size)) < density
    return made | made.T | np.eye(size, dtype=bool)


def of_pattern(pattern):
    made = scipy.sparse.csr_matrix(pattern)
    return star(made.indptr, made.indices)


def number(pattern) -> int:
    return int(of_pattern(pattern).max()) + 1


def columns_of(pattern) -> int:
    made = scipy.sparse.csr_matrix(pattern)
    rows = np.repeat(np.arange(made.shape[0]), np.diff(made.indptr))
    found = colour(rows, made.indices, made.shape)
    dense = made.toarray() != 0
    assert all(len(set(found[row])) == row.sum() for row in dense)
    return int(found.max()) + 1


@pytest.mark.parametrize("seed", range(40))
def test_a_star_colouring(seed) -> None:
    rng = np.random.default_rng(seed)
    pattern = symmetric(rng, int(rng.integers(1, 16)), rng.uniform(0.05, 0.5))
    assert is_star(pattern, of_pattern(pattern)) and number(pattern) <= columns_of(pattern)


@pytest.mark.parametrize("seed", range(12))
def test_beside_all_colourings(seed) -> None:
    """No more than one colour above the fewest that any star colouring has."""
    rng = np.random.default_rng(seed)
    pattern = symmetric(rng, 6, 0.3)
    fewest = next(count for count in range(1, 7) if any(
        is_star(pattern, (0, *rest)) for rest in itertools.product(range(count), repeat=5)))
    assert fewest <= number(pattern) <= fewest + 1


def band(size, half):
    return np.abs(np.subtract.outer(np.arange(size), np.arange(size))) <= half


def arrow(size):
    made = np.eye(size, dtype=bool)
    made[0] = made[:, 0] = True
    return made


def grid(size, *offsets):
    """A stencil on a square grid."""
    at = [(x, y) for y in range(size) for x in range(size)]
    return np.array([[(a - c, b - d) in offsets or (c - a, d - b) in offsets or (a, b) == (c, d) for c, d in at] for a, b in at])


def test_known_numbers() -> None:
    assert number(arrow(30)) == 2 and number(np.eye(5, dtype=bool)) == 1 and number(np.ones((7, 7), bool)) == 7
    assert [number(band(40, half)) for half in (1, 2, 4)] == [3, 5, 9]          # of a path: 3, as of its square: 2 half + 1
    assert number(np.kron(np.eye(5), arrow(6)) > 0) == 2                         # a forest of stars
    assert number(grid(6, (1, 0), (0, 1))) == 5


def test_columns_of_stencils_take_the_fewest() -> None:
    assert columns_of(grid(8, (1, 0), (0, 1))) == 5 and columns_of(grid(9, (1, 0), (0, 1))) == 6
    assert columns_of(grid(8, (1, 0), (0, 1), (1, 1), (1, -1))) == 9
    assert [columns_of(band(50, half)) for half in (1, 2, 3)] == [3, 5, 7]
    assert columns_of(np.eye(4, dtype=bool)) == 1 and columns_of(np.ones((3, 8), bool)) == 8


@pytest.mark.parametrize("seed", range(20))
def test_recovery(seed) -> None:
    """A symmetric matrix from its products with the colours, the same bits across the diagonal."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 25))
    pattern = symmetric(rng, size, rng.uniform(0.02, 0.4))
    pattern[0] |= rng.random(size) < 0.7
    made = scipy.sparse.csr_matrix(np.triu(pattern | pattern.T))                 # the other half is known
    plan = SymmetricPattern(made.indptr, made.indices, size)
    matrix = np.where(pattern | pattern.T, rng.normal(size=(size, size)), 0.0)
    matrix = matrix + matrix.T
    products = plan.seeds @ matrix * (1.0 + 1e-15 * rng.normal(size=(plan.count + 1, size)))
    found = plan.matrix(products, lambda vectors: vectors @ matrix)
    assert (found != found.T).nnz == 0
    np.testing.assert_allclose(found.toarray(), matrix, rtol=1e-12)


def coupled(x):
    return np.sum(np.exp(0.1 * x[1:] * x[:-1])) + x[0] * np.sum(x ** 2)


def test_a_hessian_with_a_full_row() -> None:
    x = np.random.default_rng(3).normal(size=60)
    made = sg.hessian(coupled, sparse=True)
    found = made(x)
    assert found.plan.symmetric and found.plan.colours == 4 and found.plan.directions == 5 and found.plan.dense_directions == 60
    assert "60 x 60, 294 nonzeros" in str(found.plan) and "4 colours of columns, a star colouring: 4 directions" in str(found.plan)
    assert (found != found.T).nnz == 0
    for point in (x, 0.1 * x, np.zeros(60)):
        np.testing.assert_allclose(made(point).toarray(), sg.hessian(coupled)(point), atol=1e-10)


def test_half_a_pattern_is_enough() -> None:
    x = np.random.default_rng(4).normal(size=20)
    half = np.tril(sg.hessian(coupled)(x) != 0.0)
    found = sg.hessian(coupled, sparsity=half)(x)
    np.testing.assert_allclose(found.toarray(), sg.hessian(coupled)(x), atol=1e-10)
    assert found.plan.symmetric and sg.hessian(coupled, sparsity=half, mode="reverse")(x).plan.mode == "reverse"
    np.testing.assert_allclose(sg.hessian(coupled, sparsity=half, mode="reverse")(x).toarray(), found.toarray(), atol=1e-10)
    with pytest.raises(sg.InputError, match="leaves out derivatives"):
        sg.hessian(coupled, sparsity=np.eye(20))(x)
    with pytest.raises(sg.InputError, match="has 21 columns"):
        sg.hessian(coupled, sparsity=np.ones((20, 21)))(x)


def test_small_and_mixed_inputs() -> None:
    for size in (0, 1, 2):
        x = np.ones(size)
        np.testing.assert_allclose(sg.hessian(lambda x: np.sum(x ** 3), sparse=True)(x).toarray(), 6.0 * np.eye(size))
    x = np.linspace(0.0, 1.0, 9).astype(np.float32)
    found = sg.hessian(lambda x: x[0] * np.sum(x ** 2), sparse=True)(x)
    assert found.dtype == np.float32 and (found != found.T).nnz == 0
    rows = sg.hessian(lambda a, b: a * np.sum(b ** 2) + b[0] * b[1], ("a", "b"), sparse=True)(2.0, np.ones(5))
    dense = sg.hessian(lambda a, b: a * np.sum(b ** 2) + b[0] * b[1], ("a", "b"))(2.0, np.ones(5))
    for own, others in zip(rows, dense):
        for one, other in zip(own, others):
            np.testing.assert_allclose(one.toarray(), np.reshape(other, one.shape), atol=1e-12)
