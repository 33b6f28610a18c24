"""Tapes of one loop that are written and read side by side become one tape of tuples.

`a_tape.append(a)`, `b_tape.append(b)` ... in a loop and `a = a_tape.pop()` ... in its reverse are one append and one pop: the
two halves of a function are rewritten together. A value can be saved at any point of its block between its own
assignment and the next one, and taken back at any point between the other uses of its name; tapes that have a point of
both kinds in common are joined.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import Unit


@dataclass
class Use:
    """A statement about a tape: its block, the value that is saved or the name that gets it, and the points of the block
    to which the statement could be moved (point i is before statement i)."""

    block: list
    statement: Any
    value: Any = None
    first: int = 0
    last: int = 0

    @property
    def place(self) -> int:
        return next(j for j, s in enumerate(self.block) if s is self.statement)


@dataclass
class Tape:
    """What is done with a list that may be a tape."""

    made: list[Use] = field(default_factory=list)
    pushed: list[Use] = field(default_factory=list)
    popped: list[Use] = field(default_factory=list)

    @property
    def uses(self) -> tuple[Use, Use, Use]:
        return self.made[0], self.pushed[0], self.popped[0]

    @property
    def simple(self) -> bool:
        return len(self.made) == len(self.pushed) == len(self.popped) == 1


def tapes(unit: Unit, trees: list) -> None:
    """Join tapes in the final trees of a function, or of its two halves."""
    found: dict[str, Tape] = {}
    for tree in trees:
        for block in _blocks(tree.body):
            for s in block:
                _note(s, block, found)
    seen: dict[str, int] = {}
    for tree in trees:
        for node in t.walk(tree):
            if isinstance(node, gast.Name):
                seen[node.id] = seen.get(node.id, 0) + 1
    handed = 2 if len(trees) > 1 else 0                     # in what one half saves and the other takes
    groups: dict[tuple, dict[str, Tape]] = {}
    for name, tape in found.items():
        if tape.simple and seen[name] == 3 + handed:
            groups.setdefault(tuple(id(use.block) for use in tape.uses), {})[name] = tape
    for group in groups.values():
        while len(group) > 1:
            for tape in group.values():
                _movable(tape.pushed[0], lambda s, value: _kept_by(s, value, unit.tapes))
                _movable(tape.popped[0], _not_looked_at_by)
            names = _together(group)
            if len(names) < 2:
                break
            _join(unit, trees, {n: group.pop(n) for n in names})


def _note(s: Any, block: list, found: dict[str, Tape]) -> None:
    if isinstance(s, gast.Assign) and isinstance(s.value, gast.List) and not s.value.elts and t.is_name(s.targets[0]):
        found.setdefault(s.targets[0].id, Tape()).made.append(Use(block, s))
        return
    call = s.value if isinstance(s, (gast.Assign, gast.Expr)) else None
    if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Attribute) or not t.is_name(call.func.value):
        return
    name, method = call.func.value.id, call.func.attr
    if isinstance(s, gast.Expr) and method == "append":
        found.setdefault(name, Tape()).pushed.append(Use(block, s, call.args[0]))
    elif isinstance(s, gast.Assign) and method == "pop" and not call.args and t.is_name(s.targets[0]):
        found.setdefault(name, Tape()).popped.append(Use(block, s, s.targets[0].id))


def _blocks(block: list) -> Any:
    yield block
    for s in block:
        for part in ("body", "orelse", "finalbody"):
            inner = getattr(s, part, None)
            if isinstance(inner, list) and inner:
                yield from _blocks(inner)
        for handler in getattr(s, "handlers", ()):
            yield from _blocks(handler.body)


def _movable(use: Use, indifferent: Any) -> None:
    """Find the points to which a statement can be moved."""
    use.first = use.last = use.place
    while use.first > 0 and indifferent(use.block[use.first - 1], use.value):
        use.first -= 1
    while use.last + 1 < len(use.block) and indifferent(use.block[use.last + 1], use.value):
        use.last += 1
    use.last += 1                                           # point i + 1 is after statement i


def _kept_by(s: Any, value: Any, known: set[str]) -> bool:
    """Whether a value is the same before and after a statement, which goes on to the next. known: names of tapes."""
    if isinstance(value, gast.Attribute) and value.attr == "shape":
        value = value.value                                 # nothing changes a shape
    if not t.is_name(value):
        method = t.list_method(s)
        return method is not None and method[1] == "append" and method[0] in known and t.is_name(s.value.args[0])
    return not any(isinstance(x, (gast.Break, gast.Continue, gast.Return)) or value.id in _written(x) for x in t.statements([s]))


def _not_looked_at_by(s: Any, name: str) -> bool:
    return not any(isinstance(x, (gast.Break, gast.Continue, gast.Return)) or name in _written(x) or name in t.header_reads(x)
                   for x in t.statements([s]))


def _together(group: dict[str, Tape]) -> list[str]:
    """The most tapes that can be written at one point and read at one point."""
    best: list[str] = []
    for push in sorted({tape.pushed[0].first for tape in group.values()}):
        there = [n for n, tape in group.items() if tape.pushed[0].first <= push <= tape.pushed[0].last]
        for pop in sorted({group[n].popped[0].first for n in there}) if len(there) > len(best) else ():
            names: dict[str, str] = {}
            for n in there:
                use = group[n].popped[0]
                if use.first <= pop <= use.last:
                    names.setdefault(use.value, n)          # two values cannot go to one name
            if len(names) > len(best):
                best = list(names.values())
    return best


def _join(unit: Unit, trees: list, group: dict[str, Tape]) -> None:
    names = list(group)
    tape = unit.names.fresh("tape")
    made, pushed, popped = ([uses[j] for uses in (x.uses for x in group.values())] for j in range(3))
    _replace(made, min(use.place for use in made), t.assign(tape, gast.List(elts=[], ctx=t.LOAD), t.origin_of(made[0].statement)))
    pushed.sort(key=lambda use: use.place)
    order = [next(n for n in names if group[n].pushed[0] is use) for use in pushed]
    point = _point(pushed, pushed[-1].place + 1)
    values = t.pack([use.value for use in pushed])
    _replace(pushed, point, t.effect(t.method(tape, "append", values), t.origin_of(pushed[-1].statement)))
    point = _point(popped, min(use.place for use in popped))
    first = min(popped, key=lambda use: use.place)
    taken = [group[n].popped[0].value for n in order]
    _replace(popped, point, t.unpack(taken, t.method(tape, "pop"), t.origin_of(first.statement)))
    for tree in trees if len(trees) > 1 else ():
        for node in t.walk(tree):
            if isinstance(node, gast.Tuple) and any(t.is_name(item) and item.id in names for item in node.elts):
                node.elts = [item for item in node.elts if not (t.is_name(item) and item.id in names[1:])]
                for item in node.elts:
                    if t.is_name(item, names[0]):
                        item.id = tape


def _point(uses: list[Use], wanted: int) -> int:
    """The point nearest to the one wanted among those that all have."""
    return min(max(wanted, *(use.first for use in uses)), *(use.last for use in uses))


def _replace(old: list[Use], point: int, new: Any) -> None:
    """One statement at a point of a block in the place of several."""
    block = old[0].block
    gone = {id(use.statement) for use in old}
    before, after = block[:point], block[point:]
    block[:] = [*(s for s in before if id(s) not in gone), new, *(s for s in after if id(s) not in gone)]


def _written(s: Any) -> set[str]:
    return set(t.writes(s)) | {n.id for n in t.walk(s) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
