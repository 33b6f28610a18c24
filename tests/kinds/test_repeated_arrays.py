"""`[row] * n` holds one array n times: right where no array that may share memory with it changes, else refused."""
from __future__ import annotations

import numpy as np
import pytest

from tests.kinds.outcomes import module, outcome

X = np.array([0.5, -1.2, 0.8])
RIGHT = {
    "lists that are sorted": "rows = [[0.0] * 2] * 3\n    rows[0][1] = x[0]\n    rows.sort()\n    return rows[1][1] * x[1]",
    "a dict": "rows = [{'a': x[0]}] * 3\n    rows[0]['a'] = x[1] ** 2\n    return rows[2]['a'] * x[0]",
    "another changes": "rows, y = [x * 2.0] * 3, np.zeros(3)\n    for k, row in enumerate(rows):\n"
        "        y[k] = np.sum(row * row)\n    return np.sum(y * y)",
    "parts of another": "rows, y = [x] * 3, np.zeros((3, 2))\n    for k in range(3):\n        y[k, :] = rows[k][:2] * k\n"
        "    return np.sum(y ** 2)",
    "options": "return np.sum(filtered(Options(x), x))",
    "in a branch that is not taken": "y = np.zeros(3)\n    rows = [y] * 2 if len(x.shape) == 2 else [x, y + 1.0]\n"
        "    y[0] = x[1]\n    return np.sum(rows[0] * y)",
}
NEVER_WRONG = {
    "an item": "rows = [x * 2.0] * 3\n    rows[0][0] = 5.0\n    return np.sum(rows[1] * x)",
    "under its name": "row = x * 2.0\n    rows = [row] * 3\n    row[0] = 5.0\n    return np.sum(rows[1] * x)",
    "under another name": "y = np.zeros(3)\n    z = y\n    rows = [z] * 2\n    y[0] = x[0] ** 2\n"
        "    return np.sum(rows[1] * x) + y[0]",
    "before": "y = np.zeros(3)\n    y[0] = x[0] ** 2\n    rows = [y] * 2\n    return np.sum(rows[1] * rows[0]) + y[0]",
    "in a loop": "rows = [x * 2.0] * 3\n    for row in rows:\n        row[0] = row[0] * 2.0\n    return np.sum(rows[0])",
    "a view": "y = np.zeros(3)\n    rows = [y[1:]] * 2\n    y[1] = x[0] ** 2\n    return np.sum(rows[1]) + y[0]",
    "a callee": "rows = [x * 2.0] * 2\n    put(rows[0], x)\n    return np.sum(rows[1] * rows[1])",
    "in each turn": "y = np.zeros(3)\n    for k in range(2):\n        rows = [y] * 2\n        y[k] = x[k] ** 2 + np.sum(rows[0])\n"
        "    return np.sum(rows[1])",
    "of an object": "a = Options(x)\n    a.m = np.zeros(3)\n    y = a.m\n    rows = [a.m] * 2\n    y[0] = x[0] ** 2\n"
        "    return np.sum(rows[1])",
    "an operator": "y, w = np.zeros(3), np.ones(3)\n    rows = [w] * 3\n    y[0] = x[0]\n    rows[1] += x\n"
        "    return np.sum(y) + np.sum(rows[0] * rows[2])",
}
START = """
def put(row, x):
    row[0] = x[1] * 3.0


class Options:
    def __init__(self, x):
        self.scale, self.x = x * 2.0, x


def filtered(self, xs, scales=None):
    if scales is None:
        scales = [self.scale] * len(xs)
    if self.x.ndim == 1:
        means = np.zeros((len(xs), 3))
    else:
        means = np.zeros((len(xs), 3, 1))
    for i, (x, scale) in enumerate(zip(xs, scales)):
        means[i, :] = x * scale * self.x
    return means


def f(x):
    """


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    assert outcome(module(START + RIGHT[name] + "\n")["f"], X) == "right"


@pytest.mark.parametrize("name", NEVER_WRONG)
def test_never_wrong(name: str) -> None:
    outcome(module(START + NEVER_WRONG[name] + "\n")["f"], X)
