"""Loops over the items of what they take them from, as the user has written them.

    for k in range(len(edges)):                  for edge in edges:
        edge = edges[k]                              total += edge.length
        total += edge.length

On the final text, where the number of the item is not asked for otherwise. Two or more that are taken in step are zipped; then the
loop ends with the shortest. The reverse sweep goes through one sequence backwards: `for edge in reversed(edges)`.
"""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.transform.nest import Replace
from sourcegrad.transform.single import single_values


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
        inside = list(t.statements(s.body))
        changed = {n for x in inside for n in t.writes(x)} | {m[0] for x in inside for m in [t.list_method(x)] if m}
        if changed & set(sources):
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
                        s.iter = Replace(name, value).visit(s.iter)
                        self.counted.add(name)

    def needless(self, s: Any) -> bool:
        return isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and s.targets[0].id in self.counted and (
            calls(s.value, range, self.unit) or calls(s.value, min, self.unit) or calls(s.value, len, self.unit))


def _reads(block: list) -> Counter:
    return Counter(n for s in t.statements(block) for n in t.header_reads(s))
