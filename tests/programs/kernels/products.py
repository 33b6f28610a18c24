"""Matrix products with loops and accumulation in place, in the manner of BLAS."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def gemm(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C


case(gemm, lambda rng: (1.5, 1.2, rng.standard_normal((2, 3)), rng.standard_normal((2, 4)), rng.standard_normal((4, 3))),
     ("alpha", "beta", "C", "A", "B"), ("C",))


def gemm_elements(C, A, B):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


case(gemm_elements, lambda rng: (np.zeros((2, 2)), rng.standard_normal((2, 3)), rng.standard_normal((3, 2))),
     ("A", "B"), ("C",))


def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, :i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, :i + 1] += alpha * A[i, k] * A[:i + 1, k]


case(syrk, lambda rng: (1.5, 1.2, rng.standard_normal((3, 3)), rng.standard_normal((3, 2))),
     ("alpha", "beta", "C", "A"), ("C",))


def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, :i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, :i + 1] += A[:i + 1, k] * alpha * B[i, k] + B[:i + 1, k] * alpha * A[i, k]


case(syr2k, lambda rng: (1.5, 1.2, rng.standard_normal((3, 3)), *rng.standard_normal((2, 3, 2))),
     ("alpha", "beta", "C", "A", "B"), ("C",))


def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1:, i], B[i + 1:, j])
    B *= alpha


case(trmm, lambda rng: (1.5, rng.standard_normal((3, 3)), rng.standard_normal((3, 2))), ("alpha", "A", "B"), ("B",))


def symm(alpha, beta, C, A, B):
    temp2 = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp2[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp2


case(symm, lambda rng: (1.5, 1.2, rng.standard_normal((3, 2)), rng.standard_normal((3, 3)), rng.standard_normal((3, 2))),
     ("alpha", "beta", "C", "A", "B"), ("C",))


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x


case(gemver, lambda rng: (1.5, 1.2, rng.standard_normal((3, 3)), *rng.standard_normal((8, 3))),
     ("A", "u1", "v1", "u2", "v2", "y", "z", "x", "w", "alpha", "beta"), ("A", "x", "w"))


def atax(A, x, y):
    for i in range(A.shape[0]):
        tmp = 0.0
        for j in range(A.shape[1]):
            tmp += A[i, j] * x[j]
        y += A[i] * tmp


case(atax, lambda rng: (rng.standard_normal((2, 3)), rng.standard_normal(3), np.zeros(3)), ("A", "x"), ("y",))


def bicg(A, p, r, s, q):
    for i in range(A.shape[0]):
        q[i] = 0.0
        for j in range(A.shape[1]):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]


case(bicg, lambda rng: (rng.standard_normal((3, 2)), rng.standard_normal(2), rng.standard_normal(3), np.zeros(2),
                        rng.standard_normal(3)), ("A", "p", "r", "q"), ("s", "q"))


def mvt(x1, x2, y_1, y_2, A):
    x1 += A @ y_1
    x2 += y_2 @ A


case(mvt, lambda rng: (*rng.standard_normal((4, 3)), rng.standard_normal((3, 3))), ("x1", "x2", "y_1", "y_2", "A"),
     ("x1", "x2"))


def doitgen(A, C4):
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            tmp = A[r, q, :] @ C4
            A[r, q, :] = tmp


case(doitgen, lambda rng: (rng.standard_normal((2, 2, 3)), rng.standard_normal((3, 3))), ("A", "C4"), ("A",))


def doitgen_elements(A, C4, total):
    nr, nq, n = A.shape
    for r in range(nr):
        for q in range(nq):
            for p in range(n):
                total[p] = 0.0
                for s in range(n):
                    total[p] += A[r, q, s] * C4[s, p]
            for p in range(n):
                A[r, q, p] = total[p]


case(doitgen_elements, lambda rng: (rng.standard_normal((2, 1, 2)), rng.standard_normal((2, 2)), np.zeros(2)),
     ("A", "C4"), ("A",))


def k2mm(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D


case(k2mm, lambda rng: (1.5, 1.2, *(rng.standard_normal(s) for s in ((2, 3), (3, 4), (4, 2), (2, 2)))),
     ("alpha", "beta", "A", "B", "C", "D"), ("D",))


def k3mm(A, B, C, D, E, F, G):
    np.matmul(A, B, out=E)
    np.matmul(C, D, out=F)
    np.matmul(E, F, out=G)


case(k3mm, lambda rng: (*(rng.standard_normal(s) for s in ((2, 3), (3, 2), (2, 3), (3, 2))), np.empty((2, 2)),
                        np.empty((2, 2)), np.empty((2, 2))), ("A", "B", "C", "D"), ("G", "E"))


def blocked_product(A, B, size):
    """Tiles of the result are views that accumulate."""
    n = A.shape[0]
    C = np.zeros((n, n))
    for i in range(0, n, size):
        for j in range(0, n, size):
            tile = C[i:i + size, j:j + size]
            for k in range(0, n, size):
                tile += A[i:i + size, k:k + size] @ B[k:k + size, j:j + size]
    return C


case(blocked_product, lambda rng: (*rng.standard_normal((2, 4, 4)), 2), ("A", "B"))


def matrix_power(A, n):
    """Repeated squaring with `out=` and a scratch matrix that changes places."""
    result = np.eye(A.shape[0])
    scratch = np.empty_like(result)
    base = A.copy()
    while n > 0:
        if n % 2:
            np.matmul(result, base, out=scratch)
            result, scratch = scratch, result
        np.matmul(base, base, out=scratch)
        base, scratch = scratch, base
        n //= 2
    return result


case(matrix_power, lambda rng: (rng.uniform(-1, 1, (2, 2)), 5), ("A",))
