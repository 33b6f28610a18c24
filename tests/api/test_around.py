"""What stands around a function: methods, decorators, partials, checkpoints; parts of arguments as inputs."""
from __future__ import annotations

import functools
import importlib
import sys

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError, UnsupportedError

X = np.array([1.0, 2.0])
RNG = np.random.default_rng(0)


class Model:
    level = 3.0

    def __init__(self, w):
        self.w, self.rows, self.parts = w, np.arange(6.0).reshape(2, 3), [w * 1.0, w * 2.0]

    @sg.differentiable
    def run(self, x=2.0, y=3.0):
        return np.sum(self.w * x * x) * y

    @classmethod
    @sg.differentiable
    def scaled(cls, x=1.0):
        return x * x * cls.level

    @sg.differentiable
    @staticmethod
    def square(x):
        return x * x

    @sg.differentiable
    @classmethod
    def of_class(cls, x):
        return x * x * cls.level

    @property
    def doubled(self):
        return 2.0 * self.w

    def all_of_it(self, x):
        return np.sum(self.rows[0] * x[0]) + np.sum(self.w * x) + np.sum(self.parts[1] * x) + np.sum(self.doubled)


MODEL = Model(X.copy())


def test_decorated_methods_keep_their_receiver() -> None:
    assert sg.grad(MODEL.run)(5.0) == 2 * 5.0 * 3.0 * 3.0
    assert sg.grad(MODEL.run, "y")(5.0) == 75.0
    assert sg.grad(Model.scaled)(5.0) == sg.grad(MODEL.of_class)(5.0) == 30.0
    assert sg.grad(Model.square)(5.0) == 10.0
    assert np.allclose(sg.grad(MODEL.run, "self.w")(X, 1.0), X * X)


def doubling(f):
    @functools.wraps(f)
    def wrapper(*args, **options):
        return 2 * f(*args, **options)
    return wrapper


@doubling
@sg.differentiable
def outer_doubling(x, y=1.0):
    return x * x * y


@doubling
@sg.checkpoint
def doubled_checkpoint(x):
    return x * x


@sg.checkpoint
@doubling
def checkpoint_of_doubled(x):
    return x * x


def test_wrappers_copy_no_marks() -> None:
    assert sg.grad(outer_doubling)(2.0) == 8.0
    assert sg.grad(outer_doubling, "y")(2.0, 3.0) == 8.0
    for function in (doubled_checkpoint, checkpoint_of_doubled):
        assert sg.grad(function)(2.0) == sg.grad(lambda x, function=function: function(x))(2.0) == 8.0


ONES = np.ones(2)


def power(a, x, y=2.0, *, k=ONES, n=3):
    return a * np.sum(x ** n * y * k)


def test_partials() -> None:
    partial = functools.partial(power, 2.0)
    assert np.allclose(sg.grad(partial)(X), 12 * X ** 2)
    assert sg.grad(partial, "y")(X, 5.0) == 18.0
    assert "def power_grad(a, x, y=2.0, *, k=ONES, n=3):" in sg.source(partial)
    fixed = functools.partial(power, 2.0, y=5.0)
    sg.check_grad(fixed, X, order=2)
    assert np.allclose(sg.grad(fixed)(X, y=1.0), 6 * X ** 2)
    assert np.allclose(sg.vjp(fixed, X)[1](1.0), 30 * X ** 2)
    assert np.allclose(sg.grad(functools.partial(Model.all_of_it, MODEL))(X), MODEL.w + MODEL.parts[1] + [3.0, 0.0])


def positional(a, x, /, y=2.0, *rest, k=1.0, **more):
    return a * np.sum(x ** 3) * y * k + sum(rest) + more.get("z", 0.0) * y


@pytest.mark.parametrize("partial", [
    functools.partial(power, 2.0), functools.partial(power, 2.0, n=2, k=ONES), functools.partial(positional, 3.0),
    functools.partial(positional, 3.0, k=2.0), functools.partial(Model.all_of_it, MODEL)])
def test_gradients_of_partials_in_a_program(partial) -> None:
    slope = sg.grad(partial, "x")
    sg.check_grad(lambda x: np.sum(x * slope(x)), X)


def test_a_gradient_of_a_partial_with_keywords_only() -> None:
    slope = sg.grad(functools.partial(power, y=5.0, a=0.5), "x")
    sg.check_grad(lambda x: np.sum(x * slope(x=x)), X)


def test_defaults_of_a_loop_variable() -> None:
    assert [sg.grad(f)(1.0) for f in [lambda x, i=i: x * x * i for i in range(3)]] == [0.0, 2.0, 4.0]


def of_its_own_default(x, act=np.tanh, *, other=power):
    return act(x) * other(1.0, np.ones(2) * x)


def test_defaults_that_are_functions(monkeypatch) -> None:
    assert [sg.grad(f)(0.5) for f in [lambda x, f=f: f(x) for f in (np.sin, np.exp)]] == [np.cos(0.5), np.exp(0.5)]
    before = sg.grad(of_its_own_default)(0.5)
    text = sg.source(of_its_own_default, at={"x": 0.5})
    assert "(x, act=tanh, *, other=other_default)" in text
    namespace: dict = {}
    exec(text, namespace)
    assert np.allclose(namespace["of_its_own_default_grad"](0.5), before)
    monkeypatch.setattr(np, "tanh", np.sin)                  # the default is what it was
    monkeypatch.setitem(globals(), "power", None)
    assert np.allclose(sg.grad(lambda x: of_its_own_default(x))(0.5), before)


def with_a_rule(x, y=2.0):
    return x * x * y


def without_derivative(x):
    return x * x


def test_the_rule_of_a_function_is_its_gradient() -> None:
    sg.rule(with_a_rule, elementwise=True)(rule_of_with_a_rule)
    sg.nondifferentiable(without_derivative)
    assert sg.grad(with_a_rule)(2.0) == sg.grad(lambda x: with_a_rule(x))(2.0) == 200.0
    assert sg.vjp(with_a_rule, 2.0)[1](1.0) == (200.0,)
    assert sg.grad(without_derivative)(2.0) == 0.0


def rule_of_with_a_rule(ct, out, x, y=2.0):
    return 100 * ct * x, ct * x * x


class Counted:
    level, calls = 0.0, 0

    @classmethod
    def raised(cls, x):
        cls.level = cls.level + x
        return cls.level * x

    @classmethod
    def counted(cls, x):
        cls.calls += 1
        return x * x


def test_stores_into_a_class() -> None:
    with pytest.raises(UnsupportedError, match="a store into the class: Counted.level"):
        sg.grad(lambda x: Counted.raised(x).sum())(X)
    assert Counted.level == 0.0
    assert np.allclose(sg.grad(lambda x: Counted.counted(x).sum())(X), 2 * X)


def test_parts_of_arrays_are_inputs() -> None:
    assert sg.grad(lambda x: np.sum(x ** 2), "x[1]")(X) == 4.0
    assert sg.vjp(lambda x: np.sum(x ** 2), X, inputs="x[1]")[1](1.0) == 4.0
    assert np.allclose(sg.grad(MODEL.all_of_it, "self.rows[0]")(X), 1.0)
    assert sg.grad(MODEL.all_of_it, "self.parts[1][0]")(X) == 1.0


@pytest.mark.parametrize("path", ["self.doubled", "self.level", "self.w.T"])
def test_computed_parts_are_no_inputs(path) -> None:
    with pytest.raises(InputError, match="is computed, or belongs to the class"):
        sg.grad(MODEL.all_of_it, path)(X)


def noisy(x):
    return np.sum(RNG.random() * x * x)


def drawing(x, rng):
    return np.sum(rng.random() * x * x)


def legacy(x):
    return np.random.rand() * np.sum(x * x)


noisy_again, drawing_again, legacy_again = sg.checkpoint(noisy), sg.checkpoint(drawing), sg.checkpoint(legacy)


@pytest.mark.parametrize("function", [lambda x: noisy_again(x), lambda x: drawing_again(x, np.random.default_rng(1)),
                                      lambda x: legacy_again(x) * 2.0])
def test_checkpoints_draw_no_random_numbers(function) -> None:
    with pytest.raises(UnsupportedError, match="draws random numbers: others when it is computed again") as caught:
        sg.grad(function)(X)
    assert caught.value.origin is not None and caught.value.origin.file == __file__


@sg.checkpoint
def own_generator(x):
    rng = np.random.default_rng(3)
    return np.sum(rng.random() * x * x)


def test_a_checkpoint_with_its_own_generator() -> None:
    sg.check_grad(own_generator, X)


def test_custom_vjp_with_keyword_only_parameters() -> None:
    @sg.custom_vjp
    def scaled(x, *, k=2.0):
        return x * k
    scaled.defvjp(lambda x, *, k=2.0: (x * k, (x, k)), lambda s, ct: (10 * ct * s[1], ct * s[0]))
    assert sg.grad(lambda x: scaled(x, k=3.0))(1.0) == 30.0
    assert sg.grad(lambda x, k: scaled(x, k=k), "k")(5.0, 1.0) == 5.0
    with pytest.raises(InputError, match="custom_vjp needs a function, not a int"):
        sg.custom_vjp(5)


def test_a_forward_function_without_a_pair() -> None:
    @sg.custom_vjp
    def product(x, y):
        return x * y
    product.defvjp(lambda x, y: x * y, lambda s, ct: (ct, ct))
    with pytest.raises(UnsupportedError, match=r"returns a number or an array, not the pair \(value, saved\)"):
        sg.grad(lambda x: product(x, 2.0))(3.0)


def test_an_edited_module_that_is_loaded_again(tmp_path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "edited_module.py"
    file.write_text("def h(x):\n    return x * x\n")
    module = importlib.import_module("edited_module")
    gradient = sg.grad(lambda x: module.h(x) * 2)
    assert gradient(2.0) == 8.0
    file.write_text("# another first line\ndef h(x):\n    return x * x * x + 0 * x\n")
    sys.dont_write_bytecode = True
    importlib.reload(module)
    assert gradient(2.0) == sg.grad(lambda x: module.h(x) * 2)(2.0) == 24.0


def only_raises(x):
    raise NotImplementedError("in a subclass")


def test_a_function_that_only_raises() -> None:
    for gradient in (sg.grad(only_raises), sg.grad(lambda x: only_raises(x) * 2.0)):
        with pytest.raises(NotImplementedError, match="in a subclass"):
            gradient(X)
