"""Objects: rules and kinds of the helpers for objects, closures and their sparse adjoints."""
from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from sourcegrad.kinds import (
    ANY,
    BOOL,
    DISCRETE,
    INT,
    UNSET,
    Closure,
    Const,
    Dct,
    Fn,
    Kind,
    Lst,
    Map,
    Num,
    Obj,
    OneOf,
    Optional,
    Own,
    Tup,
    as_map,
    as_num,
    common,
    is_numeric,
    join,
    mapped,
)
from sourcegrad.primitives.adjoint_kinds import added_kind, dropped_kind, zeros_kind
from sourcegrad.primitives.core import REAL, declare, describe, is_known, nondifferentiable, rule, sample
from sourcegrad.runtime import (
    add_entry,
    add_entry_at,
    another,
    apply_along_axis,
    apply_over_axes,
    as_class,
    attribute,
    attribute_store,
    attribute_tangent,
    call_forward,
    call_forward_for,
    call_jvp,
    call_unchanging,
    callee,
    carried,
    changeable,
    check_results,
    closed,
    copied_part,
    drop_all,
    drop_entry,
    drop_path,
    entry_add,
    entry_add_at,
    entry_drop,
    entry_of,
    fromfunction,
    handler_number,
    has_item,
    in_ufunc_order,
    is_divided,
    is_position,
    keyed,
    lookup_error,
    make_object,
    method,
    new_object,
    nothing,
    own_adjoints,
    own_copy,
    own_method,
    own_parts,
    pair_of,
    path_drop,
    path_of,
    path_put,
    places_of,
    put_all,
    raised,
    spread_all,
    take_all,
    takes_item,
    variant_of,
)


def put_kind(base: Kind, places: Kind, old: Kind, new: Kind) -> Kind:
    """The kind of a value in which an object may have changed somewhere."""
    old, new = as_num(old), as_num(new)
    if isinstance(new, Num):
        return base
    return changed_kind(base, old, new)


def changed_kind(base: Kind, old: Kind, new: Kind) -> Kind:
    """What `base` is when any object in it that can be one of kind `new` is."""
    base = as_num(base)
    if new == ANY and not isinstance(base, Num):
        return ANY
    inside: Kind = base
    if isinstance(base, (Tup, Closure, Dct)):
        inside = mapped(lambda item: changed_kind(item, old, new), base)
    elif isinstance(base, (Lst, Map)):
        inside = base if base.item is None else replace(base, item=changed_kind(base.item, old, new))
    elif isinstance(base, OneOf):
        inside = mapped(lambda item: _object_kind(item, old, new), base)
    elif isinstance(base, Obj):
        return _object_kind(base, old, new)
    return join(inside, new) if alike(base, old, new) else inside


def alike(base: Kind, old: Kind, new: Kind) -> bool:
    """Whether a list or dict may be the one that changes: what is known of it covers what that was. An empty one may be any
    of which the items are like the new ones."""
    if isinstance(base, Lst) and isinstance(new, Lst):
        one, before, other = base.item, getattr(old, "item", None), new.item
    elif isinstance(base, (Dct, Map)) and isinstance(new, (Dct, Map)):
        one, other = as_map(base).item, as_map(new).item
        before = as_map(old).item if isinstance(old, (Dct, Map)) else None
    else:
        return False
    if before is not None and ANY not in (one, before):
        if one is None:                                       # (of numbers: with objects in it the kind would get ever deeper)
            return other is not None and is_numeric(other)
        return join(one, before) == one
    return one is None or other is None or one == ANY or join(one, other) != ANY


def _object_kind(base: Obj, old: Kind, new: Kind) -> Obj:
    if base.items is None:
        return base
    inside = mapped(lambda item: changed_kind(item, old, new), base)
    for one in new.items if isinstance(new, OneOf) else [new]:
        if isinstance(one, Obj) and one.cls is base.cls:
            return join(inside, one)                                                            # type: ignore[return-value]
    return inside


@rule(entry_add, tangent="linear", writes="items", puts=(2,), kind=added_kind)
def entry_added(ct, out, bar, key, value):
    """out = bar, with value added at the key"""
    return ct, None, entry_of(ct, key, value)


@rule(attribute_tangent, tangent="linear", kind=lambda dot, name, value: ANY)
def attribute_of_tangent(ct, out, dot, name, value):
    """out = the attribute of dot, the tangent of an object"""
    return keyed(name, ct)


@rule(entry_drop, tangent="linear", writes="items", kind=dropped_kind)
def entry_dropped(ct, out, bar, key):
    """out = bar without the key"""
    return entry_drop(ct, key)


@rule(path_of, kind=lambda bar, path, base, value: stored_kind(value))
def part_of_path(ct, out, bar, path, base, value):
    """out = the part of bar at the path"""
    return path_put(base, path, ct, bar)


@rule(path_drop, writes="inside", kind=lambda bar, path, base: thinned(bar))
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
    """Of several classes, those that are asked for; of a number or None, the number."""
    if isinstance(x, Optional):
        return x.item
    classes = tuple(c.value for c in (cls.items if isinstance(cls, Tup) else [cls]) if isinstance(c, Fn))
    found = [item for item in x.items if item.cls in classes] if isinstance(x, OneOf) else []
    return common(found) or x


@rule(as_class, tangent="linear", contents="same", kind=class_kind)
def of_class(ct, out, x, cls):
    """out = x"""
    return ct


describe(copy.copy, result="may view")
describe(own_parts, result="new")
describe(another, contents="once")
describe(entry_add_at, writes="inside", puts=(3,))


@rule(copy.copy, copy.deepcopy, tangent="linear", kind=lambda x, memo=None: as_num(x))
def copied(ct, out, x, memo=None):
    """out = x"""
    return ct if is_known(x) else copied_part(ct, x)


@rule(own_parts, another, tangent="linear", kind=as_num, samples=[sample(REAL(3)), sample([REAL(2), REAL()])])
def copied_parts(ct, out, x):
    """out = x"""
    return ct


@rule(copied_part, tangent="linear", kind=lambda ct, x: ct, samples=[sample(REAL(3), REAL(3))])
def copied_part_rule(ct, out, cotangent, x):
    """out = cotangent"""
    return ct


nondifferentiable(new_object, result="new", kind=lambda cls: Obj(getattr(cls, "value", object), ()))
nondifferentiable(carried, effect="checks", kind=lambda data: DISCRETE if data is ANY else data)
describe(lookup_error, objects="moves")
nondifferentiable(nothing, kind=lambda x: UNSET)
nondifferentiable(raised, lookup_error, kind=lambda cls, *args: Obj(BaseException))
nondifferentiable(has_item, takes_item, is_position, is_divided, kind=lambda *args: BOOL)
nondifferentiable(handler_number, kind=lambda *args: INT)
nondifferentiable(attribute_store, mutates="attribute")
nondifferentiable(own_method, kind=lambda function: Own(function.value))


@rule(make_object, kind=lambda cls, **attributes: Obj(getattr(cls, "value", object), tuple(sorted(attributes.items()))))
def made(ct, out, cls):
    """out has the attributes that are given: the reverse transformation knows them"""
    return None


nondifferentiable(places_of, kind=lambda base, old, new, part=ANY: Lst(DISCRETE))


@rule(changeable, tangent="linear", result="may view", contents="same", kind=as_num, samples=[sample(REAL(3))])
def changeable_rule(ct, out, value):
    """out = value"""
    return ct


@rule(put_all, tangent="linear", kind=put_kind)
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

try:
    from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
except ImportError:                                        # NumPy 1.26
    from numpy.core.multiarray import normalize_axis_index  # type: ignore[no-redef, attr-defined]
    from numpy.core.numeric import normalize_axis_tuple  # type: ignore[no-redef, attr-defined]


def adjoint_kinds(name: Kind, adjoints: Kind, *arguments: Kind) -> Kind:
    if not isinstance(adjoints, Tup) or len(adjoints.items) != len(arguments):
        return ANY
    return Tup(tuple(as_num(x) if a == Const(None) else as_num(a) for a, x in zip(adjoints.items, arguments)))


@rule(own_adjoints, tangent="linear", kind=adjoint_kinds, samples=[sample("f", (REAL(3), REAL()), REAL(3), REAL())])
def checked(ct, out, name, adjoints, *arguments):
    """out = adjoints"""
    return None, ct, []


@rule(own_copy, tangent="linear", kind=as_num, samples=[sample(REAL(3))])
def closure_copied(ct, out, value):
    """out = value, in other memory"""
    return ct


@rule(callee, tangent="linear", kind=lambda f: f, samples=[sample(REAL(3))])
def called(ct, out, f):
    """out = f"""
    return ct


@rule(closed, tangent="linear", kind=lambda function, values, keywords=None: ANY)
def closure(ct, out, function, values, keywords=None):
    """out = values, with the function that takes them"""
    return None, ct


@rule(in_ufunc_order, tangent="linear", result="new", kind=lambda values, *operands: as_num(values),
      samples=[sample(REAL(2, 3), np.zeros((3, 2)).T)])
def in_order(ct, out, values, *operands):
    """out = values, in another order in memory"""
    return ct, []


nondifferentiable(check_results, effect="checks", kind=lambda values: Const(None))
nondifferentiable(normalize_axis_index, kind=lambda *args: INT)
nondifferentiable(normalize_axis_tuple, kind=lambda *args, **options: ANY)
nondifferentiable(pair_of, kind=lambda *args: Tup((ANY, ANY)))
nondifferentiable(variant_of, kind=lambda *args: ANY)
nondifferentiable(method, attribute, call_unchanging, kind=lambda *args, **options: ANY)
describe(call_forward, call_forward_for, call_jvp, call_unchanging, effect="calls")
declare("in_place", {entry_add: add_entry, entry_add_at: add_entry_at, entry_drop: drop_entry, path_drop: drop_path})
declare("instead", {getattr(np, f.__name__): f for f in (apply_along_axis, apply_over_axes, fromfunction)})
describe(apply_along_axis, apply_over_axes, fromfunction, applies=True)
