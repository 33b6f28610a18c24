"""Optimizers of Tensors with PyTorch's names, options and arithmetic (`torch.optim`)."""

from sourcegrad.optim import lr_scheduler
from sourcegrad.optim.methods import LBFGS, SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
