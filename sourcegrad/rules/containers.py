"""Rules of the builtins that make a list or tuple of the items of another sequence."""
from __future__ import annotations

import collections

import numpy as np

from sourcegrad.kinds import ANY, INT, Const, Kind, Lst, Num, Rest, Tup, as_num
from sourcegrad.rules.container_kinds import item_kind
from sourcegrad.rules.core import COMPLEX, DISTINCT, REAL, nondifferentiable, rule, sample
from sourcegrad.rules.part_kinds import picked, regrouped
from sourcegrad.runtime import check_keywords, given_count, pick_items, place_items, real_parts, regroup, sorted_positions

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


@rule(list, kind=list_kind, samples=PARTS)
def list_(ct, out, iterable=()):
    """out = the same items in a new list"""
    return (regroup(ct, iterable),)                     # in a tuple, as the contribution may be one


@rule(tuple, kind=tuple_kind, samples=PARTS)
def tuple_(ct, out, iterable=()):
    """out = the same items in a tuple"""
    return (regroup(ct, iterable),)


@rule(sorted, kind=list_kind, samples=[
    sample([3.0, 1.0, 2.0]), sample((1.0, 3.0, 2.0), reverse=True), sample(DISTINCT(4)), sample(REAL(1))])
def sorted_(ct, out, iterable, *, reverse=False):
    """out[k] = iterable[positions[k]]"""
    return (place_items(ct, sorted_positions(iterable, reverse), iterable),)


# --- the helpers themselves -------------------------------------------------------------------------

nondifferentiable(collections.namedtuple, kind=lambda *args, **options: ANY)
nondifferentiable(sorted_positions, kind=lambda items, reverse=None: Lst(INT))
nondifferentiable(given_count, kind=lambda values, least, most: INT)
nondifferentiable(check_keywords, kind=lambda mapping, needed, allowed: Const(None))


@rule(regroup, kind=regrouped, samples=[sample([REAL(), REAL()], (1.0, 1.0)), sample([REAL(3), REAL(3)], [1.0, 1.0]),
                        sample([REAL(3), REAL(3)], np.zeros((2, 3))), sample(REAL(3), [1.0, 1.0, 1.0])])
def regroup_rule(ct, out, parts, like):
    return (regroup(ct, parts),)


@rule(pick_items, kind=picked, samples=[
    sample([REAL(), REAL(), REAL()], [2, 0, 1], (1.0, 1.0, 1.0)), sample(REAL(3), [2, 0, 1], [1.0, 1.0, 1.0])])
def pick_items_rule(ct, out, items, positions, like):
    return (place_items(ct, positions, items),)


@rule(place_items, kind=picked, samples=[
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


@rule(real_parts, kind=real_parts_kind, samples=[
    sample([COMPLEX(), COMPLEX(2)]), sample((REAL(2), COMPLEX(2))), sample((REAL(2), COMPLEX(2)), (0,))])
def real_parts_rule(ct, out, bar, keys=()):
    """out = the real parts of bar"""
    return (real_parts(ct, keys),)
