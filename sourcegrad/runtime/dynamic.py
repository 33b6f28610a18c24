"""Calls of what is only known at run time: closures, starred arguments, functions that call a function many times."""
from __future__ import annotations

import functools
import importlib
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import OutputError, Refusal, UnsupportedError
from sourcegrad.runtime.core import laid_out_as, zeros_like
from sourcegrad.runtime.structure import attributes_of

__all__ = ["own_adjoints", "own_copy", "call_forward", "call_forward_for", "call_reverse", "call_jvp", "variant_of",
           "call_unchanging", "callee", "pair_of", "closed", "method", "attribute", "check_keywords", "given_count",
           "apply_along_axis", "apply_over_axes", "fromfunction", "check_results", "in_ufunc_order",
           "broadcast_promoted", "broadcast_sizes", "promoted"]



# --- adjoints written by hand

def own_adjoints(name: str, adjoints: Any, *arguments: Any) -> tuple:
    """The adjoints that a hand-written reverse function returned, checked: one of the right shape for each argument."""
    advice = "Return a tuple with one adjoint for each parameter, None for those without derivative."
    if not isinstance(adjoints, (tuple, list)):
        raise OutputError(f"the reverse function of {name}() returned a {type(adjoints).__name__}, not a tuple of "
                          f"{len(arguments)}", remedy=advice)
    if len(adjoints) != len(arguments):
        raise OutputError(f"the reverse function of {name}() returned {len(adjoints)} adjoints for {len(arguments)} "
                          "parameters", remedy=advice)
    result = []
    for position, (adjoint, x) in enumerate(zip(adjoints, arguments)):
        if adjoint is None:
            adjoint = zeros_like(x)
        elif isinstance(x, (np.ndarray, np.generic, float, complex)) and np.shape(adjoint) != np.shape(x):
            raise OutputError(f"the reverse function of {name}() returned an adjoint of shape {np.shape(adjoint)} for "
                              f"parameter {position + 1}, which has shape {np.shape(x)}",
                              remedy="An adjoint has the shape of what it belongs to: sum over the axes of broadcasting.")
        elif isinstance(x, (np.ndarray, np.generic, float)) and np.iscomplexobj(adjoint) and not np.iscomplexobj(x):
            adjoint = np.real(adjoint)
        result.append(adjoint)
    return tuple(result)


def own_copy(value: Any) -> Any:
    """A value with arrays of its own, in tuples, lists and dicts, too: what a function without (readable) source holds and takes
    may be a buffer that its next call overwrites, or what it changes."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        items = map(own_copy, value)
        return value._make(items) if hasattr(value, "_make") else tuple(items) if type(value) is tuple else value
    if type(value) is list:
        return list(map(own_copy, value))
    return {key: own_copy(item) for key, item in value.items()} if type(value) is dict else value


# --- callees known at run time

def call_forward(f: Any, /, *args: Any, **keywords: Any) -> tuple:
    """`(f(...), pull)`; `call_reverse(pull, ct)` gives the adjoints of the arguments (of one argument: its adjoint)."""
    function = callee(f)
    forward, reverse = pair_of(None, function, args, keywords)
    value, saved = forward(function, *args, **keywords)
    return value, (reverse, saved)


def call_forward_for(wanted: tuple, f: Any, /, *args: Any, **keywords: Any) -> tuple:
    """As `call_forward`, for the adjoints at some positions (0: of f itself, keywords by name)."""
    function = callee(f)
    forward, reverse = pair_of(wanted, function, args, keywords)
    value, saved = forward(function, *args, **keywords)
    return value, (reverse, saved)


def call_reverse(pull: tuple, ct: Any) -> Any:
    """The adjoints of the arguments of a call from the adjoint of its value."""
    reverse, saved = pull
    return reverse(saved, ct)


def call_jvp(wanted: tuple, names: tuple, f: Any, /, *values: Any) -> tuple:
    """`(f(...), its tangent)` for the tangents of the arguments at some positions (0: of f itself), and of keywords by name.

    values: positional arguments, those of the keywords in `names`, and the tangents. (With one star generated code of this
    function knows how many there are.)"""
    function = callee(f)
    variant = variant_of(wanted, names, function, values)
    return variant(function, *values)                                                 # type: ignore[no-any-return]


def variant_of(wanted: tuple, names: tuple, f: Any, values: Any) -> Any:
    """The generated function of a callee for arguments of these kinds, which takes tangents after all arguments."""
    if not FINDER:                          # printed code runs without the generator, until it is needed
        importlib.import_module("sourcegrad.api.dynamic")
    args = values[:len(values) - len(wanted)]
    count = len(args) - len(names)
    return FINDER[1](wanted, f, tuple(args[:count]), dict(zip(names, args[count:])))


FINDER: list[Callable] = []                 # set by sourcegrad.api.dynamic: generates what is asked for the first time


def pair_of(wanted: Any, f: Any, args: tuple, keywords: dict) -> tuple:
    """The generated forward and reverse function of a callee for arguments of these kinds."""
    if not FINDER:                          # printed code runs without the generator, until it is needed
        importlib.import_module("sourcegrad.api.dynamic")
    return FINDER[0](wanted, f, args, keywords)


WHOLE: set[types.MethodType] = set()        # bound methods that have a rule, or no derivative, themselves


def callee(f: Any) -> Any:
    """A function with what is bound to it, as generated code sees it."""
    if isinstance(f, types.MethodType) and not (isinstance(f.__self__, type) and f in WHOLE):
        return Closed((f.__self__,), f.__func__)
    if isinstance(f, functools.partial):
        return Closed((*f.args, *f.keywords.values()), f.func, tuple(f.keywords))
    return f


class Closed(tuple):
    """A nested function, partial or bound method: the tuple of what is bound, with the function that takes it first."""

    function: Any
    keywords: tuple[str, ...]

    def __new__(cls, values: Any, function: Any = None, keywords: tuple[str, ...] = ()) -> Closed:
        new = super().__new__(cls, values)
        new.function, new.keywords = function, keywords
        return new

    def __call__(self, *args: Any, **options: Any) -> Any:
        split = len(self) - len(self.keywords)
        return self.function(*self[:split], *args, **{**dict(zip(self.keywords, self[split:])), **options})

    @property
    def __signature__(self) -> Any:
        """The parameters that are not bound."""
        whole = importlib.import_module("sourcegrad.ir.source").signature(self.function)
        found = list(whole.parameters.values())[len(self) - len(self.keywords):]
        return whole.replace(parameters=[p for p in found if p.name not in self.keywords])

    __add__ = __mul__ = __rmul__ = __lt__ = __le__ = __gt__ = __ge__ = None           # type: ignore[assignment]

    def __bool__(self) -> bool:
        """A function is true, also one to which nothing is bound."""
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Closed) and self.function is other.function and len(self) == len(other) and all(map(
            operator.is_, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.function)


def closed(function: Any, values: tuple, keywords: tuple[str, ...] = ()) -> Closed:
    """The value of a nested function that is called where only its value is known."""
    return Closed(values, function, keywords)


class Named:
    """A method or attribute by its name, as a function of the object."""

    __sourcegrad_callable__ = True

    def __init__(self, name: str, called: bool) -> None:
        self.name, self.called = name, called
        self.__name__ = name

    def __call__(self, owner: Any, *args: Any, **keywords: Any) -> Any:
        found = getattr(owner, self.name)
        return found(*args, **keywords) if self.called else found


@functools.cache
def method(name: str) -> Named:
    """`method("run")(x, ...)` is `x.run(...)`."""
    return Named(name, True)


@functools.cache
def attribute(name: str) -> Named:
    """`attribute("w")(x)` is `x.w`."""
    return Named(name, False)


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def call_unchanging(f: Any, /, *args: Any, **keywords: Any) -> Any:
    """`f(...)` through which no derivative flows, if it leaves itself and its arguments as they are."""
    values = [getattr(f, "__self__", f), *args, *keywords.values()]
    before = [_content(x) for x in values]
    result = f(*args, **keywords)
    for x, content in zip(values, before):
        if _content(x) != content:
            name = getattr(f, "__name__", type(f).__name__)
            raise Refusal(UnsupportedError(f"{name}() is only known at run time, and changes its argument in place",
                                           remedy="Let it return a new array, or call it by its name."))
    return result


def _content(x: Any, seen: frozenset = frozenset()) -> Any:
    """What a value holds now, as something that compares: bytes of arrays, identities and contents of parts."""
    if isinstance(x, np.ndarray):
        return x.shape, x.tobytes()
    if id(x) in seen:
        return None
    seen |= {id(x)}
    if isinstance(x, functools.partial):
        x = [x.func, *x.args, *x.keywords.values()]
    elif isinstance(x, FUNCTIONS):
        cells = getattr(x, "__closure__", None) or ()
        x = [cell.cell_contents for cell in cells if cell != types.CellType()] or [getattr(x, "__self__", None)]
    if isinstance(x, (list, tuple)):
        return [(id(item), _content(item, seen)) for item in x]
    if isinstance(x, (type, types.ModuleType)) or type(x).__module__ == "logging":              # (a logger remembers its levels)
        return None
    parts = x if isinstance(x, dict) else attributes_of(x)
    return [(key, id(item), _content(item, seen)) for key, item in parts.items()]


def given_count(values: Any, least: int, most: int | None) -> int:
    """How many arguments `*values` gives; TypeError as Python where a function does not take so many."""
    count = len(values)
    if count < least or most is not None and count > most:
        wanted = str(least) if least == most else f"at least {least}" if most is None else f"from {least} to {most}"
        raise TypeError(f"{wanted} positional arguments are expected from `*`, but {count} were given")
    return count


def check_keywords(mapping: Any, needed: tuple, allowed: tuple | None) -> None:
    """TypeError as Python where `**mapping` has not the arguments that a function takes."""
    for name in needed:
        if name not in mapping:
            raise TypeError(f"missing required argument '{name}'")
    if allowed is None:
        return
    for name in mapping:
        if name not in allowed:
            raise TypeError(f"got an unexpected keyword argument '{name}'")


def apply_along_axis(func1d: Callable, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """np.apply_along_axis"""
    arr = np.asarray(arr)
    moved = np.moveaxis(arr, axis, -1)
    axis = axis % arr.ndim
    lead = moved.shape[:-1]
    rows = np.reshape(moved, (math.prod(lead), arr.shape[axis]))
    values = [func1d(rows[j], *args, **kwargs) for j in range(rows.shape[0])]
    check_results(values)
    found = np.array(values)
    result = np.reshape(found, lead + found.shape[1:])
    count = found.ndim - 1
    if count == 0:
        return result
    return np.moveaxis(result, tuple(range(arr.ndim - 1, arr.ndim - 1 + count)), tuple(range(axis, axis + count)))


def apply_over_axes(func: Callable, a: Any, axes: Any) -> Any:
    """np.apply_over_axes"""
    value = np.asarray(a)
    rank = np.ndim(value)
    for axis in np.atleast_1d(axes):
        place = int(axis) + rank if axis < 0 else int(axis)
        part = func(value, place)
        value = part if np.ndim(part) == rank else np.expand_dims(part, place)
        if np.ndim(value) != rank:
            raise ValueError("function is not returning an array of the correct shape")
    return value


def fromfunction(function: Callable, shape: tuple, *, dtype: Any = float, **kwargs: Any) -> Any:
    """np.fromfunction"""
    grid = np.indices(shape, dtype=dtype)
    if len(shape) == 1:
        return function(grid[0], **kwargs)
    if len(shape) == 2:
        return function(grid[0], grid[1], **kwargs)
    if len(shape) == 3:
        return function(grid[0], grid[1], grid[2], **kwargs)
    return function(*tuple(grid), **kwargs)


def check_results(values: list) -> None:
    """What a function gave for every element: numbers or arrays, of the dtype of the first, as NumPy makes them."""
    if not values:
        raise ValueError("cannot call a function on inputs of size 0")
    first = values[0]
    if isinstance(first, (tuple, list)):
        raise UnsupportedError("a function with several results, called for every element",
                               remedy="Call one function for each result.")
    found, wanted = np.result_type(*[np.asarray(v) for v in values]), np.asarray(first).dtype
    if found != wanted and wanted.kind in "biu" and found.kind in "fc":
        raise UnsupportedError(f"the first element gives a value of dtype {wanted}, others of {found}: NumPy rounds them all",
                               remedy="Return a float for every element (0.0, not 0).")


def in_ufunc_order(values: Any, *operands: Any) -> Any:
    """The same values in a new array, laid out in memory as a ufunc lays out what it gives for these operands."""
    if np.ndim(values) < 2 or all(np.asarray(x).flags.c_contiguous for x in operands):
        return np.copy(values)
    like = np.frompyfunc(lambda *items: None, len(operands), 1)(*operands)
    return laid_out_as(np.empty_like(like, dtype=values.dtype), values)


def promoted(*args: Any, broadcast: bool = False, force_floating: bool = False, xp: Any = None) -> Any:
    """SciPy's xp_promote, for up to two NumPy arrays (or None)."""
    if len(args) == 1:
        return as_floats(args[0], force_floating)
    first, second = args
    if second is None:
        return as_floats(first, force_floating), None
    first, second = as_floats(first, force_floating), as_floats(second, force_floating)
    if broadcast:
        shape = np.broadcast_shapes(np.shape(first), np.shape(second))
        return np.broadcast_to(first, shape), np.broadcast_to(second, shape)
    return first, second


def broadcast_sizes(*shapes: Any) -> Any:
    """The broadcast_shapes of array_api_extra, for the known sizes of NumPy."""
    return np.broadcast_shapes(*shapes)


def broadcast_promoted(*args: Any, ensure_writeable: bool = False, force_floating: bool = False, xp: Any = None) -> Any:
    """SciPy's xp_broadcast_promote (before 1.16), for up to two NumPy arrays (or None): always a list."""
    first = as_floats(args[0], force_floating)
    if len(args) == 1 or args[1] is None:
        found = [np.array(first) if ensure_writeable else first]
        return found if len(args) == 1 else [found[0], None]
    second = as_floats(args[1], force_floating)
    shape = np.broadcast_shapes(np.shape(first), np.shape(second))
    first, second = np.broadcast_to(first, shape), np.broadcast_to(second, shape)
    return [np.array(first), np.array(second)] if ensure_writeable else [first, second]


# what stands for functions of scipy._lib and scipy.special, and for those of array_api_extra
ARRAY_HELPERS: dict[str, Callable] = {"xp_promote": promoted, "xp_broadcast_promote": broadcast_promoted}
ARRAY_EXTRA: dict[str, Callable] = {"broadcast_shapes": broadcast_sizes}


def as_floats(x: Any, force: bool) -> Any:
    if force and np.asarray(x).dtype.kind in "iub":
        return np.asarray(x, dtype=float)
    return np.asarray(x)
