"""Tensors: NumPy arrays that know how they were computed.

What a Tensor can do with numbers (operators, methods, functions) is added by `methods`; this is what it is.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcegrad.errors import GraphError, TensorTypeError, TensorValueError, graph_error, refuse, refuse_type
from sourcegrad.tensor.node import STATE, TRACING, AccumulateGrad, Handle, Hooks, Node

if TYPE_CHECKING:
    from typing_extensions import Self

INFERENCE = "Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor."
DIFFERENTIABLE = "fc"  # kinds of dtypes
ORIGINS = {"no_grad": "A view was created in no_grad mode",
           "several": "Output of a function that returns multiple views",
           "function": "A view was created inside a custom Function (or because an input was returned as-is)"}
REMEDY = "Change a copy (x = x.clone()), or change the Tensor itself: y[0] = ... with y as the base."


class ArrayLike:
    """The array of a Tensor, as Python and NumPy look at it: its shape, its numbers, iteration and conversion."""

    _data: np.ndarray
    _counter: list[int]  # how often the memory was changed in place: shared with all that have it
    _base: Any = None  # of a view: the Tensor whose memory it is
    _inference = False
    _rg = False
    _frozen = False  # made while a program is recorded, from values that may depend on its inputs

    if TYPE_CHECKING:  # `methods` adds the others

        def __getattr__(self, name: str) -> Any: ...

    @property
    def shape(self) -> Size:
        return Size(self._data.shape)

    @property
    def dtype(self) -> np.dtype:
        return self._data.dtype

    @property
    def ndim(self) -> int:
        return self._data.ndim

    @property
    def device(self) -> str:
        return "cpu"

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself: it shares memory with the Tensor."""
        self._look()
        if self._rg and not force:
            refuse("Can't call numpy() on Tensor that requires grad.", "Use tensor.detach().numpy() instead.")
        return self._data

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self._rg:
            refuse("Can't convert a Tensor that requires grad to an array: its history would be lost.",
                   "Use tensor.detach().numpy() instead, or NumPy functions on the Tensor itself (np.sin(t) is a Tensor).")
        if dtype is not None and np.dtype(dtype) != self._data.dtype:
            return self._data.astype(dtype)
        return self._data.copy() if copy else self._data

    def _look(self) -> None:
        """Refuse to look at a value while a program is recorded: it would be frozen into it."""
        if STATE.grad is not True and STATE.grad == TRACING and (self._rg or self._frozen):
            refuse("a value is looked at while a program is recorded (if, while, float(), .item(), .numpy(), .detach(), .data)",
                   "What depends on values cannot be recorded: use sg.where, or do not record this function.")

    def item(self) -> Any:
        self._look()
        if self._data.size != 1:
            refuse(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
        return self._data.item()

    def tolist(self) -> Any:
        self._look()
        return self._data.tolist()

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self._data.shape[dim]

    def dim(self) -> int:
        return self._data.ndim

    ndimension = dim

    def numel(self) -> int:
        return self._data.size

    nelement = numel

    def element_size(self) -> int:
        return self._data.itemsize

    def data_ptr(self) -> int:
        return int(self._data.__array_interface__["data"][0])

    def stride(self, dim: int | None = None) -> Any:
        found = tuple(s // self._data.itemsize for s in self._data.strides)
        return found if dim is None else found[dim]

    def is_contiguous(self) -> bool:
        return bool(self._data.flags.c_contiguous)

    def is_floating_point(self) -> bool:
        return self._data.dtype.kind == "f"

    def is_complex(self) -> bool:
        return self._data.dtype.kind == "c"

    @property
    def _version(self) -> int:
        return self._counter[0]

    def _is_view(self) -> bool:
        return self._base is not None

    def is_inference(self) -> bool:
        return self._inference

    def cpu(self) -> Self:
        return self

    def pin_memory(self) -> Self:
        return self

    def __len__(self) -> int:
        if self._data.ndim == 0:
            raise TensorTypeError("len() of a 0-d tensor")
        return len(self._data)

    def __iter__(self) -> Iterator[Tensor]:
        if self._data.ndim == 0:
            raise TensorTypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))  # type: ignore[attr-defined]

    def __bool__(self) -> bool:
        self._look()
        if self._data.size != 1:
            refuse(f"Boolean value of Tensor with {'no' if self._data.size == 0 else 'more than one'} value is ambiguous")
        return bool(self._data.reshape(())[()])

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        self._look()
        if self._data.size != 1 or self._data.dtype.kind not in "iub":
            refuse_type("only integer tensors of a single element can be converted to an index")
        return int(self._data.item())

    def __contains__(self, element: Any) -> bool:
        self._look()
        return bool((self._data == as_array(element)).any())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self._data.ndim == 0 else str(self)


class Tensor(ArrayLike):
    """An array with the history of its computation, for `backward` and `grad`.

    Made by `sg.tensor`, `sg.zeros`, ... Tensors share memory with what `numpy()` and `detach()` give, and with their views.

    >>> import sourcegrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    _grad_fn: Any = None
    _nr = 0
    _grad: Any = None
    _hooks: Hooks | None = None
    _accumulator: Any = None
    _view: Any = None  # of a view: (parent, how it is made from it, how it is put back)
    _seen = 0  # of a view: the version that `_grad_fn` is of
    _origin = ""  # of a view: where it is from, if a recorded change of it would lose a history (a key of `ORIGINS`)
    _retains = False
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(self, *data: Any) -> None:
        if len(data) == 1 and not isinstance(data[0], int):
            self._data = np.array(as_array(data[0]), dtype=DEFAULT[0])
        else:
            self._data = np.zeros(data, DEFAULT[0])
        self._counter = [0]

    # --- what it is

    @property
    def is_leaf(self) -> bool:
        return not self.requires_grad or self.grad_fn is None

    @property
    def requires_grad(self) -> bool:
        return self._rg or self._base is not None and self._base._rg

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if value and self.grad_fn is not None:
            refuse("you can only change requires_grad flags of leaf variables.", "This one has a history: it requires a gradient.")
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Switch the recording of operations on this leaf on or off."""
        if not requires_grad and self._grad_fn is not None:
            refuse("you can only change requires_grad flags of leaf variables.",
                   "If you want to use a computed variable in a subgraph that doesn't require differentiation use x.detach().")
        if requires_grad:
            check_differentiable(self._data)
            if self._inference:
                refuse("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.", INFERENCE)
        if self._grad_fn is None:
            self._rg = bool(requires_grad)
        return self

    @property
    def grad_fn(self) -> Node | None:
        if self._view is not None and self._seen != self._counter[0]:
            self._renew()
        return self._grad_fn

    def _renew(self) -> None:
        """The node of a view whose memory was changed through another name: it is the view of what is there now."""
        parent, make, _ = self._view
        if self._origin in ("no_grad", "function"):
            if self._base._grad_fn is not None:
                refuse(f"{ORIGINS[self._origin]} and its base or another view of its base has been modified inplace.", REMEDY)
            make = None  # (of a leaf that was changed without being recorded)
        self._seen = self._counter[0]
        if make is not None and self._base._rg:
            before = STATE.grad
            STATE.grad = True
            try:
                self._rebase(make(parent))
            finally:
                STATE.grad = before

    def _rebase(self, new: Tensor) -> None:
        """Take the place of another Tensor in the graph. A gradient that is kept is that of the value there."""
        if self._retains and self._grad_fn is not None and new._grad_fn is not None:
            new._grad_fn.more().retained[new._nr] = self._grad_fn.extras.retained.pop(self._nr)
        self._grad_fn, self._nr, self._rg = new._grad_fn, new._nr, new._rg

    def _edge(self) -> tuple[Node, int]:
        if self._view is not None and self._seen != self._counter[0]:
            self._renew()
        if self._grad_fn is not None:
            return self._grad_fn, self._nr
        if self._inference:
            refuse(INFERENCE)
        found = self._accumulator and self._accumulator()
        if found is None:
            found = AccumulateGrad(self)
            self._accumulator = weakref.ref(found)
        return found, 0

    @property
    def output_nr(self) -> int:
        return self._nr

    @property
    def retains_grad(self) -> bool:
        return self._retains

    # --- its gradient

    @property
    def grad(self) -> Tensor | None:
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            check_grad(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def _accumulate(self, ct: Any, tracked: bool) -> None:
        """Add a cotangent into `.grad`, which is one object with memory of its own."""
        if tracked:
            ct = fitted(ct, self)
            self._grad = ct.clone() if self._grad is None else self._grad + ct
            return
        held = self._grad
        if held is None:
            grad = np.array(ct, self._data.dtype)
            if grad.shape != self._data.shape:
                grad = np.array(np.broadcast_to(grad, self._data.shape))
            self._grad = constant(grad)
        else:
            np.add(held._data, ct, out=held._data, casting="same_kind")
            held._counter[0] += 1

    def _take(self, holder: list) -> None:
        """The first cotangent of a leaf becomes `.grad` itself, if nobody else holds its memory."""
        own = holder[0].__class__ is np.ndarray and holder[0].base is None and holder[0].flags.writeable
        if own and holder[0].dtype is self._data.dtype and holder[0].shape == self._data.shape and exclusive(holder):
            self._grad = constant(holder[0])
        else:
            self._accumulate(holder[0], False)

    def retain_grad(self) -> None:
        """Keep the gradient of a Tensor that is no leaf in `.grad`."""
        if not self.requires_grad:
            refuse("can't retain_grad on Tensor that has requires_grad=False")
        node = self.grad_fn
        if node is not None and not self._retains:
            self._retains = True
            node.more().retained[self._nr] = weakref.ref(self)

    def register_hook(self, hook: Callable) -> Handle:
        """hook(grad) runs when the gradient of this Tensor is known; what it returns replaces it."""
        if not self.requires_grad:
            refuse("cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        if node is None:
            if self._hooks is None:
                self._hooks = Hooks()
            return self._hooks.add(hook)
        return node.more().tensor_hooks.setdefault(self._nr, Hooks()).add(hook)

    def register_post_accumulate_grad_hook(self, hook: Callable) -> Handle:
        """hook(tensor) runs after the gradient of a leaf was added into `.grad`."""
        if not self.requires_grad:
            refuse("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            refuse("post accumulate grad hooks cannot be registered on non-leaf tensors")
        leaf = self._edge()[0]
        self._kept_leaf = leaf  # the hooks live as long as the Tensor
        if leaf.post is None:  # type: ignore[attr-defined]
            leaf.post = Hooks()  # type: ignore[attr-defined]
        return leaf.post.add(hook)  # type: ignore[attr-defined]

    def backward(self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
                 inputs: Any = None) -> None:
        """Add the gradients of this Tensor into `.grad` of the leaves (or of `inputs`). gradient: weights, if it is no scalar."""
        from sourcegrad.tensor.derivatives import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    # --- memory

    @property
    def data(self) -> Tensor:
        """The same memory without history; changes through it are not noticed by the graph."""
        self._look()
        return constant(self._data)

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            refuse_type(f"Variable data has to be a tensor, but got {type(value).__name__}")
        self._data = value._data

    def detach(self) -> Tensor:
        """The same memory without history; changes through it are noticed by the graph (they share a version)."""
        self._look()
        other = constant(self._data)
        other._counter = self._counter
        return other

    def detach_(self) -> Tensor:
        if self._base is not None:
            refuse("Can't detach views in-place. Use detach() instead.")
        self._grad_fn, self._nr, self._rg, self._retains = None, 0, False, False
        return self

    # --- Python's protocols

    def __repr__(self) -> str:
        from sourcegrad.tensor.display import shown

        return shown(self)

    def __deepcopy__(self, memo: dict) -> Tensor:
        if self._rg and self.grad_fn is not None:
            refuse("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.",
                   "Use tensor.detach().clone().")
        made = new(type(self), self._data.copy())
        memo[id(self)] = made
        made._rg = self._rg
        if self._grad is not None:
            made._grad = self._grad.__deepcopy__(memo)
        return made

    def __copy__(self) -> Tensor:
        made = self.detach()
        made.__class__ = type(self)
        made._rg = self._rg
        return made

    def __reduce__(self) -> tuple:
        if self._rg and self.grad_fn is not None:
            refuse("Only graph leaves can be pickled.", "Use tensor.detach().")
        return rebuilt, (type(self), self._data, self._rg)


def check_grad(x: Tensor, value: Any) -> None:
    """Refuse what cannot be `x.grad`."""
    if not isinstance(value, Tensor):
        refuse_type(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is x:
        refuse("can't assign Variable as its own grad")
    if value._data.shape != x._data.shape:
        refuse(
            "assigned grad has data of a different size: "
            f"{tuple(value._data.shape)}, where the Tensor has {tuple(x._data.shape)}"
        )
    if value._data.dtype != x._data.dtype:
        refuse(f"assigned grad has data of a different type: {value._data.dtype}, where the Tensor has {x._data.dtype}")


def exclusive(holder: list) -> bool:
    """Whether nothing but a list holds its first item."""
    return sys.getrefcount(holder[0]) == ALONE


ALONE = (lambda holder: sys.getrefcount(holder[0]))([np.zeros(1)])  # references to an item that only its list holds


class Size(tuple):
    """A shape. As PyTorch's: a tuple with `numel()`."""

    __slots__ = ()

    def numel(self) -> int:
        return int(np.prod(self, dtype=int))

    def __repr__(self) -> str:
        return f"sg.Size({list(self)})"


DEFAULT = [np.dtype("float64")]


def new(cls: Any, data: np.ndarray) -> Any:
    made = object.__new__(cls)
    made._data = data
    made._counter = [0]
    return made


def rebuilt(cls: Any, data: np.ndarray, requires_grad: bool) -> Tensor:
    made = new(cls, data)
    made._rg = requires_grad
    return made


def constant(data: Any) -> Tensor:
    """A Tensor around an array, without history."""
    made = object.__new__(Tensor)
    made._data = data if data.__class__ is np.ndarray else np.asarray(data)
    made._counter = [0]
    if STATE.inference:
        made.__class__ = InferenceTensor
    if STATE.grad is not True and STATE.grad == TRACING:
        made._frozen = True
    return made


class InferenceTensor(Tensor):
    """A Tensor made in `inference_mode`: no recorded operation may save it."""

    _inference = True


def wrapped(value: Any) -> Any:
    """The result of an operation that is not recorded."""
    return tuple([wrapped(part) for part in value]) if type(value) is tuple else constant(value)


def result(value: Any, node: Any, number: int) -> Tensor:
    """One result of a recorded operation."""
    made = object.__new__(Tensor)
    if value.__class__ is not np.ndarray:
        value = np.asarray(value)
    made._data = value
    made._counter = [0]
    if value.dtype.kind in DIFFERENTIABLE:
        made._rg, made._grad_fn, made._nr = True, node, number
    return made


def as_array(value: Any) -> Any:
    return value._data if isinstance(value, Tensor) else value


def mapped(function: Callable, tree: Any) -> Any:
    """Nested lists, tuples and dicts with what a function makes of the parts that are none of these."""
    if isinstance(tree, dict):
        return {key: mapped(function, part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [mapped(function, part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return function(tree)


def as_arrays(tree: Any) -> Any:
    return mapped(as_array, tree)


def fitted(ct: Tensor, like: Tensor) -> Tensor:
    """A tracked cotangent in the dtype of what it belongs to."""
    return ct if ct._data.dtype == like._data.dtype else ct.to(like._data.dtype)  # type: ignore[attr-defined]


def check_differentiable(data: np.ndarray) -> None:
    if data.dtype.kind not in DIFFERENTIABLE:
        refuse("only Tensors of floating point and complex dtype can require gradients",
               "Make it with dtype=sg.float64, or as 1.0 instead of 1.")


def set_default_dtype(dtype: Any) -> None:
    """The dtype of Tensors that are made of Python floats (float64 unless set).

    >>> set_default_dtype(np.float32)
    >>> get_default_dtype()
    dtype('float32')
    >>> set_default_dtype(np.float64)
    """
    found = np.dtype(dtype)
    if found.kind != "f":
        raise TensorTypeError(f"only floating-point types are supported as the default type, not {found}")
    DEFAULT[0] = found


def get_default_dtype() -> np.dtype:
    return DEFAULT[0]


__all__ = ["GraphError", "TensorValueError", "graph_error", "Tensor", "Size", "constant", "result", "wrapped"]
