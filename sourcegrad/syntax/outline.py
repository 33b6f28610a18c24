"""Outlining: the body of a `try` becomes a function whose call reports what happened; `with` of an object calls its methods.

`outcome = attempt(x)` is 3-tuple: 0 or the number of the handler, the exception, the values that the body gave. What
the body has done when an exception comes is lost with its local variables; where a handler reads a name that the body may
have assigned by then, the body is cut into several attempts. Stores at the end of one are done once it has succeeded.

    with boosted:                       boosted.__enter__()
        y = x * boosted.gain            y = x * boosted.gain
                                        boosted.__exit__(None, None, None)

So what these methods change is seen like any change. Not where they do more than compute (a lock, a file): those stay `with`
blocks, which end also when an exception passes; nor in the body of a `try`, for the same reason.
"""
from __future__ import annotations

import sys
import types
from collections import Counter
from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.objects import class_of
from sourcegrad.analysis.purity import LIBRARIES, pure, reaches_out, root_of
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import SourceError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.dataflow import assigned_after
from sourcegrad.ir.scopes import MISSING, Scope
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.parse import statements as try_
from sourcegrad.parse.resolve import describe, readable, resolve
from sourcegrad.parse.statements import Attempt
from sourcegrad.parse.traps import check_caught
from sourcegrad.syntax.caught import Always, caught, enumerable

HARMLESS = (gast.Name, gast.Constant, gast.Tuple, gast.List)
SAFE = (ZeroDivisionError, LookupError, AttributeError, NameError, ImportError, OSError, AssertionError, StopIteration)


def outline(unit: Unit) -> Unit:
    """Lift the bodies of attempts out."""
    if any(map(try_.is_attempt, t.statements(unit.tree.body))):
        _Attempts(unit).run()
    return caught(unit)


def give(block: list, given: dict[str, str]) -> list:
    """Where these names are assigned, other names get 1-tuples of the values: None there tells that nothing was assigned."""
    result: list = []
    for s in block:
        t.map_blocks(s, lambda inner: give(inner, given))
        new = [t.assign(given[n], t.pack([t.load(n)]), t.origin_of(s)) for n in t.writes(s) if n in given]
        if isinstance(s, gast.For):
            s.body[:0] = new
            new = []
        result += [s, *new]
    return result


class _Attempts:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.local = Counter([*unit.parameters, *(n for s in t.statements(unit.tree.body) for n in t.writes(s))])

    def run(self) -> None:
        self.liveness = Liveness()
        self.liveness.block(self.unit.tree.body, frozenset())
        self.unit.tree.body = self.block(self.unit.tree.body, frozenset(self.unit.parameters))

    def block(self, block: list, sure: frozenset) -> list:
        """sure: names that have been assigned by then, on every path."""
        result: list = []
        for s in block:
            after = assigned_after([s], sure)
            if try_.is_attempt(s):
                result += self.attempt(s, sure)
            else:
                inside = sure | {s.target.id} if isinstance(s, gast.For) else sure
                t.map_blocks(s, lambda inner, inside=inside: self.block(inner, inside))
                result.append(s)
            sure = after
        return result

    def attempt(self, s: gast.If, sure: frozenset) -> list:
        origin = t.origin_of(s)
        path, error, expressions = try_.parts(s)
        exceptions = tuple(self.classes(e, origin) for e in expressions)
        if s.orelse and isinstance(s.orelse[-1], gast.Raise) and t.is_name(s.orelse[-1].exc, error):
            exceptions = tuple(map(Always, exceptions))
        else:
            check_caught(exceptions)
        after = self.liveness.after[id(s)]
        handled = Liveness().block(s.orelse, after)
        seen_then = {n for x in t.statements(s.body) for n in t.writes(x)} & handled         # although an exception came
        whole = bool(self.unit.function.memory) and enumerable(exceptions) and seen_then <= sure        # it will be seen through
        groups = [s.body] if whole else self.groups(s.body, handled, exceptions)
        handlers = self.block(s.orelse, sure)
        seen = after | handled | {path}
        live: list[frozenset] = [frozenset(seen)]
        for group in reversed(groups[1:]):
            live.insert(0, Liveness().block(group, live[0]) | seen)
        name = self.unit.names.fresh("succeeded")
        test = gast.Compare(left=t.load(path), ops=[gast.Eq()], comparators=[t.const(0)])
        result: list = []
        inner = result
        for group, needed in zip(groups, live):
            body, stores = (group, []) if whole else self.last_stores(group, exceptions)
            block = self.call(body, Liveness().block(stores, needed), path, error, exceptions, sure, seen_then if whole else set())
            sure = assigned_after(group, sure)
            block[-1] += stores
            inner += block[:-1]
            cond = self.unit.names.fresh("succeeded") if group is not groups[0] else name
            inner.append(t.assign(cond, t.clone(test), origin))
            branch = t.if_(t.load(cond), block[-1], [], origin)
            inner.append(branch)
            inner = branch.body
        if len(groups) == 1:
            branch.orelse = handlers
        elif handlers:
            last = self.unit.names.fresh("succeeded")
            result += [t.assign(last, test, origin), t.if_(t.load(last), [], handlers, origin)]
        return result

    def last_stores(self, group: list, exceptions: tuple) -> tuple[list, list]:
        """The stores at the end of a group: they are done outside. The first one may raise what is caught: it is tried inside."""
        stores: list = []
        rest = list(group)
        while rest and self.is_store(rest[-1]):
            raises = self.store_raises(rest[-1], exceptions)
            if raises and self.unit.lookup(rest[-1].value.func) is not runtime.index_store:
                break                                       # `op=` has exceptions of its own
            stores.insert(0, rest.pop())
            if raises:
                check = t.call(self.unit.use(runtime.check_store, "check_store"), *map(t.clone, stores[0].value.args))
                rest.append(t.assign(self.unit.names.fresh("unused"), check, t.origin_of(stores[0])))
                break
        if not stores:
            return group, []
        return rest or [t.assign(self.unit.names.fresh("unused"), t.const(None), t.origin_of(group[0]))], stores

    def is_store(self, s: Any) -> bool:
        """x[i] = v, x.a = v, and those with op="""
        return isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and self.unit.lookup(s.value.func) in (
            runtime.index_store, runtime.index_update)

    def store_raises(self, s: gast.Assign, exceptions: tuple) -> bool:
        """Whether a store may raise what is caught. (An attribute can be stored.)"""
        if isinstance(s.value.args[1], gast.Attribute):
            return False
        return any(issubclass(raised, c) for raised in (IndexError, KeyError, TypeError, ValueError)
                   for group in exceptions for c in group)

    def call(self, body: list, needed: frozenset, path: str, error: str, exceptions: tuple, sure: frozenset, kept: set) -> list:
        """The statements of the call of one group; last the list of those that take its results. kept: what it gives also if an
        exception comes (`syntax.caught`)."""
        origin = t.origin_of(body[0])
        body = [t.assign(self.unit.names.fresh("unused"), x.value, t.origin_of(x))
                if isinstance(x, gast.Expr) and pure(x.value, self.unit) else x for x in body]
        assigned = Counter(n for s in t.statements(body) for n in t.writes(s))
        results = [n for n in assigned if n in needed]
        liveness = Liveness(lambda value: not self.value_raises(value, exceptions))
        liveness.block(body, frozenset(results))
        body = self.evaluated(body, liveness.kept, liveness.after)
        captured = [n for n in sorted(Liveness().block(body, frozenset(results)))
                    if self.local[n] > assigned[n] or n in results and n in self.local]
        captured = sorted({*captured, *kept.intersection(results)})
        read_first = Liveness().block(body, frozenset())
        perhaps = {n: self.unit.names.fresh(f"{n}_given") for n in captured if n not in sure and n not in read_first}
        captured = [n for n in captured if n not in perhaps]        # those that the body may assign, and nobody has before
        returned = [t.load(perhaps.get(n, n)) for n in results]
        value = returned[0] if len(returned) == 1 else t.pack(returned) if returned else t.const(None)
        name = self.unit.names.fresh("attempt")
        new = [*(t.assign(n, t.const(None), origin) for n in perhaps.values()), *give(t.clone(body), perhaps)]
        if isinstance(value, gast.Tuple):
            whole = self.unit.names.fresh("values")
            new.append(t.assign(whole, value, origin))
            value = t.load(whole)
        tree = t.function(f"{self.unit.function.name}_try", t.arguments(captured), [*new, t.return_(value, origin)], origin)
        scope = self.unit.function.scope
        function = Function(tree.name, tree, Scope(scope.globals, scope.cells, {**scope.bound, **self.unit.env}), flat=True)
        self.unit.env[name] = Attempt(function, exceptions)
        outcome, given = self.unit.names.fresh("outcome"), self.unit.names.fresh("given")
        call = t.call(name, *(t.load(n) for n in captured))
        targets = [self.unit.names.fresh(n) for n in results]
        take: list = []
        at_once: list = []
        if len(returned) == 1:
            targets = [given for _ in results]
        elif results:
            take = [t.unpack(targets, t.load(given), origin)]
        for n, target in zip(results, targets):
            new_value = t.assign(n, t.load(target), origin)
            if n in perhaps:
                new_value.value = t.subscript(new_value.value, t.const(0))
                is_there = gast.Compare(left=t.load(target), ops=[gast.IsNot()], comparators=[t.const(None)])
                new_value = t.if_(is_there, [new_value], [], origin)
            (at_once if n in kept else take).append(new_value)
        if kept.intersection(results) and len(results) > 1:
            at_once.insert(0, take.pop(0))                  # the tuple is there, whatever happened
        return [t.assign(outcome, call, origin), t.unpack([path, error, given], t.load(outcome), origin), *at_once, take]

    def evaluated(self, block: list, kept: set[int], after: Any) -> list:
        """A block in which what may raise what is caught stays, although nobody reads what it gives. kept, after: of `Liveness`."""
        result: list = []
        for s in block:
            t.map_blocks(s, lambda inner: self.evaluated(inner, kept, after))
            result.append(s)
            names, method = t.writes(s), t.list_method(s)
            if method is not None and method[1] == "pop" and id(s) not in kept:
                names = [method[0]]                         # of a list that nobody reads
            elif not isinstance(s, gast.Assign) or id(s) not in kept or not after[id(s)].isdisjoint(names):
                names = []
            if names:
                call = t.call(self.unit.use(runtime.evaluated, "evaluated"), *map(t.load, names))
                result.append(t.effect(call, t.origin_of(s)))
        return result

    # --- exceptions

    def classes(self, node: Any, origin: Any) -> tuple:
        items = node.elts if isinstance(node, gast.Tuple) else [node]
        found: list = []
        for item in items:
            value = self.unit.lookup(item)
            for cls in value if isinstance(value, tuple) else (value,):
                if value is MISSING or not isinstance(cls, type) or not issubclass(cls, BaseException):
                    raise UnsupportedError("an exception to catch that is not a class known by its name",
                                           source.locate(item, origin), "Name the class: `except ValueError:`.")
                found.append(cls)
        return tuple(found)

    def groups(self, body: list, handled: frozenset, exceptions: tuple) -> list[list]:
        """The body cut where an exception may come after an assignment that somebody sees then."""
        result: list[list] = [[]]
        dirty: set[str] = set()
        depth = 0                                       # of contexts, which cannot be cut
        for s in body:
            depth += try_.is_context(s) and (1 if try_.is_enter(s.value) else -1)
            if dirty and depth and self.may_raise(s, exceptions):
                raise UnsupportedError(f"'{min(dirty)}' may be assigned when an exception is caught, and is read afterwards",
                                       t.origin_of(s), "Put the `try` inside the `with`.")
            if try_.is_context(s) and try_.is_leave(s.value):
                result[-1].append(s)
                continue
            if dirty and self.may_raise(s, exceptions):
                result.append([])
                dirty = set()
            inner = [x for f in t.BLOCKS for x in getattr(s, f, None) or []]
            seen = {n for x in t.statements(inner) for n in t.writes(x)} & handled
            if seen and self.raises_late(s, handled, exceptions):
                raise UnsupportedError(f"'{min(seen)}' may be half done when an exception is caught, and is read afterwards",
                                       t.origin_of(s), f"Compute it under another name, and assign '{min(seen)}' last.")
            dirty |= (seen | set(t.writes(s))) & handled
            if self.is_store(s):                        # whoever holds the object sees it
                dirty |= set(t.writes(s))
            result[-1].append(s)
        return [group for group in result if group] or [[t.assign(self.unit.names.fresh("unused"), t.const(None), None)]]

    def raises_late(self, s: Any, handled: frozenset, exceptions: tuple) -> bool:
        """Whether an exception may come inside a statement after it has assigned a name that somebody sees."""
        if isinstance(s, (gast.For, gast.While)):
            return self.may_raise(s, exceptions)
        for block in (s.body, s.orelse):
            dirty = False
            for x in block:
                if dirty and self.may_raise(x, exceptions):
                    return True
                if isinstance(x, (gast.If, gast.For, gast.While)) and self.raises_late(x, handled, exceptions):
                    return True
                dirty = dirty or bool({n for y in t.statements([x]) for n in t.writes(y)} & handled)
        return False

    def may_raise(self, s: Any, exceptions: tuple) -> bool:
        """Whether a statement may raise what is caught."""
        if isinstance(s, (gast.If, gast.For, gast.While)):
            return isinstance(s, gast.For) or any(self.may_raise(x, exceptions) for x in (*s.body, *s.orelse))
        if not isinstance(s, gast.Assign):
            return not isinstance(s, (gast.Break, gast.Pass))
        return not isinstance(s.targets[0], gast.Name) or self.value_raises(s.value, exceptions)

    def value_raises(self, value: Any, exceptions: tuple) -> bool:
        """Whether a value that is assigned to a name may raise what is caught."""
        if isinstance(value, HARMLESS):
            return False
        adds = isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Add, gast.Sub, gast.Mult))
        plain = adds or (isinstance(value, gast.Call) and getattr(self.unit.lookup(value.func), "__name__", "") in (
            "iadd", "isub", "imul"))
        return not (plain and all(issubclass(c, SAFE) for group in exceptions for c in group))


def context_managers(unit: Unit, facts: Infer) -> bool:
    """Write the calls, in place; whether there were any."""
    found = _Managers(unit, facts)
    found.block(unit.tree.body)
    return found.changed


class _Managers:
    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts
        self.changed = False

    def block(self, block: list) -> None:
        entered: list[str | None] = []                       # the names of the managers of the `with` blocks that are open
        position = 0
        while position < len(block):
            s = block[position]
            for inner in t.inner_blocks(s):
                self.block(inner)
            if try_.is_context(s):
                new = self.entered(s, entered) if try_.is_enter(s.value) else self.left(s, entered.pop())
                block[position:position + 1] = new
                position += len(new) - 1
            position += 1

    def entered(self, s: Any, entered: list[str | None]) -> list:
        """What enters a context; notes the name of the manager, or None where it stays a `with` block."""
        manager = s.value.args[0]
        cls = class_of(self.facts.of(manager))
        halves: list[Any] = [] if cls is None else [getattr(cls, name, None) for name in ("__enter__", "__exit__")]
        if not halves or not all(isinstance(half, types.FunctionType) for half in halves) or any(
                half.__module__.split(".")[0] in sys.stdlib_module_names for half in halves):
            entered.append(None)
            return [s]
        enter, leave = halves
        origin = t.origin_of(s)
        if may_stop(leave):
            raise UnsupportedError(f"a context manager that may stop exceptions ({leave.__qualname__})",
                                   source.locate(manager, origin), "Catch them with `try` and `except`.")
        if self.unit.function.flat or not (self.computes(enter) and self.computes(leave)):
            entered.append(None)
            return [s]
        self.changed = True
        name, target = self.unit.names.fresh("context"), s.targets[0] if isinstance(s, gast.Assign) else None
        entered.append(name)
        call = gast.copy_location(t.method(name, "__enter__"), s.value)
        return [t.assign(name, t.clone(manager), origin),
                t.assign(target if target is not None else self.unit.names.fresh("unused"), call, origin)]

    def left(self, s: Any, name: str | None) -> list:
        if name is None:
            return [s]
        nothing = [t.const(None) for _ in range(3)]
        call = gast.copy_location(t.method(name, "__exit__", *nothing), s.value)
        return [t.assign(self.unit.names.fresh("unused"), call, t.origin_of(s))]

    def computes(self, method: Any) -> bool:
        """Whether a method does nothing to the world outside: there is no lock that an exception would leave closed."""
        try:
            unit = resolve(describe(method))
        except SourceError:
            return False
        called = [unit.lookup(node.func) for node in t.walk(unit.tree) if isinstance(node, gast.Call)]
        return all(isinstance(f, Function) or isinstance(f, (types.BuiltinFunctionType, type)) and (
            not reaches_out(f) or root_of(f) not in LIBRARIES) for f in called)


def may_stop(leave: Any) -> bool:
    """Whether an `__exit__` may return something true, which ends the exception that has left the block."""
    function = readable(leave)
    return function is not None and any(isinstance(node, gast.Return) and node.value is not None and not (
        isinstance(node.value, gast.Constant) and not node.value.value) for node in t.walk(function.tree))
