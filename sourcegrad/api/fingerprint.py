"""Fingerprints: what a function is, and all that it reaches, as text that is the same in every process as long as nothing changes.

From the function on, everything that a name in its code may mean is looked at and numbered: functions (code, text, place, defaults,
captured variables), classes with all they hold, attributes of modules; data count by their kind, as in the guards. What belongs to
Python, NumPy, SciPy or sourcegrad counts by its name: their versions are part of every key. `Unknown` says that something could not
be found again in another process.
"""
from __future__ import annotations

import abc
import builtins
import dataclasses
import dis
import enum
import functools
import hashlib
import operator
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.errors import LIBRARIES
from sourcegrad.ir import source
from sourcegrad.ir.scopes import CACHED, MISSING, code_like, is_distribution, live_kind, transparent

FOREIGN = (sys.stdlib_module_names | {"numpy", "scipy", "sourcegrad", "builtins"}) - {"__main__"}
PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))
# of what a class holds: nobody reads it for a derivative
UNTOLD = {"__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__annotate__", "__annotate_func__",
          "__annotations_cache__", "__static_attributes__", "__firstlineno__", "__type_params__", "__orig_bases__",
          "__parameters__", "_abc_impl"}
PARTS = {property: ("fget", "fset", "fdel"), classmethod: ("__func__",), staticmethod: ("__func__",),
         functools.cached_property: ("func", "attrname")}
TYPES = {value: name for name, value in vars(types).items() if type(value) is type and not hasattr(builtins, value.__name__)}
IMPORT = dis.opmap["IMPORT_NAME"]
OURS: dict[str, Any] = {"Gradient": operator.attrgetter("_function", "_inputs", "_grad_outputs", "_with_value", "_has_aux"),
                        "Output": operator.attrgetter("_function", "_names"), "Checkpoint": lambda value: (value.function,)}
MOST = 3000


class Unknown(Exception):
    """Something that could not be found again in another process."""


class Fingerprint:
    """All that is reachable, numbered in an order that only its content decides."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.objects: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.cells: dict[int, tuple[int, str]] = {}           # variables of functions around: whose, and their names
        self.namespaces: dict[int, tuple[str, int]] = {}      # globals ("g") and keyword defaults ("k") of a function
        self.paths: dict[int, tuple[str, str]] = {}           # what foreign modules hold under a name of their own
        self.kinds: dict[int, tuple[Any, str]] = {}
        self.done = 0
        self.closed = False

    def digest(self) -> str:
        """Look at all that is left, and at nothing that is new from now on."""
        while self.done < len(self.objects):
            if self.done > MOST:
                raise Unknown("too much")
            self.done += 1
            self.lines.append(f"#{self.done - 1} " + " ".join(self.described(self.objects[self.done - 1], self.done - 1)))
        self.closed = True
        return hashlib.sha256(repr(self.lines).encode("utf-8", "surrogatepass")).hexdigest()

    # --- what things are, as text

    def named(self, value: Any, name: str) -> str:
        """What a name means: code and classes themselves, data by their kind."""
        if value is MISSING:
            return "missing"
        return self.refer(value) if code_like(value) else self.kind(live_kind(value, name))

    def refer(self, value: Any) -> str:
        """A function, class, module or the like: by its number, or by its name if it is foreign."""
        number = self.numbers.get(id(value))
        if number is not None:
            return f"#{number}"
        path = self.path(value)
        if path is not None:
            return f"@{path[0]}:{path[1]}" + (f" of {given}" if (given := list(self.registered(value))) else "")
        if self.closed or value is MISSING:
            raise Unknown(repr(value))
        number = self.numbers[id(value)] = len(self.objects)
        self.objects.append(value)
        return f"#{number}"

    def registered(self, cls: Any) -> Iterator[str]:
        """The user's classes that an abstract class counts as its own (`ABC.register`), also by way of what inherits from it."""
        if not isinstance(cls, abc.ABCMeta):
            return
        found = {ref() for below in subclasses(cls) for ref in abc._get_dump(below)[0]}    # type: ignore[attr-defined]
        for one in sorted(found - {None}, key=lambda c: (c.__module__, c.__qualname__)):
            if not foreign(one.__module__):
                yield f"{one.__module__}.{one.__qualname__} {self.refer(one)}"

    def path(self, value: Any) -> tuple[str, str] | None:
        """Module and name of what belongs to Python, NumPy, SciPy or sourcegrad, if it is found there."""
        if isinstance(value, types.ModuleType):
            return (value.__name__, "") if foreign(value.__name__) and sys.modules.get(value.__name__) is value else None
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", getattr(value, "__name__", None))
        if isinstance(value, (types.WrapperDescriptorType, types.MethodDescriptorType)):
            module = value.__objclass__.__module__
        if module == "builtins" and isinstance(value, type) and value in TYPES:
            module, name = "types", TYPES[value]
        if isinstance(value, np.ufunc):
            name = value.__name__
            module = next((m for m in ("numpy", "scipy.special") if getattr(sys.modules.get(m), name, None) is value), None)
        if is_distribution(value):                          # a frozen one is not found there, and what holds it is not kept
            module, name = "scipy.stats", next((n for n, v in vars(sys.modules["scipy.stats"]).items() if v is value), None)
        if isinstance(module, str) and isinstance(name, str) and foreign(module) and found_at(module, name) is value:
            return module, name
        return self.paths.get(id(value))

    def kind(self, kind: k.Kind | None) -> str:
        known = self.kinds.get(id(kind))
        if known is None:
            known = self.kinds[id(kind)] = kind, self._kind(kind)
        return known[1]

    def _kind(self, kind: Any) -> str:
        if isinstance(kind, k.Closure):
            raise Unknown("a closure")
        if isinstance(kind, k.Const):
            return f"Const({self.exact(kind.value)})"
        if isinstance(kind, k.Fn):
            return f"{type(kind).__name__}({self.refer(kind.value)})"
        parts = (self.part(getattr(kind, field.name)) for field in dataclasses.fields(kind))
        return f"{type(kind).__name__}({', '.join(parts)})"

    def part(self, value: Any) -> str:
        if isinstance(value, k.Kind):
            return self.kind(value)
        if type(value) is tuple:
            return f"({', '.join(map(self.part, value))})"
        return f"{sorted(map(self.part, value))}" if type(value) is frozenset else self.exact(value)

    def exact(self, value: Any) -> str:
        """A constant; Unknown where its content cannot be told."""
        if type(value) in PLAIN:
            return f"{type(value).__name__} {value!r}"
        if type(value) in (tuple, frozenset):
            items = map(self.exact, value)
            return f"{type(value).__name__}[{', '.join(items if type(value) is tuple else sorted(items))}]"
        if type(value) is slice:
            return f"slice[{self.exact((value.start, value.stop, value.step))}]"
        if isinstance(value, np.generic):
            return f"{value.dtype.str} {value!r}"
        if isinstance(value, enum.Enum):
            return f"{self.refer(type(value))}.{value.name}"
        if code_like(value) or callable(value):
            return self.refer(value)
        raise Unknown(f"{type(value)} {value!r}"[:150])

    def default(self, value: Any, name: str) -> str:
        try:
            return self.exact(value)
        except Unknown:
            return self.named(value, name)

    # --- what an object holds

    def described(self, value: Any, number: int) -> Iterator[str]:
        cls = type(value)
        inner = transparent(value) if cls is not CACHED else value
        if inner is not value:
            yield f"like {self.refer(inner)}"
        elif cls is types.FunctionType:
            yield from self.function(value, number)
        elif isinstance(value, types.ModuleType):
            yield f"module {value.__name__!r}"
            if "__getattr__" in vars(value):
                raise Unknown("a module that makes its attributes")
        elif isinstance(value, type):
            yield from self.class_(value)
        elif cls is functools.partial:
            yield f"partial {self.refer(value.func)} {self.exact(value.args)}"
            for name, item in value.keywords.items():
                yield f"{name}={self.exact(item)}"
        elif cls is CACHED:
            yield f"cached {self.refer(value.__wrapped__)}"
        elif cls is types.MethodType and isinstance(value.__self__, type):
            yield f"method {self.refer(value.__self__)} {self.refer(value.__func__)}"
        elif cls.__module__.startswith("sourcegrad.") and cls.__name__ in OURS:
            yield f"{cls.__name__} {list(map(self.exact, OURS[cls.__name__](value)))}"
        elif cls in PARTS:
            yield cls.__name__
            for part in PARTS[cls]:
                yield self.exact(getattr(value, part))
        else:
            raise Unknown(repr(cls))

    def function(self, f: types.FunctionType, number: int) -> Iterator[str]:
        if {"__sourcegrad__", "__sourcegrad_text__"} & vars(f).keys():
            raise Unknown("generated code")
        code = f.__code__
        yield f"function {f.__name__!r} {f.__qualname__!r} {f.__module__!r} {f.__globals__.get('__name__')!r}"
        yield repr(f.__globals__.get("__package__"))
        yield from self.code(code)
        yield repr(text_of(f))
        self.namespaces.setdefault(id(f.__globals__), ("g", number))
        self.namespaces[id(f.__kwdefaults__)] = "k", number
        for j, value in enumerate(f.__defaults__ or ()):
            yield f"{j}={self.default(value, 'x')}"
        for name, value in (f.__kwdefaults__ or {}).items():
            yield f"{name}={self.default(value, name)}"
        for name, cell in source.cells_of(f).items():
            self.cells.setdefault(id(cell), (number, name))
            try:
                yield f"{name}:={self.named(cell.cell_contents, name)}"
            except ValueError:
                yield f"{name}:=nothing"
        for name, value in sorted(vars(f).items()):
            if name == "__signature__":
                raise Unknown("a signature of its own")
            if not name.startswith("__sourcegrad_"):
                yield f".{name}={self.named(value, name)}"
        names = list(dict.fromkeys(name for inner in codes(code) for name in inner.co_names))
        seen: set[int] = set()
        for name in names:
            value = f.__globals__.get(name, MISSING)
            value = vars(builtins).get(name, MISSING) if value is MISSING else value
            if value is not MISSING:
                yield f"{name}={self.named(value, name)}"
                if isinstance(value, types.ModuleType):
                    yield from self.attributes(value, names, seen)

    def attributes(self, module: types.ModuleType, names: list[str], seen: set[int]) -> Iterator[str]:
        """What names may mean as attributes of a module."""
        if id(module) in seen:
            return
        seen.add(id(module))
        theirs = foreign(module.__name__)
        for name in names:
            value = vars(module).get(name, MISSING)
            if value is MISSING or theirs and not callable(value) and not isinstance(value, types.ModuleType):
                continue
            ours = str(getattr(value, "__module__", "")).startswith("sourcegrad.")
            if theirs and (ours or isinstance(value, types.BuiltinFunctionType)):
                self.paths.setdefault(id(value), (module.__name__, name))
            yield f"{module.__name__}.{name}={self.named(value, name)}"
            if isinstance(value, types.ModuleType):
                yield from self.attributes(value, names, seen)

    def code(self, code: types.CodeType) -> Iterator[str]:
        for inner in codes(code):
            if IMPORT in inner.co_code[::2]:
                raise Unknown("an import inside a function")
            constants = [sorted(map(repr, c)) if isinstance(c, frozenset) else repr(c) for c in inner.co_consts
                         if not isinstance(c, types.CodeType)]
            yield repr((source.shown(inner.co_filename), inner.co_name, inner.co_firstlineno, inner.co_flags, inner.co_argcount,
                        inner.co_posonlyargcount, inner.co_kwonlyargcount, inner.co_names, inner.co_varnames, inner.co_freevars,
                        inner.co_cellvars, inner.co_code, constants, inner.co_linetable, getattr(inner, "co_exceptiontable", None)))

    def class_(self, cls: Any) -> Iterator[str]:
        yield f"class {cls.__module__!r} {cls.__qualname__!r} {self.refer(type(cls))} {list(map(self.refer, cls.__mro__[1:]))}"
        yield from self.registered(cls)
        enumerated = issubclass(cls, enum.Enum)
        if enumerated:
            yield f"{[(name, self.exact(member.value)) for name, member in cls.__members__.items()]}"
        for name, value in sorted(vars(cls).items()):
            if name in UNTOLD or enumerated and not isinstance(value, (types.FunctionType, *PARTS)):
                continue
            if name == "__dataclass_fields__":
                for field in value.values():
                    yield f"{field.name} {field.init} {field.repr} {field.compare} {field.hash} {getattr(field, 'kw_only', None)}"
                    yield " ".join(self.default(v, field.name) for v in (field.default, field.default_factory)
                                   if v is not dataclasses.MISSING) + f" {field._field_type!r}"
            elif name in ("__dataclass_params__", "__abstractmethods__"):
                yield f"{name}={sorted(value) if isinstance(value, frozenset) else value!r}"
            elif name == "_field_defaults":
                yield f"{[(field, self.exact(item)) for field, item in value.items()]}"
            elif type(value).__name__ in ("member_descriptor", "getset_descriptor", "_tuplegetter"):
                yield f"{name}={type(value).__name__}"
            else:
                yield f"{name}={self.default(value, name)}"


@functools.cache
def foreign(module: str) -> bool:
    """Whether a module belongs to Python, NumPy, SciPy or sourcegrad: one of a user may be called like one of Python."""
    root = module.partition(".")[0]
    file = getattr(sys.modules.get(root), "__file__", None)
    ours = root in ("numpy", "scipy", "sourcegrad") or root in sys.builtin_module_names
    return root in FOREIGN and (ours or file is not None and file.startswith(LIBRARIES) and "site-packages" not in file)


def subclasses(cls: type) -> Iterator[type]:
    """A class and all that inherit from it."""
    yield cls
    below: type
    for below in type.__subclasses__(cls):
        yield from subclasses(below)


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def text_of(f: Any) -> list[str]:
    """The lines of a function: those that its code says it has, and what is indented below them."""
    lines = source.lines_of(f.__code__, f.__globals__)
    start = f.__code__.co_firstlineno - 1
    end = max((line or 0 for code in codes(f.__code__) for *_, line in code.co_lines()), default=0)
    first = lines[start] if start < len(lines) else ""
    indent = len(first) - len(first.lstrip())
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    return [line.rstrip("\n") for line in lines[start:end]]


def found_at(module: str, name: str) -> Any:
    """What stands in a module under a qualified name."""
    try:
        return operator.attrgetter(name)(sys.modules[module]) if name else sys.modules[module]
    except (KeyError, AttributeError):
        return MISSING
