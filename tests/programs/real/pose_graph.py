"""A pose graph in SE(2): poses as an ndarray-like class with operators, edges, one Gauss-Newton step, chi squared."""
import math
from functools import reduce

import numpy as np

from tests.programs.real.record import Real


def neg_pi_to_pi(angle):
    """Normalise an angle to [-pi, pi)."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


class PoseSE2:
    def __init__(self, position, orientation):
        self.position = np.asarray(position)
        self.orientation = neg_pi_to_pi(orientation)

    @classmethod
    def identity(cls):
        return cls(np.zeros(2), 0.0)

    @classmethod
    def from_array(cls, a):
        return cls(a[:2], a[2])

    def to_array(self):
        return np.array([self.position[0], self.position[1], self.orientation])

    @property
    def R(self):
        c, s = math.cos(self.orientation), math.sin(self.orientation)
        return np.array([[c, -s], [s, c]])

    @property
    def inverse(self):
        return PoseSE2(-self.R.T @ self.position, -self.orientation)

    def __add__(self, other):
        """Composition, or the pose of a point."""
        if isinstance(other, PoseSE2):
            return PoseSE2(self.position + self.R @ other.position, self.orientation + other.orientation)
        if isinstance(other, (np.ndarray, list)) and len(other) == 3:
            return self + PoseSE2.from_array(other)
        raise NotImplementedError(type(other))

    def __sub__(self, other):
        return PoseSE2(other.R.T @ (self.position - other.position), self.orientation - other.orientation)

    def __getitem__(self, index):
        return self.to_array()[index]

    def __setitem__(self, index, value):
        if index == 2:
            self.orientation = value
        else:
            position = self.position.copy()
            position[index] = value
            self.position = position

    def __neg__(self):
        return self.inverse

    def copy(self):
        return PoseSE2(self.position, self.orientation)


class Vertex:
    def __init__(self, vertex_id, pose, fixed=False):
        self.id = vertex_id
        self.pose = pose
        self.fixed = fixed
        self.index = None


class EdgeOdometry:
    EPSILON = 1e-6

    def __init__(self, vertex_ids, information, estimate, vertices=None):
        self.vertex_ids = vertex_ids
        self.information = information
        self.estimate = estimate
        self.vertices = vertices

    def calc_error(self):
        first, second = (v.pose for v in self.vertices)
        return (self.estimate - (second - first)).to_array()

    def calc_chi2(self):
        err = self.calc_error()
        return np.dot(np.dot(err, self.information), err)

    def jacobians(self):
        """Exact derivatives of the error by both poses."""
        p1, p2 = [v.pose for v in self.vertices]
        error_rotation = (p2 - p1).R.T
        dR1 = np.array([[0.0, 1.0], [-1.0, 0.0]])
        relative = p1.R.T @ (p2.position - p1.position)
        first, second = np.zeros((3, 3)), np.zeros((3, 3))
        first[:2, :2] = error_rotation @ p1.R.T
        first[:2, 2] = -error_rotation @ dR1 @ relative
        first[2, 2] = 1.0
        second[:2, :2] = -first[:2, :2]
        second[:2, 2] = dR1 @ self.calc_error()[:2]
        second[2, 2] = -1.0
        return [first, second]


class Graph:
    def __init__(self, edges, vertices):
        self._vertices = vertices
        self._edges = edges
        self._link_edges()

    def _link_edges(self):
        index_id_dict = {i: v.id for i, v in enumerate(self._vertices)}
        id_index_dict = {v_id: v_index for v_index, v_id in index_id_dict.items()}
        for i, v in enumerate(self._vertices):
            v.index = i
        for e in self._edges:
            e.vertices = [self._vertices[id_index_dict[v_id]] for v_id in e.vertex_ids]

    def calc_chi2(self):
        return sum(e.calc_chi2() for e in self._edges)

    def optimize(self, iterations=1):
        n = len(self._vertices)
        for _ in range(iterations):
            H, b = np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
            for e in self._edges:
                error, omega = e.calc_error(), e.information
                for v, J in zip(e.vertices, e.jacobians()):
                    rows = slice(3 * v.index, 3 * v.index + 3)
                    b[rows] += J.T @ omega @ error
                    for w, other in zip(e.vertices, e.jacobians()):
                        H[rows, 3 * w.index:3 * w.index + 3] += J.T @ omega @ other
            H[:3, :] = 0.0
            H[:3, :3] += np.eye(3)
            b[:3] = 0.0
            dx = np.linalg.solve(H, -b)
            for v, step in zip(self._vertices, np.split(dx, n)):
                if not v.fixed:
                    for k in range(3):
                        v.pose[k] = v.pose[k] + step[k]


def graph_error(poses, measurements, information, iterations=1):
    """Chi squared after Gauss-Newton steps, and how far the loop is from closing."""
    vertices = [Vertex(f"v{i}", PoseSE2.from_array(p), fixed=i == 0) for i, p in enumerate(poses)]
    edges = []
    for (i, j), measurement in measurements:
        edges.append(EdgeOdometry([f"v{i}", f"v{j}"], np.diag(information), PoseSE2(measurement[:2], measurement[2])))
    graph = Graph(edges, vertices)
    before = graph.calc_chi2()
    graph.optimize(iterations)
    loop = reduce(lambda a, b: a + b, (e.estimate for e in edges[:-1]), PoseSE2.identity())
    gap = (loop + (-edges[-1].estimate)).to_array()
    return 0.01 * before + graph.calc_chi2() + 0.1 * gap @ gap + 0.01 * np.linalg.norm(vertices[-1].pose[:2])


POSES = np.array([[0.0, 0.0, 0.1], [1.1, 0.2, 0.7], [1.3, 1.2, 1.6], [0.2, 1.1, -2.8]])
MEASUREMENTS = [((0, 1), np.array([1.0, 0.1, 0.5])), ((1, 2), np.array([0.9, 0.6, 0.9])),
                ((2, 3), np.array([0.1, 1.0, 1.7])), ((0, 3), np.array([0.3, 1.0, 3.0]))]

PROGRAM = Real(graph_error, (POSES, MEASUREMENTS, np.array([2.0, 1.5, 4.0])), inputs=("poses", "information"), step=1e-4, lines=4.2)
