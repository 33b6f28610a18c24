"""Containers of modules, and activations and losses as modules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sourcegrad.nn import functional as F
from sourcegrad.nn.module import Module, Parameter


class Sequential(Module):
    """Modules one after the other; an ordered dict names them."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            for number, module in enumerate(modules):
                self.add_module(str(number), module)

    def forward(self, x: Any) -> Any:
        for module in self._modules.values():
            x = module(x)
        return x

    def __getitem__(self, index: Any) -> Any:
        modules = list(self._modules.values())
        return type(self)(*modules[index]) if isinstance(index, slice) else modules[index]

    def __setitem__(self, index: int, module: Module) -> None:
        self._modules[list(self._modules)[index]] = module

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Sequential:
        self.add_module(str(len(self)), module)
        return self


class ModuleList(Module):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __getitem__(self, index: Any) -> Any:
        modules = list(self._modules.values())
        return ModuleList(modules[index]) if isinstance(index, slice) else modules[index]

    def __setitem__(self, index: int, module: Module) -> None:
        self._modules[str(index % len(self))] = module

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module) -> ModuleList:
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._modules.clear()
        self.extend(modules)


class ModuleDict(Module):
    """A dict of modules."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def keys(self) -> Any:
        return self._modules.keys()

    def values(self) -> Any:
        return self._modules.values()

    def items(self) -> Any:
        return self._modules.items()

    def update(self, modules: Any) -> None:
        for key, module in modules.items() if hasattr(modules, "items") else modules:
            self.add_module(key, module)


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        for value in values or ():
            self.append(value)

    def append(self, value: Any) -> ParameterList:
        self.register_parameter(str(len(self)), value if isinstance(value, Parameter) else Parameter(value))
        return self

    def __getitem__(self, index: int) -> Any:
        return list(self._parameters.values())[index]

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())


class ParameterDict(Module):
    """A dict of parameters."""

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        for key, value in (values or {}).items():
            self[key] = value

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, value if isinstance(value, Parameter) else Parameter(value))

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def items(self) -> Any:
        return self._parameters.items()


# --- functions as modules: the options of a function become those of the module

class _Of(Module):
    """A module that calls a function of `nn.functional` with its options."""

    function: Callable
    options: tuple[str, ...] = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        given = dict(zip(self.options, args))
        unknown = set(options) - set(self.options) - {"inplace", "size_average", "reduce"}
        if unknown or len(args) > len(self.options):
            raise TypeError(f"{type(self).__name__}() got an unexpected argument {next(iter(unknown), args)!r}")
        self.given = {**given, **{name: value for name, value in options.items() if name in self.options}}
        for name, value in self.given.items():
            object.__setattr__(self, name, value)

    def forward(self, *args: Any) -> Any:
        return type(self).function(*args, **self.given)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.given.items())


def _module(name: str, function: Callable, options: str) -> type:
    defaults = {n: parameter.default for n, parameter in inspect.signature(function).parameters.items()}
    made = type(
        name,
        (_Of,),
        {
            "function": staticmethod(function),
            "options": tuple(options.split()),
            "__doc__": f"`nn.functional.{function.__name__}` as a module.",
            "__module__": "sourcegrad.nn",
        },
    )
    for option in options.split():
        setattr(made, option, defaults[option])
    return made


MODULES = {
    name: _module(name, getattr(F, function), options)
    for name, (function, options) in {
        "ReLU": ("relu", ""),
        "ReLU6": ("relu6", ""),
        "LeakyReLU": ("leaky_relu", "negative_slope"),
        "ELU": ("elu", "alpha"),
        "SELU": ("selu", ""),
        "CELU": ("celu", "alpha"),
        "GELU": ("gelu", "approximate"),
        "SiLU": ("silu", ""),
        "Mish": ("mish", ""),
        "Sigmoid": ("sigmoid", ""),
        "Tanh": ("tanh", ""),
        "LogSigmoid": ("logsigmoid", ""),
        "Softplus": ("softplus", "beta threshold"),
        "Softsign": ("softsign", ""),
        "Tanhshrink": ("tanhshrink", ""),
        "Hardtanh": ("hardtanh", "min_val max_val"),
        "Hardsigmoid": ("hardsigmoid", ""),
        "Hardswish": ("hardswish", ""),
        "GLU": ("glu", "dim"),
        "Softmax": ("softmax", "dim"),
        "Softmin": ("softmin", "dim"),
        "LogSoftmax": ("log_softmax", "dim"),
        "MSELoss": ("mse_loss", "reduction"),
        "L1Loss": ("l1_loss", "reduction"),
        "SmoothL1Loss": ("smooth_l1_loss", "reduction beta"),
        "HuberLoss": ("huber_loss", "reduction delta"),
        "BCELoss": ("binary_cross_entropy", "weight reduction"),
        "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", "weight reduction pos_weight"),
        "NLLLoss": ("nll_loss", "weight ignore_index reduction"),
        "CrossEntropyLoss": ("cross_entropy", "weight ignore_index reduction label_smoothing"),
        "KLDivLoss": ("kl_div", "reduction log_target"),
        "PoissonNLLLoss": ("poisson_nll_loss", "log_input full reduction"),
        "GaussianNLLLoss": ("gaussian_nll_loss", "full eps reduction"),
        "HingeEmbeddingLoss": ("hinge_embedding_loss", "margin reduction"),
        "MarginRankingLoss": ("margin_ranking_loss", "margin reduction"),
        "SoftMarginLoss": ("soft_margin_loss", "reduction"),
        "CosineSimilarity": ("cosine_similarity", "dim eps"),
        "PairwiseDistance": ("pairwise_distance", "p eps keepdim"),
    }.items()
}


class PReLU(Module):
    def __init__(self, num_parameters: int = 1, init: float = 0.25) -> None:
        super().__init__()
        import numpy as np

        from sourcegrad.tensor.core import constant, get_default_dtype

        self.weight = Parameter(constant(np.full(num_parameters, init, get_default_dtype())))

    def forward(self, x: Any) -> Any:
        return F.prelu(x, self.weight)
