"""The state of objects goes: what changes and reads objects by their identity is written as Python writes it.

    v = place_load(memory_, body, 'v')                          v = body.v
    memory_ = place_store(memory_, body, 'v', v + h)            body.v = v + h
    y, memory_ = push(body, h, memory_)                         y = push(body, h)
    bars = place_add(bars, body, 'v', h_bar)                    body_bar = bars[id(body)]
                                                                body_bar['v'] += h_bar
    v_bar, bars = place_take(bars, body, 'v', 0.0)              v_bar = body_bar.pop('v', 0.0)
    v_dot = place_dot(dots, body, 'v', 0.0)                     v_dot = dots[id(body)]['v']
    dots = place_put(dots, body, 'v', v_dot + h_dot)            dots[id(body)]['v'] = v_dot + h_dot

    memory_ = place_push(memory_, xs, count, v)                 xs.append(v)
    v = place_load(memory_, xs, k)                              v = xs[k]
    bars = place_add(bars, xs, k, v_bar)                        bars[id(xs)][k] += v_bar

In the text that is differentiated a state has a name, so that statements stay in order while they are moved; here none moves any
more. A state that stands anywhere else is None, and what is not written here stays a call."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.alias import Values, may_share, updates
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import MEMORY, Unit
from sourcegrad.primitives.core import primitive_of

SHAPE = ("shape", "ndim", "size", "dtype")


def object_state(tree: Any, unit: Unit, facts: Any = None) -> Any:
    """Write out, in place, what a generated function does to objects."""
    if any(primitive_of(value).state for value in unit.env.values()) or any(
            isinstance(n, gast.Name) and n.id == MEMORY for n in t.walk(tree)):
        Writer(tree, unit, facts).run()
    return tree


class Writer:
    def __init__(self, tree: Any, unit: Unit, facts: Any) -> None:
        self.tree, self.unit, self.facts = tree, unit, facts
        self.states = self.named_states()
        self.pairs = self.named_pairs()
        if facts is not None:
            self.pairs |= {name for name, kind in facts.kinds.items() if isinstance(kind, k.Tup) and len(kind.items) == 2 and (
                isinstance(kind.items[1], k.State) and kind.items[1].items)}
        asked = {unit.lookup(n.func) for n in t.walk(tree) if isinstance(n, gast.Call) and isinstance(n.func, gast.Name)}
        looked = any(self.call_of(n, runtime.place_part) and not of_array(n.args[2]) for n in t.walk(tree))
        self.plain = not looked and runtime.place_put not in asked             # adjoints that nobody else looks at
        self.tangents = not looked and asked.isdisjoint({                      # tables of tangents only
            runtime.place_add, runtime.place_join, runtime.place_take, runtime.place_take_wide, runtime.place_part})
        self.values = Values(unit, facts.kinds if facts is not None else {})
        self.reads, self.writes = self.named()
        self.bare: set[int] = set()                      # reads of parts of arrays that need no copy, by their ids
        self.bars: dict[tuple[str, str], str] = {}                   # name of a place -> of its adjoints, in the block at hand
        self.kept: dict[tuple[str, str], str] = {}       # those that the loop to be written keeps
        self.tables: dict[str, str] = {}                 # names of tables of adjoints that have another name, too
        self.uses: Counter[str] = Counter()
        self.first: str | None = None                    # the first of several names that the statement at hand assigns
        self.into: str | None = None                     # the last name that the statement at hand assigns
        self.before: list = []                           # statements before that
        self.origin: Any = None

    def call_of(self, node: Any, *functions: Any) -> bool:
        return isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and any(
            self.unit.lookup(node.func) is f for f in functions)

    def loads(self, node: Any) -> bool:
        """Whether a call reads what an object or a list holds."""
        return self.call_of(node, runtime.place_load, runtime.held_items, runtime.deque_load, runtime.key_load, runtime.dict_whole)

    def stores(self, node: Any) -> bool:
        """Whether a call gives the state of objects after a change."""
        return self.call_of(node, runtime.place_store, runtime.place_push, runtime.place_shrink, runtime.place_resize,
                            runtime.array_fill, runtime.view_fill) or self.place_method(node, "changes") is not None

    def reads_array(self, node: Any) -> bool:
        """Whether an expression reads a part of an array, or all of it."""
        return self.call_of(node, runtime.place_load) and self.is_state(node.args[0]) and of_array(node.args[2])

    def dtype(self, node: Any) -> str | None:
        kind = self.facts.of(node) if self.facts is not None else None
        return kind.dtype if isinstance(kind, k.Num) else None

    def is_number(self, node: Any) -> bool:
        kind = self.facts.of(node) if self.facts is not None else None
        return isinstance(kind, k.Num) and kind.is_scalar

    def gives_new(self, node: Any) -> bool:
        """Whether a call gives something that shares no memory with its arguments."""
        if not isinstance(node, gast.Call):
            return False
        function = self.unit.lookup(node.func)
        function = len if function is MISSING and t.is_name(node.func, "len") else function
        return function is len or not primitive_of(function).state and self.values.known(function) and (
            not may_share(function, node) and not updates(function))

    def is_new(self, value: Any) -> bool:
        """Whether an expression gives an array that nothing else has."""
        if isinstance(value, gast.Call):
            return isinstance(value.func, gast.Attribute) and value.func.attr == "copy" and not value.args or self.gives_new(value)
        return isinstance(value, (gast.BinOp, gast.UnaryOp))

    def asks(self, node: Any) -> bool:
        """Whether a call asks how long a list is, or where an item is in it."""
        return self.call_of(node, runtime.place_size, runtime.place_index, runtime.same_size, runtime.place_path, runtime.deque_end,
                            runtime.deque_front, runtime.deque_number, runtime.key_in, runtime.place_has, runtime.place_keys)

    def named_states(self) -> set[str]:
        """The names of the state of objects."""
        found = {MEMORY}
        for node in t.walk(self.tree):
            of_state = self.loads(node) or self.stores(node) or self.asks(node) or self.call_of(
                node, runtime.new_place, runtime.new_array, runtime.new_deque)
            if of_state and t.is_name(node.args[0]):
                found.add(node.args[0].id)
        for s in t.statements(self.tree.body):
            if isinstance(s, gast.Assign) and (self.stores(s.value) or self.call_of(s.value, runtime.new_memory)):
                found.update(n for target in s.targets for n in t.target_names(target))
        return found

    def named_pairs(self) -> set[str]:
        """The names of what a function gives together with the state."""
        return {s.value.id for s in t.statements(self.tree.body) if isinstance(s, gast.Assign) and t.is_name(s.value)
                and any(isinstance(x, gast.Tuple) and len(x.elts) == 2 and self.is_state(x.elts[1]) for x in s.targets)}

    def is_state(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id in self.states or self.call_of(node, runtime.new_memory)

    def run(self) -> None:
        arguments = self.tree.args
        arguments.args = [a for a in arguments.args if not self.is_state(a)]
        kept = [j for j, a in enumerate(arguments.kwonlyargs) if not self.is_state(a)]
        arguments.kw_defaults = [arguments.kw_defaults[j] for j in kept]
        arguments.kwonlyargs = [arguments.kwonlyargs[j] for j in kept]
        self.tree.body = self.block(self.tree.body)

    def block(self, block: list, branch: bool = False) -> list:
        """A block without states. branch: of an `if`, where all is as it was before; in a loop, what it does not change is."""
        self.keep_parts(block)
        outer, self.bars = self.bars, dict(self.bars) if branch else self.kept
        self.kept = {}
        tables, self.tables = self.tables, dict(self.tables)
        before, self.uses = self.uses, self.counted(block)
        result: list = []
        there = {n.id for n in t.walk(self.tree.args) if isinstance(n, gast.Name)}
        for position, s in enumerate(block):
            if isinstance(s, gast.Assign) and self.reads_array(s.value) and self.lasts(s.targets[0], block[position + 1:]):
                place = s.value.args[1]
                if is_all(s.value.args[2]) and t.is_name(place) and self.writes[place.id] == 1:
                    for x in block[position + 1:]:
                        t.rename(x, {s.targets[0].id: place.id})
                    continue
                self.bare.add(id(s.value))
            made, mentioned = self.array_of(s), {*t.writes(s), *t.header_reads(s)}
            new = [*self.before_loop(s, there), *self.statement(s)]
            for x in new:
                if made is not None and result and self.is_made(result[-1], made):
                    result[-1].targets = x.targets
                elif not (result and (self.made_at_once(result[-1], x) or self.deque_at_once(result, x))):
                    result.append(x)
            there |= mentioned
            for j, x in enumerate(new):
                self.renamed(x, new[j + 1:])
        self.bars, self.uses, self.tables = outer, before, tables
        return result

    def before_loop(self, s: Any, there: set[str]) -> list:
        """Names for the adjoints of places that a loop asks for in each turn, and does not choose. there: names with a value."""
        if not isinstance(s, (gast.For, gast.While)) or t.is_stop(s) or not (self.plain or self.tangents):
            return []
        inside = list(t.statements(s.body))
        written = {n for x in [s, *inside] for n in t.writes(x)}
        anew = {n for x in inside for n in t.writes(x) if not (
            isinstance(x, gast.Assign) and isinstance(x.value, gast.Call) and any(t.is_name(a, n) for a in x.value.args))}
        found: dict[tuple[str, str], Any] = {}
        for node in (node for x in inside for node in t.walk(getattr(x, "value", None) or t.const(None)) if self.asks_own(node)):
            table, place = node.args[0], node.args[1]
            known = t.is_name(table) and t.is_name(place) and not is_whole(node.args[2])
            if known and table.id not in anew and place.id in there - written:
                found.setdefault((self.tables.get(table.id, table.id), place.id), node)
        new: list = []
        for (_, place), node in found.items():
            self.uses[place] += 2
            self.own(node.args[0], node.args[1], new, t.origin_of(s), runtime.array_bar if of_array(node.args[2]) else None)
        self.kept = {key: name for key, name in self.bars.items() if key[0] not in anew and key[1] not in written}
        return new

    def asks_own(self, node: Any) -> bool:
        """Whether a call asks for the adjoints of a place."""
        if self.tangents and self.call_of(node, runtime.place_dot, runtime.place_put, runtime.place_drop):
            return self.by_name(node)
        return self.call_of(node, runtime.place_add, runtime.place_take, runtime.place_take_wide, runtime.place_drop)

    def by_name(self, node: Any) -> bool:
        """Whether what a call does to a table of tangents is written out: it is of an attribute or item, and a number or new."""
        if not t.is_name(node.args[0]) or is_whole(node.args[2]) or of_array(node.args[2]) or not isinstance(
                node.args[2], (gast.Constant, gast.Name)):
            return False
        if self.call_of(node, runtime.place_put):
            return self.is_number(node.args[3]) or self.is_new(node.args[3])
        return self.call_of(node, runtime.place_drop) or isinstance(node.args[3], gast.Constant)

    def renamed(self, s: Any, following: list) -> None:
        """Forget the adjoints of places whose names, or that of the table, a statement assigns, but for those named behind it.
        A table may have another name, too."""
        names = {n for x in t.statements([s]) for n in t.writes(x)}
        later = {n for x in following for n in t.writes(x)}
        self.bars = {key: name for key, name in self.bars.items() if names.isdisjoint(key) or name in later}
        self.tables = {a: b for a, b in self.tables.items() if a not in names and b not in names}
        if isinstance(s, gast.Assign) and len(s.targets) == 1 and t.is_name(s.targets[0]) and t.is_name(s.value):
            self.tables[s.targets[0].id] = self.tables.get(s.value.id, s.value.id)

    def keep_parts(self, block: list) -> None:
        """`v_bar = x_bar[k]` for what `x[k] += v` takes from an adjoint and then adds again, where it is only added to between."""
        for position, s in enumerate(block if self.plain else ()):
            taken = s.value if isinstance(s, gast.Assign) and self.takes(s.value) and of_array(s.value.args[2]) else None
            if taken is None or not isinstance(s.targets[0], gast.Tuple) or not t.is_name(s.targets[0].elts[0]):
                continue
            part, fixed = s.targets[0].elts[0].id, {*t.reads(taken.args[1]), *t.reads(taken.args[2])}
            for later in block[position + 1:]:
                if t.inner_blocks(later) or fixed & set(t.writes(later)):
                    break
                links = [node for node in t.walk(later) if self.call_of(node, runtime.place_add, runtime.place_join)]
                found = [node for node in links if t.same(node.args[1], taken.args[1]) and t.same(node.args[2], taken.args[2])
                         and t.is_name(node.args[3], part)]
                if found:
                    taken.kept = True
                    later.value = Without(found[0]).visit(later.value)
                    break
                if len(links) != sum(self.asks_adjoints(node) for node in t.walk(later)):
                    break

    def takes(self, node: Any) -> bool:
        return self.call_of(node, runtime.place_take, runtime.place_take_wide)

    def asks_adjoints(self, node: Any) -> bool:
        """Whether a call reads or changes adjoints, or may."""
        if not isinstance(node, gast.Call):
            return False
        function = self.unit.lookup(node.func)
        if primitive_of(function).state:
            return bool(node.args) and not self.is_state(node.args[0])
        return not self.values.known(function) and (
            not (getattr(function, "__module__", None) or "").startswith("sourcegrad.runtime"))

    def named(self) -> tuple[Counter[str], Counter[str]]:
        """How often names are read (but to say what an array is made of), and assigned."""
        reads: Counter[str] = Counter()
        writes: Counter[str] = Counter()
        for node in t.walk(self.tree):
            if self.call_of(node, runtime.array_fill) and t.is_name(node.args[2]):
                reads[node.args[2].id] -= 1
            if isinstance(node, gast.Name):
                (reads if isinstance(node.ctx, gast.Load) else writes)[node.id] += 1
        return reads, writes

    def array_of(self, s: Any) -> str | None:
        """The name of the values that an array is made of, which nobody else reads."""
        value = s.value if isinstance(s, gast.Assign) and self.call_of(s.value, runtime.new_array) else None
        name = value.args[2].id if value is not None and t.is_name(value.args[2]) else None
        return name if name is not None and self.reads[name] == 1 and self.writes[name] == 1 else None

    def is_made(self, s: Any, name: str) -> bool:
        """Whether a statement makes these values: they are the array."""
        return isinstance(s, gast.Assign) and len(s.targets) == 1 and t.is_name(s.targets[0], name) and self.is_new(s.value)

    def lasts(self, target: Any, following: list) -> bool:
        """Whether a part of an array is what it was wherever it is read, and is only computed with."""
        if not t.is_name(target) or self.writes[target.id] != 1:
            return False
        left = self.reads[target.id]
        for s in following:
            reads = sum(t.is_name(node, target.id) for node in t.walk(s))
            if reads > self.computed(s, target.id):
                return False
            left -= reads
            changes = self.changes_arrays(s)
            if left == 0:
                return not (changes and t.inner_blocks(s))
            if changes:
                return False
        return False

    def computed(self, s: Any, name: str) -> int:
        """How often a statement computes with a name."""
        parts: list = []
        for node in t.walk(s):
            if isinstance(node, gast.BinOp):
                parts += [node.left, node.right]
            elif isinstance(node, gast.UnaryOp):
                parts.append(node.operand)
            elif isinstance(node, gast.Compare):
                parts += [node.left, *node.comparators]
            elif isinstance(node, gast.Attribute) and node.attr in SHAPE:
                parts.append(node.value)
            elif self.gives_new(node):
                parts += node.args
        return sum(t.is_name(part, name) for part in parts)

    def changes_arrays(self, s: Any) -> bool:
        """Whether a statement changes arrays, or may."""
        for node in t.walk(s):
            if self.call_of(node, runtime.place_store) and of_array(node.args[2]):
                return True
            if isinstance(node, gast.Call) and not primitive_of(self.unit.lookup(node.func)).state and any(
                    self.is_state(a) for a in (*node.args, *(word.value for word in node.keywords))):
                return True
        return False

    def made_at_once(self, made: Any, s: Any) -> bool:
        """`xs = [a, b]` for `xs = []` and `xs[:] = [a, b]`, in place; whether it is that."""
        target = s.targets[0] if isinstance(s, gast.Assign) else None
        if not isinstance(target, gast.Subscript) or not isinstance(target.slice, gast.Slice) or not isinstance(
                made, gast.Assign) or not isinstance(made.value, gast.List) or made.value.elts or not t.is_name(
                target.value, getattr(made.targets[0], "id", "")):
            return False
        reads = [n for n in t.walk(self.tree) if t.is_name(s.value) and t.is_name(n, s.value.id) and isinstance(n.ctx, gast.Load)]
        alone = not any(n is not s.value for n in reads)
        made.value = s.value if isinstance(s.value, gast.List) or alone else t.subscript(s.value, gast.Slice(
            lower=None, upper=None, step=None))
        return True

    def deque_at_once(self, block: list, s: Any) -> bool:
        """`q = NumberedDeque(xs)` for one that is filled next, `v = q.popleft()` for its first item, which goes then; in place."""
        last, call = block[-1], s.value if isinstance(s, gast.Expr) else None
        if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Attribute) or not t.is_name(call.func.value) or not (
                isinstance(last, gast.Assign) and isinstance(last.value, gast.Call)):
            return False
        deque, method, made = call.func.value.id, call.func.attr, last.value
        if method == "fill" and t.is_name(last.targets[0], deque) and self.call_of(made, runtime.NumberedDeque):
            items = call.args[0]
            copied = isinstance(items, gast.Call) and t.is_name(items.func, "list") and len(items.args) == 1
            made.args = [items.args[0] if copied else items, *made.args[1:]]                    # type: ignore[attr-defined]
            return True
        ends = {"popleft": 0, "pop": -1}
        if method not in ends or not self.method_of(made, deque, "item"):
            return False
        number = made.args[0]
        if t.is_name(number) and len(block) > 1 and isinstance(block[-2], gast.Assign) and t.is_name(
                block[-2].targets[0], number.id) and self.end_of(block[-2].value, deque, ends[method]):
            start = t.attribute(t.load(deque), "start")
            end = t.binop(t.attribute(t.load(deque), "end"), gast.Sub(), t.const(1))
            block[-2].value = start if method == "popleft" else end
        elif not self.end_of(number, deque, ends[method]):
            return False
        last.value = gast.copy_location(call, made)
        return True

    def method_of(self, node: Any, deque: str, method: str) -> bool:
        return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and t.is_name(node.func.value, deque) and (
            node.func.attr == method)

    def end_of(self, node: Any, deque: str, index: int) -> bool:
        """Whether it is the number of the first item of a deque, or of the last."""
        return self.method_of(node, deque, "number") and t.constant_of(node.args[0]) == index

    def counted(self, block: list) -> Counter[str]:
        """How often the adjoints of a place are asked for in a block."""
        nodes = [node for s in block for node in t.walk(getattr(s, "value", None) or t.const(None)) if self.asks_own(node)]
        return Counter(node.args[1].id for node in nodes if t.is_name(node.args[1]))

    def statement(self, s: Any) -> list:
        inner = t.inner_blocks(s)
        before: list = []
        self.before, self.origin = before, t.origin_of(s)
        if isinstance(s, (gast.Assign, gast.Return)) and s.value is not None:
            last = s.targets[-1] if isinstance(s, gast.Assign) else None
            self.first = last.elts[0].id if isinstance(last, gast.Tuple) and t.is_name(last.elts[0]) else None
            last = last.elts[-1] if isinstance(last, gast.Tuple) else last
            self.into = getattr(last, "id", None)
            s.value = self.taken_apart(s.value, before, t.origin_of(s))
        for name in ("value", "test", "iter", "exc", "msg"):
            node = getattr(s, name, None)
            if isinstance(node, gast.AST):
                setattr(s, name, self.expression(node))
        if inner:
            t.map_blocks(s, self.block, isinstance(s, gast.If))
            if not s.body:
                s.body = [t.at(gast.Pass(), t.origin_of(s))]
        if isinstance(s, gast.Assign):
            return [*before, *self.assigned(s)]
        return [*before, s]

    def assigned(self, s: gast.Assign) -> list:
        """An assignment without states."""
        s.targets = [x for x in s.targets if not self.is_state(x)]
        if not s.targets:
            gone = isinstance(s.value, (gast.Name, gast.Constant)) or self.call_of(s.value, runtime.new_memory)
            return [] if gone else [t.effect(s.value, t.origin_of(s))]
        s.targets = [self.target(x) for x in s.targets]
        target = s.targets[0]
        if isinstance(target, gast.Tuple) and isinstance(s.value, gast.Tuple) and len(target.elts) == len(s.value.elts):
            kept = [(a, b) for a, b in zip(target.elts, s.value.elts) if not self.is_state(a)
                    and not (t.is_name(a) and t.is_name(b, a.id))]
            if len(kept) < 2:
                return [t.assign(a, b, t.origin_of(s)) for a, b in kept]
            target.elts, s.value.elts = [a for a, _ in kept], [b for _, b in kept]
        if len(s.targets) == 1 and t.is_name(target) and (
                t.is_name(s.value, target.id) or not self.reads[target.id] and isinstance(s.value, gast.Constant)):
            return []
        return [s]

    def target(self, node: Any) -> Any:
        if isinstance(node, gast.Tuple):
            if len(node.elts) == 2 and self.is_state(node.elts[1]):
                return self.target(node.elts[0])
            node.elts = [self.target(x) for x in node.elts]
        return node

    def taken_apart(self, node: Any, before: list, origin: Any) -> Any:
        """The value of a statement, once what changes objects in it has become statements before."""
        if self.call_of(node, runtime.place_push, runtime.place_shrink):
            state = self.taken_apart(node.args[0], before, origin)
            xs = self.expression(node.args[1])
            push = self.call_of(node, runtime.place_push)
            done = t.call(t.attribute(xs, "append"), self.expression(node.args[3])) if push else t.call(t.attribute(xs, "pop"))
            before.append(t.effect(done, origin))
            return state
        if self.tangents and self.call_of(node, runtime.place_put, runtime.place_drop) and self.by_name(node):
            return self.tangent_put(node, before, origin)
        method = self.place_method(node, "changes")
        if method is not None:
            state = self.taken_apart(node.args[0], before, origin)
            how, count = method
            before.append(self.done(node, how, count, origin))
            return state
        if self.call_of(node, runtime.bars_move) and self.plain:
            return self.moved(node, before, origin)
        if self.call_of(node, runtime.place_resize, runtime.array_fill, runtime.view_fill):
            return self.taken_apart(node.args[0], before, origin)
        if self.call_of(node, runtime.place_store):
            state = self.taken_apart(node.args[0], before, origin)
            place, name, value = node.args[1:]
            if of_list(name):
                self.filled(place, name, value, before, origin)
                return state
            if not t.is_name(state) or not isinstance(name, gast.Constant) or not name.value.isidentifier():
                node.args[0] = state
                return node
            store = gast.Attribute(value=self.expression(place), attr=name.value, ctx=t.STORE)
            before.append(t.assign(store, self.expression(value), origin))
            return state
        if self.call_of(node, runtime.place_join, runtime.place_drop) and is_whole(node.args[2]) and self.plain:
            table = self.table(node.args[0], before, origin)
            xs = self.expression(node.args[1])
            if self.call_of(node, runtime.place_join):
                done = t.call(self.unit.use(runtime.items_add, "items_add"), t.load(table.id), xs, self.expression(node.args[3]))
            else:
                done = t.call(t.attribute(self.own(table, xs, before, origin), "clear"))
            before.append(t.effect(done, origin))
            return table
        if self.call_of(node, runtime.place_take, runtime.place_take_wide) and is_whole(node.args[2]) and self.plain:
            table = self.table(node.args[0], before, origin)
            taken = t.call(self.unit.use(runtime.items_taken, "items_taken"), t.load(table.id), self.expression(node.args[1]),
                           self.expression(node.args[3]))
            return t.pack([taken, table])
        if self.call_of(node, runtime.place_add, runtime.place_join, runtime.place_drop, runtime.place_take,
                        runtime.place_take_wide) and (
                of_array(node.args[2])) and self.plain:
            return self.of_array(node, before, origin)
        if self.call_of(node, runtime.place_add, runtime.place_drop) and self.plain:
            table = self.table(node.args[0], before, origin)
            own = self.own(table, node.args[1], before, origin)
            if self.call_of(node, runtime.place_add):
                entry = gast.Subscript(value=own, slice=node.args[2], ctx=t.STORE)
                before.append(t.at(gast.AugAssign(target=entry, op=gast.Add(), value=self.expression(node.args[3])), origin))
            else:
                before.append(t.effect(t.call(t.attribute(own, "pop"), node.args[2], t.const(None)), origin))
            return table
        if self.call_of(node, runtime.place_take, runtime.place_take_wide) and self.plain:
            table = self.table(node.args[0], before, origin)
            own = self.own(table, node.args[1], before, origin)
            like = self.expression(node.args[3])
            if isinstance(like, gast.Constant):
                part: gast.expr = t.call(t.attribute(own, "pop"), node.args[2], like)
            else:
                part = t.call(self.unit.use(runtime.taken_part, "taken_part"), own, node.args[2], like)
            return t.pack([part, table])
        if isinstance(node, gast.Tuple) and any(self.changes(x) for x in node.elts):
            for j, item in enumerate(node.elts):
                if self.changes(item):
                    node.elts[j] = self.taken_apart(item, before, origin)
                elif any(self.loads(x) or self.call_of(x, runtime.place_dot) for x in t.walk(item)):         # as it is before
                    name = self.unit.names.fresh("part")
                    before.append(t.assign(name, self.expression(item), origin))
                    node.elts[j] = t.load(name)
        return node

    def tangent_put(self, node: gast.Call, before: list, origin: Any) -> gast.Name:
        """The tangent of an attribute is another one, or none."""
        table, name = node.args[0], node.args[2]
        own = self.own(table, node.args[1], before, origin)
        if self.call_of(node, runtime.place_drop):
            before.append(t.effect(t.call(t.attribute(own, "pop"), name, t.const(None)), origin))
            return table
        value = self.expression(node.args[3])
        entry: Any = gast.Subscript(value=own, slice=self.expression(name), ctx=t.STORE)
        added = isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Add, gast.Sub)) and isinstance(
            value.left, gast.Subscript) and t.same(value.left.value, own) and t.same(value.left.slice, entry.slice)
        if added and self.is_number(node.args[3]):
            before.append(t.at(gast.AugAssign(target=entry, op=value.op, value=value.right), origin))
        else:
            before.append(t.assign(entry, value, origin))
        return table

    def place_method(self, node: Any, state: str) -> Any:
        """How what a call does to a place, or asks of it, is written."""
        known = primitive_of(self.unit.lookup(node.func)) if isinstance(node, gast.Call) and t.is_name(node.func) else None
        return known.place_method if known is not None and known.state == state else None

    def written(self, node: gast.Call, how: Any, count: int) -> gast.Call:
        """What is done to a list or deque, as a method or a function of it."""
        xs, args = self.expression(node.args[1]), [self.expression(a) for a in node.args[len(node.args) - count:]]
        if how == "[]":
            return t.subscript(xs, args[0])
        if how == "in":
            return gast.Compare(left=args[0], ops=[gast.In()], comparators=[xs])
        if how == "item" and isinstance(args[0], gast.Call) and isinstance(args[0].func, gast.Attribute) and (
                args[0].func.attr == "number" and t.same(args[0].func.value, xs)):
            return t.subscript(xs, args[0].args[0])         # (nobody asks for the number)
        if isinstance(how, str):
            return t.call(t.attribute(xs, how), *args)
        return t.call(self.unit.use(how, how.__name__), xs, *args)

    def done(self, node: gast.Call, how: Any, count: int, origin: Any) -> Any:
        """The statement that does to a place what a call does."""
        if how != "[] =":
            return t.effect(self.written(node, how, count), origin)
        item = t.subscript(self.expression(node.args[1]), self.expression(node.args[2]))
        item.ctx = gast.Store()
        return t.assign(item, self.expression(node.args[3]), origin)

    def moved(self, node: gast.Call, before: list, origin: Any) -> gast.Name:
        """The adjoints of the items of a list move along a path."""
        table = self.table(node.args[0], before, origin)
        own = self.own(table, node.args[1], before, origin)
        move = t.call(self.unit.use(runtime.move_adjoints, "move_adjoints"), own, self.expression(node.args[2]))
        before.append(t.effect(move, origin))
        return table

    def of_array(self, node: Any, before: list, origin: Any) -> Any:
        """What changes the adjoint of an array."""
        table = self.table(node.args[0], before, origin)
        place, index = self.expression(node.args[1]), self.index(node.args[2])
        if not t.is_name(place):
            before.append(t.assign(self.unit.names.fresh("array"), place, origin))
            place = node.args[1] = t.load(before[-1].targets[0].id)
        if self.takes(node) and any(isinstance(x, gast.Call) for x in t.walk(index)):
            before.append(t.assign(self.unit.names.fresh("index"), as_value(index, self.unit), origin))
            index = t.load(before[-1].targets[0].id)
        takes, kept = self.takes(node), getattr(node, "kept", False)
        own = self.own(table, node.args[1], before, origin, runtime.array_bar)
        if kept and is_all(node.args[2]):
            return t.pack([t.call(t.attribute(own, "copy")), table])
        entry = gast.Subscript(value=own, slice=index, ctx=t.STORE)
        if self.call_of(node, runtime.place_add, runtime.place_join):
            before.append(t.at(gast.AugAssign(target=entry, op=gast.Add(), value=self.expression(node.args[3])), origin))
            return table
        taken = None
        if takes:
            part = self.first or self.unit.names.fresh("part")
            old: gast.expr = t.subscript(t.clone(own), t.clone(index))
            number = isinstance(node.args[3], gast.Constant) and node.args[3].value is not None
            before.append(t.assign(part, old if number else t.call(t.attribute(old, "copy")), origin))
            taken = t.pack([t.load(part), table])
        if not kept:
            before.append(t.assign(entry, t.const(0.0), origin))
        return table if taken is None else taken

    def index(self, name: Any) -> Any:
        """The index of a part of an array, or of all of it."""
        return t.const(...) if is_all(name) else self.expression(name.slice)

    def filled(self, place: Any, name: Any, value: Any, before: list, origin: Any) -> None:
        """`xs[k] = v`, or `xs[:] = vs`."""
        where = self.index(name) if of_array(name) else gast.Slice(lower=None, upper=None, step=None) if is_whole(
            name) else self.expression(name)
        item: Any = gast.Subscript(value=self.expression(place), slice=where, ctx=t.STORE)
        if isinstance(value, gast.BinOp) and self.reads_array(value.left) and t.same(value.left.args[1:], [place, name]) and (
                self.dtype(value) is not None and self.dtype(value) == self.dtype(value.left)):
            target = t.store(place.id) if is_all(name) and t.is_name(place) else item
            right = Expression(self).part(value.right)
            before.append(t.at(gast.AugAssign(target=target, op=value.op, value=right), origin))
            return
        before.append(t.assign(item, self.expression(value), origin))

    def changes(self, node: Any) -> bool:
        """Whether an expression changes objects, or their adjoints, and gives their state."""
        return self.stores(node) or self.plain and self.call_of(
            node, runtime.place_add, runtime.place_drop, runtime.bars_move) or self.tangents and self.call_of(
            node, runtime.place_put, runtime.place_drop)

    def table(self, node: Any, before: list, origin: Any) -> gast.Name:
        """The name of the adjoints of all objects."""
        found = self.taken_apart(node, before, origin)
        if t.is_name(found):
            return found
        name = self.into or self.unit.names.fresh("bars")
        before.append(t.assign(name, self.expression(found), origin))
        return t.load(name)

    def own(self, table: gast.Name, place: Any, before: list, origin: Any, helper: Any = None) -> gast.expr:
        """The adjoints of a place: `body_bar`, or `bars[id(body)]`; of an array: `array_bar(bars, v)`."""
        node: gast.expr = t.subscript(t.load(table.id), t.call("id", self.expression(place)))
        if helper is not None:
            node = t.call(self.unit.use(helper, helper.__name__), t.load(table.id), self.expression(place))
        key = self.tables.get(table.id, table.id), getattr(place, "id", "")
        if key not in self.bars and (not t.is_name(place) or self.uses[place.id] < 2):
            return node
        if key not in self.bars:
            self.bars[key] = self.unit.names.fresh(f"{place.id}_{'dots' if self.tangents else 'bar'}")
            before.append(t.assign(self.bars[key], node, origin))
        return t.load(self.bars[key])

    def expression(self, node: Any) -> Any:
        """An expression without states."""
        return Expression(self).visit(node)


def is_whole(name: Any) -> bool:
    """Whether it is all items of a list that are read or stored."""
    return isinstance(name, gast.Constant) and name.value == k.WHOLE


def as_value(index: Any, unit: Unit) -> Any:
    """An index as a value: np.s_[1:, k] for 1:, k."""
    return t.subscript(t.dotted(f"{unit.use(np, 'np')}.s_"), index)


def of_list(name: Any) -> bool:
    """Whether what is read or stored is an item of a list, or all of them."""
    return is_whole(name) or of_array(name) or not (isinstance(name, gast.Constant) and isinstance(name.value, str))


def is_all(name: Any) -> bool:
    """Whether it is all of an array that is read or stored."""
    return isinstance(name, gast.Constant) and name.value == k.ALL


def of_array(name: Any) -> bool:
    """Whether what is read or stored is a part of an array, or all of it."""
    return is_all(name) or isinstance(name, gast.Subscript) and isinstance(name.value, gast.Attribute) and name.value.attr == "s_"


class Without(t.Transformer):
    """The adjoints without what a call adds to them."""

    def __init__(self, call: gast.Call) -> None:
        self.call = call

    def visit_Call(self, node: Any) -> Any:
        return node.args[0] if node is self.call else self.generic_visit(node)


class Expression(t.Transformer):
    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def visit_Call(self, node: Any) -> Any:
        w = self.writer
        if w.tangents and w.call_of(node, runtime.place_dot) and w.by_name(node):
            return t.subscript(w.own(node.args[0], node.args[1], w.before, w.origin), self.visit(node.args[2]))
        if w.reads_array(node):
            plain = id(node) in w.bare
            found = self.part(node)
            return found if plain or w.is_number(node) else t.call(t.attribute(found, "copy"))
        if isinstance(node.func, gast.Attribute) and node.func.attr == "copy" and not node.args and w.reads_array(node.func.value):
            node.func.value = self.part(node.func.value)    # one copy is enough
            return node
        if w.plain and w.call_of(node, runtime.place_part) and is_all(node.args[2]):
            return t.call(w.unit.use(runtime.array_bar, "array_bar"), self.visit(node.args[0]), self.visit(node.args[1]))
        if w.gives_new(node):
            node.args = [self.part(a) for a in node.args]
        if w.call_of(node, runtime.place_view) and w.is_state(node.args[0]):
            return gast.copy_location(self.view(*node.args[2:]), node)
        if w.call_of(node, runtime.new_array) and w.is_state(node.args[0]):
            value = self.visit(node.args[2])
            if w.is_new(value):
                return value
            return t.call(f"{w.unit.use(np, 'np')}.array", value)
        if (method := w.place_method(node, "reads")) is not None and w.is_state(node.args[0]):
            return gast.copy_location(w.written(node, *method), node)
        if w.call_of(node, runtime.new_deque) and w.is_state(node.args[0]):
            size = self.visit(node.args[2])
            plain = isinstance(size, gast.Constant) and size.value is None
            return t.call(w.unit.use(runtime.NumberedDeque, "NumberedDeque"), *([] if plain else [t.pack([]), size]))
        if w.loads(node) and w.is_state(node.args[0]) and of_list(node.args[2]):
            whole = is_whole(node.args[2])
            where = gast.Slice(lower=None, upper=None, step=None) if whole else self.visit(node.args[2])
            return gast.copy_location(t.subscript(self.visit(node.args[1]), where), node)
        if w.call_of(node, runtime.place_load) and w.is_state(node.args[0]) and isinstance(node.args[2], gast.Constant) and (
                node.args[2].value.isidentifier()):
            return gast.copy_location(t.attribute(self.visit(node.args[1]), node.args[2].value), node)
        if w.asks(node) and w.is_state(node.args[0]):
            return self.asked(node)
        if w.call_of(node, runtime.new_place) and w.is_state(node.args[0]):
            cls = w.unit.lookup(node.args[1])
            if isinstance(cls, type) and issubclass(cls, k.HeldList):
                return gast.List(elts=[], ctx=t.LOAD)
            if isinstance(cls, type) and issubclass(cls, k.HeldDict):
                return gast.Dict(keys=[], values=[])
            return t.call(w.unit.use(runtime.new_object, "new_object"), node.args[1])
        if not (w.loads(node) or w.stores(node)):
            node.args = [a for a in node.args if not w.is_state(a)]
            node.keywords = [key for key in node.keywords if not w.is_state(key.value)]
        return self.generic_visit(node)

    def part(self, node: Any) -> Any:
        """A part of an array that is read at once, and needs no copy; everything else as usual."""
        if not self.writer.reads_array(node):
            return self.visit(node)
        base = self.visit(node.args[1])
        return gast.copy_location(base if is_all(node.args[2]) else t.subscript(base, self.writer.index(node.args[2])), node)

    def view(self, place: Any, how: Any, *args: Any) -> Any:
        """`v[k]`, `v.T`, `v.reshape(n, m)`, `np.flip(v)` of an array."""
        w, place = self.writer, self.visit(place)
        if not isinstance(how, gast.Constant):
            return t.subscript(place, w.index(how))
        if how.value == "T":
            return t.attribute(place, "T")
        args = tuple(map(self.visit, args))                                                         # type: ignore[assignment]
        return t.call(t.attribute(place, how.value), *args) if hasattr(np.ndarray, how.value) else t.call(
            t.dotted(f"{w.unit.use(np, 'np')}.{how.value}"), place, *args)

    def visit_BinOp(self, node: Any) -> Any:
        node.left, node.right = self.part(node.left), self.part(node.right)
        return node

    def visit_UnaryOp(self, node: Any) -> Any:
        node.operand = operand = self.part(node.operand)
        if isinstance(node.op, gast.Not) and isinstance(operand, gast.Compare) and isinstance(operand.ops[0], gast.In):
            operand.ops = [gast.NotIn()]
            return operand
        return node

    def visit_Compare(self, node: Any) -> Any:
        node.left, node.comparators = self.part(node.left), [self.part(x) for x in node.comparators]
        return node

    def visit_Attribute(self, node: Any) -> Any:
        node.value = self.part(node.value) if node.attr in SHAPE else self.visit(node.value)
        return node

    def asked(self, node: Any) -> Any:
        """What is asked of a list: how long it is, where an item is."""
        w, args = self.writer, [self.visit(a) for a in node.args[1:]]
        if w.call_of(node, runtime.same_size):
            return t.call(w.unit.use(runtime.check_size, "check_size"), *args)
        if w.call_of(node, runtime.place_path):
            return t.call(args[1], args[0])
        if w.call_of(node, runtime.deque_end):
            return t.attribute(args[0], "end")
        if w.call_of(node, runtime.deque_front):
            return t.binop(t.attribute(args[0], "start"), gast.Sub(), t.const(1))
        size = t.call(w.unit.use(len, "len"), args[0])
        if w.call_of(node, runtime.place_size):
            return size
        if isinstance(args[1], (gast.Constant, gast.UnaryOp)) and t.constant_of(args[1]) == -1:
            return t.binop(size, gast.Sub(), t.const(1))
        return t.call(w.unit.use(runtime.index_in, "index_in"), *args)

    def visit_Tuple(self, node: Any) -> Any:
        if len(node.elts) == 2 and self.writer.is_state(node.elts[1]) and isinstance(node.ctx, gast.Load):
            return self.visit(node.elts[0])
        return self.generic_visit(node)

    def visit_Subscript(self, node: Any) -> Any:
        if t.is_name(node.value) and node.value.id in self.writer.pairs and isinstance(node.slice, gast.Constant):
            return node.value if node.slice.value == 0 else t.const(None)
        return self.generic_visit(node)

    def visit_Name(self, node: Any) -> Any:
        return t.const(None) if self.writer.is_state(node) and isinstance(node.ctx, gast.Load) else node
