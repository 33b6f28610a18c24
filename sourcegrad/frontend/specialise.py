"""Use the kinds: drop branches that cannot run, spell out star arguments, closures and partials, decide `op=`."""
from __future__ import annotations

import functools
import operator
import types
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, source, tree as t
from sourcegrad.analysis import aliasing, calls
from sourcegrad.analysis.calls import hashable
from sourcegrad.analysis.cfg import is_stop
from sourcegrad.analysis.infer import INPLACE_OF, Infer, constant_truth
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.rule_text import differentiable
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.closures import Maker
from sourcegrad.frontend.desugar import BINARY
from sourcegrad.frontend.resolve import Unit
from sourcegrad.names import stem
from sourcegrad.rules.core import RULES, ArraySpec

ARRAY_RULES = {"elementwise", "reductions", "products", "linalg", "shapes", "indexing"}    # families for arrays only


class Specialise:
    def __init__(self, unit: Unit, facts: Infer, top: bool) -> None:
        self.unit, self.facts, self.top = unit, facts, top
        body = unit.tree.body
        self.stores: dict[str, int] = {}
        for s in t.statements(body):
            for name in t.writes(s):
                self.stores[name] = self.stores.get(name, 0) + 1
        self.substitution: dict[str, gast.expr] = {}
        self._groups: Any = None
        self._liveness: Any = None

    def run(self) -> None:
        body = self.unit.tree.body
        if any(self._inplace(s) for s in t.statements(body)):
            self._groups = aliasing.groups(body, self.unit.parameters, self.unit, self.facts.kinds)
            self._liveness = Liveness()
            self._liveness.block(body, frozenset())
        self.unit.tree.body = self.block(body)
        if self.substitution:
            _Substitute(self.substitution).visit(self.unit.tree)
        self._check_lists()

    def _check_lists(self) -> None:
        if self.unit.function.pure:                 # tapes and adjoints of lists belong to one name each
            return
        found = aliasing.SharedLists(self.unit, self.facts.kinds).run(self.unit.tree.body, self.unit.parameters)
        if found is not None:
            name, s = found
            whose = "of the caller" if name in self.unit.parameters else "that others may hold"
            raise UnsupportedError(f"the list '{name}' {whose} changes", t.origin_of(s),
                                   f"Change a copy: `{name} = list({name})` first.")

    def block(self, block: list) -> list:
        result: list = []
        for s in block:
            result += self.statement(s)
        return result

    def statement(self, s: Any) -> list:
        if isinstance(s, gast.If) and not is_stop(s):
            truth = constant_truth(self.facts.of(s.test))
            if truth is not None:
                return self.block(s.body if truth else s.orelse)
            s.body, s.orelse = self.block(s.body), self.block(s.orelse)
            return [s]
        if isinstance(s, (gast.For, gast.While)):
            s.body = self.block(s.body)
            return [s]
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call):
            return self._call(s)
        if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) and isinstance(
                self.facts.of(s.value), k.Lst) and self._second_name(s.targets[0].id, s.value):
            return []
        return [s]

    def _second_name(self, name: str, value: Any, iterating: bool = False) -> bool:
        """`ys = xs` of a list where neither name is rebound: ys is xs."""
        once = isinstance(value, gast.Name) and value.id in self.facts.local and self.stores.get(name, 0) == 1 and (
            self.stores.get(value.id, 0) + (value.id in self.unit.parameters) <= 1)
        if once and not iterating and {name, value.id} & self._iterated() and {name, value.id} & self._changing():
            return False                                # changed under one name while iterated under the other
        if once:
            self.substitution[name] = value
        return once

    def _changing(self) -> set[str]:
        return {m[0] for s in t.statements(self.unit.tree.body) for m in [t.list_method(s)] if m}

    def _iterated(self) -> set[str]:
        return {n for s in t.statements(self.unit.tree.body) if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
                and self.unit.lookup(s.value.func) is runtime.sequence for n in t.reads(s.value.args[0])}

    # --- calls

    def _call(self, s: gast.Assign) -> list:
        origin = t.origin_of(s)
        target = calls.target_of(s.value, self.unit, self.facts.of)
        if target.object is runtime.sequence:
            return self._sequence(s, target)
        if target.object in INPLACE_OF:
            return [self._augmented(s, target)]
        if target.object in (runtime.index_store, runtime.index_update) and not self.unit.function.pure:
            return [self._store(s, target)]
        if target.object is runtime.own:
            return self._own(s, target)
        if target.object is functools.partial and isinstance(self.facts.of(s.value), k.Closure):
            before: list = []
            new = self._partial(s, target)
            new.value.args = [a if isinstance(a, (gast.Name, gast.Constant)) else self._bind(a, "captured", before, t.origin_of(s))
                              for a in new.value.args]
            return [*before, new]
        self._check_known(s, target)
        before = []
        args = self._positional(target.args, before, origin)
        keywords = dict(target.keywords)
        for star in target.stars:
            mapping = self.facts.of(star)
            if not isinstance(mapping, k.Dct):
                raise UnsupportedError("`**` of something that is not a dict with known keys",
                                       source.locate(s.value, origin), "Pass the arguments by name.")
            for key, _ in mapping.items:
                keywords[str(key)] = self._bind(t.subscript(t.clone(star), t.const(key)), str(key), before, origin)
        function: Any = target.object
        while True:
            if isinstance(function, k.Closure):
                split = len(function.items) - len(function.keywords)
                parts = [self._bind(t.subscript(t.clone(s.value.func), t.const(j)), "captured", before, origin)
                         for j in range(len(function.items))]
                args = parts[:split] + args
                keywords = {**dict(zip(function.keywords, parts[split:])), **keywords}
                function = function.function
            elif isinstance(function, functools.partial):
                owner = self.unit.use(function, "partial")
                args = [self._bind(t.subscript(t.attribute(t.load(owner), "args"), t.const(j)), "fixed", before, origin)
                        for j in range(len(function.args))] + args
                bound = {key: self._bind(t.subscript(t.attribute(t.load(owner), "keywords"), t.const(key)), key,
                                         before, origin) for key in function.keywords}
                keywords = {**bound, **keywords}
                function = function.func
            elif isinstance(function, types.MethodType):
                owner = self.unit.use(function, function.__name__)
                args = [self._bind(t.attribute(t.load(owner), "__self__"), "self", before, origin), *args]
                function = function.__func__
            else:
                break
        if hashable(target.object) and target.object in RULES and not before and self._takes_arrays(target):
            return self._arrays(s, target)
        if function is target.object and not before and not target.stars and len(args) == len(s.value.args) and not (
                isinstance(s.value.func, gast.Name) and s.value.func.id in self.facts.local):
            return [s]
        if target.method and not before:
            return [s]
        if function is None:
            return [*before, s]
        name = self.unit.use(function, getattr(function, "name", None) or getattr(function, "__name__", "function"))
        s.value = gast.copy_location(t.call(name, *args, **keywords), s.value)
        return [*before, s]

    def _check_known(self, s: gast.Assign, target: calls.Target) -> None:
        """Known functions are pure as far as they are called without `out=`, `where=` and the like."""
        function = target.object
        origin = source.locate(s.value, t.origin_of(s))
        if function in CONVERSIONS and target.args and self.facts.of(target.args[0]) == k.Obj(str):
            raise UnsupportedError("a number read from text", origin, "Keep the number itself.")
        if function is np.einsum and not isinstance(self.facts.of(target.args[0]), k.Const):
            raise UnsupportedError("np.einsum without a constant string of subscripts", origin,
                                   "Write np.einsum('ij,jk->ik', a, b).")
        if function == "method astype" and len(target.args) > 1 and _to_text(self.facts.of(target.args[1])):
            raise UnsupportedError("a conversion of numbers to text or objects", origin, "Keep the array of numbers.")
        if not (getattr(function, "__module__", None) or "").startswith("numpy") and not isinstance(function, np.ufunc):
            return
        given = dict(target.keywords)
        for position, name in enumerate(_parameters(function)):
            if position < len(target.args):
                given.setdefault(name, target.args[position])
        extra = isinstance(function, np.ufunc) and len(target.args) > function.nin
        for name, harmless in (("out", (None,)), ("where", (True,)), ("copy", (True, None))):
            kind = self.facts.of(given[name]) if name in given and not (name == "where" and function is np.where) else None
            if kind is not None and not (isinstance(kind, k.Const) and kind.value in harmless) and not (
                    name == "copy" and function in (np.array, np.asarray)):
                extra = True
        dtype = self.facts.of(given["dtype"]) if "dtype" in given else None
        if isinstance(dtype, (k.Lst, k.Tup)) or _to_text(dtype):
            raise UnsupportedError("an array of objects, text or records", origin, "Use an array of numbers.")
        if extra:
            name = source.expression_text(s.value.func)
            raise UnsupportedError(f"this form of {name} has no derivative rule: it writes into an array that it is given, "
                                   "or leaves parts of it as they are", origin, self._rule_takes(function)
                                   + "Assign the result: y = np.sin(x).")

    def _rule_takes(self, function: Any) -> str:
        return f"The rule takes ({', '.join(RULES[function].parameters)}). " if function in RULES else ""

    def _partial(self, s: gast.Assign, target: calls.Target) -> Any:
        """A partial made inside the function is a closure: at run time the tuple of what is fixed."""
        kind = self.facts.of(s.value)
        maker = self.unit.use(Maker(kind.function, [], kind.keywords), "partial_closure")
        first = self.facts.of(target.args[0])
        count = len(first.items) if isinstance(first, k.Closure) else 0
        inherited = [t.subscript(t.clone(target.args[0]), t.const(j)) for j in range(count)]
        s.value = t.call(maker, *inherited, *target.args[1:], *target.keywords.values())
        return s

    def _takes_arrays(self, target: calls.Target) -> bool:
        """Whether a NumPy function that wants an array is given a list or tuple of numbers."""
        rule = RULES[target.object]
        numpy = isinstance(target.object, np.ufunc) or (getattr(target.object, "__module__", None) or "").startswith("numpy")
        family = rule.function.__module__.rsplit(".", 1)[-1]
        return numpy and family in ARRAY_RULES and not _takes_lists(rule) and any(
            isinstance(self.facts.of(a), (k.Lst, k.Tup)) for a in target.args)

    def _arrays(self, s: gast.Assign, target: calls.Target) -> list:
        """np.sum(xs) of a list is np.sum(np.array(xs))."""
        wanted = differentiable(RULES[target.object])
        bound = calls.bind_rule(RULES[target.object], target)
        before: list = []
        for name, argument in bound.items():
            if name in wanted and isinstance(argument, gast.Name) and isinstance(self.facts.of(argument), (k.Lst, k.Tup)):
                array = t.call(f"{self.unit.use(np, 'np')}.array", argument)
                new = self._bind(array, f"{argument.id}_array", before, t.origin_of(s))
                s.value.args = [new if a is argument else a for a in s.value.args]
                for keyword in s.value.keywords:
                    keyword.value = new if keyword.value is argument else keyword.value
        return [*before, s]

    def _positional(self, args: list, before: list, origin: Any) -> list:
        result = []
        for a in args:
            if not isinstance(a, gast.Starred):
                result.append(a)
                continue
            kind = self.facts.of(a.value)
            if not isinstance(kind, k.Tup):
                raise UnsupportedError("`*` of something whose length is not known", source.locate(a, origin),
                                       "Pass the arguments one by one, or convert with tuple(...) a sequence of known length.")
            result += [self._bind(t.subscript(t.clone(a.value), t.const(j)), "arg", before, origin)
                       for j in range(len(kind.items))]
        return result

    def _bind(self, value: gast.expr, base: str, before: list, origin: Any) -> gast.expr:
        name = self.unit.names.fresh(base)
        before.append(t.assign(name, value, origin))
        return t.load(name)

    def _sequence(self, s: gast.Assign, target: calls.Target) -> list:
        """`xs_2 = sequence(xs)` of what is a sequence anyway: use xs itself where it is never rebound."""
        argument = target.args[0]
        kind = self.facts.of(argument)
        known = isinstance(kind, (k.Lst, k.Tup)) or (isinstance(kind, k.Num) and kind.boxed) or (
            isinstance(kind, k.Obj) and kind.cls is range)
        if not known:
            if isinstance(kind, k.Dct):
                s.value = t.call(self.unit.use(list, "list"), argument)
            return [s]
        name = s.targets[0].id
        if self._second_name(name, argument, iterating=True):
            return []
        s.value = argument
        return [s]

    # --- augmented assignment

    def _inplace(self, s: Any) -> bool:
        if not isinstance(s, gast.Assign) or not isinstance(s.value, gast.Call):
            return False
        function = self.unit.lookup(s.value.func)
        return hashable(function) and (function in INPLACE_OF or function in (runtime.index_store, runtime.index_update))

    def _augmented(self, s: gast.Assign, target: calls.Target) -> Any:
        """`x op= v` is `x = x op v` for scalars, and for arrays that no other name can hold."""
        operation = target.object
        left, right = target.args
        kind = k.as_num(self.facts.of(left) or k.ANY)
        rebinding = (isinstance(kind, k.Num) and kind.is_scalar) or isinstance(kind, (k.Tup, k.Const)) or (
            isinstance(kind, k.Obj) and kind.cls is str)
        if not rebinding and not isinstance(s.value.func, gast.Name):
            raise UnsupportedError("an in-place operator called as a function", source.locate(s.value, t.origin_of(s)),
                                   "Write the operator: y = y + x.")
        if not rebinding:
            self._check_exclusive(s, left, kind, operation)
        s.value = gast.copy_location(t.binop(left, BINARY[operation](), right), s.value)
        return s

    def _spelled(self, name: str) -> str:
        """A name as the user wrote it: x for the version x_2."""
        own = {n.id for n in t.walk(self.unit.function.tree) if isinstance(n, gast.Name)}
        return name if name in own else stem(name)

    def _own(self, s: gast.Assign, target: calls.Target) -> list:
        """Only arrays and lists of the outermost function need a copy; a callee must not change its arguments."""
        kind = k.as_num(self.facts.of(target.args[0]) or k.ANY)
        changed = {n for x in t.statements(self.unit.tree.body) if self._inplace(x)
                   for n in (x.targets[0].id, *t.reads(x.value.args[0]))}
        scalar = isinstance(kind, k.Const) or (isinstance(kind, k.Num) and kind.is_scalar)
        if scalar or s.targets[0].id not in changed:       # what changes is another value of the same name
            s.value = target.args[0]
            return [s]
        if not self.top and not self.unit.function.pure:
            name = s.targets[0].id
            raise UnsupportedError(f"{self.unit.function.name}() changes its argument '{name}' in place",
                                   t.origin_of(s), f"Work on a copy and return it: `{name} = {name}.copy()` first.")
        s.value.args = [a for a in target.args if a is target.args[0] or mutable(self.facts.of(a))]
        read = {n for x in t.statements(self.unit.tree.body) for n in t.header_reads(x)} - self.facts.local
        s.value.args += [t.load(n) for n in sorted(read) if n not in self.unit.env and isinstance(
            self.facts.name(n), k.Num) and mutable(self.facts.name(n))]          # arrays outside may be the same one
        return [s]

    def _store(self, s: gast.Assign, target: calls.Target) -> Any:
        """A store into an array or list that no other name holds at that moment."""
        base = target.args[0]
        kind = k.as_num(self.facts.of(base) or k.ANY)
        origin = t.origin_of(s)
        item = k.as_num(kind.item or k.ANY) if isinstance(kind, k.Lst) else None
        if item is not None and target.object is runtime.index_update and not (isinstance(item, k.Num) and item.is_scalar):
            raise UnsupportedError("`op=` on an element of a list that may be an array", origin,
                                   "Store a new value: xs[i] = xs[i] + v.")
        if not isinstance(kind, (k.Num, k.Lst)) or (isinstance(kind, k.Num) and (kind.is_scalar or kind.dims == ())):
            raise UnsupportedError(f"a store into '{base.id}', which is not known to be an array or a list", origin,
                                   "Make the array inside the function, for example with np.zeros.")
        self._refuse_shared(s, base.id, f"`{base.id}[...] = ...` changes an array",
                            f"Store into a copy: `{base.id} = {base.id}.copy()` first.")
        s.value.func = t.load(self.unit.use(runtime.index_set, "index_set"))
        return s

    def _refuse_shared(self, s: gast.Assign, name: str, what: str, remedy: str) -> None:
        """An array changes in place: no other live name, and nobody elsewhere, may hold it."""
        group = self._groups.get(name, frozenset([name, aliasing.ELSEWHERE]))
        if aliasing.ELSEWHERE in group:
            raise UnsupportedError(f"{what} in place that others may hold", t.origin_of(s), remedy)
        later = self._liveness.after[id(s)] & (group - {name, s.targets[0].id}) & self._assigned_before(s)
        if later:
            raise UnsupportedError(f"{what} in place that '{min(later)}' may share", t.origin_of(s), remedy)

    def _assigned_before(self, s: gast.Assign) -> set[str]:
        """Names that may hold a value when a statement runs."""
        found = set(self.unit.parameters)

        def visit(block: list) -> bool:
            for item in block:
                if item is s:
                    return True
                inner = [x for f in t.BLOCKS for x in getattr(item, f, None) or []]
                if isinstance(item, (gast.For, gast.While)) and any(x is s for x in t.statements(inner)):
                    found.update(n for x in t.statements([item]) for n in t.writes(x))   # an earlier iteration
                    return True
                if any(visit(getattr(item, f, None) or []) for f in t.BLOCKS):
                    return True
                found.update(t.writes(item))
            return False

        visit(self.unit.tree.body)
        return found

    def _check_exclusive(self, s: gast.Assign, left: Any, kind: Any, operation: Any) -> None:
        origin = t.origin_of(s)
        name = left.id if isinstance(left, gast.Name) else "?"
        op = {operator.iadd: "+", operator.isub: "-", operator.imul: "*", operator.itruediv: "/", operator.ipow: "**",
              operator.imatmul: "@", operator.ifloordiv: "//", operator.imod: "%"}.get(operation, "op")
        user = self._spelled(s.targets[0].id)
        remedy = f"Write `{user} = {user} {op} ...`, which makes a new array."
        if isinstance(kind, k.Lst):
            raise UnsupportedError(f"the list '{self._spelled(name)}' is extended in place", origin,
                                   "Append the elements in a loop.")
        self._refuse_shared(s, name, f"`{user} {op}= ...` changes an array", remedy)
        value = self.facts.primitive(INPLACE_OF[operation], [left, s.value.args[1]], {})
        if isinstance(kind, k.Num) and isinstance(value, k.Num) and kind.dims is not None and value.dims is not None and (
                len(value.dims) != len(kind.dims) or any(a == 1 and k.many(b) for a, b in zip(kind.dims, value.dims))):
            raise UnsupportedError(f"`{user} {op}= ...` would give '{user}' another shape", origin, remedy)
        same_dtype = isinstance(kind, k.Num) and kind.dtype is not None and (
            (isinstance(value, k.Num) and value.dtype == kind.dtype) or kind.dtype in ("float64", "complex128"))
        if not same_dtype:
            raise UnsupportedError(f"`{user} {op}= ...` may round to the dtype of '{user}' in place", origin, remedy)


def _takes_lists(rule: Any) -> bool:
    """Whether a primitive is sampled with lists of arrays: then a list is what it wants."""
    return any(isinstance(arg, (list, tuple)) and any(isinstance(item, ArraySpec) for item in arg)
               for spec in rule.samples for arg in getattr(spec, "args", ()))


CONVERSIONS = {float, int, complex, np.float64, np.float32, np.array, np.asarray}


def _parameters(function: Any) -> list[str]:
    """Parameter names of a NumPy function by position; none for ufuncs and where they cannot be known."""
    if isinstance(function, np.ufunc):
        return []
    try:
        return [p.name for p in source.signature(function).parameters.values()
                if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return []


def _to_text(kind: Any) -> bool:
    """Whether a dtype argument asks for text or objects."""
    value = kind.value if isinstance(kind, (k.Fn, k.Const)) else None
    if value is None or not isinstance(value, (type, str)):
        return False
    try:
        return np.dtype(value).kind in "OSUV"
    except TypeError:
        return False


class _Substitute(gast.NodeTransformer):
    def __init__(self, mapping: dict[str, gast.expr]) -> None:
        self.mapping = mapping

    def visit_Name(self, node: gast.Name) -> Any:
        if isinstance(node.ctx, gast.Load) and node.id in self.mapping:
            return self.visit(t.clone(self.mapping[node.id]))
        return node


def mutable(kind: Any) -> bool:
    """Whether a value of this kind could share memory with an array."""
    kind = k.as_num(kind)
    return not (isinstance(kind, (k.Const, k.Fn)) or (isinstance(kind, k.Num) and kind.is_scalar))


def specialise(unit: Unit, facts: Infer, top: bool) -> Unit:
    """Rewrite what the kinds decide. top: this is the function that the user differentiates, not a callee."""
    Specialise(unit, facts, top).run()
    return unit

