"""Nothing goes stale: whether everything that generated code was made from is still what it was.

What is watched comes as (scope, name, object) and (scope, name, kind): `resolve` and `Infer` record them. `Watched.fresh`
compares all of it; `Watched.unchanged` is the same test as one compiled expression, for the fast path of a call.
"""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sourcegrad import kinds as k, source
from sourcegrad.frontend.resolve import MISSING, Members, Scope, foreign, live_kind
from sourcegrad.rules.core import VERSION

SCALARS = (float, int, complex)


@dataclass(eq=False)
class Watched:
    """Generated code, the version of the rule registry that it was made with, and its guards."""

    derived: Any
    version: int

    @property
    def fresh(self) -> bool:
        """Whether functions are the same objects, and data still of the kinds, that the code relies on."""
        return VERSION[0] == self.version and all(
            _same(*item) for item in (*self.derived.bindings, *self.derived.live))

    @functools.cached_property
    def unchanged(self) -> Callable[[], bool]:
        """`fresh` as a function of one expression: names are looked up as the interpreter does, in nanoseconds."""
        test = _Test(self.derived, self.version)
        text = ("def unchanged():\n    try:\n        return (" + "\n            and ".join(test.conditions)
                + ")\n    except (NameError, LookupError, AttributeError):\n        return False\n")
        return source.compile_function(text, "unchanged", "<sourcegrad guard>", test.globals, test.cells)


def _same(scope: Any, name: str, value: Any) -> bool:
    now = scope.lookup(name)
    return now is value or (isinstance(value, k.Kind) and now is not MISSING and live_kind(now, name) == value)


class _Test:
    """The conditions of a guard and the closure cells that they use."""

    def __init__(self, derived: Any, version: int) -> None:
        scopes = [scope for scope, *_ in (*derived.bindings, *derived.live) if isinstance(scope, Scope)]
        self.globals: dict = next((s.globals for s in scopes if "__builtins__" in s.globals), {})
        self.cells: dict[str, types.CellType] = {}
        self.numbers: dict[int, str] = {}
        self.conditions = [f"{self.known(VERSION)}[0] == {version}"]
        for scope, name, value in (*derived.bindings, *derived.live):
            found = self.condition(scope, name, value)
            if found is not None and found not in self.conditions:
                self.conditions.append(found)

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

    def condition(self, scope: Any, name: str, value: Any) -> str | None:
        if isinstance(scope, Scope) and name in scope.bound:
            return None
        if scope.lookup(name) is MISSING:
            return f"{self.known(scope)}.lookup({name!r}) is {self.known(MISSING)}"
        now = self.expression(scope, name)
        return self.kind(now, scope.lookup(name), name, value) if isinstance(value, k.Kind) else (
            f"{now} is {self.known(value)}")

    def expression(self, scope: Any, name: str) -> str:
        """The present object of a name."""
        if isinstance(scope, Members):
            if isinstance(getattr(scope.owner, name), types.MethodType):
                return f"{self.known(scope.owner)}.{name}.__func__"
            return f"{self.known(scope.owner)}.{name}"
        if not isinstance(scope, Scope):
            return f"{self.known(scope)}.lookup({name!r})"
        if name in scope.cells:
            return self.cell(scope.cells[name])
        if scope.globals is self.globals:
            return name
        if name in scope.globals:
            return f"{self.known(scope.globals)}[{name!r}]"
        return f"{self.known(scope)}.lookup({name!r})"

    def kind(self, now: str, value: Any, name: str, kind: k.Kind) -> str:
        """Scalars may have any value of their type, immutable objects are compared, containers looked into."""
        cls = type(value)
        if cls in SCALARS or isinstance(value, np.generic):
            return f"{self.known(type)}({now}) is {self.known(cls)}"
        if value is None or cls in (bool, str) or isinstance(kind, k.Fn):
            return f"{now} is {self.known(value)}"
        if cls is np.ndarray:
            return f"{now} is {self.known(value)} and {now}.shape == {value.shape!r}"
        return f"{self.known(live_kind)}({now}, {name!r}) == {self.known(kind)}"


def methods_of(kinds: Any) -> list[tuple[Any, str, Any]]:
    """Guards for the methods of the classes among the kinds of arguments: generated code may call any of them."""
    found: dict[type, Members] = {}

    def visit(kind: Any) -> None:
        if isinstance(kind, k.Obj) and not foreign(kind.cls):
            found.setdefault(kind.cls, Members(kind.cls))
        for part in getattr(kind, "items", None) or ():             # (of a `OneOf`: objects)
            visit(part[1] if isinstance(kind, (k.Dct, k.Obj)) else part)
        if isinstance(kind, k.Lst):
            visit(kind.item)

    for kind in kinds:
        visit(kind)
    return [(members, name, members.lookup(name)) for cls, members in found.items() for name in _methods(cls)]


def _methods(cls: type) -> list[str]:
    names = {name: item for base in reversed(cls.__mro__) if not foreign(base) for name, item in vars(base).items()}
    return [name for name, item in names.items() if isinstance(item, (types.FunctionType, staticmethod, classmethod))]
