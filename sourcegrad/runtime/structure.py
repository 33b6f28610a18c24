"""What an object consists of: which classes are looked into, and the attributes of their instances."""
from __future__ import annotations

import collections
import copy
import enum
import functools
import random
import sys
import types
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

BUILT_IN = (type, BaseException, np.ndarray, np.generic, int, float, complex, str, bytes, list, dict, set, frozenset,
            tuple, types.ModuleType, types.FunctionType, enum.Enum)

STREAMS = (np.random.Generator, np.random.RandomState, random.Random)     # drawing from one changes it


Given = ParamSpec("Given")
Found = TypeVar("Found")


def cached(size: int) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """`functools.lru_cache` under which a type checker sees the arguments: classes are hashable."""
    return functools.lru_cache(maxsize=size)       # type: ignore[return-value]


def by_identity(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """A cache for what is made from objects: these are told apart by their identity, whatever their `==` says."""
    known: dict[tuple, tuple] = {}

    @functools.wraps(function)
    def found(*args: Any) -> Any:
        key = tuple([x if type(x) in (str, bool) else id(x) for x in args])
        if key not in known:
            if len(known) > 1024:
                known.clear()
            known[key] = function(*args), args                          # type: ignore[call-arg]
        return known[key][0]

    return found       # type: ignore[return-value]


@cached(4096)
def is_user_class(cls: type) -> bool:
    """Whether instances are seen as their attributes: ordinary classes, not those of Python and NumPy themselves."""
    if cls is types.SimpleNamespace or "__sourcegrad_object__" in vars(cls):
        return True
    root = str(cls.__module__).split(".")[0]
    own = root == "__main__" or root not in sys.stdlib_module_names | {"numpy", "sourcegrad"}
    return own and cls.__getattribute__ is object.__getattribute__ and not issubclass(cls, BUILT_IN) and (
        not hasattr(cls, "__sourcegrad_callable__"))


def is_namedtuple(cls: type) -> bool:
    return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


OPERATORS = {f"__{name}__" for name in ("neg pos abs eq ne lt le gt ge bool float int " + " ".join(
    f"{name} r{name} i{name}" for name in "add sub mul truediv floordiv mod pow matmul".split())).split()}
PROTOCOL = {f"__{name}__" for name in ("new init getitem setitem delitem missing iter len contains reversed getattr getattribute "
                                       "array_finalize array_ufunc").split()}


def base_of(cls: type) -> type | None:
    """The built-in class that a user's class inherits from, of those that generated code looks into."""
    found = next((base for base in (dict, list, tuple, set, frozenset, collections.deque, float, int, complex, np.ndarray)
                  if issubclass(cls, base) and cls is not base), None)
    return None if str(cls.__module__).split(".")[0] in sys.stdlib_module_names | {"numpy", "sourcegrad"} else found


@cached(4096)
def overridden(cls: type) -> str | None:
    """The name of a method that a subclass of a built-in class overrides and Python calls without being asked, or that all
    containers of its sort have; None for other classes: then an instance acts like one of the built-in class.

    (Operators and `in` of namedtuples are called like those of any class; only what they are made of must be as it was.)
    """
    base = base_of(cls)
    if base is None:
        return None
    fields, enumerated = is_namedtuple(cls), issubclass(cls, enum.Enum)
    for owner in cls.__mro__[:cls.__mro__.index(base)]:
        if str(owner.__module__).split(".")[0] not in sys.stdlib_module_names:
            for name in vars(owner):
                own = name in (OPERATORS if enumerated else PROTOCOL - {"__contains__", "__getattr__"} if fields else (
                    PROTOCOL | OPERATORS)) or not (fields or enumerated or name.startswith("__")) and hasattr(base, name)
                if own and not (fields and owner.__bases__ == (tuple,) and name == "__new__"):
                    return name
    return None


@cached(4096)
def slots_of(cls: type) -> tuple[str, ...]:
    """Names in `__slots__`, as the attributes are really called."""
    found = []
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            private = slot.startswith("__") and not slot.endswith("__")
            found.append(f"_{base.__name__.lstrip('_')}{slot}" if private else slot)
    return tuple(name for name in found if name not in ("__dict__", "__weakref__"))


def attributes_of(value: Any) -> dict[str, Any]:
    """The attributes of an instance itself, those in slots included."""
    found = _own(value, "__dict__") or {}
    slots = slots_of(type(value))
    return {**found, **{name: part for name in slots if (part := _own(value, name, slots)) is not slots}} if slots else found


def _own(value: Any, name: str, default: Any = None) -> Any:
    """An attribute that an instance has, whatever its class answers when asked for one that is not there."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return default


def another(value: Any) -> Any:
    """A container or object of its own with the same parts. (What a class says of copies of its instances does not matter.)"""
    if not is_user_class(type(value)) or isinstance(value, BaseException):
        return copy.copy(value)
    base: Any = types.SimpleNamespace if isinstance(value, types.SimpleNamespace) else object
    result = base.__new__(type(value))
    for name, part in attributes_of(value).items():
        object.__setattr__(result, name, part)
    return result


def bound_inside(value: Any) -> str | None:
    """The name of a method or partial in an object that is bound to a part of the same object (as an attribute: to another)."""
    parts: dict[int, Any] = {}
    callables: list = []

    def visit(item: Any, owner: Any) -> None:
        cls = type(item)
        if cls in (types.MethodType, functools.partial):
            if cls is functools.partial or item.__self__ is not owner:
                callables.append(item)
            return
        if id(item) in parts or not (cls in (list, tuple, dict) or isinstance(item, np.ndarray) or is_user_class(cls)
                                     or is_namedtuple(cls)):
            return
        parts[id(item)] = item
        if isinstance(item, np.ndarray):
            return
        inner = item if isinstance(item, (list, tuple)) else item.values() if cls is dict else attributes_of(item).values()
        for part in list(inner):
            visit(part, item)

    visit(value, None)
    for item in callables:
        held = [item.__self__] if type(item) is types.MethodType else [item.func, *item.args, *item.keywords.values()]
        held += [x.__self__ for x in held if type(x) is types.MethodType]
        if any(id(x) in parts for x in held):
            return str(getattr(item, "__name__", "partial"))
    return None


def carries(value: Any, within: tuple[int, ...] = ()) -> bool:
    """Whether a value holds anything that can be differentiated with respect to: floats, not integers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "fc"
    cls = type(value)
    if cls in (float, complex):
        return True
    if id(value) in within:
        return False
    within = (*within, id(value))
    if isinstance(value, (list, tuple)):
        return any(carries(item, within) for item in value)
    if isinstance(value, dict):
        return any(carries(item, within) for item in value.values())
    return is_user_class(cls) and any(carries(item, within) for item in attributes_of(value).values())
