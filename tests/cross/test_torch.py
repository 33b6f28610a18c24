"""PyTorch against sourcegrad, to second order, and the table of conventions in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.coverage.checks import differences_agree
from tests.coverage.conventions import GROUPS
from tests.coverage.values import arguments, functions, given
from tests.cross import compare
from tests.cross.known import OTHERWISE, Fault, reason
from tests.cross.torch_forms import FORMS, ROWS

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")
SINGULAR = {f"{row.form} at {row.x}": row for rows in GROUPS.values() for row in rows if row.form in ROWS}


def function_of(text: str, names: list[str]) -> Callable:
    held: dict[str, Any] = {"torch": pytest.importorskip("torch")}
    exec(f"def f({', '.join(names)}):\n    return {text}\n", held)
    return held["f"]


def gradients(function: Callable, values: list[Any], order: int, weighted: bool = True) -> list[np.ndarray]:
    """The gradients of the weighted sum of a result; of order 2 the products of its Hessian with the directions."""
    torch = pytest.importorskip("torch")
    inputs = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]
    flat = torch.atleast_1d(function(*inputs)).reshape(-1)
    weights = torch.cos(1.3 * torch.arange(flat.numel(), dtype=torch.float64) + 0.4) if weighted else torch.ones_like(flat)
    found = torch.autograd.grad(torch.sum(flat * weights), inputs, create_graph=order == 2, materialize_grads=True)
    if order == 2:
        along = [torch.tensor(d, dtype=torch.float64) for d in compare.directions(values)]
        slope = sum(torch.sum(g * d) for g, d in zip(found, along))
        if not slope.requires_grad:
            return [np.zeros(np.shape(v)) for v in values]
        found = torch.autograd.grad(slope, inputs, materialize_grads=True)
    return [g.detach().numpy() for g in found]


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, tmp_path) -> None:
    pytest.importorskip("scipy")
    function, values, why = function_of(FORMS[form], arguments(form)), given(form), reason("torch", form)
    loss = compare.loss(form, tmp_path)
    for order in (1, 2):
        try:
            wanted = gradients(function, values, order)
        except (RuntimeError, NotImplementedError):
            assert order == 2, form  # PyTorch has no second derivative of some
            continue
        problem = compare.unlike(compare.of_sourcegrad(loss, values, order), wanted, *((1e-6, 1e-8) if order == 2 else ()))
        assert not problem or why is not None, f"order {order}: {problem}"
    if isinstance(why, Fault):
        differences_agree(functions([form], tmp_path, True)[0], form)


@pytest.mark.parametrize("at", SINGULAR)
def test_conventions(at: str) -> None:
    row = SINGULAR[at]
    names = ["x"] if row.y is None else ["x", "y"]
    values = [np.array(v, float) if isinstance(v, list) else float(v) for v in (row.x, row.y)[: len(names)]]
    found = gradients(function_of(ROWS[row.form], names), values, 1, weighted=False)
    wanted = [np.asarray(v, float) for v in (row.by_x, row.by_y)[: len(names)]]
    problem = compare.unlike(wanted, found, 1e-9, 1e-12)
    assert bool(problem) == (at in OTHERWISE["torch"]), problem or "no difference, which `known` has"
