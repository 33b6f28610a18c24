"""The base of optimizers: groups of parameters with their options, state, and its round trip."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.errors import refuse_type, refuse_value
from sourcegrad.tensor.modes import enable_grad, no_grad


class Optimizer:
    """Groups of parameters (`param_groups`), each with its options; `state` holds what a method remembers of each parameter.

    params: Tensors, or dicts with "params" and options of their own. Raises ValueError for leaves that are none and for
    empty lists, TypeError for anything but Tensors.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            refuse_type(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got a Tensor",
                "Write [tensor].",
            )
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

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Add parameters with options of their own."""
        if not isinstance(group, dict):
            refuse_type(f"param_group must be a dict, but got {type(group).__name__}")
        params = group["params"]
        group["params"] = [params] if isinstance(params, Tensor) else [p[1] if isinstance(p, tuple) else p for p in params]
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
                        self.update(p, p.grad._data, group, self.state[p])
                        p._version[0] += 1
        return loss

    def update(self, p: Tensor, grad: np.ndarray, group: dict[str, Any], state: dict[str, Any]) -> None:
        """One step of one parameter, in place."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """The options of all groups and the state of all parameters, by their position."""
        numbers = {id(p): n for n, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [
            {
                **{name: value for name, value in group.items() if name != "params"},
                "params": [numbers[id(p)] for p in group["params"]],
            }
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


def at_least(**options: float) -> None:
    """Refuse options below zero."""
    for name, value in options.items():
        if not value >= 0.0:
            refuse_value(f"Invalid {name.replace('_', ' ')} value: {value}" if name != "lr" else f"Invalid learning rate: {value}")


def below_one(betas: Iterable[float]) -> None:
    for number, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            refuse_value(f"Invalid beta parameter at index {number}: {beta}")
