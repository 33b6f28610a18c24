"""Lists: rules and kinds of the helpers that change them, select items and join them."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import ANY, INT, Kind, Lst, Obj, Tup, as_num, common, join
from sourcegrad.kinds.results import item_kind
from sourcegrad.primitives.adjoint_kinds import sum_kind, zeros_kind
from sourcegrad.primitives.core import REAL, nondifferentiable, rule, sample
from sourcegrad.primitives.joining import regrouped_kind, sequence_of_kind
from sourcegrad.runtime import (
    check_items,
    count_of,
    extreme_position,
    fold_items,
    insertion_point,
    item_at,
    item_columns,
    join_lists,
    list_append,
    list_delete,
    list_extend,
    list_insert,
    list_move,
    list_put_back,
    list_repeat,
    list_restore,
    list_splice,
    position_of,
    regroup,
    reorder,
    repeat_count,
    rotated_positions,
    rows_back,
    scatter_items,
    splice_back,
    spliced_part,
    split_list,
    tail_start,
    zeros_like,
)

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
nondifferentiable(repeat_count, kind=lambda count: INT)
nondifferentiable(rotated_positions, kind=lambda xs, steps: Lst(INT))
