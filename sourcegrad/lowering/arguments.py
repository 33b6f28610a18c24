"""Objects that are arguments and change: copies of them are places, and who called keeps what was given.

    def f(network, x):              copies = place_copies(network, ("lists",), ())
                                    pair = enter_places(memory_, network, copies, ("lists",))
                                    network_2, memory_ = pair

The copies keep who holds whom: two arguments that share an object do so as copies. The adjoint of an argument is read from the
adjoints of its copies when the reverse sweep ends (`gathered`). What of it are places, the last argument says: lists, dicts, and
arrays under some names. Arrays that are copied must not share memory with any other that is given."""
from __future__ import annotations

from typing import Any

from sourcegrad import kinds as k, runtime
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import MEMORY, Unit
from sourcegrad.kinds import Kind
from sourcegrad.kinds.arguments import holds_objects
from sourcegrad.lowering import held_lists
from sourcegrad.lowering.place_kinds import is_number

ENTERED = "entered"                     # a function whose arguments are places (`Function.memory`)


def is_container(kind: Any) -> bool:
    return isinstance(kind, (k.Lst, k.Dct, k.Map))


def nested(kind: Any) -> bool:
    """Whether it is a list or dict that holds others."""
    return any(is_container(part) and is_container(kind) or nested(part) for part in k.parts(kind))


def enter(unit: Unit, kinds: dict[str, Kind], containers: bool) -> None:
    """Make places of the arguments that hold objects, where a function begins. containers: also of lists and dicts that hold
    others, or that it hands on."""
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
