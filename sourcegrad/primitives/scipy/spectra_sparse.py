"""Eigenvalues and singular values of sparse matrices: simple ones, with their vectors, by the implicit function theorem.

A vector and a value solve A v = l v, |v| = 1. Two steps of Newton's method from what ARPACK found, with the bordered matrix as a
constant, have its derivatives up to the second (docs/solvers.md).
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.primitives.core import declare, describe, jvp, nondifferentiable, rule
from sourcegrad.primitives.scipy.iterative import matrix_given
from sourcegrad.primitives.scipy.matrices import from_values
from sourcegrad.primitives.scipy.patterns import Pattern, times
from sourcegrad.primitives.scipy.places import arranged, numbered
from sourcegrad.primitives.solvers import ORDERS, THIRD
from sourcegrad.runtime import detached, no_formula, refuse, value_of
from sourcegrad.runtime.core import UnsupportedError

APART = "Eigenvalues must be apart from each other: use functions of the matrix, or numpy.linalg.eigvalsh of a dense one."


class Border:
    """The factors of A - l with v beside and below it."""

    def __init__(self, values: Any, pattern: Pattern, value: float, v: Any) -> None:
        matrix = sparse.csc_array(pattern.matrix(values))
        column = -sparse.csc_array(v.reshape(-1, 1))
        bordered = sparse.bmat([[matrix - value * sparse.eye_array(len(v)), column], [column.T, None]], format="csc")
        scale = max(abs(value), float(np.max(np.abs(values), initial=0.0)), 1e-300)
        if not np.linalg.norm(matrix @ v - value * v) <= 1e-4 * scale:
            raise UnsupportedError("an eigenvector that is not one to four digits", remedy="Give a smaller tolerance.")
        try:
            self.lu = linalg.splu(bordered)
            away = self.lu.solve(np.cos(np.arange(len(v) + 1.0)))
        except RuntimeError:
            away = np.full(1, np.inf)
        if not np.max(np.abs(away)) * scale < 1e9:
            raise UnsupportedError("the derivative of an eigenvalue that is not simple", remedy=APART)

    def __deepcopy__(self, memo: dict) -> Border:
        return self


def border(values: Any, pattern: Pattern, value: Any, v: Any) -> Border:
    return Border(values, pattern, float(value), v)


nondifferentiable(border, effect="checks", kind=lambda values, pattern, value, v: DISCRETE)
NUMBERS = Num("int64", (None,), True)
VECTOR, MATRIX = Num("float64", (None,), True), Num("float64", (None, None), True)


def border_step(made: Border, residual: Any) -> Any:
    """A step of Newton's method from an eigenvector and its value"""
    return made.lu.solve(residual)


def border_chord(made: Border, residual: Any) -> Any:
    """`border_step` in a first derivative"""
    return border_step(made, residual)


def border_last(made: Border, residual: Any) -> Any:
    """`border_step` in a second derivative: it cannot be differentiated again"""
    return border_step(made, residual)


def step_kind(made: Kind, residual: Kind) -> Kind:
    return VECTOR


@rule(border_step, border_chord, tangent="linear", kind=step_kind)
def border_step_rule(ct, out, made, residual):
    """out = J^-1 residual, with a constant and symmetric J"""
    return None, border_step(made, ct)


@rule(border_last, kind=step_kind)
def border_last_rule(ct, out, made, residual):
    """out = J^-1 residual; two steps are right up to second derivatives"""
    return None, refuse(THIRD, ORDERS)


@jvp(border_last)
def border_last_tangent(dot, out, made, residual):
    """out = J^-1 residual"""
    return None, refuse(THIRD, ORDERS)


describe(border_step, again=border_chord)
describe(border_chord, again=border_last)


def eigen_residual(values: Any, pattern: Pattern, both: Any) -> Any:
    """A v - l v and (1 - |v|^2) / 2, for v and l in one vector"""
    v, value = both[:-1], both[-1]
    left = times(values, pattern, v) - value * v
    return np.concatenate([left, np.reshape(0.5 - 0.5 * np.dot(v, v), (1,))])


def eigen_pair(values: Any, pattern: Pattern, both: Any) -> Any:
    """An eigenvector and its value in one vector, which move with the matrix"""
    made = border(detached(values), pattern, both[-1], both[:-1])
    nearer = both - border_step(made, eigen_residual(values, pattern, both))
    return value_of(both, nearer - border_step(made, eigen_residual(values, pattern, nearer)))


def eigen_pairs(values: Any, pattern: Pattern, pairs: Any) -> Any:
    """Columns of eigenvectors with their values below"""
    return np.stack([eigen_pair(values, pattern, pairs[:, j]) for j in range(pairs.shape[1])], axis=1)


# --- eigsh and svds

def found_pairs(values: Any, pattern: Pattern, k: int, sigma: Any, which: str, v0: Any, ncv: Any, maxiter: Any, tol: Any) -> Any:
    """What eigsh gives, the values below the vectors"""
    found, vectors = linalg.eigsh(pattern.matrix(values).tocsc(), k, None, sigma, which, v0, ncv, maxiter, tol)
    return np.concatenate([vectors, found[np.newaxis]])


def found_singular(values: Any, pattern: Pattern, k: int, ncv: Any, tol: Any, which: str, v0: Any, maxiter: Any) -> Any:
    """What svds gives: left above right vectors over root 2, the values below"""
    left, found, right = linalg.svds(pattern.matrix(values), k, ncv, tol, which, v0, maxiter)
    return np.concatenate([left / np.sqrt(2.0), right.T / np.sqrt(2.0), found[np.newaxis]])


def both_sides(pattern: Pattern) -> tuple:
    """Where values stand in [[0, A], [A^T, 0]]"""
    numbers = sparse.coo_array(numbered(pattern))
    return arranged(sparse.bmat([[None, numbers], [numbers.T, None]]))


nondifferentiable(found_pairs, kind=lambda *args: MATRIX)
nondifferentiable(found_singular, kind=lambda *args: MATRIX)
nondifferentiable(both_sides, kind=lambda pattern: DISCRETE)


def eigsh(A: Any, k: int = 6, M: Any = None, sigma: Any = None, which: str = "LM", v0: Any = None, ncv: Any = None,
          maxiter: Any = None, tol: Any = 0, return_eigenvectors: bool = True, Minv: Any = None, OPinv: Any = None,
          mode: str = "normal") -> Any:
    """scipy.sparse.linalg.eigsh"""
    matrix = matrix_given(A)
    if M is not None or OPinv is not None or mode != "normal" or np.iscomplexobj(matrix.values):
        no_formula(matrix.values, "scipy.sparse.linalg.eigsh with M, OPinv or a mode, or of a complex matrix")
    pairs = eigen_pairs(matrix.values, matrix.pattern,
                        found_pairs(matrix.values, matrix.pattern, k, sigma, which, v0, ncv, maxiter, tol))
    if return_eigenvectors:
        return pairs[-1], pairs[:-1]
    return np.sort(pairs[-1])


def svds(A: Any, k: int = 6, ncv: Any = None, tol: Any = 0, which: str = "LM", v0: Any = None, maxiter: Any = None,
         return_singular_vectors: Any = True, solver: str = "arpack", random_state: Any = None, options: Any = None, *,
         rng: Any = None) -> Any:
    """scipy.sparse.linalg.svds"""
    matrix = matrix_given(A)
    if solver != "arpack" or return_singular_vectors not in (True, False) or np.iscomplexobj(matrix.values):
        no_formula(matrix.values, "scipy.sparse.linalg.svds with a solver, with vectors of one side, or of a complex matrix")
    wide = from_values(matrix.values, both_sides(matrix.pattern), False, False)
    pairs = eigen_pairs(wide.values, wide.pattern, found_singular(matrix.values, matrix.pattern, k, ncv, tol, which, v0, maxiter))
    if not return_singular_vectors:
        return pairs[-1]
    n = matrix.shape[0]
    return pairs[:n] * np.sqrt(2.0), pairs[-1], pairs[n:-1].T * np.sqrt(2.0)


declare("instead", {linalg.eigsh: eigsh, linalg.svds: svds})
