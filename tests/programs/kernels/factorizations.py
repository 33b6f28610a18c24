"""Factorisations that overwrite their matrix."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def positive(rng, n):
    """A symmetric positive definite matrix."""
    factor = rng.standard_normal((n, n))
    return factor @ factor.T / n + np.eye(n)


def dominant(rng, n):
    """A matrix that needs no pivoting."""
    return rng.standard_normal((n, n)) + 3 * np.eye(n)


def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


case(cholesky, lambda rng: (positive(rng, 4),), ("A",), ("A",))


def cholesky_elements(A, n):
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = A[i, i] ** 0.5
    return A


case(cholesky_elements, lambda rng: (positive(rng, 3), 3), ("A",), order=3)


def cholesky_right_looking(A):
    """Columns are scaled, then the trailing block is updated through a view."""
    n = len(A)
    for k in range(n):
        A[k, k] = np.sqrt(A[k, k])
        A[k + 1:, k] /= A[k, k]
        trailing = A[k + 1:, k + 1:]
        trailing -= np.outer(A[k + 1:, k], A[k + 1:, k])
    L = np.tril(A)
    return 2 * np.sum(np.log(np.diag(L))) + np.sum(L)


case(cholesky_right_looking, lambda rng: (positive(rng, 4),), ("A",))


def lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


case(lu, lambda rng: (dominant(rng, 4),), ("A",), ("A",))


def ludcmp(A, b):
    n = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return x, y


case(ludcmp, lambda rng: (dominant(rng, 3), rng.standard_normal(3)), ("A", "b"))


def lu_partial_pivoting(A):
    """Rows are exchanged with an index list; the pivots stay the same for small changes."""
    n = A.shape[0]
    perm = np.arange(n)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            perm[[k, p]] = perm[[p, k]]
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
            A[i, k + 1:] -= A[i, k] * A[k, k + 1:]
    return A


case(lu_partial_pivoting, lambda rng: (rng.standard_normal((4, 4)) + 3 * np.eye(4)[[2, 0, 3, 1]],), ("A",))


def gauss_jordan_inverse(A):
    """The inverse in place, without pivoting."""
    n = A.shape[0]
    for k in range(n):
        pivot = 1.0 / A[k, k]
        A[k, :] *= pivot
        A[k, k] = pivot
        for i in range(n):
            if i == k:
                continue
            factor = A[i, k]
            A[i, k] = 0.0
            A[i, :] -= factor * A[k, :]
    return A


case(gauss_jordan_inverse, lambda rng: (dominant(rng, 3),), ("A",))


def ldl(A):
    """A = L D L'; the diagonal goes into an array of its own."""
    n = A.shape[0]
    d = np.zeros(n)
    for j in range(n):
        d[j] = A[j, j]
        for k in range(j):
            d[j] -= A[j, k] ** 2 * d[k]
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k] * d[k]
            A[i, j] /= d[j]
        A[j, j] = 1.0
        A[j, j + 1:] = 0.0
    return d


case(ldl, lambda rng: (positive(rng, 4),), ("A",), ("A", "return"))


def gramschmidt(A, Q, R):
    n = A.shape[1]
    for k in range(n):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]


case(gramschmidt, lambda rng: (rng.standard_normal((4, 3)), np.zeros((4, 3)), np.zeros((3, 3))), ("A",),
     ("A", "Q", "R"))


def classical_gramschmidt(V):
    """The columns are orthonormalised where they stand, through views of them."""
    for j in range(V.shape[1]):
        v = V[:, j]
        for i in range(j):
            v -= (V[:, i] @ v) * V[:, i]
        v /= np.linalg.norm(v)
    return V


case(classical_gramschmidt, lambda rng: (rng.standard_normal((4, 3)),), ("V",))


def householder(A):
    """R in the upper triangle; the reflection is applied to the trailing block."""
    m, n = A.shape
    for k in range(min(m - 1, n)):
        v = A[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        A[k:, k:] -= 2.0 * np.outer(v, v @ A[k:, k:])
    return np.triu(A)


case(householder, lambda rng: (rng.standard_normal((4, 3)),), ("A",))


def givens_triangularise(A):
    """Plane rotations of two rows at a time."""
    m, n = A.shape
    for j in range(n):
        for i in range(m - 1, j, -1):
            r = np.hypot(A[i - 1, j], A[i, j])
            c, s = A[i - 1, j] / r, A[i, j] / r
            upper = A[i - 1, :].copy()
            A[i - 1, :] = c * upper + s * A[i, :]
            A[i, :] = -s * upper + c * A[i, :]


case(givens_triangularise, lambda rng: (rng.standard_normal((3, 3)),), ("A",), ("A",))


def rank_one_update(L, x):
    """The factor of LL' + xx', by rotations; x is used up."""
    n = x.size
    for k in range(n):
        r = np.sqrt(L[k, k] ** 2 + x[k] ** 2)
        c = r / L[k, k]
        s = x[k] / L[k, k]
        L[k, k] = r
        if k < n - 1:
            L[k + 1:, k] = (L[k + 1:, k] + s * x[k + 1:]) / c
            x[k + 1:] = c * x[k + 1:] - s * L[k + 1:, k]


case(rank_one_update, lambda rng: (np.tril(rng.uniform(0.5, 1.5, (4, 4))), rng.standard_normal(4)), ("L", "x"), ("L",))
