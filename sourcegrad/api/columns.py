"""Guards of large arguments, a column at a time: what many places hold is asked for at once, by functions written in C.

A kind is a tree. `Columns.fixed` goes down it a level at a time: the classes of all values of a level are compared at once,
and the places that look alike (objects of one class, dicts with the same keys, text) are one group, which takes one test of
a few steps, however many there are. `Columns.records` tests any number of values that have one kind, as the items of a list
do, by what they all hold under one name. Columns instead of records are what query engines read (Copeland and Khoshafian,
A decomposition storage model, SIGMOD 1985).
"""
from __future__ import annotations

import collections
import enum
import functools
import itertools
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.runtime.structure import attributes_of, is_user_class, slots_of

SCALARS: dict[Any, type] = {"pyfloat": float, "pyint": int, "pybool": bool, "pycomplex": complex}
PLAIN = {float, int, complex, bool, str, type(None)}
IDS = 0                                  # among the sizes: the list of the ids of all containers and arrays that are met
Check = Callable[[Sequence, dict], bool]
Step = Callable[[Sequence, dict, list], bool]
flat = itertools.chain.from_iterable
held_in = operator.attrgetter("__dict__")
dtype_of, shape_of = operator.attrgetter("dtype"), operator.attrgetter("shape")
by_rows = operator.attrgetter("flags.c_contiguous")


class NotWritten(Exception):
    """A kind whose test is not written out."""


class Columns:
    """Makes tests of values by their kinds.

    asked: the names of all attributes that code may ask for, or None: others are not looked at. strict: no bound methods
    and partials. symbols: of sizes that are met. closed: whether tests meet all containers that there are.

    >>> import sourcegrad.kinds as k
    >>> kind = k.kind_of({"rate": 0.5, "layers": [[1.0, 2.0], [3.0]], "mode": "fast"})
    >>> test = Columns().test(kind)
    >>> test({"rate": 2.0, "layers": [[4.0]], "mode": "fast"}, {}), test({"rate": 2.0, "layers": [[4]], "mode": "fast"}, {})
    (True, False)
    """

    def __init__(self, asked: frozenset[str] | None = None, strict: bool = False) -> None:
        self.asked, self.strict = asked, strict
        self.symbols: dict[str, None] = {}
        self.closed = True

    def test(self, kind: k.Kind) -> Callable[[Any, dict], bool]:
        """The test of a value of a kind. It takes the value and the sizes of symbols that are known, and adds others to these."""
        check = self.fixed([kind])

        def known(value: Any, sizes: dict) -> bool:
            try:
                return check((value,), sizes)
            except (LookupError, AttributeError, RuntimeError):         # (a dict that another thread changes)
                return False

        return known

    # --- places that have a kind each

    def fixed(self, kinds: list[Any]) -> Check:
        """The test whether values are of some kinds, one by one."""
        groups: dict[tuple, list[int]] = {}
        for j, kind in enumerate(kinds):
            groups.setdefault(self.look(kind), []).append(j)
        classes = list(map(class_of, kinds))
        steps, deeper = [], list[k.Kind]()
        for (sort, *_), positions in groups.items():
            if sort:
                step, below = getattr(self, sort)([kinds[j] for j in positions])
                steps.append((None if len(positions) == len(kinds) else picking(positions), step))
                deeper += below
        rest = self.fixed(deeper) if deeper else None

        def check(values: Sequence, sizes: dict) -> bool:
            if [*map(type, values)] != classes:
                return False
            found: list = []
            for pick, step in steps:
                if not step(values if pick is None else pick(values), sizes, found):
                    return False
            return rest is None or rest(found, sizes)

        return check

    def look(self, kind: Any) -> tuple:
        """The name of the method that tests a kind beside its class, and what tells groups apart."""
        if isinstance(kind, k.Num) and kind.dtype is not None and kind.dims is not None:
            return ("arrays", kind.dtype, len(kind.dims), kind.order) if kind.boxed else ("",)
        if isinstance(kind, k.Const) and (kind.value is None or isinstance(kind.value, (bool, enum.Enum))):
            return ("objects",)
        if isinstance(kind, k.Const) and type(kind.value) in (str, bytes, int):
            return ("texts",)
        if type(kind) is k.Fn and not (self.strict and isinstance(kind.value, (types.MethodType, functools.partial))):
            return ("objects",)
        if type(kind) is k.Lst and not kind.optional:
            return "lists", kind
        if isinstance(kind, k.Map):
            return "maps", kind
        if type(kind) in (k.Tup, k.Named):
            return "tuples", len(kind.items)
        if type(kind) is k.Dct and is_whole(kind):
            return "dicts", tuple([k.exactly(key) for key, _ in kind.items]), kind.made
        if type(kind) is k.Obj and not kind.optional and not kind.maybe:
            own = tuple([name for name, item in kind.items or () if isinstance(item, k.Own)])
            return "instances", kind.cls, kind.items and tuple([name for name, _ in kind.items]), own
        raise NotWritten

    def objects(self, kinds: list[Any]) -> tuple[Step, list]:
        known = [kind.value for kind in kinds]
        return lambda values, sizes, found: all(map(operator.is_, values, known)), []

    def texts(self, kinds: list[k.Const]) -> tuple[Step, list]:
        known = [kind.value for kind in kinds]
        return lambda values, sizes, found: [*values] == known, []

    def arrays(self, kinds: list[k.Num]) -> tuple[Step, list]:
        """Arrays of one dtype and rank: which of their sizes are 0 or 1, and which are equal."""
        form, places = self.form(kinds[0]), dict[Any, list[int]]()
        for j, dim in enumerate(flat(kind.dims or () for kind in kinds)):
            if dim is None:
                raise NotWritten
            places.setdefault(dim, []).append(j)
        self.symbols.update((dim, None) for dim in places if isinstance(dim, str))

        def step(values: Sequence, sizes: dict, found: list) -> bool:
            if not form(values, sizes):
                return False
            lengths = [*flat(map(shape_of, values))]
            for dim, where in places.items():
                size = dim if isinstance(dim, int) else sizes.setdefault(dim, lengths[where[0]])
                if size < 2 and size is not dim or any(lengths[j] != size for j in where):
                    return False
            return True

        return step, []

    def form(self, kind: k.Num, in_any_order: bool = False) -> Check:
        """Whether arrays have the dtype, rank and order of a kind."""
        dtype, rank, ordered = {id(canonical(kind.dtype))}, {len(kind.dims or ())}, {not kind.order}
        as_they_lie = in_any_order or max(rank) < 2

        def check(values: Sequence, sizes: dict) -> bool:
            if IDS in sizes:
                sizes[IDS] += map(id, values)
            return {*map(id, map(dtype_of, values))} == dtype and {*map(len, map(shape_of, values))} == rank and (
                as_they_lie or {*map(by_rows, values)} == ordered)

        return check

    def lists(self, kinds: list[k.Lst]) -> tuple[Step, list]:
        inner = self.items(kinds[0])
        return lambda values, sizes, found: (all(values) or kinds[0].item is None) and inner(values, sizes), []

    def maps(self, kinds: list[k.Map]) -> tuple[Step, list]:
        kind, self.closed = kinds[0], False
        return lambda values, sizes, found: all(k.kind_of(value) == kind for value in values), []

    def tuples(self, kinds: list[Any]) -> tuple[Step, list]:
        count = {len(kinds[0].items)}

        def step(values: Sequence, sizes: dict, found: list) -> bool:
            found += flat(values)
            return {*map(len, values)} == count

        return step, [*flat(kind.items for kind in kinds)]

    def dicts(self, kinds: list[k.Dct]) -> tuple[Step, list]:
        keyed = self.keyed(kinds[0])

        gather = gathering([key for key, _ in kinds[0].items])

        def step(values: Sequence, sizes: dict, found: list) -> bool:
            if not keyed(values, sizes):
                return False
            found += gather(values)
            return True

        return step, by_columns([[item for _, item in kind.items] for kind in kinds])

    def keyed(self, kind: k.Dct) -> Check:
        """Whether dicts have the keys of a kind."""
        keys, told = [key for key, _ in kind.items], [k.exactly(key) for key, _ in kind.items]
        count, texts = {len(keys)}, keys == told                # (text tells itself exactly)
        maker = getattr(kind.made, "value", None)

        def check(values: Any, sizes: dict) -> bool:
            if IDS in sizes:
                sizes[IDS] += map(id, values)
            if {*map(len, values)} != count:
                return False
            if maker is not None and any(value.default_factory is not maker for value in values):
                return False
            if texts:
                return [*flat(values)] == keys * len(values)
            return all(list(map(k.exactly, value)) == told for value in values)

        return check

    def instances(self, kinds: list[k.Obj]) -> tuple[Step, list]:
        """Objects of one class that have the same attributes."""
        if kinds[0].items is None:
            self.unseen(kinds[0])
            return lambda values, sizes, found: True, []
        items = [dict(kind.items or ()) for kind in kinds]
        names = [name for name in items[0] if self.asked is None or name in self.asked]
        own = [name for name in names if isinstance(items[0][name], k.Own)]
        names = [name for name in names if name not in own]
        gather, attributes = gathering(names), self.attributes(kinds[0])

        def step(values: Sequence, sizes: dict, found: list) -> bool:
            if (held := attributes(values, sizes)) is None:
                return False
            for name in own:
                for value, inside, item in zip(values, held, items):
                    method = inside[name]
                    if type(method) is not types.MethodType or method.__self__ is not value or (
                            method.__func__ is not item[name].value):                               # type: ignore[attr-defined]
                        return False
            found += gather(held)
            return True

        return step, by_columns([[item[name] for name in names] for item in items])

    def unseen(self, kind: k.Obj) -> None:
        """There are objects of which only the class is known."""
        self.closed = self.closed and not is_user_class(kind.cls)

    def attributes(self, kind: k.Obj) -> Callable[[Sequence, dict], list[dict] | None]:
        """What gives the attributes of objects, or None where these have others than a kind says.

        Of those that no code asks for there may be any."""
        names = {name for name, _ in kind.items or ()}
        inside: Any = attributes_of if slots_of(kind.cls) else held_in
        missing, count = (self.asked or names) - names, {len(names)}

        def found(values: Sequence, sizes: dict) -> list[dict] | None:
            if IDS in sizes:
                sizes[IDS] += map(id, values)
            held = list(map(inside, values))
            if self.asked is not None:
                return held if all(map(missing.isdisjoint, held)) else None
            if kind.maybe:
                return held if names.issuperset(flat(held)) else None
            return held if {*map(len, held)} == count else None             # (all names are looked up afterwards)

        return found

    # --- any number of values that have one kind together: the join of all, without sizes, as `kinds.Lst` has it

    def alike(self, kind: Any) -> Check:
        cls, test = self.column(kind)
        if cls is None:
            return test                                                                             # type: ignore[return-value]
        classes = {cls}
        if test is None:
            return lambda values, sizes: {*map(type, values)} == classes
        return lambda values, sizes: {*map(type, values)} == classes and test(values, sizes)

    def records(self, inside: Iterable[tuple[Any, Any]]) -> Check:
        """The test of parts of values, each of which has one kind in all of them. inside: keys and kinds."""
        columns: dict[Any, list] = {}
        for key, kind in inside:
            columns.setdefault(kind, []).append(key)
        tests = [(gathering(keys), self.alike(kind)) for kind, keys in columns.items()]

        def check(values: Sequence, sizes: dict) -> bool:
            for gather, test in tests:
                if not test(gather(values), sizes):
                    return False
            return True

        return check

    def column(self, kind: Any) -> tuple[type | None, Check | None]:
        """The class of all values of a kind (None: there are several), and what else is tested."""
        if getattr(kind, "optional", False):
            return None, self.if_there(replace(kind, optional=False))
        if isinstance(kind, k.Optional):
            return None, self.if_there(kind.item)
        if isinstance(kind, k.Num) and kind.boxed is False and kind.dtype in ("pyfloat", "pyint", "pycomplex") and not kind.size:
            return SCALARS[kind.dtype], None
        if isinstance(kind, k.Num) and kind.boxed is True and kind.dtype is not None and kind.dims is not None and all(
                dim is None or isinstance(dim, int) for dim in kind.dims):
            return np.ndarray, self.arrays_alike(kind)
        if type(kind) is k.Const and type(kind.value) in PLAIN - {float, complex}:
            return type(kind.value), lambda values, sizes: values.count(kind.value) == len(values)
        if type(kind) is k.Fn:
            return type(kind.value), lambda values, sizes: {*map(id, values)} == {id(kind.value)}
        if type(kind) is k.Lst:
            return list, self.items(kind)
        if type(kind) in (k.Tup, k.Named):
            return class_of(kind), self.tuples_alike(kind)
        if type(kind) is k.Dct and is_whole(kind):
            return class_of(kind), self.dicts_alike(kind)
        if type(kind) is k.Obj and kind.items is None:
            self.unseen(kind)
            return kind.cls, None
        if type(kind) is k.Obj and not any(isinstance(item, k.Own) for _, item in kind.items or ()):
            return kind.cls, self.instances_alike(kind)
        return None, self.several(kind) if type(kind) is k.OneOf else self.joined(kind)

    def if_there(self, kind: Any) -> Check:
        inner = self.alike(kind)

        def check(values: Sequence, sizes: dict) -> bool:
            there = [value for value in values if value is not None]
            return not there or inner(there, sizes)

        return check

    def arrays_alike(self, kind: k.Num) -> Check:
        form = self.form(kind, bool(kind.order))

        def check(values: Sequence, sizes: dict) -> bool:
            if not form(values, sizes):
                return False
            for dim, lengths in zip(kind.dims or (), zip(*{*map(shape_of, values)})):
                found = {min(length, 2) for length in lengths}
                if found != {dim} if isinstance(dim, int) else len(found) == 1 and max(found) < 2:
                    return False
            return True

        return check

    def items(self, kind: k.Lst) -> Check:
        """The test of what lists hold together."""
        inner = None if kind.item is None else self.alike(kind.item)

        def check(values: Sequence, sizes: dict) -> bool:
            if IDS in sizes:
                sizes[IDS] += map(id, values)
            items = [*flat(values)]
            return bool(items) and inner(items, sizes) if inner is not None else not items

        return check

    def tuples_alike(self, kind: Any) -> Check:
        count, inner = {len(kind.items)}, self.records(enumerate(kind.items))
        return lambda values, sizes: {*map(len, values)} == count and inner(values, sizes)

    def dicts_alike(self, kind: k.Dct) -> Check:
        keyed, inner = self.keyed(kind), self.records(kind.items)
        return lambda values, sizes: keyed(values, sizes) and inner(values, sizes)

    def instances_alike(self, kind: k.Obj) -> Check:
        asked = {name: item for name, item in kind.items or () if self.asked is None or name in self.asked}
        inner = self.records((name, item) for name, item in asked.items() if name not in kind.maybe)
        attributes = self.attributes(kind)
        perhaps = [(name, self.alike(item)) for name, item in asked.items() if name in kind.maybe]

        def check(values: Sequence, sizes: dict) -> bool:
            if (held := attributes(values, sizes)) is None or not inner(held, sizes):
                return False
            for name, test in perhaps:
                there = [inside[name] for inside in held if name in inside]
                if there and not test(there, sizes):
                    return False
            return True

        return check

    def several(self, kind: k.OneOf) -> Check:
        """Objects of a few classes."""
        inner = {item.cls: self.alike(item) for item in kind.items}

        def check(values: Sequence, sizes: dict) -> bool:
            found: dict[type, list] = {}
            for value in values:
                found.setdefault(type(value), []).append(value)
            return found.keys() <= inner.keys() and all(inner[cls](some, sizes) for cls, some in found.items())

        return check

    def joined(self, kind: Any) -> Check:
        """The test of kinds that are not written out: the kind of all values is the one.

        Classes of numbers and text that had it are kept: several of them tell the kind, whatever the values are."""
        self.closed = False
        known: set[frozenset] = set()

        def check(values: Sequence, sizes: dict) -> bool:
            classes = frozenset(map(type, values))
            if classes in known:
                return True
            if k.kind_of([*values]) != k.Lst(kind):
                return False
            if all(cls in PLAIN or issubclass(cls, np.number) for cls in classes) and (
                    len(classes) > 1 or not classes & {bool, str, type(None)}) and len(known) < 64:
                known.add(classes)
            return True

        return check


def picking(places: list) -> Callable[[Any], Sequence]:
    """What gives the items at some places as a tuple."""
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda value: (value[places[0]],)


def gathering(keys: list) -> Callable[[Sequence], list]:
    """What gives the items under some keys, of all values under the first, then of all under the next (see `by_columns`)."""
    getters = [operator.itemgetter(key) for key in keys]
    if len(getters) < 2:
        return lambda values: [*map(getters[0], values)] if getters else []
    together = operator.itemgetter(*keys)
    return lambda values: [*flat([map(getter, values) for getter in getters])] if len(values) > 1 else [*together(values[0])]


def by_columns(records: list[list]) -> list:
    return [*flat(zip(*records))]


def is_whole(kind: k.Dct) -> bool:
    """Whether all keys of a dict, and what makes missing items, are known."""
    return not kind.partial and (kind.made is None or type(kind.made) is k.Fn)


def class_of(kind: Any) -> type:
    """The class of the values of a kind for which there is a test."""
    if isinstance(kind, k.Num):
        return np.ndarray if kind.boxed else SCALARS[kind.dtype] if kind.dtype in SCALARS else canonical(kind.dtype).type
    if isinstance(kind, (k.Const, k.Fn)):
        return type(kind.value)
    if isinstance(kind, k.Map):
        return collections.Counter if isinstance(kind, k.Counts) else collections.defaultdict if kind.made else dict
    if isinstance(kind, k.Dct):
        return collections.defaultdict if kind.made else dict
    return list if isinstance(kind, k.Lst) else kind.cls if isinstance(kind, (k.Obj, k.Named)) else tuple


@functools.cache
def canonical(name: str | None) -> Any:
    try:
        return np.dtype(name)
    except TypeError:
        raise NotWritten from None
