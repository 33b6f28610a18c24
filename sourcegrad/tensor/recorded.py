"""Recorded operations as one program: its text, its generated gradient, and a compiled form of a function for later calls.

    def recorded(x, w):
        mul = x * w
        return np.sum(mul)

The expressions are those of the operations' programs. The pipeline differentiates the whole, as it does any function.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import itertools
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.api import gradient as api
from sourcegrad.errors import refuse
from sourcegrad.ir.source import LOCK, compile_function, register
from sourcegrad.tensor.calls import call
from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.node import STATE, TRACING, AccumulateGrad, OperationNode

_number = itertools.count(1).__next__


class Program:
    """The operations that lead to some outputs, as a function of the leaves and of the arrays that they were made with."""

    def __init__(self, outputs: list[Tensor], names: dict[int, str], title: str = "recorded") -> None:
        self.title, self.given = title, names
        self.inputs: dict[str, Any] = {}  # name -> leaf Tensor, array or number
        self.lines: list[ast.stmt] = []
        self.globals: dict[str, Any] = {"np": np, "__builtins__": builtins, "__name__": "sourcegrad.tensor.programs"}
        self.values: dict[Any, str] = {}  # (node, output) or id of a leaf -> name
        self.taken: set[str] = {"np"}
        self.held: list = []
        for node in self.ordered(outputs):
            self.write(node)
        self.results = [self.value(output) for output in outputs]
        result: ast.expr = ast.Name(self.results[0], ast.Load())
        if len(outputs) > 1:
            result = ast.Tuple([ast.Name(name, ast.Load()) for name in self.results], ast.Load())
        self.lines.append(ast.Return(result))

    def ordered(self, outputs: list[Tensor]) -> list[OperationNode]:
        found: set = set()
        stack: list = [output.grad_fn for output in outputs if output.grad_fn is not None]
        while stack:
            node = stack.pop()
            if node in found or isinstance(node, AccumulateGrad):
                continue
            if not isinstance(node, OperationNode) or node.entry.operation.program is not None or node.args is None:
                refuse(f"the graph holds {node.name()}, which is no operation of Tensors (or was freed): it has no program to join")
            found.add(node)
            stack += [target for target, _ in node.targets]
        return sorted(found, key=lambda node: node.sequence)

    def fresh(self, base: str) -> str:
        base = base if base.isidentifier() and base not in ("lambda", "None") else "value"
        name = next(n for n in itertools.chain([base], (f"{base}_{j}" for j in itertools.count(2))) if n not in self.taken)
        self.taken.add(name)
        return name

    def value(self, tensor: Tensor) -> str:
        node = tensor.grad_fn
        return self.values[node, tensor._nr] if node is not None else self.leaf(tensor)

    def leaf(self, value: Any, base: str = "x") -> str:
        """The parameter that stands for a leaf, or for an array."""
        if id(value) not in self.values:
            name = self.values[id(value)] = self.fresh(self.given.get(id(value), base))
            self.inputs[name] = value
            self.held.append(value)
        return self.values[id(value)]

    def operand(self, value: Any, edge: Any) -> ast.expr:
        if edge is not None:
            node, number = edge
            name = self.leaf(node.variable) if isinstance(node, AccumulateGrad) else self.values[node, number]
            return ast.Name(name, ast.Load())
        if isinstance(value, Tensor):
            return ast.Name(self.leaf(value, "c"), ast.Load())
        if isinstance(value, np.ndarray):
            return ast.Name(self.leaf(value, "c"), ast.Load())
        return literal(value)

    def write(self, node: OperationNode) -> None:
        operation, entry = node.entry.operation, node.entry
        edges = iter(node.targets)
        tracked = {operation.names.index(name) for name in entry.halves.active}
        bound = {
            name: self.operand(value, next(edges) if j in tracked else None)
            for j, (name, value) in enumerate(zip(operation.names, node.args))
        }
        bound.update({name: literal(entry.arguments[name]) for name in operation.options})
        expression = self.expression(operation, bound)
        base = operation.function.__name__.rstrip("_")
        if entry.outputs is None:
            name = self.values[node, 0] = self.fresh(base)
            self.lines.append(ast.Assign([ast.Name(name, ast.Store())], expression))
            return
        names = [self.fresh(base) for _ in range(entry.outputs)]
        self.values.update({(node, number): name for number, name in enumerate(names)})
        self.lines.append(ast.Assign([ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())], expression))

    def expression(self, operation: Any, bound: dict[str, ast.expr]) -> ast.expr:
        """The program of an operation with its operands put in, if it is one expression; else a call of it."""
        definition = body_of(operation.function)
        if definition is not None:
            return _Put(bound).visit(copy.deepcopy(definition))
        name = operation.function.__name__
        self.globals[name] = operation.function
        self.taken.add(name)
        operands = [bound[n] for n in operation.names]
        return ast.Call(ast.Name(name, ast.Load()), operands, [ast.keyword(n, bound[n]) for n in operation.options])

    def function(self) -> Callable:
        """The program, compiled, with its text for the pipeline."""
        text = self.text()
        filename = f"<sourcegrad recorded {_number()}>"
        register(filename, text)
        return compile_function(text, self.title, filename, self.globals, {})

    def text(self) -> str:
        arguments = ast.arguments([], [ast.arg(name) for name in self.inputs], None, [], [], None, [])
        definition = ast.FunctionDef(self.title, arguments, self.lines, [])  # type: ignore[call-arg]
        definition.type_params = []  # type: ignore[attr-defined]
        return ast.unparse(ast.fix_missing_locations(definition)) + "\n"


_BODIES: dict[Any, ast.expr | None] = {}


def body_of(function: Callable) -> ast.expr | None:
    """The expression that a program returns, if it is all that it does."""
    if function not in _BODIES:
        with LOCK:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        statements = tree.body if isinstance(tree, ast.FunctionDef) else []
        single = len(statements) == 1 and isinstance(statements[0], ast.Return)
        _BODIES[function] = statements[0].value if single else None  # type: ignore[attr-defined]
    return _BODIES[function]


class _Put(ast.NodeTransformer):
    def __init__(self, bound: dict[str, ast.expr]) -> None:
        self.bound = bound

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        usual = {"axis": None, "keepdims": False}
        node.keywords = [
            keyword
            for keyword in node.keywords
            if not (keyword.arg in usual and isinstance(keyword.value, ast.Constant) and keyword.value.value is usual[keyword.arg])
        ]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.bound[node.id]) if node.id in self.bound else node


def literal(value: Any) -> ast.expr:
    """An index, an option or a number as it is written."""
    if isinstance(value, tuple):
        return ast.Tuple([literal(part) for part in value], ast.Load())
    if isinstance(value, slice):
        parts = [None if part is None else literal(part) for part in (value.start, value.stop, value.step)]
        return ast.Slice(*parts)
    if isinstance(value, (int, float, complex, str, bool, type(None), type(Ellipsis))):
        return ast.parse(repr(value) if value is not Ellipsis else "...", mode="eval").body
    return refuse(f"a {type(value).__name__} among the operands cannot be written into a program")


def source(tensor: Tensor) -> str:
    """The whole backward of a Tensor as one generated function: its operations joined into one program, and differentiated.

    Its parameters are the leaves (x, x_2, ...) and the constants (c, c_2, ...).
    """
    if tensor.grad_fn is None:
        refuse("the Tensor has no history: there is nothing to differentiate")
    program = Program([tensor], {})
    names = tuple(name for name, value in program.inputs.items() if isinstance(value, Tensor) and value.requires_grad)
    at = {name: value._data if isinstance(value, Tensor) else value for name, value in program.inputs.items()}
    return api.generated_source(program.function(), inputs=names if len(names) > 1 else names[0], at=at)


# --- a compiled form

class Recorded:
    """A function on Tensors whose operations are recorded once for each combination of shapes, and then run as generated code.

    What is recorded are the operations, with Tensors of the closure read at each call. A run that looks at values (`if`, `.item()`,
    comparisons, random numbers, `.detach()`) cannot be recorded: it is refused.
    """

    def __init__(self, function: Callable) -> None:
        self._function = function
        self._programs: dict[Any, tuple] = {}
        self.__name__ = getattr(function, "__name__", "recorded")
        self.__doc__ = function.__doc__

    def __call__(self, *tensors: Any) -> Any:
        """The value, as one node whose backward is the generated adjoint."""
        _, program, captured, compiled, single = self._recorded(tensors)
        found = call(compiled, (*tensors, *captured))
        return found if single else tuple(found)

    def value_and_grad(self, *tensors: Any) -> tuple:
        """`(value, gradients)` of a number, for all Tensors given: no graph is built."""
        gradient, _, captured, _, _ = self._recorded(tensors)
        value, gradients = gradient(*[t._data for t in tensors], *[c._data if isinstance(c, Tensor) else c for c in captured])
        return constant(value), tuple([constant(g) for g in gradients])

    @property
    def source(self) -> str:
        """The generated gradient for what was recorded last."""
        if not self._programs:
            refuse(f"{self.__name__} has not been called yet: there is nothing recorded")
        gradient, program, _, compiled, _ = list(self._programs.values())[-1]
        at = {name: value._data if isinstance(value, Tensor) else value for name, value in program.inputs.items()}
        return api.generated_source(compiled, inputs=gradient._inputs, at=at)

    def _recorded(self, tensors: tuple) -> tuple:
        key = tuple([(t._data.shape, t._data.dtype) for t in tensors])
        found = self._programs.get(key)
        if found is None:
            found = self._programs[key] = self._record(tensors)
        return found

    def _record(self, tensors: tuple) -> tuple:
        if not all(isinstance(t, Tensor) and t._data.dtype.kind in "fc" for t in tensors):
            refuse("a recorded function takes Tensors of floating point numbers")
        parameters = list(inspect.signature(self._function).parameters)
        inputs = []
        for t in tensors:
            made = constant(t._data)
            made._rg = True
            inputs.append(made)
        before = STATE.grad
        STATE.grad = TRACING  # type: ignore[assignment]
        try:
            found = self._function(*inputs)
        finally:
            STATE.grad = before
        outputs = list(found) if isinstance(found, (tuple, list)) else [found]
        if not all(isinstance(o, Tensor) and o.grad_fn is not None for o in outputs):
            refuse(f"{self.__name__}() returns something that was not computed from its arguments by recorded operations")
        title = self.__name__ if self.__name__.isidentifier() else "recorded"
        program = Program(outputs, {id(t): name for t, name in zip(inputs, parameters)}, title)
        names = [program.leaf(t) for t in inputs]
        captured = [value for name, value in program.inputs.items() if name not in names]
        program.inputs = {**{name: program.inputs[name] for name in names},
                          **{name: value for name, value in program.inputs.items() if name not in names}}
        compiled = program.function()
        gradient = api.value_and_grad(compiled, tuple(names))
        return gradient, program, captured, compiled, not isinstance(found, (tuple, list))


def record(function: Callable) -> Recorded:
    """Record a function on Tensors once, and run generated code from then on (also as a decorator).

    >>> import sourcegrad as sg
    >>> @sg.record
    ... def loss(x, w):
    ...     return (sg.sin(x * w) ** 2).sum()
    >>> x, w = sg.tensor([1.0, 2.0]), sg.tensor([0.5, 0.5], requires_grad=True)
    >>> loss(x, w).backward()
    >>> w.grad
    tensor([0.8415, 1.8186])
    """
    return Recorded(function)
