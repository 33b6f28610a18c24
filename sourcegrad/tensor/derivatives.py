"""Reverse mode on Tensors: `backward` and `grad` of `torch.autograd`, Jacobians, Hessians and products with them; `gradcheck`.

A Jacobian takes one backward pass for each output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sourcegrad.api.jacobian import Hessian, jacfwd
from sourcegrad.errors import GraphError, origin_at, refuse, refuse_type, refuse_value, user_place
from sourcegrad.tensor.calls import Function, call
from sourcegrad.tensor.core import Tensor, as_arrays, constant, mapped
from sourcegrad.tensor.node import STATE, Pass, enable_grad, reaching
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
            if not leaf.requires_grad:
                refuse("One of the differentiated Tensors given as 'inputs' to backward does not require grad")
    cts = cotangents(outputs, weights, create_graph)
    run = Pass(create_graph, create_graph if retain_graph is None else retain_graph)
    if inputs is not None:
        for leaf in leaves:
            leaf.retain_grad()
        run.needed = reaching([output._edge()[0] for output in outputs], {leaf._edge()[0] for leaf in leaves})
    start(run, outputs, cts)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
         allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple:
    """The gradients of Tensors with respect to others, as a tuple (as `torch.autograd.grad`)."""
    if allow_unused is None:
        allow_unused = materialize_grads
    elif not allow_unused and materialize_grads:
        refuse_value("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    many = as_tensors(outputs, "outputs")
    wanted = as_tensors(inputs, "inputs")
    if not wanted:
        refuse("grad requires non-empty inputs.")
    weights = as_weights(grad_outputs, many)
    if is_grads_batched:
        return batched(many, wanted, weights, retain_graph, create_graph, allow_unused, materialize_grads)
    for position, tensor in enumerate(wanted):
        if not tensor.requires_grad:
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
    found = map(run.results.get, range(len(wanted)))
    return tuple([finished(part, tensor, create_graph, allow_unused, materialize_grads) for part, tensor in zip(found, wanted)])


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
    given = (value,) if isinstance(value, (Tensor, np.ndarray, float, int, str)) else tuple(value)
    if len(given) != len(outputs):
        refuse(f"got {len(outputs)} tensors and {len(given)} gradients")
    return given


def cotangents(outputs: tuple, weights: tuple, tracked: bool) -> list:
    """The weights of the outputs, checked; one for a scalar that has none."""
    cts = []
    for number, (output, weight) in enumerate(zip(outputs, weights)):
        if not output.requires_grad:
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
        self.tree = mapped(self._number, tree)

    def _number(self, tree: Any) -> int:
        if isinstance(tree, (np.ndarray, np.generic, float, int, complex)):
            self.arrays = True
            tree = constant(np.asarray(tree, None if np.asarray(tree).dtype.kind in "fc" else np.float64))
        if not isinstance(tree, Tensor):
            refuse_type(f"Tensors or arrays (or lists, tuples, dicts of them) are needed here, not {type(tree).__name__}")
        self.values.append(tree)
        return len(self.values) - 1

    def rebuild(self, values: Sequence) -> Any:
        return mapped(values.__getitem__, self.tree)


def called(function: Callable, inputs: Any, create_graph: bool) -> tuple[Leaves, list[Tensor], Leaves]:
    """Run a function on its inputs as leaves of a graph of its own: inputs, those leaves, outputs."""
    given = Leaves(inputs)
    leaves = [fresh(x, create_graph) for x in given.values]
    arguments = given.rebuild(leaves)
    several = arguments if isinstance(inputs, tuple) and not hasattr(inputs, "_fields") else (arguments,)
    outputs = Leaves(call(function, several) if given.arrays else function(*several))  # on arrays: one node
    if outputs.arrays and not given.arrays:
        refuse_type("The outputs of the user-provided function must be Tensors: an array or a number has no history.")
    return given, leaves, outputs


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


def forward(strategy: str, given: Leaves, create_graph: bool, option: str) -> bool:
    """Whether forward mode is asked for, which takes functions of arrays."""
    if strategy not in ("reverse-mode", "forward-mode"):
        refuse_value(f'{option} is {strategy!r}: it is "reverse-mode" or "forward-mode".')
    if strategy == "forward-mode" and (create_graph or not given.arrays):
        refuse(f'{option}="forward-mode" is for functions of arrays, without create_graph.',
               "Use the reverse mode, or pass arrays: sg.jacfwd(f)(x).")
    return strategy == "forward-mode"


@enable_grad()
def jacobian(func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
             strategy: str = "reverse-mode") -> Any:
    """The Jacobian of a function, of shape output + input: for each output and each input one, nested as they are.

    func: of one value, or of several if `inputs` is a tuple of values (as `torch.autograd.functional.jacobian`). strategy:
    "forward-mode" for functions of arrays. vectorize: for speed only, as there. Raises as `grad` does.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.autograd.functional.jacobian(lambda x: x ** 2, np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    if forward(strategy, Leaves(inputs), create_graph, "strategy"):
        several = isinstance(inputs, tuple)
        found = jacfwd(func, tuple(range(len(inputs))) if several else None)
        return found(*inputs) if several else found(inputs)
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


@enable_grad()
def hessian(func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
            outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """The Hessian of a function with one number as its value (as `torch.autograd.functional.hessian`).

    outer_jacobian_strategy: "forward-mode" for functions of arrays.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.autograd.functional.hessian(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    given = Leaves(inputs)
    if forward(outer_jacobian_strategy, given, create_graph, "outer_jacobian_strategy"):
        several = isinstance(inputs, tuple)
        made = Hessian(func, tuple(range(len(inputs))) if several else None, "forward")
        return made(*inputs) if several else made(inputs)

    def gradient(*arguments: Any) -> Any:
        held = Leaves(arguments if isinstance(inputs, tuple) else arguments[0])
        value = one_number(Leaves(call(func, arguments) if given.arrays else func(*arguments)))
        return held.rebuild(gradients(value, held.values, None, True, False))

    rebuilt = given.rebuild([x if not given.arrays else constant(x._data) for x in given.values])
    found = jacobian(gradient, rebuilt, create_graph, strict)
    return as_arrays(found) if given.arrays else found


@enable_grad()
def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """`(value, product)` of a vector with the Jacobian (as `torch.autograd.functional.vjp`)."""
    given, leaves, outputs = called(func, inputs, create_graph)
    weights = directions(outputs.values, v, "the user-provided function returns")
    parts: list = [None] * len(leaves)
    for output, weight in zip(outputs.values, weights):
        for number, part in enumerate(gradients(output, leaves, weight, create_graph, strict)):
            parts[number] = part if parts[number] is None else parts[number] + part
    value = outputs.rebuild([given_back(x if create_graph else x.detach(), given) for x in outputs.values])
    return value, given.rebuild([given_back(part, given) for part in parts])


def directions(like: list[Tensor], v: Any, what: str) -> list[Tensor]:
    """The vector of a product, checked against the Tensors that it belongs to; ones for one number."""
    if v is None:
        if any(x._data.size != 1 for x in like):
            refuse(f"The vector v can only be None if {what} a single Tensor with a single element.")
        return [constant(np.ones_like(x._data)) for x in like]
    vectors = Leaves(v).values
    if len(vectors) != len(like):
        refuse(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
    for x, vector in zip(like, vectors):
        if x._data.shape != vector._data.shape:
            refuse(f"v has invalid size: should be {tuple(x._data.shape)} but got {tuple(vector._data.shape)}.")
    return vectors


INPUT = "the input to the user-provided function is"


@enable_grad()
def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """`(value, product)` of the Jacobian with a vector: by two reverse passes (the product is linear in the weights of the first).

    >>> import numpy as np, sourcegrad as sg
    >>> sg.autograd.functional.jvp(lambda x: x ** 2, np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    (array([1., 9.]), array([2., 6.]))
    """
    given, leaves, outputs = called(func, inputs, create_graph)
    vectors = directions(leaves, v, INPUT)
    products = []
    for output in outputs.values:
        weight = constant(np.zeros_like(output._data))
        weight._rg = True
        parts = gradients(output, leaves, weight, True, strict)
        total = along(parts, vectors)
        product = grad(total, weight, None, True, create_graph, True)[0] if total.requires_grad else None
        products.append(constant(np.zeros_like(output._data)) if product is None else product)
    value = outputs.rebuild([given_back(x if create_graph else x.detach(), given) for x in outputs.values])
    return value, outputs.rebuild([given_back(x, given) for x in products])


@enable_grad()
def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """`(value, product)` of the Hessian with a vector (as `torch.autograd.functional.hvp`).

    >>> import numpy as np, sourcegrad as sg
    >>> sg.autograd.functional.hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), np.array([1.0, 1.0]))[1]
    array([ 6., 12.])
    """
    given, leaves, outputs = called(func, inputs, create_graph)
    output = one_number(outputs)
    vectors = directions(leaves, v, INPUT)
    total = along(gradients(output, leaves, None, True, strict), vectors)
    found = gradients(total, leaves, None, create_graph, strict)
    value = outputs.rebuild([given_back(x if create_graph else x.detach(), given) for x in outputs.values])
    return value, given.rebuild([given_back(part, given) for part in found])


def along(parts: list[Tensor], vectors: list[Tensor]) -> Tensor:
    """The product of gradients with vectors, summed up."""
    inner: Any = [(part * vector).sum() for part, vector in zip(parts, vectors) if part.requires_grad]  # type: ignore
    return sum(inner[1:], inner[0]) if inner else constant(np.zeros(()))


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """`(value, product)` of a vector with the Hessian, which is symmetric."""
    return hvp(func, inputs, v, create_graph, strict)


# --- checks

class CheckError(GraphError):
    """What `gradcheck` finds."""


class UndefinedGrad(Function):
    """The identity, through which nothing comes back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.clone()  # type: ignore[attr-defined]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None


class Check:
    """The derivatives of a function beside central differences: all real parts of its outputs by all real parts of its inputs.

    The gradient of a real number r by a complex x = a + bi is dr/da + i dr/db, as in PyTorch.
    """

    def __init__(self, function: Callable, arguments: tuple, eps: float) -> None:
        self.function, self.arguments, self.eps = function, arguments, eps
        self.inputs = [x for x in arguments if isinstance(x, Tensor) and x.requires_grad]
        if not self.inputs:
            refuse_value("gradcheck expects at least one input tensor to require gradient, but none of them has requires_grad=True")
        if any(0 in x._data.strides and x._data.size for x in self.inputs) or not all(x._data.flags.writeable for x in self.inputs):
            refuse("an input of gradcheck has elements that share memory, which cannot be changed one by one", "Use x.clone().")
        self.outputs = outputs_of(function(*arguments))
        self.tracked = [output for output in self.outputs if output.requires_grad]

    def run(self, atol: float, rtol: float, nondet_tol: float, undefined: bool) -> None:
        if not self.tracked:
            for number, measured in ((n, m) for x in self.inputs for n, m in enumerate(self.measured(x, self.outputs))):
                if not np.allclose(measured, 0.0, rtol, atol):
                    fail(f"Numerical gradient for function expected to be zero: output {number} has no history", measured)
            return
        exact = [self.exact(output) for output in self.tracked]
        for position, x in enumerate(self.inputs):
            for number, (measured, rows) in enumerate(zip(self.measured(x, self.tracked), exact)):
                if not np.allclose(rows[position], measured, rtol, atol):
                    fail(f"Jacobian mismatch for output {number} with respect to input {position},\nnumerical:", measured,
                         "analytical:", rows[position])
        for first, output in zip(exact, self.tracked):
            for one, other in zip(first, self.exact(output)):
                if one.size and np.max(np.abs(one - other)) > nondet_tol:
                    fail("Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
                         "different values, although analytical gradient matches numerical gradient.")
        nothing = [constant(np.zeros_like(output._data)) for output in self.tracked]
        if any_left(grad(self.tracked, self.inputs, nothing, True, False, True)):
            fail("backward not multiplied by grad_output: it gives something for a zero")
        if undefined:
            self.undefined(nothing)

    def exact(self, output: Tensor) -> list[np.ndarray]:
        """For each input the derivatives of the output, of shape (parts of the input, real parts of the output)."""
        rows: list[list[np.ndarray]] = [[] for _ in self.inputs]
        for index in np.ndindex(output._data.shape):
            for weight in (1.0, 1j) if output.is_complex() else (1.0,):
                ct = np.zeros_like(output._data)
                ct[index] = weight
                for column, part, x in zip(rows, grad(output, self.inputs, constant(ct), True, False, True), self.inputs):
                    column.append(np.zeros(x._data.size) if part is None else part._data.reshape(-1))
        return [np.array(column).T if column else np.zeros((x._data.size, 0)) for column, x in zip(rows, self.inputs)]

    def measured(self, x: Tensor, outputs: Sequence[Tensor]) -> list[np.ndarray]:
        """For each output its central differences by an input, of the same shape."""
        places = [number for number, output in enumerate(self.outputs) if any(output is wanted for wanted in outputs)]
        rows: list[list[np.ndarray]] = [[] for _ in outputs]
        for index in np.ndindex(x._data.shape):
            before = x._data[index]
            for column, *parts in zip(rows, *[self.side(x, index, before, unit, places)
                                              for unit in ((1.0, 1j) if x.is_complex() else (1.0,))]):
                column.append(parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1])
        return [np.array(column) if column else np.zeros((0, real_parts(o).size)) for column, o in zip(rows, outputs)]

    def side(self, x: Tensor, index: tuple, before: Any, unit: complex, places: list[int]) -> list[np.ndarray]:
        sides = []
        for step in (self.eps * unit, -self.eps * unit):
            try:
                x._data[index] = before + step
                found = outputs_of(self.function(*self.arguments))
                sides.append([real_parts(found[place]) for place in places])
            finally:
                x._data[index] = before
        return [(one - other) / (2 * self.eps) for one, other in zip(*sides)]

    def undefined(self, nothing: list[Tensor]) -> None:
        outputs = outputs_of(self.function(*self.arguments))
        stopped = [UndefinedGrad.apply(output) for output in outputs if output.requires_grad]
        try:
            left = any_left(grad(stopped, self.inputs, nothing, True, False, True))
        except Exception as error:
            raise CheckError(f"Expected backward function to handle undefined output grads: {type(error).__name__}: {error}", None,
                             "A cotangent may be None (in a hook, and after ctx.set_materialize_grads(False)).") from error
        if left:
            fail("Expected all gradients to be zero or undefined (None) where no gradient comes back")


def fail(message: str, *more: Any) -> None:
    raise CheckError("\n".join(map(str, (message, *more))), origin_at(user_place()))


def any_left(parts: tuple) -> bool:
    return any(part is not None and bool(np.any(part._data)) for part in parts)


def outputs_of(found: Any) -> tuple:
    many = tuple(found) if isinstance(found, (tuple, list)) else (found,)
    for output in many:
        if not isinstance(output, Tensor):
            refuse_type(f"the function returns Tensors, not {type(output).__name__}")
    return many


def real_parts(x: Tensor) -> np.ndarray:
    data = np.array(x._data)
    return data.view(data.real.dtype).reshape(-1) if x.is_complex() else data.reshape(-1)


def gradcheck(func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
              check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_forward_ad: bool = False,
              check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None) -> bool:
    """Whether the derivatives of a function on Tensors agree with central differences (as `torch.autograd.gradcheck`).

    Outputs without history must not depend on the inputs; gradients must be the same at a second backward pass (up to nondet_tol),
    zero for a zero cotangent, and zero or None where no gradient comes back (check_undefined_grad). fast_mode and the
    checks of batched gradients and dtypes find nothing more here: all elements are looked at, one by one.

    >>> import sourcegrad as sg
    >>> x = sg.tensor([0.3, 0.7], requires_grad=True)
    >>> sg.gradcheck(sg.sin, (x,)), sg.gradcheck(lambda x: x * x.detach(), (x,), raise_exception=False)
    (True, False)
    """
    if check_forward_ad:
        refuse("there is no forward mode: check_forward_ad=True checks nothing")
    try:
        Check(func, tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,), eps).run(
            atol, rtol, nondet_tol, check_undefined_grad)
    except CheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, *, gen_non_contig_grad_outputs: bool = False,
                  **options: Any) -> bool:
    """Whether second derivatives agree with central differences of the first ones, by the inputs and by the weights of the outputs
    (grad_outputs; random ones if they are left out). options: those of `gradcheck`."""
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    count = len(arguments)
    weights = grad_outputs
    if weights is None:
        random = np.random.default_rng(0)
        weights = []
        for output in outputs_of(func(*arguments)):
            if output.requires_grad:
                real, imaginary = random.normal(size=(2, *output._data.shape))
                numbers = real + 1j * imaginary if output.is_complex() else real
                weights.append(constant(np.asarray(numbers, output._data.dtype)).requires_grad_())
    weights = tuple(weights) if isinstance(weights, (tuple, list)) else (weights,)

    def first(*args: Any) -> Any:
        outputs = [output for output in outputs_of(func(*args[:count])) if output.requires_grad]
        wanted = [x for x in args[:count] if isinstance(x, Tensor) and x.requires_grad]
        return tuple(part for part in grad(outputs, wanted, args[count:], True, True, True) if part is not None)

    return gradcheck(first, (*arguments, *weights), **options)


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
