"""Which programs are tried before their gradients are trusted: see `api.shadow_run`.

Not the plain ones: arithmetic with branches and loops, where nothing changes in place. And not those that are not known to do no
more than compute: what they do to the world outside must not be done twice.
"""
from __future__ import annotations

import functools
import random
import types
from collections.abc import Iterable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.purity import CALLS, COMPUTING, computes, reaches_out, root_of
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit
from sourcegrad.memory.heap import OUTSIDE, is_stream

UNCHANGING = {range, slice, str, bytes, complex, type, types.ModuleType, np.dtype}
GENERATORS = {np.random.default_rng, np.random.RandomState, random.Random, np.random.SeedSequence, np.random.PCG64,
              np.random.MT19937, np.random.Philox, np.random.SFC64}


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


def outward(known: dict[Any, tuple[Unit, Infer, Any]], live: Iterable[k.Kind]) -> bool:
    """Whether any of some functions (by what their code was made from), or what they call, may do more than compute with its
    arguments: print, read a clock, use up what is not its own, change what others hold, call what is not known."""
    looked = {function: bool(effects.drawn) for (function, *_), (_, _, effects) in known.items()}
    return any(map(is_stream, live)) or any(
        OUTSIDE in effects.drawn or changes_outside(unit, facts) or any(
            not quiet(unit, call, facts, looked) for call in t.walk(unit.tree) if isinstance(call, gast.Call))
        for unit, facts, effects in known.values())


def changes_outside(unit: Unit, facts: Infer) -> bool:
    """Whether a list that is not the function's own gets longer or shorter."""
    found = map(t.list_method, t.statements(unit.tree.body))
    return any(m is not None and m[0] not in facts.local and m[0] not in unit.parameters for m in found)


def quiet(unit: Unit, call: gast.Call, facts: Infer, looked: dict[Any, bool]) -> bool:
    """Whether a call is known to do no more than compute with its arguments, or its code is looked at, too: then it may use up what
    is its own. (Of generated code it is not known what is.)"""
    if t.list_method(gast.Expr(value=call)) is not None:
        return True
    target = call_targets.target_of(call, unit, facts.of)
    function = target.object
    if target.function is not None and not (function is not None and computes(function)):
        return target.function in looked and not (looked[target.function] and unit.function.pure)
    if target.custom is not None or isinstance(function, (functools.partial, types.MethodType)) or function in CALLS[:3]:
        return False
    if function is None:
        kind = facts.of(call.func.value) if isinstance(call.func, gast.Attribute) else k.ANY
        if is_stream(kind):
            return not unit.function.pure
        held = isinstance(kind, k.Obj) and not hasattr(kind.cls, "__next__") and root_of(kind.cls) in COMPUTING
        return held or isinstance(kind, (k.Num, k.Const, k.Lst, k.Tup, k.Dct, k.Map))
    if isinstance(function, str) or target.plain is not None:
        return True
    if reaches_out(function) or function in GENERATORS and not call.args and not call.keywords:           # others every time
        return False
    kinds = [facts.of(x) for x in target.operands]
    if function is runtime.sequence and any(kind is k.ANY or isinstance(kind, k.Obj) and hasattr(kind.cls, "__next__")
                                            for kind in kinds):
        return False
    if function is runtime.index_set and not isinstance(kinds[0], (k.Num, k.Lst, k.Tup, k.Dct, k.Map, k.Obj, k.OneOf, k.Closure)):
        return False                                          # an attribute of a class or function
    return all(kind.function in looked if isinstance(kind, k.Closure) else not isinstance(kind, k.Fn) or computes(
        kind.value) or isinstance(kind.value, (type, types.ModuleType)) for kind in kinds)
