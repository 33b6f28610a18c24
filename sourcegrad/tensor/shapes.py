"""Shapes, indexing, views and changes in place: what shares memory shares a version, and history follows the memory.

A view knows the Tensor that it is a view of, how it is made from it, and how a new value of it is put back. A change in place
computes the new value as a recorded operation, writes it into the memory, and gives the Tensor (and the base of a view) the
history of the new value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import TensorIndexError, TensorValueError, origin_at, refuse, refuse_type, refuse_value, user_place
from sourcegrad.tensor.core import INFERENCE, ORIGINS, REMEDY, Tensor, as_array, constant
from sourcegrad.tensor.node import FREED, STATE
from sourcegrad.tensor.operations import (
    CALL,
    FUNCTIONS,
    METHODS,
    OPERATIONS as O,
    a_tensor,
    axis,
    public,
    sizes_of,
    variadic,
)


def linked(view: Tensor, parent: Tensor, make: Callable | None, back: Callable | None, origin: str = "",
           shares: bool = False) -> Tensor:
    """Remember that a Tensor is a view, if it is one. make(parent) is the view; back(parent, value) is the parent with another
    value of it; origin: as `Tensor._origin`."""
    if shares or view._data.base is not None and np.may_share_memory(view._data, parent._data):
        view._base = parent if parent._base is None else parent._base
        view._view = (parent, make, back)
        view._counter = parent._counter
        view._seen = view._counter[0]
        view._inference = parent._inference
        view._origin = origin or ("" if STATE.grad else "no_grad") or parent._origin
    return view


def check_change(x: Tensor, recorded: bool) -> None:
    """Refuse changes that are recorded of leaves that require a gradient, and of views whose history they would lose."""
    base = x._base
    if x._inference and not STATE.inference and STATE.grad:
        refuse("Inplace update to inference tensor outside InferenceMode is not allowed.", INFERENCE)
    if base is not None and x._view[2] is None and not x._origin:
        refuse("more than one element of the written-to tensor refers to a single memory location.", REMEDY)
    if not recorded:
        return
    if base is not None and x._origin:
        refuse(f"{ORIGINS[x._origin]} and is being modified inplace, which is not allowed.", REMEDY)
    if base is not None and base._rg and base._grad_fn is None:
        refuse("a view of a leaf Variable that requires grad is being used in an in-place operation.",
               "Change it inside `with sg.no_grad():`, or a copy of it.")
    if x._rg and x.grad_fn is None:
        refuse("a leaf Variable that requires grad is being used in an in-place operation.",
               "Change it inside `with sg.no_grad():`, or write x = x + 1 instead of x += 1.")


def change(x: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """x becomes compute(x), in place."""
    check_change(x, STATE.grad and x.requires_grad)
    old = alias(x)
    new = compute(old)
    if new._data.shape != x._data.shape:
        refuse(f"output with shape {list(x._data.shape)} doesn't match the broadcast shape {list(new._data.shape)}")
    if not np.can_cast(new._data.dtype, x._data.dtype, "same_kind"):
        refuse(f"result type {new._data.dtype} can't be cast to the desired output type {x._data.dtype}")
    recorded = STATE.grad and (new._rg or x.requires_grad)
    check_change(x, recorded)
    if recorded:
        keep_saved(new._grad_fn, x._data)
        if new._data.dtype != x._data.dtype and new._rg:
            new = new.to(x._data.dtype)  # type: ignore[attr-defined]
        whole = put_back(x, new)
    np.copyto(x._data, new._data, casting="same_kind")
    x._counter[0] += 1
    if recorded:
        rebase(x, whole)
    return x


def alias(x: Tensor) -> Tensor:
    """The value before the change: the same memory and history, but a version of its own."""
    old = constant(x._data)
    if x.requires_grad:
        if x._base is not None and x._grad_fn is not None and x._grad_fn.extras is not None:
            x._renew()  # what is hooked to the view stays with it: its value after the change is another one
        old._grad_fn, old._nr, old._rg = *x._edge(), True
    return old


def keep_saved(node: Any, memory: np.ndarray) -> None:
    """Copy what a node has saved of memory that is about to change."""
    if node is None or not hasattr(node, "saved") or node.saved is FREED or not isinstance(node.saved, tuple):
        return
    node.saved = tuple([part.copy() if isinstance(part, np.ndarray) and np.may_share_memory(part, memory) else part
                        for part in node.saved])
    if node.args is not None:
        node.args = tuple([copied(part, memory) for part in node.args])


def copied(part: Any, memory: np.ndarray) -> Any:
    if isinstance(part, Tensor) and np.may_share_memory(part._data, memory) and part._counter[0] == 0 and part._base is None:
        other = constant(part._data.copy())
        other._grad_fn, other._nr, other._rg = part._grad_fn, part._nr, part._rg
        return other
    return part


def put_back(x: Tensor, new: Tensor) -> Tensor:
    """The base of a view with another value of the view."""
    while x._view is not None:
        parent, _, back = x._view
        new = back(alias(parent), new)
        x = parent
    return new


def rebase(x: Tensor, whole: Tensor) -> None:
    """Give x, or the base that it is a view of, the history of a changed value."""
    if x._base is None:
        x._rebase(whole)
    else:
        x._base._rebase(whole)
        x._renew()  # its node is the view of the new base from now on


def view(operation: Any, x: Tensor, options: dict, back: Callable | None) -> Tensor:
    """An operation that may give a view of x."""
    found = operation(x, **options)
    return linked(found, x, lambda parent: operation(parent, **options), back)


def as_before(parent: Tensor, value: Tensor) -> Tensor:
    """A value of a reshaped view in the shape of its parent."""
    return O["reshape"](value, shape=tuple(parent._data.shape))


@public
def reshape(x: Any, *shape: Any) -> Tensor:
    """The elements in another shape; -1 stands for what is left."""
    x = a_tensor(x)
    sizes = full_shape(x, sizes_of(shape))
    return view(O["reshape"], x, {"shape": sizes}, as_before)


def full_shape(x: Tensor, sizes: tuple) -> tuple:
    if -1 in sizes:
        known = int(np.prod([n for n in sizes if n != -1], dtype=int))
        if sizes.count(-1) > 1:
            refuse("only one dimension can be inferred")
        if known == 0 or x._data.size % known:
            refuse(f"shape '{list(sizes)}' is invalid for input of size {x._data.size}")
        return tuple(x._data.size // known if n == -1 else n for n in sizes)
    if int(np.prod(sizes, dtype=int)) != x._data.size:
        refuse(f"shape '{list(sizes)}' is invalid for input of size {x._data.size}")
    return sizes


def _view(x: Tensor, *shape: Any) -> Tensor:
    """`reshape`, or the Tensor in another dtype."""
    if len(shape) == 1 and isinstance(shape[0], (np.dtype, type)):
        return constant(x._data.view(shape[0]))
    if not x._data.flags.c_contiguous and not np.may_share_memory(np.reshape(x._data, full_shape(x, sizes_of(shape))), x._data):
        refuse(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces).",
            "Use .reshape(...) instead.",
        )
    return reshape(x, *shape)


METHODS["view"] = _view
METHODS["view_as"] = METHODS["reshape_as"] = lambda x, other: reshape(x, *other._data.shape)


@public
def flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    x = a_tensor(x)
    if x._data.ndim == 0:
        return reshape(x, 1)
    first, last = axis(x, start_dim), axis(x, end_dim)
    shape = x._data.shape
    if first > last:
        refuse("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return x
    return reshape(x, *shape[:first], int(np.prod(shape[first : last + 1], dtype=int)), *shape[last + 1 :])


METHODS["ravel"] = flatten


@public
def unflatten(x: Any, dim: int, sizes: Any) -> Tensor:
    shape, d = x._data.shape, axis(x, dim)
    return reshape(x, *shape[:d], *sizes, *shape[d + 1 :])


@public
def permute(x: Any, *dims: Any) -> Tensor:
    """The dimensions in another order."""
    x = a_tensor(x)
    order = axis(x, sizes_of(dims))
    if len(order) != x._data.ndim:
        refuse(
            "permute(): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions "
            f"i.e. input.dim() = {x._data.ndim} is not equal to len(dims) = {len(order)}"
        )
    inverse = tuple(int(n) for n in np.argsort(order))
    return view(O["permute"], x, {"dims": order}, lambda parent, value: O["permute"](value, dims=inverse))


@public
def transpose(x: Any, dim0: Any, dim1: Any) -> Tensor:
    """Two dimensions exchanged."""
    return _swapped(O["transpose"], a_tensor(x), dim0, dim1)


def _swapped(operation: Any, x: Tensor, dim0: Any, dim1: Any) -> Tensor:
    options = {"dim0": axis(x, dim0), "dim1": axis(x, dim1)}
    return view(operation, x, options, lambda parent, value: operation(value, **options))


METHODS["swapaxes"] = METHODS["swapdims"] = transpose


@public
def t(x: Any) -> Tensor:
    """The transpose of a matrix."""
    x = a_tensor(x)
    if x._data.ndim > 2:
        refuse(f"t() expects a tensor with <= 2 dimensions, but self is {x._data.ndim}D")
    return _swapped(O["t"], x, 0, 1) if x._data.ndim == 2 else x


def _reversed(x: Tensor) -> Tensor:
    return permute(x, *range(x._data.ndim)[::-1])


Tensor.T = property(_reversed)  # type: ignore[attr-defined]
Tensor.mT = property(lambda x: transpose(x, -2, -1))  # type: ignore[attr-defined]
Tensor.H = property(lambda x: METHODS["conj"](_reversed(x)))  # type: ignore[attr-defined]
Tensor.mH = property(lambda x: METHODS["conj"](transpose(x, -2, -1)))  # type: ignore[attr-defined]


@public
def squeeze(x: Any, dim: Any = None) -> Tensor:
    """Without dimensions of size one."""
    x = a_tensor(x)
    shape = x._data.shape
    dims = range(x._data.ndim) if dim is None else axis(x, dim if isinstance(dim, (tuple, list)) else (dim,))
    gone = tuple(d for d in dims if x._data.ndim and shape[d] == 1)
    return view(O["squeeze"], x, {"dim": gone}, as_before)


@public
def unsqueeze(x: Any, dim: int) -> Tensor:
    """With one more dimension, of size one."""
    x = a_tensor(x)
    return view(O["unsqueeze"], x, {"dim": new_axis(x, dim)}, as_before)


def new_axis(x: Tensor, dim: int) -> int:
    """The place of a new dimension, counted from the front."""
    n = x._data.ndim + 1
    if not -n <= dim < n:
        raise TensorIndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})",
                               origin_at(user_place()))
    return dim % n


@public
def broadcast_to(x: Any, shape: Any) -> Tensor:
    return expand(a_tensor(x), *shape)


def expand(x: Tensor, *sizes: Any) -> Tensor:
    """A view with dimensions of size one repeated; -1 keeps a size."""
    wanted = sizes_of(sizes)
    own = (None,) * (len(wanted) - x._data.ndim) + x._data.shape
    shape: Any = tuple(have if n == -1 else n for n, have in zip(wanted, own))
    try:
        np.broadcast_to(x._data, shape)
    except ValueError:
        refuse(f"The expanded size of the tensor ({list(wanted)}) must match the existing size ({list(x._data.shape)})")
    return view(O["expand"], x, {"shape": shape}, as_before if int(np.prod(shape)) == x._data.size else None)


METHODS["expand"] = expand
METHODS["expand_as"] = lambda x, other: expand(x, *other._data.shape)


@public
def broadcast_tensors(*tensors: Any) -> tuple:
    try:
        shape = np.broadcast_shapes(*(x._data.shape for x in tensors))
    except ValueError:
        refuse(f"The shapes {[list(x._data.shape) for x in tensors]} do not broadcast together")
    return tuple(expand(x, *shape) for x in tensors)


def repeat(x: Tensor, *sizes: Any) -> Tensor:
    """The Tensor repeated along its dimensions (as `np.tile`)."""
    if len(sizes_of(sizes)) < x._data.ndim:
        refuse("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return O["repeat"](x, sizes=sizes_of(sizes))


METHODS["repeat"] = repeat


@public
def tile(x: Any, *sizes: Any) -> Tensor:
    return O["repeat"](a_tensor(x), sizes=sizes_of(sizes))


@public
def repeat_interleave(x: Any, repeats: Any, dim: Any = None) -> Tensor:
    x = a_tensor(x)
    if dim is None:
        x, dim = reshape(x, -1), 0
    return O["repeat_interleave"](x, repeats if isinstance(repeats, int) else np.asarray(as_array(repeats)), dim=axis(x, dim))


@public
def flip(x: Any, *dims: Any) -> Tensor:
    return O["flip"](a_tensor(x), dims=axis(x, sizes_of(dims)))


@public
def roll(x: Any, shifts: Any, dims: Any = None) -> Tensor:
    x = a_tensor(x)
    count, many = (len(part) if isinstance(part, (list, tuple)) else 1 for part in (shifts, dims))
    if count != many:
        refuse(f"shifts and dimensions must align. shifts: {count}, dims: {many}")
    return O["roll"](x, shifts=tuple(shifts) if isinstance(shifts, (list, tuple)) else int(shifts), dims=axis(x, dims))


@public
def rot90(x: Any, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    return O["rot90"](a_tensor(x), k=k, dims=tuple(dims))


@public
def diagonal(x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    x = a_tensor(x)
    options = {"offset": offset, "dim1": axis(x, dim1), "dim2": axis(x, dim2)}

    def back(parent: Tensor, value: Tensor) -> Tensor:
        if parent._data.ndim != 2:
            refuse("a change in place of a diagonal of a Tensor with more than two dimensions", "Use indices instead.")
        rows = np.arange(value._data.shape[0]) + max(-offset, 0)
        return O["put"](parent, value, (rows, np.arange(value._data.shape[0]) + max(offset, 0)))

    found = view(O["diagonal"], x, options, back)
    if not found._data.flags.writeable and x._data.flags.writeable:
        found._data.flags.writeable = True  # (NumPy's own is a view that may be written into)
    return found


@public
def diag(x: Any, diagonal: int = 0) -> Tensor:
    """The matrix with this diagonal, or the diagonal of a matrix."""
    x = a_tensor(x)
    if x._data.ndim not in (1, 2):
        refuse(f"diag(): Supports 1D or 2D tensors. Got {x._data.ndim}D")
    if x._data.ndim == 1:
        return O["diag"](x, offset=diagonal)
    return METHODS["diagonal"](x, diagonal).clone()


def _triangle(name: str) -> Callable:
    def function(x: Any, diagonal: int = 0) -> Tensor:
        x = a_tensor(x)
        if x._data.ndim < 2:
            refuse(f"{name}: input tensor must have at least 2 dimensions")
        return O[name](x, diagonal=diagonal)

    return public(function, name)


tril, triu = map(_triangle, ("tril", "triu"))


@public
def movedim(x: Any, source: Any, destination: Any) -> Tensor:
    """Dimensions at other places; the others keep their order."""
    x = a_tensor(x)
    if isinstance(source, int) != isinstance(destination, int):
        refuse_type("movedim(): source and destination must be both ints or both tuples of ints")
    old, new = (axis(x, d if isinstance(d, (list, tuple)) else (d,)) for d in (source, destination))
    if len(old) != len(new):
        refuse(f"movedim: Invalid source or destination dims: source ({old} dims) should contain the same number of dims as "
               f"destination ({new} dims)")
    order = [d for d in range(x._data.ndim) if d not in old]
    for place, d in sorted(zip(new, old)):
        order.insert(place, d)
    return permute(x, *order)


METHODS["moveaxis"] = FUNCTIONS["moveaxis"] = movedim


def many(x: Any, what: str) -> tuple:
    found = tuple(map(a_tensor, x))
    if not found:
        refuse_value(f"{what}(): expected a non-empty list of Tensors")
    return found


@public
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors one after the other along a dimension."""
    parts = many(tensors, "cat")
    return variadic("cat", len(parts))(*parts, dim=axis(parts[0], dim))


@public
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors side by side along a new dimension."""
    parts = tuple(map(a_tensor, tensors)) or refuse("stack expects a non-empty TensorList")
    if any(part._data.shape != parts[0]._data.shape for part in parts):
        refuse(f"stack expects each tensor to be equal size, but got {[list(part._data.shape) for part in parts]}")
    return variadic("stack", len(parts))(*parts, dim=new_axis(parts[0], dim))


@public
def split(x: Any, split_size_or_sections: Any, dim: int = 0) -> tuple:
    """Parts of a given size (the last may be smaller), or of the given sizes."""
    x = a_tensor(x)
    dim = axis(x, dim)
    n, size = x._data.shape[dim], split_size_or_sections
    if isinstance(size, int):
        if size < 0 or size == 0 and n:
            refuse(f"split expects split_size be non-negative, and positive where there are elements, but got split_size={size}")
        points = tuple(range(size, n, size)) if size else ()
    else:
        if sum(size) != n:
            refuse(
                f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), "
                f"but got split_sizes={list(size)}"
            )
        points = tuple(int(p) for p in np.cumsum(size)[:-1])
    return parts_of(x, O["split"], {"points": points, "dim": dim})


def parts_of(x: Tensor, operation: Any, options: dict) -> tuple:
    """Several views that one operation gives."""
    found = operation(x, **options)
    for number, part in enumerate(found):
        linked(part, x, lambda parent, number=number: operation(parent, **options)[number], None, "several")
    return found


@public
def chunk(x: Any, chunks: int, dim: int = 0) -> tuple:
    n = x._data.shape[axis(x, dim)]
    if chunks <= 0:
        refuse(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return split(x, max(-(-n // chunks), 1), dim)


@public
def unbind(x: Any, dim: int = 0) -> tuple:
    """The slices along a dimension."""
    x = a_tensor(x)
    if x._data.ndim == 0:
        refuse("Dimension specified as 0 but tensor has no dimensions")
    keys = [(slice(None),) * axis(x, dim) + (j, Ellipsis) for j in range(x._data.shape[axis(x, dim)])]
    return tuple(linked(O["select"](x, key), x, lambda parent, key=key: O["select"](parent, key), None, "several") for key in keys)


METHODS.pop("broadcast_tensors")
for _name in ("cat", "stack"):
    METHODS.pop(_name)


@public
def select(x: Any, dim: int, index: int) -> Tensor:
    return get(x, (slice(None),) * axis(x, dim) + (int(index),))


@public
def narrow(x: Any, dim: int, start: int, length: int) -> Tensor:
    n, start, length = x._data.shape[axis(x, dim)], int(start), int(length)
    if not -n <= start <= n:
        raise TensorIndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})",
                               origin_at(user_place()))
    start = start + n if start < 0 else start
    if length < 0 or start + length > n:
        refuse(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return get(x, (slice(None),) * axis(x, dim) + (slice(start, start + length),))


# --- indexing

def key_of(x: Tensor, key: Any) -> Any:
    """An index as NumPy takes it; a list is an array."""
    if isinstance(key, tuple):
        return tuple(key_of(x, part) for part in key)
    if isinstance(key, Tensor):
        data = key._data
        return int(data) if data.ndim == 0 and data.dtype.kind in "iu" else data
    if isinstance(key, list):
        return np.asarray([as_array(part) for part in key]) if key else np.zeros(0, int)
    if isinstance(key, slice):
        return slice(*[None if part is None else int(part) for part in (key.start, key.stop, key.step)])
    if isinstance(key, np.integer):
        return int(key)
    return key


def is_basic(key: Any) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is None or part is Ellipsis or isinstance(part, slice) or type(part) is int for part in parts)


def get(x: Tensor, key: Any) -> Tensor:
    """x[key]: a view where NumPy gives one."""
    key = key_of(x, key)
    parts = key if isinstance(key, tuple) else (key,)
    if not is_basic(key):
        operation = O["index"]
    else:
        if sum(type(part) is int for part in parts) == x._data.ndim and Ellipsis not in parts:
            key = parts = (*parts, Ellipsis)  # a view of one element, not a copy
        operation = O[
            "slice" if any(isinstance(part, slice) for part in parts) and not any(type(part) is int for part in parts) else "select"
        ]
        for part in parts:
            if isinstance(part, slice) and part.step is not None and part.step <= 0:
                raise TensorValueError("step must be greater than zero", origin_at(user_place()), "Use .flip(dim) instead.")
    try:
        found = operation(x, key)
    except IndexError as error:
        raise TensorIndexError(str(error), origin_at(user_place())) from None
    return linked(found, x, lambda parent: operation(parent, key), lambda parent, value: O["put"](parent, value, key))


def assign(x: Tensor, key: Any, value: Any) -> None:
    """x[key] = value, in place."""
    key = key_of(x, key)
    value = value if isinstance(value, Tensor) else np.asarray(value)
    if not (STATE.grad and (x.requires_grad or isinstance(value, Tensor) and value.requires_grad)):
        check_change(x, False)
        try:
            x._data[key] = as_array(value)
        except IndexError as error:
            raise TensorIndexError(str(error), origin_at(user_place())) from None
        except ValueError as error:
            refuse(f"shape mismatch: {error}")
        x._counter[0] += 1
        return
    if isinstance(value, Tensor) and value._data.dtype != x._data.dtype:
        value = to(value, x._data.dtype)
    change(x, lambda old: O["put" if is_basic(key) else "index_put"](old, value, key))


@public
def index_select(x: Any, dim: int, index: Any) -> Tensor:
    places = np.asarray(as_array(index))
    if places.ndim > 1:
        raise TensorIndexError("index_select(): Index is supposed to be a vector", origin_at(user_place()))
    if places.dtype.kind not in "iu":
        refuse("index_select(): Expected dtype int32 or int64 for index")
    return O["index_select"](a_tensor(x), places.reshape(-1), dim=axis(x, dim))


@public
def take(x: Any, index: Any) -> Tensor:
    return get(reshape(a_tensor(x), -1), a_tensor(index))


@public
def gather(x: Any, dim: int, index: Any) -> Tensor:
    """Elements at the positions `index` along a dimension."""
    d = inside(x, axis(x, dim), index)
    wanted = index._data.shape
    cut = tuple(slice(None) if j == d else slice(0, n) for j, n in enumerate(wanted))
    source = x if all(j == d or n == x._data.shape[j] for j, n in enumerate(wanted)) else get(x, cut)
    return O["gather"](source, index, dim=d)


@public
def take_along_dim(x: Any, indices: Any, dim: int) -> Tensor:
    return O["gather"](x, indices, dim=axis(x, dim))


def inside(x: Tensor, dim: int, index: Tensor) -> int:
    """A dimension, if all indices along it are there."""
    places, n = index._data, x._data.shape[dim] if x._data.ndim else 1
    if places.size and (places.min() < 0 or places.max() >= n):
        refuse(f"an index is out of bounds for dimension {dim} with size {n}")
    return dim


@public
def scatter(x: Any, dim: int, index: Any, src: Any) -> Tensor:
    d = inside(x, axis(x, dim), index)
    if not isinstance(src, Tensor):
        return O["scatter"](x, index._data, np.full(index._data.shape, src, x._data.dtype), dim=d)
    cut = tuple(slice(0, n) for n in index._data.shape)
    return O["index_put"](x, get(src, cut), places(index._data, d))


def places(index: np.ndarray, dim: int) -> tuple:
    """The full index of the elements that `index` names along a dimension."""
    grid = [np.arange(n).reshape([-1 if j == d else 1 for j in range(index.ndim)]) for d, n in enumerate(index.shape)]
    return tuple(index if d == dim else grid[d] for d in range(index.ndim))


@public
def scatter_add(x: Any, dim: int, index: Any, src: Any) -> Tensor:
    cut = tuple(slice(0, n) for n in index._data.shape)
    return O["index_put_add"](x, get(src, cut), places(index._data, axis(x, dim)))


@public
def index_add(x: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
    key = (slice(None),) * axis(x, dim) + (np.asarray(as_array(index)),)
    return O["index_put_add"](x, source if alpha == 1 else source * alpha, key)


@public
def index_fill(x: Any, dim: int, index: Any, value: Any) -> Tensor:
    return O["index_put"](x, value, (slice(None),) * axis(x, dim) + (np.asarray(as_array(index)),))


@public
def masked_select(x: Any, mask: Any) -> Tensor:
    if a_tensor(mask)._data.dtype != bool:
        refuse("masked_select: expected BoolTensor for mask")
    return get(x, a_tensor(mask))


@public
def unfold_(x: Any, *_args: Any) -> Any:
    return refuse("Tensor.unfold is not supported", "Use slices, or nn.functional.conv2d.")


# --- dtypes and copies

@public
def clone(x: Any) -> Tensor:
    """A copy that the gradient flows through."""
    return CALL["clone"](x)


def to(x: Tensor, dtype: Any = None, *_others: Any, copy: bool = False, **_options: Any) -> Tensor:
    """The Tensor in another dtype (or that of another Tensor); itself if it has it. Devices are accepted: there is one."""
    dtype = _options.get("dtype", dtype)
    if isinstance(dtype, Tensor):
        dtype = dtype._data.dtype
    if dtype is None or isinstance(dtype, str) and dtype.split(":")[0] in ("cpu",):
        dtype = _others[0] if _others and not isinstance(_others[0], bool) else x._data.dtype
    if isinstance(dtype, str) and dtype.split(":")[0] in ("cuda", "mps", "xpu"):
        refuse(f"there is no device {dtype!r}: sourcegrad computes with NumPy, on the CPU")
    dtype = np.dtype(dtype)
    if dtype == x._data.dtype and not copy:
        return x
    if dtype.kind not in "fc" or not x._rg:
        return constant(x._data.astype(dtype))
    return O["to"](x, dtype=dtype.name)


METHODS["to"] = METHODS["type"] = METHODS["astype"] = to
METHODS["type_as"] = lambda x, other: to(x, other._data.dtype)
SHORT = {"float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64", "short": "int16",
         "bool": "bool", "cfloat": "complex64", "cdouble": "complex128"}
for _name, _dtype in SHORT.items():
    METHODS[_name] = (lambda dtype: lambda x: to(x, dtype))(_dtype)


def contiguous(x: Tensor) -> Tensor:
    return x if x._data.flags.c_contiguous else clone(x)


METHODS["contiguous"] = contiguous
