"""Blocks: what stands for statements becomes those statements: `try` for attempts, `with` for contexts, `break` for flags of loops.

Comments: above each adjoint block the user's line that it belongs to.
"""
from __future__ import annotations

import itertools
import os
from collections import Counter
from typing import Any

import gast

from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit
from sourcegrad.parse import statements as try_
from sourcegrad.parse.resolve import canonical_path
from sourcegrad.parse.statements import Attempt


def blocks(tree: Any, unit: Unit) -> Any:
    """Write the attempts, contexts and early exits of a generated function out, in place."""
    tree.body = _block(tree.body, unit)
    names = [n for n in t.walk(tree) if isinstance(n, gast.Name)]
    stores = Counter(n.id for n in names if isinstance(n.ctx, gast.Store))
    loads = Counter(n.id for n in names if isinstance(n.ctx, gast.Load))
    tree.body = _exits(tree.body, loads, stores)
    return tree


def _exits(block: list, loads: Counter, stores: Counter) -> list:
    """A flag that does nothing but end its loop at the end of a turn becomes `break` where it is set."""
    for s in block:
        t.map_blocks(s, _exits, loads, stores)
    for s in block:
        if not isinstance(s, (gast.For, gast.While)) or not t.is_stop(s.body[-1]) or not isinstance(s.body[-1].test, gast.Name):
            continue
        flag, body = s.body[-1].test.id, s.body[:-1]
        clear = [x for x in block[:block.index(s)] if _sets(x, flag, False)]
        tails = _tails(body, flag)
        if len(clear) == 1 and tails and loads[flag] == 1 and stores[flag] == 1 + len(tails):
            clear[0].targets = [x for x in clear[0].targets if not t.is_name(x, flag)]
            for tail, end in tails:
                tail[end] = t.at(gast.Break(), t.origin_of(tail[end]))
            s.body = _without_else(body)
    return [s for s in block if not isinstance(s, gast.Assign) or s.targets]


def _sets(s: Any, flag: str, value: bool) -> bool:
    return (isinstance(s, gast.Assign) and isinstance(s.value, gast.Constant) and s.value.value is value
            and any(t.is_name(x, flag) for x in s.targets))


def _end(block: list) -> int:
    """The position of the statement that ends a turn: tapes that take what it leaves alone may take it before."""
    end = len(block) - 1
    while end > 0 and _is_taped(block[end]):
        end -= 1
    names = [n for s in block[end:end + 1] for n in t.walk(s) if isinstance(n, gast.Name)]
    stored = {n.id for n in names if isinstance(n.ctx, gast.Store)}
    for s in block[end + 1:]:
        if any(t.is_name(n, s.value.func.value.id) for n in names) or not stored.isdisjoint(t.reads(s)):
            return len(block) - 1
    return end


def _is_taped(s: Any) -> bool:
    """Whether a statement is `tape.append(x)` or `tape.append((x, y))`."""
    if not isinstance(s, gast.Expr) or not isinstance(s.value, gast.Call) or not isinstance(s.value.func, gast.Attribute):
        return False
    taken = [x for a in s.value.args for x in (a.elts if isinstance(a, gast.Tuple) else [a])]
    return s.value.func.attr == "append" and all(isinstance(x, gast.Name) for x in (s.value.func.value, *taken))


def _tails(block: list, flag: str) -> list[tuple[list, int]]:
    """Where a turn of the loop ends with `flag = True`."""
    end = _end(block)
    if end >= 0 and isinstance(block[end], gast.If):
        return _tails(block[end].body, flag) + _tails(block[end].orelse, flag)
    return [(block, end)] if end >= 0 and _sets(block[end], flag, True) and len(block[end].targets) == 1 else []


def _without_else(block: list) -> list:
    """Statements at whose end turns `break`: nothing follows there, and `else` is not needed."""
    end = _end(block)
    if end < 0 or not isinstance(block[end], (gast.If, gast.Break)):
        return block
    last = block[end]
    rest: list = []
    if isinstance(last, gast.If):
        last.body, last.orelse = _without_else(last.body), _without_else(last.orelse)
        if isinstance(last.body[-1], gast.Break):
            rest, last.orelse = last.orelse, []
    return [*block[:end], *block[end + 1:], last, *rest]


def _with(block: list) -> list:
    """The statements between entering a context and leaving it become a `with` block."""
    result: list = []
    open_: list[tuple[Any, list]] = []
    for s in block:
        if try_.is_context(s) and try_.is_enter(s.value):
            open_.append((s, result))
            result = []
        elif try_.is_context(s):
            first, outer = open_.pop()
            target = first.targets[0] if isinstance(first, gast.Assign) else None
            item = gast.withitem(context_expr=first.value.args[0], optional_vars=target)
            if target is not None or not all(map(t.is_comment, result)) or not s.value.args:
                body = result if not all(map(t.is_comment, result)) else [*result, t.at(gast.Pass(), t.origin_of(s))]
                outer.append(t.at(gast.With(items=[item], body=body, type_comment=None), t.origin_of(first)))
            result = outer
        else:
            result.append(s)
    return result


def _block(block: list, unit: Unit) -> list:
    block = _with(block)
    result: list = []
    skip = False
    for position, s in enumerate(block):
        t.map_blocks(s, _block, unit)
        if skip:
            skip = False
            continue
        attempt = unit.lookup(s.value.func) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) else None
        if not isinstance(attempt, Attempt):
            result.append(s)
            continue
        after: Any = block[position + 1] if position + 1 < len(block) else None
        target = s.targets[0]
        if isinstance(target, gast.Name) and _only_unpacked(target.id, after, block[position + 2:]):
            target, skip = after.targets[0], True
        result += _try(s, attempt, target, unit)
    return result


def _only_unpacked(name: str, s: Any, rest: list) -> bool:
    return (isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and t.is_name(s.value, name)
            and not any(name in t.header_reads(x) for x in t.statements(rest)))


def _try(s: gast.Assign, attempt: Attempt, target: Any, unit: Unit) -> list:
    origin = t.origin_of(s)
    before: list = []
    call = s.value
    for position, argument in enumerate(call.args):      # only the body of the user's `try` is tried
        if not isinstance(argument, (gast.Name, gast.Constant)):
            name = unit.names.fresh("tried")
            before.append(t.assign(name, argument, origin))
            call.args[position] = t.load(name)
    call.func = t.load(unit.use(attempt.function, attempt.function.__name__))
    caught = unit.names.fresh("caught")
    count = 3 + attempt.depth
    if isinstance(target, gast.Tuple):
        path, error, *given = [item.id for item in target.elts]
        value: Any = t.store(given[0])
        for name in given[1:]:
            value = gast.Tuple(elts=[value, t.store(name)], ctx=t.STORE)
        body = [t.assign(value, call, origin), t.unpack([path, error], t.pack([t.const(0), t.const(None)]), origin)]
    else:
        if attempt.depth:
            name = unit.names.fresh("given")
            body = [t.assign(name, call, origin)]
            parts: list = []
            value = t.load(name)
            for _ in range(attempt.depth):
                parts.insert(0, t.subscript(t.clone(value), t.const(1)))
                value = t.subscript(value, t.const(0))
            result: Any = [value, *parts]
        else:
            body, result = [], [call]
        body.append(t.assign(target, t.pack([t.const(0), t.const(None), *result]), origin))
    handlers = []
    for number, classes in enumerate(attempt.exceptions, 1):
        kinds = [_class(cls, unit) for cls in classes]
        values = t.pack([t.const(number), t.load(caught), *[t.const(None)] * (count - 2)])
        handlers.append(gast.ExceptHandler(type=kinds[0] if len(kinds) == 1 else t.pack(kinds), name=t.store(caught),
                                           body=[t.assign(t.clone(target), values, origin)]))
    return [*before, t.at(gast.Try(body=body, handlers=handlers, orelse=[], finalbody=[]), origin)]


def _class(cls: type, unit: Unit) -> gast.expr:
    path = canonical_path(cls)
    if path is not None:
        import numpy as np
        return t.dotted(f"{unit.use(np, 'np')}.{path.split('.', 1)[1]}")
    return t.load(unit.use(cls, cls.__name__))


def annotate(tree: Any) -> Any:
    """A copy of a generated function with comments in its reverse sweep."""
    new = t.clone(tree)
    new.body = no_empty_blocks(new.body)
    forward, reverse = t.sweeps(new)
    if reverse:
        new.body[len(forward) + 1:] = _commented(reverse, [None])
    elif new.name.endswith("_reverse") or "_reverse_" in new.name:
        new.body = _commented(new.body, [None], new.args.args[0].id)
    return new


def _commented(block: list, last: list, saved: str = "", header: Any = None) -> list:
    """last: the line that the comment above tells. saved: the name of what the forward half has saved, whose parts are named first.
    header: the line of the loop whose body the block is."""
    result: list = []
    for s in block:
        origin = t.origin_of(s)
        computes = getattr(s, "computes", False)                            # an adjoint, not only names
        silent = isinstance(s, gast.Break) or (isinstance(s, gast.Return) and last[0] is not None and not computes)
        item = isinstance(s, gast.Assign) and isinstance(s.value, gast.Subscript)
        if item and origin is not None and origin[:2] == header and all(t.is_comment(x) or _is_taken(x) for x in result):
            silent = s.taken = True                                         # what the loop goes over, beside what tapes give
        if origin is not None and not silent and origin[:2] != last[0]:
            text = f"{os.path.basename(origin.file)}:{origin.line}  {origin.text.strip()}"
            result.append(t.comment(text, origin))
            last[0] = origin[:2]
        above = last[0]
        if isinstance(s, gast.If) and s.orelse:
            s.body, last[0] = _commented(s.body, last), above           # the comment of the `if` stands above both branches
            s.orelse = _commented(s.orelse, last)
        else:
            t.map_blocks(s, _commented, last, "", origin[:2] if origin is not None and isinstance(s, gast.For) else None)
        if isinstance(s, gast.If) and len(s.orelse) == 2 and t.is_comment(s.orelse[0]) and isinstance(s.orelse[1], gast.If):
            above, inner = s.orelse                         # an `elif`, whose comment stands inside, but not above what is taken
            if not (isinstance(inner.body[0], gast.Assign) and t.list_method(inner.body[0]) is not None):
                inner.body.insert(0, above)
            s.orelse = [inner]
        result.append(s)
    return _taken_first(result, saved)


def _is_taken(s: Any) -> bool:
    """Whether a statement takes something from a tape, or the item of a loop."""
    return isinstance(s, gast.Assign) and (t.list_method(s) is not None or getattr(s, "taken", False))


def _taken_first(block: list, saved: str) -> list:
    """What a block begins with from tapes stands above its first comment, which belongs to what is computed. No comment for what
    was only taken, if another one says the same, or the line computes nothing."""
    above, *rest = block
    taken = list(itertools.takewhile(lambda s: _is_taken(s) or isinstance(s, gast.Assign) and isinstance(
        s.targets[0], gast.Tuple) and t.is_name(s.value, saved), rest))
    rest = rest[len(taken):]
    if not t.is_comment(above) or not taken or not rest:
        return block
    told = {s.value.value for s in t.statements(rest) if t.is_comment(s)}
    text = above.value.value.split("  ", 1)[1]
    idle = text.startswith(("def ", "if ", "elif ", "while ", "for ")) or text.removeprefix("return ").isidentifier()
    own = not t.is_comment(rest[0]) or above.value.value not in told and not idle
    return [*taken, *[above] * own, *rest]


def no_empty_blocks(block: list) -> list:
    """No empty blocks, and none that are only comments: `if c: (nothing) else: e` is `if not c: e`."""
    for s in block:
        t.map_blocks(s, no_empty_blocks)
        if isinstance(s, gast.If) and all(map(says_nothing, s.orelse)):
            s.orelse = []
        if isinstance(s, gast.If) and all(map(says_nothing if s.orelse else t.is_comment, s.body)):
            s.body, s.orelse = s.orelse or [t.at(gast.Pass(), t.origin_of(s))], []
            s.test = inverted(s.test)
        elif isinstance(s, (gast.For, gast.While)) and all(map(t.is_comment, s.body)):
            s.body = [*s.body, t.at(gast.Pass(), t.origin_of(s))]
    return block


def says_nothing(s: Any) -> bool:
    return t.is_comment(s) or isinstance(s, gast.Pass)


PAIRS = ((gast.Eq, gast.NotEq), (gast.Is, gast.IsNot), (gast.In, gast.NotIn))
OPPOSITE: dict[type, type] = {**dict(PAIRS), **{other: one for one, other in PAIRS}}


def inverted(test: Any) -> Any:
    """The condition that is true where a condition is not."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    if isinstance(test, gast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITE:
        return gast.Compare(left=test.left, ops=[OPPOSITE[type(test.ops[0])]()], comparators=test.comparators)
    return gast.UnaryOp(op=gast.Not(), operand=test)
