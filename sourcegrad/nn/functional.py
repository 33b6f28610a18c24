"""`nn.functional`: activations, losses and layers as functions of Tensors, with PyTorch's names, arguments and stability."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import TensorIndexError, origin_at, refuse, refuse_type, refuse_value, user_place
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


def _loss(name: str, operation: str) -> Callable[..., Tensor]:
    def function(input: Any, target: Any, reduction: str = "mean") -> Tensor:
        return _two(operation, input, target, reduction)

    function.__name__ = function.__qualname__ = name
    return function


mse_loss, l1_loss, soft_margin_loss = (_loss(f"{name}_loss", name) for name in ("mse", "l1", "soft_margin"))


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    if beta < 0:
        refuse("smooth_l1_loss does not support negative values for beta.")
    return _two("l1", input, target, reduction) if beta == 0 else _two("smooth_l1", input, target, reduction, beta=float(beta))


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    if delta <= 0:
        refuse("huber_loss does not support non-positive values for delta.")
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
    if weight is not None and weight._data.shape != (classes,):
        refuse(f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of shape: "
               f"{list(weight._data.shape)}")
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
    if not 0.0 <= label_smoothing <= 1.0:
        refuse(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
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
    var = a_tensor(var)
    if np.any(var._data < 0):
        refuse_value("var has negative entry/entries")
    have, own = input._data.shape, var._data.shape
    if own == have[:-1] and own != have:
        var = var.unsqueeze(-1)  # type: ignore[attr-defined]
    elif own and own != have and (len(own) != len(have) or sum(n for m, n in zip(have, own) if m != n) != 1):
        refuse_value("var is of incorrect size")
    var = var + constant(np.maximum(var._data, eps) - var._data)
    out = OPS["gaussian_nll"](input, target, var, reduction=_checked(reduction))
    if not full:
        return out
    extra = 0.5 * math.log(2 * math.pi)
    return out + (extra if reduction != "sum" else extra * input._data.size)


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    return _two("hinge_embedding", input, target, reduction, margin=float(margin))


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Tensor:
    if not len({part._data.ndim for part in (input1, input2, target)}) == 1:
        refuse("margin_ranking_loss : All input tensors should have same dimension but got sizes: "
               f"{[list(part._data.shape) for part in (input1, input2, target)]}")
    return OPS["margin_ranking"](input1, input2, target, margin=float(margin), reduction=_checked(reduction))


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    x1, x2 = shapes.broadcast_tensors(a_tensor(x1), a_tensor(x2))
    return OPS["cosine_similarity"](x1, x2, dim=axis(x1, dim), eps=eps)


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    return f.norm(x1 - x2 + eps, p, -1, keepdim)


# --- activations

def _hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    if min_val > max_val:
        refuse_value("min_val cannot be greater than max_val")
    return OPS["hardtanh"](input, min_val, max_val)


# the parameter `inplace` comes last; each is also there as `name_`
IN_PLACE: dict[str, Callable[..., Tensor]] = {
    "relu": lambda input: CALL["relu"](input),
    "relu6": lambda input: OPS["hardtanh"](input, 0.0, 6.0),
    "leaky_relu": lambda input, negative_slope=0.01: OPS["leaky_relu"](input, slope=negative_slope),
    "elu": lambda input, alpha=1.0: OPS["elu"](input, alpha=alpha),
    "selu": lambda input: OPS["selu"](input),
    "celu": lambda input, alpha=1.0: OPS["celu"](input, alpha=alpha),
    "silu": lambda input: OPS["silu"](input),
    "mish": lambda input: OPS["mish"](input),
    "hardtanh": _hardtanh,
    "hardsigmoid": lambda input: OPS["hardsigmoid"](input),
    "hardswish": lambda input: OPS["hardswish"](input),
    "threshold": lambda input, threshold, value: OPS["threshold"](input, threshold, value),
}


def _either(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function that can also change its first argument."""
    own = inspect.signature(function)
    last = len(own.parameters)

    def called(input: Any, *args: Any, **options: Any) -> Tensor:
        inplace = options.pop("inplace", False)
        if len(args) == last:
            *args, inplace = args  # type: ignore[assignment]
        if inplace:
            return shapes.change(input, lambda old: function(old, *args, **options))
        return function(a_tensor(input), *args, **options)

    called.__name__ = called.__qualname__ = function.__qualname__ = name
    parameter = inspect.Parameter("inplace", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False)
    called.__signature__ = own.replace(parameters=[*own.parameters.values(), parameter])  # type: ignore[attr-defined]
    return called


for _name, _function in IN_PLACE.items():
    globals()[_name] = _either(_name, _function)
    globals()[f"{_name}_"] = functools.partial(globals()[_name], inplace=True)


def prelu(input: Any, weight: Any) -> Tensor:
    if weight._data.size > 1 and input._data.ndim > 2:
        weight = weight.reshape(-1, *[1] * (input._data.ndim - 2))
    return OPS["prelu"](input, weight)


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


def _plain(name: str, operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(input: Any) -> Tensor:
        return operation(a_tensor(input))

    function.__name__ = function.__qualname__ = name
    return function


sigmoid, tanh, logsigmoid = (_plain(name, CALL[name]) for name in ("sigmoid", "tanh", "logsigmoid"))
softsign, tanhshrink = (_plain(name, OPS[name]) for name in ("softsign", "tanhshrink"))


def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    if lambd < 0:
        refuse(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    return OPS["softshrink"](a_tensor(input), lambd)


def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    return OPS["hardshrink"](a_tensor(input), lambd)


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


def embedding(input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """Rows of `weight`; the row `padding_idx` gets no gradient."""
    if max_norm is not None or scale_grad_by_freq:
        refuse("embedding with max_norm or scale_grad_by_freq is not supported")
    inside(padding_idx, len(weight._data))
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


def inside(padding_idx: Any, count: int) -> None:
    if padding_idx is not None and not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")


def one_hot(tensor: Any, num_classes: int = -1) -> Tensor:
    data = tensor._data
    if data.dtype.kind not in "iu":
        refuse(f"one_hot is only applicable to index tensor of type LongTensor, not {data.dtype}")
    count = int(data.max()) + 1 if num_classes == -1 else num_classes
    if data.size and (data.min() < 0 or data.max() >= count):
        refuse("Class values must be smaller than num_classes.")
    return constant(np.eye(count, dtype=np.int64)[data])


def probability(p: float) -> float:
    if not 0.0 <= p <= 1.0:
        refuse_value(f"dropout probability has to be between 0 and 1, but got {p}")
    return p


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements become zero with probability p; the others are divided by 1 - p."""
    if probability(p) == 0.0 or not training:
        return input
    keep = GENERATOR.generator.random(input._data.shape) >= p
    factor = constant(keep.astype(input._data.dtype) / (1.0 - p) if p < 1.0 else np.zeros_like(input._data))
    return input.mul_(factor) if inplace else CALL["mul"](input, factor)


PADDINGS = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Pads from the last dimension on: (left, right, top, bottom, ...). Numbers below zero cut."""
    if not isinstance(pad, (list, tuple)) or any(isinstance(n, float) for n in pad):
        refuse_type(f"pad(): argument 'pad' must be tuple of ints, not {pad!r}")
    pads, shape = tuple(map(int, pad)), input._data.shape
    if len(pads) % 2:
        refuse("Padding length must be divisible by 2")
    if len(pads) > 2 * len(shape):
        refuse(f"Padding length should be at most two times the input dimension, but got {len(pads)} and {len(shape)}")
    around = list(zip(pads[::2], pads[1::2]))
    for n, (left, right) in zip(shape[::-1], around):
        if n + left + right < 0:
            refuse(f"The input size {n}, plus negative padding {left} and {right}, resulted in a negative output size")
        if mode == "reflect" and max(left, right) >= n or mode == "circular" and max(left, right) > n:
            refuse(f"Padding size should be less than the corresponding input dimension, but got: padding ({left}, {right}) at "
                   f"dimension of size {n}")
    if mode != "constant":
        if mode not in PADDINGS or len(around) not in (len(shape) - 1, len(shape) - 2):
            raise NotImplementedError(f"Padding mode {mode!r} of {len(shape)} dimensions with padding of length {len(pads)}: "
                                      "'reflect', 'replicate' and 'circular' pad all dimensions but the first one or two")
        if value is not None:
            refuse(f'Padding mode "{mode}" doesn\'t take in value argument')
    if any(n < 0 for n in pads):
        cut = [slice(max(-left, 0), n - max(-right, 0)) for n, (left, right) in zip(shape[::-1], around)]
        input = shapes.get(input, (Ellipsis, *cut[::-1]))
        around = [(max(left, 0), max(right, 0)) for left, right in around]
    widths = ((0, 0),) * (len(shape) - len(around)) + tuple(around[::-1])
    if mode == "constant":
        return O["pad_constant"](input, float(value or 0.0), widths=widths)
    return O["pad_mode"](input, widths=widths, mode=PADDINGS[mode])


def _affine(x: Tensor, weight: Any, bias: Any, shape: tuple) -> tuple:
    dtype = x._data.dtype
    return (np.ones(shape, dtype) if weight is None else weight.reshape(shape),
            np.zeros(shape, dtype) if bias is None else bias.reshape(shape))


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    if not isinstance(normalized_shape, (list, tuple)):
        refuse_type(f"layer_norm(): argument 'normalized_shape' must be tuple of ints, not {type(normalized_shape).__name__}")
    shape = tuple(normalized_shape)
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
        if running_mean is None or running_var is None:
            refuse("Expected running_mean and running_var to be defined when training=False")
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


def tuple_of(value: Any, count: int) -> tuple:
    """A size for each of `count` dimensions."""
    found = (value,) if isinstance(value, int) else tuple(value)
    return found * count if len(found) == 1 else found


def check_groups(channels: int, filters: int, groups: int) -> None:
    if groups <= 0:
        refuse_value("groups must be a positive integer")
    if channels % groups or filters % groups:
        refuse_value("in_channels and out_channels must be divisible by groups")


def check_conv(x: Any, weight: Any, bias: Any, channels: int, filters: int, stride: tuple, padding: tuple, dilation: tuple) -> None:
    if x._data.ndim != 4 or weight._data.ndim != 4:
        refuse(f"a convolution in 2 dimensions of an input of {x._data.ndim} dimensions with a weight of {weight._data.ndim}")
    if min(stride) <= 0 or min(padding) < 0 or min(dilation) <= 0:
        refuse(f"non-positive stride {stride} or dilation {dilation}, or negative padding {padding} is not supported")
    if x._data.shape[1] != channels:
        refuse(f"Given weight of size {list(weight._data.shape)}, expected input{list(x._data.shape)} to have {channels} channels, "
               f"but got {x._data.shape[1]} channels instead")
    if bias is not None and bias._data.shape != (filters,):
        refuse(f"expected bias to be 1-dimensional with {filters} elements, but got bias of size {list(bias._data.shape)}")


def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1) -> Tensor:
    """Correlation of (batch, channels, rows, columns) with (filters, channels / groups, height, width)."""
    single = input._data.ndim == 3
    x = input.unsqueeze(0) if single else input
    dilation, stride = tuple_of(dilation, 2), tuple_of(stride, 2)
    size = weight._data.shape[2:]
    total = tuple(d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, size))
    if isinstance(padding, str):
        if padding not in ("same", "valid") or padding == "same" and stride != (1, 1):
            refuse(f"padding={padding!r} of a convolution with stride {stride}: it is 'valid', numbers, or (stride 1) 'same'")
        x = pad(x, (0, total[1] % 2, 0, total[0] % 2)) if any(n % 2 for n in total) else x
        padding = tuple(n // 2 for n in total)
    padding = tuple_of(padding, 2)
    if groups <= 0 or weight._data.shape[0] % groups:
        refuse(f"expected a positive groups={groups} that divides the {weight._data.shape[0]} filters")
    check_conv(x, weight, bias, weight._data.shape[1] * groups, weight._data.shape[0], stride, padding, dilation)
    if any(n + 2 * p < d * (k - 1) + 1 for n, p, d, k in zip(x._data.shape[2:], padding, dilation, size)):
        refuse(f"Calculated padded input size per channel: {x._data.shape[2:]} and padding {padding}. Kernel size: {size}. "
               "Kernel size can't be greater than actual input size")
    zero = np.zeros(weight._data.shape[0], x._data.dtype)
    out = OPS["conv2d"](x, weight, zero if bias is None else bias, stride=stride, padding=padding, dilation=dilation, groups=groups)
    return out.squeeze(0) if single else out


def conv1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1) -> Tensor:
    """Correlation of (batch, channels, length) with (filters, channels / groups, width)."""
    padding = padding if isinstance(padding, str) else (0, *tuple_of(padding, 1))
    return conv2d(input.unsqueeze(-2), weight.unsqueeze(-2), bias, (1, *tuple_of(stride, 1)), padding, (1, *tuple_of(dilation, 1)),
                  groups).squeeze(-2)


def conv_transpose2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                     groups: int = 1, dilation: Any = 1) -> Tensor:
    """The transpose of the linear map that `conv2d` is; weight: (channels, filters / groups, height, width)."""
    single = input._data.ndim == 3
    x = input.unsqueeze(0) if single else input
    stride, padding, extra, dilation = (tuple_of(value, 2) for value in (stride, padding, output_padding, dilation))
    channels, filters = weight._data.shape[0], weight._data.shape[1] * groups
    check_conv(x, weight, bias, channels, filters, stride, padding, dilation)
    if any(e >= max(n, d) for e, n, d in zip(extra, stride, dilation)):
        refuse(f"output padding must be smaller than either stride or dilation, but got {extra}, {stride} and {dilation}")
    zero = np.zeros(filters, x._data.dtype)
    out = OPS["conv_transpose2d"](x, weight, zero if bias is None else bias, stride=stride, padding=padding, extra=extra,
                                  dilation=dilation, groups=groups)
    return out.squeeze(0) if single else out


def _pooled(input: Any, kernel: Any, stride: Any, padding: Any, dilation: Any = 1) -> tuple:
    """The sizes of a pooling in two dimensions, checked, and the input as a batch."""
    kernel = tuple_of(kernel, 2)
    stride = kernel if stride is None or stride == () else tuple_of(stride, 2)
    padding, dilation = tuple_of(padding, 2), tuple_of(dilation, 2)
    if input._data.ndim not in (3, 4):
        refuse(f"Expected 3D or 4D input to a pooling in two dimensions, but got {list(input._data.shape)}")
    if min(kernel) <= 0 or min(stride) <= 0 or min(dilation) <= 0:
        refuse(f"kernel size, stride and dilation should be greater than zero, but got {kernel}, {stride} and {dilation}")
    if any(not 0 <= 2 * p <= k for p, k in zip(padding, kernel)):
        refuse(f"pad should be at most half of effective kernel size, but got pad={padding} and kernel_size={kernel}")
    if any(n + 2 * p < d * (k - 1) + 1 for n, p, d, k in zip(input._data.shape[-2:], padding, dilation, kernel)):
        refuse(f"Given input size {list(input._data.shape)} and kernel size {kernel}. The output size is too small")
    return input.unsqueeze(0) if input._data.ndim == 3 else input, kernel, stride, padding, dilation


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
    x, *sizes = _pooled(input, kernel_size, stride, padding, dilation)
    place = _windows(x._data, *sizes, ceil_mode)  # type: ignore[call-arg]
    out = OPS["picked_pool"](x, place)
    if input._data.ndim == 3:
        out, place = out.squeeze(0), place[0]
    return (out, constant(place)) if return_indices else out


def _as_rows(*sizes: Any) -> list[Any]:
    """Sizes in one dimension as those of rows of a height of one."""
    return [(usual, *tuple_of(size, 1)) for usual, size in zip((1, 1, 0, 1), sizes)]


def max_pool1d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
               return_indices: bool = False) -> Any:
    sizes = _as_rows(kernel_size, kernel_size if stride is None else stride, padding, dilation)
    out = max_pool2d(input.unsqueeze(-2), *sizes, ceil_mode=ceil_mode, return_indices=return_indices)  # type: ignore[misc]
    return tuple(part.squeeze(-2) for part in out) if return_indices else out.squeeze(-2)


def avg_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: Any = None) -> Tensor:
    if ceil_mode or divisor_override is not None:
        refuse("avg_pool2d with ceil_mode or divisor_override is not supported")
    x, kernel, stride, padding, _ = _pooled(input, kernel_size, stride, padding)
    out = OPS["avg_pool2d"](x, kernel=kernel, stride=stride, padding=padding, count_padding=count_include_pad)
    return out.squeeze(0) if input._data.ndim == 3 else out


def avg_pool1d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:
    sizes = _as_rows(kernel_size, kernel_size if stride is None else stride, padding)
    return avg_pool2d(input.unsqueeze(-2), *sizes, ceil_mode=ceil_mode, count_include_pad=count_include_pad).squeeze(-2)  # type: ignore[misc]


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    """Means of rows x columns that are as equal as can be; None keeps a size."""
    size = (output_size,) * 2 if output_size is None else tuple_of(output_size, 2)
    have = input._data.shape[-2:]
    if input._data.ndim not in (3, 4) or len(size) != 2 or any(n is not None and n < 0 for n in size):
        refuse(f"adaptive_avg_pool2d of an input of {input._data.ndim} dimensions to {size}: it takes 3 or 4, and two sizes")
    rows, columns = (_means(n, n if wanted is None else wanted, input._data.dtype) for n, wanted in zip(have, size))
    return rows @ input @ columns.T


def _means(n: int, wanted: int, dtype: Any) -> np.ndarray:
    """The matrix of the means of `wanted` parts of n elements, which overlap where n is no multiple."""
    found = np.zeros((wanted, n), dtype)
    for j in range(wanted):
        part = slice(j * n // wanted, -(-(j + 1) * n // wanted))
        found[j, part] = 1.0 / (part.stop - part.start)
    return found


def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: Any = None) -> Tensor:
    """softmax(query @ key.T * scale) @ value, with the positions that `attn_mask` leaves out, or those after each one."""
    scores = query @ key.transpose(-2, -1) * (1.0 / math.sqrt(query._data.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = constant(np.tril(np.ones(scores._data.shape[-2:], bool)))
    if attn_mask is not None:
        scores = f.masked_fill(scores, ~attn_mask, -math.inf) if attn_mask._data.dtype == bool else scores + attn_mask
    return dropout(f.softmax(scores, -1), dropout_p) @ value
