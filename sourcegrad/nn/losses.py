"""Losses of `nn.functional`, with PyTorch's names, arguments and stability."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from sourcegrad.nn.operations import OPS
from sourcegrad.tensor import functions as f
from sourcegrad.tensor.arguments import a_tensor, axis
from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.errors import TensorIndexError, origin_at, refuse, refuse_value, user_place
from sourcegrad.tensor.operations import OPERATIONS as O


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


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Tensor:
    if input._data.shape != target._data.shape:
        refuse_value(f"Target size ({tuple(target._data.shape)}) must be the same as input size ({tuple(input._data.shape)})")
    return OPS["binary_cross_entropy_with_logits"](
        input, target, _weight(weight), _weight(pos_weight), reduction=_checked(reduction)
    )


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


def cross_entropy(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> Tensor:
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
    return OPS["kl_div_log" if log_target else "kl_div"](
        input, target, reduction=_checked(reduction, ("mean", "sum", "none", "batchmean"))
    )


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
