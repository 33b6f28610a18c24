"""Guards as text: conditions under which a value is of a kind.

What holds little is asked for in one expression, place by place; what holds much is left to `api.columns`.
"""
from __future__ import annotations

import collections
import enum
import functools
import operator
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.api.columns import IDS, SCALARS, Columns, NotWritten, canonical
from sourcegrad.runtime.structure import attributes_of, is_user_class, slots_of

if TYPE_CHECKING:
    from sourcegrad.api.inline_cache import Test

FEW = 24                                 # places that are asked for one by one


def decisive(kind: k.Kind) -> bool:
    """Whether the written test fails for all values of other kinds."""
    return isinstance(kind, (k.Const, k.Fn)) or isinstance(kind, k.Num) and kind.dtype in SCALARS


def matching(test: Test, value: str, kind: k.Kind, symbols: dict[str, str]) -> list[str]:
    """Tests whether a value is of a kind. value: its name; symbols: sizes that have been met -> expressions for them."""
    known = test.known
    if places_in(kind, test.asked) > FEW or isinstance(kind, k.Lst) and not is_table(kind.item):
        return [in_columns(test, value, kind, symbols)]
    of_type = f"{known(type)}({value}) is "
    if isinstance(kind, (k.Lst, k.Dct, k.Map, k.Obj)) or isinstance(kind, k.Num) and kind.boxed:
        numbers = isinstance(kind, k.Lst) and isinstance(kind.item, k.Num) and not kind.item.boxed
        closed = isinstance(kind, k.Obj) and (kind.items is not None or not is_user_class(kind.cls))
        test.met.append(value if numbers or closed or isinstance(kind, (k.Dct, k.Num)) else "")
    if isinstance(kind, k.Num) and kind.dtype is not None and kind.dims is not None:
        if kind.dtype in SCALARS:
            return [of_type + known(SCALARS[kind.dtype])]
        dtype = canonical(kind.dtype)
        return array(test, value, kind, dtype, symbols) if kind.boxed else [of_type + known(dtype.type)]
    if isinstance(kind, k.Const):
        if kind.value is None or type(kind.value) is bool or isinstance(kind.value, enum.Enum):
            return [f"{value} is {known(kind.value)}"]
        if type(kind.value) in (str, bytes, int):
            return [of_type + known(type(kind.value)), f"{value} == {kind.value!r}"]
    if type(kind) is k.Fn and not (test.strict and isinstance(kind.value, (types.MethodType, functools.partial))):
        return [f"{value} is {known(kind.value)}"]
    if isinstance(kind, k.Lst):
        item = kind.item
        if type(item) is k.Tup:
            columns = [f"{known(map)}({known(operator.itemgetter(j))}, {value})" for j in range(len(item.items))]
            return [of_type + known(list), classes(test, value, tuple), f"{known(set)}({known(map)}({known(len)}, {value})) == "
                    f"{{{len(item.items)}}}", *(classes(test, column, class_of_plain(part)) for column, part in zip(
                        columns, item.items))]
        return [of_type + known(list), classes(test, value, class_of_plain(item))]
    if isinstance(kind, k.Map):
        cls: type = collections.Counter if isinstance(kind, k.Counts) else collections.defaultdict if kind.made else dict
        return [of_type + known(cls), f"{known(k.kind_of)}({value}) == {known(kind)}"]
    if isinstance(kind, k.Tup):
        cls = kind.cls if isinstance(kind, k.Named) else tuple
        tests = [of_type + known(cls), f"{known(len)}({value}) == {len(kind.items)}"]
        return tests + parts(test, ((f"{value}[{j}]", item) for j, item in enumerate(kind.items)), symbols, value)
    if isinstance(kind, k.Dct):
        keys = [key for key, _ in kind.items]
        same, alike = (f"{known(list)}({known(map)}({known(told)}, {value})) == {known([*map(told, keys)])}"
                       for told in (id, k.exactly))
        tests = [of_type + known(collections.defaultdict if kind.made else dict), f"({same} or {alike})"]
        if isinstance(kind.made, k.Fn):
            tests.append(f"{value}.default_factory is {known(kind.made.value)}")
        return tests + parts(test, ((f"{value}[{key!r}]", item) for key, item in kind.items), symbols, value)
    if isinstance(kind, k.Obj) and kind.items is not None:
        held = test.value()
        inside = f"{known(attributes_of)}({value})" if slots_of(kind.cls) else f"{value}.__dict__"
        asked = [(name, item) for name, item in kind.items if test.asked is None or name in test.asked]
        others = f"{known(len)}(({held} := {inside})) == {len(kind.items)}"
        if len(asked) < len(kind.items) and test.asked is not None:
            absent = test.asked.difference(name for name, _ in kind.items)
            others = f"{known(absent.isdisjoint)}(({held} := {inside}))"
        return [of_type + known(kind.cls), others, *parts(test, (
            (f"{held}[{name!r}]", item) for name, item in asked), symbols, value)]
    if isinstance(kind, k.Obj):
        return [of_type + known(kind.cls)]
    raise NotWritten


def class_of_plain(kind: Any) -> type | None:
    """The class of numbers or text of some kind, if that is all there is to the kind."""
    if isinstance(kind, k.Num) and kind.dtype is not None and kind.dims == () and not kind.boxed and kind.size is None:
        return SCALARS[kind.dtype] if kind.dtype in SCALARS else None
    return str if type(kind) is k.Obj and kind.cls is str else None


def is_table(item: Any) -> bool:
    """Whether what a list holds is numbers or text of one class, or tuples of such."""
    return class_of_plain(item) is not None or type(item) is k.Tup and all(map(class_of_plain, item.items))


def classes(test: Test, values: str, cls: Any) -> str:
    """A test whether all of some values are of a class (and whether there are any)."""
    return f"{test.known(set)}({test.known(map)}({test.known(type)}, {values})) == {test.known({cls})}"


def parts(test: Test, inside: Iterable[tuple[str, k.Kind]], symbols: dict[str, str], owner: str) -> list[str]:
    """Tests of what a container or object holds."""
    tests: list[str] = []
    for expression, kind in inside:
        value = test.value()
        if isinstance(kind, k.Own):
            found = [f"{test.known(type)}({value}) is {test.known(types.MethodType)}", f"{value}.__self__ is {owner}",
                     f"{value}.__func__ is {test.known(kind.value)}"]
        else:
            found = matching(test, value, kind, symbols)
        tests += [found[0].replace(value, f"({value} := {expression})", 1), *found[1:]]
    return tests


def places_in(kind: Any, asked: frozenset[str] | None) -> int:
    """How many places a kind tells of, of those that code may ask for (or more than `FEW`)."""
    count, waiting = 0, [kind]
    while waiting and count <= FEW:
        kind = waiting.pop()
        count += 1
        if isinstance(kind, k.Obj):
            waiting += [item for name, item in kind.items or () if asked is None or name in asked]
        elif isinstance(kind, (k.Tup, k.Dct)):
            waiting += [item for _, item in kind.items] if isinstance(kind, k.Dct) else kind.items
    return count


def in_columns(test: Test, value: str, kind: k.Kind, symbols: dict[str, str]) -> str:
    """A test of what holds much."""
    columns, sizes = Columns(test.asked, test.strict), test.value()
    check = columns.test(kind)
    given = [f"{symbol!r}: {symbols[symbol]}" for symbol in columns.symbols if symbol in symbols]
    symbols.update({symbol: f"{sizes}[{symbol!r}]" for symbol in columns.symbols if symbol not in symbols})
    if test.gathering:
        test.met.append(f"*{sizes}[{IDS}]" if columns.closed else "")
        given.append(f"{IDS}: []")
    return f"{test.known(check)}({value}, ({sizes} := {{{', '.join(given)}}}))"


def array(test: Test, value: str, kind: k.Num, dtype: Any, symbols: dict[str, str]) -> list[str]:
    """Tests of an array: the number of axes, which of them have one element, and which are of the same length."""
    known, shape = test.known, test.value()
    tests = [f"{known(type)}({value}) is {known(np.ndarray)}", f"{value}.dtype is {known(dtype)}",
             f"{known(len)}(({shape} := {value}.shape)) == {len(kind.dims or ())}"]
    for axis, dim in enumerate(kind.dims or ()):
        size = f"{shape}[{axis}]"
        if isinstance(dim, int):
            tests.append(f"{size} == {dim}")
        elif dim in symbols:
            tests.append(f"{size} == {symbols[dim]}")
        else:
            tests.append(f"{size} > 1")
            symbols[dim] = size
    if len(kind.dims or ()) > 1:
        tests.append(f"{'not ' if kind.order else ''}{value}.flags.c_contiguous")
    return tests
