"""Objects that are arguments and change: copies of them are places, and who called keeps what was given.

    def f(network, x):              copies = place_copies(network, ("lists",), ())
                                    pair = enter_places(memory_, network, copies, ("lists",))
                                    network_2, memory_ = pair

The copies keep who holds whom: two arguments that share an object do so as copies. The adjoint of an argument is read from the
adjoints of its copies when the reverse sweep ends (`gathered`). What of it are places, the last argument says: lists, dicts, and
arrays under some names. Arrays that are copied must not share memory with any other that is given."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import MEMORY, Unit
from sourcegrad.kinds import Kind
from sourcegrad.kinds.arguments import holds_objects
from sourcegrad.lowering import held_lists
from sourcegrad.lowering.held_arrays import new_array, parameter
from sourcegrad.lowering.place_kinds import is_array, is_number

ENTERED = "entered"                     # a function whose arguments are places (`Function.memory`)


def is_container(kind: Any) -> bool:
    return isinstance(kind, (k.Lst, k.Dct, k.Map))


def nested(kind: Any) -> bool:
    """Whether it is a list or dict that holds others."""
    return any(is_container(part) and is_container(kind) or nested(part) for part in k.parts(kind))


def enter(unit: Unit, kinds: dict[str, Kind], containers: bool) -> None:
    """Make places of the arguments that hold objects (of a function of which they are asked for), and of arrays that have to be
    places, where a function begins. containers: also of lists and dicts that hold others, or that it hands on."""
    if unit.function.memory == ENTERED:
        enter_objects(unit, kinds, containers)
    changing = [name for name in unit.parameters if parameter(unit.function, name) in unit.arrays and is_array(kinds.get(name))]
    origin, new = t.origin_of(unit.tree), list[Any]()
    for name in changing:
        place, own = unit.names.fresh(name), unit.names.fresh(f"{name}_values")
        for s in unit.tree.body:
            t.rename(s, {name: place})
        others = [t.load(n) for n in (*unit.parameters, *outside(unit)) if n != name and not is_number(kinds.get(n))]
        new += [t.assign(own, t.call(unit.use(runtime.own, "own"), t.load(name), *others), origin),
                *new_array(unit, place, t.load(own), origin)]
    unit.tree.body[1:1] = new


def outside(unit: Unit) -> list[str]:
    """The arrays of the module, or around it, that a function reads."""
    read = {n for s in t.statements(unit.tree.body) for n in t.header_reads(s)} - set(unit.parameters)
    return sorted(n for n in read if isinstance(unit.outer(n), np.ndarray))


def enter_objects(unit: Unit, kinds: dict[str, Kind], containers: bool) -> None:
    """Make places of the arguments that hold objects. containers: also of lists and dicts."""
    passed = held_lists.escaping(unit) | {n for s in t.statements(unit.tree.body) for n in t.writes(s)} if containers else set()
    given = [name for name in unit.parameters if holds_objects(kinds.get(name)) or containers and (
        nested(kinds.get(name)) or is_container(kinds.get(name)) and name in passed)]
    if not given:
        return
    origin, body, fresh = t.origin_of(unit.tree), unit.tree.body, unit.names.fresh
    names = {name: fresh(name) for name in given}
    sorts = [*(["given"] if containers else []), *(["lists"] if unit.lists else []), *(["dicts"] if unit.dicts else []),
             *sorted(key[1] for key in unit.arrays if key[0] == "attribute")]
    copies, pair = fresh("copies"), fresh("pair")
    for s in body:
        t.rename(s, names)
    first = [] if len(given) == 1 else [t.assign(fresh("given"), t.pack(list(map(t.load, given))), origin)]
    value = first[0].targets[0].id if first else given[0]
    entered = fresh("entered") if first else names[given[0]]
    arrays = [name for name in unit.parameters if name not in given and not is_number(kinds.get(name))]
    others = t.pack([t.load(name) for name in arrays if unit.arrays])
    copied = t.call(unit.use(runtime.place_copies, "place_copies"), t.load(value), t.pack(list(map(t.const, sorts))), others)
    enter = t.call(unit.use(runtime.enter_places, "enter_places"), t.load(MEMORY), t.load(value), t.load(copies),
                   t.pack(list(map(t.const, sorts))))
    last = [t.unpack(list(names.values()), t.load(entered), origin)] if first else []
    body[1:1] = [*first, t.assign(copies, copied, origin), t.assign(pair, enter, origin),
                 t.unpack([entered, MEMORY], t.load(pair), origin), *last]
