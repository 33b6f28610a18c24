"""Class switches: where an object is of one of a few classes, what depends on the class becomes a branch for each.

`y = layer.forward(x)` is `if isinstance(layer, Dense): y = Dense.forward(layer, x) else: ...`: every callee is known by its
name, and what it changes, too.

Tests stay whole: generated code leaves them to Python. What Python calls in them may look at objects, and not change any.

Unreachable code: what never runs, as the kinds say, is not looked into: loops over lists that hold nothing, branches that are
never taken. A leaf of a tree has no children: `for c in self.children: total += c.total()` says nothing about what c would be
there. And where `self.last` is None, `else: d = e - self.last` says nothing about what d would be.
"""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import objects
from sourcegrad.analysis.objects import BINARY, COMPARE, UNARY, changes_something, class_of, static_member
from sourcegrad.analysis.purity import droppable
from sourcegrad.analysis.text_forms import tested
from sourcegrad.analysis.types import Infer, is_empty_dict
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Unit
from sourcegrad.kinds.results import constant_truth
from sourcegrad.primitives.core import primitive_of


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


def entries_let_through(unit: Unit, facts: Infer) -> None:
    """`b = d[name]` before `if name.startswith("w"):` is read again there: by such keys it is of a kind of its own. In place."""
    for block, name, form in tested(unit.tree.body):
        written: set[str] = set()                           # between the read and the branch
        for read in before(unit.tree.body, block):
            value = getattr(read, "value", None)
            if not isinstance(read, gast.Assign) or not t.is_name(read.targets[0]) or not droppable(value, unit):
                break
            if isinstance(value, gast.Subscript) and t.is_name(value.value) and t.is_name(value.slice, name) and not (
                    written & {name, value.value.id, read.targets[0].id}):
                read_again(unit, facts, read, block, form)
            written.update(t.writes(read))


def before(body: list, block: list) -> list:
    """The statements before the branch that a block belongs to, the nearest first."""
    for position, s in enumerate(body):
        for inner in t.inner_blocks(s):
            if inner is block:
                return body[:position][::-1]
            found = before(inner, block)
            if found:
                return found
    return []


def read_again(unit: Unit, facts: Infer, read: gast.Assign, block: list, form: str) -> None:
    """Put the read of an entry into a branch that looks at it, where the keys that the branch is for say more of its kind."""
    name, d = read.targets[0].id, facts.of(read.value.value)
    if not isinstance(d, k.Dct) or d.partial or d.made or not any(name in t.reads(x) for x in t.statements(block)) or any(
            name in t.writes(x) for x in t.statements(block)):
        return
    if not all(isinstance(key, str) for key, _ in d.items):
        return                                              # (the test says nothing of other keys)
    keys = [key for key, _ in d.items if re.fullmatch(form, key, re.S)]
    kind = k.common([d.get(key) or k.ANY for key in keys])
    if kind is None or kind in (k.ANY, facts.kinds.get(name)):
        return
    one = unit.names.fresh(name)
    new = [t.rename(x, {name: one}) for x in block]
    block[:] = [t.assign(one, t.clone(read.value), t.origin_of(read)), *new]
    facts.kinds[one] = kind
    facts.local.add(one)


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


WHOLE = (gast.Compare, gast.BoolOp, gast.UnaryOp, gast.JoinedStr)
PARTS = {gast.Assign: "value", gast.Assert: "test", gast.While: "test", gast.Expr: "value", gast.Raise: "exc"}
ASKING = {"isinstance", "issubclass", "hasattr", "callable", "type", "id", "print"}       # what is given to them is not called
CALLED = {"len": ["len"], "float": ["float", "index"], "int": ["int", "trunc", "index"], "abs": ["abs"], "bool": ["bool", "len"],
          "str": ["str", "repr"], "repr": ["repr"], "round": ["round"]}
OF_CALLS = ("float", "int", "complex", "index", "abs", "round", "floor", "ceil", "trunc", "iter", "next", "getitem", "add", "radd",
            "array", "array_ufunc", "array_function", "reversed", "bool", "len", "str", "repr", "format", "contains", "lt", "gt")


def check_whole(spec: Any, s: Any) -> None:
    """Refuse a statement in which an operator, a property or the like changes its object, and which is not taken apart."""
    node = getattr(s, PARTS.get(type(s), ""), None)
    if node is None or isinstance(node, (gast.Name, gast.Constant)) or spec.unit.function.pure:
        return
    taken_apart = isinstance(s, (gast.Assign, gast.Expr)) and not isinstance(node, WHOLE)
    if taken_apart and all(isinstance(part, (gast.Name, gast.Constant)) for part in t.children(node)):
        return
    for part in t.walk(node):
        if taken_apart and (part is node or part is getattr(node, "func", None)) or isinstance(part, gast.Call) and (
                primitive_of(spec.unit.lookup(part.func)).state):                      # (it asks no object for anything)
            continue
        for owner, names in asked(part):
            kind = spec.facts.of(owner)
            for one in kind.items if isinstance(kind, k.OneOf) else (kind,):
                cls = class_of(one)
                if cls is not None and any(changes_something(_called(cls, name, part), cls) for name in names):
                    shown = source.expression_text(part.value if isinstance(part, gast.FormattedValue) else part)
                    raise UnsupportedError(f"`{shown}`, which changes its object, inside a test",
                                           source.locate(part, t.origin_of(s)), "Assign it to a variable first.")


def decide(facts: Infer, s: gast.Assign) -> None:
    """`limit is not None and error < limit` is `error < limit` where the limit is known to be there."""
    stop = isinstance(s.value.op, gast.Or)
    *first, last = s.value.values
    left = [*(part for part in first if constant_truth(facts.of(part)) is not (not stop)), last]
    if len(left) > 1:
        s.value.values = left
    elif not isinstance(last, (gast.UnaryOp, gast.Call)) or all(isinstance(
            part, (gast.Name, gast.Constant)) for part in t.children(last)):
        s.value = last                                      # (else it is more than one operation)


def check_compared(spec: Any, s: Any) -> None:
    """Refuse to ask whether a function that is defined inside is another one: what stands for it is only what it captures.

    Where the answer is known, it takes the place of the question."""
    node = getattr(s, PARTS.get(type(s), "test"), None)
    for part in t.walk(node) if isinstance(node, WHOLE) else ():
        if not isinstance(part, gast.Compare):
            continue
        kinds = [spec.facts.of(x) for x in (part.left, *part.comparators)]
        searched = [kind for op, kind in zip(part.ops, kinds[1:]) if isinstance(op, (gast.In, gast.NotIn))]
        if not any(isinstance(kind, k.Closure) for kind in (*kinds, *(x for kind in searched if isinstance(kind, (k.Lst, k.Tup))
                                                                      for x in k.parts(kind)))):
            continue
        truth = constant_truth(spec.facts.of(part))
        if truth is None:
            raise UnsupportedError("a comparison of a function that is defined inside", source.locate(part, t.origin_of(s)),
                                   "Compare what tells the functions apart (a name, a flag), or define them outside.")
        if part is getattr(s, "value", None):
            s.value = t.const(truth)


def _called(cls: type, name: str, node: Any) -> Any:
    """The function that is called to get an attribute, or that is a method."""
    found = static_member(cls, name)
    if not isinstance(node, gast.Attribute):
        return found
    return found.fget if isinstance(found, property) else static_member(cls, "__getattr__") if found is MISSING else found


def asked(node: Any) -> list[tuple[Any, list[str]]]:
    """The operands of an expression, and the methods of theirs that Python may call."""
    pairs: list[tuple[Any, list[str]]] = []
    if isinstance(node, (gast.Name, gast.Constant)):
        return pairs
    if isinstance(node, gast.BinOp):
        name = BINARY[type(node.op)]
        pairs = [(node.left, [name]), (node.right, [f"r{name}"])]
    elif isinstance(node, gast.UnaryOp):
        pairs = [(node.operand, [UNARY[type(node.op)]] if type(node.op) in UNARY else ["bool", "len"])]
    elif isinstance(node, gast.BoolOp):
        pairs = [(x, ["bool", "len"]) for x in node.values]
    elif isinstance(node, gast.IfExp):
        pairs = [(node.test, ["bool", "len"])]
    elif isinstance(node, gast.Compare):
        sides = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, sides, sides[1:]):
            if isinstance(op, (gast.In, gast.NotIn)):
                pairs.append((right, ["contains", "iter", "getitem"]))
            elif type(op) in COMPARE:
                pairs += [(left, [COMPARE[type(op)][0]]), (right, [COMPARE[type(op)][1]])]
    elif isinstance(node, gast.Subscript):
        pairs = [(node.value, ["getitem"])]
    elif isinstance(node, gast.Call) and getattr(node.func, "id", "") not in ASKING:
        pairs = [(x, CALLED.get(getattr(node.func, "id", ""), [*OF_CALLS])) for x in node.args]
    elif isinstance(node, gast.FormattedValue):
        pairs = [(node.value, ["format", "str", "repr"])]
    elif isinstance(node, gast.Attribute):
        return [(node.value, [node.attr])]
    return [(owner, [f"__{name}__" for name in names]) for owner, names in pairs]


PROBLEM = "this list was empty when the code was generated"


def vacant(unit: Unit, facts: Infer) -> bool:
    """Put a test that the list is empty in the place of such loops, and the other branch in that of such branches. Whether
    there are any."""
    values = _assigned(unit)
    found: list = []

    def new(s: Any) -> list:
        truth = constant_truth(facts.of(s.test)) if isinstance(s, gast.If) and not t.is_stop(s) else None
        if truth is not None:
            found.append(s)
            return s.body if truth else s.orelse
        items = _items(s.iter, values) if isinstance(s, gast.For) else None
        if items is None or not _empty(facts.of(items)):
            return [s]
        found.append(s)
        origin = t.origin_of(s)
        problem = t.call("AssertionError", t.const(PROBLEM))
        return [t.if_(t.load(items.id), [t.at(gast.Raise(exc=problem, cause=None), origin)], [], origin)]

    unit.tree.body = t.rewritten(unit.tree.body, new)
    return bool(found)


def is_vacant(loop: Any, unit: Unit, facts: Infer) -> bool:
    """Whether a loop goes over a dict that is made empty, and stays so."""
    values = _assigned(unit) if isinstance(loop, gast.For) else {}
    items = _items(loop.iter, values) if values else None
    made = _value(items, values) if items is not None else None
    of_dicts = (runtime.dict_keys, runtime.dict_values, runtime.dict_items)
    return isinstance(made, gast.Call) and unit.lookup(made.func) in of_dicts and is_empty_dict(facts, made.args[0])


def _assigned(unit: Unit) -> dict[str, list]:
    """The values that each name is given."""
    values: dict[str, list] = {}
    for s in t.statements(unit.tree.body):
        for name in t.writes(s):
            values.setdefault(name, []).append(getattr(s, "value", None))
    return values


def _items(node: Any, values: dict[str, list]) -> Any:
    """The name of the list whose items `range(len(items))` counts; names that are assigned once stand for what they are."""
    for function in ("range", "len"):
        node = _value(node, values)
        if not isinstance(node, gast.Call) or not t.is_name(node.func, function) or len(node.args) != 1:
            return None
        node = node.args[0]
    return node if isinstance(node, gast.Name) else None


def _value(node: Any, values: dict[str, list]) -> Any:
    found = values.get(node.id, []) if isinstance(node, gast.Name) else []
    return found[0] if len(found) == 1 and found[0] is not None else node


def _empty(kind: k.Kind | None) -> bool:
    return isinstance(kind, k.Lst) and kind.item is None and not kind.optional


# --- Rewriting of what can run: branches that cannot, with the kinds as they are known, are not looked into.

def rewritten(block: list, new: Callable[[Any], list], facts: Infer) -> list:
    """As `tree.rewritten`. What is left out is rewritten later if more is known by then, or goes (`specialise`)."""
    result: list = []
    for s in block:
        truth = constant_truth(facts.of(s.test)) if isinstance(s, gast.If) and not is_stop(s) else None
        for field in t.BLOCKS:
            inner = getattr(s, field, None)
            runs = truth is None or truth is (field == "body")
            if inner and isinstance(inner, list) and runs:
                setattr(s, field, rewritten(inner, new, facts))
        result += new(s)
    return result
