"""Refuse early what can never be right: syntax outside the language, with what to write instead."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import source, tree as t
from sourcegrad.errors import Origin, UnsupportedError

REFUSED: dict[str, tuple[str, str]] = {
    "With": ("a `with` block", "Move the `with` to the caller of the differentiated function."),
    "Try": ("`try`", "Test for the condition with `if` before the operation that may fail."),
    "TryStar": ("`try`", "Test for the condition with `if` before the operation that may fail."),
    "ClassDef": ("a class defined inside the function", "Define the class at module level."),
    "AsyncFunctionDef": ("an async function", "Write an ordinary function."),
    "AsyncFor": ("`async for`", "Write an ordinary loop."),
    "AsyncWith": ("`async with`", "Move it to the caller of the differentiated function."),
    "Await": ("`await`", "Await in the caller and pass the value."),
    "Yield": ("a generator (`yield`)", "Append the values to a list and return it."),
    "YieldFrom": ("a generator (`yield from`)", "Append the values to a list and return it."),
    "Global": ("`global`", "Pass the value as an argument and return the new one."),
    "Nonlocal": ("`nonlocal`", "Return the new value from the inner function."),
    "Import": ("an import inside the function", "Import at module level."),
    "ImportFrom": ("an import inside the function", "Import at module level."),
    "Match": ("`match`", "Write if/elif."),
    "Set": ("a set display", "Use a list or a tuple."),
    "SetComp": ("a set comprehension", "Use a list comprehension."),
    "DictComp": ("a dict comprehension", "Write a dict display or use a list."),
}
DYNAMIC = {"eval", "exec", "compile", "globals", "locals", "vars", "setattr", "delattr", "__import__"}


def fence(tree: gast.FunctionDef) -> None:
    """Raise a located UnsupportedError for the first thing in the function that is not in the language."""
    if isinstance(tree, gast.AsyncFunctionDef):
        _check(tree, t.origin_of(tree))
    for statement in tree.body:
        _visit(statement, t.origin_of(statement) or t.origin_of(tree))
    _check_deleted(tree)


def _visit(node: Any, origin: Origin | None) -> None:
    origin = t.origin_of(node) or origin
    _check(node, origin)
    for child in gast.iter_child_nodes(node):
        if child._fields:
            _visit(child, origin)


def refuse(what: str, node: Any, origin: Origin | None, remedy: str) -> None:
    raise UnsupportedError(f"{what} cannot be differentiated", source.locate(node, origin), remedy)


def _check(node: Any, origin: Origin | None) -> None:
    name = type(node).__name__
    if name in REFUSED:
        refuse(REFUSED[name][0], node, origin, REFUSED[name][1])
    if isinstance(node, (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.For, gast.comprehension)):
        for target in getattr(node, "targets", None) or [node.target]:
            _check_target(target, origin)
    if isinstance(node, (gast.Assign, gast.AnnAssign, gast.NamedExpr)) and _is_lazy(node.value):
        refuse("an iterator that is kept in a variable", node.value, origin,
               "Use a list comprehension or the sequence itself: an iterator can be read only once.")
    if isinstance(node, (gast.For, gast.comprehension)) and any(
            isinstance(n, gast.Subscript) and not isinstance(n.ctx, gast.Load) for n in t.walk(node.target)):
        refuse("a loop that stores into an array element", node.target, origin, "Loop over a name and store it in the body.")
    if isinstance(node, gast.Delete):
        for target in node.targets:
            if not isinstance(target, gast.Name):
                what = "an item or a slice" if isinstance(target, gast.Subscript) else "an attribute"
                refuse(f"deleting {what}", target, origin, "Build a new list from what stays: `xs[:k] + xs[k + 1:]`."
                       if isinstance(target, gast.Subscript) else "Keep the value in a local variable.")
    if isinstance(node, gast.Starred) and not isinstance(node.ctx, gast.Store):
        return
    if isinstance(node, (gast.List, gast.Tuple)) and isinstance(node.ctx, gast.Load):
        for item in node.elts:
            if isinstance(item, gast.Starred):
                refuse("`*` inside a display", item, origin, "Write the elements out, or append them in a loop.")
    if isinstance(node, gast.Dict):
        for key, value in zip(node.keys, node.values):
            if not isinstance(key, gast.Constant):
                what = "computed keys" if key is not None else "`**`"
                refuse(f"a dict display with {what}", key or value, origin, "Use constant keys.")
            if sum(other.value == key.value for other in node.keys if isinstance(other, gast.Constant)) > 1:
                refuse("a dict display with a repeated key", key, origin, "Keep the last entry of the key.")
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in DYNAMIC:
        refuse(f"`{node.func.id}`", node, origin, "Write the code out: what runs must be visible in the source.")
    if isinstance(node, (gast.FunctionDef, gast.Lambda)):
        _check_nested(node, origin)
    if isinstance(node, (gast.ListComp, gast.GeneratorExp)) and any(g.is_async for g in node.generators):
        refuse("an async comprehension", node, origin, "Write an ordinary comprehension.")


def _is_lazy(value: Any) -> bool:
    return isinstance(value, gast.GeneratorExp) or (
        isinstance(value, gast.Call) and isinstance(value.func, gast.Name) and value.func.id == "iter")


def _check_nested(node: Any, origin: Origin | None) -> None:
    if getattr(node, "decorator_list", None):
        refuse("a decorator on a nested function", node.decorator_list[0], origin,
               "Define the decorated function at module level.")


def _check_deleted(tree: Any) -> None:
    """`del x` of a name only ends its life; a read that follows it in the text and would fail is refused."""
    for statement in t.statements(tree.body):
        for target in getattr(statement, "targets", ()) if isinstance(statement, gast.Delete) else ():
            if not isinstance(target, gast.Name):
                continue
            after = [n for n in gast.walk(tree) if isinstance(n, gast.Name) and n.id == target.id
                     and (getattr(n, "lineno", 0), getattr(n, "col_offset", 0)) > (target.lineno, target.col_offset)]
            if after and not any(isinstance(n.ctx, gast.Store) for n in after):
                refuse(f"`del {target.id}` of a name that is read further down", target, t.origin_of(statement),
                       "Leave it out: the name ends with the function.")


def _check_target(target: Any, origin: Origin | None) -> None:
    for item in t.walk(target):
        if isinstance(item, gast.Subscript) and not isinstance(item.ctx, gast.Load) and not isinstance(item.value, gast.Name):
            refuse("a store through a chain of indices or attributes", item, origin,
                   "Store with one index, as in a[i, j] = v, into an array that is a local variable.")
        if isinstance(item, gast.Attribute) and not isinstance(item.ctx, gast.Load):
            refuse("a store into an attribute", item, origin, "Keep the value in a local variable and return it.")
