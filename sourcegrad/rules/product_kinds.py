"""Kinds of the results of products, convolutions and their adjoints; conventions as in `result_kinds`."""
from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, Const, Kind, Lst, Num, Obj, Rest, Tup, as_num, broadcast, broadcast_dim, common, many, times
from sourcegrad.kinds.results import Unknown, constant
from sourcegrad.rules.result_kinds import array, dtype_of, normalized, numeric, real_like, together
from sourcegrad.runtime import einsum_swapped, multi_dot_subscripts


def known(dims: tuple | None) -> tuple:
    if dims is None:
        raise Unknown
    return dims


def dtype_only(function: Callable) -> Callable:
    """Of a kind function that fails at the shape, at least the dtype."""
    def kind(a: Kind, b: Kind, *args: Kind, **options: Kind) -> Kind:
        try:
            return function(a, b, *args, **options)
        except (Unknown, IndexError):
            return Num(together(numeric(a), numeric(b)))
    return kind


# --- adjoints of products --------------------------------------------------------------------------------

def adjoint_left(ct: Kind, a: Kind, b: Kind) -> Kind:
    """Shaped as `a`, and real where it is."""
    return _adjoint(ct, b, numeric(a))


def adjoint_right(ct: Kind, a: Kind, b: Kind) -> Kind:
    return _adjoint(ct, a, numeric(b))


def _adjoint(ct: Kind, other: Kind, model: Num) -> Num:
    return array(real_like(together(numeric(ct), numeric(other)), model), model.dims)


def dot_adjoint_left(ct: Kind, a: Kind, b: Kind) -> Kind:
    return _dot_adjoint(ct, b, numeric(a))


def dot_adjoint_right(ct: Kind, a: Kind, b: Kind) -> Kind:
    return _dot_adjoint(ct, a, numeric(b))


def _dot_adjoint(ct: Kind, other: Kind, model: Num) -> Num:
    """Only that of a number times an array is made real where it is."""
    dtype = together(numeric(ct), numeric(other))
    if model.dims == () or numeric(other).dims == ():
        return array(real_like(dtype, model), model.dims)
    certain = model.dims is not None and numeric(other).dims is not None
    return array(dtype if certain or real_like(dtype, model) == dtype else None, model.dims)


def shaped_adjoint(position: int, *others: int) -> Callable:
    """Shaped as the argument at a position, of the dtype of the first and of the others; perhaps an array without axes."""
    def kind(*args: Kind, **_: Kind) -> Kind:
        dims = numeric(args[position]).dims
        result = array(together(*(numeric(args[k]) for k in (0, *others))), dims)
        return result if dims else Num(result.dtype, dims)
    return kind


# --- einsum ----------------------------------------------------------------------------------------------

def _operands(operands: Kind) -> list[Num]:
    if not isinstance(operands, Tup):
        raise Unknown                                        # how many there are
    return [numeric(item) for item in operands.items]


def _spelled_out(text: Any, nums: list[Num]) -> tuple[list[str], str]:
    """Terms and result, with letters for the dimensions of each ellipsis."""
    if not isinstance(text, str):
        raise Unknown
    inputs, arrow, output = text.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(nums):
        raise Unknown
    ranks = [len(known(num.dims)) - len(term.replace("...", "")) for term, num in zip(terms, nums)]
    if any(rank != 0 and ("..." not in term or rank < 0) for rank, term in zip(ranks, terms)):
        raise Unknown
    if not arrow:
        letters = inputs.replace(".", "").replace(",", "")
        output = "..." * ("." in inputs) + "".join(sorted(c for c in letters if letters.count(c) == 1))
    unused = "".join(c for c in string.ascii_letters if c not in text)
    most = max([rank for rank, term in zip(ranks, terms) if "..." in term], default=0)
    return ([term.replace("...", unused[most - rank:most]) for rank, term in zip(ranks, terms)],
            output.replace("...", unused[:most]))


def _dtype(*nums: Num) -> str | None:
    return dtype_of(_sum_of_product, *nums) if all(num.dims is not None for num in nums) else together(*nums)


def _sum_of_product(*arrays: Any) -> Any:
    letters = iter(string.ascii_letters)
    return np.einsum(",".join("".join(next(letters) for _ in range(np.ndim(x))) for x in arrays) + "->", *arrays)


def einsum(subscripts: Kind, *operands: Kind, **options: Kind) -> Num:
    nums = [numeric(operand) for operand in operands]
    dtype = _dtype(*nums)
    try:
        terms, output = _spelled_out(constant(subscripts), nums)
    except Unknown:
        return Num(dtype)
    sizes: dict = {}
    for term, num in zip(terms, nums):
        for letter, dim in zip(term, num.dims or ()):
            sizes[letter] = broadcast_dim(sizes.get(letter, 1), dim)
    if not set(output) <= set(sizes):
        return Num(dtype)                                    # NumPy raises an error
    result = array(dtype, tuple(sizes[letter] for letter in output))
    plain = "optimize" not in options or options["optimize"] == Const(False)
    return result if result.dims or plain else Num(result.dtype, ())          # an array without axes, perhaps


def einsum_of(subscripts: Kind, operands: Kind, optimize: Kind = Const(False)) -> Kind:
    return einsum(subscripts, *_operands(operands), optimize=optimize)


def einsum_adjoint(k: Kind, ct: Kind, subscripts: Kind, operands: Kind, optimize: Kind = Const(False)) -> Kind:
    """Zeros shaped as the operand, of the dtype of all others together with `ct`."""
    nums = _operands(operands)
    place = constant(k)
    dims = nums[place].dims
    result = array(_dtype(numeric(ct), *(num for j, num in enumerate(nums) if j != place)), dims)
    return result if dims else Num(result.dtype, dims)


def einsum_adjoints(ct: Kind, subscripts: Kind, operands: Kind, optimize: Kind = Const(False)) -> Kind:
    return Lst(common(einsum_adjoint(Const(k), ct, subscripts, operands) for k in range(len(_operands(operands)))))


def einsum_variation(cts: Kind, subscripts: Kind, operands: Kind, optimize: Kind = Const(False)) -> Kind:
    """A sum of results, one for each operand replaced by an adjoint of its own."""
    nums = _operands(operands)
    items = cts.items if isinstance(cts, Tup) else (cts.item,) if isinstance(cts, Lst) and cts.item else ()
    if not items or not nums:
        raise Unknown
    result = einsum(subscripts, *nums, optimize=optimize)
    dtype = _dtype(*(numeric(item) for item in items), *nums)
    return Num(dtype if len(nums) > 1 else None, result.dims, True if result.dims else None)


def like_operands(operands: Kind) -> Kind:
    """A list of arrays shaped as the operands."""
    joined = common(_operands(operands))
    return Lst(Num(None, joined.dims) if isinstance(joined, Num) else joined)


def einsum_swapped_kind(subscripts: Kind, k: Kind) -> Kind:
    text, place = constant(subscripts), constant(k)
    return Const(einsum_swapped(text, place)) if isinstance(text, str) else Obj(str)


def text_of_chain(arrays: Kind) -> Kind:
    try:
        examples = [np.empty((0,) * len(known(num.dims))) for num in _operands(arrays)]
    except Unknown:
        return Obj(str)
    return Const(multi_dot_subscripts(examples))


def replace_item(items: Kind, k: Kind, value: Kind) -> Kind:
    if isinstance(items, Tup) and isinstance(k, Const):
        place = range(len(items.items))[k.value]
        return Tup((*items.items[:place], value, *items.items[place + 1:]))
    return Rest(common([*items.items, value])) if isinstance(items, Tup) else Rest(ANY)


# --- other products --------------------------------------------------------------------------------------

def multi_dot(arrays: Kind, **_: Kind) -> Kind:
    nums = _operands(arrays)
    first, last = known(nums[0].dims), known(nums[-1].dims)
    return array(together(*nums), (first[:1] if len(first) == 2 else ()) + (last[1:] if len(last) == 2 else ()))


@dtype_only
def vecdot(a: Kind, b: Kind, axis: Kind = Const(-1), **_: Kind) -> Kind:
    one, other = numeric(a), numeric(b)
    (i,), (j,) = (normalized(constant(axis), len(known(num.dims))) for num in (one, other))
    rest = broadcast(_without(one.dims, i), _without(other.dims, j))
    return array(together(one, other), rest)


def _without(dims: Any, axis: int) -> tuple:
    return dims[:axis] + dims[axis + 1:]


@dtype_only
def matvec(a: Kind, x: Kind, **_: Kind) -> Kind:
    matrix, vector = known(numeric(a).dims), known(numeric(x).dims)
    return array(together(numeric(a), numeric(x)), (broadcast(matrix[:-2], vector[:-1]) or ()) + (matrix[-2],))


@dtype_only
def vecmat(x: Kind, a: Kind, **_: Kind) -> Kind:
    matrix, vector = known(numeric(a).dims), known(numeric(x).dims)
    return array(together(numeric(x), numeric(a)), (broadcast(vector[:-1], matrix[:-2]) or ()) + (matrix[-1],))


@dtype_only
def kron(a: Kind, b: Kind) -> Kind:
    one, other = known(numeric(a).dims), known(numeric(b).dims)
    rank = max(len(one), len(other))
    sizes = zip((1,) * (rank - len(one)) + one, (1,) * (rank - len(other)) + other)
    result = array(dtype_of(np.kron, numeric(a), numeric(b)), tuple(times(*pair) for pair in sizes))
    return result if result.dims else Num(result.dtype, ())


@dtype_only
def cross(a: Kind, b: Kind, axisa: Kind = Const(-1), axisb: Kind = Const(-1), axisc: Kind = Const(-1),
          axis: Kind = Const(None)) -> Kind:
    """Vectors of two components each have a number as their product, so that a size has to be known."""
    if axis != Const(None):
        axisa = axisb = axisc = axis
    one, other = known(numeric(a).dims), known(numeric(b).dims)
    (i,), (j,) = normalized(constant(axisa), len(one)), normalized(constant(axisb), len(other))
    if 3 not in (one[i], other[j]):
        raise Unknown
    return _crossed(a, b, i, j, axisc)


@dtype_only
def linalg_cross(a: Kind, b: Kind, axis: Kind = Const(-1)) -> Kind:
    one, other = known(numeric(a).dims), known(numeric(b).dims)
    (i,), (j,) = normalized(constant(axis), len(one)), normalized(constant(axis), len(other))
    return _crossed(a, b, i, j, axis)


def _crossed(a: Kind, b: Kind, i: int, j: int, axis: Kind) -> Num:
    rest = list(broadcast(_without(numeric(a).dims, i), _without(numeric(b).dims, j)) or ())
    (place,) = normalized(constant(axis), len(rest) + 1)
    rest.insert(place, 3)
    return array(together(numeric(a), numeric(b)), tuple(rest))


def convolve(a: Kind, v: Kind, mode: Kind = Const("full")) -> Kind:
    one, other = numeric(a), numeric(v)
    n, m = (1 if num.dims == () else num.dims[0] if num.dims else None for num in (one, other))
    return array(together(*(Num(num.dtype, num.dims and num.dims[:1], True if num.dims else num.boxed) for num in (one, other))),
                 (_length(n, m, constant(mode)),))


def _length(n: Any, m: Any, mode: Any) -> Any:
    if isinstance(n, int) and isinstance(m, int):
        return {"full": n + m - 1, "same": max(n, m), "valid": abs(n - m) + 1}.get(mode)
    if mode == "valid" and n == m and n is not None:
        return 1
    if mode != "valid" and 1 in (n, m):
        return m if n == 1 else n                            # empty arrays cannot be convolved
    return n if mode == "same" and n == m else None


# --- covariance, Vandermonde matrices, diagonals -----------------------------------------------------------

def cov(m: Kind, y: Kind = Const(None), rowvar: Kind = Const(True), bias: Kind | None = None, ddof: Kind | None = None,
        dtype: Kind | None = None, **_: Kind) -> Kind:
    """A square matrix without its axes of size 1."""
    table = numeric(m)
    own = dtype_of(np.cov, Num(table.dtype, (1, 1), True)) if dtype is None and y == Const(None) else None
    dims = known(table.dims) if y == Const(None) else ()
    if table.is_complex is not False:
        own = None                                           # that of no variables is real
    if len(dims) < 2:
        return Num(own, () if y == Const(None) else None, True)
    size = dims[0] if constant(rowvar) else dims[1] if dims[0] != 1 else None
    if not constant(rowvar) and not many(dims[0]) or not many(size):
        return Num(own, None, True)
    return Num(own, (size, size), True)


def vander(x: Kind, N: Kind = Const(None), increasing: Kind | None = None) -> Kind:
    points = numeric(x)
    (size,) = known(points.dims)
    return array(dtype_of(np.vander, points), (size, size if N == Const(None) else _count(N)))


def vander_derivative(x: Kind, n: Kind, increasing: Kind, order: Kind) -> Kind:
    points = numeric(x)
    dims = known(points.dims)
    return array(dtype_of(_with_half, points), (times(*dims), _count(n)))


def _with_half(x: Any) -> Any:
    return np.empty(1, np.result_type(x, np.float16))


def _count(kind: Kind) -> Any:
    if isinstance(kind, Const):
        return kind.value
    number = as_num(kind)
    return number.size if isinstance(number, Num) and number.is_scalar else None


def diagflat(v: Kind, k: Kind = Const(0)) -> Kind:
    values = numeric(v)
    size = times(*known(values.dims))
    away = constant(k)
    size = size + abs(away) if isinstance(size, int) else size if away == 0 else None
    return array(values.dtype, (size, size))


def linalg_trace(x: Kind, offset: Kind | None = None, dtype: Kind | None = None, **_: Kind) -> Kind:
    stack = numeric(x)
    return array(dtype_of(np.trace, stack, option=dtype), known(stack.dims)[:-2])


def linalg_diagonal(x: Kind, offset: Kind = Const(0)) -> Kind:
    stack = numeric(x)
    *batch, rows, columns = known(stack.dims)
    return array(stack.dtype, (*batch, rows if rows == columns and constant(offset) == 0 else None))
