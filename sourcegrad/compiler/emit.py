"""Emission: from the differentiable text of a function to the one that runs: in place, printed, compiled."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.alias import lends
from sourcegrad.analysis.purity import silent
from sourcegrad.compiler.linking import Half, Link
from sourcegrad.compiler.passes import Manager, Work
from sourcegrad.compiler.print_module import imports, used_environment
from sourcegrad.errors import UnsupportedError, deep
from sourcegrad.ir import source, tree as t, verify
from sourcegrad.ir.operators import hashable
from sourcegrad.ir.tree import as_printed
from sourcegrad.ir.unit import Function, Scope, Unit
from sourcegrad.runtime import dynamic


class Lifted:
    """A lifted function as a Python object: it runs as the forward half that is generated for the arguments of a call."""

    __sourcegrad_callable__ = True

    def __init__(self, function: Function, name: str) -> None:
        self.__sourcegrad__ = function
        self.__name__ = name

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        forward, _ = dynamic.pair_of((), self, args, keywords)
        return forward(self, *args, **keywords)[0]


def standing(function: Function, name: str) -> Half:
    """A lifted function as generated code names it; its text is that of the user."""
    half = Half(name)
    tree = t.clone(function.tree)
    tree.name = name
    half.tree, half.unit = tree, Unit(function, tree, dict(function.scope.bound))
    half.text = source.to_text(tree)
    half.__sourcegrad__ = function
    half.finish(Lifted(function, name))                                      # type: ignore[arg-type]
    return half


_called: list[list] = []                            # while generating: gradients that the code asks for


@contextmanager
def collecting() -> Iterator[list]:
    """The generated gradients that what is generated inside calls: it relies on what they rely on."""
    _called.append([])
    try:
        with deep():
            yield _called[-1]
    finally:
        _called.pop()


def calling(derived: Any) -> None:
    if _called:
        _called[-1].append(derived)


def publish(half: Half, unit: Unit, final: Any, plain: Any, function: Function, one_of_two: bool = False) -> None:
    """Print, compile and register a generated function. final: the tree as printed; plain: the one that can be differentiated.

    one_of_two: what it saves for the other half, or gets from it, is not what the plain tree says. So it has no object that could
    be called beside the derivative of the other half."""
    verify.executed(final, function.tree)
    stated = statement(half.made_for, unit, function)
    final.body[:0] = stated
    env = used_environment(final, unit)
    half.callees = [v for v in env.values() if isinstance(v, Half) and v is not half]
    half.tree, half.unit = final, unit
    body = source.to_text(final)
    half.text = body
    around = {name: cell for name, cell in function.scope.cells.items() if name not in env}
    bound = {name: value for name, value in function.scope.bound.items()
             if name not in env and name not in around and not isinstance(value, Function)}
    link = Link(imports(env) + body, [t.origin_of(s) for s in as_printed(final.body) if not t.is_comment(s)], len(stated),
                function.scope.globals, {**env, **bound}, around, function.name,
                function.object if plain.args.defaults or plain.args.kwonlyargs else None)
    try:
        compiled = half.linked(link)
    except (SyntaxError, RecursionError) as error:
        if "too many" not in str(error) and not isinstance(error, RecursionError):        # (nested blocks, parentheses)
            raise
        raise UnsupportedError(f"{function.name}() is nested too deeply: {error}", function.origin,
                               "Use a loop or a table instead of a long chain of branches.") from None
    bound = {**function.scope.bound, **unit.env}
    derived = Function(half.__name__, plain, Scope(function.scope.globals, function.scope.cells, bound),
                       None if one_of_two else compiled, pure=True)
    half.__sourcegrad__ = derived
    compiled.__sourcegrad__ = derived                                # type: ignore[attr-defined]
    half.finish(compiled)


def statement(kinds: dict[str, k.Kind], unit: Unit, function: Function) -> list:
    """`made_for("x: float64[:,:], n: 3", x, n)`, where arrays or constants are among the arguments: nothing for numbers only."""
    found: dict[str, str] = {}
    for name, kind in kinds.items():
        if isinstance(kind, k.Num) and kind.dims is not None and kind.dtype is not None:
            axes = f"[{','.join(':' * len(kind.dims))}]" if kind.boxed else ""
            found[name] = kind.dtype.removeprefix("py") + axes
        elif isinstance(kind, k.Const) and type(kind.value) in (int, bool, str, type(None)) and ", " not in repr(kind.value):
            found[name] = repr(kind.value)
    if not any(isinstance(kinds[name], k.Const) or "[" in text for name, text in found.items()):
        return []
    text = ", ".join(f"{name}: {text}" for name, text in found.items())
    call = t.call(unit.use(runtime.made_for, "made_for"), t.const(text), *map(t.load, found))
    return [t.effect(call, function.origin)]


def guarded(half: Half, seen: set[int]) -> bool:
    """Whether generated code, or generated code that it calls, guards derivatives that may be infinite."""
    seen.add(id(half))
    own = half.unit is not None and bool({runtime.guard, runtime.guard_steep} & set(filter(hashable, half.unit.env.values())))
    return own or any(guarded(callee, seen) for callee in half.callees if id(callee) not in seen)


def finish(halves: list[Half], work: Work, function: Function, passes: Manager) -> None:
    """Print, compile and register a generated function, or the two halves of one."""
    unit, trees = work.unit, work.trees
    plain = [t.clone(tree) for tree in trees]
    work.called = not t.sweeps(trees[0]).reverse             # not the gradient: its results have their names
    for half, tree in zip(halves, trees):
        unmark(tree, unit)
        half.__sourcegrad_pure__ = silent(tree.body, unit, function.parameters)
        half.__sourcegrad_lends__ = lends(tree, unit, work.facts)
    passes.run("in place", work)
    passes.run("text", work)
    for half, final, tree in zip(halves, work.trees, plain):
        publish(half, unit, final, tree, function, len(halves) == 2)


def unmark(tree: Any, unit: Unit) -> None:
    """What is returned beside the value, without the mark that it is constant: the text needs none to run."""
    marks = [name for name, value in unit.env.items() if value is runtime.aux]
    for node in t.walk(tree) if marks else ():
        for name, value in ((name, value) for name, value in vars(node).items() if name in t.child_fields(type(node))):
            if isinstance(value, list):
                value[:] = [unmarked(item, marks) for item in value]
            else:
                setattr(node, name, unmarked(value, marks))


def unmarked(node: Any, marks: list[str]) -> Any:
    return node.args[0] if isinstance(node, gast.Call) and any(t.is_name(node.func, mark) for mark in marks) else node
