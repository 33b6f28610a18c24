"""Functions on arrays called with Tensors are one node; jacobian, hessian, products, checks; sg.Function."""
import linecache

import numpy as np
import pytest

import sourcegrad as sg


@sg.differentiable
def damp(A, c):
    out = A.copy()
    for i in range(1, len(A)):
        out[i] += c * out[i - 1] ** 2
    return out


@sg.differentiable
def spread(A, c):
    A[0] = c * A[1]
    return np.sum(A)


class Ball:
    def __init__(self, height, speed):
        self.height, self.speed = height, speed

    def step(self, dt):
        self.speed = self.speed - 9.81 * dt
        self.height = self.height + self.speed * dt


@sg.differentiable
def fall(height, speed, steps):
    ball = Ball(height, speed)
    for _ in range(steps):
        ball.step(0.1)
    return ball.height**2, ball.speed


def test_a_call_is_one_node():
    x, c = sg.tensor([1.0, 2.0, 3.0], requires_grad=True), sg.tensor(0.5, requires_grad=True)
    y = damp(x * 2, c)
    assert repr(y) == "tensor([ 2.,  6., 24.], grad_fn=<DampBackward>)"
    assert [type(n).__name__ for n, _ in y.grad_fn.next_functions] == ["MulBackward0", "AccumulateGrad"]
    (y * y).sum().backward()
    assert x.grad.tolist() == [1208.0, 600.0, 96.0] and c.grad.item() == 2928.0
    assert "def damp_reverse(saved, out_bar):" in y.grad_fn.source


def test_plain_arrays_stay_plain():
    assert isinstance(damp(np.ones(3), 0.5), np.ndarray)
    x = sg.tensor([1.0, 2.0])
    assert isinstance(damp(x, 0.5), sg.Tensor) and not damp(x, 0.5).requires_grad


def test_second_derivative_through_a_call():
    x, c = sg.tensor([1.0, 2.0, 3.0], requires_grad=True), sg.tensor(0.5, requires_grad=True)
    (g,) = sg.grad((damp(x, c) ** 2).sum(), x, create_graph=True)
    (h,) = sg.grad(g.sum(), x)
    step = 1e-5

    def gradient(v):
        return sg.grad(lambda a: np.sum(damp(a, 0.5) ** 2))(v)

    v = np.array([1.0, 2.0, 3.0])
    expected = [(gradient(v + step * e) - gradient(v - step * e)).sum() / (2 * step) for e in np.eye(3)]
    assert np.allclose(h.numpy(), expected, rtol=1e-6)


def test_several_results_and_objects_inside():
    height, speed = sg.tensor(10.0, requires_grad=True), sg.tensor(1.0, requires_grad=True)
    square, last = fall(height, speed, 3)
    (square + 2 * last).backward()
    end = 10.0 + 3 * 0.1 * 1.0 - 9.81 * 0.01 * 6
    assert np.allclose([height.grad.item(), speed.grad.item()], [2 * end, 2 * end * 0.3 + 2])
    (only,) = sg.grad(fall(height, speed, 3)[1], speed)
    assert only.item() == 1.0


def test_a_tensor_that_is_changed_is_refused():
    x, c = sg.tensor([1.0, 2.0, 3.0], requires_grad=True), sg.tensor(0.5, requires_grad=True)
    with pytest.raises(RuntimeError, match="changes its argument 'A'"):
        spread(x, c)
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_a_changed_tensor_may_be_the_output():
    x, c = sg.tensor([1.0, 2.0, 3.0], requires_grad=True), sg.tensor(0.5, requires_grad=True)
    y = spread.output("A")(x, c)
    assert y.tolist() == [1.0, 2.0, 3.0] and x.tolist() == [1.0, 2.0, 3.0]
    y.backward(sg.tensor([1.0, 10.0, 100.0]))
    assert x.grad.tolist() == [0.0, 10.5, 100.0] and c.grad.item() == 2.0


def test_a_changed_argument_is_noticed_at_backward():
    x = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    z = damp(y, 0.5)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_a_call_runs_backward_once():
    x = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = damp(x, 0.5).sum()
    y.backward(retain_graph=True)
    first = x.grad.numpy().copy()
    y.backward()
    assert np.allclose(x.grad.numpy(), 2 * first)
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_tensors_in_containers():
    @sg.differentiable
    def layers(x, params):
        for p in params:
            x = np.tanh(x @ p["w"] + p["b"])
        return np.sum(x)

    rng = np.random.default_rng(1)
    params = [
        {"w": sg.tensor(rng.normal(size=(3, 3)), requires_grad=True), "b": sg.tensor(rng.normal(size=3), requires_grad=True)}
        for _ in range(2)
    ]
    x = sg.tensor(rng.normal(size=(2, 3)))
    layers(x, params).backward()
    h = x
    for p in params:
        h = sg.tanh(h @ p["w"] + p["b"])
    for p in params:
        for name, value in p.items():
            assert np.allclose(value.grad.numpy(), sg.grad(h.sum(), value, retain_graph=True)[0].numpy()), name


def loopy(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] ** 2 * x[0]
    return y


def test_products_of_functions_on_arrays():
    x, functional = np.array([1.0, 2.0, 3.0]), sg.autograd.functional
    jacobian = np.array([[3.0, 0, 0], [4, 4, 0], [9, 0, 6]])
    hessian = np.array([[6.0, 4, 6], [4, 2, 0], [6, 0, 2]])
    for strategy in ("reverse-mode", "forward-mode"):
        assert np.allclose(functional.jacobian(loopy, x, strategy=strategy), jacobian)
        assert np.allclose(functional.hessian(lambda v: np.sum(loopy(v)), x, outer_jacobian_strategy=strategy), hessian)
    assert np.allclose(sg.jvp(loopy, x, np.array([1.0, 0, 2]))[1], jacobian @ [1, 0, 2])
    value, product = functional.hvp(lambda v: np.sum(loopy(v)), x, np.array([1.0, 0, 2]))
    assert np.allclose(product, hessian @ [1, 0, 2]) and value == 14.0


def test_strategies_do_what_they_say():
    functional = sg.autograd.functional
    with pytest.raises(ValueError, match="strategy is 'sideways'"):
        functional.jacobian(loopy, np.ones(3), strategy="sideways")
    with pytest.raises(RuntimeError, match="is for functions of arrays"):
        functional.jacobian(lambda x: x * x, sg.tensor([1.0, 2.0]), strategy="forward-mode")


def test_vjp_of_tensors_and_of_arrays():
    value, pullback = sg.vjp(lambda x, y: x * y, sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0]))
    assert value.tolist() == [3.0, 8.0]
    assert [g.tolist() for g in pullback(sg.tensor([1.0, 10.0]))] == [[3.0, 40.0], [1.0, 20.0]]
    assert pullback(sg.tensor([1.0, 0.0]))[0].tolist() == [3.0, 0.0]
    assert sg.vjp(lambda x: x * x, 3.0)[1](1.0) == (6.0,)


def test_pytrees():
    x = {"a": sg.tensor([1.0, 2.0]), "b": (sg.tensor(3.0),)}
    found = sg.autograd.functional.jacobian(lambda d: d["a"] * d["b"][0], x)
    assert found["a"].tolist() == [[3.0, 0.0], [0.0, 3.0]] and found["b"][0].tolist() == [1.0, 2.0]


def test_gradcheck():
    x = sg.tensor([0.3, 0.7], requires_grad=True)
    assert sg.gradcheck(lambda v: sg.sin(v) * v, x) and sg.gradgradcheck(lambda v: sg.sin(v) * v, x)

    class Wrong(sg.Function):
        @staticmethod
        def forward(ctx, v):
            return v * v

        @staticmethod
        def backward(ctx, ct):
            return ct * 1.001

    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        sg.gradcheck(Wrong.apply, x)
    assert not sg.gradcheck(Wrong.apply, x, raise_exception=False)
    with pytest.raises(ValueError, match="at least one input"):
        sg.gradcheck(lambda v: v, sg.tensor([1.0]))


def test_operations_have_their_text_when_linecache_was_cleared():
    kept = dict(linecache.cache)
    try:
        linecache.clearcache()
        x = sg.tensor([[[0.3, 0.4, 0.5]]], requires_grad=True)          # (a shape that no other test has: nothing is generated yet)
        (x.sinh() / x.cosh()).sum().backward()
    finally:
        linecache.cache.update(kept)
    assert np.allclose(x.grad.numpy(), 1.0 - np.tanh([0.3, 0.4, 0.5]) ** 2)
