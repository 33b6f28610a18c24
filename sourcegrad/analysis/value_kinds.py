"""Kinds of attributes of arrays, of elements, and of `is` and `in`."""
from __future__ import annotations

import enum
import functools
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.kinds import Kind
from sourcegrad.rules.methods import SHAPE_ATTRIBUTES


def of_shape(node: Any, owner: Kind | None) -> bool:
    """Whether an attribute tells about the shape of an array: objects of the user's classes may have another `size`, and
    what is known only at run time may be one of them."""
    owner = owner.item if isinstance(owner, k.Optional) else owner
    return node.attr in SHAPE_ATTRIBUTES and owner is not k.ANY and not isinstance(owner, (k.Obj, k.OneOf, k.Tup))


def attribute_kind(owner: k.Num, name: str) -> Kind:
    if name == "shape":
        if owner.dims is None:
            return k.Obj(tuple)
        return k.Tup(tuple(k.Const(d) if isinstance(d, int) else k.Num("pyint", (), False, d) for d in owner.dims))
    if name == "ndim":
        return k.INT if owner.dims is None else k.Const(len(owner.dims))
    if name in ("size", "itemsize", "nbytes"):
        if name == "size" and owner.dims is not None and len(owner.dims) == 1:
            return k.Num("pyint", (), False, owner.dims[0])
        return k.INT
    if name == "dtype":
        known = owner.dtype is not None and owner.dtype[:2] != "py"
        return k.Const(np.dtype(owner.dtype)) if known else k.Obj(np.dtype)
    if name == "T":
        return k.Num(owner.dtype, owner.dims[::-1] if owner.dims is not None else None, owner.boxed)
    if name == "mT" and owner.dims is not None and len(owner.dims) > 1:
        return k.Num(owner.dtype, (*owner.dims[:-2], owner.dims[-1], owner.dims[-2]), owner.boxed)
    if name in ("real", "imag"):
        return k.Num(REAL_PART.get(owner.dtype or "", owner.dtype if not owner.is_complex else None), owner.dims, owner.boxed)
    return k.ANY


REAL_PART = {"complex128": "float64", "complex64": "float32", "pycomplex": "pyfloat"}


def element_kind(kind: Kind | None) -> Kind | None:
    """Kind of one element of an iterable."""
    if kind is None:
        return None
    if isinstance(kind, k.Num) and kind.dims:
        order = kind.order if len(kind.dims) > 2 else None
        return k.Num(kind.dtype, kind.dims[1:], len(kind.dims) > 1, order, kind.real)
    if isinstance(kind, k.Num):
        return k.Num(kind.dtype, size=kind.order, real=kind.real)
    if isinstance(kind, (k.Lst, k.SetOf, k.Rest)):
        return kind.item
    if kind is k.DISCRETE:
        return kind
    if isinstance(kind, k.Tup):
        return functools.reduce(k.join, kind.items) if kind.items else None
    if isinstance(kind, (k.Dct, k.Map)):
        return k.as_map(kind).key
    if isinstance(kind, k.Obj) and kind.cls is range:
        return k.INT
    return k.text_from(kind) if k.is_text(kind) else k.ANY


@k.once
def holds_closure(kind: Kind | None) -> bool:
    """Whether a value of this kind holds an inner function: in generated code that is a tuple, not a function."""
    return isinstance(kind, k.Closure) or any(map(holds_closure, k.parts(kind)))


def hidden(kind: Kind | None) -> bool:
    """Whether a value of this kind is, or carries, what only generated code can tell: inner functions, what was caught."""
    return holds_closure(kind) or isinstance(kind, k.Obj) and kind.is_caught


def is_same(left: Kind, right: Kind) -> bool | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, k.Const) and (one.value is None or one.value is Ellipsis):
            if isinstance(other, k.Const):
                return other.value is one.value
            maybe = other in (k.ANY, k.DISCRETE) or isinstance(other, (k.Obj, k.Lst, k.OneOf)) and other.optional
            return None if maybe else False
    if isinstance(left, k.Fn) and isinstance(right, k.Fn):
        return left.value is right.value
    if isinstance(left, k.Const) and isinstance(right, k.Const) and all(
            isinstance(x.value, (bool, enum.Enum)) for x in (left, right)):
        return left.value is right.value
    return None


def known_alike(left: Kind, right: Kind) -> bool:
    """Whether two values are known and can be compared now: constants, and dtypes with types."""
    known = isinstance(left, k.Const), isinstance(right, k.Const)
    return all(known) or any(known) and all(isinstance(x, k.Fn) and isinstance(x.value, type) or isinstance(
        x, k.Const) and isinstance(x.value, np.dtype) for x in (left, right))


def contains_kind(item: Kind, container: Kind, wanted: bool) -> Kind:
    if isinstance(container, k.Tup) and isinstance(item, (k.Const, k.Fn)) and all(known_alike(item, x) for x in container.items):
        return k.Const((item.value in [x.value for x in container.items]) == wanted)         # type: ignore[attr-defined]
    if all(isinstance(x, k.Const) and isinstance(x.value, str) for x in (item, container)):
        return k.Const((item.value in container.value) == wanted)                           # type: ignore[attr-defined]
    if isinstance(item, k.Const) and isinstance(container, k.Dct) and not (
            container.partial and container.get(item.value) is not None):
        return k.Const((container.get(item.value) is not None) == wanted)
    return k.BOOL
