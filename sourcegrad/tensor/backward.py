"""`backward` and `grad` on Tensors, with the semantics of `torch.autograd`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.errors import origin_at, refuse, refuse_type, user_place
from sourcegrad.tensor.modes import STATE, enable_grad
from sourcegrad.tensor.node import Pass, reaching


def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Add the gradients of Tensors into `.grad` of the leaves that they depend on (as `torch.autograd.backward`).

    grad_tensors: weights of those that are no scalars. inputs: only these get gradients. The graph is
    freed afterwards, unless retain_graph (default: create_graph).
    """
    outputs = as_tensors(tensors, "tensors")
    weights = as_weights(grad_tensors, outputs)
    if inputs is not None:
        leaves = as_tensors(inputs, "inputs")
        if not leaves:
            refuse("inputs argument to backward() cannot be empty.")
        for leaf in leaves:
            if not leaf._rg:
                refuse("One of the differentiated Tensors given as 'inputs' to backward does not require grad")
    cts = cotangents(outputs, weights, create_graph)
    needed = None
    run = Pass(create_graph, create_graph if retain_graph is None else retain_graph)
    if inputs is not None:
        edges = [leaf._edge() for leaf in leaves]
        needed = reaching([output._edge()[0] for output in outputs], {node for node, _ in edges})
        run.needed = needed
        run.captured = {}
        for position, edge in enumerate(edges):
            run.captured.setdefault(edge, []).append(position)
    start(run, outputs, cts)
    for position in dict.fromkeys(positions[0] for positions in (run.captured or {}).values()):
        if position in run.results:
            leaves[position]._accumulate(run.results[position], create_graph)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple:
    """The gradients of Tensors with respect to others, as a tuple (as `torch.autograd.grad`)."""
    if allow_unused is None:
        allow_unused = materialize_grads
    elif not allow_unused and materialize_grads:
        refuse_value_unused()
    many = as_tensors(outputs, "outputs")
    wanted = as_tensors(inputs, "inputs")
    if not wanted:
        refuse("grad requires non-empty inputs.")
    weights = as_weights(grad_outputs, many)
    if is_grads_batched:
        return batched(many, wanted, weights, retain_graph, create_graph, allow_unused, materialize_grads)
    for position, tensor in enumerate(wanted):
        if not tensor._rg:
            refuse(
                f"One of the differentiated Tensors does not require grad (number {position} of the inputs)",
                "Set requires_grad=True before it is used.",
            )
    cts = cotangents(many, weights, create_graph)
    edges = [tensor._edge() for tensor in wanted]
    run = Pass(
        create_graph,
        create_graph if retain_graph is None else retain_graph,
        {},
        reaching([output._edge()[0] for output in many], {node for node, _ in edges}),
    )
    assert run.captured is not None
    for position, edge in enumerate(edges):
        run.captured.setdefault(edge, []).append(position)
    start(run, many, cts)
    found = [run.results.get(position) for position in range(len(wanted))]
    return tuple([finished(part, tensor, create_graph, allow_unused, materialize_grads) for part, tensor in zip(found, wanted)])


def refuse_value_unused() -> None:
    from sourcegrad.tensor.errors import refuse_value

    refuse_value("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")


def finished(part: Any, tensor: Tensor, tracked: bool, allow_unused: bool, materialize: bool) -> Any:
    if part is None:
        if materialize:
            made = constant(np.zeros_like(tensor._data))
            made._rg = tracked
            return made
        if not allow_unused:
            refuse(
                "One of the differentiated Tensors appears to not have been used in the graph.",
                "Set allow_unused=True if this is the desired behavior.",
            )
        return None
    if tracked:
        return part if part._data.dtype == tensor._data.dtype else part.to(tensor._data.dtype)
    return constant(np.array(np.broadcast_to(part, tensor._data.shape), tensor._data.dtype))


def batched(outputs: tuple, inputs: tuple, weights: tuple, retain: Any, create: bool, unused: bool, materialize: bool) -> tuple:
    """One gradient for each entry of the first axis of the weights."""
    if not all(isinstance(weight, Tensor) for weight in weights):
        refuse("is_grads_batched=True needs grad_outputs for all outputs, with one more axis in front")
    count = weights[0]._data.shape[0]
    keep = create if retain is None else retain
    rows = [
        grad(outputs, inputs, tuple(weight[row] for weight in weights), keep or row + 1 < count, create, unused, False, materialize)
        for row in range(count)
    ]
    from sourcegrad.tensor.shapes import stack

    return tuple(None if parts[0] is None else stack(parts) for parts in zip(*rows))


def start(run: Pass, outputs: tuple, cts: list) -> None:
    """Run a pass from the outputs."""
    if run.tracked:
        with enable_grad():
            for output, ct in zip(outputs, cts):
                run.send(output._edge(), ct)
            run.run()
        return
    before = STATE.grad
    STATE.grad = False
    try:
        for output, ct in zip(outputs, cts):
            run.send(output._edge(), ct)
        run.run()
    finally:
        STATE.grad = before


def are_tensors(x: Any) -> bool:
    """Whether these are outputs for `grad` on values: a Tensor, or a sequence with one (or of nothing)."""
    return isinstance(x, Tensor) or isinstance(x, (list, tuple)) and (not x or any(isinstance(part, Tensor) for part in x))


def as_tensors(value: Any, what: str) -> tuple:
    if isinstance(value, Tensor):
        return (value,)
    if not isinstance(value, Sequence) and not hasattr(value, "__iter__"):
        refuse_type(f"{what} are Tensors, not {type(value).__name__}")
    found = tuple(value)
    for part in found:
        if not isinstance(part, Tensor):
            refuse_type(f"{what} are Tensors; one of them is a {type(part).__name__}")
    return found


def as_weights(value: Any, outputs: tuple) -> tuple:
    if value is None:
        return (None,) * len(outputs)
    given = (value,) if isinstance(value, (Tensor, np.ndarray, float, int)) else tuple(value)
    if len(given) != len(outputs):
        refuse(f"got {len(outputs)} tensors and {len(given)} gradients")
    return given


def cotangents(outputs: tuple, weights: tuple, tracked: bool) -> list:
    """The weights of the outputs, checked; one for a scalar that has none."""
    cts = []
    for number, (output, weight) in enumerate(zip(outputs, weights)):
        if not output._rg:
            refuse(
                f"element {number} of tensors does not require grad and does not have a grad_fn",
                "Nothing that it was computed from has requires_grad=True (or it was computed under no_grad, or detached, or by "
                "grad(...) without create_graph=True).",
            )
        if weight is None:
            weight = implicit(output)
        elif isinstance(weight, (np.ndarray, float, int)):
            weight = constant(np.asarray(weight, output._data.dtype))
        elif not isinstance(weight, Tensor):
            refuse_type(f"gradients can be either Tensors or None, but got {type(weight).__name__}")
        if weight._data.shape != output._data.shape:
            refuse(
                f"Mismatch in shape: grad_output[{number}] has a shape of {tuple(weight._data.shape)} and output[{number}] has a "
                f"shape of {tuple(output._data.shape)}."
            )
        if weight._data.dtype.kind == "c" and output._data.dtype.kind != "c":
            refuse(
                f"For complex Tensors, both grad_output and output are required to have the same dtype: grad_output[{number}] is "
                f"{weight._data.dtype}, output[{number}] is {output._data.dtype}."
            )
        cts.append(weight if tracked else weight._data)
    return cts


def implicit(output: Tensor) -> Tensor:
    if output._data.size != 1:
        place = output.grad_fn.place if output.grad_fn is not None and hasattr(output.grad_fn, "place") else None
        where = origin_at(place)
        refuse(
            "grad can be implicitly created only for scalar outputs",
            f"The output has shape {tuple(output._data.shape)}{f', from {where}' if where else ''}: pass gradient= "
            "(grad_outputs=) of that shape, or reduce it first, e.g. with .sum().",
        )
    if output._data.dtype.kind == "c":
        refuse(
            "grad can be implicitly created only for real scalar outputs but got complex",
            "Take .real or .abs() first, or pass grad_outputs.",
        )
    return constant(np.ones_like(output._data))


__all__ = ["backward", "grad", "user_place"]
