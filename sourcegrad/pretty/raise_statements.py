"""Raising: comprehensions, conditional expressions, unpacking and loops over items again, on the final text.

A branch that only gives one name one of two values is a conditional expression again, on the final text.

    if given:                                               x = a if given else b
        x = a
    else:
        x = b

A line of the user keeps its comment: in the reverse sweep all of it belongs to one line.
"""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Names, Unit
from sourcegrad.optimize.fold_expressions import width
from sourcegrad.parse import statements as try_
from sourcegrad.parse.statements import Attempt

WIDTH = 96


def choices(block: list, unit: Unit, forward: set[int]) -> list:
    """A block with conditional expressions. forward: the statements of the forward sweep, which has no comments."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, choices, unit, forward)
        result.append(_chosen(s, unit, forward) or s)
    return result


def _chosen(s: Any, unit: Unit, forward: set[int]) -> Any:
    if not isinstance(s, gast.If) or is_stop(s) or len(s.body) != 1 or len(s.orelse) != 1:
        return None
    one, other = s.body[0], s.orelse[0]
    if not (_plain(one, unit) and _plain(other, unit) and one.targets[0].id == other.targets[0].id):
        return None
    if t.is_name(s.test) and t.same(one.value, other.value):      # the same on both paths
        if id(s) in forward:
            forward.add(id(one))
        return one
    if id(s) not in forward and len({(t.origin_of(x) or ())[:2] for x in (s, one, other)}) > 1:
        return None
    values = s.test, one.value, other.value
    if any(isinstance(node, gast.IfExp) for value in values for node in t.walk(value)) or sum(map(width, values)) > WIDTH - 16:
        return None
    new = t.assign(one.targets[0].id, gast.IfExp(test=s.test, body=one.value, orelse=other.value), t.origin_of(s))
    if id(s) in forward:
        forward.add(id(new))
    return new


def _plain(s: Any, unit: Unit) -> bool:
    if not isinstance(s, gast.Assign) or len(s.targets) > 1 or not t.is_name(s.targets[0]) or try_.is_context(s):
        return False
    return not (isinstance(s.value, gast.Call) and isinstance(unit.lookup(s.value.func), Attempt))


# --- A list or dict that a loop of one statement fills is a comprehension again, on the final text.
#
#     values = []                                             values = [f(x[k]) for k in range(len(x))]
#     for k in range(len(x)):
#         values.append(f(x[k]))
#
# So is the list of the adjoints of objects that the reversed loop puts together, each in its place:
#
#     poses_bar = zeros_like(poses)                           poses_bar = [{'x': part} for part in values_bar]
#     for k in reversed(range(len(poses))):
#         poses_bar = index_add(poses_bar, k, {'x': values_bar.pop()})

LATER = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def displays(tree: Any, unit: Unit, facts: Infer) -> None:
    """Write comprehensions, in place."""
    liveness = Liveness()
    liveness.block(tree.body, frozenset())
    taken = Counter(n.value.id for n in t.walk(tree) if isinstance(n, gast.Attribute) and n.attr == "pop" and t.is_name(n.value))
    tree.body = _block(tree.body, liveness, _Parts(unit, facts, {n for n in unit.emptied if taken[n] == 1}))


def _block(block: list, liveness: Liveness, parts: _Parts) -> list:
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block, liveness, parts)
        if parts.together(s, result):
            continue
        filled = _filled(s, liveness)
        start = _start(result, *filled) if filled is not None else None
        if start is None:
            result.append(s)
            continue
        name, value = filled                                            # type: ignore[misc]
        del result[start]
        value.generators = [gast.comprehension(target=s.target, iter=s.iter, ifs=[], is_async=0)]
        result.append(t.assign(name, value, t.origin_of(s)))
    return result


class _Parts:
    """The adjoints of the items of a list, put together by a loop. emptied: lists of as many parts, which it takes."""

    def __init__(self, unit: Unit, facts: Infer, emptied: set[str]) -> None:
        self.unit, self.facts, self.emptied = unit, facts, emptied

    def together(self, s: Any, before: list) -> bool:
        """Put a comprehension in the place of a loop and of the zeros that it starts with; whether it is one of these loops."""
        of = self.counted(s)
        only: Any = s.body[0] if of is not None and len(s.body) == 1 else None
        value: Any = getattr(only, "value", None)
        adds = isinstance(only, gast.Assign) and t.is_name(only.targets[0]) and calls(value, runtime.index_add, self.unit)
        if not adds or not (
                t.is_name(value.args[0], only.targets[0].id) and t.is_name(value.args[1], s.target.id)):
            return False
        name, part = only.targets[0].id, value.args[2]
        start = next((j for j in range(len(before) - 1, -1, -1) if any(
            name in t.writes(x) + t.header_reads(x) for x in t.statements([before[j]]))), None)
        if start is None or not isinstance(before[start], gast.Assign) or not calls(
                before[start].value, runtime.zeros_like, self.unit) or not t.is_name(before[start].value.args[0], of):
            return False
        found = (n for n in t.walk(part) if isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute))
        taken = [call for call in found if call.func.attr == "pop"]
        names = [n.func.value.id for n in taken if t.is_name(n.func.value)]
        if len(taken) != 1 or not isinstance(part, gast.Dict) or not self.emptied.issuperset(names) or (
                {name, s.target.id} & set(t.reads(part))) or any(isinstance(n, LATER) for n in t.walk(part)):
            return False
        item = self.unit.names.fresh("part")
        loop = gast.comprehension(target=t.store(item), iter=taken[0].func.value, ifs=[], is_async=0)
        whole = before.pop(start)
        whole.value = gast.ListComp(elt=t.Named({id(taken[0])}, item).visit(part), generators=[loop])
        before.append(whole)
        return True

    def counted(self, s: Any) -> str | None:
        """The list over whose items a loop goes backwards."""
        node: Any = s.iter if isinstance(s, gast.For) and t.is_name(s.target) else None
        for function in (reversed, range, len):
            if not calls(node, function, self.unit) or len(node.args) != 1:
                return None
            node = node.args[0]
        return node.id if isinstance(node, gast.Name) and isinstance(self.facts.kinds.get(node.id), k.Lst) else None


def _filled(s: Any, liveness: Liveness) -> tuple[str, Any] | None:
    """The name that a loop does nothing but fill, and the comprehension, without its loop."""
    if not isinstance(s, gast.For) or s.orelse or len(s.body) != 1:
        return None
    only = s.body[0]
    found = t.list_method(only) if isinstance(only, gast.Expr) else None
    target = only.targets[0] if isinstance(only, gast.Assign) and len(only.targets) == 1 else None
    value: Any
    if found is not None and found[1] == "append":
        name, value = found[0], gast.ListComp(elt=only.value.args[0], generators=[])
    elif isinstance(target, gast.Subscript) and t.is_name(target.value) and not isinstance(target.slice, (gast.Slice, gast.Tuple)):
        name, value = target.value.id, gast.DictComp(key=target.slice, value=only.value, generators=[])
    else:
        return None
    targets = t.target_names(s.target)
    if {name, *targets} & set(t.reads(s.iter)) or name in t.reads(value) or any(n in liveness.after[id(s)] for n in targets):
        return None
    if any(isinstance(node, (gast.Lambda, gast.NamedExpr)) for node in t.walk(value)):
        return None
    return (name, value) if width(s.iter) + width(value) <= WIDTH else None


def _start(block: list, name: str, value: Any) -> int | None:
    """Where the list or dict starts, if nothing looks at it from there on."""
    for position in range(len(block) - 1, -1, -1):
        s = block[position]
        if isinstance(s, gast.Assign) and len(s.targets) == 1 and t.is_name(s.targets[0], name):
            if isinstance(value, gast.ListComp):
                return position if isinstance(s.value, gast.List) and not s.value.elts else None
            return position if isinstance(s.value, gast.Dict) and not s.value.keys else None
        if any(isinstance(n, gast.Name) and n.id == name for n in t.walk(s)):
            return None
    return None


# --- Loops over the items of what they take them from, as the user has written them.
#
#     for k in range(len(edges)):                  for edge in edges:
#         edge = edges[k]                              total += edge.length
#         total += edge.length
#
# On the final text, where the number of the item is not read otherwise. Two or more that are taken in step are zipped; then the
# loop ends with the shortest. The reverse sweep goes through one sequence backwards: `for edge in reversed(edges)`.

def calls(node: Any, function: Any, unit: Unit) -> bool:
    """Whether an expression is a call of a function, a built-in one for example, with arguments that are no keywords."""
    if not (isinstance(node, gast.Call) and node.args and not node.keywords):
        return False
    found = unit.lookup(node.func)                          # (a built-in function that the user does not name is not found)
    return found is function or found is MISSING and t.is_name(node.func, function.__name__)


def items(tree: Any, unit: Unit, facts: Infer, forward: set[int]) -> None:
    """Rewrite such loops, in place. forward: the ids of the statements of the forward sweep."""
    loops = [s for s in t.statements(tree.body) if isinstance(s, gast.For) and (
        id(s) in forward or calls(s.iter, reversed, unit))]
    if not loops:
        return
    found = _Items(unit, facts, tree)
    for s in loops:
        found.loop(s)
    found.put_where_read()
    tree.body = t.rewritten(tree.body, lambda s: [] if found.needless(s) else [s])


class _Items:
    def __init__(self, unit: Unit, facts: Infer, tree: Any) -> None:
        self.unit, self.facts, self.tree, self.values = unit, facts, tree, single_values(tree)
        self.reads = _reads(tree.body)
        self.released: set[str] = set()                     # names that a loop has read
        self.parameters = {n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}
        self.counted: set[str] = set()                      # names of numbers of turns that nothing asks for any more

    def loop(self, s: gast.For) -> None:
        backwards = calls(s.iter, reversed, self.unit)
        sources = self.sources(s.iter.args[0] if backwards else s.iter)
        if backwards and len(sources) > 1:
            return
        taken = self.taken(s, sources)
        if len(taken) < len(sources) or not sources or self.asked_for(s, len(taken)):
            return
        if any(t.changes(x) & set(sources) for x in s.body):
            return
        self.release(s.iter)
        self.reads[s.target.id] -= len(taken)
        s.body = [x for x in s.body if not any(x is y for y in taken.values())]
        targets = [taken[name].targets[0] for name in sources]
        if len(targets) == 1:
            s.target, s.iter = targets[0], t.call("reversed", t.load(sources[0])) if backwards else t.load(sources[0])
        else:
            s.target = gast.Tuple(elts=targets, ctx=t.STORE)
            s.iter = t.call("zip", *map(t.load, sources))

    def asked_for(self, s: gast.For, times: int) -> bool:
        """Whether the number of the turn is read more often, or after the loop."""
        number = s.target.id
        loops = [x for x in t.statements(self.tree.body) if isinstance(x, gast.For) and t.is_name(x.target, number)]
        return _reads(s.body)[number] != times or sum(_reads(x.body)[number] for x in loops) != self.reads[number]

    def sources(self, node: Any) -> list[str]:
        """The names of the sequences that a loop goes through: those whose lengths, or whose shortest, it counts."""
        node = self.value(node)
        if not (calls(node, range, self.unit) and len(node.args) == 1):
            return []
        count = self.value(node.args[0])
        lengths = count.args if calls(count, min, self.unit) else [count]
        lengths = [self.value(x) for x in lengths]
        if not all(calls(x, len, self.unit) and isinstance(x.args[0], gast.Name) for x in lengths):
            return []
        names = [x.args[0].id for x in lengths]
        return names if len(set(names)) == len(names) and all(map(self.is_sequence, names)) else []

    def value(self, node: Any) -> Any:
        return self.values.get(node.id, node) if isinstance(node, gast.Name) else node

    def is_sequence(self, name: str) -> bool:
        kind = self.facts.kinds.get(name)
        return isinstance(kind, (k.Lst, k.Tup, k.Rest)) or isinstance(kind, k.Num) and bool(kind.boxed and kind.dims)

    def taken(self, s: gast.For, sources: list[str]) -> dict[str, Any]:
        """The statements of a loop that take the items, under names that nothing before them mentions."""
        found: dict[str, Any] = {}
        mentioned: set[str] = set()
        for x in s.body:
            value = getattr(x, "value", None)
            if isinstance(x, gast.Assign) and isinstance(value, gast.Subscript) and t.is_name(value.slice, s.target.id) and (
                    isinstance(value.value, gast.Name) and value.value.id in sources and value.value.id not in found) and (
                    mentioned.isdisjoint((*t.writes(x), *t.reads(x.targets[0])))):
                found[value.value.id] = x
            else:
                mentioned.update(n for y in t.statements([x]) for n in (*t.writes(y), *t.header_reads(y)))
        return found

    def release(self, node: Any) -> None:
        """The loop does not read its count any more."""
        for name in t.reads(node):
            self.reads[name] -= 1
            self.released.add(name)
            if self.reads[name] == 0 and name in self.values:
                self.counted.add(name)
                self.release(self.values[name])

    def put_where_read(self) -> None:
        """A range that only the reversed loop asks for stands there, if it has not changed in between."""
        changed = Counter(n for s in t.statements(self.tree.body) for n in t.writes(s))
        changed.update(m[0] for s in t.statements(self.tree.body) for m in [t.list_method(s)] if m)
        for name in self.released:
            value = self.values.get(name)
            if self.reads[name] == 1 and calls(value, range, self.unit) and not any(
                    changed[n] > (n not in self.parameters) for n in t.reads(value)):
                for s in t.statements(self.tree.body):
                    if isinstance(s, gast.For) and name in t.reads(s.iter):
                        s.iter = t.Substitute({name: value}).visit(s.iter)
                        self.counted.add(name)

    def needless(self, s: Any) -> bool:
        return isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and s.targets[0].id in self.counted and (
            calls(s.value, range, self.unit) or calls(s.value, min, self.unit) or calls(s.value, len, self.unit))


def _reads(block: list) -> Counter:
    return Counter(n for s in t.statements(block) for n in t.header_reads(s))


# --- `a = pair[0]`, `b = pair[1]` is `a, b = pair`, on the final text, where a pair (or an array) is known to have two items.

def unpacked(block: list, facts: Infer, own: set[str], names: Names) -> list:
    """A block whose tuples are taken apart at once. own: the names of the user, which stay as they are written."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, unpacked, facts, own, names)
        result.append(s)
        _join(result, facts, own)
    for position in range(len(result) - 2, -1, -1):
        _join_most(result, position, facts, own, names)
    return result


def _join_most(block: list, position: int, facts: Infer, own: set[str], fresh: Names) -> None:
    """Join the statements from a position on if they take all items but one of a tuple."""
    base = _taken(block[position])
    kind = facts.kinds.get(base[0]) if base is not None else None
    if base is None or not isinstance(kind, k.Tup) or len(kind.items) < 3:
        return
    parts = block[position:position + len(kind.items) - 1]
    found = [_taken(s) for s in parts]
    if len(parts) < len(kind.items) - 1 or any(x is None or x[0] != base[0] for x in found):
        return
    names = {index: s.targets[0].id for s, (_, index) in zip(parts, found)}          # type: ignore[misc]
    if len(set(names.values())) < len(parts) or len(names) < len(parts) or base[0] in names.values() or (
            not own.isdisjoint(names.values()) or min(names) < 0):
        return
    missing = fresh.fresh("unused")
    block[position:position + len(parts)] = [_unpacking(base[0], [names.get(j, missing) for j in range(len(kind.items))], parts)]


def _join(block: list, facts: Infer, own: set[str]) -> None:
    """Join the last statements of a block if they take a tuple apart."""
    base = _taken(block[-1])
    if base is None:
        return
    count = _count(facts.kinds.get(base[0]))
    parts = block[-count:] if 2 <= count <= len(block) else []
    found = [_taken(s) for s in parts]
    if not parts or any(x is None or x[0] != base[0] for x in found):
        return
    names = {index: s.targets[0].id for s, (_, index) in zip(parts, found)}          # type: ignore[misc]
    if sorted(names) != list(range(count)) or len(set(names.values())) < count or base[0] in names.values() or (
            not own.isdisjoint(names.values())):
        return
    block[-count:] = [_unpacking(base[0], [names[index] for index in range(count)], parts)]


def _unpacking(base: str, names: list[str], parts: list) -> Any:
    targets = gast.Tuple(elts=[*map(t.store, names)], ctx=t.STORE)
    return t.at(gast.Assign(targets=[targets], value=t.load(base), type_comment=None), t.origin_of(parts[0]))


def _count(kind: Any) -> int:
    """How many items there are, as far as that is known."""
    if isinstance(kind, k.Tup):
        return len(kind.items)
    array = isinstance(kind, k.Num) and kind.boxed and kind.dims
    return kind.dims[0] if array and type(kind.dims[0]) is int and kind.dims[0] <= 4 else 0


def _taken(s: Any) -> tuple[str, int] | None:
    """The name of a tuple and the index of the item that a statement takes out of it."""
    if not isinstance(s, gast.Assign) or len(s.targets) > 1 or not t.is_name(s.targets[0]):
        return None
    value = s.value
    if not isinstance(value, gast.Subscript) or not t.is_name(value.value) or not isinstance(value.slice, gast.Constant):
        return None
    return (value.value.id, value.slice.value) if type(value.slice.value) is int else None


# --- `old = tape.pop(); x[i] = old` is `x[i] = tape.pop()`: on the final text, where each statement stands for itself.

def pop_forwarding(tree: Any) -> Any:
    """Fold what is popped into the store right after it, in place."""
    liveness = Liveness()
    liveness.block(tree.body, frozenset())
    tree.body = _block_of_pops(tree.body, liveness)
    return tree


def _block_of_pops(block: list, liveness: Liveness) -> list:
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _block_of_pops, liveness)
        last = result[-1] if result else None
        found = t.list_method(last) if isinstance(last, gast.Assign) and t.is_name(last.targets[0]) else None
        if found is not None and found[1] == "pop" and isinstance(s, gast.Assign) and isinstance(
                s.targets[0], gast.Subscript) and t.is_name(s.value, t.writes(last)[0]):
            name = t.writes(last)[0]
            if name not in liveness.after[id(s)] and name not in t.reads(s.targets[0]):
                s.value = result.pop().value
        result.append(s)
    return result


def taken_last(block: list, unit: Unit) -> list:
    """A block with `v = xs.pop()` for `v = xs[-1]` and `xs.pop()` behind it, and `v, w = xs.pop(0)` for the first item."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, taken_last, unit)
        last: Any = result[-1] if result else None
        call = s.value if isinstance(s, gast.Expr) and isinstance(s.value, gast.Call) else None
        func: Any = call.func if call is not None and isinstance(call.func, gast.Attribute) and call.func.attr == "pop" else None
        targets = _items_of(last.targets[0]) if isinstance(last, gast.Assign) and len(last.targets) == 1 else [None]
        if func is not None and t.is_name(func.value) and all(map(t.is_name, targets)) and not any(
                t.is_name(x, func.value.id) for x in targets) and _is_taken(last.value, func.value.id, s.value.args, unit):
            last.value = call
        else:
            result.append(s)
    return result


def _items_of(target: Any) -> list:
    return target.elts if isinstance(target, gast.Tuple) else [target]


def _is_taken(value: Any, name: str, popped: list, unit: Unit) -> bool:
    """Whether an expression is the item of a list that `pop` with these arguments takes: the last, or the first."""
    if popped and not t.same(popped[0], t.const(0)):
        return False
    index = popped[0] if popped else t.const(-1)
    if isinstance(value, gast.Subscript):
        return t.is_name(value.value, name) and t.same(value.slice, index)
    at = isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.item_at
    return at and t.is_name(value.args[0], name) and t.same(value.args[1], index)


# --- `while x > 1.0` for a condition that has a name because it was evaluated before the loop and at the end of each turn.
#
#     going = i < n and x[i] <= s                   while i < n and x[i] <= s:
#     while going:                                      i += 1
#         i += 1
#         going = i < n and x[i] <= s

def tested(block: list, counts: Counter[str], own: set[str]) -> list:
    """A block with such conditions in their loops. counts: how often names are mentioned. own: the user's names, which stay."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, tested, counts, own)
        name = s.test.id if isinstance(s, gast.While) and t.is_name(s.test) and not s.orelse else None
        if name is not None and name not in own and counts[name] == 3 and len(s.body) > 1 and _gives(s.body[-1], name):
            condition = s.body[-1].value
            names = set(t.reads(condition))
            place = next((j for j in range(len(result) - 1, -1, -1) if not _unrelated(result[j], names)), None)
            if place is not None and _gives(result[place], name) and t.same(result[place].value, condition):
                del result[place]
                s.test = s.body.pop().value
        result.append(s)
    return result


def _gives(s: Any, name: str) -> bool:
    return isinstance(s, gast.Assign) and len(s.targets) == 1 and t.is_name(s.targets[0], name)


def _unrelated(s: Any, names: set[str]) -> bool:
    """Whether a statement only starts other names, with constants or empty lists."""
    return isinstance(s, gast.Assign) and all(map(t.is_name, s.targets)) and names.isdisjoint(t.writes(s)) and (
        isinstance(s.value, gast.Constant) or isinstance(s.value, gast.List) and not s.value.elts)
