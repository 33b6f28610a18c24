"""Refuse early what can never be right: syntax outside the language, with what to write instead."""
from __future__ import annotations

from typing import Any, NoReturn

import gast

from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import own_yields

REFUSED: dict[str, tuple[str, str]] = {
    "TryStar": ("`except*`", "Test for the condition with `if` before the operation that may fail."),
    "ClassDef": ("a class defined inside the function", "Define the class at module level."),
    "AsyncFunctionDef": ("an async function", "Write an ordinary function."),
    "AsyncFor": ("`async for`", "Write an ordinary loop."),
    "AsyncWith": ("`async with`", "Move it to the caller of the differentiated function."),
    "Await": ("`await`", "Await in the caller and pass the value."),
    "Import": ("an import of a name that means something else, too,", "Import it under a name of its own."),
    "ImportFrom": ("an import of a name that means something else, too,", "Import it under a name of its own."),
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
    for s in t.statements(tree.body):
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
        for s in t.statements(function.body):
            for name in s.names if isinstance(s, gast.Global) else ():
                store = next((n for n in t.walk(function) if isinstance(n, gast.Name) and n.id == name
                              and not isinstance(n.ctx, gast.Load)), None)
                if store is not None:
                    refuse(f"a store into the global '{name}'", store, t.origin_of(s),
                           "Pass the value as an argument and return the new one.")


def _check_deleted(tree: Any) -> None:
    """`del x` of a name only ends its life; a read that follows it in the text and would fail is refused."""
    for statement in t.statements(tree.body):
        for target in getattr(statement, "targets", ()) if isinstance(statement, gast.Delete) else ():
            if not isinstance(target, gast.Name):
                continue                                    # an item: see `syntax.iterators`
            after = [n for n in t.walk(tree) if isinstance(n, gast.Name) and n.id == target.id
                     and (getattr(n, "lineno", 0), getattr(n, "col_offset", 0)) > (target.lineno, target.col_offset)]
            if after and not any(isinstance(n.ctx, gast.Store) for n in after):
                refuse(f"`del {target.id}` of a name that is read further down", target, t.origin_of(statement),
                       "Leave it out: the name ends with the function.")
