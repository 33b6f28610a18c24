"""Layers and losses of Tensors with PyTorch's names, layouts and defaults (`torch.nn`). Their derivatives are generated."""

from sourcegrad.nn import functional, init, utils
from sourcegrad.nn.layers import (
    GRU,
    LSTM,
    MODULES,
    RNN,
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    BatchNorm1d,
    BatchNorm2d,
    Bilinear,
    Conv1d,
    Conv2d,
    ConvTranspose2d,
    Dropout,
    Embedding,
    Flatten,
    GroupNorm,
    GRUCell,
    Identity,
    LayerNorm,
    Linear,
    LSTMCell,
    MaxPool1d,
    MaxPool2d,
    PReLU,
    RNNCell,
    Unflatten,
)
from sourcegrad.nn.module import Module, ModuleDict, ModuleList, Parameter, ParameterDict, ParameterList, Sequential

globals().update(MODULES)
__all__ = ["GRU", "LSTM", "RNN", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "BatchNorm1d", "BatchNorm2d", "Bilinear", "Conv1d",
           "Conv2d", "ConvTranspose2d", "Dropout", "Embedding", "Flatten", "GRUCell", "GroupNorm", "Identity", "LSTMCell",
           "LayerNorm", "Linear", "MaxPool1d", "MaxPool2d", "Module", "ModuleDict", "ModuleList", "PReLU", "Parameter",
           "ParameterDict", "ParameterList", "RNNCell", "Sequential", "Unflatten", "functional", "init", "utils", *MODULES]
