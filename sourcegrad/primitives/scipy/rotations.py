"""Rotations of scipy.spatial.transform in plain Python: unit quaternions (x, y, z, w), as SciPy stores them.

A rotation that is made in the function is an object of `Turn`; one that was made outside is a constant, and becomes one where it
meets those. Formulas: M. D. Shuster (1993), A survey of attitude representations; E. Bernardes and S. Viollet (2022).
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial import transform
from scipy.spatial.transform import Rotation

from sourcegrad.kinds import BOOL, Const, Kind, Num, Obj
from sourcegrad.primitives.core import Sample, available, declare, nondifferentiable, rule
from sourcegrad.primitives.scipy.piecewise import Interpolator, beside
from sourcegrad.runtime import refuse
from sourcegrad.runtime.core import UnsupportedError

LOCKED = "angles of Euler where the first and the third axis are parallel (gimbal lock), as they do not move smoothly there"
OTHER_FORM = "Use as_matrix(), as_quat() or as_rotvec(), which are smooth there."
UNIT = np.eye(4)
SPREAD = Rotation.from_euler("z", [0.0]).as_quat().ndim == 2            # whether one axis makes of a list several rotations


# --- functions of a squared length that are smooth at zero: series there

def series(x: Any, coefficients: Any) -> Any:
    """The polynomial with these coefficients"""
    total = 0.0
    for c in coefficients[::-1]:
        total = total * x + c
    return total


COSINE = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(8))
SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(8))
TANGENT = tuple((-1.0) ** k / (2 * k + 1) for k in range(10))


def cosine_of_root(x: Any) -> Any:
    """cos(sqrt(x))"""
    small = x < 0.05
    return np.where(small, series(np.where(small, x, 0.0), COSINE), np.cos(np.sqrt(np.where(small, 1.0, x))))


def sine_of_root(x: Any) -> Any:
    """sin(sqrt(x)) / sqrt(x)"""
    small = x < 0.05
    root = np.sqrt(np.where(small, 1.0, x))
    return np.where(small, series(np.where(small, x, 0.0), SINE), np.sin(root) / root)


def angle_of_root(x: Any, w: Any) -> Any:
    """atan2(sqrt(x), w) / sqrt(x), for w >= 0"""
    small = x < 0.01 * w * w
    least = np.where(small, w, 1.0)
    root = np.sqrt(np.where(small, 1.0, x))
    return np.where(small, series(np.where(small, x, 0.0) / (least * least), TANGENT) / least, np.arctan2(root, w) / root)


# --- quaternions

def product(p: Any, q: Any) -> Any:
    """p q (W. R. Hamilton)"""
    u, a, v, b = p[..., :3], p[..., 3:], q[..., :3], q[..., 3:]
    vector = a * v + b * u + np.cross(u, v)
    return np.concatenate([vector, a * b - np.sum(u * v, axis=-1, keepdims=True)], axis=-1)


CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])


def conjugate(q: Any) -> Any:
    """(-x, -y, -z, w)"""
    return q * CONJUGATE


def normal(q: Any) -> Any:
    """q / |q|"""
    return q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))


def sign_of(q: Any) -> Any:
    """The sign that makes the last part of a quaternion positive"""
    return np.where(q[..., 3:] < 0.0, -1.0, 1.0)


def canonical_sign(q: Any) -> Any:
    """The sign that makes the last part that is not zero positive, in the order w, x, y, z"""
    order = q[..., [3, 0, 1, 2]]
    first = np.take_along_axis(order, np.argmax(order != 0.0, axis=-1)[..., np.newaxis], axis=-1)
    return np.where(first < 0.0, -1.0, 1.0)


def of_matrix(m: Any) -> Any:
    """The quaternion of the rotation that is nearest to a matrix"""
    return np.asarray(Rotation.from_matrix(m).as_quat())


def matrix_of(q: Any) -> Any:
    """The matrix of a unit quaternion"""
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w),
            2.0 * (x * y + z * w), y * y - x * x - z * z + w * w, 2.0 * (y * z - x * w),
            2.0 * (x * z - y * w), 2.0 * (y * z + x * w), z * z - x * x - y * y + w * w]
    return np.reshape(np.stack(rows, axis=-1), q.shape[:-1] + (3, 3))


def quaternion_kind(m: Kind) -> Kind:
    return Num("float64", None, True)


NEAR_ONE = Rotation.from_rotvec([0.3, -0.5, 0.9]).as_matrix()


@rule(of_matrix, kind=quaternion_kind, samples=[Sample((NEAR_ONE,))])
def of_matrix_rule(ct, out, m):
    """Q = m P^-1 with symmetric P; when m moves by dm, Q moves by Q [w] with (tr(P) - P) w = the vector of Q^T dm - dm^T Q,
    and the quaternion by q w / 2 (N. J. Higham 2008, chapter 8)"""
    axis, w, identity = out[..., np.newaxis, :3], out[..., 3:, np.newaxis], np.eye(3)
    across = np.cross(axis, identity)
    turned = identity + 2.0 * w * across + 2.0 * np.cross(axis, across)
    stretch = turned @ m
    trace = np.trace(stretch, axis1=-2, axis2=-1)[..., np.newaxis, np.newaxis]
    turn = 0.5 * (out[..., 3:] * ct[..., :3] - ct[..., 3:] * out[..., :3] - np.cross(out[..., :3], ct[..., :3]))
    back = np.linalg.solve(trace * identity - np.swapaxes(stretch, -1, -2), turn[..., np.newaxis])
    return -np.swapaxes(turned, -1, -2) @ np.cross(np.swapaxes(back, -1, -2), identity)


# --- angles of Euler

def axes_of(seq: Any) -> Any:
    """The numbers of axes that a text names"""
    return ["xyz".index(name) for name in seq.lower()]


def intrinsic(seq: str) -> bool:
    """Whether axes turn with the body: capital letters"""
    return seq.isupper()


nondifferentiable(axes_of)
nondifferentiable(intrinsic)


def check_lock(angle: Any, symmetric: bool) -> None:
    """Raise where two axes are parallel."""
    second = np.abs(angle) if symmetric else np.abs(angle) + 0.5 * np.pi
    if np.any((np.abs(second) < 1e-7) | (np.abs(second - np.pi) < 1e-7)):
        raise UnsupportedError(LOCKED, remedy=OTHER_FORM)


nondifferentiable(check_lock, effect="checks")


def wrapped(angle: Any) -> Any:
    """The angle between -pi and pi"""
    return np.where(angle > np.pi, angle - 2.0 * np.pi, np.where(angle < -np.pi, angle + 2.0 * np.pi, angle))


def euler_angles(q: Any, seq: str) -> Any:
    """Three angles around the axes of a text, one after the other"""
    first, second, third = axes_of(seq) if not intrinsic(seq) else axes_of(seq)[::-1]
    symmetric = first == third
    if symmetric:
        third = 3 - first - second
    sign = (first - second) * (second - third) * (third - first) // 2
    x, y, z, w = q[..., first], q[..., second], q[..., third] * sign, q[..., 3]
    if symmetric:
        a, b, c, d = w, x, y, z
    else:
        a, b, c, d = w - y, x + z, y + w, z - x
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    one, other = half_sum - half_difference, half_sum + half_difference
    if not symmetric:
        other, middle = sign * other, middle - 0.5 * np.pi
    check_lock(middle, symmetric)
    if intrinsic(seq):
        one, other = other, one
    return np.stack([wrapped(one), wrapped(middle), wrapped(other)], axis=-1)


def about_axis(axis: int, angle: Any) -> Any:
    """The quaternion of a turn around one axis"""
    half = 0.5 * angle[..., np.newaxis]
    return np.sin(half) * UNIT[axis] + np.cos(half) * UNIT[3]


def of_angles(seq: str, angles: Any) -> Any:
    """The quaternion of turns around the axes of a text"""
    axes = axes_of(seq)
    found = about_axis(axes[0], angles[..., 0])
    for k in range(1, len(axes)):
        turn = about_axis(axes[k], angles[..., k])
        found = product(found, turn) if intrinsic(seq) else product(turn, found)
    return found


def in_radians(angle: Any, degrees: bool) -> Any:
    return np.deg2rad(angle) if degrees else angle


def in_degrees(angle: Any, degrees: bool) -> Any:
    return np.rad2deg(angle) if degrees else angle


def no_turn(x: Any, name: str) -> Any:
    """Raise: a method has no derivative."""
    raise UnsupportedError(f"scipy.spatial.transform.Rotation.{name}", remedy=OTHER_METHOD)


OTHER_METHOD = "Use quaternions, rotation vectors, matrices or angles of Euler: from_quat, as_rotvec, apply, inv, products."


@rule(no_turn, effect="checks", kind=lambda x, name: Obj(Turn))
def no_turn_rule(ct, out, x, name):
    """It has no derivative"""
    return refuse("a method of scipy.spatial.transform.Rotation that is not differentiated", OTHER_METHOD)


class Turn(Interpolator):
    """What stands for a Rotation: unit quaternions, the last axis"""

    def __init__(self, quat: Any, normalize: bool = True, copy: bool = True, scalar_first: bool = False) -> None:
        given = np.asarray(quat) + 0.0
        q = np.concatenate([given[..., 1:], given[..., :1]], axis=-1) if scalar_first else given
        self.quat = normal(q) if normalize else q

    @property
    def single(self) -> bool:
        return self.quat.ndim == 1

    def __len__(self) -> int:
        return len(self.quat)

    def __getitem__(self, indexer: Any) -> Any:
        return turned(self.quat[indexer])

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        q = self.quat * canonical_sign(self.quat) if canonical else self.quat + 0.0
        return np.concatenate([q[..., 3:], q[..., :3]], axis=-1) if scalar_first else q

    def as_matrix(self) -> Any:
        return matrix_of(self.quat)

    def as_rotvec(self, degrees: bool = False) -> Any:
        """The axis times the angle, which is at most pi"""
        q = self.quat * sign_of(self.quat)
        vector = q[..., :3]
        square = np.sum(vector * vector, axis=-1, keepdims=True)
        return in_degrees(2.0 * angle_of_root(square, q[..., 3:]) * vector, degrees)

    def as_mrp(self) -> Any:
        """The modified parameters of Rodrigues, tan(angle / 4) times the axis"""
        q = self.quat * sign_of(self.quat)
        return q[..., :3] / (1.0 + q[..., 3:])

    def as_euler(self, seq: str, degrees: bool = False, *, suppress_warnings: bool = False) -> Any:
        return in_degrees(euler_angles(self.quat, seq), degrees)

    def as_davenport(self, axes: Any, order: str, degrees: bool = False, *, suppress_warnings: bool = False) -> Any:
        return no_turn(self.quat, "as_davenport")

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        """The turned vectors"""
        matrix = matrix_of(conjugate(self.quat) if inverse else self.quat)
        return np.einsum("...ij,...j->...i", matrix, np.asarray(vectors) + 0.0)

    def inv(self) -> Any:
        return turned(conjugate(self.quat))

    def magnitude(self) -> Any:
        """The angle"""
        return 2.0 * np.arctan2(np.linalg.norm(self.quat[..., :3], axis=-1), np.abs(self.quat[..., 3]))

    def __mul__(self, other: Any) -> Any:
        return turned(normal(product(self.quat, quaternion_of(other))))

    def __rmul__(self, other: Any) -> Any:
        return turned(normal(product(quaternion_of(other), self.quat)))

    def __pow__(self, n: Any, modulus: Any = None) -> Any:
        return from_rotvec(n * self.as_rotvec())

    def mean(self, weights: Any = None, axis: Any = None) -> Any:
        return no_turn(self.quat, "mean")

    def reduce(self, left: Any = None, right: Any = None, return_indices: bool = False) -> Any:
        return no_turn(self.quat, "reduce")

    def approx_equal(self, other: Any, atol: Any = None, degrees: bool = False) -> Any:
        """Whether the angle between two rotations is small"""
        return in_degrees((turned(quaternion_of(other)) * self.inv()).magnitude(), degrees) < (1e-8 if atol is None else atol)


def turned(q: Any) -> Turn:
    """The rotation with unit quaternions"""
    return Turn(q, False)


def constant_quaternion(rotation: Any) -> Any:
    """The quaternions of a rotation that was made outside."""
    return np.array(rotation.as_quat())


nondifferentiable(constant_quaternion, kind=lambda rotation: Num("float64", None, True), but=("rotation",))


def made_outside(rotation: Any) -> bool:
    """Whether a rotation is one of SciPy."""
    return isinstance(rotation, Rotation)


nondifferentiable(made_outside, kind=lambda x: Const(x.cls is Rotation) if isinstance(x, Obj) else BOOL)


def quaternion_of(other: Any) -> Any:
    """The quaternions of a rotation"""
    if made_outside(other):
        return beside(constant_quaternion(other), other)
    return other.quat


# --- what makes rotations

def from_quat(quat: Any, *, scalar_first: bool = False) -> Turn:
    return Turn(quat, scalar_first=scalar_first)


def from_matrix(matrix: Any, *, assume_valid: bool = False) -> Turn:
    return turned(of_matrix(np.asarray(matrix) + 0.0))


def from_rotvec(rotvec: Any, degrees: bool = False) -> Turn:
    """(sin(a / 2) v / a, cos(a / 2)), with a the length of v"""
    half = 0.5 * in_radians(np.asarray(rotvec) + 0.0, degrees)
    square = np.sum(half * half, axis=-1, keepdims=True)
    return turned(np.concatenate([sine_of_root(square) * half, cosine_of_root(square)], axis=-1))


def from_mrp(mrp: Any) -> Turn:
    """(2 p, 1 - |p|^2) / (1 + |p|^2)"""
    p = np.asarray(mrp) + 0.0
    square = np.sum(p * p, axis=-1, keepdims=True)
    return turned(np.concatenate([2.0 * p, 1.0 - square], axis=-1) / (1.0 + square))


def from_euler(seq: str, angles: Any, degrees: bool = False) -> Turn:
    """Turns around the axes of a text, one after the other"""
    angles = in_radians(np.asarray(angles) + 0.0, degrees)
    if angles.ndim == 0 or SPREAD and len(seq) == 1 and angles.ndim == 1:
        return turned(of_angles(seq, angles[..., np.newaxis]))
    return turned(of_angles(seq, angles))


def from_davenport(axes: Any, order: str, angles: Any, degrees: bool = False) -> Any:
    return no_turn(angles, "from_davenport")


def align_vectors(a: Any, b: Any, weights: Any = None, return_sensitivity: bool = False) -> Any:
    return no_turn(a, "align_vectors")


def identity(num: Any = None, *, shape: Any = None) -> Turn:
    return turned(np.array(UNIT[3]) if num is None else np.tile(UNIT[3], (num, 1)))


def together(rotations: Any) -> Turn:
    """One after the other"""
    return turned(np.concatenate([np.atleast_2d(quaternion_of(rotation)) for rotation in rotations]))


declare("instead", {
    Rotation: Turn, Rotation.from_quat: from_quat, Rotation.from_matrix: from_matrix, Rotation.from_rotvec: from_rotvec,
    Rotation.from_mrp: from_mrp, Rotation.from_euler: from_euler, Rotation.identity: identity, Rotation.concatenate: together,
    Rotation.align_vectors: align_vectors})
declare("instead", dict.fromkeys(available(Rotation, "from_davenport"), from_davenport))


# --- rotations that were made outside

def outside_apply(self: Any, vectors: Any, inverse: bool = False) -> Any:
    return turned(quaternion_of(self)).apply(vectors, inverse)


def outside_mul(self: Any, other: Any) -> Any:
    return turned(quaternion_of(self)) * other


def outside_getitem(self: Any, indexer: Any) -> Any:
    return turned(quaternion_of(self)[indexer])


declare("instead", {Rotation.apply: outside_apply, Rotation.__mul__: outside_mul, Rotation.__getitem__: outside_getitem})


class Slerp(Interpolator):
    """r_i exp(s log(r_i^-1 r_(i + 1))), with s from 0 to 1 between two times (K. Shoemake 1985)"""

    def __init__(self, times: Any, rotations: Any) -> None:
        self.times = np.asarray(times) + 0.0
        self.quat = quaternion_of(rotations)
        self.steps = (turned(self.quat[:-1]).inv() * turned(self.quat[1:])).as_rotvec()

    def __call__(self, times: Any) -> Any:
        points = np.asarray(times) + 0.0
        place = np.clip(np.searchsorted(self.times, points, side="left") - 1, 0, len(self.times) - 2)
        share = (points - self.times[place]) / (self.times[place + 1] - self.times[place])
        return turned(self.quat[place]) * from_rotvec(share[..., np.newaxis] * self.steps[place])


declare("instead", {transform.Slerp: Slerp})


def rotation_spline(times: Any, rotations: Any) -> Any:
    return no_turn(quaternion_of(rotations), "RotationSpline")


declare("instead", {transform.RotationSpline: rotation_spline})
nondifferentiable(Rotation.inv, kind=lambda self, *rest, **options: Obj(Rotation), but=("self",))
nondifferentiable(Rotation.as_matrix, kind=lambda self: Num("float64", None, True), but=("self",))
nondifferentiable(Rotation.as_quat, Rotation.as_rotvec, Rotation.as_euler, Rotation.as_mrp, Rotation.magnitude,
                  kind=lambda self, *rest, **options: Num("float64", None, True), but=("self",))
