"""Devirtualisation: a function that is chosen while running becomes a number, and its call a branch that calls each.

`h = f if c else g` is `h = 0 if c else 1`, and `h(x)` is `f(x) if h == 0 else g(x)`: every callee is known by its name.
So is every function in a table: `TABLE[key](x)` is `f(x) if entry_key(TABLE, key) == "f" else g(x)`.
"""
from __future__ import annotations

import collections
import enum
import types
from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING, Members, code_like
from sourcegrad.ir.unit import Unit
from sourcegrad.runtime.structure import overridden

MOST = 6        # alternatives
LARGEST = 8     # entries of a table of functions


def devirtualize(unit: Unit) -> Unit:
    """Write out which function is called, where it is one of several that are named in the function."""
    modules = _Modules(unit)
    if modules.modules:
        modules.visit(unit.tree)
    _Displays(_tables(unit), unit).visit(unit.tree)
    for name, values in _chosen(unit).items():
        _Choice(unit, name, values).run()
    return unit


class _Modules(t.Transformer):
    """`L = np.linalg`, where L is never anything else: what is called by it is called by the name of the module."""

    def __init__(self, unit: Unit) -> None:
        stores = collections.Counter(n.id for n in t.walk(unit.tree) if isinstance(n, gast.Name) and not isinstance(
            n.ctx, gast.Load))
        pairs = [pair for s in t.walk(unit.tree) if isinstance(s, gast.Assign) for pair in _assigned(s)]
        self.modules = {target.id: value for target, value in pairs if t.is_name(target) and stores[target.id] == 1
                        and isinstance(value, (gast.Attribute, gast.Name)) and isinstance(unit.lookup(value), types.ModuleType)}

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        self.generic_visit(node)
        if isinstance(node.value, gast.Name) and node.value.id in self.modules:
            node.value = gast.copy_location(t.clone(self.modules[node.value.id]), node.value)
        return node


def _assigned(s: gast.Assign) -> list[tuple[Any, Any]]:
    """The targets of an assignment with their values, as far as they stand there."""
    target, value = s.targets[0], s.value
    if all(isinstance(x, gast.Tuple) for x in (target, value)) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts))
    return [(target, value)]


class _Displays(t.Transformer):
    """`(f if c else g)(x)`, `(f, g)[1](x)`, and `table["f"](x)` of a table that does not change."""

    def __init__(self, tables: dict[str, Any], unit: Unit) -> None:
        self.tables, self.unit = tables, unit

    def visit_Assign(self, node: gast.Assign) -> Any:
        self.generic_visit(node)
        target = node.targets[0]
        if t.is_name(target) and _only_called(self.unit.tree, target.id) and (
                found := self.entries(node.value)) is not None:
            node.value = gast.copy_location(self.choice(*found, lambda function: function), node.value)
        return node

    def visit_For(self, node: gast.For) -> Any:
        self.generic_visit(node)
        table = self.tables.get(node.iter.id) if isinstance(node.iter, gast.Name) else None
        if isinstance(table, (gast.Tuple, gast.List)):
            node.iter = gast.copy_location(t.clone(table), node.iter)
        return node

    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        function = node.func
        entries = self.entries(function)
        if entries is not None:
            return gast.copy_location(self.choice(*entries, lambda function: with_function(node, function)), node)
        if isinstance(function, gast.IfExp):
            other = t.clone(node)
            node.func, other.func = function.body, function.orelse
            return gast.copy_location(gast.IfExp(test=function.test, body=self.visit_Call(node),
                                                 orelse=self.visit_Call(other)), node)
        if isinstance(function, gast.Subscript) and isinstance(function.slice, gast.Constant):
            key = function.slice.value
            table = self.tables.get(function.value.id) if isinstance(function.value, gast.Name) else None
            if table is not None:
                function = t.subscript(t.clone(table), function.slice)
            if isinstance(function.value, (gast.Tuple, gast.List)) and isinstance(key, int) and (
                    0 <= key < len(function.value.elts)) and all(map(_plain, function.value.elts)):
                node.func = function.value.elts[key]
            elif isinstance(function.value, gast.Dict) and all(map(_plain, function.value.values)):
                found = [v for k, v in zip(function.value.keys, function.value.values)
                         if isinstance(k, gast.Constant) and k.value == key]
                node.func = found[-1] if found else node.func
        return node


    def entries(self, node: Any) -> tuple[Any, Any, list, Any] | None:
        """What `TABLE[key]` or `TABLE.get(key, f)` may be: the table, the key, the entries as (key, function), and f."""
        get = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "get" and (
            len(node.args) == 2 and not node.keywords and _plain(node.args[1]))
        if not get and not (isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load)):
            return None
        table, key, default = (node.func.value, *node.args) if get else (node.value, node.slice, None)
        if isinstance(key, (gast.Constant, gast.Slice, gast.Tuple)):
            return None
        display = self.tables.get(table.id) if t.is_name(table) else None
        if isinstance(display, gast.Dict):
            if not 1 < len(display.keys) <= LARGEST or not all(map(_plain, display.values)) or not all(
                    isinstance(x, gast.Constant) and type(x.value) in (str, int) for x in display.keys):
                return None
            return table, key, list(zip(display.keys, display.values)), default
        holder, name = self.holder(table)
        known = holder.lookup(name) if holder is not None else None
        if type(known) is not dict or not 1 < len(known) <= LARGEST or not all(map(_is_key, known)) or not all(
                callable(value) and code_like(value) for value in known.values()):
            return None
        scope = Table(known, tuple(known), holder, name)
        self.unit.rely(scope, "", True)
        for number, value in enumerate(known.values()):
            self.unit.rely(scope, str(number), value)
        chosen = self.unit.lookup(key)
        if isinstance(chosen, enum.Enum) and chosen in known:
            return table, key, [(key, self.function(known[chosen]))], None
        return table, key, [(self.constant(key), self.function(value)) for key, value in known.items()], default

    def holder(self, table: Any) -> tuple[Any, str]:
        """Where a table is that is not made in the function, as a scope, and its name there."""
        if t.is_name(table):
            return (self.unit.function.scope, table.id) if self.unit.outer(table.id) is not MISSING else (None, "")
        owner = self.unit.lookup(table.value) if isinstance(table, gast.Attribute) else MISSING
        return (Members(owner), table.attr) if isinstance(owner, (types.ModuleType, type)) else (None, "")

    def function(self, value: Any) -> Any:
        return t.load(self.unit.use(value, getattr(value, "__name__", "function")))

    def constant(self, key: Any) -> Any:
        """An expression for the key of an entry."""
        if not isinstance(key, enum.Enum):
            return t.const(key)
        return t.attribute(t.load(self.unit.use(type(key), type(key).__name__)), key.name)

    def choice(self, table: Any, key: Any, entries: list, default: Any, made: Any) -> Any:
        """`made` of the function that stands under a key, as a branch for each entry."""
        if len(entries) == 1:
            return made(entries[0][1])
        plain = default is not None and t.is_name(key)
        again = key if plain else t.load(self.unit.names.fresh("key"))
        there = key if default is not None else t.call(
            self.unit.use(runtime.entry_key, "entry_key"), t.clone(table), key)
        first = there if plain else gast.NamedExpr(target=t.store(again.id), value=there)
        *tested, (_, last) = entries if default is None else [*entries, (None, default)]
        chain = made(last)
        for number, (value, function) in reversed(list(enumerate(tested))):
            same = gast.Is() if isinstance(value, gast.Attribute) else gast.Eq()
            test = gast.Compare(left=t.clone(again) if number else first, ops=[same], comparators=[t.clone(value)])
            chain = gast.IfExp(test=test, body=made(function), orelse=chain)
        return chain


def with_function(call: gast.Call, function: Any) -> gast.Call:
    """The same call of another function."""
    new = t.clone(call)
    new.func = gast.copy_location(t.clone(function), call.func)
    return new                                                                                      # type: ignore[no-any-return]


def _is_key(key: Any) -> bool:
    """Whether a key of a table can be compared with another one in a text."""
    return type(key) in (str, int) or isinstance(key, enum.Enum) and type(key).__eq__ is object.__eq__ and not overridden(type(key))


@dataclass(eq=False)
class Table:
    """The entries of a dict by their numbers, as a scope; "": whether it is the dict that was found, with the keys that it had."""

    owner: dict
    keys: tuple
    holder: Any                                              # where the dict is found, as a scope
    name: str

    def lookup(self, name: str) -> Any:
        if name:
            return self.owner.get(self.keys[int(name)], MISSING)
        return self.holder.lookup(self.name) is self.owner and tuple(self.owner) == self.keys


def _tables(unit: Unit) -> dict[str, Any]:
    """Names of displays of known functions that are only taken from."""
    stores: dict[str, int] = {}
    for n in t.walk(unit.tree):
        if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load):
            stores[n.id] = stores.get(n.id, 0) + 1
    taken = {id(n.iter if isinstance(n, gast.For) else n.value) for n in t.walk(unit.tree)
             if isinstance(n, gast.For) or isinstance(n, gast.Subscript) and isinstance(n.ctx, gast.Load)}
    loose = {n.id for n in t.walk(unit.tree) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load) and id(n) not in taken}
    found: dict[str, Any] = {}
    for s in t.statements(unit.tree.body):
        if isinstance(s, gast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], gast.Name) and isinstance(
                s.value, (gast.Tuple, gast.List, gast.Dict)):
            name = s.targets[0].id
            items = s.value.values if isinstance(s.value, gast.Dict) else s.value.elts
            if stores[name] == 1 and name not in loose and all(
                    callable(value) for value in map(unit.lookup, items) if value is not MISSING) and all(
                    unit.lookup(item) is not MISSING for item in items):
                found[name] = s.value
    return found


def _plain(node: Any) -> bool:
    """Whether evaluating an expression does nothing else."""
    return isinstance(node, (gast.Name, gast.Lambda, gast.Constant)) or (
        isinstance(node, gast.Attribute) and _plain(node.value))


def _chosen(unit: Unit) -> dict[str, list]:
    """Names that only ever stand for one of several known functions, with the assignments that say for which."""
    assigned: dict[str, list] = {}
    other = set(unit.parameters)
    functions: dict[str, int] = {}
    for s in t.statements(unit.tree.body):
        if isinstance(s, gast.FunctionDef):
            functions[s.name] = functions.get(s.name, 0) + 1
            other |= {n for x in t.statements([s]) if isinstance(x, gast.Nonlocal) for n in x.names}
        elif isinstance(s, gast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], gast.Name):
            assigned.setdefault(s.targets[0].id, []).append(s)
        elif isinstance(s, gast.For) and isinstance(s.target, gast.Name) and isinstance(s.iter, (gast.Tuple, gast.List)):
            assigned.setdefault(s.target.id, []).append(s)
        else:
            other |= set(t.writes(s))
    other |= {n.target.id for n in t.walk(unit.tree) if isinstance(n, gast.NamedExpr)}
    other |= {n for x in t.walk(unit.tree) if isinstance(x, gast.Nonlocal) for n in x.names}
    inner = {n for n, count in functions.items() if count == 1}

    def known(value: Any) -> bool:
        if isinstance(value, gast.For):
            return bool(value.iter.elts) and all(map(known, value.iter.elts))
        if isinstance(value, gast.Assign):
            return known(value.value)
        if isinstance(value, gast.IfExp):
            return known(value.body) and known(value.orelse)
        found = unit.lookup(value)
        return isinstance(value, gast.Lambda) or (isinstance(value, gast.Name) and value.id in inner) or (
            found is not MISSING and callable(found))

    return {name: found for name, found in assigned.items() if name not in other and name not in functions
            and all(map(known, found)) and (len(found) > 1 or isinstance(found[0], gast.For)
                                            or isinstance(found[0].value, gast.IfExp))
            and _only_called(unit.tree, name)}


def _only_called(tree: Any, name: str) -> bool:
    """Whether a name is only called, or an argument of a call."""
    called = {id(part) for n in t.walk(tree) if isinstance(n, gast.Call)
              for part in (n.func, *n.args, *(kw.value for kw in n.keywords))}
    loads = [n for n in t.walk(tree) if t.is_name(n, name) and isinstance(n.ctx, gast.Load)]
    hidden = any(isinstance(n, (gast.FunctionDef, gast.Lambda)) and n is not tree and any(
        p.id == name for p in t.walk(n.args) if isinstance(p, gast.Name)) for n in t.walk(tree))
    return not hidden and all(id(n) in called for n in loads)


class _Choice:
    def __init__(self, unit: Unit, name: str, assignments: list) -> None:
        self.unit, self.name, self.assignments = unit, name, assignments
        self.alternatives: list[Any] = []
        self.texts: list[str] = []

    def run(self) -> None:
        values = [t.clone(s.iter if isinstance(s, gast.For) else s.value) for s in self.assignments]
        before: dict[int, list] = {}
        numbers = [self.number(value, before.setdefault(id(s), []), t.origin_of(s))
                   for value, s in zip(values, self.assignments)]
        if not 1 < len(self.alternatives) <= MOST:
            return
        for s, number in zip(self.assignments, numbers):
            if isinstance(s, gast.For):
                s.iter = number
            else:
                s.value = number
        self.unit.tree.body = _insert(self.unit.tree.body, before)
        _Branches(self.name, self.alternatives).visit(self.unit.tree)

    def number(self, value: Any, before: list, origin: Any) -> Any:
        """The choice as a number; lambdas get a name first."""
        if isinstance(value, gast.IfExp):
            body, orelse = (self.number(part, before, origin) for part in (value.body, value.orelse))
            return gast.copy_location(gast.IfExp(test=value.test, body=body, orelse=orelse), value)
        if isinstance(value, (gast.Tuple, gast.List)):
            value.elts = [self.number(part, before, origin) for part in value.elts]
            return value
        if isinstance(value, gast.Lambda):
            name = self.unit.names.fresh(f"{self.name}_{len(self.alternatives)}")
            place = t.origin_of(value) or origin
            before.append(t.function(name, value.args, [t.return_(value.body, place)], place))
            value = t.load(name)
        text = source.expression_text(value)
        if text not in self.texts:
            self.texts.append(text)
            self.alternatives.append(value)
        return t.const(self.texts.index(text))


def _insert(block: list, before: dict[int, list]) -> list:
    result: list = []
    for s in block:
        if not isinstance(s, gast.FunctionDef):
            t.map_blocks(s, _insert, before)
        result += [*before.get(id(s), []), s]
    return result


class _Branches(t.Transformer):
    def __init__(self, name: str, alternatives: list) -> None:
        self.name, self.alternatives = name, alternatives

    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        parts = [node.func, *node.args, *(kw.value for kw in node.keywords)]
        if not any(t.is_name(part, self.name) for part in parts):
            return node
        chain: Any = None
        for number, function in reversed(list(enumerate(self.alternatives))):
            call = t.clone(node)
            call.func = self.chosen(call.func, function)
            call.args = [self.chosen(a, function) for a in call.args]
            for keyword in call.keywords:
                keyword.value = self.chosen(keyword.value, function)
            test = gast.Compare(left=t.load(self.name), ops=[gast.Eq()], comparators=[t.const(number)])
            chain = call if chain is None else gast.copy_location(gast.IfExp(test=test, body=call, orelse=chain), node)
        return chain

    def chosen(self, node: Any, function: Any) -> Any:
        return gast.copy_location(t.clone(function), node) if t.is_name(node, self.name) else node
