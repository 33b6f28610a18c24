"""Kinds of indexed arrays: which dimensions an index keeps, drops, slices or adds."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.kinds import Kind, results
from sourcegrad.kinds.sizes import minus


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
