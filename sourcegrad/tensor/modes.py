"""Gradient modes: whether operations on Tensors are recorded, per thread.

>>> import sourcegrad as sg
>>> x = sg.tensor(2.0, requires_grad=True)
>>> with sg.no_grad():
...     y = x * x
>>> y.requires_grad
False
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any

TRACING = 2  # a value of `STATE.grad`: operations are recorded into a program, and values must not be looked at


class _State(threading.local):
    grad = True
    inference = False


STATE = _State()


class _Mode:
    """A context manager that is also a decorator of functions and generators."""

    grad: bool | None = False
    inference: bool | None = None

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> Any:
        self._before.append((STATE.grad, STATE.inference))
        if self.grad is not None:
            STATE.grad = self.grad
        if self.inference is not None:
            STATE.inference = self.inference
        return None

    def __exit__(self, *_error: Any) -> None:
        STATE.grad, STATE.inference = self._before.pop()

    def clone(self) -> _Mode:
        return type(self)()

    def __call__(self, function: Callable) -> Callable:
        if inspect.isgeneratorfunction(function):
            return self._generator(function)

        @functools.wraps(function)
        def wrapper(*args: Any, **options: Any) -> Any:
            with self.clone():
                return function(*args, **options)

        return wrapper

    def _generator(self, function: Callable) -> Callable:
        """A generator whose steps run in this mode, and whose consumer runs in its own."""

        @functools.wraps(function)
        def wrapper(*args: Any, **options: Any) -> Generator:
            iterator = function(*args, **options)
            step: Callable = functools.partial(next, iterator)
            while True:
                try:
                    with self.clone():
                        item = step()
                except StopIteration as stop:
                    return stop.value
                try:
                    step = functools.partial(iterator.send, (yield item))
                except GeneratorExit:
                    with self.clone():
                        iterator.close()
                    raise
                except BaseException as error:
                    step = functools.partial(iterator.throw, error)

        return wrapper


class _Parenthesised(type):
    """Lets `@no_grad` without parentheses decorate, too."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        if len(args) == 1 and not options and callable(args[0]) and not isinstance(args[0], type):
            return cls()(args[0])
        return super().__call__(*args, **options)


class no_grad(_Mode, metaclass=_Parenthesised):
    """Operations inside are not recorded (as `torch.no_grad`)."""

    grad = False


class enable_grad(_Mode, metaclass=_Parenthesised):
    """Operations inside are recorded, also inside `no_grad` (as `torch.enable_grad`)."""

    grad = True


class set_grad_enabled(_Mode):
    """Switch recording on or off: at once as a call, and for a block as a context manager."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.grad = bool(mode)
        self._outside = (STATE.grad, STATE.inference)
        STATE.grad = self.grad

    def __enter__(self) -> None:
        self._before.append(self._outside)
        STATE.grad = bool(self.grad)

    def clone(self) -> _Mode:
        return type(self)(bool(self.grad))

    def __call__(self, function: Callable) -> Callable:
        STATE.grad = self._outside[0]  # as a decorator, it switches nothing now
        return super().__call__(function)


class inference_mode(_Mode):
    """Like `no_grad`; what is made inside can never be recorded (as `torch.inference_mode`)."""

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if callable(mode) and not isinstance(mode, bool):
            made.__init__()  # type: ignore[misc]
            return made(mode)
        return made

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode = bool(mode)
        self.grad, self.inference = (False, True) if self.mode else (None, False)

    def clone(self) -> _Mode:
        return type(self)(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations are recorded now.

    >>> is_grad_enabled()
    True
    """
    return STATE.grad


def is_inference_mode_enabled() -> bool:
    return STATE.inference
