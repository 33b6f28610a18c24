"""What is known of a value before the program runs: its kind.

A kind is a small immutable description: a number or array of some dtype and symbolic shape (`Num`), a tuple
or list of kinds, a constant, a function, or nothing at all (`ANY`). Generated code is specialised on the kinds
of the arguments, so kinds are also (part of) the cache key.

Dimensions are ints (known size), strings (a symbol: two equal symbols are two equal sizes) or None (unknown).
A symbol of an argument, such as "x.0", is known not to be 1: size 1 is specialised on. A derived symbol
("x.0-1") may be 1.
"""
from __future__ import annotations

import functools
import types
from dataclasses import dataclass
from typing import Any

import numpy as np

PYTHON_SCALARS = {float: "pyfloat", int: "pyint", bool: "pybool", complex: "pycomplex"}
_FLOAT = {"pyfloat", "float16", "float32", "float64", "longdouble", "float128"}
_COMPLEX = {"pycomplex", "complex64", "complex128", "clongdouble", "complex256"}
EXAMPLES = {"pyfloat": 1.0, "pyint": 1, "pybool": True, "pycomplex": 1.0 + 0.0j}


@dataclass(frozen=True)
class Kind:
    """Base class; `ANY` (nothing known) is its one direct instance."""


@dataclass(frozen=True)
class Num(Kind):
    """A number or numeric array. `boxed` tells an ndarray (True) from an immutable scalar (False).

    `size` is set for ints that are sizes: the dimension that they are (`x.shape[0]` has size "x.0").
    """

    dtype: str | None = None
    dims: tuple | None = None
    boxed: bool | None = None
    size: Any = None

    @property
    def ndim(self) -> int | None:
        return None if self.dims is None else len(self.dims)

    @property
    def is_scalar(self) -> bool:
        """Certainly an immutable scalar (Python number or NumPy scalar)."""
        return self.boxed is False

    @property
    def is_complex(self) -> bool | None:
        return None if self.dtype is None else self.dtype in _COMPLEX

    @property
    def is_discrete(self) -> bool:
        """Certainly of an integer, boolean or other dtype without derivatives."""
        return self.dtype is not None and self.dtype not in _FLOAT and self.dtype not in _COMPLEX and (
            self.dtype != "object")


@dataclass(frozen=True)
class Const(Kind):
    """A value known at generation time: None, a string, a bool, a constant int, a slice of constants."""

    value: Any

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Const) and type(self.value) is type(other.value)
                and repr(self.value) == repr(other.value))


@dataclass(frozen=True)
class Tup(Kind):
    items: tuple[Kind, ...]


@dataclass(frozen=True)
class Lst(Kind):
    """A list; `item` is the join of all elements (None: no element seen yet)."""

    item: Kind | None = None


@dataclass(frozen=True)
class Dct(Kind):
    """A dict with constant keys."""

    items: tuple[tuple[Any, Kind], ...]

    def get(self, key: Any) -> Kind | None:
        return dict(self.items).get(key)


@dataclass(frozen=True)
class Closure(Kind):
    """A nested function or partial made while running: at run time the tuple of captured values.

    The last `len(keywords)` captured values are passed by keyword.
    """

    function: Any
    items: tuple[Kind, ...]
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fn(Kind):
    """A callable known by identity."""

    value: Any

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fn) and self.value is other.value


@dataclass(frozen=True)
class Obj(Kind):
    """An instance of a class about which only the class is known."""

    cls: type


ANY = Kind()
NUMERIC = Num()
FLOAT = Num("pyfloat", (), False)
INT = Num("pyint", (), False)
BOOL = Num("pybool", (), False)


def as_num(kind: Kind) -> Kind:
    """A constant number seen as a number; everything else unchanged."""
    if isinstance(kind, Const) and type(kind.value) in PYTHON_SCALARS:
        return Num(PYTHON_SCALARS[type(kind.value)], (), False)
    return kind


def is_numeric(kind: Kind) -> bool:
    return isinstance(as_num(kind), Num)


def is_discrete(kind: Kind) -> bool:
    """Whether a value of this kind can never carry a derivative."""
    kind = as_num(kind)
    if isinstance(kind, Num):
        return kind.is_discrete
    if isinstance(kind, Tup):
        return all(map(is_discrete, kind.items))
    if isinstance(kind, Lst):
        return kind.item is not None and is_discrete(kind.item)
    if isinstance(kind, Obj):
        return kind.cls in (range, str, np.dtype, slice, bytes)
    return isinstance(kind, (Const, Fn))


def many(dim: Any) -> bool:
    """Whether a dimension is certainly not of size 1."""
    if isinstance(dim, int):
        return dim != 1
    return isinstance(dim, str) and dim[-1:] != ")" and "-" not in dim and "?" not in dim


def broadcast_dim(a: Any, b: Any) -> Any:
    """The size of one broadcast dimension, assuming that the broadcast succeeds."""
    if a == b and a is not None:
        return a
    for one, other in ((a, b), (b, a)):
        if one == 1 and isinstance(one, int):
            return other
    if isinstance(a, int):
        return a                       # known and not 1
    if isinstance(b, int):
        return b
    if many(a):
        return a
    if many(b):
        return b
    return None


def broadcast(*shapes: tuple | None) -> tuple | None:
    """Broadcast symbolic shapes; None when a rank is unknown."""
    if any(shape is None for shape in shapes):
        return None
    rank = max(map(len, shapes), default=0)          # type: ignore[arg-type]
    result: list = [1] * rank
    for shape in shapes:
        for k, dim in enumerate(reversed(shape)):    # type: ignore[arg-type]
            result[rank - 1 - k] = broadcast_dim(result[rank - 1 - k], dim)
    return tuple(result)


def join(a: Kind | None, b: Kind | None) -> Kind:
    """Least kind that covers both (None is the empty kind)."""
    if a is None or b is None:
        return b or a or ANY
    if a == b:
        return a
    a, b = as_num(a), as_num(b)
    if a == b:
        return a
    if isinstance(a, Num) and isinstance(b, Num):
        return _join_nums(a, b)
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        return Tup(tuple(map(join, a.items, b.items)))
    if isinstance(a, Lst) and isinstance(b, Lst):
        return Lst(join(a.item, b.item) if a.item or b.item else None)
    if isinstance(a, Closure) and isinstance(b, Closure) and a.function is b.function and a.keywords == b.keywords:
        return Closure(a.function, tuple(map(join, a.items, b.items)), a.keywords)
    if isinstance(a, Dct) and isinstance(b, Dct) and [k for k, _ in a.items] == [k for k, _ in b.items]:
        return Dct(tuple((k, join(v, w)) for (k, v), (_, w) in zip(a.items, b.items)))
    if isinstance(a, Obj) and isinstance(b, Obj) and a.cls is b.cls:
        return a
    return ANY


def _join_nums(a: Num, b: Num) -> Num:
    dims = None
    if a.dims is not None and b.dims is not None and len(a.dims) == len(b.dims):
        dims = tuple(x if x == y else None for x, y in zip(a.dims, b.dims))
    if a.dtype == b.dtype:
        dtype = a.dtype
    elif a.is_scalar and b.is_scalar and a.dtype and b.dtype and not {a.dtype, b.dtype} & {"float32", "float16"}:
        dtype = _join_scalar_dtypes(a, b)
    else:
        dtype = None
    return Num(dtype, dims, a.boxed if a.boxed == b.boxed else None, a.size if a.size == b.size else None)


def _join_scalar_dtypes(a: Num, b: Num) -> str | None:
    """0.0 (a Python float) and a float64 scalar are one kind in practice: a scalar of double precision."""
    if a.is_complex or b.is_complex:
        return "complex128"
    if a.is_discrete or b.is_discrete:
        return None if a.is_discrete != b.is_discrete else "int64"
    return "float64"


def kind_of(value: Any, name: str = "?", sizes: dict[int, str] | None = None) -> Kind:
    """The kind of a run-time value. `name` labels the symbols of its shape; with `sizes` (size -> symbol), equal
    sizes of several arguments get one symbol, so that the generated code may rely on their being equal."""
    cls = type(value)
    if cls in PYTHON_SCALARS and cls is not bool:
        return Num(PYTHON_SCALARS[cls], (), False)
    if cls is np.ndarray:
        dims = []
        for axis, n in enumerate(value.shape):
            symbol = f"{name}.{axis}"
            dims.append(1 if n == 1 else symbol if sizes is None else sizes.setdefault(n, symbol))
        return Num(value.dtype.name, tuple(dims), True)
    if isinstance(value, np.generic):
        return Num(value.dtype.name, (), False)
    if value is None or cls in (bool, str, bytes, type(Ellipsis)):
        return Const(value)
    if cls is tuple:
        return Tup(tuple(kind_of(item, f"{name}.{j}", sizes) for j, item in enumerate(value)))
    if cls is list:
        item: Kind | None = None
        for element in value:
            one = forget_sizes(kind_of(element, name))
            item = join(item, one) if item else one
        return Lst(item)
    if cls is dict and all(isinstance(key, (str, int)) for key in value):
        return Dct(tuple((key, kind_of(item, f"{name}.{key}", sizes)) for key, item in value.items()))
    if callable(value):
        return Fn(value)
    return Obj(cls)


def forget_sizes(kind: Kind) -> Kind:
    """The same kind without symbolic sizes (they are not shared between the elements of a list)."""
    if isinstance(kind, Num) and kind.dims is not None:
        return Num(kind.dtype, tuple(d if isinstance(d, int) else None for d in kind.dims), kind.boxed)
    if isinstance(kind, Tup):
        return Tup(tuple(map(forget_sizes, kind.items)))
    return kind


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, np.ufunc, functools.partial)


def constant_truth(kind: Kind | None) -> bool | None:
    """Truth of a test whose kind decides it."""
    if isinstance(kind, Const):
        return bool(kind.value)
    if isinstance(kind, Closure) or (isinstance(kind, Fn) and isinstance(kind.value, FUNCTIONS)):
        return True
    if isinstance(kind, (Tup, Dct)):
        return bool(kind.items)
    return None


# --- kinds of results, for rules to declare -----------------------------------------------------------

_dtype_cache: dict = {}


def _example(kind: Num) -> Any:
    if kind.dtype in EXAMPLES:
        return EXAMPLES[kind.dtype]
    return np.ones((1,) * len(kind.dims) if kind.boxed else (), dtype=kind.dtype)[() if not kind.boxed else ...]


def elementwise(function: Any) -> Any:
    """Kind function of an elementwise primitive: shapes broadcast, the dtype is found on an example of size 1."""

    def kind(*args: Kind, **options: Kind) -> Kind:
        nums = [as_num(arg) for arg in args]
        if not all(isinstance(num, Num) for num in nums):
            return ANY
        dims = broadcast(*(num.dims for num in nums))
        boxed = None if any(n.boxed is None for n in nums) else any(n.boxed for n in nums)
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
        except Exception:                   # an example outside the domain says nothing
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
