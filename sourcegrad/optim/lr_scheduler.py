"""Schedules of the learning rate, with PyTorch's names, attributes and arithmetic.

`step()` goes on from the rate that is there, so that several schedules of one optimizer multiply; `step(epoch)` takes the closed
form where a schedule has one.
"""

from __future__ import annotations

import copy
import math
import types
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sourcegrad.errors import refuse, refuse_type, refuse_value
from sourcegrad.optim.methods import Optimizer
from sourcegrad.tensor.core import Tensor

EPOCH = ("The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible: it selects the "
         "closed form of the schedule, where there is one. Please use `scheduler.step()`.")
ORDER = ("Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first value of the schedule is skipped. "
         "Call `optimizer.step()` first.")
OVERRIDDEN = ("Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
              "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`.")


def held(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def put(group: dict[str, Any], name: str, value: Any) -> None:
    """Set an option of a group; a Tensor keeps its identity."""
    if isinstance(group[name], Tensor):
        group[name].fill_(value)
    else:
        group[name] = value


def put_momentum(group: dict[str, Any], value: float) -> None:
    """Set the momentum of a group, or the first beta."""
    group.update({"betas": (value, *group["betas"][1:])} if "betas" in group else {"momentum": value})


def checked(optimizer: Any) -> Optimizer:
    if not isinstance(optimizer, Optimizer):
        refuse_type(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def of_each(name: str, optimizer: Optimizer, value: Any) -> list:
    """An option for each group: one for all, or a list of them."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [held(value) for _ in range(count)]
    if len(value) != count:
        refuse_value(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                     f"param_groups has {count}.")
    return list(map(held, value))


def momenta(optimizer: Optimizer, low: Any, high: Any, fresh: bool) -> tuple[list, list]:
    """The bounds of the momentum of each group. At first (`fresh`) the groups have the larger one, and remember both."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        refuse_value("optimizer must support momentum or beta1 with `cycle_momentum` option enabled", "Pass cycle_momentum=False.")
    lows, highs = of_each("base_momentum", optimizer, low), of_each("max_momentum", optimizer, high)
    for group, base, most in zip(optimizer.param_groups if fresh else (), lows, highs):
        put_momentum(group, most)
        group["max_momentum"], group["base_momentum"] = most, base
    return lows, highs


class LRScheduler:
    """Sets `lr` of each group at each `step()`.

    A subclass defines `get_lr()`, the rates of `last_epoch` from those that are there, and may define `_get_closed_form_lr()`, the
    rates of `last_epoch` from `base_lrs`.

    >>> import sourcegrad as sg
    >>> optimizer = sg.optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = sg.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    _get_lr_called_within_step = _is_initial = False
    _step_count = 0
    _last_lr: list

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = checked(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", held(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                               "last_epoch >= 0: load the state of the optimizer first")
        self.base_lrs = self.now("initial_lr")
        self.last_epoch = last_epoch
        vars(optimizer).setdefault("_opt_called", False)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def step(self, epoch: int | None = None) -> None:
        """The rates of the next epoch, or of a given one."""
        if self._step_count == 1:
            if "step" in vars(self.optimizer):
                warnings.warn(OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", True):
                warnings.warn(ORDER, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        self._set(closed or self.get_lr)

    def _set(self, rates: Callable) -> None:
        self._get_lr_called_within_step = True
        try:
            found = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, found):
            put(group, "lr", lr)
        self._last_lr = self.now()

    def get_lr(self) -> list:
        raise NotImplementedError

    def _asked(self) -> None:
        """Warn where `get_lr` is called from outside."""
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning,
                          stacklevel=3)

    def get_last_lr(self) -> list:
        """The rates that were set last."""
        return self._last_lr

    def now(self, name: str = "lr") -> list:
        return [held(group[name]) for group in self.optimizer.param_groups]

    # --- its state: plain data of its own

    _parts: tuple[str, ...] = ()  # attributes that are schedules or functions

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and functions, copied."""
        own = {name: copy.deepcopy(value) for name, value in vars(self).items() if name not in ("optimizer", *self._parts)}
        return {**own, **{name: state_of(getattr(self, name)) for name in self._parts}}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave; nothing of it is shared."""
        vars(self).update(copy.deepcopy({name: value for name, value in state_dict.items() if name not in self._parts}))
        for name in self._parts:
            load_into(getattr(self, name), state_dict[name])


def state_of(part: Any) -> Any:
    """The state of schedules, or of objects that are called; a function has none."""
    if isinstance(part, list):
        return [state_of(each) for each in part]
    if isinstance(part, LRScheduler):
        return part.state_dict()
    return None if part is None or isinstance(part, types.FunctionType) else copy.deepcopy(vars(part))


def load_into(part: Any, state: Any) -> None:
    if isinstance(part, list):
        for each, own in zip(part, state):
            load_into(each, own)
    elif isinstance(part, LRScheduler):
        part.load_state_dict(state)
    elif state is not None:
        vars(part).update(copy.deepcopy(state))


class LambdaLR(LRScheduler):
    """The initial rate times lr_lambda(epoch)."""

    _parts = ("lr_lambdas",)

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable | Sequence[Callable], last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        self.lr_lambdas: list[Any] = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            refuse_value(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        for function in self.lr_lambdas:
            if not callable(function):
                refuse_type(f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._asked()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LambdaLR):
    """Times lr_lambda(epoch) every epoch."""

    def get_lr(self) -> list:
        self._asked()
        return [lr if self._is_initial else lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self.now())]


class _Factor(LRScheduler):
    """A schedule by its factor: of the rate before, or in closed form of the initial one."""

    def _form(self, epoch: int, closed: bool) -> float:
        raise NotImplementedError

    def get_lr(self) -> list:
        self._asked()
        factor = self._form(self.last_epoch, False)
        return [lr * factor for lr in self.now()]

    def _get_closed_form_lr(self) -> list:
        factor = self._form(self.last_epoch, True)
        return [base * factor for base in self.base_lrs]


class StepLR(_Factor):
    """Times gamma every step_size epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _form(self, epoch: int, closed: bool) -> float:
        return self.gamma ** (epoch // self.step_size if closed else int(epoch != 0 and epoch % self.step_size == 0))


class MultiStepLR(_Factor):
    """Times gamma at the given epochs."""

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _form(self, epoch: int, closed: bool) -> float:
        return self.gamma ** (bisect_right(sorted(self.milestones.elements()), epoch) if closed else self.milestones[epoch])


class ExponentialLR(_Factor):
    """Times gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _form(self, epoch: int, closed: bool) -> float:
        return self.gamma ** (epoch if closed else int(not self._is_initial))


class ConstantLR(_Factor):
    """Times factor for the first total_iters epochs."""

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 <= factor <= 1:
            refuse_value("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _form(self, epoch: int, closed: bool) -> float:
        if epoch == 0 or closed and epoch < self.total_iters:
            return self.factor
        return 1.0 / self.factor if epoch == self.total_iters and not closed else 1.0


class LinearLR(_Factor):
    """From start_factor to end_factor of the initial rate over total_iters epochs."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
                 last_epoch: int = -1) -> None:
        if not 0 < start_factor <= 1:
            refuse_value("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            refuse_value("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _form(self, epoch: int, closed: bool) -> float:
        way = self.end_factor - self.start_factor
        if closed or epoch == 0:
            return self.start_factor + way * min(self.total_iters, epoch) / self.total_iters
        if self._is_initial or epoch > self.total_iters:
            return 1.0
        return 1.0 + way / (self.total_iters * self.start_factor + (epoch - 1) * way)


class PolynomialLR(_Factor):
    """The initial rate times (1 - epoch / total_iters) ** power."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _form(self, epoch: int, closed: bool) -> float:
        left = 1.0 - min(self.total_iters, epoch) / self.total_iters
        if closed:
            return left**self.power
        if self._is_initial or epoch > self.total_iters:
            return 1.0
        return (left / (1.0 - (epoch - 1) / self.total_iters)) ** self.power


def cosine(bases: list, low: float, part: float) -> list:
    return [low + (base - low) * (1 + math.cos(math.pi * part)) / 2 for base in bases]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial rate to eta_min over T_max epochs, and back (I. Loshchilov and F. Hutter, 2017)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._asked()
        if self._is_initial:
            return self.now()
        epoch, low = self.last_epoch, self.eta_min
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [lr + (base - low) * rise for base, lr in zip(self.base_lrs, self.now())]
        factor = (1 + math.cos(math.pi * epoch / self.T_max)) / (1 + math.cos(math.pi * (epoch - 1) / self.T_max))
        return [factor * (lr - low) + low for lr in self.now()]

    def _get_closed_form_lr(self) -> list:
        return cosine(self.base_lrs, self.eta_min, self.last_epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the initial rate to eta_min over T_0 epochs, then over T_mult times as many, ... (as above)."""

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            refuse_value(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            refuse_value(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            refuse_value(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._asked()
        return cosine(self.base_lrs, self.eta_min, self.T_cur / self.T_i)

    def step(self, epoch: float | None = None) -> None:
        """The rates of the next epoch, or of a given one, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            refuse_value(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr)


class CyclicLR(LRScheduler):
    """Up from base_lr to max_lr and down again, again and again (L. N. Smith, 2017)."""

    _parts = ("_scale_fn_custom",)

    def __init__(self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
                 step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable | None = None, scale_mode: str = "cycle", cycle_momentum: bool = True,
                 base_momentum: Any = 0.8, max_momentum: Any = 0.9, last_epoch: int = -1) -> None:
        base_lrs = of_each("base_lr", checked(optimizer), base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                put(group, "lr", lr)
        self.max_lrs = of_each("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            refuse_value("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = momenta(optimizer, base_momentum, max_momentum, last_epoch == -1)
            self.use_beta1 = "betas" in optimizer.defaults
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The height of a cycle, by its number, or by that of the epoch."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return self.gamma**x if self.mode == "exp_range" else 0.5 ** (x - 1) if self.mode == "triangular2" else 1.0

    def get_lr(self) -> list:
        self._asked()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums):
                put_momentum(group, high - (high - low) * height * scale)
        return [base + (high - base) * height * scale for base, high in zip(self.base_lrs, self.max_lrs)]


class OneCycleLR(LRScheduler):
    """Up to max_lr and down again once (L. N. Smith and N. Topin, 2018)."""

    def __init__(self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
                 cycle_momentum: bool = True, base_momentum: Any = 0.85, max_momentum: Any = 0.95, div_factor: float = 25.0,
                 final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1) -> None:
        checked(optimizer)
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            refuse_value("You must define either total_steps OR (epochs AND steps_per_epoch)")
        counts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch} if total_steps is None else {"total_steps": total_steps}
        for name, count in counts.items():
            if not isinstance(count, int) or count <= 0:
                refuse_value(f"Expected positive integer {name}, but got {count}")
        self.total_steps = total = math.prod(counts.values())  # type: ignore[arg-type]
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            refuse_value(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            refuse_value(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        up, down = ("initial", "max", "max", "base"), ("max", "min", "base", "max")
        ends = [(pct_start * total - 1, up), (total - 1, down)]
        if three_phase:
            back, last = ("max", "initial", "base", "max"), ("initial", "min", "max", "max")
            ends = [(pct_start * total - 1, up), (2 * pct_start * total - 2, back), (total - 1, last)]
        self._schedule_phases = [
            {"end_step": end, "start_lr": f"{a}_lr", "end_lr": f"{b}_lr", "start_momentum": f"{c}_momentum",
             "end_momentum": f"{d}_momentum"}
            for end, (a, b, c, d) in ends
        ]
        rates = of_each("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, rates):
                group["initial_lr"], group["max_lr"] = rate / div_factor, rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            momenta(optimizer, base_momentum, max_momentum, last_epoch == -1)
            self.use_beta1 = "betas" in optimizer.defaults
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._asked()
        if self.last_epoch > self.total_steps:
            refuse_value(f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}")
        phases: list[dict[str, Any]] = self._schedule_phases
        number = next((n for n, phase in enumerate(phases) if self.last_epoch <= phase["end_step"]), len(phases) - 1)
        start, phase = phases[number - 1]["end_step"] if number else 0.0, phases[number]
        done = (self.last_epoch - start) / (phase["end_step"] - start)

        def between(group: dict, what: str) -> Any:
            first, last = group[phase[f"start_{what}"]], group[phase[f"end_{what}"]]
            if self._anneal_func_type == "linear":
                return (last - first) * done + first
            return last + (first - last) / 2.0 * (math.cos(math.pi * done) + 1)

        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                put_momentum(group, between(group, "momentum"))
        return [between(group, "lr") for group in self.optimizer.param_groups]


class _Several(LRScheduler):
    """A schedule made of others."""

    _parts = ("_schedulers",)

    def _hold(self, schedulers: Sequence[Any], optimizer: Any) -> None:
        name = type(self).__name__
        if not schedulers:
            refuse_value(f"{name} expects at least one scheduler, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        for number, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                refuse_type(f"{name} at index {number} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                refuse_value(f"{name} does not support `ReduceLROnPlateau`, whose step() needs a measure: one is at index {number}")
            if scheduler.optimizer is not self.optimizer:
                refuse_value(f"{name} expects all schedulers to belong to the same optimizer, but that of "
                             f"{type(scheduler).__name__} at index {number} is another one")
        self._schedulers = list(schedulers)


class SequentialLR(_Several):
    """One schedule after the other: at each milestone the next one starts, with its epoch 0."""

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[Any], milestones: Sequence[int], last_epoch: int = -1) -> None:
        self._hold(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            refuse_value("Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                         f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                         f"{len(milestones)}")
        self._milestones, self.last_epoch = list(milestones), last_epoch + 1
        for group in optimizer.param_groups:
            put(group, "lr", group["initial_lr"])
        undo(self)
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            self._schedulers[number]._update_lr(0)
        else:
            self._schedulers[number].step()
        self._last_lr = self._schedulers[number].get_last_lr()


def undo(scheduler: Any) -> None:
    """Take back the first step of all schedules in a schedule."""
    if isinstance(scheduler, _Several):
        for part in scheduler._schedulers:
            undo(part)
    elif hasattr(scheduler, "last_epoch"):
        scheduler.last_epoch -= 1


class ChainedScheduler(_Several):
    """All schedules at each step, one after the other: their factors multiply."""

    def __init__(self, schedulers: Sequence[Any], optimizer: Optimizer | None = None) -> None:
        self._hold(schedulers, optimizer)
        self._last_lr = self.now()

    def step(self) -> None:  # type: ignore[override]
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self.now()


class ReduceLROnPlateau(LRScheduler):
    """Times factor when a measure has not improved for more than `patience` epochs."""

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
                 threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8) -> None:
        if factor >= 1.0:
            refuse_value("Factor should be < 1.0.")
        self.optimizer = checked(optimizer)
        count = len(optimizer.param_groups)
        several = isinstance(min_lr, (list, tuple))
        if several and len(min_lr) != count:
            refuse_value(f"expected {count} min_lrs, got {len(min_lr)}")
        if mode not in ("min", "max"):
            refuse_value(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            refuse_value(f"threshold mode {threshold_mode} is unknown!")
        self.min_lrs = list(min_lr) if several else [min_lr] * count
        self.default_min_lr = None if several else min_lr
        self.mode, self.factor, self.patience, self.threshold = mode, factor, patience, threshold
        self.threshold_mode, self.cooldown, self.eps, self.last_epoch = threshold_mode, cooldown, eps, 0
        self.mode_worse = self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = 0
        self._last_lr = self.now()

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        current = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self.now()

    def _reduce_lr(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                refuse(f"the optimizer has {len(groups)} groups, but `ReduceLROnPlateau` has {len(self.min_lrs)} min_lrs",
                       "Add one to scheduler.min_lrs.")
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                put(group, "lr", new)

    def _is_better(self, a: float, best: float) -> bool:
        sign = 1.0 if self.mode == "min" else -1.0
        bound = best * (1.0 - sign * self.threshold) if self.threshold_mode == "rel" else best - sign * self.threshold
        return a < bound if self.mode == "min" else a > bound
