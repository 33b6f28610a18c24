"""Paths, lattices and distributions that fill tables step by step; the random numbers are arguments."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def geometric_paths(S0, mu, sigma, dt, Z):
    """S[t+1] = S[t] * exp(...), then the pay-off of an Asian option."""
    steps, paths = Z.shape
    S = np.zeros((steps + 1, paths))
    S[0] = S0
    for t in range(steps):
        S[t + 1] = S[t] * np.exp((mu - 0.5 * sigma ** 2) * dt + sigma * np.sqrt(dt) * Z[t])
    payoff = np.maximum(S[1:].mean(axis=0) - S0, 0)
    return np.exp(-mu * steps * dt) * payoff.mean()


case(geometric_paths, lambda rng: (1.1, 0.05, 0.3, 0.25, rng.standard_normal((4, 5))), ("S0", "mu", "sigma"), order=3)


def heston(S, v, kappa, theta, xi, rho, dt, Z1, Z2):
    """Full truncation: the variance is clipped in place before its root is taken."""
    for t in range(Z1.shape[0]):
        vp = np.maximum(v, 0.0)
        W2 = rho * Z1[t] + np.sqrt(1 - rho ** 2) * Z2[t]
        S *= np.exp(-0.5 * vp * dt + np.sqrt(vp * dt) * Z1[t])
        v += kappa * (theta - vp) * dt + xi * np.sqrt(vp * dt) * W2


case(heston, lambda rng: (np.ones(3), np.full(3, 0.2), 1.5, 0.3, 0.3, -0.6, 0.1, *rng.standard_normal((2, 3, 3))),
     ("S", "v", "kappa", "theta", "xi", "rho"), ("S", "v"))


def binomial_american_put(S, K, r, sigma, T, n):
    """Backward through the lattice in one vector whose used part shrinks."""
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1.0 / u
    p = (np.exp(r * dt) - d) / (u - d)
    j = np.arange(n + 1)
    values = np.maximum(K - S * u ** j * d ** (n - j), 0.0)
    for i in range(n - 1, -1, -1):
        values[:i + 1] = np.exp(-r * dt) * (p * values[1:i + 2] + (1 - p) * values[:i + 1])
        spot = S * u ** j[:i + 1] * d ** (i - j[:i + 1])
        exercise = K - spot
        early = exercise > values[:i + 1]
        values[:i + 1][early] = exercise[early]
    return values[0]


case(binomial_american_put, lambda rng: (1.0, 1.07, 0.06, 0.35, 1.0, 5), ("S", "K", "r", "sigma"))


def libor_market(L, lam, delta, Z):
    """Forward rates move together; the inner loop reads rates that have already moved."""
    n = L.shape[0]
    for k in range(Z.shape[0]):
        v = 0.0
        for i in range(k + 1, n):
            con = delta * lam[i - k - 1]
            v += con * L[i] / (1.0 + delta * L[i])
            L[i] *= np.exp(con * Z[k] + lam[i - k - 1] * (v - 0.5 * con))
    b = 1.0
    s = 0.0
    for i in range(Z.shape[0], n):
        b /= 1.0 + delta * L[i]
        s += b
    return s * 100


case(libor_market, lambda rng: (rng.uniform(0.04, 0.06, 5), rng.uniform(0.1, 0.3, 5), 0.25, rng.standard_normal(3)),
     ("L", "lam"))


def ising_relaxation(spins, J, h, beta, sweeps):
    """Mean-field sweeps over a periodic lattice: every site is replaced by its expectation."""
    n, m = spins.shape
    for _ in range(sweeps):
        for i in range(n):
            for j in range(m):
                field = (spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % m] + spins[i, j - 1])
                spins[i, j] = np.tanh(beta * (J * field + h[i, j]))


case(ising_relaxation, lambda rng: (rng.uniform(-1, 1, (3, 3)), 0.7, rng.standard_normal((3, 3)), 0.4, 2),
     ("spins", "J", "h", "beta"), ("spins",))


def belief_propagation(messages, phi, psi, sweeps):
    """Messages along a ring, normalised where they stand."""
    n = messages.shape[0]
    for _ in range(sweeps):
        for i in range(n):
            m = psi.T @ (phi[i] * messages[i - 1])
            messages[i] = m / m.sum()
    return messages


case(belief_propagation, lambda rng: (rng.uniform(0.5, 1, (3, 2)), rng.uniform(0.5, 1, (3, 2)),
                                      rng.uniform(0.5, 1, (2, 2)), 2), ("messages", "phi", "psi"))


def sinkhorn(K, a, b, iterations):
    """Rows and columns are scaled in turn, in place."""
    for _ in range(iterations):
        K *= (a / K.sum(axis=1))[:, None]
        K *= b / K.sum(axis=0)


case(sinkhorn, lambda rng: (rng.uniform(0.5, 1.5, (3, 2)), rng.uniform(0.5, 1, 3), rng.uniform(0.5, 1, 2), 2),
     ("K", "a", "b"), ("K",))


def systematic_weights(logw, x, y, sigma):
    """A particle filter without resampling: log weights are updated and shifted by their maximum."""
    total = 0.0
    for t in range(y.size):
        x += 0.1 * np.sin(x)
        logw -= 0.5 * ((y[t] - x) / sigma) ** 2
        top = logw.max()
        logw -= top
        w = np.exp(logw)
        total += top + np.log(w.sum())
        logw -= np.log(w.sum())
    return total


case(systematic_weights, lambda rng: (np.zeros(4), rng.standard_normal(4), rng.standard_normal(3), 0.8),
     ("logw", "x", "y", "sigma"))
