"""What both sweeps are written with: names of adjoints, zeros, tapes, and what saves a place that is overwritten."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.intervals import has_place
from sourcegrad.analysis.tbr import ROOT, Plan
from sourcegrad.analysis.types import Infer
from sourcegrad.analysis.zero_guards import Guards
from sourcegrad.errors import Origin
from sourcegrad.ir import tree as t
from sourcegrad.parse.try_ import Attempt


class Sweeps:
    """The two sweeps of one function, as far as they share names."""

    def __init__(self, facts: Infer, activity: Activity, plan: Plan, guards: Guards | None, pair: Callable,
                 prepare: Callable, everything: bool = False) -> None:
        self.everything = everything
        self.facts, self.activity, self.plan = facts, activity, plan
        self.pair, self.prepare = pair, prepare
        self.unit = facts.unit
        self.guards = guards
        self.varied = activity.varied
        self.bars: dict[str, str] = {}
        self.tapes: list[str] = []
        self.depth = 0
        self.branching = 0                                   # branches around the statement at hand
        self.contexts: list[list] = []
        self.given = given_names(facts)
        written = Counter(n for s in t.statements(self.unit.tree.body) for n in t.writes(s))
        self.renewed = {n for n, count in written.items() if count > 1}  # a list of that name may be put away as it is
        self.empty = frozenset(self.unit.unset)                      # names that are None until they are assigned
        self.unit.unset.update(self.given)

    def kind(self, name: str) -> k.Kind:
        return k.as_num(self.facts.kinds.get(name, k.ANY))

    def bar(self, name: str) -> str:
        """The adjoint of a name."""
        if name not in self.bars:
            self.bars[name] = self.unit.names.fresh(f"{name}_bar")
            self.unit.adjoints[self.bars[name]] = name
        return self.bars[name]

    def helper(self, function: Any) -> str:
        return self.unit.use(function, function.__name__)

    def numpy(self, path: str) -> str:
        import numpy
        return f"{self.unit.use(numpy, 'np')}.{path}"

    def zero(self, name: str) -> gast.expr:
        """A zero adjoint for the value that a name holds now: None on the first trip of some loops."""
        kind = self.kind(name)
        if isinstance(kind, k.Num) and not kind.is_scalar and any(name in names for names in self.plan.unset.values()):
            return t.call(self.helper(runtime.zeros_like), t.load(name))
        return self.zero_of(name)

    def zero_of(self, name: str) -> gast.expr:
        """A zero adjoint for the value that a name certainly holds."""
        kind = self.kind(name)
        if (isinstance(kind, k.Num) and kind.is_scalar) or kind == k.Const(None) or (
                isinstance(kind, (k.Obj, k.OneOf)) and k.is_discrete(kind)):
            return t.const(0.0)
        if name in self.given:
            return t.call(self.helper(runtime.zeros_if_given), t.load(name))
        boxed = isinstance(kind, k.Num) and kind.boxed and name not in self.empty
        if boxed and kind.dtype == "float64":                                                      # type: ignore[attr-defined]
            return t.call(self.numpy("zeros"), t.attribute(t.load(name), "shape"))
        if boxed:
            return t.call(self.numpy("zeros_like"), t.load(name))
        if k.is_object(kind):
            return gast.Dict(keys=[], values=[])
        return t.call(self.helper(runtime.zeros_like), t.load(name))

    def zero_at(self, name: str, s: Any) -> gast.expr:
        """A zero adjoint for the value that a name has before or after a branch or loop, if it has one."""
        if name in self.plan.sure[id(s)]:
            return self.zero_of(name)
        kind = self.kind(name)
        if isinstance(kind, k.Num) and kind.is_scalar or kind == k.Const(None):
            return t.const(0.0)
        if k.is_object(kind):
            return gast.Dict(keys=[], values=[])
        home = self.plan.home[name]
        inside = home[0] in map(id, t.statements([s]))     # then there is none before s
        for block in [home, ROOT] if inside else [home]:
            names = self.plan.unset.setdefault(block, [])
            if name not in names:
                names.append(name)                    # None until assigned
        return t.call(self.helper(runtime.zeros_like), t.load(name))

    def unset(self, key: tuple, origin: Origin | None) -> list:
        """Names that an iteration may push before anything was assigned to them."""
        names = self.plan.unset.get(key, ())
        self.unit.unset.update(names)
        return [t.assign(n, t.const(None), origin) for n in names]

    def tape(self, name: str) -> str:
        tape = self.unit.names.fresh(f"{name}_tape")
        self.tapes.append(tape)
        self.unit.tapes.add(tape)
        return tape

    def save(self, name: str, origin: Origin | None) -> tuple[gast.stmt, gast.stmt]:
        """Statements that put a value away and bring it back."""
        if self.depth:
            tape = self.tape(name)
            return (t.effect(t.method(tape, "append", t.load(name)), origin),
                    t.assign(name, t.method(tape, "pop"), origin))
        saved = self.unit.names.fresh(f"{name}_saved")
        return t.assign(saved, t.load(name), origin), t.assign(name, t.load(saved), origin)

    def stored_place(self, s: gast.Assign) -> Any:
        """The index or path i of `x = index_set(x, i, v)`: all else in x stays, so only x[i] need be put away."""
        value = s.value
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) in (runtime.index_set, runtime.index_add) and (
                isinstance(s.targets[0], gast.Name) and t.is_name(value.args[0], s.targets[0].id)) and not self.everything:
            return value.args[1] if has_place(self.facts, value.args[0], value.args[1]) else None
        return None

    def save_place(self, name: str, place: Any, s: gast.Assign) -> tuple[list, list]:
        """Put away what a store overwrites, and bring it back: the cost is that of the store."""
        origin = t.origin_of(s)
        old = self.unit.names.fresh(f"{name}_old")
        if isinstance(place, gast.Subscript) and isinstance(place.value, gast.Attribute) and place.value.attr == "s_":
            part: gast.expr = t.subscript(t.load(name), t.clone(place.slice))
        else:
            part = t.call(self.helper(runtime.item_at), t.load(name), t.clone(place))
        kind = self.facts.of(part) or k.ANY
        self.facts.kinds.setdefault(old, kind)
        if isinstance(kind, k.Num) and kind.dims:
            part = t.call(self.numpy("copy"), part)               # the store changes what a view shows
        taken = t.assign(old, part, origin)
        if self.depth:
            tape = self.tape(old)
            saving = [taken, t.effect(t.method(tape, "append", t.load(old)), origin)]
            restoring = [t.assign(old, t.method(tape, "pop"), origin)]
        else:
            saving, restoring = [taken], []
        back = t.call(self.helper(runtime.index_set), t.load(name), t.clone(place), t.load(old))
        return saving, [*restoring, t.assign(name, back, origin)]



def given_names(facts: Infer) -> set[str]:
    """Names of what attempts give, None where an exception was caught: taken from the outcome, perhaps packed again, or put
    on a list and taken from there. (The halves of a generated gradient keep it so.)"""
    whole: set[str] = set()                              # names of such values, and of lists of them
    parts: dict[str, set[int]] = {}                      # names of tuples, and of lists of them -> where in them they are
    statements = list(t.statements(facts.unit.tree.body))
    for s in statements:
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and isinstance(facts.unit.lookup(s.value.func), Attempt):
            parts.update({n: set(range(2, 12)) for n in t.writes(s)})

    def passed(source_: Any, targets: list[str], single: bool) -> None:
        if isinstance(source_, gast.Tuple):
            found = {j for j, item in enumerate(source_.elts) if isinstance(item, gast.Name) and item.id in whole}
            parts.update({n: parts.get(n, set()) | found for n in targets if found and single})
        elif isinstance(source_, gast.Name) and not single:
            whole.update(n for j, n in enumerate(targets) if j in parts.get(source_.id, ()))
        elif isinstance(source_, gast.Name) and lists & {source_.id, *targets}:
            whole.update(targets if source_.id in whole else ())
            parts.update({n: parts[source_.id] for n in targets if source_.id in parts})

    found = [(s, t.list_method(s)) for s in statements]
    lists = {method[0] for _, method in found if method is not None}
    for _ in statements if parts else ():
        size = len(whole), sum(map(len, parts.values())), len(parts)
        for s, method in found:
            if method is not None and method[1] == "append":
                passed(s.value.args[0], [method[0]], True)
            elif isinstance(s, gast.Assign):
                taken = t.load(method[0]) if method is not None and method[1] == "pop" else s.value
                passed(taken, t.writes(s), isinstance(s.targets[0], gast.Name))
        if size == (len(whole), sum(map(len, parts.values())), len(parts)):
            break
    return whole - lists
