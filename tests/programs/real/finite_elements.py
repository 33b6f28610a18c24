"""Finite elements on a triangle mesh: assembly with np.ix_ and with loops, boundary conditions, compliance."""
import numpy as np

from tests.programs.real.record import Real


class Mesh:
    def __init__(self, nodes, elements):
        self.nodes = nodes
        self.elements = elements

    @property
    def n_nodes(self):
        return len(self.nodes)

    @classmethod
    def rectangle(cls, nx, ny, width=1.0, height=1.0):
        x, y = np.meshgrid(np.linspace(0, width, nx + 1), np.linspace(0, height, ny + 1))
        nodes = np.column_stack([x.ravel(), y.ravel()])
        elements = []
        for j in range(ny):
            for i in range(nx):
                n = j * (nx + 1) + i
                elements.append([n, n + 1, n + nx + 2])
                elements.append([n, n + nx + 2, n + nx + 1])
        return cls(nodes, np.array(elements))


class LinearTriangle:
    """Plane stress, three nodes, two displacements each."""

    def __init__(self, coordinates, thickness=1.0):
        self.coordinates = coordinates
        self.thickness = thickness

    def area(self):
        (x1, y1), (x2, y2), (x3, y3) = self.coordinates
        return 0.5 * ((x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1))

    def B(self):
        x, y = self.coordinates.T
        b = np.array([y[1] - y[2], y[2] - y[0], y[0] - y[1]])
        c = np.array([x[2] - x[1], x[0] - x[2], x[1] - x[0]])
        B = np.zeros((3, 6))
        B[0, 0::2] = b
        B[1, 1::2] = c
        B[2, 0::2] = c
        B[2, 1::2] = b
        return B / (2 * self.area())

    def stiffness(self, D):
        B = self.B()
        return self.thickness * self.area() * B.T @ D @ B


def plane_stress(E, nu):
    return E / (1 - nu ** 2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])


class Solver:
    def __init__(self, mesh, D, density, penal=3.0):
        self.mesh = mesh
        self.D = D
        self.density = density
        self.penal = penal
        self.K = None
        self.F = np.zeros(2 * mesh.n_nodes)
        self.fixed = []

    def fix(self, predicate, components=(0, 1)):
        for n, node in enumerate(self.mesh.nodes):
            if predicate(node):
                self.fixed.extend(2 * n + c for c in components)

    def load(self, node, force):
        self.F[2 * node:2 * node + 2] += force

    def assemble(self):
        ndof = 2 * self.mesh.n_nodes
        self.K = np.zeros((ndof, ndof))
        for e, conn in enumerate(self.mesh.elements):
            dofs = np.array([[2 * n, 2 * n + 1] for n in conn]).ravel()
            ke = LinearTriangle(self.mesh.nodes[conn]).stiffness(self.D)
            self.K[np.ix_(dofs, dofs)] += self.density[e] ** self.penal * ke

    def solve(self):
        self.assemble()
        free = np.setdiff1d(np.arange(len(self.F)), self.fixed)
        u = np.zeros_like(self.F)
        u[free] = np.linalg.solve(self.K[np.ix_(free, free)], self.F[free])
        return u


def compliance(density, E, nu, nodes=None):
    """Work of the loads on a cantilever, plus a volume penalty."""
    mesh = Mesh.rectangle(2, 1, width=2.0)
    if nodes is not None:
        mesh.nodes = nodes
    solver = Solver(mesh, plane_stress(E, nu), density)
    solver.fix(lambda node: node[0] < 0.1)
    solver.load(mesh.n_nodes - 1, np.array([0.0, -0.1]))
    u = solver.solve()
    return u @ solver.F + 0.1 * np.sum(density)


def heat_in_a_rod(conductivity, source, n_elements=4):
    """The same in one dimension, assembled entry by entry."""
    h = 1.0 / n_elements
    K = np.zeros((n_elements + 1, n_elements + 1))
    f = np.zeros(n_elements + 1)
    for e in range(n_elements):
        k = conductivity[e] / h
        for a in range(2):
            for b in range(2):
                K[e + a, e + b] += k if a == b else -k
            f[e + a] += 0.5 * h * source(e * h + 0.5 * h)
    K[0, :] = 0.0
    K[0, 0] = 1.0
    f[0] = 0.5
    T = np.linalg.solve(K, f)
    return T[-1] ** 2 + T.mean()


PROGRAM = [
    Real(compliance, (np.array([0.9, 0.7, 0.8, 0.6]), 1.0, 0.3), inputs=("density", "E", "nu")),
    Real(compliance, (np.array([0.9, 0.7, 0.8, 0.6]), 1.0, 0.3, Mesh.rectangle(2, 1, 2.0).nodes + 0.01),
         inputs=("density", "nodes")),
    Real(heat_in_a_rod, (np.array([1.0, 1.4, 0.7, 2.0]), np.sin)),
]
