"""Particles: forces accumulated in place, deposits on grids."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def nbody_pairs(pos, vel, mass, dt, steps):
    """Pairs of bodies; both partners' accelerations grow in one step."""
    n = len(mass)
    acc = np.zeros_like(pos)
    for _ in range(steps):
        acc[:] = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                d = pos[j] - pos[i]
                r3 = (d @ d + 0.01) ** 1.5
                acc[i] += mass[j] * d / r3
                acc[j] -= mass[i] * d / r3
        vel += dt * acc
        pos += dt * vel


case(nbody_pairs, lambda rng: (rng.standard_normal((3, 2)), 0.1 * rng.standard_normal((3, 2)), rng.uniform(0.5, 1, 3),
                               0.1, 2), ("pos", "vel", "mass"), ("pos", "vel"))


def get_acc(pos, mass, G, softening):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = (dx ** 2 + dy ** 2 + dz ** 2 + softening ** 2)
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


def get_energy(pos, vel, mass, G):
    KE = 0.5 * np.sum(mass * vel ** 2)
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    dx = x.T - x
    dy = y.T - y
    inv_r = np.sqrt(dx ** 2 + dy ** 2)
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    PE = G * np.sum(np.triu(-(mass * mass.T) * inv_r, 1))
    return KE, PE


def nbody(mass, pos, vel, N, Nt, dt, G, softening):
    """Leapfrog with energies stored per step; masks leave out the distance of a body to itself."""
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = get_acc(pos, mass, G, softening)
    KE = np.ndarray(Nt + 1, dtype=np.float64)
    PE = np.ndarray(Nt + 1, dtype=np.float64)
    KE[0], PE[0] = get_energy(pos, vel, mass, G)
    for i in range(Nt):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc[:] = get_acc(pos, mass, G, softening)
        vel += acc * dt / 2.0
        KE[i + 1], PE[i + 1] = get_energy(pos, vel, mass, G)
    return KE, PE


case(nbody, lambda rng: (rng.uniform(0.5, 1, (3, 1)), *rng.standard_normal((2, 3, 3)), 3, 2, 0.05, 1.0, 0.0),
     ("mass", "pos", "vel"))


def lennard_jones(x, v, box, dt, steps):
    """Molecular dynamics with the minimum image convention and a cut-off."""
    n = x.shape[0]
    f = np.empty_like(x)
    energy = 0.0
    for _ in range(steps):
        f.fill(0.0)
        energy = 0.0
        for i in range(n - 1):
            d = x[i + 1:] - x[i]
            d -= box * np.round(d / box)
            r2 = np.sum(d * d, axis=1)
            near = r2 < 4.0
            inv6 = 1.0 / r2[near] ** 3
            energy += np.sum(4 * inv6 * (inv6 - 1))
            pull = (24 * inv6 * (1 - 2 * inv6) / r2[near])[:, None] * d[near]
            f[i] += pull.sum(axis=0)
            f[i + 1:][near] -= pull
        v += dt * f
        x += dt * v
        x %= box
    return energy


case(lennard_jones, lambda rng: (np.array([[0.3, 0.4], [1.6, 0.5], [0.5, 1.7], [2.9, 2.8]]),
                                 0.1 * rng.standard_normal((4, 2)), 4.0, 0.01, 2), ("x", "v"), ("return", "v", "x"))


def spring_network(x, v, edges, rest, k, dt, steps):
    """Forces of springs gathered and scattered by an edge list, with repeated nodes."""
    force = np.zeros_like(x)
    for _ in range(steps):
        force[...] = 0
        d = x[edges[:, 1]] - x[edges[:, 0]]
        length = np.sqrt(np.sum(d ** 2, axis=1))
        tension = (k * (length - rest) / length)[:, np.newaxis] * d
        np.add.at(force, edges[:, 0], tension)
        np.subtract.at(force, edges[:, 1], tension)
        v += dt * force
        x += dt * v


case(spring_network, lambda rng: (rng.standard_normal((4, 2)), np.zeros((4, 2)),
                                  np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]), rng.uniform(0.5, 1, 5), 1.3, 0.1, 2),
     ("x", "v", "rest", "k"), ("x",))


def particle_in_cell(x, v, n, dx, dt, steps):
    """Charge deposited on a periodic grid, field by a cumulative sum, gathered back by the same weights."""
    for _ in range(steps):
        cell = np.floor(x / dx).astype(int)
        w = x / dx - cell
        rho = np.zeros(n)
        np.add.at(rho, cell % n, 1 - w)
        np.add.at(rho, (cell + 1) % n, w)
        rho -= rho.mean()
        E = np.cumsum(rho) * dx
        E -= E.mean()
        v += dt * ((1 - w) * E[cell % n] + w * E[(cell + 1) % n])
        x += dt * v
        x %= n * dx
    return x, v


case(particle_in_cell, lambda rng: (np.array([0.3, 0.9, 1.4, 2.2, 2.7]), 0.1 * rng.standard_normal(5), 4, 0.8, 0.1, 2),
     ("x", "v"))


def sph_density(x, h):
    """Smoothed density with a compactly supported kernel, element by element."""
    n = len(x)
    rho = np.zeros(n)
    for i in range(n):
        for j in range(n):
            q = abs(x[i] - x[j]) / h
            if q >= 2.0:
                continue
            if q < 1.0:
                rho[i] += (2 / 3 - q ** 2 + 0.5 * q ** 3) / h
            else:
                rho[i] += (2 - q) ** 3 / 6 / h
    return rho


case(sph_density, lambda rng: (np.array([0.1, 0.55, 1.0, 1.9]), 0.6), ("x", "h"))
