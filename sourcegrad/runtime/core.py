"""Helpers for shapes, zeros and accumulation."""
from __future__ import annotations

import collections
import functools
import itertools
import math
import sys
import types
from typing import Any

import numpy as np

from sourcegrad.errors import InputError, OutputError, UnsupportedError
from sourcegrad.runtime.structure import (
    STREAMS,
    WHOLE,
    ObjectZero,
    Path,
    adjoint_at,
    attributes_of,
    base_of,
    get_at,
    is_namedtuple,
    is_user_class,
    overridden,
    reached,
    set_at,
    steps_of,
)

__all__ = ["made_for", "Instance", "Either",
           "unbroadcast", "unbroadcast_to", "operand_part", "broadcast_like", "zeros_like", "add", "index_add", "item_at",
           "items_part", "read_once", "sequence", "laid_out_as", "guard", "guard_steep", "guarded_inside", "zeros_if_given",
           "zero_of_item", "ones_like_output", "check_cotangent", "add_at", "as_gradient", "entry_bar", "zero_gradient",
           "aux", "renewed", "spread_at", "attribute_store", "index_set", "index_store",
           "index_update", "last_writes", "own", "own_parts", "check_places"]


class Instance:
    """An object of a class, by the name of the class, and what its attributes are: see `made_for`."""

    def __init__(self, cls: str, /, **attributes: Any) -> None:
        self.cls, self.attributes = cls, attributes

    def __repr__(self) -> str:
        return f"Instance({', '.join([repr(self.cls), *(f'{name}={part!r}' for name, part in self.attributes.items())])})"


class Either(tuple):
    """Any of some things: see `made_for`."""

    def __new__(cls, *stated: Any) -> Any:
        return super().__new__(cls, stated)

    def __repr__(self) -> str:
        return f"Either{super().__repr__()}"


def made_for(stated: Any, *values: Any) -> None:
    """Refuse arguments that generated code is not for: another constant, class, dtype or rank, or sizes that it tells apart.

    stated: what each argument is, by its name: a dict, or one text where words say all.

    * "float", "float64": a number of that class. "float64[n,m]": an array of that dtype; equal letters are equal sizes, none
      is 0 or 1, and ":" is any size. Arrays of rank 2 and more lie row by row in memory unless "in any order" says otherwise.
    * "numpy.sin": what the module has under that name. "module math": a module. "any builtins.set": an object of that class.
      "<lambda>": something without a name, which nothing is known to be.
    * {"fast"}: that text. None, True, 3, b"a": that constant, of that class.
    * (a, b): a tuple of such. [a]: a list of one or more. {"key": a}: a dict with these keys; {...: (a, b)}: one with keys and
      items like these. `Instance("module.Class", name=a)`: an object. `Either(a, b)`: one of these. "any": anything.

    >>> import numpy as np
    >>> made_for("x: float64[n], y: float64[n], k: int", np.ones(3), np.zeros(3), 2)
    >>> made_for({"x": "float", "mode": {"fast"}}, 2.0, "exact")
    Traceback (most recent call last):
    ...
    sourcegrad.errors.InputError: mode is 'exact', but this code was generated for x: 'float', mode: {'fast'}
    Generate code for other arguments: sg.grad(f)(...), or sg.source(f, at={...}).
    """
    sizes: dict[str, int] = {}
    for (name, part), value in zip(told(stated).items(), values):
        if not fits(value, part, sizes):
            said = stated if isinstance(stated, str) else ", ".join(f"{key}: {each!r}" for key, each in stated.items())
            raise InputError(f"{name} is {described(value)}, but this code was generated for {said}", remedy=(
                "Generate code for other arguments: sg.grad(f)(...), or sg.source(f, at={...})." if "<" not in repr(part) else
                "What stands in <> has no name by which it could be known again: give it one at the top level of a module."))


def described(value: Any) -> str:
    """A value in a message: an array by its dtype and shape."""
    if not hasattr(value, "__array_function__") or isinstance(value, np.generic):
        text = repr(value)
        return text if len(text) <= 90 else f"{text[:87]}..."
    turned = isinstance(value, np.ndarray) and not value.flags.c_contiguous
    return f"{value.dtype}[{','.join(map(str, value.shape))}]" + ", not row by row in memory" * turned


def told(stated: Any) -> dict[str, Any]:
    """What is stated of each argument, by its name."""
    return _parts(stated) if isinstance(stated, str) else stated


@functools.cache
def _parts(stated: str) -> dict[str, str]:
    return dict(part.split(": ") for part in stated.split(", "))               # type: ignore[misc]


def fits(value: Any, stated: Any, sizes: dict[str, int]) -> bool:
    """Whether a value is what is stated. sizes: what the letters that were met stand for."""
    cls = type(value)
    if isinstance(stated, str):
        return _fits_word(value, stated, sizes)
    if isinstance(stated, set):
        return cls is str and value in stated
    if isinstance(stated, Either):
        return any(fits(value, part, sizes) for part in stated)
    if isinstance(stated, Instance):
        held = _held(value) if cls is named(stated.cls) else {}
        return cls is named(stated.cls) and held.keys() == stated.attributes.keys() and all(
            fits(held[name], part, sizes) for name, part in stated.attributes.items())
    if isinstance(stated, dict) and ... in stated:
        return cls is dict and all(fits(pair, stated[...], sizes) for pair in value.items())
    if isinstance(stated, dict):
        return cls is dict and [(type(key), key) for key in value] == [(type(key), key) for key in stated] and all(
            fits(value[key], part, sizes) for key, part in stated.items())
    if isinstance(stated, tuple):
        return cls is tuple and len(value) == len(stated) and all(fits(item, part, sizes) for item, part in zip(value, stated))
    if isinstance(stated, list):
        if stated and isinstance(stated[0], str) and stated[0] in NAMED:
            return cls is list and {*map(type, value)} == {NAMED[stated[0]]}
        return cls is list and bool(value) == bool(stated) and all(fits(item, stated[0], sizes) for item in value)
    return cls is type(stated) and bool(value == stated)


NAMED: dict[str, type] = {"float": float, "int": int, "bool": bool, "complex": complex, "str": str}


def _fits_word(value: Any, word: str, sizes: dict[str, int]) -> bool:
    sort, space, name = word.removesuffix(" in any order").rpartition(" ")
    if space and sort in ("module", "any"):
        return sys.modules.get(name) is value if sort == "module" else type(value) is named(name)
    if word == "any" or word.startswith("<") or "." in word and "[" not in word:
        return word == "any" or value is named(word)
    if word in ("number", "real number", "whole number"):
        classes = (int, np.integer, np.bool_, *((float, np.floating) if word != "whole number" else ()))
        return isinstance(value, classes + (complex, np.complexfloating) * (word == "number"))
    return fits_number(value, word, sizes)


def fits_number(value: Any, word: str, sizes: dict[str, int]) -> bool:
    """Whether a value is a number of a class, or an array of a dtype and shape. sizes: what the letters that were met stand for."""
    if word in NAMED:
        return type(value) is NAMED[word]
    plain = word.removesuffix(" in any order")
    dtype, bracket, axes = plain.removesuffix("]").rpartition("[")
    if not bracket or isinstance(value, np.generic):
        return not bracket and isinstance(value, np.generic) and value.dtype.name == word.removesuffix("_")
    strange = isinstance(value, np.ndarray) and type(value) is not np.ndarray       # (of other libraries: as those of NumPy)
    if strange or not hasattr(value, "__array_function__") or dtype not in ("array", value.dtype.name):
        return False
    shape = value.shape
    known = axes.split(",") if axes else []
    if axes != "..." and (len(known) != len(shape) or any(
            n != int(axis) if axis.isdigit() else axis.isalnum() and (n < 2 or sizes.setdefault(axis, n) != n)
            for axis, n in zip(known, shape))):
        return False
    return plain != word or len(shape) < 2 or type(value) is not np.ndarray or bool(value.flags.c_contiguous)


def named(path: str) -> Any:
    """What stands under a name in a module that is imported; a new object where nothing does."""
    module, _, name = path.rpartition(".")
    while module and module not in sys.modules:
        module, _, outer = module.rpartition(".")
        name = f"{outer}.{name}"
    return functools.reduce(lambda found, part: getattr(found, part, NOWHERE), name.split("."), sys.modules.get(module, NOWHERE))


NOWHERE = object()


def _held(value: Any) -> dict[str, Any]:
    """What an object holds, by name: methods that are bound to itself as plain functions."""
    if isinstance(value, dict):
        factory = {"default_factory": value.default_factory} if isinstance(value, collections.defaultdict) else {}
        return {**factory, "items": dict(value)}
    held = value._asdict() if is_namedtuple(type(value)) else attributes_of(value)
    return {name: part.__func__ if isinstance(part, types.MethodType) and part.__self__ is value else part
            for name, part in held.items()}


def unbroadcast(ct: Any, x: Any) -> Any:
    """Sum `ct` over the axes along which `x` was broadcast, so that it has the shape of `x` (real if `x` is)."""
    if type(x) is np.ndarray:
        if type(ct) is np.ndarray and ct.shape == x.shape and ct.dtype is x.dtype:                # mostly
            return ct
    elif type(ct) in FLOATS and (type(x) in FLOATS or type(x) is int):
        return ct
    if isinstance(x, (list, tuple)) and isinstance(ct, (np.ndarray, np.number)):
        return part_of_sequence(ct, x)
    if isinstance(ct, (list, tuple)) and type(x) is np.ndarray:
        ct = np.array(ct)
    if isinstance(x, (list, tuple, dict)) or isinstance(ct, dict):
        return zeros_like(x) if type(ct) in (float, Nothing) else ct         # containers do not broadcast
    if isinstance(ct, (list, tuple)) and type(x) in (float, Nothing) and x == 0.0:
        return ct                                                            # nor does the zero that stands for one
    shape = np.shape(x)
    if np.shape(ct) != shape:
        extra = np.ndim(ct) - len(shape)
        if extra < 0 or any(n != 1 and m == 1 for n, m in zip(shape, np.shape(ct)[extra:])):
            ct = np.broadcast_to(ct, np.broadcast_shapes(np.shape(ct), shape)).copy()      # of its own: it may be added to
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


def part_of_sequence(ct: Any, x: Any) -> Any:
    """The adjoint of a list or tuple that was used as an array: a list of the adjoints of its items."""
    if isinstance(ct, np.number) and ct == 0:
        return zeros_like(x)                                # a zero that stands for all of them
    whole = unbroadcast(ct, np.zeros(np.shape(x)))
    return like_sequence(x, [unbroadcast(part, item) for part, item in zip(whole, x)])


def unbroadcast_to(ct: Any, shape: tuple) -> Any:
    """Sum `ct` over the axes along which an array of this shape was broadcast; complex numbers stay complex."""
    return ct if getattr(ct, "shape", ()) == shape else unbroadcast(ct, np.broadcast_to(np.zeros((), np.result_type(ct)), shape))


def operand_part(ct: Any, x: Any) -> Any:
    """`unbroadcast` for an operand of unknown kind; an error if it is no number, for operators of lists and classes are others."""
    if isinstance(x, NUMBERS) and not isinstance(ct, (list, tuple, dict)):
        return unbroadcast(ct, x)
    if isinstance(ct, float) and ct == 0.0:
        return zeros_like(x)
    sequence = isinstance(x, (list, tuple))
    if sequence and isinstance(ct, np.ndarray) or not (
            sequence or isinstance(ct, (list, tuple, dict)) or isinstance(x, dict) or is_user_class(type(x))):
        return unbroadcast(ct, x)
    raise UnsupportedError(f"an operator on a {type(x).__name__} that is only known at run time", remedy=UNKNOWN_OPERAND)


NUMBERS = (np.ndarray, float, int, complex, np.generic)
UNKNOWN_OPERAND = ("Make its class known: give an attribute that holds it such a value in __init__, too, or call a function or "
                   "method instead of the operator.")


def broadcast_like(ct: Any, x: Any) -> Any:
    """A read-only view of `ct` in the shape of `x`."""
    shape = np.shape(x)
    if np.shape(ct) == shape:
        return ct
    if not shape and np.size(ct) == 1:                   # np.sum(x, axis=0) of a number
        return np.reshape(ct, ())[()]
    if type(ct) is float and getattr(x, "dtype", None) in (np.float32, np.complex64, np.float16):
        ct = np.float16(ct) if x.dtype == np.float16 else np.float32(ct)      # a Python float adopts the precision
    return np.broadcast_to(ct, shape)


def zeros_like(x: Any) -> Any:
    """A zero adjoint for any value: a number, an array, or nested lists, tuples and dicts of them."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x) if x.dtype.kind in "fc" else np.zeros(x.shape)
    if isinstance(x, (list, tuple)):
        if all_floats(x):
            return like_sequence(x, [0.0] * len(x))
        return like_sequence(x, [zeros_like(item) for item in x]) if x or type(x) is not list else Spent()
    if is_user_class(type(x)):
        return ObjectZero()
    if isinstance(x, dict):
        return Bars() if isinstance(x, Bars) else {}     # sparse: what is missing is zero
    return Nothing(0.0) if type(x) is range else 0.0


class Bars(dict):
    """The adjoints of what objects hold: of each object, by its identity, those of its attributes; what is missing is zero."""

    def __missing__(self, place: int) -> dict:
        self[place] = own = Parts()
        return own

    def joined(self, other: Any) -> Bars:
        """Those of both, which are one from now on."""
        for place, parts in other.items() if isinstance(other, dict) else ():
            own = self[place]
            for name, part in parts.items():
                if name == WHOLE and name in own and isinstance(part, np.ndarray):
                    own[name] += part                       # (of an array: the adjoint that others know by a name)
                    continue
                own[name] = add(own[name], part) if name in own else part
        return self


class Parts(dict):
    """The adjoints of the attributes of an object."""

    def __missing__(self, name: str) -> float:
        return 0.0


def entry_bar(bars: dict, name: str, shape: tuple) -> np.ndarray:
    """The adjoint of an attribute that holds an array of this shape: what is put there changes it in place."""
    own = bars.get(name)
    if not isinstance(own, np.ndarray) or own.shape != shape:
        own = bars[name] = np.zeros(shape) + (0.0 if own is None else own)
    return own


def all_floats(x: Any) -> bool:
    """Whether all items of a sequence, of which there are some, are Python or NumPy floats."""
    return bool(x) and set(map(type, x)) <= FLOATS


FLOATS = {float, np.float64}


class Spent(list):
    """The zero adjoint of a list whose items a reverse sweep has used up by now: each of them has a zero."""

    def pop(self, *position: Any) -> Any:
        return super().pop(*position) if self else Nothing(0.0)


class Nothing(float):
    """The zero adjoint of a value that is not there any more, or has no derivative; its parts are zero, too."""

    def __getitem__(self, index: Any) -> Nothing:
        return self


def zero_of_item(base: Any, index: Any) -> Any:
    """A zero adjoint for what lies at a place of a list or dict: nothing, if nothing lies there."""
    try:
        return zeros_like(item_at(base, index))
    except (KeyError, AttributeError):
        return 0.0


def zeros_if_given(x: Any) -> Any:
    """A zero adjoint for what the body of a `try` gives: None where an exception was caught."""
    return 0.0 if x is None else zeros_like(x)


def like_sequence(x: Any, items: list) -> Any:
    """The items in the type of `x`: a list, a tuple or a namedtuple."""
    return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)


def add(a: Any, b: Any) -> Any:
    """Sum of two adjoints of one value of any kind; one may be the scalar zero of an unused container."""
    if isinstance(a, Bars) or isinstance(b, Bars):
        return a.joined(b) if isinstance(a, Bars) else b.joined(a)
    if isinstance(a, dict) and isinstance(b, dict):     # sparse: what is missing is zero
        return {**a, **{key: add(a[key], part) if key in a else part for key, part in b.items()}}
    if isinstance(a, list) and isinstance(b, list) and len(a) != len(b):
        short, long = (a, b) if len(a) < len(b) else (b, a)
        if all(map(_is_nothing, short)):           # the zero adjoint of a list that had lost its last items by then
            return long
    if isinstance(a, (list, tuple)):
        return like_sequence(a, [add(x, y) for x, y in zip(a, _items(b, len(a)))])
    if isinstance(b, (list, tuple)):
        return like_sequence(b, [add(x, y) for x, y in zip(_items(a, len(b)), b)])
    if isinstance(a, dict) or isinstance(b, dict):
        entries, other = (a, b) if isinstance(a, dict) else (b, a)
        check_nothing(other)                           # the zero of all entries
        return entries
    return a + b


def check_nothing(adjoint: Any) -> None:
    """Refuse an adjoint that has values, but not those of attributes or entries: of an object that was used as something else."""
    if adjoint is not None and not _is_nothing(adjoint):
        raise UnsupportedError("an object whose class is only known at run time, used as a number, an array or a sequence",
                               remedy="Give every branch an object of the same class, or call a method that gives the array.")


def _is_nothing(adjoint: Any) -> bool:
    """Whether an adjoint is zero in all its parts."""
    if isinstance(adjoint, (list, tuple, dict)):
        return all(map(_is_nothing, adjoint.values() if isinstance(adjoint, dict) else adjoint))
    return not np.any(adjoint)


def _items(adjoint: Any, count: int) -> Any:
    """The parts of an adjoint of a sequence: a stacked array has its rows, one zero stands for all parts."""
    if isinstance(adjoint, (list, tuple)) or isinstance(adjoint, np.ndarray) and adjoint.ndim:
        if len(adjoint) != count:
            raise UnsupportedError(f"a list that several names hold while its length changes: its adjoints have {count} and "
                                   f"{len(adjoint)} parts", remedy="Copy the list before its length changes: list(xs).")
        return adjoint
    return [adjoint] * count


def index_add(base: Any, index: Any, value: Any) -> Any:
    """A copy of `base` with `value` added at `base[index]`; repeated indices accumulate. Complex where one of them is."""
    if type(index) is Path:
        *steps, (sort, last, *_) = steps_of(index)
        part = get_at(base, Path(tuple(steps)))
        if sort == "index" and isinstance(part, np.ndarray) and not is_basic(last):
            return set_at(base, Path((*steps, ("index", Ellipsis))), index_add(part, last, value))
        return set_at(base, index, add(get_at(base, index), value))
    if isinstance(base, (list, tuple)):
        items = list(base)
        items[index] = add(items[index], value)
        return like_sequence(base, items)
    if isinstance(base, dict):
        check_entry(base, index)
        return {**base, index: add(base[index], value) if index in base else value}
    if type(base) is Nothing:                           # of whole numbers that were counted
        return base
    result = np.array(base, dtype=np.result_type(base, value) if np.iscomplexobj(value) else None)
    if is_basic(index):
        result[index] += value
    else:
        np.add.at(result, index, value)
    return result


def check_entry(bar: dict, key: Any) -> None:
    """Refuse a key that is no attribute in the adjoint of an object (whose keys are all text)."""
    if isinstance(bar, ObjectZero) or (not isinstance(key, str) and type(next(iter(bar), None)) is str and key not in bar):
        raise UnsupportedError("an item of an object whose class is not known beforehand",
                               remedy="Call a method of one class that gives the item.")


def is_basic(index: Any) -> bool:
    """Whether an index selects each element at most once for sure (no integer or boolean arrays)."""
    if isinstance(index, tuple):
        return all(is_basic(part) for part in index)
    return index is None or index is Ellipsis or isinstance(index, (int, np.integer, slice))


def item_at(x: Any, index: Any) -> Any:
    """`x[index]`; the name under which indexing has its rule (a missing entry of an adjoint is zero)."""
    if isinstance(x, dict) and type(index) is not Path:
        return x.get(index, 0.0)
    if isinstance(x, (float, complex, np.generic)) and type(index) is not int:
        x = np.asarray(x)                                    # the adjoint of an array without axes
    return get_at(x, index) if type(index) is Path else x[index]


def sequence(iterable: Any) -> Any:
    """The iterable itself if it can be indexed, else a list of what it gives; refused if it has no end."""
    if isinstance(iterable, (itertools.count, itertools.cycle)):
        raise UnsupportedError(f"a loop over an itertools.{type(iterable).__name__} that is only known at run time",
                               remedy="Write it where the loop is, `zip(itertools.count(), xs)`, or read it with next().")
    if isinstance(getattr(type(iterable), "__reversed__", None), types.FunctionType) and base_of(type(iterable)) is not None:
        raise UnsupportedError(f"iteration over a {type(iterable).__name__}, which has a __reversed__ of its own",
                               remedy="Give the list that is to be read.")
    plain = type(iterable) in (list, tuple, np.ndarray, range, str) or (
        isinstance(iterable, (list, tuple, np.ndarray, str)) and overridden(type(iterable)) is None)
    return iterable if plain else list(iterable)


def read_once(items: Any, early: bool = False) -> Any:
    """The items of an iterator: itself; who gets it must read it once. early: perhaps not to its end."""
    return items


def items_part(ct: Any, iterable: Any) -> Any:
    """The adjoint of what a loop went over, from that of its items: zero of a dict, of which the items are the keys."""
    in_order(iterable)
    return 0.0 if isinstance(iterable, dict) else ct


def in_order(iterable: Any) -> Any:
    """What a loop goes over itself; refused where a class of the user makes the items."""
    if is_user_class(type(iterable)) or overridden(type(iterable)) is not None:
        raise UnsupportedError(f"iteration over a {type(iterable).__name__} that is only known at run time",
                               remedy="Loop over the list that the object holds, or give every branch an object of the same class.")
    return iterable


def guard(ct: Any, value: Any) -> Any:
    """A contribution with zeros where the cotangent is zero, although the derivative there is infinite or NaN.

    The value is a multiple of the cotangent. Where it is a number, it is zero there anyway, but not constant: see its rule.
    With a number as cotangent the value as it is, or zeros of its shape. What is finite needs no look at the cotangent."""
    if _finite(value):
        return value
    if np.ndim(ct):
        return np.where(np.equal(ct, 0.0), 0.0, value)
    if ct == 0.0:
        return np.zeros_like(value) if np.ndim(value) else 0.0
    return value


def _finite(value: Any) -> bool:
    """Whether real numbers are finite; what is so large that its square is not may be taken for infinite."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        if value.size < 10_000:                             # (larger products go to several threads, and wait for busy ones)
            return math.isfinite(np.vdot(value, value))
        return bool(np.logical_and.reduce(np.isfinite(value), axis=None))
    return isinstance(value, float) and math.isfinite(value)


def guard_steep(ct: Any, value: Any) -> Any:
    """As `guard`, and with zeros where an infinite cotangent meets a partial derivative that is zero."""
    if _finite(value):
        return value
    lost = np.equal(ct, 0.0) | (np.isinf(ct) & np.isnan(value))
    return np.where(lost, 0.0, value) if np.ndim(lost) or isinstance(value, np.ndarray) else (0.0 if lost else value)


def guarded_inside(ct: Any, value: Any, inner: Any) -> Any:
    """The adjoint of `value` in `guard(ct, value)` and `guard_steep(ct, value)`: zeros where those replace what is no number."""
    lost = (np.equal(ct, 0.0) | np.isinf(ct)) & np.isnan(value)
    return np.where(lost, 0.0, inner) if np.ndim(lost) or isinstance(inner, np.ndarray) else (0.0 if lost else inner)


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


def aux(x: Any) -> Any:
    """`x` itself; marks what is returned beside the value (`has_aux`), until the text is printed."""
    return x


def check_cotangent(ct: Any, value: Any) -> Any:
    """`grad_outputs` checked against the output that they weight."""
    if isinstance(value, (list, tuple)):
        if not isinstance(ct, (list, tuple)) or len(ct) != len(value):
            raise OutputError(f"grad_outputs must be a sequence of {len(value)} cotangents, one per output, "
                              f"not {type(ct).__name__}" + (f" of {len(ct)}" if isinstance(ct, (list, tuple)) else ""))
        return like_sequence(value, [check_cotangent(c, v) for c, v in zip(ct, value)])
    if is_user_class(type(value)):
        return objects.object_cotangent(ct, value)
    if isinstance(value, dict):
        if not isinstance(ct, dict) or ct.keys() != value.keys():
            raise OutputError(f"grad_outputs must be a dict with the keys {', '.join(map(repr, value))}",
                              remedy="Give one cotangent for each item of the output.")
        return {key: check_cotangent(ct[key], item) for key, item in value.items()}
    if not isinstance(value, (np.ndarray, np.number, np.bool_, int, float, complex)):
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
    if array.dtype.kind == "c" and not np.iscomplexobj(value):
        raise OutputError("grad_outputs is complex, and the output is real", remedy="Give its real part: np.real(grad_outputs).")
    if array.shape != np.shape(value):
        raise OutputError(f"grad_outputs has shape {array.shape}, the output has shape {np.shape(value)}",
                          remedy="Give grad_outputs the shape of the output.")
    if isinstance(value, (np.ndarray, np.inexact)):
        dtype = value.dtype if value.dtype.kind in "fc" else float
        return array.astype(dtype, copy=False)[()]           # adjoints of numbers change in place, the caller's array does not
    return complex(ct) if isinstance(value, complex) else float(ct)


def add_at(base: Any, index: Any, value: Any) -> None:
    """`base[index] += value` in place, where repeated indices accumulate."""
    if is_basic(index):
        base[index] += value
    else:
        np.add.at(base, index, value)


def as_gradient(gradient: Any, x: Any) -> Any:
    """A gradient in the structure, shape and dtype of its input, in memory of its own."""
    if type(x) is float:
        return float(gradient if isinstance(gradient, float) else np.real(gradient))
    if isinstance(x, np.ndarray):
        if np.iscomplexobj(gradient) and not np.iscomplexobj(x):
            gradient = np.real(gradient)
        return np.array(np.broadcast_to(gradient, x.shape), dtype=x.dtype)
    if is_user_class(type(x)) or is_namedtuple(type(x)):
        return objects.object_gradient(gradient, x)
    if isinstance(x, (list, tuple)):
        if type(gradient) is list and len(gradient) == len(x) and set(map(type, x)) == {float} and all_floats(gradient):
            return like_sequence(x, [*map(float, gradient)])
        return like_sequence(x, [as_gradient(g, item) for g, item in zip(_items(gradient, len(x)), x)])
    if isinstance(x, dict):
        parts = {key: as_gradient(gradient.get(key, 0.0) if isinstance(gradient, dict) else gradient, item)
                 for key, item in x.items()}
        return collections.OrderedDict(parts) if type(x) is collections.OrderedDict else parts
    if isinstance(x, np.generic):
        return x.dtype.type(np.real(gradient) if np.iscomplexobj(gradient) and not np.iscomplexobj(x) else gradient)
    if isinstance(x, (int, float)):
        return float(np.real(gradient))
    return complex(gradient) if isinstance(x, complex) else gradient


def zero_gradient(x: Any) -> Any:
    """Zeros in the structure, shape and dtype of an input: a dict of arrays, numbers and such dicts, or a list of them."""
    if type(x) is list:
        return [zero_gradient(item) for item in x]
    if isinstance(x, dict):
        parts = {key: zero_gradient(item) for key, item in x.items()}
        return collections.OrderedDict(parts) if type(x) is collections.OrderedDict else parts
    return np.zeros(x.shape, x.dtype) if isinstance(x, np.ndarray) else as_gradient(0.0, x)


def index_set(base: Any, index: Any, value: Any) -> Any:
    """A copy of `base` with `base[index] = value`; the index may be a path: `at[1:][0]`, `at.weights[i]`."""
    if type(base) is np.ndarray and type(index) is not Path:
        result = base.copy("K")
        result[index] = value
        return result
    return set_at(base, index, value)


def index_store(base: Any, index: Any, value: Any) -> Any:
    """`base[index] = ...` before it is known what shares memory with `base`."""
    return index_set(base, index, value)


def attribute_store(base: Any, name: str, value: Any, direct: bool = False) -> Any:
    """`setattr(base, name, value)` before the name is known; what still stands so in the end never runs."""
    raise UnsupportedError("`setattr` with a name that is computed", remedy="Use a constant name, or keep the values in a dict.")


def index_update(base: Any, index: Any, value: Any) -> Any:
    """`base[index] op= ...` before it is known what shares memory with `base`."""
    return index_set(base, index, value)


def last_writes(ct: Any, base: Any, index: Any) -> Any:
    """The part of `ct` that `base[index] = value` passes to `value`: of repeated indices only the last write counts."""
    if type(index) is Path:
        *steps, last = steps_of(index)
        if steps:
            ct, base = adjoint_at(ct, steps), get_at(base, Path(tuple(steps)))
        if last[0] != "index" or not isinstance(ct, (np.ndarray, np.flatiter)):
            return adjoint_at(ct, [last])
        index = last[1]
    if isinstance(ct, np.flatiter):
        ct, base = np.array(ct), np.empty(len(base))
    if not isinstance(ct, np.ndarray):
        return item_at(ct, index)
    part = np.array(ct[index])
    if is_basic(index) or part.size == 0:
        return part[()]
    order = np.arange(part.size).reshape(part.shape)
    writer = np.zeros(np.shape(base), dtype=int)
    writer[index] = order
    part[writer[index] != order] = 0.0
    return part


def renewed(old: Any, new: Any) -> Any:
    """What `old op= ...` leaves in `old`, given the new value: an array keeps its shape and dtype, a number does not."""
    return laid_out_as(old, new) if isinstance(old, np.ndarray) else new


def laid_out_as(old: np.ndarray, new: Any) -> np.ndarray:
    """What `old op= ...` leaves in an array, given the new value: shape, dtype and the order of the axes in memory stay."""
    result = np.empty_like(old)
    result[...] = new
    return result


def spread_at(like: Any, index: Any, value: Any) -> Any:
    """The adjoint of `like` that is `value` at a place and zero elsewhere."""
    step, *rest = steps_of(index)
    if isinstance(like, np.ndarray):
        return index_set(zeros_like(like), index, value)
    if rest:
        inner = like[step[1]] if step[0] == "index" else getattr(like, step[1])
        value = spread_at(inner, Path(tuple(rest)), value)
    if isinstance(like, (list, tuple)):
        return index_set(zeros_like(like), step[1], value)
    return {step[1]: value}


def own(x: Any, *others: Any) -> Any:
    """A copy of an argument that the function changes in place; no other argument may share its memory."""
    if isinstance(x, np.ndarray):
        for other in others:
            if isinstance(other, np.ndarray):
                if np.may_share_memory(x, other):
                    refuse_sharing()
            elif not isinstance(other, (float, int, str)) and any(
                    np.may_share_memory(x, a) for a in reached([other]).values() if isinstance(a, np.ndarray)):
                refuse_sharing()
        return np.array(x)
    return own_parts(x)


def check_places(x: Any, places: tuple, *others: Any) -> None:
    """Refuse an argument if what changes in it can be reached in another way, too: in the argument itself or in others.

    places: paths of attributes and keys to what changes; one that ends in `...` changes with all that it holds.
    """
    changing: list = []
    for path in places:
        item, steps = x, path
        while steps and steps[0] is not ...:
            changing.append(item)
            if isinstance(item, np.ndarray):
                break
            try:
                item = item[steps[0]] if isinstance(item, (dict, list, tuple)) else getattr(item, steps[0])
            except (LookupError, AttributeError, TypeError):         # it gets it later
                break
            steps = steps[1:]
        else:
            changing += parts_of(item) if steps else [item]
    changing = [item for item in changing if not isinstance(item, tuple) or len(parts_of(item)) > 1]
    for position, other in enumerate((x, *others)):                     # (one of the others may be x itself)
        parts = parts_of(other)
        arrays = [part for part in parts if isinstance(part, np.ndarray)]
        known = collections.Counter(map(id, parts))
        ways = max((sum(np.may_share_memory(item, a) for a in arrays) if isinstance(item, np.ndarray) else known[id(item)]
                    for item in changing), default=0)
        if position == 0 and ways > 1:
            raise InputError("a value that the function changes in place can be reached in two ways in an argument",
                             remedy="Pass a copy for one of them.")
        if position and ways:
            refuse_sharing()


def own_parts(x: Any, within: tuple[int, ...] = ()) -> Any:
    """A copy of a container or object and of all arrays, containers and objects in it: of what is there twice, two copies. What
    is used up (random generators, iterators, streams) is the caller's own."""
    if isinstance(x, np.ndarray):
        return np.array(x)
    if id(x) in within:
        raise InputError("an argument that the function changes holds itself", remedy="Let its parts hold positions or names.")
    within = (*within, id(x))
    if isinstance(x, dict):
        own = x.copy()                                      # (a defaultdict is one)
        own.update({key: own_parts(item, within) for key, item in x.items()})
        return own
    if is_user_class(type(x)):
        return objects.make_object(type(x), **{name: own_parts(item, within) for name, item in attributes_of(x).items()})
    return like_sequence(x, [own_parts(item, within) for item in x]) if isinstance(x, (list, tuple)) else x


def refuse_sharing() -> None:
    raise InputError("an array that the function changes in place shares memory with another argument",
                     remedy="Pass a copy of one of them.")


def parts_of(x: Any) -> list:
    """The arrays, containers and objects in a value, each as often as it is found there (what it holds only once)."""
    found: list = []
    seen: set[int] = set()
    stack = [x]
    while stack:
        item = stack.pop()
        if isinstance(item, (list, tuple)):
            inner = list(item)
        elif isinstance(item, dict):
            inner = list(item.values())
        elif is_user_class(type(item)):
            inner = list(attributes_of(item).values())
        elif isinstance(item, (np.ndarray, *STREAMS)):
            inner = []
        else:
            continue
        found.append(item)
        if id(item) not in seen:
            seen.add(id(item))
            stack += inner
    return found


from sourcegrad.runtime import objects  # noqa: E402  (their helpers and these call each other)
