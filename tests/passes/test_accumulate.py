"""Stores of adjoints that change nothing are not written."""
import re

import numpy as np
import pytest

import sourcegrad as sg


def advect(u, c):
    """One upwind step, in place."""
    u = u.copy()
    for _ in range(3):
        flux = c * u
        u[1:] -= flux[1:] - flux[:-1]
        u[:] -= 0.1 * u
    return np.sum(u ** 2)


@pytest.mark.parametrize("order", [1, 2])
def test_nothing_is_stored_in_its_own_place(order) -> None:
    u = np.array([0.3, 0.8, 1.1, 0.2])
    text = sg.source(advect, None, at={"u": u, "c": 0.3}, order=order)
    assert not re.search(r"(\w+)\[:\] = \1$", text, re.MULTILINE), text
    sg.check_grad(advect, u, 0.3, order=order)
