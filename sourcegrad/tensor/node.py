"""Recording: gradient modes (per thread), the nodes of the recorded graph, and the backward pass through them.

A node holds what the generated forward half of its operation has saved, and edges to the nodes that made its operands. The backward
pass takes nodes by their sequence number, the latest first: every user of a value is newer than what made it.

>>> import sourcegrad as sg
>>> x = sg.tensor(2.0, requires_grad=True)
>>> with sg.no_grad():
...     y = x * x
>>> y.requires_grad
False
"""

from __future__ import annotations

import functools
import heapq
import inspect
import itertools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcegrad.errors import graph_error, refuse, refuse_type
from sourcegrad.ir.source import IN_TURN
from sourcegrad.runtime.objects import refilled

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


SEQUENCE = itertools.count(1).__next__
FREED = object()
Edge = tuple[Any, int]  # (node, number of its output); (None, 0) for a constant

FREED_MESSAGE = "Trying to backward through the graph a second time (or access what it saved after it was freed)"
FREED_REMEDY = "What an operation saves is freed by the first backward() or grad(). Pass retain_graph=True there to keep it."


class Handle:
    """Removes a hook: `handle.remove()`, or at the end of a `with` block."""

    _next = itertools.count().__next__

    def __init__(self, hooks: OrderedDict) -> None:
        self._hooks, self.id = weakref.ref(hooks), Handle._next()

    def remove(self) -> None:
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.remove()


class Hooks(OrderedDict):
    """Hooks by the id of their handle, in the order in which they were registered."""

    __slots__ = ()

    def add(self, hook: Callable) -> Handle:
        handle = Handle(self)
        self[handle.id] = hook
        return handle


class Undefined:
    """The cotangent of a node of which only None came back."""

    def __add__(self, other: Any) -> Any:
        return other


UNDEFINED = Undefined()


class NodeExtras:
    """What few nodes have: hooks, and Tensors that keep their gradient."""

    __slots__ = ("tensor_hooks", "before", "after", "retained", "metadata")

    def __init__(self) -> None:
        self.tensor_hooks: dict[int, Hooks] = {}
        self.before, self.after = Hooks(), Hooks()
        self.retained: dict[int, Any] = {}
        self.metadata: dict = {}


class Node:
    """Base of all nodes. `next_functions` are the edges to the nodes of the operands."""

    __slots__ = ("sequence", "extras", "__weakref__")
    extras: Any
    saved: Any
    args: Any
    versions: Any
    outputs: int | None = None  # the number of outputs, if there are several
    targets: tuple[Edge, ...] = ()
    takes_none = False  # whether it runs where nothing but None came back
    reach: Any = None  # of each output, the positions of the targets that it depends on; None if it depends on all

    if TYPE_CHECKING:  # slots have no annotations

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def name(self) -> str:
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        return self.targets

    @property
    def metadata(self) -> dict:
        return self.more().metadata

    def more(self) -> NodeExtras:
        if self.extras is None:
            self.extras = NodeExtras()
        return self.extras

    def register_hook(self, hook: Callable) -> Handle:
        """hook(grad_inputs, grad_outputs) runs after this node; what it returns replaces grad_inputs."""
        return self.more().after.add(hook)

    def register_prehook(self, hook: Callable) -> Handle:
        """hook(grad_outputs) runs before this node; what it returns replaces grad_outputs."""
        return self.more().before.add(hook)

    def pull(self, ct: Any, keep: bool) -> Any:
        """The adjoints of the operands, aligned with `targets`; from arrays."""
        raise NotImplementedError

    def pull_tracked(self, ct: Any, keep: bool) -> Any:
        """The same as recorded operations on Tensors."""
        raise NotImplementedError

    def zero(self, number: int) -> np.ndarray:
        """A zero cotangent for an output of which nothing came back."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class AccumulateGrad(Node):
    """The node of a leaf: adds what arrives into `variable.grad`."""

    __slots__ = ("variable", "post")

    def __init__(self, variable: Any) -> None:
        self.variable, self.extras, self.sequence, self.post = variable, None, 0, None

    def name(self) -> str:
        return "AccumulateGrad"


def check_versions(node: Any) -> None:
    """Refuse the backward pass of a node whose saved variables have been changed in place since."""
    for counter, version in node.versions:
        if counter[0] != version:
            raise graph_error(
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                f"it is at version {counter[0]}; expected version {version} instead, in {node.name()}",
                node.place,
                "Change a copy (x = x + 1 or x.clone()), or change it after the backward pass.",
            )


class OperationNode(Node):
    """A recorded operation: `saved` is what the generated forward half saved, `entry` holds both halves."""

    __slots__ = ("entry", "targets", "saved", "args", "versions", "place")

    @property
    def outputs(self) -> int | None:  # type: ignore[override]
        return self.entry.outputs

    @property
    def reach(self) -> list[set[int]] | None:  # type: ignore[override]
        return self.entry.reach

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        found = iter(self.targets)
        return tuple([next(found) if tracked else (None, 0) for tracked in self.entry.pattern])

    @property
    def source(self) -> str:
        """The generated forward and reverse half, as text."""
        return self.entry.source

    def pull(self, ct: Any, keep: bool) -> Any:
        saved = self.saved
        if saved is FREED:
            raise graph_error(FREED_MESSAGE, self.place, FREED_REMEDY)
        if self.versions:
            check_versions(self)
        entry = self.entry
        spent: list = []
        if not entry.tapes:
            found = entry.reverse(saved, ct)
        else:
            with IN_TURN:
                try:
                    found = entry.reverse(entry.unspent(saved, spent), ct)
                finally:
                    refilled(spent)
        if not keep and entry.holds:
            self.free()
        return (found,) if entry.single else found

    def free(self) -> None:
        self.saved = FREED
        self.args = self.versions = None

    def pull_tracked(self, ct: Any, keep: bool) -> Any:
        if self.saved is FREED:
            raise graph_error(FREED_MESSAGE, self.place, FREED_REMEDY)
        if self.versions:
            check_versions(self)
        found = self.entry.gradient(self.args, ct)
        if not keep and self.entry.holds:
            self.free()
        return found

    def zero(self, number: int) -> np.ndarray:
        shape, dtype = self.entry.results[number]
        return np.zeros(shape, dtype)


# --- the backward pass

class Pass:
    """One backward pass: from cotangents of some nodes to the leaves, or to captured places of the graph."""

    def __init__(self, tracked: bool, keep: bool, captured: dict[Edge, list[int]] | None = None, needed: set | None = None) -> None:
        self.tracked, self.keep, self.captured, self.needed = tracked, keep, captured, needed
        self.results: dict[int, Any] = {}
        self.heap: list[tuple[int, Node]] = []
        self.buffers: dict[Node, Any] = {}
        self.leaves: dict[AccumulateGrad, Any] = {}

    def send(self, edge: Edge, ct: Any) -> None:
        """Add a cotangent for one output of a node."""
        target, number = edge
        if self.needed is not None and target not in self.needed:
            return
        if target.__class__ is AccumulateGrad:
            if ct is UNDEFINED:
                return
            held = self.leaves.get(target)  # type: ignore[call-overload]
            self.leaves[target] = ct if held is None else held + ct  # type: ignore[index]
            return
        outputs = target.outputs
        held = self.buffers.get(target)
        if ct is UNDEFINED and held is not None:
            return
        if held is None:
            heapq.heappush(self.heap, (-target.sequence, target))
            if outputs is not None:
                self.buffers[target] = held = [None] * outputs
                held[number] = None if ct is UNDEFINED else ct
            else:
                self.buffers[target] = ct
        elif outputs is not None:
            held[number] = ct if held[number] is None else held[number] + ct
        else:
            self.buffers[target] = held + ct

    def run(self) -> None:
        heap, buffers, leaves, keep = self.heap, self.buffers, self.leaves, self.keep
        special = self.captured is not None or self.needed is not None
        found: Any
        while heap:
            node = heapq.heappop(heap)[1]
            ct = buffers.pop(node)
            outputs = node.outputs
            if node.extras is not None or special:
                ct = self.before(node, ct, outputs)
                if special and self.stops(node):
                    continue
                if node.extras is not None and node.extras.before:
                    ct = self.prehooked(node.extras.before, ct, outputs)
            given = ct
            if outputs is not None:
                ct = self.whole(node, ct)
            if ct is UNDEFINED and not node.takes_none:
                found = [None] * len(node.targets)
            else:
                found = node.pull_tracked(ct, keep) if self.tracked else node.pull(ct, keep)
            if outputs is not None and node.reach is not None:
                found = self.ended(node, found, given)
            if node.extras is not None and node.extras.after:
                found = self.after(node, found, ct)
            if special:
                for (target, number), part in zip(node.targets, found):
                    self.send((target, number), UNDEFINED if part is None else part)
                continue
            for (target, number), part in zip(node.targets, found):
                if part is None:
                    self.send((target, number), UNDEFINED)
                elif target.__class__ is AccumulateGrad:
                    held = leaves.get(target)
                    leaves[target] = part if held is None else held + part
                elif target.outputs is None:
                    held = buffers.get(target)
                    if held is None:
                        heapq.heappush(heap, (-target.sequence, target))
                        buffers[target] = part
                    else:
                        buffers[target] = held + part
                else:
                    self.send((target, number), part)
        ct = given = found = part = held = None
        self.finish()

    def whole(self, node: Node, cts: list) -> tuple:
        """Cotangents of all outputs of a node, zeros where nothing came back."""
        return tuple([self.wrapped(node.zero(number)) if ct is None else ct for number, ct in enumerate(cts)])

    def wrapped(self, value: Any) -> Any:
        from sourcegrad.tensor.core import constant

        return constant(value) if self.tracked else value

    def ended(self, node: Node, found: Any, cts: Any) -> list:
        """None for the operands that none of the outputs depends on of which something came back."""
        reached = set().union(*[operands for operands, ct in zip(node.reach, cts) if ct is not None])
        return [part if position in reached else None for position, part in enumerate(found)]

    def before(self, node: Node, ct: Any, outputs: int | None) -> Any:
        """Captured gradients, hooks on Tensors, and gradients that are kept: in this order."""
        extras = node.extras
        cts = list(ct) if outputs is not None else [ct]
        if self.captured is not None:
            for number, part in enumerate(cts):
                for position in self.captured.get((node, number), ()):
                    self.results[position] = None if part is UNDEFINED else part
        if extras is not None:
            for number, hooks in extras.tensor_hooks.items():
                if cts[number] is not None:
                    cts[number] = self.hooked(hooks.values(), cts[number])
            for number, reference in extras.retained.items():
                tensor = reference()
                if tensor is not None and cts[number] is not None and cts[number] is not UNDEFINED:
                    tensor._accumulate(cts[number], self.tracked)
        return cts if outputs is not None else cts[0]

    def stops(self, node: Node) -> bool:
        """Whether a captured node has nothing below it that is asked for."""
        return self.needed is not None and not any(target in self.needed for target, _ in node.targets)

    def hooked(self, hooks: Iterable[Callable], ct: Any) -> Any:
        from sourcegrad.tensor.core import Tensor, as_array

        for hook in list(hooks):
            given = self._tensor(ct)
            found = hook(given)
            if found is None:
                ct = self._back(given)
                continue
            if not isinstance(found, Tensor):
                refuse_type(f"a hook returned {type(found).__name__}; it returns a Tensor, or None to change nothing")
            if ct is not UNDEFINED and found.shape != tuple(np.shape(as_array(ct))):
                refuse(f"a hook has changed the size of the gradient: from {tuple(np.shape(as_array(ct)))} to {tuple(found.shape)}")
            ct = self._back(found)
        return ct

    def prehooked(self, hooks: Hooks, ct: Any, outputs: int | None) -> Any:
        given = tuple(map(self._tensor, ct if outputs is not None else [ct]))
        for hook in list(hooks.values()):
            given = replacement(hook(given), given)
        cts = [self._back(part) for part in given]
        return [None if part is UNDEFINED else part for part in cts] if outputs is not None else cts[0]

    def after(self, node: Node, found: Any, ct: Any) -> Any:
        parts = iter(found)
        tracked = [target is not None for target, _ in node.next_functions]
        grads = tuple([self._tensor(next(parts)) if edge else None for edge in tracked])
        cts = tuple(map(self._tensor, ct)) if node.outputs is not None else (self._tensor(ct),)
        extras = node.extras
        assert extras is not None
        for hook in list(extras.after.values()):
            grads = replacement(hook(grads, cts), grads)
        return [None if part is None else self._back(part) for part, edge in zip(grads, tracked) if edge]

    def _tensor(self, part: Any) -> Any:
        from sourcegrad.tensor.core import constant

        return None if part is UNDEFINED else part if part is None or self.tracked else constant(part)

    def _back(self, part: Any) -> Any:
        return UNDEFINED if part is None else part if self.tracked else part._data

    def finish(self) -> None:
        """Leaves: hooks on the sum, then into `.grad` or to what asks for it."""
        leaves = self.leaves
        while leaves:
            leaf = next(iter(leaves))
            variable = leaf.variable
            plain = variable._hooks is None and leaf.extras is None and leaf.post is None and self.captured is None
            if plain and not self.tracked and variable._grad is None:
                variable._take([leaves.pop(leaf)])
                continue
            ct = leaves.pop(leaf)
            if variable._hooks is not None:
                ct = self.hooked(variable._hooks.values(), ct)
            if self.captured is not None:
                for position in self.captured.get((leaf, 0), ()):
                    self.results[position] = ct
                continue
            if leaf.extras is not None and leaf.extras.before:
                ct = self.prehooked(leaf.extras.before, ct, None)
            variable._accumulate(ct, self.tracked)
            if leaf.post:
                for hook in list(leaf.post.values()):
                    hook(variable)
            if leaf.extras is not None and leaf.extras.after:
                for hook in list(leaf.extras.after.values()):
                    hook((), (self._tensor(ct),))


def replacement(found: Any, given: tuple) -> tuple:
    """What the hook of a node makes of gradients: as many as it was given, or None to change nothing."""
    if found is None:
        return given
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(given):
        refuse(f"a hook of a node returned {len(found)} gradients, and was given {len(given)}")
    return found


def reaching(roots: Iterable[Node], wanted: set[Node]) -> set[Node]:
    """The nodes on a path from the roots to one that is wanted, the ends included."""
    found = set(wanted)
    visited: set[Node] = set()
    stack = list(roots)
    order: list[Node] = []
    while stack:
        node = stack.pop()
        if node in visited:
            continue
        visited.add(node)
        order.append(node)
        stack += [target for target, _ in node.targets if target is not None and target not in visited]
    for node in sorted(order, key=lambda n: n.sequence):
        if any(target in found for target, _ in node.targets if target is not None):
            found.add(node)
    return found & (visited | wanted)
