"""Schedules of the learning rate, with the names and the arithmetic of PyTorch's (its recursive forms included)."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from sourcegrad.errors import refuse_type, refuse_value
from sourcegrad.optim.methods import Optimizer
from sourcegrad.tensor.core import Tensor


class LRScheduler:
    """Sets `lr` of each group at each `step()`."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            refuse_type(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def step(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        for group, lr in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> list[float]:
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The rates that were set last."""
        return self._last_lr

    def now(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in vars(self).items()
            if name != "optimizer" and not callable(value) and not (isinstance(value, list) and any(map(callable, value)))
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        vars(self).update(state_dict)


class LambdaLR(LRScheduler):
    """The initial rate times lr_lambda(epoch)."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable | Sequence[Callable], last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * count if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != count:
            refuse_value(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]


class StepLR(LRScheduler):
    """Times gamma every step_size epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self.now()
        return [lr * self.gamma for lr in self.now()]


class MultiStepLR(LRScheduler):
    """Times gamma at the given epochs."""

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr * self.gamma ** self.milestones.get(self.last_epoch, 0) for lr in self.now()]


class ExponentialLR(LRScheduler):
    """Times gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return self.now() if self.last_epoch == 0 else [lr * self.gamma for lr in self.now()]


class ConstantLR(LRScheduler):
    """Times factor for the first total_iters epochs."""

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [lr * self.factor for lr in self.now()]
        return [lr / self.factor for lr in self.now()] if self.last_epoch == self.total_iters else self.now()


class LinearLR(LRScheduler):
    """From start_factor to end_factor of the initial rate over total_iters epochs."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
                 last_epoch: int = -1) -> None:
        if not 0 < start_factor <= 1:
            refuse_value("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            refuse_value("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        done = min(self.last_epoch, self.total_iters) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * done) for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The initial rate times (1 - epoch / total_iters) ** power."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        left = 1 - min(self.last_epoch, self.total_iters) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial rate to eta_min over T_max epochs, and back (I. Loshchilov and F. Hutter, 2017)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        angle = math.pi * self.last_epoch / self.T_max
        return [self.eta_min + (base - self.eta_min) * (1 + math.cos(angle)) / 2 for base in self.base_lrs]


class OneCycleLR(LRScheduler):
    """Up to max_lr and down again once (L. N. Smith and N. Topin, 2018)."""

    def __init__(self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
                 cycle_momentum: bool = True, base_momentum: float = 0.85, max_momentum: float = 0.95, div_factor: float = 25.0,
                 final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1) -> None:
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            refuse_value("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self.total_steps: int = total_steps or epochs * steps_per_epoch  # type: ignore[operator]
        rates = list(max_lr) if isinstance(max_lr, (list, tuple)) else [max_lr] * len(optimizer.param_groups)
        self.linear = anneal_strategy == "linear"
        self.cycle_momentum = cycle_momentum and any("momentum" in g or "betas" in g for g in optimizer.param_groups)
        self.momenta = (max_momentum, base_momentum)
        self.rates = [(rate / div_factor, rate, rate / div_factor / final_div_factor) for rate in rates]
        up = float(pct_start * self.total_steps) - 1
        self.phases = (
            [(up, 0, 1), (2 * up, 1, 0), (self.total_steps - 1, 0, 2)]
            if three_phase
            else [(up, 0, 1), (self.total_steps - 1, 1, 2)]
        )
        for group, (initial, *_others) in zip(optimizer.param_groups, self.rates):
            group["initial_lr"] = initial
        super().__init__(optimizer, last_epoch)

    def between(self, start: float, end: float, done: float) -> float:
        return start + (end - start) * done if self.linear else end + (start - end) / 2 * (1 + math.cos(math.pi * done))

    def get_lr(self) -> list[float]:
        if self.last_epoch > self.total_steps - 1 + 1:
            refuse_value(f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}")
        number = next((n for n, phase in enumerate(self.phases) if self.last_epoch <= phase[0]), len(self.phases) - 1)
        start = self.phases[number - 1][0] if number else 0.0
        end, first, last = self.phases[number]
        done = (self.last_epoch - start) / (end - start)
        if self.cycle_momentum:
            high, low = self.momenta
            ends = {0: high, 1: low, 2: high}
            for group in self.optimizer.param_groups:
                momentum = self.between(ends[first], ends[last], done)
                if "betas" in group:
                    group["betas"] = (momentum, *group["betas"][1:])
                else:
                    group["momentum"] = momentum
        return [self.between(rate[first], rate[last], done) for rate in self.rates]


class SequentialLR(LRScheduler):
    """One schedule after the other, from the given epochs on."""

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[Any], milestones: Sequence[int], last_epoch: int = -1) -> None:
        self.schedulers, self.milestones = list(schedulers), list(milestones)
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in self.schedulers:
            scheduler.last_epoch -= 1
        self.schedulers[0].step()
        self._last_lr = self.schedulers[0].get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        self.last_epoch += 1
        number = bisect.bisect_right(self.milestones, self.last_epoch)
        if number > 0 and self.milestones[number - 1] == self.last_epoch:
            self.schedulers[number].step(0)
        else:
            self.schedulers[number].step()
        self._last_lr = self.schedulers[number].get_last_lr()


class ReduceLROnPlateau(LRScheduler):
    """Times factor when a measure has not improved for more than `patience` epochs."""

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
                 threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0.0, eps: float = 1e-8) -> None:
        if factor >= 1.0:
            refuse_value("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            refuse_value(f"mode {mode} is unknown!")
        self.optimizer, self.mode, self.factor, self.patience, self.threshold = optimizer, mode, factor, patience, threshold
        self.threshold_mode, self.cooldown, self.eps = threshold_mode, cooldown, eps
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * len(optimizer.param_groups)
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = self.now()

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        current = float(metrics.item() if isinstance(metrics, Tensor) else metrics)
        self.last_epoch += 1
        if self.better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs):
                new = max(group["lr"] * self.factor, least)
                if group["lr"] - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self.now()

    def better(self, current: float) -> bool:
        sign = 1.0 if self.mode == "min" else -1.0
        if self.threshold_mode == "rel":
            return sign * current < sign * self.best * (1.0 - sign * self.threshold) if math.isfinite(self.best) else True
        return sign * current < sign * self.best - self.threshold
