"""Optimizers with the options and the arithmetic of PyTorch's: groups of parameters, state, and its round trip."""

from __future__ import annotations

import copy
import functools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sourcegrad.errors import refuse, refuse_type, refuse_value
from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.node import enable_grad, no_grad


def noted(step: Callable) -> Callable:
    """A `step` that tells the schedules of the learning rate that it was called."""

    @functools.wraps(step)
    def method(self: Optimizer, *args: Any, **options: Any) -> Any:
        if "_opt_called" in vars(self):
            self._opt_called = True
        return step(self, *args, **options)

    return method


class Optimizer:
    """Groups of parameters (`param_groups`), each with its options; `state` holds what a method remembers of each parameter.

    params: Tensors, or dicts with "params" and options of their own. Raises ValueError for leaves that are none and for
    empty lists, TypeError for anything but Tensors.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            refuse_type("params argument given to the optimizer should be an iterable of Tensors or dicts, but got a Tensor",
                        "Write [tensor].")
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            refuse_value("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group))

    _opt_called: bool  # (there from the first schedule on)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in vars(cls):
            cls.step = noted(vars(cls)["step"])  # type: ignore[method-assign]

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Add parameters with options of their own."""
        if not isinstance(group, dict):
            refuse_type(f"param_group must be a dict, but got {type(group).__name__}")
        params = group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        if len({isinstance(p, tuple) for p in params}) > 1:
            refuse_value("all optimizer params should be with/without names. Some param names are missing")
        group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
        for p in group["params"]:
            if not isinstance(p, Tensor):
                refuse_type(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf:
                refuse_value("can't optimize a non-leaf Tensor")
        for name, value in self.defaults.items():
            group.setdefault(name, value)
        known = {id(p) for g in self.param_groups for p in g["params"]}
        if known & {id(p) for p in group["params"]}:
            refuse_value("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters (or make them zero)."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        p.grad = constant(np.zeros_like(p.grad._data))

    @noted
    def step(self, closure: Callable | None = None) -> Any:
        """Update all parameters that have a gradient. closure: computes the loss and its gradients again; its value is returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        group = {**group, "lr": float(group["lr"])} if isinstance(group.get("lr"), Tensor) else group
                        self.update(p, p.grad._data, group, self.state[p])
                        p._counter[0] += 1
        return loss

    def update(self, p: Tensor, grad: np.ndarray, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter, in place."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """The options of all groups and the state of all parameters, by their position."""
        numbers = {id(p): n for n, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [
            {**{name: value for name, value in group.items() if name != "params"},
             "params": [numbers[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        state = {numbers[id(p)]: {name: shown(value) for name, value in values.items()} for p, values in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave."""
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            refuse_value("loaded state dict has a different number of parameter groups")
        if any(len(new["params"]) != len(group["params"]) for new, group in zip(groups, self.param_groups)):
            refuse_value("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        parameters = [p for group in self.param_groups for p in group["params"]]
        self.state = defaultdict(dict)
        for number, values in state_dict["state"].items():
            self.state[parameters[int(number)]] = {name: held(value) for name, value in values.items()}
        for group, new in zip(self.param_groups, groups):
            group.update(copy.deepcopy({name: value for name, value in new.items() if name != "params"}))

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


def shown(value: Any) -> Any:
    return constant(value.copy()) if isinstance(value, np.ndarray) else value


def held(value: Any) -> Any:
    if isinstance(value, Tensor):
        return np.array(value._data)
    return np.array(value.detach().numpy()) if hasattr(value, "detach") and hasattr(value, "numpy") else value


def unused(options: dict[str, Any]) -> None:
    """Refuse options that PyTorch's optimizers do not have, or that would change something."""
    for name, value in options.items():
        if name not in ("foreach", "capturable", "differentiable", "fused"):
            refuse_type(f"got an unexpected keyword argument {name!r}")
        if name == "differentiable" and value:
            refuse("an optimizer with differentiable=True is not supported")


def at_least(**options: float) -> None:
    """Refuse options below zero."""
    for name, value in options.items():
        if isinstance(value, Tensor) and value._data.size != 1:
            refuse_value(f"Tensor {name} must be 1-element")
        if not value >= 0.0:
            refuse_value(f"Invalid {name.replace('_', ' ')} value: {value}" if name != "lr" else f"Invalid learning rate: {value}")


def below_one(betas: Iterable[float]) -> None:
    for number, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            refuse_value(f"Invalid beta parameter at index {number}: {beta}")


def directed(p: Tensor, grad: np.ndarray, group: dict[str, Any], decay: bool = True) -> np.ndarray:
    """The gradient to descend along: its sign, and weight decay."""
    if group["maximize"]:
        grad = -grad
    return grad + group["weight_decay"] * p._data if decay and group["weight_decay"] else grad


class SGD(Optimizer):
    """Gradient descent with momentum (I. Sutskever et al., 2013: dampened, or Nesterov's) and weight decay.

    >>> import sourcegrad as sg
    >>> x = sg.tensor(4.0, requires_grad=True)
    >>> optimizer = sg.optim.SGD([x], lr=0.5)
    >>> (x * x).backward()
    >>> optimizer.step()
    >>> x
    tensor(0., requires_grad=True)
    """

    def __init__(self, params: Any, lr: float = 1e-3, momentum: float = 0.0, dampening: float = 0.0, weight_decay: float = 0.0,
                 nesterov: bool = False, *, maximize: bool = False, **options: Any) -> None:
        unused(options)
        at_least(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            refuse_value("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
             "maximize": maximize},
        )

    def update(self, p: Tensor, grad: np.ndarray, group: dict[str, Any], state: dict[str, Any]) -> None:
        grad = directed(p, grad, group)
        momentum = group["momentum"]
        if momentum:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = np.array(grad)
            else:
                buffer *= momentum
                buffer += (1 - group["dampening"]) * grad
            grad = grad + momentum * buffer if group["nesterov"] else buffer
        p._data -= (group["lr"] * grad).astype(p._data.dtype, copy=False)


class Adam(Optimizer):
    """Adam (D. P. Kingma and J. Ba, 2015), with AMSGrad (S. J. Reddi et al., 2018)."""

    decoupled = False

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0.0, amsgrad: bool = False, *, maximize: bool = False, **options: Any) -> None:
        unused(options)
        at_least(lr=lr, epsilon=eps, weight_decay=weight_decay)
        below_one(betas)
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize}
        )

    def update(self, p: Tensor, grad: np.ndarray, group: dict[str, Any], state: dict[str, Any]) -> None:
        lr, (beta1, beta2) = group["lr"], group["betas"]
        grad = directed(p, grad, group, not self.decoupled)
        if self.decoupled:
            p._data *= 1 - lr * group["weight_decay"]
        if not state:
            state.update(step=0, exp_avg=np.zeros_like(p._data), exp_avg_sq=np.zeros_like(p._data))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = np.zeros_like(p._data)
        state["step"] = step = int(state["step"]) + 1
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean += (1 - beta1) * (grad - mean)
        square *= beta2
        square += (1 - beta2) * grad * grad
        if group["amsgrad"]:
            square = np.maximum(state["max_exp_avg_sq"], square, out=state["max_exp_avg_sq"])
        root = np.sqrt(square) / math.sqrt(1 - beta2**step) + group["eps"]
        p._data -= (lr / (1 - beta1**step) * mean / root).astype(p._data.dtype, copy=False)


class AdamW(Adam):
    """Adam with decoupled weight decay (I. Loshchilov and F. Hutter, 2019)."""

    decoupled = True

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, **options: Any) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, **options)


class RMSprop(Optimizer):
    """RMSprop (G. Hinton, lecture 6e of 2012), optionally centered (A. Graves, 2013) and with momentum."""

    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0,
                 momentum: float = 0.0, centered: bool = False, *, maximize: bool = False, **options: Any) -> None:
        unused(options)
        at_least(lr=lr, epsilon=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(
            params,
            {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum, "centered": centered,
             "maximize": maximize},
        )

    def update(self, p: Tensor, grad: np.ndarray, group: dict[str, Any], state: dict[str, Any]) -> None:
        grad, alpha = directed(p, grad, group), group["alpha"]
        if not state:
            state.update(step=0, square_avg=np.zeros_like(p._data))
            if group["momentum"]:
                state["momentum_buffer"] = np.zeros_like(p._data)
            if group["centered"]:
                state["grad_avg"] = np.zeros_like(p._data)
        state["step"] = int(state["step"]) + 1
        square = state["square_avg"]
        square *= alpha
        square += (1 - alpha) * grad * grad
        if group["centered"]:
            state["grad_avg"] += (1 - alpha) * (grad - state["grad_avg"])
            square = square - state["grad_avg"] ** 2
        change = grad / (np.sqrt(square) + group["eps"])
        if group["momentum"]:
            state["momentum_buffer"] *= group["momentum"]
            state["momentum_buffer"] += change
            change = state["momentum_buffer"]
        p._data -= (group["lr"] * change).astype(p._data.dtype, copy=False)


class Adagrad(Optimizer):
    """Adagrad (J. Duchi, E. Hazan and Y. Singer, 2011)."""

    def __init__(self, params: Any, lr: float = 1e-2, lr_decay: float = 0.0, weight_decay: float = 0.0,
                 initial_accumulator_value: float = 0.0, eps: float = 1e-10, *, maximize: bool = False, **options: Any) -> None:
        unused(options)
        at_least(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator=initial_accumulator_value, epsilon=eps)
        super().__init__(
            params,
            {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
             "initial_accumulator_value": initial_accumulator_value, "maximize": maximize},
        )

    def update(self, p: Tensor, grad: np.ndarray, group: dict[str, Any], state: dict[str, Any]) -> None:
        grad = directed(p, grad, group)
        if not state:
            state.update(step=0, sum=np.full_like(p._data, group["initial_accumulator_value"]))
        state["step"] = step = int(state["step"]) + 1
        state["sum"] += grad * grad
        rate = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        p._data -= (rate * grad / (np.sqrt(state["sum"]) + group["eps"])).astype(p._data.dtype, copy=False)


class LBFGS(Optimizer):
    """L-BFGS by SciPy (`scipy.optimize.minimize`, R. H. Byrd et al., 1995): a step is up to `max_iter` iterations."""

    def __init__(self, params: Any, lr: float = 1.0, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-7,
                 tolerance_change: float = 1e-9, history_size: int = 100, line_search_fn: str | None = None) -> None:
        at_least(lr=lr)
        super().__init__(
            params,
            {"lr": lr, "max_iter": max_iter, "max_eval": max_eval or max_iter * 5 // 4, "tolerance_grad": tolerance_grad,
             "tolerance_change": tolerance_change, "history_size": history_size, "line_search_fn": line_search_fn},
        )
        if len(self.param_groups) != 1:
            refuse_value("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable | None = None) -> Any:
        if closure is None:
            refuse_type("LBFGS needs a closure that computes the loss and its gradients", "Call optimizer.step(closure).")
        try:
            from scipy.optimize import minimize
        except ImportError:
            raise ImportError("sg.optim.LBFGS uses SciPy: pip install scipy") from None
        group = self.param_groups[0]
        params, first = group["params"], []

        def put(x: np.ndarray) -> None:
            start = 0
            for p in params:
                p._data[...] = x[start : start + p._data.size].reshape(p._data.shape)
                p._counter[0] += 1
                start += p._data.size

        def value(x: np.ndarray) -> tuple[float, np.ndarray]:
            with no_grad():
                put(x)
            with enable_grad():
                loss = closure()  # type: ignore[misc]
            first.append(loss)
            grads = [np.zeros(p._data.size) if p.grad is None else p.grad._data.reshape(-1) for p in params]
            return float(loss), np.concatenate(grads).astype(np.float64)

        start = np.concatenate([p._data.reshape(-1) for p in params]).astype(np.float64)
        found = minimize(
            value,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": group["max_iter"], "maxfun": group["max_eval"], "maxcor": group["history_size"],
                     "gtol": group["tolerance_grad"], "ftol": group["tolerance_change"]},
        )
        put(found.x)
        return first[0]
