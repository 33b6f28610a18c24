"""Scalar replacement of aggregates: of local objects and dicts, of which only parts are read, and of sparse adjoints.

What is built entry by entry becomes one dict, and what is only taken apart none.
"""
from __future__ import annotations

import functools
import types
from collections import Counter
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.optimize.redundancy import forwarded_copies


def scalar_replacement(unit: Unit, tree: Any) -> None:
    """Merge `b = {"w": x}`, `b = entry_add(b, "v", y)`; replace b["w"] by x where b is only read so."""
    if runtime.entry_add in unit.env.values() or runtime.entry_of in unit.env.values():
        _Entries(unit, tree).run()


class _Entries:
    def __init__(self, unit: Unit, tree: Any) -> None:
        self.unit, self.tree = unit, tree

    def run(self) -> None:
        self.liveness = Liveness()
        self.liveness.block(self.tree.body, frozenset())
        self.block(self.tree.body)
        if runtime.entry_drop in self.unit.env.values():
            self.pass_by(self.tree.body, {})

    def block(self, block: list) -> None:
        for s in block:
            if not is_stop(s):
                for inner in t.inner_blocks(s):
                    self.block(inner)
        position = 0
        while position < len(block):
            s = block[position]
            if _display(s) and (self.merge(block, position) or self.apart(block, position)):
                del block[position]
                continue
            position += 1

    def pass_by(self, block: list, dropped: dict[str, tuple[str, Any]]) -> None:
        """Take an entry where it comes from, past `b = entry_drop(a, key)` of other keys. dropped: b -> (a, key)."""
        for s in block:
            inner = [getattr(s, field) for field in t.BLOCKS if getattr(s, field, None) and not is_stop(s)]
            if isinstance(s, (gast.For, gast.While)):
                _forget(dropped, t.changes(s))
            header = getattr(s, "test", None) or getattr(s, "iter", None) or getattr(s, "value", None)
            for node in t.walk(header) if dropped and header is not None else ():
                if self.is_call(node, runtime.entry_of) and isinstance(node.args[1], gast.Constant):
                    self.past(node, dropped)
            for body in inner:
                self.pass_by(body, dict(dropped))
            _forget(dropped, t.changes(s))
            value: Any = getattr(s, "value", None)
            if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and self.is_call(
                    value, runtime.entry_drop) and isinstance(value.args[0], gast.Name) and isinstance(
                    value.args[1], gast.Constant) and value.args[0].id != s.targets[0].id:
                dropped[s.targets[0].id] = value.args[0].id, value.args[1].value

    def past(self, node: gast.Call, dropped: dict[str, tuple[str, Any]]) -> None:
        while isinstance(node.args[0], gast.Name) and node.args[0].id in dropped:
            base, key = dropped[node.args[0].id]
            if key == node.args[1].value:
                return
            node.args[0] = t.load(base)

    def merge(self, block: list, position: int) -> bool:
        """Move a display into the `entry_add` that is the next to mention its name."""
        s = block[position]
        name = t.writes(s)[0]
        operands = set(t.reads(s.value))
        for later in block[position + 1:]:
            mentioned = t.mentions(later)
            if name not in mentioned:
                if operands & t.changes(later):
                    return False
                continue
            value: Any = getattr(later, "value", None)
            if not (isinstance(later, gast.Assign) and t.writes(later) == [name] and self.is_call(value, runtime.entry_add)
                    and t.is_name(value.args[0], name) and isinstance(value.args[1], gast.Constant)
                    and name not in t.reads(value.args[2])):
                return False
            if any(key.value == value.args[1].value for key in s.value.keys):
                return False
            later.value = gast.Dict(keys=[*s.value.keys, value.args[1]], values=[*s.value.values, value.args[2]])
            return True
        return False

    def apart(self, block: list, position: int) -> bool:
        """Use the values of a display directly where nothing else is asked of it."""
        s = block[position]
        name = t.writes(s)[0]
        operands = set(t.reads(s.value))
        if not all(isinstance(v, (gast.Name, gast.Constant)) for v in s.value.values):
            return False
        if name in self.liveness.after.get(id(block[-1]), ()):
            return False
        uses = []
        for later in block[position + 1:]:
            if name in t.mentions(later):
                if isinstance(later, (gast.If, gast.For, gast.While)):
                    return False
                uses.append(later)
                if not self.only_entries(later, name, {key.value for key in s.value.keys}):
                    return False
                if name in t.writes(later):
                    break
            if operands & t.changes(later) and any(name in t.mentions(x) for x in block[block.index(later) + 1:]):
                return False
        if not uses:
            return False
        values = {key.value: value for key, value in zip(s.value.keys, s.value.values)}
        for use in uses:
            _Take(self, name, values).visit(use)
        return True

    def only_entries(self, s: Any, name: str, keys: set) -> bool:
        allowed = 0
        for node in t.walk(s):
            if self.is_call(node, runtime.entry_of) and t.is_name(node.args[0], name) and isinstance(
                    node.args[1], gast.Constant):
                allowed += 1
            elif isinstance(node, gast.Subscript) and t.is_name(node.value, name) and isinstance(
                    node.slice, gast.Constant) and node.slice.value in keys:
                allowed += 1
        return allowed == t.header_reads(s).count(name)

    def is_call(self, node: Any, function: Any) -> bool:
        return isinstance(node, gast.Call) and self.unit.lookup(node.func) is function


class _Take(t.Transformer):
    def __init__(self, entries: _Entries, name: str, values: dict) -> None:
        self.entries, self.name, self.values = entries, name, values

    def visit_Call(self, node: gast.Call) -> Any:
        node = self.generic_visit(node)
        if self.entries.is_call(node, runtime.entry_of) and t.is_name(node.args[0], self.name):
            found = self.values.get(node.args[1].value)
            if found is not None:
                return t.clone(found)
            return t.call(self.entries.unit.use(runtime.zeros_like, "zeros_like"), node.args[2])
        return node

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        node = self.generic_visit(node)
        return t.clone(self.values[node.slice.value]) if t.is_name(node.value, self.name) else node


def _forget(dropped: dict[str, tuple[str, Any]], changed: set[str]) -> None:
    for name in [name for name, (base, _) in dropped.items() if name in changed or base in changed]:
        del dropped[name]


def _display(s: Any) -> bool:
    return isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and isinstance(s.value, gast.Dict) and all(
        isinstance(key, gast.Constant) for key in s.value.keys)


# --- Aggregates: a local object or dict becomes a name for each of its attributes or items.
#
#     opt = Momentum(0.1, 0.9)                             opt = Momentum(0.1, 0.9)
#     for _ in range(n):                                   opt_v, opt_beta = opt.v, opt.beta
#         v = opt.beta * opt.v + g                         for _ in range(n):
#         opt = index_set(opt, at.v, v)                        opt_v = opt_beta * opt_v + g
#
# Values never change here, names do. All names that one object has had, one after the other, are one web: wherever one of them gets
# its value, none of the others is read later. An object that anything but its parts is read of stays what it is.

HEADERS = {gast.If: "test", gast.While: "test", gast.For: "iter"}
Key = tuple[str, Any]                       # (".", an attribute) or ("[]", a key)


def aggregates(unit: Unit, facts: Infer) -> bool:
    """Take local objects and dicts apart, in place in the unit; whether there were any."""
    dead = _packed_for_nobody(unit.tree)
    webs = [web for web in _webs(unit, facts, dead) if web.sound(unit, facts)]
    if not webs:
        return False
    liveness = Liveness()
    liveness.block(unit.tree.body, frozenset())
    webs = [web for web in webs if all(web.names & liveness.after[id(s)] <= {s.targets[0].id} for s in web.definitions)]
    for web in webs:
        unit.tree.body = t.rewritten(unit.tree.body, functools.partial(web.replaced, unit, dead))
        web.settle(unit)
    return bool(webs)


def _packed_for_nobody(tree: Any) -> set[int]:
    """Assignments of tuples of names that nobody reads."""
    read = {n for s in t.statements(tree.body) for n in t.header_reads(s)}
    return {id(s) for s in t.statements(tree.body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Tuple)
            and t.is_name(s.targets[0]) and s.targets[0].id not in read and all(map(t.is_name, s.value.elts))}


class _Web:
    """Names of one object, the statements that give them their values, and the parts that are read."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.definitions: list[Any] = []
        self.starts: list[Any] = []
        self.read: set[Key] = set()
        self.parts: dict[Key, str] = {}

    def add(self, other: _Web) -> _Web:
        if other is not self:
            self.names |= other.names
            self.definitions += other.definitions
            self.starts += other.starts
            self.read |= other.read
        return self

    def sound(self, unit: Unit, facts: Infer) -> bool:
        """Whether each part that is read has a value from the start."""
        special = {*unit.parameters, *unit.counters, *unit.tapes, *unit.unset, *unit.reread, *unit.reread.values(), *unit.emptied}
        return bool(self.starts and self.read) and not self.names & special and not self._doubtful(facts) and all(
            self.read <= _made_with(unit, facts, s) or self._filled(unit, facts, unit.tree.body, s) for s in self.starts)

    def _doubtful(self, facts: Infer) -> bool:
        """Whether a part may be None: tests of attributes are followed, tests of names that get other values are not."""
        kinds = [kind for name in self.names for key, kind in facts.kinds[name].items or ()]         # type: ignore[attr-defined]
        return any(isinstance(kind, k.Optional) or kind == k.Const(None) for kind in kinds)

    def _filled(self, unit: Unit, facts: Infer, block: list, start: Any) -> bool:
        """Whether the statements after a start put in what it lacks, before anything is read or may not run."""
        place = next((i for i, s in enumerate(block) if s is start), None)
        if place is None:
            return any(self._filled(unit, facts, inner, start) for s in block for inner in t.inner_blocks(s))
        known = _made_with(unit, facts, start)
        for s in block[place + 1:]:
            found = set(self._reads(s))
            if not found <= known or t.inner_blocks(s) and self.names & {
                    n for x in t.statements([s]) for n in (*t.header_reads(x), *t.writes(x))}:
                return False
            stored = store_of(unit, s)
            if stored is not None and stored[0] in self.names:
                if stored[2] is not None and stored[1] not in known:
                    return False
                known.add(stored[1])
                if self.read <= known:
                    return True
        return False

    def _reads(self, s: Any) -> list[Key]:
        return [part[1] for node in t.walk(s) if (part := part_of(node)) is not None and part[0] in self.names]

    def replaced(self, unit: Unit, dead: set[int], s: Any) -> list:
        """What stands in the place of a statement."""
        if id(s) in dead and self.names & set(t.reads(s.value)):
            return []
        origin = t.origin_of(s)
        if s in self.starts:
            given = display(unit, s.value)
            if given is not None:
                return [t.assign(self.part(unit, key), self.visited(unit, value), origin)
                        for key, value in given.items() if key in self.read]
            name = s.targets[0].id
            return [s, *(t.assign(self.part(unit, key), spelled(name, key), origin) for key in sorted(self.read, key=repr))]
        if s in self.definitions:
            stored = store_of(unit, s)
            if stored is None or stored[1] not in self.read:
                return []
            part, value = self.part(unit, stored[1]), self.visited(unit, s.value.args[2])
            if stored[2] is not None:                        # in place of a part of it
                value = t.call(s.value.func, t.load(part), self.visited(unit, stored[2]), value)
            return [t.assign(part, value, origin)]
        header = HEADERS.get(type(s))
        if header is not None:
            setattr(s, header, self.visited(unit, getattr(s, header)))
            return [s]
        return [self.visited(unit, s)]

    def visited(self, unit: Unit, node: Any) -> Any:
        return _Parts(self, unit).visit(node)

    def part(self, unit: Unit, key: Key) -> str:
        if key not in self.parts:
            self.parts[key] = unit.names.fresh(self.word(unit, key))
        return self.parts[key]

    def word(self, unit: Unit, key: Key) -> str:
        users = sorted(self.names & unit.function.local) or sorted(self.names, key=lambda name: (len(name), name))
        return f"{users[0]}_{key[1] if str(key[1]).isidentifier() else 'item'}"

    def settle(self, unit: Unit) -> None:
        """Take the copies out that reads of parts were, and give parts the names that are free then."""
        counts = Counter(n for s in t.statements(unit.tree.body) for n in t.writes(s))
        read = Counter(n for s in t.statements(unit.tree.body) for n in t.header_reads(s))
        spare = {n for n, count in counts.items() if count == 1} - {*unit.parameters, *unit.function.local, *unit.reread}
        parts = set(self.parts.values())
        unit.tree.body = forwarded_copies(
            unit.tree.body, lambda name, source: name in spare and source in parts, read)
        used = {node.id for node in t.walk(unit.tree) if isinstance(node, gast.Name)}
        words = {key: self.word(unit, key) for key in self.parts}
        t.rename(unit.tree, {name: words[key] for key, name in self.parts.items()
                             if words[key] not in used | unit.env.keys() and list(words.values()).count(words[key]) == 1})


class _Parts(t.Transformer):
    """Names in the place of the parts of a web."""

    def __init__(self, web: _Web, unit: Unit) -> None:
        self.web, self.unit = web, unit

    def visit_Attribute(self, node: Any) -> Any:
        part = part_of(node)
        if part is not None and part[0] in self.web.names:
            return t.load(self.web.part(self.unit, part[1]))
        return self.generic_visit(node)

    visit_Subscript = visit_Attribute


def part_of(node: Any) -> tuple[str, Key] | None:
    """(name, key) of `name.attribute` and `name["key"]`."""
    if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name):
        return node.value.id, (".", node.attr)
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name) and _is_key(node.slice):
        return node.value.id, ("[]", node.slice.value)
    return None


def spelled(name: str, key: Key) -> Any:
    return t.attribute(t.load(name), key[1]) if key[0] == "." else t.subscript(t.load(name), t.const(key[1]))


def _is_key(node: Any) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) in (str, int)


def store_of(unit: Unit, s: Any) -> tuple[str, Key, Any] | None:
    """(object, key, index) of `new = index_set(object, key, value)`; index: where in the part is stored, None for all of it."""
    call = s.value if isinstance(s, gast.Assign) else None
    if not (isinstance(call, gast.Call) and unit.lookup(call.func) is runtime.index_set and isinstance(call.args[0], gast.Name)):
        return None
    where, index = call.args[1], None
    inner = where.value if isinstance(where, gast.Subscript) else None
    if isinstance(inner, gast.Attribute) and unit.lookup(inner.value) is runtime.at:
        where, index = inner, t.subscript(t.attribute(t.load(unit.use(np, "np")), "s_"), where.slice)
    if isinstance(where, gast.Attribute) and unit.lookup(where.value) is runtime.at:
        return call.args[0].id, (".", where.attr), index
    if isinstance(where, gast.Subscript) and unit.lookup(where.value) is np.s_ and _is_key(where.slice):
        return call.args[0].id, ("[]", where.slice.value), None
    return None


def display(unit: Unit, value: Any) -> dict[Key, Any] | None:
    """The parts that are written out where an object or a dict is made; None if they are not."""
    if isinstance(value, gast.Dict) and all(map(_is_key, value.keys)):
        return {("[]", key.value): item for key, item in zip(value.keys, value.values)}
    made = unit.lookup(value.func) if isinstance(value, gast.Call) else None
    if made is types.SimpleNamespace and not value.args and all(option.arg for option in value.keywords):
        return {(".", option.arg): option.value for option in value.keywords}
    return {} if made is runtime.new_object else None


def _made_with(unit: Unit, facts: Infer, start: Any) -> set[Key]:
    """The parts that an object has where it is made."""
    given = display(unit, start.value)
    if given is not None:
        return set(given)
    kind = facts.kinds.get(start.targets[0].id)
    if not isinstance(kind, k.Obj):
        return set()
    return {(".", name) for name, _ in kind.items or () if name not in kind.maybe}


def _is_start(unit: Unit, value: Any) -> bool:
    """Whether an expression makes an object or a dict that nobody else has."""
    return display(unit, value) is not None or isinstance(value, gast.Call) and isinstance(unit.lookup(value.func), type)


def _webs(unit: Unit, facts: Infer, dead: set[int]) -> list[_Web]:
    """The webs of objects of which only parts are read."""
    webs: dict[str, _Web] = {}
    escaped: set[str] = set()

    def web(name: str) -> _Web:
        if name not in webs:
            webs[name] = _Web()
            webs[name].names.add(name)
        return webs[name]

    for s in t.statements(unit.tree.body):
        if id(s) in dead:
            continue
        value = s.value if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) else None
        stored = store_of(unit, s)
        source = stored[0] if stored else value.id if isinstance(value, gast.Name) else None
        header = getattr(s, HEADERS.get(type(s), ""), s)
        bare = [node.id for node in _bare(header)]
        if value is None or not (source or _is_start(unit, value)):
            escaped.update(t.writes(s))
        else:
            mine = web(s.targets[0].id)
            mine.definitions.append(s)
            if source:
                bare.remove(source)
                mine = web(source).add(mine)
                webs.update(dict.fromkeys(mine.names, mine))
            else:
                mine.starts.append(s)
        escaped.update(bare)
        for node in t.walk(header):
            part = part_of(node)
            if part is not None:
                web(part[0]).read.add(part[1])
        if stored and stored[2] is not None:
            web(stored[0]).read.add(stored[1])
    return [found for found in dict.fromkeys(webs.values()) if not found.names & escaped and all(
        isinstance(facts.kinds.get(name), k.Obj | k.Dct) and not getattr(facts.kinds[name], "optional", False)
        for name in found.names)]


def _bare(node: Any) -> list:
    """The names that an expression reads otherwise than for a part."""
    if isinstance(node, gast.Name):
        return [] if isinstance(node.ctx, gast.Store) else [node]
    if part_of(node) is not None:
        return []
    return [name for child in t.children(node) for name in _bare(child)]
