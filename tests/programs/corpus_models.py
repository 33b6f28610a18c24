"""Models and losses as people write them: attention, mixtures, factorizations, schemes, rays, paths, signals."""

import heapq
import math
from functools import reduce

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
RANDOM = np.random.default_rng(11)
V = RANDOM.normal(size=6)
P = np.abs(V) + 0.3
M = RANDOM.normal(size=(4, 4))
X = RANDOM.normal(size=(8, 3))

NOT_DUAL = {                            # what dual numbers do not know
    "conv2d_im2col", "gmm_nll", "householder_qr", "inside_alg", "jacobi_eig", "quantum"}


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": function.__name__ not in NOT_DUAL, **options})


def masked_attention(q, k, v, mask):
    s = q @ k.T / np.sqrt(q.shape[-1])
    s = np.where(mask, s, -np.inf)
    s = s - s.max(axis=-1, keepdims=True)
    w = np.exp(s)
    w = w / w.sum(axis=-1, keepdims=True)
    return np.sum((w @ v) ** 2)


case(masked_attention, M, M[::-1], M.T, np.tril(np.ones((4, 4), bool)), inputs=("q", "k", "v"))


def conv2d_im2col(x, w, stride=1, pad=1):
    xp = np.pad(x, pad)
    H, W = (np.array(xp.shape) - np.array(w.shape)) // stride + 1
    cols = np.empty((H * W, w.size))
    for i in range(H):
        for j in range(W):
            cols[i * W + j] = xp[i * stride : i * stride + w.shape[0], j * stride : j * stride + w.shape[1]].ravel()
    return (cols @ w.ravel()).reshape(H, W).max(axis=0).sum()


case(conv2d_im2col, M, M[:3, :3], inputs=("x", "w"))
case(conv2d_im2col, M, M[:2, :2], inputs=("x", "w"), stride=2, pad=0)


def gmm_nll(params, X, K=2):
    N, D = X.shape
    logits, mus, Ls = params["logits"], params["mu"], params["L"]
    logpi = logits - np.logaddexp.reduce(logits)
    ll = np.empty((N, K))
    for k in range(K):
        L = np.tril(Ls[k], -1) + np.diag(np.exp(np.diag(Ls[k])))
        z = np.linalg.solve(L, (X - mus[k]).T)
        ll[:, k] = logpi[k] - 0.5 * np.sum(z * z, axis=0) - np.sum(np.log(np.diag(L))) - 0.5 * D * np.log(2 * np.pi)
    return -np.logaddexp.reduce(ll, axis=1).mean()


case(gmm_nll, {"logits": np.array([0.1, -0.2]), "mu": RANDOM.normal(size=(2, 3)), "L": RANDOM.normal(size=(2, 3, 3)) * 0.3}, X)


def cox_cumsum(beta, X, times, events):
    order = np.argsort(times)[::-1]
    e = np.exp(X[order] @ beta)
    risk = np.cumsum(e)
    return -sum(np.log(e[i] / risk[i]) for i in range(len(e)) if events[order[i]])


case(cox_cumsum, V[:3], X, np.array([3.0, 1, 4, 1.5, 9, 2, 6, 5]), np.array([1, 0, 1, 1, 0, 1, 1, 1]))


def jacobi_eig(A, sweeps=2):
    A = A.copy()
    n = A.shape[0]
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(A[p, q]) < 1e-12:
                    continue
                th = 0.5 * np.arctan2(2 * A[p, q], A[q, q] - A[p, p])
                c, s = np.cos(th), np.sin(th)
                R = np.eye(n)
                R[p, p] = R[q, q] = c
                R[p, q] = s
                R[q, p] = -s
                A = R.T @ A @ R
    return np.sort(np.diag(A)) @ np.arange(n)


case(jacobi_eig, (M @ M.T)[:3, :3])


def householder_qr(A):
    R = A.astype(float).copy()
    m, n = R.shape
    for k in range(n):
        x = R[k:, k]
        e = np.zeros_like(x)
        e[0] = np.copysign(np.linalg.norm(x), x[0])
        u = x + e
        v = u / np.linalg.norm(u)
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
    return np.abs(np.diag(R[:n])).prod()


case(householder_qr, X)


def lu_pivot_det(A):
    A = np.array(A, dtype=float)
    n = len(A)
    sign = 1
    for k in range(n):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            sign = -sign
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    return sign * np.prod(np.diagonal(A))


case(lu_pivot_det, M)


def romberg(f_param, a=0.0, b=1.0, levels=4):
    f = lambda x: np.exp(f_param * x) / (1 + x)  # noqa: E731 (a lambda with a name is what users write)
    R = [[0.5 * (b - a) * (f(a) + f(b))]]
    for i in range(1, levels):
        h = (b - a) / 2**i
        s = sum(f(a + (2 * k - 1) * h) for k in range(1, 2 ** (i - 1) + 1))
        row = [0.5 * R[i - 1][0] + h * s]
        for m in range(1, i + 1):
            row.append(row[m - 1] + (row[m - 1] - R[i - 1][m - 1]) / (4**m - 1))
        R.append(row)
    return R[-1][-1]


case(romberg, 0.7)


def burgers_fv(u0, n=3, dt=0.05):
    u = np.concatenate(([u0[-1]], u0, [u0[0]]))
    for _ in range(n):
        f = 0.5 * u**2
        a = np.maximum(np.abs(u[:-1]), np.abs(u[1:]))
        flux = 0.5 * (f[:-1] + f[1:]) - 0.5 * a * (u[1:] - u[:-1])
        u[1:-1] -= dt * np.diff(flux)
        u[0], u[-1] = u[-2], u[1]
    return u[1:-1] @ u[1:-1]


case(burgers_fv, V)


def redblack(u, f, n=2):
    u = u.copy()
    ii, jj = np.meshgrid(np.arange(4), np.arange(4), indexing="ij")
    inner = (ii > 0) & (ii < 3) & (jj > 0) & (jj < 3)
    for _ in range(n):
        for color in (0, 1):
            m = inner & ((ii + jj) % 2 == color)
            nb = np.zeros_like(u)
            nb[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
            u[m] = 0.25 * (nb[m] + f[m])
    return np.sum(u**2)


case(redblack, M, M.T, inputs=("u", "f"))


def refract(theta, n1=1.0, n2=1.5, surfaces=((0.0, 10.0), (1.0, -12.0))):
    y, u, n = 0.3, theta, n1
    z = -2.0
    for k, (z0, R) in enumerate(surfaces):
        y = y + (z0 - z) * math.tan(u)
        z = z0
        phi = math.asin(y / R)
        i = u + phi
        n_next = n2 if k % 2 == 0 else n1
        sin_t = n / n_next * math.sin(i)
        if abs(sin_t) >= 1:
            return float("nan")
        u = math.asin(sin_t) - phi
        n = n_next
    return y - u * 5


case(refract, 0.05)


def dijkstra(w, edges=((0, 1), (0, 2), (1, 3), (2, 3), (1, 2))):
    n = 4
    dist = [math.inf] * n
    dist[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for k, (a, b) in enumerate(edges):
            if a == u and d + w[k] < dist[b]:
                dist[b] = d + w[k]
                heapq.heappush(heap, (dist[b], b))
    return dist[3]


case(dijkstra, np.abs(V[:5]) + 0.1)


def inside_alg(logA, n=3):
    beta = {}
    for i in range(n):
        beta[i, i + 1] = logA[i]
    for span in range(2, n + 1):
        for i in range(n - span + 1):
            j = i + span
            beta[i, j] = reduce(np.logaddexp, (beta[i, k] + beta[k, j] for k in range(i + 1, j)))
    return beta[0, n]


case(inside_alg, V[:3])


def quantum(theta):
    X = np.array([[0, 1], [1, 0]], dtype=complex)
    Z = np.diag([1.0, -1.0]).astype(complex)

    def rx(t):
        return np.cos(t / 2) * np.eye(2) - 1j * np.sin(t / 2) * X

    def rz(t):
        return np.diag(np.exp(np.array([-0.5j, 0.5j]) * t))

    psi = np.array([1.0, 0.0], dtype=complex)
    for a, b in theta.reshape(-1, 2):
        psi = rz(b) @ rx(a) @ psi
    return np.vdot(psi, Z @ psi).real + np.abs(psi[1]) ** 2


case(quantum, V[:4])


def haar(x):
    out = []
    a = x
    while a.size > 1:
        d = (a[0::2] - a[1::2]) / np.sqrt(2)
        a = (a[::2] + a[1::2]) / np.sqrt(2)
        out.insert(0, d)
    return np.concatenate([a] + out) ** 3 @ np.arange(x.size)


case(haar, RANDOM.normal(size=8))


def garch(params, r):
    omega, alpha, beta = np.exp(params)
    s2 = np.empty_like(r)
    s2[0] = np.var(r)
    for t in range(1, r.size):
        s2[t] = omega + alpha * r[t - 1] ** 2 + beta * s2[t - 1]
    return 0.5 * np.sum(np.log(2 * np.pi * s2) + r**2 / s2)


case(garch, np.array([-2.0, -1.5, -0.5]), V, inputs=("params", "r"))


def tsne(y, P=None):
    n = len(y)
    sq = np.sum(y**2, 1)
    D = sq[:, None] + sq - 2 * y @ y.T
    num = 1 / (1 + D)
    num[range(n), range(n)] = 0
    Q = np.maximum(num / num.sum(), 1e-12)
    Pm = np.full((n, n), 1 / n**2) if P is None else P
    return np.sum(Pm * np.log(Pm / Q))


case(tsne, X[:4])


def irr(cash):
    r = 0.1
    for _ in range(30):
        t = np.arange(len(cash))
        f = np.sum(cash / (1 + r) ** t)
        df = np.sum(-t * cash / (1 + r) ** (t + 1))
        step = f / df
        r -= step
        if abs(step) < 1e-13:
            break
    return r


case(irr, np.array([-1.0, 0.3, 0.5, 0.6]))


def nested_dict(cfg):
    out = 0.0
    stack = [cfg]
    while stack:
        d = stack.pop()
        for k, v in d.items():
            if isinstance(v, dict):
                stack.append(v)
            else:
                out = out + v**2 * len(k)
    return out


case(nested_dict, {"a": 1.0, "bb": {"c": 2.0, "ddd": {"e": 0.5}}})
