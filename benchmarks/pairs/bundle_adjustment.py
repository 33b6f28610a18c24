"""Reprojection error of points seen by cameras: Rodrigues rotation, radial distortion, focal length."""
import numpy as np


def primal(cameras, points, camera_of, point_of, seen):
    cam = cameras[camera_of]
    X = points[point_of]
    w = cam[:, :3]
    theta = np.sqrt(np.sum(w ** 2, axis=1, keepdims=True))
    axis = w / theta
    cos, sin = np.cos(theta), np.sin(theta)
    dot = np.sum(axis * X, axis=1, keepdims=True)
    P = cos * X + sin * np.cross(axis, X) + (1.0 - cos) * dot * axis + cam[:, 3:6]
    p = -P[:, :2] / P[:, 2:3]
    r2 = np.sum(p ** 2, axis=1)
    scale = cam[:, 6] * (1.0 + r2 * (cam[:, 7] + r2 * cam[:, 8]))
    return np.sum((scale[:, None] * p - seen) ** 2)


def adjoint(cameras, points, camera_of, point_of, seen):
    """Gradient with respect to (cameras, points)."""
    cam = cameras[camera_of]
    X = points[point_of]
    w = cam[:, :3]
    theta = np.sqrt(np.einsum("ij,ij->i", w, w))[:, None]
    axis = w / theta
    cos, sin = np.cos(theta), np.sin(theta)
    dot = np.einsum("ij,ij->i", axis, X)[:, None]
    cross = np.cross(axis, X)
    rest = 1.0 - cos
    P = cos * X + sin * cross + rest * dot * axis + cam[:, 3:6]
    p = -P[:, :2] / P[:, 2:3]
    r2 = np.einsum("ij,ij->i", p, p)
    focal, k1, k2 = cam[:, 6], cam[:, 7], cam[:, 8]
    inner = k1 + r2 * k2
    distortion = 1.0 + r2 * inner
    scale = focal * distortion
    err = scale[:, None] * p - seen
    value = np.vdot(err, err)

    err *= 2.0
    cam_bar = np.empty_like(cam)
    scale_bar = np.einsum("ij,ij->i", err, p)
    cam_bar[:, 6] = scale_bar * distortion
    distortion_bar = scale_bar * focal
    inner_bar = distortion_bar * r2
    cam_bar[:, 7] = inner_bar
    cam_bar[:, 8] = inner_bar * r2
    r2_bar = distortion_bar * inner + inner_bar * k2
    p_bar = scale[:, None] * err
    p_bar += (2.0 * r2_bar)[:, None] * p
    # p = -P[:2] / P[2]
    P_bar = np.empty_like(X)
    over = p_bar / P[:, 2:3]
    P_bar[:, :2] = -over
    P_bar[:, 2] = -np.einsum("ij,ij->i", over, p)
    cam_bar[:, 3:6] = P_bar
    # P = cos * X + sin * cross + (1 - cos) * dot * axis
    along = np.einsum("ij,ij->i", P_bar, axis)[:, None]
    dot_bar = rest * along
    theta_bar = (cos * np.einsum("ij,ij->i", P_bar, cross)[:, None]
                 - sin * (np.einsum("ij,ij->i", P_bar, X)[:, None] - dot * along))
    cross_bar = sin * P_bar
    X_bar = cos * P_bar + np.cross(cross_bar, axis) + dot_bar * axis
    axis_bar = np.cross(X, cross_bar) + (rest * dot) * P_bar + dot_bar * X
    # axis = w / theta;  theta = |w|
    theta_bar -= np.einsum("ij,ij->i", axis_bar, axis)[:, None] / theta
    cam_bar[:, :3] = axis_bar / theta + theta_bar * axis
    cameras_bar = np.zeros_like(cameras)
    np.add.at(cameras_bar, camera_of, cam_bar)
    points_bar = np.zeros_like(points)
    np.add.at(points_bar, point_of, X_bar)
    return value, (cameras_bar, points_bar)


INPUTS = ("cameras", "points")


def make(size, rng):
    n_cameras, n_points, n = {"tiny": (2, 4, 6), "full": (10, 400, 2000)}[size]
    cameras = np.concatenate([0.3 * rng.standard_normal((n_cameras, 6)), np.full((n_cameras, 1), 1.2),
                              0.01 * rng.standard_normal((n_cameras, 2))], axis=1)
    points = rng.standard_normal((n_points, 3)) - [0.0, 0.0, 8.0]
    return (cameras, points, rng.integers(n_cameras, size=n), rng.integers(n_points, size=n), rng.standard_normal((n, 2)))
