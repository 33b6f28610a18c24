"""Parallel assignment in forward mode: a name and its tangent start together, and values that change places do it at once.

    level = 0.0                     level = level_dot = 0.0
    level_dot = 0.0

    old_old = old                   old, now = now, old
    old_old_dot = old_dot           old_dot, now_dot = now_dot, old_dot
    old = now
    old_dot = now_dot
    now = old_old
    now_dot = old_old_dot

What the user starts in one statement (`level = integral = 0.0`) starts in one again."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit

WIDTH = 96


def parallel(tree: Any, unit: Unit) -> Any:
    """Write assignments of a generated function as such, in place."""
    if unit.tangents:
        counts: Counter[str] = Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
        tree.body = _block(tree.body, unit, counts)
    return tree


def _block(block: list, unit: Unit, counts: Counter[str]) -> list:
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block, unit, counts)
    return _starts(_exchanges(block, unit, counts), unit)


def is_copy(s: Any) -> bool:
    """x = y"""
    return isinstance(s, gast.Assign) and len(s.targets) == 1 and t.is_name(s.targets[0]) and t.is_name(s.value)


def _exchanges(block: list, unit: Unit, counts: Counter[str]) -> list:
    """Runs of copies that keep a value under a name which nothing else reads: each name is given what it has in the end."""
    result: list = []
    position = 0
    while position < len(block):
        end = position
        while end < len(block) and is_copy(block[end]):
            end += 1
        result += _exchanged(block[position:end], unit, counts) if end - position > 2 else block[position:end]
        if end < len(block):
            result.append(block[end])
        position = end + 1
    return result


def _exchanged(copies: list, unit: Unit, counts: Counter[str]) -> list:
    """The same with a statement for the values and one for the tangents; as it is, where no name is kept for the while only."""
    here: Counter[str] = Counter(n for s in copies for n in (s.targets[0].id, s.value.id))
    held: dict[str, str] = {}
    for s in copies:
        held[s.targets[0].id] = held.get(s.value.id, s.value.id)
    kept = {s.targets[0].id for s in copies if here[s.targets[0].id] == counts[s.targets[0].id]}
    kept = {name for name in kept if name not in held.values()}
    final = {name: value for name, value in held.items() if name not in kept and name != value}
    if not kept or not set(final) & set(final.values()):
        return copies
    new = []
    for group in ({n: v for n, v in final.items() if (n in unit.tangents) == dots} for dots in (False, True)):
        if group and sum(len(n) + len(v) + 4 for n, v in group.items()) > WIDTH:
            return copies
        if len(group) == 1:
            new += [t.assign(n, t.load(v), t.origin_of(copies[0])) for n, v in group.items()]
        elif group:
            new.append(t.unpack([*group], t.pack([*map(t.load, group.values())]), t.origin_of(copies[0])))
    independent = len(new) < 2 or not set(t.writes(new[0])) & set(t.reads(new[1].value))
    return new if independent else copies


def _starts(block: list, unit: Unit) -> list:
    """`x = 0.0` and `x_dot = 0.0` in one statement; names that one statement of the user starts, too."""
    result: list = []
    for s in block:
        last: Any = result[-1] if result else None
        if _is_start(s) and _is_start(last) and repr(s.value.value) == repr(last.value.value) and (
                _belongs(s, last, unit)) and sum(len(n) + 3 for n in [*_names(last), *_names(s)]) <= WIDTH:
            last.targets += s.targets
        else:
            result.append(s)
    return result


def _names(s: Any) -> list[str]:
    return [x.id for x in s.targets]


def _is_start(s: Any) -> bool:
    """x = y = 0.0"""
    return isinstance(s, gast.Assign) and all(map(t.is_name, s.targets)) and isinstance(s.value, gast.Constant) and (
        not isinstance(s.value.value, str))


def _belongs(s: Any, last: Any, unit: Unit) -> bool:
    one, other = t.origin_of(s), t.origin_of(last)
    same = one is not None and other is not None and one[:2] == other[:2]
    return same or all(unit.tangents.get(n) in _names(last) for n in _names(s))
