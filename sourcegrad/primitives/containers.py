"""Containers: rules and kinds of the builtins and helpers for lists, tuples, dicts and sets."""
from __future__ import annotations

import bisect
import collections
import dataclasses
import heapq
import itertools
from collections.abc import Callable

import numpy as np

from sourcegrad import runtime
from sourcegrad.kinds import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    Const,
    Counts,
    Dct,
    Kind,
    Lst,
    Map,
    Num,
    Obj,
    Rest,
    SetOf,
    Tup,
    as_map,
    as_num,
    common,
    forget_sizes,
    is_object,
    join,
    text_from,
)
from sourcegrad.kinds.results import Unknown, constant, item_kind
from sourcegrad.primitives.adjoints import sum_kind, zeros_kind
from sourcegrad.primitives.core import COMPLEX, DISTINCT, REAL, declare, describe, jvp, nondifferentiable, rule, sample
from sourcegrad.primitives.joining import picked_kind, regrouped_kind, sequence_of_kind
from sourcegrad.runtime import (
    check_item,
    check_items,
    check_keywords,
    count_of,
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
    entry_of,
    extreme_position,
    fold_items,
    given_count,
    insertion_point,
    item_at,
    item_columns,
    items_back,
    items_of,
    join_lists,
    keyed,
    library,
    list_append,
    list_delete,
    list_extend,
    list_insert,
    list_move,
    list_put_back,
    list_repeat,
    list_restore,
    list_splice,
    pairs_back,
    pairs_forth,
    passed_if,
    pick_items,
    place_items,
    plain_key,
    position_of,
    positions_of_tuples,
    real_parts,
    regroup,
    reorder,
    repeat_count,
    rotated_positions,
    rows_back,
    same_item,
    same_lengths,
    scatter_items,
    set_add,
    set_discard,
    set_update,
    sorted_positions,
    splice_back,
    spliced_part,
    split_list,
    tail_start,
    text_of,
    values_back,
    values_of,
    zeros_like,
)


def set_items_kind(*sources: Kind) -> Kind:
    """The kind of a set of what is in a set and what is added to it."""
    if not sources or not isinstance(sources[0], SetOf):
        return Obj(set)
    return SetOf(item=common([sources[0].item, *map(as_num, sources[1:])]))


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
nondifferentiable(collections.defaultdict, result="new", kind=default_kind)
nondifferentiable(default_factory, kind=lambda d: getattr(d, "made", None) or ANY)
nondifferentiable(check_item, effect="checks", kind=lambda d, key: Const(None))
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

ITEMS = [REAL(), REAL(), REAL()]
ARRAYS = [REAL(2), REAL(2), REAL(2)]


# --- kinds ------------------------------------------------------------------------------------------------

def with_item(xs: Kind, value: Kind) -> Kind:
    return Lst(join(xs.item, value)) if isinstance(xs, Lst) else ANY


def with_items(xs: Kind, values: Kind) -> Kind:
    if not isinstance(xs, Lst):
        return ANY
    item = item_kind(values)
    return Lst(join(xs.item, item) if item else xs.item)


def selection_kind(items: Kind, positions: Kind) -> Kind:
    if isinstance(items, Obj) and items.cls is range:
        return Lst(INT)
    return Lst(item_kind(items))


def folded_kind(ct: Kind, like: Kind) -> Kind:
    """Zeros like the items of a sequence, to some of which parts of `ct` were added."""
    item = item_kind(like)
    if item is None:
        return sequence_of_kind(None, like)
    zero, part = zeros_kind(item), part_of(ct)
    return sequence_of_kind(join(zero, sum_kind(zero, part)) if part else zero, like)


def part_of(ct: Kind) -> Kind | None:
    """What the parts of the adjoint of a sequence have in common: one number may stand for all of them."""
    return item_kind(ct) if isinstance(ct, (Lst, Tup)) else ct


def filled_kind(part: Kind, like: Kind) -> Kind:
    """A list of parts, and of zeros like the items of a sequence."""
    item = item_kind(like)
    return Lst(common([part_of(part), item and zeros_kind(item)]))


def like_rows(ct: Kind, rows: Kind) -> Kind:
    """Parts in the types of the rows, these in that of their sequence."""
    row = item_kind(rows)
    if row is None:
        return sequence_of_kind(None, rows)
    parts = [part_of(column) for column in (ct.items if isinstance(ct, Tup) else [part_of(ct) or ANY])]
    zeros = [zeros_kind(item) for item in (row.items if isinstance(row, Tup) else [item_kind(row) or ANY])]
    if isinstance(row, Tup) and len(parts) == len(row.items):
        return sequence_of_kind(regrouped_kind(Tup(tuple(part or ANY for part in parts)), row), rows)
    return sequence_of_kind(sequence_of_kind(common([*parts, *zeros]), row), rows)


def same(part: Kind, *others: Kind) -> Kind:
    return part if isinstance(part, Lst) else ANY


# --- changes ----------------------------------------------------------------------------------------------

@rule(list_append, tangent="linear", writes="items", puts=(1,),
      kind=with_item, samples=[sample(ITEMS, REAL()), sample(ARRAYS, REAL(2)), sample([], REAL())])
def appended(ct, out, xs, value):
    """out = [*xs, value]"""
    return list_delete(ct, -1), item_at(ct, -1)


@rule(list_insert, tangent="linear", contents=True, writes="items", puts=(2,),
      kind=lambda xs, position, value: with_item(xs, value), samples=[
    sample(ITEMS, 1, REAL()), sample(ITEMS, -1, REAL()), sample(ARRAYS, 9, REAL(2)), sample(ITEMS, -9, REAL())])
def inserted(ct, out, xs, position, value):
    """out = [*xs[:position], value, *xs[position:]]"""
    place = insertion_point(xs, position)
    return list_delete(ct, place), None, item_at(ct, place)


@rule(list_extend, tangent="linear", contents=True, writes="items", puts=(1,),
      kind=with_items, samples=[sample(ITEMS, ITEMS), sample(ITEMS, REAL(2)), sample([], (REAL(), REAL()))])
def extended(ct, out, xs, values):
    """out = [*xs, *values]"""
    start = tail_start(ct, values)
    return list_delete(ct, slice(start, None)), regroup(item_at(ct, slice(start, None)), values)


@rule(list_delete, tangent="linear", writes="items", kind=same,
      samples=[sample(ITEMS, 1), sample(ITEMS, -1), sample(ARRAYS, slice(0, 2)),
                                       sample(ITEMS, slice(None, None, 2))])
def item_deleted(ct, out, xs, index):
    """out = xs without what is at the index"""
    return (list_restore(ct, xs, index),)               # in a tuple, as the contribution may be one


@rule(list_move, tangent="linear", writes="items", kind=same,
      samples=[sample(ITEMS, [2, 0]), sample(ITEMS, []), sample(ARRAYS, [0, 1, 2])])
def moved(ct, out, xs, path):
    """out[path[j]] = xs[path[j + 1]], out[path[-1]] = xs[path[0]]"""
    return list_move(ct, path[::-1])


@rule(list_put_back, tangent="linear", writes="items", puts=(2,), kind=lambda part, index, value: with_item(part, value), samples=[
    sample(ITEMS, 1, REAL()), sample(ITEMS, -1, REAL()), sample(ITEMS, -3, REAL())])
def put_back(ct, out, part, index, value):
    """part = out without what is at the index"""
    return list_delete(ct, index), None, item_at(ct, index)


@rule(list_restore, tangent="linear", contents=True, kind=lambda part, like, index: filled_kind(part, like), samples=[
    sample([REAL(), REAL()], [1.0, 2.0, 3.0], 1), sample([REAL(2)], [np.ones(2), np.ones(2), np.ones(2)], slice(0, 2))])
def restored(ct, out, part, like, index):
    """out = part, with zeros put in at the index"""
    return (list_delete(ct, index),)


@rule(list_splice, tangent="linear", contents=True, kind=lambda xs, index, values: with_items(xs, values), samples=[
    sample(ITEMS, slice(1, 2), ITEMS), sample(ITEMS, slice(None, None, 2), [REAL(), REAL()]),
    sample(ARRAYS, slice(0, 3), []), sample(ITEMS, slice(1, None), REAL(4))])
def spliced(ct, out, xs, index, values):
    """out = xs, but values at the slice"""
    return splice_back(ct, xs, index, values), None, spliced_part(ct, xs, index, values)


@rule(splice_back, tangent="linear", kind=lambda ct, xs, index, values: filled_kind(ct, xs), samples=[
    sample([REAL(), REAL(), REAL()], [1.0, 2.0], slice(1, 2), (1.0, 2.0))])
def spliced_back(ct, out, part, xs, index, values):
    return (list_splice(ct, index, zeros_like(values)),)


@rule(spliced_part, tangent="linear", kind=lambda ct, xs, index, values: sequence_of_kind(part_of(ct), values), samples=[
    sample([REAL(), REAL(), REAL()], [1.0, 2.0], slice(1, 2), [1.0, 2.0])])
def spliced_out(ct, out, part, xs, index, values):
    return (list_splice(zeros_like(xs), index, ct),)


# --- selections -------------------------------------------------------------------------------------------

@rule(reorder, tangent="linear", contents=True, kind=selection_kind, samples=[
    sample(ITEMS, [2, 0, 1]), sample(REAL(3), [1, 1]), sample((REAL(2), REAL(2)), [1, 0, 1])])
def reordered(ct, out, items, positions):
    """out = [items[position] for position in positions]"""
    return (scatter_items(ct, positions, items),)


@rule(scatter_items, tangent="linear", kind=lambda ct, positions, like: folded_kind(ct, like), samples=[
    sample(ITEMS, [2, 0, 2], [1.0, 1.0, 1.0]), sample(ITEMS, [1, 0, 1], (1.0, 1.0))])
def scattered(ct, out, part, positions, like):
    return (reorder(ct, positions),)


def columns_kind(rows: Kind) -> Kind:
    row = item_kind(rows)
    if isinstance(row, Tup):
        return Tup(tuple(Lst(as_num(item)) for item in row.items))
    return Lst(Lst(item_kind(row))) if row is not None else ANY


@rule(item_columns, tangent="linear", kind=columns_kind, samples=[
    sample([(REAL(), REAL(2)), (REAL(), REAL(2))]), sample([[REAL(), REAL()]]), sample(REAL(3, 2))])
def columns_of(ct, out, rows):
    """out = the columns of the rows"""
    return (rows_back(ct, rows),)


@rule(rows_back, tangent="linear", kind=like_rows, samples=[sample([[REAL(), REAL()], [REAL(), REAL()]], [(1.0, 1.0), (1.0, 1.0)])])
def rows_back_rule(ct, out, part, rows):
    return (item_columns(ct),)


@rule(join_lists, tangent="linear", kind=lambda lists: Lst(item_kind(item_kind(lists) or Lst())), samples=[
    sample([[REAL(), REAL()], [REAL()]]), sample(([REAL(2)], [REAL(2), REAL(2)]))])
def joined(ct, out, lists):
    """out = the items of all lists"""
    return (split_list(ct, lists),)


@rule(split_list, tangent="linear",
      kind=lambda ct, lists: sequence_of_kind(sequence_of_kind(part_of(ct), item_kind(lists) or ANY), lists),
      samples=[sample([REAL(), REAL(), REAL()], [[1.0, 1.0], [1.0]])])
def split(ct, out, part, lists):
    return (join_lists(ct),)


@rule(list_repeat, tangent="linear", contents="repeated", kind=lambda xs, count: xs if isinstance(xs, Lst) else ANY, samples=[
    sample(ITEMS, 2), sample((REAL(), REAL(2)), 3), sample(ITEMS, 0)])
def repeated(ct, out, xs, count):
    """out = xs * count"""
    return (fold_items(ct, xs),)


@rule(check_items, tangent="linear", kind=lambda ct: ct, samples=[sample([REAL(), REAL()])])
def check_items_rule(ct, out, items):
    return (ct,)


@rule(fold_items, tangent="linear", kind=folded_kind, samples=[
    sample([REAL(), REAL(), REAL(), REAL()], [1.0, 1.0])])
def folded(ct, out, part, xs):
    return (list_repeat(ct, len(part) // max(len(xs), 1)),)


nondifferentiable(extreme_position, kind=lambda keys, largest: INT)
nondifferentiable(tail_start, kind=lambda xs, values: INT)
nondifferentiable(insertion_point, kind=lambda xs, position: INT)
nondifferentiable(position_of, result="new", effect="checks", kind=lambda xs, value: INT)
nondifferentiable(count_of, result="new", kind=lambda xs, value: INT)
nondifferentiable(same_item, result="new", kind=lambda xs, i, j: BOOL)
nondifferentiable(repeat_count, kind=lambda count: INT)
nondifferentiable(text_of, kind=lambda text, method, *args, **options: text_from(text, *args, *options.values()))
nondifferentiable(rotated_positions, kind=lambda xs, steps: Lst(INT))
nondifferentiable(same_lengths, kind=lambda *sequences: INT)


nondifferentiable(positions_of_tuples, kind=lambda function, *arguments, **options: Lst(Rest(INT)))
nondifferentiable(set_add, writes="items", puts=(1,), kind=set_items_kind)
nondifferentiable(set_discard, writes="items", kind=lambda xs, value: xs if isinstance(xs, Obj) else Obj(set))
nondifferentiable(set_update, writes="items", puts=(1,), kind=lambda *args: Obj(set))

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
describe(reversed, result="may view")


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
