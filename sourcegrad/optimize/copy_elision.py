"""Copy elision: copies where they cost least, results under their names, lists that are taken back."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.alias import OUTSIDE, TWICE, WITHIN, Holdings, Ownership, Storage
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import Unit
from sourcegrad.kinds.results import NUMPY_2
from sourcegrad.primitives.adjoint_kinds import NARROW

ONE_BY_ONE, ROUNDS = 12, 16              # one copy may make others needless; but each asks for the storage of all names again
LARGE = 1000


def copy_elision(unit: Unit, tree: Any, parameters: list[str], facts: Infer, by_identity: bool = False) -> None:
    """Copy once, where the sharing begins, rather than at every store.

    by_identity: where one array may be at several places is only known when the code runs: then each must stay itself."""
    storage = None
    holdings = Holdings(unit, facts)
    if by_identity or not any(isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
                              and isinstance(s.targets[0], gast.Name) and holdings.updated(s) is not None
                              for s in t.statements(tree.body)):
        return
    for number in range(ROUNDS):
        storage = Storage(unit, facts, storage).run(tree.body, parameters)
        most = 1 if number < ONE_BY_ONE else LARGE
        if not _Copies(unit, tree, parameters, facts, storage).resolved(most):
            return


class _Copies:
    def __init__(self, unit: Unit, tree: Any, parameters: list[str], facts: Infer, storage: Storage) -> None:
        self.unit, self.tree, self.parameters, self.facts, self.storage = unit, tree, parameters, facts, storage
        self.assigned: dict[str, list[tuple[int, Any]]] = {}            # the assignments to each name, with their order
        for order, s in enumerate(t.statements(tree.body)):
            if isinstance(s, gast.Assign):
                for name in t.writes(s):
                    self.assigned.setdefault(name, []).append((order, s))

    def resolved(self, most: int) -> bool:
        """Resolve so many of the conflicts that a copy resolves, the first ones; whether there were any."""
        found = 0
        for s in list(t.statements(self.tree.body)):
            others = self.storage.conflicts.get(id(s))
            if not others or not isinstance(s.value, gast.Call):
                continue
            base = s.value.args[0].id
            shared = self.definition(s, base, others) if self.array(base) else None
            if shared is None and not self.array(base) and others & {OUTSIDE, WITHIN, TWICE} and self.container(s, base):
                found += 1
                if found == most:
                    break
            if shared is not None:
                self.copy(*shared)
                found += 1
                if found == most:
                    break
        return found > 0

    def container(self, s: Any, base: str) -> bool:
        """Copy a container before the loop in which it changes, with what it holds if that changes."""
        group, starts, depth = {base}, [], self.storage.depth[id(s)]
        todo = [base]
        while todo:
            name = todo.pop()
            for _, d in self.assigned.get(name, ()):
                source = self.storage.holdings.updated(d) if isinstance(d.targets[0], gast.Name) else ""
                source = d.value.id if source is None and t.is_name(d.value) else source
                if source == "":
                    return False
                if source is None:
                    starts.append(d)
                elif source not in group:
                    group.add(source)
                    todo.append(source)
        given = [name for name in self.parameters if name in group]
        if depth == 0 or any(self.storage.depth[id(d)] >= depth for d in starts) or not (starts or given):
            return False
        function = runtime.own_parts if self.storage.holdings.deep(s) else runtime.another
        helper = self.unit.use(function, function.__name__)
        if any(isinstance(d.value, gast.Call) and t.is_name(d.value.func, helper) for d in starts):
            return False
        for name in given:
            start = self.start_of(name)
            self.tree.body.insert(start, t.assign(name, t.call(helper, t.load(name)), t.origin_of(self.tree.body[start])))
        for d in starts:
            d.value = t.call(helper, d.value)
        return True

    def array(self, name: str) -> bool:
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        return isinstance(kind, k.Num) and kind.boxed is not False

    def definition(self, s: Any, base: str, others: set[str]) -> tuple[Any, str] | None:
        """The statement that makes one name share the memory of another, in as few loops as possible."""
        candidates: list[tuple[tuple, Any, str]] = []
        if OUTSIDE in others:
            return self.entrance(base)
        depth = self.storage.depth[id(s)]
        for name in sorted(filter(self.array, {base, *others})):
            last = (name == base) == (len(others) == 1)          # of several that share with it, it is the one to copy
            for order, d in self.assigned.get(name, ()):
                view = isinstance(d.value, gast.Subscript)
                level = self.storage.depth.get(id(d), 0)
                if level <= depth and d is not s and name in t.writes(d) and self.sharing(d) and not self.constant(d):
                    candidates.append(((level - view, not view, last, order), d, name))
        if not candidates:
            return None
        _, d, name = min(candidates, key=lambda c: c[0])
        return d, name

    def entrance(self, base: str) -> tuple[Any, str] | None:
        """Where memory of others, or memory that cannot be written into, comes to a name."""
        group = {base}
        while True:
            more = {n for d in t.statements(self.tree.body) if isinstance(d, gast.Assign) and group & set(t.writes(d))
                    and self.sharing(d) for n in self.storage.holdings.held(d.value)} - group
            if not more:
                break
            group |= more
        for d in t.statements(self.tree.body):
            if isinstance(d, gast.Assign) and OUTSIDE in self.storage.holdings.held(d.value):
                for name in filter(group.__contains__, t.writes(d)):
                    found = (d, name) if self.array(name) else self.taken_from(name, group)
                    if found is not None:
                        return found
        for name in self.parameters:
            if name not in group or self.scalar(name) or self.owned_at_start(name):
                continue
            if self.array(name):
                return None, name
            found = self.taken_from(name, group)
            if found is not None:
                return found
        return None

    def taken_from(self, container: str, group: set[str]) -> tuple[Any, str] | None:
        """Where an array is taken out of a container."""
        for d in t.statements(self.tree.body):
            if isinstance(d, gast.Assign) and container in self.storage.holdings.held(d.value) and self.sharing(d):
                for name in t.writes(d):
                    if name in group and self.array(name):
                        return d, name
        return None

    def scalar(self, name: str) -> bool:
        return self.storage.values.is_scalar(name)

    def owned_at_start(self, name: str) -> bool:
        first = [s for s in self.tree.body if isinstance(s, gast.Assign) and t.is_name(s.targets[0], name)][:1]
        return bool(first) and isinstance(first[0].value, gast.Call) and first[0].value.func is not None and (
            self.storage.values.fresh(first[0].value) and name in t.reads(first[0].value))

    def sharing(self, d: gast.Assign) -> bool:
        value = d.value
        if isinstance(d.targets[0], gast.Name) and self.storage.holdings.updated(d) is not None:
            return False
        return t.list_method(d) is not None or not self.storage.values.fresh(value) or OUTSIDE in self.storage.holdings.held(value)

    def constant(self, d: gast.Assign) -> bool:
        return isinstance(d.value, gast.Constant)

    def asked(self) -> set[str]:
        """Arrays of which reshapes must be views, and those that they are views of."""
        group: set[str] = set()
        for s in t.statements(self.tree.body):
            if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and self.unit.lookup(s.value.func) is (
                    runtime.same_memory):
                group.update(t.reads(s.value))
        size = 0
        while group and size != len(group):
            size = len(group)
            for d in t.statements(self.tree.body):
                if isinstance(d, gast.Assign) and group & set(t.writes(d)):
                    group |= self.storage.holdings.held(d.value)
        return group

    def checked(self, d: gast.Assign, name: str) -> None:
        """A copy of an array with gaps, or that lies backwards, would lie otherwise: it is refused when the code runs."""
        block = t.block_of(self.tree.body, d)
        given = self.unit.names.fresh(f"{name}_shared")
        self.facts.kinds[given] = self.facts.kinds.get(name, k.ANY)
        self.facts.local.add(given)
        test = t.call(self.unit.use(runtime.check_dense, "check_dense"), t.load(given), t.const(True))
        position = block.index(d)
        block[position:position] = [t.assign(given, d.value, t.origin_of(d)),
                                    t.assign(self.unit.names.fresh("unused"), test, t.origin_of(d))]
        d.value = t.load(given)

    def copy(self, d: Any, name: str) -> None:
        if d is not None and isinstance(d.targets[0], gast.Name) and self.first_sweep(d) and name in self.asked():
            self.checked(d, name)
        if d is None:
            start = self.start_of(name)
            first = self.tree.body[start]
            self.tree.body.insert(start, t.assign(name, self.copied(t.load(name), name), t.origin_of(first)))
            return
        if isinstance(d.targets[0], gast.Tuple):
            given = self.unit.names.fresh(f"{name}_shared")                 # another name: from here on it is not shared
            if name in self.facts.kinds:
                self.facts.kinds[given] = self.facts.kinds[name]
            self.facts.local.add(given)
            d.targets[0] = t.rename(d.targets[0], {name: given})
            block = t.block_of(self.tree.body, d)
            new = t.assign(name, t.load(given), t.origin_of(d))
            block.insert(block.index(d) + 1, new)
            if self.first_sweep(d) and name in self.asked():
                self.checked(new, name)
            new.value = self.copied(new.value, name)
            return
        d.value = spread(d.value, self.facts.kinds.get(name), self.unit, self.facts) or self.copied(d.value, name)

    def copied(self, value: Any, name: str) -> Any:
        """A copy of an array. Where `op=` asks whether it is one, a number stays a number: np.copy makes an array of it."""
        kind = k.as_num(self.facts.kinds.get(name, k.ANY))
        if not (isinstance(kind, k.Num) and kind.boxed) and any(
                isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and s.value.args and t.is_name(s.value.args[0], name)
                and self.unit.lookup(s.value.func) is runtime.renewed for s in t.statements(self.tree.body)):
            return t.call(self.unit.use(runtime.own, "own"), value)
        return t.call(f"{self.unit.use(np, 'np')}.copy", value)

    def first_sweep(self, d: Any) -> bool:
        """Whether a statement stands in the forward sweep: there it is tested what is a view."""
        return any(x is d for x in t.statements(t.sweeps(self.tree).forward))

    def start_of(self, name: str) -> int:
        """Where the life of a parameter begins: the adjoint that a reverse half is given, with the reverse sweep."""
        forward, reverse = t.sweeps(self.tree)
        if not reverse or any(name in t.header_reads(s) for s in t.statements(forward)):
            return self.after_checks()
        return len(forward) + 1

    def after_checks(self) -> int:
        """Arguments are compared as they were given, before any of them is copied."""
        guards = (runtime.own, runtime.check_dense, runtime.check_places)
        found = [j for j, s in enumerate(self.tree.body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
                 and self.unit.lookup(s.value.func) in guards]
        return found[-1] + 1 if found else 0


# --- The last word on what is returned: `as_gradient(g, x)` goes where g certainly is a fit and new array.

def conversion_elision(unit: Unit, tree: Any, parameters: list[str], facts: Infer) -> None:
    """Drop conversions of gradients that change nothing."""
    last = tree.body[-1]
    if isinstance(last, gast.Return) and any(isinstance(x, gast.Call) and unit.lookup(x.func) is runtime.as_gradient
                                             for x in t.walk(last)):
        displays = _displays(tree)
        held = {id(made) for made in displays.values()}
        before = [s for s in tree.body if id(getattr(s, "value", None)) not in held]        # (a dict that goes shares nothing)
        ownership = Ownership(unit, facts.kinds).run(before, parameters)
        ownership.owned |= _sole_views(tree, ownership)
        last.value = _finished(last.value, unit, facts, ownership, set(), displays)
        for s in [s for s in reversed(tree.body[:-1]) if id(getattr(s, "value", None)) in held]:
            if not any(s.targets[0].id in t.header_reads(x) for x in t.statements(tree.body)):
                tree.body.remove(s)


def _displays(tree: Any) -> dict[str, gast.Dict]:
    """The dicts that are made just before the end, for what is returned."""
    reads = Counter(n for s in t.statements(tree.body) for n in t.header_reads(s))
    made: dict[str, gast.Dict] = {}
    for s in reversed(tree.body[:-1]):
        if not (isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(s.value, gast.Dict)):
            break
        if reads[s.targets[0].id] == 1:
            made[s.targets[0].id] = s.value
    return made


def _sole_views(tree: Any, ownership: Ownership) -> set[str]:
    """Names of views of new arrays that nothing else reads."""
    reads = [n for s in t.statements(tree.body) for n in t.header_reads(s)]
    found = set()
    for name, value in single_values(tree).items():
        if isinstance(value, (gast.Subscript, gast.Attribute)) and isinstance(value.value, gast.Name):
            base = value.value.id
            if reads.count(base) == 1 and ownership.defined.get(base):
                found.add(name)
    return found


def _finished(value: Any, unit: Unit, facts: Infer, ownership: Ownership, seen: set[str],
              displays: dict[str, gast.Dict] | None = None) -> Any:
    if isinstance(value, gast.Tuple):
        value.elts = [_finished(item, unit, facts, ownership, seen, displays) for item in value.elts]
        return value
    if not (isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.as_gradient):
        seen.update(t.reads(value))
        return value
    gradient, x = value.args
    made = gradient if isinstance(gradient, gast.Dict) else (displays or {}).get(getattr(gradient, "id", ""))
    if made is not None:
        return _entries(made, x, unit, facts, ownership, seen, displays) or value
    filled = _filled(gradient, x, unit, facts)
    if filled is not None:
        return filled
    have, want = (k.as_num(facts.of(n) or k.ANY) for n in (gradient, x))
    if not isinstance(have, k.Num) or not isinstance(want, k.Num):
        return value
    if not NUMPY_2 and want.dtype not in ("float64", "complex128", "pyfloat", "pycomplex"):
        return value                                         # the form of an expression, which still changes, decides on its dtype
    if want.is_scalar:
        return gradient if have.is_scalar and _same_number(have, want) else value
    sized = have.dims is not None and want.dims is not None and len(have.dims) == len(want.dims)
    alone = gradient.id in ownership.owned - seen if isinstance(gradient, gast.Name) else ownership.values.fresh(gradient)
    if have.boxed and have.dtype == want.dtype is not None and sized and alone and _covered(have, want):
        seen.update(t.reads(gradient))
        return gradient
    return value


def _entries(gradient: gast.Dict, x: Any, unit: Unit, facts: Infer, ownership: Ownership, seen: set[str],
             displays: dict[str, gast.Dict] | None) -> gast.Dict | None:
    """The gradient for a dict, in the order of its keys, where each part certainly is fit and new."""
    kind = facts.of(x)
    given = {key.value: part for key, part in zip(gradient.keys, gradient.values) if isinstance(key, gast.Constant)}
    named = "float" in unit.function.local or len(given) != len(gradient.keys)
    if not isinstance(kind, k.Dct) or kind.partial or kind.made is not None or named:
        return None
    parts: dict[Any, Any] = {}
    own = set(seen)
    for key, item in kind.items:
        like = t.subscript(t.clone(x), t.const(key))
        part = t.call(unit.use(runtime.as_gradient, "as_gradient"), given[key], like) if key in given else zero(item, like, unit)
        parts[key] = None if part is None else _finished(part, unit, facts, ownership, own, displays)
        have = facts.of(parts[key]) if part is not None else None
        if isinstance(item, k.Num) and item.dtype == "pyfloat" and isinstance(have, k.Num) and have.dtype != "pyfloat":
            parts[key] = t.call("float", parts[key])        # a number of Python's, as it was given
    if given.keys() - parts.keys() or any(part is None or isinstance(part, gast.Call) and (
            unit.lookup(part.func) is runtime.as_gradient) for part in parts.values()):
        return None
    seen |= own
    return gast.Dict(keys=[t.const(key) for key in parts], values=list(parts.values()))


def zero(kind: k.Kind, like: Any, unit: Unit) -> Any:
    """The gradient for a number or array of double precision that nothing depends on; None for others."""
    if not isinstance(kind, k.Num) or kind.dtype not in ("float64", "pyfloat"):
        return None
    if kind.is_scalar:
        return t.const(0.0)
    return t.call(f"{unit.use(np, 'np')}.zeros", t.attribute(like, "shape")) if kind.boxed and kind.dims else None


def _filled(gradient: Any, x: Any, unit: Unit, facts: Infer) -> Any:
    """np.full(x.shape, c) for a number that is spread over all of x."""
    want = k.as_num(facts.of(x) or k.ANY)
    if not (isinstance(gradient, gast.Call) and isinstance(want, k.Num) and want.boxed and want.dims and None not in want.dims):
        return None
    have = k.as_num(facts.of(gradient.args[-1]) or k.ANY) if gradient.args else None
    return spread(gradient, want, unit, facts) if isinstance(have, k.Num) and have.dims == want.dims else None


def spread(value: Any, kind: k.Kind | None, unit: Unit, facts: Infer) -> Any:
    """A new array, of this kind, for `broadcast_like(number, x)`: np.ones(x.shape) or np.full(x.shape, number); None for others."""
    kind = k.as_num(kind) if kind is not None else None
    if not (isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.broadcast_like and isinstance(kind, k.Num)
            and kind.dtype == "float64"):
        return None
    fill, like = value.args
    number = k.as_num(facts.of(fill) or k.ANY)
    if not (isinstance(number, k.Num) and number.is_scalar and number.dtype in ("float64", "pyfloat")):
        return None
    shape, numpy = t.attribute(like, "shape"), unit.use(np, "np")
    if isinstance(fill, gast.Constant) and fill.value == 1.0:
        return t.call(f"{numpy}.ones", shape)
    return t.call(f"{numpy}.full", shape, fill)


# --- A number spread over an array is a view of the number; an adjoint that a loop goes on with starts as an array of its own.

def own_seeds(unit: Unit, tree: Any, facts: Infer) -> None:
    """Fill arrays for the starts of adjoints that a loop updates."""
    carried: set[str] = set()
    for s in reversed(tree.body):
        if isinstance(s, (gast.For, gast.While)):
            carried |= {name for inner in t.statements(s.body) if isinstance(inner, gast.Assign) and t.is_name(inner.targets[0])
                        for name in t.writes(inner) if name in t.reads(inner.value)}
        elif isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and s.targets[0].id in carried:
            s.value = spread(s.value, facts.kinds.get(s.targets[0].id), unit, facts) or s.value


def _same_number(have: k.Num, want: k.Num) -> bool:
    real = have.dtype is not None and bool(have.is_complex) == bool(want.is_complex)
    return real and (have.dtype == want.dtype or want.dtype in ("pyfloat", "pycomplex") and have.dtype not in NARROW)


def _covered(have: k.Num, want: k.Num) -> bool:
    """A contribution never has more elements than its argument; it has fewer only where it is 1."""
    return all(a == b or a is None or k.many(a) for a, b in zip(have.dims or (), want.dims or ()))


# --- What is returned for an input x is called x_bar, also where a later name took its place.

def results(tree: Any, parameters: list[str], wanted: dict[str, str | None]) -> bool:
    """Rename returned adjoints. wanted: input -> name of its adjoint, in the order of the gradients."""
    last = tree.body[-1]
    value = last.value if isinstance(last, gast.Return) else None
    if isinstance(value, gast.Tuple) and len(value.elts) == 2 and isinstance(value.elts[1], gast.Tuple):
        value = value.elts[1]                                   # the value of the function comes first
    items = value.elts if isinstance(value, gast.Tuple) else [value]
    if len(items) != len(wanted):
        return False
    names = [item.id if isinstance(item, gast.Name) else "" for item in items]
    taken = {n.id for n in t.walk(tree) if isinstance(n, gast.Name)} | set(parameters)
    mapping = {name: bar for name, bar in zip(names, wanted.values())
               if bar and bar not in taken and name.endswith("_bar") and names.count(name) == 1 and name not in parameters}
    if mapping:
        tree.body[:] = [t.rename(s, mapping) for s in tree.body]
    return bool(mapping)


# --- The reverse half of a callee takes back what was appended to a list: from a copy, where the callee gave the list away.

READERS = (len, sum, min, max, range, sorted, reversed, zip, enumerate)


def own_lists(unit: Unit, forward: list, back: list, saved: list[str]) -> list:
    """Statements for the start of the reverse half."""
    found = {m[0]: s for s in t.statements(back) for m in [t.list_method(s)] if m is not None and m[1] == "pop"}
    names = [n for n in saved if n in found and n not in unit.tapes and _given_away(unit, forward, n)]
    return [t.assign(n, t.call(unit.use(list, "list"), t.load(n)), t.origin_of(found[n])) for n in names]


def own_arrays(unit: Unit, facts: Infer, back: list, saved: list[str]) -> list:
    """The same for arrays that are restored in the loops of a reverse half: it copies them once, not at each store."""
    found: dict[str, Any] = {}
    for s in t.statements([x for loop in t.statements(back) if isinstance(loop, (gast.For, gast.While)) for x in loop.body]):
        value, kind = getattr(s, "value", None), facts.kinds.get(t.writes(s)[0]) if t.writes(s) else None
        if isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.index_set and t.is_name(
                value.args[0], t.writes(s)[0]) and isinstance(kind, k.Num) and kind.boxed and kind.dims and kind.size is None:
            found.setdefault(value.args[0].id, s)
    copy = f"{unit.use(np, 'np')}.copy" if found.keys() & set(saved) else ""
    return [t.assign(n, t.call(copy, t.load(n)), t.origin_of(found[n])) for n in saved if n in found]


def _given_away(unit: Unit, block: list, name: str) -> bool:
    """Whether something else may hold a list: a container, a callee, another name."""
    for s in t.statements(block):
        value = getattr(s, "value", None)
        if isinstance(s, (gast.Assign, gast.Return)) and t.is_name(value, name):
            return True
        for node in t.walk(value) if value is not None else ():
            if isinstance(node, (gast.Tuple, gast.List)) and any(t.is_name(item, name) for item in node.elts):
                return True
            if isinstance(node, gast.Dict) and any(t.is_name(item, name) for item in node.values):
                return True
            if isinstance(node, gast.Call) and any(t.is_name(a, name) for a in node.args) and not _reads(unit, node):
                return True
    return False


def _reads(unit: Unit, node: Any) -> bool:
    """Whether a function only looks at what a list holds."""
    function = unit.lookup(node.func)
    import builtins
    if function is MISSING and isinstance(node.func, gast.Name):
        function = getattr(builtins, node.func.id, None)
    return function in READERS or isinstance(function, np.ufunc) or (
        getattr(function, "__module__", None) or "").startswith("numpy")
