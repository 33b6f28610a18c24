"""Methods and operators of Tensors: what `functions` has, `op=`, changes in place, and NumPy's protocols.

`np.f(t)` follows NumPy and gives a recorded Tensor: the call becomes a program of one line, `return np.f(x0, axis=1)`, whose halves
the pipeline generates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import SourcegradError, TensorTypeError, origin_at, refuse, user_place
from sourcegrad.tensor import creation, functions, shapes
from sourcegrad.tensor.calls import tensors_at
from sourcegrad.tensor.core import Tensor, as_array, as_arrays, constant, wrapped
from sourcegrad.tensor.node import STATE
from sourcegrad.tensor.operations import CALL, FUNCTIONS, METHODS, OPERATIONS, Operation, a_tensor, from_text, operand
from sourcegrad.tensor.shapes import change, check_change


def _operator(name: str) -> Callable:
    call = CALL[name]

    def method(self: Tensor, other: Any) -> Any:
        if other.__class__ is not Tensor and type(other) not in (int, float):
            other = operand(other)
            if other is NotImplemented:
                return other
        return call(self, other)

    return method


def _reflected(name: str) -> Callable:
    call = CALL[name]

    def method(self: Tensor, other: Any) -> Any:
        if name in ("add", "mul"):
            other = operand(other)
            return other if other is NotImplemented else call(self, other)
        if type(other) in (int, float):
            return OPERATIONS["rsub"](self, other) if name == "sub" else CALL["mul"](METHODS["reciprocal"](self), other)
        if not isinstance(other, (int, float, complex, np.ndarray, np.generic)):
            return NotImplemented
        return call(constant(np.asarray(other)), self)

    return method


for _python, _name in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
    setattr(Tensor, f"__{_python}__", _operator(_name))
    setattr(Tensor, f"__r{_python}__", _reflected(_name))
_np: Any
for _python, _np in (("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal), ("gt", np.greater),
                     ("ge", np.greater_equal)):
    setattr(
        Tensor,
        f"__{_python}__",
        (lambda of: lambda self, other: functions.compared(of, self, other) if other is not None else NotImplemented)(_np),
    )
for _python, _np in (("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor), ("lshift", np.left_shift),
                     ("rshift", np.right_shift)):
    setattr(Tensor, f"__{_python}__", (lambda of: lambda self, other: constant(of(self._data, as_array(other))))(_np))
    setattr(Tensor, f"__r{_python}__", (lambda of: lambda self, other: constant(of(as_array(other), self._data)))(_np))
Tensor.__hash__ = object.__hash__  # type: ignore[method-assign, assignment]

_ALL: dict[str, Any] = {"__neg__": METHODS["neg"], "__pos__": lambda self: self, "__abs__": METHODS["abs"],
                        "__pow__": METHODS["pow"], "__rpow__": lambda self, other: METHODS["pow"](other, self),
                        "__matmul__": METHODS["matmul"], "__rmatmul__": lambda self,
                        other: METHODS["matmul"](a_tensor(other), self), "__mod__": METHODS["remainder"],
                        "__floordiv__": METHODS["floor_divide"], "__rfloordiv__": lambda self,
                        other: METHODS["floor_divide"](a_tensor(other), self), "__rmod__": lambda self,
                        other: METHODS["remainder"](a_tensor(other), self),
                        "__invert__": lambda self: constant(np.invert(self._data)), "__getitem__": shapes.get,
                        "__setitem__": shapes.assign, "__round__": lambda self, n=0: METHODS["round"](self, decimals=n or 0)}
for _name, _function in {**METHODS, **_ALL}.items():
    setattr(Tensor, _name, _function)

for _name in ("real", "imag"):
    setattr(Tensor, _name, property(METHODS[_name]))
Tensor.nbytes = property(lambda self: self._data.nbytes)  # type: ignore[attr-defined]
Tensor.itemsize = property(lambda self: self._data.itemsize)  # type: ignore[attr-defined]


# --- changes in place

def _in_place(name: str) -> Callable:
    function = METHODS[name]

    def method(self: Tensor, *args: Any, **options: Any) -> Tensor:
        return change(self, lambda old: function(old, *args, **options))

    method.__name__ = method.__qualname__ = f"{name}_"
    method.__doc__ = f"`{name}`, in place."
    return method


IN_PLACE = ("add", "sub", "mul", "div", "pow", "neg", "abs", "exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "square",
            "reciprocal", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "clamp", "floor", "ceil", "round", "trunc", "masked_fill",
            "clamp_min", "clamp_max", "lerp", "addcmul", "addcdiv", "remainder", "fmod", "tril", "triu", "index_add", "index_fill",
            "scatter", "scatter_add", "cumsum", "cumprod", "clip", "sinh", "cosh", "asin", "acos", "atan", "floor_divide",
            "addmm", "logical_not", "sign", "frac", "nan_to_num")
for _name in IN_PLACE:
    setattr(Tensor, f"{_name}_", _in_place(_name))
for _python, _name in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("pow", "pow"), ("mod", "remainder"),
                       ("floordiv", "floor_divide")):
    setattr(Tensor, f"__i{_python}__", _in_place(_name))
Tensor.multiply_ = Tensor.mul_  # type: ignore[attr-defined]
Tensor.subtract_, Tensor.divide_ = Tensor.sub_, Tensor.div_  # type: ignore[attr-defined]


def _copy(self: Tensor, source: Any, non_blocking: bool = False) -> Tensor:
    source = a_tensor(source)
    return change(self, lambda old: shapes.O["fill"](old, shapes.to(source, self._data.dtype), Ellipsis))


def _fill(self: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor) and value._rg:
        return _copy(self, value)
    return _plain(self, lambda data: data.fill(as_array(value)))


def _plain(self: Tensor, write: Callable[[np.ndarray], Any]) -> Tensor:
    """A change that does not depend on what was there: the history ends."""
    data = np.empty_like(self._data)
    write(data)
    return change(self, lambda old: shapes.O["fill"](old, constant(data), Ellipsis))


def _random(draw: Callable) -> Callable:
    def method(self: Tensor, *args: Any, generator: Any = None, **options: Any) -> Tensor:
        numbers = (generator or creation.GENERATOR).generator
        return _plain(self, lambda data: np.copyto(data, draw(numbers, self._data.shape, *args, **options)))

    return method


for _name, _function in {
    "copy_": _copy,
    "fill_": _fill,
    "zero_": lambda self: _fill(self, 0),
    "fill_diagonal_": lambda self, value: change(
        self, lambda old: shapes.O["index_put"](old, value, np.diag_indices(min(self._data.shape)))
    ),
    "normal_": _random(lambda g, shape, mean=0.0, std=1.0: g.normal(mean, std, shape)),
    "uniform_": _random(lambda g, shape, low=0.0, high=1.0, **o: g.uniform(o.get("from", low), o.get("to", high), shape)),
    "bernoulli_": _random(lambda g, shape, p=0.5: g.random(shape) < p),
    "exponential_": _random(lambda g, shape, lambd=1.0: g.exponential(1.0 / lambd, shape)),
    "random_": _random(lambda g, shape, low=0, high=2**31: g.integers(low, high, shape)),
    "index_copy_": lambda self, dim, index, source: change(
        self, lambda old: shapes.O["index_put"](old, source, (slice(None),) * shapes.axis(self, dim) + (index._data,))
    ),
    "index_put_": lambda self, indices, values, accumulate=False: change(
        self, lambda old: shapes.O["index_put_add" if accumulate else "index_put"](old, values, tuple(as_array(i) for i in indices))
    ),
    "masked_scatter_": lambda self, mask, source: change(
        self, lambda old: shapes.O["index_put"](old, source.reshape(-1)[: int(mask._data.sum())], mask._data)
    ),
}.items():
    setattr(Tensor, _name, _function)


def _reshaped(name: str) -> Callable:
    def method(self: Tensor, *args: Any) -> Tensor:
        check_change(self, STATE.grad and self.requires_grad)
        if self.requires_grad or self._base is not None:
            refuse(f"{name}_() of a Tensor with history or of a view", f"Write x = x.{name}(...).")
        self._data = METHODS[name](self.detach(), *args)._data
        return self

    return method


for _name in ("unsqueeze", "squeeze", "t", "transpose", "swapaxes"):
    setattr(Tensor, f"{_name}_", _reshaped(_name))


def _new(make: Callable) -> Callable:
    return lambda self, *args, dtype=None, **options: make(*args, dtype=dtype or self._data.dtype, **options)


for _name in ("zeros", "ones", "empty", "full"):
    setattr(Tensor, f"new_{_name}", _new(creation.CREATION[_name]))
Tensor.new_tensor = _new(creation.tensor)  # type: ignore[attr-defined]


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
    if not STATE.grad or not any(t.requires_grad for _, t in tensors_at((args, options))):
        return wrapped(function(*as_arrays(args), **as_arrays(options)))
    if any(isinstance(options.get(o), (Tensor, np.ndarray)) or isinstance(options.get(o), tuple) for o in ("out",)):
        raise TensorTypeError(f"{name}(..., out=...) with Tensors that require a gradient", origin_at(user_place()),
                              "Leave out= away and use what it returns.")
    writer = _Writer()
    parts = [writer.text(a) for a in args] + [f"{k}={writer.text(v)}" for k, v in options.items()]
    short = name.rsplit(".", 1)[-1]
    text = f"{name}({', '.join(parts)})"
    operation = PROGRAMS.get((text, len(writer.operands)))
    if operation is None:
        operation = PROGRAMS[text, len(writer.operands)] = from_text(short, short.title().replace("_", ""),
                                                                     ", ".join(f"x{j}" for j in range(len(writer.operands))), text)
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


def _array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *args: Any, **options: Any) -> Any:
    if method != "__call__":
        name = {("add", "reduce"): "sum", ("multiply", "reduce"): "prod", ("maximum", "reduce"): "max",
                ("minimum", "reduce"): "min", ("add", "accumulate"): "cumsum",
                ("multiply", "accumulate"): "cumprod"}.get((ufunc.__name__, method))
        if name is not None and set(options) <= {"axis", "keepdims"}:
            return called(getattr(np, name), f"np.{name}", args, {"axis": 0, **options})
        if method == "at" or any(t.requires_grad for _, t in tensors_at(args)):
            raise TensorTypeError(f"np.{ufunc.__name__}.{method} with Tensors", origin_at(user_place()),
                                  "Use functions or indices of Tensors.")
        return wrapped(getattr(ufunc, method)(*map(as_array, args), **options))
    if "out" in options:
        out = options["out"]
        target = out[0] if isinstance(out, tuple) else out
        if isinstance(target, Tensor) and not target.requires_grad and not any(t.requires_grad for _, t in tensors_at(args)):
            return wrapped(ufunc(*map(as_array, args), out=target._data))
        raise TensorTypeError(f"np.{ufunc.__name__}(..., out=...) with Tensors that require a gradient", origin_at(user_place()),
                              "Leave out= away and use what it returns.")
    quick = _quick(ufunc.__name__)
    if quick is not None and not options:
        return quick(*args)
    return called(ufunc, f"np.{ufunc.__name__}", args, options)


QUICK = {"add": "add", "subtract": "sub", "multiply": "mul", "true_divide": "div", "divide": "div", "power": "pow",
         "negative": "neg", "sin": "sin", "cos": "cos", "exp": "exp", "log": "log", "sqrt": "sqrt", "tanh": "tanh"}


def _quick(name: str) -> Callable | None:
    return FUNCTIONS.get(QUICK.get(name, ""))


def _array_function(self: Tensor, function: Callable, types: Any, args: tuple, options: dict) -> Any:
    module = MODULES.get(function.__module__)
    if module is None:
        raise TensorTypeError(f"{function.__module__}.{function.__name__} of Tensors", origin_at(user_place()),
                              "Use x.detach().numpy().")
    return called(function, f"{module}.{function.__name__}", args, options)


Tensor.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
Tensor.__array_function__ = _array_function  # type: ignore[attr-defined]
