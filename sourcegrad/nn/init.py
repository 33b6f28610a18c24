"""`nn.init`: initial values of parameters, in place, with PyTorch's names and ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sourcegrad.errors import refuse_value
from sourcegrad.tensor.core import Tensor
from sourcegrad.tensor.creation import GENERATOR


def _set(tensor: Tensor, values: Any) -> Tensor:
    tensor._data[...] = values
    tensor._counter[0] += 1
    return tensor


def _numbers(generator: Any = None) -> np.random.Generator:
    return (generator or GENERATOR).generator


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    return _set(tensor, _numbers(generator).uniform(a, b, tensor._data.shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    return _set(tensor, _numbers(generator).normal(mean, std, tensor._data.shape))


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator: Any = None) -> Tensor:
    numbers = _numbers(generator)
    values = numbers.normal(mean, std, tensor._data.shape)
    while np.any(outside := (values < a) | (values > b)):
        values[outside] = numbers.normal(mean, std, int(outside.sum()))
    return _set(tensor, values)


def constant_(tensor: Tensor, val: float) -> Tensor:
    return _set(tensor, val)


def zeros_(tensor: Tensor) -> Tensor:
    return _set(tensor, 0.0)


def ones_(tensor: Tensor) -> Any:
    return _set(tensor, 1.0)


def eye_(tensor: Tensor) -> Tensor:
    if tensor._data.ndim != 2:
        refuse_value("Only tensors with 2 dimensions are supported")
    return _set(tensor, np.eye(*tensor._data.shape))


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The factor that keeps the variance through a nonlinearity (K. He et al., 2015)."""
    gains = {"linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            refuse_value(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in gains:
        refuse_value(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """Inputs and outputs of a weight of shape (out, in, ...)."""
    shape = tensor._data.shape
    if len(shape) < 2:
        refuse_value("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = int(np.prod(shape[2:], dtype=int))
    return shape[1] * field, shape[0] * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """X. Glorot and Y. Bengio, 2010."""
    bound = gain * math.sqrt(6.0 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))), generator)


def _kaiming(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        refuse_value(f"Mode {mode} not supported, please use one of fan_in, fan_out")
    return calculate_gain(nonlinearity, a) / math.sqrt(fans(tensor)[mode == "fan_out"])


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                     generator: Any = None) -> Tensor:
    """K. He et al., 2015."""
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                    generator: Any = None) -> Tensor:
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    if tensor._data.ndim < 2:
        refuse_value("Only tensors with 2 or more dimensions are supported")
    rows, columns = tensor._data.shape[0], int(np.prod(tensor._data.shape[1:], dtype=int))
    flat = _numbers(generator).normal(size=(max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(flat)
    q *= np.sign(np.diag(r))
    return _set(tensor, gain * (q if rows >= columns else q.T).reshape(tensor._data.shape))
