"""Sequential ray tracing through surface objects, and the spot size of a doublet."""
from abc import ABC, abstractmethod

import numpy as np

from tests.programs.real.record import Real


class Material(ABC):
    @abstractmethod
    def index(self, wavelength):
        """Refractive index at a wavelength in micrometres."""


class Air(Material):
    def index(self, wavelength):
        return 1.0


class Cauchy(Material):
    def __init__(self, A, B):
        self.A = A
        self.B = B

    def index(self, wavelength):
        return self.A + self.B / wavelength ** 2


class Rays:
    def __init__(self, P, S, wavelength=0.5876):
        self.P = P
        self.S = S
        self.wavelength = wavelength
        self.opl = np.zeros(P.shape[0])

    def advance(self, t, n):
        self.P = self.P + t[:, None] * self.S
        self.opl = self.opl + n * t


class Surface:
    """A rotationally symmetric conic at a position z on the axis."""

    def __init__(self, z, curvature=0.0, conic=0.0, material=None):
        self.z = z
        self.curvature = curvature
        self.conic = conic
        self.material = material

    def intersect(self, P, S):
        raise NotImplementedError

    def normal(self, P):
        raise NotImplementedError

    def trace(self, rays, before):
        t = self.intersect(rays.P, rays.S)
        n = before.index(rays.wavelength)
        rays.advance(t, n)
        if self.material is None:
            return before
        N = self.normal(rays.P)
        rays.S = refract(rays.S, N, n, self.material.index(rays.wavelength))
        return self.material


class Plane(Surface):
    def intersect(self, P, S):
        return (self.z - P[:, 2]) / S[:, 2]

    def normal(self, P):
        N = np.zeros_like(P)
        N[:, 2] = 1.0
        return N


class Conic(Surface):
    max_iterations = 6

    def sag(self, x, y):
        c, k = self.curvature, self.conic
        rsq = x * x + y * y
        return c * rsq / (1 + np.sqrt(1 - (1 + k) * c * c * rsq))

    def slopes(self, x, y):
        c, k = self.curvature, self.conic
        phi = np.sqrt(1 - (1 + k) * c * c * (x * x + y * y))
        return c * x / phi, c * y / phi

    def intersect(self, P, S):
        """Newton's method from the vertex plane."""
        t = (self.z - P[:, 2]) / S[:, 2]
        for _ in range(self.max_iterations):
            Q = P + t[:, np.newaxis] * S
            x, y, z = Q[:, 0], Q[:, 1], Q[..., 2]
            F = z - self.z - self.sag(x, y)
            dx, dy = self.slopes(x, y)
            Fp = S[:, 2] - dx * S[:, 0] - dy * S[:, 1]
            t = t - F / Fp
        return t

    def normal(self, P):
        dx, dy = self.slopes(P[:, 0], P[:, 1])
        N = np.stack([-dx, -dy, np.ones_like(dx)], axis=1)
        return N / np.linalg.norm(N, axis=1, keepdims=True)


def refract(S, N, n1, n2):
    mu = n1 / n2
    cosI = np.einsum("ij,ij->i", S, N)
    cosT = np.sqrt(1 - mu ** 2 * (1 - cosI ** 2))
    return mu * S + (cosT - mu * cosI)[:, None] * N


class LensSystem:
    def __init__(self):
        self.surfaces = []
        self.z = 0.0

    def add(self, kind, thickness, **kwargs):
        cls = {"plane": Plane, "conic": Conic}[kind]
        self.surfaces.append(cls(self.z, **kwargs))
        self.z += thickness
        return self

    def trace(self, rays):
        medium = Air()
        for surface in self.surfaces:
            medium = surface.trace(rays, medium)
        return rays


def fan(radius, n, angle=0.0):
    height = np.linspace(-radius, radius, n)
    P = np.stack([0.2 * np.ones(n), height, np.full(n, -1.0)], axis=-1)
    S = np.tile([0.0, np.sin(angle), np.cos(angle)], (n, 1))
    return P, S


def spot_size(curvatures, thickness, conic=0.0, n_rays=5):
    """RMS spot size over three wavelengths and two field angles."""
    crown, flint = Cauchy(1.5046, 0.0042), Cauchy(1.5952, 0.0084)
    system = LensSystem()
    system.add("conic", thickness, curvature=curvatures[0], conic=conic, material=crown)
    system.add("conic", 0.25, curvature=curvatures[1], material=flint)
    system.add("conic", 9.5, curvature=curvatures[2], material=Air())
    system.add("plane", 0.0)

    total = 0.0
    for wavelength in (0.4861, 0.5876, 0.6563):
        for angle in [0.0, 0.03]:
            P, S = fan(1.0, n_rays, angle=angle)
            rays = system.trace(Rays(P, S, wavelength))
            spread = rays.P[:, :2] - rays.P[:, :2].mean(axis=0)
            total += np.sum(spread ** 2) / n_rays + 1e-3 * np.var(rays.opl)
    return 100.0 * total


PROGRAM = Real(spot_size, (np.array([0.16, -0.22, -0.07]), 0.6, -0.3), inputs=("curvatures", "thickness", "conic"))
