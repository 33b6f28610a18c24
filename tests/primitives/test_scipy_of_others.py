"""SciPy in the situations of HIPS autograd's tests, and every name of JAX's scipy.special, scipy.stats and scipy.linalg.

Each is right to second order and in both modes, or refused, on the line of the call, with the reason that the table has
(`python -m tests.primitives.names_of_others` prints it).
"""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from tests.coverage.checks import differences_agree
from tests.coverage.values import functions, given
from tests.primitives.names_of_others import REFUSED, SITUATIONS, lists, outcome

pytest.importorskip("scipy")
pytestmark = pytest.mark.filterwarnings("ignore")
LISTS = lists()


def in_this_scipy(function, form: str) -> bool:
    """Whether it runs: older versions of SciPy lack some functions, and forms of some."""
    try:
        with np.errstate(all="ignore"):
            function(*given(form))
    except (AttributeError, TypeError):
        return False
    return True


def checked(form: str, path) -> str:
    """What is wrong with a form, or nothing."""
    function = functions([form], path, True)[0]
    if not in_this_scipy(function, form):
        return ""
    try:
        differences_agree(function, form)
    except sg.SourcegradError as problem:
        told = f"{function.__code__.co_filename}:" in str(problem) and not isinstance(problem, sg.InternalError)
        return "" if told and form in REFUSED else f"{form}: {problem}"
    except AssertionError as problem:
        return f"{form}: {problem}"
    return f"{form}: not refused" if form in REFUSED else ""


@pytest.mark.parametrize("name", SITUATIONS)
def test_situations(name: str, tmp_path) -> None:
    assert not checked(SITUATIONS[name], tmp_path)


@pytest.mark.parametrize("name", LISTS)
def test_lists(name: str, tmp_path) -> None:
    assert not "\n".join(filter(None, (checked(form, tmp_path) for form in LISTS[name])))


def test_table() -> None:
    """Each name has forms; few are refused, and of the situations the derivative by times alone."""
    forms = {form for forms in (*LISTS.values(), SITUATIONS.values()) for form in forms}
    assert all(LISTS.values()) and REFUSED.keys() <= forms
    refused = [name for name, forms in LISTS.items() if outcome(forms).startswith("refused")]
    assert len(refused) <= 0.04 * len(LISTS), refused
    assert [name for name, form in SITUATIONS.items() if form in REFUSED] == ["odeint by times"]
