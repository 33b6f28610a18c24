"""Objects of one of a few classes: what depends on the class becomes a branch for each.

`y = layer.forward(x)` is `if isinstance(layer, Dense): y = Dense.forward(layer, x) else: ...`: every callee is known by its
name, and what it changes, too.
"""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import objects
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import MISSING


def branches(spec: Any, s: gast.Assign) -> list | None:
    """The branches that an assignment stands for; None where no class decides."""
    name = decided_by(s.value, spec.unit, spec.facts)
    if name is None:
        return None
    kind = spec.facts.of(t.load(name))
    origin = t.origin_of(s)
    rest: list = []
    first = most_special(kind.items)
    for position, item in reversed(list(enumerate(first))):
        cls = item.cls
        one = spec.unit.names.fresh(f"{name}_{cls.__name__.lower()}")
        helper = spec.unit.use(runtime.as_class, "as_class")
        bound = t.assign(one, t.call(helper, t.load(name), t.load(spec.unit.use(cls, cls.__name__))), origin)
        spec.facts.kinds[one] = item
        spec.facts.local.add(one)
        own = t.clone(s)
        own.value = t.rename(own.value, {name: one})
        block = [bound, *spec.statement(own)]
        if position == len(first) - 1:
            rest = block
            continue
        test = spec.unit.names.fresh("cond")
        spec.facts.kinds[test] = k.BOOL
        spec.facts.local.add(test)
        asked = t.call("isinstance", t.load(name), t.load(spec.unit.use(cls, cls.__name__)))
        rest = [t.assign(test, asked, origin), t.if_(t.load(test), block, rest, origin)]
    return rest


def most_special(items: tuple[k.Obj, ...]) -> list[k.Obj]:
    """Classes before those that they inherit from."""
    result: list[k.Obj] = []
    for item in items:
        position = next((j for j, other in enumerate(result) if issubclass(item.cls, other.cls)), len(result))
        result.insert(position, item)
    return result


def decided_by(value: Any, unit: Any, facts: Any) -> str | None:
    """The name of an object whose class decides what an expression computes."""
    def several(node: Any) -> bool:
        return t.is_name(node) and isinstance(facts.of(node), k.OneOf)

    if isinstance(value, gast.Call):
        function = value.func
        if several(function):
            return function.id
        if isinstance(function, gast.Attribute) and several(function.value) and unit.lookup(function) is MISSING:
            return function.value.id
    if isinstance(value, gast.Attribute) and several(value.value):
        found = [objects.find(item, value.attr, unit) for item in facts.of(value.value).items]
        stored = {item.get(value.attr) is not None for item in facts.of(value.value).items}
        if any(x.sort in ("property", "method", "class", "static", "fallback") for x in found) or len(stored) > 1 and all(
                x.sort == "value" for x in found):
            return value.value.id
    if isinstance(value, gast.Subscript) and several(value.value):
        return value.value.id
    operation = objects.operands(value)
    for node in operation[2] if operation is not None else ():
        if several(node):
            return node.id
    return None


def narrowed(spec: Any, s: gast.If) -> None:
    """`if isinstance(x, C)`: in its branches x is of the classes that the test leaves."""
    test = spec.tests.get(id(s))
    if test is None:
        return
    name, cls = test
    kind, classes = spec.facts.of(t.load(name)), spec.facts.of(cls)
    if not isinstance(kind, k.OneOf):
        return
    known = tuple(c.value for c in (classes.items if isinstance(classes, k.Tup) else [classes]) if isinstance(c, k.Fn))
    if not known or not all(isinstance(c, type) for c in known):
        return
    inside = [item for item in kind.items if issubclass(item.cls, known)]
    outside = [item for item in kind.items if item not in inside]
    for field, items in (("body", inside), ("orelse", outside)):
        block = getattr(s, field)
        if not items or not any(name in t.reads(x) for x in block) or any(name in t.writes(x) for x in t.statements(block)):
            continue
        one = spec.unit.names.fresh(name)
        spec.facts.kinds[one] = k.common(items)
        spec.facts.local.add(one)
        asked = [t.load(spec.unit.use(item.cls, item.cls.__name__)) for item in items]
        helper = spec.unit.use(runtime.as_class, "as_class")
        mark = t.call(helper, t.load(name), asked[0] if len(asked) == 1 else t.pack(asked))
        new = [t.rename(x, {name: one}) for x in block]
        setattr(s, field, [t.assign(one, mark, t.origin_of(s)), *new])


def class_tests(block: list) -> dict[int, tuple[str, Any]]:
    """Branches on `isinstance(x, C)` that was asked just before, while x is what it was."""
    found: dict[int, tuple[str, Any]] = {}
    asked: dict[str, tuple[str, Any]] = {}
    for s in block:
        if isinstance(s, gast.If) and t.is_name(s.test) and s.test.id in asked:
            found[id(s)] = asked[s.test.id]
        for inner in (getattr(s, field, None) for field in t.BLOCKS):
            found.update(class_tests(inner or []))
        written = {n for x in t.statements([s]) for n in t.writes(x)}
        asked = {test: (name, cls) for test, (name, cls) in asked.items() if test not in written and name not in written}
        value = getattr(s, "value", None)
        if isinstance(s, gast.Assign) and isinstance(value, gast.Call) and t.is_name(value.func, "isinstance") and (
                len(value.args) == 2) and t.is_name(value.args[0]) and t.is_name(s.targets[0]):
            asked[s.targets[0].id] = value.args[0].id, value.args[1]
    return found
