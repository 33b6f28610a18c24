"""Kinds of results of Python's own functions: arithmetic on constants, len, isinstance, list, str ..."""
from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad import kind_functions, kinds as k
from sourcegrad.analysis.random_kinds import module_draws
from sourcegrad.analysis.value_kinds import element_kind
from sourcegrad.dims import minus
from sourcegrad.kind_functions import constant_truth
from sourcegrad.kinds import Kind
from sourcegrad.rules import container_kinds as dict_kinds

# --- primitives whose kinds are about Python values -----------------------------------------------------

def _arithmetic(symbol: str) -> Callable:
    def kind(a: Kind, b: Kind) -> Kind | None:
        if isinstance(a, k.Const) and isinstance(b, k.Const) and all(
                type(x.value) in (int, str) for x in (a, b)) and symbol in "+-*":
            try:
                return k.Const({"+": operator.add, "-": operator.sub, "*": operator.mul}[symbol](a.value, b.value))
            except TypeError:
                return None
        if symbol in "+-" and isinstance(a, k.Num) and a.dtype == "pyint" and isinstance(a.size, str) and isinstance(
                b, k.Const) and type(b.value) is int:
            amount = -b.value if symbol == "+" else b.value
            if amount >= 0:
                return k.Num("pyint", (), False, minus(a.size, amount))
            return k.INT
        if symbol == "+" and isinstance(a, k.Tup) and isinstance(b, k.Tup):
            return k.Tup(a.items + b.items)
        if symbol == "+" and isinstance(a, k.Lst) and isinstance(b, k.Lst):
            return k.Lst(k.join(a.item, b.item) if a.item or b.item else None)
        if symbol == "*" and isinstance(a, k.Tup) and isinstance(b, k.Const) and type(b.value) is int:
            return k.Tup(a.items * b.value)
        if symbol == "*" and isinstance(a, k.Lst):
            return a
        return None
    return kind


def _len(kind: Kind) -> Kind:
    if isinstance(kind, k.Tup) or (isinstance(kind, k.Dct) and not kind.partial):
        return k.Const(len(kind.items))
    if isinstance(kind, k.Num) and kind.dims:
        dim = kind.dims[0]
        return k.Const(dim) if isinstance(dim, int) else k.Num("pyint", (), False, dim)
    return k.INT


def _isinstance(value: Kind, cls: Kind) -> Kind | None:
    types_: Any = cls.value if isinstance(cls, k.Fn) else None
    if isinstance(cls, k.Tup) and k.all_of(cls.items, k.Fn):
        types_ = tuple(c.value for c in cls.items)
    if isinstance(value, k.OneOf) and types_ is not None:
        answers = {issubclass(item.cls, types_) for item in value.items} | ({False} if value.optional else set())
        return k.Const(answers.pop()) if len(answers) == 1 else k.BOOL
    possible = python_types(value)
    if types_ is None or not possible:
        return k.BOOL
    answers = {issubclass(actual, types_) for actual in possible}
    return k.Const(answers.pop()) if len(answers) == 1 else k.BOOL


def _issubdtype(one: Kind, other: Kind) -> Kind:
    """np.issubdtype(x.dtype, np.floating) and issubclass(x.dtype.type, np.floating), where both are known."""
    if not all(isinstance(x, (k.Fn, k.Const)) and x.value is not None for x in (one, other)):
        return k.BOOL
    try:
        return k.Const(bool(np.issubdtype(one.value, other.value)))                           # type: ignore[attr-defined]
    except TypeError:
        return k.BOOL


def _issubclass(one: Kind, other: Kind) -> Kind:
    others = other.items if isinstance(other, k.Tup) else (other,)
    if not all(isinstance(x, k.Fn) and isinstance(x.value, type) for x in (one, *others)):
        return k.BOOL
    return k.Const(issubclass(one.value, tuple(x.value for x in others)))                     # type: ignore[attr-defined]


def python_types(kind: Kind) -> tuple[type, ...]:
    """The types that a value of this kind may have, as far as tests tell them apart; none where that is not known."""
    actual = python_type(kind)
    if actual is not None or not isinstance(kind, k.Num):
        return () if actual is None else (actual,)
    if kind.is_scalar and kind.dtype is not None:
        return (float, np.float64)                         # arithmetic makes one of the other
    scalars = (bool, int, float, complex, np.bool_, np.int64, np.float32, np.float64, np.complex128)
    return scalars if kind.is_scalar else (*scalars, np.ndarray)


def python_type(kind: Kind) -> type | None:
    if isinstance(kind, k.Const):
        return type(kind.value)
    if isinstance(kind, k.Num) and kind.boxed:
        return np.ndarray
    if isinstance(kind, k.Num) and kind.is_scalar and kind.dtype is not None:
        python = {v: key for key, v in k.PYTHON_SCALARS.items()}
        return None if kind.dtype == "float64" else python.get(kind.dtype) or np.dtype(kind.dtype).type
    if isinstance(kind, k.Tup):
        return kind.cls if isinstance(kind, k.Named) else tuple
    if isinstance(kind, k.Lst):
        return None if kind.optional else list
    if isinstance(kind, k.Rest):
        return tuple
    if isinstance(kind, (k.Dct, k.Map)):
        return dict
    if isinstance(kind, k.Obj):
        return None if kind.optional or kind.is_caught else kind.cls
    return None


def _list(kind: Kind = k.Tup(())) -> Kind | None:
    if isinstance(kind, k.Lst):
        return kind
    if isinstance(kind, k.Rest):
        return k.Lst(kind.item)
    if isinstance(kind, k.Tup):
        item: Kind | None = None
        for part in kind.items:
            item = k.join(item, part) if item else part
        return k.Lst(item)
    if isinstance(kind, k.Num) and kind.dims:
        return k.Lst(element_kind(kind))
    if isinstance(kind, (k.Dct, k.Map)):
        return k.Lst(k.as_map(kind).key)
    if isinstance(kind, k.Obj) and kind.cls is range:
        return k.Lst(k.INT)
    return None


def _set(kind: Kind | None = None) -> Kind:
    try:
        return k.SetOf(item=None if kind is None else dict_kinds.item_kind(kind))
    except kind_functions.Unknown:
        return k.Obj(set)


def _sequence(kind: Kind) -> Kind | None:
    if isinstance(kind, (k.Dct, k.Map)):
        return k.Lst(k.as_map(kind).key)
    if k.is_text(kind):
        return k.text_from(kind)
    known = isinstance(kind, (k.Lst, k.Tup, k.Rest)) or (isinstance(kind, k.Num) and kind.boxed) or (
        isinstance(kind, k.Obj) and kind.cls is range)
    return kind if known else (k.Num(kind.dtype) if isinstance(kind, k.Num) else None)


def _text(*values: Kind) -> Kind:
    return k.text_from(*values)


def _stored(base: Kind, index: Kind, value: Kind) -> Kind | None:
    if isinstance(base, k.Lst):
        return k.Lst(k.join(base.item, value) if base.item else value)
    if isinstance(base, (k.Dct, k.Map)):
        return dict_kinds.stored_kind(base, index, value)
    return base if isinstance(base, k.Num) else k.ANY


def _callable(kind: Kind) -> Kind:
    if isinstance(kind, k.Obj) and kind.items is not None and not kind.optional:
        return k.Const(any("__call__" in vars(base) for base in kind.cls.__mro__))       # (that of `type` makes instances)
    if isinstance(kind, (k.Num, k.Const, k.Tup, k.Lst, k.Dct, k.Map)) and not isinstance(kind, k.Named):
        return k.Const(isinstance(kind, k.Const) and callable(kind.value))
    return k.Const(True) if isinstance(kind, (k.Fn, k.Closure)) else k.BOOL


def _answer(true: Callable[[Kind], bool], false: Callable[[Kind], bool]) -> Callable:
    """A question that the kind of its argument may answer."""
    return lambda kind: k.Const(True) if true(kind) else k.Const(False) if false(kind) else k.BOOL


def _is_collection(kind: Kind) -> bool:
    return isinstance(kind, (k.Tup, k.Dct, k.Map, k.Rest)) or isinstance(kind, k.Lst) and not kind.optional


def _is_array(kind: Kind) -> bool:
    return isinstance(kind, k.Num) and bool(kind.boxed)


def _is_scalar(kind: Kind) -> bool:
    kind = k.as_num(kind)
    return isinstance(kind, k.Num) and kind.is_scalar


def _is_complex(wanted: bool) -> Callable[[Kind], bool]:
    return lambda kind: isinstance(k.as_num(kind), k.Num) and k.as_num(kind).is_complex is wanted      # type: ignore[attr-defined]


def _dict(*args: Kind, **more: Kind) -> Kind | None:
    return args[0] if len(args) == 1 and isinstance(args[0], (k.Dct, k.Map)) and not more else None


def _merged(a: Kind, b: Kind) -> Kind | None:
    return dict_kinds.merged_kind(a, b) if all(isinstance(x, (k.Dct, k.Map)) for x in (a, b)) else None


def _specials() -> dict[Any, Callable]:
    from sourcegrad import runtime
    return {**module_draws(), set: _set, frozenset: lambda *args: k.Obj(frozenset),
            collections.Counter: lambda *args, **counts: k.Counts(k.ANY if args or counts else None, k.INT),
            operator.add: _arithmetic("+"), operator.sub: _arithmetic("-"), operator.mul: _arithmetic("*"),
            operator.or_: _merged,
            str: _text, repr: _text, format: _text, len: _len, isinstance: _isinstance, list: _list, range: lambda *a: k.Obj(range),
            runtime.index_set: _stored, runtime.index_store: _stored, runtime.index_update: _stored,
            runtime.own: lambda x, *others: k.as_num(x),
            runtime.sequence: _sequence, reversed: lambda kind: kind if isinstance(kind, (k.Lst, k.Obj)) else None,
            dict: _dict,
            tuple: lambda kind=k.Tup(()): kind if isinstance(kind, k.Tup) else None,
            callable: _callable,
            np.issubdtype: _issubdtype, issubclass: _issubclass,
            np.isscalar: _answer(_is_scalar, lambda kind: _is_array(kind) or _is_collection(kind)),
            np.iterable: _answer(lambda kind: isinstance(kind, k.Num) and bool(kind.dims) or _is_collection(kind), _is_scalar),
            np.iscomplexobj: _answer(_is_complex(True), _is_complex(False)),
            np.isrealobj: _answer(_is_complex(False), _is_complex(True)),
            bool: lambda kind=k.Const(False): k.BOOL if constant_truth(kind) is None else k.Const(constant_truth(kind))}


class _Lazy(dict):
    def get(self, key: Any, default: Any = None) -> Any:
        if not self:
            self.update(_specials())
        return super().get(key, default)


SPECIAL = _Lazy()
