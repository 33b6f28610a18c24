"""Name resolution: what every free name of a function means when its derivative is generated.

Syntax outside the language is refused first, with what to write instead; imports inside the function are resolved as if they
stood at module level.
"""
from __future__ import annotations

import ast
import builtins
import functools
import importlib
import operator
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

import gast
import numpy as np

from sourcegrad.errors import Origin, SourceError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import (
    MISSING,
    STATIC,
    Members,
    Scope,
    check_meant,
    foreign,
    is_callable,
    is_distribution,
    mark,
    transparent,
)
from sourcegrad.ir.unit import Function, Names, Unit, free_names, local_names, own_yields
from sourcegrad.parse.generators import generator_loops, generators, handed_on
from sourcegrad.parse.statements import STATEMENTS

REFUSED: dict[str, tuple[str, str]] = {
    "TryStar": ("`except*`", "Test for the condition with `if` before the operation that may fail."),
    "ClassDef": ("a class defined inside the function", "Define the class at module level."),
    "AsyncFunctionDef": ("an async function", "Write an ordinary function."),
    "AsyncFor": ("`async for`", "Write an ordinary loop."),
    "AsyncWith": ("`async with`", "Move it to the caller of the differentiated function."),
    "Await": ("`await`", "Await in the caller and pass the value."),
}
DYNAMIC = {"eval", "exec", "compile", "globals", "locals", "vars", "delattr", "__import__"}


def fence(tree: gast.FunctionDef, outermost: bool = True) -> None:
    """Raise a located UnsupportedError for the first thing in the function that is not in the language.

    outermost: this is the function that is differentiated, and not one that it calls.
    """
    if isinstance(tree, gast.AsyncFunctionDef):
        _check(tree, t.origin_of(tree))
    for statement in tree.body:
        _visit(statement, t.origin_of(statement) or t.origin_of(tree))
    if outermost:
        for item in own_yields(tree):
            refuse("a generator (`yield`)", item, t.origin_of(tree), "Append the values to a list and return it.")
    _check_deleted(tree)
    _check_global(tree)
    for s in _statements(tree.body):
        if isinstance(s, gast.Nonlocal):
            refuse(f"`nonlocal {', '.join(s.names)}` of a variable outside the differentiated function", s, t.origin_of(s),
                   "Return the new value.")


def _visit(node: Any, origin: Origin | None) -> None:
    origin = t.origin_of(node) or origin
    _check(node, origin)
    for child in gast.iter_child_nodes(node):
        if child._fields:
            _visit(child, origin)


def refuse(what: str, node: Any, origin: Origin | None, remedy: str) -> NoReturn:
    raise UnsupportedError(f"{what} cannot be differentiated", source.locate(node, origin), remedy)


def _check(node: Any, origin: Origin | None) -> None:
    name = type(node).__name__
    if name in REFUSED:
        refuse(REFUSED[name][0], node, origin, REFUSED[name][1])
    if isinstance(node, (gast.For, gast.comprehension)) and any(
            isinstance(n, (gast.Subscript, gast.Attribute)) and not isinstance(n.ctx, gast.Load) for n in t.walk(node.target)):
        refuse("a loop that stores into an array element", node.target, origin, "Loop over a name and store it in the body.")
    if isinstance(node, gast.Delete):
        for target in node.targets:
            if isinstance(target, gast.Attribute):
                refuse("deleting an attribute", target, origin, "Keep the value in a local variable.")
    if isinstance(node, gast.Dict):
        for key in node.keys:
            if isinstance(key, gast.Constant) and sum(
                    other.value == key.value for other in node.keys if isinstance(other, gast.Constant)) > 1:
                refuse("a dict display with a repeated key", key, origin, "Keep the last entry of the key.")
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in DYNAMIC:
        refuse(f"`{node.func.id}`", node, origin, "Write the code out: what runs must be visible in the source.")
    if any(g.is_async for g in getattr(node, "generators", ())):
        refuse("an async comprehension", node, origin, "Write an ordinary comprehension.")


def _check_global(tree: Any) -> None:
    """A function may read a global that it declares, not store into it: the gradient changes nothing outside."""
    for function in t.walk(tree):
        if not isinstance(function, gast.FunctionDef):
            continue
        for s in _statements(function.body):
            for name in s.names if isinstance(s, gast.Global) else ():
                store = next((n for n in t.walk(function) if isinstance(n, gast.Name) and n.id == name
                              and not isinstance(n.ctx, gast.Load)), None)
                if store is not None:
                    refuse(f"a store into the global '{name}'", store, t.origin_of(s),
                           "Pass the value as an argument and return the new one.")


def _statements(block: list) -> Iterator[Any]:
    """All statements of a block, those of handlers, cases and `finally` as well, without those of inner functions."""
    for s in block:
        yield s
        if not isinstance(s, gast.FunctionDef):
            for part in (s, *getattr(s, "handlers", ()), *getattr(s, "cases", ())):
                for field in (*t.BLOCKS, "finalbody"):
                    inner = getattr(part, field, None)
                    yield from _statements(inner) if isinstance(inner, list) else ()


def _check_deleted(tree: Any) -> None:
    """`del x` of a name only ends its life; a read that follows it in the text and would fail is refused."""
    for statement in _statements(tree.body):
        for target in getattr(statement, "targets", ()) if isinstance(statement, gast.Delete) else ():
            if not isinstance(target, gast.Name):
                continue                                    # an item: see `syntax.iterators`
            after = [n for n in t.walk(tree) if isinstance(n, gast.Name) and n.id == target.id
                     and (getattr(n, "lineno", 0), getattr(n, "col_offset", 0)) > (target.lineno, target.col_offset)]
            if after and not any(isinstance(n.ctx, gast.Store) for n in after):
                refuse(f"`del {target.id}` of a name that is read further down", target, t.origin_of(statement),
                       "Leave it out: the name ends with the function.")


Found = list[tuple[str, Any, tuple | None]]      # name, object, (module, attribute) that it was taken from


class Absent:
    """Stands for what an import that fails would have bound; the statement itself becomes a `raise`."""

    def __init__(self, name: str) -> None:
        self.name = name


def hoist(node: Any, module_globals: dict) -> Found:
    """Take the imports out of a function (inner functions included) and return what they bind.

    Where its name is bound in another way, too, an import becomes an assignment of what it gives, under a name of its own. A `try`
    that does no more than that, and can, is as if it were not there.
    """
    found: Found = []
    for owner in list(t.walk(node)):
        for field in (*t.BLOCKS, "finalbody"):
            block = getattr(owner, field, None)
            if isinstance(block, list):
                block[:] = [new for s in block for new in _untried(s, module_globals)]
    stores = {n.id for n in t.walk(node) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
    names = {n.name for n in t.walk(node) if isinstance(n, gast.FunctionDef)} | stores
    imported: dict[str, list] = {}
    for s in t.walk(node):
        for alias in s.names if isinstance(s, (gast.Import, gast.ImportFrom)) else ():
            imported.setdefault(_local_name(alias), []).append((type(s), getattr(s, "module", None), alias.name))
    names |= {name for name, ways in imported.items() if len(set(ways)) > 1}
    taken = Names(n.id for n in t.walk(node) if isinstance(n, gast.Name))
    for owner in list(t.walk(node)):
        for field in (*t.BLOCKS, "finalbody"):
            block = getattr(owner, field, None)
            if isinstance(block, list):
                block[:] = [new for s in block for new in _statement(s, found, names, taken, module_globals)]
    return found


def _untried(s: Any, module_globals: dict) -> list:
    """What there is of a `try` when it cannot fail: its imports are made here, and handlers mean nothing."""
    if not (isinstance(s, gast.Try) and s.handlers) or not all(
            isinstance(x, (gast.Import, gast.ImportFrom, gast.Pass)) or isinstance(x, (gast.Expr, gast.AnnAssign)) and (
                x.value is None or isinstance(x.value, gast.Constant)) for x in s.body):
        return [s]
    try:
        for x in s.body:
            for alias in getattr(x, "names", ()):
                _bound(x, alias, module_globals)
    except ImportError:
        return [s]
    if not s.finalbody:
        return [*s.body, *s.orelse]
    s.body, s.handlers, s.orelse = [*s.body, *s.orelse], [], []
    return [s]


def _statement(s: Any, found: Found, names: set[str], taken: Names, module_globals: dict) -> list:
    """What stands for a statement. names: what is bound in several ways."""
    if not isinstance(s, (gast.Import, gast.ImportFrom)):
        return [s]
    origin = t.origin_of(s)
    try:
        new = [_bound(s, alias, module_globals) for alias in s.names]
    except ImportError as error:
        found += [(_local_name(alias), Absent(alias.name), None) for alias in s.names]
        problem = t.call(type(error).__name__, t.const(str(error)))
        return [t.at(gast.copy_location(gast.Raise(exc=problem, cause=None), s), origin)]
    assigned: list = []
    for name, value, member in new:
        own = taken.fresh(f"{name}_imported") if name in names else name
        if own != name:
            assigned.append(t.at(gast.copy_location(t.assign(name, t.load(own), origin), s), origin))
        found.append((own, value, member))
    return assigned or [t.at(gast.copy_location(gast.Pass(), s), origin)]


def _local_name(alias: Any) -> str:
    return str(alias.asname or alias.name.split(".")[0])


def _bound(s: Any, alias: Any, module_globals: dict) -> tuple[str, Any, tuple | None]:
    """Name and object that one part of an import statement binds."""
    if isinstance(s, gast.Import):
        module = importlib.import_module(alias.name)
        value = module if alias.asname else importlib.import_module(alias.name.split(".")[0])
        return _local_name(alias), value, None
    package = module_globals.get("__package__") or module_globals.get("__name__", "")
    path = "." * (s.level or 0) + (s.module or "")
    module = importlib.import_module(path, package) if s.level else importlib.import_module(path)
    if not hasattr(module, alias.name):
        return _local_name(alias), importlib.import_module(f"{module.__name__}.{alias.name}"), None
    return _local_name(alias), getattr(module, alias.name), (module, alias.name)


_described: weakref.WeakValueDictionary = weakref.WeakValueDictionary()           # (nobody is kept alive)
_own: list[Function] = []                    # helpers of sourcegrad itself, for which almost every derivative asks


class Kept(dict[int, Function]):
    """The functions that were described for a derivative, by id; made: derivatives that its code asks for (`api.derivatives`)."""

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[Any, Any] = {}


_keeping: ContextVar[Kept | None] = ContextVar("keeping", default=None)


@contextmanager
def keeping_described() -> Iterator[None]:
    """While one derivative is generated, what was parsed for it stays: `describe` looks at each function once.

    (What decides the tree of a function is compared at each call of `describe`, however long the tree is kept.)"""
    token = _keeping.set(Kept() if _keeping.get() is None else _keeping.get())
    try:
        yield
    finally:
        _keeping.reset(token)


def made_now() -> dict[Any, Any]:
    """Derivatives that were made for the derivative that is generated: who asks for one again gets the same."""
    kept = _keeping.get()
    return {} if kept is None else kept.made


def described_now() -> list[Function]:
    """The functions that were described for the derivative that is generated."""
    return list((_keeping.get() or {}).values())


def describe(function: Any) -> Function:
    """The Function of a Python function, bound method, lambda or generated function (SourceError if it has none)."""
    if isinstance(function, Function):
        return function
    if getattr(type(function), "__sourcegrad_effects__", False):         # custom_vjp, checkpoint
        return describe(function.plain)
    known = mark(function, "__sourcegrad__")
    if isinstance(known, Function):
        return known
    state = _state(function)
    key = id(getattr(function, "__self__", None)), id(getattr(function, "__func__", function))
    described = _described.get(key)
    kept = _keeping.get()
    if described is not None and len(described.state) == len(state) and all(map(operator.is_, described.state, state)) and (
            all(scope.lookup(name) is value for scope, name, value in described.handed)):
        if kept is not None:
            kept[id(described)] = described
        return described
    node, _ = source.parse(function)
    if isinstance(node, gast.Lambda):
        origin = t.origin_of(node)
        node = t.function("lambda_", node.args, [t.return_(node.body, origin)], origin)
    name = function.__name__ if function.__name__.isidentifier() else "f"
    node.name = name
    held = _set_defaults(node, function)
    found = hoist(node, function.__globals__)
    scope = Scope(function.__globals__, source.cells_of(function), {**{local: value for local, value, _ in found}, **held})
    guards = [(Members(origin[0]), origin[1], value) for _, value, origin in found if origin]
    handed = handed_on(node, scope)
    described = _described[key] = Function(name, node, scope, function, guards=guards + handed, state=state, handed=handed)
    if kept is not None:
        kept[id(described)] = described
    if str(function.__module__).startswith("sourcegrad.") and getattr(
            sys.modules.get(function.__module__), function.__name__, None) is function:
        _own.append(described)
    return described


def readable(function: Any) -> Function | None:
    """The Function of a Python function; None if it has no source."""
    try:
        return describe(function)
    except SourceError:
        return None


def _state(function: Any) -> tuple:
    """What of a function object decides its tree; all of it can be assigned to."""
    keywords = getattr(function, "__kwdefaults__", None) or {}
    return (getattr(function, "__code__", None), getattr(function, "__defaults__", None), *keywords, *keywords.values())


def _set_defaults(tree: Any, function: Any) -> dict[str, Any]:
    """Defaults as they are now, where they are not those of the source text any more; names for those that are functions."""
    arguments = tree.args
    values = function.__defaults__ or ()
    written = [None] * len(values) + arguments.defaults
    known = {**vars(builtins), **function.__globals__}
    names = Names(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
    held: dict[str, Any] = {}

    def default(node: Any, value: Any, parameter: str) -> Any:
        if not isinstance(value, STATIC):
            return _default(node, value, known)
        name = names.fresh(f"{parameter}_default")           # what the written name stands for may have changed since
        held[name] = value
        return t.load(name)

    positional = [p.id for p in (*arguments.posonlyargs, *arguments.args)]
    arguments.defaults = [default(node, value, name) for node, value, name in zip(
        written[len(written) - len(values):], values, positional[len(positional) - len(values):])]
    keywords = function.__kwdefaults__ or {}
    arguments.kw_defaults = [default(node, keywords[p.id], p.id) if p.id in keywords else None
                             for p, node in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return held


def _default(node: Any, value: Any, known: dict[str, Any]) -> Any:
    """The written default if it stands for the value, else the value if it can be written, else any expression."""
    if node is not None:
        try:
            written = ast.literal_eval(gast.gast_to_ast(node))
        except (ValueError, TypeError):
            if all(n.id in known for n in t.walk(node) if isinstance(n, gast.Name)):
                return node                              # an expression: its value is looked up anyway
        else:
            if repr(written) == repr(value):
                return node
    writable = type(value) in (int, float, bool, str, type(None)) and repr(value) not in ("inf", "-inf", "nan")
    return t.const(value) if writable else gast.Tuple(elts=[], ctx=t.LOAD)


def resolve(function: Function, traps: tuple[gast.FunctionDef, dict[str, Any]] | None = None) -> Unit:
    """A Unit whose static names are in `env`; spellings of numpy and math become np.* and math.*.

    traps: a copy of the tree of the function with its traps, and what the names in these mean."""
    node, refusals = traps or (t.clone(function.tree), {})
    node.decorator_list = []
    _Plain().visit(node)
    _uncover(node, function)
    bound, taken = written_out(node, lambda name: None if (found := function.scope.lookup(name)) is MISSING else found)
    bound = {**bound, **refusals}
    unit = Unit(function, node)
    local = local_names(node)
    everything = {n.id for n in t.walk(node) if isinstance(n, gast.Name)} | local
    unit.names = Names(everything | {function.name})
    replacements: dict[str, str] = {}
    for name in free_names(node):
        if name in bound:
            unit.env[name] = bound[name]
            continue
        value = function.scope.lookup(name)
        if value is MISSING:
            unit.undefined[name] = _where(node, name)
            continue
        if not isinstance(value, (*STATIC, Function)) and not is_callable(value) and (
                transparent(value) is value and not is_distribution(value)):
            continue
        unit.rely(function.scope, name, value)
        path = canonical_path(value)
        root = path.split(".")[0] if path else name
        if path and (root not in everything or root in (name, "np", "math")
                     and function.scope.lookup(root) in (_ROOTS.get(root), MISSING)) and root not in local:
            replacements[name] = path
            unit.env[root] = _ROOTS[root]
            unit.names.taken.add(root)
        else:
            unit.env[name] = value
    for named, value, inner in taken:                    # functions that stand in this one: as if it were written like this
        if isinstance(named, gast.Name):
            unit.rely(function.scope, named.id, value)
        elif isinstance(named.value, gast.Name):
            unit.watch(function.scope.lookup(named.value.id), named.attr)
        for item in (*inner.guards, *_function_guards(inner), *((inner.scope, name, known) for name in free_names(inner.tree)
                     if isinstance(known := inner.scope.lookup(name), STATIC))):
            unit.rely(*item)
    for item in (*function.guards, *_function_guards(function)):
        unit.rely(*item)
    _watch_members(node, function.scope, unit)
    _Replace({k: v for k, v in replacements.items() if k != v}, local).visit_function(node)
    return unit


BARE = {"len", "range", "isinstance"}                        # builtins that the passes call by their names


def _uncover(node: Any, function: Function) -> None:
    """Give variables that hide builtins other names, in place."""
    hidden = BARE & local_names(node)
    given = hidden.intersection(function.parameters)
    if given and any(isinstance(n, (gast.For, gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.Match)) for n in t.walk(node)):
        raise UnsupportedError(f"a parameter named '{min(given)}' in a function with loops", function.origin,
                               f"Give it another name: it hides the function {min(given)}().")
    names = Names(n.id for n in t.walk(node) if isinstance(n, gast.Name))
    t.rename(node, {name: names.fresh(name) for name in sorted(hidden - given)})


def _function_guards(function: Function) -> list[tuple[Any, str, Any]]:
    """Code and defaults of a function: they can be assigned to."""
    f = function.object
    if function.pure or not isinstance(f, types.FunctionType):
        return []
    members = Members(f)
    keywords = Scope(f.__kwdefaults__ or {})
    return [(members, name, getattr(f, name)) for name in ("__code__", "__defaults__", "__kwdefaults__")] + [
        (keywords, name, value) for name, value in keywords.globals.items()]


def _watch_members(node: Any, scope: Scope, unit: Unit) -> None:
    """Guard what is reached as an attribute: of user modules and classes, and methods of the class of a known object."""
    free = set(free_names(node))

    def static_value(item: Any) -> Any:
        if isinstance(item, gast.Name):
            return scope.lookup(item.id) if item.id in free else MISSING
        if not isinstance(item, gast.Attribute):
            return MISSING
        owner = static_value(item.value)
        if owner is MISSING or foreign(owner) and not isinstance(owner, types.ModuleType):
            return MISSING
        check_meant(owner, item.attr, lambda: source.locate(item, t.origin_of(node)))
        if isinstance(owner, (types.ModuleType, type)):
            return unit.watch(owner, item.attr)
        if not foreign(type(owner)):
            unit.watch(type(owner), item.attr)
        return MISSING

    for item in t.walk(node):
        static_value(item)


def _where(node: Any, name: str) -> Origin | None:
    for statement in t.statements(node.body):
        for item in t.walk(statement):
            if isinstance(item, gast.Name) and item.id == name:
                return source.locate(item, t.origin_of(statement))
    return t.origin_of(node)


class _Plain(gast.NodeTransformer):
    """`x: T = v` is `x = v`, and `__debug__` a constant."""

    def visit_AnnAssign(self, node: gast.AnnAssign) -> Any:
        if node.value is None:
            return node
        self.generic_visit(node)
        plain = t.at(gast.Assign(targets=[node.target], value=node.value, type_comment=None), t.origin_of(node))
        return gast.copy_location(plain, node)

    def visit_Name(self, node: gast.Name) -> Any:
        return gast.copy_location(t.const(__debug__), node) if node.id == "__debug__" else node


class _Replace(gast.NodeTransformer):
    """Free names -> canonical dotted paths."""

    def __init__(self, paths: dict[str, str], local: set[str]) -> None:
        self.paths, self.local = paths, local

    def visit_function(self, node: Any) -> None:
        node.body = [self.visit(item) for item in node.body]

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if isinstance(node.ctx, gast.Load) and node.id in self.paths:
            return gast.copy_location(t.dotted(self.paths[node.id]), node)
        return node

    def _nested(self, node: Any) -> Any:
        hidden = local_names(node) & set(self.paths)
        inner = _Replace({k: v for k, v in self.paths.items() if k not in hidden}, self.local) if hidden else self
        return gast.NodeTransformer.generic_visit(inner, node)

    visit_FunctionDef = visit_Lambda = _nested


_ROOTS: dict[str, Any] = {}
_paths: dict[int, str] = {}


def _index() -> None:
    import math
    _ROOTS.update(np=np, math=math)
    for root, module in (("np.linalg", np.linalg), ("np.fft", np.fft), ("np.random", np.random), ("math", math),
                         ("np", np)):
        for name in dir(module):
            if name.startswith("_") or (root == "np" and name in ("linalg", "fft", "random")):
                continue
            value = getattr(module, name, None) if name in vars(module) else None
            if isinstance(value, STATIC) and not isinstance(value, types.ModuleType):
                if getattr(builtins, name, None) is value:
                    continue
                current = _paths.get(id(value))
                if current is None or getattr(value, "__name__", "") == name:
                    _paths[id(value)] = f"{root}.{name}"
    for name, module in (("np", np), ("math", math), ("np.linalg", np.linalg), ("np.fft", np.fft),
                         ("np.random", np.random)):
        _paths[id(module)] = name


def canonical_path(value: Any) -> str | None:
    """np.linalg.inv for numpy.linalg.inv, np for numpy; None for anything outside numpy and math."""
    if not _paths:
        _index()
    path = _paths.get(id(value))
    if path is None:
        return None
    root, *names = path.split(".")
    return path if functools.reduce(getattr, names, _ROOTS[root]) is value else None        # (it may have been replaced)


# --- statements that are written out before names are resolved: `try`, `with`, `match`, `yield`

def written_out(node: Any, lookup: Callable[[str], Any]) -> tuple[dict[str, Any], list]:
    """Rewrite a function in place, inner functions included; gives new functions that it then calls, by name, and those that stand
    in it instead of being called: (the expression that named it, the function, its description).

    lookup: the object of a name that is not local (None if there is none).
    """
    bound: dict[str, Any] = {}
    stored = {n.id for n in t.walk(node) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}

    def static(item: Any) -> Any:
        if isinstance(item, gast.Attribute):
            owner = static(item.value)
            return getattr(owner, item.attr, None) if isinstance(owner, types.ModuleType) else None
        return lookup(item.id) if isinstance(item, gast.Name) and item.id not in stored else None

    names = Names({n.id for n in t.walk(node) if isinstance(n, gast.Name)}
                  | {n.name for n in t.walk(node) if isinstance(n, (gast.FunctionDef, gast.MatchAs, gast.MatchStar))
                     and n.name})
    taken = generator_loops(node, names, static, bound)
    generators(node, names)
    for outer in t.walk(node):
        for s in outer.body if isinstance(outer, (gast.Try, gast.With)) else ():
            for inner in t.walk(s):
                if isinstance(inner, gast.Try):
                    inner.inside = True                 # what its `finally` binds may be seen when an exception passes
    node.body = _block(node.body, names, static, bound)
    return bound, taken


def _block(block: list, names: Names, static: Any, bound: dict) -> list:
    result: list = []
    for s in block:
        t.map_raw_blocks(s, lambda inner: _block(inner, names, static, bound))
        rewrite = STATEMENTS.get(type(s))
        result += rewrite(s, names, static, bound) if rewrite else [s]
    return result
