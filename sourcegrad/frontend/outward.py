"""Which programs are tried before their gradients are trusted: see `validation`.

Not the plain ones: arithmetic with branches and loops, where nothing changes in place. And not those that do more than
compute: what they do to the world outside must not be done twice.
"""
from __future__ import annotations

import random
import sys
import types
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis.calls import hashable
from sourcegrad.analysis.infer import Infer
from sourcegrad.frontend.memory.state import is_stream
from sourcegrad.frontend.resolve import MISSING, Function, Unit
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE

COMPUTING = {"_abc", "_functools", "_heapq", "_operator", "abc", "bisect", "builtins", "cmath", "collections", "copy", "copyreg",
             "dataclasses", "enum", "fractions", "functools", "heapq", "itertools", "math", "numbers", "numpy", "operator", "scipy",
             "sourcegrad", "statistics", "string", "types", "typing"}
UNCHANGING = {range, slice, str, bytes, complex, type, types.ModuleType, np.dtype}
GENERATORS = {np.random.default_rng, np.random.RandomState, random.Random}
OUTWARD = {"input", "open", "print", "load", "loadtxt", "save", "savetxt", "savez", "set_printoptions", "seterr"}


@dataclass(eq=False)
class Trial:
    """The form without mutation of a function, which the next calls compare with the function."""

    function: types.FunctionType
    left: int = 2           # what the first arguments do not show the second may: another branch


TURNS = (gast.Try, gast.With, gast.While, gast.Break, gast.Continue, gast.FunctionDef, gast.Lambda, gast.Match)


def plain(tree: Any) -> bool:
    """Whether a function runs straight through its statements, but for `if` and `for`."""
    inside = list(t.walk(tree))[1:]
    return not any(isinstance(node, TURNS) for node in inside) and sum(isinstance(node, gast.Return) for node in inside) <= 1


def holds(facts: Infer) -> bool:
    """Whether names of the user have containers or objects that change as values."""
    own = facts.unit.function.local.union(facts.unit.parameters)
    return any(isinstance(kind, (k.Lst, k.Dct, k.Map)) or isinstance(kind, k.Obj) and kind.cls not in UNCHANGING
               for name, kind in facts.kinds.items() if name in own)


def outward(units: Iterable[tuple[Unit, Infer]], live: Iterable[k.Kind]) -> bool:
    """Whether any of some functions prints, reads a clock, draws from a generator that is not its own, and the like."""
    return any(map(is_stream, live)) or any(
        reaches_out(unit, call.func, facts) or unseeded(unit, call)
        for unit, facts in units for call in t.walk(unit.tree) if isinstance(call, gast.Call))


def reaches_out(unit: Unit, node: Any, facts: Infer) -> bool:
    """Whether a call may do more than compute: it is not one of a function that is known to do no more."""
    function: Any = unit.lookup(node)
    if function is MISSING:                                  # a method, or a function that is known when it runs
        kind = facts.of(node.value) if isinstance(node, gast.Attribute) else None
        return isinstance(kind, k.Obj) and not is_stream(kind) and _root(kind.cls) not in COMPUTING
    if isinstance(function, Function) or getattr(function, "__sourcegrad_callable__", False):
        return False
    root = _root(function)
    if isinstance(function, (types.FunctionType, type)) and root not in sys.stdlib_module_names:
        return root not in COMPUTING and _registered(function)             # its own code has been looked at, if it is not
    return isinstance(getattr(function, "__self__", None), (np.random.RandomState, random.Random)) or (
        root not in COMPUTING or getattr(function, "__name__", "") in OUTWARD)


def unseeded(unit: Unit, call: gast.Call) -> bool:
    """Whether a call makes a random generator that draws other numbers every time."""
    function = unit.lookup(call.func)
    return hashable(function) and function in GENERATORS and not call.args and not call.keywords


def _registered(function: Any) -> bool:
    """Whether a rule stands for a function, whatever it does besides."""
    return function in RULES or function in ZERO_DERIVATIVE


def _root(thing: Any) -> str:
    return (getattr(thing, "__module__", None) or "numpy").split(".")[0]
