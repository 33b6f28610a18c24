"""Side-effect analysis: which calls do nothing but compute their value.

Side effects of calls: whether a call of a known function does anything but compute its value.

One question, asked for many ends: a call that only computes may be dropped, repeated, moved (`pure`) or stay inside a test
(`harmless`); one that may change what it is given is refused (`may_write`); a program with one that reaches the world outside is
not run a second time to validate it, and not before its turn (`reach`). What is not known does the worst.
"""
from __future__ import annotations

import builtins
import random
import sys
import types
from typing import Any

import gast
import numpy as np

from sourcegrad import runtime
from sourcegrad.analysis.call_targets import is_inert
from sourcegrad.errors import SourcegradError
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.parse.resolve import describe, resolve
from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, primitive_of
from sourcegrad.primitives.methods import METHODS
from sourcegrad.runtime.structure import MODULE_STREAMS

COMPUTING = {"_abc", "_bisect", "_collections", "_functools", "_heapq", "_operator", "abc", "bisect", "builtins", "cmath",
             "collections", "copy", "copyreg", "dataclasses", "enum", "fractions", "functools", "heapq", "itertools", "math",
             "numbers", "numpy", "operator", "re", "scipy", "sourcegrad", "statistics", "string", "types", "typing"}
OUTWARD = {"input", "open", "print", "load", "loadtxt", "save", "savetxt", "savez", "set_printoptions", "seterr", "next", "setattr",
           "delattr", "exec", "eval", "vars", "globals", "locals", "__import__", "breakpoint"}
CHANGING = {"append", "insert", "extend", "remove", "clear", "sort", "reverse", "pop", "popleft", "appendleft", "extendleft",
            "rotate", "update", "setdefault", "add", "discard", "popitem", "move_to_end", "__delitem__"}
WRITING = CHANGING | {
    "__setitem__", "__iadd__", "__imul__", "__ior__", "__iand__", "__isub__", "__ixor__", "__init__", "__setattr__", "__delattr__",
    "__setstate__", "difference_update", "intersection_update", "symmetric_difference_update", "at", "copyto", "fill",
    "fill_diagonal", "itemset", "partition", "place", "put", "putmask", "put_along_axis", "resize", "setfield", "setflags",
    "shuffle", "pack_into", "memset", "memmove", "readinto", "readinto1", "recv_into", "heapify", "heappush", "heappop",
    "heapreplace", "heappushpop", "insort", "insort_left", "insort_right", "setitem", "delitem", "setattr", "delattr", "exec",
    "eval", "subtract", "iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift",
    "isub", "itruediv", "ixor"}
TEXT_METHODS = {name for cls in (str, bytes) for name in dir(cls) if name[:2] in ("is", "st", "en", "up", "lo")}
AMBIGUOUS = {"take", "choose", "repeat", "item", "copy", "dot", "round"}          # a class may mean something else by these
LIBRARIES = sys.stdlib_module_names | {"numpy", "sourcegrad"}
BUILTIN = (type, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType,
           types.ClassMethodDescriptorType)


def root_of(thing: Any) -> str:
    """The package that a function or class belongs to."""
    module = getattr(thing, "__module__", None)
    if module is None:                                      # a method of a builtin class
        owner = getattr(thing, "__objclass__", getattr(thing, "__self__", thing))
        cls = owner if isinstance(owner, type) else type(owner)
        module = owner.__name__ if isinstance(owner, types.ModuleType) else cls.__module__
    return str(module).split(".")[0]


def computes(function: Any) -> bool:
    """Whether a function is known to do nothing but compute its value."""
    if not hashable(function) or getattr(type(function), "__sourcegrad_effects__", False) or primitive_of(function).effect:
        return False
    name, root = getattr(function, "__name__", ""), root_of(function)
    if function in RULES or function in ZERO_DERIVATIVE:                     # a function of the user may do more
        return name not in OUTWARD and root in COMPUTING
    if getattr(function, "__sourcegrad_pure__", True) is False:
        return False
    if getattr(function, "__sourcegrad_callable__", False) or getattr(function, "__sourcegrad_pure__", False):
        return True
    if (getattr(function, "__module__", "") or "").startswith("sourcegrad.runtime"):
        return True
    return isinstance(function, (types.BuiltinFunctionType, type)) and name not in OUTWARD and (
        getattr(function, "__module__", "") in ("builtins", "math"))


def callee(node: gast.Call, unit: Unit) -> Any:
    """What a call calls, as far as its name tells."""
    function: Any = unit.lookup(node.func)
    return getattr(builtins, node.func.id, MISSING) if function is MISSING and isinstance(node.func, gast.Name) else function


def harmless(node: gast.Call, unit: Unit) -> bool:
    """Whether a call changes no value: one of a known function, or of a method that arrays or texts have."""
    function = callee(node, unit)
    if function is MISSING and isinstance(node.func, gast.Attribute):
        return (node.func.attr in METHODS and node.func.attr not in AMBIGUOUS) or node.func.attr in TEXT_METHODS
    return hashable(function) and (function is print or computes(function))


def pure(value: Any, unit: Unit) -> bool:
    """No call in the expression does anything but compute its value."""
    for node in t.walk(value):
        cls = node.__class__
        if cls is gast.Call and not pure_call(node, unit) or cls is gast.NamedExpr or cls is gast.Await:
            return False
    return True


def pure_call(node: gast.Call, unit: Unit) -> bool:
    function = callee(node, unit)
    if function is MISSING:
        return isinstance(node.func, gast.Attribute) and (node.func.attr in METHODS or node.func.attr in ("startswith", "endswith"))
    if function is runtime.own and len(node.args) > 1:        # it refuses arguments that share memory
        return False
    if primitive_of(function).applies and any(
            isinstance(f, types.FunctionType) and not computes(f)
            for f in map(unit.lookup, (*node.args, *(keyword.value for keyword in node.keywords)))):
        return False
    return computes(function)


def silent(body: list, unit: Unit, parameters: list[str]) -> bool:
    """Whether a function does nothing but compute its value: it prints nothing, raises nothing, changes nothing outside."""
    local = set(parameters) | {n for s in t.statements(body) for n in t.writes(s)}
    for s in t.statements(body):
        if isinstance(s, (gast.Raise, gast.Assert)):
            return False
        found = t.list_method(s)
        value = getattr(s, "value", None)
        if value is not None and not (found and found[0] in local) and not pure(value, unit):
            return False
    return True


def may_write(function: Any) -> bool:
    """Whether a function without source may change what it is given."""
    if not hashable(function):
        return True
    if function in RULES or function in ZERO_DERIVATIVE or isinstance(function, type) or is_inert(function) or hasattr(
            function, "result_kind") or getattr(function, "__sourcegrad_callable__", False):
        return False
    owner = getattr(function, "__objclass__", getattr(function, "__self__", None))
    if isinstance(owner, (str, bytes, int, float, complex, tuple, range)):
        return False
    root = root_of(function)
    known = isinstance(function, BUILTIN) if root == "builtins" else root in LIBRARIES
    return not known or getattr(function, "__name__", "") in WRITING


STATES = frozenset(MODULE_STREAMS)                        # what is saved and set again where a program runs twice
OUTPUT, STREAM, OUTER, ANYTHING = "output", "stream", "outer", "anything"


def reach(function: Any) -> str | None:
    """What a known function may do more than compute with its arguments: draw from the state of a module (one of `STATES`) or from
    another generator (STREAM), print (OUTPUT), change an object (OUTER), read a clock or what else there is (ANYTHING)."""
    if isinstance(function, (np.random.RandomState, random.Random)) or not hashable(function):
        return ANYTHING
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    found = next((module for module, state in MODULE_STREAMS.items() if owner is state), None)
    if found is not None or function in (np.random.seed, np.random.ranf, np.random.sample):         # (these are no methods)
        return found or "numpy.random"
    if isinstance(owner, (np.random.RandomState, random.Random)):
        return STREAM
    if function is print:
        return OUTPUT
    if isinstance(owner, (list, dict, set)):
        return OUTER
    return ANYTHING if root_of(function) not in COMPUTING or name in OUTWARD else None


def reaches_out(function: Any) -> bool:
    """Whether a known function may do more than compute with its arguments."""
    return reach(function) is not None


# --- Which calls of the user's own helpers can be dropped when nobody needs the result: those that only compute.
#
# A helper only computes if it raises nothing itself, stores into nothing but its own new arrays and lists, and calls
# only what only computes. Anything that is not certain counts as an effect.

STATEMENTS = (gast.Assign, gast.AnnAssign, gast.AugAssign, gast.For, gast.While, gast.If, gast.Return, gast.Expr, gast.Pass,
              gast.Break, gast.Continue)
FORBIDDEN = (gast.Lambda, gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom, gast.Starred)
LIST_METHODS = {"append", "extend", "pop", "insert"}


def droppable(value: Any, unit: Unit) -> bool:
    """Whether an expression only computes, helpers of the user's included."""
    for node in t.walk(value):
        if isinstance(node, FORBIDDEN):
            return False
        if isinstance(node, gast.Call) and not pure_call(node, unit) and not _harmless(unit.lookup(node.func), unit.harmless):
            return False
    return True


def _writes_out(node: gast.Call, unit: Unit) -> bool:
    """np.add(a, b, out=c), np.add(a, b, c)"""
    function = unit.lookup(node.func)
    return any(kw.arg in ("out", None) for kw in node.keywords) or (
        isinstance(function, np.ufunc) and len(node.args) > function.nin)


def _over_range(node: Any) -> bool:
    """Iteration over anything else may use up an iterator of the caller's."""
    return isinstance(node.iter, gast.Call) and t.is_name(node.iter.func, "range")


def _harmless(function: Any, known: dict[Any, bool]) -> bool:
    if not isinstance(function, (types.FunctionType, Function)) or primitive_of(function).effect:
        return False
    if function not in known:
        known[function] = True                             # while it is looked at: recursion adds no effect
        known[function] = _only_computes(function, known)
    return known[function]


def _only_computes(function: Any, known: dict[Any, bool]) -> bool:
    try:
        unit = resolve(describe(function))
    except SourcegradError:
        return False
    if unit.tree.decorator_list or unit.function.tree.decorator_list:
        return False
    unit.harmless = known
    body = unit.tree.body
    new = _new_names(unit)
    for s in t.statements(body):
        if not isinstance(s, STATEMENTS):
            return False
        targets = s.targets if isinstance(s, gast.Assign) else [s.target] if isinstance(
            s, (gast.AugAssign, gast.AnnAssign, gast.For)) else []
        for target in targets:
            if not all(_own_target(item, new, isinstance(s, gast.AugAssign)) for item in _flat(target)):
                return False
        values = [s.test] if isinstance(s, (gast.If, gast.While)) else [s.iter] if isinstance(s, gast.For) else [
            getattr(s, "value", None)]
        if isinstance(s, gast.For) and not _over_range(s):
            return False
        for value in (v for v in values if v is not None):
            if any(isinstance(n, gast.Call) and _writes_out(n, unit) or isinstance(n, gast.comprehension) and not _over_range(n)
                   for n in t.walk(value)):
                return False
            if not droppable(_without_list_method(value, new), unit):
                return False
    return True


def _new_names(unit: Unit) -> set[str]:
    """Locals all of whose values are new objects or numbers: results of arithmetic, displays, calls that make arrays."""
    fresh: dict[str, bool] = {name: False for name in unit.parameters}
    for s in t.statements(unit.tree.body):
        made = isinstance(s, gast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], gast.Name) and _makes(s.value)
        if not isinstance(s, gast.AugAssign):
            for name in t.writes(s):
                fresh[name] = fresh.get(name, True) and made
    return {name for name, new in fresh.items() if new}


def _makes(value: Any) -> bool:
    if isinstance(value, gast.Call):
        return isinstance(value.func, gast.Attribute) and value.func.attr in (
            "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "copy", "array", "arange",
            "eye")
    return isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Constant, gast.List, gast.ListComp))


def _flat(target: Any) -> list:
    return [x for item in target.elts for x in _flat(item)] if isinstance(target, (gast.Tuple, gast.List)) else [target]


def _own_target(target: Any, new: set[str], augmented: bool) -> bool:
    if isinstance(target, gast.Name):
        return not augmented or target.id in new           # x += 1 changes an array that others hold
    return isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name) and target.value.id in new


def _without_list_method(value: Any, new: set[str]) -> Any:
    """The arguments of xs.append(v) where xs is a list of this function's own."""
    if (isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) and isinstance(value.func.value, gast.Name)
            and value.func.attr in LIST_METHODS and value.func.value.id in new and not value.keywords):
        return t.pack(list(value.args))
    return value
