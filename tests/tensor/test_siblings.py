"""Siblings of faults of Tensors: matrices under no_grad, dirty views, views of no_grad, tools of functions, where graphs end."""

import numpy as np
import pytest

import sourcegrad as sg

F = sg.autograd.functional
X, V = sg.tensor([0.7, 1.3, 2.1]), sg.tensor([1.0, -2.0, 0.5])
FUNCTIONS = {
    "cube": lambda x: (x**3).sum(),
    "product": lambda x: x[0] * x[1] * x[2],
    "tanh": lambda x: (sg.tanh(x) * x).sum(),
    "norm": lambda x: x.norm(),
    "logsumexp": lambda x: x.logsumexp(0),
    "in place": lambda x: (x * 1).mul_(x).exp_().sum(),
    "stored": lambda x: stored(x).prod(),
    "matrix": lambda x: (x.outer(x) @ x).sum(),
}
MATRICES = {
    "jacobian": lambda f: F.jacobian(lambda x: f(x) * x, X),
    "hessian": lambda f: F.hessian(f, X),
    "vjp": lambda f: F.vjp(lambda x: f(x) * x, X, V)[1],
    "jvp": lambda f: F.jvp(lambda x: f(x) * x, X, V)[1],
    "hvp": lambda f: F.hvp(f, X, V)[1],
    "vhp": lambda f: F.vhp(f, X, V)[1],
}


def stored(x):
    y = sg.zeros(2)
    y[0] = x[0] * x[1]
    y[1:] = x[2] ** 2
    return y


@pytest.mark.parametrize("mode", [sg.no_grad, lambda: sg.set_grad_enabled(False)])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("matrix", MATRICES)
def test_matrices_of_derivatives_under_no_grad(matrix, name, mode):
    outside = MATRICES[matrix](FUNCTIONS[name])
    with mode():
        inside = MATRICES[matrix](FUNCTIONS[name])
        assert not sg.is_grad_enabled()
    assert np.allclose(inside.numpy(), outside.numpy()) and np.any(outside.numpy()) and not inside.requires_grad


@pytest.mark.parametrize("matrix", ["jacobian", "hessian"])
def test_matrices_of_functions_on_arrays_under_no_grad(matrix):
    def f(x):
        return np.sum(x**3) if matrix == "hessian" else x**3

    with sg.no_grad():
        found = getattr(sg.autograd.functional, matrix)(f, np.array([1.0, 2.0]))
    assert np.allclose(found, getattr(sg, matrix)(f)(np.array([1.0, 2.0]))) and np.any(found)


# --- views

VIEWS = {
    "slice": lambda y: y[1:],
    "step": lambda y: y[:, ::2],
    "select": lambda y: y[1],
    "element": lambda y: y[1, 2],
    "columns": lambda y: y[:, 1:3],
    "transpose": lambda y: y.t(),
    "permute": lambda y: y.permute(1, 0),
    "reshape": lambda y: y.reshape(2, 6),
    "flatten": lambda y: y.flatten(),
    "diagonal": lambda y: y.diagonal(),
    "unsqueeze": lambda y: y.unsqueeze(1),
    "squeeze": lambda y: y.unsqueeze(0).squeeze(0),
    "narrow": lambda y: y.narrow(1, 1, 2),
    "view of a view": lambda y: y[1:][:, 1:],
    "transposed slice": lambda y: y.t()[2],
    "slice of a reshape": lambda y: y.reshape(12)[3:9],
    "mT": lambda y: y.mT[1:],
    "view_as": lambda y: y.view_as(sg.zeros(4, 3)),
}


class Scale(sg.Function):
    """x * k in place."""

    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x.clone(), k)
        ctx.mark_dirty(x)
        return x.mul_(k)

    @staticmethod
    def backward(ctx, ct):
        x, k = ctx.saved_tensors
        return ct * k, (ct * x).sum()


@pytest.mark.parametrize("after", ["base", "view", "both"])
@pytest.mark.parametrize("name", VIEWS)
def test_a_dirty_view_is_as_a_change_in_place(name, after):
    def gradients(change):
        x, k = sg.arange(1.0, 13.0).reshape(3, 4).requires_grad_(), sg.tensor(1.7, requires_grad=True)
        y = x * 1
        v = VIEWS[name](y)
        change(v, k)
        loss = {"base": (y * y).sum(), "view": (v * v).sum(), "both": y.sum() * v.sum()}[after]
        return [g.numpy() for g in sg.grad(loss, [x, k])]

    for got, expected in zip(gradients(Scale.apply), gradients(lambda v, k: v.mul_(k))):
        assert np.allclose(got, expected)


@pytest.mark.parametrize("tracked", [True, False])
@pytest.mark.parametrize("name", VIEWS)
def test_a_dirty_view_of_a_base_with_and_without_history(name, tracked):
    k = sg.tensor(1.7, requires_grad=True)
    base = sg.arange(1.0, 13.0).reshape(3, 4)
    y = base.requires_grad_() * 1 if tracked else base
    Scale.apply(VIEWS[name](y), k)
    (y * y).sum().backward()
    part = VIEWS[name](sg.arange(1.0, 13.0).reshape(3, 4)).numpy()
    assert np.isclose(k.grad.item(), np.sum(2 * 1.7 * part**2))


CHANGES = {
    "number": lambda v, x: v.mul_(2.0),
    "tracked": lambda v, x: v.mul_(x[0, 0]),
    "copy": lambda v, x: v.copy_(x[0, 0].expand(*v.shape)),
    "zero": lambda v, x: v.zero_(),
    "setitem": lambda v, x: v.__setitem__(..., x[0, 0]),
    "dirty": lambda v, x: Scale.apply(v, x[0, 0]),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", VIEWS)
def test_a_change_of_a_view_of_no_grad_is_refused(name, change):
    x = sg.ones(3, 4, requires_grad=True)
    y = x * 2
    with sg.no_grad():
        v = VIEWS[name](y)
    with pytest.raises(RuntimeError, match="no_grad mode"):
        CHANGES[change](v, x)


@pytest.mark.parametrize("name", VIEWS)
def test_a_kept_gradient_follows_the_value(name):
    x = sg.arange(1.0, 13.0).reshape(3, 4).requires_grad_()
    y = x * 1
    y.retain_grad()
    seen = []
    y.register_hook(lambda ct: seen.append(ct.numpy().copy()))
    VIEWS[name](y).mul_(3.0)
    (y * y).sum().backward()
    assert np.allclose(y.grad.numpy(), 2 * y.detach().numpy()), "of the value after the change"
    assert np.allclose(seen[0] * 1.0, x.grad.numpy()), "the hook is at the value before it"


# --- tools of functions, beside what they do on arrays

@sg.custom_vjp
def backwards(x):
    return x * 1.0


backwards.defvjp(lambda x: (x * 1.0, None), lambda saved, ct: (-ct,))


@sg.custom_vjp
def scaled(x, k):
    return x * k


scaled.defvjp(lambda x, k: (x * k, (x, k)), lambda saved, ct: (7.0 * ct * saved[1], np.sum(ct * saved[0])))


@sg.nondifferentiable
def level(x):
    return x * 2.0


@sg.nondifferentiable
def same(x):
    return x


@sg.checkpoint
def layer(x):
    return np.tanh(x) * x


def soft(x):
    return x * 1.0


@sg.rule(soft)
def soft_rule(ct, out, x):
    return ct * 5.0


sure = sg.differentiable(soft)
TOOLS = {"stop_gradient": sg.stop_gradient, "custom_vjp": backwards, "two arguments": lambda x: scaled(x, 3.0),
         "nondifferentiable": level, "nondifferentiable identity": same, "checkpoint": layer, "rule": sure}
PLACES = {
    "alone": lambda f, x: np.sum(f(x) + 0.0 * x),
    "times": lambda f, x: np.sum(x * f(x)),
    "of a square": lambda f, x: np.sum(f(x * x) * x),
    "squared": lambda f, x: np.sum(f(x) ** 2 * x),
    "twice": lambda f, x: np.sum(f(f(x)) * x),
    "of an item": lambda f, x: f(x[1]) * x[0],
    "of a sine": lambda f, x: np.sum(np.sin(f(np.sin(x))) * x),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("tool", TOOLS)
def test_tools_on_tensors_are_as_on_arrays(tool, place):
    numbers = np.array([0.3, 0.8, 1.9])

    def loss(x):
        return PLACES[place](TOOLS[tool], x)

    x = sg.tensor(numbers, requires_grad=True)
    loss(x).backward()
    assert np.allclose(x.grad.numpy(), sg.grad(loss)(numbers))
    assert np.isclose(loss(x).item(), loss(numbers))


@sg.custom_vjp
def cube(x):
    return x**3


cube.defvjp(lambda x: (x**3, x), lambda x, ct: (3.0 * x**2 * ct,))
TOOLS["custom cube"] = cube


@pytest.mark.parametrize("tool", ["custom cube", "rule", "checkpoint"])
def test_second_derivatives_of_tools_on_tensors(tool):
    numbers = np.array([0.3, 0.8, 1.9])

    def loss(x):
        return np.sum(np.sin(TOOLS[tool](x)) * x)

    x = sg.tensor(numbers, requires_grad=True)
    (g,) = sg.grad(loss(x), x, create_graph=True)
    (h,) = sg.grad(g.sum(), x)
    assert np.allclose(h.numpy(), sg.grad(lambda v: np.sum(sg.grad(loss)(v)))(numbers))


@pytest.mark.parametrize("call", [soft, lambda x: soft(x) * x, lambda x: sg.sin(soft(x * x))])
def test_a_rule_that_the_body_would_hide_is_refused(call):
    with pytest.raises(RuntimeError, match=r"soft\(\) has a rule of its own"):
        call(sg.tensor([1.0, 2.0], requires_grad=True))
    with sg.no_grad():
        call(sg.tensor([1.0, 2.0], requires_grad=True))


@pytest.mark.parametrize("method", ["mul_", "div_", "pow_", "copy_", "add_", "atan2_", "hypot_"])
@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_what_a_change_has_saved_is_the_value_before_it(shape, method):
    if not hasattr(sg.Tensor, method):
        pytest.skip("no such method")
    x, k = sg.full(shape, 3.0).requires_grad_(), sg.full(shape, 2.0).requires_grad_()
    y = x * 1
    getattr(y, method)(k)
    z = k.clone() if method == "copy_" else getattr(x * 1, method[:-1])(k)
    for got, expected in zip(sg.grad(y.sum(), [x, k]), sg.grad((z + 0 * x).sum(), [x, k])):
        assert np.allclose(got.numpy(), expected.numpy())


def test_stop_gradient_of_containers():
    x = sg.tensor(2.0, requires_grad=True)
    (a, held) = sg.stop_gradient((x * 3, {"b": [x]}))
    assert not a.requires_grad and not held["b"][0].requires_grad and a.item() == 6.0


# --- where a graph ends

LINEAR = {
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "matmul": lambda x, y: sg.outer(x, y),
    "dot": lambda x, y: x.dot(y),
    "lerp": lambda x, y: sg.lerp(x, x * 2, y),
    "addcmul": lambda x, y: sg.addcmul(y, x, y),
    "scaled": lambda x, y: (3 * x) * y.exp(),
    "sum": lambda x, y: x.sum() * y,
    "index": lambda x, y: x[0] * y,
    "cat": lambda x, y: sg.cat([x, x]) * sg.cat([y, y]),
    "where": lambda x, y: sg.where(sg.tensor([True, False]), x, -x) * y,
    "einsum": lambda x, y: sg.einsum("i,j->ij", x, y),
    "reshape": lambda x, y: x.reshape(2, 1) * y,
    "flip": lambda x, y: x.flip(0) * y,
    "in place": lambda x, y: (x * 1).mul_(y),
    "numpy": lambda x, y: np.multiply(x, y),
}


@pytest.mark.parametrize("name", LINEAR)
def test_a_gradient_does_not_reach_what_the_function_is_linear_in(name):
    x, y = sg.tensor([1.0, 2.0], requires_grad=True), sg.tensor([3.0, 4.0], requires_grad=True)
    gx, gy = sg.grad(LINEAR[name](x, y).sum(), [x, y], create_graph=True)
    back, other = sg.grad(gx.sum(), [x, y], retain_graph=True, allow_unused=True)
    assert back is None and other is not None
    assert sg.grad(gy.sum(), [x, y], allow_unused=True)[0] is not None
