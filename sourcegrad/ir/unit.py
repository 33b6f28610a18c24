"""Function and Unit: what the passes work on."""
from __future__ import annotations

import builtins
import copy
import functools
import keyword
import re
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import (
    MISSING as MISSING,
    STATIC as STATIC,
    Members as Members,
    Scope as Scope,
    class_guards as class_guards,
    code_like as code_like,
    foreign as foreign,
    is_callable as is_callable,
    live_kind as live_kind,
    read_by as read_by,
)

MEMORY = "memory_"                     # the name of the state of objects
RESERVED = set(dir(builtins)) | set(keyword.kwlist)


class Names:
    """The supply of names of one generated function: no name is handed out twice."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)
        self.last: dict[str, int] = {}                      # the number of the name that was made from a base last

    def fresh(self, base: str) -> str:
        """An unused name made from `base`."""
        count = self.last.get(base, 1)
        name = base if count == 1 else f"{base}_{count}"
        while name in self.taken or name in RESERVED:
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        self.last[base] = count
        return name

    def copy(self) -> Names:
        names = Names(self.taken)
        names.last = dict(self.last)
        return names


def stem(name: str) -> str:
    """A name without its version number: x_2 -> x."""
    return re.sub(r"_\d+$", "", name) or name


@dataclass(eq=False)
class Function:
    """A function as the pipeline sees it: its tree (never modified), its scope and its Python object if any."""

    name: str
    tree: gast.FunctionDef
    scope: Scope
    object: Any = None
    pure: bool = False               # generated code: nothing but its value matters
    flat: bool = False               # in core Python but for attempts: part of a function on its way through the front end
    guards: list = field(default_factory=list)      # what else its tree was made from, as (scope, name, object)
    outputs: tuple[str, ...] = ()    # what it returns: "return" and the final content of parameters (empty: the value)
    variants: dict = field(default_factory=dict, repr=False)
    receiver: str | None = None      # the name of self where it is no parameter: in a constructor
    state: tuple = ()                # what of its Python object decided the tree
    handed: list = field(default_factory=list)      # and what names meant that did, as (scope, name, object)
    shares: frozenset = frozenset()  # (place, place, certain?): parts of parameters that are one object where it is called
    aux: bool = False                # it returns (value, what is no output)
    of: Function | None = field(default=None, repr=False)      # that it is a variant of: other `outputs` and `shares`
    caught: tuple = ()               # classes of exceptions, by handler, that it gives as results: `syntax.caught`
    memory: str = ""                 # "made", "entered" or "given": it names the state of its objects (see `lowering.places`)
    loop: Any = field(default=None, repr=False)     # of a loop that is computed again in reverse: its turns (`ad.checkpoints`)
    refused: tuple[str, ...] = ()    # why it is not differentiated, and what to do instead
    counter: str = ""                # the name that already counts the turns of its loop
    unread: frozenset[int] = frozenset()            # parts of its result whose values nobody reads: `ad.checkpoints`
    apart: bool = False              # it has other parameters than its Python object

    @property
    def plain(self) -> Function:
        """The function whose core Python, and its lowering, it shares."""
        return self.of or self

    def _variant(self, outputs: tuple[str, ...], shares: frozenset) -> Function:
        return Function(self.name, self.tree, self.scope, self.object, self.pure, self.flat, self.guards, outputs,
                        receiver=self.receiver, shares=shares, of=self.plain, memory=self.memory, caught=self.caught)

    def returning(self, *outputs: str) -> Function:
        """The function that returns the final content of parameters, too (or instead)."""
        if outputs == self.outputs:
            return self
        if outputs not in self.variants:
            self.variants[outputs] = self._variant(outputs, self.shares)
        return self.variants[outputs]

    def sharing(self, shares: frozenset) -> Function:
        """The function for arguments of which some parts are one object."""
        if shares == self.shares:
            return self
        key = ("sharing", shares)
        if key not in self.variants:
            self.variants[key] = self._variant(self.outputs, shares)
        return self.variants[key]

    def with_memory(self, memory: str) -> Function:
        """The function with the state of its objects under a name: "given" as an argument and returned, or "made" by itself."""
        key = ("memory", memory)
        if key not in self.variants:
            tree = copy.copy(self.tree)
            if memory == "given":
                tree.args = t.clone(tree.args)
                tree.args.kwonlyargs = [*tree.args.kwonlyargs, t.parameter(MEMORY)]
                tree.args.kw_defaults = [*tree.args.kw_defaults, None]
            self.variants[key] = Function(self.name, tree, self.scope, self.object, self.pure, self.flat, self.guards,
                                          receiver=self.receiver, aux=self.aux, memory=memory, caught=self.caught)
        found: Function = self.variants[key]
        return found

    def catching(self, exceptions: tuple) -> Function:
        """The function that gives (path, error, value), and raises none of some exceptions."""
        key = ("caught", exceptions, tuple(map(type, exceptions)))
        if key not in self.variants:
            self.variants[key] = Function(self.name, copy.copy(self.tree), self.scope, self.object, self.pure, self.flat,
                                          self.guards, receiver=self.receiver, caught=exceptions)
        found: Function = self.variants[key]
        return found

    @property
    def origin(self) -> Origin | None:
        return t.origin_of(self.tree)

    @property
    def label(self) -> str:
        """What generated functions are named after: Layer_call for Layer.__call__."""
        if not self.name.startswith("__"):
            return self.name
        path = getattr(self.object, "__qualname__", "").split(".")
        owner = f"{path[-2]}_" if len(path) > 1 and path[-2].isidentifier() else ""
        return owner + self.name.strip("_")

    @property
    def plain_label(self) -> str:
        """The name of the function without derivative: what makes a Queue is new_Queue, as Queue is the class."""
        return f"new_{self.label}" if getattr(self.object, "__name__", "") == "__init__" != self.name else self.label

    @functools.cached_property
    def nodes(self) -> frozenset[int]:
        """Ids of the nodes of the tree, which stay what they are."""
        return frozenset(id(node) for node in t.walk(self.tree))

    @functools.cached_property
    def local(self) -> set[str]:
        """Parameters and everything that the function binds."""
        return local_names(self.tree)

    def with_constant(self, name: str, value: Any) -> Function:
        """The function with a keyword-only parameter fixed to a value."""
        tree = t.clone(self.tree)
        position = [p.id for p in tree.args.kwonlyargs].index(name)
        del tree.args.kwonlyargs[position], tree.args.kw_defaults[position]
        fixed = Names({n.id for n in t.walk(tree) if isinstance(n, gast.Name)}).fresh(f"fixed_{name}")
        t.rename(tree, {name: fixed})
        return Function(self.name, tree, Scope(self.scope.globals, self.scope.cells, {**self.scope.bound, fixed: value}),
                        self.object, self.pure, self.flat, self.guards)

    def with_aux(self, marker: Any) -> Function:
        """The function, which returns (value, anything), with that second part as a constant, marked by a call."""
        if "aux" not in self.variants:
            names = Names({n.id for n in t.walk(self.tree) if isinstance(n, gast.Name)})
            marking = MarkAux(names.fresh("aux"), names)
            scope = Scope(self.scope.globals, self.scope.cells, {**self.scope.bound, marking.marker: marker})
            tree = t.clone(self.tree)
            tree.body = marking.block(tree.body)
            self.variants["aux"] = Function(self.name, tree, scope, self.object, self.pure, self.flat, self.guards, aux=True,
                                            receiver=self.receiver)
        found: Function = self.variants["aux"]
        return found

    def with_closure(self, parameter: str, maker: Maker, captured: list[str]) -> Function:
        """The function that is given what an inner function captures, and makes that function itself.

            def rk4(f, y, dt):                      def rk4(y, dt, *, sigma, rho):
                k1 = f(y)                               f = f_closure(sigma, rho)
                ...                                     k1 = f(y)
        """
        key = ("closure", parameter, id(maker.function), maker.keywords, len(captured))
        if key not in self.variants:
            names = Names({n.id for n in t.walk(self.tree) if isinstance(n, gast.Name)})
            own, made = [names.fresh(name) for name in captured], names.fresh(f"{parameter}_closure")
            tree = copy.copy(self.tree)
            tree.args = args = t.clone(tree.args)
            for part in (args.posonlyargs, args.args):       # (it has no default)
                part[:] = [p for p in part if p.id != parameter]
            for position in [j for j, p in enumerate(args.kwonlyargs) if p.id == parameter]:
                del args.kwonlyargs[position], args.kw_defaults[position]
            args.kwonlyargs += map(t.parameter, own)
            args.kw_defaults += [None] * len(own)
            tree.body = [t.assign(parameter, t.call(made, *map(t.load, own)), self.origin), *tree.body]
            scope = Scope(self.scope.globals, self.scope.cells, {**self.scope.bound, made: maker})
            self.variants[key] = Function(self.name, tree, scope, self.object, self.pure, self.flat, self.guards,
                                          receiver=self.receiver, aux=self.aux, apart=True)
        found: Function = self.variants[key]
        return found

    def with_stars(self, count: int, keys: tuple[str, ...]) -> Function:
        """The function with a parameter for each value that its `*args` and `**options` take: so many, and under these keys."""
        key = ("stars", count, keys)
        if key not in self.variants:
            names = Names({n.id for n in t.walk(self.tree) if isinstance(n, gast.Name)})
            tree = copy.copy(self.tree)
            star, options = self.tree.args.vararg, self.tree.args.kwarg
            own, named = [names.fresh(f"{star.id}_{j}") for j in range(count)], [names.fresh(name) for name in keys]
            before = [] if star is None else [t.assign(star.id, t.pack([*map(t.load, own)]), self.origin)]
            if options is not None:
                display = gast.Dict(keys=[*map(t.const, keys)], values=[*map(t.load, named)])
                before.append(t.assign(options.id, display, self.origin))
            tree.args = args = t.clone(tree.args)
            args.vararg = args.kwarg = None
            args.kwonlyargs += map(t.parameter, (*own, *named))
            args.kw_defaults += [None] * (len(own) + len(named))
            tree.body = [*before, *tree.body]
            self.variants[key] = Function(self.name, tree, self.scope, self.object, self.pure, self.flat, self.guards,
                                          receiver=self.receiver, aux=self.aux, apart=True)
        found: Function = self.variants[key]
        return found

    @functools.cached_property
    def generator(self) -> bool:
        """Whether it yields: in core Python it returns a list."""
        return is_generator(self.tree)

    @property
    def lists(self) -> bool:
        """Whether it reads an iterator of the user's to a list: a generator, or what `parse.classes.iteration` writes."""
        return self.generator or getattr(self.tree, "lists", False)

    @property
    def parameters(self) -> list[str]:
        a = self.tree.args
        stars = [p for p in (a.vararg, a.kwarg) if p is not None]
        return [p.id for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, *stars)]


class MarkAux(gast.NodeTransformer):
    """The second part of what a function returns, as the argument of a marker: `return value, marker(aux)`."""

    def __init__(self, marker: str, names: Names) -> None:
        self.marker, self.names = marker, names

    def block(self, body: list) -> list:
        found: list = []
        for s in body:
            new = self.visit(s)
            found += new if isinstance(new, list) else [new]
        return found

    def visit_FunctionDef(self, node: Any) -> Any:
        return node                                          # inner functions return something else

    visit_Lambda = visit_FunctionDef

    def visit_Return(self, node: Any) -> Any:
        value, before, origin = node.value, [], t.origin_of(node)
        if value is None:
            return node
        if not isinstance(value, gast.Tuple) or len(value.elts) != 2 or any(isinstance(x, gast.Starred) for x in value.elts):
            parts = [self.names.fresh("output"), self.names.fresh("rest")]
            before, value = [t.unpack(parts, value, origin)], t.pack([*map(t.load, parts)])
        value.elts[1] = t.call(self.marker, value.elts[1])
        return [*before, t.return_(value, origin)]


@dataclass(eq=False)
class Unit:
    """A function on its way through the pipeline."""

    function: Function
    tree: gast.FunctionDef
    env: dict[str, Any] = field(default_factory=dict)      # names of known objects that the tree may use
    relies: dict = field(default_factory=dict)             # (owner, name) -> (scope, name, object or kind): what is guarded
    names: Names = field(default_factory=Names)
    counters: set[str] = field(default_factory=set)        # trip counters of loops with exits
    statics: dict = field(default_factory=dict)            # calls evaluated at generation (sg.grad(f) inside f)
    tapes: set[str] = field(default_factory=set)           # lists that the reverse transformation made
    unset: set[str] = field(default_factory=set)           # names that start as None only to be defined
    reread: dict[str, str] = field(default_factory=dict)   # names that memory reads again -> the names they stand for
    harmless: dict[Any, bool] = field(default_factory=dict)    # helpers that were looked at: whether they only compute
    undefined: dict[str, Origin | None] = field(default_factory=dict)      # names that nobody defines, and where they are read
    doubting: bool = False                                 # operators or properties may be left whose methods change objects
    doubted: bool = False                                  # something was not taken for known because of that
    adjoints: dict[str, str] = field(default_factory=dict)      # name of an adjoint -> of what
    tangents: dict[str, str] = field(default_factory=dict)      # name of a tangent -> of what
    alike: dict[str, str] = field(default_factory=dict)         # name of an array of unknown shape -> of another of that shape
    expressions: dict = field(default_factory=dict, repr=False)         # kinds of expressions: `analysis.types.Infer.known`
    arrays: frozenset = frozenset()                        # attributes and parameters whose arrays are places: `held_arrays`
    lists: bool = False                                    # lists that others hold are places, too
    dicts: bool = False                                    # dicts that others hold are places, too
    empty: frozenset = frozenset()                         # classes of lists and dicts without items, over which there were loops
    listed: bool = False                                   # what lists hold has just been written with the state of objects
    emptied: set[str] = field(default_factory=set)         # adjoints of lists that one loop fills: the reversed one empties them

    @property
    def parameters(self) -> list[str]:
        return self.function.parameters

    def copy(self) -> Unit:
        """An independent copy, for one specialisation."""
        return Unit(self.function, t.clone(self.tree), dict(self.env), self.relies, self.names.copy(),
                    set(self.counters), self.statics, set(self.tapes), set(self.unset), dict(self.reread), self.harmless,
                    self.undefined, expressions=self.expressions, lists=self.lists, dicts=self.dicts, arrays=self.arrays,
                    empty=self.empty)

    def rely(self, scope: Any, name: str, seen: Any) -> None:
        """Guard what a name means: an object, or the kind of data. Copies share what is guarded: what was looked at once counts."""
        self.relies.setdefault((id(getattr(scope, "owner", scope)), name), (scope, name, seen))

    def watch(self, owner: Any, name: str) -> Any:
        """Guard an attribute of a module or class: data by their kind. Of a class all that is no data is guarded."""
        members = Members(owner)
        value = members.lookup(name)
        if isinstance(owner, type):
            known = (id(owner), "") in self.relies or (id(owner), "__mro__") in self.relies
            for item in () if known else class_guards(owner):
                self.rely(*item)
        kept = isinstance(owner, type) and code_like(value) or foreign(owner) and not (
            isinstance(owner, types.ModuleType) and callable(value))
        if (id(owner), name) not in self.relies and not kept:
            self.rely(members, name, value if code_like(value) else live_kind(value, name))
        return value

    def check_defined(self) -> None:
        """Refuse names that nobody defines, where code that may run reads them."""
        read = {n for s in t.statements(self.tree.body) for n in t.header_reads(s)} if self.undefined else set()
        sure = set() if self.function.flat else {n for s in self.tree.body for n in t.header_reads(s)}       # (not in a `try`)
        for name, origin in self.undefined.items():
            if name in read and name not in sure:
                self.rely(self.function.scope, name, MISSING)        # Python raises an error, if the code runs
            elif name in read:
                raise UnsupportedError(f"name '{name}' is not defined", origin, "Define it before asking for the gradient.")

    def use(self, value: Any, preferred: str) -> str:
        """A name under which the tree may refer to a known object."""
        for name, known in self.env.items():
            if known is value:
                return name
        preferred = preferred if preferred.isidentifier() else "function"          # <lambda>
        preferred += "_" * keyword.iskeyword(preferred)                            # of __and__
        name = preferred if preferred not in self.names.taken else self.names.fresh(preferred)
        self.names.taken.add(name)
        self.env[name] = value
        return name

    def outer(self, name: str) -> Any:
        """What a name means outside of the function; MISSING if it is a local one, also where nothing assigns it any more."""
        return MISSING if name in self.function.local else self.function.scope.lookup(name)

    def lookup(self, node: Any) -> Any:
        """The object that an expression names, or MISSING if it is not static."""
        if node.__class__ is gast.Name:
            return self.env.get(node.id, MISSING)
        owner = self.lookup(node.value) if node.__class__ is gast.Attribute else MISSING
        if owner is not MISSING and isinstance(owner, (types.ModuleType, type, np.ufunc)):
            return getattr(owner, node.attr, MISSING)
        return MISSING

    def called(self, call: gast.Call) -> Any:
        """The object that a call names, a builtin if nothing else has its name; MISSING if it is not static."""
        found = self.lookup(call.func)
        return getattr(builtins, call.func.id, MISSING) if found is MISSING and t.is_name(call.func) else found


def local_names(node: Any) -> set[str]:
    """Names that are local to a function: parameters and everything it binds (nested scopes excluded)."""
    found = {p.id for p in t.walk(node.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param)}
    body = node.body if isinstance(node.body, list) else [node.body]
    outside = {n for s in t.statements(body if body is node.body else [])
               if isinstance(s, (gast.Global, gast.Nonlocal)) for n in s.names}

    def visit(item: Any) -> None:
        if isinstance(item, gast.FunctionDef):
            found.add(item.name)
            for default in (*item.args.defaults, *(d for d in item.args.kw_defaults if d), *item.decorator_list):
                visit(default)
            return
        if isinstance(item, gast.Lambda):
            return
        if isinstance(item, (gast.ListComp, gast.GeneratorExp, gast.SetComp, gast.DictComp)):
            found.update(n.target.id for n in t.walk(item) if isinstance(n, gast.NamedExpr))
            return
        if isinstance(item, gast.Name):
            if isinstance(item.ctx, (gast.Store, gast.Del)):
                found.add(item.id)
            return
        for child in t.children(item):
            visit(child)

    for item in body:
        visit(item)
    return found - outside


def free_names(node: Any) -> list[str]:
    """Names that a function, lambda or expression reads from outside, in order of first use."""
    found: dict[str, None] = {}

    def visit(item: Any, bound: frozenset[str]) -> None:
        if isinstance(item, (gast.FunctionDef, gast.Lambda)):
            for default in (*item.args.defaults, *(d for d in item.args.kw_defaults if d),
                            *getattr(item, "decorator_list", ())):
                visit(default, bound)
            inner = bound | local_names(item)
            for child in item.body if isinstance(item.body, list) else [item.body]:
                visit(child, inner)
            return
        if isinstance(item, (gast.ListComp, gast.GeneratorExp, gast.SetComp, gast.DictComp)):
            inner = bound | {n for g in item.generators for n in t.target_names(g.target)}
            for child in t.children(item):
                visit(child, inner)
            return
        if isinstance(item, gast.Name) and isinstance(item.ctx, gast.Load) and item.id not in bound:
            found.setdefault(item.id)
        for child in t.children(item):
            visit(child, bound)

    visit(node, frozenset())
    return list(found)


def own_yields(node: Any) -> Iterator[Any]:
    """The `yield` expressions of a function itself, inner functions excluded."""
    for s in node.body:
        stack = [s]
        while stack:
            item = stack.pop()
            if isinstance(item, (gast.Yield, gast.YieldFrom)):
                yield item
            if not isinstance(item, (gast.FunctionDef, gast.Lambda)):
                stack += t.children(item)


def is_generator(node: Any) -> bool:
    return isinstance(node, gast.FunctionDef) and (getattr(node, "generator", False) or any(True for _ in own_yields(node)))


@dataclass(eq=False)
class Maker:
    """Makes the closure value of a lifted function or partial; its kind tells which function it is."""

    function: Any
    captured: list[str]
    keywords: tuple[str, ...] = ()
    __sourcegrad_callable__ = True

    def __call__(self, *values: Any) -> tuple:
        return values
