"""What generated code may ask of objects: the names of attributes.

Python finds an attribute by its name, and the name stands in the code that asks, among the names and texts of its code object.
Whatever else an object holds cannot matter, neither to generated code nor to what was decided when it was generated. So guards ask
only for attributes of these names. Names that are computed stand nowhere: code that can do that may ask for any.
"""
from __future__ import annotations

import abc
import builtins
import functools
import opcode
import operator
import types
from collections.abc import Iterable
from typing import Any

from sourcegrad import kinds as k

COMPUTED = {"getattr", "setattr", "hasattr", "delattr", "vars", "dir", "eval", "exec", "locals", "__dict__", "__slots__",
            "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__getstate__", "__reduce__", "__reduce_ex__",
            "__replace__", "attrgetter", "methodcaller", "fields", "asdict", "astuple", "replace", "getmembers",
            "getmembers_static", "getattr_static", "signature"}
FUNCTIONS = {id(getattr(builtins, name)) for name in COMPUTED if hasattr(builtins, name)}
REFLECTING = {"dataclasses", "inspect", "pickle", "copyreg", "attr", "attrs"}
BY_POSITION = opcode.opmap["MATCH_CLASS"]                 # `case Point(x, y)` asks for what the class says


def names_asked(derived: Any, relies: Iterable[tuple[Any, str, Any]], given: Iterable[k.Kind] = ()) -> frozenset[str] | None:
    """The names of all attributes that code can ask for, or None: any.

    relies: the guards of generated code, among which is the code of each function that was looked into. given: what the
    code is for."""
    names: set[str] = set()
    codes = [seen for _, name, seen in relies if name == "__code__" and isinstance(seen, types.CodeType)]
    if not codes:
        return None
    try:
        for code in (*codes, *generated(derived)):
            ask(code, names)
    except ValueError:
        return None
    met = (seen for _, name, seen in relies if name != "__replace__")      # (dataclasses have it since Python 3.13)
    return None if names & COMPUTED or any(map(reflects, (*given, *met))) else frozenset(names)


def ask(code: types.CodeType, names: set[str]) -> None:
    """Add what a code object names; ValueError where it says nothing of what it asks for."""
    if BY_POSITION in code.co_code[::2]:
        raise ValueError
    names.update(code.co_names)
    waiting = list(code.co_consts)
    while waiting:
        constant = waiting.pop()
        if isinstance(constant, str):
            names.add(constant)
        elif isinstance(constant, (tuple, frozenset)):
            waiting += constant
        elif isinstance(constant, types.CodeType):
            ask(constant, names)


def generated(derived: Any) -> list[types.CodeType]:
    """The code of the generated functions, as far as they are Python functions."""
    found: dict[int, Any] = {}
    named = [getattr(derived, name, None) for name in ("half", "backward", "forward", "reverse")]
    waiting = [half for half in (derived, *named) if hasattr(half, "callees")]
    while waiting:
        half = waiting.pop()
        if id(half) not in found:
            found[id(half)] = half
            waiting += half.callees
    functions = [half.function for half in found.values()]
    return [function.__code__ for function in functions if isinstance(function, types.FunctionType)]


def reflects(seen: Any) -> bool:
    """Whether what code refers to can ask for attributes whose names stand elsewhere."""
    if isinstance(seen, k.Kind):
        return reflects(seen.value) if isinstance(seen, k.Fn) else any(map(reflects, k.parts(seen)))
    if isinstance(seen, functools.partial):
        return reflects(seen.func)
    if type(seen) is tuple or type(seen) is dict:              # defaults
        return any(map(reflects, seen.values() if isinstance(seen, dict) else seen))
    if isinstance(seen, type):
        above: Any = type(seen)
        asks = any("__instancecheck__" in vars(cls) for cls in above.__mro__ if cls not in (type, abc.ABCMeta))
        return asks or getattr(seen, "_is_protocol", False) is True
    module = getattr(seen, "__module__", None) if callable(seen) else None
    return id(seen) in FUNCTIONS or isinstance(seen, (operator.attrgetter, operator.methodcaller)) or (
        isinstance(module, str) and module in REFLECTING)
