"""Sparse matrices, graphs, index lists and dynamic programming tables."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add

ROWS = np.array([0, 2, 3, 5])
COLUMNS = np.array([0, 2, 1, 0, 2])


def spmv(A_row, A_col, A_val, x):
    """Rows of a CSR matrix; the result is written element by element."""
    y = np.empty(A_row.size - 1, A_val.dtype)
    for i in range(A_row.size - 1):
        cols = A_col[A_row[i]:A_row[i + 1]]
        vals = A_val[A_row[i]:A_row[i + 1]]
        y[i] = vals @ x[cols]
    return y


case(spmv, lambda rng: (ROWS, COLUMNS, rng.standard_normal(5), rng.standard_normal(3)), ("A_val", "x"))


def spmv_elements(indptr, indices, data, x, y):
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]


case(spmv_elements, lambda rng: (ROWS, COLUMNS, rng.standard_normal(5), rng.standard_normal(3), np.zeros(3)),
     ("data", "x"), ("y",))


def coo_transpose_product(row, col, data, x, n):
    """y = A'x by scattered addition with repeated targets."""
    y = np.zeros(n)
    np.add.at(y, col, data * x[row])
    return y


case(coo_transpose_product, lambda rng: (np.array([0, 0, 1, 2, 2]), COLUMNS, rng.standard_normal(5),
                                         rng.standard_normal(3), 3), ("data", "x"))


def sparse_lower_solve(indptr, indices, data, b):
    """Forward substitution with a CSR factor whose diagonal comes last in every row; b is overwritten."""
    for i in range(len(b)):
        for k in range(indptr[i], indptr[i + 1] - 1):
            b[i] -= data[k] * b[indices[k]]
        b[i] /= data[indptr[i + 1] - 1]


case(sparse_lower_solve, lambda rng: (np.array([0, 1, 3, 6]), np.array([0, 0, 1, 0, 1, 2]), rng.uniform(0.5, 1.5, 6),
                                      rng.standard_normal(3)), ("data", "b"), ("b",))


def pagerank(src, dst, weight, r, damping, iterations):
    n = r.shape[0]
    out = np.zeros(n)
    np.add.at(out, src, weight)
    for _ in range(iterations):
        flow = np.zeros(n)
        np.add.at(flow, dst, r[src] * weight / out[src])
        r[:] = (1 - damping) / n + damping * flow
        r /= r.sum()


case(pagerank, lambda rng: (np.array([0, 0, 1, 2, 3, 3]), np.array([1, 2, 2, 0, 0, 2]), rng.uniform(0.5, 1.5, 6),
                            rng.uniform(0.5, 1, 4), 0.85, 3), ("weight", "r", "damping"), ("r",))


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


case(floyd_warshall, lambda rng: (rng.uniform(1, 10, (4, 4)),), ("path",), ("path",))


def floyd_warshall_elements(path, n):
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if path[i, k] + path[k, j] < path[i, j]:
                    path[i, j] = path[i, k] + path[k, j]
    return path


case(floyd_warshall_elements, lambda rng: (rng.uniform(1, 10, (3, 3)), 3), ("path",))


def nussinov(score, N):
    """Folding with weights on the pairs: the table takes the best of four moves."""
    table = np.zeros((N, N))
    for i in range(N - 1, -1, -1):
        for j in range(i + 1, N):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < N:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < N:
                if i < j - 1:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + score[i, j])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, N - 1]


case(nussinov, lambda rng: (rng.uniform(0.5, 1.5, (5, 5)), 5), ("score",))


def dynamic_time_warping(x, y):
    n, m = len(x), len(y)
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]


case(dynamic_time_warping, lambda rng: (rng.standard_normal(4), rng.standard_normal(3)), ("x", "y"))


def forward_algorithm(pi, A, B, obs):
    """Hidden Markov model: scaled forward variables fill a table, log scales another."""
    T = len(obs)
    alpha = np.empty((T, len(pi)))
    scale = np.empty(T)
    alpha[0] = pi * B[:, obs[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, T):
        alpha[t] = (alpha[t - 1] @ A) * B[:, obs[t]]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    return np.sum(np.log(scale))


case(forward_algorithm, lambda rng: (rng.uniform(0.2, 1, 2), rng.uniform(0.2, 1, (2, 2)), rng.uniform(0.2, 1, (2, 3)),
                                     [0, 2, 1, 1]), ("pi", "A", "B"))


def exchange_halo(tiles, left, right, steps):
    """Ghost cells of tiles are copied from their neighbours through tables of indices, between smoothing steps."""
    for _ in range(steps):
        tiles[:, 0] = tiles[left, -2]
        tiles[:, -1] = tiles[right, 1]
        tiles[:, 1:-1] = 0.25 * tiles[:, :-2] + 0.5 * tiles[:, 1:-1] + 0.25 * tiles[:, 2:]
    return tiles


case(exchange_halo, lambda rng: (rng.standard_normal((3, 5)), np.array([2, 0, 1]), np.array([1, 2, 0]), 3), ("tiles",),
     linear=True)
