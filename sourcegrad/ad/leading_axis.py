"""Functions whose tangents have a leading axis: how each of them is written then.

`HANDLERS[function](batch, call)` gives the call with a leading axis in the place of one whose tangent is the argument. They raise
`Unknown` where ranks or options are not known; `ad.batch` then writes a loop.
"""
from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t

if TYPE_CHECKING:
    from sourcegrad.ad.batch import Batch

HANDLERS: dict[Any, Callable[[Any, Any], Any]] = {}


class Unknown(Exception):
    """An operation that has no form with a leading axis, as far as it is known."""


class Alone(UnsupportedError):
    """A function whose directions go through it one by one."""


def leading(*functions: Any) -> Callable[[Callable], Callable]:
    """Note how functions are written."""

    def note(handler: Callable) -> Callable:
        HANDLERS.update(dict.fromkeys(functions, handler))
        return handler

    return note


def whole() -> gast.Slice:
    """`:`"""
    return gast.Slice(lower=None, upper=None, step=None)


def options_of(call: gast.Call, *names: str) -> dict[str, Any]:
    """The arguments of a call by name."""
    if any(isinstance(x, gast.Starred) for x in call.args) or len(call.args) > len(names):
        raise Unknown(call)
    found = dict(zip(names, call.args))
    for kw in call.keywords:
        if kw.arg not in names or kw.arg in found:
            raise Unknown(call)
        found[kw.arg] = kw.value
    return found


def moving(batch: Batch, node: Any, *others: Any) -> Any:
    """The new form of the one argument that is a tangent; the others are none."""
    if any(x is not None and batch.reads_batch(x) for x in others):
        raise Unknown(node)
    new, moves = batch.expression(node)
    if not moves:
        raise Unknown(node)
    return new


def constant(batch: Batch, node: Any, default: Any = None) -> Any:
    """The value of an option that is known when the code is generated."""
    if node is None:
        return default
    kind = batch.facts.of(node)
    if isinstance(kind, k.Const):
        return kind.value
    if isinstance(node, gast.Constant):
        return node.value
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return -constant(batch, node.operand)
    if isinstance(node, (gast.Tuple, gast.List)):
        return tuple(constant(batch, item) for item in node.elts)
    raise Unknown(node)


def later(axis: Any, rank: int) -> Any:
    """An axis, or several, behind the leading one."""
    if isinstance(axis, tuple):
        return tuple(later(x, rank) for x in axis)
    if type(axis) is not int or not -rank <= axis < rank:
        raise Unknown(axis)
    return axis % rank + 1


def spelled(value: Any) -> Any:
    """A constant or tuple of such as an expression."""
    return t.pack([*map(spelled, value)]) if isinstance(value, tuple) else t.const(value)


def again(call: gast.Call, *args: Any, **options: Any) -> gast.Call:
    return gast.Call(func=t.clone(call.func), args=list(args), keywords=[t.keyword(n, x) for n, x in options.items()])


@leading(np.sum, np.mean)
def reduction(batch: Batch, call: gast.Call) -> Any:
    """np.sum(x_dot, axis=(1, 2))"""
    given = options_of(call, "a", "axis", "keepdims")
    new, rank = moving(batch, given["a"]), batch.rank(given["a"])
    axis = constant(batch, given.get("axis"))
    axes = tuple(range(1, rank + 1)) if axis is None else later(axis, rank)
    keeps = {"keepdims": t.clone(given["keepdims"])} if "keepdims" in given else {}
    if not rank:
        return new
    return again(call, new, axis=spelled(axes[0] if type(axes) is tuple and len(axes) == 1 else axes), **keeps)


@leading(np.cumsum)
def accumulation(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "axis")
    new, rank, axis = moving(batch, given["a"]), batch.rank(given["a"]), constant(batch, given.get("axis"))
    if axis is None and rank != 1:
        raise Unknown(call)
    return again(call, new, axis=spelled(1 if axis is None else later(axis, rank)))


@leading(np.diff)
def difference(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "n", "axis")
    axis = later(constant(batch, given.get("axis"), -1), batch.rank(given["a"]))
    order = [t.clone(given["n"])] if "n" in given else []
    return again(call, moving(batch, given["a"]), *order, axis=spelled(axis))


@leading(np.flip, np.roll)
def along_an_axis(batch: Batch, call: gast.Call) -> Any:
    shifts = batch.unit.lookup(call.func) is np.roll
    given = options_of(call, "m", *["shift"] * shifts, "axis")
    rank, axis = batch.rank(given["m"]), constant(batch, given.get("axis"))
    if axis is None and shifts and rank != 1:
        raise Unknown(call)
    axes = tuple(range(1, rank + 1)) if axis is None else later(axis, rank)
    extra = [t.clone(given["shift"])] if shifts else []
    return again(call, moving(batch, given["m"]), *extra, axis=spelled(axes[0] if type(axes) is tuple and len(axes) == 1 else axes))


@leading(np.matmul, operator.matmul)
def product(batch: Batch, call: gast.Call) -> Any:
    """x_dot @ A, and x_dot @ A.T in the place of A @ x_dot"""
    given = options_of(call, "x1", "x2")
    left, right = given["x1"], given["x2"]
    ranks = batch.rank(left), batch.rank(right)
    (one, moves), (other, moves_too) = batch.expression(left), batch.expression(right)
    if 0 in ranks or moves and moves_too:
        raise Unknown(call)
    if moves and ranks[0] < ranks[1] and ranks[1] > 2 or moves_too and ranks[1] < ranks[0] and ranks[0] > 2 or (
            moves and ranks[0] == 1 == ranks[1]):
        if ranks != (1, 1):
            raise Unknown(call)
    if moves_too and ranks == (2, 1):
        return t.binop(other, gast.MatMult(), t.attribute(one, "T"))
    if moves_too and ranks == (1, 1):
        return t.binop(other, gast.MatMult(), one)
    if max(ranks) > 2 and ranks[0] != ranks[1] and (moves and ranks[0] < ranks[1] or moves_too and ranks[1] < ranks[0]):
        raise Unknown(call)
    return t.binop(one, gast.MatMult(), other)


@leading(np.dot)
def dot(batch: Batch, call: gast.Call) -> Any:
    """As a matrix product, up to rank 2, and as a multiple"""
    given = options_of(call, "a", "b")
    ranks = batch.rank(given["a"]), batch.rank(given["b"])
    if 0 in ranks:
        return t.binop(batch.operands([given["a"], given["b"]])[0], gast.Mult(), batch.operands([given["a"], given["b"]])[1])
    if max(ranks) > 2:
        raise Unknown(call)
    return product(batch, gast.Call(func=call.func, args=[given["a"], given["b"]], keywords=[]))


@leading(np.outer)
def outer(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "b")
    if (batch.rank(given["a"]), batch.rank(given["b"])) != (1, 1):
        raise Unknown(call)
    (one, moves), (other, moves_too) = batch.expression(given["a"]), batch.expression(given["b"])
    left = t.subscript(one, t.pack([*(whole() for _ in range(1 + moves)), t.const(None)]))
    right = t.subscript(other, t.pack([whole(), t.const(None), whole()])) if moves_too else other
    return t.binop(left, gast.Mult(), right)


@leading(np.transpose)
def transpose(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "axes")
    new, rank, axes = moving(batch, given["a"]), batch.rank(given["a"]), constant(batch, given.get("axes"))
    if rank < 2 and axes is None:
        return new
    order = later(tuple(range(rank))[::-1] if axes is None else tuple(axes), rank)
    return batch.numpy("transpose", new, spelled((0, *order)))


@leading(np.swapaxes, np.moveaxis)
def axes_moved(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "one", "other")
    new, rank = moving(batch, given["a"]), batch.rank(given["a"])
    return again(call, new, *(spelled(later(constant(batch, given[n]), rank)) for n in ("one", "other")))


@leading(np.reshape)
def reshape(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "shape")
    new, shape = moving(batch, given["a"], given["shape"]), given["shape"]
    if isinstance(shape, (gast.Tuple, gast.List)):
        return again(call, new, t.pack([batch.directions(), *map(t.clone, shape.elts)]))
    kind = batch.facts.of(shape)
    if isinstance(kind, k.Tup) or isinstance(kind, k.Const) and isinstance(kind.value, tuple):
        return again(call, new, batch.shaped(t.clone(shape)))
    if isinstance(k.as_num(kind or k.ANY), k.Num):
        return again(call, new, t.pack([batch.directions(), t.clone(shape)]))
    raise Unknown(call)


@leading(np.ravel)
def ravel(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a")
    return batch.numpy("reshape", moving(batch, given["a"]), t.pack([batch.directions(), t.const(-1)]))


@leading(np.expand_dims)
def expand(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "axis")
    axis, rank = constant(batch, given["axis"]), batch.rank(given["a"])
    return again(call, moving(batch, given["a"]), spelled(later(axis, rank + 1)))


@leading(np.squeeze)
def squeeze(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "axis")
    return again(call, moving(batch, given["a"]), axis=spelled(later(constant(batch, given.get("axis")), batch.rank(given["a"]))))


def listed(batch: Batch, node: Any) -> tuple[Any, list[int]]:
    """A list of arrays as a list of batches, with the ranks of its items."""
    if isinstance(node, (gast.List, gast.Tuple)) and not any(isinstance(x, gast.Starred) for x in node.elts):
        return gast.List(elts=[batch.batch(x) for x in node.elts], ctx=t.LOAD), [batch.rank(x) for x in node.elts]
    kind = batch.kind(node)
    items = kind.items if isinstance(kind, k.Tup) else (kind.item,) if isinstance(kind, k.Lst) else ()
    numbers = [k.as_num(item or k.ANY) for item in items]
    ranks = [0 if n.is_scalar else n.ndim for n in numbers if isinstance(n, k.Num)]
    if not numbers or len(ranks) < len(numbers) or None in ranks:
        raise Unknown(node)
    return moving(batch, node), ranks                        # type: ignore[return-value]


@leading(np.pad)
def padded(batch: Batch, call: gast.Call) -> Any:
    """np.pad(x_dot, ((0, 0), (1, 2)), mode="edge")"""
    given = options_of(call, "array", "pad_width", "mode", "constant_values")
    values = given.get("constant_values")
    new, rank = moving(batch, given["array"], values), batch.rank(given["array"])
    if values is not None and batch.rank(values) or not rank:
        raise Unknown(call)
    widths = pairs(batch, given["pad_width"], rank)
    options = {n: t.clone(given[n]) for n in ("mode", "constant_values") if n in given}
    return again(call, new, t.pack([t.pack([t.const(0), t.const(0)]), *widths]), **options)


def pairs(batch: Batch, widths: Any, rank: int) -> list:
    """How wide an array is padded on both sides of each axis, from what NumPy takes for it: a number, a pair, a pair for each."""
    items = widths.elts if isinstance(widths, (gast.Tuple, gast.List)) else None
    if items is None:
        try:
            items = spelled(constant(batch, widths)).elts
        except (Unknown, AttributeError):
            if batch.rank(widths):
                raise Unknown(widths) from None
            items = [widths, widths]
    if len(items) == 2 and not any(isinstance(x, (gast.Tuple, gast.List)) for x in items):
        for x in items:
            if batch.rank(x):
                raise Unknown(widths)
        return [t.pack([*map(t.clone, items)]) for _ in range(rank)]
    if len(items) in (1, rank) and all(isinstance(x, (gast.Tuple, gast.List)) and len(x.elts) == 2 for x in items):
        return [t.clone(x) for x in (items * rank if len(items) == 1 else items)]
    raise Unknown(widths)


@leading(np.repeat)
def repeated(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "repeats", "axis")
    new, rank, axis = moving(batch, given["a"], given["repeats"]), batch.rank(given["a"]), constant(batch, given.get("axis"))
    if not rank or axis is None and rank != 1:
        raise Unknown(call)
    return again(call, new, t.clone(given["repeats"]), axis=spelled(1 if axis is None else later(axis, rank)))


@leading(np.take)
def taken(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "indices", "axis")
    new, rank, axis = moving(batch, given["a"], given["indices"]), batch.rank(given["a"]), constant(batch, given.get("axis"))
    if axis is None and rank != 1:
        raise Unknown(call)
    return again(call, new, t.clone(given["indices"]), axis=spelled(1 if axis is None else later(axis, rank)))


@leading(np.tril, np.triu)
def triangle(batch: Batch, call: gast.Call) -> Any:
    """Of each matrix"""
    given = options_of(call, "m", "k")
    if batch.rank(given["m"]) < 2:
        raise Unknown(call)
    return again(call, moving(batch, given["m"], given.get("k")), *([t.clone(given["k"])] if "k" in given else []))


@leading(np.trace, np.diagonal)
def diagonals(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a", "offset", "axis1", "axis2")
    new, rank = moving(batch, given["a"], given.get("offset")), batch.rank(given["a"])
    offset = t.clone(given["offset"]) if "offset" in given else t.const(0)
    axes = [later(constant(batch, given.get(n), j), rank) for j, n in enumerate(("axis1", "axis2"))]
    return again(call, new, offset, *map(spelled, axes))


@leading(np.broadcast_to)
def spread(batch: Batch, call: gast.Call) -> Any:
    """np.broadcast_to(x_dot[:, None], (directions, n, m))"""
    given = options_of(call, "array", "shape")
    new, rank, shape = moving(batch, given["array"], given["shape"]), batch.rank(given["array"]), given["shape"]
    if isinstance(shape, (gast.Tuple, gast.List)):
        wanted, whole_shape = len(shape.elts), t.pack([batch.directions(), *map(t.clone, shape.elts)])
    else:
        wanted, whole_shape = length_of(batch, shape), batch.shaped(t.clone(shape))
    return again(call, batch.aligned(new, rank, wanted), whole_shape)


def length_of(batch: Batch, shape: Any) -> int:
    """How many sizes a shape has that is no display."""
    kind = batch.facts.of(shape)
    if isinstance(kind, k.Tup):
        return len(kind.items)
    if isinstance(kind, k.Const) and isinstance(kind.value, tuple):
        return len(kind.value)
    raise Unknown(shape)


@leading(np.concatenate, np.stack)
def joined(batch: Batch, call: gast.Call) -> Any:
    stacks = batch.unit.lookup(call.func) is np.stack
    given = options_of(call, "arrays", "axis")
    items, ranks = listed(batch, given["arrays"])
    axis = constant(batch, given.get("axis"), 0)
    return again(call, items, axis=spelled(later(axis, ranks[0] + stacks)))


@leading(np.hstack)
def side_by_side(batch: Batch, call: gast.Call) -> Any:
    items, ranks = listed(batch, options_of(call, "tup")["tup"])
    if 0 in ranks:
        raise Unknown(call)
    return batch.numpy("concatenate", items, axis=t.const(min(ranks[0], 2)))


@leading(np.vstack)
def below_each_other(batch: Batch, call: gast.Call) -> Any:
    items, ranks = listed(batch, options_of(call, "tup")["tup"])
    if set(ranks) not in ({1}, {2}):
        raise Unknown(call)
    return batch.numpy("stack" if ranks[0] == 1 else "concatenate", items, axis=t.const(1))


@leading(np.array, np.asarray)
def made_of(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "a")
    node = given["a"]
    if isinstance(node, (gast.List, gast.Tuple)) or isinstance(batch.kind(node), (k.Lst, k.Tup)):
        items, ranks = listed(batch, node)
        if len(set(ranks)) != 1:
            raise Unknown(call)
        return batch.numpy("stack", items, axis=t.const(1))
    batch.rank(node)                                         # a number or an array
    return again(call, moving(batch, node))


@leading(np.copy, runtime.own)
def copied(batch: Batch, call: gast.Call) -> Any:
    if len(call.args) != 1 or call.keywords:
        raise Unknown(call)
    batch.rank(call.args[0])
    return batch.numpy("copy", moving(batch, call.args[0]))


@leading(np.linalg.solve)
def solved(batch: Batch, call: gast.Call) -> Any:
    """All right-hand sides at once"""
    given = options_of(call, "a", "b")
    ranks, new = (batch.rank(given["a"]), batch.rank(given["b"])), moving(batch, given["b"], given["a"])
    if ranks == (2, 1):
        return t.attribute(again(call, t.clone(given["a"]), t.attribute(new, "T")), "T")
    if ranks == (2, 2):
        return again(call, t.clone(given["a"]), new)
    raise Unknown(call)


@leading(np.einsum)
def contraction(batch: Batch, call: gast.Call) -> Any:
    """The operand that moves has an index of its own, which comes first in the result."""
    text = constant(batch, call.args[0])
    if not isinstance(text, str) or "..." in text or call.keywords or "->" not in text:
        raise Unknown(call)
    inputs, output = text.replace(" ", "").split("->")
    found = [batch.expression(x) for x in call.args[1:]]
    letter = next(c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in text)
    letters = [letter + part if moves else part for part, (_, moves) in zip(inputs.split(","), found, strict=True)]
    return again(call, t.const(f"{','.join(letters)}->{letter}{output}"), *(new for new, _ in found))


@leading(runtime.broadcast_like)
def broadcast(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "ct", "x")
    new, rank, wanted = moving(batch, given["ct"], given["x"]), batch.rank(given["ct"]), batch.rank(given["x"])
    if rank > wanted:
        raise Unknown(call)
    if not wanted:
        return new
    shape = t.attribute(t.clone(given["x"]), "shape")
    return batch.numpy("broadcast_to", batch.aligned(new, rank, wanted), batch.shaped(shape))


@leading(runtime.unbroadcast)
def summed_to(batch: Batch, call: gast.Call) -> Any:
    """Beside an array of the shape that is wanted in each direction"""
    given = options_of(call, "ct", "x")
    new, rank, wanted = moving(batch, given["ct"], given["x"]), batch.rank(given["ct"]), batch.rank(given["x"])
    number = batch.number(given["x"])
    if rank != wanted or not rank or not number.boxed or number.is_complex is not False:
        raise Unknown(call)
    shape = batch.shaped(t.attribute(t.clone(given["x"]), "shape"))
    return again(call, new, batch.numpy("broadcast_to", t.clone(given["x"]), shape))


@leading(np.cross)
def crossed(batch: Batch, call: gast.Call) -> Any:
    """Of vectors along the last axis"""
    given = options_of(call, "a", "b")
    left, right = batch.operands([given["a"], given["b"]])
    if not batch.rank(given["a"]) or not batch.rank(given["b"]):
        raise Unknown(call)
    return again(call, left, right)


@leading(runtime.cross_adjoint)
def crossed_back(batch: Batch, call: gast.Call) -> Any:
    """Beside vectors of the shape that is wanted in each direction"""
    given = options_of(call, "ct", "a", "b")
    number = batch.number(given["a"])
    if batch.reads_batch(given["a"]) or len({batch.rank(x) for x in given.values()}) > 1 or not batch.rank(given["a"]) or not (
            number.boxed and number.is_complex is False):
        raise Unknown(call)
    shape = batch.shaped(t.attribute(t.clone(given["a"]), "shape"))
    new, other = batch.operands([given["ct"], given["b"]])
    return again(call, new, batch.numpy("broadcast_to", t.clone(given["a"]), shape), other)


@leading(runtime.as_gradient)
def gradient(batch: Batch, call: gast.Call) -> Any:
    """In memory of its own, in the shape of the input"""
    given = options_of(call, "gradient", "x")
    numbers = batch.number(given["x"]), batch.number(given["gradient"])
    if all(isinstance(number, k.Num) and number.is_complex is False for number in numbers):
        new, rank, wanted = moving(batch, given["gradient"], given["x"]), batch.rank(given["gradient"]), batch.rank(given["x"])
        if rank == wanted:
            return batch.numpy("copy", new) if wanted else new
    raise Unknown(call)


@leading(runtime.check_cotangent)
def checked(batch: Batch, call: gast.Call) -> Any:
    """The zero weights were checked, and these have their shapes"""
    return moving(batch, options_of(call, "ct", "value")["ct"])


@leading(runtime.index_set, runtime.index_add)
def stored(batch: Batch, call: gast.Call) -> Any:
    """A store into all directions"""
    given = options_of(call, "base", "index", "value")
    if batch.reads_batch(given["index"]):
        raise Unknown(call)
    kind = batch.kind(given["base"])
    if any(batch.unit.lookup(node) is runtime.at for node in t.walk(given["index"]) if isinstance(node, gast.Name)):
        raise Unknown(call)                                  # a path to a part of a part
    if isinstance(kind, (k.Lst, k.Tup, k.Dct, k.Map)):
        if batch.unit.lookup(call.func) is runtime.index_add:
            raise Unknown(call)
        return again(call, batch.batch(given["base"]), t.clone(given["index"]), batch.item(given["value"]))
    if not isinstance(k.as_num(kind), k.Num):
        raise Unknown(call)
    index = given["index"]
    numpy_index = isinstance(index, gast.Subscript) and isinstance(index.value, gast.Attribute) and index.value.attr == "s_"
    slot = batch.facts.of(t.subscript(t.clone(given["base"]), t.clone(index.slice if numpy_index else index)))
    slot = k.as_num(slot or k.ANY)
    if not isinstance(slot, k.Num) or slot.ndim is None:
        raise Unknown(call)
    place = batch.place(index)
    value, moves = batch.expression(given["value"])
    if moves:
        rank = batch.rank(given["value"])
        if rank > slot.ndim:
            raise Unknown(call)
        value = batch.aligned(value, rank, slot.ndim)
    elif not isinstance(batch.number(given["value"]), k.Num):
        raise Unknown(call)
    return again(call, batch.batch(given["base"]), place, value)


@leading(builtins.float, np.float64)
def number(batch: Batch, call: gast.Call) -> Any:
    given = options_of(call, "x")
    if batch.rank(given["x"]):
        raise Unknown(call)
    return moving(batch, given["x"])


@leading(builtins.sum)
def sum_of_items(batch: Batch, call: gast.Call) -> Any:
    items, ranks = listed(batch, options_of(call, "items")["items"])
    if len(set(ranks)) != 1:
        raise Unknown(call)
    return again(call, items)


@leading(runtime.add)
def added(batch: Batch, call: gast.Call) -> Any:
    """Of numbers and arrays, a sum"""
    left, right = batch.operands(list(options_of(call, "a", "b").values()))
    return t.binop(left, gast.Add(), right)
