"""Operations on Tensors: plain NumPy programs, whose forward and reverse half the pipeline generates; their arguments; fast calls.

What stands before the `*` of a program are operands (Tensors, arrays, numbers), what stands after it are options. For each
combination of kinds of its arguments the two halves are generated once; its node runs the reverse half, or, where the backward
pass is recorded itself, the operation that its generated gradient function is. `OPERATIONS` has them by the name of their node;
`FUNCTIONS` and `METHODS` are the tables of what is public.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import inspect
import itertools
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.api import dynamic as _dynamic  # noqa: F401  (callees that show at run time)
from sourcegrad.compiler import pipeline
from sourcegrad.compiler.pipeline import derive_halves
from sourcegrad.errors import TensorIndexError, origin_at, refuse, refuse_type, user_place
from sourcegrad.ir import tree as t
from sourcegrad.ir.source import LOCK, compile_function, register
from sourcegrad.ir.unit import Function
from sourcegrad.parse.resolve import describe
from sourcegrad.primitives.core import STANDING
from sourcegrad.runtime.objects import by_identity, leaves as leaves_of, unspent
from sourcegrad.tensor import programs as p
from sourcegrad.tensor.core import INFERENCE, Tensor, constant, result, wrapped
from sourcegrad.tensor.node import SEQUENCE, STATE, TRACING, OperationNode

MANY = 4096  # combinations of shapes of one operation that are kept
SHAPE_OF = {"broadcast_like": 1, "unbroadcast": 1, "zeros_like": 0, "shape": 0, "split_like": 1, "full_like": 0, "as_gradient": 1,
            "place_diagonal": 1, "untile": 1, "unrepeat": 1, "unstack": 1, "check_cotangent": 1}
SHAPE_ATTRIBUTES = {"shape", "ndim", "size", "dtype"}


def text_of(derived: Any) -> str:
    """The text of the generated forward and reverse half."""
    return f"{derived.half.text}\n\n{inspect.getsource(inspect.unwrap(derived.reverse))}"


class Halves:
    """The generated halves for some kinds of arguments, and what the reverse half needs of each operand."""

    def __init__(self, operation: Operation, described: Function, kinds: dict[str, k.Kind], active: tuple[str, ...]) -> None:
        with LOCK:
            derived = derive_halves(described, kinds, active)
        self.operation, self.derived, self.described, self.kinds, self.active = operation, derived, described, kinds, active
        self.forward: Callable = derived.function
        self.reverse: Callable = derived.reverse
        self.order = self.forward.__code__.co_varnames[: self.forward.__code__.co_argcount]
        self.saved_names = _saved_names(derived.half.text)
        self.shape_only = _shape_only(inspect.getsource(inspect.unwrap(derived.reverse))) if self.saved_names is not None else set()
        self._gradient: Operation | None = None

    @property
    def source(self) -> str:
        return text_of(self.derived)

    def gradient(self, outputs: int | None) -> Operation:
        """The generated gradient function, an operation itself."""
        if self._gradient is None:
            with LOCK:
                derived = pipeline.derive(self.described, self.kinds, self.active, False, False, True, None)
            function = derived.half.__sourcegrad__
            assert function is not None
            self._gradient = gradient_operation(derived, function, self.operation, outputs)
        return self._gradient


def gradient_operation(derived: Any, function: Function, of: Operation, outputs: int | None) -> Operation:
    """A generated gradient function as an operation, whose last operands are the cotangents of its outputs
    (under names that no gradient of it takes)."""
    tree = t.clone(function.tree)
    taken = [n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)]
    free = (n for n in ("ct", *(f"ct_{j}" for j in range(2, 999))) if n not in taken)
    names = [next(free) for _ in range(outputs or 1)]
    if outputs is None:
        t.rename(tree, {"grad_outputs": names[0]})
    else:
        position = next(j for j, a in enumerate(tree.args.kwonlyargs) if a.id == "grad_outputs")
        like = tree.args.kwonlyargs[position]
        new = [t.clone(like) for _ in names]
        for parameter, name in zip(new, names):
            parameter.id = name
        tree.args.kwonlyargs[position : position + 1] = new
        tree.args.kw_defaults[position : position + 1] = [None] * len(new)
        tree.body.insert(0, t.assign("grad_outputs", t.pack(list(map(t.load, names))), t.origin_of(tree.body[0])))

    def evaluate(**arguments: Any) -> Any:
        cts = [arguments.pop(name) for name in names]
        return derived.function(**arguments, grad_outputs=cts[0] if outputs is None else tuple(cts))

    made = Operation(evaluate, f"{of.name}Backward", dataclasses.replace(function, tree=tree), constants=of.constants,
                     names=[*of.names, *names], options=of.options)
    made.influences = influences(tree, made.names)
    return made


def influences(tree: Any, parameters: list[str]) -> list[set[str]] | None:
    """Of each part of the tuple that a function returns, the parameters whose values it depends on. None: not known."""
    shape = _of_shape(tree)
    found: dict[str, set[str]] = {name: {name} for name in parameters}

    def of(value: Any) -> set[str]:
        return set().union(*[found.get(n.id, set()) for n in t.walk(value) if isinstance(n, gast.Name) and id(n) not in shape])

    *statements, last = tree.body
    for statement in statements:
        if isinstance(statement, gast.Assign):
            names = [n.id for target in statement.targets for n in t.walk(target) if isinstance(n, gast.Name)]
            found.update(dict.fromkeys(names, of(statement.value)))
        elif not (isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)):
            return None
    return list(map(of, last.value.elts)) if isinstance(last, gast.Return) and isinstance(last.value, gast.Tuple) else None


def _saved_names(text: str) -> list[Any] | None:
    """What the forward half saves, by name: a parameter, a tuple of parameters, "<value>" for the result, None for anything else.
    None if its last line has another form."""
    tree = ast.parse(text).body[-1]
    assert isinstance(tree, ast.FunctionDef)
    last = tree.body[-1]
    if not (
        isinstance(last, ast.Return)
        and isinstance(last.value, ast.Tuple)
        and len(last.value.elts) == 2
        and isinstance(last.value.elts[1], ast.Tuple)
    ):
        return None
    assigned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    parameters = {a.arg for a in tree.args.args} - assigned
    value = last.value.elts[0]
    tuples = {
        node.targets[0].id: tuple(getattr(part, "id", "") for part in node.value.elts)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Tuple)
        and all(isinstance(part, ast.Name) and part.id in parameters for part in node.value.elts)
    }
    names: list[Any] = []
    for part in last.value.elts[1].elts:
        name = part.id if isinstance(part, ast.Name) else None
        names.append(
            name
            if name in parameters
            else "<value>"
            if name is not None and isinstance(value, ast.Name) and value.id == name
            else (name, tuples[name])
            if name in tuples
            else None
        )
    return names


def _shape_only(text: str) -> set[str]:
    """The saved names of which the reverse half reads the shape only."""
    tree = ast.parse(text).body[-1]
    shape = _of_shape(tree)
    read: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read[node.id] = read.get(node.id, True) and id(node) in shape
    return {name for name, only in read.items() if only}


def _of_shape(tree: Any) -> set[int]:
    """The nodes of a tree (by id) of whose values only the shape is read."""
    shape: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, gast.Attribute)) and node.attr in SHAPE_ATTRIBUTES:
            shape.add(id(node.value))
        elif isinstance(node, (ast.Call, gast.Call)):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            position = SHAPE_OF.get(name)
            if position is not None and position < len(node.args):
                shape.add(id(node.args[position]))
    return shape


class Entry:
    """An operation for arguments of certain shapes: the halves, and what a node has to keep."""

    replaced: list[tuple[int, Any]]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    __slots__ = ("operation", "halves", "forward", "reverse", "single", "outputs", "results", "pattern", "holds", "tapes",
                 "standins", "needed", "checked", "checks_value", "replaced", "arguments", "keeps", "marks", "simple", "first",
                 "last", "reach")

    def __init__(self, operation: Operation, halves: Halves, values: list, pattern: list[bool]) -> None:
        self.operation, self.halves = operation, halves
        self.forward, self.reverse = halves.forward, halves.reverse
        self.pattern = tuple(pattern)
        self.standins = [_standin(value) for value in values]
        self.single = len(halves.active) == 1
        self.outputs: int | None = None
        self.results: list = []
        self.reach: list[set[int]] | None = None
        if operation.influences is not None:
            self.reach = [{j for j, name in enumerate(halves.active) if name in of} for of in operation.influences]

    def learn(self, value: Any, saved: Any, values: list) -> None:
        """What the first call tells: outputs, and which saved values are operands."""
        if isinstance(value, tuple):
            self.outputs = len(value)
            self.results = [(np.shape(part), np.result_type(part)) for part in value]
        names, operands = self.halves.saved_names, self.operation.names
        self.tapes = any(type(leaf) is list for leaf in (saved if isinstance(saved, tuple) else (saved,)))
        if names is None or len(names) != len(saved):
            self.needed = self.checked = list(range(len(operands)))
            self.checks_value, self.replaced, self.holds = False, [], True
            return
        only = self.halves.shape_only
        self.replaced = []
        own: set[int] = set()
        others, inner = False, []
        for j, (name, part) in enumerate(zip(names, saved)):
            called, members = (name, (name,)) if isinstance(name, str) else name or ("", ())
            positions = [operands.index(member) for member in members if member in operands]
            if called in only and positions:
                if all(isinstance(values[position], np.ndarray) for position in positions):
                    self.replaced.append((j, positions if isinstance(name, tuple) else positions[0]))
            elif positions:
                own |= set(positions)
            elif name is None or name == "<value>":
                others = True
                inner += [leaf for leaf in leaves_of(part) if isinstance(leaf, np.ndarray)] if name is None else []
        self.checks_value = "<value>" in names
        shared = {
            position
            for position, operand in enumerate(values)
            if isinstance(operand, np.ndarray) and any(np.may_share_memory(leaf, operand) for leaf in inner)
        }
        self.checked = sorted(own | shared)
        self.needed = list(range(len(operands))) if others else sorted(own)
        self.holds = others or any(isinstance(leaf, np.ndarray) for j in own for leaf in leaves_of(values[j]))

    def fit(self, operands: tuple) -> None:
        """Whether the quick calls of operations with few operands can make nodes of it."""
        arrays = [j for j, operand in enumerate(operands) if isinstance(operand, Tensor)]
        self.keeps = any(j in self.needed for j in arrays)
        self.marks = [j for j in self.checked if j in arrays]
        plain = not self.operation.options and self.halves.order == tuple(self.operation.names) and not self.replaced
        few = not self.checks_value if len(operands) == 2 else len(operands) == 1
        self.simple = plain and few and self.outputs is None and not self.tapes
        self.first, self.last = (0 if self.checked else 1), (2 if self.checks_value else 1)

    def unspent(self, saved: Any, spent: list) -> Any:
        return unspent(saved, (), by_identity(self.reverse), spent)

    @property
    def source(self) -> str:
        return self.halves.source

    def gradient(self, args: tuple, ct: Any) -> Any:
        """The adjoints of the tracked operands as recorded operations."""
        if self.operation.flat:
            return [constant(np.zeros(array.shape, array.dtype)) for array in self.standins]
        return self.halves.gradient(self.outputs)(*args, *((ct,) if self.outputs is None else ct),
                                                  **self.operation.options_of(self.arguments))


def check_operands(operation: Operation, operands: tuple) -> None:
    """While a program is recorded: refuse operands that were computed without history."""
    for operand in operands:
        parts = operand if isinstance(operand, tuple) else (operand,)
        if any(isinstance(part, np.ndarray) or isinstance(part, Tensor) and part._frozen for part in parts):
            refuse(f"{operation.name} with a value that was computed without history while a program is recorded",
                   "A comparison, an index or random numbers would be frozen into the program: do not record this function.")


def check_standing() -> None:
    """Refuse to record operations inside a function whose derivative is not that of its body."""
    codes = {function.__code__: function for function in STANDING}
    frame: Any = sys._getframe(1)
    while frame is not None:
        function = codes.get(frame.f_code)
        if function is not None:
            refuse(f"{function.__name__}() {STANDING[function]}, but Tensors go through its body, and that would be recorded",
                   f"Call sg.differentiable({function.__name__})(...): one node, with that derivative.")
        frame = frame.f_back


def recording_now() -> bool:
    return STATE.grad is not True and STATE.grad == TRACING


def _standin(value: Any) -> Any:
    """An array of the same shape and dtype without memory: where only the shape is needed."""
    return np.broadcast_to(np.zeros((), value.dtype), value.shape) if isinstance(value, np.ndarray) else value


def described(value: Any) -> Any:
    """What of an operand that is no Tensor selects the halves."""
    cls = type(value)
    if cls is np.ndarray:
        return value.shape, value.dtype, value.flags.c_contiguous
    if cls is tuple:
        return tuple([described(part) for part in value])
    return value if cls is bool or cls is str or value is None else cls


def option_kind(value: Any) -> k.Kind:
    if isinstance(value, tuple):
        return k.Tup(tuple(map(option_kind, value)))
    if isinstance(value, (int, str, bool, type(None))):
        return k.Const(value)
    return k.kind_of(value)


ORDERED = {"Relu", "Floor", "Ceil", "Trunc", "Round", "Frac", "Sign", "LogSigmoid", "Maximum", "Minimum", "Clamp", "Atan2", "Hypot",
           "Remainder", "Fmod", "Amax", "Amin", "Max", "Min", "Softmax", "LogSoftmax", "Sort", "Topk", "Logaddexp"}


def check_order(name: str, *operands: Any) -> None:
    """Refuse complex operands of what needs an order."""
    if any(getattr(getattr(operand, "dtype", None), "kind", "") == "c" for operand in operands):
        refuse(f"{name} is not implemented for complex Tensors: they have no order", "Use x.real, x.imag, x.abs() or x.angle().")


class Operation:
    """A program that Tensors go through. Called with Tensors, arrays and numbers, it gives a Tensor (or several), recorded
    where one of them requires a gradient."""

    def __init__(self, function: Callable, name: str, program: Function | None = None, scalars: bool = False,
                 constants: tuple[str, ...] = (), flat: bool = False, names: list[str] | None = None,
                 options: list[str] | None = None) -> None:
        self.function, self.name, self.program = function, name, program
        self.scalars = scalars  # whether numbers count as operands in `next_functions`
        self.flat = flat  # whether the derivative is zero everywhere
        self.ordered = name in ORDERED
        self.constants = constants  # operands that select the halves by their value
        parameters = {} if names else inspect.signature(function).parameters
        self.names: list[str] = names or [n for n,
                                          parameter in parameters.items() if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
        self.options: list[str] = options if options is not None else [n for n in parameters if n not in self.names]
        self.node_class = type(name if name == "CopySlices" else f"{name}Backward0", (OperationNode,),
                               {"__slots__": (), "__doc__": f"Node of `{name}`."})
        self.influences: list[set[str]] | None = None  # of each output of several, the operands that it depends on
        self.entries: dict[Any, Entry] = {}
        self.halves: dict[Any, Halves] = {}
        self.last: Entry | None = None  # the entry of the last recorded call

    def __repr__(self) -> str:
        return f"<operation {self.name}>"

    def options_of(self, arguments: dict) -> dict:
        return {name: arguments[name] for name in self.options}

    def __call__(self, *operands: Any, **options: Any) -> Any:
        values: list = []
        tracked: list[int] = []  # positions of the operands that require a gradient
        key: list = []
        recording = STATE.grad
        for position, operand in enumerate(operands):
            if isinstance(operand, Tensor):
                data = operand._data
                values.append(data)
                active = recording and (operand._rg if operand._view is None else operand.requires_grad)
                key.append((data.shape, data.dtype, data.flags.c_contiguous, active))
                if active:
                    tracked.append(position)
            else:
                values.append(operand)
                key.append(
                    (type(operand), operand)
                    if self.constants and self.names[position] in self.constants and isinstance(operand, (int, float))
                    else described(operand)
                )
        if self.ordered:
            check_order(self.name, *values)
        if recording is not True and recording == TRACING:
            check_operands(self, operands)
        if not tracked:
            named = dict(zip(self.names, values))
            try:
                return wrapped(self.function(**named, **options))
            except ValueError as error:
                return refuse(f"{self.name}: {error}")
        whole: Any = (tuple(key), tuple(options.items()))
        try:
            entry = self.entries.get(whole)
        except TypeError:
            entry, whole = None, None
        if entry is None:
            try:
                entry = self.entry(whole, operands, values, tracked, options)
            except ValueError as error:  # of NumPy: shapes that do not fit
                return refuse(f"{self.name}: {error}")
        return self.record(entry, operands, values, tracked)

    def entry(self, whole: Any, operands: tuple, values: list, tracked: list[int], options: dict) -> Entry:
        sizes: dict[int, str] = {}
        kinds: dict[str, k.Kind] = {}
        for name, value in zip(self.names, values):
            exact = name in self.constants and isinstance(value, (int, float))
            kinds[name] = option_kind(value) if exact and type(value) is int else k.kind_of(value, name, sizes)
        kinds.update({name: option_kind(options[name]) for name in self.options})
        active = tuple([self.names[position] for position in tracked])
        halves = self.halves.get((tuple(kinds.items()), active))
        if halves is None:
            halves = Halves(self, self.program or describe(self.function), kinds, active)
            self.halves[tuple(kinds.items()), active] = halves
        pattern = [position in tracked for position, operand in enumerate(operands) if isinstance(operand, Tensor) or self.scalars]
        entry = Entry(self, halves, values, pattern)
        entry.arguments = options
        named = {**dict(zip(self.names, values)), **options}
        value, saved = entry.forward(*[named[name] for name in halves.order])
        entry.learn(value, saved, values)
        entry.fit(operands)
        if whole is not None:
            if len(self.entries) > MANY:
                self.entries.clear()
            self.entries[whole] = entry
        return entry

    def record(self, entry: Entry, operands: tuple, values: list, tracked: list[int]) -> Any:
        if self.options or len(entry.halves.order) != len(values):
            named = {**dict(zip(self.names, values)), **entry.arguments}
            value, saved = entry.forward(*[named[name] for name in entry.halves.order])
        else:
            value, saved = entry.forward(*values)
        if any(operands[j]._inference for j in entry.marks):
            refuse(INFERENCE)
        if STANDING:
            check_standing()
        self.last = entry
        node = self.node_class()
        node.targets = tuple([operands[position]._edge() for position in tracked])  # (the nodes of views may be made now)
        node.sequence = SEQUENCE()
        node.entry, node.extras, node.place = entry, None, user_place()
        if entry.replaced:
            saved = list(saved)
            for j, position in entry.replaced:
                saved[j] = entry.standins[position] if isinstance(position, int) else tuple([entry.standins[p] for p in position])
            saved = tuple(saved)
        node.saved = saved
        needed = entry.needed
        node.args = (
            tuple(operands)
            if len(needed) == len(operands) or recording_now()
            else tuple([operand if j in needed else entry.standins[j] for j, operand in enumerate(operands)])
        )
        versions = [(operands[j]._counter, operands[j]._counter[0]) for j in entry.marks]
        result = made(value, node)
        if entry.checks_value:
            outputs = result if isinstance(result, tuple) else (result,)
            versions += [(part._counter, part._counter[0]) for part in outputs]
        node.versions = versions
        return result


def made(value: Any, node: OperationNode) -> Any:
    """The result of a recorded operation, or of one with several results."""
    if isinstance(value, tuple):
        return tuple([result(part, node, number) for number, part in enumerate(value)])
    return result(value, node, 0)


def from_text(name: str, node: str, parameters: str, expression: str) -> Operation:
    """The operation of an expression: for calls with any number of operands."""
    text = f"def {name}({parameters}):\n    return {expression}\n"
    filename = f"<sourcegrad tensor program {next(_NUMBER)}>"
    register(filename, text)
    own = {"np": np, "__builtins__": builtins, "__name__": "sourcegrad.tensor.programs"}
    return Operation(compile_function(text, name, filename, own, {}), node)


_NUMBER = itertools.count(1)
_VARIADIC: dict[tuple[str, int], Operation] = {}
JOINING = {"cat": ("Cat", "np.concatenate(({}), axis=dim)", "dim"), "stack": ("Stack", "np.stack(({}), axis=dim)", "dim"),
           "einsum": ("Einsum", "np.einsum(equation, {})", "equation")}


def variadic(name: str, count: int) -> Operation:
    """An operation with `count` operands."""
    found = _VARIADIC.get((name, count))
    if found is None:
        node, expression, option = JOINING[name]
        operands = ", ".join(f"x{j}" for j in range(count))
        inner = operands + "," if count == 1 and name != "einsum" else operands
        found = _VARIADIC[name, count] = from_text(name, node, f"{operands}, *, {option}", expression.format(inner))
    return found


FUNCTIONS: dict[str, Callable] = {}  # by PyTorch's name
METHODS: dict[str, Callable] = {}  # those that are methods too, of their first argument


def public(function: Callable, name: str = "") -> Callable:
    """Add a function to the tables, under its own name or another."""
    if name:
        function.__name__ = function.__qualname__ = name
    function = spelled(function)
    FUNCTIONS[function.__name__.rstrip("_")] = METHODS[function.__name__.rstrip("_")] = function
    return function


SPELLINGS = (("axis", "dim"), ("axis", "dims"), ("keepdims", "keepdim"), ("ddof", "correction"), ("ord", "p"))


def spelled(function: Callable) -> Callable:
    """A function whose options may also have NumPy's names."""
    named = [p.name for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    names = {other: name for other, name in SPELLINGS if name in named and other not in named}
    if not names:
        return function
    names["input"] = named[0]

    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        if options:
            again = {names.get(name, name): value for name, value in options.items()}
            if len(again) < len(options):
                refuse_type(f"{function.__name__}() got one option under two names: {', '.join(options)}")
            options = again
        return function(*args, **options)

    return called


def given(x: Any) -> Tensor:
    """A constant that the user gives as an array or number: also part of a recorded program."""
    made = constant(np.asarray(x))
    made._frozen = False
    return made


def a_tensor(x: Any) -> Tensor:
    """An argument as a Tensor: arrays and numbers are constants."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, (np.ndarray, float, int, complex, list, tuple, np.generic)):
        return given(x)
    return refuse_type(f"a Tensor is needed here, not {type(x).__name__}")


def axis(x: Tensor, dim: Any) -> Any:
    """A dimension (or several) counted from the front; None stays."""
    if dim is None:
        return None
    if isinstance(dim, (list, tuple)):
        found = tuple(axis(x, d) for d in dim)
        if len(set(found)) != len(found):
            refuse(f"dim {found} appears multiple times in the list of dims")
        return found
    n = max(x._data.ndim, 1)
    d = int(dim)
    if not -n <= d < n:
        raise TensorIndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})",
                               origin_at(user_place()))
    return d % n


def sizes_of(shape: tuple) -> tuple:
    """A shape that is given as numbers or as one sequence."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    try:
        return tuple(map(operator.index, shape))
    except TypeError:
        return refuse_type(f"a size is an int, or a tuple or list of them, not {shape!r}")


def operand(x: Any) -> Any:
    """The other operand of a binary operation: a Tensor or a number as it is, anything else as a constant Tensor."""
    if isinstance(x, Tensor):
        return x
    if type(x) in (int, float):
        return x
    if isinstance(x, (np.ndarray, np.generic, complex, bool)):
        return given(x)
    return NotImplemented


NUMBERS = {float, int}
OWN_FILES = {str(path) for path in Path(__file__).parent.glob("*.py")}  # frames that are not the user's


def binary(operation: Operation) -> Callable:
    """A call of an operation with two operands: what was seen before goes straight to its forward half."""
    quick: dict[Any, Any] = {}
    exact = bool(operation.constants)  # whether a number selects the halves by its value
    function, node_class, frame = operation.function, operation.node_class, sys._getframe
    new, array = object.__new__, np.ndarray

    def call(x: Any, y: Any) -> Any:
        if x.__class__ is Tensor and x._view is None and STATE.grad is True:
            a = x._data
            if y.__class__ is Tensor and y._view is None:
                b: Any = y._data
                entry = quick.get((a.shape, b.shape, a.dtype, b.dtype, x._rg, y._rg, a.flags.c_contiguous, b.flags.c_contiguous))
                tensors: tuple = (x, y)
            elif y.__class__ in NUMBERS:
                b = y
                entry = quick.get((a.shape, y.__class__, a.dtype, a.flags.c_contiguous, y if exact else None)) if x._rg else None
                tensors = (x,)
            else:
                return operation(x, y)
            if entry is not None:
                value, saved = entry.forward(a, b)
                node: Any = new(node_class)
                node.sequence, node.entry, node.extras, node.saved = SEQUENCE(), entry, None, saved
                node.targets = tuple([(t._grad_fn, t._nr) if t._grad_fn is not None else t._edge() for t in tensors if t._rg])
                node.args = (x, y) if entry.keeps else entry.standins if y.__class__ is Tensor else (entry.standins[0], y)
                node.versions = [((x, y)[j]._counter, (x, y)[j]._counter[0]) for j in entry.marks] if entry.marks else None
                place: Any = frame(2)
                while place.f_code.co_filename in OWN_FILES:
                    place = place.f_back
                node.place = (place.f_code, place.f_lasti)
                if STANDING:
                    check_standing()
                made = new(Tensor)
                if value.__class__ is not array:
                    value = np.asarray(value)
                made._data, made._counter, made._rg, made._grad_fn = value, [0], True, node
                return made
            found = operation(x, y)
            if found.__class__ is Tensor and found._grad_fn is not None and operation.last is not None and operation.last.simple:
                quick[
                    (a.shape, b.shape, a.dtype, b.dtype, x._rg, y._rg, a.flags.c_contiguous, b.flags.c_contiguous)
                    if y.__class__ is Tensor
                    else (a.shape, y.__class__, a.dtype, a.flags.c_contiguous, y if exact else None)
                ] = operation.last
            if len(quick) > 4096:
                quick.clear()
            return found
        if not STATE.grad and x.__class__ is Tensor and y.__class__ is Tensor and not operation.ordered:
            return constant(function(x._data, y._data))
        return operation(x, y)

    return call


def unary(operation: Operation) -> Callable:
    """A call of an operation with one operand."""
    quick: dict[Any, Any] = {}
    node_class, frame = operation.node_class, sys._getframe
    new, array = object.__new__, np.ndarray

    def call(x: Any) -> Any:
        if x.__class__ is Tensor and x._view is None and STATE.grad is True and x._rg:
            a = x._data
            entry = quick.get((a.shape, a.dtype, a.flags.c_contiguous))
            if entry is not None:
                value, saved = entry.forward(a)
                node: Any = new(node_class)
                node.sequence, node.entry, node.extras, node.saved = SEQUENCE(), entry, None, saved
                node.targets = ((x._grad_fn, x._nr) if x._grad_fn is not None else x._edge(),)
                made = new(Tensor)
                if value.__class__ is not array:
                    value = np.asarray(value)
                made._data, made._counter, made._rg, made._grad_fn = value, [0], True, node
                node.args = (x,) if entry.keeps else entry.standins
                node.versions = [(t._counter, t._counter[0]) for t in (x, made)[entry.first : entry.last]]
                place: Any = frame(2)
                while place.f_code.co_filename in OWN_FILES:
                    place = place.f_back
                node.place = (place.f_code, place.f_lasti)
                if STANDING:
                    check_standing()
                return made
            found = operation(x)
            if found.__class__ is Tensor and found._grad_fn is not None and operation.last is not None and operation.last.simple:
                quick[a.shape, a.dtype, a.flags.c_contiguous] = operation.last
            if len(quick) > 4096:
                quick.clear()
            return found
        return operation(x)

    return call


ARITHMETIC = ("add", "sub", "mul", "div")
FLAT = {"Sign", "Floor", "Ceil", "Trunc", "Round"}  # derivative zero everywhere
QUICK = {"x": unary, "x, y": binary, "x, weight": binary, "a, b": binary}  # the parameters of those with quick calls
OTHERS = {"pow": ("Pow", "power"), "mv": ("Mv", "matmul"), "bmm": ("Bmm", "matmul"), "complex": ("Complex", "complex_"),
          "abs": ("Abs", "absolute"), "round": ("Round", "round_"), "sum": ("Sum", "total"), "max": ("Max", "amax"),
          "min": ("Min", "amin"), "picked_max": ("Max", "picked"), "picked_min": ("Min", "picked"), "picked": ("Gather", "picked"),
          "logsumexp": ("Logsumexp", "logsumexp"), "softmax": ("Softmax", "softmax"), "log_softmax": ("LogSoftmax", "log_softmax"),
          "unsafe_view": ("UnsafeView", "reshape"), "transpose": ("Transpose", "swapaxes"), "t": ("T", "swapaxes"),
          "diag": ("DiagEmbed", "diag_embed"), "to": ("ToCopy", "to_copy"), "select": ("Select", "index"),
          "slice": ("Slice", "index"), "put": ("CopySlices", "put"), "fill": ("Fill", "put"), "index_put": ("IndexPut", "put"),
          "index_put_add": ("IndexPut", "put_add"), "scatter": ("Scatter", "scatter"), "sort": ("Sort", "gather"),
          "topk": ("Topk", "gather"), "eigh": ("LinalgEigh", "eigh"), "svd": ("LinalgSvd", "svd"), "qr": ("LinalgQr", "qr")}

OPERATIONS = {name: Operation(getattr(p, program), node, scalars=name in ARITHMETIC, flat=node in FLAT,
                              constants=("y",) if name == "pow" else ())
              for name, (node, program) in {**{name: (parts[0], name) for name, parts in p.PROGRAMS.items() if parts[0]},
                                            **OTHERS}.items()}
CALL: dict[str, Callable] = {name: QUICK.get(", ".join(operation.names + operation.options), lambda other: other)(operation)
                             for name, operation in OPERATIONS.items()}
