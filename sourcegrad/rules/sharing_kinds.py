"""Kinds of values in which an object may have changed somewhere."""
from __future__ import annotations

from dataclasses import replace

from sourcegrad.kinds import ANY, Closure, Dct, Kind, Lst, Map, Named, Num, Obj, OneOf, Tup, as_map, as_num, join


def put_kind(base: Kind, places: Kind, old: Kind, new: Kind) -> Kind:
    """The kind of a value in which an object may have changed somewhere."""
    old, new = as_num(old), as_num(new)
    if new == old and new != ANY or isinstance(new, Num):
        return base
    return changed_kind(base, new)


def changed_kind(base: Kind, new: Kind) -> Kind:
    """What `base` is when any object in it that can be one of kind `new` is."""
    base = as_num(base)
    if new == ANY and not isinstance(base, Num):
        return ANY
    inside: Kind = base
    if isinstance(base, Named):
        inside = Named(tuple(changed_kind(item, new) for item in base.items), base.cls)
    elif isinstance(base, Tup):
        inside = Tup(tuple(changed_kind(item, new) for item in base.items))
    elif isinstance(base, Closure):
        inside = replace(base, items=tuple(changed_kind(item, new) for item in base.items))
    elif isinstance(base, (Lst, Map)):
        inside = base if base.item is None else replace(base, item=changed_kind(base.item, new))
    elif isinstance(base, Dct):
        inside = replace(base, items=tuple((key, changed_kind(item, new)) for key, item in base.items))
    elif isinstance(base, OneOf):
        inside = OneOf(tuple(_object_kind(item, new) for item in base.items))
    elif isinstance(base, Obj):
        return _object_kind(base, new)
    return join(inside, new) if alike(base, new) else inside


def alike(base: Kind, new: Kind) -> bool:
    """Whether a list or dict may be another one: what they hold is alike."""
    if isinstance(base, Lst) and isinstance(new, Lst):
        one, other = base.item, new.item
    elif isinstance(base, (Dct, Map)) and isinstance(new, (Dct, Map)):
        one, other = as_map(base).item, as_map(new).item
    else:
        return False
    return one is None or other is None or ANY in (one, other) or join(one, other) != ANY


def _object_kind(base: Obj, new: Kind) -> Obj:
    if base.items is None:
        return base
    inside = replace(base, items=tuple((name, changed_kind(item, new)) for name, item in base.items))
    return join(inside, new) if isinstance(new, Obj) and new.cls is base.cls else inside         # type: ignore[return-value]
