"""Translation validation: the first calls also run the function itself, and the results must be equal.

Generated code computes what the function computes: tried on the first arguments.

What a function does to memory is told by an analysis, and the form without mutation, exits and exceptions that is
differentiated rests on it. So that form is run once beside the function itself, on copies of the arguments; where the two
results differ, no gradient is given. Both draw the same random numbers, and leave the generators as they were: the call
that follows draws them again. (A thread that draws from the same generators meanwhile changes what is compared.) What the first
calls can reach, in arguments and outside, is compared before and after, too: none of it may change. Compilers call this
translation validation (Pnueli, Siegel and Singerman, TACAS 1998).
"""
from __future__ import annotations

import collections
import copy
import functools
import itertools
import re
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from sourcegrad import kinds
from sourcegrad.api.inline_cache import HELD, root_of
from sourcegrad.errors import REPORT, InternalError, OutputError, Refusal, SourcegradError, UnsupportedError
from sourcegrad.ir import source
from sourcegrad.ir.paths import base_of, part_at
from sourcegrad.ir.scopes import STATIC, is_callable
from sourcegrad.runtime.places import NoNumber
from sourcegrad.runtime.structure import MODULE_STREAMS, STREAMS, attributes_of, is_user_object

CLOSE = {np.dtype(np.float32): 1e-2, np.dtype(np.complex64): 1e-2, np.dtype(np.float16): 1e-1}       # else 1e-6


def validated(gradient: Any, derived: Any, bound: source.BoundArguments) -> bool | Exception:
    """Compare generated code with what it was made from, before it is used; InternalError where they differ.

    True: it need not be tried with other arguments. An exception: the function raises it, and so must the caller do, also where the
    generated code runs through, as it does not compute what it does not need."""
    tried = [level for level in levels(derived) if level.trial is not None]
    before = Memory(gradient, derived, gradient._primal(bound)) if tried else None
    trusted = _validated(gradient, derived, bound, before)
    unchanged(before, True)
    derived.before = before                                     # for the call that follows, which takes it away
    return trusted


def levels(derived: Any) -> list:
    return [derived, *(level for below in derived.below for level in levels(below))]


def unchanged(before: Memory | None, itself: bool = False, raising: bool = True) -> None:
    """Put back what has changed of that which the caller holds, and raise an error. itself: the user's function ran."""
    name = None if before is None else before.put_back()
    if before is None or name is None or not raising:
        return
    from sourcegrad.ir import tree as t
    from sourcegrad.parse.resolve import describe
    user = before.gradient._user
    origin = t.origin_of(describe(user).tree)
    if itself:
        raise UnsupportedError(f"{user.__name__}() changes what '{name}' holds, which is not its own", origin,
                               "Pass it as an argument and return the new one.")
    raise InternalError(f"the code generated for {user.__name__}() changes what '{name}' holds", origin, REPORT)


class Memory:
    """What a call can reach, as it is now: its arguments, and globals, closure cells, defaults, class attributes."""

    def __init__(self, gradient: Any, derived: Any, bound: source.BoundArguments | None) -> None:
        self.gradient = gradient
        held = [(name, scope.lookup(name)) for level in levels(derived) for scope, name, _ in level.relies]
        seen: set[int] = set()
        places_outside = ((name, x) for name, value in held for x in memory_in(value, seen))
        self.outside = {id(x): (name, x) for name, x in itertools.islice(places_outside, MOST)}
        changed = {name for level in levels(derived) for name, *_ in level.changes}
        given = {} if bound is None else bound.arguments
        own: set[int] = set()
        for name in changed:
            list(memory_in(given.get(name), own))
        roots = {id(root_of(x)) for _, x in self.outside.values() if isinstance(x, np.ndarray)}
        reached = [(name, x) for name, value in given.items() for x in memory_in(value, set())]
        # what is also reached from outside, and does not change: copies would be apart
        self.shared = [x for _, x in reached if id(x) not in own and (id(x) in self.outside or isinstance(x, np.ndarray) and id(
            root_of(x)) in roots)] if self.outside else []
        places = {id(x): (name, x) for name, x in (*self.outside.values(), *reached)} if len(self.outside) < MOST else {}
        room, self.kept = LARGEST, list[tuple[str, Any, Any]]()
        for name, x in places.values():
            room -= x.nbytes if isinstance(x, np.ndarray) else 0
            if room > 0 or not isinstance(x, np.ndarray):
                self.kept.append((name, x, content(x)))

    def put_back(self) -> str | None:
        """Where something has changed; it is put back."""
        found = None
        for name, x, was in self.kept:
            if not still(x, was) and not remembered(x, was):
                found = name
                renew(x, was)
        return found


def remembered(x: Any, was: Any) -> bool:
    """Whether something is a dict that has only got entries, which it makes for itself where they are missing: no change that
    anybody sees."""
    return isinstance(x, dict) and hasattr(type(x), "__missing__") and len(x) > len(was) and all(
        key in x and _same(x[key], value) for key, value in was.items())


def still(x: Any, was: Any) -> bool:
    """Whether something holds what it held."""
    now = content(x)
    if isinstance(x, np.ndarray):
        return now.dtype == was.dtype and now.shape == was.shape and now.tobytes() == was.tobytes()     # type: ignore[no-any-return]
    return len(now) == len(was) and all(map(_same, now, was)) and (not isinstance(now, dict) or all(
        map(_same, now.values(), was.values())))


MOST, LARGEST = 20_000, 2**26           # containers and objects, and bytes of arrays, that are compared


def _same(one: Any, other: Any) -> bool:
    return one is other or type(one) is type(other) and isinstance(one, (float, int, str, complex)) and one == other


def content(x: Any) -> Any:
    """What an array, a container or an object holds, in a copy of its own."""
    if isinstance(x, (np.ndarray, dict)):
        return x.copy() if isinstance(x, np.ndarray) else dict(x)
    if isinstance(x, HELD):
        return list(x)
    lazy = {name for cls in type(x).__mro__ for name, value in vars(cls).items() if isinstance(value, functools.cached_property)}
    return {name: value for name, value in attributes_of(x).items() if name not in lazy}


def renew(x: Any, was: Any) -> None:
    """Put back what something held."""
    if isinstance(x, np.ndarray):
        x[...] = was
    elif isinstance(x, list):
        x[:] = was
    elif isinstance(x, (dict, set, collections.deque)):
        x.clear()
        (x.extend if isinstance(x, collections.deque) else x.update)(was)
    elif not isinstance(x, (tuple, frozenset)):
        for name in content(x).keys() - was.keys():
            object.__delattr__(x, name)
        for name, value in was.items():
            object.__setattr__(x, name, value)


def _validated(gradient: Any, derived: Any, bound: source.BoundArguments, before: Memory | None) -> bool | Exception:
    bound = gradient._primal(bound)
    below = [_validated(gradient._plain, inner, bound, before) for inner in derived.below]
    trusted = next((found for found in below if found is not True), True)
    trial = derived.trial
    if trial is None:
        return trusted
    reference = _reference(gradient, derived)
    raised: list[Exception] = []
    if trial.function is None:                                  # it changes nothing, and so needs no copies
        states = states_of(derived)
        try:
            if not derived.below and (wanted := _result(reference, bound, raised)) is None:
                return raised[0] if raised else False
        finally:
            rewind(states)
        derived.trial = None
        return trusted if derived.below else _number(gradient, wanted, trusted)
    generated = functools.partial(_by_name, trial.function, bound.signature)
    moves = [None, gradient._active()[0]] if _special(gradient, bound) else [None]
    for paths in moves[:trial.left]:                            # they are moved only when the first arguments are tried
        shared = [] if before is None else before.shared
        try:
            one, other, states = duplicated(bound, paths, shared), duplicated(bound, paths, shared), states_of(derived)
        except (Exception, Refusal):
            trial.left = 1
            break
        try:
            wanted = _result(reference, one, raised if paths is None else [])
            if wanted is None and paths is None:
                return raised[0] if raised else False
            rewind(states)
            unchanged(before, True)
            copies = Memory(gradient, derived, other)
            found = _result(generated, other) if wanted else None
            if copies.put_back() is not None and wanted:
                raise _differs(gradient, "changes an argument", wanted[0])
            if wanted and not found and not derived.below:
                rewind(states)
                found = _value(gradient, derived, bound, paths, wanted[0], shared)
        finally:
            rewind(states)
        _number(gradient, wanted)
        if wanted and found and not alike(found[0], wanted[0]):
            raise _differs(gradient, f"computes {_shown(found[0])}", wanted[0])
    trial.left -= 1
    if trial.left == 0:
        derived.trial = None
    return trusted if derived.trial is None or trusted is not True else False


def raised_by(function: Callable, bound: source.BoundArguments, error: Exception) -> Exception:
    """What a function itself raises, where no code could be generated for a call; else the error of the generator."""
    raised: list[Exception] = []
    try:
        _result(function, duplicated(bound, None), raised)
    except (Exception, Refusal):                             # there is no copy
        return error
    return raised[0] if raised else error


def states_of(derived: Any, held: list | None = None) -> list[tuple[Any, Any]]:
    """The random generators that are not in the arguments (of NumPy, of Python, in globals), each with its state. held: others."""
    held = [*(held or ()), *(scope.lookup(name) for scope, name, _ in (derived.relies if derived is not None else ()))]
    streams = {id(x): x for x in (*MODULE_STREAMS.values(), *held) if isinstance(x, STREAMS)}
    return [(x, x.bit_generator.state if isinstance(x, np.random.Generator) else x.get_state(legacy=False) if isinstance(
        x, np.random.RandomState) else x.getstate()) for x in streams.values()]


def rewind(states: list[tuple[Any, Any]]) -> None:
    for stream, state in states:
        if isinstance(stream, np.random.Generator):
            stream.bit_generator.state = state
        else:
            (stream.set_state if isinstance(stream, np.random.RandomState) else stream.setstate)(state)


def _special(gradient: Any, bound: source.BoundArguments) -> bool:
    """Whether inputs are zeros, or all the same: what is wrong may not show there."""
    for path in gradient._active()[0]:
        for x in _floats(part_at(path, bound.arguments.get(base_of(path)))):
            if not x.all() or (x == x.flat[0]).all() and (x.size > 1 or x.flat[0] == 1.0):
                return True
    return False


def _reference(gradient: Any, derived: Any) -> Callable:
    """What the code was made from: the user's function, or the code of the gradient one order below."""
    if derived.below:
        inner = gradient._plain
        given = {} if inner._grad_outputs is None else {"grad_outputs": inner._grad_outputs}
        return functools.partial(derived.below[0].function, **given)
    if not gradient._outputs:
        return gradient._plain                                                                     # type: ignore[no-any-return]
    from sourcegrad.parse.wrappers import Output
    return Output(gradient._plain, gradient._outputs)


def _by_name(primal: Any, signature: source.Signature, *args: Any, **options: Any) -> Any:
    """Call a generated primal, which takes all parameters of a function by position."""
    bound = signature.bind(*args, **options)
    bound.apply_defaults()
    names = primal.__code__.co_varnames[:primal.__code__.co_argcount]
    return primal(*[bound.arguments[name] for name in names])


def duplicated(bound: source.BoundArguments, moved: tuple[str, ...] | None = None,
               shared: Iterable[Any] = ()) -> source.BoundArguments:
    """Copies of arguments. moved: inputs that get other values than they have, a little larger ones. shared: what is no copy."""
    own = copy.copy(bound)
    own.arguments = dict(bound.arguments)
    own.apply_defaults()                                     # a function may change those, too
    marks = [v for v in own.arguments.values() if not getattr(v, "__dict__", type(v) is not object)]       # `x is MISSING`
    own.arguments = duplicate(own.arguments, [*marks, *shared])
    for path in moved or ():
        _move(path, own.arguments, {id(x) for x in shared})
    return own


def _result(function: Callable, own: source.BoundArguments, raised: list[Exception] | None = None) -> tuple[Any] | None:
    """What a function returns; None where it raises something, which is added to `raised`."""
    try:
        with np.errstate(all="ignore"):
            return (function(*own.args, **own.kwargs),)
    except NoNumber:                                 # other code is generated
        raise
    except (Exception, Refusal) as error:                    # the call that follows tells it to the user
        if raised is not None and not isinstance(error, (SourcegradError, Refusal)):
            raised.append(error)                             # type: ignore[arg-type]
        return None


def _number(gradient: Any, wanted: tuple[Any] | None, trusted: Any = True) -> Any:
    """Refuse a result that is no number, as it turned out when the function ran: text, bytes, a set, a function."""
    kind = kinds.kind_of(wanted[0]) if wanted else kinds.ANY
    if kinds.no_number(kind):
        raise OutputError(f"{gradient._user.__name__}() returns a {type(wanted[0]).__name__}, which has no derivative",   # type: ignore[index]
                          gradient._origin(), "Return a number.")
    return trusted


def _differs(gradient: Any, does: str, wanted: Any) -> InternalError:
    from sourcegrad.ir import tree as t
    from sourcegrad.parse.resolve import describe
    return InternalError(f"the code generated for {gradient._user.__name__}() {does}, and the function itself computes "
                         f"{_shown(wanted)}", t.origin_of(describe(gradient._user).tree), REPORT)


def _value(gradient: Any, derived: Any, bound: source.BoundArguments, paths: Any, wanted: Any, shared: list) -> tuple[Any] | None:
    """The value that a gradient function computes beside the gradient, where the form that stands for it does not run."""
    if len(bound.signature.parameters) < len(gradient._signature().parameters):           # forward mode: there are no tangents
        return None
    own = duplicated(bound, paths, shared)
    given = {} if gradient._grad_outputs is None else {"grad_outputs": gradient._grad_outputs}
    if gradient._with_value:
        if derived.given and not given:                      # weights come with the call; the value does not depend on them
            if gradient._has_aux or not isinstance(wanted, (float, np.floating, np.ndarray)):
                return None
            given = {"grad_outputs": wanted}
        try:
            with np.errstate(all="ignore"):
                called = derived.function if derived.reverse is None else functools.partial(
                    _by_name, derived.function, gradient._signature())
                return (called(*own.args, **own.kwargs, **given)[0],)
        except (SourcegradError, Refusal):                   # the call that follows tells it to the user
            return None
        except Exception as error:
            raise _differs(gradient, f"raises {type(error).__name__}: {error}", wanted) from error
    if not gradient._layers and paths is None and not given:
        gradient.value_and_grad.compiled(*own.args, **own.kwargs)           # which compares its value
    return None


def _move(path: str, values: dict[str, Any], fixed: set[int]) -> None:
    """Add to an input something else everywhere, up to a hundredth of what it is. fixed: what is the caller's."""
    part = part_at(path, values.get(base_of(path)))
    if isinstance(part, float) and path in values:
        values[path] = part + 0.007 * (1.0 + abs(part))
    for x in _floats(part):
        if x.flags.writeable and id(x) not in fixed:
            x += (0.01 * (1.0 + np.abs(x)) * np.modf(0.618 * np.arange(1, x.size + 1))[0].reshape(x.shape)).astype(x.dtype)


def _floats(part: Any) -> list[np.ndarray]:
    """The floats of an input as arrays; those that it holds as arrays are themselves."""
    found = [np.asarray(part)] if isinstance(part, float) else list(arrays_in(part, set()))
    return [x for x in found if x.size and x.dtype.kind in "fc"]


def duplicate(value: Any, kept: Iterable[Any] = ()) -> Any:
    """A deep copy in which arrays share memory as they do here; TypeError where that cannot be had. kept: what is no copy in it."""
    memo = {id(v): v for v in kept}
    roots: dict[int, np.ndarray] = {}
    for array in arrays_in(value, set(memo)):
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
    return (x for x in memory_in(value, seen) if isinstance(x, np.ndarray))


def memory_in(value: Any, seen: set[int]) -> Iterator[Any]:
    """All arrays, containers and objects that can be reached, each once (of very many only the first).

    What objects of NumPy, SciPy and Numba hold is their own: they keep there what they have found, as distributions and compiled
    functions do."""
    waiting = [value]
    while waiting and len(seen) < 10 * MOST:
        value = waiting.pop()
        if type(value) in weakref.ProxyTypes or isinstance(type(value).__getattribute__, types.FunctionType):
            continue                                        # (not even its class can be asked for without running code)
        if isinstance(value, (types.MethodType, types.BuiltinMethodType)):
            waiting.append(value.__self__)                  # `xs.append`; of a function of a module, the module
            continue
        if isinstance(value, functools.partial):
            waiting += (value.func, *value.args, *value.keywords.values())
            continue
        if id(value) in seen or isinstance(value, (str, int, float, *STATIC)) or is_callable(value) or (
                str(type(value).__module__).startswith(("numpy.", "scipy.", "numba."))):
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            yield value
            continue
        parts: list = list(value.values() if isinstance(value, dict) else value) if isinstance(value, (dict, *HELD)) else []
        inside = getattr(value, "__dict__", None)
        parts += inside.values() if isinstance(inside, dict) else ()        # (a wrapper of a library may say that it has any name)
        parts += [getattr(value, name) for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())
                  if isinstance(name, str) and hasattr(value, name)]
        if isinstance(value, (dict, *HELD)) or is_user_object(value):
            yield value
        waiting += reversed(parts)


def alike(found: Any, wanted: Any, within: tuple[int, ...] = ()) -> bool:
    """Whether two results are the same but for rounding, as far as they can be compared."""
    if id(wanted) in within:
        return True
    within = (*within, id(wanted))
    if isinstance(wanted, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(found) == len(wanted) and all(alike(f, w, within) for f, w in zip(found, wanted))
    if isinstance(wanted, dict) and isinstance(found, dict):
        return found.keys() == wanted.keys() and all(alike(found[key], wanted[key], within) for key in wanted)
    if any(isinstance(x, (str, bytes, type(None))) for x in (found, wanted)):
        return same_text(str(found), str(wanted))
    if not all(isinstance(x, (np.ndarray, np.generic, float, int, complex)) for x in (found, wanted)):
        one, other = (getattr(x, "__dict__", {}) for x in (found, wanted))
        return all(alike(one[name], other[name], within) for name in one.keys() & other.keys())
    one, other = np.asarray(found), np.asarray(wanted)
    if one.dtype.kind not in "fciub" or other.dtype.kind not in "fciub":
        return one.shape == other.shape and all(alike(f, w, within) for f, w in zip(one.ravel().tolist(), other.ravel().tolist()))
    finite = np.abs(other[np.isfinite(other)])
    scale = float(finite.max()) if finite.size else 1.0
    close = max(CLOSE.get(x.dtype, 1e-6) for x in (one, other))
    return one.shape == other.shape and np.allclose(one, other, rtol=close, atol=close * max(scale, 1e-300), equal_nan=True)


NUMBER = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def same_text(found: str, wanted: str) -> bool:
    """Whether two texts are the same but for the last digits of numbers, and addresses of objects."""
    one, other = ([float(n) if n[:2] != "0x" else 0.0 for n in NUMBER.findall(text)] for text in (found, wanted))
    return NUMBER.sub("#", found) == NUMBER.sub("#", wanted) and np.allclose(one, other, rtol=1e-6)


def _shown(value: Any) -> str:
    """A value in a message."""
    with np.printoptions(precision=6, threshold=6, edgeitems=2):
        text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."
