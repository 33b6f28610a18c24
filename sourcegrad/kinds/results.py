"""Kinds of results, for rules to declare."""
from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, EXAMPLES, PYTHON_SCALARS, Closure, Const, Dct, Fn, Kind, Num, Obj, OneOf, Tup, as_num
from sourcegrad.kinds.sizes import broadcast

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
