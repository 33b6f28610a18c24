"""Rules of the helpers for objects and their sparse adjoints."""
from __future__ import annotations

import copy

from sourcegrad.kinds import ANY, DISCRETE, Dct, Fn, Kind, Lst, Num, Obj, OneOf, Own, Tup, as_num, common, is_numeric
from sourcegrad.rules.adjoint_kinds import added_kind, dropped_kind, zeros_kind
from sourcegrad.rules.core import REAL, is_known, nondifferentiable, rule, sample
from sourcegrad.rules.sharing_kinds import put_kind
from sourcegrad.runtime import (
    another,
    as_class,
    attribute_store,
    carried,
    changeable,
    copied_part,
    drop_all,
    entry_add,
    entry_drop,
    entry_of,
    make_object,
    new_object,
    own_method,
    own_parts,
    path_drop,
    path_of,
    path_put,
    places_of,
    put_all,
    spread_all,
    take_all,
)


@rule(entry_add, kind=added_kind)
def entry_added(ct, out, bar, key, value):
    """out = bar, with value added at the key"""
    return ct, None, entry_of(ct, key, value)


@rule(entry_drop, kind=dropped_kind)
def entry_dropped(ct, out, bar, key):
    """out = bar without the key"""
    return entry_drop(ct, key)


@rule(path_of, kind=lambda bar, path, base, value: stored_kind(value))
def part_of_path(ct, out, bar, path, base, value):
    """out = the part of bar at the path"""
    return path_put(base, path, ct, bar)


@rule(path_drop, kind=lambda bar, path, base: thinned(bar))
def dropped_path(ct, out, bar, path, base):
    """out = bar without the part at the path"""
    return path_drop(ct, path, base)


@rule(path_put, kind=lambda base, path, part, like=None: ANY)
def put_path(ct, out, base, path, part, like=None):
    """out = part at the path, zero elsewhere"""
    return None, None, path_of(ct, path, base, part)


def thinned(bar: Kind) -> Kind:
    """The kind of a sparse adjoint from which entries are taken away, somewhere inside."""
    if isinstance(bar, Dct):
        return Dct(tuple((key, thinned(part)) for key, part in bar.items), True)
    if isinstance(bar, Tup):
        return Tup(tuple(map(thinned, bar.items)))
    if isinstance(bar, Lst):
        return Lst(bar.item and thinned(bar.item))
    return bar if isinstance(bar, Num) else ANY


def stored_kind(value: Kind) -> Kind:
    """The kind of the adjoint of something stored."""
    return zeros_kind(value) if is_numeric(value) else ANY


def class_kind(x: Kind, cls: Kind) -> Kind:
    """Of several classes, those that are asked for."""
    classes = tuple(c.value for c in (cls.items if isinstance(cls, Tup) else [cls]) if isinstance(c, Fn))
    found = [item for item in x.items if item.cls in classes] if isinstance(x, OneOf) else []
    return common(found) or x


@rule(as_class, kind=class_kind)
def of_class(ct, out, x, cls):
    """out = x"""
    return ct


@rule(copy.copy, copy.deepcopy, kind=lambda x, memo=None: as_num(x))
def copied(ct, out, x, memo=None):
    """out = x"""
    return ct if is_known(x) else copied_part(ct, x)


@rule(own_parts, another, kind=as_num, samples=[sample(REAL(3)), sample([REAL(2), REAL()])])
def copied_parts(ct, out, x):
    """out = x"""
    return ct


@rule(copied_part, kind=lambda ct, x: ct, samples=[sample(REAL(3), REAL(3))])
def copied_part_rule(ct, out, cotangent, x):
    """out = cotangent"""
    return ct


def new_kind(cls: Kind) -> Kind:
    return Obj(getattr(cls, "value", object), ())


nondifferentiable(new_object, kind=new_kind)
nondifferentiable(carried, kind=lambda data: data)
nondifferentiable(attribute_store)
nondifferentiable(own_method, kind=lambda function: Own(function.value))


def made_kind(cls: Kind, **attributes: Kind) -> Kind:
    return Obj(getattr(cls, "value", object), tuple(sorted(attributes.items())))


@rule(make_object, kind=made_kind)
def made(ct, out, cls):
    """out has the attributes that are given: the reverse transformation knows them"""
    return None


nondifferentiable(places_of, kind=lambda base, old, new, part=ANY: Lst(DISCRETE))


@rule(changeable, kind=as_num, samples=[sample(REAL(3))])
def changeable_rule(ct, out, value):
    """out = value"""
    return ct


@rule(put_all, kind=put_kind)
def put_everywhere(ct, out, base, places, old, new):
    """out = base with new at the places"""
    return drop_all(ct, places, base), None, None, take_all(ct, places, base, new)


@rule(drop_all, kind=lambda bar, places, base: thinned(bar))
def dropped_places(ct, out, bar, places, base):
    """out = bar, zero at the places"""
    return drop_all(ct, places, bar)


@rule(take_all, kind=lambda bar, places, base, value: stored_kind(value))
def taken_places(ct, out, bar, places, base, value):
    """out = the sum of what bar has at the places"""
    return spread_all(ct, places, base)


@rule(spread_all, kind=lambda part, places, base: ANY)
def spread_places(ct, out, part, places, base):
    """out = part at the places, zero elsewhere"""
    return take_all(ct, places, base, part)
