"""`sg.custom_vjp` and `sg.checkpoint`."""
import tracemalloc

import numpy as np
import pytest

import sourcegrad as sg

V = np.array([0.4, -0.9, 1.3])


@sg.custom_vjp
def softplus(x):
    return np.log1p(np.exp(x))


def softplus_forward(x):
    return softplus(x), x


def softplus_reverse(saved, ct):
    return (ct / (1.0 + np.exp(-saved)),)


softplus.defvjp(softplus_forward, softplus_reverse)


@sg.custom_vjp
def scaled(x, w=2.0, *, n=1):
    return np.sum(x) * w * n


scaled.defvjp(lambda x, w, n: (np.sum(x) * w * n, (x, w, n)),
              lambda saved, ct: (ct * saved[1] * saved[2] * np.ones(3), ct * np.sum(saved[0]) * saved[2], None))


def test_the_adjoint_of_the_user_is_called_by_name():
    text = sg.source(lambda x: softplus(x), at={"x": 1.0})
    assert "softplus_forward(x)" in text and "softplus_reverse(" in text


def test_in_a_loop():
    def f(x):
        for _ in range(3):
            x = softplus(x) * x
        return np.sum(x)

    for order in (1, 2):
        sg.check_grad(f, V, order=order)


def test_defaults_keywords_and_none():
    def f(x, w):
        return scaled(x) + scaled(x, n=2, w=w) ** 2

    for order in (1, 2):
        sg.check_grad(f, V, 0.7, inputs=("x", "w"), order=order)


def test_grad_of_the_function_itself():
    assert np.allclose(sg.grad(lambda x: np.sum(softplus(x)))(V), 1 / (1 + np.exp(-V)))
    assert np.isclose(sg.grad(softplus)(0.3), 1 / (1 + np.exp(-0.3)))
    assert np.isclose(sg.grad(sg.grad(softplus))(0.3), 1 / (2 + np.exp(-0.3) + np.exp(0.3)))


def test_what_cannot_be_differentiated_may_have_its_own_adjoint():
    @sg.custom_vjp
    def table(x):
        try:
            return float(str(x)) ** 2
        except ValueError:
            return 0.0

    table.defvjp(lambda x: (table(x), x), lambda x, ct: (2.0 * ct * x,))
    assert sg.grad(lambda x: 3.0 * table(x))(1.5) == 9.0


@pytest.mark.parametrize("reverse, message", [
    (lambda saved, ct: ct, "a number, not a tuple"),
    (lambda saved, ct: (ct, ct), "2 instead of 1 adjoint"),
])
def test_wrong_number_of_adjoints(reverse, message):
    @sg.custom_vjp
    def wrong(x):
        return x * x

    wrong.defvjp(lambda x: (x * x, x), reverse)
    with pytest.raises(sg.errors.UnsupportedError, match=message) as caught:
        sg.grad(lambda x: wrong(x))(1.0)
    assert caught.value.origin.file.endswith("test_custom.py")


def test_wrong_shape():
    @sg.custom_vjp
    def wrong(x):
        return np.sum(x)

    wrong.defvjp(lambda x: (np.sum(x), x), lambda saved, ct: (ct,))
    with pytest.raises(sg.errors.OutputError, match=r"shape \(\) for parameter 1, which has shape \(3,\)") as caught:
        sg.grad(lambda x: wrong(x))(V)
    assert caught.value.origin.file.endswith("test_custom.py")


def test_a_custom_function_may_not_change_its_argument():
    @sg.custom_vjp
    def fill(x):
        x[0] = 1.0
        return x

    fill.defvjp(lambda x: (x, None), lambda saved, ct: (ct,))
    with pytest.raises(sg.errors.UnsupportedError, match="changes its argument 'x'"):
        sg.grad(lambda x: np.sum(fill(x * 2.0)))(V)


def test_without_an_adjoint():
    @sg.custom_vjp
    def bare(x):
        return x

    with pytest.raises(sg.errors.UnsupportedError, match="defvjp"):
        sg.grad(lambda x: bare(x))(1.0)


def test_a_new_adjoint_is_noticed():
    @sg.custom_vjp
    def f(x):
        return x

    f.defvjp(lambda x: (x, None), lambda saved, ct: (2.0 * ct,))
    gradient = sg.grad(lambda x: f(x))
    assert gradient(1.0) == 2.0
    f.defvjp(lambda x: (x, None), lambda saved, ct: (3.0 * ct,))
    assert gradient(1.0) == 3.0


def test_a_method():
    class Layer:
        def __init__(self, w):
            self.w = w

        @sg.custom_vjp
        def run(self, x):
            return np.tanh(self.w * x)

        run.defvjp(lambda self, x: (np.tanh(self.w * x), (self.w, np.tanh(self.w * x))),
                   lambda saved, ct: (None, ct * saved[0] * (1.0 - saved[1] ** 2)))

    layer = Layer(0.7)
    for order in (1, 2):
        sg.check_grad(lambda x: np.sum(layer.run(x)), V, order=order)


# --- checkpoint

def deep(w, x):
    for _ in range(20):
        x = np.tanh(w * x + 0.1)
    return x


checkpointed = sg.checkpoint(deep)


def chain(w, x, n):
    for _ in range(n):
        x = checkpointed(w, x)
    return np.sum(x ** 2)


def plain_chain(w, x, n):
    for _ in range(n):
        x = deep(w, x)
    return np.sum(x ** 2)


def test_checkpoint_in_a_loop_is_right():
    for order in (1, 2):
        sg.check_grad(chain, V, 2.0 * V, 3, inputs=("w", "x"), order=order)
    assert np.array_equal(sg.grad(chain, "w")(V, V, 4), sg.grad(plain_chain, "w")(V, V, 4))


def test_checkpoint_saves_memory():
    def peak(f):
        gradient = sg.grad(f, "w")
        w = np.full(10_000, 0.5)
        gradient(w, w, 20)
        tracemalloc.start()
        gradient(w, w, 20)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    assert peak(chain) < 0.3 * peak(plain_chain)


def test_checkpoint_of_arguments_that_change_later():
    @sg.checkpoint
    def power(x, k):
        return x ** k * np.sin(x)

    def f(x):
        y = x * 1.5
        total = 0.0
        for k in range(1, 4):
            total = total + np.sum(power(y, k))
            y[0] = y[0] * 0.5
            y *= 1.1
        return total

    for order in (1, 2):
        sg.check_grad(f, V, order=order)


def test_checkpoint_of_closures():
    def f(w, x):
        def inner(t):
            return np.tanh(w * t) + w

        block = sg.checkpoint(inner)
        other = sg.checkpoint(lambda t: w * np.sin(t))
        return np.sum(block(block(x)) * other(x))

    for order in (1, 2):
        sg.check_grad(f, V, 2.0 * V, inputs=("w", "x"), order=order)


def test_checkpoint_of_a_method_and_of_the_whole():
    class Layer:
        def __init__(self, w):
            self.w = w

        @sg.checkpoint
        def run(self, x):
            return np.tanh(self.w * np.tanh(self.w * x))

    def f(layer, x):
        return np.sum(layer.run(layer.run(x)))

    text = sg.source(f, inputs=("layer",), at={"layer": Layer(V), "x": V})
    assert "run_forward" in text
    got = sg.grad(f, "layer")(Layer(V), V)
    assert np.allclose(got["w"] if isinstance(got, dict) else got.w, sg.grad(lambda w: f(Layer(w), V))(V))
    assert np.allclose(sg.grad(checkpointed, "x", grad_outputs=np.ones(3))(V, V), sg.grad(deep, "x", grad_outputs=np.ones(3))(V, V))
