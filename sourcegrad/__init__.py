"""sourcegrad: gradients of ordinary NumPy functions as readable NumPy source."""
from sourcegrad.api.check_grad import check_grad
from sourcegrad.api.gradient import differentiable, generated_source as source, grad, stop_gradient, value_and_grad, vjp
from sourcegrad.parse.custom import checkpoint, custom_vjp
from sourcegrad.rules.core import nondifferentiable, rule

__version__ = "0.1.0"
__all__ = ["check_grad", "checkpoint", "custom_vjp", "differentiable", "grad", "nondifferentiable", "rule", "source",
           "stop_gradient", "value_and_grad", "vjp"]


def __getattr__(name: str) -> object:
    """The define-by-run front end (`sg.tensor`, `sg.Tensor`, `sg.nn`, ...), imported when it is touched."""
    import importlib
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("nn", "optim"):
        return importlib.import_module(f"{__name__}.{name}")
    names = importlib.import_module(f"{__name__}.tensor").NAMES
    if name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update({n: value for n, value in names.items() if n not in __all__})
    return names[name]
