"""Layers with PyTorch's names, defaults, layouts and initial ranges, so that state dicts go both ways; functions as modules."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import refuse, refuse_type, refuse_value
from sourcegrad.nn import functional as F, init
from sourcegrad.nn.module import Module, Parameter
from sourcegrad.tensor.core import Tensor, constant, get_default_dtype
from sourcegrad.tensor.creation import zeros


def _empty(*shape: int, dtype: Any = None) -> Parameter:
    return Parameter(zeros(*shape, dtype=dtype))


def within(module: Module, bound: float) -> None:
    """Uniform parameters in +-bound."""
    for p in module.parameters():
        init.uniform_(p, -bound, bound)


class Identity(Module):
    def __init__(self, *_args: Any, **_options: Any) -> None:
        super().__init__()

    def forward(self, x: Any) -> Any:
        return x


class Linear(Module):
    """x @ weight.T + bias; weight: (out, in), uniform in +-1/sqrt(in)."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _empty(out_features, in_features, dtype=dtype)
        self.register_parameter("bias", _empty(out_features, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        within(self, 1 / math.sqrt(self.in_features) if self.in_features else 0.0)

    def forward(self, x: Any) -> Tensor:
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if in1_features <= 0:
            refuse_value(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = _empty(out_features, in1_features, in2_features, dtype=dtype)
        self.register_parameter("bias", _empty(out_features, dtype=dtype) if bias else None)
        within(self, 1 / math.sqrt(in1_features))

    def forward(self, x: Any, y: Any) -> Tensor:
        return F.bilinear(x, y, self.weight, self.bias)


class _Conv(Module):
    """Correlation of a batch of channels with filters, or its transpose."""

    dimensions = 2
    transposed = False

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        n = self.dimensions
        kernel, stride, dilation = (F.tuple_of(value, n) for value in (kernel_size, stride, dilation))
        F.check_groups(in_channels, out_channels, groups)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                refuse_value(f"Invalid padding string {padding!r}, should be 'same' or 'valid'")
            if padding == "same" and any(step != 1 for step in stride):
                refuse_value("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", *F.PADDINGS):
            refuse_value(f"padding_mode must be one of 'zeros', 'reflect', 'replicate', 'circular', but got {padding_mode!r}")
        self.in_channels, self.out_channels, self.kernel_size, self.stride = in_channels, out_channels, kernel, stride
        self.padding = padding if isinstance(padding, str) else F.tuple_of(padding, n)
        self.dilation, self.groups, self.padding_mode = dilation, groups, padding_mode
        first, second = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        self.weight = _empty(first, second // groups, *kernel, dtype=dtype)
        self.register_parameter("bias", _empty(out_channels, dtype=dtype) if bias else None)
        within(self, 1 / math.sqrt(second // groups * int(np.prod(kernel))))

    def forward(self, x: Any) -> Tensor:
        call = F.conv2d if self.dimensions == 2 else F.conv1d
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            total = [d * (k - 1) if padding == "same" else 0 for d, k in zip(self.dilation, self.kernel_size)]
            sides = [(n // 2, n - n // 2) for n in total] if isinstance(padding, str) else [(n, n) for n in padding]
            x, padding = F.pad(x, [n for side in sides[::-1] for n in side], self.padding_mode), 0
        return call(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        n = self.dimensions
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = {"padding": (0,) * n, "dilation": (1,) * n, "output_padding": (0,) * n, "groups": 1}
        for name, value in usual.items():
            if getattr(self, name, value) != value:
                text += f", {name}={getattr(self, name)}"
        text += "" if self.bias is not None else ", bias=False"
        return text + ("" if self.padding_mode == "zeros" else f", padding_mode={self.padding_mode}")


class Conv2d(_Conv):
    """Correlation with filters: (batch, channels, rows, columns)."""


class Conv1d(_Conv):
    """Correlation with filters: (batch, channels, length)."""

    dimensions = 1


class ConvTranspose2d(_Conv):
    """The transpose of the linear map that `Conv2d` is."""

    transposed = True

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
                 device: Any = None, dtype: Any = None) -> None:
        if padding_mode != "zeros":
            refuse_value('Only "zeros" padding mode is supported for ConvTranspose2d')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, dtype=dtype)
        self.output_padding = F.tuple_of(output_padding, 2)

    def forward(self, x: Any) -> Tensor:
        return F.conv_transpose2d(x, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups,
                                  self.dilation)


class _BatchNorm(Module):
    ranks: tuple[int, ...] = ()

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: Any = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.register_parameter("weight", init.ones_(_empty(num_features, dtype=dtype)) if affine else None)
        self.register_parameter("bias", _empty(num_features, dtype=dtype) if affine else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", constant(np.zeros(num_features, dtype or get_default_dtype())) if tracked else None)
        self.register_buffer("running_var", constant(np.ones(num_features, dtype or get_default_dtype())) if tracked else None)
        self.register_buffer("num_batches_tracked", constant(np.array(0)) if tracked else None)

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            init.zeros_(self.num_batches_tracked)

    def forward(self, x: Any) -> Tensor:
        if x._data.ndim not in self.ranks:
            refuse_value(f"expected {' or '.join(f'{n}D' for n in self.ranks)} input (got {x._data.ndim}D input)")
        training = self.training or self.running_mean is None
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked._data += 1
            if momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        running: tuple[Any, Any] = (self.running_mean, self.running_var) if self.track_running_stats else (None, None)
        momentum = 0.0 if momentum is None else momentum
        return F.batch_norm(x, running[0], running[1], self.weight, self.bias, training, momentum, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    ranks = (4,)


class LayerNorm(Module):
    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter("weight", init.ones_(_empty(*self.normalized_shape, dtype=dtype)) if elementwise_affine else None)
        self.register_parameter("bias", _empty(*self.normalized_shape, dtype=dtype) if elementwise_affine and bias else None)

    def forward(self, x: Any) -> Tensor:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        bias = f", bias={self.bias is not None}" if self.elementwise_affine else ""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}{bias}"


class GroupNorm(Module):
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if num_channels % num_groups:
            refuse_value(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.register_parameter("weight", init.ones_(_empty(num_channels, dtype=dtype)) if affine else None)
        self.register_parameter("bias", _empty(num_channels, dtype=dtype) if affine else None)

    def forward(self, x: Any) -> Tensor:
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"


class Embedding(Module):
    """Rows by index, normal at first; the row `padding_idx` is zero and gets no gradient."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: Any = None,
                 norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Any = None,
                 _freeze: bool = False, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        F.inside(padding_idx, num_embeddings)
        if max_norm is not None or scale_grad_by_freq:
            refuse("an Embedding with max_norm or scale_grad_by_freq is not supported")
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        if _weight is not None:
            self.weight = Parameter(_weight, requires_grad=not _freeze)
            return
        self.weight = _empty(num_embeddings, embedding_dim, dtype=dtype)
        init.normal_(self.weight)
        if padding_idx is not None:
            self.weight._data[padding_idx] = 0.0

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        if embeddings._data.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings._data.shape
        return cls(rows, columns, padding_idx=padding_idx, _weight=embeddings, _freeze=freeze)

    def forward(self, x: Any) -> Tensor:
        return F.embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}" + (
            "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        )


# --- recurrent layers

class _Recurrent(Module):
    """Parameters of recurrent layers: weight_ih, weight_hh, bias_ih, bias_hh, uniform in +-1/sqrt(hidden)."""

    gates = 1

    def _weights(self, inputs: int, hidden: int, bias: bool, suffix: str, dtype: Any) -> None:
        bound = 1.0 / math.sqrt(hidden) if hidden else 0.0
        rows = self.gates * hidden
        shapes = {"weight_ih": (rows, inputs), "weight_hh": (rows, hidden), "bias_ih": (rows,), "bias_hh": (rows,)}
        for name, shape in shapes.items():
            there = bias or name.startswith("weight")
            self.register_parameter(name + suffix, init.uniform_(_empty(*shape, dtype=dtype), -bound, bound) if there else None)

    def _of(self, suffix: str, like: Tensor) -> tuple:
        zero = np.zeros(self.gates * self.hidden_size, like._data.dtype)
        found = (self._parameters[name + suffix] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        return tuple(zero if p is None else p for p in found)


class _Cell(_Recurrent):
    """One step: (batch, features), or (features,)."""

    states = 1

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self._weights(input_size, hidden_size, bias, "", dtype)

    def step(self, x: Tensor, state: tuple, weights: tuple) -> Any:
        raise NotImplementedError

    def forward(self, x: Any, hx: Any = None) -> Any:
        zero = constant(np.zeros((*x._data.shape[:-1], self.hidden_size), x._data.dtype))
        state = (zero,) * self.states if hx is None else (hx,) if isinstance(hx, Tensor) else tuple(hx)
        for part in (x, *state):
            if part._data.ndim not in (1, 2):
                refuse_value(f"{type(self).__name__}: Expected input and hidden to be 1D or 2D, got {part._data.ndim}D instead")
        if x._data.shape[-1] != self.input_size or any(h._data.shape != zero._data.shape for h in state):
            refuse(f"input has inconsistent input_size or hidden size: got {list(x._data.shape)} and "
                   f"{[list(h._data.shape) for h in state]}, expected {self.input_size} and {list(zero._data.shape)}")
        return self.step(x, state, self._of("", x))

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def step(self, x: Tensor, state: tuple, weights: tuple) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            refuse(f"Unknown nonlinearity: {self.nonlinearity}")
        return F.OPS["rnn_cell"](x, *state, *weights, relu=self.nonlinearity == "relu")


class LSTMCell(_Cell):
    gates, states = 4, 2

    def step(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        return F.OPS["lstm_cell"](x, *state, *weights)


class GRUCell(_Cell):
    gates = 3

    def step(self, x: Tensor, state: tuple, weights: tuple) -> Tensor:
        return F.OPS["gru_cell"](x, *state, *weights)


class _Layers(_Recurrent):
    """Layers of cells over time: (time, batch, features), or (batch, time, features) with batch_first.
    Each layer is one node, its loop over time inside."""

    states = 1

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            refuse_value("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if dropout > 0 and num_layers == 1:
            warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                          f"greater than 1, but got dropout={dropout} and num_layers={num_layers}", stacklevel=2)
        for kind, given in ((bool, {"bias": bias, "batch_first": batch_first}),
                            (int, {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers})):
            for name, value in given.items():
                if not isinstance(value, kind):
                    refuse_type(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
                if kind is int and value <= 0:
                    refuse_value(f"{name} must be greater than zero")
        if proj_size:
            refuse_value("proj_size is not supported", "Use a Linear after it.")
        self.input_size, self.hidden_size, self.num_layers, self.bias = input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, float(dropout), bidirectional
        self.directions = ("", "_reverse") if bidirectional else ("",)
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * len(self.directions)
            for direction in self.directions:
                self._weights(inputs, hidden_size, bias, f"_l{layer}{direction}", dtype)

    def layer(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        raise NotImplementedError

    def _state(self, x: Tensor, hx: Any, single: bool) -> tuple:
        """The states at the start: (layers * directions, batch, hidden) each."""
        shape = (self.num_layers * len(self.directions), x._data.shape[1], self.hidden_size)
        if hx is None:
            return (constant(np.zeros(shape, x._data.dtype)),) * self.states
        given = (hx,) if self.states == 1 else tuple(hx)
        for h in given:
            wanted = (shape[0], shape[2]) if single else shape
            if h._data.shape != wanted:
                refuse(f"Expected hidden size {wanted}, got {list(h._data.shape)}")
        return tuple(h.unsqueeze(1) for h in given) if single else given

    def forward(self, x: Any, hx: Any = None) -> tuple:
        single = x._data.ndim == 2
        if x._data.ndim not in (2, 3):
            refuse_value(f"{type(self).__name__}: Expected input to be 2D or 3D, got {x._data.ndim}D tensor instead")
        if x._data.shape[-1] != self.input_size:
            refuse(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {x._data.shape[-1]}")
        x = x.unsqueeze(1) if single else x.transpose(0, 1) if self.batch_first else x
        given = self._state(x, hx, single)
        last: list[tuple] = []
        for number in range(self.num_layers):
            outs = []
            for direction in self.directions:
                at = len(last)
                steps = x.flip(0) if direction else x
                out, *state = self.layer(steps, tuple(h[at] for h in given), self._of(f"_l{number}{direction}", x))
                outs.append(out.flip(0) if direction else out)
                last.append(tuple(state))
            x = outs[0] if len(outs) == 1 else F.shapes.cat(outs, -1)
            if number < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        final = tuple(F.shapes.stack([state[j] for state in last]) for j in range(self.states))
        if single:
            x, final = x.squeeze(1), tuple(h.squeeze(1) for h in final)
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, final[0] if self.states == 1 else final

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        return text + "".join(f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value)


class RNN(_Layers):
    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int | None = None,
                 device: Any = None, dtype: Any = None) -> None:
        if proj_size is not None:
            refuse_value("proj_size argument is only supported for LSTM, not RNN or GRU")
        if nonlinearity not in ("tanh", "relu"):
            refuse_value(f"Unknown nonlinearity {nonlinearity!r}. Select from 'tanh' or 'relu'.")
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype=dtype)
        self.nonlinearity = nonlinearity

    def layer(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        return F.OPS["rnn_layer"](x, state[0], *weights, relu=self.nonlinearity == "relu")


class LSTM(_Layers):
    gates, states = 4, 2

    def layer(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        return F.OPS["lstm_layer"](x, *state, *weights)


class GRU(_Layers):
    gates = 3

    def layer(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        return F.OPS["gru_layer"](x, state[0], *weights)


# --- functions as modules: the options of a function become those of the module

BUFFERS = ("weight", "pos_weight")  # options that are part of the state
HIDDEN = {"MaxPool": ("return_indices",), "AvgPool": ("ceil_mode", "count_include_pad", "divisor_override")}  # not in `repr`


class _Of(Module):
    """A module that calls a function with its options, which are attributes."""

    function: Callable
    options: dict[str, Any] = {}  # and their defaults
    trains = False  # whether the function does something else while a module is trained

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        name, empty = type(self).__name__, inspect.Parameter.empty
        for old in ("size_average", "reduce"):
            if options.pop(old, None) is not None:
                refuse(f"{name}({old}=...) is not supported", "Use reduction=.")
        given = {**dict(zip(self.options, args)), **options}
        if len(args) > len(self.options) or given.keys() - self.options.keys() or len(given) < len(args) + len(options):
            refuse_type(f"{name}() takes {', '.join(self.options) or 'no options'}: got {args}, {options}")
        for option, default in self.options.items():
            value = given.get(option, default)
            if value is empty:
                refuse_type(f"{name}() missing 1 required argument: {option!r}")
            self.register_buffer(option, value) if option in BUFFERS else setattr(self, option, value)
        if self.__dict__.get("stride", 0) is None:
            self.__dict__["stride"] = self.__dict__["kernel_size"]
        CHECKS.get(name, lambda made: None)(self)

    def forward(self, *args: Any) -> Any:
        options = {name: getattr(self, name) for name in self.options}
        if self.trains:
            options["training"] = self.training
        return type(self).function(*args, **options)

    def extra_repr(self) -> str:
        if "reduction" in self.options:
            return ""
        shown = {n: getattr(self, n) for n in self.options if n not in HIDDEN.get(type(self).__name__[:7], ())}
        if type(self).__name__ != "Dropout" and not shown.get("inplace"):
            shown.pop("inplace", None)
        return ", ".join(f"{name}={value!r}" for name, value in shown.items())


def _module(name: str, function: Callable, options: str) -> type:
    defaults = {n: parameter.default for n, parameter in inspect.signature(function).parameters.items()}
    own = {option: defaults[option] for option in options.split()}
    return type(name, (_Of,), {"function": staticmethod(function), "options": own, "trains": "training" in defaults,
                               "__module__": "sourcegrad.nn", "__doc__": f"`nn.functional.{function.__name__}` as a module."})


def _check_hardtanh(module: Any) -> None:
    if module.max_val <= module.min_val:
        raise AssertionError("max_val must be larger than min_val")


def _check_unflatten(module: Any) -> None:
    if not isinstance(module.unflattened_size, (list, tuple)):
        refuse_type(f"unflattened_size must be a tuple of ints, but found type {type(module.unflattened_size).__name__}")


CHECKS: dict[str, Callable[[Any], Any]] = {"Dropout": lambda module: F.probability(module.p), "Hardtanh": _check_hardtanh,
                                           "Unflatten": _check_unflatten}


def _flatten(input: Any, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    return input.flatten(start_dim, end_dim)


def _unflatten(input: Any, dim: Any, unflattened_size: Any) -> Tensor:
    return input.unflatten(dim, unflattened_size)


FUNCTIONS = {"ReLU": ("relu", "inplace"), "ReLU6": ("relu6", "inplace"), "LeakyReLU": ("leaky_relu", "negative_slope inplace"),
             "ELU": ("elu", "alpha inplace"), "SELU": ("selu", "inplace"), "CELU": ("celu", "alpha inplace"),
             "GELU": ("gelu", "approximate"), "SiLU": ("silu", "inplace"), "Mish": ("mish", "inplace"), "Sigmoid": ("sigmoid", ""),
             "Tanh": ("tanh", ""), "LogSigmoid": ("logsigmoid", ""), "Softplus": ("softplus", "beta threshold"),
             "Softsign": ("softsign", ""), "Tanhshrink": ("tanhshrink", ""), "Softshrink": ("softshrink", "lambd"),
             "Hardshrink": ("hardshrink", "lambd"), "Threshold": ("threshold", "threshold value inplace"),
             "Hardtanh": ("hardtanh", "min_val max_val inplace"), "Hardsigmoid": ("hardsigmoid", "inplace"),
             "Hardswish": ("hardswish", "inplace"), "GLU": ("glu", "dim"), "Softmax": ("softmax", "dim"),
             "Softmin": ("softmin", "dim"), "LogSoftmax": ("log_softmax", "dim"), "MSELoss": ("mse_loss", "reduction"),
             "L1Loss": ("l1_loss", "reduction"),
             "SmoothL1Loss": ("smooth_l1_loss", "reduction beta"), "HuberLoss": ("huber_loss", "reduction delta"),
             "BCELoss": ("binary_cross_entropy", "weight reduction"),
             "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", "weight reduction pos_weight"),
             "NLLLoss": ("nll_loss", "weight ignore_index reduction"),
             "CrossEntropyLoss": ("cross_entropy", "weight ignore_index reduction label_smoothing"),
             "KLDivLoss": ("kl_div", "reduction log_target"), "PoissonNLLLoss": ("poisson_nll_loss", "log_input full reduction"),
             "GaussianNLLLoss": ("gaussian_nll_loss", "full eps reduction"),
             "HingeEmbeddingLoss": ("hinge_embedding_loss", "margin reduction"),
             "MarginRankingLoss": ("margin_ranking_loss", "margin reduction"), "SoftMarginLoss": ("soft_margin_loss", "reduction"),
             "CosineSimilarity": ("cosine_similarity", "dim eps"), "PairwiseDistance": ("pairwise_distance", "p eps keepdim"),
             "Dropout": ("dropout", "p inplace"), "AdaptiveAvgPool2d": ("adaptive_avg_pool2d", "output_size"),
             "MaxPool2d": ("max_pool2d", "kernel_size stride padding dilation return_indices ceil_mode"),
             "MaxPool1d": ("max_pool1d", "kernel_size stride padding dilation return_indices ceil_mode"),
             "AvgPool2d": ("avg_pool2d", "kernel_size stride padding ceil_mode count_include_pad divisor_override"),
             "AvgPool1d": ("avg_pool1d", "kernel_size stride padding ceil_mode count_include_pad")}
MODULES = {name: _module(name, getattr(F, function), options) for name, (function, options) in FUNCTIONS.items()}
MODULES.update(Flatten=_module("Flatten", _flatten, "start_dim end_dim"),
               Unflatten=_module("Unflatten", _unflatten, "dim unflattened_size"))


class PReLU(Module):
    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.weight = num_parameters, _empty(num_parameters, dtype=dtype)
        self.weight._data[...] = init

    def forward(self, x: Any) -> Any:
        return F.prelu(x, self.weight)
