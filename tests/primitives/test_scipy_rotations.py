"""Rotations of scipy.spatial.transform: equal to SciPy's, with derivatives of both orders in both modes."""
from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives
from sourcegrad.errors import SourcegradError
from tests.primitives.scipy_checks import check, weighted

transform = pytest.importorskip("scipy.spatial.transform")
Rotation = transform.Rotation
primitives.with_scipy()
rotations = importlib.import_module("sourcegrad.primitives.scipy.rotations")
pytestmark = pytest.mark.filterwarnings("ignore")

Q, V, P = np.array([0.3, -0.5, 0.7, 0.9]), np.array([0.4, -1.1, 0.6]), np.array([[1.0, 2.0, 3.0], [0.5, -0.3, 0.8]])
M, TWO = Rotation.from_rotvec(V).as_matrix(), np.array([[0.3, -0.5, 0.7, 0.9], [-0.8, 0.2, 0.1, -0.6]])
FIXED, SEVERAL = Rotation.from_euler("xyz", [0.2, -0.4, 1.0]), Rotation.from_quat(TWO)


def total(found):
    return np.sum(weighted(found) * found)


PROGRAMS = {
    "quaternions": (lambda q: total(Rotation.from_quat(q).as_quat())
    + total(Rotation.from_quat(-q).as_quat(canonical=True)), (Q,)),
    "the scalar first": (lambda q: total(Rotation.from_quat(q, scalar_first=True).as_quat(scalar_first=True)), (Q,)),
    "the class itself": (lambda q: total(Rotation(q).as_matrix()), (Q,)),
    "matrices": (lambda q: total(Rotation.from_quat(q).as_matrix()), (Q,)),
    "of a matrix": (lambda m: total(Rotation.from_matrix(m).as_quat()) + total(Rotation.from_matrix(m).apply(P)), (M,)),
    "of a matrix that is not orthogonal": (lambda m: total(Rotation.from_matrix(m).as_matrix()), (M + 0.05 * np.ones((3, 3)),)),
    "rotation vectors": (lambda v: total(Rotation.from_rotvec(v).as_matrix()), (V,)),
    "a small rotation vector": (lambda v: total(Rotation.from_rotvec(v).as_matrix()), (1e-3 * V,)),
    "no rotation": (lambda v: total(Rotation.from_rotvec(v).as_quat()), (np.zeros(3),)),
    "of rotation vectors": (lambda q: total(Rotation.from_quat(q).as_rotvec())
    + total(Rotation.from_quat(-q).as_rotvec(True)), (Q,)),
    "around": (lambda v: total(Rotation.from_rotvec(v).as_rotvec() ** 2), (1e-4 * V,)),
    "far around": (lambda v: total(Rotation.from_rotvec(v).as_rotvec()), (4.0 * V,)),
    "half a turn": (lambda q: total(Rotation.from_quat(q).as_rotvec()), (np.array([0.6, 0.8, 0.1, 1e-3]),)),
    "Rodrigues": (lambda v: total(Rotation.from_mrp(v).as_mrp()) + total(Rotation.from_mrp(0.2 * v).as_matrix()), (0.5 * V,)),
    "Euler": (lambda v: total(Rotation.from_euler("ZYX", v).as_euler("xyz"))
    + total(Rotation.from_euler("zxz", v).as_quat()), (V,)),
    "Euler, degrees": (lambda v: total(Rotation.from_euler("xyz", 30.0 * v, degrees=True).as_euler("ZXZ", degrees=True)), (V,)),
    "one angle": (lambda a: total(Rotation.from_euler("y", a).as_matrix()), (0.7,)),
    "angles around one axis": (lambda v: total(Rotation.from_euler("z", v.reshape(3, 1)).apply(np.array([1.0, 2.0, 3.0]))), (V,)),
    "apply": (lambda q, p: total(Rotation.from_quat(q).apply(p))
    + total(Rotation.from_quat(q).apply(p[0], inverse=True)), (Q, P)),
    "apply several": (lambda q, p: total(Rotation.from_quat(q).apply(p)) + total(Rotation.from_quat(q).apply(p[1])), (TWO, P)),
    "inverse": (lambda q: total(Rotation.from_quat(q).inv().as_matrix()), (Q,)),
    "products": (lambda q, v: total((Rotation.from_quat(q) * Rotation.from_rotvec(v)).as_matrix()), (Q, V)),
    "products of several": (lambda q, v: total((Rotation.from_quat(q) * Rotation.from_rotvec(v)).as_rotvec()), (TWO, V)),
    "powers": (lambda q: total((Rotation.from_quat(q) ** 0.5).as_matrix())
    + total((Rotation.from_quat(q) ** -1).as_quat()), (Q,)),
    "the angle": (lambda q: Rotation.from_quat(q).magnitude() ** 2, (Q,)),
    "parts": (lambda q: total(Rotation.from_quat(q)[1].as_matrix()) + total(Rotation.from_quat(q)[::-1].as_quat())
              + len(Rotation.from_quat(q)), (TWO,)),
    "together": (lambda q, v: total(
        Rotation.concatenate([Rotation.from_quat(q), Rotation.from_rotvec(v)]).as_matrix()), (TWO, V)),
    "one from outside": (lambda v: total(FIXED.apply(v)) + total((FIXED * Rotation.from_rotvec(v)).as_quat())
                         + total((Rotation.from_rotvec(v) * FIXED).as_matrix()) + total(FIXED.inv().apply(v)), (V,)),
    "several from outside": (lambda v: total(SEVERAL.apply(v)) + total((SEVERAL[0] * Rotation.from_rotvec(v)).as_quat())
                             + total(SEVERAL.as_matrix() @ v), (V,)),
    "the identity": (lambda v: total((Rotation.identity() * Rotation.from_rotvec(v)).as_quat()), (V,)),
    "slerp": (lambda q: total(transform.Slerp([0.0, 1.0], Rotation.from_quat(q))(np.array([0.2, 0.9])).as_quat()), (TWO,)),
    "slerp in time": (lambda t: total(transform.Slerp([0.0, 1.0], SEVERAL)(t).as_matrix()), (0.3,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    function, args = PROGRAMS[name]
    check(function, *args, order=2 if name in ("no rotation", "matrices", "around", "of a matrix", "apply") else 1)


def test_sequences():
    """All orders of axes, fixed and turning with the body."""
    names = ["".join(axes) for axes in itertools.permutations("xyz", 3)]
    names += [name[:2] + name[0] for name in names]
    for seq in names + [name.upper() for name in names]:
        angles = Rotation.from_quat(TWO).as_euler(seq)
        assert np.allclose(rotations.euler_angles(rotations.normal(TWO), seq), angles, 1e-12, 1e-12)
        turn = Rotation.from_quat(rotations.of_angles(seq, angles)) * Rotation.from_euler(seq, angles).inv()
        assert np.max(turn.magnitude()) < 1e-12


def moved(state):
    """A body that turns: its attitude is integrated."""
    attitude = Rotation.from_rotvec(state[:3])
    for _ in range(4):
        attitude = attitude * Rotation.from_rotvec(0.1 * state[3:])
    return total(attitude.as_quat())


def test_loop():
    check(moved, np.concatenate([V, V[::-1]]), order=1)


def test_the_class_of_what_is_made():
    def function(q):
        turn = Rotation.from_quat(q)
        return total(turn.as_matrix()) * (2.0 if isinstance(turn, Rotation) else 3.0)

    assert sg.value_and_grad(function)(Q)[0] == pytest.approx(function(Q))
    assert sg.grad(lambda q: isinstance(Rotation.from_quat(q), np.ndarray) * q[0])(Q)[0] == 0.0


REFUSED = {
    "the mean": lambda q: total(Rotation.from_quat(q).mean().as_quat()),
    "Davenport": lambda q: total(Rotation.from_davenport([1.0, 0.0, 0.0], "extrinsic", q[0, 0]).as_quat()),
    "align_vectors": lambda q: total(Rotation.align_vectors(q[:, :3], P)[0].as_quat()),
    "gimbal lock": lambda q: total(Rotation.from_euler("xyz", np.array([0.3, 0.5 * np.pi, 0.0])
                                                                  + 0.0 * q[0, :3]).as_euler("xyz")),
    "a spline": lambda q: total(transform.RotationSpline([0.0, 1.0], Rotation.from_quat(q))(0.5).as_quat()),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(SourcegradError) as caught:
        sg.grad(REFUSED[name])(TWO)
    assert "test_scipy_rotations.py:" in str(caught.value) and type(caught.value).__name__ == "UnsupportedError"
