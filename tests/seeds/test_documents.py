"""The documents that the user gave show notes on `torch.autograd`: every code block works with `import sourcegrad as sg`.

One test for each block, in the order of the documents; what the documents print is asserted. Obvious typos of theirs are mended
(`requires_gad`, `import numpy np`, `allow_used`).
"""

import numpy as np
import pytest

import sourcegrad as sg


def name(node):
    return repr(node).split(" ")[0].strip("<>")


# --- 000: what an optimizer does with .grad


def test_the_signature_of_grad():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    found = sg.grad(y, x, sg.ones_like(y), create_graph=False, retain_graph=False, allow_unused=False)
    assert found[0].tolist() == [2.0, 4.0]


def test_optimizer_loss_backward_step():
    p = sg.tensor(4.0, requires_grad=True)
    optimizer = sg.optim.SGD([p], lr=0.1)
    loss = (p - 1.0) ** 2
    loss.backward()
    assert p.grad.item() == 6.0
    optimizer.step()
    assert p.item() == pytest.approx(4.0 - 0.1 * 6.0)


def test_gradients_of_the_parameters_of_a_module():
    sg.manual_seed(0)
    model = sg.nn.Linear(3, 2)
    x = sg.randn(5, 3)
    loss = (model(x) ** 2).mean()
    gradient = sg.grad(loss, tuple(model.parameters()))
    out = x.numpy() @ model.weight.detach().numpy().T + model.bias.detach().numpy()
    assert np.allclose(gradient[0].numpy(), 2 * out.T @ x.numpy() / out.size)
    assert np.allclose(gradient[1].numpy(), 2 * out.sum(0) / out.size)
    loss = (model(x) ** 2).mean()
    assert np.allclose(sg.grad(loss, list(model.parameters()))[1].numpy(), gradient[1].numpy())


def test_jacobian_vector_product_by_grad_outputs():
    inputs = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    A = sg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    outputs = A @ inputs  # from R^3 to R^2
    gradient = sg.grad(outputs, inputs, sg.tensor([1.0, -1.0]))
    assert gradient[0].tolist() == [-3.0, -3.0, -3.0]


def test_higher_order_by_create_graph():
    x = sg.tensor(3.0, requires_grad=True)
    (first,) = sg.grad(x**3, x, create_graph=True)
    (second,) = sg.grad(first, x)
    assert (first.item(), second.item()) == (27.0, 18.0)


# --- 001: how to compute grad


def test_requires_grad_and_grad_fn():
    a = sg.tensor([1.0, 2.0, 3.0])
    b = sg.tensor([4.0, 5.0, 6.0], requires_grad=True)
    assert repr(sg.sin(a)) == "tensor([0.8415, 0.9093, 0.1411])"
    assert repr(sg.sin(b)) == "tensor([-0.7568, -0.9589, -0.2794], grad_fn=<SinBackward0>)"
    c = sg.sin(sg.sin(b).sum() ** 2)
    assert repr(c) == "tensor(-0.7440, grad_fn=<SinBackward0>)"


def test_next_functions_down_to_the_leaf():
    b = sg.tensor([4.0, 5.0, 6.0], requires_grad=True)
    c = sg.sin(sg.sin(b).sum() ** 2)
    node, names = c.grad_fn, []
    while node is not None:
        names.append(name(node))
        assert len(node.next_functions) <= 1 and all(number == 0 for _, number in node.next_functions)
        node = node.next_functions[0][0] if node.next_functions else None
    assert names == ["SinBackward0", "PowBackward0", "SumBackward0", "SinBackward0", "AccumulateGrad"]
    assert b.grad_fn is None


def test_grad_of_a_sum_and_of_a_vector():
    b = sg.tensor([4.0, 5.0, 6.0], requires_grad=True)
    d = sg.sum(b**2)
    assert repr(sg.grad(d, b)) == "(tensor([ 8., 10., 12.]),)"
    e = b**2
    assert repr(sg.grad(e, b, grad_outputs=sg.ones_like(e))) == "(tensor([ 8., 10., 12.]),)"


def test_second_derivative_needs_create_graph():
    x = sg.tensor(2.0).requires_grad_()
    y = sg.tensor(3.0).requires_grad_()
    z = x * x * y
    grad_x = sg.grad(outputs=z, inputs=x)
    assert repr(grad_x[0]) == "tensor(12.)"
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        sg.grad(outputs=grad_x, inputs=x)


def test_second_derivative():
    x = sg.tensor(2.0).requires_grad_()
    y = sg.tensor(3.0).requires_grad_()
    z = x * x * y
    grad_x = sg.grad(outputs=z, inputs=x, create_graph=True)
    assert repr(grad_x) == "(tensor(12., grad_fn=<AddBackward0>),)"
    grad_xx = sg.grad(outputs=grad_x, inputs=x)
    assert repr(grad_xx) == "(tensor(6.),)"


# --- 002: backward and autograd.grad


def test_backward_of_a_scalar():
    x = sg.tensor(0.0, requires_grad=True)
    a = sg.tensor(1.0)
    b = sg.tensor(-2.0)
    c = sg.tensor(1.0)
    y = a * sg.pow(x, 2) + b * x + c
    y.backward()
    dy_dx = x.grad
    assert dy_dx.item() == -2.0


def square(x):
    a, b, c = sg.tensor(1.0), sg.tensor(-2.0), sg.tensor(1.0)
    return a * sg.pow(x, 2) + b * x + c


def test_backward_of_a_matrix_with_weights():
    x = sg.tensor([[0.0, 0.0], [1.0, 2.0]], requires_grad=True)
    y = square(x)
    gradient = sg.tensor([[1.0, 1.0], [1.0, 1.0]])
    y.backward(gradient=gradient)
    assert x.grad.tolist() == [[-2.0, -2.0], [0.0, 2.0]]


def test_backward_of_a_matrix_by_a_scalar():
    x = sg.tensor([[0.0, 0.0], [1.0, 2.0]], requires_grad=True)
    y = square(x)
    gradient = sg.tensor([[1.0, 1.0], [1.0, 1.0]])
    z = sg.sum(y * gradient)
    z.backward()
    assert x.grad.tolist() == [[-2.0, -2.0], [0.0, 2.0]]


def test_grad_of_a_matrix_is_refused_without_weights():
    x = sg.tensor([[0.0, 0.0], [1.0, 2.0]], requires_grad=True)
    y = square(x)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs") as error:
        sg.grad(y, x, create_graph=True)[0]
    assert "shape (2, 2)" in str(error.value)
    dy_dx = sg.grad(y, x, sg.ones_like(y), create_graph=True)[0]
    assert dy_dx.tolist() == [[-2.0, -2.0], [0.0, 2.0]] and dy_dx.requires_grad


def test_several_variables_and_several_outputs():
    x1 = sg.tensor(1.0, requires_grad=True)
    x2 = sg.tensor(2.0, requires_grad=True)
    y1 = x1 * x2
    y2 = x1 + x2
    (dy1_dx1, dy1_dx2) = sg.grad(outputs=y1, inputs=[x1, x2], retain_graph=True)
    assert (dy1_dx1.item(), dy1_dx2.item()) == (2.0, 1.0)
    (dy12_dx1, dy12_dx2) = sg.grad(outputs=[y1, y2], inputs=[x1, x2])
    assert (dy12_dx1.item(), dy12_dx2.item()) == (3.0, 2.0)


def test_minimum_by_sgd():
    x = sg.tensor(0.0, requires_grad=True)
    a = sg.tensor(1.0)
    b = sg.tensor(-2.0)
    c = sg.tensor(1.0)
    optimizer = sg.optim.SGD(params=[x], lr=0.01)

    def f(x):
        result = a * sg.pow(x, 2) + b * x + c
        return result

    for _ in range(500):
        optimizer.zero_grad()
        y = f(x)
        y.backward()
        optimizer.step()
    assert f(x).item() == pytest.approx(0.0, abs=1e-6) and x.item() == pytest.approx(1.0, abs=1e-3)


# --- 003: autograd: automatic differentiation


def test_tensor_and_its_operations():
    x = sg.ones(2, 2, requires_grad=True)
    assert repr(x) == "tensor([[1., 1.],\n        [1., 1.]], requires_grad=True)"
    y = x + 2
    assert repr(y) == "tensor([[3., 3.],\n        [3., 3.]], grad_fn=<AddBackward0>)"
    assert repr(y.grad_fn).startswith("<AddBackward0 object at 0x")
    z = y * y * 3
    out = z.mean()
    assert str(z) + " " + str(out) == (
        "tensor([[27., 27.],\n        [27., 27.]], grad_fn=<MulBackward0>) tensor(27., grad_fn=<MeanBackward0>)"
    )
    out.backward()
    assert repr(x.grad) == "tensor([[4.5000, 4.5000],\n        [4.5000, 4.5000]])"


def test_out_backward_is_backward_of_one():
    x = sg.ones(2, 2, requires_grad=True)
    ((x + 2) * (x + 2) * 3).mean().backward(sg.tensor(1.0))
    assert x.grad.tolist() == [[4.5, 4.5], [4.5, 4.5]]


def test_requires_grad_in_place():
    a = sg.randn(2, 2)
    a = (a * 3) / (a - 1)
    assert a.requires_grad is False
    a.requires_grad_(True)
    assert a.requires_grad is True
    b = (a * a).sum()
    assert name(b.grad_fn) == "SumBackward0"


def test_vector_jacobian_product():
    x = sg.randn(3, requires_grad=True)
    y = x * 2
    doublings = 1
    while y.data.norm() < 1000:
        y = y * 2
        doublings += 1
    assert repr(y).endswith("grad_fn=<MulBackward0>)")
    v = sg.tensor([0.1, 1.0, 0.0001], dtype=sg.float)
    y.backward(v)
    assert np.allclose(x.grad.numpy(), 2.0**doublings * np.array([0.1, 1.0, 0.0001]), rtol=1e-6)


def test_no_grad():
    x = sg.randn(3, requires_grad=True)
    assert x.requires_grad is True
    assert (x**2).requires_grad is True
    with sg.no_grad():
        assert (x**2).requires_grad is False


# --- 004: automatic differentiation with torch.autograd


def layer():
    x = sg.ones(5)
    y = sg.zeros(3)
    w = sg.randn(5, 3, requires_grad=True)
    b = sg.randn(3, requires_grad=True)
    z = sg.matmul(x, w) + b
    return x, y, w, b, z


def test_a_layer_with_a_loss():
    x, y, w, b, z = layer()
    loss = sg.nn.functional.binary_cross_entropy_with_logits(z, y)
    assert name(z.grad_fn) == "AddBackward0"
    assert name(loss.grad_fn) == "BinaryCrossEntropyWithLogitsBackward0"
    loss.backward()
    s = 1 / (1 + np.exp(-z.detach().numpy())) / 3
    assert np.allclose(w.grad.numpy(), np.outer(np.ones(5), s)) and np.allclose(b.grad.numpy(), s)


def test_only_leaves_have_grad_and_graphs_run_once():
    x, y, w, b, z = layer()
    loss = sg.nn.functional.binary_cross_entropy_with_logits(z, y)
    loss.backward(retain_graph=True)
    assert z.grad is None and w.grad is not None
    loss.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        loss.backward()


def test_disabling_gradient_tracking():
    x, y, w, b, z = layer()
    assert z.requires_grad is True
    with sg.no_grad():
        z = sg.matmul(x, w) + b
    assert z.requires_grad is False
    z = sg.matmul(x, w) + b
    z_det = z.detach()
    assert z_det.requires_grad is False


def test_jacobian_products_accumulate():
    inp = sg.eye(5, requires_grad=True)
    out = (inp + 1).pow(2)
    out.backward(sg.ones_like(inp), retain_graph=True)
    first = (
        "tensor([[4., 2., 2., 2., 2.],\n        [2., 4., 2., 2., 2.],\n        [2., 2., 4., 2., 2.],\n"
        "        [2., 2., 2., 4., 2.],\n        [2., 2., 2., 2., 4.]])"
    )
    assert f"First call\n {inp.grad}" == "First call\n " + first
    out.backward(sg.ones_like(inp), retain_graph=True)
    assert repr(inp.grad) == first.replace("4.", "8.").replace("2.", "4.")
    inp.grad.zero_()
    out.backward(sg.ones_like(inp), retain_graph=True)
    assert repr(inp.grad) == first
