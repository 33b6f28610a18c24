"""Modified Gram-Schmidt: A is overwritten, Q and R are built column by column; loss = sum(Q) + sum(R)."""
import numpy as np


def primal(A):
    n = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    for k in range(n):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(Q) + np.sum(R)


def adjoint(A):
    A = A.copy()
    m, n = A.shape
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    A_tape = []
    for k in range(n):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        A_tape.append(A[:, k + 1:].copy())          # the columns the inner loop overwrites
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    value = np.sum(Q) + np.sum(R)

    A_bar = np.zeros_like(A)
    Q_bar = np.ones_like(Q)
    R_bar = np.ones_like(R)
    for k in range(n - 1, -1, -1):
        q = Q[:, k].copy()
        q_bar = Q_bar[:, k].copy()
        A_before = A_tape[k]
        for j in range(n - 1, k, -1):
            col_bar = A_bar[:, j]
            # A[:, j] -= Q[:, k] * R[k, j]
            r_bar = R_bar[k, j] - np.dot(col_bar, q)
            q_bar -= col_bar * R[k, j]
            # R[k, j] = dot(Q[:, k], A[:, j])
            q_bar += r_bar * A_before[:, j - k - 1]
            col_bar += r_bar * q
        # Q[:, k] = A[:, k] / R[k, k];  R[k, k] = sqrt(dot(A[:, k], A[:, k]))
        Rkk_bar = R_bar[k, k] - np.dot(q_bar, q) / R[k, k]
        A_bar[:, k] += q_bar / R[k, k] + Rkk_bar * q
    return value, (A_bar,)


INPUTS = ("A",)
IN_PLACE = True
jax_primal = None           # unrolled it compiles for minutes


def make(size, rng):
    return rng.standard_normal({"tiny": (5, 3), "full": (70, 60)}[size]),


def primal_in(xp, A):
    columns = [A[:, j] for j in range(A.shape[1])]
    total = 0.0
    for k in range(len(columns)):
        norm = xp.sqrt(xp.dot(columns[k], columns[k]))
        q = columns[k] / norm
        total = total + norm + xp.sum(q)
        for j in range(k + 1, len(columns)):
            r = xp.dot(q, columns[j])
            columns[j] = columns[j] - q * r
            total = total + r
    return total
