"""Sharing of memory: what generated code finds out, and makes sure of, when it runs."""
from __future__ import annotations

import enum
import functools
import types
from typing import Any

import numpy as np

from sourcegrad import errors
from sourcegrad.errors import InputError, Refusal, UnsupportedError
from sourcegrad.runtime import core, objects
from sourcegrad.runtime.core import index_set
from sourcegrad.runtime.dynamic import Closed
from sourcegrad.runtime.structure import STREAMS, Path, _take, another, attributes_of, is_user_class

__all__ = ["changeable", "copied_part", "places_of", "put_all", "drop_all", "take_all", "spread_all", "same_memory", "check_store",
           "check_overlap", "check_apart", "check_dense", "check_array", "check_some", "evaluated", "trap", "COPIES_BY_NUMBERS"]


ATOMS = (float, int, complex, str, bytes, bool, type(None), type(Ellipsis), range, slice, type, np.generic, np.dtype, enum.Enum,
         types.FunctionType, types.BuiltinFunctionType, types.ModuleType, np.ufunc, type(np.linalg.inv), Path, *STREAMS)
REMEDY = "Work on a copy, or keep the object at one place and let others hold its position or key."


def parts_at(value: Any) -> list[tuple[tuple, Any]] | None:
    """The steps to the parts of a container or object, and the parts; None: it cannot be looked into."""
    if isinstance(value, (list, tuple)):
        return [(("index", j), item) for j, item in enumerate(value)]
    if isinstance(value, dict):
        return [(("index", key), item) for key, item in value.items()]
    if is_user_class(type(value)):
        return [(("attribute", name), item) for name, item in attributes_of(value).items()]
    if isinstance(value, (set, frozenset)):
        return [] if all(isinstance(item, ATOMS) for item in value) else None
    return [] if getattr(value, "__sourcegrad_callable__", False) else None


def places_of(base: Any, old: Any, new: Any, part: Any = None) -> list:
    """The paths to all places in `base` that hold `old`, which becomes `new`.

    part: what lies in `old` and changes itself, an array for example: it is refused if anything else holds it."""
    if old is new or isinstance(old, ATOMS):             # nothing that could be changed: another number is put there
        return []
    if holds(new, old):
        raise UnsupportedError("an object that holds itself",
                               remedy="Keep the objects in a list, and let them hold positions in it.")
    alone = None if isinstance(part, ATOMS) else part
    if alone is not None and len(search(old, alone, None)) > 1:
        refuse(alone)
    if isinstance(old, np.ndarray):                      # arrays may be told apart by their memory, not by their identity
        if search(base, old, None):
            refuse(old)
        return []
    if alone is not None and search(base, alone, old):
        refuse(alone)
    return search(base, old, None)


def changeable(value: Any) -> Any:
    """The value itself, which changes in place wherever it is held; a number cannot: the name would stand for another one."""
    if isinstance(value, ATOMS):
        raise UnsupportedError(f"an in-place operator on what is a {type(value).__name__} here, and an array elsewhere",
                               remedy="Write the assignment out: `y = y + x`.")
    return value


def refuse(part: Any) -> None:
    what = "array" if isinstance(part, np.ndarray) else type(part).__name__
    raise UnsupportedError(f"a {what} that changes in place while something else that is looked at later holds it, too".replace(
        "a array", "an array"), remedy=REMEDY)


def search(base: Any, wanted: Any, without: Any) -> list[tuple]:
    """The paths to what is, or shares the memory of, something. without: an object that is not looked into."""
    array = isinstance(wanted, np.ndarray)
    free: set[int] = set()                               # containers in which it is not
    found: list[tuple] = []

    def visit(value: Any, path: tuple) -> bool:
        if value is wanted or array and isinstance(value, np.ndarray) and np.may_share_memory(value, wanted):
            found.append(path)
            return True
        if isinstance(value, (np.ndarray, *ATOMS)) or id(value) in free or without is not None and value is without:
            return False
        if isinstance(value, types.MethodType):
            if visit(value.__self__, path):
                raise UnsupportedError("an object that changes in place, and a method of it that is kept", remedy=REMEDY)
            return False
        parts = parts_at(value)
        if parts is None:
            raise UnsupportedError(f"an object that changes in place, and a {type(value).__name__} that may hold it", remedy=REMEDY)
        held = [visit(part, (*path, step)) for step, part in parts]
        if not any(held):
            free.add(id(value))
        return any(held)

    visit(base, ())
    return found


def holds(value: Any, old: Any) -> bool:
    """Whether an object can be found in a value."""
    seen: set[int] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if item is old:
            return True
        if not isinstance(item, (np.ndarray, *ATOMS)) and id(item) not in seen:
            seen.add(id(item))
            stack += [part for _, part in parts_at(item) or ()]
    return False


def put_all(base: Any, places: list, old: Any, new: Any) -> Any:
    """A copy of `base` with `new` at the places of `old`; containers that are one object stay one."""
    made: dict[int, Any] = {}

    def rebuilt(value: Any, inside: list) -> Any:
        if () in inside:
            return new
        if id(value) not in made:
            parts: dict = {}
            for path in inside:
                parts.setdefault((path[0][0], path[0][1]), []).append(path[1:])
            changed = {step: rebuilt(_take(value, step), rest) for step, rest in parts.items()}
            made[id(value)] = with_parts(value, changed)
        return made[id(value)]

    return rebuilt(base, places) if places else base


def with_parts(value: Any, changed: dict) -> Any:
    """A copy of a container or object with other parts."""
    if isinstance(value, tuple):
        items = list(value)
        for (_, j), part in changed.items():
            items[j] = part
        if isinstance(value, Closed):
            return Closed(items, value.function, value.keywords)
        return core.like_sequence(value, items)
    result = another(value)
    for (sort, key), part in changed.items():
        if sort == "index":
            result[key] = part
        else:
            object.__setattr__(result, key, part)
    return result


def drop_all(bar: Any, places: list, base: Any) -> Any:
    """The adjoint of `base` before another object was put at places: zero there."""
    for path in places:
        bar = dropped(bar, path, base)
    return bar


def dropped(bar: Any, path: tuple, base: Any) -> Any:
    """An adjoint that is zero at a path, with the structure that `base` (a value, or an adjoint of it) has there."""
    if not path:
        return core.zeros_like(base)
    (_, key, *_), *rest = path
    if not isinstance(bar, (dict, list, tuple)) or isinstance(bar, dict) and key not in bar:
        return bar
    if isinstance(bar, dict) and not rest:
        return {name: part for name, part in bar.items() if name != key}
    inner = base.get(key, 0.0) if isinstance(base, dict) else _take(base, path[0])
    part = dropped(bar[key], tuple(rest), inner)
    if isinstance(bar, dict):
        return {**bar, key: part}
    return core.like_sequence(bar, [part if j == key else item for j, item in enumerate(bar)])


def take_all(bar: Any, places: list, base: Any, value: Any) -> Any:
    """The adjoint of `value`, which was put at places of `base`: the sum of what `bar` has there."""
    total = None
    for path in places:
        part = objects.path_of(bar, Path(path), base, value) if path else bar
        total = part if total is None else core.add(total, part)
    return core.zeros_like(value) if total is None else total


def spread_all(part: Any, places: list, base: Any) -> Any:
    """The adjoint of `base` that is zero but for a part at places."""
    total = None
    for path in places:
        one = objects._placed(base, path, part)
        total = one if total is None else core.add(total, one)
    return core.zeros_like(base) if total is None else total


COPYING = ("copy", "deepcopy", "reduce", "reduce_ex", "getstate", "setstate", "getnewargs", "getnewargs_ex")


def copied_part(ct: Any, value: Any) -> Any:
    """The adjoint of what was copied, which is that of the copy; refused where a class of the user says how it is copied."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        cls = type(item)
        own = is_user_class(cls)
        if own and any(isinstance(getattr(cls, f"__{name}__", None), types.FunctionType) for name in COPYING):
            raise UnsupportedError(f"a copy of a {cls.__name__}, whose class says how it is copied",
                                   remedy="Call a method or function that makes the copy.")
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, (list, tuple)):
            waiting += item
        elif own:
            waiting += attributes_of(item).values()
    return ct


def trap(message: str, remedy: str) -> None:
    """Stands where the function itself calls what has no derivative rule, in a branch that may never run."""
    raise Refusal(UnsupportedError(message, remedy=remedy))


class refused(Refusal):
    """What is raised where code that cannot be differentiated is reached, under a condition; no handler catches it."""

    def __init__(self, message: str, remedy: str, sort: str = "UnsupportedError") -> None:
        super().__init__(getattr(errors, sort)(message, remedy=remedy))


def same_memory(view: Any, base: Any) -> None:
    """Refuse where NumPy made a copy of what has to be a view."""
    if isinstance(view, np.ndarray) and view.size and not np.may_share_memory(view, base):
        raise UnsupportedError("a reshape that NumPy can only do by copying, of an array that changes in place",
                               remedy="Use a copy of the array: x.reshape(...).copy(), or store into the array itself.")


def check_store(base: Any, index: Any, value: Any) -> None:
    """Raise what `base[index] = value` would raise; nothing is stored, and no more copied than that part."""
    if isinstance(base, (int, float, complex, np.generic, tuple, str, bytes, range)):
        raise TypeError(f"'{type(base).__name__}' object does not support item assignment")
    number = isinstance(value, (int, float, np.floating, np.integer))
    if type(base) is np.ndarray and (isinstance(index, slice) or number and isinstance(index, (int, np.integer))):
        np.empty(np.shape(base[index]), base.dtype)[...] = value
    elif type(base) is list and isinstance(index, (int, np.integer)):
        base[index]
    elif type(base) is dict and type(index) is not Path:
        hash(index)
    else:
        index_set(base, index, value)


def check_overlap(target: Any, value: Any) -> None:
    """Refuse `target[...] = value` where NumPy reads what it has just written.

    It copies a source that overlaps, but for rows of numbers that lie in one direction (numpy.ndarray.__setitem__ trusts its
    inner loop with these, which is right for equal strides only)."""
    if not isinstance(target, np.ndarray) or not isinstance(value, np.ndarray) or not target.ndim == 1 <= value.ndim:
        return
    value = np.broadcast_to(value[(0,) * (value.ndim - 1)], target.shape)
    if target.strides[0] * value.strides[0] <= 0 or target.strides == value.strides or not np.shares_memory(target, value):
        return
    if target.strides[0] < 0:
        target, value = target[::-1], value[::-1]
    written, read = (x.__array_interface__["data"][0] + x.strides[0] * np.arange(x.size) for x in (target, value))
    later = np.minimum(np.searchsorted(written, read), target.size - 1)             # where an element that is read is written
    before = later - np.arange(target.size)
    backwards = read[0] < written[0] < read[-1] + value.strides[0]
    if np.any((written[later] == read) & (before > 0 if backwards else before < 0)):
        raise UnsupportedError("a store of elements that overlap with those that they replace, at another distance",
                               remedy="NumPy does not copy them first, and stores numbers that it has already replaced: "
                                      "write a[...] = a[...].copy().")


_NUMBERS = np.arange(3)
_NUMBERS[[2, 0, 1]] = _NUMBERS
COPIES_BY_NUMBERS = _NUMBERS.tolist() == [1, 2, 0]               # NumPy 1 reads what it has just written


def check_apart(target: Any, value: Any) -> None:
    """Refuse `target[[2, 0, 1]] = value` where NumPy does not copy a value that overlaps (`COPIES_BY_NUMBERS`)."""
    if isinstance(value, np.ndarray) and np.shares_memory(target, value):
        raise UnsupportedError("a store by the numbers of elements of what overlaps with them",
                               remedy="NumPy 1 does not copy it first, and stores elements that it has already replaced: "
                                      "write a[i] = a[j].copy().")


def check_dense(x: Any, any_order: bool = False) -> None:
    """Refuse an array whose layout a copy would not keep, where a reshape of it must be a view. any_order: of the axes."""
    if any_order and isinstance(x, np.ndarray):
        x = x.transpose(np.argsort([-step for step in x.strides], kind="stable"))
    if isinstance(x, np.ndarray) and not (x.flags.c_contiguous or x.flags.f_contiguous):
        raise InputError("an array that the function changes through a reshape is not contiguous",
                         remedy="Use np.ascontiguousarray(...) of it.")


def check_some(items: Any, reader: str) -> None:
    """Raise what `next`, or `functools.reduce`, raises where there is no item."""
    if len(items) == 0:
        functools.reduce(max, ()) if reader == "reduce" else next(iter(()))


def evaluated(*values: Any) -> None:
    """Nothing: what gives the values may raise an exception that is caught, and so it stays in the code."""


def check_array(x: Any) -> None:
    """Refuse a number that `op=` has changed under one name, where arrays that several names hold were thought of."""
    if isinstance(x, (int, float, complex, np.generic, tuple, str)):
        raise UnsupportedError("`op=` of what is only known to be a number when it runs, and held by others",
                               remedy="Write the assignment out, `x = x + y`: then the others certainly keep the old number.")
