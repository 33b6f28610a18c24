"""Containers: methods of lists, dicts and sets as functions of their values.

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
from sourcegrad.analysis import alias, call_targets
from sourcegrad.analysis.result_types import is_slice
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Unit
from sourcegrad.lowering.branches import rewritten
from sourcegrad.lowering.dicts import HANDLERS, dict_merged, made_by, make_dict, new_defaultdict, with_missing
from sourcegrad.primitives.containers import METHODS
from sourcegrad.primitives.core import changes_place, primitive_of
from sourcegrad.runtime import library


def filled_at_once(block: list) -> set[str]:
    """Lists that one loop fills after they are made, as comprehensions do: nobody else has them before they are complete."""
    found: set[str] = set()
    made: dict[str, Any] = {}                               # name -> the one statement that makes an empty list of it
    for s in block:
        for inner in t.inner_blocks(s):
            found |= filled_at_once(inner)
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.List) and not s.value.elts and t.is_name(s.targets[0]):
            made[s.targets[0].id] = None if s.targets[0].id in made else s
    mentions: dict[str, list[tuple[Any, Any]]] = {}         # name -> what mentions it, with the statement of the block it is in
    for s in block if made else ():
        for x in t.statements([s]):
            for name in made.keys() & {*t.writes(x), *t.header_reads(x)}:
                mentions.setdefault(name, []).append((s, x))
    for name, first in made.items():
        places = [x for _, x in mentions[name]]
        after = mentions[name][places.index(first) + 1:] if first is not None else []
        loop = after[0][0] if after else None
        if isinstance(loop, gast.For) and all(
                x is not loop and t.list_method(x) == (name, "append") and name not in t.reads(x.value.args[0])
                for s, x in after if s is loop) and not any(
                name in t.writes(x) or (t.list_method(x) or ("",))[0] == name
                for s, x in mentions[name] if x is not first and s is not loop):
            found.add(name)
    return found


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
        if isinstance(value, gast.Call) and (before := self.changed_by_items(value)):
            return [*before, s]
        if self.last and isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult):
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

    def changed_by_items(self, value: gast.Call) -> list:
        """`y += xs` of an array and a list: the list is an array there."""
        function, before = self.unit.lookup(value.func), []                               # type: Any, list
        if not t.hashable(function) or function not in t.INPLACE_OF or len(value.args) != 2:
            return before
        changed, items = map(self.facts.of, value.args)
        if isinstance(changed, k.Num) and changed.boxed and isinstance(items, (k.Lst, k.Tup)):
            array = t.call(f"{self.unit.use(np, 'np')}.asarray", value.args[1])
            value.args[1] = self.bind("items", array, before)
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
        if function is collections.defaultdict and not self.unit.function.pure:
            return new_defaultdict(self, s, value)
        if function is operator.ior and self.is_dict(value.args[0]) and isinstance(value.args[0], gast.Name):
            return dict_merged(self, s, *value.args)
        if function is operator.iadd and t.is_name(value.args[0]) and t.is_name(s.targets[0], value.args[0].id) and all(
                isinstance(kind := self.facts.of(x), k.Lst) and not kind.optional for x in value.args):
            return [self.update(value.args[0].id, runtime.list_extend, value.args[1])]
        if function is library.move_items and t.is_name(value.args[0]) and isinstance(self.facts.of(value.args[0]), k.Lst):
            return [self.update(value.args[0].id, runtime.list_move, value.args[1]), *self.result(s, t.const(None))]
        if function is runtime.entry_key and has_entry(*map(self.facts.of, value.args)):
            return self.replaced(s, value.args[1])
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


def has_entry(d: k.Kind | None, key: k.Kind | None) -> bool:
    """Whether a dict certainly has an entry under a key."""
    if isinstance(key, k.Const) and isinstance(d, k.Dct):
        return not d.partial and d.get(key.value) is not None
    return False


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


def check_repeated(state: Containers, value: gast.BinOp) -> None:
    """`[row] * n` holds one row n times: a change of one is a change of all."""
    if any(isinstance(kind, k.Const) and isinstance(kind.value, int) and kind.value < 2
           for kind in map(state.facts.of, (value.left, value.right))):
        return
    for kind in map(state.facts.of, (value.left, value.right)):
        items = [kind.item] if isinstance(kind, k.Lst) else kind.items if isinstance(kind, k.Tup) else []
        arrays = any(isinstance(i, k.Num) and i.boxed for i in items) and changes_shared(state.unit, state.facts, t.reads(value))
        if arrays or any(isinstance(i, (k.Lst, k.Dct, k.Map)) for i in items):
            state.refuse("a list that holds one list, dict or array several times", "Make the items one by one: "
                         "`[make() for _ in range(n)]`.", value)


def changes_shared(unit: Unit, facts: Infer, names: list[str]) -> bool:
    """Whether a function stores into an array that may share memory with some names."""
    changed = [s.value.args[0] for s in t.statements(unit.tree.body)
               if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and changes_place(unit.lookup(s.value.func))]
    if not changed or not all(map(t.is_name, changed)):
        return bool(changed)
    groups = alias.groups(unit.tree.body, unit.parameters, unit, facts.kinds)
    outside = frozenset([alias.ELSEWHERE])
    return any(not groups.get(node.id, outside).isdisjoint(groups.get(name, outside)) for node in changed for name in names)


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


def set_refused(state: Containers, s: Any, call: Any, xs: Any, *args: Any) -> list:
    state.refuse(f"the method '.{call.func.attr}' of a set", "Use add, discard and update.", call)
    return []


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
DICT: dict[str, Callable] = {**plain(dict), **HANDLERS}
TUPLE: dict[str, Callable] = {name: LIST[name] for name in ("index", "count")}
SET: dict[str, Callable] = {
    **plain(set), **dict.fromkeys(("remove", "pop", "clear", "intersection_update", "difference_update",
                                   "symmetric_difference_update"), set_refused)}


def containers(unit: Unit, facts: Infer, last: bool = False) -> bool:
    """Rewrite methods of containers whose kinds are known; whether anything was (then more may be known).

    last: nothing more will be known."""
    state = Containers(unit, facts, last)
    unit.tree.body = rewritten(unit.tree.body, state.statement, facts)
    return state.changed
