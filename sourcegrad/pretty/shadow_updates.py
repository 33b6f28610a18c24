"""Updates of adjoints of places: what is taken and given back in the next lines is stored, or left alone.

    v_part = body_bar.pop('v', 0.0)         v_part = body_bar['v']          v_part = body_bar.pop('v', 0.0)     (nothing, if
    h_bar += v_part                         h_bar += v_part                 body_bar['v'] += v_part             nobody else
    body_bar['v'] += 0.9 * v_part           body_bar['v'] = 0.9 * v_part                                        reads v_part)

    y_bar = np.zeros(y.shape)               y_bar = entry_bar(body_bar, 'y', y.shape)
    y_bar[k] = v_bar                        y_bar[k] += v_bar
    body_bar['y'] += y_bar

What is missing is 0.0 where the attribute holds a number: its adjoint is one, which does not change in place.
The adjoints of a place are a table in which what is missing is zero. Between these lines nobody may read or write what stands
there: neither through another name, as that may be the same table, nor by calling something."""
from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import gast
import numpy as np

from sourcegrad import runtime
from sourcegrad.analysis.purity import root_of
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import MEMORY, Unit
from sourcegrad.pretty.blocks import no_empty_blocks


def shadow_updates(tree: Any, unit: Unit) -> Any:
    """Write the updates of a final tree as a person does, in place."""
    united(tree)
    mentions: Counter[str] = Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
    for block in [tree.body, *(block for s in t.statements(tree.body) for block in t.inner_blocks(s))]:
        put_at_once(block, mentions, unit)
    counts: Counter[str] = Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
    for block in [tree.body, *(block for s in t.statements(tree.body) for block in t.inner_blocks(s))]:
        updated(block, counts)
    hoisted(tree)
    for s in t.statements(tree.body):
        if isinstance(s, gast.AugAssign) and isinstance(s.op, gast.Add) and isinstance(s.value, gast.UnaryOp) and isinstance(
                s.value.op, gast.USub):
            s.op, s.value = gast.Sub(), s.value.operand                 # x += -y
    tree.body = no_empty_blocks(tree.body)
    return tree


def united(tree: Any) -> None:
    """Give one table of adjoints one name, in place: what a call returns as `bars` is the table that it took."""
    tree.body = t.rewritten(tree.body, parted)
    parameters = {n.id for n in t.walk(tree) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Param)}
    while True:
        tables = {n.value.id for n in t.walk(tree) if isinstance(n, gast.Subscript) and is_bars(n) and t.is_name(n.value)}
        copies = ((s.targets[0].id, s.value.id) for s in t.statements(tree.body)
                  if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(s.value))
        found = next(((new, old) for new, old in copies if new != old and {new, old} & tables and old.startswith(MEMORY)
                      and old not in parameters), None)
        if found is None:
            return
        t.rename(tree, {found[1]: found[0]})
        tree.body = t.rewritten(tree.body, without_itself)


def parted(s: Any) -> list:
    """`part = bars[id(o)]` and `new = bars` for `part, new = bars[id(o)], bars`."""
    pair = isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and isinstance(s.value, gast.Tuple)
    if not pair or len(s.value.elts) != 2 or not t.is_name(s.value.elts[1]) or not s.value.elts[1].id.startswith(MEMORY):
        return [s]
    (first, second), (value, table) = s.targets[0].elts, s.value.elts
    return [t.assign(name.id, x, t.origin_of(s)) for name, x in ((first, value), (second, table))] if t.is_name(first) else [s]


def updated(block: list, counts: Counter[str]) -> None:
    position = 0
    while position < len(block):
        taken = taken_entry(block[position])
        end = given_back(block, position, *taken) if taken is not None else None
        if taken is None or end is None:
            position += 1
            continue
        (table, key), s, back = taken, block[position], block[end]
        name = s.targets[0].id
        same = t.is_name(back.value, name)
        if not same and not isinstance(back.value, (gast.BinOp, gast.UnaryOp)):
            position += 1                                   # (it may be another kind of value, which would have two names)
            continue
        if not same:
            back_name = gast.Subscript(value=t.clone(table), slice=t.clone(key), ctx=t.STORE)
            block[end] = t.at(gast.Assign(targets=[back_name], value=back.value, type_comment=None), t.origin_of(back))
        if same and counts[name] == 2:
            del block[end], block[position]
            continue
        s.value = t.subscript(t.clone(table), t.clone(key))
        if same:
            del block[end]
        position += 1


def put_at_once(block: list, mentions: Counter[str], unit: Unit) -> None:
    """Elements go to the array in the table at once, not into an array of zeros that is added: what it costs is what is put."""
    for s in list(block):
        shape = zeros_of(s, unit)
        found = scattered(block, s, mentions, unit) if shape is not None else None
        if found is None:
            continue
        stores, added = found
        table, key = added.target.value, added.target.slice
        entry = t.call(unit.use(runtime.entry_bar, "entry_bar"), t.clone(table), t.clone(key), shape)
        new = t.assign(s.targets[0].id, entry, t.origin_of(s))
        rest = [x for x in block if x is not s and x is not added]
        place = next(j for j, x in enumerate(rest) if x is stores[0])
        first = stores[0]
        if isinstance(first, gast.Assign):
            rest[place] = t.at(gast.AugAssign(target=first.targets[0], op=gast.Add(), value=first.value), t.origin_of(first))
        block[:] = [*rest[:place], new, *rest[place:]]


def zeros_of(s: Any, unit: Unit) -> Any:
    """The shape in `a = np.zeros(shape)`."""
    value = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]) or not isinstance(value, gast.Call):
        return None
    return value.args[0] if unit.lookup(value.func) is np.zeros and len(value.args) == 1 and not value.keywords else None


def scattered(block: list, s: gast.Assign, mentions: Counter[str], unit: Unit) -> tuple[list, Any] | None:
    """The statements that put something into a new array, and the one that adds it to an entry of a table, where that is all that
    becomes of it."""
    name, stores, between = s.targets[0].id, [], []         # type: str, list, list
    position = next(j for j, x in enumerate(block) if x is s)
    for x in block[position + 1:]:
        if isinstance(x, gast.AugAssign) and isinstance(x.op, gast.Add) and t.is_name(x.value, name):
            break
        between.append(x)
        if not any(t.is_name(n, name) for n in t.walk(x)):
            continue
        target = x.targets[0] if isinstance(x, gast.Assign) else x.target if isinstance(x, gast.AugAssign) else None
        if not isinstance(target, gast.Subscript) or not t.is_name(target.value, name) or stores and isinstance(
                x, gast.Assign) or isinstance(x, gast.AugAssign) and not isinstance(x.op, (gast.Add, gast.Sub)):
            return None
        stores.append(x)
    else:
        return None
    target = x.target
    if not stores or not isinstance(target, gast.Subscript) or not isinstance(target.slice, gast.Constant) or not (
            t.is_name(target.value) and isinstance(target.slice.value, str)                # (else it may be an array)
            or isinstance(target.value, gast.Subscript) and is_bars(target.value)):
        return None
    if mentions[name] != len(stores) + 2 or any(sum(t.is_name(n, name) for n in t.walk(y)) != 1 for y in stores):
        return None
    after = between[next(j for j, y in enumerate(between) if y is stores[0]):]
    names = set(t.reads(target.value))
    if any(names & set(t.writes(y)) or not is_comment(y) and touches(inside(y, name), target.slice, unit) for y in after):
        return None
    return stores, x


def inside(s: Any, name: str) -> Any:
    """A statement without its store into the array of this name."""
    target: Any = s.targets[0] if isinstance(s, gast.Assign) else getattr(s, "target", None)
    own = isinstance(target, gast.Subscript) and t.is_name(target.value, name)
    return t.pack([target.slice, s.value]) if own else s


def taken_entry(s: Any) -> tuple[Any, Any] | None:
    """Table and key of `part = table.pop(key, 0.0)`."""
    value = getattr(s, "value", None)
    if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]) or not isinstance(value, gast.Call):
        return None
    pops = isinstance(value.func, gast.Attribute) and value.func.attr == "pop" and len(value.args) == 2
    if not pops or not t.same(value.args[1], t.const(0.0)) or not isinstance(value.args[0], (gast.Constant, gast.Name)):
        return None
    return value.func.value, value.args[0]


def given_back(block: list, position: int, table: Any, key: Any) -> int | None:
    """The place of the next `table[key] += ...`, if nothing stands before it that may have to do with the entry."""
    names = {*t.reads(table), *t.reads(key), *t.writes(block[position])}
    for place in range(position + 1, len(block)):
        s = block[place]
        if is_comment(s):
            continue
        if isinstance(s, gast.AugAssign) and isinstance(s.op, gast.Add) and isinstance(s.target, gast.Subscript) and t.same(
                s.target.value, table) and t.same(s.target.slice, key):
            return None if touches(s.value, key) else place
        if not isinstance(s, (gast.Assign, gast.AugAssign)) or names.intersection(t.writes(s)) or touches(s, key):
            return None
    return None


def is_comment(s: Any) -> bool:
    return isinstance(s, gast.Expr) and not isinstance(s.value, gast.Call)


def touches(node: Any, key: Any, unit: Unit | None = None) -> bool:
    """Whether something may have to do with an entry: it has another key only if both are constants.

    unit: what functions of NumPy are called by, which look at no table."""
    for part in t.walk(node):
        if isinstance(part, gast.Call) and unit is not None and root_of(unit.lookup(part.func)) in ("numpy", "math"):
            continue
        if isinstance(part, gast.Call) and not (isinstance(part.func, gast.Name) and part.func.id == "id"):
            pops = isinstance(part.func, gast.Attribute) and part.func.attr == "pop" and len(part.args) == 2
            if not pops or not differ(part.args[0], key):
                return True
        if isinstance(part, gast.Subscript) and not is_bars(part) and may_be_table(part) and not differ(part.slice, key):
            return True
    return False


def differ(one: Any, other: Any) -> bool:
    """Whether keys are two constants."""
    return isinstance(one, gast.Constant) and isinstance(other, gast.Constant) and not t.same(one, other)


def may_be_table(part: gast.Subscript) -> bool:
    """Whether it is stored, or something of an adjoint is read."""
    return not isinstance(part.ctx, gast.Load) or any("bar" in name for name in t.reads(part.value))


def is_bars(part: gast.Subscript) -> bool:
    """`bars[id(x)]`"""
    return isinstance(part.slice, gast.Call) and t.is_name(part.slice.func, "id")


def hoisted(tree: Any) -> None:
    """Name the adjoints of what is made once before all loops, where the reverse sweep starts; in place."""
    start = next((j for j, s in enumerate(tree.body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
                  and t.is_name(s.value.func, "place_bars") and t.is_name(s.targets[0])), None)
    if start is None:
        return
    bars = tree.body[start].targets[0].id
    writes: Counter[str] = Counter(n for s in t.statements(tree.body) for n in t.writes(s))
    taken = {n.id for n in t.walk(tree) if isinstance(n, gast.Name)}
    once = {n for s in tree.body[:start] if isinstance(s, gast.Assign) for n in t.writes(s) if writes[n] == 1}
    loops = [s for s in tree.body[start:] if isinstance(s, (gast.For, gast.While))]
    asked = {place for loop in loops for s in t.statements(loop.body) for node in nodes_of(s)
             if (place := place_of(node, bars)) is not None and place in once}
    new: list = []
    for name in sorted(asked):
        found = [node for s in tree.body[start:] for node in t.walk(s) if place_of(node, bars) == name]
        own = f"{name}_bar"
        named = [s for s in t.statements(tree.body) if own in t.writes(s)]
        if own in taken and not (named and all(isinstance(s, gast.Assign) and place_of(s.value, bars) == name for s in named)):
            own = next(new_name for j in itertools.count(2) if (new_name := f"{name}_bar_{j}") not in taken)
        new.append(t.assign(own, t.clone(found[0]), t.origin_of(tree.body[start])))
        replace = Named(bars, name, own)
        tree.body[start + 1:] = t.rewritten([replace.visit(s) for s in tree.body[start + 1:]], without_itself)
    tree.body[start + 1:start + 1] = new
    for own in [s.targets[0].id for s in new]:              # it has other names no more
        same = [s for s in t.statements(tree.body) if isinstance(s, gast.Assign) and t.is_name(s.value, own)
                and t.is_name(s.targets[0])]
        writes = Counter(n for s in t.statements(tree.body) for n in t.writes(s))
        often = Counter(s.targets[0].id for s in same)
        t.rename(tree, {name: own for name, count in often.items() if count == writes[name]})
        tree.body = t.rewritten(tree.body, without_itself)


def without_itself(s: Any) -> list:
    """`x = x` goes."""
    return [] if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(s.value, s.targets[0].id) else [s]


def nodes_of(s: Any) -> list:
    """The expressions of a statement itself."""
    heads = [getattr(s, head, None) for head in ("value", "test", "iter", "target")] + list(getattr(s, "targets", []))
    return [x for head in heads if isinstance(head, gast.AST) for x in t.walk(head)]


def place_of(node: Any, bars: str) -> str | None:
    """The name in `bars[id(name)]` or `array_bar(bars, name)`."""
    if isinstance(node, gast.Subscript) and t.is_name(node.value, bars) and is_bars(node) and t.is_name(node.slice.args[0]):
        return node.slice.args[0].id                                                                # type: ignore[no-any-return]
    if isinstance(node, gast.Call) and t.is_name(node.func, "array_bar") and len(node.args) == 2 and t.is_name(
            node.args[0], bars) and t.is_name(node.args[1]):
        return node.args[1].id                                                                      # type: ignore[no-any-return]
    return None


class Named(t.Transformer):
    """Its own name for the adjoints of a place."""

    def __init__(self, bars: str, place: str, own: str) -> None:
        self.bars, self.place, self.own = bars, place, own

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        return t.load(self.own) if place_of(node, self.bars) == self.place else self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> Any:
        return t.load(self.own) if place_of(node, self.bars) == self.place else self.generic_visit(node)
