"""Kinds of adjoints, tangents and gradients: what is known of them from the kinds of the values."""
from __future__ import annotations

import dataclasses
import functools
import operator
import types
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sourcegrad import kinds
from sourcegrad.kinds import (
    ANY,
    FLOAT,
    Closure,
    Const,
    Dct,
    Fn,
    Kind,
    Lst,
    Map,
    Named,
    Num,
    Obj,
    Place,
    State,
    Tup,
    as_map,
    as_num,
    forget_sizes,
    is_discrete,
    join,
    once,
    results,
)
from sourcegrad.kinds.results import Unknown, constant

AS_ARRAY: dict[str | None, str] = {"pyfloat": "float64", "pycomplex": "complex128", "pyint": "int64", "pybool": "bool"}

@once
def zeros_kind(x: Kind) -> Kind:
    x = x.item if isinstance(x, kinds.Optional) else as_num(x)
    if isinstance(x, Tup):
        return Tup(tuple(map(zeros_kind, x.items)))
    if isinstance(x, Lst):
        return Lst(x.item and zeros_kind(x.item))
    if isinstance(x, (Dct, Map)) or kinds.is_object(x):
        return Dct(())                                  # sparse: what is missing is zero
    if kinds.is_text(x):
        return FLOAT
    if not isinstance(x, Num):
        return ANY
    if x.is_scalar:
        return FLOAT
    if x.boxed is None:
        return Num(None, None if x.dims else x.dims)    # a number, or None, whose zero is a number
    return Num("float64" if x.is_discrete else x.dtype, x.dims, True)


def tangent_kind(x: Kind) -> Kind:
    """The kind of a zero tangent, which has the structure of its value."""
    number = as_num(x)
    if isinstance(number, Num):
        return FLOAT if number.is_scalar else Num("float64" if number.is_discrete else number.dtype, number.dims, number.boxed)
    return in_container(tangent_kind, x) if type(x) in (Tup, Lst, Dct, Map) else ANY


def sum_kind(a: Kind, b: Kind) -> Kind:
    a, b = as_num(a), as_num(b)
    if isinstance(a, Num) and isinstance(b, Num):
        return results.elementwise(operator.add)(a, b)
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        return Tup(tuple(map(sum_kind, a.items, b.items)))
    if isinstance(a, Lst) and isinstance(b, Lst):
        item = sum_kind(a.item, b.item) if a.item and b.item else a.item or b.item
        return Lst(replace(item, boxed=None) if isinstance(item, Num) and item.dims is None and a.item and b.item else item)
    if isinstance(a, Dct) and isinstance(b, Dct):
        one, other = dict(a.items), dict(b.items)
        partial = a.partial or b.partial
        both = {key: sum_kind(one[key], other[key]) for key in one if key in other}
        if partial:
            both = {key: join(join(kind, one[key]), other[key]) for key, kind in both.items()}
        return Dct(tuple({**one, **other, **both}.items()), partial)
    if isinstance(a, (Dct, Map)) and isinstance(b, (Dct, Map)):
        a, b = as_map(a), as_map(b)
        total = sum_kind(a.item, b.item) if a.item and b.item else None
        return Map(a.key and b.key and join(a.key, b.key) or a.key or b.key, part_join(part_join(a.item, b.item), total))
    return ANY


def part_join(a: Kind | None, b: Kind | None) -> Kind | None:
    return join(a, b) if a or b else None


def added_kind(bar: Kind, key: Kind, value: Kind) -> Kind:
    """The kind of a sparse adjoint to which a value was added at a key."""
    if not isinstance(bar, (Dct, Map)):
        return ANY
    value = as_num(value)
    try:
        known = constant(key)
    except Unknown:
        bar = as_map(bar)
        return Map(part_join(bar.key, key), part_join(part_join(bar.item, value), bar.item and sum_kind(bar.item, value)))
    if isinstance(bar, Map):
        return added_kind(bar, Num("pyint", (), False) if isinstance(known, int) else kinds.Obj(type(known)), value)
    before = bar.get(known)
    new = value if before is None else sum_kind(before, value)
    if before is not None and bar.partial:
        new = join(new, value)
    return Dct(tuple({**dict(bar.items), known: new}.items()), bar.partial)


def dropped_kind(bar: Kind, key: Kind) -> Kind:
    if isinstance(bar, Map):
        return bar
    if not isinstance(bar, Dct):
        return ANY
    if not isinstance(key, Const):
        return Dct(bar.items, True)
    return Dct(tuple((name, item) for name, item in bar.items if name != key.value), bar.partial)


CONTAINERS = (Tup, Lst, Dct)


def in_container(kind_of: Callable[[Kind], Kind], x: Kind) -> Kind:
    """The kind of a new container of the class of another, made of what a function gives for the items."""
    if isinstance(x, Lst):
        return Lst(x.item and kind_of(x.item))
    if isinstance(x, Dct):
        return Dct(tuple((key, kind_of(item)) for key, item in x.items), x.partial)
    return kinds.mapped(kind_of, x)


def gradient_kind(gradient: Kind, x: Kind) -> Kind:
    """The kind of `as_gradient(gradient, x)`."""
    x = as_num(x)
    if isinstance(x, Named):
        return Named(tuple(attribute_part_kind(item) for item in x.items), x.cls)
    if isinstance(x, Obj) and x.items is not None:
        own = dataclasses.is_dataclass(x.cls)
        parts = [(name, attribute_part_kind(item)) for name, item in x.items]
        return Obj(x.cls if own else types.SimpleNamespace,
                   tuple((name, part) for name, part in parts if own or part != Const(None)))
    if isinstance(x, kinds.OneOf):
        return functools.reduce(join, (gradient_kind(ANY, item) for item in x.items))
    if isinstance(x, CONTAINERS):
        return in_container(functools.partial(gradient_kind, ANY), x)
    return x if isinstance(x, Num) else ANY


@once
def attribute_part_kind(x: Kind) -> Kind:
    """The kind of the gradient of an attribute: None where it holds no floats."""
    x = as_num(x)
    if is_discrete(x) or isinstance(x, Const):
        return Const(None)
    if isinstance(x, kinds.OneOf):
        return functools.reduce(join, map(attribute_part_kind, x.items))
    if isinstance(x, (Num, Named, Obj)):
        return gradient_kind(ANY, x)
    return in_container(attribute_part_kind, x) if isinstance(x, CONTAINERS) else ANY


NARROW = ("float16", "float32", "complex64")


def cotangent_kind(ct: Kind, value: Kind) -> Kind:
    """The kind of `check_cotangent(ct, value)`: in the structure of the value, a float for any number, a dict for an object."""
    value = as_num(value)
    if isinstance(value, (Tup, Lst)):
        return in_container(functools.partial(cotangent_kind, ANY), value)
    if isinstance(value, Num) and value.is_discrete:
        return FLOAT if value.is_scalar else Num(None, value.dims, value.boxed)
    if kinds.is_object(value):
        return adjoint_kind(value)
    return value if isinstance(value, Num) else ANY


@once
def adjoint_kind(value: Kind) -> Kind:
    """The kind of an adjoint of a value of some kind: those of objects are sparse dicts."""
    value = value.item if isinstance(value, kinds.Optional) else as_num(value)
    if isinstance(value, State):
        return State(())
    if isinstance(value, Obj) and value.items is not None:
        return Dct(tuple((name, adjoint_kind(item)) for name, item in value.items if not is_discrete(item)), True)
    if isinstance(value, kinds.OneOf):
        joined = functools.reduce(join, map(adjoint_kind, value.items))
        return dataclasses.replace(joined, partial=True) if isinstance(joined, Dct) else ANY
    if isinstance(value, Dct):
        return Dct(tuple((key, adjoint_kind(item)) for key, item in value.items), True)
    if isinstance(value, (Tup, Lst)):
        return in_container(adjoint_kind, value)
    if isinstance(value, Map) and value.made:
        value = dataclasses.replace(value, made=None)
    if isinstance(value, Num) and value.dtype in NARROW:         # until it is returned, it may have the dtype of other operands
        value = dataclasses.replace(value, dtype=None, real=not value.is_complex)
    if isinstance(value, Num) and value.dims == () and value.boxed:          # and be a number, for an array without axes
        value = dataclasses.replace(value, boxed=None)
    return ANY if isinstance(value, (Const, Obj)) or is_discrete(value) else value


def realness(value: Kind) -> Kind:
    """What is certain of the adjoint of a number or array, however it came about: that of a real one is real."""
    value = as_num(value)
    return Num(real=True) if isinstance(value, Num) and value.is_complex is False and not value.is_discrete else ANY


def known_adjoints(found: Kind, values: list[Kind]) -> Kind:
    """The kind of the adjoints of some values (of one: not in a tuple), where what is found may be more or less than that."""
    if not values:
        return found
    if len(values) == 1:
        return realness(values[0]) if found is ANY else found
    if isinstance(found, Tup) and len(found.items) == len(values):
        return Tup(tuple(realness(value) if item is ANY else item for item, value in zip(found.items, values)))
    return Tup(tuple(map(realness, values))) if found is ANY else found


@once
def widened(kind: Kind) -> Kind:
    """A kind with as little knowledge as possible, for recursion whose kinds would never repeat."""
    kind = as_num(kind)
    if isinstance(kind, Num):
        return kind if kind.is_scalar else Num(kind.dtype, size=kind.order)
    if isinstance(kind, (State, Place)) or isinstance(kind, Obj) and kind.items is not None:
        return kinds.mapped(widened, kind)
    if isinstance(kind, kinds.OneOf):
        members = [widened(item) for item in kind.items]
        return dataclasses.replace(kind, items=tuple(members)) if kinds.all_of(members, Obj) else ANY
    return kind if isinstance(kind, (Const, Fn)) else ANY


@once
def loosened(kind: Kind) -> Kind:
    """A kind without the numbers and sizes that change from one recursive call to the next."""
    if not isinstance(kind, Const) or type(kind.value) is not bool:
        kind = as_num(kind)
    if isinstance(kind, Num):
        return Num(kind.dtype, kind.dims and (None,) * len(kind.dims), kind.boxed, kind.order)
    if isinstance(kind, (Tup, Closure, State)) or isinstance(kind, Obj) and kind.items is not None:
        return kinds.mapped(loosened, kind)
    return forget_sizes(kind)


def maybe_none(kind: Kind) -> Kind:
    """The kind of a saved value that may not have been assigned: no longer certainly an array."""
    if isinstance(kind, Num) and kind.boxed:
        return Num(kind.dtype, kind.dims, None, kind.order)
    return kind


def type_name(kind: Kind) -> str:
    if isinstance(kind, kinds.OneOf):
        return " or ".join(map(type_name, kind.items))
    if isinstance(kind, (Obj, Named)):
        return kind.cls.__name__
    if isinstance(kind, (Const, kinds.Fn)):
        return type(kind.value).__name__
    return {kinds.Closure: "function", Tup: "tuple", Lst: "list", Dct: "dict"}.get(type(kind), "value")


def guarded_kind(cotangent: Kind, value: Kind) -> Kind:
    """The dtype of `value` (a complex partial of a real result has a real cotangent), in the shape of both."""
    shape, value = results.elementwise(np.multiply)(cotangent, value), as_num(value)
    if not isinstance(shape, Num) or not isinstance(value, Num):
        return ANY
    if value.is_discrete:
        value = Num(None, value.dims, value.boxed)                   # 0.0 comes in
    if shape.dims:
        return Num(AS_ARRAY.get(value.dtype, value.dtype), shape.dims, True)
    scalar = shape.dims == () and value.is_scalar
    return Num(value.dtype if scalar or value.dtype not in AS_ARRAY else None, shape.dims, False if scalar else None)
