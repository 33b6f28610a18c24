"""Bundle adjustment: reprojection residual of a BAL-like problem with a robust loss."""
from typing import NamedTuple

import numpy as np

from tests.programs.real.record import Real


class Observation(NamedTuple):
    camera: int
    point: int
    pixel: tuple


class CameraParameters(NamedTuple):
    rotation: np.ndarray
    translation: np.ndarray
    focal: float
    k1: float
    k2: float


def unpack(vector):
    """Nine numbers of a BAL camera."""
    return CameraParameters(vector[:3], vector[3:6], vector[6], vector[7], vector[8])


def rotate(points, rot_vec):
    """Rodrigues' formula for one rotation vector and one or many points."""
    theta = np.linalg.norm(rot_vec)
    with np.errstate(invalid="ignore", divide="ignore"):
        v = rot_vec / theta
        v = np.nan_to_num(v)
    dot = np.sum(points * v, axis=-1, keepdims=True)
    cos_theta = np.cos(theta)
    sin_theta = np.sin(theta)
    return cos_theta * points + sin_theta * np.cross(v, points) + dot * (1 - cos_theta) * v


class Problem:
    LOSSES = ("linear", "huber", "cauchy", "soft_l1")

    def __init__(self, observations, loss="linear", f_scale=1.0):
        if loss not in self.LOSSES:
            raise ValueError(f"`loss` must be one of {self.LOSSES}, not {loss!r}")
        self.observations = observations
        self.loss = loss
        self.f_scale = f_scale

    @classmethod
    def from_rows(cls, rows, **kwargs):
        return cls([Observation(int(c), int(p), (u, v)) for c, p, u, v in rows], **kwargs)

    def __len__(self):
        return len(self.observations)

    def project(self, point, camera):
        cam = unpack(camera)
        p = rotate(point, cam.rotation) + cam.translation
        p = -p[:2] / p[2]
        n = np.sum(p ** 2)
        r = 1 + cam.k1 * n + cam.k2 * n ** 2
        return cam.focal * r * p

    def residuals(self, cameras, points):
        res = np.empty(2 * len(self))
        for i, obs in enumerate(self.observations):
            uv = self.project(points[obs.point], cameras[obs.camera])
            res[2 * i:2 * i + 2] = uv - np.array(obs.pixel)
        return res

    def rho(self, z):
        if self.loss == "linear":
            return z
        elif self.loss == "huber":
            mask = z <= 1
            out = np.empty_like(z)
            out[mask] = z[mask]
            out[~mask] = 2 * z[~mask] ** 0.5 - 1
            return out
        elif self.loss == "cauchy":
            return np.log1p(z)
        return 2 * ((1 + z) ** 0.5 - 1)

    def cost(self, params, n_cameras, n_points):
        camera_params = params[:n_cameras * 9].reshape((n_cameras, 9))
        points_3d = params[n_cameras * 9:].reshape((n_points, 3))
        z = (self.residuals(camera_params, points_3d) / self.f_scale) ** 2
        return 0.5 * self.f_scale ** 2 * np.sum(self.rho(z))


def total_cost(params, rows, loss="huber"):
    problem = Problem.from_rows(rows, loss=loss, f_scale=0.2)
    return problem.cost(params, n_cameras=2, n_points=3)


CAMERAS = np.array([[0.05, -0.1, 0.02, 0.1, -0.2, -4.0, 1.2, -0.03, 0.004],
                    [-0.04, 0.2, 0.01, -0.6, 0.1, -4.5, 1.1, 0.02, 0.001]])
POINTS = np.array([[0.3, -0.5, 0.2], [-0.7, 0.4, -0.3], [0.1, 0.8, 0.5]])
ROWS = [(0, 0, 0.1, -0.2), (0, 1, -0.25, 0.1), (1, 1, -0.2, 0.3), (1, 2, -0.05, 0.25), (0, 2, 0.04, 0.21)]

PROGRAM = [
    Real(total_cost, (np.concatenate([CAMERAS.ravel(), POINTS.ravel()]), ROWS)),
    Real(Problem.cost, (Problem.from_rows(ROWS, loss="cauchy"), np.concatenate([CAMERAS.ravel(), POINTS.ravel()]), 2, 3),
         inputs="params"),
]
