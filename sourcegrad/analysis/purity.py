"""Side effects of calls: whether a call of a known function does anything but compute its value.

One question, asked for many ends: a call that only computes may be dropped, repeated, moved (`pure`) or stay inside a test
(`harmless`); one that may change what it is given is refused (`may_write`); a program with one that reaches the world outside is
not run a second time to validate it (`reaches_out`). What is not known does the worst.
"""
from __future__ import annotations

import builtins
import random
import sys
import types
from typing import Any

import gast
import numpy as np

from sourcegrad import runtime, tree as t
from sourcegrad.analysis.library import is_inert
from sourcegrad.frontend.forms import hashable
from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import METHODS
from sourcegrad.runtime.numpy_library import check_bins
from sourcegrad.runtime.scipy_library import require_finite

COMPUTING = {"_abc", "_bisect", "_collections", "_functools", "_heapq", "_operator", "abc", "bisect", "builtins", "cmath",
             "collections", "copy", "copyreg", "dataclasses", "enum", "fractions", "functools", "heapq", "itertools", "math",
             "numbers", "numpy", "operator", "re", "scipy", "sourcegrad", "statistics", "string", "types", "typing"}
OUTWARD = {"input", "open", "print", "load", "loadtxt", "save", "savetxt", "savez", "set_printoptions", "seterr", "next", "setattr",
           "delattr", "exec", "eval", "vars", "globals", "locals", "__import__", "breakpoint"}
# a callee that may do anything, or a check that raises
CALLS = (runtime.call_forward, runtime.call_forward_for, runtime.call_unchanging, runtime.check_results, runtime.same_memory,
         runtime.check_overlap, runtime.check_apart, runtime.check_dense, runtime.check_array, runtime.check_store,
         runtime.check_places, runtime.check_keywords, runtime.trap, require_finite, check_bins)
CALLING = {map, filter, sorted, max, min, runtime.apply_along_axis, runtime.apply_over_axes, runtime.fromfunction}
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
    if not hashable(function) or getattr(type(function), "__sourcegrad_effects__", False) or function in CALLS:
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
        return isinstance(node.func, gast.Attribute) and node.func.attr in METHODS
    if function is runtime.own and len(node.args) > 1:        # it refuses arguments that share memory
        return False
    if hashable(function) and function in CALLING and any(
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


def reaches_out(function: Any) -> bool:
    """Whether a known function may do more than compute with its arguments: print, read a clock, draw from a generator."""
    if isinstance(function, (np.random.RandomState, random.Random)) or not hashable(function):
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (np.random.RandomState, random.Random, list, dict, set)) or root_of(function) not in COMPUTING:
        return True
    return getattr(function, "__name__", "") in OUTWARD
