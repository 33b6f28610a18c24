"""The methods of optimization, with the options and the arithmetic of PyTorch's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.optim.optimizer import Optimizer, at_least, below_one
from sourcegrad.tensor.core import Tensor
from sourcegrad.tensor.errors import refuse_value
from sourcegrad.tensor.modes import enable_grad, no_grad


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

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        **_options: Any,
    ) -> None:
        at_least(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            refuse_value("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
            },
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

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **_options: Any,
    ) -> None:
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

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, **options)


class RMSprop(Optimizer):
    """RMSprop (G. Hinton, lecture 6e of 2012), optionally centered (A. Graves, 2013) and with momentum."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
        **_options: Any,
    ) -> None:
        at_least(lr=lr, epsilon=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(
            params,
            {
                "lr": lr,
                "alpha": alpha,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "centered": centered,
                "maximize": maximize,
            },
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

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        **_options: Any,
    ) -> None:
        at_least(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator=initial_accumulator_value, epsilon=eps)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "maximize": maximize,
            },
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

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        at_least(lr=lr)
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_eval or max_iter * 5 // 4,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            refuse_value("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable | None = None) -> Any:
        if closure is None:
            refuse_value("LBFGS needs a closure that computes the loss and its gradients", "Call optimizer.step(closure).")
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
                p._version[0] += 1
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
            options={
                "maxiter": group["max_iter"],
                "maxfun": group["max_eval"],
                "maxcor": group["history_size"],
                "gtol": group["tolerance_grad"],
                "ftol": group["tolerance_change"],
            },
        )
        put(found.x)
        return first[0]
