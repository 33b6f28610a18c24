"""Rules of changed dicts and of what is read from dicts; their adjoints are sparse dicts."""
from __future__ import annotations

from sourcegrad.kinds import ANY, FLOAT, Counts, Dct, Kind, Lst, Map, Tup, as_map, is_object, join
from sourcegrad.rules.adjoint_kinds import zeros_kind
from sourcegrad.rules.container_kinds import (
    entry_kind,
    got_kind,
    items_kind,
    keyed_kind,
    keys_kind,
    merged_kind,
    pairs_kind,
    subset_kind,
    values_kind,
    without_kind,
)
from sourcegrad.rules.core import nondifferentiable, rule
from sourcegrad.runtime import (
    dict_cleared,
    dict_copy,
    dict_delete,
    dict_discard,
    dict_from_items,
    dict_get,
    dict_items,
    dict_keys,
    dict_merge,
    dict_union,
    dict_values,
    entries_in,
    entries_without,
    entry_if,
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

# --- reading ----------------------------------------------------------------------------------------------

@rule(dict_get, kind=got_kind)
def got(ct, out, d, key, default):
    """out = d[key] if key in d else default"""
    found = key in d
    return keyed(key, ct, found), None, passed_if(ct, not found, default)


@rule(dict_values, kind=values_kind)
def values(ct, out, d):
    return (values_back(ct, d),)                        # in a tuple, as the contribution may be one


@rule(dict_items, kind=items_kind)
def items(ct, out, d):
    return (items_back(ct, d),)


@rule(dict_from_items, kind=pairs_kind)
def from_items(ct, out, items):
    """out = a dict of the pairs; of several with one key the last counts"""
    return (pairs_back(ct, items),)


nondifferentiable(dict_keys, kind=keys_kind)
nondifferentiable(plain_key, kind=lambda key: key)
nondifferentiable(dict_cleared, kind=lambda d: Dct(()))


# --- changes ----------------------------------------------------------------------------------------------

@rule(dict_copy, kind=lambda d: Map(d.key, d.item) if isinstance(d, Counts) else d)
def copied(ct, out, d):
    return ct


@rule(dict_delete, dict_discard, kind=without_kind)
def deleted(ct, out, d, key):
    """out = d without the key: what is missing in its adjoint is zero"""
    return ct


@rule(dict_merge, dict_union, kind=merged_kind)
def merged(ct, out, d, other):
    """out = {**d, **other}"""
    return entries_without(ct, other), entries_in(ct, other)


# --- adjoints ---------------------------------------------------------------------------------------------

@rule(entry_of, kind=entry_kind)
def one_entry(ct, out, bar, key, like):
    return keyed(key, ct)


@rule(entry_if, kind=lambda bar, key, wanted, like: join(entry_kind(bar, key, like), zeros_kind(like)))
def one_entry_if(ct, out, bar, key, wanted, like):
    return keyed(key, ct, wanted)


@rule(keyed, kind=keyed_kind)
def one_key(ct, out, key, value, wanted=True):
    if wanted is True:
        return None, entry_of(ct, key, value)
    return None, entry_if(ct, key, wanted, value)


@rule(entries_in, kind=subset_kind)
def kept_entries(ct, out, bar, d):
    return entries_in(ct, d)


@rule(entries_without, kind=subset_kind)
def other_entries(ct, out, bar, d):
    return entries_without(ct, d)


@rule(values_back, kind=lambda ct, d: Map(as_map(d).key, ct.item) if isinstance(ct, Lst) and isinstance(d, (Dct, Map)) else ANY)
def values_back_rule(ct, out, part, d):
    return (values_of(ct, d),)


@rule(items_back, kind=lambda ct, d: Map(as_map(d).key, ANY) if isinstance(d, (Dct, Map)) else ANY)
def items_back_rule(ct, out, part, d):
    return (items_of(ct, d),)


def adjoint_values_kind(ct: Kind, d: Kind) -> Kind:
    """(The adjoint of a dict or object in a dict has whatever entries it has.)"""
    if not isinstance(d, (Dct, Map)):
        return ANY
    item = as_map(d).item or ANY
    return Lst(ANY if is_object(item) or isinstance(item, (Dct, Map)) else zeros_kind(item))


@rule(values_of, kind=adjoint_values_kind)
def values_of_rule(ct, out, part, d):
    return (values_back(ct, d),)


@rule(items_of, kind=lambda ct, d: Lst(Tup((FLOAT, ANY))))
def items_of_rule(ct, out, part, d):
    return (items_back(ct, d),)


@rule(pairs_back, kind=lambda ct, items: Lst(ANY))
def pairs_back_rule(ct, out, part, items):
    return (pairs_forth(ct, items),)


@rule(pairs_forth, kind=lambda ct, items: Map(ANY, ANY))
def pairs_forth_rule(ct, out, part, items):
    return (pairs_back(ct, items),)


@rule(passed_if, kind=lambda ct, wanted, like: join(ct, zeros_kind(like)))
def passed_if_rule(ct, out, part, wanted, like):
    return passed_if(ct, wanted, part)
