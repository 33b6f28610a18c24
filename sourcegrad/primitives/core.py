"""The registry of derivative rules and the vocabulary in which rules are written.

A rule is an ordinary function `(ct, out, *parameters of the primitive)`. It returns one adjoint contribution
for each leading parameter (None: that parameter has no derivative); a single contribution need not be a tuple.
Called directly it computes; in generated code its text is substituted, with static conditions evaluated away.
"""
from __future__ import annotations

import functools
import math
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sourcegrad.ir.scopes import MEANT as MEANT, VERSION as VERSION
from sourcegrad.ir.source import signature
from sourcegrad.kinds import results
from sourcegrad.runtime.dynamic import WHOLE


@dataclass(frozen=True)
class ArraySpec:
    """One argument of a sample: values drawn from a domain, of a given shape."""

    domain: Domain
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Domain:
    """Where sample values are drawn from; `DOMAIN(3, 4)` asks for an array of that shape."""

    name: str
    draw: Callable[[np.random.Generator, tuple[int, ...]], Any] = field(compare=False)

    def __call__(self, *shape: int) -> ArraySpec:
        return ArraySpec(self, shape)

    def __repr__(self) -> str:
        return self.name


def _either_sign(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)


def _distinct(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    size = int(np.prod(shape))
    values = (rng.permutation(size) - 0.5 * size + 0.3) / max(size, 1) * 3.0
    return values.reshape(shape)


def _well_conditioned(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return rng.uniform(-1.0, 1.0, shape) + 2.0 * np.eye(shape[-2], shape[-1])


REAL = Domain("REAL", lambda rng, shape: rng.uniform(-2.0, 2.0, shape))
POSITIVE = Domain("POSITIVE", lambda rng, shape: rng.uniform(0.5, 2.0, shape))
NONZERO = Domain("NONZERO", _either_sign)
UNIT = Domain("UNIT", lambda rng, shape: rng.uniform(-0.9, 0.9, shape))
ABOVE_ONE = Domain("ABOVE_ONE", lambda rng, shape: rng.uniform(1.2, 3.0, shape))
DISTINCT = Domain("DISTINCT", _distinct)
WELL_CONDITIONED = Domain("WELL_CONDITIONED", _well_conditioned)
COMPLEX = Domain("COMPLEX", lambda rng, shape: _either_sign(rng, shape) + 1j * _either_sign(rng, shape))


@dataclass(frozen=True)
class Sample:
    """Arguments at which a rule is tested: `ArraySpec`s (also inside lists and tuples) and plain static values."""

    args: tuple
    options: dict = field(default_factory=dict, hash=False)


def sample(*args: Any, **options: Any) -> Sample:
    return Sample(args, options)


@dataclass(frozen=True)
class Rule:
    """One derivative rule: see the module docstring."""

    function: Callable
    primitives: tuple
    elementwise: bool
    samples: tuple
    kind: Callable | None
    singular: bool | str
    parameters: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def by_user(self) -> bool:
        """Whether somebody else wrote it: nobody has looked at what it, and its function, do to their arguments."""
        return not (self.function.__module__ or "").startswith("sourcegrad.")


@dataclass(frozen=True)
class Primitive:
    """What is known of a function beside its derivative; `primitive_of(function)` finds it, `rule` and `describe` declare it.

    Memory.
    result: "new" memory; a "view" of an argument (always, where there are elements); "may view"; None: a helper of generated code
    may give a view, another function gives new memory.
    unless: name and position of an argument; where it is given a new result may be a view after all.
    alone: with more positional arguments than this the result is new.
    contents: the result is a new container that holds what an argument holds; "once": each part once, "repeated": some many times.
    read_only: the result is memory that must not be written into.
    shaped: position of the argument of which only the shape (and kind) is read.
    writes: the result is the first argument after a change of its "values", its "items", or of what is "inside" them.
    puts: positions of the arguments that the result then holds.
    takes: the result holds parts of the first argument, not itself.
    real: the result is real for real arguments ("kept"), or "always".
    order: the result may lie in memory otherwise than its operands ("other"), or row by row whatever they are ("rows").

    Values, of real arguments.
    operation: what is computed of two arguments by element: "+", "-", "*", "/", "**", "max", "min"; or "@", sums of products.
    folds: the operation with which all elements are reduced to one, or along an axis; "mean". running: with all results between.
    range: bounds of the result. Where it is at one that it can reach, its derivative is zero (by convention, as |x| at 0).
    power: the result is the argument to this power.
    slope: for positive arguments the derivative is about the argument to this power at most.
    branch_points: values of the first argument (pairs: of both) where the result is finite and its derivative is not.
    exponential: the result is this number to the power of the argument. inverse: the function that leads back.
    overflows: infinite where the argument is only large.
    fills: all elements of the result are this number.
    selects: positions of arguments of whose elements the result consists, all of them unless something is dropped.
    drops: only some elements count: those that are "chosen" by values or positions, which the rule passes on without a factor;
    likewise, but there may be factors ("weighted"); always the same "part".
    multiplies: elements of one argument with those of another.
    linear: the adjoint needs no values of arguments or result, but for positions.
    joins: the items of a list, the first argument, are the parts of the result.
    nan_aware: who asks for this has missing values among the data.

    state: the first argument is the state of objects, or their adjoints, which the call "reads" or "changes".
    place_method: the method of the second argument, or function of it, that does to a place what the call does, or asks the same of
    it, and how many arguments it has.
    objects: of objects that it is given it "copies" some, "looks" into them, "asks" their classes, "moves" references only; or they
    are changed "values".

    Calls.
    mutates: in the program the call changes its first argument and gives it: at a "place", an "attribute", or its "items".
    in_place: the helper that does to its first argument what this does to a copy. method: the method that does, or that gives
    the same view; and its further arguments.
    keyed: the second argument is a key. live: in the program the result shows what the argument holds later.
    iterates: reads all items of its first argument. parses: makes numbers of text. with_shape: the same with a shape for `shaped`.
    itself: the result is the first argument where that is an array of so many axes. splits: along which axis, "given": an argument.
    reduce, accumulate: what stands for these methods of a ufunc. parameters: names that no signature tells.
    special: the special method that it calls of objects. any_object: takes objects that are no numbers, such as None.
    effect: "calls" what may do anything, "draws" random numbers, or "checks" and raises an error. applies: calls functions that
    it is given.
    asks_memory: whether arguments share memory. seeded: without arguments, the results differ from time to time.
    gives: kind of the result, whatever the arguments. instead: plain Python that is differentiated in its place.
    otherwise: likewise, of calls that its rule does not take. only: of an option, the constants that the rule takes (...: any).
    remedy: what to write in its place; it is not differentiated. again: the function that stands for it in its derivative, where
    the number of derivatives counts.

    Forward mode (where neither of these is given, elementwise rules say it themselves, and `jvp` for what is left).
    tangent: "linear" in all arguments with a derivative together, or "multilinear", in each of them by itself.
    adds: options that add a constant, which has no part in the tangent.
    """

    result: str | None = None
    unless: tuple[str, int] | None = None
    alone: int | None = None
    contents: bool | str = False
    read_only: bool = False
    shaped: int | None = None
    writes: str | None = None
    puts: tuple[int, ...] = ()
    takes: bool = False
    real: str | None = None
    order: str | None = None
    operation: str | None = None
    folds: str | None = None
    running: bool = False
    range: tuple[float, float] | None = None
    power: float | None = None
    slope: float | None = None
    branch_points: tuple = ()
    exponential: float | None = None
    inverse: Callable | None = None
    overflows: bool = False
    fills: float | None = None
    selects: tuple[int, ...] = ()
    drops: str | None = None
    multiplies: bool = False
    linear: bool = False
    nan_aware: bool = False
    joins: bool = False
    state: str | None = None
    place_method: tuple[Any, int] | None = None
    objects: str | None = None
    mutates: str | None = None
    in_place: Callable | None = None
    method: tuple = ()
    keyed: bool = False
    live: bool = False
    iterates: bool = False
    parses: bool = False
    with_shape: Callable | None = None
    itself: int | None = None
    splits: int | str | None = None
    reduce: Callable | None = None
    accumulate: Callable | None = None
    parameters: tuple[str, ...] = ()
    special: str | None = None
    any_object: bool = False
    effect: str | None = None
    applies: bool = False
    asks_memory: bool = False
    seeded: bool = False
    gives: Any = None
    instead: Callable | None = None
    otherwise: Callable | None = None
    only: Mapping[str, Any] = field(default_factory=dict, hash=False)
    remedy: str | None = None
    again: Callable | None = None
    tangent: str | None = None
    adds: tuple[str, ...] = ()


PRIMITIVES: dict[Any, Primitive] = {}
METHODS_OF_DISTRIBUTIONS: dict[str, Callable] = {}          # of SciPy, by name: functions of the class that stands for one
EVALUATED: dict[type, Callable] = {}                        # classes of the library whose objects are called, and what that is
STOOD_FOR: dict[type, dict[type, tuple[str, Any] | None]] = {}     # by a class of ours those of a library that it stands for, each
                                                            # with the attribute, and its value, of the objects that do
UNKNOWN = Primitive()
LENGTH = (0.0, math.inf)                          # the range of distances


def describe(*functions: Any, **properties: Any) -> None:
    """Declare properties of functions (see `Primitive`), beside those that are declared already."""
    for function in functions if properties else ():
        PRIMITIVES[function] = replace(primitive_of(function), **properties)
        if isinstance(function, type) and isinstance(properties.get("instead"), type):
            STOOD_FOR.setdefault(properties["instead"], {})[function] = None


def declare(name: str, values: Mapping[Any, Any]) -> None:
    """Declare one property of many functions."""
    for function, value in values.items():
        describe(function, **{name: value})


def changes_place(function: Any) -> bool:
    """Whether a call is a store at a place, in the program."""
    return primitive_of(function).mutates == "place"


def primitive_of(function: Any) -> Primitive:
    """What is declared of a function; of anything else nothing is known."""
    try:
        return PRIMITIVES.get(function, UNKNOWN)
    except TypeError:                               # not hashable
        return UNKNOWN


RULES: dict[Any, Rule] = {}
JVPS: dict[Any, Rule] = {}                      # what gives the tangent, where the rule does not: see `jvp`
WRITTEN: dict[Callable, Rule] = {}              # by the function that says the rule, also where a user has replaced the primitive
ZERO_DERIVATIVE: dict[Any, Callable | None] = {}
DEPENDS: dict[Any, tuple[str, ...]] = {}        # parameters of such a function on whose values its result does depend


def rule(*primitives: Any, elementwise: bool = False, kind: Callable | None = None, singular: bool | str = False,
         samples: Iterable = (), **properties: Any) -> Callable[[Callable], Callable]:
    """Register the decorated function as the derivative rule of the primitives.

    elementwise: the result has the broadcast shape of the arguments; contributions are summed back to each
    argument's shape by the engine, so the rule ignores broadcasting.
    kind: `kind(*kinds, **kinds) -> Kind` of the result, called with the kinds of the call's arguments.
    singular: the rule divides or takes a root, so at some points a zero `ct` would give NaN or inf; the engine
    guards it where a selection (`where`, mask, maximum, clip) follows. "pole": the function itself is infinite or NaN there, too.
    samples: for elementwise rules tuples of domains, otherwise calls of `sample`; the tests are made from these.
    properties: what else is known of the functions, such as `result="view"` (the fields of `sourcegrad.primitives.core.Primitive`).

    >>> import numpy as np, sourcegrad as sg
    >>> def cube(x):            # stands for a function without Python source
    ...     return x ** 3
    >>> @sg.rule(cube, elementwise=True)
    ... def cube_rule(ct, out, x):
    ...     return 3.0 * ct * x ** 2
    >>> cube_rule(1.0, 8.0, 2.0)
    12.0
    """

    def register(function: Callable) -> Callable:
        names = tuple(signature(function).parameters)
        if names[:2] != ("ct", "out"):
            raise TypeError(f"a rule takes (ct, out, ...), {function.__name__} takes {names}")
        ours = function.__module__.startswith("sourcegrad.")
        for primitive in primitives:
            result_kind = kind or (results.elementwise(primitive) if elementwise else None)
            WRITTEN[function] = Rule(function, primitives, elementwise, tuple(samples), result_kind, singular, names[2:])
            if ours and put_in_place(primitive):
                continue
            RULES[primitive] = WRITTEN[function]
            is_whole(primitive)
            JVPS.pop(primitive, None)
            stands(primitive, "has a rule of its own (sg.rule)")
            ZERO_DERIVATIVE.pop(primitive, None)
        describe(*primitives, **properties)
        VERSION[0] += not ours                              # (ours are there before any code is)
        return function

    return register


def jvp(*primitives: Any) -> Callable[[Callable], Callable]:
    """Register the decorated function as what gives the tangent of the primitives.

    It is written as a rule: `(dot, out, *parameters of the primitive)`, where `dot` is the tangent of one argument at a time, and
    returns for each leading parameter what it adds to the tangent of the result (None: nothing). `conj` is the conjugate here.
    Functions that are linear (`tangent="linear"`, `"multilinear"`), or elementwise and holomorphic, need none.
    """

    def register(function: Callable) -> Callable:
        names = tuple(signature(function).parameters)
        if names[:2] != ("dot", "out"):
            raise TypeError(f"a rule for tangents takes (dot, out, ...), {function.__name__} takes {names}")
        for primitive in primitives:
            whole = RULES.get(primitive)
            if whole is not None and not whole.by_user:
                JVPS[primitive] = Rule(function, primitives, whole.elementwise, (), None, whole.singular, names[2:])
        return function

    return register


def put_in_place(function: Any) -> bool:
    """Whether a function of a user stands where one of a library stood when the rules were imported: it has none of their rules."""
    return isinstance(function, types.FunctionType) and of_user(function)


def of_user(function: Any) -> bool:
    """Whether a function or class is of no module of Python, NumPy and SciPy."""
    root = (getattr(function, "__module__", None) or "").partition(".")[0]
    return root not in sys.stdlib_module_names | {"numpy", "scipy", "sourcegrad"} - {"__main__"}


def declared(function: Any) -> bool:
    """Whether a function itself has a rule, no derivative, or a body in its place: also a compiled method, and a class method that
    is bound to its class."""
    try:
        return function in RULES or function in ZERO_DERIVATIVE or primitive_of(function).instead is not None
    except TypeError:                               # not hashable
        return False


PARTS: set[Callable] = set()


def part(function: Callable) -> Callable:
    """Text that several rules end with: `return function(a, b)`, with names as its parameters have, stands for its body."""
    PARTS.add(function)
    return function


def available(namespace: Any, *names: str) -> tuple:
    """Those of the functions that this version of NumPy or Python has, each once."""
    return tuple(dict.fromkeys(getattr(namespace, name) for name in names if hasattr(namespace, name)))


def foreign(function: Any) -> bool:
    """Whether a function with a rule, or without derivative, is one of the user: its result may be a view of what it is given."""
    if function in RULES:
        return RULES[function].by_user and not isinstance(function, np.ufunc)
    root = (getattr(function, "__module__", None) or "").partition(".")[0]
    return function in ZERO_DERIVATIVE and isinstance(function, types.FunctionType) and root not in ("numpy", "scipy", "sourcegrad")


def nondifferentiable(*functions: Any, kind: Callable | None = None, but: tuple[str, ...] = (), **properties: Any) -> Any:
    """Register that functions have derivative zero (comparisons, argmax, shapes, ...); returns the first.

    kind, properties: as in `rule`. but: parameters for which that does not hold (their names, by position; "*": any argument).

    >>> import sourcegrad as sg
    >>> @sg.nondifferentiable
    ... def label(x):
    ...     return int(x > 0)
    >>> sg.grad(lambda x: label(x) * x * x)(3.0) == 6.0
    True
    """
    ours = sys._getframe(1).f_globals.get("__name__", "").startswith("sourcegrad.")
    for function in functions:
        if ours and put_in_place(function):
            continue
        ZERO_DERIVATIVE[function] = kind
        is_whole(function)
        DEPENDS[function] = but
        RULES.pop(function, None)
        stands(function, "has no derivative (sg.nondifferentiable)")
    describe(*functions, **properties)
    VERSION[0] += not ours
    return functions[0] if ours or len(functions) > 1 or functions[0] not in STANDING else constant_on_tensors(functions[0])


ON_TENSORS: dict[str, Callable] = {}            # what the define-by-run front end puts here: calls with Tensors
STANDING: dict[Callable, str] = {}              # Python functions of users whose body is not what is differentiated, and why


def is_whole(function: Any) -> None:
    """Note that a class method, as it is bound to its class, is called as it is."""
    if isinstance(function, types.MethodType):
        WHOLE.add(function)


def stands(function: Any, why: str) -> None:
    if isinstance(function, types.FunctionType) and of_user(function):
        STANDING[function] = why


def constant_on_tensors(function: Callable) -> Callable:
    """The function, whose results have no history where it is called with Tensors."""

    @functools.wraps(function)
    def wrapper(*args: Any, **options: Any) -> Any:
        return ON_TENSORS["constant"](function, args, options) if ON_TENSORS else function(*args, **options)

    wrapper.__sourcegrad_original__ = (weakref.ref(wrapper), function)      # type: ignore[attr-defined]
    return wrapper


# --- static queries: rules ask these; in generated code they are answered from the kinds and disappear -----

def ndim(x: Any) -> int | None:
    """Rank of an argument; None for lists, and where generated code does not know (write the general case last)."""
    return None if isinstance(x, (list, tuple)) else int(np.ndim(x))


def conj(x: Any) -> Any:
    """Complex conjugate; disappears from generated code where x is real."""
    return np.conj(x) if np.iscomplexobj(x) else x


def is_complex(x: Any) -> bool | None:
    """Whether an argument is complex; None when not known."""
    return bool(np.iscomplexobj(x))


def constant_value(x: Any) -> int | float | None:
    """The number where an argument is one written in the source (2 in `x ** 2`), otherwise None."""
    return x if type(x) in (int, float) else None


def is_narrow(x: Any) -> bool:
    """Whether an argument certainly has a smaller dtype than float64 or complex128: what is computed from it may not."""
    return getattr(x, "dtype", None) in (np.float16, np.float32, np.complex64)


def hold_alike(container: Any, value: Any) -> bool:
    """Whether everything in a list or dict certainly has the shape of a value."""
    items = container.values() if isinstance(container, dict) else container
    return all(np.shape(item) == np.shape(value) for item in items)


def is_sequence(x: Any) -> bool:
    """Whether an argument certainly is a list, a tuple or an array."""
    return isinstance(x, (list, tuple, np.ndarray))


def is_known(x: Any) -> bool:
    """Whether the classes of all that an argument holds are known when code is generated."""
    return False


STATIC_QUERIES = {is_known, is_sequence, ndim, conj, is_complex, is_narrow, constant_value, hold_alike}
