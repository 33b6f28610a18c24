"""What is known of a value before the program runs: its kind.

A kind is a small immutable description: a number or array of some dtype and symbolic shape (`Num`), a tuple
or list of kinds, a constant, a function, or nothing at all (`ANY`). Generated code is specialised on the kinds
of the arguments, so kinds are also (part of) the cache key.

Dimensions are ints (known size), strings (a symbol: two equal symbols are two equal sizes) or None (unknown).
A symbol of an argument, such as "x.0", is known not to be 1: size 1 is specialised on. A derived symbol
("x.0-1") may be 1.
"""
from __future__ import annotations

import enum
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

import numpy as np

PYTHON_SCALARS = {float: "pyfloat", int: "pyint", bool: "pybool", complex: "pycomplex"}
_FLOAT = {"pyfloat", "float16", "float32", "float64", "longdouble", "float128"}
_COMPLEX = {"pycomplex", "complex64", "complex128", "clongdouble", "complex256"}
UNDERIVED = (BaseException, np.random.Generator, np.random.RandomState, random.Random)      # classes without derivatives
EXAMPLES = {"pyfloat": 1.0, "pyint": 1, "pybool": True, "pycomplex": 1.0 + 0.0j}


@dataclass(frozen=True)
class Kind:
    """Base class; `ANY` (nothing known) is its one direct instance."""


UNORDERED = "not in C order"


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Const(Kind):
    """A value known at generation time: None, a string, a bool, a constant int, a slice of constants."""

    value: Any

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Const) and type(self.value) is type(other.value)
                and (self.value is other.value or repr(self.value) == repr(other.value) and not isinstance(self.value, enum.Enum)))


@dataclass(frozen=True)
class Tup(Kind):
    items: tuple[Kind, ...]


@dataclass(frozen=True)
class Lst(Kind):
    """A list; `item` is the join of all elements (None: no element seen yet). optional: whether it may be None instead."""

    item: Kind | None = None
    optional: bool = False


@dataclass(frozen=True)
class Dct(Kind):
    """A dict with constant keys; partial: some of them may be missing (as in the adjoint of an object)."""

    items: tuple[tuple[Any, Kind], ...]
    partial: bool = False

    def get(self, key: Any) -> Kind | None:
        return dict(self.items).get(key)


@dataclass(frozen=True)
class Map(Kind):
    """A dict whose keys are only known at run time: the join of all keys and of all items (None: none seen yet)."""

    key: Kind | None = None
    item: Kind | None = None


@dataclass(frozen=True)
class Counts(Map):
    """A collections.Counter: what is missing counts zero."""


@dataclass(frozen=True)
class Closure(Kind):
    """A nested function or partial made while running: at run time the tuple of captured values.

    The last `len(keywords)` captured values are passed by keyword.
    """

    function: Any
    items: tuple[Kind, ...]
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fn(Kind):
    """A callable known by identity."""

    value: Any

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fn) and self.value is other.value


@dataclass(frozen=True)
class Own(Fn):
    """A bound method kept as an attribute of the object that it is bound to; value: the plain function."""

    def __hash__(self) -> int:
        return id(self.value) + 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.value is other.value


@dataclass(frozen=True)
class Named(Tup):
    """A namedtuple."""

    cls: type[Any] = tuple


@dataclass(frozen=True)
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
        if bound_in(kind, self.cls) > 2:                 # {"add": self.add}: the object holds what holds the object ...
            kind = ANY
        items = tuple(sorted({**dict(self.items), name: kind}.items()))
        active = self.active if self.active is None or is_discrete(kind) else self.active | {name}
        return Obj(self.cls, items, active, self.maybe - {name})


@dataclass(frozen=True)
class Optional(Kind):
    """An attribute that is None at first and a number or array later: of unknown kind where nothing more is known."""

    item: Num


@dataclass(frozen=True)
class SetOf(Obj):
    """A set; item: what all elements have in common (None: none seen yet)."""

    cls: type[Any] = set
    item: Kind | None = None


@dataclass(frozen=True)
class Told(Obj):
    """Text that was made from numbers with derivatives."""

    cls: type[Any] = str


@dataclass(frozen=True)
class Rest(Kind):
    """A tuple of unknown length; item: what all items have in common (None: there may be none)."""

    item: Kind | None = None


@dataclass(frozen=True)
class OneOf(Kind):
    """An object of one of a few classes, each with its attributes; ordered by the names of the classes. optional: or None."""

    items: tuple[Obj, ...]
    optional: bool = False

    def member(self, cls: type) -> Obj:
        return next(item for item in self.items if item.cls is cls)

    def flows(self, name: str) -> bool:
        return any(item.flows(name) for item in self.items if item.get(name) is not None)


@dataclass(frozen=True)
class Discrete(Kind):
    """Text, None, or a tuple of such: without derivative, and nothing that could change."""


DISCRETE = Discrete()
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


def is_discrete(kind: Kind) -> bool:
    """Whether a value of this kind can never carry a derivative."""
    kind = as_num(kind.item if isinstance(kind, Optional) else kind)
    if isinstance(kind, Num):
        return kind.is_discrete
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
        return kind.cls in (range, str, np.dtype, slice, bytes, set, frozenset) or issubclass(kind.cls, UNDERIVED)
    return isinstance(kind, (Const, Fn, Discrete))


def bound_in(kind: Kind, cls: type) -> int:
    """How often methods bound to objects of a class lie in one another."""
    if isinstance(kind, (Tup, OneOf, Closure)):
        parts: Any = kind.items
    elif isinstance(kind, (Obj, Dct)):
        parts = [item for _, item in kind.items or ()]
    else:
        parts = [kind.item] if isinstance(kind, (Lst, Map, Rest)) and kind.item is not None else ()
    own = isinstance(kind, Closure) and any(isinstance(item, Obj) and item.cls is cls for item in parts)
    return own + max((bound_in(part, cls) for part in parts), default=0)


def tells(kind: Kind | None) -> bool:
    """Whether a value of this kind is, or holds, text that was made from numbers with derivatives."""
    if isinstance(kind, (Tup, OneOf, Closure)):
        return any(map(tells, kind.items))
    if isinstance(kind, (Lst, Map, SetOf, Rest)):
        return tells(kind.item) or isinstance(kind, Map) and tells(kind.key)
    if isinstance(kind, (Dct, Obj)):
        return isinstance(kind, Told) or any(tells(item) for _, item in kind.items or ())
    return False


def text_from(*kinds: Kind) -> Obj:
    """The kind of text that is made from values of these kinds (what an exception carries is not known)."""
    carried = any(isinstance(kind, Obj) and kind.is_caught for kind in kinds)
    return Told() if carried or any(tells(kind) or not is_discrete(kind) for kind in kinds) else Obj(str)
