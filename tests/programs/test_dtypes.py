"""What an in-place operation on an array in an object leaves is what NumPy leaves, to the last digit."""
import numpy as np
import pytest

import sourcegrad as sg


class Held:
    def __init__(self, content):
        self.content = content


def in_an_object(a, b):
    held = Held(a.astype(np.float32))
    held.content *= b
    return np.sum(held.content * 1.0)


def in_a_list(a, b):
    held = [a.astype(np.float32)]
    held[0] *= b
    return np.sum(held[0] * 1.0)


@pytest.mark.parametrize("function", [in_an_object, in_a_list])
def test_single_precision_stays(function):
    a, b = np.array([1.1, 2.2, 3.3]), np.array([0.3, 0.2, 0.1])
    value, gradient = sg.value_and_grad(function, (0, 1))(a, b)
    assert value == function(a, b) and value.dtype == np.float32
    assert [part.dtype.name for part in gradient] == ["float64", "float64"]
    assert np.allclose(gradient, [b, a], rtol=1e-6)


def of_integers(a):
    held = Held(np.arange(3))
    held.content *= a
    return np.sum(held.content)


def test_integers_do_not_become_floats():
    with pytest.raises(TypeError):
        of_integers(np.ones(3))
    with pytest.raises(TypeError, match="Cannot cast"):         # as Python says it
        sg.grad(of_integers)(np.ones(3))
