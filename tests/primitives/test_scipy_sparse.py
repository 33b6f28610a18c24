"""Sparse matrices: made of values that are differentiated, or constants; their adjoints stay sparse."""
from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.primitives.scipy_checks import check

sp = pytest.importorskip("scipy.sparse")
sl = pytest.importorskip("scipy.sparse.linalg")
ROWS, COLUMNS = np.array([0, 1, 1, 2, 0, 1]), np.array([0, 1, 2, 0, 2, 1])            # one place twice
D, V, W = np.array([3.0, 2.0, -3.0, 4.0, 5.0, 0.5]), np.array([0.3, 0.5, -0.7]), np.array([[0.2, 0.7], [1.1, -0.3], [0.4, 0.9]])
A, B = sp.csr_matrix(np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0], [1.0, 0.0, 4.0]])), sp.csc_array(np.diag([1.0, 2.0, 3.0]))
C, N = sp.coo_array(A), np.arange(6.0) - 2.0
pytestmark = pytest.mark.filterwarnings("ignore")


def array(d):
    return sp.csr_array((d, (ROWS, COLUMNS)), shape=(3, 3))


def matrix(d):
    return sp.csr_matrix((d, (ROWS, COLUMNS)), shape=(3, 3))


def squares(x):
    return np.sum(x ** 2 * np.cos(np.arange(x.size)).reshape(x.shape))


PROGRAMS = {
    "products": lambda d, v: squares(array(d) @ v) + squares(v @ array(d)) + squares(array(d) @ np.outer(v, v)),
    "products of an spmatrix": lambda d, v: squares(matrix(d) * v) + squares((matrix(d) * matrix(d)).dot(v))
    + squares((matrix(d) ** 2) @ v),
    "products of two": lambda d, v: squares(array(d) @ array(d).T @ v),
    "with one from outside": lambda d, v: squares((A @ matrix(d)) @ v) + squares((matrix(d) @ A) @ v) + squares((A + matrix(d)) @ v)
    + squares((matrix(d) - A) @ v),
    "constants": lambda x: squares(A @ x) + squares(x @ B) + squares(A.T @ x) + squares(C.dot(x)) + squares(A * x)
    + squares(B.tocsr() @ x),
    "scaled constants": lambda x: squares((x[0] * A) @ V) + squares(B.multiply(x) @ V) + squares((A / x[1]) @ V),
    "by element": lambda d, v: squares((array(d) * array(d) + array(d) - 2.0 * array(d).T) @ v) + array(d).multiply(v).sum() ** 2,
    "scaled": lambda d, v: squares((array(d) * v[0] / v[1]) @ v) + squares((-array(d)).power(2) @ v),
    "sums": lambda d, v: squares(array(d).sum(axis=0) * v) + squares(array(d).sum(axis=1)) + array(d).mean() ** 2
    + array(d).trace() ** 2,
    "parts": lambda d, v: array(d)[1, 2] ** 2 * array(d)[0, 1] + squares(array(d)[1:] @ v) + squares(array(d)[[2, 0], :] @ v)
    + squares(array(d)[:, 1:] @ v[1:]) + squares(matrix(d).getrow(1) @ v),
    "dense": lambda d: squares(array(d).toarray() ** 2) + squares(array(d).diagonal()) + squares(array(d).diagonal(1)),
    "data": lambda d: np.sum(np.exp(sp.csr_array((d, np.array([0, 1, 0, 2, 1, 2]), np.array([0, 2, 4, 6])), shape=(3, 3)).data)),
    "made of columns": lambda d, v: squares(sp.csc_array((d, np.array([0, 1, 0, 2, 1, 2]), np.array([0, 2, 4, 6])), shape=(3,
        3)) @ v),
    "made in no order": lambda d, v: squares(sp.csr_matrix((d, np.array([2, 1, 0, 2, 1, 1]), np.array([0, 2, 4, 6])), shape=(3,
        3)) @ v),
    "made of diagonals": lambda d, v: squares(sp.dia_array((d.reshape(2, 3), [0, 1]), shape=(3, 3)) @ v),
    "made of an array": lambda d, v: squares(sp.csr_array(d.reshape(2, 3) * 0.5) @ v),
    "diags": lambda d, v: squares(sp.diags([d[:2], d[:3], -1.0 * d[3:5]], [-1, 0, 1]) @ v)
    + squares(sp.diags([1.0, -2.0 * d[0], d[1]], [-1, 0, 1], shape=(3, 3)) @ v) + squares(sp.diags(d[:3]) @ v),
    "eye and kron": lambda d: squares(sp.kron(array(d), sp.eye(2)) @ N) + squares((sp.eye_array(3) + array(d)) @ V),
    "joined": lambda d: squares(sp.hstack([array(d), array(d).T]) @ N) + squares(sp.vstack([array(d), array(d) * 2.0]) @ V)
    + squares(sp.bmat([[array(d), array(d)], [array(d * 2.0), array(d)]]) @ N) + squares(sp.block_diag([array(d), array(d)]) @ N),
    "spsolve": lambda d, v: squares(sl.spsolve(array(d), v)) + squares(sl.spsolve(A, v)),
    "spsolve of columns": lambda d, w: squares(sl.spsolve(array(d), w)),
    "splu": lambda d, v: squares(sl.splu(array(d)).solve(v)) + squares(sl.splu(array(d)).solve(v, "T")),
    "factorized": lambda d, v: squares(sl.factorized(array(d).tocsc())(v)),
    "a loop": lambda d, v: squares(relaxed(d, v)),
    "transposed, times arrays": lambda d, v: squares(wide(d).T @ v) + squares(np.append(v, 1.0) @ wide(d).T) + squares(
        wide(d).T @ np.outer(v, v)),
    "transposed, times each other": lambda d, v: squares((wide(d).T @ wide(d)) @ N[:4]) + squares((wide(d) @ wide(d).T) @ v)
    + squares((tall(d) @ tall(d).T) @ N[:4]) + squares((wide(d).T @ tall(d).T @ wide(d).T) @ v),
    "transposed, by element": lambda d, v: squares((wide(d).T * tall(d) + wide(d).T - 2.0 * tall(d)) @ v)
    + squares(wide(d).T.multiply(v).toarray()) + squares(wide(d).T.multiply(N[:4, np.newaxis]).toarray()),
    "transposed, summed": lambda d, v: squares(wide(d).T.sum(axis=0) * v) + squares(wide(d).T.sum(axis=1)) + wide(d).T.mean(),
    "transposed, in parts": lambda d, v: squares(wide(d).T[1:] @ v) + wide(d).T[2, 1] ** 2 + squares(wide(d).T[[3, 0], :] @ v)
    + squares(wide(d).T.diagonal()) + squares(wide(d).T.diagonal(-1)) + wide(d).T.trace() ** 2 + squares(wide(d).T.toarray()),
    "triangles, transposed": lambda d, v: squares(sp.tril(wide(d).T, -1) @ v) + squares(sp.triu(wide(d).T) @ v)
    + squares(sp.tril(wide(d).T, 1).T @ N[:4]),
    "transposed, in rows again": lambda d, v: squares(wide(d).T.tocsr().data) + squares(sp.csr_array(wide(d).T).data * N[:6])
    + squares(wide(d).T.tocsr() @ v) + squares(sp.csr_matrix(tall(d)).data * N[:6]) + squares(wide(d).T.T @ N[:4])
    + squares(wide(d).tocsr().data * N[:6]),
    "transposed, joined": lambda d, v: squares(sp.kron(wide(d).T, sp.eye(2)) @ N) + squares(
        sp.hstack([wide(d).T, tall(d)]) @ N) + squares(sp.block_diag([wide(d).T, wide(d)]) @ np.cos(np.arange(7.0))),
    "transposed, solved": lambda d, v: squares(sl.spsolve(array(d).T, v)) + squares(sl.splu(array(d).T).solve(v, "T"))
    + squares(sl.gmres(array(d).T, v, rtol=1e-12)[0]) + squares(sl.spsolve(columns(d), v)) + squares(sl.splu(columns(d)).solve(v)),
    "of diagonals, times arrays": lambda d, v: squares(bands(d) @ v) + squares(N[:4] @ bands(d)) + squares(bands(d).T @ N[:4])
    + squares(bands(d) @ np.outer(v, v)) + squares(bands(d).T.T @ v) + squares(bands(d).sum(axis=0))
    + squares(bands(d).sum(axis=1)),
    "of diagonals, with others": lambda d, v: squares(bands(d).T @ bands(d) @ v) + squares((bands(d) + bands(d) * v[0]) @ v)
    + squares((bands(d).T * wide(d)) @ N[:4]) + squares((bands(d).T - wide(d)).toarray()) + squares(
        sp.hstack([bands(d), bands(d)]) @ N) + squares(sp.kron(bands(d), sp.eye(2)) @ N),
    "of diagonals, in parts": lambda d, v: squares(sp.tril(bands(d)) @ v) + squares(sp.triu(bands(d), -1).toarray()) + squares(
        bands(d).diagonal(-1)) + squares(bands(d).tocsr()[1:] @ v) + bands(d).tocsr()[2, 1] ** 2 + squares(
        bands(d).multiply(v).toarray()) + squares(bands(d).tocsr().data * N[:5]) + squares(sp.csr_array(bands(d)).data),
    "of short, long and single diagonals": lambda d, v: squares(sp.dia_array((d.reshape(3, 2), [0, 1, -1]), shape=(3, 3)) @ v)
    + squares(sp.dia_array((np.stack([d, d * d]), [2, -2]), shape=(3, 4)) @ N[:4])
    + squares(sp.diags([d[:1], d[1:3], 2.0 * d[3]], [0, -1, 1], shape=(3, 3)) @ v)
    + squares(sp.diags([d], [-1]) @ np.append(N, 1.0)) + squares(sp.diags_array([d[:2], d[:3]], offsets=[1, 0]).T @ v),
    "of diagonals, solved": lambda d, v: squares(sl.spsolve(tridiagonal(d), v)) + squares(sl.splu(tridiagonal(d).T).solve(v))
    + squares(sl.gmres(tridiagonal(d), v, rtol=1e-12)[0]),
}


def bands(d):
    """The first value of the second diagonal is outside"""
    return sp.dia_array((d.reshape(2, 3), [-1, 1]), shape=(4, 3))


def tridiagonal(d):
    return sp.diags([d[:2], 4.0 + d[:3], d[4:]], [-1, 0, 1])


INDEX, ENDS = np.array([0, 2, 1, 1, 2, 3]), np.array([0, 2, 3, 6])


def wide(d):
    return sp.csr_array((d, INDEX, ENDS), shape=(3, 4))


def tall(d):
    """Column by column"""
    return sp.csc_array((d, INDEX, ENDS), shape=(4, 3))


def columns(d):
    return sp.csc_matrix((d, np.array([0, 1, 0, 2, 1, 2]), np.array([0, 2, 4, 6])), shape=(3, 3))


def relaxed(d, v):
    a, x = array(d), v * 0.0
    for _ in range(3):
        x = x + 0.1 * (v - a @ x)
    return x


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    args = {"constants": (V,), "scaled constants": (V,), "spsolve of columns": (D, W)}.get(name)
    function = PROGRAMS[name]
    twice = name in ("products of an spmatrix", "sums", "spsolve", "splu", "constants", "a loop")
    check(function, *(args or (D, V)[:function.__code__.co_argcount]), order=2 if twice else 1)


def test_complex():
    def function(d, v):
        return np.sum(np.abs(sl.spsolve(sp.csr_array((d, (ROWS, COLUMNS)), shape=(3, 3)),
                                        v)) ** 2) + np.sum(np.abs(array(d) @ v) ** 2)

    check(function, D + 0.3j * np.arange(6.0), V - 1j * V[::-1])


def test_complex_transposed():
    def function(d, v):
        return np.sum(np.abs(wide(d).T @ v) ** 2) + np.sum(np.abs(wide(d).conj().T @ (wide(d) @ tall(d)).T @ v) ** 2) + np.sum(
            np.abs((wide(d).T @ tall(d).T) @ np.outer(np.append(v, 1.0), v)) ** 2) + np.sum(
                np.abs(bands(d).conj().T @ (bands(d) @ np.outer(v, v))) ** 2)

    check(function, D + 0.3j * np.arange(6.0), V - 1j * V[::-1])


def poisson(k, size=200):
    """A matrix of the Laplace operator with 5 diagonals, and the solution of a system with it."""
    n = size * size
    a = sp.diags_array([-k[1:], -k[size:], 4.0 * k, -k[1:], -k[size:]], offsets=[-1, -size, 0, 1, size], shape=(n, n))
    return np.sum(a @ (a @ np.ones(n)))


def test_adjoints_are_sparse():
    k = np.linspace(1.0, 2.0, 40_000)
    gradient = sg.grad(poisson)
    gradient(k)
    tracemalloc.start()
    gradient(k)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30e6                                       # (1.6 MB for the values; a dense matrix: 12.8 GB)


@pytest.mark.parametrize("side", [np.float32, np.float64])
@pytest.mark.parametrize("solve", [
    lambda a, b: sl.spsolve(a, b), lambda a, b: sl.spsolve(a.T, np.outer(b, b)), lambda a, b: sl.splu(a.tocsc()).solve(b),
    lambda a, b: sl.factorized(a.tocsc())(b), lambda a, b: sl.cg(a @ a.T, b, rtol=1e-5)[0], lambda a, b: a @ b])
def test_float32(solve, side):
    """Systems of numbers in single precision: as in double precision, to a few digits, and so are the gradients."""
    def function(d, v):
        return squares(solve(array(d), v.astype(side) * np.ones(3, side)))

    values = D.astype(np.float32), V.astype(np.float32)
    try:
        function(*values)
    except TypeError:                                        # SciPy's own factors take only sides of their precision
        return
    for one, other in zip(sg.grad(function, (0, 1))(*values), sg.grad(function, (0, 1))(D, V)):
        assert one.dtype == np.float32 and np.allclose(one, other, 2e-2, 2e-2)


def test_many_diagonals():
    """Long ones are multiplied by themselves, short ones by SciPy: both are the same."""
    rng, n = np.random.default_rng(3), 300
    data, x = rng.normal(size=(3, n)), rng.normal(size=n)
    for offsets, shape in (([0, -299, 7], (n, n)), ([1, -40, 2], (n + 9, n - 5))):
        def function(data, x, offsets=offsets, shape=shape):
            return squares(sp.dia_array((data, offsets), shape=shape) @ x[:shape[1]])

        plain = sg.grad(lambda data, x: squares(sp.csr_array(sp.dia_array((data, offsets), shape=shape)) @ x[:shape[1]]), (0, 1))
        for one, other in zip(sg.grad(function, (0, 1))(data, x), plain(data, x)):
            assert np.allclose(one, other)


def test_wrong_diagonals():
    """What SciPy raises is raised."""
    for function in (lambda d: sp.dia_array((d.reshape(2, 3), [1, 1]), shape=(3, 3)) @ V,
                     lambda d: sp.diags([d[:2], d[:2]], [0, 7]) @ V,
                     lambda d: sp.dia_array((d.reshape(2, 3), [1]), shape=(3, 3)) @ V):
        with pytest.raises(ValueError):
            sg.grad(lambda d, function=function: np.sum(function(d)))(D)


REFUSED = {
    "a matrix": lambda x: sg.grad(lambda a: np.sum(a @ V))(A),
    "its transposed": lambda x: sg.grad(lambda a: np.sum(a.T @ V))(A),
    "a system": lambda x: sg.grad(lambda a: np.sum(sl.spsolve(a, V)))(A),
    "an np.matrix": lambda x: sg.grad(lambda d: np.sum(matrix(d).sum(axis=0)))(D),
    "a row": lambda x: sg.grad(lambda d: array(d)[1].sum())(D),
    "a sparse side": lambda x: sg.grad(lambda d: sl.spsolve(array(d), array(d)).sum())(D),
    "places in another order": lambda x: sg.grad(lambda d: np.sum(sp.coo_array((d, (ROWS, COLUMNS)), shape=(3, 3)).data))(D),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(SourcegradError) as caught:
        REFUSED[name](V)
    assert "test_scipy_sparse.py:" in str(caught.value) and type(caught.value).__name__ == "UnsupportedError"


ASKED = {"a matrix": lambda x: x * (2.0 if isinstance(sp.eye(3) * x, sp.spmatrix) else 3.0),
         "a format": lambda x: x * (2.0 if isinstance(sp.csr_array(np.eye(3) * x), sp.csr_array) else 3.0)}


@pytest.mark.parametrize("name", ASKED)
def test_which_class_is_refused(name):
    with pytest.raises(sg.UnsupportedError, match="isinstance of an object") as caught:
        sg.grad(ASKED[name])(1.3)
    assert "test_scipy_sparse.py:" in str(caught.value)


def test_that_it_is_no_other_class():
    assert sg.grad(lambda x: x * (2.0 if isinstance(sp.eye(3) * x, (np.ndarray, list)) else 3.0))(1.3) == 3.0
    assert sg.grad(lambda x: x * (2.0 if sp.issparse(sp.eye(3) * x) else 3.0))(1.3) == 2.0
