"""NumPy functions of Tensors: `np.f(t)` follows NumPy and gives a recorded Tensor.

Each call becomes a program of one line, `return np.f(x0, axis=1)`, whose halves the pipeline generates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import SourcegradError
from sourcegrad.tensor.core import Tensor, as_array, wrapped
from sourcegrad.tensor.errors import TensorTypeError, origin_at, user_place
from sourcegrad.tensor.modes import STATE
from sourcegrad.tensor.operation import Operation, from_text

PROGRAMS: dict[Any, Operation] = {}
MODULES = {"numpy": "np", "numpy.linalg": "np.linalg", "numpy.fft": "np.fft"}
LITERALS = (int, float, str, bool, type(None), complex)


class _Writer:
    """The text of a call: Tensors and arrays become parameters, everything else is written as it is."""

    def __init__(self) -> None:
        self.operands: list[Any] = []

    def text(self, value: Any) -> str:
        if isinstance(value, (Tensor, np.ndarray, np.generic)):
            self.operands.append(value)
            return f"x{len(self.operands) - 1}"
        if isinstance(value, LITERALS):
            return repr(value)
        if isinstance(value, (list, tuple)):
            inner = ", ".join(map(self.text, value))
            return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
        if isinstance(value, slice):
            return f"slice({self.text(value.start)}, {self.text(value.stop)}, {self.text(value.step)})"
        if value is Ellipsis:
            return "..."
        if isinstance(value, type) and issubclass(value, (np.generic, float, int, complex, bool)):
            return value.__name__ if value.__module__ == "builtins" else f"np.{value.__name__}"
        if isinstance(value, np.dtype):
            return f"np.{value.type.__name__}"
        raise TensorTypeError(f"an argument of a NumPy function with Tensors is a {type(value).__name__}", origin_at(user_place()))


def called(function: Callable, name: str, args: tuple, options: dict) -> Any:
    """A NumPy function of Tensors, recorded where one of them requires a gradient."""
    if not STATE.grad or not any(t.requires_grad for t in tensors_in((args, tuple(options.values())))):
        return wrapped(function(*unwrapped(args), **{k: unwrapped(v) for k, v in options.items()}))
    if any(isinstance(options.get(o), (Tensor, np.ndarray)) or isinstance(options.get(o), tuple) for o in ("out",)):
        raise TensorTypeError(
            f"{name}(..., out=...) with Tensors that require a gradient",
            origin_at(user_place()),
            "Leave out= away and use what it returns.",
        )
    writer = _Writer()
    parts = [writer.text(a) for a in args] + [f"{k}={writer.text(v)}" for k, v in options.items()]
    short = name.rsplit(".", 1)[-1]
    text = f"{name}({', '.join(parts)})"
    operation = PROGRAMS.get((text, len(writer.operands)))
    if operation is None:
        operation = PROGRAMS[text, len(writer.operands)] = from_text(
            short, short.title().replace("_", ""), ", ".join(f"x{j}" for j in range(len(writer.operands))), text
        )
    try:
        found = operation(*writer.operands)
    except SourcegradError as error:
        if error.origin is not None and error.origin.file.startswith("<sourcegrad"):
            raise TensorTypeError(
                f"{name} of Tensors that require a gradient: {error.message.splitlines()[0]}",
                origin_at(user_place()),
                f"Use it on {'x.detach()'} if its derivative does not matter, or register one: see sg.rule.",
            ) from None
        raise
    return found


def tensors_in(value: Any) -> Any:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_in(part)


def unwrapped(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(unwrapped, value)) if type(value) in (list, tuple) else value
    return as_array(value)


def _array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *args: Any, **options: Any) -> Any:
    if method != "__call__":
        name = {
            ("add", "reduce"): "sum",
            ("multiply", "reduce"): "prod",
            ("maximum", "reduce"): "max",
            ("minimum", "reduce"): "min",
            ("add", "accumulate"): "cumsum",
            ("multiply", "accumulate"): "cumprod",
        }.get((ufunc.__name__, method))
        if name is not None and set(options) <= {"axis", "keepdims"}:
            return called(getattr(np, name), f"np.{name}", args, {"axis": 0, **options})
        if method == "at" or any(t.requires_grad for t in tensors_in(args)):
            raise TensorTypeError(
                f"np.{ufunc.__name__}.{method} with Tensors", origin_at(user_place()), "Use functions or indices of Tensors."
            )
        return wrapped(getattr(ufunc, method)(*map(as_array, args), **options))
    if "out" in options:
        out = options["out"]
        target = out[0] if isinstance(out, tuple) else out
        if isinstance(target, Tensor) and not target.requires_grad and not any(t.requires_grad for t in tensors_in(args)):
            return wrapped(ufunc(*map(as_array, args), out=target._data))
        raise TensorTypeError(
            f"np.{ufunc.__name__}(..., out=...) with Tensors that require a gradient",
            origin_at(user_place()),
            "Leave out= away and use what it returns.",
        )
    quick = _quick(ufunc.__name__)
    if quick is not None and not options:
        return quick(*args)
    return called(ufunc, f"np.{ufunc.__name__}", args, options)


QUICK = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "true_divide": "div",
    "divide": "div",
    "power": "pow",
    "negative": "neg",
    "sin": "sin",
    "cos": "cos",
    "exp": "exp",
    "log": "log",
    "sqrt": "sqrt",
    "tanh": "tanh",
}


def _quick(name: str) -> Callable | None:
    from sourcegrad.tensor.arguments import FUNCTIONS

    return FUNCTIONS.get(QUICK.get(name, ""))


def _array_function(self: Tensor, function: Callable, types: Any, args: tuple, options: dict) -> Any:
    module = MODULES.get(function.__module__)
    if module is None:
        raise TensorTypeError(
            f"{function.__module__}.{function.__name__} of Tensors", origin_at(user_place()), "Use x.detach().numpy()."
        )
    return called(function, f"{module}.{function.__name__}", args, options)


Tensor.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
Tensor.__array_function__ = _array_function  # type: ignore[attr-defined]
