"""The operations of layers and losses, made from `programs`."""
from __future__ import annotations

from sourcegrad.nn import programs as p
from sourcegrad.tensor.operation import Operation

OPS = {
    name: Operation(getattr(p, name), node)
    for name, node in {
        "leaky_relu": "LeakyRelu",
        "prelu": "PreluKernel",
        "elu": "Elu",
        "selu": "Elu",
        "celu": "Elu",
        "silu": "Silu",
        "mish": "Mish",
        "gelu_tanh": "Gelu",
        "hardtanh": "Hardtanh",
        "hardsigmoid": "Hardsigmoid",
        "hardswish": "Hardswish",
        "softsign": "Div",
        "tanhshrink": "Sub",
        "softplus": "Softplus",
        "glu": "Glu",
        "mse": "MseLoss",
        "l1": "L1Loss",
        "smooth_l1": "SmoothL1Loss",
        "huber": "HuberLoss",
        "binary_cross_entropy": "BinaryCrossEntropy",
        "binary_cross_entropy_with_logits": "BinaryCrossEntropyWithLogits",
        "nll": "NllLoss",
        "smoothed": "Add",
        "soft_cross_entropy": "Div",
        "kl_div": "Mean",
        "kl_div_log": "Mean",
        "poisson_nll": "Mean",
        "gaussian_nll": "Mean",
        "hinge_embedding": "Mean",
        "margin_ranking": "Mean",
        "soft_margin": "SoftMarginLoss",
        "cosine_similarity": "Sum",
        "layer_norm": "NativeLayerNorm",
        "batch_norm": "NativeBatchNorm",
        "fixed_norm": "NativeBatchNorm",
        "conv2d": "Convolution",
        "conv_transpose2d": "Convolution",
        "avg_pool2d": "AvgPool2D",
        "picked_pool": "MaxPool2DWithIndices",
        "rnn_cell": "Tanh",
        "lstm_cell": "LstmCell",
        "gru_cell": "GruCell",
        "rnn_layer": "Rnn",
        "lstm_layer": "Lstm",
        "gru_layer": "Gru",
    }.items()
}
