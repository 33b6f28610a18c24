"""sourcegrad: gradients of ordinary NumPy functions as readable NumPy source."""
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:                           # everything is imported when it is touched
    from sourcegrad.api.check_grad import check_grad
    from sourcegrad.api.derivatives import implicit
    from sourcegrad.api.error_estimate import error_estimate
    from sourcegrad.api.explain_nan import explain_nan
    from sourcegrad.api.gradient import (
        Gradient,
        differentiable,
        generated_source as source,
        grad,
        stop_gradient,
        value_and_grad,
    )
    from sourcegrad.api.jacobian import hessian, hvp, jacfwd, jacobian, jacrev, vhp
    from sourcegrad.api.operator import jacobian_operator
    from sourcegrad.api.pullback import vjp
    from sourcegrad.api.pushforward import Pushforward, jvp, linearize, pushforward
    from sourcegrad.api.sparse import sparsity
    from sourcegrad.errors import (
        InputError,
        InternalError,
        MissingRuleError,
        OutputError,
        SourceError,
        SourcegradError,
        UnsupportedError,
    )
    from sourcegrad.parse.wrappers import checkpoint, custom_vjp
    from sourcegrad.primitives.core import nondifferentiable, rule

__version__ = "0.1.0"
__all__ = ["Gradient", "InputError", "InternalError", "MissingRuleError", "OutputError", "Pushforward", "SourceError",
           "SourcegradError", "UnsupportedError", "check_grad", "checkpoint", "custom_vjp", "differentiable", "error_estimate",
           "explain_nan", "grad",
           "hessian", "hvp", "implicit", "jacfwd", "jacobian", "jacobian_operator", "jacrev", "jvp", "linearize",
           "nondifferentiable", "pushforward", "rule", "source", "sparsity", "stop_gradient", "value_and_grad", "vhp", "vjp"]
_HOMES = {                                  # of errors: errors; of the others: api.gradient
    "check_grad": "api.check_grad", "error_estimate": "api.error_estimate",
    "explain_nan": "api.explain_nan", "implicit": "api.derivatives", "checkpoint": "parse.wrappers",
    "custom_vjp": "parse.wrappers", "nondifferentiable": "primitives.core", "rule": "primitives.core",
    "vjp": "api.pullback", **dict.fromkeys(("Pushforward", "jvp", "linearize", "pushforward"), "api.pushforward"),
    **dict.fromkeys(("hessian", "hvp", "jacfwd", "jacobian", "jacrev", "vhp"), "api.jacobian"),
    "sparsity": "api.sparse", "jacobian_operator": "api.operator"}
_PARTS = ("api", "errors", "kinds", "nn", "optim", "runtime")


def __getattr__(name: str) -> Any:
    """What is asked for, imported when it is touched; also the define-by-run front end (`sg.tensor`, `sg.Tensor`, `sg.nn`, ...)."""
    if name in __all__:
        home = importlib.import_module(f"{__name__}.{_HOMES.get(name, 'errors' if name.endswith('Error') else 'api.gradient')}")
        value = globals()[name] = getattr(home, "generated_source" if name == "source" else name)
        return value
    if name in _PARTS:
        return importlib.import_module(f"{__name__}.{name}")
    names = {} if name.startswith("__") else importlib.import_module(f"{__name__}.tensor").NAMES
    if name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update({n: value for n, value in names.items() if n not in __all__})
    return names[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PARTS, *importlib.import_module(f"{__name__}.tensor").NAMES})
