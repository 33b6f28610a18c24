"""Objects and dicts: stores as new values and sparse adjoints; what a forward half saved."""
from __future__ import annotations

import dataclasses
import types
from typing import Any

import numpy as np

from sourcegrad.errors import OutputError, Refusal, UnsupportedError, losing
from sourcegrad.runtime import core
from sourcegrad.runtime.structure import Path, _take, attributes_of, carries, is_namedtuple, is_user_class, put_at, set_at, steps_of

__all__ = ["entry_add", "entry_add_at", "entry_drop", "path_of", "path_drop", "path_put", "new_object", "make_object", "as_class",
           "own_method", "carried", "check_item", "default_factory", "dict_cleared", "dict_copy", "dict_delete", "dict_discard",
           "dict_from_items", "dict_get", "dict_items", "dict_keys", "dict_merge", "dict_union", "dict_values",
           "entries_in", "entries_without", "entry_if", "entry_of", "items_back", "items_of", "keyed", "pairs_back", "pairs_forth",
           "passed_if", "plain_key", "values_back", "values_of", "nothing", "raised", "handler_number", "lookup_error", "has_item",
           "entry_key", "takes_item", "is_position", "is_divided"]



def as_class(x: Any, cls: Any) -> Any:
    """x itself, where it is known to be of one of some classes (it is not in the final text)."""
    return x


def carried(data: Any) -> Any:
    """What a caught exception carries: text and whole numbers, as their derivative is lost on the way.

    >>> carried(("not found", 404))
    ('not found', 404)
    """
    if carries(data):
        raise losing(UnsupportedError("a number that an exception carries",
                                      remedy="Return the number, or store it before the `raise`."))
    return data


def entry_add(bar: Any, key: Any, value: Any) -> dict:
    """A copy of a sparse adjoint with `value` added at `key`."""
    if not isinstance(bar, dict):                       # a zero that stands for all entries
        return {key: value}
    return {**bar, key: core.add(bar[key], value) if key in bar else value}


def entry_add_at(bar: Any, key: Any, index: Any, value: Any, like: Any) -> dict:
    """A copy of a sparse adjoint with `value` added at an index of the entry at `key`, which has the structure of `like`."""
    part: Any = bar.get(key) if isinstance(bar, dict) else None
    if same_structure(part, like):
        return {**bar, key: core.index_add(part, index, value)}
    return entry_add(bar, key, core.index_add(core.zeros_like(like), index, value))


def same_structure(part: Any, like: Any) -> bool:
    """Whether the adjoint of a list or array has all its parts: it is no zero that stands for them."""
    if isinstance(part, np.ndarray):
        return isinstance(like, np.ndarray) and part.shape == like.shape
    return isinstance(part, (list, tuple)) and isinstance(like, (list, tuple)) and len(part) == len(like)


def entry_drop(bar: Any, key: Any) -> Any:
    """A sparse adjoint without an entry: what belonged to the value before something else was stored there is zero."""
    return {name: part for name, part in bar.items() if name != key} if isinstance(bar, dict) else bar


def path_of(bar: Any, path: Any, base: Any, value: Any) -> Any:
    """The part of the adjoint of an object that belongs to `value`, which was stored at a path into `base`.

    base: or after how many steps of the path an array is reached."""
    steps = list(steps_of(path))
    while steps and not is_array(base):
        step = steps.pop(0)
        if isinstance(bar, dict) and step[1] not in bar or not isinstance(bar, (dict, list, tuple)):
            return core.zeros_like(value)
        bar, base = bar[step[1]], after_step(base, step) if steps else None
    if not steps:
        return bar
    part = core.unbroadcast(core.last_writes(bar, bar if type(base) is int else base, Path(tuple(steps))), value)
    other = isinstance(part, np.ndarray) and isinstance(value, np.ndarray) and part.dtype != value.dtype
    return core.as_gradient(part, value) if other else part           # stored with another dtype


def is_array(base: Any) -> bool:
    return isinstance(base, np.ndarray) or type(base) is int and base == 0


def after_step(base: Any, step: tuple) -> Any:
    return base - 1 if type(base) is int else _take(base, step)


def path_drop(bar: Any, path: Any, base: Any) -> Any:
    """The adjoint of `base` before something was stored at a path into it: zero there."""
    return dropped_at(bar, steps_of(path), base)


def dropped_at(bar: Any, steps: tuple, base: Any, owned: bool = False) -> Any:
    """`path_drop`; owned: in place, as nobody else holds any of it."""
    step, rest = steps[0], steps[1:]
    if is_array(base):
        return put_at(bar, steps, 0.0, owned) if np.ndim(bar) else bar
    if isinstance(bar, dict):
        if step[1] not in bar:
            return bar
        result = bar if owned else dict(bar)
        if rest:
            result[step[1]] = dropped_at(bar[step[1]], rest, after_step(base, step), owned)
        else:
            del result[step[1]]
        return result
    if not isinstance(bar, (list, tuple)):
        return bar
    items: Any = bar if owned and type(bar) is list else list(bar)
    inner = after_step(base, step)
    items[step[1]] = dropped_at(items[step[1]], rest, inner, owned) if rest else core.zeros_like(inner)
    return items if items is bar else core.like_sequence(bar, items)


def path_put(base: Any, path: Any, part: Any, like: Any = None) -> Any:
    """An adjoint of `base` that is zero but for a part at a path. like: another adjoint, for a number as in `path_of`."""
    return _placed(like if type(base) is int else base, steps_of(path), part)


def _placed(base: Any, steps: tuple, part: Any) -> Any:
    if not steps:
        return part
    if isinstance(base, np.ndarray):
        return set_at(np.zeros(base.shape, np.result_type(base, 0.5)), Path(steps), part)
    if isinstance(base, (float, int)):                  # of what is missing in a sparse adjoint
        return 0.0
    step, rest = steps[0], steps[1:]
    inner = _placed(_take(base, step), rest, part) if rest else part
    if isinstance(base, (list, tuple)):
        items = [core.zeros_like(item) for item in base]
        items[step[1]] = inner
        return core.like_sequence(base, items)
    return {step[1]: inner}


class OwnMethod:
    """A method that an object made inside a differentiated function keeps in an attribute: calls find the function itself."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise Refusal(UnsupportedError(f"the method {self.function.__name__}() is kept in an attribute of an object that is only "
                                       "known at run time", remedy="Call the method itself, or keep its name."))


def own_method(function: Any) -> OwnMethod:
    """What stands for `self.method` in `self.name = self.method`."""
    return OwnMethod(function)


def new_object(cls: Any) -> Any:
    """An instance without attributes, for an `__init__` to fill."""
    return cls.__new__(cls)


def make_object(cls: Any, /, **attributes: Any) -> Any:
    """An instance with these attributes."""
    made = cls.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def object_gradient(gradient: Any, x: Any) -> Any:
    """A gradient in the structure of an object: of its own class for dataclasses and namedtuples, else a namespace.

    Only what holds floats has a gradient: the fields of a dataclass that do not are None.
    """
    cls = type(x)
    if is_namedtuple(cls):
        parts = gradient if isinstance(gradient, tuple) else [gradient] * len(x)
        return cls._make([gradient_part(g, item) for g, item in zip(parts, x)])
    values = attributes_of(x)
    found: dict[str, Any] = {}
    for name, value in values.items():
        if type(value) is float:
            found[name] = core.as_gradient(gradient[name] if isinstance(gradient, dict) and name in gradient else 0.0, value)
        elif (part := gradient_part(entry_of(gradient, name, value), value)) is not None:
            found[name] = part
    if not dataclasses.is_dataclass(cls):
        return types.SimpleNamespace(**found)
    result = cls.__new__(cls)
    for name in values:
        object.__setattr__(result, name, found.get(name))
    return result


def gradient_part(gradient: Any, x: Any) -> Any:
    """The gradient of one attribute or item; None where there is none."""
    cls = type(x)
    if cls is float:
        return core.as_gradient(gradient, x)
    if cls is list or cls is tuple or isinstance(x, list):
        several = isinstance(gradient, (list, tuple)) or np.ndim(gradient)
        parts = [gradient_part(g, item) for g, item in zip(gradient if several else [gradient] * len(x), x)]
        return None if all(part is None for part in parts) else cls(parts)
    if isinstance(x, dict):
        entries = {key: gradient_part(entry_of(gradient, key, item), item) for key, item in x.items()}
        return None if all(part is None for part in entries.values()) else entries
    return core.as_gradient(gradient, x) if carries(x) else None


def object_cotangent(ct: Any, value: Any) -> dict:
    """`grad_outputs` for an object: a dict or an object with the same attributes."""
    given = ct if isinstance(ct, dict) else attributes_of(ct) if is_user_class(type(ct)) else None
    wanted = {name: item for name, item in attributes_of(value).items() if carries(item)}
    if given is None or not wanted.keys() <= given.keys():
        raise OutputError(f"grad_outputs must be an object or dict with {', '.join(wanted)}",
                          remedy="Give one cotangent for each attribute of the output that holds floats.")
    return {name: core.check_cotangent(given[name], item) for name, item in wanted.items()}


def entry_of(bar: Any, key: Any, like: Any) -> Any:
    """One entry of a sparse adjoint; zero, like the value that it belongs to, where it is missing.

    A range stands for a list of as many numbers."""
    if isinstance(bar, dict):
        return bar[key] if key in bar else [0.0] * len(like) if type(like) is range else core.zeros_like(like)
    if isinstance(bar, np.ndarray) and bar.ndim and not isinstance(key, str):
        return bar[key]                                      # of an array
    core.check_nothing(bar)
    return [0.0] * len(like) if type(like) is range else core.zeros_like(like)


def entry_if(bar: Any, key: Any, wanted: bool, like: Any) -> Any:
    """`entry_of` where it is wanted, otherwise zero."""
    return entry_of(bar, key, like) if wanted else core.zeros_like(like)


def entries_in(bar: Any, d: dict) -> dict:
    """The entries of a sparse adjoint at the keys of a dict."""
    return {key: item for key, item in bar.items() if key in d} if isinstance(bar, dict) else {}


def entries_without(bar: Any, d: dict) -> dict:
    """The entries of a sparse adjoint at other keys than those of a dict."""
    return {key: item for key, item in bar.items() if key not in d} if isinstance(bar, dict) else {}


def keyed(key: Any, value: Any, wanted: bool = True) -> dict:
    """A dict of one entry, if it is wanted."""
    return {key: value} if wanted else {}


def plain_key(key: Any) -> Any:
    """A key of which it was not known what it is. What is found under a float or complex number has no derivative for it.

    >>> plain_key(("layer", 3))
    ('layer', 3)
    """
    if carries(key):
        raise UnsupportedError("a key that may depend on the inputs", remedy="Use keys that are constants, such as text.")
    return key


def dict_copy(d: dict) -> dict:
    """`d.copy()`"""
    return d.copy()


def dict_merge(d: dict, other: dict) -> dict:
    """The dict after `d.update(other)`."""
    result = d.copy()
    result.update(other)
    return result


def dict_union(d: dict, other: dict) -> dict:
    """`d | other`, a new dict for whoever holds `d`."""
    return d | other


def dict_delete(d: dict, key: Any) -> dict:
    """`del d[key]`"""
    result = d.copy()
    del result[key]
    return result


def dict_discard(d: dict, key: Any) -> dict:
    """The dict without a key that may be missing."""
    result = d.copy()
    result.pop(key, None)
    return result


def dict_cleared(d: dict) -> dict:
    """The dict after `d.clear()`."""
    result = d.copy()
    result.clear()
    return result


def default_factory(d: Any) -> Any:
    """What makes the missing items of a defaultdict."""
    return d.default_factory


def check_item(d: dict, key: Any) -> None:
    """Refuse to make a missing item of a dict of which it is not known beforehand what makes it."""
    if key not in d and getattr(d, "default_factory", None) is not None:
        raise UnsupportedError("a missing item of a dict of which it is not known beforehand what makes it",
                               remedy="Write `if k not in d: d[k] = ...` before it.")


def dict_get(d: dict, key: Any, default: Any) -> Any:
    """`d.get(key, default)`"""
    return d.get(key, default)


def dict_keys(d: Any) -> list:
    """`list(d)`"""
    return list(d)


def dict_values(d: dict) -> list:
    """`list(d.values())`"""
    return list(d.values())


def dict_items(d: dict) -> list:
    """`list(d.items())`"""
    return list(d.items())


def dict_from_items(items: Any) -> dict:
    """`dict(items)` of pairs"""
    return dict(items)


def values_back(ct: Any, d: dict) -> dict:
    """The adjoint of `d` where `ct` is that of `dict_values(d)`."""
    return dict(zip(d, ct)) if isinstance(ct, (list, tuple)) else {}


def items_back(ct: Any, d: dict) -> dict:
    """The adjoint of `d` where `ct` is that of `dict_items(d)`."""
    if not isinstance(ct, (list, tuple)):
        return {}
    return {key: pair[1] for key, pair in zip(d, ct) if isinstance(pair, (list, tuple))}


def values_of(ct: Any, d: dict) -> list:
    """The entries of a sparse adjoint of `d`, in the order of `d`."""
    return [entry_of(ct, key, item) for key, item in d.items()]


def items_of(ct: Any, d: dict) -> list:
    """The adjoint of `dict_items(d)` that belongs to a sparse adjoint of `d`."""
    return [(0.0, entry_of(ct, key, item)) for key, item in d.items()]


def pairs_back(ct: Any, items: Any) -> list:
    """The adjoint of pairs where `ct` is that of `dict_from_items(items)`: only the last of a key counts."""
    last = {key: position for position, (key, _) in enumerate(items)}
    return [(0.0, entry_of(ct, key, item) if last[key] == position else core.zeros_like(item))
            for position, (key, item) in enumerate(items)]


def pairs_forth(ct: Any, items: Any) -> dict:
    """A sparse adjoint of the dict of the items, from one of the pairs."""
    if not isinstance(ct, (list, tuple)):
        return {}
    return {key: part[1] for (key, _), part in zip(items, ct) if isinstance(part, (list, tuple))}


def passed_if(ct: Any, wanted: bool, like: Any) -> Any:
    """A cotangent where it is wanted, otherwise zero."""
    return ct if wanted else core.zeros_like(like)


def unspent(saved: Any, held: list | tuple = (), placed: bool = False, spent: list | None = None,
            given: frozenset[int] = frozenset()) -> Any:
    """What was saved, with lists of its own (the reverse half pops its tapes) and no memory of the arrays `held`.

    placed: the reverse half tells lists apart by identity, so they stay what they are; `spent` gets them and what is in them.
    given: lists of the caller, by identity.
    """
    if type(saved) is list:
        items = [unspent(item, held, placed, spent, given) for item in saved]
        if not placed or id(saved) in given:
            return items
        if spent is None:
            saved[:] = items
        else:
            spent.append((saved, items))
        return saved
    if type(saved) is tuple:
        placed = placed or len(saved) == 2 and by_identity(saved[0])              # of a call that was made at run time
        return tuple([unspent(item, held, placed, spent, given) for item in saved])
    if held and isinstance(saved, np.ndarray) and any(np.may_share_memory(saved, x) for x in held):
        return saved.copy()
    return saved


def by_identity(reverse: Any) -> bool:
    """Whether a reverse half looks for adjoints by the identity of lists, dicts and objects."""
    code = getattr(getattr(reverse, "__wrapped__", reverse), "__code__", None)               # (without warnings it is wrapped)
    return code is not None and "place_bars" in (*code.co_names, *code.co_freevars)


def refilled(spent: list) -> None:
    """Put back what was popped of lists that stay what they are."""
    for items, before in spent:
        items[:] = before


def lists_in(value: Any) -> list[list]:
    """The lists in nested lists, tuples and dicts."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [*([value] if isinstance(value, list) else ()), *(found for item in inner for found in lists_in(item))]


def leaves(value: Any) -> list:
    """Everything in nested lists, tuples and dicts."""
    if isinstance(value, (list, tuple, dict)):
        return [leaf for item in (value.values() if isinstance(value, dict) else value) for leaf in leaves(item)]
    return [value]


def nothing(x: None) -> None:
    """None, where nobody reads what is there (it is not in the final text)."""
    return x


def raised(cls: Any, *args: Any) -> Any:
    """An exception that nobody raises: what catches it is known.

    >>> raised(ValueError, "too low")
    ValueError('too low')
    """
    return cls(*args)


def handler_number(error: Any, *handlers: Any) -> int:
    """The number of the handler that catches an exception, 0 if none does. handlers: number, class, number, class, ...

    >>> handler_number(KeyError(), 1, ValueError, 2, LookupError)
    2
    """
    return next((handlers[j] for j in range(0, len(handlers), 2) if isinstance(error, handlers[j + 1])), 0)


def lookup_error(items: Any) -> Any:
    """What a missing item raises: a dict has keys, all others positions.

    >>> lookup_error([])
    IndexError()
    """
    return KeyError() if isinstance(items, dict) else IndexError()


def entry_key(table: dict, key: Any) -> Any:
    """A key of a table; what Python raises where there is none.

    >>> entry_key({"a": 1}, "a")
    'a'
    """
    table[key]
    return key


def has_item(items: Any, index: Any) -> bool:
    """Whether `items[index]` is there.

    >>> has_item({"a": 1}, "b"), has_item([1, 2], -2)
    (False, True)
    """
    try:
        items[index]
    except (KeyError, IndexError):
        return False
    return True


def takes_item(items: Any, index: Any) -> bool:
    """Whether `items[index] = value` stores one.

    >>> takes_item({}, "b"), takes_item([1, 2], 2)
    (True, False)
    """
    return isinstance(items, dict) or has_item(items, index)


def is_position(index: Any, size: int) -> bool:
    """Whether a sequence of some length has an item there, counted from either end.

    >>> is_position(-2, 2), is_position(2, 2)
    (True, False)
    """
    return -size <= index < size


def is_divided(x: Any, y: Any) -> bool:
    """Whether Python divides x by y: not if y is 0, and both are its own numbers. (NumPy gives inf.)

    >>> is_divided(1.0, 0.0), is_divided(np.float64(1.0), 0.0)
    (False, True)
    """
    return isinstance(x, (np.generic, np.ndarray)) or isinstance(y, (np.generic, np.ndarray)) or bool(y)
