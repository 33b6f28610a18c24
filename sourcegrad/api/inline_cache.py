"""The inline cache of a gradient function: calls like an earlier one go straight to the generated code.

An entry is a small function, made for calls that look like one: how many arguments, which keywords. Whether the arguments are of
the kinds that the generated code is for, and whether nothing has changed that it was made from, are one expression (see `guards`).
What does not fit goes to the entry made before it, and at last the general way. Entries are kept with the generated code, so that
another gradient object of the same function has them, too.
"""
from __future__ import annotations

import abc
import builtins
import functools
import itertools
import re
import reprlib
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.api.asked import names_asked
from sourcegrad.api.columns import NotWritten
from sourcegrad.api.guards import decisive, matching
from sourcegrad.api.inputs import PLAIN
from sourcegrad.compiler.linking import Derived
from sourcegrad.errors import InputError, Refusal, SourcegradError
from sourcegrad.ir import source
from sourcegrad.ir.effort import learned_now
from sourcegrad.ir.paths import base_of, bases, steps_of, value_at
from sourcegrad.ir.scopes import (
    MEANT,
    MISSING,
    VERSION,
    Body,
    Members,
    Registrations,
    Scope,
    check_meant,
    class_guards,
    foreign,
    live_kind,
    transparent,
)
from sourcegrad.runtime.core import made_for, told
from sourcegrad.runtime.structure import (
    CONTAINERS as HELD,
    attributes_of,
    is_compiled_function,
    is_user_class,
    is_user_object,
    reached,
)

ABSENT = object()
MOST = 8                                 # entries that are tried one after the other
TEXT = """def entry({defaults}*_rest, **_options):
    try:
        known = ({tests})
    except (NameError, LookupError, AttributeError):
        known = False
    if known:
        _last[0] = {derived}
        try:
            return {function}({arguments})
        except {errors} as error:
            if not getattr(error, "other_kind", False):
                _refuse(error)
                raise
    return _general(*[a for a in ({names}*_rest,) if a is not {absent}], **_options)
"""


class Receiver:
    """The receiver of a bound method, or an object that is called: the first argument."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def around(self, args: tuple, options: dict) -> tuple[tuple, dict]:
        return (self.value, *args), options


class Fixed:
    """What a functools.partial fixes: arguments before those of a call, and keywords that it does not give."""

    def __init__(self, value: functools.partial) -> None:
        self.value = value

    def around(self, args: tuple, options: dict) -> tuple[tuple, dict]:
        return (*self.value.args, *args), {**self.value.keywords, **options}


def unbound(function: Any) -> tuple[Any, list[Receiver | Fixed]]:
    """The plain function that is called in the end; what bound methods, partials and callable objects hold, outermost first."""
    layers: list[Receiver | Fixed] = []
    while True:
        if hasattr(function, "_layers"):
            return function, [*layers, *function._layers]
        if getattr(type(function), "__sourcegrad_effects__", False):         # custom_vjp, checkpoint
            return function.plain, layers
        if isinstance(function, functools.partial):
            layers.append(Fixed(function))
        elif isinstance(function, types.MethodType):
            layers.append(Receiver(function.__self__))
        inner = function._function if is_output(function) else transparent(function)
        inner = function.func if isinstance(function, functools.partial) else inner
        inner = function.__func__ if isinstance(function, types.MethodType) else inner
        if inner is function:
            if isinstance(function, (type, np.vectorize)) or not isinstance(type(function).__call__, types.FunctionType):
                return function, layers
            layers.append(Receiver(function))
            inner = type(function).__call__
        function = inner


def is_output(function: Any) -> bool:
    return hasattr(type(function), "__sourcegrad_outputs__")


class Entered:
    """Objects whose call is a function that each of them has."""

    __slots__ = ("__call__",)


class Cache:
    """The general way of a gradient function, and the entries before it. (It does not keep the gradient function alive.)"""

    def __init__(self, gradient: Any) -> None:
        self.gradient = weakref.ref(gradient)
        self.known: set[tuple] = set()

    def __call__(self, /, *args: Any, **options: Any) -> Any:
        return self.gradient()._general(args, options)                         # type: ignore[union-attr]

    def refuse(self, error: Any) -> None:
        self.gradient()._refuse(error)                                         # type: ignore[union-attr]

    def remember(self, watched: Watched, args: tuple, options: dict, bound: source.BoundArguments,
                 kinds: dict[str, k.Kind]) -> None:
        """Make calls like this one quick, if it is not the first."""
        gradient: Any = self.gradient()
        call = Call(gradient, args, options, bound)
        if (id(watched), call.shape) in self.known or not call.plain:
            return
        made = watched.entries.get(call.shape, 0)
        if made == 0:
            watched.entries[call.shape] = 1
            return
        if made == 1:
            try:
                made = watched.entries[call.shape] = call.entry(watched, kinds)
            except NotWritten:
                made = watched.entries[call.shape] = None
        if made is not None:
            if len(self.known) >= MOST:
                self.known.clear()
                gradient.__call__ = self
            self.known.add((id(watched), call.shape))
            own = {"_general": gradient.__call__, "_refuse": self.refuse, "_last": gradient._last, "_given": gradient._grad_outputs,
                   **{f"_layer_{j}": layer.value for j, layer in enumerate(gradient._layers)}}
            cells = [types.CellType(own[name]) if name in own else cell
                     for name, cell in zip(made.__code__.co_freevars, made.__closure__ or ())]
            gradient.__call__ = types.FunctionType(made.__code__, made.__globals__, "entry", made.__defaults__, tuple(cells))


class Call:
    """What a call looks like: what an entry is made for."""

    def __init__(self, gradient: Any, args: tuple, options: dict, bound: source.BoundArguments) -> None:
        self.parameters = gradient._signature().parameters
        weights = None if "grad_outputs" in self.parameters else options.get("grad_outputs")
        self.gradient, self.count = gradient, len(args)
        self.names = [name for name in options if name != "grad_outputs" or name in self.parameters]
        self.given = "option" if weights is not None else (
            "fixed" if gradient._grad_outputs is not None and "grad_outputs" not in options else "none")
        whole, keywords, self.held = gradient._whole(args, options)
        active = bases(gradient._active()[0])
        self.floats: list[int | str] = []                       # positions and names of whole numbers that count as floats
        self.plain = True
        for place, value in (*enumerate(whole), *keywords.items()):
            name = self.parameter(place)
            if name not in active:
                continue
            if type(value) is int and self.parameters[name].kind not in (2, 4):
                self.floats.append(place)
            elif self.parameters[name].kind in (2, 4) or bound.arguments[name] is not value:
                self.plain = False                              # converted, or one of many
        self.shape = (self.count, tuple(options), self.given, tuple(self.floats), tuple(
            (len(layer.value.args), *layer.value.keywords) if isinstance(layer, Fixed) else ()
            for layer in gradient._layers))

    def parameter(self, place: int | str) -> str:
        """The parameter that takes an argument."""
        p = list(self.parameters.values())
        if isinstance(place, int):
            positional = [x.name for x in p if x.kind <= 1]
            return positional[place] if place < len(positional) else next(x.name for x in p if x.kind == 2)
        found = self.parameters.get(place)
        return place if found is not None and found.kind in (1, 3) else next((x.name for x in p if x.kind == 4), "")

    def kind(self, place: int | str, kinds: dict[str, k.Kind]) -> Any:
        name = self.parameter(place)
        kind: Any = kinds[name]
        if self.parameters[name].kind == 2:
            return kind.items[place - sum(x.kind <= 1 for x in self.parameters.values())]      # type: ignore[operator]
        return kind.get(place) if self.parameters[name].kind == 4 else kind

    def asked(self, name: str, watched: Watched) -> frozenset[str] | None:
        """The names of attributes that are asked for in a parameter. (Of what has a derivative as a whole, or a tangent: any.)"""
        gradient, paths = self.gradient, self.gradient._active()[0]
        alike = {*gradient._alike, *gradient._alike.values()}
        if watched.asked is None or name in paths or name in alike or gradient._outputs:
            return None
        return watched.asked.union(*({key for attribute, key in steps_of(path) or () if attribute} for path in paths))

    def entry(self, watched: Watched, kinds: dict[str, k.Kind]) -> types.FunctionType:
        """The function for calls like this; NotWritten where the test would be long."""
        test = Test(watched.relies, watched.version, watched.asked)
        own = ["_general", "_refuse", "_last", "_given", *(f"_layer_{j}" for j in range(len(self.gradient._layers)))]
        test.cells.update({name: types.CellType() for name in own})
        names = [f"_{j}" for j in range(self.count)]
        count = len(self.names) + (self.given == "option")
        tests = ["not _rest", f"{test.known(len)}(_options) == {count}" if count else "not _options"]
        tests += ["_options['grad_outputs'] is not None"] if self.given == "option" else []
        positions, keywords = list(names), {name: f"_options[{name!r}]" for name in self.names}
        for j, layer in enumerate(self.gradient._layers):
            if not isinstance(layer, Fixed):
                positions.insert(0, f"_layer_{j}")
                continue
            positions[:0] = [f"_layer_{j}.args[{i}]" for i in range(len(layer.value.args))]
            keywords = {**{name: f"_layer_{j}.keywords[{name!r}]" for name in layer.value.keywords}, **keywords}
            tests.append(f"{test.known(len)}(_layer_{j}.keywords) == {len(layer.value.keywords)}")
        paths = self.gradient._active()[0]
        symbols: dict[str, str] = {}
        arguments = []
        values: dict[str, str] = {}
        for place, expression in (*enumerate(positions), *keywords.items()):
            value = expression if expression in names else test.value()
            name = self.parameter(place)
            if place in self.floats:
                found = [f"{test.known(type)}({value}) is {test.known(int)}"]
            else:
                test.strict, test.met, test.asked = name in bases(paths), [], self.asked(name, watched)
                test.gathering = any(base_of(path) == name != path for path in paths)
                found = matching(test, value, self.kind(place, kinds), symbols)
            tests += [found[0].replace(value, f"({value} := {expression})", 1) if value != expression else found[0], *found[1:]]
            if place not in self.floats and test.gathering:                  # what a path names is reached in one way only
                ids = ", ".join(part if part[:1] == "*" else f"{test.known(id)}({part})" for part in test.met)
                one = " and ".join(f"{test.known(alone)}({path!r}, {value})" for path in paths if base_of(path) == name)
                tests.append(one if "" in test.met else f"({test.known(distinct)}([{ids}]) or {one})")
            values[name] = value
            value = f"{test.known(float)}({value})" if place in self.floats else value
            arguments.append(value if isinstance(place, int) else f"{place}={value}")
        if watched.apart is not None:
            tests += watched.apart.tests(test, values, kinds, self.parameters)
        arguments += {"option": ["grad_outputs=_options['grad_outputs']"], "fixed": ["grad_outputs=_given"]}.get(self.given, [])
        listed = "".join(f"{name}, " for name in names)
        text = TEXT.format(defaults=listed + ("/, " if names else ""), tests="\n            and ".join([*tests, *test.conditions]),
                           derived=test.known(watched.derived), function=test.known(watched.derived.function), names=listed,
                           arguments=", ".join(arguments), errors=test.known((SourcegradError, Refusal, TypeError)),
                           absent=test.known(ABSENT))
        made = source.compile_function(text, "entry", "<sourcegrad entry>", test.globals, test.cells)
        made.__defaults__ = (ABSENT,) * self.count
        return made


def distinct(ids: list[int]) -> bool:
    return len(set(ids)) == len(ids)


def alone(path: str, value: Any) -> bool:
    """Whether a part of an argument is reached in one way only."""
    try:
        value_at(path, value, None)
    except InputError:
        return False
    return True


# --- Arguments that are reached from outside, too

ANY = object()                           # in the place of a key: how many items there are, or any of a list


class Apart:
    """Whether a call changes nothing that code reads as a global, closure cell, default, class attribute.

    The caller's memory is copied before it changes, and what lives outside is a constant: one place would be two.
    own: (parameter, steps, whether only what the last step names). outside: (scope, name, kind, steps)."""

    def __init__(self, derived: Derived, function: Any, parameters: Any) -> None:
        self.defaults = {name: p.default for name, p in parameters.items()}
        self.own: list[tuple[str, list, bool]] = []
        found: dict[tuple, tuple[Any, str, Any, list]] = {}
        levels = [derived]
        while levels:
            level = levels.pop()
            levels += level.below
            self.own += level.changes
            for scope, name, seen in level.relies:
                bound = isinstance(scope, Scope) and (name in scope.bound or scope.globals is function.__kwdefaults__)
                if bound or not isinstance(scope, (Scope, Members)) or getattr(scope, "owner", None) is function:
                    continue
                given = name in ("__defaults__", "__kwdefaults__")
                for step in level.reads.get(name, [None]) if isinstance(scope, Scope) else [None]:
                    if given and seen or isinstance(seen, k.Kind) and holding(seen):
                        key = id(getattr(scope, "owner", scope.globals if isinstance(scope, Scope) else 0)), name, step
                        found[key] = scope, name, None if given else seen, [] if step is None else [step]
        self.outside = list(found.values())

    @classmethod
    def of(cls, watched: Watched, gradient: Any) -> Apart:
        if watched.apart is None:
            watched.apart = cls(watched.derived, gradient._user, gradient._signature().parameters)
        return watched.apart

    def met(self, arguments: dict[str, Any]) -> tuple[str, Any, str] | None:
        """The first argument that is reached from outside: its name, scope and name outside."""
        if not self.outside or not self.may_meet(arguments):
            return None
        mine = [(parameter, Places(arguments.get(parameter, self.defaults[parameter]), steps, alone))
                for parameter, steps, alone in self.own]
        if not any(places.cells or places.arrays for *_, places in mine):
            return None
        there = [(scope, name, Places(scope.lookup(name), steps)) for scope, name, _, steps in self.outside]
        return next(((parameter, scope, name) for parameter, places in mine for scope, name, other in there
                     if places.meets(other)), None)

    def may_meet(self, arguments: dict[str, Any]) -> bool:
        """Whether anything is reached from both sides, or memory that arrays share: mostly nothing is."""
        mine = along((arguments.get(parameter, self.defaults[parameter]), steps) for parameter, steps, _ in self.own)
        there = along((scope.lookup(name), steps) for scope, name, _, steps in self.outside)
        roots, others = ({id(root_of(x)) for x in found.values() if isinstance(x, np.ndarray)} for found in (mine, there))
        return not mine.keys().isdisjoint(there) or not roots.isdisjoint(others)

    def check(self, arguments: dict[str, Any], origin: Callable[[], Any]) -> None:
        """Refuse a call whose arguments are reached from outside."""
        found = self.met(arguments)
        if found is None:
            return
        parameter, scope, name = found
        place = origin()
        owner = getattr(scope, "owner", None)
        where = f"as '{name}'" if owner is None else f"as a default of {owner.__name__}()" if name.startswith("__") else (
            f"as '{getattr(owner, '__name__', owner)}.{name}'")
        raise InputError(f"the argument '{parameter}' is changed in place, and also reached from outside, {where}", place,
                         "Pass a copy, or what is read there as an argument.")

    def tests(self, test: Test, values: dict[str, str], kinds: dict[str, k.Kind], parameters: Any) -> list[str]:
        """Conditions of an entry. values: expressions for arguments by parameters."""
        own: list[tuple[list[str] | None, bool]] = []
        for parameter, steps, _ in self.own:
            kind = kinds[parameter]
            if not holding(kind):
                continue
            if parameters[parameter].kind in (2, 4):
                raise NotWritten
            values.setdefault(parameter, test.known(self.defaults[parameter]))
            own.append(arrays_of(kind, values[parameter], steps))
        outside: list[tuple[list[str] | None, bool]] = [
            (None, True) if seen is None else arrays_of(seen, test.expression(scope, name, seen), steps)
            for scope, name, seen, steps in (self.outside if own else ())]
        pairs = dict.fromkeys((x, y) for mine, _ in own for x in mine or () for theirs, _ in outside for y in theirs or ())
        if len(pairs) > 8 or any(mine is None or theirs is None or cells and others
                                 for mine, cells in own for theirs, others in outside):
            given = {name: values[name] for name, *_ in self.own if name in values}
            listed = ", ".join(f"{name!r}: {value}" for name, value in given.items())
            return [f"{test.known(self.met)}({{{listed}}}) is None"]
        tests = []
        for one, other in pairs:
            x, y = (part if part.isidentifier() else test.value() for part in (one, other))
            first = [f"({name} := {part})" if name != part else name for name, part in ((x, one), (y, other))]
            tests.append(f"({first[0]} is not {first[1]} and ({x}.base is None and {y}.base is None or not "
                         f"{test.known(overlap)}({x}, {y})))")
        return tests


def holding(kind: Any) -> bool:
    """Whether values of a kind are arrays, containers or objects, or hold some."""
    if isinstance(kind, k.Num):
        return kind.boxed or kind.dims is None
    return not isinstance(kind, (k.Const, k.Fn, k.Discrete)) and not (isinstance(kind, k.Obj) and kind.cls in (range, slice))


def arrays_of(kind: Any, value: str, steps: list) -> tuple[list[str] | None, bool]:
    """Expressions for all arrays at a place in something of a kind (None: not known), and whether it holds, or is held by, more."""
    if isinstance(kind, k.Num) and kind.boxed:
        return [value], False
    if isinstance(kind, k.Num) and kind.dims is not None or not holding(kind):
        return [], bool(steps)
    if type(kind) is k.Tup:
        parts: dict[Any, tuple[str, Any]] = {j: (f"{value}[{j}]", item) for j, item in enumerate(kind.items)}
    elif isinstance(kind, k.Dct) and not kind.partial and kind.made is None:
        parts = {key: (f"{value}[{key!r}]", item) for key, item in kind.items}
    elif isinstance(kind, k.Obj) and kind.items is not None and not kind.maybe and is_user_class(kind.cls) and not any(
            hasattr(kind.cls, name) for name, _ in kind.items):
        parts = {name: (f"{value}.{name}", item) for name, item in kind.items}
    else:
        return None, True
    if steps and type(kind) is k.Tup or any(step not in parts for step in steps[:1]):
        return None, True
    found = [arrays_of(item, part, steps[1:]) for part, item in ([parts[steps[0]]] if steps else parts.values())]
    known = None if any(arrays is None for arrays, _ in found) else [x for arrays, _ in found for x in arrays or ()]
    return known, not steps or any(more for _, more in found) or not holding(parts[steps[0]][1])


def along(places: Iterable[tuple[Any, list]]) -> dict[int, Any]:
    """What is reached from places in values, and what holds them: arrays, containers and objects by their ids."""
    holders: dict[int, Any] = {}
    ends: list[Any] = []
    for value, steps in places:
        for step in steps:
            held = held_by(value)
            holders[id(value)] = value
            if held is None or isinstance(value, HELD) or step not in held:
                break
            value = held[step]
        ends.append(value)
    return {**holders, **reached(ends)}


class Places:
    """What lies at a place: arrays, and the items and attributes of containers and objects.

    alone: only what the last step names."""

    def __init__(self, value: Any, steps: list, alone: bool = False) -> None:
        self.cells: set[tuple] = set()
        self.arrays: dict[int, list[np.ndarray]] = {}
        held = held_by(value)
        for step in steps:
            if held is None or isinstance(value, HELD) or step not in held:
                break
            self.cells = {(id(value), step), *([(id(value), ANY)] if alone and isinstance(value, dict) else [])}
            value = held[step]
            held = held_by(value)
        else:
            if alone:
                return
        seen: dict[int, Any] = {}
        waiting = [value]
        while waiting:
            value = waiting.pop()
            held = held_by(value)
            if id(value) in seen:
                continue
            seen[id(value)] = value
            if isinstance(value, np.ndarray):
                self.arrays.setdefault(id(root_of(value)), []).append(value)
            if held is None:
                continue
            self.cells |= {(id(value), ANY if isinstance(value, HELD) else key) for key in held}
            self.cells.add((id(value), ANY))
            waiting += held.values()

    def meets(self, other: Places) -> bool:
        return not self.cells.isdisjoint(other.cells) or any(
            overlap(x, y) for root in self.arrays.keys() & other.arrays.keys()
            for x in self.arrays[root] for y in other.arrays[root])


def held_by(value: Any) -> dict | None:
    """What a container or object holds, by keys; None of anything else."""
    if type(value) in weakref.ProxyTypes:
        return None
    if isinstance(value, dict):
        return value
    if isinstance(value, HELD):
        return dict(enumerate(value))
    if is_compiled_function(type(value)):
        return None
    return attributes_of(value) if not isinstance(value, (np.ndarray, float, int, str)) and is_user_object(value) else None


def root_of(array: Any) -> Any:
    """What holds the memory of an array in the end."""
    while True:
        base = array.obj if isinstance(array, memoryview) else array.base if isinstance(array, np.ndarray) else None
        if base is None:
            return array
        array = base


def overlap(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two arrays share an element (or it takes long to find out)."""
    try:
        return x is y or np.may_share_memory(x, y) and np.shares_memory(x, y, max_work=1000)              # type: ignore[arg-type]
    except RuntimeError:                                     # TooHardError
        return True


_by_code: dict[int, tuple[Any, dict]] = {}


UNASKED = ("unasked",)          # among what was generated for a function: its code asks nothing about attributes when it runs


def ask_nothing(function: Any) -> bool:
    """From now on, code that is generated for a function asks nothing when it runs; whether it did before."""
    table = generated_code(function)
    asked = UNASKED not in table
    if asked:
        table.clear()
        table[UNASKED] = ()
        learned_now().known.clear()                         # the way that was chosen before asks
    return asked


def generated_code(function: Any) -> dict:
    """What was generated for a function, kept with it: it goes when the function goes.

    A lambda or inner function that captures nothing is made anew again and again: the last few are kept by their code."""
    inner = function.__name__ == "<lambda>" or "<locals>" in function.__qualname__
    inner = inner and not function.__code__.co_filename.startswith("<sourcegrad ")          # (one text has one function)
    if inner and not (function.__closure__ or function.__defaults__ or function.__kwdefaults__ or vars(function)):
        key = id(function.__code__)
        made, table = _by_code.pop(key, (function, {}))
        table = table if made.__globals__ is function.__globals__ and made.__code__ is function.__code__ else {}
        _by_code[key] = made, table                                 # the youngest comes last
        if len(_by_code) > 8:
            del _by_code[next(iter(_by_code))]
        return table
    found = vars(function).get("__sourcegrad_generated__")
    if found is None or found[0]() is not function:                 # (functools.wraps copies what a function has)
        found = function.__sourcegrad_generated__ = weakref.ref(function), {}
    return found[1]


# --- Guards: whether everything that generated code was made from is still what it was

class Watched:
    """Generated code with all that it relies on, and the version of the rule registry that it was made with.

    kinds: those of the arguments that it is for. Generated code may call any method of their classes, and of those of data."""

    def __init__(self, derived: Any, relies: list[tuple[Any, str, Any]], kinds: Iterable[k.Kind], version: int) -> None:
        self.derived, self.version = derived, version
        self.entries: dict[Any, Any] = {}                # for `inline_cache`
        self.unchanged: Callable[[], bool] | None = None             # written when it is first asked for
        self.apart: Apart | None = None                  # likewise
        self.takes: Callable[..., bool] | None = None    # whether it is for some arguments, of a callee that shows when it runs
        self.kinds = list(kinds)
        self.relies = [*relies, *classes_of([*self.kinds, *(seen for *_, seen in relies)])]

    @functools.cached_property
    def asked(self) -> frozenset[str] | None:
        """The names of all attributes that the code may ask for, or was made for asking for (None: any)."""
        return names_asked(self.derived, self.relies, self.kinds)

    def fresh(self) -> bool:
        """Whether functions are the same objects, and data of the kinds, that they were when the code was generated."""
        if self.unchanged is None:
            self.unchanged = self._unchanged()
        return self.unchanged()

    def _unchanged(self) -> Callable[[], bool]:
        test = Test(self.relies, self.version, self.asked)
        text = ("def unchanged():\n    try:\n        return (" + "\n            and ".join(test.conditions)
                + ")\n    except (NameError, LookupError, AttributeError):\n        return False\n")
        return source.compile_function(text, "unchanged", "<sourcegrad guard>", test.globals, test.cells)


class Test:
    """Conditions as text, and the closure cells that they use. Names of the user's module stand for themselves."""

    def __init__(self, relies: list[tuple[Any, str, Any]], version: int, asked: frozenset[str] | None = None) -> None:
        scopes = [scope for scope, *_ in relies if isinstance(scope, Scope)]
        self.globals: dict = next((s.globals for s in scopes if "__builtins__" in s.globals), {})
        self.cells: dict[str, types.CellType] = {}
        self.numbers: dict[int, str] = {}
        self.values, self.strict = 0, False      # strict: no bound methods and partials
        self.asked = asked                       # the names of all attributes that the code may ask for (None: any)
        self.met: list[str] = []                 # ids of arrays, containers and objects; "" where some have none
        self.gathering = False                   # whether they are wanted
        self.conditions = [f"{self.known(VERSION)}[0] == {version}"]
        found = [self.condition(*item) for item in relies]
        self.conditions += dict.fromkeys(text for text in found if text is not None)

    def known(self, value: Any) -> str:
        """A name for an object."""
        if id(value) not in self.numbers:
            self.numbers[id(value)] = self.cell(types.CellType(value))
        return self.numbers[id(value)]

    def cell(self, cell: types.CellType) -> str:
        name = next((n for n, c in self.cells.items() if c is cell), None)
        if name is None:
            name = f"_sourcegrad_{len(self.cells)}"
            self.cells[name] = cell
        return name

    def value(self) -> str:
        """A new local name."""
        self.values += 1
        return f"_value_{self.values}"

    def condition(self, scope: Any, name: str, seen: Any) -> str | None:
        """The test that a name means what it meant. Only what was recorded decides how it is written, not what there is now."""
        if isinstance(scope, Body):
            body = self.known(vars(scope.owner)) if name else ""
            return f"{body}[{name!r}] is {self.known(seen)}" if name else (
                f"{self.known(len)}({self.known(vars(scope.owner))}) == {seen}")
        now = self.expression(scope, name, seen)
        if not isinstance(seen, k.Kind):
            return None if isinstance(scope, Scope) and name in scope.bound else f"{now} is {self.known(seen)}"
        exact = f"{self.known(live_kind)}({{}}, {name!r}) == {self.known(seen)}"
        try:
            value = self.value()
            first, *rest = matching(self, value, seen, {})
            quick = " and ".join([first.replace(value, f"({value} := {now})", 1), *rest])
            return quick if decisive(seen) else f"({quick} or {exact.format(value)})"
        except NotWritten:
            return exact.format(now)

    def expression(self, scope: Any, name: str, seen: Any) -> str:
        """The present object of a name; an error where there is none."""
        if isinstance(scope, Members) and seen is not MISSING:
            return f"{self.known(scope.owner)}.{name}"
        if not isinstance(scope, Scope) or seen is MISSING:
            return f"{self.known(scope)}.lookup({name!r})"
        if name in scope.bound:
            return self.known(scope.bound[name])
        if name in scope.cells:
            return self.cell(scope.cells[name])
        if scope.globals is self.globals:
            return name
        if seen is getattr(builtins, name, MISSING):
            return f"{self.known(scope)}.lookup({name!r})"
        return f"{self.known(scope.globals)}[{name!r}]"


def only_for(kinds: dict[str, k.Kind], apart: Apart | None = None, origin: Callable[[], Any] = bool) -> Callable[..., None]:
    """`made_for` in the process that generates code, where also what has no name is known, and what lives outside."""
    test: Any = None

    def check(stated: Any, *values: Any) -> None:
        nonlocal test
        test = test or exact([kinds[name] for name in told(stated)])
        if not test(*values):
            made_for(stated, *values)
            raise InputError(f"this code was generated for other arguments than {reprlib.repr(values)}",
                             remedy="Generate code for these: sg.grad(f)(...).")
        if apart is not None:
            apart.check(dict(zip(told(stated), values)), origin)

    return check


def exact(kinds: Sequence[k.Kind], asked: Iterable[frozenset[str] | None] = ()) -> types.FunctionType:
    """A test whether some values are of some kinds. asked: the names of attributes that are asked for in each (see `Watched`)."""
    test, symbols, tests = Test([], VERSION[0]), dict[str, str](), ["True"]
    for j, (kind, names) in enumerate(itertools.zip_longest(kinds, asked)):
        met, test.asked = dict(symbols), names
        try:
            tests += matching(test, f"_{j}", kind, met)
        except NotWritten:
            tests.append(f"{test.known(k.forget_sizes)}({test.known(k.kind_of)}(_{j})) == {test.known(k.forget_sizes(kind))}")
        else:
            symbols = met
    text = (f"def known({', '.join(f'_{j}' for j in range(len(kinds)))}):\n    try:\n        return {' and '.join(tests)}\n"
            "    except (LookupError, AttributeError):\n        return False\n")
    return source.compile_function(text, "known", "<sourcegrad guard>", test.globals, test.cells)


def classes_of(relied: Iterable[Any]) -> list[tuple[Any, str, Any]]:
    """Guards for the classes among some kinds and objects."""
    found: dict[type, None] = {}
    abstract: list[tuple[Any, str, Any]] = []
    seen: dict[int, Any] = {}

    def visit(kind: Any) -> None:
        if isinstance(kind.value if isinstance(kind, k.Fn) else kind, abc.ABCMeta):
            abstract[:] = [(Registrations(), "", k.Const(abc.get_cache_token()))]
        if not isinstance(kind, k.Kind):
            return
        if id(kind) in seen:
            return
        seen[id(kind)] = kind
        if isinstance(kind, (k.Obj, k.Named)):
            found.setdefault(kind.cls)
        for part in getattr(kind, "items", None) or ():             # (of a `OneOf`: objects)
            visit(part[1] if isinstance(kind, (k.Dct, k.Obj)) else part)
        if isinstance(kind, (k.Lst, k.Map)):
            visit(kind.item)

    for item in relied:
        visit(item)
    return abstract + [item for cls in found for item in class_guards(cls)]


def library_guards(derived: Derived, origin: Callable) -> Iterator[tuple[Any, str, Any]]:
    """Guards for the functions of NumPy and Python that generated code names; refused where one is replaced already."""
    halves = [half for half in (derived.half, derived.backward) if half is not None]
    for half in halves:
        halves += [callee for callee in half.callees if callee not in halves]
        text = half.link.text if half.link else ""
        for name, owner in half.link.names.items() if half.link else ():
            for path in re.findall(rf"^[^#\n]*?\b{name}\.([\w.]+)", text, re.M) if isinstance(owner, types.ModuleType) else ():
                module = owner
                for part in path.split("."):
                    value = getattr(module, part, None)
                    check_meant(module, part, origin)
                    if (foreign(module) or module in MEANT) and callable(value):
                        yield Members(module), part, value
                    if not isinstance(value, types.ModuleType):
                        break
                    module = value


def own_guards(gradient: Any) -> list[tuple[Any, str, Any]]:
    """What a gradient function itself relies on: the kinds of defaults that can change; in a notebook, that the name of the
    function still means the function."""
    defaults = [(Scope({}, {}, {name: p.default}), name, live_kind(p.default, name)) for name, p in
                gradient._signature().parameters.items() if p.default is not p.empty and type(p.default) not in PLAIN]
    user = gradient._user
    now = user.__globals__.get(user.__name__) if source.cell_of(user.__code__.co_filename) else None
    named = gradient._tracked and isinstance(now, types.FunctionType)
    return [*([(Scope(user.__globals__), user.__name__, now)] if named else []), *defaults]
