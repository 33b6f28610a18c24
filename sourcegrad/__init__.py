"""sourcegrad: gradients of ordinary NumPy functions as readable NumPy source."""
from sourcegrad.api import differentiable, generated_source as source, grad, stop_gradient, value_and_grad, vjp
from sourcegrad.checking import check_grad
from sourcegrad.frontend.custom import checkpoint, custom_vjp
from sourcegrad.rules.core import nondifferentiable, rule

__version__ = "0.1.0"
__all__ = ["check_grad", "checkpoint", "custom_vjp", "differentiable", "grad", "nondifferentiable", "rule", "source",
           "stop_gradient", "value_and_grad", "vjp"]
