"""Places: rules and kinds of objects that are told apart by their identity."""
from __future__ import annotations

import copy
import dataclasses

from sourcegrad.kinds import (
    ALL,
    ANY,
    DISCRETE,
    INT,
    KEYS,
    RESIZED,
    Const,
    Fn,
    Kind,
    Lst,
    Num,
    Place,
    State,
    Tup,
    as_num,
    entry_name,
    filling,
    held,
    is_held_array,
    storing,
    storing_entry,
)
from sourcegrad.kinds.arguments import entered_kind
from sourcegrad.primitives.adjoint_kinds import adjoint_kind, in_container, zeros_kind
from sourcegrad.primitives.core import declare, describe, nondifferentiable, rule
from sourcegrad.runtime import (
    another,
    array_fill,
    attribute_store,
    attribute_tangent,
    bars_move,
    copied_places,
    copies_back,
    copies_forth,
    copies_made,
    copies_of,
    copy_in,
    deque_end,
    deque_fill,
    deque_front,
    deque_load,
    deque_number,
    deque_pop,
    deque_pop_left,
    deque_push,
    deque_push_left,
    deque_store,
    dict_fill,
    dict_get,
    dict_whole,
    enter_places,
    entry_add,
    entry_drop,
    entry_of,
    fill_dict,
    gathered,
    held_items,
    key_delete,
    key_in,
    key_load,
    key_put,
    key_store,
    move_along,
    new_array,
    new_deque,
    new_memory,
    new_place,
    own_copy,
    own_parts,
    path_drop,
    path_of,
    path_put,
    place_add,
    place_bars,
    place_copies,
    place_drop,
    place_has,
    place_index,
    place_init,
    place_join,
    place_keys,
    place_load,
    place_move,
    place_part,
    place_path,
    place_push,
    place_put,
    place_resize,
    place_shrink,
    place_size,
    place_store,
    place_take,
    place_take_wide,
    place_view,
    place_zero,
    places_of,
    put_all,
    same_number,
    same_size,
    scattered,
    sequence,
    set_field,
    view_back,
    view_fill,
    view_forth,
    with_copies,
    zero_tangent,
)


def loaded_kind(memory: Kind, place: Kind, name: Kind) -> Kind:
    """The kind of an attribute of an object, or of an item of a list or dict."""
    return held(memory, place, spelled(place, name))                                                   # type: ignore[return-value]


def spelled(place: Kind, name: Kind) -> str:
    """The name in a state of what is read or stored."""
    return entry_name(place, name.value if isinstance(name, Const) else None)


def stored_kind(memory: Kind, place: Kind, name: Kind, value: Kind) -> Kind:
    """The kind of the memory after a store."""
    return storing(memory, place, spelled(place, name), value) if isinstance(memory, State) else ANY


def put_kind(memory: Kind, place: Kind, key: Kind, value: Kind) -> Kind:
    """The kind of the memory after another item of a dict came in the place of one."""
    return storing_entry(memory, place, key, value) if isinstance(memory, State) else ANY


def entry_kind(memory: Kind, place: Kind, key: Kind, value: Kind) -> Kind:
    """The kind of the memory after an item of a dict was stored."""
    return resized_kind(storing_entry(memory, place, key, value), place) if isinstance(memory, State) else ANY


def keys_kind(memory: Kind, place: Kind) -> Kind:
    """The kind of the keys of a dict."""
    return Lst(held(memory, place, KEYS))


def pushed_kind(memory: Kind, place: Kind, count: Kind, value: Kind) -> Kind:
    """The kind of the memory after a list got longer."""
    return resized_kind(stored_kind(memory, place, count, value), place)


def resized_kind(memory: Kind, place: Kind) -> Kind:
    """The kind of the memory after a list got longer or shorter."""
    return storing(memory, place, RESIZED, Const(True)) if isinstance(memory, State) else ANY


nondifferentiable(new_memory, result="new", kind=lambda: State(()))
nondifferentiable(place_bars, result="new", kind=lambda: State(()))
nondifferentiable(place_zero, result="new", kind=lambda result: Tup((
    zeros_kind(result.items[0]) if isinstance(result, Tup) else ANY, State(()))))
nondifferentiable(new_place, result="new", effect="makes",
                  kind=lambda memory, cls: Place(cls.value) if isinstance(cls, Fn) else ANY)


nondifferentiable(place_copies, result="new", kind=lambda value, sorts, others: DISCRETE)


@rule(enter_places, kind=entered_kind)
def entered_places(ct, out, memory, value, copies, sorts):
    """out = (value with copies in the place of places, memory with what these hold)"""
    return None, gathered(ct[1], value, copies)


nondifferentiable(copies_of, copied_places, result="new", effect="makes", kind=lambda *args: DISCRETE)


@rule(copies_made, kind=lambda memory, value, copies: Tup((as_num(value), memory)))
def copied(ct, out, memory, value, copies):
    """out = (a copy of value, memory with what it holds)"""
    return copies_back(ct[1], copies), ct[0], None


@rule(copies_back, kind=lambda bars, copies: State(()))
def copies_given_back(ct, out, bars, copies):
    """out = bars with what belongs to copies added to that of what they were made of"""
    return copies_forth(ct, copies)


@rule(copies_forth, kind=lambda bars, copies: State(()))
def copies_given_forth(ct, out, bars, copies):
    """out = bars with those of what was copied for the copies"""
    return copies_back(ct, copies)


@rule(gathered, kind=lambda bars, value, copies: adjoint_kind(value))
def gathered_parts(ct, out, bars, value, copies):
    """out = the adjoint of value, from those of copies"""
    return scattered(ct, value, copies)


@rule(scattered, kind=lambda ct, value, copies: State(()))
def scattered_parts(ct, out, cotangent, value, copies):
    """out = bars with the parts of a cotangent"""
    return gathered(ct, value, copies)


nondifferentiable(new_array, new_deque, result="new", effect="makes",
                  kind=lambda memory, cls, values: Place(cls.value) if isinstance(cls, Fn) else ANY)


nondifferentiable(place_view, effect="makes",
                  kind=lambda memory, cls, place, *args: Place(cls.value) if isinstance(cls, Fn) else ANY)


def filled_kind(memory: Kind, place: Kind, values: Kind) -> Kind:
    """The kind of the memory after an array was made."""
    return filling(memory, place, values) if isinstance(memory, State) else ANY


@rule(array_fill, kind=filled_kind)
def filled(ct, out, memory, place, values):
    """out = memory with place[:] = values"""
    return place_drop(ct, place, ALL), None, place_part(ct, place, ALL, values)


@rule(place_load, held_items, deque_load, key_load, dict_whole, kind=loaded_kind)
def loaded(ct, out, memory, place, name):
    """out = place.name"""
    return place_add(place_bars(), place, name, ct)


@rule(place_push, deque_push, deque_push_left, kind=pushed_kind)
def pushed(ct, out, memory, place, count, value):
    """out = memory with place[count] = value"""
    return place_drop(ct, place, count), None, None, place_part(ct, place, count, value)


@rule(place_store, place_init, deque_store, kind=stored_kind)
def stored(ct, out, memory, place, name, value):
    """out = memory with place.name = value"""
    return place_drop(ct, place, name), None, None, place_part(ct, place, name, value)


@rule(key_put, kind=put_kind)
@rule(key_store, kind=entry_kind)
def entered(ct, out, memory, place, key, value):
    """out = memory with place[key] = value"""
    return place_drop(ct, place, key), None, None, place_part(ct, place, key, value)


@rule(key_delete, kind=lambda memory, place, key: resized_kind(memory, place))
def deleted(ct, out, memory, place, key):
    """out = memory without place[key]"""
    return ct


@rule(view_fill, kind=lambda memory, *args: memory)            # (what the view holds: `analysis.object_types`)
def viewed(ct, out, memory, view, place, how, *args):
    """out = memory"""
    return ct


@rule(view_back, kind=lambda bars, view, place: State(()))
def view_given_back(ct, out, bars, view, place):
    """out = bars with what belongs to a copy added to that of its array"""
    return view_forth(ct, view, place)


@rule(view_forth, kind=lambda bars, view, place: State(()))
def view_given_forth(ct, out, bars, view, place):
    """out = bars with those of an array for a copy of it"""
    return view_back(ct, view, place)


@rule(place_shrink, place_resize, deque_pop, deque_pop_left, kind=resized_kind)
def shrunk(ct, out, memory, place):
    """out = memory with a shorter list"""
    return ct


@rule(deque_fill, dict_fill, kind=lambda memory, place, name, items: resized_kind(stored_kind(memory, place, name, items), place))
def deque_filled(ct, out, memory, place, name, items):
    """out = memory with these items"""
    return place_drop(ct, place, name), None, None, place_part(ct, place, name, items)


@rule(place_move, kind=lambda memory, place, path: memory)
def items_moved(ct, out, memory, place, path):
    """out = memory with items that moved along a path"""
    return bars_move(ct, place, path[::-1])


@rule(bars_move, kind=lambda bars, place, path: State(()))
def adjoints_moved(ct, out, bars, place, path):
    """out = bars with those of items that moved along a path"""
    return bars_move(ct, place, path[::-1])


nondifferentiable(place_size, place_index, deque_end, deque_front, deque_number, kind=lambda *args: INT)
nondifferentiable(key_in, place_has, kind=lambda *args: Num("pybool", (), False))
nondifferentiable(place_keys, result="new", kind=keys_kind)
nondifferentiable(place_path, result="new", kind=lambda *args: Lst(INT))
nondifferentiable(same_size, same_number, kind=lambda *args: Const(None), effect="checks")


@rule(place_add, place_join, kind=lambda bars, place, name, part: State(()))
def added(ct, out, bars, place, name, part):
    """out = bars with part added"""
    return ct, None, None, place_part(ct, place, name, part)


def known_part(like: Kind) -> Kind:
    """The kind of the adjoint of what is like this, of which any part may be there."""
    like = as_num(like)
    if isinstance(like, Num):
        return zeros_kind(like)
    return in_container(known_part, like) if isinstance(like, (Tup, Lst)) else adjoint_kind(like)


def part_kind(bars: Kind, place: Kind, name: Kind, like: Kind) -> Kind:
    """The kind of the adjoint of an attribute, or of a part of an array."""
    if not is_held_array(place):
        return known_part(like)
    number = isinstance(like, Const) and like.value is not None
    return Num("float64", (), False) if number else Num(None, None, None, None, True)


def taken_kind(bars: Kind, place: Kind, name: Kind, like: Kind) -> Kind:
    """The kind of the adjoint of what is overwritten, and of what is left."""
    return Tup((part_kind(bars, place, name, like), State(())))


@rule(place_part, kind=part_kind)
def part_of_place(ct, out, bars, place, name, like):
    """out = bars of place.name"""
    return place_add(place_bars(), place, name, ct)


@rule(place_drop, kind=lambda bars, place, name: State(()))
def dropped(ct, out, bars, place, name):
    """out = bars without that of place.name"""
    return place_drop(ct, place, name)


@rule(place_take, kind=taken_kind)
def taken(ct, out, bars, place, name, like):
    """out = (bars of place.name, bars without it)"""
    return place_put(ct[1], place, name, ct[0])


def wide_kind(bars: Kind, place: Kind, name: Kind, like: Kind) -> Kind:
    """The kind of a part that may be complex, and of what is left."""
    part = known_part(like)
    of_array = is_held_array(place)
    return Tup((Num(None, part.dims, part.boxed) if isinstance(part, Num) and not of_array else ANY, State(())))


@rule(place_take_wide, kind=wide_kind)
def taken_wide(ct, out, bars, place, name, like):
    """out = (bars of place.name, bars without it)"""
    return place_put(ct[1], place, name, ct[0])


@rule(place_put, kind=lambda bars, place, name, part: State(()))
def put(ct, out, bars, place, name, part):
    """out = bars with part for place.name"""
    return place_drop(ct, place, name), None, None, place_part(ct, place, name, part)


describe(held_items, dict_whole, result="new")
describe(key_load, key_in, place_has, dict_whole, place_keys, enter_places, copies_of, copies_made, state="reads")
describe(place_load, held_items, deque_load, place_part, place_view, new_array, new_deque, new_place, place_size, place_index,
         place_path, deque_end, deque_front, deque_number, same_size, state="reads")
describe(dict_fill, key_store, key_put, key_delete, state="changes")
describe(new_memory, array_fill, view_fill, place_init, place_store, place_push, place_shrink, place_resize, place_move, deque_fill,
         deque_store, deque_push, deque_push_left, deque_pop, deque_pop_left, state="changes")
describe(place_add, place_join, place_take, place_take_wide, place_put, place_drop, bars_move, view_back, view_forth,
         copies_back, copies_forth, state="changes")
describe(place_init, place_store, place_push, deque_store, deque_push, deque_push_left, deque_fill, puts=(3,))
describe(dict_fill, key_store, key_put, puts=(3,))
declare("place_method", {
    deque_push: ("append", 1), deque_push_left: ("appendleft", 1), deque_pop: ("pop", 0), deque_pop_left: ("popleft", 0),
    deque_store: ("put", 2), deque_fill: ("fill", 1), deque_number: ("number", 1), deque_load: ("item", 1),
    key_load: ("[]", 1), key_store: ("[] =", 2), key_put: ("[] =", 2), key_delete: ("pop", 1), key_in: ("in", 1),
    enter_places: (with_copies, 2), copies_of: (copied_places, 1), copies_made: (copy_in, 1),
    place_has: (hasattr, 1), place_keys: (list, 0), dict_whole: ("copy", 0), dict_fill: (fill_dict, 1),
    place_init: (set_field, 2), place_move: (move_along, 1)})
describe(place_copies, enter_places, gathered, scattered, copies_of, copies_made, copied_places, copy_in, objects="moves")
describe(isinstance, id, type, callable, dict_get, objects="moves")
describe(bool, print, str, repr, format, objects="asks")
describe(sequence, len, list, tuple, sorted, min, max, any, all, reversed, enumerate, zip, set, dict, objects="looks")
describe(copy.copy, copy.deepcopy, dataclasses.replace, dataclasses.asdict, dataclasses.astuple, vars, own_copy, own_parts, another,
         attribute_store, getattr, setattr, delattr, hasattr, attribute_tangent, zero_tangent, objects="copies")
describe(places_of, put_all, entry_of, entry_add, entry_drop, path_of, path_drop, path_put, objects="values")
