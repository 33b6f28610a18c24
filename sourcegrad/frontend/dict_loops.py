"""Loops over the values or items of a dict whose body changes these: they are read from the dict, key by key.

`for v in d.values(): v[0] = c` changes d, so the loop goes over the keys, and `v = d[key]` says where v lives.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.infer import INPLACE_OF, Infer
from sourcegrad.frontend.resolve import MISSING, Unit

STORES = (runtime.index_store, runtime.index_update, runtime.attribute_store)


def by_key(unit: Unit, facts: Infer, s: gast.Assign, holder: str, method: str) -> dict[int, list] | None:
    """What to put in the place of the statements `x = items[i]` of loops over `items = holder.values()` (or items()) so
    that `items` may be the keys; None where the loops need not know where the values live."""
    body = unit.tree.body
    items = _read_only_by(body, s.targets[0].id, lambda value: _called(unit, value) is runtime.sequence)
    if items is None:
        return None
    reads = [x for x in t.statements(body) if items in t.header_reads(x) and not _is_len(x, items)]
    if not reads or not all(_is_item(x, items) for x in reads):
        return None
    if any(_rebinds(unit, x, holder) for x in t.statements(body) if x is not s):
        return None
    names = {x.targets[0].id for x in reads}
    if method == "items":
        names = {x.targets[0].elts[1].id for x in t.statements(body) if isinstance(x, gast.Assign)
                 and isinstance(x.targets[0], gast.Tuple) and len(x.targets[0].elts) == 2
                 and isinstance(x.value, gast.Name) and x.value.id in names}
    if not any(_changes(unit, facts, x, names) for x in t.statements(body)):
        return None
    return {id(x): _keyed(unit, x, holder, method) for x in reads}


def _keyed(unit: Unit, s: gast.Assign, holder: str, method: str) -> list:
    origin = t.origin_of(s)
    key = unit.names.fresh("key")
    taken = t.assign(key, s.value, origin)
    value = t.subscript(t.load(holder), t.load(key))
    if method == "values":
        return [taken, t.assign(s.targets[0], value, origin)]
    part = unit.names.fresh(f"{holder}_i")
    return [taken, t.assign(part, value, origin), t.assign(s.targets[0], t.pack([t.load(key), t.load(part)]), origin)]


def _read_only_by(body: list, name: str, test: Any) -> str | None:
    """The name that the one statement that reads a name assigns, if that is a call of some kind."""
    reads = [x for x in t.statements(body) if name in t.header_reads(x)]
    if len(reads) != 1 or not isinstance(reads[0], gast.Assign) or not isinstance(reads[0].targets[0], gast.Name):
        return None
    target = reads[0].targets[0].id
    writes = sum(target in t.writes(x) for x in t.statements(body))
    return target if test(reads[0].value) and writes == 1 else None


def _called(unit: Unit, value: Any) -> Any:
    return unit.lookup(value.func) if isinstance(value, gast.Call) else None


def _is_len(s: Any, items: str) -> bool:
    value = getattr(s, "value", None)
    return isinstance(value, gast.Call) and t.is_name(value.func, "len") and t.is_name(value.args[0], items)


def _is_item(s: Any, items: str) -> bool:
    value = getattr(s, "value", None)
    return isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and isinstance(value, gast.Subscript) and (
        t.is_name(value.value, items) and isinstance(value.slice, gast.Name))


def _rebinds(unit: Unit, s: Any, holder: str) -> bool:
    """Whether a statement makes a name another dict than before."""
    if holder not in t.writes(s):
        return False
    value = getattr(s, "value", None)
    changed = isinstance(value, gast.Call) and value.args and t.is_name(value.args[0], holder)
    return isinstance(s, gast.For) or not changed and any(holder in t.reads(x) for x in [s])


def _changes(unit: Unit, facts: Infer, s: Any, names: set[str]) -> bool:
    """Whether a statement may change what one of the names holds."""
    found = t.list_method(s)
    if found is not None:
        return found[0] in names
    value = getattr(s, "value", None)
    if not isinstance(value, gast.Call):
        return False
    function = unit.lookup(value.func)
    mine = [a for a in value.args if isinstance(a, gast.Name) and a.id in names]
    if function is MISSING or isinstance(value.func, gast.Attribute) and t.is_name(value.func.value):
        receiver = getattr(value.func, "value", None)
        mine += [receiver] if isinstance(receiver, gast.Name) and receiver.id in names else []
    numbers = all(isinstance(kind, k.Num) and kind.is_scalar for kind in (k.as_num(facts.of(a) or k.ANY) for a in mine))
    if not mine or numbers:
        return False
    kinds = [k.as_num(facts.of(a) or k.ANY) for a in mine]
    if function in (*STORES, *INPLACE_OF):
        return True
    known = function is not MISSING and not hasattr(function, "__code__") and not hasattr(function, "tree")
    return not known and any(not isinstance(kind, k.Num) for kind in kinds)
