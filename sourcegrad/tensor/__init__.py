"""The define-by-run front end: Tensors that record how they are computed, with the names and the semantics of PyTorch.

Imported when it is touched for the first time (`sg.tensor`, `sg.Tensor`, ...). The derivatives are those of the pipeline.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np

from sourcegrad.api import gradient
from sourcegrad.primitives.core import ON_TENSORS
from sourcegrad.tensor import calls, derivatives, display, methods, recorded  # noqa: F401  (methods completes Tensor)
from sourcegrad.tensor.calls import Function, once_differentiable
from sourcegrad.tensor.core import Size, Tensor, get_default_dtype, set_default_dtype
from sourcegrad.tensor.creation import CREATION, Generator, Variable
from sourcegrad.tensor.derivatives import are_tensors, backward, grad
from sourcegrad.tensor.functions import linalg
from sourcegrad.tensor.node import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from sourcegrad.tensor.operations import FUNCTIONS
from sourcegrad.tensor.shapes import SHORT

NUMBERS = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "complex64", "complex128")
DTYPES = {**SHORT, **dict(zip(NUMBERS, NUMBERS))}


def is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


NAMES: dict[str, Any] = {**FUNCTIONS, **CREATION, **{name: np.dtype(dtype) for name, dtype in DTYPES.items()}, "Tensor": Tensor,
                         "Size": Size, "Function": Function, "Generator": Generator, "backward": backward, "no_grad": no_grad,
                         "enable_grad": enable_grad, "set_grad_enabled": set_grad_enabled, "inference_mode": inference_mode,
                         "is_grad_enabled": is_grad_enabled, "is_inference_mode_enabled": is_inference_mode_enabled,
                         "set_default_dtype": set_default_dtype, "get_default_dtype": get_default_dtype, "linalg": linalg,
                         "is_tensor": is_tensor, "pi": np.pi, "inf": np.inf, "nan": np.nan, "e": np.e}
FUNCTIONALS = ("jacobian", "hessian", "hvp", "jvp", "gradcheck", "gradgradcheck")
NAMES.update({name: getattr(derivatives, name) for name in FUNCTIONALS[4:]})                 # (the others: see `api.jacobian`)
NAMES.update(graph=display.graph, record=recorded.record)
NAMES["autograd"] = types.SimpleNamespace(
    grad=grad,
    backward=backward,
    Function=Function,
    no_grad=no_grad,
    enable_grad=enable_grad,
    set_grad_enabled=set_grad_enabled,
    inference_mode=inference_mode,
    gradcheck=derivatives.gradcheck,
    gradgradcheck=derivatives.gradgradcheck,
    functional=types.SimpleNamespace(**{name: getattr(derivatives, name) for name in (*FUNCTIONALS[:4], "vjp", "vhp")}),
    Variable=Variable,
    function=types.SimpleNamespace(once_differentiable=once_differentiable, Function=Function),
)
globals().update({name: value for name, value in NAMES.items() if name not in ("bool", "int", "float")})


class _Module(types.ModuleType):
    """`sourcegrad.tensor` is also the function that makes a Tensor."""

    def __call__(self, data: Any, **options: Any) -> Any:
        return CREATION["tensor"](data, **options)


sys.modules[__name__].__class__ = _Module
gradient.VALUES.update(are=are_tensors, grad=grad, call=calls.call, source=recorded.source, vjp=derivatives.vjp_of_values,
                       jvp=derivatives.jvp, constant=calls.constant_of)
ON_TENSORS.update(call=calls.call, constant=calls.call_as_constant)
