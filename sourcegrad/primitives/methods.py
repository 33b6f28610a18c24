"""Methods and attributes of arrays: the functions they mean, and the rules of those that keep their spelling.

`x.sum(axis=0)` becomes `np.sum(x, axis=0)`, which has the rule. What has no function of the same meaning in
every NumPy (`x.astype(t)`, `x.T`) is a primitive under a text key, "method astype" or "attribute T", and
stays as it is in generated code. Text keys cannot be called, so their rules have no samples: they are tested
through programs. In-place methods (`sort`, `fill`, `partition`, `put`, `resize`) are deliberately not here.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, Const, Kind, Num, as_num, results
from sourcegrad.primitives import creation, joining, shapes
from sourcegrad.primitives.core import is_complex, ndim, rule
from sourcegrad.primitives.selection import resize_axis_kind
from sourcegrad.runtime import cast_back, item_position, reading_order, restack, scatter_add, unbroadcast


@dataclass(frozen=True)
class Method:
    """How `x.method(*args, **options)` is written as `function(x, *args, **options)`.

    function: a NumPy function, or the text key of a primitive that keeps its spelling.
    collect: the parameter for which several positional arguments become one tuple: `x.reshape(2, 3)` is
        `np.reshape(x, (2, 3))`.
    rename: keywords which the function names differently.
    defaults: values of parameters which the function demands (before NumPy 2.1) and the method does not.
    """

    function: Callable | str
    collect: str | None = None
    rename: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


def _same(*names: str) -> dict[str, Method]:
    return {name: Method(getattr(np, name)) for name in names}


METHODS: dict[str, Method] = {
    **_same("all", "any", "argmax", "argmin", "argpartition", "argsort", "choose", "conj", "conjugate",
            "copy", "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "ptp",
            "ravel", "repeat", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take",
            "trace", "var"),
    "reshape": Method(np.reshape, collect="shape"),
    "transpose": Method(np.transpose, collect="axes"),
    "clip": Method(np.clip, rename={"min": "a_min", "max": "a_max"}, defaults={"a_min": None, "a_max": None}),
    "compress": Method("method compress"),
    "astype": Method("method astype"),
    "flatten": Method("method flatten"),
    "item": Method("method item", collect="index"),
    "tolist": Method("method tolist"),
    "view": Method("method view"),                   # without arguments (see `analysis.call_targets`)
}

ATTRIBUTES: dict[str, str] = {name: f"attribute {name}" for name in ("T", "mT", "real", "imag") if hasattr(np.ndarray, name)}

SHAPE_ATTRIBUTES = frozenset({"shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags"})


# --- methods which keep their spelling --------------------------------------------------------------------

@rule("method astype", tangent="linear", unless=("copy", 4), kind=creation.converted_kind)
def astype(ct, out, x, dtype, order="K", casting="unsafe", subok=True, copy=True):
    return cast_back(ct, x, dtype)


@rule("method flatten", tangent="linear", kind=shapes.ravel_kind)
def flatten(ct, out, x, order="C"):
    if order == "C":
        return np.reshape(ct, np.shape(x))
    if order == "F":
        return np.reshape(ct, np.shape(x), order="F")
    return np.reshape(ct, np.shape(x), order=reading_order(x, order))


def _item_kind(x: Kind, *_: Kind, **__: Kind) -> Kind:
    names = {"f": "pyfloat", "c": "pycomplex", "i": "pyint", "u": "pyint", "b": "pybool"}
    dtype = results.leaf(x).dtype
    return Num(names.get(np.dtype(dtype).kind) if dtype else None, (), False)


@rule("method item", tangent="linear", kind=_item_kind)
def item(ct, out, x, index=None):
    if index is None:
        return np.full_like(x, ct)
    if isinstance(index, tuple):
        return scatter_add(np.asarray(ct, dtype=x.dtype), x, item_position(x, index))
    return scatter_add(np.asarray(ct, dtype=x.dtype), x, index)


@rule("method compress", tangent="linear",
      kind=lambda x, condition, axis=Const(None): resize_axis_kind(x, axis=axis))
def compress(ct, out, x, condition, axis=None):
    return scatter_add(ct, x, np.flatnonzero(condition), axis)


@rule("method tolist", tangent="linear", kind=joining.as_lists_kind)
def tolist(ct, out, x):
    return restack(ct, x)


@rule("method view", tangent="linear", method=("view",), result="view", kind=as_num)
def view(ct, out, x):
    return ct


# --- attributes -------------------------------------------------------------------------------------------

@rule("attribute T", tangent="linear", result="view", order="other", kind=shapes.transpose_kind)
def transposed(ct, out, x):
    if ndim(x) == 0:
        return ct
    if ndim(x) >= 1:
        return ct.T
    return np.transpose(ct)                              # the adjoint of a number may be one of Python's


@rule(*(["attribute mT"] if hasattr(np.ndarray, "mT") else []), result="view", order="other", kind=shapes.matrix_transpose_kind)
def matrix_transposed(ct, out, x):
    return ct.mT


def part_kind(x: Kind) -> Kind:
    """The kind of a real or imaginary part."""
    model = as_num(x)
    if not isinstance(model, Num):
        return ANY
    reals = {"pycomplex": "pyfloat", "complex128": "float64", "complex64": "float32"}
    return Num(reals.get(model.dtype or "", None if model.is_complex else model.dtype), model.dims, model.boxed)


@rule("attribute real", tangent="linear", result="view", kind=part_kind)
def real(ct, out, x):
    if is_complex(x):
        return ct + 0.0j
    return ct


@rule("attribute imag", tangent="linear", result="may view", kind=part_kind)
def imag(ct, out, x):
    if is_complex(x):
        return 1.0j * ct
    return unbroadcast(1.0j * ct, x)
