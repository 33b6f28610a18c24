"""Views and changes in place: what shares memory shares a version, and history follows the memory.

A view knows the Tensor that it is a view of, how it is made from it, and how a new value of it is put back. A change in place
computes the new value as a recorded operation, writes it into the memory, and gives the Tensor (and the base of a view) the
history of the new value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.tensor.core import INFERENCE, Tensor, constant
from sourcegrad.tensor.errors import refuse
from sourcegrad.tensor.modes import STATE
from sourcegrad.tensor.node import FREED


def linked(view: Tensor, parent: Tensor, make: Callable, back: Callable | None) -> Tensor:
    """Remember that a Tensor is a view, if it is one. make(parent) is the view; back(parent, value) is the parent with another
    value of it."""
    if view._data.base is not None and np.may_share_memory(view._data, parent._data):
        view._base = parent if parent._base is None else parent._base
        view._view = (parent, make, back)
        view._version = parent._version
        view._seen = view._version[0]
        view._inference = parent._inference
    return view


def check_change(x: Tensor) -> None:
    """Refuse changes of leaves that require a gradient, and of their views."""
    if x._inference and not STATE.inference and STATE.grad:
        refuse("Inplace update to inference tensor outside InferenceMode is not allowed.", INFERENCE)
    if not STATE.grad:
        return
    if x._rg and x._base is None and x._grad_fn is None:
        refuse(
            "a leaf Variable that requires grad is being used in an in-place operation.",
            "Change it inside `with sg.no_grad():`, or write x = x + 1 instead of x += 1.",
        )
    base = x._base
    if base is not None:
        if base._rg and base._grad_fn is None:
            refuse(
                "a view of a leaf Variable that requires grad is being used in an in-place operation.",
                "Change it inside `with sg.no_grad():`, or a copy of it.",
            )
        if x._view[2] is None:
            refuse(
                "Output of a function that returns multiple views is being modified inplace, which is not allowed.",
                "Use a slice of the Tensor instead.",
            )


def change(x: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """x becomes compute(x), in place."""
    check_change(x)
    old = alias(x)
    new = compute(old)
    if new._data.shape != x._data.shape:
        refuse(f"output with shape {list(x._data.shape)} doesn't match the broadcast shape {list(new._data.shape)}")
    if not np.can_cast(new._data.dtype, x._data.dtype, "same_kind"):
        refuse(f"result type {new._data.dtype} can't be cast to the desired output type {x._data.dtype}")
    return written(x, old, new)


def alias(x: Tensor) -> Tensor:
    """The value before the change: the same memory and history, but a version of its own."""
    old = constant(x._data)
    if x.requires_grad:
        old._grad_fn, old._nr, old._rg = *x._edge(), True
    return old


def written(x: Tensor, old: Tensor, new: Tensor) -> Tensor:
    """Write a value into the memory of x, and give x its history."""
    recorded = STATE.grad and (new._rg or x.requires_grad)
    if recorded:
        keep_saved(new._grad_fn, x._data)
        if new._data.dtype != x._data.dtype and new._rg:
            new = new.to(x._data.dtype)  # type: ignore[attr-defined]
        base = x._base
        whole = new if base is None else put_back(x, new)
    np.copyto(x._data, new._data, casting="same_kind")
    x._version[0] += 1
    if recorded:
        rebase(x if base is None else base, whole)
        x._seen = -1 if base is not None else x._seen
        if base is not None:
            x.grad_fn  # noqa: B018  (its node is the view of the new base from now on)
    return x


def keep_saved(node: Any, memory: np.ndarray) -> None:
    """Copy what a node has saved of memory that is about to change."""
    if node is None or not hasattr(node, "saved") or node.saved is FREED or not isinstance(node.saved, tuple):
        return
    node.saved = tuple(
        [
            part.copy()
            if isinstance(part, np.ndarray) and part.size and np.may_share_memory(part, memory) and any(part.strides)
            else part
            for part in node.saved
        ]
    )
    if node.args is not None:
        node.args = tuple([copied(part, memory) for part in node.args])


def copied(part: Any, memory: np.ndarray) -> Any:
    if isinstance(part, Tensor) and np.may_share_memory(part._data, memory) and part._version[0] == 0 and part._base is None:
        other = constant(part._data.copy())
        other._grad_fn, other._nr, other._rg = part._grad_fn, part._nr, part._rg
        return other
    return part


def put_back(x: Tensor, new: Tensor) -> Tensor:
    """The base of a view with another value of the view."""
    while x._view is not None:
        parent, _, back = x._view
        new = back(alias(parent), new)
        x = parent
    return new


def rebase(x: Tensor, new: Tensor) -> None:
    x._grad_fn, x._nr, x._rg = new._grad_fn, new._nr, new._rg
    x._retains = False
