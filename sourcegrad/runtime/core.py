"""Helpers for shapes, zeros and accumulation."""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import InputError, OutputError

__all__ = ["unbroadcast", "broadcast_like", "zeros_like", "add", "index_add", "item_at", "sequence",
           "guard", "ones_like_output", "check_cotangent", "add_at",
           "as_gradient", "row_dot",
           "index_set", "index_store", "index_update", "last_writes", "own"]


def unbroadcast(ct: Any, x: Any) -> Any:
    """Sum `ct` over the axes along which `x` was broadcast, so that it has the shape of `x` (real if `x` is)."""
    if isinstance(x, (list, tuple)):
        return ct                                  # containers do not broadcast
    shape = np.shape(x)
    if np.shape(ct) != shape:
        extra = np.ndim(ct) - len(shape)
        if extra < 0 or any(n != 1 and m == 1 for n, m in zip(shape, np.shape(ct)[extra:])):
            ct = np.broadcast_to(ct, np.broadcast_shapes(np.shape(ct), shape))
            extra = max(extra, 0)
        axes = tuple(range(extra)) + tuple(
            extra + k for k, n in enumerate(shape) if n == 1 and np.shape(ct)[extra + k] != 1)
        if axes:
            ct = np.sum(ct, axis=axes)
        if np.shape(ct) != shape:
            ct = np.reshape(ct, shape)
    if np.iscomplexobj(ct) and not np.iscomplexobj(x):
        ct = np.real(ct)
    return ct


def broadcast_like(ct: Any, x: Any) -> Any:
    """A read-only view of `ct` in the shape of `x`."""
    shape = np.shape(x)
    if np.shape(ct) == shape:
        return ct
    if type(ct) is float and getattr(x, "dtype", None) in (np.float32, np.complex64, np.float16):
        ct = np.float16(ct) if x.dtype == np.float16 else np.float32(ct)      # a Python float adopts the precision
    return np.broadcast_to(ct, shape)


def zeros_like(x: Any) -> Any:
    """A zero adjoint for any value: a number, an array, or nested lists and tuples of them."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x) if x.dtype.kind in "fc" else np.zeros(x.shape)
    if isinstance(x, (list, tuple)):
        return like_sequence(x, [zeros_like(item) for item in x])
    if isinstance(x, dict):
        return {key: zeros_like(item) for key, item in x.items()}
    return 0.0


def like_sequence(x: Any, items: list) -> Any:
    """The items in the type of `x`: a list, a tuple or a namedtuple."""
    return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)


def add(a: Any, b: Any) -> Any:
    """Sum of two adjoints of one value of any kind; one may be the scalar zero of an unused container."""
    if isinstance(a, list) and isinstance(b, list) and not (a and b):
        return a or b                              # a list that was emptied before its zero adjoint was made
    if isinstance(a, (list, tuple)):
        return like_sequence(a, [add(x, y) for x, y in zip(a, _items(b, len(a)))])
    if isinstance(b, (list, tuple)):
        return like_sequence(b, [add(x, y) for x, y in zip(_items(a, len(b)), b)])
    if isinstance(a, dict):
        return {key: add(item, b[key] if isinstance(b, dict) else b) for key, item in a.items()}
    if isinstance(b, dict):
        return {key: add(a, item) for key, item in b.items()}
    return a + b


def _items(adjoint: Any, count: int) -> Any:
    """The parts of an adjoint of a sequence: a stacked array has its rows, one zero stands for all parts."""
    if isinstance(adjoint, (list, tuple)) or isinstance(adjoint, np.ndarray) and adjoint.ndim:
        if len(adjoint) != count:
            raise ValueError(f"adjoints of one value have {count} and {len(adjoint)} parts")
        return adjoint
    return [adjoint] * count


def index_add(base: Any, index: Any, value: Any) -> Any:
    """A copy of `base` with `value` added at `base[index]`; repeated indices accumulate."""
    if isinstance(base, (list, tuple)):
        items = list(base)
        items[index] = add(items[index], value)
        return like_sequence(base, items)
    if isinstance(base, dict):
        return {**base, index: add(base[index], value)}
    result = np.array(base)
    if is_basic(index):
        result[index] += value
    else:
        np.add.at(result, index, value)
    return result


def is_basic(index: Any) -> bool:
    """Whether an index selects each element at most once for sure (no integer or boolean arrays)."""
    if isinstance(index, tuple):
        return all(is_basic(part) for part in index)
    return index is None or index is Ellipsis or isinstance(index, (int, np.integer, slice))


def item_at(x: Any, index: Any) -> Any:
    """`x[index]`; the name under which indexing has its rule."""
    return x[index]


def sequence(iterable: Any) -> Any:
    """The iterable itself if it can be indexed, else a list of what it gives."""
    return iterable if isinstance(iterable, (list, tuple, range, np.ndarray, str)) else list(iterable)


def guard(ct: Any, value: Any) -> Any:
    """A contribution with zeros where the cotangent is zero, although the derivative there is infinite or NaN."""
    return np.where(np.equal(ct, 0.0), 0.0, value) if np.ndim(ct) else (0.0 if ct == 0.0 else value)


def ones_like_output(value: Any) -> Any:
    """The cotangent 1 of a scalar output; an error for any other."""
    advice = "Pass grad_outputs=... with the shape of the output, or reduce the output to a scalar."
    if isinstance(value, (complex, np.complexfloating)) or (
            isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind == "c"):
        raise OutputError("a complex output needs grad_outputs",
                          remedy="Pass grad_outputs=..., or return a real number such as abs(value) ** 2.")
    if isinstance(value, (float, int)) or (isinstance(value, np.generic) and value.dtype.kind in "fiub"):
        return 1.0
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "fiub":
        return np.ones_like(value) if value.ndim else 1.0
    if isinstance(value, np.ndarray):
        what = f"has shape {value.shape}" if value.size != 1 else f"is an array of dtype {value.dtype}"
    else:
        what = "is None" if value is None else f"is a {type(value).__name__}"
        if not isinstance(value, (list, tuple, dict)):
            advice = "Return a number."
    raise OutputError(f"the output {what}: a gradient needs a scalar output or grad_outputs", remedy=advice)


def check_cotangent(ct: Any, value: Any) -> Any:
    """`grad_outputs` checked against the output that they weight."""
    if isinstance(value, (list, tuple)):
        if not isinstance(ct, (list, tuple)) or len(ct) != len(value):
            raise OutputError(f"grad_outputs must be a sequence of {len(value)} cotangents, one per output, "
                              f"not {type(ct).__name__}" + (f" of {len(ct)}" if isinstance(ct, (list, tuple)) else ""))
        return like_sequence(value, [check_cotangent(c, v) for c, v in zip(ct, value)])
    if isinstance(value, dict):
        if not isinstance(ct, dict) or ct.keys() != value.keys():
            raise OutputError(f"grad_outputs must be a dict with the keys {', '.join(map(repr, value))}",
                              remedy="Give one cotangent for each item of the output.")
        return {key: check_cotangent(ct[key], item) for key, item in value.items()}
    if not isinstance(value, (np.ndarray, np.generic, int, float, complex)):
        if ct is None or (isinstance(ct, (int, float)) and ct == 0):
            return 0.0                                   # no weight for what is no number
        raise OutputError(f"an output is a {type(value).__name__}: it has no cotangent",
                          remedy="Give None in grad_outputs for it.")
    try:
        array = np.asarray(ct)
    except ValueError:                                   # rows of different lengths
        raise OutputError(f"grad_outputs is no array of shape {np.shape(value)}") from None
    if array.dtype.kind not in "fciub" or type(array) is not np.ndarray:
        what = f"an array of dtype {array.dtype}" if isinstance(ct, (np.ndarray, np.generic)) else f"a {type(ct).__name__}"
        raise OutputError(f"grad_outputs is {what}, not a number or an array of numbers",
                          remedy="Give grad_outputs the shape of the output.")
    if array.shape != np.shape(value):
        raise OutputError(f"grad_outputs has shape {array.shape}, the output has shape {np.shape(value)}",
                          remedy="Give grad_outputs the shape of the output.")
    if isinstance(ct, np.ndarray):
        return ct if ct.dtype.kind in "fc" else ct.astype(float)
    if isinstance(value, np.ndarray) and np.ndim(value):
        return array if array.dtype.kind in "fc" else array.astype(float)
    return ct * 1.0


def add_at(base: Any, index: Any, value: Any) -> None:
    """`base[index] += value` in place, where repeated indices accumulate."""
    if is_basic(index):
        base[index] += value
    else:
        np.add.at(base, index, value)


def as_gradient(gradient: Any, x: Any) -> Any:
    """A gradient in the structure, shape and dtype of its input, in memory of its own."""
    if isinstance(x, np.ndarray):
        if np.iscomplexobj(gradient) and not np.iscomplexobj(x):
            gradient = np.real(gradient)
        return np.array(np.broadcast_to(gradient, x.shape), dtype=x.dtype)
    if isinstance(x, (list, tuple)):
        return like_sequence(x, [as_gradient(g, item) for g, item in zip(_items(gradient, len(x)), x)])
    if isinstance(x, dict):
        return {key: as_gradient(gradient[key] if isinstance(gradient, dict) else gradient, item)
                for key, item in x.items()}
    if isinstance(x, np.generic):
        return x.dtype.type(np.real(gradient) if np.iscomplexobj(gradient) and not np.iscomplexobj(x) else gradient)
    if isinstance(x, (int, float)):
        return float(np.real(gradient))
    return gradient


def row_dot(a: Any, b: Any, keepdims: bool = False) -> Any:
    """np.sum(a * b, axis=-1) without the array of products."""
    rows = np.einsum("...i,...i->...", a, b)
    return rows[..., None] if keepdims else rows


def index_set(base: Any, index: Any, value: Any) -> Any:
    """A copy of `base` with `base[index] = value`."""
    result = list(base) if isinstance(base, list) else np.array(base)
    result[index] = value
    return result


def index_store(base: Any, index: Any, value: Any) -> Any:
    """`index_set` as it comes from `base[index] = ...`: the front end checks that nobody else holds `base`."""
    return index_set(base, index, value)


def index_update(base: Any, index: Any, value: Any) -> Any:
    """`index_set` as it comes from `base[index] op= ...`."""
    return index_set(base, index, value)


def last_writes(ct: Any, base: Any, index: Any) -> Any:
    """The part of `ct` that `base[index] = value` passes to `value`: of repeated indices only the last write counts."""
    part = np.array(ct[index])
    if is_basic(index) or part.size == 0:
        return part[()]
    order = np.arange(part.size).reshape(part.shape)
    writer = np.zeros(np.shape(base), dtype=int)
    writer[index] = order
    part[writer[index] != order] = 0.0
    return part


def own(x: Any, *others: Any) -> Any:
    """A copy of an argument that the function changes in place; no other argument may share its memory."""
    if isinstance(x, np.ndarray):
        for other in others:
            if isinstance(other, np.ndarray) and np.may_share_memory(x, other):
                raise InputError("an array that the function changes in place shares memory with another argument",
                                 remedy="Pass a copy of one of them.")
        return np.array(x)
    return list(x) if isinstance(x, list) else x
