"""Containers: methods of lists, dicts and sets, and loops over dicts that change, as functions of their values.

What changes a container becomes a function that gives the changed one, `xs = list_insert(xs, i, v)`; the memory pass sees to
it that everybody who holds the list reads the new one (what has `mutates="items"`).
"""
from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.result_types import is_slice
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.kinds import results
from sourcegrad.lowering.branches import rewritten
from sourcegrad.primitives.containers import METHODS
from sourcegrad.primitives.core import changes_place, primitive_of
from sourcegrad.syntax.anf import Flatten


def filled_at_once(block: list) -> set[str]:
    """Lists that one loop fills after they are made, as comprehensions do: nobody else has them before they are complete."""
    found: set[str] = set()
    for position, s in enumerate(block):
        for inner in t.inner_blocks(s):
            found |= filled_at_once(inner)
        if not isinstance(s, gast.Assign) or not isinstance(s.value, gast.List) or s.value.elts or not t.is_name(s.targets[0]):
            continue
        name = s.targets[0].id
        loop = next((x for x in block[position + 1:] if name in t.header_reads(x) or name in t.writes(x) or _inside(x, name)), None)
        if isinstance(loop, gast.For) and name not in t.header_reads(loop) and all(
                t.list_method(x) == (name, "append") and name not in t.reads(x.value.args[0]) for x in _inside(loop, name)) and (
                not any(name in t.writes(x) or (t.list_method(x) or ("",))[0] == name
                        for x in t.statements(block) if x is not s and x not in _inside(loop, name))):
            found.add(name)
    return found


def _inside(s: Any, name: str) -> list:
    """The statements in the blocks of one that mention a name."""
    return [x for inner in t.inner_blocks(s) for x in t.statements(inner) if name in t.writes(x) or name in t.header_reads(x)]


class Containers:
    def __init__(self, unit: Unit, facts: Infer, last: bool) -> None:
        self.unit, self.facts = unit, facts
        self.changed = False
        self.last = last
        self.parts = {n for s in t.statements(unit.tree.body) if isinstance(s, gast.Assign) and (
            isinstance(s.targets[0], gast.Tuple) or not isinstance(s.value, (gast.List, gast.Name, gast.BinOp, gast.Constant)))
            for n in t.writes(s) if isinstance(s.targets[0], gast.Tuple) or not self.is_new_list(s.value)} | set(unit.parameters)
        self.parts |= self.given_away(aliases=last)
        self.parts -= filled_at_once(unit.tree.body)
        self.read = {n for s in t.statements(unit.tree.body) for n in t.header_reads(s)}
        self.shortened = {found[0] for s in t.statements(unit.tree.body) if (found := t.list_method(s)) and found[1] == "pop"}
        self.instead: dict[int, list] = {}
        self.origin: Any = None

    def is_new_list(self, value: Any) -> bool:
        return isinstance(value, gast.Call) and (t.list_method(gast.Assign(targets=[], value=value)) is None) and (
            self.unit.lookup(value.func) in (list, sorted, MISSING) and not isinstance(value.func, gast.Attribute)
            or primitive_of(self.unit.lookup(value.func)).mutates == "items")

    def given_away(self, aliases: bool) -> set[str]:
        """Lists that a function with source is given: what it saves of its arguments must stay as it is.

        aliases: lists with a second name, too."""
        found: set[str] = set()
        for s in t.statements(self.unit.tree.body) if not self.unit.function.pure else ():
            value = getattr(s, "value", None)
            if aliases and isinstance(s, gast.Assign) and isinstance(value, gast.Name) and isinstance(self.facts.of(value), k.Lst):
                found |= {value.id, *t.writes(s)}
            if isinstance(value, gast.Call) and any(
                    isinstance(self.facts.of(a), k.Lst) for a in value.args if isinstance(a, gast.Name)):
                target = call_targets.target_of(value, self.unit, self.facts.of)
                if target.function is not None:
                    found.update(a.id for a in target.operands if isinstance(a, gast.Name))
        return found

    def statement(self, s: Any) -> list:
        self.origin = t.origin_of(s)
        if id(s) in self.instead:
            return self.instead[id(s)]
        if (new := with_missing(self, s)) is not None:
            return new
        found = t.list_method(s)
        if found is not None:
            return core_method(self, s, found)
        if not isinstance(s, gast.Assign) or not isinstance(s.targets[0], gast.Name):
            return [s]
        value = s.value
        if isinstance(value, gast.BinOp) and isinstance(value.op, gast.BitOr) and all(
                self.is_dict(x) for x in (value.left, value.right)):
            return self.replaced(s, t.call(self.use(runtime.dict_union), value.left, value.right))
        if isinstance(value, gast.BinOp):
            before = self.with_array(value)
            if before:
                return [*before, s]
        if isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult):
            check_repeated(self, value)
        if self.last and self.of_exception(value):
            return self.replaced(s, t.call(self.use(runtime.carried), value))
        if not isinstance(value, gast.Call):
            return [s]
        if isinstance(value.func, gast.Attribute) and isinstance(value.func.value, gast.Constant):
            return self.text(s, value)
        if isinstance(value.func, gast.Attribute) and self.unit.lookup(value.func) is MISSING and isinstance(
                value.func.value, gast.Name):
            return self.method(s, value, value.func.value, value.func.attr)
        before = self.plain_keys(value) if self.last else []
        return [*before, *self.function(s, value, self.unit.lookup(value.func))]

    def of_exception(self, value: Any) -> bool:
        """Whether a value is what a caught exception carries."""
        reads = isinstance(value, gast.Call) and self.unit.lookup(value.func) is getattr and value.args
        owner = value.args[0] if reads else value.value if isinstance(value, gast.Attribute) else None
        kind = self.facts.of(owner) if isinstance(owner, gast.Name) else None
        return isinstance(kind, k.Obj) and kind.is_caught

    def plain_keys(self, call: gast.Call) -> list:
        """What is stored under a key of unknown kind: that the key is no number with a derivative is seen when the code runs."""
        function = self.unit.lookup(call.func)
        if not (primitive_of(function).keyed or changes_place(function)) or len(call.args) < 2:
            return []
        stored = isinstance(call.args[1], gast.Subscript)                # np.s_[key]
        key = call.args[1].slice if stored else call.args[1]
        if not t.is_name(key) or self.facts.of(key) is not k.ANY or stored and not self.is_dict(call.args[0]):
            return []
        before: list = []
        plain = self.bind("key", t.call(self.use(runtime.plain_key), t.load(key.id)), before)
        call.args[1] = t.rename(call.args[1], {key.id: plain.id})                        # type: ignore[attr-defined]
        self.changed = True
        return before

    @functools.cached_property
    def made_by(self) -> dict[str, str]:
        return made_by(self)

    # --- helpers

    def use(self, function: Any) -> str:
        return self.unit.use(function, function.__name__)

    def is_dict(self, node: Any) -> bool:
        return isinstance(self.facts.of(node), (k.Dct, k.Map))

    def replaced(self, s: gast.Assign, value: gast.expr) -> list:
        s.value = value
        self.changed = True
        return [s]

    def bind(self, base: str, value: gast.expr, before: list) -> gast.expr:
        name = self.unit.names.fresh(base)
        before.append(t.assign(name, value, self.origin))
        return t.load(name)

    def refuse(self, what: str, remedy: str, node: Any = None) -> NoReturn:
        raise UnsupportedError(what, source.locate(node, self.origin) if node is not None else self.origin, remedy)

    def update(self, name: str, function: Any, *args: gast.expr) -> gast.Assign:
        """name = function(name, ...): a change of the object that the name holds."""
        if name not in self.facts.local:
            self.refuse(f"'{name}' from outside changes", "Pass it as an argument and return the new one.")
        self.changed = True
        return t.assign(name, t.call(self.use(function), t.load(name), *args), self.origin)

    def result(self, s: gast.Assign, value: gast.expr) -> list:
        """The statement for the value of the call, if anybody looks at it."""
        self.changed = True
        if s.targets[0].id not in self.read:
            return []
        return [t.assign(s.targets[0].id, value, self.origin)]

    def with_array(self, value: gast.BinOp) -> list:
        """A list or tuple in arithmetic with an array is an array, too; lists themselves can only be added and multiplied."""
        before: list = []
        sure = isinstance(value.op, (gast.Sub, gast.Div, gast.MatMult, gast.Pow))
        for side, other in (("left", value.right), ("right", value.left)):
            node, kind = getattr(value, side), k.as_num(self.facts.of(other) or k.ANY)
            array = isinstance(kind, k.Num) and (kind.boxed or kind.dtype not in ("pyint", "pyfloat", "pycomplex", "pybool"))
            listed = isinstance(self.facts.of(node), (k.Lst, k.Tup))
            if listed and isinstance(kind, k.Num) and array and isinstance(value.op, gast.Mult) and not kind.boxed and (
                    kind.is_discrete or kind.dtype is None):
                if not kind.is_discrete or kind.boxed is None:           # that it is an integer shows when the code runs
                    count = t.call(self.use(runtime.repeat_count), t.clone(other))
                    setattr(value, "right" if side == "left" else "left", self.bind("count", count, before))
                    self.changed = True
                continue
            if listed and (array or sure and self.facts.of(other) is k.ANY):
                array = t.call(f"{self.unit.use(np, 'np')}.asarray", node)
                setattr(value, side, self.bind("items", array, before))
                self.changed = True
        return before

    def text(self, s: gast.Assign, value: gast.Call) -> list:
        """Methods of text give text: the numbers in it have no derivative."""
        kind = self.facts.of(value.func.value)
        text = kind is not None and k.is_text(kind)
        if text and value.func.attr in ("format", "join", "format_map"):
            name = self.unit.use(runtime.text_of, "text_of")
            keywords = {kw.arg: kw.value for kw in value.keywords if kw.arg is not None}
            if len(keywords) == len(value.keywords):
                method = t.const(value.func.attr)
                return self.replaced(s, t.call(name, value.func.value, method, *value.args, **keywords))
        return [s]

    # --- calls of functions

    def function(self, s: gast.Assign, value: gast.Call, function: Any) -> list:
        if function is MISSING or not hashable(function):
            return [s]
        if changes_place(function):
            return self.store(s, value)
        if function is dict:
            return make_dict(self, s, value)
        if function is collections.defaultdict:
            return new_defaultdict(self, s, value)
        if function is operator.ior and self.is_dict(value.args[0]) and isinstance(value.args[0], gast.Name):
            return dict_merged(self, s, *value.args)
        if function is operator.iadd and t.is_name(value.args[0]) and t.is_name(s.targets[0], value.args[0].id) and all(
                isinstance(kind := self.facts.of(x), k.Lst) and not kind.optional for x in value.args):
            return [self.update(value.args[0].id, runtime.list_extend, value.args[1])]
        if function is sum and value.args and self.holds_lists(self.facts.of(value.args[0])):
            joined = t.call(self.use(runtime.join_lists), value.args[0])
            if len(value.args) == 1 or self.facts.of(value.args[1]) == k.Lst(None):
                return self.replaced(s, joined)
        if primitive_of(function).iterates and any(self.is_dict(a) for a in value.args):
            before: list = []
            value.args = [self.bind(f"{a.id}_keys" if isinstance(a, gast.Name) else "keys",
                                    t.call(self.use(runtime.dict_keys), a), before) if self.is_dict(a) else a for a in value.args]
            self.changed = True
            return [*before, s]
        return [s]

    def holds_lists(self, kind: k.Kind | None) -> bool:
        items = [kind.item] if isinstance(kind, k.Lst) else kind.items if isinstance(kind, k.Tup) else []
        return bool(items) and all(isinstance(item, k.Lst) for item in items)

    def store(self, s: gast.Assign, value: gast.Call) -> list:
        """xs[i:j] = values of a list"""
        base, where, new = value.args
        slices = isinstance(where, gast.Subscript) and is_slice(where.slice, self.facts.of)
        if not slices or not isinstance(self.facts.of(base), k.Lst):
            return [s]
        return self.replaced(s, t.call(self.use(runtime.list_splice), base, where, new))

    def method(self, s: gast.Assign, call: gast.Call, receiver: gast.Name, name: str) -> list:
        kind = self.facts.of(receiver)
        if name in ("format", "join", "format_map"):
            return self.text(s, call)
        if isinstance(kind, k.Lst):
            table, what = LIST, "a list"
        elif isinstance(kind, (k.Dct, k.Map)):
            if isinstance(kind, k.Counts) and name not in ("get", "keys", "values", "items", "__delitem__"):
                return [s]
            table, what = DICT, "a dict"
        elif isinstance(kind, k.Tup):
            table, what = TUPLE, "a tuple"
        elif isinstance(kind, k.Obj) and kind.cls is set:
            table, what = SET, "a set"
        elif kind is k.ANY and name == "append" and self.last and receiver.id in self.facts.local:
            table, what = LIST, "a list"                    # which it is, is checked when it runs
        else:
            return [s]
        handler = table.get(name)
        if handler is None:
            if what in ("a set", "a tuple"):
                return [s]
            self.refuse(f"the method '.{name}' of {what}", "Write it with other methods of lists and dicts.", call)
        if any(isinstance(a, gast.Starred) for a in call.args) or any(kw.arg is None for kw in call.keywords):
            self.refuse(f"`*` or `**` in a call of '.{name}' of {what}", "Pass the arguments one by one.", call)
        return handler(self, s, call, receiver, *call.args, **{kw.arg: kw.value for kw in call.keywords})


# --- methods: each gives the statements in the place of `s`, which calls it (`call`) on the first argument


def core_method(state: Containers, s: Any, found: tuple[str, str]) -> list:
    """xs.append(v) and xs.pop() stay, unless the list is somebody else's (then it is replaced there)."""
    name, method = found
    kind = state.facts.kinds.get(name)
    if state.unit.function.pure and method == "pop" and isinstance(s, gast.Expr) and name in state.facts.local:
        state.changed = True                             # what restores a list
        return [t.assign(state.unit.names.fresh("unused"), s.value, state.origin)]
    if state.unit.function.pure and method == "pop" and t.writes(s)[0] in state.shortened:
        state.changed = True                             # off a tape: the forward sweep may still have it
        target = t.writes(s)[0]
        whole = state.unit.names.fresh(f"{target}_whole")
        own = t.assign(target, t.call(state.use(list), t.load(whole)), state.origin)
        known = isinstance(kind := state.facts.kinds.get(target), k.Lst) and not kind.optional
        there = gast.Compare(left=t.load(whole), ops=[gast.IsNot()], comparators=[t.const(None)])
        return [t.assign(whole, s.value, state.origin),
                own if known else t.if_(there, [own], [t.assign(target, t.const(None), state.origin)], state.origin)]
    if state.unit.function.pure or name not in state.facts.local:
        return [s]
    if isinstance(kind, k.Obj) and kind.cls is set:
        state.refuse("`.pop()` of a set", "Which item it takes is not defined: use a list.")
    if isinstance(kind, k.Lst) and method == "pop" and isinstance(s, gast.Expr) and name not in state.parts:
        state.changed = True                             # the value is not used, but it has an adjoint
        return [t.assign(state.unit.names.fresh("unused"), s.value, state.origin)]
    unknown = kind is k.ANY and state.last               # what it is, is checked when it runs
    if not unknown and (not isinstance(kind, k.Lst) or name not in state.parts):
        return [s]
    if method == "append":
        return [state.update(name, runtime.list_append, s.value.args[0])]
    taken = [] if isinstance(s, gast.Expr) else [t.assign(
        s.targets[0].id, t.subscript(t.load(name), t.const(-1)), state.origin)]
    return [*taken, state.update(name, runtime.list_delete, t.const(-1))]


def make_dict(state: Containers, s: gast.Assign, value: gast.Call) -> list:
    if not value.args and not value.keywords:
        return state.replaced(s, gast.Dict(keys=[], values=[]))
    kind = state.facts.of(value.args[0]) if len(value.args) == 1 else None
    if value.keywords or kind in (None, k.ANY):
        return [s]
    if isinstance(kind, k.Counts) or getattr(kind, "made", None):          # a plain dict of the same items
        new: list = []
        entries: Any = state.bind("entries", gast.Dict(keys=[], values=[]), new)
        new.append(t.assign(entries.id, t.call(state.use(runtime.dict_merge), entries, value.args[0]), state.origin))
        return [*new, *state.replaced(s, t.load(entries.id))]
    function = runtime.dict_copy if state.is_dict(value.args[0]) else runtime.dict_from_items
    return state.replaced(s, t.call(state.use(function), value.args[0]))


def dict_merged(state: Containers, s: Any, d: Any, other: Any) -> list:
    """d |= other: the same dict, under the name that it has from here on"""
    before: list = []
    if not state.is_dict(other):
        other = state.bind("entries", t.call(state.use(runtime.dict_from_items), other), before)
    same = [] if s.targets[0].id == d.id else [t.assign(s.targets[0].id, t.load(d.id), state.origin)]
    return [*before, state.update(d.id, runtime.dict_merge, other), *same]


def check_repeated(state: Containers, value: gast.BinOp) -> None:
    """`[row] * n` holds one row n times: a change of one is a change of all."""
    for kind in map(state.facts.of, (value.left, value.right)):
        items = [kind.item] if isinstance(kind, k.Lst) else kind.items if isinstance(kind, k.Tup) else []
        arrays = any(isinstance(i, k.Num) and i.boxed for i in items) and any(
            isinstance(x, gast.Assign) and isinstance(x.value, gast.Call) and changes_place(state.unit.lookup(x.value.func))
            for x in t.statements(state.unit.tree.body))
        if arrays or any(isinstance(i, (k.Lst, k.Dct, k.Map)) for i in items):
            state.refuse("a list that holds one list, dict or array several times", "Make the items one by one: "
                         "`[make() for _ in range(n)]`.", value)


def changing(helper: Callable) -> Callable:
    """A method that changes what it is called on, and gives None."""
    return lambda state, s, call, xs, *args: [state.update(xs.id, helper, *args), *state.result(s, t.const(None))]


def reading(helper: Callable) -> Callable:
    """A method that is a function of what it is called on."""
    return lambda state, s, call, xs, *args: state.replaced(s, t.call(state.use(helper), xs, *args))


def whole(state: Containers) -> gast.expr:
    everything = gast.Slice(lower=None, upper=None, step=None)
    return t.subscript(t.dotted(f"{state.unit.use(np, 'np')}.s_"), everything)


def backwards(items: Any) -> gast.expr:
    return t.subscript(items, gast.Slice(lower=None, upper=None, step=t.const(-1)))


def rearranged(state: Containers, s: Any, xs: Any, name: str, items: Any, before: list) -> list:
    """The list holds other items from here on."""
    items = state.bind(name, items, before)
    return [*before, state.update(xs.id, runtime.list_splice, whole(state), items), *state.result(s, t.const(None))]


def list_pop(state: Containers, s: Any, call: Any, xs: Any, position: Any = None) -> list:
    position = t.const(-1) if position is None else position
    taken = t.subscript(t.load(xs.id), t.clone(position))
    return [*state.result(s, taken), state.update(xs.id, runtime.list_delete, position)]


def list_remove(state: Containers, s: Any, call: Any, xs: Any, value: Any) -> list:
    before: list = []
    position = state.bind("position", t.call(state.use(runtime.position_of), t.load(xs.id), value), before)
    return [*before, state.update(xs.id, runtime.list_delete, position), *state.result(s, t.const(None))]


def list_sort(state: Containers, s: Any, call: Any, xs: Any, reverse: Any = None, key: Any = None) -> list:
    options = {} if reverse is None else {"reverse": reverse}
    if key is not None and not (isinstance(key, gast.Constant) and key.value is None):
        state.refuse("this form of '.sort' with a key", "Write xs.sort(key=...) as a statement of its own.", call)
    return rearranged(state, s, xs, "ordered", t.call(state.use(sorted), t.load(xs.id), **options), [])


def list_rotate(state: Containers, s: Any, call: Any, xs: Any, steps: Any = None) -> list:
    before: list = []
    steps = t.const(1) if steps is None else steps
    order = state.bind("order", t.call(state.use(runtime.rotated_positions), t.load(xs.id), steps), before)
    return rearranged(state, s, xs, "rotated", t.call(state.use(runtime.reorder), t.load(xs.id), order), before)


def list_extendleft(state: Containers, s: Any, call: Any, xs: Any, values: Any) -> list:
    before: list = []
    items = state.bind("values", t.call(state.use(runtime.sequence), values), before)
    items = state.bind("backwards", backwards(items), before)
    start = t.subscript(t.dotted(f"{state.unit.use(np, 'np')}.s_"), gast.Slice(lower=t.const(0), upper=t.const(0), step=None))
    return [*before, state.update(xs.id, runtime.list_splice, start, items), *state.result(s, t.const(None))]


def dict_get(state: Containers, s: Any, call: Any, d: Any, key: Any, default: Any = None) -> list:
    default = t.const(None) if default is None else default
    kind = state.facts.of(d)
    known = constant_key(state.facts.of(key))
    if isinstance(kind, k.Dct) and known and not kind.partial and not kind.made:
        there = kind.get(known[0]) is not None
        adding = not there and any(isinstance(n, gast.Attribute) and n.attr in ADDING for n in t.walk(state.unit.tree))
        if adding and not state.last:
            return [s]                                       # what these add is known in the next round
        return state.replaced(s, t.subscript(d, key) if there else default)
    if isinstance(k.as_num(state.facts.of(default) or k.ANY), k.Num):
        before: list = []
        found = state.bind("found", gast.Compare(left=t.clone(key), ops=[gast.In()], comparators=[t.clone(d)]), before)
        other = t.assign(t.clone(s.targets[0]), default, state.origin)
        return [*before, t.if_(found, state.replaced(s, t.subscript(d, key)), [other], state.origin)]
    return state.replaced(s, t.call(state.use(runtime.dict_get), d, key, default))


def dict_pop(state: Containers, s: Any, call: Any, d: Any, key: Any, default: Any = None) -> list:
    kind = state.facts.of(d)
    known = constant_key(state.facts.of(key))
    sure = isinstance(kind, k.Dct) and known and not kind.partial and kind.get(known[0]) is not None and not (
        taken_before(state, s, key))
    if default is None or sure:
        return [*state.result(s, t.subscript(t.load(d.id), t.clone(key))), state.update(d.id, runtime.dict_delete, key)]
    taken = state.result(s, t.call(state.use(runtime.dict_get), t.load(d.id), t.clone(key), default))
    return [*taken, state.update(d.id, runtime.dict_discard, key)]


def taken_before(state: Containers, s: Any, key: Any) -> bool:
    """Whether another statement, or this one in a loop, may have taken a key out of a dict."""
    body = state.unit.tree.body
    if any(x is s for loop in t.statements(body) if isinstance(loop, (gast.For, gast.While)) for x in t.statements(loop.body)):
        return True
    made = [x.value for x in t.statements(body) if x is not s and isinstance(getattr(x, "value", None), gast.Call)]
    named = [c for c in made if isinstance(c.func, gast.Attribute) and c.func.attr in REMOVING]
    known = [c for c in made if state.is_dict(c.args[0] if c.args else None) and (
        found := primitive_of(state.unit.lookup(c.func))).mutates == "items" and not found.puts]
    return any(not isinstance(a, gast.Constant) or t.same(a, key) for a in [
        *(c.args[0] if c.args else None for c in named), *(c.args[1] if len(c.args) > 1 else None for c in known)])


def dict_setdefault(state: Containers, s: Any, call: Any, d: Any, key: Any, default: Any = None) -> list:
    return unless_there(state, s, d, key, [], t.const(None) if default is None else default)


def unless_there(state: Containers, s: Any, d: Any, key: Any, before: list, value: Any) -> list:
    """d[key], where a value that some statements compute is stored if there is none."""
    new: list = []
    missing = state.bind("missing", gast.Compare(left=t.clone(key), ops=[gast.NotIn()], comparators=[t.load(d.id)]), new)
    place = t.subscript(t.dotted(f"{state.unit.use(np, 'np')}.s_"), t.clone(key))
    change = state.update(d.id, runtime.index_store, place, value)
    there = t.subscript(t.load(d.id), t.clone(key))
    there.found = True                                       # type: ignore[attr-defined]
    return [*new, t.if_(missing, [*before, change], [], state.origin), *state.result(s, there)]


def dict_update(state: Containers, s: Any, call: Any, d: Any, *others: Any, **entries: Any) -> list:
    before: list = []
    for other in others:
        if state.facts.of(other) in (None, k.ANY):
            return [s]
        if not state.is_dict(other):
            other = state.bind("entries", t.call(state.use(runtime.dict_from_items), other), before)
        before.append(state.update(d.id, runtime.dict_merge, other))
    if entries:
        display = gast.Dict(keys=[t.const(name) for name in entries], values=list(entries.values()))
        before.append(state.update(d.id, runtime.dict_merge, state.bind("entries", display, before)))
    return [*before, *state.result(s, t.const(None))]


def dict_read(state: Containers, s: Any, call: Any, d: Any) -> list:
    helper = METHODS[dict][call.func.attr]
    if call.func.attr in ("values", "items"):
        instead = by_key(state.unit, state.facts, s, d.id, call.func.attr)
        if instead is not None:
            state.instead.update(instead)
            helper = runtime.dict_keys
    return state.replaced(s, t.call(state.use(helper), d))


def set_refused(state: Containers, s: Any, call: Any, xs: Any, *args: Any) -> list:
    state.refuse(f"the method '.{call.func.attr}' of a set", "Use add, discard and update.", call)
    return []


def constant_key(kind: k.Kind | None) -> tuple:
    """(the key,) if it is known, else ()."""
    try:
        return (results.constant(kind),) if kind is not None else ()
    except results.Unknown:
        return ()


def plain(cls: type) -> dict[str, Callable]:
    """The methods of a container that are functions of it."""
    return {name: (changing if primitive_of(f).mutates else reading)(f) for name, f in METHODS[cls].items()}


LIST: dict[str, Callable] = {
    **plain(list),
    "pop": list_pop, "popleft": lambda state, s, call, xs: list_pop(state, s, call, xs, t.const(0)),
    "appendleft": lambda state, s, call, xs, value: LIST["insert"](state, s, call, xs, t.const(0), value),
    "remove": list_remove, "sort": list_sort, "rotate": list_rotate, "extendleft": list_extendleft,
    "reverse": lambda state, s, call, xs: rearranged(state, s, xs, "backwards", backwards(t.load(xs.id)), []),
    "clear": lambda state, s, call, xs: LIST["__delitem__"](state, s, call, xs, whole(state))}
DICT: dict[str, Callable] = {
    **plain(dict), "get": dict_get, "pop": dict_pop, "setdefault": dict_setdefault, "update": dict_update,
    **dict.fromkeys(("keys", "values", "items", "copy"), dict_read)}
TUPLE: dict[str, Callable] = {name: LIST[name] for name in ("index", "count")}
SET: dict[str, Callable] = {
    **plain(set), **dict.fromkeys(("remove", "pop", "clear", "intersection_update", "difference_update",
                                   "symmetric_difference_update"), set_refused)}


# --- defaultdict: reading a missing item stores a new one. The kind of the dict tells what makes it, wherever the dict is.
#
# What captures values that change, or have derivatives, is called only where it has a name: by the function that makes the dict.

NEW_ITEMS: dict[Any, Callable[[], gast.expr]] = {
    list: lambda: gast.List(elts=[], ctx=t.LOAD), dict: lambda: gast.Dict(keys=[], values=[]), float: lambda: t.const(0.0),
    int: lambda: t.const(0), tuple: lambda: t.pack([])}
DEFAULT_ADVICE = "Write `if k not in d: d[k] = ...` before it."


class Apart(Flatten):
    """Takes tests apart, too."""

    def inert(self, node: Any) -> bool:
        return False


def with_missing(state: Containers, s: Any) -> list | None:
    """The statements for one that reads items of defaultdicts; None for others."""
    headers = [value for field, value in gast.iter_fields(s) if field not in t.BLOCKS and isinstance(value, gast.AST)]
    if state.unit.function.pure or not any(may_be_missing(state, n) for part in headers for n in t.walk(part)):
        return None
    if isinstance(s, gast.Assign) and may_be_missing(state, s.value) and isinstance(s.targets[0], gast.Name):
        return new_item(state, s, s.value.value, s.value.slice)
    if not isinstance(s, (gast.Assign, gast.Assert, gast.Expr)):
        state.refuse("an item of a defaultdict in this statement", "Assign it to a variable first.")
    state.changed = True
    return Apart(state.unit).block([s])


def may_be_missing(state: Containers, node: Any) -> bool:
    """Whether an expression reads an item of a defaultdict that may have to be made."""
    if not isinstance(node, gast.Subscript) or not isinstance(node.ctx, gast.Load) or getattr(node, "found", False):
        return False
    kind: Any = state.facts.of(node.value)
    if not isinstance(kind, (k.Dct, k.Map)) or not kind.made:
        return False
    known = constant_key(state.facts.of(node.slice))
    return not (isinstance(kind, k.Dct) and known and not kind.partial and kind.get(known[0]) is not None)


def new_item(state: Containers, s: gast.Assign, d: Any, key: Any) -> list:
    made = state.facts.of(d).made                            # type: ignore[union-attr]
    before: list = []
    name = state.made_by.get(d.id)
    if isinstance(made, k.Fn) and hashable(made.value) and made.value in NEW_ITEMS:
        value = NEW_ITEMS[made.value]()
    elif name is not None:
        value = called(state, name)
    elif isinstance(made, k.Fn):
        value = t.call(state.use(made.value) if hasattr(made.value, "__name__") else state.unit.use(made.value, "factory"))
    elif lasting(made):
        value = t.call(state.bind("factory", t.call(state.use(runtime.default_factory), t.load(d.id)), before))
    elif not state.last:
        return [s]
    else:                                                    # one branch has made another dict
        s.value.found = True                                 # type: ignore[attr-defined]
        state.bind("unused", t.call(state.use(runtime.check_item), t.load(d.id), t.clone(key)), before)
        return [*before, s]
    if isinstance(value, gast.Call):
        value.stands = True                                  # type: ignore[attr-defined]
        value = state.bind("new", value, before)
    return unless_there(state, s, d, key, before, value)


def called(state: Containers, name: str) -> gast.Call:
    """A call of a function by its name; of what captures names that stay as they are, with these for arguments."""
    body = list(t.statements(state.unit.tree.body))
    value: Any = t.load(name)
    while isinstance(value, gast.Name) and len(made := [s for s in body if value.id in t.writes(s)]) == 1:
        value = getattr(made[0], "value", None)
    maker = state.unit.lookup(value.func) if isinstance(value, gast.Call) else None
    written = [n for s in body for n in t.writes(s)]
    if isinstance(maker, Maker) and not maker.keywords and all(isinstance(a, gast.Constant) or t.is_name(a) and (
            written.count(a.id) == (a.id not in state.unit.parameters)) for a in value.args):
        return t.call(state.unit.use(maker.function, "factory"), *t.clone(value.args))
    return t.call(name)


def lasting(made: k.Kind) -> bool:
    """Whether a function captures nothing that changes or has a derivative."""
    plain = isinstance(made, k.Closure) and all(k.is_discrete(item) and (
        isinstance(item, (k.Const, k.Fn, k.Discrete)) or isinstance(item, k.Num) and not item.boxed) for item in made.items)
    return isinstance(made, k.Fn) or plain


def made_by(state: Containers) -> dict[str, str]:
    """Dict -> the name of what makes its items: assigned only just before each call of defaultdict that makes the dict."""
    made: dict[str, set] = {}
    pairs: dict[str, int] = {}

    def block(statements: list) -> None:
        for position, s in enumerate(statements):
            for inner in t.inner_blocks(s):
                block(inner)
            if is_new(state, s):
                factory = s.value.args[0].id if t.is_name(s.value.args[0]) else ""
                made.setdefault(s.targets[0].id, set()).add(factory)
                if position and t.writes(statements[position - 1]) == [factory]:
                    pairs[factory] = pairs.get(factory, 0) + 1

    block(state.unit.tree.body)
    written = [n for s in t.statements(state.unit.tree.body) for n in t.writes(s)] if made else []
    return {name: factory for name, (factory, *more) in made.items() if not more and written.count(factory) == pairs.get(factory)}


def is_new(state: Containers, s: Any) -> bool:
    value = getattr(s, "value", None)
    return isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(value, gast.Call) and bool(value.args) and (
        state.unit.lookup(value.func) is collections.defaultdict)


def new_defaultdict(state: Containers, s: gast.Assign, value: gast.Call) -> list:
    factory = value.args[0] if value.args else t.const(None)
    kind = state.facts.of(factory)
    if kind is None or any(isinstance(a, gast.Starred) for a in value.args) or any(w.arg is None for w in value.keywords):
        return [s]
    if kind == k.Const(None):
        return make_dict(state, s, t.call(state.use(dict), *value.args[1:], **{w.arg: w.value for w in value.keywords}))
    if len(value.args) > 1 or value.keywords:
        more = t.call(t.attribute(t.load(s.targets[0].id), "update"), *value.args[1:])
        more.keywords, value.keywords, value.args = value.keywords, [], [factory]
        state.changed = True
        return [s, t.assign(state.unit.names.fresh("unused"), gast.copy_location(more, value), state.origin)]
    name = s.targets[0].id
    if isinstance(kind, k.Fn):
        return [s]
    if not stays(state, name):
        if lasting(kind):
            k.lose(kind)                                     # it is called where only the dict is known
            return [s]
        state.refuse("a defaultdict whose function captures values that change or have derivatives, and that others see",
                     "Write `if k not in d: d[k] = ...`, with a dict.", value)
    if name in state.made_by:                               # and only there, by its name
        return state.replaced(s, gast.Dict(keys=[], values=[])) if state.last else [s]
    state.changed = True
    return [t.assign(own := state.unit.names.fresh("factory"), factory, state.origin),
            t.assign(name, t.call(value.func, t.load(own)), state.origin)]


def stays(state: Containers, name: str) -> bool:
    """Whether a dict is only read and changed under its name."""
    parent = {id(child): node for node in t.walk(state.unit.tree) for child in gast.iter_child_nodes(node)}
    for node in t.walk(state.unit.tree):
        if not t.is_name(node, name) or not isinstance(node.ctx, gast.Load):
            continue
        user = parent[id(node)]
        function = state.unit.lookup(user.func) if isinstance(user, gast.Call) else None
        primitive = primitive_of(function)
        if not (isinstance(user, gast.Subscript) and user.value is node or isinstance(user, gast.Compare)
                or isinstance(user, gast.Attribute) and user.attr in DICT and user.attr != "copy" or function is not MISSING and (
                    function is len or changes_place(function) or primitive.iterates or primitive.live
                    or primitive.mutates == "items") and user.args[0] is node):
            return False
    return True


ADDING = ("setdefault", "update")
REMOVING = ("pop", "popitem", "clear", "__delitem__")


def containers(unit: Unit, facts: Infer, last: bool = False) -> bool:
    """Rewrite methods of containers whose kinds are known; whether anything was (then more may be known).

    last: nothing more will be known."""
    state = Containers(unit, facts, last)
    unit.tree.body = rewritten(unit.tree.body, state.statement, facts)
    return state.changed


# --- Loops over the values or items of a dict whose body changes these: they are read from the dict, key by key.
#
# `for v in d.values(): v[0] = c` changes d, so the loop goes over the keys, and `v = d[key]` says where v lives.


def by_key(unit: Unit, facts: Infer, s: gast.Assign, holder: str, method: str) -> dict[int, list] | None:
    """What to put in the place of the statements `x = items[i]` of loops over `items = holder.values()` (or items()) so
    that `items` may be the keys; None where the loops need not know where the values live."""
    body = unit.tree.body
    items = _read_only_by(body, s.targets[0].id, lambda value: _called(unit, value) is runtime.sequence)
    if items is None:
        return None
    reads = [x for x in t.statements(body) if items in t.header_reads(x) and not _is_len(x, items)]
    if not reads or not all(_is_item(x, items) for x in reads):
        return None
    if any(_rebinds(unit, x, holder) for x in t.statements(body) if x is not s):
        return None
    names = {x.targets[0].id for x in reads}
    if method == "items":
        names = {x.targets[0].elts[1].id for x in t.statements(body) if isinstance(x, gast.Assign)
                 and isinstance(x.targets[0], gast.Tuple) and len(x.targets[0].elts) == 2
                 and isinstance(x.value, gast.Name) and x.value.id in names}
    if not any(_changes(unit, facts, x, names) for x in t.statements(body)):
        return None
    return {id(x): _keyed(unit, x, holder, method) for x in reads}


def _keyed(unit: Unit, s: gast.Assign, holder: str, method: str) -> list:
    origin = t.origin_of(s)
    key = unit.names.fresh("key")
    taken = t.assign(key, s.value, origin)
    value = t.subscript(t.load(holder), t.load(key))
    if method == "values":
        return [taken, t.assign(s.targets[0], value, origin)]
    part = unit.names.fresh(f"{holder}_i")
    return [taken, t.assign(part, value, origin), t.assign(s.targets[0], t.pack([t.load(key), t.load(part)]), origin)]


def _read_only_by(body: list, name: str, test: Any) -> str | None:
    """The name that the one statement that reads a name assigns, if that is a call of some kind."""
    reads = [x for x in t.statements(body) if name in t.header_reads(x)]
    if len(reads) != 1 or not isinstance(reads[0], gast.Assign) or not isinstance(reads[0].targets[0], gast.Name):
        return None
    target = reads[0].targets[0].id
    writes = sum(target in t.writes(x) for x in t.statements(body))
    return target if test(reads[0].value) and writes == 1 else None


def _called(unit: Unit, value: Any) -> Any:
    return unit.lookup(value.func) if isinstance(value, gast.Call) else None


def _is_len(s: Any, items: str) -> bool:
    value = getattr(s, "value", None)
    return isinstance(value, gast.Call) and t.is_name(value.func, "len") and t.is_name(value.args[0], items)


def _is_item(s: Any, items: str) -> bool:
    value = getattr(s, "value", None)
    return isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and isinstance(value, gast.Subscript) and (
        t.is_name(value.value, items) and isinstance(value.slice, gast.Name))


def _rebinds(unit: Unit, s: Any, holder: str) -> bool:
    """Whether a statement makes a name another dict than before."""
    if holder not in t.writes(s):
        return False
    value = getattr(s, "value", None)
    changed = isinstance(value, gast.Call) and value.args and t.is_name(value.args[0], holder)
    return isinstance(s, gast.For) or not changed and any(holder in t.reads(x) for x in [s])


def _changes(unit: Unit, facts: Infer, s: Any, names: set[str]) -> bool:
    """Whether a statement may change what one of the names holds."""
    found = t.list_method(s)
    if found is not None:
        return found[0] in names
    value = getattr(s, "value", None)
    if not isinstance(value, gast.Call):
        return False
    function = unit.lookup(value.func)
    mine = [a for a in value.args if isinstance(a, gast.Name) and a.id in names]
    if function is MISSING or isinstance(value.func, gast.Attribute) and t.is_name(value.func.value):
        receiver = getattr(value.func, "value", None)
        mine += [receiver] if isinstance(receiver, gast.Name) and receiver.id in names else []
    numbers = all(isinstance(kind, k.Num) and kind.is_scalar for kind in (k.as_num(facts.of(a) or k.ANY) for a in mine))
    if not mine or numbers:
        return False
    kinds = [k.as_num(facts.of(a) or k.ANY) for a in mine]
    if primitive_of(function).mutates in ("place", "attribute") or function in INPLACE_OF:
        return True
    known = function is not MISSING and not hasattr(function, "__code__") and not hasattr(function, "tree")
    return not known and any(not isinstance(kind, k.Num) for kind in kinds)
