"""Tapes of one loop that are written and read side by side become one tape of tuples.

`a_tape.append(a)`, `b_tape.append(b)` ... in a loop and `a = a_tape.pop()` ... in its reverse are one append and one pop
where there are many of them: the two halves of a function are rewritten together.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import Unit

FEWEST = 4


@dataclass
class Use:
    """A statement about a tape: its block, its place there, and the name that is saved or gets the value."""

    block: list
    statement: Any
    name: str


def tapes(unit: Unit, trees: list) -> None:
    """Join tapes in the final trees of a function, or of its two halves."""
    made: dict[str, list[Use]] = {}
    pushed: dict[str, list[Use]] = {}
    popped: dict[str, list[Use]] = {}
    for tree in trees:
        for block in _blocks(tree.body):
            for s in block:
                _note(s, block, made, pushed, popped)
    seen: dict[str, int] = {}
    for tree in trees:
        for node in t.walk(tree):
            if isinstance(node, gast.Name):
                seen[node.id] = seen.get(node.id, 0) + 1
    handed = 2 if len(trees) > 1 else 0                     # in what one half saves and the other takes
    groups: dict[tuple, list[str]] = {}
    for name in made:
        uses = [kind.get(name, []) for kind in (made, pushed, popped)]
        if all(len(found) == 1 for found in uses) and seen[name] == 3 + handed:
            groups.setdefault(tuple(id(found[0].block) for found in uses), []).append(name)
    for names in groups.values():
        _join(unit, trees, names, {n: (made[n][0], pushed[n][0], popped[n][0]) for n in names})


def _note(s: Any, block: list, made: dict, pushed: dict, popped: dict) -> None:
    if isinstance(s, gast.Assign) and isinstance(s.value, gast.List) and not s.value.elts and t.is_name(s.targets[0]):
        made.setdefault(s.targets[0].id, []).append(Use(block, s, ""))
        return
    call = s.value if isinstance(s, (gast.Assign, gast.Expr)) else None
    if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Attribute) or not t.is_name(call.func.value):
        return
    tape, method = call.func.value.id, call.func.attr
    if isinstance(s, gast.Expr) and method == "append" and t.is_name(call.args[0]):
        pushed.setdefault(tape, []).append(Use(block, s, call.args[0].id))
    elif isinstance(s, gast.Assign) and method == "pop" and not call.args and t.is_name(s.targets[0]):
        popped.setdefault(tape, []).append(Use(block, s, s.targets[0].id))


def _blocks(block: list) -> Any:
    yield block
    for s in block:
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(s, field, None)
            if isinstance(inner, list) and inner:
                yield from _blocks(inner)
        for handler in getattr(s, "handlers", ()):
            yield from _blocks(handler.body)


def _join(unit: Unit, trees: list, names: list[str], uses: dict[str, tuple[Use, Use, Use]]) -> None:
    names = [n for n in names if _down(n, names, uses)]
    names = [n for n in names if _up(n, names, uses)]
    if len(names) < FEWEST or len({uses[n][2].name for n in names}) < len(names):
        return
    tape = unit.names.fresh("tape")
    made, pushed, popped = ([uses[n][j] for n in names] for j in range(3))
    _replace(made, made[0].statement, t.assign(tape, gast.List(elts=[], ctx=t.LOAD), t.origin_of(made[0].statement)))
    order = sorted(names, key=lambda n: _place(uses[n][1]))
    last = uses[order[-1]][1].statement
    values = t.pack([t.load(uses[n][1].name) for n in order])
    _replace(pushed, last, t.effect(t.method(tape, "append", values), t.origin_of(last)))
    first = min(popped, key=_place).statement
    targets = [uses[n][2].name for n in order]
    _replace(popped, first, t.unpack(targets, t.method(tape, "pop"), t.origin_of(first)))
    for tree in trees if len(trees) > 1 else ():
        for node in t.walk(tree):
            if isinstance(node, gast.Tuple) and any(t.is_name(item) and item.id in names for item in node.elts):
                node.elts = [item for item in node.elts if not (t.is_name(item) and item.id in names[1:])]
                for item in node.elts:
                    if t.is_name(item, names[0]):
                        item.id = tape


def _place(use: Use) -> int:
    return next(j for j, s in enumerate(use.block) if s is use.statement)


def _down(name: str, names: list[str], uses: dict) -> bool:
    """Whether a value is still what it is where the last of the values is saved."""
    use = uses[name][1]
    last = max(_place(uses[n][1]) for n in names)
    between = use.block[_place(use) + 1:last + 1]
    return not any(use.name in _written(s) or isinstance(s, (gast.Break, gast.Continue, gast.Return))
                   for s in t.statements(between))


def _up(name: str, names: list[str], uses: dict) -> bool:
    """Whether nobody looks at a name between the first of the pops and its own."""
    use = uses[name][2]
    first = min(_place(uses[n][2]) for n in names)
    between = use.block[first:_place(use)]
    return not any(use.name in _written(s) or use.name in t.header_reads(s) for s in t.statements(between))


def _written(s: Any) -> set[str]:
    return set(t.writes(s)) | {n.id for n in t.walk(s) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}


def _replace(old: list[Use], where: Any, new: Any) -> None:
    """One statement in the place of one of several; the others go."""
    for use in old:
        position = _place(use)
        use.block[position:position + 1] = [new] if use.statement is where else []
