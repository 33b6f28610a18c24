"""Type inference of primitives: kinds of results by their rules, symbolic sizes, realness, layout; kinds of indexed arrays.

An index keeps, drops, slices or adds dimensions.
"""
from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import math
import re
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.python_types import SPECIAL
from sourcegrad.ir import tree as t
from sourcegrad.kinds import Kind, results
from sourcegrad.kinds.lattice import minus
from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, primitive_of


def result_kind(function: Any, parts: list[Kind], options: dict[str, Kind]) -> Kind:
    """Kind of the result, from the kinds of the arguments and options."""
    rule = RULES.get(function)
    kind = rule.kind if rule is not None else ZERO_DERIVATIVE.get(function)
    of_numbers = all(part.__class__ is k.Num or part.__class__ is k.Const for part in (*parts, *options.values()))
    find = _remembered if of_numbers else _found       # the other kinds may hold objects, which nobody shall keep alive
    return find(function, kind, rule is not None, tuple(parts), tuple(options.items()))


def _found(function: Any, kind: Callable | None, has_rule: bool, parts: tuple, options: tuple) -> Kind:
    named = dict(options)
    return with_layout(function, parts, named, _by_rule(function, kind, has_rule, parts, named))


_remembered = functools.lru_cache(maxsize=128)(_found)         # the same few are asked for by the ten thousand


def _by_rule(function: Any, kind: Callable | None, has_rule: bool, parts: tuple, options: dict[str, Any]) -> Kind:
    special = SPECIAL.get(function)
    if special is not None:
        found = special(*parts, **options)
        if found is not None:
            return found
    if has_rule and getattr(function, "__module__", None) == "math" and k.ANY in parts and function is not math.prod:
        return k.FLOAT                                      # whatever it is given
    if kind is None:
        return with_realness(function, parts, options, k.NUMERIC) if has_rule and all(map(k.is_numeric, parts)) else k.ANY
    try:
        return with_realness(function, parts, options, kind(*parts, **options) or k.ANY)
    except (results.Unknown, TypeError, ValueError, AttributeError, IndexError):
        return k.ANY


# --- What is known of numbers whose dtype is not: functions that give real numbers for real numbers.
#
# `total = 0` followed by `total += x * x` is an int or a float: no dtype tells both, but it is not complex, and so its
# adjoint needs no conjugate.

@k.once
def is_real(kind: Kind | None) -> bool:
    """Whether a value is certainly not complex, and no dtype."""
    if isinstance(kind, k.Num):
        return kind.is_complex is False
    if isinstance(kind, k.Const):
        return not isinstance(kind.value, (complex, str))
    if isinstance(kind, k.Tup):
        return all(map(is_real, kind.items))
    if isinstance(kind, (k.Lst, k.Rest)):
        return kind.item is None or is_real(kind.item)
    return isinstance(kind, k.Obj) and kind.cls in (slice, range)


@k.once
def may_be_complex(kind: Kind | None) -> bool:
    """Whether a value is, or holds, something that may be a complex number."""
    if isinstance(kind, k.Optional):
        kind = kind.item
    if isinstance(kind, k.Num):
        return kind.is_complex is not False
    if isinstance(kind, k.Const):
        return isinstance(kind.value, complex)
    if isinstance(kind, (k.Tup, k.Closure, k.OneOf)):
        return any(map(may_be_complex, kind.items))
    if isinstance(kind, (k.Lst, k.Map, k.Rest)):
        return kind.item is not None and may_be_complex(kind.item)
    if isinstance(kind, (k.Dct, k.State)) or isinstance(kind, k.Obj) and kind.items is not None:
        return any(may_be_complex(item) for _, item in kind.items or ())
    return not isinstance(kind, (k.Obj, k.Fn))


def marked(kind: Kind | None, real: bool) -> Kind | None:
    """A kind of numbers, known to be real."""
    if real and isinstance(kind, k.Num) and kind.dtype is None and not kind.real:
        return dataclasses.replace(kind, real=True)
    return kind


def with_realness(function: Any, parts: Sequence, options: dict[str, Any], kind: Kind) -> Kind:
    """The kind of the result of a primitive, with what its operands tell of it."""
    if not isinstance(kind, k.Num) or kind.dtype is not None or "dtype" in options:
        return kind
    known = primitive_of(function).real
    if known == "always" or function in (runtime.unbroadcast, runtime.operand_part) and is_real(parts[1]):
        return marked(kind, True)                                                         # type: ignore[return-value]
    if known is None:
        return kind
    return marked(kind, all(map(is_real, (*parts, *options.values()))))                   # type: ignore[return-value]


# --- Which arrays may not lie row by row in memory.
#
# `c = b.T * 2.0` lies column by column, and so does what is computed from it element by element: a reshape of it copies.
# Callees are told by the kinds of their arguments. An array of one axis always lies in order, whatever its steps.

@k.once
def unordered(kind: Kind | None) -> bool:
    """Whether an array, or one in a container, may not lie row by row."""
    if isinstance(kind, k.Num):
        return kind.size == k.UNORDERED
    if isinstance(kind, (k.Tup, k.Dct, k.Obj)) and not isinstance(kind, k.SetOf):
        items: Any = kind.items or ()
        return any(unordered(item if isinstance(kind, k.Tup) else item[1]) for item in items)
    return kind is k.ANY or isinstance(kind, (k.Lst, k.Map, k.Rest)) and unordered(kind.item)


def with_layout(function: Any, parts: Sequence, options: dict[str, Any], kind: Kind) -> Kind:
    """The kind of the result of a primitive, with the layout that its operands tell."""
    named = any(isinstance(option, k.Const) and option.value in ("F", "A") for option in (*parts, *options.values()))
    order = primitive_of(function).order
    return placed(kind, named or order == "other" or order is None and any(map(unordered, (*parts, *options.values()))), {})


def placed(kind: Kind, loosely: bool, found: dict[Kind, Kind]) -> Kind:
    """`laid_out` for the arrays in a tuple or list, too. found: what was seen in it (no closure: it would hold itself)."""
    if not isinstance(kind, (k.Tup, k.Lst)):
        return laid_out(kind, loosely)
    if kind not in found:
        found[kind] = k.mapped(lambda item: placed(item, loosely, found), kind)
    return found[kind]


def part(array: k.Num, indices: list[Kind | None], kind: Kind) -> Kind:
    """The kind of array[indices] (None for a slice): NumPy puts the elements of `x[:, [1, 2]]` column by column."""
    gathered = len(indices) > 1 and any(isinstance(index, (k.Lst, k.Tup)) or isinstance(index, k.Num) and not index.is_scalar
                                        for index in indices)
    return laid_out(kind, gathered or unordered(array))


def laid_out(kind: Kind, loosely: bool) -> Kind:
    """The kind of an array that may not lie row by row, or that does."""
    if not isinstance(kind, k.Num) or kind.is_scalar:
        return kind
    loosely &= kind.dims is None or len(kind.dims) > 1
    if loosely == (kind.size == k.UNORDERED):
        return kind
    return dataclasses.replace(kind, size=k.UNORDERED if loosely else None)


# --- `np.r_[a, 1.0, b]` and `np.c_[x, y]`: what they join.

CONCATENATORS = {type(np.r_): "np.r_", type(np.c_): "np.c_"}


def items_of(index: Any) -> list:
    """The parts that an index of np.r_ or np.c_ names."""
    return index.elts if isinstance(index, gast.Tuple) else [index]


def ranks(items: list, of: Callable[[Any], Kind | None]) -> list[int | None] | None:
    """The rank of every part, None where it is not known; None altogether as long as some kind is still to come."""
    found: list[int | None] = []
    for item in items:
        kind = k.Num("float64", (None,), True) if isinstance(item, gast.Slice) else of(item)
        if kind is None:
            return None
        kind = k.as_num(kind)
        found.append(kind.ndim if isinstance(kind, k.Num) else None)
    return found


def concatenation(cls: type, index: Any, of: Callable[[Any], Kind | None]) -> Kind | None:
    """The kind of an array that np.r_ (1 axis or more) or np.c_ (2 or more) makes."""
    known = ranks(items_of(index), of)
    if known is None:
        return None
    if None in known:
        return k.Num(None, None, True)
    least = 2 if cls is type(np.c_) else 1
    return k.Num(None, (None,) * max(least, *(rank for rank in known if rank is not None), 0), True)


GRIDS = (type(np.mgrid), type(np.ogrid))


def grid(cls: type, index: Any, of: Callable[[Any], Kind | None]) -> Kind | None:
    """The kind of what np.mgrid (an array) or np.ogrid (arrays, one for each axis) makes of slices."""
    parts = items_of(index)
    bounds = [of(bound) for part in parts if isinstance(part, gast.Slice) for bound in (part.lower, part.upper, part.step)
              if bound is not None]
    if None in bounds:
        return None
    numbers = [k.as_num(kind) for kind in bounds if kind != k.Const(None)]              # type: ignore[arg-type]
    if not all(isinstance(part, gast.Slice) for part in parts) or not all(
            isinstance(x, k.Num) and x.is_scalar and x.dtype in ("pyint", "pyfloat", "pycomplex") for x in numbers):
        return k.ANY
    whole = all(x.dtype == "pyint" for x in numbers)                                                # type: ignore[attr-defined]
    dtype, sizes = np.dtype(int).name if whole else "float64", [steps_of(part, of) if whole else None for part in parts]
    if not isinstance(index, gast.Tuple):
        return k.Num(dtype, tuple(sizes), True)
    if cls is type(np.mgrid):
        return k.Num(dtype, (len(parts), *sizes), True)
    made = tuple(k.Num(dtype, tuple(n if axis == j else 1 for j in range(len(parts))), True) for axis, n in enumerate(sizes))
    return k.Tup(made) if NUMPY_GIVES_TUPLES else k.ANY


def steps_of(part: gast.Slice, of: Callable[[Any], Kind | None]) -> Any:
    """How many whole numbers a slice of np.mgrid goes through; None if that is not known."""
    start, stop = (None if bound is None else of(bound) for bound in (part.lower, part.upper))
    if part.step is not None or start is not None and not isinstance(start, k.Const):
        return None
    first = getattr(start, "value", None) or 0
    if isinstance(stop, k.Const) and type(stop.value) is int:
        return max(stop.value - first, 0)
    return stop.size if isinstance(stop, k.Num) and first == 0 else None


NUMPY_GIVES_TUPLES = isinstance(np.ogrid[:1, :1], tuple)                        # older versions give lists


def is_slice(part: Any, of: Callable) -> bool:
    """Whether a part of an index is a slice: one that is written out, or an object in a variable."""
    return isinstance(part, gast.Slice) or _is_slice(of(part))


def _is_slice(kind: Any) -> bool:
    return isinstance(kind, k.Obj) and kind.cls is slice


def recorded(index: Any, of: Callable) -> Kind | None:
    """The kind of np.s_[index], which is what an own `__getitem__` gets."""
    if isinstance(index, gast.Tuple):
        parts = [recorded(part, of) for part in index.elts]
        return k.Tup(tuple(parts)) if k.all_of(parts, Kind) else None
    return k.Obj(slice) if isinstance(index, gast.Slice) else of(index)


def index_kind(value: k.Num, parts: list, of: Callable, own: Callable = lambda name: None) -> Kind | None:
    """Kind of array[parts] for an array of known rank. own: the name of the sizes that belong to a name (None: it changes)."""
    dims = list(value.dims or ())
    kinds = [None if isinstance(p, gast.Slice) else _numbers(of(p)) for p in parts]
    if any(kind is None and not isinstance(p, gast.Slice) for kind, p in zip(kinds, parts)):
        return None
    masked = _masked(dims, parts, kinds, own, of)
    if masked is not None:
        return k.Num(value.dtype, tuple(masked), True)
    consumed = sum(1 for p, kind in zip(parts, kinds) if isinstance(p, gast.Slice) or _consumes(kind))
    if any(kind is not None and not isinstance(kind, (k.Num, k.Const)) or (
            isinstance(kind, k.Num) and (kind.dims is None or kind.dtype is None or kind.dtype in ("bool", "pybool")))
            for kind in kinds if not _is_slice(kind)):
        return k.Num(value.dtype, None, None)
    ellipsis = next((j for j, kind in enumerate(kinds) if _is_ellipsis(kind)), len(parts))
    result: list = []
    position = 0
    advanced: list[int] = []
    shapes: list = []
    for part, kind in zip(parts, kinds):
        if isinstance(part, gast.Slice):
            result.append(slice_dim(dims[position], part, of) if position < len(dims) else None)
            position += 1
        elif _is_slice(kind):                                 # an object in a variable: how much it leaves is not known
            name = own(getattr(part, "id", None))
            known = name is not None and position < len(dims) and dims[position] is not None
            result.append(f"({dims[position]}[?{name}])" if known else None)
            position += 1
        elif _is_ellipsis(kind):
            skip = len(dims) - consumed
            result += dims[position: position + skip]
            position += skip
        elif isinstance(kind, k.Const) and kind.value is None:
            result.append(1)
        elif isinstance(kind, k.Num) and kind.dims:
            advanced.append(len(result))
            shapes.append(kind.dims)
            position += 1
        else:
            if any(isinstance(other, k.Num) and other.dims for other in kinds):
                advanced.append(len(result))
            position += 1
    if ellipsis == len(parts):
        result += dims[position:]
    if shapes:
        if len(set(advanced)) > 1:
            return k.Num(value.dtype, None, True)
        result[advanced[0]: advanced[0]] = list(k.broadcast(*shapes) or ())
    return k.Num(value.dtype, tuple(result), bool(result) or ellipsis < len(parts))      # x[0, ...] is an array without axes


def _masked(dims: list, parts: list, kinds: list, own: Callable, of: Callable) -> list | None:
    """The dimensions of array[:, mask]: one for all that the mask covers. A mask that stays the same leaves the same size."""
    found = [j for j, kind in enumerate(kinds) if isinstance(kind, k.Num) and kind.dtype == "bool" and kind.dims and kind.boxed]
    if len(found) != 1 or any(kind is not None and j not in found for j, kind in enumerate(kinds)):
        return None
    [place] = found
    rank = len(kinds[place].dims)
    if len(dims) < len(parts) - 1 + rank:
        return None
    name = own(getattr(parts[place], "id", None))
    before = [slice_dim(dim, part, of) for dim, part in zip(dims, parts[:place])]
    after = [slice_dim(dim, part, of) for dim, part in zip(dims[place + rank:], parts[place + 1:])]
    size = f"(?{name})" if name is not None else None
    return [*before, size, *after, *dims[len(parts) - 1 + rank:]]


def _numbers(kind: Any) -> Any:
    """A list of whole numbers is the array that NumPy makes of it."""
    item = k.as_num(kind.item) if isinstance(kind, k.Lst) and kind.item is not None else None
    listed = isinstance(item, k.Num) and item.is_scalar and item.dtype in ("pyint", "int64")
    return k.Num("int64", (None,), True) if listed else kind


def _consumes(kind: Any) -> bool:
    return not (isinstance(kind, k.Const) and (kind.value is None or kind.value is Ellipsis))


def _is_ellipsis(kind: Any) -> bool:
    return isinstance(kind, k.Const) and kind.value is Ellipsis


def slice_dim(dim: Any, part: gast.Slice, of: Callable) -> Any:
    """Size of a sliced dimension: symbolic for constant slices that leave a fixed number of elements away."""
    try:
        bounds = (part.lower, part.upper, part.step)
        low, high, step = (results.constant(of(x)) if x is not None else None for x in bounds)
    except (results.Unknown, TypeError):
        return _between(dim, part, of)
    if step not in (None, 1, -1):
        return _stepped(dim, low, high, step)
    if isinstance(dim, int):
        return len(range(dim)[slice(low, high, step)])
    if low is None and high is None:
        return dim
    if step == -1 or not isinstance(dim, str):
        return None
    if (low or 0) < 0 or (high is not None and high >= 0):
        return _between(dim, part, of)
    return minus(dim, (low or 0) - (high or 0))


def _stepped(dim: Any, low: int | None, high: int | None, step: int) -> Any:
    """x[:-2:2] and x[2::2] have one size: what is left of the dimension, divided by the step and rounded up."""
    if isinstance(dim, int):
        return len(range(dim)[slice(low, high, step)])
    if not isinstance(dim, str) or step < 0 or (low or 0) < 0 or (high is not None and high >= 0):
        return None
    rest = minus(dim, (low or 0) - (high or 0))
    return None if rest is None else f"({rest}/{step})"


def _between(dim: Any, part: gast.Slice, of: Callable) -> Any:
    """The symbol for a dimension sliced at sizes: x[n:] has as many rows wherever n is the same size."""
    limits = []
    for limit in (part.lower, part.upper):
        kind = None if limit is None else of(limit)
        known = kind.size if isinstance(kind, k.Num) and kind.is_scalar else kind.value if isinstance(kind, k.Const) else None
        if limit is not None and not isinstance(known, (str, int)):
            return None
        limits.append("" if limit is None else str(known))
    return None if dim is None or part.step is not None else f"({dim}[{limits[0]}:{limits[1]}])"


def with_size(kind: Any, op: Any, left: Any, right: Any) -> Any:
    """The kind of a sum: a size and a whole number, np.zeros(n + 2), is a size."""
    if not isinstance(op, gast.Add):
        return kind
    for one, other in ((left, right), (right, left)):
        size = one.size if isinstance(one, k.Num) and one.is_scalar else None
        more = other.value if isinstance(other, k.Const) else None
        if (isinstance(size, str) and type(more) is int and more > 0 and isinstance(kind, k.Num) and kind.dtype == "pyint"
                and "-" not in size.rpartition(")")[2]):
            head, bracket, tail = size.rpartition(")")
            tail, _, before = tail.partition("+")
            return replace(kind, size=f"{head}{bracket}{tail}+{more + int(before or 0)}")
    return kind


def as_wide(kind: Kind | None, left: Kind | None) -> Kind | None:
    """The kind of a sum that goes where its left operand is, an array: NumPy raises unless it has the same shape."""
    if not isinstance(kind, k.Num) or not isinstance(left, k.Num) or not left.boxed or not left.dims:
        return kind
    return replace(kind, dims=left.dims, boxed=True)


# --- Symbolic sizes that mean something in one function only: "?n" is the value of its n, "?x.0" the length of its x.
#
# What is not known of an array is at least its own: `x[n:] + y[n:]` has one size. Such names have one value throughout a call, or
# ("?~n") in each turn of a loop: then only numbers and arrays that live no longer than that turn may be known by them.
#
# Lists that are only made to be handed on have lengths: `np.array([x, y])` is `value = [x, y]` and `np.array(value)` in core code.

PASSING = "~"
_OF_A_TURN = re.compile(rf"\?{PASSING}(\w+)")


NOTHING = t.Mentions([])


class OwnSizes:
    """The names of one function whose sizes can be named after them.

    A name that loops hand on, and whose size changes on the way, has a size of its own at the start of each turn (`settle`):
    `V = V[:-1]` is shorter by one then. Names that are as long as each other before the loop, and change alike, share it."""

    def __init__(self, body: list, parameters: Iterable[str], mentions: t.Mentions) -> None:
        once, self.homes = turns(body, mentions)
        self.owners = {name: f"{PASSING}{name}" for name in once} | {name: name for name in fixed_names(body, parameters, mentions)}
        self.known: dict[str, tuple[Kind | None, Kind | None]] = {}    # names: their kind, and with sizes of its own
        self.body, self.mentions = body, mentions
        self.carried = Carried([], mentions)             # until `settle` has found out that it is needed
        self.kinds: dict[int, Kind] = {}                 # id(assignment) -> what it gives, with sizes of a turn
        self.moving: dict[tuple[int, str], str] = {}     # loops and names whose size changes there -> what the size is called
        self.apart: set[tuple[int, str]] = set()         # those of them that share it with no other
        self.axes: dict[tuple[int, str], tuple[bool, ...]] = {}        # of each of them, which of its sizes change
        self.runs = 0

    def define(self, s: Any, kind: Kind) -> bool:
        """Note what an assignment gives; whether that is new."""
        if id(s) not in self.carried.noted or self.kinds.get(id(s)) == kind:
            return False
        self.kinds[id(s)] = kind
        return True

    def on(self, tree: Any, new: Any) -> OwnSizes:
        """The same of a copy of the tree. (Assignments and loops are but marks: those of the original will do.)"""
        if not self.carried.after and not self.carried.begins:
            return self
        other = copy.copy(self)
        other.carried = copy.copy(self.carried)
        other.carried.nodes = [*self.carried.nodes, *t.walk(new)]
        nodes = {id(node): id(copied) for node, copied in zip(t.walk(tree), t.walk(new))}
        other.carried.after = {nodes[key]: value for key, value in self.carried.after.items() if key in nodes}
        other.carried.begins = {nodes[key]: value for key, value in self.carried.begins.items() if key in nodes}
        return other

    def by_place(self, node: Any) -> bool:
        """Whether more may be known of a name where a node reads it."""
        return id(node) in self.carried.after or self.carried.begins.get(id(node)) in self.moving

    def read(self, node: Any, kind: Kind | None) -> Kind | None:
        """The kind of a name where it is read. kind: what is known of it everywhere."""
        if not isinstance(kind, k.Num) or not kind.boxed or not kind.dims:
            return kind
        last = self.kinds.get(self.carried.after.get(id(node), 0))
        if last is not None:
            return last if isinstance(last, k.Num) and last.ndim == kind.ndim and last.dtype == kind.dtype else kind
        key = self.carried.begins.get(id(node), (0, ""))
        owner, axes = self.moving.get(key), self.axes.get(key, ())
        if owner is None or len(axes) != len(kind.dims):
            return kind
        return replace(kind, dims=tuple(f"?{PASSING}{owner}.{axis}" if moves else dim
                                        for axis, (dim, moves) in enumerate(zip(kind.dims, axes))))

    def settle(self, kinds: dict[str, Kind]) -> bool:
        """Whether there are names, other than before, whose sizes change in loops. kinds: those of all names."""
        if not self.carried.loops:
            self.carried = Carried(self.body if self.unsized(kinds) else [], self.mentions)
            if not self.carried.ends:
                self.carried = Carried([], self.mentions)
            return bool(self.carried.ends)
        before, self.moving = self.moving, {}
        groups: dict[Any, list[tuple[int, str]]] = {}
        for key, (entry, end) in self.carried.ends.items():
            kind, first = kinds.get(key[1]), self.kinds.get(entry)
            moves = isinstance(kind, k.Num) and kind.boxed and kind.dims and None in kind.dims and end in self.kinds
            if key in before and (not moves or any(before[key] == before.get(other) and not self.alike(key, other)
                                                   for other in self.carried.ends if other != key)):
                self.apart.add(key)
            if moves or key in before:
                dims = first.dims if isinstance(first, k.Num) and first.dims and None not in first.dims else None
                groups.setdefault(key if key in self.apart or dims is None else (key[0], dims), []).append(key)
                self.axes.setdefault(key, tuple(dim is None for dim in kind.dims) if moves else ())    # type: ignore[union-attr]
        loops = {loop: number for number, (loop, _) in enumerate(self.carried.ends)}
        for keys in groups.values():
            for key in keys:
                self.moving[key] = f"{loops[key[0]]}{'_own' if key in self.apart else ''}_{keys[0][1]}"
                self.homes[self.moving[key]] = self.carried.loops[key[0]]
        if self.moving == before:
            return False
        self.kinds, self.known, self.runs = {}, {}, self.runs + 1
        if self.runs > 5:                                # they do not come to rest: nothing is known of them
            self.moving, self.carried.after, self.carried.begins, self.carried.ends = {}, {}, {}, {}
        return True

    def settled(self) -> None:
        """Forget what is only looked at until all kinds are found (it holds the tree)."""
        self.body, self.mentions, self.carried.mentions = [], NOTHING, NOTHING

    def unsized(self, kinds: dict[str, Kind]) -> bool:
        """Whether loops assign arrays again of which some size is not known."""
        changing = {n for s in self.body for n in _in_loops(s, self.mentions)}
        found = {n for n in changing if isinstance(kind := kinds.get(n), k.Num) and kind.boxed and kind.dims and None in kind.dims}
        return bool(found) and len([n for _, written, _ in self.mentions.all for n in written if n in found]) > len(found)

    def alike(self, one: tuple[int, str], other: tuple[int, str]) -> bool:
        """Whether two names are as long as each other at the end of a turn."""
        dims = [getattr(self.kinds.get(self.carried.ends[key][1]), "dims", None) or (None,) for key in (one, other)]
        return dims[0] == dims[1] and None not in dims[0]

    def owner(self, name: str | None) -> str | None:
        """What sizes that belong to a name are called (None: it changes)."""
        return None if name is None else self.owners.get(name)

    def sized(self, name: str, kind: Kind | None) -> Kind | None:
        """The kind of a name, with sizes of its own where there are no better ones."""
        owner = self.owners.get(name)
        if owner is None:
            return kind
        known = self.known.get(name)
        if known is None or known[0] is not kind:
            known = self.known[name] = kind, own_size(owner, kind)
        return known[1]

    def lasting(self, name: str, kind: Kind) -> Kind:
        """What stays of a kind that is given to a name: sizes of a turn only where the name lives no longer."""
        if not self.homes or kind.__class__ is k.Const or kind.__class__ is k.Num and not any(
                size.__class__ is str and PASSING in size for size in (kind.size, *(kind.dims or ()))):
            return kind
        home = self.homes.get(name) if all(
            isinstance(x, k.Num) for x in (kind.items if isinstance(kind, k.Tup) else [kind])) else None
        return without_own_sizes(kind, lambda size: f"?{PASSING}" in size and (home is None or any(
            self.homes[owner] != home[:len(self.homes[owner])] for owner in _OF_A_TURN.findall(size))))


class Carried:
    """Which assignment a name that is assigned several times was last given its value by, where that is one and nearby.

    after: id(node that reads a name) -> id(the assignment before it in the same block). begins: -> the loop and the name, where
    the value is what the turn began with. ends: loop and name -> the assignments before the loop and in a turn, the only one there,
    by their ids. noted: ids of assignments that are asked for. loops: id(loop) -> the loops around and it."""

    def __init__(self, body: list, mentions: t.Mentions) -> None:
        self.after: dict[int, int] = {}
        self.begins: dict[int, tuple[int, str]] = {}
        self.ends: dict[tuple[int, str], tuple[int, int]] = {}
        self.loops: dict[int, tuple] = {}
        self.noted: set[int] = set()
        self.mentions = mentions
        self.nodes: list[Any] = []                       # all of them: the id of one that has gone would be that of another
        if any(isinstance(s, (gast.For, gast.While)) for s, *_ in mentions.all):
            self.nodes = [node for s in body for node in t.walk(s)]
            self.block(body, ())

    def written(self, s: Any) -> list[str]:
        return [n for x in t.statements([s]) for n in self.mentions.of[id(x)][0]]

    def block(self, block: list, around: tuple) -> None:
        last: dict[str, Any] = {}                        # names -> the assignment of this block that has given them their value
        for s in block:
            inner = (*around, id(s)) if isinstance(s, (gast.For, gast.While)) else around
            if isinstance(s, gast.Assign):
                self.reads(s, {name: id(found) for name, found in last.items()}, self.after)
                for name in self.mentions.of[id(s)][0]:
                    last.pop(name, None)
                if t.is_name(s.targets[0]):
                    last[s.targets[0].id] = s
                continue
            changed = self.written(s)
            before = dict(last)
            for name in changed:
                last.pop(name, None)
            self.reads(s, {name: id(found) for name, found in last.items()}, self.after)
            if inner != around:
                self.turn(s, inner, before, changed)
            for body in t.inner_blocks(s):
                self.block(body, inner)

    def reads(self, s: Any, known: dict[str, Any], table: dict[int, Any]) -> None:
        """Note where a statement reads names of which something is known."""
        if known and not known.keys().isdisjoint(n for x in t.statements([s]) for n in self.mentions.of[id(x)][1]):
            for node in t.walk(s):
                if node.__class__ is gast.Name and node.id in known and not isinstance(node.ctx, gast.Store):
                    table.setdefault(id(node), known[node.id])
                    if table is self.after:
                        self.noted.add(known[node.id])

    def turn(self, s: Any, inner: tuple, before: dict[str, Any], changed: list[str]) -> None:
        """Note what a loop hands on that is assigned once in a turn, in the block of its body."""
        self.loops[id(s)] = inner
        for place, x in enumerate(s.body):
            name = x.targets[0].id if isinstance(x, gast.Assign) and t.is_name(x.targets[0]) else None
            if name is None or changed.count(name) != 1 or name not in before:
                continue
            self.ends[id(s), name] = id(before[name]), id(x)
            self.noted |= {id(before[name]), id(x)}
            for y in s.body[:place]:
                self.reads(y, {name: (id(s), name)}, self.begins)
            self.reads(x, {name: (id(s), name)}, self.begins)


def fixed_names(body: list, parameters: Iterable[str], mentions: t.Mentions) -> set[str]:
    """Names that have one value throughout a call: parameters and what is assigned once, outside of loops."""
    times: dict[str, int] = dict.fromkeys(parameters, 1)
    for _, written, _ in mentions.all:
        for name in written:
            times[name] = times.get(name, 0) + 1
    inside = {n for s in body for n in _in_loops(s, mentions)}
    return {n for n, count in times.items() if count == 1 and n not in inside}


def _in_loops(s: Any, mentions: t.Mentions) -> set[str]:
    """The names that the loops in a statement assign."""
    if isinstance(s, (gast.For, gast.While)):
        return {n for x in t.statements([s]) for n in mentions.of[id(x)][0]}
    return {n for inner in t.inner_blocks(s) for x in inner for n in _in_loops(x, mentions)} if isinstance(s, gast.If) else set()


def turns(body: list, mentions: t.Mentions) -> tuple[set[str], dict[str, tuple]]:
    """For names that live within one turn of a loop: the loops around, from the outermost (those assigned once apart).

    All that mentions such a name is in one block, after an assignment to it there."""
    if not any(isinstance(s, (gast.For, gast.While)) for s, *_ in mentions.all):
        return set(), {}
    written: dict[str, int] = {}
    mentioned: dict[str, int] = {}
    for _, names, reads in mentions.all:
        for name in names:
            written[name] = written.get(name, 0) + 1
            mentioned[name] = mentioned.get(name, 0) + 1
        for name in reads:
            mentioned[name] = mentioned.get(name, 0) + 1
    homes: dict[str, tuple] = {}
    for s in body:                                              # what is outside of loops lives on
        if isinstance(s, (gast.For, gast.While, gast.If)):
            _count_mentions([s], (), mentions, mentioned, homes)
    return {name for name in homes if written[name] == 1}, homes


def _count_mentions(block: list, around: tuple, mentions: t.Mentions, mentioned: dict[str, int],
                    homes: dict[str, tuple]) -> dict[str, int]:
    """How often each name is mentioned in a block. mentioned: how often in the function; homes: gets the names of `turns`."""
    later: dict[str, int] = {}
    for s in reversed(block):
        names, reads = mentions.of[id(s)]
        inside = around
        if s.__class__ is not gast.Assign:
            inside = (*around, id(s)) if isinstance(s, (gast.For, gast.While)) else around
            for inner in t.inner_blocks(s):
                if not inside and not any(isinstance(x, (gast.For, gast.While, gast.If)) for x in inner):
                    continue                                # no loop around, and none in it
                for name, count in _count_mentions(inner, inside, mentions, mentioned, homes).items():
                    later[name] = later.get(name, 0) + count
        for name in reads:
            later[name] = later.get(name, 0) + 1
        for name in names:
            later[name] = later.get(name, 0) + 1
            if inside and later[name] == mentioned[name] and name not in reads:
                homes[name] = inside
    return later


def own_size(name: str, kind: Kind | None) -> Kind | None:
    """What is known of an int or an array that stays the same: sizes that are not known are at least its own."""
    if not isinstance(kind, k.Num):
        return kind
    if kind.boxed and kind.dims and None in kind.dims:
        dims = tuple(f"?{name}.{axis}" if dim is None else dim for axis, dim in enumerate(kind.dims))
        return replace(kind, dims=dims)
    return k.Num("pyint", (), False, f"?{name}") if kind.dtype == "pyint" and kind.size is None else kind


def _is_own(size: str) -> bool:
    return "?" in size


@k.once
def _has_own_sizes(kind: Any) -> bool:
    if isinstance(kind, k.Num):
        return any(isinstance(size, str) and _is_own(size) for size in (kind.size, *(kind.dims or ())))
    return any(map(_has_own_sizes, k.parts(kind)))


def without_own_sizes(kind: Any, lost: Callable[[str], bool] = _is_own) -> Any:
    """What is known of a value outside of the function, or where some sizes are lost."""
    if not _has_own_sizes(kind):
        return kind
    if isinstance(kind, k.Num):
        size = None if isinstance(kind.size, str) and lost(kind.size) else kind.size
        return replace(kind, size=size, dims=kind.dims and tuple(None if isinstance(d, str) and lost(d) else d for d in kind.dims))
    return k.mapped(lambda part: without_own_sizes(part, lost), kind)


class Literals:
    """Kinds of such lists with all their items."""

    def __init__(self, facts: Any) -> None:
        self._facts = weakref.ref(facts)                        # (a cycle would be garbage that waits for the collector)

    @property
    def facts(self) -> Any:
        return self._facts()

    @functools.cached_property
    def lists(self) -> dict[str, gast.List]:
        """The list displays that have a name, which is assigned and read once."""
        found: dict[str, gast.List] = {}
        times: dict[str, int] = {}
        for s in t.statements(self.facts.unit.tree.body):
            for name in (*t.writes(s), *t.header_reads(s)):
                times[name] = times.get(name, 0) + 1
            if isinstance(s, gast.Assign) and isinstance(s.value, gast.List) and isinstance(s.targets[0], gast.Name):
                found[s.targets[0].id] = s.value
        return {name: value for name, value in found.items() if times[name] == 2}

    def of(self, node: Any) -> Kind | None:
        """The kind of a list as that of a tuple; None if it is no such list, or not all of it is known."""
        value = self.lists.get(node.id) if isinstance(node, gast.Name) else None
        if value is None or not value.elts or any(isinstance(item, gast.Starred) for item in value.elts):
            return None
        items = [self.of(item) or self.facts.of(item) for item in value.elts]
        return None if any(item is None for item in items) else k.Tup(tuple(items))


def length(kind: Kind | None) -> int | None:
    """How many items a value of this kind has, if that is known: tuples, arrays of known size."""
    if isinstance(kind, k.Tup):
        return len(kind.items)
    first = kind.dims[0] if isinstance(kind, k.Num) and kind.dims else None
    return first if isinstance(first, int) else None


def defaults_kind(values: Any) -> Kind:
    """The kind of the defaults of a function: of those that cannot change."""
    if isinstance(values, dict):
        return k.Dct(tuple((name, _fixed(value)) for name, value in values.items()))
    return k.Tup(tuple(map(_fixed, values))) if isinstance(values, tuple) else k.ANY


def _fixed(value: Any) -> Kind:
    if type(value) is tuple:
        return k.Tup(tuple(map(_fixed, value)))
    fixed = value is None or type(value) in (int, float, bool, complex, str) or isinstance(value, enum.Enum)
    return k.as_num(k.kind_of(value)) if fixed else k.ANY
