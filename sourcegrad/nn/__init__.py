"""Layers and losses of Tensors with PyTorch's names, layouts and defaults (`torch.nn`). Their derivatives are generated."""

from sourcegrad.nn import functional, init, layers, utils
from sourcegrad.nn.layers import MODULES
from sourcegrad.nn.module import Module, ModuleDict, ModuleList, Parameter, ParameterDict, ParameterList, Sequential

LAYERS = {name: value for name, value in vars(layers).items() if getattr(value, "__module__", "") == layers.__name__
          and isinstance(value, type) and not name.startswith("_")}
globals().update({**MODULES, **LAYERS})
__all__ = ["Module", "ModuleDict", "ModuleList", "Parameter", "ParameterDict", "ParameterList", "Sequential", "functional", "init",
           "utils", *MODULES, *LAYERS]
