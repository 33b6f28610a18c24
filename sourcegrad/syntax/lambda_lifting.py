"""Lambda lifting (closure conversion): inner functions take what they capture as leading arguments.

`def g(t): return a * t` called as `g(u)` becomes a call `g(a, u)` of the lifted function: the captured values are
those at the call, as in Python. A function that assigns `nonlocal` names returns their new values, too, and the
caller rebinds them: `value, count = g(count, u)`. Where a nested function is used as a value (handed to another function), the
value at run time is the tuple of captured values and the code is known from its kind (`maker`).

Decorators of inner functions become calls first: `@twice def g(x)` is `g = twice(g_plain)`. Caches keep a result, generators find
it when they are read: generated code calls them where the program does, so what they read must stay as it is, and nobody may
change what is kept.
"""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import KEEPING, MISSING, PROPERTIES, Scope
from sourcegrad.ir.unit import Function, Maker, Unit, free_names, is_generator, local_names
from sourcegrad.parse.resolve import describe
from sourcegrad.primitives.core import primitive_of

ITERATING = (map, filter, zip, enumerate, reversed)          # classes whose objects are asked for their items at once


def lambda_lifting(unit: Unit) -> Unit:
    """Lift every nested function and lambda out of the function."""
    _name_lambdas(unit)
    _check_late_binding(unit)
    nested = [n for s in t.statements(unit.tree.body) for n in [s] if isinstance(n, gast.FunctionDef)]
    lambdas = any(isinstance(n, gast.Lambda) for s in unit.tree.body for n in t.walk(s))
    if nested or lambdas:
        _Lift(unit, nested).run()
    return unit


def retains(callee: Any, places: set[int], lookup: Callable[[str], Any], seen: frozenset = frozenset()) -> bool:
    """Whether a function may return or store a function that it is handed at one of these places: it is called later then.

    It hands it on to others, too. lookup: what a name in it is. seen: functions that are being looked at."""
    if isinstance(callee, types.FunctionType):
        try:
            described = describe(callee)
        except SourcegradError:
            return False                                     # told where it is called
        callee, lookup = described.tree, described.scope.lookup
    if isinstance(callee, type):
        return callee not in ITERATING
    if not isinstance(callee, gast.FunctionDef) or id(callee) in seen:
        return False
    parameters = [*callee.args.posonlyargs, *callee.args.args]
    names = {parameters[i].id for i in places if i < len(parameters)}
    if callee.args.vararg is not None and max(places) >= len(parameters):
        names.add(callee.args.vararg.id)
    inner = [n for s in callee.body for n in t.walk(s) if isinstance(n, gast.FunctionDef)]
    while found := {n.name for n in inner if n.name not in names and names & set(free_names(n))}:
        names |= found                                       # functions that call one of them

    def kept(node: Any) -> bool:
        if isinstance(node, gast.Name):
            return node.id in names and isinstance(node.ctx, gast.Load)
        if isinstance(node, gast.Lambda) and names & set(free_names(node)):
            return True
        parts = list(t.children(node))
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name):         # a call, or handed on
            handed = {k for k, x in enumerate(node.args)
                      if isinstance(x, gast.Name) and x.id in names or isinstance(x, gast.Lambda) and kept(x)}
            if handed and retains(lookup(node.func.id), handed, lookup, seen | {id(callee)}):
                return True
            parts = [x for x in parts if not isinstance(x, (gast.Name, gast.Lambda))]
        elif isinstance(node, (gast.Compare, gast.FunctionDef)):
            parts = [x for x in parts if not isinstance(x, (gast.Name, gast.arguments))]
        return any(map(kept, parts))

    return any(map(kept, callee.body))


def _check_late_binding(unit: Unit) -> None:
    """A function made in a comprehension sees the last value of its variables."""
    for node in (n for s in unit.tree.body for n in t.walk(s)):
        if not isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp)):
            continue
        targets = {n for g in node.generators for n in t.target_names(g.target)}
        within = {id(n) for x in t.walk(node) if isinstance(x, gast.Lambda) for n in t.walk(x.body)}     # of another lambda
        for inner in t.walk(node):
            outermost = isinstance(inner, gast.Lambda) and id(inner) not in within
            late = targets & set(free_names(inner)) if outermost else set()
            late -= {n for d in inner.args.defaults for n in free_names(d)} if late else set()
            if late:
                raise UnsupportedError(f"a lambda that uses the variable '{min(late)}' of a comprehension around it",
                                       source.locate(inner, t.origin_of(unit.tree)), "Python calls it with the last value: "
                                       f"give the lambda a default, `{min(late)}={min(late)}`.")


def _name_lambdas(unit: Unit) -> None:
    """`g = lambda x: e` is `def g(x): return e`."""
    for s in t.statements(unit.tree.body):
        for field in t.BLOCKS:
            block = getattr(s, field, None)
            if isinstance(block, list):
                block[:] = [_as_def(item) for item in block]
    unit.tree.body = [_as_def(item) for item in unit.tree.body]


def _as_def(s: Any) -> Any:
    if isinstance(s, gast.Assign) and isinstance(s.value, gast.Lambda) and isinstance(s.targets[0], gast.Name):
        origin = t.origin_of(s)
        return t.function(s.targets[0].id, s.value.args, [t.return_(s.value.body, origin)], origin)
    return s


def written(node: Any, outer: set[str]) -> list[str]:
    """The names of an enclosing function that a function (or one inside it) assigns, in order of declaration."""
    found: dict[str, None] = {}

    def visit(item: Any, hidden: set[str]) -> None:
        hidden = hidden | local_names(item)
        for s in t.statements(item.body):
            if isinstance(s, gast.Nonlocal):
                found.update(dict.fromkeys(n for n in s.names if n in outer and n not in hidden))
            elif isinstance(s, gast.FunctionDef):
                visit(s, hidden)

    if isinstance(node, gast.FunctionDef):
        visit(node, set())
    return list(found)


def gives_value(node: Any) -> bool:
    """Whether a function returns anything but None."""
    return any(isinstance(s, gast.Return) and not (s.value is None or (
        isinstance(s.value, gast.Constant) and s.value.value is None)) for s in t.statements(node.body))


def returning(body: list, names: list[str], value: bool) -> list:
    """The body of a function that also returns the values of some names (or only them)."""

    def results(found: Any) -> Any:
        parts = ([found or t.const(None)] if value else []) + [t.load(n) for n in names]
        return parts[0] if len(parts) == 1 else t.pack(parts)

    def block(items: list) -> list:
        new: list = []
        for s in items:
            if isinstance(s, gast.Return):
                s.value = results(s.value)
            if not isinstance(s, gast.FunctionDef):
                t.map_blocks(s, block)
            if isinstance(s, gast.Nonlocal):
                s = t.at(gast.Pass(), t.origin_of(s))
            new.append(s)
        return new

    origin = t.origin_of(body[-1])
    new = block(body)
    return new if isinstance(new[-1], gast.Return) else [*new, t.return_(results(None), origin)]


def _last(parts: list) -> Any:
    """The last of several expressions that are evaluated one after the other (`anf` takes them apart)."""
    node = t.subscript(t.pack(parts), t.const(-1))
    node.rebinding = True
    return node


def _bound_anew(unit: Unit, s: Any) -> list[str]:
    """The names that a statement binds. `obj.a = v`, written as `obj = index_store(obj, at.a, v)`, changes what the name means for
    all who hold it: a closure, too."""
    value = getattr(s, "value", None)
    if isinstance(value, gast.Call) and value.args and isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(
            value.args[0], s.targets[0].id) and primitive_of(unit.lookup(value.func)).mutates in ("place", "attribute"):
        return []
    return t.writes(s)


class _Lift:
    def __init__(self, unit: Unit, nested: list) -> None:
        self.unit = unit
        self.copies = [(s.targets[0].id, s.value.id) for s in t.statements(unit.tree.body)
                       if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and t.is_name(s.value)]
        self.local = local_names(unit.tree)
        counts: dict[str, int] = {}
        for s in t.statements(unit.tree.body):
            for name in ([s.name] if isinstance(s, gast.FunctionDef) else _bound_anew(unit, s)):
                counts[name] = counts.get(name, 0) + 1
        self.counts = counts
        self.looped = {n for s in t.statements(unit.tree.body) if isinstance(s, (gast.For, gast.While))
                       for x in t.statements([s]) for n in _bound_anew(unit, x)}
        self.defaults = {id(n): self._fix_defaults(n) for n in nested}
        self.direct = {n.name: n for n in nested if counts[n.name] == 1 and n.name not in unit.parameters}
        self.written = {name: written(node, self.local) for name, node in self.direct.items()}
        self.captured = {name: list(dict.fromkeys(self._captures(node) + self.written[name]))
                         for name, node in self.direct.items()}
        self._close_over_siblings()
        for name in {n for names in self.written.values() for n in names}:
            counts[name] = counts.get(name, 0) + 2      # rebound by calls
        self.lifted: dict[str, Function] = {}

    def _fix_defaults(self, node: Any) -> list:
        """A default that is computed is evaluated at the `def`, and then captured like any other value."""
        fixed: list = []
        origin = t.origin_of(node)
        args = node.args
        for parameters, parameter, defaults, default in computed_defaults(args):
            name = self.unit.names.fresh(f"{parameter.id}_default")
            fixed.append(t.assign(name, default, origin))
            if isinstance(node, gast.FunctionDef) and self._filled_in(node, parameter.id, name):
                defaults[defaults.index(default)] = t.const(None)
                self.local.add(name)
                self.counts[name] = 1
                continue
            own = parameter.id
            parameters.remove(parameter)
            defaults.remove(default)
            for s in node.body:
                t.rename(s, {own: name})
            self.local.add(name)
            self.counts[name] = 1
        return fixed

    def _filled_in(self, node: Any, parameter: str, default: str) -> bool:
        """Where some calls give a value for a parameter with a computed default, the others are made to give the default."""
        loads = [n for s in self.unit.tree.body for n in t.walk(s) if t.is_name(n, node.name) and isinstance(n.ctx, gast.Load)]
        inner = {id(n) for s in self.unit.tree.body for x in t.walk(s) if isinstance(x, (gast.FunctionDef, gast.Lambda))
                 for n in t.walk(x) if n is not x}
        found = [n for s in self.unit.tree.body for n in t.walk(s) if isinstance(n, gast.Call) and t.is_name(n.func, node.name)]
        if self.counts[node.name] > 1 or len(loads) != len(found) or any(id(n) in inner for n in found) or any(
                isinstance(a, gast.Starred) for n in found for a in n.args) or any(
                keyword.arg is None for n in found for keyword in n.keywords):
            return False
        names = [a.id for a in (*node.args.posonlyargs, *node.args.args)]
        position = names.index(parameter) if parameter in names else len(names)
        missing = [n for n in found if all(item.arg != parameter for item in n.keywords) and (
            parameter not in names or len(n.args) <= position)]
        by_position = position < len(node.args.posonlyargs)
        if len(missing) == len(found) or by_position and any(len(n.args) < position for n in missing):
            return False
        for n in missing:
            if by_position:
                n.args.append(t.load(default))
            else:
                n.keywords.append(gast.keyword(arg=parameter, value=t.load(default)))
        return True

    def _captures(self, node: Any) -> list[str]:
        return [n for n in free_names(node) if n in self.local]

    def _close_over_siblings(self) -> None:
        """A function that calls a sibling captures what the sibling captures."""
        changed = True
        while changed:
            changed = False
            for name, names in self.captured.items():
                for other in [n for n in names if n in self.direct]:
                    self._check_hidden(name, other)
                    for mine, theirs in ((names, self.captured[other]), (self.written[name], self.written[other])):
                        extra = [n for n in theirs if n not in mine]
                        mine.extend(extra)
                        changed = changed or bool(extra)
        for name, names in self.captured.items():
            self.captured[name] = [n for n in names if n not in self.direct]

    def _check_hidden(self, name: str, other: str) -> None:
        """A captured value is handed on under its own name, which must not mean something else on the way."""
        own = local_names(self.direct[name]) & set(self.captured[other])
        if own:
            raise UnsupportedError(
                f"the inner function '{name}' has a variable '{min(own)}' of its own and calls '{other}', which uses "
                f"the '{min(own)}' outside", t.origin_of(self.direct[name]), f"Rename the '{min(own)}' in '{name}'.")

    def run(self) -> None:
        for name, node in self.direct.items():
            self.lifted[name] = self._lift(node, self.captured[name])
        for name, function in self.lifted.items():
            function.scope.bound.update(self._bound())
            self.unit.env[name] = function
        self.unit.tree.body = self._block(self.unit.tree.body)

    def _bound(self) -> dict[str, Any]:
        """Sibling functions (which inner functions call with the captured values first) and known objects."""
        return {**self.unit.env, **self.lifted}

    def _lift(self, node: Any, captured: list[str]) -> Function:
        new = t.clone(node)
        new.origin = t.origin_of(node) or t.origin_of(self.unit.tree)
        new.args.args = [t.parameter(n) for n in captured] + new.args.posonlyargs + new.args.args
        new.args.posonlyargs = []
        if isinstance(new, gast.Lambda):
            new = t.function("lambda_", new.args, [t.return_(new.body, new.origin)], new.origin)
        if self.written.get(new.name):
            new.body = returning(new.body, self.written[new.name], gives_value(node))
        inner = _Calls(self, local_names(new) - set(self.direct))
        new.body = inner.block(new.body)
        scope = self.unit.function.scope
        return Function(new.name, new, Scope(scope.globals, scope.cells, {**scope.bound, **self.unit.env}))

    def _block(self, block: list) -> list:
        result = []
        for s in block:
            if isinstance(s, gast.FunctionDef):
                result += self._block(self.defaults[id(s)])
                if s.name in self.direct:
                    continue
                function = self._lift(s, self._captures(s))
                function.scope.bound.update(self._bound())
                value = self.value(function, self._captures(s), s)
                result.append(t.assign(s.name, value, t.origin_of(s)))
                continue
            t.map_blocks(s, self._block)
            new = _Calls(self, set(), t.origin_of(s)).header(s)
            result += new if isinstance(new, list) else [new]
        return result

    def value(self, function: Function, captured: list[str], node: Any) -> gast.expr:
        """The closure value: captured values are taken now, so they must not change later."""
        if self.written.get(function.name) or written(node, self.local):
            raise UnsupportedError(f"the inner function '{function.name}' rebinds a `nonlocal` name and is used as a value",
                                   function.origin, "Call it directly, or let it return the new value.")
        for name in captured:
            if self.counts.get(name, 0) + (name in self.unit.parameters) + (name in self.looped) > 1:
                raise UnsupportedError(
                    f"the inner function '{function.name}' is used as a value and captures '{name}', which is "
                    "assigned more than once", function.origin,
                    f"Give '{name}' a new name at its second assignment, or pass it as an argument.")
        maker = self.unit.use(Maker(function, captured), self.unit.names.fresh(f"{function.name}_closure"))
        return t.call(maker, *(t.load(n) for n in captured))


class _Calls(gast.NodeTransformer):
    """Rewrite uses of lifted functions: direct calls get the captured values first, other uses become values."""

    def __init__(self, lift: _Lift, hidden: set[str], origin: Any = None) -> None:
        self.lift, self.hidden, self.origin = lift, hidden, origin

    def header(self, s: Any) -> Any:
        """Rewrite a statement but not the blocks inside it."""
        if isinstance(s, (gast.If, gast.While)):
            s.test = self.visit(s.test)
        elif isinstance(s, gast.For):
            s.iter = self.visit(s.iter)
        else:
            return self.visit(s)
        return s

    def block(self, block: list) -> list:
        result: list = []
        for s in block:
            new = self.visit(s)
            result += new if isinstance(new, list) else [new]
        return result

    def _writer(self, node: Any) -> list[str]:
        """The `nonlocal` names that a call rebinds."""
        return self.lift.written[node.func.id] if isinstance(node, gast.Call) and self._known(node.func) else []

    def visit_Assign(self, s: Any) -> Any:
        """`y = inner(x)` is `y, count = inner(count, x)`."""
        writes = self._writer(s.value)
        target = s.targets[0]
        if not writes or len(s.targets) > 1 or not isinstance(target, gast.Name) or target.id in writes or not gives_value(
                self.lift.direct[s.value.func.id]):
            return self.generic_visit(s)
        return t.unpack([target.id, *writes], self._direct(s.value), t.origin_of(s))

    def visit_Expr(self, s: Any) -> Any:
        writes = self._writer(s.value)
        if not writes:
            return self.generic_visit(s)
        value = gives_value(self.lift.direct[s.value.func.id])
        names = [self.lift.unit.names.fresh("unused"), *writes] if value else writes
        call = self._direct(s.value)
        return t.unpack(names, call, t.origin_of(s)) if len(names) > 1 else t.assign(names[0], call, t.origin_of(s))

    def _rebinding(self, node: Any, writes: list[str]) -> Any:
        """A call inside an expression that rebinds names: its value, after the names are rebound."""
        function = self.lift.direct[node.func.id]
        value = gives_value(function)
        call = self._direct(node)
        if len(writes) == 1 and not value:
            return _last([gast.NamedExpr(target=t.store(writes[0]), value=call), t.const(None)])
        name = self.lift.unit.names.fresh(f"{node.func.id}_results")
        parts: list = [gast.NamedExpr(target=t.store(name), value=call)]
        parts += [gast.NamedExpr(target=t.store(n), value=t.subscript(t.load(name), t.const(j + value)))
                  for j, n in enumerate(writes)]
        return _last([*parts, t.subscript(t.load(name), t.const(0)) if value else t.const(None)])

    def _direct(self, node: gast.Call) -> gast.Call:
        """A direct call of a lifted function."""
        self._arguments(node)
        node.args = [t.late(n) for n in self.lift.captured[node.func.id]] + node.args
        return node

    def _known(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id in self.lift.direct and node.id not in self.hidden

    def visit_Call(self, node: gast.Call) -> Any:
        writes = self._writer(node)
        if writes:
            return self._rebinding(node, writes)
        if self._known(node.func):
            return self._direct(node)
        self._arguments(node)
        node.func = self.visit(node.func)
        return node

    def _callees(self, node: Any) -> list:
        """What is called: a known object, an inner function, or what a variable gets by its name."""
        found = self._named(node.id) if isinstance(node, gast.Name) else self.lift.unit.lookup(node)
        if found is not MISSING or not isinstance(node, gast.Name):
            return [found]
        return [self._named(value) for name, value in self.lift.copies if name == node.id]

    def _named(self, name: str) -> Any:
        return self.lift.direct.get(name) or self.lift.unit.lookup(t.load(name))

    def _holds(self, node: Any) -> bool:
        """A function, or a display with one."""
        return isinstance(node, gast.Lambda) or self._known(node) or isinstance(node, (gast.Tuple, gast.List)) and any(
            map(self._holds, node.elts))

    def _arguments(self, node: gast.Call) -> None:
        functions = {i for i, a in enumerate(node.args) if self._holds(a)}
        handed = not isinstance(node.func, gast.Attribute) and not any(         # f(g): called before anything can change
            isinstance(callee, type) or functions and retains(callee, functions, self._named)
            for callee in self._callees(node.func))
        looped, counts = self.lift.looped, self.lift.counts
        if handed:
            self.lift.looped, self.lift.counts = set(), {}
        node.args = [self.visit(a) for a in node.args]
        self.lift.looped, self.lift.counts = looped, counts
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)

    def visit_Name(self, node: gast.Name) -> Any:
        if isinstance(node.ctx, gast.Load) and self._known(node):
            name = node.id
            function = self.lift.lifted.get(name)
            if function is None:                # still lifting its siblings
                raise UnsupportedError(f"the inner function '{name}' is used as a value inside another inner function",
                                       t.origin_of(self.lift.direct[name]), "Call it there, or pass it as an argument.")
            return self.lift.value(function, self.lift.captured[name], node)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        inner = _Calls(self.lift, self.hidden | local_names(node), self.origin)
        node.body = inner.block(node.body)
        return node

    def visit_Lambda(self, node: gast.Lambda) -> Any:
        for name in free_names(node):
            if self.lift.written.get(name) and name not in self.hidden:
                raise UnsupportedError(f"a lambda that calls '{name}', which rebinds a `nonlocal` name",
                                       t.origin_of(self.lift.direct[name]), "Give the lambda a name with `def`.")
        if self.origin is None:                 # inside a lifted function: its own turn comes later
            inner = _Calls(self.lift, self.hidden | local_names(node))
            node.body = inner.visit(node.body)
            return node
        defaults = take_defaults(node)
        captured = self.lift._captures(node)
        captured = [n for n in captured if n not in self.lift.direct] + [
            n for d in captured if d in self.lift.direct for n in self.lift.captured[d]]
        captured = [n for n in dict.fromkeys(captured) if n not in defaults]
        function = self.lift._lift(node, [*captured, *defaults])
        function.scope.bound.update(self.lift._bound())
        made = self.lift.value(function, captured, node)
        made.args += [self.visit(value) for value in defaults.values()]
        return made


def computed_defaults(args: Any) -> list[tuple[list, Any, list, Any]]:
    """(parameters, parameter, defaults, default) of the defaults that are no constants, in the order of evaluation."""
    positional = [(args.posonlyargs, p) for p in args.posonlyargs] + [(args.args, p) for p in args.args]
    places = [(*place, args.defaults, d) for place, d in zip(positional[len(positional) - len(args.defaults):], args.defaults)]
    places += [(args.kwonlyargs, p, args.kw_defaults, d) for p, d in zip(args.kwonlyargs, args.kw_defaults)]
    return [place for place in places if place[-1] is not None and not isinstance(place[-1], (gast.Constant, gast.UnaryOp))]


def take_defaults(node: gast.Lambda) -> dict[str, gast.expr]:
    """Defaults that are computed (`lambda t, k=k: ...`) are evaluated where the lambda is: they are captured then."""
    found = {}
    for parameters, parameter, defaults, default in computed_defaults(node.args):
        found[parameter.id] = default
        parameters.remove(parameter)
        defaults.remove(default)
    return found


# --- Lists of functions that are only indexed by constants are tuples: then every element is known by itself.

def dispatch_tables(unit: Unit) -> None:
    """`fs = [f, g]`, of which only `fs[0]` and `fs[1]` are used, becomes `fs = (f, g)`."""
    statements = list(t.statements(unit.tree.body))
    found = {t.writes(s)[0]: s for s in statements
             if isinstance(s, gast.Assign) and isinstance(s.value, gast.List) and isinstance(s.targets[0], gast.Name)}
    if not found:
        return
    made = {n for s in statements if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
            and isinstance(unit.lookup(s.value.func), Maker) for n in t.writes(s)}
    for name, s in found.items():
        if any(t.is_name(item) and item.id in made or callable(known(unit, item)) for item in s.value.elts) and (
                only_constants(unit, name)):
            s.value = gast.copy_location(gast.Tuple(elts=s.value.elts, ctx=t.LOAD), s.value)


def known(unit: Unit, item: Any) -> Any:
    value = unit.lookup(item)
    return None if value is MISSING else value


def only_constants(unit: Unit, name: str) -> bool:
    """Whether a name is assigned once, and only ever indexed by constants."""
    mentions = [n for n in t.walk(unit.tree) if t.is_name(n, name)]
    indexed = [n for n in t.walk(unit.tree) if isinstance(n, gast.Subscript) and t.is_name(n.value, name)
               and isinstance(n.ctx, gast.Load) and isinstance(n.slice, gast.Constant) and isinstance(n.slice.value, int)]
    return len(mentions) == len(indexed) + 1


def decorators(unit: Unit) -> Unit:
    """Write the decorators of nested functions out; those that change nothing but speed or metadata are dropped."""
    check_generators(unit)
    if any(isinstance(n, gast.FunctionDef) and n.decorator_list for s in unit.tree.body for n in t.walk(s)):
        unit.tree.body = _block(unit.tree.body, unit)
    return unit


def _block(block: list, unit: Unit) -> list:
    result: list = []
    for s in block:
        t.map_blocks(s, _block, unit)
        result.append(s)
        if isinstance(s, gast.FunctionDef):
            if any(_named(d, unit) in CACHES for d in s.decorator_list):
                cached(s, unit)
            wanted = [d for d in s.decorator_list if not _inert(d, unit)]
            s.decorator_list = []
            if wanted:
                name, origin = s.name, t.origin_of(s)
                s.name = unit.names.fresh(f"{name}_plain")
                value: Any = t.load(s.name)
                for decorator in reversed(wanted):
                    value = gast.copy_location(t.call(decorator, value), decorator)
                result.append(t.assign(name, value, origin))
    return result


def _inert(decorator: Any, unit: Unit) -> bool:
    """Whether the decorated function computes what the plain one does."""
    value = _named(decorator, unit)
    compiled = (getattr(value, "__module__", None) or "").split(".")[0] == "numba"
    return value in (functools.wraps, *CACHES) or compiled


def _named(decorator: Any, unit: Unit) -> Any:
    return unit.lookup(decorator.func if isinstance(decorator, gast.Call) else decorator)


CACHES = (functools.lru_cache, functools.cache)
_places: set[tuple] = set()                              # of inner functions with a cache


def keeps(function: Function) -> bool:
    """Whether the result of a function is kept, and given again."""
    if isinstance(function.object, types.FunctionType):
        return function.object in KEEPING or function.object in PROPERTIES
    return (function.name, function.origin) in _places


def cached(function: gast.FunctionDef, unit: Unit) -> None:
    """An inner function with a cache."""
    _check(f"the cached function '{function.name}'", "leave the cache away", function, unit)
    _places.add((function.name, t.origin_of(function)))


def check_generators(unit: Unit) -> None:
    """Inner generator functions of which a call gets a name."""
    named = {node.value.func.id for node in t.walk(unit.tree) if isinstance(node, gast.Assign) and isinstance(node.value, gast.Call)
             and isinstance(node.value.func, gast.Name)}
    for node in t.walk(unit.tree) if named else ():
        if node is not unit.tree and is_generator(node) and node.name in named:
            _check(f"the generator '{node.name}'", "read it at once", node, unit)


def _check(what: str, advice: str, function: gast.FunctionDef, unit: Unit) -> None:
    changing = _changing(unit)
    own = [name for node in t.walk(function) if isinstance(node, gast.Nonlocal) for name in node.names]
    for name in [*own, *free_names(function)]:
        if name in changing:
            raise UnsupportedError(f"{what}, which reads '{name}', which changes", t.origin_of(function),
                                   f"Pass '{name}' as an argument, or {advice}.")


def _changing(unit: Unit) -> set[str]:
    """Names that are bound more than once, or of which parts are stored."""
    times: dict[str, int] = dict.fromkeys(unit.parameters, 1)
    for node in t.walk(unit.tree):
        if isinstance(node, (gast.Nonlocal, gast.Global)):
            times.update(dict.fromkeys(node.names, 2))
        for target in [*getattr(node, "targets", []), *([node.target] if hasattr(node, "target") else [])]:
            stored = isinstance(target, (gast.Subscript, gast.Attribute))
            names = [n.id for n in t.walk(target) if isinstance(n, gast.Name)] if stored else t.target_names(target)
            for name in names:
                times[name] = times.get(name, 0) + (2 if stored or isinstance(node, gast.AugAssign) else 1)
    return {name for name, count in times.items() if count > 1}
