"""Iterative solvers of scipy.sparse.linalg: what they solve is differentiated, not how; residuals are checked at run time."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import REAL, available, conj, declare, jvp, nondifferentiable, rule, sample
from sourcegrad.primitives.scipy.matrices import Sparse, csr_array
from sourcegrad.primitives.scipy.patterns import SQUARE, Pattern, flipped, known, outer_part, times
from sourcegrad.primitives.scipy.systems import Factorized, as_sparse, eye_array, spsolve
from sourcegrad.runtime import detached, no_formula, refused_form, value_of
from sourcegrad.runtime.core import UnsupportedError

FAR = 1e-3                                       # a residual that is larger, relative to the right side, is no solution
ENOUGH = 1e-9                                    # and one of the adjoint system that is larger is not exact
CLOSER = "Give a smaller tolerance, more iterations, a preconditioner M, or use scipy.sparse.linalg.spsolve."
FORM = "Give a sparse matrix or an array."


def matrix_given(A: Any) -> Any:
    """A matrix as `Sparse`, also one that is given as an array"""
    if isinstance(A, linalg.LinearOperator):
        no_formula(A, "an iterative solver with a LinearOperator, which hides what it depends on: give a sparse matrix")
    if isinstance(A, (Sparse, sparse.spmatrix, sparse.sparray)):
        return as_sparse(A)
    return csr_array(A)


# --- systems with square matrices

class Settings:
    """Options of a solver."""

    def __init__(self, options: dict, exact: bool = False) -> None:
        self.options, self.exact = options, exact

    def __deepcopy__(self, memo: dict) -> Settings:
        return self

    def run(self, name: str, A: Any, b: Any) -> Any:
        """What a solver gives, if it is a solution."""
        found = np.asarray(getattr(linalg, name)(A, b, **self.options)[0]).reshape(-1)
        residual, size = float(np.linalg.norm(A @ found - b)), float(np.linalg.norm(b))
        if self.exact and not residual <= ENOUGH * size:
            return linalg.splu(A.tocsc()).solve(b)
        if not residual <= FAR * size:
            raise UnsupportedError(f"{name} did not converge: its residual is {residual:.2g}, of a right side of {size:.2g}",
                                   remedy=CLOSER)
        return found


def settings(**options: Any) -> Settings:
    """Options as a constant: where a search starts and what preconditions it have no influence on the solution"""
    return Settings({name: value.pattern.matrix(value.values) if isinstance(value, Sparse) else value
                     for name, value in options.items() if value is not None})


def exactly(given: Settings) -> Settings:
    """Options for the adjoint system"""
    kept = {name: value for name, value in given.options.items() if name not in ("x0", "M", "atol")}
    if (preconditioner := given.options.get("M")) is not None:
        kept["M"] = linalg.aslinearoperator(preconditioner).H
    return Settings({**kept, "tol" if "tol" in kept else "rtol": 1e-12}, True)


nondifferentiable(settings, kind=lambda **options: DISCRETE)
nondifferentiable(exactly, kind=lambda given: DISCRETE)


def iterated(name: str, values: Any, pattern: Pattern, b: Any, given: Settings) -> Any:
    """x with A x = b, as an iterative solver gives it"""
    return given.run(name, pattern.matrix(values), np.asarray(b, np.result_type(values, b, np.float64)))


def iterated_kind(name: Kind, values: Kind, pattern: Kind, b: Kind, given: Kind) -> Kind:
    return Num(known(values, b), leaf(b).dims, True)


FINE = Settings({"rtol": 1e-12})
DEFINITE = np.array([3.0, 0.4, 2.0, 0.4, 4.0])


@rule(iterated, kind=iterated_kind, samples=[sample("gmres", DEFINITE, SQUARE, REAL(3), FINE),
                                             sample("bicgstab", DEFINITE, SQUARE, REAL(3), FINE)])
def iterated_rule(ct, out, name, values, pattern, b, given):
    """A out = b: A^H b_bar = ct, and A_bar = -b_bar out^H where values are stored"""
    back = iterated(name, conj(values), flipped(pattern), ct, exactly(given))
    return None, -outer_part(back, out, pattern), None, back


@jvp(iterated)
def iterated_tangent(dot, out, name, values, pattern, b, given):
    """A dx = db - dA x"""
    return (None, -iterated(name, values, pattern, times(dot, pattern, out), exactly(given)), None,
            iterated(name, values, pattern, dot, exactly(given)))


def near(name: str, A: Any, b: Any, given: Settings, callback: Any) -> tuple:
    """What an iterative solver gives, and 0: it converged"""
    if callback is not None:
        no_formula(b, f"scipy.sparse.linalg.{name} with a callback")
    matrix = matrix_given(A)
    return iterated(name, matrix.values, matrix.pattern, np.reshape(np.asarray(b) + 0.0, (-1,)), given), 0


def cg(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Any = None, M: Any = None,
       callback: Any = None) -> tuple:
    return near("cg", A, b, settings(x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M), callback)


def bicg(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Any = None, M: Any = None,
         callback: Any = None) -> tuple:
    return near("bicg", A, b, settings(x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M), callback)


def cgs(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Any = None, M: Any = None,
        callback: Any = None) -> tuple:
    return near("cgs", A, b, settings(x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M), callback)


def bicgstab(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Any = None, M: Any = None,
             callback: Any = None) -> tuple:
    return near("bicgstab", A, b, settings(x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M), callback)


def tfqmr(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Any = None, M: Any = None,
          callback: Any = None, show: bool = False) -> tuple:
    return near("tfqmr", A, b, settings(x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M), callback)


def gmres(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, restart: Any = None, maxiter: Any = None,
          M: Any = None, callback: Any = None, callback_type: Any = None) -> tuple:
    return near("gmres", A, b, settings(x0=x0, rtol=rtol, atol=atol, restart=restart, maxiter=maxiter, M=M), callback)


def lgmres(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int = 1000, M: Any = None,
           callback: Any = None, inner_m: int = 30, outer_k: int = 3) -> tuple:
    return near("lgmres", A, b, settings(x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, inner_m=inner_m, outer_k=outer_k),
                callback)


def minres(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, shift: float = 0.0, maxiter: Any = None, M: Any = None,
           callback: Any = None, show: bool = False, check: bool = False) -> tuple:
    """(A - shift) x = b"""
    matrix = matrix_given(A)
    if shift != 0.0:
        matrix = matrix - eye_array(matrix.shape[0]) * shift
    return near("minres", matrix, b, settings(x0=x0, rtol=rtol, maxiter=maxiter, M=M), callback)


def spsolve_triangular(A: Any, b: Any, lower: bool = True, overwrite_A: bool = False, overwrite_b: bool = False,
                       unit_diagonal: bool = False) -> Any:
    """x with A x = b"""
    if unit_diagonal:
        no_formula(b, "scipy.sparse.linalg.spsolve_triangular with unit_diagonal: put the ones into the matrix")
    return Factorized(A).solve(np.asarray(b) + 0.0)


# --- least squares: (A^H A + damp^2) x = A^H b

def least_squares_near(A: Any, b: Any, damp: Any, found: Any, name: str) -> Any:
    """The solution that a solver found, which moves as that of the normal equations does"""
    turned = A.conj().T if np.iscomplexobj(A.values) else A.T
    normal = turned @ A + eye_array(A.shape[1]) * (damp * damp)
    return value_of(close(found, detached(spsolve(normal, turned @ b)), name), spsolve(normal, turned @ b))


def close(found: Any, again: Any, name: str) -> Any:
    """What a solver found, if the equations say the same."""
    if not np.linalg.norm(found - again) <= FAR * max(1.0, float(np.linalg.norm(found))):
        raise UnsupportedError(f"{name} did not converge, or the columns of the matrix depend on each other", remedy=CLOSER)
    return found


def part_of(result: tuple, k: int) -> Any:
    return result[k]


def fitted(name: str, values: Any, pattern: Pattern, b: Any, damp: Any, given: Settings) -> tuple:
    """What lsqr or lsmr gives"""
    return getattr(linalg, name)(pattern.matrix(values), b, damp, **given.options)


def unknown(found: tuple, k: int, what: str, values: Any, side: Any, damp: Any) -> Any:
    """A part of a result that has no derivative"""
    return refused_form(part_of(found, k), what, values, side, damp)


nondifferentiable(close, kind=lambda found, again, name: Num(None, (None,), True), effect="checks")
nondifferentiable(part_of, kind=lambda result, k: Num(None, None, None))
nondifferentiable(fitted, kind=lambda *args: DISCRETE)


def norms(A: Any, b: Any, x: Any, damp: Any) -> tuple:
    """|b - A x|, and with damp x below it"""
    left = np.linalg.norm(b - A @ x)
    return left, np.sqrt(left * left + (damp * np.linalg.norm(x)) ** 2)


def lsqr(A: Any, b: Any, damp: float = 0.0, atol: float = 1e-6, btol: float = 1e-6, conlim: float = 1e8, iter_lim: Any = None,
         show: bool = False, calc_var: bool = False, x0: Any = None) -> tuple:
    """scipy.sparse.linalg.lsqr"""
    matrix, side = matrix_given(A), np.reshape(np.asarray(b) + 0.0, (-1,))
    found = fitted("lsqr", matrix.values, matrix.pattern, side, damp,
                   settings(atol=atol, btol=btol, conlim=conlim, iter_lim=iter_lim, calc_var=calc_var, x0=x0))
    x = least_squares_near(matrix, side, damp, part_of(found, 0), "lsqr")
    left, both = norms(matrix, side, x, damp)
    what = "what lsqr tells beside its solution"
    return (x, told_part(found, 1), told_part(found, 2), left, both, unknown(found, 5, what, matrix.values, side, damp),
            unknown(found, 6, what, matrix.values, side, damp), unknown(found, 7, what, matrix.values, side, damp),
            np.linalg.norm(x), unknown(found, 9, what, matrix.values, side, damp))


def lsmr(A: Any, b: Any, damp: float = 0.0, atol: float = 1e-6, btol: float = 1e-6, conlim: float = 1e8, maxiter: Any = None,
         show: bool = False, x0: Any = None) -> tuple:
    """scipy.sparse.linalg.lsmr"""
    matrix, side = matrix_given(A), np.reshape(np.asarray(b) + 0.0, (-1,))
    found = fitted("lsmr", matrix.values, matrix.pattern, side, damp,
                   settings(atol=atol, btol=btol, conlim=conlim, maxiter=maxiter, x0=x0))
    x = least_squares_near(matrix, side, damp, part_of(found, 0), "lsmr")
    left, both = norms(matrix, side, x, damp)
    what = "what lsmr tells beside its solution"
    return (x, told_part(found, 1), told_part(found, 2), both, unknown(found, 4, what, matrix.values, side, damp),
            unknown(found, 5, what, matrix.values, side, damp), unknown(found, 6, what, matrix.values, side, damp),
            np.linalg.norm(x))


def told_part(result: tuple, k: int) -> Any:
    return result[k]


nondifferentiable(told_part, kind=lambda result, k: DISCRETE)


# --- the exponential of a matrix, times vectors: Taylor's polynomials (A. H. Al-Mohy and N. J. Higham 2011)

TERMS = 30


def parts_of_step(values: Any, pattern: Pattern) -> int:
    """In how many steps Taylor's polynomials are exact but for rounding: 2^30 / 30! is 4e-24"""
    sums = np.bincount(pattern.indices, np.abs(values), pattern.shape[1])
    return max(1, math.ceil(float(np.max(sums, initial=0.0)) / 2.0))


nondifferentiable(parts_of_step, kind=lambda values, pattern: DISCRETE)


def expm_multiply(A: Any, B: Any, start: Any = None, stop: Any = None, num: Any = None, endpoint: Any = None,
                  traceA: Any = None) -> Any:
    """e^A B"""
    if start is not None or stop is not None or num is not None:
        no_formula(B, "scipy.sparse.linalg.expm_multiply at several times: call it for each, expm_multiply(t * A, b)")
    matrix, found = matrix_given(A), np.asarray(B) + 0.0
    steps = parts_of_step(matrix.values, matrix.pattern)
    values = matrix.values * (1.0 / steps)
    for _ in range(steps):
        term = found
        for k in range(1, TERMS):
            term = times(values, matrix.pattern, term) * (1.0 / k)
            found = found + term
    return found


declare("instead", {
    linalg.cg: cg, linalg.bicg: bicg, linalg.cgs: cgs, linalg.bicgstab: bicgstab, linalg.gmres: gmres, linalg.lgmres: lgmres,
    linalg.minres: minres, linalg.lsqr: lsqr, linalg.lsmr: lsmr, linalg.spsolve_triangular: spsolve_triangular,
    linalg.expm_multiply: expm_multiply})
declare("instead", dict.fromkeys(available(linalg, "tfqmr"), tfqmr))
DIRECT = "Use spsolve, splu, cg or gmres for systems, eigsh and svds for spectra, expm_multiply for exponentials."
declare("remedy", dict.fromkeys(available(linalg, "qmr", "gcrotmk", "spilu", "inv", "expm", "eigs", "lobpcg", "onenormest",
                                          "matrix_power", "LaplacianNd", "funm_multiply_krylov", "spbandwidth"), DIRECT))
