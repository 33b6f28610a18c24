"""Products and linear algebra of Tensors; `sg.linalg`."""

from __future__ import annotations

import types
from collections import namedtuple
from typing import Any

import numpy as np

from sourcegrad.tensor import functions
from sourcegrad.tensor.arguments import METHODS, a_tensor, axis, public
from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.errors import refuse
from sourcegrad.tensor.operation import variadic
from sourcegrad.tensor.operations import CALL, OPERATIONS as O
from sourcegrad.tensor.shapes import diagonal, transpose

Slogdet = namedtuple("Slogdet", "sign logabsdet")
Eigh = namedtuple("Eigh", "eigenvalues eigenvectors")
Svd = namedtuple("Svd", "U S Vh")
Qr = namedtuple("Qr", "Q R")


@public
def matmul(x: Any, y: Any) -> Tensor:
    """The matrix product, as `@`."""
    x, y = a_tensor(x), a_tensor(y)
    a, b = x._data, y._data
    if a.ndim == 0 or b.ndim == 0:
        refuse(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    if a.shape[-1] != b.shape[0 if b.ndim == 1 else -2]:
        refuse(f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, a.shape))} and {'x'.join(map(str, b.shape))})")
    if a.ndim == 2 and b.ndim == 2:
        return CALL["matmul"](x, y)
    if a.ndim == 1 and b.ndim == 1:
        return CALL["dot"](x, y)
    return CALL["mv" if b.ndim == 1 else "bmm"](x, y)


@public
def mm(x: Any, y: Any) -> Tensor:
    return matmul(x, y)


@public
def bmm(x: Any, y: Any) -> Tensor:
    return matmul(x, y)


@public
def mv(x: Any, y: Any) -> Tensor:
    return matmul(x, y)


@public
def dot(x: Any, y: Any) -> Tensor:
    if x._data.ndim != 1 or y._data.ndim != 1:
        refuse(f"1D tensors expected, but got {x._data.ndim}D and {y._data.ndim}D tensors")
    if x._data.shape != y._data.shape:
        refuse(
            f"inconsistent tensor size, expected tensor [{x._data.size}] and src [{y._data.size}] to have the same "
            "number of elements"
        )
    return CALL["dot"](x, y)


METHODS["vdot"] = dot


@public
def addmm(x: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return O["addmm"](x, mat1, mat2, beta, alpha)


@public
def baddbmm(x: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return O["addmm"](x, batch1, batch2, beta, alpha)


@public
def trace(x: Any) -> Tensor:
    return CALL["trace"](a_tensor(x))


@public
def einsum(equation: str, *operands: Any) -> Tensor:
    """Einstein's sum convention (as `np.einsum`)."""
    parts = tuple(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return variadic("einsum", len(parts))(*map(a_tensor, parts), equation=equation.replace(" ", ""))


METHODS.pop("einsum")


@public
def tensordot(x: Any, y: Any, dims: Any = 2) -> Tensor:
    return O["tensordot"](x, y, dims=dims if isinstance(dims, int) else tuple(tuple(d) for d in dims))


@public
def cross(x: Any, other: Any, dim: int = -1) -> Tensor:
    return O["cross"](x, other, dim=axis(x, dim))


@public
def inverse(x: Any) -> Tensor:
    return linear_algebra(CALL["inverse"], x)


def linear_algebra(call: Any, *args: Any, **options: Any) -> Any:
    """Call NumPy's linear algebra; its errors are also RuntimeErrors."""
    try:
        return call(*map(a_tensor, args), **options)
    except np.linalg.LinAlgError as error:
        return refuse(f"linalg: {error}")


@public
def pinverse(x: Any) -> Tensor:
    return linear_algebra(CALL["pinv"], x)


@public
def det(x: Any) -> Tensor:
    return linear_algebra(CALL["det"], x)


@public
def logdet(x: Any) -> Tensor:
    sign, value = slogdet(x)
    return value if np.all(sign._data > 0) else CALL["log"](det(x))


@public
def slogdet(x: Any) -> Slogdet:
    return Slogdet(constant(np.linalg.slogdet(x._data)[0]), linear_algebra(CALL["logabsdet"], x))


@public
def cholesky(x: Any, upper: bool = False) -> Tensor:
    found = linear_algebra(CALL["cholesky"], x)
    return transpose(found, -2, -1) if upper else found


@public
def qr(x: Any, mode: str = "reduced") -> Qr:
    return Qr(*linear_algebra(CALL["qr"], x))


@public
def svd(x: Any, some: bool = True) -> tuple:
    u, s, vh = linear_algebra(O["svd"], x, full_matrices=not some)
    return Svd(u, s, transpose(vh, -2, -1))


@public
def matrix_power(x: Any, n: int) -> Tensor:
    return O["matrix_power"](x, n=n)


def _solve(a: Any, b: Any) -> Tensor:
    return linear_algebra(CALL["solve"], a, b)


def _eigh(x: Any, UPLO: str = "L") -> Eigh:
    return Eigh(*linear_algebra(CALL["eigh"], x))


linalg = types.SimpleNamespace(
    norm=lambda x, ord=None, dim=None, keepdim=False: _linalg_norm(x, ord, dim, keepdim),
    vector_norm=lambda x, ord=2, dim=None, keepdim=False: functions.norm(x, ord, dim, keepdim),
    matrix_norm=lambda x, ord="fro", dim=(-2, -1), keepdim=False: functions.norm(x, ord, dim, keepdim),
    inv=inverse,
    pinv=pinverse,
    det=det,
    slogdet=slogdet,
    solve=_solve,
    cholesky=cholesky,
    qr=qr,
    eigh=_eigh,
    matrix_power=matrix_power,
    eigvalsh=lambda x: linear_algebra(CALL["eigvalsh"], x),
    svdvals=lambda x: linear_algebra(CALL["svdvals"], x),
    svd=lambda x, full_matrices=True: Svd(*linear_algebra(O["svd"], x, full_matrices=full_matrices)),
    cross=cross,
    diagonal=diagonal,
    multi_dot=lambda xs: _chain(xs),
)


def _linalg_norm(x: Any, ord: Any, dim: Any, keepdim: bool) -> Tensor:
    """`linalg.norm`: of a matrix with an order, the matrix norm; else that of all elements."""
    x = a_tensor(x)
    if ord is not None and (isinstance(dim, tuple) or dim is None and x._data.ndim == 2) and ord not in ("fro", "nuc"):
        return O["vector_norm"](x, ord=ord, dim=axis(x, dim), keepdim=keepdim)
    return functions.norm(x, "fro" if ord is None else ord, dim, keepdim)


def _chain(xs: Any) -> Tensor:
    found, *others = xs
    for other in others:
        found = matmul(found, other)
    return found
