"""Kinds of items, and of changed dicts and what is read from them."""
from __future__ import annotations

import dataclasses

from sourcegrad import runtime
from sourcegrad.kinds import ANY, DISCRETE, Const, Dct, Kind, Lst, Map, Num, Obj, Rest, SetOf, Tup, as_map, as_num, common, join
from sourcegrad.kinds.results import Unknown, constant
from sourcegrad.rules.adjoint_kinds import zeros_kind


def set_items(*sources: Kind) -> Kind:
    """The kind of a set of what is in a set and what is added to it."""
    if not sources or not isinstance(sources[0], SetOf):
        return Obj(set)
    return SetOf(item=common([sources[0].item, *map(as_num, sources[1:])]))


def item_kind(items: Kind) -> Kind | None:
    """What all items of a sequence have in common (None: it is empty)."""
    items = as_num(items)
    if isinstance(items, (Lst, Rest)) or isinstance(items, SetOf) and items.item is not None:
        return items.item
    if items is DISCRETE:
        return items
    if isinstance(items, Tup):
        return common(items.items)
    if isinstance(items, Num) and items.dims:
        return Num(items.dtype, items.dims[1:], len(items.dims) > 1)
    raise Unknown


def constant_key(key: Kind) -> tuple:
    """(the key,) if it is known, else ()."""
    try:
        return (constant(key),)
    except Unknown:
        return ()


def stored_kind(d: Kind, key: Kind, value: Kind) -> Kind:
    """The kind of a dict after `d[key] = value`."""
    known = constant_key(key)
    if isinstance(d, Dct) and known:
        return Dct(tuple({**dict(d.items), known[0]: value}.items()), d.partial)
    if not isinstance(d, (Dct, Map)):
        return ANY
    d = as_map(d)
    return dataclasses.replace(d, key=join(d.key, key), item=join(d.item, value))


def without_kind(d: Kind, key: Kind) -> Kind:
    known = constant_key(key)
    if isinstance(d, Dct) and known:
        return Dct(tuple((name, item) for name, item in d.items if name != known[0]), d.partial)
    return as_map(d) if isinstance(d, (Dct, Map)) else ANY


def merged_kind(d: Kind, other: Kind) -> Kind:
    if isinstance(d, Dct) and isinstance(other, Dct) and not other.partial:
        return Dct(tuple({**dict(d.items), **dict(other.items)}.items()), d.partial)
    return join(d, other) if isinstance(d, (Dct, Map)) and isinstance(other, (Dct, Map)) else ANY


def got_kind(d: Kind, key: Kind, default: Kind) -> Kind:
    found = entry(d, key)
    if found is None:
        return default
    return found if isinstance(d, Dct) and constant_key(key) and not d.partial else join(found, default)


def entry(d: Kind, key: Kind) -> Kind | None:
    """The kind of an entry; None where there is none."""
    if isinstance(d, Dct) and constant_key(key):
        return d.get(constant_key(key)[0])
    if isinstance(d, (Dct, Map)):
        return as_map(d).item
    return ANY


def entry_kind(bar: Kind, key: Kind, like: Kind) -> Kind:
    zero = zeros_kind(like)
    if not isinstance(bar, (Dct, Map)):
        return ANY
    found = entry(bar, key)
    if found is None:
        return zero
    return found if isinstance(bar, Dct) and constant_key(key) and not bar.partial else join(found, zero)


def subset_kind(bar: Kind, d: Kind) -> Kind:
    if isinstance(bar, Dct):
        return Dct(bar.items, True)
    return bar if isinstance(bar, Map) else ANY


def keys_kind(d: Kind) -> Kind:
    return Lst(as_map(d).key) if isinstance(d, (Dct, Map)) else ANY


def values_kind(d: Kind) -> Kind:
    return Lst(as_map(d).item) if isinstance(d, (Dct, Map)) else ANY


def items_kind(d: Kind) -> Kind:
    if not isinstance(d, (Dct, Map)):
        return ANY
    d = as_map(d)
    return Lst(Tup((d.key, d.item)) if d.key and d.item else None)


def pairs_kind(items: Kind) -> Kind:
    pair = item_kind(items)
    if pair is None:
        return Map()
    return Map(pair.items[0], pair.items[1]) if isinstance(pair, Tup) and len(pair.items) == 2 else ANY


def keyed_kind(key: Kind, value: Kind, wanted: Kind = Const(True)) -> Kind:
    return stored_kind(Dct(()), key, value) if wanted == Const(True) else join(Dct(()), stored_kind(Dct(()), key, value))


CHANGES = {runtime.list_append, runtime.list_insert, runtime.list_extend, runtime.list_delete, runtime.list_splice,
           runtime.dict_merge, runtime.dict_delete, runtime.dict_discard, runtime.dict_cleared,
           runtime.set_add, runtime.set_discard, runtime.set_update}
NEW = CHANGES | {runtime.dict_copy, runtime.dict_union, runtime.dict_from_items, runtime.dict_keys, runtime.dict_values,
                 runtime.dict_items, runtime.reorder, runtime.pick_tuples, runtime.item_columns, runtime.list_repeat,
                 runtime.join_lists}   # new containers of old items
