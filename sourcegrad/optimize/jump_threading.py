"""Jump threading: a branch whose way is known at the end of each branch before it goes into these.

    if low:                                 if low:
        path = 1                                balance = 0.9 * balance
    else:                                   else:
        balance = balance - amount              balance = balance - amount
        path = 0
    failed = path != 0
    if failed:
        balance = 0.9 * balance

So what `syntax.caught` makes of exceptions reads as if nobody had raised one."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad.ir import tree as t

TINY = 3                                 # statements of a branch that may stand in several places


def jump_threading(tree: Any, names: set[str]) -> None:
    """Thread the branches that ask for these names, or for what is computed from them. In place."""
    for block in [*(block for s in t.statements(tree.body) for block in t.inner_blocks(s)), tree.body]:
        threaded(block, names)
    decided(tree.body, {})


def decided(block: list, known: dict[str, Any]) -> None:
    """Leave out the branches that constants decide. known: names that are constants before; afterwards, behind the block."""
    position = 0
    while position < len(block):
        s = block[position]
        if isinstance(s, gast.If) and t.is_name(s.test) and s.test.id in known and not t.is_stop(s):
            block[position:position + 1] = s.body if known[s.test.id] else s.orelse
            continue
        if isinstance(s, (gast.For, gast.While)):
            changing = written(s)
            for name in changing:
                known.pop(name, None)
            decided(s.body, dict(known))
        elif isinstance(s, gast.If) and not t.is_stop(s):
            ways = [dict(known), dict(known)]
            for inner, found in zip((s.body, s.orelse), ways):
                decided(inner, found)
            known.clear()
            other = ways[1]
            known.update({n: value for n, value in ways[0].items() if n in other and t.same(t.const(other[n]), t.const(value))})
        else:
            kept(s, known)
        position += 1


def threaded(block: list, names: set[str]) -> None:
    position = 0
    known: dict[str, Any] = {}
    while position < len(block):
        s = block[position]
        if isinstance(s, gast.If) and t.is_name(s.test) and s.test.id in known and not t.is_stop(s):
            block[position:position + 1] = s.body if known[s.test.id] else s.orelse
            continue
        end = position + 1
        while end < len(block) and is_question(block[end]):
            end += 1
        asks = isinstance(s, gast.If) and end < len(block) and isinstance(block[end], gast.If) and t.is_name(block[end].test)
        if asks and names.intersection(written(s)):
            between, last = block[position + 1:end], block[end]
            used: list = []
            new = [way(branch, {}, between, last, used) for branch in (s.body, s.orelse)]
            if None not in new and all(arm is used[0] for arm in used):
                block[end:end + 1] = used[0]
                continue
            several = [arm for arm in (last.body, last.orelse) if sum(arm is x for x in used) > 1]
            if None not in new and all(sum(1 for _ in t.statements(arm)) <= TINY for arm in several):
                s.body, s.orelse = new                                                              # type: ignore[assignment]
                del block[position + 1:end + 1]
                threaded(s.body, names)
                threaded(s.orelse, names)
                continue
        kept(s, known)
        position += 1


def written(s: Any) -> set[str]:
    return {n for x in t.statements([s]) for n in t.writes(x)}


def is_question(s: Any) -> bool:
    """Whether a statement only gives a name what another has, or compares it."""
    value = getattr(s, "value", None)
    return isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and (isinstance(value, (gast.Name, gast.Constant)) or isinstance(
        value, gast.Compare) and len(value.ops) == 1 and t.is_name(value.left) and isinstance(value.comparators[0], gast.Constant))


def way(branch: list, known: dict[str, Any], between: list, last: gast.If, used: list) -> list | None:
    """A branch, with what follows it. known: constants that names have. used: the arms of `last` that were taken."""
    known = dict(known)
    for s in branch:
        kept(s, known)
    ends = dict(known)
    for s in between:
        kept(s, ends)
    truth = ends.get(last.test.id)
    if truth is not None:
        arm = last.body if truth else last.orelse
        used.append(arm)
        return [*branch, *t.clone(between), *constants(t.clone(arm), ends)]
    if not branch or not isinstance(branch[-1], gast.If):
        return None
    known = {}
    for s in branch[:-1]:
        kept(s, known)
    inner = branch[-1]
    new = [way(block, known, between, last, used) for block in (inner.body, inner.orelse)]
    if None in new:
        return None
    body, orelse = new
    return [*branch[:-1], t.if_(inner.test, body, orelse, t.origin_of(inner))]                       # type: ignore[arg-type]


def kept(s: Any, known: dict[str, Any]) -> None:
    """Note which names are constants after a statement."""
    value = getattr(s, "value", None)
    found: Any = None
    if isinstance(s, gast.Assign) and t.is_name(s.targets[0]):
        if isinstance(value, gast.Constant):
            found = value.value
        elif isinstance(value, gast.Name):
            found = known.get(value.id)
        elif isinstance(value, gast.Compare) and len(value.ops) == 1 and t.is_name(value.left) and isinstance(
                value.comparators[0], gast.Constant) and type(known.get(value.left.id)) is int:
            left, right = known[value.left.id], value.comparators[0].value
            found = {gast.Eq: left == right, gast.NotEq: left != right}.get(type(value.ops[0]))
            if isinstance(value.ops[0], gast.Gt) and type(right) is int:
                found = left > right
    for name in written(s):
        known.pop(name, None)
    if found is not None and type(found) in (int, bool):
        known[s.targets[0].id] = found


def constants(block: list, known: dict[str, Any]) -> list:
    """A block that is reached with these constants: copies of them at its start are constants."""
    known = dict(known)
    for s in block:
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(s.value) and s.value.id in known:
            s.value = t.const(known[s.value.id])
        kept(s, known)
    return block
