"""Functions on arrays called with Tensors: the whole call is one node, whose backward is the generated adjoint.

In-place code, loops and objects inside are the pipeline's business. A Tensor that the function changes is refused, unless the
function names it by `.output`: then the changed values are what the call returns.
"""

from __future__ import annotations

import builtins
import inspect
import itertools
import re
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.api import gradient
from sourcegrad.ir.source import compile_function, register
from sourcegrad.runtime.saved import leaves as leaves_of
from sourcegrad.tensor.core import Tensor, constant, result, wrapped
from sourcegrad.tensor.errors import graph_error, refuse, refuse_type, user_place
from sourcegrad.tensor.modes import STATE
from sourcegrad.tensor.node import FREED, FREED_MESSAGE, FREED_REMEDY, SEQUENCE, Node, check_versions
from sourcegrad.tensor.operation import text_of


def tensors_at(value: Any, path: tuple = ()) -> list[tuple[tuple, Tensor]]:
    """The Tensors in nested lists, tuples and dicts, with their places."""
    if isinstance(value, Tensor):
        return [(path, value)]
    if isinstance(value, (list, tuple)):
        return [found for j, part in enumerate(value) for found in tensors_at(part, (*path, j))]
    if isinstance(value, dict):
        return [found for key, part in value.items() for found in tensors_at(part, (*path, key))]
    return []


def as_arrays(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value._data
    if isinstance(value, (list, tuple)):
        parts = [as_arrays(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: as_arrays(part) for key, part in value.items()}
    return value


def at(tree: Any, path: tuple) -> Any:
    for step in path:
        tree = tree[step]
    return tree


class CallNode(Node):
    """A call of a function on arrays. `pullback` is the generated reverse half with what the forward half saved."""

    __slots__ = ("function", "args", "names", "places", "targets", "saved", "versions", "place", "count", "metas", "generated")

    def name(self) -> str:
        name = getattr(self.function, "__name__", "function")
        return f"{name.title().replace('_', '') if name.isidentifier() else 'Lambda'}Backward"

    @property
    def outputs(self) -> int | None:  # type: ignore[override]
        return self.count

    @property
    def source(self) -> str:
        """The generated forward and reverse half of the function, as text."""
        return text_of(self.generated)

    def zero(self, number: int) -> np.ndarray:
        shape, dtype = self.metas[number]
        return np.zeros(shape, dtype)

    def check(self) -> None:
        if self.saved is FREED:
            raise graph_error(FREED_MESSAGE, self.place, FREED_REMEDY)
        check_versions(self)

    def pull(self, ct: Any, keep: bool) -> list:
        self.check()
        found = self.saved(tuple(ct) if self.count is not None else ct)
        if not keep:
            self.saved = FREED
        return [at(found, path) for path in self.places]

    def pull_tracked(self, ct: Any, keep: bool) -> list:
        self.check()
        found = call(
            gradient_program(self.function, self.names, len(self.args)), (*self.args, tuple(ct) if self.count is not None else ct)
        )
        if not keep:
            self.saved = FREED
        return [at(found, path) for path in self.places]


_GRADIENTS: dict[Any, Callable] = {}
_number = itertools.count(1).__next__


def gradient_program(function: Callable, names: tuple, count: int) -> Callable:
    """The gradient of a function as a function of its arguments and the cotangent: what is differentiated for the second order."""
    found = _GRADIENTS.get((function, names))
    if found is None:
        name = getattr(function, "__name__", "")
        short = f"{name if name.isidentifier() else 'function'}_pullback"
        operands = ", ".join(f"x{j}" for j in range(count))
        text = f"def {short}({operands}, ct):\n    return gradient({operands}, grad_outputs=ct)\n"
        filename = f"<sourcegrad tensor call {_number()}>"
        register(filename, text)
        own = {"gradient": gradient.grad(function, names), "__builtins__": builtins, "__name__": "sourcegrad.tensor.programs"}
        found = _GRADIENTS[function, names] = compile_function(text, short, filename, own, {})
    return found


def call(function: Callable, args: tuple, options: Any = None) -> Any:
    """Call a function on arrays with Tensors among its arguments."""
    if options and not tensors_at((args, options)):
        return getattr(function, "run", function)(*args, **options)
    if options:
        bound = inspect.signature(getattr(function, "_function", function)).bind(*args, **options)
        bound.apply_defaults()
        if bound.kwargs:
            refuse_type(
                f"{getattr(function, '__name__', 'the function')}() with keyword-only arguments and Tensors",
                "Give its arguments by position.",
            )
        args = bound.args
    found = tensors_at(args)
    if not found:
        return getattr(function, "run", function)(*args)
    if not STATE.grad or not any(tensor.requires_grad for _, tensor in found):
        return outputs_of(getattr(function, "run", function)(*as_arrays(args)))
    tracked = [(path, tensor) for path, tensor in found if tensor.requires_grad]
    positions = tuple(dict.fromkeys(path[0] for path, _ in tracked))
    arrays = tuple(as_arrays(args))
    pullback: Any
    value, pullback = gradient.vjp(function, *arrays, inputs=positions)
    refuse_changes(function, pullback)
    node: Any = CallNode()
    node.sequence, node.extras, node.place = SEQUENCE(), None, user_place()
    node.function, node.args, node.names, node.saved = function, tuple(args), positions, pullback
    node.generated = pullback.generated
    node.places = [(positions.index(path[0]), *path[1:]) for path, _ in tracked]
    node.targets = tuple([tensor._edge() for _, tensor in tracked])
    node.versions = [(tensor._version, tensor._version[0]) for _, tensor in found]
    if isinstance(value, (tuple, list)):
        node.count, node.metas = len(value), [(np.shape(part), np.result_type(part)) for part in value]
        made = [result(detached(part, arrays), node, number) for number, part in enumerate(value)]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if not isinstance(value, (np.ndarray, np.generic, float, complex)):
        refuse_type(
            f"{node.name().removesuffix('Backward')}() returns a {type(value).__name__}: a function that Tensors go through "
            "returns an array, a number, or a tuple or list of them"
        )
    node.count, node.metas = None, [(np.shape(value), np.result_type(value))]
    return result(detached(value, arrays), node, 0)


def detached(value: Any, arrays: Any) -> Any:
    """A result with memory of its own."""
    if isinstance(value, np.ndarray) and any(
        isinstance(a, np.ndarray) and np.may_share_memory(a, value) for a in leaves_of(arrays)
    ):
        return value.copy()
    return value


def outputs_of(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        parts = [outputs_of(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return wrapped(value) if isinstance(value, (np.ndarray, np.generic, float, int, complex)) else value


SAFE: weakref.WeakSet = weakref.WeakSet()  # generated code that changes no Tensor


def refuse_changes(function: Callable, pullback: Any) -> None:
    """Refuse a function that changes a Tensor, unless it names it as its output."""
    if getattr(function, "_names", None) is not None or pullback.generated in SAFE:
        return
    names = list(inspect.signature(getattr(function, "_function", function)).parameters)
    changed = [
        name
        for name in names
        if re.search(
            rf"^    {name} = ({name}\.copy\(\)|(np\.)?\w*(copy|copied|own)\w*\({name}\b)", text_of(pullback.generated), re.MULTILINE
        )
    ]
    if not changed:
        SAFE.add(pullback.generated)
    if changed:
        short = getattr(function, "__name__", "the function")
        refuse(
            f"{short}() changes its argument {changed[0]!r}, which is a Tensor here",
            f"Copy it inside ({changed[0]} = {changed[0]}.copy()), or name it as the output: {short}.output({changed[0]!r})(...).",
        )


__all__ = ["call", "constant"]
