"""Structure of objects: attributes, classes, and places inside objects."""
from __future__ import annotations

import collections
import copy
import enum
import functools
import random
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from sourcegrad.errors import UnsupportedError

__all__ = ["at", "another"]


HEAP = 1 << 9                           # the flag of classes that are made when a program runs: Py_TPFLAGS_HEAPTYPE
BUILT_IN = (type, BaseException, np.ndarray, np.generic, int, float, complex, str, bytes, list, dict, set, frozenset,
            tuple, types.ModuleType, types.FunctionType, enum.Enum)

STREAMS = (np.random.Generator, np.random.RandomState, random.Random)     # drawing from one changes it
MODULE_STREAMS = {"numpy.random": np.random.mtrand._rand, "random": random._inst}       # type: ignore[attr-defined]


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


class HeldList(list):
    """The class of the lists that are told apart by their identity; those made at one place of a program have one of their own."""

    __slots__ = ()


class HeldDeque(collections.deque):
    """The class of the deques that are told apart by their identity; those made at one place of a program have one of their own."""

    __slots__ = ()


class HeldDict(dict):
    """The class of the dicts that are told apart by their identity; those made at one place of a program have one of their own."""

    __slots__ = ()
    made: Any = None                    # what makes missing items, of a defaultdict


class HeldArray:
    """The class of the arrays that are told apart by their identity; those made at one place of a program have one of their own."""

    __slots__ = ()


class HeldView(HeldArray):
    """The class of the views of such arrays: they may share memory with any of them."""

    __slots__ = ()


WHOLE = "[:]"                           # the name of what is read or stored where it is all items of a list
ALL = "[...]"                           # and where it is all elements of an array


@cached(4096)
def is_user_class(cls: type) -> bool:
    """Whether instances are seen as their attributes: ordinary classes, not those of Python and NumPy themselves."""
    if cls is types.SimpleNamespace or "__sourcegrad_object__" in vars(cls):
        return True
    root = str(cls.__module__).split(".")[0]
    own = root == "__main__" or root not in sys.stdlib_module_names | {"numpy", "sourcegrad"}
    return own and cls.__getattribute__ is object.__getattribute__ and not issubclass(cls, BUILT_IN) and (
        not hasattr(cls, "__sourcegrad_callable__"))


@cached(4096)
def is_compiled_function(cls: type) -> bool:
    """Whether instances are functions that a compiler of a library has made: objects that are called, of a class that is written in
    C. What they hold is the compiler's own."""
    return not issubclass(cls, BUILT_IN) and any("__call__" in vars(base) for base in cls.__mro__) and any(
        not base.__flags__ & HEAP and str(base.__module__).split(".")[0] not in sys.stdlib_module_names for base in cls.__mro__)


def is_distribution(value: Any) -> bool:
    """Whether it is a distribution of scipy.stats, or a frozen one: an object that stands for functions and does not change."""
    return str(type(value).__module__).startswith("scipy.stats.") and hasattr(type(value), "rvs")


def is_user_object(value: Any) -> bool:
    """Whether a value is an instance of such a class (none is one whose metaclass gives no hash)."""
    try:
        return is_user_class(type(value))
    except TypeError:
        return False


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
    found = _own(value, "__dict__")
    found = found if isinstance(found, dict) else {}        # (a wrapper of a library has what it says)
    slots = slots_of(type(value))
    return {**found, **{name: part for name in slots if (part := _own(value, name, slots)) is not slots}} if slots else found


def _own(value: Any, name: str, default: Any = None) -> Any:
    """An attribute that an instance has, whatever its class answers when asked for one that is not there."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return default


ATOMS = {float, int, bool, str, complex, bytes, type(None), *weakref.ProxyTypes}    # (who asks a proxy asks what may be gone)
CONTAINERS = (list, tuple, set, frozenset, collections.deque)


def reached(values: Any) -> dict[int, Any]:
    """The arrays, containers and objects that some values are or hold, each once, by their ids."""
    found: dict[int, Any] = {}
    waiting = values
    while waiting:
        new = {id(x): x for x in waiting if type(x) not in ATOMS}
        waiting = []
        for key in new.keys() - found.keys():
            x = new[key]
            cls = type(x)
            if cls is list or cls is tuple:
                waiting += x
            elif cls is dict:
                waiting += x.values()
            elif cls is not np.ndarray:
                held = held_by(x)
                if held is None and not isinstance(x, np.ndarray):
                    continue
                waiting += held or ()
            found[key] = x
    return found


def held_by(value: Any) -> Any:
    """What is in a container, or an object; None of anything else."""
    if type(value) in weakref.ProxyTypes:
        return None
    if isinstance(value, (dict, *CONTAINERS)):
        return value.values() if isinstance(value, dict) else value
    if isinstance(value, np.ndarray) or not is_user_object(value) or is_compiled_function(type(value)):
        return None
    held = attributes_of(value) if slots_of(type(value)) else _own(value, "__dict__")
    return held.values() if isinstance(held, dict) else ()


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


class Path:
    """A recorded path: every attribute, subscript and call makes a longer one."""

    __slots__ = ("_steps",)
    __sourcegrad_callable__ = True                       # a known object of generated code
    __name__ = "at"                                      # generated code imports the one empty path by this name

    def __init__(self, steps: tuple = ()) -> None:
        self._steps = steps

    def __getitem__(self, index: Any) -> Path:
        return Path((*self._steps, ("index", index)))

    def __getattr__(self, name: str) -> Path:
        if name.startswith("__"):
            raise AttributeError(name)
        return Path((*self._steps, ("attribute", name)))

    def __call__(self, *args: Any, **options: Any) -> Path:
        return Path((*self._steps[:-1], ("method", self._steps[-1][1], args, options)))

    def __repr__(self) -> str:
        return "at" + "".join(f"[{s[1]!r}]" if s[0] == "index" else f".{s[1]}" for s in self._steps)


at = Path()


class ObjectZero(dict):
    """The zero adjoint of an object: it has attributes, and what its class calls its items is not known here."""


def steps_of(index: Any) -> tuple:
    """The steps of a path, or of a plain index."""
    return index._steps if type(index) is Path else (("index", index),)


def is_zero(value: Any) -> bool:
    """Whether a value is the zero adjoint of something of any structure."""
    return type(value) is float and value == 0.0


def _take(value: Any, step: tuple) -> Any:
    if is_zero(value):
        return value
    if step[0] == "index":
        return value[step[1]]
    if isinstance(value, dict):                          # the adjoint of an object
        return value.get(step[1], 0.0)
    if step[0] == "attribute":
        return getattr(value, step[1])
    return getattr(value, step[1])(*step[2], **step[3])


def get_at(value: Any, index: Any) -> Any:
    """What lies at a place of a value."""
    for step in steps_of(index):
        value = _take(value, step)
    return value


def adjoint_at(ct: Any, steps: Any) -> Any:
    """What lies at a place of an adjoint: what is missing in a sparse one is zero."""
    for step in steps:
        if isinstance(ct, (float, int)):
            return 0.0
        ct = ct.get(step[1], 0.0) if isinstance(ct, dict) else _take(ct, step)
    return ct


def set_at(value: Any, index: Any, new: Any) -> Any:
    """A copy of a value with something else at a place; what the place is not part of is shared."""
    return put_at(value, steps_of(index), new)


def put_at(value: Any, steps: tuple, new: Any, owned: bool = False) -> Any:
    """`set_at`; owned: in place, as nobody else holds any of it."""
    if isinstance(value, np.ndarray):
        return _put_array(value if owned else np.array(value), steps, new)
    if is_zero(value) and is_zero(new):
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(value, (float, int, np.generic)) and step[0] == "index":
        if step[1] is Ellipsis or isinstance(step[1], tuple) and not step[1]:
            return put_at(value, rest, new, owned) if rest else new                # an array without axes
        if isinstance(step[1], (bool, np.bool_, np.ndarray)) and np.asarray(step[1]).dtype.kind == "b":
            return np.where(step[1], np.sum(new), value)[()] if not rest else put_at(value, rest, new, owned) if step[1] else value
        if isinstance(value, np.generic) or value:                        # (a zero may be the adjoint of a container)
            raise TypeError(f"'{type(value).__name__}' object does not support item assignment")
    if rest and isinstance(value, dict) and step[1] not in value:
        if is_zero(new) or isinstance(new, np.ndarray) and not np.any(new):      # zeros in what is missing: zero
            return value
        new = put_at(0.0, rest, new)
    elif rest:
        new = put_at(_take(value, step), rest, new, owned)
    if isinstance(value, tuple):
        items = list(value)
        items[step[1]] = new
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, (float, int)):                  # the zero adjoint of a container
        if not isinstance(step[1], str):
            raise UnsupportedError("a higher derivative through an array inside a dict or object that changes in place",
                                   remedy="Store the array in a variable, and put it back when it is complete.")
        return {step[1]: new}
    if step[0] == "index" and is_user_class(type(value)):
        raise UnsupportedError(f"a store into an item of a {type(value).__name__}, whose class is not known beforehand",
                               remedy="Call a method of one class that stores the value.")
    result = value if owned else another(value)
    if step[0] == "index":
        result[step[1]] = new
    elif isinstance(result, dict):                       # the adjoint of an object
        result[step[1]] = new
    else:
        check_stored_as_is(type(value), step[1])
        object.__setattr__(result, step[1], new)
    return result


def check_stored_as_is(cls: type, name: str) -> None:
    """Refuse a store that a property (or another data descriptor) of a class takes: its code has not been looked into."""
    found = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
    if found is not None and hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
        raise UnsupportedError(f"a store into '{name}' of a {cls.__name__}, whose class is not known beforehand: a setter runs",
                               remedy="Give every branch an object of the same class, or store in a method of the class.")


def _put_array(result: np.ndarray, steps: tuple, new: Any) -> np.ndarray:
    part: Any = result
    for step in steps[:-1]:
        part = _take(part, step)
    last = steps[-1]
    if last[0] == "index":
        store(part, last[1], new)
    else:
        part = _take(part, last)
        store(part, Ellipsis, new)
    if isinstance(part, np.ndarray) and part.size and not np.may_share_memory(part, result):
        # a reshape has made a copy: an adjoint may lie in another order than its array, which is known to give a view
        positions = np.arange(result.size).reshape(result.shape)
        for step in steps if last[0] != "index" else steps[:-1]:
            positions = _take(positions, step)
        positions = positions[last[1]] if last[0] == "index" else positions
        result.flat[np.ravel(positions)] = np.ravel(np.broadcast_to(new, np.shape(positions)))
    return result


def store(part: Any, index: Any, new: Any) -> None:
    if isinstance(part, np.flatiter) and index is Ellipsis:
        part[:] = new
    else:
        part[index] = new
