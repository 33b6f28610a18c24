"""`nn.functional`: activations, losses and layers as functions of Tensors, with PyTorch's names, arguments and stability."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sourcegrad.errors import TensorIndexError, origin_at, refuse, refuse_value, user_place
from sourcegrad.nn.programs import OPS
from sourcegrad.tensor import functions as f, shapes
from sourcegrad.tensor.core import Tensor, as_array, constant
from sourcegrad.tensor.creation import GENERATOR
from sourcegrad.tensor.functions import einsum
from sourcegrad.tensor.operations import CALL, OPERATIONS as O, Operation, a_tensor, axis


def _checked(reduction: str, usual: tuple = ("mean", "sum", "none")) -> str:
    if reduction not in usual:
        refuse_value(f"{reduction} is not a valid value for reduction")
    return reduction


def _two(name: str, input: Any, target: Any, reduction: str, **options: Any) -> Tensor:
    return OPS[name](a_tensor(input), a_tensor(target), reduction=_checked(reduction), **options)


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    return _two("mse", input, target, reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    return _two("l1", input, target, reduction)


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    return _two("l1", input, target, reduction) if beta == 0 else _two("smooth_l1", input, target, reduction, beta=float(beta))


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    return _two("huber", input, target, reduction, delta=float(delta))


def _weight(weight: Any) -> Any:
    return 1.0 if weight is None else weight


def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Tensor:
    if input._data.shape != target._data.shape:
        refuse_value(
            f"Using a target size ({tuple(target._data.shape)}) that is different to the input size ({tuple(input._data.shape)})"
        )
    if np.any(input._data < 0) or np.any(input._data > 1):
        refuse("all elements of input should be between 0 and 1")
    return OPS["binary_cross_entropy"](input, target, _weight(weight), reduction=_checked(reduction))


def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None, reduction: str = "mean",
                                     pos_weight: Any = None) -> Tensor:
    if input._data.shape != target._data.shape:
        refuse_value(f"Target size ({tuple(target._data.shape)}) must be the same as input size ({tuple(input._data.shape)})")
    return OPS["binary_cross_entropy_with_logits"](input, target, _weight(weight), _weight(pos_weight),
                                                   reduction=_checked(reduction))


def nll_loss(input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Tensor:
    """Minus the log-probability of the class `target`."""
    return _of_classes("nll", input, target, weight, ignore_index, reduction)


def _of_classes(name: str, x: Any, target: Any, weight: Any, ignore: int, reduction: str, smoothing: float = 0.0) -> Tensor:
    single = x._data.ndim == 1
    if single:
        x, target = x.unsqueeze(0), target.unsqueeze(0)
    index = target._data
    if index.dtype.kind not in "iu":
        refuse(f"expected scalar type Long but found {index.dtype}")
    if index.shape != (x._data.shape[0], *x._data.shape[2:]):
        refuse_value(
            f"Expected input batch_size ({x._data.shape[0]}) to match target batch_size ({index.shape[0] if index.ndim else 0})."
        )
    classes = x._data.shape[1]
    ignored = index == ignore
    if np.any(((index < 0) | (index >= classes)) & ~ignored):
        outside = index[((index < 0) | (index >= classes)) & ~ignored]
        raise TensorIndexError(f"Target {int(outside[0])} is out of bounds.", origin_at(user_place()))
    place = np.where(ignored, 0, index)
    each = np.ones(classes, x._data.dtype) if weight is None else weight._data
    weights = np.where(ignored, 0.0, each[place]).astype(x._data.dtype)
    if name == "nll":
        out = OPS["nll"](x, np.expand_dims(place, 1), weights, reduction=_checked(reduction))
    else:
        shape = (1, classes, *[1] * (x._data.ndim - 2))
        out = OPS["smoothed"](x, np.expand_dims(place, 1), weights, each.reshape(shape), smoothing, reduction=_checked(reduction))
    return out.squeeze(0) if single and reduction == "none" else out


def cross_entropy(input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Tensor:
    """Cross entropy of scores with classes: their indices, or probabilities of the same shape as the scores."""
    dim = 0 if input._data.ndim == 1 else 1
    logs = f.log_softmax(input, dim)
    if target._data.dtype.kind in "iu":
        if label_smoothing:
            return _of_classes("smoothed", logs, target, weight, ignore_index, reduction, float(label_smoothing))
        return _of_classes("nll", logs, target, weight, ignore_index, reduction)
    if input._data.ndim == 1:
        logs, target = logs.unsqueeze(0), target.unsqueeze(0)
    classes = logs._data.shape[1]
    if label_smoothing:
        target = target * (1.0 - label_smoothing) + label_smoothing / classes
    shape = (1, classes, *[1] * (logs._data.ndim - 2))
    weights = np.ones(shape, logs._data.dtype) if weight is None else weight._data.reshape(shape)
    out = OPS["soft_cross_entropy"](logs, target, weights, reduction=_checked(reduction))
    return out.squeeze(0) if input._data.ndim == 1 and reduction == "none" else out


def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Tensor:
    return OPS["kl_div_log" if log_target else "kl_div"](input, target,
                                                         reduction=_checked(reduction, ("mean", "sum", "none", "batchmean")))


def poisson_nll_loss(input: Any, target: Any, log_input: bool = True, full: bool = False, reduction: str = "mean") -> Tensor:
    if not log_input or full:
        refuse("poisson_nll_loss with log_input=False or full=True is not supported")
    return _two("poisson_nll", input, target, reduction)


def gaussian_nll_loss(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Tensor:
    var = O["where"](constant(var._data < eps), constant(np.asarray(eps, var._data.dtype)), var)
    out = OPS["gaussian_nll"](input, target, var, reduction=_checked(reduction))
    if not full:
        return out
    extra = 0.5 * math.log(2 * math.pi)
    return out + (extra if reduction != "sum" else extra * input._data.size)


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    return _two("hinge_embedding", input, target, reduction, margin=float(margin))


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Tensor:
    return OPS["margin_ranking"](input1, input2, target, margin=float(margin), reduction=_checked(reduction))


def soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    return _two("soft_margin", input, target, reduction)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    return OPS["cosine_similarity"](x1, x2, dim=axis(x1, dim), eps=eps)


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    return f.norm(x1 - x2 + eps, p, -1, keepdim)


# --- activations

def relu(input: Any, inplace: bool = False) -> Tensor:
    return input.relu_() if inplace else CALL["relu"](a_tensor(input))


def relu6(input: Any, inplace: bool = False) -> Tensor:
    return OPS["hardtanh"](a_tensor(input), low=0.0, high=6.0)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return OPS["leaky_relu"](a_tensor(input), slope=negative_slope)


def prelu(input: Any, weight: Any) -> Tensor:
    if weight._data.size > 1 and input._data.ndim > 2:
        weight = weight.reshape(-1, *[1] * (input._data.ndim - 2))
    return OPS["prelu"](input, weight)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return OPS["elu"](a_tensor(input), alpha=alpha)


def selu(input: Any, inplace: bool = False) -> Tensor:
    return OPS["selu"](a_tensor(input))


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return OPS["celu"](a_tensor(input), alpha=alpha)


def silu(input: Any, inplace: bool = False) -> Tensor:
    return OPS["silu"](a_tensor(input))


def mish(input: Any, inplace: bool = False) -> Tensor:
    return OPS["mish"](a_tensor(input))


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """x times the normal distribution function (by `erf` of SciPy), or its approximation by tanh."""
    if approximate == "tanh":
        return OPS["gelu_tanh"](a_tensor(input))
    if approximate != "none":
        refuse("approximate argument must be either none or tanh.")
    x = a_tensor(input)
    if "gelu" not in OPS:
        OPS["gelu"] = _exact_gelu()
    return OPS["gelu"](x)


def _exact_gelu() -> Operation:
    try:
        from scipy.special import erf
    except ImportError:
        raise ImportError("nn.functional.gelu uses erf of SciPy: pip install scipy, or use approximate='tanh'") from None

    def gelu(x):  # type: ignore[no-untyped-def]
        return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))

    return Operation(gelu, "Gelu")


def sigmoid(input: Any) -> Tensor:
    return CALL["sigmoid"](input)


def tanh(input: Any) -> Tensor:
    return CALL["tanh"](input)


def logsigmoid(input: Any) -> Tensor:
    return CALL["logsigmoid"](input)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    return OPS["hardtanh"](a_tensor(input), low=min_val, high=max_val)


def hardsigmoid(input: Any, inplace: bool = False) -> Tensor:
    return OPS["hardsigmoid"](a_tensor(input))


def hardswish(input: Any, inplace: bool = False) -> Tensor:
    return OPS["hardswish"](a_tensor(input))


def softsign(input: Any) -> Tensor:
    return OPS["softsign"](a_tensor(input))


def tanhshrink(input: Any) -> Tensor:
    return OPS["tanhshrink"](a_tensor(input))


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    return OPS["softplus"](a_tensor(input), beta=float(beta), threshold=float(threshold))


def glu(input: Any, dim: int = -1) -> Tensor:
    return OPS["glu"](input, dim=axis(input, dim))


def softmax(input: Any, dim: Any = None, dtype: Any = None) -> Tensor:
    return f.softmax(input, _usual(input, dim), dtype)


def softmin(input: Any, dim: Any = None, dtype: Any = None) -> Tensor:
    return f.softmax(-input, _usual(input, dim), dtype)


def log_softmax(input: Any, dim: Any = None, dtype: Any = None) -> Tensor:
    return f.log_softmax(input, _usual(input, dim), dtype)


def _usual(x: Any, dim: Any) -> int:
    return dim if dim is not None else 0 if x._data.ndim in (0, 1, 3) else 1


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    length = f.clamp(f.norm(input, p, dim, True), min=eps)
    return input / length.expand_as(input)  # type: ignore[attr-defined]


# --- layers

def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """x @ weight.T + bias; weight: (out, in)."""
    if input._data.shape[-1:] != weight._data.shape[-1:]:
        refuse(
            f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, input._data.shape))} and "
            f"{'x'.join(map(str, weight._data.shape[::-1]))})"
        )
    return CALL["linear_without_bias"](input, weight) if bias is None else O["linear"](input, weight, bias)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    out = einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else out + bias


def embedding(input: Any, weight: Any, padding_idx: Any = None, **_options: Any) -> Tensor:
    """Rows of `weight`; the row `padding_idx` gets no gradient."""
    index = np.asarray(as_array(input))
    if index.dtype.kind not in "iu":
        refuse("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int")
    if index.size and (index.min() < 0 or index.max() >= weight._data.shape[0]):
        raise TensorIndexError("index out of range in self", origin_at(user_place()))
    out = O["index_select"](weight, index, dim=0)
    if padding_idx is None or not weight.requires_grad:
        return out
    chosen = np.expand_dims(index == padding_idx % weight._data.shape[0], -1)
    return O["where"](constant(chosen), out.detach(), out)


def one_hot(tensor: Any, num_classes: int = -1) -> Tensor:
    data = tensor._data
    count = int(data.max()) + 1 if num_classes == -1 else num_classes
    if data.size and (data.min() < 0 or data.max() >= count):
        refuse("Class values must be smaller than num_classes.")
    return constant(np.eye(count, dtype=np.int64)[data])


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements become zero with probability p; the others are divided by 1 - p."""
    if not 0.0 <= p <= 1.0:
        refuse_value(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    keep = GENERATOR.generator.random(input._data.shape) >= p
    return CALL["mul"](input, constant(keep.astype(input._data.dtype) / (1.0 - p) if p < 1.0 else np.zeros_like(input._data)))


def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Pads from the last dimension on: (left, right, top, bottom, ...)."""
    pads = tuple(int(n) for n in pad)
    if any(n < 0 for n in pads):
        cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, a, b in zip(input._data.shape[::-1], pads[::2], pads[1::2]))
        input = shapes.get(input, (Ellipsis, *cut[::-1]))
        pads = tuple(max(n, 0) for n in pads)
    widths = [(pads[j], pads[j + 1]) for j in range(0, len(pads), 2)]
    full = tuple([(0, 0)] * (input._data.ndim - len(widths)) + widths[::-1])
    if mode == "constant":
        return O["pad_constant"](input, float(value or 0.0), widths=full)
    return O["pad_mode"](input, widths=full, mode={"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode])


def _affine(x: Tensor, weight: Any, bias: Any, shape: tuple) -> tuple:
    dtype = x._data.dtype
    return (np.ones(shape, dtype) if weight is None else weight.reshape(shape),
            np.zeros(shape, dtype) if bias is None else bias.reshape(shape))


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if input._data.shape[input._data.ndim - len(shape) :] != shape:
        refuse(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but got input of "
            f"size{list(input._data.shape)}"
        )
    dims = tuple(range(input._data.ndim - len(shape), input._data.ndim))
    return OPS["layer_norm"](input, *_affine(input, weight, bias, shape), dims=dims, eps=eps)


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    n, channels, *rest = input._data.shape
    grouped = input.reshape(n, num_groups, -1)
    one = np.ones((1, 1, 1), input._data.dtype)
    out = OPS["layer_norm"](grouped, one, 0 * one, dims=(2,), eps=eps).reshape(*input._data.shape)
    shape = (1, channels, *[1] * len(rest))
    out = out if weight is None else out * weight.reshape(shape)
    return out if bias is None else out + bias.reshape(shape)


def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False,
               momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Each channel (dimension 1) with mean 0 and variance 1: of the batch when training, else by the running estimates."""
    channels = input._data.shape[1]
    shape = (1, channels, *[1] * (input._data.ndim - 2))
    dims = (0, *range(2, input._data.ndim))
    affine = _affine(input, weight, bias, shape)
    if not training:
        return OPS["fixed_norm"](input, running_mean.reshape(shape), running_var.reshape(shape), *affine, eps=eps)
    count = input._data.size // channels
    if count == 1:
        refuse_value(f"Expected more than 1 value per channel when training, got input size {list(input._data.shape)}")
    if running_mean is not None:
        mean, var = input._data.mean(axis=dims), input._data.var(axis=dims) * (count / (count - 1))
        for running, now in ((running_mean, mean), (running_var, var)):
            running._data *= 1.0 - momentum
            running._data += momentum * now
            running._counter[0] += 1
    return OPS["batch_norm"](input, *affine, dims=dims, eps=eps)


def _first(n: Any) -> Any:
    return n if isinstance(n, (int, str)) else n[0]


def _pair(n: Any) -> tuple:
    return (n, n) if isinstance(n, int) else tuple(n) if len(n) == 2 else (n[0], n[0])


def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1) -> Tensor:
    """Correlation of (batch, channels, rows, columns) with (filters, channels / groups, height, width)."""
    single = input._data.ndim == 3
    x = input.unsqueeze(0) if single else input
    if x._data.shape[1] != weight._data.shape[1] * groups:
        refuse(
            f"Given groups={groups}, weight of size {list(weight._data.shape)}, expected input{list(x._data.shape)} to have "
            f"{weight._data.shape[1] * groups} channels, but got {x._data.shape[1]} channels instead"
        )
    dilation = _pair(dilation)
    if padding in ("same", "valid"):
        total = tuple(d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, weight._data.shape[2:]))
        if any(n % 2 for n in total):
            x = pad(x, (0, total[1] % 2, 0, total[0] % 2))
        padding = tuple(n // 2 for n in total)
    zero = np.zeros(weight._data.shape[0], x._data.dtype)
    out = OPS["conv2d"](x, weight, zero if bias is None else bias, stride=_pair(stride), padding=_pair(padding), dilation=dilation,
                        groups=groups)
    return out.squeeze(0) if single else out


def conv1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1) -> Tensor:
    """Correlation of (batch, channels, length) with (filters, channels / groups, width)."""
    if isinstance(padding, str):
        padding = (weight._data.shape[2] - 1) * _first(dilation) // 2 if padding == "same" else 0
    out = conv2d(input.unsqueeze(-2), weight.unsqueeze(-2), bias, (1, _first(stride)), (0, _first(padding)), (1, _first(dilation)),
                 groups)
    return out.squeeze(-2)


def conv_transpose2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                     groups: int = 1, dilation: Any = 1) -> Tensor:
    if groups != 1 or _pair(dilation) != (1, 1):
        refuse("conv_transpose2d with groups or dilation is not supported")
    zero = np.zeros(weight._data.shape[1], input._data.dtype)
    return OPS["conv_transpose2d"](input, weight, zero if bias is None else bias, stride=_pair(stride), padding=_pair(padding),
                                   extra=_pair(output_padding))


def _windows(data: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil_mode: bool) -> np.ndarray:
    """Flat positions of the first largest element of each window."""
    n, c, h, w = data.shape
    over = [0, 0]
    if ceil_mode:
        for d, size in enumerate((h, w)):
            left = (size + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1) % stride[d]
            over[d] = stride[d] - left if left else 0
    low = np.pad(data, ((0, 0), (0, 0), (padding[0], padding[0] + over[0]), (padding[1], padding[1] + over[1])),
                 constant_values=-np.inf)
    places = np.pad(np.arange(h * w).reshape(h, w), ((padding[0], padding[0] + over[0]), (padding[1], padding[1] + over[1])),
                    constant_values=0)
    reach = [dilation[d] * (kernel[d] - 1) + 1 for d in (0, 1)]

    def views(x: np.ndarray) -> np.ndarray:
        found = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(-2, -1))
        found = found[..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
        return found.reshape(*found.shape[:-2], kernel[0] * kernel[1])

    best = np.where(np.isnan(views(low)), np.inf, views(low)).argmax(-1)
    return np.take_along_axis(np.broadcast_to(views(places), (n, c, *best.shape[2:], kernel[0] * kernel[1])), best[..., None], -1)[
        ..., 0
    ]


def max_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
               return_indices: bool = False) -> Any:
    single = input._data.ndim == 3
    x = input.unsqueeze(0) if single else input
    kernel = _pair(kernel_size)
    place = _windows(x._data, kernel, kernel if stride is None or stride == () else _pair(stride), _pair(padding), _pair(dilation),
                     ceil_mode)
    out = OPS["picked_pool"](x, place)
    out = out.squeeze(0) if single else out
    return (out, constant(place[0] if single else place)) if return_indices else out


def max_pool1d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
               ceil_mode: bool = False) -> Tensor:
    step = kernel_size if stride is None else stride
    return max_pool2d(input.unsqueeze(-2), (1, _first(kernel_size)), (1, _first(step)), (0, _first(padding)), (1, _first(dilation)),
                      ceil_mode).squeeze(-2)


def avg_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: Any = None) -> Tensor:
    if ceil_mode or divisor_override is not None:
        refuse("avg_pool2d with ceil_mode or divisor_override is not supported")
    single = input._data.ndim == 3
    x = input.unsqueeze(0) if single else input
    kernel = _pair(kernel_size)
    out = OPS["avg_pool2d"](x, kernel=kernel, stride=kernel if stride is None else _pair(stride), padding=_pair(padding),
                            count_padding=count_include_pad)
    return out.squeeze(0) if single else out


def avg_pool1d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:
    step = kernel_size if stride is None else stride
    return avg_pool2d(input.unsqueeze(-2), (1, _first(kernel_size)), (1, _first(step)), (0, _first(padding)), ceil_mode,
                      count_include_pad).squeeze(-2)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    size = _pair(output_size)
    have = input._data.shape[-2:]
    if any(h % s for h, s in zip(have, size)):
        refuse(f"adaptive_avg_pool2d from {have} to {size}: only whole multiples are supported")
    return avg_pool2d(input, tuple(h // s for h, s in zip(have, size)))


def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: Any = None) -> Tensor:
    """softmax(query @ key.T * scale) @ value, with the positions that `attn_mask` leaves out, or those after each one."""
    scores = query @ key.transpose(-2, -1) * (1.0 / math.sqrt(query._data.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = constant(np.tril(np.ones(scores._data.shape[-2:], bool)))
    if attn_mask is not None:
        scores = f.masked_fill(scores, ~attn_mask, -math.inf) if attn_mask._data.dtype == bool else scores + attn_mask
    return dropout(f.softmax(scores, -1), dropout_p) @ value
