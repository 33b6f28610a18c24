"""`with` of an object whose class is Python code: calls of its `__enter__` and `__exit__`, once its class is known.

    with boosted:                       boosted.__enter__()
        y = x * boosted.gain            y = x * boosted.gain
                                        boosted.__exit__(None, None, None)

So what these methods change is seen like any change. Not where they do more than compute (a lock, a file): those stay `with`
blocks, which end also when an exception passes; nor in the body of a `try`, for the same reason.
"""
from __future__ import annotations

import sys
import types
from typing import Any

import gast

from sourcegrad.analysis.objects import class_of
from sourcegrad.analysis.purity import LIBRARIES, reaches_out, root_of
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import SourceError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.parse import try_
from sourcegrad.parse.resolve import describe, resolve


def managers(unit: Unit, facts: Infer) -> bool:
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
    try:
        tree = describe(leave).tree
    except SourceError:
        return False
    return any(isinstance(node, gast.Return) and node.value is not None and not (
        isinstance(node.value, gast.Constant) and not node.value.value) for node in t.walk(tree))
