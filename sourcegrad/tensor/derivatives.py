"""Reverse mode on Tensors: `backward` and `grad` of `torch.autograd`, Jacobians, Hessians and products with them; `gradcheck`.

A Jacobian takes one backward pass for each output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sourcegrad.api.jacobian import HVP, Hessian, Jacobian
from sourcegrad.errors import GraphError, origin_at, refuse, refuse_type, refuse_value
from sourcegrad.tensor.calls import call
from sourcegrad.tensor.core import Tensor, constant
from sourcegrad.tensor.node import STATE, Pass, enable_grad, no_grad, reaching
from sourcegrad.tensor.shapes import clone, stack


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
             inputs: Any = None) -> None:
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


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
         allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple:
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
            refuse(f"One of the differentiated Tensors does not require grad (number {position} of the inputs)",
                   "Set requires_grad=True before it is used.")
    cts = cotangents(many, weights, create_graph)
    edges = [tensor._edge() for tensor in wanted]
    run = Pass(create_graph, create_graph if retain_graph is None else retain_graph, {},
               reaching([output._edge()[0] for output in many], {node for node, _ in edges}))
    assert run.captured is not None
    for position, edge in enumerate(edges):
        run.captured.setdefault(edge, []).append(position)
    start(run, many, cts)
    found = [run.results.get(position) for position in range(len(wanted))]
    return tuple([finished(part, tensor, create_graph, allow_unused, materialize_grads) for part, tensor in zip(found, wanted)])


def refuse_value_unused() -> None:
    refuse_value("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")


def finished(part: Any, tensor: Tensor, tracked: bool, allow_unused: bool, materialize: bool) -> Any:
    if part is None:
        if materialize:
            made = constant(np.zeros_like(tensor._data))
            made._rg = tracked
            return made
        if not allow_unused:
            refuse("One of the differentiated Tensors appears to not have been used in the graph.",
                   "Set allow_unused=True if this is the desired behavior.")
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
        refuse("grad can be implicitly created only for real scalar outputs but got complex",
               "Take .real or .abs() first, or pass grad_outputs.")
    return constant(np.ones_like(output._data))


class Leaves:
    """The Tensors in nested lists, tuples and dicts (arrays and numbers count as Tensors), and the way back to such a structure."""

    def __init__(self, tree: Any) -> None:
        self.values: list[Tensor] = []
        self.arrays = False  # whether what was given were arrays: results are arrays, too
        self.tree = self._walk(tree)

    def _walk(self, tree: Any) -> Any:
        if isinstance(tree, dict):
            return {key: self._walk(part) for key, part in tree.items()}
        if isinstance(tree, (list, tuple)):
            parts = [self._walk(part) for part in tree]
            return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
        if isinstance(tree, (np.ndarray, np.generic, float, int)):
            self.arrays = True
            tree = constant(np.asarray(tree, None if np.asarray(tree).dtype.kind in "fc" else np.float64))
        if not isinstance(tree, Tensor):
            refuse_type(f"Tensors or arrays (or lists, tuples, dicts of them) are needed here, not {type(tree).__name__}")
        self.values.append(tree)
        return len(self.values) - 1

    def rebuild(self, values: Sequence) -> Any:
        def walk(tree: Any) -> Any:
            if isinstance(tree, dict):
                return {key: walk(part) for key, part in tree.items()}
            if isinstance(tree, (list, tuple)):
                parts = [walk(part) for part in tree]
                return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
            return values[tree]

        return walk(self.tree)


def called(function: Callable, inputs: Any, create_graph: bool) -> tuple[Leaves, list[Tensor], Leaves]:
    """Run a function on its inputs as leaves of a graph of its own: inputs, those leaves, outputs."""
    given = Leaves(inputs)
    with enable_grad():
        leaves = [fresh(x, create_graph) for x in given.values]
        arguments = given.rebuild(leaves)
        several = arguments if isinstance(inputs, tuple) and not hasattr(inputs, "_fields") else (arguments,)
        found = call(function, several) if given.arrays else function(*several)  # on arrays: one node
    return given, leaves, Leaves(found)


def fresh(x: Tensor, create_graph: bool) -> Tensor:
    if create_graph and x.requires_grad:
        return clone(x)
    made = constant(x._data)
    made._rg = x._data.dtype.kind in "fc"
    return made


def given_back(value: Any, given: Leaves) -> Any:
    """Arrays for arrays, Tensors for Tensors."""
    if value is None or not given.arrays:
        return value
    return value._data


def gradients(output: Tensor, leaves: list[Tensor], weight: Any, create_graph: bool, strict: bool, keep: bool = True) -> list:
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    if not output.requires_grad:
        if strict:
            refuse("Output 0 of the user-provided function does not require gradients.",
                   "The outputs must be computed in a differentiable manner from the input when running in strict mode.")
        found: Any = [constant(np.zeros_like(leaf._data)) for leaf in wanted]
    else:
        found = grad(output, wanted, weight, keep or create_graph, create_graph, True)
        if strict and any(part is None for part in found):
            refuse("Output 0 of the user-provided function is independent of an input. This is not allowed in strict mode.")
    parts = iter(found)
    out = []
    for leaf in leaves:
        part = next(parts) if leaf.requires_grad else None
        out.append(constant(np.zeros_like(leaf._data)) if part is None else part)
    return out


def names(inputs: Any) -> bool:
    """Whether the arguments come later: inputs are names of parameters, or none."""
    several = isinstance(inputs, tuple) and bool(inputs) and all(isinstance(x, str) for x in inputs)
    return inputs is None or isinstance(inputs, str) or several


def jacobian(func: Callable, inputs: Any = None, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
             strategy: str = "reverse-mode") -> Any:
    """The Jacobian of a function, of shape output + input: for each output and each input one, nested as they are.

    func: of one value, or of several if `inputs` is a tuple of values. Raises as `grad` does. Without inputs, or with names of
    parameters, the result is a function of the arguments, like that of `grad`.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.jacobian(lambda x: x ** 2, np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    >>> sg.jacobian(lambda t, y: t * y ** 2, "y")(2.0, np.array([1.0, 3.0]))
    array([[ 4.,  0.],
           [ 0., 12.]])
    """
    if names(inputs):
        return Jacobian(func, inputs)
    given, leaves, outputs = called(func, inputs, create_graph)
    rows = []
    for output in outputs.values:
        parts = [gradients(element, leaves, None, create_graph, strict) for element in elements(output)]
        columns = []
        for number, leaf in enumerate(leaves):
            shape = tuple(output._data.shape) + tuple(leaf._data.shape)
            column = stack([part[number] for part in parts]).reshape(shape) if parts else constant(np.zeros(shape))  # type: ignore[attr-defined]
            columns.append(given_back(column if create_graph else column.detach(), given))
        rows.append(given.rebuild(columns))
    return outputs.rebuild(rows)


def elements(x: Tensor) -> list[Tensor]:
    flat = x.reshape(-1)  # type: ignore[attr-defined]
    return [flat[j] for j in range(x._data.size)]


def one_number(outputs: Leaves) -> Tensor:
    if len(outputs.values) != 1 or outputs.values[0]._data.size != 1:
        refuse("The Tensor returned by the function should contain a single element", "Reduce it, e.g. with .sum().")
    return outputs.values[0].reshape(())  # type: ignore[attr-defined]


def hessian(func: Callable, inputs: Any = None, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
            outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """The Hessian of a function with one number as its value. Without inputs, or with names, a function of the arguments.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.hessian(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    >>> sg.hessian(lambda x: (x ** 3).sum())(np.array([1.0]))
    array([[6.]])
    """
    if names(inputs):
        return Hessian(func, inputs)
    given = Leaves(inputs)

    def gradient(*arguments: Any) -> Any:
        held = Leaves(arguments if isinstance(inputs, tuple) else arguments[0])
        with enable_grad():
            value = one_number(Leaves(call(func, arguments) if given.arrays else func(*arguments)))
        return held.rebuild(gradients(value, held.values, None, True, False))

    rebuilt = given.rebuild([x if not given.arrays else constant(x._data) for x in given.values])
    found = jacobian(gradient, rebuilt, create_graph, strict)
    return to_arrays(found) if given.arrays else found


def to_arrays(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: to_arrays(part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(map(to_arrays, tree))
    return tree._data if isinstance(tree, Tensor) else tree


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """`(value, product)` of a vector with the Jacobian (as `torch.autograd.functional.vjp`)."""
    given, leaves, outputs = called(func, inputs, create_graph)
    weights = weights_for(outputs, v)
    parts: list = [None] * len(leaves)
    for output, weight in zip(outputs.values, weights):
        for number, part in enumerate(gradients(output, leaves, weight, create_graph, strict)):
            parts[number] = part if parts[number] is None else parts[number] + part
    value = outputs.rebuild([given_back(x if create_graph else x.detach(), given) for x in outputs.values])
    return value, given.rebuild([given_back(part, given) for part in parts])


def weights_for(outputs: Leaves, v: Any) -> list:
    if v is None:
        if any(x._data.size != 1 for x in outputs.values):
            refuse("The vector v can only be None if the user-provided function returns a single Tensor with a single element.")
        return [None] * len(outputs.values)
    weights = Leaves(v).values
    for output, weight in zip(outputs.values, weights):
        if output._data.shape != weight._data.shape:
            refuse(f"v has invalid size: should be {tuple(output._data.shape)} but got {tuple(weight._data.shape)}.")
    return weights


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """`(value, product)` of the Jacobian with a vector: by two reverse passes (the product is linear in the weights of the first).

    >>> import numpy as np, sourcegrad as sg
    >>> sg.jvp(lambda x: x ** 2, np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    (array([1., 9.]), array([2., 6.]))
    """
    given, leaves, outputs = called(func, inputs, create_graph)
    if v is None and any(x._data.size != 1 for x in leaves):
        refuse("The vector v can only be None if the input to the user-provided function is a single Tensor with a single element.")
    vectors = [constant(np.ones_like(x._data)) for x in leaves] if v is None else Leaves(v).values
    for leaf, vector in zip(leaves, vectors):
        if leaf._data.shape != vector._data.shape:
            refuse(f"v has invalid size: should be {tuple(leaf._data.shape)} but got {tuple(vector._data.shape)}.")
    products = []
    for output in outputs.values:
        weight = constant(np.zeros_like(output._data))
        weight._rg = True
        with enable_grad():
            parts = gradients(output, leaves, weight, True, strict)
            inner = [(part * vector).sum() for part, vector in zip(parts, vectors) if part.requires_grad]  # type: ignore[attr-defined]
            product = grad(sum(inner[1:], inner[0]), weight, None, True, create_graph, True)[0] if inner else None
        products.append(constant(np.zeros_like(output._data)) if product is None else product)
    value = outputs.rebuild([given_back(x if create_graph else x.detach(), given) for x in outputs.values])
    return value, outputs.rebuild([given_back(x, given) for x in products])


def hvp(func: Callable, inputs: Any = None, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """`(value, product)` of the Hessian with a vector. Without inputs a function `(x, v, *rest)` that gives the product.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), np.array([1.0, 1.0]))[1]
    array([ 6., 12.])
    >>> sg.hvp(lambda x, a: a * (x ** 3).sum())(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 0.5)      # as SciPy's `hessp`
    array([3., 6.])
    """
    if inputs is None:
        return HVP(func, None)
    given, leaves, outputs = called(func, inputs, create_graph)
    output = one_number(outputs)
    vectors = [constant(np.ones_like(x._data)) for x in leaves] if v is None else Leaves(v).values
    with enable_grad():
        parts = gradients(output, leaves, None, True, strict)
        inner = [(part * vector).sum() for part, vector in zip(parts, vectors) if part.requires_grad]  # type: ignore[attr-defined]
    total = sum(inner[1:], inner[0]) if inner else constant(np.zeros(()))
    found = gradients(total, leaves, None, create_graph, False)
    value = outputs.rebuild([given_back(x if create_graph else x.detach(), given) for x in outputs.values])
    return value, given.rebuild([given_back(part, given) for part in found])


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """`(value, product)` of a vector with the Hessian, which is symmetric."""
    return hvp(func, inputs, v, create_graph, strict)


# --- checks

def gradcheck(func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True, **_options: Any) -> bool:
    """Whether the derivatives of a function on Tensors agree with central differences (as `torch.autograd.gradcheck`).

    Those by all inputs that require a gradient, of all outputs that do, are compared. Raises a GraphError where they differ, or
    gives False with raise_exception=False.

    >>> import sourcegrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True)
    >>> sg.gradcheck(lambda x: (sg.sin(x) * x).sum(), (x,))
    True
    >>> sg.gradcheck(lambda x: (x.detach() * x).sum(), (x,), raise_exception=False)
    False
    """
    tensors = [x for x in (inputs if isinstance(inputs, (tuple, list)) else (inputs,)) if isinstance(x, Tensor)]
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    wanted = [x for x in tensors if x.requires_grad]
    if not wanted:
        raise TypeError("gradcheck expects at least one input tensor to require gradient, but none of them require_grad.")
    outputs = func(*arguments)
    many = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    for number, output in enumerate(many):
        if not isinstance(output, Tensor) or not output.requires_grad:
            continue
        for position, x in enumerate(wanted):
            exact = (
                np.stack([part_of(element, x) for element in elements(output)]).T
                if output._data.size
                else np.zeros((x._data.size, 0))
            )
            measured = differences(func, arguments, x, number, eps)
            if not np.allclose(exact, measured, rtol, atol):
                if raise_exception:
                    raise GraphError(
                        f"Jacobian mismatch for output {number} with respect to input {position},\nnumerical:\n{measured}\n"
                        f"analytical:\n{exact}"
                    )
                return False
    return True


def part_of(element: Tensor, x: Tensor) -> np.ndarray:
    found = grad(element, x, None, True, False, True)[0]
    return np.zeros(x._data.size) if found is None else np.asarray(found._data).reshape(-1)


def differences(func: Callable, arguments: tuple, x: Tensor, number: int, eps: float) -> np.ndarray:
    rows = []
    flat: Any = x._data.reshape(-1) if x._data.flags.c_contiguous else None
    if flat is None:
        refuse("gradcheck needs contiguous inputs", "Use x.contiguous().")
    for j in range(x._data.size):
        before, sides = flat[j], []
        for side in (before + eps, before - eps):
            flat[j] = side
            with no_grad():
                found = func(*arguments)
            sides.append(np.array((found if isinstance(found, (tuple, list)) else (found,))[number]._data).reshape(-1))
        flat[j] = before
        rows.append((sides[0] - sides[1]) / (2 * eps))
    return np.stack(rows)


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Whether second derivatives agree with central differences of the first ones."""
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)

    def first(*args: Any) -> Any:
        with enable_grad():
            found = func(*args)
            many = [x for x in (found if isinstance(found, (tuple, list)) else (found,)) if x.requires_grad]
            weights = [constant(np.cos(np.arange(x._data.size, dtype=float)).reshape(x._data.shape)) for x in many]
            inner = [x for x in args if isinstance(x, Tensor) and x.requires_grad]
            parts = grad(many, inner, weights, True, True, True)
        return tuple(part for part in parts if part is not None and part.requires_grad)

    return gradcheck(first, arguments, **options)


class Pullback:
    """What `sg.vjp` gives for a function on Tensors: call it with weights of the value for the gradients of all arguments."""

    def __init__(self, value: Any, leaves: list[Tensor]) -> None:
        self._value, self._leaves = value, leaves

    def __call__(self, ct: Any = None) -> tuple:
        outputs = list(self._value) if isinstance(self._value, (tuple, list)) else [self._value]
        weights = None if ct is None else list(ct) if isinstance(self._value, (tuple, list)) else [ct]
        return grad(outputs, self._leaves, weights, True, False, True, False, True)


def vjp_of_values(function: Callable, args: tuple, inputs: Any) -> Any:
    """`(value, pullback)` of a function on Tensors; None if there are none among the arguments."""
    if not any(issubclass(type(a), Tensor) for a in args):
        return None
    if inputs is not None:
        refuse("sg.vjp with inputs= is for functions on arrays", "A pullback on Tensors gives the gradients of all of them.")
    leaves = [fresh(a, False) if isinstance(a, Tensor) else a for a in args]
    with enable_grad():
        value = function(*leaves)
    return value, Pullback(value, [leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf.requires_grad])
