"""Numerical methods as scientists write them: filters, recursions, solvers, splines, integrals."""

import math
from typing import NamedTuple

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
RANDOM = np.random.default_rng(7)
V = RANDOM.normal(size=6)
P = np.abs(V) + 0.3
M = RANDOM.normal(size=(4, 4))
X = RANDOM.normal(size=(8, 3))

NOT_DUAL = {                            # what dual numbers do not know
    "crank", "implicit_euler_vdp", "kalman_loglik", "kepler", "piecewise_bins", "recursive_fft_power", "soft_dtw", "thomas",
    "try_chol", "ufunc_where"}


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": function.__name__ not in NOT_DUAL, **options})


def multinomial_logistic(coef, X, y, l2_reg_strength=0.1, fit_intercept=True):
    n_classes = 3
    coef = coef.reshape((n_classes, -1))
    if fit_intercept:
        weights, intercept = coef[:, :-1], coef[:, -1]
    else:
        weights, intercept = coef, 0.0
    raw = X @ weights.T + intercept
    tmp = raw - raw.max(axis=1)[:, np.newaxis]
    lse = np.log(np.exp(tmp).sum(axis=1))
    onehot = np.eye(n_classes)[y]
    loss = (lse - (tmp * onehot).sum(axis=1)).mean()
    return loss + 0.5 * l2_reg_strength * (weights * weights).sum()


case(multinomial_logistic, RANDOM.normal(size=12), X, np.array([0, 1, 2, 1, 1, 0, 2, 0]))


def kalman_loglik(params, z):
    q, r = np.exp(params[:2])
    F = np.array([[1.0, 1.0], [0.0, params[2]]])
    H = np.array([[1.0, 0.0]])
    Q = q * np.eye(2)
    R = np.atleast_2d(r)
    x = np.zeros((2, 1))
    P = np.eye(2) * 10.0
    ll = 0.0
    for zk in z:
        x = F @ x
        P = F @ P @ F.T + Q
        y = zk - H @ x
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(2) - K @ H) @ P
        ll += -0.5 * (y.T @ np.linalg.solve(S, y) + np.log(np.linalg.det(2 * np.pi * S)))
    return ll.item()


case(kalman_loglik, np.array([-1.0, 0.2, 0.9]), RANDOM.normal(size=5))


def hmm_forward_scaled(logits, obs, pi):
    A = np.exp(logits - logits.max(1, keepdims=True))
    A /= A.sum(axis=1, keepdims=True)
    B = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    T, N = len(obs), A.shape[0]
    alpha = np.zeros((T, N))
    c = np.zeros(T)
    alpha[0] = pi * B[:, obs[0]]
    c[0] = 1.0 / alpha[0].sum()
    alpha[0] *= c[0]
    for t in range(1, T):
        for j in range(N):
            alpha[t, j] = B[j, obs[t]] * sum(alpha[t - 1, i] * A[i, j] for i in range(N))
        c[t] = 1 / np.sum(alpha[t])
        alpha[t] *= c[t]
    return -np.sum(np.log(c))


case(hmm_forward_scaled, RANDOM.normal(size=(2, 2)), [0, 2, 1, 1, 0], np.array([0.4, 0.6]))


def soft_dtw(x, y, gamma=0.5):
    n, m = len(x), len(y)
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            c = (x[i - 1] - y[j - 1]) ** 2
            z = [-D[i - 1, j] / gamma, -D[i, j - 1] / gamma, -D[i - 1, j - 1] / gamma]
            zm = max(z)
            s = sum(math.exp(v - zm) for v in z)
            D[i, j] = c - gamma * (math.log(s) + zm)
    return D[n, m]


case(soft_dtw, RANDOM.normal(size=4), RANDOM.normal(size=3), inputs=("x", "y"))


def edit_distance_costs(costs, a, b):
    ins, dele, sub = costs
    table = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        table[i][0] = table[i - 1][0] + dele
    for j in range(1, len(b) + 1):
        table[0][j] = table[0][j - 1] + ins
    for i, ca in enumerate(a, start=1):
        for j, cb in enumerate(b, start=1):
            table[i][j] = min(table[i - 1][j] + dele, table[i][j - 1] + ins, table[i - 1][j - 1] + (0 if ca == cb else sub))
    return table[-1][-1]


case(edit_distance_costs, np.array([1.1, 0.9, 1.3]), "kitten", "sitting")


def cg_solve(b, A_diag, tol=1e-10, maxiter=50):
    def matvec(p):
        q = A_diag * p
        q[1:] -= 0.3 * p[:-1]
        q[:-1] -= 0.3 * p[1:]
        return q

    x = np.zeros_like(b)
    r = b - matvec(x)
    p = r.copy()
    rs = r @ r
    for it in range(maxiter):
        Ap = matvec(p)
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r @ r
        if np.sqrt(rs_new) < tol:
            break
        p = r + (rs_new / rs) * p
        rs = rs_new
    return x @ x


case(cg_solve, RANDOM.normal(size=4), np.array([2.0, 2.5, 3.0, 1.8]), inputs=("b", "A_diag"), tol=1e-3)


def implicit_euler_vdp(mu, y0, h=0.1, steps=4):
    y = np.asarray(y0, dtype=float)
    for _ in range(steps):
        z = y.copy()
        for newton in range(8):
            F = np.array([z[0] - y[0] - h * z[1], z[1] - y[1] - h * (mu * (1 - z[0] ** 2) * z[1] - z[0])])
            J = np.array([[1.0, -h], [-h * (-2 * mu * z[0] * z[1] - 1), 1 - h * mu * (1 - z[0] ** 2)]])
            dz = np.linalg.solve(J, -F)
            z = z + dz
            if np.linalg.norm(dz) < 1e-12:
                break
        y = z
    return y


case(implicit_euler_vdp, 1.5, [1.2, -0.3])


def brent_like(p, a=0.0, b=3.0):
    f = lambda x: x**3 - p * x - 1  # noqa: E731 (a lambda with a name is what users write)
    fa, fb = f(a), f(b)
    if fa * fb > 0:
        raise ValueError(f"no sign change on [{a}, {b}]")
    for i in range(30):
        m = (a + b) / 2
        if f(m) * fa <= 0:
            b = m
        else:
            a = m
            fa = f(m)
    x = (a + b) / 2
    for i in range(3):
        x -= f(x) / (3 * x**2 - p)
    return x


case(brent_like, 1.3)


def adaptive_simpson(a, lo=0.0, hi=2.0, eps=1e-4):
    def f(x):
        return math.exp(-a * x) * math.sin(3 * x)

    def rec(l, r, whole, depth):
        m = 0.5 * (l + r)
        left = (m - l) / 6 * (f(l) + 4 * f(0.5 * (l + m)) + f(m))
        right = (r - m) / 6 * (f(m) + 4 * f(0.5 * (m + r)) + f(r))
        if depth <= 0 or abs(left + right - whole) < 15 * eps:
            return left + right + (left + right - whole) / 15
        return rec(l, m, left, depth - 1) + rec(m, r, right, depth - 1)

    return rec(lo, hi, (hi - lo) / 6 * (f(lo) + 4 * f(0.5 * (lo + hi)) + f(hi)), 6)


case(adaptive_simpson, 0.8)


def recursive_fft_power(x):
    def fft(x):
        n = x.shape[0]
        if n == 1:
            return x.astype(complex)
        even, odd = fft(x[::2]), fft(x[1::2])
        t = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + t, even - t])

    return np.sum(np.abs(fft(x))[:3] ** 2 * np.arange(1, 4))


case(recursive_fft_power, RANDOM.normal(size=8))


def csr_quadratic(data, indices, indptr, x):
    n = len(indptr) - 1
    y = np.zeros(n)
    for i in range(n):
        lo, hi = indptr[i], indptr[i + 1]
        y[i] = np.dot(data[lo:hi], x[indices[lo:hi]])
    return y @ y


case(
    csr_quadratic,
    RANDOM.normal(size=5),
    np.array([0, 2, 1, 0, 2]),
    np.array([0, 2, 3, 5]),
    RANDOM.normal(size=3),
    inputs=("data", "x"),
)


def piecewise_bins(x, slopes, edges):
    k = np.digitize(x, edges)
    base = np.concatenate([[0.0], np.cumsum(slopes[1:-1] * np.diff(edges))])
    k0 = np.clip(k - 1, 0, len(edges) - 1)
    out = base[k0] + slopes[k] * (x - edges[k0])
    return out.sum()


case(
    piecewise_bins,
    np.array([-0.5, 0.2, 0.7, 1.4, 3.1]),
    np.array([0.5, 1.0, 2.0, 3.0, 0.1]),
    np.array([0.0, 0.5, 1.0, 2.5]),
    inputs=("x", "slopes"),
)


def searchsorted_spline(x, knots, coefs):
    i = np.searchsorted(knots, x, side="right") - 1
    i = np.minimum(np.maximum(i, 0), len(knots) - 2)
    t = x - knots[i]
    a, b, c, d = coefs[:, i]
    return np.sum(((d * t + c) * t + b) * t + a)


case(
    searchsorted_spline,
    np.array([0.2, 0.9, 1.6]),
    np.array([0.0, 0.5, 1.0, 2.0]),
    RANDOM.normal(size=(4, 3)),
    inputs=("x", "coefs"),
)


def kepler(M, e):
    E = M if e < 0.8 else math.pi
    for _ in range(20):
        f = E - e * math.sin(E) - M
        E_new = E - f / (1 - e * math.cos(E))
        if math.isclose(E_new, E, rel_tol=1e-14):
            E = E_new
            break
        E = E_new
    nu = 2 * math.atan2(math.sqrt(1 + e) * math.sin(E / 2), math.sqrt(1 - e) * math.cos(E / 2))
    r = 1 - e * math.cos(E)
    return r * math.cos(nu), r * math.sin(nu)


case(kepler, 1.1, 0.4, inputs=("M", "e"))


def zero_d_store(x):
    x[...] = x**2
    x[()] += 1.0
    return x * 3


case(zero_d_store, np.array(0.7))


def try_chol(a):
    for jitter in (0.0, 1e-6, 1.0, 10.0):
        try:
            L = np.linalg.cholesky(a @ a.T - 2 * np.eye(4) + jitter * np.eye(4))
            break
        except np.linalg.LinAlgError:
            continue
    else:
        raise RuntimeError("no")
    return np.log(np.diag(L)).sum()


case(try_chol, M)


def xlogx(p):
    out = np.zeros_like(p)
    nz = p > 0
    out[nz] = p[nz] * np.log(p[nz])
    return -out.sum()


case(xlogx, np.array([0.2, 0.5, 0.3]))


def ufunc_where(p):
    l = np.log(p, where=p > 0.1, out=np.zeros_like(p))
    q = np.divide(1.0, p, out=np.zeros(len(p)), where=p != 0)
    return (p * l).sum() + q.sum()


case(ufunc_where, np.array([0.2, 0.05, 0.3]))


def yield_pairs(x):
    def windows(a, n):
        for i in range(len(a) - n + 1):
            yield a[i : i + n]

    return sum(np.prod(w) for w in windows(x, 3)) + max(w.sum() for w in windows(x, 2))


case(yield_pairs, V)


def bezier(ctrl, t=0.3):
    pts = list(ctrl)
    while len(pts) > 1:
        pts = [(1 - t) * a + t * b for a, b in zip(pts[:-1], pts[1:])]
    return np.sum(pts[0] ** 2)


case(bezier, RANDOM.normal(size=(4, 2)))


def bspline_basis(x, knots, degree=2):
    def N(i, k, u):
        if k == 0:
            return 1.0 if knots[i] <= u < knots[i + 1] else 0.0
        d1 = knots[i + k] - knots[i]
        d2 = knots[i + k + 1] - knots[i + 1]
        a = 0.0 if d1 == 0 else (u - knots[i]) / d1 * N(i, k - 1, u)
        b = 0.0 if d2 == 0 else (knots[i + k + 1] - u) / d2 * N(i + 1, k - 1, u)
        return a + b

    return sum((i + 1) * N(i, degree, x) for i in range(len(knots) - degree - 1))


case(bspline_basis, 1.3, np.array([0, 0, 0, 1.0, 2.0, 3.0, 3.0, 3.0]))
case(bspline_basis, 1.3, [0.0, 0.5, 1.0, 1.6, 2.0, 3.0], inputs=("x", "knots"))


def thomas(a, b, c, d):
    n = len(d)
    cp = np.empty(n)
    dp = np.empty(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m if i < n - 1 else 0.0
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


case(thomas, V, P + 4, V[::-1], V**2, inputs=("a", "b", "c", "d"))


def heat_bc(u, alpha, bc="neumann", nt=3):
    u = u.copy()
    for n in range(nt):
        un = u.copy()
        u[1:-1, 1:-1] = un[1:-1, 1:-1] + alpha * (un[2:, 1:-1] + un[:-2, 1:-1] + un[1:-1, 2:] + un[1:-1, :-2] - 4 * un[1:-1, 1:-1])
        if bc == "neumann":
            u[0, :] = u[1, :]
            u[-1, :] = u[-2, :]
            u[:, 0] = u[:, 1]
            u[:, -1] = u[:, -2]
        elif bc == "periodic":
            u[0], u[-1] = u[-2].copy(), u[1].copy()
            u[:, 0] = u[:, -2]
            u[:, -1] = u[:, 1]
        else:
            u[0] = u[-1] = 0
            u[:, [0, -1]] = 0.0
    return (u**2).sum()


for boundary in ("neumann", "periodic", "dirichlet"):
    case(heat_bc, M, 0.1, inputs=("u", "alpha"), bc=boundary)


def dict_params(p, x):
    h = x
    for name in sorted(p):
        if name.startswith("W"):
            h = np.tanh(h @ p[name] + p["b" + name[1:]])
    reg = sum(np.sum(v**2) for k, v in p.items() if k.startswith("W"))
    return (h**2).sum() + 1e-2 * reg


case(dict_params, {"W1": RANDOM.normal(size=(4, 3)), "b1": np.zeros(3), "W2": RANDOM.normal(size=(3, 2)), "b2": np.ones(2)}, M)


class State(NamedTuple):
    pos: np.ndarray
    vel: np.ndarray
    t: float = 0.0


def verlet(s: State, dt=0.1):
    acc = lambda q: -q / np.linalg.norm(q) ** 3  # noqa: E731 (a lambda with a name is what users write)
    for _ in range(3):
        v_half = s.vel + dt / 2 * acc(s.pos)
        new = s.pos + dt * v_half
        s = s._replace(pos=new, vel=v_half + dt / 2 * acc(new), t=s.t + dt)
    return 0.5 * s.vel @ s.vel - 1 / np.sqrt(s.pos @ s.pos)


case(verlet, State(np.array([1.0, 0.2]), np.array([0.1, 0.9])))


def crank(u, kappa, dt=0.1, steps=3):
    """Red-black sweeps of an implicit step, in place, with a moving boundary."""
    u = u.copy()
    n = len(u)
    flux = np.empty(n - 1)
    for _ in range(steps):
        old = u.copy()
        for _ in range(2):
            for start in (1, 2):
                around = u[start - 1:n - 2:2] + u[start + 1:n:2]
                u[start:n - 1:2] = (old[start:n - 1:2] + kappa * dt * around) / (1 + 2 * kappa * dt)
        u[0] = 0.9 * u[1]
        u[-1] += 0.1 * u[-2]
        flux[:] = np.diff(u)
        u[1:-1] -= 0.01 * (flux[1:] * flux[:-1])
    return np.sum(flux ** 2) + u[n // 2]


case(crank, V, 0.7, inputs=("u", "kappa"))


def march(position, speed, drag, limit=1.0, dt=0.05):
    """Shoot until the target line is passed; the last step is interpolated."""
    x, y = position
    vx, vy = speed
    for _ in range(500):
        v = math.hypot(vx, vy)
        ax, ay = -drag * v * vx, -9.81 - drag * v * vy
        x_new, y_new = x + vx * dt, y + vy * dt
        if x_new >= limit:
            part = (limit - x) / (x_new - x)
            return y + part * (y_new - y)
        if y_new < -5.0:
            break
        x, y = x_new, y_new
        vx, vy = vx + ax * dt, vy + ay * dt
    return -5.0 + 0.0 * x


case(march, (0.0, 0.3), np.array([3.1, 2.2]), 0.2, inputs=("speed", "drag"))
case(march, (0.0, 0.3), np.array([0.1, 0.2]), 0.2, inputs=("speed", "drag"))
