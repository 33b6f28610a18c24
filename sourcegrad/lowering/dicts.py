"""Dicts: their methods as functions of their values, missing items of a defaultdict, and loops over dicts that change."""
from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.objects import class_of
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.kinds import results
from sourcegrad.primitives.containers import METHODS
from sourcegrad.primitives.core import changes_place, primitive_of
from sourcegrad.runtime import library
from sourcegrad.syntax.anf import Flatten

ADDING = ("setdefault", "update")
REMOVING = ("pop", "popitem", "clear", "__delitem__")


def make_dict(state: Any, s: gast.Assign, value: gast.Call) -> list:
    if not value.args and not value.keywords:
        return state.replaced(s, gast.Dict(keys=[], values=[]))
    kind = state.facts.of(value.args[0]) if len(value.args) == 1 else None
    if value.keywords or kind in (None, k.ANY) or k.is_held_dict(kind):
        return [s]
    if hasattr(class_of(kind), "keys"):
        pairs: list = []
        value.args = [state.bind("pairs", t.call(state.use(library.mapping_items), value.args[0]), pairs)]
        state.changed = True
        return [*pairs, s]
    if isinstance(kind, k.Counts) or getattr(kind, "made", None):          # a plain dict of the same items
        new: list = []
        entries: Any = state.bind("entries", gast.Dict(keys=[], values=[]), new)
        new.append(t.assign(entries.id, t.call(state.use(runtime.dict_merge), entries, value.args[0]), state.origin))
        return [*new, *state.replaced(s, t.load(entries.id))]
    function = runtime.dict_copy if state.is_dict(value.args[0]) else runtime.dict_from_items
    return state.replaced(s, t.call(state.use(function), value.args[0]))


def dict_merged(state: Any, s: Any, d: Any, other: Any) -> list:
    """d |= other: the same dict, under the name that it has from here on"""
    before: list = []
    if not state.is_dict(other):
        other = state.bind("entries", t.call(state.use(runtime.dict_from_items), other), before)
    same = [] if s.targets[0].id == d.id else [t.assign(s.targets[0].id, t.load(d.id), state.origin)]
    return [*before, state.update(d.id, runtime.dict_merge, other), *same]


def constant_key(kind: k.Kind | None) -> tuple:
    """(the key,) if it is known, else ()."""
    try:
        return (results.constant(kind),) if kind is not None else ()
    except results.Unknown:
        return ()


def dict_get(state: Any, s: Any, call: Any, d: Any, key: Any, default: Any = None) -> list:
    default = t.const(None) if default is None else default
    kind = state.facts.of(d)
    known = constant_key(state.facts.of(key))
    if isinstance(kind, k.Dct) and known and not kind.partial and not kind.made:
        there = kind.get(known[0]) is not None
        adding = not there and any(isinstance(n, gast.Attribute) and n.attr in ADDING for n in t.walk(state.unit.tree))
        if not there and (adding or state.changed) and not state.last:
            return [s]                                       # what is added is known in the next round
        asked: list = []
        if not there:                                        # that it is not there is asked: another name of it may change it
            state.bind("found", gast.Compare(left=t.clone(key), ops=[gast.In()], comparators=[t.clone(d)]), asked)
        return [*asked, *state.replaced(s, t.subscript(d, key) if there else default)]
    if isinstance(k.as_num(state.facts.of(default) or k.ANY), k.Num):
        before: list = []
        found = state.bind("found", gast.Compare(left=t.clone(key), ops=[gast.In()], comparators=[t.clone(d)]), before)
        other = t.assign(t.clone(s.targets[0]), default, state.origin)
        return [*before, t.if_(found, state.replaced(s, t.subscript(d, key)), [other], state.origin)]
    return state.replaced(s, t.call(state.use(runtime.dict_get), d, key, default))


def dict_pop(state: Any, s: Any, call: Any, d: Any, key: Any, default: Any = None) -> list:
    kind = state.facts.of(d)
    known = constant_key(state.facts.of(key))
    sure = isinstance(kind, k.Dct) and known and not kind.partial and kind.get(known[0]) is not None and not (
        taken_before(state, s, key))
    if default is None or sure:
        return [*state.result(s, t.subscript(t.load(d.id), t.clone(key))), state.update(d.id, runtime.dict_delete, key)]
    taken = state.result(s, t.call(state.use(runtime.dict_get), t.load(d.id), t.clone(key), default))
    return [*taken, state.update(d.id, runtime.dict_discard, key)]


def taken_before(state: Any, s: Any, key: Any) -> bool:
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


def dict_setdefault(state: Any, s: Any, call: Any, d: Any, key: Any, default: Any = None) -> list:
    return unless_there(state, s, d, key, [], t.const(None) if default is None else default)


def unless_there(state: Any, s: Any, d: Any, key: Any, before: list, value: Any) -> list:
    """d[key], where a value that some statements compute is stored if there is none."""
    new: list = []
    missing = state.bind("missing", gast.Compare(left=t.clone(key), ops=[gast.NotIn()], comparators=[t.load(d.id)]), new)
    place = t.subscript(t.dotted(f"{state.unit.use(np, 'np')}.s_"), t.clone(key))
    change = state.update(d.id, runtime.index_store, place, value)
    there = t.subscript(t.load(d.id), t.clone(key))
    there.found = True                                       # type: ignore[attr-defined]
    return [*new, t.if_(missing, [*before, change], [], state.origin), *state.result(s, there)]


def dict_update(state: Any, s: Any, call: Any, d: Any, *others: Any, **entries: Any) -> list:
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


def dict_read(state: Any, s: Any, call: Any, d: Any) -> list:
    helper = METHODS[dict][call.func.attr]
    if call.func.attr in ("values", "items"):
        kind = state.facts.of(d)
        always = isinstance(kind, k.Map) or isinstance(kind, k.Dct) and k.as_map(kind).key not in (None, k.ANY, k.DISCRETE)
        instead = by_key(state.unit, state.facts, s, d.id, call.func.attr, always)
        if instead is not None:
            state.instead.update(instead)
            helper = runtime.dict_keys
            called_keys(state, s.targets[0].id, d.id)
    return state.replaced(s, t.call(state.use(helper), d))


def called_keys(state: Any, name: str, d: str) -> None:
    """Call the keys of a dict so, not its items or values."""
    new, facts = state.unit.names.fresh(f"{d}_keys"), state.facts
    facts.local.add(new)
    if name in facts.kinds:
        facts.kinds[new] = facts.kinds[name]
    t.rename(state.unit.tree, {name: new})


def dict_by_library(state: Any, s: Any, call: Any, d: Any, *args: Any, **options: Any) -> list:
    """What OrderedDict says of the order of its items, as a call of a plain function."""
    call.func, call.args = t.load(state.use(getattr(library, call.func.attr))), [call.func.value, *call.args]
    state.changed = True
    return [s]


ORDERED = ("move_to_end", "popitem")
HANDLERS: dict[str, Callable] = {"get": dict_get, "pop": dict_pop, "setdefault": dict_setdefault, "update": dict_update,
                                 **dict.fromkeys(("keys", "values", "items", "copy"), dict_read),
                                 **dict.fromkeys(ORDERED, dict_by_library)}


# --- defaultdict: reading a missing item stores a new one. The kind of the dict tells what makes it, wherever the dict is.
#
# What captures values that change, or have derivatives, is called only where it has a name: by the function that makes the dict.

NEW_ITEMS: dict[Any, Callable[[], gast.expr]] = {
    list: lambda: gast.List(elts=[], ctx=t.LOAD), dict: lambda: gast.Dict(keys=[], values=[]), float: lambda: t.const(0.0),
    int: lambda: t.const(0), tuple: lambda: t.pack([])}


class Apart(Flatten):
    """Takes tests apart, too."""

    def inert(self, node: Any) -> bool:
        return False


def with_missing(state: Any, s: Any) -> list | None:
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


def may_be_missing(state: Any, node: Any) -> bool:
    """Whether an expression reads an item of a defaultdict that may have to be made."""
    if not isinstance(node, gast.Subscript) or not isinstance(node.ctx, gast.Load) or getattr(node, "found", False):
        return False
    kind: Any = state.facts.of(node.value)
    if not isinstance(kind, (k.Dct, k.Map)) or not kind.made:
        return False
    known = constant_key(state.facts.of(node.slice))
    return not (isinstance(kind, k.Dct) and known and not kind.partial and kind.get(known[0]) is not None)


def new_item(state: Any, s: gast.Assign, d: Any, key: Any) -> list:
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


def called(state: Any, name: str) -> gast.Call:
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


def made_by(state: Any) -> dict[str, str]:
    """Dict -> the name of what makes its items: this is assigned where the dict is made, and nowhere else."""
    new = [s for s in t.statements(state.unit.tree.body) if is_new(state, s)]
    apart = {s.targets[0].id for s in new if not getattr(s.value, "own_factory", False)}
    return {s.targets[0].id: s.value.args[0].id for s in new if s.targets[0].id not in apart}


def is_new(state: Any, s: Any) -> bool:
    value = getattr(s, "value", None)
    return isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(value, gast.Call) and bool(value.args) and (
        state.unit.lookup(value.func) is collections.defaultdict)


def new_defaultdict(state: Any, s: gast.Assign, value: gast.Call) -> list:
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
    made = [x.value for x in t.statements(state.unit.tree.body) if is_new(state, x) and t.is_name(x.targets[0], name)]
    own = next((x.args[0].id for x in made if hasattr(x, "own_factory")), None) or state.unit.names.fresh("factory")
    s.value = gast.copy_location(t.call(value.func, t.load(own)), value)
    s.value.own_factory = True                               # type: ignore[attr-defined]
    return [t.assign(own, factory, state.origin), s]


def stays(state: Any, name: str) -> bool:
    """Whether a dict is only read and changed under its name."""
    parent = {id(child): node for node in t.walk(state.unit.tree) for child in gast.iter_child_nodes(node)}

    def is_known(node: Any, user: Any) -> bool:
        if isinstance(user, gast.Call) and user.args[:1] == [node]:
            function = state.unit.lookup(user.func)
            if changes_place(function) or primitive_of(function).mutates == "items":
                return t.writes(parent[id(user)]) == [name]
            return function is len or primitive_of(function).iterates or primitive_of(function).live
        return isinstance(user, gast.Compare) or isinstance(user, gast.Subscript) and user.value is node or isinstance(
            user, gast.Attribute) and user.attr in (*HANDLERS, *METHODS[dict]) and user.attr != "copy"

    return all(is_known(n, parent[id(n)]) for n in t.walk(state.unit.tree) if t.is_name(n, name) and isinstance(n.ctx, gast.Load))


# --- Loops over the values or items of a dict whose body changes these: they are read from the dict, key by key.
#
# `for v in d.values(): v[0] = c` changes d, so the loop goes over the keys, and `v = d[key]` says where v lives.


def by_key(unit: Unit, facts: Infer, s: gast.Assign, holder: str, method: str, always: bool = False) -> dict[int, list] | None:
    """What to put in the place of the statements `x = items[i]` of loops over `items = holder.values()` (or items()) so
    that `items` may be the keys; None where the loops need not know where the values live (or, always, where it is not that)."""
    body = unit.tree.body
    items = _read_only_by(body, s.targets[0].id, lambda value: _called(unit, value) is runtime.sequence)
    if items is None:
        return None
    reads = [x for x in t.statements(body) if items in t.header_reads(x) and not _is_len(x, items)]
    if not reads or not all(_is_item(x, items) for x in reads):
        return None
    loops = [list(t.statements(x.body)) for x in t.statements(body) if isinstance(x, (gast.For, gast.While))]
    inside = {id(x) for loop in loops if s not in loop and any(read in loop for read in reads) for x in loop}
    if any(_rebinds(unit, x, holder, id(x) in inside) for x in t.statements(body) if x is not s):
        return None
    names = {x.targets[0].id for x in reads}
    taken_apart = [x for x in t.statements(body) if method == "items" and _takes_apart(x, names)]
    if method == "items":
        names = {x.targets[0].elts[1].id for x in taken_apart}
    if not always and not any(_changes(unit, facts, x, names) for x in t.statements(body)):
        return None
    instead: dict[int, list] = {}
    for x in reads:
        name = x.targets[0].id
        uses = [y for y in t.statements(body) if name in t.header_reads(y)]
        pair = uses[0] if len(uses) == 1 and uses[0] in taken_apart and _follows(body, x, uses[0]) else None
        instead[id(x)] = _keyed(unit, x, holder, method, pair)
        if pair is not None:
            instead[id(pair)] = []
    return instead


def _follows(block: list, s: Any, other: Any) -> bool:
    """Whether a statement stands just behind another one."""
    return any(one is s and two is other for one, two in zip(block, block[1:])) or any(
        _follows(inner, s, other) for x in block for inner in t.inner_blocks(x))


def _takes_apart(s: Any, names: set[str]) -> bool:
    """Whether a statement is `key, value = pair` of one of these pairs."""
    return isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple) and len(s.targets[0].elts) == 2 and all(
        map(t.is_name, s.targets[0].elts)) and t.is_name(s.value) and s.value.id in names


def _keyed(unit: Unit, s: gast.Assign, holder: str, method: str, pair: gast.Assign | None) -> list:
    """The statements for `s`, which takes a value or an item; pair: what takes the item apart, and nothing else reads it."""
    origin = t.origin_of(s)
    key, part = [name.id for name in pair.targets[0].elts] if pair is not None else ("_", "")
    key = unit.names.fresh("key") if key == "_" else key    # (what is read has a name)
    taken = t.assign(key, s.value, origin)
    value = t.subscript(t.load(holder), t.load(key))
    value.found = True                                       # type: ignore[attr-defined]
    if method == "values":
        return [taken, t.assign(s.targets[0], value, origin)]
    part = part or unit.names.fresh(f"{holder}_i")
    found = [taken, t.assign(part, value, origin)]
    return found if pair is not None else [*found, t.assign(s.targets[0], t.pack([t.load(key), t.load(part)]), origin)]


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


def _rebinds(unit: Unit, s: Any, holder: str, inside: bool) -> bool:
    """Whether a statement makes a name another dict than before. inside: while a loop reads what the dict holds."""
    if holder not in t.writes(s):
        return False
    value = getattr(s, "value", None)
    changed = isinstance(value, gast.Call) and value.args and t.is_name(value.args[0], holder)
    return isinstance(s, gast.For) or not changed and (inside or holder in t.reads(s))


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
