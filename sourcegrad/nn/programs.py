"""Layers and losses as plain NumPy functions, and the operations made of them. The pipeline generates their derivatives."""

from __future__ import annotations

import math

import numpy as np

from sourcegrad.tensor.operations import Operation
from sourcegrad.tensor.programs import Programs, define


def reduced(loss, reduction):
    if reduction == "mean":
        return np.mean(loss)
    if reduction == "sum":
        return np.sum(loss)
    return loss


# --- activations and losses of one expression

PROGRAMS: Programs = {
    "leaky_relu": ("LeakyRelu", "x, *, slope", "np.where(x > 0, x, slope * x)"),
    "prelu": ("PreluKernel", "x, weight", "np.where(x > 0, x, weight * x)"),
    "elu": ("Elu", "x, *, alpha", "np.where(x <= 0, alpha * np.expm1(np.where(x <= 0, x, 0.0)), x)"),
    "selu": ("Elu", "x",
             "1.0507009873554805 * np.where(x <= 0, 1.6732632423543772 * np.expm1(np.where(x <= 0, x, 0.0)), x)"),
    "celu": ("Elu", "x, *, alpha", "np.where(x <= 0, alpha * np.expm1(np.where(x <= 0, x, 0.0) / alpha), x)"),
    "silu": ("Silu", "x", "x * (0.5 + 0.5 * np.tanh(0.5 * x))"),
    "mish": ("Mish", "x", "x * np.tanh(np.logaddexp(0.0, x))"),
    "hardtanh": ("Hardtanh", "x, low, high", "np.where(x >= high, high, np.where(x <= low, low, x))"),
    "hardsigmoid": ("Hardsigmoid", "x", "np.where(x >= 3.0, 1.0, np.where(x <= -3.0, 0.0, x / 6.0 + 0.5))"),
    "hardswish": ("Hardswish", "x", "np.where(x >= 3.0, x, np.where(x <= -3.0, 0.0 * x, x * (x / 6.0 + 0.5)))"),
    "threshold": ("Threshold", "x, bound, value", "np.where(x <= bound, value, x)"),
    "softshrink": ("Softshrink", "x, lambd",
                   "np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, np.where(np.isnan(x), x, 0.0)))"),
    "hardshrink": ("Hardshrink", "x, lambd", "np.where((x >= -lambd) & (x <= lambd), 0.0, x)"),
    "softsign": ("Div", "x", "x / (1.0 + np.abs(x))"),
    "tanhshrink": ("Sub", "x", "x - np.tanh(x)"),
    "mse": ("MseLoss", "x, target, *, reduction", "reduced((x - target) ** 2, reduction)"),
    "l1": ("L1Loss", "x, target, *, reduction", "reduced(np.abs(x - target), reduction)"),
    "poisson_nll": ("Mean", "x, target, *, reduction", "reduced(np.exp(x) - target * x, reduction)"),
    "gaussian_nll": ("Mean", "x, target, var, *, reduction", "reduced(0.5 * (np.log(var) + (x - target) ** 2 / var), reduction)"),
    "soft_margin": ("SoftMarginLoss", "x, target, *, reduction", "reduced(np.logaddexp(0.0, -target * x), reduction)"),
    "fixed_norm": ("NativeBatchNorm", "x, mean, var, weight, bias, *, eps", "(x - mean) / np.sqrt(var + eps) * weight + bias"),
}
define(PROGRAMS, globals(), "<sourcegrad layers>")


def softplus(x, *, beta, threshold):
    scaled = beta * x
    return np.where(scaled > threshold, x, np.logaddexp(0.0, np.where(scaled > threshold, 0.0, scaled)) / beta)


def gelu_tanh(x):
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def glu(x, *, dim):
    a, b = np.split(x, 2, axis=dim)
    return a * (0.5 + 0.5 * np.tanh(0.5 * b))


# --- losses

def smooth_l1(x, target, *, beta, reduction):
    distance = np.abs(x - target)
    near = np.where(distance < beta, distance, 0.0)
    return reduced(np.where(distance < beta, 0.5 * near**2 / beta, distance - 0.5 * beta), reduction)


def huber(x, target, *, delta, reduction):
    distance = np.abs(x - target)
    near = np.where(distance <= delta, distance, 0.0)
    return reduced(np.where(distance <= delta, 0.5 * near**2, delta * (distance - 0.5 * delta)), reduction)


def binary_cross_entropy(x, target, weight, *, reduction):
    loss = -(target * np.maximum(np.log(x), -100.0) + (1.0 - target) * np.maximum(np.log1p(-x), -100.0))
    return reduced(loss * weight, reduction)


def binary_cross_entropy_with_logits(x, target, weight, pos_weight, *, reduction):
    factor = (pos_weight - 1.0) * target + 1.0
    loss = (1.0 - target) * x + factor * np.logaddexp(0.0, -x)
    return reduced(loss * weight, reduction)


def nll(x, place, weight, *, reduction):
    """x: log-probabilities (n, classes, ...); place: index of the class, (n, 1, ...); weight: of each, 0 where ignored, (n, ...)"""
    loss = -weight * np.squeeze(np.take_along_axis(x, place, axis=1), axis=1)
    if reduction == "mean":
        return np.sum(loss) / np.sum(weight)
    return reduced(loss, reduction)


def smoothed(x, place, weight, weights, smoothing, *, reduction):
    """Cross entropy with label smoothing; weights: of the classes, (1, classes, 1, ...)"""
    valid = np.where(weight > 0, 1.0, 0.0)
    loss = -weight * np.squeeze(np.take_along_axis(x, place, axis=1), axis=1)
    spread = -valid * np.sum(x * weights, axis=1)
    classes = x.shape[1]
    if reduction == "mean":
        total = np.sum(weight)
        return (1.0 - smoothing) * np.sum(loss) / total + smoothing / classes * np.sum(spread) / total
    return reduced((1.0 - smoothing) * loss + smoothing / classes * spread, reduction)


def soft_cross_entropy(x, target, weights, *, reduction):
    loss = -np.sum(x * target * weights, axis=1)
    if reduction == "mean":
        return np.sum(loss) / (loss.size)
    return reduced(loss, reduction)


def kl_div(x, target, *, reduction):
    loss = np.where(target > 0, target * (np.log(np.where(target > 0, target, 1.0)) - x), 0.0)
    if reduction == "batchmean":
        return np.sum(loss) / x.shape[0]
    return reduced(loss, reduction)


def kl_div_log(x, target, *, reduction):
    loss = np.exp(target) * (target - x)
    if reduction == "batchmean":
        return np.sum(loss) / x.shape[0]
    return reduced(loss, reduction)


def hinge_embedding(x, target, *, margin, reduction):
    loss = np.where(target != 1, np.where(x >= margin, 0.0, margin - x), 0.0) + np.where(target != -1, x, 0.0)
    return reduced(loss, reduction)


def margin_ranking(x, y, target, *, margin, reduction):
    loss = -target * (x - y) + margin
    return reduced(np.where(loss <= 0, 0.0, loss), reduction)


def cosine_similarity(x, y, *, dim, eps):
    a = np.maximum(np.sqrt(np.sum(x * x, axis=dim)), eps)
    b = np.maximum(np.sqrt(np.sum(y * y, axis=dim)), eps)
    return np.sum(x * y, axis=dim) / (a * b)


# --- normalisation

def layer_norm(x, weight, bias, *, dims, eps):
    centered = x - np.mean(x, axis=dims, keepdims=True)
    scale = 1.0 / np.sqrt(np.mean(centered**2, axis=dims, keepdims=True) + eps)
    return centered * scale * weight + bias


# --- convolution and pooling: x (batch, channels, rows, columns)

def conv2d(x, weight, bias, *, stride, padding, dilation, groups):
    batch, channels = x.shape[0], x.shape[1]
    filters, depth, height, width = weight.shape
    x = np.pad(x, ((0, 0), (0, 0), (padding[0], padding[0]), (padding[1], padding[1])))
    rows = (x.shape[2] - dilation[0] * (height - 1) - 1) // stride[0] + 1
    columns = (x.shape[3] - dilation[1] * (width - 1) - 1) // stride[1] + 1
    kernels = np.reshape(weight, (groups, filters // groups, depth, height, width))
    out = np.zeros((batch, groups, filters // groups, rows * columns), x.dtype)
    for i in range(height):
        top = i * dilation[0]
        for j in range(width):
            left = j * dilation[1]
            part = x[:, :, top : top + stride[0] * (rows - 1) + 1 : stride[0],
                     left : left + stride[1] * (columns - 1) + 1 : stride[1]]
            out += kernels[:, :, :, i, j] @ np.reshape(part, (batch, groups, channels // groups, rows * columns))
    return np.reshape(out, (batch, filters, rows, columns)) + np.reshape(bias, (filters, 1, 1))


def conv_transpose2d(x, weight, bias, *, stride, padding, extra, dilation, groups):
    batch, channels, height, width = x.shape
    filters, rows, columns = weight.shape[1], weight.shape[2], weight.shape[3]
    flat = np.reshape(x, (batch, groups, channels // groups, height * width))
    kernels = np.swapaxes(np.reshape(weight, (groups, channels // groups, filters, rows, columns)), 1, 2)
    tall = (height - 1) * stride[0] + dilation[0] * (rows - 1) + 1 + extra[0]
    wide = (width - 1) * stride[1] + dilation[1] * (columns - 1) + 1 + extra[1]
    out = np.zeros((batch, groups * filters, tall, wide), x.dtype)
    for i in range(rows):
        top = i * dilation[0]
        for j in range(columns):
            left = j * dilation[1]
            part = np.reshape(kernels[:, :, :, i, j] @ flat, (batch, groups * filters, height, width))
            out[:, :, top : top + stride[0] * (height - 1) + 1 : stride[0],
                left : left + stride[1] * (width - 1) + 1 : stride[1]] += part
    return out[:, :, padding[0] : tall - padding[0], padding[1] : wide - padding[1]] + np.reshape(bias, (groups * filters, 1, 1))


def avg_pool2d(x, *, kernel, stride, padding, count_padding):
    batch, channels = x.shape[0], x.shape[1]
    inside = np.pad(np.ones((x.shape[2], x.shape[3]), x.dtype), ((padding[0], padding[0]), (padding[1], padding[1])))
    x = np.pad(x, ((0, 0), (0, 0), (padding[0], padding[0]), (padding[1], padding[1])))
    rows = (x.shape[2] - kernel[0]) // stride[0] + 1
    columns = (x.shape[3] - kernel[1]) // stride[1] + 1
    out = np.zeros((batch, channels, rows, columns), x.dtype)
    count = np.zeros((rows, columns), x.dtype)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            down, right = (slice(i, i + stride[0] * (rows - 1) + 1, stride[0]),
                           slice(j, j + stride[1] * (columns - 1) + 1, stride[1]))
            out += x[:, :, down, right]
            count += inside[down, right]
    return out / (kernel[0] * kernel[1]) if count_padding else out / count


def picked_pool(x, place):
    """The elements of each channel at the flat positions `place`, (batch, channels, rows, columns)"""
    batch, channels, height, width = x.shape
    flat = np.reshape(x, (batch, channels, height * width))
    found = np.take_along_axis(flat, np.reshape(place, (batch, channels, place.shape[2] * place.shape[3])), axis=2)
    return np.reshape(found, place.shape)


# --- recurrent layers: x (time, batch, features)

def rnn_cell(x, h, w_ih, w_hh, b_ih, b_hh, *, relu):
    total = x @ w_ih.T + b_ih + h @ w_hh.T + b_hh
    return np.where(total > 0, total, 0.0) if relu else np.tanh(total)


def lstm_cell(x, h, c, w_ih, w_hh, b_ih, b_hh):
    gates = x @ w_ih.T + b_ih + h @ w_hh.T + b_hh
    i, f, g, o = np.split(gates, 4, axis=-1)
    i, f, o = 0.5 + 0.5 * np.tanh(0.5 * i), 0.5 + 0.5 * np.tanh(0.5 * f), 0.5 + 0.5 * np.tanh(0.5 * o)
    c = f * c + i * np.tanh(g)
    return o * np.tanh(c), c


def gru_cell(x, h, w_ih, w_hh, b_ih, b_hh):
    n = h.shape[-1]
    a, b = x @ w_ih.T + b_ih, h @ w_hh.T + b_hh
    r = 0.5 + 0.5 * np.tanh(0.5 * (a[..., :n] + b[..., :n]))
    z = 0.5 + 0.5 * np.tanh(0.5 * (a[..., n : 2 * n] + b[..., n : 2 * n]))
    new = np.tanh(a[..., 2 * n :] + r * b[..., 2 * n :])
    return (1.0 - z) * new + z * h


def rnn_layer(x, h, w_ih, w_hh, b_ih, b_hh, *, relu):
    steps = []
    for t in range(x.shape[0]):
        h = rnn_cell(x[t], h, w_ih, w_hh, b_ih, b_hh, relu=relu)
        steps.append(h)
    return np.stack(steps), h


def lstm_layer(x, h, c, w_ih, w_hh, b_ih, b_hh):
    n = h.shape[-1]
    steps = []
    for t in range(x.shape[0]):
        gates = x[t] @ w_ih.T + b_ih + h @ w_hh.T + b_hh
        i = 0.5 + 0.5 * np.tanh(0.5 * gates[:, :n])
        f = 0.5 + 0.5 * np.tanh(0.5 * gates[:, n : 2 * n])
        g = np.tanh(gates[:, 2 * n : 3 * n])
        o = 0.5 + 0.5 * np.tanh(0.5 * gates[:, 3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
        steps.append(h)
    return np.stack(steps), h, c


def gru_layer(x, h, w_ih, w_hh, b_ih, b_hh):
    steps = []
    for t in range(x.shape[0]):
        h = gru_cell(x[t], h, w_ih, w_hh, b_ih, b_hh)
        steps.append(h)
    return np.stack(steps), h


NODES = {"softplus": "Softplus", "gelu_tanh": "Gelu", "glu": "Glu", "smooth_l1": "SmoothL1Loss", "huber": "HuberLoss",
         "binary_cross_entropy": "BinaryCrossEntropy", "binary_cross_entropy_with_logits": "BinaryCrossEntropyWithLogits",
         "nll": "NllLoss", "smoothed": "Add", "soft_cross_entropy": "Div", "kl_div": "Mean", "kl_div_log": "Mean",
         "hinge_embedding": "Mean", "margin_ranking": "Mean", "cosine_similarity": "Sum", "layer_norm": "NativeLayerNorm",
         "conv2d": "Convolution", "conv_transpose2d": "Convolution", "avg_pool2d": "AvgPool2D",
         "picked_pool": "MaxPool2DWithIndices", "rnn_cell": "Tanh", "lstm_cell": "LstmCell", "gru_cell": "GruCell",
         "rnn_layer": "Rnn", "lstm_layer": "Lstm", "gru_layer": "Gru"}
OPS = {name: Operation(globals()[name], node)
       for name, node in {**{name: parts[0] for name, parts in PROGRAMS.items()}, **NODES}.items()}
OPS["batch_norm"] = Operation(layer_norm, "NativeBatchNorm")
