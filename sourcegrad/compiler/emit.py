"""Generated functions and their module text: imports, callees, the function itself."""
from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.compiler.observable_effects import Trial
from sourcegrad.compiler.print_module import imports, module_text, used_environment
from sourcegrad.errors import UnsupportedError, deep
from sourcegrad.ir import source, tree as t, verify
from sourcegrad.ir.operators import hashable
from sourcegrad.ir.tree import as_printed as _as_printed
from sourcegrad.ir.unit import Function, Scope, Unit
from sourcegrad.runtime import dynamic


@dataclass(eq=False)
class Half:
    """One generated function: what other generated code calls, and what is printed."""

    __name__: str
    result_kind: k.Kind = k.ANY
    function: Any = None                   # callable once it is finished
    text: str = ""
    tree: Any = None                       # as printed
    kept: Any = None                       # keeps the text for tracebacks
    made_for: dict[str, k.Kind] = field(default_factory=dict)      # what the text makes sure of, if others than us run it
    checked: Any = None                    # compiles the function that makes sure of it
    unit: Unit | None = None
    callees: list[Half] = field(default_factory=list)
    cells: list[types.CellType] = field(default_factory=list)
    __sourcegrad__: Function | None = None
    __sourcegrad_pure__: bool = True       # nothing but its value matters: a call without use can go
    __sourcegrad_lends__: bool = True      # it may return memory that must not be written into (not known before its text)
    __sourcegrad_callable__ = True

    def finish(self, function: types.FunctionType) -> None:
        self.function = function
        for cell in self.cells:
            cell.cell_contents = function


@dataclass(eq=False)
class Derived:
    """A generated gradient function with all that is needed to call, print, guard and differentiate it."""

    half: Half
    function: types.FunctionType
    relies: list[tuple[Any, str, Any]]
    trial: Trial | None = None
    below: list[Derived] = field(default_factory=list)  # the gradient that this is the gradient of
    reverse: Any = None                                 # the other half, where `function` is a forward half

    @property
    def text(self) -> str:
        return module_text(self.half).rstrip("\n")


def cell_for(value: Any) -> types.CellType:
    if isinstance(value, Half):
        if value.function is not None:
            return types.CellType(value.function)
        cell = types.CellType()
        value.cells.append(cell)
        return cell
    return types.CellType(value)


class Lifted:
    """A lifted function as a Python object: it runs as the forward half that is generated for the arguments of a call."""

    __sourcegrad_callable__ = True

    def __init__(self, function: Function, name: str) -> None:
        self.__sourcegrad__ = function
        self.__name__ = name

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        forward, _ = dynamic.pair_of((), self, args, keywords)
        return forward(self, *args, **keywords)[0]


def standing(function: Function, name: str) -> Half:
    """A lifted function as generated code names it; its text is that of the user."""
    half = Half(name)
    tree = t.clone(function.tree)
    tree.name = name
    half.tree, half.unit = tree, Unit(function, tree, dict(function.scope.bound))
    half.text = source.to_text(tree)
    half.__sourcegrad__ = function
    half.finish(Lifted(function, name))                                      # type: ignore[arg-type]
    return half


_called: list[list] = []                            # while generating: gradients that the code asks for


@contextmanager
def collecting() -> Iterator[list]:
    """The generated gradients that what is generated inside calls: it relies on what they rely on."""
    _called.append([])
    try:
        with deep():
            yield _called[-1]
    finally:
        _called.pop()


def calling(derived: Any) -> None:
    if _called:
        _called[-1].append(derived)


def publish(half: Half, unit: Unit, final: Any, plain: Any, function: Function, one_of_two: bool = False) -> None:
    """Print, compile and register a generated function. final: the tree as printed; plain: the one that can be differentiated.

    one_of_two: what it saves for the other half, or gets from it, is not what the plain tree says. So it has no object that could
    be called beside the derivative of the other half."""
    verify.executed(final, function.tree)
    stated = statement(half.made_for, unit, function)
    final.body[:0] = stated
    env = used_environment(final, unit)
    half.callees = [v for v in env.values() if isinstance(v, Half) and v is not half]
    half.tree, half.unit = final, unit
    body = source.to_text(final)
    half.text = body
    filename = f"<sourcegrad {half.__name__} {next_number()}>"
    header = imports(env)
    text = header + body
    half.kept = source.Text(filename, text, [t.origin_of(s) for s in _as_printed(final.body) if not t.is_comment(s)])
    cells = {}
    for name, value in env.items():
        cells[name] = cell_for(value)
    for name, cell in function.scope.cells.items():
        cells.setdefault(name, cell)
    for name, value in function.scope.bound.items():
        if name not in cells and not isinstance(value, Function):
            cells[name] = cell_for(value)

    def compiled_from(start: int) -> types.FunctionType:
        made = source.compile_function(text, half.__name__, filename, function.scope.globals, cells, start)
        made.__doc__ = f"Generated by sourcegrad from {function.name}."
        made.__sourcegrad_text__ = half.kept                         # type: ignore[attr-defined]
        if plain.args.defaults or plain.args.kwonlyargs:
            made.__defaults__ = getattr(function.object, "__defaults__", None)
            made.__kwdefaults__ = getattr(function.object, "__kwdefaults__", None)
        return made

    try:
        compiled = compiled_from(len(stated))
    except (SyntaxError, RecursionError) as error:
        if "too many" not in str(error) and not isinstance(error, RecursionError):        # (nested blocks, parentheses)
            raise
        raise UnsupportedError(f"{function.name}() is nested too deeply: {error}", function.origin,
                               "Use a loop or a table instead of a long chain of branches.") from None
    half.checked = functools.partial(compiled_from, 0)
    bound = {**function.scope.bound, **unit.env}
    derived = Function(half.__name__, plain, Scope(function.scope.globals, function.scope.cells, bound),
                       None if one_of_two else compiled, pure=True)
    half.__sourcegrad__ = derived
    compiled.__sourcegrad__ = derived                                # type: ignore[attr-defined]
    half.finish(compiled)


def statement(kinds: dict[str, k.Kind], unit: Unit, function: Function) -> list:
    """`made_for("x: float64[:,:], n: 3", x, n)`, where arrays or constants are among the arguments: nothing for numbers only."""
    found: dict[str, str] = {}
    for name, kind in kinds.items():
        if isinstance(kind, k.Num) and kind.dims is not None and kind.dtype is not None:
            axes = f"[{','.join(':' * len(kind.dims))}]" if kind.boxed else ""
            found[name] = kind.dtype.removeprefix("py") + axes
        elif isinstance(kind, k.Const) and type(kind.value) in (int, bool, str, type(None)) and ", " not in repr(kind.value):
            found[name] = repr(kind.value)
    if not any(isinstance(kinds[name], k.Const) or "[" in text for name, text in found.items()):
        return []
    text = ", ".join(f"{name}: {text}" for name, text in found.items())
    call = t.call(unit.use(runtime.made_for, "made_for"), t.const(text), *map(t.load, found))
    return [t.effect(call, function.origin)]


_numbers = [0]


def next_number() -> int:
    _numbers[0] += 1
    return _numbers[0]


def guarded(half: Half, seen: set[int]) -> bool:
    """Whether generated code, or generated code that it calls, guards derivatives that may be infinite."""
    seen.add(id(half))
    own = half.unit is not None and bool({runtime.guard, runtime.guard_steep} & set(filter(hashable, half.unit.env.values())))
    return own or any(guarded(callee, seen) for callee in half.callees if id(callee) not in seen)


def silenced(half: Half, function: Any) -> types.FunctionType:
    """The function itself; where guarded derivatives divide by zero before they are dropped, without a warning."""
    if not guarded(half, set()):
        return function

    @functools.wraps(function)
    def silent(*args: Any, **options: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return function(*args, **options)

    return silent                                                     # type: ignore[return-value]
