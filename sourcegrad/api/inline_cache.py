"""The inline cache of a gradient function: calls like an earlier one go straight to the generated code.

An entry is a small function, made for calls that look like one: how many arguments, which keywords. Whether the arguments are of
the kinds that the generated code is for, and whether nothing has changed that it was made from, are one expression (see `guards`).
What does not fit goes to the entry made before it, and at last the general way. Entries are kept with the generated code, so that
another gradient object of the same function has them, too.
"""
from __future__ import annotations

import functools
import types
import weakref
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.api.guards import NotWritten, Test, Watched, matching
from sourcegrad.errors import InputError, Refusal, SourcegradError
from sourcegrad.ir import source
from sourcegrad.ir.paths import base_of, bases, value_at

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


class Entered:
    """Objects whose call is a function that each of them has."""

    __slots__ = ("__call__",)


class Cache:
    """The general way of a gradient function, and the entries before it. (It does not keep the gradient function alive.)"""

    def __init__(self, gradient: Any) -> None:
        self.gradient = weakref.ref(gradient)
        self.known: set[tuple] = set()

    def __call__(self, *args: Any, **options: Any) -> Any:
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
        self.gradient, self.count, self.names = gradient, len(args), [name for name in options if name != "grad_outputs"]
        self.given = "option" if options.get("grad_outputs") is not None else (
            "fixed" if gradient._grad_outputs is not None and "grad_outputs" not in options else "none")
        whole, keywords, self.held = gradient._whole(args, options)
        self.parameters = gradient._signature().parameters
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

    def entry(self, watched: Watched, kinds: dict[str, k.Kind]) -> types.FunctionType:
        """The function for calls like this; NotWritten where the test would be long."""
        test = Test(watched.relies, watched.version)
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
        for place, expression in (*enumerate(positions), *keywords.items()):
            value = expression if expression in names else test.value()
            name = self.parameter(place)
            if place in self.floats:
                found = [f"{test.known(type)}({value}) is {test.known(int)}"]
            else:
                test.strict, test.met = name in bases(paths), []
                found = matching(test, value, self.kind(place, kinds), symbols)
            tests += [found[0].replace(value, f"({value} := {expression})", 1) if value != expression else found[0], *found[1:]]
            if any(base_of(path) == name != path for path in paths):         # what a path names is reached in one way only
                ids = ", ".join(f"{test.known(id)}({part})" for part in test.met)
                tests += [f"{test.known(alone)}({path!r}, {value})" for path in paths if base_of(path) == name] if (
                    "" in test.met) else [f"{test.known(len)}({{{ids}}}) == {len(test.met)}"]
            value = f"{test.known(float)}({value})" if place in self.floats else value
            arguments.append(value if isinstance(place, int) else f"{place}={value}")
        arguments += {"option": ["grad_outputs=_options['grad_outputs']"], "fixed": ["grad_outputs=_given"]}.get(self.given, [])
        listed = "".join(f"{name}, " for name in names)
        text = TEXT.format(defaults=listed + ("/, " if names else ""), tests="\n            and ".join([*tests, *test.conditions]),
                           derived=test.known(watched.derived), function=test.known(watched.derived.function), names=listed,
                           arguments=", ".join(arguments), errors=test.known((SourcegradError, Refusal, TypeError)),
                           absent=test.known(ABSENT))
        made = source.compile_function(text, "entry", "<sourcegrad entry>", test.globals, test.cells)
        made.__defaults__ = (ABSENT,) * self.count
        return made


def alone(path: str, value: Any) -> bool:
    """Whether a part of an argument is reached in one way only."""
    try:
        value_at(path, value, None)
    except InputError:
        return False
    return True


_by_code: dict[int, tuple[Any, dict]] = {}


def generated_code(function: Any) -> dict:
    """What was generated for a function, kept with it: it goes when the function goes.

    A lambda or inner function that captures nothing is made anew again and again: the last few are kept by their code."""
    inner = function.__name__ == "<lambda>" or "<locals>" in function.__qualname__
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
