"""What is known of a value before the program runs: its kind.

A kind is a small immutable description: a number or array of some dtype and symbolic shape (`Num`), a tuple
or list of kinds, a constant, a function, or nothing at all (`ANY`). Generated code is specialised on the kinds
of the arguments, so kinds are also (part of) the cache key.

Dimensions are ints (known size), strings (a symbol: two equal symbols are two equal sizes) or None (unknown).
A symbol of an argument, such as "x.0", is known not to be 0 or 1: such sizes are specialised on. A derived symbol
("x.0-1") may be 1.
"""
from __future__ import annotations

import enum
import functools
import random
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard, TypeVar

import numpy as np

from sourcegrad.runtime.structure import (
    ALL as ALL,
    WHOLE as WHOLE,
    HeldArray as HeldArray,
    HeldDeque as HeldDeque,
    HeldDict as HeldDict,
    HeldList as HeldList,
    HeldView as HeldView,
)

PYTHON_SCALARS = {float: "pyfloat", int: "pyint", bool: "pybool", complex: "pycomplex"}
_FLOAT = {"pyfloat", "float16", "float32", "float64", "longdouble", "float128"}
_COMPLEX = {"pycomplex", "complex64", "complex128", "clongdouble", "complex256"}
UNDERIVED = (BaseException, np.random.Generator, np.random.RandomState, random.Random)      # classes without derivatives
EXAMPLES = {"pyfloat": 1.0, "pyint": 1, "pybool": True, "pycomplex": 1.0 + 0.0j}


class Interned(type):
    """Equal kinds are one object (hash consing): they are compared by identity, whatever they hold, and held together."""

    spelled: Callable[[tuple], tuple | None]

    def __call__(cls, /, *args: Any, **keywords: Any) -> Any:
        if not keywords:                                        # mostly it is known
            spelled = cls.spelled(args)
            own = None if spelled is None else KINDS.get((cls, *spelled))
            known = None if own is None else own()
            if known is not None:
                return known
        kind = super().__call__(*args, **keywords)
        key = (cls, *kind.identity())
        found = KINDS.get(key)
        known = None if found is None else found()
        if known is not None:
            return known
        own = Reference(kind, Reference.gone)
        own.key = key
        known = KINDS.setdefault(key, own)()
        if known is None:                                   # it goes just now
            KINDS[key], known = own, kind
        return known


class Reference(weakref.ref):
    """What is left of a kind that nobody holds any more is an entry of the table, which goes with it."""

    __slots__ = ("key",)
    key: tuple

    def gone(self) -> None:
        if KINDS.get(self.key) is self:
            del KINDS[self.key]


KINDS: dict[tuple, Reference] = {}
MISSING = object()
SAME = object()


Looking = TypeVar("Looking", bound=Callable[..., Any])


def once(function: Looking) -> Looking:
    """A function that looks at all that a kind holds: at what several hold, it looks once."""
    name = function.__name__

    def remembered(kind: Any) -> Any:
        if not isinstance(kind, Kind):
            return function(kind)
        found = kind.__dict__.get(name, MISSING)
        if found is MISSING:
            found = function(kind)
            kind.__dict__[name] = SAME if found is kind else found
        return kind if found is SAME else found

    return functools.wraps(function)(remembered)            # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Kind(metaclass=Interned):
    """Base class; `ANY` (nothing known) is its one direct instance."""

    def identity(self) -> tuple:
        """What tells kinds of one class apart."""
        return tuple(vars(self).values())

    @classmethod
    def spelled(cls, args: tuple) -> tuple | None:
        """The `identity` of the kind that is made from such arguments, where it is known without making it."""
        return None

    def __deepcopy__(self, memo: dict) -> Kind:
        return self


def exactly(value: Any) -> Any:
    """The identity of a constant: 1, 1.0 and True are three, 0.0 and -0.0 are two, nan is one; also in tuples and frozen sets."""
    cls = type(value)
    if cls is str:
        return value
    if cls is tuple or cls is frozenset:
        return cls, cls(map(exactly, value))
    return cls, id(value) if isinstance(value, enum.Enum) else repr(value)


UNORDERED = "not in C order"


@dataclass(frozen=True, eq=False)
class Num(Kind):
    """A number or numeric array. `boxed` tells an ndarray (True) from an immutable scalar (False).

    `size` is set for ints that are sizes: the dimension that they are (`x.shape[0]` has size "x.0"); and for arrays
    that may not lie row by row in memory: then it is UNORDERED. `real` tells of an unknown dtype that it is not complex (a
    sum that starts as the int 0 and becomes a float).
    """

    dtype: str | None = None
    dims: tuple | None = None
    boxed: bool | None = None
    size: Any = None
    real: bool = False

    @classmethod
    def spelled(cls, args: tuple) -> tuple:
        return args + (None, None, None, None, False)[len(args):]

    @property
    def ndim(self) -> int | None:
        return None if self.dims is None else len(self.dims)

    @property
    def order(self) -> str | None:
        return UNORDERED if self.size == UNORDERED else None

    @property
    def is_scalar(self) -> bool:
        """Certainly an immutable scalar (Python number or NumPy scalar)."""
        return self.boxed is False

    @property
    def is_complex(self) -> bool | None:
        if self.dtype is None:
            return False if self.real else None
        return self.dtype in _COMPLEX

    @property
    def is_discrete(self) -> bool:
        """Certainly of an integer, boolean or other dtype without derivatives."""
        return self.dtype is not None and self.dtype not in _FLOAT and self.dtype not in _COMPLEX and (
            self.dtype != "object")


@dataclass(frozen=True, eq=False)
class Const(Kind):
    """A value known at generation time: None, a string, a bool, a constant int, a slice of constants."""

    value: Any

    def identity(self) -> tuple:
        return self.spelled((self.value,))

    @classmethod
    def spelled(cls, args: tuple) -> tuple:
        return (exactly(args[0]),)


@dataclass(frozen=True, eq=False)
class Tup(Kind):
    items: tuple[Kind, ...]

    @classmethod
    def spelled(cls, args: tuple) -> tuple | None:
        return args if cls is Tup else None


@dataclass(frozen=True, eq=False)
class Lst(Kind):
    """A list; `item` is the join of all elements (None: no element seen yet). optional: whether it may be None instead."""

    item: Kind | None = None
    optional: bool = False


@dataclass(frozen=True, eq=False)
class Dct(Kind):
    """A dict with constant keys; partial: some of them may be missing (as in the adjoint of an object).

    made: the kind of the function that makes missing items, of a defaultdict (`ANY`: it is not known whether, or which)."""

    items: tuple[tuple[Any, Kind], ...]
    partial: bool = False
    made: Kind | None = None

    def identity(self) -> tuple:
        return self.items, self.partial, self.made, *[exactly(key) for key, _ in self.items]

    def get(self, key: Any) -> Kind | None:
        return dict(self.items).get(key)


@dataclass(frozen=True, eq=False)
class Map(Kind):
    """A dict whose keys are only known at run time: the join of all keys and of all items (None: none seen yet); made: as above."""

    key: Kind | None = None
    item: Kind | None = None
    made: Kind | None = None


@dataclass(frozen=True, eq=False)
class Counts(Map):
    """A collections.Counter: what is missing counts zero."""


@dataclass(frozen=True, eq=False)
class Closure(Kind):
    """A nested function or partial made while running: at run time the tuple of captured values.

    The last `len(keywords)` captured values are passed by keyword.
    """

    function: Any
    items: tuple[Kind, ...]
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Fn(Kind):
    """A callable known by identity."""

    value: Any

    def identity(self) -> tuple:
        return (id(self.value),)

    @classmethod
    def spelled(cls, args: tuple) -> tuple:
        return (id(args[0]),)


@dataclass(frozen=True, eq=False)
class Own(Fn):
    """A bound method kept as an attribute of the object that it is bound to; value: the plain function."""


@dataclass(frozen=True, eq=False)
class Named(Tup):
    """A namedtuple."""

    cls: type[Any] = tuple


@dataclass(frozen=True, eq=False)
class Obj(Kind):
    """An instance of a class: its attributes with their kinds, by name (None: only the class is known).

    active: names of the attributes through which derivatives may flow (None: all); the others are constants.
    maybe: names of attributes that may be missing. optional: whether it may be None instead.
    """

    cls: type[Any]
    items: tuple[tuple[str, Kind], ...] | None = None
    active: frozenset[str] | None = None
    maybe: frozenset[str] = frozenset()
    optional: bool = False

    @property
    def is_caught(self) -> bool:
        """Whether it is an exception of which only that is known: what it carries, and mostly its class, are not."""
        return issubclass(self.cls, BaseException) and self.items is None

    def get(self, name: str) -> Kind | None:
        kind = dict(self.items or ()).get(name)
        return ANY if isinstance(kind, Optional) else kind

    def unless_none(self, name: str) -> Kind | None:
        """The kind of an attribute where it is not None."""
        kind = dict(self.items or ()).get(name)
        return kind.item if isinstance(kind, Optional) else kind

    def flows(self, name: str) -> bool:
        """Whether a derivative may flow through an attribute."""
        return self.active is None or name in self.active

    def with_item(self, name: str, kind: Kind) -> Obj:
        """The kind after `x.name = value of this kind`."""
        if self.items is None:
            return self
        if bound_in(kind).get(self.cls, 0) > 2:                 # {"add": self.add}: the object holds what holds the object ...
            kind = ANY
        items = tuple(sorted({**dict(self.items), name: kind}.items()))
        active = self.active if self.active is None or is_discrete(kind) else self.active | {name}
        return Obj(self.cls, items, active, self.maybe - {name})


@dataclass(frozen=True, eq=False)
class Place(Obj):
    """A reference to an object that is told apart by its identity: what its attributes hold, its `State` knows."""


ITEM, RESIZED = "[]", "len"             # the names in a `State` of any item of a list, and of lists that get longer or shorter
KEYS = "keys"                           # and of the keys of a dict


def _is_held(kind: Any, classes: Any) -> bool:
    """Whether a value is certainly a place of one of these classes (or None, where that is possible)."""
    if isinstance(kind, Place):
        return issubclass(kind.cls, classes)
    return isinstance(kind, OneOf) and all(isinstance(item, Place) and issubclass(item.cls, classes) for item in kind.items)


def is_held_list(kind: Any) -> bool:
    """Whether a value is certainly a list or deque that is told apart by its identity (or None, where that is possible)."""
    return _is_held(kind, (HeldList, HeldDeque))


def is_held_deque(kind: Any) -> bool:
    """Whether a value is certainly a deque that is told apart by its identity (or None, where that is possible)."""
    return _is_held(kind, HeldDeque)


def is_held_dict(kind: Any) -> bool:
    """Whether a value is certainly a dict that is told apart by its identity (or None, where that is possible)."""
    return _is_held(kind, HeldDict)


def entry_name(place: Any, key: Any) -> str:
    """The name in a `State` of what is stored under a key: an attribute, an item of a dict (with a key that is known), any item."""
    if not isinstance(key, str):
        return ITEM
    return f"[{key!r}]" if is_held_dict(place) and key != WHOLE else key


def may_be_held(kind: Any) -> bool:
    """Whether a value may be a list, dict or array that is told apart by its identity: not an object with attributes."""
    items = kind.items if isinstance(kind, OneOf) else (kind,)
    return any(isinstance(item, Place) and issubclass(item.cls, (HeldList, HeldDeque, HeldDict, HeldArray)) for item in items)


def holds_attributes(kind: Any) -> bool:
    """Whether a value is certainly an object with attributes, told apart by its identity (or None, where that is possible)."""
    items = kind.items if isinstance(kind, OneOf) else (kind,)
    return all(isinstance(item, Place) for item in items) and not may_be_held(kind)


def is_held_array(kind: Any) -> bool:
    """Whether a value is certainly an array that is told apart by its identity (or None, where that is possible)."""
    return _is_held(kind, HeldArray)


def is_place(kind: Any) -> bool:
    """Whether a value is certainly a reference to a place (or None, where that is possible)."""
    return isinstance(kind, Place) or isinstance(kind, OneOf) and all(isinstance(item, Place) for item in kind.items)


@dataclass(frozen=True, eq=False)
class State(Kind):
    """The state of all places: what their attributes hold, by class and name."""

    items: tuple[tuple[tuple[type, str], Kind], ...]


@dataclass(frozen=True, eq=False)
class Optional(Kind):
    """An attribute that is None at first and a number or array later: of unknown kind where nothing more is known."""

    item: Num


@dataclass(frozen=True, eq=False)
class SetOf(Obj):
    """A set; item: what all elements have in common (None: none seen yet)."""

    cls: type[Any] = set
    item: Kind | None = None


@dataclass(frozen=True, eq=False)
class Told(Obj):
    """Text that was made from numbers with derivatives."""

    cls: type[Any] = str


@dataclass(frozen=True, eq=False)
class Rest(Kind):
    """A tuple of unknown length; item: what all items have in common (None: there may be none)."""

    item: Kind | None = None


@dataclass(frozen=True, eq=False)
class OneOf(Kind):
    """An object of one of a few classes, each with its attributes; ordered by the names of the classes. optional: or None."""

    items: tuple[Obj, ...]
    optional: bool = False

    def flows(self, name: str) -> bool:
        return any(item.flows(name) for item in self.items if item.get(name) is not None)


@dataclass(frozen=True, eq=False)
class Discrete(Kind):
    """Text, a whole number, None, or a tuple of such: without derivative, and nothing that could change."""


@dataclass(frozen=True, eq=False)
class Unset(Kind):
    """What stands where there is no value, and nobody reads one: any other kind covers it."""


DISCRETE = Discrete()
UNSET = Unset()
MOST = 6                              # classes in a `OneOf`
ANY = Kind()
NUMERIC = Num()
FLOAT = Num("pyfloat", (), False)
INT = Num("pyint", (), False)
BOOL = Num("pybool", (), False)


Sort = TypeVar("Sort", bound=Kind)


def all_of(found: Sequence[Kind | None], sort: type[Sort]) -> TypeGuard[Sequence[Sort]]:
    """Whether all are known, and of one sort (`Kind`: of any)."""
    return all(isinstance(kind, sort) for kind in found)


def as_num(kind: Kind) -> Kind:
    """A constant number seen as a number; everything else unchanged."""
    if isinstance(kind, Const) and type(kind.value) in PYTHON_SCALARS:
        return Num(PYTHON_SCALARS[type(kind.value)], (), False)
    return kind


def is_numeric(kind: Kind) -> bool:
    return isinstance(as_num(kind), Num)


@once
def is_discrete(kind: Kind) -> bool:
    """Whether a value of this kind can never carry a derivative."""
    kind = as_num(kind.item if isinstance(kind, Optional) else kind)
    if isinstance(kind, Num):
        return kind.is_discrete
    if isinstance(kind, Place):
        return True
    if isinstance(kind, (Tup, OneOf)):
        return all(map(is_discrete, kind.items))
    if isinstance(kind, Lst):
        return kind.item is not None and is_discrete(kind.item)
    if isinstance(kind, Dct):
        return all(is_discrete(item) for _, item in kind.items)
    if isinstance(kind, Map):
        return kind.item is not None and is_discrete(kind.item)
    if isinstance(kind, Obj):
        if kind.items is not None:
            return all(is_discrete(item) or not kind.flows(name) for name, item in kind.items)
        return kind.cls in (range, str, np.dtype, slice, bytes, set, frozenset) or issubclass(kind.cls, (*UNDERIVED, enum.Enum))
    return isinstance(kind, (Const, Fn, Discrete))


def parts(kind: Any) -> tuple[Kind, ...]:
    """The kinds that a kind is made of."""
    if isinstance(kind, (Tup, Closure, OneOf)):
        return kind.items
    if isinstance(kind, (Obj, Dct, State)) and not isinstance(kind, SetOf):
        made = (kind.made,) if isinstance(kind, Dct) and kind.made is not None else ()
        return (*[item for _, item in kind.items or ()], *made)
    held = vars(kind) if isinstance(kind, Kind) else {}
    return tuple([part for part in (held.get("key"), held.get("item"), held.get("made")) if part is not None])


def mapped(function: Callable[[Any], Any], kind: Any) -> Any:
    """The kind that is made of what a function gives for the parts of a kind."""
    if isinstance(kind, (Tup, Closure, OneOf)):
        return replace(kind, items=tuple(map(function, kind.items)))
    if isinstance(kind, (Obj, Dct, State)) and not isinstance(kind, SetOf):
        return replace(kind, items=tuple([(name, function(item)) for name, item in kind.items])) if kind.items else kind  # type: ignore
    found = {name: function(part) for name in ("key", "item") if (part := vars(kind).get(name)) is not None} if parts(kind) else {}
    return replace(kind, **found) if found else kind


@once
def bound_in(kind: Kind) -> dict[type, int]:
    """The classes of which bound methods lie in a kind, and how often they lie in one another."""
    found: dict[type, int] = {}
    for inner in map(bound_in, parts(kind)):
        found |= {cls: max(depth, found.get(cls, 0)) for cls, depth in inner.items()}
    if isinstance(kind, Closure):
        found |= {item.cls: found.get(item.cls, 0) + 1 for item in kind.items if isinstance(item, Obj)}
    return found


@once
def tells(kind: Kind | None) -> bool:
    """Whether a value of this kind is, or holds, text that was made from numbers with derivatives."""
    return isinstance(kind, Told) or any(map(tells, parts(kind)))


def text_from(*kinds: Kind) -> Obj:
    """The kind of text that is made from values of these kinds (what an exception carries is not known)."""
    carried = any(isinstance(kind, Obj) and kind.is_caught for kind in kinds)
    return Told() if carried or any(tells(kind) or not is_discrete(kind) for kind in kinds) else Obj(str)
