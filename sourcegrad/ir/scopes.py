"""Scopes: where names live, what of the names in them is guarded, and which callables stand for a function inside them.

Nothing here needs trees: code that was generated before runs without the generator.
"""
from __future__ import annotations

import abc
import builtins
import functools
import math
import operator
import sys
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sourcegrad import kinds
from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.runtime.structure import is_distribution as is_distribution

VERSION = [0]                   # counts registrations by users: code generated under an earlier version is out of date
CACHED = type(functools.lru_cache(lambda: None))
KEEPING: Any = weakref.WeakSet()                         # functions behind functools.cache
PROPERTIES: Any = weakref.WeakSet()                      # and behind functools.cached_property


def mark(value: Any, name: str) -> Any:
    """What sourcegrad or a library has written onto a function or class; a `__getattr__` of the user's is not asked."""
    return None if hasattr(type(value), "__getattr__") else getattr(value, name, None)


def transparent(value: Any) -> Any:
    """The function behind `functools.cache`, `sg.differentiable` and compiled functions that show it as `.py_func`."""
    while True:
        found = mark(value, "__sourcegrad_original__")
        made, inner = found if type(found) is tuple else (None, None)
        if made is not None and made() is not value:
            inner = None                                 # functools.wraps has copied it, or a bound method shows it
        if inner is None and isinstance(value, CACHED):
            inner = value.__wrapped__
            if isinstance(inner, types.FunctionType):
                KEEPING.add(inner)
        if inner is None and callable(value) and not isinstance(value, (type, types.FunctionType)):
            inner = mark(value, "py_func")
            inner = inner if isinstance(inner, types.FunctionType) else None
        if inner is None:
            return value
        value = inner


MISSING = object()
STATIC = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, np.ufunc,
          functools.partial, CACHED, type(np.concatenate))          # (one class of most functions of NumPy, its own)


@dataclass(eq=False)
class Scope:
    """Where free names live: `bound` (known objects), then closure cells, module globals, builtins."""

    globals: dict
    cells: dict = field(default_factory=dict)
    bound: dict = field(default_factory=dict)

    def lookup(self, name: str) -> Any:
        if name in self.bound:
            return self.bound[name]
        if name in self.cells:
            try:
                return self.cells[name].cell_contents
            except ValueError:
                return MISSING
        if name in self.globals:
            return self.globals[name]
        return getattr(builtins, name, MISSING)


@dataclass(eq=False)
class Members:
    """The attributes of a module, class or function, as a scope."""

    owner: Any

    def lookup(self, name: str) -> Any:
        return getattr(self.owner, name, MISSING)


@dataclass(eq=False)
class Body:
    """What stands in a class itself, as a scope; "": how many names that are."""

    owner: type

    def lookup(self, name: str) -> Any:
        return vars(self.owner).get(name, MISSING) if name else len(vars(self.owner))


@dataclass(eq=False)
class Entries:
    """The entries of a dict whose keys are text, as a scope."""

    owner: dict

    def lookup(self, name: str) -> Any:
        return self.owner.get(name, MISSING)


def code_like(value: Any) -> bool:
    """Whether an attribute is guarded by its identity: functions, classes, descriptors, and where there is none."""
    return value is MISSING or isinstance(value, STATIC) or is_callable(value) or hasattr(type(value), "__get__") or (
        is_distribution(value))


def is_callable(value: Any) -> bool:
    """Whether it is one of sourcegrad's own callables. (A user's class may say that its instances have any attribute.)"""
    return hasattr(value if isinstance(value, types.FunctionType) else type(value), "__sourcegrad_callable__")


def read_by(function: types.FunctionType) -> list[tuple[Any, str, Any]]:
    """Guards for what a function that is called while code is generated reads."""
    scope = Scope(function.__globals__, dict(zip(function.__code__.co_freevars, function.__closure__ or ())))
    values = {name: scope.lookup(name) for name in (*function.__code__.co_names, *function.__code__.co_freevars)}
    return [(Members(function), "__code__", function.__code__), *(
        (scope, name, value if code_like(value) else live_kind(value, name))
        for name, value in values.items() if value is not MISSING)]


class Registrations:
    """Which classes abstract classes count as their own (`ABC.register`), as a scope."""

    def lookup(self, name: str) -> Any:
        return abc.get_cache_token()


def class_guards(cls: type) -> list[tuple[Any, str, Any]]:
    """Guards for a class: what it inherits from, and all functions and descriptors, whichever Python may call."""
    found: list[tuple[Any, str, Any]] = [(Members(cls), "__mro__", cls.__mro__)]
    if hasattr(cls, "_field_defaults") and isinstance(cls.__new__, types.FunctionType):
        found.append((Members(cls.__new__), "__defaults__", cls.__new__.__defaults__))
    above: Any = type(cls)
    for base in (*cls.__mro__, *above.__mro__):
        if str(base.__module__).partition(".")[0] not in sys.stdlib_module_names | {"numpy", "scipy", "sourcegrad"} - {"__main__"}:
            body = Body(base)
            items = [(body, name, value) for name, value in vars(base).items() if code_like(value)]
            found += [(body, "", len(vars(base))), *(item for item in items if item[1] not in ("__dict__", "__weakref__"))]
            for field in vars(base).get("__dataclass_fields__", {}).values():
                found += read_by(field.default_factory) if isinstance(field.default_factory, types.FunctionType) else []
            for descriptor in dict.fromkeys(type(value) for *_, value in items):
                found += class_guards(descriptor) if descriptor not in cls.__mro__ else []
    return found


def foreign(owner: Any) -> bool:
    """Modules and classes that nobody changes: those of numpy, math, the builtins and sourcegrad itself."""
    name = owner.__name__ if isinstance(owner, types.ModuleType) else (
        owner if isinstance(owner, type) else type(owner)).__module__
    return isinstance(name, str) and name.split(".")[0] in ("numpy", "math", "cmath", "builtins", "operator",
                                                            "functools", "sourcegrad")


MEANT = {module: dict(vars(module)) for module in (builtins, np, np.linalg, np.fft, np.random, math, operator, functools)}
OUTWARD = {"print", "input", "open", "__import__", "breakpoint", "help", "exit", "quit"}        # what others may well replace


def check_meant(owner: Any, name: str, origin: Callable[[], Origin | None]) -> None:
    """Refuse a function of NumPy or Python in whose place another one is since it was imported: rules say what it was."""
    meant = MEANT[owner].get(name) if isinstance(owner, types.ModuleType) and owner in MEANT else None
    if callable(meant) and vars(owner).get(name) is not meant:
        raise UnsupportedError(f"{owner.__name__}.{name} is replaced by another function", origin(),
                               "Give the other function a name of its own, and call it by that.")


def live_kind(value: Any, name: str) -> kinds.Kind:
    """The kind of a global or attribute that is read while the program runs: a number may have any value."""
    return kinds.as_num(kinds.kind_of(value, name))
