"""Kinds of the results of linear algebra; conventions as in `result_kinds`."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.kinds import FLOAT, Const, Kind, Num, Tup, as_num, broadcast, join, smaller
from sourcegrad.kinds.results import Unknown, constant
from sourcegrad.rules.array_kinds import NUMPY_2
from sourcegrad.rules.result_kinds import array, dtype_of, numeric, reduced_dims, together


def matrices(x: Kind) -> tuple[Num, tuple, Any, Any]:
    """What is known of a stack of matrices: itself, the sizes of the stack, of the columns and of the rows."""
    stack = numeric(x)
    if stack.dims is None or len(stack.dims) < 2:
        raise Unknown
    return stack, stack.dims[:-2], stack.dims[-2], stack.dims[-1]


# --- systems of equations --------------------------------------------------------------------------------

def solve(a: Kind, b: Kind) -> Kind:
    matrix, right = numeric(a), numeric(b)
    dtype = dtype_of(np.linalg.solve, _examples(matrix), _examples(right)) if _plain(matrix, right) else None
    if matrix.dims is None or right.dims is None:
        return Num(dtype)
    if is_vector(matrix, right):
        return array(dtype, right.dims if len(matrix.dims) == 2 else (*matrix.dims[:-2], right.dims[-1]))
    return array(dtype, (*(broadcast(matrix.dims[:-2], right.dims[:-2]) or ()), *right.dims[-2:]))


def _plain(*nums: Num) -> bool:
    return all(num.dtype is not None for num in nums)


def _examples(num: Num) -> Num:
    return Num(num.dtype, (1, 1), True)


def is_vector(a: Num, b: Num) -> bool:
    """Whether `np.linalg.solve(a, b)` takes b for a vector."""
    if a.dims is None or b.dims is None:
        raise Unknown
    return len(b.dims) == 1 if NUMPY_2 else len(b.dims) == len(a.dims) - 1


def columns(x: Kind, a: Kind, b: Kind) -> Kind:
    value = numeric(x)
    if value.dims is None:
        raise Unknown
    return array(value.dtype, (*value.dims, 1)) if is_vector(numeric(a), numeric(b)) else value


def columns_adjoint(x: Kind, a: Kind, b: Kind) -> Kind:
    value = numeric(x)
    if value.dims is None:
        raise Unknown
    return Num(value.dtype, value.dims[:-1], True) if is_vector(numeric(a), numeric(b)) else value


def pinv(a: Kind, *_: Kind, **__: Kind) -> Kind:
    stack, batch, rows, columns = matrices(a)
    dtype = None if stack.is_discrete else dtype_of(np.linalg.pinv, stack)             # that of no integers is integer
    return array(dtype, (*batch, columns, rows))


def lstsq(a: Kind, b: Kind, *_: Kind, **__: Kind) -> Kind:
    stack, _, rows, columns = matrices(a)
    right = numeric(b)
    dtype = dtype_of(_solution, _examples(stack), _examples(right)) if _plain(stack, right) else None
    if right.dims is None:
        solution = Num(dtype, None, True)
    else:
        solution = Num(dtype, (columns, *right.dims[1:]), True)
    real = dtype and np.empty(0, dtype).real.dtype.name
    return Tup((solution, Num(real, (None,), True), Num("int32", (), False), Num(real, (smaller(rows, columns),), True)))


def _solution(a: Any, b: Any) -> Any:
    return np.linalg.lstsq(a, b, rcond=None)[0]


def or_zero(x: Kind) -> Kind:
    """0.0 where x is empty."""
    value = numeric(x)
    if value.dims == () or value.dims and all(isinstance(size, int) and size > 0 for size in value.dims):
        return value
    return join(value, FLOAT)


def block_upper(a: Kind, x: Kind) -> Kind:
    stack, batch, rows, columns = matrices(a)
    return array(together(stack, numeric(x)), (*batch, *(2 * n if isinstance(n, int) else None for n in (rows, columns))))


def conj_transpose(x: Kind) -> Kind:
    if numeric(x).dims is None:
        return Num(numeric(x).dtype, None, True)
    stack, batch, rows, columns = matrices(x)
    return array(stack.dtype, (*batch, columns, rows))


def outside_range(x: Kind, basis: Kind) -> Kind:
    """Of the dtype of x where the basis spans all."""
    value = numeric(x)
    dtype = together(value, numeric(basis))
    return array(dtype if dtype == value.dtype else None, value.dims)


def matrix_power(a: Kind, n: Kind) -> Kind:
    stack, *_ = matrices(a)
    if stack.is_discrete and not isinstance(n, Const):
        return array(None, stack.dims)
    whole = isinstance(n, Const) and n.value >= 0
    return array(stack.dtype if whole else dtype_of(np.linalg.inv, stack), stack.dims)


# --- norms -----------------------------------------------------------------------------------------------

def norm(x: Kind, ord: Kind = Const(None), axis: Kind | None = None, keepdims: Kind | None = None) -> Kind:
    value = numeric(x)
    return array(dtype_of(np.linalg.norm, value), reduced_dims(value.dims, axis, keepdims))


def vector_norm(x: Kind, axis: Kind | None = None, keepdims: Kind | None = None, ord: Kind = Const(2)) -> Kind:
    return norm(x, ord, axis, keepdims)


def matrix_norm(x: Kind, keepdims: Kind | None = None, ord: Kind = Const("fro")) -> Kind:
    stack, batch, *_ = matrices(x)
    return array(dtype_of(np.linalg.norm, stack), (*batch, 1, 1) if constant(keepdims, False) else batch)


def cond(x: Kind, p: Kind = Const(None)) -> Kind:
    stack, batch, *_ = matrices(x)
    return array(dtype_of(np.linalg.cond, stack), batch)


def matrix_rank(A: Kind, *_: Kind, **__: Kind) -> Kind:
    table = numeric(A)
    if table.dims is None:
        raise Unknown
    return array(np.dtype(np.intp).name, table.dims[:-2]) if len(table.dims) > 1 else Num("pyint", (), False)


# --- decompositions --------------------------------------------------------------------------------------

def eigh(a: Kind, *_: Kind) -> Tup:
    stack, batch, rows, _ = matrices(a)
    return Tup((array(dtype_of(np.linalg.eigvalsh, stack), (*batch, rows)), array(dtype_of(np.linalg.inv, stack), stack.dims)))


def eigvalsh(a: Kind, *_: Kind) -> Kind:
    return eigh(a).items[0]


def eig(a: Kind) -> Tup:
    """Complex for complex matrices; for real ones that depends on the values."""
    stack, batch, rows, _ = matrices(a)
    dtype = dtype_of(np.linalg.inv, stack) if stack.is_complex else None
    return Tup((array(dtype, (*batch, rows)), array(dtype, stack.dims)))


def eigvals(a: Kind) -> Kind:
    return eig(a).items[0]


def svd(a: Kind, full_matrices: Kind = Const(True), compute_uv: Kind = Const(True), hermitian: Kind = Const(False)) -> Kind:
    stack, batch, rows, columns = matrices(a)
    least = smaller(rows, columns)
    values = array(dtype_of(_singular_values, stack), (*batch, least))
    if not constant(compute_uv):
        return values
    dtype = dtype_of(np.linalg.pinv, stack)
    full = constant(full_matrices)
    return Tup((array(dtype, (*batch, rows, rows if full else least)), values,
                array(dtype, (*batch, columns if full else least, columns))))


def _singular_values(a: Any) -> Any:
    return np.linalg.svd(a, compute_uv=False)


def svdvals(x: Kind) -> Kind:
    return svd(x, compute_uv=Const(False))


def thin(ct: Kind, n: Kind, axis: Kind) -> Kind:
    """The first n along an axis that has no fewer."""
    value = numeric(ct)
    count = n.value if isinstance(n, Const) else getattr(as_num(n), "size", None)
    if value.dims is None or not isinstance(axis, Const):
        raise Unknown
    dims = list(value.dims)
    dims[axis.value] = smaller(dims[axis.value], count)
    return Num(value.dtype, tuple(dims), True)


def qr(a: Kind, mode: Kind = Const("reduced")) -> Kind:
    stack, batch, rows, columns = matrices(a)
    dtype = dtype_of(np.linalg.pinv, stack)
    kind = constant(mode)
    least = smaller(rows, columns)
    if kind == "r":
        return array(dtype, (*batch, least, columns))
    if kind == "complete":
        return Tup((array(dtype, (*batch, rows, rows)), array(dtype, stack.dims)))
    if kind == "reduced":
        return Tup((array(dtype, (*batch, rows, least)), array(dtype, (*batch, least, columns))))
    raise Unknown
