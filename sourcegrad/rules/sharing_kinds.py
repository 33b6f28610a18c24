"""Kinds of values in which an object may have changed somewhere."""
from __future__ import annotations

from dataclasses import replace

from sourcegrad.kinds import ANY, Closure, Dct, Kind, Lst, Map, Named, Num, Obj, OneOf, Tup, as_map, as_num, is_numeric, join


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
    if isinstance(base, Named):
        inside = Named(tuple(changed_kind(item, old, new) for item in base.items), base.cls)
    elif isinstance(base, Tup):
        inside = Tup(tuple(changed_kind(item, old, new) for item in base.items))
    elif isinstance(base, Closure):
        inside = replace(base, items=tuple(changed_kind(item, old, new) for item in base.items))
    elif isinstance(base, (Lst, Map)):
        inside = base if base.item is None else replace(base, item=changed_kind(base.item, old, new))
    elif isinstance(base, Dct):
        inside = replace(base, items=tuple((key, changed_kind(item, old, new)) for key, item in base.items))
    elif isinstance(base, OneOf):
        inside = replace(base, items=tuple(_object_kind(item, old, new) for item in base.items))
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
    inside = replace(base, items=tuple((name, changed_kind(item, old, new)) for name, item in base.items))
    for one in new.items if isinstance(new, OneOf) else [new]:
        if isinstance(one, Obj) and one.cls is base.cls:
            return join(inside, one)                                                            # type: ignore[return-value]
    return inside
