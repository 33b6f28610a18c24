"""Numerical diagnosis: the first line of each sweep that makes a number that is not finite, why, and what to write instead.

An instrumented copy of the generated code runs: each operation looks at its result. Of the operations that make an infinity or NaN
out of finite operands, those are the cause without which value and gradients would be finite: that is tried, by putting 1.0 in the
place of what they make (causal testing by intervention, as in delta debugging: Zeller and Hildebrandt, IEEE TSE 28, 2002).
"""
from __future__ import annotations

import ast
import copy
import io
import math
import random
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sourcegrad.api import gradient as api
from sourcegrad.api.inputs import check_options
from sourcegrad.api.nan_causes import (
    NUMERIC_ERRORS,
    STEEP,
    Operation,
    any_lost,
    cause_of,
    error_cause,
    leaves,
    lost,
    mended,
    shown,
    symbol,
)
from sourcegrad.api.shadow_run import duplicate
from sourcegrad.errors import HERE, InputError, Origin, SourcegradError, public
from sourcegrad.ir import source
from sourcegrad.runtime import dynamic

Site = Any                                  # what can make a number that is not finite: an operation, or a part of the data
RUNS = 60                                   # of the instrumented copy, at most


@dataclass
class Finding:
    """Where a number that is not finite comes from.

    kind: "overflow", "domain error", "0/0", "0*inf", "inf-inf", "inf/inf", "division by zero", "infinite derivative",
    "singular matrix", "not positive definite", "empty", "call" (of a function without generated code), "data", "global",
    "uninitialised". sweep: "forward" or "reverse" ("" for
    data). operation, operands: of the generated code, with the values at the element `index` of the result. iteration: of the
    loops around it, outermost first, as (variable, its value, number from 1).
    """

    kind: str
    message: str
    remedy: str
    sweep: str = ""
    origin: Origin | None = None
    operation: str = ""
    operands: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    index: tuple[int, ...] = ()
    iteration: tuple[tuple[str, Any, int], ...] = ()
    callers: tuple[Origin, ...] = ()

    @property
    def file(self) -> str:
        return self.origin.file if self.origin else ""

    @property
    def line(self) -> int:
        return self.origin.line if self.origin else 0

    @property
    def column(self) -> int:
        return self.origin.column if self.origin else 0

    @property
    def place(self) -> str:
        """Element and iterations, as text."""
        parts = [f"element [{', '.join(map(str, self.index))}]"] if self.index else []
        parts += [f"iteration {number}" + (f" ({name} = {value})" if name else "") for name, value, number in self.iteration]
        return ", ".join(parts)

    def __str__(self) -> str:
        values = " and ".join(f"{name} = {shown(value)}" for name, value in self.operands.items())
        does = f"{self.operation} gives {shown(self.result)}" + (f" for {values}" if values else "") if self.operation else ""
        where = f"in the {self.sweep} sweep" if self.sweep else ""
        facts = ", ".join(part for part in (does, where, self.place) if part)
        return str(SourcegradError(f"{self.kind}: {self.message}", self.origin, "\n".join(filter(None, (facts, self.remedy))),
                                   self.callers))


@dataclass
class Explanation:
    """What `explain_nan` found: the attributes of the cause (`kind`, `sweep`, `line`, `operands`, `remedy`, ...), and more.

    finite: whether value and gradients are. cause: the first thing without which they would be (None where they are). others:
    further ones, each as bad. forward, reverse: the first operation of each sweep that makes a number that is not finite,
    harmless or not.
    """

    finite: bool
    what: str
    cause: Finding | None = None
    others: tuple[Finding, ...] = ()
    forward: Finding | None = None
    reverse: Finding | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in {*Finding.__dataclass_fields__, "file", "line", "column", "place"}:
            raise AttributeError(name)
        return getattr(self.cause or Finding("finite", "", ""), name)

    def __str__(self) -> str:
        lines = [self.what]
        if self.cause is not None:
            lines.append(str(self.cause))
            lines += [f"and also\n{other}" for other in self.others]
        else:
            lines += [f"{found.sweep} sweep, without influence on the result:\n{found}" for found in (self.forward, self.reverse)
                      if found is not None]
        return "\n".join(lines)

    __repr__ = __str__


@public
def explain_nan(function: Callable, /, *args: Any, inputs: Any = None, grad_outputs: Any = None, has_aux: bool = False,
                **options: Any) -> Explanation:
    """Say why a value or gradient is not finite: the user's line, the operation with its operands, the sweep, and what to write.

    function, inputs, grad_outputs, has_aux: as in `grad`. args, options: the arguments of a call. Of a gradient function, its own
    gradient is explained (if it is finite itself). The code runs several times, on copies of the arguments. Raises what `grad`
    raises for what it refuses, and what the function raises (but for numerical errors, which are explained).

    >>> import numpy as np, sourcegrad as sg
    >>> def loss(x):
    ...     return np.sum(np.sqrt(x))
    >>> found = sg.explain_nan(loss, np.array([4.0, 0.0]))
    >>> found.kind, found.sweep, found.line, found.index
    ('infinite derivative', 'reverse', 2, (1,))
    >>> sg.explain_nan(loss, np.array([4.0, 1.0]))
    value and gradient are finite
    """
    if isinstance(function, api.Gradient):                  # the derivative below first: what is wrong there is the cause here
        below = explain_nan(function._function, *args, inputs=function._inputs, grad_outputs=function._grad_outputs,
                            has_aux=function._has_aux, **options)
        if not below.finite:
            return below
    check_options("explain_nan", function, args, inputs=inputs is not None, grad_outputs=grad_outputs is not None, has_aux=has_aux)
    return Search(function, args, options, inputs, grad_outputs, has_aux).explained()


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings of NumPy: they say less than what is looked for."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


# --- the search

class TooLong(BaseException):
    """A run with mended numbers that does not come to its end."""


class Search:
    """Runs of the instrumented copy, and what they say."""

    def __init__(self, function: Callable, args: tuple, options: dict, inputs: Any, weights: Any,
                 has_aux: bool = False) -> None:
        gradient = api._make(function, inputs, weights, True, has_aux or getattr(function, "_has_aux", False)).guarded
        self.has_aux = gradient._has_aux
        with quiet():
            watched, self.bound, _, _ = gradient._prepared(*gradient._whole(args, options))
            watched.derived.before = None
        self.weights = {} if weights is None else {"grad_outputs": weights}
        self.probe = Probe()
        self.copies = Instrumented(self.probe)
        self.function = self.copies.of(watched.derived.half.function)
        self.runs = 0
        self.wrong: list[str] = ["value"]                   # what was not finite in the last run
        self.result: Any = None                             # of the last run: (value, gradients)

    def run(self, fixed: set[Site]) -> bool:
        """Run with some sites mended; whether all is finite. What makes numbers that are not is in `self.probe.found`."""
        self.runs += 1
        own = copy.copy(self.bound)
        own.arguments = dict(self.bound.arguments)
        try:
            own.arguments = duplicate(own.arguments)
        except TypeError as error:
            raise InputError(f"explain_nan runs the function several times, and an argument cannot be copied: {error}",
                             remedy="Pass a list instead of an iterator.") from None
        self.probe.start(fixed, self.runs > 1)
        for name, value in own.arguments.items():
            own.arguments[name] = self.probe.data("data", name, value)
        state, other, finder = np.random.get_state(), random.getstate(), list(dynamic.FINDER)
        dynamic.FINDER[:] = [lambda *call: tuple(map(self.copies.of, finder[0](*call)))] if finder else []
        try:
            with quiet(), redirect_stdout(sys.stdout if self.runs == 1 else io.StringIO()):
                value, gradients = self.result = self.function(*own.args, **own.kwargs, **self.weights)
        except TooLong:
            return False
        except NUMERIC_ERRORS as error:
            if self.probe.failed is None or self.probe.failed[0] is not error:
                raise
            self.probe.found[self.probe.failed[1]] = self.probe.failed[2]
            return False
        finally:
            np.random.set_state(state)
            random.setstate(other)
            dynamic.FINDER[:] = finder
        value = value[0] if self.has_aux else value
        self.wrong = [what for what, part in (("value", value), ("gradient", gradients)) if any_lost(part)]
        return not self.wrong

    def explained(self) -> Explanation:
        finite, first = self.run(set()), list(self.probe.found.values())
        found = dict(self.probe.found)
        fixed: set[Site] = set()
        sweeps = [next((f for f in first if f.sweep == sweep), None) for sweep in ("forward", "reverse")]
        what = " and ".join(self.wrong) + (" is" if len(self.wrong) == 1 else " are")
        what = f"{what} not finite" if self.probe.failed is None else f"the function raises {shown(self.probe.failed[0])}"
        if finite:
            return Explanation(True, "value and gradient are finite", None, (), *sweeps)
        while not finite and self.runs < RUNS and not set(self.probe.found) <= fixed:
            fixed |= set(self.probe.found)
            finite = self.run(fixed)
            found.update({site: f for site, f in self.probe.found.items() if site not in found})
        for site in [site for site in reversed(found) if finite and site in fixed]:       # what follows from others goes first
            if self.runs < RUNS and self.run(fixed - {site}):
                fixed.discard(site)
        failed = [] if finite or self.probe.failed is None else [self.probe.failed[2]]      # whatever was before
        causes = failed or sorted((f for site, f in found.items() if site in fixed), key=lambda f: f.sweep == "reverse") or first
        if not causes:
            return Explanation(False, f"{what}, and no operation of the generated code makes it so", None, (), *sweeps)
        cause = following(causes[0], first)
        return Explanation(False, what, cause, tuple(f for f in causes[1:4] if f.sweep == cause.sweep), *sweeps)


def following(cause: Finding, first: list[Finding]) -> Finding:
    """The cause; or, where it makes an infinity that may be meant so, the operation that makes NaN of it: that is to be changed."""
    infinite = cause.kind in ("data", "global") and not np.isnan(cause.result)
    kinds = {"0*inf", "inf-inf", "inf/inf"} if infinite else {"0*inf"} if cause.kind == "division by zero" else set()
    made = next((f for f in first if f.kind in kinds and f.sweep == "forward"), None)
    if made is None:
        return cause
    origin = cause.message if infinite else f"the infinity is {cause.operation}"
    line = f" in line {cause.line}" if cause.line not in (0, made.line) else ""
    return replace(made, message=f"{made.message}; {origin}{line}")


# --- the instrumented copy

class Probe:
    """What the instrumented code calls: it computes, and notes what is not finite any more."""

    def __init__(self) -> None:
        self.steps = self.most = 0
        self.operations: dict[int, Operation] = {}
        self.generated: set[int] = set()            # instrumented functions, by id

    def start(self, fixed: set[Site], limited: bool) -> None:
        self.most = 10 * self.steps + 1000 if limited and not self.most else self.most
        self.fixed, self.steps = fixed, 0
        self.found: dict[Site, Finding] = {}
        self.failed: tuple[Exception, Operation, Finding] | None = None
        self.frames: list[tuple[Origin | None, list[tuple[str, Any, int]]]] = [(None, [])]

    # data

    def data(self, kind: str, name: str, value: Any) -> Any:
        """An argument, or data from outside: noted if it holds what is no number (or is infinite), mended if asked."""
        for path, leaf in leaves(value, name):
            wrong = lost(leaf)
            if np.any(wrong):
                site = (kind, path)
                if site in self.fixed:
                    return mended(value if kind == "data" else copy.deepcopy(value), None)
                if site not in self.found:
                    index = tuple(int(i) for i in np.argwhere(wrong)[0])
                    item = leaf[index] if index else leaf
                    what = "is NaN" if np.isnan(item) else "is infinite"
                    place = f"[{', '.join(map(str, index))}]" if index else ""
                    message = f"the {'argument' if kind == 'data' else 'global'} {path}{place} {what}"
                    remedy = "Clean the data before: x[np.isfinite(x)], np.nan_to_num(x)." if kind == "data" else (
                        f"Give {path} a value that is finite before the function is called.")
                    self.found[site] = Finding(kind, message, remedy, "", result=item, index=index)
        return value

    def read(self, name: str, value: Any) -> Any:
        """A name that is not the function's own, or an attribute of one."""
        return value if callable(value) or isinstance(value, types.ModuleType) else self.data("global", name, value)

    # loops and calls

    def loop(self, depth: int) -> None:
        del self.frames[-1][1][depth:]
        self.frames[-1][1].append(("", None, 0))

    def turn(self, depth: int, name: str, value: Any) -> None:
        loops = self.frames[-1][1]
        del loops[depth + 1:]
        loops[depth] = (name if isinstance(value, (int, np.integer)) else "", value, loops[depth][2] + 1)

    def end(self, depth: int) -> None:
        del self.frames[-1][1][depth:]

    def call(self, number: int, function: Any, *args: Any, **keywords: Any) -> Any:
        self.step()
        o = self.operations[number]
        if id(function) in self.generated:
            self.frames.append((o.origin, []))
            try:
                return function(*args, **keywords)
            finally:
                self.frames.pop()
        if o.passive(function):
            return function(*args, **keywords)
        operands = [*args, *keywords.values()]
        if isinstance(getattr(function, "__self__", None), (np.ndarray, np.generic)):
            operands.insert(0, function.__self__)
        if keywords.get("out") is not None:                 # it may be an operand, too
            operands = [copy.copy(x) if isinstance(x, np.ndarray) else x for x in operands]
        try:
            result = function(*args, **keywords)
        except NUMERIC_ERRORS as error:
            return self.raised(o, function, operands, error)
        if function in (np.empty, np.empty_like):
            return self.empty(o, result)
        return self.seen(o, function, operands, result)

    def binary(self, number: int, left: Any, right: Any, in_place: bool = False) -> Any:
        """`left op right`, or the new value of `left op= right`."""
        self.step()
        o = self.operations[number]
        compute, own = o.operators
        before = left.copy() if in_place and isinstance(left, np.ndarray) else left
        try:
            result = (own if in_place else compute)(left, right)
        except NUMERIC_ERRORS as error:
            return self.raised(o, compute, [before, right], error)
        return self.seen(o, compute, [before, right], result)

    def put(self, number: int, base: Any, index: Any, right: Any) -> None:
        """`base[index] op= right`"""
        part = base[index]
        base[index] = self.binary(number, part, right, True)

    # what is seen

    def step(self) -> None:
        self.steps += 1
        if self.most and self.steps > self.most:
            raise TooLong

    def empty(self, o: Operation, result: Any) -> Any:
        """Memory that nobody has written holds anything: NaN here, so that what reads it is seen."""
        if result.dtype.kind in "fc":
            result.fill(1.0 if o in self.fixed else math.nan)
            if o not in self.found:
                self.found[o] = self.finding(o, "uninitialised", "memory that is read before it is written holds anything",
                                             f"Use {o.text.replace('empty', 'zeros')}, or write every element.", [], result, ())
        return result

    def seen(self, o: Operation, function: Any, operands: list, result: Any) -> Any:
        if not any_lost(result):
            return result
        made = o.made(function, operands, result)
        if made is None:
            return result
        where, index = made
        if o in self.fixed:
            return mended(result, where)
        if o not in self.found:
            value, parts = o.at(operands, result, index)
            kind, message, remedy = cause_of(o, function, parts, value)
            self.found[o] = self.finding(o, kind, message, remedy, parts, value, index)
        return result

    def raised(self, o: Operation, function: Any, operands: list, error: Exception) -> float:
        """Note an error: it is a cause if the function does not catch it. In the reverse sweep, what NumPy gives instead."""
        cause = error_cause(o, function, operands, error)
        if cause is None:
            raise error
        finding = self.finding(o, *cause, operands, error, ())
        if o.sweep == "reverse" and not isinstance(error, np.linalg.LinAlgError):
            self.found.setdefault(o, finding)
            return 1.0 if o in self.fixed else math.inf
        self.failed = error, o, finding
        raise error

    def finding(self, o: Operation, kind: str, message: str, remedy: str, operands: list, value: Any, index: tuple) -> Finding:
        loops = tuple(turn for _, loops in self.frames for turn in loops if turn[2])
        place = o.place()
        chain = [*([place, *place.callers] if place is not None else []), *(call for call, _ in reversed(self.frames) if call)]
        users = [call for call in chain if not call.file.startswith(HERE)] or chain        # not within the package
        place = users[0]._replace(callers=()) if users else None
        callers = tuple(call for call in users[1:] if call[:3] != users[0][:3])
        return Finding(kind, message, remedy, o.sweep, place, o.operation, o.shown(operands), value, index, loops, callers)


class Instrumented(ast.NodeTransformer):
    """Copies of generated functions in which each operation is a call of the probe."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.made: dict[int, types.FunctionType] = {}

    def of(self, function: Any) -> Any:
        """The copy of a generated function; what is none is itself."""
        function = getattr(function, "__wrapped__", function)
        if getattr(function, "__sourcegrad_text__", None) is None:
            return function
        if id(function) in self.made:
            return self.made[id(function)]
        code = function.__code__
        tree, self.origins, self.split = source.generated_tree(code.co_filename)
        self.reverse, self.depth = code.co_name.endswith("_reverse"), 0
        self.own = {node.arg if isinstance(node, ast.arg) else node.id for node in ast.walk(tree)
                    if isinstance(node, ast.arg) or isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        written = [s for s in ast.walk(tree) if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)]
        texts = {s.targets[0].id: ast.unparse(s.value) for s in written if isinstance(s.targets[0], ast.Name)}
        stored = [x.id for x in ast.walk(tree) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
        self.definitions = {name: text for name, text in texts.items() if stored.count(name) == 1}
        self.steep = {s.targets[0].id: self.origin(s) for s in ast.walk(tree) if isinstance(s, ast.Assign) and isinstance(
            s.targets[0], ast.Name) and s.lineno < self.split and symbol(s.value) in STEEP}
        tree.body = [s for s in tree.body if not states(s)]
        tree.body = self.block(tree.body)
        cells = {name: types.CellType() for name in code.co_freevars}
        for name, method in PROBES.items():
            cells[name] = types.CellType(getattr(self.probe, method))
        copied = source.compile_tree(ast.fix_missing_locations(tree), code.co_filename, function.__globals__, cells)
        copied.__defaults__, copied.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
        self.made[id(function)] = copied
        self.probe.generated.add(id(copied))
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                cells[name].cell_contents = self.of(cell.cell_contents)
            except ValueError:                              # nothing is in it yet
                pass
        return copied

    def block(self, body: list) -> list:
        found: list = []
        for s in body:
            new = self.visit(s)
            found += new if isinstance(new, list) else [new]
        return found

    def probed(self, name: str, node: Any, *args: ast.expr) -> ast.Call:
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), list(args), []), node)

    def numbered(self, node: Any) -> ast.expr:
        """The number of the operation that a node stands for."""
        number = len(self.probe.operations)
        origin = self.origin(node)
        sweep = "reverse" if self.reverse or node.lineno > self.split else "forward"
        if sweep == "reverse":                              # one statement may hold the derivatives of several lines
            used = [self.steep[x.id] for x in ast.walk(node) if isinstance(x, ast.Name) and x.id in self.steep]
            origin = used[0] if used and origin not in used else origin
        self.probe.operations[number] = Operation(node, origin, sweep, self.definitions)
        return ast.Constant(number)

    def origin(self, node: Any) -> Origin | None:
        """The user's line that the statement around a node comes from."""
        return next((found for line, found in reversed(list(self.origins.items())) if line <= node.lineno), None)

    def visit_Call(self, node: ast.Call) -> Any:
        number = self.numbered(node)
        self.generic_visit(node)
        return ast.copy_location(ast.Call(ast.Name("__sg_call", ast.Load()), [number, node.func, *node.args], node.keywords), node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        number = self.numbered(node)
        self.generic_visit(node)
        return self.probed("__sg_binary", node, number, node.left, node.right)

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self.own or not isinstance(node.ctx, ast.Load):
            return node
        return self.probed("__sg_read", node, ast.Constant(node.id), node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        outside = isinstance(node.value, ast.Name) and node.value.id not in self.own and isinstance(node.ctx, ast.Load)
        return self.probed("__sg_read", node, ast.Constant(ast.unparse(node)), node) if outside else self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        number = self.numbered(node)
        value = self.visit(node.value)
        target: Any = node.target
        if isinstance(target, ast.Subscript):
            index = sliced(self.visit(target.slice))
            return ast.copy_location(ast.Expr(self.probed("__sg_put", node, number, self.visit(target.value), index, value)), node)
        loaded = copy.copy(target)
        loaded.ctx = ast.Load()
        new = self.probed("__sg_binary", node, number, loaded, value, ast.Constant(True))
        return ast.copy_location(ast.Assign([target], new), node)

    def visit_For(self, node: ast.For) -> Any:
        node.iter = self.visit(node.iter)
        name = node.target.id if isinstance(node.target, ast.Name) else ""
        value = ast.Name(name, ast.Load()) if name else ast.Constant(None)
        return self.looped(node, name, value)

    def visit_While(self, node: ast.While) -> Any:
        node.test = self.visit(node.test)
        return self.looped(node, "", ast.Constant(None))

    def looped(self, node: Any, name: str, value: ast.expr) -> list:
        depth = ast.Constant(self.depth)
        self.depth += 1
        turn = ast.Expr(self.probed("__sg_turn", node, depth, ast.Constant(name), value))
        node.body = [ast.copy_location(turn, node), *self.block(node.body)]
        self.depth -= 1
        node.orelse = self.block(node.orelse)
        around = [ast.copy_location(ast.Expr(self.probed(probe, node, depth)), node) for probe in ("__sg_loop", "__sg_end")]
        return [around[0], node, around[1]]


PROBES = {"__sg_call": "call", "__sg_binary": "binary", "__sg_put": "put", "__sg_read": "read",
          "__sg_loop": "loop", "__sg_turn": "turn", "__sg_end": "end"}


def states(s: ast.stmt) -> bool:
    """Whether a statement refuses arguments that the text is not for."""
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and getattr(s.value.func, "id", "") == "made_for"


def sliced(node: ast.expr) -> ast.expr:
    """An index as an expression: `1:n` is slice(1, n)."""
    if isinstance(node, ast.Slice):
        parts: list[ast.expr] = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        return ast.copy_location(ast.Call(ast.Name("slice", ast.Load()), parts, []), node)
    if isinstance(node, ast.Tuple):
        node.elts = [sliced(item) for item in node.elts]
    return node

