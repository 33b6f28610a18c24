"""Layers with PyTorch's names, defaults, layouts and initial ranges, so that state dicts go both ways; functions as modules."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import refuse, refuse_value
from sourcegrad.nn import functional as F, init
from sourcegrad.nn.module import Module, Parameter
from sourcegrad.tensor.core import Tensor, constant, get_default_dtype


def _empty(*shape: int, dtype: Any = None) -> Parameter:
    return Parameter(constant(np.zeros(shape, dtype or get_default_dtype())))


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
        bound = 1 / math.sqrt(self.in_features) if self.in_features else 0.0
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Any) -> Tensor:
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.weight = _empty(out_features, in1_features, in2_features)
        self.register_parameter("bias", _empty(out_features) if bias else None)
        bound = 1 / math.sqrt(in1_features)
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def forward(self, x: Any, y: Any) -> Tensor:
        return F.bilinear(x, y, self.weight, self.bias)


class _Conv(Module):
    dimensions = 2

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if in_channels % groups or out_channels % groups:
            refuse_value("in_channels and out_channels must be divisible by groups")
        if padding_mode != "zeros":
            refuse_value(f"padding_mode={padding_mode!r} is not supported", "Use nn.functional.pad before it.")
        n = self.dimensions
        kernel = (kernel_size,) * n if isinstance(kernel_size, int) else tuple(kernel_size)
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, kernel
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self.weight = _empty(out_channels, in_channels // groups, *kernel, dtype=dtype)
        self.register_parameter("bias", _empty(out_channels, dtype=dtype) if bias else None)
        fan = in_channels // groups * int(np.prod(kernel))
        for p in self.parameters():
            init.uniform_(p, -1 / math.sqrt(fan), 1 / math.sqrt(fan))

    def forward(self, x: Any) -> Tensor:
        call = F.conv2d if self.dimensions == 2 else F.conv1d
        return call(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        def shown(n: Any) -> Any:
            return (n,) * self.dimensions if isinstance(n, int) else n

        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={shown(self.stride)}"
        if shown(self.padding) != (0,) * self.dimensions:
            text += f", padding={shown(self.padding)}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        return text + ("" if self.bias is not None else ", bias=False")


class Conv2d(_Conv):
    """Correlation with filters: (batch, channels, rows, columns)."""


class Conv1d(_Conv):
    """Correlation with filters: (batch, channels, length)."""

    dimensions = 1


class ConvTranspose2d(Module):
    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, groups: int = 1, bias: bool = True) -> None:
        super().__init__()
        kernel = (kernel_size,) * 2 if isinstance(kernel_size, int) else tuple(kernel_size)
        self.stride, self.padding, self.output_padding, self.groups = stride, padding, output_padding, groups
        self.weight = _empty(in_channels, out_channels // groups, *kernel)
        self.register_parameter("bias", _empty(out_channels) if bias else None)
        fan = out_channels // groups * int(np.prod(kernel))
        for p in self.parameters():
            init.uniform_(p, -1 / math.sqrt(fan), 1 / math.sqrt(fan))

    def forward(self, x: Any) -> Tensor:
        return F.conv_transpose2d(x, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups)


class _Pool(Module):
    call: Any = None

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, *args: Any, **options: Any) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding
        self.args, self.options = args, options

    def forward(self, x: Any) -> Any:
        return type(self).call(x, self.kernel_size, self.stride, self.padding, *self.args, **self.options)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool2d(_Pool):
    call = staticmethod(F.max_pool2d)


class MaxPool1d(_Pool):
    call = staticmethod(F.max_pool1d)


class AvgPool2d(_Pool):
    call = staticmethod(F.avg_pool2d)


class AvgPool1d(_Pool):
    call = staticmethod(F.avg_pool1d)


class AdaptiveAvgPool2d(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, x: Any) -> Tensor:
        return F.adaptive_avg_pool2d(x, self.output_size)


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
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        self.num_groups, self.eps = num_groups, eps
        self.register_parameter("weight", init.ones_(_empty(num_channels)) if affine else None)
        self.register_parameter("bias", _empty(num_channels) if affine else None)

    def forward(self, x: Any) -> Tensor:
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)


class Dropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            refuse_value(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, x: Any) -> Any:
        return F.dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Embedding(Module):
    """Rows by index, normal at first; the row `padding_idx` is zero and gets no gradient."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, **_options: Any) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.weight = init.normal_(_empty(num_embeddings, embedding_dim))
        if padding_idx is not None:
            self.weight._data[padding_idx] = 0.0

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True) -> Embedding:
        made = cls(*embeddings._data.shape)
        made.weight._data[...] = embeddings._data
        made.weight.requires_grad_(not freeze)
        return made

    def forward(self, x: Any) -> Tensor:
        return F.embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}" + (
            "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        )


class Flatten(Module):
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Any) -> Tensor:
        return x.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, x: Any) -> Tensor:
        return x.unflatten(self.dim, self.unflattened_size)


# --- recurrent layers

class _Recurrent(Module):
    """Parameters of recurrent layers: weight_ih, weight_hh, bias_ih, bias_hh, uniform in +-1/sqrt(hidden)."""

    gates = 1

    def _weights(self, inputs: int, hidden: int, bias: bool, suffix: str) -> None:
        bound = 1.0 / math.sqrt(hidden)
        for name, shape in (("weight_ih", (self.gates * hidden, inputs)), ("weight_hh", (self.gates * hidden, hidden)),
                            ("bias_ih", (self.gates * hidden,)), ("bias_hh", (self.gates * hidden,))):
            self.register_parameter(name + suffix,
                                    init.uniform_(_empty(*shape), -bound, bound) if bias or name.startswith("weight") else None)

    def _of(self, suffix: str, like: Tensor) -> tuple:
        zero = np.zeros(self.gates * self.hidden_size, like._data.dtype)
        return (
            *(self._parameters[name + suffix] for name in ("weight_ih", "weight_hh")),
            *(
                self._parameters.get(name + suffix) if self._parameters.get(name + suffix) is not None else zero
                for name in ("bias_ih", "bias_hh")
            ),
        )


class _Cell(_Recurrent):
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, **options: Any) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.options = input_size, hidden_size, options
        self._weights(input_size, hidden_size, bias, "")

    def _zero(self, x: Tensor) -> Tensor:
        return constant(np.zeros((*x._data.shape[:-1], self.hidden_size), x._data.dtype))

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    def forward(self, x: Any, hx: Any = None) -> Tensor:
        relu = self.options.get("nonlinearity", "tanh") == "relu"
        return F.OPS["rnn_cell"](x, self._zero(x) if hx is None else hx, *self._of("", x), relu=relu)


class LSTMCell(_Cell):
    gates = 4

    def forward(self, x: Any, hx: Any = None) -> tuple:
        h, c = (self._zero(x), self._zero(x)) if hx is None else hx
        return F.OPS["lstm_cell"](x, h, c, *self._of("", x))


class GRUCell(_Cell):
    gates = 3

    def forward(self, x: Any, hx: Any = None) -> Tensor:
        return F.OPS["gru_cell"](x, self._zero(x) if hx is None else hx, *self._of("", x))


class _Layers(_Recurrent):
    """Layers of cells over time: (time, batch, features), or (batch, time, features) with batch_first.
    Each layer is one node, its loop over time inside."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: Any = "tanh", bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers, self.nonlinearity = input_size, hidden_size, num_layers, nonlinearity
        self.bias, self.batch_first, self.dropout, self.bidirectional = bias, batch_first, dropout, bidirectional
        self.directions = ("", "_reverse") if bidirectional else ("",)
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * len(self.directions)
            for direction in self.directions:
                self._weights(inputs, hidden_size, bias, f"_l{layer}{direction}")

    def layer(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        raise NotImplementedError

    states = 1

    def forward(self, x: Any, hx: Any = None) -> tuple:
        if x._data.shape[-1] != self.input_size:
            refuse(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {x._data.shape[-1]}")
        single = x._data.ndim == 2
        if single:
            x = x.unsqueeze(1)
            hx = hx if hx is None else hx.unsqueeze(1) if isinstance(hx, Tensor) else tuple(h.unsqueeze(1) for h in hx)
        elif self.batch_first:
            x = x.transpose(0, 1)
        count = self.num_layers * len(self.directions)
        if hx is None:
            zero = constant(np.zeros((count, x._data.shape[1], self.hidden_size), x._data.dtype))
            hx = (zero,) * self.states
        given = (hx,) if isinstance(hx, Tensor) else tuple(hx)
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
        text += f", num_layers={self.num_layers}" if self.num_layers != 1 else ""
        return text + (", batch_first=True" if self.batch_first else "") + (", bidirectional=True" if self.bidirectional else "")


class RNN(_Layers):
    def layer(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        return F.OPS["rnn_layer"](x, state[0], *weights, relu=self.nonlinearity == "relu")


class _Gated(_Layers):
    """Layers without a choice of their nonlinearity."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False) -> None:
        super().__init__(input_size, hidden_size, num_layers, "tanh", bias, batch_first, dropout, bidirectional)


class LSTM(_Gated):
    gates, states = 4, 2

    def layer(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        return F.OPS["lstm_layer"](x, *state, *weights)


class GRU(_Gated):
    gates = 3

    def layer(self, x: Tensor, state: tuple, weights: tuple) -> tuple:
        return F.OPS["gru_layer"](x, state[0], *weights)


# --- functions as modules: the options of a function become those of the module

class _Of(Module):
    """A module that calls a function of `nn.functional` with its options."""

    function: Callable
    options: tuple[str, ...] = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        given = dict(zip(self.options, args))
        unknown = set(options) - set(self.options) - {"inplace", "size_average", "reduce"}
        if unknown or len(args) > len(self.options):
            raise TypeError(f"{type(self).__name__}() got an unexpected argument {next(iter(unknown), args)!r}")
        self.given = {**given, **{name: value for name, value in options.items() if name in self.options}}
        for name, value in self.given.items():
            object.__setattr__(self, name, value)

    def forward(self, *args: Any) -> Any:
        return type(self).function(*args, **self.given)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.given.items())


def _module(name: str, function: Callable, options: str) -> type:
    defaults = {n: parameter.default for n, parameter in inspect.signature(function).parameters.items()}
    made = type(
        name,
        (_Of,),
        {"function": staticmethod(function), "options": tuple(options.split()),
         "__doc__": f"`nn.functional.{function.__name__}` as a module.", "__module__": "sourcegrad.nn"},
    )
    for option in options.split():
        setattr(made, option, defaults[option])
    return made


FUNCTIONS = {"ReLU": ("relu", ""), "ReLU6": ("relu6", ""), "LeakyReLU": ("leaky_relu", "negative_slope"), "ELU": ("elu", "alpha"),
             "SELU": ("selu", ""), "CELU": ("celu", "alpha"), "GELU": ("gelu", "approximate"), "SiLU": ("silu", ""),
             "Mish": ("mish", ""), "Sigmoid": ("sigmoid", ""), "Tanh": ("tanh", ""), "LogSigmoid": ("logsigmoid", ""),
             "Softplus": ("softplus", "beta threshold"), "Softsign": ("softsign", ""), "Tanhshrink": ("tanhshrink", ""),
             "Hardtanh": ("hardtanh", "min_val max_val"), "Hardsigmoid": ("hardsigmoid", ""), "Hardswish": ("hardswish", ""),
             "GLU": ("glu", "dim"), "Softmax": ("softmax", "dim"), "Softmin": ("softmin", "dim"),
             "LogSoftmax": ("log_softmax", "dim"), "MSELoss": ("mse_loss", "reduction"), "L1Loss": ("l1_loss", "reduction"),
             "SmoothL1Loss": ("smooth_l1_loss", "reduction beta"), "HuberLoss": ("huber_loss", "reduction delta"),
             "BCELoss": ("binary_cross_entropy", "weight reduction"),
             "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", "weight reduction pos_weight"),
             "NLLLoss": ("nll_loss", "weight ignore_index reduction"),
             "CrossEntropyLoss": ("cross_entropy", "weight ignore_index reduction label_smoothing"),
             "KLDivLoss": ("kl_div", "reduction log_target"), "PoissonNLLLoss": ("poisson_nll_loss", "log_input full reduction"),
             "GaussianNLLLoss": ("gaussian_nll_loss", "full eps reduction"),
             "HingeEmbeddingLoss": ("hinge_embedding_loss", "margin reduction"),
             "MarginRankingLoss": ("margin_ranking_loss", "margin reduction"), "SoftMarginLoss": ("soft_margin_loss", "reduction"),
             "CosineSimilarity": ("cosine_similarity", "dim eps"), "PairwiseDistance": ("pairwise_distance", "p eps keepdim")}
MODULES = {name: _module(name, getattr(F, function), options) for name, (function, options) in FUNCTIONS.items()}


class PReLU(Module):
    def __init__(self, num_parameters: int = 1, init: float = 0.25) -> None:
        super().__init__()
        self.weight = Parameter(constant(np.full(num_parameters, init, get_default_dtype())))

    def forward(self, x: Any) -> Any:
        return F.prelu(x, self.weight)
