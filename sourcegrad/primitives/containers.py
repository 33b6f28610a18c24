"""Containers: what methods of lists, dicts and sets do as functions; rules of `list`, `tuple` and `sorted`; sets."""
from __future__ import annotations

import bisect
import collections
import heapq
import itertools
from collections.abc import Callable

import numpy as np

from sourcegrad import runtime
from sourcegrad.kinds import ANY, BOOL, INT, Const, Kind, Lst, Num, Obj, Rest, SetOf, Tup, as_num, common, text_from
from sourcegrad.kinds.results import item_kind
from sourcegrad.primitives.core import COMPLEX, DISTINCT, REAL, declare, describe, jvp, nondifferentiable, rule, sample
from sourcegrad.primitives.joining import picked_kind, regrouped_kind
from sourcegrad.runtime import (
    check_keywords,
    given_count,
    library,
    pick_items,
    place_items,
    positions_of_tuples,
    real_parts,
    regroup,
    reorder,
    same_item,
    same_lengths,
    set_add,
    set_discard,
    set_update,
    sorted_positions,
    text_of,
)


def set_items_kind(*sources: Kind) -> Kind:
    """The kind of a set of what is in a set and what is added to it."""
    if not sources or not isinstance(sources[0], SetOf):
        return Obj(set)
    return SetOf(item=common([sources[0].item, *map(as_num, sources[1:])]))


CHANGES = {runtime.list_append, runtime.list_insert, runtime.list_extend, runtime.list_delete, runtime.list_splice,
           runtime.list_move, runtime.dict_merge, runtime.dict_delete, runtime.dict_discard, runtime.dict_cleared,
           runtime.set_add, runtime.set_discard, runtime.set_update}
describe(*CHANGES, mutates="items")
describe(runtime.dict_get, runtime.dict_delete, runtime.dict_discard, runtime.set_add, runtime.set_discard, runtime.set_update,
         keyed=True)
describe(runtime.dict_keys, runtime.dict_values, runtime.dict_items, live=True)
describe(list, tuple, sorted, set, frozenset, sum, min, max, any, all, runtime.sequence, runtime.list_extend, iterates=True)
describe(map, filter, sorted, max, min, applies=True)
declare("in_place", {
    runtime.list_append: runtime.append_to, runtime.list_delete: runtime.delete_from, runtime.list_put_back: runtime.put_back_into,
    runtime.list_move: runtime.move_along})
declare("method", {
    runtime.list_append: ("append",), runtime.list_insert: ("insert",), runtime.list_extend: ("extend",),
    runtime.dict_merge: ("update",), runtime.dict_delete: ("pop",), runtime.dict_discard: ("pop", None),
    runtime.set_add: ("add",), runtime.set_discard: ("discard",), runtime.set_update: ("update",)})
METHODS: dict[type, dict[str, Callable]] = {             # what a method does, as a function of its container
    list: {"append": runtime.list_append, "insert": runtime.list_insert, "extend": runtime.list_extend, "copy": list,
           "index": runtime.position_of, "count": runtime.count_of, "__delitem__": runtime.list_delete},
    dict: {"keys": runtime.dict_keys, "values": runtime.dict_values, "items": runtime.dict_items, "copy": runtime.dict_copy,
           "clear": runtime.dict_cleared, "__delitem__": runtime.dict_delete},
    set: {"add": runtime.set_add, "discard": runtime.set_discard, "update": runtime.set_update}}
declare("instead", {
    itertools.groupby: library.groupby,
    **{getattr(bisect, name): getattr(library, name) for name in ("insort_left", "insort_right")},
    **{getattr(heapq, name): getattr(library, name) for name in (
        "heappush", "heappop", "heapify", "heappushpop", "heapreplace", "nsmallest", "nlargest")}})
NEW = CHANGES | {runtime.dict_copy, runtime.dict_union, runtime.dict_from_items, runtime.dict_keys, runtime.dict_values,
                 runtime.dict_items, runtime.reorder, runtime.item_columns, runtime.list_repeat,
                 runtime.join_lists}   # new containers of old items

PARTS = [sample([REAL(), REAL()]), sample((REAL(3), [REAL(), REAL(2)])), sample(REAL(3)), sample(REAL(2, 3)),
         sample(REAL(0)), sample([])]


def list_kind(iterable: Kind = Tup(()), **options: Kind) -> Kind:
    return Lst(item_kind(iterable))


def tuple_kind(iterable: Kind = Tup(())) -> Kind:
    items = as_num(iterable)
    if isinstance(items, Num) and items.dims and isinstance(items.dims[0], int):
        return Tup((item_kind(items) or ANY,) * items.dims[0])
    if isinstance(items, (Tup, Rest)):
        return items
    return Rest(item_kind(items)) if isinstance(items, (Lst, Num)) else ANY


@rule(list, tangent="linear", result="may view", contents="once", kind=list_kind, samples=PARTS)
def list_(ct, out, iterable=()):
    """out = the same items in a new list"""
    return (regroup(ct, iterable),)                     # in a tuple, as the contribution may be one


@rule(tuple, tangent="linear", result="may view", kind=tuple_kind, samples=PARTS)
def tuple_(ct, out, iterable=()):
    """out = the same items in a tuple"""
    return (regroup(ct, iterable),)


@rule(sorted, result="may view", contents=True, kind=list_kind, samples=[
    sample([3.0, 1.0, 2.0]), sample((1.0, 3.0, 2.0), reverse=True), sample(DISTINCT(4)), sample(REAL(1))])
def sorted_(ct, out, iterable, *, reverse=False):
    """out[k] = iterable[positions[k]]"""
    return (place_items(ct, sorted_positions(iterable, reverse), iterable),)


@jvp(sorted)
def sorted_tangent(dot, out, iterable, *, reverse=False):
    """The tangents in the order of the items."""
    return (reorder(dot, sorted_positions(iterable, reverse)),)


# --- the helpers themselves -------------------------------------------------------------------------

nondifferentiable(collections.namedtuple, kind=lambda *args, **options: ANY)
nondifferentiable(sorted_positions, kind=lambda items, reverse=None: Lst(INT))
nondifferentiable(given_count, kind=lambda values, least, most: INT)
nondifferentiable(check_keywords, effect="checks", kind=lambda mapping, needed, allowed: Const(None))


@rule(regroup, tangent="linear", kind=regrouped_kind,
      samples=[sample([REAL(), REAL()], (1.0, 1.0)), sample([REAL(3), REAL(3)], [1.0, 1.0]),
                        sample([REAL(3), REAL(3)], np.zeros((2, 3))), sample(REAL(3), [1.0, 1.0, 1.0])])
def regroup_rule(ct, out, parts, like):
    return (regroup(ct, parts),)


@rule(pick_items, tangent="linear", kind=picked_kind, samples=[
    sample([REAL(), REAL(), REAL()], [2, 0, 1], (1.0, 1.0, 1.0)), sample(REAL(3), [2, 0, 1], [1.0, 1.0, 1.0])])
def pick_items_rule(ct, out, items, positions, like):
    return (place_items(ct, positions, items),)


@rule(place_items, tangent="linear", kind=picked_kind, samples=[
    sample([REAL(), REAL(), REAL()], [2, 0, 1], (1.0, 1.0, 1.0)), sample(REAL(3), [2, 0, 1], [1.0, 1.0, 1.0])])
def place_items_rule(ct, out, items, positions, like):
    return (pick_items(ct, positions, items),)


def real_parts_kind(bar: Kind, keys: Kind = Tup(())) -> Kind:
    """The same container with what is real of its numbers."""
    if keys != Tup(()):
        return ANY
    if isinstance(bar, Tup):
        return Tup(tuple(map(real_parts_kind, bar.items)))
    if isinstance(bar, Lst):
        return Lst(bar.item and real_parts_kind(bar.item))
    bar = as_num(bar)
    return Num(None, bar.dims, bar.boxed, real=True) if isinstance(bar, Num) else ANY


@rule(real_parts, tangent="linear", kind=real_parts_kind, samples=[
    sample([COMPLEX(), COMPLEX(2)]), sample((REAL(2), COMPLEX(2))), sample((REAL(2), COMPLEX(2)), (0,))])
def real_parts_rule(ct, out, bar, keys=()):
    """out = the real parts of bar"""
    return (real_parts(ct, keys),)


nondifferentiable(same_item, result="new", kind=lambda xs, i, j: BOOL)
nondifferentiable(text_of, kind=lambda text, method, *args, **options: text_from(text, *args, *options.values()))
nondifferentiable(same_lengths, kind=lambda *sequences: INT)


nondifferentiable(positions_of_tuples, kind=lambda function, *arguments, **options: Lst(Rest(INT)))
nondifferentiable(set_add, writes="items", puts=(1,), kind=set_items_kind)
nondifferentiable(set_discard, writes="items", kind=lambda xs, value: xs if isinstance(xs, Obj) else Obj(set))
nondifferentiable(set_update, writes="items", puts=(1,), kind=lambda *args: Obj(set))


describe(reversed, result="may view")
