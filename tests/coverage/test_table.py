"""The functions that real code uses most: each form of each right to second order and in both modes, or refused with its reason.

A run tries some forms of each part, others in every run (SOURCEGRAD_RUN repeats it); SOURCEGRAD_GRID=all tries all.
"""
from __future__ import annotations

import importlib.util
import os
import random
import zlib

import numpy as np
import pytest

import sourcegrad as sg
from tests.coverage.checks import differences_agree
from tests.coverage.refused import REFUSED
from tests.coverage.table import ENOUGH, FORMS, MOST, PAGE, names, page, share
from tests.coverage.values import arguments, functions, given

ALL = os.environ.get("SOURCEGRAD_GRID") == "all"
SOME = 6                                                    # of each part, in one run
PARTS = 24
pytestmark = pytest.mark.filterwarnings("ignore")


def part_of(name: str) -> int:
    return zlib.crc32(name.encode()) % PARTS


def tried(part: int) -> list[str]:
    forms = sorted({form for name in names() if part_of(name.name) == part for form in name.forms if form not in REFUSED})
    seed = int(os.environ["SOURCEGRAD_RUN"]) ^ part
    return forms if ALL else random.Random(seed).sample(forms, min(SOME, len(forms)))


def of_scipy(form: str) -> bool:
    return any(f"{module}." in form.replace("np.linalg.", "").replace("np.fft.", "").replace("np.emath.", "") for module in (
        "fft", "fftpack", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "spatial", "special",
        "stats", "Rotation"))


def in_this_numpy(form: str) -> bool:
    """Whether the function runs: older versions of NumPy and SciPy lack some functions and options."""
    if of_scipy(form) and importlib.util.find_spec("scipy") is None:
        return False
    return not any(f"np.{name}(" in form and not hasattr(np, name) for name in NEWER)


NEWER = ("acos", "acosh", "asin", "asinh", "astype", "atan", "atan2", "atanh", "concat", "cumulative_sum", "matrix_transpose",
         "matvec", "permute_dims", "pow", "trapezoid", "unstack", "vecdot", "row_stack")


@pytest.mark.parametrize("part", range(PARTS))
def test_forms(part: int, tmp_path) -> None:
    wrong = []
    for form in filter(in_this_numpy, tried(part)):
        function = functions([form], tmp_path, of_scipy(form))[0]
        try:
            with np.errstate(all="ignore"):
                function(*given(form))
        except (AttributeError, TypeError) as older:        # an option or a function that this version has not
            assert np.lib.NumpyVersion(np.__version__) < "2.3.0" or of_scipy(form), f"{form}: {older}"
            continue
        try:
            differences_agree(function, form)
        except Exception as problem:
            wrong.append(f"{form}: {type(problem).__name__} {str(problem)[:300]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", range(4))
def test_refused(part: int, tmp_path) -> None:
    """Refused by an error of sourcegrad that names the line, in the words that the page has."""
    pytest.importorskip("scipy")
    wrong = []
    chosen = [form for k, form in enumerate(REFUSED) if k % 4 == part]
    forms = chosen if ALL else random.Random(int(os.environ["SOURCEGRAD_RUN"])).sample(chosen, min(SOME, len(chosen)))
    for form in filter(in_this_numpy, forms):
        function = functions([form], tmp_path, of_scipy(form))[0]
        try:
            differences_agree(function, form)
            wrong.append(f"{form}: not refused")
        except sg.SourcegradError as problem:
            if isinstance(problem, sg.InternalError) or f"{function.__code__.co_filename}:" not in str(problem):
                wrong.append(f"{form}: {type(problem).__name__} {str(problem)[:300]}")
    assert not wrong, "\n".join(wrong)


def test_names() -> None:
    """Each has forms, three at least, and no form is given twice to a name; what is refused is a form, and has a reason."""
    known = names()
    assert {name.name for name in known} == FORMS.keys()
    assert not [name.name for name in known if len(set(name.forms)) < max(ENOUGH, len(name.forms))]
    assert REFUSED.keys() <= {form for forms in FORMS.values() for form in forms}
    assert not [form for forms in FORMS.values() for form in forms if not arguments(form)]


def test_little_is_refused() -> None:
    for tier, limit in MOST.items():
        refused, forms = share(tier)
        assert refused <= limit * forms, (tier, refused, forms)


def test_documented() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.coverage.table"
