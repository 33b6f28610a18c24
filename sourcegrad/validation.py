"""Generated code computes what the function computes: tried on the first arguments.

What a function does to memory is told by an analysis, and the form without mutation, exits and exceptions that is
differentiated rests on it. So that form is run once beside the function itself, on copies of the arguments; where the two
results differ, no gradient is given. Compilers call this translation validation (Pnueli, Siegel and Singerman, TACAS 1998).
"""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sourcegrad import source, tree as t
from sourcegrad.errors import InternalError, Refusal
from sourcegrad.frontend.outputs import Output
from sourcegrad.frontend.resolve import describe

CLOSE = {np.dtype(np.float32): 1e-2, np.dtype(np.complex64): 1e-2, np.dtype(np.float16): 1e-1}       # else 1e-6
REMEDY = "This is a defect of sourcegrad: please report it, with the function."


def validate(gradient: Any, derived: Any, bound: source.BoundArguments) -> None:
    """Compare generated code with what it was made from, before it is used; InternalError where they differ."""
    for inner in derived.below:
        validate(gradient._plain, inner, bound)
    primal = derived.primal
    if primal is None:
        return
    wanted = _result(_reference(gradient, derived), bound)
    found = _result(functools.partial(_by_name, primal, gradient._signature()), bound) if wanted else None
    if wanted and found and not alike(found[0], wanted[0]):
        raise InternalError(f"the code generated for {gradient._user.__name__}() computes {found[0]!r}, and the function itself "
                            f"{wanted[0]!r}", t.origin_of(describe(gradient._user).tree), REMEDY)
    derived.primal = None


def _reference(gradient: Any, derived: Any) -> Callable:
    """What the code was made from: the user's function, or the code of the gradient one order below."""
    if derived.below:
        inner = gradient._plain
        given = {} if inner._grad_outputs is None else {"grad_outputs": inner._grad_outputs}
        return functools.partial(derived.below[0].function, **given)
    return Output(gradient._plain, gradient._outputs) if gradient._outputs else gradient._plain


def _by_name(primal: Any, signature: source.Signature, *args: Any, **options: Any) -> Any:
    """Call a generated primal, which takes all parameters of a function by position."""
    bound = signature.bind(*args, **options)
    bound.apply_defaults()
    names = primal.__code__.co_varnames[:primal.__code__.co_argcount]
    return primal(*[bound.arguments[name] for name in names])


def _result(function: Callable, bound: source.BoundArguments) -> tuple[Any] | None:
    """What a function returns for copies of arguments; None where they cannot be copied, or it raises something."""
    try:
        own = copy.copy(bound)
        own.arguments = duplicate(bound.arguments)
        with np.errstate(all="ignore"):
            return (function(*own.args, **own.kwargs),)
    except (Exception, Refusal):                             # the call that follows tells it to the user
        return None


def duplicate(value: Any) -> Any:
    """A deep copy in which arrays share memory as they do here; TypeError where that cannot be had."""
    memo: dict[int, Any] = {}
    roots: dict[int, np.ndarray] = {}
    for array in arrays_in(value, set()):
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        if id(root) not in roots:
            roots[id(root)] = root.copy(order="K")
        new = roots[id(root)]
        if type(array) is not np.ndarray or array.dtype.hasobject or root.base is not None or new.strides != root.strides:
            raise TypeError(f"a copy of {type(array).__name__} that shares memory in the same way")
        offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        view = np.ndarray(array.shape, array.dtype, new.ravel(order="K"), offset, array.strides)
        view.flags.writeable = array.flags.writeable
        memo[id(array)] = view
    return copy.deepcopy(value, memo)


def arrays_in(value: Any, seen: set[int]) -> Iterator[np.ndarray]:
    """All arrays that containers and objects hold, each once."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
        return
    parts: list = []
    if isinstance(value, dict):
        parts += value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts += value
    parts += getattr(value, "__dict__", {}).values() if not isinstance(value, type) else ()
    parts += [getattr(value, name) for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())
              if isinstance(name, str) and hasattr(value, name)]
    for part in parts:
        yield from arrays_in(part, seen)


def alike(found: Any, wanted: Any) -> bool:
    """Whether two results are the same but for rounding, as far as they can be compared."""
    if isinstance(wanted, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(found) == len(wanted) and all(map(alike, found, wanted))
    if isinstance(wanted, dict) and isinstance(found, dict):
        return found.keys() == wanted.keys() and all(alike(found[key], wanted[key]) for key in wanted)
    if not all(isinstance(x, (np.ndarray, np.generic, float, int, complex)) for x in (found, wanted)):
        return True
    one, other = np.asarray(found), np.asarray(wanted)
    if one.dtype.kind not in "fciub" or other.dtype.kind not in "fciub":
        return True
    finite = np.abs(other[np.isfinite(other)])
    scale = float(finite.max()) if finite.size else 1.0
    close = max(CLOSE.get(x.dtype, 1e-6) for x in (one, other))
    return one.shape == other.shape and np.allclose(one, other, rtol=close, atol=close * max(scale, 1e-300), equal_nan=True)
