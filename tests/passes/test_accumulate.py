"""Stores of adjoints that change nothing are not written."""
import re

import numpy as np
import pytest

import sourcegrad as sg


def lifted(u):
    """A source term that happens to be zero."""
    v = u.copy()
    v[:] = np.maximum(v, 0.5)
    np.add(v, u, out=v)
    v[:] += 0.0
    return np.sum(v ** 2)


@pytest.mark.parametrize("order", [1, 2])
def test_nothing_is_stored_in_its_own_place(order) -> None:
    u = np.array([0.3, 0.8, 1.1, 0.2])
    text = sg.source(lifted, None, at={"u": u}, order=order)
    assert not re.search(r"(\w+)\[:\] = \1$", text, re.MULTILINE), text
    sg.check_grad(lifted, u, order=order)
