"""Generators: a list of what is yielded, or the loop's body in the place of `yield`."""
from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Sequence
from typing import Any

import gast

from sourcegrad import runtime
from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING, STATIC, Scope
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Function, Names, free_names, local_names, own_yields
from sourcegrad.parse import statements as try_
from sourcegrad.runtime import library

GENERATOR = 0x20                        # of the flags of a code object: `inspect.CO_GENERATOR`


def generators(node: Any, names: Names) -> None:
    """Rewrite a function and those inside it, in place: `yield v` is `items.append(v)`."""
    for inner in t.walk(node):
        if isinstance(inner, gast.FunctionDef) and any(True for _ in own_yields(inner)):
            _collect(inner, names.fresh("items"), names)


def _collect(node: Any, items: str, names: Names) -> None:
    origin = t.origin_of(node)
    plain = set()

    def block(statements: list) -> list:
        result: list = []
        for s in statements:
            place = t.origin_of(s)
            value = getattr(s, "value", None)
            if isinstance(s, gast.Expr) and isinstance(value, gast.Yield):
                plain.add(id(value))
                result.append(t.effect(t.method(items, "append", value.value or t.const(None)), place))
                continue
            if isinstance(s, gast.Expr) and isinstance(value, gast.YieldFrom):
                plain.add(id(value))
                name = names.fresh("item")
                append = t.effect(t.method(items, "append", t.load(name)), place)
                result.append(t.for_(name, value.value, [append], place))
                continue
            if isinstance(s, gast.Return):
                if s.value is not None:
                    raise UnsupportedError("a generator that returns a value", place, "Append the values to a list and return it.")
                s.value = t.load(items)
            if isinstance(s, gast.While) and _endless(s):
                raise UnsupportedError("a generator that does not end", place, "Give it a number of values to make.")
            if not isinstance(s, gast.FunctionDef):
                t.map_raw_blocks(s, block)
            result.append(s)
        return result

    yields = list(own_yields(node))
    node.body = [t.assign(items, gast.List(elts=[], ctx=t.LOAD), origin), *block(node.body), t.return_(t.load(items), origin)]
    for item in yields:
        if id(item) not in plain:
            raise UnsupportedError("a generator that receives values (`x = yield`)", source.locate(item, origin),
                                   "Append the values to a list and return it.")
    node.generator = True


def handed_on(node: Any, scope: Scope) -> list[tuple[Any, str, Any]]:
    """A function that does nothing but return what a generator function makes is a generator, too: in place, `yield from` it.

    Gives what decided that, as (scope, name, object): what it calls, whether or not that is a generator function."""
    last = node.body[-1]
    call = last.value if isinstance(last, gast.Return) else None
    documented = len(node.body) == 2 and isinstance(node.body[0], gast.Expr) and isinstance(node.body[0].value, gast.Constant)
    if not (len(node.body) == 1 or documented) or not isinstance(call, gast.Call) or not isinstance(call.func, gast.Name) or (
            call.func.id in local_names(node)):
        return []
    called = scope.lookup(call.func.id)
    if not isinstance(called, types.FunctionType):
        return []
    if called.__code__.co_flags & GENERATOR:
        node.body[-1] = t.effect(gast.YieldFrom(value=call), t.origin_of(last))
    return [(scope, call.func.id, called)]


def _endless(s: Any) -> bool:
    constant = isinstance(s.test, gast.Constant) and bool(s.test.value)
    return constant and not any(isinstance(n, (gast.Return, gast.Break, gast.Raise)) for n in t.walk(s))


# --- The iterators of the standard library as generators, for the arguments that they are given.

TUPLES: dict[Any, tuple[str, str]] = {              # where the next position begins, and which it may not be
    itertools.combinations: ("{last} + 1, ", ""), itertools.combinations_with_replacement: ("{last}, ", ""),
    itertools.permutations: ("", "if {next} not in ({before}):")}
NESTED = 4              # longer tuples are lists


def library_generator(function: Any, args: Sequence, keywords: dict[str, Any]) -> Any:
    """The generator in plain Python that stands for an iterator of the standard library; None for other functions."""
    if not hashable(function):
        return None
    if function in TUPLES:
        size = args[1] if len(args) > 1 else keywords.get("r")
        fixed = size.value if isinstance(size, gast.Constant) and type(size.value) is int and 0 < size.value <= NESTED else 0
        counted = bool(args) and isinstance(args[0], gast.Call) and t.is_name(args[0].func, "range") and len(args[0].args) == 1
        return _tuples(function, fixed, counted)
    if function is itertools.product and not isinstance(keywords.get("repeat", t.const(1)), gast.Constant):
        return None if any(isinstance(a, gast.Starred) for a in args) else _repeated(len(args))
    if function is itertools.zip_longest:
        return _longest(len(args))
    if function is itertools.accumulate:
        given = [args[1] if len(args) > 1 else keywords.get("func"), keywords.get("initial")]
        return _accumulate(*(x is not None and not _is_none(x) for x in given))
    if function in (filter, itertools.filterfalse):
        return None if not args or _is_none(args[0]) else library.filtered if function is filter else library.filterfalse
    return library.ITERATORS.get(function)


@functools.cache
def _tuples(function: Any, size: int, counted: bool) -> Function:
    """combinations and permutations, as loops in loops where their size is known. counted: of range(n)."""
    name, names = function.__name__, [f"k{j}" for j in range(1, size + 1)]
    lines = [f"def {name}(iterable, r=None):", "    items = list(iterable)"]
    if counted and size:
        lines = [f"def {name}(items, r=None):"]
    if not size:
        return _written([*lines, "    for order in positions_of_tuples(choose, range(len(items)), r):",
                         "        yield [items[k] for k in order]"], choose=function,
                        positions_of_tuples=runtime.positions_of_tuples)
    start, test = TUPLES[function]
    indent = "    "
    for j, position in enumerate(names):
        places = {"last": names[j - 1], "next": position, "before": "".join(f"{n}, " for n in names[:j])}
        lines.append(f"{indent}for {position} in range({start.format(**places) if j else ''}len(items)):")
        indent += "    "
        if j and test:
            lines.append(indent + test.format(**places))
            indent += "    "
    return _written([*lines, f"{indent}yield {''.join(f'{n}, ' if counted else f'items[{n}], ' for n in names)}"])


@functools.cache
def _repeated(count: int) -> Function:
    """itertools.product of so many iterables, a number of times that is computed"""
    names = [f"items{j}" for j in range(1, count + 1)]
    ends = [" + ".join(f"len({n})" for n in names[:j]) or "0" for j in range(count + 1)]
    lines = [f"def product({', '.join(names)}, *, repeat):", f"    items = [{', '.join(f'*{n}' for n in names)}]",
             *(f"    {names[j]} = range({ends[j]}, {ends[j + 1]})" for j in reversed(range(count))),
             f"    for order in positions_of_tuples(choose, {', '.join(names)}, repeat=repeat):",
             "        yield tuple([items[k] for k in order])"]
    return _written(lines, choose=itertools.product, positions_of_tuples=runtime.positions_of_tuples)


@functools.cache
def _accumulate(folded: bool, started: bool) -> Function:
    """itertools.accumulate, with a function or not, and with a first value or not"""
    value = "func(total, item)" if folded else "total + item"
    lines = ["    total = initial", "    yield total",
             "    for item in iterable:", f"        total = {value}", "        yield total"]
    if not started:
        lines = ["    for position, item in enumerate(iterable):", "        if position == 0:", "            total = item",
                 "        else:", f"            total = {value}", "        yield total"]
    return _written(["def accumulate(iterable, func=None, *, initial=None):", *lines])


def _is_none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


@functools.cache
def _longest(count: int) -> Function:
    """itertools.zip_longest of so many iterables"""
    names = [f"items{j}" for j in range(1, count + 1)]
    sizes = ", ".join(f"len({n})" for n in names)
    items = "".join(f"{n}[k] if k < len({n}) else fillvalue, " for n in names)
    return _written([f"def zip_longest({''.join(f'{n}, ' for n in names)}*, fillvalue=None):",
                     *(f"    {n} = sequence({n})" for n in names),
                     f"    for k in range({f'max({sizes})' if count > 1 else sizes or '0'}):",
                     f"        yield {items or '()'}"], sequence=runtime.sequence)


def _written(lines: list[str], **bound: Any) -> Function:
    tree = gast.parse("\n".join(lines)).body[0]
    for s in t.statements([tree, *tree.body]):
        t.at(s, Origin(f"<{tree.name}>", s.lineno, 1, lines[s.lineno - 1].strip()))
    return Function(tree.name, tree, Scope({}, {}, bound))


# --- A loop over a generator function is the function with the loop's body in the place of its `yield`.
#
#     for x in halvings(a):                   x_2 = a
#         if x < tol:                         while True:
#             break                               x = x_2
#         total += x                              if x < tol:
#                                                     break
#                                                 total += x
#                                                 x_2 = x_2 / 2
#
# So both take turns, as in Python: the function may go on for ever, and each sees what the other changes. A loop over `enumerate`,
# `zip` or `islice` of such a call likewise. Generators that cannot be written out so (methods, recursive ones, a `yield` in a
# `try`) are read to their end before the loop begins: `generators`.

LONGEST = 60            # statements of a body that stands in several places
DEEPEST = 4             # generators in generators
LIBRARY = "library "    # how the keys of generators begin that stand for iterators of the standard library
BESIDE = (zip, enumerate, itertools.islice)
EAGER = (list, tuple, sum, max, min, sorted, set, frozenset, dict)         # they read all of their first argument
SPELLED = (filter, itertools.filterfalse)            # lists of them are comprehensions: `syntax.iterators`
EVALUATED: dict[type, tuple[str, ...]] = {         # parts of an expression in the order in which they are evaluated
    gast.BinOp: ("left", "right"), gast.UnaryOp: ("operand",), gast.Compare: ("left",), gast.Subscript: ("value", "slice"),
    gast.Starred: ("value",), gast.IfExp: ("test",)}


def generator_loops(node: Any, names: Names, static: Callable, bound: dict) -> list:
    """Write the loops of a function out, in place; gives the functions that were written out."""
    found = _Loops(node, names, static, bound)
    node.body = found.block(node.body)
    found.drop_unused()
    return found.taken


def _get(owner: Any, field: Any) -> Any:
    return owner[field] if isinstance(owner, list) else getattr(owner, field)


def _put(owner: Any, field: Any, value: Any) -> None:
    if isinstance(owner, list):
        owner[field] = value
    else:
        setattr(owner, field, value)


class _Refused(Exception):
    """The generator has to be read as a whole."""


class _Loops:
    def __init__(self, node: Any, names: Names, static: Callable, bound: dict) -> None:
        self.node, self.names, self.static, self.bound = node, names, static, bound
        self.inner = {s.name: s for s in t.statements(node.body) if isinstance(s, gast.FunctionDef) and any(own_yields(s))}
        stored = [n.id for n in t.walk(node) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)]
        for s in t.walk(node):
            stored += [s.name] if isinstance(s, gast.FunctionDef) else []
        self.inner = {name: s for name, s in self.inner.items() if stored.count(name) == 1}
        self.stored = set(stored)
        self.used: set[str] = set()                          # inner generators that were written out somewhere
        self.taken: list = []
        self.open: list[str] = []                            # generators that are being written out
        self.outer = {n for s in t.walk(node) if isinstance(s, gast.Nonlocal) for n in s.names}      # inner functions store them
        self.refused = 0                                     # loops that stayed as they are

    def block(self, block: list) -> list:
        result: list = []
        for s in block:
            if isinstance(s, gast.FunctionDef):
                self.taken += generator_loops(s, self.names, self.static, self.bound)
            else:
                t.map_raw_blocks(s, self.block)
            while (places := self.drawing(s)) and (new := self.drawn(places[:-1], places[-1], t.origin_of(s))) is not None:
                result += new
            result += self.loop(s) if isinstance(s, gast.For) else [s]
        return result

    def loop(self, s: gast.For) -> list:
        call, beside = self.parts(s.iter)
        found = self.generator(call) if isinstance(call, gast.Call) else None
        if found is None:
            return [s]
        try:
            return _Written(self, s, call, beside, *found).run()
        except _Refused:
            self.refused += 1
            return [s]

    # --- `return sum(v * v for v in powers(x))` is a loop that appends to a list, and `return sum(items)`.

    def drawing(self, s: Any) -> list[tuple[Any, Any]] | None:
        """Where a statement draws all items of a generator, as (owner, field or position), after what it computes before that."""
        plain = isinstance(s, (gast.Assign, gast.Return, gast.Expr)) or isinstance(s, gast.AugAssign) and isinstance(
            s.target, gast.Name) and s.target.id not in self.outer
        field = "value" if plain else "iter" if isinstance(s, gast.For) else "test" if isinstance(s, gast.If) else ""
        return self.first(s, field) if field else None

    def first(self, owner: Any, field: Any, eager: bool = False) -> list[tuple[Any, Any]] | None:
        """The same in an expression. eager: all that it gives is read at once."""
        node = _get(owner, field)
        comprehension = isinstance(node, gast.ListComp) or eager and isinstance(node, gast.GeneratorExp)
        iterables = [g.iter for g in node.generators] if comprehension else [node] if eager else []
        if any(self.is_single(self.parts(i)[0]) for i in iterables) and (comprehension or not self.is_any(node.func, SPELLED)):
            return [(owner, field)]
        if comprehension and self.first(node, "elt") is not None:
            return [(owner, field)]
        places: list[tuple[Any, Any]] = [(node, name) for name in EVALUATED.get(type(node), ())]
        if isinstance(node, gast.Call):
            places = [*((node.args, k) for k in range(len(node.args))), *((kw, "value") for kw in node.keywords)]
            turns = bool(node.keywords) and self.is_any(node.func, (max, min))          # they ask for a key after each item
            eager = self.is_any(node.func, EAGER) and not turns and bool(node.args) and all(
                self.is_settled(_get(*p)) for p in places[1:])
            if eager and len(places) == 1 and self.is_any(node.func, (list,)) and isinstance(node.args[0], gast.Call) and (
                    self.first(node.args, 0, True) == [(node.args, 0)]):
                return [(owner, field)]                      # the new list itself
            if not self.is_settled(node.func) and not (isinstance(node.func, gast.Attribute) and t.is_name(node.func.value)):
                return None
        elif isinstance(node, (gast.Tuple, gast.List)):
            places = [(node.elts, k) for k in range(len(node.elts))]
        elif isinstance(node, gast.BoolOp):
            places = [(node.values, 0)]
        elif comprehension:
            places = [(node.generators[0], "iter")]
        before: list = []
        for place in places:
            inner = _get(*place)
            found = self.first(*place, eager and place == (node.args, 0) if isinstance(node, gast.Call) else isinstance(
                node, gast.Starred)) if inner is not None else None
            if found is not None:
                return [*before, *found]
            if isinstance(inner, gast.Starred):
                return None
            if inner is not None and not self.is_settled(inner):
                before.append(place)
        return None

    def is_single(self, call: Any) -> bool:
        """Whether it calls a generator that nothing else calls, or one that cannot be a list."""
        found = self.generator(call) if isinstance(call, gast.Call) else None
        return found is not None and (
            found[0].startswith(LIBRARY) or any(isinstance(n, gast.While) and _endless(n) for n in t.walk(found[1]))
            or sum(isinstance(n, gast.Call) and t.same(n.func, call.func) for n in t.walk(self.node)) == 1)

    def is_settled(self, node: Any) -> bool:
        """Whether it does not matter when an expression is evaluated."""
        if isinstance(node, gast.Name):
            return node.id not in self.outer
        return isinstance(node, (gast.Constant, gast.Lambda)) or self.static(node) is not None

    def is_any(self, function: Any, known: Sequence) -> bool:
        found = self.static(function)
        return any(found is f for f in known)

    def drawn(self, before: list[tuple[Any, Any]], place: tuple[Any, Any], origin: Any) -> list | None:
        """The loops that make the list, with its name in the place of the expression; None if they cannot be written out."""
        owner, node = place[0], t.clone(_get(*place))
        whole = isinstance(owner, gast.Assign) and isinstance(owner.targets[0], gast.Name)
        items = self.names.fresh(owner.targets[0].id if whole else "items")
        if isinstance(node, gast.Call):
            node = node.args[0] if self.is_any(node.func, (list,)) else node
            item = self.names.fresh("item")
            body = [t.for_(item, node, [t.effect(t.method(items, "append", t.load(item)), origin)], origin)]
        else:
            if any(isinstance(n, (gast.Lambda, gast.NamedExpr)) for part in (node.elt, *(x for g in node.generators for x in g.ifs))
                   for n in t.walk(part)):
                return None
            outermost, node.generators[0].iter = node.generators[0].iter, t.const(None)          # (knows no targets)
            everywhere = [n.id for n in t.walk(self.node) if isinstance(n, gast.Name)]
            inside = [n.id for n in t.walk(node) if isinstance(n, gast.Name)]
            t.rename(node, {name: self.names.fresh(name) for g in node.generators for name in t.target_names(g.target)
                            if everywhere.count(name) != inside.count(name)})
            node.generators[0].iter = outermost
            body = [t.effect(t.method(items, "append", node.elt), origin)]
            for g in reversed(node.generators):
                for test in reversed(g.ifs):
                    body = [t.if_(test, body, [], origin)]
                body = [t.at(gast.For(target=g.target, iter=g.iter, body=body, orelse=[], type_comment=None), origin)]
        refused = self.refused
        body = self.block(body)
        if self.refused > refused or any(isinstance(n, gast.While) and _endless(n) and not any(
                try_.aim_of(x) for x in t.walk(n)) for s in body for n in t.walk(s)):
            return None
        earlier = [t.assign(self.names.fresh("value"), _get(*other), origin) for other in before]
        for (holder, field), new in zip([*before, place], [*(s.targets[0].id for s in earlier), items]):
            _put(holder, field, t.load(new))
        return [*earlier, t.assign(items, gast.List(elts=[], ctx=t.LOAD), origin), *body]

    def parts(self, node: Any) -> tuple[Any, tuple | None]:
        """The call of a generator in an iterable, and what is read beside it: (function, arguments, its position)."""
        if not isinstance(node, gast.Call) or any(isinstance(a, gast.Starred) for a in node.args):
            return None, None
        found = self.static(node.func)
        function = next((f for f in BESIDE if f is found), None)
        if function is None:
            return node, None
        calls = [k for k, a in enumerate(node.args) if isinstance(a, gast.Call) and self.generator(a) is not None]
        plain = not node.keywords and (function is zip or calls == [0] and len(node.args) <= 2)
        if len(calls) != 1 or not plain or function is itertools.islice and len(node.args) != 2:
            return None, None
        return node.args[calls[0]], (function, node.args, calls[0])

    def generator(self, call: Any) -> tuple[str, Any, Callable | None] | None:
        """(key, tree, how to look its names up) of the generator function that is called."""
        from sourcegrad.parse.resolve import readable
        if isinstance(call.func, gast.Name) and call.func.id in self.inner:
            return call.func.id, self.inner[call.func.id], None
        named = self.static(call.func)
        function = library_generator(named, call.args, {kw.arg: kw.value for kw in call.keywords}) or named
        if not isinstance(function, Function) and (
                not isinstance(function, types.FunctionType) or not function.__code__.co_flags & GENERATOR):
            return None
        described = readable(function)
        if described is None or described.object is not None and described.object is not function or not any(
                own_yields(described.tree)):
            return None
        if function is named:
            self.taken.append((call.func, function, described))

        def lookup(name: str) -> Any:
            value = described.scope.lookup(name)
            return None if value is MISSING else value

        if function is not named:
            return f"{LIBRARY}{named.__name__} {id(call)}", described.tree, lookup       # it never calls itself
        return f"{function.__module__}.{function.__qualname__}", described.tree, lookup

    def is_lazy(self, node: Any) -> bool:
        """Whether an expression makes an iterator that computes its items when they are asked for."""
        if isinstance(node, gast.GeneratorExp):
            return True
        return isinstance(node, gast.Call) and (self.is_any(node.func, (map, filter, zip, enumerate)) or getattr(
            self.static(node.func), "__module__", "") == "itertools" or self.generator(node) is not None)

    def drop_unused(self) -> None:
        """Inner generators that are called nowhere any more."""
        for name in self.used:
            unused = self.inner[name]
            inside = {id(n) for n in t.walk(unused)}
            if not any(t.is_name(n, name) and id(n) not in inside for n in t.walk(self.node)):
                self.node.body = _without(self.node.body, unused)


class _Filled(gast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def visit_Name(self, node: gast.Name) -> Any:
        return t.clone(self.values[node.id]) if node.id in self.values else node


class _Written:
    """One loop over one generator."""

    def __init__(self, loops: _Loops, s: gast.For, call: gast.Call, beside: tuple | None, key: str, tree: Any,
                 lookup: Callable | None) -> None:
        self.loops, self.s, self.call, self.beside = loops, s, call, beside
        self.key, self.lookup, self.names = key, lookup, loops.names
        self.original = tree
        self.tree = t.clone(tree)
        self.origin = t.origin_of(s)
        if key.startswith(LIBRARY):                          # the user sees the loop
            for node in t.walk(self.tree):
                gast.copy_location(node, s.iter)
                if isinstance(node, gast.stmt):
                    t.at(node, self.origin)
        self.changed: set[str] = {n.id for part in (s.target, *s.body) for n in t.walk(part)
                                  if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}

    def run(self) -> list:
        self.check()
        before = self.renamed()
        self.end = self.names.fresh("end")                   # of the generator: the loop's `else` comes next
        self.broken = self.names.fresh("end") if self.s.orelse else self.end
        self.first: list = []                                # what is read before the generator goes on
        self.then: list = []                                 # what is read after it
        setup = self.read_beside()
        if isinstance(self.tree.body[0], gast.Expr) and t.is_comment(self.tree.body[0]):
            del self.tree.body[0]
        self.loops.open.append(self.key)
        body = self.loops.block(self.block(self.tree.body))
        self.loops.open.pop()
        if self.lookup is None:
            self.loops.used.add(self.key)
        inside = self.jumps(body, self.end)
        whole = [*setup, *self.clone(self.first), *body]
        new = [try_.labelled(self.end, whole, self.origin)] if inside or self.first or self.then else whole
        if self.s.orelse:
            new = [*new, *self.s.orelse]
            new = [try_.labelled(self.broken, new, self.origin)] if self.jumps(new, self.broken) else new
        return [*before, *new]

    @staticmethod
    def jumps(block: list, label: str) -> bool:
        return any(try_.aim_of(n) == label for s in block for n in t.walk(s))

    @staticmethod
    def clone(block: list) -> list:
        return [t.clone(s) for s in block]

    # --- whether it can be written out

    def check(self) -> None:
        tree, call = self.tree, self.call
        yields = list(own_yields(tree))
        plain = {id(n.value) for n in t.walk(tree) if isinstance(n, gast.Expr)}
        arguments = tree.args
        body = sum(1 for _ in t.statements(self.s.body))
        nodes = [n for s in tree.body for n in t.walk(s)]
        kept = [n for n in nodes if isinstance(n, (gast.Try, gast.With)) and any(
            isinstance(x, (gast.Yield, gast.YieldFrom)) for x in t.walk(n))]
        if (self.key in self.loops.open or len(self.loops.open) >= DEEPEST or kept or tree.decorator_list
                or any(id(y) not in plain for y in yields)
                or len(yields) > 1 and len(yields) * body > LONGEST
                or len(yields) > 1 and any(isinstance(n, (gast.FunctionDef, gast.Lambda)) for s in self.s.body for n in t.walk(s))
                or arguments.vararg or arguments.kwarg or arguments.posonlyargs and call.keywords
                or any(isinstance(a, gast.Starred) for a in call.args) or any(kw.arg is None for kw in call.keywords)
                or any(isinstance(n, (gast.FunctionDef, gast.Global, gast.Import, gast.ImportFrom)) for n in nodes)
                or any(getattr(n, "name", None) or getattr(n, "rest", None) for n in nodes
                       if isinstance(n, (gast.MatchAs, gast.MatchStar, gast.MatchMapping)))       # names that are no `Name`
                or self.lookup is not None and any(isinstance(n, gast.Nonlocal) for n in nodes)
                or any(isinstance(n, gast.Return) and not isinstance(n.value, (gast.Constant, type(None))) for n in nodes)
                or any(t.is_name(n, name) for n in nodes for name in ("StopIteration", self.original.name))):
            raise _Refused

    # --- names

    def renamed(self) -> list:
        """Give the names of the generator their names here; what gives its parameters their values."""
        local = local_names(self.tree)
        changing = {n.id for s in self.tree.body for n in t.walk(s)
                    if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
        fixed = {n: self.outside(n) for n in free_names(self.tree)} if self.lookup is not None else {}
        before: list = []
        new: dict[str, str] = {}
        arguments = self.arguments()
        deferred = _deferred(self.tree.body, dict(arguments), self.loops)
        for name, value in arguments:
            if name in deferred:
                new[name] = self.names.fresh(name)
                deferred[new[name]] = deferred.pop(name)
                continue
            if name not in changing and isinstance(value, gast.Attribute) and self.loops.static(value) is not None:
                new[name] = self.names.fresh(name)
                deferred[new[name]] = value                  # operator.mul
                continue
            once = name not in changing and isinstance(value, gast.Name) and value.id not in self.changed | (
                changing if self.lookup is None else set())
            new[name] = value.id if once else self.names.fresh(name)
            if not once:
                before.append(t.assign(new[name], value, self.origin))
        for name in sorted(local - set(new)):
            new[name] = self.names.fresh(name)
        self.tree.body = [t.rename(s, {**fixed, **new}) for s in self.tree.body if not isinstance(s, gast.Nonlocal)]
        if deferred:
            self.tree.body = [_Filled(deferred).visit(s) for s in self.tree.body]
        return before

    def outside(self, name: str) -> str:
        """The name here for what a free name of the generator stands for."""
        assert self.lookup is not None
        value = self.lookup(name)
        if name not in self.loops.stored and self.loops.static(t.load(name)) is value:
            self.names.taken.add(name)
            return name
        if value is None or not isinstance(value, STATIC):
            raise _Refused
        here = self.names.fresh(name)
        self.loops.bound[here] = value
        return here

    def arguments(self) -> list[tuple[str, Any]]:
        """Each parameter with the expression for its argument, in the order in which they are evaluated."""
        arguments = self.tree.args
        names = [p.id for p in (*arguments.posonlyargs, *arguments.args)]
        if len(self.call.args) > len(names):
            raise _Refused
        given = dict(zip(names, self.call.args))
        for kw in self.call.keywords:
            if kw.arg in given or kw.arg not in (*names, *(p.id for p in arguments.kwonlyargs)):
                raise _Refused
            given[kw.arg] = kw.value
        defaults = dict(zip(names[len(names) - len(arguments.defaults):], arguments.defaults))
        defaults.update({p.id: d for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None})
        for name in (*names, *(p.id for p in arguments.kwonlyargs)):
            if name not in given:
                if not isinstance(defaults.get(name), gast.Constant):
                    raise _Refused
                given[name] = t.clone(defaults[name])
        return list(given.items())

    # --- statements

    def block(self, block: list, loop: bool = False) -> list:
        """Statements of the generator, with the body of the loop for `yield`; loop: the block is all that a loop repeats."""
        result: list = []
        for k, s in enumerate(block):
            value = getattr(s, "value", None)
            if isinstance(s, gast.Expr) and isinstance(value, gast.Yield):
                result += self.turn(value.value or t.const(None), t.origin_of(s), last=loop and k == len(block) - 1)
            elif isinstance(s, gast.Expr) and isinstance(value, gast.YieldFrom):
                item = self.names.fresh("item")
                body = self.turn(t.load(item), t.origin_of(s), last=True)
                result.append(t.for_(item, value.value, body, t.origin_of(s)))
            elif isinstance(s, gast.Return):
                result.append(try_.jump(self.end, t.origin_of(s)))
            else:
                for field in t.BLOCKS:
                    inner = getattr(s, field, None)
                    if isinstance(inner, list) and inner:
                        setattr(s, field, self.block(inner, isinstance(s, (gast.For, gast.While)) and field == "body"))
                for case in getattr(s, "cases", ()):
                    case.body = self.block(case.body)
                result.append(s)
        return result

    def turn(self, value: Any, origin: Any, last: bool) -> list:
        """The body of the loop for one item; last: the generator's loop has nothing else to do after it."""
        target, then = t.clone(self.s.target), self.clone(self.then)
        if self.beside is not None:
            function, args, place = self.beside
            items = [t.clone(x) for x in self.items]
            items.insert(place if function is zip else len(items), value)
            value = items[0] if function is itertools.islice else t.pack(items)
            if function is zip and then:                     # the generator goes first
                item = self.names.fresh("item")
                then.insert(0, t.assign(item, items[place], origin))
                value.elts[place] = t.load(item)
        if any(isinstance(n, (gast.Subscript, gast.Attribute)) for n in t.walk(target)):
            item = self.names.fresh("item")                  # an error in it is in the generator, one in the target is here
            then.append(t.assign(item, value, origin))
            value, origin = t.load(item), self.origin
        new = [*then, t.assign(target, value, origin), *self.clone(self.advance)]
        body, again = self.clone(self.s.body), self.clone(self.first)
        skip = self.names.fresh("turn")
        body = self.redirected(body, skip, native=last and not again)
        if self.jumps(body, skip):
            body = [try_.labelled(skip, body, self.origin)]
        return [*new, *body, *again]

    def redirected(self, block: list, skip: str, native: bool) -> list:
        """`break` ends the generator, `continue` lets it go on."""
        def new(s: Any) -> Any:
            if isinstance(s, gast.Break):
                return try_.jump(self.broken, t.origin_of(s))
            if isinstance(s, gast.Continue) and not native:
                return try_.jump(skip, t.origin_of(s))
            if isinstance(s, (gast.For, gast.While)):
                s.orelse = [new(x) for x in s.orelse]
            elif not isinstance(s, gast.FunctionDef):
                t.map_raw_blocks(s, lambda block: [new(x) for x in block])
            return s
        return [new(s) for s in block]

    # --- what is read beside the generator

    def read_beside(self) -> list:
        """Prepare what `zip`, `enumerate` and `islice` take besides: the items here and now, and how to get to the next."""
        self.items: list = []
        self.advance: list = []
        if self.beside is None:
            return []
        function, args, place = self.beside
        origin, count = self.origin, self.names.fresh("count")
        start = args[1] if function is enumerate and len(args) > 1 else t.const(0)
        setup = [t.assign(count, start, origin)]
        self.advance = [t.assign(count, t.binop(t.load(count), gast.Add(), t.const(1)), origin)]
        if function is enumerate:
            self.items = [t.load(count)]
            return setup
        stop = [try_.jump(self.end, origin)]
        if function is itertools.islice:
            limit = self.names.fresh("limit")
            setup.append(t.assign(limit, args[1], origin))
            self.first = [t.if_(_reached(count, t.load(limit)), stop, [], origin)]
            return setup
        for k, argument in enumerate(args):
            if k == place:
                continue
            if isinstance(argument, gast.Call) and getattr(self.loops.static(argument.func), "__module__", "") == "itertools":
                raise _Refused                               # it may be endless, too
            items = self.names.fresh("items")
            setup.append(t.assign(items, t.call(self.object(runtime.sequence), argument), origin))
            test = t.if_(_reached(count, t.call(self.object(len), t.load(items))), self.clone(stop), [], origin)
            (self.first if k < place else self.then).append(test)
            self.items.append(t.subscript(t.load(items), t.load(count)))
        return setup

    def object(self, value: Any) -> str:
        for name, known in self.loops.bound.items():
            if known is value:
                return name
        name = self.names.fresh(value.__name__)
        self.loops.bound[name] = value
        return name


def _without(block: list, unused: Any) -> list:
    for s in block:
        t.map_blocks(s, _without, unused)
    return [s for s in block if s is not unused]


def _deferred(body: list, values: dict[str, Any], loops: _Loops) -> dict[str, Any]:
    """Arguments that are iterators and that one loop of a generator goes over: they stand in that loop, so all take turns."""
    lazy = {name: value for name, value in values.items() if loops.is_lazy(value)}
    plain = all(name in lazy or isinstance(value, (gast.Name, gast.Constant, gast.Lambda, gast.Attribute))
                for name, value in values.items())
    found: dict[str, Any] = {}
    for s in body if plain and not any(isinstance(s, gast.Nonlocal) for s in body) else ():
        iterables = [s.iter, *(s.iter.args if isinstance(s.iter, gast.Call) else ())] if isinstance(s, gast.For) else []
        for node in iterables:
            if isinstance(node, gast.Name) and node.id in lazy and sum(
                    t.is_name(n, node.id) for part in body for n in t.walk(part)) == 1:
                found[node.id] = lazy[node.id]
        if iterables or not t.is_comment(s) and not (isinstance(s, gast.Assign) and isinstance(s.value, gast.Constant)):
            break
    return found


def _reached(count: str, limit: Any) -> gast.Compare:
    return gast.Compare(left=t.load(count), ops=[gast.GtE()], comparators=[limit])
