"""Kinds of results, for rules to declare."""
from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import (
    ANY,
    DISCRETE,
    EXAMPLES,
    PYTHON_SCALARS,
    Closure,
    Const,
    Dct,
    Fn,
    Kind,
    Lst,
    Num,
    Obj,
    OneOf,
    Rest,
    SetOf,
    Tup,
    as_num,
    common,
)
from sourcegrad.kinds.lattice import broadcast

_dtype_cache: dict = {}


def _example(kind: Num) -> Any:
    if kind.dtype in EXAMPLES:
        return EXAMPLES[kind.dtype]
    return np.ones((1,) * len(kind.dims or ()) if kind.boxed else (), dtype=kind.dtype)[() if not kind.boxed else ...]


def elementwise(function: Any) -> Any:
    """Kind function of an elementwise primitive: shapes broadcast, the dtype is found on an example of size 1."""

    def kind(*args: Kind, **options: Kind) -> Kind:
        nums = [num for num in map(as_num, args) if isinstance(num, Num)]
        if len(nums) < len(args):
            return ANY
        dims = broadcast(*(num.dims for num in nums))
        boxed = None if any(n.boxed is None for n in nums) else any(n.boxed for n in nums)
        if any(n.dims for n in nums):       # of an array and what may be a number
            boxed = True
        if boxed and dims == ():
            boxed = False                   # ufuncs return scalars for 0-d arrays
        if options or dims is None or boxed is None or any(n.dtype is None for n in nums):
            dtype = None
        else:
            dtype = _result_dtype(function, tuple(nums))
        return Num(dtype, dims, True if dims else boxed)

    return kind


def _result_dtype(function: Any, nums: tuple) -> str | None:
    key = (function, tuple((n.dtype, n.boxed and len(n.dims) > 0) for n in nums))
    if key not in _dtype_cache:
        examples = [_example(n) for n in nums]
        try:
            with np.errstate(all="ignore"):
                result = function(*examples)
        except (TypeError, ValueError, ArithmeticError):        # an example outside the domain says nothing
            _dtype_cache[key] = None
        else:
            cls = type(result)
            _dtype_cache[key] = PYTHON_SCALARS[cls] if cls in PYTHON_SCALARS else getattr(
                getattr(result, "dtype", None), "name", None)
    return _dtype_cache[key]


def constant(kind: Kind | None, default: Any = None) -> Any:
    """The value of a constant kind; raises `Unknown` for anything else."""
    if kind is None:
        return default
    if isinstance(kind, Const):
        return kind.value
    if isinstance(kind, Tup):
        return tuple(constant(item) for item in kind.items)
    raise Unknown


class Unknown(Exception):
    """A kind function met something it cannot know; the result is then of unknown shape."""


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, np.ufunc, functools.partial)


def constant_truth(kind: Kind | None) -> bool | None:
    """Truth of a test whose kind decides it."""
    if isinstance(kind, Const):
        return bool(kind.value)
    if isinstance(kind, Closure) or (isinstance(kind, Fn) and isinstance(kind.value, FUNCTIONS)):
        return True
    if isinstance(kind, Dct) and kind.partial:
        return None
    if isinstance(kind, (Tup, Dct)):
        if hasattr(getattr(kind, "cls", None), "__bool__"):                      # a namedtuple
            return None
        return bool(kind.items)
    if isinstance(kind, OneOf):
        return True if not kind.optional and all(map(constant_truth, kind.items)) else None
    if isinstance(kind, Obj) and kind.items is not None and not kind.optional and not any(
            hasattr(kind.cls, name) for name in ("__bool__", "__len__")):
        return True
    return None

NUMPY_NAMES = {"pyfloat": "float64", "pyint": np.dtype(int).name, "pybool": "bool", "pycomplex": "complex128"}
INDEX = np.dtype(np.intp).name
NUMPY_2 = int(np.__version__.split(".")[0]) >= 2


# --- what is known of arguments -------------------------------------------------------------------------

def asked_dtype(kind: Kind | None, default: str | None) -> str | None:
    """The dtype which a `dtype=` argument asks for."""
    if kind is None or kind == Const(None):
        return default
    if isinstance(kind, Const) and isinstance(kind.value, (str, np.dtype)) or isinstance(kind, Fn):
        try:
            return np.dtype(kind.value).name
        except TypeError:
            return None
    return None


def shape_of(kind: Kind | None) -> tuple:
    """The symbolic shape which a `shape=` argument (an int or a tuple of ints) asks for."""
    if isinstance(kind, Const) and isinstance(kind.value, tuple):
        return tuple(_size(Const(item)) for item in kind.value)
    if isinstance(kind, Tup):
        return tuple(map(_size, kind.items))
    return (_size(kind),)


def _size(kind: Kind | None) -> Any:
    if isinstance(kind, Const) and type(kind.value) is int:
        return kind.value if kind.value >= 0 else None
    if isinstance(kind, Num) and (kind.is_scalar or kind.dims == ()):
        return kind.size
    raise Unknown


def leaf(kind: Kind | None) -> Num:
    """What is known of a number or array, or of the array that nested lists become; boxed is never False."""
    kind = as_num(kind or ANY)
    if isinstance(kind, Num):
        return array_or_scalar(NUMPY_NAMES.get(kind.dtype or "", kind.dtype), kind.dims, kind.boxed or None)
    count, items = elements(kind)
    return Num(promoted(items), stacked(items, 0, count), True)


def elements(kind: Kind) -> tuple[int | None, list[Num]]:
    """The number of arrays in a list, a tuple or an array, and what is known of them."""
    if isinstance(kind, Tup) and kind.items:
        return len(kind.items), [leaf(item) for item in kind.items]
    if isinstance(kind, Lst) and kind.item is not None:
        return None, [leaf(kind.item)]
    if isinstance(kind, Num) and kind.dims:
        return kind.dims[0], [Num(kind.dtype, kind.dims[1:], True)]
    raise Unknown


def promoted(items: list[Num]) -> str | None:
    if any(item.dtype is None for item in items):
        return None
    return np.result_type(*(np.dtype(item.dtype) for item in items)).name


def merged(items: list[Num]) -> tuple | None:
    """The common shape of arrays that have equal shapes."""
    shapes = [item.dims for item in items if item.dims is not None]
    if not shapes:
        return None
    return tuple(equal_size(sizes) for sizes in zip(*shapes))


def equal_size(sizes: tuple) -> Any:
    known = [n for n in sizes if isinstance(n, int)] + [n for n in sizes if isinstance(n, str)]
    return known[0] if known else None


def stacked(items: list[Num], axis: int, count: int | None) -> tuple | None:
    dims = merged(items)
    if dims is None:
        return None
    axis %= len(dims) + 1
    return dims[:axis] + (count,) + dims[axis:]


def axes_of(kind: Kind | None, ndim: int) -> tuple[int, ...]:
    axes = constant(kind)
    axes = axes if isinstance(axes, tuple) else (axes,)
    if not all(type(axis) is int and -ndim <= axis < ndim for axis in axes):
        raise Unknown
    found = tuple(axis % ndim for axis in axes)
    if len(set(found)) < len(found):
        raise Unknown                                        # NumPy raises an error
    return found


def dims_of(num: Num) -> tuple:
    if num.dims is None:
        raise Unknown
    return num.dims


def array_or_scalar(dtype: str | None, dims: tuple | None, boxed: bool | None = None) -> Num:
    """A result that is an array, except perhaps when it has no axes."""
    return Num(dtype, dims, True if dims else boxed)


def fresh(dtype: str | None, dims: tuple | None) -> Num:
    """A result that is certainly an array."""
    return Num(dtype, dims, True)


def value(dtype: str | None, dims: tuple | None) -> Num:
    """A result that is a scalar where an array would have no axes."""
    return Num(dtype, dims, None if dims is None else len(dims) > 0)


def lenient(kind: Callable) -> Callable:
    """Of a kind function that fails, at least that the result is like the first argument, of any shape."""
    def wrapped(*args: Kind, **options: Kind) -> Kind:
        try:
            return kind(*args, **options)
        except Unknown:
            model = leaf(args[0] if args else None)
            return Num(model.dtype, None, model.boxed)
    return wrapped


def _shape_or_none(shape: Kind | None) -> tuple | None:
    try:
        return shape_of(shape)
    except Unknown:
        return None

REAL_PART = {"complex64": "float32", "complex128": "float64", "pycomplex": "float64"}


def numeric(kind: Kind) -> Num:
    """The kind as a number or array; raises `Unknown` for anything else."""
    kind = as_num(kind)
    if not isinstance(kind, Num):
        raise Unknown
    return kind


def array(dtype: str | None, dims: tuple | None) -> Num:
    """A NumPy result: an ndarray, or a NumPy scalar where the rank is 0."""
    return Num(NUMPY_NAMES.get(dtype or "", dtype), dims, None if dims is None else bool(dims))


def normalized(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes as non-negative ints; None means all of them."""
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(type(k) is int and -ndim <= k < ndim for k in axes):
        raise Unknown
    return tuple(k % ndim for k in axes)


_dtypes: dict = {}


def dtype_of(function: Callable, *args: Num, option: Kind | None = None) -> str | None:
    """Result dtype of a function, found on arrays of size 1 (numbers for what certainly are numbers).

    option: the kind of a dtype argument. Of one array the rank does not matter.
    """
    if option is not None and option != Const(None):
        return named_dtype(option)
    if len(args) == 1 and args[0].dims is None and not args[0].is_scalar:
        args = (Num(NUMPY_NAMES.get(args[0].dtype or "", args[0].dtype), (1, 1), True),)
    if any(arg.dtype is None or arg.dims is None for arg in args):
        return None
    key = (function, *((arg.dtype, len(arg.dims or ()), arg.is_scalar) for arg in args))
    if key not in _dtypes:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")                  # NumPy warns of a variance of one number
                result = function(*map(_unit_example, args))
            _dtypes[key] = getattr(getattr(result, "dtype", None), "name", None)
        except Exception:                       # no example: nothing is known
            _dtypes[key] = None
    return _dtypes[key]


def _unit_example(arg: Num) -> Any:
    if arg.dtype in kinds.EXAMPLES:
        return type(kinds.EXAMPLES[arg.dtype])(1)
    example = np.full((1,) * len(arg.dims or ()), 1, arg.dtype)
    return example[()] if arg.is_scalar else example


def together(*args: Num) -> str | None:
    """The dtype of a product of arrays and numbers."""
    names = {arg.dtype for arg in args if arg.dtype is not None}
    if any(arg.dtype is None for arg in args):
        return None
    if any(arg.dims is None for arg in args):              # whether one is weaker than others is not known
        plain = not names & kinds.EXAMPLES.keys() and (NUMPY_2 or len(names) == 1)
        return np.result_type(*names).name if plain else None
    return dtype_of(_product, *args)


def _product(*args: Any) -> Any:
    return functools.reduce(np.multiply, args)


def real_like(dtype: str | None, model: Num) -> str | None:
    """The dtype of a value of which the real part is taken where `model` is real."""
    if dtype is None or not Num(dtype).is_complex or model.is_complex:
        return dtype
    return None if model.is_complex is None else REAL_PART[dtype]


def named_dtype(option: Kind) -> str | None:
    value = option.value if isinstance(option, (Const, Fn)) else None
    try:
        return None if value is None else np.dtype(value).name
    except TypeError:
        return None


# --- results shaped as an argument ---------------------------------------------------------------------

def same_as_first(x: Kind, *_: Kind, **__: Kind) -> Kind:
    """Shape and dtype of the first argument."""
    x = numeric(x)
    return array(x.dtype, x.dims)


def shaped_like(position: int, *sources: int) -> Callable:
    """Shape of the argument at a position, dtype of those at `sources` together (default: the first): adjoints that helpers
    compute."""

    def kind(*args: Kind, **_: Kind) -> Kind:
        return array(together(*(numeric(args[k]) for k in sources or (0,))), numeric(args[position]).dims)

    return kind


# --- reductions ----------------------------------------------------------------------------------------

def reduced_dims(dims: tuple | None, axis: Kind | None, keepdims: Kind | None) -> tuple | None:
    """Dimensions after a reduction over `axis`."""
    keep = constant(keepdims, False)
    if dims is None:
        return () if constant(axis) is None and not keep else None
    if isinstance(as_num(axis or Const(None)), Num) and not isinstance(axis, Const):
        return (None,) * (len(dims) if keep else len(dims) - 1)         # some axis
    if not dims:                                       # np.sum(x, axis=-1) of a number is that number
        return ()
    axes = normalized(constant(axis), len(dims))
    if keep:
        return tuple(1 if k in axes else dim for k, dim in enumerate(dims))
    return tuple(dim for k, dim in enumerate(dims) if k not in axes)


def item_kind(items: Kind) -> Kind | None:
    """What all items of a sequence have in common (None: it is empty)."""
    items = as_num(items)
    if isinstance(items, (Lst, Rest)) or isinstance(items, SetOf) and items.item is not None:
        return items.item
    if items is DISCRETE:
        return items
    if isinstance(items, Tup):
        return common(items.items)
    if isinstance(items, Num) and items.dims:
        return Num(items.dtype, items.dims[1:], len(items.dims) > 1)
    raise Unknown
