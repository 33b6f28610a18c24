"""Tuples that are made to be unpacked: names for their items.

What nobody reads of a tuple has no adjoint then, not one of zeros; and a number that says which way was taken is known where it
is made, so that the branches that ask for it go (`optimize.jump_threading`)."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.unit import Unit
from sourcegrad.optimize.jump_threading import jump_threading


def part(unit: Unit) -> None:
    """Items in the place of a tuple that is made to be unpacked: what nobody reads of it has no adjoint then, not one of zeros."""
    tree = unit.tree
    single = single_values(tree)
    second: dict[str, str] = {}
    own = unit.function.local.union(unit.parameters)
    writes: Counter[str] = Counter(n for s in t.statements(tree.body) for n in t.writes(s))
    stable = {*single, *(n.id for n in t.walk(tree.args) if isinstance(n, gast.Name))} - {
        n for s in t.statements(tree.body) for n in t.writes(s) if n not in single}
    for block in [tree.body, *(block for s in t.statements(tree.body) for block in t.inner_blocks(s))]:
        made: dict[str, list] = {}
        new: list = []
        for position, s in enumerate(block):
            parts = taken(s, made) if isinstance(s, gast.Assign) else None
            if parts is not None:
                for target, item in parts:
                    both = {target.id, getattr(item, "id", "")}
                    known = both.intersection(second) or both.intersection(second.values()) or writes[target.id] != 1
                    made_here = t.is_name(item) and isinstance(single.get(item.id), gast.Call) and item.id not in own
                    if made_here and not known:
                        second[item.id] = target.id          # what it makes is named at once as the caller names it
                    else:
                        new.append(t.assign(target, t.clone(item), t.origin_of(s)))
                continue
            written = {n for inner in t.statements([s]) for n in t.writes(inner)}
            made = {name: items for name, items in made.items() if not any(n in written for x in items for n in t.reads(x))}
            at_once = position + 1 < len(block) and t.is_name(getattr(block[position + 1], "value", None), getattr(
                getattr(s, "targets", [None])[0], "id", ""))
            if isinstance(s, gast.Assign) and isinstance(s.value, gast.Tuple) and t.is_name(s.targets[0]) and (
                    s.targets[0].id in single) and (at_once or all(n in stable for n in t.reads(s.value))):
                made[s.targets[0].id] = s.value.elts
            new.append(s)
        block[:] = new
    for s in tree.body:
        t.rename(s, second)
    reads = {n for s in t.statements(tree.body) for n in t.header_reads(s)}
    tree.body = t.rewritten(tree.body, lambda s: [] if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and (
        isinstance(s.value, gast.Tuple) and s.targets[0].id in single and s.targets[0].id not in reads
        or t.is_name(s.value, s.targets[0].id)) else [s])


def blocks(tree: Any) -> list[list]:
    return [tree.body, *(block for s in t.statements(tree.body) for block in t.inner_blocks(s))]


def parted(unit: Unit) -> None:
    """Names for the items of tuples that branches make, and that are only unpacked."""
    items: set[str] = set()
    while True:
        for block in blocks(unit.tree):
            without_second_names(block, unit)
        found = itemized(unit)
        if not found:
            break
        items |= found
    if items:
        without_copies(unit, items)
        jump_threading(unit.tree, items)
        without_copies(unit, items)


def is_copy(s: Any) -> bool:
    """`a = b`"""
    return isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(s.value)


def unpacks(s: Any, name: str) -> bool:
    return isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and t.is_name(s.value, name)


def without_second_names(block: list, unit: Unit) -> None:
    """`a = b` goes where only `x, y = a` follows, before b changes."""
    reads: Counter[str] = Counter(n for s in t.statements(unit.tree.body) for n in t.header_reads(s))
    writes: Counter[str] = Counter(n for s in t.statements(unit.tree.body) for n in t.writes(s))
    for position, s in reversed(list(enumerate(block))):
        if not is_copy(s) or writes[s.targets[0].id] != 1:
            continue
        name, other = s.targets[0].id, s.value.id
        following = list(t.statements(block[position + 1:]))
        unpacked = [x for x in following if unpacks(x, name)]
        if reads[name] == len(unpacked) > 0 and not any(other in t.writes(x) for x in following):
            for x in unpacked:
                x.value.id = other
            del block[position]


def itemized(unit: Unit) -> set[str]:
    """Write names for the items of tuples that several statements make; the names."""
    made: dict[str, list] = {}
    used: Counter[str] = Counter(n.id for n in t.walk(unit.tree) if isinstance(n, gast.Name))
    for s in t.statements(unit.tree.body):
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]):
            made.setdefault(s.targets[0].id, []).append(s.value)
        if isinstance(s, gast.Assign) and t.is_name(s.value) and isinstance(s.targets[0], gast.Tuple):
            used[s.value.id] -= 1
    items: dict[str, list[str]] = {}
    for name, values in made.items():
        tuples = [v for v in values if isinstance(v, gast.Tuple) and all(isinstance(x, (gast.Name, gast.Constant)) for x in v.elts)]
        if used[name] == len(values) == len(tuples) > 1 and len({len(v.elts) for v in tuples}) == 1:
            items[name] = [unit.names.fresh(f"{name}_item") for _ in values[0].elts]
    if not items:
        return set()
    for block in blocks(unit.tree):
        block[:] = in_block(block, items, used)
    return {name for names in items.values() for name in names}


def in_block(block: list, items: dict[str, list[str]], used: Counter[str]) -> list:
    """A block with names for these items. A tuple in such a tuple that is made for it stands there itself."""
    result: list = []
    for s in block:
        target: Any = s.targets[0] if isinstance(s, gast.Assign) else None
        value: Any = getattr(s, "value", None)
        origin = t.origin_of(s)
        if t.is_name(target) and target.id in items:
            parts = value.elts
            for position, part in enumerate(parts):
                before = result[-1] if result else None
                if t.is_name(part) and used[part.id] == 2 and isinstance(before, gast.Assign) and t.is_name(
                        before.targets[0], part.id) and isinstance(before.value, gast.Tuple):
                    parts[position] = result.pop().value
            result += [t.assign(name, part, origin) for name, part in zip(items[target.id], parts)]
        elif t.is_name(value) and value.id in items and isinstance(target, gast.Tuple):
            result += [t.at(gast.Assign(targets=[part], value=t.load(name), type_comment=None), origin)
                       for name, part in zip(items[value.id], target.elts)]
        else:
            result.append(s)
    return result


def without_copies(unit: Unit, items: set[str]) -> None:
    """What is always one name, which nothing rebinds but what it is itself, is that name."""
    sources: dict[str, set[str]] = {}
    for s in t.statements(unit.tree.body):
        for name in t.writes(s):
            sources.setdefault(name, set()).add(s.value.id if is_copy(s) else "")
    for name in unit.parameters:
        sources.setdefault(name, set()).add("")
    roots = {name: name for name in sources}
    for _ in sources:
        before = dict(roots)
        for name, others in sources.items():
            found = {roots.get(other, "") for other in others} - {name}
            roots[name] = found.pop() if len(found) == 1 and "" not in found else name
        if roots == before:
            break
    firm = {*unit.parameters, *(n for s in unit.tree.body for n in t.writes(s))}         # assigned once, before all that copies it
    looped = {n for s in t.statements(unit.tree.body) if isinstance(s, (gast.For, gast.While))
              for x in t.statements([s]) for n in t.writes(x) if roots.get(n) == n}
    same = {name: root for name, root in roots.items() if name != root and (name in items or root in firm - looped) and all(
        roots.get(other) == root for other in sources[root] - {""}) and sum(
            root in t.writes(s) and not is_copy(s) for s in t.statements(unit.tree.body)) + (root in unit.parameters) == 1}
    for root in dict.fromkeys(same.values()):               # the user's own name, if there is one
        named = [name for name in same if same[name] == root and name in unit.function.local]
        if named and root not in unit.function.local and root not in unit.parameters:
            same = {name: named[0] if other == root else other for name, other in same.items()} | {root: named[0]}
    if same:
        for s in unit.tree.body:
            t.rename(s, same)
        unit.tree.body = t.rewritten(unit.tree.body, lambda s: [] if is_copy(s) and t.is_name(s.value, s.targets[0].id) else [s])


def taken(s: gast.Assign, made: dict[str, list]) -> list[tuple[Any, Any]] | None:
    """The targets of `a, b = x` or `a = x[0]`, each with the item of the tuple x that it gets; None for other statements."""
    target, value = s.targets[0], s.value
    if isinstance(value, gast.Name) and isinstance(target, gast.Tuple) and len(made.get(value.id, ())) == len(target.elts):
        return list(zip(target.elts, made[value.id]))
    if isinstance(value, gast.Subscript) and t.is_name(value.value) and t.is_name(target) and value.value.id in made:
        items, place = made[value.value.id], value.slice
        if isinstance(place, gast.Constant) and type(place.value) is int and place.value < len(items):
            return [(target, items[place.value])]
    return None
