"""Functions of Tensors under PyTorch's names, products and linear algebra (`sg.linalg`) included; `methods` makes methods of them.

`dim` may be called `axis`, and `keepdim` `keepdims`.
"""

from __future__ import annotations

import math
import types
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import refuse, refuse_type
from sourcegrad.tensor.core import Tensor, as_array, constant, get_default_dtype
from sourcegrad.tensor.operations import (
    CALL,
    FUNCTIONS,
    METHODS,
    OPERATIONS as O,
    a_tensor,
    axis,
    check_order,
    operand,
    public,
    spelled,
    variadic,
)
from sourcegrad.tensor.shapes import diagonal, movedim, reshape, squeeze, to, transpose, unsqueeze, view

Values = namedtuple("Values", "values indices")
# --- elementwise, by table

for _name, _other in {"neg": "negative", "abs": "absolute", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
                      "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "trunc": "fix", "square": None, "sin": None,
                      "cos": None, "tan": None, "sinh": None, "cosh": None, "tanh": None, "exp": None, "exp2": None, "expm1": None,
                      "log": None, "log2": None, "log10": None, "log1p": None, "sqrt": None, "rsqrt": None, "reciprocal": None,
                      "sigmoid": None, "relu": None, "floor": None, "ceil": None, "frac": None, "sign": None, "logsigmoid": None,
                      "angle": None, "sgn": None}.items():

    def _unary(x: Any, *, _call: Callable = CALL[_name], _operation: Any = O[_name]) -> Any:
        x = a_tensor(x)
        if x._data.dtype.kind in "biu" and _operation.name not in EXACT:
            x = constant(x._data.astype(get_default_dtype()))
        return _call(x)

    _unary.__name__ = _unary.__qualname__ = _name
    _unary.__doc__ = f"`{_name}` of each element."
    for _n in filter(None, (_name, _other)):
        FUNCTIONS[_n] = METHODS[_n] = _unary

EXACT = {"Neg", "Abs", "Sign", "Relu", "Floor", "Ceil", "Trunc", "Pow", "Clone", "Trace", "Real", "Imag", "Conj"}


def _two(name: str, alpha: bool = False) -> Callable:
    call = CALL[name]

    def function(x: Any, other: Any, *, alpha: Any = 1, rounding_mode: str | None = None) -> Any:
        if not isinstance(x, Tensor):
            x = a_tensor(x)
        other = operand(other)
        if other is NotImplemented:
            refuse_type(f"{name}(): argument 'other' must be Tensor or number")
        if alpha != 1:
            other = other * alpha
        return call(x, other)

    return function


for _name, _others in {"add": (), "sub": ("subtract",), "mul": ("multiply",), "atan2": ("arctan2",), "remainder": (), "fmod": (),
                       "hypot": (), "logaddexp": (), "maximum": (), "minimum": (), "fmax": (), "fmin": (), "inner": (),
                       "kron": ()}.items():
    for _n in (_name, *_others):
        public(_two(_name), _n)


@public
def outer(x: Any, other: Any) -> Tensor:
    """All products of the elements of two vectors."""
    if a_tensor(x)._data.ndim != 1 or a_tensor(other)._data.ndim != 1:
        refuse("outer: Expected 1-D arguments")
    return CALL["outer"](a_tensor(x), a_tensor(other))


FUNCTIONS["ger"] = METHODS["ger"] = outer


@public
def div(x: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Quotient; rounding_mode "floor" or "trunc" rounds it (derivative zero)."""
    if rounding_mode not in (None, "floor", "trunc"):
        refuse(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")
    found = CALL["div"](a_tensor(x), operand(other))
    return found if rounding_mode is None else CALL["floor" if rounding_mode == "floor" else "trunc"](found)


FUNCTIONS["divide"] = METHODS["divide"] = FUNCTIONS["true_divide"] = METHODS["true_divide"] = div


@public
def floor_divide(x: Any, other: Any) -> Tensor:
    return constant(a_tensor(x)._data // as_array(other))


@public
def pow_(x: Any, exponent: Any) -> Any:
    """x ** exponent."""
    if not isinstance(x, Tensor):
        x = x if type(x) in (int, float) and isinstance(exponent, Tensor) else a_tensor(x)
        if not isinstance(x, Tensor):
            return O["pow"](float(x) if exponent._data.dtype.kind in "fc" else x, exponent)
    if x._data.dtype.kind in "iu" and type(exponent) is int and exponent < 0:
        refuse("Integers to negative integer powers are not allowed.")
    return CALL["pow"](x, operand(exponent))


FUNCTIONS["power"] = METHODS["power"] = pow_


@public
def clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """Elements outside [min, max] become the bound. At a bound that is a number the derivative is zero; with one that is a Tensor
    it is shared."""
    x, bounds = a_tensor(x), [bound for bound in (min, max) if bound is not None]
    check_order("clamp", x)
    if not bounds:
        refuse("clamp: At least one of 'min' or 'max' must not be None")
    whole = [isinstance(bound, (Tensor, np.ndarray)) for bound in bounds]
    if any(whole) != all(whole) or not all(isinstance(bound, (int, float, np.generic)) for bound in bounds if not any(whole)):
        refuse_type("clamp(): the bounds must be both numbers or both Tensors")
    if any(whole):
        if len(bounds) == 2:
            return O["clamp_by"](x, *bounds)
        return O["minimum" if min is None else "maximum"](x, *bounds)
    if any(bound != bound for bound in bounds):
        return x * math.nan
    if len(bounds) == 2:
        return O["clamp"](x, max if min > max else min, max)
    return O["clamp_max" if min is None else "clamp_min"](x, *bounds)


public(lambda x, min: clamp(x, min), "clamp_min")
public(lambda x, max: clamp(x, None, max), "clamp_max")
FUNCTIONS["clip"] = METHODS["clip"] = clamp


@public
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """x where the condition holds, else y; of a condition alone, where it holds."""
    if x is None:
        return tuple(constant(part) for part in np.nonzero(as_array(condition)))
    condition = condition if isinstance(condition, Tensor) else constant(np.asarray(condition))
    if condition._data.dtype.kind != "b" and condition._data.dtype != np.uint8:
        refuse(f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition._data.dtype}")
    if operand(x) is NotImplemented or operand(y) is NotImplemented:
        refuse_type("where(): arguments must be Tensors or numbers")
    return O["where"](condition, x, y)


METHODS["where"] = lambda x, condition, y: where(condition, x, y)


@public
def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    if a_tensor(mask)._data.dtype != bool:
        refuse("masked_fill_ only supports boolean masks")
    return O["masked_fill"](a_tensor(x), a_tensor(mask), operand(value))


@public
def lerp(x: Any, end: Any, weight: Any) -> Any:
    return O["lerp"](x, end, operand(weight))


@public
def addcmul(x: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    return O["addcmul"](x, tensor1, tensor2, value)


@public
def addcdiv(x: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    return O["addcdiv"](x, tensor1, tensor2, value)


@public
def round_(x: Any, *, decimals: int = 0) -> Any:
    return O["round"](a_tensor(x), decimals=decimals)


@public
def nan_to_num(x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    x = a_tensor(x)
    good = np.isfinite(x._data)
    return O["where"](constant(good), x,
                      constant(np.nan_to_num(np.where(good, 0.0, x._data), nan=nan, posinf=posinf, neginf=neginf)))


# --- reductions

def _reduction(name: str, floats: bool = False) -> Callable:
    operation = O[name]

    def function(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
        x = a_tensor(x)
        if dtype is not None:
            x = to(x, dtype)
        elif floats and x._data.dtype.kind in "biu":
            refuse(f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype.",
                   "Convert it first: x.double().")
        return operation(x, dim=None if dim == () else axis(x, dim), keepdim=bool(keepdim))

    return public(function, name)


sum_, mean, amax, amin = _reduction("sum"), _reduction("mean", True), _reduction("amax"), _reduction("amin")
_prod = _reduction("prod")


@public
def nansum(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return sum_(nan_to_num(x), dim, keepdim)


def _extremum(name: str, of: Callable) -> Callable:
    def function(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        x = a_tensor(x)
        if isinstance(dim, (Tensor, np.ndarray)):
            return FUNCTIONS[f"{name}imum"](x, dim)
        if dim is None:
            if x._data.size == 0:
                refuse(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                    "Specify the reduction dim with the 'dim' argument."
                )
            return O[name](x, dim=None, keepdim=False)
        return chosen(x, of, axis(x, dim), keepdim, f"picked_{name}")

    return public(function, name)


def chosen(x: Tensor, of: Callable, dim: int, keepdim: bool, operation: str) -> Values:
    """The elements at the positions that `of` finds along a dimension, and the positions."""
    check_order("an extremum", x)
    if x._data.ndim == 0:
        return Values(x.reshape(()), constant(np.asarray(0)))  # type: ignore[attr-defined]
    index = np.expand_dims(of(x._data, axis=dim), dim)
    return Values(O[operation](x, constant(index), dim=dim, keepdim=bool(keepdim)),
                  constant(index if keepdim else np.squeeze(index, dim)))


max_, min_ = _extremum("max", np.argmax), _extremum("min", np.argmin)


@public
def median(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The lower of the two middle elements."""
    x = a_tensor(x)

    def middle(data: np.ndarray, axis: int) -> np.ndarray:
        return np.take(np.argsort(data, axis=axis, kind="stable"), (data.shape[axis] - 1) // 2, axis=axis)

    if dim is None:
        return chosen(reshape(x, -1), middle, 0, False, "picked")[0]
    return chosen(x, middle, axis(x, dim), keepdim, "picked")


def _spread(name: str) -> Callable:
    def function(x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
        if type(dim) is bool:
            dim, unbiased = None, dim
        x = a_tensor(x)
        if correction is not None and unbiased is not None:
            refuse_type(f"{name}() takes unbiased= or correction=, not both")
        if correction is None:
            correction = 1 if unbiased is None or unbiased else 0
        return O[name](x, dim=axis(x, dim), correction=correction, keepdim=bool(keepdim))

    return public(function, name)


var, std = _spread("var"), _spread("std")


def _floats(x: Any, name: str, dtype: Any) -> Tensor:
    x = a_tensor(x)
    if dtype is not None and not np.can_cast(x._data.dtype, dtype):
        refuse(f"{name}: the dtype of the input ({x._data.dtype}) should be convertible without narrowing to {np.dtype(dtype)}")
    x = x if dtype is None else to(x, dtype)
    if x._data.dtype.kind not in "fc":
        refuse(f"{name}: Expected a floating point or complex tensor as input. Got {x._data.dtype}",
               "Convert it first: x.double().")
    return x


@public
def norm(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The p-norm of all elements, or along dimensions; "nuc" is that of matrices."""
    x = _floats(x, "norm", dtype)
    if p == "nuc":
        return matrix_norm(x, p, tuple(range(x._data.ndim)) if dim is None else (dim,) if isinstance(dim, int) else dim, keepdim)
    if isinstance(p, str) and p != "fro":
        refuse(f"norm only supports the names 'fro' and 'nuc', not {p!r}")
    return vector_norm(x, 2 if p in ("fro", None) else p, dim, keepdim)


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    x = _floats(x, "linalg.vector_norm", dtype)
    if isinstance(ord, str):
        refuse_type(f"linalg.vector_norm: ord must be a number, not {ord!r}")
    how = {"dim": None if dim == () else axis(x, dim), "keepdim": bool(keepdim)}
    if ord == 2:
        return O["euclidean"](CALL["abs"](x) if x._data.dtype.kind == "c" else x, **how)
    size = CALL["abs"](x)
    if ord in (math.inf, -math.inf):
        return O["amax" if ord > 0 else "amin"](size, **how)
    if ord == 0:
        return O["sum"](CALL["sign"](size.detach() if x._data.dtype.kind == "c" else size), **how)
    return O["sum"](size, **how) if ord == 1 else O["power_norm"](x, p=float(ord), **how)


def matrix_norm(x: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    x = _floats(x, "linalg.matrix_norm", dtype)
    if not isinstance(dim, (tuple, list)):
        refuse_type(f"linalg.matrix_norm: dim must be a tuple of two dimensions, not {dim!r}")
    if x._data.ndim < 2 or len(dim) != 2:
        refuse(f"linalg.matrix_norm: dim must be two dimensions of a Tensor with at least two: {tuple(dim)} of {x._data.ndim}")
    if ord not in ("fro", "nuc", math.inf, -math.inf, 1, -1, 2, -2):
        refuse(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == "fro":
        return vector_norm(x, 2, dim, keepdim)
    rows, columns = axis(x, dim)
    if ord in ("nuc", 2, -2):
        x = movedim(x, (rows, columns), (-2, -1))
        which = "sum" if ord == "nuc" else "amax" if ord == 2 else "amin"
        found = O[which](CALL["svdvals"](x), dim=x._data.ndim - 2, keepdim=False)
        return unsqueeze(unsqueeze(found, min(rows, columns)), max(rows, columns)) if keepdim else found
    along, over = (rows, columns) if ord in (1, -1) else (columns, rows)
    found = O["amax" if ord > 0 else "amin"](O["sum"](CALL["abs"](x), dim=along, keepdim=True), dim=over, keepdim=True)
    return found if keepdim else squeeze(found, (rows, columns))


def linalg_norm(x: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Of a matrix with an order, or along two dimensions, the matrix norm; else that of all elements."""
    x = _floats(x, "linalg.norm", dtype)
    if ord is None:
        return vector_norm(x, 2, dim, keepdim)
    if dim is None:
        if x._data.ndim not in (1, 2):
            refuse(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {x._data.ndim}D")
        dim = tuple(range(x._data.ndim))
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if len(dims) == 2:
        return matrix_norm(x, ord, dims, keepdim)
    if isinstance(ord, str) or len(dims) != 1:
        refuse(f"linalg.norm: ord={ord!r} needs one dimension of vectors (and a number) or two of matrices, not {len(dims)}")
    return vector_norm(x, ord, dims, keepdim)


@public
def logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    x = a_tensor(x)
    return O["logsumexp"](x, dim=axis(x, dim), keepdim=bool(keepdim))


def _along(name: str) -> Callable:
    """A function along one dimension, which must be given."""

    def function(x: Any, dim: Any = None, dtype: Any = None) -> Any:
        if dim is None:
            refuse_type(f"{name}() missing 1 required positional arguments: 'dim'")
        x = a_tensor(x) if dtype is None else to(a_tensor(x), dtype)
        return O[name](x, dim=axis(x, dim))

    return public(function, name)


softmax, log_softmax, cumsum, cumprod = map(_along, ("softmax", "log_softmax", "cumsum", "cumprod"))


@public
def diff(x: Any, n: int = 1, dim: int = -1) -> Any:
    x = a_tensor(x)
    return O["diff"](x, n=n, dim=axis(x, dim))


_np: Any
for _name, _np in (("argmax", np.argmax), ("argmin", np.argmin)):

    def _position(x: Any, dim: Any = None, keepdim: bool = False, *, _of: Callable = _np) -> Tensor:
        x = a_tensor(x)
        check_order("argmax", x)
        if dim is None:
            return constant(np.asarray(_of(x._data)))
        found = _of(x._data, axis=axis(x, dim))
        return constant(np.expand_dims(found, axis(x, dim)) if keepdim else found)

    public(_position, _name)


@public
def argsort(x: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    data = a_tensor(x)._data
    check_order("sort", data)
    order = np.argsort(-data if descending else data, axis=dim, kind="stable")
    return constant(order)


@public
def sort(x: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Values:
    """Sorted elements, and their positions."""
    x = a_tensor(x)
    if x._data.ndim == 0:
        return Values(x, constant(np.asarray(0)))
    order = argsort(x, dim, descending)
    return Values(O["sort"](x, order, dim=axis(x, dim)), order)


@public
def topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Values:
    x = a_tensor(x)
    if not 0 <= k <= (x._data.shape[axis(x, dim)] if x._data.ndim else 1):
        refuse(f"selected index k out of range: {k}")
    order = constant(np.take(argsort(x, dim, largest)._data, range(k), axis=dim))
    return Values(O["topk"](x, order, dim=axis(x, dim)), order)


for _name, _np in (("all", np.all), ("any", np.any), ("count_nonzero", np.count_nonzero)):

    def _logical(x: Any, dim: Any = None, keepdim: bool = False, *, _of: Callable = _np) -> Tensor:
        return constant(_of(a_tensor(x)._data, axis=None if dim is None else axis(a_tensor(x), dim), keepdims=keepdim))

    public(_logical, _name)

for _name, _np in (("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite), ("logical_not", np.logical_not),
                   ("signbit", np.signbit)):
    FUNCTIONS[_name] = METHODS[_name] = (lambda of: lambda x: constant(of(a_tensor(x)._data)))(_np)



def compared(of: Callable, x: Any, other: Any, **options: Any) -> Tensor:
    a, b = a_tensor(x)._data, as_array(other)
    if of in ORDERINGS:
        check_order(of.__name__, a, b)
    return constant(of(a, b, **options))


ORDERINGS = {np.less, np.less_equal, np.greater, np.greater_equal}
COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
               "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor, "isclose": np.isclose}
for _name, _np in COMPARISONS.items():
    FUNCTIONS[_name] = METHODS[_name] = (lambda of: lambda x, other,
                                         **options: compared(of, x, other, **options))(_np)
for _name, _other in (("eq", "not_"), ("gt", "greater"), ("lt", "less"), ("ge", "greater_equal"), ("le", "less_equal"),
                      ("ne", "not_equal")):
    FUNCTIONS.setdefault(_other, FUNCTIONS[_name])


@public
def allclose(x: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(np.allclose(as_array(x), as_array(other), rtol, atol, equal_nan))


@public
def equal(x: Any, other: Any) -> bool:
    return bool(np.array_equal(as_array(x), as_array(other)))


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


mm, bmm, mv = (public(lambda x, y: matmul(x, y), name) for name in ("mm", "bmm", "mv"))


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


@public
def vdot(x: Any, y: Any) -> Tensor:
    """The product of vectors, the first conjugated."""
    return dot(x, y) if a_tensor(x)._data.dtype.kind != "c" else dot(conj(x), y)


# --- complex numbers

@public
def real(x: Any) -> Tensor:
    """The real part, a view."""
    x = a_tensor(x)
    return view(O["real"], x, {}, lambda parent, value: CALL["complex"](value, CALL["imag"](parent))) if x.is_complex() else x


@public
def imag(x: Any) -> Tensor:
    """The imaginary part, a view."""
    x = a_tensor(x)
    if not x.is_complex():
        refuse("imag is not implemented for tensors with non-complex dtypes.")
    return view(O["imag"], x, {}, lambda parent, value: CALL["complex"](CALL["real"](parent), value))


@public
def conj(x: Any) -> Tensor:
    x = a_tensor(x)
    return CALL["conj"](x) if x.is_complex() else x


METHODS["conj_physical"] = conj
METHODS["resolve_conj"] = lambda x: x


@public
def complex_(x: Any, y: Any) -> Tensor:
    """The complex number of a real and an imaginary part."""
    return CALL["complex"](a_tensor(x), a_tensor(y))


@public
def polar(x: Any, y: Any) -> Tensor:
    """The complex number of an absolute value and an angle."""
    return CALL["polar"](a_tensor(x), a_tensor(y))


for _name in ("complex", "polar"):
    METHODS.pop(_name)
FUNCTIONS["is_complex"] = lambda x: a_tensor(x).is_complex()
FUNCTIONS["is_floating_point"] = lambda x: a_tensor(x).is_floating_point()


@public
def addmm(x: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return O["addmm"](x, mat1, mat2, beta, alpha)


@public
def baddbmm(x: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return O["addmm"](x, batch1, batch2, beta, alpha)


@public
def trace(x: Any) -> Tensor:
    if a_tensor(x)._data.ndim != 2:
        refuse(f"trace: expected a matrix, but got tensor with dim {a_tensor(x)._data.ndim}")
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
def cross(x: Any, other: Any, dim: Any = None) -> Tensor:
    """The product of vectors along a dimension (the first of size 3)."""
    if dim is None:
        dim = next((d for d, n in enumerate(x._data.shape) if n == 3), -1)
    return _cross(x, other, dim)


def _cross(x: Any, other: Any, dim: int = -1) -> Tensor:
    if any(part._data.shape[axis(part, dim)] != 3 for part in (x, other)):
        refuse(f"linalg.cross: inputs dimension {dim} must have length 3. Got {list(x._data.shape)} and {list(other._data.shape)}")
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
    return value if not sign.is_complex() and np.all(sign._data > 0) else CALL["log"](det(x))


@public
def slogdet(x: Any) -> Slogdet:
    x = a_tensor(x)
    sign = CALL["sgn"](det(x)) if x.is_complex() else constant(np.linalg.slogdet(x._data)[0])
    return Slogdet(sign, linear_algebra(CALL["logabsdet"], x))


def hermitian(x: Any, upper: bool) -> Tensor:
    """The Hermitian matrix whose lower or upper triangle is given: only that is read. Its derivative is that of the whole."""
    x = a_tensor(x)
    strict = np.triu(x._data, 1) if upper else np.tril(x._data, -1)
    whole = strict + np.conj(np.swapaxes(strict, -1, -2)) + np.real(np.triu(np.tril(x._data)))
    return x if np.array_equal(whole, x._data) else x + constant(whole - x._data)


@public
def cholesky(x: Any, upper: bool = False) -> Tensor:
    found = linear_algebra(CALL["cholesky"], hermitian(x, upper))
    return conj(transpose(found, -2, -1)) if upper else found


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
    return Eigh(*linear_algebra(CALL["eigh"], hermitian(x, UPLO == "U")))


def _eigvalsh(x: Any, UPLO: str = "L") -> Tensor:
    return linear_algebra(CALL["eigvalsh"], hermitian(x, UPLO == "U"))


linalg = types.SimpleNamespace(norm=spelled(linalg_norm), vector_norm=spelled(vector_norm), matrix_norm=spelled(matrix_norm),
                               inv=inverse, pinv=pinverse, det=det, slogdet=slogdet, solve=_solve, cholesky=cholesky, qr=qr,
                               eigh=_eigh, matrix_power=matrix_power, eigvalsh=_eigvalsh,
                               svdvals=lambda x: linear_algebra(CALL["svdvals"], x), svd=lambda x,
                               full_matrices=True: Svd(*linear_algebra(O["svd"], x, full_matrices=full_matrices)), cross=_cross,
                               diagonal=diagonal, multi_dot=lambda xs: _chain(xs))


def _chain(xs: Any) -> Tensor:
    found, *others = xs
    for other in others:
        found = matmul(found, other)
    return found
