"""The lattice of kinds: the kind of a value, and the kind that covers two others."""
from __future__ import annotations

import collections
import enum
import functools
import math
import numbers
import types
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from sourcegrad.kinds.types import (
    ANY,
    DISCRETE,
    FLOAT,
    ITEM,
    KEYS,
    MISSING,
    MOST,
    PYTHON_SCALARS,
    RESIZED,
    UNORDERED,
    UNSET,
    WHOLE,
    Closure,
    Const,
    Counts,
    Dct,
    Discrete,
    Fn,
    HeldArray,
    HeldDeque,
    HeldDict,
    HeldList,
    Kind,
    Lst,
    Map,
    Named,
    Num,
    Obj,
    OneOf,
    Optional,
    Own,
    Place,
    Rest,
    SetOf,
    State,
    Tup,
    all_of,
    as_num,
    entry_name,
    is_held_array,
    is_held_dict,
    is_held_list,
    mapped,
    once,
    parts,
    text_from,
)
from sourcegrad.runtime.dynamic import Closed
from sourcegrad.runtime.structure import (
    attributes_of,
    is_compiled_function,
    is_distribution,
    is_namedtuple,
    is_user_class,
    overridden,
    slots_of,
)


def many(dim: Any) -> bool:
    """Whether a dimension is certainly not of size 1."""
    if isinstance(dim, int):
        return dim != 1
    more = dim.rpartition(")")[2].partition("+")[2] if isinstance(dim, str) else ""
    if more:
        return int(more) > 1 and "?" not in dim          # a size and 2 more
    return isinstance(dim, str) and dim[-1:] != ")" and "-" not in dim and "?" not in dim


def broadcast_dim(a: Any, b: Any) -> Any:
    """The size of one broadcast dimension, assuming that the broadcast succeeds."""
    if a == b and a is not None:
        return a
    for one, other in ((a, b), (b, a)):
        if one == 1 and isinstance(one, int):
            return other
    if isinstance(a, int):
        return a                       # known and not 1
    if isinstance(b, int):
        return b
    if many(a):
        return a
    if many(b):
        return b
    return None


def broadcast(*shapes: tuple | None) -> tuple | None:
    """Broadcast symbolic shapes; None when a rank is unknown."""
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    rank = max(map(len, known), default=0)
    result: list = [1] * rank
    for shape in known:
        for k, dim in enumerate(reversed(shape)):
            result[rank - 1 - k] = broadcast_dim(result[rank - 1 - k], dim)
    return tuple(result)


def minus(dim: str, amount: int) -> Any:
    """The symbol for a dimension less `amount` (never below 0, as slices have it)."""
    if amount == 0:
        return dim
    head, bracket, tail = dim.rpartition(")")
    if "+" in tail:                                       # n + 2 less 2 is n
        tail, _, more = tail.partition("+")
        if int(more) > amount:
            return f"{head}{bracket}{tail}+{int(more) - amount}"
        return minus(f"{head}{bracket}{tail}", amount - int(more))
    if "-" in tail:
        tail, _, before = tail.partition("-")
        amount += int(before)
    return f"{head}{bracket}{tail}-{amount}"


def less(dim: Any, amount: int) -> Any:
    """The size that is left of a dimension; a negative amount makes it longer (what was cut off comes back)."""
    if isinstance(dim, int):
        return max(dim - amount, 0)
    if not isinstance(dim, str) or amount >= 0:
        return minus(dim, amount) if isinstance(dim, str) else None
    head, bracket, tail = dim.rpartition(")")
    tail, cut, before = tail.partition("-")
    tail, _, more = tail.partition("+")
    whole = f"{head}{bracket}{tail}"
    rest = int(more or 0) - int(before or 0) - amount
    if cut and rest > 0:
        return None                                       # nothing is cut off an empty one
    return f"{whole}+{rest}" if rest > 0 else minus(whole, -rest)


def times(*sizes: Any) -> Any:
    """The product of sizes."""
    known = [size for size in sizes if isinstance(size, int)]
    others = [size for size in sizes if not isinstance(size, int)]
    if not others or 0 in known:
        return math.prod(known)
    return others[0] if len(others) == 1 and math.prod(known) == 1 else None


def enumeration(kind: Kind) -> Any:
    """The class of which a value is a member, one that is known or any; None also where members are numbers or text."""
    cls: Any = type(kind.value) if isinstance(kind, Const) else kind.cls if isinstance(kind, Obj) and kind.items is None else object
    return cls if issubclass(cls, enum.Enum) and not issubclass(cls, enum.Flag) and cls._member_type_ is object else None


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two sizes."""
    if a == b or isinstance(a, int) and isinstance(b, int):
        return None if a is None else a if a == b else min(a, b)
    return 0 if 0 in (a, b) else None


def join(a: Kind | None, b: Kind | None) -> Kind:
    """Least kind that covers both (None is the empty kind)."""
    if a is None or b is None:
        return b or a or ANY
    if a == b:
        return a
    if a is UNSET or b is UNSET:
        return b if a is UNSET else a
    a, b = as_num(a), as_num(b)
    if a == b:
        return a
    if isinstance(a, Num) and isinstance(b, Num):
        return _join_nums(a, b)
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        items = tuple(map(join, a.items, b.items))
        return Named(items, a.cls) if isinstance(a, Named) and isinstance(b, Named) and a.cls is b.cls else Tup(items)
    if isinstance(a, Lst) and isinstance(b, Lst):
        return Lst(join(a.item, b.item) if a.item or b.item else None, a.optional or b.optional)
    if isinstance(a, Closure) and isinstance(b, Closure) and a.function is b.function and a.keywords == b.keywords:
        return Closure(a.function, tuple(map(join, a.items, b.items)), a.keywords)
    if isinstance(a, Dct) and isinstance(b, Dct):
        return _join_dicts(a, b)
    if isinstance(a, Counts) and isinstance(b, Counts):
        return Counts(_join_parts(a.key, b.key), _join_parts(a.item, b.item))
    if isinstance(a, (Dct, Map)) and isinstance(b, (Dct, Map)) and not isinstance(a, Counts) and not isinstance(b, Counts):
        a, b = as_map(a), as_map(b)
        return Map(_join_parts(a.key, b.key), _join_parts(a.item, b.item), _join_makers(a, b))
    if is_text(a) and is_text(b):
        return text_from(a, b)
    if isinstance(a, Rest) and isinstance(b, Rest):
        return Rest(_join_parts(a.item, b.item))
    if all(is_text(x) or x in (DISCRETE, Const(None)) for x in (a, b)) and DISCRETE in (a, b):
        return DISCRETE
    for one, other in ((a, b), (b, a)):                       # the words and places of a small language
        if (is_text(one) or one is DISCRETE) and isinstance(other, Num) and other.dtype in ("pyint", "pybool") and other.dims == ():
            return DISCRETE
    if isinstance(a, State) and isinstance(b, State):
        return _join_memories(a, b)
    if isinstance(a, Obj) and isinstance(b, Obj) and a.cls is b.cls and isinstance(a, Place) is isinstance(b, Place):
        return _join_objects(a, b)
    for one, other in ((a, b), (b, a)):
        if other == Const(None) and (isinstance(one, (Lst, OneOf)) or isinstance(one, Obj) and (
                one.items is not None or one.is_caught or isinstance(one, Place))):
            return replace(one, optional=True)
    if (several := one_of(a, b)) is not None:
        return several
    if (cls := enumeration(a)) is not None and cls is enumeration(b):
        return Obj(cls)
    lose(a)
    lose(b)
    if len(LOST) > 1:
        LOST[-1].update(places_in(a) + places_in(b))
    return ANY


def places_in(kind: Kind) -> list[type]:
    """The classes of the objects that a value refers to."""
    return [kind.cls] if isinstance(kind, Place) else [cls for part in parts(kind) for cls in places_in(part)]


LOST: list[set] = [set()]             # functions whose closures are called where only their value is known, by generation


def lose(kind: Kind | None) -> None:
    """A value becomes one of unknown kind: closures in it must then know themselves what they call."""
    if isinstance(kind, Closure) and len(LOST) > 1:           # while code is generated
        LOST[-1].add(kind.function)
    for part in parts(kind):
        lose(part)


@contextmanager
def losing(found: set) -> Iterator[set]:
    """Around what may make values of unknown kind: what they were is found."""
    LOST.append(found)
    try:
        yield found
    finally:
        LOST.pop()


def lost(items: Iterable) -> None:
    """What was found to be lost, for whoever asks."""
    if len(LOST) > 1:
        LOST[-1].update(items)


def _join_dicts(a: Dct, b: Dct) -> Dct:
    one, other = dict(a.items), dict(b.items)
    same = list(one) == list(other)
    return Dct(tuple((key, join(one.get(key), other.get(key))) for key in {**one, **other}),
               a.partial or b.partial or not same, _join_makers(a, b))


def _join_makers(a: Dct | Map, b: Dct | Map) -> Kind | None:
    return join(a.made, b.made) if a.made and b.made else a.made and ANY or b.made and ANY


def _join_parts(a: Kind | None, b: Kind | None) -> Kind | None:
    return join(a, b) if a or b else None


def is_text(kind: Kind) -> bool:
    return isinstance(kind, Obj) and kind.cls is str or isinstance(kind, Const) and isinstance(kind.value, str)


@once
def as_map(kind: Dct | Map) -> Map:
    """A dict with constant keys seen as one whose keys are not known."""
    if isinstance(kind, Map):
        return kind
    key: Kind | None = None
    item: Kind | None = None
    for name, part in kind.items:
        key = join(key, key_kind(name))
        item = join(item, part)
    return Map(key, item, kind.made)


def key_kind(key: Any) -> Kind:
    """The kind of a constant key of a dict."""
    return Tup(tuple(map(key_kind, key))) if isinstance(key, tuple) else Const(key)


def is_key(key: Any) -> bool:
    """Whether a key of a dict can be a constant of the generated code."""
    return type(key) in (str, int, bool, type(None)) or type(key) is tuple and all(map(is_key, key))


def one_of(a: Kind, b: Kind) -> OneOf | None:
    """The kind of an object of one of several classes of users, if these are what is joined."""
    found: dict[type, Obj] = {}
    several = [part for kind in (a, b) for part in (kind.items if isinstance(kind, OneOf) else [kind])]
    if len({isinstance(item, Place) for item in several}) > 1:
        return None
    for item in several:
        if not isinstance(item, Obj) or item.items is None and not isinstance(item, Place) or not (
                is_user_class(item.cls) or issubclass(item.cls, (HeldArray, HeldDeque, HeldDict, HeldList))):
            return None
        item = replace(item, optional=False)
        found[item.cls] = _join_objects(found[item.cls], item) if item.cls in found else item
    if len(found) > MOST:
        return None
    optional = any(getattr(kind, "optional", False) for kind in (a, b))
    return OneOf(tuple(sorted(found.values(), key=lambda item: (item.cls.__qualname__, item.cls.__module__))), optional)


def common(kinds: Iterable[Kind | None]) -> Kind | None:
    """The kind that covers all that are known."""
    joined: Kind | None = None
    for kind in kinds:
        if kind is not None:
            joined = kind if joined is None else join(joined, kind)
    return joined


def of_attribute(kind: Obj | OneOf, name: str) -> Kind | None:
    """What an attribute is, in all classes that have it."""
    return kind.get(name) if isinstance(kind, Obj) else common([item.get(name) for item in kind.items])


def is_object(kind: Kind | None) -> bool:
    """Whether the adjoint of a value of this kind is a sparse dict of its attributes."""
    return isinstance(kind, OneOf) or isinstance(kind, Obj) and kind.items is not None


NESTED = 5                              # so many objects of one class in each other are told apart: then only the class is known
JOINING: list[type] = []


def _join_objects(a: Obj, b: Obj) -> Obj:
    optional = a.optional or b.optional
    if isinstance(a, SetOf) and isinstance(b, SetOf):
        return SetOf(item=_join_parts(a.item, b.item))
    if isinstance(a, Place):
        return Place(a.cls, optional=optional)
    if a.items is None or b.items is None or JOINING.count(a.cls) >= NESTED:
        return Obj(a.cls, optional=optional)
    one, other = dict(a.items), dict(b.items)
    JOINING.append(a.cls)
    try:
        items = tuple((name, _join_attributes(one.get(name), other.get(name))) for name in sorted({**one, **other}))
    finally:
        JOINING.pop()
    return Obj(a.cls, items, None if a.active is None or b.active is None else a.active | b.active,
               a.maybe | b.maybe | (one.keys() ^ other.keys()), optional)


def _join_memories(a: State, b: State) -> State:
    one, other = dict(a.items), dict(b.items)
    return State(tuple((name, (_join_keys if name[1] == KEYS else _join_attributes)(one.get(name), other.get(name)))
                       for name in {**one, **other}))


def is_key_kind(kind: Kind) -> bool:
    """Whether a value is certainly text, a whole number, None or a tuple of such: a key without derivative."""
    kind = as_num(kind)
    if isinstance(kind, Tup):
        return all(map(is_key_kind, kind.items))
    return isinstance(kind, (Const, Discrete)) or is_text(kind) or isinstance(kind, Num) and kind.is_scalar and kind.is_discrete


def _join_keys(a: Kind | None, b: Kind | None) -> Kind:
    """The kind of the keys of a dict that are of several kinds."""
    if a is None or b is None or a == b or not is_key_kind(a) or not is_key_kind(b):
        return join(a, b)
    return DISCRETE if DISCRETE in (a, b) or (found := join(a, b)) is ANY else found


def held(memory: Kind | None, place: Kind | None, name: str, present: bool = False) -> Kind | None:
    """The kind of an attribute of a place (None: nothing was stored yet). present: where it is not None, if it may be."""
    places: Any = place.items if isinstance(place, OneOf) else [place]
    if place is not None and is_none(place):                # it is something else, too, where it is read
        return None
    if not isinstance(memory, State) or not all_of(places, Place):
        return None if present else ANY
    known = dict(memory.items)
    if is_held_array(place):
        arrays = [known.get((item.cls, WHOLE)) for item in places]
        return common(arrays) if all(arrays) else None
    if is_held_dict(place) and (name == WHOLE or name == ITEM):
        keys: Kind | None = None
        for item in places:
            own = known.get((item.cls, KEYS))
            keys = own if keys is None else _join_keys(keys, own)
        several: list[Any] = [kind for (cls, part), kind in known.items() for item in places
                              if cls is item.cls and part.startswith("[")]
        entry: Kind | None = functools.reduce(_join_attributes, several) if several else None
        entry = ANY if isinstance(entry, Optional) else entry
        return entry if name == ITEM else Map(keys, entry)
    if name == WHOLE:
        return Lst(common(known.get((item.cls, ITEM)) for item in places))
    if present:
        several = [known.get((item.cls, name)) for item in places]
        return common(item.item for item in several if isinstance(item, Optional)) if all_of(several, Optional) else None
    found: Kind | None = None
    for item in places:
        own = known.get((item.cls, name))
        default = next((vars(cls)[name] for cls in item.cls.__mro__ if name in vars(cls)), MISSING)
        if default is not MISSING and not hasattr(default, "__get__"):
            own = _join_attributes(own, as_num(kind_of(default, name)))
        if issubclass(item.cls, HeldDict) and name.startswith("["):
            other = known.get((item.cls, ITEM)) if name != ITEM else None
            own = other if own is None else own if other is None else _join_attributes(own, other)
        if own is None and (name.startswith("[") or name == KEYS):            # a list or dict without items, so far
            continue
        if own is None:
            return None
        found = own if found is None else (_join_keys if name == KEYS else _join_attributes)(found, own)
    return ANY if isinstance(found, Optional) else found


def held_unless_none(memory: Kind | None, place: Kind | None, name: str) -> Kind | None:
    """The kind of an attribute of a place wherever it has a derivative: where it is not None, if it may be."""
    found = held(memory, place, name, True)
    return found if found is not None else held(memory, place, name)


def is_empty(memory: Kind | None, place: Kind | None) -> bool:
    """Whether no item is ever stored in a list, deque or dict."""
    places: Any = place.items if isinstance(place, OneOf) else [place]
    names = {name for name, _ in memory.items} if isinstance(memory, State) else None
    return names is not None and all_of(places, Place) and all(
        issubclass(item.cls, (HeldList, HeldDeque, HeldDict)) and not any(
            cls is item.cls and (name == RESIZED or name.startswith("[")) for cls, name in names) for item in places)


def unknown(memory: Kind | None) -> set[tuple]:
    """The attributes (by class and name) of which a state of objects does not tell what they hold."""
    return {name for name, kind in memory.items if kind is ANY} if isinstance(memory, State) else set()


def told(memory: Kind, before: Kind) -> Kind:
    """A state of objects without what it does not tell, and another one did, or knew nothing of."""
    if not isinstance(memory, State) or not isinstance(before, State):
        return memory
    more, known = unknown(memory) - unknown(before), dict(before.items)
    return State(tuple((name, known[name] if name in more else kind) for name, kind in memory.items
                       if name not in more or name in known))


def storing(memory: State, place: Kind, name: str, value: Kind) -> State:
    """The kind of a memory after a value of some kind was stored in an attribute of a place."""
    found = dict(memory.items)
    if is_held_array(place):                                # (what it is made with decides)
        return memory
    if name == WHOLE and is_held_dict(place):
        if isinstance(value, Dct) and value.items:
            for key, item in value.items:
                memory = storing_entry(memory, place, key_kind(key), item)
        elif isinstance(value, Map) and value.key is not None and value.item is not None:
            memory = storing_entry(memory, place, value.key, value.item)
        return memory
    if name == WHOLE:
        if not isinstance(value, Lst) or value.item is None:       # (not known yet: what is never known is refused)
            return memory
        name, value = ITEM, value.item
    for item in place.items if isinstance(place, OneOf) else [place]:
        if isinstance(item, Place):
            found[item.cls, name] = _join_attributes(found.get((item.cls, name)), as_num(value))
    return State(tuple(found.items()))


def storing_entry(memory: State, place: Kind, key: Kind, value: Kind) -> State:
    """The kind of a memory after a value of some kind was stored in a dict, under a key of some kind."""
    known = key.value if isinstance(key, Const) else None
    found = dict(memory.items)
    for item in place.items if isinstance(place, OneOf) else [place]:
        if isinstance(item, Place):
            found[item.cls, KEYS] = _join_keys(found.get((item.cls, KEYS)), key)
    return storing(State(tuple(found.items())), place, entry_name(place, known), value)


def filling(memory: State, place: Kind, value: Kind) -> State:
    """The kind of a memory after an array was made that is told apart by its identity."""
    found = dict(memory.items)
    for item in place.items if isinstance(place, OneOf) else [place]:
        if isinstance(item, Place):
            found[item.cls, WHOLE] = _join_attributes(found.get((item.cls, WHOLE)), value)
    return State(tuple(found.items()))


def _join_attributes(a: Kind | None, b: Kind | None) -> Kind:
    for one, other in ((a, b), (b, a)):
        array = other.item if isinstance(other, Optional) else other
        if is_held_array(one) and isinstance(array, Num) and array.boxed:    # it becomes a place where it is stored, or is refused
            return replace(one, optional=True) if array is not other else one                      # type: ignore
    for one, other in ((a, b), (b, a)):
        if is_held_list(one) and isinstance(other, Lst):        # it becomes a place where it is stored, or is refused there
            return replace(one, optional=True) if other.optional else one                          # type: ignore
        if is_held_dict(one) and isinstance(other, (Dct, Map)):
            return one                                                                                  # type: ignore
    if a is not None and b is not None and any(isinstance(x, Optional) or is_none(x) for x in (a, b)):
        others = [x.item if isinstance(x, Optional) else as_num(x) for x in (a, b) if not is_none(x)]
        if others and all_of(others, Num):
            return Optional(forget_sizes(functools.reduce(_join_nums, others)))                    # type: ignore[arg-type]
    return join(a, b)


def join_arrays(a: Kind, b: Kind) -> Kind:
    """The kind of a name that is both. An array becomes a place where others are: where it is made, or it is refused."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, (Place, OneOf)) and is_held_array(one) and isinstance(other, Num) and other.boxed:
            return one
    return number_or_none(a, b) or join(a, b)


def number_or_none(a: Kind, b: Kind) -> Kind | None:
    """The kind of a name that is None at first and a number with a derivative later."""
    if not any(isinstance(x, Optional) or is_none(x) for x in (a, b)):
        return None
    numbers = [x.item if isinstance(x, Optional) else as_num(x) for x in (a, b) if not is_none(x)]
    if not numbers or not all_of(numbers, Num) or not all(
            x.is_scalar and x.boxed is False and x.dtype and not x.is_discrete for x in numbers):           # type: ignore[attr-defined]
        return None
    return Optional(forget_sizes(functools.reduce(_join_nums, numbers)))                            # type: ignore[arg-type]


def is_none(kind: Kind) -> bool:
    return isinstance(kind, Const) and kind.value is None


def _join_nums(a: Num, b: Num) -> Num:
    dims = None
    if a.dims is not None and b.dims is not None and len(a.dims) == len(b.dims):
        dims = tuple(x if x == y else None for x, y in zip(a.dims, b.dims))
    if a.dtype == b.dtype:
        dtype = a.dtype
    elif a.is_scalar and b.is_scalar and a.dtype and b.dtype and not {a.dtype, b.dtype} & {"float32", "float16"}:
        dtype = _join_scalar_dtypes(a, b)
    else:
        dtype = None
    real = dtype is None and a.is_complex is False and b.is_complex is False
    size = a.order or b.order or (a.size if a.size == b.size else None)
    return Num(dtype, dims, a.boxed if a.boxed == b.boxed else None, size, real)


def _join_scalar_dtypes(a: Num, b: Num) -> str | None:
    """0.0 (a Python float) and a float64 scalar are one kind in practice: a scalar of double precision."""
    if a.is_complex or b.is_complex:
        return "complex128"
    if a.is_discrete or b.is_discrete:
        return None if a.is_discrete != b.is_discrete else "int64"
    return "float64"


def kind_of(value: Any, name: str = "?", sizes: dict[int, str] | None = None, within: tuple[int, ...] = ()) -> Kind:
    """The kind of a run-time value. `name` labels the symbols of its shape; with `sizes` (size -> symbol), equal
    sizes of several arguments get one symbol, so that the generated code may rely on their being equal.
    within: ids of the objects that the value was reached through (a cycle is not followed)."""
    cls = type(value)
    if cls in PYTHON_SCALARS and cls is not bool:
        return Num(PYTHON_SCALARS[cls], (), False)
    if cls is np.ndarray:
        dims = []
        for axis, n in enumerate(value.shape):
            symbol = f"{name}.{axis}"
            dims.append(n if n < 2 else symbol if sizes is None else sizes.setdefault(n, symbol))
        ordered = len(dims) < 2 or value.flags.c_contiguous
        return Num(value.dtype.name, tuple(dims), True, None if ordered else UNORDERED)
    if cls in weakref.ProxyTypes:                           # (who asks it for its class asks what may be gone)
        return ANY
    if isinstance(value, np.generic) and not isinstance(value, np.flexible):
        return Num(value.dtype.name, (), False)
    if value is None or cls in (bool, str, bytes, type(Ellipsis)):
        return Const(value)
    if cls is tuple:
        return Tup(tuple([kind_of(item, f"{name}.{j}", sizes, within) for j, item in enumerate(value)]))
    if cls is Closed:
        return Closure(value.function, tuple([kind_of(item, f"{name}.{j}", sizes, within) for j, item in enumerate(value)]),
                       value.keywords)
    if cls is list:
        if set(map(type, value)) == {float}:
            return Lst(FLOAT)
        item: Kind | None = None
        for element in some_of_each(value):
            one = forget_sizes(kind_of(element, name, None, within))
            item = join(item, one) if item else one
        return Lst(item)
    if cls is dict or cls is collections.defaultdict:
        made = None if cls is dict or value.default_factory is None else Fn(value.default_factory)
        if all(map(is_key, value)):
            return Dct(tuple([(key, kind_of(item, f"{name}.{key}", sizes, within)) for key, item in value.items()]), False, made)
        common = Map(made=made)
        for key, element in value.items():
            common = Map(_join_parts(common.key, forget_sizes(kind_of(key, name))),
                         _join_parts(common.item, forget_sizes(kind_of(element, name, None, within))), made)
        return common
    if cls is collections.Counter:
        counted = Counts()
        for key, element in value.items():
            counted = Counts(_join_parts(counted.key, forget_sizes(kind_of(key, name))),
                             _join_parts(counted.item, kind_of(element, name)))
        return counted
    if isinstance(value, enum.Enum) and not overridden(cls):
        return Const(value)
    if is_namedtuple(cls) and overridden(cls) in (None, "__new__"):
        return Named(tuple([kind_of(item, f"{name}.{field}", sizes, within)
                            for field, item in zip(cls._fields, value)]), cls)
    if is_distribution(value):
        return Fn(value)
    if is_user_class(cls):
        if id(value) in within or len(within) > 12 or is_compiled_function(cls):
            return Obj(cls)
        within = (*within, id(value))
        return Obj(cls, tuple([(field, Own(item.__func__) if type(item) is types.MethodType and item.__self__ is value
                                else kind_of(item, f"{name}.{field}", sizes, within))
                               for field, item in sorted(attributes_of(value).items())]))
    if callable(value) or isinstance(value, types.ModuleType):
        return Fn(value)
    return Obj(cls)


def no_number(kind: Kind) -> bool:
    """Whether a value is certainly no number, and holds none: text, a set, a function."""
    if isinstance(kind, Obj):
        return kind.items is None and not kind.optional and not is_user_class(kind.cls) and not issubclass(
            kind.cls, (numbers.Number, list, tuple, dict, np.ndarray))
    if isinstance(kind, Num):
        return str(kind.dtype).startswith(("str", "bytes", "datetime", "timedelta"))
    constant = kind.value if isinstance(kind, Const) else 0
    return isinstance(kind, (Fn, Closure)) or constant is not None and type(constant) not in PYTHON_SCALARS


def some_of_each(values: list) -> Iterator[Any]:
    """The elements of a list but for those that are certainly of the same kind as one before."""
    seen: set = set()
    for value in values:
        shown = outside(value)
        if None in shown or shown not in seen:
            seen.add(shown)
            yield value


def outside(value: Any, deep: bool = True) -> tuple:
    """What decides the kind of a value, cheaply; with None in it where it takes more to know. deep: whether it is looked into."""
    cls = type(value)
    if cls in (float, int, complex):
        return (cls,)
    if cls is np.ndarray:
        return value.shape, value.dtype.str, value.flags.c_contiguous
    if deep and (cls is tuple or is_user_class(cls) and not slots_of(cls)):
        names: Any = () if cls is tuple else value.__dict__
        items = value if cls is tuple else names.values()
        return (cls, len(items), *names, *[part for item in items for part in outside(item, False)])
    return (None,)


def with_sizes(kind: Any, sizes: dict[str, int]) -> Any:
    """The same kind with numbers for some symbolic sizes."""
    if isinstance(kind, (tuple, dict)):
        parts = [with_sizes(part, sizes) for part in (kind.values() if isinstance(kind, dict) else kind)]
        return dict(zip(kind, parts)) if isinstance(kind, dict) else tuple(parts)
    if isinstance(kind, Num) and kind.dims is not None:
        return Num(kind.dtype, tuple(sizes.get(d, d) for d in kind.dims), kind.boxed, kind.size, kind.real)
    held = isinstance(kind, (Tup, Obj, OneOf, Dct, State)) and not isinstance(kind, SetOf)
    return mapped(lambda part: with_sizes(part, sizes), kind) if held else kind


@once
def forget_sizes(kind: Kind) -> Kind:
    """The same kind without symbolic sizes (they are not shared between the elements of a list)."""
    if isinstance(kind, Num) and kind.dims is not None:
        return Num(kind.dtype, tuple(d if isinstance(d, int) else None for d in kind.dims), kind.boxed, kind.order)
    held = isinstance(kind, (Tup, Obj, OneOf, Dct, State)) and not isinstance(kind, SetOf)
    return mapped(forget_sizes, kind) if held else kind
