"""Binding-time analysis: parts of a function around a place that seem to depend on no input.

A guess from the text, cheap and before anything is known: what is assigned from what depends on an input depends on it, too, but
for lengths, shapes, classes and comparisons. Activity analysis has the last word (see `parse.executed`)."""
from __future__ import annotations

import ast
import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

import gast

from sourcegrad.errors import Origin, SourcegradError, is_library
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Function

Key = tuple[str, int, int, str]         # file, line, column and text of an expression, or of statements in a row
EXPRESSIONS = (gast.Call, gast.Subscript, gast.Attribute, gast.BinOp, gast.BoolOp, gast.Compare, gast.IfExp, gast.JoinedStr,
               gast.ListComp, gast.DictComp, gast.SetComp, gast.Dict, gast.List, gast.Tuple, gast.UnaryOp)
ROWS = (gast.Expr, gast.For, gast.While, gast.With, gast.If, gast.Try, gast.AugAssign, gast.Assign)
LEAVING = (gast.Return, gast.Yield, gast.YieldFrom, gast.Await, gast.Global, gast.Nonlocal, gast.FunctionDef, gast.ClassDef,
           gast.Lambda, gast.NamedExpr, gast.Delete)
ASKING = {"len", "isinstance", "type", "hasattr", "callable", "id"}         # what they give depends on no value
FORM = {"shape", "ndim", "size", "dtype"}


def candidates(problem: SourcegradError, functions: list[Function], inputs: frozenset[str],
               around: Callable[[Origin, Function], bool],
               statement: Callable) -> Iterator[tuple[Key | None, Any, Any, Any, set[str]]]:
    """Expressions around a refused place that seem to depend on no input, those of the outermost function first, there the smallest
    first; and calls of libraries on the way, with the names of theirs that do depend on inputs. inputs: parameters of the outermost
    function that depend on them."""
    ways: list[tuple[Origin, Function]] = []
    for origin in reversed((problem.origin, *problem.callers)):
        within = [f for f in functions if origin is not None and around(origin, f)]
        if origin is not None and within:
            ways.append((origin, max(within, key=lambda f: f.origin or ("",))))                     # type: ignore[arg-type, return-value]
    varied = inputs
    for (origin, function), (_, callee) in itertools.zip_longest(ways, ways[1:], fillvalue=(None, None)):
        place = origin.line, origin.column                                                              # type: ignore[union-attr]
        s = statement(function.tree.body, place, False, False)[0]                                       # type: ignore[union-attr]
        if s is None:
            return
        reached = depending(function.tree, varied) - outside(function)                                  # type: ignore[union-attr, arg-type]
        nodes = expressions_at(s, place)
        called = [j for j, node in enumerate(nodes) if callee and isinstance(node, gast.Call)]
        calls = [j for j in called if spoken(nodes[j]) == callee.name] or called * (len(called) == 1)   # type: ignore[union-attr]
        nodes = nodes[calls[0]:] if calls else nodes                # (`Model(n)` begins where `Model(n).run(x)` does)
        if calls and callee is not None and callee.origin is not None and is_library(callee.origin.file) and (
                given := reads(nodes[0]) & depending(function.tree, varied, False)):                     # type: ignore[union-attr]
            yield key_of(nodes[0], s), function, nodes[0], s, given
        alone = [node for node in nodes or largest(s, reached) if not reads(node) & reached]
        yield from ((key_of(node, s), function, node, s, set()) for node in alone)
        row = in_a_row(function.tree, s, reached)                                                       # type: ignore[union-attr]
        if row:
            yield key_of(row, row[0]), function, row, row[0], set()
        varied = handed_on(nodes[0], reached, callee.tree) if calls and callee else frozenset()


def expressions_at(s: Any, place: tuple[int, int]) -> list:
    """The expressions of a statement in which a place is, the smallest first."""
    called = {id(node.func) for head in heads(s) for node in gast.walk(head) if isinstance(node, gast.Call)
              and isinstance(node.func, gast.Attribute)}
    found = [node for head in heads(s) for node in gast.walk(head) if isinstance(node, EXPRESSIONS) and id(node) not in called
             and hasattr(node, "lineno")
             and not isinstance(getattr(node, "ctx", None), (gast.Store, gast.Del))
             and (node.lineno, node.col_offset) <= position(s, place) <= (node.end_lineno, node.end_col_offset)]
    return sorted(found, key=lambda node: len(list(gast.walk(node))))


def largest(s: Any, varied: set[str]) -> list:
    """The largest expressions of a statement that call or read something and do not depend on inputs; no names of functions."""
    def of(node: Any) -> list:
        if isinstance(node, EXPRESSIONS) and hasattr(node, "lineno") and not reads(node) & varied:
            return [node] if any(isinstance(n, (gast.Call, gast.Subscript, gast.Attribute)) for n in gast.walk(node)) else []
        path = isinstance(node, gast.Call) and not any(isinstance(n, (gast.Call, gast.Subscript)) for n in gast.walk(node.func))
        return [x for child in gast.iter_child_nodes(node) if not (path and child is node.func) for x in of(child)]

    return [x for head in heads(s) if not isinstance(getattr(head, "ctx", None), (gast.Store, gast.Del)) for x in of(head)]


def position(s: Any, place: tuple[int, int]) -> tuple[int, int]:
    """A place as (line, offset) of the tree: columns of places count from 1."""
    return place[0], place[1] - 1


def data_reads(node: Any) -> set[str]:
    """The names whose values, and not only forms, an expression reads."""
    if isinstance(node, gast.Compare) or isinstance(node, gast.Attribute) and node.attr in FORM or isinstance(
            node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in ASKING:
        return set()
    if isinstance(node, gast.Name):
        return {node.id}
    return {name for child in gast.iter_child_nodes(node) for name in data_reads(child)}


def depending(tree: Any, varied: frozenset[str], receivers: bool = True) -> set[str]:
    """The names of a function that may depend on some of its parameters, as they are written: a first guess.

    receivers: also those whose methods get what depends on them."""
    found, flows = set(varied), list[tuple[set[str], set[str]]]()
    for node in gast.walk(tree):
        if isinstance(node, (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.NamedExpr)) and node.value is not None:
            targets = node.targets if isinstance(node, gast.Assign) else [node.target]
            flows.append((data_reads(node.value), {name for x in targets for name in bases(x)}))
        elif isinstance(node, (gast.For, gast.comprehension)):
            flows.append((data_reads(node.iter), set(bases(node.target))))
        elif isinstance(node, gast.withitem) and node.optional_vars is not None:
            flows.append((data_reads(node.context_expr), set(bases(node.optional_vars))))
        elif receivers and isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
            given = {name for x in (*node.args, *node.keywords) for name in data_reads(x)}
            flows.append((given, set(bases(node.func.value))))              # xs.append(v)
    while True:
        new = {name for read, written in flows if read & found for name in written} - found
        if not new:
            return found
        found |= new


def outside(function: Function) -> set[str]:
    """The names of the module that a function reads: what depends on inputs is not stored there, so `np.f(x)` changes no `np`."""
    return {name for name in reads(function.tree) - function.local - parameters_of(function.tree)
            if name not in function.scope.cells or isinstance(function.scope.lookup(name), types.ModuleType)}


def handed_on(call: gast.Call, varied: set[str], callee: Any) -> frozenset[str]:
    """The parameters of a callee that depend on inputs, as far as its call shows it."""
    parameters = [a.id for a in callee.args.args]
    given = parameters[1:] if isinstance(call.func, gast.Attribute) and parameters[:1] == ["self"] else parameters
    found = {name for name, node in zip(given, call.args) if data_reads(node) & varied}
    found |= {word.arg for word in call.keywords if word.arg is not None and data_reads(word.value) & varied}
    return frozenset(found | ({"self"} if given != parameters and data_reads(call.func) & varied else set()))


def spoken(call: gast.Call) -> str:
    return call.func.attr if isinstance(call.func, gast.Attribute) else getattr(call.func, "id", "")


def in_a_row(tree: Any, s: Any, varied: set[str]) -> list:
    """The statements up to one that depends on no input, from the one on that makes what it changes; none if there are no such."""
    block = next((block for block in blocks(tree) if any(x is s for x in block)), [])
    last = next((j for j, x in enumerate(block) if x is s), 0)
    first, open_names = last, changed_by(s) - bound_by(s)
    while open_names and first > 0:
        first -= 1
        made = {name for x in getattr(block[first], "targets", ()) for name in bases(x) if isinstance(x, (gast.Name, gast.Tuple))}
        open_names = (open_names | changed_by(block[first])) - made
    row = block[first:last + 1]
    inside = [node for x in row for node in gast.walk(x)]
    kept = not open_names and not any(isinstance(node, LEAVING) for node in inside) and not any(
        isinstance(node, gast.Name) and node.id in varied for node in inside)
    return row if kept and isinstance(s, ROWS) else []


def changed_by(s: Any) -> set[str]:
    """The names of what a statement changes in place, as far as it shows: receivers of methods, and what is stored into."""
    found: set[str] = set()
    for node in gast.walk(s):
        if isinstance(node, gast.Expr) and isinstance(node.value, gast.Call) and isinstance(node.value.func, gast.Attribute):
            found.update(bases(node.value.func.value))
        elif isinstance(node, (gast.Subscript, gast.Attribute)) and isinstance(node.ctx, (gast.Store, gast.Del)):
            found.update(bases(node))
        elif isinstance(node, gast.AugAssign):
            found.update(bases(node.target))
    return found


# --- The text of a function

def spelled(node: Any) -> str:
    """The text of an expression of the user's, on one line, or of a statement."""
    text = ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(t.clone(node))))
    return text if isinstance(node, gast.expr) else f"{text}\n"


def key_of(node: Any, s: Any) -> Key | None:
    origin = source.locate(node, t.origin_of(s)) if not isinstance(node, list) else t.origin_of(s)
    return None if origin is None else (*origin[:3], spelled(node) if not isinstance(node, list) else "".join(map(spelled, node)))


def heads(s: Any) -> list:
    """The expressions of a statement itself, without the blocks in it."""
    found: list = []
    for _, value in gast.iter_fields(s):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, gast.withitem):
                found.append(item.context_expr)
            elif isinstance(item, gast.expr):
                found.append(item)
    return found


def reads(node: Any) -> set[str]:
    return {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}


def bases(target: Any) -> list[str]:
    """The names that are bound, or hold what is changed, where a target is assigned."""
    if isinstance(target, gast.Name):
        return [target.id]
    if isinstance(target, (gast.Subscript, gast.Attribute, gast.Starred)):
        return bases(target.value)
    return [name for x in getattr(target, "elts", ()) for name in bases(x)]


def bound_by(*row: Any) -> set[str]:
    return {node.id for s in row for node in gast.walk(s) if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)}


def bound_around(tree: Any, part: Any) -> set[str]:
    """The names that inner functions of a function bind of which an expression, or a statement, is a part."""
    found: set[str] = set()
    for s in tree.body:
        for node in gast.walk(s):
            if isinstance(node, (gast.Lambda, gast.FunctionDef)) and any(x is part for x in gast.walk(node)):
                found |= {x.id for x in gast.walk(node) if isinstance(x, gast.Name) and not isinstance(x.ctx, gast.Load)}
    return found


def blocks(node: Any) -> Iterator[list]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
            for s in block:
                yield from blocks(s)
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from blocks(part)


def statements(block: list) -> Iterator[Any]:
    """All statements of a function as it is written, at any depth."""
    for s in block:
        yield s
        for name in ("body", "orelse", "finalbody"):
            yield from statements(getattr(s, name, None) or [])
        for part in (*getattr(s, "handlers", ()), *getattr(s, "cases", ())):
            yield from statements(part.body)


def parameters_of(tree: Any) -> set[str]:
    args = tree.args
    return {a.id for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg)))}
