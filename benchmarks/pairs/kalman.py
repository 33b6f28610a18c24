"""Negative log likelihood of a linear Gaussian state space model by the Kalman filter, on small matrices."""
import math

import numpy as np


def primal(A, H, log_q, log_r, y):
    Q = np.diag(np.exp(log_q))
    R = np.diag(np.exp(log_r))
    m = np.zeros(A.shape[0])
    P = np.eye(A.shape[0])
    loss = 0.0
    for t in range(y.shape[0]):
        m = A @ m
        P = A @ P @ A.T + Q
        v = y[t] - H @ m
        HP = H @ P
        S = HP @ H.T + R
        S_inv = np.linalg.inv(S)
        loss += 0.5 * (v @ S_inv @ v + np.log(np.linalg.det(S)))
        K = HP.T @ S_inv
        m = m + K @ v
        P = P - K @ HP
    return loss + 0.5 * y.shape[0] * y.shape[1] * math.log(2.0 * math.pi)


def adjoint(A, H, log_q, log_r, y):
    """Gradient with respect to (A, H, log_q, log_r); S and P are symmetric, as the reverse sweep supposes."""
    q, r = np.exp(log_q), np.exp(log_r)
    Q, R = np.diag(q), np.diag(r)
    m = np.zeros(A.shape[0])
    P = np.eye(A.shape[0])
    loss = 0.0
    tape = []
    for t in range(y.shape[0]):
        m_before = m
        m = A @ m
        AP = A @ P
        P = AP @ A.T
        P += Q
        m_predicted, P_predicted = m, P
        v = y[t] - H @ m
        HP = H @ P
        S = HP @ H.T
        S += R
        S_inv = np.linalg.inv(S)
        u = S_inv @ v
        loss += 0.5 * (v @ u + math.log(np.linalg.det(S)))
        K = HP.T @ S_inv
        m = m + K @ v
        P = P - K @ HP
        tape.append((m_before, AP, m_predicted, P_predicted, v, HP, S_inv, u, K))
    value = loss + 0.5 * y.shape[0] * y.shape[1] * math.log(2.0 * math.pi)

    A_bar = np.zeros_like(A)
    H_bar = np.zeros_like(H)
    q_bar = np.zeros_like(q)
    r_bar = np.zeros_like(r)
    m_bar = np.zeros(A.shape[0])
    P_bar = np.zeros_like(P)
    for m_before, AP, m_predicted, P_predicted, v, HP, S_inv, u, K in reversed(tape):
        # m = m + K @ v;  P = P - K @ HP
        K_bar = np.outer(m_bar, v)
        K_bar -= P_bar @ HP.T
        v_bar = m_bar @ K + u
        HP_bar = -K.T @ P_bar
        # K = HP.T @ S_inv
        HP_bar += S_inv @ K_bar.T
        # loss += (v @ S_inv @ v + log(det(S))) / 2;  S_inv = inv(S)
        S_bar = 0.5 * S_inv
        S_bar -= S_inv @ (HP @ K_bar) @ S_inv
        S_bar -= 0.5 * np.outer(u, u)
        # S = HP @ H.T + R
        r_bar += np.diag(S_bar)
        HP_bar += S_bar @ H
        H_bar += S_bar.T @ HP
        # HP = H @ P;  v = y[t] - H @ m
        H_bar += HP_bar @ P_predicted
        H_bar -= np.outer(v_bar, m_predicted)
        P_bar = P_bar + H.T @ HP_bar
        m_bar = m_bar - v_bar @ H
        # P = A @ P @ A.T + Q;  m = A @ m
        q_bar += np.diag(P_bar)
        A_bar += (P_bar + P_bar.T) @ AP
        A_bar += np.outer(m_bar, m_before)
        P_bar = A.T @ P_bar @ A
        m_bar = m_bar @ A
    return value, (A_bar, H_bar, q_bar * q, r_bar * r)


INPUTS = ("A", "H", "log_q", "log_r")


def make(size, rng):
    d, k, steps = {"tiny": (2, 1, 3), "full": (4, 2, 200)}[size]
    A = 0.9 * np.eye(d) + 0.1 * rng.standard_normal((d, d))
    A *= 0.9 / np.max(np.abs(np.linalg.eigvals(A)))         # else rounding makes P ever less symmetric
    log_q, log_r = rng.standard_normal(d), rng.standard_normal(k)
    return A, rng.standard_normal((k, d)), log_q, log_r, rng.standard_normal((steps, k))


def jax_primal(jax, A, H, log_q, log_r, y):
    np = jax.numpy
    Q, R = np.diag(np.exp(log_q)), np.diag(np.exp(log_r))

    def step(state, seen):
        m = A @ state[0]
        P = A @ state[1] @ A.T + Q
        v = seen - H @ m
        HP = H @ P
        S = HP @ H.T + R
        S_inv = np.linalg.inv(S)
        K = HP.T @ S_inv
        return (m + K @ v, P - K @ HP), 0.5 * (v @ S_inv @ v + np.log(np.linalg.det(S)))

    losses = jax.lax.scan(step, (np.zeros(A.shape[0]), np.eye(A.shape[0])), y)[1]
    return np.sum(losses) + 0.5 * y.shape[0] * y.shape[1] * math.log(2.0 * math.pi)
