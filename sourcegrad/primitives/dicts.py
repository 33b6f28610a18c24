"""Dicts: rules and kinds of the helpers that read and change them, and of their sparse adjoints."""
from __future__ import annotations

import collections
import dataclasses

from sourcegrad.kinds import ANY, FLOAT, Const, Counts, Dct, Kind, Lst, Map, Tup, as_map, forget_sizes, is_object, join
from sourcegrad.kinds.results import Unknown, constant, item_kind
from sourcegrad.primitives.adjoint_kinds import zeros_kind
from sourcegrad.primitives.core import describe, jvp, nondifferentiable, rule
from sourcegrad.runtime import (
    check_item,
    default_factory,
    dict_cleared,
    dict_copy,
    dict_delete,
    dict_discard,
    dict_from_items,
    dict_get,
    dict_items,
    dict_keys,
    dict_merge,
    dict_of_tangents,
    dict_union,
    dict_values,
    entries_in,
    entries_without,
    entry_if,
    entry_key,
    entry_of,
    items_back,
    items_of,
    keyed,
    pairs_back,
    pairs_forth,
    passed_if,
    plain_key,
    values_back,
    values_of,
)


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
        return dataclasses.replace(d, items=tuple({**dict(d.items), known[0]: value}.items()))
    if not isinstance(d, (Dct, Map)):
        return ANY
    d = as_map(d)
    return dataclasses.replace(d, key=join(d.key, key), item=join(d.item, value))


def without_kind(d: Kind, key: Kind) -> Kind:
    known = constant_key(key)
    if isinstance(d, Dct) and known:
        return dataclasses.replace(d, items=tuple((name, item) for name, item in d.items if name != known[0]))
    return as_map(d) if isinstance(d, (Dct, Map)) else ANY


def merged_kind(d: Kind, other: Kind) -> Kind:
    if isinstance(d, Dct) and isinstance(other, Dct) and not other.partial:
        return dataclasses.replace(d, items=tuple({**dict(d.items), **dict(other.items)}.items()))
    if not isinstance(d, (Dct, Map)) or not isinstance(other, (Dct, Map)):
        return ANY
    return join(d, dataclasses.replace(other, made=d.made))


def union_kind(d: Kind, other: Kind) -> Kind:
    """As Python has it, `{} | d` of a defaultdict is one, too."""
    made = getattr(d, "made", None) or getattr(other, "made", None)
    found = merged_kind(d, other)
    return dataclasses.replace(found, made=made) if isinstance(found, (Dct, Map)) else found


def default_kind(factory: Kind = Const(None)) -> Kind:
    """The kind of a new defaultdict."""
    return Dct((), False, None if factory == Const(None) else forget_sizes(factory))


def got_kind(d: Kind, key: Kind, default: Kind) -> Kind:
    found = found_kind(d, key)
    if found is None:
        return default
    return found if isinstance(d, Dct) and constant_key(key) and not d.partial else join(found, default)


def found_kind(d: Kind, key: Kind) -> Kind | None:
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
    found = found_kind(bar, key)
    if found is None:
        return zero
    return found if isinstance(bar, Dct) and constant_key(key) and not bar.partial else join(found, zero)


def subset_kind(bar: Kind, d: Kind) -> Kind:
    if isinstance(bar, Dct):
        return Dct(bar.items, True)
    return bar if isinstance(bar, Map) else ANY


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


# --- the helpers themselves -------------------------------------------------------------------------

nondifferentiable(collections.defaultdict, result="new", kind=default_kind)
nondifferentiable(default_factory, kind=lambda d: getattr(d, "made", None) or ANY)
nondifferentiable(check_item, effect="checks", kind=lambda d, key: Const(None))


# --- reading ----------------------------------------------------------------------------------------------

@rule(dict_get, tangent="linear", takes=True, kind=got_kind)
def got(ct, out, d, key, default):
    """out = d[key] if key in d else default"""
    found = key in d
    return keyed(key, ct, found), None, passed_if(ct, not found, default)


@rule(dict_values, tangent="linear", contents=True, takes=True,
      kind=lambda d: Lst(as_map(d).item) if isinstance(d, (Dct, Map)) else ANY)
def values(ct, out, d):
    return (values_back(ct, d),)                        # in a tuple, as the contribution may be one


@rule(dict_items, tangent="linear", contents=True, takes=True, kind=items_kind)
def items(ct, out, d):
    return (items_back(ct, d),)


@rule(dict_from_items, contents=True, kind=pairs_kind)
def from_items(ct, out, items):
    """out = a dict of the pairs; of several with one key the last counts"""
    return (pairs_back(ct, items),)


nondifferentiable(dict_keys, result="new", takes=True, kind=lambda d: Lst(as_map(d).key) if isinstance(d, (Dct, Map)) else ANY)
nondifferentiable(plain_key, kind=lambda key: key)
nondifferentiable(entry_key, kind=lambda table, key: key, effect="checks")
nondifferentiable(dict_cleared, kind=lambda d: Dct((), False, d.made))


# --- changes ----------------------------------------------------------------------------------------------

@jvp(dict_from_items)
def from_items_tangent(dot, out, items):
    """The tangents under the keys of the items"""
    return (dict_of_tangents(dot, items),)


@rule(dict_of_tangents, tangent="linear", kind=lambda dots, items: ANY)
def of_tangents(ct, out, dots, items):
    """out = the second parts of dots under the first parts of items"""
    return (pairs_back(ct, items),)


@rule(dict_copy, tangent="linear", contents="once", takes=True, kind=lambda d: Map(d.key, d.item) if isinstance(d, Counts) else d)
def copied(ct, out, d):
    return ct


@rule(dict_delete, dict_discard, tangent="linear", writes="items", kind=without_kind)
def deleted(ct, out, d, key):
    """out = d without the key: what is missing in its adjoint is zero"""
    return ct


describe(dict_merge, writes="items", puts=(1,))


@rule(dict_merge, tangent="linear", contents=True, takes=True, kind=merged_kind)
def merged(ct, out, d, other):
    """out = {**d, **other}"""
    return entries_without(ct, other), entries_in(ct, other)


rule(dict_union, tangent="linear", contents=True, takes=True, kind=union_kind)(merged)


# --- adjoints ---------------------------------------------------------------------------------------------

@rule(entry_of, tangent="linear", takes=True, kind=entry_kind)
def one_entry(ct, out, bar, key, like):
    return keyed(key, ct)


@rule(entry_if, tangent="linear", kind=lambda bar, key, wanted, like: join(entry_kind(bar, key, like), zeros_kind(like)))
def one_entry_if(ct, out, bar, key, wanted, like):
    return keyed(key, ct, wanted)


@rule(keyed, tangent="linear", contents=True, kind=keyed_kind)
def one_key(ct, out, key, value, wanted=True):
    if wanted is True:
        return None, entry_of(ct, key, value)
    return None, entry_if(ct, key, wanted, value)


@rule(entries_in, tangent="linear", contents=True, kind=subset_kind)
def kept_entries(ct, out, bar, d):
    return entries_in(ct, d)


@rule(entries_without, tangent="linear", contents=True, kind=subset_kind)
def other_entries(ct, out, bar, d):
    return entries_without(ct, d)


@rule(values_back, tangent="linear", contents=True,
      kind=lambda ct, d: Map(as_map(d).key, ct.item) if isinstance(ct, Lst) and isinstance(d, (Dct, Map)) else ANY)
def values_back_rule(ct, out, part, d):
    return (values_of(ct, d),)


@rule(items_back, tangent="linear", kind=lambda ct, d: Map(as_map(d).key, ANY) if isinstance(d, (Dct, Map)) else ANY)
def items_back_rule(ct, out, part, d):
    return (items_of(ct, d),)


def adjoint_values_kind(ct: Kind, d: Kind) -> Kind:
    """(The adjoint of a dict or object in a dict has whatever entries it has.)"""
    if not isinstance(d, (Dct, Map)):
        return ANY
    item = as_map(d).item or ANY
    return Lst(ANY if is_object(item) or isinstance(item, (Dct, Map)) else zeros_kind(item))


@rule(values_of, tangent="linear", contents=True, kind=adjoint_values_kind)
def values_of_rule(ct, out, part, d):
    return (values_back(ct, d),)


@rule(items_of, tangent="linear", kind=lambda ct, d: Lst(Tup((FLOAT, ANY))))
def items_of_rule(ct, out, part, d):
    return (items_back(ct, d),)


@rule(pairs_back, tangent="linear", kind=lambda ct, items: Lst(ANY))
def pairs_back_rule(ct, out, part, items):
    return (pairs_forth(ct, items),)


@rule(pairs_forth, tangent="linear", kind=lambda ct, items: Map(ANY, ANY))
def pairs_forth_rule(ct, out, part, items):
    return (pairs_back(ct, items),)


@rule(passed_if, tangent="linear", kind=lambda ct, wanted, like: join(ct, zeros_kind(like)))
def passed_if_rule(ct, out, part, wanted, like):
    return passed_if(ct, wanted, part)
