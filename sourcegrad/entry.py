"""The entry of a gradient function: calls like an earlier one go straight to the generated code.

It is a small function of its own, made for the arguments of one call: the test of their types and shapes, and the test that
nothing has changed that the code was made from, are one expression. All other calls go the general way.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad import source
from sourcegrad.errors import Refusal, SourcegradError
from sourcegrad.frontend.quick import BY_TYPE, QUICK
from sourcegrad.guards import Test, Watched

ABSENT = object()
OFTEN = frozenset({2, *(2 ** n for n in range(6, 60, 2))})       # slow calls after which an entry is made, for the last of them
TEXT = """def entry({defaults}*_rest, **_options):
    try:
        known = ({tests})
    except (NameError, LookupError, AttributeError):
        known = False
    if known:
        try:
            return {function}({names})
        except {errors} as error:
            {refuse}(error)
            raise
    return {general}(*[a for a in ({names}*_rest,) if a is not {absent}], **_options)
"""


class Entered:
    """Objects whose call is a function that each of them has."""

    __slots__ = ("__call__",)


def entry(watched: Watched, args: tuple, general: Callable, refuse: Callable, bound: bool) -> Callable:
    """A function that calls generated code for arguments like these, and `general` for others. refuse(error): raises what
    the user is to see. bound: whether the first argument is the receiver of a method, which the caller does not give."""
    if bound or not all(map(simple, args)):
        return general
    test = Test(watched.relies, watched.version)
    names = [f"_{position}" for position in range(len(args))]
    tests = [c for name, value in zip(names, args) for c in conditions(name, value, test.known)]
    tests += ["not _rest", "not _options", *test.conditions]
    listed = "".join(f"{name}, " for name in names)
    text = TEXT.format(defaults=listed + ("/, " if names else ""), tests="\n            and ".join(tests),
                       function=test.known(watched.derived.function), names=listed,
                       errors=test.known((SourcegradError, Refusal, TypeError)), refuse=test.known(refuse),
                       general=test.known(general), absent=test.known(ABSENT))
    made = source.compile_function(text, "entry", "<sourcegrad entry>", test.globals, test.cells)
    made.__defaults__ = (ABSENT,) * len(args)
    return made


def simple(value: Any) -> bool:
    """Whether a test of what selects the generated code is short: for numbers, arrays, constants and lists of numbers."""
    return type(value) in QUICK or type(value) is list and BY_TYPE.issuperset(map(type, value))


def conditions(name: str, value: Any, known: Callable) -> list[str]:
    """Tests of what of an argument selects the generated code."""
    cls = type(value)
    if value is None:
        return [f"{name} is None"]
    tests = [f"{known(type)}({name}) is {known(cls)}"]
    if cls is np.ndarray:
        order = "" if value.flags.c_contiguous else "not "
        tests += [f"{name}.shape == {value.shape!r}", f"{name}.dtype is {known(value.dtype)}", f"{order}{name}.flags.c_contiguous"]
    elif cls is list:
        tests.append(f"{known(set)}({known(map)}({known(type)}, {name})) == {known(set(map(type, value)))}")
    elif cls is str or cls is bool:
        tests.append(f"{name} == {value!r}")
    return tests
