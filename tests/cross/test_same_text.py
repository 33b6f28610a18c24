"""JAX and HIPS autograd against sourcegrad: forms that both take as they stand, to second order, and the table of conventions."""
from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np
import pytest

from tests.coverage.checks import differences_agree
from tests.coverage.conventions import GROUPS
from tests.coverage.refused import REFUSED
from tests.coverage.table import FORMS
from tests.coverage.values import functions, given
from tests.cross import compare
from tests.cross.known import KNOWN, OTHERWISE, Fault, Row, reason
from tests.cross.libraries import Autograd, Jax, Library
from tests.cross.shared import AUTOGRAD, JAX, names
from tests.primitives.names_of_others import MORE_LINALG, MORE_SPECIAL, REFUSED as REFUSED_NAMES, SITUATIONS, forms_of_stats

MORE = {f"scipy.special.{name}": forms for name, forms in MORE_SPECIAL.items()} | {
    f"scipy.linalg.{name}": forms for name, forms in MORE_LINALG.items()} | {
    f"scipy.stats.{name}": forms for name, forms in forms_of_stats().items()}
OF_JAX = [*names(JAX), *(name for name in MORE if name not in names(JAX))]
CASES = [("jax", name) for name in OF_JAX] + [("autograd", name) for name in [*names(AUTOGRAD), *SITUATIONS]]
SECOND = 1                                      # of the forms of a function, so many are compared to second order
KINDS = {name: kind for name, kind in {"jax": Jax, "autograd": Autograd}.items() if importlib.util.find_spec(name)}
CASES = [case for case in CASES if case[0] in KINDS]
MADE: dict[str, Library] = {}
ROWS = [(group, k) for group, rows in GROUPS.items() for k in range(len(rows))]
pytestmark = pytest.mark.filterwarnings("ignore")


def library(name: str) -> Library:
    pytest.importorskip(name)
    pytest.importorskip("scipy")
    if name not in MADE:
        MADE[name] = KINDS[name]()
    return MADE[name]


def forms_of(name: str) -> list[str]:
    found = [SITUATIONS[name]] if name in SITUATIONS else [*FORMS.get(name, ()), *MORE.get(name, ())]
    return [form for form in dict.fromkeys(found) if form not in REFUSED and form not in REFUSED_NAMES]


def taken(other: Library, form: str, values: list[Any], order: int) -> list[np.ndarray] | None:
    """The gradients of another library, or None where it does not take the form."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return other.gradients(compare.loss_of(form, other.names), values, order)
    except Exception:                           # whatever it raises
        return None


@pytest.mark.parametrize("which,name", CASES)
def test_forms(which: str, name: str, tmp_path) -> None:
    other, wrong, compared = library(which), [], 0
    for k, form in enumerate(forms_of(name)):
        for order in (1, 2)[:1 + (k < SECOND)]:
            values = given(form)
            wanted = taken(other, form, values, order)
            if wanted is None:
                break
            why = reason(which, form)
            if isinstance(why, Fault):
                differences_agree(functions([form], tmp_path, True)[0], form)
            found = compare.of_sourcegrad(compare.loss(form, tmp_path), values, order)
            problem = compare.unlike(found, wanted, *((1e-6, 1e-8) if order == 2 else ()))
            compared += 1
            if problem and why is None:
                wrong.append(f"{form}, order {order}: {problem}")
            if why is not None:
                wrong += [] if problem or order == 2 else [f"{form}: no difference, which `known` has"]
                break
    assert not wrong, "\n".join(wrong)
    if not compared:
        pytest.skip("no form that both take")


@pytest.mark.parametrize("which", KINDS)
@pytest.mark.parametrize("group,k", ROWS)
def test_conventions(which: str, group: str, k: int, tmp_path) -> None:
    """Ties and singular points: the same derivatives, but for the rows of the table that `OTHERWISE` lists."""
    other, row = library(which), GROUPS[group][k]
    names_of_row = ["x"] if row.y is None else ["x", "y"]
    values = [np.array(v, float) if isinstance(v, list) else float(v) for v in (row.x, row.y)[:len(names_of_row)]]
    held = dict(other.names)
    exec(f"def f({', '.join(names_of_row)}):\n    return np.sum({row.form})\n", held)
    try:
        found = other.gradients(held["f"], values, 1, compiled=False)
    except Exception as problem:                # whatever it raises
        pytest.skip(f"it does not take this form: {type(problem).__name__}")
    problem = compare.unlike([np.asarray(v, float) for v in (row.by_x, row.by_y)[:len(values)]], found, 1e-12, 1e-12)
    assert bool(problem) == (f"{row.form} at {row.x}" in OTHERWISE[which]), problem or "no difference, which `known` has"


def test_reasons() -> None:
    """Each row that is given as the reason of a difference is in the document."""
    assert all(why.stands() for reasons in KNOWN.values() for why in reasons if isinstance(why, Row))
    rows = {f"{row.form} at {row.x}" for group in GROUPS.values() for row in group}
    assert {at for known in OTHERWISE.values() for at in known} <= rows
