"""`sg.Function`: an operation with a derivative of its own, as `torch.autograd.Function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.tensor.core import Tensor, constant, result
from sourcegrad.tensor.errors import graph_error, refuse, refuse_type, user_place
from sourcegrad.tensor.modes import STATE, enable_grad, no_grad
from sourcegrad.tensor.node import FREED, FREED_MESSAGE, FREED_REMEDY, SEQUENCE, Node


class Context:
    """What `forward` hands to `backward`: `ctx.save_for_backward(...)`, `ctx.saved_tensors`, and any attribute."""

    def __init__(self) -> None:
        self._saved: Any = ()
        self._nondifferentiable: tuple = ()
        self._dirty: tuple = ()
        self._materialize = True
        self.needs_input_grad: tuple = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self._saved = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self._nondifferentiable = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self._materialize = value

    _node: Any = None

    @property
    def saved_tensors(self) -> tuple:
        node = self._node
        if node is None:
            return self._saved
        return node.unpacked()


class FunctionNode(Node):
    """The node of a `Function`."""

    __slots__ = ("ctx", "cls", "targets", "positions", "edges", "metas", "saved", "versions", "place", "count", "label", "leading")

    def name(self) -> str:
        return self.label

    @property
    def outputs(self) -> int | None:  # type: ignore[override]
        return self.count

    @property
    def next_functions(self) -> tuple:
        return self.edges

    def zero(self, number: int) -> Any:
        shape, dtype = self.metas[number]
        return np.zeros(shape, dtype) if self.ctx._materialize else None

    def unpacked(self) -> tuple:
        if self.saved is FREED:
            raise graph_error(FREED_MESSAGE, self.place, FREED_REMEDY)
        found = []
        for tensor, own, number, version in self.saved:
            if tensor is not None and version is not None and version[0][0] != version[1]:
                raise graph_error(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"it is at version {version[0][0]}; expected version {version[1]} instead",
                    self.place,
                    "Change a copy.",
                )
            if own:
                again = constant(tensor._data)
                again._rg, again._grad_fn, again._nr, again._version = True, self, number, tensor._version
                found.append(again)
            else:
                found.append(tensor)
        return tuple(found)

    def _run(self, ct: Any, tracked: bool) -> list:
        cts = tuple(ct) if self.count is not None else (ct,)
        cts = tuple(part if part is None or isinstance(part, Tensor) else constant(part) for part in cts)
        with (enable_grad if tracked else no_grad)():
            found = self.cls.backward(self.ctx, *cts)
        found = found if isinstance(found, tuple) else (found,)
        many = len(self.edges)
        if len(found) > many and all(part is None for part in found[many:]):
            found = found[:many]
        if len(found) != many:
            refuse_count(self, many, len(found))
        parts = []
        for (node, _), part, (shape, _dtype) in zip(self.edges, found, self.positions):
            if node is None:
                continue
            if part is not None:
                if not isinstance(part, Tensor):
                    refuse_type(f"expected Variable or None (got {type(part).__name__}) from {self.label}")
                if part._data.shape != shape:
                    try:
                        fits = np.broadcast_shapes(part._data.shape, shape) == part._data.shape
                    except ValueError:
                        fits = False
                    if not fits:
                        raise graph_error(
                            f"Function {self.label} returned an invalid gradient: got {list(part._data.shape)} but expected "
                            f"shape compatible with {list(shape)}",
                            self.place,
                        )
                    part = summed_to(part, shape)
            parts.append(part)
        return parts

    def pull(self, ct: Any, keep: bool) -> Any:
        parts = self._run(ct, False)
        self._done(keep)
        return [part if part is None else part._data for part in parts]

    def pull_tracked(self, ct: Any, keep: bool) -> Any:
        parts = self._run(ct, True)
        self._done(keep)
        return parts

    def _done(self, keep: bool) -> None:
        if not keep and self.saved:
            self.saved = FREED


def summed_to(x: Tensor, shape: tuple) -> Tensor:
    """A cotangent of a broadcast operand, summed to its shape."""
    extra = x._data.ndim - len(shape)
    if extra:
        x = x.sum(tuple(range(extra)))  # type: ignore[attr-defined]
    dims = tuple(d for d, n in enumerate(shape) if n == 1 and x._data.shape[d] != 1)
    return x.sum(dims, keepdim=True) if dims else x  # type: ignore[attr-defined]


def refuse_count(node: FunctionNode, wanted: int, got: int) -> None:
    raise graph_error(
        f"function {node.label} returned an incorrect number of gradients (expected {wanted}, got {got})",
        node.place,
        "backward returns one gradient for each argument of forward (None where there is none).",
    )


class Function:
    """An operation with a derivative of its own. Subclasses define static methods `forward(ctx, *args)` and `backward(ctx, *grads)`
    (or `forward(*args)` and `setup_context(ctx, inputs, output)`), and are called with `apply`.

    >>> import sourcegrad as sg
    >>> class Square(sg.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, ct):
    ...         x, = ctx.saved_tensors
    ...         return 2 * x * ct
    >>> x = sg.tensor(3.0, requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor(6.)
    """

    setup_context: Any = None

    def __init__(self, *_args: Any) -> None:
        refuse(
            f"{type(self).__name__} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself.",
            f"Write {type(self).__name__}.apply(...).",
        )

    @staticmethod
    def forward(*args: Any) -> Any:
        raise NotImplementedError("You must implement the forward function for custom Function.")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotImplementedError(
            "You must implement the backward function for your custom Function to use it with reverse mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward`, and record it."""
        ctx = Context()
        recording = STATE.grad
        tracked = [isinstance(a, Tensor) and a.requires_grad for a in args]
        ctx.needs_input_grad = tuple(tracked) if recording else (False,) * len(args)
        edges = [a._edge() if recording and t else (None, 0) for a, t in zip(args, tracked)]
        with no_grad():
            if cls.setup_context is not None:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        many = isinstance(output, (tuple, list))
        outputs = tuple(output) if many else (output,)
        if not recording or not any(tracked):
            return output
        node: Any = FunctionNode()
        node.sequence, node.extras, node.ctx, node.cls, node.place = SEQUENCE(), None, ctx, cls, user_place()
        node.label, node.edges = f"{cls.__name__}Backward", tuple(edges)
        node.targets = tuple(edge for edge in edges if edge[0] is not None)
        node.positions = [(a._data.shape, a._data.dtype) if isinstance(a, Tensor) else ((), None) for a in args]
        node.metas = [(o._data.shape, o._data.dtype) if isinstance(o, Tensor) else ((), float) for o in outputs]
        node.count = len(outputs) if many else None
        made = tuple(cls._output(o, number, node, args) for number, o in enumerate(outputs))
        node.saved = []
        for tensor in ctx._saved:
            own = next(
                (j for j, o in enumerate(outputs) if o is tensor and tensor is not None and not any(tensor is a for a in args)),
                None,
            )
            version = (tensor._version, tensor._version[0]) if isinstance(tensor, Tensor) else None
            node.saved.append((constant(tensor._data) if own is not None else tensor, own is not None, own, version))
        ctx._saved, ctx._node = (), node
        return made if many else made[0]

    @classmethod
    def _output(cls, output: Any, number: int, node: FunctionNode, args: tuple) -> Any:
        if not isinstance(output, Tensor):
            return output
        ctx = node.ctx
        if any(output is part for part in ctx._nondifferentiable) or output._data.dtype.kind not in "fc":
            return output
        if any(output is part for part in ctx._dirty):
            if output._rg and output._grad_fn is None:
                refuse("a leaf Variable that requires grad is being used in an in-place operation.")
            output._grad_fn, output._nr, output._rg = node, number, True
            output._version[0] += 1
            return output
        made = result(output._data, node, number)
        if not any(output is a for a in args):
            made._version = output._version
        return made


def once_differentiable(function: Callable) -> Callable:
    """Mark a `backward` whose result cannot be differentiated again."""

    def wrapper(ctx: Any, *grads: Any) -> Any:
        recorded = STATE.grad and any(isinstance(g, Tensor) and g.requires_grad for g in grads)
        with no_grad():
            found = function(ctx, *grads)
        if not STATE.grad:
            return found
        parts = found if isinstance(found, tuple) else (found,)
        return tuple(_last(part) if isinstance(part, Tensor) and (recorded or True) else part for part in parts)

    return wrapper


class _Once(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, marker: Tensor) -> Tensor:  # type: ignore[override]
        return x.clone()  # type: ignore[attr-defined]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        refuse("trying to differentiate twice a function that was marked with @once_differentiable")


def _last(part: Tensor) -> Tensor:
    marker = constant(np.zeros(()))
    marker._rg = True
    return _Once.apply(part, marker)


Function.once_differentiable = staticmethod(once_differentiable)  # type: ignore[attr-defined]
