"""Operations by the name of their node, made from `programs`: their arguments, and fast calls of those with one or two operands.

`FUNCTIONS` and `METHODS` are the tables of what is public.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sourcegrad.tensor import programs as p
from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.errors import TensorIndexError, origin_at, refuse, refuse_type, user_place
from sourcegrad.tensor.node import SEQUENCE, STATE
from sourcegrad.tensor.operation import Operation

FUNCTIONS: dict[str, Callable] = {}  # by PyTorch's name
METHODS: dict[str, Callable] = {}  # those that are methods too, of their first argument


def public(function: Callable) -> Callable:
    FUNCTIONS[function.__name__.rstrip("_")] = METHODS[function.__name__.rstrip("_")] = function
    return function


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


def renamed(options: dict) -> dict:
    """NumPy's names of options in PyTorch's spelling."""
    for other, name in (("axis", "dim"), ("keepdims", "keepdim"), ("input", "self")):
        if other in options:
            options[name] = options.pop(other)
    return options


def sizes_of(shape: tuple) -> tuple:
    """A shape that is given as numbers or as one sequence."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    return tuple(int(n) for n in shape)


def operand(x: Any) -> Any:
    """The other operand of a binary operation: a Tensor or a number as it is, anything else as a constant Tensor."""
    if isinstance(x, Tensor):
        return x
    if type(x) in (int, float):
        return x
    if isinstance(x, (np.ndarray, np.generic, complex, bool)):
        return given(x)
    return NotImplemented


def none_left(options: dict, name: str) -> None:
    if options:
        refuse_type(f"{name}() got an unexpected keyword argument '{next(iter(options))}'")


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
                node.versions = [((x, y)[j]._version, (x, y)[j]._version[0]) for j in entry.marks] if entry.marks else None
                place: Any = frame(2)
                while place.f_code.co_filename in OWN_FILES:
                    place = place.f_back
                node.place = (place.f_code, place.f_lasti)
                made = new(Tensor)
                if value.__class__ is not array:
                    value = np.asarray(value)
                made._data, made._version, made._rg, made._grad_fn = value, [0], True, node
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
        if not STATE.grad and x.__class__ is Tensor and y.__class__ is Tensor:
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
                made._data, made._version, made._rg, made._grad_fn = value, [0], True, node
                node.args = (x,) if entry.keeps else entry.standins
                node.versions = [(t._version, t._version[0]) for t in (x, made)[entry.first : entry.last]]
                place: Any = frame(2)
                while place.f_code.co_filename in OWN_FILES:
                    place = place.f_back
                node.place = (place.f_code, place.f_lasti)
                return made
            found = operation(x)
            if found.__class__ is Tensor and found._grad_fn is not None and operation.last is not None and operation.last.simple:
                quick[a.shape, a.dtype, a.flags.c_contiguous] = operation.last
            if len(quick) > 4096:
                quick.clear()
            return found
        return operation(x)

    return call


ARITHMETIC = {"add": ("Add", p.add), "sub": ("Sub", p.sub), "mul": ("Mul", p.mul), "div": ("Div", p.div)}
BINARY = {"matmul": ("Mm", p.matmul), "remainder": ("Remainder", p.remainder), "fmod": ("Fmod", p.fmod),
          "atan2": ("Atan2", p.atan2), "hypot": ("Hypot", p.hypot), "logaddexp": ("Logaddexp", p.logaddexp),
          "maximum": ("Maximum", p.maximum), "minimum": ("Minimum", p.minimum), "dot": ("Dot", p.dot), "outer": ("Outer", p.outer),
          "inner": ("Inner", p.inner), "kron": ("Kron", p.kron), "linear_without_bias": ("Linear", p.linear_without_bias),
          "solve": ("LinalgSolveEx", p.solve), "mv": ("Mv", p.matmul), "bmm": ("Bmm", p.matmul), "complex": ("Complex", p.complex_)}
UNARY = {"neg": "Neg", "abs": "Abs", "sign": "Sign", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos",
         "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh",
         "exp": "Exp", "exp2": "Exp2", "expm1": "Expm1", "log": "Log", "log2": "Log2", "log10": "Log10", "log1p": "Log1P",
         "sqrt": "Sqrt", "rsqrt": "Rsqrt", "square": "Pow", "reciprocal": "Reciprocal", "sigmoid": "Sigmoid",
         "logsigmoid": "LogSigmoid", "relu": "Relu", "floor": "Floor", "ceil": "Ceil", "trunc": "Trunc", "frac": "Frac",
         "clone": "Clone", "trace": "Trace", "inverse": "LinalgInvEx", "pinv": "LinalgPinv", "det": "LinalgDet",
         "logabsdet": "LinalgSlogdet", "cholesky": "LinalgCholeskyEx", "eigh": "LinalgEigh", "eigvalsh": "LinalgEigh",
         "svdvals": "LinalgSvd", "qr": "LinalgQr", "real": "Real", "imag": "Imag", "conj": "Conj", "angle": "Angle"}
OTHERS = {"clamp": ("Clamp", p.clamp), "where": ("Where", p.where), "masked_fill": ("MaskedFill", p.masked_fill),
          "lerp": ("Lerp", p.lerp), "addcmul": ("Addcmul", p.addcmul), "addcdiv": ("Addcdiv", p.addcdiv), "sum": ("Sum", p.total),
          "mean": ("Mean", p.mean), "prod": ("Prod", p.prod), "amax": ("Amax", p.amax), "amin": ("Amin", p.amin),
          "max": ("Max", p.amax), "min": ("Min", p.amin), "picked_max": ("Max", p.picked), "picked_min": ("Min", p.picked),
          "picked": ("Gather", p.picked), "var": ("Var", p.var), "std": ("Std", p.std), "logsumexp": ("Logsumexp", p.logsumexp),
          "softmax": ("Softmax", p.softmax), "log_softmax": ("LogSoftmax", p.log_softmax),
          "euclidean": ("LinalgVectorNorm", p.euclidean), "vector_norm": ("LinalgVectorNorm", p.vector_norm),
          "power_norm": ("LinalgVectorNorm", p.power_norm), "cumsum": ("Cumsum", p.cumsum), "cumprod": ("Cumprod", p.cumprod),
          "diff": ("Diff", p.diff), "reshape": ("View", p.reshape), "unsafe_view": ("UnsafeView", p.reshape),
          "permute": ("Permute", p.permute), "transpose": ("Transpose", p.swapaxes), "t": ("T", p.swapaxes),
          "squeeze": ("Squeeze", p.squeeze), "unsqueeze": ("Unsqueeze", p.unsqueeze), "expand": ("Expand", p.expand),
          "repeat": ("Repeat", p.repeat), "repeat_interleave": ("RepeatInterleave", p.repeat_interleave), "flip": ("Flip", p.flip),
          "roll": ("Roll", p.roll), "rot90": ("Rot90", p.rot90), "diagonal": ("Diagonal", p.diagonal),
          "diag": ("DiagEmbed", p.diag_embed), "tril": ("Tril", p.tril), "triu": ("Triu", p.triu), "to": ("ToCopy", p.to_copy),
          "split": ("Split", p.split), "pad_constant": ("ConstantPadNd", p.pad_constant), "pad_mode": ("Pad", p.pad_mode),
          "select": ("Select", p.index), "slice": ("Slice", p.index), "index": ("Index", p.index), "put": ("CopySlices", p.put),
          "fill": ("Fill", p.put), "index_put": ("IndexPut", p.put), "index_put_add": ("IndexPut", p.put_add),
          "index_select": ("IndexSelect", p.index_select), "gather": ("Gather", p.gather), "scatter": ("Scatter", p.scatter),
          "sort": ("Sort", p.gather), "topk": ("Topk", p.gather), "cross": ("LinalgCross", p.cross),
          "tensordot": ("Tensordot", p.tensordot), "addmm": ("Addmm", p.addmm), "linear": ("Addmm", p.linear),
          "svd": ("LinalgSvd", p.svd), "matrix_power": ("MatrixPower", p.matrix_power), "softplus": ("Softplus", p.softplus)}
FLAT = {"Sign", "Floor", "Ceil", "Trunc"}  # derivative zero everywhere
SPECIAL = {"abs": p.absolute}

OPERATIONS: dict[str, Operation] = {}


def define(name: str, node: str, function: Callable, **options: Any) -> Operation:
    OPERATIONS[name] = Operation(function, node, **options)
    return OPERATIONS[name]


_function: Any
for _name, (_node, _function) in ARITHMETIC.items():
    define(_name, _node, _function, scalars=True)
for _name, (_node, _function) in {**BINARY, **OTHERS}.items():
    define(_name, _node, _function)
for _name, _node in UNARY.items():
    define(_name, _node, SPECIAL.get(_name) or getattr(p, _name), flat=_node in FLAT)
define("pow", "Pow", p.power, constants=("y",))
define("rsub", "Rsub", p.rsub)
define("round", "Round", p.round_, flat=True)

CALL: dict[str, Callable] = {name: binary(OPERATIONS[name]) for name in (*ARITHMETIC, *BINARY, "pow")}
CALL.update({name: unary(OPERATIONS[name]) for name in UNARY})
CALL = {**OPERATIONS, **CALL}
