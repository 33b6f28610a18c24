"""Kinds of statements that the emitted text does without, and that the numbers are right where shapes and objects make it hard."""
import copy
import dataclasses
import re

import numpy as np
import pytest

import sourcegrad as sg


def differences(f, xs, *rest):
    """Central differences by the elements of a list of arrays."""
    found = []
    for x in xs:
        slope = np.zeros(x.shape)
        for at in np.ndindex(x.shape):
            kept, values = x[at], []
            for h in (1e-6, -1e-6):
                x[at] = kept + h
                values.append(f(xs, *rest))
            x[at] = kept
            slope[at] = (values[0] - values[1]) / 2e-6
        found.append(slope)
    return found


def mixed(xs, c):
    """Sizes are not known: what is computed from u, v and w is summed to their shapes, not to those of temporaries."""
    total = 0.0
    for k in range(len(xs)):
        u, v, w = xs[k], xs[k - 1], xs[k - 2]
        y = u * v - w / (1.5 + v)
        z = np.exp(-(u * v) + w) * c + np.tanh(u - v)
        total += np.sum(y * z) + np.sum((u - w) * (v + c)) + np.sum(np.maximum(0.3 * u, v * w) - v)
    return total


SHAPES = [((3,), (1,), (3,)), ((3, 1), (1, 4), (3, 4)), ((2, 3), (3,), (1,)), ((), (3,), (2, 1)), ((0,), (1,), (0,)),
          ((1, 1), (1,), ())]


@pytest.mark.parametrize("shapes", SHAPES)
def test_adjoints_of_temporaries_are_summed_where_they_end(shapes) -> None:
    rng = np.random.default_rng(0)
    xs = [rng.uniform(0.2, 1.0, shape) for shape in shapes]
    gradient = sg.grad(mixed)
    expected = differences(mixed, [x.copy() for x in xs], 0.7)
    for dtype, tolerance in ((np.float64, 1e-6), (np.float32, 1e-3)):
        for found, wanted in zip(gradient([x.astype(dtype) for x in xs], 0.7), expected):
            assert found.shape == wanted.shape and found.dtype == dtype
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def test_no_temporary_is_saved_for_its_shape() -> None:
    gradient = sg.grad(mixed)
    gradient([np.ones(3), np.ones(1)], 0.7)
    assert gradient.source.count(".shape") == 2             # of what `-` and `*` make of others, and not of `u * v`, `u - v`


def squared_parts(xs):
    """Real temporaries of complex numbers take the real part: their adjoints are not summed later."""
    total = 0.0
    for k in range(len(xs)):
        u, v = xs[k], xs[k - 1]
        z = (1.0 + 2.0j) * u
        total += np.sum((np.abs(z * v) * 2.0 + v) * u)
    return total


def test_real_parts_of_temporaries() -> None:
    xs = [np.array([0.4, 0.7, 0.2]), np.array([0.9])]
    for found, wanted in zip(sg.grad(squared_parts)(xs), differences(squared_parts, [x.copy() for x in xs])):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def projected(xs, c):
    return sum(np.sum(g * g) for g in sg.grad(mixed)(xs, c))


def test_second_derivative_of_what_is_summed_late() -> None:
    xs = [np.array([0.4, 0.7]), np.array([0.9]), np.array([0.3, 0.5])]
    for found, wanted in zip(sg.grad(projected)(xs, 0.7), differences(projected, [x.copy() for x in xs], 0.7)):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray
    scale: float = 1.0


@dataclasses.dataclass
class Net:
    first: Layer
    second: Layer


def read_only(net, x):
    h = np.tanh(x @ net.first.w + net.first.b) * net.first.scale
    return np.sum((h @ net.second.w + net.second.b) ** 2) * net.second.scale


def read_then_changed(net, x):
    layer = net.first
    h = np.tanh(x @ layer.w + layer.b) * layer.scale
    layer.w = layer.w * 2.0
    net.second.w[0] = layer.scale * h[0]
    layer.scale = np.sum(h)
    return np.sum((h @ net.second.w) ** 2 @ net.first.w) + layer.scale * net.first.scale


def changed_by_another_name(net, x):
    one, other = net.first, net.first
    h = x @ one.w * one.scale
    other.w *= 0.5
    other.scale = other.scale + np.sum(h)
    net.second = one
    return np.sum((h @ net.second.w) * one.scale) + np.sum(net.first.b * other.scale)


def numbers_of(net):
    return [net.first.w, net.first.b, net.second.w, net.second.b]


@pytest.mark.parametrize("f", [read_only, read_then_changed, changed_by_another_name])
def test_attributes_of_objects_that_change_and_do_not(f) -> None:
    rng = np.random.default_rng(1)
    net = Net(Layer(*rng.normal(size=(2, 3, 3))[:, :3]), Layer(*rng.normal(size=(2, 3, 3))))
    net.first.b, net.second.b, x = net.first.b[0], net.second.b[0], rng.normal(size=3)
    before = copy.deepcopy(net)
    gradient = sg.grad(f)
    found = gradient(net, x)
    for held, kept in zip(numbers_of(net), numbers_of(before)):
        np.testing.assert_array_equal(held, kept)

    def of_parts(parts):
        given = copy.deepcopy(before)
        given.first.w, given.first.b, given.second.w, given.second.b = (part.copy() for part in parts)
        return f(given, x)

    for part, wanted in zip(numbers_of(found), differences(of_parts, numbers_of(copy.deepcopy(before)))):
        np.testing.assert_allclose(part, wanted, rtol=1e-5, atol=1e-7)


def test_attributes_are_read_where_they_are_used() -> None:
    net, x = Net(Layer(np.eye(2), np.ones(2)), Layer(np.eye(2), np.ones(2))), np.ones(2)
    gradient = sg.grad(read_only)
    gradient(net, x)
    assert re.search(r"h_bar = net.second.w @ total\w*_bar", gradient.source) and "second_w" not in gradient.source


def of_its_dtype(x):
    y = np.zeros(3, x.dtype)
    z = np.full((2, 2), 0.5, dtype=x.dtype)
    y[0] = x[0] * x[1]
    y[1] = x[1]
    z[0] = x * x
    return np.sum(y * y) + np.sum(z ** 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_dtype_of_an_array_that_is_known_is_known_where_another_is_made_with_it(dtype: str) -> None:
    gradient = sg.grad(of_its_dtype)
    found = gradient(np.array([0.5, -1.5], dtype))
    assert found.dtype == dtype and np.allclose(found, [2.75, -17.25])
    assert not {"conj", "real", "unbroadcast", "ones_like_output"} & set(re.findall(r"\w+", gradient.source))
